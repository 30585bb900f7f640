/* SPDX-License-Identifier: Apache-2.0 */
/* xml_document - libxml2 with everything shut that a message does not need. */
#include "workloads/xml_document.h"

#include <errno.h>
#include <libxml/parser.h>
#include <limits.h>
#include <string.h>
#include <strings.h>

#include "lib/base64.h"

/* No XML_PARSE_NOENT, _DTDLOAD, _XINCLUDE or _HUGE: their absence is what keeps it shut. */
#define OPTIONS (XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING)

/* --- parsing -------------------------------------------------------------------------- */

/* Before a single entity of it has been read. */
static void on_doctype(void *ctx, const xmlChar *name, const xmlChar *id, const xmlChar *system)
{
	xmlParserCtxtPtr parser = ctx;

	(void)name, (void)id, (void)system;
	parser->wellFormed = 0;
	xmlStopParser(parser);
}

xmlDocPtr xml_parse(const void *src, size_t len, struct fail *f)
{
	xmlParserCtxtPtr parser = xmlNewParserCtxt();
	xmlDocPtr doc = NULL;

	if (!parser || len > INT_MAX) {
		fail_set(f, ENOMEM, "no memory for an XML parser");
	} else if (!memchr(src, '\0', len)) { /* where libxml2 would end, whatever follows */
		parser->sax->internalSubset = on_doctype;
		parser->sax->externalSubset = on_doctype;
		doc = xmlCtxtReadMemory(parser, src, (int)len, NULL, "UTF-8", OPTIONS);
	}
	if (!doc)
		fail_set(f, EBADMSG, "no well-formed XML without a document type");
	xmlFreeParserCtxt(parser);
	if (doc && xml_check_nodes(doc, f) == 0)
		return doc;
	xmlFreeDoc(doc);
	return NULL;
}

static void free_children(xmlNodePtr node)
{
	xmlNodePtr child;

	while ((child = node->children)) {
		xmlUnlinkNode(child);
		xmlFreeNode(child);
	}
}

int xml_replace_content(xmlNodePtr node, const void *src, size_t len, struct fail *f)
{
	xmlNodePtr list = NULL;

	free_children(node);
	if (len > INT_MAX || memchr(src, '\0', len) ||
	    xmlParseInNodeContext(node, src, (int)len, OPTIONS, &list) != 0) {
		xmlFreeNodeList(list);
		return fail_set(f, EBADMSG, "the content is no well-formed XML");
	}
	if (list)
		xmlAddChildList(node, list);
	return 0;
}

/* --- all nodes ------------------------------------------------------------------------ */

struct census {
	int elements;
	const xmlChar *id[XML_ELEMENTS_MAX];
	int ids;
};

static int check_id(struct census *c, const xmlAttr *a, struct fail *f)
{
	const xmlChar *value = a->children ? a->children->content : NULL;

	if (a->ns && !strcmp((const char *)a->ns->href, (const char *)XML_XML_NAMESPACE))
		return fail_set(f, EBADMSG, "an xml:%.20s", (const char *)a->name);
	if (strcasecmp((const char *)a->name, "id") != 0)
		return 0;
	if (!value || !*value || a->children->next)
		return fail_set(f, EBADMSG, "an id that is empty");
	for (int i = 0; i < c->ids; i++)
		if (xmlStrEqual(c->id[i], value))
			return fail_set(f, EBADMSG, "the id %.40s stands twice",
					(const char *)value);
	if (c->ids == XML_ELEMENTS_MAX)
		return fail_set(f, EBADMSG, "more than %d ids", XML_ELEMENTS_MAX);
	c->id[c->ids++] = value;
	return 0;
}

static int check_element(struct census *c, const xmlNode *node, int depth, struct fail *f)
{
	if (depth > XML_DEPTH_MAX || ++c->elements > XML_ELEMENTS_MAX)
		return fail_set(f, EBADMSG, "more than %d elements, or deeper than %d",
				XML_ELEMENTS_MAX, XML_DEPTH_MAX);
	for (const xmlAttr *a = node->properties; a; a = a->next)
		if (check_id(c, a, f))
			return -1;
	return 0;
}

static int check_node(struct census *c, const xmlNode *node, int depth, struct fail *f)
{
	switch (node->type) {
	case XML_ELEMENT_NODE:
		return check_element(c, node, depth, f);
	case XML_TEXT_NODE:
	case XML_CDATA_SECTION_NODE:
		return 0;
	default:
		return fail_set(f, EBADMSG, "a comment, an entity or a processing instruction");
	}
}

int xml_check_nodes(xmlDocPtr doc, struct fail *f)
{
	struct census c = { 0 };
	const xmlNode *node = doc->children;
	int depth = 1;

	if (doc->intSubset || doc->extSubset)
		return fail_set(f, EBADMSG, "a document type");
	while (node) {
		if (check_node(&c, node, depth, f))
			return -1;
		if (node->type == XML_ELEMENT_NODE && node->children) {
			node = node->children;
			depth++;
			continue;
		}
		while (node && !node->next) {
			node = node->parent == (const xmlNode *)doc ? NULL : node->parent;
			depth--;
		}
		if (node)
			node = node->next;
	}
	return 0;
}

/* --- taking apart --------------------------------------------------------------------- */

bool xml_is(const xmlNode *node, const char *ns, const char *name)
{
	return node && node->type == XML_ELEMENT_NODE && node->ns && node->ns->href &&
	       !strcmp((const char *)node->name, name) && !strcmp((const char *)node->ns->href, ns);
}

static int take_child(xmlNodePtr child, const struct xml_expected *table, xmlNodePtr *found,
		      struct fail *f)
{
	for (int i = 0; table[i].name; i++)
		if (!found[i] && xml_is(child, table[i].ns, table[i].name)) {
			found[i] = child;
			return 0;
		}
	return fail_set(f, EBADMSG, "a %.40s too many in %.40s", (const char *)child->name,
			(const char *)child->parent->name);
}

int xml_take_children(xmlNodePtr parent, const struct xml_expected *table, xmlNodePtr *found,
		      struct fail *f)
{
	for (int i = 0; table[i].name; i++)
		found[i] = NULL;
	for (xmlNodePtr child = parent->children; child; child = child->next) {
		if (child->type == XML_ELEMENT_NODE && take_child(child, table, found, f))
			return -1;
		if (child->type != XML_ELEMENT_NODE && !xmlIsBlankNode(child))
			return fail_set(f, EBADMSG, "a text in %.40s", (const char *)parent->name);
	}
	for (int i = 0; table[i].name; i++)
		if (!found[i] && !table[i].optional)
			return fail_set(f, EBADMSG, "no %s in %.40s", table[i].name,
					(const char *)parent->name);
	return 0;
}

const char *xml_attribute(const xmlNode *node, const char *ns, const char *name)
{
	for (const xmlAttr *a = node->properties; a; a = a->next) {
		const char *href = a->ns ? (const char *)a->ns->href : NULL;

		if (strcmp((const char *)a->name, name) != 0)
			continue;
		if ((!ns && !href) || (ns && href && !strcmp(ns, href)))
			return a->children && !a->children->next
				       ? (const char *)a->children->content
				       : NULL;
	}
	return NULL;
}

int xml_expect_attribute(const xmlNode *node, const char *name, const char *value, struct fail *f)
{
	const char *is = xml_attribute(node, NULL, name);

	if (is && !strcmp(is, value))
		return 0;
	return fail_set(f, EBADMSG, "%.40s has %s %.80s; expected %.80s", (const char *)node->name,
			name, is ? is : "(none)", value);
}

int xml_text(const xmlNode *node, struct buf *out, struct fail *f)
{
	for (const xmlNode *child = node->children; child; child = child->next) {
		if (child->type != XML_TEXT_NODE && child->type != XML_CDATA_SECTION_NODE)
			return fail_set(f, EBADMSG, "%.40s is no text", (const char *)node->name);
		buf_puts(out, (const char *)child->content);
	}
	return out->failed ? fail_set(f, ENOMEM, "no memory for a text") : 0;
}

int xml_base64(const xmlNode *node, struct buf *out, struct fail *f)
{
	struct buf text = { 0 };
	size_t len = 0;
	int ret = xml_text(node, &text, f);

	for (size_t i = 0; i < text.len; i++)
		if (!strchr(" \t\r\n", text.data[i]))
			text.data[len++] = text.data[i];
	if (ret == 0)
		ret = base64_decode(text.data ? text.data : "", len, out, f);
	buf_release(&text);
	return ret;
}

/* --- escaping ------------------------------------------------------------------------- */

static const char *escape_of(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\r':
		return "&#13;";
	default:
		return NULL;
	}
}

int xml_escape(const char *text, size_t len, struct buf *out, struct fail *f)
{
	size_t from = 0;

	for (size_t i = 0; i < len; i++) {
		const char *escape = escape_of(text[i]);

		if ((unsigned char)text[i] < ' ' && !strchr("\t\n\r", text[i] ? text[i] : ' '))
			return fail_set(f, EINVAL,
					"byte %zu is a control character, which XML cannot hold",
					i);
		if (!escape)
			continue;
		buf_put(out, text + from, i - from);
		buf_puts(out, escape);
		from = i + 1;
	}
	buf_put(out, text + from, len - from);
	return 0;
}
