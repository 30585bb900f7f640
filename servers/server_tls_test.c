/* SPDX-License-Identifier: Apache-2.0 */
/* server_tls_test - the server over TLS, with every engine of this build. */
#include "servers/tls_drive.h"

static void test_requests(struct server_params *p)
{
	struct server_counters c;
	struct server *s;

	p->threads = 2;
	s = drive_start(p);
	for (int i = 0; i < 20; i++)
		check_https(s, p, 0);
	drive_await(s, open, 0);
	server_counters(s, &c);
	assert_int_equal(c.requests, 20);
	assert_int_equal(c.handshakes_full, 20);
	assert_int_equal(c.handshakes_resumed + c.handshakes_failed + c.closed_in_handshake, 0);
	/* Contexts are made per listener and thread, never per connection. */
	assert_int_equal(c.domains, 2);
	server_stop(s);
}

static void requests_are_answered(void **state)
{
	(void)state;
	with_engines(SUITE13, test_requests);
	with_engines(SUITE12, test_requests);
}

static void test_bytes(struct server_params *p)
{
	struct server *s = drive_start(p);

	check_https(s, p, 1);
	check_https(s, p, 5);
	check_https(s, p, 9);
	drive_await(s, handshakes_full, 3);
	server_stop(s);
}

static void hellos_in_small_pieces_are_taken(void **state)
{
	(void)state;
	with_engines(SUITE13, test_bytes);
	with_engines(SUITE12, test_bytes);
}

static void test_no_certificate(struct server_params *p)
{
	struct fail f = { 0 };

	p->threads = 2;
	p->cert_file = "/nonexistent/cert.pem";
	p->key_file = "/nonexistent/key.pem";
	assert_null(server_start(p, &f));
	assert_non_null(strstr(f.text, "/nonexistent/"));
}

static void missing_certificates_are_named(void **state)
{
	(void)state;
	with_engines(SUITE13, test_no_certificate);
}

static void test_big(struct server_params *p)
{
	struct server *s;
	struct client c;

	p->record_bytes = 1400;
	p->records_per_send = 8;
	s = drive_start(p);
	client_open(&c, s, p);
	assert_int_equal(client_handshake(&c), STEP_DONE);
	client_say(&c, "GET /page/5MiB/random HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n");
	client_read_all(&c, &text);
	assert_in_range(text.len, 5 << 20, (5 << 20) + 1000);
	client_close(&c);
	server_stop(s);
}

static void big_pages_pass_in_small_records(void **state)
{
	(void)state;
	with_engines(SUITE13, test_big);
	with_engines(SUITE12, test_big);
}

static void test_mixed(struct server_params *p)
{
	struct server_params plain;
	struct server *s;
	struct fail f = { 0 };

	/* The second listener is plain, with its own port. */
	p->listeners = 2;
	p->listener[1].engine = &engine_null;
	assert_int_equal(url_parse("http://127.0.0.1:0/", &p->listener[1].url, &f), 0);
	assert_int_equal(suite_parse("plain", &p->listener[1].suite, &f), 0);
	s = drive_start(p);
	plain = *p;
	plain.listener[0] = p->listener[1];
	assert_int_not_equal(p->listener[0].url.port, p->listener[1].url.port);
	assert_non_null(server_ca_file(s, 0));
	assert_null(server_ca_file(s, 1));
	drive_check_alive(&plain);
	check_https(s, p, 0);
	drive_await(s, domains, 1);
	server_stop(s);
}

static void listeners_of_both_kinds_live_together(void **state)
{
	(void)state;
	with_engines(SUITE13, test_mixed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_are_answered),
		cmocka_unit_test(hellos_in_small_pieces_are_taken),
		cmocka_unit_test(missing_certificates_are_named),
		cmocka_unit_test(big_pages_pass_in_small_records),
		cmocka_unit_test(listeners_of_both_kinds_live_together),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
