/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_json - the contract of "cipherwatt/1": dotted names are paths, unknown is null.
 *
 * One cell's tree at a time is built and written, so that thousands do not add up.
 */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "results/report.h"

static json_t *number(double value)
{
	return isfinite(value) ? json_real(value) : json_null();
}

/* Text that is not UTF-8 loses what is not ASCII rather than the whole value. */
static json_t *text(const char *value)
{
	json_t *made = json_string(value);
	char ascii[1024];
	size_t len = 0;

	if (made)
		return made;
	for (; *value && len < sizeof(ascii); value++)
		ascii[len++] = (unsigned char)*value < 0x80 ? *value : '?';
	return json_stringn(ascii, len);
}

static json_t *document(const char *value)
{
	json_t *made = *value ? json_loads(value, JSON_DECODE_ANY, NULL) : json_null();

	return made ? made : text(value);
}

static json_t *interval(const struct interval *i)
{
	return json_pack("{s:o, s:[o, o], s:I}", "mean", number(i->mean), "ci95", number(i->lo),
			 number(i->hi), "n", (json_int_t)i->n);
}

static json_t *value_of(const struct field *f, const void *base)
{
	const void *at = (const char *)base + f->offset;

	switch (f->kind) {
	case FIELD_INT:
		return field_known(f, base) ? json_integer(*(const int64_t *)at) : json_null();
	case FIELD_REAL:
		return number(*(const double *)at);
	case FIELD_TEXT:
		return text(field_text(f, base));
	case FIELD_BOOL:
		return json_boolean(*(const bool *)at);
	case FIELD_INTERVAL:
		return interval(at);
	case FIELD_JSON:
		return document(field_text(f, base));
	}
	return json_null();
}

static void put_field(const char *name, const struct field *f, const void *base, void *data)
{
	json_t *object = data;
	const char *dot;
	char key[FIELD_NAME_BYTES];

	for (; (dot = strchr(name, '.')); name = dot + 1) {
		size_t len = (size_t)(dot - name);

		memcpy(key, name, len);
		key[len] = '\0';
		if (!json_object_get(object, key))
			json_object_set_new(object, key, json_object());
		object = json_object_get(object, key);
	}
	json_object_set_new(object, name, value_of(f, base));
}

static json_t *object_of(const struct field_part *parts, const void *record)
{
	json_t *object = json_object();

	field_each(parts, record, put_field, object);
	return object;
}

static int put_bytes(const char *bytes, size_t len, void *data)
{
	buf_put(data, bytes, len);
	return 0;
}

/* Takes the tree. */
static void put_tree(struct buf *out, json_t *tree)
{
	if (!tree || json_dump_callback(tree, put_bytes, out,
					JSON_INDENT(1) | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15)))
		out->failed = true;
	json_decref(tree);
}

static json_t *campaign_of(const struct report *r)
{
	static const struct field_part parts[] = { { "", campaign_fields, 0 }, { 0 } };
	json_t *object = object_of(parts, &r->campaign);

	json_object_set_new(object, "trials", json_integer(r->trials));
	json_object_set_new(object, "trials_missing", json_integer(r->trials_missing));
	return object;
}

static json_t *invalid_of(const struct report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->invalids; i++)
		json_array_append_new(list, json_pack("{s:o, s:I, s:o}", "cell",
						      text(r->cell[r->invalid[i].cell].cell.name),
						      "block", (json_int_t)r->invalid[i].block,
						      "reason", text(r->invalid[i].reason)));
	return list;
}

static json_t *notes_of(const struct report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->notes; i++)
		json_array_append_new(list, json_pack("{s:o, s:I, s:o}", "cell",
						      text(r->cell[r->note[i].cell].cell.name),
						      "block", (json_int_t)r->note[i].block, "note",
						      text(r->note[i].text)));
	return list;
}

static json_t *comparison_of(const struct report *r, const struct report_comparison *c)
{
	struct buf sentence = { 0 };
	json_t *object;

	report_sentence(r, c, &sentence);
	object = json_pack("{s:o, s:o, s:s, s:o, s:o, s:o}", "cell",
			   text(r->cell[c->cell].cell.name), "reference",
			   text(r->cell[c->reference].cell.name), "differ", c->differ->name,
			   "server_requests_per_cpu_s_ratio", interval(&c->cpu),
			   "server_requests_per_mwh_ratio", interval(&c->energy), "sentence",
			   text(buf_text(&sentence)));
	buf_release(&sentence);
	return object;
}

static void put_nodes(struct buf *out, const struct report *r)
{
	static const struct field_part parts[] = { { "", node_fields, 0 }, { 0 } };

	buf_puts(out, ",\n\"nodes\": [");
	for (size_t i = 0; i < r->nodes; i++) {
		buf_puts(out, i ? ",\n" : "\n");
		put_tree(out, object_of(parts, &r->node[i]));
	}
	buf_puts(out, "]");
}

static void put_cells(struct buf *out, const struct report *r)
{
	buf_puts(out, ",\n\"cells\": [");
	for (size_t i = 0; i < r->cells; i++) {
		buf_puts(out, i ? ",\n" : "\n");
		put_tree(out, object_of(summary_parts, &r->cell[i]));
	}
	buf_puts(out, "]");
}

int report_write_json(const struct report *r, bool colour, struct buf *out)
{
	json_t *campaign = campaign_of(r);
	json_t *options = json_incref(json_object_get(campaign, "options"));

	(void)colour;
	json_object_del(campaign, "options"); /* it stands at the top */
	buf_puts(out, "{\"schema\": \"cipherwatt/1\",\n\"campaign\": ");
	put_tree(out, campaign);
	buf_puts(out, ",\n\"options\": ");
	put_tree(out, options);
	put_nodes(out, r);
	put_cells(out, r);
	buf_puts(out, ",\n\"comparisons\": [");
	for (size_t i = 0; i < r->comparisons; i++) {
		buf_puts(out, i ? ",\n" : "\n");
		put_tree(out, comparison_of(r, &r->comparison[i]));
	}
	buf_puts(out, "],\n\"invalid_trials\": ");
	put_tree(out, invalid_of(r));
	buf_puts(out, ",\n\"notes\": ");
	put_tree(out, notes_of(r));
	buf_puts(out, "}\n");
	return out->failed ? -1 : 0;
}
