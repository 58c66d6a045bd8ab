/* SPDX-License-Identifier: Apache-2.0
 *
 * Protobuf as no serializer writes it: padded varints, any wire type, wrong lengths. And small models around what a
 * test is about. Builds on the plain fields of support/model_text.h.
 */
#ifndef TEST_PROTO_WRITER_H
#define TEST_PROTO_WRITER_H

#include "support/model_text.h"

enum wire_type { WIRE_VARINT, WIRE_FIXED64, WIRE_BYTES, WIRE_GROUP, WIRE_END_GROUP, WIRE_FIXED32 };

void put_tag(struct bytes *bytes, unsigned field, enum wire_type type);
/* `width` bytes, padded with zero bits; at most 10, as far as `value` needs. */
void put_padded_varint(struct bytes *bytes, uint64_t value, unsigned width);
/* Little-endian numbers, without a tag. */
void put_fixed32(struct bytes *bytes, uint32_t value);
void put_fixed64(struct bytes *bytes, uint64_t value);
/* Appends a field with `message` and frees that. */
void put_message(struct bytes *bytes, unsigned field, struct bytes *message);
/* The same with its length in `width` bytes. */
void put_padded_message(struct bytes *bytes, unsigned field, struct bytes *message, unsigned width);
/* `count` bytes that count up from `first`, so that one place looks unlike another. */
void put_pattern(struct bytes *bytes, size_t count, unsigned first);

/* A model of IR 9 and opset 17 with this graph, which is freed. */
struct bytes model_around(struct bytes *graph);
/* One node that hands x on to y, with its graph input and output: the smallest model with a place for more. */
struct bytes small_graph(void);

/* The same bytes? */
bool same_bytes(const void *a, size_t a_bytes, const void *b, size_t b_bytes);

#endif
