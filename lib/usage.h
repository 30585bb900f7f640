/* SPDX-License-Identifier: Apache-2.0 */
/*
 * usage - what processes and threads have used: CPU time and memory.
 *
 * CPU time comes from the kernel's per-process clocks (nanoseconds), not from
 * tick counts.
 */
#ifndef LIB_USAGE_H
#define LIB_USAGE_H

#include <stdint.h>
#include <sys/types.h>

/* CPU time of a process with all its threads, ended ones included; -1 when it is gone. */
int64_t usage_process_cpu_ns(pid_t pid);
/* The same for the calling process and the calling thread. */
int64_t usage_self_cpu_ns(void);
int64_t usage_thread_cpu_ns(void);

/* Peak resident memory (VmHWM) in KiB; -1 when it is gone. */
int64_t usage_rss_peak_kib(pid_t pid);

/*
 * pid and its descendants now alive, pid first; returns how many (at most max).
 * For servers that fork workers.
 */
int usage_tree(pid_t pid, pid_t *dst, int max);

#endif
