/* SPDX-License-Identifier: Apache-2.0 */
/*
 * live - packets from a network interface into a timeline, through libpcap.
 *
 * In a build without libpcap the same call refuses and says why.
 */
#ifndef CAPTURE_LIVE_H
#define CAPTURE_LIVE_H

#include "capture/timeline.h"
#include "lib/fail.h"

struct live_settings {
	const char *interface;
	const char *filter;        /* in pcap-filter(7)'s language; NULL for everything */
	int64_t duration_ns;       /* 0: until a signal */
	int64_t packets;           /* 0: any number */
	void (*ready)(void *data); /* the interface is open */
	void (*tick)(void *data);  /* a few times a second */
	/* Takes each packet in the timeline's place; NULL: the timeline does. Its bytes are
	 * borrowed. */
	void (*packet)(void *data, const struct capture_packet *p);
	const volatile bool *over; /* becomes true: end now; NULL: never */
	void *data;
};

/*
 * Until the duration is over, so many packets were seen, or SIGINT or SIGTERM came. Connections
 * that ended, or were silent for a minute, are reported on the way, the others at the end.
 * *dropped is how many packets the kernel had no room for.
 */
int live_run(const struct live_settings *s, struct timeline *t, uint64_t *dropped, struct fail *f);

#endif
