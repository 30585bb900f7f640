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
#include "lib/clock.h"

#define REPEATS_MAX 16 /* of the last flight: a forger gets no more out of it */
#define WINDOW_BITS 64

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

void wolfssl_flight_left(struct assoc *a)
{
	struct wolfssl_more *more = wolfSSL_get_app_data(a->impl);

	if (more)
		more->sent_ns = clock_ns();
}

int64_t wolfssl_flight_wait_ns(const struct assoc *a, int64_t wait_ns)
{
	const struct wolfssl_more *more = wolfSSL_get_app_data(a->impl);
	int64_t left_ns = more && more->sent_ns ? more->sent_ns + wait_ns - clock_ns() : wait_ns;

	return left_ns > 0 ? left_ns : 0;
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

/* --- records heard before (RFC 6347 section 4.1.2.6) ------------------------- */

/* wolfSSL 5.7 built without DTLS 1.3 never moves its own window: every record would pass again. */
static bool was_heard(const struct wolfssl_more *more, uint64_t number)
{
	uint64_t back = more->heard - number;

	return number <= more->heard && (back >= WINDOW_BITS || more->heard_before >> back & 1);
}

void wolfssl_heard(struct assoc *a)
{
	struct wolfssl_more *more = wolfSSL_get_app_data(a->impl);

	if (more->shown > more->heard) {
		uint64_t step = more->shown - more->heard;

		more->heard_before = step < WINDOW_BITS ? more->heard_before << step : 0;
		more->heard = more->shown;
	}
	if (more->heard - more->shown < WINDOW_BITS)
		more->heard_before |= UINT64_C(1) << (more->heard - more->shown);
}

/* --- records shown ------------------------------------------------------------ */

/* Behind the handshake. */
static bool may_pass(struct assoc *a, const struct dtls_record *r)
{
	struct wolfssl_more *more = wolfSSL_get_app_data(a->impl);
	const struct suite *suite = a->domain->params.suite;

	if (r->content == DTLS_UNIFIED)
		return true;
	/*
	 * Without keys nobody sent it: any datagram of a stranger would do. Late ones of the
	 * handshake are of no use any more, and some of them are fatal to the library.
	 */
	if (r->epoch == 0 ||
	    !dtls_may_be_sealed(suite ? suite->cipher : NULL, r->bytes - DTLS_HEAD_BYTES))
		return false;
	/* A Finished, the end of each last flight: the peer has not got the answer to its own. */
	if (r->content == DTLS_HANDSHAKE) {
		repeat_flight(a, more->flight);
		return false;
	}
	return r->content != DTLS_APPLICATION_DATA || !was_heard(more, r->number);
}

static size_t first_record(const struct wire *w, struct dtls_record *r)
{
	size_t len;
	const uint8_t *src = wire_peek(w, &len);
	size_t whole = len ? (size_t)src[0] << 8 | src[1] : 0;

	/* What is none, and what has no length in its head, is taken for one. */
	if (!dtls_record_read(src + 2, whole, r) || r->content == DTLS_UNIFIED)
		return whole;
	return r->bytes;
}

size_t wolfssl_take(struct assoc *a, uint8_t *dst, size_t len)
{
	struct wolfssl_more *more = wolfSSL_get_app_data(a->impl);

	while (!wire_empty(&a->in)) {
		struct dtls_record r;
		size_t first = first_record(&a->in, &r);
		size_t got = first <= len ? wire_get_part(&a->in, dst, first)
					  : wire_get(&a->in, dst, len);

		if (wolfSSL_is_init_finished(a->impl) &&
		    (first > len || !r.content || !may_pass(a, &r)))
			continue;
		more->shown = r.number;
		return got;
	}
	return 0;
}
