/* SPDX-License-Identifier: Apache-2.0 */
/* node_session - what the files of a node share. For node*.c only. */
#ifndef TESTBED_NODE_SESSION_H
#define TESTBED_NODE_SESSION_H

#include <jansson.h>
#include <stdbool.h>

#include "lib/clock.h"
#include "lib/path.h"
#include "power/meter.h"
#include "power/sampler.h"
#include "testbed/node_child.h"
#include "testbed/node_usage.h"

struct node_session {
	char *program;
	bool greeted;
	int out_fd; /* where it says that it is alive while a request takes its time; -1 */
	struct node_child server, load;
	struct node_argv load_argv;  /* kept by prepare for load */
	int ca_fd;                   /* the CA certificate in memory, for the load generator; -1 */
	int own_fd;                  /* the certificate and key that clients show; -1 */
	int psk_fd;                  /* pre-shared keys likewise, for either side; -1 */
	json_t *counters_before;     /* of the server, as it came up */
	json_t *result;              /* of the load generator */
	bool load_over, server_over; /* their end has been seen */
	struct node_usage *usage;
	struct meter meter;
	bool metered;
	struct sampler *sampler;
};

/* Each fills answer, or returns -1 with the reason. request has lost its id and verb. */
int node_prepare(struct node_session *n, json_t *request, json_t *answer, struct fail *f);
int node_load(struct node_session *n, json_t *request, json_t *answer, struct fail *f);
int node_limit(struct node_session *n, json_t *request, json_t *answer, struct fail *f);
int node_timeline(struct node_session *n, json_t *request, json_t *answer, struct fail *f);
int node_meter(struct node_session *n, json_t *request, json_t *answer, struct fail *f);
int node_collect(struct node_session *n, json_t *request, json_t *answer, struct fail *f);

/* Text in a file without a name, that children inherit: *fd, left alone for "". */
int node_keep(const char *name, const char *text, int *fd, struct fail *f);
/*
 * What clients show of themselves, made beside the suite's own: certificate and key into pem, and
 * the path of the CA to verify it with.
 */
int node_make_client(const char *suite, struct buf *pem, char ca_file[PATH_BYTES], struct fail *f);
/* A line of a --psk-file with a fresh key. */
int node_make_psk(struct buf *text, struct fail *f);

/* End children, meter and readings, forget settings. */
void node_clear(struct node_session *n);

/*
 * What the children have said since, as one event: 1 and *event (the caller's), 0 nothing.
 * Waits for nothing.
 */
int node_next_event(struct node_session *n, json_t **event);

#define NODE_ALIVE_NS NS_PER_S
/* A sign of life, where a runner waits for one. */
void node_say_alive(const struct node_session *n);

/* As node_child_line(), with a sign of life to the runner every second. */
int node_await_line(struct node_session *n, struct node_child *c, int64_t due_ns, const char **line,
		    struct fail *f);

/* One counters line from the server, decoded; NULL: the reason in f. */
json_t *node_server_counters(struct node_session *n, struct fail *f);

#define NODE_PROCESSES_MAX 250 /* what a meter's model can watch */
/* Every living process of the server under test; returns how many. */
int node_server_pids(const struct node_session *n, pid_t pids[NODE_PROCESSES_MAX]);

/* json_unpack() that refuses keys it does not name, with the place in f. */
int node_unpack(json_t *object, struct fail *f, const char *fmt, ...);

#endif
