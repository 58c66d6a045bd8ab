/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/generate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/schema.h"
#include "support/proto_writer.h"

#define MOST_VALUES 600u
#define MOST_NODES 48u
#define MOST_DEPTH 4u
#define MOST_FUNCTIONS 4u

struct maker {
    struct choices *choices;
    unsigned values[MOST_VALUES]; /* numbers of the names that a node here can use */
    unsigned value_count, next_value;
    unsigned nodes_left, depth, function_count;
    struct bytes *constants; /* where a new constant goes: initializers of a graph, nodes of a function */
    bool in_function;
    bool is_wild, has_hostile_names; /* wild: broken where that makes the whole model unreadable */
};

static const struct npart__operator operators[] = {
#define OPERATOR(domain, name, since, flags, inputs, outputs, attributes, least_inputs, least_outputs, types)          \
    {domain, name, since, flags, inputs, outputs, attributes, least_inputs, least_outputs, types},
#include "schema/operators.def"
#undef OPERATOR
};

/* What rules, folding and fusions look at: drawn as often as all others together. */
static const char *const frequent[] = {
    "Identity",  "Cast",      "Dropout",         "Reshape",        "Transpose",
    "Unsqueeze", "Squeeze",   "QuantizeLinear",  "DequantizeLinear", "Conv",
    "Relu",      "Clip",      "MatMul",          "Add",            "Mul",
    "Concat",    "Slice",     "Shape",           "Gather",         "Constant",
    "Gemm",      "Pad",       "BatchNormalization", "Softmax",     "Expand",
    "Split",     "MaxPool",   "ConstantOfShape", "Sub",            "Div",
    "Sqrt",      "ReduceMean", "Pow",            "Sigmoid",        "Where",
    "Range",     "Resize",    "Flatten",         "Size",           "Einsum",
    "If",        "Loop",      "Scan",            "Tile",           "NonZero",
    "LayerNormalization", "GatherND", "Reciprocal", "QLinearConv", "CastLike",
};

/* ---- choices ----------------------------------------------------------------------------------------------- */

unsigned choose(struct choices *choices, unsigned below)
{
    return choices->begin < choices->end && below ? choices->data[choices->begin++] % below : 0;
}

unsigned choose_last(struct choices *choices, unsigned below)
{
    return choices->begin < choices->end && below ? choices->data[--choices->end] % below : 0;
}

static bool is_odd(struct maker *maker, unsigned one_in)
{
    return choose(maker->choices, one_in) == one_in - 1;
}

static bool is_broken(struct maker *maker, unsigned one_in)
{
    return maker->is_wild && is_odd(maker, one_in);
}

static unsigned choose_wide(struct choices *choices, unsigned below)
{
    unsigned high = choose(choices, 256);
    return (high << 8 | choose(choices, 256)) % below;
}

/* ---- small pieces ------------------------------------------------------------------------------------------ */

static void put_value_name(struct maker *maker, struct bytes *out, unsigned field, unsigned value)
{
    static const char *const hostile[] = {"a\nb", "\u202e", "\x1b[31m", "\xff\xfe", "v 1", "v0.0", "v=\"'"};
    char name[32];
    bool is_hostile = maker->has_hostile_names && value % 8 == 7;
    (void)snprintf(name, sizeof name, "%s%u", is_hostile ? hostile[value / 8 % NPART__COUNT(hostile)] : "v", value);
    put_text(out, field, name);
}

static unsigned new_value(struct maker *maker)
{
    unsigned value = maker->next_value++;
    if (maker->value_count < MOST_VALUES)
        maker->values[maker->value_count++] = value;
    return value;
}

/* Mostly one of the last few; rarely one that is not made yet, or never. */
static unsigned some_value(struct maker *maker)
{
    unsigned count = maker->value_count, back = choose(maker->choices, 32);
    if (back == 31 && maker->is_wild)
        return maker->next_value + choose(maker->choices, 4);
    if (back >= 24)
        back = choose_wide(maker->choices, 65536);
    else
        back /= 4;
    return count ? maker->values[count - 1 - back % count] : 0;
}

static int64_t some_number(struct maker *maker)
{
    static const int64_t numbers[] = {1,  0,  2,  -1, 3, 4, 8, 5, 16, -2, 64, 7, 127, 224, 1000,
                                      -3, 65536, 2147483647, 2147483648, INT64_MAX, INT64_MIN, -4, 6};
    return numbers[choose(maker->choices, sizeof numbers / sizeof numbers[0])];
}

static unsigned some_type(struct maker *maker)
{
    static const unsigned char types[] = {1, 1, 1,  1, 7,  6,  9,  10, 2,  3,  4, 5,
                                          11, 8, 16, 21, 22, 12, 13, 14, 17, 0, 99};
    return types[choose(maker->choices, sizeof types)];
}

static unsigned some_rank(struct maker *maker)
{
    static const unsigned char ranks[] = {4, 2, 3, 1, 0, 4, 2, 3, 5, 6, 1, 7, 8, 9, 33, 70};
    return ranks[choose(maker->choices, sizeof ranks)];
}

static void put_type(struct maker *maker, struct bytes *out, unsigned field)
{
    static const char *const symbols[] = {"n", "m", "batch", "n + 1", "2*n", "floor(n/2)", "max(n, m)", "n - m", "",
                                          "x\u200by", "((((n", "n/0", "9223372036854775807*n*n"};
    struct bytes tensor = {0}, shape = {0}, type = {0};
    put_number(&tensor, 1, some_type(maker));
    for (unsigned i = 0, rank = some_rank(maker); i < rank; i++) {
        struct bytes dim = {0};
        unsigned kind = choose(maker->choices, 6);
        if (kind == 4)
            put_text(&dim, 2, symbols[choose(maker->choices, sizeof symbols / sizeof symbols[0])]);
        else if (kind < 4)
            put_number(&dim, 1, (uint64_t)some_number(maker));
        put_message(&shape, 1, &dim);
    }
    if (!is_odd(maker, 8))
        put_message(&tensor, 2, &shape);
    else
        bytes_free(&shape);
    static const unsigned kinds[] = {1, 1, 1, 1, 1, 1, 1, 1, 8, 4, 9};
    unsigned kind = kinds[choose(maker->choices, sizeof kinds / sizeof kinds[0])];
    struct bytes inner = {0};
    put_message(kind == 4 || kind == 9 ? &inner : &type, kind == 8 ? 8 : 1, &tensor);
    if (kind == 4 || kind == 9) {
        struct bytes element = {0};
        put_message(&element, 1, &inner);
        put_message(&type, kind, &element);
    }
    put_message(out, field, &type);
}

static void put_value_info(struct maker *maker, struct bytes *out, unsigned field, unsigned value)
{
    struct bytes info = {0};
    put_value_name(maker, &info, 1, value);
    if (!is_odd(maker, 16))
        put_type(maker, &info, 2);
    put_message(out, field, &info);
}

/* ---- tensors ----------------------------------------------------------------------------------------------- */

enum purpose { FOR_ANYTHING, FOR_NUMBERS, FOR_SCALE, FOR_ZERO_POINT, FOR_WEIGHT };

static void put_numbers(struct maker *maker, struct bytes *tensor)
{
    struct bytes packed = {0};
    unsigned count = choose(maker->choices, 7);
    put_number(tensor, 1, is_odd(maker, 16) ? (uint64_t)some_number(maker) : count);
    put_number(tensor, 2, is_odd(maker, 16) ? 6 : 7);
    for (unsigned i = 0; i < count; i++)
        put_fixed64(&packed, (uint64_t)some_number(maker));
    put_message(tensor, 9, &packed);
}

static void put_tensor(struct maker *maker, struct bytes *out, unsigned field, enum purpose purpose, int value)
{
    static const unsigned char zero_types[] = {2, 3, 4, 5, 21, 22, 6};
    static const unsigned char sizes[] = {0, 4, 1, 2, 8, 1, 1, 4, 4, 1, 2, 8, 4, 8};
    struct bytes tensor = {0}, data = {0};
    if (purpose == FOR_NUMBERS) {
        put_numbers(maker, &tensor);
    } else {
        unsigned type = purpose == FOR_ZERO_POINT ? zero_types[choose(maker->choices, sizeof zero_types)]
                        : purpose == FOR_SCALE || purpose == FOR_WEIGHT ? 1
                                                                        : some_type(maker);
        unsigned rank = purpose == FOR_WEIGHT     ? some_rank(maker)
                        : purpose == FOR_ANYTHING ? choose(maker->choices, 4)
                                                  : choose(maker->choices, 2);
        uint64_t elements = 1;
        for (unsigned i = 0; i < rank; i++) {
            int64_t dim = is_odd(maker, 32) ? some_number(maker) : 1 + (int64_t)choose(maker->choices, 4);
            put_number(&tensor, 1, (uint64_t)dim);
            elements *= (uint64_t)dim;
        }
        put_number(&tensor, 2, type);
        uint64_t size = type < sizeof sizes ? sizes[type] * elements : elements;
        for (uint64_t i = 0, end = size < 256 ? size : 256; i < end; i++) {
            uint8_t byte = (uint8_t)choose(maker->choices, 256);
            bytes_put(&data, &byte, 1);
        }
        if (is_odd(maker, 12))
            data.size = data.size / 2;
        static const unsigned fields[] = {9, 4, 5, 7, 6, 13};
        put_message(&tensor, is_broken(maker, 8) ? fields[choose(maker->choices, NPART__COUNT(fields))] : 9, &data);
    }
    if (value >= 0)
        put_value_name(maker, &tensor, 8, (unsigned)value);
    put_message(out, field, &tensor);
}

/* A new constant; its value's number. */
static unsigned make_constant(struct maker *maker, enum purpose purpose)
{
    unsigned value = new_value(maker);
    if (!maker->in_function && !is_odd(maker, 6)) {
        put_tensor(maker, maker->constants, 5, purpose, (int)value);
        return value;
    }
    struct bytes node = {0}, attribute = {0};
    put_value_name(maker, &node, 2, value);
    put_text(&node, 4, "Constant");
    put_text(&attribute, 1, "value");
    put_tensor(maker, &attribute, 5, purpose, -1);
    put_number(&attribute, 20, 4);
    put_message(&node, 5, &attribute);
    put_message(maker->constants, maker->in_function ? 7 : 1, &node);
    return value;
}

/* ---- nodes ------------------------------------------------------------------------------------------------- */

static void put_body(struct maker *maker, struct bytes *out, unsigned field);

static bool is_one_of(const struct npart__operand *operand, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (operand->name_length == strlen(names[i]) && memcmp(operand->name, names[i], operand->name_length) == 0)
            return true;
    return false;
}

static enum purpose purpose_of(const struct npart__operand *operand)
{
    static const char *const numbers[] = {"shape", "axes", "starts", "ends", "steps", "pads", "split", "repeats",
                                          "indices", "K", "k", "axis", "sizes", "M", "limit", "start", "delta"};
    static const char *const scales[] = {"x_scale", "y_scale", "scales", "a_scale", "b_scale", "w_scale", "min",
                                         "max", "ratio", "B", "exponent"};
    static const char *const zeros[] = {"x_zero_point", "y_zero_point", "a_zero_point", "b_zero_point",
                                        "w_zero_point"};
    static const char *const weights[] = {"W", "weight", "scale", "bias", "input_mean", "input_var", "R", "C"};
    if (is_one_of(operand, numbers, NPART__COUNT(numbers)))
        return FOR_NUMBERS;
    if (is_one_of(operand, scales, NPART__COUNT(scales)))
        return FOR_SCALE;
    if (is_one_of(operand, zeros, NPART__COUNT(zeros)))
        return FOR_ZERO_POINT;
    return is_one_of(operand, weights, NPART__COUNT(weights)) ? FOR_WEIGHT : FOR_ANYTHING;
}

static void put_inputs(struct maker *maker, struct bytes *node, const struct npart__operator *op)
{
    struct npart__operand operand;
    unsigned count = 0;
    while (count < 12 && npart__operator_input(op, count, &operand)) {
        enum purpose purpose = purpose_of(&operand);
        if (operand.is_variadic && count >= 1 + choose(maker->choices, 4))
            break;
        if (operand.is_optional && is_odd(maker, 3))
            break;
        if (operand.is_optional && is_odd(maker, 8))
            put_text(node, 1, "");
        else if (purpose != FOR_ANYTHING && !is_odd(maker, 4))
            put_value_name(maker, node, 1, make_constant(maker, purpose));
        else
            put_value_name(maker, node, 1, some_value(maker));
        count++;
        if (is_odd(maker, 24))
            break;
    }
    for (unsigned extra = is_odd(maker, 16) ? 1 + choose(maker->choices, 3) : 0; extra; extra--)
        put_value_name(maker, node, 1, some_value(maker));
}

static void put_outputs(struct maker *maker, struct bytes *node, const struct npart__operator *op)
{
    struct npart__operand operand;
    unsigned count = 0;
    while (count < 8 && npart__operator_output(op, count, &operand) &&
           (count == 0 || !(operand.is_optional || operand.is_variadic) || is_odd(maker, 3)))
        count++;
    count += is_odd(maker, 8) ? 1 + choose(maker->choices, 3) : 0;
    for (unsigned i = 0; i < count; i++) {
        if (is_odd(maker, 24))
            put_text(node, 2, "");
        else if (is_broken(maker, 100))
            put_value_name(maker, node, 2, some_value(maker));
        else
            put_value_name(maker, node, 2, new_value(maker));
    }
}

static void put_float(struct maker *maker, struct bytes *out, bool with_tag, unsigned field)
{
    static const float numbers[] = {1, 0, 0.5f, -1, 2, 1e-5f, 3e38f, -0.0f, 6};
    float number = numbers[choose(maker->choices, NPART__COUNT(numbers))];
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    if (with_tag)
        put_varint(out, field << 3 | 5);
    put_fixed32(out, bits);
}

static void put_string(struct maker *maker, struct bytes *out, unsigned field)
{
    static const char *const texts[] = {"NOTSET", "SAME_UPPER", "VALID", "linear", "nearest", "constant", "reflect",
                                        "bij,bjk->bik", "ij->ji", "none", "DCR", "asymmetric", "floor", "", "\xff",
                                        "forward", "bidirectional", "...ij,...jk->...ik", "abcdefghijkl->lkjihgfedcba"};
    put_text(out, field, texts[choose(maker->choices, NPART__COUNT(texts))]);
}

/* The value of one attribute of a kind as operators.def writes it. */
static void put_attribute_value(struct maker *maker, struct bytes *out, char kind)
{
    static const char kinds[] = "fistgFISTGyYpP";
    static const unsigned char types[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};
    if (is_odd(maker, 24))
        kind = kinds[choose(maker->choices, sizeof kinds - 1)];
    const char *at = strchr(kinds, kind);
    unsigned count = choose(maker->choices, 7);
    struct bytes packed = {0};
    switch (kind) {
    case 'f':
        put_float(maker, out, true, 2);
        break;
    case 'i':
        put_number(out, 3, (uint64_t)some_number(maker));
        break;
    case 's':
        put_string(maker, out, 4);
        break;
    case 't':
        put_tensor(maker, out, 5, is_odd(maker, 2) ? FOR_NUMBERS : FOR_ANYTHING, -1);
        break;
    case 'g':
        put_body(maker, out, 6);
        break;
    case 'F':
        for (unsigned i = 0; i < count; i++)
            put_float(maker, out, true, 7);
        break;
    case 'I':
        for (unsigned i = 0; i < count; i++)
            put_varint(&packed, (uint64_t)some_number(maker));
        put_message(out, 8, &packed);
        break;
    case 'S':
        for (unsigned i = 0; i < count; i++)
            put_string(maker, out, 9);
        break;
    case 'T':
        for (unsigned i = 0; i < count; i++)
            put_tensor(maker, out, 10, FOR_ANYTHING, -1);
        break;
    case 'G':
        put_body(maker, out, 11);
        break;
    case 'p':
        put_type(maker, out, 14);
        break;
    default:
        break;
    }
    put_number(out, 20, at && !is_odd(maker, 32) ? types[at - kinds] : choose(maker->choices, 20));
}

static void put_attribute(struct maker *maker, struct bytes *node, const char *word, size_t length)
{
    struct bytes attribute = {0};
    const char *equals = memchr(word, '=', length);
    size_t name_length = equals ? (size_t)(equals - word) : length;
    bool is_required = equals && name_length + 2 < length && equals[2] == '!';
    if (is_odd(maker, is_required ? 16 : 2))
        return;
    put_bytes(&attribute, 1, word, name_length);
    if (maker->in_function && is_odd(maker, 8))
        put_text(&attribute, 21, is_odd(maker, 2) ? "k" : "j");
    else
        put_attribute_value(maker, &attribute, equals ? equals[1] : 'i');
    put_message(node, 5, &attribute);
}

static void put_attributes(struct maker *maker, struct bytes *node, const struct npart__operator *op)
{
    for (const char *at = op->attributes; *at;) {
        size_t length = strcspn(at, " ");
        if (length)
            put_attribute(maker, node, at, length);
        at += length + (at[length] == ' ');
    }
}

static const struct npart__operator *some_operator(struct choices *choices)
{
    if (choose(choices, 2)) {
        size_t count = NPART__COUNT(operators);
        return &operators[choose_wide(choices, (unsigned)count)];
    }
    size_t count;
    const char *name = frequent[choose(choices, NPART__COUNT(frequent))];
    const struct npart__operator *versions = npart__operator_versions("", name, &count);
    return &versions[count - 1 - choose(choices, (unsigned)count)];
}

const char *generate_operator(struct choices *choices, const char **domain)
{
    const struct npart__operator *op = some_operator(choices);
    *domain = op->domain;
    return op->name;
}

static void put_call(struct maker *maker, struct bytes *node)
{
    char name[8];
    (void)snprintf(name, sizeof name, "F%u", choose(maker->choices, maker->function_count + 1));
    for (unsigned i = 0, count = 1 + choose(maker->choices, 3); i < count; i++)
        put_value_name(maker, node, 1, some_value(maker));
    for (unsigned i = 0, count = 1 + choose(maker->choices, 3); i < count; i++)
        put_value_name(maker, node, 2, new_value(maker));
    put_text(node, 4, name);
    put_text(node, 7, "my");
    if (is_odd(maker, 2))
        put_attribute(maker, node, "k=i!", 4);
}

static struct bytes make_node(struct maker *maker)
{
    struct bytes node = {0};
    unsigned kind = choose(maker->choices, 12);
    char name[16];
    if (kind == 10 && maker->function_count) {
        put_call(maker, &node);
    } else {
        const struct npart__operator *op = some_operator(maker->choices);
        put_inputs(maker, &node, op);
        put_attributes(maker, &node, op);
        put_outputs(maker, &node, op);
        put_text(&node, 4, kind == 11 && is_odd(maker, 4) ? "Nonsense" : op->name);
        if (*op->domain)
            put_text(&node, 7, op->domain);
    }
    (void)snprintf(name, sizeof name, "n%u", maker->nodes_left);
    if (!is_odd(maker, 4))
        put_text(&node, 3, name);
    return node;
}

/* DequantizeLinear in front of a node's inputs and QuantizeLinear after it, as quantizers write them. */
static void put_quantized_unit(struct maker *maker, struct bytes *graph, unsigned field)
{
    unsigned inputs[2], count = 1 + choose(maker->choices, 2);
    for (unsigned i = 0; i <= count; i++) {
        struct bytes node = {0};
        bool is_last = i == count;
        unsigned source = is_last ? maker->values[maker->value_count - 1] : some_value(maker);
        unsigned scale = make_constant(maker, FOR_SCALE), zero = make_constant(maker, FOR_ZERO_POINT);
        if (is_last) {
            const struct npart__operator *op = some_operator(maker->choices);
            struct bytes middle = {0};
            source = new_value(maker);
            for (unsigned k = 0; k < count; k++)
                put_value_name(maker, &middle, 1, inputs[k]);
            put_value_name(maker, &middle, 2, source);
            put_attributes(maker, &middle, op);
            put_text(&middle, 4, op->name);
            put_message(graph, field, &middle);
        }
        unsigned result = new_value(maker);
        put_value_name(maker, &node, 1, source);
        put_value_name(maker, &node, 1, scale);
        if (!is_odd(maker, 4))
            put_value_name(maker, &node, 1, zero);
        put_value_name(maker, &node, 2, result);
        if (is_odd(maker, 12))
            put_value_name(maker, &node, 2, new_value(maker));
        put_text(&node, 4, is_last ? "QuantizeLinear" : "DequantizeLinear");
        put_message(graph, field, &node);
        if (!is_last)
            inputs[i] = result;
    }
}

static void put_nodes(struct maker *maker, struct bytes *graph, unsigned field, unsigned count)
{
    for (unsigned i = 0; i < count && maker->nodes_left; i++) {
        maker->nodes_left--;
        if (is_odd(maker, 12)) {
            put_quantized_unit(maker, graph, field);
            continue;
        }
        struct bytes node = make_node(maker);
        put_message(graph, field, &node);
    }
}

/* ---- graphs ------------------------------------------------------------------------------------------------ */

static void put_graph(struct maker *maker, struct bytes *graph, unsigned inputs, unsigned nodes)
{
    unsigned first_made;
    for (unsigned i = 0; i < inputs; i++)
        put_value_info(maker, graph, 11, new_value(maker));
    first_made = maker->value_count;
    put_nodes(maker, graph, 1, nodes);
    for (unsigned i = 0, count = 1 + choose(maker->choices, 4); i < count; i++) {
        unsigned value = maker->value_count > first_made && i == 0 ? maker->values[maker->value_count - 1]
                                                                    : some_value(maker);
        put_value_info(maker, graph, 12, value);
    }
    for (unsigned count = choose(maker->choices, 4); count; count--)
        put_value_info(maker, graph, 13, some_value(maker));
}

static void put_body(struct maker *maker, struct bytes *out, unsigned field)
{
    struct bytes body = {0};
    struct bytes *constants = maker->constants;
    bool in_function = maker->in_function;
    unsigned visible = maker->value_count;
    if (maker->depth < MOST_DEPTH) {
        maker->depth++;
        maker->constants = &body;
        maker->in_function = false;
        put_graph(maker, &body, choose(maker->choices, 4), 1 + choose(maker->choices, 5));
        maker->constants = constants;
        maker->in_function = in_function;
        maker->depth--;
    }
    maker->value_count = visible;
    put_message(out, field, &body);
}

static void put_opsets(struct maker *maker, struct bytes *out, unsigned field)
{
    static const unsigned char versions[] = {17, 13, 21, 18, 14, 11, 19, 20, 22, 23, 24,
                                             12, 10, 9,  8,  7,  6,  1,  26, 28, 0,  200};
    static const char *const domains[] = {"", "com.microsoft", "my", "ai.onnx.ml", "ai.onnx.preview.training"};
    for (unsigned i = 0; i < NPART__COUNT(domains); i++) {
        struct bytes opset = {0};
        unsigned version = i ? 1 + choose(maker->choices, 3)
                             : versions[choose(maker->choices, maker->is_wild ? sizeof versions : 16)];
        put_text(&opset, 1, domains[i]);
        put_number(&opset, 2, version);
        if (is_broken(maker, 64))
            bytes_free(&opset);
        else
            put_message(out, field, &opset);
    }
}

static void put_function(struct maker *maker, struct bytes *model, unsigned number)
{
    struct bytes function = {0};
    char name[16];
    maker->value_count = 0;
    maker->in_function = true;
    maker->constants = &function;
    (void)snprintf(name, sizeof name, "F%u", number);
    put_text(&function, 1, name);
    for (unsigned i = 0, count = 1 + choose(maker->choices, 3); i < count; i++)
        put_value_name(maker, &function, 4, new_value(maker));
    put_nodes(maker, &function, 7, 1 + choose(maker->choices, 6));
    for (unsigned i = 0, count = 1 + choose(maker->choices, 3); i < count; i++)
        put_value_name(maker, &function, 5, some_value(maker));
    put_text(&function, 6, "k");
    put_opsets(maker, &function, 9);
    put_text(&function, 10, "my");
    put_message(model, 25, &function);
    maker->in_function = false;
    maker->value_count = 0;
}

struct bytes generate_model(struct choices *choices)
{
    struct maker maker = {.choices = choices, .nodes_left = MOST_NODES};
    struct bytes model = {0}, graph = {0};
    maker.is_wild = is_odd(&maker, 8);
    maker.has_hostile_names = is_odd(&maker, 4);
    put_number(&model, 1, maker.is_wild ? choose(choices, 20) : 8 + choose(choices, 4));
    maker.function_count = is_odd(&maker, 3) ? 1 + choose(choices, MOST_FUNCTIONS) : 0;
    put_opsets(&maker, &model, 8);
    for (unsigned i = 0; i < maker.function_count; i++)
        put_function(&maker, &model, i);
    maker.next_value = 0;
    maker.constants = &graph;
    put_graph(&maker, &graph, 1 + choose(choices, 4), 1 + choose(choices, MOST_NODES));
    put_message(&model, 7, &graph);
    return model;
}

struct bytes generate_node(struct choices *choices, unsigned values)
{
    struct maker maker = {.choices = choices, .nodes_left = choose(choices, 256), .depth = MOST_DEPTH};
    struct bytes constants = {0};
    maker.constants = &constants;
    for (unsigned i = 0; i < values; i++)
        (void)new_value(&maker);
    struct bytes node = make_node(&maker);
    bytes_free(&constants);
    return node;
}
