/* SPDX-License-Identifier: Apache-2.0 */
/*
 * engine_test - what the tests of engines share: credentials kept in the build
 * directory, so that long RSA keys are made once, and probes of which one side
 * is changed.
 */
#ifndef CIPHERS_ENGINE_TEST_H
#define CIPHERS_ENGINE_TEST_H

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "ciphers/probe.h"

/* build/CONFIG/ciphers/x_test lies beside build/credentials. */
static inline const char *test_credential_dir(void)
{
	static char dir[PATH_BYTES];
	const char *slash = strrchr(program_invocation_name, '/');
	int len = slash ? (int)(slash - program_invocation_name) : 1;

	snprintf(dir, sizeof(dir), "%.*s/../../credentials", len,
		 slash ? program_invocation_name : ".");
	return dir;
}

static inline bool test_credential_exists(const struct credential_kind *kind)
{
	char path[PATH_BYTES + 64];

	snprintf(path, sizeof(path), "%s/%s.pem", test_credential_dir(), kind->name);
	return path_exists(path);
}

/* NULL where there is no certificate: plain, and pre-shared keys. */
static inline const struct credential *test_credential(const struct suite *s)
{
	static struct credential made[64];
	size_t i = (size_t)(s->credential - credential_kinds);
	struct fail f = { 0 };

	if (suite_is_plain(s) || s->credential->key == KEY_PSK)
		return NULL;
	assert_true(i < sizeof(made) / sizeof(made[0]));
	if (!made[i].kind &&
	    credential_get(s->credential, test_credential_dir(), NULL, &made[i], &f))
		fail_msg("%s", f.text);
	return &made[i];
}

static inline struct suite test_suite(const char *text)
{
	struct suite s = { 0 };
	struct fail f = { 0 };

	if (suite_parse(text, &s, &f))
		fail_msg("%s", f.text);
	return s;
}

#define EC12  "tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p256"
#define EC13  "tls1.3:AES128-GCM-SHA256:x25519:p256"
#define TURNS 200 /* more than any honest handshake takes */

static const char *const both_versions[] = { EC12, EC13, NULL };

static inline void for_each_engine(void (*test)(const struct engine_ops *ops, const char *suite))
{
	for (int e = 1; engines[e]; e++)
		for (int v = 0; both_versions[v]; v++)
			test(engines[e], both_versions[v]);
}

static inline void for_each_pair(void (*test)(const struct engine_ops *client,
					      const struct engine_ops *server, const char *suite))
{
	for (int c = 1; engines[c]; c++)
		for (int s = 1; engines[s]; s++)
			for (int v = 0; both_versions[v]; v++)
				test(engines[c], engines[s], both_versions[v]);
}

/* A probe whose two sides may differ; the domains are opened again after change(). */
static inline void open_with(struct probe *p, const struct engine_ops *client,
			     const struct engine_ops *server, const struct suite *suite,
			     void (*change)(struct tls_params *client, struct tls_params *server))
{
	struct fail f = { 0 };

	if (probe_open(p, client, server, suite, test_credential(suite), &f))
		fail_msg("%s", f.text);
	if (!change)
		return;
	client->close(&p->client.assoc);
	server->close(&p->server.assoc);
	client->domain_close(&p->client.domain);
	server->domain_close(&p->server.domain);
	change(&p->client.domain.params, &p->server.domain.params);
	if (client->domain_open(&p->client.domain))
		fail_msg("%s", p->client.domain.fail.text);
	if (server->domain_open(&p->server.domain))
		fail_msg("%s", p->server.domain.fail.text);
	if (probe_restart(p, &f))
		fail_msg("%s", f.text);
}

#endif
