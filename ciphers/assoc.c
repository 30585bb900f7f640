/* SPDX-License-Identifier: Apache-2.0 */
/*
 * assoc - ciphertext between an engine's wires and a non-blocking socket.
 *
 * Knows send() and recv() and the engine's rules of stepping; no event loop, no
 * clock, no library. Records are counted here, so that every engine gathers the
 * same number of them in one send().
 */
#include "ciphers/assoc.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

/* More than any record adds: 5 head, 16 IV, 48 MAC, 16 padding, 16 tag, 1 type. */
#define RECORD_OVERHEAD_BYTES 256
/* A whole flight of handshake messages with a long chain leaves in one send(). */
#define FLIGHT_BYTES 8192

int assoc_wires_init(struct assoc_wires *w, size_t record_bytes, int records_per_send)
{
	size_t record = record_bytes ? record_bytes : RECORD_BYTES_MAX;
	size_t records = records_per_send > 0 ? (size_t)records_per_send : 1;

	*w = (struct assoc_wires){ 0 };
	if (!wire_init(&w->in, RECORD_BYTES_MAX + RECORD_OVERHEAD_BYTES, false) &&
	    !wire_init(&w->out, (record + RECORD_OVERHEAD_BYTES) * records + FLIGHT_BYTES, false))
		return 0;
	assoc_wires_release(w);
	return -1;
}

void assoc_wires_release(struct assoc_wires *w)
{
	wire_release(&w->in);
	wire_release(&w->out);
}

void assoc_socket_init_bare(struct assoc_socket *s, int records_per_send)
{
	*s = (struct assoc_socket){ .fd = -1 };
	s->records_per_send = records_per_send > 0 ? records_per_send : 1;
}

void assoc_socket_lend(struct assoc_socket *s, struct assoc_wires *w)
{
	s->assoc.in = w->in;
	s->assoc.out = w->out;
	*w = (struct assoc_wires){ 0 };
}

bool assoc_socket_return(struct assoc_socket *s, struct assoc_wires *w)
{
	if (!wire_empty(&s->assoc.in) || !wire_empty(&s->assoc.out))
		return false;
	w->in = s->assoc.in;
	w->out = s->assoc.out;
	s->assoc.in = s->assoc.out = (struct wire){ 0 };
	return true;
}

int assoc_socket_init(struct assoc_socket *s, size_t record_bytes, int records_per_send)
{
	struct assoc_wires wires;

	assoc_socket_init_bare(s, records_per_send);
	if (assoc_wires_init(&wires, record_bytes, records_per_send))
		return fail_set(
			&s->assoc.fail, ENOMEM,
			"no memory for an association with records of %zu bytes, %d at once",
			record_bytes, records_per_send);
	assoc_socket_lend(s, &wires);
	return 0;
}

void assoc_socket_release(struct assoc_socket *s)
{
	assoc_socket_close(s);
	wire_release(&s->assoc.in);
	wire_release(&s->assoc.out);
}

int assoc_socket_open(struct assoc_socket *s, struct domain *d, int fd)
{
	assoc_socket_close(s);
	fail_clear(&s->assoc.fail);
	s->assoc.domain = d;
	s->eof = s->stuck = s->emptied = false;
	s->socket_error = s->records = 0;
	s->bytes_sent = s->bytes_received = 0;
	if (d->params.suite && tls_version_is_datagram(d->params.suite->version))
		return fail_set(&s->assoc.fail, EINVAL, "a datagram suite on a stream socket");
	if (d->ops->open(&s->assoc))
		return -1;
	s->fd = fd;
	/* Clients speak first. */
	s->emptied = d->params.role == CLIENT;
	return 0;
}

void assoc_socket_close(struct assoc_socket *s)
{
	if (s->assoc.impl)
		s->assoc.domain->ops->close(&s->assoc);
	s->assoc.impl = NULL;
	s->fd = -1;
	wire_clear(&s->assoc.in);
	wire_clear(&s->assoc.out);
}

/* --- the socket ----------------------------------------------------------- */

static enum step socket_failed(struct assoc_socket *s, const char *doing)
{
	const char *text = s->socket_error == ECONNRESET || s->socket_error == EPIPE
				   ? "closed by peer"
				   : strerror(s->socket_error);

	fail_set(&s->assoc.fail, s->socket_error, "%s while %s", text, doing);
	return STEP_FAILED;
}

static enum step vanished(struct assoc_socket *s, const char *doing)
{
	if (s->socket_error)
		return socket_failed(s, doing);
	fail_set(&s->assoc.fail, ECONNRESET, "closed by peer while %s, without a close_notify",
		 doing);
	return STEP_FAILED;
}

/* Without a reason in fail: what is still to be read may matter more than a lost send. */
static enum step drain(struct assoc_socket *s)
{
	struct wire *out = &s->assoc.out;
	const uint8_t *data;
	size_t len;
	ssize_t n;

	s->stuck = false;
	for (data = wire_peek(out, &len); len; data = wire_peek(out, &len)) {
		n = s->socket_error ? -1 : send(s->fd, data, len, MSG_NOSIGNAL);
		if (n >= 0) {
			wire_drop(out, (size_t)n);
			s->bytes_sent += n;
			continue;
		}
		if (!s->socket_error && errno == EINTR)
			continue;
		if (!s->socket_error && (errno == EAGAIN || errno == EWOULDBLOCK)) {
			s->stuck = true;
			return STEP_OUT;
		}
		s->socket_error = s->socket_error ? s->socket_error : errno;
		wire_clear(out);
		return STEP_FAILED;
	}
	s->records = 0;
	return STEP_DONE;
}

enum step assoc_socket_flush(struct assoc_socket *s)
{
	enum step step = drain(s);

	return step == STEP_FAILED ? socket_failed(s, "sending") : step;
}

/* STEP_DONE: there are new bytes or the end was met. STEP_IN: nothing yet. */
static enum step fill(struct assoc_socket *s)
{
	size_t room;
	uint8_t *space = wire_space(&s->assoc.in, &room);
	ssize_t n;

	if (s->eof)
		return STEP_DONE;
	if (!room) {
		fail_set(&s->assoc.fail, EPROTO, "the engine took no byte of a full wire");
		return STEP_FAILED;
	}
	if (s->emptied) {
		s->emptied = false;
		return STEP_IN;
	}
	do {
		n = recv(s->fd, space, room, 0);
	} while (n < 0 && errno == EINTR);
	if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK))
		return STEP_IN;
	if (n < 0)
		s->socket_error = errno;
	s->eof = n <= 0;
	s->emptied = n > 0 && (size_t)n < room;
	if (n > 0) {
		wire_fill(&s->assoc.in, (size_t)n);
		s->bytes_received += n;
	}
	return STEP_DONE;
}

/*
 * The engine wants input. STEP_DONE: call it again. An engine that left bytes in
 * the wire but takes none of them any more waits for the rest of a record.
 */
static enum step feed(struct assoc_socket *s, size_t before, const char *doing)
{
	size_t left;
	enum step step;

	wire_peek(&s->assoc.in, &left);
	if (left && left != before)
		return STEP_DONE;
	if (s->eof)
		return s->assoc.domain->ops->ends_with_stream && !s->socket_error
			       ? STEP_CLOSED
			       : vanished(s, doing);
	step = fill(s);
	if (step == STEP_DONE && s->eof && !left)
		return feed(s, 0, doing);
	return step;
}

/* --- the steps ------------------------------------------------------------ */

enum step assoc_socket_handshake(struct assoc_socket *s)
{
	const struct engine_ops *ops = s->assoc.domain->ops;

	for (;;) {
		size_t before;
		enum step step, sent;

		wire_peek(&s->assoc.in, &before);
		step = ops->handshake(&s->assoc);
		if (step == STEP_DONE && s->gathers)
			return step;
		sent = drain(s);
		/* A finished handshake whose last bytes nobody takes may still have sent data. */
		if (step == STEP_FAILED || (step == STEP_DONE && sent != STEP_OUT))
			return step;
		if (sent == STEP_OUT)
			return STEP_OUT;
		if (step == STEP_IN)
			step = feed(s, before, "shaking hands");
		else if (step == STEP_OUT && sent == STEP_FAILED)
			return socket_failed(s, "shaking hands");
		if (step == STEP_IN || step == STEP_FAILED || step == STEP_CLOSED)
			return step;
	}
}

int assoc_socket_write_early(struct assoc_socket *s, const void *src, size_t len)
{
	size_t put;

	if (s->assoc.domain->ops->write_early(&s->assoc, src, len, &put) == STEP_DONE && put == len)
		return 0;
	return fail_set(&s->assoc.fail, ENOBUFS, "no room for early data of %zu bytes", len);
}

enum step assoc_socket_read(struct assoc_socket *s, void *dst, size_t len, size_t *got)
{
	const struct engine_ops *ops = s->assoc.domain->ops;

	*got = 0;
	for (;;) {
		size_t before;
		enum step step, sent;

		wire_peek(&s->assoc.in, &before);
		step = before || !s->assoc.dry ? ops->read(&s->assoc, dst, len, got) : STEP_IN;
		if (step == STEP_DONE)
			return STEP_DONE;
		/* Alerts and answers to key updates may have been queued. */
		sent = drain(s);
		if (step == STEP_OUT && sent != STEP_OUT)
			continue;
		if (step == STEP_IN)
			step = feed(s, before, "receiving");
		if (step != STEP_DONE)
			return step;
	}
}

enum step assoc_socket_write(struct assoc_socket *s, const void *src, size_t len, size_t *put)
{
	struct domain *d = s->assoc.domain;
	const uint8_t *data = src;

	*put = 0;
	while (*put < len) {
		size_t n = 0;
		enum step step = STEP_OUT;

		if (s->records < s->records_per_send) {
			step = d->ops->write(&s->assoc, data + *put, len - *put, &n);
			*put += n;
			s->records += n > 0;
		}
		if (step == STEP_OUT) {
			step = assoc_socket_flush(s);
			if (step == STEP_OUT)
				return *put ? STEP_DONE : STEP_OUT;
		}
		if (step != STEP_DONE)
			return step;
	}
	return STEP_DONE;
}

void assoc_socket_shutdown(struct assoc_socket *s)
{
	if (!s->assoc.impl || s->socket_error)
		return;
	s->assoc.domain->ops->shutdown(&s->assoc);
	drain(s);
}
