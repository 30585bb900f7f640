/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_file_test - windows without the rest, files written on the go, writers that were killed.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "power/energy.h"
#include "power/trace_file.h"

#define COUNT 200000

static const struct meter_facts facts = {
	.source = "x", .kind = CODE_POWER, .meaning = SAMPLE_MEAN_ENDING, .period_ns = 1000000
};

/* A figure without a pattern, so that chunks have a size. */
static struct sample sample(int64_t i)
{
	uint64_t mixed = (uint64_t)(i + 1) * 0x9E3779B97F4A7C15u;

	mixed = (mixed ^ mixed >> 29) * 0xBF58476D1CE4E5B9u;
	return (struct sample){
		i * 1000000, i * 1000000, { 1000000000 + (int64_t)(mixed >> 40) % 1000003, 0 }, 0
	};
}

static struct trace long_trace(void)
{
	struct trace t;

	assert_int_equal(trace_init(&t, &facts, COUNT), 0);
	for (int64_t i = 0; i < COUNT; i++) {
		struct sample s = sample(i);

		assert_int_equal(trace_add(&t, &s), 0);
	}
	return t;
}

static int64_t energy(const struct trace *t, int64_t from_ns, int64_t to_ns)
{
	struct fail f = { 0 };
	struct energy e;

	if (energy_window(t, from_ns, to_ns, GAP_FAIL, 0, &e, &f) != 0)
		fail_msg("%s", f.text);
	return e.energy_nj;
}

/* Windows of the encoded form hold what the whole trace says of them. */
static void windows(void **state)
{
	static const double from_s[] = { 0, 0.0005, 8.191, 8.1915, 8.192, 50, 199.9 };
	struct trace t = long_trace(), part;
	struct fail f = { 0 };
	struct buf b = { 0 };

	(void)state;
	assert_int_equal(trace_encode(&t, &b), 0);
	for (size_t i = 0; i < sizeof from_s / sizeof *from_s; i++) {
		int64_t from_ns = (int64_t)(from_s[i] * 1e9), to_ns = from_ns + 95000500;

		assert_int_equal(trace_window(&part, b.data, b.len, from_ns, to_ns, &f), 0);
		assert_true(part.count <= 4 * (size_t)TRACE_CHUNK);
		assert_int_equal(energy(&part, from_ns, to_ns), energy(&t, from_ns, to_ns));
		trace_release(&part);
	}
	buf_release(&b);
	trace_release(&t);
}

/* A window between two chunks needs the neighbours, one at each side. */
static void window_between_chunks(void **state)
{
	struct trace t = long_trace(), part;
	struct fail f = { 0 };
	struct buf b = { 0 };

	(void)state;
	for (size_t i = TRACE_CHUNK; i < t.count; i++) {
		t.sample[i].before_ns += NS_PER_S;
		t.sample[i].after_ns += NS_PER_S;
	}
	t.facts.gapless = true;
	assert_int_equal(trace_encode(&t, &b), 0);
	assert_int_equal(trace_window(&part, b.data, b.len, 8300000000, 8400000000, &f), 0);
	assert_int_equal(part.count, 2 * TRACE_CHUNK);
	assert_int_equal(energy(&part, 8300000000, 8400000000), energy(&t, 8300000000, 8400000000));
	trace_release(&part);
	/* Behind the last sample the last chunk is what there is. */
	assert_int_equal(trace_window(&part, b.data, b.len, 900 * NS_PER_S, 901 * NS_PER_S, &f), 0);
	assert_true(part.count > 0 && part.count <= TRACE_CHUNK);
	trace_release(&part);
	buf_release(&b);
	trace_release(&t);
}

static void reads_no_more_than_it_needs(void **state)
{
	struct trace t = long_trace(), part = { 0 };
	struct trace_reader r;
	struct fail f = { 0 };
	struct buf b = { 0 };
	size_t chunks = COUNT / TRACE_CHUNK + 1;

	(void)state;
	assert_int_equal(trace_encode(&t, &b), 0);
	assert_int_equal(trace_reader_open(&r, b.data, -1, (int64_t)b.len, &f), 0);
	r.bytes_read = 0;
	{
		struct trace_chunk c;

		while (trace_reader_next(&r, &c, &f) == 1)
			continue;
	}
	assert_true(r.complete);
	assert_int_equal(r.count, COUNT);
	/* Heads only: a hundred and some bytes a chunk. */
	assert_true(r.bytes_read <= (int64_t)(chunks + 1) * 160);
	assert_true(r.bytes_read < (int64_t)b.len / 4);
	trace_reader_close(&r);
	/* A damaged chunk elsewhere is not in the way; in the window it is. */
	b.data[b.len - 5000] ^= 1;
	assert_int_equal(trace_window(&part, b.data, b.len, 0, NS_PER_S, &f), 0);
	trace_release(&part);
	assert_int_equal(trace_window(&part, b.data, b.len, 0, 300 * NS_PER_S, &f), -1);
	assert_int_equal(f.code, EBADMSG);
	buf_release(&b);
	trace_release(&t);
}

static char path[] = "/tmp/cipherwatt-trace-XXXXXX";

static struct buf slurp(void)
{
	struct buf b = { 0 };
	char part[4096];
	int fd = open(path, O_RDONLY);
	ssize_t n;

	assert_true(fd >= 0);
	while ((n = read(fd, part, sizeof part)) > 0)
		buf_put(&b, part, (size_t)n);
	close(fd);
	return b;
}

static void written_on_the_go(void **state)
{
	struct trace_writer w;
	struct fail f = { 0 };
	struct trace back;
	struct buf b;

	(void)state;
	assert_int_equal(unlink(path), 0);
	assert_int_equal(trace_writer_open(&w, path, &facts, &f), 0);
	for (int64_t i = 0; i < 20000; i++) {
		struct sample s = sample(i);

		assert_int_equal(trace_writer_add(&w, &s, 1, &f), 0);
	}
	assert_int_equal(trace_writer_close(&w, 1, 2, 3, &f), 0);
	b = slurp();
	assert_int_equal(trace_decode(&back, b.data, b.len, &f), 0);
	assert_int_equal(back.count, 20000);
	assert_int_equal(back.sample[19999].code[0], sample(19999).code[0]);
	assert_int_equal(back.late + back.lost + back.cpu_ns, 6);
	trace_release(&back);
	/* Nothing is overwritten. */
	assert_int_equal(trace_writer_open(&w, path, &facts, &f), -1);
	assert_non_null(strstr(f.text, "not overwritten"));
	/* Cut anywhere: whole chunks are read, or it is refused; never more than was written. */
	for (size_t len = 0; len < b.len; len += 97) {
		struct fail why = { 0 };

		if (trace_window(&back, b.data, len, INT64_MIN, INT64_MAX, &why) == 0) {
			assert_true(back.count == 0 || back.count == TRACE_CHUNK ||
				    back.count == 2 * TRACE_CHUNK || back.count == 20000);
			trace_release(&back);
		} else {
			assert_true(len < 400);
		}
		fail_clear(&why);
		if (trace_decode(&back, b.data, len, &why) == 0)
			fail_msg("a cut trace of %zu bytes passed for a whole one", len);
	}
	buf_release(&b);
}

/* A writer that SIGKILL ended: the last complete chunk is there. */
static void killed_writer(void **state)
{
	struct fail f = { 0 };
	struct trace back;
	struct buf b;
	int ends[2], status;
	char byte;
	pid_t child;

	(void)state;
	unlink(path);
	assert_int_equal(pipe(ends), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		struct trace_writer w;

		if (trace_writer_open(&w, path, &facts, &f) != 0)
			_exit(1);
		for (int64_t i = 0;; i++) {
			struct sample s = sample(i);

			if (trace_writer_add(&w, &s, 1, &f) != 0)
				_exit(1);
			if (i == 3 * TRACE_CHUNK + 100 && write(ends[1], "x", 1) != 1)
				_exit(1);
		}
	}
	assert_int_equal(read(ends[0], &byte, 1), 1);
	kill(child, SIGKILL);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	close(ends[0]);
	close(ends[1]);
	b = slurp();
	assert_int_equal(trace_window(&back, b.data, b.len, INT64_MIN, INT64_MAX, &f), 0);
	assert_true(back.count >= 3 * (size_t)TRACE_CHUNK);
	for (size_t i = 0; i < back.count; i++)
		assert_int_equal(back.sample[i].before_ns, (int64_t)i * 1000000);
	trace_release(&back);
	buf_release(&b);
	unlink(path);
}

static int make_path(void **state)
{
	int fd = mkstemp(path);

	(void)state;
	return fd < 0 ? -1 : close(fd);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(windows),
		cmocka_unit_test(window_between_chunks),
		cmocka_unit_test(reads_no_more_than_it_needs),
		cmocka_unit_test(written_on_the_go),
		cmocka_unit_test(killed_writer),
	};

	return cmocka_run_group_tests(tests, make_path, NULL);
}
