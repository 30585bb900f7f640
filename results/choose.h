/* SPDX-License-Identifier: Apache-2.0 */
/*
 * choose - ranks the suites of a campaign under constraints, for one objective.
 *
 * Only cells that differ in nothing but the suite (and what follows from it) are ranked together,
 * and only on energy of one source: measured and modelled never meet. A place is claimed only where
 * the paired difference to the next has an interval that leaves out none, and is not of less than
 * 0.1 %: else the two cannot be told apart. What a suite is (strength, secrecy, keys) the caller
 * says; this file knows figures.
 */
#ifndef RESULTS_CHOOSE_H
#define RESULTS_CHOOSE_H

#include "results/report.h"
#include "results/role.h"

/* What a suite is, as the catalogue has it. */
struct choose_facts {
	char suite[128];
	bool known; /* the catalogue could read it */
	int64_t strength_bits;
	bool forward_secret, post_quantum;
	const char *version;    /* "tls1.2" */
	const char *credential; /* "rsa2048" */
	const char *key;        /* "rsa", "ecdsa", "psk", "none": its kind */
	const char *status;     /* "recommended", "legacy", "broken" */
};

/* An objective is a row: what a trial is worth, and which way is better. */
enum choose_objective {
	CHOOSE_ENERGY,     /* requests per mWh, gross */
	CHOOSE_NET_ENERGY, /* requests per mWh above idle */
	CHOOSE_THROUGHPUT, /* requests per second */
	CHOOSE_LATENCY,    /* 95th percentile of the response time, us */
	/* Wh a day: idle power, one for all suites, and net energy for the requests of a day */
	CHOOSE_DAY,
	CHOOSE_OBJECTIVES
};
extern const char *const choose_objective_names[]; /* ends with NULL */

struct choose_rules {
	const char *campaign; /* as it was asked for; NULL: the newest */
	enum energy_role role;
	/* Each objective's weight; with one alone it is the objective. */
	double weight[CHOOSE_OBJECTIVES];
	double requests_per_day; /* for CHOOSE_DAY */
	double idle_w; /* likewise; choose_make() finds it: the mean of all cells of the task */
	int64_t strength_bits; /* at least */
	bool forward_secret, post_quantum, allow_legacy;
	const char *versions, *keys; /* "tls1.2,tls1.3"; "rsa,p256"; NULL: any */
	double latency_us;           /* 95th percentile at most; 0: any */
	int64_t memory_bytes;        /* of the role's peak at most; 0: any */
	const char *source; /* "measured" or "modelled"; NULL: measured where there is any */
	const char *like;   /* part of a cell's name: rank what is like it; NULL: the first */
};

/* The constraints, in the order in which they are named to a reader. */
enum choose_constraint {
	BY_STRENGTH,
	BY_SECRECY,
	BY_QUANTUM,
	BY_VERSION,
	BY_KEY,
	BY_STATUS,
	BY_LATENCY,
	BY_MEMORY,
	CHOOSE_CONSTRAINTS
};
extern const char *const choose_constraint_names[]; /* "--min-bits", ... */

struct choose_entry {
	size_t cell; /* in the report */
	const struct choose_facts *facts;
	unsigned failed;       /* bit per constraint that it does not meet */
	struct interval value; /* of the objective; of weights: the score, 1 is best everywhere */
	bool better_is_more;
	/*
	 * How many times the next entry's value this one's is; told: its interval leaves out 1,
	 * and it is not alike.
	 */
	struct interval against_next;
	bool told;
	/* No other of the same source is at least as strong, quick and frugal, and better in one.
	 */
	bool pareto;
	const char *source; /* of the next: "measured", "modelled", "mixed", "none"; borrowed */
	double requests_per_mwh, latency_us; /* the axes of the front, beside the strength */
};

/* A suite that is not ranked. */
struct choose_left {
	char suite[128], reason[192];
};

/* What dropping one constraint would bring. */
struct choose_cost {
	enum choose_constraint constraint;
	size_t entry;          /* in refused: the best that fails this one alone */
	struct interval times; /* its value over that of the best that is allowed */
	bool told;
};

struct choice {
	const struct report *report;
	struct choose_rules rules;
	char source[16]; /* of the energy that is ranked; "" where the objective needs none */
	struct choose_entry *entry; /* allowed, the best first */
	size_t entries;
	struct choose_entry *refused; /* by constraints, the best first */
	size_t refusals;
	struct choose_left *left;
	size_t lefts;
	struct choose_cost cost[CHOOSE_CONSTRAINTS];
	size_t costs;
	size_t others; /* cells of other groups */
};

/* facts: one for each cell of the report, borrowed. -1: nothing can be ranked, why in f. */
int choose_make(struct choice *c, const struct report *r, const struct choose_facts *facts,
		const struct choose_rules *rules, struct fail *f);
void choose_release(struct choice *c);

/* So little apart, by the whole interval, that nobody would choose by it: proven or not. */
#define CHOOSE_ALIKE 0.001
bool choose_alike(const struct interval *times);

/* The objective in words: "requests per mWh", or the weights. */
void choose_objective_text(const struct choose_rules *r, char *dst, size_t len);

/* "server and client". */
const char *choose_role_text(enum energy_role role);

int choose_write_json(const struct choice *c, struct buf *out);
void choose_write_text(const struct choice *c, struct buf *out);

#endif
