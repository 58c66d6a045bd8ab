/* SPDX-License-Identifier: Apache-2.0
 *
 * What several JSON reports say in the same way: summaries and causes.
 */
#include "report/report.h"

/* The same numbers as in the text, and `null` where multiply-accumulates are not known. Of no multiply-accumulates
 * at all there is no share, so `mac_coverage` is null then, too. */
void npart__add_json_summary(struct npart__sheet *out, const struct npart_summary *at)
{
    npart__add_json_number(out, "{\"nodes\":", at->nodes);
    npart__add_json_number(out, ",\"folded\":", at->folded);
    npart__add_json_number(out, ",\"fused\":", at->fused);
    npart__add_json_number(out, ",\"live\":", at->live);
    npart__add_json_number(out, ",\"accepted\":", at->accepted);
    npart__add_json_number(out, ",\"refused\":", at->refused);
    npart__add_json_number(out, ",\"failed\":", at->failed);
    npart__add_json_number(out, ",\"unknown\":", at->unknown);
    npart__add_json_number(out, ",\"partitions\":", at->partitions);
    npart__add_json_number(out, ",\"partitions_if_unknown\":[", at->partitions_low);
    npart__add_json_number(out, ",", at->partitions_high);
    npart__add_json_number(out, "],\"switches\":", at->switches);
    npart__add_json_decimal(out, ",\"coverage\":", at->coverage);
    npart__add_json_count_or_null(out, ",\"macs\":", at->has_macs, at->macs);
    npart__add_json_count_or_null(out, ",\"macs_on_npu\":", at->has_macs, at->macs_on_npu);
    npart__add_json_decimal_or_null(out, ",\"mac_coverage\":", at->has_macs && at->macs ? at->mac_coverage : -1);
    npart__add_json_text(out, ",\"verdict\":", at->verdict);
    npart__add_text(out, "}");
}

/* `victims` is the schema's name for the number of affected nodes. `cuts` are the partitions that the cause ends; a
 * list of no nodes is that of a dynamic dimension, which lies at an input. */
void npart__add_json_cause(struct npart__sheet *out, uint32_t id, const struct npart_cause *at)
{
    npart__add_json_number(out, id ? ",{\"id\":" : "{\"id\":", id);
    npart__add_json_text(out, ",\"kind\":", at->kind);
    npart__add_json_ids(out, ",\"nodes\":", at->nodes, at->node_count);
    npart__add_json_number(out, ",\"victims\":", at->affected_count);
    npart__add_json_text(out, ",\"text\":", at->text);
    npart__add_json_text(out, ",\"rule\":", at->rule_id);
    npart__add_json_ids(out, ",\"cuts\":", at->cuts, at->cut_count);
    npart__add_json_decimal_or_null(out, ",\"cpu_ms\":", at->cpu_ms);
    npart__add_text(out, "}");
}
