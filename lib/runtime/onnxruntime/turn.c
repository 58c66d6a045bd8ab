/* SPDX-License-Identifier: Apache-2.0
 *
 * Orders of axes that are on their way (turn.h).
 * Modelled on onnxruntime/core/optimizer/transpose_optimization: SqueezePerm, UnsqueezePerm, InvertPerm, ComposePerm,
 * HandleReshape.
 */
#include "onnxruntime/turn.h"

struct npart__turn npart__turn_of_channels(uint32_t rank, bool to_first)
{
    struct npart__turn turn = {.rank = (uint8_t)rank};
    for (uint32_t i = 1; i < rank; i++)
        turn.to[i] = (uint8_t)(to_first ? (i == 1 ? rank - 1 : i - 1) : (i + 1 < rank ? i + 1 : 1));
    return turn;
}

bool npart__turns_nothing(const struct npart__turn *turn)
{
    bool is = true;
    for (uint32_t i = 0; is && i < turn->rank; i++)
        is = turn->to[i] == i;
    return is;
}

bool npart__turn_alike(const struct npart__turn *a, const struct npart__turn *b)
{
    return a->rank == b->rank && memcmp(a->to, b->to, a->rank) == 0;
}

/* As the session has it. */
static void copy_order(const struct npart__turn *turn, int64_t *order)
{
    for (uint32_t i = 0; i < turn->rank; i++)
        order[i] = turn->to[i];
}

bool npart__turns_cancel(const struct npart__turn *first, const struct npart__turn *second)
{
    int64_t orders[2][NPART__MOST_AXES];
    copy_order(first, orders[0]);
    copy_order(second, orders[1]);
    return first->rank == second->rank && npart__orders_cancel(orders[0], orders[1], first->rank);
}

bool npart__turns_channels(const struct npart__turn *turn)
{
    int64_t order[NPART__MOST_AXES];
    copy_order(turn, order);
    return npart__moves_channels(order, turn->rank);
}

struct npart__turn npart__turn_without(const struct npart__turn *turn, const bool *is_dropped)
{
    struct npart__turn out = {.is_past_cpu = turn->is_past_cpu, .origin = turn->origin};
    bool is_gone[NPART__MOST_AXES] = {false};
    for (uint32_t i = 0; i < turn->rank; i++)
        is_gone[turn->to[i]] = is_dropped[i];
    for (uint32_t i = 0; i < turn->rank; i++) {
        uint8_t place = 0;
        for (uint32_t k = 0; k < turn->to[i]; k++)
            place = (uint8_t)(place + !is_gone[k]);
        if (!is_dropped[i])
            out.to[out.rank++] = place;
    }
    return out;
}

struct npart__turn npart__turn_with(const struct npart__turn *turn, const bool *is_new, uint32_t rank)
{
    struct npart__turn out = {.rank = (uint8_t)rank, .is_past_cpu = turn->is_past_cpu, .origin = turn->origin};
    uint8_t old[NPART__MOST_AXES] = {0}, count = 0, next = 0;
    for (uint8_t i = 0; i < rank; i++)
        if (!is_new[i])
            old[count++] = i;
    for (uint8_t i = 0; i < rank; i++)
        out.to[i] = is_new[i] ? i : old[turn->to[next++]];
    return out;
}

struct npart__turn npart__turn_joined(const struct npart__turn *first, const struct npart__turn *second)
{
    struct npart__turn out = {.rank = first->rank, .is_past_cpu = first->is_past_cpu};
    for (uint32_t i = 0; i < first->rank; i++)
        out.to[i] = first->to[second->to[i]];
    return out;
}

bool npart__turn_of_reshape(const int64_t *in, uint32_t in_rank, const int64_t *out, uint32_t out_rank,
                            struct npart__turn *turn)
{
    bool is_used[NPART__MOST_AXES] = {false};
    *turn = (struct npart__turn){.rank = (uint8_t)out_rank};
    if (in_rank != out_rank || out_rank > NPART__MOST_AXES)
        return false;
    for (uint32_t i = 0; i < in_rank; i++)
        if (in[i] < 0 || out[i] < 0)
            return false;
    for (uint8_t i = 0; i < out_rank; i++) {
        uint8_t from = 0;
        for (; from < in_rank && (is_used[from] || in[from] != out[i]); from++)
            if (!is_used[from] && in[from] != 1 && out[i] != 1)
                return false; /* elements would change their order */
        if (from == in_rank)
            return false;
        turn->to[i] = from;
        is_used[from] = true;
    }
    return true;
}
