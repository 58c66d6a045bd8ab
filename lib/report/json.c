/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON report: one line a model. docs/json.md says what each field means; `schema` counts up when one changes.
 */
#include "report/report.h"

#define JSON_SCHEMA 1

/* What is the same for many lines of one report. */
struct json {
    struct npart__buffer *out;
    const struct npart__plan *plan;
    const struct npart__graph *graph;
    const char **paths; /* by scope, as JSON strings */
    const char **rules; /* by the plan's rule: what is said of it wherever it did not hold; NULL: not yet */
    const char *folds[NPART__FATES]; /* the same of folded nodes */
    struct node_text *nodes; /* what every target says of each node; NULL: there is but one target */
};

/* The beginning and end of a node's line, the verdict being between them. */
struct node_text {
    const char *head, *tail;
    size_t head_length, tail_length;
};

/* ---- pieces ------------------------------------------------------------------------------------------------ */

static void text(struct json *json, const char *literal)
{
    npart__append_text(json->out, literal);
}

static void string(struct json *json, const char *value)
{
    npart__append_json_string(json->out, value, strlen(value));
}

static void number(struct json *json, const char *key, int64_t value)
{
    text(json, key);
    npart__append_int64(json->out, value);
}

static void id_or_null(struct json *json, const char *key, uint32_t id)
{
    text(json, key);
    if (id == NPART_NONE)
        text(json, "null");
    else
        npart__append_int64(json->out, id);
}

static void ids(struct json *json, const char *key, const uint32_t *list, uint32_t count)
{
    text(json, key);
    text(json, "[");
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            text(json, ",");
        npart__append_int64(json->out, list[i]);
    }
    text(json, "]");
}

static void value_names(struct json *json, const char *key, const uint32_t *list, uint32_t count)
{
    text(json, key);
    text(json, "[");
    for (uint32_t i = 0; i < count; i++) {
        if (i)
            text(json, ",");
        string(json, npart__value_name(json->graph, list[i]));
    }
    text(json, "]");
}

static void range(struct json *json, const char *key, struct npart__range value)
{
    const double numbers[] = {value.low, value.typical, value.high};
    text(json, key);
    text(json, "[");
    for (size_t i = 0; i < NPART__COUNT(numbers); i++) {
        if (i)
            text(json, ",");
        npart__append_fixed(json->out, numbers[i], 6);
    }
    text(json, "]");
}

/* ---- the model --------------------------------------------------------------------------------------------- */

static void findings(struct json *json, const struct npart__finding *list, uint32_t count, bool *is_first)
{
    for (uint32_t i = 0; i < count; i++) {
        text(json, *is_first ? "{\"code\":" : ",{\"code\":");
        *is_first = false;
        string(json, list[i].code);
        text(json, ",\"text\":");
        string(json, list[i].text);
        text(json, ",\"at\":");
        string(json, list[i].at);
        text(json, "}");
    }
}

static void model(struct json *json)
{
    const struct npart__graph *graph = json->graph;
    bool is_first = true;
    text(json, "\"findings\":[");
    findings(json, graph->findings.items, graph->findings.count, &is_first);
    findings(json, json->plan->asked->findings.items, json->plan->asked->findings.count, &is_first);
    text(json, "],\"model\":{\"path\":");
    string(json, json->plan->model_name);
    number(json, ",\"ir_version\":", graph->ir_version);
    text(json, ",\"producer\":");
    string(json, graph->producer_name);
    text(json, ",\"opsets\":{");
    for (uint32_t i = 0; i < graph->opset_count; i++) {
        if (i)
            text(json, ",");
        string(json, graph->opsets[i].domain);
        number(json, ":", graph->opsets[i].version);
    }
    number(json, "},\"nodes\":", npart__model_nodes(graph));
    npart__append_format(json->out, ",\"bytes\":%llu,\"weight_bytes\":%llu}", (unsigned long long)graph->input_bytes,
                         (unsigned long long)graph->weight_bytes);
}

/* ---- nodes ------------------------------------------------------------------------------------------------- */

static void reason(struct json *json, const char *gate, const char *rule, const char *sentence, const char *source)
{
    text(json, "{\"gate\":");
    string(json, gate);
    text(json, ",\"rule\":");
    string(json, rule);
    text(json, ",\"text\":");
    string(json, sentence);
    text(json, ",\"source\":");
    string(json, source);
    text(json, ",\"found\":");
}

/* What is a reason for many nodes is put together once: `made` is where it is kept. */
static void reason_once(struct json *json, const char **made, const char *gate, const char *rule,
                        const char *sentence, const char *source)
{
    if (!*made) {
        struct npart__buffer text;
        struct json once = {.out = &text};
        npart__buffer_init(&text, json->out->arena);
        reason(&once, gate, rule, sentence, source);
        *made = npart__buffer_text(&text);
        json->out->failed |= text.failed;
    }
    text(json, *made);
}

static void rule_reason(struct json *json, uint32_t id)
{
    const struct npart__oplist *oplist = json->plan->target.oplist;
    const struct npart__rule *rule = &oplist->rules.items[id];
    reason_once(json, &json->rules[id], npart__gate_word(oplist, id), rule->id, rule->sentence, rule->source);
}

static void fold_reason(struct json *json, enum npart__fate why, uint32_t into)
{
    char place[160] = "";
    if (into != NPART_NONE)
        npart__describe_node(json->graph, into, place, sizeof place);
    reason_once(json, &json->folds[why], "fold", npart__fate_word(why), npart__fate_sentence(why), "");
    string(json, place);
    text(json, "}");
}

static void node_reasons(struct json *json, uint32_t node)
{
    const struct npart__plan *plan = json->plan;
    const struct npart__oplist *oplist = plan->target.oplist;
    struct npart__buffer found;
    npart__buffer_init(&found, json->out->arena);
    for (uint32_t i = plan->mask.first_reason[node]; i < plan->mask.first_reason[node + 1]; i++) {
        const struct npart__reason *at = &plan->mask.reasons.items[i];
        const struct npart__rule *rule = &oplist->rules.items[at->rule];
        if (i > plan->mask.first_reason[node])
            text(json, ",");
        rule_reason(json, at->rule);
        found.size = 0;
        (void)npart__rule_found(&plan->target, &plan->session, at->rule, node, &found);
        npart__append_json_string(json->out, found.data ? found.data : "", found.size);
        text(json, rule->kind == NPART__RULE_NOTE      ? ",\"outcome\":\"note\"}"
                   : at->truth == NPART__MAYBE ? ",\"outcome\":\"unknown\"}"
                   : rule->is_fatal            ? ",\"outcome\":\"fail\"}"
                                               : ",\"outcome\":\"no\"}");
    }
    json->out->failed |= found.failed;
    npart__arena_release(json->out->arena, found.data);
}

static void node_head(struct json *json, uint32_t id)
{
    const struct npart__node *at = &json->graph->nodes.items[id];
    number(json, id ? ",{\"index\":" : "{\"index\":", at->index);
    text(json, ",\"graph\":");
    text(json, json->paths[at->scope]);
    text(json, ",\"name\":");
    string(json, at->name);
    text(json, ",\"op\":");
    string(json, npart__node_op(json->graph, at));
    text(json, ",\"domain\":");
    string(json, npart__text(&json->graph->strings, at->written_domain));
    text(json, ",\"verdict\":\"");
}

/* Where in the exporter's source it comes from. */
static void node_tail(struct json *json, uint32_t id)
{
    struct npart__origin at;
    npart__node_origin(&json->graph->nodes.items[id], &at);
    text(json, ",\"at\":{");
    if (at.file) {
        text(json, "\"file\":");
        npart__append_json_string(json->out, at.file, at.file_length);
        number(json, ",\"line\":", at.line);
    }
    if (at.module) {
        text(json, at.file ? ",\"module\":" : "\"module\":");
        npart__append_json_string(json->out, at.module, at.module_length);
    }
    text(json, "}}");
}

static void node(struct json *json, uint32_t id)
{
    static const char *const verdicts[] = {"cpu", "npu", "fail", "unknown"};
    const struct npart__plan *plan = json->plan;
    enum npart__fate why = (enum npart__fate)plan->session.fates[id];
    bool is_live = why == NPART__FATE_LIVE;
    if (json->nodes)
        npart__append(json->out, json->nodes[id].head, json->nodes[id].head_length);
    else
        node_head(json, id);
    text(json, is_live ? verdicts[plan->mask.verdicts[id]] : why == NPART__FATE_FUSED ? "fused" : "folded");
    id_or_null(json, "\",\"into\":", npart__fused_into(&plan->session, id));
    id_or_null(json, ",\"partition\":", plan->partitioning.partition_of[id]);
    text(json, ",\"reasons\":[");
    if (is_live)
        node_reasons(json, id);
    else
        fold_reason(json, why, npart__fused_into(&plan->session, id));
    id_or_null(json, "],\"cause\":", plan->causes.cause_of[id]);
    if (json->nodes)
        npart__append(json->out, json->nodes[id].tail, json->nodes[id].tail_length);
    else
        node_tail(json, id);
}

/* ---- a target ---------------------------------------------------------------------------------------------- */

static void summary(struct json *json, const struct npart_summary *at)
{
    number(json, "{\"nodes\":", at->nodes);
    number(json, ",\"folded\":", at->folded);
    number(json, ",\"fused\":", at->fused);
    number(json, ",\"live\":", at->live);
    number(json, ",\"accepted\":", at->accepted);
    number(json, ",\"refused\":", at->refused);
    number(json, ",\"failed\":", at->failed);
    number(json, ",\"unknown\":", at->unknown);
    number(json, ",\"partitions\":", at->partitions);
    number(json, ",\"partitions_if_unknown\":[", at->partitions_low);
    number(json, ",", at->partitions_high);
    number(json, "],\"switches\":", at->switches);
    text(json, ",\"coverage\":");
    npart__append_fixed(json->out, at->coverage, 6);
    text(json, ",\"verdict\":");
    string(json, at->verdict);
    text(json, "}");
}

static void partition(struct json *json, uint32_t id)
{
    const struct npart__partitioning *partitioning = &json->plan->partitioning;
    const struct npart__partition *at = &partitioning->partitions.items[id];
    const uint32_t *lists = partitioning->lists.items;
    number(json, id ? ",{\"id\":" : "{\"id\":", id);
    text(json, ",\"graph\":");
    text(json, json->paths[at->region]);
    ids(json, ",\"nodes\":", lists + at->first_member, at->member_count);
    value_names(json, ",\"inputs\":", lists + at->first_input, at->input_count);
    value_names(json, ",\"outputs\":", lists + at->first_output, at->output_count);
    ids(json, ",\"cause_of_end\":", lists + at->first_end, at->end_count);
    value_names(json, ",\"cut_behind\":", lists + at->first_cut, at->cut_count);
    text(json, "}");
}

static void cause(struct json *json, uint32_t id)
{
    const struct npart__causes *causes = &json->plan->causes;
    const struct npart__cause *at = &causes->items.items[id];
    number(json, id ? ",{\"id\":" : "{\"id\":", id);
    text(json, ",\"kind\":");
    string(json, npart__about_word((enum npart__rule_about)at->about));
    const uint32_t *lists = causes->lists.items; /* NULL where no cause has a list */
    ids(json, ",\"nodes\":", at->node_count ? lists + at->first_node : NULL, at->node_count);
    number(json, ",\"victims\":", at->victim_count);
    text(json, ",\"text\":");
    string(json, at->text);
    text(json, ",\"rule\":");
    string(json, json->plan->target.oplist->rules.items[at->rule].id);
    ids(json, ",\"cuts\":", at->cut_count ? lists + at->first_cut : NULL, at->cut_count);
    text(json, "}");
}

static void crossing(struct json *json, uint32_t index)
{
    const struct npart__plan *plan = json->plan;
    const struct npart__crossing *at = &plan->partitioning.crossings.items[index];
    text(json, index ? ",{\"tensor\":" : "{\"tensor\":");
    string(json, npart__value_name(json->graph, at->value));
    id_or_null(json, ",\"from\":", at->from);
    id_or_null(json, ",\"to\":", at->to);
    text(json, ",\"bytes\":");
    if (at->bytes == UINT64_MAX)
        text(json, "null");
    else
        npart__append_format(json->out, "%llu", (unsigned long long)at->bytes);
    text(json, ",\"layout\":");
    string(json, plan->cost.is_native[at->value] ? plan->target.oplist->layout : "plain");
    text(json, "}");
}

static void cost(struct json *json)
{
    const struct npart__cost *at = &json->plan->cost;
    text(json, ",\"cost\":{\"low_ms\":");
    npart__append_fixed(json->out, at->total_ms.low, 6);
    text(json, ",\"typical_ms\":");
    npart__append_fixed(json->out, at->total_ms.typical, 6);
    text(json, ",\"high_ms\":");
    npart__append_fixed(json->out, at->total_ms.high, 6);
    text(json, at->is_calibrated ? ",\"calibrated\":true" : ",\"calibrated\":false");
    npart__append_format(json->out, ",\"bytes_to_npu\":%llu,\"bytes_to_cpu\":%llu",
                         (unsigned long long)at->bytes_to_npu, (unsigned long long)at->bytes_to_cpu);
    number(json, ",\"unknown_sizes\":", at->unknown_sizes);
    number(json, ",\"layout_conversions\":", at->conversions);
    range(json, ",\"parts\":{\"switch\":", at->switch_ms);
    range(json, ",\"copy\":", at->copy_ms);
    range(json, ",\"layout\":", at->layout_ms);
    text(json, ",\"quantize\":[],\"cpu\":[],\"npu_compute\":[],\"npu_bandwidth\":[]}}");
}

static void if_fixed(struct json *json, const struct npart__plan *fixed)
{
    if (!fixed)
        return;
    text(json, ",\"if_fixed\":{\"dims\":{");
    for (uint32_t i = 0; i < fixed->binding_count; i++) {
        if (i)
            text(json, ",");
        string(json, fixed->bindings[i].name);
        number(json, ":", fixed->bindings[i].value);
    }
    text(json, "},\"summary\":");
    summary(json, &fixed->summary);
    text(json, "}");
}

static void switches_on(struct json *json)
{
    const struct npart__target *target = &json->plan->target;
    bool is_first = true;
    text(json, ",\"switches_on\":[");
    for (uint32_t i = 0; i < target->oplist->switches.count; i++) {
        if (!(target->switches >> i & 1))
            continue;
        text(json, is_first ? "" : ",");
        string(json, target->oplist->switches.items[i]);
        is_first = false;
    }
    text(json, "]");
}

static void target(struct json *json, const struct npart__plan *fixed)
{
    const struct npart__plan *plan = json->plan;
    const struct npart__oplist *oplist = plan->target.oplist;
    text(json, "{\"target\":");
    string(json, oplist->name);
    text(json, ",\"variant\":");
    string(json, plan->target.variant_text);
    switches_on(json);
    text(json, ",\"toolchain\":");
    string(json, plan->target.toolchain_text);
    text(json, ",\"partitioner\":");
    string(json, plan->partitioner);
    text(json, plan->level == NPART__LEVEL_OFF ? ",\"level\":\"off\"" : ",\"level\":\"basic\"");
    text(json, ",\"summary\":");
    summary(json, &plan->summary);
    text(json, ",\"nodes\":[");
    for (uint32_t i = 0; i < json->graph->nodes.count; i++)
        node(json, i);
    text(json, "],\"partitions\":[");
    for (uint32_t i = 0; i < plan->partitioning.partitions.count; i++)
        partition(json, i);
    text(json, "],\"causes\":[");
    for (uint32_t i = 0; i < plan->causes.items.count; i++)
        cause(json, i);
    text(json, "],\"crossings\":[");
    for (uint32_t i = 0; i < plan->partitioning.crossings.count; i++)
        crossing(json, i);
    text(json, "]");
    cost(json);
    text(json, ",\"memory\":{},\"advice\":[]");
    if_fixed(json, fixed);
    text(json, "}");
}

/* ---- the whole ---------------------------------------------------------------------------------------------- */

/* Appends what `write` writes of each node to one text; `ends[i]` is where the text of node i ends. */
static const char *write_nodes(const struct json *json, void (*write)(struct json *json, uint32_t id), size_t *ends)
{
    struct npart__buffer text;
    struct json apart = {.out = &text, .plan = json->plan, .graph = json->graph, .paths = json->paths};
    npart__buffer_init(&text, json->out->arena);
    for (uint32_t i = 0; i < json->graph->nodes.count; i++) {
        write(&apart, i);
        ends[i] = text.size;
    }
    json->out->failed |= text.failed;
    return npart__buffer_text(&text);
}

static bool make_node_texts(struct json *json)
{
    uint32_t count = json->graph->nodes.count;
    struct npart__arena *arena = json->out->arena;
    struct node_text *texts = npart__arena_zeroed(arena, count + (size_t)1, sizeof *texts);
    size_t *ends = npart__arena_zeroed(arena, 2 * (count + (size_t)1), sizeof *ends);
    if (!texts || !ends)
        return false;
    const char *heads = write_nodes(json, node_head, ends), *tails = write_nodes(json, node_tail, ends + count);
    for (uint32_t i = 0; i < count && !json->out->failed; i++) {
        size_t head = i ? ends[i - 1] : 0, tail = i ? ends[count + i - 1] : 0;
        texts[i] = (struct node_text){.head = heads + head,
                                      .tail = tails + tail,
                                      .head_length = ends[i] - head,
                                      .tail_length = ends[count + i] - tail};
    }
    json->nodes = texts;
    return !json->out->failed;
}

static bool make_paths(struct json *json)
{
    json->paths = npart__arena_zeroed(json->out->arena, json->graph->scopes.count, sizeof *json->paths);
    for (uint32_t i = 0; json->paths && i < json->graph->scopes.count; i++) {
        struct npart__buffer plain, quoted;
        npart__buffer_init(&plain, json->out->arena);
        npart__buffer_init(&quoted, json->out->arena);
        npart__append_scope_path(&plain, json->graph, i);
        npart__append_json_string(&quoted, plain.data ? plain.data : "", plain.size);
        json->paths[i] = npart__buffer_text(&quoted);
        if (plain.failed || quoted.failed)
            return false;
    }
    return json->paths != NULL;
}

/* Targets may see the same model with different branches taken. */
static bool see_graph(struct json *json, bool for_many)
{
    return make_paths(json) && (!for_many || make_node_texts(json));
}

void npart__report_json(const struct npart__plan_pair *pairs, size_t count, struct npart__buffer *out)
{
    struct json json = {.out = out, .plan = pairs[0].plan, .graph = pairs[0].plan->graph};
    if (!see_graph(&json, count > 1)) {
        out->failed = true;
        return;
    }
    number(&json, "{\"schema\":", JSON_SCHEMA);
    text(&json, ",\"tool\":{\"name\":\"npu-partition\",\"version\":");
    string(&json, npart_version());
    text(&json, "},");
    model(&json);
    text(&json, ",\"targets\":[");
    for (size_t i = 0; i < count; i++) {
        if (i)
            text(&json, ",");
        bool is_seen = json.graph == pairs[i].plan->graph;
        json.plan = pairs[i].plan;
        json.graph = json.plan->graph;
        json.rules =
            npart__arena_zeroed(out->arena, json.plan->target.oplist->rules.count + (size_t)1, sizeof *json.rules);
        if (!json.rules || (!is_seen && !see_graph(&json, true))) {
            out->failed = true;
            return;
        }
        target(&json, pairs[i].fixed);
    }
    text(&json, "]}\n");
}

/* ---- shapes -------------------------------------------------------------------------------------------------- */

static void shape(struct json *json, const struct npart__inference *inference, uint32_t value)
{
    static const char *const kinds[] = {"null", "", "", "[\"sequence\",null]", "[\"map\",null]", "[\"optional\",null]",
                                        "null"};
    const struct npart__fact *fact = npart__fact_of(inference, value);
    bool is_tensor = fact->kind == NPART__TYPE_TENSOR || fact->kind == NPART__TYPE_SPARSE;
    if (!is_tensor || !fact->element_type) {
        text(json, is_tensor ? "null" : kinds[fact->kind]);
        return;
    }
    number(json, "[", fact->element_type);
    text(json, fact->has_rank ? ",[" : ",null");
    for (uint32_t i = 0; fact->has_rank && i < fact->rank; i++) {
        if (i)
            text(json, ",");
        if (npart__is_number(fact->dims[i])) {
            npart__append_int64(json->out, fact->dims[i]);
        } else if (npart__is_named(&inference->expressions, fact->dims[i])) {
            struct npart__buffer dim;
            npart__buffer_init(&dim, json->out->arena);
            npart__append_dim(&dim, &inference->expressions, fact->dims[i]);
            npart__append_json_string(json->out, dim.data ? dim.data : "", dim.size);
            json->out->failed |= dim.failed;
        } else {
            text(json, "null");
        }
    }
    text(json, fact->has_rank ? "]]" : "]");
}

/* Of the main graph: its inputs, and what its nodes make, under the names that the file gives them. */
static bool is_listed(const struct npart__graph *graph, const bool *is_input, uint32_t value)
{
    const struct npart__value *at = &graph->values.items[value];
    return is_input[value] || (at->scope == 0 && at->kind == NPART__VALUE_OUTPUT);
}

void npart__report_shapes(struct npart__inference *inference, struct npart__buffer *out)
{
    const struct npart__graph *graph = inference->graph;
    const struct npart__scope *scope = &graph->scopes.items[0];
    struct json json = {.out = out, .graph = graph};
    bool is_first = true, *is_input = npart__arena_zeroed(out->arena, graph->values.count + (size_t)1, sizeof(bool));
    if (!is_input) {
        out->failed = true;
        return;
    }
    for (uint32_t i = 0; i < scope->input_count; i++)
        is_input[graph->operands.items[scope->first_input + i]] = true;
    text(&json, "{");
    for (uint32_t i = 0; i < graph->values.count; i++) {
        if (!is_listed(graph, is_input, i))
            continue;
        if (!is_first)
            text(&json, ",");
        is_first = false;
        string(&json, npart__value_name(graph, i));
        text(&json, ":");
        shape(&json, inference, i);
    }
    text(&json, "}\n");
}
