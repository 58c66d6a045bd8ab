/* SPDX-License-Identifier: Apache-2.0
 *
 * See neighbour.h.
 */
#include "support/neighbour.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "support/analysis.h"
#include "support/built.h"
#include "support/changed_text.h"
#include "support/json_check.h"

static const char *broken_plan(const npart_plan *plan)
{
    static char line[256];
    struct npart_summary summary = {.size = sizeof summary};
    struct npart_partition partition = {.size = sizeof partition};
    uint32_t members = 0;
    size_t at;
    if (!npart_plan_summary(plan, &summary))
        return "a plan without a summary";
    if (summary.accepted + summary.refused + summary.unknown != summary.live)
        return "verdicts are not as many as live nodes";
    for (uint32_t i = 0; i < summary.partitions; i++) {
        if (!npart_plan_partition(plan, i, &partition))
            return "a partition is missing";
        members += partition.node_count;
    }
    if (members > summary.live || summary.partitions_low > summary.partitions_high)
        return "partitions have more nodes than there are, or fewer at most than at least";
    char *json = json_of(plan, NULL);
    const char *problem = json_problem(json, strlen(json), &at);
    if (problem)
        (void)snprintf(line, sizeof line, "%s: %.60s", problem, json + at);
    free(json);
    return problem ? line : NULL;
}

static const char *broken_diff(const npart_plan *plan)
{
    npart_record *record = NULL;
    npart_diff *diff = NULL;
    struct npart_diff_info info = {.size = sizeof info};
    struct npart_diff_node node = {.size = sizeof node};
    const char *problem = NULL;
    if (npart_record_make(&record, plan, NULL, NULL) != NPART_OK ||
        npart_diff_make(&diff, npart_record_side(record), npart_record_side(record), NULL, NULL) != NPART_OK ||
        !npart_diff_info(diff, &info))
        problem = "a plan that cannot be compared";
    else if (info.change != NPART_CHANGE_NONE || npart_diff_node(diff, 0, &node))
        problem = "a plan differs from itself";
    npart_diff_free(diff);
    npart_record_free(record);
    return problem;
}

static const char *broken(const struct bytes *bytes, const npart_oplist *oplist, const char *target)
{
    npart_model *model = NULL;
    npart_inference *inference = NULL;
    npart_plan *plan = NULL;
    struct npart_error error = {.status = NPART_OK};
    const char *problem = NULL;
    npart_status status = npart_model_read_memory(&model, bytes->data, bytes->size, NULL, &error);
    if (status == NPART_OK)
        status = npart_inference_make(&inference, model, NULL, &error);
    if (status == NPART_OK)
        problem = broken_promise(inference->inference->graph);
    if (status == NPART_OK && oplist)
        status = npart_plan_make(&plan, inference, oplist, target, NULL, &error);
    if (status != NPART_OK && (error.status != status || !*error.message))
        problem = "a failure without a word";
    if (!problem && plan)
        problem = broken_plan(plan);
    if (!problem && plan)
        problem = broken_diff(plan);
    npart_plan_free(plan);
    npart_inference_free(inference);
    npart_model_free(model);
    return problem;
}

const char *hold_for_neighbours(const char *model, unsigned first, unsigned step, const npart_oplist *oplist,
                                const char *target)
{
    static char line[8192];
    char *text;
    for (unsigned i = first; (text = changed_text(model, i)) != NULL; i += step) {
        struct bytes bytes = model_from_text(text);
        const char *problem = broken(&bytes, oplist, target);
        if (problem)
            (void)snprintf(line, sizeof line, "%s:\n%s", problem, text);
        bytes_free(&bytes);
        free(text);
        if (problem)
            return line;
    }
    return NULL;
}
