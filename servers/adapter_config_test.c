/* SPDX-License-Identifier: Apache-2.0 */
/*
 * adapter_config_test - from settings to configuration: what each server's file must say. No
 * server runs here; tests/servers.bats has them all running.
 */
#include "servers/adapter_drive.h"

static void tls12_is_pinned(void **state)
{
	static const struct says says[] = {
		{ &adapter_nginx,
		  { "listen 127.0.0.1:1234 ssl;", "ssl_protocols TLSv1.2;",
		    "ssl_ciphers ECDHE-ECDSA-AES128-GCM-SHA256:@SECLEVEL=0;",
		    "ssl_ecdh_curve X25519:P-256;", "ssl_session_cache none;",
		    "ssl_session_tickets off;", "ssl_buffer_size 16384;", "worker_processes 3;",
		    "ssl_certificate /c.pem;", "ssl_certificate_key /k.pem;" } },
		{ &adapter_apache_event,
		  { "Listen 127.0.0.1:1234", "SSLProtocol -all +TLSv1.2\n",
		    "SSLCipherSuite SSL ECDHE-ECDSA-AES128-GCM-SHA256:@SECLEVEL=0",
		    "SSLOpenSSLConfCmd Groups X25519:P-256", "SSLSessionCache none",
		    "SSLSessionTickets off", "mod_mpm_event.so" } },
		{ &adapter_lighttpd,
		  { "server.port = 1234", "\"MinProtocol\" => \"TLSv1.2\"",
		    "\"MaxProtocol\" => \"TLSv1.2\"", "ECDHE-ECDSA-AES128-GCM-SHA256:@SECLEVEL=0",
		    "\"Groups\" => \"X25519:P-256\"", "-SessionTicket", "max-worker = 3" } },
		{ &adapter_s_server,
		  { "-accept 127.0.0.1:1234", "-tls1_2 ", "-groups X25519:P-256",
		    "-cipher ECDHE-ECDSA-AES128-GCM-SHA256:@SECLEVEL=0", "-no_ticket",
		    "-num_tickets 0", "-no_cache", "-max_send_frag 16384" } },
	};

	(void)state;
	prepare(ECDSA12);
	check(says, COUNT(says));
}

/* An RSA certificate has no curve to be added. */
static void only_the_group_that_is_asked(void **state)
{
	static const struct says says[] = {
		{ &adapter_nginx, { "ssl_ecdh_curve P-384;" } },
		{ &adapter_apache_prefork, { "Groups P-384\n", "mod_mpm_prefork.so" } },
		{ &adapter_lighttpd, { "\"Groups\" => \"P-384\"" } },
		{ &adapter_s_server, { "-groups P-384 " } },
	};

	(void)state;
	prepare(RSA12);
	check(says, COUNT(says));
}

static void tls13_is_pinned(void **state)
{
	static const struct says says[] = {
		{ &adapter_nginx,
		  { "ssl_protocols TLSv1.3;",
		    "ssl_conf_command Ciphersuites TLS_CHACHA20_POLY1305_SHA256;",
		    "ssl_ecdh_curve X25519;" } },
		{ &adapter_apache_event,
		  { "SSLProtocol -all +TLSv1.3\n",
		    "SSLCipherSuite TLSv1.3 TLS_CHACHA20_POLY1305_SHA256", "Groups X25519\n" } },
		{ &adapter_lighttpd,
		  { "\"MinProtocol\" => \"TLSv1.3\"",
		    "\"Ciphersuites\" => \"TLS_CHACHA20_POLY1305_SHA256\"" } },
		{ &adapter_s_server,
		  { "-tls1_3 ", "-ciphersuites TLS_CHACHA20_POLY1305_SHA256 " } },
	};

	(void)state;
	prepare(TLS13);
	check(says, COUNT(says));
}

static void plain_has_no_tls(void **state)
{
	static const struct server_adapter *const those[] = { &adapter_nginx, &adapter_apache_event,
							      &adapter_lighttpd, &adapter_haproxy };

	(void)state;
	prepare("plain");
	for (size_t i = 0; i < COUNT(those); i++) {
		configure(those[i]);
		if (strstr(config, "c.pem") || strstr(config, "TLSv1") || strstr(config, " ssl "))
			fail_msg("%s", config);
		assert_null(strstr(buf_text(&job.settings), "ciphers="));
	}
}

static void haproxy_stands_in_front(void **state)
{
	static const struct says says[] = {
		{ &adapter_haproxy,
		  { "bind 127.0.0.1:1234\n", "server plain 127.0.0.1:4321\n", "nbthread 3\n",
		    "http-reuse always", "tune.ssl.cachesize 0\n", "tune.ssl.maxrecord 16384\n" } },
	};

	(void)state;
	prepare("plain");
	check(says, COUNT(says));
}

static void gzip_has_its_level(void **state)
{
	static const struct says request[] = {
		{ &adapter_nginx,
		  { "gzip on; gzip_comp_level 4;", "gzip_min_length 0;", "gzip_vary on;" } },
		{ &adapter_apache_event,
		  { "mod_deflate.so", "SetOutputFilter DEFLATE", "DeflateCompressionLevel 4" } },
		{ &adapter_lighttpd,
		  { "mod_deflate", "deflate.compression-level = 4", "( \"gzip\" )",
		    "min-compress-size = 0" } },
	};
	static const struct says once[] = {
		{ &adapter_nginx, { "gzip_static on;", "gzip off;" } },
		{ &adapter_apache_prefork, { "mod_rewrite.so", "Content-Encoding gzip" } },
		{ &adapter_lighttpd, { "deflate.cache-dir" } },
	};

	(void)state;
	prepare("plain");
	params.workload_params.level[APP_GZIP] = 4;
	check(request, COUNT(request));
	params.workload_params.compress_once = true;
	check(once, COUNT(once));
	configure(&adapter_nginx);
	read_into(config, sizeof config, "www/page/300/json.gz");
	assert_memory_equal(config, "\x1f\x8b", 2);
	params.workload_params.level[APP_GZIP] = 0;
	params.workload_params.compress_once = false;
	configure(&adapter_nginx);
	assert_non_null(strstr(config, "gzip off;"));
	configure(&adapter_apache_event);
	assert_null(strstr(config, "DEFLATE"));
}

static void other_codings_where_they_are(void **state)
{
	static const struct says br[] = {
		{ &adapter_apache_event,
		  { "SetOutputFilter BROTLI_COMPRESS", "BrotliCompressionQuality 7" } },
		{ &adapter_lighttpd, { "\"BROTLI_PARAM_QUALITY\" => 7", "( \"br\" )" } },
	};
	static const struct says zstd[] = {
		{ &adapter_lighttpd, { "\"ZSTD_c_compressionLevel\" => 7", "( \"zstd\" )" } },
	};
	int level_max;

	(void)state;
	if (compress_refuses(APP_BROTLI, &level_max) || compress_refuses(APP_ZSTD, &level_max))
		skip();
	prepare("plain");
	params.workload_params.level[APP_BROTLI] = 7;
	check(br, COUNT(br));
	params.workload_params.level[APP_BROTLI] = 0;
	params.workload_params.level[APP_ZSTD] = 7;
	check(zstd, COUNT(zstd));
}

static void connections_are_kept_or_closed(void **state)
{
	static const struct says kept[] = {
		{ &adapter_nginx, { "keepalive_timeout 3600;", "keepalive_requests 1000000000;" } },
		{ &adapter_apache_event, { "KeepAlive on", "MaxKeepAliveRequests 0\n" } },
		{ &adapter_lighttpd, { "max-keep-alive-requests = 65535" } },
	};
	static const struct says closed[] = {
		{ &adapter_nginx, { "keepalive_timeout 0;" } },
		{ &adapter_apache_event, { "KeepAlive off" } },
		{ &adapter_lighttpd, { "max-keep-alive-requests = 0\n" } },
		{ &adapter_haproxy, { "option httpclose" } },
	};

	(void)state;
	prepare("plain");
	check(kept, COUNT(kept));
	params.close_each = true;
	check(closed, COUNT(closed));
}

static void tickets_only_when_asked(void **state)
{
	static const struct says says[] = {
		{ &adapter_nginx, { "ssl_session_tickets on;" } },
		{ &adapter_apache_event, { "SSLSessionTickets on" } },
		{ &adapter_lighttpd, { "\"SessionTicket\"" } },
		{ &adapter_s_server, { "-num_tickets 2 " } },
	};

	(void)state;
	prepare(TLS13);
	params.tickets = 2;
	check(says, COUNT(says));
	assert_null(strstr(config, "-no_ticket"));
}

static void httpd_has_a_fixed_pool(void **state)
{
	static const struct says preset[] = {
		{ &adapter_apache_event,
		  { "StartServers 6\n", "ServerLimit 6\n", "ThreadsPerChild 25\n",
		    "MinSpareThreads 150\n" } },
		{ &adapter_apache_prefork, { "StartServers 150\n", "MinSpareServers 150\n" } },
	};
	static const struct says asked[] = {
		{ &adapter_apache_event, { "StartServers 2\n", "MaxRequestWorkers 50\n" } },
		{ &adapter_apache_prefork, { "StartServers 2\n", "MaxRequestWorkers 2\n" } },
	};

	(void)state;
	prepare("plain");
	check(preset, COUNT(preset));
	params.threads = 2;
	check(asked, COUNT(asked));
}

static void http2_has_its_streams(void **state)
{
	static const struct says asked[] = {
		{ &adapter_nginx,
		  { "listen 127.0.0.1:1234 ssl http2;", "http2_max_concurrent_streams 7;" } },
		{ &adapter_apache_event, { "Protocols h2 http/1.1", "H2MaxSessionStreams 7\n" } },
		{ &adapter_haproxy,
		  { "tune.h2.max-concurrent-streams 7\n", " alpn h2,http/1.1 " } },
	};
	static const struct says preset[] = {
		{ &adapter_nginx, { "http2_max_concurrent_streams 100;" } },
		{ &adapter_apache_event, { "H2MaxSessionStreams 100\n" } },
		{ &adapter_haproxy, { "tune.h2.max-concurrent-streams 100\n" } },
		{ &adapter_lighttpd, { "\"server.h2proto\" => \"enable\"" } },
	};

	(void)state;
	prepare(TLS13);
	params.cert_file = params.key_file = "/dev/null"; /* haproxy gets them in one file */
	params.http2 = true;
	check(preset, COUNT(preset));
	params.streams = 7;
	check(asked, COUNT(asked));
	params.http2 = false;
	for (size_t i = 0; i < COUNT(preset); i++) {
		configure(preset[i].a);
		if (strstr(config, preset[i].words[0]) || strstr(config, " 7;") ||
		    strstr(config, "h2,") || strstr(config, "streams 7"))
			fail_msg("%s", config);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tls12_is_pinned),
		cmocka_unit_test(only_the_group_that_is_asked),
		cmocka_unit_test(tls13_is_pinned),
		cmocka_unit_test(plain_has_no_tls),
		cmocka_unit_test(haproxy_stands_in_front),
		cmocka_unit_test(gzip_has_its_level),
		cmocka_unit_test(other_codings_where_they_are),
		cmocka_unit_test(connections_are_kept_or_closed),
		cmocka_unit_test(tickets_only_when_asked),
		cmocka_unit_test(httpd_has_a_fixed_pool),
		cmocka_unit_test(http2_has_its_streams),
	};

	return cmocka_run_group_tests(tests, NULL, tidy);
}
