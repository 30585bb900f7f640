/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_test - lossless, small, and safe with any bytes.
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

#include "lib/clock.h"
#include "lib/rng.h"
#include "power/sim_meter.h"
#include "power/trace.h"
#include "power/trace_pack.h"

#define MUTATIONS 10000

static struct meter_facts some_facts(void)
{
	return (struct meter_facts){ .source = "ina219:/dev/i2c-1@0x40,shunt=0.1",
				     .chip = "ina219",
				     .basis = "a text",
				     .kind = CODE_BUS_SHUNT,
				     .meaning = SAMPLE_MEAN_ENDING,
				     .provenance = PROVENANCE_MODELLED,
				     .period_ns = 1064000,
				     .bus_lsb_pv = 4000000000,
				     .shunt_lsb_pv = 10000000,
				     .shunt_uohm = 100000,
				     .inverted = true,
				     .gapless = true,
				     .counter_range_nj = 5,
				     .gain_ppm = 1,
				     .shunt_ppm = 2,
				     .clock_ppm = 3,
				     .offset_na = 4,
				     .power_min_nw = -6,
				     .power_max_nw = 7,
				     .counter_step_nj = 8,
				     .trim_gain_ppm = -9,
				     .trim_offset_na = 10,
				     .error_unknown = true };
}

static void assert_same(const struct trace *a, const struct trace *b)
{
	assert_int_equal(a->count, b->count);
	assert_string_equal(a->facts.source, b->facts.source);
	assert_string_equal(a->facts.chip, b->facts.chip);
	assert_string_equal(a->facts.basis, b->facts.basis);
	assert_int_equal(a->facts.kind, b->facts.kind);
	assert_int_equal(a->facts.meaning, b->facts.meaning);
	assert_int_equal(a->facts.provenance, b->facts.provenance);
	assert_int_equal(a->facts.period_ns, b->facts.period_ns);
	assert_int_equal(a->facts.bus_lsb_pv, b->facts.bus_lsb_pv);
	assert_int_equal(a->facts.shunt_lsb_pv, b->facts.shunt_lsb_pv);
	assert_int_equal(a->facts.shunt_uohm, b->facts.shunt_uohm);
	assert_int_equal(a->facts.inverted, b->facts.inverted);
	assert_int_equal(a->facts.counter_range_nj, b->facts.counter_range_nj);
	assert_int_equal(a->facts.gapless, b->facts.gapless);
	assert_int_equal(a->facts.gain_ppm, b->facts.gain_ppm);
	assert_int_equal(a->facts.shunt_ppm, b->facts.shunt_ppm);
	assert_int_equal(a->facts.clock_ppm, b->facts.clock_ppm);
	assert_int_equal(a->facts.offset_na, b->facts.offset_na);
	assert_int_equal(a->facts.power_min_nw, b->facts.power_min_nw);
	assert_int_equal(a->facts.power_max_nw, b->facts.power_max_nw);
	assert_int_equal(a->facts.counter_step_nj, b->facts.counter_step_nj);
	assert_int_equal(a->facts.trim_gain_ppm, b->facts.trim_gain_ppm);
	assert_int_equal(a->facts.trim_offset_na, b->facts.trim_offset_na);
	assert_int_equal(a->facts.error_unknown, b->facts.error_unknown);
	assert_int_equal(a->late, b->late);
	assert_int_equal(a->lost, b->lost);
	assert_int_equal(a->cpu_ns, b->cpu_ns);
	for (size_t i = 0; i < a->count; i++) {
		assert_int_equal(a->sample[i].before_ns, b->sample[i].before_ns);
		assert_int_equal(a->sample[i].after_ns, b->sample[i].after_ns);
		assert_int_equal(a->sample[i].code[0], b->sample[i].code[0]);
		assert_int_equal(a->sample[i].code[1], b->sample[i].code[1]);
		assert_int_equal(a->sample[i].flags, b->sample[i].flags);
	}
}

static struct trace random_trace(struct rng *r, size_t count)
{
	struct meter_facts facts = some_facts();
	struct trace t;

	assert_int_equal(trace_init(&t, &facts, 0), 0);
	t.late = 1;
	t.lost = -2;
	t.cpu_ns = 3;
	for (size_t i = 0; i < count; i++) {
		/* Any order, any size. */
		struct sample s = { (int64_t)(rng_next(r) >> 3) - (INT64_C(1) << 60),
				    (int64_t)(rng_next(r) >> rng_below(r, 40) >> 3),
				    { (int64_t)rng_next(r), (int64_t)rng_next(r) },
				    (uint32_t)rng_next(r) };

		assert_int_equal(trace_add(&t, &s), 0);
	}
	return t;
}

static void round_trips(void **state)
{
	static const size_t counts[] = { 0, 1, 2, TRACE_CHUNK, TRACE_CHUNK + 1, 20000 };
	struct rng r;

	(void)state;
	rng_seed(&r, 3);
	for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
		struct trace t = random_trace(&r, counts[i]), back;
		struct fail f = { 0 };
		struct buf b;

		buf_init(&b, 0);
		assert_int_equal(trace_encode(&t, &b), 0);
		if (trace_decode(&back, b.data, b.len, &f) != 0)
			fail_msg("%s", f.text);
		assert_same(&t, &back);
		trace_release(&back);
		trace_release(&t);
		buf_release(&b);
	}
}

static void numbers(void **state)
{
	static const int64_t v[] = { 0, 1, -1, 63, -64, 64, INT64_MAX, INT64_MIN };
	struct unpack u;
	struct buf b;

	(void)state;
	buf_init(&b, 0);
	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		pack_signed(&b, v[i]);
	u = (struct unpack){ (uint8_t *)b.data, (uint8_t *)b.data + b.len, false };
	for (size_t i = 0; i < sizeof v / sizeof *v; i++)
		assert_int_equal(unpack_signed(&u), v[i]);
	assert_false(u.failed);
	assert_int_equal(unpack_signed(&u), 0);
	assert_true(u.failed);
	/* Eleven bytes, or a tenth that holds too much, are no number. */
	u = (struct unpack){ (const uint8_t *)"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", NULL,
			     false };
	u.end = u.at + 10;
	unpack_unsigned(&u);
	assert_true(u.failed);
	buf_release(&b);
}

/* A clock that wakes late as Linux does: 50 us and a tail. */
struct jittery {
	int64_t now_ns;
	struct rng rng;
};

static int64_t jittery_now(void *data)
{
	struct jittery *j = data;

	j->now_ns += 300;
	return j->now_ns;
}

static void jittery_sleep(void *data, int64_t due_ns)
{
	struct jittery *j = data;

	j->now_ns = due_ns + 8000 - (int64_t)(log(1 - rng_unit(&j->rng)) * 15000);
}

/* A board between 1.6 and 5 W that works in bursts. */
static int64_t bursts_na(void *data, int64_t from_ns, int64_t to_ns)
{
	(void)data, (void)to_ns;
	return from_ns / (37 * NS_PER_MS) % 3 ? 320000000 : 1000000000;
}

static int64_t five_volts(void *data, int64_t from_ns, int64_t to_ns)
{
	(void)data, (void)to_ns;
	/* The supply sags under load. */
	return from_ns / (37 * NS_PER_MS) % 3 ? 5080000 : 5020000;
}

/* Room for what is random in the stamps and nothing for waste: at most 4 bytes a sample. */
static void small(void **state)
{
	struct jittery j = { NS_PER_S, { { 0 } } };
	struct timebase time = { jittery_now, jittery_sleep, &j };
	struct i2c_sim_source source = { five_volts, bursts_na, NULL, NULL };
	struct ina2xx_settings set = ina2xx_settings_default;
	struct meter_facts facts = { 0 };
	struct fail f = { 0 };
	static struct sim_meter m;
	struct trace t;
	struct buf b;

	(void)state;
	rng_seed(&j.rng, 11);
	assert_int_equal(sim_meter_start(&m, time, &set, &source, 5, &facts, &f), 0);
	m.sim.transfer_ns = 110 * NS_PER_US;
	assert_int_equal(trace_init(&t, &facts, 0), 0);
	for (int i = 0; i < 60000; i++) {
		struct sample s;

		assert_int_equal(ina2xx_read(&m.chip, &s, &f), 0);
		s.before_ns -= s.before_ns % NS_PER_US;
		s.after_ns -= s.after_ns % NS_PER_US;
		assert_int_equal(trace_add(&t, &s), 0);
	}
	buf_init(&b, 0);
	assert_int_equal(trace_encode(&t, &b), 0);
	printf("%.3f bytes a sample, %zu samples at %.0f Hz\n", (double)b.len / (double)t.count,
	       t.count,
	       (double)(t.count - 1) * 1e9 /
		       (double)(t.sample[t.count - 1].before_ns - t.sample[0].before_ns));
	/* The promise is 4; above 3 the stamps are no longer packed as microseconds. */
	assert_true(b.len <= 3 * t.count);
	buf_release(&b);
	trace_release(&t);
	ina2xx_stop(&m.chip);
}

static void mutate(struct rng *r, uint8_t *p, size_t *len)
{
	int edits = 1 + (int)rng_below(r, 4);

	while (edits-- > 0 && *len > 0) {
		switch (rng_below(r, 4)) {
		case 0:
			p[rng_below(r, *len)] ^= (uint8_t)(1 << rng_below(r, 8));
			break;
		case 1:
			p[rng_below(r, *len)] = (uint8_t)rng_next(r);
			break;
		case 2:
			*len = rng_below(r, *len + 1);
			break;
		case 3:
			p[rng_below(r, *len)] = 0xFF;
			break;
		}
	}
}

static void damaged_bytes(void **state)
{
	const uint64_t seed = 99;
	struct rng r;
	struct trace t;
	struct buf b;
	uint8_t *copy;
	int refused = 0;

	(void)state;
	printf("seed %llu\n", (unsigned long long)seed);
	rng_seed(&r, seed);
	t = random_trace(&r, 30);
	buf_init(&b, 0);
	assert_int_equal(trace_encode(&t, &b), 0);
	copy = malloc(b.len);
	assert_non_null(copy);
	for (int i = 0; i < MUTATIONS; i++) {
		size_t len = b.len;
		struct fail f = { 0 };
		struct trace back;

		memcpy(copy, b.data, len);
		mutate(&r, copy, &len);
		if (trace_decode(&back, copy, len, &f) == 0) {
			trace_release(&back);
			continue;
		}
		assert_true(f.code != 0 && f.text[0] != '\0');
		assert_null(back.sample);
		refused++;
	}
	/* What still decodes was changed into itself. */
	assert_true(refused > MUTATIONS * 9 / 10);
	free(copy);
	buf_release(&b);
	trace_release(&t);
}

/* Not one bit may change unnoticed. */
static void every_bit_counts(void **state)
{
	struct rng r;
	struct trace t;
	struct buf b;

	(void)state;
	rng_seed(&r, 7);
	t = random_trace(&r, 5);
	buf_init(&b, 0);
	assert_int_equal(trace_encode(&t, &b), 0);
	for (size_t i = 0; i < b.len * 8; i++) {
		struct fail f = { 0 };
		struct trace back;

		b.data[i / 8] ^= (char)(1 << i % 8);
		if (trace_decode(&back, b.data, b.len, &f) == 0)
			fail_msg("bit %zu of byte %zu of %zu", i % 8, i / 8, b.len);
		b.data[i / 8] ^= (char)(1 << i % 8);
	}
	buf_release(&b);
	trace_release(&t);
}

/* Behind the check sums: the columns themselves take any bytes too. */
static void damaged_columns(void **state)
{
	struct rng r;
	struct trace t;
	struct buf b;

	(void)state;
	rng_seed(&r, 123);
	t = random_trace(&r, 20);
	buf_init(&b, 0);
	pack_samples(t.sample, t.count, 1, &b);
	for (int i = 0; i < MUTATIONS; i++) {
		size_t len = b.len;
		uint8_t *copy = malloc(len);
		struct sample out[20];
		struct unpack u;

		assert_non_null(copy);
		memcpy(copy, b.data, len);
		mutate(&r, copy, &len);
		u = (struct unpack){ copy, copy + len, false };
		unpack_samples(&u, 20, 1000, out);
		assert_true(u.at <= u.end);
		free(copy);
	}
	buf_release(&b);
	trace_release(&t);
}

static void refusals(void **state)
{
	struct meter_facts facts = some_facts();
	struct fail f = { 0 };
	struct trace t, back;
	struct buf b;

	(void)state;
	assert_int_equal(trace_decode(&back, "hello, world", 12, &f), -1);
	assert_non_null(strstr(f.text, "not a trace"));
	fail_clear(&f);
	assert_int_equal(trace_decode(&back, "", 0, &f), -1);
	fail_clear(&f);
	/* Facts that would divide by zero are refused whatever the check sum says. */
	facts.shunt_uohm = 0;
	assert_int_equal(trace_init(&t, &facts, 0), 0);
	buf_init(&b, 0);
	assert_int_equal(trace_encode(&t, &b), 0);
	assert_int_equal(trace_decode(&back, b.data, b.len, &f), -1);
	assert_non_null(strstr(f.text, "shunt"));
	/* A byte behind the end. */
	fail_clear(&f);
	t.facts = some_facts();
	buf_clear(&b);
	assert_int_equal(trace_encode(&t, &b), 0);
	buf_byte(&b, 0);
	assert_int_equal(trace_decode(&back, b.data, b.len, &f), -1);
	buf_release(&b);
	trace_release(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(round_trips),
		cmocka_unit_test(numbers),
		cmocka_unit_test(small),
		cmocka_unit_test(damaged_bytes),
		cmocka_unit_test(every_bit_counts),
		cmocka_unit_test(damaged_columns),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
