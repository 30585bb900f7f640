/* SPDX-License-Identifier: Apache-2.0 */
/* student_gsl - Student's t by GSL; the only file that includes its headers. */
#include <gsl/gsl_cdf.h>

#include "results/student.h"

double student_t95(size_t degrees)
{
	return gsl_cdf_tdist_Pinv(0.975, (double)degrees);
}
