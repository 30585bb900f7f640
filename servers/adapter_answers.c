/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adapter_answers - one connection to a server under test, asked for its page: what it
 * negotiates is compared with what was asked before anything is measured.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "ciphers/assoc.h"
#include "lib/clock.h"
#include "lib/net.h"
#include "servers/adapter_run.h"

#define ANSWER_NS (20 * NS_PER_S) /* a large page, a slow board */
#define RX_BYTES  16384

struct asking {
	struct domain domain;
	struct assoc_socket sock;
	struct app app;
	int fd;
	int64_t due_ns;
	int status; /* of the answer */
	uint64_t body_bytes;
	bool ended;
};

static int wait_for(struct asking *q, enum step step, struct fail *f)
{
	struct pollfd ready = { .fd = q->fd, .events = step == STEP_OUT ? POLLOUT : POLLIN };
	int64_t left_ms = (q->due_ns - clock_ns()) / NS_PER_MS;

	if (left_ms <= 0 || poll(&ready, 1, (int)left_ms) == 0)
		return fail_set(f, ETIMEDOUT, "no answer within %d s", (int)(ANSWER_NS / NS_PER_S));
	return 0;
}

static int ended(const struct asking *q, const char *when, struct fail *f)
{
	const struct fail *why = &q->sock.assoc.fail;

	return fail_set(f, why->code ? why->code : EPROTO, "%s: %s", when,
			why->text[0] ? why->text : "the connection was closed");
}

/* "0.0.0.0" and "::" are bound, but not connected to. */
static const char *reachable(const char *host)
{
	return strcmp(host, "0.0.0.0") == 0 ? "127.0.0.1" : strcmp(host, "::") == 0 ? "::1" : host;
}

static int dial(struct asking *q, const struct url *url, struct fail *f)
{
	struct net_address address;

	if (net_resolve(reachable(url->host), url->port, false, &address, 1, f) < 0)
		return -1;
	q->fd = socket(address.addr.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (q->fd < 0 || connect(q->fd, (struct sockaddr *)&address.addr, address.len) != 0 ||
	    fcntl(q->fd, F_SETFL, O_NONBLOCK) != 0)
		return fail_set(f, errno, "cannot connect: %s", strerror(errno));
	return 0;
}

static int shake_hands(struct asking *q, struct fail *f)
{
	for (;;) {
		enum step step = assoc_socket_handshake(&q->sock);

		if (step == STEP_DONE)
			return 0;
		if (step != STEP_IN && step != STEP_OUT)
			return ended(q, "the handshake failed", f);
		if (wait_for(q, step, f) != 0)
			return -1;
	}
}

static int send_request(struct asking *q, const char *target, struct fail *f)
{
	struct app_request request = { .method = APP_GET, .target = target, .host = "localhost" };
	char bytes[RX_BYTES];
	size_t len, put = 0, used = 0;
	enum step step;

	if (q->app.ops->request(&q->app, &request) != 0)
		return fail_set(f, EPROTO, "%s", q->app.fail.text);
	len = q->app.ops->pull(&q->app, bytes, sizeof bytes);
	while (used < len) {
		step = assoc_socket_write(&q->sock, bytes + used, len - used, &put);
		used += put;
		if (step == STEP_FAILED || step == STEP_CLOSED)
			return ended(q, "the request could not be sent", f);
		if (step != STEP_DONE && wait_for(q, step, f) != 0)
			return -1;
	}
	while ((step = assoc_socket_flush(&q->sock)) != STEP_DONE) {
		if (step != STEP_OUT)
			return ended(q, "the request could not be sent", f);
		if (wait_for(q, step, f) != 0)
			return -1;
	}
	return 0;
}

static int take_events(struct asking *q, struct fail *f)
{
	struct app_event e;

	while (q->app.ops->next(&q->app, &e)) {
		if (e.kind == APP_FAILED)
			return fail_set(f, EPROTO, "the answer is no HTTP: %s", q->app.fail.text);
		if (e.kind == APP_HEAD_IN)
			q->status = e.response.status;
		if (e.kind == APP_BODY)
			q->body_bytes += e.len;
		q->ended |= e.kind == APP_END;
	}
	return 0;
}

static int receive_some(struct asking *q, struct fail *f)
{
	char bytes[RX_BYTES];
	size_t got = 0, used = 0;
	enum step step = assoc_socket_read(&q->sock, bytes, sizeof bytes, &got);

	if (step == STEP_IN || step == STEP_OUT)
		return wait_for(q, step, f);
	while (used < got) {
		used += q->app.ops->feed(&q->app, bytes + used, got - used);
		if (take_events(q, f) != 0)
			return -1;
	}
	if (step == STEP_DONE)
		return 0;
	q->app.ops->end(&q->app);
	if (take_events(q, f) != 0)
		return -1;
	return q->ended ? 0 : ended(q, "the answer was cut", f);
}

static int ask_page(struct asking *q, const struct adapter_run *r, struct fail *f)
{
	int64_t expected = r->params.workload_params.payload_bytes;

	if (send_request(q, r->job.url.target, f) != 0)
		return -1;
	while (!q->ended)
		if (receive_some(q, f) != 0)
			return -1;
	if (q->status != 200)
		return fail_set(f, EPROTO, "%s was answered with status %d", r->job.url.target,
				q->status);
	if ((int64_t)q->body_bytes != expected)
		return fail_set(f, EPROTO, "%s has %llu bytes instead of %lld", r->job.url.target,
				(unsigned long long)q->body_bytes, (long long)expected);
	return 0;
}

/* The one that the server has too where it is there: what it offers is most like it. */
static const struct engine_ops *engine_for(const struct suite *suite)
{
	if (suite_is_plain(suite))
		return &engine_null;
	for (int i = 0; engines[i]; i++)
		if (engines[i] != &engine_null && !engines[i]->refuses(suite))
			return engines[i];
	return NULL;
}

static int open_all(struct asking *q, const struct adapter_run *r, bool pinned, struct fail *f)
{
	const struct suite *suite = &r->params.listener[0].suite;

	q->fd = -1;
	q->due_ns = clock_ns() + ANSWER_NS;
	q->app = (struct app){ .ops = &app_http1, .half = APP_CLIENT };
	q->domain.ops = engine_for(suite);
	if (!q->domain.ops)
		return fail_set(f, ENOTSUP,
				"no engine of this program can check what it negotiates");
	q->domain.params = (struct tls_params){ .role = CLIENT,
						.suite = pinned ? suite : NULL,
						.ca_file = adapter_ca_file(r),
						.server_name = "localhost" };
	if (q->domain.ops->domain_open(&q->domain) != 0)
		return fail_set(f, q->domain.fail.code, "%s", q->domain.fail.text);
	if (q->app.ops->open(&q->app) != 0)
		return fail_set(f, ENOMEM, "%s", q->app.fail.text);
	if (assoc_socket_init(&q->sock, RECORD_BYTES_MAX, 1) != 0)
		return fail_set(f, ENOMEM, "no memory for a connection");
	if (dial(q, &r->job.url, f) != 0)
		return -1;
	if (assoc_socket_open(&q->sock, &q->domain, q->fd) != 0)
		return ended(q, "no connection", f);
	return 0;
}

static void close_all(struct asking *q)
{
	assoc_socket_close(&q->sock);
	assoc_socket_release(&q->sock);
	if (q->app.impl)
		q->app.ops->close(&q->app);
	if (q->domain.impl)
		q->domain.ops->domain_close(&q->domain);
	if (q->fd >= 0)
		close(q->fd);
}

/* What the server chooses when everything is offered, or why there is nothing. */
static void describe_choice(const struct adapter_run *r, char dst[SUITE_TEXT_BYTES + 64])
{
	struct asking q = { 0 };
	struct tls_facts facts;
	struct fail why = { 0 };

	if (open_all(&q, r, false, &why) == 0 && shake_hands(&q, &why) == 0) {
		q.domain.ops->facts(&q.sock.assoc, &facts);
		facts_format(&facts, dst);
	} else {
		snprintf(dst, SUITE_TEXT_BYTES + 64, "nothing (%.150s)", why.text);
	}
	close_all(&q);
}

static int check_suite(struct asking *q, const struct adapter_run *r, struct fail *f)
{
	const struct suite *suite = &r->params.listener[0].suite;
	char asked[SUITE_TEXT_BYTES], came[SUITE_TEXT_BYTES + 64];
	struct fail why = { 0 };
	struct tls_facts facts;

	if (shake_hands(q, &why) != 0) {
		if (suite_is_plain(suite))
			return fail_set(f, why.code, "%s", why.text);
		describe_choice(r, came);
		return fail_set(f, why.code, "asked for %s, it negotiates %s",
				suite_format(suite, asked), came);
	}
	q->domain.ops->facts(&q->sock.assoc, &facts);
	return suite_is_plain(suite) ? 0 : facts_check(suite, &facts, CLIENT, f);
}

int adapter_answers(const struct adapter_run *r, struct fail *f)
{
	struct asking q = { 0 };
	int status = -1;

	if (open_all(&q, r, true, f) == 0 && check_suite(&q, r, f) == 0)
		status = ask_page(&q, r, f);
	close_all(&q);
	return status;
}
