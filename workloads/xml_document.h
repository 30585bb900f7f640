/* SPDX-License-Identifier: Apache-2.0 */
/*
 * xml_document - XML from strangers: read with limits, and taken apart by tables that say
 * what must be there, so that what is not expected is refused. No document type, hence no
 * entities; no processing instructions and no comments, which would part texts; UTF-8
 * only; nothing is fetched.
 */
#ifndef WORKLOADS_XML_DOCUMENT_H
#define WORKLOADS_XML_DOCUMENT_H

#include <libxml/tree.h>
#include <stdbool.h>
#include <stddef.h>

#include "lib/buf.h"
#include "lib/fail.h"

#define XML_DEPTH_MAX    32
#define XML_ELEMENTS_MAX 1024

/* The caller's to xmlFreeDoc(). NULL, with the reason in f. */
xmlDocPtr xml_parse(const void *src, size_t len, struct fail *f);
/* Parse content as if it stood in node, and put it there in place of what does. */
int xml_replace_content(xmlNodePtr node, const void *src, size_t len, struct fail *f);
/*
 * Depth, number and kind of all nodes; xml:id nowhere, and no value of an attribute that is
 * called id, in any case and namespace, twice. Again after any change.
 */
int xml_check_nodes(xmlDocPtr doc, struct fail *f);

struct xml_expected {
	const char *ns, *name; /* name NULL ends the table */
	bool optional;
};

#define XML_EXPECTED_MAX 8

/*
 * The child elements of parent, each that the table names once, in any order, and no other;
 * text between them is blank. A name that stands in the table twice is found twice.
 * found[i]: the element of row i; NULL where an optional one is missing.
 */
int xml_take_children(xmlNodePtr parent, const struct xml_expected *table, xmlNodePtr *found,
		      struct fail *f);
bool xml_is(const xmlNode *node, const char *ns, const char *name);
/* Value of an attribute, borrowed; NULL where there is none. ns NULL: in no namespace. */
const char *xml_attribute(const xmlNode *node, const char *ns, const char *name);
/* -1 when the attribute is not there, or has another value. */
int xml_expect_attribute(const xmlNode *node, const char *name, const char *value, struct fail *f);
/* Append the text of an element that has no child elements. */
int xml_text(const xmlNode *node, struct buf *out, struct fail *f);
/* The same from base64, with blanks in it or not. */
int xml_base64(const xmlNode *node, struct buf *out, struct fail *f);

/* Append text with what XML would misread escaped; -1 where XML cannot hold it. */
int xml_escape(const char *text, size_t len, struct buf *out, struct fail *f);

#endif
