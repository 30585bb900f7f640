/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_cose_test - COSE messages by somebody who knows the shared key, and even has a
 * certificate, but does not do as is expected: what stands where it is not protected, whose
 * signature it is, for whom, with which algorithm.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "lib/clock.h"
#include "workloads/cose.h"
#include "workloads/message_keys.h"
#include "workloads/message_testing.h"

#define ID "0123456789abcdef0123456789abcdef"

/* What somebody has: his own key and certificate, and the key that is shared. */
struct insider {
	struct object_key *key;
	struct object_certificate certificate;
	uint8_t shared[16];
};

static struct insider client, server;

static void meet(struct insider *who, struct message_party *p)
{
	struct message_keys keys;
	struct fail f = { 0 };

	assert_int_equal(message_keys_find(p, &keys, &f), 0);
	assert_int_equal(message_secret(p->credential_dir, "cose", who->shared, 16, &f), 0);
	assert_int_equal(object_certificate_read(keys.signer.cert_file, &who->certificate, &f), 0);
	who->key = object_key_read(keys.signer.key_file, &f);
	assert_non_null(who->key);
}

static int open_all(void **state)
{
	if (message_pairs_open(state))
		return -1;
	meet(&client, &message_pair("cose")->client);
	meet(&server, &message_pair("cose")->server);
	return 0;
}

static int close_all(void **state)
{
	object_key_free(client.key);
	object_key_free(server.key);
	object_certificate_release(&client.certificate);
	object_certificate_release(&server.certificate);
	return message_pairs_close(state);
}

static struct cose_span span(const void *at, size_t len)
{
	return (struct cose_span){ at, len };
}

static struct cose_span text(const char *s)
{
	return span(s, strlen(s));
}

/* How a message is made; what is not set is as it should be. */
struct making {
	struct cose_header secured, open;
	const struct object_key *key;
	const char *signed_for, *sealed_for, *id;
	int64_t algorithm; /* of the encryption */
	int items;
	bool no_seal;
};

static struct making proper(const struct insider *who)
{
	struct making m = { .key = who->key,
			    .signed_for = "client",
			    .sealed_for = "client",
			    .id = ID,
			    .algorithm = COSE_A128GCM,
			    .items = 2 };

	m.secured.algorithm = COSE_ES256;
	m.secured.issued_s = clock_wall_ns() / NS_PER_S;
	m.secured.expires_s = m.secured.issued_s + MESSAGE_VALID_S;
	m.secured.x5chain = span(who->certificate.der.data, who->certificate.der.len);
	return m;
}

static void seal(const struct making *m, const struct buf *what, struct buf *out)
{
	static const uint8_t nonce[13] = { 1, 2, 3 };
	struct cose_header secured = { .algorithm = m->algorithm }, open = { 0 };
	struct fail f = { 0 };

	open.iv = span(nonce, m->algorithm == COSE_A128GCM ? 12 : 13);
	assert_int_equal(cose_encrypt0(&secured, &open, span(what->data, what->len),
				       text(m->sealed_for), client.shared, out, &f),
			 0);
}

static void make(const struct making *m, struct buf *out)
{
	struct buf payload = { 0 }, signed_ = { 0 };
	struct fail f = { 0 };

	cbor_put_list(&payload, (size_t)m->items);
	cbor_put_text(&payload, m->id);
	for (int i = 1; i < m->items; i++)
		cbor_put_bytes(&payload, "text", 4);
	assert_int_equal(cose_sign1(&m->secured, &m->open, span(payload.data, payload.len),
				    text(m->signed_for), m->key, &signed_, &f),
			 0);
	if (m->no_seal)
		buf_put(out, signed_.data, signed_.len);
	else
		seal(m, &signed_, out);
	buf_release(&payload);
	buf_release(&signed_);
}

static void heard(const struct buf *message, const char *why)
{
	struct message_party *p = &message_pair("cose")->server;
	struct message_content c = { 0 };
	struct message_stages t = { 0 };
	int ret = message_read(p, message->data, message->len, clock_wall_ns(), &c, &t);

	if (!why && ret)
		fail_msg("refused: %s", p->fail.text);
	if (why && (ret == 0 || !strstr(p->fail.text, why)))
		fail_msg("%s: not \"%s\"", ret ? p->fail.text : "accepted", why);
	message_content_release(&c);
}

static void says(const struct making *m, const char *why)
{
	struct buf out = { 0 };

	make(m, &out);
	heard(&out, why);
	buf_release(&out);
}

static void what_is_made_as_it_should_be(void **state)
{
	struct making m = proper(&client);

	(void)state;
	says(&m, NULL);
}

static void what_is_not_protected_counts_for_nothing(void **state)
{
	struct making m = proper(&client);

	(void)state;
	m.open.x5chain = m.secured.x5chain;
	m.secured.x5chain = (struct cose_span){ 0 };
	says(&m, "no certificate is protected");
	m = proper(&client);
	m.open.issued_s = m.secured.issued_s;
	m.open.expires_s = m.secured.expires_s;
	m.secured.issued_s = m.secured.expires_s = 0;
	says(&m, "no times are protected");
	m.open = (struct cose_header){ 0 };
	says(&m, "no times are protected");
	/* Both: the protected one is not to be told apart from the other. */
	m = proper(&client);
	m.open.x5chain = m.secured.x5chain;
	says(&m, "COSE_Sign1");
}

static void whose_signature_it_is(void **state)
{
	struct making m = proper(&client);

	(void)state;
	m.key = server.key;
	says(&m, "does not fit");
	m = proper(&server);
	says(&m, "may not sign as a client");
	m = proper(&client);
	m.secured.x5chain.len--;
	says(&m, "certificate");
}

static void for_whom_it_is(void **state)
{
	struct making m = proper(&client);

	(void)state;
	m.signed_for = "server";
	says(&m, "does not fit");
	m = proper(&client);
	m.sealed_for = "server";
	says(&m, "not what was sealed");
	m = proper(&client);
	m.no_seal = true;
	says(&m, "COSE_Encrypt0");
}

static void with_which_algorithm(void **state)
{
	struct making m = proper(&client);

	(void)state;
	m.algorithm = COSE_AES_CCM_16_64_128;
	says(&m, "not encrypted with A128GCM");
	m = proper(&client);
	m.secured.algorithm = -8;
	says(&m, "only ES256");
	m.secured.algorithm = COSE_ALGORITHM_NONE;
	says(&m, "only ES256");
}

static void what_it_says(void **state)
{
	struct making m = proper(&client);

	(void)state;
	m.id = "0123";
	says(&m, "not an id and a text");
	m.id = "0123456789abcdef0123456789abcdeg";
	says(&m, "not an id and a text");
	m = proper(&client);
	m.items = 3;
	says(&m, "not an id and a text");
	m.items = 1;
	says(&m, "not an id and a text");
	m = proper(&client);
	m.secured.issued_s += 3600;
	m.secured.expires_s += 3600;
	says(&m, "in the future");
	m = proper(&client);
	m.secured.expires_s += 1;
	says(&m, "expected 1 to 300 s between");
}

/* A header that must be understood, well signed: { 1: -7, 2: [99], 99: 0, ... }. */
static void a_critical_header_that_is_unknown(void **state)
{
	static const uint8_t plain[] = { 0xa1, 0x01, 0x26 };
	static const uint8_t critical[] = { 0xa3, 0x01, 0x26, 0x02, 0x81,
					    0x18, 0x63, 0x18, 0x63, 0x00 };
	const struct cose_span protected[] = { span(plain, sizeof plain),
					       span(critical, sizeof critical) };

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct buf what = { 0 }, out = { 0 };
		uint8_t signature[OBJECT_SIGNATURE_BYTES];
		struct cose_message m;
		struct fail f = { 0 };

		cbor_put_list(&what, 4);
		cbor_put_text(&what, "Signature1");
		cbor_put_bytes(&what, protected[i].at, protected[i].len);
		cbor_put_bytes(&what, "", 0);
		cbor_put_bytes(&what, "text", 4);
		assert_int_equal(object_sign(client.key, what.data, what.len, signature, &f), 0);
		cbor_put_list(&out, 4);
		cbor_put_bytes(&out, protected[i].at, protected[i].len);
		cbor_put_map(&out, 0);
		cbor_put_bytes(&out, "text", 4);
		cbor_put_bytes(&out, signature, sizeof signature);
		assert_int_equal(cose_read_sign1(out.data, out.len, &m, &f), i == 0 ? 0 : -1);
		if (i == 0)
			assert_int_equal(cose_verify_sign1(&m, text(""), client.key, &f), 0);
		buf_release(&what);
		buf_release(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_made_as_it_should_be),
		cmocka_unit_test(what_is_not_protected_counts_for_nothing),
		cmocka_unit_test(whose_signature_it_is),
		cmocka_unit_test(for_whom_it_is),
		cmocka_unit_test(with_which_algorithm),
		cmocka_unit_test(what_it_says),
		cmocka_unit_test(a_critical_header_that_is_unknown),
	};

	return cmocka_run_group_tests(tests, open_all, close_all);
}
