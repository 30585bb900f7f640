/* SPDX-License-Identifier: Apache-2.0 */
/*
 * speed_limit - the least that a full handshake of a suite can cost either side: the sum of
 * the primitives that the protocol makes it do.
 *
 * SUMMARY. A measured handshake costs more; the difference is the library's own book-keeping,
 * parsing of certificates, memory and, outside of memory, the system's. Counted is a full
 * handshake where only the server has a certificate, signed by an authority that the client
 * trusts, with a key of the same kind (as ours are), and which the client verifies:
 *
 *   what                      server            client            where
 *   (EC)DHE key pair          keygen            keygen            RFC 8446 4.2.8, RFC 8422 5.4, 5.7
 *   (EC)DHE secret            agree             agree             RFC 8446 7.4, RFC 8422 5.10
 *   a KEM instead             encaps            keygen, decaps    draft-ietf-tls-ecdhe-mlkem
 *   RSA key transport         private-key op    public-key op     RFC 5246 7.4.7.1
 *   handshake signature       sign              verify            RFC 8446 4.4.3, RFC 5246 7.4.3
 *   certificate's signature                     verify            RFC 5280 6.1.3
 *   transcript hash           hash, 1 KiB       hash, 1 KiB       RFC 8446 4.4.1, RFC 5246 7.4.9
 *   secrets, keys, Finished   HMACs             HMACs             RFC 8446 7.1, 7.3, 4.4.4; RFC
 * 5246 5, 6.3 protected messages        seal and open     seal and open     RFC 8446 5.2, RFC
 * 5246 6.2.3.3
 *
 * DETAILS. The private-key operation of RSA key transport is taken as a signature's, the public-key
 * one as a verification's: the same exponentiation with another padding. HMACs under
 * TLS 1.3 are counted in speed_limit.c; under TLS 1.2 the PRF costs two for each hash length
 * of its output. Messages are taken as 1 KiB of handshake, which a chain of one certificate
 * comes near. Protected are, under TLS 1.3, the server's flight (1 KiB) and the client's
 * Finished, under TLS 1.2 one Finished each way. Not counted: random numbers, tickets,
 * cookies, and the records of suites without AEAD.
 */
#ifndef CIPHERS_SPEED_LIMIT_H
#define CIPHERS_SPEED_LIMIT_H

#include "ciphers/speed.h"

#define LIMIT_PARTS_MAX 12

struct limit_part {
	struct operation what;
	int count;
	const char *why; /* "CertificateVerify, RFC 8446 section 4.4.3" */
	double us;       /* elapsed, of all count of them; filled by speed_handshake_limit() */
	double cpu_us;   /* the processor's, likewise */
};

struct limit {
	struct limit_part part[LIMIT_PARTS_MAX];
	int parts;
	/* Their sums; 0 for plain. The processor's time is the one that a busy machine spares. */
	double us, cpu_us;
};

/* What one side does; no figures yet. -1: something in the suite has no primitive: f. */
int speed_handshake_parts(const struct suite *s, enum role role, struct limit *l, struct fail *f);
/* Put it into the book, for both sides. -1: f, ENOMEM or as above. */
int speed_handshake_want(struct speed_book *b, const struct engine_ops *engine,
			 const struct suite *s, struct fail *f);
/* With the book's figures. -1: the engine lacks one of them, or it was not measured: f. */
int speed_handshake_limit(const struct suite *s, const struct engine_ops *engine, enum role role,
			  const struct speed_book *b, struct limit *l, struct fail *f);

#endif
