/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_fail - OpenSSL's error queue and verification results in plain words.
 */
#include <errno.h>
#include <openssl/err.h>
#include <openssl/sslerr.h>
#include <openssl/x509_vfy.h>
#include <stdio.h>
#include <string.h>

#include "ciphers/openssl_domain.h"

static const char *reason_text(unsigned long e)
{
	const char *text;

	if (ERR_SYSTEM_ERROR(e))
		return strerror(ERR_GET_REASON(e));
	switch (ERR_GET_LIB(e) == ERR_LIB_SSL ? ERR_GET_REASON(e) : 0) {
	case SSL_R_HTTP_REQUEST:
		return "the peer speaks plain HTTP, not TLS";
	case SSL_R_WRONG_VERSION_NUMBER:
		return "the peer does not speak TLS, or not this version of it";
	}
	text = ERR_reason_error_string(e);
	return text ? text : "no reason given";
}

void openssl_forget_errors(void)
{
	if (ERR_peek_error())
		ERR_clear_error();
}

int openssl_fail(struct fail *f, const char *what)
{
	/* The oldest entry is the cause, later ones tell through whom it came. */
	unsigned long e = ERR_get_error();
	int code = e && ERR_SYSTEM_ERROR(e) ? ERR_GET_REASON(e) : EPROTO;

	fail_set(f, code, "openssl: %s: %s", what, e ? reason_text(e) : "no reason given");
	ERR_clear_error();
	return -1;
}

static int fail_verify(struct assoc *a, long result)
{
	const struct tls_params *p = &a->domain->params;
	const char *whose = p->role == CLIENT ? "server" : "client";
	const char *text = X509_verify_cert_error_string(result);

	ERR_clear_error();
	switch (result) {
	case X509_V_ERR_HOSTNAME_MISMATCH:
	case X509_V_ERR_IP_ADDRESS_MISMATCH:
		return fail_set(&a->fail, EPROTO,
				"the server's certificate: name mismatch, it is not for \"%.80s\"",
				p->server_name ? p->server_name : "");
	case X509_V_ERR_CERT_HAS_EXPIRED:
		return fail_set(&a->fail, EPROTO, "the %s's certificate has expired", whose);
	case X509_V_ERR_CERT_NOT_YET_VALID:
		return fail_set(&a->fail, EPROTO, "the %s's certificate is not yet valid", whose);
	case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
	case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
	case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
	case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
	case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
	case X509_V_ERR_CERT_SIGNATURE_FAILURE:
		return fail_set(&a->fail, EPROTO,
				"the %s's certificate: unknown issuer, %.160s does not vouch "
				"for it (%s)",
				whose, p->ca_file ? p->ca_file : "?", text);
	}
	return fail_set(&a->fail, EPROTO, "the %s's certificate is refused: %s", whose, text);
}

int openssl_fail_step(struct assoc *a, const char *what)
{
	const struct suite *s = a->domain->params.suite;
	char suite[SUITE_TEXT_BYTES], where[SUITE_TEXT_BYTES + 32];
	long verified = SSL_get_verify_result(a->impl);

	if (verified != X509_V_OK && SSL_get_verify_mode(a->impl) != SSL_VERIFY_NONE)
		return fail_verify(a, verified);
	snprintf(where, sizeof(where), "%s%s%s", what, s ? " of " : "",
		 s ? suite_format(s, suite) : "");
	return openssl_fail(&a->fail, where);
}

enum step openssl_settle(struct assoc *a, int ret, const char *what)
{
	if (ret > 0)
		return STEP_DONE;
	switch (SSL_get_error(a->impl, ret)) {
	case SSL_ERROR_WANT_READ:
		return STEP_IN;
	case SSL_ERROR_WANT_WRITE:
		return STEP_OUT;
	case SSL_ERROR_ZERO_RETURN:
		return STEP_CLOSED;
	default:
		openssl_fail_step(a, what);
		return STEP_FAILED;
	}
}
