/* SPDX-License-Identifier: Apache-2.0 */
/*
 * power_live - prints the newest reading. It must not read meters.
 */
#include "power/power_live.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "power/convert.h"
#include "power/power_report.h"

void power_live_init(struct power_live *l, FILE *out)
{
	const char *locale = getenv("LC_ALL");

	if (locale == NULL || *locale == '\0')
		locale = getenv("LC_CTYPE");
	if (locale == NULL || *locale == '\0')
		locale = getenv("LANG");
	*l = (struct power_live){ .out = out, .rewrite = isatty(fileno(out)) };
	l->wide = locale != NULL && (strcasestr(locale, "utf-8") || strcasestr(locale, "utf8"));
}

void power_live_spark(const double *value, int count, bool wide, char *dst, size_t len)
{
	static const char *const blocks[] = { "\u2581", "\u2582", "\u2583", "\u2584",
					      "\u2585", "\u2586", "\u2587", "\u2588" };
	static const char *const plain[] = { "_", ".", "-", "~", "=", "+", "*", "#" };
	double low = count ? value[0] : 0, high = low;
	size_t used = 0;

	snprintf(dst, len, "%s", "");
	for (int i = 0; i < count; i++) {
		low = value[i] < low ? value[i] : low;
		high = value[i] > high ? value[i] : high;
	}
	for (int i = 0; i < count && used < len; i++) {
		/* Less than a thousandth is no swing: a flat line, not noise blown up. */
		int step = high - low > 1e-3 * (high > -low ? high : -low)
				   ? (int)((value[i] - low) / (high - low) * 7.999)
				   : 0;

		used += (size_t)snprintf(dst + used, len - used, "%s",
					 wide ? blocks[step] : plain[step]);
	}
}

/* One reading as people read it. */
static void describe(const struct meter_facts *facts, const struct sample *s, char *dst, size_t len)
{
	char flags[96] = "";
	struct convert c;
	struct reading r;

	convert_init(&c, facts);
	if (s->flags)
		power_flags_text(s->flags, flags, sizeof flags);
	if (facts->kind == CODE_ENERGY && !(s->flags & SAMPLE_ABSENT))
		snprintf(dst, len, "%12.6f mJ  %s  %s", (double)s->code[0] / 1e6,
			 provenance_name[facts->provenance], flags);
	else if (!convert_sample(&c, s, &r))
		snprintf(dst, len, "no reading  %s  %s", provenance_name[facts->provenance], flags);
	else if (facts->kind == CODE_BUS_SHUNT)
		snprintf(dst, len, "%7.3f V %9.3f mA %10.3f mW  %s  %s", (double)r.bus_uv / 1e6,
			 (double)r.current_na / 1e6, (double)r.power_nw / 1e6,
			 provenance_name[facts->provenance], flags);
	else
		snprintf(dst, len, "%10.3f mW  %s  %s", (double)r.power_nw / 1e6,
			 provenance_name[facts->provenance], flags);
}

static void remember(struct power_live *l, const struct meter_facts *facts, const struct sample *s)
{
	struct convert c;
	int64_t power_nw;

	convert_init(&c, facts);
	if (!convert_power(&c, s, &power_nw))
		return;
	if (l->count == LIVE_COLUMNS)
		memmove(l->mw, l->mw + 1, (size_t)--l->count * sizeof *l->mw);
	l->mw[l->count++] = (double)power_nw / 1e6;
}

void power_live_show(struct power_live *l, const struct meter_facts *facts, const struct sample *s,
		     size_t count, double seconds)
{
	char text[192], spark[LIVE_COLUMNS * 4 + 1] = "";

	describe(facts, s, text, sizeof text);
	if (l->rewrite) {
		remember(l, facts, s);
		power_live_spark(l->mw, l->count, l->wide, spark, sizeof spark);
	}
	fprintf(l->out, "%s%8.2f s %s  %.4g Hz%s%s%s", l->rewrite ? "\r" : "", seconds, text,
		(double)count / seconds, spark[0] ? "  " : "", spark, l->rewrite ? "\033[K" : "\n");
	fflush(l->out);
}

void power_live_end(struct power_live *l, bool shown)
{
	if (l->rewrite && shown)
		fputc('\n', l->out);
}
