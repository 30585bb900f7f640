/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access_message - what is asked of the decision point, and what it answers.
 *
 * A request of model abac says who asks (the attributes of the digital key), where (those of
 * the access point) and in what surroundings: about 550 bytes of JSON. One of model rbac says
 * a role and an area. Both carry a nonce of their own and the time, against replay.
 */
#ifndef WORKLOADS_ACCESS_MESSAGE_H
#define WORKLOADS_ACCESS_MESSAGE_H

#include "workloads/access_codec.h"

#define ACCESS_REQUEST_BYTES_MAX 1536 /* longer ones are refused unread */
#define ACCESS_ANSWER_BYTES_MAX  2048
#define ACCESS_ID_BYTES          24
#define ACCESS_NAME_BYTES        32
#define ACCESS_NONCE_BYTES       16
#define ACCESS_KEY_BYTES         32
#define ACCESS_VERSION           1
#define ACCESS_TIME_MAX_MS       INT64_C(253402300799999) /* the end of the year 9999 */

struct access_user {
	char id[ACCESS_ID_BYTES];
	char role[ACCESS_NAME_BYTES];
	char department[ACCESS_NAME_BYTES];
	char employment[ACCESS_NAME_BYTES];
	char issuer[ACCESS_NAME_BYTES];        /* of the key */
	int64_t clearance;                     /* 0 to 9 */
	int64_t valid_from_ms, valid_until_ms; /* of the key; until is the first instant beyond */
	uint8_t key[ACCESS_KEY_BYTES];         /* thumbprint of the digital key */
};

struct access_point {
	char id[ACCESS_ID_BYTES];
	char area[ACCESS_NAME_BYTES];
	char building[ACCESS_NAME_BYTES];
	char kind[ACCESS_NAME_BYTES];
	int64_t floor;    /* -99 to 999 */
	int64_t security; /* 0 to 9 */
};

struct access_environment { /* each may be absent */
	int8_t emergency;
	int64_t occupancy;
	int64_t temperature_c;
	char direction[ACCESS_NAME_BYTES]; /* "in", "out" */
};

struct access_request {
	int64_t version;
	uint8_t nonce[ACCESS_NONCE_BYTES];
	int64_t time_ms; /* since 1970, UTC */
	struct access_user user;
	struct access_point point;
	struct access_environment environment;
};

enum access_outcome {
	ACCESS_ERROR, /* nothing was decided */
	ACCESS_PERMIT,
	ACCESS_DENY,
	ACCESS_NOT_APPLICABLE,
	ACCESS_OUTCOMES
};

/* Why, beside the rule: for programs. */
enum access_reason {
	ACCESS_BY_RULE,       /* permit, deny: rule says which */
	ACCESS_NO_RULE,       /* not_applicable */
	ACCESS_IN_DOUBT,      /* deny: a rule needs an attribute that is absent */
	ACCESS_UNKNOWN_USER,  /* deny */
	ACCESS_UNKNOWN_POINT, /* deny */
	ACCESS_REVOKED,       /* deny */
	ACCESS_EXPIRED,       /* deny: before or after the key's validity */
	ACCESS_DISABLED,      /* deny: the access point is out of use */
	ACCESS_MISMATCH,      /* deny: an attribute is not what the records say */
	ACCESS_MALFORMED,     /* error, 400 */
	ACCESS_TOO_LARGE,     /* error, 413 */
	ACCESS_STALE,         /* error, 409: its time is too far from the server's */
	ACCESS_REPLAY,        /* error, 409: the nonce was used */
	ACCESS_BUSY,          /* error, 503: no more nonces can be kept */
	ACCESS_NO_RECORDS,    /* error, 500: users or points cannot be read */
	ACCESS_NO_AUDIT,      /* error, 503: the audit log cannot be written */
	ACCESS_REASONS
};

struct access_answer {
	int outcome;                       /* enum access_outcome */
	int reason;                        /* enum access_reason */
	uint8_t nonce[ACCESS_NONCE_BYTES]; /* the request's; zeros when it was not understood */
	char rule[3 * ACCESS_NAME_BYTES];  /* "policy/rule" */
	struct access_list obligations;
	char detail[128]; /* error: for people */
};

extern const char *const access_outcome_name[ACCESS_OUTCOMES + 1];
extern const char *const access_reason_name[ACCESS_REASONS + 1];
/* The HTTP status of an answer; protocols/coap translates it. */
int access_status(const struct access_answer *a);

extern const struct access_field access_request_fields[ACCESS_MODELS][16];
extern const struct access_field access_answer_fields[];

/*
 * A request that is right in itself: decoded, of this version. -1: f; the nonce is there when
 * it could be read, zeros else.
 */
int access_request_read(enum access_encoding e, enum access_model m, const void *src, size_t len,
			struct access_request *q, struct fail *f);

#endif
