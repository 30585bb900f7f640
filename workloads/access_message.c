/* SPDX-License-Identifier: Apache-2.0 */
/* access_message - the tables of fields, and the words and codes of answers. */
#include "workloads/access_message.h"

#include <stdio.h>

#define AT(STRUCT, FIELD) \
	.offset = offsetof(struct STRUCT, FIELD), .size = sizeof(((struct STRUCT *)0)->FIELD)
#define TIME .min = 0, .max = ACCESS_TIME_MAX_MS

const char *const access_outcome_name[ACCESS_OUTCOMES + 1] = {
	[ACCESS_ERROR] = "error",
	[ACCESS_PERMIT] = "permit",
	[ACCESS_DENY] = "deny",
	[ACCESS_NOT_APPLICABLE] = "not_applicable",
};

const char *const access_reason_name[ACCESS_REASONS + 1] = {
	[ACCESS_BY_RULE] = "rule",
	[ACCESS_NO_RULE] = "no_rule",
	[ACCESS_IN_DOUBT] = "in_doubt",
	[ACCESS_UNKNOWN_USER] = "unknown_user",
	[ACCESS_UNKNOWN_POINT] = "unknown_point",
	[ACCESS_REVOKED] = "revoked",
	[ACCESS_EXPIRED] = "expired",
	[ACCESS_DISABLED] = "disabled",
	[ACCESS_MISMATCH] = "mismatch",
	[ACCESS_MALFORMED] = "malformed",
	[ACCESS_TOO_LARGE] = "too_large",
	[ACCESS_STALE] = "stale",
	[ACCESS_REPLAY] = "replay",
	[ACCESS_BUSY] = "busy",
	[ACCESS_NO_RECORDS] = "no_records",
	[ACCESS_NO_AUDIT] = "no_audit",
};

static const int status_of_error[ACCESS_REASONS] = {
	[ACCESS_MALFORMED] = 400, [ACCESS_TOO_LARGE] = 413, [ACCESS_STALE] = 409,
	[ACCESS_REPLAY] = 409,    [ACCESS_BUSY] = 503,      [ACCESS_NO_RECORDS] = 500,
	[ACCESS_NO_AUDIT] = 503,
};

int access_status(const struct access_answer *a)
{
	static const int status[ACCESS_OUTCOMES] = {
		[ACCESS_PERMIT] = 200,
		[ACCESS_DENY] = 403,
		[ACCESS_NOT_APPLICABLE] = 404,
	};

	return a->outcome == ACCESS_ERROR ? status_of_error[a->reason] : status[a->outcome];
}

static const struct access_field user_fields[] = {
	{ "id", 0, FIELD_TEXT, AT(access_request, user.id), .required = true },
	{ "role", 1, FIELD_TEXT, AT(access_request, user.role), .required = true },
	{ "department", 2, FIELD_TEXT, AT(access_request, user.department), .required = true },
	{ "employment", 3, FIELD_TEXT, AT(access_request, user.employment), .required = true },
	{ "clearance", 4, FIELD_INTEGER, AT(access_request, user.clearance), .max = 9,
	  .required = true },
	{ "key_valid_from", 5, FIELD_INTEGER, AT(access_request, user.valid_from_ms), TIME,
	  .required = true },
	{ "key_valid_until", 6, FIELD_INTEGER, AT(access_request, user.valid_until_ms), TIME,
	  .required = true },
	{ "key_issuer", 8, FIELD_TEXT, AT(access_request, user.issuer), .required = true },
	{ "key_thumbprint", 7, FIELD_BYTES, AT(access_request, user.key), .required = true },
	{ 0 },
};

static const struct access_field point_fields[] = {
	{ "id", 0, FIELD_TEXT, AT(access_request, point.id), .required = true },
	{ "area", 1, FIELD_TEXT, AT(access_request, point.area), .required = true },
	{ "building", 2, FIELD_TEXT, AT(access_request, point.building), .required = true },
	{ "floor", 3, FIELD_INTEGER, AT(access_request, point.floor), .min = -99, .max = 999,
	  .required = true },
	{ "kind", 4, FIELD_TEXT, AT(access_request, point.kind), .required = true },
	{ "security", 5, FIELD_INTEGER, AT(access_request, point.security), .max = 9,
	  .required = true },
	{ 0 },
};

static const struct access_field environment_fields[] = {
	{ "emergency", 0, FIELD_BOOL, AT(access_request, environment.emergency) },
	{ "occupancy", 1, FIELD_INTEGER, AT(access_request, environment.occupancy),
	  .max = 1000000 },
	{ "temperature", 2, FIELD_INTEGER, AT(access_request, environment.temperature_c),
	  .min = -100, .max = 200 },
	{ "direction", 3, FIELD_TEXT, AT(access_request, environment.direction) },
	{ 0 },
};

#define EVERY_REQUEST                                                                         \
	{ "version",                                                                          \
	  0,                                                                                  \
	  FIELD_INTEGER,                                                                      \
	  AT(access_request, version),                                                        \
	  .min = ACCESS_VERSION,                                                              \
	  .max = ACCESS_VERSION,                                                              \
	  .required = true },                                                                 \
		{ "nonce", 1, FIELD_BYTES, AT(access_request, nonce), .required = true },     \
	{                                                                                     \
		"time", 2, FIELD_INTEGER, AT(access_request, time_ms), TIME, .required = true \
	}

const struct access_field access_request_fields[ACCESS_MODELS][16] = {
	[ACCESS_ABAC] = {
		EVERY_REQUEST,
		{ "user", 3, FIELD_MAP, .fields = user_fields, .required = true },
		{ "point", 4, FIELD_MAP, .fields = point_fields, .required = true },
		{ "environment", 5, FIELD_MAP, .fields = environment_fields },
		{ 0 },
	},
	[ACCESS_RBAC] = {
		EVERY_REQUEST,
		{ "role", 3, FIELD_TEXT, AT(access_request, user.role), .required = true },
		{ "area", 4, FIELD_TEXT, AT(access_request, point.area), .required = true },
		{ 0 },
	},
};

const struct access_field access_answer_fields[] = {
	{ "decision", 0, FIELD_WORD, AT(access_answer, outcome), .words = access_outcome_name,
	  .required = true },
	{ "nonce", 1, FIELD_BYTES, AT(access_answer, nonce), .required = true },
	{ "reason", 2, FIELD_WORD, AT(access_answer, reason), .words = access_reason_name,
	  .required = true },
	{ "rule", 3, FIELD_TEXT, AT(access_answer, rule) },
	{ "obligations", 4, FIELD_LIST, AT(access_answer, obligations) },
	{ "detail", 5, FIELD_TEXT, AT(access_answer, detail) },
	{ 0 },
};

int access_request_read(enum access_encoding e, enum access_model m, const void *src, size_t len,
			struct access_request *q, struct fail *f)
{
	*q = (struct access_request){ 0 };
	access_blank(access_request_fields[ACCESS_ABAC], q);
	return access_decode(e, access_request_fields[m], src, len, q, f);
}
