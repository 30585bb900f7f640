/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_timeline - the verb `timeline`: a few associations of the prepared load, one after another,
 * captured here while the client's engine stamps its messages.
 *
 * The capture runs in this process, which the load generator's does not wait for; both
 * are outside any trial. Packets are kept until the load is over and has told its secrets, so that
 * what passed encrypted can be read; both are forgotten then.
 */
#include <errno.h>
#include <ifaddrs.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "capture/keylog.h"
#include "capture/live.h"
#include "ciphers/engine.h"
#include "ciphers/record_key.h"
#include "lib/clock.h"
#include "lib/net.h"
#include "protocols/url.h"
#include "testbed/node_session.h"
#include "testbed/rpc.h"
#include "testbed/wire_sample.h"

#define STAMPS_BYTES_MAX  (16 << 20)
#define PACKETS_BYTES_MAX (256u << 20)
#define LIMIT_NS          (120 * NS_PER_S)
#define LAST_TICKS        2 /* of the capture, behind the load's end: its last packets */

struct taking {
	struct node_session *node;
	struct wire_sample sample;
	struct timeline timeline;
	struct keylog keys;
	struct buf packets; /* each a struct capture_packet, then its bytes */
	struct node_argv argv;
	int stamps_fd, secrets_fd, wanted;
	int ticks_left;
	volatile bool over;
	int64_t said_ns;
	struct fail fail; /* of the load */
};

/* --- which interface leads to the server ------------------------------------ */

static int own_address(const char *host, uint16_t port, struct sockaddr_storage *own,
		       struct sockaddr_storage *peer, struct fail *f)
{
	struct net_address to[NET_ADDRESSES_MAX];
	int count = net_resolve(host, port, false, to, NET_ADDRESSES_MAX, f);
	socklen_t len = sizeof(*own);
	int fd, status;

	if (count < 1)
		return -1;
	memcpy(peer, &to[0].addr, sizeof(*peer));
	/* A datagram socket that is connected sends nothing and knows its way. */
	fd = socket(to[0].addr.ss_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	status = fd < 0 || connect(fd, (const struct sockaddr *)&to[0].addr, to[0].len) ||
		 getsockname(fd, (struct sockaddr *)own, &len);
	if (status)
		fail_set(f, errno, "no way to %s: %s", host, strerror(errno));
	if (fd >= 0)
		close(fd);
	return status ? -1 : 0;
}

static bool same_address(const struct sockaddr *a, const struct sockaddr *b)
{
	if (!a || a->sa_family != b->sa_family)
		return false;
	if (a->sa_family == AF_INET)
		return !memcmp(&((const struct sockaddr_in *)a)->sin_addr,
			       &((const struct sockaddr_in *)b)->sin_addr, sizeof(struct in_addr));
	return a->sa_family == AF_INET6 &&
	       !memcmp(&((const struct sockaddr_in6 *)a)->sin6_addr,
		       &((const struct sockaddr_in6 *)b)->sin6_addr, sizeof(struct in6_addr));
}

/* What goes to an address of this machine passes on the loopback interface, whose it may be. */
static int find_interface(const struct url *url, char *dst, size_t size, struct fail *f)
{
	struct sockaddr_storage own, peer;
	struct ifaddrs *all = NULL;
	int status = -1;

	if (own_address(url->host, url->port, &own, &peer, f))
		return -1;
	if (same_address((struct sockaddr *)&own, (struct sockaddr *)&peer)) {
		snprintf(dst, size, "lo");
		return 0;
	}
	if (getifaddrs(&all))
		return fail_set(f, errno, "the interfaces cannot be listed: %s", strerror(errno));
	for (struct ifaddrs *i = all; i && status; i = i->ifa_next) {
		if (!same_address(i->ifa_addr, (struct sockaddr *)&own))
			continue;
		snprintf(dst, size, "%s", i->ifa_name);
		status = 0;
	}
	freeifaddrs(all);
	return status ? fail_set(f, ENODEV, "no interface has the address that leads to %s",
				 url->host)
		      : 0;
}

/* --- the capture ------------------------------------------------------------ */

static void on_connection(void *data, const struct connection *c)
{
	struct taking *t = data;

	wire_sample_connection(&t->sample, c);
}

static void on_ready(void *data)
{
	struct taking *t = data;

	if (node_child_start(&t->node->load, "load generator", &t->argv, &t->fail))
		t->over = true;
}

/* Lines of the load, until the one with its result. */
static void follow_load(struct taking *t)
{
	const char *line;
	int got = 0;

	node_child_listen(&t->node->load);
	while (!t->ticks_left && (got = node_child_line(&t->node->load, 0, &line, &t->fail)) > 0)
		if (strstr(line, "\"result\""))
			t->ticks_left = LAST_TICKS + 1;
	t->over = got < 0;
}

static void on_tick(void *data)
{
	struct taking *t = data;

	if (t->ticks_left)
		t->over = --t->ticks_left == 0;
	else if (!t->over)
		follow_load(t);
	if (clock_ns() < t->said_ns + NODE_ALIVE_NS)
		return;
	node_say_alive(t->node);
	t->said_ns = clock_ns();
}

static void on_packet(void *data, const struct capture_packet *p)
{
	struct taking *t = data;

	if (t->packets.len + sizeof(*p) + p->captured_bytes > PACKETS_BYTES_MAX)
		t->packets.failed = true;
	if (t->packets.failed)
		return;
	buf_put(&t->packets, p, sizeof(*p));
	buf_put(&t->packets, p->data, p->captured_bytes);
}

static int capture(struct taking *t, const struct url *url, struct fail *f)
{
	char filter[64];
	struct live_settings live = { .interface = t->sample.interface,
				      .filter = filter,
				      .duration_ns = LIMIT_NS,
				      .ready = on_ready,
				      .tick = on_tick,
				      .packet = on_packet,
				      .over = &t->over,
				      .data = t };
	uint64_t dropped;

	snprintf(filter, sizeof(filter), "%s port %u", url_is_datagram(url) ? "udp" : "tcp",
		 url->port);
	timeline_init(&t->timeline, on_connection, t);
	if (live_run(&live, &t->timeline, &dropped, f))
		return -1;
	if (t->packets.failed)
		return fail_set(f, ENOMEM, "no memory for the packets of a sample");
	if (t->fail.code)
		return fail_set(f, t->fail.code, "%s", t->fail.text);
	if (!t->over)
		return fail_set(f, ETIMEDOUT, "the sample was not over within %d s",
				(int)(LIMIT_NS / NS_PER_S));
	return 0;
}

/* --- the verb ---------------------------------------------------------------- */

/* To be freed; NULL: the reason in f. */
static char *read_kept(int fd, const char *what, size_t *len, struct fail *f)
{
	off_t size = lseek(fd, 0, SEEK_END);
	char *text = size >= 0 && size < STAMPS_BYTES_MAX ? calloc(1, (size_t)size + 1) : NULL;

	*len = size > 0 ? (size_t)size : 0;
	if (text && pread(fd, text, *len, 0) == size)
		return text;
	free(text);
	fail_set(f, EIO, "the %s cannot be read", what);
	return NULL;
}

static int read_stamps(struct taking *t, struct fail *f)
{
	size_t len;
	char *text = read_kept(t->stamps_fd, "stamps", &len, f);
	int status = text ? wire_sample_stamps(&t->sample, text, f) : -1;

	free(text);
	return status;
}

static int read_secrets(struct taking *t, struct fail *f)
{
	size_t len;
	char *text;
	int status;

	if (t->secrets_fd < 0)
		return 0;
	text = read_kept(t->secrets_fd, "secrets", &len, f);
	status = text ? keylog_add(&t->keys, "the load's secrets", text, len, f) : -1;
	if (text)
		explicit_bzero(text, len);
	free(text);
	return status;
}

/* Into connections, with all secrets at hand. */
static void dissect(struct taking *t)
{
	struct capture_packet p;

	timeline_init(&t->timeline, on_connection, t);
	timeline_plain(&t->timeline);
	timeline_keys(&t->timeline, t->keys.count ? &t->keys : NULL);
	for (size_t at = 0; at < t->packets.len; at += sizeof(p) + p.captured_bytes) {
		memcpy(&p, t->packets.data + at, sizeof(p));
		p.data = (const uint8_t *)t->packets.data + at + sizeof(p);
		timeline_packet(&t->timeline, &p);
	}
	timeline_end(&t->timeline);
}

static int prepare(struct taking *t, bool secrets, struct fail *f)
{
	if (node_keep("stamps", "\n", &t->stamps_fd, f) ||
	    (secrets && node_keep("secrets", "\n", &t->secrets_fd, f)))
		return -1;
	for (int i = 0; i < t->node->load_argv.count; i++)
		node_argv_add(&t->argv, "%s", t->node->load_argv.word[i]);
	node_argv_add(&t->argv, "--stamps=/proc/self/fd/%d", t->stamps_fd);
	if (secrets)
		node_argv_add(&t->argv, "--secrets=/proc/self/fd/%d", t->secrets_fd);
	return wire_sample_init(&t->sample) || t->argv.failed
		       ? fail_set(f, ENOMEM, "no memory for a sample")
		       : 0;
}

static int take(struct taking *t, const struct engine_ops *engine, const struct url *url,
		const char *interface, json_t *answer, struct fail *f)
{
	char found[64];
	json_t *sample;

	bool secrets = engine && engine->tells_secrets && record_key_available();

	if (prepare(t, secrets, f) || (!*interface && find_interface(url, found, sizeof(found), f)))
		return -1;
	t->sample.wanted = t->wanted;
	t->sample.ready = url_is_secure(url)     ? "handshake"
			  : url_is_datagram(url) ? NULL
						 : "tcp_open";
	t->sample.unobserved = engine ? engine->unobserved : NULL;
	t->sample.interface = *interface ? interface : found;
	if (capture(t, url, f) || read_stamps(t, f) || read_secrets(t, f))
		return -1;
	dissect(t);
	sample = wire_sample_json(&t->sample);
	return json_object_set_new(answer, "sample", sample)
		       ? fail_set(f, ENOMEM, "no memory for a sample")
		       : 0;
}

int node_timeline(struct node_session *n, json_t *request, json_t *answer, struct fail *f)
{
	struct taking *t;
	const char *text, *interface, *engine;
	struct url url;
	int count, status;

	if (node_unpack(request, f, "{s:s, s:s, s:s, s:i}", "url", &text, "interface", &interface,
			"engine", &engine, "count", &count))
		return -1;
	if (!n->load_argv.count || node_child_runs(&n->load))
		return fail_set(f, EINVAL, "no load is prepared");
	if (url_parse(text, &url, f))
		return -1;
	t = calloc(1, sizeof(*t));
	if (!t)
		return fail_set(f, ENOMEM, "no memory for a sample");
	t->node = n;
	t->wanted = count;
	t->stamps_fd = t->secrets_fd = -1;
	status = take(t, engine_by_name(engine), &url, interface, answer, f);
	node_child_stop(&n->load, NS_PER_S);
	node_argv_release(&t->argv);
	wire_sample_release(&t->sample);
	keylog_release(&t->keys);
	buf_release(&t->packets);
	if (t->stamps_fd >= 0)
		close(t->stamps_fd);
	if (t->secrets_fd >= 0)
		close(t->secrets_fd);
	free(t);
	return status;
}
