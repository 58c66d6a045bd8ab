/* SPDX-License-Identifier: Apache-2.0
 *
 * Protobuf fields and small models, see proto_writer.h.
 */
#include "support/proto_writer.h"

#include <string.h>

void put_tag(struct bytes *bytes, unsigned field, enum wire_type type)
{
    put_varint(bytes, (uint64_t)field << 3 | (unsigned)type);
}

void put_padded_varint(struct bytes *bytes, uint64_t value, unsigned width)
{
    for (unsigned i = 0; i < width; i++) {
        uint8_t byte = (uint8_t)((value & 0x7f) | (i + 1 < width ? 0x80 : 0));
        bytes_put(bytes, &byte, 1);
        value >>= 7;
    }
}

void put_fixed32(struct bytes *bytes, uint32_t value)
{
    for (unsigned i = 0; i < 4; i++) {
        uint8_t byte = (uint8_t)(value >> (8 * i));
        bytes_put(bytes, &byte, 1);
    }
}

void put_fixed64(struct bytes *bytes, uint64_t value)
{
    put_fixed32(bytes, (uint32_t)value);
    put_fixed32(bytes, (uint32_t)(value >> 32));
}

void put_message(struct bytes *bytes, unsigned field, struct bytes *message)
{
    put_bytes(bytes, field, message->data, message->size);
    bytes_free(message);
}

void put_padded_message(struct bytes *bytes, unsigned field, struct bytes *message, unsigned width)
{
    put_tag(bytes, field, WIRE_BYTES);
    put_padded_varint(bytes, message->size, width);
    bytes_put(bytes, message->data, message->size);
    bytes_free(message);
}

void put_pattern(struct bytes *bytes, size_t count, unsigned first)
{
    uint8_t period[251];
    for (unsigned i = 0; i < sizeof period; i++)
        period[i] = (uint8_t)(first + i);
    for (; count; count -= count < sizeof period ? count : sizeof period)
        bytes_put(bytes, period, count < sizeof period ? count : sizeof period);
}

struct bytes model_around(struct bytes *graph)
{
    struct bytes model = {0}, opset = {0};
    put_number(&model, 1, 9);
    put_message(&model, 7, graph);
    put_number(&opset, 2, 17);
    put_message(&model, 8, &opset);
    return model;
}

struct bytes small_graph(void)
{
    struct bytes graph = {0}, node = {0}, input = {0}, output = {0};
    put_text(&node, 1, "x");
    put_text(&node, 2, "y");
    put_text(&node, 4, "Relu");
    put_message(&graph, 1, &node);
    put_text(&graph, 2, "g");
    put_text(&input, 1, "x");
    put_message(&graph, 11, &input);
    put_text(&output, 1, "y");
    put_message(&graph, 12, &output);
    return graph;
}

bool same_bytes(const void *a, size_t a_bytes, const void *b, size_t b_bytes)
{
    return a_bytes == b_bytes && (a_bytes == 0 || memcmp(a, b, a_bytes) == 0);
}
