/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http2_session - what the halves of the HTTP/2 codec need of nghttp2 itself: heads to
 * submit and content to provide. Internal to protocols/.
 */
#ifndef PROTOCOLS_HTTP2_SESSION_H
#define PROTOCOLS_HTTP2_SESSION_H

#include <nghttp2/nghttp2.h>

#include "protocols/http2.h"

#define HTTP2_FIELDS_MAX   12
#define HTTP2_NUMBER_BYTES 21

struct http2_fields {
	nghttp2_nv nv[HTTP2_FIELDS_MAX];
	size_t n;
};

/* Append a field. name is static; value must live until the head has been submitted. */
void http2_say(struct http2_fields *f, const char *name, const char *value);
const char *http2_number(char digits[HTTP2_NUMBER_BYTES], uint64_t value);

/* The source is a struct http2_stream: its borrowed content is sent without another copy. */
ssize_t http2_read_content(nghttp2_session *session, int32_t id, uint8_t *buf, size_t len,
			   uint32_t *flags, nghttp2_data_source *source, void *data);

#endif
