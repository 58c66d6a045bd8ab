/* SPDX-License-Identifier: Apache-2.0
 *
 * Sides as parts: each node of the main graph is on one side, by what it is computed from, and a side is one part.
 */
#include <stdio.h>
#include <stdlib.h>

#include "split/internal.h"
#include "split/sides.h"

/* Operators of a side that are named. */
#define OPS_NAMED 3u

/* Sides of units, while they are found: they are the units' devices in the end. */
struct siding {
    struct npart__splitting *splitting;
    const struct npart__bounds *bounds;
    uint32_t *stack; /* units */
    struct npart__arena *scratch;
};

/* ---- which units are constant ------------------------------------------------------------------------------ */

/* Whether all that it makes is the same in every run. */
static bool makes_constants(const struct npart__splitting *splitting, const struct npart__unit *unit)
{
    bool is_constant = true;
    for (size_t i = 0; i < unit->node->n_output && is_constant; i++) {
        uint32_t name = npart__split_find(splitting, unit->node->output[i]);
        const struct npart__fact *fact = name ? npart__split_fact(splitting, name) : NULL;
        is_constant = name == 0 || (fact && fact->is_constant);
    }
    return is_constant;
}

/* What a session folds, or hands on from a constant, is copied to where it is needed, and known sizes are numbers; all
 * else is on one side, whatever a session makes of it. */
static void find_kinds(const struct siding *at)
{
    struct npart__splitting *splitting = at->splitting;
    const struct npart__session *session = &splitting->request->plan->session;
    for (uint32_t i = 0; i < splitting->unit_count; i++) {
        struct npart__unit *unit = &splitting->units[i];
        uint8_t fate = session->fates[i];
        bool is_copied = fate == NPART_FATE_CONSTANT || (fate != NPART_FATE_LIVE && makes_constants(splitting, unit));
        if (fate != NPART_FATE_SHAPE || unit->kind != NPART__UNIT_KNOWN)
            unit->kind = is_copied ? NPART__UNIT_COPIED : NPART__UNIT_RUN;
        unit->position = i;
    }
}

/* ---- names ------------------------------------------------------------------------------------------------- */

/* Of a name that the main graph lacks. All names are offered, on the way to an error only. */
static npart_status lack_name(const struct siding *at, const char *name)
{
    const struct npart__graph *graph = at->splitting->graph;
    struct npart__nearest nearest;
    char hint[NPART__HINT_BYTES];
    npart__nearest_init(&nearest, name, strlen(name));
    for (uint32_t i = 0; i < graph->values.count; i++) {
        if (strcmp(npart__value_name(graph, i), name) == 0 && npart__producer(graph, i) != NPART_NONE)
            return npart__fail(at->splitting->error, NPART_ERROR_ARGUMENT, name,
                               "is inside of a function or a branch: a model can end in its main graph only");
        npart__nearest_offer(&nearest, npart__value_name(graph, i));
    }
    return npart__fail(at->splitting->error, NPART_ERROR_ARGUMENT, name, "there is no such tensor or node%s",
                       nearest.count ? npart__nearest_hint(&nearest, hint, sizeof hint) : "");
}

static npart_status refuse(const struct siding *at, const char *name, const char *why)
{
    return npart__fail(at->splitting->error, NPART_ERROR_ARGUMENT, name, "%s", why);
}

/* What is copied to where it is needed is on no side, but what it is computed from may be. */
static void push(struct siding *at, uint32_t unit, uint32_t side, uint32_t *count)
{
    struct npart__unit *units = at->splitting->units;
    if (units[unit].kind == NPART__UNIT_KNOWN || units[unit].device <= side)
        return;
    units[unit].device = side;
    at->stack[(*count)++] = unit;
}

/* The unit with all that it is computed from is on a side, but for what is on an earlier one. Each unit is met once
 * for each side. */
static void take_with_operands(struct siding *at, uint32_t unit, uint32_t side)
{
    struct npart__splitting *splitting = at->splitting;
    uint32_t count = 0;
    push(at, unit, side, &count);
    while (count) {
        const struct npart__unit *from = &splitting->units[at->stack[--count]];
        for (uint32_t i = 0; i < from->use_count; i++) {
            uint32_t made_by = splitting->names.items[splitting->uses.items[from->first_use + i]].unit;
            if (made_by != NPART_NONE)
                push(at, made_by, side, &count);
        }
    }
}

/* It will be an output of its side, in the order in which it is told. */
static npart_status take_tensor(struct siding *at, uint32_t id, uint32_t side)
{
    struct npart__splitting *splitting = at->splitting;
    const struct npart__named *named = &splitting->names.items[id];
    const char *name = npart__text(&splitting->strings, id);
    if (named->unit == NPART_NONE)
        return refuse(at, name, named->input == NPART_NONE ? "is a constant: nothing is computed before it"
                                                           : "is an input of the model: nothing is computed before it");
    const struct npart__unit *unit = &splitting->units[named->unit];
    if (unit->kind != NPART__UNIT_RUN)
        return refuse(at, name, "is a constant: nothing is computed before it");
    if (unit->device < side)
        return refuse(at, name, "is computed before the tensors at which the model begins");
    take_with_operands(at, named->unit, side);
    return NPART__PUSH(splitting->arena, &splitting->ports, id) ? NPART_OK : npart__fail_memory(splitting->error);
}

/* A tensor's name before a node's, as for cuts. */
static npart_status take_name(struct siding *at, const char *name, uint32_t side)
{
    struct npart__splitting *splitting = at->splitting;
    const Onnx__GraphProto *graph = splitting->model->graph;
    uint32_t id = npart__split_find(splitting, name);
    npart_status status = NPART_OK;
    bool is_found = id != 0;
    if (is_found)
        return take_tensor(at, id, side);
    for (size_t i = 0; i < graph->n_node && status == NPART_OK; i++) {
        if (!*name || !graph->node[i]->name || strcmp(graph->node[i]->name, name) != 0)
            continue;
        is_found = true;
        for (size_t k = 0; k < graph->node[i]->n_output && status == NPART_OK; k++)
            if ((id = npart__split_find(splitting, graph->node[i]->output[k])) != 0)
                status = take_tensor(at, id, side);
    }
    return is_found ? status : lack_name(at, name);
}

/* ---- sides ------------------------------------------------------------------------------------------------- */

static npart_status find_sides(struct siding *at)
{
    struct npart__splitting *splitting = at->splitting;
    const struct npart__bounds *bounds = at->bounds;
    npart_status status = NPART_OK;
    uint32_t rest = bounds->end_count ? NPART__SIDE_REST : NPART__SIDE_MODEL;
    find_kinds(at);
    for (uint32_t i = 0; i < splitting->unit_count; i++)
        splitting->units[i].device = rest;
    for (uint32_t i = 0; i < bounds->begin_count && status == NPART_OK; i++)
        status = take_name(at, bounds->begin[i], NPART__SIDE_HEAD);
    for (uint32_t i = 0; i < bounds->end_count && status == NPART_OK; i++)
        status = take_name(at, bounds->end[i], NPART__SIDE_MODEL);
    /* A side is taken whole before the next begins. */
    for (uint32_t i = 0; i < splitting->unit_count; i++)
        splitting->units[i].position += splitting->units[i].device * splitting->unit_count;
    return status;
}

/* Once it is known what outputs depend on. */
static npart_status check_sides(const struct siding *at)
{
    const struct npart__splitting *splitting = at->splitting;
    bool is_there[NPART__SIDES] = {false};
    for (uint32_t i = 0; i < splitting->ports.count; i++)
        if (!splitting->units[splitting->names.items[splitting->ports.items[i]].unit].is_needed)
            return refuse(at, npart__text(&splitting->strings, splitting->ports.items[i]),
                          "no output of the model is computed from it");
    for (uint32_t i = 0; i < splitting->parts.count; i++)
        is_there[splitting->parts.items[i].device] = true;
    if (!is_there[NPART__SIDE_MODEL])
        return refuse(at, at->bounds->begin_count ? at->bounds->begin[0] : at->bounds->end[0],
                      "nothing is left of the model");
    if (at->bounds->end_count && !is_there[NPART__SIDE_REST])
        return refuse(at, at->bounds->end[0], "nothing is computed after it: the model ends there already");
    return NPART_OK;
}

/* ---- what is told ------------------------------------------------------------------------------------------ */

/* Texts outlive the splitting, whose strings do not. */
static bool tell_tensor(struct npart__splitting *splitting, uint32_t name, uint8_t from, uint8_t to,
                        struct npart__arena *arena, struct npart__passing *out)
{
    const struct npart__fact *fact = npart__split_fact(splitting, name);
    const char *text = npart__text(&splitting->strings, name);
    struct npart__buffer shape;
    uint64_t elements;
    *out = (struct npart__passing){.name = npart__arena_copy_text(arena, text, strlen(text)),
                                   .shape = "null", .bytes = UINT64_MAX, .from = from, .to = to};
    if (!fact || fact->kind != NPART__TYPE_TENSOR || !fact->element_type)
        return out->name != NULL;
    out->type = npart__type_name(fact->element_type);
    if (npart__static_elements(fact, &elements))
        out->bytes = npart__type_bytes(fact->element_type, elements);
    if (!fact->has_rank)
        return out->name != NULL;
    int64_t *dims = npart__arena_zeroed(arena, fact->rank + (size_t)1, sizeof *dims);
    for (uint32_t i = 0; dims && i < fact->rank; i++)
        dims[i] = npart__is_number(fact->dims[i]) ? fact->dims[i] : -1;
    npart__buffer_init(&shape, arena);
    npart__split_append_shape(splitting, fact, &shape);
    out->dims = dims;
    out->rank = fact->rank;
    out->shape = npart__made_text(&shape);
    return out->name && dims && out->shape;
}

/* NPART__SIDES of an input of the model; a constant is on the side that takes it. */
static uint8_t side_of(const struct npart__splitting *splitting, uint32_t name, uint8_t to)
{
    uint32_t unit = splitting->names.items[name].unit;
    if (unit == NPART_NONE)
        return splitting->names.items[name].initializer == NPART_NONE ? NPART__SIDES : to;
    return splitting->units[unit].kind == NPART__UNIT_RUN ? (uint8_t)splitting->units[unit].device : to;
}

static bool tell_passing(struct npart__splitting *splitting, struct npart__arena *arena, struct npart__sided *out)
{
    struct npart__passing tensor;
    for (uint32_t i = 0; i < splitting->parts.count; i++) {
        const struct npart__split_part *part = &splitting->parts.items[i];
        for (uint32_t k = 0; k < part->inputs.count; k++) {
            uint32_t name = part->inputs.items[k];
            uint8_t to = (uint8_t)part->device, from = side_of(splitting, name, to);
            if (from == to) /* a default, which need not be given */
                continue;
            NPART__ASSERT(from == NPART__SIDES || from < to, "a tensor passes backwards");
            if (!tell_tensor(splitting, name, from, to, arena, &tensor) || !NPART__PUSH(arena, &out->passing, tensor))
                return false;
        }
    }
    const Onnx__GraphProto *graph = splitting->model->graph;
    for (size_t i = 0; i < graph->n_output; i++) {
        uint32_t name = npart__split_find(splitting, graph->output[i]->name);
        uint8_t last = (uint8_t)splitting->parts.items[splitting->parts.count - 1].device;
        if (name == 0)
            continue;
        if (!tell_tensor(splitting, name, side_of(splitting, name, last), NPART__SIDES, arena, &tensor) ||
            !NPART__PUSH(arena, &out->results, tensor))
            return false;
    }
    return true;
}

struct counted {
    const char *op;
    uint32_t count, first; /* first: as the file has them */
};

static int compare_counted(const void *left, const void *right)
{
    const struct counted *a = left, *b = right;
    return a->count != b->count ? NPART__ORDER(b->count, a->count) : NPART__ORDER(a->first, b->first);
}

/* "Sigmoid, Concat and 2 more": those that run, without copies of constants. NULL when out of memory. */
static const char *name_ops(const struct npart__splitting *splitting, const struct npart__split_part *part,
                            struct npart__arena *arena)
{
    struct npart__strings ops;
    struct npart__buffer text;
    struct counted *counts = npart__arena_zeroed(splitting->arena, (size_t)part->units.count + 2, sizeof *counts);
    uint32_t kinds = 0;
    if (!counts || !npart__strings_init(&ops, splitting->arena))
        return NULL;
    for (uint32_t i = 0; i < part->units.count; i++) {
        const struct npart__unit *unit = &splitting->units[part->units.items[i]];
        const char *op = unit->node->op_type ? unit->node->op_type : "";
        if (unit->kind != NPART__UNIT_RUN)
            continue;
        uint32_t id = npart__strings_find_text(&ops, op);
        if (id == NPART_NONE) {
            id = npart__intern_text(&ops, op);
            if (id == NPART_NONE)
                return NULL;
            counts[id] = (struct counted){op, 0, i};
            kinds = id >= kinds ? id + 1 : kinds;
        }
        counts[id].count++;
    }
    qsort(counts, kinds, sizeof *counts, compare_counted);
    npart__buffer_init(&text, arena);
    uint32_t named = 0;
    for (; named < OPS_NAMED && named < kinds && counts[named].count; named++)
        npart__append_format(&text, "%s%s", named ? ", " : "", counts[named].op);
    uint32_t more = 0;
    while (named + more < kinds && counts[named + more].count)
        more++;
    if (more)
        npart__append_format(&text, " and %u more", more);
    return npart__made_text(&text);
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

static npart_status build_all(struct npart__splitting *splitting, const struct npart__version *version,
                              struct npart__arena *arena, struct npart__sided *out)
{
    struct npart__arena *own = splitting->arena;
    npart_status status = NPART_OK;
    for (uint32_t i = 0; i < splitting->parts.count && status == NPART_OK; i++) {
        const struct npart__split_part *part = &splitting->parts.items[i];
        struct npart__side_model *model = &out->models[part->device];
        *model = (struct npart__side_model){.version = {.input_bytes = version->input_bytes,
                                                        .limits = version->limits},
                                            .ops = name_ops(splitting, part, arena)};
        for (uint32_t k = 0; k < part->units.count; k++)
            model->node_count += splitting->units[part->units.items[k]].kind == NPART__UNIT_RUN;
        splitting->arena = arena;
        status = model->ops ? npart__split_build(splitting, i, &model->version.data, &model->version.bytes)
                            : npart__fail_memory(splitting->error);
        splitting->arena = own;
    }
    return status;
}

/* Nothing in the objects is changed, so those of the plan's graph serve. */
static npart_status open(struct siding *at, const struct npart__version *version)
{
    struct npart__splitting *splitting = at->splitting;
    struct npart__skeleton skeleton = {.data = version->data,
                                       .bytes = version->bytes,
                                       .input_bytes = version->input_bytes,
                                       .limits = version->limits,
                                       .is_lent = true};
    npart_status status = NPART_OK;
    splitting->model = (Onnx__ModelProto *)(uintptr_t)version->objects;
    if (!splitting->model)
        status = npart__onnx_unpack(&skeleton, splitting->arena, &splitting->model, splitting->error);
    if (status == NPART_OK)
        status = npart__split_read(splitting);
    if (status != NPART_OK)
        return status;
    at->stack = npart__arena_zeroed(splitting->arena, (size_t)splitting->unit_count + 1, sizeof *at->stack);
    return at->stack ? NPART_OK : npart__fail_memory(splitting->error);
}

npart_status npart__split_sides(const struct npart__plan *plan, const struct npart__version *version,
                                const struct npart__bounds *bounds, struct npart__arena *arena,
                                struct npart__sided *out, struct npart_error *error)
{
    const struct npart__split_request request = {.plan = plan};
    struct npart__arena scratch;
    struct npart__splitting splitting = {.arena = &scratch, .request = &request, .error = error, .is_of_sides = true};
    struct siding at = {.splitting = &splitting, .bounds = bounds, .scratch = &scratch};
    memset(out, 0, sizeof *out);
    npart__arena_init(&scratch, &arena->allocator);
    splitting.inference = plan->request.inference;
    splitting.graph = splitting.inference->graph;
    npart_status status = open(&at, version);
    splitting.device_count = NPART__SIDES;
    if (status == NPART_OK)
        status = find_sides(&at);
    if (status == NPART_OK)
        status = npart__split_order(&splitting);
    if (status == NPART_OK)
        status = check_sides(&at);
    if (status == NPART_OK)
        status = npart__split_fill(&splitting);
    if (status == NPART_OK)
        status = build_all(&splitting, version, arena, out);
    if (status == NPART_OK && !tell_passing(&splitting, arena, out))
        status = npart__fail_memory(error);
    npart__arena_clear(&scratch);
    return status;
}
