/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oracle_test - every capture of the shared data against what another dissector and a second
 * parser found in it: connections, versions, suites, outcomes, messages and their times to the
 * nanosecond. The differences that docs/timeline.md argues are named here, and nothing else
 * may differ. Skipped where the files are not there.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "capture/suite_name.h"
#include "capture/timeline.h"
#include "lib/path.h"

#define FILE_MAX 4 << 20

/* The text of our answer for one file, in the oracle's own columns. */
struct answer {
	const char *file;
	struct buf messages, streams;
};

static const char *shared_folder(void)
{
	const char *shared = getenv("CIPHERWATT_SHARED");

	return shared ? shared : "../shared";
}

static struct buf load(const char *name)
{
	struct fail f = { 0 };
	char path[PATH_BYTES];
	struct buf b;

	snprintf(path, sizeof(path), "%s/data/pcap/%s", shared_folder(), name);
	buf_init(&b, 0);
	if (!path_exists(path)) {
		printf("skipped: %s is not there; CIPHERWATT_SHARED names the folder\n", path);
		skip();
	}
	if (path_read(path, FILE_MAX, &b, &f) != 0)
		fail_msg("%s", f.text);
	return b;
}

static void put_time(struct buf *b, const struct connection *c, int64_t ns)
{
	if (ns == TIME_NONE) {
		buf_puts(b, "\t-");
		return;
	}
	ns -= c->origin_ns;
	buf_printf(b, "\t%lld.%09lld", (long long)(ns / 1000000000), (long long)(ns % 1000000000));
}

static void put_key(struct buf *b, const struct answer *a, const struct connection *c)
{
	buf_printf(b, "%s\t%llu\t%s", a->file, (unsigned long long)c->stream,
		   c->proto == CONN_TLS ? "tls" : "dtls");
}

static void put_suite(struct buf *b, const struct connection *c)
{
	char version[16], suite[SUITE_NAME_BYTES] = "-";

	connection_version(c, version, sizeof(version));
	if (c->has_suite)
		suite_name(c->suite, suite, sizeof(suite));
	buf_printf(b, "\t%s\t%s", version, suite);
}

/* DTLS 1.3's unified records are beyond the oracle: their messages are left out here. */
static void put_messages(struct answer *a, const struct connection *c)
{
	for (int i = 0; i < c->message_count; i++) {
		char name[64];

		if (c->message[i].is_unified)
			continue;
		message_long_name(c, &c->message[i], name, sizeof(name));
		put_key(&a->messages, a, c);
		put_suite(&a->messages, c);
		buf_printf(&a->messages, "\t%s", name);
		put_time(&a->messages, c, c->message[i].time_ns);
		buf_byte(&a->messages, '\n');
	}
}

static void put_stream(struct answer *a, const struct connection *c)
{
	int client = connection_client(c);
	struct buf *b = &a->streams;
	bool is_blind = c->unified_records != 0;
	char ends[2][64], outcome[32];

	connection_endpoint(c, client, ends[0], sizeof(ends[0]));
	connection_endpoint(c, !client, ends[1], sizeof(ends[1]));
	connection_outcome(c, outcome, sizeof(outcome));
	put_key(b, a, c);
	buf_printf(b, "\t%s\t%s", ends[0], ends[1]);
	put_suite(b, c);
	buf_printf(b, c->has_suite ? c->suite > 0xffff ? "\t0x%06x" : "\t0x%04x" : "\t-", c->suite);
	buf_printf(b, "\t%d\t%d\t%d", c->client_hellos, c->hello_retries, c->hello_verifies);
	put_time(b, c, c->first_hello_ns);
	put_time(b, c, c->server_hello_ns);
	put_time(b, c, is_blind ? TIME_NONE : c->finished_ns[client]);
	put_time(b, c, is_blind || connection_is_13(c) ? TIME_NONE : c->finished_ns[!client]);
	buf_printf(b, "\t%s\n", is_blind ? "protected-not-decoded" : outcome);
}

static void closed(void *data, const struct connection *c)
{
	if (c->proto == CONN_COAP)
		return;
	put_messages(data, c);
	put_stream(data, c);
}

static void read_capture(const char *name, struct answer *a)
{
	struct timeline *t = calloc(1, sizeof(*t));
	struct buf bytes = load(name);
	struct capture_file file;
	FILE *in = fmemopen(bytes.data, bytes.len, "r");

	assert_non_null(t);
	assert_non_null(in);
	a->file = name;
	timeline_init(t, closed, a);
	if (capture_file_init(&file, in) || timeline_read(t, &file))
		fail_msg("%s: %s", name, file.fail.text);
	assert_false(file.cut);
	capture_file_release(&file);
	fclose(in);
	free(t);
	buf_release(&bytes);
}

/* The lines of the table that begin with this file's name, in order. */
static struct buf rows_of(const char *table, const char *name)
{
	size_t len = strlen(name);
	struct buf b;

	buf_init(&b, 0);
	for (const char *line = table; *line;) {
		const char *end = strchr(line, '\n');

		end = end ? end + 1 : line + strlen(line);
		if (!strncmp(line, name, len) && line[len] == '\t')
			buf_put(&b, line, (size_t)(end - line));
		line = end;
	}
	return b;
}

/* What docs/timeline.md argues: the oracle's text and ours, each of which must be there. */
struct difference {
	const char *file, *theirs, *ours;
};

static const struct difference differences[] = {
	/* A handshake begins with the first byte of its first hello, over TCP as over UDP. */
	{ "ndpi-dingtalk-raw.pcap", "36.777442000\t36.783702000", "36.777352000\t36.783702000" },
};

static void apply_differences(const char *name, struct buf *want)
{
	for (size_t i = 0; i < sizeof(differences) / sizeof(differences[0]); i++) {
		const struct difference *d = &differences[i];
		char *at = strcmp(d->file, name) ? NULL : strstr(buf_text(want), d->theirs);

		if (at)
			memcpy(at, d->ours, strlen(d->theirs));
	}
}

static int compare(const char *table, const char *name, struct buf *got)
{
	struct buf want = rows_of(table, name);
	int differ;

	apply_differences(name, &want);
	differ = strcmp(buf_text(&want), buf_text(got)) != 0;
	if (differ)
		print_error("%s: expected\n%sgot\n%s", name, buf_text(&want), buf_text(got));
	buf_release(&want);
	return differ;
}

/* The captures, by the table of those with a row and the CoAP ones that have none. */
static const char *const captures[] = {
	"arkime-openssl-ssl3.pcap",
	"arkime-openssl-tls1.pcap",
	"arkime-wireshark-dtls12.pcap",
	"ndpi-dingtalk-raw.pcap",
	"ndpi-dns2tcp_tunnel-sll.pcap",
	"ndpi-dtls-dsb.pcap",
	"ndpi-dtls_certificate_fragments.pcap",
	"ndpi-dtls_session_id_and_coockie_both.pcap",
	"ndpi-ja3_lots_of_cipher_suites-vlan.pcap",
	"ndpi-psiphon3.pcap",
	"ndpi-selfsigned-null.pcap",
	"ndpi-stun_dtls_unidirectional_server.pcap",
	"ndpi-tls_1.2_unidirectional_client.pcapng",
	"ndpi-tls_1.3_unidirectional_server.pcapng",
	"ndpi-tls_alert.pcap",
	"ndpi-tls_ech.pcapng",
	"ndpi-tls_missing_ch_frag.pcap",
	"ndpi-windscribe.pcapng",
	"suricata-bug-7264.pcap",
	"suricata-ja4-tls.pcap",
	"suricata-linktype-228.pcap",
	"suricata-tls-client-auth.pcap",
	"suricata-tls-duplicate-hello.pcap",
	"ttproto-CoAP_plus_random_UDP_messages.pcap",
	"ttproto-TD_COAP_CORE_01_PASS.pcap",
	"zeek-certificate-request-failed.pcap",
	"zeek-chrome-1250-tls-x25519-kyber.pcap",
	"zeek-client-certificate.pcap",
	"zeek-dhe.pcap",
	"zeek-dtls-sequence-number-jumps.pcap",
	"zeek-dtls13-cid.pcap",
	"zeek-dtls13-wolfssl.pcap",
	"zeek-dtls1_0.pcap",
	"zeek-dtls1_2.pcap",
	"zeek-ecdsa-cert.pcap",
	"zeek-hrr.pcap",
	"zeek-https-to-http.pcap",
	"zeek-openjdk-sll2.pcap",
	"zeek-pppoe-over-qinq.pcap",
	"zeek-ssl-to-http-server.pcap",
	"zeek-ssl-v2.pcap",
	"zeek-tls-1.2-handshake-failure.pcap",
	"zeek-tls-early-alert.pcap",
	"zeek-tls-fragmented-handshake.pcap",
	"zeek-tls1.2-rsa.pcap",
	"zeek-tls13_psk_succesfull.pcap",
	"zeek-tls13_wolfssl.pcap",
	"zeek-tls1_1.pcap",
};

static void test_every_row_agrees(void **state)
{
	struct buf expected = load("expected.tsv"), streams = load("streams.tsv");
	int differ = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(captures) / sizeof(captures[0]); i++) {
		struct answer a = { 0 };

		read_capture(captures[i], &a);
		differ += compare(buf_text(&expected), captures[i], &a.messages);
		differ += compare(buf_text(&streams), captures[i], &a.streams);
		buf_release(&a.messages);
		buf_release(&a.streams);
	}
	buf_release(&expected);
	buf_release(&streams);
	assert_int_equal(differ, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_row_agrees),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
