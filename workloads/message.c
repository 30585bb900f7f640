/* SPDX-License-Identifier: Apache-2.0 */
/*
 * message - the profiles, and what every format shares: the time around each call, the
 * judgement of a message's time, ids. How a message is written is in message_*.c and xml_*.c.
 */
#include "workloads/message.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "lib/clock.h"

#define DSIG       "http://www.w3.org/2000/09/xmldsig#"
#define DSIG_MORE  "http://www.w3.org/2001/04/xmldsig-more#"
#define XMLENC     "http://www.w3.org/2001/04/xmlenc#"
#define XMLENC_1_1 "http://www.w3.org/2009/xmlenc11#"

const struct message_profile message_profiles[] = {
#ifdef WITH_XMLSEC
	{ .name = "modern-ecdsa",
	  .help = "SOAP: ECDSA P-256 with SHA-256, RSA-OAEP, AES-128-GCM",
	  .ops = &message_xml,
	  .signer = "p256",
	  .recipient = "rsa2048",
	  .signature = DSIG_MORE "ecdsa-sha256",
	  .digest = XMLENC "sha256",
	  .key_transport = XMLENC "rsa-oaep-mgf1p",
	  .cipher = XMLENC_1_1 "aes128-gcm" },
	{ .name = "modern-rsa",
	  .help = "SOAP: RSA with SHA-256, RSA-OAEP, AES-128-GCM",
	  .ops = &message_xml,
	  .signer = "rsa2048",
	  .recipient = "rsa2048",
	  .signature = DSIG_MORE "rsa-sha256",
	  .digest = XMLENC "sha256",
	  .key_transport = XMLENC "rsa-oaep-mgf1p",
	  .cipher = XMLENC_1_1 "aes128-gcm" },
#endif
#ifdef WITH_CBOR
	{ .name = "cose",
	  .help = "COSE: Sign1 with ES256 in Encrypt0 with AES-128-GCM and a shared key",
	  .ops = &message_cose,
	  .signer = "p256" },
#endif
#ifdef WITH_XMLSEC
	{ .name = "username-token",
	  .help = "SOAP: a username and the digest of nonce, time and password; no more",
	  .ops = &message_xml_token },
	{ .name = "none",
	  .help = "SOAP alone: what the others cost less",
	  .ops = &message_xml_plain },
	{ .name = "legacy",
	  .help = "SOAP as of old: RSA with SHA-1, RSA 1.5, 3DES; weak",
	  .ops = &message_xml,
	  .signer = "rsa2048",
	  .recipient = "rsa2048",
	  .signature = DSIG "rsa-sha1",
	  .digest = DSIG "sha1",
	  .key_transport = XMLENC "rsa-1_5",
	  .cipher = XMLENC "tripledes-cbc",
	  .legacy = true },
#endif
	{ .name = NULL },
};

const struct message_profile *message_profile_by_name(const char *name)
{
	for (const struct message_profile *p = message_profiles; p->name; p++)
		if (!strcmp(p->name, name))
			return p;
	return NULL;
}

void message_profile_names(struct buf *out)
{
	for (const struct message_profile *p = message_profiles; p->name; p++)
		buf_printf(out, "%s%s", p == message_profiles ? "" : ", ", p->name);
}

const struct message_profile *message_profile_default(void)
{
	return message_profiles->name ? message_profiles : NULL;
}

int message_open(struct message_party *p)
{
	return p->profile->ops->open(p);
}

void message_close(struct message_party *p)
{
	if (p->impl)
		p->profile->ops->close(p);
	p->impl = NULL;
}

/* What the stages do not hold of the time since from_ns. */
static int64_t rest_ns(const struct message_stages *t, bool reads, int64_t whole_ns)
{
	for (int i = 0; i < MESSAGE_STAGES; i++)
		if (message_stage_rows[i].reads == reads)
			whole_ns -= t->ns[i];
	return whole_ns;
}

int message_secure(struct message_party *p, const struct message_content *c, int64_t wall_ns,
		   struct buf *out, struct message_stages *t)
{
	struct message_stages one = { .secured = 1 };
	int64_t from_ns = clock_ns();

	fail_clear(&p->fail);
	if (c->text.len > MESSAGE_CONTENT_BYTES_MAX)
		return fail_set(&p->fail, EMSGSIZE, "a content of %zu bytes; at most %d fit",
				c->text.len, MESSAGE_CONTENT_BYTES_MAX);
	if (p->profile->ops->secure(p, c, wall_ns, out, &one))
		return -1;
	if (out->failed)
		return fail_set(&p->fail, ENOMEM, "no memory for a message");
	one.ns[MESSAGE_SEND_REST] = rest_ns(&one, false, clock_ns() - from_ns);
	message_stages_add(t, &one);
	return 0;
}

int message_read(struct message_party *p, const void *src, size_t len, int64_t wall_ns,
		 struct message_content *c, struct message_stages *t)
{
	struct message_stages one = { .read = 1 };
	int64_t from_ns = clock_ns();

	fail_clear(&p->fail);
	buf_clear(&c->text);
	c->id[0] = '\0';
	if (len > MESSAGE_BYTES_MAX)
		return fail_set(&p->fail, EMSGSIZE, "a message of %zu bytes; at most %d are read",
				len, MESSAGE_BYTES_MAX);
	if (p->profile->ops->read(p, src, len, wall_ns, c, &one)) {
		buf_clear(&c->text);
		c->id[0] = '\0';
		return fail_set(&p->fail, EBADMSG, "no message of this profile");
	}
	one.ns[MESSAGE_READ_REST] = rest_ns(&one, true, clock_ns() - from_ns);
	message_stages_add(t, &one);
	return 0;
}

void message_content_release(struct message_content *c)
{
	buf_release(&c->text);
	c->id[0] = '\0';
}

int message_check_times(int64_t created_s, int64_t expires_s, int64_t wall_ns, struct fail *f)
{
	int64_t now_s = wall_ns / NS_PER_S;

	if (created_s < 0)
		return fail_set(f, EBADMSG, "made before 1970: %lld s", (long long)created_s);
	if (created_s > now_s + MESSAGE_SKEW_S)
		return fail_set(f, EBADMSG, "made %lld s in the future",
				(long long)(created_s - now_s));
	/* Any number may come; only the end of a time that lies not ahead can be added to. */
	if (expires_s <= created_s || expires_s > created_s + MESSAGE_VALID_S)
		return fail_set(f, EBADMSG,
				"made at %lld and valid until %lld; expected 1 to %d s between",
				(long long)created_s, (long long)expires_s, MESSAGE_VALID_S);
	if (expires_s + MESSAGE_SKEW_S <= now_s)
		return fail_set(f, EBADMSG, "expired %lld s ago", (long long)(now_s - expires_s));
	return 0;
}

bool message_id_valid(const char *id, size_t len)
{
	if (len != MESSAGE_ID_BYTES - 1)
		return false;
	for (size_t i = 0; i < len; i++)
		if (!isxdigit((unsigned char)id[i]))
			return false;
	return true;
}
