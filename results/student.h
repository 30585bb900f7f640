/* SPDX-License-Identifier: Apache-2.0 */
/*
 * student - the one quantile that 95 % intervals need.
 *
 * student_gsl.c asks GSL, and is the default. student_own.c is built in its place
 * by `make WITH_GSL=`, for programs that must not link GPL libraries.
 */
#ifndef RESULTS_STUDENT_H
#define RESULTS_STUDENT_H

#include <stddef.h>

/* t with P(|T| <= t) = 0.95 for this many degrees of freedom, to 1e-6 of itself; degrees >= 1. */
double student_t95(size_t degrees);

#endif
