/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_domain - what the OpenSSL engine's files share: contexts made from
 * struct tls_params, facts read from a connection, reasons read from its error queue.
 *
 * For engine_openssl.c and openssl_*.c only.
 */
#ifndef CIPHERS_OPENSSL_DOMAIN_H
#define CIPHERS_OPENSSL_DOMAIN_H

#include <openssl/ssl.h>

#include "ciphers/engine.h"

#define OPENSSL_COOKIE_BYTES 32

struct openssl_domain {
	OSSL_LIB_CTX *lib;         /* its own: no locks shared by threads, no openssl.cnf read */
	struct openssl_lean *lean; /* in place of its default provider; NULL: that one */
	SSL_CTX *ctx;
	size_t record_bytes;
	bool verify;
	bool name_is_address; /* params.server_name is an IP literal: checked, but no SNI */
	/* A server of DTLS: what its cookies are made of, and whose hello is being read. */
	uint8_t cookie_key[OPENSSL_COOKIE_BYTES];
	const void *peer; /* NULL outside openssl_listen() */
	size_t peer_len;
	BIO_ADDR *nobody; /* the address that DTLSv1_listen() insists on and we know better */
};

/* ops->begin: large pieces of memory come from lib/blocks. */
void openssl_memory(void);
int openssl_domain_open(struct domain *d);
void openssl_domain_close(struct domain *d);
const char *openssl_refuses(const struct suite *suite);
void openssl_facts(struct assoc *a, struct tls_facts *facts);
const char *openssl_build(void);

/* Own certificate and key, whom to trust, the pre-shared key. -1: f. */
int openssl_identity(struct openssl_domain *o, const struct tls_params *p, struct fail *f);
/* Messages to params.observer, where there is one. */
void openssl_observe(SSL_CTX *ctx, const struct tls_params *p);
/* The association of a connection. */
struct assoc *openssl_assoc(SSL *ssl);
/*
 * From the in wire: bytes, or a datagram without the records that the library must not see. 0:
 * nothing waits.
 */
size_t openssl_take(struct assoc *a, void *dst, size_t len);

/* Cookies of a server of DTLS. -1: f. */
int openssl_listen_context(struct openssl_domain *o, const struct tls_params *p, struct fail *f);
enum step openssl_listen(struct assoc *a, const void *peer, size_t len);

/*
 * A provider for lib that can read public keys of certificates, and no other ones; before any
 * other use of lib. NULL: there is none, lib is as it was. It ends in two steps, before lib is
 * freed and behind that; each takes NULL.
 */
struct openssl_lean *openssl_lean_load(OSSL_LIB_CTX *lib, const struct suite *suite);
void openssl_lean_unload(struct openssl_lean *l);
void openssl_lean_free(struct openssl_lean *l);

/*
 * The thread's error queue is empty. It nearly always is, and telling that is much
 * cheaper than the library's emptying it, which costs the same whatever is in it.
 */
void openssl_forget_errors(void);
/* What a call's result means; a failure is explained in a->fail. */
enum step openssl_settle(struct assoc *a, int ret, const char *what);
/* "WHAT: reason" from the calling thread's error queue, which is emptied. Returns -1. */
int openssl_fail(struct fail *f, const char *what);
/* Why a handshake, read or write of this connection failed. Returns -1. */
int openssl_fail_step(struct assoc *a, const char *what);

#endif
