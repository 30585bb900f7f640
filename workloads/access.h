/* SPDX-License-Identifier: Apache-2.0 */
/*
 * access - settings of the access-control workload, both halves.
 *
 * A client asks whether a user may pass an access point: POST /access. The attributes of a
 * user and an access point travel with the request, as with the digital keys of ABACS
 * (doi 10.21203/rs.3.rs-4630516/v1), or an area and a role only, as in the role-based
 * system that it is compared with.
 */
#ifndef WORKLOADS_ACCESS_H
#define WORKLOADS_ACCESS_H

#include <stdbool.h>
#include <stdint.h>

#define ACCESS_TARGET "/access"

enum access_encoding { ACCESS_JSON, ACCESS_CBOR, ACCESS_ENCODINGS };
enum access_model {
	ACCESS_ABAC, /* attributes of user, access point and environment */
	ACCESS_RBAC, /* area and role alone */
	ACCESS_MODELS
};
enum access_durability {
	ACCESS_NONE, /* written when a block is full, and at the end; nothing is promised */
	/*
	 * On the disk batch_ns and one fdatasync behind the answer: what was answered in so short a
	 * time before the process or the machine dies is lost.
	 */
	ACCESS_BATCHED,
	ACCESS_EACH, /* on the disk before the answer leaves */
	ACCESS_DURABILITIES
};

/* Each ends with NULL. */
extern const char *const access_encoding_name[ACCESS_ENCODINGS + 1];      /* "json", "cbor" */
extern const char *const access_model_name[ACCESS_MODELS + 1];            /* "abac", "rbac" */
extern const char *const access_durability_name[ACCESS_DURABILITIES + 1]; /* "none", ... */
extern const char *const access_content_type[ACCESS_ENCODINGS];

/*
 * The encoding of a content type, as a header has it; false: it is none of ours, or NULL.
 * Parameters behind the type say nothing here: both encodings have one character set.
 */
bool access_encoding_of(const char *content_type, enum access_encoding *e);

/* The server's half. Zeroed: the built-in policy, ACCESS_USERS generated users, no audit log. */
struct access_params {
	const char *policy_file; /* YAML; NULL: the built-in policy */
	const char *users_file;  /* SQLite: users and access points; NULL: generated */
	int64_t users;           /* generated, when there is no file; 0: ACCESS_USERS */
	const char *audit_file;  /* every decision; NULL: none is kept */
	enum access_durability durability;
	int64_t batch_ns; /* ACCESS_BATCHED; 0: ACCESS_BATCH_NS */
	enum access_model model;
	int64_t skew_ns;          /* that a request's time may be off; 0: ACCESS_SKEW_NS */
	int64_t (*wall_ns)(void); /* NULL: clock_wall_ns(); for tests */
};

/* The client's half: the same generated users, asking at random among themselves. */
struct access_asking {
	enum access_encoding encoding;
	enum access_model model;
	int64_t users; /* 0: ACCESS_USERS */
	uint64_t seed; /* who asks where */
	int64_t (*wall_ns)(void);
};

#define ACCESS_USERS     1000
#define ACCESS_USERS_MAX 10000000
#define ACCESS_BATCH_NS  INT64_C(10000000)
#define ACCESS_SKEW_NS   INT64_C(10000000000)

#endif
