/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/mutate.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "fuzz/generate.h"

/* ---- mutations that keep the framing --------------------------------------------------------------------------- */

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

static size_t write_varint(uint8_t *out, uint64_t value)
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
            size = write_varint(next, tag);
            size += write_varint(next + size, before + count + after);
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
static size_t change_payload(struct walk *walk, const struct field *field, uint8_t *out)
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
    size_t size = write_varint(out, tag);
    if (field->wire_type == 0) {
        static const int64_t numbers[] = {0, 1, -1, 2, 3, 7, -2, 127, 65536, INT32_MAX, INT64_MAX, INT64_MIN};
        uint64_t number = 0;
        memcpy(&number, payload, count < 8 ? count : 8);
        if (next_random(walk, 2))
            number = (uint64_t)numbers[next_random(walk, sizeof numbers / sizeof numbers[0])];
        return size + write_varint(out + size, number);
    }
    if (field->wire_type == 2)
        size += write_varint(out + size, count);
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
        size_t used = write_varint(out, tag);
        used += write_varint(out + used, count);
        memcpy(out + used, walk->data + from.payload, count);
        return used + count;
    }
    default:
        size = change_payload(walk, &field, out);
        return size ? size : SIZE_MAX;
    }
}

/* ---- mutations that know what a node is ------------------------------------------------------------------------ */

#define MOST_NAMES 512
#define MOST_PIECES 64

enum { MODEL_GRAPH = 7, GRAPH_NODE = 1 };
enum { NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_OP = 4, NODE_ATTRIBUTE = 5, NODE_DOMAIN = 7 };

struct name {
    const uint8_t *data;
    size_t size;
};

static unsigned number_of(const struct walk *walk, const struct field *field)
{
    uint64_t tag = 0;
    size_t at = field->begin;
    (void)take_varint(walk->data, field->end, &at, &tag);
    return (unsigned)(tag >> 3);
}

/* The fields of a message, as far as there is room; 0 when it is none. */
static unsigned fields_of(const struct walk *walk, size_t begin, size_t end, struct field *out, unsigned room)
{
    unsigned count = 0;
    size_t at = begin;
    while (at < end && count < room)
        if (!take_field(walk->data, end, &at, &out[count++]))
            return 0;
    return count;
}

/* A node of the main graph by chance as the innermost of the path. */
static bool pick_node(struct walk *walk, struct field *fields, unsigned *count)
{
    unsigned candidates[2] = {MODEL_GRAPH, GRAPH_NODE};
    size_t begin = 0, end = walk->bytes;
    walk->levels = 0;
    for (unsigned level = 0; level < 2; level++) {
        *count = fields_of(walk, begin, end, fields, MOST_FIELDS);
        unsigned fitting = 0, chosen = 0;
        for (unsigned i = 0; i < *count; i++)
            if (number_of(walk, &fields[i]) == candidates[level] && fields[i].wire_type == 2 &&
                next_random(walk, ++fitting) == 0)
                chosen = i;
        if (!fitting)
            return false;
        walk->path[walk->levels++] = fields[chosen];
        begin = fields[chosen].payload;
        end = fields[chosen].end;
    }
    return true;
}

/* Names of operands of the nodes among these fields of a graph. */
static unsigned names_of(const struct walk *walk, const struct field *fields, unsigned count, struct name *out)
{
    struct field inner[MOST_PIECES];
    unsigned found = 0;
    for (unsigned i = 0; i < count; i++) {
        if (number_of(walk, &fields[i]) != GRAPH_NODE || fields[i].wire_type != 2)
            continue;
        unsigned pieces = fields_of(walk, fields[i].payload, fields[i].end, inner, MOST_PIECES);
        for (unsigned k = 0; k < pieces && found < MOST_NAMES; k++)
            if (number_of(walk, &inner[k]) <= NODE_OUTPUT && inner[k].wire_type == 2)
                out[found++] = (struct name){walk->data + inner[k].payload, inner[k].end - inner[k].payload};
    }
    return found;
}

/* A part of a node that is put back as it is, or with a name in place of its own. */
static void copy_piece(const struct walk *walk, struct bytes *out, const struct field *piece, const struct name *other)
{
    if (other)
        put_bytes(out, number_of(walk, piece), other->data, other->size);
    else
        bytes_put(out, walk->data + piece->begin, piece->end - piece->begin);
}

enum change { ADD_OUTPUT, REWIRE, OTHER_OPERATOR, PUT_BETWEEN, ADD_INPUT, OTHER_ATTRIBUTES, CHANGES };

static void append_generated(struct walk *walk, struct bytes *out, bool only_attributes)
{
    uint8_t seed[64];
    for (size_t i = 0; i < sizeof seed; i++)
        seed[i] = (uint8_t)next_random(walk, 256);
    struct choices choices = {seed, 0, sizeof seed};
    struct bytes node = generate_node(&choices, 8);
    struct walk inner = {.data = node.data, .bytes = node.size};
    struct field pieces[MOST_PIECES];
    unsigned count = fields_of(&inner, 0, node.size, pieces, MOST_PIECES);
    for (unsigned i = 0; i < count; i++)
        if (!only_attributes || number_of(&inner, &pieces[i]) == NODE_ATTRIBUTE)
            copy_piece(&inner, out, &pieces[i], NULL);
    bytes_free(&node);
}

static void append_operator(struct walk *walk, struct bytes *out)
{
    uint8_t seed[4];
    for (size_t i = 0; i < sizeof seed; i++)
        seed[i] = (uint8_t)next_random(walk, 256);
    struct choices choices = {seed, 0, sizeof seed};
    const char *domain, *name = generate_operator(&choices, &domain);
    put_text(out, NODE_OP, name);
    if (*domain)
        put_text(out, NODE_DOMAIN, domain);
}

/* The node of the path, changed; with PUT_BETWEEN another field of the graph before it. */
static struct bytes changed_node(struct walk *walk, enum change change, const struct name *name, const char *fresh)
{
    const struct field *node = &walk->path[walk->levels - 1];
    struct field pieces[MOST_PIECES];
    unsigned count = fields_of(walk, node->payload, node->end, pieces, MOST_PIECES), input = 0, inputs = 0;
    const struct name made = {(const uint8_t *)fresh, strlen(fresh)};
    struct bytes inner = {0}, out = {0};
    for (unsigned i = 0; i < count; i++)
        inputs += number_of(walk, &pieces[i]) == NODE_INPUT;
    unsigned chosen = inputs ? next_random(walk, inputs) : 0;
    for (unsigned i = 0; i < count; i++) {
        unsigned number = number_of(walk, &pieces[i]);
        bool is_chosen = number == NODE_INPUT && input++ == chosen;
        bool drops = (change == OTHER_OPERATOR && (number == NODE_OP || number == NODE_DOMAIN)) ||
                     (change == OTHER_ATTRIBUTES && number == NODE_ATTRIBUTE && next_random(walk, 2));
        if (is_chosen && change == PUT_BETWEEN) {
            struct bytes between = {0};
            copy_piece(walk, &between, &pieces[i], NULL);
            put_bytes(&between, NODE_OUTPUT, made.data, made.size);
            append_operator(walk, &between);
            put_bytes(&out, GRAPH_NODE, between.data, between.size);
            bytes_free(&between);
        }
        if (!drops)
            copy_piece(walk, &inner, &pieces[i],
                       !is_chosen ? NULL : change == REWIRE ? name : change == PUT_BETWEEN ? &made : NULL);
    }
    if (change == ADD_OUTPUT)
        put_bytes(&inner, NODE_OUTPUT, made.data, made.size);
    if (change == ADD_INPUT)
        put_bytes(&inner, NODE_INPUT, name->data, name->size);
    if (change == OTHER_OPERATOR)
        append_operator(walk, &inner);
    if (change == OTHER_ATTRIBUTES)
        append_generated(walk, &inner, true);
    put_bytes(&out, GRAPH_NODE, inner.data, inner.size);
    bytes_free(&inner);
    return out;
}

/* 0 when there is no node, or no room. */
static size_t change_node(struct walk *walk, size_t max_size, enum change change, const char *wanted)
{
    static struct field fields[MOST_FIELDS];
    static struct name names[MOST_NAMES];
    unsigned count;
    char fresh[16];
    if (!pick_node(walk, fields, &count))
        return 0;
    unsigned found = names_of(walk, fields, count, names);
    const uint8_t *node_data = walk->data + walk->path[1].begin;
    unsigned before = 0; /* names in nodes before this one, which mostly make no cycle */
    while (before < found && names[before].data < node_data)
        before++;
    found = before && next_random(walk, 8) ? before : found;
    struct name name = found ? names[next_random(walk, found)] : (struct name){(const uint8_t *)"x", 1};
    if (wanted)
        name = (struct name){(const uint8_t *)wanted, strlen(wanted)};
    (void)snprintf(fresh, sizeof fresh, "m%u", next_random(walk, 100000));
    struct bytes node = changed_node(walk, change, &name, fresh);
    size_t size = node.size > 1u << 19 ? 0 : replace(walk, node.data, node.size, max_size);
    bytes_free(&node);
    if (size && change == ADD_OUTPUT && !wanted) { /* mostly used, by any node */
        walk->bytes = size;
        size_t used = next_random(walk, 4) ? change_node(walk, max_size, REWIRE, fresh) : 0;
        size = used ? used : size;
    }
    return size;
}

size_t mutate_model(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    struct walk walk = {.data = data, .bytes = size, .random = seed};
    uint8_t field[2 * FIELD_ROOM + 32];
    unsigned kind = next_random(&walk, 16);
    if (kind < 13) {
        size_t changed = change_node(&walk, max_size, (enum change)next_random(&walk, CHANGES), NULL);
        if (changed)
            return changed;
    }
    if (kind == 15 || !pick_path(&walk))
        return LLVMFuzzerMutate(data, size, max_size);
    size_t count = new_field(&walk, field);
    size_t changed = count == SIZE_MAX ? 0 : replace(&walk, field, count, max_size);
    return changed ? changed : LLVMFuzzerMutate(data, size, max_size);
}

/* ---- mutations of bytes ----------------------------------------------------------------------------------------- */

static uint64_t next_state(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

size_t mutate_plainly(uint8_t *data, size_t size, size_t max_size, uint64_t *state)
{
    static const uint8_t bytes[] = {0, 1, 0x7f, 0x80, 0xff, 0xfe, 0x08, 0x0a, 0x12};
    uint64_t kind = next_state(state) % 6;
    size_t at = size ? next_state(state) % size : 0;
    size_t length = 1 + next_state(state) % 16;
    if (size == 0 || (kind == 0 && size + length <= max_size)) { /* put in */
        length = length > max_size - size ? max_size - size : length;
        memmove(data + at + length, data + at, size - at);
        for (size_t i = 0; i < length; i++)
            data[at + i] = (uint8_t)next_state(state);
        return size + length;
    }
    length = length > size - at ? size - at : length;
    if (kind == 1) { /* take out */
        memmove(data + at, data + at + length, size - at - length);
        return size - length;
    }
    if (kind == 2) { /* copy from elsewhere */
        memmove(data + at, data + next_state(state) % (size - length + 1), length);
        return size;
    }
    if (kind == 3)
        data[at] ^= (uint8_t)(1u << next_state(state) % 8);
    else if (kind == 4)
        data[at] = bytes[next_state(state) % sizeof bytes];
    else
        data[at] = (uint8_t)next_state(state);
    return size;
}
