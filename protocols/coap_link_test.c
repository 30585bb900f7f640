/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_link_test - thousands of exchanges over links that lose, double and reorder: each
 * ends exactly once, with the right answer or with a reason, and the server does what it
 * was asked at most once. All of it in virtual time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "lib/testing.h"
#include "protocols/coap_drive.h"

#define JOBS     20
#define BODY_MAX 9000

struct job {
	size_t ask_bytes, answer_bytes;
	bool get;
	unsigned done, well, failed; /* times: done by the server, ended at the client */
	size_t got;                  /* right bytes of the answer so far */
	bool wrong;
	uint32_t stream;
	uint8_t body[BODY_MAX];
};

struct late {
	bool used;
	int64_t at_ns;
	uint32_t stream;
	int job;
};

struct world {
	struct job jobs[JOBS];
	int asked;
	int job_of_slot[64];
	struct late late[64];
	bool slow; /* some answers come after separate_ns */
};

static uint8_t answer_byte(int job, size_t i)
{
	return (uint8_t)((size_t)job * 37 + i * 11 + (i >> 8));
}

static void answer(struct drive *d, uint32_t stream, int job)
{
	static uint8_t body[BODY_MAX];
	struct world *w = d->user;

	for (size_t i = 0; i < w->jobs[job].answer_bytes; i++)
		body[i] = answer_byte(job, i);
	coap_endpoint_respond(&d->server,
			      &(struct app_response){ .status = 200,
						      .content_type = "application/octet-stream",
						      .body = body,
						      .body_bytes = w->jobs[job].answer_bytes,
						      .stream = stream },
			      d->now_ns);
	memset(body, 0xee, sizeof body);
}

static void on_request(struct drive *d, const struct app_request *q)
{
	struct world *w = d->user;
	int job = atoi(q->target + strlen("/job?n="));
	struct job *j = &w->jobs[job];

	j->done++;
	if (!j->get && (q->method != APP_POST || q->body_bytes != j->ask_bytes ||
			(j->ask_bytes > 0 && memcmp(q->body, j->body, j->ask_bytes) != 0)))
		j->wrong = true;
	if (!w->slow || rng_below(&d->rng, 3)) {
		answer(d, q->stream, job);
		return;
	}
	for (size_t i = 0; i < 64; i++)
		if (!w->late[i].used) {
			w->late[i] = (struct late){
				.used = true,
				.at_ns = d->now_ns + (int64_t)rng_below(&d->rng, 2000) * DRIVE_MS,
				.stream = q->stream,
				.job = job,
			};
			return;
		}
}

static void on_server(struct drive *d, const struct app_event *e)
{
	if (e->kind == APP_REQUEST)
		on_request(d, &e->request);
}

static void on_client(struct drive *d, const struct app_event *e)
{
	struct world *w = d->user;
	int job = w->job_of_slot[e->slot];
	struct job *j = &w->jobs[job];
	const uint8_t *bytes = e->bytes;

	j->wrong = j->wrong || e->stream != j->stream;
	if (e->kind == APP_HEAD_IN)
		j->got = 0;
	for (size_t i = 0; e->kind == APP_BODY && i < e->len; i++)
		j->wrong = j->wrong || bytes[i] != answer_byte(job, j->got++);
	if (e->kind == APP_END && e->response.status == 200) {
		j->well++;
		j->wrong = j->wrong || j->got != j->answer_bytes ||
			   e->response.body_bytes != j->answer_bytes ||
			   e->code != (j->get ? COAP_CONTENT : COAP_CHANGED);
	} else if (e->kind == APP_END || e->kind == APP_RESET) {
		j->failed++;
	}
}

static int64_t late_due(const struct drive *d)
{
	const struct world *w = d->user;
	int64_t due = INT64_MAX;

	for (int i = 0; i < 64; i++)
		if (w->late[i].used && w->late[i].at_ns < due)
			due = w->late[i].at_ns;
	return due;
}

static void on_late(struct drive *d)
{
	struct world *w = d->user;

	for (int i = 0; i < 64; i++)
		if (w->late[i].used && w->late[i].at_ns <= d->now_ns) {
			w->late[i].used = false;
			answer(d, w->late[i].stream, w->late[i].job);
		}
}

static size_t some_bytes(struct rng *r, size_t block)
{
	switch (rng_below(r, 5)) {
	case 0:
		return 0;
	case 1:
		return (size_t)rng_below(r, 5) * block;
	case 2:
		return (size_t)rng_below(r, 8 * block);
	default:
		return (size_t)rng_below(r, 600);
	}
}

/* As many as nstart allows. */
static void ask(struct drive *d)
{
	struct world *w = d->user;

	while (w->asked < JOBS) {
		struct job *j = &w->jobs[w->asked];
		char target[32];
		struct app_request q = { .method = j->get ? APP_GET : APP_POST, .target = target };

		snprintf(target, sizeof target, "/job?n=%d", w->asked);
		if (!j->get) {
			q.body = j->body;
			q.body_bytes = j->ask_bytes;
			q.content_type = "application/octet-stream";
		}
		if (coap_endpoint_request(&d->client, &q, d->now_ns) != COAP_TOOK)
			return;
		j->stream = d->client.stream;
		w->job_of_slot[d->client.slot] = w->asked++;
		drive_settle(d);
	}
}

static void make_jobs(struct world *w, struct rng *r, size_t block)
{
	memset(w, 0, sizeof *w);
	for (int i = 0; i < JOBS; i++) {
		struct job *j = &w->jobs[i];

		j->get = rng_below(r, 4) == 0;
		j->ask_bytes = j->get ? 0 : some_bytes(r, block);
		j->answer_bytes = some_bytes(r, block);
		for (size_t k = 0; k < j->ask_bytes; k++)
			j->body[k] = (uint8_t)rng_next(r);
	}
}

/* Returns how many ended well. */
static int check_jobs(const struct world *w, const struct coap_params *p, uint64_t seed)
{
	int well = 0;

	for (int i = 0; i < JOBS; i++) {
		const struct job *j = &w->jobs[i];

		if (j->well + j->failed != 1 || j->wrong || (!j->get && j->done > 1) ||
		    (j->well && j->done == 0))
			fail_msg("seed %llu job %d of %d asked: done %u well %u failed %u%s nstart "
				 "%u",
				 (unsigned long long)seed, i, w->asked, j->done, j->well, j->failed,
				 j->wrong ? " WRONG" : "", p->nstart);
		well += (int)j->well;
	}
	return well;
}

static struct world world;
static struct drive drive;

static int run(uint64_t seed, unsigned loss, bool slow, bool rests, struct coap_counters *sum,
	       int *rested)
{
	struct coap_params client, server;
	struct rng r;

	rng_seed(&r, seed);
	coap_params_init(&client);
	client.block_bytes = (size_t)16 << rng_below(&r, 7);
	client.nstart = 1 + (unsigned)rng_below(&r, 4);
	server = client;
	server.block_bytes = (size_t)16 << rng_below(&r, 7);
	server.exchanges = 16; /* a separate answer takes its place until it is acknowledged */
	server.recent = 256;   /* four exchanges at once send much between two retransmissions */
	server.recent_bytes = 65536;
	make_jobs(&world, &r, client.block_bytes);
	world.slow = slow;
	memset(&drive, 0, sizeof drive);
	drive_open(&drive, &client, &server, seed);
	drive.user = &world;
	drive.exact = true;
	drive.on_client = on_client;
	drive.on_server = on_server;
	drive.user_due = late_due;
	drive.on_due = on_late;
	drive.rests = rests;
	drive.loss_percent = loss;
	drive.double_percent = loss / 2;
	drive.jitter_ns = loss ? 300 * DRIVE_MS : 0;
	do {
		ask(&drive);
	} while (drive_step(&drive));
	assert_int_equal(world.asked, JOBS);
	sum->retransmissions += drive.count_client.retransmissions;
	sum->duplicates += drive.count_server.duplicates;
	sum->replays += drive.count_server.replays;
	*rested += drive.rested;
	drive_close(&drive);
	return check_jobs(&world, &client, seed);
}

static void run_many(unsigned loss, int rounds, unsigned least_percent)
{
	struct rng r = testing_rng("coap_link_test");
	struct coap_counters sum = { 0 };
	int well = 0, rested = 0;

	for (int i = 0; i < rounds; i++)
		well += run(rng_next(&r), loss, i % 2, i % 4 > 1, &sum, &rested);
	printf("loss %u %%: %d of %d well, %llu retransmissions, %llu duplicates, %llu replays\n",
	       loss, well, rounds * JOBS, (unsigned long long)sum.retransmissions,
	       (unsigned long long)sum.duplicates, (unsigned long long)sum.replays);
	assert_true((unsigned)well * 100 >= least_percent * (unsigned)(rounds * JOBS));
	assert_true(rested > rounds);
	assert_true(loss == 0 || (sum.retransmissions > 0 && sum.replays > 0));
}

static void nothing_is_lost(void **state)
{
	(void)state;
	run_many(0, 600, 100);
}

static void five_percent(void **state)
{
	(void)state;
	run_many(5, 600, 99);
}

static void twenty_percent(void **state)
{
	(void)state;
	run_many(20, 600, 85);
}

static void half(void **state)
{
	(void)state;
	run_many(50, 600, 20);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_lost),
		cmocka_unit_test(five_percent),
		cmocka_unit_test(twenty_percent),
		cmocka_unit_test(half),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
