/* SPDX-License-Identifier: Apache-2.0
 *
 * Where tensors change between the model's layout and the target's, and why: "the target
 * computes node 3 (Conv) in NHWC; the tensor is NCHW float32[...]". In JSON all of them, in text
 * the largest.
 */
#include <ctype.h>
#include <stdlib.h>

#include "report/page.h"

/* A screen of lines; the rest is in JSON. */
#define LAYOUTS_SHOWN 40u

/* "NHWC"; the model's own by the number of axes. Op lists write layouts in small letters; people know them in
 * capitals. ONNX has the channels after the batch: NCW, NCHW, NCDHW. Of other ranks there is no such word. */
static void add_layout(struct npart__buffer *out, const char *word, uint32_t rank)
{
    static const char *const plain[] = {[3] = "NCW", [4] = "NCHW", [5] = "NCDHW"};
    if (strcmp(word, "plain") == 0) {
        npart__append_text(out, rank < NPART__COUNT(plain) && plain[rank] ? plain[rank] : "the model's layout");
        return;
    }
    for (; *word; word++) {
        char letter = (char)toupper((unsigned char)*word);
        npart__append(out, &letter, 1);
    }
}

/* The sentence says what needs the layout, and which one the tensor has before. To the target's layout: "the target
 * computes node 3 (Conv) in NHWC; the tensor is NCHW float32[1,3,32,32]". Back to the model's: "node 7 (Reshape)
 * needs NCHW; the tensor is NHWC, float32[1,3,32,32]"; without a node it is the graph's output that is so. The dims are
 * always in the model's order. */
void npart__add_conversion(struct npart__buffer *buffer, struct npart__buffer *scratch, const npart_plan *plan,
                           uint32_t value, const struct npart_value_plan *at)
{
    const npart_inference *view = npart_plan_view(plan);
    struct npart_value tensor = {.size = sizeof tensor};
    char node[160] = "";
    bool is_plain = strcmp(at->converted_to, "plain") == 0;
    (void)npart_inference_value(view, value, &tensor);
    if (at->converted_for != NPART_NONE)
        (void)npart_model_node_text(npart_inference_model(view), at->converted_for, node, sizeof node);
    npart__append_format(buffer, "%s%s%s", is_plain ? "" : "the target computes ", *node ? node : "the graph's output",
                         !is_plain ? " in " : *node ? " needs " : " is ");
    add_layout(buffer, at->converted_to, tensor.rank);
    npart__append_text(buffer, "; the tensor is ");
    add_layout(buffer, at->layout, tensor.rank);
    while (npart__buffer_lacks(scratch, npart_inference_type_text(view, value, NPART__ROOM(scratch))))
        continue;
    npart__append_text(buffer, is_plain ? ", " : " ");
    npart__append(buffer, scratch->data, scratch->size);
}

/* ---- text -------------------------------------------------------------------------------------------------- */

struct conversion {
    uint32_t value;
    uint64_t bytes;
};

/* The largest first, then by id, so that the order is the same everywhere. Sizes that are not known are 0 and come
 * last. */
static int compare_conversions(const void *left, const void *right)
{
    const struct conversion *a = left, *b = right;
    int order = NPART__ORDER(b->bytes, a->bytes);
    return order ? order : NPART__ORDER(a->value, b->value);
}

/* One tensor: its name, size and reason. "conv1, 1.2 MB: the target computes ...". */
static void put_conversion(struct npart__page *page, const struct conversion *conversion)
{
    struct npart_value_plan at = {.size = sizeof at};
    struct npart_value tensor = {.size = sizeof tensor, .name = ""};
    struct npart__buffer line = {.arena = page->arena};
    if (!npart_plan_value(page->plan, conversion->value, &at) || !at.converted_to)
        return;
    (void)npart_inference_value(page->view, conversion->value, &tensor);
    npart__append_format(&line, "%s, ", tensor.name);
    if (at.has_bytes)
        npart__append_bytes(&line, at.bytes);
    else
        npart__append_text(&line, "size unknown");
    npart__append_text(&line, ": ");
    npart__add_conversion(&line, page->scratch, page->plan, conversion->value, &at);
    npart__put_line(page, NULL, "     ", npart__buffer_text(&line), 7);
    npart__buffer_release(&line);
}

/* The plan says how many there are, so no more values are asked for once all are found. */
void npart__put_layouts(struct npart__page *page)
{
    struct npart_value_plan at = {.size = sizeof at};
    uint32_t count = 0, most = page->cost.conversions;
    struct conversion *all = npart__arena_zeroed(page->arena, most + (size_t)1, sizeof *all);
    if (most == 0 || !all)
        return;
    for (uint32_t i = 0; count < most && npart_plan_value(page->plan, i, &at); i++)
        if (at.converted_to)
            all[count++] = (struct conversion){.value = i, .bytes = at.bytes};
    qsort(all, count, sizeof *all, compare_conversions);
    npart__painted(page, NPART__BOLD, "  Layout conversions");
    npart__put(page, " (largest first)\n");
    for (uint32_t i = 0; i < count && i < LAYOUTS_SHOWN && !page->arena->failed; i++)
        put_conversion(page, &all[i]);
    if (count > LAYOUTS_SHOWN)
        npart__append_format(page->out, "     and %u more (--format json)\n", count - LAYOUTS_SHOWN);
}
