/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_request - struct app_request as options of CoAP and back, the same over datagrams
 * and streams. Internal to protocols/.
 */
#ifndef PROTOCOLS_COAP_REQUEST_H
#define PROTOCOLS_COAP_REQUEST_H

#include "protocols/app.h"
#include "protocols/coap.h"

#define COAP_HOST_BYTES 256

/* The method's code. 0: it can never be asked for; f says why. */
uint8_t coap_request_code(const struct app_request *q, struct fail *f);
/* The options up to Accept, behind what w holds. -1: they do not fit, or cannot be said. */
int coap_request_write(struct coap_writer *w, const struct app_request *q, struct fail *f);

/* What is kept of a request until it has been shown. Blocks are the caller's. */
struct coap_request {
	struct coap_fields fields;
	uint8_t method;
	char target[APP_TARGET_BYTES];
	char host[COAP_HOST_BYTES];
};

/* 0, or the code of the answer that refuses it. */
uint8_t coap_request_read(const struct coap_message *m, struct coap_request *r);
void coap_request_show(const struct coap_request *r, struct app_request *q);

#endif
