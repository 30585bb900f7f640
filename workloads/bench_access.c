/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_access - decisions per second with few and many users and rules, whole answers in JSON
 * and CBOR, and what an audit log costs. Not part of the program.
 *
 * Prints a line for each figure, CPU time of the thread, best of some rounds. A bench never
 * fails: what falls short is said in its line.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/clock.h"
#include "lib/rng.h"
#include "lib/usage.h"
#include "workloads/access_decider.h"
#include "workloads/access_people.h"
#include "workloads/asker.h"
#include "workloads/workload.h"

#define ROUNDS    5
#define REQUESTS  (1 << 14)
#define QUESTIONS 10000
#define ROLES     7

static const char *const role_names[ROLES] = { "nurse",      "doctor",     "visitor", "cleaner",
					       "technician", "pharmacist", "security" };

static void line(const char *name, double value, const char *unit, const char *target,
		 const char *verdict)
{
	printf("bench %s %.4g %s %s %s\n", name, value, unit, target, verdict);
	fflush(stdout);
}

static void die(const struct fail *f)
{
	fprintf(stderr, "bench_access: %s\n", f->text);
	exit(1);
}

/* --- decisions ---------------------------------------------------------------------- */

/* A rule for each pair of area and role, and more areas where there are more rules. */
static struct access_policy *make_policy(int rules)
{
	struct buf text = { 0 };
	struct fail f = { 0 };
	struct access_policy *p;

	buf_puts(&text, "policy: bench\ncombine: deny-overrides\nrules:\n");
	for (int i = 0; i < rules; i++)
		buf_printf(&text,
			   "- name: r%d\n  effect: %s\n  target: {areas: area-%d, roles: %s}\n"
			   "  conditions: user.clearance >= point.security\n"
			   "  when: {hours: \"00:00-24:00\"}\n",
			   i, i % 5 ? "permit" : "deny", i / ROLES, role_names[i % ROLES]);
	p = access_policy_open_text("bench", buf_text(&text), ACCESS_ABAC, NULL, &f);
	if (!p)
		die(&f);
	buf_release(&text);
	return p;
}

static void make_requests(struct access_request *q, int64_t users, int rules)
{
	struct rng rng;
	bool off;

	rng_seed(&rng, 1);
	for (int i = 0; i < REQUESTS; i++) {
		int area = (int)rng_below(&rng, (uint64_t)(rules + ROLES - 1) / ROLES);

		memset(&q[i], 0, sizeof q[i]);
		access_person((int64_t)rng_below(&rng, (uint64_t)users), &q[i].user, &off);
		access_door(i % ACCESS_POINTS, &q[i].point, &off);
		snprintf(q[i].point.area, sizeof q[i].point.area, "area-%d", area);
	}
}

/* Both the record of the user and the policy are asked. */
static int64_t decide_all(struct access_users *u, const struct access_policy *p,
			  const struct access_request *q)
{
	int64_t began_ns = usage_thread_cpu_ns();
	struct access_answer a;
	struct fail f = { 0 };

	for (int i = 0; i < REQUESTS; i++) {
		if (!access_users_person(u, q[i].user.id, clock_ns(), &f))
			die(&f);
		access_policy_decide(p, &q[i], INT64_C(1796112000000), &a);
	}
	return usage_thread_cpu_ns() - began_ns;
}

static double decisions_per_s(int64_t users, int rules)
{
	static struct access_request requests[REQUESTS];
	struct access_policy *p = make_policy(rules);
	int64_t best_ns = INT64_MAX;
	struct fail f = { 0 };
	struct access_users *u = access_users_open(NULL, users, &f);

	if (!u)
		die(&f);
	make_requests(requests, users, rules);
	for (int round = 0; round < ROUNDS; round++) {
		int64_t ns = decide_all(u, p, requests);

		best_ns = ns < best_ns ? ns : best_ns;
	}
	access_users_close(u);
	access_policy_close(p);
	return REQUESTS * 1e9 / (double)best_ns;
}

static void decisions(void)
{
	static const int64_t users[] = { 10, 1000, 100000 };
	static const int rules[] = { 10, 100, 1000 };
	double rate[3][3], by_users, by_rules;
	char name[64];

	for (int u = 0; u < 3; u++)
		for (int r = 0; r < 3; r++) {
			rate[u][r] = decisions_per_s(users[u], rules[r]);
			snprintf(name, sizeof name, "access.decisions.%" PRId64 ".%d", users[u],
				 rules[r]);
			line(name, rate[u][r], "per_s", "-", "info");
		}
	by_users = rate[0][2] / rate[2][2];
	by_rules = rate[1][0] / rate[1][2];
	line("access.cost.users_10000_fold", by_users, "x", "<=20",
	     by_users <= 20 ? "met" : "short");
	line("access.cost.rules_100_fold", by_rules, "x", "<=3", by_rules <= 3 ? "met" : "short");
}

/* --- answers -------------------------------------------------------------------------- */

/* CPU time of the server's half alone, its threads of the audit log not included. */
static double answers_per_s(enum access_encoding e, enum access_model m,
			    const struct access_params *p)
{
	struct workload w = { .ops = &workload_access, .params.access = *p };
	struct asker a = { .ops = &asker_access, .params.access = { .encoding = e, .model = m } };
	struct buf asked = { 0 }, scratch = { 0 };
	int64_t ns = 0;

	w.params.access.model = m;
	if (w.ops->open(&w) != 0)
		die(&w.fail);
	if (a.ops->open(&a) != 0)
		die(&a.fail);
	for (uint64_t i = 0; i < QUESTIONS; i++) {
		struct app_request q = { 0 };
		struct app_response r = { 0 };
		int64_t began_ns;

		if (a.ops->request(&a, i, &asked, &q) != 0)
			die(&a.fail);
		began_ns = p->audit_file ? clock_ns() : usage_thread_cpu_ns();
		w.ops->answer(&w, &q, &scratch, &r);
		ns += (p->audit_file ? clock_ns() : usage_thread_cpu_ns()) - began_ns;
	}
	a.ops->close(&a);
	w.ops->close(&w);
	buf_release(&asked);
	buf_release(&scratch);
	return QUESTIONS * 1e9 / (double)ns;
}

static void answers(void)
{
	char name[64];

	for (int m = 0; m < ACCESS_MODELS; m++)
		for (int e = 0; e < ACCESS_ENCODINGS; e++) {
			snprintf(name, sizeof name, "access.answers.%s.%s", access_model_name[m],
				 access_encoding_name[e]);
			line(name, answers_per_s(e, m, &(struct access_params){ 0 }), "per_s", "-",
			     "info");
		}
}

/* In real time: it is the disk that is waited for. */
static void audits(void)
{
	char dir[] = "/var/tmp/bench_access.XXXXXX", file[64], name[64];

	if (!mkdtemp(dir))
		return;
	snprintf(file, sizeof file, "%s/audit", dir);
	for (int d = 0; d < ACCESS_DURABILITIES; d++) {
		struct access_params p = { .audit_file = file, .durability = d };

		snprintf(name, sizeof name, "access.audit.%s", access_durability_name[d]);
		line(name, answers_per_s(ACCESS_JSON, ACCESS_ABAC, &p), "per_s", "-", "info");
	}
	unlink(file);
	rmdir(dir);
}

int main(void)
{
	decisions();
	answers();
	audits();
	return 0;
}
