/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_record - record_key over OpenSSL's ciphers. The key schedule is written out: it is a few
 * HMACs, and the library offers it to its own connections only.
 */
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdlib.h>
#include <string.h>

#include "ciphers/record_key.h"

#define NONCE_BYTES    12
#define EXPLICIT_BYTES 8
#define AAD_12_BYTES   13
#define AAD_13_BYTES   5
#define KEY_BLOCK_MAX  256

/* Of a cipher's bulk part: what OpenSSL calls it and how long its parts are. */
struct bulk {
	const char *name, *evp;
	size_t key_bytes, tag_bytes; /* tag_bytes 0: CBC */
};

static const struct bulk bulks[] = {
	{ "AES-128-GCM", "AES-128-GCM", 16, 16 },
	{ "AES-256-GCM", "AES-256-GCM", 32, 16 },
	{ "AES-128-CCM", "AES-128-CCM", 16, 16 },
	{ "AES-256-CCM", "AES-256-CCM", 32, 16 },
	{ "AES-128-CCM-8", "AES-128-CCM", 16, 8 },
	{ "AES-256-CCM-8", "AES-256-CCM", 32, 8 },
	{ "ARIA-128-GCM", "ARIA-128-GCM", 16, 16 },
	{ "ARIA-256-GCM", "ARIA-256-GCM", 32, 16 },
	{ "ChaCha20-Poly1305", "ChaCha20-Poly1305", 32, 16 },
	{ "AES-128-CBC", "AES-128-CBC", 16, 0 },
	{ "AES-256-CBC", "AES-256-CBC", 32, 0 },
	{ NULL, NULL, 0, 0 },
};

struct record_key {
	const struct bulk *bulk;
	EVP_CIPHER *cipher;
	EVP_CIPHER_CTX *ctx;
	bool is_13, is_ccm, explicit_nonce;
	uint8_t key[32], iv[NONCE_BYTES];
	const EVP_MD *mac; /* CBC */
	size_t mac_bytes;
	uint8_t mac_key[EVP_MAX_MD_SIZE];
};

static const struct bulk *find_bulk(const struct cipher *c)
{
	for (const struct bulk *b = bulks; b->name; b++)
		if (strcmp(b->name, c->bulk) == 0)
			return b;
	return NULL;
}

static const EVP_MD *hash_of(const struct cipher *c)
{
	return strcmp(c->hash, "SHA384") == 0 ? EVP_sha384() : EVP_sha256();
}

/* The MAC of a CBC cipher is the last word of its registered name. */
static const EVP_MD *mac_of(const struct cipher *c)
{
	const char *word = strrchr(c->iana, '_');

	if (!word)
		return NULL;
	if (strcmp(word, "_SHA") == 0)
		return EVP_sha1();
	return strcmp(word, "_SHA384") == 0 ? EVP_sha384() : EVP_sha256();
}

/* HKDF-Expand-Label without context (RFC 8446 section 7.1); len is at most the hash's. */
static int expand(const EVP_MD *hash, const uint8_t *secret, size_t secret_len, const char *label,
		  uint8_t *dst, size_t len)
{
	uint8_t info[64], block[EVP_MAX_MD_SIZE];
	size_t n = strlen(label) + 6, used = 0;

	info[used++] = 0;
	info[used++] = (uint8_t)len;
	info[used++] = (uint8_t)n;
	memcpy(info + used, "tls13 ", 6);
	memcpy(info + used + 6, label, n - 6);
	used += n;
	info[used++] = 0;
	info[used++] = 1; /* the first block of HKDF-Expand */
	if (!HMAC(hash, secret, (int)secret_len, info, used, block, NULL))
		return -1;
	memcpy(dst, block, len);
	OPENSSL_cleanse(block, sizeof(block));
	return 0;
}

/* P_hash of RFC 5246 section 5, over label and seed in one. */
static int prf(const EVP_MD *hash, const uint8_t *secret, size_t secret_len, const uint8_t *seed,
	       size_t seed_len, uint8_t *dst, size_t len)
{
	size_t hash_bytes = (size_t)EVP_MD_get_size(hash);
	uint8_t round[EVP_MAX_MD_SIZE + 96], block[EVP_MAX_MD_SIZE];

	if (!HMAC(hash, secret, (int)secret_len, seed, seed_len, round, NULL))
		return -1;
	memcpy(round + hash_bytes, seed, seed_len);
	for (size_t done = 0; done < len;) {
		size_t part = len - done < hash_bytes ? len - done : hash_bytes;

		if (!HMAC(hash, secret, (int)secret_len, round, hash_bytes + seed_len, block,
			  NULL) ||
		    !HMAC(hash, secret, (int)secret_len, round, hash_bytes, round, NULL))
			return -1;
		memcpy(dst + done, block, part);
		done += part;
	}
	OPENSSL_cleanse(block, sizeof(block));
	return 0;
}

static struct record_key *new_key(const struct cipher *c)
{
	const struct bulk *bulk = find_bulk(c);
	struct record_key *k = bulk ? calloc(1, sizeof(*k)) : NULL;

	if (!k)
		return NULL;
	k->bulk = bulk;
	k->is_ccm = strstr(bulk->evp, "CCM") != NULL;
	k->cipher = EVP_CIPHER_fetch(NULL, bulk->evp, NULL);
	k->ctx = EVP_CIPHER_CTX_new();
	if (k->cipher && k->ctx)
		return k;
	record_key_free(k);
	return NULL;
}

struct record_key *record_key_13(const struct cipher *c, const uint8_t *secret, size_t len)
{
	struct record_key *k = new_key(c);

	if (!k)
		return NULL;
	k->is_13 = true;
	if (k->bulk->tag_bytes &&
	    expand(hash_of(c), secret, len, "key", k->key, k->bulk->key_bytes) == 0 &&
	    expand(hash_of(c), secret, len, "iv", k->iv, NONCE_BYTES) == 0)
		return k;
	record_key_free(k);
	return NULL;
}

int record_secret_next(const struct cipher *c, uint8_t *secret, size_t len)
{
	uint8_t next[EVP_MAX_MD_SIZE];

	if (len > sizeof(next) || expand(hash_of(c), secret, len, "traffic upd", next, len) < 0)
		return -1;
	memcpy(secret, next, len);
	OPENSSL_cleanse(next, sizeof(next));
	return 0;
}

/* Of the key block: MAC keys, keys, then what is fixed of the nonces; the client's come first. */
static void cut_block(struct record_key *k, const uint8_t *block, size_t iv_bytes, bool of_client)
{
	size_t at = k->mac_bytes * (of_client ? 0 : 1);

	memcpy(k->mac_key, block + at, k->mac_bytes);
	at = 2 * k->mac_bytes + k->bulk->key_bytes * (of_client ? 0 : 1);
	memcpy(k->key, block + at, k->bulk->key_bytes);
	at = 2 * (k->mac_bytes + k->bulk->key_bytes) + iv_bytes * (of_client ? 0 : 1);
	memcpy(k->iv, block + at, iv_bytes);
}

struct record_key *record_key_12(const struct cipher *c, const uint8_t master[RECORD_MASTER_BYTES],
				 const uint8_t client_random[RECORD_RANDOM_BYTES],
				 const uint8_t server_random[RECORD_RANDOM_BYTES], bool of_client)
{
	static const char label[] = "key expansion";
	uint8_t seed[sizeof(label) - 1 + 2 * RECORD_RANDOM_BYTES], block[KEY_BLOCK_MAX];
	struct record_key *k = new_key(c);
	size_t iv_bytes;

	if (!k)
		return NULL;
	k->explicit_nonce = k->bulk->tag_bytes && strcmp(k->bulk->name, "ChaCha20-Poly1305") != 0;
	k->mac = k->bulk->tag_bytes ? NULL : mac_of(c);
	k->mac_bytes = k->mac ? (size_t)EVP_MD_get_size(k->mac) : 0;
	iv_bytes = k->mac ? 0 : k->explicit_nonce ? NONCE_BYTES - EXPLICIT_BYTES : NONCE_BYTES;
	memcpy(seed, label, sizeof(label) - 1);
	memcpy(seed + sizeof(label) - 1, server_random, RECORD_RANDOM_BYTES);
	memcpy(seed + sizeof(label) - 1 + RECORD_RANDOM_BYTES, client_random, RECORD_RANDOM_BYTES);
	if (prf(hash_of(c), master, RECORD_MASTER_BYTES, seed, sizeof(seed), block,
		2 * (k->mac_bytes + k->bulk->key_bytes + iv_bytes)) == 0) {
		cut_block(k, block, iv_bytes, of_client);
		OPENSSL_cleanse(block, sizeof(block));
		return k;
	}
	record_key_free(k);
	return NULL;
}

void record_key_free(struct record_key *k)
{
	if (!k)
		return;
	EVP_CIPHER_CTX_free(k->ctx);
	EVP_CIPHER_free(k->cipher);
	OPENSSL_cleanse(k, sizeof(*k));
	free(k);
}

static void put_be(uint8_t *dst, uint64_t value, size_t bytes)
{
	while (bytes-- > 0) {
		dst[bytes] = (uint8_t)value;
		value >>= 8;
	}
}

static size_t make_aad(const struct record_key *k, const struct record_head *head, size_t body_len,
		       size_t content_len, uint8_t aad[AAD_12_BYTES])
{
	if (k->is_13) {
		aad[0] = head->type;
		put_be(aad + 1, head->version, 2);
		put_be(aad + 3, body_len, 2);
		return AAD_13_BYTES;
	}
	put_be(aad, head->seq, 8);
	aad[8] = head->type;
	put_be(aad + 9, head->version, 2);
	put_be(aad + 11, content_len, 2);
	return AAD_12_BYTES;
}

static void make_nonce(const struct record_key *k, uint64_t seq, const uint8_t *body,
		       uint8_t nonce[NONCE_BYTES])
{
	uint8_t number[8];

	memcpy(nonce, k->iv, NONCE_BYTES);
	if (k->explicit_nonce) {
		memcpy(nonce + NONCE_BYTES - EXPLICIT_BYTES, body, EXPLICIT_BYTES);
		return;
	}
	put_be(number, seq, 8);
	for (int i = 0; i < 8; i++)
		nonce[NONCE_BYTES - 8 + i] ^= number[i];
}

/* CCM wants to know the length before the associated data, and does not end with a final call. */
static bool open_aead(struct record_key *k, const uint8_t nonce[NONCE_BYTES], const uint8_t *aad,
		      size_t aad_len, const uint8_t *sealed, size_t len, uint8_t *dst)
{
	uint8_t tag[16];
	int n;

	memcpy(tag, sealed + len, k->bulk->tag_bytes);
	if (!EVP_DecryptInit_ex2(k->ctx, k->cipher, NULL, NULL, NULL) ||
	    EVP_CIPHER_CTX_ctrl(k->ctx, EVP_CTRL_AEAD_SET_IVLEN, NONCE_BYTES, NULL) <= 0 ||
	    EVP_CIPHER_CTX_ctrl(k->ctx, EVP_CTRL_AEAD_SET_TAG, (int)k->bulk->tag_bytes, tag) <= 0 ||
	    !EVP_DecryptInit_ex2(k->ctx, NULL, k->key, nonce, NULL))
		return false;
	if (k->is_ccm)
		return EVP_DecryptUpdate(k->ctx, NULL, &n, NULL, (int)len) &&
		       EVP_DecryptUpdate(k->ctx, NULL, &n, aad, (int)aad_len) &&
		       EVP_DecryptUpdate(k->ctx, dst, &n, sealed, (int)len) > 0;
	return EVP_DecryptUpdate(k->ctx, NULL, &n, aad, (int)aad_len) &&
	       EVP_DecryptUpdate(k->ctx, dst, &n, sealed, (int)len) &&
	       EVP_DecryptFinal_ex(k->ctx, dst + n, &n) > 0;
}

/* The type stands behind the content, zeros behind the type (RFC 8446 section 5.4). */
static int strip_13(const uint8_t *dst, size_t len, size_t *dst_len, uint8_t *type)
{
	while (len > 0 && dst[len - 1] == 0)
		len--;
	if (len == 0)
		return -1;
	*type = dst[len - 1];
	*dst_len = len - 1;
	return 0;
}

static int open_sealed(struct record_key *k, const struct record_head *head, const uint8_t *body,
		       size_t len, uint8_t *dst, size_t *dst_len, uint8_t *type)
{
	size_t skip = k->explicit_nonce ? EXPLICIT_BYTES : 0, content;
	uint8_t nonce[NONCE_BYTES], aad[AAD_12_BYTES];

	if (len < skip + k->bulk->tag_bytes)
		return -1;
	content = len - skip - k->bulk->tag_bytes;
	make_nonce(k, head->seq, body, nonce);
	if (!open_aead(k, nonce, aad, make_aad(k, head, len, content, aad), body + skip, content,
		       dst))
		return -1;
	if (k->is_13)
		return strip_13(dst, content, dst_len, type);
	*dst_len = content;
	*type = head->type;
	return 0;
}

static bool mac_is_right(const struct record_key *k, const struct record_head *head,
			 const uint8_t *data, size_t len, const uint8_t *mac)
{
	uint8_t text[AAD_12_BYTES + 18432 + 64], expected[EVP_MAX_MD_SIZE];

	if (len > sizeof(text) - AAD_12_BYTES)
		return false;
	make_aad(k, head, 0, len, text);
	memcpy(text + AAD_12_BYTES, data, len);
	return HMAC(k->mac, k->mac_key, (int)k->mac_bytes, text, AAD_12_BYTES + len, expected,
		    NULL) &&
	       CRYPTO_memcmp(expected, mac, k->mac_bytes) == 0;
}

static bool decrypt_cbc(struct record_key *k, const uint8_t *body, size_t len, uint8_t *dst)
{
	int n;

	return EVP_DecryptInit_ex2(k->ctx, k->cipher, k->key, body, NULL) &&
	       EVP_CIPHER_CTX_set_padding(k->ctx, 0) &&
	       EVP_DecryptUpdate(k->ctx, dst, &n, body + 16, (int)(len - 16));
}

/* Without the padding, of which the last byte counts the others; false: it is none. */
static bool strip_padding(const uint8_t *dst, size_t *len)
{
	size_t pad = *len ? dst[*len - 1] + 1u : 0;

	if (pad == 0 || pad > *len)
		return false;
	for (size_t i = 0; i < pad; i++)
		if (dst[*len - 1 - i] != pad - 1)
			return false;
	*len -= pad;
	return true;
}

/* MAC and then encrypt, as at first; or the other way round where that was agreed (RFC 7366). */
static int open_cbc(struct record_key *k, const struct record_head *head, const uint8_t *body,
		    size_t len, uint8_t *dst, size_t *dst_len, uint8_t *type)
{
	size_t sealed = len - k->mac_bytes, content;

	*type = head->type;
	if (len >= 32 + k->mac_bytes && sealed % 16 == 0 &&
	    mac_is_right(k, head, body, sealed, body + sealed) &&
	    decrypt_cbc(k, body, sealed, dst)) {
		*dst_len = sealed - 16;
		return strip_padding(dst, dst_len) ? 0 : -1;
	}
	if (len < 32 || len % 16 != 0 || !decrypt_cbc(k, body, len, dst))
		return -1;
	content = len - 16;
	if (!strip_padding(dst, &content) || content < k->mac_bytes)
		return -1;
	*dst_len = content - k->mac_bytes;
	return mac_is_right(k, head, dst, *dst_len, dst + *dst_len) ? 0 : -1;
}

int record_key_open(struct record_key *k, const struct record_head *head, const uint8_t *body,
		    size_t len, uint8_t *dst, size_t *dst_len, uint8_t *type)
{
	if (k->mac)
		return open_cbc(k, head, body, len, dst, dst_len, type);
	return open_sealed(k, head, body, len, dst, dst_len, type);
}

bool record_key_available(void)
{
	return true;
}
