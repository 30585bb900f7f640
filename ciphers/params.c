/* SPDX-License-Identifier: Apache-2.0 */
/*
 * params - what every engine asks of struct tls_params, whatever its library.
 *
 * A parameter that cannot be obeyed is refused here, with what to do about it;
 * what only one library lacks is refused by its engine.
 */
#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "ciphers/engine.h"

static bool has_version(const struct tls_params *p, enum tls_version v)
{
	return !p->suite || p->suite->version == v;
}

static bool is_psk(const struct tls_params *p)
{
	return p->suite && p->suite->cipher && p->suite->cipher->auth == AUTH_PSK;
}

static int check_sizes(const struct tls_params *p, struct fail *f)
{
	if (p->record_bytes > RECORD_BYTES_MAX)
		return fail_set(f, EINVAL, "a record takes at most %d bytes, not %zu",
				RECORD_BYTES_MAX, p->record_bytes);
	if (p->early_data_bytes > EARLY_DATA_BYTES_MAX)
		return fail_set(f, EINVAL, "early data takes at most %d bytes, not %zu",
				EARLY_DATA_BYTES_MAX, p->early_data_bytes);
	return 0;
}

static int check_psk(const struct tls_params *p, struct fail *f)
{
	if (p->role == SERVER && p->psk_table)
		return 0;
	if (!p->psk_key || !p->psk_identity || !*p->psk_identity)
		return fail_set(f, EINVAL,
				"the suite needs a pre-shared key and the identity it goes by");
	if (p->psk_key_bytes < PSK_BYTES_MIN || p->psk_key_bytes > PSK_BYTES_MAX)
		return fail_set(f, EINVAL,
				"a pre-shared key of %zu bytes: expected %d to %d, for a strength "
				"of at least 128 bits",
				p->psk_key_bytes, PSK_BYTES_MIN, PSK_BYTES_MAX);
	if (strlen(p->psk_identity) <= PSK_IDENTITY_MAX)
		return 0;
	return fail_set(f, EINVAL, "the identity \"%.30s...\" is longer than %d bytes",
			p->psk_identity, PSK_IDENTITY_MAX);
}

static int check_identity(const struct tls_params *p, struct fail *f)
{
	if (is_psk(p))
		return check_psk(p, f);
	if (p->role == SERVER && (!p->cert_file || !p->key_file))
		return fail_set(f, EINVAL, "a server needs a certificate and a key file");
	if (!p->cert_file != !p->key_file)
		return fail_set(f, EINVAL, "a certificate and its key go together: %s is missing",
				p->cert_file ? "the key" : "the certificate");
	return 0;
}

static int check_resumption(const struct tls_params *p, struct fail *f)
{
	bool tickets = p->resumption == RESUMPTION_TICKET || p->resumption == RESUMPTION_PSK13;

	if (p->resumption == RESUMPTION_PSK13 && !has_version(p, TLS13) && !has_version(p, DTLS13))
		return fail_set(f, EINVAL,
				"resumption by psk13 exists in TLS 1.3 only; here it is "
				"by ticket or by session_id");
	if (p->resumption == RESUMPTION_SESSION_ID && !has_version(p, TLS12) &&
	    !has_version(p, DTLS12))
		return fail_set(f, EINVAL,
				"resumption by session_id ended with TLS 1.2; here it is by psk13");
	if (p->role == SERVER && tickets && p->tickets <= 0)
		return fail_set(f, EINVAL, "resumption by ticket, but no ticket is to be sent");
	if (p->role == SERVER && p->resumption == RESUMPTION_SESSION_ID && p->tickets)
		return fail_set(f, EINVAL, "resumption by session_id, but tickets are to be sent");
	if (!p->early_data_bytes)
		return 0;
	if (!has_version(p, TLS13) && !has_version(p, DTLS13))
		return fail_set(f, EINVAL, "early data exists in TLS 1.3 only");
	if (tls_params_resumption(p) == RESUMPTION_TICKET)
		return 0;
	return fail_set(f, EINVAL, "early data needs resumption by ticket");
}

int tls_params_check(const struct tls_params *p, struct fail *f)
{
	if (check_sizes(p, f))
		return -1;
	if (p->alpn && alpn_check(p->alpn, f))
		return -1;
	if (p->role == SERVER && !p->suite)
		return fail_set(f, EINVAL, "a server needs a suite");
	return check_identity(p, f) || check_resumption(p, f) ? -1 : 0;
}

enum resumption tls_params_resumption(const struct tls_params *p)
{
	if (p->resumption == RESUMPTION_SESSION_ID)
		return RESUMPTION_SESSION_ID;
	return p->resumption != RESUMPTION_NONE || (p->role == SERVER && p->tickets > 0)
		       ? RESUMPTION_TICKET
		       : RESUMPTION_NONE;
}

int ticket_key_make(uint8_t key[TICKET_KEY_BYTES], struct fail *f)
{
	if (getrandom(key, TICKET_KEY_BYTES, 0) == TICKET_KEY_BYTES)
		return 0;
	return fail_set(f, errno, "no random bytes for a ticket key: %s", strerror(errno));
}
