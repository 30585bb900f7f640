/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_look - looks at a database that a run may be writing, without being in its way.
 *
 * Between looks nothing of it is open and no lock is held, so the log's way into the file is
 * free. A look compares the stamps of the files, and who holds the run's lock; only where
 * those have changed is the campaign read anew, as a report reads it.
 */
#ifndef RESULTS_WATCH_LOOK_H
#define RESULTS_WATCH_LOOK_H

#include <sys/types.h>

#include "results/watch_view.h"

struct watch_stamps {
	struct {
		dev_t device;
		ino_t inode;
		off_t size;
		int64_t changed_ns;
	} file, log;
	int claimed;
};

struct watch_look {
	const char *database; /* NULL: the newest in the data directory; borrowed */
	const char *campaign; /* id or name; NULL: the newest; borrowed */
	struct watch_view view;
	int64_t version; /* another one whenever view may have changed */
	/* Its own. */
	struct report report;
	struct watch_stamps seen;
	int64_t due_ns;
};

/* l is zeroed but for what is asked for. -1: refused, a file that no waiting will make ours. */
int watch_look_check(const struct watch_look *l, struct fail *f);

/*
 * Once a second at most, and more seldom where reading is dear: fifty times what it took is
 * left between, so that watching costs a fiftieth of one core and no more. now_ns is monotonic.
 */
void watch_look(struct watch_look *l, int64_t now_ns);

void watch_look_release(struct watch_look *l);

#endif
