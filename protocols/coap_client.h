/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_client - what the two files of an endpoint's client half share: the messages that an
 * exchange of several blocks sends on its own. Internal to protocols/.
 */
#ifndef PROTOCOLS_COAP_CLIENT_H
#define PROTOCOLS_COAP_CLIENT_H

#include "protocols/coap_layer.h"

/* coap_ask.c. Each ends the exchange when no message id is free. */

/* The next block of the answer's body. */
void coap_client_ask_block(struct coap_endpoint *e, struct coap_exchange *x, uint8_t szx);
/* The next block of the request's body, after the server took the one in `answer`. */
void coap_client_next_block(struct coap_endpoint *e, struct coap_exchange *x,
			    const struct coap_block *answer);
/* The request's body again, in blocks of that size. */
void coap_client_smaller(struct coap_endpoint *e, struct coap_exchange *x, uint8_t szx);

#endif
