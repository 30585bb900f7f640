/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_lean - the default provider with less to look through, for clients.
 *
 * To read the public key of a certificate, OpenSSL before 3.2 goes through every kind of key
 * and every decoder it has, for each certificate anew: a quarter of all instructions of a
 * client's handshake. A client meets public keys of a few kinds, in certificates only;
 * offered the kinds and decoders for these alone, the library finds the same ones sooner. It also
 * goes through all that it has of any operation, so less is offered of the others too. The
 * algorithms are the default provider's own, which is loaded apart.
 */
#include "ciphers/openssl_domain.h"

#include <openssl/core_dispatch.h>
#include <openssl/provider.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#define LEAN_NAME "lean"
#define CHOSEN    8

struct openssl_lean {
	struct openssl_lean *next;
	OSSL_LIB_CTX *lib; /* of the default provider */
	OSSL_PROVIDER *whole;
	OSSL_PROVIDER *part; /* of the library that this is for: what is offered to it */
	/* By the rows of chosen: those that are offered, and an empty one. */
	OSSL_ALGORITHM *some[CHOSEN];
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

/* What may sign, whatever the suite says, and what keys are agreed on with; HMAC has keys too. */
static bool is_met(const OSSL_ALGORITHM *a, const struct suite *s)
{
	static const char *const names[] = { "RSA",   "RSA-PSS", "EC", "ED25519",
					     "ED448", "HMAC",    NULL };
	static const char *const agreed[] = { "X25519", "X448", "DH", NULL };
	const char *const of_suite[] = { !s                           ? NULL
					 : s->group->kind == GROUP_FF ? "DH"
								      : s->group->openssl,
					 NULL };

	return named(a, names) || named(a, s ? of_suite : agreed);
}

static bool reads_certificates(const OSSL_ALGORITHM *a, const struct suite *s)
{
	static const char *const names[] = { "RSA", "RSA-PSS", "EC", "ED25519", "ED448", NULL };

	(void)s;
	return named(a, names) && strstr(a->property_definition, "input=der") &&
	       strstr(a->property_definition, "structure=SubjectPublicKeyInfo");
}

/*
 * The suite's own, alone or with a MAC in one, and one that a context has before it is told what
 * to offer; without a suite, each that one may name.
 */
static bool seals_records(const OSSL_ALGORITHM *a, const struct suite *s)
{
	const char *name = a->algorithm_names, *bulk = s ? s->cipher->bulk : "";

	if (strstr(name, "-SIV") || strstr(name, "CTS") || !strncmp(name, "SM4", 3))
		return false;
	if (!strncmp(bulk, "AES", 3) || !strncmp(bulk, "ChaCha", 6))
		return !strncmp(name, bulk, strlen(bulk) - (strstr(bulk, "CCM-8") ? 2 : 0)) ||
		       !strncmp(name, "AES-128-GCM", 11);
	return strstr(name, "-GCM") || strstr(name, "-CCM") || strstr(name, "-CBC") ||
	       !strncmp(name, "ChaCha20-Poly1305", 17) || !strncmp(name, "NULL", 4);
}

static bool hashes(const OSSL_ALGORITHM *a, const struct suite *s)
{
	(void)s;
	return !strncmp(a->algorithm_names, "SHA", 3);
}

static bool authenticates(const OSSL_ALGORITHM *a, const struct suite *s)
{
	(void)s;
	return !strncmp(a->algorithm_names, "HMAC", 4);
}

static bool derives(const OSSL_ALGORITHM *a, const struct suite *s)
{
	static const char *const names[] = { "HKDF", "TLS13-KDF", "TLS1-PRF", NULL };

	(void)s;
	return named(a, names);
}

/* Nothing is written as DER or PEM, and nothing read by a name. */
static bool never(const OSSL_ALGORITHM *a, const struct suite *s)
{
	(void)a, (void)s;
	return false;
}

/* Operations of which some algorithms are offered; of all others, all. */
static const struct {
	int operation;
	bool (*wanted)(const OSSL_ALGORITHM *a, const struct suite *s);
} chosen[CHOSEN] = {
	{ OSSL_OP_KEYMGMT, is_met },       { OSSL_OP_DECODER, reads_certificates },
	{ OSSL_OP_CIPHER, seals_records }, { OSSL_OP_DIGEST, hashes },
	{ OSSL_OP_MAC, authenticates },    { OSSL_OP_KDF, derives },
	{ OSSL_OP_ENCODER, never },        { OSSL_OP_STORE, never },
};

static const OSSL_ALGORITHM *query(void *provider, int operation, int *no_cache)
{
	struct openssl_lean *l = lean_of(provider);

	*no_cache = 0;
	for (int i = 0; i < CHOSEN; i++)
		if (chosen[i].operation == operation)
			return l->some[i];
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
			      bool (*wanted)(const OSSL_ALGORITHM *a, const struct suite *s),
			      const struct suite *suite)
{
	int no_cache;
	const OSSL_ALGORITHM *every = OSSL_PROVIDER_query_operation(whole, operation, &no_cache);
	size_t count = 0, n = 0;
	OSSL_ALGORITHM *some;

	while (every && every[count].algorithm_names)
		count++;
	some = calloc(count + 1, sizeof(*some));
	for (size_t i = 0; some && i < count; i++)
		if (wanted(&every[i], suite))
			some[n++] = every[i];
	return some;
}

static void enlist(struct openssl_lean *l)
{
	pthread_mutex_lock(&lock);
	l->next = all;
	all = l;
	pthread_mutex_unlock(&lock);
}

static bool choose_all(struct openssl_lean *l, const struct suite *suite)
{
	for (int i = 0; i < CHOSEN; i++) {
		l->some[i] = choose(l->whole, chosen[i].operation, chosen[i].wanted, suite);
		if (!l->some[i])
			return false;
	}
	return true;
}

struct openssl_lean *openssl_lean_load(OSSL_LIB_CTX *lib, const struct suite *suite)
{
	struct openssl_lean *l = calloc(1, sizeof(*l));
	bool whole;

	if (!l)
		return NULL;
	l->lib = OSSL_LIB_CTX_new();
	l->whole = l->lib ? OSSL_PROVIDER_load(l->lib, "default") : NULL;
	whole = l->whole && choose_all(l, suite);
	if (whole)
		enlist(l); /* other threads ask what is listed for its provider */
	loading = l;
	if (whole && OSSL_PROVIDER_add_builtin(lib, LEAN_NAME, init) == 1)
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
	for (int i = 0; i < CHOSEN; i++)
		free(l->some[i]);
	if (l->whole)
		OSSL_PROVIDER_unload(l->whole);
	OSSL_LIB_CTX_free(l->lib);
	free(l);
}
