/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_order_test - the order of trials, the choice of cells, and the campaigns that ship.
 */
#include "testbed/plan_fixture.h"

/* --- order ---------------------------------------------------------------- */

static void expect_permutations(const struct plan *p)
{
	for (int b = 0; b < p->blocks; b++) {
		unsigned char *seen = calloc((size_t)p->cells, 1);

		for (int i = 0; i < p->cells; i++) {
			int cell = p->order[b * p->cells + i];

			assert_true(cell >= 0 && cell < p->cells);
			assert_false(seen[cell]);
			seen[cell] = 1;
		}
		free(seen);
	}
}

/* Stored campaigns rely on this order: it must never change. */
static void known_order(void **state)
{
	static const int expected[] = { 1, 4, 2, 0, 5, 3, 4, 0, 1, 5, 3, 2, 0, 4, 5, 1, 3, 2 };
	struct plan p = read_text("campaign: x\nseed: 7\nblocks: 3\ncells:\n"
				  "  - {suites: plain, clients: [1, 2, 3, 4, 5, 6]}\n",
				  NULL);

	(void)state;
	assert_memory_equal(p.order, expected, sizeof(expected));
	expect_permutations(&p);
	plan_release(&p);
}

static void order_by_seed(void **state)
{
	static const char text[] = "campaign: x\nseed: 7\nblocks: 40\ncells:\n"
				   "  - {suites: plain, clients: [1, 2, 3, 4, 5, 6, 7, 8]}\n";
	struct plan a = read_text(text, NULL), b = read_text(text, NULL);
	struct fail f = { 0 };
	int differ = 0;

	(void)state;
	expect_permutations(&a);
	assert_memory_equal(a.order, b.order, 40 * 8 * sizeof(int));
	for (int i = 1; i < 40; i++)
		differ += !!memcmp(a.order, a.order + i * 8, 8 * sizeof(int));
	assert_true(differ >= 38);
	/* More blocks leave the first ones alone. */
	b.blocks = 41;
	assert_int_equal(plan_draw(&b, &f), 0);
	assert_memory_equal(a.order, b.order, 40 * 8 * sizeof(int));
	expect_permutations(&b);
	b.seed = 8;
	assert_int_equal(plan_draw(&b, &f), 0);
	assert_memory_not_equal(a.order, b.order, 40 * 8 * sizeof(int));
	plan_release(&a);
	plan_release(&b);
}

/* --- a choice ------------------------------------------------------------- */

static const char choices[] = "campaign: x\nseed: 1\nblocks: 2\ncells:\n"
			      "  - suites: [plain, " P256 ", " RSA "]\n"
			      "    engines: [openssl, wolfssl]\n"
			      "    encodings: [identity, gzip]\n";

static void only_some(void **state)
{
	struct plan p = read_text(choices, NULL);
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(p.cells, 2 + 4 + 4);
	assert_int_equal(plan_only(&p, "plain/*,*:p256/*/openssl", &f), 0);
	assert_int_equal(p.cells, 4);
	expect_permutations(&p);
	assert_int_equal(plan_only(&p, P256 "/512B/gzip:6/c8/full/openssl", &f), 0);
	assert_int_equal(p.cells, 1);
	assert_int_equal(p.cell[0].encoding.level, 6);
	plan_release(&p);
}

/* Also when the blocks come from the command line. */
static void too_many_trials(void **state)
{
	struct plan p = read_text(choices, NULL);
	struct fail f = { 0 };
	int cells = p.cells;

	(void)state;
	p.blocks = PLAN_BLOCKS_MAX;
	p.cells = PLAN_TRIALS_MAX / PLAN_BLOCKS_MAX + 1;
	assert_int_equal(plan_draw(&p, &f), -1);
	assert_non_null(strstr(f.text, "10000 blocks of 101 cells are more than 1000000 trials"));
	p.cells = cells;
	plan_release(&p);
}

static void only_nothing(void **state)
{
	struct plan p = read_text(choices, NULL);
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(plan_only(&p, "plain/*,*:p265/*/openssl", &f), -1);
	assert_non_null(strstr(f.text, "\"*:p265/*/openssl\" matches no cell"));
	assert_non_null(strstr(f.text, "near: "));
	assert_non_null(strstr(f.text, P256 "/512B"));
	assert_int_equal(p.cells, 10);
	fail_clear(&f);
	assert_int_equal(plan_only(&p, "QQQ", &f), -1); /* nothing is near */
	assert_string_equal(f.text, "\"QQQ\" matches no cell (* stands for anything)");
	fail_clear(&f);
	assert_int_equal(plan_only(&p, "", &f), -1);
	plan_release(&p);
}

/* --- the shipped ones ----------------------------------------------------- */

static void quick(void **state)
{
	struct plan p = read_file("testbed/campaigns/quick.yaml");
	/* What a trial takes besides its phases, generously. */
	int64_t overhead_ns = 300 * NS_PER_MS * p.cells * p.blocks;

	(void)state;
	assert_string_equal(p.name, "quick");
	assert_int_equal(p.cells, 10);
	assert_true(p.blocks >= 5);
	assert_true(plan_duration_ns(&p) + overhead_ns <= 120 * NS_PER_S);
	find_cell(&p, "plain/512B/identity/c8/full/null");
	find_cell(&p, "tls1.3:AES128-GCM-SHA256:x25519:rsa3072/512B/gzip:6/c8/full/openssl");
	find_cell(&p, P256 "/512B/identity/c8/full/wolfssl+openssl");
	expect_permutations(&p);
	plan_release(&p);
}

static void gateway(void **state)
{
	struct plan p;

	(void)state;
	need_openssl();
	p = read_file("testbed/campaigns/gateway.yaml");
	assert_int_equal(p.cells, 3 * (24 + 36 + 15 + 6 + 3 + 6 + 3));
	for (int i = 0; i < p.cells; i++) {
		/* nginx and httpd may be missing here */
		assert_true(!p.cell[i].unavailable || strcmp(p.cell[i].cell.server, "builtin"));
		assert_true(suite_is_plain(&p.cell[i].suite) || p.cell[i].suite.version == TLS12);
	}
	find_cell(&p, "plain/512B/identity/c128/full/null");
	find_cell(&p, "plain/512B/identity/c128/full/null/apache-event");
	find_cell(&p, "tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:p256:p256/128KiB/gzip:6/c16/full/"
		      "openssl");
	find_cell(&p, "tls1.2:ECDHE-ECDSA-AES128-GCM-SHA256:p256:p224/512B/identity/c16/full/"
		      "openssl");
	expect_permutations(&p);
	plan_release(&p);
}

/* Every cell of the access-control study can run where the suites are there. */
static void access_control(void **state)
{
	static const char *const files[] = { "testbed/campaigns/access.yaml",
					     "testbed/campaigns/access-short.yaml" };

	(void)state;
	need_openssl();
	if (!workload_by_name("access"))
		skip();
	for (int i = 0; i < 2; i++) {
		struct plan p = read_file(files[i]);

		for (int c = 0; c < p.cells; c++)
			if (p.cell[c].unavailable)
				fail_msg("%s: %s", p.cell[c].cell.name, p.cell[c].unavailable);
		find_cell(&p, "dtls1.2:PSK-AES128-CCM8:none:psk/512B/identity/c120/keepalive/"
			      "openssl/access/count=2040");
		expect_permutations(&p);
		plan_release(&p);
	}
}

static void smoke(void **state)
{
	struct plan p = read_file("tests/campaigns/smoke.yaml");

	(void)state;
	assert_int_equal(p.cells * p.blocks, 4);
	assert_int_equal(plan_duration_ns(&p), NS_PER_S);
	plan_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_order),     cmocka_unit_test(order_by_seed),
		cmocka_unit_test(only_some),       cmocka_unit_test(only_nothing),
		cmocka_unit_test(too_many_trials), cmocka_unit_test(quick),
		cmocka_unit_test(gateway),         cmocka_unit_test(access_control),
		cmocka_unit_test(smoke),
	};

	return cmocka_run_group_tests_name("plan_order", tests, make_dir, remove_dir);
}
