/* SPDX-License-Identifier: Apache-2.0
 *
 * A Reshape whose target is put together from sizes of its own input: where ONNX Runtime folds, it writes down 0 for
 * those, and -1 for one more that it does not know, and the shape arithmetic is gone. With x of [`batch`,128,768],
 *
 *   Concat(Unsqueeze(Gather(Shape(x), 0)), [12,64,-1])
 *
 * as the target of a Reshape of x becomes the constant [0,12,64,-1]: 0 takes the size from x. Only one part may be
 * unknown, since -1 can stand for one; and nothing else may use the target, or a value equal to it.
 *
 * Modelled on onnxruntime/core/optimizer/reshape_fusion.cc.
 */
#include "infer/call.h"
#include "onnxruntime/view.h"

/* Releases that take sizes of other tensors than the root, too. A policy that folds is of the level that they are. */
static const struct npart__applies borrows[] = {
#define BORROW(op, level, oldest, newest) {0, NPART__RELEASE_##oldest, NPART__RELEASE_##newest},
#include "onnxruntime/rewrites.def"
};

/* For one Reshape; `target` is in the inference's memory, as it becomes what is known of the value. */
struct fusion {
    struct npart__inference *inference;
    const struct npart__graph *graph;
    const struct npart__fact *root; /* what is reshaped */
    uint32_t root_value;
    int64_t *target;
    uint32_t count, unknown_count;
    bool borrows;
};

static struct npart__fact *fact_of(const struct fusion *fusion, uint32_t value)
{
    return &fusion->inference->facts[value];
}

/* The node of this operator that makes a value, or NULL. */
static const struct npart__node *maker(const struct fusion *fusion, uint32_t value, uint64_t ways)
{
    uint32_t producer = npart__producer(fusion->graph, value);
    if (producer == NPART_NONE)
        return NULL;
    const struct npart__node *node = npart__node_at(fusion->graph, producer);
    return npart__comes_from(node, ways) ? node : NULL;
}

/* Whether a value is a constant of this one number. Elements are read, so a constant of the file that was left out
 * of the scan is none of this number. */
static bool is_constant_of(const struct fusion *fusion, uint32_t value, int64_t number)
{
    struct npart__fact *fact = value == NPART_NONE ? NULL : fact_of(fusion, value);
    const struct npart__known *known =
        fact && fact->is_constant ? npart__elements(fusion->inference, fact) : NULL;
    return known && known->ints && known->count == 1 && known->ints[0] == number;
}

/* Whether a value's size of this axis is the root's: it is the root, or both are the same number or the same name. What
 * else we know to be equal, as a formula, has no name in the runtime. Two nameless sizes are not known to be equal. */
static bool has_size_of_root(const struct fusion *fusion, uint32_t value, uint32_t axis)
{
    const struct npart__expressions *pool = &fusion->inference->expressions;
    if (value == NPART_NONE) /* a Shape of nothing, in a model that is wrong */
        return false;
    const struct npart__fact *fact = fact_of(fusion, value), *root = fusion->root;
    if (value == fusion->root_value)
        return true;
    if (!fusion->borrows || !fact->has_rank || !root->has_rank || axis >= fact->rank || axis >= root->rank)
        return false;
    int64_t size = root->dims[axis];
    bool is_name = npart__lone_symbol(pool, size) != NPART_NONE && npart__is_named(pool, size);
    return (is_name || npart__is_number(size)) && npart__same(fact->dims[axis], size);
}

/* Axes [0], by attribute before opset 13, by input since: a scalar becomes a vector of one. */
static bool unsqueezes_front(const struct fusion *fusion, const struct npart__node *unsqueeze)
{
    const struct npart__attribute *axes = npart__node_attribute(fusion->graph, unsqueeze, "axes");
    if (axes)
        return axes->type == NPART_ATTRIBUTE_INTS && axes->count == 1 && !axes->is_elided && axes->u.ints[0] == 0;
    return is_constant_of(fusion, npart__node_input(fusion->graph, unsqueeze, 1), 0);
}

/* The root's own size at this place of the target: Unsqueeze(Gather(Shape(root), i)), with i the place that it
 * would take, for which 0 can be written; or the Shape of a value that has the root's size there. As the third part
 * only Gather of index 2 suits, if each part before is one number. A size of another axis becomes -1 like anything
 * else. */
static bool is_size_of_root(const struct fusion *fusion, uint32_t value)
{
    const struct npart__graph *graph = fusion->graph;
    const struct npart__node *unsqueeze = maker(fusion, value, NPART__WAY(UNSQUEEZE)), *gather, *shape;
    if (!unsqueeze || !unsqueezes_front(fusion, unsqueeze))
        return false;
    gather = maker(fusion, npart__node_input(graph, unsqueeze, 0), NPART__WAY(GATHER));
    if (!gather || !is_constant_of(fusion, npart__node_input(graph, gather, 1), fusion->count))
        return false;
    shape = maker(fusion, npart__node_input(graph, gather, 0), NPART__WAY(SHAPE));
    return shape && has_size_of_root(fusion, npart__node_input(graph, shape, 0), fusion->count);
}

/* A rank above the limit is not followed, nor a symbol: the runtime writes numbers. No tensor of such a rank is:
 * its target stays as it is in the file. */
static bool append(struct fusion *fusion, int64_t number)
{
    if (fusion->count == NPART__LIMIT_RANK || !npart__is_number(number))
        return false;
    fusion->unknown_count += number == -1;
    fusion->target[fusion->count++] = number;
    return true;
}

/* One operand of the Concat: constants as they are, sizes of the root as 0, and any other single number as -1. False
 * where it is none of these; then the target stays as it is in the file. */
static bool append_part(struct fusion *fusion, uint32_t value)
{
    uint64_t elements;
    if (value == NPART_NONE)
        return false;
    struct npart__fact *fact = fact_of(fusion, value);
    const struct npart__known *known = fact->is_constant ? npart__elements(fusion->inference, fact) : NULL;
    if (known) {
        bool is_appended = known->ints != NULL;
        for (uint32_t i = 0; i < known->count && is_appended; i++)
            is_appended = append(fusion, known->ints[i]);
        return is_appended;
    }
    if (is_size_of_root(fusion, value))
        return append(fusion, 0);
    return npart__static_elements(fact, &elements) && elements == 1 && append(fusion, -1);
}

/* The Concat must be used by this Reshape alone, equal ones counted, for the runtime removes it. Not of nodes
 * that are inlined after its optimizers have run. What is written down is a constant to all that comes after, so
 * the Reshape is inferred as if the file had it. Memory of a target that is not taken stays with the inference. */
void npart__fuse_reshape(const struct npart__call *call)
{
    struct npart__inference *inference = call->inference;
    const struct npart__graph *graph = call->graph;
    if (call->node_id >= graph->first_late_node || !npart__comes_from(call->node, NPART__WAY(VIEW)) ||
        !npart__node_plays(graph, call->node, NPART__ROLE_RESHAPES))
        return;
    uint32_t target = npart__node_input(graph, call->node, 1), root = npart__node_input(graph, call->node, 0);
    struct fusion fusion = {.inference = inference, .graph = graph, .root_value = root};
    const struct npart__node *concat = maker(&fusion, target, NPART__WAY(CONCAT));
    if (!concat || root == NPART_NONE || inference->facts[target].is_constant || /* a constant target needs no fusion */
        inference->equal_uses[target] != 1)
        return;
    fusion.root = &inference->facts[root];
    for (size_t i = 0; i < NPART__COUNT(borrows); i++)
        fusion.borrows |= npart__is_on(borrows[i], 0, inference->policy->release);
    fusion.target = npart__new_ints(call, NPART__LIMIT_RANK);
    for (uint32_t i = 0; i < concat->input_count && fusion.target; i++)
        if (!append_part(&fusion, npart__node_input(graph, concat, i)))
            return;
    struct npart__known *known = npart__arena_zeroed(call->arena, 1, sizeof *known);
    if (!fusion.target || !known) {
        call->pool->failed = true;
        return;
    }
    /* A Reshape can work out one size, not two. */
    if (fusion.unknown_count > 1)
        return;
    *known = (struct npart__known){.count = fusion.count, .ints = fusion.target};
    inference->facts[target].known = known;
    inference->facts[target].is_constant = true;
}
