/* SPDX-License-Identifier: Apache-2.0 */
/*
 * udp_stat - two text formats of the kernel: a line of names above a line of numbers (IPv4), and a
 * name and a number on each line (IPv6).
 */
#include "lib/udp_stat.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "lib/path.h"

/* Longer than both files ever are. */
#define TEXT_BYTES_MAX 32768

static const struct {
	const char *name;
	size_t offset;
} fields[] = {
	{ "InDatagrams", offsetof(struct udp_stat, in_datagrams) },
	{ "OutDatagrams", offsetof(struct udp_stat, out_datagrams) },
	{ "NoPorts", offsetof(struct udp_stat, no_ports) },
	{ "InErrors", offsetof(struct udp_stat, in_errors) },
	{ "RcvbufErrors", offsetof(struct udp_stat, receive_buffer_errors) },
	{ "SndbufErrors", offsetof(struct udp_stat, send_buffer_errors) },
	{ "InCsumErrors", offsetof(struct udp_stat, checksum_errors) },
};
#define FIELDS (sizeof(fields) / sizeof(fields[0]))

static int64_t *field_at(struct udp_stat *s, size_t i)
{
	return (int64_t *)((char *)s + fields[i].offset);
}

static void add(struct udp_stat *s, const char *name, size_t len, int64_t value)
{
	for (size_t i = 0; i < FIELDS; i++) {
		if (strlen(fields[i].name) == len && !strncmp(fields[i].name, name, len))
			*field_at(s, i) += value;
	}
}

/* The line that begins with head, or NULL. */
static const char *line_of(const char *text, const char *head)
{
	size_t len = strlen(head);

	while (text && strncmp(text, head, len)) {
		text = strchr(text, '\n');
		text = text ? text + 1 : NULL;
	}
	return text;
}

/* Names and numbers side by side, each on its line. */
static int add_columns(struct udp_stat *s, const char *snmp)
{
	const char *name = line_of(snmp, "Udp: "), *value;

	value = name && strchr(name, '\n') ? line_of(strchr(name, '\n') + 1, "Udp: ") : NULL;
	if (!value)
		return -1;
	name += 5;
	value += 5;
	while (*name && *name != '\n' && *value && *value != '\n') {
		size_t len = strcspn(name, " \n");
		char *end;

		add(s, name, len, strtoll(value, &end, 10));
		value = end;
		name += len;
		name += *name == ' ';
	}
	return 0;
}

static void add_rows(struct udp_stat *s, const char *snmp6)
{
	const char *at = snmp6;

	while ((at = line_of(at, "Udp6"))) {
		size_t len = strcspn(at, " \t\n");

		add(s, at + 4, len - 4, strtoll(at + len, NULL, 10));
		at += len;
	}
}

int udp_stat_parse(const char *snmp, const char *snmp6, struct udp_stat *s)
{
	*s = (struct udp_stat){ 0 };
	if (add_columns(s, snmp))
		return -1;
	if (snmp6)
		add_rows(s, snmp6);
	return 0;
}

struct udp_stat udp_stat_since(const struct udp_stat *now, const struct udp_stat *before)
{
	struct udp_stat s = *now, from = *before;

	for (size_t i = 0; i < FIELDS; i++)
		*field_at(&s, i) -= *field_at(&from, i);
	return s;
}

int udp_stat_read(struct udp_stat *s, struct fail *f)
{
	static const char *const path = "/proc/net/snmp";
	struct buf snmp = { 0 }, snmp6 = { 0 };
	struct fail no_ipv6 = { 0 };
	int status = path_read(path, TEXT_BYTES_MAX, &snmp, f);
	bool six = status == 0 && !path_read("/proc/net/snmp6", TEXT_BYTES_MAX, &snmp6, &no_ipv6);

	if (status == 0 && udp_stat_parse(buf_text(&snmp), six ? buf_text(&snmp6) : NULL, s))
		status = fail_set(f, EPROTO, "%s has no line \"Udp:\"", path);
	buf_release(&snmp);
	buf_release(&snmp6);
	return status;
}
