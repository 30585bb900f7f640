/* SPDX-License-Identifier: Apache-2.0 */
/*
 * coap_tcp_signal - capabilities and settings, Ping and Pong, Release, Abort (RFC 8323
 * section 5). Blocks are not offered: a message may be as long as its body.
 */
#include <errno.h>

#include "protocols/coap_tcp.h"

#define MAX_MESSAGE_SIZE 2 /* option of CSM */

void coap_tcp_greet(struct app *a)
{
	uint8_t bytes[8];
	struct coap_writer w = { .dst = bytes, .cap = sizeof bytes };
	uint64_t largest = UINT32_MAX;

	if (a->half == APP_SERVER)
		largest = COAP_TCP_HEAD_BYTES_MAX + a->limits.body_bytes +
			  (a->limits.head_bytes ? a->limits.head_bytes : APP_HEAD_BYTES);
	coap_write_uint(&w, MAX_MESSAGE_SIZE,
			largest < UINT32_MAX ? (uint32_t)largest : UINT32_MAX);
	coap_tcp_send(a, COAP_CSM, NULL, 0, &w, NULL, 0, NULL);
}

/* false: an option that is critical and not known (section 5.2). */
static bool read_settings(struct coap_tcp *t, bool *bad_value)
{
	struct coap_walk walk = { .m = &t->m };
	struct coap_option o;
	bool csm = t->m.code == COAP_CSM;

	while (coap_walk_next(&walk, &o)) {
		if (csm && o.number == MAX_MESSAGE_SIZE) {
			*bad_value = o.value_bytes > 4;
			if (!*bad_value)
				t->peer_message_bytes = coap_uint(&o);
		} else if (coap_is_critical(o.number)) {
			return false;
		}
	}
	return true;
}

void coap_tcp_signal(struct app *a)
{
	struct coap_tcp *t = a->impl;
	bool bad_value = false;

	if (!read_settings(t, &bad_value) || bad_value) {
		fail_set(&a->fail, EPROTO, "CoAP: %s has an option that is not understood",
			 coap_code_name(t->m.code));
		coap_tcp_abort(a);
		return;
	}
	switch (t->m.code) {
	case COAP_CSM:
		t->greeted = true;
		break;
	case COAP_PING:
		coap_tcp_send(a, COAP_PONG, t->m.token, t->m.token_bytes, NULL, NULL, 0, NULL);
		break;
	case COAP_RELEASE:
		t->leaving = true;
		break;
	case COAP_ABORT:
		fail_set(&a->fail, ECONNRESET, "CoAP: the peer has aborted the association");
		coap_tcp_give_up(a);
		break;
	default:
		break;
	}
	if (t->signals > COAP_TCP_SIGNALS_MAX && !t->over) {
		fail_set(&a->fail, EPROTO, "CoAP: more than %d signals in a row",
			 COAP_TCP_SIGNALS_MAX);
		coap_tcp_abort(a);
	}
}
