/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_names - the registries of CoAP as const rows: codes with their names and HTTP
 * status, options with their bounds, content formats.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "protocols/coap.h"

#define ROWS(table) (sizeof(table) / sizeof *(table))

/* RFC 7252 section 12.1; RFC 8132, 8516, 8323; status: see coap.h. */
static const struct {
	uint8_t code;
	const char *name;
	int status;
} codes[] = {
	{ COAP_EMPTY, "Empty", 0 },
	{ COAP_GET, "GET", 0 },
	{ COAP_POST, "POST", 0 },
	{ COAP_PUT, "PUT", 0 },
	{ COAP_DELETE, "DELETE", 0 },
	{ COAP_FETCH, "FETCH", 0 },
	{ COAP_PATCH, "PATCH", 0 },
	{ COAP_IPATCH, "iPATCH", 0 },
	{ COAP_CREATED, "2.01 Created", 201 },
	{ COAP_DELETED, "2.02 Deleted", 204 },
	{ COAP_VALID, "2.03 Valid", 304 },
	{ COAP_CHANGED, "2.04 Changed", 200 },
	{ COAP_CONTENT, "2.05 Content", 200 },
	{ COAP_CONTINUE, "2.31 Continue", 100 },
	{ COAP_BAD_REQUEST, "4.00 Bad Request", 400 },
	{ COAP_UNAUTHORIZED, "4.01 Unauthorized", 401 },
	{ COAP_BAD_OPTION, "4.02 Bad Option", 402 },
	{ COAP_FORBIDDEN, "4.03 Forbidden", 403 },
	{ COAP_NOT_FOUND, "4.04 Not Found", 404 },
	{ COAP_METHOD_NOT_ALLOWED, "4.05 Method Not Allowed", 405 },
	{ COAP_NOT_ACCEPTABLE, "4.06 Not Acceptable", 406 },
	{ COAP_INCOMPLETE, "4.08 Request Entity Incomplete", 408 },
	{ COAP_CONFLICT, "4.09 Conflict", 409 },
	{ COAP_PRECONDITION_FAILED, "4.12 Precondition Failed", 412 },
	{ COAP_TOO_LARGE, "4.13 Request Entity Too Large", 413 },
	{ COAP_UNSUPPORTED_FORMAT, "4.15 Unsupported Content-Format", 415 },
	{ COAP_UNPROCESSABLE, "4.22 Unprocessable Entity", 422 },
	{ COAP_TOO_MANY_REQUESTS, "4.29 Too Many Requests", 429 },
	{ COAP_SERVER_ERROR, "5.00 Internal Server Error", 500 },
	{ COAP_NOT_IMPLEMENTED, "5.01 Not Implemented", 501 },
	{ COAP_BAD_GATEWAY, "5.02 Bad Gateway", 502 },
	{ COAP_UNAVAILABLE, "5.03 Service Unavailable", 503 },
	{ COAP_GATEWAY_TIMEOUT, "5.04 Gateway Timeout", 504 },
	{ COAP_NO_PROXYING, "5.05 Proxying Not Supported", 505 },
	{ COAP_CSM, "7.01 CSM", 0 },
	{ COAP_PING, "7.02 Ping", 0 },
	{ COAP_PONG, "7.03 Pong", 0 },
	{ COAP_RELEASE, "7.04 Release", 0 },
	{ COAP_ABORT, "7.05 Abort", 0 },
};

/* RFC 7252 table 4, RFC 7641 section 2, RFC 7959 table 1. */
static const struct {
	uint16_t number, bytes_min, bytes_max;
	const char *name;
} options[] = {
	{ COAP_IF_MATCH, 0, 8, "If-Match" },
	{ COAP_URI_HOST, 1, 255, "Uri-Host" },
	{ COAP_ETAG, 1, 8, "ETag" },
	{ COAP_IF_NONE_MATCH, 0, 0, "If-None-Match" },
	{ COAP_OBSERVE, 0, 3, "Observe" },
	{ COAP_URI_PORT, 0, 2, "Uri-Port" },
	{ COAP_LOCATION_PATH, 0, 255, "Location-Path" },
	{ COAP_URI_PATH, 0, 255, "Uri-Path" },
	{ COAP_CONTENT_FORMAT, 0, 2, "Content-Format" },
	{ COAP_MAX_AGE, 0, 4, "Max-Age" },
	{ COAP_URI_QUERY, 0, 255, "Uri-Query" },
	{ COAP_ACCEPT, 0, 2, "Accept" },
	{ COAP_LOCATION_QUERY, 0, 255, "Location-Query" },
	{ COAP_BLOCK2, 0, 3, "Block2" },
	{ COAP_BLOCK1, 0, 3, "Block1" },
	{ COAP_SIZE2, 0, 4, "Size2" },
	{ COAP_PROXY_URI, 1, 1034, "Proxy-Uri" },
	{ COAP_PROXY_SCHEME, 1, 255, "Proxy-Scheme" },
	{ COAP_SIZE1, 0, 4, "Size1" },
};

/* The registry "CoAP Content-Formats"; the first row of a number is how it is called here. */
static const struct {
	uint16_t format;
	const char *name;
} formats[] = {
	{ 0, "text/plain;charset=utf-8" },
	{ 0, "text/plain" },
	{ 16, "application/cose; cose-type=\"cose-encrypt0\"" },
	{ 16, "application/cose" }, /* the one of its types that is sent here */
	{ 40, "application/link-format" },
	{ 41, "application/xml" },
	{ 41, "text/xml" }, /* RFC 7303 section 9.2: the same */
	{ 42, "application/octet-stream" },
	{ 47, "application/exi" },
	{ 50, "application/json" },
	{ 51, "application/json-patch+json" },
	{ 52, "application/merge-patch+json" },
	{ 60, "application/cbor" },
	{ 61, "application/cwt" },
	{ 110, "application/senml+json" },
	{ 112, "application/senml+cbor" },
	{ 10000, "application/vnd.ocf+cbor" },
};

const char *coap_code_name(uint8_t code)
{
	static _Thread_local char text[8];

	for (size_t i = 0; i < ROWS(codes); i++)
		if (codes[i].code == code)
			return codes[i].name;
	snprintf(text, sizeof text, "%u.%02u", code >> 5, code & 31u);
	return text;
}

const char *coap_option_name(uint32_t number)
{
	for (size_t i = 0; i < ROWS(options); i++)
		if (options[i].number == number)
			return options[i].name;
	return NULL;
}

bool coap_option_length_ok(uint32_t number, size_t bytes)
{
	for (size_t i = 0; i < ROWS(options); i++)
		if (options[i].number == number)
			return bytes >= options[i].bytes_min && bytes <= options[i].bytes_max;
	return true;
}

uint32_t coap_format_by_name(const char *content_type)
{
	size_t len = strcspn(content_type, "; \t");

	for (size_t i = 0; i < ROWS(formats); i++)
		if (strncasecmp(formats[i].name, content_type, len) == 0 &&
		    formats[i].name[len] == '\0')
			return formats[i].format;
	return COAP_NO_FORMAT;
}

const char *coap_format_name(uint32_t format)
{
	for (size_t i = 0; i < ROWS(formats); i++)
		if (formats[i].format == format)
			return formats[i].name;
	return NULL;
}

uint8_t coap_code_of_status(int status, uint8_t method)
{
	if (status == 200 || (status >= 202 && status < 300))
		return status == 200 && (method == COAP_GET || method == COAP_FETCH) ? COAP_CONTENT
		       : method == COAP_DELETE                                       ? COAP_DELETED
										     : COAP_CHANGED;
	for (size_t i = 0; i < ROWS(codes); i++)
		if (codes[i].status == status && codes[i].code != COAP_CONTINUE && status > 0)
			return codes[i].code;
	return status >= 400 && status < 500 ? COAP_BAD_REQUEST : COAP_SERVER_ERROR;
}

int coap_status_of_code(uint8_t code)
{
	for (size_t i = 0; i < ROWS(codes); i++)
		if (codes[i].code == code)
			return codes[i].status;
	return (code >> 5) * 100 + (code & 31);
}
