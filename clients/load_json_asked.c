/* SPDX-License-Identifier: Apache-2.0 */
/*
 * load_json_asked - what was asked for, every option of it, and where it ran.
 */
#include <string.h>
#include <sys/utsname.h>

#include "clients/load_json.h"
#include "lib/version.h"
#include "protocols/app.h"

static json_t *text_or_null(const char *text)
{
	return text ? json_string(text) : json_null();
}

static json_t *rate_or_null(double per_s)
{
	return per_s > 0 ? json_real(per_s) : json_null();
}

static json_t *limit_or_null(int64_t bytes_per_s)
{
	return bytes_per_s ? json_integer(bytes_per_s) : json_null();
}

/* Content codings beside identity. */
static json_t *accepted(const struct load_params *p)
{
	json_t *list = json_array();

	for (int e = APP_IDENTITY + 1; e < APP_ENCODINGS; e++) {
		if (p->accepts >> e & 1)
			json_array_append_new(list,
					      json_string(app_encoding_name((enum app_encoding)e)));
	}
	return list;
}

/* How requests and connections are spread over time. */
static void add_pace(json_t *o, const struct load_params *p)
{
	bool open = p->rate_per_s > 0;

	json_object_set_new(o, "http", json_string(p->http2 ? "2" : "1.1"));
	json_object_set_new(o, "streams", json_integer(p->streams > 1 ? p->streams : 1));
	json_object_set_new(o, "window_bytes", limit_or_null(p->window_bytes));
	json_object_set_new(o, "threads", json_integer(p->threads > 1 ? p->threads : 1));
	json_object_set_new(o, "rate_per_s", rate_or_null(p->rate_per_s));
	json_object_set_new(o, "arrivals",
			    text_or_null(open ? arrival_kind_name[p->arrivals] : NULL));
	json_object_set_new(o, "seed",
			    open && p->arrivals == ARRIVAL_POISSON
				    ? json_integer((json_int_t)p->seed)
				    : json_null());
	json_object_set_new(o, "think_ns", json_integer(p->think_ns));
	json_object_set_new(o, "ramp_ns", json_integer(p->ramp_ns));
	json_object_set_new(o, "resume_pct",
			    connection_kind[p->connection].resumes ? json_integer(p->resume_pct)
								   : json_null());
	json_object_set_new(o, "early_data", json_boolean(p->early_data));
	json_object_set_new(o, "connection_requests", limit_or_null(p->connection_requests));
	json_object_set_new(o, "connection_rate_per_s", rate_or_null(p->connection_rate_per_s));
	json_object_set_new(o, "upload_bytes_per_s", limit_or_null(p->upload_bytes_per_s));
	json_object_set_new(o, "download_bytes_per_s", limit_or_null(p->download_bytes_per_s));
	json_object_set_new(o, "min_success_pct", json_real(p->min_success_pct));
}

json_t *load_asked_json(const struct load_params *p)
{
	char url[URL_TEXT_BYTES], suite[SUITE_TEXT_BYTES], connection[CONNECTION_TEXT_BYTES];
	json_t *o = json_pack(
		"{s:s, s:o, s:s, s:o, s:b, s:o, s:s, s:i, s:I, s:I, s:I, s:I, s:b, s:b, s:I, s:i, "
		"s:o}",
		"url", url_format(&p->url, url), "suite",
		text_or_null(p->suite ? suite_format(p->suite, suite) : NULL), "engine",
		p->engine->name, "ca", text_or_null(p->ca_file), "insecure",
		url_is_secure(&p->url) && !p->ca_file && !p->psk.rows, "server_name",
		text_or_null(p->server_name), "connection", load_connection_format(p, connection),
		"clients", p->clients, "count", (json_int_t)p->count, "duration_ns",
		(json_int_t)p->duration_ns, "warmup_ns", (json_int_t)p->warmup_ns, "timeout_ns",
		(json_int_t)p->timeout_ns, "gzip", (int)(p->accepts >> APP_GZIP & 1), "verify_body",
		(int)p->verify_body, "record_bytes", (json_int_t)p->record_bytes,
		"records_per_send", p->records_per_send, "cpus", text_or_null(p->cpus));

	json_object_set_new(o, "accept", accepted(p));
	json_object_set_new(o, "psk_identity",
			    text_or_null(!p->psk.rows ? NULL
					 : p->psk_one ? p->psk_one->identity
						      : "each"));
	json_object_set_new(o, "count_per_client", limit_or_null(p->count_each));
	json_object_set_new(o, "histogram", text_or_null(p->californium ? "californium" : NULL));
	json_object_set_new(o, "obey_max_age", json_boolean(p->obey_max_age));
	json_object_set_new(o, "datagrams", load_asked_datagrams_json(p));
	add_pace(o, p);
	return o;
}

json_t *load_environment_json(const struct load_params *p)
{
	struct utsname os;

	if (uname(&os))
		return json_null();
	return json_pack("{s:s, s:{s:s, s:s, s:s}, s:s, s:s, s:s}", "cipherwatt",
			 cipherwatt_version, "engine", "name", p->engine->name, "version",
			 p->engine->version(), "build", p->engine->build(), "kernel", os.release,
			 "machine", os.machine, "node", os.nodename);
}

/* What our own server answers there; elsewhere nobody knows. */
json_t *load_workload_json(const struct load_params *p)
{
	static const char *const names[] = { "page", "access", "message" };
	const char *path = p->url.target;

	if (p->asker && p->asker != &asker_page)
		return json_string(p->asker->name);
	for (int i = 0; i < 3; i++) {
		size_t len = strlen(names[i]);

		if (path[0] == '/' && !strncmp(path + 1, names[i], len) &&
		    strchr("/?", path[len + 1]))
			return json_string(names[i]);
	}
	return json_null();
}
