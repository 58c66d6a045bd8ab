/* SPDX-License-Identifier: Apache-2.0
 *
 * A plan beside a run, as text and JSON.
 */
#include <stdio.h>

#include "base/json.h"
#include "runs/runs.h"

#define SHOWN_DIFFERENCES 10u

struct report {
    struct npart__told told;
    const npart_verification *v;
    const struct npart_verification_names *names;
    bool is_verbose;
    const char *target; /* as it could be asked for again */
};

static const char *place_word(const struct npart__verified_node *node)
{
    return node->run == NPART__RUN_ON_NPU ? "npu" : node->run == NPART__RUN_ON_CPU ? "cpu" : "not told";
}

static const char *said(const struct npart__verified_node *node)
{
    return node->placed ? node->placed->reason : NULL;
}

/* ---- text ------------------------------------------------------------------------------------------------------ */

static void put_difference(struct report *report, uint32_t id)
{
    const struct npart__verified_node *node = &report->v->nodes[id];
    struct npart_node_plan planned = {.size = sizeof planned};
    struct npart_reason reason = {.size = sizeof reason};
    char name[512], found[512] = "";
    (void)npart_plan_node(report->v->plan, id, &planned);
    (void)npart_model_node_text(report->v->model, id, name, sizeof name);
    const char *without =
        node->run == NPART__RUN_ON_NPU ? " (which has no node on the CPU)" : " (which has no node on the NPU)";
    npart__tell_line(&report->told, "    %s: plan %s, run %s%s", name, npart_verdict_text(planned.verdict),
                     place_word(node), node->is_concluded ? without : "");
    /* What the plan has against the NPU: its first reason. */
    if (node->run == NPART__RUN_ON_NPU && npart_plan_reason(report->v->plan, id, 0, &reason, found, sizeof found))
        npart__tell_line(&report->told, "      the plan: %s%s%s (%s)", reason.text, *found ? "; found " : "", found,
                         reason.rule_id);
    if (node->run == NPART__RUN_ON_CPU && said(node))
        npart__tell_line(&report->told, "      the run: %s", said(node));
}

static void put_group(struct report *report, enum npart_agreement agreement, const char *heading)
{
    uint32_t most = report->is_verbose ? UINT32_MAX : SHOWN_DIFFERENCES, shown = 0;
    uint32_t count = report->v->info.nodes[agreement];
    if (count == 0)
        return;
    npart__tell_line(&report->told, "  %s", heading);
    for (uint32_t i = 0; i < report->v->node_count && shown < most; i++)
        if (report->v->nodes[i].agreement == agreement) {
            put_difference(report, i);
            shown++;
        }
    if (shown < count)
        npart__tell_line(&report->told, "    and %u more (--verbose)", count - shown);
}

static void put_partitions(struct report *report)
{
    const struct npart_verification_info *info = &report->v->info;
    if (info->partition_agreement == NPART_AGREEMENT_NONE && !info->has_run_partitions)
        npart__tell_line(&report->told, "  partitions: plan %u; the run does not tell", info->partitions);
    else if (info->partition_agreement == NPART_AGREEMENT_NONE)
        npart__tell_line(&report->told, "  partitions: plan %u, run %u; branches that did not run may hold more",
                         info->partitions, info->run_partitions);
    else if (info->partition_agreement == NPART_AGREEMENT_UNDECIDED)
        npart__tell_line(&report->told, "  partitions: plan %u (%u to %u with undecided nodes), run %u",
                         info->partitions, info->partitions_low, info->partitions_high, info->run_partitions);
    else
        npart__tell_line(&report->told, "  partitions: plan %u, run %u", info->partitions, info->run_partitions);
}

/* "Model or installation": told before the nodes, which all differ then. */
static void put_blame(struct report *report)
{
    const struct npart_verification_info *info = &report->v->info;
    if (info->blame == NPART_BLAME_NONE)
        return;
    npart__tell_line(&report->told, "  %s: %s",
                     info->blame == NPART_BLAME_INSTALLATION ? "INSTALLATION, not the model" : "PROVIDER",
                     info->blame_text);
    if (info->blame_check)
        npart__tell_line(&report->told, "    check: %s", info->blame_check);
}

static void put_head(struct report *report)
{
    const npart_run *run = report->v->run;
    struct npart__buffer providers;
    npart__buffer_init(&providers, &report->told.arena);
    for (uint32_t i = 0; i < run->provider_count; i++)
        npart__append_format(&providers, "%s%s", i ? ", " : "", run->providers[i]);
    npart__tell_line(&report->told, "%s", report->names->model);
    npart__tell_line(&report->told, "  against the %s %s (%.511s)", run->kind, report->names->run,
                     npart__buffer_text(&providers));
    npart__append_text(&report->told.out, "\n");
    npart__buffer_release(&providers);
}

static void put_counts(struct report *report)
{
    const struct npart_verification_info *info = &report->v->info;
    const uint32_t *nodes = info->nodes;
    char untold[64] = "";
    if (info->untold_cpu)
        (void)snprintf(untold, sizeof untold, " (%u of them on the CPU in the plan)", info->untold_cpu);
    npart__tell_line(&report->told,
                     "  nodes: %u placed the same, %u different, %u undecided in the plan, %u not told%s",
                     nodes[NPART_AGREEMENT_SAME], nodes[NPART_AGREEMENT_DIFFERENT], nodes[NPART_AGREEMENT_UNDECIDED],
                     nodes[NPART_AGREEMENT_NONE], untold);
    if (info->unmatched)
        npart__tell_line(&report->told, "  %u node%s of the run %s not in the model: made or renamed by the runtime",
                         info->unmatched, npart__plural(info->unmatched), info->unmatched == 1 ? "is" : "are");
}

static void put_text(struct report *report)
{
    const struct npart_verification_info *info = &report->v->info;
    const npart_run *run = report->v->run;
    char ms[48];
    put_head(report);
    const char *same = info->nodes[NPART_AGREEMENT_NONE] ? "SAME, as far as the run tells" : "SAME";
    npart__tell_line(&report->told, "%s  %s", report->target, info->is_same ? same : "DIFFERENT");
    put_partitions(report);
    put_counts(report);
    put_blame(report);
    if (run->runs)
        npart__tell_line(&report->told, "  %llu run%s of %s ms", (unsigned long long)run->runs,
                         npart__plural(run->runs),
                         npart__digits_text(ms, run->total_us / 1000 / (double)run->runs, 3, false));
    put_group(report, NPART_AGREEMENT_DIFFERENT, "Placed differently");
    put_group(report, NPART_AGREEMENT_UNDECIDED, "Undecided in the plan");
}

/* ---- JSON ------------------------------------------------------------------------------------------------------ */

static void put_reasons(struct report *report, uint32_t id)
{
    struct npart_reason reason = {.size = sizeof reason};
    struct npart__buffer *out = &report->told.out;
    char found[512];
    npart__json_open(out, "reasons", '[');
    for (uint32_t i = 0; npart_plan_reason(report->v->plan, id, i, &reason, found, sizeof found); i++) {
        npart__json_open(out, NULL, '{');
        npart__json_text(out, "gate", reason.gate);
        npart__json_text(out, "rule", reason.rule_id);
        npart__json_plain(&report->told, "text", reason.text);
        npart__json_plain(&report->told, "found", found);
        npart__json_plain(&report->told, "source", reason.source);
        npart__json_close(out, '}');
    }
    npart__json_close(out, ']');
}

static void put_node(struct report *report, uint32_t id)
{
    const struct npart__verified_node *node = &report->v->nodes[id];
    struct npart_node_plan planned = {.size = sizeof planned};
    struct npart_node facts = {.size = sizeof facts};
    struct npart__buffer *out = &report->told.out;
    char path[1024] = "";
    (void)npart_plan_node(report->v->plan, id, &planned);
    (void)npart_model_node(report->v->model, id, &facts);
    (void)npart_model_graph_path(report->v->model, facts.graph, path, sizeof path);
    npart__json_open(out, NULL, '{');
    npart__json_number(out, "index", facts.index);
    npart__json_plain(&report->told, "graph", path);
    npart__json_plain(&report->told, "name", facts.name);
    npart__json_plain(&report->told, "op", facts.op);
    npart__json_text(out, "plan", npart_verdict_text(planned.verdict));
    npart__json_text(out, "run", place_word(node));
    npart__json_flag(out, "named", !node->is_concluded);
    if (said(node))
        npart__json_plain(&report->told, "run_reason", said(node));
    else
        npart__json_value(out, "run_reason", "null");
    put_reasons(report, id);
    npart__json_close(out, '}');
}

static void put_nodes(struct report *report, enum npart_agreement agreement, const char *key)
{
    npart__json_open(&report->told.out, key, '[');
    for (uint32_t i = 0; i < report->v->node_count; i++)
        if (report->v->nodes[i].agreement == agreement)
            put_node(report, i);
    npart__json_close(&report->told.out, ']');
}

static void put_run(struct report *report)
{
    const npart_run *run = report->v->run;
    struct npart__buffer *out = &report->told.out;
    npart__json_open(out, "run", '{');
    npart__json_plain(&report->told, "path", report->names->run);
    npart__json_text(out, "kind", run->kind);
    npart__json_open(out, "providers", '[');
    for (uint32_t i = 0; i < run->provider_count; i++)
        npart__json_plain(&report->told, NULL, run->providers[i]);
    npart__json_close(out, ']');
    npart__json_count(out, "runs", run->runs);
    if (run->runs)
        npart__json_real(out, "ms", run->total_us / 1000 / (double)run->runs, 9);
    else
        npart__json_value(out, "ms", "null");
    npart__json_close(out, '}');
}

static void put_blame_json(struct report *report)
{
    const struct npart_verification_info *info = &report->v->info;
    struct npart__buffer *out = &report->told.out;
    if (info->blame == NPART_BLAME_NONE) {
        npart__json_value(out, "blame", "null");
        return;
    }
    npart__json_open(out, "blame", '{');
    npart__json_text(out, "what", info->blame == NPART_BLAME_INSTALLATION ? "installation" : "provider");
    npart__json_text(out, "provider", info->blame_provider);
    npart__json_text(out, "text", info->blame_text);
    npart__json_text_or_null(out, "check", info->blame_check);
    npart__json_close(out, '}');
}

static void put_json(struct report *report)
{
    const struct npart_verification_info *info = &report->v->info;
    struct npart__buffer *out = &report->told.out;
    npart__json_open(out, NULL, '{');
    npart__json_number(out, "schema", 2);
    npart__json_text(out, "command", "verify");
    npart__json_plain(&report->told, "model", report->names->model);
    npart__json_text(out, "target", report->target);
    put_run(report);
    npart__json_flag(out, "same", info->is_same);
    put_blame_json(report);
    npart__json_open(out, "partitions", '{');
    npart__json_number(out, "plan", info->partitions);
    npart__json_count_or_null(out, "run", info->has_run_partitions, info->run_partitions);
    npart__json_close(out, '}');
    npart__json_open(out, "nodes", '{');
    npart__json_number(out, "same", info->nodes[NPART_AGREEMENT_SAME]);
    npart__json_number(out, "different", info->nodes[NPART_AGREEMENT_DIFFERENT]);
    npart__json_number(out, "undecided", info->nodes[NPART_AGREEMENT_UNDECIDED]);
    npart__json_number(out, "not_told", info->nodes[NPART_AGREEMENT_NONE]);
    npart__json_number(out, "not_told_cpu", info->untold_cpu);
    npart__json_number(out, "not_in_model", info->unmatched);
    npart__json_close(out, '}');
    put_nodes(report, NPART_AGREEMENT_DIFFERENT, "different");
    put_nodes(report, NPART_AGREEMENT_UNDECIDED, "undecided");
    npart__json_close(out, '}');
    npart__append_text(out, "\n");
}

/* ---- both ------------------------------------------------------------------------------------------------------ */

static npart_status write_report(struct report *report, void (*put)(struct report *report), npart_write_callback write,
                                 void *payload, struct npart_error *error)
{
    struct npart_plan_info info = {.size = sizeof info};
    if (!report->v || !report->names || !report->names->model || !report->names->run || !write)
        return npart__fail_null(!report->v ? "verification" : !write ? "write" : "names", error);
    (void)npart_plan_info(report->v->plan, &info);
    report->target = info.target;
    npart__buffer_open(&report->told.out, &report->told.arena, &report->v->life->arena.allocator, write, payload);
    put(report);
    return npart__buffer_end(&report->told.out, write, payload, NPART_OK, error);
}

npart_status npart_verification_text(const npart_verification *verification,
                                     const struct npart_verification_names *names, bool is_verbose,
                                     npart_write_callback write, void *payload, struct npart_error *error)
{
    struct report report = {.v = verification, .names = names, .is_verbose = is_verbose};
    return write_report(&report, put_text, write, payload, error);
}

npart_status npart_verification_json(const npart_verification *verification,
                                     const struct npart_verification_names *names, npart_write_callback write,
                                     void *payload, struct npart_error *error)
{
    struct report report = {.v = verification, .names = names};
    return write_report(&report, put_json, write, payload, error);
}
