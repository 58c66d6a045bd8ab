/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs text cases: a model (test/support/model_text.h), what to do with it, what to expect. test/cases/README.md
 * explains the lines.
 *
 * usage: run_cases FILE.cases...
 *        run_cases --write FOLDER FILE.cases...      only writes each model there
 *        run_cases --neighbours STEP FILE.cases...   only looks at every STEP-th of the models next to each
 *                                                    (test/support/neighbour.h)
 */
#define _POSIX_C_SOURCE 200809L
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/api.h"
#include "support/model_text.h"
#include "support/neighbour.h"

#define MOST_LINES 4096
#define MOST_DIMS 32

struct run {
    const char *file, *folder;
    char title[256];
    unsigned line; /* of the expectation at hand */
    unsigned failures, cases, expectations;
    unsigned step; /* of neighbours; 0: the cases themselves */
    /* the case */
    npart_model *model;
    npart_inference *inference;
    npart_oplist *oplist;
    npart_plan *plan;
    struct npart_error error;
    npart_status status;
    unsigned partitions_seen;
};

struct lines {
    char *text[MOST_LINES];
    unsigned number[MOST_LINES];
    size_t count;
};

static void fail(struct run *run, const char *format, ...)
{
    va_list list;
    fprintf(stderr, "%s:%u: %s: ", run->file, run->line, run->title);
    va_start(list, format);
    vfprintf(stderr, format, list);
    va_end(list);
    fputc('\n', stderr);
    run->failures++;
}

/* ---- words ------------------------------------------------------------------------------------------------- */

static char *next_word(char **text)
{
    char *at = *text + strspn(*text, " "), *end = at + strcspn(at, " ");
    *text = *end ? end + 1 : end;
    *end = '\0';
    return at;
}

static const char *rest_of(char *text)
{
    text += strspn(text, " ");
    size_t length = strlen(text);
    while (length && text[length - 1] == ' ')
        text[--length] = '\0';
    return text;
}

/* ---- finding things ---------------------------------------------------------------------------------------- */

/* With a plan its own: nodes may have given way to others. */
static const struct npart__graph *graph_of(const struct run *run)
{
    return run->plan && run->plan->plan.graph ? run->plan->plan.graph : run->model->graph;
}

static uint32_t find_value(const struct run *run, const char *name)
{
    const struct npart__graph *graph = graph_of(run);
    for (uint32_t i = 0; i < graph->values.count; i++)
        if (strcmp(npart__value_name(graph, i), name) == 0)
            return i;
    return NPART_NONE;
}

/* By "@name", or by the name of one of its outputs; the call itself for the outputs of a function. */
static uint32_t find_node_in(const struct npart__graph *graph, const char *name)
{
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const struct npart__node *node = &graph->nodes.items[i];
        if (*name == '@' && strcmp(node->name, name + 1) == 0)
            return i;
        for (uint32_t k = 0; *name != '@' && k < node->output_count; k++) {
            uint32_t value = npart__node_output(graph, node, k);
            if (value != NPART_NONE && strcmp(npart__value_name(graph, value), name) == 0 &&
                graph->values.items[value].producer == i)
                return i;
        }
    }
    return NPART_NONE;
}

/* Of the file's nodes first, which may have given way to others. */
static uint32_t find_node(const struct run *run, const char *name)
{
    uint32_t node = find_node_in(run->model->graph, name);
    return node == NPART_NONE ? find_node_in(graph_of(run), name) : node;
}

static const char *node_label(const struct run *run, uint32_t id)
{
    const struct npart__graph *graph = graph_of(run);
    const struct npart__node *node = &graph->nodes.items[id];
    for (uint32_t k = 0; k < node->output_count; k++)
        if (npart__node_output(graph, node, k) != NPART_NONE)
            return npart__value_name(graph, npart__node_output(graph, node, k));
    return node->name;
}

/* The labels of nodes with blanks between, in static memory. */
static const char *labels_of(const struct run *run, const uint32_t *nodes, uint32_t count)
{
    static char text[4096];
    size_t used = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < count; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? " " : "", node_label(run, nodes[i]));
    return text;
}

/* ---- expectations ------------------------------------------------------------------------------------------ */

static void compare_text(struct run *run, const char *what, const char *found, const char *wanted)
{
    if (strcmp(found, wanted) != 0)
        fail(run, "%s is\n    %s\nnot\n    %s", what, found, wanted);
}

static void compare_number(struct run *run, const char *what, long long found, const char *wanted)
{
    if (found != strtoll(wanted, NULL, 10))
        fail(run, "%s: %lld, not %s", what, found, wanted);
}

/* What is known of a value, by the plan of those that are not in the file. */
static struct npart__inference *inference_of(const struct run *run, uint32_t value)
{
    return value < run->model->graph->values.count ? run->inference->inference : run->plan->plan.inference;
}

static void append_elements(struct run *run, uint32_t value, struct npart__buffer *out)
{
    struct npart__inference *inference = inference_of(run, value);
    const struct npart__known *known = npart__elements(inference, &inference->facts[value]);
    npart__append_text(out, known ? " =" : " = ?");
    npart__append_text(out, known && known->error != 0 ? " ~" : "");
    for (uint32_t i = 0; known && i < known->count; i++) {
        npart__append_text(out, " ");
        if (known->ints)
            npart__append_dim(out, &inference->expressions, known->ints[i]);
        else
            npart__append_format(out, "%g", known->doubles[i]);
    }
}

static void expect_value(struct run *run, char *text)
{
    const char *name = next_word(&text), *wanted = rest_of(text);
    uint32_t value = find_value(run, name);
    if (value == NPART_NONE) {
        fail(run, "there is no value %s", name);
        return;
    }
    struct npart__buffer found;
    npart__buffer_init(&found, &run->inference->life->arena);
    npart__append_fact(&found, &inference_of(run, value)->expressions, &inference_of(run, value)->facts[value]);
    if (strstr(wanted, " ="))
        append_elements(run, value, &found);
    compare_text(run, name, npart__buffer_text(&found), wanted);
}

static void expect_order(struct run *run, char *text)
{
    const struct npart__scope *scope = &graph_of(run)->scopes.items[0];
    compare_text(run, "order", labels_of(run, graph_of(run)->order + scope->first_order, scope->order_count),
                 rest_of(text));
}

static bool node_of(struct run *run, const char *name, uint32_t *node)
{
    *node = find_node(run, name);
    if (*node == NPART_NONE)
        fail(run, "there is no node %s", name);
    return *node != NPART_NONE;
}

static void expect_folded(struct run *run, char *text)
{
    uint32_t node;
    if (node_of(run, next_word(&text), &node))
        compare_text(run, "fold", npart_fate_text((enum npart_fate)run->plan->plan.session.fates[node]),
                     rest_of(text));
}

static void expect_verdict(struct run *run, char *text)
{
    static const char *const words[] = {"cpu", "npu", "fail", "unknown", "folded", "fused"};
    uint32_t node;
    struct npart_node_plan plan = {.size = sizeof plan};
    if (node_of(run, next_word(&text), &node) && npart_plan_node(run->plan, node, &plan))
        compare_text(run, "verdict", words[plan.verdict], rest_of(text));
}

static void expect_into(struct run *run, char *text)
{
    uint32_t node;
    struct npart_node_plan plan = {.size = sizeof plan};
    if (node_of(run, next_word(&text), &node) && npart_plan_node(run->plan, node, &plan))
        compare_text(run, "into", plan.into == NPART_NONE ? "none" : labels_of(run, &plan.into, 1), rest_of(text));
}

/* expect reason NODE RULE [found]: one of the node's reasons is this. */
static void expect_reason(struct run *run, char *text)
{
    uint32_t node;
    struct npart_reason reason = {.size = sizeof reason};
    char found[512], all[2048] = "";
    if (!node_of(run, next_word(&text), &node))
        return;
    const char *rule = next_word(&text), *wanted = rest_of(text);
    for (uint32_t i = 0; npart_plan_reason(run->plan, node, i, &reason, found, sizeof found); i++) {
        if (strcmp(reason.rule_id, rule) == 0 && (!*wanted || strcmp(found, wanted) == 0))
            return;
        size_t used = strlen(all);
        (void)snprintf(all + used, sizeof all - used, "\n    %s %s", reason.rule_id, found);
    }
    fail(run, "no reason %s %s; there are%s", rule, wanted, *all ? all : " none");
}

static void expect_no_reason(struct run *run, char *text)
{
    uint32_t node;
    struct npart_node_plan plan = {.size = sizeof plan};
    if (node_of(run, next_word(&text), &node) && npart_plan_node(run->plan, node, &plan) && plan.reason_count)
        fail(run, "it has %u reasons", plan.reason_count);
}

static void expect_partition(struct run *run, char *text)
{
    struct npart_partition partition = {.size = sizeof partition};
    if (!npart_plan_partition(run->plan, run->partitions_seen, &partition)) {
        fail(run, "there is no partition %u", run->partitions_seen);
        return;
    }
    run->partitions_seen++;
    compare_text(run, "partition", labels_of(run, partition.nodes, partition.node_count), rest_of(text));
}

static void expect_border(struct run *run, char *text, int kind)
{
    struct npart_partition partition = {.size = sizeof partition};
    uint32_t id = (uint32_t)strtoul(next_word(&text), NULL, 10);
    char found[1024] = "";
    if (!npart_plan_partition(run->plan, id, &partition)) {
        fail(run, "there is no partition %u", id);
        return;
    }
    if (kind == 2) {
        compare_text(run, "end", labels_of(run, partition.ends, partition.end_count), rest_of(text));
        return;
    }
    static const char *const words[] = {"inputs", "outputs", NULL, "cuts"};
    const uint32_t *values = kind == 0 ? partition.inputs : kind == 1 ? partition.outputs : partition.cuts;
    uint32_t count = kind == 0 ? partition.input_count : kind == 1 ? partition.output_count : partition.cut_count;
    for (uint32_t i = 0; i < count; i++) {
        size_t used = strlen(found);
        (void)snprintf(found + used, sizeof found - used, "%s%s", i ? " " : "",
                       npart__value_name(graph_of(run), values[i]));
    }
    compare_text(run, words[kind], found, rest_of(text));
}

static const char *side_text(uint32_t side, char *buffer, size_t bytes)
{
    if (side == NPART_NONE)
        return "cpu";
    (void)snprintf(buffer, bytes, "%u", side);
    return buffer;
}

/* Whether a line is the one that is wanted; if not, it is added to those that the message tells. */
static bool is_wanted(const char *line, const char *wanted, char *all, size_t bytes)
{
    size_t used = strlen(all);
    if (strcmp(line, wanted) == 0)
        return true;
    (void)snprintf(all + used, bytes - used, "\n    %s", line);
    return false;
}

/* expect crossing VALUE FROM TO BYTES */
static void expect_crossing(struct run *run, char *text)
{
    struct npart_crossing crossing = {.size = sizeof crossing};
    char all[4096] = "", from[16], to[16], line[512];
    const char *wanted = rest_of(text);
    for (uint32_t i = 0; npart_plan_crossing(run->plan, i, &crossing); i++) {
        (void)snprintf(line, sizeof line, "%s %s %s ", npart__value_name(graph_of(run), crossing.value),
                       side_text(crossing.from, from, sizeof from), side_text(crossing.to, to, sizeof to));
        size_t used = strlen(line);
        if (crossing.has_bytes)
            (void)snprintf(line + used, sizeof line - used, "%llu", (unsigned long long)crossing.bytes);
        else
            (void)snprintf(line + used, sizeof line - used, "?");
        if (is_wanted(line, wanted, all, sizeof all))
            return;
    }
    fail(run, "no crossing %s; there are%s", wanted, *all ? all : " none");
}

/* expect fusion PATTERN STATE NODES[: TEXT] */
static void expect_fusion(struct run *run, char *text)
{
    struct npart_fusion at = {.size = sizeof at};
    char all[4096] = "", line[1024];
    const char *wanted = rest_of(text);
    for (uint32_t i = 0; npart_plan_fusion(run->plan, i, &at, NULL) == NPART_OK; i++) {
        (void)snprintf(line, sizeof line, "%s %s %s", at.pattern, npart_fusion_state_text(at.state),
                       labels_of(run, at.nodes, at.node_count));
        size_t used = strlen(line);
        if (at.stopped_by)
            (void)snprintf(line + used, sizeof line - used, ": %s", at.stopped_by);
        if (is_wanted(line, wanted, all, sizeof all))
            return;
    }
    fail(run, "no fusion %s; there are%s", wanted, *all ? all : " none");
}

/* expect precision FORMAT HAPPENS NODES ON-NPU[: TEXT] */
static void expect_precision(struct run *run, char *text)
{
    struct npart_precision at = {.size = sizeof at};
    char all[4096] = "", line[1024];
    const char *wanted = rest_of(text);
    for (uint32_t i = 0; npart_plan_precision(run->plan, i, &at); i++) {
        int used = snprintf(line, sizeof line, "%s %s %u %u", at.format, npart_happening_text(at.happens),
                            at.node_count, at.accepted_count);
        if (strcmp(line, wanted) == 0)
            return;
        (void)snprintf(line + used, sizeof line - (size_t)used, ": %s", at.text);
        if (strcmp(line, wanted) == 0)
            return;
        size_t length = strlen(all);
        (void)snprintf(all + length, sizeof all - length, "\n    %s", line);
    }
    fail(run, "no precision %s; there are%s", wanted, *all ? all : " none");
}

/* expect converted VALUE TO NODE BYTES: NODE is the first that needs it so, or "output" of the graph. */
static void expect_converted(struct run *run, char *text)
{
    struct npart_value_plan at = {.size = sizeof at};
    char found[512] = "none", bytes[32] = "?";
    uint32_t value = find_value(run, next_word(&text));
    if (!npart_plan_value(run->plan, value, &at)) {
        fail(run, "there is no such value");
        return;
    }
    if (at.has_bytes)
        (void)snprintf(bytes, sizeof bytes, "%llu", (unsigned long long)at.bytes);
    if (at.converted_to)
        (void)snprintf(found, sizeof found, "%s %s %s", at.converted_to,
                       at.converted_for == NPART_NONE ? "output" : node_label(run, at.converted_for), bytes);
    compare_text(run, "converted", found, rest_of(text));
}

/* expect stands-for VALUE OTHER: what it is at run time; itself, where nothing between is gone. */
static void expect_stands_for(struct run *run, char *text)
{
    struct npart_value_plan at = {.size = sizeof at, .stands_for = 0};
    (void)npart_plan_value(run->plan, find_value(run, next_word(&text)), &at);
    compare_text(run, "stands-for", npart__value_name(graph_of(run), at.stands_for), rest_of(text));
}

/* expect cause N KIND AFFECTED ENDS TEXT */
static void expect_cause(struct run *run, char *text)
{
    struct npart_cause cause = {.size = sizeof cause};
    uint32_t id = (uint32_t)strtoul(next_word(&text), NULL, 10);
    char found[768];
    if (!npart_plan_cause(run->plan, id, &cause, NULL, 0)) {
        fail(run, "there is no cause %u", id);
        return;
    }
    (void)snprintf(found, sizeof found, "%s %u %u %s", npart_cause_kind_text(cause.kind),
                   cause.affected_count, cause.cut_count, cause.text);
    compare_text(run, "cause", found, rest_of(text));
}

/* expect root N KIND RULE OP TEXT: of the N-th cause; - for an op that is none */
static void expect_root(struct run *run, char *text)
{
    struct npart_cause cause = {.size = sizeof cause};
    char found[1024];
    uint32_t id = (uint32_t)strtoul(next_word(&text), NULL, 10);
    if (!npart_plan_cause(run->plan, id, &cause, NULL, 0)) {
        fail(run, "there is no cause %u", id);
        return;
    }
    (void)snprintf(found, sizeof found, "%s %s %s %s", npart_cause_kind_text(cause.kind), cause.root_rule,
                   cause.root_op ? cause.root_op : "-", cause.root_text);
    compare_text(run, "root", found, rest_of(text));
}

static void expect_finding(struct run *run, char *text)
{
    struct npart_finding finding = {.size = sizeof finding};
    const char *code = next_word(&text), *wanted = rest_of(text);
    bool of_inference = false;
    for (uint32_t i = 0;; i++) {
        if (!of_inference && !npart_model_finding(run->model, i, &finding)) {
            of_inference = true;
            i = 0;
        }
        if (of_inference && !npart_inference_finding(run->inference, i, &finding))
            break;
        if (strcmp(finding.code, code) == 0 && (!*wanted || strcmp(finding.text, wanted) == 0))
            return;
    }
    for (uint32_t i = 0; npart_plan_finding(run->plan, i, &finding); i++)
        if (strcmp(finding.code, code) == 0 && (!*wanted || strcmp(finding.text, wanted) == 0))
            return;
    fail(run, "no finding %s %s", code, wanted);
}

static void expect_findings(struct run *run, char *text)
{
    struct npart_model_info model = {.size = sizeof model};
    struct npart_inference_info inference = {.size = sizeof inference};
    npart_model_info(run->model, &model);
    npart_inference_info(run->inference, &inference);
    compare_number(run, "findings", model.finding_count + inference.finding_count, rest_of(text));
}

static void expect_number(struct run *run, const char *what, char *text)
{
    struct npart_summary summary = {.size = sizeof summary};
    struct npart_cost cost = {.size = sizeof cost};
    npart_plan_summary(run->plan, &summary);
    npart_plan_cost(run->plan, &cost);
    struct npart_plan_info info = {.size = sizeof info};
    npart_plan_info(run->plan, &info);
    struct npart_decided decided = {.size = sizeof decided};
    npart_plan_decided(run->plan, &decided);
    const struct {
        const char *name;
        long long value;
    } numbers[] = {
        {"partitions", summary.partitions}, {"switches", summary.switches}, {"live", summary.live},
        {"folded-nodes", summary.folded},   {"accepted", summary.accepted}, {"refused", summary.refused},
        {"failed", summary.failed},         {"unknown", summary.unknown},   {"low", summary.partitions_low},
        {"high", summary.partitions_high},  {"conversions", cost.conversions},
        {"placed-later", summary.placed_later}, {"elsewhere", decided.elsewhere},
        {"crossings", info.crossing_count},
        {"causes", info.cause_count},
        {"bytes-to-npu", (long long)cost.bytes_to_npu},
        {"bytes-to-cpu", (long long)cost.bytes_to_cpu},
        {"macs", summary.has_macs ? (long long)summary.macs : -1},
        {"macs-on-npu", summary.has_macs ? (long long)summary.macs_on_npu : -1},
    };
    for (size_t i = 0; i < NPART__COUNT(numbers); i++) {
        if (strcmp(numbers[i].name, what) == 0) {
            compare_number(run, what, numbers[i].value, rest_of(text));
            return;
        }
    }
    fail(run, "nothing is known of \"expect %s\"", what);
}

static void expect_summary(struct run *run, char *text)
{
    struct npart_summary summary = {.size = sizeof summary};
    npart_plan_summary(run->plan, &summary);
    compare_text(run, "summary", npart_plan_verdict_text(summary.verdict), rest_of(text));
}

/* expect error STATUS PLACE: MESSAGE */
static void expect_error(struct run *run, char *text)
{
    char found[512];
    const char *status = next_word(&text), *wanted = rest_of(text);
    char plain[64];
    (void)snprintf(plain, sizeof plain, "%s", npart_status_text(run->status));
    for (char *at = plain; *at; at++)
        *at = *at == ' ' ? '-' : *at;
    compare_text(run, "status", plain, status);
    (void)snprintf(found, sizeof found, "%s%s%s", run->error.place, *run->error.place ? ": " : "",
                   run->error.message);
    if (*wanted)
        compare_text(run, "error", found, wanted);
}

static void expect(struct run *run, char *text)
{
    static const struct {
        const char *word;
        void (*check)(struct run *run, char *text);
        bool needs_plan;
    } checks[] = {
        {"value", expect_value, false},         {"order", expect_order, false},
        {"folded", expect_folded, true},        {"verdict", expect_verdict, true},
        {"converted", expect_converted, true},  {"fusion", expect_fusion, true},
        {"reason", expect_reason, true},        {"no-reason", expect_no_reason, true},
        {"partition", expect_partition, true},  {"crossing", expect_crossing, true},
        {"cause", expect_cause, true},          {"root", expect_root, true},
        {"finding", expect_finding, false},     {"stands-for", expect_stands_for, true},
        {"findings", expect_findings, false},   {"into", expect_into, true},
        {"summary", expect_summary, true},      {"precision", expect_precision, true},
    };
    const char *what = next_word(&text);
    run->expectations++;
    if (strcmp(what, "error") == 0) {
        expect_error(run, text);
        return;
    }
    if (run->status != NPART_OK) {
        fail(run, "%s: %s", run->error.place, run->error.message);
        return;
    }
    for (size_t i = 0; i < NPART__COUNT(checks); i++) {
        if (strcmp(checks[i].word, what) != 0)
            continue;
        if (checks[i].needs_plan && !run->plan)
            fail(run, "the case has no op list");
        else
            checks[i].check(run, text);
        return;
    }
    if (!run->plan)
        fail(run, "nothing is known of \"expect %s\" without an op list", what);
    else if (strcmp(what, "inputs") == 0 || strcmp(what, "outputs") == 0 || strcmp(what, "end") == 0)
        expect_border(run, text, *what == 'i' ? 0 : *what == 'o' ? 1 : 2);
    else if (strcmp(what, "cuts") == 0)
        expect_border(run, text, 3);
    else
        expect_number(run, what, text);
}

/* ---- a case ------------------------------------------------------------------------------------------------ */

struct script {
    char model[65536], oplist[65536], target[128];
    struct npart_dim_binding dims[MOST_DIMS];
    uint32_t dim_count;
    struct npart_plan_options plan;
    const char *cuts[16];
    bool has_oplist, ignores_value_info, is_onnxruntime;
};

static void append_line(char *text, size_t bytes, const char *line)
{
    size_t used = strlen(text);
    if (used + strlen(line) + 2 > bytes)
        exit(99);
    (void)snprintf(text + used, bytes - used, "%s\n", line);
}

static int compare_names(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static void begin_oplist(struct script *script)
{
    append_line(script->oplist, sizeof script->oplist, "format 1\ntarget t");
    if (script->is_onnxruntime)
        append_line(script->oplist, sizeof script->oplist, "runtime onnxruntime");
    script->has_oplist = true;
}

/* accept OP...: an op list that takes these and nothing else. */
static void accept_ops(struct script *script, char *text)
{
    char *names[256];
    size_t count = 0;
    for (char *name = next_word(&text); *name && count < 256; name = next_word(&text))
        names[count++] = name;
    qsort(names, count, sizeof *names, compare_names);
    begin_oplist(script);
    for (size_t i = 0; i < count; i++) {
        char line[128];
        (void)snprintf(line, sizeof line, "op %s", names[i]);
        append_line(script->oplist, sizeof script->oplist, line);
    }
}

/* A line that is about the analysis; false for a line of the model. */
static bool script_line(struct script *script, char *line)
{
    char copy[4096], *text = copy;
    (void)snprintf(copy, sizeof copy, "%s", line);
    const char *word = next_word(&text);
    if (strcmp(word, "accept") == 0) {
        accept_ops(script, text);
    } else if (strcmp(word, "runtime") == 0) {
        script->is_onnxruntime = true;
    } else if (strcmp(word, "dim") == 0) {
        char *request = strdup(rest_of(text)), *equals = request ? strrchr(request, '=') : NULL;
        if (!equals || script->dim_count == MOST_DIMS)
            exit(99);
        *equals = '\0';
        bool is_limit = strncmp(equals + 1, "..", 2) == 0;
        script->dims[script->dim_count++] = (struct npart_dim_binding){
            .name = request, .size = strtoll(equals + (is_limit ? 3 : 1), NULL, 10), .is_limit = is_limit};
    } else if (strcmp(word, "level") == 0) {
        script->plan.level = strcmp(rest_of(text), "off") == 0 ? NPART_LEVEL_OFF : NPART_LEVEL_BASIC;
    } else if (strcmp(word, "partitioner") == 0) {
        script->plan.partitioner = strdup(rest_of(text));
    } else if (strcmp(word, "cut") == 0) {
        if (script->plan.cut_count == NPART__COUNT(script->cuts))
            exit(99);
        script->plan.cuts = script->cuts;
        script->cuts[script->plan.cut_count++] = strdup(rest_of(text));
    } else if (strcmp(word, "gates") == 0) {
        script->plan.gates = strdup(rest_of(text));
    } else if (strcmp(word, "target") == 0) {
        (void)snprintf(script->target, sizeof script->target, "%s", rest_of(text));
    } else if (strcmp(word, "ignore-value-info") == 0) {
        script->ignores_value_info = true;
    } else {
        return false;
    }
    return true;
}

static void read_script(struct script *script, const struct lines *lines)
{
    bool in_oplist = false;
    for (size_t i = 0; i < lines->count; i++) {
        char *line = lines->text[i];
        bool is_end = strcmp(line, "end-oplist") == 0;
        if (strcmp(line, "oplist") == 0) {
            begin_oplist(script);
            in_oplist = true;
        } else if (is_end) {
            in_oplist = false;
        } else if (in_oplist) {
            bool is_include = strncmp(line, "include ", 8) == 0; /* it brings the target's line */
            if (is_include && strcmp(script->oplist, "format 1\ntarget t\n") == 0)
                (void)snprintf(script->oplist, sizeof script->oplist, "format 1\n");
            append_line(script->oplist, sizeof script->oplist, line);
        } else if (strncmp(line, "expect ", 7) != 0 && !script_line(script, line)) {
            append_line(script->model, sizeof script->model, line);
        }
    }
}

static void prepare(struct run *run, struct script *script)
{
    struct bytes bytes = model_from_text(script->model);
    struct npart_inference_options sizes = NPART_INFERENCE_OPTIONS_INIT;
    sizes.dims = script->dims;
    sizes.dim_count = script->dim_count;
    sizes.ignore_value_info = script->ignores_value_info;
    memset(&run->error, 0, sizeof run->error);
    run->status = npart_model_read_memory(&run->model, bytes.data, bytes.size, NULL, &run->error);
    bytes_free(&bytes);
    if (run->status == NPART_OK)
        run->status = npart_inference_make(&run->inference, run->model, &sizes, &run->error);
    if (run->status == NPART_OK && script->has_oplist)
        run->status = npart_oplist_read_memory(&run->oplist, script->oplist, strlen(script->oplist), "case.ops", NULL,
                                               &run->error);
    if (run->status == NPART_OK && !script->has_oplist && *script->target)
        run->status = npart_oplist_find(&run->oplist, script->target, NULL, &run->error);
    if (run->status == NPART_OK && run->oplist)
        run->status = npart_plan_make(&run->plan, run->inference, run->oplist,
                                      *script->target ? script->target : NULL, &script->plan, &run->error);
}

/* Different ones for each case; those that a failure of the case itself is about have no plan to be held. */
static void look_at_neighbours(struct run *run, struct script *script)
{
    const char *target = *script->target ? script->target : NULL;
    const npart_oplist *oplist = run->plan ? run->oplist : NULL;
    const char *problem = hold_for_neighbours(script->model, run->cases % run->step, run->step, oplist, target);
    if (problem)
        fail(run, "%s", problem);
}

static void write_model(struct run *run, const struct script *script)
{
    char path[4096];
    struct bytes bytes = model_from_text(script->model);
    const char *slash = strrchr(run->file, '/'), *name = slash ? slash + 1 : run->file;
    (void)snprintf(path, sizeof path, "%s/%.*s-%05u.onnx", run->folder, (int)strcspn(name, "."), name, run->cases);
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(bytes.data, 1, bytes.size, file) != bytes.size || fclose(file) != 0)
        fail(run, "%s: cannot write", path);
    bytes_free(&bytes);
}

static void run_case(struct run *run, const struct lines *lines)
{
    static struct script script;
    bool has_expectation = false;
    memset(&script, 0, sizeof script);
    script.plan = (struct npart_plan_options)NPART_PLAN_OPTIONS_INIT;
    read_script(&script, lines);
    run->cases++;
    run->partitions_seen = 0;
    if (run->folder)
        write_model(run, &script);
    else
        prepare(run, &script);
    if (run->step)
        look_at_neighbours(run, &script);
    for (size_t i = 0; i < lines->count && !run->folder && !run->step; i++) {
        if (strncmp(lines->text[i], "expect ", 7) != 0)
            continue;
        has_expectation = true;
        run->line = lines->number[i];
        expect(run, lines->text[i] + 7);
    }
    if (!has_expectation && !run->folder && !run->step)
        fail(run, "the case expects nothing");
    npart_plan_free(run->plan);
    npart_oplist_free(run->oplist);
    npart_inference_free(run->inference);
    npart_model_free(run->model);
    run->plan = NULL;
    run->oplist = NULL;
    run->inference = NULL;
    run->model = NULL;
    for (uint32_t i = 0; i < script.dim_count; i++)
        free((void *)(uintptr_t)script.dims[i].name);
    free((void *)(uintptr_t)script.plan.partitioner);
    free((void *)(uintptr_t)script.plan.gates);
    for (uint32_t i = 0; i < script.plan.cut_count; i++)
        free((void *)(uintptr_t)script.cuts[i]);
}

static void flush_case(struct run *run, struct lines *lines)
{
    if (*run->title)
        run_case(run, lines);
    for (size_t i = 0; i < lines->count; i++)
        free(lines->text[i]);
    lines->count = 0;
}

static void run_file(struct run *run, const char *path)
{
    static struct lines lines;
    char line[4096];
    unsigned number = 0;
    FILE *file = fopen(path, "r");
    if (!file) {
        fprintf(stderr, "%s: cannot open\n", path);
        run->failures++;
        return;
    }
    run->file = path;
    run->title[0] = '\0';
    while (fgets(line, sizeof line, file)) {
        number++;
        line[strcspn(line, "\r\n")] = '\0';
        const char *start = line + strspn(line, " ");
        if (strncmp(line, "== ", 3) == 0) {
            flush_case(run, &lines);
            (void)snprintf(run->title, sizeof run->title, "%.*s", (int)sizeof run->title - 1, line + 3);
        } else if (*start && *start != '#' && *run->title && lines.count < MOST_LINES) {
            lines.number[lines.count] = number;
            lines.text[lines.count++] = strdup(start);
        }
    }
    flush_case(run, &lines);
    fclose(file);
}

int main(int argc, char **argv)
{
    struct run run = {0};
    bool writes = argc > 2 && strcmp(argv[1], "--write") == 0;
    bool looks_around = argc > 2 && strcmp(argv[1], "--neighbours") == 0;
    run.folder = writes ? argv[2] : NULL;
    run.step = looks_around ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    for (int i = writes || looks_around ? 3 : 1; i < argc; i++)
        run_file(&run, argv[i]);
    printf("%u cases, %u expectations, %u failed\n", run.cases, run.expectations, run.failures);
    if (run.cases == 0)
        fprintf(stderr, "run_cases: no case was run\n");
    return run.failures || run.cases == 0 ? 1 : 0;
}
