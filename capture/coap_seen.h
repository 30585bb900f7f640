/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_seen - recognises CoAP messages over UDP (RFC 7252 section 3) and names them.
 */
#ifndef CAPTURE_COAP_SEEN_H
#define CAPTURE_COAP_SEEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct coap_header {
	uint8_t type; /* 0 CON, 1 NON, 2 ACK, 3 RST */
	uint8_t code; /* class in the upper three bits */
	uint16_t id;
};

/* Every option is stepped through: a datagram that only begins like CoAP is refused. */
bool coap_seen_parse(const uint8_t *p, size_t len, struct coap_header *h);
bool coap_seen_is_request(const struct coap_header *h);
/* "CON GET", "ACK 2.05", "ACK empty" */
void coap_seen_name(uint8_t type, uint8_t code, char *dst, size_t size);

#endif
