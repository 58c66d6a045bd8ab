/* SPDX-License-Identifier: Apache-2.0
 *
 * A plan beside the placement of a real run: nodes are found by name, by place or by their first result, and what the
 * run does not name is concluded where one side has nothing at all.
 */
#include "runs/runs.h"

#define FEWEST_NAMES 4u /* that tell another model: as many the runtime may have made itself (casts, copies) */

/* ---- nodes by name ------------------------------------------------------------------------------------------- */

/* Of each text the node that has it; NPART_NONE: several have it. */
struct names {
    struct npart__strings texts;
    struct NPART__ARRAY(uint32_t) nodes; /* by text */
};
struct node_names {
    struct names own, results; /* results: of a node's first result */
};

static bool open_names(struct names *names, struct npart__arena *arena)
{
    return npart__strings_init(&names->texts, arena) && NPART__PUSH(arena, &names->nodes, NPART_NONE); /* of "" */
}

static bool add_name(struct names *names, const char *text, uint32_t node)
{
    uint32_t id = npart__intern_text(&names->texts, text), count = names->nodes.count;
    if (id == NPART_NONE)
        return false;
    if (id < count)
        names->nodes.items[id] = NPART_NONE;
    return id < count || NPART__PUSH(names->texts.arena, &names->nodes, node);
}

/* The node of a name; *is_known: some has it. */
static uint32_t node_of(const struct names *names, const char *text, size_t length, bool *is_known)
{
    uint32_t id = npart__strings_find(&names->texts, text, length);
    *is_known = id != NPART_NONE && id != 0;
    return *is_known ? names->nodes.items[id] : NPART_NONE;
}

static const char *first_result(const npart_inference *view, const struct npart_node *node)
{
    struct npart_value value = {.size = sizeof value};
    bool has_result = node->output_count && node->outputs[0] != NPART_NONE &&
                      npart_inference_value(view, node->outputs[0], &value);
    return has_result ? value.name : "";
}

static bool gather_names(struct node_names *names, const npart_inference *view, struct npart__arena *arena)
{
    const npart_model *model = npart_inference_model(view);
    struct npart_node node = {.size = sizeof node};
    bool is_made = open_names(&names->own, arena) && open_names(&names->results, arena);
    for (uint32_t i = 0; is_made && npart_model_node(model, i, &node); i++)
        is_made = add_name(&names->own, node.name, i) && add_name(&names->results, first_result(view, &node), i);
    return is_made;
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
static uint32_t find_node(const struct node_names *names, const npart_model *model, const struct npart__ran *placed,
                          bool *is_known)
{
    struct npart_node node = {.size = sizeof node};
    struct npart_graph main = {.size = sizeof main};
    if (placed->index >= 0) { /* the main graph's nodes have the first ids, in the file's order */
        *is_known = npart_model_graph(model, 0, &main) && (uint64_t)placed->index < main.node_count &&
                    npart_model_node(model, (uint32_t)placed->index, &node) &&
                    (!*node.name || !*placed->name || strcmp(node.name, placed->name) == 0);
        return *is_known ? (uint32_t)placed->index : NPART_NONE;
    }
    if (placed->is_result)
        return node_of(&names->results, placed->name, strlen(placed->name), is_known);
    uint32_t id = node_of(&names->own, placed->name, strlen(placed->name), is_known);
    return *is_known ? id : node_of(&names->own, placed->name, plain_length(placed->name), is_known);
}

/* ---- what the run says ----------------------------------------------------------------------------------------- */

/* A partition is compiled into one node, PROVIDER_NAME_NUMBER. */
static bool is_compiled(const npart_run *run, const struct npart__ran *placed)
{
    const char *provider = run->providers[placed->provider];
    size_t length = strlen(provider);
    return !npart__run_is_cpu(run, placed->provider) && strncmp(placed->name, provider, length) == 0 &&
           placed->name[length] == '_';
}

static void take(npart_verification *v, const npart_run *run, const struct npart__ran *placed, uint32_t id)
{
    struct npart__verified_node *node = &v->nodes[id];
    bool is_cpu = npart__run_is_cpu(run, placed->provider);
    /* A provider is asked more than once, and may give back what it took: where a node is placed counts. */
    if (!node->placed || (placed->is_placed && !node->placed->is_placed) || (is_cpu && placed->reason))
        node->placed = placed;
    if (placed->is_placed || !node->is_named)
        node->run = is_cpu ? NPART__RUN_ON_CPU : NPART__RUN_ON_NPU;
    node->is_named |= placed->is_placed;
}

/* False where the run names some nodes, and the model has none of them: it is of another model. */
static bool look_up(npart_verification *v, const npart_run *run, const struct node_names *names)
{
    static const char inlined[] = "_inlfunc_"; /* before the names of nodes of a function */
    uint32_t compiled = 0, single = 0, strange = 0;
    for (uint32_t i = 0; i < run->nodes.count; i++) {
        const struct npart__ran *placed = &run->nodes.items[i];
        bool is_known, is_cpu = npart__run_is_cpu(run, placed->provider);
        uint32_t id = find_node(names, v->model, placed, &is_known);
        if (!is_known && is_compiled(run, placed)) {
            compiled++;
            continue;
        }
        if (placed->is_placed) {
            v->run_cpu += is_cpu;
            v->run_npu += !is_cpu;
            v->matched += is_known;
            v->info.unmatched += !is_known;
            strange += !is_known && strncmp(placed->name, inlined, sizeof inlined - 1) != 0;
            single += !is_cpu;
        }
        if (id != NPART_NONE)
            take(v, run, placed, id);
    }
    v->info.has_run_partitions = run->has_partitions || (single == 0 && !run->is_partial);
    v->info.run_partitions = run->has_partitions ? run->partitions : compiled;
    return v->matched > 0 || strange < FEWEST_NAMES;
}

/* One side has nothing at all, or nothing that is not named: that tells where each node is, or at least is not. */
static void conclude(npart_verification *v, const npart_run *run)
{
    bool has_cpu = v->run_cpu > 0, has_npu = v->run_npu > 0 || v->info.run_partitions > 0;
    if (run->all_on_provider != UINT32_MAX) {
        has_cpu = npart__run_is_cpu(run, run->all_on_provider);
        has_npu = !has_cpu;
        v->info.run_partitions = has_npu ? run->all_count : 0;
    }
    if (run->is_npu_named) {
        has_cpu = true;
        has_npu = false;
    }
    if (has_cpu == has_npu || v->has_untold_bodies || run->is_npu_alone || run->is_partial)
        return;
    for (uint32_t i = 0; i < v->node_count; i++) {
        struct npart__verified_node *node = &v->nodes[i];
        if (node->run != NPART__RUN_UNTOLD)
            continue;
        node->is_concluded = !run->is_npu_named;
        node->run = has_cpu ? NPART__RUN_ON_CPU : NPART__RUN_ON_NPU;
    }
}

/* ---- beside the plan --------------------------------------------------------------------------------------------- */

static enum npart_agreement agreement_of(const npart_plan *plan, uint32_t id, const struct npart__verified_node *node,
                                         bool *is_live, bool *is_cpu)
{
    struct npart_node_plan planned = {.size = sizeof planned};
    *is_live = npart_plan_node(plan, id, &planned) && planned.verdict != NPART_VERDICT_FOLDED &&
               planned.verdict != NPART_VERDICT_FUSED;
    *is_cpu = planned.verdict == NPART_VERDICT_CPU && *is_live;
    if (planned.verdict == NPART_VERDICT_FUSED && planned.into != NPART_NONE && node->is_named)
        (void)npart_plan_node(plan, planned.into, &planned);
    else if (!*is_live)
        return NPART_AGREEMENT_NONE;
    if (node->run == NPART__RUN_UNTOLD)
        return NPART_AGREEMENT_NONE;
    if (planned.verdict == NPART_VERDICT_UNKNOWN)
        return NPART_AGREEMENT_UNDECIDED;
    bool is_same = (planned.verdict == NPART_VERDICT_NPU) == (node->run == NPART__RUN_ON_NPU);
    return is_same && planned.verdict != NPART_VERDICT_FAIL ? NPART_AGREEMENT_SAME : NPART_AGREEMENT_DIFFERENT;
}

static enum npart_agreement agreement_of_partitions(const npart_verification *v)
{
    const struct npart_verification_info *info = &v->info;
    uint32_t run = info->run_partitions;
    if (!info->has_run_partitions || (v->has_untold_bodies && run < info->partitions))
        return NPART_AGREEMENT_NONE;
    if (run == info->partitions)
        return NPART_AGREEMENT_SAME;
    return run >= info->partitions_low && run <= info->partitions_high ? NPART_AGREEMENT_UNDECIDED
                                                                       : NPART_AGREEMENT_DIFFERENT;
}

static bool has_bodies(const npart_model *model)
{
    struct npart_graph graph = {.size = sizeof graph};
    for (uint32_t i = 1; npart_model_graph(model, i, &graph); i++)
        if (graph.kind == NPART_GRAPH_BODY)
            return true;
    return false;
}

/* A profile has what ran, a log and a record have every branch. Without a CPU node no branch is apart. */
static void compare(npart_verification *v)
{
    v->has_untold_bodies = strcmp(v->run->kind, "profile") == 0 && v->run_cpu && has_bodies(v->model);
    conclude(v, v->run);
    v->info.partition_agreement = agreement_of_partitions(v);
    for (uint32_t i = 0; i < v->node_count; i++) {
        struct npart__verified_node *node = &v->nodes[i];
        bool is_live, is_cpu;
        node->agreement = agreement_of(v->plan, i, node, &is_live, &is_cpu);
        v->info.nodes[node->agreement] += is_live || node->agreement != NPART_AGREEMENT_NONE;
        v->info.untold_cpu += is_cpu && node->agreement == NPART_AGREEMENT_NONE;
    }
    v->info.is_same = v->info.nodes[NPART_AGREEMENT_DIFFERENT] == 0 &&
                      v->info.partition_agreement != NPART_AGREEMENT_DIFFERENT;
}

static npart_status verify(npart_verification *v, struct npart_error *error)
{
    const npart_inference *view = npart_plan_view(v->plan);
    struct npart_model_info model = {.size = sizeof model};
    struct npart_summary summary = {.size = sizeof summary};
    struct node_names names = {0};
    struct npart__arena scratch;
    v->model = npart_inference_model(view);
    (void)npart_plan_summary(v->plan, &summary);
    (void)npart_model_info(v->model, &model);
    v->info = (struct npart_verification_info){.size = sizeof v->info,
                                               .partitions = summary.partitions,
                                               .partitions_low = summary.partitions_low,
                                               .partitions_high = summary.partitions_high};
    v->accepted = summary.accepted;
    v->node_count = model.node_count;
    v->nodes = npart__arena_zeroed(&v->life->arena, model.node_count + (size_t)1, sizeof *v->nodes);
    npart__arena_init(&scratch, &v->life->arena.allocator);
    bool has_memory = v->nodes && gather_names(&names, view, &scratch);
    bool is_of_model = has_memory && look_up(v, v->run, &names);
    npart__arena_clear(&scratch);
    if (!has_memory)
        return npart__fail_memory(error);
    if (!is_of_model)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "",
                           "names %u node%s, and the model has none of them: it is of another model",
                           v->info.unmatched, npart__plural(v->info.unmatched));
    compare(v);
    return npart__find_blame(v) ? NPART_OK : npart__fail_memory(error);
}

npart_status npart_verification_make(npart_verification **out, const npart_plan *plan, const npart_run *run,
                                     struct npart_error *error)
{
    if (!out || !plan || !run)
        return npart__fail_null(!out ? "out" : !plan ? "plan" : "run", error);
    npart_verification *v = npart__handle_new(sizeof *v, &plan->life->arena.allocator);
    if (!v)
        return npart__fail_memory(error);
    v->plan = plan;
    v->run = run;
    npart__life_keep(v->life, plan->life);
    npart__life_keep(v->life, run->life);
    npart_status status = verify(v, error);
    return NPART__HAND_OVER(out, v, status, error);
}

NPART__FREES(verification)

bool npart_verification_info(const npart_verification *verification, struct npart_verification_info *out)
{
    if (!verification || !NPART__HAS_ROOM(out))
        return false;
    *out = verification->info;
    return true;
}

bool npart_verification_node(const npart_verification *verification, uint32_t node, struct npart_verified_node *out)
{
    if (!verification || node >= verification->node_count || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__verified_node *from = &verification->nodes[node];
    *out = (struct npart_verified_node){.size = sizeof *out,
                                        .agreement = from->agreement,
                                        .is_told = from->run != NPART__RUN_UNTOLD,
                                        .is_on_npu = from->run == NPART__RUN_ON_NPU,
                                        .is_concluded = from->is_concluded,
                                        .reason = from->placed ? from->placed->reason : NULL};
    return true;
}
