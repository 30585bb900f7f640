/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_request - what can be asked with CoAP, said in options and read from them. What a
 * server does not understand and may not skip is refused here, with its code.
 */
#include "protocols/coap_request.h"

#include <errno.h>
#include <string.h>

#include "protocols/url.h"

static bool has_format(const char *content_type, struct fail *f)
{
	if (!content_type || coap_format_by_name(content_type) != COAP_NO_FORMAT)
		return true;
	fail_set(f, EINVAL, "\"%.80s\" has no content format of CoAP", content_type);
	return false;
}

uint8_t coap_request_code(const struct app_request *q, struct fail *f)
{
	if (q->method != APP_GET && q->method != APP_POST) {
		fail_set(f, EINVAL, "CoAP asks with GET or POST only");
		return 0;
	}
	if (!q->target || !url_is_target(q->target, strlen(q->target))) {
		fail_set(f, EINVAL, "\"%.80s\" cannot be asked for", q->target ? q->target : "");
		return 0;
	}
	if (!has_format(q->content_type, f) || !has_format(q->accept, f))
		return 0;
	return q->method == APP_GET ? COAP_GET : COAP_POST;
}

/* RFC 7252 section 6.4: an address is where the message goes anyway. */
static void write_host(struct coap_writer *w, const char *host)
{
	size_t len = host ? strcspn(host, ":") : 0;

	if (len > 0 && host[0] != '[' && strspn(host, "0123456789.") < len)
		coap_write_option(w, COAP_URI_HOST, host, len);
}

int coap_request_write(struct coap_writer *w, const struct app_request *q, struct fail *f)
{
	int path, query;

	write_host(w, q->host);
	if (q->observe)
		coap_write_uint(w, COAP_OBSERVE, 0);
	path = coap_target_write_path(w, q->target);
	if (q->content_type)
		coap_write_uint(w, COAP_CONTENT_FORMAT, coap_format_by_name(q->content_type));
	query = coap_target_write_query(w, q->target);
	if (q->accept)
		coap_write_uint(w, COAP_ACCEPT, coap_format_by_name(q->accept));
	if (path != 0 || query != 0)
		return fail_set(f, EINVAL, "\"%.80s\" has a part of more than 255 bytes",
				q->target);
	if (w->failed)
		return fail_set(f, EMSGSIZE,
				"the options of a request for \"%.80s\" do not fit %zu bytes",
				q->target, w->cap);
	return 0;
}

/* --- the way back ------------------------------------------------------------------------ */

static uint8_t check_options(const struct coap_fields *f)
{
	if (f->refused || f->conditional)
		return COAP_BAD_OPTION;
	if (f->proxied)
		return COAP_NO_PROXYING;
	if (f->format != COAP_NO_FORMAT && !coap_format_name(f->format))
		return COAP_UNSUPPORTED_FORMAT;
	if (f->accept != COAP_NO_FORMAT && !coap_format_name(f->accept))
		return COAP_NOT_ACCEPTABLE;
	return 0;
}

uint8_t coap_request_read(const struct coap_message *m, struct coap_request *r)
{
	const struct coap_fields *f = &r->fields;
	uint8_t code;

	coap_fields_read(m, &r->fields);
	r->method = m->code;
	code = check_options(f);
	if (code)
		return code;
	if (m->code > COAP_IPATCH)
		return COAP_METHOD_NOT_ALLOWED;
	if (f->host_bytes > 0)
		memcpy(r->host, f->host, f->host_bytes);
	r->host[f->host_bytes] = '\0';
	if ((f->block1.present && f->block1.szx > 6) || (f->block2.present && f->block2.szx > 6))
		return COAP_BAD_REQUEST;
	return coap_target_read(m, r->target, sizeof r->target) == 0 ? 0 : COAP_BAD_REQUEST;
}

static const char *format_name(uint32_t format)
{
	return format == COAP_NO_FORMAT ? NULL : coap_format_name(format);
}

void coap_request_show(const struct coap_request *r, struct app_request *q)
{
	*q = (struct app_request){
		.method = r->method == COAP_GET    ? APP_GET
			  : r->method == COAP_POST ? APP_POST
						   : APP_METHOD_OTHER,
		.target = r->target,
		.host = r->host[0] ? r->host : NULL,
		.accepts = 1u << APP_IDENTITY,
		.content_type = format_name(r->fields.format),
		.accept = format_name(r->fields.accept),
		.keep_alive = true,
	};
}
