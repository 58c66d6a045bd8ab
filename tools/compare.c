/* SPDX-License-Identifier: Apache-2.0 */
#include "compare.h"

#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(element) ((element)->is_lost = true)
#include <uthash.h>

#define FEWEST_NAMES 4u /* that tell another model: as many the runtime may have made itself (casts, copies) */

struct name {
    UT_hash_handle hh;
    uint32_t node; /* NPART_NONE: several have it */
    bool is_lost;
};

/* ---- nodes by name ------------------------------------------------------------------------------------------- */

struct names {
    struct name *entries, *table;
    struct name *result_entries, *results; /* by the name of a node's first result */
};

/* Of a name that several nodes have the entry tells of none. */
static bool add_name(struct name **table, struct name *added, const char *text, uint32_t node)
{
    struct name *entry = NULL;
    HASH_FIND_STR(*table, text, entry);
    if (entry)
        entry->node = NPART_NONE;
    if (entry || !*text)
        return true;
    added->node = node;
    HASH_ADD_KEYPTR(hh, *table, text, strlen(text), added);
    return !added->is_lost;
}

static const char *first_result(const npart_inference *view, const struct npart_node *node)
{
    struct npart_value value = {.size = sizeof value};
    bool has_result = node->output_count && node->outputs[0] != NPART_NONE &&
                      npart_inference_value(view, node->outputs[0], &value);
    return has_result ? value.name : "";
}

static bool gather_names(struct names *names, const npart_inference *view, uint32_t count)
{
    const npart_model *model = npart_inference_model(view);
    struct npart_node node = {.size = sizeof node};
    *names = (struct names){.entries = calloc(count + (size_t)1, sizeof *names->entries),
                            .result_entries = calloc(count + (size_t)1, sizeof *names->entries)};
    for (uint32_t i = 0; names->entries && names->result_entries && npart_model_node(model, i, &node); i++)
        if (!add_name(&names->table, &names->entries[i], node.name, i) ||
            !add_name(&names->results, &names->result_entries[i], first_result(view, &node), i))
            return false;
    return names->entries && names->result_entries;
}

static void free_names(struct names *names)
{
    HASH_CLEAR(hh, names->table);
    HASH_CLEAR(hh, names->results);
    free(names->entries);
    free(names->result_entries);
}

/* Where layouts are changed, ONNX Runtime makes a node anew, as NAME_token_12. */
static size_t plain_length(const char *name)
{
    static const char token[] = "_token_";
    size_t length = strlen(name), end = length;
    while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9')
        end--;
    size_t start = end < sizeof token ? 0 : end - (sizeof token - 1);
    return end < length && start && memcmp(name + start, token, sizeof token - 1) == 0 ? start : length;
}

/* The node that is meant; NPART_NONE with *is_known when several may be. */
static uint32_t find_node(const struct names *names, const npart_model *model, const struct placed_node *placed,
                          bool *is_known)
{
    struct npart_node node = {.size = sizeof node};
    struct npart_graph main = {.size = sizeof main};
    struct name *entry = NULL;
    if (placed->index >= 0) { /* the main graph's nodes have the first ids, in the file's order */
        *is_known = npart_model_graph(model, 0, &main) && (uint64_t)placed->index < main.node_count &&
                    npart_model_node(model, (uint32_t)placed->index, &node) &&
                    (!*node.name || !*placed->name || strcmp(node.name, placed->name) == 0);
        return *is_known ? (uint32_t)placed->index : NPART_NONE;
    }
    if (placed->is_result) {
        HASH_FIND_STR(names->results, placed->name, entry);
        *is_known = entry != NULL;
        return entry ? entry->node : NPART_NONE;
    }
    HASH_FIND_STR(names->table, placed->name, entry);
    if (!entry)
        HASH_FIND(hh, names->table, placed->name, plain_length(placed->name), entry);
    *is_known = entry != NULL;
    return entry ? entry->node : NPART_NONE;
}

/* ---- what the run says ----------------------------------------------------------------------------------------- */

/* A partition is compiled into one node, PROVIDER_NAME_NUMBER. */
static bool is_compiled(const struct profile *profile, const struct placed_node *placed)
{
    const char *provider = profile->providers[placed->provider];
    size_t length = strlen(provider);
    return !profile_is_cpu(profile, placed->provider) && strncmp(placed->name, provider, length) == 0 &&
           placed->name[length] == '_';
}

static void take(struct comparison *comparison, const struct profile *profile, const struct placed_node *placed,
                 uint32_t id)
{
    struct compared_node *node = &comparison->nodes[id];
    bool is_cpu = profile_is_cpu(profile, placed->provider);
    /* A provider is asked more than once, and may give back what it took: where a node is placed counts. */
    if (!node->placed || (placed->is_placed && !node->placed->is_placed) || (is_cpu && placed->reason))
        node->placed = placed;
    if (placed->is_placed || !node->is_named)
        node->run = is_cpu ? ON_CPU : ON_NPU;
    node->is_named |= placed->is_placed;
}

static void look_up(struct comparison *comparison, const struct profile *profile, const struct names *names)
{
    static const char inlined[] = "_inlfunc_"; /* before the names of nodes of a function */
    uint32_t compiled = 0, single = 0, strange = 0;
    for (const struct placed_node *placed = profile->first; placed; placed = placed->next) {
        bool is_known, is_cpu = profile_is_cpu(profile, placed->provider);
        uint32_t id = find_node(names, comparison->model, placed, &is_known);
        if (!is_known && is_compiled(profile, placed)) {
            compiled++;
            continue;
        }
        if (placed->is_placed) {
            comparison->run_cpu += is_cpu;
            comparison->run_npu += !is_cpu;
            comparison->matched += is_known;
            comparison->unmatched += !is_known;
            strange += !is_known && strncmp(placed->name, inlined, sizeof inlined - 1) != 0;
            single += !is_cpu;
        }
        if (id != NPART_NONE)
            take(comparison, profile, placed, id);
    }
    comparison->has_partitions = profile->has_partitions || (single == 0 && !profile->is_partial);
    comparison->partitions = profile->has_partitions ? profile->partitions : compiled;
    comparison->is_other_model = comparison->matched == 0 && strange >= FEWEST_NAMES;
}

/* One side has nothing at all, or nothing that is not named: that tells where each node is, or at least is not. */
static void conclude(struct comparison *comparison, const struct profile *profile)
{
    bool has_cpu = comparison->run_cpu > 0, has_npu = comparison->run_npu > 0 || comparison->partitions > 0;
    if (profile->all_on_provider != UINT32_MAX) {
        has_cpu = profile_is_cpu(profile, profile->all_on_provider);
        has_npu = !has_cpu;
        comparison->partitions = has_npu ? profile->all_count : 0;
    }
    if (profile->is_npu_named) {
        has_cpu = true;
        has_npu = false;
    }
    if (has_cpu == has_npu || comparison->has_untold_bodies || profile->is_npu_alone || profile->is_partial)
        return;
    for (uint32_t i = 0; i < comparison->node_count; i++) {
        struct compared_node *node = &comparison->nodes[i];
        if (node->run != NOT_TOLD)
            continue;
        node->is_concluded = !profile->is_npu_named;
        node->run = has_cpu ? ON_CPU : ON_NPU;
    }
}

/* ---- beside the plan --------------------------------------------------------------------------------------------- */

static enum agreement agreement_of(const npart_plan *plan, uint32_t id, const struct compared_node *node, bool *is_live,
                                   bool *is_cpu)
{
    struct npart_node_plan planned = {.size = sizeof planned};
    *is_live = npart_plan_node(plan, id, &planned) && planned.verdict != NPART_VERDICT_FOLDED &&
               planned.verdict != NPART_VERDICT_FUSED;
    *is_cpu = planned.verdict == NPART_VERDICT_CPU && *is_live;
    if (planned.verdict == NPART_VERDICT_FUSED && planned.into != NPART_NONE && node->is_named)
        (void)npart_plan_node(plan, planned.into, &planned);
    else if (!*is_live)
        return NO_ANSWER;
    if (node->run == NOT_TOLD)
        return NO_ANSWER;
    if (planned.verdict == NPART_VERDICT_UNKNOWN)
        return UNDECIDED;
    return (planned.verdict == NPART_VERDICT_NPU) == (node->run == ON_NPU) && planned.verdict != NPART_VERDICT_FAIL
               ? SAME
               : DIFFERENT;
}

static void compare_partitions(struct comparison *comparison)
{
    const struct npart_summary *summary = &comparison->summary;
    uint32_t run = comparison->partitions;
    if (!comparison->has_partitions || (comparison->has_untold_bodies && run < summary->partitions))
        comparison->partition_agreement = NO_ANSWER;
    else if (run == summary->partitions)
        comparison->partition_agreement = SAME;
    else
        comparison->partition_agreement =
            run >= summary->partitions_low && run <= summary->partitions_high ? UNDECIDED : DIFFERENT;
}

static bool has_bodies(const npart_model *model)
{
    struct npart_graph graph = {.size = sizeof graph};
    for (uint32_t i = 1; npart_model_graph(model, i, &graph); i++)
        if (graph.kind == NPART_GRAPH_BODY)
            return true;
    return false;
}

bool compare_placement(struct comparison *comparison, const npart_plan *plan, const struct profile *profile)
{
    struct npart_model_info info = {.size = sizeof info};
    struct names names;
    *comparison = (struct comparison){.plan = plan, .model = npart_inference_model(npart_plan_view(plan))};
    comparison->summary.size = sizeof comparison->summary;
    (void)npart_plan_summary(plan, &comparison->summary);
    (void)npart_model_info(comparison->model, &info);
    comparison->node_count = info.node_count;
    comparison->nodes = calloc(info.node_count + (size_t)1, sizeof *comparison->nodes);
    bool is_made = gather_names(&names, npart_plan_view(plan), info.node_count) && comparison->nodes;
    if (is_made) {
        look_up(comparison, profile, &names);
        /* A profile has what ran, a log and a record have every branch. Without a CPU node no branch is apart. */
        comparison->has_untold_bodies =
            profile->kind == PROFILE_EVENTS && comparison->run_cpu && has_bodies(comparison->model);
        conclude(comparison, profile);
        compare_partitions(comparison);
    }
    for (uint32_t i = 0; is_made && i < info.node_count; i++) {
        struct compared_node *node = &comparison->nodes[i];
        bool is_live, is_cpu;
        node->agreement = agreement_of(plan, i, node, &is_live, &is_cpu);
        comparison->counts[node->agreement] += is_live || node->agreement != NO_ANSWER;
        comparison->untold_cpu += is_cpu && node->agreement == NO_ANSWER;
    }
    free_names(&names);
    return is_made;
}

void comparison_free(struct comparison *comparison)
{
    free(comparison->nodes);
    comparison->nodes = NULL;
}

bool is_same_placement(const struct comparison *comparison)
{
    return comparison->counts[DIFFERENT] == 0 && comparison->partition_agreement != DIFFERENT;
}
