/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine_wolfssl - wolfSSL 5 behind struct engine_ops.
 *
 * Two callbacks move ciphertext to and from the wires. Contexts are made in
 * wolfssl_domain.c. Each write is cut to one record, so that both libraries make
 * the same records.
 */
#include "ciphers/wolfssl_session.h"

#include <errno.h>
#include <string.h>

#define RECORD_OVERHEAD_BYTES 256

static int wire_receive(WOLFSSL *ssl, char *dst, int len, void *ctx)
{
	struct assoc *a = ctx;
	size_t n = a->in.datagram && wolfSSL_dtls(ssl)
			   ? wolfssl_take(a, (uint8_t *)dst, (size_t)len)
			   : wire_get(&a->in, dst, (size_t)len);

	return n ? (int)n : WOLFSSL_CBIO_ERR_WANT_READ;
}

static int wire_send(WOLFSSL *ssl, char *src, int len, void *ctx)
{
	struct assoc *a = ctx;
	size_t n;

	if (a->out.datagram && wolfSSL_dtls(ssl) &&
	    wolfssl_alert_hold(a, (uint8_t *)src, (size_t)len))
		return len;
	n = wire_put(&a->out, src, (size_t)len);
	if (n && a->out.datagram && !wolfSSL_is_init_finished(ssl))
		wolfssl_flight_left(a);
	return n ? (int)n : WOLFSSL_CBIO_ERR_WANT_WRITE;
}

static const char *engine_version(void)
{
	static const char text[] = "wolfSSL ";
	static _Thread_local char version[64];

	strcpy(version, text);
	strncat(version, wolfSSL_lib_version(), sizeof(version) - sizeof(text));
	return version;
}

/* --- the association ------------------------------------------------------ */

/* Sent as SNI, and checked against the certificate when there is an authority to trust. */
static int set_name(struct assoc *a, WOLFSSL *ssl)
{
	const struct tls_params *p = &a->domain->params;
	const struct wolfssl_domain *w = a->domain->impl;

	if (p->role != CLIENT || !p->server_name)
		return WOLFSSL_SUCCESS;
	if (!*w->address &&
	    wolfSSL_UseSNI(ssl, WOLFSSL_SNI_HOST_NAME, p->server_name,
			   (unsigned short)strlen(p->server_name)) != WOLFSSL_SUCCESS)
		return WOLFSSL_FAILURE;
	if (!p->ca_file)
		return WOLFSSL_SUCCESS;
	if (*w->address)
		return wolfSSL_X509_VERIFY_PARAM_set1_ip_asc(wolfSSL_get0_param(ssl), w->address);
	return wolfSSL_check_domain_name(ssl, p->server_name);
}

static int offer_protocols(struct assoc *a, WOLFSSL *ssl)
{
	const struct tls_params *p = &a->domain->params;

	if (p->role != CLIENT || !p->alpn)
		return WOLFSSL_SUCCESS;
	return wolfSSL_UseALPN(ssl, (char *)p->alpn, (unsigned)strlen(p->alpn),
			       WOLFSSL_ALPN_FAILED_ON_MISMATCH);
}

static void set_up_datagrams(WOLFSSL *ssl, const struct tls_params *p)
{
	wolfSSL_dtls_set_using_nonblock(ssl, 1);
#ifdef WOLFSSL_DTLS_MTU
	wolfSSL_dtls_set_mtu(ssl, (unsigned short)(p->mtu ? p->mtu : DTLS_MTU_BYTES));
#else
	(void)p; /* it sends up to 1,400 bytes and cannot be told otherwise */
#endif
}

static int engine_open(struct assoc *a)
{
	struct wolfssl_domain *w = a->domain->impl;
	WOLFSSL *ssl = wolfSSL_new(w->ctx);

	if (!ssl)
		return fail_set(&a->fail, ENOMEM, "wolfssl: no memory for an association");
	wolfSSL_SSLSetIORecv(ssl, wire_receive);
	wolfSSL_SSLSetIOSend(ssl, wire_send);
	wolfSSL_SetIOReadCtx(ssl, a);
	wolfSSL_SetIOWriteCtx(ssl, a);
	wolfssl_observe(ssl, a);
	if (wolfSSL_dtls(ssl))
		set_up_datagrams(ssl, &a->domain->params);
	if (set_name(a, ssl) != WOLFSSL_SUCCESS) {
		wolfSSL_free(ssl);
		return fail_set(&a->fail, EPROTO, "wolfssl: cannot be set to check \"%.80s\"",
				a->domain->params.server_name ? a->domain->params.server_name : "");
	}
	if (offer_protocols(a, ssl) != WOLFSSL_SUCCESS) {
		wolfSSL_free(ssl);
		return fail_set(&a->fail, EPROTO, "wolfssl: cannot offer \"%.80s\"",
				a->domain->params.alpn);
	}
	if (wolfssl_more_open(ssl, &a->domain->params)) {
		wolfSSL_free(ssl);
		return fail_set(&a->fail, ENOMEM, "wolfssl: no memory for an association");
	}
	a->impl = ssl;
	a->dry = false;
	return 0;
}

static void engine_close(struct assoc *a)
{
	wolfssl_more_close(a->impl);
	wolfSSL_free(a->impl);
	a->impl = NULL;
}

static enum step settle(struct assoc *a, int ret, const char *what)
{
	int error = wolfSSL_get_error(a->impl, ret);

	switch (error) {
	case WOLFSSL_ERROR_WANT_READ:
		return STEP_IN;
	case WOLFSSL_ERROR_WANT_WRITE:
		return STEP_OUT;
	case WOLFSSL_ERROR_ZERO_RETURN:
		return STEP_CLOSED;
	default:
		wolfssl_fail_step(a, what, error);
		return STEP_FAILED;
	}
}

static enum step engine_handshake(struct assoc *a)
{
	size_t mark = a->out.datagram ? wolfssl_flight_mark(a) : 0;
	int ret = wolfSSL_negotiate(a->impl);
	enum step step = ret == WOLFSSL_SUCCESS ? STEP_DONE : settle(a, ret, "handshake");

	if (a->out.datagram)
		wolfssl_alert_settle(a, step == STEP_FAILED);
	if (a->out.datagram && step == STEP_DONE)
		wolfssl_flight_keep(a, mark);
	return step;
}

static enum step engine_read(struct assoc *a, void *dst, size_t len, size_t *got)
{
	int ret =
		wolfSSL_read(a->impl, dst, (int)(len < RECORD_BYTES_MAX ? len : RECORD_BYTES_MAX));
	enum step step;

	*got = ret > 0 ? (size_t)ret : 0;
	if (ret > 0 && a->in.datagram && wolfSSL_dtls(a->impl))
		wolfssl_heard(a);
	step = ret > 0 ? STEP_DONE : settle(a, ret, "read");
	a->dry = wire_empty(&a->in) &&
		 (step == STEP_IN || (step == STEP_DONE && !wolfSSL_pending(a->impl)));
	return step;
}

/* A record is sealed only when it fits the wire whole: no half-written one to retry. */
static bool record_fits(struct assoc *a, size_t len)
{
	return wire_empty(&a->out) || wire_room(&a->out) >= len + RECORD_OVERHEAD_BYTES;
}

static enum step engine_write(struct assoc *a, const void *src, size_t len, size_t *put)
{
	const struct wolfssl_domain *w = a->domain->impl;
	size_t record = len < w->record_bytes ? len : w->record_bytes;
	int ret;

	*put = 0;
	if (!record)
		return STEP_DONE;
	if (!record_fits(a, record))
		return STEP_OUT;
	ret = wolfSSL_write(a->impl, src, (int)record);
	*put = ret > 0 ? (size_t)ret : 0;
	return ret > 0 ? STEP_DONE : settle(a, ret, "write");
}

static void engine_shutdown(struct assoc *a)
{
	if (wolfSSL_is_init_finished(a->impl))
		wolfSSL_shutdown(a->impl);
}

/*
 * wolfSSL knows how long a flight waits, in seconds, not when it left. It begins with one second,
 * so that its seconds are the factor.
 */
static int64_t engine_deadline(struct assoc *a)
{
	int64_t first_ns = a->domain->params.retransmit_ns;

	if (!wolfSSL_dtls(a->impl) || wolfSSL_is_init_finished(a->impl))
		return -1;
	return wolfssl_flight_wait_ns(a, wolfSSL_dtls_get_current_timeout(a->impl) *
						 (first_ns ? first_ns : DTLS_RETRANSMIT_NS));
}

static enum step engine_expire(struct assoc *a)
{
	int ret;

	if (!wolfSSL_dtls(a->impl))
		return STEP_DONE;
	wolfssl_flight_left(a); /* also when it finds nothing to send: the next wait begins */
	ret = wolfSSL_dtls_got_timeout(a->impl);
	return ret == WOLFSSL_SUCCESS ? STEP_DONE : settle(a, ret, "retransmission");
}

static size_t engine_early_room(struct assoc *a)
{
	(void)a;
	return 0;
}

/* No domain with early data opens, so only a caller that did not ask for it comes here. */
static enum step engine_write_early(struct assoc *a, const void *src, size_t len, size_t *put)
{
	(void)src, (void)len;
	*put = 0;
	fail_set(&a->fail, ENOSYS, "wolfssl: early data not built in");
	return STEP_FAILED;
}

const struct engine_ops engine_wolfssl = {
	.name = "wolfssl",
	.version = engine_version,
	.build = wolfssl_build,
	.unobserved = WOLFSSL_UNOBSERVED,
	.refuses = wolfssl_refuses,
	.domain_open = wolfssl_domain_open,
	.domain_close = wolfssl_domain_close,
	.open = engine_open,
	.close = engine_close,
	.listen = wolfssl_listen,
	.handshake = engine_handshake,
	.read = engine_read,
	.write = engine_write,
	.shutdown = engine_shutdown,
	.deadline = engine_deadline,
	.expire = engine_expire,
	.facts = wolfssl_facts,
	.session_take = wolfssl_session_take,
	.session_offer = wolfssl_session_offer,
	.session_free = wolfssl_session_free,
	.early_room = engine_early_room,
	.write_early = engine_write_early,
};
