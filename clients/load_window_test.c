/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_window_test - what belongs to the window and what does not: warm-up, count, duration,
 * drain, a stop, and that nothing is allocated while it is open.
 */
#include <stdlib.h>

#include "clients/load_testing.h"
#include "lib/usage.h"

static void note_phase(void *data, enum load_phase phase, int64_t at_ns)
{
	int64_t *at = data;
	assert_int_equal(at[phase], 0);
	at[phase] = at_ns;
}

static void phases_by_duration(void **state)
{
	(void)state;
	static struct fake server;
	int64_t at[LOAD_PHASES] = { 0 };
	struct run run;
	fake_start(&server, FAKE_NORMAL);
	prepare(&run, server.port);
	run.p.count = 0;
	run.p.duration_ns = 100 * MS;
	run.p.warmup_ns = 50 * MS;
	run.p.on_phase = note_phase;
	run.p.data = at;
	while (usage_thread_cpu_ns() < 200 * MS)
		; /* CPU time before the window must not be in it */
	go(&run);
	assert_int_equal(at[LOAD_WINDOW], run.r.window_from_ns);
	assert_int_equal(at[LOAD_DRAIN], run.r.window_to_ns);
	assert_true(at[LOAD_WINDOW] - at[LOAD_WARMUP] >= 50 * MS);
	assert_true(run.r.window_to_ns - run.r.window_from_ns >= 100 * MS);
	assert_true(run.r.complete);
	/* Associations and some requests belong to the warm-up alone. */
	assert_int_equal(run.r.total.connects, 2);
	assert_int_equal(run.r.window.connects, 0);
	assert_int_equal(run.r.handshake.count, 0);
	assert_true(run.r.total.succeeded > run.r.window.succeeded);
	assert_int_equal(run.r.total.started, atomic_load(&server.requests));
	/* A client at each edge. */
	assert_true(llabs((long long)(run.r.window.completed - run.r.window.succeeded)) <= 2);
	assert_int_equal(run.r.window.in_flight, 0); /* the drain is long enough for this server */
	assert_true(run.r.cpu_ns > 0 && run.r.cpu_ns <= run.r.window_to_ns - run.r.window_from_ns);
	load_result_release(&run.r);
	fake_stop(&server);
}

/* --- memory --------------------------------------------------------------- */

#if defined(__SANITIZE_ADDRESS__) || !defined(__GLIBC__)
#define COUNTS_ALLOCATIONS 0
#else
#define COUNTS_ALLOCATIONS 1
static _Thread_local bool counting;
static _Thread_local int allocations;

/* The C library's own entry: this program's malloc() only adds a count, per thread. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
	allocations += counting;
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	allocations += counting;
	return __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
	allocations += counting;
	return __libc_realloc(old, size);
}

static void count_in_window(void *data, enum load_phase phase, int64_t at_ns)
{
	(void)data;
	(void)at_ns;
	counting = phase == LOAD_WINDOW;
}
#endif

static void nothing_is_allocated_in_the_window(void **state)
{
	(void)state;
#if COUNTS_ALLOCATIONS
	static const enum fake_way ways[] = { FAKE_NORMAL, FAKE_CLOSES_UNSAID, FAKE_ERROR,
					      FAKE_CHUNKED };
	for (int i = 0; i < 8; i++) {
		static struct fake server;
		struct run run;
		fake_start(&server, ways[i / 2]);
		prepare(&run, server.port);
		run.p.connection = (enum connection_mode)(i % 2);
		run.p.warmup_ns = 10 * MS;
		run.p.count = 200;
		run.p.on_phase = count_in_window;
		allocations = 0;
		go(&run);
		counting = false;
		assert_int_equal(run.status, 0);
		/* The event library doubles its arrays a few times; requests cost nothing. */
		assert_in_range(allocations, 0, 8);
		load_result_release(&run.r);
		fake_stop(&server);
	}
#else
	skip(); /* a sanitizer has malloc() for itself */
#endif
}

static void count_is_exact_behind_a_warm_up(void **state)
{
	(void)state;
	static struct fake server;
	struct run run;
	fake_start(&server, FAKE_CLOSES_UNSAID);
	prepare(&run, server.port);
	run.p.warmup_ns = 20 * MS;
	run.p.count = 37;
	run.p.clients = 5;
	go(&run);
	assert_int_equal(run.r.window.started, 37);
	assert_int_equal(run.r.window.succeeded, 37);
	assert_int_equal(run.r.window.completed, 37);
	load_result_release(&run.r);
	fake_stop(&server);
}

/* Due in the window and over in the drain: no work that the window's CPU time did. */
static void completed_is_what_ended_in_the_window(void **state)
{
	(void)state;
	static struct fake server;
	struct run run;
	fake_start(&server, FAKE_SLOW);
	prepare(&run, server.port);
	run.p.count = 0;
	run.p.duration_ns = 1 * MS; /* the server takes several */
	go(&run);
	assert_int_equal(run.r.window.succeeded, 2);
	assert_int_equal(run.r.window.completed, 0);
	load_result_release(&run.r);
	prepare(&run, server.port);
	go(&run);
	assert_int_equal(run.r.window.completed, 20); /* by count */
	load_result_release(&run.r);
	fake_stop(&server);
}

static void in_flight_is_said(void **state)
{
	(void)state;
	static struct fake server;
	struct run run;
	char text[256];
	fake_start(&server, FAKE_SILENT);
	prepare(&run, server.port);
	run.p.count = 0;
	run.p.duration_ns = 10 * MS;
	go(&run);
	assert_int_equal(run.r.window.started, 2);
	assert_int_equal(run.r.window.in_flight, 2);
	run.r.window.succeeded = run.r.window.started = 50; /* the verdict about in flight alone */
	assert_non_null(load_verdict(&run.p, &run.r, text));
	assert_non_null(strstr(text, "in flight"));
	load_result_release(&run.r);
	fake_stop(&server);
}

static void stop_flag_ends_it(void **state)
{
	(void)state;
	static struct fake server;
	struct run run;
	const volatile int stop = 1;
	char text[256];
	fake_start(&server, FAKE_NORMAL);
	prepare(&run, server.port);
	run.p.count = 0;
	run.p.duration_ns = 60000 * MS;
	run.p.stop = &stop;
	go(&run);
	assert_false(run.r.complete);
	assert_true(run.r.window.succeeded > 0);
	assert_non_null(load_verdict(&run.p, &run.r, text));
	assert_non_null(strstr(text, "interrupted"));
	load_result_release(&run.r);
	fake_stop(&server);
}

static void worsen(void *data, enum load_phase phase, int64_t at_ns)
{
	struct fake *server = data;
	(void)at_ns;
	if (phase == LOAD_WINDOW)
		server->way = FAKE_ERROR;
}

/* What went wrong before the window does not hide what went wrong in it. */
static void failures_of_the_window_are_told_first(void **state)
{
	(void)state;
	static struct fake server;
	struct run run;
	fake_start(&server, FAKE_GARBAGE);
	prepare(&run, server.port);
	run.p.count = 0;
	run.p.duration_ns = 100 * MS;
	run.p.warmup_ns = 50 * MS;
	run.p.on_phase = worsen;
	run.p.data = &server;
	go(&run);
	assert_true(run.r.total.failed > run.r.window.failed && run.r.window.failed > 0);
	assert_non_null(strstr(run.r.first_failure, "status 500"));
	load_result_release(&run.r);
	fake_stop(&server);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(phases_by_duration),
		cmocka_unit_test(nothing_is_allocated_in_the_window),
		cmocka_unit_test(count_is_exact_behind_a_warm_up),
		cmocka_unit_test(completed_is_what_ended_in_the_window),
		cmocka_unit_test(in_flight_is_said),
		cmocka_unit_test(stop_flag_ends_it),
		cmocka_unit_test(failures_of_the_window_are_told_first),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
