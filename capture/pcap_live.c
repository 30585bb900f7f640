/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pcap_live - the one file that knows libpcap.
 */
#include <errno.h>
#include <pcap/pcap.h>
#include <poll.h>
#include <signal.h>
#include <string.h>

#include "capture/live.h"
#include "lib/clock.h"

#define SNAP_BYTES    262144
#define BUFFER_BYTES  (16 << 20)
#define WAIT_MS       100
#define BATCH_PACKETS 4096
#define LAST_BATCHES  64
#define LINGER_NS     INT64_C(2000000000)
#define SILENCE_NS    INT64_C(60000000000)

static volatile sig_atomic_t stopped;

static void stop(int number)
{
	(void)number;
	stopped = 1;
}

struct live {
	const struct live_settings *settings;
	struct timeline *timeline;
	int link_type;
	bool is_nanosecond;
	int64_t packets, last_ns;
};

static void take(u_char *data, const struct pcap_pkthdr *h, const u_char *bytes)
{
	struct live *l = (struct live *)data;
	struct capture_packet p = { .time_ns = (int64_t)h->ts.tv_sec * 1000000000 +
					       h->ts.tv_usec * (l->is_nanosecond ? 1 : 1000),
				    .link_type = l->link_type,
				    .data = bytes,
				    .captured_bytes = h->caplen,
				    .wire_bytes = h->len };

	l->packets++;
	l->last_ns = p.time_ns;
	if (l->settings->packet)
		l->settings->packet(l->settings->data, &p);
	else
		timeline_packet(l->timeline, &p);
}

static int open_failed(pcap_t *handle, const struct live_settings *s, int status, struct fail *f)
{
	const char *detail = pcap_geterr(handle);

	return fail_set(f, EIO, "--live %s: %s%s%s%s", s->interface, pcap_statustostr(status),
			*detail ? ": " : "", detail,
			status == PCAP_ERROR_PERM_DENIED
				? "; capturing needs root or the capability CAP_NET_RAW"
				: "");
}

static int set_filter(pcap_t *handle, const struct live_settings *s, struct fail *f)
{
	struct bpf_program program;
	int bad;

	if (!s->filter)
		return 0;
	if (pcap_compile(handle, &program, s->filter, 1, PCAP_NETMASK_UNKNOWN) != 0)
		return fail_set(f, EINVAL, "--filter \"%s\": %s", s->filter, pcap_geterr(handle));
	bad = pcap_setfilter(handle, &program);
	pcap_freecode(&program);
	return bad ? fail_set(f, EIO, "--filter: %s", pcap_geterr(handle)) : 0;
}

static int activate(pcap_t *handle, const struct live_settings *s, struct live *l, struct fail *f)
{
	char reason[PCAP_ERRBUF_SIZE] = "";
	int status;

	pcap_set_snaplen(handle, SNAP_BYTES);
	pcap_set_promisc(handle, 0);
	pcap_set_timeout(handle, WAIT_MS);
	pcap_set_buffer_size(handle, BUFFER_BYTES);
	l->is_nanosecond = !pcap_set_tstamp_precision(handle, PCAP_TSTAMP_PRECISION_NANO);
	status = pcap_activate(handle);
	if (status < 0)
		return open_failed(handle, s, status, f);
	l->link_type = pcap_datalink(handle);
	if (!link_type_known(l->link_type))
		return fail_set(f, ENOTSUP, "--live %s: its link type %d is not one that is read",
				s->interface, l->link_type);
	if (set_filter(handle, s, f) != 0)
		return -1;
	return pcap_setnonblock(handle, 1, reason) ? fail_set(f, EIO, "--live: %s", reason) : 0;
}

/* libpcap's own wait does not end while no packet comes. */
static void wait_for_packets(pcap_t *handle)
{
	struct pollfd p = { .fd = pcap_get_selectable_fd(handle), .events = POLLIN };

	poll(&p, 1, WAIT_MS);
}

static int capture(pcap_t *handle, const struct live_settings *s, struct live *l, struct fail *f)
{
	int64_t end_ns = s->duration_ns ? clock_ns() + s->duration_ns : INT64_MAX;

	while (!stopped && !(s->over && *s->over) && clock_ns() < end_ns &&
	       (!s->packets || l->packets < s->packets)) {
		int64_t left = s->packets ? s->packets - l->packets : BATCH_PACKETS;
		int batch = left < BATCH_PACKETS ? (int)left : BATCH_PACKETS;

		wait_for_packets(handle);
		if (pcap_dispatch(handle, batch, take, (u_char *)l) == PCAP_ERROR)
			return fail_set(f, EIO, "--live %s: %s", s->interface, pcap_geterr(handle));
		timeline_expire(l->timeline, l->last_ns, LINGER_NS, SILENCE_NS);
		s->tick(s->data);
	}
	/* What had come by then is still in the kernel's ring. */
	for (int i = 0; i < LAST_BATCHES && !s->packets; i++)
		if (pcap_dispatch(handle, BATCH_PACKETS, take, (u_char *)l) <= 0)
			break;
	return 0;
}

/* Without SA_RESTART, so that a signal ends the wait for packets. */
static void catch_signals(struct sigaction old[2])
{
	struct sigaction sa = { .sa_handler = stop };

	stopped = 0;
	sigaction(SIGINT, &sa, &old[0]);
	sigaction(SIGTERM, &sa, &old[1]);
}

int live_run(const struct live_settings *s, struct timeline *t, uint64_t *dropped, struct fail *f)
{
	struct live l = { .settings = s, .timeline = t };
	char reason[PCAP_ERRBUF_SIZE] = "";
	struct sigaction old[2];
	struct pcap_stat stat;
	pcap_t *handle = pcap_create(s->interface, reason);
	int status;

	*dropped = 0;
	if (!handle)
		return fail_set(f, EIO, "--live %s: %s", s->interface, reason);
	status = activate(handle, s, &l, f);
	if (!status) {
		catch_signals(old);
		s->ready(s->data);
		status = capture(handle, s, &l, f);
		sigaction(SIGINT, &old[0], NULL);
		sigaction(SIGTERM, &old[1], NULL);
		if (!pcap_stats(handle, &stat))
			*dropped = stat.ps_drop;
		timeline_end(t);
	}
	pcap_close(handle);
	return status;
}
