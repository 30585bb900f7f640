/* SPDX-License-Identifier: Apache-2.0 */
/*
 * student - Student's t: the quantile that 95 % intervals need, and tail probabilities.
 *
 * student_gsl.c asks GSL, and is the default. student_own.c is built in its place
 * by `make WITH_GSL=`, for programs that must not link GPL libraries.
 */
#ifndef RESULTS_STUDENT_H
#define RESULTS_STUDENT_H

#include <stddef.h>

/* t with P(|T| <= t) = 0.95 for this many degrees of freedom, to 1e-6 of itself; degrees >= 1. */
double student_t95(size_t degrees);

/* The same where degrees need not be whole, as Welch's are not; degrees > 0. */
double student_t95_real(double degrees);

/* P(|T| >= |t|), to 1e-9; degrees > 0. */
double student_beyond(double t, double degrees);

#endif
