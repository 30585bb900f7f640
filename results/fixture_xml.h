/* SPDX-License-Identifier: Apache-2.0 */
/* fixture_xml - is this page well-formed, and what stands in it? Linked into tests only. */
#ifndef RESULTS_FIXTURE_XML_H
#define RESULTS_FIXTURE_XML_H

#include "lib/fail.h"

/*
 * Tags nest and end, attributes are quoted and not double, & begins a known entity, < and
 * > are markup. -1 with the place in f. A "<!DOCTYPE ...>" at the start is let through.
 */
int fixture_xml_check(const char *text, struct fail *f);

/*
 * The number in attribute `name` of the n-th element (from 0) whose tag begins with `begin`,
 * such as "<rect class=\"bar"; NAN: there is none.
 */
double fixture_xml_number(const char *text, const char *begin, int n, const char *name);
/* How many elements begin so. */
int fixture_xml_count(const char *text, const char *begin);

#endif
