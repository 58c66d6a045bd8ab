/* SPDX-License-Identifier: Apache-2.0
 *
 * A plan beside the placement of a real run.
 */
#ifndef TOOL_COMPARE_H
#define TOOL_COMPARE_H

#include "npu_partition.h"
#include "profile.h"

enum placement { NOT_TOLD, ON_NPU, ON_CPU };
enum agreement { NO_ANSWER, SAME, DIFFERENT, UNDECIDED }; /* UNDECIDED: by the plan */

struct compared_node {
    enum placement run;
    enum agreement agreement;
    bool is_named;                    /* the run says where it placed it */
    bool is_concluded;                /* the run does not name it, but has nothing at all on the other side */
    const struct placed_node *placed; /* of those that name it one with a reason, else any; NULL: none */
};

struct comparison {
    const npart_plan *plan;
    const npart_model *model; /* as the runtime sees it */
    struct compared_node *nodes; /* by id */
    uint32_t node_count;
    uint32_t counts[4];          /* of live nodes, by agreement */
    uint32_t untold_cpu;         /* of those without an answer: on the CPU in the plan */
    uint32_t run_cpu, run_npu;   /* nodes that the run has there, compiled partitions not counted */
    uint32_t unmatched;          /* named ones that the model has none of: the runtime made or renamed them */
    uint32_t matched;
    bool has_partitions;         /* the run tells how many */
    uint32_t partitions;
    bool has_untold_bodies;      /* branches that did not run may hold more partitions */
    enum agreement partition_agreement;
    struct npart_summary summary;
    bool is_other_model;         /* it names some nodes, and the model has none of them */
};

/* False when out of memory. `plan` and `profile` must outlive the comparison. */
bool compare_placement(struct comparison *comparison, const npart_plan *plan, const struct profile *profile);
void comparison_free(struct comparison *comparison);
/* Whether nothing differs. */
bool is_same_placement(const struct comparison *comparison);

#endif
