/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan_cell - one cell from its choices: its name, its settings with what follows from them,
 * and why it cannot run here, if it cannot.
 *
 * Must not know how values are spelled in a file, nor one setting's meaning where a row of
 * setting_rows[] can say it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clients/driver.h"
#include "lib/path.h"
#include "servers/adapter.h"
#include "testbed/plan_read.h"
#include "workloads/compress.h"

/* --- its name ------------------------------------------------------------- */

/* What is not the usual value. */
static void put_unusual(struct buf *name, const char *mark, const char *value, const char *usual)
{
	if (strcmp(value, usual))
		buf_printf(name, "%s%s", mark, value);
}

#define COPY(DST, SRC) snprintf((DST), sizeof(DST), "%.*s", (int)sizeof(DST) - 1, (SRC))

/* What its group sets otherwise than all. Later, what follows from other settings is added. */
static void put_settings(struct buf *name, const struct plan *p, const struct plan_cell *pc)
{
	for (int i = 0; i < settings_count(); i++)
		if (pc->setting[i] && pc->setting[i] != p->usual[i])
			buf_printf(name, "/%s=%s", setting_rows[i].key, pc->setting[i]);
}

static int name_cell(const struct plan *p, struct plan_cell *pc)
{
	struct cell *c = &pc->cell;
	struct buf name;
	bool fits;

	buf_init(&name, 0);
	buf_printf(&name, "%s/", c->suite);
	setting_put_bytes(&name, c->payload_bytes);
	put_unusual(&name, "-", c->payload_kind, "json");
	buf_printf(&name, "/%s/c%" PRId64 "/%s/%s", c->encoding, c->clients, c->connection,
		   c->engine);
	put_unusual(&name, "+", c->client_engine, c->engine);
	put_unusual(&name, "/", c->server, "builtin");
	put_unusual(&name, "/", c->workload, "page");
	put_settings(&name, p, pc);
	fits = name.len < sizeof(c->name);
	COPY(c->name, buf_text(&name));
	buf_release(&name);
	return fits ? 0 : -1;
}

/* --- settings ------------------------------------------------------------- */

static void set(struct plan *p, struct plan_cell *pc, const char *key, const char *text)
{
	int i = setting_index(key);

	if (!pc->setting[i])
		pc->setting[i] = plan_word(p, text);
}

/*
 * What others make necessary where nobody said it. Two tickets are what OpenSSL sends under
 * TLS 1.3 in every server that does not ask for another number; TLS 1.2 has one.
 */
static void derive_settings(struct plan *p, struct plan_cell *pc)
{
	struct buf payload = { 0 };

	if (tls_version_is_datagram(pc->suite.version) && setting_is(pc, "protocol", "http"))
		pc->setting[setting_index("protocol")] = plan_word(p, "coap");
	if (connection_kind[pc->mode].resumes) {
		set(p, pc, "resumption", "ticket");
		if (!setting_is(pc, "resumption", "session-id"))
			set(p, pc, "tickets", pc->suite.version == TLS13 ? "2" : "1");
	}
	if (!strcmp(pc->cell.workload, "message")) {
		setting_put_bytes(&payload, pc->cell.payload_bytes);
		set(p, pc, "message.payload", buf_text(&payload));
		buf_release(&payload);
	}
	if (setting_is(pc, "arrivals", "poisson"))
		set(p, pc, "arrival_seed", "1");
}

/* -1: they are longer than what keeps them. */
static int record_settings(struct plan_cell *pc)
{
	json_t *all = json_object();
	char *text;
	size_t len;

	for (int i = 0; i < settings_count(); i++)
		if (pc->setting[i])
			json_object_set_new(all, setting_rows[i].field,
					    setting_json(&setting_rows[i], pc->setting[i]));
	text = json_dumps(all, JSON_COMPACT);
	len = text ? strlen(text) : SIZE_MAX;
	if (len < sizeof(pc->cell.settings))
		memcpy(pc->cell.settings, text, len + 1);
	free(text);
	json_decref(all);
	return len < sizeof(pc->cell.settings) ? 0 : -1;
}

/* Into the parameters of the server or of the load. */
static void store_settings(const struct plan_cell *pc, enum setting_side side, void *params)
{
	for (int i = 0; i < settings_count(); i++)
		if (pc->setting[i] && setting_rows[i].place[side].size)
			setting_store(&setting_rows[i], side, pc->setting[i], params);
}

/* --- why not -------------------------------------------------------------- */

static char *reason(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

static char *reason(const char *fmt, ...)
{
	va_list ap;
	char *text;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	return n < 0 ? NULL : text;
}

/* Which setting contradicts the rest of the cell. */
static char *why_no_setting(const struct plan *p, const struct plan_cell *pc)
{
	(void)p;
	if (suite_is_plain(&pc->suite) && connection_kind[pc->mode].resumes)
		return reason("connections: plain has no TLS, there is nothing to resume");
	for (int i = 0; i < settings_count(); i++) {
		const char *why = pc->setting[i] && setting_rows[i].refuses
					  ? setting_rows[i].refuses(pc, pc->setting[i])
					  : NULL;

		if (why)
			return reason("%s: %s: %s", setting_rows[i].key, pc->setting[i], why);
	}
	return NULL;
}

static char *why_no_engine(const struct plan *p, const struct plan_cell *pc)
{
	const char *names[] = { pc->cell.engine, pc->cell.client_engine };
	static const char *const side[] = { "server", "client" };

	(void)p;
	for (int i = 0; i < 2; i++) {
		const struct engine_ops *ops = engine_by_name(names[i]);
		const char *why = ops ? ops->refuses(&pc->suite) : "not in this build";

		if (why)
			return reason("%s engine %s: %s", side[i], names[i], why);
	}
	return NULL;
}

static char *why_no_coding(const struct plan *p, const struct plan_cell *pc)
{
	int level_max;
	const char *why =
		pc->encoding.coding ? compress_refuses(pc->encoding.coding, &level_max) : NULL;

	(void)p;
	return why ? reason("%s: %s", app_encoding_name(pc->encoding.coding), why) : NULL;
}

/* What only our own server can be told. */
static const char *refuses_ours(const struct plan_cell *pc, const struct server_params *s)
{
	if (s->http2 || !setting_is(pc, "protocol", "http"))
		return "it is configured for HTTP/1.1 only";
	if (setting_is(pc, "mutual", "true"))
		return "it is configured to ask no client for a certificate";
	if (s->early_data_bytes)
		return "it is configured without early data";
	if (s->session_ids)
		return "it is configured without session ids: resumption: ticket";
	if (pc->suite.version == TLS13 && s->tickets && s->tickets != 2 &&
	    strcmp(pc->cell.server, "s_server"))
		return "under TLS 1.3 it sends OpenSSL's own number of tickets: tickets: 2";
	return NULL;
}

static char *why_no_server(const struct plan *p, const struct plan_cell *pc)
{
	const struct server_adapter *a = adapter_by_name(pc->cell.server);
	struct server_params s = { .listeners = 1,
				   .workload = workload_by_name(pc->cell.workload),
				   .close_each = plan_closes_each(pc) };
	char program[PATH_BYTES];
	struct fail f = { 0 };
	const char *why;

	s.listener[0].url.scheme = suite_is_plain(&pc->suite) ? URL_HTTP : URL_HTTPS;
	s.listener[0].suite = pc->suite;
	s.listener[0].engine = engine_by_name(pc->cell.engine);
	s.workload_params.level[pc->encoding.coding] = pc->encoding.level;
	s.workload_params.compress_once = pc->encoding.once;
	store_settings(pc, SETTING_SERVE, &s);
	why = a->program ? refuses_ours(pc, &s) : NULL;
	if (why)
		return reason("%s: %s", a->name, why);
	/* What another machine has is for its own node to say. */
	if (adapter_check(a, &s, &f) || (!*p->server.command && adapter_find(a, program, &f)))
		return strdup(f.text);
	return NULL;
}

/* The load generator's half: the server's was looked up as the file was read. */
static char *why_no_asker(const struct plan *p, const struct plan_cell *pc)
{
	(void)p;
	if (!asker_by_name(pc->cell.workload))
		return reason("workload: the load generator cannot ask for %s", pc->cell.workload);
	if (strcmp(pc->cell.workload, "page") && !setting_is(pc, "driver", "builtin"))
		return reason("driver %s: it asks for pages only", setting_of(pc, "driver"));
	return NULL;
}

static const struct driver_ops *driver_of(const struct plan_cell *pc)
{
	const char *name = setting_of(pc, "driver");

	for (int i = 0; drivers[i]; i++)
		if (!strcmp(drivers[i]->name, name))
			return drivers[i];
	return NULL;
}

static char *why_no_driver(const struct plan *p, const struct plan_cell *pc)
{
	const struct driver_ops *d = driver_of(pc);
	struct phase_times times = plan_times(p, pc);
	struct load_params l = { .suite = plan_asks_suite(pc) ? &pc->suite : NULL,
				 .connection = pc->mode,
				 .clients = (int)pc->cell.clients,
				 .count = times.count,
				 .duration_ns = times.measure_ns,
				 .timeout_ns = p->timeout_ns,
				 .accepts = 1u << APP_IDENTITY | 1u << pc->encoding.coding };
	char why[256];

	l.resume_pct = connection_kind[pc->mode].resumes ? (int)pc->connection_number : 0;
	l.connection_requests = connection_kind[pc->mode].keeps ? pc->connection_number : 0;
	store_settings(pc, SETTING_LOAD, &l);
	if (l.threads > l.clients)
		return reason("client_threads: %d are more than %d clients", l.threads, l.clients);
	if (!d)
		return NULL;
	if (!setting_is(pc, "protocol", "http"))
		return reason("driver %s: it speaks HTTP only", d->name);
	if (!suite_is_plain(&pc->suite) && strcmp(pc->cell.client_engine, "openssl"))
		return reason("driver %s: it brings OpenSSL: client engine openssl is the only one "
			      "it can have",
			      d->name);
	if (setting_is(pc, "mutual", "true"))
		return reason("driver %s: it shows no certificate", d->name);
	if (plan_has_psk(pc))
		return reason("driver %s: it has no pre-shared keys", d->name);
	if (!plan_asks_suite(pc) && !connection_kind[pc->mode].keeps && setting_of(pc, "tickets") &&
	    !setting_is(pc, "tickets", "0"))
		return reason("driver %s: it resumes wherever it is let: tickets: 0", d->name);
	if (d->refuses(&l, why))
		return reason("driver %s: %s", d->name, why);
	if (!*p->client.command && !driver_available(d))
		return reason("driver %s: it is not installed: it is in Debian's package %s",
			      d->name, d->package);
	return NULL;
}

bool plan_closes_each(const struct plan_cell *c)
{
	return strcmp(c->cell.server, "builtin") && !connection_kind[c->mode].keeps;
}

bool plan_has_psk(const struct plan_cell *c)
{
	return !suite_is_plain(&c->suite) && c->suite.credential->key == KEY_PSK;
}

bool plan_asks_suite(const struct plan_cell *c)
{
	return !setting_is(c, "driver", "wrk");
}

/* --- the cell --------------------------------------------------------------- */

static void fill_texts(struct plan_cell *pc, const struct group_of_cells *g,
		       const struct choice *const at[AXES])
{
	struct cell *c = &pc->cell;
	bool plain = suite_is_plain(&pc->suite);
	const char *engine = plain ? "null" : at[AXIS_ENGINE]->text;

	COPY(c->suite, at[AXIS_SUITE]->text);
	COPY(c->engine, engine);
	COPY(c->client_engine, plain || !*g->client_engine ? engine : g->client_engine);
	COPY(c->server, at[AXIS_SERVER]->text);
	COPY(c->workload, at[AXIS_WORKLOAD]->text);
	COPY(c->payload_kind, g->payload_kind);
	COPY(c->encoding, at[AXIS_ENCODING]->text);
	COPY(c->connection, at[AXIS_CONNECTION]->text);
}

int plan_fill_cell(struct plan *p, struct plan_cell *pc, const struct group_of_cells *g,
		   const struct choice *const at[AXES])
{
	static char *(*const why_not[])(const struct plan *, const struct plan_cell *) = {
		why_no_engine, why_no_coding, why_no_setting,
		why_no_server, why_no_asker,  why_no_driver,
	};
	struct fail ignored = { 0 };

	*pc = (struct plan_cell){ .suite = at[AXIS_SUITE]->suite, .limit_us = { NAN, NAN } };
	fill_texts(pc, g, at);
	pc->cell.strength_bits = suite_strength_bits(&pc->suite);
	pc->cell.payload_bytes = at[AXIS_PAYLOAD]->value;
	pc->cell.clients = at[AXIS_CLIENTS]->value;
	encoding_parse(pc->cell.encoding, &pc->encoding);
	connection_parse(pc->cell.connection, &pc->mode, &pc->connection_number, &ignored);
	for (int i = 0; i < settings_count(); i++)
		if (at[AXIS_SETTINGS + i]->text[0] &&
		    setting_is_of(&setting_rows[i], pc->cell.workload))
			pc->setting[i] = plan_word(p, at[AXIS_SETTINGS + i]->text);
	if (name_cell(p, pc))
		return -1;
	derive_settings(p, pc);
	for (size_t i = 0; i < sizeof(why_not) / sizeof(why_not[0]) && !pc->unavailable; i++)
		pc->unavailable = why_not[i](p, pc);
	return record_settings(pc);
}
