/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_flight_test - the handshake as the network sees it: in how many sends the server's
 * flight leaves, in which pieces a hello may come, and how many TLS contexts all that takes.
 */
#include "servers/tls_drive.h"

#include <sys/syscall.h>

#include "lib/path.h"

#define SUITE13_RSA "tls1.3:AES128-GCM-SHA256:x25519:rsa2048"
#define SUITE12_RSA "tls1.2:ECDHE-RSA-AES128-GCM-SHA256:x25519:rsa2048"
#define CHAIN_BYTES 5000
#define SENDS_MAX   64

static _Thread_local bool is_client;
static int sends;                    /* of every thread but the test's own */
static size_t sent_bytes[SENDS_MAX]; /* by each */

/* The C library's send(), as this program's threads find it: counted, then done. */
ssize_t send(int fd, const void *src, size_t len, int flags)
{
	ssize_t n = syscall(SYS_sendto, fd, src, len, flags, NULL, 0);

	if (!is_client && n > 0) {
		int i = __atomic_fetch_add(&sends, 1, __ATOMIC_ACQ_REL);

		if (i < SENDS_MAX)
			sent_bytes[i] = (size_t)n;
	}
	return n;
}

static int sends_so_far(void)
{
	return __atomic_load_n(&sends, __ATOMIC_ACQUIRE);
}

/* The leaf, and behind it as many CA certificates as make more than len bytes of DER. */
static void make_chain(size_t len, struct credential *c, char *path)
{
	struct buf chain = { 0 }, ca = { 0 };
	struct fail f = { 0 };

	if (credential_get(credential_kind_by_name("rsa2048"), credential_dir, NULL, c, &f) != 0 ||
	    path_read(c->cert_file, 65536, &chain, &f) != 0 ||
	    path_read(c->ca_file, 65536, &ca, &f) != 0)
		fail_msg("%s", f.text);
	while (chain.len * 5 / 7 < len)
		buf_put(&chain, ca.data, ca.len);
	snprintf(path, PATH_BYTES, "%s/chain.pem", credential_dir);
	if (path_write(path, chain.data, chain.len, 0644, &f) != 0)
		fail_msg("%s", f.text);
	buf_release(&chain);
	buf_release(&ca);
}

/* How often the client waited for the server before its own side was done. */
static int rounds_of_handshake(struct client *c)
{
	for (int n = 0;; n++) {
		enum step step = c->domain.ops->handshake(&c->assoc);

		client_send(c);
		if (step == STEP_DONE)
			return n;
		if (step != STEP_IN || !client_receive(c))
			fail_msg("%s: %s", c->domain.ops->name, c->assoc.fail.text);
	}
}

static void check_flight(struct server_params *p, const char *ca_file)
{
	int expected = p->listener[0].suite.version == TLS13 ? 1 : 2, before, rounds;
	struct server *s = drive_start(p);
	struct client c;

	client_open_as(&c, p, ca_file, NULL);
	before = sends_so_far();
	assert_true(before + expected <= SENDS_MAX);
	rounds = rounds_of_handshake(&c);
	drive_await(s, handshakes_full, 1);
	assert_int_equal(rounds, expected);
	assert_int_equal(sends_so_far() - before, expected);
	assert_in_range(sent_bytes[before], CHAIN_BYTES, 2 * CHAIN_BYTES);
	client_close(&c);
	server_stop(s);
}

static void test_flight(struct server_params *p)
{
	struct credential credential;
	char chain[PATH_BYTES];

	make_chain(CHAIN_BYTES, &credential, chain);
	p->cert_file = chain;
	p->key_file = credential.key_file;
	check_flight(p, credential.ca_file);
	/* However small its records are. */
	p->record_bytes = 512;
	p->records_per_send = 1;
	p->listener[0].url.port = 0;
	check_flight(p, credential.ca_file);
}

static void a_flight_with_a_long_chain_leaves_in_one_send(void **state)
{
	(void)state;
	with_engines(SUITE13_RSA, test_flight);
	with_engines(SUITE12_RSA, test_flight);
}

/* --- hellos ------------------------------------------------------------------ */

/* What the client has to send, in records of so many bytes instead of its own. */
static void send_in_records(struct client *c, size_t record_bytes)
{
	size_t len;
	const uint8_t *hello = wire_peek(&c->assoc.out, &len);

	assert_true(len > 5 && hello[0] == 22 && len == 5u + (size_t)(hello[3] << 8 | hello[4]));
	for (size_t at = 5; at < len; at += record_bytes) {
		size_t part = len - at < record_bytes ? len - at : record_bytes;
		const uint8_t head[] = { 22, 3, 1, 0, (uint8_t)part };

		drive_send(c->fd, head, sizeof head);
		drive_send(c->fd, hello + at, part);
	}
	wire_drop(&c->assoc.out, len);
}

static enum step handshake_in_records(struct server *s, const struct server_params *p,
				      size_t record_bytes)
{
	struct client c;
	enum step step;

	client_open(&c, s, p);
	assert_int_equal(c.domain.ops->handshake(&c.assoc), STEP_IN);
	send_in_records(&c, record_bytes);
	step = client_handshake(&c);
	client_close(&c);
	return step;
}

static void test_records(struct server_params *p)
{
	bool is_wolfssl = strcmp(p->listener[0].engine->name, "wolfssl") == 0;
	struct server *s = drive_start(p);

	assert_int_equal(handshake_in_records(s, p, 100), STEP_DONE);
	assert_int_equal(handshake_in_records(s, p, 9), STEP_DONE);
	assert_int_equal(handshake_in_records(s, p, 4), STEP_DONE);
	/* wolfSSL wants a message's first four bytes in one record; it may say no, not hang. */
	if (handshake_in_records(s, p, 1) != STEP_DONE)
		assert_true(is_wolfssl);
	drive_await(s, open, 0);
	check_https(s, p, 0);
	server_stop(s);
}

static void a_hello_in_many_records_is_taken(void **state)
{
	(void)state;
	with_engines(SUITE13, test_records);
	with_engines(SUITE12, test_records);
}

/* Beyond a segment of 1460 bytes where the engine has ML-KEM, near it with 8192 bits. */
static void test_big_hello(struct server_params *p)
{
	struct server *s = drive_start(p);

	check_https(s, p, 0);
	check_https(s, p, 600);
	drive_await(s, handshakes_full, 2);
	server_stop(s);
}

static void big_hellos_are_taken(void **state)
{
	(void)state;
	with_engines("tls1.3:AES128-GCM-SHA256:x25519mlkem768:p256", test_big_hello);
	with_engines("tls1.3:AES128-GCM-SHA256:ffdhe8192:p256", test_big_hello);
}

/* A byte now and then does not move the end of the time that a handshake has. */
static void test_trickle(struct server_params *p)
{
	struct server *s;
	struct client c;
	const uint8_t *hello;
	size_t len, at = 0;
	int64_t begun_ns;

	p->handshake_timeout_ns = 100 * NS_PER_MS;
	s = drive_start(p);
	client_open(&c, s, p);
	assert_int_equal(c.domain.ops->handshake(&c.assoc), STEP_IN);
	hello = wire_peek(&c.assoc.out, &len);
	assert_true(len > 100);
	begun_ns = clock_ns();
	for (; at < len - 1; at++) {
		if (send(c.fd, hello + at, 1, MSG_NOSIGNAL) < 0)
			break;
		clock_sleep_until(begun_ns + (int64_t)(at + 1) * 10 * NS_PER_MS);
	}
	/* The whole of it would have taken a second. */
	assert_true(at < len - 1);
	drive_await(s, timed_out, 1);
	drive_await(s, handshakes_failed, 1);
	drive_await(s, closed_in_handshake, 0);
	drive_await(s, open, 0);
	client_close(&c);
	server_stop(s);
}

static void one_time_out_covers_a_hello_in_drops(void **state)
{
	(void)state;
	with_engines(SUITE13, test_trickle);
}

/* --- contexts ---------------------------------------------------------------- */

static const struct engine_ops *counted;
static int contexts; /* opened by other threads than the test's own */

static int count_domain(struct domain *d)
{
	if (!is_client)
		__atomic_add_fetch(&contexts, 1, __ATOMIC_RELAXED);
	return counted->domain_open(d);
}

static void check_contexts(const struct server_params *made, int threads)
{
	struct engine_ops ops = *counted;
	struct server_params p = *made, second;
	struct server *s;

	ops.domain_open = count_domain;
	p.threads = threads;
	p.listeners = 2;
	p.listener[0].engine = &ops;
	p.listener[1] = p.listener[0];
	__atomic_store_n(&contexts, 0, __ATOMIC_RELAXED);
	s = drive_start(&p);
	second = p;
	second.listener[0] = p.listener[1];
	for (int i = 0; i < 10; i++) {
		check_https(s, &p, 0);
		check_https(s, &second, 0);
	}
	drive_await(s, handshakes_full, 20);
	assert_int_equal(__atomic_load_n(&contexts, __ATOMIC_RELAXED), 2 * threads);
	drive_await(s, domains, 2 * threads);
	server_stop(s);
}

static void test_contexts(struct server_params *p)
{
	counted = p->listener[0].engine;
	check_contexts(p, 1);
	check_contexts(p, 3);
}

static void contexts_are_made_per_listener_and_thread(void **state)
{
	(void)state;
	with_engines(SUITE13, test_contexts);
	with_engines(SUITE12, test_contexts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_flight_with_a_long_chain_leaves_in_one_send),
		cmocka_unit_test(a_hello_in_many_records_is_taken),
		cmocka_unit_test(big_hellos_are_taken),
		cmocka_unit_test(one_time_out_covers_a_hello_in_drops),
		cmocka_unit_test(contexts_are_made_per_listener_and_thread),
	};

	is_client = true;
	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
