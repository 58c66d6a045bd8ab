/* SPDX-License-Identifier: Apache-2.0
 *
 * A placement as one line of JSON; docs/json.md, "Placement", says what each field means.
 */
#include "report/report.h"

#define PLACEMENT_SCHEMA 2

/* The last one is NPART_DEVICES: not known. */
static void device(struct npart__buffer *out, const char *key, enum npart_device value)
{
    static const char *const names[] = {"npu", "cpu", "gpu", NULL};
    npart__json_text_or_null(out, key, names[value]);
}

static void costs(struct npart__buffer *out, const char *key, const struct npart_part *at)
{
    struct npart__object object = npart__open_costs(out, key, at);
    npart__json_range(out, npart__own(&object, "npu"), at->has_cost[NPART_DEVICE_NPU], at->cost[NPART_DEVICE_NPU]);
    npart__json_range(out, npart__own(&object, "cpu"), at->has_cost[NPART_DEVICE_CPU], at->cost[NPART_DEVICE_CPU]);
    npart__json_range(out, npart__own(&object, "gpu"), at->has_cost[NPART_DEVICE_GPU], at->cost[NPART_DEVICE_GPU]);
    npart__object_close(&object);
}

/* Its `id` is its place in the list, by which links refer to it. */
static void part(struct npart__buffer *out, uint32_t id, const struct npart_part *at)
{
    struct npart__object object = npart__open_part(out, NULL, at);
    npart__json_count(out, npart__own(&object, "id"), id);
    device(out, npart__own(&object, "device"), at->device);
    costs(out, npart__own(&object, "costs"), at);
    npart__json_open(out, npart__own(&object, "dims"), '{');
    for (uint32_t i = 0; i < at->dim_count; i++) {
        npart__json_name(out, at->dims[i].name);
        npart__json_count(out, NULL, (uint64_t)at->dims[i].size);
    }
    npart__json_close(out, '}');
    npart__object_close(&object);
}

/* What is transferred is a part of `as_placed`, and known where that is. */
static void total(struct npart__buffer *out, const struct npart_placement_info *info)
{
    npart__json_open(out, "total", '{');
    npart__json_range(out, "as_placed", info->has_total, info->total);
    npart__json_range(out, "cpu", info->has_cpu, info->cpu);
    npart__json_range(out, "npu", info->has_npu, info->npu);
    npart__json_range(out, "transfers", info->has_total, info->transfers);
    npart__json_flag(out, "calibrated", info->is_calibrated);
    npart__json_open(out, "weight_bytes", '{');
    npart__json_count(out, "npu", info->weight_bytes[NPART_DEVICE_NPU]);
    npart__json_count(out, "cpu", info->weight_bytes[NPART_DEVICE_CPU]);
    npart__json_count(out, "gpu", info->weight_bytes[NPART_DEVICE_GPU]);
    npart__json_close(out, '}');
    npart__json_close(out, '}');
}

void npart__placement_json(struct npart__report *report)
{
    struct npart__buffer *out = &report->out;
    struct npart_placement_info info = {.size = sizeof info};
    (void)npart_placement_info(report->subject->placement, &info);
    npart__json_begin(out, PLACEMENT_SCHEMA);
    npart__json_text(out, "target", info.target);
    npart__json_count(out, "tokens", info.tokens);
    npart__json_flag(out, "exact", info.is_exact);
    npart__json_open(out, "parts", '[');
    for (uint32_t i = 0; i < info.part_count; i++)
        part(out, i, info.parts[i]);
    npart__json_close(out, ']');
    npart__json_open(out, "links", '[');
    for (uint32_t i = 0; i < info.link_count; i++)
        npart__put_link(out, NULL, info.links[i]);
    npart__json_close(out, ']');
    npart__json_open(out, "notes", '[');
    for (uint32_t i = 0; i < info.note_count; i++)
        npart__json_text(out, NULL, info.notes[i]);
    npart__json_close(out, ']');
    total(out, &info);
    npart__json_text(out, "recommendation", info.recommendation);
    npart__append_text(out, "}\n");
}
