/* SPDX-License-Identifier: Apache-2.0 */
/*
 * primitive - one cryptographic operation of one engine, ready to be repeated.
 *
 * Keys, buffers and contexts are made by primitive_open(), which also checks once that
 * the operation does what it should: the signature verifies and a changed one does not,
 * both sides agree on a secret, a sealed record opens and a changed one does not. What
 * is left for primitive_run() is the operation alone. It reads no clock.
 *
 * Threads: a primitive belongs to the thread that opened it.
 */
#ifndef CIPHERS_PRIMITIVE_H
#define CIPHERS_PRIMITIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ciphers/engine.h"
#include "lib/fail.h"

enum primitive_op {
	OP_NOTHING,
	OP_SIGN,
	OP_VERIFY,
	OP_KEYGEN,
	OP_AGREE,
	OP_ENCAPS,
	OP_DECAPS,
	OP_SEAL,
	OP_OPEN,
	OP_ENCRYPT,
	OP_HASH,
	OP_MAC,
	OP_TRANSCRIPT,
	OP_COUNT
};
extern const char *const primitive_op_name[OP_COUNT]; /* "nothing", "sign", "verify", ... */

/* Algorithms that one piece of an engine's code can do. */
enum primitive_family {
	FAMILY_NOTHING,
	FAMILY_RSA,
	FAMILY_EC,
	FAMILY_FFDH,
	FAMILY_X,     /* X25519, X448 */
	FAMILY_EDDSA, /* Ed25519, Ed448 */
	FAMILY_PQSIG, /* ML-DSA, SLH-DSA */
	FAMILY_KEM,
	FAMILY_AEAD,
	FAMILY_BLOCK, /* AES blocks, each on its own (ECB) */
	FAMILY_HASH,
	FAMILY_HMAC,
	FAMILY_TRANSCRIPT, /* hashes of a handshake interleaved with single AES blocks */
};

struct algorithm {
	const char *name; /* ours: "rsa2048", "p256", "aes-128-gcm"; NULL ends the table */
	enum primitive_family family;
	const char *openssl;   /* OpenSSL's name of the algorithm, curve or group */
	const char *iana;      /* of a curve: "secp256r1"; else NULL */
	uint16_t bits;         /* of the modulus, field or key */
	uint16_t tag_bytes;    /* of an AEAD */
	const char *hash;      /* that it signs, or is: "SHA256" */
	const char *group;     /* another name that struct group has for it; or NULL */
	const size_t *lengths; /* usual input lengths, ends with 0; NULL: has none */
	uint32_t ops;          /* bit per enum primitive_op */
	const char *source;    /* where it is specified */
	bool rare;             /* slow to make or to run: only when asked for by name */
};
extern const struct algorithm algorithms[];

const struct algorithm *algorithm_by_name(const char *name);
/* What a key exchange with this group, or a signature with this credential, runs; or NULL. */
const struct algorithm *algorithm_of_group(const struct group *g);
const struct algorithm *algorithm_of_credential(const struct credential_kind *k);
/* By the catalogue's spelling: "AES-128-GCM", "SHA256". NULL where there is none. */
const struct algorithm *algorithm_of_bulk(const char *bulk);
const struct algorithm *algorithm_of_hash(const char *hash);
const struct algorithm *algorithm_of_hmac(const char *hash);

/* What is repeated. */
struct operation {
	enum primitive_op op;
	const struct algorithm *algorithm;
	size_t bytes; /* of input; 0 where the operation has no length */
};

#define OPERATION_TEXT_BYTES 64
/* "sign:rsa2048", "seal:aes-128-gcm/1024". Returns dst. */
const char *operation_format(const struct operation *o, char dst[OPERATION_TEXT_BYTES]);
bool operation_equal(const struct operation *a, const struct operation *b);
/* Every operation of the table, in a fixed order; stops at the first non-zero and returns it. */
int operation_each(int (*visit)(const struct operation *o, void *data), void *data);

/* Fixed inputs for known answers; what is NULL is made at random. Borrowed while open. */
struct known_input {
	const uint8_t *key; /* a raw key, scalar or seed; of RSA a PEM text */
	size_t key_len;
	const uint8_t *peer; /* the other side's public value */
	size_t peer_len;
	const uint8_t *nonce; /* 12 bytes, or 7 to 13 with CCM */
	size_t nonce_len;
	const uint8_t *aad;
	size_t aad_len;
	const uint8_t *input; /* the message; for "open" the ciphertext with its tag */
	size_t input_len;
};

struct primitive {
	const struct engine_ops *engine;
	struct operation what;
	struct known_input known;
	const struct primitive_ops *ops;
	int (*once)(struct primitive *p); /* 0, or -1; set by ops->open */
	void *impl;
	/* What the last operation wrote, where it wrote bytes; valid until close. */
	const uint8_t *output;
	size_t output_len;
	struct fail fail; /* code ENOTSUP: not in this build of the engine */
};

/* How one engine does one family. */
struct primitive_ops {
	enum primitive_family family;
	/* Keys, buffers, self-check; sets once. On -1 close is called for what there is. */
	int (*open)(struct primitive *p);
	void (*close)(struct primitive *p);
};

/*
 * known may be NULL. -1: p->fail, ENOTSUP when the engine's build does not have it, and
 * nothing is left to close. what and known are borrowed until primitive_close().
 */
int primitive_open(struct primitive *p, const struct engine_ops *engine,
		   const struct operation *what, const struct known_input *known);
/* The operation, count times. -1: p->fail; how many were done is not known. */
int primitive_run(struct primitive *p, int64_t count);
void primitive_close(struct primitive *p);

/* For the engines' files. Returns -1: the build of the engine lacks it. */
int primitive_absent(struct primitive *p);
/* Returns -1: the library refused, or the self-check failed. */
int primitive_broken(struct primitive *p, const char *what);
/* len bytes of a fixed pattern: what is in a message costs nothing. */
void primitive_fill(uint8_t *dst, size_t len);

#define TRANSCRIPT_CHUNKS 11
/* The handshake whose transcript OP_TRANSCRIPT hashes: bytes of its messages. */
extern const size_t transcript_chunk_bytes[TRANSCRIPT_CHUNKS];
#define TRANSCRIPT_SECOND_BYTES 384 /* hashed once more by themselves */
#define TRANSCRIPT_BYTES        1495

/* Nonce and associated data of a TLS 1.2 record: RFC 5246 section 6.2.3.3, RFC 5288. */
#define RECORD_NONCE_BYTES 12
#define RECORD_AAD_BYTES   13
/* What a TLS 1.3 server signs: RFC 8446 section 4.4.3, with a hash of 32 bytes. */
#define SIGNED_BYTES 130

extern const struct primitive_ops *const null_primitives[]; /* each ends with NULL */
#ifdef WITH_OPENSSL
extern const struct primitive_ops *const openssl_primitives[];
#endif
#ifdef WITH_WOLFSSL
extern const struct primitive_ops *const wolfssl_primitives[];
#endif

#endif
