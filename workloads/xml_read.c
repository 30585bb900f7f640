/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml_read - a secured SOAP message from the wire: parsed, its shape judged, decrypted, its
 * signer and time judged, its signature verified; only then is its text handed on. The
 * signature's key is that of the token, which our own authorities must vouch for: xmlsec is
 * given it and looks for none itself.
 */
#include <errno.h>
#include <string.h>

#include "lib/calendar.h"
#include "lib/clock.h"
#include "workloads/xml_names.h"
#include "workloads/xml_party.h"
/* behind xml_party.h */
#include <xmlsec/buffer.h>
#include <xmlsec/crypto.h>

static const struct xml_expected in_body[] = { { XML_MESSAGE, "Message", false }, { 0 } };

/* --- time ----------------------------------------------------------------------------- */

int xml_read_time(const char *text, int64_t *s, struct fail *f)
{
	const char *at = text, *end = text + strlen(text);
	size_t digits;

	if (!calendar_read_time(&at, end, s) || *s < 0)
		return fail_set(f, EBADMSG, "no time that there is: %.40s", text);
	if (*at == '.') {
		digits = strspn(at + 1, "0123456789");
		at += digits > 0 && digits <= 9 ? digits + 1 : 0;
	}
	return strcmp(at, "Z") == 0 ? 0 : fail_set(f, EBADMSG, "no time in UTC: %.40s", text);
}

static int take_time(const xmlNode *node, int64_t *s, struct fail *f)
{
	struct buf text = { 0 };
	int ret = xml_text(node, &text, f);

	if (ret == 0)
		ret = xml_read_time(buf_text(&text), s, f);
	buf_release(&text);
	return ret;
}

static int check_times(const struct xml_shape *s, int64_t wall_ns, struct fail *f)
{
	int64_t created_s, expires_s;

	if (take_time(s->created, &created_s, f) || take_time(s->expires, &expires_s, f))
		return -1;
	return message_check_times(created_s, expires_s, wall_ns, f);
}

/* --- decrypting ----------------------------------------------------------------------- */

static xmlSecEncCtxPtr decryption(xmlSecKeyPtr key, xmlEncCtxMode mode)
{
	xmlSecEncCtxPtr ctx = xmlSecEncCtxCreate(NULL);

	if (!ctx)
		return NULL;
	ctx->mode = mode;
	ctx->encKey = key;
	return ctx;
}

static void end_decryption(xmlSecEncCtxPtr ctx)
{
	ctx->encKey = NULL; /* lent */
	xmlSecEncCtxDestroy(ctx);
}

/*
 * A key that cannot be decrypted, or is of another length, is replaced by a random one, and
 * fails with the data: who tries ciphertexts on us must not learn which (RFC 8017 section 7.2.2).
 */
static xmlSecKeyPtr decrypt_key(const struct xml_party *x, xmlNodePtr node)
{
	xmlSecEncCtxPtr ctx = decryption(x->decrypt, xmlEncCtxModeEncryptedKey);
	xmlSecBufferPtr bytes = ctx ? xmlSecEncCtxDecryptToBuffer(ctx, node) : NULL;
	xmlSecKeyPtr session =
		xmlSecKeyGenerate(x->session_kind, x->session_bits, xmlSecKeyDataTypeSession);

	if (session && bytes && xmlSecBufferGetSize(bytes) == x->session_bits / 8) {
		xmlSecKeyDestroy(session);
		session = xmlSecKeyReadBuffer(x->session_kind, bytes);
	}
	if (ctx)
		end_decryption(ctx);
	return session;
}

static int decrypt_data(struct xml_party *x, xmlSecKeyPtr session, xmlNodePtr data,
			struct message_stages *t)
{
	struct xml_timing timing = { 0 };
	xmlSecEncCtxPtr ctx = decryption(session, xmlEncCtxModeEncryptedData);
	xmlSecBufferPtr bytes;
	int ret = -1;

	if (!ctx)
		return -1;
	xml_timer_watch_encryption(ctx, &timing);
	bytes = xmlSecEncCtxDecryptToBuffer(ctx, data);
	buf_clear(&x->scratch);
	if (bytes) {
		buf_put(&x->scratch, xmlSecBufferGetData(bytes), xmlSecBufferGetSize(bytes));
		ret = x->scratch.failed ? -1 : 0;
	}
	end_decryption(ctx);
	t->ns[MESSAGE_DECRYPT_DATA] += xml_chain_algorithm_ns(&timing.main);
	return ret;
}

/* Body's content is what was encrypted, afterwards. */
static int decrypt(struct message_party *p, const struct xml_shape *s, struct message_stages *t)
{
	struct xml_party *x = p->impl;
	int64_t from_ns = clock_ns(), key_ns, data_ns = t->ns[MESSAGE_DECRYPT_DATA];
	xmlSecKeyPtr session = decrypt_key(x, s->key);
	int ret;

	key_ns = clock_ns();
	t->ns[MESSAGE_DECRYPT_KEY] += key_ns - from_ns;
	ret = session ? decrypt_data(x, session, s->data, t) : -1;
	if (session)
		xmlSecKeyDestroy(session);
	object_forget_errors();
	if (ret == 0)
		ret = xml_replace_content(s->body, x->scratch.data ? x->scratch.data : "",
					  x->scratch.len, &p->fail);
	if (ret == 0)
		ret = xml_check_nodes(s->body->doc, &p->fail);
	data_ns = t->ns[MESSAGE_DECRYPT_DATA] - data_ns;
	t->ns[MESSAGE_PARSE] += clock_ns() - key_ns - data_ns;
	return ret ? fail_set(&p->fail, EBADMSG, "the body could not be decrypted") : 0;
}

/* --- verifying ------------------------------------------------------------------------ */

/* The signer's key, the caller's to destroy; NULL: it is not to be trusted. */
static xmlSecKeyPtr trusted_key(struct message_party *p, const struct xml_shape *s)
{
	struct xml_party *x = p->impl;
	enum object_role signer = p->role == MESSAGE_SERVER ? OBJECT_CLIENT : OBJECT_SERVER;
	struct object_key *trusted = NULL;
	struct buf der = { 0 };
	xmlSecKeyPtr key = NULL;

	if (xml_base64(s->token, &der, &p->fail) == 0)
		trusted = object_trust_check(x->trust, der.data ? der.data : "", der.len, signer,
					     &p->fail);
	if (trusted)
		key = xml_key(trusted);
	object_key_free(trusted);
	object_forget_errors();
	buf_release(&der);
	if (!key)
		fail_set(&p->fail, EACCES, "xmlsec cannot use the signer's certificate");
	return key;
}

/* Besides the shape, which has been judged: the same again, in xmlsec's own words. */
static int allow(xmlSecDSigCtxPtr ctx, const struct xml_party *x)
{
	ctx->flags |= XMLSEC_DSIG_FLAGS_IGNORE_MANIFESTS;
	ctx->enabledReferenceUris = xmlSecTransformUriTypeSameDocument;
	if (xmlSecDSigCtxEnableReferenceTransform(ctx, xmlSecTransformExclC14NId) < 0 ||
	    xmlSecDSigCtxEnableReferenceTransform(ctx, x->digest) < 0 ||
	    xmlSecDSigCtxEnableSignatureTransform(ctx, xmlSecTransformExclC14NId) < 0 ||
	    xmlSecDSigCtxEnableSignatureTransform(ctx, x->signature) < 0)
		return -1;
	return 0;
}

static int verify(const struct xml_party *x, xmlSecKeyPtr key, xmlNodePtr signature,
		  struct message_stages *t, struct fail *f)
{
	struct xml_timing timing = { 0 };
	int64_t from_ns = clock_ns();
	xmlSecDSigCtxPtr ctx = xmlSecDSigCtxCreate(NULL);
	int ret = -1;

	if (ctx && allow(ctx, x) == 0) {
		xml_timer_watch_signature(ctx, &timing);
		ctx->signKey = key;
		ret = xmlSecDSigCtxVerify(ctx, signature);
		ctx->signKey = NULL; /* lent */
		if (ctx->status != xmlSecDSigStatusSucceeded)
			ret = -1;
	}
	if (ctx)
		xmlSecDSigCtxDestroy(ctx);
	t->ns[MESSAGE_CANONICALISE_AGAIN] += xml_chain_canonicalise_ns(&timing.reference) +
					     xml_chain_canonicalise_ns(&timing.main);
	t->ns[MESSAGE_DIGEST_AGAIN] += xml_chain_algorithm_ns(&timing.reference);
	t->ns[MESSAGE_VERIFY] += clock_ns() - from_ns - timing.reference.whole_ns -
				 xml_chain_canonicalise_ns(&timing.main);
	object_forget_errors();
	return ret ? fail_set(f, EBADMSG, "the signature does not fit") : 0;
}

static int check_signer(struct message_party *p, const struct xml_shape *s, int64_t wall_ns,
			struct message_stages *t)
{
	int64_t from_ns = clock_ns(), trusted_ns;
	xmlSecKeyPtr key = trusted_key(p, s);
	int ret = -1;

	trusted_ns = clock_ns();
	t->ns[MESSAGE_TRUST] += trusted_ns - from_ns;
	if (key)
		ret = check_times(s, wall_ns, &p->fail);
	t->ns[MESSAGE_TIMESTAMP] += clock_ns() - trusted_ns;
	if (ret == 0)
		ret = verify(p->impl, key, s->signature, t, &p->fail);
	if (key)
		xmlSecKeyDestroy(key);
	return ret;
}

/* --- all of it ------------------------------------------------------------------------ */

int xml_take_message(xmlNodePtr body, struct message_content *c, struct fail *f)
{
	xmlNodePtr message[2];
	const char *id;

	if (xml_take_children(body, in_body, message, f))
		return -1;
	id = xml_attribute(message[0], NULL, "Exchange");
	if (!id || !message_id_valid(id, strlen(id)))
		return fail_set(f, EBADMSG, "a message without the id of its exchange");
	memcpy(c->id, id, MESSAGE_ID_BYTES);
	return xml_text(message[0], &c->text, f);
}

int xml_read(struct message_party *p, const void *src, size_t len, int64_t wall_ns,
	     struct message_content *c, struct message_stages *t)
{
	int64_t from_ns = clock_ns(), parsed_ns;
	xmlDocPtr doc = xml_parse(src, len, &p->fail);
	struct xml_shape s = { 0 };
	int ret = -1;

	parsed_ns = clock_ns();
	t->ns[MESSAGE_PARSE] += parsed_ns - from_ns;
	if (doc)
		ret = xml_shape_read(doc, p, &s, &p->fail);
	t->ns[MESSAGE_HEADER] += clock_ns() - parsed_ns;
	if (ret == 0)
		ret = decrypt(p, &s, t);
	if (ret == 0)
		ret = check_signer(p, &s, wall_ns, t);
	if (ret == 0)
		ret = xml_take_message(s.body, c, &p->fail);
	xmlFreeDoc(doc);
	return ret;
}
