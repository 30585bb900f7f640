/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runner_timeline_test - the key `timeline`, and what the runner asks of both nodes for it; the
 * nodes are played by a few lines.
 */
#include <errno.h>

#include "testbed/plan_fixture.h"
#include "testbed/runner.h"

#define CELLS 2
#define HEAD                                                                  \
	"campaign: c\nblocks: 1\ntimeline: 7\ncells:\n"                       \
	"  - suites: [plain]\n    payloads: [512B, 1KiB]\n    clients: [8]\n" \
	"    connections: [keepalive]\n    think: 1s\n"

struct played {
	char log[512];
	json_t *client; /* the last client's settings */
	const char *refused;
	int code; /* of the refusal */
};

static int call(void *data, enum runner_node who, json_t *request, int64_t silence_ns,
		json_t **reply, struct fail *f)
{
	struct played *p = data;
	const char *verb = json_string_value(json_object_get(request, "do"));
	size_t used = strlen(p->log);
	bool refused;

	(void)silence_ns;
	snprintf(p->log + used, sizeof(p->log) - used, "%s:%s ", runner_node_name[who], verb);
	if (json_object_get(request, "client")) {
		json_decref(p->client);
		p->client = json_incref(json_object_get(request, "client"));
	}
	if (reply)
		*reply = json_pack("{s:s, s:s, s:{s:i}}", "url", "http://127.0.0.1:80/", "psk", "",
				   "sample", "seen",
				   json_integer_value(json_object_get(request, "count")));
	refused = p->refused && !strcmp(verb, p->refused);
	if (refused)
		fail_set(f, p->code, "no %s here", verb);
	json_decref(request);
	return refused ? -1 : 0;
}

struct bench {
	struct plan plan;
	struct played played;
	struct runner runner;
	volatile sig_atomic_t signals;
	int64_t campaign;
};

static void open_bench(struct bench *b)
{
	static char path[96];
	struct fail f = { 0 };

	*b = (struct bench){ 0 };
	snprintf(path, sizeof(path), "%s/t.db", dir);
	b->plan = read_text(HEAD, NULL);
	assert_int_equal(b->plan.cells, CELLS);
	b->runner.plan = &b->plan;
	b->runner.signals = &b->signals;
	b->runner.world = (struct runner_world){ .data = &b->played, .call = call };
	b->runner.store = store_open(path, STORE_WRITE, &f);
	if (!b->runner.store)
		fail_msg("%s", f.text);
	b->campaign = runner_begin(&b->runner, "{}", &f);
	assert_true(b->campaign > 0);
}

static void close_bench(struct bench *b)
{
	static const char *const files[] = { "t.db", "t.db-wal", "t.db-shm", "t.db-lock" };
	char path[96];

	store_close(b->runner.store);
	free(b->runner.cell_id);
	json_decref(b->played.client);
	plan_release(&b->plan);
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		snprintf(path, sizeof(path), "%s/%s", dir, files[i]);
		unlink(path);
	}
}

static json_int_t asked(const struct bench *b, const char *key)
{
	return json_integer_value(json_object_get(b->played.client, key));
}

#define ROUND "server:prepare client:prepare client:timeline client:stop server:stop "

/* One client, full handshakes, so many requests, no thinking; and not twice. */
static void test_each_cell_once(void **state)
{
	struct buf text = { 0 };
	struct fail f = { 0 };
	struct bench b;

	(void)state;
	open_bench(&b);
	assert_int_equal(runner_timelines(&b.runner, &f), 0);
	assert_string_equal(b.played.log, ROUND ROUND);
	assert_int_equal(asked(&b, "clients"), 1);
	assert_int_equal(asked(&b, "count"), 7);
	assert_int_equal(asked(&b, "duration_ns"), 0);
	assert_string_equal(json_string_value(json_object_get(b.played.client, "connection")),
			    "full");
	assert_null(json_object_get(json_object_get(b.played.client, "settings"), "think"));
	for (int i = 0; i < CELLS; i++) {
		buf_clear(&text);
		assert_int_equal(store_get_timeline(b.runner.store, b.runner.cell_id[i], &text, &f),
				 1);
		assert_string_equal(buf_text(&text), "{\"seen\":7}");
	}
	assert_int_equal(runner_timelines(&b.runner, &f), 0);
	assert_string_equal(b.played.log, ROUND ROUND);
	buf_release(&text);
	close_bench(&b);
}

/* Who may not capture hears of it at the first cell, and no other one is tried. */
static void test_capture_refused(void **state)
{
	struct fail f = { 0 };
	struct bench b;

	(void)state;
	open_bench(&b);
	b.played.refused = "timeline";
	b.played.code = EREMOTEIO;
	assert_int_equal(runner_timelines(&b.runner, &f), -1);
	assert_non_null(strstr(f.text, "no timeline here"));
	assert_non_null(strstr(f.text, "plain/512B"));
	assert_string_equal(b.played.log, "server:prepare client:prepare client:timeline ");
	close_bench(&b);
}

/* A server that does not come up is its trials' matter; a node that is gone is not. */
static void test_server_refused(void **state)
{
	struct buf text = { 0 };
	struct fail f = { 0 };
	struct bench b;

	(void)state;
	open_bench(&b);
	b.played.refused = "prepare";
	b.played.code = EREMOTEIO;
	assert_int_equal(runner_timelines(&b.runner, &f), 0);
	assert_string_equal(b.played.log, "server:prepare client:stop server:stop "
					  "server:prepare client:stop server:stop ");
	assert_int_equal(store_get_timeline(b.runner.store, b.runner.cell_id[0], &text, &f), 0);
	b.played.code = EPIPE;
	assert_int_equal(runner_timelines(&b.runner, &f), -1);
	assert_int_equal(f.code, EPIPE);
	close_bench(&b);
}

static void test_signal(void **state)
{
	struct fail f = { 0 };
	struct bench b;

	(void)state;
	open_bench(&b);
	b.signals = 1;
	assert_int_equal(runner_timelines(&b.runner, &f), -1);
	assert_int_equal(f.code, EINTR);
	assert_string_equal(b.played.log, "");
	close_bench(&b);
}

static int read_key(const char *value, struct buf *errors)
{
	char text[256];
	struct plan p;
	int count;

	snprintf(text, sizeof(text), "campaign: c\n%s%s\ncells:\n  - suites: [plain]\n",
		 value ? "timeline: " : "", value ? value : "");
	write_text(file, text);
	buf_clear(errors);
	if (plan_read(&p, file, NULL, errors))
		return -1;
	count = p.timeline;
	plan_release(&p);
	return count;
}

static void test_the_key(void **state)
{
	static const char *const wrong[] = { "maybe", "0", "1001", "-3", "5s" };
	struct buf errors = { 0 };

	(void)state;
	assert_int_equal(read_key("true", &errors), 20);
	assert_int_equal(read_key("7", &errors), 7);
	assert_int_equal(read_key("false", &errors), 0);
	assert_int_equal(read_key(NULL, &errors), 0);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		assert_int_equal(read_key(wrong[i], &errors), -1);
		assert_non_null(strstr(buf_text(&errors), "c.yaml:2:"));
		assert_non_null(strstr(buf_text(&errors), "from 1 to 1000"));
	}
	buf_release(&errors);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_key),         cmocka_unit_test(test_each_cell_once),
		cmocka_unit_test(test_capture_refused), cmocka_unit_test(test_server_refused),
		cmocka_unit_test(test_signal),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
