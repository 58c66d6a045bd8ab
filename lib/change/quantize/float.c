/* SPDX-License-Identifier: Apache-2.0
 *
 * All FLOAT tensors as another type of floating point, inputs and outputs too: what onnxconverter_common's float16.py
 * and its copy in ONNX Runtime's transformers do. Operators that lack a kernel of it stay FLOAT, with Casts round them
 * (`stays_float` in operators.table).
 */
#include "quantize/internal.h"

/* ---- types and tensors ------------------------------------------------------------------------------------------- */

static void change_declarations(const struct npart__quantizer *quantizer, Onnx__ValueInfoProto **list, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        Onnx__TypeProto__Tensor *tensor = list[i]->type ? list[i]->type->tensor_type : NULL;
        if (tensor && tensor->elem_type == NPART__FLOAT)
            tensor->elem_type = quantizer->format->weight_type;
    }
}

/* Numbers that stand in the skeleton are rounded; of others type and dims change. */
static void change_tensor(struct npart__quantizer *quantizer, Onnx__TensorProto *tensor)
{
    if (!tensor || tensor->data_type != NPART__FLOAT)
        return;
    bool is_raw = tensor->has_raw_data;
    size_t count = is_raw ? tensor->raw_data.len / sizeof(float) : tensor->n_float_data;
    bool is_here = !tensor->base.n_unknown_fields && !tensor->n_external_data && (is_raw || count);
    Onnx__TensorProto *made = npart__add_tensor(quantizer, tensor->name ? tensor->name : "",
                                                quantizer->format->weight_type, tensor->dims, tensor->n_dims, NULL,
                                                is_here ? 0 : NPART__ABSENT);
    for (size_t i = 0; made && made->has_raw_data && i < count && i < made->raw_data.len / 2; i++) {
        float number;
        memcpy(&number, is_raw ? tensor->raw_data.data + i * sizeof number : (uint8_t *)&tensor->float_data[i],
               sizeof number);
        npart__edit_put_number(made, i, (double)number);
    }
    /* It stands where the tensor stood. */
    quantizer->initializers.count -= made ? 1 : 0;
    *tensor = made ? *made : *tensor;
}

static void change_graph(struct npart__quantizer *quantizer, Onnx__GraphProto *graph);

/* Of a Cast, the type; of any node tensors and bodies in its attributes. */
static void change_attributes(struct npart__quantizer *quantizer, Onnx__NodeProto *node)
{
    for (size_t i = 0; i < node->n_attribute; i++) {
        Onnx__AttributeProto *attribute = node->attribute[i];
        bool is_type = attribute->name && (strcmp(attribute->name, "to") == 0 || strcmp(attribute->name, "dtype") == 0);
        if (is_type && attribute->i == NPART__FLOAT)
            attribute->i = quantizer->format->weight_type;
        change_tensor(quantizer, attribute->t);
        for (size_t k = 0; k < attribute->n_tensors; k++)
            change_tensor(quantizer, attribute->tensors[k]);
        size_t count;
        Onnx__GraphProto **bodies = npart__edit_bodies(attribute, &count);
        for (size_t k = 0; k < count; k++)
            change_graph(quantizer, bodies[k]);
    }
}

/* A body is a message within the main graph's, so the depth of the scan is that of this recursion. */
static void change_graph(struct npart__quantizer *quantizer, Onnx__GraphProto *graph)
{
    change_declarations(quantizer, graph->input, graph->n_input);
    change_declarations(quantizer, graph->output, graph->n_output);
    change_declarations(quantizer, graph->value_info, graph->n_value_info);
    for (size_t i = 0; i < graph->n_initializer; i++)
        change_tensor(quantizer, graph->initializer[i]);
    for (size_t i = 0; i < graph->n_node && !quantizer->arena->failed; i++)
        change_attributes(quantizer, graph->node[i]);
}

/* ---- operators that stay ----------------------------------------------------------------------------------------- */

/* Operands of the node are FLOAT again, and its results the other type, under the names that users read: a Cast stands
 * between each of them and the rest. */
static void cast_round(struct npart__quantizer *quantizer, Onnx__NodeProto *node)
{
    for (size_t i = 0; i < node->n_input + node->n_output && !quantizer->arena->failed; i++) {
        bool is_result = i >= node->n_input;
        size_t place = is_result ? i - node->n_input : i;
        char **own = is_result ? &node->output[place] : &node->input[place];
        const struct npart__quantized *tensor = npart__quantized_at(quantizer, *own);
        if (!tensor || tensor->element_type != NPART__FLOAT)
            continue;
        const char *wanted = npart__arena_format(quantizer->arena, "%s_%s_cast_%zu", node->name ? node->name : "",
                                                 is_result ? "output" : "input", place);
        const char *name = npart__new_name(quantizer, wanted, "");
        Onnx__NodeProto *cast = NPART__ADD_NODE(quantizer, npart__role_op(NPART__ROLE_CASTS), name,
                                                is_result ? *own : name, is_result ? name : *own);
        npart__set_int(quantizer, cast, "to", is_result ? quantizer->format->weight_type : NPART__FLOAT);
        *own = (char *)(uintptr_t)name;
    }
}

void npart__quantize_float(struct npart__quantizer *quantizer)
{
    Onnx__GraphProto *graph = quantizer->main;
    size_t count = graph->n_node;
    change_graph(quantizer, graph);
    for (size_t i = 0; i < quantizer->model->n_functions && !quantizer->arena->failed; i++)
        for (size_t k = 0; k < quantizer->model->functions[i]->n_node; k++)
            change_attributes(quantizer, quantizer->model->functions[i]->node[k]);
    for (size_t i = 0; i < count && !quantizer->arena->failed; i++)
        if (npart__op_plays(graph->node[i]->op_type, NPART__ROLE_STAYS_FLOAT) || quantizer->is_kept[i])
            cast_round(quantizer, graph->node[i]);
}
