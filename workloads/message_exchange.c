/* SPDX-License-Identifier: Apache-2.0 */
/* message_exchange - a party that says the same text each time, and counts its times. */
#include "workloads/message_exchange.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/hex.h"
#include "workloads/message_replay.h"
#include "workloads/page_content.h"

static const struct message_profile *find_profile(const char *name, struct fail *f)
{
	const struct message_profile *p =
		name ? message_profile_by_name(name) : message_profile_default();
	struct buf all = { 0 };

	message_profile_names(&all);
	if (!p)
		fail_set(f, EINVAL, "there is no profile '%.40s' of messages; there are %s",
			 name ? name : "", buf_text(&all));
	buf_release(&all);
	return p;
}

static int write_text(struct message_exchange *e, int64_t bytes, const char *kind_name,
		      struct fail *f)
{
	enum page_kind kind = page_kind_by_name(kind_name);
	char *dst;

	if (kind == PAGE_KINDS || kind == PAGE_RANDOM)
		return fail_set(f, EINVAL, "a message holds a text, json or text, not \"%.40s\"",
				kind_name);
	if (bytes < 0 || bytes > MESSAGE_PAYLOAD_BYTES_MAX)
		return fail_set(f, EINVAL, "a message of %lld bytes: expected up to %d",
				(long long)bytes, MESSAGE_PAYLOAD_BYTES_MAX);
	dst = buf_reserve(&e->says.text, (size_t)bytes + 1);
	if (!dst)
		return fail_set(f, ENOMEM, "no memory for a text");
	page_fill(kind, dst, (size_t)bytes);
	e->says.text.len = (size_t)bytes;
	return 0;
}

static int open_party(struct message_exchange *e)
{
	if (message_open(&e->party))
		return -1;
	if (e->party.role != MESSAGE_SERVER || !e->party.profile->signer)
		return 0;
	e->remembers = message_replay_open(&e->party.fail) == 0;
	return e->remembers ? 0 : -1;
}

struct message_exchange *message_exchange_open(const struct message_params *p,
					       enum message_role role, int64_t payload_bytes,
					       const char *kind, struct fail *f)
{
	const struct message_profile *profile = find_profile(p->profile, f);
	struct message_exchange *e = profile ? calloc(1, sizeof *e) : NULL;

	if (!e) {
		fail_set(f, ENOMEM, "no memory for messages");
		return NULL;
	}
	e->party = (struct message_party){ .profile = profile,
					   .role = role,
					   .credential_dir = p->credential_dir };
	if (write_text(e, payload_bytes, kind, f) == 0) {
		if (open_party(e) == 0)
			return e;
		fail_set(f, e->party.fail.code, "%s", e->party.fail.text);
	}
	message_exchange_close(e);
	return NULL;
}

void message_exchange_close(struct message_exchange *e)
{
	if (!e)
		return;
	if (e->remembers)
		message_replay_close();
	message_close(&e->party);
	message_content_release(&e->says);
	message_content_release(&e->hears);
	free(e);
}

int message_exchange_say(struct message_exchange *e, struct buf *out)
{
	struct message_stages one = { 0 };

	buf_clear(out);
	if (message_secure(&e->party, &e->says, clock_wall_ns(), out, &one))
		return -1;
	message_tally_add(&e->tally, &one);
	return 0;
}

/* Only what has been verified is remembered, so nobody else can fill the memory. */
static int heard_first(struct message_exchange *e)
{
	uint8_t nonce[NONCE_BYTES];

	if (hex_decode(e->hears.id, sizeof nonce, nonce))
		return fail_set(&e->party.fail, EBADMSG, "an id that is no number");
	return message_replay_use(MESSAGE_EXCHANGE, nonce, clock_ns(), &e->party.fail);
}

int message_exchange_hear(struct message_exchange *e, const void *src, size_t len)
{
	struct message_stages one = { 0 };

	if (message_read(&e->party, src, len, clock_wall_ns(), &e->hears, &one) ||
	    (e->remembers && heard_first(e)))
		return -1;
	message_tally_add(&e->tally, &one);
	return 0;
}
