/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_serve - the page and its events by libmicrohttpd.
 *
 * The library is driven from outside: it runs when its descriptor is readable. A stream of events
 * that has nothing to send is suspended, and the library looks no more at its connection; so
 * this file does, to notice a page that went away.
 */
#include "results/watch_serve.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/hex.h"
#include "results/watch_answer.h"
#include "results/watch_feed.h"
#include "results/watch_library.h"
#include "results/watch_listen.h"

#define CONNECTIONS_MAX 32
#define STREAMS_MAX     16 /* the rest is for whole pages */
#define IDLE_S          30 /* of a connection that asks for nothing, or takes nothing */
#define LOOK_NS         NS_PER_S
#define TICK_NS         (5 * NS_PER_S)

struct stream {
	struct watch_server *server;
	struct MHD_Connection *connection;
	struct stream *next;
	struct watch_feed feed;
	int fd;
	bool suspended, gone;
};

struct watch_server {
	const struct watch_site *site;
	const struct watch_library *mhd;
	struct MHD_Daemon *daemon;
	struct stream *stream;
	struct watch_news *all, *tick;
	int streams, poll_fd;
	bool closing;
	int64_t version;                 /* as the site says */
	int64_t turn;                    /* goes on by itself, for what time alone changes */
	int64_t told_version, told_turn; /* that streams have */
	struct made {
		struct MHD_Response *response;
		int64_t version, turn; /* it was made of */
		int status;
	} made[WATCH_TARGETS];
	char nonce[WATCH_NONCE_BYTES];
};

/* --- answers --------------------------------------------------------------------- */

static void put_headers(const struct watch_server *s, struct MHD_Response *r,
			enum watch_target target)
{
	char policy[WATCH_POLICY_BYTES];

	watch_policy(target, s->nonce, policy);
	s->mhd->add_response_header(r, "Content-Type", watch_content_type(target));
	s->mhd->add_response_header(r, "Content-Security-Policy", policy);
	for (const struct watch_header *h = watch_headers; h->name; h++)
		s->mhd->add_response_header(r, h->name, h->value);
}

static struct MHD_Response *make_response(const struct watch_server *s, const struct buf *b,
					  enum watch_target target)
{
	struct MHD_Response *r =
		s->mhd->create_response_from_buffer(b->len, b->data, MHD_RESPMEM_MUST_COPY);

	if (r)
		put_headers(s, r, target);
	return r;
}

/* r is given away; NULL is no answer at all. */
static enum MHD_Result send_once(const struct watch_server *s, struct MHD_Connection *c, int status,
				 struct MHD_Response *r)
{
	enum MHD_Result result = r ? s->mhd->queue_response(c, (unsigned)status, r) : MHD_NO;

	if (r)
		s->mhd->destroy_response(r);
	return result;
}

static enum MHD_Result refuse(const struct watch_server *s, struct MHD_Connection *c, int status)
{
	struct buf text = { 0 };
	struct MHD_Response *r;

	buf_puts(&text, watch_refusal(status));
	r = make_response(s, &text, WATCH_TARGETS);
	buf_release(&text);
	if (r && status == 405)
		s->mhd->add_response_header(r, "Allow", "GET, HEAD");
	return send_once(s, c, status, r);
}

/* --- pages, each made once per change --------------------------------------------- */

/* The site is asked whether anything has changed, and every few seconds time alone has. */
static void look(struct watch_server *s)
{
	int64_t now_ns = clock_ns();

	s->version = s->site->look(s->site->data, now_ns);
	s->turn = now_ns / TICK_NS;
}

static void make_page(struct watch_server *s, enum watch_target target)
{
	struct made *m = &s->made[target];
	struct buf text = { 0 };

	if (m->response)
		s->mhd->destroy_response(m->response);
	m->response = NULL;
	m->version = s->version;
	m->turn = s->turn;
	m->status = s->site->write(s->site->data, target, s->nonce, &text);
	if (!text.failed)
		m->response = make_response(s, &text, m->status == 200 ? target : WATCH_TARGETS);
	buf_release(&text);
}

static enum MHD_Result answer_page(struct watch_server *s, struct MHD_Connection *c,
				   enum watch_target target)
{
	const struct made *m = &s->made[target];

	look(s);
	if (!m->response || m->version != s->version ||
	    (target == WATCH_PAGE && m->turn != s->turn))
		make_page(s, target);
	if (!m->response)
		return refuse(s, c, 500);
	return s->mhd->queue_response(c, (unsigned)m->status, m->response);
}

/* --- streams of events -------------------------------------------------------------- */

/* Without memory the streams go without. */
static void replace_news(struct watch_server *s, struct watch_news **n, enum watch_target target)
{
	struct buf text = { 0 };

	watch_news_leave(*n);
	s->site->write(s->site->data, target, s->nonce, &text);
	*n = text.failed ? NULL : watch_news_new(text.data, text.len);
	buf_release(&text);
}

static ssize_t read_stream(void *data, uint64_t position, char *dst, size_t max)
{
	struct stream *e = data;
	struct watch_server *s = e->server;
	size_t len;

	(void)position;
	if (e->gone || s->closing)
		return MHD_CONTENT_READER_END_OF_STREAM;
	len = watch_feed_read(&e->feed, s->all, s->tick, dst, max);
	e->suspended = len == 0;
	if (e->suspended)
		s->mhd->suspend_connection(e->connection);
	return (ssize_t)len;
}

static void end_stream(void *data)
{
	struct stream *e = data, **at = &e->server->stream;

	while (*at != e)
		at = &(*at)->next;
	*at = e->next;
	e->server->streams--;
	watch_feed_release(&e->feed);
	free(e);
}

static void resume(struct stream *e)
{
	if (e->suspended)
		e->server->mhd->resume_connection(e->connection);
	e->suspended = false;
}

static struct stream *add_stream(struct watch_server *s, struct MHD_Connection *c)
{
	const union MHD_ConnectionInfo *socket_of =
		s->mhd->get_connection_info(c, MHD_CONNECTION_INFO_CONNECTION_FD);
	struct stream *e = calloc(1, sizeof(*e));

	if (!e)
		return NULL;
	*e = (struct stream){ .server = s,
			      .connection = c,
			      .next = s->stream,
			      .fd = socket_of->connect_fd,
			      .feed.wants_all = true };
	s->stream = e;
	s->streams++;
	return e;
}

/* To every stream what has changed since; for the first one, which is about to come, all. */
static void tell(struct watch_server *s)
{
	bool all;

	look(s);
	all = !s->streams || s->told_version != s->version;
	if (!all && s->told_turn == s->turn)
		return;
	replace_news(s, all ? &s->all : &s->tick, all ? WATCH_EVENTS : WATCH_TICK);
	s->told_version = s->version;
	s->told_turn = s->turn;
	for (struct stream *e = s->stream; e; e = e->next) {
		e->feed.wants_all |= all;
		e->feed.wants_tick = true;
		resume(e);
	}
}

static enum MHD_Result answer_stream(struct watch_server *s, struct MHD_Connection *c)
{
	struct MHD_Response *r;
	struct stream *e;

	if (s->streams >= STREAMS_MAX)
		return refuse(s, c, 503);
	if (!s->streams)
		tell(s);
	e = add_stream(s, c);
	r = e ? s->mhd->create_response_from_callback(MHD_SIZE_UNKNOWN, 16384, read_stream, e,
						      end_stream)
	      : NULL;
	if (!r) {
		if (e)
			end_stream(e);
		return refuse(s, c, 500);
	}
	put_headers(s, r, WATCH_EVENTS);
	return send_once(s, c, 200, r);
}

static enum MHD_Result answer(void *data, struct MHD_Connection *c, const char *path,
			      const char *method, const char *version, const char *upload,
			      size_t *upload_bytes, void **seen)
{
	struct watch_server *s = data;
	enum watch_target target;
	int status = watch_request(
		method, s->mhd->lookup_connection_value(c, MHD_HEADER_KIND, "Host"), path, &target);

	(void)version;
	(void)upload;
	if (status != 200)
		return refuse(s, c, status);
	/* Called once before a body and once for each part of it, which nobody wants. */
	if (!*seen || *upload_bytes) {
		*seen = s;
		*upload_bytes = 0;
		return MHD_YES;
	}
	if (target != WATCH_EVENTS)
		return answer_page(s, c, target);
	if (strcmp(method, "HEAD") != 0)
		return answer_stream(s, c);
	return send_once(s, c, 200, make_response(s, &(struct buf){ 0 }, WATCH_EVENTS));
}

/* --- turns ---------------------------------------------------------------------------- */

/* What the library knows nothing of while it does not look: the other end has gone. */
static void take_leavers(struct watch_server *s, const struct pollfd *p, int count)
{
	for (int i = 0; i < count; i++)
		for (struct stream *e = s->stream; e; e = e->next)
			if (p[i].revents && e->fd == p[i].fd) {
				e->gone = true;
				resume(e);
			}
}

static int64_t wait_ns(struct watch_server *s)
{
	MHD_UNSIGNED_LONG_LONG ms;
	int64_t ns = s->streams ? LOOK_NS : -1;

	if (s->mhd->get_timeout(s->daemon, &ms) == MHD_YES &&
	    (ns < 0 || ms < (MHD_UNSIGNED_LONG_LONG)(ns / NS_PER_MS)))
		ns = (int64_t)ms * NS_PER_MS;
	return ns;
}

/* 1: it is to end. */
static int take_turn(struct watch_server *s, int stop_fd, struct fail *f)
{
	struct pollfd p[2 + STREAMS_MAX] = { { .fd = s->poll_fd, .events = POLLIN },
					     { .fd = stop_fd, .events = POLLIN } };
	int64_t ns = wait_ns(s);
	struct timespec wait = { ns / NS_PER_S, ns % NS_PER_S };
	int count = 2;

	for (struct stream *e = s->stream; e; e = e->next)
		if (e->suspended)
			p[count++] = (struct pollfd){ .fd = e->fd, .events = POLLRDHUP };
	if (ppoll(p, (nfds_t)count, ns < 0 ? NULL : &wait, NULL) < 0 && errno != EINTR)
		return fail_set(f, errno, "waiting for requests: %s", strerror(errno));
	take_leavers(s, p + 2, count - 2);
	return p[1].revents != 0;
}

int watch_server_run(struct watch_server *s, int stop_fd, struct fail *f)
{
	int status = 0;

	while (status == 0) {
		if (s->streams)
			tell(s);
		s->mhd->run(s->daemon);
		status = take_turn(s, stop_fd, f);
	}
	return status < 0 ? -1 : 0;
}

/* --- opening and closing ---------------------------------------------------------------- */

/* The listening socket is the library's from here on. */
static int start_daemon(struct watch_server *s, int fd, struct fail *f)
{
	const union MHD_DaemonInfo *info;

	s->daemon = s->mhd->start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME, 0, NULL, NULL,
					 answer, s, MHD_OPTION_LISTEN_SOCKET, fd,
					 MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
					 MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_S,
					 MHD_OPTION_END);
	info = s->daemon ? s->mhd->get_daemon_info(s->daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
	if (!info) {
		if (!s->daemon)
			close(fd);
		return fail_set(f, EIO, "libmicrohttpd %s does not start", s->mhd->get_version());
	}
	s->poll_fd = info->epoll_fd;
	return 0;
}

struct watch_server *watch_server_open(const struct watch_site *site, int64_t port, int64_t *bound,
				       struct fail *f)
{
	struct watch_server *s = calloc(1, sizeof(*s));
	uint8_t random[WATCH_NONCE_BYTES / 2];
	int fd = -1;

	if (!s)
		fail_set(f, ENOMEM, "no memory for the page");
	else if ((s->mhd = watch_library(f)) &&
		 getrandom(random, sizeof(random), 0) != sizeof(random))
		fail_set(f, errno, "no random numbers: %s", strerror(errno));
	else if (s->mhd)
		fd = watch_listen(port, CONNECTIONS_MAX, bound, f);
	if (fd < 0 || start_daemon(s, fd, f) < 0) {
		watch_server_close(s);
		return NULL;
	}
	hex_encode(random, sizeof(random), s->nonce);
	s->site = site;
	return s;
}

void watch_server_close(struct watch_server *s)
{
	if (!s)
		return;
	s->closing = true;
	for (struct stream *e = s->stream; e; e = e->next)
		resume(e);
	if (s->daemon) {
		s->mhd->run(s->daemon); /* the library forbids to stop with suspended connections */
		s->mhd->stop_daemon(s->daemon);
	}
	for (int i = 0; i < WATCH_TARGETS; i++)
		if (s->made[i].response)
			s->mhd->destroy_response(s->made[i].response);
	watch_news_leave(s->all);
	watch_news_leave(s->tick);
	free(s);
}
