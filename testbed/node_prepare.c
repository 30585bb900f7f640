/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_prepare - the start of a trial on a node: the server under test comes up, or the
 * load generator's command line is made ready.
 *
 * A certificate authority's certificate travels as text and is kept in memory here: a
 * node that is killed leaves no file behind.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/buf.h"
#include "lib/path.h"
#include "protocols/url.h"
#include "servers/adapter.h"
#include "testbed/node_adapter.h"
#include "testbed/node_session.h"

#define COUNTERS_NS     (10 * NS_PER_S)
#define LISTENING_NS    (60 * NS_PER_S) /* an RSA key of 7680 bits on a slow board takes its time */
#define CA_BYTES_MAX    (256 << 10)
#define LISTENING_WORDS "listening on "

int node_await_line(struct node_session *n, struct node_child *c, int64_t due_ns, const char **line,
		    struct fail *f)
{
	int64_t step_ns;
	int got = 0;

	do {
		step_ns = clock_ns() + NODE_ALIVE_NS;
		got = node_child_line(c, step_ns < due_ns ? step_ns : due_ns, line, f);
		if (!got && clock_ns() < due_ns)
			node_say_alive(n);
	} while (!got && clock_ns() < due_ns);
	return got;
}

json_t *node_server_counters(struct node_session *n, struct fail *f)
{
	const char *line = NULL;
	json_t *counters;
	json_error_t bad;
	int got;

	if (write(n->server.proc.in_fd, "\n", 1) != 1) {
		fail_set(f, errno, "the server takes no question: %s", strerror(errno));
		return NULL;
	}
	got = node_await_line(n, &n->server, clock_ns() + COUNTERS_NS, &line, f);
	if (got <= 0) {
		fail_set(f, ETIMEDOUT, "the server did not tell its counters in time");
		return NULL;
	}
	counters = json_loads(line, JSON_REJECT_DUPLICATES, &bad);
	if (json_is_object(counters))
		return counters;
	json_decref(counters);
	fail_set(f, EPROTO, "the server's counters are not a JSON object");
	return NULL;
}

/* Its URL with the address that clients connect to in place of the one it is bound to. */
static int wait_listening(struct node_session *n, const char *address, char dst[URL_TEXT_BYTES],
			  struct fail *f)
{
	const char *line = NULL;
	struct url url;
	int got = node_await_line(n, &n->server, clock_ns() + LISTENING_NS, &line, f);

	if (!got)
		return fail_set(f, ETIMEDOUT, "the server did not listen within %d s",
				(int)(LISTENING_NS / NS_PER_S));
	if (got < 0)
		return -1;
	if (strncmp(line, LISTENING_WORDS, strlen(LISTENING_WORDS)) ||
	    url_parse(line + strlen(LISTENING_WORDS), &url, f))
		return fail_set(f, EPROTO, "the server said \"%.80s\" instead of where it listens",
				line);
	if (address[0])
		snprintf(url.host, sizeof(url.host), "%s", address);
	url_format(&url, dst);
	return 0;
}

/* The text of every certificate that a client should trust, "" where there is none. */
static int read_ca(const json_t *counters, struct buf *pem, struct fail *f)
{
	json_t *files = json_object_get(counters, "ca_files"), *file;
	size_t i;

	json_array_foreach(files, i, file)
	{
		if (json_is_string(file) &&
		    path_read(json_string_value(file), CA_BYTES_MAX, pem, f))
			return -1;
	}
	return pem->failed ? fail_set(f, ENOMEM, "no memory for a certificate") : 0;
}

static int describe_server(struct node_session *n, const char *url, json_t *answer, struct fail *f)
{
	struct buf pem = { 0 };
	int status = -1;

	n->counters_before = node_server_counters(n, f);
	if (!n->counters_before || read_ca(n->counters_before, &pem, f))
		goto out;
	json_object_set_new(answer, "url", json_string(url));
	json_object_set_new(answer, "ca_pem", json_string(buf_text(&pem)));
	status = 0;
out:
	buf_release(&pem);
	return status;
}

static const char *value_of(const json_t *settings, const char *key, const char *otherwise)
{
	const char *text = json_string_value(json_object_get(settings, key));

	return text ? text : otherwise;
}

static int start_server(struct node_session *n, json_t *request, json_t *answer, struct fail *f)
{
	const char *encoding, *address;
	struct server_settings s;
	struct node_argv argv = { 0 };
	char url[URL_TEXT_BYTES];
	int close_each, psk, status = -1;
	struct buf keys = { .secret = true }, shown = { .secret = true };
	char client_ca[PATH_BYTES] = "";

	if (node_unpack(request, f,
			"{s:{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:b, s:b, s:o}}",
			"server", "adapter", &s.adapter, "listen", &s.listen, "address", &address,
			"suite", &s.suite, "engine", &s.engine, "workload", &s.workload,
			"payload_kind", &s.payload_kind, "cpus", &s.cpus, "encoding", &encoding,
			"payload_bytes", &s.payload_bytes, "close_each", &close_each, "psk", &psk,
			"settings", &s.settings))
		return -1;
	s.close_each = close_each;
	if (!adapter_by_name(s.adapter))
		return fail_set(f, EINVAL, "no server called \"%.40s\" can be started here",
				s.adapter);
	if (encoding_parse(encoding, &s.encoding))
		return fail_set(f, EINVAL, "no encoding is called \"%.40s\"", encoding);
	if (!strcmp(value_of(s.settings, "mutual", "false"), "true")) {
		if (node_make_client(s.suite, &shown, client_ca, f))
			goto out;
		json_object_set_new(answer, "client_pem", json_string(buf_text(&shown)));
	}
	s.client_ca = client_ca;
	if (psk && (node_make_psk(&keys, f) || node_keep("psk", buf_text(&keys), &n->psk_fd, f)))
		goto out;
	s.psk_fd = n->psk_fd;
	json_object_set_new(answer, "psk", json_string(buf_text(&keys)));
	if (!node_server_command(&s, n->program, &argv, f) &&
	    !node_child_start(&n->server, "server", &argv, f) &&
	    !wait_listening(n, address, url, f))
		status = describe_server(n, url, answer, f);
out:
	node_argv_release(&argv);
	buf_release(&keys);
	buf_release(&shown);
	return status;
}

struct load_settings {
	const char *url, *suite, *engine, *ca_pem, *client_pem, *psk, *server_name, *connection,
		*cpus, *workload;
	json_int_t clients, timeout_ns, warmup_ns, duration_ns, count;
	const char *accept; /* a content coding, or "identity" */
	const json_t *settings;
};

/* Another load generator than ours brings its own library and verifies nothing. */
static void load_security(struct node_session *n, const struct load_settings *s, bool another,
			  struct node_argv *argv)
{
	if (s->suite[0])
		node_argv_add(argv, "--suite=%s", s->suite);
	if (another) {
		node_argv_add(argv, "--insecure");
		return;
	}
	node_argv_add(argv, "--engine=%s", s->engine);
	node_argv_add(argv, "--server-name=%s", s->server_name);
	if (n->own_fd >= 0) {
		node_argv_add(argv, "--cert=/proc/self/fd/%d", n->own_fd);
		node_argv_add(argv, "--key=/proc/self/fd/%d", n->own_fd);
	}
	if (n->psk_fd >= 0)
		node_argv_add(argv, "--psk-file=/proc/self/fd/%d", n->psk_fd);
	if (n->ca_fd >= 0)
		node_argv_add(argv, "--ca=/proc/self/fd/%d", n->ca_fd);
}

static int load_command(struct node_session *n, const struct load_settings *s, struct fail *f)
{
	struct node_argv *argv = &n->load_argv;
	bool another = strcmp(value_of(s->settings, "driver", "builtin"), "builtin") != 0;

	node_argv_add(argv, "%s", n->program);
	node_argv_add(argv, "load");
	node_argv_add(argv, "%s", s->url);
	if (strcmp(s->suite, "plain"))
		load_security(n, s, another, argv);
	if (!another)
		node_argv_add(argv, "--workload=%s", s->workload);
	node_argv_add(argv, "--connection=%s", s->connection);
	node_argv_add(argv, "--clients=%lld", (long long)s->clients);
	node_argv_add(argv, "--timeout=%lldns", (long long)s->timeout_ns);
	node_argv_add(argv, "--warmup=%lldns", (long long)s->warmup_ns);
	if (s->count)
		node_argv_add(argv, "--count=%lld", (long long)s->count);
	else
		node_argv_add(argv, "--duration=%lldns", (long long)s->duration_ns);
	if (!strcmp(s->accept, "gzip"))
		node_argv_add(argv, "--gzip");
	else if (strcmp(s->accept, "identity"))
		node_argv_add(argv, "--accept=%s", s->accept);
	if (s->cpus[0])
		node_argv_add(argv, "--cpus=%s", s->cpus);
	node_argv_add(argv, "--json");
	node_argv_add(argv, "--control");
	return node_add_settings(s->settings, SETTING_LOAD, another, argv, f);
}

static int keep_client(struct node_session *n, json_t *request, struct fail *f)
{
	struct load_settings s;

	if (node_unpack(request, f,
			"{s:{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, s:I, s:I, "
			"s:I, "
			"s:s, s:o}}",
			"client", "url", &s.url, "suite", &s.suite, "engine", &s.engine, "ca_pem",
			&s.ca_pem, "client_pem", &s.client_pem, "psk", &s.psk, "workload",
			&s.workload, "server_name", &s.server_name, "connection", &s.connection,
			"cpus", &s.cpus, "clients", &s.clients, "timeout_ns", &s.timeout_ns,
			"warmup_ns", &s.warmup_ns, "duration_ns", &s.duration_ns, "count", &s.count,
			"accept", &s.accept, "settings", &s.settings) ||
	    node_keep("ca.pem", s.ca_pem, &n->ca_fd, f) ||
	    node_keep("client.pem", s.client_pem, &n->own_fd, f) ||
	    node_keep("psk", s.psk, &n->psk_fd, f))
		return -1;
	return load_command(n, &s, f);
}

int node_prepare(struct node_session *n, json_t *request, json_t *answer, struct fail *f)
{
	int status;

	if (node_child_runs(&n->server) || n->load_argv.count)
		return fail_set(f, EBUSY, "a trial is prepared already: \"stop\" comes first");
	if (json_object_get(request, "client"))
		status = keep_client(n, request, f);
	else
		status = start_server(n, request, answer, f);
	if (status)
		node_clear(n);
	return status;
}

int node_load(struct node_session *n, json_t *request, json_t *answer, struct fail *f)
{
	(void)answer;
	if (node_unpack(request, f, "{}"))
		return -1;
	if (!n->load_argv.count || node_child_runs(&n->load))
		return fail_set(f, EINVAL, "no load is prepared");
	if (node_child_start(&n->load, "load generator", &n->load_argv, f))
		return -1;
	if (n->usage && node_usage_watch(n->usage, n->load.proc.pid, f))
		return -1;
	if (n->metered && n->meter.ops->watch(&n->meter, &n->load.proc.pid, 1))
		return fail_set(f, EIO, "the meter: %s", n->meter.fail.text);
	return 0;
}
