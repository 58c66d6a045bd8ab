/* SPDX-License-Identifier: Apache-2.0
 *
 * What several JSON reports say in the same way: their beginning, summaries, causes and times.
 */
#include "report/report.h"

/* The object is closed by the caller, with a line end. */
void npart__json_begin(struct npart__buffer *out, int64_t schema)
{
    npart__json_open(out, NULL, '{');
    npart__json_number(out, "schema", schema);
    npart__json_open(out, "tool", '{');
    npart__json_text(out, "name", "npu-partition");
    npart__json_text(out, "version", npart_version());
    npart__json_close(out, '}');
}

void npart__json_range(struct npart__buffer *out, const char *key, bool is_known, struct npart_cost_range value)
{
    if (!is_known) {
        npart__json_value(out, key, "null");
        return;
    }
    npart__json_open(out, key, '[');
    npart__json_decimal_or_null(out, NULL, value.low_ms);
    npart__json_decimal_or_null(out, NULL, value.typical_ms);
    npart__json_decimal_or_null(out, NULL, value.high_ms);
    npart__json_close(out, ']');
}

/* The same numbers as in the text, and `null` where multiply-accumulates are not known. Of no multiply-accumulates
 * at all there is no share, so `mac_coverage` is null then, too. */
void npart__add_json_summary(struct npart__buffer *out, const char *key, const struct npart_summary *at)
{
    npart__json_open(out, key, '{');
    npart__json_number(out, "nodes", at->nodes);
    npart__json_number(out, "folded", at->folded);
    npart__json_number(out, "fused", at->fused);
    npart__json_number(out, "live", at->live);
    npart__json_number(out, "accepted", at->accepted);
    npart__json_number(out, "refused", at->refused);
    npart__json_number(out, "failed", at->failed);
    npart__json_number(out, "unknown", at->unknown);
    npart__json_number(out, "partitions", at->partitions);
    npart__json_open(out, "partitions_if_unknown", '[');
    npart__json_number(out, NULL, at->partitions_low);
    npart__json_number(out, NULL, at->partitions_high);
    npart__json_close(out, ']');
    npart__json_number(out, "switches", at->switches);
    npart__json_decimal(out, "coverage", at->coverage);
    npart__json_count_or_null(out, "macs", at->has_macs, at->macs);
    npart__json_count_or_null(out, "macs_on_npu", at->has_macs, at->macs_on_npu);
    npart__json_decimal_or_null(out, "mac_coverage", at->has_macs && at->macs ? at->mac_coverage : -1);
    npart__json_text(out, "verdict", npart_plan_verdict_text(at->verdict));
    npart__json_close(out, '}');
}

/* `victims` is the schema's name for the number of affected nodes. `cuts` are the partitions that the cause ends; a
 * list of no nodes is that of a dynamic dimension, which lies at an input. */
void npart__add_json_cause(struct npart__buffer *out, uint32_t id, const struct npart_cause *at)
{
    npart__json_open(out, NULL, '{');
    npart__json_number(out, "id", id);
    npart__json_text(out, "kind", npart_cause_kind_text(at->kind));
    npart__json_ids(out, "nodes", at->nodes, at->node_count);
    npart__json_number(out, "victims", at->affected_count);
    npart__json_text(out, "text", at->text);
    npart__json_text(out, "rule", at->rule_id);
    npart__json_ids(out, "cuts", at->cuts, at->cut_count);
    npart__json_decimal_or_null(out, "cpu_ms", at->cpu_ms);
    npart__json_close(out, '}');
}
