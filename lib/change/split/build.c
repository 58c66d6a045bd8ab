/* SPDX-License-Identifier: Apache-2.0
 *
 * A part as a model: objects of the whole model in lists of its own. What was left out of them stands in their records
 * still, so the writer copies the weights that the part has.
 */
#include "split/internal.h"

/* ONNX's numbers. */
/* Facts belong to values of the plan's graph; the way to them is by the file's name, which is what parts keep. */
const struct npart__fact *npart__split_fact(const struct npart__splitting *splitting, uint32_t name)
{
    uint32_t value = splitting->names.items[name].value;
    return value == NPART_NONE ? NULL : npart__fact_of(splitting->inference, value);
}

const struct npart__known *npart__split_numbers(const struct npart__splitting *splitting, uint32_t name)
{
    uint32_t value = splitting->names.items[name].value;
    if (value == NPART_NONE)
        return NULL;
    struct npart__fact *fact = &splitting->inference->facts[value];
    if (fact->kind != NPART__TYPE_TENSOR ||
        (fact->element_type != NPART__INT64 && fact->element_type != NPART__INT32 && fact->element_type != NPART__BOOL))
        return NULL;
    /* A list may be shorter than the tensor, or hold formulas of dynamic dims: neither can be written as an
     * initializer, so such a node is copied instead (kind_of). */
    const struct npart__known *known = npart__elements(splitting->inference, fact);
    uint64_t elements;
    if (!known || !known->ints || !npart__static_elements(fact, &elements) || elements != known->count)
        return NULL;
    for (uint32_t i = 0; i < known->count; i++)
        if (!npart__is_number(known->ints[i]))
            return NULL;
    return known;
}

/* ---- new objects ----------------------------------------------------------------------------------------- */

static char *text_of(const struct npart__splitting *splitting, uint32_t name)
{
    return (char *)(uintptr_t)npart__text(&splitting->strings, name); /* packed, and never written to */
}

/* Little-endian, as ONNX stores numbers. The numbers were computed and are no range of the model's file, so they
 * stand in the skeleton as they are. An int64 of 258 is 02 01 00 00 00 00 00 00. */
static Onnx__TensorProto *new_constant(struct npart__splitting *splitting, uint32_t name)
{
    const struct npart__fact *fact = npart__split_fact(splitting, name);
    const struct npart__known *known = npart__split_numbers(splitting, name);
    Onnx__TensorProto *tensor = npart__arena_allocate(splitting->arena, sizeof *tensor);
    if (!fact || !known || !tensor)
        return NULL;
    onnx__tensor_proto__init(tensor);
    tensor->name = text_of(splitting, name); /* users name it so: nothing else has to change */
    tensor->has_data_type = 1;
    tensor->data_type = fact->element_type;
    tensor->n_dims = fact->rank;
    tensor->dims = (int64_t *)(uintptr_t)fact->dims;
    tensor->has_raw_data = 1;
    unsigned width = fact->element_type == NPART__INT64 ? 8 : fact->element_type == NPART__INT32 ? 4 : 1;
    tensor->raw_data.len = (size_t)known->count * width;
    /* An empty tensor, too. */
    tensor->raw_data.data = npart__arena_allocate(splitting->arena, tensor->raw_data.len + 1);
    for (size_t i = 0; tensor->raw_data.data && i < tensor->raw_data.len; i++)
        tensor->raw_data.data[i] = (uint8_t)((uint64_t)known->ints[i / width] >> (8 * (i % width)));
    return tensor->raw_data.data ? tensor : NULL;
}

/* A number, or the dim as it is told; nothing where it is not known by a name. A formula of several names is
 * written as text, too: to a runtime it is one more free name. */
static bool set_dim(struct npart__splitting *splitting, Onnx__TensorShapeProto__Dimension *dim, int64_t size)
{
    if (npart__is_number(size)) {
        dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        dim->dim_value = size;
        return true;
    }
    if (!npart__is_named(&splitting->inference->expressions, size))
        return true; /* neither: any size fits */
    struct npart__buffer text;
    npart__buffer_init(&text, splitting->arena);
    npart__append_dim(&text, &splitting->inference->expressions, size);
    dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
    dim->dim_param = (char *)(uintptr_t)npart__made_text(&text);
    return dim->dim_param != NULL;
}

/* A tensor of known type. In place of what the file declares: most tensors inside of a model are declared nowhere,
 * and an input without a type is none that a runtime loads. `--dim` comes into the parts here, too: facts have the
 * sizes that the caller fixed. */
static Onnx__ValueInfoProto *new_info(struct npart__splitting *splitting, uint32_t name,
                                      const struct npart__fact *fact)
{
    Onnx__ValueInfoProto *info =
        npart__onnx_declaration(text_of(splitting, name), fact->element_type, splitting->arena);
    if (!info || !fact->has_rank)
        return info;
    Onnx__TensorShapeProto *shape = npart__onnx_shape(fact->rank, splitting->arena);
    for (uint32_t i = 0; shape && i < fact->rank; i++)
        if (!set_dim(splitting, shape->dim[i], fact->dims[i]))
            return NULL;
    info->type->tensor_type->shape = shape;
    return shape ? info : NULL;
}

/* ---- lists ----------------------------------------------------------------------------------------------- */

/* What the file declares of a name; NULL: nothing. */
static Onnx__ValueInfoProto *declared(const struct npart__splitting *splitting, uint32_t name)
{
    const Onnx__GraphProto *graph = splitting->model->graph;
    const struct npart__named *named = &splitting->names.items[name];
    if (named->input != NPART_NONE)
        return graph->input[named->input];
    if (named->is_marked && named->output != NPART_NONE)
        return graph->output[named->output];
    return named->info != NPART_NONE ? graph->value_info[named->info] : NULL;
}

/* Of a tensor what is known of it; of anything else what the file declares. A fact says of a sequence, a map or an
 * optional that it is one, but not of what. */
static npart_status describe(struct npart__splitting *splitting, uint32_t name, Onnx__ValueInfoProto **out)
{
    const struct npart__fact *fact = npart__split_fact(splitting, name);
    bool is_tensor = fact && fact->kind == NPART__TYPE_TENSOR && fact->element_type;
    *out = is_tensor ? new_info(splitting, name, fact) : declared(splitting, name);
    if (*out && (*out)->type)
        return NPART_OK;
    if (is_tensor)
        return npart__fail_memory(splitting->error);
    /* The type is not known: a part without it would not load, so there is none at all. */
    return npart__fail(splitting->error, NPART_ERROR_ARGUMENT, "",
                       "the type of %s, which passes from one part to another, is not known",
                       npart__text(&splitting->strings, name));
}

/* Inputs or outputs of a part, which a runtime wants with their types. */
static npart_status describe_all(struct npart__splitting *splitting, const struct npart__ids *names,
                                 Onnx__ValueInfoProto ***out, size_t *count)
{
    npart_status status = NPART_OK;
    *out = npart__arena_zeroed(splitting->arena, (size_t)names->count + 1, sizeof **out);
    *count = names->count;
    if (!*out)
        return npart__fail_memory(splitting->error);
    for (uint32_t i = 0; i < names->count && status == NPART_OK; i++)
        status = describe(splitting, names->items[i], &(*out)[i]);
    return status;
}

/* Numbers that are known: initializers, or nodes before all others. Before IR version 4 an initializer had to be an
 * input, which these are not; the part's IR version is the model's, so that whoever loads one loads the other. */
static bool list_known(struct npart__splitting *splitting, const struct npart__ids *known, Onnx__GraphProto *out)
{
    for (uint32_t i = 0; i < known->count; i++) {
        Onnx__TensorProto *tensor = new_constant(splitting, known->items[i]);
        if (!tensor)
            return false;
        if (splitting->model->ir_version >= 4)
            out->initializer[out->n_initializer++] = tensor;
        else if (!(out->node[out->n_node++] = npart__onnx_constant(tensor, splitting->arena)))
            return false;
    }
    return true;
}

/* Nodes, initializers and constants. */
static bool list_contents(struct npart__splitting *splitting, const struct npart__split_part *part,
                          Onnx__GraphProto *out)
{
    const Onnx__GraphProto *graph = splitting->model->graph;
    struct npart__arena *arena = splitting->arena;
    /* Constants are nodes or initializers: there is room for either. */
    out->node = npart__arena_zeroed(arena, (size_t)part->units.count + part->known.count + 1, sizeof *out->node);
    out->initializer = npart__arena_zeroed(arena, (size_t)part->initializers.count + part->known.count + 1,
                                           sizeof *out->initializer);
    out->sparse_initializer =
        npart__arena_zeroed(arena, (size_t)part->sparse.count + 1, sizeof *out->sparse_initializer);
    if (!out->node || !out->initializer || !out->sparse_initializer)
        return false;
    for (uint32_t i = 0; i < part->initializers.count; i++)
        out->initializer[out->n_initializer++] = graph->initializer[part->initializers.items[i]];
    for (uint32_t i = 0; i < part->sparse.count; i++)
        out->sparse_initializer[out->n_sparse_initializer++] = graph->sparse_initializer[part->sparse.items[i]];
    if (!list_known(splitting, &part->known, out))
        return false;
    for (uint32_t i = 0; i < part->units.count; i++)
        /* The whole model's own objects. Nothing in them is changed, so one node can stand in several parts. */
        out->node[out->n_node++] = splitting->units[part->units.items[i]].node;
    return true;
}

/* What the file says of the values that nodes of the part make. Hints for readers: those of the boundary are
 * written anew by describe_all, these are as they were. */
static bool list_infos(struct npart__splitting *splitting, Onnx__GraphProto *out)
{
    const Onnx__GraphProto *graph = splitting->model->graph;
    struct NPART__ARRAY(Onnx__ValueInfoProto *) infos = {0};
    for (size_t i = 0; i < out->n_node; i++)
        for (size_t k = 0; k < out->node[i]->n_output; k++) {
            const char *text = out->node[i]->output[k];
            uint32_t name = npart__strings_find_text(&splitting->strings, text);
            /* 0: an output left out. */
            uint32_t info = name == NPART_NONE || name == 0 ? NPART_NONE : splitting->names.items[name].info;
            if (info != NPART_NONE && !NPART__PUSH(splitting->arena, &infos, graph->value_info[info]))
                return false;
        }
    out->value_info = infos.items;
    out->n_value_info = infos.count;
    return true;
}

/* Metadata of the whole that every part has, in bytes; of longer ones the first part alone. */
#define MOST_METADATA_BYTES 4096u

static size_t metadata_bytes(Onnx__StringStringEntryProto *const *entries, size_t count)
{
    size_t bytes = 0;
    for (size_t i = 0; i < count && bytes <= MOST_METADATA_BYTES; i++)
        bytes += (entries[i]->key ? strlen(entries[i]->key) : 0) + (entries[i]->value ? strlen(entries[i]->value) : 0);
    return bytes;
}

static size_t count_metadata(Onnx__StringStringEntryProto *const *entries, size_t count, uint32_t part)
{
    return part == 0 || metadata_bytes(entries, count) <= MOST_METADATA_BYTES ? count : 0;
}

npart_status npart__split_build(struct npart__splitting *splitting, uint32_t part, uint8_t **data, size_t *bytes)
{
    const struct npart__split_part *at = &splitting->parts.items[part];
    Onnx__GraphProto graph = ONNX__GRAPH_PROTO__INIT;
    /* Shallow: operator sets, producer and metadata are those of the whole, and belong to its arena. */
    Onnx__ModelProto model = *splitting->model;
    graph.name = splitting->model->graph->name;
    graph.metadata_props = splitting->model->graph->metadata_props;
    graph.n_metadata_props = count_metadata(graph.metadata_props, splitting->model->graph->n_metadata_props, part);
    model.n_metadata_props = count_metadata(model.metadata_props, model.n_metadata_props, part);
    if (!list_contents(splitting, at, &graph) || !list_infos(splitting, &graph) ||
        !npart__split_take_functions(splitting, part, &graph, &model))
        return npart__fail_memory(splitting->error);
    npart_status status = describe_all(splitting, &at->inputs, &graph.input, &graph.n_input);
    if (status == NPART_OK)
        status = describe_all(splitting, &at->outputs, &graph.output, &graph.n_output);
    if (status != NPART_OK)
        return status;
    /* Training, and what else the model has beside its graph, is of the whole. */
    model.graph = &graph;
    model.n_training_info = 0;
    model.base.n_unknown_fields = 0;
    /* Packed whole, which is small: weights of the file are left out of it, and the writer gets them from there. */
    return npart__onnx_pack(&model, splitting->arena, data, bytes, splitting->error);
}
