/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wolfssl_listen - a DTLS server that answers ClientHellos without keeping anything until a
 * cookie comes back.
 *
 * The library makes its cookies of the peer's address and of what the hello says. An
 * association keeps no state until one is right, and calls back when it is.
 */
#include "ciphers/wolfssl_session.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "ciphers/dtls_record.h"

#define HELLO_BYTES_MAX 2048 /* a longer one is shown once */

#ifdef WOLFSSL_DTLS

int wolfssl_listen_context(struct wolfssl_domain *w, const struct tls_params *p, struct fail *f)
{
	if (p->role != SERVER || !p->suite || !tls_version_is_datagram(p->suite->version))
		return 0;
	if (getrandom(w->cookie_key, sizeof(w->cookie_key), 0) != sizeof(w->cookie_key))
		return fail_set(f, errno, "no random bytes for cookies");
	return 0;
}

static int note_hello(WOLFSSL *ssl, void *data)
{
	struct wolfssl_more *more = data;

	(void)ssl;
	more->brought = true;
	return 0;
}

static bool is_asked_again(const struct assoc *a)
{
	size_t len;
	const uint8_t *out = wire_peek(&a->out, &len);
	struct dtls_record r;

	return len > 2 && dtls_record_read(out + 2, len - 2, &r) && r.content == DTLS_HANDSHAKE;
}

/* What is no hello leaves traces in the library's state, which the next peer would meet. */
static enum step begin_anew(struct assoc *a)
{
	const struct engine_ops *ops = a->domain->ops;

	ops->close(a);
	fail_clear(&a->fail);
	wire_clear(&a->in);
	return ops->open(a) == 0 ? STEP_IN : STEP_FAILED;
}

/* Step of the library, which notes in `more` that it has accepted a cookie. */
static enum step look(struct assoc *a, const void *peer, size_t len, struct wolfssl_more *more)
{
	struct wolfssl_domain *w = a->domain->impl;

	if (wolfSSL_DTLS_SetCookieSecret(a->impl, w->cookie_key, sizeof(w->cookie_key)) != 0 ||
	    wolfSSL_dtls_set_peer(a->impl, (void *)peer, (unsigned)len) != WOLFSSL_SUCCESS ||
	    wolfDTLS_SetChGoodCb(a->impl, note_hello, more) != WOLFSSL_SUCCESS) {
		fail_set(&a->fail, ENOMEM, "wolfssl: no memory to listen");
		return STEP_FAILED;
	}
	return a->domain->ops->handshake(a);
}

/*
 * A hello that was answered leaves a trace too: the number of its record, which anybody can choose,
 * and below which the library passes over what comes next. So what finds no answer is shown
 * once more to an association that has asked nobody yet.
 */
enum step wolfssl_listen(struct assoc *a, const void *peer, size_t len)
{
	uint8_t hello[HELLO_BYTES_MAX];
	size_t in_len;
	const uint8_t *in = wire_peek(&a->in, &in_len);
	size_t hello_len = in_len > 2 && in_len - 2 <= sizeof(hello) ? in_len - 2 : 0;

	if (hello_len)
		memcpy(hello, in + 2, hello_len);
	for (;;) {
		struct wolfssl_more *more = wolfSSL_get_app_data(a->impl);
		bool asked = more->asked;
		enum step step = look(a, peer, len, more);

		if (more->brought)
			return step == STEP_FAILED ? step : STEP_DONE;
		if (is_asked_again(a)) {
			more->asked = true;
			return STEP_IN;
		}
		step = begin_anew(a);
		if (!asked || !hello_len || step == STEP_FAILED)
			return step;
		wire_clear(&a->out); /* an alert, to nobody that is known */
		wire_put(&a->in, hello, hello_len);
	}
}

#else

int wolfssl_listen_context(struct wolfssl_domain *w, const struct tls_params *p, struct fail *f)
{
	(void)w, (void)p, (void)f;
	return 0;
}

enum step wolfssl_listen(struct assoc *a, const void *peer, size_t len)
{
	(void)peer, (void)len;
	fail_set(&a->fail, ENOSYS, "wolfssl: DTLS not built in");
	return STEP_FAILED;
}

#endif
