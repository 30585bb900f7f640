/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sysfs - small files of the kernel. It must not know what any of them means.
 */
#include "power/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/buf.h"
#include "lib/clock.h"
#include "lib/units.h"

static int open_attribute(const char *dir, const char *name, int flags)
{
	char path[SYSFS_PATH + 64];
	int fd;

	if ((size_t)snprintf(path, sizeof path, "%s/%s", dir, name) >= sizeof path)
		return -ENAMETOOLONG;
	fd = open(path, flags | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int sysfs_text(const char *dir, const char *name, char *dst, size_t len)
{
	int fd = open_attribute(dir, name, O_RDONLY), err;
	ssize_t got;

	dst[0] = '\0';
	if (fd < 0)
		return fd;
	got = read(fd, dst, len - 1);
	err = errno;
	close(fd);
	if (got < 0)
		return -err;
	dst[got] = '\0';
	dst[strcspn(dst, "\n")] = '\0';
	return 0;
}

int sysfs_integer(const char *dir, const char *name, int64_t *value)
{
	char text[SYSFS_TEXT];
	struct fail f = { 0 };
	int err = sysfs_text(dir, name, text, sizeof text);

	if (err != 0)
		return err;
	return units_integer(text, INT64_MIN, INT64_MAX, value, &f) == 0 ? 0 : -EBADMSG;
}

int sysfs_decimal(const char *dir, const char *name, int digits, int64_t *value)
{
	char text[SYSFS_TEXT];
	struct fail f = { 0 };
	double real;
	int err = sysfs_text(dir, name, text, sizeof text);

	if (err != 0)
		return err;
	if (units_real(text, &real, &f) != 0 || !(fabs(real) * pow(10, digits) < 9e18))
		return -EBADMSG;
	*value = llround(real * pow(10, digits));
	return 0;
}

bool sysfs_has(const char *dir, const char *name)
{
	char path[SYSFS_PATH + 64];

	return (size_t)snprintf(path, sizeof path, "%s/%s", dir, name) < sizeof path &&
	       access(path, F_OK) == 0;
}

static bool matches(const char *class_dir, const char *entry, const char *wanted, char *says,
		    size_t len)
{
	char path[SYSFS_PATH];

	if ((size_t)snprintf(path, sizeof path, "%s/%s", class_dir, entry) >= sizeof path ||
	    sysfs_text(path, "name", says, len) != 0)
		says[0] = '\0';
	return strcmp(entry, wanted) == 0 || (says[0] && strcmp(says, wanted) == 0);
}

struct search {
	const char *dir, *prefix, *avoid, *wanted;
	char found[256];
	bool reserve; /* found is one to avoid */
	struct buf all;
};

static int look_at(struct search *s, const char *entry)
{
	bool avoided = s->avoid != NULL && strncmp(entry, s->avoid, strlen(s->avoid)) == 0;
	char says[SYSFS_TEXT];

	if (strncmp(entry, s->prefix, strlen(s->prefix)) != 0 || entry[0] == '.')
		return 0;
	if (matches(s->dir, entry, s->wanted, says, sizeof says)) {
		if (s->found[0] && avoided == s->reserve)
			return -1;
		if (!s->found[0] || s->reserve) {
			snprintf(s->found, sizeof s->found, "%s", entry);
			s->reserve = avoided;
		}
	}
	buf_printf(&s->all, "%s%s%s%s%s", s->all.len ? ", " : "", entry, says[0] ? " (" : "", says,
		   says[0] ? ")" : "");
	return 0;
}

static int search(struct search *s, struct fail *f)
{
	DIR *d = opendir(s->dir);
	struct dirent *e;
	int err = errno, result = 0;

	if (d == NULL)
		return fail_set(f, err,
				"cannot look into %s: %s; the kernel has no driver of "
				"this kind loaded",
				s->dir, strerror(err));
	while (result == 0 && (e = readdir(d)) != NULL)
		if (look_at(s, e->d_name) != 0)
			result = fail_set(f, EINVAL,
					  "%s: both %s and %s are called \"%s\": give one of these",
					  s->dir, s->found, e->d_name, s->wanted);
	closedir(d);
	return result;
}

int sysfs_find(const char *root, const char *class_dir, const char *prefix, const char *avoid,
	       const char *wanted, char dst[SYSFS_PATH], struct fail *f)
{
	char dir[SYSFS_PATH / 2 + 64];
	struct search s = { .dir = dir, .prefix = prefix, .avoid = avoid, .wanted = wanted };
	int result;

	snprintf(dir, sizeof dir, "%s%s", root, class_dir);
	buf_init(&s.all, 160);
	result = search(&s, f);
	if (result == 0 && s.found[0] == '\0')
		result = fail_set(f, s.wanted[0] ? ENODEV : EINVAL, "%s%s%s in %s; there %s%s",
				  s.wanted[0] ? "there is no \"" : "expected the name of a device",
				  s.wanted, s.wanted[0] ? "\"" : "", dir,
				  s.all.len ? "are " : "is none", buf_text(&s.all));
	else if (result == 0)
		snprintf(dst, SYSFS_PATH, "%.*s/%s", SYSFS_PATH - (int)sizeof s.found - 1, dir,
			 s.found);
	buf_release(&s.all);
	return result;
}

int sysfs_fail(struct fail *f, const char *dir, const char *name, int err, const char *cure)
{
	return fail_set(f, -err, "cannot read %s/%s: %s%s%s", dir, name,
			err == -EBADMSG ? "it is not a number" : strerror(-err),
			err == -EACCES || err == -EPERM ? "; " : "",
			err == -EACCES || err == -EPERM ? cure : "");
}

void pace_wait(struct pace *p)
{
	int64_t now_ns = clock_ns();

	if (p->due_ns == 0)
		p->due_ns = now_ns;
	else
		p->due_ns += p->period_ns;
	if (p->due_ns < now_ns)
		p->due_ns += (now_ns - p->due_ns) / p->period_ns * p->period_ns;
	clock_sleep_until(p->due_ns);
}

void sysfs_options(struct args *a, int64_t least_ns, struct sysfs_options *options)
{
	const char *root = args_text(a, "root");

	args_duration(a, "period", &options->pace.period_ns);
	if (options->pace.period_ns < least_ns)
		fail_set(a->fail, EINVAL, "period: expected %.6g ms or more",
			 (double)least_ns / 1e6);
	if ((size_t)snprintf(options->root, sizeof options->root, "%s", root ? root : "") >=
	    sizeof options->root)
		fail_set(a->fail, EINVAL, "root is longer than %zu characters",
			 sizeof options->root - 1);
}

void sysfs_error(struct args *a, struct meter_facts *facts)
{
	double pct = 0;

	facts->error_unknown = !args_real(a, "error", &pct);
	if (!(pct >= 0 && pct < 100))
		fail_set(a->fail, EINVAL, "error: expected a standard one of 0 to 100 %%");
	else
		facts->gain_ppm = llround(pct * 1e4);
}

int sysfs_watch(struct meter *m, const pid_t *pids, int count)
{
	(void)m, (void)pids, (void)count;
	return 0;
}

int sysfs_lost(struct meter *m, struct sample *s, const char *dir, const char *name, int err)
{
	if (err == -ENOENT || err == -ENODEV || err == -ENXIO || err == -EACCES)
		return fail_set(&m->fail, -err, "%s/%s is gone: %s", dir, name, strerror(-err));
	s->code[0] = s->code[1] = 0;
	s->flags |= SAMPLE_ABSENT;
	s->after_ns = clock_ns();
	return 0;
}
