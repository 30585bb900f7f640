/* SPDX-License-Identifier: Apache-2.0 */
/*
 * server_memory_test - what a connection costs: little while it waits, and no allocation for
 * a request or for a connection once the thread is warm. The server's thread is the only one
 * that counts.
 */
#include "servers/server_drive.h"

#include <malloc.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define COUNTS_ALLOCATIONS 0
#else
#define COUNTS_ALLOCATIONS 1
static _Thread_local bool is_client;
static int allocations; /* of every thread but the test's own */

/* The C library's own entry: this program's malloc() only adds a count. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t n, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static void note(void)
{
	if (!is_client)
		__atomic_add_fetch(&allocations, 1, __ATOMIC_RELAXED);
}

void *malloc(size_t size)
{
	note();
	return __libc_malloc(size);
}

void *calloc(size_t n, size_t size)
{
	note();
	return __libc_calloc(n, size);
}

void *realloc(void *old, size_t size)
{
	note();
	return __libc_realloc(old, size);
}

static int allocated(void)
{
	return __atomic_load_n(&allocations, __ATOMIC_RELAXED);
}

static void ask(int fd, const char *target, size_t len)
{
	char request[128];

	snprintf(request, sizeof request, "GET %s HTTP/1.1\r\nHost: h\r\n\r\n", target);
	drive_say(fd, request);
	drive_read_answer(fd, len);
}

#define CONNECTIONS          16

/*
 * The event library keeps arrays that hold what came at once: how much does, the kernel
 * decides, and the arrays double a few times in a thread's life, warm or not.
 */
#define OF_THE_EVENT_LIBRARY 8
_Static_assert(OF_THE_EVENT_LIBRARY < CONNECTIONS, "one for each connection is noticed");

static void check_requests(struct server_params *p)
{
	struct server *s = drive_start(p);
	int fd[CONNECTIONS], before;

	for (int round = 0; round < 2; round++) {
		before = allocated();
		for (int i = 0; i < CONNECTIONS; i++) {
			fd[i] = drive_connect(p);
			ask(fd[i], "/page/40000/random", 40000);
		}
		for (int i = 0; i < 400; i++)
			ask(fd[i / 2 % CONNECTIONS], i % 2 ? "/" : "/page/40000/random",
			    i % 2 ? 512 : 40000);
		for (int i = 0; i < CONNECTIONS; i++)
			close(fd[i]);
		drive_await(s, open, 0);
	}
	/* The second round met a warm thread, new connections and all. */
	assert_in_range(allocated() - before, 0, OF_THE_EVENT_LIBRARY);
	server_stop(s);
}

static void requests_allocate_nothing(void **state)
{
	struct server_params p = drive_plain();

	(void)state;
	check_requests(&p);
	p = drive_plain();
	p.http2 = true;
	check_requests(&p);
}

#define IDLE 400

static void idle_connections_cost_little(void **state)
{
	struct server_params p = drive_plain();
	struct server *s = drive_start(&p);
	size_t before, after;
	int fd[IDLE], one;

	(void)state;
	one = drive_connect(&p);
	ask(one, "/", 512);
	before = mallinfo2().uordblks;
	for (int i = 0; i < IDLE; i++) {
		fd[i] = drive_connect(&p);
		ask(fd[i], "/", 512);
	}
	drive_await(s, open, IDLE + 1);
	after = mallinfo2().uordblks;
	if (after - before > IDLE * 1200)
		fail_msg("%zu bytes for each idle connection", (after - before) / IDLE);
	for (int i = 0; i < IDLE; i++)
		close(fd[i]);
	close(one);
	drive_await(s, open, 0);
	server_stop(s);
}
#endif

int main(void)
{
#if COUNTS_ALLOCATIONS
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_allocate_nothing),
		cmocka_unit_test(idle_connections_cost_little),
	};

	is_client = true;
	return cmocka_run_group_tests(tests, NULL, NULL);
#else
	printf("1..0 # SKIP this build's malloc() is not the C library's\n");
	return 0;
#endif
}
