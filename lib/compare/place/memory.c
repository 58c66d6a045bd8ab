/* SPDX-License-Identifier: Apache-2.0
 *
 * What the sessions of a placement hold together, each its weights and arenas, as they all stay loaded; and what is
 * enough where one at a time is loaded, for the price of loading. Weights are counted as npart__sum_weights does: once
 * for all uses of a model on a device, and once where models share them.
 */
#include "place/place.h"

/* Of one session, on its device. A cache of fixed size is among its boundary tensors. */
static void find_session(const struct npart__placed *part, struct npart_bytes *weights, struct npart_bytes *arenas)
{
    struct npart_memory at = {.size = sizeof at};
    bool is_npu = part->told.device == NPART_DEVICE_NPU;
    *weights = *arenas = (struct npart_bytes){0, true};
    if (!npart_plan_memory(is_npu ? npart__npu_plan(part) : part->plan, &at))
        return;
    *arenas = is_npu ? at.peak_npu : at.peak;
    *weights = is_npu ? at.weights_npu : (struct npart_bytes){at.weight_bytes, false};
    if (is_npu) {
        npart__add_size(arenas, at.peak_cpu);
        npart__add_size(weights, at.weights_cpu);
    }
}

/* Of the weights of models with a part on the device, the share that is not another's, too. */
static double share_of(const npart_placement *placement, enum npart_device device)
{
    uint64_t all = 0;
    for (uint32_t m = 0; m < placement->set.count; m++) {
        bool is_there = false;
        for (uint32_t i = placement->first_of[m]; i < placement->first_of[m + 1]; i++)
            is_there |= placement->parts[i].told.device == device;
        if (is_there)
            all = npart__sum_uint64(all, npart_inference_model(placement->set.models[m])->graph->weight_bytes);
    }
    return all ? (double)placement->info.weight_bytes[device] / (double)all : 1;
}

static void add_part(npart_placement *placement, uint32_t part, struct npart_bytes *counted)
{
    struct npart_placement_info *info = &placement->info;
    const struct npart__placed *at = &placement->parts[part];
    struct npart_bytes weights, arenas, alone;
    struct npart_cost cost = {.size = sizeof cost};
    if (at->told.device == NPART_DEVICES) {
        info->resident.is_partial = true;
        return;
    }
    find_session(at, &weights, &arenas);
    alone = weights;
    npart__add_size(&alone, arenas);
    if (alone.bytes > info->largest.bytes)
        info->largest.bytes = alone.bytes;
    info->largest.is_partial |= alone.is_partial;
    npart__add_size(&info->resident, arenas);
    info->resident.is_partial |= weights.is_partial;
    /* Two uses of a model on one device have its weights once: what the larger has. */
    uint64_t more = weights.bytes > counted->bytes ? weights.bytes - counted->bytes : 0;
    double share = share_of(placement, at->told.device);
    info->resident.bytes = npart__sum_uint64(info->resident.bytes, (uint64_t)((double)more * (share < 1 ? share : 1)));
    counted->bytes += more;
    if (at->told.device != NPART_DEVICE_NPU || info->load_ms < 0)
        return;
    bool is_known = npart_plan_cost(npart__npu_plan(at), &cost) && cost.cold.typical_ms >= 0;
    info->load_ms = is_known ? info->load_ms + cost.cold.typical_ms : -1;
}

void npart__sum_memory(npart_placement *placement, const struct npart_plan_options *options)
{
    struct npart_placement_info *info = &placement->info;
    struct npart_device_class device = {.size = sizeof device};
    for (uint32_t m = 0; m < placement->set.count; m++) {
        struct npart_bytes counted[NPART_DEVICES + 1] = {{0, false}};
        for (uint32_t i = placement->first_of[m]; i < placement->first_of[m + 1]; i++)
            add_part(placement, i, &counted[placement->parts[i].told.device]);
    }
    if (!options || options->version < 2)
        return;
    info->ram_bytes[0] = info->ram_bytes[1] = options->ram_bytes;
    for (uint32_t i = 0; options->device_class && npart_device_class(i, &device); i++)
        /* Where weights are in flash each part is judged alone. */
        if (strcmp(device.name, options->device_class) == 0 && !device.flash_bytes[1])
            for (uint32_t k = 0; k < 2; k++)
                info->ram_bytes[k] = device.ram_bytes[k];
    if (!info->ram_bytes[1])
        return;
    info->fits = info->resident.bytes > info->ram_bytes[1]                                   ? NPART_FIT_NO
                 : info->resident.is_partial || info->resident.bytes > info->ram_bytes[0] ? NPART_FIT_UNKNOWN
                                                                                          : NPART_FIT_YES;
}
