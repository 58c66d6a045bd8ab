/* SPDX-License-Identifier: Apache-2.0 */
#include "support/model_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

/* ---- bytes ------------------------------------------------------------------------------------------------- */

void bytes_put(struct bytes *bytes, const void *data, size_t size)
{
    if (bytes->size + size > bytes->capacity) {
        bytes->capacity = (bytes->size + size) * 2 + 64;
        bytes->data = realloc(bytes->data, bytes->capacity);
        if (!bytes->data)
            abort();
    }
    if (size)
        memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
}

void bytes_free(struct bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct bytes){0};
}

void put_varint(struct bytes *bytes, uint64_t value)
{
    do {
        uint8_t byte = (uint8_t)(value & 0x7f) | (value > 0x7f ? 0x80 : 0);
        bytes_put(bytes, &byte, 1);
        value >>= 7;
    } while (value);
}

void put_number(struct bytes *bytes, unsigned field, uint64_t value)
{
    put_varint(bytes, (uint64_t)field << 3);
    put_varint(bytes, value);
}

void put_bytes(struct bytes *bytes, unsigned field, const void *data, size_t size)
{
    put_varint(bytes, (uint64_t)field << 3 | 2);
    put_varint(bytes, size);
    bytes_put(bytes, data, size);
}

void put_text(struct bytes *bytes, unsigned field, const char *text)
{
    put_bytes(bytes, field, text, strlen(text));
}

static void put_message(struct bytes *bytes, unsigned field, struct bytes *message)
{
    put_bytes(bytes, field, message->data, message->size);
    bytes_free(message);
}

/* ---- reading the text -------------------------------------------------------------------------------------- */

#define MOST_NAMED 64

struct named {
    char name[64];
    struct bytes graph;
};

struct reader {
    const char *at; /* in the line at hand */
    char line[16384];
    unsigned number;
    struct named bodies[MOST_NAMED];
    size_t body_count;
};

static void fail(const struct reader *reader, const char *problem)
{
    fprintf(stderr, "model text, line %u: %s: %s\n", reader->number, problem, reader->line);
    exit(99);
}

static void skip(struct reader *reader)
{
    while (*reader->at == ' ')
        reader->at++;
}

static bool take(struct reader *reader, const char *token)
{
    skip(reader);
    if (strncmp(reader->at, token, strlen(token)) != 0)
        return false;
    reader->at += strlen(token);
    return true;
}

/* Up to a blank or one of `stops`. */
static void word(struct reader *reader, const char *stops, char *out, size_t size)
{
    size_t length = 0;
    skip(reader);
    while (*reader->at && *reader->at != ' ' && !strchr(stops, *reader->at)) {
        if (length + 1 >= size)
            fail(reader, "a word is too long");
        out[length++] = *reader->at++;
    }
    out[length] = '\0';
}

static void quoted(struct reader *reader, char *out, size_t size)
{
    size_t length = 0;
    if (!take(reader, "\""))
        fail(reader, "expected a quoted text");
    while (*reader->at && *reader->at != '"') {
        if (length + 1 >= size)
            fail(reader, "a text is too long");
        bool is_newline = reader->at[0] == '\\' && reader->at[1] == 'n';
        out[length++] = is_newline ? '\n' : *reader->at;
        reader->at += is_newline ? 2 : 1;
    }
    out[length] = '\0';
    reader->at++;
}

/* ---- types ------------------------------------------------------------------------------------------------- */

struct type {
    int element;
    bool is_sequence; /* of such tensors */
    bool has_shape;
    size_t rank;
    char dims[16][96];
};

static void read_type(struct reader *reader, struct type *type)
{
    char name[32];
    memset(type, 0, sizeof *type);
    type->is_sequence = take(reader, "seq ");
    word(reader, "[", name, sizeof name);
    type->element = npart__type_number(name, strlen(name));
    if (!type->element && strcmp(name, "?") != 0)
        fail(reader, "an unknown element type");
    if (*reader->at != '[')
        return;
    reader->at++;
    type->has_shape = true;
    while (!take(reader, "]")) {
        size_t length = strcspn(reader->at, ",]");
        if (type->rank == 16 || length >= sizeof type->dims[0])
            fail(reader, "a shape is too long");
        memcpy(type->dims[type->rank], reader->at, length);
        type->dims[type->rank++][length] = '\0';
        reader->at += length;
        (void)take(reader, ",");
    }
}

static bool is_numeric(const char *text)
{
    return (*text >= '0' && *text <= '9' && strspn(text, "0123456789") == strlen(text));
}

static struct bytes encode_type(const struct type *type)
{
    struct bytes tensor = {0}, shape = {0}, out = {0};
    if (type->element)
        put_number(&tensor, 1, (uint64_t)type->element);
    for (size_t i = 0; i < type->rank; i++) {
        struct bytes dim = {0};
        if (is_numeric(type->dims[i]))
            put_number(&dim, 1, strtoull(type->dims[i], NULL, 10));
        else if (strcmp(type->dims[i], "?") != 0)
            put_text(&dim, 2, type->dims[i]);
        put_message(&shape, 1, &dim);
    }
    if (type->has_shape)
        put_message(&tensor, 2, &shape);
    put_message(&out, 1, &tensor);
    if (type->is_sequence) {
        struct bytes sequence = {0}, element = out;
        out = (struct bytes){0};
        put_message(&sequence, 1, &element);
        put_message(&out, 4, &sequence);
    }
    return out;
}

static struct bytes encode_value_info(struct reader *reader, const char *name, bool needs_type)
{
    struct bytes info = {0};
    put_text(&info, 1, name);
    skip(reader);
    if (*reader->at || needs_type) {
        struct type type;
        read_type(reader, &type);
        struct bytes encoded = encode_type(&type);
        put_message(&info, 2, &encoded);
    }
    return info;
}

/* ---- tensors ----------------------------------------------------------------------------------------------- */

static uint64_t float_bits(const char *text)
{
    float value = strtof(text, NULL);
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static uint64_t double_bits(const char *text)
{
    double value = strtod(text, NULL);
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

/* As ONNX and protobuf store numbers, whatever the machine. */
static void put_little_endian(struct bytes *bytes, uint64_t bits, unsigned width)
{
    for (unsigned i = 0; i < width; i++, bits >>= 8)
        bytes_put(bytes, &(uint8_t){(uint8_t)bits}, 1);
}

static void put_element(struct bytes *raw, int element, const char *text)
{
    unsigned width = npart__type_bits(element) / 8;
    uint64_t bits = element == 1    ? float_bits(text)
                    : element == 11 ? double_bits(text)
                    : element == 13 ? strtoull(text, NULL, 10)
                                    : (uint64_t)strtoll(text, NULL, 10);
    put_little_endian(raw, bits, width ? width : 1);
}

static struct bytes encode_tensor(struct reader *reader, const char *name)
{
    struct bytes tensor = {0}, raw = {0};
    struct type type;
    uint64_t elements = 1;
    read_type(reader, &type);
    for (size_t i = 0; i < type.rank; i++) {
        uint64_t dim = strtoull(type.dims[i], NULL, 10);
        put_number(&tensor, 1, dim);
        elements *= dim;
    }
    put_number(&tensor, 2, (uint64_t)type.element);
    if (*name)
        put_text(&tensor, 8, name);
    if (take(reader, "=")) {
        uint64_t count = 0;
        for (skip(reader); *reader->at && count < elements; count++, skip(reader)) {
            char number[64];
            word(reader, "", number, sizeof number);
            put_element(&raw, type.element, number);
        }
        put_bytes(&tensor, 9, raw.data ? raw.data : (const uint8_t *)"", raw.size);
        bytes_free(&raw);
        return tensor;
    }
    char length[32];
    struct bytes entry = {0};
    (void)snprintf(length, sizeof length, "%llu", (unsigned long long)npart__type_bytes(type.element, elements));
    put_text(&entry, 1, "location");
    put_text(&entry, 2, "weights.bin");
    put_message(&tensor, 13, &entry);
    put_text(&entry, 1, "length");
    put_text(&entry, 2, length);
    put_message(&tensor, 13, &entry);
    put_number(&tensor, 14, 1);
    return tensor;
}

/* ---- attributes -------------------------------------------------------------------------------------------- */

static const struct bytes *find_body(struct reader *reader, const char *name)
{
    for (size_t i = reader->body_count; i-- > 0;)
        if (strcmp(reader->bodies[i].name, name) == 0)
            return &reader->bodies[i].graph;
    fail(reader, "no such graph");
    return NULL;
}

static void put_float(struct bytes *bytes, unsigned field, const char *text)
{
    put_varint(bytes, (uint64_t)field << 3 | 5);
    put_little_endian(bytes, float_bits(text), 4);
}

/* Lists hold floats if any number has a point, else integers; or texts. */
static void read_list(struct reader *reader, struct bytes *attribute)
{
    const char *end = strchr(reader->at, ']');
    if (!end)
        fail(reader, "a list is not closed");
    bool is_float = memchr(reader->at, '.', (size_t)(end - reader->at)) != NULL, is_text = *reader->at == '"';
    put_number(attribute, 20, is_text ? 8 : is_float ? 6 : 7);
    while (!take(reader, "]")) {
        char item[256];
        if (is_text) {
            quoted(reader, item, sizeof item);
            put_text(attribute, 9, item);
        } else {
            word(reader, ",]", item, sizeof item);
            if (is_float)
                put_float(attribute, 7, item);
            else
                put_number(attribute, 8, (uint64_t)strtoll(item, NULL, 10));
        }
        (void)take(reader, ",");
    }
}

static struct bytes encode_attribute(struct reader *reader, const char *name)
{
    struct bytes attribute = {0};
    char text[512];
    put_text(&attribute, 1, name);
    if (take(reader, "$")) {
        word(reader, "", text, sizeof text);
        put_text(&attribute, 21, text);
        put_number(&attribute, 20, 2);
    } else if (take(reader, "[")) {
        read_list(reader, &attribute);
    } else if (*reader->at == '"') {
        quoted(reader, text, sizeof text);
        put_text(&attribute, 4, text);
        put_number(&attribute, 20, 3);
    } else if (take(reader, "graph ")) {
        word(reader, "", text, sizeof text);
        const struct bytes *body = find_body(reader, text);
        put_bytes(&attribute, 6, body->data, body->size);
        put_number(&attribute, 20, 5);
    } else if (take(reader, "tensor ")) {
        struct bytes tensor = encode_tensor(reader, "");
        put_message(&attribute, 5, &tensor);
        put_number(&attribute, 20, 4);
    } else {
        word(reader, "", text, sizeof text);
        bool is_float = strchr(text, '.') != NULL;
        if (is_float)
            put_float(&attribute, 2, text);
        else
            put_number(&attribute, 3, (uint64_t)strtoll(text, NULL, 10));
        put_number(&attribute, 20, is_float ? 1 : 2);
    }
    return attribute;
}

/* ---- nodes ------------------------------------------------------------------------------------------------- */

static void put_op(struct reader *reader, struct bytes *node)
{
    char op[128];
    word(reader, "(", op, sizeof op);
    char *colon = strrchr(op, ':');
    if (colon)
        *colon = '\0';
    put_text(node, 4, colon ? colon + 1 : op);
    if (colon)
        put_text(node, 7, op);
}

static struct bytes encode_node(struct reader *reader)
{
    struct bytes node = {0};
    char text[2048], value[2048];
    while (!take(reader, "=")) {
        word(reader, ",=", text, sizeof text);
        put_text(&node, 2, strcmp(text, "-") == 0 ? "" : text);
        (void)take(reader, ",");
    }
    put_op(reader, &node);
    if (!take(reader, "("))
        fail(reader, "expected the inputs");
    while (!take(reader, ")")) {
        word(reader, ",)", text, sizeof text);
        put_text(&node, 1, text);
        (void)take(reader, ",");
        if (!*reader->at)
            fail(reader, "the inputs are not closed");
    }
    for (skip(reader); *reader->at; skip(reader)) {
        struct bytes part = {0};
        if (take(reader, "@")) {
            word(reader, "", text, sizeof text);
            put_text(&node, 3, text);
            continue;
        }
        if (take(reader, "meta ")) {
            quoted(reader, text, sizeof text);
            quoted(reader, value, sizeof value);
            put_text(&part, 1, text);
            put_text(&part, 2, value);
            put_message(&node, 9, &part);
            continue;
        }
        word(reader, "=", text, sizeof text);
        if (!take(reader, "="))
            fail(reader, "expected NAME=VALUE");
        part = encode_attribute(reader, text);
        put_message(&node, 5, &part);
    }
    return node;
}

/* ---- graphs ------------------------------------------------------------------------------------------------ */

/* A line of a graph; false when it is none. */
static bool graph_line(struct reader *reader, const char *keyword, struct bytes *graph)
{
    static const struct {
        const char *keyword;
        unsigned field;
    } infos[] = {{"input", 11}, {"output", 12}, {"value", 13}};
    struct bytes part;
    char name[256];
    if (strcmp(keyword, "node") == 0) {
        part = encode_node(reader);
        put_message(graph, 1, &part);
        return true;
    }
    if (strcmp(keyword, "init") == 0) {
        word(reader, "", name, sizeof name);
        part = encode_tensor(reader, name);
        put_message(graph, 5, &part);
        return true;
    }
    for (size_t i = 0; i < 3; i++) {
        if (strcmp(keyword, infos[i].keyword) == 0) {
            word(reader, "", name, sizeof name);
            part = encode_value_info(reader, name, i != 1);
            put_message(graph, infos[i].field, &part);
            return true;
        }
    }
    return false;
}

static struct bytes encode_opset(struct reader *reader)
{
    struct bytes set = {0};
    char domain[128], version[32];
    word(reader, "", domain, sizeof domain);
    word(reader, "", version, sizeof version);
    put_text(&set, 1, *version ? domain : "");
    put_number(&set, 2, strtoull(*version ? version : domain, NULL, 10));
    return set;
}

static struct bytes open_function(struct reader *reader)
{
    struct bytes function = {0};
    char text[128];
    word(reader, "(", text, sizeof text);
    char *colon = strrchr(text, ':');
    if (!colon)
        fail(reader, "a function needs a domain");
    *colon = '\0';
    put_text(&function, 10, text);
    put_text(&function, 1, colon + 1);
    for (unsigned field = 4; field <= 5; field++) {
        if (field == 5 && !take(reader, "->"))
            fail(reader, "expected ->");
        if (!take(reader, "("))
            fail(reader, "expected (");
        while (!take(reader, ")")) {
            word(reader, ",)", text, sizeof text);
            put_text(&function, field, text);
            (void)take(reader, ",");
        }
    }
    for (skip(reader); *reader->at; skip(reader)) {
        word(reader, "", text, sizeof text);
        put_text(&function, 6, text);
    }
    return function;
}

static void function_line(struct reader *reader, const char *keyword, struct bytes *function)
{
    struct bytes part;
    char name[128];
    if (strcmp(keyword, "node") == 0) {
        part = encode_node(reader);
        put_message(function, 7, &part);
    } else if (strcmp(keyword, "opset") == 0) {
        part = encode_opset(reader);
        put_message(function, 9, &part);
    } else if (strcmp(keyword, "default") == 0) {
        word(reader, "=", name, sizeof name);
        (void)take(reader, "=");
        part = encode_attribute(reader, name);
        put_message(function, 11, &part);
    } else {
        fail(reader, "no line of a function");
    }
}

static struct bytes encode_metadata(struct reader *reader)
{
    struct bytes entry = {0};
    char text[2048];
    quoted(reader, text, sizeof text);
    put_text(&entry, 1, text);
    quoted(reader, text, sizeof text);
    put_text(&entry, 2, text);
    return entry;
}

static bool next_line(struct reader *reader, const char **text)
{
    if (!**text)
        return false;
    size_t length = strcspn(*text, "\n");
    if (length >= sizeof reader->line)
        fail(reader, "a line is too long");
    memcpy(reader->line, *text, length);
    reader->line[length] = '\0';
    char *comment = strstr(reader->line, " #");
    if (comment)
        *comment = '\0';
    *text += length + ((*text)[length] == '\n');
    reader->number++;
    reader->at = reader->line;
    skip(reader);
    return true;
}

struct bytes model_from_text(const char *text)
{
    static struct reader reader;
    struct bytes model = {0}, graph = {0}, opsets = {0}, functions = {0};
    struct bytes *inner = NULL, function = {0};
    uint64_t ir_version = 9;
    bool has_opset = false;
    memset(&reader, 0, sizeof reader);
    while (next_line(&reader, &text)) {
        char keyword[32];
        if (!*reader.at || *reader.at == '#')
            continue;
        word(&reader, "", keyword, sizeof keyword);
        if (strcmp(keyword, "end") == 0) {
            if (function.size)
                put_message(&functions, 25, &function);
            inner = NULL;
        } else if (function.size) {
            function_line(&reader, keyword, &function);
        } else if (strcmp(keyword, "graph") == 0) {
            struct named *body = &reader.bodies[reader.body_count++];
            if (reader.body_count > MOST_NAMED)
                fail(&reader, "too many graphs");
            word(&reader, "", body->name, sizeof body->name);
            inner = &body->graph;
        } else if (strcmp(keyword, "function") == 0) {
            function = open_function(&reader);
        } else if (strcmp(keyword, "ir") == 0) {
            ir_version = strtoull(reader.at, NULL, 10);
        } else if (strcmp(keyword, "metadata") == 0) {
            struct bytes entry = encode_metadata(&reader);
            put_message(&opsets, 14, &entry);
        } else if (strcmp(keyword, "opset") == 0) {
            struct bytes set = encode_opset(&reader);
            put_message(&opsets, 8, &set);
            has_opset = true;
        } else if (!graph_line(&reader, keyword, inner ? inner : &graph)) {
            fail(&reader, "no such line");
        }
    }
    put_number(&model, 1, ir_version);
    put_message(&model, 7, &graph);
    if (!has_opset) {
        struct bytes set = {0};
        put_number(&set, 2, 17);
        put_message(&opsets, 8, &set);
    }
    bytes_put(&model, opsets.data, opsets.size);
    bytes_put(&model, functions.data, functions.size);
    bytes_free(&opsets);
    bytes_free(&functions);
    for (size_t i = 0; i < reader.body_count; i++)
        bytes_free(&reader.bodies[i].graph);
    return model;
}
