/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_model - CPU time to watts. It must not know processes or boards.
 */
#include "power/load_model.h"

#include "power/wide.h"

void load_model_start(struct load_model *m)
{
	m->last_ns = timebase_now(&m->time);
	m->last_cpu_ns = m->cpu_ns(m->data);
	m->power_nw = m->idle_nw;
}

int64_t load_model_power_nw(struct load_model *m)
{
	int64_t now_ns = timebase_now(&m->time), cpu_ns, above_nw;

	if (now_ns <= m->last_ns)
		return m->power_nw;
	cpu_ns = m->cpu_ns(m->data);
	if (wide_muldiv_round(m->core_nw, cpu_ns - m->last_cpu_ns, now_ns - m->last_ns, &above_nw))
		m->power_nw = m->idle_nw + above_nw;
	m->last_ns = now_ns;
	m->last_cpu_ns = cpu_ns;
	return m->power_nw;
}

static int64_t source_bus_uv(void *data, int64_t from_ns, int64_t to_ns)
{
	(void)from_ns, (void)to_ns;
	return ((struct load_model *)data)->bus_uv;
}

/*
 * The chip asks when a conversion is over, which is when somebody reads it: the answer is the
 * mean since the reading before, not of the conversion alone, so no CPU time falls between.
 */
static int64_t source_current_na(void *data, int64_t from_ns, int64_t to_ns)
{
	struct load_model *m = data;
	int64_t na = 0;

	(void)from_ns, (void)to_ns;
	wide_muldiv_round(load_model_power_nw(m), 1000000, m->bus_uv, &na);
	return na;
}

struct i2c_sim_source load_model_source(struct load_model *m)
{
	return (struct i2c_sim_source){ source_bus_uv, source_current_na, m };
}
