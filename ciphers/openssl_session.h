/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_session - sessions kept and offered, tickets, early data.
 *
 * For engine_openssl.c and openssl_*.c only. An association carries the struct
 * below only where its domain resumes or takes early data.
 */
#ifndef CIPHERS_OPENSSL_SESSION_H
#define CIPHERS_OPENSSL_SESSION_H

#include "ciphers/openssl_domain.h"

#define SESSIONS_KEPT_MAX 8

struct openssl_more {
	SSL_SESSION *kept[SESSIONS_KEPT_MAX]; /* tickets of TLS 1.3 as they came */
	int kept_count;
	bool given;     /* the one session of an older version */
	bool receiving; /* early data may still come */
	size_t early_len, early_at, early_cap;
	uint8_t early[];
};

/* What of the parameters concerns the context. -1: f. */
int openssl_session_context(SSL_CTX *ctx, const struct tls_params *p, struct fail *f);

/* Around an association. */
int openssl_more_open(SSL *ssl, const struct tls_params *p);
void openssl_more_close(SSL *ssl);

struct session *openssl_session_take(struct assoc *a);
int openssl_session_offer(struct assoc *a, struct session *s);
void openssl_session_free(struct session *s);

size_t openssl_early_room(struct assoc *a);
enum step openssl_write_early(struct assoc *a, const void *src, size_t len, size_t *put);

/*
 * A server on the look-out for early data: STEP_DONE once some of it is here or none
 * can come any more; receiving then tells whether more may.
 */
bool openssl_receives_early(struct assoc *a);
enum step openssl_receive_early(struct assoc *a);
/* Bytes of it, 0 when all were given. */
size_t openssl_give_early(struct assoc *a, void *dst, size_t len);
/* A server that has accepted early data, before the handshake's end: it may answer already. */
bool openssl_answers_early(struct assoc *a);

#endif
