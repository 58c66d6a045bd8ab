/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensors: their sizes checked against dims and type, and the numbers of those that are here.
 */
#include <stdlib.h>

#include "graph/build.h"

/* ---- sizes ----------------------------------------------------------------------------------------------- */

/* What cannot be counted has no dims and takes nothing. A tensor without dims is a scalar of one element; one with
 * a dim of 0 has none, and is no mistake. INT4 of dims [3,5] has 15 elements, which take 8 bytes. */
static bool count_elements(struct npart__tensor *tensor, const int64_t *dims, size_t rank)
{
    uint64_t elements = 0, bytes = UINT64_MAX;
    if (rank <= UINT16_MAX && npart__dims_elements(dims, rank, &elements))
        bytes = npart__type_bytes(tensor->element_type, elements);
    bool is_good = bytes != UINT64_MAX;
    tensor->rank = is_good ? (uint16_t)rank : 0;
    tensor->dims = is_good ? dims : NULL;
    tensor->elements = is_good ? elements : 0;
    tensor->bytes = is_good ? bytes : 0;
    return is_good;
}

/* The field for elements of a type (onnx.proto: which type goes where), how many numbers stand there, and how many
 * of them make one element. */
struct typed_field {
    uint32_t field;
    uint64_t numbers, per_element;
};

/* Several types share a field; what is not listed here stands in int32_data. */
static struct typed_field typed_field(const Onnx__TensorProto *proto)
{
    switch (proto->data_type) {
    case NPART__FLOAT:
        return (struct typed_field){4, proto->n_float_data, 1};
    case NPART__COMPLEX64:
        return (struct typed_field){4, proto->n_float_data, 2};
    case NPART__DOUBLE:
        return (struct typed_field){10, proto->n_double_data, 1};
    case NPART__COMPLEX128:
        return (struct typed_field){10, proto->n_double_data, 2};
    case NPART__INT64:
        return (struct typed_field){7, proto->n_int64_data, 1};
    case NPART__UINT32:
    case NPART__UINT64:
        return (struct typed_field){11, proto->n_uint64_data, 1};
    case NPART__STRING:
        return (struct typed_field){6, proto->n_string_data, 1};
    default:
        return (struct typed_field){5, proto->n_int32_data, 1};
    }
}

/* Sub-byte types are packed, so the typed field may hold fewer numbers than elements: 2 or 4 of them each. */
static bool typed_size_fits(const struct npart__tensor *tensor, uint64_t numbers, uint64_t per_element)
{
    unsigned bits = npart__type_bits(tensor->element_type);
    if (numbers % per_element == 0 && numbers / per_element == tensor->elements)
        return true;
    return bits && bits < 8 && numbers == (tensor->elements + 8 / bits - 1) / (8 / bits);
}

/* FLOAT6 in raw bytes is stored packed or byte by byte, by writer; either is accepted. */
static bool raw_size_fits(const struct npart__tensor *tensor, uint64_t bytes)
{
    bool is_float6 = tensor->element_type >= NPART__FLOAT6E2M3 && tensor->element_type <= NPART__FLOAT6E3M2;
    return bytes == tensor->bytes || (is_float6 && bytes == tensor->elements);
}

/* The scan's record of a payload field that it has left out, where there is one. The loop ends where there is no
 * further record; a tensor has one for each field that was left out. */
static bool find_record(const Onnx__TensorProto *proto, uint32_t field, struct npart__elided *out)
{
    for (unsigned i = 0; npart__onnx_elided(&proto->base, i, out); i++)
        if (out->field == field)
            return true;
    return false;
}

/* ---- external data --------------------------------------------------------------------------------------- */

/* external_data holds texts; offset and length are decimal numbers without a sign. Not strtoull, which takes
 * blanks and signs and lets "-1" through as the largest number. Numbers past 64 bits are none. */
static bool parse_size(const char *text, uint64_t *out)
{
    uint64_t value = 0;
    if (!*text)
        return false;
    for (; *text; text++) {
        if (*text < '0' || *text > '9' || !npart__multiply_uint64(value, 10, &value) ||
            value > UINT64_MAX - (uint64_t)(*text - '0'))
            return false;
        value += (uint64_t)(*text - '0');
    }
    *out = value;
    return true;
}

/* "" when all is well, else what is wrong. Of the keys that onnx.proto lists (location, offset, length, checksum) the
 * checksum is not looked at. */
static const char *read_external(const Onnx__TensorProto *proto, struct npart__external *out)
{
    *out = (struct npart__external){.location = ""};
    for (size_t i = 0; i < proto->n_external_data; i++) {
        const char *key = proto->external_data[i]->key, *value = proto->external_data[i]->value;
        if (!key || !value)
            continue;
        if (strcmp(key, "location") == 0) {
            out->location = value;
        } else if (strcmp(key, "length") == 0) {
            out->has_length = true;
            if (!parse_size(value, &out->length))
                return "its external length is not a number";
        } else if (strcmp(key, "offset") == 0 && !parse_size(value, &out->offset)) {
            return "its external offset is not a number";
        }
    }
    return *out->location ? "" : "it names no external file";
}

/* The file itself is never opened. A length that is left out means the rest of the file, whose size is not asked for;
 * then nothing can be compared. */
static const char *check_external(const struct npart__tensor *tensor, const Onnx__TensorProto *proto,
                                  uint64_t *length)
{
    struct npart__external external;
    const char *problem = read_external(proto, &external);
    *length = external.length;
    if (*problem)
        return problem;
    if (external.has_length && external.offset > UINT64_MAX - external.length)
        return "its external offset and length overflow";
    if (external.has_length && !raw_size_fits(tensor, external.length))
        return "its external length does not fit its dims and type";
    return "";
}

bool npart__tensor_external(const struct npart__tensor *tensor, struct npart__external *out)
{
    return tensor->place == NPART__TENSOR_EXTERNAL && !*read_external(tensor->data, out);
}

/* ---- building -------------------------------------------------------------------------------------------- */

/* Where the numbers of a tensor are, and "" or what is wrong with them; `*found` is how many
 * bytes there are. raw_data goes before the typed fields, as in ONNX's own readers; strings are
 * never raw. Numbers are field numbers of TensorProto: 9 is raw_data. A typed field may be there in part: protobuf
 * joins the runs of a repeated field, and the scan may leave out one and keep another, so both are added up. */
static const char *place_data(struct npart__tensor *tensor, const Onnx__TensorProto *proto, uint64_t *found)
{
    static const char misfit[] = "its data does not fit its dims and type";
    struct npart__elided elided;
    if (proto->has_data_location && proto->data_location == ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL) {
        tensor->place = NPART__TENSOR_EXTERNAL;
        return check_external(tensor, proto, found);
    }
    if (tensor->element_type != NPART__STRING && find_record(proto, 9, &elided)) {
        tensor->place = NPART__TENSOR_ELIDED;
        *found = elided.bytes;
        return raw_size_fits(tensor, elided.bytes) ? "" : misfit;
    }
    tensor->place = NPART__TENSOR_INLINE;
    /* A typed field beside raw_data is not looked at, and is never read: integer_at and double_at ask for raw_data
     * first. */
    if (tensor->element_type != NPART__STRING && proto->has_raw_data) {
        *found = proto->raw_data.len;
        return raw_size_fits(tensor, proto->raw_data.len) ? "" : misfit;
    }
    struct typed_field typed = typed_field(proto);
    *found = npart__type_bytes(tensor->element_type, typed.numbers / typed.per_element);
    if (!find_record(proto, typed.field, &elided))
        return typed_size_fits(tensor, typed.numbers, typed.per_element) ? "" : misfit;
    tensor->place = NPART__TENSOR_ELIDED;
    *found += elided.bytes;
    if (elided.elements == 0) /* varints: only reading them would tell */
        return "";
    return typed_size_fits(tensor, typed.numbers + elided.elements, typed.per_element) ? "" : misfit;
}

/* False when out of memory. */
static bool report_broken(struct npart__build *build, struct npart__tensor *tensor, const char *where,
                          const char *problem, uint64_t found)
{
    tensor->place = NPART__TENSOR_BROKEN;
    return npart__build_finding(build, "tensor-data", where, "tensor \"%s\": %s (%llu bytes by dims, %llu found)",
                                tensor->name, problem, (unsigned long long)tensor->bytes, (unsigned long long)found);
}

/* A tensor that does not fit is a finding and not an error: the analysis needs its dims and type
 * at most, and lib/runtime/onnxruntime says what a runtime does about it. */
struct npart__tensor *npart__build_tensor(struct npart__build *build, const Onnx__TensorProto *proto,
                                          const char *where)
{
    struct npart__tensor *tensor = npart__arena_zeroed(build->arena, 1, sizeof *tensor);
    if (!tensor)
        return NULL;
    tensor->name = proto->name ? proto->name : "";
    tensor->data = proto;
    if (proto->has_data_type && proto->data_type > 0 && proto->data_type <= NPART__FLOAT6E3M2)
        tensor->element_type = tensor->stored_type = (uint8_t)proto->data_type;
    uint64_t found = 0;
    const char *problem;
    if (!tensor->element_type)
        problem = "its element type is unknown";
    else if (!count_elements(tensor, proto->dims, proto->n_dims))
        problem = "its dims are negative or too large";
    else
        problem = place_data(tensor, proto, &found);
    return !*problem || report_broken(build, tensor, where, problem, found) ? tensor : NULL;
}

/* SparseTensorProto: `values` holds what is not zero, `dims` are those of the dense tensor,
 * which is what a graph computes with. Indices are not looked at. */
struct npart__tensor *npart__build_sparse_tensor(struct npart__build *build, const Onnx__SparseTensorProto *proto,
                                                 const char *where)
{
    static const Onnx__TensorProto nothing = ONNX__TENSOR_PROTO__INIT;
    struct npart__tensor *tensor = npart__build_tensor(build, proto->values ? proto->values : &nothing, where);
    if (!tensor)
        return NULL;
    tensor->is_sparse = true;
    if (!count_elements(tensor, proto->dims, proto->n_dims))
        return report_broken(build, tensor, where, "its dims are negative or too large", 0) ? tensor : NULL;
    if (tensor->place == NPART__TENSOR_INLINE)
        tensor->place = NPART__TENSOR_ELIDED; /* its dense form is nowhere */
    return tensor;
}

/* Called for initializers, and for tensors in attributes, of an inlined function once for each call. A number that
 * this library does not know as a type counts in row 0. */
void npart__build_add_weight(struct npart__build *build, const struct npart__tensor *tensor)
{
    struct npart__graph *graph = build->graph;
    uint8_t type = tensor->element_type;
    struct npart__weight_sum *of_type = &graph->weights_of[type < NPART__TYPE_NUMBERS ? type : 0];
    graph->weight_bytes = npart__sum_uint64(graph->weight_bytes, tensor->bytes);
    if (tensor->place == NPART__TENSOR_EXTERNAL)
        graph->external_bytes = npart__sum_uint64(graph->external_bytes, tensor->bytes);
    of_type->bytes = npart__sum_uint64(of_type->bytes, tensor->bytes);
    of_type->elements = npart__sum_uint64(of_type->elements, tensor->elements);
}

/* ---- numbers --------------------------------------------------------------------------------------------- */

/* Byte by byte, so it does not matter how this machine stores numbers. */
static uint64_t raw_word(const uint8_t *bytes, unsigned width)
{
    uint64_t word = 0;
    for (unsigned i = 0; i < width; i++) /* ONNX stores little-endian */
        word |= (uint64_t)bytes[i] << (8 * i);
    return word;
}

/* The `bits` low bits of `word`, as two's complement where `is_signed`. The byte 0xf7 as two INT4 is 7, from its
 * lower half, and then -1. Bits above those of the type are dropped, as a typed field may hold an UINT8 in a
 * sign-extended int32. */
static int64_t as_integer(uint64_t word, unsigned bits, bool is_signed)
{
    if (bits == 64)
        return (int64_t)word; /* a UINT64 above 2^63 - 1 becomes negative, by which npart__tensor_int64s tells it */
    word &= ((uint64_t)1 << bits) - 1;
    if (is_signed && word >> (bits - 1))
        return (int64_t)word - (int64_t)((uint64_t)1 << bits);
    return (int64_t)word;
}

/* int32_data holds all types of up to 32 bits, one number for each element, but for types below
 * a byte, which newer writers pack: then the number of entries tells. */
static int64_t integer_at(const struct npart__tensor *tensor, const Onnx__TensorProto *proto, uint64_t i)
{
    int type = tensor->stored_type;
    unsigned bits = npart__type_bits(type);
    bool is_signed = npart__type_is_signed(type);
    if (proto->has_raw_data) {
        const uint8_t *data = proto->raw_data.data;
        if (bits < 8)
            return as_integer((uint64_t)data[i * bits / 8] >> (i * bits % 8), bits, is_signed);
        return as_integer(raw_word(data + i * (bits / 8), bits / 8), bits, is_signed);
    }
    if (type == NPART__INT64)
        return proto->int64_data[i];
    if (type == NPART__UINT32 || type == NPART__UINT64)
        return as_integer(proto->uint64_data[i], bits, false);
    if (bits < 8 && proto->n_int32_data != tensor->elements)
        return as_integer((uint64_t)(uint32_t)proto->int32_data[i * bits / 8] >> (i * bits % 8), bits, is_signed);
    return as_integer((uint64_t)(int64_t)proto->int32_data[i], bits, is_signed);
}

/* All or none: rules that ask for "every element" must not see a part of them. */
bool npart__tensor_int64s(const struct npart__tensor *tensor, int64_t *out, uint64_t limit)
{
    const Onnx__TensorProto *proto = tensor->data;
    int type = tensor->stored_type;
    if (tensor->place != NPART__TENSOR_INLINE || tensor->elements > limit ||
        !(npart__type_is_integer(type) || type == NPART__BOOL))
        return false;
    for (uint64_t i = 0; i < tensor->elements; i++) {
        out[i] = integer_at(tensor, proto, i);
        if (type == NPART__UINT64 && out[i] < 0)
            return false;
    }
    return true;
}

bool npart__tensor_int64_at(const struct npart__tensor *tensor, uint64_t place, int64_t *out)
{
    int type = tensor->stored_type;
    if (tensor->place != NPART__TENSOR_INLINE || place >= tensor->elements ||
        !(npart__type_is_integer(type) || type == NPART__BOOL))
        return false;
    *out = integer_at(tensor, tensor->data, place);
    return type != NPART__UINT64 || *out >= 0;
}

/* IEEE 754 binary16 as the bits of a binary32, so that no compiler extension is needed. 0x3c00, which is 1, has
 * the exponent 15; 15 + 112 is 127, the bias of binary32. Infinities and NaNs keep their fraction. */
static uint32_t widen_half(uint32_t half)
{
    uint32_t sign = (half & 0x8000u) << 16, exponent = half >> 10 & 31u, fraction = half & 1023u;
    if (exponent == 31)
        return sign | 0x7f800000u | fraction << 13;
    if (exponent == 0) {
        if (fraction == 0)
            return sign;
        exponent = 1; /* subnormal: shift until the hidden bit appears */
        while (!(fraction & 1024u)) {
            fraction <<= 1;
            exponent--;
        }
        fraction &= 1023u;
    }
    return sign | (exponent + 112u) << 23 | fraction << 13;
}

static double from_float_bits(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return (double)value;
}

/* bfloat16 is the upper half of a float32, hence the shift; the callers let no other type
 * through. */
double npart__raw_double(int type, const uint8_t *data)
{
    double value;
    uint64_t word;
    switch (type) {
    case NPART__FLOAT:
        return from_float_bits((uint32_t)raw_word(data, 4));
    case NPART__DOUBLE:
        word = raw_word(data, 8);
        memcpy(&value, &word, sizeof value);
        return value;
    case NPART__FLOAT16:
        return from_float_bits(widen_half((uint32_t)raw_word(data, 2)));
    default:
        return from_float_bits((uint32_t)raw_word(data, 2) << 16);
    }
}

/* float16 and bfloat16 stand as bit patterns in int32_data. */
static double double_at(const struct npart__tensor *tensor, const Onnx__TensorProto *proto, uint64_t i)
{
    int type = tensor->stored_type;
    if (proto->has_raw_data)
        return npart__raw_double(type, proto->raw_data.data + i * (npart__type_bits(type) / 8));
    if (type == NPART__FLOAT)
        return (double)proto->float_data[i];
    if (type == NPART__DOUBLE)
        return proto->double_data[i];
    uint32_t bits = (uint32_t)proto->int32_data[i] & 0xffffu;
    return from_float_bits(type == NPART__FLOAT16 ? widen_half(bits) : bits << 16);
}

/* float8 and smaller floating-point types are not read here. Of INT64 and UINT64 beyond 2^53 a double has the nearest
 * that there is, so whoever needs it exactly asks npart__tensor_int64s first. */
bool npart__tensor_doubles(const struct npart__tensor *tensor, double *out, uint64_t limit)
{
    const Onnx__TensorProto *proto = tensor->data;
    int type = tensor->stored_type;
    if (tensor->place != NPART__TENSOR_INLINE || tensor->elements > limit)
        return false;
    bool is_float = type == NPART__FLOAT || type == NPART__DOUBLE || type == NPART__FLOAT16 || type == NPART__BFLOAT16;
    if (!is_float && !npart__type_is_integer(type) && type != NPART__BOOL)
        return false;
    if (type == NPART__FLOAT && proto->has_raw_data) { /* nearly all */
        for (uint64_t i = 0; i < tensor->elements; i++)
            out[i] = from_float_bits((uint32_t)raw_word(proto->raw_data.data + i * 4, 4));
        return true;
    }
    for (uint64_t i = 0; i < tensor->elements; i++) {
        int64_t integer = is_float ? 0 : integer_at(tensor, proto, i);
        out[i] = is_float         ? double_at(tensor, proto, i)
                 : type == NPART__UINT64 ? (double)(uint64_t)integer
                                  : (double)integer;
    }
    return true;
}
