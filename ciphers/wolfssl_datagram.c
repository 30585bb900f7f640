/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wolfssl_datagram - what wolfSSL leaves to its caller over datagrams: its last flight sent
 * again for a peer that did not get it, and records kept from it over which it would end an
 * association that RFC 6347 (section 4.1.2.7) lets live.
 */
#include "ciphers/wolfssl_session.h"

#include <stdlib.h>
#include <string.h>

#include "ciphers/dtls_record.h"

#define RECORD_HEAD_BYTES 13
#define REPEATS_MAX       16 /* of the last flight: a forger gets no more out of it */

struct wolfssl_flight {
	int repeats;
	size_t len;
	uint8_t bytes[]; /* as in the wire: datagrams with their lengths */
};

size_t wolfssl_flight_mark(const struct assoc *a)
{
	size_t len;

	wire_peek(&a->out, &len);
	return len;
}

void wolfssl_flight_keep(struct assoc *a, size_t mark)
{
	struct wolfssl_more *more = wolfSSL_get_app_data(a->impl);
	size_t len;
	const uint8_t *out = wire_peek(&a->out, &len);

	if (!more || more->flight || len <= mark)
		return;
	more->flight = malloc(sizeof(*more->flight) + len - mark);
	/* Without memory it is as if every repetition were lost. */
	if (!more->flight)
		return;
	*more->flight = (struct wolfssl_flight){ .len = len - mark };
	memcpy(more->flight->bytes, out + mark, len - mark);
}

/* The same records: who got the first ones drops these as replayed. */
static void repeat_flight(struct assoc *a, struct wolfssl_flight *f)
{
	if (!f || f->repeats >= REPEATS_MAX)
		return;
	f->repeats++;
	for (size_t at = 0; at + 2 <= f->len;) {
		size_t len = (size_t)f->bytes[at] << 8 | f->bytes[at + 1];

		wire_put(&a->out, f->bytes + at + 2, len);
		at += 2 + len;
	}
}

bool wolfssl_alert_hold(struct assoc *a, const uint8_t *record, size_t len)
{
	struct wolfssl_more *more = wolfSSL_get_app_data(a->impl);

	if (!more || len > sizeof(more->alert) || record[0] != DTLS_ALERT ||
	    wolfSSL_is_init_finished(a->impl))
		return false;
	memcpy(more->alert, record, len);
	more->alert_len = len;
	return true;
}

void wolfssl_alert_settle(struct assoc *a, bool failed)
{
	struct wolfssl_more *more = wolfSSL_get_app_data(a->impl);

	if (more && failed && more->alert_len)
		wire_put(&a->out, more->alert, more->alert_len);
	if (more)
		more->alert_len = 0;
}

static size_t mac_bytes(const char *cipher)
{
	return strstr(cipher, "SHA384") ? 48 : strstr(cipher, "SHA256") ? 32 : 20;
}

/*
 * Blocks, an explicit one in front (RFC 4346 section 6.2.3.2); the MAC among them, or behind
 * (RFC 7366).
 */
static bool are_blocks(const struct cipher *c, size_t body)
{
	size_t block = strstr(c->bulk, "3DES") ? 8 : 16, mac = mac_bytes(c->name);
	size_t least = block + (mac + block) / block * block;

	return body >= least && (body % block == 0 || body % block == mac % block);
}

/* Could a record of this cipher be so long? The library gives up over one that could not. */
static bool is_sealed_well(const struct suite *s, size_t body)
{
	const char *bulk = s ? s->cipher->bulk : "";

	if (strstr(bulk, "CBC"))
		return are_blocks(s->cipher, body);
	/* A tag, and in front of it half of the nonce, but for ChaCha20 (RFC 7905). */
	if (strstr(bulk, "CCM-8") || strstr(bulk, "ChaCha20"))
		return body >= 16;
	return body >= 24;
}

static bool may_pass(const struct assoc *a, const struct dtls_record *r, size_t body)
{
	if (r->content == DTLS_UNIFIED)
		return true;
	/* Without keys nobody sent it: any datagram of a stranger would do. */
	if (r->epoch == 0)
		return r->content != DTLS_ALERT && r->content != DTLS_APPLICATION_DATA;
	return is_sealed_well(a->domain->params.suite, body);
}

size_t wolfssl_sift(struct assoc *a, const uint8_t *src, size_t len)
{
	struct wolfssl_more *more = wolfSSL_get_app_data(a->impl);
	struct dtls_record r;
	size_t at = 0;

	if (!wolfSSL_is_init_finished(a->impl))
		return len;
	while (at < len && dtls_record_read(src + at, len - at, &r)) {
		size_t body = len - at - RECORD_HEAD_BYTES;

		if (r.content != DTLS_UNIFIED)
			body = (size_t)src[at + 11] << 8 | src[at + 12];
		if (!may_pass(a, &r, body))
			break;
		if (at == 0 &&
		    (r.content == DTLS_HANDSHAKE || r.content == DTLS_CHANGE_CIPHER_SPEC))
			repeat_flight(a, more ? more->flight : NULL);
		at += r.content == DTLS_UNIFIED ? len - at : RECORD_HEAD_BYTES + body;
	}
	return at;
}
