/* SPDX-License-Identifier: Apache-2.0 */
/*
 * energy_error - how sure an energy is: scatter over slices of the window, and the instrument's
 * parts. It must not know segments or gaps.
 *
 * Slices: a known window is cut into 16. One that is still open begins with narrow slices, and
 * each time 32 are full, neighbours are joined, so that 16 to 32 are in use whatever its length.
 */
#include <math.h>

#include "power/energy_parts.h"

#define SLICES_LEAST (ENERGY_SLICES / 4)

static void join_neighbours(struct energy_run *in)
{
	for (int i = 0; i < ENERGY_SLICES; i++) {
		bool kept = i < ENERGY_SLICES / 2;

		in->slice_sum_nw[i] =
			kept ? in->slice_sum_nw[2 * i] + in->slice_sum_nw[2 * i + 1] : 0;
		in->slice_count[i] = kept ? in->slice_count[2 * i] + in->slice_count[2 * i + 1] : 0;
	}
	in->slice_ns *= 2;
}

/* The last slice of a known window takes what is left over. */
static int64_t slice_of(const struct energy_run *in, int64_t t_ns)
{
	int64_t i = (t_ns - in->e.from_ns) / in->slice_ns;

	if (!in->open && i >= ENERGY_SLICES / 2)
		return ENERGY_SLICES / 2 - 1;
	return i;
}

void energy_slice_add(struct energy_run *in, int64_t t_ns, double sum_nw, int64_t count)
{
	int64_t i = slice_of(in, t_ns);

	while (i >= ENERGY_SLICES) {
		join_neighbours(in);
		i = slice_of(in, t_ns);
	}
	in->slice_sum_nw[i] += sum_nw;
	in->slice_count[i] += count;
}

int64_t energy_slice_end(const struct energy_run *in, int64_t t_ns)
{
	int64_t i = slice_of(in, t_ns);

	if (!in->open && i == ENERGY_SLICES / 2 - 1)
		return INT64_MAX;
	return in->e.from_ns + (i + 1) * in->slice_ns;
}

/* From the scatter of the slices' means: slow swings count in full, unlike single samples. */
int64_t energy_standard_error(const struct energy_run *in)
{
	double sum = 0, square = 0, mean;
	int n = 0;

	for (int i = 0; i < ENERGY_SLICES; i++)
		if (in->slice_count[i] > 0) {
			sum += in->slice_sum_nw[i] / (double)in->slice_count[i];
			n++;
		}
	if (n < SLICES_LEAST)
		return -1;
	mean = sum / n;
	for (int i = 0; i < ENERGY_SLICES; i++)
		if (in->slice_count[i] > 0) {
			double d = in->slice_sum_nw[i] / (double)in->slice_count[i] - mean;

			square += d * d;
		}
	return llround(sqrt(square / (n - 1) / n));
}

static int64_t part(double nj, int64_t ppm)
{
	return llround(fabs(nj) * (double)ppm / 1e6);
}

/* Quantisation in the worst case, a quiet load: it does not average out. A counter of whole steps
 * is off by up to one at each edge. */
static double step(const struct energy_run *in, const struct meter_facts *facts, double volt_s)
{
	if (facts->kind == CODE_BUS_SHUNT && in->e.samples > 0) {
		double lsb_na = (double)facts->shunt_lsb_pv * 1000 / (double)facts->shunt_uohm;

		return lsb_na / sqrt(12) * volt_s;
	}
	return facts->meaning == SAMPLE_COUNTER ? (double)facts->counter_step_nj * sqrt(2.0 / 3)
						: 0;
}

/* Relative parts scale with the energy; the offset of the current with voltage and time. */
void energy_uncertainty(struct energy_run *in, const struct meter_facts *facts)
{
	struct energy *e = &in->e;
	double nj = (double)e->energy_nj, volt_s = 0;

	if (facts->kind == CODE_BUS_SHUNT && e->samples > 0)
		volt_s =
			fabs(in->bus_sum_uv / (double)e->samples / 1e6) * (double)e->about_ns / 1e9;
	e->gain_nj = part(nj, facts->gain_ppm);
	e->shunt_nj = part(nj, facts->shunt_ppm);
	e->clock_nj = part(nj, facts->clock_ppm);
	e->offset_nj = llround((double)facts->offset_na * volt_s);
	e->step_nj = llround(step(in, facts, volt_s));
	e->instrument_nj = llround(sqrt((double)e->gain_nj * (double)e->gain_nj +
					(double)e->shunt_nj * (double)e->shunt_nj +
					(double)e->clock_nj * (double)e->clock_nj +
					(double)e->offset_nj * (double)e->offset_nj +
					(double)e->step_nj * (double)e->step_nj));
}
