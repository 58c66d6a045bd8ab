/* SPDX-License-Identifier: Apache-2.0
 *
 * Public functions that read a model's weights.
 */
#include "api/api.h"
#include "weights/weights.h"

struct npart_losses {
    struct npart__life *life;
    const struct npart__weight_list *list; /* the model's */
};

/* Goes with the model, into its memory once all is read: what could not be read leaves nothing there. */
npart_status npart__model_weights(const npart_model *model, const struct npart__weight_list **out,
                                  struct npart_error *error)
{
    struct npart__life *life = model->life;
    struct npart__arena arena;
    npart_status status = NPART_OK;
    (void)pthread_mutex_lock(&life->lock);
    if (!life->along) {
        npart__arena_init(&arena, &life->arena.allocator);
        struct npart__weight_list *made = npart__arena_zeroed(&arena, 1, sizeof *made);
        status = made ? npart__weights_read(&model->own, model->path, &arena, made, error) : npart__fail_memory(error);
        life->along = status == NPART_OK ? made : NULL;
        if (life->along)
            npart__arena_take(&life->arena, &arena);
        npart__arena_clear(&arena);
    }
    *out = life->along;
    (void)pthread_mutex_unlock(&life->lock);
    return status;
}

npart_status npart_losses_make(npart_losses **out, const npart_model *model, struct npart_error *error)
{
    if (!out || !model)
        return npart__fail_null(!out ? "out" : "model", error);
    npart_losses *losses = npart__handle_new(sizeof *losses, &model->life->arena.allocator);
    if (!losses)
        return npart__fail_memory(error);
    npart__life_keep(losses->life, model->life);
    npart_status status = npart__model_weights(model, &losses->list, error);
    return NPART__HAND_OVER(out, losses, status, error);
}

NPART__FREES(losses)

bool npart_losses_info(const npart_losses *losses, struct npart_losses_info *out)
{
    if (!losses || !NPART__HAS_ROOM(out))
        return false;
    *out = (struct npart_losses_info){.size = sizeof *out,
                                      .weight_count = losses->list->items.count, .bytes = losses->list->bytes,
                                      .allocator = &losses->life->arena.allocator};
    return true;
}

bool npart_losses_weight(const npart_losses *losses, uint32_t index, struct npart_weight_loss *out)
{
    if (!losses || index >= losses->list->items.count || !NPART__HAS_ROOM(out))
        return false;
    *out = losses->list->items.items[index];
    return true;
}
