/* SPDX-License-Identifier: Apache-2.0
 *
 * The scan's limits, each at its edge: nesting, the size of what is left, long texts; and what it passes over.
 */
#include "support/proto_writer.h"
#include "support/scanned.h"
#include "support/test.h"

/* ---- nesting ------------------------------------------------------------------------------------------------- */

/* Messages inside each other, `depth` of them with the model; `cycle` says which field leads from each to the next. */
static struct bytes nested(unsigned depth, const unsigned *first, size_t first_count, const unsigned *cycle,
                           size_t cycle_count)
{
    struct bytes inner = {0};
    for (unsigned level = depth - 1; level > 0; level--) {
        size_t step = level - 1;
        unsigned field = step < first_count ? first[step] : cycle[(step - first_count) % cycle_count];
        struct bytes outer = {0};
        put_message(&outer, field, &inner);
        inner = outer;
    }
    return inner;
}

static void check_depth(unsigned depth, const unsigned *first, size_t first_count, const unsigned *cycle,
                        size_t cycle_count)
{
    struct bytes model = nested(depth, first, first_count, cycle, cycle_count);
    struct scanned runs[] = {scan_memory(model.data, model.size, NULL), scan_stream(model.data, model.size, 1, NULL)};
    for (size_t i = 0; i < NPART__COUNT(runs); i++) {
        if (depth <= NPART__LIMIT_DEPTH) {
            CHECK_TEXT(scanned_text(&runs[i]), "ok");
            CHECK(same_bytes(runs[i].skeleton.data, runs[i].skeleton.bytes, model.data, model.size));
            (void)scanned_model(&runs[i]);
        } else {
            char wanted[100];
            /* Where the first message that is too deep begins: two bytes, tag and length, a level beyond. */
            size_t beyond = depth - NPART__LIMIT_DEPTH - 1;
            (void)snprintf(wanted, sizeof wanted, "limit passed, byte %zu: messages are nested deeper than 100 "
                           "(limit depth)",
                           model.size - 2 * beyond);
            CHECK_TEXT(scanned_text(&runs[i]), wanted);
        }
        scanned_close(&runs[i]);
    }
    bytes_free(&model);
}

static void test_wire_limits__nesting(void)
{
    /* graph, then node, attribute, graph again and again */
    static const unsigned graph[] = {7}, body[] = {1, 5, 6};
    /* graph, value_info, type, then sequence and type again and again */
    static const unsigned info[] = {7, 13, 2}, sequence[] = {4, 1};
    static const unsigned function[] = {25, 7, 5}, bodies[] = {6, 1, 5};
    for (unsigned depth = 2; depth <= 104; depth += depth < 96 ? 7 : 1) {
        check_depth(depth, graph, 1, body, 3);
        check_depth(depth, info, 3, sequence, 2);
    }
    struct bytes model = nested(NPART__LIMIT_DEPTH, function, 3, bodies, 3), empty = {0};
    put_message(&model, 7, &empty); /* after coming up again there is room again */
    struct scanned scanned = scan_memory(model.data, model.size, NULL);
    CHECK_TEXT(scanned_text(&scanned), "ok");
    scanned_close(&scanned);
    bytes_free(&model);
}

/* What is not walked does not nest. */
static void test_wire_limits__nesting_in_what_is_passed_over(void)
{
    static const unsigned training[] = {20, 1}, unknown[] = {31}, body[] = {1, 5, 6};
    struct bytes models[] = {nested(150, training, 2, body, 3), nested(150, unknown, 1, body, 3)}, empty = {0};
    for (size_t i = 0; i < NPART__COUNT(models); i++) {
        put_message(&models[i], 7, &empty);
        struct scanned scanned = scan_memory(models[i].data, models[i].size, NULL);
        CHECK_TEXT(scanned_text(&scanned), "ok");
        CHECK(same_bytes(scanned.skeleton.data, scanned.skeleton.bytes, "\x3a\x00", 2));
        scanned_close(&scanned);
        bytes_free(&models[i]);
    }
}

/* ---- the size of what is left -------------------------------------------------------------------------------- */

static void check_skeleton_limit(const struct bytes *model)
{
    struct scanned whole = scan_memory(model->data, model->size, NULL);
    CHECK_TEXT(scanned_text(&whole), "ok");
    struct npart__wire_options options = {.limit_skeleton_bytes = whole.skeleton.bytes};
    struct scanned fits = scan_memory(model->data, model->size, &options);
    CHECK_TEXT(scanned_text(&fits), "ok");
    CHECK(same_bytes(fits.skeleton.data, fits.skeleton.bytes, whole.skeleton.data, whole.skeleton.bytes));
    char wanted[100];
    for (size_t less = 1; less < whole.skeleton.bytes && less < 40; less++) {
        options.limit_skeleton_bytes = whole.skeleton.bytes - less;
        struct scanned refused = scan_memory(model->data, model->size, &options);
        (void)snprintf(wanted, sizeof wanted, "limit passed: the model without its weights is larger than %zu bytes "
                       "(limit skeleton-bytes)",
                       whole.skeleton.bytes - less);
        CHECK_TEXT(scanned_text(&refused), wanted);
        scanned_close(&refused);
        struct scanned stream = scan_stream(model->data, model->size, 3, &options);
        CHECK_TEXT(scanned_text(&stream), wanted);
        scanned_close(&stream);
    }
    scanned_close(&whole);
    scanned_close(&fits);
}

static void test_wire_limits__the_size_of_what_is_left(void)
{
    struct bytes graph = small_graph(), model = model_around(&graph);
    check_skeleton_limit(&model);
    bytes_free(&model);
    /* With a payload left out, which does not count, and its record, which does. */
    struct bytes tensor = {0}, raw = {0};
    put_pattern(&raw, 100000, 0);
    put_bytes(&tensor, 9, raw.data, raw.size);
    bytes_free(&raw);
    graph = small_graph();
    put_message(&graph, 5, &tensor);
    model = model_around(&graph);
    check_skeleton_limit(&model);
    bytes_free(&model);
}

/* ---- long texts ---------------------------------------------------------------------------------------------- */

struct text_place {
    const char *name;
    unsigned path[6]; /* from the text's field up to the model's */
    bool is_prose;
};

static const struct text_place text_places[] = {
    {"ModelProto.doc_string", {6}, true},
    {"ModelProto.metadata_props.value", {2, 14}, true},
    {"ModelProto.metadata_props.key", {1, 14}, false},
    {"ModelProto.producer_name", {2}, false},
    {"GraphProto.doc_string", {10, 7}, true},
    {"GraphProto.name", {2, 7}, false},
    {"GraphProto.metadata_props.value", {2, 16, 7}, true},
    {"NodeProto.doc_string", {6, 1, 7}, true},
    {"NodeProto.metadata_props.value", {2, 9, 1, 7}, true},
    {"NodeProto.name", {3, 1, 7}, false},
    {"AttributeProto.doc_string", {13, 5, 1, 7}, true},
    {"AttributeProto.ref_attr_name", {21, 5, 1, 7}, false},
    {"TensorProto.doc_string", {12, 5, 7}, true},
    {"TensorProto.external_data.value", {2, 13, 5, 7}, true},
    {"TensorProto.name", {8, 5, 7}, false},
    {"ValueInfoProto.doc_string", {3, 11, 7}, true},
    {"FunctionProto.doc_string", {8, 25}, true},
    {"FunctionProto.name", {1, 25}, false},
};

/* A model with a text of so many bytes in that place and a graph. */
static struct bytes model_with_text(const struct text_place *place, size_t bytes)
{
    struct bytes text = {0}, inner = {0}, empty = {0};
    for (size_t i = 0; i < bytes; i++)
        bytes_put(&text, &"abcdefghijklmnopqrstuvwxyz"[i % 26], 1);
    put_message(&inner, place->path[0], &text);
    for (size_t i = 1; i < NPART__COUNT(place->path) && place->path[i]; i++) {
        struct bytes outer = {0};
        put_message(&outer, place->path[i], &inner);
        inner = outer;
    }
    put_message(&inner, 7, &empty);
    return inner;
}

static void test_wire_limits__long_texts(void)
{
    for (size_t i = 0; i < NPART__COUNT(text_places); i++) {
        for (size_t more = 0; more < 2; more++) {
            size_t bytes = NPART__KEEP_TEXT_BYTES + more;
            bool stays = !more || !text_places[i].is_prose;
            struct bytes model = model_with_text(&text_places[i], bytes);
            struct scanned runs[] = {scan_memory(model.data, model.size, NULL),
                                     scan_stream(model.data, model.size, 0, NULL)};
            for (size_t k = 0; k < NPART__COUNT(runs); k++) {
                CHECK_TEXT(scanned_text(&runs[k]), "ok");
                if (stays)
                    CHECK(same_bytes(runs[k].skeleton.data, runs[k].skeleton.bytes, model.data, model.size));
                else
                    CHECK(runs[k].skeleton.bytes < 100);
                CHECK_INT(runs[k].skeleton.skipped_bytes, stays ? 0 : bytes);
                CHECK_INT(runs[k].skeleton.elided_bytes, 0);
                (void)scanned_model(&runs[k]);
                scanned_close(&runs[k]);
            }
            bytes_free(&model);
        }
    }
}

/* ---- what is passed over ------------------------------------------------------------------------------------- */

static void test_wire_limits__training_information(void)
{
    struct bytes graph = small_graph(), model = model_around(&graph), plain = {0};
    bytes_put(&plain, model.data, model.size);
    struct bytes training = {0}, more = {0};
    put_text(&training, 1, "no graph, but nobody looks");
    put_text(&more, 2, "x");
    uint64_t bytes = training.size + more.size;
    put_message(&model, 20, &training);
    put_message(&model, 20, &more);
    struct scanned scanned = scan_memory(model.data, model.size, NULL);
    CHECK_TEXT(scanned_text(&scanned), "ok");
    CHECK(same_bytes(scanned.skeleton.data, scanned.skeleton.bytes, plain.data, plain.size));
    CHECK_INT(scanned.skeleton.training_info_bytes, bytes);
    CHECK_INT(scanned.skeleton.input_bytes, model.size);
    scanned_close(&scanned);
    bytes_free(&model);
    bytes_free(&plain);
}

/* Unknown fields of every wire type, at every place of a message. */
static struct bytes graph_with_unknown(bool has_unknown, unsigned number)
{
    struct bytes graph = {0}, node = {0}, attribute = {0}, tensor = {0};
    struct bytes *messages[] = {&tensor, &attribute, &node, &graph};
    for (size_t i = 0; i < NPART__COUNT(messages); i++) {
        for (int turn = 0; turn < 2; turn++) {
            if (has_unknown) {
                put_number(messages[i], number, UINT64_MAX);
                put_tag(messages[i], number, WIRE_FIXED32);
                put_fixed32(messages[i], 1);
                put_tag(messages[i], number, WIRE_FIXED64);
                put_fixed64(messages[i], 1);
                put_text(messages[i], number, "\x01\xff\xff no message");
            }
            if (turn == 0 && i > 0)
                put_message(messages[i], (const unsigned[]){0, 5, 5, 1}[i], messages[i - 1]);
            else if (turn == 0)
                put_text(&tensor, 8, "t");
        }
    }
    return graph;
}

static void test_wire_limits__unknown_fields_are_dropped(void)
{
    static const unsigned numbers[] = {17, 18, 27, 31, 32, 33, 255, 256, 18999, NPART__ELIDED_FIELD, 20000, 536870911};
    for (size_t i = 0; i < NPART__COUNT(numbers); i++) {
        struct bytes graph = graph_with_unknown(true, numbers[i]), model = model_around(&graph);
        struct bytes plain_graph = graph_with_unknown(false, 0), plain = model_around(&plain_graph);
        struct scanned scanned = scan_memory(model.data, model.size, NULL);
        struct scanned other = scan_memory(plain.data, plain.size, NULL);
        Onnx__ModelProto *left = scanned_model(&scanned), *wanted = scanned_model(&other);
        uint8_t *packed = malloc(model.size), *wanted_packed = malloc(model.size);
        REQUIRE(packed && wanted_packed);
        size_t size = onnx__model_proto__pack(left, packed),
               wanted_size = onnx__model_proto__pack(wanted, wanted_packed);
        CHECK(same_bytes(packed, size, wanted_packed, wanted_size));
        CHECK_INT(left->graph->node[0]->attribute[0]->t->base.n_unknown_fields, 0);
        CHECK(scanned.skeleton.skipped_bytes > 0);
        CHECK_INT(other.skeleton.skipped_bytes, 0);
        free(packed);
        free(wanted_packed);
        scanned_close(&scanned);
        scanned_close(&other);
        bytes_free(&model);
        bytes_free(&plain);
    }
}

/* A file cannot pretend that the scan left something out. */
static void test_wire_limits__a_forged_record_is_dropped(void)
{
    struct npart__elided forged = {.offset = 7, .bytes = 1000, .elements = 250, .field = 9}, found;
    struct bytes graph = {0}, tensor = {0};
    put_number(&tensor, 1, 250);
    put_number(&tensor, 2, 1);
    put_bytes(&tensor, NPART__ELIDED_FIELD, &forged, sizeof forged);
    put_message(&graph, 5, &tensor);
    struct bytes model = model_around(&graph);
    struct scanned scanned = scan_memory(model.data, model.size, NULL);
    const Onnx__ModelProto *left = scanned_model(&scanned);
    CHECK(!npart__onnx_elided(&left->graph->initializer[0]->base, 0, &found));
    scanned_close(&scanned);
    bytes_free(&model);
}

TESTS(test_wire_limits__nesting, test_wire_limits__nesting_in_what_is_passed_over,
      test_wire_limits__the_size_of_what_is_left, test_wire_limits__long_texts,
      test_wire_limits__training_information, test_wire_limits__unknown_fields_are_dropped,
      test_wire_limits__a_forged_record_is_dropped)
