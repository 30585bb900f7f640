/* SPDX-License-Identifier: Apache-2.0 */
/* progress - a bar on a terminal, a line now and then elsewhere. */
#include "testbed/progress.h"

#include <stdarg.h>
#include <stdio.h>

#include "lib/clock.h"
#include "lib/log.h"
#include "lib/units.h"

#define SPEAK_EVERY_NS (30 * NS_PER_S)
#define BAR_WIDTH      24
#define LINE_WIDTH     78 /* a longer line would wrap, and could not be taken back */

const char *const progress_mode_name[] = { "auto", "bar", "plain", "none", NULL };

void progress_start(struct progress *p, enum progress_mode mode, int total, int skipped,
		    int64_t each_ns, int64_t now_ns)
{
	if (mode == PROGRESS_AUTO)
		mode = log_is_terminal() ? PROGRESS_BAR : PROGRESS_PLAIN;
	*p = (struct progress){
		.mode = mode,
		.total = total,
		.skipped = skipped,
		.each_ns = each_ns,
		.started_ns = now_ns,
	};
}

void progress_add(struct progress *p, int trials)
{
	p->total += trials;
}

int64_t progress_left_ns(const struct progress *p, int64_t now_ns)
{
	int left = p->total - p->skipped - p->done;

	if (left <= 0)
		return 0;
	if (!p->done)
		return left * p->each_ns;
	return (now_ns - p->started_ns) / p->done * left;
}

void progress_format(const struct progress *p, int64_t now_ns, struct buf *out)
{
	int64_t left_ns = progress_left_ns(p, now_ns);
	char left[32];

	buf_printf(out, "%d/%d trials", p->skipped + p->done, p->total);
	if (p->invalid)
		buf_printf(out, ", %d not valid", p->invalid);
	if (left_ns) {
		left_ns = (left_ns + NS_PER_S - 1) / NS_PER_S * NS_PER_S;
		units_format_duration(left_ns, left, sizeof(left));
		buf_printf(out, ", %s%s left", p->may_grow ? "at least " : "", left);
	}
}

static void take_back(struct progress *p)
{
	if (p->open)
		fputs("\r\033[K", stderr);
	p->open = false;
}

static void draw_bar(struct progress *p, const char *cell, int64_t now_ns)
{
	int filled = p->total ? (p->skipped + p->done) * BAR_WIDTH / p->total : 0;
	struct buf line = { 0 };

	buf_byte(&line, '[');
	for (int i = 0; i < BAR_WIDTH; i++)
		buf_byte(&line, i < filled ? '#' : '.');
	buf_puts(&line, "] ");
	progress_format(p, now_ns, &line);
	if (cell)
		buf_printf(&line, "  %s", cell);
	take_back(p);
	fprintf(stderr, "%.*s", LINE_WIDTH, buf_text(&line));
	fflush(stderr);
	p->open = true;
	buf_release(&line);
}

static void speak(struct progress *p, int64_t now_ns)
{
	struct buf line = { 0 };

	progress_format(p, now_ns, &line);
	log_say(LOG_NOTE, "%s", buf_text(&line));
	buf_release(&line);
	p->spoken_ns = now_ns;
}

void progress_begin_trial(struct progress *p, int block, int blocks, const char *cell,
			  int64_t now_ns)
{
	if (p->mode == PROGRESS_BAR)
		draw_bar(p, cell, now_ns);
	if (p->mode != PROGRESS_PLAIN)
		return;
	if (!p->spoken_ns || now_ns - p->spoken_ns >= SPEAK_EVERY_NS) {
		log_say(LOG_NOTE, "block %d of %d: %s", block + 1, blocks, cell);
		speak(p, now_ns);
	}
}

void progress_say(struct progress *p, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (p->mode == PROGRESS_NONE)
		return;
	take_back(p);
	log_say(LOG_NOTE, "%s", text);
}

void progress_end_trial(struct progress *p, const char *cell, const char *reason, int64_t now_ns)
{
	p->done++;
	p->invalid += reason != NULL;
	if (reason)
		progress_say(p, "not valid: %s: %s", cell, reason);
	if (p->mode == PROGRESS_BAR)
		draw_bar(p, NULL, now_ns);
}

void progress_end(struct progress *p, int64_t now_ns)
{
	take_back(p);
	if (p->mode == PROGRESS_BAR || p->mode == PROGRESS_PLAIN)
		speak(p, now_ns);
}
