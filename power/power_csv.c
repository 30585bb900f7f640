/* SPDX-License-Identifier: Apache-2.0 */
/*
 * power_csv - prints rows. It must not know where they go or when the run ends.
 */
#include "power/power_csv.h"

#include <inttypes.h>

#include "power/convert.h"
#include "power/power_report.h"

static void csv_row(FILE *out, const struct convert *c, const struct sample *s, int64_t start_ns)
{
	char flags[96];
	struct reading r;

	fprintf(out, "%.6f,", (double)(sample_time_ns(s) - start_ns) / 1e9);
	/* No value is an empty cell, never 0. */
	if (c->facts->kind == CODE_ENERGY && !(s->flags & SAMPLE_ABSENT))
		fprintf(out, "%.6f,", (double)s->code[0] / 1e6);
	else if (!convert_sample(c, s, &r))
		fputs(c->facts->kind == CODE_BUS_SHUNT ? ",,," : ",", out);
	else if (c->facts->kind == CODE_BUS_SHUNT)
		fprintf(out, "%.3f,%.6f,%.6f,", (double)r.bus_uv / 1e3, (double)r.current_na / 1e6,
			(double)r.power_nw / 1e6);
	else
		fprintf(out, "%.6f,", (double)r.power_nw / 1e6);
	fprintf(out, "%s,%s\n", power_flags_text(s->flags, flags, sizeof flags),
		provenance_name[c->facts->provenance]);
}

void power_csv_head(const struct meter_facts *facts, FILE *out)
{
	static const char *const columns[] = { "bus_mv,current_ma,power_mw", "power_mw",
					       "energy_mj" };

	fprintf(out, "# cipherwatt power trace\n# source: %s\n# provenance: %s\n", facts->source,
		provenance_name[facts->provenance]);
	if (facts->basis[0])
		fprintf(out, "# basis: %s\n", facts->basis);
	fprintf(out, "# meaning of a sample: %s\n# period_us: %.3f\n",
		sample_meaning_name[facts->meaning], (double)facts->period_ns / 1e3);
	if (facts->gapless)
		fputs("# gapless: yes\n", out);
	if (facts->kind == CODE_BUS_SHUNT)
		fprintf(out, "# chip: %s, shunt_uohm: %" PRId64 "\n", facts->chip,
			facts->shunt_uohm);
	fprintf(out, "time_s,%s,flags,provenance\n", columns[facts->kind]);
}

void power_csv_rows(const struct meter_facts *facts, const struct sample *s, size_t count,
		    int64_t first_ns, FILE *out)
{
	struct convert c;

	convert_init(&c, facts);
	for (size_t i = 0; i < count; i++)
		csv_row(out, &c, &s[i], first_ns);
}

void power_csv_tail(int64_t late, int64_t lost, FILE *out)
{
	fprintf(out, "# late: %" PRId64 ", lost: %" PRId64 "\n", late, lost);
}
