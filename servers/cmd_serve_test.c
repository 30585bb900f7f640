/* SPDX-License-Identifier: Apache-2.0 */
/* cmd_serve_test - the command's refusals, one by one, and its counters as a reader sees them. */
#include "servers/server_drive.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdlib.h>

#include "lib/command.h"

extern const struct command cmd_serve;

static char out_text[16384], err_text[16384];

static int redirect(int fd, FILE *to)
{
	int kept = dup(fd);

	assert_true(kept >= 0 && to && dup2(fileno(to), fd) == fd);
	return kept;
}

static void restore(int fd, int kept, FILE *from, char *dst, size_t cap)
{
	ssize_t n = pread(fileno(from), dst, cap - 1, 0);

	dst[n > 0 ? n : 0] = '\0';
	dup2(kept, fd);
	close(kept);
	fclose(from);
}

/* Runs with these words, and input as all of standard input. */
static int serve(const char *const *words, const char *input)
{
	FILE *out = tmpfile(), *err = tmpfile(), *in = tmpfile();
	int kept_in, kept_out, kept_err, argc = 1, status;
	char *argv[24] = { (char *)(uintptr_t) "serve" }, dropped[8];

	for (; words[argc - 1] && argc < 23; argc++)
		argv[argc] = (char *)(uintptr_t)words[argc - 1];
	assert_non_null(in);
	fputs(input, in);
	fflush(in);
	lseek(fileno(in), 0, SEEK_SET);
	fflush(stdout);
	kept_in = redirect(0, in);
	kept_out = redirect(1, out);
	kept_err = redirect(2, err);
	status = cmd_serve.run(&cmd_serve, argc, argv);
	fflush(stdout);
	restore(2, kept_err, err, err_text, sizeof err_text);
	restore(1, kept_out, out, out_text, sizeof out_text);
	restore(0, kept_in, in, dropped, sizeof dropped);
	return status;
}

#define HTTP      "http://127.0.0.1:0"
#define HTTPS     "https://127.0.0.1:0"
#define PSK_SUITE "tls1.2:PSK-AES128-CCM8:none:psk"

static const struct {
	const char *words[8], *reason;
} refused[] = {
	{ { NULL }, "give the URL" },
	{ { "127.0.0.1:80", NULL }, "must start with" },
	{ { "coap+tcp://127.0.0.1:0", "--server=nginx", NULL }, "http:// and https:// only" },
	{ { "coaps+tcp://127.0.0.1:0", "--suite=plain", NULL }, "plain" },
	{ { "coap://127.0.0.1:0", "--server=nginx", NULL }, "http:// and https:// only" },
	{ { "coaps://127.0.0.1:0", "--suite=tls1.3:AES128-GCM-SHA256:x25519:p256", NULL },
	  "coaps:// needs DTLS" },
	{ { HTTPS, "--suite=dtls1.2:ECDHE-ECDSA-AES128-CCM8:p256:p256", NULL },
	  "https:// needs TLS" },
	{ { "coap://127.0.0.1:0", "--mtu=255", NULL }, "--mtu" },
	{ { "http://127.0.0.1:0/path", NULL }, "leave out /path" },
	{ { HTTP, "--suite=tls1.3:AES128-GCM-SHA256:x25519:p256", NULL }, "no TLS" },
#ifdef WITH_OPENSSL
	{ { HTTP, "--engine=openssl", NULL }, "no TLS" },
#endif
	{ { HTTP, "--engine=opnssl", NULL }, "no engine" },
	{ { HTTP, "--cert=x", NULL }, "--cert cannot be used" },
	{ { HTTP, "--key=x", NULL }, "--key cannot be used" },
	{ { HTTP, "--credentials=x", NULL }, "--credentials cannot be used" },
	{ { HTTPS, "--suite=plain", NULL }, "plain" },
	{ { HTTPS, "--suite=tls1.3:nonsense:x25519:p256", NULL }, "nonsense" },
	{ { HTTPS, "--suite=tls1.3:AES128-GCM-SHA256:x25519:p256",
	    "--suite=tls1.3:AES256-GCM-SHA384:x25519:p256", NULL },
	  "given 2 times for 1" },
	{ { HTTPS, "--engine=null", NULL }, "null" },
	{ { HTTPS, "--cert=/dev/null", NULL }, "--cert and --key" },
	{ { HTTPS, "--key=/dev/null", NULL }, "--cert and --key" },
	{ { HTTPS, "--cert=/dev/null", "--key=/dev/null", "--credentials=x", NULL },
	  "one of them" },
	{ { HTTPS, "--cert=/nonexistent", "--key=/dev/null", NULL }, "/nonexistent" },
	{ { HTTPS, HTTPS, "--cert=/dev/null", "--key=/dev/null",
	    "--suite=tls1.3:AES128-GCM-SHA256:x25519:p256",
	    "--suite=tls1.3:AES128-GCM-SHA256:x25519:rsa2048", NULL },
	  "p256 and rsa2048" },
	{ { HTTP, "--workload=pages", NULL }, "no workload" },
	{ { HTTP, "--profile=cose", NULL }, "of --workload message" },
	{ { HTTP, "--payload-kind=xml", NULL }, "xml" },
	{ { HTTP, "--payload=3MiB", "--payload-max=2MiB", NULL }, "larger than the largest" },
	{ { HTTP, "--payload-max=4GiB", NULL }, "largest page" },
	{ { HTTP, "--payload=4GiB", NULL }, "largest page" },
	{ { HTTP, "--payload-max=0", NULL }, "--payload-max" },
	{ { HTTP, "--gzip-level=10", NULL }, "gzip-level" },
	{ { HTTP, "--gzip-level=0", "--compress-when=once", NULL }, "nothing is compressed" },
#ifndef WITH_BROTLI
	{ { HTTP, "--brotli-level=5", NULL }, "built without brotli" },
#endif
#ifndef WITH_ZSTD
	{ { HTTP, "--zstd-level=3", NULL }, "built without zstd" },
#endif
	{ { HTTP, "--zstd-level=23", NULL }, "zstd-level" },
	{ { HTTP, "--cpus=x", NULL }, "CPU list" },
	{ { HTTP, "--idle-timeout=0", NULL }, "idle-timeout" },
	{ { HTTP, "--session-ids", NULL }, "--session-ids cannot be used" },
	{ { HTTP, "--early-data=1KiB", NULL }, "--early-data cannot be used" },
	{ { HTTP, "--client-ca=x", NULL }, "--client-ca cannot be used" },
	{ { HTTPS, "--early-data=17KiB", NULL }, "--early-data" },
#ifdef WITH_OPENSSL
	{ { HTTPS, "--engine=openssl", "--early-data=1KiB", NULL }, "resumption by ticket" },
	{ { HTTPS, "--engine=openssl", "--session-ids", NULL }, "ended with TLS 1.2" },
	{ { HTTPS, "--server=nginx", "--client-ca=x", NULL }, "of the builtin server" },
#endif
	{ { HTTP, "--psk-file=x", NULL }, "--psk-file cannot be used" },
#ifdef WITH_OPENSSL
	{ { HTTPS, "--psk-file=/dev/null", NULL }, "no suite has the credential psk" },
	{ { HTTPS, "--suite", PSK_SUITE, NULL }, "keys are missing" },
	{ { HTTPS, "--suite", PSK_SUITE, "--psk-file=/dev/null", NULL }, "no key in it" },
	{ { HTTPS, "--suite", PSK_SUITE, "--psk-file=/nonexistent", NULL }, "/nonexistent" },
	{ { HTTPS, "--suite", PSK_SUITE, "--psk-file=x", "--client-ca=x", NULL },
	  "no certificate" },
	{ { HTTPS, "--suite", PSK_SUITE, "--psk-file=x", "--cert=/dev/null", "--key=/dev/null",
	    NULL },
	  "no certificate" },
	{ { HTTPS, "--server=nginx", "--suite", PSK_SUITE, "--psk-file=x", NULL }, "x" },
#endif
	{ { HTTP, "--http=3", NULL }, "--http" },
	{ { HTTP, "--streams=5", NULL }, "--streams is about HTTP/2" },
	{ { HTTP, "--window=5000", NULL }, "--window is about HTTP/2" },
	{ { HTTP, "--http=2", "--window=1023", NULL }, "--window" },
	{ { HTTP, "--http=2", "--streams=0", NULL }, "--streams" },
	{ { HTTP, "--http=2", "--server=nginx", NULL }, "https://" },
	{ { HTTPS, "--http=2", "--window=5000", "--server=nginx", NULL }, "of the builtin server" },
	{ { HTTPS, "--http=2", "--server=apache-prefork", NULL }, "for HTTP/1.1 only" },
	{ { HTTPS, "--http=2", "--streams=5", "--server=lighttpd", NULL }, "cannot be set" },
	{ { HTTP, "--mtu=1200", NULL }, "--mtu is for coap:// and coaps:// only" },
	{ { "coap://127.0.0.1:0", "--dtls-timeout=1s", NULL }, "--dtls-timeout is for coaps://" },
	{ { HTTPS, "--max-handshakes=9", NULL }, "--max-handshakes is for coaps://" },
	{ { HTTP, "--tickets=0", NULL }, "--tickets is of TLS" },
	{ { HTTP, "--handshake-timeout=1s", NULL }, "there is no handshake" },
	{ { "coap://127.0.0.1:0", "--http=1.1", NULL }, "--http is for http://" },
	{ { "coap://127.0.0.1:0", "--client-ca=x", NULL }, "coap:// has no TLS: --client-ca" },
	{ { "coap+tcp://127.0.0.1:0", "--suite=tls1.3:AES128-GCM-SHA256:x25519:p256", NULL },
	  "write coaps+tcp://" },
	{ { HTTP, "--no-such-option", NULL }, "no-such-option" },
};

static void impossible_settings_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		int status = serve(refused[i].words, "");

		if (status != EXIT_USAGE || !strstr(err_text, refused[i].reason))
			fail_msg("row %zu: status %d: %s", i, status, err_text);
		assert_string_equal(out_text, "");
	}
}

/* Programs by these names, so that what is refused does not hang on one being installed. */
static const char *const pretended[] = { "nginx", "apache2", "lighttpd" };

static int pretend_servers(void **state)
{
	static char dir[] = "/tmp/cmd_serve_test_XXXXXX";
	const char *path = getenv("PATH");
	char name[64], longer[4096];

	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < sizeof pretended / sizeof *pretended; i++) {
		int fd;

		snprintf(name, sizeof name, "%s/%s", dir, pretended[i]);
		fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
		assert_true(fd >= 0);
		close(fd);
	}
	snprintf(longer, sizeof longer, "%s:%s", dir, path ? path : "/usr/bin:/bin");
	setenv("PATH", longer, 1);
	*state = dir;
	return 0;
}

static int remove_servers(void **state)
{
	const char *dir = *state;
	char name[64];

	for (size_t i = 0; i < sizeof pretended / sizeof *pretended; i++) {
		snprintf(name, sizeof name, "%s/%s", dir, pretended[i]);
		unlink(name);
	}
	return rmdir(dir);
}

static void a_port_in_use_is_a_failure(void **state)
{
	struct server_params p = drive_plain();
	struct server *s = drive_start(&p);
	const char *words[2] = { NULL };
	char url[64];

	(void)state;
	snprintf(url, sizeof url, "http://127.0.0.1:%u", p.listener[0].url.port);
	words[0] = url;
	assert_int_equal(serve(words, ""), EXIT_FAILED);
	assert_non_null(strstr(err_text, "Address already in use"));
	server_stop(s);
}

static void check_counters(const char *line)
{
	json_error_t error;
	json_t *c = json_loads(line, JSON_DISABLE_EOF_CHECK, &error);
	json_int_t at_ns, cpu_ns, rss_kib, n[7];
	const char *engine, *version;
	json_t *files;

	if (!c)
		fail_msg("%s: %s", error.text, line);
	if (json_unpack_ex(c, &error, 0,
			   "{s:I, s:I, s:{s:I, s:I, s:I, s:I}, s:I, s:I, s:{s:I, s:I}, s:I, s:I, "
			   "s:s, s:s, s:{s:n}, s:o}",
			   "at_ns", &at_ns, "connections", &n[0], "handshakes", "full", &n[1],
			   "resumed", &n[2], "early_data", &n[3], "failed", &n[4], "requests",
			   &n[5], "rejected", &n[6], "wire", "bytes_sent", &n[0], "bytes_received",
			   &n[0], "cpu_ns", &cpu_ns, "rss_peak_kib", &rss_kib, "engine", &engine,
			   "engine_version", &version, "credential", "ca_file", "ca_files",
			   &files) != 0)
		fail_msg("%s: %s", error.text, line);
	assert_true(at_ns > 0 && cpu_ns > 0 && rss_kib > 0);
	assert_string_equal(engine, "null");
	assert_int_equal(json_array_size(files), 1);
	assert_true(json_is_null(json_array_get(files, 0)));
	json_decref(c);
}

static void counters_come_a_line_for_a_line(void **state)
{
	static const char *const words[] = { HTTP, "--counters", "--threads=1", NULL };
	char *line;

	(void)state;
	assert_int_equal(serve(words, "\nagain\nnot a whole line"), EXIT_RESULT);
	assert_int_equal(strncmp(out_text, "listening on http://127.0.0.1:", 30), 0);
	line = strchr(out_text, '\n');
	assert_non_null(line);
	check_counters(line + 1);
	line = strchr(line + 1, '\n');
	assert_non_null(line);
	check_counters(line + 1);
	line = strchr(line + 1, '\n');
	assert_string_equal(line, "\n");
	assert_non_null(strstr(err_text, "0 requests answered"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(impossible_settings_are_refused, pretend_servers,
						remove_servers),
		cmocka_unit_test(a_port_in_use_is_a_failure),
		cmocka_unit_test(counters_come_a_line_for_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
