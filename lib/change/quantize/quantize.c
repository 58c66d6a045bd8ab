/* SPDX-License-Identifier: Apache-2.0
 *
 * Formats as they are asked for, and the frame of a model that is being quantized.
 */
#include <stdio.h>

#include "quantize/internal.h"

#define NPART__QUANTIZED_FORMAT(name, kind, activations, weights, has_channels, block, about)                          \
    {name, about, NPART__FORMAT_##kind, NPART__##activations, NPART__##weights, has_channels, false, block, 0, NULL,   \
     NULL, false},
static const struct npart__quantized_format formats[] = {
#include "quantize/formats.def"
};
#undef NPART__QUANTIZED_FORMAT

#define LIMIT_BLOCK 65536u

/* ---- formats ----------------------------------------------------------------------------------------------------- */

const char *npart_precision_name(uint32_t index, const char **about)
{
    if (about && index < NPART__COUNT(formats))
        *about = formats[index].about;
    return index < NPART__COUNT(formats) ? formats[index].name : NULL;
}

/* "128" or "17.5"; 0: it is none. */
static double read_number(const char *text, size_t length)
{
    size_t whole = strspn(text, "0123456789"), all = whole;
    all += whole && text[whole] == '.' ? 1 + strspn(text + whole + 1, "0123456789") : 0;
    return all == length && length < 9 ? npart__read_decimal(text) : 0;
}

/* QNN's configuration has one scale a weight, and weights of 8 bits without a sign (get_qnn_qdq_config's defaults).
 * Blocks are powers of two from 16 on, as all kernels want. */
static bool read_option(const char *text, size_t length, struct npart__quantized_format *out)
{
    const char *equals = memchr(text, '=', length), *value = equals ? equals + 1 : text + length;
    size_t key = (size_t)(value - text), rest = length - key;
    bool is_qdq = out->kind == NPART__FORMAT_QDQ, is_integer = is_qdq && npart__type_is_integer(out->activation_type);
    enum npart__rounding rounding;
    if (npart__is_text("qnn", text, length)) {
        out->is_for_qnn = true;
        out->is_per_channel = false;
        out->weight_type = out->weight_type == NPART__INT8 ? NPART__UINT8 : out->weight_type;
        return is_integer;
    }
    if (npart__is_text("per-tensor", text, length) || npart__is_text("per-channel", text, length)) {
        out->is_per_channel = npart__is_text("per-channel", text, length);
        return is_integer;
    }
    if (npart__is_text("activations=", text, key)) {
        int type = npart__type_number(value, rest);
        bool is_like = npart__type_is_integer(type) && npart__is_text(npart__type_name(type), value, rest) &&
                       npart__type_bits(type) == npart__type_bits(out->activation_type);
        out->activation_type = is_like ? (uint8_t)type : out->activation_type;
        return is_integer && is_like;
    }
    double number = read_number(value, rest);
    if (npart__is_text("block=", text, key)) {
        out->block = number <= LIMIT_BLOCK && *value != '0' && !memchr(value, '.', rest) ? (uint32_t)number : 0;
        return out->block >= 16 && !(out->block & (out->block - 1)) &&
               (out->kind == NPART__FORMAT_WEIGHTS || (is_qdq && npart__type_bits(out->weight_type) == 4));
    }
    out->least_decibels = number;
    return npart__is_text("min-db=", text, key) && number > 0 && number < 200 && npart__rounding_of(out, &rounding);
}

static npart_status fail_name(const char *text, size_t length, struct npart_error *error)
{
    char hint[NPART__HINT_BYTES], list[160] = "";
    struct npart__nearest nearest;
    npart__nearest_init(&nearest, text, length);
    for (size_t i = 0, used = 0; i < NPART__COUNT(formats) && used < sizeof list; i++) {
        npart__nearest_offer(&nearest, formats[i].name);
        used += (size_t)snprintf(list + used, sizeof list - used, " %s", formats[i].name);
    }
    npart__nearest_hint(&nearest, hint, sizeof hint);
    return npart__fail(error, NPART_ERROR_ARGUMENT, text, "there is no such precision%s; there are%s",
                       strstr(hint, "did you mean") ? hint : "", list);
}

npart_status npart__format_read(const char *text, struct npart__arena *arena, struct npart__quantized_format *out,
                                struct npart_error *error)
{
    const char *kept = npart__find_kept(text);
    bool is_known = true, is_16 = false, keeps_16 = false;
    size_t length = strcspn(text, ":"), row = 0, bytes;
    while (row < NPART__COUNT(formats) && !npart__is_text(formats[row].name, text, length))
        row++;
    if (row == NPART__COUNT(formats))
        return fail_name(text, length, error);
    *out = formats[row];
    for (const char *at = kept; (at = npart__next_kept(at, &bytes, &is_16)); at += bytes) {
        is_known &= bytes && *at != ':';
        keeps_16 |= is_16;
    }
    /* What :qnn says others may change. */
    for (int is_qnn = 1; is_qnn >= 0; is_qnn--)
        for (const char *at = text + length; at < kept; at += bytes) {
            bytes = strcspn(++at, ":");
            if (npart__is_text("qnn", at, bytes) == is_qnn)
                is_known = is_known && read_option(at, bytes, out);
        }
    if (!is_known || (keeps_16 && !(out->kind == NPART__FORMAT_QDQ && npart__type_is_integer(out->activation_type) &&
                                    npart__type_bits(out->activation_type) == 8)))
        return npart__fail(error, NPART_ERROR_ARGUMENT, text,
                           "%s does not have these options; not all have each of :per-tensor, :per-channel, :qnn, "
                           ":activations=int8|uint8|int16|uint16, :block=N, :min-db=N and, at the end, :keep=NODE and "
                           ":keep16=NODE", formats[row].name);
    out->name = npart__arena_copy_text(arena, text, strlen(text));
    out->kept = out->name && *kept ? out->name + (kept - text) : NULL;
    out->keeps_16 = keeps_16;
    return out->name ? NPART_OK : npart__fail_memory(error);
}

/* quant_utils.py, update_opset_version: 21 for 16 bits and for blocks, 19 for FLOAT8, 11 where it is below 10. */
int64_t npart__format_opset(const struct npart__quantized_format *format, int64_t opset)
{
    bool has_16 = npart__type_bits(format->activation_type) == 16 && npart__type_is_integer(format->activation_type);
    bool is_late = has_16 || format->keeps_16 || format->block;
    bool raises = format->kind == NPART__FORMAT_QDQ || format->kind == NPART__FORMAT_DYNAMIC;
    int64_t first = is_late ? 21 : format->weight_type == NPART__FLOAT8E4M3FN ? 19 : opset < 10 ? 11 : opset;
    return raises && opset < first ? first : opset;
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

/* What is asked of tensors by their names: those of the main graph, and what bodies take from it. */
static void note_values(struct npart__quantizer *quantizer, struct npart__inference *inference)
{
    const struct npart__graph *graph = quantizer->graph;
    for (uint32_t i = 0; i < graph->values.count; i++) {
        const struct npart__value *value = npart__value_at(graph, i);
        if (value->scope != 0)
            continue;
        struct npart__quantized *at = &quantizer->tensors[value->name];
        const struct npart__fact *fact = npart__fact_of(inference, i);
        at->element_type = value->tensor ? value->tensor->element_type : fact ? fact->element_type : 0;
        at->tensor = value->tensor;
        at->declared_rank = value->declared && value->declared->has_rank ? (uint32_t)value->declared->rank : 0;
        at->is_output = value->is_graph_output;
        at->is_input = value->kind == NPART__VALUE_INPUT;
    }
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const struct npart__node *node = npart__node_at(graph, i);
        for (uint32_t k = 0; k < node->capture_count; k++) {
            uint32_t value = graph->operands.items[node->first_capture + k];
            quantizer->tensors[npart__value_at(graph, value)->name].is_captured = true;
        }
    }
}

static void note_nodes(struct npart__quantizer *quantizer)
{
    Onnx__GraphProto *graph = quantizer->main;
    for (size_t i = 0; i < graph->n_initializer; i++) {
        struct npart__quantized *at = npart__quantized_at(quantizer, graph->initializer[i]->name);
        if (at)
            at->initializer = graph->initializer[i];
    }
    for (size_t i = 0; i < graph->n_node; i++) {
        const Onnx__NodeProto *node = graph->node[i];
        struct npart__quantized *at;
        for (size_t k = 0; k < node->n_input; k++)
            if ((at = npart__quantized_at(quantizer, node->input[k])))
                at->uses++;
        for (size_t k = 0; k < node->n_output; k++)
            if ((at = npart__quantized_at(quantizer, node->output[k]))) {
                at->maker = (uint32_t)i;
                at->op = node->op_type;
            }
    }
}

/* An attribute with one number that stands at all places. */
static bool fills_infinity(const struct npart__graph *graph, const struct npart__node *node)
{
    const struct npart__attribute *value = npart__node_attribute(graph, node, "value");
    double number = 0;
    return npart__comes_from(node, NPART__WAY(FILL)) && value && value->type == NPART_ATTRIBUTE_TENSOR &&
           npart__tensor_doubles(value->u.tensor, &number, 1) && isinf(number);
}

/* As its numbers say, where they are known. What moves elements makes of a mask what the first operand is, what adds it
 * or chooses what all of them are. And whose numbers a tensor has, if it has all of them: then it has their range. */
static void note_mask(struct npart__quantizer *quantizer, struct npart__inference *inference,
                      const struct npart__node *node, uint32_t result)
{
    const struct npart__graph *graph = quantizer->graph;
    const struct npart__known *known = npart__elements(inference, &inference->facts[result]);
    struct npart__quantized *to = &quantizer->tensors[npart__value_at(graph, result)->name];
    uint8_t reach = !known && node && fills_infinity(graph, node) ? NPART__REACHES_INFINITY : NPART__IS_FINITE;
    bool masks = node && npart__node_plays(graph, node, NPART__ROLE_MASKS);
    bool moves = node && npart__comes_from(node, NPART__WAYS_ONE | NPART__WAY(PAD));
    uint32_t count = masks || (node && npart__comes_from(node, NPART__WAY(CONCAT))) ? node->input_count : moves;
    for (uint32_t i = 0; known && known->doubles && i < known->count; i++)
        reach = isinf(known->doubles[i]) ? NPART__REACHES_INFINITY : reach;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = npart__node_input(graph, node, i);
        const struct npart__quantized *of =
            value == NPART_NONE ? to : &quantizer->tensors[npart__value_at(graph, value)->name];
        reach = !known && of->reach > reach ? of->reach : reach;
        if (npart__comes_from(node, NPART__WAYS_ALL))
            to->origin = of->origin ? of->origin : of;
    }
    uint32_t first = reach && masks ? npart__node_input(graph, node, 0) : NPART_NONE;
    bool chooses = first != NPART_NONE && inference->facts[first].element_type == NPART__BOOL;
    if (!known && chooses && !inference->facts[first].is_constant)
        reach = NPART__MAY_REACH_INFINITY;
    to->reach = reach;
}

/* Where a mask of -inf goes: calibration finds a range without an end there, and so the quantizer writes a scale of inf
 * (quant_utils.py, compute_scale_zp). A mask that is chosen by what the caller gives may be in no sample: that scale is
 * not known. Of numbers that the skeleton has not, nothing is said. */
static void note_masks(struct npart__quantizer *quantizer, struct npart__inference *inference)
{
    const struct npart__graph *graph = quantizer->graph;
    const struct npart__scope *main = npart__scope_at(graph, 0);
    for (uint32_t i = 0; i < graph->values.count; i++)
        if (npart__value_at(graph, i)->scope == 0 && npart__value_at(graph, i)->tensor)
            note_mask(quantizer, inference, NULL, i);
    for (uint32_t i = 0; i < main->order_count; i++) {
        const struct npart__node *node = npart__node_at(graph, graph->order[main->first_order + i]);
        uint32_t result = node->output_count ? npart__node_output(graph, node, 0) : NPART_NONE;
        if (result != NPART_NONE)
            note_mask(quantizer, inference, node, result);
    }
}

/* A node without a type, or a list of nodes that the graph has otherwise, is none that a quantizer reads. */
static bool is_readable(const struct npart__quantizer *quantizer)
{
    const Onnx__GraphProto *graph = quantizer->main;
    bool is_readable = graph && graph->n_node == npart__scope_at(quantizer->graph, 0)->node_count;
    for (size_t i = 0; is_readable && i < graph->n_node; i++)
        is_readable = graph->node[i]->op_type != NULL;
    for (size_t i = 0; is_readable && i < graph->n_initializer; i++)
        is_readable = graph->initializer[i]->name != NULL;
    return is_readable;
}

static npart_status begin(struct npart__quantizer *quantizer, const struct npart__skeleton *skeleton,
                          struct npart__inference *inference, struct npart_error *error)
{
    const struct npart__graph *graph = quantizer->graph;
    struct npart__skeleton lent = {.data = skeleton->data, .bytes = skeleton->bytes, .is_lent = true};
    npart_status status = npart__onnx_unpack(&lent, quantizer->arena, &quantizer->model, error);
    if (status != NPART_OK)
        return status;
    quantizer->main = quantizer->model->graph;
    if (!is_readable(quantizer))
        return npart__fail(error, NPART_ERROR_ARGUMENT, quantizer->format->name, "no quantizer reads such a graph");
    quantizer->tensor_count = graph->strings.texts.count;
    quantizer->tensors =
        npart__arena_zeroed(quantizer->arena, quantizer->tensor_count + (size_t)1, sizeof *quantizer->tensors);
    quantizer->is_removed = npart__arena_zeroed(quantizer->arena, quantizer->main->n_node + 1, sizeof(bool));
    if (!quantizer->tensors || !quantizer->is_removed ||
        !npart__strings_copy(&graph->strings, quantizer->arena, &quantizer->names))
        return npart__fail_memory(error);
    for (uint32_t i = 0; i < quantizer->tensor_count; i++) {
        quantizer->tensors[i].name = npart__text(&graph->strings, i);
        quantizer->tensors[i].axis = -1;
        quantizer->tensors[i].maker = NPART_NONE;
    }
    quantizer->opset = npart__imported_opset(quantizer->model->opset_import, quantizer->model->n_opset_import, "");
    note_values(quantizer, inference);
    note_nodes(quantizer);
    if (quantizer->format->kind == NPART__FORMAT_QDQ)
        note_masks(quantizer, inference);
    return npart__quantizer_keep(quantizer, error);
}

/* What is measured of the format, or of one that loses no less: blocks lose no more than the channel they are of. */
bool npart__rounding_of(const struct npart__quantized_format *format, enum npart__rounding *out)
{
    unsigned bits = npart__type_bits(format->weight_type);
    uint32_t block = format->block;
    if (!npart__type_is_integer(format->weight_type)) {
        *out = format->kind == NPART__FORMAT_QDQ ? NPART__ROUND_FP8 : NPART__ROUND_FLOAT16;
        return format->weight_type != NPART__BFLOAT16;
    }
    if (format->kind == NPART__FORMAT_WEIGHTS && format->weight_type == NPART__UINT8) { /* nf4 */
        *out = NPART__ROUND_NF4;
        return block <= 64;
    }
    if (bits == 8) {
        bool has_groups = format->kind == NPART__FORMAT_WEIGHTS || format->is_per_channel;
        *out = has_groups ? NPART__ROUND_INT8_CHANNEL : NPART__ROUND_INT8_TENSOR;
        return true;
    }
    *out = !block || block > 128 ? NPART__ROUND_INT4_CHANNEL
           : block > 64          ? NPART__ROUND_INT4_BLOCK128
           : block > 32          ? NPART__ROUND_INT4_BLOCK64
                                 : NPART__ROUND_INT4_BLOCK32;
    return block || format->is_per_channel;
}

/* A name is copied: the graph may go before what is made of it. */
#define NOTE(quantizer, list, name)                                                                                    \
    NPART__PUSH((quantizer)->arena, (list), npart__arena_copy_text((quantizer)->arena, (name), strlen(name)))

static bool list_kept(const struct npart__quantizer *quantizer, struct npart__kept_nodes *out)
{
    const Onnx__GraphProto *graph = quantizer->main;
    bool is_done = true;
    for (size_t i = 0; is_done && i < graph->n_node; i++) {
        const Onnx__NodeProto *node = graph->node[i];
        const char *name = node->name && *node->name ? node->name : node->n_output ? node->output[0] : "";
        if (quantizer->is_kept[i])
            is_done = NOTE(quantizer, &out->kept, name);
        else if (quantizer->is_16[i] && npart__is_quantized_op(quantizer, node->op_type))
            is_done = NOTE(quantizer, &out->wide, name);
    }
    for (size_t i = 0; is_done && i < graph->n_initializer; i++) {
        const struct npart__quantized *tensor = npart__quantized_at(quantizer, graph->initializer[i]->name);
        if (tensor && tensor->is_wide)
            is_done = NOTE(quantizer, &out->widened, graph->initializer[i]->name);
    }
    return is_done && !quantizer->arena->failed;
}

npart_status npart__quantize(const struct npart__skeleton *skeleton, const struct npart__graph *graph,
                             struct npart__inference *inference, const struct npart__quantized_format *format,
                             const struct npart__graph *own, struct npart__arena *arena, struct npart__skeleton *out,
                             struct npart__kept_nodes *kept, struct npart_error *error)
{
    static void (*const kinds[])(struct npart__quantizer *) = {
        [NPART__FORMAT_FLOAT] = npart__quantize_float,
        [NPART__FORMAT_QDQ] = npart__quantize_qdq,
        [NPART__FORMAT_WEIGHTS] = npart__quantize_weights,
        [NPART__FORMAT_DYNAMIC] = npart__quantize_dynamic,
    };
    struct npart__quantizer quantizer = {.arena = arena, .format = format, .graph = graph, .own = own};
    npart_status status = begin(&quantizer, skeleton, inference, error);
    if (status == NPART_OK && !list_kept(&quantizer, kept))
        status = npart__fail_memory(error);
    /* The quantizers fail for a model with sparse weights. */
    bool is_read = status == NPART_OK && !(quantizer.main->n_sparse_initializer && format->kind != NPART__FORMAT_FLOAT);
    if (is_read) {
        kinds[format->kind](&quantizer);
        status = npart__quantizer_finish(&quantizer) ? NPART_OK : npart__fail_memory(error);
    }
    *out = (struct npart__skeleton){.input_bytes = skeleton->input_bytes, .limits = skeleton->limits,
                                    .may_have_external = skeleton->may_have_external, .is_whole = true,
                                    .is_lent = true};
    return status == NPART_OK ? npart__onnx_pack(quantizer.model, arena, &out->data, &out->bytes, error) : status;
}
