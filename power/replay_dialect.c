/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_dialect - the rows, and which of them a first line fits.
 * It must not read rows of data.
 */
#include "power/replay_dialect.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* 2^32 steps of RAPL's usual 61 uJ, as the kernel reports it (max_energy_range_uj). */
#define RAPL_RANGE_NJ INT64_C(262143328850000)

const struct dialect dialects[] = {
	{ .name = "cipherwatt",
	  .header = "time_s,power_mw,flags,provenance",
	  .meaning = SAMPLE_INSTANT,
	  .about = "this program's --csv; its comments say what a sample means" },
	{ .name = "cipherwatt",
	  .header = "time_s,bus_mv,current_ma,power_mw,flags,provenance",
	  .meaning = SAMPLE_INSTANT,
	  .about = "this program's --csv of a chip" },
	{ .name = "cipherwatt",
	  .header = "time_s,energy_mj,flags,provenance",
	  .meaning = SAMPLE_COUNTER,
	  .about = "this program's --csv of a counter or of increments" },
	{ .name = "joulescope",
	  .header = "#time,current,voltage,power,charge,energy",
	  .meaning = SAMPLE_MEAN_ENDING,
	  .column = { { "time", ROLE_TIME, "s" },
		      { "current", ROLE_CURRENT, "A" },
		      { "voltage", ROLE_VOLTAGE, "V" },
		      { "power", ROLE_POWER, "W" },
		      { "charge", ROLE_NONE, NULL },
		      { "energy", ROLE_NONE, "J" } },
	  .about =
		  "Joulescope statistics: a row is the mean over the time that ends at its stamp" },
	{ .name = "pi-ina219",
	  .header = "timestamp,voltage (v),current (ma),power (mw)",
	  .meaning = SAMPLE_INSTANT,
	  .about = "INA219 polled on a Raspberry Pi: V, I and P read one after the other" },
	{ .name = "runs",
	  .header = "name,length",
	  .meaning = SAMPLE_MEAN_ENDING,
	  .flags = DIALECT_RUNS,
	  .column = { { "name", ROLE_LABEL, NULL }, { "length", ROLE_DURATION, NULL } },
	  .about = "a table of runs: name, length, mean V, mA and mW of each" },
	{ .name = "runs",
	  .shape = "wtnnn",
	  .meaning = SAMPLE_MEAN_ENDING,
	  .flags = DIALECT_RUNS,
	  .column = { { "name", ROLE_LABEL, NULL },
		      { "length", ROLE_DURATION, NULL },
		      { "voltage", ROLE_VOLTAGE, "V" },
		      { "current", ROLE_CURRENT, "mA" },
		      { "power", ROLE_POWER, "mW" } },
	  .about = "the same without a header" },
	{ .name = "tuples",
	  .shape = "(nnnn)",
	  .meaning = SAMPLE_INSTANT,
	  .flags = DIALECT_ZERO_VOLTS,
	  .column = { { "time", ROLE_TIME, "s" },
		      { "voltage", ROLE_VOLTAGE, "V" },
		      { "current", ROLE_CURRENT, "mA" },
		      { "power", ROLE_POWER, "mW" } },
	  .about = "Python tuples (s, V, mA, mW)" },
	{ .name = "greenroom",
	  .shape = "nwnnn",
	  .declared = true,
	  .meaning = SAMPLE_INSTANT,
	  .flags = DIALECT_UNTIMED,
	  .column = { { "count", ROLE_NONE, NULL },
		      { "source", ROLE_LABEL, NULL },
		      { "voltage", ROLE_VOLTAGE, "V" },
		      { "current", ROLE_CURRENT, "mA" },
		      { "power", ROLE_POWER, "W" } },
	  .about = "count, source, V, mA, W without header and time: needs rate=" },
	{ .name = "ppk2-cycler",
	  .header = ",n,sf",
	  .meaning = SAMPLE_INCREMENT,
	  .flags = DIALECT_RUNS,
	  .column = { { "t_meas", ROLE_DURATION, NULL },
		      { "q", ROLE_CHARGE, NULL },
		      { "i_avg", ROLE_NONE, NULL } },
	  .about = "charge of each transmission from a PPK2: needs volts=" },
	{ .name = "energibridge",
	  .header = "delta,time,",
	  .meaning = SAMPLE_COUNTER,
	  .assumed_range_nj = RAPL_RANGE_NJ,
	  .column = { { "time", ROLE_TIME, "ms" },
		      { "delta", ROLE_NONE, NULL },
		      { "package_energy", ROLE_ENERGY, "J" } },
	  .about = "EnergiBridge: the package counter; other counters lie inside it" },
	{ .name = "powerjoular",
	  .header = "date,cpu utilization,total power,cpu power",
	  .meaning = SAMPLE_MEAN_ENDING,
	  .provenance = PROVENANCE_MODELLED,
	  .flags = DIALECT_MS_FRACTION,
	  .column = { { "date", ROLE_TIME, NULL },
		      { "total power", ROLE_POWER, "W" },
		      { "cpu power", ROLE_NONE, NULL },
		      { "gpu power", ROLE_NONE, NULL } },
	  .about = "PowerJoular: a model's watts, not a measurement" },
	{ .name = "ppk2",
	  .header = "timestamp(ms),current(ua)",
	  .meaning = SAMPLE_INSTANT,
	  .about = "nRF Connect Power Profiler export: needs volts=" },
	{ .name = "ppk2-api",
	  .header = "ts,avg1000",
	  .meaning = SAMPLE_INSTANT,
	  .flags = DIALECT_UNTIMED,
	  .rate_hz = 100000,
	  .column = { { "ts", ROLE_NONE, NULL }, { "avg1000", ROLE_CURRENT, "uA" } },
	  .about = "ppk2-api: stamps are of writing, so untimed at 100 kS/s; needs volts=" },
	{ .name = "iio-capture",
	  .header = "timestamp ms",
	  .meaning = SAMPLE_MEAN_ENDING,
	  .about = "iio-capture of an ACME cape" },
	{ .name = "juno",
	  .header = "sys_current,",
	  .meaning = SAMPLE_INSTANT,
	  .flags = DIALECT_UNTIMED | DIALECT_TERMINATED,
	  .about = "readenergy of a Juno board: no time; needs rate= and the unit, such as "
		   "power=sys_power:W" },
	{ .name = "um25c",
	  .header = "time_s,voltage_mv,current_ma,power_mw,acc_energy_mwh",
	  .meaning = SAMPLE_INSTANT,
	  .column = { { "acc_energy", ROLE_NONE, NULL } },
	  .about = "UM25C USB meter: power; the accumulator counts whole mWh" },
	{ .name = "gmt",
	  .shape = "Tnw",
	  .meaning = SAMPLE_INCREMENT,
	  .flags = DIALECT_TERMINATED,
	  .column = { { "time", ROLE_TIME, "us" },
		      { "energy", ROLE_ENERGY, "uJ" },
		      { "name", ROLE_LABEL, NULL } },
	  .about = "Green Metrics Tool: us, uJ since the line before, name" },
	{ .name = "pyjoules",
	  .header = "timestamp,tag,duration",
	  .meaning = SAMPLE_INCREMENT,
	  .flags = DIALECT_SPAN,
	  .assumed_range_nj = RAPL_RANGE_NJ,
	  .column = { { "timestamp", ROLE_TIME, "s" },
		      { "duration", ROLE_DURATION, "s" },
		      { "package_0", ROLE_ENERGY, "uJ" } },
	  .about = "pyJoules: begin, tag, length and uJ of each block" },
	{ .name = "seelab",
	  .shape = "nn",
	  .declared = true,
	  .meaning = SAMPLE_INSTANT,
	  .column = { { "time", ROLE_TIME, "ms" }, { "power", ROLE_POWER, "mW" } },
	  .about = "ms and mW without header" },
	{ .name = "ina219-sketch",
	  .header = "ms,busv",
	  .shape = "nnnnn",
	  .declared = true,
	  .meaning = SAMPLE_INSTANT,
	  .column = { { "ms", ROLE_TIME, "ms" },
		      { "busv", ROLE_VOLTAGE, "V" },
		      { "shuntv", ROLE_NONE, "mV" },
		      { "loadv", ROLE_NONE, "V" },
		      { "current", ROLE_CURRENT, "mA" } },
	  .about = "an Arduino sketch's ms, bus V, shunt mV, load V, mA; power is bus V x A" },
	{ .name = "arm-probe",
	  .header = "time (", /* and the next name has a unit in brackets */
	  .meaning = SAMPLE_MEAN_ENDING,
	  .flags = DIALECT_TERMINATED,
	  .column = { { "time", ROLE_TIME, "s" } },
	  .about = "arm-probe: several channels, of which one is chosen: power=NAME:W" },
	{ .name = NULL },
};

const struct dialect *dialect_by_name(const char *name)
{
	for (const struct dialect *d = dialects; d->name != NULL; d++)
		if (strcmp(d->name, name) == 0)
			return d;
	return NULL;
}

/* Cells joined by commas, lower case, against the beginning that a row asks for. */
static bool header_fits(const struct cells *c, const char *want)
{
	for (int i = 0; i < c->count; i++) {
		for (size_t k = 0; k < c->cell[i].len; k++) {
			if (*want == '\0')
				return true;
			if (tolower((unsigned char)c->cell[i].at[k]) != *want)
				return false;
			want++;
		}
		if (*want == '\0')
			return true;
		if (i == 0 && strcmp(want, " (") == 0)
			return c->count > 1 && memchr(c->cell[1].at, '(', c->cell[1].len) != NULL;
		if (*want++ != ',')
			return false;
	}
	return *want == '\0';
}

const struct dialect *dialect_by_header(const struct cells *c)
{
	for (const struct dialect *d = dialects; d->name != NULL; d++)
		if (d->header != NULL && header_fits(c, d->header))
			return d;
	return NULL;
}

static bool cell_fits(struct slice s, char want)
{
	struct decimal d;
	struct stamp t;
	size_t used = decimal_read(s.at, s.len, '.', &d);

	switch (want) {
	case 't':
		return stamp_read(s.at, s.len, &t) && !t.dated;
	case 'n':
		return used > 0 && used == s.len;
	case 'T':
		return s.len == 16 && used == s.len;
	}
	return s.len > 0 && used != s.len && !stamp_read(s.at, s.len, &t);
}

const struct dialect *dialect_by_shape(const struct cells *c, bool parenthesised)
{
	for (const struct dialect *d = dialects; d->name != NULL; d++) {
		const char *shape = d->shape;
		int i = 0;

		if (shape == NULL || d->declared || (*shape == '(') != parenthesised)
			continue;
		shape += *shape == '(';
		while (i < c->count && shape[i] != '\0' && shape[i] != ')' &&
		       cell_fits(c->cell[i], shape[i]))
			i++;
		if (i == c->count && (shape[i] == '\0' || shape[i] == ')'))
			return d;
	}
	return NULL;
}
