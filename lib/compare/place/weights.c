/* SPDX-License-Identifier: Apache-2.0
 *
 * What the weights of a set take on each device. A model's count once, whichever of its uses run there; so do those
 * that several models refer to in one file of external data, as a decoder for the prompt and one for the tokens after.
 */
#include <inttypes.h>

#include "base/base.h"
#include "base/platform.h"
#include "place/place.h"

struct counting {
    struct npart__arena *arena;
    struct npart__strings places; /* of external data */
    struct NPART__ARRAY(uint32_t) first_of; /* by place: the model that it was first seen in */
    uint64_t shared; /* bytes of the model at hand that another has, too */
};

/* A file by what it is, and not by a name, of which it may have several; by its name where it is not there. */
static const char *file_of(const struct counting *counting, const struct npart__graph *graph, const char *location)
{
    struct npart__file_status status;
    const char *folder = graph->folder ? graph->folder : ".";
    const char *path = npart__arena_format(counting->arena, "%s/%s", folder, location);
    if (!path || !npart__path_status(path, &status))
        return path;
    return npart__arena_format(counting->arena, "%" PRIu64 ":%" PRIu64, status.device, status.inode);
}

/* `file` is that of the tensor before, by the text of its location: all weights of a model are in one, mostly. */
static bool add_tensor(struct counting *counting, uint32_t model, const struct npart__tensor *tensor,
                       const struct npart__external *at, const char *file)
{
    struct npart__buffer place = {.arena = counting->arena};
    npart__append_format(&place, "%s %" PRIu64 " %" PRIu64, file, at->offset, tensor->bytes);
    const char *text = npart__made_text(&place);
    uint32_t id = text ? npart__intern_text(&counting->places, text) : NPART_NONE;
    while (id != NPART_NONE && counting->first_of.count <= id)
        if (!NPART__PUSH(counting->arena, &counting->first_of, model))
            return false;
    if (id != NPART_NONE && counting->first_of.items[id] != model)
        counting->shared = npart__sum_uint64(counting->shared, tensor->bytes);
    return id != NPART_NONE;
}

/* Linear in the model's tensors. */
static bool add_model(struct counting *counting, uint32_t model, const struct npart__graph *graph)
{
    const char *location = NULL, *file = NULL;
    counting->shared = 0;
    for (uint32_t i = 0; i < graph->values.count; i++) {
        const struct npart__tensor *tensor = graph->values.items[i].tensor;
        struct npart__external at;
        if (!tensor || !npart__tensor_external(tensor, &at))
            continue;
        if (!location || strcmp(location, at.location) != 0)
            file = file_of(counting, graph, at.location);
        location = at.location;
        if (!file || !add_tensor(counting, model, tensor, &at, file))
            return false;
    }
    return true;
}

static bool is_there(const npart_placement *placement, uint32_t model, enum npart_device device)
{
    for (uint32_t i = placement->first_of[model]; i < placement->first_of[model + 1]; i++)
        if (placement->parts[i].told.device == device)
            return true;
    return false;
}

/* "Everything on one device" may not fit in its memory, which a placement does not judge: it tells the sums. */
bool npart__sum_weights(npart_placement *placement)
{
    bool ok = true;
    for (enum npart_device d = 0; ok && d < NPART_DEVICES; d++) {
        struct npart__arena scratch;
        struct counting counting = {.arena = &scratch};
        npart__arena_init(&scratch, &placement->life->arena.allocator);
        ok = npart__strings_init(&counting.places, &scratch);
        for (uint32_t m = 0; ok && m < placement->set.count; m++) {
            const struct npart__graph *graph = npart_inference_model(placement->set.models[m])->graph;
            if (!is_there(placement, m, d))
                continue;
            ok = add_model(&counting, m, graph);
            uint64_t *sum = &placement->info.weight_bytes[d];
            *sum = npart__sum_uint64(*sum, graph->weight_bytes - (counting.shared < graph->weight_bytes
                                                                      ? counting.shared
                                                                      : graph->weight_bytes));
        }
        npart__arena_clear(&scratch);
    }
    return ok;
}
