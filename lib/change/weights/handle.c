/* SPDX-License-Identifier: Apache-2.0
 *
 * Public functions that read a model's weights.
 */
#include "api/api.h"
#include "weights/weights.h"

struct npart_losses {
    struct npart__life *life;
    struct npart__weight_list list;
    double *decibels; /* [weight][rounding] */
    bool *is_known;
};

static npart_status fill(npart_losses *losses, struct npart_error *error)
{
    struct npart__arena *arena = &losses->life->arena;
    uint32_t count = losses->list.items.count;
    losses->decibels = npart__arena_zeroed(arena, ((size_t)count + 1) * NPART__ROUNDINGS, sizeof(double));
    losses->is_known = npart__arena_zeroed(arena, ((size_t)count + 1) * NPART__ROUNDINGS, sizeof(bool));
    if (!losses->decibels || !losses->is_known)
        return npart__fail_memory(error);
    for (uint32_t i = 0; i < count; i++)
        for (unsigned k = 0; k < NPART__ROUNDINGS; k++)
            losses->decibels[i * NPART__ROUNDINGS + k] =
                npart__weight_decibels(&losses->list.items.items[i], (enum npart__rounding)k,
                                       &losses->is_known[i * NPART__ROUNDINGS + k]);
    return NPART_OK;
}

npart_status npart_losses_make(npart_losses **out, const npart_model *model, struct npart_error *error)
{
    if (!out || !model)
        return npart__fail_null(!out ? "out" : "model", error);
    npart_losses *losses = npart__handle_new(sizeof *losses, &model->life->arena.allocator);
    if (!losses)
        return npart__fail_memory(error);
    npart__life_keep(losses->life, model->life);
    npart_status status =
        npart__weights_read(&model->own, model->path, &losses->life->arena, &losses->list, error);
    if (status == NPART_OK)
        status = fill(losses, error);
    return NPART__HAND_OVER(out, losses, status, error);
}

NPART__FREES(losses)

bool npart_losses_info(const npart_losses *losses, struct npart_losses_info *out)
{
    if (!losses || !NPART__HAS_ROOM(out))
        return false;
    *out = (struct npart_losses_info){.size = sizeof *out,
                                      .weight_count = losses->list.items.count,
                                      .bytes = losses->list.bytes,
                                      .allocator = &losses->life->arena.allocator};
    return true;
}

bool npart_losses_weight(const npart_losses *losses, uint32_t index, struct npart_weight_loss *out)
{
    if (!losses || index >= losses->list.items.count || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__weight *weight = &losses->list.items.items[index];
    *out = (struct npart_weight_loss){
        .size = sizeof *out,
        .name = weight->name,
        .node = weight->node,
        .op = weight->op,
        .rank = weight->rank,
        .dims = weight->dims,
        .elements = weight->elements,
        .bytes = weight->bytes,
        .zeros = weight->zeros,
        .beyond_float16 = weight->beyond_float16,
        .two_of_four = weight->groups_of_four ? (double)weight->two_of_four / (double)weight->groups_of_four : -1,
        .abs_max = weight->abs_max,
        .decibels = &losses->decibels[(size_t)index * NPART__ROUNDINGS],
        .is_known = &losses->is_known[(size_t)index * NPART__ROUNDINGS],
    };
    return true;
}

const char *npart_rounding_name(uint32_t index)
{
    static const char *const names[] = {
#define NPART__ROUNDING(id, name, levels, limit, group) name,
#include "weights/roundings.def"
#undef NPART__ROUNDING
    };
    return index < NPART__ROUNDINGS ? names[index] : NULL;
}
