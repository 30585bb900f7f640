/* SPDX-License-Identifier: Apache-2.0 */
#include "solar/panel.h"

#include <errno.h>
#include <math.h>

#include "solar/sun.h"

#define RADIANS(deg) ((deg) * (M_PI / 180))

/* Lower, beam on a plane is a quotient of two small numbers: what there is counts as diffuse. */
#define LOW_SUN_DEG 3.0

/* Share of the light that reaches and stays in a cell. */
#define ABSORBED 0.9

#define PLANE_TOLERANCE_DEG 0.5

static bool same_angle(double a, double b)
{
	return isnan(a) || fabs(a - b) <= PLANE_TOLERANCE_DEG;
}

int panel_check(const struct panel *p, const struct weather *w, struct fail *f)
{
	if (!w->in_plane)
		return 0;
	if (!same_angle(w->slope_deg, p->slope_deg) ||
	    (p->slope_deg > 0 && !same_angle(w->azimuth_deg, p->azimuth_deg)))
		return fail_set(
			f, EINVAL,
			"the file's irradiance is of a plane of slope %g and azimuth %g degrees, "
			"not %g and %g: give --slope and --azimuth as the file, or a file of "
			"horizontal irradiance",
			w->slope_deg, w->azimuth_deg, p->slope_deg, p->azimuth_deg);
	return 0;
}

double panel_diffuse_share(double kt)
{
	if (kt <= 0.22)
		return 1 - 0.09 * fmax(0, kt);
	if (kt > 0.8)
		return 0.165;
	return 0.9511 + kt * (-0.1604 + kt * (4.388 + kt * (-16.638 + kt * 12.336)));
}

/* Cosine of the angle between the sun and the panel's normal. */
static double incidence(const struct panel *p, const struct sun *s)
{
	double slope = RADIANS(p->slope_deg);

	return s->sin_elevation * cos(slope) +
	       cos(s->elevation_rad) * sin(slope) * cos(s->azimuth_rad - RADIANS(p->azimuth_deg));
}

double panel_irradiance(const struct panel *p, const struct weather *w,
			const struct weather_row *row)
{
	double global = row->ghi_w_m2, slope = RADIANS(p->slope_deg);
	double sky = (1 + cos(slope)) / 2, ground = p->albedo * (1 - cos(slope)) / 2;
	double outside, diffuse, beam, clear, brightening, ratio;
	struct sun s;

	if (w->in_plane)
		return isnan(row->poa_w_m2) ? 0 : row->poa_w_m2;
	if (isnan(global))
		return 0;
	if (p->slope_deg == 0)
		return global;
	s = sun_at(row->sun_s, w->latitude_deg, w->longitude_deg);
	if (s.sin_elevation < sin(RADIANS(LOW_SUN_DEG)))
		return global * (sky + ground);
	outside = s.normal_w_m2 * s.sin_elevation;
	diffuse = isnan(row->dhi_w_m2) ? global * panel_diffuse_share(global / outside)
				       : fmin(row->dhi_w_m2, global);
	beam = global - diffuse;
	clear = beam / outside; /* anisotropy index */
	brightening = global > 0 ? sqrt(beam / global) : 0;
	ratio = fmax(0, incidence(p, &s)) / s.sin_elevation;
	return (beam + diffuse * clear) * ratio +
	       diffuse * (1 - clear) * sky * (1 + brightening * pow(sin(slope / 2), 3)) +
	       global * ground;
}

double panel_output(const struct panel *p, double plane_w_m2, double temperature_c)
{
	double warming = (p->noct_c - 20) / 800 * (1 - p->efficiency / ABSORBED);
	double cell_c = temperature_c + warming * plane_w_m2;
	double heat = isnan(temperature_c) ? 1 : 1 + p->per_degree * (cell_c - 25);

	return plane_w_m2 / 1000 * p->derate * fmax(0, heat);
}
