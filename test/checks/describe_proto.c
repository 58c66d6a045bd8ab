/* SPDX-License-Identifier: Apache-2.0
 *
 * Prints every message, field and enum of onnx.proto as protobuf-c compiled it, a line each, then the table that the
 * scan goes by, for check_proto.py:
 *     message NAME / field MESSAGE NUMBER NAME LABEL TYPE [TYPE NAME] / enum NAME / value ENUM NUMBER NAME
 *     scan MESSAGE NUMBER NAME KIND CHILD
 */
#include <stdio.h>

#include "onnx/onnx.h"

#define MOST_TYPES 64

static const ProtobufCMessageDescriptor *messages[MOST_TYPES];
static const ProtobufCEnumDescriptor *enums[MOST_TYPES];
static size_t message_count, enum_count;

static void add_enum(const ProtobufCEnumDescriptor *descriptor)
{
    for (size_t i = 0; i < enum_count; i++)
        if (enums[i] == descriptor)
            return;
    if (enum_count < MOST_TYPES)
        enums[enum_count++] = descriptor;
}

static void add_message(const ProtobufCMessageDescriptor *message)
{
    for (size_t i = 0; i < message_count; i++)
        if (messages[i] == message)
            return;
    if (message_count == MOST_TYPES)
        return;
    messages[message_count++] = message;
    for (unsigned i = 0; i < message->n_fields; i++) {
        if (message->fields[i].type == PROTOBUF_C_TYPE_MESSAGE)
            add_message(message->fields[i].descriptor);
        else if (message->fields[i].type == PROTOBUF_C_TYPE_ENUM)
            add_enum(message->fields[i].descriptor);
    }
}

static void print_field(const ProtobufCMessageDescriptor *message, const ProtobufCFieldDescriptor *field)
{
    static const char *const labels[] = {"required", "optional", "repeated", "none"};
    static const char *const types[] = {"int32",  "sint32",   "sfixed32", "int64",  "sint64", "sfixed64",
                                        "uint32", "fixed32",  "uint64",   "fixed64", "float", "double",
                                        "bool",   "enum",     "string",   "bytes",  "message"};
    const char *name = "-";
    if (field->type == PROTOBUF_C_TYPE_MESSAGE)
        name = ((const ProtobufCMessageDescriptor *)field->descriptor)->name;
    else if (field->type == PROTOBUF_C_TYPE_ENUM)
        name = ((const ProtobufCEnumDescriptor *)field->descriptor)->name;
    printf("field %s %u %s %s %s %s\n", message->name, field->id, field->name, labels[field->label],
           types[field->type], name);
}

int main(void)
{
    struct npart__arena arena;
    struct npart__buffer table;
    add_message(&onnx__model_proto__descriptor);
    add_enum(&onnx__version__descriptor);
    add_enum(&onnx__operator_status__descriptor);
    add_enum(&onnx__tensor_proto__data_type__descriptor); /* data_type is an int32: no field leads here */
    for (size_t i = 0; i < message_count; i++) {
        printf("message %s\n", messages[i]->name);
        for (unsigned k = 0; k < messages[i]->n_fields; k++)
            print_field(messages[i], &messages[i]->fields[k]);
    }
    for (size_t i = 0; i < enum_count; i++)
        for (unsigned k = 0; k < enums[i]->n_values; k++)
            printf("value %s %d %s\n", enums[i]->name, enums[i]->values[k].value, enums[i]->values[k].name);
    npart__arena_init(&arena, NULL);
    npart__buffer_init(&table, &arena);
    npart__wire_describe(&table);
    const char *text = npart__buffer_text(&table);
    while (*text) {
        int length = (int)strcspn(text, "\n");
        printf("scan %.*s\n", length, text);
        text += length + 1;
    }
    npart__arena_clear(&arena);
    return 0;
}
