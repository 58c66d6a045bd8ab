/* SPDX-License-Identifier: Apache-2.0
 *
 * Values that count slots where they mean positions. On the way back from one that is wrong stands a value that no
 * input's data enters, and that is the number of slots in use: an input with the positions takes its place, and what
 * stands between is made anew from it. The same value may also feed a mask, which is right with slots, and stays.
 */
#include "cache/internal.h"
#include "infer/families.h"

/* Nodes between. */
#define LIMIT_DEPTH 16u

/* Whether it is the number of used slots, or that of each new token, but for an offset. */
static bool counts_slots(const struct npart__walk *walk, uint32_t value, int64_t *offset)
{
    const struct npart__known *known = npart__cache_elements(walk->compared->a, value);
    const struct npart__layout *layout = &walk->compared->a->layout;
    if (!known || !known->ints || !known->count || (known->count != 1 && known->count != layout->tokens))
        return false;
    *offset = known->ints[0] - layout->past;
    for (uint32_t i = 1; i < known->count; i++)
        if (known->ints[i] != known->ints[0] + i)
            return false;
    return true;
}

/* Of an integer type: positions are. */
static bool is_position(struct npart__walk *walk, uint32_t value, bool *is_failed)
{
    struct npart__work *work = walk->work;
    int type = npart__fact_of(&walk->compared->a->inference, value)->element_type;
    int64_t offset;
    if (!work->is_static[value] || (type != NPART__INT64 && type != NPART__INT32) ||
        npart__cache_relation(walk->compared, value) != NPART__REL_GREW || !counts_slots(walk, value, &offset))
        return false;
    if (work->position_of[value])
        return work->positions.items[work->position_of[value] - 1].offset == offset;
    struct npart__position position = {value, offset};
    *is_failed |= !NPART__PUSH(work->arena, &work->positions, position);
    work->position_of[value] = *is_failed ? 0 : work->positions.count;
    return !*is_failed;
}

static bool repair(struct npart__walk *walk, uint32_t value, unsigned depth, bool *is_failed);

/* Operands that are right must have no slots: what is made anew has none. `height`: nodes from a position on. */
static bool repair_operands(struct npart__walk *walk, uint32_t value, unsigned depth, unsigned *height, bool *is_failed)
{
    struct npart__work *work = walk->work;
    const struct npart__graph *graph = work->graph;
    uint32_t producer = npart__producer(graph, value);
    *height = 0;
    if (walk->flows[value].axis != NPART_NONE || depth > LIMIT_DEPTH || producer == NPART_NONE)
        return false;
    if (is_position(walk, value, is_failed))
        return true;
    const struct npart__node *node = npart__node_at(graph, producer);
    if (*is_failed || node->body_count || node->scope != 0 || node->callee != NPART_NONE || work->position_of[value])
        return false;
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t operand = npart__node_input(graph, node, i);
        if (operand == NPART_NONE)
            continue;
        operand = npart__value_at(graph, operand)->alias;
        const struct npart__flow *flow = &walk->flows[operand];
        if (flow->is_wrong ? !repair(walk, operand, depth + 1, is_failed)
                           : !flow->is_known || flow->axis != NPART_NONE)
            return false;
        if (flow->is_wrong && walk->tried[operand].height > *height)
            *height = walk->tried[operand].height;
    }
    work->is_repaired[value] = true;
    return true;
}

/* Depth first, as deep as LIMIT_DEPTH. What came of it is kept, so a value is looked at again only from less deep. */
static bool repair(struct npart__walk *walk, uint32_t value, unsigned depth, bool *is_failed)
{
    struct npart__tried *tried = &walk->tried[value];
    unsigned height;
    if (tried->height)
        return depth + tried->height - 1 <= LIMIT_DEPTH;
    if (tried->failed_at && depth + 1 >= tried->failed_at)
        return false;
    bool is_done = repair_operands(walk, value, depth, &height, is_failed);
    if (is_done)
        tried->height = (uint8_t)(height + 1);
    else
        tried->failed_at = (uint8_t)(depth + 1);
    return is_done;
}

bool npart__cache_repair(struct npart__walk *walk, uint32_t value)
{
    bool is_failed = false;
    bool is_done = npart__node_at(walk->work->graph, walk->node)->scope == 0 && repair(walk, value, 0, &is_failed);
    walk->work->is_out_of_memory |= is_failed;
    return is_done;
}
