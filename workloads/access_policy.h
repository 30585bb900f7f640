/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_policy - attribute-based policies: read, compiled and asked. No input or output
 * beyond the file, no clock.
 *
 *   policy: NAME
 *   utc_offset: +02:00              hours and days are of this zone; UTC when left out
 *   combine: deny-overrides         or permit-overrides, first-applicable
 *   target:                         every key that is given must hold the value; each a word
 *     areas: [ward-1, ward-2]       or a list of them: areas roles departments employments
 *     roles: nurse                  kinds buildings directions users points
 *   on_permit: [log]                obligations when a rule inside is what permitted
 *   on_deny: [alarm]
 *   policies:                       these again, each with a name; or
 *   rules:
 *   - name: NAME
 *     effect: permit                or deny
 *     target: {...}
 *     when: {hours: 22:00-06:00, days: [fri, sat], from: 2026-01-01, until: 2026-12-31}
 *     conditions:                   all must hold
 *     - user.clearance >= point.security
 *     - user.department == point.building or environment.emergency == true
 *     obligations: [escort]
 *
 * Hours begin with the first minute and end before the last; past midnight they belong to
 * the day on which they began, as to days, from and until.
 *
 * The rules of combination are those of XACML 3.0 (appendix C), with its three kinds of
 * indeterminate: a rule that needs an attribute which the request does not have may have said
 * permit, deny, or either. What stays in doubt at the top is denied.
 *
 * SUMMARY: a decision costs what the rules cost that name its area and role, or none.
 * DETAILS: the children of each node lie in a hash table under (node, area, role), with 0 for
 * a target without areas or roles. Four lists at most can hold an applicable child; they
 * are merged in the order of the file.
 */
#ifndef WORKLOADS_ACCESS_POLICY_H
#define WORKLOADS_ACCESS_POLICY_H

#include "lib/yaml.h"
#include "workloads/access_message.h"

/* What a file without one gets: the sample policies that are built in. */
extern const char access_policy_abac[], access_policy_rbac[];

struct access_policy;

/*
 * file NULL: the built-in one of the model. Of model rbac, what is neither area nor role is
 * refused. NULL: f has the first error with line and column, and report, unless NULL, every
 * one.
 */
struct access_policy *access_policy_open(const char *file, enum access_model m, struct buf *report,
					 struct fail *f);
/* The same with a text; name is what errors call it. */
struct access_policy *access_policy_open_text(const char *name, const char *text,
					      enum access_model m, struct buf *report,
					      struct fail *f);
void access_policy_close(struct access_policy *p);
int access_policy_rules(const struct access_policy *p);

/* Fills outcome, reason, rule and obligations. */
void access_policy_decide(const struct access_policy *p, const struct access_request *q,
			  int64_t now_ms, struct access_answer *a);

#endif
