/* SPDX-License-Identifier: Apache-2.0
 *
 * What an inference has to say besides facts: what contradicts itself, and which sizes must be equal.
 */
#include "infer/driver.h"

/* Both texts are copied, as callers make them in buffers of their own. */
bool npart__add_finding(struct npart__inference *inference, const char *code, const char *text, const char *place)
{
    if (inference->is_quiet || !text)
        return text != NULL;
    struct npart_finding finding = {
        .size = sizeof finding,
        .code = code,
        .text = npart__arena_copy_text(inference->arena, text, strlen(text)),
        .at = npart__arena_copy_text(inference->arena, place, strlen(place)),
    };
    return finding.text && finding.at && NPART__PUSH(inference->arena, &inference->findings, finding);
}

/* What fails here is memory alone. Inference functions have no way to say so, hence the pool remembers it. */
void npart__report_contradiction(struct npart__inference *inference, uint32_t node, const char *text)
{
    char place[160] = "";
    if (node != NPART_NONE)
        npart__describe_node(inference->graph, node, place, sizeof place);
    /* The finding that is added next has this index. */
    struct npart__contradicted contradicted = {.node = node, .finding = inference->findings.count};
    if (!npart__add_finding(inference, NPART__SHAPE_CONTRADICTION, text, place) ||
        (!inference->is_quiet && !NPART__PUSH(inference->arena, &inference->contradicted, contradicted)))
        inference->expressions.failed = true;
}

/* The same relation comes up at many nodes (batch at each Add of a model), so the latest 64 are looked through; one
 * that is kept twice does no harm. */
void npart__assume_equal(struct npart__inference *inference, uint32_t node, int64_t a, int64_t b, bool broadcasts)
{
    for (uint32_t i = inference->assumptions.count; i > 0 && i + 64 > inference->assumptions.count; i--) {
        const struct npart__assumption *known = &inference->assumptions.items[i - 1];
        if (known->left == a && known->right == b && known->broadcasts == broadcasts)
            return;
    }
    struct npart__assumption assumption = {.left = a, .right = b, .node = node, .broadcasts = broadcasts};
    if (!NPART__PUSH(inference->arena, &inference->assumptions, assumption))
        inference->expressions.failed = true;
}
