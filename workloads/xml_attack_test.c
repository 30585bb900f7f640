/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml_attack_test - what is done to signed and encrypted SOAP messages in earnest: wrapped
 * signatures in a dozen forms, document types, algorithms and keys of the attacker's choice,
 * parts left out or doubled. Each must be refused, by the message of its cause where that is
 * known, while the same message untouched is accepted.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "workloads/message.h"
#include "workloads/message_testing.h"
#include "workloads/xml_names.h"

#define EVIL "<c:Message xmlns:c=\"" XML_MESSAGE "\" Exchange=\"" ID "\">open the valve</c:Message>"
#define ID   "0123456789abcdef0123456789abcdef"

static char *said;

static char *print(const char *format, ...) __attribute__((format(printf, 1, 2)));

static char *print(const char *format, ...)
{
	va_list ap;
	char *text;

	va_start(ap, format);
	assert_true(vasprintf(&text, format, ap) >= 0);
	va_end(ap);
	return text;
}

/* The one occurrence of what, replaced. */
static char *replace(const char *in, const char *what, const char *with)
{
	const char *at = strstr(in, what);

	if (!at)
		fail_msg("no %s in the message", what);
	return print("%.*s%s%s", (int)(at - in), in, with, at + strlen(what));
}

/* From the first `from` to the end of the next `to`; the caller's. */
static char *cut(const char *in, const char *from, const char *to)
{
	const char *at = strstr(in, from), *end = at ? strstr(at, to) : NULL;

	assert_non_null(end);
	return print("%.*s", (int)(end + strlen(to) - at), at);
}

static char *body_of(const char *message)
{
	return cut(message, "<soap:Body", "</soap:Body>");
}

static void say(const char *profile)
{
	struct message_content c = { .id = ID };
	struct message_stages t = { 0 };
	struct buf out = { 0 };

	buf_puts(&c.text, "close the valve");
	if (message_secure(&message_pair(profile)->client, &c, clock_wall_ns(), &out, &t))
		fail_msg("%s", message_pair(profile)->client.fail.text);
	free(said);
	said = print("%s", buf_text(&out));
	message_content_release(&c);
	buf_release(&out);
}

static bool hears(const char *profile, const char *message)
{
	struct message_party *p = &message_pair(profile)->server;
	struct message_content c = { 0 };
	struct message_stages t = { 0 };
	bool well = message_read(p, message, strlen(message), clock_wall_ns(), &c, &t) == 0;

	if (well)
		assert_string_equal(buf_text(&c.text), "close the valve");
	message_content_release(&c);
	return well;
}

/* Frees the message. why: part of the reason that must be given; NULL: any. */
static void refused(const char *profile, char *message, const char *why)
{
	const char *text = message_pair(profile)->server.fail.text;

	if (hears(profile, message))
		fail_msg("accepted: %s", message);
	if (why && !strstr(text, why))
		fail_msg("\"%s\", and not \"%s\": %s", text, why, message);
	free(message);
}

/* --- wrapped signatures ---------------------------------------------------------------- */

/*
 * What an attacker can make without a signature: a content of his own, encrypted for the
 * server, and its key. Taken from a message that says something else.
 */
static char *evil_data, *evil_key;

static void say_evil(void)
{
	struct message_content c = { .id = ID };
	struct message_stages t = { 0 };
	struct buf out = { 0 };
	char *data, *key;

	buf_puts(&c.text, "open the valve");
	assert_int_equal(message_secure(&message_pair("modern-ecdsa")->client, &c, clock_wall_ns(),
					&out, &t),
			 0);
	data = cut(buf_text(&out), "<EncryptedData", "</EncryptedData>");
	key = cut(buf_text(&out), "<xenc:EncryptedKey", "</xenc:EncryptedKey>");
	evil_data = replace(data, "Id=\"Data-1\"", "Id=\"Data-9\"");
	evil_key = replace(key, "#Data-1", "#Data-9");
	free(data);
	free(key);
	message_content_release(&c);
	buf_release(&out);
}

/* Body goes where it is said, marked by @; one with the attacker's content is in its place. */
static char *wrap(const char *evil_start, const char *where, const char *with)
{
	char *body = body_of(said), *key = cut(said, "<xenc:EncryptedKey", "</xenc:EncryptedKey>");
	char *evil_body = print("%s%s</soap:Body>", evil_start, evil_data);
	char *rekeyed = replace(said, key, evil_key), *without = replace(rekeyed, body, evil_body);
	char *wrapped = replace(with, "@", body), *all = replace(without, where, wrapped);

	free(body);
	free(key);
	free(evil_body);
	free(rekeyed);
	free(without);
	free(wrapped);
	return all;
}

#define START(id) "<soap:Body xmlns:wsu=\"" XML_WSU "\" wsu:Id=\"" id "\">"

static void wrapped_signatures(void **state)
{
	static const char bare[] = "<soap:Body>", twin[] = START("Body-1"),
			  other[] = START("Body-2");
	char *body, *wrapped;

	(void)state;
	say("modern-ecdsa");
	say_evil();
	assert_true(hears("modern-ecdsa", said));
	/* 1 to 3: in a header of its own, the attacker's without an id, with another, the same */
	refused("modern-ecdsa", wrap(bare, "</soap:Header>", "<w>@</w></soap:Header>"), "a w too");
	refused("modern-ecdsa", wrap(other, "</soap:Header>", "<w>@</w></soap:Header>"), "a w too");
	refused("modern-ecdsa", wrap(twin, "</soap:Header>", "<w>@</w></soap:Header>"), "twice");
	/* 4: in Security; 5: in Signature, as an Object; 6: behind the header, as a sibling */
	refused("modern-ecdsa", wrap(other, "</wsse:Security>", "@</wsse:Security>"), "Body too");
	refused("modern-ecdsa",
		wrap(other, "</ds:Signature>", "<ds:Object>@</ds:Object></ds:Signature>"),
		"Object too");
	refused("modern-ecdsa", wrap(other, "</soap:Header>", "</soap:Header>@"), "Body too");
	/* 7: behind the attacker's Body; 8: inside of it */
	refused("modern-ecdsa", wrap(other, "</soap:Envelope>", "@</soap:Envelope>"), "Body too");
	refused("modern-ecdsa", wrap(other, "<EncryptedData", "@<EncryptedData"), "Body too");
	/* 9: in a comment; and nowhere, which is no wrapping, but what wrapping is for */
	refused("modern-ecdsa", wrap(other, "</soap:Envelope>", "<!--@--></soap:Envelope>"),
		"comment");
	body = body_of(said);
	wrapped = wrap(twin, "</soap:Envelope>", "@</soap:Envelope>");
	refused("modern-ecdsa", replace(wrapped, body, ""), "signature does not fit");
	free(wrapped);
	free(body);
	free(evil_data);
	free(evil_key);
}

/* 10 to 12: the parts that stand once, twice. */
static void parts_that_stand_twice(void **state)
{
	(void)state;
	say("modern-ecdsa");
	refused("modern-ecdsa",
		replace(said, "<soap:Header>",
			"<soap:Header><wsse:Security xmlns:wsse=\"" XML_WSSE "\"/>"),
		"Security too");
	refused("modern-ecdsa",
		replace(said, "</wsse:Security>",
			"<wsu:Timestamp wsu:Id=\"T\"><wsu:Created>2026-01-01T00:00:00Z"
			"</wsu:Created><wsu:Expires>2036-01-01T00:00:00Z</wsu:Expires>"
			"</wsu:Timestamp></wsse:Security>"),
		"Timestamp too");
	refused("modern-ecdsa",
		replace(said, "</wsse:Security>",
			"<ds:Signature xmlns:ds=\"" XML_DSIG "\"/></wsse:Security>"),
		"Signature too");
}

/* The same with what is signed pointed elsewhere. */
static void references_elsewhere(void **state)
{
	char *t;

	(void)state;
	say("modern-ecdsa");
	refused("modern-ecdsa", replace(said, "URI=\"#Body-1\"", "URI=\"\""), "not this body");
	refused("modern-ecdsa", replace(said, "URI=\"#Body-1\"", "URI=\"#Token-1\""),
		"not this body");
	refused("modern-ecdsa", replace(said, "URI=\"#Body-1\"", "URI=\"#Timestamp-1\""),
		"not this body");
	refused("modern-ecdsa", replace(said, "URI=\"#Body-1\"", "URI=\"#xpointer(id('Body-1'))\""),
		"not this body");
	refused("modern-ecdsa", replace(said, "URI=\"#Body-1\"", "URI=\"file:///etc/hostname\""),
		"not this body");
	refused("modern-ecdsa",
		replace(said, "wsu:Id=\"Body-1\"", "wsu:Id=\"Body-1\" xml:id=\"x\""), "xml:id");
	refused("modern-ecdsa",
		replace(said, "wsu:Id=\"Body-1\"", "wsu:Id=\"Body-1\" Id=\"Body-1\""), "twice");
	refused("modern-ecdsa", replace(said, "wsu:Id=\"Body-1\"", "Id=\"Body-1\""), "no id");
	refused("modern-ecdsa", replace(said, "Id=\"Body-1\"", "Id=\"Body-1') | id('x\""), "no id");
	t = cut(said, "<ds:Reference URI=\"#Timestamp-1\"", "</ds:Reference>");
	refused("modern-ecdsa", replace(said, t, ""), "no Reference");
	free(t);
	t = cut(said, "<ds:Transform ", "/>");
	refused("modern-ecdsa", replace(said, t, ""), "no Transform");
	refused("modern-ecdsa",
		replace(said, t,
			"<ds:Transform "
			"Algorithm=\"http://www.w3.org/TR/1999/REC-xslt-19991116\"/>"),
		"Transform has Algorithm");
	refused("modern-ecdsa",
		replace(said, t,
			"<ds:Transform Algorithm=\"" XML_C14N "\"/><ds:Transform "
			"Algorithm=\"http://www.w3.org/TR/1999/REC-xpath-19991116\"/>"),
		"Transform too");
	free(t);
}

/* --- algorithms and keys ---------------------------------------------------------------- */

static void algorithms_of_the_attacker(void **state)
{
	(void)state;
	say("modern-rsa");
	assert_true(hears("modern-rsa", said));
	refused("modern-rsa", replace(said, "xmldsig-more#rsa-sha256", "xmldsig-more#hmac-sha256"),
		"SignatureMethod");
	refused("modern-rsa",
		replace(said, "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
			XML_DSIG "rsa-sha1"),
		"SignatureMethod");
	refused("modern-rsa",
		replace(said, "http://www.w3.org/2001/04/xmlenc#sha256", XML_DSIG "sha1"),
		"DigestMethod");
	refused("modern-rsa", replace(said, "xmlenc#rsa-oaep-mgf1p", "xmlenc#rsa-1_5"),
		"EncryptionMethod");
	refused("modern-rsa",
		replace(said, "http://www.w3.org/2009/xmlenc11#aes128-gcm", XML_ENC "aes128-cbc"),
		"EncryptionMethod");
	refused("modern-rsa", replace(said, XML_C14N, "http://www.w3.org/2006/12/xml-c14n11"),
		"Canonicalization");
}

/* A token of another exchange: well signed, by somebody that our authority does not know. */
static void keys_of_the_attacker(void **state)
{
	char *theirs, *ours, *mixed;

	(void)state;
	say("modern-rsa");
	theirs = cut(said, "<wsse:BinarySecurityToken", "</wsse:BinarySecurityToken>");
	say("modern-ecdsa");
	ours = cut(said, "<wsse:BinarySecurityToken", "</wsse:BinarySecurityToken>");
	refused("modern-ecdsa", replace(said, ours, theirs), "not to be trusted");
	mixed = replace(ours, "#X509v3", "#X509PKIPathv1");
	refused("modern-ecdsa", replace(said, ours, mixed), "ValueType");
	free(mixed);
	refused("modern-ecdsa", replace(said, ours, ""), "no BinarySecurityToken");
	refused("modern-ecdsa", replace(said, "#Token-1", "#Token-2"), "another certificate");
	refused("modern-ecdsa",
		replace(said, "</ds:KeyInfo></ds:Signature>",
			"<ds:KeyName>x</ds:KeyName></ds:KeyInfo></ds:Signature>"),
		"KeyName too");
	free(theirs);
	free(ours);
}

/* --- encryption ------------------------------------------------------------------------ */

static void encryption_left_out(void **state)
{
	char *body, *evil, *key;

	(void)state;
	say("modern-ecdsa");
	body = body_of(said);
	evil = print("<soap:Body xmlns:wsu=\"" XML_WSU "\" wsu:Id=\"Body-1\">" EVIL "</soap:Body>");
	refused("modern-ecdsa", replace(said, body, evil), "Message too");
	key = cut(said, "<xenc:EncryptedKey", "</xenc:EncryptedKey>");
	refused("modern-ecdsa", replace(said, key, ""), "no EncryptedKey");
	refused("modern-ecdsa", replace(said, "#Data-1", "#Data-2"), "other data");
	refused("modern-ecdsa", replace(said, "xmlenc#Content", "xmlenc#Element"), "Type");
	free(body);
	free(evil);
	free(key);
	key = cut(said, "<wsse:KeyIdentifier", "</wsse:KeyIdentifier>");
	refused("modern-ecdsa",
		replace(said, key,
			"<wsse:KeyIdentifier ValueType=\"" XML_X509_KEY_ID
			"\">AAAA</wsse:KeyIdentifier>"),
		"somebody else");
	free(key);
}

/* Content that we ourselves encrypted, from another message: well encrypted, not signed. */
static void encrypted_data_of_another_message(void **state)
{
	char *data, *key, *other_data, *other_key;

	(void)state;
	say("modern-ecdsa");
	other_data = cut(said, "<EncryptedData", "</EncryptedData>");
	other_key = cut(said, "<xenc:EncryptedKey", "</xenc:EncryptedKey>");
	say("modern-ecdsa");
	data = cut(said, "<EncryptedData", "</EncryptedData>");
	key = cut(said, "<xenc:EncryptedKey", "</xenc:EncryptedKey>");
	refused("modern-ecdsa", replace(said, data, other_data), "decrypted");
	refused("modern-ecdsa", replace(said, key, other_key), "decrypted");
	free(data);
	free(key);
	free(other_data);
	free(other_key);
}

/* --- documents ------------------------------------------------------------------------- */

static void document_types(void **state)
{
	static const char *const types[] = {
		"<!DOCTYPE x>",
		"<!DOCTYPE x SYSTEM \"file:///etc/passwd\">",
		"<!DOCTYPE x SYSTEM \"http://127.0.0.1:1/x.dtd\">",
		"<!DOCTYPE x [<!ENTITY e SYSTEM \"file:///etc/passwd\">]>",
		"<!DOCTYPE x [<!ENTITY % p SYSTEM \"http://127.0.0.1:1/\"> %p;]>",
		"<!DOCTYPE x [<!ATTLIST x Id ID #IMPLIED>]>",
		"<!DOCTYPE l [<!ENTITY a \"lol\"><!ENTITY b \"&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;\">"
		"<!ENTITY c \"&b;&b;&b;&b;&b;&b;&b;&b;&b;&b;\"><!ENTITY d "
		"\"&c;&c;&c;&c;&c;&c;&c;\">"
		"<!ENTITY e \"&d;&d;&d;&d;&d;&d;&d;&d;&d;\"><!ENTITY f "
		"\"&e;&e;&e;&e;&e;&e;&e;\">]>",
	};
	char *with;

	(void)state;
	say("modern-ecdsa");
	for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
		int64_t from_ns = clock_ns();

		with = print("%s<soap:Envelope", types[i]);
		refused("modern-ecdsa", replace(said, "<soap:Envelope", with), "document type");
		free(with);
		/* Entities that were expanded would take longer than this by far. */
		assert_true(clock_ns() - from_ns < NS_PER_S);
	}
	refused("modern-ecdsa", replace(said, "<soap:Body", "<!-- --><soap:Body"), "comment");
	refused("modern-ecdsa", replace(said, "<soap:Body", "<?x y?><soap:Body"), "comment");
	refused("modern-ecdsa", replace(said, "<soap:Body", "text<soap:Body"), "a text");
}

static int close_all(void **state)
{
	free(said);
	return message_pairs_close(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(wrapped_signatures),
		cmocka_unit_test(parts_that_stand_twice),
		cmocka_unit_test(references_elsewhere),
		cmocka_unit_test(algorithms_of_the_attacker),
		cmocka_unit_test(keys_of_the_attacker),
		cmocka_unit_test(encryption_left_out),
		cmocka_unit_test(encrypted_data_of_another_message),
		cmocka_unit_test(document_types),
	};

	return cmocka_run_group_tests(tests, message_pairs_open, close_all);
}
