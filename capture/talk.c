/* SPDX-License-Identifier: Apache-2.0 */
/* talk - two ends of OpenSSL joined by a BIO that lays each write out as a packet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <openssl/x509.h>

#include "capture/talk.h"

static BIO_METHOD *method;
static EVP_PKEY *key;
static X509 *certificate;
static struct talk *logging;

static void put16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

/* An IPv4 packet with TCP or UDP from 10.0.0.1:4000 to 10.0.0.2:443, or back. */
static void lay_packet(struct talk *t, int from, const uint8_t *data, size_t len)
{
	uint8_t p[MTU + 128] = { 0x45 };
	size_t head = 20 + (t->datagram ? 8u : 20u), all = head + len;

	assert_true(all <= sizeof(p));
	put16(p + 2, (uint32_t)all);
	p[8] = 64;
	p[9] = t->datagram ? 17 : 6;
	p[12] = p[16] = 10;
	p[15] = from ? 2 : 1;
	p[19] = from ? 1 : 2;
	put16(p + 20, from ? 443 : 4000);
	put16(p + 22, from ? 4000 : 443);
	if (t->datagram) {
		put16(p + 24, (uint32_t)(8 + len));
	} else {
		put16(p + 24, t->seq[from] >> 16);
		put16(p + 26, t->seq[from]);
		p[32] = 0x50; /* five words of header */
		p[33] = 0x18; /* PSH, ACK */
		t->seq[from] += (uint32_t)len;
	}
	memcpy(p + head, data, len);
	buf_put(&t->packets, &all, sizeof(all));
	buf_put(&t->packets, p, all);
}

struct end {
	struct talk *talk;
	int side;
};

static int end_write(BIO *bio, const char *data, int len)
{
	struct end *e = BIO_get_data(bio);
	int part = len > MTU ? MTU : len;
	struct queue *q = &e->talk->to[!e->side];
	size_t at = (q->first + q->count) % QUEUE_MAX;

	BIO_clear_retry_flags(bio);
	assert_true(q->count < QUEUE_MAX);
	memcpy(q->data[at], data, (size_t)part);
	q->len[at] = (size_t)part;
	q->count++;
	lay_packet(e->talk, e->side, (const uint8_t *)data, (size_t)part);
	return part;
}

static int end_read(BIO *bio, char *data, int len)
{
	struct end *e = BIO_get_data(bio);
	struct queue *q = &e->talk->to[e->side];
	uint8_t *from = q->data[q->first];
	size_t part;

	BIO_clear_retry_flags(bio);
	if (q->count == 0) {
		BIO_set_retry_read(bio);
		return -1;
	}
	part = q->len[q->first] < (size_t)len ? q->len[q->first] : (size_t)len;
	memcpy(data, from, part);
	q->len[q->first] -= part;
	memmove(from, from + part, q->len[q->first]);
	if (e->talk->datagram || q->len[q->first] == 0) {
		q->first = (q->first + 1) % QUEUE_MAX;
		q->count--;
	}
	return (int)part;
}

static long end_ctrl(BIO *bio, int command, long number, void *pointer)
{
	(void)bio;
	(void)number;
	(void)pointer;
	if (command == BIO_CTRL_DGRAM_QUERY_MTU || command == BIO_CTRL_DGRAM_GET_MTU)
		return MTU;
	return command == BIO_CTRL_FLUSH;
}

static int end_free(BIO *bio)
{
	free(BIO_get_data(bio));
	return 1;
}

static BIO *new_end(struct talk *t, int side)
{
	BIO *bio = BIO_new(method);
	struct end *e = calloc(1, sizeof(*e));

	assert_true(bio && e);
	*e = (struct end){ t, side };
	BIO_set_data(bio, e);
	BIO_set_init(bio, 1);
	return bio;
}

int talk_enter(void **state)
{
	(void)state;
	method = BIO_meth_new(BIO_TYPE_SOURCE_SINK | 77, "end of a talk");
	BIO_meth_set_write(method, end_write);
	BIO_meth_set_read(method, end_read);
	BIO_meth_set_ctrl(method, end_ctrl);
	BIO_meth_set_destroy(method, end_free);
	key = EVP_PKEY_Q_keygen(NULL, NULL, "EC", "P-256");
	certificate = X509_new();
	assert_true(method && key && certificate);
	ASN1_INTEGER_set(X509_get_serialNumber(certificate), 1);
	X509_gmtime_adj(X509_getm_notBefore(certificate), 0);
	X509_gmtime_adj(X509_getm_notAfter(certificate), 3600);
	X509_set_pubkey(certificate, key);
	return X509_sign(certificate, key, EVP_sha256()) > 0 ? 0 : -1;
}

int talk_leave(void **state)
{
	(void)state;
	X509_free(certificate);
	EVP_PKEY_free(key);
	BIO_meth_free(method);
	return 0;
}

static void log_line(const SSL *ssl, const char *line)
{
	(void)ssl;
	buf_printf(&logging->log, "%s\n", line);
}

void talk_open_side(struct talk *t, int side, int version, const char *cipher)
{
	SSL_CTX *ctx = SSL_CTX_new(t->datagram ? DTLS_method() : TLS_method());
	BIO *end = new_end(t, side);

	assert_non_null(ctx);
	SSL_CTX_set_min_proto_version(ctx, version);
	SSL_CTX_set_max_proto_version(ctx, version);
	SSL_CTX_set_security_level(ctx, 0);
	assert_int_equal(version == TLS1_3_VERSION ? SSL_CTX_set_ciphersuites(ctx, cipher)
						   : SSL_CTX_set_cipher_list(ctx, cipher),
			 1);
	if (side == 0)
		SSL_CTX_set_keylog_callback(ctx, log_line);
	SSL_CTX_use_certificate(ctx, certificate);
	SSL_CTX_use_PrivateKey(ctx, key);
	t->ssl[side] = SSL_new(ctx);
	SSL_CTX_free(ctx);
	assert_non_null(t->ssl[side]);
	SSL_set_options(t->ssl[side], SSL_OP_NO_QUERY_MTU);
	if (t->datagram)
		SSL_set_mtu(t->ssl[side], MTU);
	SSL_set_bio(t->ssl[side], end, end);
	if (side)
		SSL_set_accept_state(t->ssl[1]);
	else
		SSL_set_connect_state(t->ssl[0]);
}

void talk_settle(struct talk *t)
{
	char data[4096];

	for (int i = 0; i < 20; i++)
		for (int side = 0; side < 2; side++)
			while (SSL_read(t->ssl[side], data, sizeof(data)) > 0)
				;
}

void talk_say(struct talk *t, int side, const char *text)
{
	assert_int_equal(SSL_write(t->ssl[side], text, (int)strlen(text)), (int)strlen(text));
	talk_settle(t);
}

struct talk *talk_new(bool datagram)
{
	struct talk *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	t->datagram = datagram;
	t->seq[0] = t->seq[1] = 1000;
	logging = t;
	return t;
}

struct talk *talk_start(bool datagram, int version, const char *cipher)
{
	struct talk *t = talk_new(datagram);

	for (int side = 0; side < 2; side++)
		talk_open_side(t, side, version, cipher);
	talk_settle(t);
	assert_true(SSL_is_init_finished(t->ssl[0]) && SSL_is_init_finished(t->ssl[1]));
	return t;
}

void talk_free(struct talk *t)
{
	SSL_free(t->ssl[0]);
	SSL_free(t->ssl[1]);
	buf_release(&t->log);
	buf_release(&t->packets);
	free(t);
}
