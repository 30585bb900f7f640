/* SPDX-License-Identifier: Apache-2.0 */
/* audit_record - what writing and reading an audit log share. Internal to audit*.c. */
#ifndef WORKLOADS_AUDIT_RECORD_H
#define WORKLOADS_AUDIT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "workloads/audit.h"

/* Of what stands behind it on its line, the tab included, the line end not. */
uint32_t audit_checksum(const char *text, size_t len);

/* From the beginning; torn_bytes are at the end. -1: f, no file name in it. */
int audit_read(int fd, struct audit_found *found, struct fail *f);

#endif
