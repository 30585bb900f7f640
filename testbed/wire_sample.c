/* SPDX-License-Identifier: Apache-2.0 */
/* wire_sample - what comes in: connections of a capture, lines of stamps. */
#include "testbed/wire_sample.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/stamps.h"

#define CAPTURE_CLOCK_NS 1000 /* a capture may count in microseconds */

int wire_sample_init(struct wire_sample *s)
{
	*s = (struct wire_sample){ 0 };
	s->wire = calloc(WIRE_SAMPLE_MAX, sizeof(*s->wire));
	s->engine = calloc(WIRE_SAMPLE_MAX, sizeof(*s->engine));
	return s->wire && s->engine ? 0 : -1;
}

void wire_sample_release(struct wire_sample *s)
{
	free(s->wire);
	free(s->engine);
	*s = (struct wire_sample){ 0 };
}

/* The first of each name counts, as in the summary of a timeline. */
static void add_step(struct wire_association *a, const char *name, bool from_client, int64_t t_ns)
{
	for (int i = 0; i < a->steps; i++)
		if (!strcmp(a->step[i].name, name))
			return;
	if (t_ns == TIME_NONE || a->steps == WIRE_SAMPLE_STEPS_MAX)
		return;
	a->step[a->steps] = (struct wire_step){ .from_client = from_client, .t_ns = t_ns };
	snprintf(a->step[a->steps++].name, sizeof(a->step[0].name), "%s", name);
}

/* --- the wire ------------------------------------------------------------- */

static bool is_plain(const struct connection *c)
{
	return c->proto == CONN_NONE || c->proto == CONN_COAP;
}

/* When data could flow. */
static int64_t secured_ns(const struct connection *c)
{
	if (c->proto == CONN_COAP)
		return c->start_ns;
	if (c->proto == CONN_NONE)
		return c->ack_ns;
	return connection_handshake_ns(c) == TIME_NONE
		       ? TIME_NONE
		       : c->first_hello_ns + connection_handshake_ns(c);
}

static int64_t end_ns(const struct connection *c)
{
	return c->proto == CONN_NONE ? c->last_bytes_ns : c->last_data_ns;
}

static void add_messages(struct wire_association *a, const struct connection *c)
{
	char name[64];

	for (int i = 0; i < c->message_count; i++) {
		const struct message *m = &c->message[i];

		if (m->kind != MESSAGE_PLAIN || !m->is_handshake)
			continue;
		message_long_name(c, m, name, sizeof(name));
		add_step(a, name, m->from == connection_client(c), m->time_ns);
	}
}

void wire_sample_connection(struct wire_sample *s, const struct connection *c)
{
	struct wire_association *a = &s->wire[s->wires];
	int64_t ready_ns = secured_ns(c), done_ns = end_ns(c);

	s->seen++;
	if (s->wires == WIRE_SAMPLE_MAX || ready_ns == TIME_NONE || done_ns < ready_ns ||
	    (!is_plain(c) && !connection_complete(c)))
		return;
	s->complete++;
	s->wires++;
	*a = (struct wire_association){ .start_ns = c->start_ns,
					.last_ns = c->last_ns,
					.handshake_ns = ready_ns - c->start_ns,
					.payload_ns = done_ns - ready_ns };
	if (c->proto != CONN_COAP && c->ack_ns != TIME_NONE)
		add_step(a, "tcp_open", true, c->ack_ns);
	add_messages(a, c);
	if (!is_plain(c))
		add_step(a, "handshake", true, ready_ns);
	add_step(a, "first_data", true,
		 c->proto == CONN_NONE ? c->first_bytes_ns : c->first_data_ns);
	add_step(a, "last_data", false, done_ns);
}

/* --- the stamps ------------------------------------------------------------ */

static int64_t stamp(const json_t *line, const char *key)
{
	const json_t *value = json_object_get(line, key);

	return json_is_integer(value) ? json_integer_value(value) : TIME_NONE;
}

/* Where both sides send the type, the capture says whose it is. */
static bool either_side(const char *type)
{
	static const char *const both[] = { "certificate", "finished", "key_update",
					    "change_cipher_spec" };

	for (size_t i = 0; i < sizeof(both) / sizeof(both[0]); i++)
		if (!strcmp(both[i], type))
			return true;
	return false;
}

static void add_stamped(struct wire_association *a, const json_t *message)
{
	const char *type = json_string_value(json_object_get(message, "type"));
	const char *from = json_string_value(json_object_get(message, "from"));
	char name[64];

	if (!type || !from || !strcmp(type, "alert"))
		return;
	snprintf(name, sizeof(name), "%s%s%s", either_side(type) ? from : "",
		 either_side(type) ? "_" : "", type);
	add_step(a, name, !strcmp(from, "client"), stamp(message, "t_ns"));
}

static void take_exchange(struct wire_sample *s, const json_t *line)
{
	struct wire_association *a = &s->engine[s->engines];
	json_t *messages = json_object_get(line, "messages"), *m;
	int64_t connect_ns = stamp(line, "connect_ns");
	size_t i;

	if (s->engines == WIRE_SAMPLE_MAX || connect_ns == TIME_NONE)
		return;
	s->engines++;
	*a = (struct wire_association){
		.start_ns = connect_ns,
		.last_ns = stamp(line, "end_ns"),
		.error_ns = 2 * (stamp(line, "late_ns") + STAMPS_PROBE_NS) + CAPTURE_CLOCK_NS,
	};
	json_array_foreach(messages, i, m)
	{
		add_stamped(a, m);
	}
	if (s->ready)
		add_step(a, s->ready, true, stamp(line, "secured_ns"));
	add_step(a, "first_data", true, stamp(line, "sent_ns"));
	add_step(a, "last_data", false, stamp(line, "end_ns"));
}

/* The clocks may have moved against each other between the first line and the last. */
static void take_clock(struct wire_sample *s, const json_t *clock)
{
	int64_t offset_ns = stamp(clock, "realtime_ns") - stamp(clock, "monotonic_ns");
	int64_t moved_ns = llabs(offset_ns - s->offset_ns);

	if (!s->clocks++) {
		s->offset_ns = offset_ns;
		s->clock_error_ns = stamp(clock, "error_ns");
		return;
	}
	s->clock_error_ns += moved_ns;
}

static int take_line(struct wire_sample *s, const char *text, size_t len, struct fail *f)
{
	json_error_t bad;
	json_t *line = json_loadb(text, len, JSON_REJECT_DUPLICATES, &bad);
	json_t *clock = json_object_get(line, "clock");

	if (!line)
		return fail_set(f, EPROTO, "the stamps are not JSON: %s", bad.text);
	if (clock)
		take_clock(s, clock);
	else
		take_exchange(s, line);
	json_decref(line);
	return 0;
}

int wire_sample_stamps(struct wire_sample *s, const char *text, struct fail *f)
{
	for (const char *end; (end = strchr(text, '\n')); text = end + 1)
		if (take_line(s, text, (size_t)(end - text), f))
			return -1;
	return s->clocks > 1 ? 0 : fail_set(f, EPROTO, "the stamps are not complete");
}
