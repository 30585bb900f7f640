/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loop_test - descriptors and wakes, each waited for by event, never by sleeping.
 */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/clock.h"
#include "lib/loop.h"

static struct loop *new_loop(void)
{
	struct loop *l = loop_new();

	assert_non_null(l);
	return l;
}

static void make_pair(int fd[2])
{
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fd), 0);
}

struct counter {
	int calls, events, limit;
	struct loop_io *other;
};

static void read_one(struct loop_io *io, int events)
{
	struct counter *c = io->data;
	char byte;

	c->calls++;
	c->events |= events;
	assert_int_equal(read(io->fd, &byte, 1), 1);
	if (c->calls == c->limit)
		loop_io_want(io, 0);
}

/* One byte is taken at a time: an edge-triggered loop would call once. */
static void readiness_is_a_level(void **state)
{
	struct counter c = { .limit = 3 };
	struct loop *l = new_loop();
	struct loop_io io;
	int fd[2];

	(void)state;
	make_pair(fd);
	assert_int_equal(write(fd[1], "abc", 3), 3);
	loop_io_init(&io, l, fd[0], read_one, &c);
	loop_run(l); /* nothing is armed */
	assert_int_equal(c.calls, 0);
	loop_io_want(&io, LOOP_READ);
	loop_run(l);
	assert_int_equal(c.calls, 3);
	assert_int_equal(c.events, LOOP_READ);
	assert_int_equal(io.events, 0);
	loop_free(l);
	close(fd[0]);
	close(fd[1]);
}

static void change_direction(struct loop_io *io, int events)
{
	struct counter *c = io->data;

	c->calls++;
	if (events & LOOP_WRITE) {
		assert_int_equal(c->calls, 1);
		assert_int_equal(write(io->fd, "x", 1), 1);
		loop_io_want(io, LOOP_READ);
		loop_io_want(io, LOOP_READ); /* once more changes nothing */
		return;
	}
	assert_int_equal(events, LOOP_READ);
	loop_io_want(io, 0);
}

static void echo(struct loop_io *io, int events)
{
	char byte;

	(void)events;
	assert_int_equal(read(io->fd, &byte, 1), 1);
	assert_int_equal(write(io->fd, &byte, 1), 1);
	loop_io_want(io, 0);
}

static void directions_can_change(void **state)
{
	struct counter c = { 0 };
	struct loop *l = new_loop();
	struct loop_io a, b;
	int fd[2];

	(void)state;
	make_pair(fd);
	loop_io_init(&a, l, fd[0], change_direction, &c);
	loop_io_init(&b, l, fd[1], echo, NULL);
	loop_io_want(&a, LOOP_WRITE | LOOP_READ);
	loop_io_want(&b, LOOP_READ);
	loop_run(l);
	assert_int_equal(c.calls, 2);
	loop_free(l);
	close(fd[0]);
	close(fd[1]);
}

static void disarm_other(struct loop_io *io, int events)
{
	struct counter *c = io->data;

	(void)events;
	c->calls++;
	loop_io_want(io, 0);
	loop_io_want(c->other, 0);
}

/* Both are ready in the same turn; whichever comes first silences the other. */
static void disarmed_is_not_called(void **state)
{
	struct loop_io io[2];
	struct counter c[2] = { { .other = &io[1] }, { .other = &io[0] } };
	struct loop *l = new_loop();
	int fd[2];

	(void)state;
	make_pair(fd);
	for (int i = 0; i < 2; i++) {
		loop_io_init(&io[i], l, fd[i], disarm_other, &c[i]);
		loop_io_want(&io[i], LOOP_WRITE);
	}
	loop_run(l);
	assert_int_equal(c[0].calls + c[1].calls, 1);
	loop_free(l);
	close(fd[0]);
	close(fd[1]);
}

/* A closed descriptor's number comes back for another pipe: libev must notice. */
static void numbers_are_reused(void **state)
{
	struct loop *l = new_loop();

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct counter c = { .limit = 1 };
		struct loop_io io;
		int fd[2];

		make_pair(fd);
		assert_int_equal(write(fd[1], "x", 1), 1);
		loop_io_init(&io, l, fd[0], read_one, &c);
		loop_io_want(&io, LOOP_READ);
		loop_run(l);
		assert_int_equal(c.calls, 1);
		close(fd[0]);
		close(fd[1]);
	}
	loop_free(l);
}

static void fire_once(struct loop_timer *t)
{
	++*(int *)t->data;
}

static void count_wake(struct loop *l, void *data)
{
	++*(int *)data;
	loop_stop(l);
}

static void *wake_from_thread(void *data)
{
	loop_wake(data);
	return NULL;
}

static void wakes_from_another_thread(void **state)
{
	struct loop *l = new_loop();
	struct loop_timer keep;
	int wakes = 0, fired = 0;
	pthread_t thread;

	(void)state;
	loop_timer_init(&keep, l, fire_once, &fired);
	loop_timer_at(&keep, clock_ns() + 3600 * NS_PER_S);
	loop_on_wake(l, count_wake, &wakes);
	for (int i = 1; i <= 100; i++) { /* before, while and after the loop starts to wait */
		assert_int_equal(pthread_create(&thread, NULL, wake_from_thread, l), 0);
		loop_run(l);
		assert_int_equal(wakes, i);
		assert_int_equal(pthread_join(thread, NULL), 0);
	}
	assert_int_equal(fired, 0);
	loop_free(l);
}

static struct loop *to_wake;

static void wake_from_signal(int signo)
{
	(void)signo;
	loop_wake(to_wake);
}

static void raise_signal(struct loop_timer *t)
{
	(void)t;
	raise(SIGUSR1);
}

static void wakes_from_a_signal_handler(void **state)
{
	struct loop *l = new_loop();
	struct loop_timer keep, sender;
	int wakes = 0, fired = 0;

	(void)state;
	to_wake = l;
	signal(SIGUSR1, wake_from_signal);
	loop_on_wake(l, count_wake, &wakes);
	loop_timer_init(&keep, l, fire_once, &fired);
	loop_timer_at(&keep, clock_ns() + 3600 * NS_PER_S);
	loop_timer_init(&sender, l, raise_signal, NULL);
	loop_timer_at(&sender, 0);
	loop_run(l);
	signal(SIGUSR1, SIG_DFL);
	assert_int_equal(wakes, 1);
	loop_free(l);
}

/* With 0, 1, 2... descriptors left: none to refuse with, never an abort. */
static void few_descriptors_are_refused(void **state)
{
	pid_t pid = fork();
	int status;

	(void)state;
	assert_int_not_equal(pid, -1);
	if (pid == 0) {
		int lowest = dup(0), made = 0;

		close(lowest);
		for (int left = 0; left < 8; left++) {
			struct rlimit limit = { (rlim_t)(lowest + left), (rlim_t)(lowest + 8) };
			struct loop *l;

			setrlimit(RLIMIT_NOFILE, &limit);
			l = loop_new();
			made += l != NULL;
			loop_free(l);
		}
		_exit(made > 0 && made < 8 ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(readiness_is_a_level),
		cmocka_unit_test(directions_can_change),
		cmocka_unit_test(disarmed_is_not_called),
		cmocka_unit_test(numbers_are_reused),
		cmocka_unit_test(wakes_from_another_thread),
		cmocka_unit_test(wakes_from_a_signal_handler),
		cmocka_unit_test(few_descriptors_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
