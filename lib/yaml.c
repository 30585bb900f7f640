/* SPDX-License-Identifier: Apache-2.0 */
/*
 * yaml - libfyaml's events built into our own tree.
 *
 * Events rather than the library's documents: each carries its place, keys given
 * twice stay visible, and nothing of the library outlives yaml_open(). Only calls
 * that are in 0.7 and in 0.8. It must not know what a campaign is.
 */
#include "lib/yaml.h"

#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

#include "lib/fail.h"
#include "lib/path.h"

#define DEPTH_MAX 32

/* --- bytes ---------------------------------------------------------------- */

/* Bytes of the well-formed character at p (RFC 3629), 0 when there is none. */
static size_t character(const unsigned char *p, size_t left)
{
	size_t len = p[0] < 0x80 ? 1 : p[0] < 0xc2 ? 0 : p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;

	if (!len || p[0] > 0xf4 || len > left)
		return 0;
	for (size_t i = 1; i < len; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	if ((p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xed && p[1] > 0x9f) ||
	    (p[0] == 0xf0 && p[1] < 0x90) || (p[0] == 0xf4 && p[1] > 0x8f))
		return 0;
	return len;
}

static bool is_text(unsigned char c)
{
	return (c >= ' ' && c != 0x7f) || c == '\n' || c == '\r' || c == '\t';
}

static int check_bytes(struct yaml *y)
{
	const unsigned char *p = (const unsigned char *)y->text.data;
	size_t left = y->text.len;
	int line = 1, column = 1;

	while (left) {
		size_t len = character(p, left);

		if (!len)
			return yaml_note(y, line, column,
					 "byte 0x%02x is not UTF-8; save the file as UTF-8", *p);
		if (!is_text(*p))
			return yaml_note(y, line, column,
					 "control character 0x%02x; expected a text file", *p);
		column++;
		if (*p == '\n') {
			line++;
			column = 1;
		}
		p += len;
		left -= len;
	}
	return 0;
}

/* --- from events to nodes ------------------------------------------------- */

struct builder {
	struct yaml *y;
	struct yaml_node *open; /* the list or map being filled */
	struct yaml_node *key;  /* of the map: read, its value not yet */
	int depth, documents;
	bool stopped; /* what follows cannot be placed in the tree */
};

static struct yaml_node *make(struct yaml *y, enum yaml_shape shape, struct fy_event *e,
			      const struct yaml_node *instead)
{
	const struct fy_mark *mark = fy_event_start_mark(e);
	struct yaml_node *n = calloc(1, sizeof(*n));

	if (!n)
		return NULL;
	n->made_before = y->made;
	y->made = n;
	n->shape = shape;
	n->line = mark ? mark->line + 1 : instead ? instead->line : 1;
	n->column = mark ? mark->column + 1 : instead ? instead->column : 1;
	return n;
}

/* The library's mark is behind the opening quote. */
static bool is_quoted(struct fy_token *token)
{
	enum fy_scalar_style style = fy_token_scalar_style(token);

	return style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
}

static void read_text(struct yaml *y, struct yaml_node *n, struct fy_event *e)
{
	struct fy_token *token = fy_event_get_token(e);
	size_t len = 0;
	const char *text = fy_token_get_text(token, &len);

	n->column -= is_quoted(token) && n->column > 1;
	if (!text)
		return;
	n->owned = calloc(1, len + 1);
	if (!n->owned) {
		yaml_error(y, n, "no memory left to read it");
		n->broken = true;
		return;
	}
	memcpy(n->owned, text, len);
	n->text = n->owned;
	for (size_t i = 0; i < len; i++) {
		if (is_text((unsigned char)text[i]) && text[i] != '\n' && text[i] != '\r')
			continue;
		yaml_error(y, n,
			   "a line end or control character in a text; "
			   "expected one line");
		n->broken = true;
		return;
	}
}

static void refuse_decorations(struct yaml *y, struct yaml_node *n, struct fy_event *e)
{
	if (fy_event_get_tag_token(e))
		yaml_error(y, n, "tags (\"!...\") are not read here; write the plain value");
	if (fy_event_get_anchor_token(e))
		yaml_error(y, n,
			   "anchors (\"&...\") are not read here; write the value again "
			   "where it is needed");
}

/* Behind the children of the list or map that is open, or as the root. */
static void attach(struct builder *b, struct yaml_node *n)
{
	struct yaml_node *in = b->open;

	if (!in) {
		b->y->root = n;
		return;
	}
	n->parent = in;
	if (in->shape == YAML_MAP) {
		n->key = b->key;
		b->key = NULL;
	}
	if (in->last)
		in->last->next = n;
	else
		in->child = n;
	in->last = n;
	in->children++;
}

static bool awaits_key(const struct builder *b)
{
	return b->open && b->open->shape == YAML_MAP && !b->key;
}

/* Where nothing is written, libfyaml 0.8 points behind the colon and 0.7 nowhere: at the key. */
static void place_nothing(struct yaml_node *n, const struct yaml_node *instead, struct fy_event *e)
{
	if (!instead || *n->text || is_quoted(fy_event_get_token(e)))
		return;
	n->line = instead->line;
	n->column = instead->column;
}

static void on_scalar(struct builder *b, struct fy_event *e)
{
	const struct yaml_node *instead = b->key ? b->key : b->open;
	struct yaml_node *n = make(b->y, YAML_SCALAR, e, instead);

	if (!n) {
		b->stopped = true;
		return;
	}
	n->text = "";
	if (e->type == FYET_ALIAS) {
		yaml_error(b->y, n, "aliases (\"*...\") are not read here; write the value again");
		n->broken = true;
	} else {
		read_text(b->y, n, e);
		place_nothing(n, instead, e);
		refuse_decorations(b->y, n, e);
	}
	if (awaits_key(b))
		b->key = n;
	else
		attach(b, n);
}

static void on_start(struct builder *b, struct fy_event *e)
{
	enum yaml_shape shape = e->type == FYET_MAPPING_START ? YAML_MAP : YAML_LIST;
	struct yaml_node *n = make(b->y, shape, e, b->key ? b->key : b->open);

	b->stopped = true;
	if (!n)
		return;
	if (awaits_key(b)) {
		yaml_error(b->y, n, "a %s cannot be a key; expected a word and a colon",
			   shape == YAML_MAP ? "map" : "list");
		return;
	}
	if (b->depth++ >= DEPTH_MAX) {
		yaml_error(b->y, n, "nested deeper than %d levels", DEPTH_MAX);
		return;
	}
	b->stopped = false;
	refuse_decorations(b->y, n, e);
	attach(b, n);
	b->open = n;
}

static void on_end(struct builder *b)
{
	if (b->open)
		b->open = b->open->parent;
	b->depth--;
}

static void on_document(struct builder *b, struct fy_event *e)
{
	const struct fy_mark *mark = fy_event_start_mark(e);

	if (!b->documents++)
		return;
	yaml_note(b->y, mark ? mark->line + 1 : 1, 1, "a second document; expected one in a file");
	b->stopped = true;
}

static void on_event(struct builder *b, struct fy_event *e)
{
	switch (e->type) {
	case FYET_DOCUMENT_START:
		on_document(b, e);
		break;
	case FYET_SCALAR:
	case FYET_ALIAS:
		on_scalar(b, e);
		break;
	case FYET_MAPPING_START:
	case FYET_SEQUENCE_START:
		on_start(b, e);
		break;
	case FYET_MAPPING_END:
	case FYET_SEQUENCE_END:
		on_end(b);
		break;
	default:
		break;
	}
}

static void note_diagnostics(struct yaml *y, struct fy_diag *diag)
{
	struct fy_diag_error *e;
	void *at = NULL;

	while ((e = fy_diag_errors_iterate(diag, &at)))
		if (e->type == FYET_ERROR)
			yaml_note(y, e->line > 0 ? e->line : 1, e->column > 0 ? e->column : 1,
				  "not YAML: %s", e->msg ? e->msg : "syntax error");
}

static int build(struct yaml *y, struct fy_parser *parser, struct fy_diag *diag)
{
	struct builder b = { .y = y };
	struct fy_event *e;

	while (!b.stopped && (e = fy_parser_parse(parser))) {
		on_event(&b, e);
		fy_parser_event_free(parser, e);
	}
	note_diagnostics(y, diag);
	if (fy_parser_get_stream_error(parser) && !y->errors)
		yaml_note(y, 0, 0, "not YAML");
	if (b.stopped && !y->errors)
		yaml_note(y, 0, 0, "no memory left to read it");
	if (b.stopped || fy_parser_get_stream_error(parser)) {
		y->root = NULL;
		return -1;
	}
	return 0;
}

static int parse(struct yaml *y)
{
	struct fy_parse_cfg settings = { .flags = FYPCF_ALLOW_DUPLICATE_KEYS |
						  FYPCF_DISABLE_MMAP_OPT | FYPCF_JSON_NONE };
	struct fy_diag_cfg silent;
	struct fy_parser *parser = NULL;
	int status = -1;

	fy_diag_cfg_default(&silent);
	silent.fp = NULL;
	settings.diag = fy_diag_create(&silent);
	if (!settings.diag)
		return yaml_note(y, 0, 0, "no memory left to read it");
	fy_diag_set_collect_errors(settings.diag, true);
	parser = fy_parser_create(&settings);
	if (!parser || fy_parser_set_string(parser, y->text.data, y->text.len))
		yaml_note(y, 0, 0, "no memory left to read it");
	else
		status = build(y, parser, settings.diag);
	fy_parser_destroy(parser);
	fy_diag_destroy(settings.diag);
	return status;
}

static int read_document(struct yaml *y)
{
	if (check_bytes(y))
		return -1;
	if (y->text.len && parse(y))
		return -1;
	if (!y->root)
		return yaml_note(y, 1, 1, "the file is empty");
	return y->errors ? -1 : 0;
}

int yaml_open(struct yaml *y, const char *file)
{
	struct fail f = { 0 };

	*y = (struct yaml){ .file = file };
	buf_init(&y->text, 0);
	if (path_read(file, YAML_BYTES_MAX, &y->text, &f))
		return yaml_note(y, 0, 0, "%s", f.text);
	return read_document(y);
}

int yaml_open_text(struct yaml *y, const char *name, const char *text)
{
	*y = (struct yaml){ .file = name };
	buf_init(&y->text, 0);
	buf_puts(&y->text, text);
	return y->text.failed ? yaml_note(y, 0, 0, "no memory left to read it") : read_document(y);
}

void yaml_close(struct yaml *y)
{
	while (y->made) {
		struct yaml_node *n = y->made;

		y->made = n->made_before;
		free(n->owned);
		free(n);
	}
	for (int i = 0; i < y->kept; i++)
		free(y->error[i].text);
	free(y->error);
	buf_release(&y->text);
	*y = (struct yaml){ 0 };
}
