/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench_tls - what `make bench-tls` cannot do in a shell: CPU time to the nanosecond of processes,
 * handshakes in memory with each side's CPU time apart, and records in memory.
 *
 * A program of its own, never linked into cipherwatt. It prints bare numbers and knows no
 * target; scripts/bench-tls asks, scripts/bench-tls.awk judges.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ciphers/probe.h"
#include "lib/clock.h"
#include "lib/usage.h"
#include "testbed/bench_tls.h"

#define PROCESSES_MAX  256
#define CLOCK_TRIES    2000
#define WIRE_BYTES     32768
#define REQUEST_BYTES  90  /* a request of `cipherwatt load` with Connection: close */
#define RESPONSE_BYTES 683 /* a page of 512 B and its head */
#define TURNS_MAX      16
#define NAP_NS         200000

struct side {
	struct probe_end end;
	int64_t cpu_ns;
	enum step step;
};

struct pair {
	struct side client, server;
	int64_t clock_ns; /* what reading the thread's clock adds to a span */
	int64_t began_ns;
	bool cold; /* the thread sleeps before each step, as a server waits for its client */
};

/* --- one side's spans ------------------------------------------------------------- */

static void span_begin(struct pair *p)
{
	p->began_ns = usage_thread_cpu_ns();
}

static void span_end(struct pair *p, struct side *s)
{
	s->cpu_ns += usage_thread_cpu_ns() - p->began_ns - p->clock_ns;
}

static int compare_ns(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* The median of empty spans. */
static int64_t clock_cost_ns(void)
{
	static int64_t span[CLOCK_TRIES];

	for (int i = 0; i < CLOCK_TRIES; i++) {
		int64_t began = usage_thread_cpu_ns();

		span[i] = usage_thread_cpu_ns() - began;
	}
	qsort(span, CLOCK_TRIES, sizeof(*span), compare_ns);
	return span[CLOCK_TRIES / 2];
}

/* --- a connection in memory ------------------------------------------------------- */

static int side_open(struct side *s, struct tls_params params, struct fail *f)
{
	s->end.domain = (struct domain){ .ops = &engine_openssl, .params = params };
	s->end.assoc = (struct assoc){ .domain = &s->end.domain };
	if (wire_init(&s->end.assoc.in, WIRE_BYTES, false) ||
	    wire_init(&s->end.assoc.out, WIRE_BYTES, false))
		return fail_set(f, ENOMEM, "no memory for a wire");
	if (!engine_openssl.domain_open(&s->end.domain))
		return 0;
	*f = s->end.domain.fail;
	return -1;
}

static void side_release(struct side *s)
{
	if (s->end.domain.impl)
		engine_openssl.domain_close(&s->end.domain);
	wire_release(&s->end.assoc.in);
	wire_release(&s->end.assoc.out);
}

static int side_start(struct pair *p, struct side *s, struct fail *f)
{
	int status;

	wire_clear(&s->end.assoc.in);
	wire_clear(&s->end.assoc.out);
	span_begin(p);
	status = engine_openssl.open(&s->end.assoc);
	span_end(p, s);
	s->step = STEP_IN;
	if (status)
		*f = s->end.assoc.fail;
	return status;
}

static int side_step(struct pair *p, struct side *s, struct side *to, struct fail *f)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };

	if (s->step == STEP_DONE)
		return 0;
	if (p->cold)
		nanosleep(&nap, NULL);
	span_begin(p);
	s->step = engine_openssl.handshake(&s->end.assoc);
	span_end(p, s);
	probe_carry(&s->end, &to->end);
	if (s->step != STEP_FAILED)
		return 0;
	*f = s->end.assoc.fail;
	return -1;
}

static int handshake(struct pair *p, struct fail *f)
{
	for (int turn = 0; turn < TURNS_MAX; turn++) {
		if (side_step(p, &p->client, &p->server, f) ||
		    side_step(p, &p->server, &p->client, f))
			return -1;
		if (p->client.step == STEP_DONE && p->server.step == STEP_DONE)
			return 0;
	}
	return fail_set(f, ETIMEDOUT, "the handshake stalled");
}

static int transfer(struct pair *p, struct side *from, struct side *to, size_t len, struct fail *f)
{
	uint8_t data[RESPONSE_BYTES + 1] = { 0 };
	size_t put = 0, got = 0;
	enum step step;

	span_begin(p);
	engine_openssl.write(&from->end.assoc, data, len, &put);
	span_end(p, from);
	probe_carry(&from->end, &to->end);
	span_begin(p);
	step = engine_openssl.read(&to->end.assoc, data, sizeof(data), &got);
	span_end(p, to);
	if (put == len && step == STEP_DONE && got == len)
		return 0;
	return fail_set(f, EPROTO, "%zu bytes sent, %zu of them received", put, got);
}

static void side_end(struct pair *p, struct side *s)
{
	span_begin(p);
	engine_openssl.shutdown(&s->end.assoc);
	engine_openssl.close(&s->end.assoc);
	span_end(p, s);
	fail_clear(&s->end.assoc.fail);
}

static int check_facts(const struct pair *p, struct fail *f)
{
	struct assoc *a = (struct assoc *)&p->server.end.assoc;
	struct tls_facts facts;

	engine_openssl.facts(a, &facts);
	if (facts.resumed)
		return fail_set(f, EPROTO, "the handshake resumed an older session");
	return facts_check(a->domain->params.suite, &facts, SERVER, f);
}

/* Handshake, one request and its response, goodbye. */
static int connection(struct pair *p, struct fail *f)
{
	int status = -1;

	if (side_start(p, &p->client, f) || side_start(p, &p->server, f) || handshake(p, f) ||
	    check_facts(p, f))
		return -1;
	if (!transfer(p, &p->client, &p->server, REQUEST_BYTES, f) &&
	    !transfer(p, &p->server, &p->client, RESPONSE_BYTES, f))
		status = 0;
	side_end(p, &p->server);
	side_end(p, &p->client);
	return status;
}

static void print_us(const struct pair *p, int count)
{
	printf("%.3f %.3f\n", (double)p->server.cpu_ns / 1e3 / count,
	       (double)p->client.cpu_ns / 1e3 / count);
}

static int connections(struct pair *p, int count, struct fail *f)
{
	for (int i = -1; i < count; i++) { /* the first is the warm-up */
		if (connection(p, f))
			return -1;
		if (i < 0)
			p->client.cpu_ns = p->server.cpu_ns = 0;
	}
	return 0;
}

/* Requests of one connection. */
static int requests(struct pair *p, int count, struct fail *f)
{
	if (side_start(p, &p->client, f) || side_start(p, &p->server, f) || handshake(p, f) ||
	    check_facts(p, f))
		return -1;
	for (int i = -10; i < count; i++) { /* the first ten are the warm-up */
		if (i == 0)
			p->client.cpu_ns = p->server.cpu_ns = 0;
		if (transfer(p, &p->client, &p->server, REQUEST_BYTES, f) ||
		    transfer(p, &p->server, &p->client, RESPONSE_BYTES, f))
			return -1;
	}
	engine_openssl.close(&p->server.end.assoc);
	engine_openssl.close(&p->client.end.assoc);
	return 0;
}

/* Both sides of a suite in this thread, for what is done between them. */
static int run_pair(char **argv, bool verifies, bool cold,
		    int (*work)(struct pair *p, int count, struct fail *f), struct fail *f)
{
	struct tls_params client = { .role = CLIENT, .server_name = "localhost" };
	struct tls_params server = { .role = SERVER };
	int count = atoi(argv[1]), status = -1;
	struct credential credential;
	struct pair p = { .cold = cold };
	struct suite suite;

	if (count < 1)
		return fail_set(f, EINVAL, "'%s' is no number of times", argv[1]);
	if (suite_parse(argv[0], &suite, f) ||
	    credential_get(suite.credential, NULL, NULL, &credential, f))
		return -1;
	client.suite = server.suite = &suite;
	client.ca_file = verifies ? credential.ca_file : NULL;
	server.cert_file = credential.cert_file;
	server.key_file = credential.key_file;
	p.clock_ns = clock_cost_ns();
	if (!side_open(&p.client, client, f) && !side_open(&p.server, server, f))
		status = work(&p, count, f);
	if (!status)
		print_us(&p, count);
	side_release(&p.client);
	side_release(&p.server);
	return status;
}

/*
 * handshake SUITE COUNT trust|verify|cold: the server's and the client's CPU us per connection.
 * Nothing is verified but with verify; cold is with a sleep before each step.
 */
static int run_handshake(char **argv, struct fail *f)
{
	return run_pair(argv, !strcmp(argv[2], "verify"), !strcmp(argv[2], "cold"), connections, f);
}

/* requests SUITE COUNT: the same per request and answer on one connection. */
static int run_requests(char **argv, struct fail *f)
{
	return run_pair(argv, false, false, requests, f);
}

/* --- processes -------------------------------------------------------------------- */

static int tree(const char *text, pid_t *pids, struct fail *f)
{
	int count = usage_tree((pid_t)atol(text), pids, PROCESSES_MAX);

	return count > 0 ? count : fail_set(f, ESRCH, "no process %s", text);
}

/* cpu PID: CPU time of a process and its descendants so far, in ns. */
static int run_cpu(char **argv, struct fail *f)
{
	pid_t pids[PROCESSES_MAX];
	int count = tree(argv[0], pids, f);
	int64_t sum = 0;

	for (int i = 0; i < count; i++) {
		int64_t ns = usage_process_cpu_ns(pids[i]);

		sum += ns > 0 ? ns : 0;
	}
	if (count > 0)
		printf("%lld\n", (long long)sum);
	return count > 0 ? 0 : -1;
}

static long long anonymous_kib(pid_t pid)
{
	long long kib, sum = 0;
	char line[256];
	FILE *in;

	snprintf(line, sizeof(line), "/proc/%ld/smaps_rollup", (long)pid);
	in = fopen(line, "re");
	if (!in)
		return 0;
	while (fgets(line, sizeof(line), in))
		if (sscanf(line, "Pss_Anon: %lld kB", &kib) == 1 ||
		    sscanf(line, "Pss_Shmem: %lld kB", &kib) == 1)
			sum += kib;
	fclose(in);
	return sum;
}

/* memory PID: memory of its own of a process and its descendants, in KiB; shared pages once. */
static int run_memory(char **argv, struct fail *f)
{
	pid_t pids[PROCESSES_MAX];
	int count = tree(argv[0], pids, f);
	long long sum = 0;

	for (int i = 0; i < count; i++)
		sum += anonymous_kib(pids[i]);
	if (count > 0)
		printf("%lld\n", sum);
	return count > 0 ? 0 : -1;
}

/* run FILE PROGRAM ARG...: its CPU time in ns, all its processes, into FILE. */
static int run_program(char **argv, struct fail *f)
{
	struct rusage used;
	FILE *out = fopen(argv[0], "we");
	pid_t pid;
	int status;

	if (!out)
		return fail_set(f, errno, "%s: %s", argv[0], strerror(errno));
	pid = fork();
	if (!pid) {
		execvp(argv[1], argv + 1);
		_exit(127);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	getrusage(RUSAGE_CHILDREN, &used);
	fprintf(out, "%lld\n",
		(long long)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * NS_PER_S +
			(long long)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) * 1000);
	return fclose(out) || pid < 0 ? fail_set(f, errno, "%s: %s", argv[1], strerror(errno)) : 0;
}

static const struct {
	const char *name;
	int operands;
	int (*run)(char **argv, struct fail *f);
	const char *help;
} verbs[] = {
	{ "handshake", 3, run_handshake, "SUITE COUNT trust|verify|cold" },
	{ "requests", 2, run_requests, "SUITE COUNT" },
	{ "records", 4, bench_records, "SUITE COUNT REQUEST ANSWER" },
	{ "cpu", 1, run_cpu, "PID" },
	{ "memory", 1, run_memory, "PID" },
	{ "run", 2, run_program, "FILE PROGRAM [ARGUMENT]..." },
};

int main(int argc, char **argv)
{
	struct fail f = { 0 };

	engines_begin();
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++) {
		if (argc < 2 || strcmp(argv[1], verbs[i].name) || argc - 2 < verbs[i].operands)
			continue;
		if (!verbs[i].run(argv + 2, &f))
			return fflush(stdout) ? EXIT_FAILURE : EXIT_SUCCESS;
		fprintf(stderr, "bench_tls %s: %s\n", argv[1], f.text);
		return EXIT_FAILURE;
	}
	for (size_t i = 0; i < sizeof(verbs) / sizeof(*verbs); i++)
		fprintf(stderr, "usage: bench_tls %s %s\n", verbs[i].name, verbs[i].help);
	return 2;
}
