/* SPDX-License-Identifier: Apache-2.0 */
/* node_adapter - the command line of a server under test. */
#include "testbed/node_adapter.h"

#include <errno.h>
#include <string.h>

/* "coap+tcp" with TLS is "coaps+tcp". An IPv6 address stands in brackets inside a URL. */
static void add_url(const struct server_settings *s, struct node_argv *argv)
{
	const char *protocol = json_string_value(json_object_get(s->settings, "protocol"));
	const char *base = protocol ? protocol : "http";
	bool bare = strchr(s->listen, ':') && s->listen[0] != '[';
	int stem = (int)strcspn(base, "+");

	node_argv_add(argv, "%.*s%s%s://%s%s%s:0/", stem, base,
		      strcmp(s->suite, "plain") ? "s" : "", base + stem, bare ? "[" : "", s->listen,
		      bare ? "]" : "");
}

/* Every level, so that the server's own defaults decide nothing. */
static void add_levels(const struct server_settings *s, struct node_argv *argv)
{
	static const char *const option[APP_ENCODINGS] = {
		[APP_GZIP] = "gzip", [APP_BROTLI] = "brotli", [APP_ZSTD] = "zstd"
	};

	for (int e = APP_IDENTITY + 1; e < APP_ENCODINGS; e++)
		node_argv_add(argv, "--%s-level=%d", option[e],
			      s->encoding.coding == (enum app_encoding)e ? s->encoding.level : 0);
	if (s->encoding.once)
		node_argv_add(argv, "--compress-when=once");
}

static int add_setting(const char *key, const char *text, enum setting_side side, bool another,
		       struct node_argv *argv, struct fail *f)
{
	int row = setting_index(key);
	char canonical[SETTING_TEXT_BYTES];
	struct buf word = { 0 };

	if (row < 0 || !text)
		return fail_set(f, EINVAL, "no setting is called \"%.40s\"", key);
	if (setting_read(&setting_rows[row], text, canonical, f))
		return fail_within(f, "setting \"%.40s\"", key);
	if (!(another && setting_rows[row].own_client) &&
	    setting_word(&setting_rows[row], side, canonical, &word))
		node_argv_add(argv, "%s", buf_text(&word));
	buf_release(&word);
	return 0;
}

int node_add_settings(const json_t *all, enum setting_side side, bool another,
		      struct node_argv *argv, struct fail *f)
{
	const char *key;
	json_t *value;

	if (!json_is_object(all))
		return fail_set(f, EINVAL, "the settings are no object");
	json_object_foreach((json_t *)(uintptr_t)all, key, value)
	{
		if (add_setting(key, json_string_value(value), side, another, argv, f))
			return -1;
	}
	return 0;
}

int node_server_command(const struct server_settings *s, const char *program,
			struct node_argv *argv, struct fail *f)
{
	node_argv_add(argv, "%s", program);
	node_argv_add(argv, "serve");
	add_url(s, argv);
	node_argv_add(argv, "--server=%s", s->adapter);
	if (strcmp(s->suite, "plain")) {
		node_argv_add(argv, "--suite=%s", s->suite);
		node_argv_add(argv, "--engine=%s", s->engine);
		if (s->client_ca[0])
			node_argv_add(argv, "--client-ca=%s", s->client_ca);
		if (s->psk_fd >= 0)
			node_argv_add(argv, "--psk-file=/proc/self/fd/%d", s->psk_fd);
	}
	node_argv_add(argv, "--workload=%s", s->workload);
	node_argv_add(argv, "--payload=%lld", (long long)s->payload_bytes);
	node_argv_add(argv, "--payload-kind=%s", s->payload_kind);
	add_levels(s, argv);
	if (s->close_each)
		node_argv_add(argv, "--close-each");
	if (s->cpus[0])
		node_argv_add(argv, "--cpus=%s", s->cpus);
	node_argv_add(argv, "--counters");
	return node_add_settings(s->settings, SETTING_SERVE, false, argv, f);
}
