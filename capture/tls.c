/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tls - the record layer as a state machine that takes any number of bytes at a time.
 */
#include "capture/tls.h"

#include <string.h>

#include "capture/bytes.h"
#include "capture/decrypt.h"
#include "capture/hello.h"

#define CHANGE_CIPHER_SPEC 20
#define ALERT              21
#define HANDSHAKE          22
#define APPLICATION_DATA   23
#define HEARTBEAT          24
#define RECORD_BYTES_MAX   (16384 + 2048) /* RFC 5246 section 6.2.3 */
#define SSL2_RECORD_MAX    32767

void tls_half_release(struct tls_half *h)
{
	buf_release(&h->record);
	buf_release(&h->plain);
	buf_release(&h->handshake.hello);
}

static void die(struct tls_half *h, struct connection *c, int from)
{
	if (h->state == TLS_START)
		c->is_other[from] = true;
	else
		c->has_gap[from] = true;
	h->state = TLS_DEAD;
	tls_half_release(h);
}

static bool header_is_record(const uint8_t header[5])
{
	uint16_t len = be16(header + 3);

	return header[0] >= CHANGE_CIPHER_SPEC && header[0] <= HEARTBEAT && header[1] == 3 &&
	       header[2] <= 4 && len <= RECORD_BYTES_MAX && (len || header[0] == APPLICATION_DATA);
}

/* Where a connection begins only a hello or an alert can stand. */
static bool may_begin(const struct tls_half *h, const uint8_t header[5])
{
	return header_is_record(header) &&
	       (h->is_midstream || header[0] == HANDSHAKE || header[0] == ALERT);
}

static void message_done(struct handshake_reader *r, struct connection *c, int from, int64_t now_ns)
{
	struct message m = { .first_ns = r->first_ns,
			     .time_ns = now_ns,
			     .bytes = r->bytes + 4,
			     .from = (uint8_t)from };

	handshake_add(c, &m, r->header[0], (const uint8_t *)r->hello.data, r->hello.len);
	if (c->decrypt)
		decrypt_message(c->decrypt, c, from, r->header[0]);
	r->header_have = 0;
	buf_clear(&r->hello);
}

static bool keeps_body(const struct handshake_reader *r)
{
	return (r->header[0] == CLIENT_HELLO || r->header[0] == SERVER_HELLO) &&
	       r->bytes <= HELLO_BYTES_MAX;
}

/* Returns how many bytes belonged to the message under way. */
static size_t feed_message(struct handshake_reader *r, const uint8_t *p, size_t len,
			   int64_t first_ns)
{
	size_t part;

	if (!r->header_have)
		r->first_ns = first_ns;
	if (r->header_have < 4) {
		r->header[r->header_have++] = p[0];
		if (r->header_have == 4)
			r->left = r->bytes = be24(r->header + 1);
		return 1;
	}
	part = len < r->left ? len : r->left;
	if (keeps_body(r))
		buf_put(&r->hello, p, part);
	r->left -= (uint32_t)part;
	return part;
}

/* Messages out of the content of one record. */
static void handshake_content(struct tls_half *h, struct connection *c, const struct message *m,
			      const uint8_t *p, size_t len)
{
	struct handshake_reader *r = &h->handshake;

	for (size_t pos = 0; pos < len;) {
		pos += feed_message(r, p + pos, len - pos, h->first_ns);
		if (r->header_have == 4 && !r->left)
			message_done(r, c, m->from, m->time_ns);
	}
}

static void handshake_record(struct tls_half *h, struct connection *c, struct message *m)
{
	const uint8_t *p = (const uint8_t *)h->record.data;
	bool either_side;

	/* Seen from the middle, or behind a lost ChangeCipherSpec, it may be encrypted too. */
	if (!h->handshake.header_have && h->record.len && !handshake_name(p[0], &either_side))
		h->changed_cipher = true;
	if (h->changed_cipher && !connection_is_13(c)) {
		m->bytes = h->record_bytes;
		handshake_add_encrypted(c, m);
		return;
	}
	handshake_content(h, c, m, p, h->record.len);
}

static void change_cipher(struct tls_half *h, struct connection *c, struct message *m)
{
	m->type = "change_cipher_spec";
	m->either_side = m->is_handshake = true;
	connection_add(c, m);
	h->changed_cipher = true;
	if (c->decrypt && !connection_is_13(c))
		decrypt_changed(c->decrypt, m->from);
}

/* Is it sealed, and do we have a key? */
static bool open_record(struct tls_half *h, struct connection *c, int from, uint8_t *type)
{
	bool sealed = connection_is_13(c) || !c->has_suite ? h->header[0] == APPLICATION_DATA
							   : h->changed_cipher;
	struct record_head head = { .type = h->header[0], .version = be16(h->header + 1) };

	if (!c->decrypt || !sealed || h->header[0] == CHANGE_CIPHER_SPEC)
		return false;
	h->plain.max = RECORD_BYTES_MAX + 1;
	h->plain.secret = true;
	if (!decrypt_record(c->decrypt, c, from, &head, (const uint8_t *)h->record.data,
			    h->record.len, &h->plain, type))
		return false;
	c->was_decrypted = true;
	return true;
}

static void opened_record(struct tls_half *h, struct connection *c, struct message *m, uint8_t type)
{
	const uint8_t *content = (const uint8_t *)h->plain.data;

	if (type == HANDSHAKE)
		handshake_content(h, c, m, content, h->plain.len);
	else if (type == ALERT)
		alert_add(c, m, content, h->plain.len, true);
	else if (type == APPLICATION_DATA)
		application_add(c, m);
	buf_clear(&h->plain);
}

static void record_done(struct tls_half *h, struct connection *c, int from, int64_t now_ns)
{
	struct message m = { .first_ns = h->first_ns,
			     .time_ns = now_ns,
			     .bytes = h->record_bytes,
			     .from = (uint8_t)from };
	const uint8_t *body = (const uint8_t *)h->record.data;
	uint8_t type;

	h->header_have = 0;
	if (h->record.failed)
		h->record.len = 0;
	if (open_record(h, c, from, &type)) {
		opened_record(h, c, &m, type);
		buf_clear(&h->record);
		return;
	}
	switch (h->header[0]) {
	case HANDSHAKE:
		handshake_record(h, c, &m);
		break;
	case ALERT:
		alert_add(c, &m, body, h->record.len, !h->changed_cipher || connection_is_13(c));
		break;
	case CHANGE_CIPHER_SPEC:
		change_cipher(h, c, &m);
		break;
	case APPLICATION_DATA:
		if (connection_is_13(c))
			protected_add(c, &m);
		else
			application_add(c, &m);
		break;
	}
	buf_clear(&h->record);
}

static void start_record(struct tls_half *h, struct connection *c)
{
	bool is_ssl2 = h->state == TLS_SSL2;
	bool is_under_way = h->handshake.header_have != 0;

	c->proto = CONN_TLS;
	h->record.max = is_ssl2 ? SSL2_RECORD_MAX : RECORD_BYTES_MAX;
	h->handshake.hello.max = HELLO_BYTES_MAX;
	buf_clear(&h->record);
	h->record_bytes = is_ssl2 ? be16(h->header) & 0x7fffu : be16(h->header + 3);
	h->record_left = h->record_bytes;
	/* Long connections keep no buffer: there are thousands of them. */
	if (!is_ssl2 && h->header[0] == APPLICATION_DATA && !is_under_way && !c->decrypt)
		tls_half_release(h);
	if (!is_ssl2)
		return;
	/* Its header is of two bytes: the other three are content. */
	buf_put(&h->record, h->header + 2, h->record_left < 3 ? h->record_left : 3);
	h->record_left -= h->record_left < 3 ? h->record_left : 3;
}

/* False when this is no record: nothing of this direction is read from here. */
static bool check_header(struct tls_half *h, struct connection *c)
{
	if (h->state == TLS_START && ssl2_begins(c, h->header))
		h->state = TLS_SSL2;
	else if (h->state == TLS_START && may_begin(h, h->header))
		h->state = TLS_RECORDS;
	else if (h->state == TLS_START ||
		 !(h->state == TLS_SSL2 ? h->header[0] & 0x80 : header_is_record(h->header)))
		return false;
	start_record(h, c);
	return true;
}

static size_t feed_body(struct tls_half *h, const struct connection *c, const uint8_t *p,
			size_t len)
{
	size_t part = len < h->record_left ? len : h->record_left;

	if (h->state == TLS_SSL2 || h->header[0] != APPLICATION_DATA || c->decrypt)
		buf_put(&h->record, p, part);
	h->record_left -= (uint32_t)part;
	return part;
}

static void finish_record(struct tls_half *h, struct connection *c, int from, int64_t now_ns)
{
	struct message m = { .first_ns = h->first_ns,
			     .time_ns = now_ns,
			     .bytes = h->record_bytes,
			     .from = (uint8_t)from };

	if (h->state != TLS_SSL2) {
		record_done(h, c, from, now_ns);
		return;
	}
	h->header_have = 0;
	ssl2_record(h, c, &m, (const uint8_t *)h->record.data, h->record.len);
	buf_clear(&h->record);
}

void tls_feed(struct tls_half *h, struct connection *c, int from, const uint8_t *p, size_t len,
	      int64_t now_ns)
{
	while (len && h->state != TLS_DEAD) {
		size_t part = 1;

		if (!h->header_have)
			h->first_ns = now_ns;
		if (h->header_have < sizeof(h->header)) {
			h->header[h->header_have++] = p[0];
			if (h->header_have == sizeof(h->header) && !check_header(h, c)) {
				h->header_have = 0;
				if (!h->is_midstream || h->state != TLS_START)
					die(h, c, from);
				return;
			}
		} else {
			part = feed_body(h, c, p, len);
		}
		p += part;
		len -= part;
		if (h->header_have == sizeof(h->header) && !h->record_left)
			finish_record(h, c, from, now_ns);
	}
}
