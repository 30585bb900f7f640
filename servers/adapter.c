/* SPDX-License-Identifier: Apache-2.0 */
/* adapter - the list of servers under test, where their programs are, and what none can do. */
#include "servers/adapter.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "servers/adapter_words.h"

const struct server_adapter adapter_builtin = {
	.name = "builtin",
	.help = "this program's own server",
	.codings = ~0u,
};

const struct server_adapter *const server_adapters[] = {
	&adapter_builtin,  &adapter_nginx,    &adapter_apache_event, &adapter_apache_prefork,
	&adapter_lighttpd, &adapter_s_server, &adapter_haproxy,      NULL,
};

const char *const server_adapter_names[] = {
	"builtin",  "nginx",    "apache-event", "apache-prefork",
	"lighttpd", "s_server", "haproxy",      NULL,
};

const struct server_adapter *adapter_by_name(const char *name)
{
	for (int i = 0; server_adapters[i]; i++)
		if (strcmp(server_adapters[i]->name, name) == 0)
			return server_adapters[i];
	return NULL;
}

static bool found_in(const char *dir, int len, const char *program, char dst[PATH_BYTES])
{
	int n = snprintf(dst, PATH_BYTES, "%.*s/%s", len, dir, program);

	return len > 0 && n < PATH_BYTES && access(dst, X_OK) == 0;
}

static bool is_bin(const char *dir, int len)
{
	return len >= 4 && memcmp(dir + len - 4, "/bin", 4) == 0;
}

int adapter_find(const struct server_adapter *a, char dst[PATH_BYTES], struct fail *f)
{
	const char *path = getenv("PATH"), *dir = path ? path : "/usr/bin:/bin";
	char sbin[PATH_BYTES];

	dst[0] = '\0';
	if (!a->program)
		return 0;
	for (; *dir; dir += strcspn(dir, ":"), dir += *dir == ':') {
		int len = (int)strcspn(dir, ":");

		if (found_in(dir, len, a->program, dst))
			return 0;
		if (!is_bin(dir, len) || len >= PATH_BYTES - 1)
			continue;
		snprintf(sbin, sizeof sbin, "%.*s/sbin", len - 4, dir);
		if (found_in(sbin, (int)strlen(sbin), a->program, dst))
			return 0;
	}
	dst[0] = '\0';
	return fail_set(f, ENOENT, "%s: there is no program %s here; install the Debian package %s",
			a->name, a->program, a->package);
}

/* Of p's settings, what no other server than our own can do. NULL: nothing. */
static const char *refuses_tls(const struct suite *s)
{
	enum kx kx;

	if (suite_is_plain(s))
		return NULL;
	kx = s->cipher->kx;
	if (tls_version_is_datagram(s->version))
		return "it speaks TLS over TCP only";
	if (kx != KX_TLS13 && kx != KX_ECDHE && kx != KX_RSA)
		return "its configuration is written for TLS 1.3, ECDHE and RSA key exchange only";
	if (s->credential->key == KEY_PSK || s->credential->key == KEY_NONE)
		return "its configuration is written for certificates only";
	return NULL;
}

static int check_coding(const struct server_adapter *a, const struct server_params *p,
			struct fail *f)
{
	const int *level = p->workload_params.level;
	int used = 0;

	for (int e = APP_IDENTITY + 1; e < APP_ENCODINGS; e++) {
		used += level[e] > 0;
		if (level[e] && !(a->codings & 1u << e))
			return fail_set(
				f, EINVAL,
				"%s cannot compress with %s: set its level to 0 (in a campaign: "
				"encodings: identity)",
				a->name, app_encoding_name((enum app_encoding)e));
	}
	if (used > 1)
		return fail_set(f, EINVAL,
				"%s is configured for one content coding, but %d have a level; set "
				"the others to 0",
				a->name, used);
	return 0;
}

int adapter_check(const struct server_adapter *a, const struct server_params *p, struct fail *f)
{
	const struct server_listener *l = &p->listener[0];
	const char *why = refuses_tls(&l->suite);

	if (!a->program)
		return 0;
	if (p->listeners != 1)
		return fail_set(f, EINVAL, "%s is started for one URL, not %d", a->name,
				p->listeners);
	if (strcmp(p->workload->name, "page") != 0)
		why = "it serves pages only";
	if (!why && url_is_secure(&l->url) && strcmp(l->engine->name, "openssl") != 0)
		why = "it brings OpenSSL: engine openssl is the only one it can have";
	if (!why && p->http2 && !a->http2)
		why = "it is started for HTTP/1.1 only";
	if (!why && p->http2 && !url_is_secure(&l->url))
		why = "HTTP/2 is for https:// there, by ALPN";
	if (!why && a->refuses)
		why = a->refuses(p);
	return why ? fail_set(f, EINVAL, "%s: %s", a->name, why) : check_coding(a, p, f);
}
