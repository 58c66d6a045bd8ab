/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensors: whether their data fits dims and type, for every type in every field that can hold it; external data; sparse
 * ones; and the numbers read from them.
 */
#include <math.h>

#include "support/built.h"
#include "support/proto_writer.h"
#include "support/test.h"

static struct built built;
static struct npart__graph *const graph = &built.graph;

enum {
    FLOAT = 1, UINT8, INT8, UINT16, INT16, INT32, INT64, STRING, BOOL, FLOAT16, DOUBLE, UINT32, UINT64, COMPLEX64,
    COMPLEX128, BFLOAT16, FLOAT8, UINT4 = 21, INT4, FLOAT4, FLOAT8E8M0, UINT2, INT2, FLOAT6, LAST_TYPE = 28
};

/* Builds the small model with this initializer, which is freed, and returns what became of it. */
static const struct npart__tensor *open_tensor(struct bytes *tensor)
{
    struct bytes model_graph = small_graph();
    put_text(tensor, 8, "w");
    put_message(&model_graph, 5, tensor);
    struct bytes model = model_around(&model_graph);
    build_model(&built, &model);
    CHECK_TEXT(built_text(&built), "ok");
    REQUIRE(built.status == NPART_OK);
    const char *broken = broken_promise(graph);
    CHECK_TEXT(broken ? broken : "", "");
    uint32_t value = value_named(graph, "w");
    REQUIRE(value != NPART_NONE && graph->values.items[value].tensor);
    return graph->values.items[value].tensor;
}

static struct bytes tensor_of(int type, uint64_t elements)
{
    struct bytes tensor = {0};
    put_number(&tensor, 1, elements);
    put_number(&tensor, 2, (uint64_t)type);
    return tensor;
}

static void put_zeros(struct bytes *message, unsigned field, size_t bytes)
{
    static uint8_t zeros[700000];
    REQUIRE(bytes <= sizeof zeros);
    put_bytes(message, field, zeros, bytes);
}

/* ---- sizes --------------------------------------------------------------------------------------------------- */

/* onnx.proto: the field where numbers of a type stand, how many of them make an element, how many elements one holds.
 */
static const struct {
    int type;
    unsigned field, width; /* of a number in the field; 0: varints */
    unsigned per_element, elements_in_one;
} typed[] = {
    {FLOAT, 4, 4, 1, 1},     {UINT8, 5, 0, 1, 1},       {INT8, 5, 0, 1, 1},     {UINT16, 5, 0, 1, 1},
    {INT16, 5, 0, 1, 1},     {INT32, 5, 0, 1, 1},       {INT64, 7, 0, 1, 1},    {BOOL, 5, 0, 1, 1},
    {FLOAT16, 5, 0, 1, 1},   {DOUBLE, 10, 8, 1, 1},     {UINT32, 11, 0, 1, 1},  {UINT64, 11, 0, 1, 1},
    {COMPLEX64, 4, 4, 2, 1}, {COMPLEX128, 10, 8, 2, 1}, {BFLOAT16, 5, 0, 1, 1}, {FLOAT8, 5, 0, 1, 1},
    {UINT4, 5, 0, 1, 2},     {INT4, 5, 0, 1, 2},        {FLOAT4, 5, 0, 1, 2},   {FLOAT8E8M0, 5, 0, 1, 1},
    {UINT2, 5, 0, 1, 4},     {INT2, 5, 0, 1, 4},        {FLOAT6, 5, 0, 1, 1},
};

static void check_place(struct bytes *tensor, enum npart__tensor_place wanted, int type, uint64_t elements)
{
    const struct npart__tensor *found = open_tensor(tensor);
    CHECK_INT(found->place, wanted);
    CHECK_INT(graph->findings.count, wanted == NPART__TENSOR_BROKEN);
    if (found->place != wanted)
        fprintf(stderr, "type %d, %llu elements\n", type, (unsigned long long)elements);
    CHECK_INT(found->element_type, type);
    CHECK_INT(found->elements, elements);
    CHECK_INT(found->bytes, npart__type_bytes(type, elements));
    CHECK_INT(graph->weight_bytes, found->bytes);
    CHECK_TEXT(found->name, "w");
    built_close(&built);
}

static void test_graph_tensors__raw_data_of_every_type(void)
{
    static const uint64_t counts[] = {0, 1, 3, 4, 7, 1000, 40000};
    for (int type = 1; type <= LAST_TYPE; type++) {
        for (size_t i = 0; type != STRING && i < NPART__COUNT(counts); i++) {
            size_t bytes = (size_t)npart__type_bytes(type, counts[i]);
            enum npart__tensor_place good = bytes > (type == INT64 ? 65536 : 4096) ? NPART__TENSOR_ELIDED
                                                                                    : NPART__TENSOR_INLINE;
            for (int off = -1; off <= 1; off++) {
                if (off < 0 && bytes == 0)
                    continue;
                struct bytes tensor = tensor_of(type, counts[i]);
                put_zeros(&tensor, 9, bytes + (size_t)off);
                bool fits = off == 0;
                if (type >= FLOAT6 && bytes + (size_t)off == counts[i]) /* a byte each is as good */
                    fits = true;
                check_place(&tensor, fits ? good : NPART__TENSOR_BROKEN, type, counts[i]);
            }
        }
    }
}

static void test_graph_tensors__float6_byte_by_byte(void)
{
    for (int type = FLOAT6; type <= LAST_TYPE; type++) {
        struct bytes tensor = tensor_of(type, 100);
        put_zeros(&tensor, 9, 100);
        check_place(&tensor, NPART__TENSOR_INLINE, type, 100);
        tensor = tensor_of(type, 100);
        put_zeros(&tensor, 9, 75);
        check_place(&tensor, NPART__TENSOR_INLINE, type, 100);
        tensor = tensor_of(type, 10000);
        put_zeros(&tensor, 9, 10000);
        check_place(&tensor, NPART__TENSOR_ELIDED, type, 10000);
    }
}

/* `numbers` of them in the field of the type, packed or one by one. */
static struct bytes typed_tensor(size_t row, uint64_t elements, uint64_t numbers, bool is_packed)
{
    struct bytes tensor = tensor_of(typed[row].type, elements);
    if (is_packed) {
        put_zeros(&tensor, typed[row].field, (size_t)numbers * (typed[row].width ? typed[row].width : 1));
        return tensor;
    }
    for (uint64_t i = 0; i < numbers; i++) {
        put_tag(&tensor, typed[row].field, typed[row].width == 4   ? WIRE_FIXED32
                                           : typed[row].width == 8 ? WIRE_FIXED64
                                                                   : WIRE_VARINT);
        put_padded_varint(&tensor, 0, 1);
        for (unsigned k = 1; k < typed[row].width; k++)
            put_padded_varint(&tensor, 0, 1);
    }
    return tensor;
}

static void test_graph_tensors__typed_data_of_every_type(void)
{
    static const uint64_t counts[] = {0, 1, 5, 8, 9, 200};
    for (size_t row = 0; row < NPART__COUNT(typed); row++) {
        for (size_t i = 0; i < NPART__COUNT(counts); i++) {
            uint64_t exact = counts[i] * typed[row].per_element;
            uint64_t packed = (counts[i] + typed[row].elements_in_one - 1) / typed[row].elements_in_one;
            for (uint64_t numbers = 0; numbers <= exact + 1;
                 numbers += numbers + 2 < packed ? packed - 2 - numbers : 1) {
                bool fits = numbers == exact || (typed[row].elements_in_one > 1 && numbers == packed);
                for (int is_packed = 0; is_packed < 2; is_packed++) {
                    struct bytes tensor = typed_tensor(row, counts[i], numbers, is_packed);
                    check_place(&tensor, fits ? NPART__TENSOR_INLINE : NPART__TENSOR_BROKEN, typed[row].type,
                                counts[i]);
                }
            }
        }
    }
}

/* Left out by the scan: fixed-width numbers and single ones are counted, packed varints are taken on trust. */
static void test_graph_tensors__typed_data_left_out(void)
{
    enum { MANY = 70000 };
    for (size_t row = 0; row < NPART__COUNT(typed); row++) {
        for (int is_packed = 0; is_packed < 2; is_packed++) {
            bool is_counted = !is_packed || typed[row].width;
            uint64_t elements = is_packed && typed[row].width ? 20000 : MANY;
            for (int off = -1; off <= 1; off++) {
                uint64_t numbers = elements * typed[row].per_element + (uint64_t)(int64_t)off;
                struct bytes tensor = typed_tensor(row, elements, numbers, is_packed);
                check_place(&tensor, off && is_counted ? NPART__TENSOR_BROKEN : NPART__TENSOR_ELIDED, typed[row].type,
                            elements);
            }
        }
    }
}

static void test_graph_tensors__strings(void)
{
    for (uint64_t there = 0; there < 4; there++) {
        struct bytes tensor = tensor_of(STRING, 2);
        for (uint64_t i = 0; i < there; i++)
            put_text(&tensor, 6, "text");
        check_place(&tensor, there == 2 ? NPART__TENSOR_INLINE : NPART__TENSOR_BROKEN, STRING, 2);
    }
    struct bytes tensor = tensor_of(STRING, 3);
    put_zeros(&tensor, 6, 3000);
    put_zeros(&tensor, 6, 3000);
    put_zeros(&tensor, 6, 3000);
    check_place(&tensor, NPART__TENSOR_ELIDED, STRING, 3);
    tensor = tensor_of(STRING, 2);
    put_zeros(&tensor, 9, 2); /* raw bytes are no strings */
    check_place(&tensor, NPART__TENSOR_BROKEN, STRING, 2);
}

/* Data of the right amount in a field of another type is no data. */
static void test_graph_tensors__data_in_the_wrong_field(void)
{
    static const struct {
        int type;
        unsigned field;
        size_t elements, bytes;
    } rows[] = {
        {FLOAT, 10, 2, 16}, {DOUBLE, 4, 2, 8}, {INT64, 5, 2, 2}, {INT32, 7, 2, 2},
        {FLOAT, 10, 20000, 160000}, {DOUBLE, 4, 20000, 80000}, {FLOAT, 5, 70000, 70000},
    };
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        struct bytes tensor = tensor_of(rows[i].type, rows[i].elements);
        put_zeros(&tensor, rows[i].field, rows[i].bytes);
        check_place(&tensor, NPART__TENSOR_BROKEN, rows[i].type, rows[i].elements);
    }
}

/* ---- dims ---------------------------------------------------------------------------------------------------- */

static void test_graph_tensors__dims(void)
{
    struct bytes tensor = {0};
    for (uint64_t dim = 2; dim <= 4; dim++)
        put_number(&tensor, 1, dim);
    put_number(&tensor, 2, INT8);
    put_zeros(&tensor, 9, 24);
    const struct npart__tensor *found = open_tensor(&tensor);
    CHECK_INT(found->rank, 3);
    CHECK(found->dims[0] == 2 && found->dims[1] == 3 && found->dims[2] == 4);
    CHECK_INT(found->elements, 24);
    CHECK(!found->is_sparse);
    built_close(&built);
    put_number(&tensor, 2, FLOAT); /* no dims: one element */
    put_zeros(&tensor, 9, 4);
    check_place(&tensor, NPART__TENSOR_INLINE, FLOAT, 1);
}

static void test_graph_tensors__dims_that_cannot_be(void)
{
    static const struct {
        int type;
        uint64_t dims[3];
    } rows[] = {
        {FLOAT, {2, UINT64_MAX, 3}}, /* -1 */
        {FLOAT, {UINT64_C(1) << 63, 1, 1}},
        {FLOAT, {UINT64_C(1) << 32, UINT64_C(1) << 32, 1}},
        {FLOAT, {UINT64_C(1) << 31, UINT64_C(1) << 31, 1}}, /* 2^62 elements, 2^64 bytes */
        {DOUBLE, {UINT64_C(1) << 31, UINT64_C(1) << 30, 1}},
    };
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        struct bytes tensor = {0};
        for (int k = 0; k < 3; k++)
            put_number(&tensor, 1, rows[i].dims[k]);
        put_number(&tensor, 2, (uint64_t)rows[i].type);
        put_zeros(&tensor, 9, 8);
        const struct npart__tensor *found = open_tensor(&tensor);
        CHECK_INT(found->place, NPART__TENSOR_BROKEN);
        CHECK_TEXT(finding_text(graph, "tensor-data", 0),
                   "tensor \"w\": its dims are negative or too large (0 bytes by dims, 0 found) (w)");
        CHECK_INT(graph->weight_bytes, 0);
        built_close(&built);
    }
}

static void test_graph_tensors__the_highest_rank(void)
{
    for (size_t rank = 65535; rank <= 65536; rank++) {
        struct bytes tensor = {0}, dims = {0};
        for (size_t i = 0; i < rank; i++)
            bytes_put(&dims, "\x01", 1);
        put_message(&tensor, 1, &dims);
        put_number(&tensor, 2, INT8);
        put_zeros(&tensor, 9, 1);
        const struct npart__tensor *found = open_tensor(&tensor);
        CHECK_INT(found->place, rank <= 65535 ? NPART__TENSOR_INLINE : NPART__TENSOR_BROKEN);
        CHECK_INT(found->rank, rank <= 65535 ? rank : 0);
        built_close(&built);
    }
}

static void test_graph_tensors__types_that_do_not_exist(void)
{
    static const uint64_t types[] = {0, 29, 255, 257, UINT64_MAX};
    for (size_t i = 0; i < NPART__COUNT(types); i++) {
        struct bytes tensor = tensor_of(0, 2);
        put_number(&tensor, 2, types[i]);
        put_zeros(&tensor, 9, 8);
        const struct npart__tensor *found = open_tensor(&tensor);
        CHECK_INT(found->place, NPART__TENSOR_BROKEN);
        CHECK_INT(found->element_type, 0);
        CHECK_TEXT(finding_text(graph, "tensor-data", 0),
                   "tensor \"w\": its element type is unknown (0 bytes by dims, 0 found) (w)");
        built_close(&built);
    }
}

/* What hostile files claim adds up to the most there is, not to a little. */
static void test_graph_tensors__sums_of_sizes_do_not_wrap(void)
{
    struct bytes model_graph = small_graph();
    for (int i = 0; i < 4; i++) {
        struct bytes tensor = tensor_of(UINT8, UINT64_MAX >> 1), entry = {0};
        char name[16];
        (void)snprintf(name, sizeof name, "w%d", i);
        put_text(&tensor, 8, name);
        put_text(&entry, 1, "location");
        put_text(&entry, 2, "weights.bin");
        put_message(&tensor, 13, &entry);
        put_number(&tensor, 14, 1);
        put_message(&model_graph, 5, &tensor);
    }
    struct bytes model = model_around(&model_graph);
    build_model(&built, &model);
    CHECK_TEXT(built_text(&built), "ok");
    CHECK_INT(graph->findings.count, 0);
    CHECK(graph->weight_bytes == UINT64_MAX);
    built_close(&built);
}

/* ---- external data ------------------------------------------------------------------------------------------- */

static void test_graph_tensors__external_data(void)
{
#define MISFIT "its external length does not fit its dims and type (40 bytes by dims, "
    static const struct {
        const char *entries[8];
        const char *problem; /* "": none */
    } rows[] = {
        {{"location", "w.bin", "length", "40", "offset", "4096"}, ""},
        {{"location", "w.bin", "length", "40"}, ""},
        {{"location", "w.bin", "offset", "4096"}, ""},
        {{"location", "w.bin"}, ""},
        {{"location", "w.bin", "checksum", "?", "length", "40"}, ""},
        {{"length", "40", "location", "first", "location", "second"}, ""},
        {{"location", "w.bin", "length", "39"}, MISFIT "39 found)"},
        {{"location", "w.bin", "length", "41"}, MISFIT "41 found)"},
        {{"location", "w.bin", "length", "0"}, MISFIT "0 found)"},
        {{"location", "w.bin", "length", "18446744073709551615", "offset", "0"}, MISFIT "18446744073709551615 found)"},
        {{"location", "w.bin", "length", ""}, "its external length is not a number (40 bytes by dims, 0 found)"},
        {{"location", "w.bin", "length", "-40"}, "its external length is not a number (40 bytes by dims, 0 found)"},
        {{"location", "w.bin", "length", "40 "}, "its external length is not a number (40 bytes by dims, 0 found)"},
        {{"location", "w.bin", "length", "18446744073709551616"},
         "its external length is not a number (40 bytes by dims, 0 found)"},
        {{"location", "w.bin", "length", "40", "offset", "x"},
         "its external offset is not a number (40 bytes by dims, 40 found)"},
        {{"location", "w.bin", "length", "40", "offset", "18446744073709551575"}, ""}, /* ends at 2^64 - 1 */
        {{"location", "w.bin", "length", "40", "offset", "18446744073709551576"},
         "its external offset and length overflow (40 bytes by dims, 40 found)"},
        {{"length", "40"}, "it names no external file (40 bytes by dims, 40 found)"},
        {{"location", "", "length", "40"}, "it names no external file (40 bytes by dims, 40 found)"},
        {{NULL}, "it names no external file (40 bytes by dims, 0 found)"},
    };
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        char wanted[300] = "";
        struct bytes tensor = tensor_of(FLOAT, 10);
        for (size_t k = 0; k < 8 && rows[i].entries[k]; k += 2) {
            struct bytes entry = {0};
            put_text(&entry, 1, rows[i].entries[k]);
            put_text(&entry, 2, rows[i].entries[k + 1]);
            put_message(&tensor, 13, &entry);
        }
        put_number(&tensor, 14, 1);
        const struct npart__tensor *found = open_tensor(&tensor);
        CHECK_INT(found->place, *rows[i].problem ? NPART__TENSOR_BROKEN : NPART__TENSOR_EXTERNAL);
        if (*rows[i].problem)
            (void)snprintf(wanted, sizeof wanted, "tensor \"w\": %s (w)", rows[i].problem);
        CHECK_TEXT(finding_text(graph, "tensor-data", 0), wanted);
        CHECK_INT(graph->weight_bytes, 40);
        built_close(&built);
    }
}

/* Entries without the location said to be external mean nothing. */
static void test_graph_tensors__entries_of_a_tensor_that_is_here(void)
{
    struct bytes tensor = tensor_of(INT8, 2), entry = {0};
    put_text(&entry, 1, "length");
    put_text(&entry, 2, "9");
    put_message(&tensor, 13, &entry);
    put_number(&tensor, 14, 0);
    put_zeros(&tensor, 9, 2);
    check_place(&tensor, NPART__TENSOR_INLINE, INT8, 2);
}

/* ---- sparse -------------------------------------------------------------------------------------------------- */

static const struct npart__tensor *open_sparse(struct bytes *values, uint64_t rows, uint64_t columns)
{
    struct bytes model_graph = small_graph(), sparse = {0}, indices = tensor_of(INT64, 3);
    if (values) {
        put_text(values, 8, "w");
        put_message(&sparse, 1, values);
    }
    put_zeros(&indices, 7, 3);
    put_message(&sparse, 2, &indices);
    put_number(&sparse, 3, rows);
    put_number(&sparse, 3, columns);
    put_message(&model_graph, 15, &sparse);
    struct bytes model = model_around(&model_graph);
    build_model(&built, &model);
    CHECK_TEXT(built_text(&built), "ok");
    uint32_t value = value_named(graph, values ? "w" : "");
    REQUIRE(value != NPART_NONE && graph->values.items[value].tensor);
    return graph->values.items[value].tensor;
}

static void test_graph_tensors__sparse_ones(void)
{
    int64_t numbers[4];
    struct bytes values = tensor_of(FLOAT, 3);
    put_zeros(&values, 9, 12);
    const struct npart__tensor *found = open_sparse(&values, 10, 20);
    CHECK(found->is_sparse);
    CHECK_INT(found->element_type, FLOAT);
    CHECK_INT(found->rank, 2);
    CHECK_INT(found->elements, 200);
    CHECK_INT(found->bytes, 800);
    CHECK_INT(found->place, NPART__TENSOR_ELIDED); /* its dense form is nowhere to be read */
    CHECK(!npart__tensor_int64s(found, numbers, 4));
    CHECK_INT(graph->findings.count, 1);
    CHECK_TEXT(finding_text(graph, "sparse", 0),
               "1 sparse weight is planned dense, as ONNX Runtime makes them when it loads them (w)");
    CHECK_INT(graph->weight_bytes, 800);
    built_close(&built);
}

static void test_graph_tensors__sparse_ones_that_cannot_be(void)
{
    struct bytes values = tensor_of(FLOAT, 3);
    put_zeros(&values, 9, 12);
    const struct npart__tensor *found = open_sparse(&values, 10, UINT64_MAX);
    CHECK_INT(found->place, NPART__TENSOR_BROKEN);
    CHECK_TEXT(finding_text(graph, "tensor-data", 0),
               "tensor \"w\": its dims are negative or too large (0 bytes by dims, 0 found) (w)");
    built_close(&built);
    values = tensor_of(FLOAT, 3);
    put_zeros(&values, 9, 11);
    found = open_sparse(&values, 10, 20);
    CHECK_INT(found->place, NPART__TENSOR_BROKEN);
    CHECK_INT(graph->findings.count, 2);
    built_close(&built);
    found = open_sparse(NULL, 10, 20); /* no values at all */
    CHECK_INT(found->place, NPART__TENSOR_BROKEN);
    CHECK_INT(graph->findings.count, 2);
    built_close(&built);
}

/* ---- numbers ------------------------------------------------------------------------------------------------- */

/* Bytes in raw_data, and the numbers they are. */
static void test_graph_tensors__integers_from_raw_data(void)
{
    static const struct {
        int type;
        uint64_t elements;
        const char *raw;
        int64_t wanted[4];
    } rows[] = {
        {INT8, 4, "\x00\x7f\x80\xff", {0, 127, -128, -1}},
        {UINT8, 4, "\x00\x7f\x80\xff", {0, 127, 128, 255}},
        {BOOL, 3, "\x00\x01\x01", {0, 1, 1}},
        {INT16, 3, "\x01\x00\x00\x80\xff\xff", {1, -32768, -1}},
        {UINT16, 3, "\x01\x02\x00\x80\xff\xff", {513, 32768, 65535}},
        {INT32, 2, "\x04\x03\x02\x01\xff\xff\xff\xff", {16909060, -1}},
        {UINT32, 2, "\x04\x03\x02\x01\xff\xff\xff\xff", {16909060, 4294967295}},
        {INT64, 2, "\xff\xff\xff\xff\xff\xff\xff\x7f\x00\x00\x00\x00\x00\x00\x00\x80", {INT64_MAX, INT64_MIN}},
        {UINT64, 1, "\xff\xff\xff\xff\xff\xff\xff\x7f", {INT64_MAX}},
        {UINT4, 3, "\x21\xff", {1, 2, 15}}, /* the low half first */
        {INT4, 4, "\x87\xf0", {7, -8, 0, -1}},
        {UINT2, 4, "\xe4", {0, 1, 2, 3}},
        {INT2, 4, "\xe4", {0, 1, -2, -1}},
    };
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        struct bytes tensor = tensor_of(rows[i].type, rows[i].elements);
        put_bytes(&tensor, 9, rows[i].raw, (size_t)npart__type_bytes(rows[i].type, rows[i].elements));
        const struct npart__tensor *found = open_tensor(&tensor);
        int64_t integers[4];
        double doubles[4];
        REQUIRE(npart__tensor_int64s(found, integers, rows[i].elements));
        REQUIRE(npart__tensor_doubles(found, doubles, 4));
        for (uint64_t k = 0; k < rows[i].elements; k++) {
            CHECK_INT(integers[k], rows[i].wanted[k]);
            CHECK(doubles[k] == (double)rows[i].wanted[k]);
        }
        CHECK(!npart__tensor_int64s(found, integers, rows[i].elements - 1)); /* more than there is room for */
        CHECK(!npart__tensor_doubles(found, doubles, rows[i].elements - 1));
        built_close(&built);
    }
}

static void test_graph_tensors__integers_from_typed_fields(void)
{
    static const struct {
        int type;
        unsigned field;
        size_t numbers;
        int64_t stored[4];
        uint64_t elements;
        int64_t wanted[4];
    } rows[] = {
        {INT64, 7, 3, {INT64_MIN, -1, INT64_MAX}, 3, {INT64_MIN, -1, INT64_MAX}},
        {INT32, 5, 2, {-5, INT32_MAX}, 2, {-5, INT32_MAX}},
        {INT16, 5, 2, {-5, 32767}, 2, {-5, 32767}},
        {INT8, 5, 2, {-5, 127}, 2, {-5, 127}},
        {INT8, 5, 2, {251, 127}, 2, {-5, 127}}, /* some write the bits */
        {UINT8, 5, 2, {200, 0}, 2, {200, 0}},
        {UINT16, 5, 2, {65535, 1}, 2, {65535, 1}},
        {BOOL, 5, 2, {1, 0}, 2, {1, 0}},
        {UINT32, 11, 2, {4294967295, 1}, 2, {4294967295, 1}},
        {UINT64, 11, 2, {INT64_MAX, 1}, 2, {INT64_MAX, 1}},
        {INT4, 5, 2, {0x87, 0x0f}, 3, {7, -8, -1}},  /* two in one */
        {INT4, 5, 3, {7, 8, 15}, 3, {7, -8, -1}},    /* one each */
        {UINT4, 5, 2, {0x87, 0x0f}, 3, {7, 8, 15}},
        {UINT2, 5, 1, {0xe4}, 4, {0, 1, 2, 3}},
        {INT2, 5, 1, {0xe4}, 4, {0, 1, -2, -1}},
    };
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        struct bytes tensor = tensor_of(rows[i].type, rows[i].elements);
        for (size_t k = 0; k < rows[i].numbers; k++)
            put_number(&tensor, rows[i].field, (uint64_t)rows[i].stored[k]);
        const struct npart__tensor *found = open_tensor(&tensor);
        int64_t integers[4];
        REQUIRE(npart__tensor_int64s(found, integers, 4));
        for (uint64_t k = 0; k < rows[i].elements; k++)
            CHECK_INT(integers[k], rows[i].wanted[k]);
        built_close(&built);
    }
}

/* All or none: one that does not fit in int64 spoils the rest. */
static void test_graph_tensors__unsigned_beyond_int64(void)
{
    for (int is_raw = 0; is_raw < 2; is_raw++) {
        struct bytes tensor = tensor_of(UINT64, 2);
        if (is_raw) {
            put_bytes(&tensor, 9, "\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80", 16);
        } else {
            put_number(&tensor, 11, 1);
            put_number(&tensor, 11, UINT64_C(1) << 63);
        }
        const struct npart__tensor *found = open_tensor(&tensor);
        int64_t integers[2];
        CHECK(!npart__tensor_int64s(found, integers, 2));
        double doubles[2];
        REQUIRE(npart__tensor_doubles(found, doubles, 2));
        CHECK(doubles[0] == 1 && doubles[1] == 9223372036854775808.0);
        built_close(&built);
    }
}

static void test_graph_tensors__floating_point(void)
{
    static const struct {
        int type;
        unsigned field; /* 9: raw */
        const char *raw;
        uint64_t stored;
        double wanted;
    } rows[] = {
        {FLOAT, 9, "\x00\x00\xc0\x3f", 0, 1.5},
        {DOUBLE, 9, "\x00\x00\x00\x00\x00\x00\xf8\xbf", 0, -1.5},
        {FLOAT16, 9, "\x00\x3e", 0, 1.5},
        {FLOAT16, 9, "\x01\x00", 0, 5.960464477539063e-08},  /* the smallest */
        {FLOAT16, 9, "\xff\x03", 0, 6.097555160522461e-05},  /* the largest subnormal */
        {FLOAT16, 9, "\x00\x04", 0, 6.103515625e-05},        /* the smallest normal */
        {FLOAT16, 9, "\xff\x7b", 0, 65504},
        {FLOAT16, 9, "\x00\x80", 0, 0},
        {FLOAT16, 9, "\x00\xfc", 0, -INFINITY},
        {BFLOAT16, 9, "\xc0\x3f", 0, 1.5},
        {BFLOAT16, 9, "\x80\xff", 0, -INFINITY},
        {FLOAT16, 5, NULL, 0x3e00, 1.5},
        {FLOAT16, 5, NULL, 0xbe00, -1.5},
        {BFLOAT16, 5, NULL, 0x3fc0, 1.5},
    };
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        struct bytes tensor = tensor_of(rows[i].type, 1);
        if (rows[i].raw)
            put_bytes(&tensor, 9, rows[i].raw, npart__type_bits(rows[i].type) / 8);
        else
            put_number(&tensor, rows[i].field, rows[i].stored);
        const struct npart__tensor *found = open_tensor(&tensor);
        double number;
        int64_t integer;
        REQUIRE(npart__tensor_doubles(found, &number, 1));
        CHECK(number == rows[i].wanted);
        CHECK(!npart__tensor_int64s(found, &integer, 1));
        built_close(&built);
    }
}

static void test_graph_tensors__floats_from_typed_fields(void)
{
    struct bytes tensor = tensor_of(FLOAT, 2);
    put_bytes(&tensor, 4, "\x00\x00\xc0\x3f\x00\x00\x80\x7f", 8);
    double numbers[2];
    REQUIRE(npart__tensor_doubles(open_tensor(&tensor), numbers, 2));
    CHECK(numbers[0] == 1.5 && isinf(numbers[1]));
    built_close(&built);
    tensor = tensor_of(DOUBLE, 1);
    put_bytes(&tensor, 10, "\x9a\x99\x99\x99\x99\x99\xb9\x3f", 8);
    REQUIRE(npart__tensor_doubles(open_tensor(&tensor), numbers, 2));
    CHECK(numbers[0] == 0.1);
    built_close(&built);
    tensor = tensor_of(FLOAT16, 1);
    put_bytes(&tensor, 9, "\x01\x7e", 2);
    REQUIRE(npart__tensor_doubles(open_tensor(&tensor), numbers, 2));
    CHECK(isnan(numbers[0]));
    built_close(&built);
}

/* What is not here, or of no number's type, has no numbers. */
static void test_graph_tensors__no_numbers(void)
{
    static const int types[] = {STRING, COMPLEX64, COMPLEX128, FLOAT8, FLOAT4, FLOAT8E8M0, FLOAT6};
    int64_t integer;
    double number;
    for (size_t i = 0; i < NPART__COUNT(types); i++) {
        struct bytes tensor = tensor_of(types[i], 1);
        if (types[i] == STRING)
            put_text(&tensor, 6, "1");
        else
            put_zeros(&tensor, 9, (size_t)npart__type_bytes(types[i], 1));
        const struct npart__tensor *found = open_tensor(&tensor);
        CHECK_INT(found->place, NPART__TENSOR_INLINE);
        CHECK(!npart__tensor_int64s(found, &integer, 1));
        CHECK(!npart__tensor_doubles(found, &number, 1));
        built_close(&built);
    }
    static int64_t many[100000];
    struct bytes tensor = tensor_of(INT64, 9000);
    put_zeros(&tensor, 9, 72000); /* left out */
    CHECK(!npart__tensor_int64s(open_tensor(&tensor), many, 100000));
    built_close(&built);
    tensor = tensor_of(INT64, 2);
    put_zeros(&tensor, 9, 8); /* half is missing */
    CHECK(!npart__tensor_int64s(open_tensor(&tensor), many, 100));
    built_close(&built);
    tensor = tensor_of(INT64, 8192); /* the most that is kept */
    put_zeros(&tensor, 9, 65536);
    CHECK(npart__tensor_int64s(open_tensor(&tensor), many, 8192));
    built_close(&built);
}

TESTS(test_graph_tensors__raw_data_of_every_type, test_graph_tensors__float6_byte_by_byte,
      test_graph_tensors__typed_data_of_every_type, test_graph_tensors__typed_data_left_out,
      test_graph_tensors__strings, test_graph_tensors__data_in_the_wrong_field, test_graph_tensors__dims,
      test_graph_tensors__dims_that_cannot_be, test_graph_tensors__the_highest_rank,
      test_graph_tensors__types_that_do_not_exist, test_graph_tensors__sums_of_sizes_do_not_wrap,
      test_graph_tensors__external_data, test_graph_tensors__entries_of_a_tensor_that_is_here,
      test_graph_tensors__sparse_ones, test_graph_tensors__sparse_ones_that_cannot_be,
      test_graph_tensors__integers_from_raw_data, test_graph_tensors__integers_from_typed_fields,
      test_graph_tensors__unsigned_beyond_int64, test_graph_tensors__floating_point,
      test_graph_tensors__floats_from_typed_fields, test_graph_tensors__no_numbers)
