/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

/* As plans read it: "Erf" and "ai.onnx:Erf" are the standard's. */
static bool is_of_op(const struct npart_node *node, const char *op)
{
    const char *colon = strrchr(op, ':');
    size_t length = colon ? (size_t)(colon - op) : 0;
    if (strcmp(node->op, colon ? colon + 1 : op) != 0)
        return false;
    if (length == 7 && strncmp(op, "ai.onnx", 7) == 0)
        return !*node->domain;
    return strlen(node->domain) == length && strncmp(node->domain, op, length) == 0;
}

static bool has_op(const npart_model *model, const char *op)
{
    struct npart_node node = {.size = sizeof node};
    for (uint32_t i = 0; npart_model_node(model, i, &node); i++)
        if (is_of_op(&node, op))
            return true;
    return false;
}

static void tell_assumption(const npart_model *model, const char *path, const char *op)
{
    struct npart_node node = {.size = sizeof node};
    struct npart_model_info info = {.size = sizeof info};
    char near[128] = "";
    (void)npart_model_info(model, &info);
    const char **names = need(info.node_count * sizeof *names);
    for (uint32_t i = 0; npart_model_node(model, i, &node); i++)
        names[i] = *node.domain ? text_of("%s:%s", node.domain, node.op) : node.op;
    (void)npart_nearest_name(op, names, info.node_count, near, sizeof near);
    say("%s: note: --assume %s changes nothing: the model has no such op%s%s%s", path, op,
        *near ? "; did you mean " : "", near, *near ? "?" : "");
}

void tell_assumptions(const struct options *options, const struct job *job, const char *path)
{
    for (uint32_t i = 0; i < options->assumption_count; i++) {
        const char *op = options->assumptions[i].op;
        bool is_there = !op || has_op(job->model, op);
        for (int k = 0; k < options->target_count && !is_there; k++)
            is_there = has_op(npart_inference_model(npart_plan_view(job->plans[k])), op);
        if (!is_there)
            tell_assumption(job->model, path, op);
    }
}
