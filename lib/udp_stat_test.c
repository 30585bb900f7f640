/* SPDX-License-Identifier: Apache-2.0 */
/*
 * udp_stat_test - both formats of the kernel, and the counts of this machine moving as datagrams
 * are lost.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "lib/udp_stat.h"

static const char snmp[] = "Ip: Forwarding DefaultTTL\nIp: 2 64\n"
			   "UdpLite: InDatagrams NoPorts\nUdpLite: 7 7\n"
			   "Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors "
			   "SndbufErrors InCsumErrors IgnoredMulti\n"
			   "Udp: 100 2 5 110 3 1 4 9\n";
static const char snmp6[] = "Ip6InReceives                   \t77\n"
			    "Udp6InDatagrams                 \t10\n"
			    "Udp6RcvbufErrors                \t40\n"
			    "UdpLite6InDatagrams             \t9\n";

static void both_formats_add_up(void **state)
{
	(void)state;
	struct udp_stat s;
	assert_int_equal(udp_stat_parse(snmp, snmp6, &s), 0);
	assert_int_equal(s.in_datagrams, 110);
	assert_int_equal(s.out_datagrams, 110);
	assert_int_equal(s.no_ports, 2);
	assert_int_equal(s.in_errors, 5);
	assert_int_equal(s.receive_buffer_errors, 43);
	assert_int_equal(s.send_buffer_errors, 1);
	assert_int_equal(s.checksum_errors, 4);
	assert_int_equal(udp_stat_parse(snmp, NULL, &s), 0);
	assert_int_equal(s.in_datagrams, 100);
}

static void cut_texts_are_no_numbers(void **state)
{
	(void)state;
	struct udp_stat s;
	assert_int_equal(udp_stat_parse("", NULL, &s), -1);
	assert_int_equal(udp_stat_parse("Udp: InDatagrams", NULL, &s), -1);
	assert_int_equal(udp_stat_parse("Udp: InDatagrams\nTcp: 1\n", NULL, &s), -1);
	for (size_t len = 0; len < sizeof(snmp); len++) {
		char text[sizeof(snmp)] = { 0 };
		memcpy(text, snmp, len);
		udp_stat_parse(text, text, &s);
	}
}

/* A socket that is never read overflows, and the kernel's count says so. */
static void a_full_buffer_is_counted(void **state)
{
	(void)state;
	struct udp_stat before, now, since;
	struct fail f = { 0 };
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(to);
	char block[1000] = { 0 };
	int small = 1, in = socket(AF_INET, SOCK_DGRAM, 0), out = socket(AF_INET, SOCK_DGRAM, 0);
	if (udp_stat_read(&before, &f)) {
		print_message("skipped: %s\n", f.text);
		skip();
	}
	setsockopt(in, SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	assert_int_equal(bind(in, (struct sockaddr *)&to, len), 0);
	assert_int_equal(getsockname(in, (struct sockaddr *)&to, &len), 0);
	for (int i = 0; i < 50; i++)
		assert_int_equal(sendto(out, block, sizeof(block), 0, (struct sockaddr *)&to, len),
				 sizeof(block));
	assert_int_equal(udp_stat_read(&now, &f), 0);
	since = udp_stat_since(&now, &before);
	assert_true(since.out_datagrams >= 50);
	assert_true(since.receive_buffer_errors >= 40);
	close(in);
	close(out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(both_formats_add_up),
		cmocka_unit_test(cut_texts_are_no_numbers),
		cmocka_unit_test(a_full_buffer_is_counted),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
