/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wolfssl_domain - what the wolfSSL engine's files share: contexts made from
 * struct tls_params, facts read from a connection, reasons behind its error codes.
 *
 * For engine_wolfssl.c and wolfssl_*.c only. wolfSSL's headers define macros over
 * OpenSSL's names, so nothing here may be included beside OpenSSL's.
 */
#ifndef CIPHERS_WOLFSSL_DOMAIN_H
#define CIPHERS_WOLFSSL_DOMAIN_H

#include <wolfssl/options.h>

#include <wolfssl/ssl.h>

#include "ciphers/engine.h"

#define WOLFSSL_COOKIE_KEY_BYTES 32

struct wolfssl_domain {
	WOLFSSL_CTX *ctx;
	size_t record_bytes;
	char address[48]; /* params.server_name when it is an IP literal: checked, but no SNI */
	uint8_t cookie_key[WOLFSSL_COOKIE_KEY_BYTES]; /* of a server of DTLS */
};

int wolfssl_domain_open(struct domain *d);
void wolfssl_domain_close(struct domain *d);
const char *wolfssl_refuses(const struct suite *suite);
void wolfssl_facts(struct assoc *a, struct tls_facts *facts);
const char *wolfssl_build(void);

/* The key exchange; each returns 1 on success, as the library does. */
int wolfssl_set_groups(WOLFSSL_CTX *ctx, const struct tls_params *p);
int wolfssl_pin_server(WOLFSSL_CTX *ctx, const struct suite *s);
const char *wolfssl_group_refuses(const struct suite *s);

/* Own certificate and key, whom to trust. -1: f. */
int wolfssl_identity(struct wolfssl_domain *w, const struct tls_params *p, struct fail *f);
/* The pre-shared key, where the suite has one. -1: f. */
int wolfssl_share_key(WOLFSSL_CTX *ctx, const struct tls_params *p, struct fail *f);

/* The kind and length of the key in a DER certificate; KEY_NONE for NULL and unknown ones. */
enum key_kind wolfssl_key_of(const uint8_t *cert, size_t len, uint16_t *bits);

/* Cookies of a server of DTLS. -1: f. */
int wolfssl_listen_context(struct wolfssl_domain *w, const struct tls_params *p, struct fail *f);
enum step wolfssl_listen(struct assoc *a, const void *peer, size_t len);

/* Messages to params.observer, where there is one. */
#define WOLFSSL_UNOBSERVED                                                                         \
	"under TLS 1.2 the Finished that came and a server's change of cipher; under TLS 1.3 all " \
	"but an own hello; over datagrams what came"
void wolfssl_observe(WOLFSSL *ssl, struct assoc *a);

/* Why a handshake, read or write of this connection failed. Returns -1. */
int wolfssl_fail_step(struct assoc *a, const char *what, int error);

#endif
