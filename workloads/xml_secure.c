/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml_secure - a SOAP message made, signed, then encrypted: Body and Timestamp are signed
 * with the certificate as a BinarySecurityToken that the signature refers to; Body's content
 * is encrypted under a key that is encrypted for the recipient, named by the subject key
 * identifier of its certificate.
 *
 * EncryptedData says by a RetrievalMethod where its key is, so that any XML encryption tool
 * finds it; WS-Security goes the other way, by the ReferenceList of EncryptedKey.
 */
#include <errno.h>
#include <libxml/xmlsave.h>
#include <string.h>

#include "lib/base64.h"
#include "lib/clock.h"
#include "workloads/xml_names.h"
#include "workloads/xml_party.h"
/* behind xml_party.h */
#include <xmlsec/buffer.h>
#include <xmlsec/templates.h>

#define BODY_ID      "Body-1"
#define TIMESTAMP_ID "Timestamp-1"
#define TOKEN_ID     "Token-1"
#define KEY_ID       "Key-1"
#define DATA_ID      "Data-1"

/* --- the message before it is secured ------------------------------------------------- */

static void put_timestamp(int64_t wall_ns, struct buf *out)
{
	char created[CLOCK_UTC_BYTES], expires[CLOCK_UTC_BYTES];

	clock_utc(wall_ns, created);
	clock_utc(wall_ns + MESSAGE_VALID_S * NS_PER_S, expires);
	buf_printf(out,
		   "<wsu:Timestamp wsu:Id=\"" TIMESTAMP_ID "\"><wsu:Created>%s</wsu:Created>"
		   "<wsu:Expires>%s</wsu:Expires></wsu:Timestamp>",
		   created, expires);
}

static void put_token(const struct object_certificate *c, struct buf *out)
{
	buf_puts(out, "<wsse:BinarySecurityToken wsu:Id=\"" TOKEN_ID "\" EncodingType=\"" XML_BASE64
		      "\" ValueType=\"" XML_X509_TOKEN "\">");
	base64_encode(c->der.data, c->der.len, out);
	buf_puts(out, "</wsse:BinarySecurityToken>");
}

static void put_key(const struct message_profile *p, const struct object_certificate *recipient,
		    struct buf *out)
{
	buf_printf(out,
		   "<xenc:EncryptedKey xmlns:xenc=\"" XML_ENC "\" Id=\"" KEY_ID "\">"
		   "<xenc:EncryptionMethod Algorithm=\"%s\"/><ds:KeyInfo xmlns:ds=\"" XML_DSIG
		   "\"><wsse:SecurityTokenReference><wsse:KeyIdentifier EncodingType=\"" XML_BASE64
		   "\" ValueType=\"" XML_X509_KEY_ID "\">",
		   p->key_transport);
	base64_encode(recipient->key_id, recipient->key_id_bytes, out);
	buf_puts(out, "</wsse:KeyIdentifier></wsse:SecurityTokenReference></ds:KeyInfo>"
		      "<xenc:CipherData><xenc:CipherValue/></xenc:CipherData><xenc:ReferenceList>"
		      "<xenc:DataReference URI=\"#" DATA_ID "\"/></xenc:ReferenceList>"
		      "</xenc:EncryptedKey>");
}

static void put_reference(const char *id, const char *digest, struct buf *out)
{
	buf_printf(out,
		   "<ds:Reference URI=\"#%s\"><ds:Transforms><ds:Transform Algorithm=\"" XML_C14N
		   "\"/></ds:Transforms><ds:DigestMethod Algorithm=\"%s\"/><ds:DigestValue/>"
		   "</ds:Reference>",
		   id, digest);
}

static void put_signature(const struct message_profile *p, struct buf *out)
{
	buf_printf(out,
		   "<ds:Signature xmlns:ds=\"" XML_DSIG "\"><ds:SignedInfo>"
		   "<ds:CanonicalizationMethod Algorithm=\"" XML_C14N "\"/>"
		   "<ds:SignatureMethod Algorithm=\"%s\"/>",
		   p->signature);
	put_reference(BODY_ID, p->digest, out);
	put_reference(TIMESTAMP_ID, p->digest, out);
	buf_puts(out, "</ds:SignedInfo><ds:SignatureValue/><ds:KeyInfo>"
		      "<wsse:SecurityTokenReference><wsse:Reference URI=\"#" TOKEN_ID
		      "\" ValueType=\"" XML_X509_TOKEN "\"/></wsse:SecurityTokenReference>"
		      "</ds:KeyInfo></ds:Signature>");
}

int xml_put_message(const struct message_content *c, struct buf *out, struct fail *f)
{
	buf_printf(out, "<c:Message xmlns:c=\"" XML_MESSAGE "\" Exchange=\"%s\">", c->id);
	if (xml_escape(c->text.data, c->text.len, out, f))
		return -1;
	buf_puts(out, "</c:Message>");
	return 0;
}

static int put_envelope(const struct message_party *p, const struct message_content *c,
			int64_t wall_ns, struct buf *out, struct fail *f)
{
	const struct xml_party *x = p->impl;

	buf_puts(out, "<soap:Envelope xmlns:soap=\"" XML_SOAP "\"><soap:Header>"
		      "<wsse:Security xmlns:wsse=\"" XML_WSSE "\" xmlns:wsu=\"" XML_WSU
		      "\" soap:mustUnderstand=\"1\">");
	put_timestamp(wall_ns, out);
	put_token(&x->certificate, out);
	put_key(p->profile, &x->peer_recipient, out);
	put_signature(p->profile, out);
	buf_puts(out, "</wsse:Security></soap:Header><soap:Body xmlns:wsu=\"" XML_WSU
		      "\" wsu:Id=\"" BODY_ID "\">");
	if (xml_put_message(c, out, f))
		return -1;
	buf_puts(out, "</soap:Body></soap:Envelope>");
	return out->failed ? fail_set(f, ENOMEM, "no memory for a message") : 0;
}

/* --- signing -------------------------------------------------------------------------- */

static xmlNodePtr child(xmlNodePtr parent, const char *ns, const char *name)
{
	for (xmlNodePtr n = parent->children; n; n = n->next)
		if (xml_is(n, ns, name))
			return n;
	return NULL;
}

static void register_id(xmlDocPtr doc, xmlNodePtr node)
{
	xmlAttrPtr id = xmlHasNsProp(node, BAD_CAST "Id", BAD_CAST XML_WSU);

	xmlAddID(NULL, doc, id->children->content, id);
}

static int sign(const struct xml_party *x, xmlNodePtr signature, struct message_stages *t,
		struct fail *f)
{
	struct xml_timing timing = { 0 };
	xmlSecDSigCtxPtr ctx = xmlSecDSigCtxCreate(NULL);
	int ret = -1;

	if (ctx) {
		xml_timer_watch_signature(ctx, &timing);
		ctx->signKey = x->sign;
		ret = xmlSecDSigCtxSign(ctx, signature);
		ctx->signKey = NULL; /* lent */
		if (ctx->status != xmlSecDSigStatusSucceeded)
			ret = -1;
		xmlSecDSigCtxDestroy(ctx);
	}
	t->ns[MESSAGE_CANONICALISE] += xml_chain_canonicalise_ns(&timing.reference) +
				       xml_chain_canonicalise_ns(&timing.main);
	t->ns[MESSAGE_DIGEST] += xml_chain_algorithm_ns(&timing.reference);
	t->ns[MESSAGE_SIGN] += xml_chain_algorithm_ns(&timing.main);
	object_forget_errors();
	return ret ? fail_set(f, EIO, "xmlsec could not sign") : 0;
}

/* --- encrypting ----------------------------------------------------------------------- */

static int encrypt_key(const struct xml_party *x, xmlSecKeyPtr session, xmlNodePtr key)
{
	xmlSecBufferPtr bytes = xmlSecKeyDataBinaryValueGetBuffer(xmlSecKeyGetValue(session));
	xmlSecEncCtxPtr ctx = xmlSecEncCtxCreate(NULL);
	int ret = -1;

	if (ctx && bytes) {
		ctx->mode = xmlEncCtxModeEncryptedKey;
		ctx->encKey = x->peer;
		ret = xmlSecEncCtxBinaryEncrypt(ctx, key, xmlSecBufferGetData(bytes),
						xmlSecBufferGetSize(bytes));
		ctx->encKey = NULL; /* lent */
	}
	if (ctx)
		xmlSecEncCtxDestroy(ctx);
	return ret;
}

static xmlNodePtr data_template(const struct xml_party *x, xmlDocPtr doc)
{
	xmlNodePtr data = xmlSecTmplEncDataCreate(doc, x->cipher, BAD_CAST DATA_ID,
						  BAD_CAST XML_ENC_CONTENT, NULL, NULL);
	xmlNodePtr info = data ? xmlSecTmplEncDataEnsureKeyInfo(data, NULL) : NULL;

	if (info &&
	    xmlSecTmplKeyInfoAddRetrievalMethod(info, BAD_CAST "#" KEY_ID, BAD_CAST XML_ENC_KEY) &&
	    xmlSecTmplEncDataEnsureCipherValue(data))
		return data;
	xmlFreeNode(data);
	return NULL;
}

/* What was in Body goes; EncryptedData stands there instead. */
static int encrypt_data(const struct xml_party *x, xmlSecKeyPtr session, xmlNodePtr body,
			struct message_stages *t)
{
	struct xml_timing timing = { 0 };
	xmlNodePtr data = data_template(x, body->doc);
	xmlSecEncCtxPtr ctx = xmlSecEncCtxCreate(NULL);
	int ret = -1;

	if (ctx && data) {
		xml_timer_watch_encryption(ctx, &timing);
		ctx->encKey = session;
		ret = xmlSecEncCtxXmlEncrypt(ctx, data, body);
		ctx->encKey = NULL; /* lent */
	}
	if (data && (ret || !ctx->resultReplaced))
		xmlFreeNode(data);
	if (ctx)
		xmlSecEncCtxDestroy(ctx);
	t->ns[MESSAGE_ENCRYPT_DATA] += xml_chain_algorithm_ns(&timing.main);
	return ret;
}

static int encrypt(const struct xml_party *x, xmlNodePtr key, xmlNodePtr body,
		   struct message_stages *t, struct fail *f)
{
	int64_t from_ns = clock_ns(), data_ns = t->ns[MESSAGE_ENCRYPT_DATA];
	xmlSecKeyPtr session =
		xmlSecKeyGenerate(x->session_kind, x->session_bits, xmlSecKeyDataTypeSession);
	int ret = session ? encrypt_key(x, session, key) : -1;
	int64_t key_ns = clock_ns();

	t->ns[MESSAGE_ENCRYPT_KEY] += key_ns - from_ns;
	if (ret == 0)
		ret = encrypt_data(x, session, body, t);
	data_ns = t->ns[MESSAGE_ENCRYPT_DATA] - data_ns;
	t->ns[MESSAGE_SERIALISE] += clock_ns() - key_ns - data_ns;
	if (session)
		xmlSecKeyDestroy(session);
	object_forget_errors();
	return ret ? fail_set(f, EIO, "xmlsec could not encrypt") : 0;
}

/* --- all of it ------------------------------------------------------------------------ */

static int serialise(xmlDocPtr doc, struct buf *out, struct fail *f)
{
	xmlChar *text = NULL;
	int len = 0;

	xmlDocDumpFormatMemoryEnc(doc, &text, &len, "UTF-8", 0);
	if (text)
		buf_put(out, text, (size_t)len);
	xmlFree(text);
	return text && !out->failed ? 0 : fail_set(f, ENOMEM, "no memory for a message");
}

static xmlDocPtr build(struct message_party *p, const struct message_content *c, int64_t wall_ns)
{
	struct xml_party *x = p->impl;

	buf_clear(&x->scratch);
	if (put_envelope(p, c, wall_ns, &x->scratch, &p->fail))
		return NULL;
	return xml_parse(x->scratch.data, x->scratch.len, &p->fail);
}

static int secure_document(struct message_party *p, xmlDocPtr doc, struct message_stages *t)
{
	xmlNodePtr root = xmlDocGetRootElement(doc), body = child(root, XML_SOAP, "Body");
	xmlNodePtr security = child(child(root, XML_SOAP, "Header"), XML_WSSE, "Security");

	register_id(doc, body);
	register_id(doc, child(security, XML_WSU, "Timestamp"));
	if (sign(p->impl, child(security, XML_DSIG, "Signature"), t, &p->fail))
		return -1;
	return encrypt(p->impl, child(security, XML_ENC, "EncryptedKey"), body, t, &p->fail);
}

int xml_secure(struct message_party *p, const struct message_content *c, int64_t wall_ns,
	       struct buf *out, struct message_stages *t)
{
	int64_t from_ns = clock_ns();
	xmlDocPtr doc = build(p, c, wall_ns);
	int ret = -1;

	t->ns[MESSAGE_BUILD] += clock_ns() - from_ns;
	if (doc && secure_document(p, doc, t) == 0) {
		from_ns = clock_ns();
		ret = serialise(doc, out, &p->fail);
		t->ns[MESSAGE_SERIALISE] += clock_ns() - from_ns;
	}
	xmlFreeDoc(doc);
	return ret;
}
