/* SPDX-License-Identifier: Apache-2.0
 *
 * Orders of axes, as a Transpose puts them.
 */
#include "session/session.h"

/* Without the attribute a Transpose turns the axes round, which needs the rank: [0,1,2] becomes [2,1,0]. The
 * attribute comes from the file: its length may be anything, its numbers out of range, its type no list. Then the
 * order is not known, and no array is indexed by it. An axis may stand twice; who looks for a cancelling pair
 * finds none. */
bool npart__order_of_axes(const struct npart__inference *inference, uint32_t id, int64_t *order, uint32_t *rank)
{
    const struct npart__node *node = npart__node_at(inference->graph, id);
    const struct npart__attribute *attribute = npart__node_attribute(inference->graph, node, "perm");
    uint32_t result = npart__node_output(inference->graph, node, 0);
    if (result == NPART_NONE)
        return false;
    const struct npart__fact *out = npart__fact_of(inference, result);
    /* With the attribute the rank is its length, also where inference knows no shape. */
    *rank = attribute ? attribute->count : out->rank;
    if (attribute ? attribute->type != NPART_ATTRIBUTE_INTS || attribute->is_elided : !out->has_rank)
        return false;
    for (uint32_t i = 0; i < *rank && *rank <= NPART__LIMIT_RANK; i++) {
        order[i] = attribute ? attribute->u.ints[i] : (int64_t)(*rank - 1 - i);
        if (order[i] < 0 || order[i] >= (int64_t)*rank)
            return false;
    }
    return *rank <= NPART__LIMIT_RANK;
}

bool npart__order_left(const struct npart__session *session, uint32_t id, int64_t *order, uint32_t *rank)
{
    if (!npart__order_of_axes(session->inference, id, order, rank))
        return false;
    if (id < session->altered_count && session->altered[id].order)
        memcpy(order, session->altered[id].order, *rank * sizeof *order);
    return true;
}

/* [0,3,1,2] (NHWC to NCHW) and [0,2,3,1] (back), for a rank of 4. The axis of the batch stays first. Of rank 3
 * there is one order for both, [0,2,1]; below that there are no channels beside an axis of space. */
bool npart__brings_channels(const int64_t *order, uint32_t rank, bool to_end)
{
    bool does = rank > 2 && order[0] == 0;
    for (uint32_t i = 1; does && i < rank; i++)
        does = order[i] == (int64_t)(to_end ? (i + 1 < rank ? i + 1 : 1) : (i == 1 ? rank - 1 : i - 1));
    return does;
}

bool npart__keeps_order(const int64_t *order, uint32_t rank, const int64_t *dims)
{
    int64_t last = -1;
    for (uint32_t i = 0; i < rank; i++) {
        if (order[i] < 0 || order[i] >= rank)
            return false;
        if (dims[order[i]] == 1)
            continue;
        if (order[i] < last)
            return false;
        last = order[i];
    }
    return true;
}

bool npart__moves_channels(const int64_t *order, uint32_t rank)
{
    return npart__brings_channels(order, rank, true) || npart__brings_channels(order, rank, false);
}

/* Axis i of the second's result is axis second[i] of the value between, which is axis first[second[i]] of the first's
 * operand. */
bool npart__orders_cancel(const int64_t *first, const int64_t *second, uint32_t rank)
{
    bool do_so = true;
    for (uint32_t i = 0; do_so && i < rank; i++)
        do_so = first[second[i]] == (int64_t)i;
    return do_so;
}
