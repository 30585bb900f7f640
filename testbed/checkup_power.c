/* SPDX-License-Identifier: Apache-2.0 */
/*
 * checkup_power - what a meter here needs: a bus, the right to use it, a clock that holds, and
 * threads that are not held up.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "power/sysfs.h"
#include "testbed/checkup.h"

/* The first /dev/i2c-N, or how many of them may not be opened. */
static int find_buses(const struct checkup_view *v, char bus[64], int *refused)
{
	char dir_path[512], path[800];
	struct dirent *entry;
	int found = 0;
	DIR *dir;

	*refused = 0;
	snprintf(dir_path, sizeof(dir_path), "%s/dev", v->root);
	dir = opendir(dir_path);
	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, "i2c-", 4) != 0)
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir_path, entry->d_name);
		*refused += access(path, R_OK | W_OK) != 0;
		if (!found++)
			snprintf(bus, 64, "%.63s", entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found;
}

static void look_at_bus(const struct checkup_view *v, struct checkup_finding *found)
{
	int refused, buses;
	char bus[64] = "";

	buses = find_buses(v, bus, &refused);
	if (!buses) {
		checkup_say(found, CHECKUP_NOTE,
			    "no /dev/i2c-*: an INA219 cannot be read here, and a model is no "
			    "measurement");
		checkup_cure(found, "dtparam=i2c_arm=on in config.txt (Orange Pi: overlay i2c0), "
				    "then sudo modprobe i2c-dev; or another meter: cipherwatt "
				    "power --list");
	} else if (refused == buses) {
		checkup_say(found, CHECKUP_NOTE, "/dev/%s may not be used by this user", bus);
		checkup_cure(found, "sudo adduser $USER i2c, and log in again");
	} else
		checkup_say(found, CHECKUP_GOOD, "/dev/%s%s", bus, buses > 1 ? " and others" : "");
}

/* Devicetree numbers are four bytes, the high one first. */
static bool bus_hz(const struct checkup_view *v, const char *bus, int64_t *hz)
{
	unsigned char cell[4];
	char path[600];
	size_t got = 0;
	FILE *in;

	snprintf(path, sizeof(path), "%s/sys/class/i2c-dev/%s/device/of_node/clock-frequency",
		 v->root, bus);
	in = fopen(path, "re");
	if (in) {
		got = fread(cell, 1, sizeof(cell), in);
		fclose(in);
	}
	if (got == sizeof(cell))
		*hz = (int64_t)cell[0] << 24 | cell[1] << 16 | cell[2] << 8 | cell[3];
	return got == sizeof(cell) && *hz > 0;
}

#define BITS_PER_SAMPLE (3 * 47) /* three registers, each an SMBus word read: facts of the bus */
#define CHIP_HZ         940      /* of an INA219, both channels at 12 bits: its datasheet, 8.3.1 */

static void look_at_speed(const struct checkup_view *v, struct checkup_finding *found)
{
	char bus[64] = "";
	int64_t hz, rate;
	int refused;

	if (!find_buses(v, bus, &refused)) {
		checkup_say(found, CHECKUP_UNKNOWN, "there is no bus");
		return;
	}
	if (!bus_hz(v, bus, &hz)) {
		checkup_say(found, CHECKUP_UNKNOWN, "the device tree does not say how fast %s is",
			    bus);
		return;
	}
	rate = hz / BITS_PER_SAMPLE;
	checkup_say(found, rate < CHIP_HZ ? CHECKUP_NOTE : CHECKUP_GOOD,
		    "%s at %" PRId64 " kHz: %" PRId64 " samples of an INA219 a second", bus,
		    hz / 1000, rate);
	if (found->verdict != CHECKUP_GOOD)
		checkup_cure(found, "dtparam=i2c_arm_baudrate=400000 in config.txt: then the chip "
				    "is the limit, not the bus");
}

static void look_at_priority(const struct checkup_view *v, struct checkup_finding *found)
{
	if (v->realtime) {
		checkup_say(found, CHECKUP_GOOD, "the meter's threads may run before the load");
		return;
	}
	checkup_say(found, CHECKUP_NOTE,
		    "no real-time priority for this user: load leaves gaps in the power log");
	checkup_cure(found,
		     "a line \"$USER - rtprio 1\" in /etc/security/limits.d/cipherwatt.conf, "
		     "and log in again");
}

static void look_at_mains(const struct checkup_view *v, struct checkup_finding *found)
{
	static const char class_dir[] = "/sys/class/power_supply";
	char path[800], status[32], name[64] = "";
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), "%s%s", v->root, class_dir);
	dir = opendir(path);
	while (dir && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), "%s/%s/status", class_dir, entry->d_name);
		if (checkup_text(v, path, status, sizeof(status)) && !strcmp(status, "Discharging"))
			snprintf(name, sizeof(name), "%.63s", entry->d_name);
	}
	if (dir)
		closedir(dir);
	if (!name[0]) {
		checkup_say(found, CHECKUP_GOOD, "no battery is being emptied");
		return;
	}
	checkup_say(found, CHECKUP_NOTE,
		    "%s is being emptied: on battery a machine saves power, and more so when it "
		    "runs low",
		    name);
	checkup_cure(found, "plug it in, unless the battery is what is measured");
}

const struct checkup checkup_power[] = {
	{ "bus", "I2C for an INA219", look_at_bus },
	{ "speed", "samples that the bus can carry", look_at_speed },
	{ "priority", "real-time priority for the sampler", look_at_priority },
	{ "mains", "battery or mains", look_at_mains },
	{ 0 },
};
