/* SPDX-License-Identifier: Apache-2.0
 *
 * From a plan to the files of its parts.
 */
#include <errno.h>
#include <stdio.h>

#include "base/base.h"
#include "base/platform.h"
#include "split/internal.h"

/* The file is read again, as a plan keeps no weights: it must be the one that the plan was made of. Place and
 * operator of each node are compared, and the size of the file: enough for units to be the nodes of the plan's
 * graph by their place. Changed weights of the same size are taken as they are now. */
static npart_status read_again(struct npart__splitting *splitting, const struct npart__input *input)
{
    /* keeps_all: what an analysis has no use for (documentation, metadata) comes into the parts, too. */
    const struct npart__wire_options options = {.keeps_all = true};
    struct npart__source source;
    struct npart__skeleton skeleton;
    npart_status status = npart__input_source(input, splitting->arena, &source, splitting->error);
    if (status != NPART_OK)
        return status;
    status = npart__wire_scan(&source, &options, splitting->arena, &skeleton, splitting->error);
    npart__source_close(&source);
    if (status == NPART_OK)
        status = npart__onnx_unpack(&skeleton, splitting->arena, &splitting->model, splitting->error);
    if (status != NPART_OK)
        return status;
    npart__arena_release(splitting->arena, skeleton.data);
    const struct npart__graph *graph = splitting->graph;
    const Onnx__GraphProto *proto = splitting->model->graph;
    bool is_same = proto->n_node == npart__scope_at(graph, 0)->node_count && input->bytes == graph->input_bytes;
    for (uint32_t i = 0; is_same && i < proto->n_node; i++)
        is_same = strcmp(proto->node[i]->op_type ? proto->node[i]->op_type : "",
                         npart__node_op(graph, npart__node_at(graph, i))) == 0;
    return is_same ? NPART_OK
                   : npart__fail(splitting->error, NPART_ERROR_ARGUMENT, "",
                                 "the file is not the model that the plan was made of");
}

/* Numbers of one width, so that the folder lists the parts in their order. */
static npart_status name_files(struct npart__splitting *splitting)
{
    char digits[16];
    int width = snprintf(digits, sizeof digits, "%u", (unsigned)(splitting->parts.count - 1));
    for (uint32_t i = 0; i < splitting->parts.count; i++) {
        struct npart__split_part *part = &splitting->parts.items[i];
        part->file = npart__arena_format(splitting->arena, "%0*u-%s.onnx", width < 2 ? 2 : width, (unsigned)i,
                                         part->device == NPART_NONE ? "cpu" : "npu");
        if (!part->file)
            return npart__fail_memory(splitting->error);
    }
    return NPART_OK;
}

static npart_status write_file(struct npart__splitting *splitting, uint32_t part, const struct npart__input *input)
{
    const struct npart__split_request *request = splitting->request;
    struct npart__save save;
    uint8_t *data;
    size_t bytes;
    npart_status status = npart__split_build(splitting, part, &data, &bytes);
    if (status != NPART_OK)
        return status;
    char *path = npart__arena_format(splitting->arena, "%s/%s", request->folder, splitting->parts.items[part].file);
    if (!path)
        return npart__fail_memory(splitting->error);
    status = npart__save_begin(&save, path, data, bytes, input, &request->weights, splitting->arena, splitting->error);
    if (status == NPART_OK) {
        status = npart__save_commit(&save, splitting->error);
        npart__save_close(&save);
    }
    return status;
}

/* All that is made for a part goes as soon as its file is in place. */
static npart_status write_part(struct npart__splitting *splitting, uint32_t part, const struct npart__input *input)
{
    struct npart__arena *whole = splitting->arena, own;
    npart__arena_init(&own, &whole->allocator);
    splitting->arena = &own;
    npart_status status = write_file(splitting, part, input);
    splitting->arena = whole;
    npart__arena_clear(&own);
    return status;
}

/* An old manifest is replaced at once, when the new one is whole. */
static npart_status write_manifest(struct npart__splitting *splitting, const struct npart__input *input)
{
    struct npart__buffer text;
    npart__buffer_init(&text, splitting->arena);
    char *path = npart__arena_format(splitting->arena, "%s/manifest.json", splitting->request->folder);
    if (!path || !npart__split_manifest(splitting, &text))
        return npart__fail_memory(splitting->error);
    return npart__output_save(path, input, text.data, text.size, splitting->arena, splitting->error);
}

static npart_status write_all(struct npart__splitting *splitting, const struct npart__input *input)
{
    npart_status status = read_again(splitting, input);
    if (status == NPART_OK)
        status = npart__split_read(splitting);
    if (status == NPART_OK)
        status = npart__split_order(splitting);
    if (status == NPART_OK)
        status = npart__split_fill(splitting);
    if (status == NPART_OK)
        status = name_files(splitting);
    /* One part at a time, so that memory holds the whole model's skeleton and one more. The manifest comes last:
     * where it is new, all that it names is there. */
    for (uint32_t i = 0; status == NPART_OK && i < splitting->parts.count; i++)
        status = write_part(splitting, i, input);
    return status == NPART_OK ? write_manifest(splitting, input) : status;
}

npart_status npart__split_write(const struct npart__split_request *request, struct npart__arena *arena,
                                struct npart_error *error)
{
    struct npart__input input;
    struct npart__splitting splitting = {.arena = arena, .request = request, .error = error};
    splitting.inference = request->plan->request.inference;
    splitting.graph = splitting.inference->graph;
    npart_status status = npart__input_open_file(&input, request->path, error);
    if (status != NPART_OK)
        return status;
    /* An old folder is written into; what else is in it stays. */
    if (!npart__path_make_folder(request->folder) && errno != EEXIST)
        status = npart__fail(error, NPART_ERROR_WRITE, "", "cannot make the folder %s", request->folder);
    if (status == NPART_OK)
        status = write_all(&splitting, &input);
    npart__input_close(&input);
    return status;
}
