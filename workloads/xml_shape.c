/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml_shape - what a secured SOAP message must look like, as tables, and nothing else is
 * let through: this is what refuses wrapped signatures. Each element stands once, where it
 * belongs; the signature's references are those of the very Body and Timestamp that are
 * used afterwards; transforms and algorithms are the profile's; and only then do the ids of
 * these two elements, and of no other, lead anywhere.
 */
#include <ctype.h>
#include <errno.h>
#include <libxml/parser.h>
#include <string.h>

#include "workloads/xml_names.h"
#include "workloads/xml_party.h"

#define ID_BYTES_MAX 64

static const struct xml_expected in_envelope[] = { { XML_SOAP, "Header", true },
						   { XML_SOAP, "Body", false },
						   { 0 } };
static const struct xml_expected in_header[] = { { XML_WSSE, "Security", false }, { 0 } };
static const struct xml_expected in_security[] = { { XML_WSU, "Timestamp", false },
						   { XML_WSSE, "BinarySecurityToken", false },
						   { XML_ENC, "EncryptedKey", false },
						   { XML_DSIG, "Signature", false },
						   { 0 } };
static const struct xml_expected in_timestamp[] = { { XML_WSU, "Created", false },
						    { XML_WSU, "Expires", false },
						    { 0 } };
static const struct xml_expected in_signature[] = { { XML_DSIG, "SignedInfo", false },
						    { XML_DSIG, "SignatureValue", false },
						    { XML_DSIG, "KeyInfo", false },
						    { 0 } };
static const struct xml_expected in_signed_info[] = { { XML_DSIG, "CanonicalizationMethod", false },
						      { XML_DSIG, "SignatureMethod", false },
						      { XML_DSIG, "Reference", false },
						      { XML_DSIG, "Reference", false },
						      { 0 } };
static const struct xml_expected in_reference[] = { { XML_DSIG, "Transforms", false },
						    { XML_DSIG, "DigestMethod", false },
						    { XML_DSIG, "DigestValue", false },
						    { 0 } };
static const struct xml_expected in_transforms[] = { { XML_DSIG, "Transform", false }, { 0 } };
static const struct xml_expected in_key_info[] = { { XML_WSSE, "SecurityTokenReference", false },
						   { 0 } };
static const struct xml_expected in_token_reference[] = { { XML_WSSE, "Reference", false }, { 0 } };
static const struct xml_expected in_id_reference[] = { { XML_WSSE, "KeyIdentifier", false },
						       { 0 } };
static const struct xml_expected in_key[] = { { XML_ENC, "EncryptionMethod", false },
					      { XML_DSIG, "KeyInfo", false },
					      { XML_ENC, "CipherData", false },
					      { XML_ENC, "ReferenceList", false },
					      { 0 } };
static const struct xml_expected in_list[] = { { XML_ENC, "DataReference", false }, { 0 } };
static const struct xml_expected in_cipher_data[] = { { XML_ENC, "CipherValue", false }, { 0 } };
static const struct xml_expected in_body[] = { { XML_ENC, "EncryptedData", false }, { 0 } };
static const struct xml_expected in_data[] = { { XML_ENC, "EncryptionMethod", false },
					       { XML_DSIG, "KeyInfo", true },
					       { XML_ENC, "CipherData", false },
					       { 0 } };
/* OAEP may name its digest, which must be the one that it has when it does not. */
static const struct xml_expected in_method[] = { { XML_DSIG, "DigestMethod", true }, { 0 } };
static const struct xml_expected nothing[] = { { 0 } };

/* --- small things --------------------------------------------------------------------- */

/* Also what may stand in the XPointer that xmlsec makes of it. */
static const char *id_of(const xmlNode *node, const char *ns, struct fail *f)
{
	const char *id = xml_attribute(node, ns, "Id");
	size_t len = id ? strlen(id) : 0;

	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)id[i]) && !strchr("-_.", id[i]))
			len = 0;
	if (len > 0 && len <= ID_BYTES_MAX && (isalpha((unsigned char)id[0]) || id[0] == '_'))
		return id;
	fail_set(f, EBADMSG, "%.40s has no id that can be used", (const char *)node->name);
	return NULL;
}

static bool refers_to(const xmlNode *node, const char *id)
{
	const char *uri = xml_attribute(node, NULL, "URI");

	return uri && uri[0] == '#' && !strcmp(uri + 1, id);
}

static int expect_algorithm(xmlNodePtr node, const char *uri, struct fail *f)
{
	xmlNodePtr none[1];

	if (xml_expect_attribute(node, "Algorithm", uri, f))
		return -1;
	return xml_take_children(node, nothing, none, f);
}

/* --- the envelope --------------------------------------------------------------------- */

int xml_shape_soap(xmlDocPtr doc, xmlNodePtr *security, xmlNodePtr *body, struct fail *f)
{
	xmlNodePtr root = xmlDocGetRootElement(doc), found[3], header[2];

	if (!xml_is(root, XML_SOAP, "Envelope"))
		return fail_set(f, EBADMSG, "not a SOAP envelope");
	if (xml_take_children(root, in_envelope, found, f))
		return -1;
	*body = found[1];
	if (!security)
		return found[0] ? fail_set(f, EBADMSG, "a header, where none was expected") : 0;
	if (!found[0])
		return fail_set(f, EBADMSG, "no header");
	if (xml_take_children(found[0], in_header, header, f))
		return -1;
	*security = header[0];
	return 0;
}

static int read_security(xmlNodePtr security, struct xml_shape *s, struct fail *f)
{
	xmlNodePtr found[5], times[3];

	if (xml_take_children(security, in_security, found, f))
		return -1;
	s->timestamp = found[0];
	s->token = found[1];
	s->key = found[2];
	s->signature = found[3];
	if (xml_take_children(s->timestamp, in_timestamp, times, f))
		return -1;
	s->created = times[0];
	s->expires = times[1];
	if (xml_expect_attribute(s->token, "EncodingType", XML_BASE64, f))
		return -1;
	return xml_expect_attribute(s->token, "ValueType", XML_X509_TOKEN, f);
}

/* --- the signature -------------------------------------------------------------------- */

static int check_reference(const struct message_profile *p, xmlNodePtr reference, struct fail *f)
{
	xmlNodePtr found[4], transform[2];

	if (xml_take_children(reference, in_reference, found, f) ||
	    xml_take_children(found[0], in_transforms, transform, f) ||
	    expect_algorithm(transform[0], XML_C14N, f))
		return -1;
	return expect_algorithm(found[1], p->digest, f);
}

static int check_signed_info(const struct message_profile *p, xmlNodePtr info,
			     const struct xml_shape *s, struct fail *f)
{
	const char *body = id_of(s->body, XML_WSU, f), *time = id_of(s->timestamp, XML_WSU, f);
	xmlNodePtr found[5];

	if (!body || !time || xml_take_children(info, in_signed_info, found, f) ||
	    expect_algorithm(found[0], XML_C14N, f) ||
	    expect_algorithm(found[1], p->signature, f) || check_reference(p, found[2], f) ||
	    check_reference(p, found[3], f))
		return -1;
	if ((refers_to(found[2], body) && refers_to(found[3], time)) ||
	    (refers_to(found[3], body) && refers_to(found[2], time)))
		return 0;
	return fail_set(f, EBADMSG, "what is signed is not this body and this timestamp");
}

static int check_signature(const struct message_profile *p, const struct xml_shape *s,
			   struct fail *f)
{
	const char *token = id_of(s->token, XML_WSU, f);
	xmlNodePtr found[4], info[2], reference[2];

	if (!token || xml_take_children(s->signature, in_signature, found, f) ||
	    check_signed_info(p, found[0], s, f) ||
	    xml_take_children(found[2], in_key_info, info, f) ||
	    xml_take_children(info[0], in_token_reference, reference, f))
		return -1;
	if (!refers_to(reference[0], token))
		return fail_set(f, EBADMSG,
				"the signature is by another certificate than the one "
				"that is there");
	return xml_expect_attribute(reference[0], "ValueType", XML_X509_TOKEN, f);
}

/* --- the encryption ------------------------------------------------------------------- */

static int check_cipher_value(xmlNodePtr data, struct fail *f)
{
	xmlNodePtr value[2], none[1];

	if (xml_take_children(data, in_cipher_data, value, f))
		return -1;
	for (xmlNodePtr n = value[0]->children; n; n = n->next)
		if (n->type == XML_ELEMENT_NODE)
			return xml_take_children(value[0], nothing, none, f);
	return 0;
}

static int check_key_transport(const struct message_profile *p, xmlNodePtr method, struct fail *f)
{
	xmlNodePtr digest[2];

	if (xml_expect_attribute(method, "Algorithm", p->key_transport, f) ||
	    xml_take_children(method, in_method, digest, f))
		return -1;
	return digest[0] ? expect_algorithm(digest[0], XML_DSIG "sha1", f) : 0;
}

/* By the subject key identifier, and it must be ours. */
static int check_recipient(const struct message_party *p, xmlNodePtr info, struct fail *f)
{
	const struct object_certificate *own = &((struct xml_party *)p->impl)->own_recipient;
	xmlNodePtr reference[2], id[2];
	struct buf bytes = { 0 };
	int ret = -1;

	if (xml_take_children(info, in_key_info, reference, f) ||
	    xml_take_children(reference[0], in_id_reference, id, f) ||
	    xml_expect_attribute(id[0], "ValueType", XML_X509_KEY_ID, f) ||
	    xml_base64(id[0], &bytes, f))
		ret = -1;
	else if (bytes.len == own->key_id_bytes && !memcmp(bytes.data, own->key_id, bytes.len))
		ret = 0;
	else
		fail_set(f, EBADMSG, "encrypted for somebody else");
	buf_release(&bytes);
	return ret;
}

static int check_encryption(const struct message_party *p, const struct xml_shape *s,
			    struct fail *f)
{
	const char *id = id_of(s->data, NULL, f);
	xmlNodePtr key[5], list[2], data[4];

	if (!id || xml_take_children(s->key, in_key, key, f) ||
	    check_key_transport(p->profile, key[0], f) || check_recipient(p, key[1], f) ||
	    check_cipher_value(key[2], f) || xml_take_children(key[3], in_list, list, f))
		return -1;
	if (!refers_to(list[0], id))
		return fail_set(f, EBADMSG, "the key is for other data");
	if (xml_expect_attribute(s->data, "Type", XML_ENC_CONTENT, f) ||
	    xml_take_children(s->data, in_data, data, f) ||
	    expect_algorithm(data[0], p->profile->cipher, f))
		return -1;
	return check_cipher_value(data[2], f);
}

/* --- all of it ------------------------------------------------------------------------ */

static int register_id(xmlDocPtr doc, xmlNodePtr node, struct fail *f)
{
	xmlAttrPtr id = xmlHasNsProp(node, BAD_CAST "Id", BAD_CAST XML_WSU);

	if (id && id->children && xmlAddID(NULL, doc, id->children->content, id))
		return 0;
	return fail_set(f, EBADMSG, "an id that is another's too");
}

int xml_shape_read(xmlDocPtr doc, const struct message_party *p, struct xml_shape *s,
		   struct fail *f)
{
	xmlNodePtr security, data[2];

	if (xml_shape_soap(doc, &security, &s->body, f) || read_security(security, s, f) ||
	    xml_take_children(s->body, in_body, data, f))
		return -1;
	s->data = data[0];
	if (check_signature(p->profile, s, f) || check_encryption(p, s, f) ||
	    register_id(doc, s->body, f))
		return -1;
	return register_id(doc, s->timestamp, f);
}
