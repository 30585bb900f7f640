/* SPDX-License-Identifier: Apache-2.0 */
/* net_test - literals, brackets, the loopback test, and what an unknown name says. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/net.h"

static void resolve_literal(const char *host, const char *text)
{
	struct net_address a[NET_ADDRESSES_MAX];
	struct fail f = { 0 };
	char dst[NET_TEXT_BYTES];
	assert_int_equal(net_resolve(host, 8443, false, a, NET_ADDRESSES_MAX, &f), 1);
	assert_string_equal(net_format(&a[0], dst), text);
}

static void literals_keep_their_text(void **state)
{
	(void)state;
	resolve_literal("127.0.0.1", "127.0.0.1:8443");
	resolve_literal("127.8.9.10", "127.8.9.10:8443");
	resolve_literal("192.0.2.7", "192.0.2.7:8443");
	resolve_literal("::1", "[::1]:8443");
	resolve_literal("2001:db8::5", "[2001:db8::5]:8443");
}

static void empty_host_listens_everywhere(void **state)
{
	(void)state;
	struct net_address a[NET_ADDRESSES_MAX];
	struct fail f = { 0 };
	char dst[NET_TEXT_BYTES];
	int n = net_resolve("", 0, true, a, NET_ADDRESSES_MAX, &f);
	assert_in_range(n, 1, NET_ADDRESSES_MAX);
	for (int i = 0; i < n; i++)
		assert_true(!strcmp(net_format(&a[i], dst), "0.0.0.0:0") || !strcmp(dst, "[::]:0"));
}

static void no_more_than_asked(void **state)
{
	(void)state;
	struct net_address all[NET_ADDRESSES_MAX], a[1];
	struct fail f = { 0 };

	/* The wildcard has two addresses where IPv6 is there; a name may have none. */
	if (net_resolve("", 1, true, all, NET_ADDRESSES_MAX, &f) < 2)
		skip();
	assert_int_equal(net_resolve("", 1, true, a, 1, &f), 1);
}

static void unknown_name_is_named(void **state)
{
	(void)state;
	struct net_address a[1];
	struct fail f = { 0 };
	assert_int_equal(net_resolve("no..such", 80, false, a, 1, &f), -1);
	assert_non_null(strstr(f.text, "no..such"));
	assert_int_not_equal(f.code, 0);
}

static void hosts_are_told_from_what_is_none(void **state)
{
	static const char *const good[] = {
		"127.0.0.1", "::1", "fe80::1%eth0", "localhost", "gate-way.example.org.", "a_b",
		"3com.com",  "x1"
	};
	static const char *const bad[] = { "999.1.1.1", "1.2.3",       "1.2.3.4.5", "",
					   ".",         "a..b",        "-a",        "a-.b",
					   "a b",       "host/",       "fe80::1%",  ":::1",
					   "[::1]",     "10.0.0.1:80", "example.7", "a.b.99." };

	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++)
		if (!net_is_host(good[i]))
			fail_msg("%s is one", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (net_is_host(bad[i]))
			fail_msg("%s is none", bad[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(literals_keep_their_text),
		cmocka_unit_test(empty_host_listens_everywhere),
		cmocka_unit_test(hosts_are_told_from_what_is_none),
		cmocka_unit_test(no_more_than_asked),
		cmocka_unit_test(unknown_name_is_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
