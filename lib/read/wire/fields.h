/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of wire_schema.def, which is generated from onnx.proto, by which the scan reads and the writer finds
 * messages; and the wire format's own words.
 */
#ifndef NPART_WIRE_FIELDS_H
#define NPART_WIRE_FIELDS_H

#include "base/base.h"

enum message {
    MESSAGE_NONE,
#define MESSAGE(id, name) MESSAGE_##id,
#include "wire_schema.def" /* generated */
    MESSAGE_COUNT
};

enum kind {
    KIND_NONE,
    KIND_VARINT,
    KIND_FIXED32,
    KIND_FIXED64,
    KIND_VARINTS, /* these repeat, packed or not */
    KIND_FIXED32S,
    KIND_FIXED64S,
    KIND_TEXT, /* ends at a NUL in C, so it must hold none */
    KIND_BYTES,
    KIND_STRINGS, /* bytes that repeat */
    KIND_MESSAGE,
    KIND_MESSAGES, /* that repeat */
    KIND_COUNT
};
enum rule { RULE_KEEP, RULE_TENSOR, RULE_ATTRIBUTE, RULE_PROSE, RULE_TYPE, RULE_SKIP }; /* see onnx.proto */

#define FIELD_NUMBERS 32 /* all of ONNX's are below */

struct field {
    uint8_t kind, child, rule, unused; /* four bytes are copied at once */
};

extern const struct field npart__fields[MESSAGE_COUNT][FIELD_NUMBERS];

static inline bool is_message(struct field field)
{
    return field.kind == KIND_MESSAGE || field.kind == KIND_MESSAGES;
}

const char *npart__message_name(unsigned message);
/* "unknown" for a number that the message lacks. */
const char *npart__field_name(unsigned message, uint64_t number);

enum { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

#define VARINT_BYTES 10
/* Base 128, least significant first, the upper bit for "more follows": Protocol Buffers, Encoding. */
static inline size_t put_varint(uint8_t *at, uint64_t value)
{
    size_t bytes = 0;
    while (value >= 0x80) {
        at[bytes++] = (uint8_t)(value | 0x80);
        value >>= 7;
    }
    at[bytes++] = (uint8_t)value;
    return bytes;
}

/* Fields of TensorProto, and values of two of them. */
enum { DATA_TYPE = 2, RAW_DATA = 9, EXTERNAL_DATA = 13, DATA_LOCATION = 14 };
enum { TYPE_STRING = 8, LOCATION_EXTERNAL = 1 };
/* Of NodeProto and AttributeProto. */
enum { NODE_OP_TYPE = 4, NODE_ATTRIBUTE = 5, NODE_DOMAIN = 7 };
enum { ATTRIBUTE_NAME = 1, ATTRIBUTE_I = 3, ATTRIBUTE_S = 4 };

/* One field of a message in memory. */
struct npart__item {
    size_t at, length_at, start, end; /* its tag, its length, what it holds */
    uint64_t number;
    uint64_t value; /* of a varint */
    unsigned wire_type;
};

/* The field at `at`; false where none is whole before `end`. */
bool npart__read_item(const uint8_t *data, size_t at, size_t end, struct npart__item *out);

#endif
