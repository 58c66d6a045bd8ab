/* SPDX-License-Identifier: Apache-2.0
 *
 * Types as the file declares them (TypeProto), from protobuf's objects to ours. What the format
 * allows though it has no meaning stays unknown, as a wrong declaration is no reason not to analyze
 * the model.
 */
#include "graph/build.h"

/* A dim is a number, a symbol, or neither. Negative numbers and empty symbols are neither: old
 * exporters write -1 or "" for a dynamic dim. No shape at all (NULL) is an unknown rank, an empty
 * one a scalar. [batch, 3, -1, ""] becomes a symbol, a number and twice neither. Symbols are texts of the
 * unpacked file and not copied. */
static bool build_shape(struct npart__arena *arena, const Onnx__TensorShapeProto *shape,
                        struct npart__declared_type *out)
{
    if (!shape)
        return true;
    if (shape->n_dim > UINT16_MAX)
        return true; /* no tensor has such a rank; it stays unknown */
    struct npart__declared_dim *dims = npart__arena_zeroed(arena, shape->n_dim, sizeof *dims);
    if (!dims)
        return false;
    for (size_t i = 0; i < shape->n_dim; i++) {
        const Onnx__TensorShapeProto__Dimension *dim = shape->dim[i];
        dims[i].value = -1;
        if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE)
            dims[i].value = dim->dim_value >= 0 ? dim->dim_value : -1;
        else if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM && *dim->dim_param &&
                 strlen(dim->dim_param) <= NPART__LIMIT_DIM_BYTES)
            dims[i].parameter = dim->dim_param;
    }
    out->has_rank = true;
    out->rank = (uint16_t)shape->n_dim;
    out->dims = dims;
    return true;
}

/* 0 where the file does not say, or says a number that fits nowhere. */
static uint8_t element_type(bool present, int32_t number)
{
    return present && number > 0 && number <= UINT8_MAX ? (uint8_t)number : 0;
}

struct npart__type_parts npart__type_parts(const Onnx__TypeProto *proto)
{
    struct npart__type_parts out = {.kind = NPART__TYPE_UNKNOWN};
    switch (proto ? proto->value_case : ONNX__TYPE_PROTO__VALUE__NOT_SET) {
    case ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE:
        out.kind = NPART__TYPE_TENSOR;
        out.element_type = element_type(proto->tensor_type->has_elem_type, proto->tensor_type->elem_type);
        out.shape = proto->tensor_type->shape;
        break;
    case ONNX__TYPE_PROTO__VALUE_SPARSE_TENSOR_TYPE:
        out.kind = NPART__TYPE_SPARSE;
        out.element_type =
            element_type(proto->sparse_tensor_type->has_elem_type, proto->sparse_tensor_type->elem_type);
        out.shape = proto->sparse_tensor_type->shape;
        break;
    case ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE:
        out.kind = NPART__TYPE_SEQUENCE;
        out.element = proto->sequence_type->elem_type;
        break;
    case ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE:
        out.kind = NPART__TYPE_OPTIONAL;
        out.element = proto->optional_type->elem_type;
        break;
    case ONNX__TYPE_PROTO__VALUE_MAP_TYPE:
        out.kind = NPART__TYPE_MAP;
        out.element_type = element_type(proto->map_type->has_key_type, proto->map_type->key_type);
        out.element = proto->map_type->value_type;
        break;
    case ONNX__TYPE_PROTO__VALUE_OPAQUE_TYPE:
        out.kind = NPART__TYPE_OPAQUE;
        break;
    default:
        break;
    }
    return out;
}

/* Nesting is bounded by the scan's depth limit. Without a type (NULL) the result is all zero, which is a type of
 * kind UNKNOWN. A map has the type of its keys in `element_type` and its values in `element`; NULL is out of
 * memory alone. */
struct npart__declared_type *npart__build_type(struct npart__arena *arena, const Onnx__TypeProto *proto)
{
    struct npart__declared_type *type = npart__arena_zeroed(arena, 1, sizeof *type);
    struct npart__type_parts parts = npart__type_parts(proto);
    if (!type)
        return NULL;
    type->kind = (uint8_t)parts.kind;
    type->element_type = parts.element_type;
    bool ok = build_shape(arena, parts.shape, type);
    if (ok && parts.element) {
        type->element = npart__build_type(arena, parts.element);
        ok = type->element != NULL;
    }
    return ok ? type : NULL;
}
