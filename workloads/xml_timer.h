/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml_timer - how long the transforms inside one call of xmlsec took. xmlsec pushes
 * bytes through a chain: canonicalise, digest; canonicalise, sign; encrypt, base64. Transforms
 * of ours that only look at the clock are put in between.
 *
 * What stays together: verifying a signature's value is done by xmlsec outside of any chain,
 * together with reading the nodes; it is the call's time less that of its chains.
 */
#ifndef WORKLOADS_XML_TIMER_H
#define WORKLOADS_XML_TIMER_H

#include <stdint.h>
#include <xmlsec/xmlsec.h>
/* behind xmlsec.h */
#include <xmlsec/transforms.h>
#include <xmlsec/xmldsig.h>
#include <xmlsec/xmlenc.h>

struct xml_chain {
	int64_t whole_ns;  /* of chains that begin with nodes: canonicalising and what follows */
	int64_t before_ns; /* the algorithm and what follows it */
	int64_t behind_ns; /* what follows it: base64, the result's buffer */
};

struct xml_timing {
	struct xml_chain reference; /* what is signed: all references together */
	struct xml_chain main;      /* SignedInfo, or what is encrypted */
};

/* Time everything that ctx will do from now on; timing is borrowed as long as ctx lives. */
void xml_timer_watch_signature(xmlSecDSigCtxPtr ctx, struct xml_timing *timing);
void xml_timer_watch_encryption(xmlSecEncCtxPtr ctx, struct xml_timing *timing);

/* Of a chain: the algorithm alone; and canonicalising alone. */
int64_t xml_chain_algorithm_ns(const struct xml_chain *c);
int64_t xml_chain_canonicalise_ns(const struct xml_chain *c);

#endif
