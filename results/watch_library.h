/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch_library - libmicrohttpd, loaded when the live page is asked for and by nobody else.
 *
 * It brings GnuTLS and eight more. Linked, each server and each load generator that is measured
 * would carry them: docs/design.md has what that costs, and the commands.
 */
#ifndef RESULTS_WATCH_LIBRARY_H
#define RESULTS_WATCH_LIBRARY_H

#include <microhttpd.h>

#include "lib/fail.h"

/* Each is a function of the library, MHD_ in front of its name. */
#define WATCH_LIBRARY(X)                 \
	X(add_response_header)           \
	X(create_response_from_buffer)   \
	X(create_response_from_callback) \
	X(destroy_response)              \
	X(get_connection_info)           \
	X(get_daemon_info)               \
	X(get_timeout)                   \
	X(get_version)                   \
	X(lookup_connection_value)       \
	X(queue_response)                \
	X(resume_connection)             \
	X(run)                           \
	X(start_daemon)                  \
	X(stop_daemon)                   \
	X(suspend_connection)

struct watch_library {
#define MEMBER(name) __typeof__(MHD_##name) *name;
	WATCH_LIBRARY(MEMBER)
#undef MEMBER
};

/* NULL: it is not there, or not the one that this program was built with; f says what to do. */
const struct watch_library *watch_library(struct fail *f);

#endif
