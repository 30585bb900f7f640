/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oracle_test - published logs whose totals others computed: MLPerf Tiny (F08), a Joulescope
 * (F09) and a Raspberry Pi INA219 log (F01, B50). Skipped where the files are not there.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/path.h"
#include "power/energy.h"

/* The file's bytes, or the test is skipped. */
static struct buf load(const char *name)
{
	const char *shared = getenv("CIPHERWATT_SHARED");
	struct fail f = { 0 };
	char path[PATH_BYTES];
	struct buf b;

	snprintf(path, sizeof path, "%s/data/power/%s", shared ? shared : "../shared", name);
	buf_init(&b, 0);
	if (!path_exists(path)) {
		printf("skipped: %s is not there; CIPHERWATT_SHARED names the folder\n", path);
		skip();
	}
	if (path_read(path, 1 << 20, &b, &f) != 0)
		fail_msg("%s", f.text);
	return b;
}

static struct trace make(enum code_kind kind, enum sample_meaning meaning, int64_t period_ns)
{
	struct meter_facts facts = { .kind = kind, .meaning = meaning, .period_ns = period_ns };
	struct trace t;

	assert_int_equal(trace_init(&t, &facts, 0), 0);
	return t;
}

static void add(struct trace *t, double t_s, int64_t code)
{
	int64_t ns = llround(t_s * 1e9);
	struct sample s = { ns, ns, { code, 0 }, 0 };

	assert_int_equal(trace_add(t, &s), 0);
}

static double joules(const struct trace *t, double from_s, double to_s)
{
	struct fail f = { 0 };
	struct energy e;

	if (energy_window(t, llround(from_s * 1e9), llround(to_s * 1e9), GAP_FAIL, 0, &e, &f) != 0)
		fail_msg("%s", f.text);
	assert_int_equal(e.covered_ns, e.to_ns - e.from_ns);
	return (double)e.energy_nj / 1e9;
}

static float float_le(const char *p)
{
	uint32_t bits = 0;
	float v;

	for (int i = 3; i >= 0; i--)
		bits = bits << 8 | (uint8_t)p[i];
	memcpy(&v, &bits, sizeof v);
	return v;
}

static void mlperf_tiny(void **state)
{
	static const double window[5][2] = { { 2.779, 13.784 },
					     { 15.661, 26.664 },
					     { 28.54, 39.543 },
					     { 41.418, 52.423 },
					     { 54.301, 65.304 } };
	static const double sum_uj[] = { 575458.86, 574818.57, 575288.67, 575389.59, 575296.69 };
	static const double official_uj[] = { 575449.020, 574767.590, 575329.990, 575379.480,
					      575287.000 };
	struct buf b = load("mlperf-tiny-kws/trace1-energy.bin");
	struct trace t = make(CODE_ENERGY, SAMPLE_INCREMENT, 1000000);
	double largest_uj = 0, all = 0;
	size_t count = (b.len - 5) / 4;

	(void)state;
	assert_int_equal((uint8_t)b.data[0], 0xF1);
	assert_int_equal((int)float_le(b.data + 1), 1000);
	assert_int_equal(count, 66560);
	for (size_t i = 0; i < count; i++) {
		double uj = (double)float_le(b.data + 5 + 4 * i);

		/* Sample i is the energy from i to i + 1 ms. */
		add(&t, (double)(i + 1) / 1e3, llround(uj * 1e3));
		largest_uj = fmax(largest_uj, uj);
		all += uj;
	}
	assert_true(fabs(joules(&t, 0, (double)count / 1e3) * 1e6 - all) < 1);
	for (int i = 0; i < 5; i++) {
		double uj = joules(&t, window[i][0], window[i][1]) * 1e6;

		if (fabs(uj - sum_uj[i]) > 0.05)
			fail_msg("window %d: %.3f uJ, the samples' sum is %.2f", i, uj, sum_uj[i]);
		if (fabs(uj - official_uj[i]) > largest_uj)
			fail_msg("window %d: %.3f uJ, official %.3f", i, uj, official_uj[i]);
	}
	trace_release(&t);
	buf_release(&b);
}

/* The next line of text into cells; false at the end. */
static bool next_row(char **rest, double *cell, int columns)
{
	char *line;

	while ((line = strsep(rest, "\n")) != NULL) {
		char *end = line;
		int i = 0;

		for (; i < columns; i++) {
			cell[i] = strtod(line, &end);
			if (end == line)
				break;
			line = end + (*end == ',');
		}
		if (i == columns)
			return true;
	}
	return false;
}

static struct trace joulescope(char *text, enum sample_meaning meaning)
{
	struct trace t = make(CODE_POWER, meaning, 500000000);
	double cell[6];

	while (next_row(&text, cell, 6))
		add(&t, cell[0], llround(cell[3] * 1e9));
	assert_int_equal(t.count, 21);
	return t;
}

static void joulescope_log(void **state)
{
	static const struct {
		enum sample_meaning meaning;
		double all_j, step_j;
	} row[] = { { SAMPLE_MEAN_ENDING, 20.5321, 1.0948 },
		    { SAMPLE_MEAN_STARTING, 20.3657, 0.9472 },
		    { SAMPLE_INSTANT, 20.4489, 1.0210 } };
	struct buf b = load("joulescope-10s.csv");

	(void)state;
	for (int i = 0; i < 3; i++) {
		char *text = strdup(buf_text(&b));
		struct trace t = joulescope(text, row[i].meaning);
		double all = joules(&t, 0, 10), step = joules(&t, 4, 4.5);

		if (fabs(all - row[i].all_j) > 6e-5 || fabs(step - row[i].step_j) > 6e-5)
			fail_msg("%s: %.5f and %.5f J", sample_meaning_name[row[i].meaning], all,
				 step);
		/* The meter's own total, to 1e-5. */
		if (row[i].meaning == SAMPLE_MEAN_ENDING)
			assert_true(fabs(all / 20.5321 - 1) < 1e-5);
		trace_release(&t);
		free(text);
	}
	buf_release(&b);
}

/* Rows "0:00:00.005375,5.124,288.683,1318.537"; by_product: V * I instead of the third. */
static struct trace pi3(char *text, enum sample_meaning meaning, bool by_product)
{
	struct trace t = make(CODE_POWER, meaning, 4840000);
	char *line;

	while ((line = strsep(&text, "\n")) != NULL) {
		double s, v, ma, mw;
		int h, m;

		if (sscanf(line, "%d:%d:%lf,%lf,%lf,%lf", &h, &m, &s, &v, &ma, &mw) == 6)
			add(&t, h * 3600 + m * 60 + s, llround((by_product ? v * ma : mw) * 1e6));
	}
	return t;
}

static void pi3_log(const char *name, size_t rows, const double want_mj[4], double tolerance)
{
	static const enum sample_meaning meaning[] = { SAMPLE_MEAN_STARTING, SAMPLE_MEAN_ENDING,
						       SAMPLE_INSTANT, SAMPLE_INSTANT };
	struct buf b = load(name);

	for (int i = 0; i < 4; i++) {
		char *text = strdup(buf_text(&b));
		struct trace t = pi3(text, meaning[i], i == 3);
		int64_t from_ns, to_ns;
		double mj;

		assert_int_equal(t.count, rows);
		assert_int_equal(energy_span(&t, &from_ns, &to_ns), 0);
		mj = joules(&t, (double)from_ns / 1e9, (double)to_ns / 1e9) * 1e3;
		if (fabs(mj - want_mj[i]) > tolerance)
			fail_msg("%s, rule %d: %.3f mJ, expected %.3f", name, i, mj, want_mj[i]);
		trace_release(&t);
		free(text);
	}
	buf_release(&b);
}

/* B50: n - 1 intervals, not n: 565.5 mJ, not 572.62. */
static void pi3_short(void **state)
{
	static const double mj[] = { 565.31, 565.70, 565.51, 567.82 };

	(void)state;
	pi3_log("pi3-ina219/fibonacci/cpp_01.csv", 70, mj, 0.006);
}

static void pi3_long(void **state)
{
	static const double mj[] = { 45180.90, 45180.63, 45180.76, 45145.64 };

	(void)state;
	pi3_log("pi3-ina219/fibonacci/fibonacci_100000_python.csv", 4692, mj, 0.006);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(mlperf_tiny),
		cmocka_unit_test(joulescope_log),
		cmocka_unit_test(pi3_short),
		cmocka_unit_test(pi3_long),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
