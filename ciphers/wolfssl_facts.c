/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wolfssl_facts - what a connection agreed on, in IANA's numbers, and what the
 * library was built with.
 *
 * The signature scheme is not told: the library keeps it to itself.
 */
#include "ciphers/wolfssl_domain.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static enum tls_version version_of(WOLFSSL *ssl)
{
	switch (wolfSSL_version(ssl)) {
	case 0x0303:
		return TLS12;
	case 0x0304:
		return TLS13;
	case 0xfefd:
		return DTLS12;
	default:
		return TLS_NONE;
	}
}

/* It writes "FFDHE_2048" for ffdhe2048. */
static uint16_t group_of(WOLFSSL *ssl)
{
	const char *name = wolfSSL_get_curve_name(ssl);
	const struct cipher *c = cipher_by_id((uint16_t)wolfSSL_get_current_cipher_suite(ssl));
	const struct group *g;
	unsigned prime_bits;
	char plain[32];

	/* Where none was used it names the one it would have. */
	if (c && (c->kx == KX_PSK || c->kx == KX_RSA))
		return 0;
	if (name && sscanf(name, "FFDHE_%u", &prime_bits) == 1) {
		snprintf(plain, sizeof(plain), "ffdhe%u", prime_bits);
		name = plain;
	}
	g = name ? group_by_name(name) : NULL;
	return g ? g->id : 0;
}

static void peer_key_of(WOLFSSL *ssl, struct tls_facts *facts)
{
	WOLFSSL_X509_CHAIN *chain = wolfSSL_get_peer_chain(ssl);

	if (chain && wolfSSL_get_chain_count(chain) > 0)
		facts->peer_key = wolfssl_key_of(wolfSSL_get_chain_cert(chain, 0),
						 (size_t)wolfSSL_get_chain_length(chain, 0),
						 &facts->peer_key_bits);
}

void wolfssl_facts(struct assoc *a, struct tls_facts *facts)
{
	WOLFSSL *ssl = a->impl;
	unsigned short len = 0;
	char *protocol = NULL;

	*facts = (struct tls_facts){
		.version = version_of(ssl),
		.cipher_id = (uint16_t)wolfSSL_get_current_cipher_suite(ssl),
		.group_id = group_of(ssl),
		.resumed = wolfSSL_session_reused(ssl) == 1,
	};
	peer_key_of(ssl, facts);
	if (wolfSSL_ALPN_GetProtocol(ssl, &protocol, &len) == WOLFSSL_SUCCESS)
		alpn_copy(facts->alpn, protocol, len);
}

/* --- how it was built ----------------------------------------------------- */

/* Read from the installed headers: the library cannot be asked. */
#if defined(WOLFSSL_AESNI)
#define SYMMETRIC "AES-NI"
#elif defined(WOLFSSL_ARMASM)
#define SYMMETRIC "ARM assembly"
#else
#define SYMMETRIC "plain C"
#endif

#if defined(USE_INTEL_SPEEDUP)
#define HASHES ", AVX hashes and curves"
#else
#define HASHES ""
#endif

#if defined(WOLFSSL_SP_X86_64_ASM) || defined(WOLFSSL_SP_ARM64_ASM) || defined(WOLFSSL_SP_ARM32_ASM)
#define BIG_NUMBERS ", SP assembly"
#elif defined(WOLFSSL_SP_X86_64) || defined(WOLFSSL_SP_ARM64) || defined(WOLFSSL_SP_ARM32)
#define BIG_NUMBERS ", inline assembly in big numbers"
#else
#define BIG_NUMBERS ""
#endif

/* Tables for points met before: the same server's key is verified faster the third time. */
#if defined(FP_ECC)
#define POINTS ", cached EC points"
#else
#define POINTS ""
#endif

static char build_text[160];

static void find_build(void)
{
	bool same = !strcmp(LIBWOLFSSL_VERSION_STRING, wolfSSL_lib_version());

	snprintf(build_text, sizeof(build_text), "%s%s", SYMMETRIC HASHES BIG_NUMBERS POINTS,
		 same ? "" : " (by headers of version " LIBWOLFSSL_VERSION_STRING ")");
}

const char *wolfssl_build(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, find_build);
	return build_text;
}
