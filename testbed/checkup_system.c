/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkup_system - limits of the kernel and of the user that end or bend a load.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "testbed/checkup.h"

#define FILES_LEAST   4096 /* thousands of clients at once, and their server, on one machine */
#define PORTS_LEAST   28000
#define BACKLOG_LEAST 1024               /* what serve asks for */
#define BUFFER_LEAST  (INT64_C(4) << 20) /* what serve asks for, on a datagram socket */

static void look_at_files(const struct checkup_view *v, struct checkup_finding *found)
{
	checkup_say(found, v->files_max < FILES_LEAST ? CHECKUP_NOTE : CHECKUP_GOOD,
		    "this user may have %" PRId64 " open files", v->files_max);
	if (found->verdict != CHECKUP_GOOD)
		checkup_cure(found,
			     "ulimit -Hn %d, or a line \"* - nofile %d\" in "
			     "/etc/security/limits.d/cipherwatt.conf",
			     FILES_LEAST, FILES_LEAST);
}

static void look_at_ports(const struct checkup_view *v, struct checkup_finding *found)
{
	char text[64];
	int low, high;

	if (!checkup_text(v, "/proc/sys/net/ipv4/ip_local_port_range", text, sizeof(text)) ||
	    sscanf(text, "%d %d", &low, &high) != 2 || high < low) {
		checkup_say(found, CHECKUP_UNKNOWN, "the system does not tell");
		return;
	}
	checkup_say(found, high - low + 1 < PORTS_LEAST ? CHECKUP_NOTE : CHECKUP_GOOD,
		    "%d local ports for connections", high - low + 1);
	if (found->verdict != CHECKUP_GOOD)
		checkup_cure(found, "sudo sysctl net.ipv4.ip_local_port_range=\"32768 60999\"");
}

static void look_at_backlog(const struct checkup_view *v, struct checkup_finding *found)
{
	int64_t most;

	if (!checkup_integer(v, "/proc/sys/net/core/somaxconn", &most)) {
		checkup_say(found, CHECKUP_UNKNOWN, "the system does not tell");
		return;
	}
	checkup_say(found, most < BACKLOG_LEAST ? CHECKUP_NOTE : CHECKUP_GOOD,
		    "%" PRId64 " connections may wait for a server", most);
	if (found->verdict != CHECKUP_GOOD)
		checkup_cure(found,
			     "sudo sysctl net.core.somaxconn=%d: when more clients begin at "
			     "once, some wait for a second",
			     BACKLOG_LEAST);
}

static void look_at_buffers(const struct checkup_view *v, struct checkup_finding *found)
{
	int64_t most;

	if (!checkup_integer(v, "/proc/sys/net/core/rmem_max", &most)) {
		checkup_say(found, CHECKUP_UNKNOWN, "the system does not tell");
		return;
	}
	checkup_say(found, most < BUFFER_LEAST ? CHECKUP_NOTE : CHECKUP_GOOD,
		    "a socket may hold %" PRId64 " KiB of datagrams", most >> 10);
	if (found->verdict != CHECKUP_GOOD)
		checkup_cure(found,
			     "sudo sysctl net.core.rmem_max=%" PRId64 ": CoAP with many "
			     "clients loses datagrams before the server reads them",
			     BUFFER_LEAST);
}

/* Of /proc/net/route the interface to destination 0, the default route; false: there is none. */
static bool default_interface(const struct checkup_view *v, char dst[32])
{
	char path[512], line[256], name[32];
	unsigned destination;
	bool has = false;
	FILE *in;

	snprintf(path, sizeof(path), "%s/proc/net/route", v->root);
	in = fopen(path, "re");
	while (in && !has && fgets(line, sizeof(line), in))
		if (sscanf(line, "%31s %8x", name, &destination) == 2 && !destination &&
		    strcmp(name, "Iface") != 0) {
			snprintf(dst, 32, "%s", name);
			has = true;
		}
	if (in)
		fclose(in);
	return has;
}

static void look_at_network(const struct checkup_view *v, struct checkup_finding *found)
{
	char name[32], path[128], type[64];
	int64_t mbit;

	if (!checkup_text(v, "/proc/net/route", type, sizeof(type))) {
		checkup_say(found, CHECKUP_UNKNOWN, "the system does not tell");
		return;
	}
	if (!default_interface(v, name)) {
		checkup_say(found, CHECKUP_GOOD, "no default route: loopback and direct links");
		return;
	}
	snprintf(path, sizeof(path), "/sys/class/net/%s/uevent", name);
	if (checkup_text(v, path, type, sizeof(type)) && !strcmp(type, "DEVTYPE=wlan")) {
		checkup_say(found, CHECKUP_NOTE,
			    "%s is wireless: its latency and its power move by themselves", name);
		checkup_cure(found, "a cable between server and client");
		return;
	}
	snprintf(path, sizeof(path), "/sys/class/net/%s/speed", name);
	if (checkup_integer(v, path, &mbit) && mbit > 0)
		checkup_say(found, CHECKUP_GOOD, "%s, %" PRId64 " Mbit/s", name, mbit);
	else
		checkup_say(found, CHECKUP_GOOD, "%s", name);
}

const struct checkup checkup_system[] = {
	{ "files", "sockets that this user may open", look_at_files },
	{ "ports", "local ports for clients", look_at_ports },
	{ "backlog", "connections that wait", look_at_backlog },
	{ "buffers", "datagrams that wait", look_at_buffers },
	{ "network", "the way to other machines", look_at_network },
	{ 0 },
};
