/* SPDX-License-Identifier: Apache-2.0
 *
 * A model that ends, or begins, at tensors that are asked for: the step, what is told of it, and the files of what is
 * before and after.
 */
#include <string.h>

#include "api/api.h"
#include "base/json.h"
#include "fix/handle.h"
#include "fix/state.h"
#include "wire/files.h"

/* ---- the step ---------------------------------------------------------------------------------------------------- */

/* One side on each target, all on the CPU. */
static npart_status weigh_side(struct npart__search *search, const struct npart__version *version,
                               struct npart__hosted *hosted)
{
    struct npart__search side = {.request = search->request, .arena = search->arena, .fix = search->fix,
                                 .error = search->error};
    struct npart__state *state = npart__state_new(&side);
    if (!state)
        return npart__fail_memory(search->error);
    npart_status status = npart__state_analyse(&side, state, version, NPART__ID_END);
    for (uint32_t t = 0; t < search->request->target_count && status == NPART_OK; t++) {
        const struct npart__plan *plan = &state->plans[t];
        hosted[t].live += plan->summary.live;
        bool has_macs = plan->summary.has_macs && hosted[t].macs != UINT64_MAX;
        hosted[t].macs = has_macs ? hosted[t].macs + plan->summary.macs : UINT64_MAX;
        hosted[t].bill.unknown += plan->sides.cpu.unknown;
        for (uint32_t p = 0; p <= NPART__PARTS; p++)
            for (uint32_t r = 0; r < NPART__MOST_RATES; r++)
                hosted[t].bill.quantities[p][r] += plan->sides.cpu.quantities[p][r];
        double ms = npart__bill_range(&plan->node_costs->rates, &plan->sides.cpu, NPART__PART_ALL).typical_ms;
        hosted[t].ms = ms < 0 || plan->sides.cpu.unknown || hosted[t].ms < 0 ? -1 : hosted[t].ms + ms;
    }
    npart__state_free(state);
    return status;
}

/* What the host takes for the other sides. */
static npart_status weigh_sides(struct npart__search *search)
{
    const struct npart__sided *sided = &search->fix->sided;
    struct npart__hosted *hosted = npart__arena_zeroed(search->arena, search->request->target_count, sizeof *hosted);
    npart_status status = hosted ? NPART_OK : npart__fail_memory(search->error);
    for (uint32_t i = 0; i < NPART__SIDES && status == NPART_OK; i++)
        if (i != NPART__SIDE_MODEL && sided->models[i].version.data)
            status = weigh_side(search, &sided->models[i].version, hosted);
    search->fix->hosted = hosted;
    return status;
}

npart_status npart__attempt_end(struct npart__search *search, struct npart__state *state,
                                struct npart__attempt *attempt)
{
    static const char *const notes[] = {"The host runs what is before and after the model.", NULL};
    const struct npart__bounds *bounds = &search->request->bounds;
    struct npart__sided *sided = &search->fix->sided;
    struct npart__edition *edition;
    npart__describe_step(search, attempt, NPART__ID_END, notes);
    attempt->step.site_count = bounds->begin_count + bounds->end_count;
    npart_status status =
        npart__split_sides(state->plans, &state->version, bounds, search->arena, sided, search->error);
    if (status != NPART_OK)
        return status;
    status = npart__edition_find(search->request->editions, &sided->models[NPART__SIDE_MODEL].version,
                                 search->request->model_name, &search->arena->allocator, &edition, search->error);
    if (status == NPART_OK)
        status = npart__take_made(search, edition, attempt, NPART__ID_END);
    else if (status != NPART_ERROR_MEMORY)
        status = NPART_OK;
    if (status == NPART_OK && !attempt->made)
        return npart__fail(search->error, NPART_ERROR_ARGUMENT, "", "the model cannot be read when it ends there");
    return status == NPART_OK ? weigh_sides(search) : status;
}

/* ---- what is told ------------------------------------------------------------------------------------------------ */

static bool has_sides(const npart_fix *fix)
{
    return fix && fix->found.sided.models[NPART__SIDE_MODEL].version.data;
}

bool npart_fix_ends(const npart_fix *fix, struct npart_ends_info *out)
{
    if (!has_sides(fix) || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__side_model *models = fix->found.sided.models;
    *out = (struct npart_ends_info){.size = sizeof *out,
                                    .head_nodes = models[NPART__SIDE_HEAD].node_count,
                                    .rest_nodes = models[NPART__SIDE_REST].node_count,
                                    .head_ops = models[NPART__SIDE_HEAD].ops,
                                    .rest_ops = models[NPART__SIDE_REST].ops,
                                    .host_ms = fix->found.hosted[0].ms,
                                    .tensor_count = fix->found.sided.passing.count};
    return true;
}

bool npart_fix_passing(const npart_fix *fix, uint32_t index, struct npart_passing *out)
{
    if (!has_sides(fix) || index >= fix->found.sided.passing.count || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__passing *at = &fix->found.sided.passing.items[index];
    *out = (struct npart_passing){.size = sizeof *out,
                                  .name = at->name,
                                  .from = (enum npart_part_side)at->from,
                                  .to = (enum npart_part_side)at->to,
                                  .type = at->type,
                                  .rank = at->rank,
                                  .dims = at->dims,
                                  .has_bytes = at->bytes != UINT64_MAX,
                                  .bytes = at->bytes != UINT64_MAX ? at->bytes : 0};
    return true;
}

/* ---- the manifest ------------------------------------------------------------------------------------------------ */

/* One writing of all files. */
struct writing {
    const npart_fix *fix;
    const char *paths[NPART__SIDES]; /* NULL: not written */
    struct npart__arena *arena;
    struct npart_error *error;
    struct npart__save saves[NPART__SIDES];
    bool is_begun[NPART__SIDES];
    struct npart__output manifest;
};

/* The place of a side among the parts; NPART_NONE: it is none of them. */
static uint32_t order_of(const struct writing *writing, uint32_t side)
{
    const struct npart__side_model *models = writing->fix->found.sided.models;
    uint32_t order = 0;
    if (side >= NPART__SIDES || !models[side].version.data)
        return NPART_NONE;
    for (uint32_t i = 0; i < side; i++)
        order += models[i].version.data != NULL;
    return order;
}

static void put_from(struct npart__buffer *out, uint32_t order)
{
    if (order == NPART_NONE)
        npart__json_value(out, "from", "null");
    else
        npart__json_number(out, "from", order);
}

static void put_tensor(struct npart__buffer *out, const struct npart__passing *at)
{
    npart__json_text(out, "name", at->name);
    if (at->type)
        npart__json_text(out, "type", at->type);
    else
        npart__json_value(out, "type", "null");
    npart__json_value(out, "shape", at->shape);
    if (at->bytes == UINT64_MAX)
        npart__json_value(out, "bytes", "null");
    else
        npart__json_number(out, "bytes", (int64_t)at->bytes);
}

static void put_inputs(struct npart__buffer *out, const struct writing *writing, uint32_t side)
{
    const struct npart__sided *sided = &writing->fix->found.sided;
    npart__json_open(out, "inputs", '[');
    for (uint32_t i = 0; i < sided->passing.count; i++) {
        if (sided->passing.items[i].to != side)
            continue;
        npart__json_open(out, NULL, '{');
        put_tensor(out, &sided->passing.items[i]);
        put_from(out, order_of(writing, sided->passing.items[i].from));
        npart__json_close(out, '}');
    }
    npart__json_close(out, ']');
}

static bool is_listed(const struct npart__sided *sided, uint32_t end, uint32_t side, const char *name)
{
    bool is_found = false;
    for (uint32_t i = 0; i < end && !is_found; i++)
        is_found = sided->passing.items[i].from == side && strcmp(sided->passing.items[i].name, name) == 0;
    return is_found;
}

/* What passes on, each once, then results of the whole. */
static void put_outputs(struct npart__buffer *out, const struct npart__sided *sided, uint32_t side)
{
    npart__json_open(out, "outputs", '[');
    for (uint32_t i = 0; i < sided->passing.count + sided->results.count; i++) {
        bool is_result = i >= sided->passing.count;
        const struct npart__passing *at =
            is_result ? &sided->results.items[i - sided->passing.count] : &sided->passing.items[i];
        if (at->from != side || is_listed(sided, is_result ? sided->passing.count : i, side, at->name))
            continue;
        npart__json_open(out, NULL, '{');
        put_tensor(out, at);
        npart__json_close(out, '}');
    }
    npart__json_close(out, ']');
}

/* As it is beside the manifest: its name alone where it stands in the same folder. */
static const char *name_beside(const struct writing *writing, const char *path)
{
    const char *own = npart__folder_of(writing->paths[NPART__SIDE_MODEL], writing->arena);
    const char *folder = npart__folder_of(path, writing->arena);
    if (!own || !folder)
        return NULL;
    size_t length = strlen(folder);
    bool is_within = strcmp(own, folder) == 0 && strncmp(path, folder, length) == 0 && path[length];
    return is_within ? path + length + 1 : path;
}

static void put_part(struct npart__buffer *out, const struct writing *writing, uint32_t side)
{
    const struct npart__side_model *model = &writing->fix->found.sided.models[side];
    const char *path = writing->paths[side], *file = path ? name_beside(writing, path) : NULL;
    out->failed |= path && !file;
    npart__json_open(out, NULL, '{');
    npart__json_number(out, "order", order_of(writing, side));
    npart__json_text(out, "device", side == NPART__SIDE_MODEL ? "npu" : "cpu");
    npart__json_value(out, "partition", "null");
    if (file)
        npart__json_text(out, "file", file);
    else
        npart__json_value(out, "file", "null");
    npart__json_number(out, "nodes", side == NPART__SIDE_MODEL ? writing->fix->after[0].nodes : model->node_count);
    put_inputs(out, writing, side);
    put_outputs(out, &writing->fix->found.sided, side);
    npart__json_close(out, '}');
}

/* As split writes one (docs/split.md), without times: the same bytes for the same input. NULL when out of memory. */
static const char *make_manifest(const struct writing *writing, struct npart__buffer *out)
{
    const npart_fix *fix = writing->fix;
    const struct npart__sided *sided = &fix->found.sided;
    const struct npart__target *target = &fix->plans[0]->plan.target;
    npart__buffer_init(out, writing->arena);
    npart__json_open(out, NULL, '{');
    npart__json_number(out, "schema", 1);
    npart__json_text(out, "model", fix->path);
    npart__json_text(out, "target", target->oplist->name);
    npart__json_text(out, "variant", target->variant_text ? target->variant_text : "");
    npart__json_open(out, "parts", '[');
    for (uint32_t side = 0; side < NPART__SIDES; side++)
        if (sided->models[side].version.data)
            put_part(out, writing, side);
    npart__json_close(out, ']');
    npart__json_open(out, "outputs", '[');
    for (uint32_t i = 0; i < sided->results.count; i++) {
        npart__json_open(out, NULL, '{');
        npart__json_text(out, "name", sided->results.items[i].name);
        put_from(out, order_of(writing, sided->results.items[i].from));
        npart__json_close(out, '}');
    }
    npart__json_close(out, ']');
    npart__json_close(out, '}');
    npart__append_text(out, "\n");
    return npart__made_text(out);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* The model is what the search made of its side, and is read again before it is put in place. */
static npart_status begin_side(struct writing *writing, uint32_t side, const struct npart__weights *how)
{
    const npart_fix *fix = writing->fix;
    struct npart__version version = fix->found.sided.models[side].version;
    npart_status status = NPART_OK;
    if (side == NPART__SIDE_MODEL)
        status = npart__fix_complete(fix, writing->arena, &version, writing->error);
    if (status == NPART_OK)
        status = npart__save_begin(&writing->saves[side], writing->paths[side], version.data, version.bytes,
                                   &fix->input, how, writing->arena, writing->error);
    writing->is_begun[side] = status == NPART_OK;
    if (status == NPART_OK && side == NPART__SIDE_MODEL)
        status = npart__fix_prove(fix, writing->saves[side].temporary, writing->error);
    return status;
}

/* All are whole under other names before the first gets its own; the model is the last of them, and the manifest, which
 * names them, comes after it. */
static npart_status write_all(struct writing *writing, const char *manifest, const struct npart__weights *how)
{
    static const uint8_t order[NPART__SIDES] = {NPART__SIDE_HEAD, NPART__SIDE_REST, NPART__SIDE_MODEL};
    struct npart__buffer text;
    npart_status status = NPART_OK;
    for (uint32_t i = 0; i < NPART__SIDES && status == NPART_OK; i++)
        if (writing->paths[i])
            status = begin_side(writing, i, how);
    if (status == NPART_OK && manifest) {
        const char *made = make_manifest(writing, &text);
        status = made ? npart__output_hold(&writing->manifest, manifest, &writing->fix->input, made, strlen(made),
                                           writing->arena, writing->error)
                      : npart__fail_memory(writing->error);
    }
    for (uint32_t i = 0; i < NPART__SIDES && status == NPART_OK; i++)
        if (writing->paths[order[i]])
            status = npart__save_commit(&writing->saves[order[i]], writing->error);
    if (status == NPART_OK && manifest)
        status = npart__output_commit(&writing->manifest, writing->error);
    for (uint32_t i = 0; i < NPART__SIDES; i++)
        if (writing->is_begun[i])
            npart__save_close(&writing->saves[i]);
    npart__output_close(&writing->manifest);
    return status;
}

/* Two of them in one place would be one file in the end. */
static npart_status check_paths(const struct writing *writing, const char *manifest)
{
    for (uint32_t i = 0; i < NPART__SIDES; i++) {
        const char *path = writing->paths[i];
        if (path && !writing->fix->found.sided.models[i].version.data)
            return npart__fail(writing->error, NPART_ERROR_ARGUMENT, path, "there is nothing %s the model to write",
                               i == NPART__SIDE_HEAD ? "before" : "after");
        for (uint32_t k = 0; path && k <= i; k++) {
            const char *other = k < i ? writing->paths[k] : manifest;
            if (other && strcmp(other, path) == 0)
                return npart__fail(writing->error, NPART_ERROR_ARGUMENT, path, "is given twice");
        }
    }
    return NPART_OK;
}

npart_status npart_fix_write_sides(const npart_fix *fix, const struct npart_side_paths *paths,
                                   enum npart_weights weights, struct npart_error *error)
{
    if (!fix || !paths || !NPART__HAS_ROOM(paths) || !paths->model)
        return npart__fail_null(!fix ? "fix" : !paths ? "paths" : "paths->model", error);
    if (!has_sides(fix))
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "the model was not asked to begin or end anywhere");
    if (!fix->is_input_open)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "the model is in no file: its weights cannot be copied");
    if ((unsigned)weights > NPART_WEIGHTS_EXTERNAL)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "there is no choice %d of weights", (int)weights);
    struct npart__arena arena;
    const struct npart__weights how = {.links = weights == NPART_WEIGHTS_LINK,
                                       .copies = weights == NPART_WEIGHTS_COPY,
                                       .moves_out = weights == NPART_WEIGHTS_EXTERNAL,
                                       .leaves_absent = true};
    struct writing writing = {.fix = fix, .paths = {paths->head, paths->model, paths->rest}, .arena = &arena,
                              .error = error, .manifest.descriptor = -1};
    npart__arena_init(&arena, &fix->life->arena.allocator);
    npart_status status = check_paths(&writing, paths->manifest);
    if (status == NPART_OK)
        status = write_all(&writing, paths->manifest, &how);
    npart__arena_clear(&arena);
    return npart__settle_for(fix->life, status, error);
}
