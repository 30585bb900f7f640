/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_binary - the energy trace of MLPerf Tiny's runner.
 *
 * Byte 0xF1, the rate in Hz and then the microjoules of each sample, little-endian float32.
 * Sample i is the energy from i to i + 1 periods.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "power/convert.h"
#include "power/replay_text.h"

#define MARK    0xF1
#define HEAD    5
#define UJ_MOST 1e12

static float float_le(const char *p)
{
	uint32_t bits = 0;
	float v;

	for (int i = 3; i >= 0; i--)
		bits = bits << 8 | (uint8_t)p[i];
	memcpy(&v, &bits, sizeof v);
	return v;
}

bool replay_binary_is(const char *data, size_t len)
{
	return len > 0 && (uint8_t)data[0] == MARK;
}

int replay_binary_read(struct trace *t, const char *data, size_t len, struct fail *f)
{
	struct meter_facts *facts = &t->facts;
	size_t count = len < HEAD ? 0 : (len - HEAD) / 4;
	double rate_hz = len < HEAD ? 0 : (double)float_le(data + 1), step_ns;

	if (count == 0 || !(rate_hz >= 0.001 && rate_hz <= 1e7))
		return fail_set(f, EINVAL,
				"it begins with 0xF1 but holds no trace: expected a rate and "
				"samples as float32");
	facts->kind = CODE_ENERGY;
	facts->meaning = SAMPLE_INCREMENT;
	facts->gapless = true;
	step_ns = 1e9 / rate_hz;
	facts->period_ns = llround(step_ns);
	if (step_ns * (double)count > 1e18)
		return fail_set(f, EINVAL, "%zu samples at %.6g Hz are longer than any run", count,
				rate_hz);
	for (size_t i = 0; i < count; i++) {
		int64_t ns = llround(step_ns * (double)(i + 1));
		double uj = (double)float_le(data + HEAD + 4 * i);
		struct sample s = { ns, ns, { 0, 0 }, 0 };

		if (isfinite(uj) && fabs(uj) <= UJ_MOST)
			s.code[0] = llround(uj * 1e3);
		else
			s.flags = SAMPLE_ABSENT;
		if (trace_add(t, &s) != 0)
			return fail_set(f, ENOMEM, "no memory for more than %zu samples", t->count);
	}
	snprintf(facts->basis, sizeof facts->basis, "mlperf, increment; %.6g Hz by its head%s",
		 rate_hz, (len - HEAD) % 4 ? "; cut last sample dropped" : "");
	return convert_check(facts, f);
}
