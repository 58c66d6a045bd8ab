/* SPDX-License-Identifier: Apache-2.0
 *
 * A placement as one line of JSON; docs/json.md, "Placement", says what each field means.
 */
#include "report/report.h"

#define PLACEMENT_SCHEMA 2

/* [low, typical, high], or null. Here a flag says what is known: a part that cannot run on a device has no cost
 * there. */
static void range(struct npart__sheet *out, const char *key, bool has, struct npart_cost_range value)
{
    const double numbers[] = {value.low_ms, value.typical_ms, value.high_ms};
    npart__add_text(out, key);
    npart__add_text(out, has ? "[" : "null");
    for (size_t i = 0; has && i < NPART__LENGTH(numbers); i++) {
        npart__add_text(out, i ? "," : "");
        npart__add_decimal(out, numbers[i], 6);
    }
    npart__add_text(out, has ? "]" : "");
}

/* The last one is NPART_DEVICES: not known. */
static void device(struct npart__sheet *out, const char *key, enum npart_device value)
{
    static const char *const names[] = {"\"npu\"", "\"cpu\"", "\"gpu\"", "null"};
    npart__add_text(out, key);
    npart__add_text(out, names[value]);
}

/* Its `id` is its place in the list, by which links refer to it. */
static void part(struct npart__sheet *out, uint32_t id, const struct npart_part *at)
{
    npart__add_json_count(out, id ? ",{\"id\":" : "{\"id\":", id);
    npart__add_json_text(out, ",\"part\":", at->name);
    npart__add_json_text_or_null(out, ",\"use\":", at->use);
    npart__add_json_count(out, ",\"runs\":", at->runs);
    npart__add_json_text(out, ",\"runs_from\":", at->runs_from);
    device(out, ",\"device\":", at->device);
    npart__add_json_flag(out, ",\"decided\":", at->is_decided);
    npart__add_json_text(out, ",\"why\":", at->why);
    range(out, ",\"costs\":{\"npu\":", at->has_cost[NPART_DEVICE_NPU], at->cost[NPART_DEVICE_NPU]);
    range(out, ",\"cpu\":", at->has_cost[NPART_DEVICE_CPU], at->cost[NPART_DEVICE_CPU]);
    range(out, ",\"gpu\":", at->has_cost[NPART_DEVICE_GPU], at->cost[NPART_DEVICE_GPU]);
    npart__add_json_flag(out, "},\"calibrated\":", at->is_calibrated);
    npart__add_json_text(out, ",\"verdict\":", at->verdict);
    npart__add_json_count(out, ",\"partitions\":", at->partitions);
    npart__add_json_decimal(out, ",\"coverage\":", at->coverage);
    npart__add_json_count(out, ",\"weight_bytes\":", at->weight_bytes);
    npart__add_text(out, ",\"dims\":{");
    for (uint32_t i = 0; i < at->dim_count; i++) {
        npart__add_json_text(out, i ? "," : "", at->dims[i].name);
        npart__add_json_count(out, ":", (uint64_t)at->dims[i].size);
    }
    npart__add_text(out, "}}");
}

/* Its cost is 0 and not null where the tensor stays on one device. */
static void link(struct npart__sheet *out, bool is_first, const struct npart_link *at)
{
    npart__add_json_count(out, is_first ? "{\"from\":" : ",{\"from\":", at->from);
    npart__add_json_text(out, ",\"output\":", at->output);
    npart__add_json_count(out, ",\"to\":", at->to);
    npart__add_json_text(out, ",\"input\":", at->input);
    npart__add_json_text(out, ",\"kind\":", at->kind);
    npart__add_json_text(out, ",\"origin\":", at->origin);
    npart__add_json_count_or_null(out, ",\"bytes\":", at->has_bytes, at->bytes);
    npart__add_json_count(out, ",\"times\":", at->times);
    npart__add_json_flag(out, ",\"crosses\":", at->crosses);
    range(out, ",\"cost\":", true, at->cost);
    npart__add_text(out, "}");
}

/* Closes the notes before it. What is transferred is a part of `as_placed`, and known where that is. */
static void total(struct npart__sheet *out, const struct npart_placement_info *info)
{
    range(out, "],\"total\":{\"as_placed\":", info->has_total, info->total);
    range(out, ",\"cpu\":", info->has_cpu, info->cpu);
    range(out, ",\"npu\":", info->has_npu, info->npu);
    range(out, ",\"transfers\":", info->has_total, info->transfers);
    npart__add_json_flag(out, ",\"calibrated\":", info->is_calibrated);
    npart__add_json_count(out, ",\"weight_bytes\":{\"npu\":", info->weight_bytes[NPART_DEVICE_NPU]);
    npart__add_json_count(out, ",\"cpu\":", info->weight_bytes[NPART_DEVICE_CPU]);
    npart__add_json_count(out, ",\"gpu\":", info->weight_bytes[NPART_DEVICE_GPU]);
    npart__add_text(out, "}}");
}

npart_status npart_report_placement_json(const npart_placement *placement, npart_write_callback write, void *payload,
                                         struct npart_error *error)
{
    struct npart__pool pool;
    struct npart__sheet out;
    struct npart_placement_info info = {.size = sizeof info};
    if (!npart_placement_info(placement, &info) || !write)
        return npart__report_fail(error, NPART_ERROR_ARGUMENT, "%s must not be NULL", write ? "placement" : "write");
    npart__report_open(&pool, &out, info.allocator, write, payload);
    npart__add_json_count(&out, "{\"schema\":", PLACEMENT_SCHEMA);
    npart__add_json_text(&out, ",\"tool\":{\"name\":\"npu-partition\",\"version\":", npart_version());
    npart__add_json_text(&out, "},\"target\":", info.target);
    npart__add_json_count(&out, ",\"tokens\":", info.tokens);
    npart__add_json_flag(&out, ",\"exact\":", info.is_exact);
    npart__add_text(&out, ",\"parts\":[");
    for (uint32_t i = 0; i < info.part_count; i++)
        part(&out, i, info.parts[i]);
    npart__add_text(&out, "],\"links\":[");
    for (uint32_t i = 0; i < info.link_count; i++)
        link(&out, i == 0, info.links[i]);
    npart__add_text(&out, "],\"notes\":[");
    for (uint32_t i = 0; i < info.note_count; i++)
        npart__add_json_text(&out, i ? "," : "", info.notes[i]);
    total(&out, &info);
    npart__add_json_text(&out, ",\"recommendation\":", info.recommendation);
    npart__add_text(&out, "}\n");
    return npart__report_close(&pool, &out, error);
}
