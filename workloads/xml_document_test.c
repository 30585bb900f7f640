/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml_document_test - documents without an end, envelopes of others, tables of what must be
 * there, texts and base64 in both directions.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lib/clock.h"
#include "lib/testing.h"
#include "workloads/message_testing.h"
#include "workloads/xml_document.h"
#include "workloads/xml_names.h"
#include "workloads/xml_party.h"

#define ID    "0123456789abcdef0123456789abcdef"
#define SAYS  "<c:Message xmlns:c=\"" XML_MESSAGE "\" Exchange=\"" ID "\">x</c:Message>"
#define START "<s:Envelope xmlns:s=\"" XML_SOAP "\">"
#define END   "</s:Envelope>"

static xmlDocPtr parse(const char *text)
{
	struct fail f = { 0 };
	xmlDocPtr doc = xml_parse(text, strlen(text), &f);

	if (!doc)
		fail_msg("%s: %s", text, f.text);
	return doc;
}

static void unread(const char *text, size_t len, const char *why)
{
	struct fail f = { 0 };
	xmlDocPtr doc = xml_parse(text, len, &f);

	if (doc || !strstr(f.text, why))
		fail_msg("\"%.80s\": %s", text, doc ? "read" : f.text);
}

static void what_is_no_document_of_ours(void **state)
{
	static const char utf16[] = "\xff\xfe<\0a\0/\0>";

	(void)state;
	unread("", 0, "well-formed");
	unread("<a>", 3, "well-formed");
	unread("<a/><b/>", 8, "well-formed");
	unread("<a/>\0", 5, "well-formed");
	unread("<a b='1' b='2'/>", 16, "well-formed");
	unread("<a>\xff</a>", 8, "well-formed");
	unread(utf16, sizeof utf16 - 1, "well-formed");
	unread("<!DOCTYPE a><a/>", 16, "document type");
	unread("<a>&b;</a>", 10, "well-formed");
	unread("<a><!----></a>", 14, "comment");
	unread("<!----><a/>", 11, "comment");
	unread("<a/><?b?>", 9, "comment");
	unread("<a xml:lang='en'/>", 18, "xml:lang");
	unread("<a id='1'><b ID='1'/></a>", 25, "twice");
	unread("<a Id=''/>", 10, "empty");
}

static void documents_without_end(void **state)
{
	struct buf deep = { 0 }, wide = { 0 };

	(void)state;
	for (int i = 0; i < 100000; i++)
		buf_puts(&deep, "<a>");
	unread(deep.data, deep.len, "well-formed");
	buf_clear(&deep);
	for (int i = 0; i <= XML_DEPTH_MAX; i++)
		buf_puts(&deep, "<a>");
	for (int i = 0; i <= XML_DEPTH_MAX; i++)
		buf_puts(&deep, "</a>");
	unread(deep.data, deep.len, "deeper");
	for (int i = 0; i <= XML_ELEMENTS_MAX; i++)
		buf_puts(&wide, i ? "<a/>" : "<a>");
	buf_puts(&wide, "</a>");
	unread(wide.data, wide.len, "more than");
	buf_release(&deep);
	buf_release(&wide);
}

static void as_deep_and_wide_as_may_be(void **state)
{
	struct buf text = { 0 };

	(void)state;
	for (int i = 1; i < XML_DEPTH_MAX; i++)
		buf_puts(&text, "<a>");
	for (int i = XML_DEPTH_MAX; i <= XML_ELEMENTS_MAX; i++)
		buf_puts(&text, "<a/>");
	for (int i = 1; i < XML_DEPTH_MAX; i++)
		buf_puts(&text, "</a>");
	xmlFreeDoc(parse(buf_text(&text)));
	buf_release(&text);
}

/* Well-formed and well meant, but not what is understood here. */
static void envelopes_of_others(void **state)
{
	static const char *const envelopes[][2] = {
		{ START "<s:Body>" SAYS SAYS "</s:Body>" END, "Message too many" },
		{ START "<s:Body/>" END, "no Message" },
		{ START "<s:Body>" SAYS "x</s:Body>" END, "a text in Body" },
		{ START "<s:Header/><s:Body>" SAYS "</s:Body>" END, "a header" },
		{ START END, "no Body" },
		{ "<s:Envelope xmlns:s=\"http://www.w3.org/2003/05/soap-envelope\"><s:Body>" SAYS
		  "</s:Body></s:Envelope>",
		  "not a SOAP" },
		{ "<Envelope><Body>" SAYS "</Body></Envelope>", "not a SOAP" },
		{ START "<s:Body><c:Message xmlns:c=\"" XML_MESSAGE
			"\" Exchange=\"12\">x</c:Message></s:Body>" END,
		  "id of its exchange" },
		{ START "<s:Body><c:Message xmlns:c=\"" XML_MESSAGE "\" Exchange=\"" ID
			"\"><b/></c:Message></s:Body>" END,
		  "no text" },
	};
	static const char good[] = START "<s:Body>" SAYS "</s:Body>" END;
	struct message_party *p = &message_pair("none")->server;
	struct message_content c = { 0 };
	struct message_stages t = { 0 };

	(void)state;
	assert_int_equal(message_read(p, good, strlen(good), clock_wall_ns(), &c, &t), 0);
	for (size_t i = 0; i < sizeof envelopes / sizeof *envelopes; i++) {
		const char *text = envelopes[i][0];

		if (!message_read(p, text, strlen(text), clock_wall_ns(), &c, &t) ||
		    !strstr(p->fail.text, envelopes[i][1]))
			fail_msg("%s: %s", text, p->fail.text);
	}
	message_content_release(&c);
}

static void tables_say_what_must_be_there(void **state)
{
	static const struct xml_expected table[] = {
		{ "urn:a", "x", false }, { "urn:a", "x", false }, { "urn:a", "y", true }, { 0 }
	};
	static const struct {
		const char *text;
		bool well;
	} documents[] = {
		{ "<r xmlns='urn:a'><x/> <x/>\n</r>", true },
		{ "<r xmlns='urn:a'><y/><x/><x/></r>", true },
		{ "<r xmlns='urn:a'><x/></r>", false },
		{ "<r xmlns='urn:a'><x/><x/><x/></r>", false },
		{ "<r xmlns='urn:a'><x/><x/><z/></r>", false },
		{ "<r xmlns='urn:a'><x/><x/><y xmlns='urn:b'/></r>", false },
		{ "<r xmlns='urn:a'><x/>.<x/></r>", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof documents / sizeof *documents; i++) {
		xmlDocPtr doc = parse(documents[i].text);
		xmlNodePtr found[4];
		struct fail f = { 0 };
		int ret = xml_take_children(xmlDocGetRootElement(doc), table, found, &f);

		if ((ret == 0) != documents[i].well)
			fail_msg("%s: %s", documents[i].text, f.text);
		if (ret == 0)
			assert_true(found[0] != found[1] && xml_is(found[1], "urn:a", "x"));
		xmlFreeDoc(doc);
	}
}

/* What was escaped is read again as it was, whatever it is, if XML can hold it. */
static void texts_come_back(void **state)
{
	static const char letters[] = "a<>&\"'\r\n\t ]]>\xc3\xa4";
	struct rng r = testing_rng("xml_document_test");

	(void)state;
	for (int i = 0; i < 2000; i++) {
		struct buf text = { 0 }, xml = { 0 }, back = { 0 };
		struct fail f = { 0 };
		xmlDocPtr doc;

		for (uint64_t n = rng_below(&r, 40); n > 0; n--) {
			size_t at = (size_t)rng_below(&r, sizeof letters - 2);

			buf_put(&text, letters + at, letters[at] == '\xc3' ? 2 : 1);
		}
		buf_puts(&xml, "<a>");
		assert_int_equal(xml_escape(text.data, text.len, &xml, &f), 0);
		buf_puts(&xml, "</a>");
		doc = parse(buf_text(&xml));
		assert_int_equal(xml_text(xmlDocGetRootElement(doc), &back, &f), 0);
		assert_int_equal(back.len, text.len);
		if (text.len)
			assert_memory_equal(back.data, text.data, text.len);
		xmlFreeDoc(doc);
		buf_release(&text);
		buf_release(&xml);
		buf_release(&back);
	}
}

static void base64_with_blanks(void **state)
{
	xmlDocPtr doc = parse("<a>aGVs\n bG8=\r\n\t</a>"), bad = parse("<a>aGVsbG8</a>");
	struct buf out = { 0 };
	struct fail f = { 0 };

	(void)state;
	assert_int_equal(xml_base64(xmlDocGetRootElement(doc), &out, &f), 0);
	assert_string_equal(buf_text(&out), "hello");
	assert_int_equal(xml_base64(xmlDocGetRootElement(bad), &out, &f), -1);
	xmlFreeDoc(doc);
	xmlFreeDoc(bad);
	buf_release(&out);
}

static void times_in_utc(void **state)
{
	static const char *const wrong[] = {
		"2026-02-31T00:00:00Z",  "2026-13-01T00:00:00Z",  "2026-+1-01T00:00:00Z",
		"2026-01- 1T00:00:00Z",  "2026-01-01T00:00:00",   "2026-01-01T00:00:00+00:00",
		"2026-01-01T00:00:00.Z", "2026-01-01T00:00:00Zx", "1969-12-31T23:59:59Z",
	};
	struct fail f = { 0 };
	int64_t s;

	(void)state;
	assert_int_equal(xml_read_time("2026-11-30T22:15:17Z", &s, &f), 0);
	assert_int_equal(s, 1796076917);
	assert_int_equal(xml_read_time("2026-11-30T22:15:17.123456789Z", &s, &f), 0);
	assert_int_equal(s, 1796076917);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		if (xml_read_time(wrong[i], &s, &f) == 0)
			fail_msg("\"%s\" was taken for a time", wrong[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_no_document_of_ours),
		cmocka_unit_test(documents_without_end),
		cmocka_unit_test(as_deep_and_wide_as_may_be),
		cmocka_unit_test(envelopes_of_others),
		cmocka_unit_test(tables_say_what_must_be_there),
		cmocka_unit_test(texts_come_back),
		cmocka_unit_test(base64_with_blanks),
		cmocka_unit_test(times_in_utc),
	};

	return cmocka_run_group_tests(tests, message_pairs_open, message_pairs_close);
}
