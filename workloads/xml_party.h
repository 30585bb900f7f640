/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml_party - a party of an exchange of signed and encrypted SOAP messages: its keys, and
 * the two halves of what it does. Internal to xml_*.c.
 */
#ifndef WORKLOADS_XML_PARTY_H
#define WORKLOADS_XML_PARTY_H

#include "ciphers/object_crypto.h"
#include "workloads/message.h"
#include "workloads/xml_document.h"
#include "workloads/xml_timer.h"
/* behind xml_timer.h */
#include <xmlsec/keys.h>

struct xml_party {
	xmlSecKeyPtr sign, decrypt, peer; /* own, own, and whom it encrypts for */
	xmlSecTransformId signature, digest, key_transport, cipher;
	xmlSecKeyDataId session_kind;
	xmlSecSize session_bits;
	struct object_certificate certificate; /* goes with each message */
	struct object_certificate own_recipient, peer_recipient;
	struct object_trust *trust;
	struct buf scratch; /* kept between messages */
};

/* Once in a process; any thread. -1: the libraries cannot be used. */
int xml_library(struct fail *f);

/* The same key for xmlsec, the caller's. NULL: no memory, or no kind that xmlsec knows. */
xmlSecKeyPtr xml_key(const struct object_key *k);

/* A message's elements, each of which has been seen to be where it belongs. */
struct xml_shape {
	xmlNodePtr body, timestamp, created, expires, token, key, signature, data;
};

/*
 * The shape of a secured message with exactly what the profile wants, algorithms and
 * references included; Body and Timestamp are the only ones that ids lead to afterwards.
 */
int xml_shape_read(xmlDocPtr doc, const struct message_party *p, struct xml_shape *s,
		   struct fail *f);
/* Envelope with Body and, where security is not NULL, one Security header. */
int xml_shape_soap(xmlDocPtr doc, xmlNodePtr *security, xmlNodePtr *body, struct fail *f);

/* Body's only element, of ours, into c. */
int xml_take_message(xmlNodePtr body, struct message_content *c, struct fail *f);
/* "<c:Message ...>text</c:Message>". */
int xml_put_message(const struct message_content *c, struct buf *out, struct fail *f);
/* Seconds since 1970 of "2026-12-01T02:03:04Z", with or without a fraction of a second. */
int xml_read_time(const char *text, int64_t *s, struct fail *f);

/* The slots of message_xml. */
int xml_secure(struct message_party *p, const struct message_content *c, int64_t wall_ns,
	       struct buf *out, struct message_stages *t);
int xml_read(struct message_party *p, const void *src, size_t len, int64_t wall_ns,
	     struct message_content *c, struct message_stages *t);

#endif
