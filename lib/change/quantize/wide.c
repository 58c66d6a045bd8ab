/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes whose activations have 16 bits where others have 8: a tensor has the bits of what makes it, and users of the
 * other kind read it converted (qdq_quantizer.py, _add_qdq_ops_for_converted_activation; that a node's operands and
 * results are to be of one type is mixed_precision_overrides_utils.py's).
 */
#include "quantize/internal.h"

/* Whether the quantizer asks for a node's tensors. */
static bool is_asked(const struct npart__quantizer *quantizer, uint32_t place)
{
    return !quantizer->is_kept[place] && npart__is_quantized_op(quantizer, quantizer->main->node[place]->op_type);
}

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

void npart__note_wide(struct npart__quantizer *quantizer)
{
    const Onnx__GraphProto *graph = quantizer->main;
    for (uint32_t i = 0; i < graph->n_node; i++) {
        const Onnx__NodeProto *node = graph->node[i];
        struct npart__quantized *bias = node->n_input > 2 ? npart__quantized_at(quantizer, node->input[2]) : NULL;
        quantizer->is_16[i] &= is_asked(quantizer, i);
        if (bias && npart__has_bias(quantizer, node->op_type))
            bias->is_bias_operand = true;
    }
    for (uint32_t i = 0; i < quantizer->tensor_count; i++) {
        struct npart__quantized *tensor = &quantizer->tensors[i];
        tensor->is_16 = !tensor->is_bias_operand &&
                        (tensor->initializer ? tensor->uses > 0
                                             : tensor->maker != NPART_NONE && quantizer->is_16[tensor->maker]);
    }
    for (uint32_t i = 0; i < graph->n_node; i++)
        note_users(quantizer, i);
}

/* Users of the tensor, by whether they read it converted, from now on read another. */
static void replace_reads(struct npart__quantizer *quantizer, uint32_t id, bool is_converted, const char *by)
{
    const char *name = npart__text(&quantizer->names, id);
    const struct npart__quantized *tensor = &quantizer->tensors[id];
    for (uint32_t i = 0; i < quantizer->main->n_node && by; i++) {
        Onnx__NodeProto *node = quantizer->main->node[i];
        if ((quantizer->is_16[i] != tensor->is_16) != is_converted || !(is_converted || is_asked(quantizer, i)))
            continue;
        for (size_t k = 0; k < node->n_input; k++)
            if (strcmp(node->input[k], name) == 0)
                node->input[k] = (char *)(uintptr_t)by;
    }
}

void npart__add_pair(struct npart__quantizer *quantizer, uint32_t id)
{
    struct npart__quantized *tensor = &quantizer->tensors[id];
    const char *name = npart__text(&quantizer->names, id), *scale = tensor->scale_name, *zero = tensor->zero_name;
    const char *quantized = npart__new_name(quantizer, name, "_QuantizeLinear_Output"), *input = name;
    bool are_all = tensor->converts && tensor->asked_users == tensor->converted_users;
    bool is_output = tensor->is_output && tensor->maker != NPART_NONE;
    if (is_output) {
        input = npart__new_name(quantizer, name, "_QuantizeLinear_Input");
        npart__rename_result(quantizer, tensor->maker, name, input);
    }
    const char *first = is_output && !are_all ? name : npart__new_name(quantizer, name, "_DequantizeLinear_Output");
    (void)npart__add_qdq(quantizer, NPART__ROLE_QUANTIZES, name, input, scale, zero, quantized);
    (void)npart__add_qdq(quantizer, NPART__ROLE_DEQUANTIZES, name, quantized, scale, zero, first);
    if (!tensor->converts) {
        tensor->reads = first != name ? first : NULL;
        return;
    }
    const char *other = npart__arena_format(quantizer->arena, "%s_convert", name);
    const char *clone = npart__arena_format(quantizer->arena, "%s_convert_clone", name);
    const char *between = are_all ? first : npart__new_name(quantizer, other, "_QuantizeLinear_Input");
    const char *last = is_output && are_all ? name : npart__new_name(quantizer, other, "_DequantizeLinear_Output");
    const char *narrow = npart__new_name(quantizer, other, "_QuantizeLinear_Output");
    if (first != name)
        replace_reads(quantizer, id, false, first);
    if (!are_all)
        (void)npart__add_qdq(quantizer, NPART__ROLE_DEQUANTIZES, clone, quantized, scale, zero, between);
    scale = tensor->converted_scale_name;
    zero = tensor->converted_zero_name;
    (void)npart__add_qdq(quantizer, NPART__ROLE_QUANTIZES, other, between, scale, zero, narrow);
    if (last != name)
        replace_reads(quantizer, id, true, last);
    (void)npart__add_qdq(quantizer, NPART__ROLE_DEQUANTIZES, other, narrow, scale, zero, last);
}
