/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wolfssl_listen - a DTLS server that answers ClientHellos without keeping anything until a
 * cookie comes back.
 *
 * The library makes its cookies of the peer's address and of what the hello says. An
 * association keeps no state until one is right, and calls back when it is.
 */
#include "ciphers/wolfssl_domain.h"

#include <errno.h>
#include <sys/random.h>

#include "ciphers/dtls_record.h"

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
	bool *accepted = data;

	(void)ssl;
	*accepted = true;
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

enum step wolfssl_listen(struct assoc *a, const void *peer, size_t len)
{
	struct wolfssl_domain *w = a->domain->impl;
	bool accepted = false;
	enum step step;

	if (wolfSSL_DTLS_SetCookieSecret(a->impl, w->cookie_key, sizeof(w->cookie_key)) != 0 ||
	    wolfSSL_dtls_set_peer(a->impl, (void *)peer, (unsigned)len) != WOLFSSL_SUCCESS ||
	    wolfDTLS_SetChGoodCb(a->impl, note_hello, &accepted) != WOLFSSL_SUCCESS) {
		fail_set(&a->fail, ENOMEM, "wolfssl: no memory to listen");
		return STEP_FAILED;
	}
	step = a->domain->ops->handshake(a);
	if (accepted)
		return step == STEP_FAILED ? step : STEP_DONE;
	return is_asked_again(a) ? STEP_IN : begin_anew(a);
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
