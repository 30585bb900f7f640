/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_object - signatures and authenticated encryption of secured objects with
 * libcrypto. It knows neither COSE nor XML; certificates are in openssl_trust.c.
 */
#include <errno.h>
#include <limits.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <stdlib.h>
#include <string.h>

#include "ciphers/object_crypto.h"
#include "ciphers/openssl_object.h"

const struct object_aead object_a128gcm = { "A128GCM", "AES-128-GCM", 16, 12, 16, false };
const struct object_aead object_aes_ccm_16_64_128 = {
	"AES-CCM-16-64-128", "AES-128-CCM", 16, 13, 8, true
};

int openssl_object_fail(struct fail *f, const char *what)
{
	const char *reason = ERR_reason_error_string(ERR_peek_error());

	ERR_clear_error();
	return fail_set(f, EIO, "%s: %s", what, reason ? reason : "no reason given");
}

/* --- keys ----------------------------------------------------------------------------- */

struct object_key *openssl_object_key(EVP_PKEY *key)
{
	struct object_key *k = key ? calloc(1, sizeof *k) : NULL;

	if (k)
		k->key = key;
	else
		EVP_PKEY_free(key);
	return k;
}

static int no_pass_phrase(char *dst, int len, int writing, void *data)
{
	(void)dst, (void)len, (void)writing, (void)data;
	return -1;
}

struct object_key *object_key_read(const char *pem_file, struct fail *f)
{
	BIO *bio = BIO_new_file(pem_file, "r");
	struct object_key *k = NULL;

	if (bio)
		k = openssl_object_key(PEM_read_bio_PrivateKey(bio, NULL, no_pass_phrase, NULL));
	if (!k)
		openssl_object_fail(f, pem_file);
	BIO_free(bio);
	return k;
}

void object_key_free(struct object_key *k)
{
	if (k)
		EVP_PKEY_free(k->key);
	free(k);
}

void *object_key_native(const struct object_key *k)
{
	return EVP_PKEY_up_ref(k->key) == 1 ? k->key : NULL;
}

/* --- ECDSA ---------------------------------------------------------------------------- */

static bool signs(const struct object_key *k)
{
	char curve[32] = "";
	size_t len = 0;

	return EVP_PKEY_is_a(k->key, "EC") &&
	       EVP_PKEY_get_group_name(k->key, curve, sizeof curve, &len) == 1 &&
	       !strcmp(curve, "prime256v1");
}

static int to_raw(const uint8_t *der, size_t len, uint8_t signature[OBJECT_SIGNATURE_BYTES])
{
	const unsigned char *at = der;
	ECDSA_SIG *s = d2i_ECDSA_SIG(NULL, &at, (long)len);
	int half = OBJECT_SIGNATURE_BYTES / 2;
	bool ok = s && BN_bn2binpad(ECDSA_SIG_get0_r(s), signature, half) == half &&
		  BN_bn2binpad(ECDSA_SIG_get0_s(s), signature + half, half) == half;

	ECDSA_SIG_free(s);
	return ok ? 0 : -1;
}

int object_sign(const struct object_key *k, const void *src, size_t len,
		uint8_t signature[OBJECT_SIGNATURE_BYTES], struct fail *f)
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	uint8_t der[OBJECT_SIGNATURE_BYTES + 16];
	size_t der_len = sizeof der;
	int ret = 0;

	if (!ctx || !signs(k) || EVP_DigestSignInit(ctx, NULL, EVP_sha256(), NULL, k->key) != 1 ||
	    EVP_DigestSign(ctx, der, &der_len, src, len) != 1 || to_raw(der, der_len, signature))
		ret = openssl_object_fail(f, "signing with ECDSA on P-256");
	EVP_MD_CTX_free(ctx);
	return ret;
}

static int to_der(const uint8_t signature[OBJECT_SIGNATURE_BYTES], uint8_t **der)
{
	int half = OBJECT_SIGNATURE_BYTES / 2, len = -1;
	BIGNUM *r = BN_bin2bn(signature, half, NULL), *s = BN_bin2bn(signature + half, half, NULL);
	ECDSA_SIG *sig = ECDSA_SIG_new();

	if (sig && r && s && ECDSA_SIG_set0(sig, r, s) == 1) {
		r = s = NULL;
		len = i2d_ECDSA_SIG(sig, der);
	}
	BN_free(r);
	BN_free(s);
	ECDSA_SIG_free(sig);
	return len;
}

bool object_verify(const struct object_key *k, const void *src, size_t len,
		   const uint8_t signature[OBJECT_SIGNATURE_BYTES])
{
	EVP_MD_CTX *ctx = EVP_MD_CTX_new();
	uint8_t *der = NULL;
	int der_len = to_der(signature, &der);
	bool good = ctx && der_len > 0 && signs(k) &&
		    EVP_DigestVerifyInit(ctx, NULL, EVP_sha256(), NULL, k->key) == 1 &&
		    EVP_DigestVerify(ctx, der, (size_t)der_len, src, len) == 1;

	OPENSSL_free(der);
	EVP_MD_CTX_free(ctx);
	ERR_clear_error();
	return good;
}

/* --- authenticated encryption --------------------------------------------------------- */

/* CCM wants its lengths before anything else (NIST SP 800-38C). */
static bool begin(EVP_CIPHER_CTX *ctx, const EVP_CIPHER *cipher, const struct object_aead *a,
		  const uint8_t *key, const uint8_t *nonce, uint8_t *tag, int len, bool sealing)
{
	int unused;

	return EVP_CipherInit_ex(ctx, cipher, NULL, NULL, NULL, sealing) == 1 &&
	       EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_IVLEN, a->nonce_bytes, NULL) == 1 &&
	       (sealing && !a->ccm ? 1
				   : EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_SET_TAG, a->tag_bytes,
							 sealing ? NULL : tag)) == 1 &&
	       EVP_CipherInit_ex(ctx, NULL, NULL, key, nonce, sealing) == 1 &&
	       (!a->ccm || EVP_CipherUpdate(ctx, NULL, &unused, NULL, len) == 1);
}

static bool run(const struct object_aead *a, const uint8_t *key, const uint8_t *nonce,
		const void *aad, size_t aad_len, const void *src, int len, uint8_t *dst,
		uint8_t *tag, bool sealing)
{
	EVP_CIPHER_CTX *ctx = EVP_CIPHER_CTX_new();
	EVP_CIPHER *cipher = EVP_CIPHER_fetch(NULL, a->cipher, NULL);
	int done = 0, last = 0;
	bool ok = ctx && cipher && begin(ctx, cipher, a, key, nonce, tag, len, sealing) &&
		  EVP_CipherUpdate(ctx, NULL, &done, aad, (int)aad_len) == 1 &&
		  EVP_CipherUpdate(ctx, dst, &done, src, len) == 1 && done == len &&
		  ((a->ccm && !sealing) || EVP_CipherFinal_ex(ctx, dst + done, &last) == 1) &&
		  (!sealing ||
		   EVP_CIPHER_CTX_ctrl(ctx, EVP_CTRL_AEAD_GET_TAG, a->tag_bytes, tag) == 1);

	EVP_CIPHER_free(cipher);
	EVP_CIPHER_CTX_free(ctx);
	return ok;
}

int object_seal(const struct object_aead *a, const uint8_t *key, const uint8_t *nonce,
		const void *aad, size_t aad_len, const void *src, size_t len, struct buf *out,
		struct fail *f)
{
	size_t whole = len + (size_t)a->tag_bytes;
	uint8_t *dst = len < INT_MAX && aad_len < INT_MAX ? buf_reserve(out, whole) : NULL;

	if (!dst)
		return fail_set(f, ENOMEM, "no memory for %zu sealed bytes", len);
	if (!run(a, key, nonce, aad, aad_len, src, (int)len, dst, dst + len, true))
		return openssl_object_fail(f, a->name);
	out->len += whole;
	return 0;
}

int object_unseal(const struct object_aead *a, const uint8_t *key, const uint8_t *nonce,
		  const void *aad, size_t aad_len, const void *src, size_t len, struct buf *out,
		  struct fail *f)
{
	size_t tag_bytes = (size_t)a->tag_bytes, content = len - tag_bytes;
	uint8_t tag[EVP_MAX_BLOCK_LENGTH], *dst;

	if (len < tag_bytes)
		return fail_set(f, EBADMSG, "%zu bytes are fewer than a tag", len);
	/* One byte more: nothing sealed has an address too. */
	dst = len < INT_MAX && aad_len < INT_MAX ? buf_reserve(out, content + 1) : NULL;
	if (!dst)
		return fail_set(f, ENOMEM, "no memory for %zu bytes", content);
	memcpy(tag, (const uint8_t *)src + content, tag_bytes);
	if (!run(a, key, nonce, aad, aad_len, src, (int)content, dst, tag, false)) {
		OPENSSL_cleanse(dst, content);
		ERR_clear_error();
		return fail_set(f, EBADMSG, "%s: it is not what was sealed with this key", a->name);
	}
	out->len += content;
	return 0;
}

/* --- the rest ------------------------------------------------------------------------- */

int object_random(void *dst, size_t len, struct fail *f)
{
	if (len <= INT_MAX && RAND_bytes(dst, (int)len) == 1)
		return 0;
	return openssl_object_fail(f, "random bytes");
}

int object_sha1(const void *src, size_t len, uint8_t digest[OBJECT_SHA1_BYTES], struct fail *f)
{
	size_t got = 0;

	if (EVP_Q_digest(NULL, "SHA1", NULL, src, len, digest, &got) == 1 &&
	    got == OBJECT_SHA1_BYTES)
		return 0;
	return openssl_object_fail(f, "SHA-1");
}

bool object_same(const void *a, const void *b, size_t len)
{
	return CRYPTO_memcmp(a, b, len) == 0;
}

void object_wipe(void *p, size_t len)
{
	if (p)
		OPENSSL_cleanse(p, len);
}

void object_forget_errors(void)
{
	ERR_clear_error();
}
