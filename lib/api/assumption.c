/* SPDX-License-Identifier: Apache-2.0
 *
 * Placement overrides that change nothing: most likely one is misspelt.
 */
#include "api/api.h"

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

size_t npart_assumption_note(const char *op, const npart_model *model, const npart_plan *const *plans, size_t count,
                             char *out, size_t bytes)
{
    struct npart_node node = {.size = sizeof node};
    struct npart__nearest nearest;
    struct npart__note note;
    char near[NPART__HINT_BYTES] = "";
    bool is_there = !op || has_op(model, op);
    for (size_t i = 0; i < count && plans && !is_there; i++)
        is_there = has_op(npart_inference_model(npart_plan_view(plans[i])), op);
    if (is_there)
        return npart__copy_out("", 0, out, bytes);
    npart__note_open(&note, NULL);
    npart__nearest_init(&nearest, op, strlen(op));
    for (uint32_t i = 0; npart_model_node(model, i, &node); i++) {
        const char *full = *node.domain ? npart__arena_format(&note.arena, "%s:%s", node.domain, node.op) : node.op;
        npart__nearest_offer(&nearest, full ? full : "");
    }
    (void)npart__nearest_names(&nearest, near, sizeof near);
    npart__append_format(&note.text, "--assume %s changes nothing: the model has no such op%s%s%s", op,
                         *near ? "; did you mean " : "", near, *near ? "?" : "");
    return npart__note_close(&note, out, bytes);
}
