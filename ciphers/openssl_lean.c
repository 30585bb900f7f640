/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_lean - the default provider with less to look through, for clients.
 *
 * To read the public key of a certificate, OpenSSL before 3.2 goes through every kind of key
 * and every decoder it has, for each certificate anew: a quarter of all instructions of a
 * client's handshake. A client meets public keys of a few kinds, in certificates only;
 * offered the kinds and decoders for these alone, the library finds the same ones sooner. All
 * other algorithms are the default provider's own, which is loaded apart.
 */
#include "ciphers/openssl_domain.h"

#include <openssl/core_dispatch.h>
#include <openssl/provider.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LEAN_NAME "lean"

struct openssl_lean {
	struct openssl_lean *next;
	OSSL_LIB_CTX *lib; /* of the default provider */
	OSSL_PROVIDER *whole;
	OSSL_PROVIDER *part; /* of the library that this is for: what is offered to it */
	/* Those that are offered, and an empty row. */
	OSSL_ALGORITHM *kinds, *decoders, *ciphers;
};

/* The library knows a provider by its context, which is the whole one's: whose is it? */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct openssl_lean *all;
/* A provider is initialised by the thread that loads it, and not told by whom. */
static _Thread_local struct openssl_lean *loading;

static struct openssl_lean *lean_of(void *provider)
{
	struct openssl_lean *l;

	pthread_mutex_lock(&lock);
	for (l = all; l; l = l->next)
		if (OSSL_PROVIDER_get0_provider_ctx(l->whole) == provider)
			break;
	pthread_mutex_unlock(&lock);
	return l;
}

static bool named(const OSSL_ALGORITHM *a, const char *const *names)
{
	size_t len = strcspn(a->algorithm_names, ":");

	for (; *names; names++)
		if (strlen(*names) == len && !strncmp(*names, a->algorithm_names, len))
			return true;
	return false;
}

/* What may sign, and what keys are agreed on with; HMAC is a kind of key too. */
static bool is_met(const OSSL_ALGORITHM *a)
{
	static const char *const names[] = { "RSA",    "RSA-PSS", "EC", "ED25519", "ED448",
					     "X25519", "X448",    "DH", "HMAC",    NULL };

	return named(a, names);
}

static bool reads_certificates(const OSSL_ALGORITHM *a)
{
	static const char *const names[] = { "RSA", "RSA-PSS", "EC", "ED25519", "ED448", NULL };

	return named(a, names) && strstr(a->property_definition, "input=der") &&
	       strstr(a->property_definition, "structure=SubjectPublicKeyInfo");
}

/* Each that a suite of TLS may name: whatever is known is gone through, needed or not. */
static bool seals_records(const OSSL_ALGORITHM *a)
{
	const char *name = a->algorithm_names;

	if (strstr(name, "-SIV") || strstr(name, "CTS") || !strncmp(name, "SM4", 3))
		return false;
	return strstr(name, "-GCM") || strstr(name, "-CCM") || strstr(name, "-CBC") ||
	       !strncmp(name, "ChaCha20-Poly1305", 17) || !strncmp(name, "NULL", 4);
}

static const OSSL_ALGORITHM *query(void *provider, int operation, int *no_cache)
{
	struct openssl_lean *l = lean_of(provider);

	*no_cache = 0;
	if (operation == OSSL_OP_KEYMGMT)
		return l->kinds;
	if (operation == OSSL_OP_DECODER)
		return l->decoders;
	if (operation == OSSL_OP_CIPHER)
		return l->ciphers;
	return OSSL_PROVIDER_query_operation(l->whole, operation, no_cache);
}

static int capabilities(void *provider, const char *name, OSSL_CALLBACK *with, void *data)
{
	return OSSL_PROVIDER_get_capabilities(lean_of(provider)->whole, name, with, data);
}

static const OSSL_DISPATCH functions[] = {
	{ OSSL_FUNC_PROVIDER_QUERY_OPERATION, (void (*)(void))query },
	{ OSSL_FUNC_PROVIDER_GET_CAPABILITIES, (void (*)(void))capabilities },
	{ 0, NULL },
};

static int init(const OSSL_CORE_HANDLE *handle, const OSSL_DISPATCH *in, const OSSL_DISPATCH **out,
		void **provider)
{
	(void)handle, (void)in;
	*provider = OSSL_PROVIDER_get0_provider_ctx(loading->whole);
	*out = functions;
	return 1;
}

static OSSL_ALGORITHM *choose(OSSL_PROVIDER *whole, int operation,
			      bool (*wanted)(const OSSL_ALGORITHM *a))
{
	int no_cache;
	const OSSL_ALGORITHM *every = OSSL_PROVIDER_query_operation(whole, operation, &no_cache);
	size_t count = 0, chosen = 0;
	OSSL_ALGORITHM *some;

	while (every && every[count].algorithm_names)
		count++;
	some = calloc(count + 1, sizeof(*some));
	for (size_t i = 0; some && i < count; i++)
		if (wanted(&every[i]))
			some[chosen++] = every[i];
	return some;
}

static void enlist(struct openssl_lean *l)
{
	pthread_mutex_lock(&lock);
	l->next = all;
	all = l;
	pthread_mutex_unlock(&lock);
}

struct openssl_lean *openssl_lean_load(OSSL_LIB_CTX *lib)
{
	struct openssl_lean *l = calloc(1, sizeof(*l));

	if (!l)
		return NULL;
	l->lib = OSSL_LIB_CTX_new();
	l->whole = l->lib ? OSSL_PROVIDER_load(l->lib, "default") : NULL;
	if (l->whole) {
		l->kinds = choose(l->whole, OSSL_OP_KEYMGMT, is_met);
		l->decoders = choose(l->whole, OSSL_OP_DECODER, reads_certificates);
		l->ciphers = choose(l->whole, OSSL_OP_CIPHER, seals_records);
		enlist(l); /* other threads ask what is listed for its provider */
	}
	loading = l;
	if (l->kinds && l->decoders && l->ciphers &&
	    OSSL_PROVIDER_add_builtin(lib, LEAN_NAME, init) == 1)
		l->part = OSSL_PROVIDER_load(lib, LEAN_NAME);
	loading = NULL;
	if (l->part)
		return l;
	openssl_lean_free(l);
	return NULL;
}

void openssl_lean_unload(struct openssl_lean *l)
{
	if (l && l->part)
		OSSL_PROVIDER_unload(l->part);
}

void openssl_lean_free(struct openssl_lean *l)
{
	if (!l)
		return;
	pthread_mutex_lock(&lock);
	for (struct openssl_lean **at = &all; *at; at = &(*at)->next)
		if (*at == l) {
			*at = l->next;
			break;
		}
	pthread_mutex_unlock(&lock);
	free(l->kinds);
	free(l->decoders);
	free(l->ciphers);
	if (l->whole)
		OSSL_PROVIDER_unload(l->whole);
	OSSL_LIB_CTX_free(l->lib);
	free(l);
}
