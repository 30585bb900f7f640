/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wolfssl_observe - handshake messages as wolfSSL's message callback tells of them.
 *
 * It gives what was sent as a whole record, sealed or not, and what came as a message without
 * the record. Under TLS 1.3 it tells of hellos that were sent only. It reads no clock.
 */
#include "ciphers/wolfssl_domain.h"

#define RECORD_HEAD_BYTES  5
#define MESSAGE_HEAD_BYTES 4
#define TYPE_FINISHED      20
/* Of a sealed Finished: 16 with its head, and what any suite adds. */
#define SEALED_BYTES_MAX 128

/* Content types of records (RFC 8446 section 5.1). */
enum { CHANGE_CIPHER_SPEC = 20, ALERT = 21, HANDSHAKE = 22 };

#ifdef OPENSSL_EXTRA

static size_t length_field(const uint8_t *message)
{
	return (size_t)message[1] << 16 | (size_t)message[2] << 8 | message[3];
}

/* Sealed before TLS 1.3, it can only be a Finished. false: the first part of a longer message. */
static bool read_handshake(const uint8_t *data, size_t len, struct tls_message *m)
{
	size_t head = m->sent ? RECORD_HEAD_BYTES : 0;

	if (len < head + MESSAGE_HEAD_BYTES)
		return false;
	m->bytes = len - head;
	m->type = data[head];
	if (m->sent && length_field(data + head) + MESSAGE_HEAD_BYTES != m->bytes) {
		if (m->bytes > SEALED_BYTES_MAX)
			return false;
		m->type = TYPE_FINISHED;
		m->bytes = MESSAGE_HEAD_BYTES + 12; /* RFC 5246 section 7.4.9 */
	}
	return true;
}

static void on_message(int sent, int version, int content, const void *data, size_t len,
		       WOLFSSL *ssl, void *arg)
{
	const struct assoc *a = arg;
	const struct tls_observer *o = a->domain->params.observer;
	struct tls_message m = { .sent = sent != 0, .bytes = len };

	(void)version, (void)ssl;
	switch (content) {
	case HANDSHAKE:
		if (!read_handshake(data, len, &m))
			return;
		break;
	case CHANGE_CIPHER_SPEC:
		m.type = TLS_MESSAGE_CHANGE_CIPHER_SPEC;
		m.bytes = 1;
		break;
	case ALERT:
		m.type = TLS_MESSAGE_ALERT;
		m.bytes = 2;
		break;
	default:
		return;
	}
	o->on_message(o->data, a, &m);
}

/* Over datagrams it would read in front of messages that it has put together. */
void wolfssl_observe(WOLFSSL *ssl, struct assoc *a)
{
	if (!a->domain->params.observer || wolfSSL_dtls(ssl))
		return;
	wolfSSL_set_msg_callback(ssl, on_message);
	wolfSSL_set_msg_callback_arg(ssl, a);
}

#else

void wolfssl_observe(WOLFSSL *ssl, struct assoc *a)
{
	(void)ssl, (void)a;
}

#endif
