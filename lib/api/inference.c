/* SPDX-License-Identifier: Apache-2.0
 *
 * Public functions that make inferences and ask them: types and shapes with the sizes that a
 * caller gives, or with sizes that are proposed for each use. Values are asked for by id; texts
 * are written into the caller's buffer.
 */
#include "api/api.h"

/* ---- making ------------------------------------------------------------------------------------------------ */

/* The caller's options copied, so that the inference can be made again with more sizes given.
 * Without options all is zero, which asks for nothing. NULL when out of memory. Names are copied, too: a caller
 * may free its strings once the call is over. */
struct npart__infer_options *npart__copy_inference_options(const struct npart_inference_options *options,
                                                           struct npart__arena *arena)
{
    struct npart__infer_options *copy = npart__arena_zeroed(arena, 1, sizeof *copy);
    if (!copy || !options)
        return copy;
    struct npart_dim_binding *bindings =
        npart__arena_zeroed(arena, options->dim_count + (size_t)1, sizeof *bindings);
    bool *is_missing = npart__arena_zeroed(arena, options->dim_count + (size_t)1, sizeof *is_missing);
    struct npart_input_shape *shapes = npart__arena_zeroed(arena, options->input_count + (size_t)1, sizeof *shapes);
    if (!bindings || !is_missing || !shapes)
        return NULL;
    for (uint32_t i = 0; i < options->dim_count; i++) {
        bindings[i] = options->dims[i];
        bindings[i].name = npart__arena_copy_text(arena, bindings[i].name, strlen(bindings[i].name));
        if (!bindings[i].name)
            return NULL;
    }
    for (uint32_t i = 0; i < options->input_count; i++) {
        const struct npart_input_shape *from = &options->inputs[i];
        int64_t *dims = npart__arena_allocate(arena, (from->rank + (size_t)1) * sizeof *dims);
        shapes[i] = *from;
        shapes[i].input = npart__arena_copy_text(arena, from->input, strlen(from->input));
        /* One more than the rank was allocated: a scalar has no dims, and still needs an
         * address. */
        shapes[i].dims = dims;
        if (!dims || !shapes[i].input)
            return NULL;
        memcpy(dims, from->dims, from->rank * sizeof *dims);
    }
    copy->bindings = bindings;
    copy->binding_count = options->dim_count;
    copy->is_missing = is_missing;
    copy->may_lack_count = options->version >= 2 && options->may_lack_dims ? options->dim_count : 0;
    copy->shapes = shapes;
    copy->shape_count = options->input_count;
    copy->ignore_value_info = options->ignore_value_info;
    return copy;
}

/* False where an array is missing, or a name in it. Counts may be zero with NULL arrays, and not
 * the other way round. */
static bool are_complete(const struct npart_inference_options *options)
{
    bool is_complete = (options->dims || !options->dim_count) && (options->inputs || !options->input_count);
    for (uint32_t i = 0; is_complete && i < options->dim_count; i++)
        is_complete = options->dims[i].name != NULL;
    for (uint32_t i = 0; is_complete && i < options->input_count; i++)
        is_complete = options->inputs[i].input && (options->inputs[i].dims || !options->inputs[i].rank);
    return is_complete;
}

/* All that could make copying read through a NULL. */
npart_status npart__check_inference_options(const struct npart_inference_options *options,
                                            struct npart_error *error)
{
    if (!options)
        return NPART_OK;
    npart_status status = npart__check_version("inference options", options->version, 3, error);
    if (status == NPART_OK && !are_complete(options))
        status = npart__fail(error, NPART_ERROR_ARGUMENT, "", "inference options lack a name or sizes");
    return status;
}

/* With room for what plans share; NULL when out of memory. A handle that keeps its model alive, nothing inferred
 * yet. The room is allocated apart from the handle, since views are copies of the struct and share it. */
static npart_inference *new_inference(const npart_model *model)
{
    npart_inference *made = npart__handle_new(sizeof *made, &model->life->arena.allocator);
    if (!made)
        return NULL;
    made->inference = &made->own; /* a view would have another's */
    made->model = model;
    made->views = npart__arena_zeroed(&made->life->arena, 1, sizeof *made->views);
    made->work = npart__arena_zeroed(&made->life->arena, 1, sizeof *made->work);
    made->structures = npart__arena_zeroed(&made->life->arena, 1, sizeof *made->structures);
    npart__life_keep(made->life, model->life);
    if (!made->views || !made->work || !made->structures) {
        npart_inference_free(made);
        return NULL;
    }
    made->views->shared.arena = &made->life->arena;
    return made;
}

/* Findings about compiled graphs and about what a runtime refuses belong to the inference, as they are the same
 * for every target. `made` has its own arena, with the allocator of the model and so within its budget. */
npart_status npart_inference_make(npart_inference **out, const npart_model *model,
                                  const struct npart_inference_options *options, struct npart_error *error)
{
    if (!out || !model)
        return npart__fail_null(out ? "model" : "out", error);
    npart_status status = npart__check_inference_options(options, error);
    if (status != NPART_OK)
        return status;
    npart_inference *made = new_inference(model);
    if (!made)
        return npart__settle_for(model->life, npart__fail_memory(error), error);
    struct npart__infer_options *copy = npart__copy_inference_options(options, &made->life->arena);
    status = copy ? NPART_OK : npart__fail_memory(error);
    if (status == NPART_OK && options && options->version >= 3 && options->lengths)
        status = npart__find_padding(options, copy, &made->life->arena, error);
    made->options = copy;
    if (status == NPART_OK)
        status = npart__infer(model->graph, made->options, &made->life->arena, made->inference, error);
    if (status == NPART_OK)
        /* Findings need facts, so they come after them; both lists are in the arena of the inference. */
        status = npart__find_compiled(made->inference, error);
    if (status == NPART_OK)
        status = npart__find_invalid(made->inference, error);
    return NPART__HAND_OVER(out, made, status, error);
}

/* Whether some input of the model has a dim that is no number. Inputs alone: sizes that the data decides cannot be
 * chosen. */
static bool has_open_inputs(const npart_inference *inference)
{
    const struct npart__graph *graph = inference->model->graph;
    const struct npart__scope *scope = npart__scope_at(graph, 0);
    for (uint32_t i = 0; i < scope->input_count; i++) {
        const struct npart__fact *fact =
            npart__fact_of(inference->inference, graph->operands.items[scope->first_input + i]);
        if (!npart__is_static(fact))
            return true;
    }
    return false;
}

/* The options of `open` with more sizes given. Earlier sizes stay: what the caller has fixed is not proposed
 * anew. Where it is noted that a dim is missing is in the arena of `open`: the copy has a place of its own, as several
 * threads may ask of one inference. */
static bool add_bindings(npart_inference *made, const npart_inference *open)
{
    uint32_t before = open->options->binding_count, count = made->chosen_count;
    struct npart__infer_options *options = npart__arena_zeroed(&made->life->arena, 1, sizeof *options);
    struct npart_dim_binding *all = npart__arena_zeroed(&made->life->arena, before + (size_t)count, sizeof *all);
    bool *is_missing = npart__arena_zeroed(&made->life->arena, before + (size_t)1, sizeof *is_missing);
    if (!options || !all || !is_missing)
        return false;
    if (before)
        memcpy(all, open->options->bindings, before * sizeof *all);
    memcpy(all + before, made->chosen, count * sizeof *all);
    *options = *open->options;
    options->bindings = all;
    options->binding_count = before + count;
    options->is_missing = is_missing;
    made->options = options;
    return true;
}

/* Compiled graphs and what a runtime refuses to load are the file's own, whatever sizes a run has. They are not looked
 * for again: with sizes that were chosen badly, more would be found than the file has. Texts stay those of `open`. */
static bool take_findings(npart_inference *made, const npart_inference *open)
{
    bool is_ok = true;
    for (uint32_t i = 0; is_ok && i < open->inference->findings.count; i++) {
        const struct npart_finding *finding = &open->inference->findings.items[i];
        if (strcmp(finding->code, NPART__INVALID) == 0 || strcmp(finding->code, NPART__COMPILED) == 0)
            is_ok = NPART__PUSH(&made->life->arena, &made->inference->findings, *finding);
    }
    return is_ok;
}

/* With the sizes that were chosen. From the beginning, as facts with symbols cannot be turned into facts with
 * numbers in place. */
static npart_status infer_again(npart_inference *made, const npart_inference *open, struct npart_error *error)
{
    npart_status status =
        add_bindings(made, open)
            ? npart__infer(open->model->graph, made->options, &made->life->arena, made->inference, error)
            : npart__fail_memory(error);
    return status == NPART_OK && !take_findings(made, open) ? npart__fail_memory(error) : status;
}

/* How much of an inference cannot be, or would fail in a run. A size that was chosen wrongly shows as shapes
 * that do not fit, as where two axes have to be equal. For instance a Concat of [1,8] and [2,8] along axis 1,
 * where one dim was set to 1 and one to 2. */
static uint64_t misfits_of(const npart_inference *inference)
{
    return (uint64_t)inference->inference->contradicted.count + inference->inference->misfits;
}

/* One attempt; *out is NULL when nothing is dynamic, there is no such use, or the sizes conflict. A
 * conflict of sizes is an ARGUMENT error of the inference; here it only means that this attempt
 * is none. */
static npart_status try_sizes(npart_inference **out, const npart_inference *open, uint32_t use, uint32_t attempt,
                              struct npart_error *error)
{
    npart_inference *made = new_inference(open->model);
    struct npart__proposal proposal;
    *out = NULL;
    if (!made)
        return npart__settle_for(open->life, npart__fail_memory(error), error);
    /* `open` has the options that the new one shares. */
    npart__life_keep(made->life, open->life);
    npart_status status = npart__propose_sizes(open->inference, &made->life->arena, use, attempt, &proposal)
                              ? NPART_OK
                              : npart__fail_memory(error);
    bool is_made = status == NPART_OK && proposal.count > 0;
    if (is_made) {
        made->use = proposal.use;
        made->chosen = proposal.requests;
        made->chosen_count = proposal.count;
        status = infer_again(made, open, error);
    }
    status = npart__settle_for(made->life, status, error);
    if (status == NPART_OK && is_made)
        *out = made;
    else
        npart_inference_free(made);
    return status == NPART_ERROR_ARGUMENT ? NPART_OK : status;
}

/* Several proposals are tried; the first that contradicts no more than the model as it is does is taken, else
 * the one with the fewest misfits. *out is NULL where nothing is dynamic. Attempts are few
 * (NPART__SIZE_ATTEMPTS), and most models fit at the first. At most two inferences are held at a time: the best
 * so far and the one that is tried. */
npart_status npart_inference_make_use(npart_inference **out, const npart_inference *open, uint32_t use,
                                      struct npart_error *error)
{
    npart_inference *best = NULL, *made;
    struct npart_error own = {.status = NPART_OK}; /* an attempt may fail, and that is no failure of the call */
    if (!out || !open)
        return npart__fail_null(out ? "open" : "out", error);
    /* The view of a plan knows less than the inference that it was made from. */
    if (open->made_from)
        open = open->made_from;
    bool fits = !has_open_inputs(open);
    for (uint32_t attempt = 0; !fits && attempt < NPART__SIZE_ATTEMPTS; attempt++) {
        npart_status status = try_sizes(&made, open, use, attempt, &own);
        if (status != NPART_OK) {
            npart_inference_free(best);
            if (error)
                *error = own;
            return status;
        }
        fits = made && misfits_of(made) <= misfits_of(open);
        bool is_better = made && (!best || misfits_of(made) < misfits_of(best));
        npart_inference_free(is_better ? best : made);
        best = is_better ? made : best;
    }
    *out = best;
    return NPART_OK;
}

/* `open` may be a view: all that is known is asked then. What the sizes are for (`use`) stays NULL. */
npart_status npart__inference_bind(npart_inference **out, const npart_inference *open,
                                   const struct npart_dim_binding *sizes, uint32_t count,
                                   struct npart_error *error)
{
    /* What its runtime does not know would be missing here. */
    if (open->made_from)
        open = open->made_from;
    npart_inference *made = new_inference(open->model);
    if (!made)
        return npart__settle_for(open->life, npart__fail_memory(error), error);
    npart__life_keep(made->life, open->life);
    /* Sizes that conflict are an ARGUMENT error, which the caller may pass over (lib/compare/place does). */
    made->chosen = sizes;
    made->chosen_count = count;
    npart_status status = infer_again(made, open, error);
    return NPART__HAND_OVER(out, made, status, error);
}

/* Use 0 is what a model is mostly asked for; other uses have sizes of their own (prefill and
 * decode). */
npart_status npart_inference_make_fixed(npart_inference **out, const npart_inference *open, struct npart_error *error)
{
    return npart_inference_make_use(out, open, 0, error);
}

NPART__FREES(inference)

/* ---- the whole --------------------------------------------------------------------------------------------- */

/* binding_count counts sizes that were chosen, not those of the caller, who knows them. */
bool npart_inference_info(const npart_inference *inference, struct npart_inference_info *out)
{
    if (!inference || !NPART__HAS_ROOM(out))
        return false;
    *out = (struct npart_inference_info){
        .size = sizeof *out,
        .binding_count = inference->chosen_count,
        .assumption_count = inference->inference->assumptions.count,
        .finding_count = inference->inference->findings.count,
        .is_invalid = npart__is_invalid(inference->inference),
        .allocator = &inference->life->arena.allocator,
        .use = inference->use ? inference->use : "",
    };
    return true;
}

/* Of a view the graph that its runtime sees, whose ids of the file's nodes and values are the
 * same. */
const npart_model *npart_inference_model(const npart_inference *inference)
{
    return inference ? inference->model : NULL;
}

/* Sizes that were proposed, not those that the caller gave. */
bool npart_inference_binding(const npart_inference *inference, uint32_t index, struct npart_dim_binding *out)
{
    if (!inference || !out || index >= inference->chosen_count)
        return false;
    *out = inference->chosen[index];
    return true;
}

bool npart_inference_given(const npart_inference *inference, uint32_t index, struct npart_dim_binding *out)
{
    if (!inference || !out || !inference->options || index >= inference->options->binding_count)
        return false;
    *out = inference->options->bindings[index];
    return true;
}

bool npart_inference_lacks(const npart_inference *inference, uint32_t index)
{
    const struct npart__infer_options *options = inference ? inference->options : NULL;
    return options && index < options->may_lack_count && options->is_missing[index];
}

/* "batch = sequence": two sizes that had to be taken for equal, with the node that needs it. Both sides are
 * printed from the pool, as a size may be an expression ("2*n = m + 1"). */
bool npart_inference_assumption(const npart_inference *inference, uint32_t index, char *out, size_t bytes,
                                uint32_t *node)
{
    struct npart__note note;
    if (!inference || index >= inference->inference->assumptions.count)
        return false;
    const struct npart__assumption *at = &inference->inference->assumptions.items[index];
    npart__note_open(&note, &inference->life->arena.allocator);
    npart__append_dim(&note.text, &inference->inference->expressions, at->left);
    npart__append_text(&note.text, " = ");
    npart__append_dim(&note.text, &inference->inference->expressions, at->right);
    (void)npart__note_close(&note, out, bytes);
    if (node)
        *node = at->node;
    return true;
}

/* Findings of inference come after those of reading, which are the model's. */
bool npart_inference_finding(const npart_inference *inference, uint32_t index, struct npart_finding *out)
{
    return NPART__GET(inference, inference->findings, index, out);
}

/* ---- values ------------------------------------------------------------------------------------------------ */

/* NULL for an id out of range, which is no error but no answer. Of a view the range is its own graph's, which may
 * have more values. */
static const struct npart__fact *fact_at(const npart_inference *inference, uint32_t value)
{
    return inference && value < inference->model->graph->values.count ? npart__fact_of(inference->inference, value)
                                                                      : NULL;
}

/* What is known of a value, as numbers; dims are asked for one by one, since they may be expressions. `producer`
 * is NPART_NONE of an input or initializer, which `source` tells apart. */
bool npart_inference_value(const npart_inference *inference, uint32_t value, struct npart_value *out)
{
    const struct npart__fact *fact = fact_at(inference, value);
    if (!fact || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__value *at = npart__value_at(inference->model->graph, value);
    *out = (struct npart_value){
        .size = sizeof *out,
        .name = npart__value_name(inference->model->graph, value),
        .kind = (enum npart_value_kind)fact->kind,
        .element_type = fact->element_type,
        .has_rank = fact->has_rank,
        .rank = fact->rank,
        .is_static = npart__is_static(fact),
        .is_constant = fact->is_constant,
        .is_output = at->is_graph_output,
        .producer = at->producer,
        .graph = at->scope,
        .source = (enum npart_value_source)at->kind,
    };
    return true;
}

/* -1 where the dim is not a number: a symbol, an expression, or unknown. So that 0 is a size, which empty tensors
 * have. */
int64_t npart_inference_dim(const npart_inference *inference, uint32_t value, uint32_t axis)
{
    const struct npart__fact *fact = fact_at(inference, value);
    bool is_known = fact && fact->has_rank && axis < fact->rank && npart__is_number(fact->dims[axis]);
    return is_known ? fact->dims[axis] : -1;
}

/* "" for numbers and for what has no name at all. It can be given as `--dim` as it is written here. */
size_t npart_inference_dim_text(const npart_inference *inference, uint32_t value, uint32_t axis, char *out,
                                size_t bytes)
{
    struct npart__note note;
    const struct npart__fact *fact = fact_at(inference, value);
    bool is_there = fact && fact->has_rank && axis < fact->rank && !npart__is_number(fact->dims[axis]);
    if (!is_there || !npart__is_named(&inference->inference->expressions, fact->dims[axis]))
        return npart__copy_out("", 0, out, bytes);
    npart__note_open(&note, &inference->life->arena.allocator);
    npart__append_dim(&note.text, &inference->inference->expressions, fact->dims[axis]);
    return npart__note_close(&note, out, bytes);
}

/* For instance float32[batch,3,224,224]: what a person reads of a value. */
size_t npart_inference_type_text(const npart_inference *inference, uint32_t value, char *out, size_t bytes)
{
    struct npart__note note;
    const struct npart__fact *fact = fact_at(inference, value);
    if (!fact)
        return npart__copy_out("", 0, out, bytes);
    npart__note_open(&note, &inference->life->arena.allocator);
    npart__append_fact(&note.text, &inference->inference->expressions, fact);
    return npart__note_close(&note, out, bytes);
}

/* Elements are read when they are first asked for, which changes the inference: hence the lock. Of float tensors
 * there are none here. An element that is a symbol comes out as -1. What is larger than inference keeps (it
 * keeps sizes and indices) has no elements either. Once there they stay as they are, so they are copied after
 * the lock is released. `count` is that of all, also where `capacity` is less: a caller may come again with more
 * room. */
bool npart_inference_elements(const npart_inference *inference, uint32_t value, int64_t *out, uint32_t capacity,
                              uint32_t *count)
{
    if (count)
        *count = 0;
    if (!count || (!out && capacity) || !fact_at(inference, value))
        return false;
    npart__lock(inference);
    const struct npart__known *known = npart__elements(inference->inference, &inference->inference->facts[value]);
    (void)npart__take_failure(inference->inference); /* the next try may succeed */
    npart__unlock(inference);
    if (!known || !known->ints)
        return false;
    for (uint32_t i = 0; i < known->count && i < capacity; i++)
        out[i] = npart__is_number(known->ints[i]) ? known->ints[i] : -1;
    *count = known->count;
    return true;
}
