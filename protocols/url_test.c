/* SPDX-License-Identifier: Apache-2.0 */
/* url_test - good URLs with what they mean, bad ones with the reason given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "protocols/url.h"

static const struct {
	const char *text;
	enum url_scheme scheme;
	const char *host;
	uint16_t port;
	bool port_given, secure, datagram;
	const char *target, *canonical;
} good[] = {
	{ "http://localhost", URL_HTTP, "localhost", 80, false, false, false, "/",
	  "http://localhost/" },
	{ "HTTPS://Example.COM:8443/page/512?x=1&y", URL_HTTPS, "example.com", 8443, true, true,
	  false, "/page/512?x=1&y", "https://example.com:8443/page/512?x=1&y" },
	{ "https://127.0.0.1:0/", URL_HTTPS, "127.0.0.1", 0, true, true, false, "/",
	  "https://127.0.0.1:0/" },
	{ "https://[::1]:443/a%2Fb", URL_HTTPS, "::1", 443, true, true, false, "/a%2Fb",
	  "https://[::1]/a%2Fb" },
	{ "http://[FE80:0::1]", URL_HTTP, "fe80::1", 80, false, false, false, "/",
	  "http://[fe80::1]/" },
	{ "http://h?q=/?", URL_HTTP, "h", 80, false, false, false, "/?q=/?", "http://h/?q=/?" },
	{ "coap://board-1.local/t", URL_COAP, "board-1.local", 5683, false, false, true, "/t",
	  "coap://board-1.local/t" },
	{ "coaps://10.0.0.9:5684", URL_COAPS, "10.0.0.9", 5684, true, true, true, "/",
	  "coaps://10.0.0.9/" },
	{ "coap+tcp://h:1", URL_COAP_TCP, "h", 1, true, false, false, "/", "coap+tcp://h:1/" },
	{ "coaps+tcp://h:65535", URL_COAPS_TCP, "h", 65535, true, true, false, "/",
	  "coaps+tcp://h:65535/" },
	{ "http://a_b/@x:y", URL_HTTP, "a_b", 80, false, false, false, "/@x:y", "http://a_b/@x:y" },
};

static const struct {
	const char *text, *reason;
} bad[] = {
	{ "", "must start with" },
	{ "127.0.0.1:80", "must start with" },
	{ "ftp://h/", "must start with" },
	{ "http:/h/", "must start with" },
	{ "http://", "host is missing" },
	{ "http:///x", "host is missing" },
	{ "http://:80", "host is missing" },
	{ "http://user@h/", "user names" },
	{ "http://user:p@h/", "user names" },
	{ "http://a b/", "not a host name" },
	{ "http://a..b/", "not a host name" },
	{ "http://.a/", "not a host name" },
	{ "http://a./", "not a host name" },
	{ "http://h\xc3\xa9/", "not a host name" },
	{ "http://1.2.3/", "not an IPv4 address" },
	{ "http://256.0.0.1/", "not an IPv4 address" },
	{ "http://1.2.3.4.5/", "not an IPv4 address" },
	{ "http://[::1/", "not closed" },
	{ "http://[]/", "not an IPv6 address" },
	{ "http://[::g]/", "not an IPv6 address" },
	{ "http://[fe80::1%eth0]/", "not an IPv6 address" },
	{ "http://[::1]x/", "neither a port nor a path" },
	{ "http://h:/", "port must be" },
	{ "http://h:65536/", "port must be" },
	{ "http://h:99999999999999999999/", "port must be" },
	{ "http://h:-1/", "port must be" },
	{ "http://h:80x/", "neither a port nor a path" },
	{ "http://h/#top", "fragment" },
	{ "http://h#top", "fragment" },
	{ "http://h/a b", "%XX" },
	{ "http://h/%", "%XX" },
	{ "http://h/%4", "%XX" },
	{ "http://h/%zz", "%XX" },
	{ "http://h/\x7f", "%XX" },
	{ "http://h/\xc3\xa9", "%XX" },
};

static void good_urls_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct fail f = { 0 };
		struct url u;
		char text[URL_TEXT_BYTES];

		if (url_parse(good[i].text, &u, &f) != 0)
			fail_msg("%s", f.text);
		assert_int_equal(u.scheme, good[i].scheme);
		assert_string_equal(u.host, good[i].host);
		assert_int_equal(u.port, good[i].port);
		assert_int_equal(u.port_given, good[i].port_given);
		assert_string_equal(u.target, good[i].target);
		assert_int_equal(url_is_secure(&u), good[i].secure);
		assert_int_equal(url_is_datagram(&u), good[i].datagram);
		assert_string_equal(url_format(&u, text), good[i].canonical);
	}
}

static void canonical_text_is_a_fixed_point(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
		struct fail f = { 0 };
		struct url u;
		char text[URL_TEXT_BYTES];

		assert_int_equal(url_parse(good[i].canonical, &u, &f), 0);
		assert_string_equal(url_format(&u, text), good[i].canonical);
	}
}

static void bad_urls_are_refused_with_a_reason(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct fail f = { 0 };
		struct url u;

		if (url_parse(bad[i].text, &u, &f) == 0)
			fail_msg("\"%s\" was taken", bad[i].text);
		if (!strstr(f.text, bad[i].reason))
			fail_msg("\"%s\" gave: %s", bad[i].text, f.text);
	}
}

static void long_parts_are_refused_and_longest_taken(void **state)
{
	char text[2048] = "http://";
	struct fail f = { 0 };
	struct url u;

	(void)state;
	memset(text + 7, 'a', 300);
	assert_int_equal(url_parse(text, &u, &f), -1);
	memset(text, 0, sizeof text);
	strcpy(text, "http://h/");
	memset(text + 9, 'x', sizeof u.target - 2);
	fail_clear(&f);
	assert_int_equal(url_parse(text, &u, &f), 0);
	assert_int_equal(strlen(u.target), sizeof u.target - 1);
	text[9 + sizeof u.target - 2] = 'x';
	assert_int_equal(url_parse(text, &u, &f), -1);
	assert_non_null(strstr(f.text, "1023"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(good_urls_are_read),
		cmocka_unit_test(canonical_text_is_a_fixed_point),
		cmocka_unit_test(bad_urls_are_refused_with_a_reason),
		cmocka_unit_test(long_parts_are_refused_and_longest_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
