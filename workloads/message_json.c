/* SPDX-License-Identifier: Apache-2.0 */
/* message_json - one object for each side, keys by the stages' names. */
#include "workloads/message_json.h"

static json_t *stages_json(const struct message_stages *s)
{
	json_t *o = json_object();

	for (int i = 0; i < MESSAGE_STAGES; i++)
		json_object_set_new(o, message_stage_rows[i].name, json_integer(s->ns[i]));
	return o;
}

static json_int_t side_ns(const struct message_stages *s, bool reads)
{
	json_int_t sum_ns = 0;

	for (int i = 0; i < MESSAGE_STAGES; i++)
		sum_ns += message_stage_rows[i].reads == reads ? s->ns[i] : 0;
	return sum_ns;
}

json_t *message_tally_json(const struct message_tally *t)
{
	bool any = t->measured.secured || t->measured.read;

	return json_pack("{s:I, s:I, s:I, s:I, s:o, s:o, s:{s:I, s:I, s:o}}", "secured",
			 (json_int_t)t->measured.secured, "read", (json_int_t)t->measured.read,
			 "secure_ns", side_ns(&t->measured, false), "read_ns",
			 side_ns(&t->measured, true), "crypto_share",
			 any ? json_real(message_stages_crypto(&t->measured)) : json_null(),
			 "stages_ns", stages_json(&t->measured), "warm_up", "secured",
			 (json_int_t)t->warm_up.secured, "read", (json_int_t)t->warm_up.read,
			 "stages_ns", stages_json(&t->warm_up));
}
