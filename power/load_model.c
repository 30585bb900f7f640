/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_model - CPU time to watts. It must not know processes or boards.
 *
 * The reader may be kept from running for longer than many conversions. So a value is the mean
 * since the last sample handed over, not since the last conversion: a conversion that nobody
 * read takes no CPU time with it.
 */
#include "power/load_model.h"

#include "lib/clock.h"
#include "power/wide.h"

#define TRIES    4
#define APART_NS (50 * NS_PER_US)

/* Clock and CPU time of one moment: again when the thread was held up between the two. */
static struct load_point look(const struct load_model *m)
{
	struct load_point p = { 0, 0 };

	for (int i = 0; i < TRIES; i++) {
		p.at_ns = timebase_now(&m->time);
		p.cpu_ns = m->cpu_ns(m->data);
		if (timebase_now(&m->time) - p.at_ns < APART_NS)
			break;
	}
	return p;
}

void load_model_start(struct load_model *m)
{
	m->handed_over = m->asked = look(m);
	m->power_nw = m->idle_nw;
}

static void ask(struct load_model *m)
{
	struct load_point p = look(m);
	int64_t above_nw;

	if (p.at_ns <= m->asked.at_ns)
		return;
	if (wide_muldiv_round(m->core_nw, p.cpu_ns - m->handed_over.cpu_ns,
			      p.at_ns - m->handed_over.at_ns, &above_nw))
		m->power_nw = m->idle_nw + above_nw;
	m->asked = p;
}

static int64_t source_bus_uv(void *data, int64_t from_ns, int64_t to_ns)
{
	(void)from_ns, (void)to_ns;
	return ((struct load_model *)data)->bus_uv;
}

static int64_t source_current_na(void *data, int64_t from_ns, int64_t to_ns)
{
	struct load_model *m = data;
	int64_t na = 0;

	(void)from_ns, (void)to_ns;
	ask(m);
	wide_muldiv_round(m->power_nw, 1000000, m->bus_uv, &na);
	return na;
}

/* At once, not when the whole sample is read: a conversion may end in between. */
static void source_seen(void *data)
{
	struct load_model *m = data;

	m->fresh = m->asked.at_ns > m->handed_over.at_ns;
	m->handed_over = m->asked;
}

struct i2c_sim_source load_model_source(struct load_model *m)
{
	return (struct i2c_sim_source){ source_bus_uv, source_current_na, m, source_seen };
}

int load_model_read(struct load_model *m, struct ina2xx *chip, struct sample *s, struct fail *f)
{
	if (ina2xx_read(chip, s, f) != 0)
		return -1;
	if (s->flags & (SAMPLE_ABSENT | SAMPLE_STALE))
		return 0;
	if (!m->fresh)
		s->flags |= SAMPLE_STALE;
	else
		s->before_ns = s->after_ns = m->handed_over.at_ns;
	return 0;
}
