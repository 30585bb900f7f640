/* SPDX-License-Identifier: Apache-2.0 */
/* watch_look - which database, whether it has changed, and reading it. */
#include "results/watch_look.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/clock.h"
#include "lib/usage.h"
#include "results/pick.h"

#define EVERY_NS     NS_PER_S
#define COST_DIVISOR 50
#define ENDING       ".db"

/* --- which file, and when it was written ------------------------------------- */

static int64_t change_ns(const struct stat *st)
{
	return st->st_mtim.tv_sec * NS_PER_S + st->st_mtim.tv_nsec;
}

/* A log without anything in it may be a reader's. */
static void take_stamps(const char *path, struct watch_stamps *s)
{
	char log[PATH_BYTES + 8];
	struct stat st;

	memset(s, 0, sizeof(*s));
	if (stat(path, &st) == 0) {
		s->file.device = st.st_dev;
		s->file.inode = st.st_ino;
		s->file.size = st.st_size;
		s->file.changed_ns = change_ns(&st);
	}
	snprintf(log, sizeof(log), "%s-wal", path);
	if (stat(log, &st) == 0 && st.st_size > 0) {
		s->log.inode = st.st_ino;
		s->log.size = st.st_size;
		s->log.changed_ns = change_ns(&st);
	}
}

static int64_t written_ns(const struct watch_stamps *s)
{
	return s->log.changed_ns > s->file.changed_ns ? s->log.changed_ns : s->file.changed_ns;
}

static int is_database(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name);

	return len > strlen(ENDING) && !strcmp(entry->d_name + len - strlen(ENDING), ENDING);
}

/* The one last written to. dst is "" where there is none. */
static int find_newest(char dst[PATH_BYTES], struct fail *f)
{
	char dir[PATH_BYTES], path[PATH_BYTES];
	struct dirent **entry = NULL;
	int64_t newest_ns = -1;
	int count;

	*dst = '\0';
	if (path_place(PATH_DATA, NULL, dir, f) < 0)
		return -1;
	count = scandir(dir, &entry, is_database, alphasort);
	if (count < 0)
		return fail_set(f, errno, "cannot look through %s: %s", dir, strerror(errno));
	for (int i = 0; i < count; i++) {
		struct watch_stamps s;

		if (snprintf(path, sizeof(path), "%s/%s", dir, entry[i]->d_name) < PATH_BYTES) {
			take_stamps(path, &s);
			if (written_ns(&s) > newest_ns)
				memcpy(dst, path, sizeof(path));
			newest_ns = written_ns(&s) > newest_ns ? written_ns(&s) : newest_ns;
		}
		free(entry[i]);
	}
	free(entry);
	if (!*dst)
		return fail_set(f, ENOENT,
				"there is no database in %.200s yet; `cipherwatt run` makes one",
				dir);
	return 0;
}

/* One that a run is writing to is not left for another. */
static int find_database(struct watch_look *l, char dst[PATH_BYTES], struct fail *f)
{
	if (!l->database && *l->view.database && store_claimed(l->view.database) > 0)
		memcpy(dst, l->view.database, PATH_BYTES);
	else if (!l->database)
		return find_newest(dst, f);
	else
		snprintf(dst, PATH_BYTES, "%s", l->database);
	return 0;
}

/* --- reading ------------------------------------------------------------------ */

static int take_news(const struct store_news *n, void *data)
{
	struct watch_view *v = data;
	struct watch_trial *t = &v->trial[v->trials++];

	t->block = n->block;
	t->valid = n->valid;
	snprintf(t->cell, sizeof(t->cell), "%s", n->cell);
	snprintf(t->started, sizeof(t->started), "%s", n->started);
	snprintf(t->reason, sizeof(t->reason), "%s", n->reason);
	return 0;
}

static bool may_grow(const struct campaign *c)
{
	json_error_t bad;
	json_t *options = json_loads(c->options ? c->options : "{}", 0, &bad);
	const json_t *until = json_object_get(options, "until");
	bool grows = json_integer_value(json_object_get(until, "max_blocks")) > c->blocks;

	json_decref(options);
	return grows;
}

static int64_t find_campaign(const struct watch_look *l, struct store *s, struct fail *f)
{
	int64_t id = pick_campaign(s, l->campaign, f);

	if (id == 0 && l->campaign)
		return fail_set(f, ENOENT, "there is no campaign \"%.80s\" in the database yet",
				l->campaign);
	if (id == 0)
		return fail_set(f, ENOENT, "the database holds no campaign yet");
	return id;
}

static int read_campaign(struct watch_look *l, struct store *s, struct fail *f)
{
	struct watch_view *v = &l->view;
	int64_t newest = store_newest_campaign(s, f), id = find_campaign(l, s, f);

	if (newest < 0 || id < 0 || report_load(s, id, &l->report, f) < 0)
		return -1;
	v->report = &l->report;
	v->newest = id == newest;
	v->may_grow = !l->report.campaign.complete && may_grow(&l->report.campaign);
	return store_each_news(s, id, WATCH_TRIALS, take_news, v, f);
}

static void forget(struct watch_look *l)
{
	if (l->view.report)
		report_release(&l->report);
	l->view.report = NULL;
	l->view.trials = 0;
	fail_clear(&l->view.fail);
}

static void read_all(struct watch_look *l)
{
	struct store *s;

	forget(l);
	s = store_open(l->view.database, STORE_READ, &l->view.fail);
	if (s && read_campaign(l, s, &l->view.fail) < 0 && l->view.report) {
		report_release(&l->report);
		l->view.report = NULL;
	}
	store_close(s);
}

int watch_look_check(const struct watch_look *l, struct fail *f)
{
	struct store *s = l->database ? store_open(l->database, STORE_READ, f) : NULL;

	store_close(s);
	return f->code && !watch_may_come(f) ? -1 : 0;
}

/* What cannot be read now is tried again, whether or not it changes. */
static bool has_changed(struct watch_look *l, const char *path, const struct watch_stamps *now)
{
	return strcmp(path, l->view.database) != 0 || memcmp(now, &l->seen, sizeof(*now)) != 0 ||
	       l->view.fail.code == EBUSY || !l->version;
}

static void look(struct watch_look *l)
{
	char path[PATH_BYTES];
	struct watch_stamps now;
	struct fail f = { 0 };

	if (find_database(l, path, &f) < 0) {
		forget(l);
		l->version += l->view.database[0] || !l->version;
		l->view.database[0] = '\0';
		l->view.fail = f;
		return;
	}
	take_stamps(path, &now);
	now.claimed = store_claimed(path);
	if (!has_changed(l, path, &now))
		return;
	memcpy(l->view.database, path, sizeof(path));
	l->view.claimed = now.claimed;
	l->view.written_ns = written_ns(&now);
	l->seen = now;
	read_all(l);
	l->version++;
}

void watch_look(struct watch_look *l, int64_t now_ns)
{
	int64_t from_ns = usage_thread_cpu_ns(), rest_ns;

	if (now_ns < l->due_ns)
		return;
	look(l);
	rest_ns = COST_DIVISOR * (usage_thread_cpu_ns() - from_ns);
	l->due_ns = now_ns + (rest_ns > EVERY_NS ? rest_ns : EVERY_NS);
}

void watch_look_release(struct watch_look *l)
{
	forget(l);
}
