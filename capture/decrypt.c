/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/decrypt.h"

#include <string.h>

#include "capture/connection.h"
#include "capture/hello.h"

#define END_OF_EARLY_DATA 5
#define KEY_UPDATE        24

enum stage { STAGE_EARLY, STAGE_HANDSHAKE, STAGE_APPLICATION, STAGES };

/* By side (client, server) and stage. */
static const enum keylog_label labels[2][STAGES] = {
	{ KEYLOG_CLIENT_EARLY, KEYLOG_CLIENT_HANDSHAKE, KEYLOG_CLIENT_TRAFFIC },
	{ KEYLOG_LABELS, KEYLOG_SERVER_HANDSHAKE, KEYLOG_SERVER_TRAFFIC },
};

/* Ciphers of TLS 1.3, for early data that passes before one is agreed on. */
static const uint16_t ciphers_13[] = { 0x1301, 0x1302, 0x1303, 0x1304, 0x1305, 0 };

static void drop_key(struct decrypt_half *h)
{
	record_key_free(h->key);
	h->key = NULL;
	h->seq = 0;
}

void decrypt_release(struct decrypt *d)
{
	for (int i = 0; i < 2; i++) {
		drop_key(&d->half[i]);
		explicit_bzero(d->half[i].secret, sizeof(d->half[i].secret));
	}
}

static bool opens(struct decrypt_half *h, const struct record_head *head, const uint8_t *body,
		  size_t len, struct buf *plain, uint8_t *type)
{
	uint8_t *dst;
	size_t got;

	buf_clear(plain);
	dst = buf_reserve(plain, len + 1);
	if (!h->key || !dst || record_key_open(h->key, head, body, len, dst, &got, type) < 0)
		return false;
	plain->len = got;
	h->seq++;
	return true;
}

/* --- TLS 1.3 -------------------------------------------------------------- */

static bool take_key(struct decrypt_half *h, const struct cipher *cipher)
{
	drop_key(h);
	h->cipher = cipher;
	h->key = cipher ? record_key_13(cipher, h->secret, h->secret_bytes) : NULL;
	return h->key != NULL;
}

static bool take_secret(struct decrypt *d, const struct connection *c, int from)
{
	struct decrypt_half *h = &d->half[from];
	enum keylog_label label = labels[from != connection_client(c)][h->stage];
	const struct keylog_entry *e =
		label == KEYLOG_LABELS ? NULL : keylog_find(d->keys, label, c->random[0]);

	if (!e)
		return false;
	memcpy(h->secret, e->secret, e->secret_bytes);
	h->secret_bytes = e->secret_bytes;
	return true;
}

/* Before a ServerHello any cipher may be the one of the earlier connection. */
static bool open_early(struct decrypt_half *h, struct record_head *head, const uint8_t *body,
		       size_t len, struct buf *plain, uint8_t *type)
{
	for (int i = 0; ciphers_13[i]; i++) {
		const struct cipher *cipher = cipher_by_id(ciphers_13[i]);

		head->seq = 0;
		if (cipher && take_key(h, cipher) && opens(h, head, body, len, plain, type))
			return true;
	}
	drop_key(h);
	return false;
}

/* With the key of this stage, or of a later one: early data may have been refused. */
static bool open_13(struct decrypt *d, const struct connection *c, int from,
		    struct record_head *head, const uint8_t *body, size_t len, struct buf *plain,
		    uint8_t *type)
{
	struct decrypt_half *h = &d->half[from];

	if (!h->key && h->stage == STAGE_EARLY &&
	    (from != connection_client(c) || !c->early_data_offered))
		h->stage = STAGE_HANDSHAKE;
	for (; h->stage < STAGES; h->stage++, drop_key(h)) {
		head->seq = h->seq;
		if (h->key && opens(h, head, body, len, plain, type))
			return true;
		if (h->seq > 0 && h->stage != STAGE_EARLY)
			break;
		if (!h->key && take_secret(d, c, from)) {
			if (!c->has_suite && h->stage == STAGE_EARLY)
				return open_early(h, head, body, len, plain, type);
			head->seq = 0;
			if (take_key(h, cipher_by_id((uint16_t)c->suite)) &&
			    opens(h, head, body, len, plain, type))
				return true;
		}
		if (h->stage != STAGE_EARLY || !c->has_suite)
			break;
	}
	return false;
}

/* --- up to TLS 1.2 -------------------------------------------------------- */

static bool take_master(struct decrypt *d, const struct connection *c, int from)
{
	struct decrypt_half *h = &d->half[from];
	const struct keylog_entry *e = keylog_find(d->keys, KEYLOG_MASTER, c->random[0]);
	const struct cipher *cipher = cipher_by_id((uint16_t)c->suite);

	if (!e || !cipher || e->secret_bytes != RECORD_MASTER_BYTES || !c->has_random[1])
		return false;
	h->key = record_key_12(cipher, e->secret, c->random[0], c->random[1],
			       from == connection_client(c));
	return h->key != NULL;
}

static bool open_12(struct decrypt *d, const struct connection *c, int from,
		    struct record_head *head, const uint8_t *body, size_t len, struct buf *plain,
		    uint8_t *type)
{
	struct decrypt_half *h = &d->half[from];

	if (c->version != VERSION_TLS12 && c->version != VERSION_DTLS12)
		return false;
	if (!h->key && !take_master(d, c, from))
		return false;
	if (c->proto == CONN_TLS)
		head->seq = h->seq;
	return opens(h, head, body, len, plain, type);
}

/* -------------------------------------------------------------------------- */

bool decrypt_record(struct decrypt *d, const struct connection *c, int from,
		    const struct record_head *head, const uint8_t *body, size_t len,
		    struct buf *plain, uint8_t *type)
{
	struct decrypt_half *h = &d->half[from];
	struct record_head now = *head;
	bool is_13 = connection_is_13(c) || (!c->has_suite && c->early_data_offered);
	bool done;

	if (h->lost || !c->has_random[0] || len == 0)
		return false;
	done = is_13 ? open_13(d, c, from, &now, body, len, plain, type)
		     : open_12(d, c, from, &now, body, len, plain, type);
	d->opened += done;
	/* Numbers count on: behind one that is missed nothing would open. Datagrams carry theirs.
	 */
	if (!done && c->proto == CONN_TLS && c->has_suite && h->seq > 0)
		h->lost = true;
	return done;
}

/* A second one begins keys of a handshake inside: that handshake's hellos were not read. */
void decrypt_changed(struct decrypt *d, int from)
{
	struct decrypt_half *h = &d->half[from];

	if (h->changed && h->key)
		h->lost = true;
	h->changed = true;
}

void decrypt_message(struct decrypt *d, const struct connection *c, int from, uint8_t type)
{
	struct decrypt_half *h = &d->half[from];

	if (!connection_is_13(c))
		return;
	if ((type == FINISHED && h->stage == STAGE_HANDSHAKE) ||
	    (type == END_OF_EARLY_DATA && h->stage == STAGE_EARLY)) {
		h->stage++;
		drop_key(h);
	} else if (type == KEY_UPDATE && h->key && h->stage == STAGE_APPLICATION) {
		if (record_secret_next(h->cipher, h->secret, h->secret_bytes) < 0 ||
		    !take_key(h, h->cipher))
			h->lost = true;
	}
}
