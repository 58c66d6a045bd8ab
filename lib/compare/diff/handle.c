/* SPDX-License-Identifier: Apache-2.0
 *
 * Public functions that compare two plans: a plan as a record, and what lib/compare/diff makes of two of them.
 */
#include "api/api.h"
#include "diff/diff.h"

struct npart_record {
    struct npart__life *life;
    struct npart_side side;
};

struct npart_diff {
    struct npart__life *life;
    struct npart__comparison comparison;
};

uint32_t npart_name_hash(const char *name)
{
    return name ? npart__name_hash(name) : 0;
}

/* ---- a plan as a side -------------------------------------------------------------------------------------- */

/* Texts of a record are its own: the plan may go before it. */
static const char *copy_text(struct npart__arena *arena, const char *text)
{
    return npart__arena_copy_text(arena, text, strlen(text));
}

/* "model.py:41 (encoder.fc1)", either part alone, or "". */
static const char *place_of(struct npart__arena *arena, const npart_model *model, uint32_t node)
{
    struct npart_origin at = {.size = sizeof at};
    struct npart__buffer text = {.arena = arena};
    (void)npart_model_node_origin(model, node, &at);
    if (!at.file && !at.module)
        return "";
    if (at.file) {
        npart__append(&text, at.file, at.file_bytes);
        npart__append_text(&text, ":");
        npart__append_int64(&text, at.line);
    }
    if (at.module) {
        npart__append_text(&text, at.file ? " (" : "");
        npart__append(&text, at.module, at.module_bytes);
        npart__append_text(&text, at.file ? ")" : "");
    }
    return npart__made_text(&text);
}

/* By scope. Each path is made once, and shared by all nodes of its graph. NULL when out of memory. */
static const char **copy_paths(struct npart__arena *arena, const npart_model *model, uint32_t count)
{
    const char **paths = npart__arena_zeroed(arena, count + (size_t)1, sizeof *paths);
    for (uint32_t i = 0; paths && i < count; i++) {
        struct npart__buffer text = {.arena = arena};
        npart__append_scope_path(&text, model->graph, i);
        paths[i] = npart__made_text(&text);
        if (!paths[i])
            return NULL;
    }
    return paths;
}

/* By the same getters that anybody calls, so that a record of a plan is what a report of it says. They cannot
 * fail here: ids are of the view's own graph, and sizes are right. Only structures are found at the first call,
 * and need memory. */
static npart_status record_node(npart_record *record, const npart_plan *plan, uint32_t id, const char *const *paths,
                                struct npart_side_node *out, struct npart_error *error)
{
    struct npart__arena *arena = &record->life->arena;
    struct npart_node node = {.size = sizeof node};
    struct npart_node_plan planned = {.size = sizeof planned};
    struct npart_structure structure = {.size = sizeof structure};
    (void)npart_model_node(plan->view->model, id, &node);
    (void)npart_plan_node(plan, id, &planned);
    npart_status status = npart_inference_structure(plan->view, id, &structure, error);
    *out = (struct npart_side_node){
        .name = copy_text(arena, node.name),
        .op = copy_text(arena, node.op),
        .graph = paths[node.graph],
        .place = place_of(arena, plan->view->model, id),
        .index = node.index,
        .verdict = planned.verdict,
        .partition = planned.partition,
        .cause = planned.cause,
        .up = structure.up,
        .down = structure.down,
        .around = structure.around,
        .itself = structure.itself,
    };
    return status == NPART_OK && (!out->name || !out->op || !out->place) ? npart__fail_memory(error) : status;
}

static npart_status record_nodes(npart_record *record, const npart_plan *plan, struct npart_error *error)
{
    const struct npart__graph *graph = plan->view->model->graph;
    struct npart__arena *arena = &record->life->arena;
    struct npart_side_node *nodes = npart__arena_zeroed(arena, graph->nodes.count + (size_t)1, sizeof *nodes);
    const char **paths = copy_paths(arena, plan->view->model, graph->scopes.count);
    npart_status status = nodes && paths ? NPART_OK : npart__fail_memory(error);
    for (uint32_t i = 0; status == NPART_OK && i < graph->nodes.count; i++)
        status = record_node(record, plan, i, paths, &nodes[i], error);
    record->side.nodes = nodes;
    record->side.node_count = graph->nodes.count;
    return status;
}

/* The first step that is for the cause; NULL: there is none. What may take a step's place (instead_of) is passed
 * over, as the step itself comes first. Looks through all steps for each cause: both are few. */
static const char *action_for(const npart_advice *advice, uint32_t cause)
{
    struct npart_action at = {.size = sizeof at};
    for (uint32_t i = 0; npart_advice_action(advice, i, &at); i++)
        for (uint32_t k = 0; k < at.cause_count && at.instead_of == NPART_NONE; k++)
            if (at.causes[k] == cause)
                return at.text;
    return NULL;
}

/* Texts and ids are copied; an action that is not there stays NULL. False when out of memory. */
static bool record_cause(npart_record *record, const struct npart_cause *at, const char *action,
                         struct npart_side_cause *out)
{
    struct npart__arena *arena = &record->life->arena;
    uint32_t *nodes = npart__arena_zeroed(arena, at->node_count + (size_t)1, sizeof *nodes);
    *out = (struct npart_side_cause){
        .kind = npart_cause_kind_text(at->kind),
        .rule = copy_text(arena, at->rule_id),
        .text = copy_text(arena, at->text),
        .action = action ? copy_text(arena, action) : NULL,
        .nodes = nodes,
        .node_count = at->node_count,
        .affected_count = at->affected_count,
    };
    for (uint32_t i = 0; nodes && i < at->node_count; i++)
        nodes[i] = at->nodes[i];
    return nodes && out->rule && out->text && (out->action || !action);
}

static bool record_causes(npart_record *record, const npart_plan *plan, const npart_advice *advice)
{
    uint32_t count = plan->plan.causes.items.count;
    struct npart_cause at = {.size = sizeof at};
    struct npart_side_cause *causes = npart__arena_zeroed(&record->life->arena, count + (size_t)1, sizeof *causes);
    bool is_ok = causes != NULL;
    for (uint32_t i = 0; is_ok && npart_plan_cause(plan, i, &at, NULL, 0); i++)
        is_ok = record_cause(record, &at, action_for(advice, i), &causes[i]);
    record->side.causes = causes;
    record->side.cause_count = count;
    return is_ok;
}

/* A lower bound counts as not known: two of them cannot be compared, whichever is larger. */
static uint64_t known_bytes(struct npart_bytes bytes)
{
    return bytes.is_partial ? UINT64_MAX : bytes.bytes;
}

/* A bound that is known in part only passes a limit where the part does. Partitions of which it is not
 * known whether they fit are not counted as too large. */
static void record_memory(npart_record *record, const npart_plan *plan)
{
    struct npart_memory memory = {.size = sizeof memory};
    struct npart_partition partition = {.size = sizeof partition};
    (void)npart_plan_memory(plan, &memory);
    record->side.weight_bytes = memory.weight_bytes;
    record->side.npu_weight_bytes = known_bytes(memory.weights_npu);
    record->side.peak_bytes = known_bytes(memory.peak);
    record->side.npu_peak_bytes = known_bytes(memory.peak_npu);
    for (uint32_t i = 0; i < memory.limit_count; i++)
        record->side.limits += memory.limits[i].fits == NPART_FIT_NO;
    for (uint32_t i = 0; npart_plan_partition(plan, i, &partition); i++)
        record->side.off_chip += partition.fits_on_chip == NPART_FIT_NO;
}

/* All but nodes and causes. The listing is ALL, which NPART_SIDE_INIT has: a plan knows each of its nodes. */
static bool record_whole(npart_record *record, const npart_plan *plan)
{
    struct npart__arena *arena = &record->life->arena;
    struct npart_plan_info info = {.size = sizeof info};
    struct npart_cost cost = {.size = sizeof cost};
    struct npart_side *side = &record->side;
    *side = (struct npart_side)NPART_SIDE_INIT;
    (void)npart_plan_info(plan, &info);
    (void)npart_plan_cost(plan, &cost);
    side->summary.size = sizeof side->summary;
    (void)npart_plan_summary(plan, &side->summary);
    side->allocator = &arena->allocator;
    side->model = copy_text(arena, plan->inference->model->name);
    side->target = copy_text(arena, info.label);
    side->toolchain = copy_text(arena, info.toolchain);
    side->unit = copy_text(arena, info.unit);
    side->is_invalid = npart__is_invalid(plan->inference->inference);
    side->cost = cost.total;
    side->npu_whole = cost.npu_whole;
    side->parts = (struct npart_side_parts){.cpu_ms = cost.cpu.typical_ms,
                                            .npu_ms = cost.npu_compute.typical_ms + cost.npu_bandwidth.typical_ms,
                                            .launch_ms = cost.switching.typical_ms,
                                            .copy_ms = cost.copying.typical_ms,
                                            .layout_ms = cost.layout.typical_ms,
                                            .quantize_ms = cost.quantizing.typical_ms};
    record_memory(record, plan);
    return side->model && side->target && side->toolchain && side->unit;
}

npart_status npart_record_make(npart_record **out, const npart_plan *plan, const npart_advice *advice,
                               struct npart_error *error)
{
    if (!out || !plan)
        return npart__fail_null(out ? "plan" : "out", error);
    npart_record *record = npart__handle_new(sizeof *record, &plan->life->arena.allocator);
    if (!record)
        return npart__settle_for(plan->life, npart__fail_memory(error), error);
    bool is_ok = record_whole(record, plan) && record_causes(record, plan, advice);
    npart_status status = is_ok ? record_nodes(record, plan, error) : npart__fail_memory(error);
    return NPART__HAND_OVER(out, record, status, error);
}

NPART__FREES(record)

const struct npart_side *npart_record_side(const npart_record *record)
{
    return record ? &record->side : NULL;
}

/* ---- two sides --------------------------------------------------------------------------------------------- */

/* Versions are asked before anything else of a struct is read. The sides are not kept: npart__compare copies
 * what is told of them. */
/* Of an older version without what came later. */
static npart_status read_side(const struct npart_side *side, struct npart_side *out, struct npart_error *error)
{
    *out = (struct npart_side){0};
    npart_status status = npart__check_version("sides", side->version, 3, error);
    if (status == NPART_OK)
        memcpy(out, side,
               side->version < 2   ? offsetof(struct npart_side, parts)
               : side->version < 3 ? offsetof(struct npart_side, allocator)
                                   : sizeof *out);
    return status;
}

npart_status npart_diff_make(npart_diff **out, const struct npart_side *before, const struct npart_side *after,
                             const struct npart_diff_options *options, struct npart_error *error)
{
    static const struct npart_diff_options defaults = NPART_DIFF_OPTIONS_INIT;
    options = options ? options : &defaults;
    if (!out || !before || !after)
        return npart__fail_null(!out ? "out" : before ? "after" : "before", error);
    struct npart_side a, b;
    npart_status status = npart__check_version("diff options", options->version, 1, error);
    if (status == NPART_OK)
        status = read_side(before, &a, error);
    if (status == NPART_OK)
        status = read_side(after, &b, error);
    if (status != NPART_OK)
        return status;
    const struct npart_allocator *from = options->allocator ? options->allocator
                                         : b.allocator      ? b.allocator
                                                            : a.allocator;
    npart_diff *diff = npart__handle_new(sizeof *diff, from);
    if (!diff)
        return npart__settle(npart__fail_memory(error), from, error);
    status = npart__compare(&a, &b, options, &diff->life->arena, &diff->comparison, error);
    diff->comparison.info.size = sizeof diff->comparison.info;
    diff->comparison.info.allocator = &diff->life->arena.allocator;
    return NPART__HAND_OVER(out, diff, status, error);
}

NPART__FREES(diff)

bool npart_diff_info(const npart_diff *diff, struct npart_diff_info *out)
{
    if (!diff || !NPART__HAS_ROOM(out))
        return false;
    *out = diff->comparison.info;
    return true;
}

bool npart_diff_figure(const npart_diff *diff, uint32_t index, struct npart_diff_figure *out)
{
    return NPART__GET(diff, comparison.figures, index, out);
}

bool npart_diff_cause(const npart_diff *diff, uint32_t index, struct npart_diff_cause *out)
{
    return NPART__GET(diff, comparison.roots, index, out);
}

bool npart_diff_node(const npart_diff *diff, uint32_t index, struct npart_diff_node *out)
{
    return NPART__GET(diff, comparison.nodes, index, out);
}

/* Asked of nodes before; whoever wants it the other way round walks them once. */
uint32_t npart_diff_match(const npart_diff *diff, uint32_t before)
{
    bool is_there = diff && before < diff->comparison.before_count;
    return is_there ? diff->comparison.matches.other[NPART__BEFORE][before] : NPART_NONE;
}
