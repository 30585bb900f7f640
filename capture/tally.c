/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tally - a histogram for each pair of version and step.
 */
#include "capture/tally.h"

#include <stdio.h>
#include <string.h>

static struct hist *hist_of(struct tally *s, const char *version, const char *step)
{
	struct tally_step *row;

	for (int i = 0; i < s->step_count; i++)
		if (!strcmp(s->step[i].version, version) && !strcmp(s->step[i].step, step))
			return &s->step[i].hist;
	row = &s->step[s->step_count];
	if (s->step_count == TALLY_STEPS_MAX || hist_init(&row->hist) != 0)
		return NULL;
	snprintf(row->version, sizeof(row->version), "%s", version);
	snprintf(row->step, sizeof(row->step), "%s", step);
	s->step_count++;
	return &row->hist;
}

static void add(struct tally *s, const char *version, const char *step, int64_t ns)
{
	struct hist *h = hist_of(s, version, step);

	if (h)
		hist_add(h, ns);
	else
		s->left_out++;
}

static void add_since_start(struct tally *s, const struct connection *c, const char *version,
			    const char *step, int64_t ns)
{
	if (ns >= c->start_ns)
		add(s, version, step, ns - c->start_ns);
}

/* Of messages that come several times the first counts. */
static bool is_first(const struct connection *c, int i)
{
	const struct message *m = &c->message[i];

	for (int before = 0; before < i; before++)
		if (c->message[before].type == m->type && c->message[before].from == m->from)
			return false;
	return m->kind == MESSAGE_PLAIN;
}

static void add_complete(struct tally *s, const struct connection *c)
{
	struct shares shares = connection_shares(c);
	char version[16], step[64];

	connection_version(c, version, sizeof(version));
	for (int i = 0; i < c->message_count; i++) {
		if (!is_first(c, i))
			continue;
		message_long_name(c, &c->message[i], step, sizeof(step));
		add_since_start(s, c, version, step, c->message[i].time_ns);
	}
	add_since_start(s, c, version, "first_data", c->first_data_ns);
	add_since_start(s, c, version, "last_data", c->last_data_ns);
	add_since_start(s, c, version, "close", c->close_ns);
	add(s, version, "handshake", connection_handshake_ns(c));
	add(s, version, "waiting_for_client", shares.client_ns);
	add(s, version, "waiting_for_server", shares.server_ns);
	if (shares.network_ns != TIME_NONE)
		add(s, version, "waiting_for_network", shares.network_ns);
}

static void count_outcome(struct tally *s, const struct connection *c)
{
	char outcome[32];
	int i = 0;

	connection_outcome(c, outcome, sizeof(outcome));
	while (i < s->outcome_count && strcmp(s->outcome[i].outcome, outcome))
		i++;
	if (i == TALLY_OUTCOMES_MAX) {
		s->left_out++;
		return;
	}
	if (i == s->outcome_count)
		snprintf(s->outcome[s->outcome_count++].outcome, sizeof(outcome), "%s", outcome);
	s->outcome[i].count++;
}

void tally_add(struct tally *s, const struct connection *c)
{
	if (c->proto == CONN_COAP)
		return;
	s->connections++;
	count_outcome(s, c);
	if (!connection_complete(c))
		return;
	s->complete++;
	if (connection_handshake_ns(c) == TIME_NONE)
		s->left_out++;
	else
		add_complete(s, c);
}

void tally_release(struct tally *s)
{
	for (int i = 0; i < s->step_count; i++)
		hist_release(&s->step[i].hist);
	s->step_count = 0;
}
