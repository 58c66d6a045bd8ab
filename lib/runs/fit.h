/* SPDX-License-Identifier: Apache-2.0
 *
 * fit: by which factors a few measured times say that rates are off, as far as they say it.
 *
 * A time is a sum of parts, one for each unknown factor, and of what is not in question:
 *
 *     predicted = fixed + sum of part * exp(x)          x: the logarithm of a factor, 0 before anything is measured
 *
 * and x minimizes the sum of ((predicted / measured - 1) / spread)^2 over times and (x / deviation)^2
 * over factors: single totals do not tell factors apart, so each stays where it was unless the times move it. Found by
 * damped Gauss-Newton steps (Levenberg and Marquardt's) on normal equations no larger than the number of factors.
 */
#ifndef NPART_RUNS_FIT_H
#define NPART_RUNS_FIT_H

#include <stdbool.h>
#include <stdint.h>

#define NPART__MOST_FACTORS 8u
#define NPART__MOST_FIT_STEPS 40u      /* at most; a handful is usual */

struct npart__fitting {
    uint32_t factor_count, time_count;
    const double *parts;    /* by time and factor, in ms; none below 0 */
    const double *fixed;    /* by time, in ms: what no factor moves */
    const double *measured; /* by time, in ms; above 0 */
    const double *deviations; /* by factor, of its logarithm; above 0 */
    double spread;            /* of times about what the formula says, relative; above 0 */
    /* Parts were computed with these logarithms, and count as `parts * exp(x - at)`. */
    double at[NPART__MOST_FACTORS];
};

/* The time that is predicted with `x`. */
double npart__fit_predict(const struct npart__fitting *fit, uint32_t time, const double *x);
/* Finds `x` from where it is; `deviations_left` is by factor what is left of its deviation. Times for which `skips`
 * (NULL: none) is true do not count. False when a number is out of range; `x` is then as it was. */
bool npart__fit_solve(const struct npart__fitting *fit, const bool *skips, double *x, double *deviations_left);

#endif
