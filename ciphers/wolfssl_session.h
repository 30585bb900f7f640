/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wolfssl_session - sessions kept and offered, tickets.
 *
 * For engine_wolfssl.c and wolfssl_*.c only.
 */
#ifndef CIPHERS_WOLFSSL_SESSION_H
#define CIPHERS_WOLFSSL_SESSION_H

#include "ciphers/wolfssl_domain.h"

/* What of the parameters concerns the context. -1: f. */
int wolfssl_session_context(WOLFSSL_CTX *ctx, const struct tls_params *p, struct fail *f);

/* Around an association. */
int wolfssl_more_open(WOLFSSL *ssl, const struct tls_params *p);
void wolfssl_more_close(WOLFSSL *ssl);

struct session *wolfssl_session_take(struct assoc *a);
int wolfssl_session_offer(struct assoc *a, struct session *s);
void wolfssl_session_free(struct session *s);

#endif
