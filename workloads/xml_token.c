/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml_token - SOAP with nothing but a username token, the study's first scenario: the
 * digest of a nonce, the time and a password that both sides know (Username Token Profile
 * 1.0); answers carry no security. And SOAP alone, as what the others are compared with.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base64.h"
#include "lib/clock.h"
#include "lib/hex.h"
#include "workloads/message_keys.h"
#include "workloads/message_replay.h"
#include "workloads/xml_names.h"
#include "workloads/xml_party.h"

#define USER           "gateway"
#define PASSWORD_BYTES 16 /* of which the hex text is the password */

static const struct xml_expected in_security[] = { { XML_WSSE, "UsernameToken", false }, { 0 } };
static const struct xml_expected in_token[] = { { XML_WSSE, "Username", false },
						{ XML_WSSE, "Password", false },
						{ XML_WSSE, "Nonce", false },
						{ XML_WSU, "Created", false },
						{ 0 } };

struct token_party {
	char password[2 * PASSWORD_BYTES + 1];
	struct buf text; /* kept between messages */
};

static void close_token(struct message_party *p)
{
	struct token_party *k = p->impl;

	if (p->profile->ops == &message_xml_token)
		message_replay_close();
	object_wipe(k->password, sizeof k->password);
	buf_release(&k->text);
	free(k);
	p->impl = NULL;
}

static int open_plain(struct message_party *p)
{
	if (xml_library(&p->fail))
		return -1;
	p->impl = calloc(1, sizeof(struct token_party));
	return p->impl ? 0 : fail_set(&p->fail, ENOMEM, "no memory for a party");
}

static int open_token(struct message_party *p)
{
	uint8_t secret[PASSWORD_BYTES];
	struct token_party *k;

	if (open_plain(p))
		return -1;
	k = p->impl;
	if (message_secret(p->credential_dir, "password", secret, sizeof secret, &p->fail) == 0 &&
	    message_replay_open(&p->fail) == 0) {
		hex_encode(secret, sizeof secret, k->password);
	} else {
		free(k);
		p->impl = NULL;
	}
	object_wipe(secret, sizeof secret);
	return p->impl ? 0 : -1;
}

/* --- the token ------------------------------------------------------------------------ */

/* SHA-1 of nonce, time and password: the profile knows no other. */
static int digest(const uint8_t *nonce, size_t nonce_len, const char *created, const char *password,
		  uint8_t out[OBJECT_SHA1_BYTES], struct fail *f)
{
	struct buf all = { 0 };
	int ret;

	buf_put(&all, nonce, nonce_len);
	buf_puts(&all, created);
	buf_puts(&all, password);
	ret = all.failed ? fail_set(f, ENOMEM, "no memory for a token")
			 : object_sha1(all.data, all.len, out, f);
	object_wipe(all.data, all.len);
	buf_release(&all);
	return ret;
}

static int put_token(const struct token_party *k, int64_t wall_ns, struct buf *out, struct fail *f)
{
	uint8_t nonce[NONCE_BYTES], sum[OBJECT_SHA1_BYTES];
	char created[CLOCK_UTC_BYTES];

	clock_utc(wall_ns, created);
	if (object_random(nonce, sizeof nonce, f) ||
	    digest(nonce, sizeof nonce, created, k->password, sum, f))
		return -1;
	buf_puts(out, "<soap:Header><wsse:Security xmlns:wsse=\"" XML_WSSE "\" xmlns:wsu=\"" XML_WSU
		      "\" soap:mustUnderstand=\"1\"><wsse:UsernameToken><wsse:Username>" USER
		      "</wsse:Username><wsse:Password Type=\"" XML_PASSWORD_DIGEST "\">");
	base64_encode(sum, sizeof sum, out);
	buf_puts(out, "</wsse:Password><wsse:Nonce EncodingType=\"" XML_BASE64 "\">");
	base64_encode(nonce, sizeof nonce, out);
	buf_printf(out,
		   "</wsse:Nonce><wsu:Created>%s</wsu:Created></wsse:UsernameToken>"
		   "</wsse:Security></soap:Header>",
		   created);
	return 0;
}

struct token {
	struct buf user, password, nonce, created;
};

static int take_token(xmlNodePtr security, struct token *k, struct fail *f)
{
	xmlNodePtr token[2], found[5];

	if (xml_take_children(security, in_security, token, f) ||
	    xml_take_children(token[0], in_token, found, f) ||
	    xml_expect_attribute(found[1], "Type", XML_PASSWORD_DIGEST, f) ||
	    xml_text(found[0], &k->user, f) || xml_base64(found[1], &k->password, f) ||
	    xml_base64(found[2], &k->nonce, f))
		return -1;
	return xml_text(found[3], &k->created, f);
}

/* The digest first: only who knows the password may make us remember a nonce. */
static int judge_token(const struct token_party *k, struct token *t, int64_t wall_ns,
		       struct fail *f)
{
	uint8_t sum[OBJECT_SHA1_BYTES];
	int64_t created_s, now_s = wall_ns / NS_PER_S;

	if (t->nonce.len != NONCE_BYTES || t->password.len != sizeof sum)
		return fail_set(f, EBADMSG, "a nonce of %zu bytes; expected %d", t->nonce.len,
				NONCE_BYTES);
	if (digest((const uint8_t *)t->nonce.data, t->nonce.len, buf_text(&t->created), k->password,
		   sum, f))
		return -1;
	if (strcmp(buf_text(&t->user), USER) != 0 ||
	    !object_same(sum, t->password.data, sizeof sum))
		return fail_set(f, EACCES, "not this user, or another password");
	if (xml_read_time(buf_text(&t->created), &created_s, f))
		return -1;
	if (created_s > now_s + MESSAGE_SKEW_S || created_s + MESSAGE_SKEW_S <= now_s)
		return fail_set(f, EBADMSG, "a token of another time");
	return message_replay_use(MESSAGE_TOKEN, (const uint8_t *)t->nonce.data, clock_ns(), f);
}

static int check_token(const struct token_party *k, xmlNodePtr security, int64_t wall_ns,
		       struct fail *f)
{
	struct token t = { 0 };
	int ret = take_token(security, &t, f);

	if (ret == 0)
		ret = judge_token(k, &t, wall_ns, f);
	buf_release(&t.user);
	buf_release(&t.password);
	buf_release(&t.nonce);
	buf_release(&t.created);
	return ret;
}

/* --- messages ------------------------------------------------------------------------- */

/* Requests carry the token, answers do not. */
static bool has_token(const struct message_party *p, enum message_role speaker)
{
	return p->profile->ops == &message_xml_token && speaker == MESSAGE_CLIENT;
}

static int secure(struct message_party *p, const struct message_content *c, int64_t wall_ns,
		  struct buf *out, struct message_stages *t)
{
	struct token_party *k = p->impl;
	int64_t from_ns = clock_ns(), token_ns = 0;
	int ret = 0;

	buf_puts(out,
		 "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<soap:Envelope xmlns:soap=\"" XML_SOAP
		 "\">");
	if (has_token(p, p->role)) {
		token_ns = clock_ns();
		ret = put_token(k, wall_ns, out, &p->fail);
		token_ns = clock_ns() - token_ns;
	}
	buf_puts(out, "<soap:Body>");
	if (ret == 0)
		ret = xml_put_message(c, out, &p->fail);
	buf_puts(out, "</soap:Body></soap:Envelope>\n");
	t->ns[MESSAGE_DIGEST] += token_ns;
	t->ns[MESSAGE_BUILD] += clock_ns() - from_ns - token_ns;
	return ret;
}

static int read(struct message_party *p, const void *src, size_t len, int64_t wall_ns,
		struct message_content *c, struct message_stages *t)
{
	bool token = has_token(p, p->role == MESSAGE_CLIENT ? MESSAGE_SERVER : MESSAGE_CLIENT);
	int64_t from_ns = clock_ns(), parsed_ns, shaped_ns;
	xmlDocPtr doc = xml_parse(src, len, &p->fail);
	xmlNodePtr security = NULL, body = NULL;
	int ret = -1;

	parsed_ns = clock_ns();
	t->ns[MESSAGE_PARSE] += parsed_ns - from_ns;
	if (doc)
		ret = xml_shape_soap(doc, token ? &security : NULL, &body, &p->fail);
	shaped_ns = clock_ns();
	t->ns[MESSAGE_HEADER] += shaped_ns - parsed_ns;
	if (ret == 0 && token) {
		ret = check_token(p->impl, security, wall_ns, &p->fail);
		t->ns[MESSAGE_DIGEST_AGAIN] += clock_ns() - shaped_ns;
	}
	if (ret == 0)
		ret = xml_take_message(body, c, &p->fail);
	xmlFreeDoc(doc);
	return ret;
}

const struct message_ops message_xml_token = {
	.content_type = "text/xml; charset=utf-8",
	.open = open_token,
	.close = close_token,
	.secure = secure,
	.read = read,
};

const struct message_ops message_xml_plain = {
	.content_type = "text/xml; charset=utf-8",
	.open = open_plain,
	.close = close_token,
	.secure = secure,
	.read = read,
};
