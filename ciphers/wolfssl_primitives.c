/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wolfssl_primitives - wolfSSL's primitives: the list of what it can do. Families that
 * are not in it are absent from every build that this program knows how to ask.
 */
#include "ciphers/wolfssl_primitives.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <wolfssl/wolfcrypt/error-crypt.h>
#include <wolfssl/wolfcrypt/wc_port.h>

int wolfssl_primitive_broken(struct primitive *p, const char *what, int error)
{
	char text[160];

	if (error >= 0)
		return primitive_broken(p, what);
	snprintf(text, sizeof(text), "%s: %s", what, wc_GetErrorString(error));
	return primitive_broken(p, text);
}

static int start_error;

static void start_library(void)
{
	start_error = wolfCrypt_Init();
}

int wolfssl_start(struct primitive *p, WC_RNG *rng)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	int ret;

	pthread_once(&once, start_library);
	if (start_error)
		return wolfssl_primitive_broken(p, "the library does not start", start_error);
	ret = rng ? wc_InitRng(rng) : 0;
	return ret ? wolfssl_primitive_broken(p, "no random numbers", ret) : 0;
}

enum wc_HashType wolfssl_hash_of(const struct algorithm *a)
{
	if (!strcmp(a->hash, "SHA384"))
		return WC_HASH_TYPE_SHA384;
	return strcmp(a->hash, "SHA512") != 0 ? WC_HASH_TYPE_SHA256 : WC_HASH_TYPE_SHA512;
}

const struct primitive_ops *const wolfssl_primitives[] = {
	&wolfssl_rsa,   &wolfssl_ec,
#if defined(HAVE_CURVE25519)
	&wolfssl_x,
#endif
#if defined(HAVE_ED25519)
	&wolfssl_eddsa,
#endif
#if !defined(NO_DH)
	&wolfssl_ffdh,
#endif
	&wolfssl_aead,
#if defined(HAVE_AES_ECB)
	&wolfssl_block, &wolfssl_transcript,
#endif
	&wolfssl_hash,  &wolfssl_hmac,       NULL,
};
