/* SPDX-License-Identifier: Apache-2.0
 *
 * Public functions about models: check arguments, call a stage, return.
 */
#include <stdio.h>
#include <stdlib.h>

#include "api/api.h"

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *npart_version(void)
{
    return VERSION_TEXT(NPART_VERSION_MAJOR, NPART_VERSION_MINOR, NPART_VERSION_PATCH);
}

void npart_plain_text(const char *text, char *out, size_t bytes)
{
    npart__copy_plain(out, bytes, text);
}

/* The arena is kept inside the handle that it holds: made on the stack, then moved in. */
void *npart__new_handle(size_t bytes, size_t arena_offset, const struct npart_allocator *allocator)
{
    struct npart__arena arena;
    npart__arena_init(&arena, allocator);
    char *handle = npart__arena_zeroed(&arena, 1, bytes);
    if (!handle) {
        npart__arena_clear(&arena);
        return NULL;
    }
    memcpy(handle + arena_offset, &arena, sizeof arena);
    return handle;
}

void npart__free_handle(void *handle, struct npart__arena *arena)
{
    if (!handle)
        return;
    struct npart__arena moved = *arena;
    npart__arena_clear(&moved);
}

/* ---- reading ----------------------------------------------------------------------------------------------- */

static npart_status read_source(npart_model **out, npart_model *model, struct npart__source *source,
                                const struct npart_read_options *options, const char *name,
                                struct npart_error *error)
{
    struct npart__wire_options wire = {.keep_bytes = options ? options->keep_bytes : 0};
    struct npart__skeleton skeleton;
    npart_status status = npart__wire_scan(source, &wire, &model->arena, &skeleton, error);
    npart__source_close(source);
    if (status == NPART_OK)
        status = npart__graph_build(&skeleton, &model->arena, &model->graph, error);
    const char *shown = options && options->name ? options->name : name;
    model->name = status == NPART_OK ? npart__arena_copy_text(&model->arena, shown, strlen(shown)) : NULL;
    if (status == NPART_OK && !model->name)
        status = npart__fail_memory(error);
    if (status == NPART_OK)
        *out = model;
    else
        npart_model_free(model);
    return status;
}

static npart_model *new_model(const struct npart_read_options *options)
{
    return NPART__NEW_HANDLE(npart_model, options ? options->allocator : NULL);
}

npart_status npart_model_read_file(npart_model **out, const char *path, const struct npart_read_options *options,
                                   struct npart_error *error)
{
    struct npart__source source;
    npart_model *model = new_model(options);
    if (!model)
        return npart__fail_memory(error);
    npart_status status = npart__source_open_file(&source, &model->arena, path, error);
    if (status != NPART_OK) {
        npart_model_free(model);
        return status;
    }
    return read_source(out, model, &source, options, path, error);
}

npart_status npart_model_read_stream(npart_model **out, npart_read_callback read, void *payload,
                                     const struct npart_read_options *options, struct npart_error *error)
{
    struct npart__source source;
    npart_model *model = new_model(options);
    if (!model)
        return npart__fail_memory(error);
    npart_status status = npart__source_open_stream(&source, &model->arena, read, payload, error);
    if (status != NPART_OK) {
        npart_model_free(model);
        return status;
    }
    return read_source(out, model, &source, options, "-", error);
}

npart_status npart_model_read_memory(npart_model **out, const void *data, size_t bytes,
                                     const struct npart_read_options *options, struct npart_error *error)
{
    struct npart__source source;
    npart_model *model = new_model(options);
    if (!model)
        return npart__fail_memory(error);
    npart__source_open_memory(&source, data, bytes);
    return read_source(out, model, &source, options, "-", error);
}

void npart_model_free(npart_model *model)
{
    npart__free_handle(model, model ? &model->arena : NULL);
}

/* ---- asking ------------------------------------------------------------------------------------------------ */

void npart_model_info(const npart_model *model, struct npart_model_info *out)
{
    const struct npart__graph *graph = &model->graph;
    *out = (struct npart_model_info){
        .name = model->name,
        .ir_version = graph->ir_version,
        .producer_name = graph->producer_name,
        .producer_version = graph->producer_version,
        .input_bytes = graph->input_bytes,
        .weight_bytes = graph->weight_bytes,
        .node_count = graph->nodes.count,
        .value_count = graph->values.count,
    };
}

bool npart_model_node(const npart_model *model, uint32_t node, struct npart_node *out)
{
    if (node >= model->graph.nodes.count)
        return false;
    const struct npart__node *at = &model->graph.nodes.items[node];
    *out = (struct npart_node){
        .name = at->name,
        .op = npart__node_op(&model->graph, at),
        .domain = npart__text(&model->graph.strings, at->domain),
        .index = at->index,
        .graph = at->scope,
        .opset_version = at->opset_version,
    };
    return true;
}

uint32_t npart_model_node_input(const npart_model *model, uint32_t node, uint32_t index)
{
    return node < model->graph.nodes.count
               ? npart__node_input(&model->graph, &model->graph.nodes.items[node], index)
               : NPART_NONE;
}

uint32_t npart_model_node_output(const npart_model *model, uint32_t node, uint32_t index)
{
    return node < model->graph.nodes.count
               ? npart__node_output(&model->graph, &model->graph.nodes.items[node], index)
               : NPART_NONE;
}

const char *npart_model_node_metadata(const npart_model *model, uint32_t node, const char *key)
{
    return node < model->graph.nodes.count ? npart__node_metadata(&model->graph.nodes.items[node], key) : NULL;
}

/* Copies what fits and ends it with a NUL. */
static void copy_cut(char *out, size_t bytes, const char *text, size_t length)
{
    if (bytes == 0)
        return;
    size_t fits = length < bytes ? length : bytes - 1;
    memcpy(out, text, fits);
    out[fits] = '\0';
    npart__trim_text(out);
}

void npart_model_graph_path(const npart_model *model, uint32_t graph, char *out, size_t bytes)
{
    struct npart__arena arena;
    struct npart__buffer path;
    npart__arena_init(&arena, &model->arena.allocator);
    npart__buffer_init(&path, &arena);
    if (graph < model->graph.scopes.count)
        npart__append_scope_path(&path, &model->graph, graph);
    copy_cut(out, bytes, path.data ? path.data : "", path.size);
    npart__arena_clear(&arena);
}

static bool get_finding(const struct npart__finding *list, uint32_t count, uint32_t index, struct npart_finding *out)
{
    if (index >= count)
        return false;
    *out = (struct npart_finding){.code = list[index].code, .text = list[index].text, .at = list[index].at};
    return true;
}

uint32_t npart_model_finding_count(const npart_model *model)
{
    return model->graph.findings.count;
}

bool npart_model_finding(const npart_model *model, uint32_t index, struct npart_finding *out)
{
    return get_finding(model->graph.findings.items, model->graph.findings.count, index, out);
}

/* ---- inference --------------------------------------------------------------------------------------------- */

/* The caller's options copied, so that the inference can be made again with more sizes given. */
static struct npart__infer_options *copy_options(const struct npart_inference_options *options,
                                                 struct npart__arena *arena)
{
    struct npart__infer_options *copy = npart__arena_zeroed(arena, 1, sizeof *copy);
    if (!copy || !options)
        return copy;
    struct npart__binding_request *bindings =
        npart__arena_zeroed(arena, options->dim_count + (size_t)1, sizeof *bindings);
    struct npart__shape_request *shapes = npart__arena_zeroed(arena, options->input_count + (size_t)1, sizeof *shapes);
    if (!bindings || !shapes)
        return NULL;
    for (uint32_t i = 0; i < options->dim_count; i++) {
        bindings[i].name = npart__arena_copy_text(arena, options->dims[i].name, strlen(options->dims[i].name));
        bindings[i].value = options->dims[i].size;
        bindings[i].is_limit = options->dims[i].is_limit;
        if (!bindings[i].name)
            return NULL;
    }
    for (uint32_t i = 0; i < options->input_count; i++) {
        const struct npart_input_shape *from = &options->inputs[i];
        int64_t *dims = npart__arena_allocate(arena, (from->rank + (size_t)1) * sizeof *dims);
        shapes[i].input = npart__arena_copy_text(arena, from->input, strlen(from->input));
        shapes[i].rank = from->rank;
        shapes[i].dims = dims;
        if (!dims || !shapes[i].input)
            return NULL;
        memcpy(dims, from->dims, from->rank * sizeof *dims);
    }
    copy->bindings = bindings;
    copy->binding_count = options->dim_count;
    copy->shapes = shapes;
    copy->shape_count = options->input_count;
    copy->ignore_value_info = options->ignore_value_info;
    return copy;
}

npart_status npart_inference_make(npart_inference **out, const npart_model *model,
                                  const struct npart_inference_options *options, struct npart_error *error)
{
    npart_inference *made = NPART__NEW_HANDLE(npart_inference, &model->arena.allocator);
    if (!made)
        return npart__fail_memory(error);
    made->shared.arena = &made->arena;
    made->model = model;
    made->options = copy_options(options, &made->arena);
    if (!made->options) {
        npart_inference_free(made);
        return npart__fail_memory(error);
    }
    npart_status status = npart__infer(&model->graph, made->options, &made->arena, &made->inference, error);
    if (status == NPART_OK)
        status = npart__find_compiled(&made->inference, error);
    if (status == NPART_OK)
        status = npart__find_invalid(&made->inference, error);
    if (status == NPART_OK)
        *out = made;
    else
        npart_inference_free(made);
    return status;
}

static bool has_open_inputs(const npart_inference *inference)
{
    const struct npart__graph *graph = &inference->model->graph;
    const struct npart__scope *scope = &graph->scopes.items[0];
    for (uint32_t i = 0; i < scope->input_count; i++) {
        const struct npart__fact *fact =
            npart__fact_of(&inference->inference, graph->operands.items[scope->first_input + i]);
        if (!npart__is_static(fact))
            return true;
    }
    return false;
}

/* One attempt with `size` for what is no batch; *out is NULL when nothing is open. */
static npart_status make_fixed_at(npart_inference **out, const npart_inference *open, int64_t size,
                                  struct npart_error *error)
{
    npart_inference *made = NPART__NEW_HANDLE(npart_inference, &open->arena.allocator);
    struct npart__inference scratch = open->inference;
    uint32_t count = 0;
    *out = NULL;
    if (!made)
        return npart__fail_memory(error);
    made->shared.arena = &made->arena;
    /* The proposal adds symbols to a pool: to one of its own, so that `open` stays as it is. */
    npart_status status = npart__infer(&open->model->graph, open->options, &made->arena, &scratch, error);
    struct npart__binding_request *proposed =
        status == NPART_OK ? npart__propose_binding(&scratch, size, &count) : NULL;
    if (status == NPART_OK && !proposed)
        status = npart__fail_memory(error);
    if (status != NPART_OK || count == 0) {
        npart_inference_free(made);
        return status;
    }
    uint32_t before = open->options->binding_count;
    struct npart__infer_options *options = npart__arena_zeroed(&made->arena, 1, sizeof *options);
    struct npart__binding_request *all = npart__arena_zeroed(&made->arena, before + (size_t)count, sizeof *all);
    if (!options || !all) {
        npart_inference_free(made);
        return npart__fail_memory(error);
    }
    for (uint32_t i = 0; i < before; i++)
        all[i] = open->options->bindings[i];
    memcpy(all + before, proposed, count * sizeof *all);
    *options = *open->options;
    options->bindings = all;
    options->binding_count = before + count;
    made->model = open->model;
    made->options = options;
    made->chosen = proposed;
    made->chosen_count = count;
    status = npart__infer(&open->model->graph, options, &made->arena, &made->inference, error);
    if (status == NPART_OK)
        *out = made;
    else
        npart_inference_free(made);
    return status;
}

npart_status npart_inference_make_fixed(npart_inference **out, const npart_inference *open, struct npart_error *error)
{
    /* Sizes that most models work with: a sequence, an image, a second of sound. The first without contradictions. */
    static const int64_t sizes[] = {128, 512, 2048, 16384};
    npart_inference *made = NULL;
    for (size_t i = 0; has_open_inputs(open) && i < NPART__COUNT(sizes); i++) {
        npart_inference_free(made);
        npart_status status = make_fixed_at(&made, open, sizes[i], error);
        if (status != NPART_OK && status != NPART_ERROR_ARGUMENT)
            return status;
        if (!made) /* nothing is open, or sizes that conflict: nothing to show */
            break;
        if (made->inference.contradicted.count <= open->inference.contradicted.count)
            break;
    }
    *out = made;
    return NPART_OK;
}

void npart_inference_free(npart_inference *inference)
{
    npart__free_handle(inference, inference ? &inference->arena : NULL);
}

uint32_t npart_inference_binding_count(const npart_inference *inference)
{
    return inference->chosen_count;
}

bool npart_inference_binding(const npart_inference *inference, uint32_t index, struct npart_dim_binding *out)
{
    if (index >= inference->chosen_count)
        return false;
    *out = (struct npart_dim_binding){.name = inference->chosen[index].name, .size = inference->chosen[index].value};
    return true;
}

bool npart_inference_value(const npart_inference *inference, uint32_t value, struct npart_value *out)
{
    const struct npart__graph *graph = &inference->model->graph;
    if (value >= graph->values.count)
        return false;
    const struct npart__fact *fact = npart__fact_of(&inference->inference, value);
    *out = (struct npart_value){
        .name = npart__value_name(graph, value),
        .kind = (enum npart_value_kind)fact->kind,
        .element_type = fact->element_type,
        .has_rank = fact->has_rank,
        .rank = fact->rank,
        .is_static = npart__is_static(fact),
        .is_constant = fact->is_constant,
        .producer = graph->values.items[value].producer,
    };
    return true;
}

int64_t npart_inference_dim(const npart_inference *inference, uint32_t value, uint32_t axis)
{
    if (value >= inference->model->graph.values.count)
        return -1;
    const struct npart__fact *fact = npart__fact_of(&inference->inference, value);
    return fact->has_rank && axis < fact->rank && npart__is_number(fact->dims[axis]) ? fact->dims[axis] : -1;
}

void npart_inference_type_text(npart_inference *inference, uint32_t value, char *out, size_t bytes)
{
    struct npart__arena arena;
    struct npart__buffer text;
    npart__arena_init(&arena, &inference->arena.allocator);
    npart__buffer_init(&text, &arena);
    if (value < inference->model->graph.values.count)
        npart__append_fact(&text, &inference->inference.expressions, npart__fact_of(&inference->inference, value));
    copy_cut(out, bytes, text.data ? text.data : "", text.size);
    npart__arena_clear(&arena);
}

uint32_t npart_inference_assumption_count(const npart_inference *inference)
{
    return inference->inference.assumptions.count;
}

bool npart_inference_assumption(const npart_inference *inference, uint32_t index, char *out, size_t bytes,
                                uint32_t *node)
{
    struct npart__arena arena;
    struct npart__buffer text;
    if (index >= inference->inference.assumptions.count)
        return false;
    const struct npart__assumption *at = &inference->inference.assumptions.items[index];
    npart__arena_init(&arena, &inference->arena.allocator);
    npart__buffer_init(&text, &arena);
    npart__append_dim(&text, &inference->inference.expressions, at->left);
    npart__append_text(&text, " = ");
    npart__append_dim(&text, &inference->inference.expressions, at->right);
    copy_cut(out, bytes, text.data ? text.data : "", text.size);
    npart__arena_clear(&arena);
    if (node)
        *node = at->node;
    return true;
}

const int64_t *npart_inference_elements(npart_inference *inference, uint32_t value, uint32_t *count)
{
    *count = 0;
    if (value >= inference->model->graph.values.count)
        return NULL;
    const struct npart__known *known = npart__elements(&inference->inference, &inference->inference.facts[value]);
    if (!known || !known->ints)
        return NULL;
    int64_t *plain = npart__arena_allocate(&inference->arena, (known->count + (size_t)1) * sizeof *plain);
    for (uint32_t i = 0; plain && i < known->count; i++)
        plain[i] = npart__is_number(known->ints[i]) ? known->ints[i] : -1;
    *count = plain ? known->count : 0;
    return plain;
}

uint32_t npart_inference_finding_count(const npart_inference *inference)
{
    return inference->inference.findings.count;
}

bool npart_inference_finding(const npart_inference *inference, uint32_t index, struct npart_finding *out)
{
    return get_finding(inference->inference.findings.items, inference->inference.findings.count, index, out);
}
