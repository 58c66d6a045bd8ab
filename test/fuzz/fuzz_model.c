/* SPDX-License-Identifier: Apache-2.0
 *
 * Bytes as a model, from memory and through a stream; where it is one, the whole way to the reports of the built-in
 * target. Mutations keep the protobuf framing half of the time: lengths around a changed field are written anew, so
 * that what lies behind the scan is reached.
 */
#include "fuzz/fuzz.h"

/* ---- one input ------------------------------------------------------------------------------------------------ */

static size_t live_bytes;
static const struct npart_allocator limited = {fuzz_allocate, NULL, fuzz_release, &live_bytes};

struct stream {
    const uint8_t *data;
    size_t rest, piece;
};

static ptrdiff_t read_piece(void *payload, void *into, size_t bytes)
{
    struct stream *stream = payload;
    size_t most = stream->piece = stream->piece * 3 % 1021 + 1;
    bytes = bytes < most ? bytes : most;
    bytes = bytes < stream->rest ? bytes : stream->rest;
    if (bytes)
        memcpy(into, stream->data, bytes);
    stream->data += bytes;
    stream->rest -= bytes;
    return (ptrdiff_t)bytes;
}

static const npart_oplist *hexagon(void)
{
    static npart_oplist *oplist;
    if (!oplist)
        FUZZ_REQUIRE(npart_oplist_find(&oplist, "hexagon", NULL, NULL) == NPART_OK);
    return oplist;
}

/* A target of nearly everything, control flow included, so that partitions are many and large. */
static const npart_oplist *most_ops(void)
{
    static const char text[] =
        "format 1\ntarget most\nbodies own\nlayout nhwc Conv MaxPool\nthrough Add Relu\n"
        "param launch_ms 1 2 3 \"made up\"\nparam copy_gb_per_s 1 2 3 \"made up\"\n"
        "op Add Cast Concat Constant Conv DequantizeLinear Div Gather Gemm If Loop MatMul MaxPool Mul QuantizeLinear\n"
        "op Relu Reshape Scan Shape Slice\n  need rank(inputs) <= 3 \"three axes\"\n"
        "op Softmax Split Sub Transpose Unsqueeze\n  need static(*) \"fixed sizes\" else fail\n";
    static npart_oplist *oplist;
    if (!oplist)
        FUZZ_REQUIRE(npart_oplist_read_memory(&oplist, text, sizeof text - 1, "most.ops", NULL, NULL) == NPART_OK);
    return oplist;
}

static npart_plan *plan_of(npart_inference *inference, const npart_oplist *oplist, enum npart_level level,
                           const char *partitioner)
{
    struct npart_plan_options options = NPART_PLAN_OPTIONS_INIT;
    struct npart_error error;
    npart_plan *plan = NULL;
    options.level = level;
    options.partitioner = partitioner;
    npart_status status = npart_plan_make(&plan, inference, oplist, NULL, &options, &error);
    FUZZ_REQUIRE((status == NPART_OK) == (plan != NULL));
    if (status != NPART_OK)
        fuzz_check_error(status, &error);
    else
        fuzz_check_plan(plan);
    return plan;
}

static void analyse(npart_model *model, size_t choice)
{
    static const char *const partitioners[] = {"connected", "openvino", "prefix", "runs", "single", "waves", "whole"};
    npart_inference *open = NULL, *fixed = NULL;
    struct npart_error error;
    struct fuzz_text shapes = {NULL, 0};
    npart_status status = npart_inference_make(&open, model, NULL, &error);
    if (status != NPART_OK) {
        fuzz_check_error(status, &error);
        return;
    }
    if (npart_inference_write_shapes(open, fuzz_keep, &shapes, &error) == NPART_OK)
        fuzz_check_json(&shapes);
    free(shapes.data);
    status = npart_inference_make_fixed(&fixed, open, &error);
    if (status != NPART_OK)
        fuzz_check_error(status, &error);
    npart_plan *plan = plan_of(open, hexagon(), NPART_LEVEL_BASIC, NULL);
    npart_plan *plan_fixed = fixed ? plan_of(fixed, hexagon(), NPART_LEVEL_BASIC, NULL) : NULL;
    npart_plan *plan_off = plan_of(open, most_ops(), choice % 2 ? NPART_LEVEL_OFF : NPART_LEVEL_BASIC,
                                   partitioners[choice % (sizeof partitioners / sizeof partitioners[0])]);
    if (plan)
        fuzz_report(plan, plan_fixed);
    if (plan_off)
        fuzz_report(plan_off, NULL);
    npart_plan_free(plan_off);
    npart_plan_free(plan_fixed);
    npart_plan_free(plan);
    npart_inference_free(fixed);
    npart_inference_free(open);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    npart_model *model = NULL, *streamed = NULL;
    struct npart_error error, other;
    struct stream stream = {data, bytes, 7};
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    options.allocator = &limited;
    npart_status status = npart_model_read_memory(&model, data, bytes, &options, &error);
    npart_status again = npart_model_read_stream(&streamed, read_piece, &stream, &options, &other);
    FUZZ_REQUIRE(status == again && (status == NPART_OK) == (model != NULL));
    FUZZ_REQUIRE(status != NPART_ERROR_ARGUMENT && status != NPART_ERROR_WRITE && status != NPART_ERROR_READ);
    npart_model_free(streamed);
    if (status == NPART_OK)
        analyse(model, bytes);
    else
        fuzz_check_error(status, &error);
    npart_model_free(model);
    FUZZ_REQUIRE(live_bytes == 0);
    return 0;
}

/* ---- mutations that keep the framing --------------------------------------------------------------------------- */

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

#define MOST_FIELDS 4096
#define MOST_LEVELS 12
#define FIELD_ROOM 4096u

struct field {
    size_t begin, payload, end; /* of the whole field; of what follows tag and length */
    unsigned wire_type;
};

struct walk {
    uint8_t *data;
    size_t bytes;
    unsigned random;
    struct field path[MOST_LEVELS]; /* from the outermost to the field to change */
    unsigned levels;
};

static unsigned next_random(struct walk *walk, unsigned below)
{
    walk->random = walk->random * 1664525u + 1013904223u;
    return (walk->random >> 8) % below;
}

static bool take_varint(const uint8_t *data, size_t end, size_t *at, uint64_t *out)
{
    *out = 0;
    for (unsigned shift = 0; shift < 64 && *at < end; shift += 7) {
        uint8_t byte = data[(*at)++];
        *out |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool take_field(const uint8_t *data, size_t end, size_t *at, struct field *out)
{
    uint64_t tag, length = 0;
    out->begin = *at;
    if (!take_varint(data, end, at, &tag) || tag >> 3 == 0 || tag >> 3 > 30)
        return false;
    out->wire_type = tag & 7;
    out->payload = *at;
    if (out->wire_type == 0) {
        if (!take_varint(data, end, at, &length))
            return false;
        out->end = *at;
        return true;
    }
    if (out->wire_type == 2 && !take_varint(data, end, at, &length))
        return false;
    if (out->wire_type == 5)
        length = 4;
    else if (out->wire_type == 1)
        length = 8;
    else if (out->wire_type != 2)
        return false;
    if (length > end - *at)
        return false;
    out->payload = *at;
    *at += (size_t)length;
    out->end = *at;
    return true;
}

/* A field of the message in [begin, end) by chance; false when these bytes are no message. */
static bool pick_field(struct walk *walk, size_t begin, size_t end, struct field *out)
{
    static struct field fields[MOST_FIELDS];
    unsigned count = 0;
    size_t at = begin;
    while (at < end && count < MOST_FIELDS)
        if (!take_field(walk->data, end, &at, &fields[count++]))
            return false;
    if (count == 0)
        return false;
    *out = fields[next_random(walk, count)];
    return true;
}

static bool pick_path(struct walk *walk)
{
    walk->levels = 0;
    size_t begin = 0, end = walk->bytes;
    while (walk->levels < MOST_LEVELS && pick_field(walk, begin, end, &walk->path[walk->levels])) {
        const struct field *field = &walk->path[walk->levels++];
        begin = field->payload;
        end = field->end;
        if (field->wire_type != 2 || next_random(walk, 5) == 0)
            break;
    }
    return walk->levels > 0;
}

static size_t put_varint(uint8_t *out, uint64_t value)
{
    size_t count = 0;
    for (; value > 0x7f; value >>= 7)
        out[count++] = (uint8_t)(value | 0x80);
    out[count++] = (uint8_t)value;
    return count;
}

/* Puts `bytes` in place of the innermost field and writes the lengths around it anew; the new size, or 0. */
static size_t replace(struct walk *walk, const uint8_t *bytes, size_t count, size_t max_size)
{
    static uint8_t built[1 << 20], next[1 << 20];
    if (walk->bytes + count + 10 * MOST_LEVELS > sizeof built)
        return 0;
    memcpy(built, bytes, count);
    for (unsigned level = walk->levels; level-- > 0;) {
        const struct field *field = &walk->path[level];
        size_t begin = level ? walk->path[level - 1].payload : 0, end = level ? walk->path[level - 1].end : walk->bytes;
        size_t size = 0, before = field->begin - begin, after = end - field->end;
        if (level) { /* the tag and the new length of the message around it */
            const struct field *outer = &walk->path[level - 1];
            uint64_t tag;
            size_t at = outer->begin;
            (void)take_varint(walk->data, outer->end, &at, &tag);
            size = put_varint(next, tag);
            size += put_varint(next + size, before + count + after);
        }
        memcpy(next + size, walk->data + begin, before);
        memcpy(next + size + before, built, count);
        memcpy(next + size + before + count, walk->data + field->end, after);
        count = size + before + count + after;
        memcpy(built, next, count);
    }
    if (count > max_size)
        return 0;
    memcpy(walk->data, built, count);
    return count;
}

/* The field with its payload mutated by libFuzzer. */
static size_t change_payload(const struct walk *walk, const struct field *field, uint8_t *out)
{
    uint8_t payload[FIELD_ROOM];
    uint64_t tag;
    size_t at = field->begin, count = field->end - field->payload;
    if (count > FIELD_ROOM / 2)
        return 0;
    memcpy(payload, walk->data + field->payload, count);
    size_t most = field->wire_type == 2 ? FIELD_ROOM / 2 : count;
    count = LLVMFuzzerMutate(payload, count, most);
    (void)take_varint(walk->data, field->end, &at, &tag);
    size_t size = put_varint(out, tag);
    if (field->wire_type == 0) {
        uint64_t number = 0;
        memcpy(&number, payload, count < 8 ? count : 8);
        return size + put_varint(out + size, number);
    }
    if (field->wire_type == 2)
        size += put_varint(out + size, count);
    memcpy(out + size, payload, count);
    return size + count;
}

/* What stands for the field: changed, doubled, gone, another one from elsewhere, or this one with that one's bytes. */
static size_t new_field(struct walk *walk, uint8_t *out)
{
    struct walk other = *walk;
    struct field field = walk->path[walk->levels - 1];
    size_t size = field.end - field.begin;
    if (size > FIELD_ROOM)
        return SIZE_MAX;
    switch (next_random(walk, 6)) {
    case 0:
        return 0;
    case 1:
        memcpy(out, walk->data + field.begin, size);
        memcpy(out + size, walk->data + field.begin, size);
        return 2 * size;
    case 2:
    case 3: {
        other.random = walk->random ^ 0x5bd1e995u;
        if (!pick_path(&other))
            return SIZE_MAX;
        struct field from = other.path[other.levels - 1];
        size_t count = from.end - from.payload;
        uint64_t tag;
        size_t at = field.begin;
        if (from.end - from.begin > FIELD_ROOM || from.wire_type != 2 || field.wire_type != 2)
            return SIZE_MAX;
        (void)take_varint(walk->data, field.end, &at, &tag);
        size_t used = put_varint(out, tag);
        used += put_varint(out + used, count);
        memcpy(out + used, walk->data + from.payload, count);
        return used + count;
    }
    default:
        size = change_payload(walk, &field, out);
        return size ? size : SIZE_MAX;
    }
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    struct walk walk = {.data = data, .bytes = size, .random = seed};
    uint8_t field[2 * FIELD_ROOM + 32];
    if (next_random(&walk, 4) == 0 || !pick_path(&walk))
        return LLVMFuzzerMutate(data, size, max_size);
    size_t count = new_field(&walk, field);
    size_t changed = count == SIZE_MAX ? 0 : replace(&walk, field, count, max_size);
    return changed ? changed : LLVMFuzzerMutate(data, size, max_size);
}
