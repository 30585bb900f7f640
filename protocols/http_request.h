/* SPDX-License-Identifier: Apache-2.0 */
/*
 * http_request - what the clients of HTTP/1.1 and HTTP/2 say alike of a request. Internal to
 * protocols/.
 */
#ifndef PROTOCOLS_HTTP_REQUEST_H
#define PROTOCOLS_HTTP_REQUEST_H

#include "protocols/app.h"

#define HTTP_ACCEPTS_BYTES 64

/* "GET"; NULL for APP_METHOD_OTHER. */
const char *http_method_name(enum app_method method);
/* Method, target and host. -1: it can never be sent, f says why. */
int http_request_check(const struct app_request *q, struct fail *f);
/* The value of Accept-Encoding: "gzip, br"; "identity" where nothing else is accepted. */
const char *http_accepts(unsigned accepts, char text[HTTP_ACCEPTS_BYTES]);

#endif
