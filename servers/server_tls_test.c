/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_tls_test - the server over TLS, with every engine of this build: orderly and
 * rude clients, clients that are no TLS clients, hellos in pieces, time-outs.
 */
#include "servers/server_drive.h"

#include <ftw.h>
#include <stdlib.h>

#include "ciphers/credential.h"
#include "ciphers/engine.h"
#include "lib/usage.h"

#define SUITE13 "tls1.3:AES128-GCM-SHA256:x25519:p256"
#define SUITE12 "tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p256"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
/* wolfSSL keeps a table of curve points for each thread that ran a handshake. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:wc_ecc_new_point\n";
}
#else
#define SANITIZED false
#endif

static char credential_dir[] = "/tmp/cipherwatt-server-test-XXXXXX";
static struct buf text;

/* A TLS client on a blocking socket. */
struct client {
	struct suite suite;
	struct domain domain;
	struct assoc assoc;
	int fd;
	size_t piece; /* bytes per send(); 0: all at once */
};

static struct server_params tls_params(const struct engine_ops *engine, const char *suite)
{
	struct server_params p = drive_params("https://127.0.0.1:0/", engine, suite);

	p.credential_dir = credential_dir;
	return p;
}

static void client_open(struct client *c, struct server *s, const struct server_params *p)
{
	*c = (struct client){ .suite = p->listener[0].suite, .fd = drive_connect(p) };
	c->domain = (struct domain){ .ops = p->listener[0].engine,
				     .params = { .role = CLIENT,
						 .suite = &c->suite,
						 .ca_file = server_ca_file(s, 0),
						 .server_name = "localhost" } };
	c->assoc.domain = &c->domain;
	if (c->domain.ops->domain_open(&c->domain) != 0)
		fail_msg("%s", c->domain.fail.text);
	assert_int_equal(wire_init(&c->assoc.in, 1 << 18, false), 0);
	assert_int_equal(wire_init(&c->assoc.out, 1 << 18, false), 0);
	if (c->domain.ops->open(&c->assoc) != 0)
		fail_msg("%s", c->assoc.fail.text);
}

static void client_close(struct client *c)
{
	c->domain.ops->close(&c->assoc);
	c->domain.ops->domain_close(&c->domain);
	wire_release(&c->assoc.in);
	wire_release(&c->assoc.out);
	if (c->fd >= 0)
		close(c->fd);
}

static void client_send(struct client *c)
{
	size_t len;
	const uint8_t *bytes = wire_peek(&c->assoc.out, &len);

	while (len > 0) {
		size_t part = c->piece && c->piece < len ? c->piece : len;

		drive_send(c->fd, bytes, part);
		wire_drop(&c->assoc.out, part);
		bytes = wire_peek(&c->assoc.out, &len);
	}
}

/* false: the server closed. */
static bool client_receive(struct client *c)
{
	size_t room;
	uint8_t *space = wire_space(&c->assoc.in, &room);
	ssize_t n = drive_read(c->fd, space, room);

	if (n > 0)
		wire_fill(&c->assoc.in, (size_t)n);
	return n > 0;
}

static enum step client_handshake(struct client *c)
{
	for (;;) {
		enum step step = c->domain.ops->handshake(&c->assoc);

		client_send(c);
		if (step != STEP_IN || !client_receive(c))
			return step;
	}
}

static void client_say(struct client *c, const char *what)
{
	size_t put;

	assert_int_equal(c->domain.ops->write(&c->assoc, what, strlen(what), &put), STEP_DONE);
	assert_int_equal(put, strlen(what));
	client_send(c);
}

/* Until the server's close_notify, which must come. */
static const char *client_read_all(struct client *c, struct buf *b)
{
	buf_clear(b);
	for (;;) {
		size_t got = 0;
		char *space = buf_reserve(b, 65536);
		enum step step = c->domain.ops->read(&c->assoc, space, 65536, &got);

		b->len += got;
		if (step == STEP_CLOSED)
			return buf_text(b);
		if (step == STEP_IN && !client_receive(c))
			fail_msg("closed without a close_notify after %zu bytes", b->len);
		if (step == STEP_FAILED)
			fail_msg("%s", c->assoc.fail.text);
	}
}

static void check_https(struct server *s, const struct server_params *p, size_t piece)
{
	struct client c;

	client_open(&c, s, p);
	c.piece = piece;
	if (client_handshake(&c) != STEP_DONE)
		fail_msg("%s: %s", p->listener[0].engine->name, c.assoc.fail.text);
	client_say(&c, GET_CLOSE);
	assert_int_equal(strncmp(client_read_all(&c, &text), "HTTP/1.1 200 OK\r\n", 17), 0);
	assert_non_null(strstr(buf_text(&text), "\r\nContent-Length: 512\r\n"));
	client_close(&c);
}

/* Certificates are made with OpenSSL, whatever engine uses them. */
static bool can_make_credentials(void)
{
	struct fail f = { 0 };
	struct credential c;

	if (credential_get(credential_kind_by_name("p256"), credential_dir, NULL, &c, &f) == 0)
		return true;
	print_message("skipped: %s\n", f.text);
	return false;
}

/* Run a test with every engine that offers the suite. */
static void with_engines(const char *suite, void (*test)(struct server_params *p))
{
	if (!can_make_credentials())
		skip();
	for (int i = 1; engines[i]; i++) {
		struct server_params p = tls_params(engines[i], suite);
		const char *why = engines[i]->refuses(&p.listener[0].suite);

		if (why)
			print_message("%s: skipped: %s\n", engines[i]->name, why);
		else
			test(&p);
	}
}

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

static void test_rude(struct server_params *p)
{
	static const struct linger reset = { .l_onoff = 1 };
	struct server *s;

	p->tickets = 2;
	s = drive_start(p);
	/* Gone without reading the tickets: by end of stream, by reset, with a request sent. */
	for (int i = 0; i < 30; i++) {
		struct client c;

		client_open(&c, s, p);
		assert_int_equal(client_handshake(&c), STEP_DONE);
		if (i % 3 == 2)
			client_say(&c, GET);
		if (i % 3 == 1)
			setsockopt(c.fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
		client_close(&c);
	}
	drive_await(s, open, 0);
	/* A request that was sent before an orderly end is answered. */
	drive_await(s, requests, 10);
	check_https(s, p, 0);
	server_stop(s);
}

static void clients_that_leave_early_harm_nobody(void **state)
{
	(void)state;
	with_engines(SUITE13, test_rude);
	with_engines(SUITE12, test_rude);
}

static void test_half_closed(struct server_params *p)
{
	struct server *s = drive_start(p);
	struct client c;

	client_open(&c, s, p);
	assert_int_equal(client_handshake(&c), STEP_DONE);
	client_say(&c, "GET /page/1MiB/random HTTP/1.1\r\nHost: h\r\n\r\n");
	/* The end of the stream without a close_notify; the answer comes with one. */
	assert_int_equal(shutdown(c.fd, SHUT_WR), 0);
	client_read_all(&c, &text);
	assert_in_range(text.len, 1 << 20, (1 << 20) + 1000);
	client_close(&c);
	server_stop(s);
}

static void half_closed_clients_get_their_answer(void **state)
{
	(void)state;
	with_engines(SUITE13, test_half_closed);
	with_engines(SUITE12, test_half_closed);
}

static void test_bad_record(struct server_params *p)
{
	static const char record[] = "\x17\x03\x03\x00 abcdefgHIJKLMNOPQRSTUVWXYZ012345";
	struct server *s = drive_start(p);
	char alert[512];
	struct client c;
	int i = 0;

	client_open(&c, s, p);
	assert_int_equal(client_handshake(&c), STEP_DONE);
	for (; i < 100; i++)
		drive_send(c.fd, record, sizeof record - 1);
	/* An alert, then the end; no reset that could overtake it. */
	assert_true(drive_read(c.fd, alert, sizeof alert) > 0);
	assert_int_equal(drive_read(c.fd, alert, sizeof alert), 0);
	client_close(&c);
	drive_await(s, open, 0);
	check_https(s, p, 0);
	server_stop(s);
}

static void bad_records_are_answered_with_an_alert(void **state)
{
	(void)state;
	with_engines(SUITE13, test_bad_record);
	with_engines(SUITE12, test_bad_record);
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

static void test_leaving(struct server_params *p)
{
	static const struct linger reset = { .l_onoff = 1 };
	struct server *s = drive_start(p);

	for (int i = 0; i < 10; i++) {
		int fd = drive_connect(p);

		if (i % 2)
			drive_send(fd, "\x16\x03\x01", 3);
		if (i % 3 == 0)
			setsockopt(fd, SOL_SOCKET, SO_LINGER, &reset, sizeof reset);
		close(fd);
	}
	drive_await(s, closed_in_handshake, 10);
	drive_await(s, handshakes_failed, 0);
	check_https(s, p, 0);
	server_stop(s);
}

static void leaving_in_the_handshake_is_counted_apart(void **state)
{
	(void)state;
	with_engines(SUITE13, test_leaving);
}

static void send_garbage(const struct server_params *p, int i)
{
	static const char *const garbage[] = {
		GET,
		"\x80\x2e\x01\x03\x01\x00\x15\x00\x00\x00\x10", /* an SSLv2 hello */
		"\x16\x03\x00\x00\x04\x01\x00\x00\x00XXXXXXXXXXXXXXXX",
		"\x15\x03\x03\x00\x02\x02\x28XXXX",
		"SSH-2.0-OpenSSH_9.2\r\n",
		"\x16\x03\x01\xff\xff\x01",
	};
	static const size_t zeros_inside[] = { 0, 11, 25, 11, 0, 6 };
	size_t n = (size_t)i % (sizeof garbage / sizeof *garbage);
	int fd = drive_connect(p);
	char dropped[256];

	drive_send(fd, garbage[n], zeros_inside[n] ? zeros_inside[n] : strlen(garbage[n]));
	shutdown(fd, SHUT_WR);
	while (drive_read(fd, dropped, sizeof dropped) > 0)
		;
	close(fd);
}

static void test_garbage(struct server_params *p)
{
	struct server *s = drive_start(p);
	struct client patient;
	int64_t before_kib, after_kib;

	client_open(&patient, s, p);
	assert_int_equal(client_handshake(&patient), STEP_DONE);
	for (int i = 0; i < 300; i++)
		send_garbage(p, i);
	before_kib = usage_rss_peak_kib(getpid());
	for (int i = 0; i < 3000; i++)
		send_garbage(p, i);
	after_kib = usage_rss_peak_kib(getpid());
	/* A sanitizer keeps what was freed, and looks for leaks itself. */
	if (after_kib - before_kib > 1024 && !SANITIZED)
		fail_msg("%s: grew from %lld to %lld KiB", p->listener[0].engine->name,
			 (long long)before_kib, (long long)after_kib);
	/* An association from before all this goes on as if nothing had been. */
	client_say(&patient, GET_CLOSE);
	assert_int_equal(strncmp(client_read_all(&patient, &text), "HTTP/1.1 200 OK\r\n", 17), 0);
	client_close(&patient);
	check_https(s, p, 0);
	drive_await(s, open, 0);
	server_stop(s);
}

static void garbage_is_refused_and_leaves_nothing(void **state)
{
	(void)state;
	with_engines(SUITE13, test_garbage);
}

static void test_timeout(struct server_params *p)
{
	struct server *s;
	char dropped[256];
	int silent;

	p->handshake_timeout_ns = 60 * NS_PER_MS;
	s = drive_start(p);
	silent = drive_connect(p);
	drive_send(silent, "\x16\x03\x01", 3);
	while (drive_read(silent, dropped, sizeof dropped) > 0)
		;
	close(silent);
	drive_await(s, timed_out, 1);
	drive_await(s, open, 0);
	server_stop(s);
}

static void silent_clients_time_out(void **state)
{
	(void)state;
	with_engines(SUITE13, test_timeout);
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

static int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	(void)st;
	(void)kind;
	(void)where;
	return remove(path);
}

static int make_dir(void **state)
{
	(void)state;
	return mkdtemp(credential_dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	(void)state;
	buf_release(&text);
	return nftw(credential_dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_are_answered),
		cmocka_unit_test(hellos_in_small_pieces_are_taken),
		cmocka_unit_test(clients_that_leave_early_harm_nobody),
		cmocka_unit_test(half_closed_clients_get_their_answer),
		cmocka_unit_test(bad_records_are_answered_with_an_alert),
		cmocka_unit_test(missing_certificates_are_named),
		cmocka_unit_test(leaving_in_the_handshake_is_counted_apart),
		cmocka_unit_test(garbage_is_refused_and_leaves_nothing),
		cmocka_unit_test(silent_clients_time_out),
		cmocka_unit_test(big_pages_pass_in_small_records),
		cmocka_unit_test(listeners_of_both_kinds_live_together),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
