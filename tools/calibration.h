/* SPDX-License-Identifier: Apache-2.0
 *
 * Parameters of costs from a few measured runs of plans of one target, by one op list.
 */
#ifndef TOOL_CALIBRATION_H
#define TOOL_CALIBRATION_H

#include "npu_partition.h"

/* What was measured of a plan: warm runs, in milliseconds. */
struct measurement {
    const npart_plan *plan;     /* its cost has to be known */
    double total_ms;            /* a whole run; above 0 */
    double cpu_ms;              /* of this the kernels on the CPU; 0 or less: not measured */
    const double *partition_ms; /* of this each partition's kernel, by id; NULL, or 0 or less: not measured */
};
#define MOST_MEASUREMENTS 64u

/* A parameter that was fitted. */
struct fitted {
    const char *parameter; /* "launch_ms"; of two scales "npu" (what it computes) and "others" */
    const char *precision, *runtime; /* that it is for, as a `param` line has them; NULL: any */
    struct npart_parameter_range before, after; /* all 0 of a scale */
    double time_factor;    /* what rests on it takes so many times what it took */
    double moved;          /* the logarithm of that, in deviations of what was known before */
    bool is_identified;    /* the times tell it; else it is, and may be off, nearly as before */
};

/* Errors are medians, as shares: with 0.3, half of the times are off by less than a factor of 1.3. */
struct calibration {
    uint32_t model_count, time_count, fitted_count;
    struct fitted fitted[8]; /* what matters most first */
    bool is_scaled;      /* two times alone: two scales, from 1/4 to 4 */
    bool is_at_limit;    /* a scale would go beyond that */
    bool is_accepted;    /* the error of models left out is at most half of that before */
    double error_before, error_after; /* of total times */
    double error_held_out; /* of each model's totals, with what the others tell; negative: there is one model */
};

/* Fits parameters to measured runs, and, where that is accepted, writes them as a cost file (docs/oplist-format.md);
 * `write` may be NULL. Fails with ARGUMENT (a time that is none, a plan whose cost is not known), WRITE or MEMORY. */
npart_status calibrate(const struct measurement *rows, uint32_t count, struct calibration *out,
                       npart_write_callback write, void *payload, struct npart_error *error);

#endif
