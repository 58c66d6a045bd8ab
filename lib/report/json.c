/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON report: one line a model. docs/json.md says what each field means; `schema` counts up
 * when one changes. Written from the first byte to the last, without a tree in memory: keys
 * stand in the code with the comma or brace before them. What many lines have in common (paths
 * of graphs, rules, heads of nodes) is put together once.
 */
#include "report/report.h"

#define JSON_SCHEMA 2
/* Fates are few; should there be more, the last place is used again and again. */
#define MOST_FATES 16u

/* What every target says of a node: the beginning and end of its line, the verdict being between them. */
struct node_text {
    const char *head, *tail;
    size_t head_length, tail_length;
};

/* What is the same for many lines of one report. */
struct json {
    struct npart__pool *pool;
    struct npart__sheet *out;
    struct npart__sheet scratch; /* what a getter writes */
    const npart_plan *plan;
    const npart_inference *view;
    const npart_model *model; /* as the plan's runtime sees it */
    const npart_model *own;   /* as it was read */
    struct npart_model_info info; /* of `model`: its node_count is that of the node list of the target */
    struct npart_plan_info plan_info;
    const char **paths; /* by graph, as JSON strings */
    const char **rules; /* by rule: what is said of it wherever it is not met; NULL: not yet */
    const char *folds[MOST_FATES]; /* the same of folded nodes, by `fates` */
    const char *fates[MOST_FATES];
    uint32_t *module_of; /* by node of the plan at hand */
    struct node_text *nodes; /* of `own`; NULL: there is but one target, or nodes are not told */
    enum npart_detail detail; /* as asked for, NODES where nothing was */
};

/* ---- pieces ------------------------------------------------------------------------------------------------ */

static void text(struct json *json, const char *literal)
{
    npart__add_text(json->out, literal);
}

static void string(struct json *json, const char *value)
{
    npart__add_json_string(json->out, value, strlen(value));
}

/* Tensors are told by their names, which scripts look for; "" for an id that is none. */
static void value_name(struct json *json, const char *key, uint32_t id)
{
    struct npart_value value = {.size = sizeof value};
    npart__add_json_text(json->out, key, npart_inference_value(json->view, id, &value) ? value.name : "");
}

static void value_names(struct json *json, const char *key, const uint32_t *list, uint32_t count)
{
    text(json, key);
    text(json, "[");
    for (uint32_t i = 0; i < count; i++)
        value_name(json, i ? "," : "", list[i]);
    text(json, "]");
}

/* ---- the model --------------------------------------------------------------------------------------------- */

/* `is_first` goes on from the model's findings to those of the inference. */
static void finding(struct json *json, const struct npart_finding *at, bool *is_first)
{
    npart__add_json_text(json->out, *is_first ? "{\"code\":" : ",{\"code\":", at->code);
    *is_first = false;
    npart__add_json_text(json->out, ",\"text\":", at->text);
    npart__add_json_text(json->out, ",\"at\":", at->at);
    text(json, "}");
}

/* What holds for all targets. Nodes that a runtime has added are not the file's. Two lists are one in JSON: what
 * was found in the file, and what was found of its types and shapes with the sizes that were given. Neither is the
 * target's. */
static void model(struct json *json)
{
    const npart_inference *asked = npart_plan_inference(json->plan);
    const struct npart_model_info *info = &json->info;
    struct npart_finding at = {.size = sizeof at};
    bool is_first = true;
    text(json, "\"findings\":[");
    for (uint32_t i = 0; npart_model_finding(json->model, i, &at); i++)
        finding(json, &at, &is_first);
    for (uint32_t i = 0; npart_inference_finding(asked, i, &at); i++)
        finding(json, &at, &is_first);
    npart__add_json_text(json->out, "],\"model\":{\"path\":", info->name);
    npart__add_json_number(json->out, ",\"ir_version\":", info->ir_version);
    npart__add_json_text(json->out, ",\"producer\":", info->producer_name);
    text(json, ",\"opsets\":{");
    for (uint32_t i = 0; i < info->opset_count; i++) {
        npart__add_json_text(json->out, i ? "," : "", info->opsets[i].domain);
        npart__add_json_number(json->out, ":", info->opsets[i].version);
    }
    npart__add_json_number(json->out, "},\"nodes\":", info->node_count - info->added_node_count);
    npart__add_json_count(json->out, ",\"bytes\":", info->input_bytes);
    npart__add_json_count(json->out, ",\"weight_bytes\":", info->weight_bytes);
    text(json, "}");
}

/* ---- nodes ------------------------------------------------------------------------------------------------- */

/* What is a reason for many nodes is put together once: `made` is where it is kept. Rules repeat at thousands of
 * nodes, whose sentences would be escaped each time. It ends with the key of what was found, which is each node's
 * own. */
static void reason_once(struct json *json, const char **made, const char *gate, const char *rule,
                        const char *sentence, const char *because, const char *source)
{
    if (!*made) {
        struct npart__sheet sheet;
        npart__sheet_open(&sheet, json->pool);
        npart__add_json_text(&sheet, "{\"gate\":", gate);
        npart__add_json_text(&sheet, ",\"rule\":", rule);
        npart__add_json_text(&sheet, ",\"text\":", sentence);
        if (*because)
            npart__add_json_text(&sheet, ",\"because\":", because);
        npart__add_json_text(&sheet, ",\"source\":", source);
        npart__add_text(&sheet, ",\"found\":");
        *made = npart__keep_text(&sheet);
    }
    text(json, *made);
}

/* The place of a fate among those that were told. Fates are words of the library's own, so their addresses tell
 * them apart. What was put together for the fate whose place is taken is forgotten, and made again should that fate
 * come once more. */
static size_t place_of(struct json *json, const char *fate)
{
    size_t at = 0;
    while (at + 1 < MOST_FATES && json->fates[at] && json->fates[at] != fate)
        at++;
    if (json->fates[at] != fate)
        json->folds[at] = NULL;
    json->fates[at] = fate;
    return at;
}

/* A removed node has a reason as others have, with "fold" in the place of the stage. What was "found" is the node
 * that it is fused into, or nothing. */
static void fold_reason(struct json *json, const struct npart_node_plan *at)
{
    char place[160] = "";
    if (at->into != NPART_NONE)
        (void)npart_model_node_text(json->model, at->into, place, sizeof place);
    reason_once(json, &json->folds[place_of(json, at->fate)], "fold", at->fate, at->fate_text, "", "");
    string(json, place);
    text(json, "}");
}

/* Asked twice where what was found does not fit the buffer: then there is room for it. `outcomes` has no words for
 * what is met and for notes that do not apply: these are no reasons. */
static void node_reasons(struct json *json, uint32_t node, uint32_t count)
{
    static const char *const outcomes[] = {
        [NPART_OUTCOME_NOT_MET] = ",\"outcome\":\"no\"}",
        [NPART_OUTCOME_FAILS] = ",\"outcome\":\"fail\"}",
        [NPART_OUTCOME_UNKNOWN] = ",\"outcome\":\"unknown\"}",
        [NPART_OUTCOME_NOTE] = ",\"outcome\":\"note\"}",
    };
    struct npart_reason at = {.size = sizeof at};
    for (uint32_t i = 0; i < count && !json->pool->failed; i++) {
        bool is_there;
        do
            is_there = npart_plan_reason(json->plan, node, i, &at, NPART__ROOM(&json->scratch));
        while (is_there && npart__sheet_lacks(&json->scratch, at.found_bytes));
        if (!is_there)
            return;
        text(json, i ? "," : "");
        reason_once(json, &json->rules[at.rule], at.gate, at.rule_id, at.text, at.because, at.source);
        npart__add_json_string(json->out, json->scratch.data, json->scratch.size);
        text(json, outcomes[at.outcome]);
    }
}

/* All of a node's line that does not depend on the target, up to its verdict. It ends within the string of the
 * verdict. `id` decides on the comma, as nodes are told from the first on. The domain is as the file writes it, ""
 * or "ai.onnx". */
static void node_head(struct json *json, uint32_t id)
{
    struct npart_node at = {.size = sizeof at};
    if (!npart_model_node(json->model, id, &at))
        return;
    npart__add_json_number(json->out, id ? ",{\"index\":" : "{\"index\":", at.index);
    text(json, ",\"graph\":");
    text(json, json->paths[at.graph]);
    npart__add_json_text(json->out, ",\"name\":", at.name);
    npart__add_json_text(json->out, ",\"op\":", at.op);
    npart__add_json_text(json->out, ",\"domain\":", at.written_domain);
    text(json, ",\"verdict\":\"");
}

/* Where it stands in its graph, and where in the exporter's source it comes from. `structure` is four numbers of 32
 * bits as 32 hexadecimal digits, the same in a model in which only names have changed. */
static void node_tail(struct json *json, uint32_t id)
{
    struct npart_origin at = {.size = sizeof at};
    struct npart_structure place = {.size = sizeof place};
    struct npart_node node = {.size = sizeof node};
    (void)npart_model_node_origin(json->model, id, &at);
    json->pool->failed |= npart_inference_structure(json->view, id, &place, NULL) != NPART_OK;
    npart__add_format(json->out, ",\"structure\":\"%08x%08x%08x%08x\"", (unsigned)place.up, (unsigned)place.down,
                      (unsigned)place.around, (unsigned)place.itself);
    text(json, ",\"at\":{");
    if (at.file) {
        text(json, "\"file\":");
        npart__add_json_string(json->out, at.file, at.file_bytes);
        npart__add_json_number(json->out, ",\"line\":", at.line);
    }
    if (at.module) {
        text(json, at.file ? ",\"module\":" : "\"module\":");
        npart__add_json_string(json->out, at.module, at.module_bytes);
    }
    text(json, "}");
    if (json->detail == NPART_DETAIL_TENSORS && npart_model_node(json->model, id, &node))
        npart__add_json_operands(json->out, &node);
    text(json, "}");
}

/* Of a live node. It has work, so a failure is one of memory or of a budget. */
static void node_work(struct json *json, uint32_t id)
{
    struct npart_work at = {.size = sizeof at};
    json->pool->failed |= npart_plan_work(json->plan, id, &at, NULL) != NPART_OK;
    text(json, ",\"work\":");
    if (!json->pool->failed)
        npart__add_work(json->out, &at);
}

/* A node's line: what every target says of it, then verdict, reasons and cause of this one. `ms` is left out where
 * it is not known. */
static void node(struct json *json, uint32_t id)
{
    struct npart_node_plan at = {.size = sizeof at};
    if (!npart_plan_node(json->plan, id, &at))
        return;
    const struct node_text *told = json->model == json->own && json->nodes ? &json->nodes[id] : NULL;
    if (told)
        npart__add(json->out, told->head, told->head_length);
    else
        node_head(json, id);
    text(json, npart__json_verdict(at.verdict));
    npart__add_json_id(json->out, "\",\"into\":", at.into);
    npart__add_json_id(json->out, ",\"partition\":", at.partition);
    text(json, ",\"reasons\":[");
    if (*at.fate)
        fold_reason(json, &at);
    else
        node_reasons(json, id, at.reason_count);
    npart__add_json_id(json->out, "],\"cause\":", at.cause);
    if (*at.fate)
        text(json, ",\"work\":null");
    else
        node_work(json, id);
    if (at.ms >= 0)
        npart__add_json_decimal(json->out, ",\"ms\":", at.ms);
    npart__add_json_id(json->out, ",\"module\":", json->module_of[id]);
    if (told)
        npart__add(json->out, told->tail, told->tail_length);
    else
        node_tail(json, id);
}

/* ---- a target ---------------------------------------------------------------------------------------------- */

/* `cut_behind` is the name that the schema gave to the tensors of the user's cut points. Nodes are told by id,
 * tensors by name. `cause_of_end` are nodes on the CPU. */
static void partition(struct json *json, uint32_t id, const struct npart_partition *at)
{
    npart__add_json_number(json->out, id ? ",{\"id\":" : "{\"id\":", id);
    text(json, ",\"graph\":");
    text(json, json->paths[at->graph]);
    npart__add_json_ids(json->out, ",\"nodes\":", at->nodes, at->node_count);
    value_names(json, ",\"inputs\":", at->inputs, at->input_count);
    value_names(json, ",\"outputs\":", at->outputs, at->output_count);
    npart__add_json_ids(json->out, ",\"cause_of_end\":", at->ends, at->end_count);
    value_names(json, ",\"cut_behind\":", at->cuts, at->cut_count);
    npart__add_json_count_or_null(json->out, ",\"macs\":", at->has_macs, at->macs);
    text(json, "}");
}

/* `from` and `to` are partitions; null is the CPU. */
static void crossing(struct json *json, uint32_t index, const struct npart_crossing *at)
{
    value_name(json, index ? ",{\"tensor\":" : "{\"tensor\":", at->value);
    npart__add_json_id(json->out, ",\"from\":", at->from);
    npart__add_json_id(json->out, ",\"to\":", at->to);
    npart__add_json_count_or_null(json->out, ",\"bytes\":", at->has_bytes, at->bytes);
    npart__add_json_text(json->out, ",\"layout\":", at->layout);
    text(json, "}");
}

/* The first call finds them all; ARGUMENT is its word for the end of the list, and no failure. */
static void fusions(struct json *json)
{
    struct npart_fusion at = {.size = sizeof at};
    npart_status status = NPART_OK;
    text(json, ",\"fusions\":[");
    for (uint32_t i = 0; !json->pool->failed && status == NPART_OK; i++) {
        status = npart_plan_fusion(json->plan, i, &at, NULL);
        json->pool->failed |= npart__is_shortage(status);
        if (status != NPART_OK)
            continue;
        npart__add_json_text(json->out, i ? ",{\"pattern\":" : "{\"pattern\":", at.pattern);
        npart__add_json_ids(json->out, ",\"nodes\":", at.nodes, at.node_count);
        npart__add_json_text(json->out, ",\"state\":", at.state);
        text(json, ",\"stopped_by\":");
        if (at.stopped_by)
            string(json, at.stopped_by);
        else
            text(json, "null");
        npart__add_json_id(json->out, ",\"node\":", at.node);
        text(json, "}");
    }
    text(json, "]");
}

/* Only tensors that are converted, with the sentence that the text report has. Goes through all values of the graph
 * that the runtime sees. */
static void layouts(struct json *json)
{
    struct npart_value_plan at = {.size = sizeof at};
    bool is_first = true;
    text(json, ",\"layouts\":[");
    for (uint32_t i = 0; !json->pool->failed && npart_plan_value(json->plan, i, &at); i++) {
        if (!at.converted_to)
            continue;
        value_name(json, is_first ? "{\"tensor\":" : ",{\"tensor\":", i);
        is_first = false;
        npart__add_json_text(json->out, ",\"from\":", at.layout);
        npart__add_json_text(json->out, ",\"to\":", at.converted_to);
        npart__add_json_count_or_null(json->out, ",\"bytes\":", at.has_bytes, at.bytes);
        npart__add_json_id(json->out, ",\"node\":", at.converted_for);
        struct npart__sheet why;
        npart__sheet_open(&why, json->pool);
        npart__add_conversion(&why, &json->scratch, json->plan, i, &at);
        npart__add_json_text(json->out, ",\"text\":", npart__sheet_text(&why));
        npart__sheet_close(&why);
        text(json, "}");
    }
    text(json, "]");
}

/* The words of a list with blanks between. No blanks at the ends, so every piece is a word. */
static void words(struct json *json, const char *key, const char *list)
{
    text(json, key);
    text(json, "[");
    while (*list) {
        size_t length = strcspn(list, " ");
        npart__add_json_string(json->out, list, length);
        list += length + (list[length] == ' ');
        text(json, *list ? "," : "");
    }
    text(json, "]");
}

/* Actions refer to each other, so each has an id: "a1" is the first. */
static void action_name(struct json *json, uint32_t index)
{
    npart__add_format(json->out, "\"a%u\"", index + 1);
}

/* What a replanned model would look like. The range opens an object and leaves it open, so two are closed here. */
static void after(struct json *json, const struct npart_after *at)
{
    npart__add_json_number(json->out, ",\"after\":{\"partitions\":", at->partitions);
    npart__add_json_decimal(json->out, ",\"coverage\":", at->coverage);
    npart__add_json_decimal_or_null(json->out, ",\"mac_coverage\":", at->mac_coverage);
    npart__add_json_text(json->out, ",\"verdict\":", at->verdict);
    npart__add_json_range(json->out, ",\"cost\":", at->cost);
    text(json, "}}");
}

/* `rewrites` is one text with blanks between the names; in JSON it is a list. */
static void action(struct json *json, uint32_t index, const struct npart_action *at)
{
    text(json, index ? ",{\"id\":" : "{\"id\":");
    action_name(json, index);
    npart__add_json_text(json->out, ",\"action\":", at->kind);
    npart__add_json_text(json->out, ",\"text\":", at->text);
    npart__add_json_text_or_null(json->out, ",\"command\":", at->command);
    words(json, ",\"rewrites\":", at->rewrites);
    npart__add_json_flag(json->out, ",\"fixable\":", at->is_fixable);
    npart__add_json_text_or_null(json->out, ",\"equality\":", at->equality);
    npart__add_json_ids(json->out, ",\"causes\":", at->causes, at->cause_count);
    text(json, ",\"needs\":[");
    for (uint32_t i = 0; i < at->need_count; i++) {
        text(json, i ? "," : "");
        action_name(json, at->needs[i]);
    }
    text(json, "],\"instead_of\":");
    if (at->instead_of == NPART_NONE)
        text(json, "null");
    else
        action_name(json, at->instead_of);
    after(json, &at->after);
    text(json, "}");
}

/* The plan with sizes that were proposed for the dynamic dims, where one was made. */
static void if_fixed(struct json *json, const npart_plan *fixed)
{
    struct npart_summary at = {.size = sizeof at};
    struct npart_dim_binding binding;
    if (!fixed)
        return;
    text(json, ",\"if_fixed\":{\"dims\":{");
    for (uint32_t i = 0; npart_inference_binding(npart_plan_inference(fixed), i, &binding); i++) {
        npart__add_json_text(json->out, i ? "," : "", binding.name);
        npart__add_json_number(json->out, ":", binding.size);
    }
    text(json, "},\"summary\":");
    (void)npart_plan_summary(fixed, &at);
    npart__add_json_summary(json->out, &at);
    text(json, "}");
}

/* Left away where there is none, as in nearly all plans. */
static void plan_findings(struct json *json)
{
    struct npart_finding at = {.size = sizeof at};
    bool is_first = true;
    for (uint32_t i = 0; npart_plan_finding(json->plan, i, &at); i++) {
        text(json, is_first ? ",\"findings\":[" : "");
        finding(json, &at, &is_first);
    }
    text(json, is_first ? "" : "]");
}

/* What it is, and how it went. Names a target by its parts, so that a program need not take its
 * text apart. */
static void target_head(struct json *json)
{
    struct npart_oplist_info oplist = {.size = sizeof oplist};
    struct npart_summary at = {.size = sizeof at};
    const struct npart_plan_info *info = &json->plan_info;
    (void)npart_oplist_info(npart_plan_oplist(json->plan), &oplist);
    (void)npart_plan_summary(json->plan, &at);
    npart__add_json_text(json->out, "{\"target\":", oplist.name);
    npart__add_json_text(json->out, ",\"name\":", info->target);
    npart__add_json_text(json->out, ",\"variant\":", info->variant);
    text(json, ",\"switches_on\":[");
    for (uint32_t i = 0; i < info->switch_count; i++)
        npart__add_json_text(json->out, i ? "," : "", info->switches[i]);
    npart__add_json_text(json->out, "],\"toolchain\":", info->toolchain);
    npart__add_json_text(json->out, ",\"partitioner\":", info->partitioner);
    text(json, info->level == NPART_LEVEL_OFF ? ",\"level\":\"off\"" : ",\"level\":\"basic\"");
    text(json, ",\"summary\":");
    npart__add_json_summary(json->out, &at);
    plan_findings(json);
}

/* Nodes know their modules by these lists, which are found before anything is written of a node. Taken anew for
 * each target, as the graph of another may have more nodes. A node of no module stays NPART_NONE. */
static void find_modules(struct json *json)
{
    struct npart_module at = {.size = sizeof at};
    npart_status status = NPART_OK;
    json->module_of = npart__take(json->pool, json->info.node_count + (size_t)1, sizeof *json->module_of);
    for (uint32_t i = 0; !json->pool->failed && i < json->info.node_count; i++)
        json->module_of[i] = NPART_NONE;
    for (uint32_t m = 0; !json->pool->failed && status == NPART_OK; m++) {
        status = npart_plan_module(json->plan, m, &at, NULL);
        json->pool->failed |= npart__is_shortage(status);
        for (uint32_t i = 0; status == NPART_OK && i < at.own_count; i++)
            json->module_of[at.own[i]] = m;
    }
}

/* find_modules has had them found and has seen whether that failed, so here any other status is the end of the
 * list. */
static void modules(struct json *json)
{
    struct npart_module at = {.size = sizeof at};
    text(json, ",\"modules\":[");
    for (uint32_t m = 0; !json->pool->failed && npart_plan_module(json->plan, m, &at, NULL) == NPART_OK; m++) {
        npart__add_json_text(json->out, m ? ",{\"path\":" : "{\"path\":", at.path);
        npart__add_json_id(json->out, ",\"parent\":", at.parent);
        npart__add_json_number(json->out, ",\"nodes\":", at.node_count);
        npart__add_json_number(json->out, ",\"live\":", at.live_count);
        npart__add_json_number(json->out, ",\"accepted\":", at.accepted_count);
        npart__add_json_count_or_null(json->out, ",\"macs\":", at.has_macs, at.macs);
        npart__add_json_count_or_null(json->out, ",\"macs_on_npu\":", at.has_macs, at.macs_on_npu);
        npart__add_json_decimal_or_null(json->out, ",\"npu_ms\":", at.npu_ms);
        npart__add_json_decimal_or_null(json->out, ",\"cpu_ms\":", at.cpu_ms);
        npart__add_json_number(json->out, ",\"switches\":", at.switch_count);
        text(json, "}");
    }
    text(json, "]");
}

/* All nodes have a line, folded and fused ones, too: a node's place in the list is its id. */
static void nodes_and_partitions(struct json *json)
{
    struct npart_partition at = {.size = sizeof at};
    uint32_t count;
    find_modules(json);
    text(json, ",\"nodes\":[");
    for (uint32_t i = 0; i < json->info.node_count && !json->pool->failed; i++)
        node(json, i);
    const uint32_t *order = npart_plan_order(json->plan, &count);
    npart__add_json_ids(json->out, "],\"order\":", order, count);
    modules(json);
    text(json, ",\"partitions\":[");
    for (uint32_t i = 0; npart_plan_partition(json->plan, i, &at); i++)
        partition(json, i, &at);
    text(json, "]");
}

/* Without a buffer: what was found stands with the nodes. */
static void causes(struct json *json)
{
    struct npart_cause at = {.size = sizeof at};
    text(json, ",\"causes\":[");
    for (uint32_t i = 0; npart_plan_cause(json->plan, i, &at, NULL, 0); i++)
        npart__add_json_cause(json->out, i, &at);
    text(json, "]");
}

static void crossings(struct json *json)
{
    struct npart_crossing at = {.size = sizeof at};
    text(json, ",\"crossings\":[");
    for (uint32_t i = 0; npart_plan_crossing(json->plan, i, &at); i++)
        crossing(json, i, &at);
    text(json, "]");
}

/* An empty list where no advice was made. */
static void actions(struct json *json, const npart_advice *advice)
{
    struct npart_action at = {.size = sizeof at};
    text(json, ",\"advice\":[");
    for (uint32_t i = 0; npart_advice_action(advice, i, &at); i++)
        action(json, i, &at);
    text(json, "]");
}

/* How much is told depends on --detail: a summary, causes, or every node. Roots are told in each case: they are
 * what reports of many models are compared by. */
static void target(struct json *json, const struct npart_plan_pair *plans)
{
    target_head(json);
    if (npart__tells_nodes(json->detail))
        nodes_and_partitions(json);
    if (json->detail == NPART_DETAIL_TENSORS)
        npart__add_json_tensors(json->out, &json->scratch, json->plan);
    if (json->detail != NPART_DETAIL_SUMMARY)
        causes(json);
    npart__add_json_roots(json->out, json->plan);
    if (npart__tells_nodes(json->detail)) {
        crossings(json);
        layouts(json);
        fusions(json);
    }
    npart__add_json_cost(json->out, plans);
    npart__add_json_memory(json->out, json->plan, json->detail);
    npart__add_json_precision(json->out, json->plan);
    actions(json, plans->advice);
    if_fixed(json, plans->fixed);
    text(json, "}");
}

/* ---- the whole ---------------------------------------------------------------------------------------------- */

/* Writes what `write` writes of each node to one text; `ends[i]` is where the text of node i ends. `apart` has no
 * plan: what is written must be the same for all targets. One text and not one for each node: a piece of memory for
 * each would cost more than what stands in it. */
static const char *write_nodes(const struct json *json, void (*write)(struct json *json, uint32_t id), size_t *ends)
{
    struct npart__sheet sheet;
    struct json apart = {.pool = json->pool,
                         .out = &sheet,
                         .model = json->model,
                         .view = json->view,
                         .paths = json->paths,
                         .detail = json->detail};
    npart__sheet_open(&sheet, json->pool);
    for (uint32_t i = 0; i < json->info.node_count; i++) {
        write(&apart, i);
        ends[i] = sheet.size;
    }
    return npart__keep_text(&sheet);
}

/* With several targets the heads and tails of all nodes are written once and copied: they are most of the report.
 * The memory is that of a node list without reasons, which a report of one target does not need. The two texts are
 * made in one pass each; `ends` has those of the heads, then those of the tails. */
static void make_node_texts(struct json *json)
{
    uint32_t count = json->info.node_count;
    struct node_text *texts = npart__take(json->pool, count + (size_t)1, sizeof *texts);
    size_t *ends = npart__take(json->pool, 2 * (count + (size_t)1), sizeof *ends);
    if (!texts || !ends)
        return;
    const char *heads = write_nodes(json, node_head, ends), *tails = write_nodes(json, node_tail, ends + count);
    for (uint32_t i = 0; i < count && !json->pool->failed; i++) {
        size_t head = i ? ends[i - 1] : 0, tail = i ? ends[count + i - 1] : 0;
        texts[i] = (struct node_text){.head = heads + head,
                                      .tail = tails + tail,
                                      .head_length = ends[i] - head,
                                      .tail_length = ends[count + i] - tail};
    }
    json->nodes = texts;
}

/* "" is the main graph. Escaped once for each graph and not for each node: the graphs are few, and a body may have
 * thousands of nodes. */
static void make_paths(struct json *json)
{
    json->paths = npart__take(json->pool, json->info.graph_count, sizeof *json->paths);
    for (uint32_t i = 0; i < json->info.graph_count && !json->pool->failed; i++) {
        struct npart__sheet quoted;
        while (npart__sheet_lacks(&json->scratch, npart_model_graph_path(json->model, i, NPART__ROOM(&json->scratch))))
            continue;
        npart__sheet_open(&quoted, json->pool);
        npart__add_json_string(&quoted, json->scratch.data, json->scratch.size);
        json->paths[i] = npart__keep_text(&quoted);
    }
}

/* Targets may see the same model with different branches taken. What was put together for the target before holds
 * no more: other rules and, where its runtime takes other branches, another graph, which may go with its plan. Heads
 * and tails of the model as it was read stay: the structure is that of the model even in the view of a runtime. */
static void see_plan(struct json *json, const npart_plan *plan, bool for_many)
{
    struct npart_oplist_info oplist = {.size = sizeof oplist};
    json->plan = plan;
    json->view = npart_plan_view(plan);
    json->model = npart_inference_model(json->view);
    json->own = npart_inference_model(npart_plan_inference(plan));
    json->info.size = sizeof json->info;
    json->plan_info.size = sizeof json->plan_info;
    (void)npart_plan_info(plan, &json->plan_info);
    (void)npart_model_info(json->model, &json->info);
    (void)npart_oplist_info(npart_plan_oplist(plan), &oplist);
    json->rules = npart__take(json->pool, oplist.all_rule_count + (size_t)1, sizeof *json->rules);
    if (!json->pool->failed)
        make_paths(json);
    if (for_many && !json->nodes && json->model == json->own && !json->pool->failed)
        make_node_texts(json);
}

/* Head and model once, then a target after the other; each is written as soon as it is made. A report that fails
 * stops within the line, and its status says so: what was written is no JSON then. */
npart_status npart_report_json(const struct npart_plan_pair *plans, size_t count,
                               const struct npart_report_options *options, npart_write_callback write, void *payload,
                               struct npart_error *error)
{
    struct npart__pool pool;
    struct npart__sheet out;
    struct npart_plan_pair pair;
    npart_status status = npart__report_check(plans, count, options, write, error);
    if (status == NPART_OK)
        status = npart__report_plan(plans, 0, NULL, options, &pair, error);
    if (status != NPART_OK)
        return status;
    npart__report_open(&pool, &out, npart__allocator_of(pair.plan), write, payload);
    struct json json = {.pool = &pool, .out = &out, .detail = options ? options->detail : NPART_DETAIL_NODES};
    bool tells_again = count > 1 && npart__tells_nodes(json.detail);
    npart__sheet_open(&json.scratch, &pool);
    (void)npart__sheet_reserve(&json.scratch, 255);
    see_plan(&json, pair.plan, tells_again);
    for (size_t i = 0; i < count && !pool.failed; i++) {
        if (i == 0) {
            npart__add_json_number(&out, "{\"schema\":", JSON_SCHEMA);
            npart__add_json_text(&out, ",\"tool\":{\"name\":\"npu-partition\",\"version\":", npart_version());
            text(&json, "},");
            model(&json);
            text(&json, ",\"targets\":[");
        } else {
            status = npart__report_plan(plans, i, json.own, options, &pair, error);
            pool.failed |= status != NPART_OK;
            text(&json, ",");
            if (!pool.failed)
                see_plan(&json, pair.plan, tells_again);
        }
        if (!pool.failed)
            target(&json, &pair);
    }
    text(&json, "]}\n");
    npart__sheet_close(&json.scratch);
    npart_status written = npart__report_close(&pool, &out, status == NPART_OK ? error : NULL);
    return status == NPART_OK ? written : status;
}
