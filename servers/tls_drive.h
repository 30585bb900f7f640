/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls_drive - for the tests: a TLS client on a blocking socket, that can send in pieces
 * and leave as rudely as wanted, and a directory for the certificates.
 */
#ifndef SERVERS_TLS_DRIVE_H
#define SERVERS_TLS_DRIVE_H

#include "servers/server_drive.h"

#include <ftw.h>
#include <stdlib.h>

#include "ciphers/credential.h"
#include "ciphers/engine.h"

#define SUITE13 "tls1.3:AES128-GCM-SHA256:x25519:p256"
#define SUITE12 "tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p256"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED true
#else
#define SANITIZED false
#endif

static char credential_dir[] = "/tmp/cipherwatt-server-test-XXXXXX";
static struct buf text;

/* A TLS client on a blocking socket. */
struct client {
	struct suite suite;
	struct domain domain;
	struct assoc assoc;
	int fd;
	size_t piece; /* bytes per send(); 0: all at once */
};

static inline struct server_params tls_params(const struct engine_ops *engine, const char *suite)
{
	struct server_params p = drive_params("https://127.0.0.1:0/", engine, suite);

	p.credential_dir = credential_dir;
	return p;
}

/* alpn: what it offers, or NULL. */
static inline void client_open_as(struct client *c, const struct server_params *p,
				  const char *ca_file, const char *alpn)
{
	*c = (struct client){ .suite = p->listener[0].suite, .fd = drive_connect(p) };
	c->domain = (struct domain){ .ops = p->listener[0].engine,
				     .params = { .role = CLIENT,
						 .suite = &c->suite,
						 .ca_file = ca_file,
						 .server_name = "localhost",
						 .alpn = alpn } };
	c->assoc.domain = &c->domain;
	if (c->domain.ops->domain_open(&c->domain) != 0)
		fail_msg("%s", c->domain.fail.text);
	assert_int_equal(wire_init(&c->assoc.in, 1 << 18, false), 0);
	assert_int_equal(wire_init(&c->assoc.out, 1 << 18, false), 0);
	if (c->domain.ops->open(&c->assoc) != 0)
		fail_msg("%s", c->assoc.fail.text);
}

static inline void client_open_with(struct client *c, struct server *s,
				    const struct server_params *p, const char *alpn)
{
	client_open_as(c, p, server_ca_file(s, 0), alpn);
}

static inline void client_open(struct client *c, struct server *s, const struct server_params *p)
{
	client_open_with(c, s, p, NULL);
}

static inline void client_close(struct client *c)
{
	c->domain.ops->close(&c->assoc);
	c->domain.ops->domain_close(&c->domain);
	wire_release(&c->assoc.in);
	wire_release(&c->assoc.out);
	if (c->fd >= 0)
		close(c->fd);
}

static inline void client_send(struct client *c)
{
	size_t len;
	const uint8_t *bytes = wire_peek(&c->assoc.out, &len);

	while (len > 0) {
		size_t part = c->piece && c->piece < len ? c->piece : len;

		drive_send(c->fd, bytes, part);
		wire_drop(&c->assoc.out, part);
		bytes = wire_peek(&c->assoc.out, &len);
	}
}

/* false: the server closed. */
static inline bool client_receive(struct client *c)
{
	size_t room;
	uint8_t *space = wire_space(&c->assoc.in, &room);
	ssize_t n = drive_read(c->fd, space, room);

	if (n > 0)
		wire_fill(&c->assoc.in, (size_t)n);
	return n > 0;
}

static inline enum step client_handshake(struct client *c)
{
	for (;;) {
		enum step step = c->domain.ops->handshake(&c->assoc);

		client_send(c);
		if (step != STEP_IN || !client_receive(c))
			return step;
	}
}

static inline void client_say(struct client *c, const char *what)
{
	size_t put;

	assert_int_equal(c->domain.ops->write(&c->assoc, what, strlen(what), &put), STEP_DONE);
	assert_int_equal(put, strlen(what));
	client_send(c);
}

/* Until the server's close_notify, which must come. */
static inline const char *client_read_all(struct client *c, struct buf *b)
{
	buf_clear(b);
	for (;;) {
		size_t got = 0;
		char *space = buf_reserve(b, 65536);
		enum step step = c->domain.ops->read(&c->assoc, space, 65536, &got);

		b->len += got;
		if (step == STEP_CLOSED)
			return buf_text(b);
		if (step == STEP_IN && !client_receive(c))
			fail_msg("closed without a close_notify after %zu bytes", b->len);
		if (step == STEP_FAILED)
			fail_msg("%s", c->assoc.fail.text);
	}
}

static inline void check_https(struct server *s, const struct server_params *p, size_t piece)
{
	struct client c;

	client_open(&c, s, p);
	c.piece = piece;
	if (client_handshake(&c) != STEP_DONE)
		fail_msg("%s: %s", p->listener[0].engine->name, c.assoc.fail.text);
	client_say(&c, GET_CLOSE);
	assert_int_equal(strncmp(client_read_all(&c, &text), "HTTP/1.1 200 OK\r\n", 17), 0);
	assert_non_null(strstr(buf_text(&text), "\r\nContent-Length: 512\r\n"));
	client_close(&c);
}

/* Certificates are made with OpenSSL, whatever engine uses them. */
static inline bool can_make_credentials(void)
{
	struct fail f = { 0 };
	struct credential c;

	if (credential_get(credential_kind_by_name("p256"), credential_dir, NULL, &c, &f) == 0)
		return true;
	print_message("skipped: %s\n", f.text);
	return false;
}

/* Run a test with every engine that offers the suite. */
static inline void with_engines(const char *suite, void (*test)(struct server_params *p))
{
	if (!can_make_credentials())
		skip();
	for (int i = 1; engines[i]; i++) {
		struct server_params p = tls_params(engines[i], suite);
		const char *why = engines[i]->refuses(&p.listener[0].suite);

		if (why)
			print_message("%s: skipped: %s\n", engines[i]->name, why);
		else
			test(&p);
	}
}

static inline int remove_entry(const char *path, const struct stat *st, int kind, struct FTW *where)
{
	(void)st;
	(void)kind;
	(void)where;
	return remove(path);
}

static inline int make_dir(void **state)
{
	(void)state;
	return mkdtemp(credential_dir) ? 0 : -1;
}

static inline int remove_dir(void **state)
{
	(void)state;
	buf_release(&text);
	return nftw(credential_dir, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

#endif
