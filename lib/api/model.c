/* SPDX-License-Identifier: Apache-2.0
 *
 * Public functions that read models, and tell what a model is as a whole. Reading is the first
 * half of the pipeline, wire to graph; everything after it takes a model that has been read, and
 * does not change it.
 */
#include "api/api.h"
#include "wire/files.h"

/* ---- reading ----------------------------------------------------------------------------------------------- */

npart_status npart__model_finish(npart_model **out, npart_model *model, npart_status status, const char *name,
                                 struct npart_error *error)
{
    model->graph = &model->own;
    model->name = status == NPART_OK ? npart__arena_copy_text(&model->life->arena, name, strlen(name)) : NULL;
    if (status == NPART_OK && !model->name)
        status = npart__fail_memory(error);
    if (!model->file)
        model->file = model->path ? model->path : model->name;
    return NPART__HAND_OVER(out, model, status, error);
}

/* Skeletons up to this many bytes stay with their models, so that a search for rewrites need not read the file again.
 * Larger ones would be memory that few callers have a use for. */
#define MOST_KEPT_BYTES ((size_t)8 << 20)

/* The input is closed as soon as it is scanned: nothing of it is needed later. A name given by
 * the caller goes before the path, as "-" says nothing of a stream. `path`: NULL of what is no file. */
static npart_status read_source(npart_model **out, npart_model *model, struct npart__source *source,
                                const struct npart_read_options *options, const char *path, npart__make_graph *make,
                                struct npart_error *error)
{
    struct npart__wire_options wire = {.keep_bytes = options ? options->keep_bytes : 0,
                                       .keeps_what_it_can = true};
    struct npart__arena *arena = &model->life->arena;
    struct npart__skeleton skeleton;
    const char *name = options && options->name ? options->name : path ? path : "-";
    npart_status status = NPART_OK;
    if (options && options->version >= 3)
        status = npart__limits_of(options->limits, options->limit_count, arena, &wire.limits, error);
    if (status == NPART_OK)
        status = make ? make(model, source, options, &wire, error)
                      : npart__wire_scan(source, &wire, arena, &skeleton, error);
    /* After a failure, too: the source is this function's from here on. */
    npart__source_close(source);
    if (status == NPART_OK && !make) {
        size_t most = model->path ? MOST_KEPT_BYTES : NPART__KEPT_ALONE_BYTES;
        skeleton.is_lent = skeleton.is_whole && skeleton.bytes <= most;
        status = npart__graph_build(&skeleton, arena, &model->own, error);
        model->skeleton = skeleton;
    }
    if (!model->path && (!options || !options->name || *options->name == '<')) /* "<bytes>" is no file to be */
        model->file = "model.onnx";
    return npart__model_finish(out, model, status, name, error);
}

/* Values came with version 2 of the options, limits and budgets with version 3: of an older struct they must not be
 * read, as it ends before them. Limits are checked where they are copied (npart__limits_of). */
static npart_status check_read_options(const struct npart_read_options *options, bool binds, struct npart_error *error)
{
    npart_status status = options ? npart__check_version("read options", options->version, 3, error) : NPART_OK;
    if (status != NPART_OK || !options || options->version < 2 || !options->value_count)
        return status;
    if (!binds)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "npart_model_read_bound reads a model with given values");
    bool is_complete = options->values;
    for (uint32_t i = 0; is_complete && i < options->value_count; i++)
        is_complete = options->values[i].input && options->values[i].numbers && options->values[i].count;
    return is_complete ? NPART_OK
                       : npart__fail(error, NPART_ERROR_ARGUMENT, "", "read options lack a name or numbers");
}

/* NULL when an argument is wrong, or when out of memory. Arguments are checked before anything
 * is allocated or opened. So a mistake in a call costs no reading. */
static npart_model *new_model(npart_model **out, const struct npart_read_options *options, bool binds,
                              npart_status *status, struct npart_error *error)
{
    *status = out ? check_read_options(options, binds, error) : npart__fail_null("out", error);
    if (*status != NPART_OK)
        return NULL;
    bool has_budget = options && options->version >= 3;
    return npart__handle_within(sizeof(npart_model), options ? options->allocator : NULL,
                                has_budget ? options->max_memory_bytes : 0, has_budget ? options->max_ms : 0, status,
                                error);
}

/* "-" stands for a stream in reports, as on a command line. A source that could not be opened leaves nothing to
 * close. */
npart_status npart__model_read(npart_model **out, const char *path, npart_read_callback read, void *payload,
                               const struct npart_read_options *options, npart__make_graph *make,
                               struct npart_error *error)
{
    struct npart__source source;
    npart_status status;
    npart_model *model = new_model(out, options, make != NULL, &status, error);
    if (model && path)
        status = npart__source_open_file(&source, &model->life->arena, path, error);
    else if (model)
        status = npart__source_open_stream(&source, &model->life->arena, read, payload, error);
    const char *folder = NULL;
    if (model && path && status == NPART_OK) {
        bool is_file = source.size != UINT64_MAX;
        folder = npart__folder_of(path, &model->life->arena);
        model->path = is_file ? npart__arena_copy_text(&model->life->arena, path, strlen(path)) : NULL;
        if (!folder || (is_file && !model->path)) {
            npart__source_close(&source);
            status = npart__fail_memory(error);
        }
    }
    if (status == NPART_OK) {
        status = read_source(out, model, &source, options, path, make, error);
        if (status == NPART_OK)
            (*out)->own.folder = folder;
        return status;
    }
    if (model)
        status = npart__settle_for(model->life, status, error);
    npart_model_free(model);
    return status;
}

npart_status npart_model_read_file(npart_model **out, const char *path, const struct npart_read_options *options,
                                   struct npart_error *error)
{
    return path ? npart__model_read(out, path, NULL, NULL, options, NULL, error) : npart__fail_null("path", error);
}

npart_status npart_model_read_stream(npart_model **out, npart_read_callback read, void *payload,
                                     const struct npart_read_options *options, struct npart_error *error)
{
    return read ? npart__model_read(out, NULL, read, payload, options, NULL, error) : npart__fail_null("read", error);
}

/* Nothing of `data` is referred to afterwards. */
npart_status npart_model_read_memory(npart_model **out, const void *data, size_t bytes,
                                     const struct npart_read_options *options, struct npart_error *error)
{
    struct npart__source source;
    npart_status status;
    if (!data && bytes)
        return npart__fail_null("data", error);
    npart_model *model = new_model(out, options, false, &status, error);
    if (!model)
        return status;
    npart__source_open_memory(&source, data, bytes);
    return read_source(out, model, &source, options, "-", NULL, error);
}

npart_status npart__model_skeleton(const npart_model *model, struct npart__arena *arena, struct npart__skeleton *out,
                                   struct npart_error *error)
{
    const struct npart__wire_options wire = {.keeps_all = true, .limits = model->graph->limits};
    struct npart__source source;
    *out = model->skeleton;
    if (out->data)
        return NPART_OK;
    if (!model->path)
        return npart__fail(error, NPART_ERROR_LIMIT, model->name,
                           "the model is too large to be kept in memory: give it as a file");
    npart_status status = npart__source_open_file(&source, arena, model->path, error);
    if (status != NPART_OK)
        return status;
    status = npart__wire_scan(&source, &wire, arena, out, error);
    npart__source_close(&source);
    return status;
}

NPART__FREES(model)

/* ---- the whole --------------------------------------------------------------------------------------------- */

/* Numbers of nodes count inlined functions; added nodes are those that a runtime's rewriting has made. Of a
 * model that was read there are none of these; the model of a plan's view may have some. */
bool npart_model_info(const npart_model *model, struct npart_model_info *out)
{
    if (!model || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__graph *graph = model->graph;
    *out = (struct npart_model_info){
        .size = sizeof *out,
        .name = model->name,
        .ir_version = graph->ir_version,
        .producer_name = graph->producer_name,
        .producer_version = graph->producer_version,
        .input_bytes = graph->input_bytes,
        .weight_bytes = graph->weight_bytes,
        .node_count = graph->nodes.count,
        .added_node_count = graph->nodes.count - npart__model_nodes(graph),
        .value_count = graph->values.count,
        .graph_count = graph->scopes.count,
        .finding_count = graph->findings.count,
        .opset_count = graph->opset_count,
        .opsets = graph->opsets, /* the graph's own list: borrowed */
    };
    return true;
}

/* Graphs are the scopes of lib/analysis/graph: the main graph, bodies, and calls of functions. They are numbered with
 * parents first, so a caller can walk down from 0. */
bool npart_model_graph(const npart_model *model, uint32_t graph, struct npart_graph *out)
{
    if (!model || graph >= model->graph->scopes.count || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__scope *at = npart__scope_at(model->graph, graph);
    const uint32_t *operands = model->graph->operands.items;
    *out = (struct npart_graph){
        .size = sizeof *out,
        .kind = at->kind,
        .parent = at->parent,
        .node = at->node,
        .label = at->label,
        .first_node = at->first_node,
        .node_count = at->node_count,
        .input_count = at->input_count,
        .output_count = at->output_count,
        .inputs = at->input_count ? operands + at->first_input : NULL,
        .outputs = at->output_count ? operands + at->first_output : NULL,
    };
    return true;
}

/* "" for the main graph and for one that does not exist. Paths are made when asked for, as few callers want them
 * and a model may have thousands of graphs. */
size_t npart_model_graph_path(const npart_model *model, uint32_t graph, char *out, size_t bytes)
{
    struct npart__note note;
    if (!model || graph >= model->graph->scopes.count)
        return npart__copy_out("", 0, out, bytes);
    npart__note_open(&note, &model->life->arena.allocator);
    npart__append_scope_path(&note.text, model->graph, graph);
    return npart__note_close(&note, out, bytes);
}

/* Findings of reading; those of inference are asked of the inference. */
bool npart_model_finding(const npart_model *model, uint32_t index, struct npart_finding *out)
{
    return NPART__GET(model, graph->findings, index, out);
}
