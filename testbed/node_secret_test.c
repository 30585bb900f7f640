/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node_secret_test - pre-shared keys and clients' certificates on their way from the server's node
 * to the load generator: made for one trial, handed to both children, in no file, and gone
 * with the trial.
 *
 * The test program is its own cipherwatt: as `node_secret_test serve` it says what it was given.
 */
#include <ftw.h>
#include <sys/stat.h>

#include "ciphers/engine.h"
#include "lib/base64.h"
#include "testbed/node_bench.h"

#define PSK_SUITE "tls1.2:ECDHE-PSK-CHACHA20-POLY1305:p256:psk"
#define P256      "tls1.3:AES128-GCM-SHA256:x25519:p256"
#define PSK_WORD  "--psk-file="

static const char *find_word(int argc, char *const argv[], const char *start)
{
	for (int i = 1; i < argc; i++)
		if (!strncmp(argv[i], start, strlen(start)))
			return argv[i] + strlen(start);
	return NULL;
}

static char *text_at(const char *path)
{
	struct buf text = { 0 };
	struct fail f = { 0 };
	char *copy;

	if (path_read(path, 100000, &text, &f))
		return NULL;
	copy = strdup(buf_text(&text));
	buf_release(&text);
	return copy;
}

/* Its counters: the keys and the CA that it was given. */
static int play_server(int argc, char **argv)
{
	const char *file = find_word(argc, argv, PSK_WORD), *ca;
	char *keys = file ? text_at(file) : NULL;
	json_t *all;
	char line[64];

	ca = find_word(argc, argv, "--client-ca=");
	printf("listening on https://0.0.0.0:4433/\n");
	fflush(stdout);
	all = json_pack("{s:[], s:s?, s:s?}", "ca_files", "psk", keys, "client_ca", ca);
	while (fgets(line, sizeof(line), stdin)) {
		json_dumpf(all, stdout, JSON_COMPACT);
		printf("\n");
		fflush(stdout);
	}
	json_decref(all);
	free(keys);
	return 0;
}

static json_t *ask_server(struct node_session *n, const char *suite, bool psk, bool mutual)
{
	json_t *request =
		json_pack("{s:i, s:s, s:{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:i, s:s, s:b, "
			  "s:b, s:{s:s}}}",
			  "id", 2, "do", "prepare", "server", "adapter", "builtin", "listen",
			  "127.0.0.1", "address", "127.0.0.1", "suite", suite, "engine", "openssl",
			  "workload", "page", "payload_kind", "json", "cpus", "", "payload_bytes",
			  512, "encoding", "identity", "close_each", false, "psk", psk, "settings",
			  "mutual", mutual ? "true" : "false");
	char *line = json_dumps(request, JSON_COMPACT);
	json_t *answer = tell(n, line);

	if (!json_is_true(json_object_get(answer, "ok")))
		fail_msg("%s", json_string_value(json_object_get(answer, "error")));
	free(line);
	json_decref(request);
	return answer;
}

static const char *text_of(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));

	return text ? text : "";
}

/* client=BASE64 of 16 bytes, another one each time; and the server has just it. */
static void a_key_of_each_trial(void **state)
{
	struct node_session *n = new_node();
	char first[64] = "";

	(void)state;
	for (int i = 0; i < 2; i++) {
		json_t *answer = ask_server(n, PSK_SUITE, true, false);
		const char *psk = text_of(answer, "psk");
		struct buf key = { 0 };
		const char *base64 = strchr(psk, '=');
		struct fail f = { 0 };

		assert_non_null(base64);
		assert_int_equal(strncmp(psk, "client=", 7), 0);
		assert_int_equal(base64_decode(base64 + 1, strcspn(base64 + 1, "\n"), &key, &f), 0);
		assert_int_equal(key.len, 16);
		assert_string_equal(psk + strlen(psk) - 1, "\n");
		assert_string_not_equal(psk, first);
		assert_string_equal(text_of(n->counters_before, "psk"), psk);
		snprintf(first, sizeof(first), "%s", psk);
		buf_release(&key);
		json_decref(answer);
		expect_ok(n, "{\"id\":9,\"do\":\"stop\"}");
		assert_int_equal(n->psk_fd, -1);
	}
	node_session_free(n);
}

static void no_key_where_none_is_asked(void **state)
{
	struct node_session *n = new_node();
	json_t *answer = ask_server(n, P256, false, false);

	(void)state;
	assert_string_equal(text_of(answer, "psk"), "");
	assert_string_equal(text_of(answer, "client_pem"), "");
	assert_string_equal(text_of(n->counters_before, "psk"), "");
	assert_string_equal(text_of(n->counters_before, "client_ca"), "");
	assert_int_equal(n->psk_fd, -1);
	json_decref(answer);
	node_session_free(n);
}

/* Certificate and key travel together; the server has the CA of the same. */
static void a_certificate_that_clients_show(void **state)
{
	struct node_session *n = new_node();
	json_t *answer;
	struct stat s;

	(void)state;
	if (!engine_by_name("openssl")) {
		node_session_free(n);
		skip();
	}
	answer = ask_server(n, P256, false, true);
	assert_non_null(strstr(text_of(answer, "client_pem"), "-----BEGIN CERTIFICATE-----"));
	assert_non_null(strstr(text_of(answer, "client_pem"), "PRIVATE KEY-----"));
	assert_int_equal(stat(text_of(n->counters_before, "client_ca"), &s), 0);
	json_decref(answer);
	node_session_free(n);
}

static void ask_client(struct node_session *n, const char *suite, const char *client_pem,
		       const char *psk)
{
	json_t *request = json_pack("{s:i, s:s, s:{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, "
				    "s:s, s:i, s:i, s:i, s:i, "
				    "s:i, s:s, s:{}}}",
				    "id", 3, "do", "prepare", "client", "url",
				    "https://127.0.0.1:4433/", "suite", suite, "engine", "openssl",
				    "ca_pem", "", "client_pem", client_pem, "psk", psk, "workload",
				    "page", "server_name", "localhost", "connection", "full",
				    "cpus", "", "clients", 2, "timeout_ns", 1, "warmup_ns", 1,
				    "duration_ns", 1, "count", 0, "accept", "identity", "settings");
	char *line = json_dumps(request, JSON_COMPACT);

	expect_ok(n, line);
	free(line);
	json_decref(request);
}

/* What a word's file says, to this process and so to its children; and only to this user. */
static void expect_file(const struct node_session *n, const char *word, const char *want)
{
	const char *path = find_word(n->load_argv.count, n->load_argv.word, word);
	struct stat s;
	char *text;

	assert_non_null(path);
	assert_int_equal(stat(path, &s), 0);
	assert_int_equal(s.st_mode & 0777, 0600);
	assert_int_equal(s.st_nlink, 0); /* it has no name */
	for (int i = 0; i < 2; i++) {    /* opened anew, it is read from its start */
		text = text_at(path);
		assert_string_equal(text, want);
		free(text);
	}
}

static void the_load_generator_has_both(void **state)
{
	struct node_session *n = new_node();

	(void)state;
	ask_client(n, PSK_SUITE, "", "client=MTIz\n");
	expect_file(n, PSK_WORD, "client=MTIz\n");
	assert_null(find_word(n->load_argv.count, n->load_argv.word, "--cert="));
	expect_ok(n, "{\"id\":9,\"do\":\"stop\"}");
	ask_client(n, P256, "certificate and key", "");
	expect_file(n, "--cert=", "certificate and key");
	expect_file(n, "--key=", "certificate and key");
	assert_null(find_word(n->load_argv.count, n->load_argv.word, PSK_WORD));
	expect_ok(n, "{\"id\":9,\"do\":\"stop\"}");
	assert_int_equal(n->own_fd, -1);
	ask_client(n, "plain", "", "");
	assert_null(find_word(n->load_argv.count, n->load_argv.word, PSK_WORD));
	assert_null(find_word(n->load_argv.count, n->load_argv.word, "--cert="));
	node_session_free(n);
}

/* --- a cache of its own ------------------------------------------------------- */

static char cache[] = "/tmp/cipherwatt-secret-XXXXXX";

static int make_cache(void **state)
{
	(void)state;
	return mkdtemp(cache) ? setenv("XDG_CACHE_HOME", cache, 1) : -1;
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *where)
{
	(void)s;
	(void)kind;
	(void)where;
	return remove(path);
}

static int remove_cache(void **state)
{
	(void)state;
	return nftw(cache, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_key_of_each_trial),
		cmocka_unit_test(no_key_where_none_is_asked),
		cmocka_unit_test(a_certificate_that_clients_show),
		cmocka_unit_test(the_load_generator_has_both),
	};

	if (argc > 1 && !strcmp(argv[1], "serve"))
		return play_server(argc, argv);
	if (!find_own())
		return 1;
	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, make_cache, remove_cache);
}
