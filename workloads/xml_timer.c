/* SPDX-License-Identifier: Apache-2.0 */
/* xml_timer - a transform that hands everything on and adds up how long that took. */
#include "workloads/xml_timer.h"

#include <stddef.h>

#include "lib/clock.h"

struct timer {
	xmlSecTransform base; /* first: xmlsec allocates objSize bytes of it */
	int64_t *sum_ns;
};

static int push_bin(xmlSecTransformPtr t, const xmlSecByte *data, xmlSecSize len, int final,
		    xmlSecTransformCtxPtr ctx)
{
	int64_t from_ns = clock_ns();
	int ret = xmlSecTransformPushBin(t->next, data, len, final, ctx);

	*((struct timer *)t)->sum_ns += clock_ns() - from_ns;
	if (ret == 0)
		t->status = final ? xmlSecTransformStatusFinished : xmlSecTransformStatusWorking;
	return ret;
}

static int push_xml(xmlSecTransformPtr t, xmlSecNodeSetPtr nodes, xmlSecTransformCtxPtr ctx)
{
	int64_t from_ns = clock_ns();
	int ret = xmlSecTransformPushXml(t->next, nodes, ctx);

	*((struct timer *)t)->sum_ns += clock_ns() - from_ns;
	if (ret == 0)
		t->status = xmlSecTransformStatusFinished;
	return ret;
}

static const xmlSecTransformKlass bin_timer = {
	.klassSize = sizeof(xmlSecTransformKlass),
	.objSize = sizeof(struct timer),
	.name = BAD_CAST "timer",
	.getDataType = xmlSecTransformDefaultGetDataType,
	.pushBin = push_bin,
};

static const xmlSecTransformKlass xml_timer = {
	.klassSize = sizeof(xmlSecTransformKlass),
	.objSize = sizeof(struct timer),
	.name = BAD_CAST "timer",
	.getDataType = xmlSecTransformDefaultGetDataType,
	.pushXml = push_xml,
};

/* Between left and right; one of them may be NULL, at an end of the chain. */
static int put_between(xmlSecTransformCtxPtr ctx, xmlSecTransformPtr left, xmlSecTransformPtr right,
		       const xmlSecTransformKlass *klass, int64_t *sum_ns)
{
	xmlSecTransformPtr t = xmlSecTransformCreate(klass);

	if (!t)
		return -1;
	((struct timer *)t)->sum_ns = sum_ns;
	t->prev = left;
	t->next = right;
	if (left)
		left->next = t;
	else
		ctx->first = t;
	if (right)
		right->prev = t;
	return 0;
}

static xmlSecTransformPtr find_algorithm(xmlSecTransformCtxPtr ctx)
{
	const xmlSecTransformUsage usages = xmlSecTransformUsageDigestMethod |
					    xmlSecTransformUsageSignatureMethod |
					    xmlSecTransformUsageEncryptionMethod;
	xmlSecTransformPtr t = ctx->first;

	while (t && !(t->id->usage & usages))
		t = t->next;
	return t;
}

/* xmlsec has connected the whole chain, and there is a buffer at its end. */
static int put_timers(xmlSecTransformCtxPtr ctx, struct xml_chain *sums)
{
	xmlSecTransformPtr algorithm = find_algorithm(ctx), first = ctx->first;

	if (!algorithm || !algorithm->next)
		return -1;
	if (put_between(ctx, algorithm, algorithm->next, &bin_timer, &sums->behind_ns) ||
	    put_between(ctx, algorithm->prev, algorithm, &bin_timer, &sums->before_ns))
		return -1;
	if (first != algorithm && first->id->pushXml &&
	    (xmlSecTransformGetDataType(first, xmlSecTransformModePush, ctx) &
	     xmlSecTransformDataTypeXml))
		return put_between(ctx, NULL, first, &xml_timer, &sums->whole_ns);
	return 0;
}

static int on_main(xmlSecTransformCtxPtr ctx)
{
	return put_timers(ctx, &((struct xml_timing *)ctx->userData)->main);
}

/* A reference's transforms have no user data of ours; its signature has. */
static int on_reference(xmlSecTransformCtxPtr ctx)
{
	xmlSecDSigReferenceCtxPtr r =
		(xmlSecDSigReferenceCtxPtr)(void *)((char *)ctx -
						    offsetof(xmlSecDSigReferenceCtx, transformCtx));

	return put_timers(ctx, &((struct xml_timing *)r->dsigCtx->userData)->reference);
}

void xml_timer_watch_signature(xmlSecDSigCtxPtr ctx, struct xml_timing *timing)
{
	ctx->userData = timing;
	ctx->transformCtx.userData = timing;
	ctx->transformCtx.preExecCallback = on_main;
	ctx->referencePreExecuteCallback = on_reference;
}

void xml_timer_watch_encryption(xmlSecEncCtxPtr ctx, struct xml_timing *timing)
{
	ctx->transformCtx.userData = timing;
	ctx->transformCtx.preExecCallback = on_main;
}

int64_t xml_chain_algorithm_ns(const struct xml_chain *c)
{
	return c->before_ns - c->behind_ns;
}

int64_t xml_chain_canonicalise_ns(const struct xml_chain *c)
{
	return c->whole_ns - c->before_ns;
}
