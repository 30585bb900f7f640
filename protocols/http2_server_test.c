/* SPDX-License-Identifier: Apache-2.0 */
/* http2_server_test - what a server makes of peers that ask too much, or wrongly. */
#include "protocols/http2_raw.h"

static const struct app_limits limits = { .body_bytes = 64, .streams = 3, .resets = 20 };

static void one_stream_too_many_is_refused(void **state)
{
	const uint8_t *settings;
	struct raw r;
	bool announced = false;

	(void)state;
	raw_open(&r, APP_SERVER, limits);
	r.stays_unanswered = true;
	raw_run(&r);
	settings = raw_sent(&r, SETTINGS, 0);
	assert_non_null(settings);
	/* The acknowledgement came after it, and is empty: look at the first frame. */
	for (int i = 0; i < 4; i++) {
		const uint8_t *entry = (const uint8_t *)r.out.data + 9 + i * 6;

		announced |= entry[1] == 3 && raw_u32(entry + 2) == 3;
	}
	assert_true(announced);
	raw_frame(&r, SETTINGS, ACK, 0, "", 0);
	for (uint32_t id = 1; id <= 9; id += 2)
		raw_head(&r, END_STREAM | END_HEADERS, id, GET, NULL, NULL);
	assert_string_equal(raw_run(&r), "1:REQUEST 3:REQUEST 5:REQUEST ");
	assert_int_equal(raw_code(&r, 7), REFUSED_STREAM);
	assert_int_equal(raw_code(&r, 9), REFUSED_STREAM);
	assert_int_equal(raw_code(&r, 0), -1);
	/* The open ones finish, and then there is room again. */
	raw_answer(&r, 3);
	assert_string_equal(raw_run(&r), "3:SENT ");
	raw_head(&r, END_STREAM | END_HEADERS, 11, GET, NULL, NULL);
	assert_string_equal(raw_run(&r), "11:REQUEST ");
	raw_answer(&r, 11);
	raw_answer(&r, 1);
	raw_answer(&r, 5);
	assert_string_equal(raw_run(&r), "1:SENT 5:SENT 11:SENT ");
	raw_close(&r);
}

static void rapid_resets_end_the_association(void **state)
{
	int shown = 0;
	struct raw r;

	(void)state;
	raw_open(&r, APP_SERVER, limits);
	r.stays_unanswered = true;
	for (uint32_t id = 1; id < 200000; id += 2) {
		raw_head(&r, END_STREAM | END_HEADERS, id, GET, NULL, NULL);
		raw_number(&r, RST_STREAM, id, CANCEL);
	}
	for (const char *e = raw_run(&r); (e = strstr(e, "RESET")); e++)
		shown++;
	/* The one beyond the limit ends it all. */
	assert_int_equal(shown, limits.resets + 1);
	assert_non_null(strstr(buf_text(&r.events), "FAILED"));
	assert_int_equal(raw_code(&r, 0), ENHANCE_YOUR_CALM);
	assert_true(app_http2.finished(&r.app));
	raw_close(&r);
}

static void resets_among_answers_are_no_attack(void **state)
{
	struct raw r;

	(void)state;
	raw_open(&r, APP_SERVER, limits);
	for (uint32_t id = 1; id < 4000; id += 4) {
		raw_head(&r, END_STREAM | END_HEADERS, id, GET, NULL, NULL);
		raw_head(&r, END_HEADERS, id + 2, POST, NULL, NULL);
		raw_number(&r, RST_STREAM, id + 2, CANCEL);
		assert_non_null(strstr(raw_run(&r), ":SENT"));
	}
	assert_int_equal(raw_code(&r, 0), -1);
	assert_false(app_http2.finished(&r.app));
	raw_close(&r);
}

/* Streams that make the server itself reset them count too. */
static void provoked_resets_end_the_association(void **state)
{
	struct raw r;

	(void)state;
	raw_open(&r, APP_SERVER, limits);
	r.stays_unanswered = true;
	for (uint32_t id = 1; id < 200; id += 2) {
		raw_head(&r, END_STREAM | END_HEADERS, id, GET, NULL, NULL);
		raw_number(&r, WINDOW_UPDATE, id, 0x7fffffff);
		raw_run(&r);
	}
	assert_int_equal(raw_code(&r, 1), FLOW_CONTROL_ERROR);
	assert_int_equal(raw_code(&r, 0), ENHANCE_YOUR_CALM);
	assert_true(app_http2.finished(&r.app));
	raw_close(&r);
}

static void a_reset_tells_the_shell_to_forget(void **state)
{
	struct raw r;

	(void)state;
	raw_open(&r, APP_SERVER, limits);
	r.stays_unanswered = true;
	raw_head(&r, END_STREAM | END_HEADERS, 1, GET, NULL, NULL);
	raw_run(&r);
	raw_number(&r, RST_STREAM, 1, CANCEL);
	assert_string_equal(raw_run(&r), "1:RESET(8) ");
	assert_int_equal(app_http2.respond(&r.app,
					   &(struct app_response){ .status = 200, .stream = 1 }),
			 -1);
	assert_int_equal(r.app.fail.code, 0);
	raw_close(&r);
}

static void other_protocols_fail_cleanly(void **state)
{
	static const char *const hellos[] = { "GET / HTTP/1.1\r\nHost: h\r\n\r\n",
					      "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
					      "PRI * HTTP/2.0\r\n\r\nSM\r\n\r.........." };
	struct raw r;

	(void)state;
	for (size_t i = 0; i < sizeof hellos / sizeof *hellos; i++) {
		raw_open(&r, APP_SERVER, limits);
		buf_clear(&r.in);
		buf_puts(&r.in, hellos[i]);
		assert_string_equal(raw_run(&r), "0:FAILED ");
		assert_non_null(strstr(r.app.fail.text, "preface"));
		assert_true(app_http2.finished(&r.app));
		/* And it can be used again. */
		app_http2.reset(&r.app);
		buf_puts(&r.in, PREFACE);
		raw_frame(&r, SETTINGS, 0, 0, "", 0);
		raw_head(&r, END_STREAM | END_HEADERS, 1, GET, NULL, NULL);
		assert_string_equal(raw_run(&r), "1:REQUEST 1:SENT ");
		raw_close(&r);
	}
}

static void floods_end_the_association(void **state)
{
	static const int kinds[] = { PING, SETTINGS };
	struct raw r;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		raw_open(&r, APP_SERVER, limits);
		for (int n = 0; n < 2000; n++)
			raw_frame(&r, kinds[i], 0, 0, "12345678", kinds[i] == PING ? 8 : 0);
		assert_string_equal(raw_run(&r), "0:FAILED ");
		assert_true(app_http2.finished(&r.app));
		raw_close(&r);
	}
	/* The same number, answered in time, is none. */
	raw_open(&r, APP_SERVER, limits);
	for (int n = 0; n < 2000; n++) {
		raw_frame(&r, PING, 0, 0, "12345678", 8);
		assert_string_equal(raw_run(&r), "");
	}
	raw_close(&r);
}

static void endless_heads_end_the_association(void **state)
{
	static const char field[] = "\x00\x01x\x01y";
	struct raw r;

	(void)state;
	raw_open(&r, APP_SERVER, limits);
	raw_head(&r, END_STREAM, 1, GET, NULL, NULL);
	for (int n = 0; n < 100; n++)
		raw_frame(&r, CONTINUATION, 0, 1, field, sizeof field - 1);
	assert_string_equal(raw_run(&r), "0:FAILED ");
	assert_true(app_http2.finished(&r.app));
	raw_close(&r);
}

static void bodies_are_limited(void **state)
{
	static const char zeros[128];
	struct raw r;

	(void)state;
	raw_open(&r, APP_SERVER, limits);
	raw_head(&r, END_HEADERS, 1, POST, NULL, NULL);
	raw_frame(&r, DATA, END_STREAM, 1, zeros, 64);
	assert_string_equal(raw_run(&r), "1:REQUEST(64) 1:SENT ");
	raw_head(&r, END_HEADERS, 3, POST, NULL, NULL);
	raw_frame(&r, DATA, END_STREAM, 3, zeros, 65);
	assert_string_equal(raw_run(&r), "3:RESET(413) ");
	/* Declared is enough; the client is told to stop, and what comes is dropped. */
	raw_head(&r, END_HEADERS, 5, POST, "content-length", "65");
	assert_string_equal(raw_run(&r), "5:RESET(413) ");
	assert_int_equal(raw_code(&r, 5), NO_ERROR);
	raw_frame(&r, DATA, END_STREAM, 5, zeros, 65);
	assert_string_equal(raw_run(&r), "");
	/* Requests that are refused with an answer are no attack. */
	for (uint32_t id = 101; id < 101 + 4 * limits.resets; id += 2) {
		raw_head(&r, END_HEADERS, id, POST, "content-length", "65");
		raw_run(&r);
	}
	assert_int_equal(raw_code(&r, 0), -1);
	/* Not what was declared. */
	raw_head(&r, END_HEADERS, 207, POST, "content-length", "5");
	raw_frame(&r, DATA, END_STREAM, 207, zeros, 4);
	assert_string_equal(raw_run(&r), "");
	assert_int_equal(raw_code(&r, 207), PROTOCOL_ERROR);
	/* Trailers. */
	raw_head(&r, END_HEADERS, 209, POST, "trailer", "x");
	raw_frame(&r, DATA, 0, 209, zeros, 4);
	raw_head(&r, END_STREAM | END_HEADERS, 209, "", "content-type", "y");
	assert_string_equal(raw_run(&r), "209:REQUEST(4) 209:SENT ");
	raw_close(&r);
}

static void all_bodies_together_are_limited(void **state)
{
	static const char zeros[64];
	struct app_limits many = limits;
	int full = 0, refused = 0;
	struct raw r;

	(void)state;
	many.streams = 100;
	raw_open(&r, APP_SERVER, many);
	r.stays_unanswered = true;
	for (uint32_t id = 1; id < 40; id += 2) {
		raw_head(&r, END_HEADERS, id, POST, NULL, NULL);
		raw_frame(&r, DATA, END_STREAM, id, zeros, sizeof zeros);
		full += strstr(raw_run(&r), "REQUEST(64)") != NULL;
		refused += strstr(buf_text(&r.events), "RESET(503)") != NULL;
	}
	assert_int_equal(full, 8);
	assert_int_equal(refused, 12);
	/* Room comes back with each answer. */
	raw_answer(&r, 1);
	raw_run(&r);
	raw_head(&r, END_HEADERS, 41, POST, NULL, NULL);
	raw_frame(&r, DATA, END_STREAM, 41, zeros, sizeof zeros);
	assert_string_equal(raw_run(&r), "41:REQUEST(64) ");
	raw_close(&r);
}

static void broken_frames_end_the_association(void **state)
{
	struct raw r;

	(void)state;
	raw_open(&r, APP_SERVER, limits);
	raw_head(&r, END_STREAM | END_HEADERS, 2, GET, NULL, NULL); /* an even stream */
	raw_head(&r, END_STREAM | END_HEADERS, 3, GET, NULL, NULL);
	assert_string_equal(raw_run(&r), "0:FAILED ");
	assert_int_equal(raw_code(&r, 0), PROTOCOL_ERROR);
	assert_non_null(strstr(r.app.fail.text, "PROTOCOL_ERROR"));
	assert_true(app_http2.finished(&r.app));
	raw_close(&r);
}

static void a_peer_that_leaves_is_no_failure(void **state)
{
	struct raw r;

	(void)state;
	raw_open(&r, APP_SERVER, limits);
	r.stays_unanswered = true;
	raw_head(&r, END_STREAM | END_HEADERS, 1, GET, NULL, NULL);
	raw_head(&r, END_HEADERS, 3, POST, NULL, NULL);
	raw_run(&r);
	app_http2.end(&r.app);
	assert_string_equal(raw_run(&r), "");
	assert_false(app_http2.finished(&r.app));
	raw_answer(&r, 1);
	assert_string_equal(raw_run(&r), "1:SENT ");
	assert_true(app_http2.finished(&r.app));
	raw_close(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_stream_too_many_is_refused),
		cmocka_unit_test(rapid_resets_end_the_association),
		cmocka_unit_test(resets_among_answers_are_no_attack),
		cmocka_unit_test(provoked_resets_end_the_association),
		cmocka_unit_test(a_reset_tells_the_shell_to_forget),
		cmocka_unit_test(other_protocols_fail_cleanly),
		cmocka_unit_test(floods_end_the_association),
		cmocka_unit_test(endless_heads_end_the_association),
		cmocka_unit_test(bodies_are_limited),
		cmocka_unit_test(all_bodies_together_are_limited),
		cmocka_unit_test(broken_frames_end_the_association),
		cmocka_unit_test(a_peer_that_leaves_is_no_failure),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
