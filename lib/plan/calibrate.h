/* SPDX-License-Identifier: Apache-2.0
 *
 * calibrate: parameters of costs from a user's few measured runs.
 */
#ifndef NPART_PLAN_CALIBRATE_H
#define NPART_PLAN_CALIBRATE_H

#include "plan/plan.h"

/* A measured run of a plan; see npart_measurement. */
struct npart__measured {
    const struct npart__plan *plan; /* of the model that was run; its cost has to be known */
    double total_ms, cpu_ms; /* of one run; cpu_ms 0: not measured */
    const double *partition_ms; /* by partition; NULL: none was measured */
};

/* Plans of one list and target. Appends the text of a cost file to `text`, whether or not it is accepted.
 * Fails with ARGUMENT when a time is none, or of a plan whose cost is not known; MEMORY. */
npart_status npart__calibrate(const struct npart__measured *rows, uint32_t count, struct npart__arena *arena,
                              struct npart_calibration *out, struct npart__buffer *text, struct npart_error *error);

#endif
