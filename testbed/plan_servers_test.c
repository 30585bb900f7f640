/* SPDX-License-Identifier: Apache-2.0 */
/* plan_servers_test - servers under test and content codings in a campaign. */
#include "testbed/plan_fixture.h"

#include <sys/stat.h>

#include "servers/adapter.h"
#include "testbed/plan_read.h"
#include "workloads/compress.h"

/* PATH is one directory with programs that can be found and do nothing. */
static char bin[] = "/tmp/plan-servers-XXXXXX";
static const char *const programs[] = { "nginx", "apache2", "lighttpd", "openssl", "haproxy" };

static void path_of(const char *name, char dst[128])
{
	snprintf(dst, 128, "%s/%s", bin, name);
}

static int make_programs(void **state)
{
	char path[128];

	if (make_dir(state) || !mkdtemp(bin))
		return -1;
	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
		path_of(programs[i], path);
		write_text(path, "");
		chmod(path, 0755);
	}
	return setenv("PATH", bin, 1);
}

static int remove_programs(void **state)
{
	char path[128];

	for (size_t i = 0; i < sizeof programs / sizeof *programs; i++) {
		path_of(programs[i], path);
		unlink(path);
	}
	return rmdir(bin) || remove_dir(state) ? -1 : 0;
}

static void every_server_may_be_named(void **state)
{
	struct plan p = read_for_openssl(
		"campaign: x\ncells:\n  - suites: [" RSA "]\n    servers: [builtin, nginx, "
		"apache-event, apache-prefork, lighttpd, s_server, haproxy]\n");

	(void)state;
	assert_int_equal(p.cells, 7);
	for (int i = 0; i < p.cells; i++) {
		if (p.cell[i].unavailable)
			fail_msg("%s: %s", p.cell[i].cell.name, p.cell[i].unavailable);
		assert_string_equal(p.cell[i].cell.server, server_adapters[i]->name);
		assert_int_equal(plan_closes_each(&p.cell[i]), i > 0);
	}
	find_cell(&p, RSA "/512B/identity/c8/full/openssl/nginx");
	plan_release(&p);
}

static const struct {
	const char *cells, *why;
} cannot[] = {
	{ "suites: [" RSA "]\n    servers: s_server\n    connections: keepalive", "closes every" },
	{ "suites: [plain]\n    servers: s_server", "TLS only" },
	{ "suites: [" RSA "]\n    servers: nginx\n    encodings: br", "cannot compress with br" },
	{ "suites: [" RSA "]\n    servers: apache-event\n    encodings: 'br:5:once'",
	  "every request only" },
	{ "suites: [" RSA "]\n    servers: s_server\n    encodings: gzip", "compress with gzip" },
#ifdef WITH_WOLFSSL
	{ "suites: [" RSA "]\n    servers: nginx\n    engines: wolfssl", "brings OpenSSL" },
#endif
};

/* Beside a cell that can run, because a campaign of none is an error. */
static void what_a_server_cannot_do_is_not_available(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof cannot / sizeof *cannot; i++) {
		char text[512];
		struct plan p;

		snprintf(text, sizeof text,
			 "campaign: x\ncells:\n  - suites: plain\n    payloads: 7\n  - %s\n",
			 cannot[i].cells);
		p = read_for_openssl(text);
		assert_int_equal(p.cells, 2);
		assert_null(p.cell[0].unavailable);
		if (!p.cell[1].unavailable || !strstr(p.cell[1].unavailable, cannot[i].why))
			fail_msg("%s: %s", cannot[i].cells, p.cell[1].unavailable);
		plan_release(&p);
	}
}

static void a_record_size_that_cannot_be_set_is_not_available(void **state)
{
	struct plan p = read_for_openssl("campaign: x\nrequest: {record_size: 4KiB}\ncells:\n"
					 "  - suites: [" RSA
					 "]\n    servers: [nginx, lighttpd, apache-event]\n");

	(void)state;
	assert_null(p.cell[0].unavailable);
	assert_non_null(strstr(p.cell[1].unavailable, "TLS records"));
	assert_non_null(strstr(p.cell[2].unavailable, "TLS records"));
	plan_release(&p);
}

static void a_missing_program_names_its_package(void **state)
{
	static const char here[] = "campaign: x\ncells:\n  - suites: plain\n    servers: [builtin, "
				   "nginx, apache-prefork, lighttpd, haproxy]\n";
	static const char *const packages[] = { NULL, "nginx-light", "apache2-bin",
						"lighttpd-mod-openssl", "haproxy" };
	struct plan p;

	(void)state;
	setenv("PATH", "/nonexistent", 1);
	p = read_for_openssl(here);
	assert_null(p.cell[0].unavailable);
	for (int i = 1; i < p.cells; i++)
		assert_non_null(strstr(p.cell[i].unavailable, packages[i]));
	plan_release(&p);
	/* What another machine has is not looked for here. */
	p = read_for_openssl("campaign: x\nnodes: {server: {command: ssh a, address: a.example}}\n"
			     "cells:\n  - suites: plain\n    servers: nginx\n");
	assert_null(p.cell[0].unavailable);
	plan_release(&p);
	setenv("PATH", bin, 1);
}

static void codings_are_read(void **state)
{
	static const struct {
		const char *text;
		struct encoding e;
	} known[] = {
		{ "identity", { APP_IDENTITY, 0, false } }, { "gzip", { APP_GZIP, 6, false } },
		{ "gzip:9:once", { APP_GZIP, 9, true } },   { "br", { APP_BROTLI, 5, false } },
		{ "br:11", { APP_BROTLI, 11, false } },     { "zstd", { APP_ZSTD, 3, false } },
		{ "zstd:22:once", { APP_ZSTD, 22, true } },
	};
	static const char *const unknown[] = { "",        "gz",      "gzip:",        "gzip:0",
					       "gzip:10", "br:12",   "zstd:23",      "zstd:-1",
					       "br:+5",   "gzip:06", "gzip:6:",      "br:5:twice",
					       "GZIP",    "br:5 ",   "zstd:1:once ", "identity:1" };
	struct encoding e;

	(void)state;
	for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
		assert_int_equal(encoding_parse(known[i].text, &e), 0);
		assert_int_equal(e.coding, known[i].e.coding);
		assert_int_equal(e.level, known[i].e.level);
		assert_int_equal(e.once, known[i].e.once);
	}
	for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++)
		if (encoding_parse(unknown[i], &e) == 0)
			fail_msg("\"%s\"", unknown[i]);
}

static void a_coding_that_is_not_built_in_is_not_available(void **state)
{
	struct plan p = read_for_openssl("campaign: x\ncells:\n  - suites: plain\n"
					 "    encodings: [identity, br, 'zstd:3:once']\n");
	int level_max;

	(void)state;
	assert_null(p.cell[0].unavailable);
	assert_int_equal(!p.cell[1].unavailable, !compress_refuses(APP_BROTLI, &level_max));
	assert_int_equal(!p.cell[2].unavailable, !compress_refuses(APP_ZSTD, &level_max));
	find_cell(&p, "plain/512B/br:5/c8/full/null");
	find_cell(&p, "plain/512B/zstd:3:once/c8/full/null");
	plan_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_server_may_be_named),
		cmocka_unit_test(what_a_server_cannot_do_is_not_available),
		cmocka_unit_test(a_record_size_that_cannot_be_set_is_not_available),
		cmocka_unit_test(a_missing_program_names_its_package),
		cmocka_unit_test(codings_are_read),
		cmocka_unit_test(a_coding_that_is_not_built_in_is_not_available),
	};

	return cmocka_run_group_tests(tests, make_programs, remove_programs);
}
