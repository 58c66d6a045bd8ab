/* SPDX-License-Identifier: Apache-2.0
 *
 * What ONNX's own inference says where an operand has no type, as the result of an operator that it does not know.
 *
 * Its functions begin with the element types, each taken from one operand: the first that the schema gives the type of
 * the result. Where that operand has no type the function fails, and nothing is said of any result, not of those
 * before it either. Operands without a type that are not asked for theirs are as operands of unknown rank. A session
 * of ONNX Runtime has no such values: it rejects a model with one.
 *
 * Modelled on onnx/defs and onnx/shape_inference/implementation.cc.
 */
#include "infer/driver.h"
#include "infer/families.h"
#include "onnxruntime/view.h"

#define LAST 15u

static const struct asked {
    const char *ops;
    uint16_t operands; /* the bit LAST stands for all after it, too */
    uint8_t since, before;
    const char *unless;
} asked_operands[] = {
#define ASKS(ops, ...) {ops, __VA_ARGS__},
#include "onnxruntime/inference.def"
};

/* Sequences, maps and the like are types in themselves. */
static bool has_type(const struct npart__fact *fact)
{
    return fact->kind != NPART__TYPE_UNKNOWN && (fact->kind != NPART__TYPE_TENSOR || fact->element_type != 0);
}

/* Asked once for an operator, and kept with its row; plus one, as 0 is "no row". Rows of one operator stand
 * together, so the first is enough. */
uint8_t npart__find_asked(const char *op)
{
    for (size_t i = 0; i < NPART__COUNT(asked_operands); i++)
        if (npart__lists_word(asked_operands[i].ops, op))
            return (uint8_t)(i + 1);
    return 0;
}

/* The row of the node's version: of those of its operator, the one whose range has it. The version is the
 * schema's, which is the newest that the node's opset has of the operator. NULL where no row is of it. */
static const struct asked *asked_of(const struct npart__call *call)
{
    size_t first = call->policy_rows[NPART__ROW_ASKED];
    for (size_t i = first; first && i <= NPART__COUNT(asked_operands); i++) {
        const struct asked *asked = &asked_operands[i - 1];
        if (strcmp(asked->ops, asked_operands[first - 1].ops) != 0)
            break;
        int since = call->node->schema->since;
        if (since >= asked->since && (!asked->before || since < asked->before))
            return asked;
    }
    return NULL;
}

/* An operand that is left out is not asked. */
static bool are_asked_typed(const struct npart__call *call, const struct asked *asked)
{
    if (asked->unless && npart__node_attribute(call->graph, call->node, asked->unless))
        return true;
    for (uint32_t i = 0; i < call->node->input_count; i++) {
        bool is_asked = asked->operands >> (i < LAST ? i : LAST) & 1;
        if (is_asked && npart__has_input(call, i) && !has_type(npart__in(call, i)))
            return false;
    }
    return true;
}

/* The rule where no row says otherwise: the schema's first operand of the result's type is asked. Past a node's
 * operands there is none to ask. */
static bool is_source_typed(const struct npart__call *call, uint32_t output)
{
    int source = npart__type_source(call->node->schema, output, 0);
    return source < 0 || source >= (int)call->node->input_count || has_type(npart__in(call, (uint32_t)source));
}

/* What a loop makes has the types of its body's results, but for the condition; an If's branches must agree. Of
 * a Loop the body's first result is the condition, so it is passed over. A node with another number of bodies
 * than its operator has is malformed, and told as such elsewhere. */
static bool are_bodies_typed(const struct npart__call *call)
{
    const struct npart__node *node = call->node;
    bool is_if = call->row && call->row->infer == npart__infer_if;
    bool is_loop = call->row && (call->row->infer == npart__infer_loop || call->row->infer == npart__infer_scan);
    if ((!is_if || node->body_count != 2) && (!is_loop || node->body_count != 1))
        return true;
    uint32_t first = node->first_body, last = first + node->body_count - 1;
    const struct npart__scope *body = npart__scope_at(call->graph, first);
    for (uint32_t i = call->row->infer == npart__infer_loop; i < body->output_count; i++) {
        bool is_typed = has_type(npart__body_output(call, first, i));
        if (is_loop ? !is_typed : is_typed != has_type(npart__body_output(call, last, i)))
            return false;
    }
    return true;
}

/* Results that the node leaves out are not asked for. A result whose element type is not known is no answer
 * either. True means that inference may go on with what it has found. */
bool npart__is_typed(const struct npart__call *call)
{
    const struct asked *asked = call->node->schema ? asked_of(call) : NULL;
    if (!call->node->schema || (asked && !are_asked_typed(call, asked)) || !are_bodies_typed(call))
        return false;
    for (uint32_t i = 0; i < call->node->output_count; i++) {
        const struct npart__fact *out = npart__out(call, i);
        if (npart__node_output(call->graph, call->node, i) == NPART_NONE)
            continue;
        if ((!asked && !is_source_typed(call, i)) || (out->kind == NPART__TYPE_TENSOR && !has_type(out)))
            return false;
    }
    return true;
}
