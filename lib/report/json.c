/* SPDX-License-Identifier: Apache-2.0
 *
 * The JSON report: one line a model. docs/json.md says what each field means; `schema` counts up
 * when one changes. What many lines have in common (paths of graphs, rules, heads of nodes) is put together once.
 */
#include <stdio.h>

#include "report/report.h"

#define JSON_SCHEMA 2

/* What every target says of a node: the beginning and end of its line, the verdict being between them. */
struct node_text {
    const char *head, *tail;
    size_t head_length, tail_length;
};

/* What is the same for many lines of one report. */
struct json {
    struct npart__arena *arena;
    struct npart__buffer *out;
    struct npart__buffer *scratch; /* what a getter writes */
    const npart_plan *plan;
    const npart_inference *view;
    const npart_model *model; /* as the plan's runtime sees it */
    const npart_model *own;   /* as it was read */
    struct npart_model_info info; /* of `model`: its node_count is that of the node list of the target */
    struct npart_plan_info plan_info;
    const char **paths; /* by graph, as JSON strings */
    const char **rules; /* by rule: what is said of it wherever it is not met; NULL: not yet */
    const char *folds[NPART_FATE_NO_OP + 1]; /* the same of folded nodes, by fate */
    uint32_t *module_of; /* by node of the plan at hand */
    struct node_text *nodes; /* of `own`; NULL: there is but one target, or nodes are not told */
    enum npart_detail detail; /* as asked for, NODES where nothing was */
    bool is_decided; /* another than the runtime decides later which unit runs what is taken */
};

/* ---- pieces ------------------------------------------------------------------------------------------------ */

/* Tensors are told by their names, which scripts look for; "" for an id that is none. */
static const char *name_of(const struct json *json, uint32_t id)
{
    struct npart_value value = {.size = sizeof value};
    return npart_inference_value(json->view, id, &value) ? value.name : "";
}

static void value_names(struct json *json, const char *key, const uint32_t *list, uint32_t count)
{
    NPART__JSON_LIST(json->out, key, i, i < count)
        npart__json_text(json->out, NULL, name_of(json, list[i]));
}

/* ---- the model --------------------------------------------------------------------------------------------- */

/* What holds for all targets. Nodes that a runtime has added are not the file's. Two lists are one in JSON: what
 * was found in the file, and what was found of its types and shapes with the sizes that were given. Neither is the
 * target's. */
static void model(struct json *json)
{
    const npart_inference *asked = npart_plan_inference(json->plan);
    const npart_model *origin = npart_model_origin(json->own);
    struct npart_model_info of_origin = {.size = sizeof of_origin};
    const struct npart_model_info *info = &json->info;
    struct npart_finding at = {.size = sizeof at};
    if (origin != json->own && npart_model_info(origin, &of_origin))
        info = &of_origin;
    npart__json_open(json->out, "findings", '[');
    for (uint32_t i = 0; npart_model_finding(origin == json->own ? json->model : origin, i, &at); i++)
        npart__put_finding(json->out, NULL, &at);
    for (uint32_t i = 0; npart_inference_finding(asked, i, &at); i++)
        npart__put_finding(json->out, NULL, &at);
    npart__json_close(json->out, ']');
    struct npart__object object = npart__open_model_info(json->out, "model", info);
    npart__json_number(json->out, npart__own(&object, "nodes"), info->node_count - info->added_node_count);
    npart__object_close(&object);
    struct npart_padding padding = {.size = sizeof padding};
    if (npart_inference_padding(asked, &padding))
        npart__put_padding(json->out, "padding", &padding);
}

/* ---- nodes ------------------------------------------------------------------------------------------------- */

/* What is a reason for many nodes is put together once: `made` is where it is kept. Rules repeat at thousands of
 * nodes, whose sentences would be escaped each time. It ends with the key of what was found, which is each node's
 * own. */
static void reason_once(struct json *json, const char **made, const char *gate, const char *rule,
                        const char *sentence, const char *because, const char *source, const char *standing)
{
    if (!*made) {
        struct npart__buffer buffer = {.arena = json->arena};
        npart__json_open(&buffer, NULL, '{');
        npart__json_text(&buffer, "gate", gate);
        npart__json_text(&buffer, "rule", rule);
        npart__json_text(&buffer, "text", sentence);
        if (*because)
            npart__json_text(&buffer, "because", because);
        npart__json_text(&buffer, "source", source);
        if (*standing)
            npart__json_text(&buffer, "standing", standing);
        npart__json_key(&buffer, "found");
        *made = npart__keep_text(&buffer);
    }
    npart__json_value(json->out, NULL, *made);
}

/* A removed node has a reason as others have, with "fold" in the place of the stage. What was "found" is the node
 * that it is fused into, or nothing. */
static void fold_reason(struct json *json, const struct npart_node_plan *at)
{
    char place[160] = "";
    if (at->into != NPART_NONE)
        (void)npart_model_node_text(json->model, at->into, place, sizeof place);
    reason_once(json, &json->folds[at->fate], "fold", npart_fate_text(at->fate), at->fate_text, "", "", "");
    npart__json_text(json->out, NULL, place);
    npart__json_close(json->out, '}');
}

/* Asked twice where what was found does not fit the buffer: then there is room for it. `outcomes` has no words for
 * what is met and for notes that do not apply: these are no reasons. True where the NPU does not run the node, though
 * it is taken. */
static bool node_reasons(struct json *json, uint32_t node, uint32_t count)
{
    bool is_elsewhere = false;
    static const char *const outcomes[] = {
        [NPART_OUTCOME_NOT_MET] = ",\"outcome\":\"no\"}",
        [NPART_OUTCOME_FAILS] = ",\"outcome\":\"fail\"}",
        [NPART_OUTCOME_UNKNOWN] = ",\"outcome\":\"unknown\"}",
        [NPART_OUTCOME_NOTE] = ",\"outcome\":\"note\"}",
        [NPART_OUTCOME_ELSEWHERE] = ",\"outcome\":\"elsewhere\"}",
    };
    struct npart_reason at = {.size = sizeof at};
    for (uint32_t i = 0; i < count && !json->arena->failed; i++) {
        bool is_there;
        do
            is_there = npart_plan_reason(json->plan, node, i, &at, NPART__ROOM(json->scratch));
        while (is_there && npart__buffer_lacks(json->scratch, at.found_bytes));
        if (!is_there)
            return is_elsewhere;
        is_elsewhere |= at.outcome == NPART_OUTCOME_ELSEWHERE;
        reason_once(json, &json->rules[at.rule], at.gate, at.rule_id, at.text, at.because, at.source,
                    at.standing);
        npart__append_json_string(json->out, json->scratch->data, json->scratch->size);
        npart__append_text(json->out, outcomes[at.outcome]);
    }
    return is_elsewhere;
}

/* All of a node's line that does not depend on the target, up to its verdict. It ends within the string of the
 * verdict, and begins with the comma that is due after the node before. The domain is as the file writes it, "" or
 * "ai.onnx". */
static void node_head(struct json *json, uint32_t id)
{
    struct npart_node at = {.size = sizeof at};
    if (!npart_model_node(json->model, id, &at))
        return;
    npart__json_open(json->out, NULL, '{');
    npart__json_number(json->out, "index", at.index);
    npart__json_value(json->out, "graph", json->paths[at.graph]);
    npart__json_text(json->out, "name", at.name);
    npart__json_text(json->out, "op", at.op);
    npart__json_text(json->out, "domain", at.written_domain);
    npart__json_value(json->out, "verdict", "\"");
}

/* Where it stands in its graph, and where in the exporter's source it comes from. `structure` is four numbers of 32
 * bits as 32 hexadecimal digits, the same in a model in which only names have changed. */
static void node_tail(struct json *json, uint32_t id)
{
    struct npart_origin at = {.size = sizeof at};
    struct npart_structure place = {.size = sizeof place};
    struct npart_node node = {.size = sizeof node};
    (void)npart_model_node_origin(json->model, id, &at);
    json->arena->failed |= npart_inference_structure(json->view, id, &place, NULL) != NPART_OK;
    npart__append_format(json->out, ",\"structure\":\"%08x%08x%08x%08x\"", (unsigned)place.up, (unsigned)place.down,
                         (unsigned)place.around, (unsigned)place.itself);
    npart__json_open(json->out, "at", '{');
    if (at.file) {
        npart__json_string(json->out, "file", at.file, at.file_bytes);
        npart__json_number(json->out, "line", at.line);
    }
    if (at.module)
        npart__json_string(json->out, "module", at.module, at.module_bytes);
    npart__json_close(json->out, '}');
    if (json->detail == NPART_DETAIL_TENSORS && npart_model_node(json->model, id, &node))
        npart__add_json_operands(json->out, &node);
    npart__json_close(json->out, '}');
}

/* Of a live node. It has work, so a failure is one of memory or of a budget. */
static void node_work(struct json *json, uint32_t id)
{
    struct npart_work at = {.size = sizeof at};
    json->arena->failed |= npart_plan_work(json->plan, id, &at, NULL) != NPART_OK;
    if (!json->arena->failed)
        npart__put_work(json->out, "work", &at);
}

/* A node's line: what every target says of it, then verdict, reasons and cause of this one. `ms` is left out where
 * it is not known. */
static void node(struct json *json, uint32_t id)
{
    struct npart_node_plan at = {.size = sizeof at};
    if (!npart_plan_node(json->plan, id, &at))
        return;
    const struct node_text *told = json->model == json->own && json->nodes ? &json->nodes[id] : NULL;
    bool is_elsewhere = false;
    if (told)
        npart__append(json->out, told->head, told->head_length);
    else
        node_head(json, id);
    npart__append_text(json->out, npart_verdict_text(at.verdict));
    npart__append(json->out, "\"", 1);
    npart__json_id(json->out, "into", at.into);
    npart__json_id(json->out, "partition", at.partition);
    npart__json_open(json->out, "reasons", '[');
    if (at.fate != NPART_FATE_LIVE)
        fold_reason(json, &at);
    else
        is_elsewhere = node_reasons(json, id, at.reason_count);
    npart__json_close(json->out, ']');
    npart__json_id(json->out, "cause", at.cause);
    if (at.fate != NPART_FATE_LIVE)
        npart__json_value(json->out, "work", "null");
    else
        node_work(json, id);
    if (at.ms >= 0)
        npart__json_decimal(json->out, "ms", at.ms);
    if (json->is_decided && at.partition != NPART_NONE)
        npart__json_text(json->out, "placed", is_elsewhere ? "elsewhere" : "runtime");
    npart__json_id(json->out, "module", json->module_of[id]);
    if (told)
        npart__append(json->out, told->tail, told->tail_length);
    else
        node_tail(json, id);
}

/* ---- a target ---------------------------------------------------------------------------------------------- */

/* `cut_behind` is the name that the schema gave to the tensors of the user's cut points. Nodes are told by id,
 * tensors by name. */
static void partitions(struct json *json)
{
    struct npart_partition at = {.size = sizeof at};
    NPART__JSON_LIST(json->out, "partitions", i, npart_plan_partition(json->plan, i, &at)) {
        struct npart__object object = npart__open_partition(json->out, NULL, &at, i);
        npart__json_value(json->out, npart__own(&object, "graph"), json->paths[at.graph]);
        value_names(json, npart__own(&object, "inputs"), at.inputs, at.input_count);
        value_names(json, npart__own(&object, "outputs"), at.outputs, at.output_count);
        value_names(json, npart__own(&object, "cut_behind"), at.cuts, at.cut_count);
        npart__json_text(json->out, npart__own(&object, "placed"), json->is_decided ? "runtime" : "npu");
        npart__object_close(&object);
    }
}

static void crossings(struct json *json)
{
    struct npart_crossing at = {.size = sizeof at};
    NPART__JSON_LIST(json->out, "crossings", i, npart_plan_crossing(json->plan, i, &at)) {
        struct npart__object object = npart__open_crossing(json->out, NULL, &at);
        npart__json_text(json->out, npart__own(&object, "tensor"), name_of(json, at.value));
        npart__object_close(&object);
    }
}

/* `native` is null where it is not known what becomes of the format. */
static void precisions(struct json *json)
{
    struct npart_precision at = {.size = sizeof at};
    NPART__JSON_LIST(json->out, "precision", i, npart_plan_precision(json->plan, i, &at)) {
        struct npart__object object = npart__open_precision(json->out, NULL, &at);
        npart__json_value(json->out, npart__own(&object, "native"),
                          at.happens == NPART_HAPPENS_UNKNOWN  ? "null"
                          : at.happens == NPART_HAPPENS_NATIVE ? "true"
                                                               : "false");
        npart__object_close(&object);
    }
}

/* The first call finds them all; ARGUMENT is its word for the end of the list, and no failure. */
static void fusions(struct json *json)
{
    struct npart_fusion at = {.size = sizeof at};
    npart_status status = NPART_OK;
    npart__json_open(json->out, "fusions", '[');
    for (uint32_t i = 0; !json->arena->failed && status == NPART_OK; i++) {
        status = npart_plan_fusion(json->plan, i, &at, NULL);
        json->arena->failed |= npart__is_shortage(status);
        if (status == NPART_OK)
            npart__put_fusion(json->out, NULL, &at);
    }
    npart__json_close(json->out, ']');
}

/* Only tensors that are converted, with the sentence that the text report has. Goes through all values of the graph
 * that the runtime sees. */
static void layouts(struct json *json)
{
    struct npart_value_plan at = {.size = sizeof at};
    npart__json_open(json->out, "layouts", '[');
    for (uint32_t i = 0; !json->arena->failed && npart_plan_value(json->plan, i, &at); i++) {
        if (!at.converted_to)
            continue;
        struct npart__buffer why = {.arena = json->arena};
        npart__add_conversion(&why, json->scratch, json->plan, i, &at);
        npart__put_layout(json->out, NULL, &(struct npart__json_layout){
            .tensor = name_of(json, i), .from = at.layout, .to = at.converted_to, .has_bytes = at.has_bytes,
            .bytes = at.bytes, .node = at.converted_for, .text = npart__buffer_text(&why)});
        npart__buffer_release(&why);
    }
    npart__json_close(json->out, ']');
}

/* Actions refer to each other, so each has an id: "a1" is the first. */
static void action_name(struct json *json, const char *key, uint32_t index)
{
    char name[16];
    (void)snprintf(name, sizeof name, "a%u", (unsigned)index + 1);
    npart__json_text_or_null(json->out, key, index == NPART_NONE ? NULL : name);
}

static void action(struct json *json, uint32_t index, const struct npart_action *at)
{
    struct npart__object object = npart__open_action(json->out, NULL, at);
    action_name(json, npart__own(&object, "id"), index);
    NPART__JSON_LIST(json->out, npart__own(&object, "needs"), i, i < at->need_count)
        action_name(json, NULL, at->needs[i]);
    action_name(json, npart__own(&object, "instead_of"), at->instead_of);
    npart__object_close(&object);
}

/* The plan with sizes that were proposed for the dynamic dims, where one was made. */
static void if_fixed(struct json *json, const npart_plan *fixed)
{
    struct npart_summary at = {.size = sizeof at};
    struct npart_dim_binding binding;
    if (!fixed)
        return;
    npart__json_open(json->out, "if_fixed", '{');
    npart__json_open(json->out, "dims", '{');
    for (uint32_t i = 0; npart_inference_binding(npart_plan_inference(fixed), i, &binding); i++) {
        npart__json_name(json->out, binding.name);
        npart__json_number(json->out, NULL, binding.size);
    }
    npart__json_close(json->out, '}');
    (void)npart_plan_summary(fixed, &at);
    npart__put_summary(json->out, "summary", &at);
    npart__json_close(json->out, '}');
}

/* Left away where there is none, as in nearly all plans. */
static void plan_findings(struct json *json)
{
    struct npart_finding at = {.size = sizeof at};
    if (!npart_plan_finding(json->plan, 0, &at))
        return;
    NPART__JSON_LIST(json->out, "findings", i, npart_plan_finding(json->plan, i, &at))
        npart__put_finding(json->out, NULL, &at);
}

/* Nodes that the precision leaves in float, or whose activations have 16 bits, and weights of 8 bits among those of 4;
 * left away where there are none. */
static void kept_nodes(struct json *json)
{
    const npart_model *model = npart_inference_model(npart_plan_inference(json->plan));
    if (npart_model_kept(model, 0))
        NPART__JSON_LIST(json->out, "kept", i, npart_model_kept(model, i))
            npart__json_text(json->out, NULL, npart_model_kept(model, i));
    if (npart_model_wide(model, 0))
        NPART__JSON_LIST(json->out, "wide", i, npart_model_wide(model, i))
            npart__json_text(json->out, NULL, npart_model_wide(model, i));
    if (npart_model_widened(model, 0))
        NPART__JSON_LIST(json->out, "widened", i, npart_model_widened(model, i))
            npart__json_text(json->out, NULL, npart_model_widened(model, i));
}

/* Nodes know their modules by these lists, which are found before anything is written of a node. Taken anew for
 * each target, as the graph of another may have more nodes. A node of no module stays NPART_NONE. */
static void find_modules(struct json *json)
{
    struct npart_module at = {.size = sizeof at};
    npart_status status = NPART_OK;
    json->module_of = npart__arena_zeroed(json->arena, json->info.node_count + (size_t)1, sizeof *json->module_of);
    for (uint32_t i = 0; !json->arena->failed && i < json->info.node_count; i++)
        json->module_of[i] = NPART_NONE;
    for (uint32_t m = 0; !json->arena->failed && status == NPART_OK; m++) {
        status = npart_plan_module(json->plan, m, &at, NULL);
        json->arena->failed |= npart__is_shortage(status);
        for (uint32_t i = 0; status == NPART_OK && i < at.own_count; i++)
            json->module_of[at.own[i]] = m;
    }
}

/* find_modules has had them found and has seen whether that failed, so here any other status is the end of the
 * list. */
static void modules(struct json *json)
{
    struct npart_module at = {.size = sizeof at};
    NPART__JSON_LIST(json->out, "modules", i,
                     !json->arena->failed && npart_plan_module(json->plan, i, &at, NULL) == NPART_OK)
        npart__put_module(json->out, NULL, &at);
}

/* All nodes have a line, folded and fused ones, too: a node's place in the list is its id. */
static void nodes_and_partitions(struct json *json)
{
    uint32_t count;
    find_modules(json);
    NPART__JSON_LIST(json->out, "nodes", i, i < json->info.node_count && !json->arena->failed)
        node(json, i);
    const uint32_t *order = npart_plan_order(json->plan, &count);
    npart__json_ids(json->out, "order", order, count);
    modules(json);
    partitions(json);
}

/* An empty list where no advice was made. */
static void actions(struct json *json, const npart_advice *advice)
{
    struct npart_action at = {.size = sizeof at};
    NPART__JSON_LIST(json->out, "advice", i, npart_advice_action(advice, i, &at))
        action(json, i, &at);
}

/* How much is told depends on --detail: a summary, causes, or every node. Roots are told in each case: they are
 * what reports of many models are compared by. */
static void target(struct json *json, const struct npart_plan_pair *plans)
{
    struct npart_oplist_info oplist = {.size = sizeof oplist};
    struct npart_summary summary = {.size = sizeof summary};
    struct npart__object object = npart__open_target(json->out, NULL, &json->plan_info);
    (void)npart_oplist_info(npart_plan_oplist(json->plan), &oplist);
    (void)npart_plan_summary(json->plan, &summary);
    npart__json_text(json->out, npart__own(&object, "target"), oplist.name);
    npart__put_summary(json->out, npart__own(&object, "summary"), &summary);
    npart__add_json_release(json->out, json->plan);
    npart__add_json_decided(json->out, json->plan);
    plan_findings(json);
    kept_nodes(json);
    npart__add_json_compiled(json->out, json->plan);
    if (npart__tells_nodes(json->detail))
        nodes_and_partitions(json);
    if (json->detail == NPART_DETAIL_TENSORS)
        npart__add_json_tensors(json->out, json->scratch, json->plan);
    if (json->detail != NPART_DETAIL_SUMMARY)
        npart__add_json_causes(json->out, "causes", json->plan);
    npart__add_json_roots(json->out, json->plan);
    if (npart__tells_nodes(json->detail)) {
        crossings(json);
        layouts(json);
        fusions(json);
    }
    npart__add_json_cost(json->out, plans);
    npart__add_json_memory(json->out, json->plan, json->detail);
    precisions(json);
    actions(json, plans->advice);
    if_fixed(json, plans->fixed);
    npart__object_close(&object);
}

/* ---- the whole ---------------------------------------------------------------------------------------------- */

/* Writes what `write` writes of each node to one text; `ends[i]` is where the text of node i ends. `apart` has no
 * plan: what is written must be the same for all targets. One text and not one for each node: a piece of memory for
 * each would cost more than what stands in it. */
static const char *write_nodes(const struct json *json, void (*write)(struct json *json, uint32_t id), size_t *ends)
{
    struct npart__buffer buffer;
    struct json apart = {.arena = json->arena,
                         .out = &buffer,
                         .model = json->model,
                         .view = json->view,
                         .paths = json->paths,
                         .detail = json->detail};
    npart__buffer_init(&buffer, json->arena);
    for (uint32_t i = 0; i < json->info.node_count; i++) {
        write(&apart, i);
        ends[i] = buffer.size;
    }
    return npart__keep_text(&buffer);
}

/* With several targets the heads and tails of all nodes are written once and copied: they are most of the report.
 * The memory is that of a node list without reasons, which a report of one target does not need. The two texts are
 * made in one pass each; `ends` has those of the heads, then those of the tails. */
static void make_node_texts(struct json *json)
{
    uint32_t count = json->info.node_count;
    struct node_text *texts = npart__arena_zeroed(json->arena, count + (size_t)1, sizeof *texts);
    size_t *ends = npart__arena_zeroed(json->arena, 2 * (count + (size_t)1), sizeof *ends);
    if (!texts || !ends)
        return;
    const char *heads = write_nodes(json, node_head, ends), *tails = write_nodes(json, node_tail, ends + count);
    for (uint32_t i = 0; i < count && !json->arena->failed; i++) {
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
    json->paths = npart__arena_zeroed(json->arena, json->info.graph_count, sizeof *json->paths);
    for (uint32_t i = 0; i < json->info.graph_count && !json->arena->failed; i++) {
        struct npart__buffer quoted = {.arena = json->arena};
        while (npart__buffer_lacks(json->scratch, npart_model_graph_path(json->model, i, NPART__ROOM(json->scratch))))
            continue;
        npart__append_json_string(&quoted, json->scratch->data, json->scratch->size);
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
    const npart_model *own = npart_inference_model(npart_plan_inference(plan));
    if (own != json->own)
        json->nodes = NULL; /* of the model in another precision */
    json->own = own;
    json->info.size = sizeof json->info;
    json->plan_info.size = sizeof json->plan_info;
    json->is_decided = npart_plan_decided(plan, &(struct npart_decided){.size = sizeof(struct npart_decided)});
    (void)npart_plan_info(plan, &json->plan_info);
    (void)npart_model_info(json->model, &json->info);
    (void)npart_oplist_info(npart_plan_oplist(plan), &oplist);
    json->rules = npart__arena_zeroed(json->arena, oplist.all_rule_count + (size_t)1, sizeof *json->rules);
    if (!json->arena->failed)
        make_paths(json);
    if (for_many && !json->nodes && json->model == json->own && !json->arena->failed)
        make_node_texts(json);
}

/* By the user's own limit, or one of the library's. */
const char *npart_failure_code(const struct npart_error *error)
{
    static const struct {
        npart_status status;
        const char *code;
    } rows[] = {{NPART_ERROR_READ, "read"},       {NPART_ERROR_MALFORMED, "malformed"}, {NPART_ERROR_LIMIT, "limit"},
                {NPART_ERROR_TIMEOUT, "timeout"}, {NPART_ERROR_MEMORY, "memory"},       {NPART_ERROR_WRITE, "write"}};
    if (error && error->status == NPART_ERROR_LIMIT && strstr(error->message, "(max-memory)"))
        return "max-memory";
    for (size_t i = 0; error && i < NPART__COUNT(rows); i++)
        if (rows[i].status == error->status)
            return rows[i].code;
    return "other";
}

void npart__failure_json(struct npart__report *report)
{
    const struct npart_subject *subject = report->subject;
    struct npart__buffer *out = &report->out;
    npart__json_begin(out, JSON_SCHEMA, subject->made_with);
    npart__json_value(out, "findings", "[]");
    npart__json_open(out, "model", '{');
    npart__json_text(out, "path", subject->model);
    npart__json_close(out, '}');
    npart__json_open(out, "error", '{');
    npart__json_text(out, "code", subject->code ? subject->code : npart_failure_code(subject->why));
    npart__json_text(out, "place", subject->why->place);
    npart__json_text(out, "text", subject->why->message);
    npart__json_close(out, '}');
    npart__append_text(out, ",\"targets\":[]}\n");
}

/* Head and model once, then a target after the other; each is written as soon as it is made. A report that fails
 * stops within the line, and its status says so: what was written is no JSON then. */
void npart__plans_json(struct npart__report *report)
{
    size_t count = report->subject->count;
    struct npart__buffer *out = &report->out;
    struct json json = {
        .arena = &report->arena, .out = out, .scratch = &report->scratch, .detail = report->options->detail};
    bool tells_again = count > 1 && npart__tells_nodes(json.detail);
    for (size_t i = 0; i < count && !report->arena.failed; i++) {
        if (i && !npart__turn_to_plan(report, i))
            return;
        see_plan(&json, report->pair.plan, tells_again);
        if (i == 0) {
            npart__json_begin(out, JSON_SCHEMA, report->subject->made_with);
            model(&json);
            npart__json_open(out, "targets", '[');
        }
        if (!report->arena.failed)
            target(&json, &report->pair);
    }
    npart__append_text(out, "]}\n");
}
