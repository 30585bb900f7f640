/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_drive - for the tests: a server in this process on a port of the kernel's
 * choice, and plain blocking client sockets with a bound on every wait.
 */
#ifndef SERVERS_SERVER_DRIVE_H
#define SERVERS_SERVER_DRIVE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <arpa/inet.h>
#include <cmocka.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/buf.h"
#include "lib/clock.h"
#include "servers/server.h"

#define PATIENCE_NS (20 * NS_PER_S) /* for what must happen; far beyond what it takes */
#define PATIENCE_MS 20000

static inline struct server_params drive_params(const char *url, const struct engine_ops *engine,
						const char *suite)
{
	struct server_params p = {
		.listeners = 1,
		.workload = &workload_page,
		.workload_params = { .payload_bytes = 512,
				     .payload_kind = "json",
				     .payload_bytes_max = 64 << 20,
				     .level[APP_GZIP] = 6 },
		.threads = 1,
		.records_per_send = 4,
		.idle_timeout_ns = 60 * NS_PER_S,
		.handshake_timeout_ns = 60 * NS_PER_S,
		.head_bytes = 4096,
		.body_bytes = 4096,
		.connections = 1000,
		.backlog = 512,
	};
	struct fail f = { 0 };

	if (url_parse(url, &p.listener[0].url, &f) != 0 ||
	    suite_parse(suite, &p.listener[0].suite, &f) != 0)
		fail_msg("%s", f.text);
	p.listener[0].engine = engine;
	return p;
}

static inline struct server_params drive_plain(void)
{
	return drive_params("http://127.0.0.1:0/", &engine_null, "plain");
}

static inline struct server *drive_start(struct server_params *p)
{
	struct fail f = { 0 };
	struct server *s = server_start(p, &f);

	if (!s)
		fail_msg("%s", f.text);
	return s;
}

static inline int drive_connect(const struct server_params *p)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons(p->listener[0].url.port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	assert_true(fd >= 0);
	if (connect(fd, (struct sockaddr *)&to, sizeof to) != 0)
		fail_msg("connect: %s", strerror(errno));
	return fd;
}

static inline void drive_send(int fd, const void *src, size_t len)
{
	const char *bytes = src;

	while (len > 0) {
		ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL);

		assert_true(n > 0);
		bytes += n;
		len -= (size_t)n;
	}
}

static inline void drive_say(int fd, const char *text)
{
	drive_send(fd, text, strlen(text));
}

/* Bytes read; 0: closed; -1: reset. */
static inline ssize_t drive_read(int fd, void *dst, size_t cap)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (poll(&p, 1, PATIENCE_MS) != 1)
		fail_msg("the server neither answers nor closes");
	return recv(fd, dst, cap, 0);
}

/* Everything until the server closes; fails on a reset. fd is closed. */
static inline const char *drive_read_all(int fd, struct buf *b)
{
	ssize_t n;

	buf_clear(b);
	do {
		char *space = buf_reserve(b, 65536);

		assert_non_null(space);
		n = drive_read(fd, space, 65536);
		if (n < 0)
			fail_msg("reset after %zu bytes", b->len);
		b->len += (size_t)n;
	} while (n > 0);
	close(fd);
	return buf_text(b);
}

/* One answer of len bytes of content: its head is at most a read long. */
static inline void drive_read_answer(int fd, size_t len)
{
	char bytes[65536], *end = NULL;
	size_t got = 0, due = 1;

	while (got < due) {
		ssize_t n =
			drive_read(fd, bytes + (end ? 0 : got), sizeof bytes - 1 - (end ? 0 : got));

		assert_true(n > 0);
		got += (size_t)n;
		if (end)
			continue;
		bytes[got] = '\0';
		end = strstr(bytes, "\r\n\r\n");
		due = end ? (size_t)(end - bytes) + 4 + len : got + 1;
	}
	assert_int_equal(got, due);
	assert_int_equal(strncmp(bytes, "HTTP/1.1 200 ", end ? 0 : 13), 0);
}

/* Wait until a counter has a value; counters are read by another thread than counts. */
#define drive_await(server, member, value) \
	drive_await_offset(server, offsetof(struct server_counters, member), value, #member)

static inline void drive_await_offset(struct server *s, size_t offset, int64_t value,
				      const char *name)
{
	int64_t until_ns = clock_ns() + PATIENCE_NS, now = -1;

	do {
		struct server_counters c;

		server_counters(s, &c);
		memcpy(&now, (const char *)&c + offset, sizeof now);
		if (now == value)
			return;
		clock_sleep_until(clock_ns() + NS_PER_MS);
	} while (clock_ns() < until_ns);
	fail_msg("%s is %lld, not %lld", name, (long long)now, (long long)value);
}

#define GET_CLOSE "GET / HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n"
#define GET       "GET / HTTP/1.1\r\nHost: h\r\n\r\n"

/* A new connection is answered as if nothing had happened. */
static inline void drive_check_alive(const struct server_params *p)
{
	struct buf b = { 0 };
	int fd = drive_connect(p);

	drive_say(fd, GET_CLOSE);
	if (strncmp(drive_read_all(fd, &b), "HTTP/1.1 200 OK\r\n", 17) != 0)
		fail_msg("answered: %s", buf_text(&b));
	buf_release(&b);
}

#endif
