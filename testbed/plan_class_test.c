/* SPDX-License-Identifier: Apache-2.0 */
/* `suites: {strength: N}`: which suites a class of equal strength is made of. */
#include "testbed/plan_fixture.h"

#define CLASS(REST) "campaign: x\ncells:\n  - suites: {strength: " REST "}\n    engines: openssl\n"

static int count_cells(const char *text)
{
	struct plan p = read_text(text, NULL);
	int cells = p.cells;

	plan_release(&p);
	return cells;
}

static void usual_parts(void **state)
{
	struct plan p = read_text(CLASS("128"), NULL);

	(void)state;
	/* tls1.2: 2 groups x 2 keys, twice; tls1.3: 2 ciphers x 2 groups x 4 keys. */
	assert_int_equal(p.cells, 8 + 16);
	for (int i = 0; i < p.cells; i++)
		assert_int_equal(p.cell[i].cell.strength_bits, 128);
	find_cell(&p, "tls1.2:ECDHE-RSA-AES128-GCM-SHA256:p256:rsa3072/512B/identity/c8/full/"
		      "openssl");
	find_cell(&p, "tls1.3:AES128-GCM-SHA256:x25519:ed25519/512B/identity/c8/full/openssl");
	plan_release(&p);
}

static void several_classes(void **state)
{
	(void)state;
	assert_int_equal(count_cells(CLASS("[112, 128]")),
			 count_cells(CLASS("112")) + count_cells(CLASS("128")));
}

static void listed_parts(void **state)
{
	(void)state;
	assert_int_equal(count_cells(CLASS("128, versions: tls1.3, ciphers: AES128-GCM-SHA256, "
					   "groups: [x25519, ffdhe3072, p384], "
					   "credentials: [p256, rsa2048, rsapss3072]")),
			 2 * 2);
	/* Listed, a cipher need not be a recommended one. */
	assert_int_equal(count_cells(CLASS("128, ciphers: AES128-GCM-SHA256, versions: tls1.2, "
					   "groups: none, credentials: rsa3072")),
			 1);
}

static void expect_error(const char *text, const char *word)
{
	struct plan p;
	struct buf errors;

	buf_init(&errors, 0);
	write_text(file, text);
	assert_int_equal(plan_read(&p, file, NULL, &errors), -1);
	if (!strstr(buf_text(&errors), word))
		fail_msg("\"%s\" is not in: %s", word, buf_text(&errors));
	buf_release(&errors);
	plan_release(&p);
}

static void refusals(void **state)
{
	(void)state;
	expect_error(CLASS("100"), "the classes are 80, 112, 128, 192 and 256 bits, not 100");
	expect_error(CLASS("strong"), "strong");
	expect_error(CLASS("128, groups: p384"), "no combination of these parts");
	expect_error(CLASS("128, groups: p257"), "p257");
	expect_error(CLASS("[128, 128]"), "in this list already");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(usual_parts),
		cmocka_unit_test(several_classes),
		cmocka_unit_test(listed_parts),
		cmocka_unit_test(refusals),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
