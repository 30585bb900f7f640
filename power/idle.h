/* SPDX-License-Identifier: Apache-2.0 */
/*
 * idle - gross, idle and net energy: idle is measured before and after, never assumed.
 */
#ifndef POWER_IDLE_H
#define POWER_IDLE_H

#include "power/energy.h"

struct energy_net {
	int64_t gross_nj, idle_nj, net_nj; /* net = gross - idle, negative as it may be */
	int64_t idle_nw;                   /* mean of the idle windows, by their covered time */
	int64_t drift_nw;                  /* after - before; 0 when one of them is missing */
	bool drift_known, drifted;         /* drifted: see idle.c */
	/* Standard uncertainties of net, shown apart. Offset cancels, relative parts do not. */
	int64_t instrument_nj;
	int64_t idle_stat_nj; /* scatter of the idle windows, and their drift */
};

/*
 * One idle window may be NULL or without coverage; -1 when neither can be used or busy has no
 * coverage. The idle power counts over the time that busy's energy is about.
 */
int energy_net(const struct energy *busy, const struct energy *idle_before,
	       const struct energy *idle_after, struct energy_net *out);

#endif
