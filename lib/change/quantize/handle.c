/* SPDX-License-Identifier: Apache-2.0
 *
 * Public functions that look at a model as if it had been quantized.
 */
#include "api/api.h"
#include "edit/editor.h"
#include "fix/state.h"
#include "quantize/quantize.h"
#include "onnxruntime/view.h"
#include "wire/files.h"

npart_status npart_precision_check(const char *precision, struct npart_error *error)
{
    struct npart__arena arena;
    struct npart__quantized_format format;
    if (!precision)
        return npart__fail_null("precision", error);
    npart__arena_init(&arena, NULL);
    npart_status status = npart__format_read(precision, &arena, &format, error);
    npart__arena_clear(&arena);
    return status;
}

const char *npart_model_quantized_first(const npart_model *model, const char **source)
{
    return model ? npart__quantize_first(model->graph, source) : NULL;
}

/* One of a list of names; NULL past the last. */
#define NAME_AT(list)                                                                                                  \
    const char *npart_model_##list(const npart_model *model, uint32_t index)                                           \
    {                                                                                                                  \
        return model && model->kept && index < model->kept->list.count ? model->kept->list.items[index] : NULL;        \
    }
NAME_AT(kept) NAME_AT(wide) NAME_AT(widened)

/* A model, and as it is before it is quantized: by another opset, with its graph and what is inferred of that. */
struct raised {
    npart_inference *own;
    npart_model model;
    npart_inference *inference; /* NULL: it stays as it is */
};

/* Before anything is quantized: what ONNX infers is declared, and the opset is raised (quant_utils.py,
 * load_model_with_shape_infer and update_opset_version). A model that cannot be said by the opset stays at its own:
 * ONNX's converter would fail. */
static npart_status prepare(const npart_model *model, const struct npart__quantized_format *format,
                            struct npart__skeleton *skeleton, struct raised *raised, struct npart_error *error)
{
    struct npart__arena *arena = &raised->own->life->arena;
    const struct npart_opset *standard = npart__standard_import(&model->own);
    int64_t own = standard ? standard->version : 0, opset = npart__format_opset(format, own);
    const struct npart__version before = npart__version_of(skeleton);
    struct npart__version after = {0};
    struct npart__editor *editor;
    bool changed = false, failed = false;
    struct npart__inference *view;
    if (format->kind != NPART__FORMAT_QDQ && format->kind != NPART__FORMAT_DYNAMIC)
        return NPART_OK;
    npart_status status = npart__infer_view(raised->own->inference, &npart__policy_inferred, &view, error);
    if (status == NPART_OK)
        status = npart__editor_open(&before, &model->own, view, NULL, arena, &editor, error);
    if (status == NPART_OK && !npart__editor_declare(editor, view, NPART__DECLARE_INFERRED, &changed))
        status = npart__fail_memory(error);
    if (status != NPART_OK)
        return status;
    if (opset != own && npart__convert_nodes(&model->own, editor, opset, NPART_EQUAL_BITS, true, &failed)) {
        npart__editor_set_opset(editor, opset);
        changed = true;
    }
    if (failed || !changed)
        return failed ? npart__fail_memory(error) : NPART_OK;
    status = npart__editor_pack(editor, arena, &after, error);
    if (status != NPART_OK)
        return status;
    skeleton->data = after.data;
    skeleton->bytes = after.bytes;
    skeleton->is_lent = true;
    raised->model = *model;
    raised->model.graph = &raised->model.own;
    status = npart__graph_build(skeleton, arena, &raised->model.own, error);
    return status == NPART_OK ? npart_inference_make(&raised->inference, &raised->model, NULL, error) : status;
}

/* Types do not depend on sizes, so none are given. */
static npart_status make(npart_model *made, const npart_model *model, const char *precision, struct npart_error *error)
{
    struct npart__arena *arena = &made->life->arena, scratch;
    struct npart__kept_nodes *kept = npart__arena_zeroed(arena, 1, sizeof *kept);
    struct npart__quantized_format format;
    struct npart__skeleton skeleton;
    struct raised raised = {.inference = NULL};
    npart__arena_init(&scratch, &arena->allocator);
    npart_status status = kept ? npart__format_read(precision, arena, &format, error) : npart__fail_memory(error);
    if (status == NPART_OK)
        status = npart__model_skeleton(model, &scratch, &skeleton, error);
    if (status == NPART_OK)
        status = npart_inference_make(&raised.own, model, NULL, error);
    if (status == NPART_OK && format.least_decibels > 0)
        status = npart__model_weights(model, &format.weights, error);
    if (status == NPART_OK) {
        npart__lock(raised.own);
        status = prepare(model, &format, &skeleton, &raised, error);
        const npart_inference *of = raised.inference ? raised.inference : raised.own;
        if (status == NPART_OK)
            status = npart__quantize(&skeleton, raised.inference ? &raised.model.own : &model->own, of->inference,
                                     &format, &model->own, arena, &made->skeleton, kept, error);
        npart__unlock(raised.own);
    }
    if (status == NPART_OK)
        status = npart__graph_build(&made->skeleton, arena, &made->own, error);
    npart_inference_free(raised.inference);
    npart_inference_free(raised.own);
    npart__arena_clear(&scratch);
    made->kept = kept;
    made->own.folder = model->own.folder;
    made->as = status == NPART_OK ? format.name : NULL;
    made->made_from = model;
    made->file = status == NPART_OK ? npart__name_as(arena, model->file, format.name) : NULL;
    return status == NPART_OK && !made->file ? npart__fail_memory(error) : status;
}

npart_status npart_model_as(npart_model **out, const npart_model *model, const char *precision,
                            struct npart_error *error)
{
    if (!out || !model || !precision)
        return npart__fail_null(!out ? "out" : !model ? "model" : "precision", error);
    npart_model *made = npart__handle_new(sizeof *made, &model->life->arena.allocator);
    if (!made)
        return npart__fail_memory(error);
    npart__life_keep(made->life, model->life);
    return npart__model_finish(out, made, make(made, model, precision, error), model->name, error);
}

const npart_model *npart_model_origin(const npart_model *model)
{
    return model && model->made_from ? model->made_from : model;
}
