/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_json - the contract of "cipherwatt/1": dotted names are paths, unknown is null.
 *
 * One cell's tree at a time is built and written, so that thousands do not add up.
 */
#include "results/report.h"
#include "results/report_reference.h"
#include "results/report_tree.h"
#include "results/stats_boot.h"

static json_t *campaign_of(const struct report *r)
{
	static const struct field_part parts[] = { { "", campaign_fields, 0 }, { 0 } };
	json_t *object = report_tree(parts, &r->campaign);

	json_object_set_new(object, "trials", json_integer(r->trials));
	json_object_set_new(object, "trials_missing", json_integer(r->trials_missing));
	return object;
}

static json_t *invalid_of(const struct report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->invalids; i++)
		json_array_append_new(
			list, json_pack("{s:o, s:I, s:o}", "cell",
					report_tree_text(r->cell[r->invalid[i].cell].cell.name),
					"block", (json_int_t)r->invalid[i].block, "reason",
					report_tree_text(r->invalid[i].reason)));
	return list;
}

static json_t *notes_of(const struct report *r)
{
	json_t *list = json_array();

	for (size_t i = 0; i < r->notes; i++)
		json_array_append_new(
			list, json_pack("{s:o, s:I, s:o}", "cell",
					report_tree_text(r->cell[r->note[i].cell].cell.name),
					"block", (json_int_t)r->note[i].block, "note",
					report_tree_text(r->note[i].text)));
	return list;
}

static json_t *comparison_of(const struct report *r, const struct report_comparison *c)
{
	struct buf sentence = { 0 };
	json_t *object;

	report_sentence(r, c, &sentence);
	object = json_pack("{s:o, s:o, s:s, s:o, s:o, s:o}", "cell",
			   report_tree_text(r->cell[c->cell].cell.name), "reference",
			   report_tree_text(r->cell[c->reference].cell.name), "differ",
			   c->differ->name, "server_requests_per_cpu_s_ratio",
			   report_tree_interval(&c->cpu), "server_requests_per_mwh_ratio",
			   report_tree_interval(&c->energy), "sentence",
			   report_tree_text(buf_text(&sentence)));
	buf_release(&sentence);
	return object;
}

static void put_nodes(struct buf *out, const struct report *r)
{
	static const struct field_part parts[] = { { "", node_fields, 0 }, { 0 } };

	buf_puts(out, ",\n\"nodes\": [");
	for (size_t i = 0; i < r->nodes; i++) {
		buf_puts(out, i ? ",\n" : "\n");
		report_tree_put(out, report_tree(parts, &r->node[i]), false);
	}
	buf_puts(out, "]");
}

static void put_cells(struct buf *out, const struct report *r)
{
	buf_puts(out, ",\n\"cells\": [");
	for (size_t i = 0; i < r->cells; i++) {
		buf_puts(out, i ? ",\n" : "\n");
		report_tree_put(out, report_tree(summary_parts, &r->cell[i]), false);
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
	report_tree_put(out, campaign, false);
	buf_puts(out, ",\n\"options\": ");
	report_tree_put(out, options, false);
	put_nodes(out, r);
	put_cells(out, r);
	buf_puts(out, ",\n\"comparisons\": [");
	for (size_t i = 0; i < r->comparisons; i++) {
		buf_puts(out, i ? ",\n" : "\n");
		report_tree_put(out, comparison_of(r, &r->comparison[i]), false);
	}
	buf_puts(out, "],\n\"references\": ");
	report_tree_put(out, report_references_json(r), false);
	buf_puts(out, ",\n\"timelines\": ");
	report_tree_put(out, report_timelines_json(r), false);
	buf_puts(out, ",\n\"invalid_trials\": ");
	report_tree_put(out, invalid_of(r), false);
	buf_puts(out, ",\n\"notes\": ");
	report_tree_put(out, notes_of(r), false);
	buf_printf(out, ",\n\"bootstrap\": {\"seed\": %d, \"resamples\": %d}}\n", STATS_SEED,
		   STATS_RESAMPLES);
	return out->failed ? -1 : 0;
}
