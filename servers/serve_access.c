/* SPDX-License-Identifier: Apache-2.0 */
/*
 * serve_access - from the options of `serve --workload access` to the settings of its decision
 * point, and the refusal of what contradicts itself. All errors of a policy are said at once.
 */
#include <stdio.h>
#include <string.h>

#include "lib/path.h"
#include "servers/cmd_serve.h"
#include "workloads/access_policy.h"

/* An option that was given, whose workload is another. */
static const char *stray(const struct serve_settings *s)
{
	const struct serve_access *a = &s->access;

	return a->policy       ? "policy"
	       : a->users      ? "users"
	       : a->count      ? "access-users"
	       : a->audit      ? "audit"
	       : a->model      ? "access-model"
	       : a->durability ? "durability"
	       : a->batch_ns   ? "audit-batch"
	       : a->skew_ns    ? "clock-skew"
			       : NULL;
}

static int check_audit(const struct command *c, const struct serve_access *a)
{
	if (a->durability && !a->audit)
		return command_fail(
			c, EXIT_USAGE,
			"--durability %s is about the audit log: say where with --audit "
			"FILE",
			access_durability_name[a->durability]);
	if (a->batch_ns && a->durability != ACCESS_BATCHED)
		return command_fail(c, EXIT_USAGE, "--audit-batch is of --durability batched");
	return -1;
}

static int check_users(const struct command *c, const struct serve_access *a)
{
	bool rbac = a->model == ACCESS_RBAC;

	if (rbac && (a->users || a->count))
		return command_fail(c, EXIT_USAGE,
				    "--%s: model rbac decides by area and role and knows no users",
				    a->users ? "users" : "access-users");
	if (a->users && a->count && path_exists(a->users))
		return command_fail(
			c, EXIT_USAGE,
			"--access-users: %s is there already and has its own; leave one "
			"of them out",
			a->users);
	return -1;
}

/* The server's threads read it again, each for itself; here it is read for its errors. */
static int check_policy(const struct command *c, const struct serve_access *a)
{
	struct buf report = { 0 };
	struct fail f = { 0 };
	struct access_policy *p;
	int status = -1;

	p = access_policy_open(a->policy, (enum access_model)a->model, &report, &f);
	if (!p && report.len)
		fprintf(stderr, "%s", buf_text(&report));
	if (!p)
		status = command_fail(c, EXIT_USAGE, "--policy: %s",
				      report.len ? "the file has errors" : f.text);
	access_policy_close(p);
	buf_release(&report);
	return status;
}

int serve_read_access(const struct command *c, const struct serve_settings *s,
		      struct access_params *p)
{
	const struct serve_access *a = &s->access;
	int status;

	if (strcmp(s->workload, "access") != 0)
		return stray(s)
			       ? command_fail(c, EXIT_USAGE, "--%s is of --workload access, not %s",
					      stray(s), s->workload)
			       : -1;
	*p = (struct access_params){ .policy_file = a->policy,
				     .users_file = a->users,
				     .users = a->count,
				     .audit_file = a->audit,
				     .durability = (enum access_durability)a->durability,
				     .batch_ns = a->batch_ns,
				     .model = (enum access_model)a->model,
				     .skew_ns = a->skew_ns };
	status = check_audit(c, a);
	if (status < 0)
		status = check_users(c, a);
	return status < 0 ? check_policy(c, a) : status;
}
