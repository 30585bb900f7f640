/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_session - sessions kept and offered, tickets, early data.
 *
 * Tickets of TLS 1.3 are gathered as they come, by a callback; before it there is
 * one session an association, asked for when wanted. It knows no wire.
 */
#include "ciphers/openssl_session.h"

#include <errno.h>
#include <openssl/err.h>
#include <stdlib.h>
#include <string.h>

/* --- the context ---------------------------------------------------------- */

static int keep_session(SSL *ssl, SSL_SESSION *session)
{
	struct openssl_more *more = SSL_get_app_data(ssl);

	if (!more || SSL_version(ssl) != TLS1_3_VERSION || more->kept_count == SESSIONS_KEPT_MAX)
		return 0;
	more->kept[more->kept_count++] = session;
	return 1;
}

static int client_context(SSL_CTX *ctx, enum resumption resumption)
{
	/* Without a session kept, a ticket would be asked for in vain. */
	if (resumption != RESUMPTION_TICKET)
		SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET);
	if (resumption == RESUMPTION_NONE)
		return 1;
	SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL);
	SSL_CTX_sess_set_new_cb(ctx, keep_session);
	return 1;
}

static struct session_cache *cache_of(SSL *ssl)
{
	return openssl_assoc(ssl)->domain->params.session_cache;
}

/* As bytes: what threads share is no object of a library that each has its own copy of. */
static int share_session(SSL *ssl, SSL_SESSION *session)
{
	unsigned char bytes[SESSION_BYTES_MAX], *at = bytes;
	int len = i2d_SSL_SESSION(session, NULL);
	const unsigned char *id;
	unsigned id_len;

	if (len <= 0 || len > SESSION_BYTES_MAX)
		return 0;
	id = SSL_SESSION_get_id(session, &id_len);
	i2d_SSL_SESSION(session, &at);
	session_cache_put(cache_of(ssl), id, id_len, bytes, (size_t)len);
	OPENSSL_cleanse(bytes, (size_t)len);
	return 0;
}

static SSL_SESSION *find_session(SSL *ssl, const unsigned char *id, int id_len, int *copy)
{
	unsigned char bytes[SESSION_BYTES_MAX];
	const unsigned char *at = bytes;
	size_t len = session_cache_get(cache_of(ssl), id, (size_t)id_len, bytes);
	SSL_SESSION *session = len ? d2i_SSL_SESSION(NULL, &at, (long)len) : NULL;

	*copy = 0;
	OPENSSL_cleanse(bytes, len);
	return session;
}

/* An association that ended in an error takes its session with it. */
static void drop_session(SSL_CTX *ctx, SSL_SESSION *session)
{
	unsigned id_len;
	const unsigned char *id = SSL_SESSION_get_id(session, &id_len);

	session_cache_drop(SSL_CTX_get_app_data(ctx), id, id_len);
}

static void share_sessions(SSL_CTX *ctx, struct session_cache *cache)
{
	SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_SERVER | SSL_SESS_CACHE_NO_INTERNAL);
	SSL_CTX_set_app_data(ctx, cache);
	SSL_CTX_sess_set_new_cb(ctx, share_session);
	SSL_CTX_sess_set_get_cb(ctx, find_session);
	SSL_CTX_sess_set_remove_cb(ctx, drop_session);
}

static int server_context(SSL_CTX *ctx, const struct tls_params *p, enum resumption resumption)
{
	static const unsigned char context[] = "cipherwatt";
	size_t tickets = resumption == RESUMPTION_TICKET ? (size_t)p->tickets : 0;

	SSL_CTX_set_session_id_context(ctx, context, sizeof(context) - 1);
	if (resumption != RESUMPTION_TICKET)
		SSL_CTX_set_options(ctx, SSL_OP_NO_TICKET);
	if (resumption == RESUMPTION_SESSION_ID && p->session_cache)
		share_sessions(ctx, p->session_cache);
	else if (resumption == RESUMPTION_SESSION_ID)
		SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_SERVER);
	/* Its store of used tickets would be another one in each thread. */
	SSL_CTX_set_options(ctx, SSL_OP_NO_ANTI_REPLAY);
	if (SSL_CTX_set_num_tickets(ctx, tickets) != 1 ||
	    SSL_CTX_set_max_early_data(ctx, (uint32_t)p->early_data_bytes) != 1 ||
	    SSL_CTX_set_recv_max_early_data(ctx, (uint32_t)p->early_data_bytes) != 1)
		return 0;
	return !p->ticket_key ||
	       SSL_CTX_set_tlsext_ticket_keys(ctx, (void *)p->ticket_key, TICKET_KEY_BYTES) == 1;
}

int openssl_session_context(SSL_CTX *ctx, const struct tls_params *p, struct fail *f)
{
	enum resumption resumption = tls_params_resumption(p);

	SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
	if (p->role == SERVER ? server_context(ctx, p, resumption)
			      : client_context(ctx, resumption))
		return 0;
	return openssl_fail(f, "resumption");
}

/* --- an association ------------------------------------------------------- */

int openssl_more_open(SSL *ssl, const struct tls_params *p)
{
	size_t early = p->role == SERVER ? p->early_data_bytes : 0;
	struct openssl_more *more;

	if (!early && (p->role == SERVER || p->resumption == RESUMPTION_NONE))
		return 0;
	/* One byte more than a client may send: never full before the end is met. */
	more = calloc(1, sizeof(*more) + early + 1);
	if (!more || SSL_set_app_data(ssl, more) != 1) {
		free(more);
		return -1;
	}
	more->early_cap = early + 1;
	more->receiving = early > 0;
	return 0;
}

void openssl_more_close(SSL *ssl)
{
	struct openssl_more *more = SSL_get_app_data(ssl);

	/* Else a session whose association ended without a goodbye could not be resumed. */
	SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN);
	for (int i = 0; more && i < more->kept_count; i++)
		SSL_SESSION_free(more->kept[i]);
	SSL_set_app_data(ssl, NULL);
	free(more);
}

static SSL_SESSION *take_older(SSL *ssl, struct openssl_more *more, bool ticket)
{
	SSL_SESSION *s;

	if (more->given || !SSL_is_init_finished(ssl))
		return NULL;
	s = SSL_get1_session(ssl);
	if (s && SSL_SESSION_is_resumable(s) && SSL_SESSION_has_ticket(s) == ticket) {
		more->given = true;
		return s;
	}
	SSL_SESSION_free(s);
	return NULL;
}

struct session *openssl_session_take(struct assoc *a)
{
	struct openssl_more *more = SSL_get_app_data(a->impl);
	SSL_SESSION *s;

	if (!more || a->domain->params.role != CLIENT)
		return NULL;
	if (SSL_version(a->impl) != TLS1_3_VERSION)
		return (struct session *)take_older(a->impl, more,
						    tls_params_resumption(&a->domain->params) ==
							    RESUMPTION_TICKET);
	if (!more->kept_count)
		return NULL;
	s = more->kept[0];
	memmove(more->kept, more->kept + 1, (size_t)--more->kept_count * sizeof(more->kept[0]));
	return (struct session *)s;
}

int openssl_session_offer(struct assoc *a, struct session *session)
{
	SSL_SESSION *s = (SSL_SESSION *)session;
	int ret = 0;

	openssl_forget_errors();
	if (a->domain->params.resumption == RESUMPTION_NONE)
		ret = fail_set(&a->fail, EINVAL, "a session is offered where none is kept");
	else if (!SSL_SESSION_is_resumable(s) || SSL_set_session(a->impl, s) != 1)
		ret = fail_set(&a->fail, EINVAL, "openssl: this session cannot be resumed");
	SSL_SESSION_free(s);
	openssl_forget_errors();
	return ret;
}

void openssl_session_free(struct session *s)
{
	SSL_SESSION_free((SSL_SESSION *)s);
}

/* --- early data ----------------------------------------------------------- */

size_t openssl_early_room(struct assoc *a)
{
	const struct tls_params *p = &a->domain->params;
	SSL_SESSION *s = SSL_get0_session(a->impl);
	size_t most = s && p->role == CLIENT ? SSL_SESSION_get_max_early_data(s) : 0;

	return p->early_data_bytes < most ? p->early_data_bytes : most;
}

enum step openssl_write_early(struct assoc *a, const void *src, size_t len, size_t *put)
{
	size_t most = openssl_early_room(a);

	*put = 0;
	if (len > most) {
		fail_set(&a->fail, EINVAL,
			 "%zu bytes of early data, but the session offered allows %zu", len, most);
		return STEP_FAILED;
	}
	openssl_forget_errors();
	return openssl_settle(a, SSL_write_early_data(a->impl, src, len, put), "early data");
}

/* Asked at every read and write: most domains have no early data. */
static struct openssl_more *early_of(struct assoc *a)
{
	return a->domain->params.early_data_bytes ? SSL_get_app_data(a->impl) : NULL;
}

bool openssl_receives_early(struct assoc *a)
{
	const struct openssl_more *more = early_of(a);

	return more && more->receiving;
}

bool openssl_answers_early(struct assoc *a)
{
	const struct openssl_more *more = early_of(a);

	/* Between the flights the library says that it is not "in init". */
	return more && more->early_len && !SSL_is_init_finished(a->impl);
}

enum step openssl_receive_early(struct assoc *a)
{
	struct openssl_more *more = SSL_get_app_data(a->impl);
	size_t n;
	int ret;

	openssl_forget_errors();
	ret = SSL_read_early_data(a->impl, more->early + more->early_len,
				  more->early_cap - more->early_len, &n);
	if (ret == SSL_READ_EARLY_DATA_ERROR)
		return openssl_settle(a, 0, "early data");
	if (ret == SSL_READ_EARLY_DATA_FINISH)
		more->receiving = false;
	else
		more->early_len += n;
	return STEP_DONE;
}

size_t openssl_give_early(struct assoc *a, void *dst, size_t len)
{
	struct openssl_more *more = early_of(a);
	size_t n = more ? more->early_len - more->early_at : 0;

	n = n < len ? n : len;
	if (n)
		memcpy(dst, more->early + more->early_at, n);
	if (n)
		more->early_at += n;
	return n;
}
