/* SPDX-License-Identifier: Apache-2.0
 *
 * What is written of a model that was read to be edited means to protobuf what the model meant, whatever was left out
 * of it and however it stood there.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <unistd.h>

#include "support/proto_writer.h"
#include "support/rewritten.h"
#include "support/test.h"

#define LIMIT 4096
#define LONG 70000 /* above every limit of the scan */

/* Frees the model. */
static void check_same(struct bytes *model)
{
    struct scanned scanned, again;
    struct bytes out = rewrite_memory(&scanned, model->data, model->size, 0);
    CHECK_TEXT(scanned_text(&scanned), "ok");
    if (scanned.status == NPART_OK) {
        CHECK(means_the_same(model, &out));
        struct bytes twice = rewrite_memory(&again, out.data, out.size, 0);
        CHECK(means_the_same(model, &twice));
        bytes_free(&twice);
        scanned_close(&again);
    }
    bytes_free(&out);
    scanned_close(&scanned);
    bytes_free(model);
}

static struct bytes model_of_tensor(struct bytes *tensor)
{
    struct bytes graph = small_graph();
    put_message(&graph, 5, tensor);
    return model_around(&graph);
}

static struct bytes tensor_with(unsigned type)
{
    struct bytes tensor = {0};
    put_number(&tensor, 1, 17);
    put_number(&tensor, 2, type);
    put_text(&tensor, 8, "w");
    return tensor;
}

static void put_raw(struct bytes *message, unsigned field, size_t count, unsigned first)
{
    struct bytes payload = {0};
    put_pattern(&payload, count, first);
    put_bytes(message, field, payload.data, payload.size);
    bytes_free(&payload);
}

/* ---- payloads ------------------------------------------------------------------------------------------------ */

static void test_write__raw_data_of_any_size(void)
{
    static const size_t sizes[] = {0, 1, 127, 128, LIMIT - 1, LIMIT, LIMIT + 1, 16383, 16384, LONG, 2097152};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct bytes tensor = tensor_with(1);
        put_raw(&tensor, 9, sizes[i], 3);
        put_text(&tensor, 12, "after");
        struct bytes model = model_of_tensor(&tensor);
        check_same(&model);
    }
}

/* Numbers that repeat: packed in several fields, one by one, and both; with what is left out after what is kept. */
static void test_write__repeated_numbers(void)
{
    static const struct {
        unsigned field, type;
        enum wire_type wire;
    } fields[] = {{4, 1, WIRE_FIXED32}, {5, 6, WIRE_VARINT}, {7, 7, WIRE_VARINT}, {10, 11, WIRE_FIXED64},
                  {11, 13, WIRE_VARINT}};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        struct bytes tensor = tensor_with(fields[i].type);
        for (unsigned round = 0; round < 4; round++) {
            struct bytes packed = {0};
            for (unsigned k = 0; k < 900 * round; k++) {
                put_tag(&tensor, fields[i].field, fields[i].wire);
                for (struct bytes *to = &tensor; to; to = to == &tensor ? &packed : NULL) {
                    if (fields[i].wire == WIRE_VARINT)
                        put_varint(to, k * UINT64_C(0x123456789));
                    else if (fields[i].wire == WIRE_FIXED32)
                        put_fixed32(to, k * 7919);
                    else
                        put_fixed64(to, k * UINT64_C(0x123456789));
                }
            }
            put_bytes(&tensor, fields[i].field, packed.data, packed.size);
            bytes_free(&packed);
        }
        struct bytes model = model_of_tensor(&tensor);
        check_same(&model);
    }
}

static void test_write__strings_and_attributes(void)
{
    struct bytes tensor = tensor_with(8), attribute = {0}, node = {0}, graph = small_graph();
    for (unsigned i = 0; i < 3000; i++)
        put_raw(&tensor, 6, i % 5, i);
    put_text(&attribute, 1, "many");
    put_message(&attribute, 5, &tensor);
    put_raw(&attribute, 4, LONG, 1);
    for (unsigned i = 0; i < 20000; i++) {
        put_number(&attribute, 8, i * 977);
        put_raw(&attribute, 9, i % 7, i);
        put_tag(&attribute, 7, WIRE_FIXED32);
        put_fixed32(&attribute, i);
    }
    put_message(&node, 5, &attribute);
    put_message(&graph, 1, &node);
    struct bytes model = model_around(&graph);
    check_same(&model);
}

/* Of what does not repeat the last counts, whichever of them was left out. */
static void test_write__singles_that_come_again(void)
{
    static const size_t sizes[] = {0, 5, LIMIT + 1, LONG};
    for (size_t first = 0; first < 4; first++) {
        for (size_t second = 0; second < 4; second++) {
            for (size_t third = 0; third < 4; third++) {
                struct bytes tensor = tensor_with(1), attribute = {0}, node = {0}, graph = small_graph();
                put_raw(&tensor, 9, sizes[first], 1);
                put_raw(&tensor, 9, sizes[second], 2);
                put_number(&tensor, 2, 10);
                put_raw(&tensor, 9, sizes[third], 3);
                put_raw(&attribute, 4, sizes[first] * 2, 4);
                put_raw(&attribute, 4, sizes[second] * 2, 5);
                put_raw(&attribute, 4, sizes[third] * 2, 6);
                put_message(&attribute, 5, &tensor);
                put_message(&node, 5, &attribute);
                put_message(&graph, 1, &node);
                struct bytes model = model_around(&graph);
                check_same(&model);
            }
        }
    }
}

/* ---- what the graph has no use for ------------------------------------------------------------------------------ */

static void put_long_text(struct bytes *message, unsigned field, size_t count)
{
    char *text = malloc(count + 1);
    REQUIRE(text);
    memset(text, 'x', count);
    text[count] = '\0';
    put_text(message, field, text);
    free(text);
}

static void test_write__texts(void)
{
    static const size_t sizes[] = {3, 65536, 65537};
    for (size_t first = 0; first < 3; first++) {
        for (size_t second = 0; second < 3; second++) {
            struct bytes graph = small_graph(), entry = {0};
            put_text(&entry, 1, "key");
            put_long_text(&entry, 2, sizes[first]);
            put_long_text(&entry, 2, sizes[second]);
            put_long_text(&graph, 10, sizes[first]);
            put_long_text(&graph, 10, sizes[second]);
            struct bytes model = model_around(&graph);
            put_message(&model, 14, &entry);
            put_long_text(&model, 6, sizes[second]);
            check_same(&model);
        }
    }
}

/* Fields of every wire type and of any number, those of the records too, in a message. */
static void put_unknown(struct bytes *message, unsigned seed)
{
    static const unsigned numbers[] = {27, 31, 32, 18999, NPART__VERBATIM_FIELD, NPART__ELIDED_FIELD, 536870911};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        put_number(message, numbers[i], seed + i);
        put_tag(message, numbers[i], WIRE_FIXED32);
        put_fixed32(message, seed);
        put_raw(message, numbers[i], i % 2 ? sizeof(struct npart__elided) : sizeof(struct npart__verbatim), seed);
        put_tag(message, numbers[i], WIRE_FIXED64);
        put_fixed64(message, seed);
    }
}

static void test_write__unknown_fields(void)
{
    struct bytes tensor = tensor_with(1), node = {0}, attribute = {0}, body = {0}, training = {0};
    put_unknown(&tensor, 1);
    put_raw(&tensor, 9, LONG, 9);
    put_unknown(&tensor, 2);
    put_message(&attribute, 5, &tensor);
    put_unknown(&attribute, 3);
    put_unknown(&node, 4);
    put_message(&node, 5, &attribute);
    put_unknown(&node, 5);
    put_message(&body, 1, &node);
    put_unknown(&body, 6); /* touches what follows in the message around it */
    struct bytes outer = {0}, holder = {0}, graph = small_graph();
    put_message(&outer, 6, &body);
    put_unknown(&outer, 7);
    put_message(&holder, 5, &outer);
    put_message(&graph, 1, &holder);
    put_unknown(&graph, 8);
    struct bytes model = model_around(&graph);
    put_unknown(&model, 9);
    put_raw(&training, 1, 0, 0);
    put_message(&model, 20, &training);
    put_unknown(&model, 10);
    check_same(&model);
}

/* ---- lengths and limits ------------------------------------------------------------------------------------------ */

/* A payload so deep inside that every length around it is written anew. */
static struct bytes nested(unsigned bodies, size_t payload)
{
    struct bytes tensor = tensor_with(1);
    put_raw(&tensor, 9, payload, 1);
    struct bytes graph = small_graph();
    put_message(&graph, 5, &tensor);
    for (unsigned i = 0; i < bodies; i++) {
        struct bytes attribute = {0}, node = {0}, outer = small_graph();
        put_padded_message(&attribute, 6, &graph, 5);
        put_padded_message(&node, 5, &attribute, 5);
        put_padded_message(&outer, 1, &node, 5);
        graph = outer;
    }
    return model_around(&graph);
}

static void test_write__lengths(void)
{
    for (size_t payload = LIMIT + 1; payload < LIMIT + 400; payload += 7) {
        struct bytes model = nested(3, payload);
        check_same(&model);
    }
    static const size_t sizes[] = {16200, 16300, 16384, 2097000, 2097152};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct bytes model = nested(32, sizes[i]); /* 1 + 1 + 32 * 3 + 1 messages: one below the limit */
        check_same(&model);
    }
}

static void test_write__too_deep(void)
{
    struct bytes model = nested(34, LIMIT + 1);
    struct npart__input input;
    struct npart__arena arena;
    struct npart__recipe recipe;
    struct npart_error error = {0};
    npart__arena_init(&arena, NULL);
    npart__input_open_memory(&input, model.data, model.size);
    CHECK_INT(npart__recipe_make(&recipe, model.data, model.size, &input, NULL, &arena, &error),
              NPART_ERROR_LIMIT);
    CHECK_TEXT(error.message, "messages are nested deeper than 100");
    npart__arena_clear(&arena);
    bytes_free(&model);
}

/* The size is said before anything is written, and held against the limit. */
static void test_write__too_large(void)
{
    struct bytes model = nested(2, 10000);
    struct npart__input input;
    struct scanned scanned;
    struct npart__recipe recipe;
    struct npart__wire_options options = {.keeps_all = true};
    npart__input_open_memory(&input, model.data, model.size);
    struct bytes skeleton = edited_skeleton(&scanned, &input, &options);
    REQUIRE(npart__recipe_make(&recipe, skeleton.data, skeleton.size, &input, NULL, &scanned.arena, NULL) ==
            NPART_OK);
    uint64_t bytes = recipe.bytes;
    for (int less = 0; less < 2; less++) {
        struct npart__expand_options expand = {.limit_bytes = bytes - (uint64_t)less};
        npart_status status = npart__recipe_make(&recipe, skeleton.data, skeleton.size, &input, &expand,
                                                    &scanned.arena, &scanned.error);
        CHECK_INT(status, less ? NPART_ERROR_LIMIT : NPART_OK);
    }
    CHECK(strstr(scanned.error.message, "and a protobuf message can have ") != NULL);
    bytes_free(&skeleton);
    scanned_close(&scanned);
    bytes_free(&model);
}

/* One range in ever so many tensors: the sum is far above what any file can have, and no number overflows. */
static void test_write__sums_without_end(void)
{
    struct npart__input input = {.data = (const uint8_t *)"", .bytes = UINT64_MAX >> 2};
    struct npart__verbatim record = {.offset = 0, .bytes = UINT64_MAX >> 2};
    struct bytes skeleton = {0};
    struct npart__arena arena;
    struct npart__recipe recipe;
    npart__arena_init(&arena, NULL);
    for (unsigned i = 0; i < 20; i++)
        put_bytes(&skeleton, NPART__VERBATIM_FIELD, &record, sizeof record);
    CHECK_INT(npart__recipe_make(&recipe, skeleton.data, skeleton.size, &input, NULL, &arena, NULL),
              NPART_ERROR_LIMIT);
    npart__arena_clear(&arena);
    bytes_free(&skeleton);
}

/* Skeletons that were made for another input, or are none. */
static void test_write__broken_skeletons(void)
{
    static const struct npart__verbatim outside[] = {{.offset = 0, .bytes = 11}, {.offset = 11, .bytes = 0},
                                                     {.offset = UINT64_MAX, .bytes = 2},
                                                     {.offset = 4, .bytes = UINT64_MAX}};
    struct npart__input input;
    struct npart__arena arena;
    struct npart__recipe recipe;
    npart__arena_init(&arena, NULL);
    npart__input_open_memory(&input, "0123456789", 10);
    for (size_t i = 0; i < sizeof outside / sizeof outside[0]; i++) {
        struct bytes skeleton = {0};
        put_bytes(&skeleton, NPART__VERBATIM_FIELD, &outside[i], sizeof outside[i]);
        CHECK_INT(npart__recipe_make(&recipe, skeleton.data, skeleton.size, &input, NULL, &arena, NULL),
                  NPART_ERROR_MALFORMED);
        bytes_free(&skeleton);
    }
    static const char *const no_fields[] = {"\x3a", "\x3a\x05" "ab", "\x3b", "\x0d" "abc", "\x09" "abcdefg", "\xff",
                                            "\xf2\xe1\x09\x01" "a"};
    for (size_t i = 0; i < sizeof no_fields / sizeof no_fields[0]; i++)
        CHECK_INT(npart__recipe_make(&recipe, no_fields[i], strlen(no_fields[i]), &input, NULL, &arena, NULL),
                  NPART_ERROR_MALFORMED);
    npart__arena_clear(&arena);
}

/* Messages that protobuf would make one: protobuf-c forgets the unknown fields of the first, records too. */
static void test_write__messages_that_come_again(void)
{
    struct npart__wire_options options = {.keeps_all = true};
    struct bytes graph = small_graph(), second = small_graph(), attribute = {0}, node = {0};
    struct bytes model = model_around(&graph);
    put_message(&model, 7, &second);
    struct scanned scanned = scan_memory(model.data, model.size, &options);
    CHECK_INT(scanned.status, NPART_ERROR_LIMIT);
    CHECK(strstr(scanned.error.message, "ModelProto.graph stands there twice") != NULL);
    scanned_close(&scanned);
    scanned = scan_memory(model.data, model.size, NULL);
    CHECK_TEXT(scanned_text(&scanned), "ok");
    scanned_close(&scanned);
    bytes_free(&model);

    struct bytes tensor = tensor_with(1), other = tensor_with(1);
    put_message(&attribute, 5, &tensor);
    put_message(&attribute, 5, &other);
    put_message(&node, 5, &attribute);
    graph = small_graph();
    put_message(&graph, 1, &node);
    model = model_around(&graph);
    scanned = scan_memory(model.data, model.size, &options);
    CHECK(strstr(scanned.error.message, "AttributeProto.t stands there twice") != NULL);
    scanned_close(&scanned);
    const struct npart__wire_options what_it_can = {.keeps_what_it_can = true};
    scanned = scan_memory(model.data, model.size, &what_it_can);
    CHECK_TEXT(scanned_text(&scanned), "ok");
    CHECK(!scanned.skeleton.is_whole);
    scanned_close(&scanned);
    bytes_free(&model);
}

/* What can be kept is the same as where it must be; of what comes again the last counts, as where nothing is kept. */
static void test_write__keeps_what_it_can(void)
{
    static const struct npart__wire_options all = {.keeps_all = true}, some = {.keeps_what_it_can = true};
    for (unsigned again = 0; again < 2; again++) {
        struct bytes graph = small_graph();
        put_long_text(&graph, 10, 65537);
        if (again)
            put_text(&graph, 10, "short");
        struct bytes model = model_around(&graph);
        struct scanned whole = scan_memory(model.data, model.size, &all);
        struct scanned kept = scan_memory(model.data, model.size, &some);
        CHECK(whole.status == NPART_OK && kept.status == NPART_OK);
        CHECK(whole.skeleton.is_whole && kept.skeleton.is_whole == !again);
        CHECK(same_bytes(whole.skeleton.data, whole.skeleton.bytes, kept.skeleton.data, kept.skeleton.bytes) == !again);
        const Onnx__ModelProto *left = scanned_model(&kept);
        CHECK_TEXT(left->graph->doc_string ? left->graph->doc_string : "", again ? "short" : "");
        scanned_close(&whole);
        scanned_close(&kept);
        bytes_free(&model);
    }
}

/* Numbers that are not packed have one record, and messages none of their neighbours'. */
static void test_write__ranges_that_touch(void)
{
    struct npart__wire_options options = {.keeps_all = true};
    struct bytes tensor = tensor_with(1), graph = small_graph();
    for (unsigned i = 0; i < 5000; i++) {
        put_tag(&tensor, 4, WIRE_FIXED32);
        put_fixed32(&tensor, i);
    }
    put_message(&graph, 5, &tensor);
    put_number(&graph, 27, 1);
    put_number(&graph, 28, 2);
    struct bytes model = model_around(&graph);
    put_number(&model, 29, 2);
    struct scanned scanned = scan_memory(model.data, model.size, &options);
    const Onnx__ModelProto *unpacked = scanned_model(&scanned);
    const ProtobufCMessage *messages[] = {&unpacked->graph->initializer[0]->base, &unpacked->graph->base,
                                          &unpacked->base};
    for (size_t i = 0; i < 3; i++) {
        struct npart__verbatim record;
        CHECK_INT(messages[i]->n_unknown_fields, i == 0 ? 2 : 1);
        REQUIRE(messages[i]->n_unknown_fields > 0);
        CHECK_INT(messages[i]->unknown_fields[0].tag, NPART__VERBATIM_FIELD);
        memcpy(&record, messages[i]->unknown_fields[0].data + 1, sizeof record);
        CHECK_INT(record.bytes, i == 0 ? (5000 - LIMIT / 4) * 5 : i == 1 ? 6 : 3);
        CHECK_INT(record.field, i == 0 ? 4 : 0);
    }
    scanned_close(&scanned);
    check_same(&model);
}

TESTS(test_write__raw_data_of_any_size, test_write__repeated_numbers, test_write__strings_and_attributes,
      test_write__singles_that_come_again, test_write__texts, test_write__unknown_fields, test_write__lengths,
      test_write__too_deep, test_write__too_large, test_write__sums_without_end, test_write__broken_skeletons,
      test_write__messages_that_come_again, test_write__ranges_that_touch,
      test_write__keeps_what_it_can)
