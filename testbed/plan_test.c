/* SPDX-License-Identifier: Apache-2.0 */
/* plan_test - campaigns read and multiplied. */
#include "testbed/plan_fixture.h"

static void defaults(void **state)
{
	struct plan p = read_text("campaign: small\ncells:\n  - suites: plain\n", NULL);
	const struct plan_cell *c = find_cell(&p, "plain/512B/identity/c8/full/null");

	(void)state;
	assert_string_equal(p.name, "small");
	assert_int_equal(p.blocks, 5);
	assert_false(p.seed_given);
	assert_true(p.seed >= 0 && p.seed < INT64_C(1) << 53);
	assert_int_equal(p.times.settle_ns, 500 * NS_PER_MS);
	assert_int_equal(p.times.idle_ns, 2 * NS_PER_S);
	assert_int_equal(p.times.measure_ns, 5 * NS_PER_S);
	assert_int_equal(p.times.count, 0);
	assert_int_equal(p.times.overtime_ns, 30 * NS_PER_S);
	assert_int_equal(p.timeout_ns, 10 * NS_PER_S);
	assert_string_equal(c->cell.settings, "{\"protocol\":\"http\",\"driver\":\"builtin\","
					      "\"record_bytes\":16384,\"records_per_send\":4}");
	assert_string_equal(p.server.name, "server");
	assert_string_equal(p.client.name, "client");
	assert_string_equal(p.server.address, "127.0.0.1");
	assert_string_equal(p.server.listen, "127.0.0.1");
	assert_int_equal(p.cells, 1);
	assert_string_equal(c->cell.engine, "null");
	assert_string_equal(c->cell.client_engine, "null");
	assert_int_equal(c->cell.strength_bits, 0);
	assert_int_equal(c->encoding.level, 0);
	assert_null(c->unavailable);
	assert_string_equal(buf_text(&p.text), "campaign: small\ncells:\n  - suites: plain\n");
	plan_release(&p);
}

static void everything(void **state)
{
	struct plan p = read_for_openssl(
		"campaign: all-of.it_1\nblocks: 3\nseed: 9007199254740991\n"
		"phases: {settle: 1ms, idle: 2ms, warmup: 3ms, count: 1000, cool: 5ms}\n"
		"request: {timeout: 2s, record_size: 4KiB, records_per_send: 1}\n"
		"nodes:\n"
		"  server: {name: pi, command: ssh pi@board, program: /opt/cw, address: "
		"192.0.2.7,\n"
		"    listen: 0.0.0.0, board: rpi-4b, meter: 'wave:x', cpus: 0-3, rate: 500}\n"
		"  client: {name: load}\n"
		"cells:\n"
		"  - {suites: " P256
		", engines: openssl, client_engine: openssl, servers: builtin,\n"
		"     workload: page, payloads: 128kB, payload_kind: text,\n"
		"     encodings: 'gzip:9:once', clients: 3, connections: keepalive}\n");
	const struct plan_cell *c =
		find_cell(&p, P256 "/128kB-text/gzip:9:once/c3/keepalive/openssl");

	(void)state;
	assert_int_equal(p.blocks, 3);
	assert_true(p.seed_given);
	assert_int_equal(p.seed, INT64_C(9007199254740991));
	assert_int_equal(p.times.count, 1000);
	assert_int_equal(p.times.measure_ns, 0);
	assert_int_equal(p.times.overtime_ns, 600 * NS_PER_S);
	assert_string_equal(p.server.command, "ssh pi@board");
	assert_string_equal(p.server.listen, "0.0.0.0");
	assert_string_equal(p.server.cpus, "0-3");
	assert_int_equal(p.server.rate_hz, 500);
	assert_int_equal(c->cell.payload_bytes, 128000);
	assert_int_equal(c->encoding.level, 9);
	assert_true(c->encoding.once);
	assert_string_equal(setting_of(c, "record_size"), "4KiB");
	assert_string_equal(setting_of(c, "records_per_send"), "1");
	assert_int_equal(c->cell.strength_bits, 128);
	assert_string_equal(c->cell.suite, P256);
	assert_int_equal(plan_duration_ns(&p), 3 * 13 * NS_PER_MS);
	plan_release(&p);
}

/* Blocks that may be added are drawn behind the others, which stay as they were. */
static void blocks_until(void **state)
{
	static const char cells[] = "cells: [{suites: plain, clients: [1, 2, 3, 4]}]\n";
	char text[256];
	struct plan p, q;

	(void)state;
	snprintf(text, sizeof(text), "campaign: x\nseed: 7\nblocks: 2\n%s", cells);
	p = read_text(text, NULL);
	snprintf(text, sizeof(text),
		 "campaign: x\nseed: 7\nblocks: 2\nuntil: {ci_pct: 2.5, max_blocks: 30}\n%s",
		 cells);
	q = read_text(text, NULL);
	assert_int_equal(plan_blocks(&p), 2);
	assert_int_equal(plan_blocks(&q), 30);
	assert_true(q.until.ci_pct == 2.5);
	assert_int_equal(q.blocks, 2);
	assert_memory_equal(p.order, q.order, 2 * 4 * sizeof(*p.order));
	assert_int_equal(plan_duration_ns(&p), plan_duration_ns(&q));
	plan_release(&p);
	plan_release(&q);
}

static void testbed_overrides(void **state)
{
	struct plan p = read_text("campaign: x\n"
				  "nodes: {server: {meter: 'model:rpi-4b', cpus: '9999'}}\n"
				  "cells: [{suites: plain}]\n",
				  "nodes:\n  server: {command: ssh a, address: a.example}\n"
				  "  client: {meter: 'model:rpi-2b'}\n");

	(void)state;
	assert_string_equal(p.server.command, "ssh a");
	assert_string_equal(p.server.address, "a.example");
	assert_string_equal(p.server.meter, "model:rpi-4b");
	assert_string_equal(p.server.cpus, "9999"); /* another machine may have it */
	assert_string_equal(p.client.meter, "model:rpi-2b");
	plan_release(&p);
}

static void products(void **state)
{
	struct plan p = read_text("campaign: x\ncells:\n"
				  "  - suites: [plain, " P256 "]\n"
				  "    engines: [openssl, wolfssl]\n"
				  "    payloads: [0, 1000, 2KiB]\n"
				  "    encodings: [identity, gzip]\n"
				  "  - suites: " P256 "\n"
				  "    clients: [1, 2]\n"
				  "    engines: openssl\n"
				  "    client_engine: wolfssl\n",
				  NULL);

	(void)state;
	/* Plain cells are not made once for each engine. */
	assert_int_equal(p.cells, 3 * 2 + 2 * 3 * 2 + 2);
	find_cell(&p, "plain/0B/gzip:6/c8/full/null");
	find_cell(&p, P256 "/2KiB/identity/c8/full/wolfssl");
	find_cell(&p, P256 "/1kB/gzip:6/c8/full/openssl");
	find_cell(&p, P256 "/512B/identity/c2/full/openssl+wolfssl");
	plan_release(&p);
}

/* Of a product what makes no suite is left out: 1.3 ciphers in 1.2, RSA keys for ECDSA. */
static void product_of_parts(void **state)
{
	struct plan p = read_for_openssl(
		"campaign: x\ncells:\n  - suites:\n"
		"      versions: [tls1.2, tls1.3]\n"
		"      ciphers: [ECDHE-RSA-AES128-GCM-SHA256, ECDHE-ECDSA-AES128-GCM-SHA256,\n"
		"                AES128-GCM-SHA256]\n"
		"      groups: [x25519, p256]\n"
		"      credentials: [rsa2048, p256, p384]\n");

	(void)state;
	/* 1.2: two groups x (rsa + 2 EC keys); 1.3: two groups x three keys. */
	assert_int_equal(p.cells, 2 * 3 + 2 * 3);
	find_cell(&p,
		  "tls1.2:ECDHE-RSA-AES128-GCM-SHA256:p256:rsa2048/512B/identity/c8/full/openssl");
	find_cell(&p, RSA "/512B/identity/c8/full/openssl");
	plan_release(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(defaults),     cmocka_unit_test(everything),
		cmocka_unit_test(blocks_until), cmocka_unit_test(testbed_overrides),
		cmocka_unit_test(products),     cmocka_unit_test(product_of_parts),
	};

	return cmocka_run_group_tests_name("plan", tests, make_dir, remove_dir);
}
