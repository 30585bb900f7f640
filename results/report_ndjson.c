/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report_ndjson - a JSON object on a line for each cell, for tools that read streams. What
 * tells campaigns apart stands in every line.
 */
#include "results/report.h"
#include "results/report_tree.h"

int report_write_ndjson(const struct report *r, bool colour, struct buf *out)
{
	(void)colour;
	for (size_t i = 0; i < r->cells; i++) {
		json_t *tree = report_tree(summary_parts, &r->cell[i]);

		json_object_set_new(tree, "schema", json_string("cipherwatt/1"));
		json_object_set_new(tree, "campaign",
				    json_pack("{s:o, s:o, s:I, s:b}", "name",
					      report_tree_text(r->campaign.name), "started",
					      report_tree_text(r->campaign.started), "seed",
					      (json_int_t)r->campaign.seed, "complete",
					      (int)r->campaign.complete));
		report_tree_put(out, tree, true);
		buf_byte(out, '\n');
	}
	return out->failed ? -1 : 0;
}
