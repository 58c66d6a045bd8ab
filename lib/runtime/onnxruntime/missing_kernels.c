/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes that neither side can run: the provider does not take them, and ONNX Runtime's CPU provider has no kernel for
 * their operator and element types (release/kernels.def). Such a model has no session (NOT_IMPLEMENTED when it is
 * created), though nothing is wrong with the file, and another target may take the node. So this belongs to the plan:
 * the nodes stay on the CPU, and a finding says that the session fails.
 * Modelled on core/framework/session_state.cc (CreateKernels) and core/optimizer/insert_cast_transformer.cc; probe:
 * onnxruntime 1.31.1. A finding must be certain, so what may be rewritten before kernels are looked for is let pass.
 */
#include "infer/families.h"
#include "onnxruntime/onnxruntime.h"
#include "release/release.h"

/* Whether a session of ONNX Runtime runs what is not taken. A tool that only asks ONNX's inference runs nothing. */
static bool has_session(const struct npart__plan *plan)
{
    const struct npart__runtime *runtime = npart__target_runtime(&plan->target);
    return runtime ? strcmp(runtime->name, "onnxruntime") == 0 : plan->release != NPART__RELEASE_OWN;
}

/* 0: no tensor, or of no known type; that is in no kernel's way. */
static int type_of(const struct npart__plan *plan, uint32_t value)
{
    const struct npart__fact *fact = value == NPART_NONE ? NULL : npart__fact_of(plan->inference, value);
    return fact && fact->kind == NPART__TYPE_TENSOR ? fact->element_type : 0;
}

/* Whether it has an input of FLOAT16: then the runtime puts Casts round the node, and computes it in FLOAT. Of BFLOAT16
 * it does not. */
static bool is_cast(const struct npart__plan *plan, const struct npart__node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++)
        if (type_of(plan, npart__node_input(plan->graph, node, i)) == NPART__FLOAT16)
            return true;
    return false;
}

/* The element type of the first operand that the kernel does not take; 0: it takes them all. */
static int unfit_type(const struct npart__plan *plan, const struct npart__node *node,
                      const struct npart__operator *kernel)
{
    struct npart__operand operand;
    bool casts = is_cast(plan, node);
    for (uint32_t i = 0; i < node->input_count && npart__operator_input(kernel, i, &operand); i++) {
        int type = type_of(plan, npart__node_input(plan->graph, node, i));
        bool is_half = casts && type == NPART__FLOAT16 && npart__kernel_takes(kernel, &operand, NPART__FLOAT);
        if (!is_half && !npart__kernel_takes(kernel, &operand, type))
            return type;
    }
    for (uint32_t i = 0; i < node->output_count && npart__operator_output(kernel, i, &operand); i++) {
        int type = type_of(plan, npart__node_output(plan->graph, node, i));
        bool is_half = casts && type == NPART__FLOAT16 && npart__kernel_takes(kernel, &operand, NPART__FLOAT);
        if (!is_half && !npart__kernel_takes(kernel, &operand, type))
            return type;
    }
    return 0;
}

/* Whether the graph has a mean at all, without which there is no normalization. What one is written with the runtime
 * fuses at the basic level into LayerNormalization, whose definition computes in FLOAT (probe: BFLOAT16 is loaded
 * then). */
static bool has_mean(const struct npart__plan *plan)
{
    for (uint32_t i = 0; i < plan->graph->nodes.count; i++)
        if (npart__is_live(&plan->session, i) &&
            npart__node_at(plan->graph, i)->traits->computes == NPART__COMPUTES_MEAN)
            return true;
    return false;
}

/* Whether the runtime may write it as other operators. Of some definitions the library has no body at any opset; others
 * hold in models of some opsets alone. */
static bool may_be_inlined(const struct npart__node *node)
{
    const struct npart__loads newest = npart__newest_loads();
    bool has_body = !(npart__operator_flags(node->schema) & NPART__OPERATOR_FUNCTION);
    for (int64_t opset = node->schema->since; !has_body && opset <= npart__loads_opset(&newest, ""); opset++)
        has_body = npart__body_find(node->schema, opset);
    return !has_body || npart__body_find(node->schema, node->opset_version);
}

/* The type for which the CPU provider has no kernel of the node; 0 where it has one, or nothing is known of it: of
 * domains and versions that the table does not have, of operators that the runtime writes as others. */
static int lacking_type(const struct npart__plan *plan, const struct npart__node *node)
{
    struct npart__operator kernel = {.types = NULL};
    if (!node->schema || node->callee != NPART_NONE)
        return 0;
    bool has_kernel = npart__kernel_find(plan->release, node->schema, &kernel);
    /* A row may say that there is none. */
    int type = has_kernel     ? unfit_type(plan, node, &kernel)
               : kernel.types ? type_of(plan, npart__node_input(plan->graph, node, 0))
                              : 0;
    return type && !may_be_inlined(node) ? type : 0;
}

/* One finding for each operator and type, at its first node. False when out of memory. */
static bool tell(struct npart__plan *plan, uint32_t id, int type)
{
    const struct npart__node *node = npart__node_at(plan->graph, id);
    char place[160];
    npart__describe_node(plan->graph, id, place, sizeof place);
    struct npart_finding made = {
        .size = sizeof made, .code = NPART__INVALID, .at = npart__arena_format(plan->arena, "%s", place)};
    made.text = npart__arena_format(plan->arena,
                                    "ONNX Runtime creates no session: its CPU provider must have a kernel for what the "
                                    "%s does not take; found %s of %s", plan->target.oplist->unit,
                                    npart__node_op(plan->graph, node), npart__type_name(type));
    for (uint32_t i = 0; made.text && i < plan->findings.count; i++)
        if (strcmp(plan->findings.items[i].text, made.text) == 0)
            return true;
    return made.text && made.at && NPART__PUSH(plan->arena, &plan->findings, made);
}

npart_status npart__find_kernels(struct npart__plan *plan, struct npart_error *error)
{
    const struct npart__graph *graph = plan->graph;
    plan->lacks_kernel = npart__arena_zeroed(plan->arena, plan->session.graph->nodes.count + (size_t)1,
                                             sizeof *plan->lacks_kernel);
    if (!plan->lacks_kernel)
        return npart__fail_memory(error);
    if (!has_session(plan))
        return NPART_OK;
    bool may_fuse = plan->level == NPART_LEVEL_BASIC && has_mean(plan);
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const struct npart__node *node = npart__node_at(graph, i);
        if (!npart__is_refused(plan, i) || (may_fuse && npart__node_plays(graph, node, NPART__ROLE_OF_NORMALIZATION)))
            continue;
        int type = lacking_type(plan, node);
        plan->lacks_kernel[i] = type != 0;
        if (type && plan->findings.count < NPART__LIMIT_INVALID_FINDINGS && !tell(plan, i, type))
            return npart__fail_memory(error);
    }
    return NPART_OK;
}
