/* SPDX-License-Identifier: Apache-2.0 */
/* html_text - text into a page, so that nothing in it can be markup. */
#ifndef RESULTS_HTML_TEXT_H
#define RESULTS_HTML_TEXT_H

#include "lib/buf.h"

/*
 * Escapes what has a meaning in elements and in quoted attributes; control characters and
 * what is not UTF-8 become U+FFFD.
 */
void html_text(struct buf *out, const char *text);

/* The same, and lines may break behind each colon: for suites, which are long. */
void html_suite(struct buf *out, const char *text);

/*
 * Opens a box that scrolls by itself where its table is wider than the page: it has a name, and
 * keys reach it. "</div>" closes it.
 */
void html_wide(struct buf *out, const char *label);

/* The same as html_text(), printed first; 2047 bytes at most. */
void html_printf(struct buf *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

#endif
