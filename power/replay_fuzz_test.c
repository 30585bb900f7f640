/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_fuzz_test - logs that were cut, doubled and garbled, ten thousand of them: each is
 * refused with a reason or read into something consistent, never anything else.
 */
#include "lib/testing.h"
#include "power/exec_line.h"
#include "power/replay_maker.h"

#define MUTATIONS 12000
#define ROOM      4096

static const struct {
	const char *keys, *text;
} seeds[] = {
	{ "", "#time,current,voltage,power,charge,energy\n0.0,0.399422,4.74572,1.89553,0,0\n"
	      "0.5,0.400691,4.74479,1.90114,0.200345,0.950568\n" },
	{ "", "TimeStamp, Voltage (V), Current (mA), Power (mW)\n0:00:00.000263,5.120,270.073,"
	      "1325.366\n0:00:00.005375,5.124,288.683,1318.537\n" },
	{ "",
	  "Name,Length,Voltage,Current,Power\n21_03_cpp ,  0.097 s, 5.121 V, 259.318 mA, "
	  "1334.297 mW, 0.129 Ws\n21_04_cpp ,  0.098 s, 5.117 V, 271.032 mA, 1410 mW, 0.138 Ws\n" },
	{ "", "(1.00024, 11.232000000000001, 0.0, 0.0)\n(1.0018880000000001, 11.032, 0.0, 0.0)\n"
	      "(1.050032, 11.18, 1.2, 13.415999999999999)\n" },
	{ "dialect=greenroom,rate=10Hz",
	  "0,INA219,9.124,41.001,0.48\r\n1,INA219,9.1,43.1,0.39\r\n" },
	{ "", "20:38:05.040 -> Bus Voltage:   4.70 V\n20:38:05.040 -> Current:       206.20 mA\n"
	      "20:38:05.040 -> Power:         970.00 mW\n20:38:05.040 -> \n"
	      "20:38:05.078 -> Bus Voltage:   4.70 V\n20:38:05.078 -> Power:  971.00 mW\n" },
	{ "", "timestamp;tag;duration;package_0\n100.0;a;10.0;5000000\n110.0;b;10.0;-7000000\n" },
	{ "", "Delta,Time,CPU_FREQUENCY_0,PACKAGE_ENERGY (J)\n0,1700000000000,1,262000.0\n"
	      "200,1700000000200,1,262100.0\n200,1700000000400,1,6.6\n" },
	{ "backward=rebase", "Date,CPU Utilization,Total Power,CPU Power,GPU Power\n"
			     "2025-9-3 7:5:4.7,0.5,10,9,1\n2025-9-3 7:5:5.12,0.5,20,9,1\n" },
	{ "volts=3.3V", "Timestamp(ms),Current(uA),D0-D7\n0.00,1000,00000001\n0.01,1000,0\n" },
	{ "", "1700000000123456 18234 Package_0\n1700000000223456 18235 Package_0\n" },
	{ "", "time_s;power_mw\n0,0;100,5\n1,0;100,5\n" },
	{ "power=soc(W)",
	  "# x\ntime soc(V) soc(A) soc(W)\n0.0 5 0.4 2.0\n1.0 5 0.4 2.0\n2.0 5 0." },
	{ "volts=3V",
	  ",n,sf,bw [kHz],t_meas [s],Q [mC],I_avg [mA]\n0,1.0,7.0,125.0,0.5,20.0,40.0\n" },
	{ "", "\xF1\x00\x00\x7A\x44\x9A\x99\x51\x42\x9A\x99\x51\x42\x9A\x99\x51\x42" },
};

static const char *const words[] = { "nan",
				     "-1e308",
				     "1e999",
				     "999999999999999999999",
				     "\n",
				     "\r\n",
				     ",",
				     ";",
				     "\t",
				     "#",
				     "\"",
				     "(",
				     ")",
				     "kWh",
				     "MW",
				     "-",
				     "12:00:00.5",
				     " -> ",
				     ":",
				     "2025-01-01 00:00:00",
				     "\xEF\xBB\xBF",
				     "0",
				     "." };

static size_t mutate(struct rng *r, char *p, size_t len)
{
	for (int edits = 1 + (int)rng_below(r, 6); edits > 0; edits--) {
		size_t at = len ? rng_below(r, len) : 0, n = len ? rng_below(r, len - at + 1) : 0;
		const char *word = words[rng_below(r, sizeof words / sizeof *words)];

		switch (rng_below(r, 5)) {
		case 0:
			if (len)
				p[at] = (char)rng_next(r);
			break;
		case 1: /* leave out */
			n = n > 20 ? 20 : n;
			memmove(p + at, p + at + n, len - at - n);
			len -= n;
			break;
		case 2: /* double */
			if (len + n > ROOM)
				break;
			memmove(p + at + n, p + at, len - at);
			len += n;
			break;
		case 3:
			n = strlen(word);
			if (len + n > ROOM)
				break;
			memmove(p + at + n, p + at, len - at);
			memcpy(p + at, word, n);
			len += n;
			break;
		case 4: /* cut */
			if (rng_below(r, 4) == 0)
				len = at;
			break;
		}
	}
	return len;
}

/* Stamps never fall, the facts can be converted, and any window is integrated or refused. */
static void consistent(const struct trace *t, const char *text, size_t len, struct rng *r)
{
	struct fail f = { 0 };
	struct energy e;
	int64_t from_ns, to_ns;

	if (t->count == 0)
		fail_msg("read, but without a sample: %.*s", (int)len, text);
	from_ns = t->sample[0].before_ns;
	to_ns = t->sample[t->count - 1].before_ns;
	for (size_t i = 1; i < t->count; i++)
		if (t->sample[i].before_ns < t->sample[i - 1].before_ns)
			fail_msg("sample %zu goes back (%s): %.*s", i, t->facts.basis, (int)len,
				 text);
	assert_true(t->facts.basis[0] != '\0');
	if (from_ns == to_ns)
		return;
	to_ns = from_ns + (int64_t)((double)(to_ns - from_ns) * rng_unit(r)) + 1;
	if (energy_window(t, from_ns, to_ns, (enum gap_policy)rng_below(r, 4), 0, &e, &f) == 0) {
		assert_true(e.covered_ns >= 0 && e.covered_ns <= to_ns - from_ns);
		assert_true(e.samples <= (int64_t)t->count);
	} else {
		assert_true(f.code != 0 && f.text[0] != '\0');
	}
}

static void garbled_logs(void **state)
{
	struct rng r = testing_rng("garbled logs");
	int refused = 0, read = 0;

	(void)state;
	for (int i = 0; i < MUTATIONS; i++) {
		size_t which = rng_below(&r, sizeof seeds / sizeof *seeds);
		size_t len =
			which + 1 == sizeof seeds / sizeof *seeds ? 17 : strlen(seeds[which].text);
		char work[ROOM], *exact;
		struct trace t;
		struct fail f;

		memcpy(work, seeds[which].text, len);
		if (i >= 100)
			len = mutate(&r, work, len);
		/* In memory of its own size, so that a byte too far is seen. */
		exact = malloc(len ? len : 1);
		assert_non_null(exact);
		memcpy(exact, work, len);
		if (replay_try(seeds[which].keys, exact, len, &t, &f) == 0) {
			consistent(&t, exact, len, &r);
			trace_release(&t);
			read++;
		} else {
			if (i < 100)
				fail_msg("seed %zu: %s", which, f.text);
			assert_true(f.code != 0 && f.text[0] != '\0');
			assert_null(t.sample);
			refused++;
		}
		free(exact);
	}
	printf("%d read, %d refused\n", read, refused);
	assert_true(read > MUTATIONS / 10 && refused > MUTATIONS / 10);
}

static void garbled_lines(void **state)
{
	static const char *const lines[] = { "1234.5 mW", "12.5 s, 1234.5 mW", "5.01 V 246.3 mA",
					     "{\"time_s\": 12.5, \"power_mw\": 1234.5}" };
	struct rng r = testing_rng("garbled lines");

	(void)state;
	for (int i = 0; i < MUTATIONS; i++) {
		const char *seed = lines[rng_below(&r, 4)];
		char work[ROOM + 1];
		struct exec_line line;
		struct fail f = { 0 };
		size_t len = strlen(seed);
		int status;

		memcpy(work, seed, len);
		len = mutate(&r, work, len);
		work[len] = '\0';
		status = exec_line_read(work, unit_find("s", 1), unit_find("mW", 2), &line, &f);
		assert_true(status >= 0 || (f.code != 0 && f.text[0] != '\0'));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(garbled_logs),
		cmocka_unit_test(garbled_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
