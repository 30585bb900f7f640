/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_settings_test - settings as axes of a campaign: what they are called, what follows from
 * them, and which combinations cannot run.
 */
#include "testbed/plan_fixture.h"
#include "workloads/workload.h"

#define TLS12 "tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:p256:p256"

static void several_values_are_an_axis(void **state)
{
	struct plan p = read_for_openssl("campaign: x\ncells:\n  - suites: [" P256 "]\n"
					 "    connections: keepalive\n    http: 2\n"
					 "    streams: [1, 8]\n    window: [64KiB, 1MiB]\n");
	const struct plan_cell *c = find_cell(
		&p, P256 "/512B/identity/c8/keepalive/openssl/http=2/streams=8/window=1MiB");

	(void)state;
	assert_int_equal(p.cells, 4);
	for (int i = 0; i < p.cells; i++)
		if (p.cell[i].unavailable)
			fail_msg("%s", p.cell[i].unavailable);
	assert_string_equal(c->cell.settings,
			    "{\"protocol\":\"http\",\"http\":\"2\",\"streams\":8,\"window_bytes\":"
			    "1048576,\"driver\":"
			    "\"builtin\",\"record_bytes\":16384,\"records_per_send\":4}");
	plan_release(&p);
}

/* What holds for all is in no name; what a group says against it is. */
static void request_says_what_is_usual(void **state)
{
	struct plan p = read_text("campaign: x\nrequest: {think: 5ms, record_size: 4KiB}\ncells:\n"
				  "  - suites: plain\n"
				  "  - suites: plain\n    think: [5ms, 0]\n    clients: 2\n",
				  NULL);
	const struct plan_cell *all = find_cell(&p, "plain/512B/identity/c8/full/null");
	const struct plan_cell *one = find_cell(&p, "plain/512B/identity/c2/full/null/think=0");

	(void)state;
	assert_int_equal(p.cells, 3);
	assert_string_equal(setting_of(all, "think"), "5ms");
	assert_string_equal(setting_of(all, "record_size"), "4KiB");
	assert_string_equal(setting_of(one, "think"), "0");
	assert_non_null(strstr(all->cell.settings, "\"think_ns\":5000000"));
	find_cell(&p, "plain/512B/identity/c2/full/null");
	plan_release(&p);
}

static void a_share_of_resumed_handshakes(void **state)
{
	struct plan p =
		read_for_openssl("campaign: x\ncells:\n"
				 "  - suites: [" P256 ", " TLS12 "]\n"
				 "    connections: [full, resume: 80%, resume, 'keepalive:100']\n"
				 "  - suites: " TLS12
				 "\n    connections: {resume: 50}\n    resumption: session-id\n");
	const struct plan_cell *tls13 = find_cell(&p, P256 "/512B/identity/c8/resume:80/openssl");
	const struct plan_cell *tls12 = find_cell(&p, TLS12 "/512B/identity/c8/resume/openssl");
	const struct plan_cell *id =
		find_cell(&p, TLS12 "/512B/identity/c8/resume:50/openssl/resumption=session-id");

	(void)state;
	assert_int_equal(p.cells, 9);
	assert_int_equal(tls13->mode, CONNECTION_RESUME);
	assert_int_equal(tls13->connection_number, 80);
	assert_string_equal(setting_of(tls13, "tickets"), "2");
	assert_string_equal(setting_of(tls12, "tickets"), "1");
	assert_string_equal(setting_of(tls12, "resumption"), "ticket");
	assert_null(setting_of(id, "tickets"));
	assert_null(setting_of(id, "server_threads"));
	assert_null(setting_of(find_cell(&p, P256 "/512B/identity/c8/full/openssl"), "tickets"));
	for (int i = 0; i < p.cells; i++)
		assert_null(p.cell[i].unavailable);
	plan_release(&p);
}

/* A cell that can run, the group that cannot, and why. */
static const struct {
	const char *cells, *why;
} cannot[] = {
	{ "suites: plain\n    connections: resume", "nothing to resume" },
	{ "suites: plain\n    streams: 2", "http: 2" },
	{ "suites: plain\n    http: 2\n    streams: 2", "connections: keepalive" },
	{ "suites: plain\n    window: 1MiB", "http: 2" },
	{ "suites: plain\n    arrivals: poisson", "needs a rate" },
	{ "suites: plain\n    rate: 5\n    think: 1s", "closed loop" },
	{ "suites: plain\n    rate: 5\n    arrival_seed: 1", "poisson" },
	{ "suites: plain\n    tickets: 2", "no TLS" },
	{ "suites: plain\n    clients: 2\n    client_threads: 3", "more than 2 clients" },
	{ "suites: [" P256 "]\n    resumption: ticket", "connections: resume" },
	{ "suites: [" P256 "]\n    connections: resume\n    tickets: 0", "nothing to resume" },
	{ "suites: [" P256 "]\n    connections: resume\n    resumption: session-id",
	  "TLS 1.3 has no session ids" },
	{ "suites: [" TLS12 "]\n    connections: resume\n    resumption: psk13", "of TLS 1.3" },
	{ "suites: plain\n    driver: ab\n    rate: 5", "driver ab: it has no equal of --rate" },
	{ "suites: [" P256 "]\n    driver: ab\n    connections: resume", "--connection resume" },
	{ "suites: [" P256 "]\n    driver: wrk\n    tickets: 2", "resumes wherever it is let" },
	{ "suites: plain\n    driver: wrk\n    client_threads: 20", "20 are more than 8 clients" },
#ifdef WITH_WOLFSSL
	{ "suites: [" P256 "]\n    driver: ab\n    client_engine: wolfssl", "brings OpenSSL" },
#endif
	{ "suites: plain\n    servers: nginx\n    http: 2", "HTTP/1.1 only" },
	{ "suites: plain\n    servers: nginx\n    protocol: coap", "HTTP/1.1 only" },
	{ "suites: plain\n    driver: ab\n    protocol: coap", "HTTP only" },
	{ "suites: plain\n    mutual: true", "no certificates" },
	{ "suites: [" P256 "]\n    driver: ab\n    mutual: true", "shows no certificate" },
	{ "suites: [" P256 "]\n    servers: nginx\n    mutual: true", "ask no client" },
	{ "suites: plain\n    workload: access\n    access: {model: rbac, users: 5}",
	  "knows no users" },
	{ "suites: plain\n    workload: access\n    driver: ab", "pages only" },
	{ "suites: plain\n    http: 2\n    protocol: coap", "protocol: http" },
	{ "suites: [" P256 "]\n    early_data: 1KiB", "connections: resume" },
	{ "suites: [" TLS12 "]\n    connections: resume\n    early_data: 1KiB", "TLS 1.3" },
	{ "suites: [" TLS12
	  "]\n    servers: nginx\n    connections: resume\n    resumption: session-id",
	  "without session ids" },
	{ "suites: [" P256 "]\n    servers: nginx\n    connections: resume\n    tickets: 1",
	  "tickets: 2" },
};

static void what_contradicts_itself_is_not_available(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cannot) / sizeof(*cannot); i++) {
		char text[512];
		struct plan p;

		snprintf(text, sizeof(text),
			 "campaign: x\ncells:\n  - suites: plain\n    payloads: 7\n  - %s\n",
			 cannot[i].cells);
		p = read_for_openssl(text);
		assert_int_equal(p.cells, 2);
		assert_null(p.cell[0].unavailable);
		if (!p.cell[1].unavailable || !strstr(p.cell[1].unavailable, cannot[i].why))
			fail_msg("%s: %s", cannot[i].cells, p.cell[1].unavailable);
		plan_release(&p);
	}
}

/* What the suite says of datagrams, the protocol follows; the name says it once. */
static void a_suite_of_dtls_is_asked_over_coap(void **state)
{
	struct plan p = read_for_openssl(
		"campaign: x\ncells:\n"
		"  - suites: [plain, 'dtls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:p256:p256']\n"
		"  - suites: [plain, " P256 "]\n    protocol: [coap, coap+tcp]\n");
	static const struct {
		const char *name, *protocol;
		bool can;
	} cells[] = {
		{ "plain/512B/identity/c8/full/null", "http", true },
		{ "dtls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:p256:p256/512B/identity/c8/full/openssl",
		  "coap", true },
		{ "plain/512B/identity/c8/full/null/protocol=coap", "coap", true },
		{ "plain/512B/identity/c8/full/null/protocol=coap+tcp", "coap+tcp", true },
		{ P256 "/512B/identity/c8/full/openssl/protocol=coap", "coap", false },
		{ P256 "/512B/identity/c8/full/openssl/protocol=coap+tcp", "coap+tcp", true },
	};

	(void)state;
	assert_int_equal(p.cells, 6);
	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++) {
		const struct plan_cell *c = find_cell(&p, cells[i].name);

		assert_string_equal(setting_of(c, "protocol"), cells[i].protocol);
		if (!c->unavailable != cells[i].can)
			fail_msg("%s: %s", cells[i].name, c->unavailable);
	}
	plan_release(&p);
}

static void another_load_generator_has_no_warm_up(void **state)
{
	struct plan p = read_text("campaign: x\nphases: {warmup: 2s, measure: 3s, overtime: 10s}\n"
				  "cells:\n  - {suites: plain, driver: [builtin, ab]}\n",
				  NULL);
	struct phase_times ours = plan_times(&p, find_cell(&p, "plain/512B/identity/c8/full/null"));
	struct phase_times its =
		plan_times(&p, find_cell(&p, "plain/512B/identity/c8/full/null/driver=ab"));

	(void)state;
	assert_int_equal(ours.warmup_ns, 2 * NS_PER_S);
	assert_int_equal(ours.overtime_ns, 10 * NS_PER_S);
	assert_int_equal(its.warmup_ns, 0);
	assert_int_equal(its.overtime_ns, 13 * NS_PER_S);
	plan_release(&p);
}

/* Of its own window: by count, with the time that a count is given. */
static void a_cell_may_count_its_requests(void **state)
{
	struct plan p =
		read_text("campaign: x\nphases: {settle: 1s, idle: 0s, warmup: 2s, measure: "
			  "4s}\nblocks: 1\n"
			  "cells:\n  - {suites: plain, clients: 1}\n"
			  "  - {suites: plain, count: [200, 2000]}\n",
			  NULL);
	const struct plan_cell *c = find_cell(&p, "plain/512B/identity/c8/full/null/count=2000");
	struct phase_times counted = plan_times(&p, c);
	struct phase_times timed =
		plan_times(&p, find_cell(&p, "plain/512B/identity/c1/full/null"));

	(void)state;
	assert_int_equal(counted.count, 2000);
	assert_int_equal(counted.measure_ns, 0);
	assert_int_equal(counted.warmup_ns, 2 * NS_PER_S);
	assert_int_equal(counted.overtime_ns, 600 * NS_PER_S);
	assert_int_equal(timed.count, 0);
	assert_int_equal(timed.measure_ns, 4 * NS_PER_S);
	assert_int_equal(timed.overtime_ns, 30 * NS_PER_S);
	assert_non_null(strstr(c->cell.settings, "\"count\":2000"));
	assert_int_equal(plan_duration_ns(&p), (3 + 4 + 3 + 3) * NS_PER_S);
	plan_release(&p);
}

static void a_name_that_is_too_long_is_an_error(void **state)
{
	struct buf errors = { 0 };
	struct plan p;

	(void)state;
	write_text(file,
		   "campaign: x\ncells:\n  - suites: " TLS12 "\n    connections: keepalive\n"
		   "    http: 2\n    streams: 10000\n    window: 1234567\n    tickets: 2\n"
		   "    server_threads: 12\n    client_threads: 12\n    rate: 123456.789\n"
		   "    arrivals: poisson\n    arrival_seed: 123456789\n    ramp: 1234567us\n");
	assert_int_equal(plan_read(&p, file, NULL, &errors), -1);
	assert_non_null(strstr(buf_text(&errors), ":3:13: the name of"));
	assert_int_equal(lines_of(buf_text(&errors)), 1);
	buf_release(&errors);
}

/* Of two workloads each has its own settings, and only those. */
static void a_map_is_of_its_workload(void **state)
{
	static const char text[] = "campaign: x\ncells:\n  - suites: plain\n"
				   "    workload: [page, access]\n    clients: [1, 2]\n"
				   "    access: {model: [abac, rbac], encoding: cbor}\n";
	const struct plan_cell *c;
	struct plan p;

	(void)state;
	if (!workload_by_name("access"))
		skip();
	p = read_text(text, NULL);
	assert_int_equal(p.cells, 2 + 2 * 2);
	c = find_cell(
		&p,
		"plain/512B/identity/c2/full/null/access/access.model=rbac/access.encoding=cbor");
	assert_non_null(
		strstr(c->cell.settings, "\"access_model\":\"rbac\",\"access_encoding\":\"cbor\""));
	assert_null(setting_of(find_cell(&p, "plain/512B/identity/c1/full/null"), "access.model"));
	plan_release(&p);
}

static void a_message_says_as_much_as_its_answer(void **state)
{
	struct plan p;

	(void)state;
	if (!workload_by_name("message"))
		skip();
	p = read_text(
		"campaign: x\ncells:\n  - {suites: plain, workload: message, payloads: 2KiB}\n",
		NULL);
	assert_string_equal(setting_of(find_cell(&p, "plain/2KiB/identity/c8/full/null/message"),
				       "message.payload"),
			    "2KiB");
	plan_release(&p);
}

static void a_map_of_a_workload_that_is_not_there(void **state)
{
	static const struct {
		const char *text, *why;
	} wrong[] = {
		{ "access: {model: rbac}",
		  ":4:21: access.model: no cell of this group has workload: access" },
		{ "access: {modle: rbac}", ":4:14: unknown key \"modle\"; did you mean \"model\"" },
		{ "access: rbac", ":4:13: access: expected a map" },
		{ "workload: [page, page]", ":4:22: page is in this list already" },
	};
	struct buf errors = { 0 };
	char text[256];
	struct plan p;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		snprintf(text, sizeof(text), "campaign: x\ncells:\n  - suites: plain\n    %s\n",
			 wrong[i].text);
		write_text(file, text);
		buf_clear(&errors);
		assert_int_equal(plan_read(&p, file, NULL, &errors), -1);
		if (!strstr(buf_text(&errors), wrong[i].why) || lines_of(buf_text(&errors)) != 1)
			fail_msg("expected %s, got:\n%s", wrong[i].why, buf_text(&errors));
	}
	buf_release(&errors);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(several_values_are_an_axis),
		cmocka_unit_test(request_says_what_is_usual),
		cmocka_unit_test(a_share_of_resumed_handshakes),
		cmocka_unit_test(what_contradicts_itself_is_not_available),
		cmocka_unit_test(a_suite_of_dtls_is_asked_over_coap),
		cmocka_unit_test(another_load_generator_has_no_warm_up),
		cmocka_unit_test(a_cell_may_count_its_requests),
		cmocka_unit_test(a_map_is_of_its_workload),
		cmocka_unit_test(a_message_says_as_much_as_its_answer),
		cmocka_unit_test(a_map_of_a_workload_that_is_not_there),
		cmocka_unit_test(a_name_that_is_too_long_is_an_error),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
