/* SPDX-License-Identifier: Apache-2.0 */
/*
 * meter_ina2xx_test - METER texts of the family: what each chip takes, and what is refused.
 * No bus is touched: /dev/null is not one, which is what a right text comes to.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "power/meter.h"

static void texts(void **state)
{
	static const struct {
		const char *text, *word;
	} row[] = {
		/* Right texts get as far as the bus. */
		{ "ina219:/dev/null@0x40,avg=8,bits=12,range=32V,max=1A,invert", "not an I2C bus" },
		{ "ina219:/dev/null@0x45,mux=0x70.7", "not an I2C bus" },
		{ "ina226:/dev/null", "not an I2C bus" },
		{ "ina226:/dev/null@0x4f,avg=1024,conversion=8244us", "not an I2C bus" },
		{ "ina260:/dev/null,max=15A,conversion=1100us", "not an I2C bus" },
		{ "ina3221:/dev/null@0x41,channel=3,shunt=0.05", "not an I2C bus" },
		{ "ina228:/dev/null,shunt=0.015,max=10A", "not an I2C bus" },
		{ "ina238:/dev/null,avg=4,conversion=50us", "not an I2C bus" },
		/* What a chip has no choice of. */
		{ "ina219:/dev/null,conversion=588us", "unknown key \"conversion\"" },
		{ "ina219:/dev/null,channel=2", "unknown key \"channel\"" },
		{ "ina226:/dev/null,bits=12", "unknown key \"bits\"" },
		{ "ina226:/dev/null,range=32V", "unknown key \"range\"" },
		{ "ina260:/dev/null,shunt=0.1", "unknown key \"shunt\"" },
		{ "ina3221:/dev/null,channel=4", "channel" },
		{ "ina226:/dev/null,shunt=0.1,max=2A", "81.92 mV" },
		{ "ina226:/dev/null,avg=2", "1024" },
		{ "ina238:/dev/null,conversion=51us", "540" },
		{ "ina260:/dev/null,max=16A", "15 A" },
		/* Places. */
		{ "ina226:", "ina226:/dev/i2c-1@0x40" },
		{ "ina228:/dev/null@0x78", "0x77" },
		{ "ina228:/dev/null@", "address" },
		{ "ina219:/dev/null,mux=0x70", "0x70.3" },
		{ "ina219:/dev/null,mux=0x70.8", "0x70.3" },
		{ "ina219:/dev/null,mux=0x70.31", "0x70.3" },
		{ "ina219:/dev/null,mux=0x6f.1", "between 0x70 and 0x77" },
		{ "ina219:/dev/null,mux=here.1", "address" },
		{ "ina229:/dev/null", "did you mean" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof row / sizeof *row; i++) {
		struct meter m;

		if (meter_open(&m, row[i].text) != -1)
			fail_msg("%s was opened", row[i].text);
		if (strstr(m.fail.text, row[i].word) == NULL)
			fail_msg("%s: \"%s\" should say \"%s\"", row[i].text, m.fail.text,
				 row[i].word);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
