/* SPDX-License-Identifier: Apache-2.0 */
/* plan_refused_test - campaigns that are none: each error at its line and column. */
#include "testbed/plan_fixture.h"

#define HEAD  "campaign: x\n"
#define CELLS "cells: [{suites: plain}]\n"
#define GROUP "campaign: x\ncells:\n  - suites: plain\n"

static const struct bad {
	const char *text;
	int line, column;
	const char *word, *other_word;
} bad[] = {
	{ CELLS, 1, 1, "\"campaign\" is missing", "" },
	{ HEAD, 1, 1, "\"cells\" is missing", "" },
	{ "campaign: a b\n" CELLS, 1, 11, "is no name", "dashes" },
	{ HEAD "blcks: 3\n" CELLS, 2, 1, "unknown key \"blcks\"", "did you mean \"blocks\"" },
	{ HEAD "blocks: 3\nblocks: 4\n" CELLS, 3, 1, "given twice", "line 2" },
	{ HEAD "blocks: 0\n" CELLS, 2, 9, "out of range", "1 to 10000" },
	{ HEAD "blocks: many\n" CELLS, 2, 9, "blocks", "whole number" },
	{ HEAD "seed: -1\n" CELLS, 2, 7, "out of range", "9007199254740991" },
	{ HEAD "phases: {measure: 5 parsecs}\n" CELLS, 2, 19, "measure", "such as 500ms" },
	{ HEAD "phases:\n  idle: -1s\n" CELLS, 3, 9, "idle", "duration" },
	{ HEAD "phases: {measure: 0s}\n" CELLS, 2, 19, "out of range", "measure" },
	{ HEAD "phases: {settle: 25h}\n" CELLS, 2, 18, "out of range", "settle" },
	{ HEAD "phases: [1s]\n" CELLS, 2, 9, "expected a map", "found a list" },
	{ HEAD "phases: {measure: 1s, count: 5}\n" CELLS, 2, 30, "exclude each other", "count" },
	{ HEAD "phases: {count: 0}\n" CELLS, 2, 17, "out of range", "count" },
	{ GROUP "    count: 0\n", 4, 12, "count", "at least 1" },
	{ HEAD "until: {ci_pct: few, max_blocks: 9}\n" CELLS, 2, 17, "ci_pct", "0.1 to 100" },
	{ HEAD "until: {ci_pct: 0, max_blocks: 9}\n" CELLS, 2, 17, "ci_pct", "0.1 to 100" },
	{ HEAD "until: {ci_pct: 2}\n" CELLS, 2, 1, "\"max_blocks\" is missing", "" },
	{ HEAD "until: {ci_pct: 2, max_blocks: 4}\n" CELLS, 2, 32, "out of range", "5 to 10000" },
	{ HEAD "blocks: 6\nuntil: {ci_pct: 2, max_blocks: 5}\n" CELLS, 3, 32, "max_blocks",
	  "6 blocks" },
	{ HEAD "request: {record_size: 17KiB}\n" CELLS, 2, 24, "record_size", "16 KiB" },
	{ HEAD "request: {timeout: soon}\n" CELLS, 2, 20, "timeout", "duration" },
	{ HEAD "nodes: {sever: {cpus: 0}}\n" CELLS, 2, 9, "did you mean \"server\"", "" },
	{ HEAD "nodes: {server: {meter: 'modle:rpi-4b'}}\n" CELLS, 2, 25, "unknown meter",
	  "did you mean \"model\"" },
	{ HEAD "nodes: {client: {meter: 'model:rpi-4c'}}\n" CELLS, 2, 25, "unknown board",
	  "did you mean" },
	{ HEAD "nodes: {client: {meter: 'model:orange-pi-pc'}}\n" CELLS, 2, 25, "published",
	  "idle=1.2W" },
	{ HEAD "nodes: {client: {board: toaster}}\n" CELLS, 2, 25, "unknown board",
	  "expected one of" },
	{ HEAD "nodes: {client: {board: rpi-4b, meter: 'model:rpi-2b'}}\n" CELLS, 2, 25,
	  "a rpi-4b, but its meter is the model of rpi-2b", "meter of its own" },
	{ HEAD "nodes: {client: {cpus: '4000-5000'}}\n" CELLS, 2, 24, "cpus", "4000" },
	{ HEAD "nodes: {client: {cpus: '1000'}}\n" CELLS, 2, 24, "1000", "may run on" },
	{ HEAD "nodes: {client: {name: server}}\n" CELLS, 2, 24, "both named", "server" },
	{ HEAD "nodes:\n  server: {command: ssh b}\n" CELLS, 3, 21, "address", "127.0.0.1" },
	{ HEAD "cells: []\n", 2, 8, "empty", "at least one group" },
	{ HEAD "cells: {suites: plain}\n", 2, 8, "expected a list of groups", "a map" },
	{ HEAD "cells: [plain]\n", 2, 9, "expected a map", "single value" },
	{ HEAD "cells:\n  - engines: openssl\n", 3, 5, "\"suites\" is missing", "" },
	{ HEAD "cells:\n  - suites: []\n", 3, 13, "empty", "suites" },
	{ HEAD "cells:\n  - suites:\n", 3, 5, "expected a suite", "found nothing" },
	{ HEAD "cells:\n  - suites: [plain, [plain]]\n", 3, 21, "expected a suite", "a list" },
	{ HEAD "cells:\n  - suites: [plain, plain]\n", 3, 21, "in this list already", "3:14" },
	{ HEAD "cells:\n  - suites: tls1.4:A:b:c\n", 3, 13, "unknown version", "tls1" },
	{ HEAD "cells:\n  - suites: tls1.3\n", 3, 13, "1 part", "VERSION:CIPHER" },
	{ HEAD
	  "cells:\n  - suites: [plain,\n     tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:rsa2048]"
	  "\n",
	  4, 6, "cannot authenticate", "p256" },
	{ HEAD "cells:\n  - suites: {versions: tls1.2}\n", 3, 5, "\"ciphers\" is missing", NULL },
	{ HEAD "cells:\n  - suites: {versions: tls1.3, ciphers: AES128-GCM-SHA257,\n"
	       "      groups: p256, credentials: p256}\n",
	  3, 41, "unknown cipher", "did you mean \"AES128-GCM-SHA256\"" },
	{ HEAD "cells:\n  - suites: {versions: tls1.2, ciphers: AES128-GCM-SHA256,\n"
	       "      groups: p256, credentials: p256}\n",
	  3, 5, "no combination", "suites" },
	{ HEAD "cells:\n  - suites: {versions: [tls1.3, tls1.3], ciphers: AES128-GCM-SHA256,\n"
	       "      groups: p256, credentials: p256}\n",
	  3, 33, "in this list already", "3:25" },
	{ HEAD "cells:\n  - suites: {versions: tls1.3, ciphers: [AES128-GCM-SHA256,\n"
	       "      TLS_AES_128_GCM_SHA256], groups: p256, credentials: p256}\n",
	  4, 7, "in this list already", "3:42" },
	{ GROUP "    engines: [opnssl]\n", 4, 15, "unknown value of engines \"opnssl\"",
	  "did you mean \"openssl\"" },
	{ GROUP "    servers: ngnix\n", 4, 14, "unknown value of servers", "\"nginx\"" },
	{ GROUP "    workload: pge\n", 4, 15, "unknown workload", "did you mean \"page\"" },
	{ HEAD "nodes: {server: {address: 999.1.1.1}}\n" CELLS, 2, 27, "address", "no address" },
	{ HEAD "nodes: {server: {listen: 'a b'}}\n" CELLS, 2, 26, "listen", "host's name" },
	{ GROUP "    payloads: [512, 1GiB]\n", 4, 21, "out of range", "256 MiB" },
	{ GROUP "    payloads: [512, 512B]\n", 4, 21, "in this list already", "4:16" },
	{ GROUP "    payloads: []\n", 4, 15, "empty", "payloads" },
	{ GROUP "    payload_kind: [json]\n", 4, 19, "payload_kind", "found a list" },
	{ GROUP "    encodings: [gzip:6, gzip]\n", 4, 25, "in this list already", "4:17" },
	{ GROUP "    encodings: gzip:10\n", 4, 16, "unknown encoding", "gzip:1 to gzip:9" },
	{ GROUP "    encodings: brotli\n", 4, 16, "unknown encoding", "identity" },
	{ GROUP "    encodings: 'br:12'\n", 4, 16, "unknown encoding", "br:11" },
	{ GROUP "    encodings: 'zstd:3:onc'\n", 4, 16, "unknown encoding", "zstd" },
	{ GROUP "    encodings: 'identity:1'\n", 4, 16, "unknown encoding", "identity" },
	{ GROUP "    encodings: [br, 'br:5']\n", 4, 21, "in this list already", "4:17" },
	{ GROUP "    clients: 0\n", 4, 14, "out of range", "1 to 10000" },
	{ GROUP "    clients: [1, two]\n", 4, 18, "clients", "whole number" },
	{ GROUP "    connections: keepalives\n", 4, 18, "'keepalives' is not a way to connect",
	  "resume:N" },
	{ GROUP "    connections: []\n", 4, 18, "empty", "connections" },
	{ GROUP "    connections: [full, {resume: 0%}]\n", 4, 34, "resume:0", "connections" },
	{ GROUP "    connections: [full, {resume: 101%}]\n", 4, 34, "resume:101", "" },
	{ GROUP "    connections: [{resume: 1, full: 2}]\n", 4, 19, "expected full", "a map" },
	{ GROUP "    connections: ['resume:80', {resume: 80%}]\n", 4, 32, "already", "4:19" },
	{ GROUP "    tickets: 17\n", 4, 14, "tickets", "between 0 and 16" },
	{ GROUP "    http: 3\n", 4, 11, "http: '3' is not one of 1.1, 2", "" },
	{ GROUP "    streams: [1, 10001]\n", 4, 18, "streams", "10000" },
	{ GROUP "    think: [1s, 1000ms]\n", 4, 17, "1s is in this list already", "4:13" },
	{ GROUP "    think: 5\n", 4, 12, "think", "such as" },
	{ GROUP "    rate: fast\n", 4, 11, "rate", "number" },
	{ GROUP "    download_rate: 7kB\n", 4, 20, "download_rate", "kB/s" },
	{ GROUP "    driver: wkr\n", 4, 13, "driver", "did you mean wrk" },
	{ GROUP "    resumption: tickets\n", 4, 17, "resumption", "ticket, session-id, psk13" },
	{ GROUP "    tickts: 1\n", 4, 5, "unknown key", "did you mean \"tickets\"" },
	{ HEAD "request: {tickets: [1, 2]}\n" CELLS, 2, 20, "single value", "in a group" },
	{ HEAD "request: {http: 3}\n" CELLS, 2, 17, "not one of", "http" },
	{ GROUP "  - suites: plain\n", 4, 13, "made already", "3:13" },
	{ HEAD "cells: [{suites: " P256 ", engines: 'null'}]\n", 2, 8, "none can run", "null" },
	{ HEAD "cells: [\n", 3, 1, "not YAML", "bracket" },
};

static void refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		const struct bad *b = &bad[i];
		struct buf errors;
		struct plan p;
		char place[128];
		const char *at;

		buf_init(&errors, 0);
		write_text(file, b->text);
		assert_int_equal(plan_read(&p, file, NULL, &errors), -1);
		snprintf(place, sizeof(place), "%s:%d:%d: ", file, b->line, b->column);
		at = strstr(buf_text(&errors), place);
		if (!at || !strstr(at, b->word) ||
		    !strstr(at, b->other_word ? b->other_word : "") ||
		    (b->other_word && lines_of(buf_text(&errors)) != 1))
			fail_msg("%s\nexpected at %s \"%s\" and \"%s\", got:\n%s", b->text, place,
				 b->word, b->other_word, buf_text(&errors));
		assert_null(p.cell);
		assert_null(p.order);
		buf_release(&errors);
	}
}

static void all_at_once(void **state)
{
	static const int lines[] = { 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12 };
	struct buf errors;
	struct plan p;
	const char *at;

	(void)state;
	buf_init(&errors, 0);
	write_text(file, "campaign: a/b\nblocks: 0\nsede: 7\nphases: {idle: x}\nnodes: {server: "
			 "{board: x}}\nnodes: {}\ncells:\n"
			 "  - suites: plain\n"
			 "    clients: 0\n"
			 "  - suites: tls9\n"
			 "  - {}\n"
			 "  - {suites: plain, engines: x}\n");
	assert_int_equal(plan_read(&p, file, NULL, &errors), -1);
	at = buf_text(&errors);
	/* Line 7 has nothing wrong; each of the others one error, in order. */
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		char place[128];

		if (lines[i] == 7)
			continue;
		snprintf(place, sizeof(place), "%s:%d:", file, lines[i]);
		if (strncmp(at, place, strlen(place)))
			fail_msg("expected %s in:\n%s", place, buf_text(&errors));
		at = strchr(at, '\n') + 1;
	}
	assert_string_equal(at, "");
	buf_release(&errors);
}

/* Each file's errors carry its own name. */
static void testbed_errors(void **state)
{
	struct buf errors;
	struct plan p;
	char place[128];

	(void)state;
	buf_init(&errors, 0);
	write_text(file, HEAD "blocks: x\n" CELLS);
	write_text(other, "nodes:\n  server: {meter: 'volts:1'}\n");
	assert_int_equal(plan_read(&p, file, other, &errors), -1);
	snprintf(place, sizeof(place), "%s:2:9: blocks", file);
	assert_non_null(strstr(buf_text(&errors), place));
	snprintf(place, sizeof(place), "%s:2:19: unknown meter", other);
	assert_non_null(strstr(buf_text(&errors), place));
	assert_int_equal(lines_of(buf_text(&errors)), 2);
	buf_clear(&errors);
	write_text(file, HEAD CELLS);
	write_text(other, "campaign: x\n");
	assert_int_equal(plan_read(&p, file, other, &errors), -1);
	assert_non_null(strstr(buf_text(&errors), "t.yaml:1:1: unknown key \"campaign\""));
	assert_non_null(strstr(buf_text(&errors), "\"nodes\" is missing"));
	buf_clear(&errors);
	unlink(other);
	assert_int_equal(plan_read(&p, file, other, &errors), -1);
	assert_non_null(strstr(buf_text(&errors), "No such file"));
	buf_release(&errors);
}

/* What one engine cannot do stays in the plan with the reason, and takes no time. */
static void unavailable(void **state)
{
	struct plan p =
		read_for_openssl("campaign: x\nblocks: 1\n"
				 "phases: {settle: 0, idle: 0, warmup: 0, measure: 1s}\n"
				 "cells:\n  - suites: " P256 "\n    engines: [openssl, 'null']\n");
	struct buf out;

	(void)state;
	buf_init(&out, 0);
	assert_int_equal(p.cells, 2);
	assert_null(p.cell[0].unavailable);
	assert_non_null(strstr(p.cell[1].unavailable, "server engine null"));
	assert_int_equal(plan_duration_ns(&p), NS_PER_S);
	plan_print(&p, &out);
	assert_non_null(strstr(buf_text(&out), "not run: server engine null"));
	assert_non_null(strstr(buf_text(&out), "block 1: 1\n"));
	assert_non_null(strstr(buf_text(&out), "1 trials (1 blocks of 1 cells), at least 1 s\n"));
	buf_release(&out);
	plan_release(&p);
}

static void too_many_cells(void **state)
{
	struct buf text, errors;
	struct plan p;

	(void)state;
	buf_init(&text, 0);
	buf_init(&errors, 0);
	buf_puts(&text, "campaign: x\ncells:\n  - suites: plain\n    clients: [1");
	for (int i = 2; i <= 200; i++)
		buf_printf(&text, ", %d", i);
	buf_puts(&text, "]\n    payloads: [1");
	for (int i = 2; i <= 200; i++)
		buf_printf(&text, ", %d", i);
	buf_puts(&text, "]\n");
	write_text(file, buf_text(&text));
	assert_int_equal(plan_read(&p, file, NULL, &errors), -1);
	assert_non_null(strstr(buf_text(&errors), ":3:13: more than 10000 cells"));
	assert_int_equal(lines_of(buf_text(&errors)), 1);
	buf_clear(&errors);
	buf_clear(&text);
	buf_puts(&text, "campaign: x\nblocks: 10000\ncells:\n  - suites: plain\n    clients: [1");
	for (int i = 2; i <= 101; i++)
		buf_printf(&text, ", %d", i);
	buf_puts(&text, "]\n");
	write_text(file, buf_text(&text));
	assert_int_equal(plan_read(&p, file, NULL, &errors), -1);
	assert_non_null(strstr(buf_text(&errors), ":2:9: 10000 blocks of 101 cells are more than"));
	buf_release(&text);
	buf_release(&errors);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused),        cmocka_unit_test(all_at_once),
		cmocka_unit_test(testbed_errors), cmocka_unit_test(unavailable),
		cmocka_unit_test(too_many_cells),
	};

	return cmocka_run_group_tests_name("plan refused", tests, make_dir, remove_dir);
}
