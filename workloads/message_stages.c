/* SPDX-License-Identifier: Apache-2.0 */
/* message_stages - the stages' names, and sums of their times. */
#include "workloads/message_stages.h"

const struct message_stage_row message_stage_rows[MESSAGE_STAGES] = {
	[MESSAGE_BUILD] = { "build", "build the message", false, false },
	[MESSAGE_CANONICALISE] = { "canonicalise", "canonicalise", false, false },
	[MESSAGE_DIGEST] = { "digest", "digest", false, true },
	[MESSAGE_SIGN] = { "sign", "sign (private key)", false, true },
	[MESSAGE_ENCRYPT_KEY] = { "encrypt_key", "encrypt the key", false, true },
	[MESSAGE_ENCRYPT_DATA] = { "encrypt_data", "encrypt the data", false, true },
	[MESSAGE_SERIALISE] = { "serialise", "serialise", false, false },
	[MESSAGE_SEND_REST] = { "send_rest", "rest", false, false },
	[MESSAGE_PARSE] = { "parse", "parse", true, false },
	[MESSAGE_HEADER] = { "header", "check the header", true, false },
	[MESSAGE_DECRYPT_KEY] = { "decrypt_key", "decrypt the key (private key)", true, true },
	[MESSAGE_DECRYPT_DATA] = { "decrypt_data", "decrypt the data", true, true },
	[MESSAGE_TRUST] = { "trust", "certificate trust", true, false },
	[MESSAGE_TIMESTAMP] = { "timestamp", "timestamp", true, false },
	[MESSAGE_CANONICALISE_AGAIN] = { "canonicalise_again", "canonicalise", true, false },
	[MESSAGE_DIGEST_AGAIN] = { "digest_again", "digest", true, true },
	[MESSAGE_VERIFY] = { "verify", "verify (public key)", true, true },
	[MESSAGE_READ_REST] = { "read_rest", "rest", true, false },
};

static void add(int64_t *sum, int64_t n)
{
	__atomic_store_n(sum, *sum + n, __ATOMIC_RELAXED);
}

static void add_side(struct message_stages *s, const struct message_stages *one, bool reads)
{
	for (int i = 0; i < MESSAGE_STAGES; i++)
		if (message_stage_rows[i].reads == reads)
			add(&s->ns[i], one->ns[i]);
	if (reads)
		add(&s->read, one->read);
	else
		add(&s->secured, one->secured);
}

void message_tally_add(struct message_tally *t, const struct message_stages *one)
{
	if (one->secured)
		add_side(t->warm_up.secured ? &t->measured : &t->warm_up, one, false);
	if (one->read)
		add_side(t->warm_up.read ? &t->measured : &t->warm_up, one, true);
}

static void copy(const struct message_stages *from, struct message_stages *to)
{
	for (int i = 0; i < MESSAGE_STAGES; i++)
		to->ns[i] = __atomic_load_n(&from->ns[i], __ATOMIC_RELAXED);
	to->secured = __atomic_load_n(&from->secured, __ATOMIC_RELAXED);
	to->read = __atomic_load_n(&from->read, __ATOMIC_RELAXED);
}

void message_tally_copy(const struct message_tally *from, struct message_tally *to)
{
	copy(&from->warm_up, &to->warm_up);
	copy(&from->measured, &to->measured);
}

void message_stages_add(struct message_stages *into, const struct message_stages *from)
{
	for (int i = 0; i < MESSAGE_STAGES; i++)
		into->ns[i] += from->ns[i];
	into->secured += from->secured;
	into->read += from->read;
}

void message_tally_merge(struct message_tally *into, const struct message_tally *from)
{
	message_stages_add(&into->warm_up, &from->warm_up);
	message_stages_add(&into->measured, &from->measured);
}

double message_stages_crypto(const struct message_stages *s)
{
	int64_t all_ns = 0, crypto_ns = 0;

	for (int i = 0; i < MESSAGE_STAGES; i++) {
		all_ns += s->ns[i];
		crypto_ns += message_stage_rows[i].crypto ? s->ns[i] : 0;
	}
	return all_ns > 0 ? (double)crypto_ns / (double)all_ns : 0;
}
