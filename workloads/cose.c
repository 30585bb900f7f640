/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cose - COSE_Sign1 and COSE_Encrypt0 over cbor_item.c, cose_read.c and ciphers/object_crypto.h.
 * Which algorithm is used is what the message says, from a list of three; whether that is the one
 * that was expected is for the caller to see in head.algorithm.
 */
#include "workloads/cose.h"

#include <errno.h>
#include <string.h>

/* Labels of IANA's registry "COSE Header Parameters", and of CWT claims. */
enum label {
	LABEL_ALGORITHM = 1,
	LABEL_CRITICAL = 2,
	LABEL_KEY_ID = 4,
	LABEL_IV = 5,
	LABEL_PARTIAL_IV = 6,
	LABEL_CWT_CLAIMS = 15,
	LABEL_X5CHAIN = 33
};
enum claim { CLAIM_EXPIRES = 4, CLAIM_ISSUED = 6 };

#define LABELS_MAX 16

static const struct object_aead *aead_of(int64_t algorithm)
{
	switch (algorithm) {
	case COSE_A128GCM:
		return &object_a128gcm;
	case COSE_AES_CCM_16_64_128:
		return &object_aes_ccm_16_64_128;
	default:
		return NULL;
	}
}

/* --- headers, written ----------------------------------------------------------------- */

static void put_span(struct buf *out, int64_t label, struct cose_span s)
{
	if (s.len == 0)
		return;
	cbor_put_integer(out, label);
	cbor_put_bytes(out, s.at, s.len);
}

static void put_claims(struct buf *out, const struct cose_header *h)
{
	if (!h->expires_s)
		return;
	cbor_put_integer(out, LABEL_CWT_CLAIMS);
	cbor_put_map(out, 2);
	cbor_put_integer(out, CLAIM_EXPIRES);
	cbor_put_integer(out, h->expires_s);
	cbor_put_integer(out, CLAIM_ISSUED);
	cbor_put_integer(out, h->issued_s);
}

static void put_header(struct buf *out, const struct cose_header *h)
{
	size_t pairs = (size_t)(h->algorithm != 0) + (h->key_id.len > 0) + (h->iv.len > 0) +
		       (h->partial_iv.len > 0) + (h->expires_s != 0) + (h->x5chain.len > 0);

	cbor_put_map(out, pairs);
	if (h->algorithm) {
		cbor_put_integer(out, LABEL_ALGORITHM);
		cbor_put_integer(out, h->algorithm);
	}
	put_span(out, LABEL_KEY_ID, h->key_id);
	put_span(out, LABEL_IV, h->iv);
	put_span(out, LABEL_PARTIAL_IV, h->partial_iv);
	put_claims(out, h);
	put_span(out, LABEL_X5CHAIN, h->x5chain);
}

/* --- headers, read -------------------------------------------------------------------- */

static void read_span(struct cose_reader *r, struct cose_span *s)
{
	struct cbor_item item;

	if (cose_take(r, CBOR_BYTES, &item))
		*s = (struct cose_span){ item.at, item.count };
}

static void read_integer(struct cose_reader *r, int64_t *value)
{
	struct cbor_item item;

	if (cose_take(r, CBOR_INTEGER, &item))
		*value = item.value;
}

/* An algorithm may be a text too: one that is not known here. */
static void read_algorithm(struct cose_reader *r, int64_t *algorithm)
{
	read_integer(r, algorithm);
	if (*algorithm == COSE_ALGORITHM_NONE)
		r->bad = true;
}

static void read_claims(struct cose_reader *r, struct cose_header *h)
{
	struct cbor_item map, label;

	if (!cose_take(r, CBOR_MAP, &map) || map.count > LABELS_MAX) {
		r->bad = true;
		return;
	}
	for (uint64_t i = 0; i < map.count && cose_next(r, &label); i++) {
		if (label.kind == CBOR_INTEGER && label.value == CLAIM_EXPIRES)
			read_integer(r, &h->expires_s);
		else if (label.kind == CBOR_INTEGER && label.value == CLAIM_ISSUED)
			read_integer(r, &h->issued_s);
		else
			cose_skip(r);
	}
}

static void read_parameter(struct cose_reader *r, int64_t label, struct cose_header *h)
{
	switch (label) {
	case LABEL_ALGORITHM:
		read_algorithm(r, &h->algorithm);
		break;
	case LABEL_CRITICAL:
		r->bad = true; /* none of what we know needs it, and what we do not know is refused
				*/
		break;
	case LABEL_KEY_ID:
		read_span(r, &h->key_id);
		break;
	case LABEL_IV:
		read_span(r, &h->iv);
		break;
	case LABEL_PARTIAL_IV:
		read_span(r, &h->partial_iv);
		break;
	case LABEL_CWT_CLAIMS:
		read_claims(r, h);
		break;
	case LABEL_X5CHAIN:
		read_span(r, &h->x5chain);
		break;
	default:
		cose_skip(r);
	}
}

/* Labels of one message: none may come twice, not even in the other bucket. */
struct labels {
	int64_t label[LABELS_MAX];
	int count;
};

static bool is_new(struct labels *l, int64_t label)
{
	for (int i = 0; i < l->count; i++)
		if (l->label[i] == label)
			return false;
	if (l->count == LABELS_MAX)
		return false;
	l->label[l->count++] = label;
	return true;
}

static void read_header(struct cose_reader *r, struct labels *l, struct cose_header *h)
{
	struct cbor_item map, label;

	if (!cose_take(r, CBOR_MAP, &map) || map.count > LABELS_MAX) {
		r->bad = true;
		return;
	}
	for (uint64_t i = 0; i < map.count && cose_next(r, &label); i++) {
		if (label.kind == CBOR_TEXT)
			cose_skip(r);
		else if (label.kind != CBOR_INTEGER || !is_new(l, label.value))
			r->bad = true;
		else
			read_parameter(r, label.value, h);
	}
}

static void read_protected(struct cose_reader *r, struct labels *l, struct cose_message *m)
{
	struct cose_span bytes = { 0 };
	struct cose_reader inner;

	read_span(r, &bytes);
	if (bytes.len == 0)
		return;
	cose_reader_init(&inner, bytes.at, bytes.len);
	read_header(&inner, l, &m->head);
	if (!cose_at_end(&inner))
		r->bad = true;
	m->times_protected = m->head.expires_s != 0;
	m->chain_protected = m->head.x5chain.len > 0;
	/* An empty map is signed as no bytes at all (RFC 9052 section 3). */
	if (l->count > 0 || bytes.len > 1)
		m->protected = bytes;
}

/* The array's head and both headers, behind a tag or not. */
static void read_start(struct cose_reader *r, uint64_t tag, uint64_t items, struct cose_message *m)
{
	struct labels labels = { 0 };
	struct cbor_item array;
	uint64_t is = tag;

	*m = (struct cose_message){ 0 };
	cose_take_tag(r, &is);
	if (!cose_take(r, CBOR_LIST, &array) || array.count != items || is != tag)
		r->bad = true;
	read_protected(r, &labels, m);
	read_header(r, &labels, &m->head);
}

int cose_read_sign1(const void *src, size_t len, struct cose_message *m, struct fail *f)
{
	struct cose_reader r;

	cose_reader_init(&r, src, len);
	read_start(&r, COSE_TAG_SIGN1, 4, m);
	read_span(&r, &m->payload);
	read_span(&r, &m->signature);
	if (cose_at_end(&r))
		return 0;
	return fail_set(f, EBADMSG, "no COSE_Sign1 message that can be read");
}

int cose_read_encrypt0(const void *src, size_t len, struct cose_message *m, struct fail *f)
{
	struct cose_reader r;

	cose_reader_init(&r, src, len);
	read_start(&r, COSE_TAG_ENCRYPT0, 3, m);
	read_span(&r, &m->payload);
	if (cose_at_end(&r))
		return 0;
	return fail_set(f, EBADMSG, "no COSE_Encrypt0 message that can be read");
}

/* A tag's head, of a tag below 24. */
static void put_tag(struct buf *out, unsigned tag)
{
	buf_byte(out, (uint8_t)(0xc0 | tag));
}

/* --- what is signed, what is authenticated -------------------------------------------- */

static void put_signed(struct buf *out, struct cose_span protected, struct cose_span external,
		       struct cose_span payload)
{
	cbor_put_list(out, 4);
	cbor_put_text(out, "Signature1");
	cbor_put_bytes(out, protected.at, protected.len);
	cbor_put_bytes(out, external.at, external.len);
	cbor_put_bytes(out, payload.at, payload.len);
}

static void put_authenticated(struct buf *out, struct cose_span protected,
			      struct cose_span external)
{
	cbor_put_list(out, 3);
	cbor_put_text(out, "Encrypt0");
	cbor_put_bytes(out, protected.at, protected.len);
	cbor_put_bytes(out, external.at, external.len);
}

static int no_memory(struct fail *f)
{
	return fail_set(f, ENOMEM, "no memory for a message");
}

/* --- Sign1 ---------------------------------------------------------------------------- */

int cose_sign1(const struct cose_header *secured, const struct cose_header *open,
	       struct cose_span payload, struct cose_span external, const struct object_key *key,
	       struct buf *out, struct fail *f)
{
	struct buf head = { 0 }, what = { 0 };
	uint8_t signature[OBJECT_SIGNATURE_BYTES];
	int ret;

	put_header(&head, secured);
	put_signed(&what, (struct cose_span){ (uint8_t *)head.data, head.len }, external, payload);
	ret = head.failed || what.failed ? no_memory(f)
					 : object_sign(key, what.data, what.len, signature, f);
	if (ret == 0) {
		put_tag(out, COSE_TAG_SIGN1);
		cbor_put_list(out, 4);
		cbor_put_bytes(out, head.data, head.len);
		put_header(out, open);
		cbor_put_bytes(out, payload.at, payload.len);
		cbor_put_bytes(out, signature, sizeof signature);
		ret = out->failed ? no_memory(f) : 0;
	}
	buf_release(&head);
	buf_release(&what);
	return ret;
}

int cose_verify_sign1(const struct cose_message *m, struct cose_span external,
		      const struct object_key *key, struct fail *f)
{
	struct buf what = { 0 };
	bool good;

	if (m->head.algorithm != COSE_ES256)
		return fail_set(f, EBADMSG, "signed with algorithm %lld; only ES256 (-7) is known",
				(long long)m->head.algorithm);
	if (m->signature.len != OBJECT_SIGNATURE_BYTES)
		return fail_set(f, EBADMSG, "a signature of %zu bytes; ES256 has %d",
				m->signature.len, OBJECT_SIGNATURE_BYTES);
	put_signed(&what, m->protected, external, m->payload);
	good = !what.failed && object_verify(key, what.data, what.len, m->signature.at);
	buf_release(&what);
	return good ? 0 : fail_set(f, EBADMSG, "the signature does not fit");
}

/* --- Encrypt0 ------------------------------------------------------------------------- */

int cose_encrypt0(const struct cose_header *secured, const struct cose_header *open,
		  struct cose_span payload, struct cose_span external, const uint8_t *key,
		  struct buf *out, struct fail *f)
{
	const struct object_aead *a = aead_of(secured->algorithm);
	struct buf head = { 0 }, aad = { 0 }, sealed = { 0 };
	int ret;

	if (!a || open->iv.len != (size_t)a->nonce_bytes)
		return fail_set(f, EINVAL, "no such encryption, or no nonce for it");
	put_header(&head, secured);
	put_authenticated(&aad, (struct cose_span){ (uint8_t *)head.data, head.len }, external);
	ret = head.failed || aad.failed ? no_memory(f)
					: object_seal(a, key, open->iv.at, aad.data, aad.len,
						      payload.at, payload.len, &sealed, f);
	if (ret == 0) {
		put_tag(out, COSE_TAG_ENCRYPT0);
		cbor_put_list(out, 3);
		cbor_put_bytes(out, head.data, head.len);
		put_header(out, open);
		cbor_put_bytes(out, sealed.data, sealed.len);
		ret = out->failed ? no_memory(f) : 0;
	}
	buf_release(&head);
	buf_release(&aad);
	buf_release(&sealed);
	return ret;
}

/* The IV of the message, or its partial IV with the base's bits (RFC 9052 section 3.1). */
static int read_nonce(const struct cose_header *h, struct cose_span base, size_t len,
		      uint8_t *nonce, struct fail *f)
{
	if (h->iv.len && h->partial_iv.len)
		return fail_set(f, EBADMSG, "a message with an IV and a partial IV");
	if (h->iv.len == len) {
		memcpy(nonce, h->iv.at, len);
		return 0;
	}
	if (h->iv.len || !h->partial_iv.len || h->partial_iv.len > len || !base.len ||
	    base.len > len)
		return fail_set(f, EBADMSG, "a message without an IV of %zu bytes", len);
	memset(nonce, 0, len);
	memcpy(nonce, base.at, base.len);
	for (size_t i = 0; i < h->partial_iv.len; i++)
		nonce[len - h->partial_iv.len + i] ^= h->partial_iv.at[i];
	return 0;
}

int cose_decrypt0(const struct cose_message *m, struct cose_span external, const uint8_t *key,
		  struct cose_span base_iv, struct buf *out, struct fail *f)
{
	const struct object_aead *a = aead_of(m->head.algorithm);
	struct buf aad = { 0 };
	uint8_t nonce[16];
	int ret;

	if (!a)
		return fail_set(f, EBADMSG,
				"encrypted with algorithm %lld; only 1 and 10 are known",
				(long long)m->head.algorithm);
	if (read_nonce(&m->head, base_iv, (size_t)a->nonce_bytes, nonce, f))
		return -1;
	put_authenticated(&aad, m->protected, external);
	ret = aad.failed ? no_memory(f)
			 : object_unseal(a, key, nonce, aad.data, aad.len, m->payload.at,
					 m->payload.len, out, f);
	buf_release(&aad);
	return ret;
}
