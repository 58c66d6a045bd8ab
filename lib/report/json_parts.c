/* SPDX-License-Identifier: Apache-2.0
 *
 * What several JSON reports say in the same way: summaries and causes.
 */
#include "report/report.h"

static void number(struct npart__sheet *out, const char *key, int64_t value)
{
    npart__add_text(out, key);
    npart__add_number(out, value);
}

static void count_or_null(struct npart__sheet *out, const char *key, bool is_known, uint64_t count)
{
    npart__add_text(out, key);
    if (is_known)
        npart__add_number(out, count > INT64_MAX ? INT64_MAX : (int64_t)count);
    else
        npart__add_text(out, "null");
}

static void string(struct npart__sheet *out, const char *key, const char *value)
{
    npart__add_text(out, key);
    npart__add_json_string(out, value, strlen(value));
}

static void ids(struct npart__sheet *out, const char *key, const uint32_t *list, uint32_t count)
{
    npart__add_text(out, key);
    npart__add_text(out, "[");
    for (uint32_t i = 0; i < count; i++)
        number(out, i ? "," : "", list[i]);
    npart__add_text(out, "]");
}

/* The same numbers as in the text, and `null` where multiply-accumulates are not known. */
void npart__add_json_summary(struct npart__sheet *out, const struct npart_summary *at)
{
    number(out, "{\"nodes\":", at->nodes);
    number(out, ",\"folded\":", at->folded);
    number(out, ",\"fused\":", at->fused);
    number(out, ",\"live\":", at->live);
    number(out, ",\"accepted\":", at->accepted);
    number(out, ",\"refused\":", at->refused);
    number(out, ",\"failed\":", at->failed);
    number(out, ",\"unknown\":", at->unknown);
    number(out, ",\"partitions\":", at->partitions);
    number(out, ",\"partitions_if_unknown\":[", at->partitions_low);
    number(out, ",", at->partitions_high);
    number(out, "],\"switches\":", at->switches);
    npart__add_text(out, ",\"coverage\":");
    npart__add_decimal(out, at->coverage, 6);
    count_or_null(out, ",\"macs\":", at->has_macs, at->macs);
    count_or_null(out, ",\"macs_on_npu\":", at->has_macs, at->macs_on_npu);
    npart__add_text(out, ",\"mac_coverage\":");
    if (at->has_macs && at->macs)
        npart__add_decimal(out, at->mac_coverage, 6);
    else
        npart__add_text(out, "null");
    string(out, ",\"verdict\":", at->verdict);
    npart__add_text(out, "}");
}

/* `victims` is the schema's name for the number of affected nodes. */
void npart__add_json_cause(struct npart__sheet *out, uint32_t id, const struct npart_cause *at)
{
    number(out, id ? ",{\"id\":" : "{\"id\":", id);
    string(out, ",\"kind\":", at->kind);
    ids(out, ",\"nodes\":", at->nodes, at->node_count);
    number(out, ",\"victims\":", at->affected_count);
    string(out, ",\"text\":", at->text);
    string(out, ",\"rule\":", at->rule_id);
    ids(out, ",\"cuts\":", at->cuts, at->cut_count);
    npart__add_text(out, ",\"cpu_ms\":");
    if (at->cpu_ms < 0)
        npart__add_text(out, "null");
    else
        npart__add_decimal(out, at->cpu_ms, 6);
    npart__add_text(out, "}");
}
