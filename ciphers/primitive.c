/* SPDX-License-Identifier: Apache-2.0 */
/*
 * primitive - the table of algorithms, and the way from one of them to the code of an
 * engine. It knows no library and no clock.
 */
#include "ciphers/primitive.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

const char *const primitive_op_name[OP_COUNT] = {
	[OP_NOTHING] = "nothing",       [OP_SIGN] = "sign",   [OP_VERIFY] = "verify",
	[OP_KEYGEN] = "keygen",         [OP_AGREE] = "agree", [OP_ENCAPS] = "encaps",
	[OP_DECAPS] = "decaps",         [OP_SEAL] = "seal",   [OP_OPEN] = "open",
	[OP_ENCRYPT] = "encrypt",       [OP_HASH] = "hash",   [OP_MAC] = "mac",
	[OP_TRANSCRIPT] = "transcript",
};

const size_t transcript_chunk_bytes[TRANSCRIPT_CHUNKS] = { 115, 91, 425, 149, 109, 4,
							   422, 70, 78,  16,  16 };

/* Usual records, from an alert to a full one. */
static const size_t record_lengths[] = { 16, 256, 1024, 8192, RECORD_BYTES_MAX, 0 };
static const size_t transcript_length[] = { TRANSCRIPT_BYTES, 0 };

#define BIT(op) (1u << (op))
#define SIGNS   (BIT(OP_SIGN) | BIT(OP_VERIFY))
#define MAKES   (SIGNS | BIT(OP_KEYGEN))
#define AGREES  (BIT(OP_KEYGEN) | BIT(OP_AGREE))
#define WRAPS   (BIT(OP_KEYGEN) | BIT(OP_ENCAPS) | BIT(OP_DECAPS))
#define RECORDS (BIT(OP_SEAL) | BIT(OP_OPEN))

/* clang-format off */
const struct algorithm algorithms[] = {
	{ "nothing", FAMILY_NOTHING, .ops = BIT(OP_NOTHING), .source = "the cost of the harness itself" },

	/* A key of these is made once and kept: nothing in a handshake makes one. */
	{ "rsa1024",  FAMILY_RSA, "RSA", .bits = 1024,  .hash = "SHA256", .ops = SIGNS, .source = "RFC 8017" },
	{ "rsa2048",  FAMILY_RSA, "RSA", .bits = 2048,  .hash = "SHA256", .ops = SIGNS, .source = "RFC 8017" },
	{ "rsa3072",  FAMILY_RSA, "RSA", .bits = 3072,  .hash = "SHA256", .ops = SIGNS, .source = "RFC 8017" },
	{ "rsa4096",  FAMILY_RSA, "RSA", .bits = 4096,  .hash = "SHA256", .ops = SIGNS, .source = "RFC 8017" },
	{ "rsa7680",  FAMILY_RSA, "RSA", .bits = 7680,  .hash = "SHA384", .ops = SIGNS, .source = "RFC 8017" },
	{ "rsa15360", FAMILY_RSA, "RSA", .bits = 15360, .hash = "SHA512", .ops = SIGNS, .source = "RFC 8017", .rare = true },

	{ "p224", FAMILY_EC, "P-224", "secp224r1", .bits = 224, .hash = "SHA256", .ops = MAKES | AGREES, .source = "FIPS 186-5, SP 800-56A" },
	{ "p256", FAMILY_EC, "P-256", "secp256r1", .bits = 256, .hash = "SHA256", .ops = MAKES | AGREES, .source = "FIPS 186-5, SP 800-56A" },
	{ "p384", FAMILY_EC, "P-384", "secp384r1", .bits = 384, .hash = "SHA384", .ops = MAKES | AGREES, .source = "FIPS 186-5, SP 800-56A" },
	{ "p521", FAMILY_EC, "P-521", "secp521r1", .bits = 521, .hash = "SHA512", .ops = MAKES | AGREES, .source = "FIPS 186-5, SP 800-56A" },
	{ "brainpool256", FAMILY_EC, "brainpoolP256r1", "brainpoolP256r1", .bits = 256, .hash = "SHA256", .group = "brainpoolP256r1tls13", .ops = MAKES | AGREES, .source = "RFC 5639" },
	{ "brainpool384", FAMILY_EC, "brainpoolP384r1", "brainpoolP384r1", .bits = 384, .hash = "SHA384", .group = "brainpoolP384r1tls13", .ops = MAKES | AGREES, .source = "RFC 5639" },
	{ "brainpool512", FAMILY_EC, "brainpoolP512r1", "brainpoolP512r1", .bits = 512, .hash = "SHA512", .group = "brainpoolP512r1tls13", .ops = MAKES | AGREES, .source = "RFC 5639" },

	{ "x25519", FAMILY_X, "X25519", .bits = 256, .ops = AGREES, .source = "RFC 7748" },
	{ "x448",   FAMILY_X, "X448",   .bits = 448, .ops = AGREES, .source = "RFC 7748" },

	{ "ffdhe2048", FAMILY_FFDH, "ffdhe2048", .bits = 2048, .ops = AGREES, .source = "RFC 7919" },
	{ "ffdhe3072", FAMILY_FFDH, "ffdhe3072", .bits = 3072, .ops = AGREES, .source = "RFC 7919" },
	{ "ffdhe4096", FAMILY_FFDH, "ffdhe4096", .bits = 4096, .ops = AGREES, .source = "RFC 7919" },
	{ "ffdhe6144", FAMILY_FFDH, "ffdhe6144", .bits = 6144, .ops = AGREES, .source = "RFC 7919" },
	{ "ffdhe8192", FAMILY_FFDH, "ffdhe8192", .bits = 8192, .ops = AGREES, .source = "RFC 7919" },

	{ "ed25519", FAMILY_EDDSA, "ED25519", .bits = 256, .ops = MAKES, .source = "RFC 8032" },
	{ "ed448",   FAMILY_EDDSA, "ED448",   .bits = 456, .ops = MAKES, .source = "RFC 8032" },

	{ "mldsa44", FAMILY_PQSIG, "ML-DSA-44", .ops = MAKES, .source = "FIPS 204" },
	{ "mldsa65", FAMILY_PQSIG, "ML-DSA-65", .ops = MAKES, .source = "FIPS 204" },
	{ "mldsa87", FAMILY_PQSIG, "ML-DSA-87", .ops = MAKES, .source = "FIPS 204" },
	{ "slhdsa-sha2-128s", FAMILY_PQSIG, "SLH-DSA-SHA2-128s", .ops = MAKES, .source = "FIPS 205", .rare = true },
	{ "slhdsa-sha2-128f", FAMILY_PQSIG, "SLH-DSA-SHA2-128f", .ops = MAKES, .source = "FIPS 205" },
	{ "slhdsa-sha2-192s", FAMILY_PQSIG, "SLH-DSA-SHA2-192s", .ops = MAKES, .source = "FIPS 205", .rare = true },
	{ "slhdsa-sha2-192f", FAMILY_PQSIG, "SLH-DSA-SHA2-192f", .ops = MAKES, .source = "FIPS 205" },
	{ "slhdsa-sha2-256s", FAMILY_PQSIG, "SLH-DSA-SHA2-256s", .ops = MAKES, .source = "FIPS 205", .rare = true },
	{ "slhdsa-sha2-256f", FAMILY_PQSIG, "SLH-DSA-SHA2-256f", .ops = MAKES, .source = "FIPS 205" },
	{ "slhdsa-shake-128s", FAMILY_PQSIG, "SLH-DSA-SHAKE-128s", .ops = MAKES, .source = "FIPS 205", .rare = true },
	{ "slhdsa-shake-128f", FAMILY_PQSIG, "SLH-DSA-SHAKE-128f", .ops = MAKES, .source = "FIPS 205", .rare = true },
	{ "slhdsa-shake-192s", FAMILY_PQSIG, "SLH-DSA-SHAKE-192s", .ops = MAKES, .source = "FIPS 205", .rare = true },
	{ "slhdsa-shake-192f", FAMILY_PQSIG, "SLH-DSA-SHAKE-192f", .ops = MAKES, .source = "FIPS 205", .rare = true },
	{ "slhdsa-shake-256s", FAMILY_PQSIG, "SLH-DSA-SHAKE-256s", .ops = MAKES, .source = "FIPS 205", .rare = true },
	{ "slhdsa-shake-256f", FAMILY_PQSIG, "SLH-DSA-SHAKE-256f", .ops = MAKES, .source = "FIPS 205", .rare = true },

	{ "mlkem512",  FAMILY_KEM, "ML-KEM-512",  .group = "MLKEM512",  .ops = WRAPS, .source = "FIPS 203" },
	{ "mlkem768",  FAMILY_KEM, "ML-KEM-768",  .group = "MLKEM768",  .ops = WRAPS, .source = "FIPS 203" },
	{ "mlkem1024", FAMILY_KEM, "ML-KEM-1024", .group = "MLKEM1024", .ops = WRAPS, .source = "FIPS 203" },
	{ "x25519mlkem768", FAMILY_KEM, "X25519MLKEM768", .ops = WRAPS, .source = "draft-ietf-tls-ecdhe-mlkem" },
	{ "p256mlkem768",   FAMILY_KEM, "SecP256r1MLKEM768", .ops = WRAPS, .source = "draft-ietf-tls-ecdhe-mlkem" },
	{ "p384mlkem1024",  FAMILY_KEM, "SecP384r1MLKEM1024", .ops = WRAPS, .source = "draft-ietf-tls-ecdhe-mlkem" },

	{ "aes-128-gcm", FAMILY_AEAD, "AES-128-GCM", .bits = 128, .tag_bytes = 16, .lengths = record_lengths, .ops = RECORDS, .source = "SP 800-38D, RFC 5288" },
	{ "aes-256-gcm", FAMILY_AEAD, "AES-256-GCM", .bits = 256, .tag_bytes = 16, .lengths = record_lengths, .ops = RECORDS, .source = "SP 800-38D, RFC 5288" },
	{ "aes-128-ccm", FAMILY_AEAD, "AES-128-CCM", .bits = 128, .tag_bytes = 16, .lengths = record_lengths, .ops = RECORDS, .source = "RFC 3610, RFC 6655" },
	{ "aes-256-ccm", FAMILY_AEAD, "AES-256-CCM", .bits = 256, .tag_bytes = 16, .lengths = record_lengths, .ops = RECORDS, .source = "RFC 3610, RFC 6655" },
	{ "aes-128-ccm-8", FAMILY_AEAD, "AES-128-CCM", .bits = 128, .tag_bytes = 8, .lengths = record_lengths, .ops = RECORDS, .source = "RFC 3610, RFC 6655" },
	{ "aes-256-ccm-8", FAMILY_AEAD, "AES-256-CCM", .bits = 256, .tag_bytes = 8, .lengths = record_lengths, .ops = RECORDS, .source = "RFC 3610, RFC 6655" },
	{ "chacha20-poly1305", FAMILY_AEAD, "ChaCha20-Poly1305", .bits = 256, .tag_bytes = 16, .lengths = record_lengths, .ops = RECORDS, .source = "RFC 8439, RFC 7905" },
	{ "aria-128-gcm", FAMILY_AEAD, "ARIA-128-GCM", .bits = 128, .tag_bytes = 16, .lengths = record_lengths, .ops = RECORDS, .source = "RFC 5794, RFC 6209" },
	{ "aria-256-gcm", FAMILY_AEAD, "ARIA-256-GCM", .bits = 256, .tag_bytes = 16, .lengths = record_lengths, .ops = RECORDS, .source = "RFC 5794, RFC 6209" },

	{ "aes-128-ecb", FAMILY_BLOCK, "AES-128-ECB", .bits = 128, .lengths = record_lengths, .ops = BIT(OP_ENCRYPT), .source = "FIPS 197" },
	{ "sha256", FAMILY_HASH, "SHA256", .bits = 256, .hash = "SHA256", .lengths = record_lengths, .ops = BIT(OP_HASH), .source = "FIPS 180-4" },
	{ "sha384", FAMILY_HASH, "SHA384", .bits = 384, .hash = "SHA384", .lengths = record_lengths, .ops = BIT(OP_HASH), .source = "FIPS 180-4" },
	{ "sha512", FAMILY_HASH, "SHA512", .bits = 512, .hash = "SHA512", .lengths = record_lengths, .ops = BIT(OP_HASH), .source = "FIPS 180-4" },
	{ "hmac-sha256", FAMILY_HMAC, "SHA256", .bits = 256, .hash = "SHA256", .lengths = record_lengths, .ops = BIT(OP_MAC), .source = "RFC 2104" },
	{ "hmac-sha384", FAMILY_HMAC, "SHA384", .bits = 384, .hash = "SHA384", .lengths = record_lengths, .ops = BIT(OP_MAC), .source = "RFC 2104" },
	{ "hmac-sha512", FAMILY_HMAC, "SHA512", .bits = 512, .hash = "SHA512", .lengths = record_lengths, .ops = BIT(OP_MAC), .source = "RFC 2104" },
	{ "sha256-aes-128", FAMILY_TRANSCRIPT, .bits = 256, .hash = "SHA256", .lengths = transcript_length, .ops = BIT(OP_TRANSCRIPT), .source = "two hashes of one handshake, three AES blocks" },
	{ 0 }
};
/* clang-format on */

/* --- searches ------------------------------------------------------------- */

const struct algorithm *algorithm_by_name(const char *name)
{
	for (const struct algorithm *a = algorithms; a->name; a++)
		if (!strcasecmp(a->name, name))
			return a;
	return NULL;
}

static bool exchanges_keys(const struct algorithm *a)
{
	return a->ops & (BIT(OP_AGREE) | BIT(OP_ENCAPS));
}

const struct algorithm *algorithm_of_group(const struct group *g)
{
	for (const struct algorithm *a = algorithms; a->name; a++)
		if (exchanges_keys(a) && (!strcasecmp(a->openssl, g->openssl) ||
					  (a->group && !strcasecmp(a->group, g->openssl))))
			return a;
	return NULL;
}

static bool signs_with(const struct algorithm *a, const struct credential_kind *k)
{
	if (!(a->ops & BIT(OP_SIGN)))
		return false;
	if (k->curve)
		return a->family == FAMILY_EC && !strcasecmp(a->openssl, k->curve);
	/* A key for PSS alone costs what another RSA key does. */
	if (k->key == KEY_RSA || k->key == KEY_RSA_PSS)
		return a->family == FAMILY_RSA && a->bits == k->key_bits;
	return !strcasecmp(a->name, k->name);
}

const struct algorithm *algorithm_of_credential(const struct credential_kind *k)
{
	for (const struct algorithm *a = algorithms; a->name; a++)
		if (signs_with(a, k))
			return a;
	return NULL;
}

static const struct algorithm *of_family(enum primitive_family family, const char *name)
{
	for (const struct algorithm *a = algorithms; a->name; a++)
		if (a->family == family &&
		    (!strcasecmp(a->name, name) || (a->hash && !strcasecmp(a->hash, name))))
			return a;
	return NULL;
}

const struct algorithm *algorithm_of_bulk(const char *bulk)
{
	return of_family(FAMILY_AEAD, bulk);
}

const struct algorithm *algorithm_of_hash(const char *hash)
{
	return of_family(FAMILY_HASH, hash);
}

const struct algorithm *algorithm_of_hmac(const char *hash)
{
	return of_family(FAMILY_HMAC, hash);
}

/* --- operations ----------------------------------------------------------- */

const char *operation_format(const struct operation *o, char dst[OPERATION_TEXT_BYTES])
{
	int n;

	if (o->op == OP_NOTHING)
		n = snprintf(dst, OPERATION_TEXT_BYTES, "%s", primitive_op_name[o->op]);
	else
		n = snprintf(dst, OPERATION_TEXT_BYTES, "%s:%s", primitive_op_name[o->op],
			     o->algorithm->name);
	if (o->bytes)
		snprintf(dst + n, OPERATION_TEXT_BYTES - (size_t)n, "/%zu", o->bytes);
	return dst;
}

bool operation_equal(const struct operation *a, const struct operation *b)
{
	return a->op == b->op && a->algorithm == b->algorithm && a->bytes == b->bytes;
}

static int each_length(struct operation *o, int (*visit)(const struct operation *o, void *data),
		       void *data)
{
	int ret = 0;

	if (!o->algorithm->lengths)
		return visit(o, data);
	for (const size_t *len = o->algorithm->lengths; *len && !ret; len++) {
		o->bytes = *len;
		ret = visit(o, data);
	}
	return ret;
}

int operation_each(int (*visit)(const struct operation *o, void *data), void *data)
{
	int ret = 0;

	for (const struct algorithm *a = algorithms; a->name; a++)
		for (int op = 0; op < OP_COUNT && !ret; op++)
			if (a->ops & BIT(op)) {
				struct operation o = { .op = (enum primitive_op)op,
						       .algorithm = a };

				ret = each_length(&o, visit, data);
			}
	return ret;
}

/* --- one of them, open ---------------------------------------------------- */

static const struct primitive_ops *const *primitives_of(const struct engine_ops *engine)
{
#ifdef WITH_OPENSSL
	if (engine == &engine_openssl)
		return openssl_primitives;
#endif
#ifdef WITH_WOLFSSL
	if (engine == &engine_wolfssl)
		return wolfssl_primitives;
#endif
	return null_primitives;
}

int primitive_absent(struct primitive *p)
{
	char text[OPERATION_TEXT_BYTES];

	return fail_set(&p->fail, ENOTSUP, "%s: %s: not in this build", p->engine->name,
			operation_format(&p->what, text));
}

int primitive_broken(struct primitive *p, const char *what)
{
	char text[OPERATION_TEXT_BYTES];

	return fail_set(&p->fail, EPROTO, "%s: %s: %s", p->engine->name,
			operation_format(&p->what, text), what);
}

void primitive_fill(uint8_t *dst, size_t len)
{
	for (size_t i = 0; i < len; i++)
		dst[i] = (uint8_t)(i * 7 + 1);
}

int primitive_open(struct primitive *p, const struct engine_ops *engine,
		   const struct operation *what, const struct known_input *known)
{
	const struct primitive_ops *const *ops = primitives_of(engine);

	*p = (struct primitive){ .engine = engine, .what = *what };
	if (known)
		p->known = *known;
	while (*ops && (*ops)->family != what->algorithm->family)
		ops++;
	if (!*ops)
		return primitive_absent(p);
	p->ops = *ops;
	if (!p->ops->open(p))
		return 0;
	primitive_close(p);
	return -1;
}

int primitive_run(struct primitive *p, int64_t count)
{
	int (*once)(struct primitive *) = p->once;

	for (int64_t i = 0; i < count; i++)
		if (once(p))
			return -1;
	return 0;
}

void primitive_close(struct primitive *p)
{
	if (p->ops)
		p->ops->close(p);
	p->ops = NULL;
	p->impl = NULL;
	p->output = NULL;
}

/* --- the null engine ------------------------------------------------------ */

static int do_nothing(struct primitive *p)
{
	(void)p;
	return 0;
}

static int nothing_open(struct primitive *p)
{
	p->once = do_nothing;
	return 0;
}

static void nothing_close(struct primitive *p)
{
	(void)p;
}

static const struct primitive_ops nothing = { FAMILY_NOTHING, nothing_open, nothing_close };
const struct primitive_ops *const null_primitives[] = { &nothing, NULL };
