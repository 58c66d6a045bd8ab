/* SPDX-License-Identifier: Apache-2.0
 *
 * Versions as public models, and models some of whose inputs are given.
 */
#include "edit/models.h"

#include "wire/files.h"

/* The path is the original's: reports and messages speak of the file that the user knows, and what it names lies
 * beside it. */
npart_status npart__model_of_version(npart_model **out, const struct npart__version *version, const char *path,
                                     const struct npart_allocator *allocator, struct npart_error *error)
{
    npart_model *model = npart__handle_new(sizeof *model, allocator);
    if (!model)
        return npart__fail_memory(error);
    if (version->made) {
        npart__arena_take(&model->life->arena, version->made->arena);
        npart__life_keep(model->life, version->made->life);
    }
    npart_status status = npart__version_graph(version, &model->life->arena, &model->own, error);
    model->own.folder = npart__folder_of(path, &model->life->arena);
    if (status == NPART_OK && !model->own.folder)
        status = npart__fail_memory(error);
    return npart__model_finish(out, model, status, path, error);
}

/* The version that a search begins with; of a file it is read again. */
static npart_status keep(npart_model *model, const struct npart__version *version, struct npart_error *error)
{
    if (model->path || version->bytes > NPART__KEPT_ALONE_BYTES)
        return NPART_OK;
    struct npart__version copy;
    if (!npart__version_copy(version, &model->life->arena, &copy))
        return npart__fail_memory(error);
    model->skeleton = (struct npart__skeleton){
        .data = copy.data, .bytes = version->bytes, .input_bytes = version->input_bytes, .limits = version->limits};
    return NPART_OK;
}

/* The graph with some of its inputs given, by way of a version without them. Giving an input a value is a change
 * of the model, as fix makes it: read whole, edited, packed, and its graph built from that. All but that graph
 * goes with the scratch. The inference before it is for the editor: an input that is to be a constant must have
 * a static shape and an element type that the numbers fit into. */
static npart_status make_bound(npart_model *model, struct npart__source *source, const struct npart_read_options *read,
                               const struct npart__wire_options *wire, struct npart_error *error)
{
    static const struct npart__infer_options nothing;
    struct npart__arena scratch;
    struct npart__version version;
    struct npart__graph graph;
    struct npart__inference inference;
    struct npart__editor *editor = NULL;
    npart__arena_init(&scratch, &model->life->arena.allocator);
    npart_status status = npart__version_read(source, wire, &scratch, &version, error);
    if (status == NPART_OK)
        status = keep(model, &version, error);
    if (status == NPART_OK)
        status = npart__version_graph(&version, &scratch, &graph, error);
    if (status == NPART_OK)
        status = npart__infer(&graph, &nothing, &scratch, &inference, error);
    if (status == NPART_OK)
        status = npart__editor_open(&version, &graph, &inference, NULL, &scratch, &editor, error);
    for (uint32_t i = 0; i < read->value_count && status == NPART_OK; i++)
        status = npart__editor_bind_value(editor, read->values[i].input, read->values[i].numbers,
                                          read->values[i].count, error);
    if (status == NPART_OK)
        status = npart__editor_pack(editor, &scratch, &version, error);
    if (status == NPART_OK)
        status = npart__version_graph(&version, &model->life->arena, &model->own, error);
    npart__arena_clear(&scratch);
    return status;
}

npart_status npart_model_read_bound(npart_model **out, const char *path, npart_read_callback read, void *payload,
                                    const struct npart_read_options *options, struct npart_error *error)
{
    if (!path && !read)
        return npart__fail_null("path", error);
    /* Options of version 1 end before the values. */
    bool is_bound = options && options->version >= 2 && options->value_count;
    return npart__model_read(out, path, read, payload, options, is_bound ? make_bound : NULL, error);
}
