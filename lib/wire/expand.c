/* SPDX-License-Identifier: Apache-2.0
 *
 * A skeleton to the pieces of a file: one walk over its messages. Stretches without records are copied as they are;
 * only the lengths of messages that hold a record are written anew, each when its message closes.
 */
#include <stdio.h>

#include "wire/fields.h"
#include "wire/write.h"

/* An open message of the skeleton. */
struct level {
    size_t length_at, content, end; /* in the skeleton */
    uint64_t bytes_before;          /* of the output, at the content */
    uint32_t piece;                 /* of its new length */
    uint8_t message;
    bool is_changed;
};

struct expand {
    struct npart__expansion *out;
    struct npart__arena *arena;
    const struct npart__expand_options *options;
    struct npart_error *error;
    const uint8_t *data;
    size_t position, run_start; /* run_start: the first byte that is wanted and in no piece yet */
    struct level levels[NPART__LIMIT_DEPTH];
    unsigned depth;
};

/* One field of the skeleton. */
struct item {
    size_t at, length_at, start, end; /* its tag, its length, what it holds */
    uint64_t number;
    unsigned wire_type;
};

/* ---- reading --------------------------------------------------------------------------------------------- */

static npart_status broken(const struct expand *expand, size_t at)
{
    char place[48];
    (void)snprintf(place, sizeof place, "byte %zu of the skeleton", at);
    return npart__fail(expand->error, NPART_ERROR_MALFORMED, place, "is no field of a model read to be edited");
}

static bool read_varint(const uint8_t *data, size_t *at, size_t end, uint64_t *out)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < VARINT_BYTES && *at < end; i++) {
        uint8_t byte = data[(*at)++];
        value |= (uint64_t)(byte & 0x7f) << (7 * i);
        if (byte < 0x80) {
            *out = value;
            return true;
        }
    }
    return false;
}

/* The field at `at`; false where there is none before `end`. */
static bool read_item(const uint8_t *data, size_t at, size_t end, struct item *out)
{
    uint64_t key, value;
    size_t next = at;
    if (!read_varint(data, &next, end, &key))
        return false;
    *out = (struct item){.at = at, .length_at = next, .number = key >> 3, .wire_type = (unsigned)(key & 7)};
    out->start = next;
    switch (out->wire_type) {
    case WIRE_VARINT:
        if (!read_varint(data, &next, end, &value))
            return false;
        break;
    case WIRE_FIXED64:
    case WIRE_FIXED32:
        value = out->wire_type == WIRE_FIXED64 ? 8 : 4;
        if (value > end - next)
            return false;
        next += (size_t)value;
        break;
    case WIRE_BYTES:
        if (!read_varint(data, &next, end, &value) || value > end - next)
            return false;
        out->start = next;
        next += (size_t)value;
        break;
    default:
        return false;
    }
    out->end = next;
    return true;
}

static bool read_record(const uint8_t *data, const struct item *item, void *record, size_t bytes)
{
    if (item->wire_type != WIRE_BYTES || item->end - item->start != bytes)
        return false;
    memcpy(record, data + item->start, bytes);
    return true;
}

/* ---- pieces ---------------------------------------------------------------------------------------------- */

static npart_status add_piece(struct expand *expand, enum npart__piece_from from, uint64_t offset, uint64_t bytes)
{
    struct npart__expansion *out = expand->out;
    struct npart__piece piece = {.offset = offset, .bytes = bytes, .from = from};
    if (!NPART__PUSH(expand->arena, &out->pieces, piece))
        return npart__fail_memory(expand->error);
    /* Far above what can be written: a sum that is no longer exact is still too large. */
    uint64_t most = UINT64_MAX >> 2;
    out->bytes = bytes > most - out->bytes ? most : out->bytes + bytes;
    return NPART_OK;
}

/* Everything wanted before `end`. */
static npart_status end_run(struct expand *expand, size_t end)
{
    size_t start = expand->run_start;
    expand->run_start = end;
    return end > start ? add_piece(expand, NPART__FROM_SKELETON, start, end - start) : NPART_OK;
}

/* The innermost message changes, and so do the lengths of all around it: each gets a piece, filled in later. */
static npart_status mark_changed(struct expand *expand)
{
    unsigned first = expand->depth;
    while (first > 1 && !expand->levels[first - 1].is_changed)
        first--;
    npart_status status = NPART_OK;
    for (unsigned i = first; i < expand->depth && status == NPART_OK; i++) {
        struct level *level = &expand->levels[i];
        status = end_run(expand, level->length_at);
        level->piece = expand->out->pieces.count;
        if (status == NPART_OK)
            status = add_piece(expand, NPART__FROM_EXTRA, 0, 0);
        level->bytes_before = expand->out->bytes;
        level->is_changed = true;
        expand->run_start = level->content;
    }
    return status;
}

/* Leaves a field of the skeleton out. */
static npart_status drop(struct expand *expand, const struct item *item)
{
    npart_status status = mark_changed(expand);
    if (status == NPART_OK)
        status = end_run(expand, item->at);
    expand->run_start = item->end;
    return status;
}

static npart_status expand_verbatim(struct expand *expand, const struct item *item)
{
    struct npart__verbatim record;
    uint64_t input_bytes = expand->out->input->bytes;
    if (!read_record(expand->data, item, &record, sizeof record) || record.offset > input_bytes ||
        record.bytes > input_bytes - record.offset)
        return broken(expand, item->at);
    npart_status status = drop(expand, item);
    if (status == NPART_OK && record.bytes)
        status = add_piece(expand, NPART__FROM_INPUT, record.offset, record.bytes);
    return status;
}

/* ---- messages -------------------------------------------------------------------------------------------- */

static npart_status too_deep(const struct expand *expand)
{
    return npart__fail(expand->error, NPART_ERROR_LIMIT, "", "messages are nested deeper than %u", NPART__LIMIT_DEPTH);
}

static npart_status open_level(struct expand *expand, const struct item *item, unsigned message)
{
    if (expand->depth >= NPART__LIMIT_DEPTH)
        return too_deep(expand);
    expand->levels[expand->depth++] = (struct level){
        .length_at = item->length_at, .content = item->start, .end = item->end, .message = (uint8_t)message};
    expand->position = item->start;
    return NPART_OK;
}

/* The length that was left open, now that it is known. */
static npart_status fill_length(struct expand *expand, const struct level *level)
{
    struct npart__expansion *out = expand->out;
    uint8_t varint[VARINT_BYTES];
    size_t width = put_varint(varint, out->bytes - level->bytes_before), offset = out->extra.size;
    npart__append(&out->extra, (const char *)varint, width);
    if (out->extra.failed)
        return npart__fail_memory(expand->error);
    out->pieces.items[level->piece].offset = offset;
    out->pieces.items[level->piece].bytes = width;
    out->bytes += width;
    return NPART_OK;
}

static npart_status close_level(struct expand *expand)
{
    struct level *level = &expand->levels[expand->depth - 1];
    npart_status status = NPART_OK;
    if (level->is_changed) {
        status = end_run(expand, level->end);
        if (status == NPART_OK)
            status = fill_length(expand, level);
    }
    expand->depth--;
    return status;
}

static npart_status expand_field(struct expand *expand)
{
    struct level *level = &expand->levels[expand->depth - 1];
    struct item item;
    if (!read_item(expand->data, expand->position, level->end, &item))
        return broken(expand, expand->position);
    expand->position = item.end;
    if (item.number == NPART__ELIDED_FIELD)
        return drop(expand, &item);
    if (item.number == NPART__VERBATIM_FIELD)
        return expand_verbatim(expand, &item);
    struct field field = {0};
    if (item.number < FIELD_NUMBERS)
        field = npart__fields[level->message][item.number];
    if (item.wire_type == WIRE_BYTES && is_message(field))
        return open_level(expand, &item, field.child);
    return NPART_OK;
}

static npart_status check_size(const struct expand *expand)
{
    uint64_t limit = expand->options->limit_bytes ? expand->options->limit_bytes : NPART__LIMIT_SKELETON_BYTES;
    uint64_t bytes = expand->out->bytes;
    if (bytes <= limit)
        return NPART_OK;
    return npart__fail(expand->error, NPART_ERROR_LIMIT, "",
                       "the model would take %llu bytes, and a protobuf message can have %llu",
                       (unsigned long long)bytes, (unsigned long long)limit);
}

npart_status npart__expansion_make(struct npart__expansion *out, const void *skeleton, size_t bytes,
                                   const struct npart__input *input, const struct npart__expand_options *options,
                                   struct npart__arena *arena, struct npart_error *error)
{
    static const struct npart__expand_options defaults = {0};
    struct expand *expand = npart__arena_zeroed(arena, 1, sizeof *expand);
    if (!expand)
        return npart__fail_memory(error);
    *out = (struct npart__expansion){.input = input, .skeleton = skeleton};
    npart__buffer_init(&out->extra, arena);
    expand->out = out;
    expand->arena = arena;
    expand->options = options ? options : &defaults;
    expand->error = error;
    expand->data = skeleton;
    expand->levels[0] = (struct level){.end = bytes, .message = MESSAGE_MODEL, .is_changed = true};
    expand->depth = 1;
    npart_status status = NPART_OK;
    while (status == NPART_OK) {
        if (expand->position < expand->levels[expand->depth - 1].end)
            status = expand_field(expand);
        else if (expand->depth > 1)
            status = close_level(expand);
        else
            break;
    }
    if (status == NPART_OK)
        status = end_run(expand, bytes);
    return status == NPART_OK ? check_size(expand) : status;
}
