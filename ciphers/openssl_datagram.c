/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_datagram - records kept from OpenSSL over which it would end an association that
 * RFC 6347 (section 4.1.2.7) lets live: one that is shorter than its cipher's nonce and
 * tag is fatal to 3.0.20 and older (tls1_enc()), one shorter than its MAC to younger ones too
 * (dtls1_process_record()), and any stranger can send either.
 */
#include "ciphers/dtls_record.h"
#include "ciphers/openssl_domain.h"

#include <string.h>

/* NULL: none yet. */
static const struct cipher *agreed(const struct assoc *a)
{
	const struct suite *suite = a->domain->params.suite;
	const SSL_CIPHER *c;

	if (suite)
		return suite->cipher;
	c = SSL_get_pending_cipher(a->impl);
	if (!c)
		c = SSL_get_current_cipher(a->impl);
	return c ? cipher_by_id(SSL_CIPHER_get_protocol_id(c)) : NULL;
}

/* How many bytes are left of a datagram. */
static size_t sift(const struct assoc *a, uint8_t *datagram, size_t len)
{
	size_t at = 0;
	struct dtls_record r;

	while (dtls_record_read(datagram + at, len - at, &r) && r.content != DTLS_UNIFIED) {
		if (r.epoch == 0 || dtls_may_be_sealed(agreed(a), r.bytes - DTLS_HEAD_BYTES)) {
			at += r.bytes;
			continue;
		}
		len -= r.bytes;
		memmove(datagram + at, datagram + at + r.bytes, len - at);
	}
	return len;
}

size_t openssl_take(struct assoc *a, void *dst, size_t len)
{
	for (;;) {
		size_t got = wire_get(&a->in, dst, len);

		if (!got || !a->in.datagram)
			return got;
		got = sift(a, dst, got);
		if (got)
			return got;
	}
}
