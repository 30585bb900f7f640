/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adapter_test - what servers under test share: pages as files, settings, refusals, where
 * programs are, who listens.
 */
#include "servers/adapter_drive.h"

static void pages_are_the_workloads_own(void **state)
{
	char expected[301], page[1024];

	(void)state;
	prepare(TLS13);
	page_fill(PAGE_JSON, expected, 300);
	expected[300] = '\0';
	configure(&adapter_lighttpd);
	read_into(page, sizeof page, "www/index");
	assert_string_equal(page, expected);
	read_into(page, sizeof page, "www/page/300/json");
	assert_string_equal(page, expected);
	configure(&adapter_s_server);
	read_into(page, sizeof page, "www/page/300/json");
	assert_non_null(strstr(page, "HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n"
				     "Content-Length: 300\r\n"));
	assert_string_equal(strstr(page, "\r\n\r\n") + 4, expected);
}

static void settings_are_told(void **state)
{
	static const char *const expected[] = {
		"sendfile=",         "keepalive_requests=", "gzip=off",    "ssl_buffer_size=16384",
		"ciphers=",          "groups=X25519\n",     "tickets=off", "session_cache=off",
		"worker_processes=3"
	};

	(void)state;
	prepare(TLS13);
	configure(&adapter_nginx);
	for (size_t i = 0; i < COUNT(expected); i++)
		if (!strstr(buf_text(&job.settings), expected[i]))
			fail_msg("no %s in %s", expected[i], buf_text(&job.settings));
}

static void expect_refusal(const struct server_adapter *a, const char *why)
{
	struct fail f = { 0 };

	assert_int_equal(adapter_check(a, &params, &f), -1);
	if (!strstr(f.text, why) || !strstr(f.text, a->name))
		fail_msg("%s", f.text);
}

static void what_cannot_be_is_refused(void **state)
{
	struct fail f = { 0 };

	(void)state;
	prepare("plain");
	for (int i = 0; server_adapters[i]; i++)
		assert_int_equal(adapter_check(server_adapters[i], &params, &f),
				 server_adapters[i] == &adapter_s_server ? -1 : 0);
	expect_refusal(&adapter_s_server, "TLS only");
	params.workload_params.level[APP_GZIP] = 6;
	params.workload_params.level[APP_BROTLI] = 5;
	expect_refusal(&adapter_nginx, "cannot compress with br");
	expect_refusal(&adapter_lighttpd, "one content coding");
	params.listeners = 2;
	expect_refusal(&adapter_nginx, "one URL");
	prepare("dtls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p256");
	expect_refusal(&adapter_nginx, "TCP");
	prepare(TLS13);
	params.record_bytes = 4096;
	expect_refusal(&adapter_apache_event, "TLS records");
	prepare(TLS13);
	expect_refusal(&adapter_s_server, "closes every connection");
	params.listener[0].engine = &engine_null;
	expect_refusal(&adapter_haproxy, "brings OpenSSL");
}

static void programs_are_found_beside_bin(void **state)
{
	char dir[] = "/tmp/adapter-test-XXXXXX", path[128], found[PATH_BYTES];
	struct fail f = { 0 };

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof path, "%s/sbin", dir);
	assert_int_equal(mkdir(path, 0755), 0);
	snprintf(path, sizeof path, "%s/sbin/nginx", dir);
	assert_int_equal(path_write(path, "", 0, 0755, &f), 0);
	snprintf(found, sizeof found, "/nonexistent:%s/bin", dir);
	setenv("PATH", found, 1);
	assert_int_equal(adapter_find(&adapter_nginx, found, &f), 0);
	assert_string_equal(found, path);
	assert_int_equal(chmod(path, 0644), 0);
	assert_int_equal(adapter_find(&adapter_nginx, found, &f), -1);
	assert_non_null(strstr(f.text, "nginx-light"));
	assert_int_equal(adapter_find(&adapter_builtin, found, &f), 0);
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void names_and_rows_agree(void **state)
{
	int n = 0;

	(void)state;
	for (; server_adapters[n]; n++) {
		assert_string_equal(server_adapters[n]->name, server_adapter_names[n]);
		assert_ptr_equal(adapter_by_name(server_adapter_names[n]), server_adapters[n]);
		assert_true(!server_adapters[n]->program == !server_adapters[n]->configure);
	}
	assert_null(server_adapter_names[n]);
	assert_null(adapter_by_name("apache"));
}

static void a_listener_is_known_by_its_owner(void **state)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t len = sizeof at;

	(void)state;
	assert_int_equal(bind(fd, (struct sockaddr *)&at, len), 0);
	assert_int_equal(getsockname(fd, (struct sockaddr *)&at, &len), 0);
	assert_false(adapter_listens(getpid(), ntohs(at.sin_port))); /* bound is not listening */
	assert_int_equal(listen(fd, 1), 0);
	assert_true(adapter_listens(getpid(), ntohs(at.sin_port)));
	assert_true(adapter_listens(getppid(), ntohs(at.sin_port))); /* of the whole tree */
	close(fd);
	assert_false(adapter_listens(getpid(), ntohs(at.sin_port)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pages_are_the_workloads_own),
		cmocka_unit_test(settings_are_told),
		cmocka_unit_test(what_cannot_be_is_refused),
		cmocka_unit_test(programs_are_found_beside_bin),
		cmocka_unit_test(names_and_rows_agree),
		cmocka_unit_test(a_listener_is_known_by_its_owner),
	};

	return cmocka_run_group_tests(tests, NULL, tidy);
}
