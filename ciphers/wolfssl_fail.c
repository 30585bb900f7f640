/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wolfssl_fail - wolfSSL's error codes and alerts in plain words.
 */
#include "ciphers/wolfssl_domain.h"

#include <errno.h>
#include <stdio.h>
#include <wolfssl/error-ssl.h>
#include <wolfssl/wolfcrypt/error-crypt.h>

/* RFC 8446 section 6.2. */
static const char *alert_text(int code)
{
	static const struct {
		int code;
		const char *text;
	} known[] = {
		{ 10, "unexpected message" },  { 20, "bad record MAC" },
		{ 22, "record overflow" },     { 40, "handshake failure" },
		{ 42, "bad certificate" },     { 43, "unsupported certificate" },
		{ 45, "certificate expired" }, { 46, "certificate unknown" },
		{ 47, "illegal parameter" },   { 48, "unknown CA" },
		{ 50, "decode error" },        { 51, "decrypt error" },
		{ 70, "protocol version" },    { 71, "insufficient security" },
		{ 80, "internal error" },      { 109, "missing extension" },
		{ 112, "unrecognized name" },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].code == code)
			return known[i].text;
	return "of another kind";
}

/* 0 when the error is not about the server's certificate. */
static int fail_verify(struct assoc *a, int error)
{
	const struct tls_params *p = &a->domain->params;
	const char *whose = p->role == CLIENT ? "server" : "client";

	switch (error) {
	case DOMAIN_NAME_MISMATCH:
	case IPADDR_MISMATCH:
		return fail_set(&a->fail, EPROTO,
				"the server's certificate: name mismatch, it is not for \"%.80s\"",
				p->server_name ? p->server_name : "");
	case ASN_AFTER_DATE_E:
		return fail_set(&a->fail, EPROTO, "the %s's certificate has expired", whose);
	case ASN_BEFORE_DATE_E:
		return fail_set(&a->fail, EPROTO, "the %s's certificate is not yet valid", whose);
	case ASN_NO_SIGNER_E:
	case ASN_SELF_SIGNED_E:
	case ASN_SIG_CONFIRM_E:
		return fail_set(&a->fail, EPROTO,
				"the %s's certificate: unknown issuer, %.160s does not vouch "
				"for it",
				whose, p->ca_file ? p->ca_file : "?");
	}
	return 0;
}

int wolfssl_fail_step(struct assoc *a, const char *what, int error)
{
	const struct suite *s = a->domain->params.suite;
	char suite[SUITE_TEXT_BYTES] = "", text[WOLFSSL_MAX_ERROR_SZ] = "";
	WOLFSSL_ALERT_HISTORY alerts;

	if (fail_verify(a, error))
		return -1;
	wolfSSL_ERR_error_string_n((unsigned long)-error, text, sizeof(text));
	if (error == FATAL_ERROR && wolfSSL_get_alert_history(a->impl, &alerts) == WOLFSSL_SUCCESS)
		snprintf(text, sizeof(text), "the peer sent an alert: %s (%d)",
			 alert_text(alerts.last_rx.code), alerts.last_rx.code);
	else if (error == UNKNOWN_RECORD_TYPE || error == PARSE_ERROR)
		snprintf(text, sizeof(text), "the peer does not speak TLS, perhaps plain HTTP");
	else if (error == VERSION_ERROR)
		snprintf(text, sizeof(text), "the peer speaks another version of TLS, or none");
	return fail_set(&a->fail, EPROTO, "wolfssl: %s%s%s: %s", what, s ? " of " : "",
			s ? suite_format(s, suite) : "", text);
}
