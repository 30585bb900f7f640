/* SPDX-License-Identifier: Apache-2.0 */
/*
 * page_content - generators of page content, each from a fixed seed. They must not
 * know who asks or how it is sent.
 */
#include "workloads/page_content.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/rng.h"

const char *const page_kind_name[PAGE_KINDS + 1] = { "json", "text", "random", NULL };
const char *const page_content_type[PAGE_KINDS] = { "application/json", "text/plain; charset=utf-8",
						    "application/octet-stream" };

/* Part of what a page is: another seed is another workload. */
#define CONTENT_SEED 20261130

enum page_kind page_kind_by_name(const char *name)
{
	int kind = 0;

	while (kind < PAGE_KINDS && strcmp(page_kind_name[kind], name) != 0)
		kind++;
	return (enum page_kind)kind;
}

#define SENSORS          24
#define READING_BYTES    160
#define FIRST_READING_S  1764540900
#define READING_PERIOD_S 5

/* State of the sensors: temperature and humidity drift, batteries run down. */
struct sensors {
	struct rng rng;
	int temperature_cc[SENSORS]; /* hundredths of a degree */
	int humidity_pm[SENSORS];    /* per mille */
	int battery_mv[SENSORS];
	long count;
};

static void sensors_init(struct sensors *s)
{
	rng_seed(&s->rng, CONTENT_SEED);
	s->count = 0;
	for (int i = 0; i < SENSORS; i++) {
		s->temperature_cc[i] = 1500 + (int)rng_below(&s->rng, 1200);
		s->humidity_pm[i] = 300 + (int)rng_below(&s->rng, 400);
		s->battery_mv[i] = 3100 + (int)rng_below(&s->rng, 500);
	}
}

static int reading_format(struct sensors *s, char dst[READING_BYTES])
{
	int i = (int)(s->count % SENSORS), cc;
	long time_s = FIRST_READING_S + s->count / SENSORS * READING_PERIOD_S;

	s->count++;
	s->temperature_cc[i] += (int)rng_below(&s->rng, 21) - 10;
	s->humidity_pm[i] = (s->humidity_pm[i] + (int)rng_below(&s->rng, 7) + 997) % 1000;
	s->battery_mv[i] = s->battery_mv[i] > 2800 ? s->battery_mv[i] - (i + 1) % 2 : 3600;
	cc = s->temperature_cc[i];
	return snprintf(dst, READING_BYTES,
			"{\"sensor\":\"node-%02d\",\"time\":%ld,\"temperature_c\":%s%d.%02d,"
			"\"humidity_pct\":%d.%d,\"battery_v\":%d.%03d,\"rssi_dbm\":-%d}",
			i + 1, time_s, cc < 0 ? "-" : "", abs(cc) / 100, abs(cc) % 100,
			s->humidity_pm[i] / 10, s->humidity_pm[i] % 10, s->battery_mv[i] / 1000,
			s->battery_mv[i] % 1000, 48 + (int)rng_below(&s->rng, 40));
}

static void fill_json(char *dst, size_t len)
{
	struct sensors s;
	char reading[READING_BYTES];
	size_t used = 1;

	if (len < 2) {
		memset(dst, '0', len);
		return;
	}
	sensors_init(&s);
	dst[0] = '[';
	for (;;) {
		size_t n = (size_t)reading_format(&s, reading), comma = used > 1 ? 2 : 0;

		if (n + comma > len - used - 1)
			break;
		memcpy(dst + used, ",\n", comma);
		memcpy(dst + used + comma, reading, n);
		used += comma + n;
	}
	memset(dst + used, ' ', len - used - 1);
	dst[len - 1] = ']';
}

static const char *const words[] = {
	"the",    "a",       "of",      "and",     "in",       "to",      "is",     "that",
	"board",  "power",   "sensor",  "gateway", "panel",    "battery", "signal", "network",
	"winter", "morning", "river",   "field",   "station",  "reading", "value",  "hour",
	"small",  "steady",  "distant", "quiet",   "measured", "remote",  "early",  "cold",
	"sends",  "keeps",   "reports", "waits",   "sleeps",   "answers", "counts", "stores",
	"slowly", "often",   "again",   "never",   "between",  "under",   "after",  "without",
};

#define LINE_CHARACTERS 72

/* Text being written: sentences of words, lines of bounded width. */
struct prose {
	struct rng rng;
	char *dst;
	size_t len, used, line;
	int words_left; /* of the sentence */
	bool capital;
};

static void prose_put(struct prose *p, const char *text, size_t n)
{
	n = n < p->len - p->used ? n : p->len - p->used;
	memcpy(p->dst + p->used, text, n);
	p->used += n;
	p->line += n;
}

static void prose_word(struct prose *p)
{
	/* The smaller of two draws: short words come oftener, as in real text. */
	uint64_t count = sizeof words / sizeof *words, a = rng_below(&p->rng, count),
		 b = rng_below(&p->rng, count);
	const char *word = words[a < b ? a : b];
	char first = p->capital ? (char)(word[0] - 'a' + 'A') : word[0];

	prose_put(p, &first, 1);
	prose_put(p, word + 1, strlen(word) - 1);
	p->capital = --p->words_left == 0;
	if (p->capital) {
		prose_put(p, ".", 1);
		p->words_left = 4 + (int)rng_below(&p->rng, 14);
	}
	prose_put(p, p->line > LINE_CHARACTERS ? "\n" : " ", 1);
	if (p->line > LINE_CHARACTERS)
		p->line = 0;
}

static void fill_text(char *dst, size_t len)
{
	struct prose p = { .dst = dst, .len = len, .words_left = 8, .capital = true };

	rng_seed(&p.rng, CONTENT_SEED);
	while (p.used < len)
		prose_word(&p);
	if (len > 0)
		dst[len - 1] = '\n';
}

static void fill_random(char *dst, size_t len)
{
	struct rng rng;

	rng_seed(&rng, CONTENT_SEED);
	for (size_t used = 0; used < len; used += 8) {
		uint64_t word = rng_next(&rng);

		/* Byte by byte, so that both byte orders give the same page. */
		for (size_t i = 0; i < 8 && used + i < len; i++)
			dst[used + i] = (char)(word >> (8 * i));
	}
}

void page_fill(enum page_kind kind, char *dst, size_t len)
{
	if (kind == PAGE_JSON)
		fill_json(dst, len);
	else if (kind == PAGE_TEXT)
		fill_text(dst, len);
	else
		fill_random(dst, len);
}
