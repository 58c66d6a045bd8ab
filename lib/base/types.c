/* SPDX-License-Identifier: Apache-2.0
 *
 * ONNX element types by number, as TensorProto.DataType counts them. The library speaks of types
 * by these numbers everywhere; names and sizes are looked up here.
 */
#include "base/base.h"

static const struct {
    const char *name;      /* as reports and op lists write it (NumPy's and ONNX's lower-case form) */
    const char *onnx_name; /* the enum's */
    uint8_t bits;
    char kind; /* f float, i integer, b bool, c complex, s string, - none */
} element_types[] = {
    {"undefined", "UNDEFINED", 0, '-'},
    {"float32", "FLOAT", 32, 'f'},
    {"uint8", "UINT8", 8, 'i'},
    {"int8", "INT8", 8, 'i'},
    {"uint16", "UINT16", 16, 'i'},
    {"int16", "INT16", 16, 'i'},
    {"int32", "INT32", 32, 'i'},
    {"int64", "INT64", 64, 'i'},
    {"string", "STRING", 0, 's'},
    {"bool", "BOOL", 8, 'b'},
    {"float16", "FLOAT16", 16, 'f'},
    {"float64", "DOUBLE", 64, 'f'},
    {"uint32", "UINT32", 32, 'i'},
    {"uint64", "UINT64", 64, 'i'},
    {"complex64", "COMPLEX64", 64, 'c'},
    {"complex128", "COMPLEX128", 128, 'c'},
    {"bfloat16", "BFLOAT16", 16, 'f'},
    {"float8e4m3fn", "FLOAT8E4M3FN", 8, 'f'},
    {"float8e4m3fnuz", "FLOAT8E4M3FNUZ", 8, 'f'},
    {"float8e5m2", "FLOAT8E5M2", 8, 'f'},
    {"float8e5m2fnuz", "FLOAT8E5M2FNUZ", 8, 'f'},
    {"uint4", "UINT4", 4, 'i'},
    {"int4", "INT4", 4, 'i'},
    {"float4e2m1", "FLOAT4E2M1", 4, 'f'},
    {"float8e8m0", "FLOAT8E8M0", 8, 'f'},
    {"uint2", "UINT2", 2, 'i'},
    {"int2", "INT2", 2, 'i'},
    {"float6e2m3", "FLOAT6E2M3", 6, 'f'},
    {"float6e3m2", "FLOAT6E3M2", 6, 'f'},
};

_Static_assert(NPART__COUNT(element_types) <= NPART__TYPE_NUMBERS, "sums by type have room for each");

/* Newer versions of ONNX have numbers that this table lacks; they come out as "undefined", of no
 * known size. */
static bool is_known(int element_type)
{
    return element_type > 0 && (size_t)element_type < NPART__COUNT(element_types);
}

const char *npart__type_name(int element_type)
{
    return element_types[is_known(element_type) ? element_type : 0].name;
}

/* The public form: NULL for a number that this library does not know, so that a caller need not compare texts. */
const char *npart_element_type_text(int element_type)
{
    return is_known(element_type) ? npart__type_name(element_type) : NULL;
}

/* Not strncasecmp, which follows the locale. In a Turkish one I and i are letters of two pairs. */
bool npart__same_letters(const char *a, const char *b, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        char left = a[i] >= 'A' && a[i] <= 'Z' ? (char)(a[i] - 'A' + 'a') : a[i];
        char right = b[i] >= 'A' && b[i] <= 'Z' ? (char)(b[i] - 'A' + 'a') : b[i];
        if (left != right)
            return false;
    }
    return true;
}

/* The first letters are compared before all else (0x20 is the bit between the cases): op lists
 * ask for thousands of names, nearly all by the first name of a row. The second ones are asked after them, so "double"
 * finds what is told as float64. */
int npart__type_number(const char *name, size_t length)
{
    for (size_t j = 0; length && j < 2; j++) {
        for (size_t i = 1; i < NPART__COUNT(element_types); i++) {
            const char *own = j ? element_types[i].onnx_name : element_types[i].name;
            if (((own[0] ^ name[0]) | 0x20) == 0x20 && strlen(own) == length && npart__same_letters(own, name, length))
                return (int)i;
        }
    }
    return 0;
}

unsigned npart__type_bits(int element_type)
{
    return is_known(element_type) ? element_types[element_type].bits : 0;
}

/* Those of 8, 6 and 4 bits count as well; complex numbers do not. */
bool npart__type_is_float(int element_type)
{
    return is_known(element_type) && element_types[element_type].kind == 'f';
}

bool npart__type_is_integer(int element_type)
{
    return is_known(element_type) && element_types[element_type].kind == 'i';
}

bool npart__type_is_signed(int element_type)
{
    return element_type == NPART__INT8 || element_type == NPART__INT16 || element_type == NPART__INT32 ||
           element_type == NPART__INT64 || element_type == NPART__INT4 || element_type == NPART__INT2;
}

bool npart__dims_elements(const int64_t *dims, size_t rank, uint64_t *out)
{
    bool is_good = true;
    *out = 1;
    for (size_t i = 0; is_good && i < rank; i++)
        is_good = dims[i] >= 0 && npart__multiply_uint64(*out, (uint64_t)dims[i], out);
    return is_good;
}

/* Sub-byte types are packed, and the last byte may be filled in part. 15 elements of 4 bits are 4 whole bytes
 * for the first eight and 4 for the other seven, which have 28 bits. A type without a width (string, unknown)
 * takes 0. */
uint64_t npart__type_bytes(int element_type, uint64_t elements)
{
    /* Eight elements take as many bytes as one takes bits. */
    uint64_t bits = npart__type_bits(element_type), rest = (elements % 8 * bits + 7) / 8, bytes;
    if (!npart__multiply_uint64(elements / 8, bits, &bytes) || bytes > UINT64_MAX - rest)
        return UINT64_MAX;
    return bytes + rest;
}
