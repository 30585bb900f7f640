/* SPDX-License-Identifier: Apache-2.0 */
/*
 * openssl_observe - handshake messages as OpenSSL's message callback tells of them.
 *
 * One that is sent is told of when it is complete in the library, before it leaves; one that
 * came when it is complete and decrypted, before it is looked at. It reads no clock.
 */
#include "ciphers/openssl_domain.h"

static void on_message(int sent, int version, int content, const void *data, size_t len, SSL *ssl,
		       void *arg)
{
	const struct tls_observer *o = arg;
	struct tls_message m = { .sent = sent, .bytes = len };

	(void)version;
	if (!len)
		return;
	switch (content) {
	case SSL3_RT_HANDSHAKE:
		m.type = *(const uint8_t *)data;
		break;
	case SSL3_RT_CHANGE_CIPHER_SPEC:
		m.type = TLS_MESSAGE_CHANGE_CIPHER_SPEC;
		break;
	case SSL3_RT_ALERT:
		m.type = TLS_MESSAGE_ALERT;
		break;
	default:
		return;
	}
	o->on_message(o->data, openssl_assoc(ssl), &m);
}

static void on_secret(const SSL *ssl, const char *line)
{
	const struct assoc *a = openssl_assoc((SSL *)(uintptr_t)ssl);
	const struct tls_observer *o = a->domain->params.observer;

	if (o->on_secret)
		o->on_secret(o->data, line);
}

void openssl_observe(SSL_CTX *ctx, const struct tls_params *p)
{
	if (!p->observer)
		return;
	SSL_CTX_set_msg_callback(ctx, on_message);
	SSL_CTX_set_msg_callback_arg(ctx, (void *)(uintptr_t)p->observer);
	if (p->observer->on_secret)
		SSL_CTX_set_keylog_callback(ctx, on_secret);
}
