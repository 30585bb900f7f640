/* SPDX-License-Identifier: Apache-2.0 */
/*
 * speed_limit - which primitives each side of a handshake runs, and their sum. Pure but for
 * the book; it knows the catalogue and no library.
 */
#include "ciphers/speed_limit.h"

#include <errno.h>

#define FLIGHT_BYTES        1024
#define FINISHED_BYTES      16 /* type, length and 12 bytes of verify_data */
#define FINISHED13_BYTES    36 /* type, length and a hash; 52 with SHA-384 costs little more */
#define LABEL_BYTES         64 /* a label, lengths and a hash: what one HMAC is about */
#define MASTER_SECRET_BYTES 48
#define VERIFY_DATA_BYTES   12
/* Two MAC keys of 32 bytes and two of AES-256: suites without AEAD, at the most. */
#define KEY_BLOCK_BYTES 128
#define GCM_SALT_BYTES  4
#define CHACHA_IV_BYTES 12

/*
 * TLS 1.3, RFC 8446 section 7.1: three extractions, two "derived", four traffic secrets, the
 * exporter's and the resumption's; section 7.3: key and IV of four; section 4.4.4: the key and
 * the value of two Finished, one sent and one checked.
 */
#define HMACS_TLS13 (3 + 2 + 4 + 2 + 4 * 2 + 2 * 2)

static void add(struct limit *l, enum primitive_op op, const struct algorithm *a, size_t bytes,
		int count, const char *why)
{
	l->part[l->parts++] = (struct limit_part){
		.what = { .op = op, .algorithm = a, .bytes = bytes }, .count = count, .why = why
	};
}

/* --- key exchange --------------------------------------------------------------- */

static void add_kem(struct limit *l, const struct algorithm *a, enum role role)
{
	if (role == SERVER) {
		add(l, OP_ENCAPS, a, 0, 1, "key_share of the server, RFC 8446 section 4.2.8");
		return;
	}
	add(l, OP_KEYGEN, a, 0, 1, "key_share of the client, RFC 8446 section 4.2.8");
	add(l, OP_DECAPS, a, 0, 1, "shared secret, RFC 8446 section 7.4");
}

static int add_group(struct limit *l, const struct suite *s, enum role role, struct fail *f)
{
	const struct algorithm *a = algorithm_of_group(s->group);
	bool new = s->cipher->kx == KX_TLS13;

	if (!a)
		return fail_set(f, ENOTSUP, "no primitive is known for the group %s",
				s->group->name);
	if (a->family == FAMILY_KEM) {
		add_kem(l, a, role);
		return 0;
	}
	add(l, OP_KEYGEN, a, 0, 1,
	    new ? "key_share, RFC 8446 section 4.2.8"
		: "ServerKeyExchange or ClientKeyExchange, RFC 5246 sections 7.4.3 and 7.4.7");
	add(l, OP_AGREE, a, 0, 1,
	    new ? "shared secret, RFC 8446 section 7.4"
		: "premaster secret, RFC 5246 section 8.1.2, RFC 8422 section 5.10");
	return 0;
}

/* --- who it is ------------------------------------------------------------------- */

static void add_signature(struct limit *l, const struct suite *s, const struct algorithm *a,
			  enum role role)
{
	const char *why = s->cipher->kx == KX_TLS13 ? "CertificateVerify, RFC 8446 section 4.4.3"
						    : "ServerKeyExchange, RFC 5246 section 7.4.3";

	if (s->cipher->kx == KX_RSA)
		why = "premaster secret, as RSA with another padding, RFC 5246 section 7.4.7.1";
	add(l, role == SERVER ? OP_SIGN : OP_VERIFY, a, 0, 1, why);
	if (role == CLIENT)
		add(l, OP_VERIFY, a, 0, 1, "the certificate's signature, RFC 5280 section 6.1.3");
}

static int add_credential(struct limit *l, const struct suite *s, enum role role, struct fail *f)
{
	const struct credential_kind *k = s->credential;
	const struct algorithm *a;

	if (k->key == KEY_PSK || k->key == KEY_NONE)
		return 0;
	a = algorithm_of_credential(k);
	if (!a)
		return fail_set(f, ENOTSUP, "no primitive is known for the credential %s", k->name);
	add_signature(l, s, a, role);
	return 0;
}

/* --- symmetric ------------------------------------------------------------------- */

static int prf_hmacs(size_t output_bytes, size_t hash_bytes)
{
	return 2 * (int)((output_bytes + hash_bytes - 1) / hash_bytes);
}

static size_t key_block_bytes(const struct algorithm *aead)
{
	size_t iv = !aead || aead->openssl[0] != 'C' ? GCM_SALT_BYTES : CHACHA_IV_BYTES;

	return aead ? 2 * (aead->bits / 8 + iv) : KEY_BLOCK_BYTES;
}

static void add_secrets(struct limit *l, const struct suite *s, const struct algorithm *aead)
{
	const struct algorithm *hmac = algorithm_of_hmac(s->cipher->hash);
	size_t hash = hmac->bits / 8;

	if (s->cipher->kx == KX_TLS13)
		add(l, OP_MAC, hmac, LABEL_BYTES, HMACS_TLS13,
		    "secrets, keys, Finished, RFC 8446 sections 7.1, 7.3 and 4.4.4");
	else
		add(l, OP_MAC, hmac, LABEL_BYTES,
		    prf_hmacs(MASTER_SECRET_BYTES, hash) + prf_hmacs(key_block_bytes(aead), hash) +
			    2 * prf_hmacs(VERIFY_DATA_BYTES, hash),
		    "secrets, keys, Finished, RFC 5246 sections 8.1, 6.3 and 7.4.9");
}

static void add_records(struct limit *l, const struct suite *s, const struct algorithm *aead,
			enum role role)
{
	bool new = s->cipher->kx == KX_TLS13;
	const char *why = new ? "protected handshake messages, RFC 8446 section 5.2"
			      : "Finished, RFC 5246 section 6.2.3.3";
	size_t server = new ? FLIGHT_BYTES : FINISHED_BYTES;
	size_t client = new ? FINISHED13_BYTES : FINISHED_BYTES;

	add(l, OP_SEAL, aead, role == SERVER ? server : client, 1, why);
	add(l, OP_OPEN, aead, role == SERVER ? client : server, 1, why);
}

int speed_handshake_parts(const struct suite *s, enum role role, struct limit *l, struct fail *f)
{
	const struct algorithm *aead;

	*l = (struct limit){ 0 };
	if (suite_is_plain(s))
		return 0;
	aead = s->cipher->aead ? algorithm_of_bulk(s->cipher->bulk) : NULL;
	if (s->group->id && add_group(l, s, role, f))
		return -1;
	if (add_credential(l, s, role, f))
		return -1;
	add(l, OP_HASH, algorithm_of_hash(s->cipher->hash), FLIGHT_BYTES, 1,
	    "transcript, RFC 8446 section 4.4.1, RFC 5246 section 7.4.9");
	add_secrets(l, s, aead);
	if (aead)
		add_records(l, s, aead, role);
	return 0;
}

/* --- with figures ----------------------------------------------------------------- */

static int want_side(struct speed_book *b, const struct engine_ops *engine, const struct suite *s,
		     enum role role, struct fail *f)
{
	struct limit l;

	if (speed_handshake_parts(s, role, &l, f))
		return -1;
	for (int i = 0; i < l.parts; i++)
		if (speed_book_want(b, engine, &l.part[i].what))
			return fail_set(f, ENOMEM, "no memory for the list of primitives");
	return 0;
}

int speed_handshake_want(struct speed_book *b, const struct engine_ops *engine,
			 const struct suite *s, struct fail *f)
{
	return want_side(b, engine, s, SERVER, f) || want_side(b, engine, s, CLIENT, f) ? -1 : 0;
}

int speed_handshake_limit(const struct suite *s, const struct engine_ops *engine, enum role role,
			  const struct speed_book *b, struct limit *l, struct fail *f)
{
	char text[OPERATION_TEXT_BYTES];

	if (speed_handshake_parts(s, role, l, f))
		return -1;
	for (int i = 0; i < l->parts; i++) {
		struct limit_part *part = &l->part[i];
		const struct speed_figure *figure = speed_book_find(b, engine, &part->what);

		if (!figure || !figure->measured)
			return fail_set(f, ENOTSUP, "%s: no limit without %s", engine->name,
					operation_format(&part->what, text));
		part->us = part->count * figure->us_per_op;
		part->cpu_us = part->count * speed_cpu_us_per_op(figure);
		l->us += part->us;
		l->cpu_us += part->cpu_us;
	}
	return 0;
}
