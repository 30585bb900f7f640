/* SPDX-License-Identifier: Apache-2.0 */
/*
 * observer_test - the messages that an engine's observer hears of are those that pass on the wire,
 * as the capture's dissector sees them, wherever both can see.
 */
#include <stdlib.h>

#include "capture/timeline.h"
#include "ciphers/engine_test.h"

#define DTLS12_TEXT  "dtls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:p256:p256"
#define SEEN_MAX     32
#define SEGMENT      1400
#define PACKET_BYTES 4096

/* One side's account: "client_hello" by who sent it. */
struct seen {
	char name[SEEN_MAX][64];
	bool from_client[SEEN_MAX];
	int count;
};

struct side {
	bool is_client;
	bool sealed[2]; /* its own, the peer's: behind a change of cipher */
	struct seen *seen;
	int heard;
};

struct path {
	struct timeline *timeline;
	int64_t now_ns;
	uint32_t seq[2];
	bool datagram;
};

static void add(struct seen *s, const char *name, bool from_client)
{
	assert_in_range(s->count, 0, SEEN_MAX - 1);
	snprintf(s->name[s->count], sizeof(s->name[0]), "%s", name);
	s->from_client[s->count++] = from_client;
}

/* --- the wire ------------------------------------------------------------- */

static void put16(uint8_t *dst, size_t value)
{
	dst[0] = (uint8_t)(value >> 8);
	dst[1] = (uint8_t)value;
}

/* An IPv4 packet of documentation addresses round len bytes. */
static void wrap(struct path *w, int from, const uint8_t *data, size_t len)
{
	uint8_t bytes[PACKET_BYTES] = { 0x45 };
	size_t head = w->datagram ? 8 : 20;
	struct capture_packet p = { .link_type = 101, .data = bytes };
	uint8_t *transport = bytes + 20;

	assert_in_range(len, 1, sizeof(bytes) - 40);
	put16(bytes + 2, 20 + head + len);
	bytes[8] = 64;
	bytes[9] = w->datagram ? 17 : 6;
	memcpy(bytes + 12, from ? "\xc0\0\2\2\xc0\0\2\1" : "\xc0\0\2\1\xc0\0\2\2", 8);
	put16(transport, from ? 443 : 50000);
	put16(transport + 2, from ? 50000 : 443);
	if (w->datagram) {
		put16(transport + 4, 8 + len);
	} else {
		put16(transport + 4, w->seq[from] >> 16);
		put16(transport + 6, w->seq[from] & 0xffff);
		transport[12] = 5 << 4;
		w->seq[from] += (uint32_t)len;
	}
	memcpy(transport + head, data, len);
	p.time_ns = w->now_ns += 1000;
	p.captured_bytes = p.wire_bytes = (uint32_t)(20 + head + len);
	timeline_packet(w->timeline, &p);
}

static void carry(struct path *w, struct probe_end *from, struct probe_end *to)
{
	uint8_t bytes[SEGMENT];

	while (!wire_empty(&from->assoc.out)) {
		size_t n = wire_get(&from->assoc.out, bytes, sizeof(bytes));

		wrap(w, from->domain.params.role == SERVER, bytes, n);
		assert_int_equal(wire_put(&to->assoc.in, bytes, n), n);
	}
}

static void on_connection(void *data, const struct connection *c)
{
	for (int i = 0; i < c->message_count; i++) {
		const struct message *m = &c->message[i];
		char name[64];

		message_name(m, name, sizeof(name));
		if (strcmp(name, "encrypted_handshake") && strcmp(name, "protected_record") &&
		    m->kind == MESSAGE_PLAIN)
			add(data, name, m->from == connection_client(c));
	}
}

/* --- the engine ----------------------------------------------------------- */

/* What is sealed cannot be seen from outside; under TLS 1.3 that is all behind the hellos. */
static void on_message(void *data, const struct assoc *a, const struct tls_message *m)
{
	struct side *s = data;
	enum tls_version version = a->domain->params.suite->version;
	bool *sealed = &s->sealed[!m->sent];

	s->heard++;
	assert_true(m->bytes > 0);
	if (m->type == TLS_MESSAGE_CHANGE_CIPHER_SPEC) {
		*sealed = true;
	} else if (*sealed || !strcmp(tls_message_name(m->type), "finished") ||
		   m->type == TLS_MESSAGE_ALERT ||
		   (version == TLS13 && strcmp(tls_message_name(m->type), "client_hello") &&
		    strcmp(tls_message_name(m->type), "server_hello"))) {
		return;
	}
	add(s->seen, tls_message_name(m->type), s->is_client == m->sent);
}

static struct tls_observer watch_client, watch_server;

static void observe(struct tls_params *client, struct tls_params *server)
{
	client->observer = &watch_client;
	server->observer = &watch_server;
}

static void listen_first(struct path *w, struct probe *p)
{
	for (int i = 0; i < TURNS; i++) {
		p->client.domain.ops->handshake(&p->client.assoc);
		carry(w, &p->client, &p->server);
		if (p->server.domain.ops->listen(&p->server.assoc, "x", 1) == STEP_DONE)
			return;
		carry(w, &p->server, &p->client);
	}
	fail_msg("no hello with a cookie came");
}

static void shake_hands(struct path *w, struct probe *p)
{
	enum step client = STEP_IN, server = STEP_IN;

	if (w->datagram)
		listen_first(w, p);
	for (int i = 0; i < TURNS && (client != STEP_DONE || server != STEP_DONE); i++) {
		if (client != STEP_DONE)
			client = p->client.domain.ops->handshake(&p->client.assoc);
		carry(w, &p->client, &p->server);
		if (server != STEP_DONE)
			server = p->server.domain.ops->handshake(&p->server.assoc);
		carry(w, &p->server, &p->client);
		assert_int_not_equal(client, STEP_FAILED);
		assert_int_not_equal(server, STEP_FAILED);
	}
	assert_int_equal(client, STEP_DONE);
	assert_int_equal(server, STEP_DONE);
}

static void run(const struct engine_ops *c, const struct engine_ops *s, const char *text,
		struct seen seen[3], int heard[2])
{
	struct side client = { .is_client = true, .seen = &seen[0] }, server = { .seen = &seen[1] };
	struct suite suite = test_suite(text);
	struct path w = { .timeline = calloc(1, sizeof(*w.timeline)),
			  .datagram = tls_version_is_datagram(suite.version),
			  .seq = { 1, 1 } };
	struct probe p;

	assert_non_null(w.timeline);
	watch_client = (struct tls_observer){ .on_message = on_message, .data = &client };
	watch_server = (struct tls_observer){ .on_message = on_message, .data = &server };
	timeline_init(w.timeline, on_connection, &seen[2]);
	open_with(&p, c, s, &suite, observe);
	shake_hands(&w, &p);
	timeline_end(w.timeline);
	probe_close(&p);
	free(w.timeline);
	heard[0] = client.heard;
	heard[1] = server.heard;
}

/* --- held against each other ----------------------------------------------- */

static void print_seen(const char *who, const struct seen *s)
{
	print_message("%s:", who);
	for (int i = 0; i < s->count; i++)
		print_message(" %c:%s", s->from_client[i] ? 'C' : 'S', s->name[i]);
	print_message("\n");
}

/* The next of that direction from *at on; changes of cipher are not always told of. */
static const char *next(const struct seen *s, int *at, bool from_client, bool ccs)
{
	for (; *at < s->count; ++*at)
		if (s->from_client[*at] == from_client &&
		    (ccs || strcmp(s->name[*at], "change_cipher_spec")))
			return s->name[(*at)++];
	return "nothing more";
}

static void expect_same(const struct seen *engine, const struct seen *wire, bool is_client,
			bool hides)
{
	for (int client = 0; client < 2; client++) {
		bool own = is_client == client && !hides;
		int i = 0, j = 0;

		do
			assert_string_equal(next(engine, &i, client, own),
					    next(wire, &j, client, own));
		while (i < engine->count || j < wire->count);
	}
}

/* An engine that is told of all it receives, and not only of what it sends. */
static bool hears_both(const struct engine_ops *ops, const char *suite)
{
	return !ops->unobserved || !strncmp(suite, "tls1.2", 6);
}

static void check_pair(const struct engine_ops *c, const struct engine_ops *s, const char *suite)
{
	struct seen seen[3] = { 0 };
	int heard[2];

	print_message("%s -> %s, %s\n", c->name, s->name, suite);
	run(c, s, suite, seen, heard);
	for (int i = 0; i < 3; i++)
		print_seen(i == 2 ? "wire" : i ? "server" : "client", &seen[i]);
	assert_true(seen[2].count >= 2);
	if (hears_both(c, suite))
		expect_same(&seen[0], &seen[2], true, c->unobserved != NULL);
	/* A listener hears of the hello with a cookie twice. */
	if (hears_both(s, suite) && strncmp(suite, "dtls", 4))
		expect_same(&seen[1], &seen[2], false, s->unobserved != NULL);
	/* Where the library hides nothing, it also tells of both Finished. */
	for (int i = 0; i < 2; i++)
		if (!(i ? s : c)->unobserved)
			assert_true(heard[i] >= (i ? seen[1] : seen[0]).count + 2);
}

static void test_messages_are_those_on_the_wire(void **state)
{
	(void)state;
	for_each_pair(check_pair);
}

static void test_datagrams(void **state)
{
	const struct engine_ops *ops = engine_by_name("openssl");

	(void)state;
	if (!ops)
		skip();
	check_pair(ops, ops, DTLS12_TEXT);
}

static int count_from(const struct seen *s, bool from_client)
{
	int n = 0;

	for (int i = 0; i < s->count; i++)
		n += s->from_client[i] == from_client;
	return n;
}

/* wolfSSL under TLS 1.3 tells of the hello it sends, and over datagrams of what it sends. */
static void test_what_is_hidden_is_not_made_up(void **state)
{
	const struct engine_ops *ops = engine_by_name("wolfssl");
	struct seen seen[3] = { 0 };
	int heard[2];

	(void)state;
	if (!ops)
		skip();
	run(ops, ops, EC13, seen, heard);
	assert_int_equal(seen[0].count, 1);
	assert_string_equal(seen[0].name[0], "client_hello");
	assert_int_equal(seen[1].count, 1);
	assert_string_equal(seen[1].name[0], "server_hello");
	memset(seen, 0, sizeof(seen));
	run(ops, ops, DTLS12_TEXT, seen, heard);
	for (int i = 0, j = 0, n = count_from(&seen[2], true); n; n--)
		assert_string_equal(next(&seen[0], &i, true, true), next(&seen[2], &j, true, true));
	assert_true(heard[0] > count_from(&seen[2], true)); /* its Finished */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_messages_are_those_on_the_wire),
		cmocka_unit_test(test_datagrams),
		cmocka_unit_test(test_what_is_hidden_is_not_made_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
