/* SPDX-License-Identifier: Apache-2.0
 *
 * One node for a person who wants to know why: what it is, and every rule that speaks of it.
 */
#include "report/page.h"

/* ---- which node ------------------------------------------------------------------------------------------ */

static bool is_number_of(const struct npart__graph *graph, uint32_t node, const char *text)
{
    uint64_t number = 0;
    const char *digit = text;
    for (; *digit >= '0' && *digit <= '9' && number < UINT32_MAX; digit++)
        number = number * 10 + (uint64_t)(*digit - '0');
    return digit != text && !*digit && graph->nodes.items[node].scope == 0 &&
           graph->nodes.items[node].index == number;
}

static bool is_called(const struct npart__graph *graph, uint32_t node, const char *text)
{
    const struct npart__node *at = &graph->nodes.items[node];
    if (strcmp(at->name, text) == 0 || is_number_of(graph, node, text))
        return true;
    for (uint32_t i = 0; i < at->output_count; i++) {
        uint32_t value = npart__node_output(graph, at, i);
        if (value != NPART_NONE && strcmp(npart__value_name(graph, value), text) == 0)
            return true;
    }
    return false;
}

uint32_t npart__find_node(const struct npart__graph *graph, const char *text, uint32_t from)
{
    for (uint32_t i = from; *text && i < graph->nodes.count; i++)
        if (is_called(graph, i, text))
            return i;
    return NPART_NONE;
}

/* ---- what it is ------------------------------------------------------------------------------------------ */

static void put_fact(struct npart__page *page, uint32_t value)
{
    struct npart__inference *inference = page->plan->inference;
    struct npart__buffer text;
    npart__buffer_init(&text, page->out->arena);
    npart__append_fact(&text, &inference->expressions, npart__fact_of(inference, value));
    npart__put_text(page, npart__buffer_text(&text));
    page->out->failed |= text.failed;
}

static void operands(struct npart__page *page, uint32_t id, bool is_output)
{
    const struct npart__plan *plan = page->plan;
    const struct npart__node *node = &page->graph->nodes.items[id];
    uint32_t count = is_output ? node->output_count : node->input_count;
    for (uint32_t i = 0; i < count; i++) {
        struct npart__operand operand = {0};
        uint32_t value =
            is_output ? npart__node_output(page->graph, node, i) : npart__node_input(page->graph, node, i);
        if (value == NPART_NONE)
            continue;
        bool is_named = node->schema && (is_output ? npart__operator_output(node->schema, i, &operand)
                                                   : npart__operator_input(node->schema, i, &operand));
        npart__append_format(page->out, "  %s %-10.*s ", is_output ? "out" : "in ",
                             is_named ? (int)operand.name_length : 0, is_named ? operand.name : "");
        put_fact(page, value);
        npart__put(page, "  ");
        npart__paint(page, NPART__DIM);
        npart__put_text(page, npart__value_name(page->graph, value));
        uint32_t producer = page->graph->values.items[value].producer;
        if (plan->session.is_constant[value])
            npart__put(page, ", constant");
        else if (!is_output)
            npart__put(page, producer != NPART_NONE ? ", from " : ", input of its graph");
        if (!plan->session.is_constant[value] && !is_output && producer != NPART_NONE)
            npart__put_text(page, npart__node_op(page->graph, &page->graph->nodes.items[producer]));
        npart__paint(page, "0");
        npart__put(page, "\n");
    }
}

static void head(struct npart__page *page, uint32_t node)
{
    npart__paint(page, NPART__BOLD);
    npart__put_place(page, node);
    npart__paint(page, "0");
    npart__put(page, "\n");
    operands(page, node, false);
    operands(page, node, true);
}

/* ---- what is said of it ----------------------------------------------------------------------------------- */

static void outcome(struct npart__page *page, const struct npart__rule *rule, enum npart__truth truth)
{
    static const struct {
        const char *word, *color;
    } looks[] = {
        [NPART__FALSE] = {"no     ", NPART__RED},
        [NPART__MAYBE] = {"unknown", NPART__MAGENTA},
        [NPART__TRUE] = {"yes    ", NPART__GREEN},
    };
    npart__put(page, "  ");
    if (rule->kind == NPART__RULE_CAP && truth == NPART__FALSE)
        truth = NPART__MAYBE; /* a `maybe` that does not hold */
    if (rule->kind == NPART__RULE_NOTE)
        npart__painted(page, NPART__DIM, truth == NPART__TRUE ? "note   " : "       ");
    else
        npart__painted(page, looks[truth].color, looks[truth].word);
    npart__put(page, " ");
}

static void tried_rule(struct npart__page *page, uint32_t node, const struct npart__tried *tried)
{
    const struct npart__plan *plan = page->plan;
    const struct npart__rule *rule = &plan->target.oplist->rules.items[tried->rule];
    struct npart__buffer seen;
    outcome(page, rule, (enum npart__truth)tried->truth);
    npart__wrapped(page, rule->sentence, 10, 10);
    npart__put(page, rule->is_fatal ? " (else the session fails)\n" : "\n");
    npart__paint(page, NPART__DIM);
    npart__buffer_init(&seen, page->out->arena);
    bool has_failed = tried->truth != NPART__TRUE && rule->kind != NPART__RULE_NOTE;
    if (has_failed)
        (void)npart__rule_found(&plan->target, &plan->session, tried->rule, node, &seen);
    else
        npart__append_seen(&plan->target, &plan->session, tried->rule, node, &seen);
    if (seen.size) {
        npart__put(page, "          ");
        npart__wrapped(page, npart__buffer_text(&seen), 10, 12);
        npart__put(page, "\n");
    }
    npart__put(page, "          ");
    npart__put_text(page, rule->id);
    npart__append_format(page->out, ", line %u: ", rule->line);
    npart__wrapped(page, *rule->source ? rule->source : "no source", 24 + (uint32_t)strlen(rule->id), 12);
    npart__put(page, "\n");
    npart__paint(page, "0");
    page->out->failed |= seen.failed;
}

/* Whether a rule is among those that were tried, and so told already. */
static bool is_told(const struct npart__tried_rules *tried, uint32_t rule)
{
    for (uint32_t i = 0; i < tried->items.count; i++)
        if (tried->items.items[i].rule == rule)
            return true;
    return false;
}

static void decision(struct npart__page *page, uint32_t node, const struct npart__tried_rules *tried)
{
    static const char *const words[] = {
        [NPART__CPU] = "CPU", [NPART__NPU] = "NPU", [NPART__FAIL] = "the session fails",
        [NPART__UNDECIDED] = "unknown"};
    const struct npart__plan *plan = page->plan;
    const struct npart__mask *mask = &plan->mask;
    npart__painted(page, NPART__BOLD, "  verdict ");
    npart__put(page, words[mask->verdicts[node]]);
    if (plan->partitioning.partition_of[node] != NPART_NONE)
        npart__append_format(page->out, ", in partition %u", plan->partitioning.partition_of[node]);
    npart__put(page, "\n");
    for (uint32_t i = mask->first_reason[node]; i < mask->first_reason[node + 1]; i++) {
        uint32_t id = mask->reasons.items[i].rule;
        const struct npart__rule *rule = &plan->target.oplist->rules.items[id];
        if (is_told(tried, id))
            continue;
        npart__put(page, "          ");
        npart__wrapped(page, rule->sentence, 10, 10);
        npart__put(page, "\n");
        if (rule->advice) {
            npart__put(page, "          ");
            npart__wrapped(page, rule->advice, 10, 10);
            npart__put(page, "\n");
        }
        npart__paint(page, NPART__DIM);
        npart__put(page, "          ");
        npart__put_text(page, rule->id);
        npart__append_format(page->out, ", line %u: ", rule->line);
        npart__put_text(page, *rule->source ? rule->source : "no source");
        npart__put(page, "\n");
        npart__paint(page, "0");
    }
}

static void one_node(struct npart__page *page, uint32_t node)
{
    const struct npart__plan *plan = page->plan;
    enum npart__fate folded = (enum npart__fate)plan->session.fates[node];
    uint32_t into = npart__fused_into(&plan->session, node);
    struct npart__tried_rules tried;
    if (folded != NPART__FATE_LIVE) {
        npart__painted(page, NPART__BOLD, "  verdict ");
        npart__append_format(page->out, "gone before partitioning: %s\n", npart__fate_sentence(folded));
        if (into == NPART_NONE)
            return;
        npart__put(page, "          ");
        npart__put_place(page, into);
        npart__put(page, "\n");
        node = into;
    }
    if (!npart__explain_node(&plan->target, &plan->session, node, page->out->arena, &tried)) {
        page->out->failed = true;
        return;
    }
    for (uint32_t i = 0; i < tried.items.count; i++)
        tried_rule(page, node, &tried.items.items[i]);
    decision(page, node, &tried);
}

static void node_of_target(struct npart__page *page, const struct npart__plan *plan, uint32_t node)
{
    page->plan = plan;
    page->graph = plan->graph;
    npart__put(page, "\n");
    npart__put_target(page);
    npart__put(page, "\n");
    one_node(page, node);
}

/* The model's own nodes for all targets; those that a target's runtime puts in the place of one, for that alone. */
bool npart__report_explain(const struct npart__plan_pair *pairs, size_t count, const char *text,
                           const struct npart_report_options *options, struct npart__buffer *out)
{
    const struct npart__graph *own = pairs[0].plan->asked->graph;
    struct npart__page page = {.out = out, .options = options, .plan = pairs[0].plan, .graph = own};
    bool is_found = false;
    page.width = npart__page_width(options);
    for (uint32_t node = npart__find_node(own, text, 0); node != NPART_NONE;
         node = npart__find_node(own, text, node + 1)) {
        is_found = true;
        page.plan = pairs[0].plan;
        page.graph = page.plan->graph;
        head(&page, node);
        for (size_t i = 0; i < count; i++)
            node_of_target(&page, pairs[i].plan, node);
    }
    for (size_t i = 0; i < count; i++) {
        const struct npart__graph *graph = pairs[i].plan->graph;
        for (uint32_t node = npart__find_node(graph, text, own->nodes.count); node != NPART_NONE;
             node = npart__find_node(graph, text, node + 1)) {
            is_found = true;
            page.plan = pairs[i].plan;
            page.graph = graph;
            head(&page, node);
            node_of_target(&page, pairs[i].plan, node);
        }
    }
    return is_found;
}
