/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes that may be meant by a text that names none: by an op, or a part of a name. `--explain
 * attn` lists all nodes with "attn" in their name, op or output; one alone is explained at once.
 */
#include "report/page.h"

#define MATCHES_SHOWN 40u /* a screen; --verbose shows all */

/* Of ASCII alone, in every locale: what tolower does depends on the locale. */
static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Whether a text holds another, whatever the case of letters. An empty text holds nothing. Takes as many steps as
 * both lengths multiplied at worst, which is little for names. */
static bool holds(const char *text, const char *part)
{
    for (; *text; text++) {
        size_t at = 0;
        while (part[at] && lower(text[at]) == lower(part[at]))
            at++;
        if (!part[at])
            return true;
    }
    return false;
}

/* Outputs as well, since exporters often name tensors and no nodes. An output that is left out (NPART_NONE) is no
 * value, and the getter says so. */
static bool is_match(const npart_inference *inference, const struct npart_node *node, const char *text)
{
    struct npart_value value = {.size = sizeof value};
    if (holds(node->name, text) || holds(node->op, text))
        return true;
    for (uint32_t i = 0; i < node->output_count; i++)
        if (npart_inference_value(inference, node->outputs[i], &value) && holds(value.name, text))
            return true;
    return false;
}

/* None for an empty text, which every name holds. Ids in ascending order, in room for all nodes. One pass over the
 * nodes, whose ids are the same in the model and in a plan's view. */
uint32_t npart__find_matches(struct npart__page *page, const npart_inference *inference, const char *text,
                             uint32_t **out)
{
    const npart_model *model = npart_inference_model(inference);
    struct npart_model_info info = {.size = sizeof info};
    struct npart_node node = {.size = sizeof node};
    uint32_t count = 0;
    (void)npart_model_info(model, &info);
    *out = npart__arena_zeroed(page->arena, info.node_count + (size_t)1, sizeof **out);
    for (uint32_t i = 0; *text && *out && npart_model_node(model, i, &node); i++)
        if (is_match(inference, &node, text))
            (*out)[count++] = i;
    return count;
}

/* Each with its verdict, so that the one that was meant may need no second question. The verdicts are those of the
 * plan that the page speaks of. */
void npart__put_matches(struct npart__page *page, const char *text, const uint32_t *nodes, uint32_t count)
{
    const char *const words[] = {
        [NPART_VERDICT_CPU] = "CPU", [NPART_VERDICT_NPU] = page->info.unit, [NPART_VERDICT_FAIL] = "fails",
        [NPART_VERDICT_UNKNOWN] = "?", [NPART_VERDICT_FOLDED] = "folded", [NPART_VERDICT_FUSED] = "fused"};
    uint32_t shown = page->options->is_verbose || count < MATCHES_SHOWN ? count : MATCHES_SHOWN;
    npart__append_format(page->out, "%u nodes match \"", count);
    npart__put_text(page, text);
    npart__put(page, "\"; ask for one by its number, name or output. On ");
    npart__put_target(page);
    npart__put(page, ":\n");
    for (uint32_t i = 0; i < shown && !page->arena->failed; i++) {
        struct npart_node_plan at = {.size = sizeof at};
        (void)npart_plan_node(page->plan, nodes[i], &at);
        npart__append_format(page->out, "  %-6s  ", words[at.verdict]);
        npart__put_place(page, nodes[i]);
        npart__put(page, "\n");
    }
    if (shown < count)
        npart__append_format(page->out, "  and %u more (--verbose)\n", count - shown);
}

/* Names and ops are compared, outputs not: these are too many. Fails with ARGUMENT, and with "did you mean conv1 or
 * conv2?" where a name is near. */
npart_status npart__fail_node(struct npart__page *page, const char *text, struct npart_error *error)
{
    const npart_model *model = npart_inference_model(npart_plan_inference(page->plan));
    struct npart_model_info info = {.size = sizeof info};
    struct npart_node node = {.size = sizeof node};
    char near[160] = "";
    (void)npart_model_info(model, &info);
    const char **names = npart__arena_zeroed(page->arena, 2 * (info.node_count + (size_t)1), sizeof *names);
    size_t count = 0;
    for (uint32_t i = 0; names && npart_model_node(model, i, &node); i++) {
        names[count++] = node.name;
        names[count++] = node.op;
    }
    if (names)
        (void)npart_nearest_name(text, names, count, near, sizeof near);
    return npart__fail(error, NPART_ERROR_ARGUMENT, "", "there is no node \"%s\"%s%s%s", text,
                       *near ? "; did you mean " : "", near, *near ? "?" : "");
}
