/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver_test - other programs' command lines, what is refused, and a program of our own run in
 * place of theirs.
 */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clients/driver_testing.h"
#include "protocols/app.h"

static bool has_word(const struct driver_args *args, const char *word)
{
	for (int i = 0; i < args->count; i++) {
		if (!strcmp(args->word[i], word))
			return true;
	}
	return false;
}

static void commands_say_what_is_asked(void **state)
{
	(void)state;
	struct load_params p = params("https://127.0.0.1:1/x", CONNECTION_KEEPALIVE);
	struct driver_args args = { 0 };
	struct suite s;
	struct fail f = { 0 };
	assert_int_equal(suite_parse("tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p256", &s, &f),
			 0);
	p.suite = &s;
	p.count = 100;
	p.accepts = 1u << APP_GZIP;
	driver_ab.command(&p, &args);
	assert_true(has_word(&args, "-k") && has_word(&args, "100") && has_word(&args, "TLS1.2") &&
		    has_word(&args, s.cipher->openssl) &&
		    has_word(&args, "-HAccept-Encoding: gzip"));
	assert_string_equal(args.word[args.count - 1], "https://127.0.0.1:1/x");
	driver_args_release(&args);
	p.accepts |= 1u << APP_BROTLI | 1u << APP_ZSTD;
	driver_h2load.command(&p, &args);
	assert_true(has_word(&args, "-n100") && has_word(&args, "--groups=X25519:P-256") &&
		    has_word(&args, "-HAccept-Encoding: gzip, br, zstd") &&
		    has_word(&args, "--h1"));
	driver_args_release(&args);
	p.http2 = true;
	p.streams = 7;
	p.window_bytes = 1048575;
	driver_h2load.command(&p, &args);
	assert_true(has_word(&args, "-m7") && has_word(&args, "-w20") && has_word(&args, "-W20") &&
		    !has_word(&args, "--h1"));
	driver_args_release(&args);
	p.http2 = false;
	p.suite = NULL;
	p.connection = CONNECTION_FULL;
	p.count = 0;
	p.duration_ns = 3 * NS_PER_S;
	driver_wrk.command(&p, &args);
	assert_true(has_word(&args, "-d3s") && has_word(&args, "-c4") &&
		    has_word(&args, "-HConnection: close"));
	driver_args_release(&args);
}

static void what_cannot_be_done_is_refused(void **state)
{
	(void)state;
	char why[256];
	for (int i = 0; drivers[i]; i++) {
		struct load_params p = params("https://127.0.0.1:1/", CONNECTION_KEEPALIVE);
		p.duration_ns = 2 * NS_PER_S;
		assert_null(drivers[i]->refuses(&p, why));
		p.duration_ns = NS_PER_S / 2;
		assert_non_null(drivers[i]->refuses(&p, why));
		p.duration_ns = NS_PER_S;
		p.rate_per_s = 5;
		assert_non_null(drivers[i]->refuses(&p, why));
		assert_non_null(strstr(why, "--rate"));
		p.rate_per_s = 0;
		p.streams = 2;
		assert_non_null(drivers[i]->refuses(&p, why));
		assert_non_null(strstr(why, "--streams"));
		p.streams = 1;
		p.ca_file = "ca.pem";
		assert_non_null(drivers[i]->refuses(&p, why));
	}
	struct load_params h2 = params("https://127.0.0.1:1/", CONNECTION_KEEPALIVE);
	h2.duration_ns = NS_PER_S;
	h2.http2 = true;
	assert_non_null(driver_ab.refuses(&h2, why));
	assert_non_null(driver_wrk.refuses(&h2, why));
	assert_null(driver_h2load.refuses(&h2, why));
	h2.window_bytes = 65536;
	assert_non_null(driver_h2load.refuses(&h2, why));
	assert_non_null(strstr(why, "power of two"));
	h2.url.scheme = URL_COAP;
	assert_non_null(strstr(driver_h2load.refuses(&h2, why), "CoAP"));
	struct load_params p = params("https://127.0.0.1:1/", CONNECTION_FULL);
	p.duration_ns = NS_PER_S;
	assert_non_null(driver_h2load.refuses(&p, why)); /* it would not end */
	p.count = 10;
	p.duration_ns = 0;
	assert_null(driver_h2load.refuses(&p, why));
	assert_non_null(driver_wrk.refuses(&p, why));
}

/* --- a program of our own in place of theirs ------------------------------- */

static char dir[32], *path_before;

/* Nothing can be found but what is written here. */
static void enter(void)
{
	snprintf(dir, sizeof(dir), "/tmp/driver-test-XXXXXX");
	assert_non_null(mkdtemp(dir));
	path_before = strdup(getenv("PATH"));
	setenv("PATH", dir, 1);
}

static void leave(void)
{
	rmdir(dir);
	setenv("PATH", path_before, 1);
	free(path_before);
}

static void write_program(const char *name, const char *lines)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fprintf(f, "#!/bin/sh\n%s", lines);
	fclose(f);
	assert_int_equal(chmod(path, 0700), 0);
}

static void remove_program(const char *name)
{
	char path[128];
	snprintf(path, sizeof(path), "%s/%s", dir, name);
	unlink(path);
}

static void programs_are_run_and_missing_ones_named(void **state)
{
	(void)state;
	struct load_params p = params("http://127.0.0.1:1/", CONNECTION_FULL);
	struct driver_figures d;
	struct fail f = { 0 };
	enter();
	p.count = 50;
	assert_false(driver_available(&driver_ab));
	assert_int_equal(driver_run(&driver_ab, &p, &d, &f), -1);
	assert_int_equal(f.code, ENOENT);
	assert_non_null(strstr(f.text, "apache2-utils"));
	write_program("ab", "echo 'Complete requests: 50'\necho 'Failed requests: 0'\n"
			    "echo 'Requests per second: 9.5 [#/sec] (mean)'\necho oh >&2\n");
	fail_clear(&f);
	assert_int_equal(driver_run(&driver_ab, &p, &d, &f), 0);
	assert_int_equal(d.succeeded, 50);
	near(d.requests_per_s, 9.5);
	assert_true(d.to_ns > d.from_ns && d.cpu_ns >= 0);
	json_t *cell = driver_json(&driver_ab, &p, &d);
	assert_string_equal(json_string_value(json_object_get(cell, "driver")), "ab");
	assert_true(json_is_null(json_object_get(json_object_get(cell, "handshakes"), "resumed")));
	assert_true(json_is_null(json_object_get(json_object_get(cell, "response_us"), "p99")));
	assert_true(json_is_true(json_object_get(cell, "valid")));
	json_decref(cell);
	write_program("ab", "echo hello\necho 'no such host' >&2\nexit 3\n");
	assert_int_equal(driver_run(&driver_ab, &p, &d, &f), -1);
	assert_non_null(strstr(f.text, "no such host"));
	/* What it negotiated is not what was asked for. */
	struct suite s;
	fail_clear(&f);
	assert_int_equal(suite_parse("tls1.2:ECDHE-RSA-AES128-GCM-SHA256:x25519:rsa2048", &s, &f),
			 0);
	p.suite = &s;
	write_program("ab",
		      "echo 'Complete requests: 50'\n"
		      "echo 'SSL/TLS Protocol: TLSv1.2,ECDHE-RSA-AES256-GCM-SHA384,2048,256'\n");
	assert_int_equal(driver_run(&driver_ab, &p, &d, &f), -1);
	assert_non_null(strstr(f.text, "AES256"));
	remove_program("ab");
	leave();
}

static void our_cpus_are_put_back_whatever_becomes_of_it(void **state)
{
	(void)state;
	struct load_params p = params("http://127.0.0.1:1/", CONNECTION_FULL);
	struct driver_figures d;
	struct fail f = { 0 };
	cpu_set_t before, after;
	char path[128], cpu[16];
	int first = 0;
	assert_int_equal(sched_getaffinity(0, sizeof(before), &before), 0);
	if (CPU_COUNT(&before) < 2)
		skip();
	while (!CPU_ISSET(first, &before))
		first++;
	snprintf(cpu, sizeof(cpu), "%d", first);
	p.cpus = cpu;
	p.count = 50;
	enter();
	snprintf(path, sizeof(path), "%s/ab", dir);
	assert_int_equal(mkdir(path, 0700), 0); /* it looks like a program, and is none */
	assert_int_equal(driver_run(&driver_ab, &p, &d, &f), -1);
	assert_non_null(strstr(f.text, "cannot run ab"));
	rmdir(path);
	leave();
	assert_int_equal(sched_getaffinity(0, sizeof(after), &after), 0);
	assert_true(CPU_EQUAL(&before, &after));
}

/* It has said all that it has to say, and does not end: what was measured ended with that. */
static void one_that_lingers_has_an_end(void **state)
{
	(void)state;
	struct load_params p = params("http://127.0.0.1:1/", CONNECTION_FULL);
	struct driver_figures d;
	struct fail f = { 0 };
	p.count = 50;
	enter();
	write_program("ab", "echo 'Complete requests: 50'\necho 'Failed requests: 0'\n"
			    "exec /bin/sleep 30 >&- 2>&-\n");
	assert_int_equal(driver_run(&driver_ab, &p, &d, &f), 0);
	assert_true(d.to_ns > d.from_ns);
	assert_true(d.to_ns < clock_ns() - NS_PER_S / 2);
	remove_program("ab");
	leave();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_say_what_is_asked),
		cmocka_unit_test(what_cannot_be_done_is_refused),
		cmocka_unit_test(programs_are_run_and_missing_ones_named),
		cmocka_unit_test(our_cpus_are_put_back_whatever_becomes_of_it),
		cmocka_unit_test(one_that_lingers_has_an_end),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
