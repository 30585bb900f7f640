/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dgram_dtls_test - the first flights of a handshake, against a server that is written out here
 * byte by byte: cookies, lost datagrams, an alert; with each engine of the build.
 */
#include "clients/load_testing.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#define CERT_SUITE "dtls1.2:ECDHE-ECDSA-AES128-CCM8:p256:p256"
#define PSK_SUITE  "dtls1.2:ECDHE-PSK-AES128-CBC-SHA256:p256:psk"

/* RFC 6347 section 4.2 and 4.3: heads of a record and of a handshake message. */
#define RECORD_BYTES  13
#define MESSAGE_BYTES 12

struct hello_server {
	int fd;
	uint16_t port;
	size_t cookie_bytes;
	int lose;    /* so many ClientHellos of the first kind are not seen */
	bool babble; /* says something without meaning now and then, whoever is there */
	uint8_t cookie[255], back[255];
	size_t back_bytes; /* what came back with the second ClientHello */
	int hellos;
	bool answers;      /* goes on with a ServerHello, in pieces that overlap */
	bool renegotiates; /* says so: OpenSSL wants that, wolfSSL does not take it unasked */
	uint16_t sequence;
	int key_exchanges; /* ClientKeyExchange messages that came */
	struct sockaddr_in last;
	pthread_t thread;
};

static void send_to(struct hello_server *s, const uint8_t *src, size_t len,
		    const struct sockaddr_in *to)
{
	(void)!sendto(s->fd, src, len, 0, (const struct sockaddr *)to, sizeof(*to));
}

static void ask_for_cookie(struct hello_server *s, const struct sockaddr_in *to)
{
	size_t body = 3 + s->cookie_bytes, len = MESSAGE_BYTES + body;
	uint8_t m[512] = { 22, 0xfe, 0xff, [RECORD_BYTES] = 3 };
	m[11] = (uint8_t)(len >> 8);
	m[12] = (uint8_t)len;
	m[RECORD_BYTES + 2] = m[RECORD_BYTES + 10] = (uint8_t)(body >> 8);
	m[RECORD_BYTES + 3] = m[RECORD_BYTES + 11] = (uint8_t)body;
	m[RECORD_BYTES + MESSAGE_BYTES] = 0xfe;
	m[RECORD_BYTES + MESSAGE_BYTES + 1] = 0xff;
	m[RECORD_BYTES + MESSAGE_BYTES + 2] = (uint8_t)s->cookie_bytes;
	memcpy(m + RECORD_BYTES + MESSAGE_BYTES + 3, s->cookie, s->cookie_bytes);
	send_to(s, m, RECORD_BYTES + len, to);
}

/* handshake_failure, fatal. */
static void refuse(struct hello_server *s, const struct sockaddr_in *to)
{
	const uint8_t alert[] = { 21, 0xfe, 0xfd, 0, 0, 0, 0, 0, 0, 0, 1, 0, 2, 2, 40 };
	send_to(s, alert, sizeof(alert), to);
}

/* Bytes [from, to) of a handshake message as a record of its own. */
static void send_piece(struct hello_server *s, const struct sockaddr_in *to_whom, uint8_t type,
		       uint8_t number, const uint8_t *body, size_t whole, size_t from, size_t to)
{
	size_t piece = to - from, len = MESSAGE_BYTES + piece;
	uint8_t m[512] = { 22, 0xfe, 0xfd };
	uint8_t *h = m + RECORD_BYTES;
	m[10] = (uint8_t)s->sequence++;
	m[11] = (uint8_t)(len >> 8);
	m[12] = (uint8_t)len;
	h[0] = type;
	h[3] = (uint8_t)whole;
	h[5] = number;
	h[8] = (uint8_t)from;
	h[11] = (uint8_t)piece;
	memcpy(h + MESSAGE_BYTES, body + from, piece);
	send_to(s, m, RECORD_BYTES + len, to_whom);
}

/* The base point of P-256 (SEC 2, section 2.4.2): a public key like any other. */
static const uint8_t base_point[65] = { 0x04, 0x6b, 0x17, 0xd1, 0xf2, 0xe1, 0x2c, 0x42, 0x47, 0xf8,
					0xbc, 0xe6, 0xe5, 0x63, 0xa4, 0x40, 0xf2, 0x77, 0x03, 0x7d,
					0x81, 0x2d, 0xeb, 0x33, 0xa0, 0xf4, 0xa1, 0x39, 0x45, 0xd8,
					0x98, 0xc2, 0x96, 0x4f, 0xe3, 0x42, 0xe2, 0xfe, 0x1a, 0x7f,
					0x9b, 0x8e, 0xe7, 0xeb, 0x4a, 0x7c, 0x0f, 0x9e, 0x16, 0x2b,
					0xce, 0x33, 0x57, 0x6b, 0x31, 0x5e, 0xce, 0xcb, 0xb6, 0x40,
					0x68, 0x37, 0xbf, 0x51, 0xf5 };

/* ServerHello, ServerKeyExchange and ServerHelloDone, the first two as they were once resent. */
static void answer(struct hello_server *s, const struct sockaddr_in *to)
{
	/* With an empty renegotiation_info, or OpenSSL refuses it (RFC 5746). */
	uint8_t hello[45] = { 0xfe, 0xfd, [35] = 0xc0, [36] = 0x37, [39] = 5, 0xff, 1, 0, 1, 0 };
	uint8_t key[71] = { 0, 0, 3, 0, 23, sizeof(base_point) };
	size_t h = s->renegotiates ? sizeof(hello) : 38, k = sizeof(key);
	memset(hello + 2, 0x5a, 32);
	memcpy(key + 6, base_point, sizeof(base_point));
	s->sequence = 1;
	send_piece(s, to, 2, 1, hello, h, 0, 15);
	send_piece(s, to, 2, 1, hello, h, 0, 25);
	send_piece(s, to, 2, 1, hello, h, 15, h);
	send_piece(s, to, 2, 1, hello, h, 25, h);
	send_piece(s, to, 12, 2, key, k, 30, k);
	send_piece(s, to, 12, 2, key, k, 0, 60);
	send_piece(s, to, 12, 2, key, k, 20, 40);
	send_piece(s, to, 14, 3, key, 0, 0, 0);
}

static void hear_hello(struct hello_server *s, const uint8_t *m, size_t len,
		       const struct sockaddr_in *from)
{
	/* Behind version and random: the session id, then the cookie. */
	size_t at = RECORD_BYTES + MESSAGE_BYTES + 2 + 32;
	s->key_exchanges += len > RECORD_BYTES && m[0] == 22 && m[RECORD_BYTES] == 16;
	if (len <= at || m[0] != 22 || m[RECORD_BYTES] != 1)
		return;
	at += 1u + m[at];
	if (at >= len || at + 1u + m[at] > len)
		return;
	s->hellos++;
	if (m[at]) {
		s->back_bytes = m[at];
		memcpy(s->back, m + at + 1, m[at]);
		if (s->answers)
			answer(s, from);
		else
			refuse(s, from);
	} else if (s->lose) {
		s->lose--;
	} else {
		ask_for_cookie(s, from);
	}
}

static void *serve(void *data)
{
	struct hello_server *s = data;
	uint8_t in[4096];
	for (;;) {
		struct sockaddr_in from;
		socklen_t size = sizeof(from);
		ssize_t n;
		while (s->babble && s->hellos == 1) {
			const uint8_t junk[] = { 0 };
			send_to(s, junk, sizeof(junk), &s->last);
			usleep(2000);
			n = recvfrom(s->fd, in, sizeof(in), MSG_PEEK | MSG_DONTWAIT, NULL, NULL);
			if (n >= 0)
				break;
		}
		n = recvfrom(s->fd, in, sizeof(in), 0, (struct sockaddr *)&from, &size);
		if (n <= 0)
			return NULL;
		s->last = from;
		hear_hello(s, in, (size_t)n, &from);
	}
}

static void start(struct hello_server *s, size_t cookie_bytes)
{
	struct sockaddr_in here = { .sin_family = AF_INET,
				    .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t len = sizeof(here);
	memset(s, 0, sizeof(*s));
	s->cookie_bytes = cookie_bytes;
	for (size_t i = 0; i < sizeof(s->cookie); i++)
		s->cookie[i] = (uint8_t)(i * 7 + 1);
	s->fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(s->fd, (struct sockaddr *)&here, len), 0);
	assert_int_equal(getsockname(s->fd, (struct sockaddr *)&here, &len), 0);
	s->port = ntohs(here.sin_port);
	assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
}

static void stop(struct hello_server *s)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
				  .sin_port = htons(s->port) };
	send_to(s, (const uint8_t *)"", 0, &to);
	pthread_join(s->thread, NULL);
	close(s->fd);
}

static struct suite suite;
/* Of a flight: long, so that a slow machine is not taken for loss; lost ones need it short. */
#define TIMER_NS (2000 * MS)
static int64_t timer_ns = TIMER_NS;

static void take_suite(const char *text)
{
	struct fail f = { 0 };
	assert_int_equal(suite_parse(text, &suite, &f), 0);
}

/* One request of one client; it cannot succeed. */
static struct run ask(struct hello_server *s, const struct engine_ops *engine, struct psk *psk)
{
	struct run run;
	char text[64];
	prepare(&run, s->port);
	snprintf(text, sizeof(text), "coaps://127.0.0.1:%u/", s->port);
	assert_int_equal(url_parse(text, &run.p.url, &run.f), 0);
	run.p.engine = engine;
	run.p.suite = &suite;
	if (psk) {
		run.p.psk = (struct psk_table){ .row = psk, .rows = 1 };
		run.p.psk_one = psk;
	}
	run.p.datagrams.dtls_timeout_ns = timer_ns;
	run.p.clients = 1;
	run.p.count = 1;
	run.p.timeout_ns = psk ? 500 * MS : 5000 * MS;
	go(&run);
	stop(s);
	assert_int_equal(run.status, 0);
	return run;
}

/* Whether the engine has DTLS at all. */
static bool offers(const struct engine_ops *engine)
{
	take_suite(CERT_SUITE);
	return !engine->refuses(&suite);
}

/* D06: up to 255 bytes of cookie come back as they were; wolfSSL takes 32, and
 * it is said when there are more. */
static void cookies_come_back(void **state)
{
	(void)state;
	static const size_t sizes[] = { 1, 16, 32, 33, 255 };
	for (int e = 1; engines[e]; e++) {
		bool short_ones = !strcmp(engines[e]->name, "wolfssl");
		for (size_t i = 0; offers(engines[e]) && i < 5; i++) {
			struct hello_server s;
			struct run run;
			start(&s, sizes[i]);
			run = ask(&s, engines[e], NULL);
			assert_int_equal(run.r.window.failed + run.r.window.timed_out, 1);
			assert_non_null(strstr(run.r.first_failure, "handshak"));
			if (short_ones && sizes[i] > 32) {
				assert_non_null(strstr(run.r.first_failure, "cookie has"));
				assert_int_equal(run.r.window.handshakes_failed, 1);
				load_result_release(&run.r);
				continue;
			}
			assert_int_equal(s.hellos, 2);
			assert_int_equal(s.back_bytes, sizes[i]);
			assert_memory_equal(s.back, s.cookie, sizes[i]);
			assert_int_equal(run.r.window.handshakes_failed, 1);
			assert_int_equal(run.r.window.dtls_retransmissions, 0);
			load_result_release(&run.r);
		}
	}
}

/* D03: a lost first flight is sent again when the engine's timer says so. */
static void lost_hellos_are_sent_again(void **state)
{
	(void)state;
	for (int e = 1; engines[e]; e++) {
		struct hello_server s;
		struct run run;
		if (!offers(engines[e]))
			continue;
		start(&s, 16);
		s.lose = 1;
		timer_ns = 400 * MS;
		run = ask(&s, engines[e], NULL);
		timer_ns = TIMER_NS;
		assert_int_equal(s.hellos, 3);
		assert_int_equal(s.back_bytes, 16);
		assert_int_equal(run.r.window.dtls_retransmissions, 1);
		assert_int_equal(run.r.window.handshakes_failed, 1);
		load_result_release(&run.r);
	}
}

/*
 * OpenSSL looks at its clock when something comes too, and sends again by itself. wolfSSL knows no
 * clock, and takes no junk.
 */
static void each_repetition_is_counted(void **state)
{
	(void)state;
	for (int e = 1; engines[e]; e++) {
		struct hello_server s;
		struct run run;
		if (!strcmp(engines[e]->name, "wolfssl") || !offers(engines[e]))
			continue;
		start(&s, 16);
		s.lose = 1;
		s.babble = true;
		timer_ns = 400 * MS;
		run = ask(&s, engines[e], NULL);
		timer_ns = TIMER_NS;
		assert_int_equal(s.hellos, 3);
		assert_int_equal(run.r.window.dtls_retransmissions, 1);
		load_result_release(&run.r);
	}
}

/* An engine that has given up says so once: the handshake has failed, long before --timeout. */
static void a_handshake_that_is_given_up_fails(void **state)
{
	(void)state;
	for (int e = 1; engines[e]; e++) {
		struct hello_server s;
		struct run run;
		if (!offers(engines[e]))
			continue;
		start(&s, 16);
		s.lose = 1000;
		timer_ns = MS / 10;
		run = ask(&s, engines[e], NULL);
		timer_ns = TIMER_NS;
		assert_int_equal(run.r.window.timed_out, 0);
		assert_int_equal(run.r.window.failed, 1);
		assert_int_equal(run.r.window.handshakes_failed, 1);
		assert_int_equal(run.r.window.dtls_retransmissions, s.hellos - 1);
		assert_non_null(strstr(run.r.first_failure, "handshake: "));
		load_result_release(&run.r);
	}
}

/* D04: pieces of a message that overlap are one message: the client goes on with its own. */
static void overlapping_pieces_are_taken(void **state)
{
	(void)state;
	static struct psk psk = { .identity = "device",
				  .key = "sixteen-byte-key",
				  .key_bytes = 16 };
	for (int e = 1; engines[e]; e++) {
		struct hello_server s;
		struct run run;
		take_suite(PSK_SUITE);
		if (engines[e]->refuses(&suite))
			continue;
		start(&s, 16);
		s.answers = true;
		s.renegotiates = strcmp(engines[e]->name, "wolfssl") != 0;
		run = ask(&s, engines[e], &psk);
		assert_int_equal(s.hellos, 2);
		if (!s.key_exchanges)
			fail_msg("%s: %s", engines[e]->name, run.r.first_failure);
		assert_int_equal(run.r.window.timed_out, 1);
		load_result_release(&run.r);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cookies_come_back),
		cmocka_unit_test(lost_hellos_are_sent_again),
		cmocka_unit_test(each_repetition_is_counted),
		cmocka_unit_test(a_handshake_that_is_given_up_fails),
		cmocka_unit_test(overlapping_pieces_are_taken),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
