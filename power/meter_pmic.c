/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meter_pmic - "pmic:": the rails of a Raspberry Pi 5, a process for each reading. It must not
 * be taken for the board: what the 5 V pins and USB ports draw does not pass these rails, nor
 * what the PMIC itself loses.
 */
#include "power/pmic.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/proc.h"
#include "power/sysfs.h"

#define COMMAND      "vcgencmd"
#define PERIOD_NS    (200 * NS_PER_MS)
#define PERIOD_LEAST (10 * NS_PER_MS)
#define WAIT_NS      (2 * NS_PER_S)
#define LINE_MOST    256
#define GAIN_PPM     30000 /* no accuracy is published; 3 % as found beside other meters */

struct pmic {
	char command[256];
	struct pace pace;
};

static struct pmic_rail *rail_named(struct pmic_reading *r, const char *name, size_t len)
{
	for (int i = 0; i < r->count; i++)
		if (strlen(r->rail[i].name) == len && memcmp(r->rail[i].name, name, len) == 0)
			return &r->rail[i];
	if (r->count == PMIC_RAILS || len == 0 || len >= sizeof r->rail[0].name)
		return NULL;
	memcpy(r->rail[r->count].name, name, len);
	return &r->rail[r->count++];
}

int pmic_line(struct pmic_reading *r, const char *line)
{
	char name[64], kind[16], unit, rest;
	struct pmic_rail *rail;
	double value;
	size_t len;
	int number;

	if (line[strspn(line, " \t\r")] == '\0')
		return 0;
	if (sscanf(line, " %63s %15[a-z](%d)=%lf%c %c", name, kind, &number, &value, &unit,
		   &rest) != 5 ||
	    !isfinite(value))
		return -1;
	len = strlen(name);
	if (len < 3 || name[len - 2] != '_' || name[len - 1] != unit)
		return -1;
	rail = rail_named(r, name, len - 2);
	if (rail == NULL)
		return -1;
	if (unit == 'A' && strcmp(kind, "current") == 0) {
		rail->has_current = true;
		rail->amperes = value;
		return 0;
	}
	rail->has_voltage = true;
	rail->volts = value;
	return unit == 'V' && strcmp(kind, "volt") == 0 ? 0 : -1;
}

double pmic_watts(const struct pmic_reading *r, int *rails)
{
	double watts = 0;

	*rails = 0;
	for (int i = 0; i < r->count; i++)
		if (r->rail[i].has_current && r->rail[i].has_voltage) {
			watts += r->rail[i].amperes * r->rail[i].volts;
			++*rails;
		}
	return watts;
}

static int read_lines(struct proc *p, struct pmic_reading *r, struct fail *f)
{
	struct proc_lines lines;
	const char *line;
	int got;

	proc_lines_init(&lines, p->out_fd, LINE_MOST);
	while ((got = proc_lines_next(&lines, clock_ns() + WAIT_NS, &line, f)) == 1)
		if (pmic_line(r, line) != 0) {
			got = fail_set(f, EBADMSG, "pmic_read_adc said \"%.80s\", which is no rail",
				       line);
			break;
		}
	proc_lines_release(&lines);
	return got;
}

static int run(const struct pmic *pmic, struct pmic_reading *r, struct fail *f)
{
	char command[256], verb[] = "pmic_read_adc", ended[64];
	char *argv[] = { command, verb, NULL };
	struct proc p;
	int result;

	*r = (struct pmic_reading){ 0 };
	snprintf(command, sizeof command, "%s", pmic->command);
	if (proc_start(&p, argv, PROC_STDOUT | PROC_QUIET, f) != 0)
		return fail_within(f,
				   "the PMIC is read by vcgencmd, which only a Raspberry Pi has");
	result = read_lines(&p, r, f);
	if (result == 0 && (proc_wait(&p, clock_ns() + WAIT_NS) != 1 || p.status != 0)) {
		proc_describe(&p, ended, sizeof ended);
		result = fail_set(f, EIO,
				  "%s pmic_read_adc: %s; it needs a Raspberry Pi 5 and the group "
				  "video",
				  command, ended);
	}
	proc_stop(&p, WAIT_NS);
	return result;
}

static int describe(struct pmic *pmic, struct meter *m)
{
	struct pmic_reading r;
	int rails;

	if (run(pmic, &r, &m->fail) != 0)
		return -1;
	pmic_watts(&r, &rails);
	if (rails == 0)
		return fail_set(&m->fail, ENODEV,
				"pmic_read_adc shows no rail with both current and voltage: "
				"expected a Raspberry Pi 5");
	m->facts.kind = CODE_POWER;
	m->facts.meaning = SAMPLE_INSTANT;
	m->facts.provenance = PROVENANCE_MEASURED;
	m->facts.period_ns = pmic->pace.period_ns;
	m->facts.gain_ppm = GAIN_PPM;
	m->facts.clock_ppm = 50;
	snprintf(m->facts.basis, sizeof m->facts.basis,
		 "%d rails of the PMIC: without 5 V pins, USB and the PMIC's own loss; a process "
		 "for each reading",
		 rails);
	return 0;
}

static int configure(struct meter *m, struct pmic *pmic, const char *arg)
{
	const char *command;
	struct args a;

	pmic->pace.period_ns = PERIOD_NS;
	if (args_init(&a, arg, &m->fail) != 0)
		return -1;
	command = args_text(&a, "command");
	args_duration(&a, "period", &pmic->pace.period_ns);
	if (args_finish(&a) != 0)
		return -1;
	if (pmic->pace.period_ns < PERIOD_LEAST)
		return fail_set(&m->fail, EINVAL, "period: expected 10 ms or more");
	snprintf(pmic->command, sizeof pmic->command, "%s", command ? command : COMMAND);
	return describe(pmic, m);
}

static int pmic_open(struct meter *m, const char *arg)
{
	struct pmic *pmic = calloc(1, sizeof *pmic);

	if (pmic == NULL)
		return fail_set(&m->fail, ENOMEM, "no memory");
	if (configure(m, pmic, arg) != 0) {
		free(pmic);
		return -1;
	}
	m->impl = pmic;
	return 0;
}

static int pmic_read(struct meter *m, struct sample *s)
{
	struct pmic *pmic = m->impl;
	struct pmic_reading r;
	struct fail f = { 0 };
	int rails = 0;

	pace_wait(&pmic->pace);
	*s = (struct sample){ .before_ns = clock_ns() };
	if (run(pmic, &r, &f) == 0)
		s->code[0] = llround(pmic_watts(&r, &rails) * 1e9);
	s->after_ns = clock_ns();
	if (f.code == ENOENT)
		return fail_set(&m->fail, f.code, "%s", f.text);
	if (rails == 0) {
		s->code[0] = 0;
		s->flags |= SAMPLE_ABSENT;
	}
	return 0;
}

static void pmic_close(struct meter *m)
{
	free(m->impl);
}

const struct meter_ops meter_pmic = {
	.name = "pmic",
	.help = "[period=200ms]: the rails of a Raspberry Pi 5 through `vcgencmd pmic_read_adc`; "
		"without what the 5 V pins and USB draw",
	.open = pmic_open,
	.read = pmic_read,
	.watch = sysfs_watch,
	.close = pmic_close,
};
