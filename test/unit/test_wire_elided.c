/* SPDX-License-Identifier: Apache-2.0
 *
 * Payloads left out: at which size, what the record says of them, and that everything else stays as it was; for every
 * field that can hold one, wherever a tensor can stand.
 */
#include "support/proto_writer.h"
#include "support/scanned.h"
#include "support/test.h"

#define ATTRIBUTE_LIMIT 65536
#define INT64_LIMIT 65536
#define LIMIT 4096

/* ---- where a tensor stands ----------------------------------------------------------------------------------- */

enum place {
    INITIALIZER,
    ATTRIBUTE,
    ATTRIBUTE_LIST,
    SPARSE_VALUES,
    SPARSE_INDICES,
    SPARSE_ATTRIBUTE,
    BODY,
    BODY_IN_BODY,
    FUNCTION,
    PLACES
};

/* Puts a message inside others, the innermost field first. */
static struct bytes wrap(struct bytes *message, const unsigned *fields, size_t count)
{
    struct bytes inner = *message, outer;
    for (size_t i = 0; i < count; i++) {
        outer = (struct bytes){0};
        put_message(&outer, fields[i], &inner);
        inner = outer;
    }
    *message = (struct bytes){0};
    return inner;
}

/* The whole model; `tensor` is freed. */
static struct bytes model_with(struct bytes *tensor, enum place place)
{
    static const unsigned paths[PLACES][9] = {
        [INITIALIZER] = {5, 7},
        [ATTRIBUTE] = {5, 5, 1, 7},
        [ATTRIBUTE_LIST] = {10, 5, 1, 7},
        [SPARSE_VALUES] = {1, 15, 7},
        [SPARSE_INDICES] = {2, 15, 7},
        [SPARSE_ATTRIBUTE] = {1, 22, 5, 1, 7},
        [BODY] = {5, 6, 5, 1, 7},
        [BODY_IN_BODY] = {5, 6, 5, 1, 6, 5, 1, 7},
        [FUNCTION] = {5, 5, 7, 25},
    };
    size_t count = 0;
    while (paths[place][count])
        count++;
    struct bytes model = wrap(tensor, paths[place], count);
    put_text(&model, 2, "after"); /* something after it, which must not move */
    struct bytes empty = {0};
    if (place == FUNCTION)
        put_message(&model, 7, &empty);
    return model;
}

static const Onnx__TensorProto *tensor_in(const Onnx__ModelProto *model, enum place place)
{
    const Onnx__GraphProto *graph = model->graph;
    switch (place) {
    case INITIALIZER:
        return graph->initializer[0];
    case ATTRIBUTE:
        return graph->node[0]->attribute[0]->t;
    case ATTRIBUTE_LIST:
        return graph->node[0]->attribute[0]->tensors[0];
    case SPARSE_VALUES:
        return graph->sparse_initializer[0]->values;
    case SPARSE_INDICES:
        return graph->sparse_initializer[0]->indices;
    case SPARSE_ATTRIBUTE:
        return graph->node[0]->attribute[0]->sparse_tensor->values;
    case BODY:
        return graph->node[0]->attribute[0]->g->initializer[0];
    case BODY_IN_BODY:
        return graph->node[0]->attribute[0]->g->node[0]->attribute[0]->g->initializer[0];
    default:
        return model->functions[0]->node[0]->attribute[0]->t;
    }
}

/* ---- what it holds ------------------------------------------------------------------------------------------- */

enum shape { WHOLE, PACKED, ONE_BY_ONE };
enum width { RAW, FIXED32, FIXED64, VARINT, STRING };

static const struct field {
    const char *name;
    unsigned number;
    int element_type;
    enum width width;
    enum shape shape;
    size_t limit;
    bool is_of_attribute;
} fields[] = {
    {"raw_data", 9, 1, RAW, WHOLE, LIMIT, false},
    {"raw_data of INT64", 9, 7, RAW, WHOLE, INT64_LIMIT, false},
    {"float_data", 4, 1, FIXED32, PACKED, LIMIT, false},
    {"float_data, one by one", 4, 1, FIXED32, ONE_BY_ONE, LIMIT, false},
    {"int32_data", 5, 6, VARINT, PACKED, LIMIT, false},
    {"int32_data, one by one", 5, 6, VARINT, ONE_BY_ONE, LIMIT, false},
    {"string_data", 6, 8, STRING, ONE_BY_ONE, LIMIT, false},
    {"int64_data", 7, 7, VARINT, PACKED, INT64_LIMIT, false},
    {"int64_data, one by one", 7, 7, VARINT, ONE_BY_ONE, INT64_LIMIT, false},
    {"double_data", 10, 11, FIXED64, PACKED, LIMIT, false},
    {"double_data, one by one", 10, 11, FIXED64, ONE_BY_ONE, LIMIT, false},
    {"uint64_data", 11, 13, VARINT, PACKED, LIMIT, false},
    {"uint64_data, one by one", 11, 13, VARINT, ONE_BY_ONE, LIMIT, false},
    {"s", 4, 0, RAW, WHOLE, ATTRIBUTE_LIMIT, true},
    {"floats", 7, 0, FIXED32, PACKED, ATTRIBUTE_LIMIT, true},
    {"floats, one by one", 7, 0, FIXED32, ONE_BY_ONE, ATTRIBUTE_LIMIT, true},
    {"ints", 8, 0, VARINT, PACKED, ATTRIBUTE_LIMIT, true},
    {"ints, one by one", 8, 0, VARINT, ONE_BY_ONE, ATTRIBUTE_LIMIT, true},
    {"strings", 9, 0, STRING, ONE_BY_ONE, ATTRIBUTE_LIMIT, true},
};

/* What should be found of a payload: from the rules in wire.h, worked out element by element while writing it. */
struct wanted {
    size_t kept;           /* elements, or bytes of a whole */
    bool is_elided;
    size_t offset;         /* in the message, of the first byte left out */
    uint64_t bytes;        /* left out */
    uint64_t elements;     /* left out; 0: not to be told */
    uint8_t first[16];     /* what stands at the offset */
    size_t first_bytes;
};

/* One element: every number differs from its neighbours; a varint takes one byte where `is_short`. */
static void put_element(struct bytes *out, enum width width, size_t i, bool is_short)
{
    switch (width) {
    case FIXED32:
        put_fixed32(out, (uint32_t)(0x3f800000u + i));
        return;
    case FIXED64:
        put_fixed64(out, UINT64_C(0x3ff0000000000000) + i);
        return;
    case VARINT:
        if (is_short)
            put_varint(out, i % 128);
        else
            put_varint(out, i % 3 == 0 ? (uint64_t)0 - i - 1 : i * 37 % 20000);
        return;
    default: /* a string's length varies from 0 to 6 */
        put_pattern(out, is_short ? 1 : i % 7, (unsigned)i);
    }
}

/* Appends the field with `count` elements (bytes, of a whole) to the message. */
static struct wanted put_payload(struct bytes *message, const struct field *field, size_t count, bool is_short)
{
    struct wanted wanted = {0};
    struct bytes all = {0};
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        struct bytes element = {0};
        if (field->width == RAW)
            put_pattern(&element, 1, (unsigned)(i * 7));
        else
            put_element(&element, field->width, i, is_short);
        if (field->shape == ONE_BY_ONE) {
            static const enum wire_type types[] = {[FIXED32] = WIRE_FIXED32, [FIXED64] = WIRE_FIXED64,
                                                   [VARINT] = WIRE_VARINT, [STRING] = WIRE_BYTES};
            put_tag(message, field->number, types[field->width]);
            if (field->width == STRING)
                put_varint(message, element.size);
            if (!wanted.is_elided && sum + element.size > field->limit) {
                wanted.is_elided = true;
                wanted.offset = message->size;
                wanted.first_bytes = element.size;
                memcpy(wanted.first, element.data, element.size); /* over the limit, so not empty */
            }
            sum += wanted.is_elided ? 0 : element.size;
            wanted.kept += !wanted.is_elided;
            wanted.elements += wanted.is_elided;
            wanted.bytes += wanted.is_elided ? element.size : 0;
            bytes_put(message, element.data, element.size);
        }
        bytes_put(&all, element.data, element.size);
        bytes_free(&element);
    }
    if (field->shape != ONE_BY_ONE) {
        put_bytes(message, field->number, all.data, all.size);
        wanted.is_elided = all.size > field->limit;
        wanted.kept = wanted.is_elided ? 0 : count;
        wanted.bytes = wanted.is_elided ? all.size : 0;
        wanted.offset = message->size - all.size;
        wanted.first_bytes = all.size < 16 ? all.size : 16;
        if (wanted.first_bytes)
            memcpy(wanted.first, all.data, wanted.first_bytes);
        wanted.elements = wanted.is_elided && (field->width == FIXED32 || field->width == FIXED64) ? count : 0;
    }
    bytes_free(&all);
    return wanted;
}

static size_t kept_of_tensor(const Onnx__TensorProto *tensor, unsigned field)
{
    switch (field) {
    case 4:
        return tensor->n_float_data;
    case 5:
        return tensor->n_int32_data;
    case 6:
        return tensor->n_string_data;
    case 7:
        return tensor->n_int64_data;
    case 10:
        return tensor->n_double_data;
    case 11:
        return tensor->n_uint64_data;
    default:
        return tensor->raw_data.len;
    }
}

static size_t kept_of_attribute(const Onnx__AttributeProto *attribute, unsigned field)
{
    return field == 4   ? attribute->s.len
           : field == 7 ? attribute->n_floats
           : field == 8 ? attribute->n_ints
                        : attribute->n_strings;
}

static size_t find_in(const struct bytes *model, const struct bytes *message)
{
    for (size_t at = 0; at + message->size <= model->size; at++)
        if (memcmp(model->data + at, message->data, message->size) == 0)
            return at;
    return 0;
}

static void check_record(const struct bytes *model, const struct scanned *scanned, const ProtobufCMessage *message,
                         size_t message_at, const struct field *field, const struct wanted *wanted)
{
    struct npart__elided record;
    bool is_elided = npart__onnx_elided(message, 0, &record);
    CHECK_INT(is_elided, wanted->is_elided);
    CHECK_INT(scanned->skeleton.elided_bytes, wanted->bytes);
    CHECK_INT(scanned->skeleton.input_bytes, model->size);
    if (!is_elided || !wanted->is_elided)
        return;
    CHECK_INT(record.field, field->number);
    CHECK_INT(record.offset, message_at + wanted->offset);
    CHECK_INT(record.bytes, wanted->bytes);
    CHECK_INT(record.elements, wanted->elements);
    REQUIRE(record.offset + wanted->first_bytes <= model->size);
    CHECK(memcmp(model->data + record.offset, wanted->first, wanted->first_bytes) == 0);
    CHECK(!npart__onnx_elided(message, 1, &record));
}

static void check_payload(const struct field *field, enum place place, size_t count, bool is_short)
{
    struct bytes message = {0}, copy = {0};
    if (!field->is_of_attribute)
        put_number(&message, 2, (uint64_t)field->element_type);
    struct wanted wanted = put_payload(&message, field, count, is_short);
    put_text(&message, field->is_of_attribute ? 1 : 8, "the name after it");
    bytes_put(&copy, message.data, message.size);
    struct bytes model;
    if (field->is_of_attribute) {
        static const unsigned path[] = {5, 1, 7};
        model = wrap(&message, path, 3);
    } else {
        model = model_with(&message, place);
    }
    size_t message_at = find_in(&model, &copy);
    struct scanned runs[] = {scan_memory(model.data, model.size, NULL), scan_stream(model.data, model.size, 0, NULL)};
    for (size_t i = 0; i < NPART__COUNT(runs); i++) {
        int failures = test_failures;
        const Onnx__ModelProto *left = scanned_model(&runs[i]);
        if (field->is_of_attribute) {
            const Onnx__AttributeProto *attribute = left->graph->node[0]->attribute[0];
            check_record(&model, &runs[i], &attribute->base, message_at, field, &wanted);
            CHECK_INT(kept_of_attribute(attribute, field->number), wanted.kept);
            CHECK_TEXT(attribute->name, "the name after it");
        } else {
            const Onnx__TensorProto *tensor = tensor_in(left, place);
            check_record(&model, &runs[i], &tensor->base, message_at, field, &wanted);
            CHECK_INT(kept_of_tensor(tensor, field->number), wanted.kept);
            CHECK_INT(tensor->data_type, field->element_type);
            CHECK_TEXT(tensor->name, "the name after it");
            CHECK_TEXT(left->producer_name, "after");
        }
        if (failures != test_failures)
            fprintf(stderr, "%s, place %d, %zu elements\n", field->name, (int)place, count);
        scanned_close(&runs[i]);
    }
    bytes_free(&copy);
    bytes_free(&model);
}

/* Elements that fill the limit exactly: short ones take as many bytes as their width says. */
static size_t count_at_limit(const struct field *field)
{
    return field->limit / (field->width == FIXED32 ? 4 : field->width == FIXED64 ? 8 : 1);
}

static void test_wire_elided__every_field_at_its_limit(void)
{
    for (size_t i = 0; i < NPART__COUNT(fields); i++) {
        size_t count = count_at_limit(&fields[i]);
        for (size_t more = 0; more < 3; more++)
            check_payload(&fields[i], INITIALIZER, count - 1 + more, true);
    }
}

static void test_wire_elided__every_field_in_every_place(void)
{
    for (size_t i = 0; i < NPART__COUNT(fields); i++) {
        for (int place = 0; place < (fields[i].is_of_attribute ? 1 : PLACES); place++) {
            check_payload(&fields[i], (enum place)place, 0, false);
            check_payload(&fields[i], (enum place)place, 20, false);
            check_payload(&fields[i], (enum place)place, fields[i].limit + 1234, false);
        }
    }
}

/* ---- the rest of the model ----------------------------------------------------------------------------------- */

/* A model as protobuf-c writes it, so that padded lengths do not matter. */
static struct bytes repacked(struct scanned *scanned)
{
    const Onnx__ModelProto *model = scanned_model(scanned);
    struct bytes out = {0};
    size_t size = onnx__model_proto__get_packed_size(model);
    uint8_t *data = malloc(size + 1);
    REQUIRE(data);
    CHECK_INT(onnx__model_proto__pack(model, data), size);
    bytes_put(&out, data, size);
    free(data);
    return out;
}

/* A tensor with or without its payload, whose record is put in its place. `filler` changes every length around. */
static struct bytes tensor_of(size_t payload, size_t filler, const struct npart__elided *record)
{
    struct bytes tensor = {0}, name = {0};
    put_pattern(&name, filler, 'a');
    for (size_t i = 0; i < name.size; i++)
        name.data[i] = (uint8_t)('a' + i % 26);
    put_number(&tensor, 1, payload);
    put_number(&tensor, 2, 2);
    if (!record) {
        struct bytes raw = {0};
        put_pattern(&raw, payload, 3);
        put_bytes(&tensor, 9, raw.data, raw.size);
        bytes_free(&raw);
    }
    put_bytes(&tensor, 8, name.data, name.size);
    if (record)
        put_bytes(&tensor, NPART__ELIDED_FIELD, record, sizeof *record);
    bytes_free(&name);
    return tensor;
}

/* A record can be longer than the payload it stands for: then lengths get wider. */
static void check_surroundings(enum place place, size_t payload, size_t filler)
{
    static const struct npart__wire_options keep_little = {.keep_bytes = 1};
    static const struct npart__wire_options keep_all = {.keep_bytes = UINT32_MAX};
    struct bytes tensor = tensor_of(payload, filler, NULL);
    struct bytes model = model_with(&tensor, place);
    struct scanned scanned = scan_memory(model.data, model.size, &keep_little);
    const Onnx__ModelProto *left = scanned_model(&scanned);
    struct npart__elided record;
    REQUIRE(npart__onnx_elided(&tensor_in(left, place)->base, 0, &record));
    struct bytes tensor_left = tensor_of(payload, filler, &record);
    struct bytes model_left = model_with(&tensor_left, place);
    /* The other model is not scanned, for the scan drops forged records. */
    struct scanned other = scan_memory("\x3a\x00", 2, &keep_all);
    other.skeleton.data = model_left.data;
    other.skeleton.bytes = model_left.size;
    struct bytes found = repacked(&scanned), wanted = repacked(&other);
    CHECK(same_bytes(found.data, found.size, wanted.data, wanted.size));
    bytes_free(&found);
    bytes_free(&wanted);
    bytes_free(&model);
    bytes_free(&model_left);
    scanned_close(&scanned);
    scanned_close(&other);
}

static void test_wire_elided__everything_else_stays(void)
{
    static const size_t payloads[] = {2, 10, 35, 36, 37, 100, 300};
    for (int place = 0; place < PLACES; place++)
        for (size_t i = 0; i < NPART__COUNT(payloads); i++)
            for (size_t filler = 0; filler < 150; filler++)
                check_surroundings((enum place)place, payloads[i], filler);
    for (size_t filler = 16200; filler < 16400; filler++) /* from two bytes of length to three */
        check_surroundings(BODY_IN_BODY, 3, filler);
    for (size_t payload = 2; payload < 20000; payload += 37) /* and back down */
        check_surroundings(BODY, payload, 5);
}

/* Without anything to leave out not a byte changes. */
static void test_wire_elided__a_small_model_stays_as_it_is(void)
{
    for (int place = 0; place < PLACES; place++) {
        struct bytes tensor = tensor_of(100, 20, NULL), model = model_with(&tensor, (enum place)place);
        struct scanned scanned = scan_memory(model.data, model.size, NULL);
        CHECK(same_bytes(scanned.skeleton.data, scanned.skeleton.bytes, model.data, model.size));
        CHECK_INT(scanned.skeleton.elided_bytes, 0);
        CHECK_INT(scanned.skeleton.skipped_bytes, 0);
        scanned_close(&scanned);
        bytes_free(&model);
    }
}

/* ---- more than one payload ----------------------------------------------------------------------------------- */

static void put_raw(struct bytes *message, unsigned field, size_t bytes, unsigned first)
{
    struct bytes raw = {0};
    put_pattern(&raw, bytes, first);
    put_bytes(message, field, raw.data, raw.size);
    bytes_free(&raw);
}

static void test_wire_elided__a_record_for_each_field(void)
{
    struct bytes tensor = {0};
    struct npart__elided record;
    put_number(&tensor, 2, 1);
    put_raw(&tensor, 10, 8000, 1);
    put_raw(&tensor, 9, 5000, 2);
    put_raw(&tensor, 4, 4000, 3); /* each field has the limit for itself */
    put_raw(&tensor, 6, 6000, 4);
    struct bytes model = model_with(&tensor, INITIALIZER);
    struct scanned scanned = scan_memory(model.data, model.size, NULL);
    const Onnx__TensorProto *left = tensor_in(scanned_model(&scanned), INITIALIZER);
    static const struct {
        uint32_t field;
        uint64_t bytes, elements;
        uint8_t first;
    } wanted[] = {{6, 6000, 1, 4}, {9, 5000, 0, 2}, {10, 8000, 1000, 1}};
    for (unsigned i = 0; i < NPART__COUNT(wanted); i++) {
        REQUIRE(npart__onnx_elided(&left->base, i, &record));
        CHECK_INT(record.field, wanted[i].field);
        CHECK_INT(record.bytes, wanted[i].bytes);
        CHECK_INT(record.elements, wanted[i].elements);
        CHECK_INT(model.data[record.offset], wanted[i].first);
    }
    CHECK(!npart__onnx_elided(&left->base, 3, &record));
    CHECK_INT(left->n_float_data, 1000);
    CHECK_INT(scanned.skeleton.elided_bytes, 19000);
    scanned_close(&scanned);
    bytes_free(&model);
}

/* A packed field in pieces: what is over the limit, and all after it, goes. */
static void test_wire_elided__packed_in_pieces(void)
{
    struct bytes tensor = {0};
    struct npart__elided record;
    put_number(&tensor, 2, 1);
    put_raw(&tensor, 4, 3000, 1);
    put_raw(&tensor, 4, 1096, 2);  /* 4096 together */
    put_raw(&tensor, 4, 400, 3);
    put_raw(&tensor, 4, 4, 4);     /* small, but something before it is missing */
    put_tag(&tensor, 4, WIRE_FIXED32);
    put_fixed32(&tensor, 5);
    struct bytes model = model_with(&tensor, INITIALIZER);
    struct scanned scanned = scan_memory(model.data, model.size, NULL);
    const Onnx__TensorProto *left = tensor_in(scanned_model(&scanned), INITIALIZER);
    CHECK_INT(left->n_float_data, 1024);
    REQUIRE(npart__onnx_elided(&left->base, 0, &record));
    CHECK_INT(record.bytes, 408);
    CHECK_INT(record.elements, 102);
    CHECK_INT(model.data[record.offset], 3);
    scanned_close(&scanned);
    bytes_free(&model);
}

/* Packed varints are not counted, so with them nobody can tell how many elements are missing. */
static void test_wire_elided__elements_that_cannot_be_told(void)
{
    static const uint8_t ones[4096] = {1};
    static const struct {
        size_t packed, single, packed_again;
        uint64_t bytes, elements;
    } rows[] = {{4096, 1, 0, 1, 1}, {4096, 2, 0, 2, 2}, {4096, 1, 10, 11, 0}, {4090, 7, 0, 1, 1}, {4095, 0, 2, 2, 0}};
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        struct bytes tensor = {0};
        struct npart__elided record;
        put_number(&tensor, 2, 6);
        put_bytes(&tensor, 5, ones, rows[i].packed);
        for (size_t k = 0; k < rows[i].single; k++)
            put_number(&tensor, 5, 1);
        if (rows[i].packed_again)
            put_bytes(&tensor, 5, ones, rows[i].packed_again);
        struct bytes model = model_with(&tensor, INITIALIZER);
        struct scanned scanned = scan_memory(model.data, model.size, NULL);
        const Onnx__TensorProto *left = tensor_in(scanned_model(&scanned), INITIALIZER);
        REQUIRE(npart__onnx_elided(&left->base, 0, &record));
        CHECK_INT(record.bytes, rows[i].bytes);
        CHECK_INT(record.elements, rows[i].elements);
        CHECK_INT(left->n_int32_data + record.bytes, rows[i].packed + rows[i].single + rows[i].packed_again);
        scanned_close(&scanned);
        bytes_free(&model);
    }
}

/* A field that does not repeat, twice: the last counts, as in all of protobuf. */
static void test_wire_elided__the_last_of_a_whole_counts(void)
{
    static const struct {
        size_t first, second;
        bool is_elided;
    } rows[] = {{10, 20, false}, {10, 5000, true}, {5000, 10, false}, {5000, 6000, true}, {4096, 4096, false},
                {4096, 1, false}, {5000, 0, false}};
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        struct bytes tensor = {0};
        struct npart__elided record;
        put_number(&tensor, 2, 1);
        put_raw(&tensor, 9, rows[i].first, 1);
        put_raw(&tensor, 9, rows[i].second, 2);
        struct bytes model = model_with(&tensor, INITIALIZER);
        struct scanned scanned = scan_memory(model.data, model.size, NULL);
        const Onnx__TensorProto *left = tensor_in(scanned_model(&scanned), INITIALIZER);
        CHECK_INT(npart__onnx_elided(&left->base, 0, &record), rows[i].is_elided);
        if (rows[i].is_elided) {
            CHECK_INT(record.bytes, rows[i].second);
            CHECK_INT(model.data[record.offset], 2);
        } else {
            CHECK_INT(left->raw_data.len, rows[i].second);
            CHECK(rows[i].second == 0 || left->raw_data.data[0] == 2);
        }
        CHECK(!npart__onnx_elided(&left->base, 1, &record));
        scanned_close(&scanned);
        bytes_free(&model);
    }
}

/* ---- limits of the caller's ---------------------------------------------------------------------------------- */

static bool is_kept(const struct npart__wire_options *options, int element_type, size_t bytes, bool type_comes_last)
{
    struct bytes tensor = {0};
    struct npart__elided record;
    if (!type_comes_last)
        put_number(&tensor, 2, (uint64_t)element_type);
    put_raw(&tensor, 9, bytes, 0);
    if (type_comes_last)
        put_number(&tensor, 2, (uint64_t)element_type);
    struct bytes model = model_with(&tensor, INITIALIZER);
    struct scanned scanned = scan_memory(model.data, model.size, options);
    const Onnx__TensorProto *left = tensor_in(scanned_model(&scanned), INITIALIZER);
    bool is_elided = npart__onnx_elided(&left->base, 0, &record);
    CHECK_INT(left->raw_data.len, is_elided ? 0 : bytes);
    scanned_close(&scanned);
    bytes_free(&model);
    return !is_elided;
}

static void test_wire_elided__limits_of_the_callers(void)
{
    static const struct {
        uint64_t keep_bytes;
        int element_type;
        size_t limit;
    } rows[] = {
        {0, 1, 4096},  {1, 1, 1},          {4095, 1, 4095},    {4097, 1, 4097},      {100000, 1, 100000},
        {0, 7, 65536}, {1, 7, 65536},      {65535, 7, 65536},  {65537, 7, 65537},    {100000, 7, 100000},
        {0, 6, 4096},  {0, 13, 4096},      {0, 9, 4096},       {5, 16, 5},
    };
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        const struct npart__wire_options options = {.keep_bytes = rows[i].keep_bytes};
        CHECK(is_kept(&options, rows[i].element_type, rows[i].limit, false));
        CHECK(!is_kept(&options, rows[i].element_type, rows[i].limit + 1, false));
    }
}

static void test_wire_elided__int64_whose_type_comes_last(void)
{
    CHECK(is_kept(NULL, 7, 65536, true));
    CHECK(!is_kept(NULL, 7, 65537, true));
}

/* Where masks are asked for, those whose type is known by then. */
static void test_wire_elided__masks(void)
{
    const struct npart__wire_options options = {.keep_bool_bytes = 70000};
    CHECK(is_kept(&options, 9, 70000, false));
    CHECK(!is_kept(&options, 9, 70001, false));
    CHECK(!is_kept(&options, 9, 70000, true));
    CHECK(!is_kept(&options, 1, 70000, false));
    CHECK(is_kept(&options, 1, 4096, false) && is_kept(&options, 7, 65536, false));
}

TESTS(test_wire_elided__every_field_at_its_limit, test_wire_elided__every_field_in_every_place,
      test_wire_elided__everything_else_stays, test_wire_elided__a_small_model_stays_as_it_is,
      test_wire_elided__a_record_for_each_field, test_wire_elided__packed_in_pieces,
      test_wire_elided__elements_that_cannot_be_told, test_wire_elided__the_last_of_a_whole_counts,
      test_wire_elided__limits_of_the_callers, test_wire_elided__masks,
      test_wire_elided__int64_whose_type_comes_last)
