/* SPDX-License-Identifier: Apache-2.0 */
/* report_plot - a plot with its legend, and the table of what it shows behind it. */
#ifndef RESULTS_REPORT_PLOT_H
#define RESULTS_REPORT_PLOT_H

#include "results/svg_plot.h"

/* p's axes are set here. source: "modelled", or "" where the figure is no energy. */
void report_plot(struct svg_plot *p, const char *source, struct buf *out);

#endif
