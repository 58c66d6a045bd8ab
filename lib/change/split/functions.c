/* SPDX-License-Identifier: Apache-2.0
 *
 * The model's own functions that a part needs: those that its nodes call, and what these call. A part that had all of
 * them would make a model of n parts and n functions n times as large.
 */
#include <stdlib.h>

#include "split/internal.h"

/* Appends what a node calls, itself or in its bodies. As deep as the scan lets messages be. */
static bool add_calls(struct npart__splitting *splitting, const Onnx__NodeProto *node, struct npart__ids *out)
{
    uint32_t called;
    bool is_good = npart__functions_find(&splitting->functions.by_name, node, &called) &&
                   (called == NPART_NONE || NPART__PUSH(splitting->arena, out, called));
    for (size_t i = 0; i < node->n_attribute; i++) {
        const Onnx__AttributeProto *attribute = node->attribute[i];
        size_t count = attribute->g ? 1 : attribute->n_graphs;
        for (size_t k = 0; k < count; k++) {
            const Onnx__GraphProto *body = attribute->g ? attribute->g : attribute->graphs[k];
            for (size_t n = 0; is_good && n < body->n_node; n++)
                is_good = add_calls(splitting, body->node[n], out);
        }
    }
    return is_good;
}

bool npart__split_list_functions(struct npart__splitting *splitting)
{
    struct npart__split_functions *functions = &splitting->functions;
    const Onnx__ModelProto *model = splitting->model;
    if (!npart__functions_list(&functions->by_name, model, splitting->arena, NULL))
        return false;
    functions->first_call = npart__arena_zeroed(splitting->arena, model->n_functions + 1, sizeof(uint32_t));
    functions->taken_by = npart__arena_zeroed(splitting->arena, model->n_functions + 1, sizeof(uint32_t));
    bool is_good = functions->first_call && functions->taken_by;
    for (uint32_t i = 0; is_good && i < model->n_functions; i++) {
        for (size_t k = 0; is_good && k < model->functions[i]->n_node; k++)
            is_good = add_calls(splitting, model->functions[i]->node[k], &functions->calls);
        functions->first_call[i + 1] = functions->calls.count;
    }
    return is_good;
}

/* Adds those from `first` to before `end` that are not there yet. */
static bool take(struct npart__splitting *splitting, uint32_t part, const struct npart__ids *called, uint32_t first,
                 uint32_t end, struct npart__ids *out)
{
    bool is_good = true;
    for (uint32_t i = first; is_good && i < end; i++) {
        uint32_t id = called->items[i];
        if (splitting->functions.taken_by[id] == part + 1)
            continue;
        splitting->functions.taken_by[id] = part + 1;
        is_good = NPART__PUSH(splitting->arena, out, id);
    }
    return is_good;
}

static int compare(const void *left, const void *right)
{
    const uint32_t *a = left, *b = right;
    return NPART__ORDER(*a, *b);
}

bool npart__split_take_functions(struct npart__splitting *splitting, uint32_t part, const Onnx__GraphProto *graph,
                                 Onnx__ModelProto *out)
{
    const struct npart__split_functions *functions = &splitting->functions;
    struct npart__ids called = {0}, taken = {0};
    bool is_good = true;
    if (!splitting->model->n_functions)
        return true;
    for (size_t i = 0; is_good && i < graph->n_node; i++)
        is_good = add_calls(splitting, graph->node[i], &called);
    is_good = is_good && take(splitting, part, &called, 0, called.count, &taken);
    for (uint32_t i = 0; is_good && i < taken.count; i++) {
        uint32_t first = functions->first_call[taken.items[i]], end = functions->first_call[taken.items[i] + 1];
        is_good = take(splitting, part, &functions->calls, first, end, &taken);
    }
    out->functions = npart__arena_zeroed(splitting->arena, taken.count + (size_t)1, sizeof *out->functions);
    out->n_functions = 0;
    if (!is_good || !out->functions)
        return false;
    if (taken.count)
        qsort(taken.items, taken.count, sizeof *taken.items, compare);
    for (uint32_t i = 0; i < taken.count; i++)
        out->functions[out->n_functions++] = splitting->model->functions[taken.items[i]];
    return true;
}
