/* SPDX-License-Identifier: Apache-2.0
 *
 * Static quantization: which tensors get QuantizeLinear and DequantizeLinear, and which share a scale. In the order of
 * qdq_quantizer.py: all nodes are asked first, then tensors with scales of their own are quantized, then those that
 * have another's, then biases.
 *
 * Where some nodes' activations have 16 bits and others 8, a tensor has the bits of what makes it, and users of the
 * other kind read it converted (_add_qdq_ops_for_converted_activation; that a node's operands and results are to be of
 * one type is mixed_precision_overrides_utils.py's).
 */
#include <math.h>
#include <stdlib.h>

#include "quantize/internal.h"

enum habit {
#define NPART__HABIT(name, least, asks) name,
#include "quantize/habits.def"
#undef NPART__HABIT
};

static const struct {
    size_t least; /* operands */
    const char *asks;
} habits[] = {
#define NPART__HABIT(name, least, asks) {least, asks},
#include "quantize/habits.def"
#undef NPART__HABIT
};

/* What is done with an operator, known by its name alone (`static` in operators.table). */
static const struct row {
    const char *op;
    uint8_t habit;  /* enum habit */
    uint8_t number; /* of WEIGHTED the axis of the weight's channels, else the first opset */
} rows[] = {
#define STATIC(op, habit, number) {op, habit, number},
#include "operator_static.def"
};

/* Whether the file has such an operator, before its opset was raised. */
static bool is_own(const struct npart__quantizer *quantizer, const char *op)
{
    const struct npart__graph *own = quantizer->own;
    for (uint32_t i = 0; own != quantizer->graph && i < own->nodes.count; i++)
        if (strcmp(npart__node_op(own, npart__node_at(own, i)), op) == 0)
            return true;
    return own == quantizer->graph;
}

/* NULL: it is left alone. By QNN's configuration that is Cast alone (quant_config.py, OP_TYPES_TO_EXCLUDE), and what
 * the file did not have (get_qnn_qdq_config). */
static const struct row *row_of(const struct npart__quantizer *quantizer, const char *op)
{
    static const struct row base = {"", BASE, 0};
    if (npart__op_plays(op, NPART__ROLE_QUANTIZES) || npart__op_plays(op, NPART__ROLE_DEQUANTIZES) ||
        (quantizer->format->is_for_qnn && !is_own(quantizer, op)))
        return NULL;
    for (size_t i = 0; i < NPART__COUNT(rows); i++)
        if (strcmp(rows[i].op, op) == 0)
            return &rows[i];
    return quantizer->format->is_for_qnn && !npart__op_plays(op, NPART__ROLE_CASTS) ? &base : NULL;
}

bool npart__is_quantized_op(const struct npart__quantizer *quantizer, const char *op)
{
    return row_of(quantizer, op) != NULL;
}

/* Whether the quantizer asks for a node's tensors. */
static bool is_asked(const struct npart__quantizer *quantizer, uint32_t place)
{
    return !quantizer->is_kept[place] && npart__is_quantized_op(quantizer, quantizer->main->node[place]->op_type);
}

/* ---- activations of 16 bits -------------------------------------------------------------------------------------- */

/* A constant has 16 bits where all that read it have. A node that reads a tensor twice is one user. */
static void note_users(struct npart__quantizer *quantizer, uint32_t place)
{
    const Onnx__NodeProto *node = quantizer->main->node[place];
    for (size_t i = 0; i < node->n_input; i++) {
        struct npart__quantized *tensor = npart__quantized_at(quantizer, node->input[i]);
        if (!npart__is_quantizable(tensor) || tensor->last_user == place + 1)
            continue;
        tensor->last_user = place + 1;
        bool is_other = quantizer->is_16[place] != tensor->is_16;
        tensor->asked_users += is_asked(quantizer, place);
        tensor->converted_users += is_other;
        if (tensor->initializer)
            tensor->is_16 &= quantizer->is_16[place];
        else if (!tensor->is_bias_operand)
            tensor->converts |= is_other;
    }
}

/* Which tensors have 16 bits, and which are converted; of nodes that are quantized. */
static void note_wide(struct npart__quantizer *quantizer)
{
    const Onnx__GraphProto *graph = quantizer->main;
    for (uint32_t i = 0; i < graph->n_node; i++) {
        const Onnx__NodeProto *node = graph->node[i];
        struct npart__quantized *bias = node->n_input > 2 ? npart__quantized_at(quantizer, node->input[2]) : NULL;
        quantizer->is_16[i] &= is_asked(quantizer, i);
        const struct row *row = bias ? row_of(quantizer, node->op_type) : NULL;
        if (row && (row->habit == WEIGHTED || row->habit == NORM))
            bias->is_bias_operand = true;
    }
    for (uint32_t i = 0; i < quantizer->tensor_count; i++) {
        struct npart__quantized *tensor = &quantizer->tensors[i];
        bool is_made_so = tensor->maker != NPART_NONE && quantizer->is_16[tensor->maker];
        tensor->is_16 = !tensor->is_bias_operand && (tensor->initializer ? tensor->uses > 0 : is_made_so);
    }
    for (uint32_t i = 0; i < graph->n_node; i++)
        note_users(quantizer, i);
}

static int activation_type(const struct npart__quantizer *quantizer, const struct npart__quantized *tensor,
                           bool is_converted)
{
    int type = quantizer->format->activation_type;
    return tensor->is_16 == is_converted ? type : type == NPART__UINT8 ? NPART__UINT16 : NPART__INT16;
}

/* ---- what is asked for ------------------------------------------------------------------------------------------- */

/* Who asks first decides, but for a provider and channels, which count whenever they are asked for. */
static void mark(struct npart__quantizer *quantizer, struct npart__quantized *tensor, uint8_t role, int32_t axis,
                 struct npart__quantized *provider)
{
    if (!npart__is_quantizable(tensor) || (tensor->role && axis < 0 && !provider))
        return;
    if (!tensor->role)
        (void)NPART__PUSH(quantizer->arena, &quantizer->marked, tensor);
    tensor->role = role;
    tensor->axis = axis;
    tensor->provider = provider;
}

static void mark_activation(struct npart__quantizer *quantizer, struct npart__quantized *tensor)
{
    mark(quantizer, tensor, NPART__ROLE_ACTIVATION, -1, NULL);
}

static bool is_marked(const struct npart__quantized *tensor)
{
    return tensor && (tensor->role || tensor->is_bias);
}

/* The number after the largest that an initializer has after this name (onnx_model.py,
 * get_largest_initializer_name_suffix). That another tensor may have the name is not asked: the file is as it is. */
static const char *copy_name(struct npart__quantizer *quantizer, const char *name, uint32_t copies)
{
    size_t length = strlen(name);
    unsigned long next = 0;
    for (size_t i = 0; i < quantizer->main->n_initializer; i++) {
        const char *other = quantizer->main->initializer[i]->name;
        bool is_longer = strncmp(other, name, length) == 0 && strspn(other + length, "0123456789") &&
                         strspn(other + length, "0123456789") == strlen(other + length) && strlen(other + length) < 10;
        unsigned long number = is_longer ? strtoul(other + length, NULL, 10) + 1 : 0;
        next = number > next ? number : next;
    }
    const char *made = npart__arena_format(quantizer->arena, "%s%lu", name, next + copies);
    return made && npart__intern_text(&quantizer->names, made) != NPART_NONE ? made : NULL;
}

/* What has the name is an initializer to the quantizer from now on. */
static void take_name(struct npart__quantizer *quantizer, const char *name, const Onnx__TensorProto *of)
{
    struct npart__quantized *tensor = npart__quantized_at(quantizer, name);
    Onnx__TensorProto *made = tensor ? npart__arena_allocate(quantizer->arena, sizeof *made) : NULL;
    if (!made)
        return;
    *made = *of;
    made->name = (char *)(uintptr_t)name;
    tensor->initializer = made;
}

/* Operands or results of a node of the file that have a name have another from here on. */
static void rename_each(char **names, size_t count, const char *from, const char *to)
{
    for (size_t i = 0; to && i < count; i++)
        if (strcmp(names[i], from) == 0)
            names[i] = (char *)(uintptr_t)to;
}

/* A bias that has been quantized for another node is copied, as its scale follows from this node's operands; the node
 * reads the copy wherever it has read the bias (qdq_quantizer.py, quantize_bias_tensor). */
static void mark_bias(struct npart__quantizer *quantizer, Onnx__NodeProto *node, uint32_t place)
{
    struct npart__quantized *bias = npart__quantized_at(quantizer, node->input[2]);
    /* Of FLOAT8 the quantizer casts the bias, which comes to the same as leaving it. */
    if (!bias || !bias->initializer || !npart__is_quantizable(bias) ||
        !npart__type_is_integer(quantizer->format->weight_type))
        return;
    struct npart__quantized_bias row = {bias, npart__quantized_at(quantizer, node->input[0]),
                                        npart__quantized_at(quantizer, node->input[1]), false, node->input[2]};
    row.is_converted = row.operand && quantizer->is_16[place] != row.operand->is_16;
    if (bias->is_bias) {
        row.name = copy_name(quantizer, node->input[2], bias->copies++);
        rename_each(node->input, node->n_input, node->input[2], row.name);
        take_name(quantizer, row.name, bias->initializer);
    }
    bias->is_bias = true;
    (void)NPART__PUSH(quantizer->arena, &quantizer->biases, row);
}

/* What is padded lies within the range of what is there, which always has 0. */
static bool pads_nothing_new(struct npart__quantizer *quantizer, const Onnx__NodeProto *node)
{
    const Onnx__AttributeProto *mode = npart__onnx_attribute(node, "mode");
    const Onnx__AttributeProto *value = npart__onnx_attribute(node, "value");
    double number = value ? (double)value->f : 0;
    if (mode && (!mode->s.len || !npart__is_text("constant", (const char *)mode->s.data, mode->s.len)))
        return true;
    if (node->n_input < 3 || !*node->input[2])
        return number == 0;
    const struct npart__quantized *constant = npart__quantized_at(quantizer, node->input[2]);
    return constant && constant->tensor && npart__tensor_doubles(constant->tensor, &number, 1) && number == 0;
}

/* Symmetric ranges do not end where a Relu ends. What makes the operand makes the result, then. */
static void ask_range(struct npart__quantizer *quantizer, Onnx__NodeProto *node, uint32_t place,
                      struct npart__quantized *operand, struct npart__quantized *result)
{
    if (!result || !is_marked(operand))
        return;
    if (operand->uses == 1 && !operand->is_output && !operand->is_input && !operand->is_captured &&
        operand->maker != NPART_NONE && npart__is_quantizable(result) && !operand->converts && !result->converts) {
        Onnx__NodeProto *maker = quantizer->main->node[operand->maker];
        rename_each(maker->output, maker->n_output, node->input[0], node->output[0]);
        result->maker = operand->maker;
        operand->role = NPART__ROLE_NONE;
        quantizer->is_removed[place] = true;
    } else {
        mark_activation(quantizer, operand);
    }
    mark_activation(quantizer, result);
}

/* The axis of a weight's channels. */
static int32_t axis_of(const struct npart__quantizer *quantizer, const Onnx__NodeProto *node, const struct row *row)
{
    if (row->habit == WEIGHTED)
        return npart__onnx_int(node, "transB") ? 0 : row->number;
    return row->habit == PRODUCT && quantizer->format->is_for_qnn ? -1 : 1;
}

static void ask_for(struct npart__quantizer *quantizer, Onnx__NodeProto *node, uint32_t place, const struct row *row,
                    struct npart__quantized *tensor, char what)
{
    struct npart__quantized *first = node->n_input ? npart__quantized_at(quantizer, node->input[0]) : NULL;
    const Onnx__TensorProto *constant = tensor ? tensor->initializer : NULL;
    /* Of FLOAT8 it leaves pooling alone. */
    bool stays = quantizer->opset < row->number ||
                 (row->habit == POOL && quantizer->format->activation_type == NPART__FLOAT8E4M3FN);
    bool shares = what == 's'   ? !stays && is_marked(first)
                  : what == 'p' ? !stays
                                : what == 'd' && pads_nothing_new(quantizer, node);
    if (what == 'b') {
        mark_bias(quantizer, node, place);
    } else if (what == 'r') {
        ask_range(quantizer, node, place, first, tensor);
    } else if (what == 'w' || (what == 'm' && constant)) {
        int32_t axis = axis_of(quantizer, node, row);
        bool has_axis = quantizer->format->is_per_channel && constant && axis >= 0 && (size_t)axis < constant->n_dims;
        mark(quantizer, tensor, NPART__ROLE_WEIGHT, has_axis ? axis : -1, NULL);
    } else if (shares) {
        /* As this node reads it. */
        mark(quantizer, tensor, NPART__ROLE_ACTIVATION, -1, first);
        if (tensor && first)
            tensor->is_provider_converted = quantizer->is_16[place] != first->is_16;
    } else if (what == 'a' || what == 'm' || what == 'd' || (what == 'k' && constant) ||
               (what == 'c' && is_marked(npart__quantized_at(quantizer, node->input[1])) &&
                is_marked(npart__quantized_at(quantizer, node->input[2])))) {
        mark_activation(quantizer, tensor);
    }
}

/* Operators have the operands and results that the standard demands, or the model is none for the quantizer. */
static void ask(struct npart__quantizer *quantizer, Onnx__NodeProto *node, uint32_t place)
{
    const struct row *row = row_of(quantizer, node->op_type);
    if (quantizer->is_kept[place] || !row || node->n_input < habits[row->habit].least ||
        (row->habit != BASE && node->n_output == 0))
        return;
    for (const char *at = habits[row->habit].asks; *at; at += at[3] == ' ' ? 4 : 3) {
        char *const *names = *at == 'i' ? node->input : node->output;
        size_t count = *at == 'i' ? node->n_input : node->n_output, from = at[1] == '*' ? 0 : (size_t)(at[1] - '0');
        for (size_t i = from; i < count && (i == from || at[1] == '*'); i++)
            ask_for(quantizer, node, place, row, npart__quantized_at(quantizer, names[i]), at[2]);
    }
}

/* ---- scales ------------------------------------------------------------------------------------------------------ */

struct range {
    double least, most; /* of the quantized type */
};

/* Symmetric signed types leave out their least number (quant_utils.py, ONNX_INT_TYPE_SYMMETRIC_RANGE). */
static struct range range_of(int element_type, bool is_symmetric)
{
    unsigned bits = npart__type_bits(element_type);
    double half = (double)(UINT64_C(1) << (bits - 1));
    if (element_type == NPART__FLOAT8E4M3FN)
        return (struct range){-448, 448};
    if (!npart__type_is_signed(element_type))
        return (struct range){0, 2 * half - 1};
    return (struct range){is_symmetric ? 1 - half : -half, half - 1};
}

/* Numbers of a constant that stand in the skeleton; NULL where they do not. */
static const double *numbers_of(struct npart__quantizer *quantizer, const struct npart__quantized *tensor)
{
    const struct npart__tensor *at = tensor->tensor;
    if (!at || at->place != NPART__TENSOR_INLINE || at->elements == 0 || at->elements > NPART__KEEP_BYTES / 4)
        return NULL;
    double *numbers = npart__arena_allocate(quantizer->arena, (size_t)at->elements * sizeof *numbers);
    return numbers && npart__tensor_doubles(at, numbers, at->elements) ? numbers : NULL;
}

/* Scale and zero point of numbers (quant_utils.py, compute_scale_zp): 0 is always within the range, which is 0.0001 at
 * least by QNN's configuration (quant_config.py). */
static double scale_of(const struct npart__quantizer *quantizer, const double *numbers, uint64_t count,
                       struct range range, bool is_symmetric, double *zero)
{
    double shortest = quantizer->format->is_for_qnn ? 0.0001 : 0;
    double least = 0, most = 0;
    for (uint64_t i = 0; i < count; i++) {
        least = numbers[i] < least ? numbers[i] : least;
        most = numbers[i] > most ? numbers[i] : most;
    }
    most = most > least + shortest ? most : least + shortest;
    if (is_symmetric) {
        most = most > -least ? most : -least;
        least = -most;
    }
    double scale = (most - least) / (range.most - range.least);
    double first = is_symmetric ? (range.most + range.least) / 2 : range.least - least / scale;
    *zero = scale > 1e-30 && !isinf(scale) ? (double)(int64_t)(first + (first < 0 ? -0.5 : 0.5)) : 0;
    return scale > 1e-30 ? scale : 1;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* The standard's operators take 16 and 4 bits from opset 21 on; before, ONNX Runtime has its own, which QNN's
 * configuration asks for by the file's opset. */
static const char *qdq_domain(const struct npart__quantizer *quantizer)
{
    const struct npart__quantized_format *format = quantizer->format;
    const struct npart_opset *own = npart__standard_import(quantizer->own);
    bool is_wide = npart__type_bits(format->activation_type) == 16 || npart__type_bits(format->weight_type) == 4 ||
                   format->keeps_16;
    bool was_before = quantizer->opset < 21 || (format->is_for_qnn && (!own || own->version < 21));
    return is_wide && was_before ? "com.microsoft" : "";
}

/* A node that is called after `name`. */
static Onnx__NodeProto *add_qdq(struct npart__quantizer *quantizer, enum npart__role role, const char *name,
                                const char *operand, const char *scale, const char *zero, const char *result)
{
    const char *domain = qdq_domain(quantizer), *op = npart__role_op(role);
    const char *suffix = npart__arena_format(quantizer->arena, "_%s", op);
    if (*domain)
        op = npart__arena_format(quantizer->arena, "%s:%s", domain, op);
    return quantizer->arena->failed ? NULL
                             : NPART__ADD_NODE(quantizer, op, npart__new_name(quantizer, name, suffix), result, operand,
                                               scale, zero);
}

/* One number for all. */
static void add_scales(struct npart__quantizer *quantizer, const struct npart__quantized *tensor, int element_type,
                       const int64_t *dims, size_t rank, double zero)
{
    npart__add_tensor(quantizer, tensor->scale_name, tensor->element_type, dims, rank, NULL, tensor->scale);
    npart__add_tensor(quantizer, tensor->zero_name, element_type, dims, rank, NULL, zero);
}

/* The weight as its quantized type: its numbers where they are known. */
static void add_quantized(struct npart__quantizer *quantizer, const struct npart__quantized *tensor, const char *name,
                          int element_type, const double *numbers, double zero)
{
    const Onnx__TensorProto *own = tensor->initializer;
    struct range range = range_of(element_type, false);
    uint64_t count = numbers ? tensor->tensor->elements : 0;
    double *quantized = npart__arena_allocate(quantizer->arena, (size_t)(count + 1) * sizeof *quantized);
    for (uint64_t i = 0; quantized && i < count; i++) {
        double level = isinf(tensor->scale) ? 0 : numbers[i] / tensor->scale + zero;
        level = level < range.least ? range.least : level > range.most ? range.most : level;
        quantized[i] = (double)(int64_t)(level + (level < 0 ? -0.5 : 0.5));
    }
    npart__add_tensor(quantizer, name, element_type, own->dims, own->n_dims, numbers ? quantized : NULL, NPART__ABSENT);
}

/* The dims of a tensor's scales: none, that of its channels, or in blocks its own, with a scale for so many numbers
 * along the axis, which is 0 where there are no channels. NULL when out of memory. */
static int64_t *scale_dims(struct npart__quantizer *quantizer, struct npart__quantized *tensor, bool has_blocks,
                           size_t *rank)
{
    const Onnx__TensorProto *own = tensor->initializer;
    uint32_t block = quantizer->format->block;
    int64_t *dims = npart__arena_allocate(quantizer->arena, (own->n_dims + 1) * sizeof *dims);
    tensor->axis = has_blocks && tensor->axis < 0 ? 0 : tensor->axis;
    *rank = has_blocks ? own->n_dims : tensor->axis >= 0;
    for (size_t i = 0; dims && i < *rank; i++)
        dims[i] = own->dims[has_blocks ? i : (size_t)tensor->axis];
    if (dims && has_blocks)
        dims[tensor->axis] = (dims[tensor->axis] + block - 1) / block;
    return dims;
}

static void quantize_initializer(struct npart__quantizer *quantizer, struct npart__quantized *tensor)
{
    const struct npart__quantized_format *format = quantizer->format;
    bool is_weight = tensor->role == NPART__ROLE_WEIGHT;
    int element_type = !is_weight ? activation_type(quantizer, tensor, false)
                       : tensor->is_wide ? NPART__INT8 : format->weight_type;
    bool is_signed = npart__type_is_signed(element_type) || !npart__type_is_integer(element_type);
    bool is_symmetric = tensor->axis >= 0 || (is_weight && is_signed);
    struct range range = range_of(element_type, is_symmetric);
    const char *name = tensor->initializer->name;
    bool has_bytes = npart__type_bits(element_type) >= 8 && npart__type_is_integer(element_type);
    const double *numbers = tensor->axis < 0 && has_bytes ? numbers_of(quantizer, tensor) : NULL;
    double zero = is_symmetric && range.least < 0 ? 0 : (range.least + range.most + 1) / 2;
    tensor->scale = npart__stand_in(quantizer, tensor) / 16;
    if (numbers && tensor->element_type == NPART__FLOAT)
        tensor->scale = scale_of(quantizer, numbers, tensor->tensor->elements, range, is_symmetric, &zero);
    npart__name_scales(quantizer, tensor, name);
    const char *quantized = npart__new_name(quantizer, name, "_quantized");
    tensor->reads = npart__new_name(quantizer, name, "_DequantizeLinear_Output");
    bool has_blocks = is_weight && format->block && !tensor->is_wide && tensor->initializer->n_dims;
    size_t rank;
    const int64_t *dims = scale_dims(quantizer, tensor, has_blocks, &rank);
    add_scales(quantizer, tensor, element_type, dims, rank, has_blocks ? 0 : zero);
    add_quantized(quantizer, tensor, quantized, element_type, has_blocks ? NULL : numbers, zero);
    Onnx__NodeProto *node = add_qdq(quantizer, NPART__ROLE_DEQUANTIZES, name, quantized, tensor->scale_name,
                                    tensor->zero_name, tensor->reads);
    if (tensor->axis >= 0)
        npart__set_int(quantizer, node, "axis", tensor->axis);
    if (has_blocks)
        npart__set_int(quantizer, node, "block_size", format->block);
}

/* A step of 8 bits is 257 of 16, over the same range. */
static double converted_scale(const struct npart__quantized *tensor)
{
    return tensor->is_16 ? 257 : 1.0 / 257;
}

/* What never is below 0 begins its quantized range there. */
static double middle_of(const struct npart__quantized *tensor, struct range range)
{
    const char *op = tensor->origin ? tensor->origin->op : tensor->op;
    bool is_positive = op && npart__op_plays(op, NPART__ROLE_NOT_NEGATIVE);
    return range.least + (is_positive ? 0 : (double)(int64_t)((range.most - range.least) * 0.48));
}

static void convert_scale(struct npart__quantizer *quantizer, struct npart__quantized *tensor)
{
    int type = activation_type(quantizer, tensor, true);
    tensor->converted_scale_name = npart__new_name(quantizer, tensor->name, "_scale_convert");
    tensor->converted_zero_name = npart__new_name(quantizer, tensor->name, "_zero_point_convert");
    npart__add_tensor(quantizer, tensor->converted_scale_name, tensor->element_type, NULL, 0, NULL,
                      tensor->scale * converted_scale(tensor));
    npart__add_tensor(quantizer, tensor->converted_zero_name, type, NULL, 0, NULL,
                      middle_of(tensor, range_of(type, false)));
}

/* Users of the tensor, by whether they read it converted, from now on read another. */
static void replace_reads(struct npart__quantizer *quantizer, const struct npart__quantized *tensor,
                          bool is_converted, const char *by)
{
    for (uint32_t i = 0; i < quantizer->main->n_node && by; i++) {
        Onnx__NodeProto *node = quantizer->main->node[i];
        if ((quantizer->is_16[i] != tensor->is_16) == is_converted && (is_converted || is_asked(quantizer, i)))
            rename_each(node->input, node->n_input, tensor->name, by);
    }
}

/* A pair between what makes a tensor and its users; of an output of the graph before it. Of a converted tensor one more
 * of each, and another DequantizeLinear where not all users read what is converted. */
static void add_pair(struct npart__quantizer *quantizer, struct npart__quantized *tensor)
{
    const char *name = tensor->name, *scale = tensor->scale_name, *zero = tensor->zero_name;
    if (tensor->converts)
        convert_scale(quantizer, tensor);
    tensor->is_done = true;
    const char *quantized = npart__new_name(quantizer, name, "_QuantizeLinear_Output"), *input = name;
    bool are_all = tensor->converts && tensor->asked_users == tensor->converted_users;
    bool is_output = tensor->is_output && tensor->maker != NPART_NONE;
    if (is_output) {
        input = npart__new_name(quantizer, name, "_QuantizeLinear_Input");
        Onnx__NodeProto *maker = quantizer->main->node[tensor->maker];
        rename_each(maker->output, maker->n_output, name, input);
    }
    const char *first = is_output && !are_all ? name : npart__new_name(quantizer, name, "_DequantizeLinear_Output");
    add_qdq(quantizer, NPART__ROLE_QUANTIZES, name, input, scale, zero, quantized);
    add_qdq(quantizer, NPART__ROLE_DEQUANTIZES, name, quantized, scale, zero, first);
    if (!tensor->converts) {
        tensor->reads = first != name ? first : NULL;
        return;
    }
    const char *other = npart__arena_format(quantizer->arena, "%s_convert", name);
    const char *clone = npart__arena_format(quantizer->arena, "%s_convert_clone", name);
    const char *between = are_all ? first : npart__new_name(quantizer, other, "_QuantizeLinear_Input");
    const char *last = is_output && are_all ? name : npart__new_name(quantizer, other, "_DequantizeLinear_Output");
    const char *narrow = npart__new_name(quantizer, other, "_QuantizeLinear_Output");
    replace_reads(quantizer, tensor, false, first);
    if (!are_all)
        add_qdq(quantizer, NPART__ROLE_DEQUANTIZES, clone, quantized, scale, zero, between);
    scale = tensor->converted_scale_name;
    zero = tensor->converted_zero_name;
    add_qdq(quantizer, NPART__ROLE_QUANTIZES, other, between, scale, zero, narrow);
    replace_reads(quantizer, tensor, true, last);
    add_qdq(quantizer, NPART__ROLE_DEQUANTIZES, other, narrow, scale, zero, last);
}

/* Known are the ranges of what a Softmax makes and of a constant that is handed on; QNN has fixed ones of 16 bits for
 * Sigmoid and Tanh (quant_config.py). */
static void choose_scale(struct npart__quantizer *quantizer, struct npart__quantized *tensor, int type, double *zero)
{
    struct range range = range_of(type, false);
    bool is_fixed = quantizer->format->is_for_qnn && npart__type_bits(type) == 16;
    const struct npart__quantized *from = tensor->origin ? tensor->origin : tensor;
    const double *numbers = npart__type_is_integer(type) ? numbers_of(quantizer, from) : NULL;
    tensor->scale = npart__stand_in(quantizer, tensor) / (from->initializer ? 16 : 1);
    *zero = from->initializer ? (range.least + range.most + 1) / 2 : middle_of(tensor, range);
    if (numbers && !tensor->reach && tensor->element_type == NPART__FLOAT)
        tensor->scale = scale_of(quantizer, numbers, from->tensor->elements, range, false, zero);
    if (!npart__type_is_integer(type) || tensor->reach == NPART__REACHES_INFINITY)
        *zero = 0;
    if (tensor->reach)
        tensor->scale = tensor->reach == NPART__REACHES_INFINITY ? INFINITY : NAN;
    if (tensor->reach || tensor->element_type != NPART__FLOAT || !tensor->op)
        return;
    if (npart__operator_traits("", tensor->op)->elements == NPART__ELEMENTS_SOFTMAX)
        tensor->scale = 1 / (range.most - range.least);
    else if (is_fixed && npart__op_plays(tensor->op, NPART__ROLE_FROM_0_TO_1))
        tensor->scale = 1 / (range.most - range.least + 1);
    else if (is_fixed && npart__op_plays(tensor->op, NPART__ROLE_FROM_MINUS_1_TO_1)) {
        tensor->scale = 2 / (range.most - range.least + 1);
        *zero = (range.least + range.most + 1) / 2;
    }
}

static void quantize_own(struct npart__quantizer *quantizer)
{
    for (uint32_t i = 0; i < quantizer->marked.count && !quantizer->arena->failed; i++) {
        struct npart__quantized *tensor = quantizer->marked.items[i];
        double zero;
        if (!tensor->role || tensor->is_done || tensor->provider)
            continue;
        tensor->is_done = true;
        if (tensor->initializer) {
            quantize_initializer(quantizer, tensor);
        } else if (!tensor->op || !npart__op_plays(tensor->op, NPART__ROLE_DEQUANTIZES)) {
            int type = activation_type(quantizer, tensor, false);
            choose_scale(quantizer, tensor, type, &zero);
            npart__name_scales(quantizer, tensor, tensor->name);
            add_scales(quantizer, tensor, type, NULL, 0, zero);
            add_pair(quantizer, tensor);
        }
    }
}

/* Again and again, as one may have the scale of another that has it of a third. */
static void quantize_shared(struct npart__quantizer *quantizer)
{
    for (bool goes_on = true; goes_on && !quantizer->arena->failed;) {
        goes_on = false;
        for (uint32_t i = 0; i < quantizer->marked.count && !quantizer->arena->failed; i++) {
            struct npart__quantized *tensor = quantizer->marked.items[i];
            const struct npart__quantized *provider = tensor->provider;
            if (!tensor->role || tensor->is_done || tensor->initializer || !provider || !provider->is_done ||
                !provider->scale_name)
                continue;
            bool is_converted = tensor->is_provider_converted && provider->converted_scale_name;
            tensor->scale = provider->scale * (is_converted ? converted_scale(provider) : 1);
            tensor->scale_name = is_converted ? provider->converted_scale_name : provider->scale_name;
            tensor->zero_name = is_converted ? provider->converted_zero_name : provider->zero_name;
            add_pair(quantizer, tensor);
            goes_on = true;
        }
    }
}

/* INT32 with the product of both scales (base_quantizer.py, quantize_bias_static_impl): scales of rank 1, and a zero
 * point of rank 0 where there is one. The DequantizeLinear makes the tensor under its own name. */
static void quantize_bias(struct npart__quantizer *quantizer, const struct npart__quantized_bias *row)
{
    struct npart__quantized *bias = row->bias;
    const struct npart__quantized *operand = row->operand, *weight = row->weight;
    bool has_channels = weight && weight->axis >= 0 && bias->initializer->n_dims == 1;
    struct npart__quantized made = {.axis = -1, .scale = (operand ? operand->scale : 1) * (weight ? weight->scale : 1)};
    made.scale *= operand && row->is_converted ? converted_scale(operand) : 1;
    int64_t one = 1;
    const char *quantized = npart__new_name(quantizer, row->name, "_quantized");
    const int64_t *dims = bias->initializer->dims;
    npart__name_scales(quantizer, &made, quantized);
    npart__add_tensor(quantizer, quantized, NPART__INT32, dims, bias->initializer->n_dims, NULL, NPART__ABSENT);
    npart__add_tensor(quantizer, made.scale_name, bias->element_type, has_channels ? dims : &one, 1, NULL, made.scale);
    npart__add_tensor(quantizer, made.zero_name, NPART__INT32, dims, has_channels, NULL, 0);
    Onnx__NodeProto *node = add_qdq(quantizer, NPART__ROLE_DEQUANTIZES, row->name, quantized, made.scale_name,
                                    made.zero_name, row->name);
    if (has_channels)
        npart__set_int(quantizer, node, "axis", 0);
    bias->is_done = true;
}

void npart__quantize_qdq(struct npart__quantizer *quantizer)
{
    if (quantizer->format->keeps_16)
        note_wide(quantizer);
    for (uint32_t i = 0; i < quantizer->main->n_node && !quantizer->arena->failed; i++)
        ask(quantizer, quantizer->main->node[i], i);
    quantize_own(quantizer);
    quantize_shared(quantizer);
    /* One that was quantized as a weight of another node is done (qdq_quantizer.py, _quantize_bias_tensors), its copies
     * are not, but for one that has the name of a tensor which is. */
    for (uint32_t i = 0; i < quantizer->biases.count && !quantizer->arena->failed; i++) {
        const struct npart__quantized_bias *row = &quantizer->biases.items[i];
        const struct npart__quantized *same = npart__quantized_at(quantizer, row->name);
        if (!same || !same->role)
            quantize_bias(quantizer, row);
    }
    if (*qdq_domain(quantizer))
        (void)npart__edit_import(quantizer->model, qdq_domain(quantizer), 1, quantizer->arena);
}
