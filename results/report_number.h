/* SPDX-License-Identifier: Apache-2.0 */
/* report_number - a real number for machines: a point in every locale, nothing when unknown. */
#ifndef RESULTS_REPORT_NUMBER_H
#define RESULTS_REPORT_NUMBER_H

#include "lib/buf.h"

void report_number(struct buf *out, double value);

#endif
