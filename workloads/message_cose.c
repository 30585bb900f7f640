/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_cose - a message as COSE: an array of the exchange's id and the text, in a
 * COSE_Sign1 with the signer's certificate and the times (CWT claims) protected, in a
 * COSE_Encrypt0 under a key that both sides share. The role of who speaks is external data
 * of both, so an answer is no request and the other way round.
 *
 * Encrypt0 has no recipients: unlike XML's, its key is not transported with each message.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "ciphers/object_crypto.h"
#include "lib/clock.h"
#include "workloads/cose.h"
#include "workloads/message.h"
#include "workloads/message_keys.h"

#define KEY_BYTES   16
#define NONCE_BYTES 12

struct cose_party {
	struct object_key *key;
	struct object_certificate certificate;
	struct object_trust *trust;
	uint8_t shared[KEY_BYTES];
	struct buf plain, signed_; /* kept between messages */
};

static struct cose_span span(const void *at, size_t len)
{
	return (struct cose_span){ at, len };
}

static struct cose_span spoken_by(enum message_role role)
{
	return role == MESSAGE_CLIENT ? span("client", 6) : span("server", 6);
}

static enum message_role other(enum message_role role)
{
	return role == MESSAGE_CLIENT ? MESSAGE_SERVER : MESSAGE_CLIENT;
}

static void close_cose(struct message_party *p)
{
	struct cose_party *c = p->impl;

	object_key_free(c->key);
	object_certificate_release(&c->certificate);
	object_trust_close(c->trust);
	object_wipe(c->shared, sizeof c->shared);
	buf_release(&c->plain);
	buf_release(&c->signed_);
	free(c);
	p->impl = NULL;
}

static int open_cose(struct message_party *p)
{
	struct cose_party *c = calloc(1, sizeof *c);
	struct message_keys keys;

	if (!c)
		return fail_set(&p->fail, ENOMEM, "no memory for a party");
	p->impl = c;
	if (message_keys_find(p, &keys, &p->fail) == 0 &&
	    message_secret(p->credential_dir, "cose", c->shared, KEY_BYTES, &p->fail) == 0 &&
	    object_certificate_read(keys.signer.cert_file, &c->certificate, &p->fail) == 0) {
		c->key = object_key_read(keys.signer.key_file, &p->fail);
		c->trust = object_trust_open(keys.signer.ca_file, &p->fail);
	}
	if (c->key && c->trust)
		return 0;
	close_cose(p);
	return -1;
}

/* --- securing ------------------------------------------------------------------------- */

static int sign(struct message_party *p, int64_t wall_ns, struct message_stages *t)
{
	struct cose_party *c = p->impl;
	struct cose_header open = { 0 }, secured = { .algorithm = COSE_ES256 };
	int64_t from_ns = clock_ns();
	int ret;

	secured.issued_s = wall_ns / NS_PER_S;
	secured.expires_s = secured.issued_s + MESSAGE_VALID_S;
	secured.x5chain = span(c->certificate.der.data, c->certificate.der.len);
	buf_clear(&c->signed_);
	ret = cose_sign1(&secured, &open, span(c->plain.data, c->plain.len), spoken_by(p->role),
			 c->key, &c->signed_, &p->fail);
	t->ns[MESSAGE_SIGN] += clock_ns() - from_ns;
	return ret;
}

static int encrypt(struct message_party *p, struct buf *out, struct message_stages *t)
{
	struct cose_party *c = p->impl;
	struct cose_header open = { 0 }, secured = { .algorithm = COSE_A128GCM };
	int64_t from_ns = clock_ns();
	uint8_t nonce[NONCE_BYTES];
	int ret = object_random(nonce, sizeof nonce, &p->fail);

	open.iv = span(nonce, sizeof nonce);
	if (ret == 0)
		ret = cose_encrypt0(&secured, &open, span(c->signed_.data, c->signed_.len),
				    spoken_by(p->role), c->shared, out, &p->fail);
	t->ns[MESSAGE_ENCRYPT_DATA] += clock_ns() - from_ns;
	return ret;
}

static int secure(struct message_party *p, const struct message_content *m, int64_t wall_ns,
		  struct buf *out, struct message_stages *t)
{
	struct cose_party *c = p->impl;
	int64_t from_ns = clock_ns();

	buf_clear(&c->plain);
	cbor_put_list(&c->plain, 2);
	cbor_put_text(&c->plain, m->id);
	cbor_put_bytes(&c->plain, m->text.data, m->text.len);
	t->ns[MESSAGE_BUILD] += clock_ns() - from_ns;
	if (c->plain.failed)
		return fail_set(&p->fail, ENOMEM, "no memory for a message");
	return sign(p, wall_ns, t) || encrypt(p, out, t) ? -1 : 0;
}

/* --- reading -------------------------------------------------------------------------- */

static int decrypt(struct message_party *p, const void *src, size_t len, struct message_stages *t)
{
	struct cose_party *c = p->impl;
	struct cose_message m;
	int64_t from_ns = clock_ns(), parsed_ns;
	int ret = cose_read_encrypt0(src, len, &m, &p->fail);

	parsed_ns = clock_ns();
	t->ns[MESSAGE_PARSE] += parsed_ns - from_ns;
	if (ret == 0 && (m.head.algorithm != COSE_A128GCM || m.head.partial_iv.len))
		ret = fail_set(&p->fail, EBADMSG, "not encrypted with A128GCM and an IV");
	buf_clear(&c->signed_);
	if (ret == 0)
		ret = cose_decrypt0(&m, spoken_by(other(p->role)), c->shared, span(NULL, 0),
				    &c->signed_, &p->fail);
	t->ns[MESSAGE_DECRYPT_DATA] += clock_ns() - parsed_ns;
	return ret;
}

static int check_signer(struct message_party *p, const struct cose_message *m,
			struct message_stages *t)
{
	struct cose_party *c = p->impl;
	int64_t from_ns = clock_ns(), trusted_ns;
	struct object_key *key = NULL;
	int ret = -1;

	if (m->chain_protected)
		key = object_trust_check(c->trust, m->head.x5chain.at, m->head.x5chain.len,
					 p->role == MESSAGE_SERVER ? OBJECT_CLIENT : OBJECT_SERVER,
					 &p->fail);
	else
		fail_set(&p->fail, EBADMSG, "no certificate is protected by the signature");
	trusted_ns = clock_ns();
	t->ns[MESSAGE_TRUST] += trusted_ns - from_ns;
	if (key)
		ret = cose_verify_sign1(m, spoken_by(other(p->role)), key, &p->fail);
	t->ns[MESSAGE_VERIFY] += clock_ns() - trusted_ns;
	object_key_free(key);
	return ret;
}

static int take_content(const struct cose_message *m, struct message_content *out, struct fail *f)
{
	struct cose_reader r;
	struct cbor_item array, id, text;

	cose_reader_init(&r, m->payload.at, m->payload.len);
	if (!cose_take(&r, CBOR_LIST, &array) || array.count != 2 ||
	    !cose_take(&r, CBOR_TEXT, &id) || !cose_take(&r, CBOR_BYTES, &text) ||
	    !cose_at_end(&r) || !message_id_valid(id.at, id.count))
		return fail_set(f, EBADMSG, "the payload is not an id and a text");
	memcpy(out->id, id.at, id.count);
	out->id[id.count] = '\0';
	buf_put(&out->text, text.at, text.count);
	return out->text.failed ? fail_set(f, ENOMEM, "no memory for a text") : 0;
}

static int read(struct message_party *p, const void *src, size_t len, int64_t wall_ns,
		struct message_content *out, struct message_stages *t)
{
	struct cose_party *c = p->impl;
	struct cose_message m;
	int64_t from_ns;
	int ret = decrypt(p, src, len, t);

	from_ns = clock_ns();
	if (ret == 0)
		ret = cose_read_sign1(c->signed_.data, c->signed_.len, &m, &p->fail);
	t->ns[MESSAGE_PARSE] += clock_ns() - from_ns;
	if (ret || check_signer(p, &m, t))
		return -1;
	from_ns = clock_ns();
	ret = m.times_protected
		      ? message_check_times(m.head.issued_s, m.head.expires_s, wall_ns, &p->fail)
		      : fail_set(&p->fail, EBADMSG, "no times are protected");
	t->ns[MESSAGE_TIMESTAMP] += clock_ns() - from_ns;
	return ret ? ret : take_content(&m, out, &p->fail);
}

const struct message_ops message_cose = {
	.content_type = "application/cose; cose-type=\"cose-encrypt0\"",
	.open = open_cose,
	.close = close_cose,
	.secure = secure,
	.read = read,
};
