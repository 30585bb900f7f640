/* SPDX-License-Identifier: Apache-2.0 */
/*
 * decrypt_test - associations of OpenSSL in memory, laid out as packets beside the log that OpenSSL
 * wrote of their secrets: with the log every message is read by its name, without it none that
 * is sealed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <openssl/ssl.h>
#include <openssl/x509.h>

#include "capture/timeline.h"
#include "lib/rng.h"

#define NAMES_MAX     64
#define LINKTYPE_IPV4 228
#define MTU           1200
#define QUEUE_MAX     64

/* What one side has sent and the other has not read. */
struct queue {
	size_t len[QUEUE_MAX], first, count;
	uint8_t data[QUEUE_MAX][MTU + 64];
};

struct talk {
	SSL *ssl[2]; /* client, server */
	struct queue to[2];
	uint32_t seq[2];
	bool datagram;
	struct buf log, packets;
};

/* What a timeline says of it. */
struct seen {
	char text[2048]; /* names with blanks between */
	bool complete, decrypted;
};

static BIO_METHOD *method;
static EVP_PKEY *key;
static X509 *certificate;
static struct talk *logging;

static void put16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

/* An IPv4 packet with TCP or UDP from 10.0.0.1:4000 to 10.0.0.2:443, or back. */
static void lay_packet(struct talk *t, int from, const uint8_t *data, size_t len)
{
	uint8_t p[MTU + 128] = { 0x45 };
	size_t head = 20 + (t->datagram ? 8u : 20u), all = head + len;

	assert_true(all <= sizeof(p));
	put16(p + 2, (uint32_t)all);
	p[8] = 64;
	p[9] = t->datagram ? 17 : 6;
	p[12] = p[16] = 10;
	p[15] = from ? 2 : 1;
	p[19] = from ? 1 : 2;
	put16(p + 20, from ? 443 : 4000);
	put16(p + 22, from ? 4000 : 443);
	if (t->datagram) {
		put16(p + 24, (uint32_t)(8 + len));
	} else {
		put16(p + 24, t->seq[from] >> 16);
		put16(p + 26, t->seq[from]);
		p[32] = 0x50; /* five words of header */
		p[33] = 0x18; /* PSH, ACK */
		t->seq[from] += (uint32_t)len;
	}
	memcpy(p + head, data, len);
	buf_put(&t->packets, &all, sizeof(all));
	buf_put(&t->packets, p, all);
}

struct end {
	struct talk *talk;
	int side;
};

static int end_write(BIO *bio, const char *data, int len)
{
	struct end *e = BIO_get_data(bio);
	int part = len > MTU ? MTU : len;
	struct queue *q = &e->talk->to[!e->side];
	size_t at = (q->first + q->count) % QUEUE_MAX;

	BIO_clear_retry_flags(bio);
	assert_true(q->count < QUEUE_MAX);
	memcpy(q->data[at], data, (size_t)part);
	q->len[at] = (size_t)part;
	q->count++;
	lay_packet(e->talk, e->side, (const uint8_t *)data, (size_t)part);
	return part;
}

static int end_read(BIO *bio, char *data, int len)
{
	struct end *e = BIO_get_data(bio);
	struct queue *q = &e->talk->to[e->side];
	uint8_t *from = q->data[q->first];
	size_t part;

	BIO_clear_retry_flags(bio);
	if (q->count == 0) {
		BIO_set_retry_read(bio);
		return -1;
	}
	part = q->len[q->first] < (size_t)len ? q->len[q->first] : (size_t)len;
	memcpy(data, from, part);
	q->len[q->first] -= part;
	memmove(from, from + part, q->len[q->first]);
	if (e->talk->datagram || q->len[q->first] == 0) {
		q->first = (q->first + 1) % QUEUE_MAX;
		q->count--;
	}
	return (int)part;
}

static long end_ctrl(BIO *bio, int command, long number, void *pointer)
{
	(void)bio;
	(void)number;
	(void)pointer;
	if (command == BIO_CTRL_DGRAM_QUERY_MTU || command == BIO_CTRL_DGRAM_GET_MTU)
		return MTU;
	return command == BIO_CTRL_FLUSH;
}

static int end_free(BIO *bio)
{
	free(BIO_get_data(bio));
	return 1;
}

static BIO *new_end(struct talk *t, int side)
{
	BIO *bio = BIO_new(method);
	struct end *e = calloc(1, sizeof(*e));

	assert_true(bio && e);
	*e = (struct end){ t, side };
	BIO_set_data(bio, e);
	BIO_set_init(bio, 1);
	return bio;
}

static int enter(void **state)
{
	(void)state;
	method = BIO_meth_new(BIO_TYPE_SOURCE_SINK | 77, "end of a talk");
	BIO_meth_set_write(method, end_write);
	BIO_meth_set_read(method, end_read);
	BIO_meth_set_ctrl(method, end_ctrl);
	BIO_meth_set_destroy(method, end_free);
	key = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
	certificate = X509_new();
	assert_true(method && key && certificate);
	ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
	X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
	X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
	X509_set_pubkey(certificate, key);
	return X509_sign(certificate, key, EVP_sha256()) > 0 ? 0 : -1;
}

static int leave(void **state)
{
	(void)state;
	X509_free(certificate);
	EVP_PKEY_free(key);
	BIO_meth_free(method);
	return 0;
}

static void log_line(const SSL *ssl, const char *line)
{
	(void)ssl;
	buf_printf(&logging->log, "%s\n", line);
}

static void open_side(struct talk *t, int side, int version, const char *cipher)
{
	SSL_CTX *ctx = SSL_CTX_new(t->datagram ? DTLS_method() : TLS_method());
	BIO *end = new_end(t, side);

	assert_non_null(ctx);
	SSL_CTX_set_min_proto_version(ctx, version);
	SSL_CTX_set_max_proto_version(ctx, version);
	SSL_CTX_set_security_level(ctx, 0);
	assert_int_equal(version == TLS1_3_VERSION ? SSL_CTX_set_ciphersuites(ctx, cipher)
						   : SSL_CTX_set_cipher_list(ctx, cipher),
			 1);
	if (side == 0)
		SSL_CTX_set_keylog_callback(ctx, log_line);
	SSL_CTX_use_certificate(ctx, certificate);
	SSL_CTX_use_PrivateKey(ctx, key);
	t->ssl[side] = SSL_new(ctx);
	SSL_CTX_free(ctx);
	assert_non_null(t->ssl[side]);
	SSL_set_options(t->ssl[side], SSL_OP_NO_QUERY_MTU);
	if (t->datagram)
		SSL_set_mtu(t->ssl[side], MTU);
	SSL_set_bio(t->ssl[side], end, end);
	if (side)
		SSL_set_accept_state(t->ssl[1]);
	else
		SSL_set_connect_state(t->ssl[0]);
}

static void settle(struct talk *t)
{
	char data[4096];

	for (int i = 0; i < 20; i++)
		for (int side = 0; side < 2; side++)
			while (SSL_read(t->ssl[side], data, sizeof(data)) > 0)
				;
}

static void say(struct talk *t, int side, const char *text)
{
	assert_int_equal(SSL_write(t->ssl[side], text, (int)strlen(text)), (int)strlen(text));
	settle(t);
}

static struct talk *start_talk(bool datagram, int version, const char *cipher)
{
	struct talk *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	t->datagram = datagram;
	t->seq[0] = t->seq[1] = 1000;
	logging = t;
	for (int side = 0; side < 2; side++)
		open_side(t, side, version, cipher);
	settle(t);
	assert_true(SSL_is_init_finished(t->ssl[0]) && SSL_is_init_finished(t->ssl[1]));
	return t;
}

static void end_talk(struct talk *t)
{
	SSL_free(t->ssl[0]);
	SSL_free(t->ssl[1]);
	buf_release(&t->log);
	buf_release(&t->packets);
	free(t);
}

static void closed(void *data, const struct connection *c)
{
	struct seen *s = data;
	size_t used = 0;

	s->complete = connection_complete(c);
	s->decrypted = c->was_decrypted;
	for (int i = 0; i < c->message_count && used < sizeof(s->text) - 64; i++) {
		char name[64];

		message_long_name(c, &c->message[i], name, sizeof(name));
		used += (size_t)snprintf(s->text + used, sizeof(s->text) - used, "%s%s",
					 i ? " " : "", name);
	}
}

/* The packets of a talk, read with a key log (NULL: with none). */
static struct seen look(const struct talk *t, const char *log, size_t log_len)
{
	struct timeline *timeline = malloc(sizeof(*timeline));
	struct keylog keys = { 0 };
	struct seen s = { 0 };
	struct fail f = { 0 };
	int64_t now_ns = 0;

	assert_non_null(timeline);
	if (log && keylog_add(&keys, "log", log, log_len, &f) < 0)
		fail_msg("%s", f.text);
	timeline_init(timeline, closed, &s);
	timeline_keys(timeline, &keys);
	for (size_t at = 0; at < t->packets.len;) {
		struct capture_packet p = { .time_ns = now_ns++, .link_type = LINKTYPE_IPV4 };
		size_t len;

		memcpy(&len, t->packets.data + at, sizeof(len));
		p.data = (const uint8_t *)t->packets.data + at + sizeof(len);
		p.captured_bytes = p.wire_bytes = (uint32_t)len;
		timeline_packet(timeline, &p);
		at += sizeof(len) + len;
	}
	timeline_end(timeline);
	free(timeline);
	keylog_release(&keys);
	return s;
}

static struct seen look_with_log(const struct talk *t)
{
	return look(t, t->log.data, t->log.len);
}

#define TLS13_HANDSHAKE                                                                    \
	"client_hello server_hello server_change_cipher_spec encrypted_extensions "        \
	"server_certificate certificate_verify server_finished client_change_cipher_spec " \
	"client_finished new_session_ticket new_session_ticket"

static void tls_13(void **state)
{
	static const char *const names[] = { "TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384",
					     "TLS_CHACHA20_POLY1305_SHA256",
					     "TLS_AES_128_CCM_SHA256", "TLS_AES_128_CCM_8_SHA256" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct talk *t = start_talk(false, TLS1_3_VERSION, names[i]);
		struct seen s;

		say(t, 0, "question");
		say(t, 1, "answer");
		SSL_key_update(t->ssl[0], SSL_KEY_UPDATE_REQUESTED);
		say(t, 0, "another");
		say(t, 1, "answer");
		SSL_shutdown(t->ssl[0]);
		s = look_with_log(t);
		assert_string_equal(
			s.text, TLS13_HANDSHAKE
			" client_application_data server_application_data client_key_update "
			"server_key_update client_alert:1/0");
		assert_true(s.complete && s.decrypted);
		s = look(t, NULL, 0);
		assert_non_null(strstr(s.text, "server_protected_record"));
		assert_null(strstr(s.text, "certificate"));
		assert_true(s.complete && !s.decrypted);
		end_talk(t);
	}
}

#define TLS12_HANDSHAKE                                                                       \
	"client_hello server_hello server_certificate server_key_exchange server_hello_done " \
	"client_key_exchange client_change_cipher_spec client_finished "

static void tls_12(void **state)
{
	static const char *const names[] = {
		"ECDHE-ECDSA-AES128-GCM-SHA256",  "ECDHE-ECDSA-AES256-GCM-SHA384",
		"ECDHE-ECDSA-CHACHA20-POLY1305",  "ECDHE-ECDSA-AES128-CCM",
		"ECDHE-ECDSA-AES256-CCM8",        "ECDHE-ECDSA-AES128-SHA",
		"ECDHE-ECDSA-AES128-SHA256",      "ECDHE-ECDSA-AES256-SHA384",
		"ECDHE-ECDSA-ARIA128-GCM-SHA256",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct talk *t = start_talk(false, TLS1_2_VERSION, names[i]);
		struct seen s;

		say(t, 0, "question");
		say(t, 1, "answer");
		SSL_shutdown(t->ssl[0]);
		s = look_with_log(t);
		if (strcmp(s.text, TLS12_HANDSHAKE
			   "new_session_ticket server_change_cipher_spec server_finished "
			   "client_application_data server_application_data client_alert:1/0") != 0)
			fail_msg("%s: %s", names[i], s.text);
		assert_true(s.complete && s.decrypted);
		s = look(t, NULL, 0);
		assert_non_null(strstr(s.text, "client_encrypted_handshake"));
		end_talk(t);
	}
}

static void mac_before_and_behind_encryption(void **state)
{
	(void)state;
	for (int behind = 0; behind < 2; behind++) {
		struct talk *t = calloc(1, sizeof(*t));
		struct seen s;

		assert_non_null(t);
		logging = t;
		for (int side = 0; side < 2; side++) {
			open_side(t, side, TLS1_2_VERSION, "ECDHE-ECDSA-AES128-SHA256");
			if (!behind)
				SSL_set_options(t->ssl[side], SSL_OP_NO_ENCRYPT_THEN_MAC);
		}
		settle(t);
		say(t, 0, "question");
		s = look_with_log(t);
		assert_non_null(strstr(s.text, "client_finished"));
		assert_non_null(strstr(s.text, "server_finished client_application_data"));
		end_talk(t);
	}
}

static void dtls_12(void **state)
{
	static const char *const names[] = { "ECDHE-ECDSA-AES128-GCM-SHA256",
					     "ECDHE-ECDSA-AES128-CCM8",
					     "ECDHE-ECDSA-AES128-SHA256" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct talk *t = start_talk(true, DTLS1_2_VERSION, names[i]);
		struct seen s;

		say(t, 0, "question");
		say(t, 1, "answer");
		SSL_shutdown(t->ssl[0]);
		s = look_with_log(t);
		if (strcmp(s.text, TLS12_HANDSHAKE
			   "new_session_ticket server_change_cipher_spec server_finished "
			   "client_application_data server_application_data client_alert:1/0") != 0)
			fail_msg("%s: %s", names[i], s.text);
		assert_true(s.complete && s.decrypted);
		end_talk(t);
	}
}

/* Secrets of somebody else, half of them, or none of this cipher: sealed as without a log. */
static void secrets_that_do_not_fit(void **state)
{
	struct talk *a = start_talk(false, TLS1_3_VERSION, "TLS_AES_128_GCM_SHA256");
	struct talk *b = start_talk(false, TLS1_3_VERSION, "TLS_AES_128_GCM_SHA256");
	struct buf half = { 0 };
	struct seen s, none = look(a, NULL, 0);
	char *line;

	(void)state;
	s = look(a, b->log.data, b->log.len);
	assert_string_equal(s.text, none.text);
	assert_false(s.decrypted);
	/* The right random and the wrong secret. */
	buf_put(&half, a->log.data, a->log.len);
	for (char *at = half.data; (line = memchr(at, '\n', (size_t)(half.data + half.len - at)));
	     at = line + 1)
		line[-1] = line[-1] == '0' ? '1' : '0';
	s = look(a, half.data, half.len);
	assert_string_equal(s.text, none.text);
	/* The handshake's alone: what follows it stays closed. */
	buf_clear(&half);
	for (line = a->log.data; line < a->log.data + a->log.len;) {
		char *end = memchr(line, '\n', (size_t)(a->log.data + a->log.len - line));

		if (!memmem(line, (size_t)(end - line), "TRAFFIC_SECRET_0", 16))
			buf_put(&half, line, (size_t)(end + 1 - line));
		line = end + 1;
	}
	s = look(a, half.data, half.len);
	assert_non_null(strstr(s.text, "client_finished"));
	assert_null(strstr(s.text, "new_session_ticket"));
	assert_true(s.complete && s.decrypted);
	buf_release(&half);
	end_talk(a);
	end_talk(b);
}

static void put32(struct buf *b, uint32_t v)
{
	buf_put(b, &v, sizeof(v));
}

/* A block of pcapng in this machine's byte order, padded. */
static void put_block(struct buf *b, uint32_t type, const void *body, size_t len)
{
	uint32_t all = (uint32_t)(12 + (len + 3) / 4 * 4);

	put32(b, type);
	put32(b, all);
	buf_put(b, body, len);
	buf_put(b, "\0\0\0", (4 - len % 4) % 4);
	put32(b, all);
}

static void put_packets(struct buf *b, const struct talk *t)
{
	for (size_t at = 0; at < t->packets.len;) {
		uint32_t head[5] = { 0, 0, (uint32_t)at, 0, 0 };
		struct buf body = { 0 };
		size_t len;

		memcpy(&len, t->packets.data + at, sizeof(len));
		head[3] = head[4] = (uint32_t)len;
		buf_put(&body, head, sizeof(head));
		buf_put(&body, t->packets.data + at + sizeof(len), len);
		put_block(b, 6, body.data, body.len);
		buf_release(&body);
		at += sizeof(len) + len;
	}
}

/* The log stands in the capture itself, in front of the packets. */
static void secrets_inside_the_capture(void **state)
{
	struct talk *t = start_talk(false, TLS1_3_VERSION, "TLS_AES_128_GCM_SHA256");
	const uint32_t section[] = { 0x1a2b3c4d, 1, UINT32_MAX, UINT32_MAX };
	const uint32_t interface[] = { LINKTYPE_IPV4, 0 };
	struct timeline *timeline = malloc(sizeof(*timeline));
	struct buf file = { 0 }, secrets = { 0 };
	struct capture_file capture;
	struct keylog keys = { 0 };
	struct seen s = { 0 };
	FILE *in;

	(void)state;
	assert_non_null(timeline);
	put_block(&file, 0x0a0d0d0a, section, sizeof(section));
	put_block(&file, 1, interface, sizeof(interface));
	put32(&secrets, 0x544c534b);
	put32(&secrets, (uint32_t)t->log.len);
	buf_put(&secrets, t->log.data, t->log.len);
	put_block(&file, 10, secrets.data, secrets.len);
	put_packets(&file, t);
	in = fmemopen(file.data, file.len, "rb");
	assert_int_equal(capture_file_init(&capture, in), 0);
	timeline_init(timeline, closed, &s);
	timeline_keys(timeline, &keys);
	assert_int_equal(timeline_read(timeline, &capture), 0);
	assert_string_equal(s.text, TLS13_HANDSHAKE);
	assert_true(s.complete && s.decrypted);
	capture_file_release(&capture);
	fclose(in);
	keylog_release(&keys);
	free(timeline);
	buf_release(&file);
	buf_release(&secrets);
	end_talk(t);
}

#define MUTANTS 500

/* Changed packets with the right keys: nothing breaks, whatever is read. */
static void damaged_packets(void **state)
{
	struct rng g;

	(void)state;
	rng_seed(&g, 4);
	for (int kind = 0; kind < 3; kind++) {
		struct talk *t = start_talk(kind == 2,
					    kind == 0   ? TLS1_3_VERSION
					    : kind == 1 ? TLS1_2_VERSION
							: DTLS1_2_VERSION,
					    kind == 0 ? "TLS_AES_128_GCM_SHA256"
						      : "ECDHE-ECDSA-AES128-SHA256");
		struct buf whole = { 0 };

		say(t, 0, "question");
		buf_put(&whole, t->packets.data, t->packets.len);
		for (int i = 0; i < MUTANTS; i++) {
			memcpy(t->packets.data, whole.data, whole.len);
			for (size_t at = 0; at < whole.len;) {
				size_t len;

				memcpy(&len, whole.data + at, sizeof(len));
				at += sizeof(len);
				if (rng_below(&g, 3) == 0)
					t->packets.data[at + rng_below(&g, len)] ^=
						(char)(1 << rng_below(&g, 8));
				at += len;
			}
			look_with_log(t);
		}
		buf_release(&whole);
		end_talk(t);
	}
}

#define RANDOM "00112233445566778899aabbccddeeff00112233445566778899AABBCCDDEEFF"

static void lines_of_a_log(void **state)
{
	static const struct {
		const char *text, *why;
		size_t entries;
	} cases[] = {
		{ "# a comment\r\n\r\nCLIENT_RANDOM " RANDOM " 0102\r\n", NULL, 1 },
		{ "EXPORTER_SECRET " RANDOM " 0102\n", NULL, 0 },
		{ "CLIENT_RANDOM " RANDOM " 0102\nCLIENT_RANDOM 00", NULL, 1 },
		{ "\nCLIENT_RANDOM " RANDOM "\n",
		  "log, line 2: 2 words; expected LABEL RANDOM SECRET", 0 },
		{ "CLIENT_RANDOM 0011 0102\n", "log, line 1: the client's random is not 64", 0 },
		{ "CLIENT_RANDOM " RANDOM " 010\n", "the secret is not hexadecimal", 0 },
		{ "CLIENT_RANDOM " RANDOM " 01zz\n", "the secret is not hexadecimal", 0 },
		{ "CLIENT_RANDOM " RANDOM " " RANDOM RANDOM RANDOM "\n", "longer than 64 bytes",
		  0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct keylog k = { 0 };
		struct fail f = { 0 };
		int status = keylog_add(&k, "log", cases[i].text, strlen(cases[i].text), &f);

		assert_int_equal(status, cases[i].why ? -1 : 0);
		if (cases[i].why && !strstr(f.text, cases[i].why))
			fail_msg("\"%s\" does not say \"%s\"", f.text, cases[i].why);
		assert_int_equal(k.count, cases[i].entries);
		keylog_release(&k);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tls_13),
		cmocka_unit_test(tls_12),
		cmocka_unit_test(mac_before_and_behind_encryption),
		cmocka_unit_test(dtls_12),
		cmocka_unit_test(secrets_that_do_not_fit),
		cmocka_unit_test(lines_of_a_log),
		cmocka_unit_test(secrets_inside_the_capture),
		cmocka_unit_test(damaged_packets),
	};

	return cmocka_run_group_tests_name("decrypt", tests, enter, leave);
}
