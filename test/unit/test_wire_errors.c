/* SPDX-License-Identifier: Apache-2.0
 *
 * What the scan says of broken input: each message with its byte, from memory, a file and a stream; every truncation
 * and many small damages of good models; and that whatever it lets pass is well formed.
 */
#include "support/proto_writer.h"
#include "support/scanned.h"
#include "support/test.h"

#define DOUBT ": is this an ONNX model?"

struct row {
    const char *bytes;
    size_t size;
    const char *wanted;
};

#define ROW(bytes, wanted) {bytes, sizeof bytes - 1, wanted}

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int failures = test_failures;
        struct scanned memory = scan_memory(rows[i].bytes, rows[i].size, NULL);
        CHECK_TEXT(scanned_text(&memory), rows[i].wanted);
        struct scanned file = scan_file(rows[i].bytes, rows[i].size, NULL);
        CHECK_TEXT(scanned_text(&file), rows[i].wanted);
        for (size_t piece = 0; piece < 3; piece++) {
            struct scanned stream = scan_stream(rows[i].bytes, rows[i].size, piece, NULL);
            CHECK_TEXT(scanned_text(&stream), rows[i].wanted);
            scanned_close(&stream);
        }
        scanned_close(&memory);
        scanned_close(&file);
        if (failures != test_failures)
            fprintf(stderr, "in row %zu\n", i);
    }
}

static void test_wire_errors__no_model_at_all(void)
{
    static const struct row rows[] = {
        ROW("", "malformed, byte 0: the input is empty"),
        ROW("\x08\x07", "malformed: holds no graph: not an ONNX model"),
        ROW("hello world\n", "malformed, byte 2: not an ONNX model, but a text file (108 is no protobuf field tag)"),
        ROW("{\"a\": 1}\n", "malformed, byte 0: not an ONNX model, but JSON text (123 is no protobuf field tag)"),
        ROW("#!/bin/sh\n", "malformed, byte 0: not an ONNX model, but a text file (35 is no protobuf field tag)"),
        ROW("\x42\x02\x10\x11", "malformed: holds no graph: not an ONNX model"),
        ROW("\x3a\x00", "ok"), /* an empty graph is one */
    };
    check_rows(rows, NPART__COUNT(rows));
}

static void test_wire_errors__varints(void)
{
    static const struct row rows[] = {
        ROW("\x80", "malformed, byte 0: a field tag is cut off" DOUBT),
        ROW("\x08", "malformed, byte 1: a number is cut off" DOUBT),
        ROW("\x08\x80", "malformed, byte 1: a number is cut off" DOUBT),
        ROW("\x3a", "malformed, byte 1: a length is cut off" DOUBT),
        ROW("\x3a\x00\x3a\x80", "malformed, byte 3: a length is cut off"), /* no doubt after a graph */
        ROW("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x3a\x00", "ok"), /* 2^64 - 1 */
        ROW("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\x3a\x00",
            "malformed, byte 1: a number does not fit in 64 bits" DOUBT),
        ROW("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02\x3a\x00",
            "malformed, byte 1: a number does not fit in 64 bits" DOUBT),
        ROW("\x08\x85\x80\x80\x80\x80\x80\x80\x80\x80\x00\x3a\x00", "ok"), /* padded to the full */
        ROW("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00\x3a\x00",
            "malformed, byte 1: a number has more than 10 bytes" DOUBT),
        ROW("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff",
            "malformed, byte 0: a field tag has more than 10 bytes" DOUBT),
        ROW("\x88\xff\xff\xff\xff\xff\xff\xff\xff\x02",
            "malformed, byte 0: a field tag does not fit in 64 bits" DOUBT),
        ROW("\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02",
            "malformed, byte 1: a length does not fit in 64 bits" DOUBT),
        ROW("\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
            "malformed, byte 1: a length has more than 10 bytes" DOUBT),
    };
    check_rows(rows, NPART__COUNT(rows));
}

static void test_wire_errors__tags(void)
{
    static const struct row rows[] = {
        ROW("\x00\x00", "malformed, byte 0: 0 is no protobuf field tag" DOUBT), /* field 0 */
        ROW("\x02\x00", "malformed, byte 0: 2 is no protobuf field tag" DOUBT),
        ROW("\x0b\x0c\x3a\x00", "malformed, byte 0: 11 is no protobuf field tag" DOUBT), /* a group begins */
        ROW("\x3a\x00\x0c", "malformed, byte 2: 12 is no protobuf field tag"), /* and ends */
        ROW("\xa3\x06\xa4\x06\x3a\x00", "malformed, byte 0: 803 is no protobuf field tag" DOUBT),
        ROW("\x0e", "malformed, byte 0: 14 is no protobuf field tag" DOUBT), /* wire types 6 and 7 */
        ROW("\x0f", "malformed, byte 0: 15 is no protobuf field tag" DOUBT),
        ROW("\x88\x80\x80\x80\x00\x05\x3a\x00", "ok"), /* a tag padded to five bytes */
        ROW("\x88\x80\x80\x80\x80\x00\x05\x3a\x00", "malformed, byte 0: 8 is no protobuf field tag" DOUBT),
        ROW("\xf8\xff\xff\xff\x0f\x05\x3a\x00", "ok"), /* the highest field number, 2^29 - 1 */
        ROW("\x88\x80\x80\x80\x10\x05\x3a\x00", "malformed, byte 0: 4294967304 is no protobuf field tag" DOUBT),
        ROW("\x3a\x03\x12\x00\x00", "malformed, byte 4: 0 is no protobuf field tag"),
    };
    check_rows(rows, NPART__COUNT(rows));
}

static void test_wire_errors__wire_types(void)
{
    static const struct row rows[] = {
        ROW("\x0d\x01\x00\x00\x00\x3a\x00", "malformed, byte 0: ModelProto.ir_version has wire type 5" DOUBT),
        ROW("\x09\x01\x00\x00\x00\x00\x00\x00\x00", "malformed, byte 0: ModelProto.ir_version has wire type 1" DOUBT),
        /* A number that does not repeat cannot be packed. */
        ROW("\x3a\x00\x0a\x01\x07", "malformed, byte 2: ModelProto.ir_version has wire type 2"),
        ROW("\x10\x01\x3a\x00", "malformed, byte 0: ModelProto.producer_name has wire type 0" DOUBT),
        ROW("\x38\x00", "malformed, byte 0: ModelProto.graph has wire type 0" DOUBT),
        ROW("\x3a\x02\x08\x00", "malformed, byte 2: GraphProto.node has wire type 0"),
        /* graph { initializer { raw_data as a varint } } */
        ROW("\x3a\x04\x2a\x02\x48\x00", "malformed, byte 4: TensorProto.raw_data has wire type 0"),
        ROW("\x3a\x07\x2a\x05\x25\x00\x00\x00\x00", "ok"), /* float_data, one by one */
        ROW("\x3a\x04\x2a\x02\x20\x00", "malformed, byte 4: TensorProto.float_data has wire type 0"),
        ROW("\x3a\x04\x2a\x02\x50\x00", "malformed, byte 4: TensorProto.double_data has wire type 0"),
        ROW("\x3a\x05\x2a\x03\x12\x01\x01", "malformed, byte 4: TensorProto.data_type has wire type 2"),
        ROW("\x3a\x05\x2a\x03\x0a\x01\x01", "ok"), /* dims repeat */
        /* graph { node { attribute { f packed; i packed } } } */
        ROW("\x3a\x0a\x0a\x08\x2a\x06\x12\x04\x00\x00\x00\x00", "malformed, byte 6: AttributeProto.f has wire type 2"),
        ROW("\x3a\x07\x0a\x05\x2a\x03\x1a\x01\x05", "malformed, byte 6: AttributeProto.i has wire type 2"),
        ROW("\x3a\x07\x0a\x05\x2a\x03\x42\x01\x05", "ok"), /* ints */
    };
    check_rows(rows, NPART__COUNT(rows));
}

static void test_wire_errors__lengths(void)
{
    static const struct row rows[] = {
        ROW("\x3a\x05", "malformed, byte 0: ModelProto.graph says 5 bytes where 0 are left" DOUBT),
        ROW("\x12\x05"
            "ab",
            "malformed, byte 0: ModelProto.producer_name says 5 bytes where 2 are left" DOUBT),
        ROW("\x3a\x02\x12\x05", "malformed, byte 2: GraphProto.name says 5 bytes where 0 are left"),
        ROW("\x3a\x02\x12\x01x", "malformed, byte 2: GraphProto.name says 1 bytes where 0 are left"),
        ROW("\x3a\x01\x12\x00", "malformed, byte 3: a length is cut off"), /* though a byte is there */
        ROW("\x3a\x02\x2a\x80\x01", "malformed, byte 3: a length is cut off"),
        ROW("\xa2\x06\x05", "malformed, byte 0: ModelProto.unknown says 5 bytes where 0 are left" DOUBT),
        ROW("\x3a\x00\xa2\x06\x05", "malformed, byte 2: ModelProto.unknown says 5 bytes where 0 are left"),
        ROW("\x3a\x80\x80\x80\x80\x00", "ok"), /* padded to five bytes */
        ROW("\x3a\x80\x80\x80\x80\x80\x00", "malformed, byte 1: a length has more than 5 bytes" DOUBT),
        ROW("\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
            "malformed, byte 1: a length has more than 5 bytes" DOUBT), /* 2^64 - 1 */
        ROW("\x3a\xff\xff\xff\xff\x7f",
            "malformed, byte 0: ModelProto.graph says 34359738367 bytes where 0 are left" DOUBT),
        /* training_info, which is passed over unread */
        ROW("\x3a\x00\xa2\x01\x64", "malformed, byte 2: ModelProto.training_info says 100 bytes where 0 are left"),
    };
    check_rows(rows, NPART__COUNT(rows));
}

static void test_wire_errors__numbers_of_fixed_width(void)
{
    static const struct row rows[] = {
        /* graph { node { attribute { f } } } */
        ROW("\x3a\x07\x0a\x05\x2a\x03\x15\x00\x00", "malformed, byte 7: a number is cut off"),
        ROW("\x3a\x07\x0a\x05\x2a\x03\x15\x00\x00\x00\x00", "malformed, byte 7: a number is cut off"),
        /* graph { initializer { double_data } } */
        ROW("\x3a\x0a\x2a\x08\x51\x00\x00\x00\x00\x00\x00\x00", "malformed, byte 5: a number is cut off"),
        ROW("\x3a\x0b\x2a\x09\x51\x00\x00\x00\x00\x00\x00\x00\x00", "ok"),
        /* an unknown field of the model */
        ROW("\xa1\x06\x00", "malformed, byte 2: a number is cut off" DOUBT),
        ROW("\xa5\x06", "malformed, byte 2: a number is cut off" DOUBT),
        ROW("\xa5\x06\x01\x02\x03\x04\x3a\x00", "ok"),
    };
    check_rows(rows, NPART__COUNT(rows));
}

static void test_wire_errors__packed_numbers(void)
{
    static const struct row rows[] = {
        /* graph { initializer { dims } } */
        ROW("\x3a\x06\x2a\x04\x0a\x02\x80\x80", "malformed, byte 6: a packed number is cut off"),
        ROW("\x3a\x07\x2a\x05\x0a\x01\x80\x10\x01",
            "malformed, byte 6: packed numbers do not fill their 1 bytes"), /* runs into the next field */
        ROW("\x3a\x07\x2a\x05\x0a\x03\x01\x80\x01", "ok"),
        ROW("\x3a\x04\x2a\x02\x0a\x00", "ok"),
        /* float_data, double_data, floats of an attribute */
        ROW("\x3a\x07\x2a\x05\x22\x03\x00\x00\x00",
            "malformed, byte 6: packed numbers do not fill their 3 bytes"),
        ROW("\x3a\x08\x2a\x06\x22\x04\x00\x00\x00\x00", "ok"),
        ROW("\x3a\x08\x2a\x06\x52\x04\x00\x00\x00\x00",
            "malformed, byte 6: packed numbers do not fill their 4 bytes"),
        ROW("\x3a\x09\x0a\x07\x2a\x05\x3a\x03\x00\x00\x00",
            "malformed, byte 8: packed numbers do not fill their 3 bytes"),
        ROW("\x3a\x16\x0a\x14\x2a\x12\x42\x10\x01\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02\x01\x01\x01\x01\x01",
            "malformed, byte 9: a packed number does not fit in 64 bits"),
    };
    check_rows(rows, NPART__COUNT(rows));
}

static void test_wire_errors__texts(void)
{
    static const struct row rows[] = {
        ROW("\x3a\x05\x12\x03"
            "a\0b",
            "malformed, byte 4: GraphProto.name holds a NUL character"),
        ROW("\x12\x01\0\x3a\x00", "malformed, byte 2: ModelProto.producer_name holds a NUL character" DOUBT),
        ROW("\x3a\x05\x0a\x03\x22\x01\0", "malformed, byte 6: NodeProto.op_type holds a NUL character"),
        ROW("\x3a\x05\x12\x03\xff\xfe\x80", "ok"), /* no UTF-8, but the analysis does not read it as text */
        /* Bytes may hold anything: an attribute's s, a tensor's raw_data. */
        ROW("\x3a\x07\x0a\x05\x2a\x03\x22\x01\0", "ok"),
        ROW("\x3a\x05\x2a\x03\x4a\x01\0", "ok"),
    };
    check_rows(rows, NPART__COUNT(rows));
}

/* ---- payloads that are left out ---------------------------------------------------------------------------- */

/* graph { initializer { data_type: float; `field` with `bytes`, whose length says `said` } } */
static struct bytes model_with_payload(unsigned field, size_t bytes, size_t said)
{
    struct bytes model = {0}, graph = {0}, tensor = {0};
    put_number(&tensor, 2, 1);
    put_tag(&tensor, field, WIRE_BYTES);
    put_varint(&tensor, said);
    put_pattern(&tensor, bytes, 0);
    put_message(&graph, 5, &tensor);
    put_message(&model, 7, &graph);
    return model;
}

static void test_wire_errors__a_payload_beyond_its_message(void)
{
    struct bytes model = model_with_payload(9, 10000, 10001);
    struct scanned memory = scan_memory(model.data, model.size, NULL);
    CHECK_TEXT(scanned_text(&memory), "malformed, byte 8: TensorProto.raw_data says 10001 bytes where 10000 are left");
    scanned_close(&memory);
    bytes_free(&model);
}

/* A payload that is not kept is not read, but that it cannot be full numbers shows in its length. */
static void test_wire_errors__a_large_payload_of_no_full_numbers(void)
{
    static const struct {
        unsigned field;
        size_t bytes;
        const char *wanted;
    } rows[] = {
        {4, 10001, "malformed, byte 11: packed numbers do not fill their 10001 bytes"},
        {4, 10000, "ok"},
        {10, 10004, "malformed, byte 11: packed numbers do not fill their 10004 bytes"},
        {10, 10000, "ok"},
        {9, 10001, "ok"},
    };
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        struct bytes model = model_with_payload(rows[i].field, rows[i].bytes, rows[i].bytes);
        struct scanned memory = scan_memory(model.data, model.size, NULL);
        CHECK_TEXT(scanned_text(&memory), rows[i].wanted);
        scanned_close(&memory);
        bytes_free(&model);
    }
}

/* Where a stream ends shows only when it is read: after some bytes before, so that the end is not in sight at once. */
static void test_wire_errors__streams_that_end_early(void)
{
    static const struct {
        const char *bytes;
        size_t size, at; /* `at` counts from where the bytes begin */
        const char *wanted;
    } rows[] = {
        {"\x3a\x05", 2, 2, "a field tag is cut off"},
        {"\x3a\xff\xff\xff\xff\x7f", 6, 6, "a field tag is cut off"},
        {"\x12\x05\x61\x62", 4, 4, "the input ends inside a text" DOUBT},
        {"\xa2\x06\x05", 3, 3, "the input ends 5 bytes early" DOUBT},
        {"\x3a\x00\xa2\x06\x05", 5, 5, "the input ends 5 bytes early"},
        {"\x3a\x00\xa2\x01\x64", 5, 5, "the input ends 100 bytes early"},
        {"\xa1\x06\x00", 3, 3, "the input ends 7 bytes early" DOUBT},
        {"\xa5\x06", 2, 2, "the input ends 4 bytes early" DOUBT},
        {"\x08\x80", 2, 1, "a number is cut off" DOUBT},
        {"\x3a\x80", 2, 1, "a length is cut off" DOUBT},
        {"\x3a\x04\x2a\x02\x0a", 5, 5, "a length is cut off"},
        {"\x3a\x05\x2a\x03\x4a\x01", 6, 6, "the input ends 1 bytes early"},
        {"\x3a\x05\x2a\x03\x0a\x01", 6, 6, "a packed number is cut off"},
        {"\x3a\x09\x2a\x07\x22\x04\x00\x00", 8, 8, "the input ends 2 bytes early"},
        {"\x3a\x09\x0a\x07\x2a\x05\x15\x00\x00", 9, 9, "the input ends 2 bytes early"},
    };
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        for (size_t piece = 0; piece < 60; piece++) {
            struct bytes input = {0};
            char wanted[200];
            put_tag(&input, 2, WIRE_BYTES);
            put_varint(&input, 100);
            put_pattern(&input, 100, 1);
            (void)snprintf(wanted, sizeof wanted, "malformed, byte %zu: %s", input.size + rows[i].at, rows[i].wanted);
            bytes_put(&input, rows[i].bytes, rows[i].size);
            struct scanned stream = scan_stream(input.data, input.size, piece, NULL);
            CHECK_TEXT(scanned_text(&stream), wanted);
            scanned_close(&stream);
            bytes_free(&input);
        }
    }
}

/* A stream ends where it ends: also inside a payload that is left out. */
static void test_wire_errors__a_stream_that_ends_in_a_payload(void)
{
    struct bytes model = model_with_payload(9, 300000, 300000);
    for (size_t cut = 300; cut < model.size; cut += cut < 330 || cut > model.size - 30 ? 1 : 9973) {
        char wanted[100];
        struct scanned stream = scan_stream(model.data, cut, 0, NULL);
        (void)snprintf(wanted, sizeof wanted, "malformed, byte %zu: the input ends %zu bytes early", cut,
                       model.size - cut);
        CHECK_TEXT(scanned_text(&stream), wanted);
        scanned_close(&stream);
    }
    bytes_free(&model);
}

/* The same inside a message that says it goes on after the payload. */
static void test_wire_errors__a_stream_that_ends_in_a_nested_payload(void)
{
    struct bytes model = {0};
    put_tag(&model, 7, WIRE_BYTES);
    put_varint(&model, 100000);
    put_tag(&model, 5, WIRE_BYTES);
    put_varint(&model, 90000);
    put_tag(&model, 9, WIRE_BYTES);
    put_varint(&model, 80000);
    put_pattern(&model, 70000, 0);
    struct scanned stream = scan_stream(model.data, model.size, 0, NULL);
    char wanted[100];
    (void)snprintf(wanted, sizeof wanted, "malformed, byte %zu: the input ends 10000 bytes early", model.size);
    CHECK_TEXT(scanned_text(&stream), wanted);
    scanned_close(&stream);
    bytes_free(&model);
}

/* ---- truncation and damage --------------------------------------------------------------------------------- */

static const char sample[] = "opset 17\n"
                             "opset com.microsoft 1\n"
                             "graph yes\n"
                             "node p = Relu(x)\n"
                             "output p float32[1,n]\n"
                             "end\n"
                             "function my:F(a) -> (b) k\n"
                             "node b = LeakyRelu(a) alpha=$k\n"
                             "opset 17\n"
                             "end\n"
                             "input x float32[1,n]\n"
                             "init c bool[] = 1\n"
                             "init w float32[4,4]\n"
                             "init s int64[2] = 0 -1\n"
                             "node h = Reshape(x, s) @reshape\n"
                             "node i = If(c) then_branch=graph yes else_branch=graph yes\n"
                             "node j = my:F(i) k=0.5 meta \"key\" \"some text\"\n"
                             "node o, q = Split(j) axis=1 split=[1,-2] alpha=0.5 f=[1.5,2.5] t=[\"a\",\"b\"]\n"
                             "output o\n";

/* Ends of the top-level fields: where a model may end. */
static bool is_field_end(const struct bytes *model, size_t at, bool *has_graph)
{
    size_t position = 0;
    *has_graph = false;
    while (position < at) {
        unsigned key = model->data[position++];
        uint64_t value = 0;
        if (key >= 0x80) /* field 25 takes two bytes */
            key = (key & 0x7f) | (unsigned)model->data[position++] << 7;
        for (unsigned shift = 0;; shift += 7) {
            value |= (uint64_t)(model->data[position] & 0x7f) << shift;
            if (model->data[position++] < 0x80)
                break;
        }
        if ((key & 7) == 2)
            position += (size_t)value;
        if (key == 58 && position <= at)
            *has_graph = true;
    }
    return position == at;
}

static void test_wire_errors__truncation_at_every_byte(void)
{
    struct bytes model = model_from_text(sample);
    unsigned legal = 0;
    for (size_t cut = 0; cut < model.size; cut++) {
        bool has_graph, is_legal = is_field_end(&model, cut, &has_graph) && has_graph;
        struct scanned runs[] = {scan_memory(model.data, cut, NULL), scan_stream(model.data, cut, 1, NULL),
                                 scan_stream(model.data, cut, 0, NULL), scan_file(model.data, cut, NULL)};
        for (size_t i = 0; i < NPART__COUNT(runs); i++) {
            CHECK_INT(runs[i].status, is_legal ? NPART_OK : NPART_ERROR_MALFORMED);
            if (runs[i].status == NPART_OK)
                CHECK(same_bytes(runs[i].skeleton.data, runs[i].skeleton.bytes, model.data, cut));
            scanned_close(&runs[i]);
        }
        legal += is_legal;
    }
    CHECK_INT(legal, 3); /* after the graph, after either opset */
    bytes_free(&model);
}

/* Whatever passes unpacks: "well formed" is the scan's word. */
static void check_passes_or_fails(const uint8_t *data, size_t bytes, unsigned *passed)
{
    struct scanned memory = scan_memory(data, bytes, NULL);
    if (memory.status == NPART_OK) {
        Onnx__ModelProto *model;
        struct npart_error error;
        npart_status status = npart__onnx_unpack(&memory.skeleton, &memory.arena, &model, &error);
        CHECK_INT(status, NPART_OK);
        ++*passed;
    } else {
        CHECK(memory.status == NPART_ERROR_MALFORMED || memory.status == NPART_ERROR_LIMIT);
        CHECK(*memory.error.message);
    }
    scanned_close(&memory);
}

static void test_wire_errors__every_byte_changed(void)
{
    struct bytes model = model_from_text(sample);
    unsigned passed = 0;
    for (size_t at = 0; at < model.size; at++) {
        static const uint8_t changes[] = {0x01, 0x02, 0x04, 0x08, 0x10, 0x20, 0x40, 0x80, 0xff};
        uint8_t kept = model.data[at];
        for (size_t i = 0; i < NPART__COUNT(changes); i++) {
            model.data[at] = kept ^ changes[i];
            check_passes_or_fails(model.data, model.size, &passed);
        }
        model.data[at] = kept;
    }
    CHECK(passed > 100); /* names and numbers may well be others */
    bytes_free(&model);
}

static void test_wire_errors__bytes_left_out_and_put_in(void)
{
    struct bytes model = model_from_text(sample);
    uint8_t *copy = malloc(model.size + 1);
    unsigned passed = 0;
    REQUIRE(copy);
    for (size_t at = 0; at < model.size; at++) {
        memcpy(copy, model.data, at);
        memcpy(copy + at, model.data + at + 1, model.size - at - 1);
        check_passes_or_fails(copy, model.size - 1, &passed);
        for (unsigned value = 0; value < 256; value += 51) {
            copy[at] = (uint8_t)value;
            memcpy(copy + at + 1, model.data + at, model.size - at);
            check_passes_or_fails(copy, model.size + 1, &passed);
        }
    }
    free(copy);
    bytes_free(&model);
}

TESTS(test_wire_errors__streams_that_end_early, test_wire_errors__no_model_at_all, test_wire_errors__varints,
      test_wire_errors__tags,
      test_wire_errors__wire_types, test_wire_errors__lengths, test_wire_errors__numbers_of_fixed_width,
      test_wire_errors__packed_numbers, test_wire_errors__texts, test_wire_errors__a_payload_beyond_its_message,
      test_wire_errors__a_large_payload_of_no_full_numbers, test_wire_errors__a_stream_that_ends_in_a_payload,
      test_wire_errors__a_stream_that_ends_in_a_nested_payload, test_wire_errors__truncation_at_every_byte,
      test_wire_errors__every_byte_changed, test_wire_errors__bytes_left_out_and_put_in)
