/* SPDX-License-Identifier: Apache-2.0 */
/* role - whose energy counts: the server's, the client's, or that of both. */
#ifndef RESULTS_ROLE_H
#define RESULTS_ROLE_H

#include "results/summary.h"

enum energy_role { ROLE_SERVER, ROLE_CLIENT, ROLE_BOTH };
extern const char *const role_names[]; /* of --role; ends with NULL */

bool role_counts(enum energy_role role, bool client);

/* What the role's nodes idled at; NAN: not known of one that counts. */
double role_idle_w(const struct cell_summary *c, enum energy_role role);

#endif
