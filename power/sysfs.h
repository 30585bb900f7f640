/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sysfs - what the meters that read the kernel's files share: attributes as text and numbers,
 * finding a device by its name, a steady pace, and messages that name the file and the cure.
 *
 * Files are opened anew for each reading: a device that goes away is noticed at once.
 */
#ifndef POWER_SYSFS_H
#define POWER_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "power/args.h"
#include "power/meter.h"

#define SYSFS_PATH 512
#define SYSFS_TEXT 128

/* Each 0, or -errno: -ENOENT there is no such file, -EBADMSG what it says is not a number. */
int sysfs_text(const char *dir, const char *name, char *dst, size_t len);
int sysfs_integer(const char *dir, const char *name, int64_t *value);
/* A decimal number times 10^digits, rounded: "0.010000000" with 9 is 10000000. */
int sysfs_decimal(const char *dir, const char *name, int digits, int64_t *value);
bool sysfs_has(const char *dir, const char *name);

/*
 * The directory of the one device under `class` (with root in front) that is called `wanted` or
 * whose file "name" says so; entries that begin with `prefix` only, those with `avoid` last.
 * -1: which there are, in f.
 */
int sysfs_find(const char *root, const char *class_dir, const char *prefix, const char *avoid,
	       const char *wanted, char dst[SYSFS_PATH], struct fail *f);

/* Why a file could not be read, with the cure for a refused permission. Always -1. */
int sysfs_fail(struct fail *f, const char *dir, const char *name, int err, const char *cure);

/* Readings at a steady pace. */
struct pace {
	int64_t period_ns, due_ns;
};
/* Sleeps until the next reading is due; deadlines that passed are left out. */
void pace_wait(struct pace *p);

/* The options that these meters have in common: root= and period=. */
struct sysfs_options {
	char root[SYSFS_PATH / 2]; /* in front of /sys; "" is this machine */
	struct pace pace;
};
/* options->pace.period_ns is the default. */
void sysfs_options(struct args *a, int64_t least_ns, struct sysfs_options *options);
/* error=PERCENT, the operator's word on an instrument whose maker gives none; error_unknown without
 * it. */
void sysfs_error(struct args *a, struct meter_facts *facts);

/* As meter_ops.watch: there is nothing to watch. */
int sysfs_watch(struct meter *m, const pid_t *pids, int count);

/*
 * What became of a reading: 0 and an absent sample for an error that may pass, -1 for a device
 * that is gone, with the reason. err is not 0.
 */
int sysfs_lost(struct meter *m, struct sample *s, const char *dir, const char *name, int err);

extern const struct meter_ops meter_iio, meter_hwmon, meter_rapl, meter_psu;

#endif
