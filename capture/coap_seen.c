/* SPDX-License-Identifier: Apache-2.0 */
/* coap_seen - the codec's verdict, narrowed to methods that there are. */
#include "capture/coap_seen.h"

#include <stdio.h>

bool coap_seen_parse(const uint8_t *p, size_t len, struct coap_message *m)
{
	return coap_parse(p, len, m) == COAP_GOOD &&
	       (!coap_is_request(m->code) || m->code <= COAP_IPATCH);
}

void coap_seen_name(uint8_t type, uint8_t code, char *dst, size_t size)
{
	static const char *const types[] = { "CON", "NON", "ACK", "RST" };

	if (code == COAP_EMPTY)
		snprintf(dst, size, "%s empty", types[type & 3]);
	else if (coap_is_request(code))
		snprintf(dst, size, "%s %s", types[type & 3], coap_code_name(code));
	else
		snprintf(dst, size, "%s %u.%02u", types[type & 3], code >> 5, code & 31u);
}
