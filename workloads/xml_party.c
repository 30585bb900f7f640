/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml_party - libxml2 and xmlsec made ready, and the keys and algorithms of a party. Keys
 * come from files of ours only: xmlsec is never asked to find one in a message.
 */
#include "workloads/xml_party.h"

#include <errno.h>
#include <libxml/parser.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <xmlsec/crypto.h>
#include <xmlsec/errors.h>
#include <xmlsec/openssl/evp.h>

#include "workloads/message_keys.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool usable;

/*
 * xmlsec's lists of algorithms are written here and only read afterwards. Its "App" part,
 * with a random file and engines of OpenSSL, is left alone. What went wrong is said by us, so
 * the libraries print nothing.
 */
static void init(void)
{
	xmlInitParser();
	usable = xmlSecInit() >= 0 && xmlSecCryptoInit() >= 0;
	xmlSecErrorsSetCallback(NULL);
}

int xml_library(struct fail *f)
{
	pthread_once(&once, init);
	return usable ? 0 : fail_set(f, ENOSYS, "xmlsec cannot be used on this machine");
}

static xmlSecTransformId algorithm(const char *uri, xmlSecTransformUsage usage, struct fail *f)
{
	xmlSecTransformId id =
		xmlSecTransformIdListFindByHref(xmlSecTransformIdsGet(), BAD_CAST uri, usage);

	if (id == xmlSecTransformIdUnknown)
		fail_set(f, ENOSYS, "xmlsec of this system has no %s", uri);
	return id;
}

static int find_algorithms(struct xml_party *x, const struct message_profile *p, struct fail *f)
{
	x->signature = algorithm(p->signature, xmlSecTransformUsageSignatureMethod, f);
	x->digest = algorithm(p->digest, xmlSecTransformUsageDigestMethod, f);
	x->key_transport = algorithm(p->key_transport, xmlSecTransformUsageEncryptionMethod, f);
	x->cipher = algorithm(p->cipher, xmlSecTransformUsageEncryptionMethod, f);
	x->session_kind = p->legacy ? xmlSecKeyDataDesId : xmlSecKeyDataAesId;
	x->session_bits = p->legacy ? 192 : 128;
	return f->code ? -1 : 0;
}

xmlSecKeyPtr xml_key(const struct object_key *k)
{
	EVP_PKEY *native = object_key_native(k);
	xmlSecKeyDataPtr data = native ? xmlSecOpenSSLEvpKeyAdopt(native) : NULL;
	xmlSecKeyPtr key = data ? xmlSecKeyCreate() : NULL;

	if (key && xmlSecKeySetValue(key, data) == 0)
		return key;
	if (key)
		xmlSecKeyDestroy(key);
	if (data)
		xmlSecKeyDataDestroy(data);
	else
		EVP_PKEY_free(native);
	return NULL;
}

/* Takes k, which may be NULL. */
static xmlSecKeyPtr adopt(struct object_key *k, struct fail *f)
{
	xmlSecKeyPtr key = k ? xml_key(k) : NULL;

	object_key_free(k);
	if (!key)
		fail_set(f, EINVAL, "xmlsec cannot use a key of this kind");
	return key;
}

static int load_keys(struct xml_party *x, const struct message_keys *k, struct fail *f)
{
	if (object_certificate_read(k->signer.cert_file, &x->certificate, f) ||
	    object_certificate_read(k->recipient.cert_file, &x->own_recipient, f) ||
	    object_certificate_read(k->peer_cert, &x->peer_recipient, f))
		return -1;
	x->sign = adopt(object_key_read(k->signer.key_file, f), f);
	x->decrypt = adopt(object_key_read(k->recipient.key_file, f), f);
	x->peer = adopt(object_certificate_key(&x->peer_recipient, f), f);
	x->trust = object_trust_open(k->signer.ca_file, f);
	return f->code ? -1 : 0;
}

static void close_party(struct message_party *p)
{
	struct xml_party *x = p->impl;

	xmlSecKeyPtr keys[] = { x->sign, x->decrypt, x->peer };

	for (int i = 0; i < 3; i++)
		if (keys[i])
			xmlSecKeyDestroy(keys[i]);
	object_certificate_release(&x->certificate);
	object_certificate_release(&x->own_recipient);
	object_certificate_release(&x->peer_recipient);
	object_trust_close(x->trust);
	object_wipe(x->scratch.data, x->scratch.cap);
	buf_release(&x->scratch);
	free(x);
	p->impl = NULL;
}

static int open_party(struct message_party *p)
{
	struct message_keys keys;

	if (xml_library(&p->fail))
		return -1;
	p->impl = calloc(1, sizeof(struct xml_party));
	if (!p->impl)
		return fail_set(&p->fail, ENOMEM, "no memory for a party");
	if (find_algorithms(p->impl, p->profile, &p->fail) == 0 &&
	    message_keys_find(p, &keys, &p->fail) == 0 && load_keys(p->impl, &keys, &p->fail) == 0)
		return 0;
	object_forget_errors();
	close_party(p);
	return -1;
}

const struct message_ops message_xml = {
	.content_type = "text/xml; charset=utf-8",
	.open = open_party,
	.close = close_party,
	.secure = xml_secure,
	.read = xml_read,
};
