/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wolfssl_observe - handshake messages as wolfSSL's message callback tells of them.
 *
 * It gives what was sent as a whole record, sealed or not, and what came as a message without
 * the record. Under TLS 1.3 it tells of hellos that were sent only. It reads no clock.
 */
#include "ciphers/dtls_record.h"
#include "ciphers/wolfssl_domain.h"

#define TYPE_FINISHED 20
/* Of a sealed Finished: 16 with its head, and what any suite adds. */
#define SEALED_BYTES_MAX 128

#ifdef OPENSSL_EXTRA

/* Heads of records and of messages, over streams and over datagrams. */
static const size_t record_head[] = { 5, 13 }, message_head[] = { 4, 12 };

static size_t be24(const uint8_t *p)
{
	return (size_t)p[0] << 16 | (size_t)p[1] << 8 | p[2];
}

/* What is in this record of a message that was sent. */
static size_t part_bytes(const uint8_t *message, bool datagram)
{
	return be24(message + (datagram ? 9 : 1));
}

/* Of the last part, or the only one. */
static bool is_last(const uint8_t *message, bool datagram)
{
	return !datagram || be24(message + 6) + be24(message + 9) == be24(message + 1);
}

static bool read_sent(const uint8_t *data, size_t len, bool datagram, struct tls_message *m)
{
	size_t head = message_head[datagram];

	if (len < record_head[datagram] + head)
		return false;
	data += record_head[datagram];
	len -= record_head[datagram];
	if (part_bytes(data, datagram) + head == len) {
		m->type = data[0];
		m->bytes = be24(data + 1) + head;
		return is_last(data, datagram);
	}
	/* Sealed before TLS 1.3, it can only be a Finished (RFC 5246 section 7.4.9); else a part.
	 */
	m->type = TYPE_FINISHED;
	m->bytes = head + 12;
	return len <= SEALED_BYTES_MAX;
}

/* Over datagrams it comes without its type. */
static bool read_received(const uint8_t *data, size_t len, bool datagram, struct tls_message *m)
{
	m->type = len ? data[0] : 0;
	return !datagram && len >= message_head[0];
}

static void on_message(int sent, int version, int content, const void *data, size_t len,
		       WOLFSSL *ssl, void *arg)
{
	const struct assoc *a = arg;
	const struct tls_observer *o = a->domain->params.observer;
	struct tls_message m = { .sent = sent != 0, .bytes = len };

	bool datagram = wolfSSL_dtls(ssl);

	(void)version;
	switch (content) { /* the same over streams (RFC 8446 section 5.1) */
	case DTLS_HANDSHAKE:
		if (!(sent ? read_sent : read_received)(data, len, datagram, &m))
			return;
		break;
	case DTLS_CHANGE_CIPHER_SPEC:
		m.type = TLS_MESSAGE_CHANGE_CIPHER_SPEC;
		m.bytes = 1;
		break;
	case DTLS_ALERT:
		m.type = TLS_MESSAGE_ALERT;
		m.bytes = 2;
		break;
	default:
		return;
	}
	o->on_message(o->data, a, &m);
}

void wolfssl_observe(WOLFSSL *ssl, struct assoc *a)
{
	if (!a->domain->params.observer)
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
