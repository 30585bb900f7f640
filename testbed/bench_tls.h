/* SPDX-License-Identifier: Apache-2.0 */
/* bench_tls - the verbs of the bench program that have a file of their own. */
#ifndef TESTBED_BENCH_TLS_H
#define TESTBED_BENCH_TLS_H

#include "lib/fail.h"

/*
 * records SUITE COUNT REQUEST ANSWER: the CPU us that a server takes to open a datagram with
 * REQUEST bytes and to seal one with ANSWER bytes.
 */
int bench_records(char **argv, struct fail *f);

#endif
