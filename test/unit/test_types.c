/* SPDX-License-Identifier: Apache-2.0
 *
 * ONNX's element types: number, names, width and kind of each, and the bytes that tensors of them take.
 */
#include "base/base.h"
#include "support/test.h"

/* From onnx.proto, TensorProto.DataType, and what its comments say of each width. */
static const struct {
    int number;
    const char *onnx_name, *name;
    unsigned bits;
    bool is_float, is_integer;
} types[] = {
    {1, "FLOAT", "float32", 32, true, false},
    {2, "UINT8", "uint8", 8, false, true},
    {3, "INT8", "int8", 8, false, true},
    {4, "UINT16", "uint16", 16, false, true},
    {5, "INT16", "int16", 16, false, true},
    {6, "INT32", "int32", 32, false, true},
    {7, "INT64", "int64", 64, false, true},
    {8, "STRING", "string", 0, false, false},
    {9, "BOOL", "bool", 8, false, false},
    {10, "FLOAT16", "float16", 16, true, false},
    {11, "DOUBLE", "float64", 64, true, false},
    {12, "UINT32", "uint32", 32, false, true},
    {13, "UINT64", "uint64", 64, false, true},
    {14, "COMPLEX64", "complex64", 64, false, false},
    {15, "COMPLEX128", "complex128", 128, false, false},
    {16, "BFLOAT16", "bfloat16", 16, true, false},
    {17, "FLOAT8E4M3FN", "float8e4m3fn", 8, true, false},
    {18, "FLOAT8E4M3FNUZ", "float8e4m3fnuz", 8, true, false},
    {19, "FLOAT8E5M2", "float8e5m2", 8, true, false},
    {20, "FLOAT8E5M2FNUZ", "float8e5m2fnuz", 8, true, false},
    {21, "UINT4", "uint4", 4, false, true},
    {22, "INT4", "int4", 4, false, true},
    {23, "FLOAT4E2M1", "float4e2m1", 4, true, false},
    {24, "FLOAT8E8M0", "float8e8m0", 8, true, false},
    {25, "UINT2", "uint2", 2, false, true},
    {26, "INT2", "int2", 2, false, true},
    {27, "FLOAT6E2M3", "float6e2m3", 6, true, false},
    {28, "FLOAT6E3M2", "float6e3m2", 6, true, false},
};

static int number_of(const char *name)
{
    return npart__type_number(name, strlen(name));
}

static void test_types__each_has_its_names_and_width(void)
{
    for (size_t i = 0; i < NPART__COUNT(types); i++) {
        int number = types[i].number;
        CHECK_INT(number, i + 1); /* the table above misses none */
        CHECK_TEXT(npart__type_name(number), types[i].name);
        CHECK_INT(number_of(types[i].name), number);
        CHECK_INT(number_of(types[i].onnx_name), number);
        CHECK_INT(npart__type_bits(number), types[i].bits);
        CHECK_INT(npart__type_is_float(number), types[i].is_float);
        CHECK_INT(npart__type_is_integer(number), types[i].is_integer);
    }
}

static void test_types__numbers_beyond_are_undefined(void)
{
    static const int numbers[] = {0, -1, 29, 30, 255, 256, 257, 65537, INT32_MAX, INT32_MIN};
    for (size_t i = 0; i < NPART__COUNT(numbers); i++) {
        CHECK_TEXT(npart__type_name(numbers[i]), "undefined");
        CHECK_INT(npart__type_bits(numbers[i]), 0);
        CHECK(!npart__type_is_float(numbers[i]));
        CHECK(!npart__type_is_integer(numbers[i]));
        CHECK_INT(npart__type_bytes(numbers[i], 100), 0);
    }
}

static void test_types__names_in_any_letters(void)
{
    static const struct {
        const char *name;
        int number;
    } rows[] = {
        {"Float32", 1}, {"FLOAT32", 1},    {"float", 1},      {"Double", 11},      {"double", 11},  {"INT64", 7},
        {"Int64", 7},   {"BFloat16", 16},  {"bool", 9},       {"Float8E4M3FN", 17}, {"UINT4", 21},  {"undefined", 0},
        {"", 0},        {"UNDEFINED", 0},  {"float3", 0},     {"float322", 0},     {"int", 0},      {" int8", 0},
        {"int8 ", 0},   {"float-32", 0},   {"float\xc3\xa9", 0}, {"[nt8", 0},      {"@OOL", 0},
    };
    for (size_t i = 0; i < NPART__COUNT(rows); i++)
        CHECK_INT(number_of(rows[i].name), rows[i].number);
}

/* The length counts, not a NUL. */
static void test_types__names_end_where_their_length_says(void)
{
    CHECK_INT(npart__type_number("float32[1]", 7), 1);
    CHECK_INT(npart__type_number("int64", 3), 0);
    CHECK_INT(npart__type_number("int8\0", 5), 0);
    CHECK_INT(npart__type_number("int8", 0), 0);
}

static void test_types__bytes_are_rounded_up(void)
{
    static const uint64_t counts[] = {0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 1000, 1001};
    for (size_t i = 0; i < NPART__COUNT(types); i++)
        for (size_t k = 0; k < NPART__COUNT(counts); k++) {
            uint64_t bits = counts[k] * types[i].bits, bytes = bits / 8 + (bits % 8 ? 1 : 0);
            CHECK_INT(npart__type_bytes(types[i].number, counts[k]), bytes);
        }
}

static void test_types__bytes_that_do_not_fit(void)
{
    static const struct {
        int number;
        uint64_t elements, bytes;
    } rows[] = {
        {2, UINT64_C(1) << 61, UINT64_C(1) << 61}, /* the bits do not fit, the bytes do */
        {2, UINT64_MAX - 1, UINT64_MAX - 1},
        {2, UINT64_MAX, UINT64_MAX},
        {1, UINT64_C(1) << 61, UINT64_C(1) << 63},
        {1, (UINT64_C(1) << 62) - 1, UINT64_MAX - 3},
        {1, UINT64_C(1) << 62, UINT64_MAX},
        {1, UINT64_MAX, UINT64_MAX},
        {7, (UINT64_C(1) << 61) - 1, UINT64_MAX - 7},
        {7, UINT64_C(1) << 61, UINT64_MAX},
        {15, UINT64_C(1) << 60, UINT64_MAX},
        {15, (UINT64_C(1) << 60) - 1, UINT64_MAX - 15},
        {21, UINT64_MAX, UINT64_C(1) << 63},
        {21, UINT64_MAX - 1, UINT64_MAX / 2},
        {25, UINT64_MAX, UINT64_C(1) << 62},
        {27, UINT64_MAX, UINT64_C(13835058055282163712)}, /* 6 (2^64 - 1) / 8, up */
        {8, UINT64_MAX, 0},
        {0, UINT64_MAX, 0},
    };
    for (size_t i = 0; i < NPART__COUNT(rows); i++)
        CHECK(npart__type_bytes(rows[i].number, rows[i].elements) == rows[i].bytes);
}

static void test_types__names_for_callers(void)
{
    CHECK_TEXT(npart_element_type_text(1), "float32");
    CHECK_TEXT(npart_element_type_text(16), "bfloat16");
    CHECK(!npart_element_type_text(0) && !npart_element_type_text(-1) && !npart_element_type_text(1000));
}

TESTS(test_types__names_for_callers, test_types__each_has_its_names_and_width, test_types__numbers_beyond_are_undefined,
      test_types__names_in_any_letters, test_types__names_end_where_their_length_says,
      test_types__bytes_are_rounded_up, test_types__bytes_that_do_not_fit)
