/* SPDX-License-Identifier: Apache-2.0 */
/*
 * udp_stat - two text formats of the kernel: a line of names above a line of numbers (IPv4), and a
 * name and a number on each line (IPv6).
 */
#include "lib/udp_stat.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Longer than both files ever are. */
#define TEXT_BYTES 32768

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

/* -1: errno. */
static int read_text(const char *path, char text[TEXT_BYTES])
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), code;
	size_t len = 0;
	ssize_t n = fd < 0 ? -1 : 1;

	while (n > 0 && len < TEXT_BYTES - 1) {
		n = read(fd, text + len, TEXT_BYTES - 1 - len);
		len += n > 0 ? (size_t)n : 0;
	}
	code = errno;
	text[len] = 0;
	if (fd >= 0)
		close(fd);
	errno = code;
	return n < 0 ? -1 : 0;
}

int udp_stat_read(struct udp_stat *s, struct fail *f)
{
	static const char *const path = "/proc/net/snmp";
	char snmp[TEXT_BYTES], snmp6[TEXT_BYTES];
	bool six;

	if (read_text(path, snmp))
		return fail_set(f, errno, "cannot read %s: %s", path, strerror(errno));
	six = !read_text("/proc/net/snmp6", snmp6);
	if (udp_stat_parse(snmp, six ? snmp6 : NULL, s))
		return fail_set(f, EPROTO, "%s has no line \"Udp:\"", path);
	return 0;
}
