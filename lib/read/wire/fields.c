/* SPDX-License-Identifier: Apache-2.0 */
#include "wire/fields.h"

#include "wire/wire.h"

const struct field npart__fields[MESSAGE_COUNT][FIELD_NUMBERS] = {
#define FIELD(message, number, name, kind, child, rule)                                                                \
    [MESSAGE_##message][number] = {KIND_##kind, MESSAGE_##child, RULE_##rule, 0},
#include "wire_schema.def"
};

static const char *const message_names[MESSAGE_COUNT] = {
#define MESSAGE(id, name) [MESSAGE_##id] = (name),
#include "wire_schema.def"
};

const char *npart__message_name(unsigned message)
{
    return message_names[message];
}

/* By a search, as names are asked for in messages of errors alone. */
const char *npart__field_name(unsigned message, uint64_t number)
{
    static const struct {
        uint8_t message, number;
        const char *name;
    } names[] = {
#define FIELD(message, number, name, kind, child, rule) {MESSAGE_##message, number, name},
#include "wire_schema.def"
    };
    for (size_t i = 0; i < NPART__COUNT(names); i++)
        if (names[i].message == message && names[i].number == number)
            return names[i].name;
    return "unknown";
}

/* In the words of test/checks/check_proto.py, which compares them with onnx.proto3 of the
 * package onnx. */
void npart__wire_describe(struct npart__buffer *buffer)
{
    static const char *const kinds[KIND_COUNT] = {"",         "varint", "fixed32", "fixed64", "varints", "fixed32s",
                                                  "fixed64s", "text",   "bytes",   "strings", "message", "messages"};
    for (unsigned message = 1; message < MESSAGE_COUNT; message++) {
        for (unsigned number = 1; number < FIELD_NUMBERS; number++) {
            struct field field = npart__fields[message][number];
            if (field.kind)
                npart__append_format(buffer, "%s %u %s %s %s\n", message_names[message], number,
                                     npart__field_name(message, number), kinds[field.kind],
                                     is_message(field) ? message_names[field.child] : "-");
        }
    }
}

/* ---- fields in memory ---------------------------------------------------------------------------------------- */

/* Of at most ten bytes; false where it is cut off or longer. The scan has looked at all that a file says. */
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

/* Groups (wire types 3 and 4) are no fields, as in the scan. The number 0, which protobuf forbids, has no meaning to
 * any caller. */
bool npart__read_item(const uint8_t *data, size_t at, size_t end, struct npart__item *out)
{
    uint64_t key, value;
    size_t next = at;
    if (!read_varint(data, &next, end, &key))
        return false;
    *out = (struct npart__item){.at = at, .length_at = next, .number = key >> 3, .wire_type = (unsigned)(key & 7)};
    out->start = next;
    switch (out->wire_type) {
    case WIRE_VARINT:
        if (!read_varint(data, &next, end, &out->value))
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
