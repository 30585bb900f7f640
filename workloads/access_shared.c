/* SPDX-License-Identifier: Apache-2.0 */
/* access_shared - the list of what is shared in this process, behind one lock. */
#include "workloads/access_shared.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "lib/log.h"

struct entry {
	struct access_shared shared; /* first: what is handed out */
	struct access_params params;
	char *texts[3]; /* copies: policy, users, audit */
	int takers;
	struct entry *next;
};

static struct {
	pthread_mutex_t lock;
	struct entry *first;
} registry = { .lock = PTHREAD_MUTEX_INITIALIZER };

static bool same_text(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static bool same(const struct entry *e, const struct access_params *p)
{
	return same_text(e->texts[0], p->policy_file) && same_text(e->texts[1], p->users_file) &&
	       same_text(e->texts[2], p->audit_file) && e->params.users == p->users &&
	       e->params.durability == p->durability && e->params.batch_ns == p->batch_ns &&
	       e->params.model == p->model && e->params.skew_ns == p->skew_ns &&
	       e->params.wall_ns == p->wall_ns;
}

static void entry_free(struct entry *e)
{
	struct fail f = { 0 };

	if (e->shared.audit && audit_close(e->shared.audit, &f) != 0)
		log_say(LOG_ERROR, "%s", f.text);
	nonces_free(e->shared.nonces);
	for (int i = 0; i < 3; i++)
		free(e->texts[i]);
	free(e);
}

static int copy_texts(struct entry *e, const struct access_params *p)
{
	const char *const from[3] = { p->policy_file, p->users_file, p->audit_file };

	for (int i = 0; i < 3; i++) {
		e->texts[i] = from[i] ? strdup(from[i]) : NULL;
		if (from[i] && !e->texts[i])
			return -1;
	}
	e->params = *p;
	return 0;
}

static int open_audit(struct entry *e, const struct access_params *p, struct fail *f)
{
	struct audit_found found;

	if (!p->audit_file)
		return 0;
	e->shared.audit = audit_open(p->audit_file, p->durability, p->batch_ns, &found, f);
	if (!e->shared.audit)
		return -1;
	if (found.torn_bytes)
		log_say(LOG_WARNING, "audit log %s: a torn end of %lld bytes was cut off",
			p->audit_file, (long long)found.torn_bytes);
	return 0;
}

static struct entry *entry_new(const struct access_params *p, struct fail *f)
{
	struct entry *e = calloc(1, sizeof *e);
	int status = -1;

	if (!e) {
		fail_set(f, ENOMEM, "no memory for the access workload");
		return NULL;
	}
	/* A request is in time for skew_ns before and after: it can come back for both. */
	e->shared.nonces = nonces_new(2 * (p->skew_ns ? p->skew_ns : ACCESS_SKEW_NS));
	if (!e->shared.nonces || copy_texts(e, p) != 0)
		fail_set(f, ENOMEM, "no memory for the access workload");
	else
		status = open_audit(e, p, f);
	if (status == 0)
		return e;
	entry_free(e);
	return NULL;
}

struct access_shared *access_shared_take(const struct access_params *p, struct fail *f)
{
	struct entry *e;

	pthread_mutex_lock(&registry.lock);
	for (e = registry.first; e && !same(e, p); e = e->next)
		;
	if (!e && (e = entry_new(p, f))) {
		e->next = registry.first;
		registry.first = e;
	}
	if (e)
		e->takers++;
	pthread_mutex_unlock(&registry.lock);
	return e ? &e->shared : NULL;
}

void access_shared_give(struct access_shared *s)
{
	struct entry *e = (struct entry *)s, **at = &registry.first;

	pthread_mutex_lock(&registry.lock);
	if (--e->takers == 0) {
		while (*at != e)
			at = &(*at)->next;
		*at = e->next;
		entry_free(e);
	}
	pthread_mutex_unlock(&registry.lock);
}
