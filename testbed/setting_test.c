/* SPDX-License-Identifier: Apache-2.0 */
/*
 * setting_test - the table of settings against the options of the two programs, and values
 * through reading, words, parameters and the record.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "testbed/commands.h"
#include "testbed/plan.h"

static bool has_option(const struct command *c, const char *name)
{
	for (const struct opt *o = c->usage.options; o->name; o++)
		if (!strcmp(o->name, name))
			return true;
	return false;
}

static void every_row_has_its_options_a_help_and_a_name_of_its_own(void **state)
{
	(void)state;
	assert_true(settings_count() <= SETTINGS_MAX);
	for (int i = 0; i < settings_count(); i++) {
		const struct setting *s = &setting_rows[i];
		char text[SETTING_TEXT_BYTES];
		struct fail f = { 0 };

		if (s->option[SETTING_SERVE] && !has_option(&cmd_serve, s->option[SETTING_SERVE]))
			fail_msg("%s: serve has no --%s", s->key, s->option[SETTING_SERVE]);
		if (s->option[SETTING_LOAD] && !has_option(&cmd_load, s->option[SETTING_LOAD]))
			fail_msg("%s: load has no --%s", s->key, s->option[SETTING_LOAD]);
		assert_true(s->option[SETTING_SERVE] || s->option[SETTING_LOAD] || s->values);
		assert_true(strlen(setting_help(s)) > 0);
		assert_int_equal(setting_index(s->key), i);
		for (int j = 0; j < i; j++)
			assert_string_not_equal(setting_rows[j].field, s->field);
		if (s->preset && setting_read(s, s->preset, text, &f))
			fail_msg("%s: %s", s->key, f.text);
		if (s->preset)
			assert_string_equal(text, s->preset);
	}
	assert_int_equal(setting_index("nothing"), -1);
}

/* As a campaign writes it, canonical, the words for both, and in the record. */
static const struct {
	const char *key, *written, *text, *serve, *load, *record;
} good[] = {
	{ "http", "2", "2", "--http=2", "--http=2", "\"2\"" },
	{ "streams", "10", "10", "--streams=10", "--streams=10", "10" },
	{ "window", "65536", "64KiB", "--window=64KiB", "--window=64KiB", "65536" },
	{ "resumption", "ticket", "ticket", NULL, "--resumption=ticket", "\"ticket\"" },
	{ "resumption", "psk13", "psk13", NULL, "--resumption=ticket", "\"psk13\"" },
	{ "resumption", "session-id", "session-id", "--session-ids", "--resumption=session-id",
	  "\"session-id\"" },
	{ "tickets", "3", "3", "--tickets=3", NULL, "3" },
	{ "rate", "2.50", "2.5", NULL, "--rate=2.5", "2.5" },
	{ "think", "1000ms", "1s", NULL, "--think=1s", "1000000000" },
	{ "think", "1500us", "1500us", NULL, "--think=1500us", "1500000" },
	{ "think", "0", "0", NULL, "--think=0", "0" },
	{ "upload_rate", "2kB/s", "2kB/s", NULL, "--upload-rate=2kB/s", "2000" },
	{ "record_size", "4096B", "4KiB", "--record-size=4KiB", "--record-size=4KiB", "4096" },
	{ "early_data", "1024", "1KiB", "--early-data=1KiB", "--early-data", "1024" },
	{ "early_data", "0", "0B", "--early-data=0B", NULL, "0" },
	{ "protocol", "coap", "coap", NULL, NULL, "\"coap\"" },
	{ "access.durability", "each", "each", "--durability=each", NULL, "\"each\"" },
	{ "access.users", "10", "10", "--access-users=10", "--access-users=10", "10" },
	{ "driver", "ab", "ab", NULL, "--driver=ab", "\"ab\"" },
};

static void check_word(const struct setting *s, enum setting_side side, const char *text,
		       const char *expected)
{
	struct buf word = { 0 };

	assert_int_equal(setting_word(s, side, text, &word), expected != NULL);
	assert_string_equal(buf_text(&word), expected ? expected : "");
	buf_release(&word);
}

static void a_value_is_said_everywhere_in_its_own_way(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		const struct setting *s = &setting_rows[setting_index(good[i].key)];
		char text[SETTING_TEXT_BYTES], *json;
		struct fail f = { 0 };
		json_t *value;

		if (setting_read(s, good[i].written, text, &f))
			fail_msg("%s: %s", good[i].key, f.text);
		assert_string_equal(text, good[i].text);
		check_word(s, SETTING_SERVE, text, good[i].serve);
		check_word(s, SETTING_LOAD, text, good[i].load);
		value = setting_json(s, text);
		json = json_dumps(value, JSON_ENCODE_ANY);
		assert_string_equal(json, good[i].record);
		free(json);
		json_decref(value);
	}
}

static void store(const char *key, enum setting_side side, const char *text, void *params)
{
	setting_store(&setting_rows[setting_index(key)], side, text, params);
}

static void a_value_becomes_a_parameter(void **state)
{
	struct server_params s = { 0 };
	struct load_params l = { 0 };

	(void)state;
	store("http", SETTING_SERVE, "2", &s);
	store("tickets", SETTING_SERVE, "3", &s);
	store("resumption", SETTING_SERVE, "session-id", &s);
	store("record_size", SETTING_SERVE, "4KiB", &s);
	assert_true(s.http2);
	assert_true(s.session_ids);
	assert_int_equal(s.tickets, 3);
	assert_int_equal(s.record_bytes, 4096);
	store("resumption", SETTING_SERVE, "psk13", &s);
	assert_false(s.session_ids);
	store("rate", SETTING_LOAD, "2.5", &l);
	store("arrivals", SETTING_LOAD, "poisson", &l);
	store("think", SETTING_LOAD, "1500us", &l);
	store("download_rate", SETTING_LOAD, "2kB/s", &l);
	store("resumption", SETTING_LOAD, "session-id", &l);
	assert_true(l.rate_per_s == 2.5);
	assert_int_equal(l.arrivals, ARRIVAL_POISSON);
	assert_int_equal(l.think_ns, 1500000);
	assert_int_equal(l.download_bytes_per_s, 2000);
	assert_int_equal(l.resumption, RESUMPTION_SESSION_ID);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_has_its_options_a_help_and_a_name_of_its_own),
		cmocka_unit_test(a_value_is_said_everywhere_in_its_own_way),
		cmocka_unit_test(a_value_becomes_a_parameter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
