/* SPDX-License-Identifier: Apache-2.0
 *
 * The skeleton as a message: the scan's table against the generated code, fields repeated and merged, kept texts and
 * numbers in odd but legal encodings.
 */
#include "support/proto_writer.h"
#include "support/scanned.h"
#include "support/test.h"

/* ---- the table ----------------------------------------------------------------------------------------------- */

#define MOST_MESSAGES 64

static const char *kind_of(const ProtobufCFieldDescriptor *field)
{
    bool repeats = field->label == PROTOBUF_C_LABEL_REPEATED;
    switch (field->type) {
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_FIXED32:
        return repeats ? "fixed32s" : "fixed32";
    case PROTOBUF_C_TYPE_DOUBLE:
    case PROTOBUF_C_TYPE_FIXED64:
        return repeats ? "fixed64s" : "fixed64";
    case PROTOBUF_C_TYPE_STRING:
        return "text";
    case PROTOBUF_C_TYPE_BYTES:
        return repeats ? "strings" : "bytes";
    case PROTOBUF_C_TYPE_MESSAGE:
        return repeats ? "messages" : "message";
    default:
        return repeats ? "varints" : "varint";
    }
}

static const char *plain_name(const ProtobufCMessageDescriptor *message)
{
    return message->name + strlen("onnx.");
}

static size_t count_lines(const char *text)
{
    size_t lines = 0;
    for (; *text; text++)
        lines += *text == '\n';
    return lines;
}

/* Every field that the generated code knows stands in the table as what it is, and the table has no other. */
static void test_wire_skeleton__the_table_is_the_schema(void)
{
    const ProtobufCMessageDescriptor *messages[MOST_MESSAGES] = {&onnx__model_proto__descriptor};
    size_t count = 1, fields = 0;
    struct npart__arena arena;
    struct npart__buffer table;
    npart__arena_init(&arena, NULL);
    npart__buffer_init(&table, &arena);
    npart__append_text(&table, "\n");
    npart__wire_describe(&table);
    const char *text = npart__buffer_text(&table);
    for (size_t i = 0; i < count; i++) {
        for (unsigned k = 0; k < messages[i]->n_fields; k++) {
            const ProtobufCFieldDescriptor *field = &messages[i]->fields[k];
            const ProtobufCMessageDescriptor *child =
                field->type == PROTOBUF_C_TYPE_MESSAGE ? field->descriptor : NULL;
            char line[200];
            (void)snprintf(line, sizeof line, "\n%s %u %s %s %s\n", plain_name(messages[i]), field->id, field->name,
                           kind_of(field), child ? plain_name(child) : "-");
            if (!strstr(text, line)) {
                fprintf(stderr, "the table lacks%s", line);
                test_failures++;
            }
            fields++;
            size_t at = 0;
            while (child && at < count && messages[at] != child)
                at++;
            if (child && at == count && count < MOST_MESSAGES)
                messages[count++] = child;
        }
    }
    CHECK(count > 20);
    CHECK_INT(count_lines(text) - 1, fields);
    npart__arena_clear(&arena);
}

/* ---- repeated and merged ------------------------------------------------------------------------------------- */

static struct bytes part_of_graph(const char *node, const char *graph_name)
{
    struct bytes graph = {0}, message = {0};
    put_text(&message, 3, node);
    put_message(&graph, 1, &message);
    if (graph_name)
        put_text(&graph, 2, graph_name);
    return graph;
}

/* A message that does not repeat, given twice, is one: lists joined, of the rest the last. */
static void test_wire_skeleton__a_graph_in_two_parts(void)
{
    struct bytes model = {0}, first = part_of_graph("one", "first"), second = part_of_graph("two", "second");
    struct bytes third = part_of_graph("three", NULL);
    put_number(&model, 1, 3);
    put_message(&model, 7, &first);
    put_number(&model, 1, 9);
    put_message(&model, 7, &second);
    put_message(&model, 7, &third);
    struct scanned scanned = scan_memory(model.data, model.size, NULL);
    const Onnx__ModelProto *left = scanned_model(&scanned);
    CHECK_INT(left->ir_version, 9);
    CHECK_INT(left->graph->n_node, 3);
    CHECK_TEXT(left->graph->name, "second");
    CHECK_TEXT(left->graph->node[0]->name, "one");
    CHECK_TEXT(left->graph->node[2]->name, "three");
    CHECK(same_bytes(scanned.skeleton.data, scanned.skeleton.bytes, model.data, model.size));
    scanned_close(&scanned);
    bytes_free(&model);
}

/* Of a oneof the last counts. */
static void test_wire_skeleton__a_dim_of_two_minds(void)
{
    struct bytes dim = {0}, message;
    put_number(&dim, 1, 5);
    put_text(&dim, 2, "n");
    static const unsigned path[] = {1, 2, 1, 2, 11, 7}; /* dim, shape, tensor_type, type, input, graph */
    for (size_t i = 0; i < NPART__COUNT(path); i++) {
        message = (struct bytes){0};
        put_message(&message, path[i], &dim);
        dim = message;
    }
    struct scanned scanned = scan_memory(dim.data, dim.size, NULL);
    const Onnx__ModelProto *left = scanned_model(&scanned);
    const Onnx__TensorShapeProto__Dimension *found = left->graph->input[0]->type->tensor_type->shape->dim[0];
    CHECK_INT(found->value_case, ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM);
    CHECK_TEXT(found->dim_param, "n");
    scanned_close(&scanned);
    bytes_free(&dim);
}

/* Numbers packed, not packed, and both; lengths and numbers padded to every width. */
static void test_wire_skeleton__odd_but_legal_encodings(void)
{
    for (unsigned width = 1; width <= 5; width++) {
        struct bytes model = {0}, graph = {0}, tensor = {0};
        put_tag(&tensor, 1, WIRE_VARINT);
        put_padded_varint(&tensor, 7, 2 * width);
        put_tag(&tensor, 1, WIRE_BYTES);
        put_padded_varint(&tensor, 3, width);
        bytes_put(&tensor, "\x02\x83\x00", 3);
        put_number(&tensor, 1, UINT64_MAX);
        put_tag(&tensor, 1, WIRE_BYTES);
        put_padded_varint(&tensor, 0, width);
        put_padded_varint(&tensor, 8 << 3 | 2, width); /* a padded tag */
        put_padded_varint(&tensor, 1, width);
        bytes_put(&tensor, "t", 1);
        put_padded_message(&graph, 5, &tensor, width);
        put_padded_message(&model, 7, &graph, width);
        struct scanned scanned = scan_memory(model.data, model.size, NULL);
        CHECK_TEXT(scanned_text(&scanned), "ok");
        CHECK(same_bytes(scanned.skeleton.data, scanned.skeleton.bytes, model.data, model.size));
        const Onnx__TensorProto *left = scanned_model(&scanned)->graph->initializer[0];
        REQUIRE(left->n_dims == 4);
        CHECK_INT(left->dims[0], 7);
        CHECK_INT(left->dims[1], 2);
        CHECK_INT(left->dims[2], 3);
        CHECK_INT(left->dims[3], -1);
        CHECK_TEXT(left->name, "t");
        scanned_close(&scanned);
        bytes_free(&model);
    }
}

/* Lengths in more bytes than they need stay in place when what they measure shrinks or grows. */
static void test_wire_skeleton__padded_lengths_around_a_payload(void)
{
    static const struct npart__wire_options keep_little = {.keep_bytes = 1};
    for (unsigned width = 2; width <= 5; width++) {
        for (size_t payload = 2; payload < 200; payload += 3) {
            struct bytes model = {0}, graph = {0}, tensor = {0}, raw = {0};
            struct npart__elided record;
            put_number(&tensor, 2, 2);
            put_pattern(&raw, payload, 1);
            put_padded_message(&tensor, 9, &raw, width);
            put_text(&tensor, 8, "t");
            put_padded_message(&graph, 5, &tensor, width);
            put_text(&graph, 2, "g");
            put_padded_message(&model, 7, &graph, width);
            put_text(&model, 2, "p");
            struct scanned scanned = scan_memory(model.data, model.size, &keep_little);
            const Onnx__ModelProto *left = scanned_model(&scanned);
            CHECK_TEXT(left->producer_name, "p");
            CHECK_TEXT(left->graph->name, "g");
            CHECK_TEXT(left->graph->initializer[0]->name, "t");
            REQUIRE(npart__onnx_elided(&left->graph->initializer[0]->base, 0, &record));
            CHECK_INT(record.bytes, payload);
            CHECK_INT(model.data[record.offset], 1);
            scanned_close(&scanned);
            bytes_free(&model);
        }
    }
}

/* ---- unpacking ----------------------------------------------------------------------------------------------- */

static void test_wire_skeleton__records_by_place(void)
{
    struct scanned scanned = scan_memory("\x3a\x00", 2, NULL);
    struct npart__elided record = {.bytes = 4711};
    const Onnx__ModelProto *model = scanned_model(&scanned);
    CHECK(!npart__onnx_elided(&model->base, 0, &record));
    CHECK(!npart__onnx_elided(&model->graph->base, 5, &record));
    CHECK_INT(record.bytes, 4711);
    scanned_close(&scanned);
}

TESTS(test_wire_skeleton__the_table_is_the_schema, test_wire_skeleton__a_graph_in_two_parts,
      test_wire_skeleton__a_dim_of_two_minds, test_wire_skeleton__odd_but_legal_encodings,
      test_wire_skeleton__padded_lengths_around_a_payload, test_wire_skeleton__records_by_place)
