/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wolfssl_session - sessions kept and offered, tickets.
 *
 * The library keeps one session an association, into which each ticket is written
 * over the one before: of several only the last can be taken. It knows no wire.
 */
#include "ciphers/wolfssl_session.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TLS13_VERSION_WIRE 0x0304
#define NAME_BYTES         WOLFSSL_TICKET_NAME_SZ
#define EXPIRY_BYTES       8 /* two times of 32 bits, behind the keys */

/* --- the context ---------------------------------------------------------- */

static int set_ticket_key(WOLFSSL_CTX *ctx, const uint8_t *key)
{
	uint8_t keys[TICKET_KEY_BYTES + EXPIRY_BYTES];
	int ret;

	memcpy(keys, key, TICKET_KEY_BYTES);
	/* The lowest bit of the name says which of the two keys it was. */
	keys[NAME_BYTES - 1] &= 0xfe;
	/* Never: it would make a key of its own instead. */
	memset(keys + TICKET_KEY_BYTES, 0xff, EXPIRY_BYTES);
	ret = wolfSSL_CTX_set_tlsext_ticket_keys(ctx, keys, sizeof(keys)) == WOLFSSL_SUCCESS;
	explicit_bzero(keys, sizeof(keys));
	return ret;
}

static int server_context(WOLFSSL_CTX *ctx, const struct tls_params *p, enum resumption resumption)
{
	if (resumption == RESUMPTION_TICKET) {
		wolfSSL_CTX_set_num_tickets(ctx, (size_t)p->tickets);
		return !p->ticket_key || set_ticket_key(ctx, p->ticket_key);
	}
	wolfSSL_CTX_NoTicketTLSv12(ctx);
	wolfSSL_CTX_no_ticket_TLSv13(ctx);
	return 1;
}

int wolfssl_session_context(WOLFSSL_CTX *ctx, const struct tls_params *p, struct fail *f)
{
	enum resumption resumption = tls_params_resumption(p);

	/* The library's cache of sessions is one for the whole process. */
	if (resumption != RESUMPTION_SESSION_ID || p->role == CLIENT)
		wolfSSL_CTX_set_session_cache_mode(ctx, WOLFSSL_SESS_CACHE_OFF |
								WOLFSSL_SESS_CACHE_NO_INTERNAL);
	if (p->role == CLIENT && resumption == RESUMPTION_TICKET &&
	    wolfSSL_CTX_UseSessionTicket(ctx) != WOLFSSL_SUCCESS)
		return fail_set(f, EPROTO, "wolfssl: cannot ask for tickets");
	if (p->role == SERVER && !server_context(ctx, p, resumption))
		return fail_set(f, EPROTO, "wolfssl: cannot take the key for tickets");
	return 0;
}

/* --- an association ------------------------------------------------------- */

static int note_ticket(WOLFSSL *ssl, const unsigned char *ticket, int len, void *data)
{
	struct wolfssl_more *more = data;

	(void)ssl, (void)ticket;
	more->fresh = len > 0;
	return 0;
}

int wolfssl_more_open(WOLFSSL *ssl, const struct tls_params *p)
{
	bool resumes = p->role == CLIENT && p->resumption != RESUMPTION_NONE;
	struct wolfssl_more *more;

	if (!resumes && !wolfSSL_dtls(ssl))
		return 0;
	more = calloc(1, sizeof(*more));
	if (!more || wolfSSL_set_app_data(ssl, more) != WOLFSSL_SUCCESS ||
	    (resumes && wolfSSL_set_SessionTicket_cb(ssl, note_ticket, more) != WOLFSSL_SUCCESS)) {
		free(more);
		return -1;
	}
	return 0;
}

void wolfssl_more_close(WOLFSSL *ssl)
{
	struct wolfssl_more *more = wolfSSL_get_app_data(ssl);

	if (more)
		free(more->flight);
	free(more);
}

/* TLS 1.3: a ticket that came. Before: the session of the handshake, new or resumed, once. */
static bool may_take(struct assoc *a, const struct wolfssl_more *more, WOLFSSL_SESSION *s)
{
	bool ticket = tls_params_resumption(&a->domain->params) == RESUMPTION_TICKET;
	unsigned id_len = 0;

	if (wolfSSL_version(a->impl) == TLS13_VERSION_WIRE)
		return more->fresh;
	if (!wolfSSL_is_init_finished(a->impl) || more->given)
		return false;
	wolfSSL_SESSION_get_id(s, &id_len);
	return wolfSSL_SESSION_has_ticket(s) == ticket && (ticket || id_len);
}

struct session *wolfssl_session_take(struct assoc *a)
{
	struct wolfssl_more *more = wolfSSL_get_app_data(a->impl);
	bool resumes =
		a->domain->params.role == CLIENT && a->domain->params.resumption != RESUMPTION_NONE;
	WOLFSSL_SESSION *s = more && resumes ? wolfSSL_get_session(a->impl) : NULL;

	if (!s || !may_take(a, more, s))
		return NULL;
	more->fresh = false;
	more->given = true;
	return (struct session *)wolfSSL_SESSION_dup(s);
}

int wolfssl_session_offer(struct assoc *a, struct session *session)
{
	WOLFSSL_SESSION *s = (WOLFSSL_SESSION *)session;
	int ret = 0;

	if (a->domain->params.resumption == RESUMPTION_NONE)
		ret = fail_set(&a->fail, EINVAL, "a session is offered where none is kept");
	else if (wolfSSL_set_session(a->impl, s) != WOLFSSL_SUCCESS)
		ret = fail_set(&a->fail, EINVAL, "wolfssl: this session cannot be resumed");
	wolfSSL_SESSION_free(s);
	return ret;
}

void wolfssl_session_free(struct session *s)
{
	wolfSSL_SESSION_free((WOLFSSL_SESSION *)s);
}
