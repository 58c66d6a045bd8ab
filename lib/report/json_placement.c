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

/* Its `id` is its place in the list, by which links refer to it. */
static void part(struct npart__buffer *out, uint32_t id, const struct npart_part *at)
{
    npart__json_open(out, NULL, '{');
    npart__json_count(out, "id", id);
    npart__json_text(out, "part", at->name);
    npart__json_text_or_null(out, "use", at->use);
    npart__json_count(out, "runs", at->runs);
    npart__json_text(out, "runs_from", npart_runs_from_text(at->runs_from));
    device(out, "device", at->device);
    npart__json_flag(out, "decided", at->is_decided);
    npart__json_text(out, "why", at->why);
    npart__json_open(out, "costs", '{');
    npart__json_range(out, "npu", at->has_cost[NPART_DEVICE_NPU], at->cost[NPART_DEVICE_NPU]);
    npart__json_range(out, "cpu", at->has_cost[NPART_DEVICE_CPU], at->cost[NPART_DEVICE_CPU]);
    npart__json_range(out, "gpu", at->has_cost[NPART_DEVICE_GPU], at->cost[NPART_DEVICE_GPU]);
    npart__json_close(out, '}');
    npart__json_flag(out, "calibrated", at->is_calibrated);
    npart__json_text(out, "verdict", npart_plan_verdict_text(at->verdict));
    npart__json_count(out, "partitions", at->partitions);
    npart__json_decimal(out, "coverage", at->coverage);
    npart__json_count(out, "weight_bytes", at->weight_bytes);
    npart__json_open(out, "dims", '{');
    for (uint32_t i = 0; i < at->dim_count; i++) {
        npart__json_name(out, at->dims[i].name);
        npart__json_count(out, NULL, (uint64_t)at->dims[i].size);
    }
    npart__json_close(out, '}');
    npart__json_close(out, '}');
}

/* Its cost is 0 and not null where the tensor stays on one device. */
static void link(struct npart__buffer *out, const struct npart_link *at)
{
    npart__json_open(out, NULL, '{');
    npart__json_count(out, "from", at->from);
    npart__json_text(out, "output", at->output);
    npart__json_count(out, "to", at->to);
    npart__json_text(out, "input", at->input);
    npart__json_text(out, "kind", npart_link_kind_text(at->kind));
    npart__json_text(out, "origin", npart_link_origin_text(at->origin));
    npart__json_count_or_null(out, "bytes", at->has_bytes, at->bytes);
    npart__json_count(out, "times", at->times);
    npart__json_flag(out, "crosses", at->crosses);
    npart__json_range(out, "cost", true, at->cost);
    npart__json_close(out, '}');
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
        link(out, info.links[i]);
    npart__json_close(out, ']');
    npart__json_open(out, "notes", '[');
    for (uint32_t i = 0; i < info.note_count; i++)
        npart__json_text(out, NULL, info.notes[i]);
    npart__json_close(out, ']');
    total(out, &info);
    npart__json_text(out, "recommendation", info.recommendation);
    npart__append_text(out, "}\n");
}
