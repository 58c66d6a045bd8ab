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
    bool is_moved; /* a tensor whose payload goes to the external file */
    struct npart__elided payload; /* of that */
};

struct expand {
    struct npart__recipe *out;
    struct npart__arena *arena;
    const struct npart__expand_options *options;
    struct npart_error *error;
    const uint8_t *data; /* the skeleton */
    size_t position, run_start; /* run_start: the first byte that is wanted and in no piece yet */
    struct level levels[NPART__LIMIT_DEPTH];
    unsigned depth; /* how many are open; 1: the model alone */
};

/* ---- reading --------------------------------------------------------------------------------------------- */

/* A skeleton that was not made by a scan with keeps_all, or was edited into no message. */
static npart_status broken(const struct expand *expand, size_t at)
{
    char place[48];
    (void)snprintf(place, sizeof place, "byte %zu of the skeleton", at);
    return npart__fail(expand->error, NPART_ERROR_MALFORMED, place, "is no field of a model read to be edited");
}

/* Copied out, since records stand in the skeleton at any address. */
static bool read_record(const uint8_t *data, const struct npart__item *item, void *record, size_t bytes)
{
    if (item->wire_type != WIRE_BYTES || item->end - item->start != bytes)
        return false;
    memcpy(record, data + item->start, bytes);
    return true;
}

/* ---- pieces ---------------------------------------------------------------------------------------------- */

/* Bytes of the output are counted here alone, but for lengths, which are filled in later (fill_length). */
static npart_status add_piece(struct expand *expand, enum npart__piece_from from, uint64_t offset, uint64_t bytes)
{
    struct npart__recipe *out = expand->out;
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

/* The innermost message changes, and so do the lengths of all around it: each gets a piece, filled in later. What is
 * round a marked message is marked, too, so the walk outwards ends at the first. Level 0, the model, has no length
 * and is marked from the beginning. */
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
static npart_status drop(struct expand *expand, const struct npart__item *item)
{
    npart_status status = mark_changed(expand);
    if (status == NPART_OK)
        status = end_run(expand, item->at);
    expand->run_start = item->end;
    return status;
}

/* The range of the input comes where its record stands. A range past the end of the input says that the skeleton is
 * of another file. */
static npart_status expand_verbatim(struct expand *expand, const struct npart__item *item)
{
    struct npart__verbatim record;
    const struct level *level = &expand->levels[expand->depth - 1];
    uint64_t input_bytes = expand->out->input->bytes;
    if (!read_record(expand->data, item, &record, sizeof record) || record.offset > input_bytes ||
        record.bytes > input_bytes - record.offset)
        return broken(expand, item->at);
    npart_status status = drop(expand, item);
    bool is_moved = level->is_moved && record.field == RAW_DATA;
    if (status == NPART_OK && record.bytes && !is_moved)
        status = add_piece(expand, NPART__FROM_INPUT, record.offset, record.bytes);
    return status;
}

/* ---- external data --------------------------------------------------------------------------------------- */

/* Whether the payload of a tensor goes to the external file: raw_data that was left out. Its last record counts. */
static bool is_to_move(const struct expand *expand, const struct npart__item *tensor, struct npart__elided *out)
{
    uint64_t type = 0, location = 0;
    struct npart__item item;
    struct npart__elided record;
    bool is_found = false;
    for (size_t at = tensor->start; at < tensor->end; at = item.end) {
        if (!npart__read_item(expand->data, at, tensor->end, &item))
            return false;
        if (item.number == DATA_TYPE)
            type = item.value;
        else if (item.number == DATA_LOCATION)
            location = item.value;
        else if (item.number == NPART__ELIDED_FIELD && read_record(expand->data, &item, &record, sizeof record) &&
                 record.field == RAW_DATA) {
            *out = record;
            is_found = true;
        }
    }
    uint64_t input_bytes = expand->out->input->bytes;
    return is_found && type != TYPE_STRING && location != LOCATION_EXTERNAL && out->offset <= input_bytes &&
           out->bytes <= input_bytes - out->offset;
}

/* What a moved tensor must not have any more: its payload, and an older word on where it is. */
static bool is_replaced(uint64_t number)
{
    return number == RAW_DATA || number == EXTERNAL_DATA || number == DATA_LOCATION;
}

/* An entry of external_data. A StringStringEntryProto, whose key is field 1 and whose value is field 2; each has a
 * tag of one byte, hence the 2 in the length. */
static void put_entry(struct npart__buffer *buffer, const char *key, const char *value)
{
    uint8_t header[4 * VARINT_BYTES + 4], inner[VARINT_BYTES];
    size_t key_bytes = strlen(key), value_bytes = strlen(value), used = 0;
    uint64_t bytes = 2 + put_varint(inner, key_bytes) + key_bytes + put_varint(inner, value_bytes) + value_bytes;
    header[used++] = EXTERNAL_DATA << 3 | WIRE_BYTES;
    used += put_varint(header + used, bytes);
    header[used++] = 1 << 3 | WIRE_BYTES;
    used += put_varint(header + used, key_bytes);
    npart__append(buffer, (const char *)header, used);
    npart__append(buffer, key, key_bytes);
    used = 0;
    header[used++] = 2 << 3 | WIRE_BYTES;
    used += put_varint(header + used, value_bytes);
    npart__append(buffer, (const char *)header, used);
    npart__append(buffer, value, value_bytes);
}

/* The end of a file of `bytes` bytes, where the next payload begins. */
static npart_status find_place(const struct expand *expand, uint64_t bytes, struct npart__moved *moved)
{
    uint64_t pages = (bytes + NPART__EXTERNAL_ALIGNMENT - 1) / NPART__EXTERNAL_ALIGNMENT;
    moved->to = pages * NPART__EXTERNAL_ALIGNMENT;
    return moved->to <= INT64_MAX - moved->bytes
               ? NPART_OK
               : npart__fail(expand->error, NPART_ERROR_LIMIT, "", "the weights do not fit in one file");
}

static npart_status place(struct expand *expand, struct npart__moved *moved)
{
    struct npart__recipe *out = expand->out;
    npart_status status = find_place(expand, out->external_bytes, moved);
    if (status != NPART_OK)
        return status;
    out->external_bytes = moved->to + moved->bytes;
    return NPART__PUSH(expand->arena, &out->moved, *moved) ? NPART_OK : npart__fail_memory(expand->error);
}

/* Where another model has it. The search goes on after the last one found, and round, so it is short where models have
 * their weights in one order. */
static npart_status share(struct expand *expand, struct npart__moved *moved)
{
    struct npart__shared_data *shared = expand->options->shared;
    uint32_t count = shared->moved.count;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = (shared->next + i) % count;
        const struct npart__moved *other = &shared->moved.items[at];
        if (other->from != moved->from || other->bytes != moved->bytes)
            continue;
        moved->to = other->to;
        shared->next = at + 1;
        return NPART_OK;
    }
    npart_status status = find_place(expand, shared->bytes, moved);
    if (status != NPART_OK)
        return status;
    shared->bytes = moved->to + moved->bytes;
    return NPART__PUSH(shared->arena, &shared->moved, *moved) ? NPART_OK : npart__fail_memory(expand->error);
}

/* Where the payload will stand, as fields of its tensor. onnx.proto has location, offset and length as texts, and
 * data_location 1 says that they count. Offsets are whole pages: after 10 bytes the next payload begins at 4096. */
static npart_status add_location(struct expand *expand, const struct npart__elided *payload)
{
    struct npart__recipe *out = expand->out;
    struct npart__moved moved = {.from = payload->offset, .bytes = payload->bytes};
    npart_status status = expand->options->shared ? share(expand, &moved) : place(expand, &moved);
    if (status != NPART_OK)
        return status;
    char offset[24], length[24];
    /* cppcheck-suppress badBitmaskCheck ; the wire type 0 is named as the others are */
    static const uint8_t location[] = {DATA_LOCATION << 3 | WIRE_VARINT, LOCATION_EXTERNAL};
    (void)snprintf(offset, sizeof offset, "%llu", (unsigned long long)moved.to);
    (void)snprintf(length, sizeof length, "%llu", (unsigned long long)moved.bytes);
    size_t start = out->extra.size;
    put_entry(&out->extra, "location", expand->options->external_location);
    put_entry(&out->extra, "offset", offset);
    put_entry(&out->extra, "length", length);
    npart__append(&out->extra, (const char *)location, sizeof location);
    if (out->extra.failed)
        return npart__fail_memory(expand->error);
    return add_piece(expand, NPART__FROM_EXTRA, start, out->extra.size - start);
}

/* ---- messages -------------------------------------------------------------------------------------------- */

/* An edit may have put a body into a body; what the scan read was within the limit. */
static npart_status too_deep(const struct expand *expand)
{
    return npart__fail(expand->error, NPART_ERROR_LIMIT, "", "messages are nested deeper than %u", NPART__LIMIT_DEPTH);
}

/* Only tensors that stand in a graph directly are moved: initializers. Those of attributes stay. */
static npart_status open_level(struct expand *expand, const struct npart__item *item, unsigned message)
{
    if (expand->depth >= NPART__LIMIT_DEPTH)
        return too_deep(expand);
    bool is_initializer = message == MESSAGE_TENSOR && expand->levels[expand->depth - 1].message == MESSAGE_GRAPH;
    struct level *level = &expand->levels[expand->depth++];
    *level = (struct level){
        .length_at = item->length_at, .content = item->start, .end = item->end, .message = (uint8_t)message};
    level->is_moved =
        is_initializer && expand->options->external_location && is_to_move(expand, item, &level->payload);
    expand->position = item->start;
    return NPART_OK;
}

/* The length that was left open, now that it is known. It counts what the message has put out since, with the new
 * lengths of the messages within; theirs were added when they closed. */
static npart_status fill_length(struct expand *expand, const struct level *level)
{
    struct npart__recipe *out = expand->out;
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

/* A message that did not change is part of the run, length and all. */
static npart_status close_level(struct expand *expand)
{
    struct level *level = &expand->levels[expand->depth - 1];
    npart_status status = NPART_OK;
    if (level->is_changed) {
        status = end_run(expand, level->end);
        if (status == NPART_OK && level->is_moved)
            status = add_location(expand, &level->payload);
        if (status == NPART_OK)
            status = fill_length(expand, level);
    }
    expand->depth--;
    return status;
}

/* One field at the position. Records are taken by number, wherever they stand; a message is gone into, anything else
 * stays in the run. */
static npart_status expand_field(struct expand *expand)
{
    struct level *level = &expand->levels[expand->depth - 1];
    struct npart__item item;
    if (!npart__read_item(expand->data, expand->position, level->end, &item))
        return broken(expand, expand->position);
    expand->position = item.end;
    if (item.number == NPART__ELIDED_FIELD || (level->is_moved && is_replaced(item.number)))
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

/* The message tells what may help: with raw weights moved out, what is left is rarely too large. */
static npart_status check_size(const struct expand *expand)
{
    uint64_t limit = expand->options->limit_bytes ? expand->options->limit_bytes : NPART__LIMIT_SKELETON_BYTES;
    uint64_t bytes = expand->out->bytes;
    if (bytes <= limit)
        return NPART_OK;
    return npart__fail(expand->error, NPART_ERROR_LIMIT, "",
                       "the model would take %llu bytes, and a protobuf message can have %llu%s",
                       (unsigned long long)bytes, (unsigned long long)limit,
                       expand->options->external_location ? " even with its raw weights moved out"
                                                          : ": --weights external moves its weights out");
}

npart_status npart__recipe_make(struct npart__recipe *out, const void *skeleton, size_t bytes,
                                   const struct npart__input *input, const struct npart__expand_options *options,
                                   struct npart__arena *arena, struct npart_error *error)
{
    static const struct npart__expand_options defaults = {0};
    struct expand *expand = npart__arena_zeroed(arena, 1, sizeof *expand);
    if (!expand)
        return npart__fail_memory(error);
    *out = (struct npart__recipe){.input = input, .skeleton = skeleton};
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
