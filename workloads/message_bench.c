/* SPDX-License-Identifier: Apache-2.0 */
/* message_bench - runs the pairs and keeps their times; tables are in message_table.c. */
#include "workloads/message_bench.h"

#include <errno.h>
#include <string.h>

#include "lib/clock.h"
#include "workloads/message_exchange.h"

static const enum message_group group_of[MESSAGE_STAGES] = {
	[MESSAGE_BUILD] = MESSAGE_GROUP_SEND_REST,
	[MESSAGE_CANONICALISE] = MESSAGE_GROUP_SIGN,
	[MESSAGE_DIGEST] = MESSAGE_GROUP_SIGN,
	[MESSAGE_SIGN] = MESSAGE_GROUP_SIGN,
	[MESSAGE_ENCRYPT_KEY] = MESSAGE_GROUP_ENCRYPT,
	[MESSAGE_ENCRYPT_DATA] = MESSAGE_GROUP_ENCRYPT,
	[MESSAGE_SERIALISE] = MESSAGE_GROUP_SEND_REST,
	[MESSAGE_SEND_REST] = MESSAGE_GROUP_SEND_REST,
	[MESSAGE_PARSE] = MESSAGE_GROUP_READ_REST,
	[MESSAGE_HEADER] = MESSAGE_GROUP_TRUST,
	[MESSAGE_DECRYPT_KEY] = MESSAGE_GROUP_DECRYPT,
	[MESSAGE_DECRYPT_DATA] = MESSAGE_GROUP_DECRYPT,
	[MESSAGE_TRUST] = MESSAGE_GROUP_TRUST,
	[MESSAGE_TIMESTAMP] = MESSAGE_GROUP_TRUST,
	[MESSAGE_CANONICALISE_AGAIN] = MESSAGE_GROUP_VERIFY,
	[MESSAGE_DIGEST_AGAIN] = MESSAGE_GROUP_VERIFY,
	[MESSAGE_VERIFY] = MESSAGE_GROUP_VERIFY,
	[MESSAGE_READ_REST] = MESSAGE_GROUP_READ_REST,
};

static int init_direction(struct message_direction *d)
{
	for (int i = 0; i < MESSAGE_STAGES; i++)
		if (hist_init(&d->stage[i]))
			return -1;
	for (int i = 0; i < MESSAGE_GROUPS; i++)
		if (hist_init(&d->group[i]))
			return -1;
	return hist_init(&d->send) || hist_init(&d->read) ? -1 : 0;
}

static void release_direction(struct message_direction *d)
{
	for (int i = 0; i < MESSAGE_STAGES; i++)
		hist_release(&d->stage[i]);
	for (int i = 0; i < MESSAGE_GROUPS; i++)
		hist_release(&d->group[i]);
	hist_release(&d->send);
	hist_release(&d->read);
}

static void keep(struct message_direction *d, const struct message_stages *one)
{
	int64_t group_ns[MESSAGE_GROUPS] = { 0 }, send_ns = 0, read_ns = 0;

	for (int i = 0; i < MESSAGE_STAGES; i++) {
		hist_add(&d->stage[i], one->ns[i]);
		d->sum.ns[i] += one->ns[i];
		group_ns[group_of[i]] += one->ns[i];
		*(message_stage_rows[i].reads ? &read_ns : &send_ns) += one->ns[i];
	}
	d->sum.secured++;
	d->sum.read++;
	for (int i = 0; i < MESSAGE_GROUPS; i++)
		hist_add(&d->group[i], group_ns[i]);
	hist_add(&d->send, send_ns);
	hist_add(&d->read, read_ns);
}

/* One message from one to the other. d NULL: to warm up. */
static int send_one(struct message_exchange *from, struct message_exchange *to, struct buf *wire,
		    struct message_direction *d, struct fail *f)
{
	struct message_stages one = { 0 };

	buf_clear(wire);
	if (message_secure(&from->party, &from->says, clock_wall_ns(), wire, &one))
		return fail_set(f, from->party.fail.code, "%s", from->party.fail.text);
	if (message_read(&to->party, wire->data, wire->len, clock_wall_ns(), &to->hears, &one))
		return fail_set(f, to->party.fail.code, "%s", to->party.fail.text);
	if (!d)
		return 0;
	keep(d, &one);
	d->bytes = (int64_t)wire->len;
	return 0;
}

static int run_pairs(struct message_bench *b, struct message_exchange *client,
		     struct message_exchange *server, struct buf *wire, struct fail *f)
{
	static const char id[MESSAGE_ID_BYTES] = "00000000000000000000000000000000";

	memcpy(client->says.id, id, sizeof id);
	memcpy(server->says.id, id, sizeof id);
	for (int64_t n = -1; n < b->pairs; n++) {
		int64_t from_ns = clock_ns();

		if (send_one(client, server, wire, n < 0 ? NULL : &b->request, f) ||
		    send_one(server, client, wire, n < 0 ? NULL : &b->response, f))
			return -1;
		if (n < 0)
			b->warm_up_ns = clock_ns() - from_ns;
		else
			hist_add(&b->pair, clock_ns() - from_ns);
	}
	return 0;
}

int message_bench_run(struct message_bench *b, const struct message_params *p, int64_t pairs,
		      struct fail *f)
{
	struct message_exchange *client, *server = NULL;
	struct buf wire = { 0 };
	int ret = -1;

	*b = (struct message_bench){ .payload_bytes = p->payload_bytes, .pairs = pairs };
	if (init_direction(&b->request) || init_direction(&b->response) || hist_init(&b->pair))
		return fail_set(f, ENOMEM, "no memory for the times of stages");
	client = message_exchange_open(p, MESSAGE_CLIENT, p->payload_bytes, "json", f);
	if (client)
		server = message_exchange_open(p, MESSAGE_SERVER, p->payload_bytes, "json", f);
	if (server) {
		b->profile = client->party.profile->name;
		ret = run_pairs(b, client, server, &wire, f);
	}
	message_exchange_close(server);
	message_exchange_close(client);
	buf_release(&wire);
	return ret;
}

void message_bench_release(struct message_bench *b)
{
	release_direction(&b->request);
	release_direction(&b->response);
	hist_release(&b->pair);
}
