/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_seen - recognises CoAP messages over UDP (RFC 7252 section 3) and names them.
 */
#ifndef CAPTURE_COAP_SEEN_H
#define CAPTURE_COAP_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "protocols/coap.h"

/*
 * A datagram that only begins like CoAP is refused, and one whose method nobody has registered:
 * any two bytes may look like a head. m points into p.
 */
bool coap_seen_parse(const uint8_t *p, size_t len, struct coap_message *m);
/* "CON GET", "ACK 2.05", "ACK empty" */
void coap_seen_name(uint8_t type, uint8_t code, char *dst, size_t size);

#endif
