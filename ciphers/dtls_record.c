/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dtls_record - the heads of records and of handshake messages, read without state.
 */
#include "ciphers/dtls_record.h"

#include <string.h>

#define HANDSHAKE_HEAD_BYTES 12
#define CLIENT_HELLO         1
#define VERSION_BYTES        2
#define UNIFIED_MASK         0xe0
#define UNIFIED_HEAD_MIN     5  /* head, sequence number, 16 bytes of ciphertext follow */
#define SEALED_AEAD_MIN      16 /* CCM_8: 8 of the nonce, 8 of the tag; ChaCha20: the tag */
#define SEALED_AEAD_MAX      24

static uint32_t read_be(const uint8_t *src, size_t bytes)
{
	uint32_t value = 0;

	while (bytes--)
		value = value << 8 | *src++;
	return value;
}

/* RFC 6347 section 4.2.2. */
static void read_message(const uint8_t *src, size_t len, struct dtls_record *r)
{
	size_t whole;

	if (len < HANDSHAKE_HEAD_BYTES)
		return;
	whole = read_be(src + 1, 3);
	r->is_message = true;
	r->message_seq = (uint16_t)read_be(src + 4, 2);
	r->fragment_at = read_be(src + 6, 3);
	if (len < HANDSHAKE_HEAD_BYTES + VERSION_BYTES + DTLS_RANDOM_BYTES ||
	    src[0] != CLIENT_HELLO)
		return;
	/* From its first byte to its last: RFC 6347 section 4.2.3. */
	if (r->fragment_at != 0 || read_be(src + 9, 3) != whole ||
	    whole > len - HANDSHAKE_HEAD_BYTES)
		return;
	r->is_hello = true;
	r->random = src + HANDSHAKE_HEAD_BYTES + VERSION_BYTES;
}

bool dtls_record_read(const uint8_t *src, size_t len, struct dtls_record *r)
{
	size_t body;

	*r = (struct dtls_record){ 0 };
	if (len >= UNIFIED_HEAD_MIN && (src[0] & UNIFIED_MASK) == DTLS_UNIFIED) {
		r->content = DTLS_UNIFIED;
		r->epoch = src[0] & 3;
		return true;
	}
	if (len < DTLS_HEAD_BYTES || src[0] < DTLS_CHANGE_CIPHER_SPEC ||
	    src[0] > DTLS_APPLICATION_DATA || src[1] != 0xfe)
		return false;
	body = read_be(src + 11, 2);
	if (body > len - DTLS_HEAD_BYTES)
		return false;
	r->content = src[0];
	r->epoch = (uint16_t)read_be(src + 3, 2);
	r->number = (uint64_t)read_be(src + 3, 4) << 32 | read_be(src + 7, 4);
	r->bytes = DTLS_HEAD_BYTES + body;
	if (r->content == DTLS_HANDSHAKE && r->epoch == 0)
		read_message(src + DTLS_HEAD_BYTES, body, r);
	return true;
}

static size_t mac_bytes(const char *cipher)
{
	return strstr(cipher, "SHA384") ? 48 : strstr(cipher, "SHA256") ? 32 : 20;
}

static bool are_blocks(const struct cipher *c, size_t body)
{
	size_t block = strstr(c->bulk, "3DES") ? 8 : 16, mac = mac_bytes(c->name);
	size_t least = block + (mac + block) / block * block;

	return body >= least && (body % block == 0 || body % block == mac % block);
}

bool dtls_may_be_sealed(const struct cipher *c, size_t body)
{
	if (c && !c->aead)
		return are_blocks(c, body);
	return body >= SEALED_AEAD_MAX ||
	       (c && body >= SEALED_AEAD_MIN &&
		(strstr(c->bulk, "CCM-8") || strstr(c->bulk, "ChaCha20")));
}
