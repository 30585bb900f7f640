/* SPDX-License-Identifier: Apache-2.0 */
/* student_gsl - Student's t by GSL; the only file that includes its headers. */
#include <gsl/gsl_cdf.h>
#include <math.h>

#include "results/student.h"

double student_t95_real(double degrees)
{
	return gsl_cdf_tdist_Pinv(0.975, degrees);
}

double student_t95(size_t degrees)
{
	return student_t95_real((double)degrees);
}

double student_beyond(double t, double degrees)
{
	return fmin(1, 2 * gsl_cdf_tdist_Q(fabs(t), degrees));
}
