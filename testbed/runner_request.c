/* SPDX-License-Identifier: Apache-2.0 */
/* runner_request - a cell of the plan in the words of the node protocol (node.h). */
#include <string.h>

#include "testbed/runner_trial.h"

/* The name that every credential carries, wherever the server listens. */
#define SERVER_NAME "localhost"

/* Those that are set, by their keys. A count goes with the phases. */
static json_t *pack_settings(const struct plan_cell *c)
{
	json_t *all = json_object();
	int count = setting_index("count");

	for (int i = 0; i < settings_count(); i++)
		if (c->setting[i] && i != count)
			json_object_set_new(all, setting_rows[i].key, json_string(c->setting[i]));
	return all;
}

json_t *runner_ask_server(const struct plan *p, const struct plan_cell *c)
{
	const struct plan_node *node = &p->server;
	const char *address = node->address[0] ? node->address : "127.0.0.1";

	return json_pack(
		"{s:s, s:{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:b, s:b, s:o}}", "do",
		"prepare", "server", "adapter", c->cell.server, "listen",
		node->listen[0] ? node->listen : address, "address", address, "suite",
		c->cell.suite, "engine", c->cell.engine, "workload", c->cell.workload,
		"payload_kind", c->cell.payload_kind, "cpus", node->cpus, "encoding",
		c->cell.encoding, "payload_bytes", (json_int_t)c->cell.payload_bytes, "close_each",
		plan_closes_each(c), "psk", plan_has_psk(c), "settings", pack_settings(c));
}

const char *runner_text(const json_t *reply, const char *key)
{
	const char *text = json_string_value(json_object_get(reply, key));

	return text ? text : "";
}

json_t *runner_ask_client(const struct plan *p, const struct plan_cell *c, const json_t *server)
{
	const char *coding = app_encoding_name(c->encoding.coding);
	struct phase_times times = plan_times(p, c);

	return json_pack("{s:s, s:{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:I, s:I, "
			 "s:I, s:I, s:I, s:s, s:o}}",
			 "do", "prepare", "client", "url", runner_text(server, "url"), "suite",
			 plan_asks_suite(c) || suite_is_plain(&c->suite) ? c->cell.suite : "",
			 "engine", c->cell.client_engine, "ca_pem", runner_text(server, "ca_pem"),
			 "client_pem", runner_text(server, "client_pem"), "psk",
			 runner_text(server, "psk"), "workload", c->cell.workload, "server_name",
			 SERVER_NAME, "connection", c->cell.connection, "cpus", p->client.cpus,
			 "clients", (json_int_t)c->cell.clients, "timeout_ns",
			 (json_int_t)p->timeout_ns, "warmup_ns", (json_int_t)times.warmup_ns,
			 "duration_ns", (json_int_t)times.measure_ns, "count",
			 (json_int_t)times.count, "accept", coding ? coding : "identity",
			 "settings", pack_settings(c));
}

json_t *runner_ask_meter(const struct plan *p, const struct plan_cell *c, enum runner_node who)
{
	const struct plan_node *node = who == RUNNER_SERVER ? &p->server : &p->client;
	struct phase_times t = plan_times(p, c);
	int64_t expected_ns = t.settle_ns + 2 * t.idle_ns + t.warmup_ns + t.measure_ns + t.cool_ns +
			      t.overtime_ns;

	return json_pack("{s:s, s:s, s:I, s:I}", "do", "meter", "meter", node->meter, "rate_hz",
			 (json_int_t)node->rate_hz, "expected_ns", (json_int_t)expected_ns);
}
