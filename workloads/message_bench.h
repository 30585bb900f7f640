/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message_bench - pairs of request and answer between two parties in one process, as the
 * study of WS-Security measured them: one pair to warm up, then pairs whose stages are kept
 * one by one. No network: what it shows is what securing the message costs.
 */
#ifndef WORKLOADS_MESSAGE_BENCH_H
#define WORKLOADS_MESSAGE_BENCH_H

#include <jansson.h>
#include <stdio.h>

#include "lib/hist.h"
#include "workloads/message_params.h"
#include "workloads/message_stages.h"

/* What the study told apart; in its order. */
enum message_group {
	MESSAGE_GROUP_SIGN,
	MESSAGE_GROUP_ENCRYPT,
	MESSAGE_GROUP_SEND_REST,
	MESSAGE_GROUP_VERIFY,
	MESSAGE_GROUP_DECRYPT,
	MESSAGE_GROUP_TRUST,
	MESSAGE_GROUP_READ_REST,
	MESSAGE_GROUPS
};

/* One direction: one side secures, the other reads. */
struct message_direction {
	struct hist stage[MESSAGE_STAGES];
	struct hist group[MESSAGE_GROUPS];
	struct hist send, read; /* the whole of each half */
	struct message_stages sum;
	int64_t bytes; /* of the last message */
};

struct message_bench {
	const char *profile;
	int64_t payload_bytes, pairs;
	struct message_direction request, response;
	struct hist pair;
	int64_t warm_up_ns; /* the pair that is not counted */
};

/* -1, and the reason in f; release() all the same. */
int message_bench_run(struct message_bench *b, const struct message_params *p, int64_t pairs,
		      struct fail *f);
void message_bench_release(struct message_bench *b);

/* Tables for people: every stage, and the study's groups with its own figures beside them. */
void message_bench_print(const struct message_bench *b, FILE *out);
/* One line: how many times a pair with a username token, the study's scenario 1. */
void message_bench_print_ratio(const struct message_bench *b, const struct message_bench *token,
			       FILE *out);
json_t *message_bench_json(const struct message_bench *b);

/* The study's figure for a group, in ms, one direction (scenario 3); and its name. */
struct message_study {
	const char *name;
	double low_ms, high_ms;
};
extern const struct message_study message_study[MESSAGE_GROUPS];

#endif
