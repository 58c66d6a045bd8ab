/* SPDX-License-Identifier: Apache-2.0
 *
 * What ONNX Runtime can compute of constants before the model runs: for that its CPU provider needs a kernel for the
 * operator and the element types (runtime). Conversions that would give it one are inserted only later. Where the
 * standard has no shape inference of an operator, newer releases do not compute it ahead either (rewrites.def,
 * MEASURE).
 */
#include "infer/families.h"
#include "onnxruntime/view.h"

static const struct npart__applies measured[] = {
#define MEASURE(...) NPART__APPLIES(__VA_ARGS__),
#include "onnxruntime/rewrites.def"
};

bool npart__measures(enum npart__release release)
{
    for (size_t i = 0; i < NPART__COUNT(measured); i++)
        if (npart__is_on(measured[i], NPART_LEVEL_BASIC, release))
            return true;
    return false;
}

/* To what knows all, and is no session, a half is as good as the float that it is computed in. For what a runtime knows
 * (is_partial) or rewrites (a release) the type counts as it is: it has few kernels of halves. 0 is no tensor: no
 * kernel's type. */
static int type_of(const struct npart__inference *inference, uint32_t value, enum npart__release release)
{
    const struct npart__fact *fact = npart__fact_of(inference, value);
    bool is_half = fact->element_type == NPART__FLOAT16 || fact->element_type == NPART__BFLOAT16;
    if (fact->kind != NPART__TYPE_TENSOR)
        return 0;
    bool is_session = inference->policy->is_partial || release != NPART__RELEASE_OWN;
    return !is_session && is_half ? NPART__FLOAT : fact->element_type;
}

/* Operands and results that the node leaves out are in no kernel's way. By the schema's names of operands, as
 * kernels are registered by type variables. */
static bool takes_operands(const struct npart__inference *inference, const struct npart__graph *graph,
                           const struct npart__node *node, const struct npart__operator *kernel,
                           enum npart__release release)
{
    struct npart__operand operand;
    for (uint32_t i = 0; i < node->input_count && npart__operator_input(kernel, i, &operand); i++) {
        uint32_t value = npart__node_input(graph, node, i);
        if (value != NPART_NONE && !npart__kernel_takes(kernel, &operand, type_of(inference, value, release)))
            return false;
    }
    for (uint32_t i = 0; i < node->output_count && npart__operator_output(kernel, i, &operand); i++) {
        uint32_t value = npart__node_output(graph, node, i);
        if (value != NPART_NONE && !npart__kernel_takes(kernel, &operand, type_of(inference, value, release)))
            return false;
    }
    return true;
}

/* True of what no table speaks of: whether that is computed is then decided by inference, which has elements of
 * it or not. */
bool npart__can_compute(const struct npart__inference *inference, const struct npart__graph *graph,
                        const struct npart__node *node, enum npart__release release)
{
    struct npart__operator kernel;
    /* Of other domains the library has no list of kernels. */
    if (node->domain != 0 || !node->schema || npart__is_constant_node(graph, node)) /* an initializer by then */
        return true;
    bool is_unmeasured = npart__operator_flags(node->schema) & NPART__OPERATOR_UNSHAPED && npart__measures(release);
    return !is_unmeasured && !npart__names_unknown_results(graph, node) &&
           npart__kernel_find(release, node->schema, &kernel) &&
           takes_operands(inference, graph, node, &kernel, release);
}
