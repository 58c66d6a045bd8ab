/* SPDX-License-Identifier: Apache-2.0 */
#include "onnx/onnx.h"

struct unpack_memory {
    struct npart__arena *arena;
    bool failed;
};

/* protobuf-c says no more than NULL when it fails, so want of memory is noted here to be told
 * from a message that cannot be read. */
static void *allocate(void *payload, size_t bytes)
{
    struct unpack_memory *memory = payload;
    void *block = npart__arena_allocate(memory->arena, bytes);
    if (!block)
        memory->failed = true;
    return block;
}

/* Blocks that protobuf-c gives back while unpacking: large ones go at once, small ones stay with
 * the arena. */
static void release(void *payload, void *block)
{
    struct unpack_memory *memory = payload;
    npart__arena_release(memory->arena, block);
}

npart_status npart__onnx_unpack(const struct npart__skeleton *skeleton, struct npart__arena *arena,
                                Onnx__ModelProto **out, struct npart_error *error)
{
    struct unpack_memory memory = {.arena = arena};
    ProtobufCAllocator allocator = {.alloc = allocate, .free = release, .allocator_data = &memory};
    /* protobuf-c copies texts and bytes, so the skeleton may go afterwards; it recurses into messages, whose depth
     * the scan has bounded. */
    Onnx__ModelProto *model = onnx__model_proto__unpack(&allocator, skeleton->bytes, skeleton->data);
    if (!model)
        return memory.failed ? npart__fail_memory(error)
                             : npart__fail(error, NPART_ERROR_MALFORMED, "", "protobuf-c cannot unpack the model");
    *out = model;
    return NPART_OK;
}

/* Whether it is a node or holds some: an attribute mostly does not. */
static bool has_nodes(const ProtobufCMessage *message)
{
    static const ProtobufCMessageDescriptor *const kinds[] = {
        &onnx__node_proto__descriptor, &onnx__graph_proto__descriptor, &onnx__model_proto__descriptor,
        &onnx__function_proto__descriptor, &onnx__operator_set_id_proto__descriptor};
    const Onnx__AttributeProto *attribute = (const void *)message;
    if (message->descriptor == &onnx__attribute_proto__descriptor)
        return attribute->g || attribute->n_graphs;
    for (size_t i = 0; i < NPART__COUNT(kinds); i++)
        if (message->descriptor == kinds[i])
            return true;
    return false;
}

static ProtobufCMessage *copy(const ProtobufCMessage *message, bool is_whole, struct npart__arena *arena);

static bool copy_list(ProtobufCMessage ***list, size_t count, bool is_of_messages, bool is_whole,
                      struct npart__arena *arena)
{
    ProtobufCMessage **copies = npart__arena_allocate(arena, count * sizeof *copies);
    for (size_t i = 0; copies && i < count; i++)
        if (!(copies[i] = is_of_messages ? copy((*list)[i], is_whole, arena) : (*list)[i]))
            return false;
    *list = copies;
    return copies != NULL;
}

/* By the descriptor, as protobuf-c itself goes through a message; as deep as the scan allows. Of a oneof only the
 * member that is there is what the descriptor says. */
static ProtobufCMessage *copy(const ProtobufCMessage *message, bool is_whole, struct npart__arena *arena)
{
    const ProtobufCMessageDescriptor *descriptor = message->descriptor;
    if (!is_whole && !has_nodes(message))
        return (ProtobufCMessage *)(uintptr_t)message;
    char *made = npart__arena_allocate(arena, descriptor->sizeof_message);
    if (!made)
        return NULL;
    memcpy(made, message, descriptor->sizeof_message);
    for (unsigned i = 0; i < descriptor->n_fields; i++) {
        const ProtobufCFieldDescriptor *field = &descriptor->fields[i];
        bool is_message = field->type == PROTOBUF_C_TYPE_MESSAGE, is_list = field->label == PROTOBUF_C_LABEL_REPEATED;
        if (!is_message && !(is_list && field->type == PROTOBUF_C_TYPE_STRING))
            continue;
        void *at = made + field->offset;
        if (is_list) {
            size_t count = *(const size_t *)(const void *)(made + field->quantifier_offset);
            if (count && !copy_list(at, count, is_message, is_whole, arena))
                return NULL;
            continue;
        }
        bool is_there = !(field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF) ||
                        *(const uint32_t *)(const void *)(made + field->quantifier_offset) == field->id;
        ProtobufCMessage **part = at;
        if (is_there && *part && !(*part = copy(*part, is_whole, arena)))
            return NULL;
    }
    return (ProtobufCMessage *)(void *)made;
}

npart_status npart__onnx_pack(const Onnx__ModelProto *model, struct npart__arena *arena, uint8_t **data, size_t *bytes,
                              struct npart_error *error)
{
    *bytes = onnx__model_proto__get_packed_size(model);
    if (*bytes > NPART__LIMIT_SKELETON_BYTES)
        return npart__fail(error, NPART_ERROR_LIMIT, "", "the changed model is larger than protobuf allows");
    *data = npart__arena_allocate(arena, *bytes + 1);
    if (!*data)
        return npart__fail_memory(error);
    (void)onnx__model_proto__pack(model, *data);
    return NPART_OK;
}

ProtobufCMessage *npart__onnx_copy(const ProtobufCMessage *message, struct npart__arena *arena)
{
    return copy(message, true, arena);
}

Onnx__ModelProto *npart__onnx_copy_nodes(const Onnx__ModelProto *model, struct npart__arena *arena)
{
    return (Onnx__ModelProto *)copy(&model->base, false, arena);
}

/* A record is native memory of this process, written by the scan and read here: no byte order is
 * involved. An unknown field of that number but another size cannot come from the scan. The file itself cannot
 * forge one: the scan drops fields that the schema lacks, and this number is none of ONNX's. It is copied out, as
 * the bytes need not be aligned. */
bool npart__onnx_elided(const ProtobufCMessage *message, unsigned index, struct npart__elided *out)
{
    for (unsigned i = 0; i < message->n_unknown_fields; i++) {
        const ProtobufCMessageUnknownField *field = &message->unknown_fields[i];
        /* The data of a length-delimited unknown field begins with its length, here one byte. */
        if (field->tag != NPART__ELIDED_FIELD || field->len != 1 + sizeof *out)
            continue;
        if (index-- == 0) {
            memcpy(out, field->data + 1, sizeof *out);
            return true;
        }
    }
    return false;
}

const Onnx__AttributeProto *npart__onnx_attribute(const Onnx__NodeProto *node, const char *name)
{
    for (size_t i = 0; i < node->n_attribute; i++)
        if (node->attribute[i]->name && strcmp(node->attribute[i]->name, name) == 0)
            return node->attribute[i];
    return NULL;
}

int64_t npart__onnx_int(const Onnx__NodeProto *node, const char *name)
{
    const Onnx__AttributeProto *attribute = npart__onnx_attribute(node, name);
    return attribute ? attribute->i : 0;
}

Onnx__NodeProto *npart__onnx_constant(Onnx__TensorProto *tensor, struct npart__arena *arena)
{
    Onnx__NodeProto *node = npart__arena_allocate(arena, sizeof *node);
    Onnx__AttributeProto *value = npart__arena_allocate(arena, sizeof *value);
    char **output = npart__arena_zeroed(arena, 1, sizeof *output);
    Onnx__AttributeProto **attribute = npart__arena_zeroed(arena, 1, sizeof(Onnx__AttributeProto *));
    char *op = npart__arena_copy_text(arena, "Constant", strlen("Constant"));
    char *name = npart__arena_copy_text(arena, "value", strlen("value"));
    if (!node || !value || !output || !attribute || !op || !name)
        return NULL;
    onnx__node_proto__init(node);
    onnx__attribute_proto__init(value);
    node->op_type = op;
    node->n_output = node->n_attribute = 1;
    node->output = output;
    node->attribute = attribute;
    output[0] = tensor->name;
    attribute[0] = value;
    value->name = name;
    value->has_type = 1;
    value->type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR;
    value->t = tensor;
    return node;
}

Onnx__ValueInfoProto *npart__onnx_declaration(char *name, int element_type, struct npart__arena *arena)
{
    Onnx__ValueInfoProto *info = npart__arena_allocate(arena, sizeof *info);
    Onnx__TypeProto *type = npart__arena_allocate(arena, sizeof *type);
    Onnx__TypeProto__Tensor *tensor = npart__arena_allocate(arena, sizeof *tensor);
    if (!name || !info || !type || !tensor)
        return NULL;
    onnx__value_info_proto__init(info);
    onnx__type_proto__init(type);
    onnx__type_proto__tensor__init(tensor);
    info->name = name;
    info->type = type;
    type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    type->tensor_type = tensor;
    tensor->has_elem_type = 1;
    tensor->elem_type = element_type;
    return info;
}

Onnx__TensorShapeProto *npart__onnx_shape(uint32_t rank, struct npart__arena *arena)
{
    Onnx__TensorShapeProto *shape = npart__arena_allocate(arena, sizeof *shape);
    Onnx__TensorShapeProto__Dimension **dims = npart__arena_zeroed(arena, rank + (size_t)1, sizeof *dims);
    if (!shape || !dims)
        return NULL;
    onnx__tensor_shape_proto__init(shape);
    shape->dim = dims;
    shape->n_dim = rank;
    for (uint32_t i = 0; i < rank; i++) {
        if (!(dims[i] = npart__arena_allocate(arena, sizeof **dims)))
            return NULL;
        onnx__tensor_shape_proto__dimension__init(dims[i]);
    }
    return shape;
}

const char *npart__plain_domain(const char *domain)
{
    return !domain || strcmp(domain, "ai.onnx") == 0 ? "" : domain;
}

int64_t npart__imported_opset(Onnx__OperatorSetIdProto *const *imports, size_t count, const char *domain)
{
    domain = npart__plain_domain(domain);
    for (size_t i = count; i-- > 0;)
        if (strcmp(npart__plain_domain(imports[i]->domain), domain) == 0)
            return imports[i]->version;
    return 0;
}
