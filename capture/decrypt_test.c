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

#include "capture/talk.h"
#include "capture/timeline.h"
#include "lib/rng.h"
#include "lib/testing.h"

/* What a timeline says of it. */
struct seen {
	char text[2048]; /* names with blanks between */
	bool complete, decrypted;
};

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
		struct talk *t = talk_start(false, TLS1_3_VERSION, names[i]);
		struct seen s;

		talk_say(t, 0, "question");
		talk_say(t, 1, "answer");
		SSL_key_update(t->ssl[0], SSL_KEY_UPDATE_REQUESTED);
		talk_say(t, 0, "another");
		talk_say(t, 1, "answer");
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
		talk_free(t);
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
		struct talk *t = talk_start(false, TLS1_2_VERSION, names[i]);
		struct seen s;

		talk_say(t, 0, "question");
		talk_say(t, 1, "answer");
		SSL_shutdown(t->ssl[0]);
		s = look_with_log(t);
		if (strcmp(s.text, TLS12_HANDSHAKE
			   "new_session_ticket server_change_cipher_spec server_finished "
			   "client_application_data server_application_data client_alert:1/0") != 0)
			fail_msg("%s: %s", names[i], s.text);
		assert_true(s.complete && s.decrypted);
		s = look(t, NULL, 0);
		assert_non_null(strstr(s.text, "client_encrypted_handshake"));
		talk_free(t);
	}
}

static void mac_before_and_behind_encryption(void **state)
{
	(void)state;
	for (int behind = 0; behind < 2; behind++) {
		struct talk *t = talk_new(false);
		struct seen s;

		for (int side = 0; side < 2; side++) {
			talk_open_side(t, side, TLS1_2_VERSION, "ECDHE-ECDSA-AES128-SHA256");
			if (!behind)
				SSL_set_options(t->ssl[side], SSL_OP_NO_ENCRYPT_THEN_MAC);
		}
		talk_settle(t);
		talk_say(t, 0, "question");
		s = look_with_log(t);
		assert_non_null(strstr(s.text, "client_finished"));
		assert_non_null(strstr(s.text, "server_finished client_application_data"));
		talk_free(t);
	}
}

static void dtls_12(void **state)
{
	static const char *const names[] = { "ECDHE-ECDSA-AES128-GCM-SHA256",
					     "ECDHE-ECDSA-AES128-CCM8",
					     "ECDHE-ECDSA-AES128-SHA256" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		struct talk *t = talk_start(true, DTLS1_2_VERSION, names[i]);
		struct seen s;

		talk_say(t, 0, "question");
		talk_say(t, 1, "answer");
		SSL_shutdown(t->ssl[0]);
		s = look_with_log(t);
		if (strcmp(s.text, TLS12_HANDSHAKE
			   "new_session_ticket server_change_cipher_spec server_finished "
			   "client_application_data server_application_data client_alert:1/0") != 0)
			fail_msg("%s: %s", names[i], s.text);
		assert_true(s.complete && s.decrypted);
		talk_free(t);
	}
}

/* Secrets of somebody else, half of them, or none of this cipher: sealed as without a log. */
static void secrets_that_do_not_fit(void **state)
{
	struct talk *a = talk_start(false, TLS1_3_VERSION, "TLS_AES_128_GCM_SHA256");
	struct talk *b = talk_start(false, TLS1_3_VERSION, "TLS_AES_128_GCM_SHA256");
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
	talk_free(a);
	talk_free(b);
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
	struct talk *t = talk_start(false, TLS1_3_VERSION, "TLS_AES_128_GCM_SHA256");
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
	talk_free(t);
}

#define MUTANTS 500

/* Changed packets with the right keys: nothing breaks, whatever is read. */
static void damaged_packets(void **state)
{
	struct rng g = testing_rng("decrypt_test");

	(void)state;
	for (int kind = 0; kind < 3; kind++) {
		struct talk *t = talk_start(kind == 2,
					    kind == 0   ? TLS1_3_VERSION
					    : kind == 1 ? TLS1_2_VERSION
							: DTLS1_2_VERSION,
					    kind == 0 ? "TLS_AES_128_GCM_SHA256"
						      : "ECDHE-ECDSA-AES128-SHA256");
		struct buf whole = { 0 };
		int closed = 0;

		talk_say(t, 0, "question");
		assert_true(look_with_log(t).decrypted);
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
			closed += !look_with_log(t).decrypted;
		}
		/* A flipped bit opens nothing: of those that are hit in the right place, none. */
		assert_in_range(closed, 1, MUTANTS);
		buf_release(&whole);
		talk_free(t);
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
		cmocka_unit_test(secrets_inside_the_capture),
		cmocka_unit_test(damaged_packets),
	};

	return cmocka_run_group_tests_name("decrypt", tests, talk_enter, talk_leave);
}
