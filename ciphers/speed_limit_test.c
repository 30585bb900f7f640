/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handshake-mix score against its published examples, and the limit of a handshake
 * against sums made by hand. Figures are given, nothing is timed.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ciphers/speed_limit.h"
#include "ciphers/speed_mix.h"

static void near(double value, double expected, double tolerance)
{
	if (!(fabs(value - expected) <= tolerance))
		fail_msg("expected %.9g, not %.9g", expected, value);
}

/* --- the score ------------------------------------------------------------------- */

#define AGREE_PER_S  499.8
#define SIGN_PER_S   1209.3
#define VERIFY_PER_S 344.4

static double *rate_of(double rates[MIX_PARTS], enum primitive_op op)
{
	int i = 0;

	while (mix_parts[i].op != op)
		i++;
	return &rates[i];
}

/* The published example: three rates are known, of the others what they take together. */
static void published(double rates[MIX_PARTS], double sum_s)
{
	double rest_s = sum_s - 1 / AGREE_PER_S - 1 / SIGN_PER_S - 2 / VERIFY_PER_S;
	int rest_weight = 0;

	for (int i = 0; i < MIX_PARTS; i++)
		rest_weight += mix_parts[i].weight;
	rest_weight -= 1 + 1 + 2;
	for (int i = 0; i < MIX_PARTS; i++)
		rates[i] = rest_weight / rest_s;
	*rate_of(rates, OP_AGREE) = AGREE_PER_S;
	*rate_of(rates, OP_SIGN) = SIGN_PER_S;
	*rate_of(rates, OP_VERIFY) = VERIFY_PER_S;
}

static void test_published_score(void **state)
{
	double rates[MIX_PARTS];

	(void)state;
	published(rates, 8.875e-3);
	near(mix_sum_s(rates), 8.875e-3, 1e-9);
	near(mix_score(mix_sum_s(rates)), 1.127e5, 50);
	published(rates, 1000 / 112677.812);
	near(mix_score(mix_sum_s(rates)), 112677.812, 1e-3);
	near(1000 / mix_score(mix_sum_s(rates)), 8.875e-3, 5e-7);
}

static void test_curves_are_97_percent(void **state)
{
	double rates[MIX_PARTS], rest[MIX_PARTS];

	(void)state;
	published(rates, 8.875e-3);
	memcpy(rest, rates, sizeof(rest));
	*rate_of(rest, OP_AGREE) = *rate_of(rest, OP_SIGN) = *rate_of(rest, OP_VERIFY) = INFINITY;
	near(1 - mix_sum_s(rest) / 8.875e-3, 0.97, 0.005);
}

static void test_each_weight_counts(void **state)
{
	static const int weights[MIX_PARTS] = { 1, 1, 1, 1, 1, 1, 1, 2, 3, 1, 1, 3, 4, 10 };
	double rates[MIX_PARTS];

	(void)state;
	for (int i = 0; i < MIX_PARTS; i++) {
		for (int k = 0; k < MIX_PARTS; k++)
			rates[k] = k == i ? 100 : INFINITY;
		near(mix_sum_s(rates), weights[i] / 100.0, 1e-12);
	}
}

/* --- a book of given figures -------------------------------------------------------- */

static void set(struct speed_book *b, const struct engine_ops *e, enum primitive_op op,
		const char *algorithm, size_t bytes, double us)
{
	struct operation what = { .op = op,
				  .algorithm = algorithm_by_name(algorithm),
				  .bytes = bytes };
	struct speed_figure *f = (struct speed_figure *)(uintptr_t)speed_book_find(b, e, &what);

	if (!f)
		fail_msg("%s:%s/%zu is not wanted", primitive_op_name[op], algorithm, bytes);
	f->measured = true;
	f->us_per_op = us;
	/* The processor's time is half of it. */
	f->ops = 1000;
	f->cpu_ns = llround(us * 500000);
}

static void set_all(struct speed_book *b, double us)
{
	for (int i = 0; i < b->count; i++) {
		b->figure[i].measured = true;
		b->figure[i].us_per_op = us;
		b->figure[i].ops = 1000;
		b->figure[i].cpu_ns = llround(us * 500000);
	}
}

static void test_score_from_a_book(void **state)
{
	struct speed_book b = { 0 };
	struct fail f = { 0 };
	struct mix m;

	(void)state;
	assert_int_equal(mix_want(&b, &engine_null), 0);
	assert_int_equal(b.count, MIX_PARTS);
	assert_int_equal(mix_of(&b, &engine_null, &m, &f), -1);
	assert_int_equal(f.code, ENOTSUP);
	fail_clear(&f);
	set_all(&b, 1000);
	set(&b, &engine_null, OP_VERIFY, "p256", 0, 5000);
	assert_int_equal(mix_of(&b, &engine_null, &m, &f), 0);
	/* 31 in all: 29 of 1 ms and 2 of 5 ms. */
	near(m.sum_s, 0.039, 1e-9);
	near(m.score, 1000 / 0.039, 1e-6);
	near(m.part_s[7], 0.010, 1e-9);
	near(m.cpu_score, 2 * m.score, 1e-6);
	speed_book_release(&b);
}

/* --- the limit ---------------------------------------------------------------------- */

static struct suite suite_of(const char *text)
{
	struct fail f = { 0 };
	struct suite s;

	if (suite_parse(text, &s, &f))
		fail_msg("%s", f.text);
	return s;
}

static int count_of(const struct limit *l, enum primitive_op op)
{
	int n = 0;

	for (int i = 0; i < l->parts; i++)
		n += l->part[i].what.op == op ? l->part[i].count : 0;
	return n;
}

static struct limit parts_of(const char *text, enum role role)
{
	struct suite s = suite_of(text);
	struct fail f = { 0 };
	struct limit l;

	if (speed_handshake_parts(&s, role, &l, &f))
		fail_msg("%s", f.text);
	return l;
}

#define EC13 "tls1.3:AES128-GCM-SHA256:x25519:p256"
#define EC12 "tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p256"

static void test_who_does_what(void **state)
{
	static const char *const suites[] = { EC13, EC12 };
	struct limit server, client;

	(void)state;
	for (int i = 0; i < 2; i++) {
		server = parts_of(suites[i], SERVER);
		client = parts_of(suites[i], CLIENT);
		assert_int_equal(count_of(&server, OP_SIGN), 1);
		assert_int_equal(count_of(&server, OP_VERIFY), 0);
		assert_int_equal(count_of(&client, OP_SIGN), 0);
		assert_int_equal(count_of(&client, OP_VERIFY), 2);
		assert_int_equal(count_of(&server, OP_KEYGEN) + count_of(&client, OP_KEYGEN), 2);
		assert_int_equal(count_of(&server, OP_AGREE) + count_of(&client, OP_AGREE), 2);
		assert_int_equal(count_of(&server, OP_SEAL) + count_of(&server, OP_OPEN), 2);
		/* What one side seals the other opens. */
		for (int k = 0; k < server.parts; k++)
			if (server.part[k].what.op == OP_SEAL)
				for (int j = 0; j < client.parts; j++)
					if (client.part[j].what.op == OP_OPEN)
						assert_int_equal(server.part[k].what.bytes,
								 client.part[j].what.bytes);
	}
	assert_int_equal(parts_of("plain", SERVER).parts, 0);
}

/* RFC 5246 section 5: two HMACs for each hash length of output: 48, 40 and twice 12 bytes. */
static void test_hmacs_of_tls12(void **state)
{
	struct limit l = parts_of(EC12, SERVER);

	(void)state;
	assert_int_equal(count_of(&l, OP_MAC), 4 + 4 + 2 + 2);
	l = parts_of("tls1.2:ECDHE-ECDSA-AES256-GCM-SHA384:p384:p384", SERVER);
	/* 48 bytes are one length of SHA-384, 72 of keys are two. */
	assert_int_equal(count_of(&l, OP_MAC), 2 + 4 + 2 + 2);
	l = parts_of("tls1.2:ECDHE-ECDSA-CHACHA20-POLY1305:x25519:p256", SERVER);
	assert_int_equal(count_of(&l, OP_MAC), 4 + 6 + 2 + 2);
	l = parts_of(EC13, SERVER);
	assert_int_equal(count_of(&l, OP_MAC), 23);
}

static void test_sum_by_hand(void **state)
{
	struct suite s = suite_of(EC12);
	struct speed_book b = { 0 };
	struct fail f = { 0 };
	struct limit server, client;

	(void)state;
	assert_int_equal(speed_handshake_want(&b, &engine_null, &s, &f), 0);
	set(&b, &engine_null, OP_KEYGEN, "x25519", 0, 24);
	set(&b, &engine_null, OP_AGREE, "x25519", 0, 25);
	set(&b, &engine_null, OP_SIGN, "p256", 0, 14);
	set(&b, &engine_null, OP_VERIFY, "p256", 0, 41);
	set(&b, &engine_null, OP_HASH, "sha256", 1024, 2);
	set(&b, &engine_null, OP_MAC, "hmac-sha256", 64, 0.5);
	set(&b, &engine_null, OP_SEAL, "aes-128-gcm", 16, 0.25);
	assert_int_equal(speed_handshake_limit(&s, &engine_null, SERVER, &b, &server, &f), -1);
	assert_non_null(strstr(f.text, "open:aes-128-gcm/16"));
	fail_clear(&f);
	set(&b, &engine_null, OP_OPEN, "aes-128-gcm", 16, 0.75);
	assert_int_equal(speed_handshake_limit(&s, &engine_null, SERVER, &b, &server, &f), 0);
	assert_int_equal(speed_handshake_limit(&s, &engine_null, CLIENT, &b, &client, &f), 0);
	near(server.us, 24 + 25 + 14 + 2 + 12 * 0.5 + 1, 1e-9);
	near(client.us, 24 + 25 + 2 * 41 + 2 + 12 * 0.5 + 1, 1e-9);
	near(server.cpu_us, server.us / 2, 1e-9);
	near(client.cpu_us, client.us / 2, 1e-9);
	speed_book_release(&b);
}

/* Rows that the catalogue may have or not: key transport and keys shared beforehand. */
static void test_other_key_exchanges(void **state)
{
	struct cipher cipher = *cipher_by_name("ECDHE-RSA-AES128-GCM-SHA256");
	struct suite s = { .version = TLS12,
			   .cipher = &cipher,
			   .group = group_by_name("none"),
			   .credential = credential_kind_by_name("rsa2048") };
	struct fail f = { 0 };
	struct limit server, client;

	(void)state;
	cipher.kx = KX_RSA;
	assert_int_equal(speed_handshake_parts(&s, SERVER, &server, &f), 0);
	assert_int_equal(speed_handshake_parts(&s, CLIENT, &client, &f), 0);
	assert_int_equal(count_of(&server, OP_SIGN), 1);
	assert_int_equal(count_of(&client, OP_VERIFY), 2);
	assert_int_equal(count_of(&server, OP_KEYGEN) + count_of(&server, OP_AGREE), 0);
	server = parts_of("tls1.2:PSK-AES128-CCM8:none:psk", SERVER);
	client = parts_of("tls1.2:PSK-AES128-CCM8:none:psk", CLIENT);
	assert_int_equal(count_of(&server, OP_SIGN) + count_of(&client, OP_VERIFY), 0);
	assert_int_equal(count_of(&server, OP_MAC), 12);
}

static void test_encapsulation(void **state)
{
	const struct group kem = { .id = 0x11ec, .name = "hybrid", .openssl = "X25519MLKEM768" };
	struct suite s = suite_of(EC13);
	struct fail f = { 0 };
	struct limit server, client;

	(void)state;
	s.group = &kem;
	assert_int_equal(speed_handshake_parts(&s, SERVER, &server, &f), 0);
	assert_int_equal(speed_handshake_parts(&s, CLIENT, &client, &f), 0);
	assert_int_equal(count_of(&server, OP_ENCAPS), 1);
	assert_int_equal(count_of(&server, OP_KEYGEN), 0);
	assert_int_equal(count_of(&client, OP_KEYGEN), 1);
	assert_int_equal(count_of(&client, OP_DECAPS), 1);
}

static int has_a_limit(const struct suite *s, void *data)
{
	char text[SUITE_TEXT_BYTES];
	struct fail f = { 0 };
	struct limit l;

	(void)data;
	for (int role = CLIENT; role <= SERVER; role++) {
		if (speed_handshake_parts(s, (enum role)role, &l, &f))
			fail_msg("%s: %s", suite_format(s, text), f.text);
		assert_in_range(l.parts, suite_is_plain(s) ? 0 : 2, LIMIT_PARTS_MAX);
		for (int i = 0; i < l.parts; i++) {
			assert_true(l.part[i].what.algorithm->ops & 1u << l.part[i].what.op);
			assert_non_null(strstr(l.part[i].why, "RFC "));
		}
	}
	return 0;
}

static void test_every_suite_has_a_limit(void **state)
{
	(void)state;
	assert_int_equal(suite_each(has_a_limit, NULL), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published_score),
		cmocka_unit_test(test_curves_are_97_percent),
		cmocka_unit_test(test_each_weight_counts),
		cmocka_unit_test(test_score_from_a_book),
		cmocka_unit_test(test_who_does_what),
		cmocka_unit_test(test_hmacs_of_tls12),
		cmocka_unit_test(test_sum_by_hand),
		cmocka_unit_test(test_other_key_exchanges),
		cmocka_unit_test(test_encapsulation),
		cmocka_unit_test(test_every_suite_has_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
