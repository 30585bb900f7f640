/* SPDX-License-Identifier: Apache-2.0 */
/* fixture - made-up cells and trials with known figures, for tests. */
#include "results/fixture.h"

#include <stdio.h>
#include <string.h>

#define WINDOW_NS INT64_C(2000000000)

void fixture_campaign(struct campaign *c)
{
	static char text[] = "name: made-up\nblocks: 5\n";
	static char options[] = "{\"blocks\": 5, \"measure\": \"2s\", \"cells\": [1, 2.5, null]}";

	*c = (struct campaign){ .seed = 42, .blocks = 5, .text = text, .options = options };
	strcpy(c->name, "made-up");
	strcpy(c->started, "2026-11-30T12:00:00Z");
	strcpy(c->version, "0.1.0");
}

void fixture_node(struct node *n, const char *role)
{
	*n = (struct node){ .cpus = 4 };
	snprintf(n->name, sizeof(n->name), "%s", role);
	snprintf(n->role, sizeof(n->role), "%s", role);
	strcpy(n->board, "rpi-4b");
	strcpy(n->version, "0.1.0");
	strcpy(n->kernel, "6.1.0");
	strcpy(n->machine, "aarch64");
	strcpy(n->cpu, "Cortex-A72");
	strcpy(n->governor, "performance");
	strcpy(n->os, "Debian GNU/Linux 12");
	strcpy(n->engines, "{\"openssl\": \"3.0.11\", \"wolfssl\": \"5.5.4\"}");
	strcpy(n->builds, "{\"openssl\": {\"aes\": true}}");
	strcpy(n->environment, "{\"temperature_c\": 48.5, \"throttled\": false}");
}

void fixture_cell(struct cell *c, const char *suite, int64_t strength_bits, const char *encoding)
{
	*c = (struct cell){ .strength_bits = strength_bits, .payload_bytes = 512, .clients = 16 };
	snprintf(c->name, sizeof(c->name), "%s %s", suite, encoding);
	snprintf(c->suite, sizeof(c->suite), "%s", suite);
	strcpy(c->engine, strcmp(suite, "plain") == 0 ? "null" : "openssl");
	strcpy(c->client_engine, c->engine);
	strcpy(c->server, "builtin");
	strcpy(c->workload, "page");
	strcpy(c->payload_kind, "json");
	snprintf(c->encoding, sizeof(c->encoding), "%s", encoding);
	strcpy(c->connection, "full");
}

static void fill_side(struct side *s, int64_t cpu_ns)
{
	*s = (struct side){ .cpu_ns = cpu_ns,
			    .rss_peak_kib = 9000,
			    .limit_us = 80,
			    .gross_nj = 6000000000,
			    .idle_nj = 2000000000,
			    .net_nj = 4000000000,
			    .idle_before_nw = 1000000000,
			    .idle_after_nw = 1010000000,
			    .idle_drift_pct = 1,
			    .instrument_pct = 0.7,
			    .coverage = 1,
			    .meter_samples = 2000 };
	strcpy(s->energy_source, "modelled");
	strcpy(s->energy_basis, "board rpi-4b: idle 1 W, loaded 3 W");
	strcpy(s->meter, "ina219:sim");
}

void fixture_trial(struct trial *t, int64_t block, int64_t requests, int64_t cpu_ns,
		   int64_t latency_us)
{
	struct hist response = t->response, service = t->service, handshake = t->handshake;

	*t = (struct trial){ .block = block,
			     .valid = true,
			     .window_ns = WINDOW_NS,
			     .requests_started = requests + 16,
			     .requests_succeeded = requests,
			     .requests_completed = requests,
			     .requests_in_flight = 16,
			     .handshakes_full = requests,
			     .server_handshakes_full = requests + 100,
			     .client_handshakes_full = requests + 100,
			     .wire_bytes_sent = requests * 500,
			     .wire_bytes_received = requests * 1500,
			     .body_bytes = requests * 512,
			     .client_busy = 0.5,
			     .lateness_max_ns = 1000 };
	t->response = response;
	t->service = service;
	t->handshake = handshake;
	strcpy(t->started, "2026-11-30T12:00:00Z");
	strcpy(t->negotiated, "as asked");
	fill_side(&t->server, requests * cpu_ns);
	fill_side(&t->client, requests * cpu_ns / 2);
	hist_clear(&t->response);
	hist_clear(&t->service);
	hist_clear(&t->handshake);
	for (int64_t i = 0; i < requests; i++) {
		hist_add(&t->response, latency_us * 1000);
		hist_add(&t->service, latency_us * 900);
		hist_add(&t->handshake, latency_us * 500);
	}
}
