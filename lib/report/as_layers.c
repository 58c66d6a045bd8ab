/* SPDX-License-Identifier: Apache-2.0
 *
 * What layers of a model cost whose weights lose too much in a precision, and have more bits, each alone: by what its
 * node's weights and time are in the plans with a limit and without one.
 */
#include <stdlib.h>

#include "report/page.h"

#define MOST_TOLD 8 /* layers, without --verbose */

/* A node by what it makes, which quantizers leave its name, but for outputs of the model. */
static const char *key_of(struct npart__page *page, const npart_inference *view, const struct npart_node *node)
{
    static const char suffix[] = "_QuantizeLinear_Input";
    struct npart_value value = {.size = sizeof value};
    if (!node->output_count || !npart_inference_value(view, node->outputs[0], &value))
        return NULL;
    size_t length = strlen(value.name), cut = length > strlen(suffix) ? length - strlen(suffix) : length;
    return npart__arena_copy_text(page->arena, value.name, strcmp(value.name + cut, suffix) == 0 ? cut : length);
}

static int compare_keys(const void *left, const void *right)
{
    return strcmp(((const struct npart__layer *)left)->key, ((const struct npart__layer *)right)->key);
}

void npart__list_layers(struct npart__page *page, struct npart__row *row)
{
    const npart_inference *view = npart_plan_view(page->plan);
    const npart_model *model = npart_inference_model(view);
    struct npart_model_info info = {.size = sizeof info};
    struct npart_node node = {.size = sizeof node};
    if (!model || !npart_model_info(model, &info))
        return;
    row->layers = npart__arena_zeroed(page->arena, info.node_count + (size_t)1, sizeof *row->layers);
    for (uint32_t i = 0; row->layers && npart_model_node(model, i, &node); i++) {
        struct npart_work work = {.size = sizeof work};
        struct npart_node_plan plan = {.size = sizeof plan};
        if (node.graph || npart_plan_work(page->plan, i, &work, NULL) != NPART_OK || !work.weight_bytes.value ||
            work.weight_bytes.value == UINT64_MAX || !npart_plan_node(page->plan, i, &plan) || plan.moves)
            continue;
        struct npart__layer *layer = &row->layers[row->layer_count];
        layer->name = npart__arena_copy_text(page->arena, node.name, strlen(node.name));
        layer->key = key_of(page, view, &node);
        layer->bytes = work.weight_bytes.value;
        layer->ms = plan.ms;
        row->layer_count += layer->key && layer->name;
    }
    if (row->layers)
        qsort(row->layers, row->layer_count, sizeof *row->layers, compare_keys);
}

static int compare_bytes(const void *left, const void *right)
{
    const struct npart__layer *a = left, *b = right;
    return a->bytes != b->bytes ? (a->bytes < b->bytes) - (a->bytes > b->bytes) : strcmp(a->key, b->key);
}

/* Those that have more than without the limit, and how much; the largest first. */
static struct npart__layer *find_held(struct npart__page *page, const struct npart__row *row,
                                      const struct npart__row *than, uint32_t *count)
{
    struct npart__layer *held = npart__arena_zeroed(page->arena, row->layer_count + (size_t)1, sizeof *held);
    *count = 0;
    for (uint32_t i = 0; held && than->layers && i < row->layer_count; i++) {
        const struct npart__layer *layer = &row->layers[i];
        const struct npart__layer *before =
            bsearch(layer, than->layers, than->layer_count, sizeof *layer, compare_keys);
        if (!before || before->bytes >= layer->bytes)
            continue;
        held[*count] = *layer;
        held[*count].bytes -= before->bytes;
        held[(*count)++].ms = before->ms < 0 || layer->ms < 0 ? 0 : layer->ms - before->ms;
    }
    if (held)
        qsort(held, *count, sizeof *held, compare_bytes);
    return held;
}

void npart__put_layers(struct npart__page *page, const struct npart__row *row, const struct npart__row *than)
{
    uint32_t count;
    const struct npart__layer *held = find_held(page, row, than, &count);
    uint32_t told = page->options->is_verbose || count <= MOST_TOLD ? count : MOST_TOLD;
    for (uint32_t i = 0; held && i < told; i++) {
        npart__append_format(page->out, "      %s: +", *held[i].name ? held[i].name : held[i].key);
        npart__append_bytes(page->out, held[i].bytes);
        npart__append_format(page->out, ", %+.3f ms\n", held[i].ms);
    }
    if (held && told < count)
        npart__append_format(page->out, "      and %u more (-v has all)\n", count - told);
}
