/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message - a secured message: signed, then encrypted, with the time in it; as SOAP with
 * WS-Security, or as COSE. A party of an exchange secures what it says and reads what it
 * is told; how long each step took is kept. It must not know the protocol that carries it.
 *
 * A party belongs to one thread.
 */
#ifndef WORKLOADS_MESSAGE_H
#define WORKLOADS_MESSAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/buf.h"
#include "lib/fail.h"
#include "workloads/message_stages.h"

/* What is said may be so long; a message around it is at most MESSAGE_BYTES_MAX. */
#define MESSAGE_CONTENT_BYTES_MAX (4 << 20)
#define MESSAGE_BYTES_MAX         (8 << 20)

/* A message is refused before it was made and after this long; clocks may differ by the skew. */
#define MESSAGE_VALID_S 300
#define MESSAGE_SKEW_S  60

#define MESSAGE_ID_BYTES 33 /* 32 hex digits */

enum message_role { MESSAGE_CLIENT, MESSAGE_SERVER };

struct message_ops;

struct message_profile {
	const char *name; /* NULL ends the table */
	const char *help;
	const struct message_ops *ops;
	const char *signer, *recipient; /* credential kinds by name; NULL: none is needed */
	/* WS-Security: algorithms by their URIs. */
	const char *signature, *digest, *key_transport, *cipher;
	bool legacy; /* of the study's time and weak: only where it is asked for by name */
};

/* What this program was built with; ends with name NULL. */
extern const struct message_profile message_profiles[];
const struct message_profile *message_profile_by_name(const char *name);
/* Appends "modern-ecdsa, modern-rsa, ...". */
void message_profile_names(struct buf *out);
/* The first that is not legacy and secures something. NULL: this program has none. */
const struct message_profile *message_profile_default(void);

/* What is said: the id of the exchange, which an answer repeats, and a text. */
struct message_content {
	char id[MESSAGE_ID_BYTES];
	struct buf text;
};

struct message_party {
	const struct message_profile *profile;
	enum message_role role;
	const char *credential_dir; /* NULL: the user's cache; both parties need its files */
	void *impl;
	struct fail fail;
};

struct message_ops {
	const char *content_type;
	int (*open)(struct message_party *p);
	void (*close)(struct message_party *p);
	int (*secure)(struct message_party *p, const struct message_content *c, int64_t wall_ns,
		      struct buf *out, struct message_stages *t);
	int (*read)(struct message_party *p, const void *src, size_t len, int64_t wall_ns,
		    struct message_content *c, struct message_stages *t);
};

/*
 * profile, role and credential_dir have been set. Finds or makes the credentials of both
 * sides; -1: the reason is in p->fail.
 */
int message_open(struct message_party *p);
void message_close(struct message_party *p); /* safe on a zeroed struct */

/*
 * Append the secured message to out. wall_ns: the time that stands in it. Stages are added
 * to t. -1: p->fail, which the next call clears.
 */
int message_secure(struct message_party *p, const struct message_content *c, int64_t wall_ns,
		   struct buf *out, struct message_stages *t);
/*
 * Replaces c. 0: what is in c has been said by the other role, to this one, at about
 * wall_ns. -1: p->fail says what was wrong, which is not for the other side to hear. A username
 * token is good once; a signed message is not remembered, and may come again while it is valid.
 */
int message_read(struct message_party *p, const void *src, size_t len, int64_t wall_ns,
		 struct message_content *c, struct message_stages *t);

void message_content_release(struct message_content *c);

/*
 * For formats: is a message of these seconds since 1970 to be believed at wall_ns? An
 * expiry beyond MESSAGE_VALID_S is not.
 */
int message_check_times(int64_t created_s, int64_t expires_s, int64_t wall_ns, struct fail *f);
/* For formats: 32 hex digits, and no more. */
bool message_id_valid(const char *id, size_t len);

extern const struct message_ops message_xml;       /* signed and encrypted SOAP */
extern const struct message_ops message_xml_token; /* SOAP with a username token */
extern const struct message_ops message_xml_plain; /* SOAP alone */
extern const struct message_ops message_cose;

#endif
