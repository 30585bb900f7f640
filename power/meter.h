/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meter - one source of power or energy readings for one node.
 *
 * A meter hands over what the instrument said and when, in its own codes, and
 * facts that say what the codes mean. Conversion is a pure function of the two
 * (power/convert.h), so that a stored trace can be read again years later.
 * Energy is computed from samples by power/energy.h, never by a meter.
 */
#ifndef POWER_METER_H
#define POWER_METER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/fail.h"

/* What one sample says about time; it decides how samples are integrated. */
enum sample_meaning {
	SAMPLE_INSTANT,       /* power at the stamp: trapezoid */
	SAMPLE_MEAN_ENDING,   /* mean power since the sample before: right rectangle */
	SAMPLE_MEAN_STARTING, /* holds until the next sample: left rectangle */
	SAMPLE_INCREMENT,     /* energy since the sample before */
	SAMPLE_COUNTER        /* energy so far, may wrap */
};
extern const char *const sample_meaning_name[];

/* Where the figures come from. A modelled figure is never shown without the word. */
enum provenance { PROVENANCE_MEASURED, PROVENANCE_MODELLED, PROVENANCE_SYNTHETIC };
extern const char *const provenance_name[]; /* "measured", "modelled", "synthetic" */

enum sample_flag {
	SAMPLE_SATURATED = 1 << 0, /* the converter clipped: value is a bound, a gap for energy */
	SAMPLE_MATH_OVERFLOW =
		1 << 1,        /* OVF: CURRENT and POWER registers are false, SHUNT and BUS good */
	SAMPLE_STALE = 1 << 2, /* no new conversion since the sample before: not counted */
	SAMPLE_RETRIED = 1 << 3, /* the bus needed a second try */
	SAMPLE_REINIT = 1 << 4,  /* the chip had lost its settings: a gap ends here */
	SAMPLE_ABSENT = 1 << 5,  /* nothing could be read: a gap */
	SAMPLE_TORN = 1 << 6,    /* registers may be of two conversions */
	SAMPLE_LATE = 1 << 7,    /* taken more than half a period after it was due */
};

struct sample {
	int64_t before_ns, after_ns; /* CLOCK_MONOTONIC around the read */
	int64_t code[2];             /* as facts.kind says */
	uint32_t flags;              /* enum sample_flag */
};

enum code_kind {
	CODE_BUS_SHUNT, /* code[0] bus voltage, code[1] shunt voltage, in the LSBs below */
	CODE_POWER,     /* code[0] in nanowatts */
	CODE_ENERGY     /* code[0] in nanojoules: increment or counter */
};

/* All that conversion and the uncertainty budget need; goes into the trace's head. */
struct meter_facts {
	char source[256]; /* the METER text that opened it */
	char chip[16];    /* "ina219"; "" where there is none */
	enum code_kind kind;
	enum sample_meaning meaning;
	enum provenance provenance;
	char basis[160];   /* "board rpi-4b: idle 1.6 W, loaded 5.0 W (wall; ...)", "wave", "" */
	int64_t period_ns; /* between new values; 0 unknown */
	/* A mean or an increment is about all the time since the sample before, however long: a
	 * counter stands behind it. Otherwise it is about one period at the most. */
	bool gapless;
	int64_t bus_lsb_pv, shunt_lsb_pv; /* picovolts: an INA228's LSBs are no whole nanovolts */
	int64_t shunt_uohm;
	bool inverted;
	int64_t counter_range_nj; /* SAMPLE_COUNTER: where it wraps; 0: unknown */
	int64_t counter_step_nj;  /* SAMPLE_COUNTER: it counts whole steps of this; 0: fine ones */
	/* From a calibration: true current = (read - offset) * (1 + gain). */
	int64_t trim_gain_ppm, trim_offset_na;
	/* Instrument uncertainty, standard (k = 1): relative parts in ppm, offset in nW or nA. */
	int64_t gain_ppm, shunt_ppm, clock_ppm;
	bool error_unknown; /* nobody said how good the instrument is: a lower bound only */
	int64_t offset_na;  /* of the current */
	int64_t power_min_nw, power_max_nw; /* physical range: beyond it is a gap; 0, 0: none */
};

struct meter {
	const struct meter_ops *ops;
	struct meter_facts facts;
	void *impl;
	bool stored; /* the readings are there already, with stamps of their own: nobody waits */
	struct fail fail;
};

struct meter_ops {
	const char *name; /* "ina219": the word before the first ':' of a METER text */
	const char *help; /* what comes behind it, for --help */
	/* Fills facts. arg is the text behind "NAME:", "" when none. */
	int (*open)(struct meter *m, const char *arg);
	/* Waits for a new value at most one period; 0, or 1: there are no more readings, or -1:
	 * gone for good (m->fail). Absent values are flagged samples. */
	int (*read)(struct meter *m, struct sample *s);
	/* A model watches these processes from now on, instead of those before, and counts what
	 * they use from now on; other meters answer 0 and do nothing. May be called while another
	 * thread reads. -1: m->fail; it watches what it did. */
	int (*watch)(struct meter *m, const pid_t *pids, int count);
	void (*close)(struct meter *m);
};

extern const struct meter_ops *const meters[]; /* ends with NULL */

/* METER text: "ina219:/dev/i2c-1@0x40,shunt=0.1,max=2A", "model:rpi-4b", "wave:...". */
int meter_open(struct meter *m, const char *text);
void meter_close(struct meter *m);

#endif
