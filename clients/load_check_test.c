/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_check_test - what the generator refuses: another suite than the one asked for, settings
 * that contradict each other, more than this machine can do.
 */
#include <sys/resource.h>

#include "clients/load_testing.h"

/* --- what a handshake says ------------------------------------------------ */

static struct tls_facts claim;
static int claims, claim_changes_after;

static void claim_facts(struct assoc *a, struct tls_facts *facts)
{
	(void)a;
	*facts = claim;
	if (claim_changes_after && ++claims > claim_changes_after)
		facts->cipher_id ^= 1;
}

static const char *refuses_nothing(const struct suite *suite)
{
	(void)suite;
	return NULL;
}

/* Plaintext that claims to be a given TLS handshake. */
static struct run with_claim(const struct suite *asked, enum connection_mode mode)
{
	static struct fake server;
	static struct engine_ops claimer;
	struct run run;
	claimer = engine_null;
	claimer.name = "claimer";
	claimer.facts = claim_facts;
	claimer.refuses = refuses_nothing;
	claims = 0;
	fake_start(&server, FAKE_NORMAL);
	prepare(&run, server.port);
	run.p.url.scheme = URL_HTTPS;
	run.p.engine = &claimer;
	run.p.suite = asked;
	run.p.connection = mode;
	go(&run);
	fake_stop(&server);
	return run;
}

static void claim_suite(struct suite *s)
{
	struct fail f = { 0 };
	assert_int_equal(suite_parse("tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:x25519:p256", s, &f), 0);
	claim = (struct tls_facts){ .version = s->version,
				    .cipher_id = s->cipher->id,
				    .group_id = s->group->id,
				    .peer_key = s->credential->key,
				    .peer_key_bits = s->credential->key_bits };
	claim_changes_after = 0;
}

static void full_handshakes_are_counted(void **state)
{
	(void)state;
	struct suite s;
	char text[256];
	claim_suite(&s);
	struct run run = with_claim(&s, CONNECTION_FULL);
	assert_int_equal(run.status, 0);
	assert_int_equal(run.r.window.handshakes_full, 20);
	assert_int_equal(run.r.window.handshakes_resumed, 0);
	assert_int_equal(run.r.facts.cipher_id, s.cipher->id);
	assert_null(load_verdict(&run.p, &run.r, text));
	load_result_release(&run.r);
}

static void one_resumed_handshake_spoils_full(void **state)
{
	(void)state;
	struct suite s;
	char text[256];
	claim_suite(&s);
	claim.resumed = true;
	struct run run = with_claim(&s, CONNECTION_FULL);
	assert_int_equal(run.r.window.handshakes_resumed, 20);
	assert_int_equal(run.r.window.handshakes_full, 0);
	assert_non_null(load_verdict(&run.p, &run.r, text));
	assert_non_null(strstr(text, "resumed"));
	load_result_release(&run.r);
}

static void another_suite_ends_the_run(void **state)
{
	(void)state;
	struct suite s;
	claim_suite(&s);
	claim.version = TLS13;
	struct run run = with_claim(&s, CONNECTION_FULL);
	assert_int_equal(run.status, -1);
	assert_non_null(strstr(run.f.text, "tls1.2"));
	assert_non_null(strstr(run.f.text, "tls1.3"));
	assert_true(run.r.total.started <= 2);
	load_result_release(&run.r);
}

static void mixed_suites_are_seen(void **state)
{
	(void)state;
	struct suite s;
	char text[256];
	claim_suite(&s);
	claim_changes_after = 15;
	struct run run = with_claim(NULL, CONNECTION_FULL);
	assert_int_equal(run.status, 0);
	assert_int_equal(run.r.facts_mixed, 5);
	assert_non_null(load_verdict(&run.p, &run.r, text));
	load_result_release(&run.r);
}

/* --- resumption ----------------------------------------------------------- */

/* Sessions that count: given once, offered once, freed once. */
static struct {
	int taken, offered, freed;
	bool gives;              /* the server gives tickets */
	bool resumes;            /* and takes them */
	const struct assoc *now; /* offered a session */
} tickets;

static struct session *ticket_take(struct assoc *a)
{
	(void)a;
	tickets.taken += tickets.gives;
	return tickets.gives ? (struct session *)&tickets : NULL;
}

static int ticket_offer(struct assoc *a, struct session *s)
{
	assert_ptr_equal(s, &tickets);
	tickets.offered++;
	tickets.now = a;
	return 0;
}

static void ticket_free(struct session *s)
{
	assert_ptr_equal(s, &tickets);
	tickets.freed++;
}

static void resuming_facts(struct assoc *a, struct tls_facts *facts)
{
	*facts = claim;
	facts->resumed = tickets.resumes && tickets.now == a;
	if (facts->resumed)
		facts->group_id = 0;
	tickets.now = NULL;
}

static struct run with_tickets(bool gives, bool resumes, int pct)
{
	static struct fake server;
	static struct engine_ops claimer;
	static struct suite s;
	struct run run;
	claim_suite(&s);
	memset(&tickets, 0, sizeof(tickets));
	tickets.gives = gives;
	tickets.resumes = resumes;
	claimer = engine_null;
	claimer.facts = resuming_facts;
	claimer.refuses = refuses_nothing;
	claimer.session_take = ticket_take;
	claimer.session_offer = ticket_offer;
	claimer.session_free = ticket_free;
	fake_start(&server, FAKE_NORMAL);
	prepare(&run, server.port);
	run.p.url.scheme = URL_HTTPS;
	run.p.engine = &claimer;
	run.p.suite = &s;
	run.p.connection = CONNECTION_RESUME;
	run.p.resume_pct = pct;
	run.p.resumption = RESUMPTION_TICKET;
	run.p.clients = 1;
	go(&run);
	fake_stop(&server);
	return run;
}

/* L02: a fresh ticket for each, the share that was achieved, and none is a failure. */
static void tickets_are_used_once(void **state)
{
	(void)state;
	char text[256];
	struct run run = with_tickets(true, true, 100);
	assert_int_equal(run.status, 0);
	assert_int_equal(run.r.window.handshakes_full, 1);
	assert_int_equal(run.r.window.handshakes_resumed, 19);
	assert_int_equal(run.r.window.handshakes_first, 1);
	assert_int_equal(tickets.offered, 19);
	assert_int_equal(tickets.taken, tickets.offered + tickets.freed);
	assert_true(load_resumed_pct(&run.r) == 100);
	assert_null(load_verdict(&run.p, &run.r, text));
	load_result_release(&run.r);
	run = with_tickets(true, true, 25);
	assert_int_equal(run.r.window.handshakes_resumed, 4); /* of 19, the 4th, 8th, .. */
	assert_int_equal(run.r.facts_mixed, 0);               /* no group is none changed */
	assert_null(load_verdict(&run.p, &run.r, text));
	load_result_release(&run.r);
}

static void asked_and_not_resumed_is_not_valid(void **state)
{
	(void)state;
	char text[256];
	for (int gives = 0; gives < 2; gives++) {
		struct run run = with_tickets(gives, false, 100);
		assert_int_equal(run.r.window.succeeded, 20);
		assert_int_equal(run.r.window.handshakes_resumed, 0);
		assert_int_equal(tickets.offered, gives ? 19 : 0);
		assert_non_null(load_verdict(&run.p, &run.r, text));
		assert_non_null(strstr(text, "0 of 20 handshakes were resumed"));
		load_result_release(&run.r);
	}
}

/* --- settings and limits -------------------------------------------------- */

static void expect_refusal(struct run *run, const char *word)
{
	run->status = load_run(&run->p, &run->r, &run->f);
	assert_int_equal(run->status, -1);
	if (!strstr(run->f.text, word))
		fail_msg("\"%s\" lacks \"%s\"", run->f.text, word);
	load_result_release(&run->r);
}

static void impossible_settings_are_refused(void **state)
{
	(void)state;
	struct run run;
	prepare(&run, 1);
	run.p.url.scheme = URL_COAP_TCP;
	run.p.http2 = true;
	expect_refusal(&run, "coap+tcp");
	prepare(&run, 1);
	run.p.url.scheme = URL_HTTPS;
	expect_refusal(&run, "null");
	prepare(&run, 1);
	run.p.duration_ns = 1;
	expect_refusal(&run, "duration");
	prepare(&run, 1);
	run.p.clients = 0;
	expect_refusal(&run, "clients");
	/* What would not fit into the clock's 64 bits. */
	prepare(&run, 1);
	run.p.warmup_ns = INT64_MAX;
	expect_refusal(&run, "a warm-up of 9223372037 s");
	prepare(&run, 1);
	run.p.rate_per_s = 1e-300;
	expect_refusal(&run, "1e-300 requests/s");
	prepare(&run, 1);
	run.p.connection_rate_per_s = 1e-9;
	expect_refusal(&run, "connections/s");
	prepare(&run, 1);
	strcpy(run.p.url.host, "no..such");
	expect_refusal(&run, "no..such");
	prepare(&run, 1);
	run.p.cpus = "nonsense";
	expect_refusal(&run, "nonsense");
}

static void machine_limits_are_raised_or_named(void **state)
{
	(void)state;
	struct rlimit before, low;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	low = before;
	low.rlim_cur = 16;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	struct run run;
	prepare(&run, 1);
	run.p.clients = 40;
	run.p.count = 1;
	assert_int_equal(load_run(&run.p, &run.r, &run.f), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &low), 0);
	assert_true(low.rlim_cur >= 72);
	load_result_release(&run.r);
	prepare(&run, 1);
	run.p.clients = LOAD_CLIENTS_MAX;
	if (before.rlim_max < LOAD_CLIENTS_MAX)
		expect_refusal(&run, "open files");
	else
		expect_refusal(&run, "ip_local_port_range");
	setrlimit(RLIMIT_NOFILE, &before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(full_handshakes_are_counted),
		cmocka_unit_test(one_resumed_handshake_spoils_full),
		cmocka_unit_test(another_suite_ends_the_run),
		cmocka_unit_test(mixed_suites_are_seen),
		cmocka_unit_test(tickets_are_used_once),
		cmocka_unit_test(asked_and_not_resumed_is_not_valid),
		cmocka_unit_test(impossible_settings_are_refused),
		cmocka_unit_test(machine_limits_are_raised_or_named),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
