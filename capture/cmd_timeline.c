/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cmd_timeline - `cipherwatt timeline`: when each handshake message passed, from capture files or
 * from an interface.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/chart.h"
#include "capture/commands.h"
#include "capture/live.h"
#include "capture/report.h"
#include "capture/timeline.h"
#include "lib/log.h"

struct settings {
	bool json, csv;
	const char *svg, *live, *filter, *keys;
	int64_t duration_ns, count;
};

struct run {
	const struct settings *settings;
	const struct report_ops *ops;
	struct report report;
	struct tally summary;
	struct chart chart;
	struct timeline timeline;
	struct keylog keys;
	struct report_file *file;
	int file_count;
	bool failed;
};

static void closed(void *data, const struct connection *c)
{
	struct run *r = data;

	tally_add(&r->summary, c);
	if (r->settings->svg)
		chart_add(&r->chart, c);
	r->ops->connection(&r->report, c);
}

static void read_stream(struct run *r, FILE *in, struct report_file *entry)
{
	struct capture_file file;
	int status;

	timeline_init(&r->timeline, closed, r);
	timeline_keys(&r->timeline, record_key_available() ? &r->keys : NULL);
	status = capture_file_init(&file, in);
	if (!status)
		status = timeline_read(&r->timeline, &file);
	entry->packets = r->timeline.packets;
	entry->cut = file.cut;
	if (status) {
		entry->damage = strdup(file.fail.text);
		r->failed = true;
		log_say(LOG_ERROR, "timeline: %s: %s", entry->name, file.fail.text);
	} else if (file.cut) {
		log_say(LOG_WARNING, "timeline: %s: cut short behind packet %llu: read up to there",
			entry->name, (unsigned long long)entry->packets);
	}
	if (r->timeline.unknown_link)
		log_say(LOG_WARNING, "timeline: %s: %llu packets of link type %d were left out",
			entry->name, (unsigned long long)r->timeline.unknown_link,
			r->timeline.unknown_link_type);
	capture_file_release(&file);
}

static void read_file(struct run *r, const char *name)
{
	struct report_file *entry = &r->file[r->file_count++];
	bool is_stdin = !strcmp(name, "-");
	FILE *in = is_stdin ? stdin : fopen(name, "rb");

	entry->name = r->report.file = name;
	if (!in) {
		entry->damage = strdup(strerror(errno));
		r->failed = true;
		log_say(LOG_ERROR, "timeline: %s: %s", name, strerror(errno));
		return;
	}
	read_stream(r, in, entry);
	if (!is_stdin)
		fclose(in);
}

static void ready(void *data)
{
	struct run *r = data;

	log_say(LOG_NOTE, "timeline: capturing on %s; Ctrl-C ends it", r->settings->live);
}

static void tick(void *data)
{
	(void)data;
	fflush(stdout);
}

static void run_live(struct run *r)
{
	struct live_settings live = { .interface = r->settings->live,
				      .filter = r->settings->filter,
				      .duration_ns = r->settings->duration_ns,
				      .packets = r->settings->count,
				      .ready = ready,
				      .tick = tick,
				      .data = r };
	struct report_file *entry = &r->file[r->file_count++];
	struct fail f = { 0 };
	uint64_t dropped;

	entry->name = r->settings->live;
	timeline_init(&r->timeline, closed, r);
	timeline_keys(&r->timeline, record_key_available() ? &r->keys : NULL);
	if (live_run(&live, &r->timeline, &dropped, &f) != 0) {
		entry->damage = strdup(f.text);
		r->failed = true;
		log_say(LOG_ERROR, "timeline: %s", f.text);
	}
	entry->packets = r->timeline.packets;
	if (dropped)
		log_say(LOG_WARNING, "timeline: %llu packets were lost before they could be read",
			(unsigned long long)dropped);
}

/* Keys that open nothing look like a capture that stays closed. */
static void tell_unused_keys(const struct run *r)
{
	if (!r->settings->keys || r->keys.found_from_file > 0)
		return;
	log_say(LOG_WARNING,
		"timeline: --keys %s: none of its %zu secrets is of a connection seen here%s",
		r->settings->keys, r->keys.from_file,
		r->keys.from_file ? "" : "; expected lines such as CLIENT_RANDOM HEX HEX");
}

static int run_all(const struct command *c, struct run *r, char **names, int count)
{
	struct fail f = { 0 };
	int i;

	if (r->settings->keys && keylog_read(&r->keys, r->settings->keys, &f) < 0)
		return command_fail(c, EXIT_USAGE, "%s", f.text);
	r->file = calloc((size_t)count + 1, sizeof(*r->file));
	r->report.out = stdout;
	if (!r->file || r->ops->begin(&r->report) != 0)
		return command_fail(c, EXIT_FAILED, "no room for the report: %s", strerror(errno));
	for (i = 0; i < count; i++)
		read_file(r, names[i]);
	if (r->settings->live)
		run_live(r);
	tell_unused_keys(r);
	r->ops->end(&r->report, &r->summary, r->file, r->file_count);
	if (r->settings->svg && chart_write(&r->chart, r->settings->svg, &f) != 0)
		return command_fail(c, EXIT_FAILED, "%s", f.text);
	return command_finish(c, r->failed ? EXIT_FAILED : EXIT_RESULT);
}

static void release(struct run *r)
{
	for (int i = 0; i < r->file_count; i++)
		free((char *)r->file[i].damage);
	free(r->file);
	keylog_release(&r->keys);
	tally_release(&r->summary);
	chart_release(&r->chart);
	free(r);
}

static int check(const struct command *c, const struct settings *s, int files)
{
	if (s->json && s->csv)
		return command_fail(c, EXIT_USAGE, "--json and --csv: one of the two");
	if (s->live && files)
		return command_fail(c, EXIT_USAGE, "--live takes no FILE");
	if (!s->live && !files)
		return command_fail(c, EXIT_USAGE,
				    "no FILE: name capture files, \"-\" for standard "
				    "input, or an interface with --live");
	if (s->keys && !record_key_available())
		return command_fail(c, EXIT_USAGE,
				    "--keys: this build has no OpenSSL to open records with");
	if (!s->live && (s->filter || s->count || s->duration_ns))
		return command_fail(c, EXIT_USAGE,
				    "--filter, --count and --duration go with --live");
	return -1;
}

static int run(const struct command *c, int argc, char **argv)
{
	struct settings settings;
	int operands, status = command_parse(c, &settings, argc, argv, &operands);
	struct run *r;

	if (status < 0)
		status = check(c, &settings, operands);
	if (status >= 0)
		return status;
	r = calloc(1, sizeof(*r));
	if (!r)
		return command_fail(c, EXIT_FAILED, "no memory");
	r->settings = &settings;
	r->ops = settings.json ? &report_json : settings.csv ? &report_csv : &report_text;
	status = run_all(c, r, argv + 1, operands);
	release(r);
	return status;
}

static const struct opt options[] = {
	{ .name = "json",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct settings, json),
	  .help = "print JSON" },
	{ .name = "csv",
	  .kind = OPT_FLAG,
	  .offset = offsetof(struct settings, csv),
	  .help = "print CSV, a line for each message" },
	{ .name = "svg",
	  .kind = OPT_TEXT,
	  .offset = offsetof(struct settings, svg),
	  .metavar = "FILE",
	  .help = "draw the connections as an SVG picture too" },
	{ .name = "keys",
	  .kind = OPT_TEXT,
	  .offset = offsetof(struct settings, keys),
	  .metavar = "FILE",
	  .help = "secrets that an endpoint logged (SSLKEYLOGFILE): TLS 1.2, TLS 1.3 and DTLS 1.2 "
		  "are "
		  "read further with them; those that a pcapng file carries are used too" },
	{ .name = "live",
	  .kind = OPT_TEXT,
	  .offset = offsetof(struct settings, live),
	  .metavar = "IFACE",
	  .help = "capture on this interface; needs root or CAP_NET_RAW" },
	{ .name = "filter",
	  .kind = OPT_TEXT,
	  .offset = offsetof(struct settings, filter),
	  .metavar = "EXPRESSION",
	  .help = "of --live: what to capture, as tcpdump says it" },
	{ .name = "duration",
	  .kind = OPT_DURATION,
	  .offset = offsetof(struct settings, duration_ns),
	  .metavar = "DURATION",
	  .help = "of --live: end after this time",
	  .min = 1 },
	{ .name = "count",
	  .kind = OPT_INTEGER,
	  .offset = offsetof(struct settings, count),
	  .metavar = "N",
	  .help = "of --live: end after this many packets",
	  .min = 1 },
	{ 0 },
};

const struct command cmd_timeline = {
	.name = "timeline",
	.usage = {
		.synopsis = "timeline FILE... [OPTION]...",
		.summary = "when each handshake message passed on the wire",
		.description =
			"Reads pcap and pcapng captures and says for each TLS and DTLS connection "
			"when each handshake message passed, counted from the connection's first "
			"packet (its SYN), how long the handshake took, who was being waited for, "
			"and in a summary the median and 95th percentile of each step. CoAP "
			"exchanges are listed too.\n\n"
			"A message's time is that of the packet that completes it; repeated bytes "
			"move nothing. What cannot be read without keys is called encrypted or "
			"protected; --keys opens it. Handshakes that failed, or of which one side or a part is "
			"missing, are named so, counted, and kept out of the durations.\n\n"
			"A file cut short is read up to the cut. The exit status is 1 when a file "
			"is damaged or cannot be read.",
		.examples = "cipherwatt timeline handshakes.pcapng\n"
			    "cipherwatt timeline --json *.pcap\n"
			    "cipherwatt timeline --live eth0 --filter 'port 443' --duration 10s",
		.options = options,
	},
	.run = run,
};
