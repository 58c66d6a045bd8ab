/* SPDX-License-Identifier: Apache-2.0
 *
 * One node for a person who wants to know why (--explain NODE): what it is, with the types of
 * its operands, and every rule that speaks of it, whether it is met or not. A text may name
 * several nodes, as the same name stands in several bodies, and there may be several targets.
 */
#include "report/page.h"

/* ---- what it is ------------------------------------------------------------------------------------------ */

/* The type as the target's runtime knows it: names of dims are the model's, so it is put as text from outside. */
static void put_type(struct npart__page *page, uint32_t value)
{
    while (npart__buffer_lacks(page->scratch, npart_inference_type_text(page->view, value, NPART__ROOM(page->scratch))))
        continue;
    npart__put_outside(page, page->scratch->data, page->scratch->size);
}

/* For instance " in X float32[1,3,224,224] input, graph input". A value that is known before the model runs is
 * "constant", whoever makes it; a result says no more than that. The operand's name is "" for an operator that the
 * standard does not have. */
static void operand(struct npart__page *page, const struct npart_operand *at, bool is_output)
{
    struct npart_value value = {.size = sizeof value, .name = ""};
    struct npart_value_plan placed = {.size = sizeof placed};
    struct npart_node producer = {.size = sizeof producer};
    (void)npart_inference_value(page->view, at->value, &value);
    (void)npart_plan_value(page->plan, at->value, &placed);
    npart__append_format(page->out, "  %s %-10.*s ", is_output ? "out" : "in ", (int)at->name_bytes, at->name);
    put_type(page, at->value);
    npart__put(page, "  ");
    npart__paint(page, NPART__DIM);
    npart__put_text(page, value.name);
    bool is_made = npart_model_node(page->model, value.producer, &producer);
    if (placed.is_constant)
        npart__put(page, ", constant");
    else if (!is_output)
        npart__put(page, is_made ? ", from " : ", graph input");
    if (!placed.is_constant && !is_output && is_made)
        npart__put_text(page, producer.op);
    npart__paint(page, "0");
    npart__put(page, "\n");
}

/* An operand that is left out has no line. */
static void operands(struct npart__page *page, uint32_t node, bool is_output)
{
    struct npart_operand at = {.size = sizeof at};
    for (uint32_t i = 0; npart_model_operand(page->model, node, is_output, i, &at) && !page->arena->failed; i++)
        if (at.value != NPART_NONE)
            operand(page, &at, is_output);
}

/* The page must be turned to a plan, whose runtime's types are shown. */
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

/* All words take seven columns, so that the sentences below each other begin at the same one. What fails to compile
 * is not met, too; the requirement's line says the rest. */
static void outcome(struct npart__page *page, enum npart_outcome outcome, bool is_unsupported)
{
    static const struct {
        const char *word, *color;
    } looks[] = {
        [NPART_OUTCOME_MET] = {"ok     ", NPART__GREEN},       [NPART_OUTCOME_NOT_MET] = {"NOT MET", NPART__RED},
        [NPART_OUTCOME_FAILS] = {"NOT MET", NPART__RED},       [NPART_OUTCOME_UNKNOWN] = {"unknown", NPART__MAGENTA},
        [NPART_OUTCOME_NOTE] = {"note   ", NPART__DIM},        [NPART_OUTCOME_NO_NOTE] = {"n/a    ", NPART__DIM},
        [NPART_OUTCOME_ELSEWHERE] = {"NOT MET", NPART__YELLOW},
    };
    npart__put(page, "  ");
    npart__painted(page, looks[outcome].color, is_unsupported ? "NO     " : looks[outcome].word);
    npart__put(page, " ");
}

/* "hexagon/Conv/rank-X, line 12: ", the source follows. */
static void put_rule_id(struct npart__page *page, const struct npart_rule *rule)
{
    npart__put(page, "          ");
    npart__put_text(page, rule->id);
    npart__append_format(page->out, ", line %u: ", rule->line);
}

/* Empty texts where there is no such rule, so that no caller has to ask. */
static void get_rule(const struct npart__page *page, uint32_t id, struct npart_rule *rule)
{
    *rule = (struct npart_rule){.size = sizeof *rule, .id = "", .text = "", .source = "", .advice = "", .because = "",
                               .standing = ""};
    (void)npart_oplist_rule(npart_plan_oplist(page->plan), id, rule);
}

/* Below the sentences, which begin at column 10: two blanks, a word of seven columns and one more blank. */
static void indented(struct npart__page *page, const char *before, const char *text)
{
    npart__put(page, "          ");
    npart__put(page, before);
    npart__wrapped(page, text, 10 + (uint32_t)strlen(before), 12);
    npart__put(page, "\n");
}

/* The requirement, what was found, why it is required, and where that stands. What was found stands with "found"
 * before it where the requirement is not met or may not be; where it is met, it is what the rule has looked at. */
static void checked_rule(struct npart__page *page, const struct npart_reason *at, const char *found)
{
    struct npart_rule rule;
    bool is_unmet = at->outcome == NPART_OUTCOME_NOT_MET || at->outcome == NPART_OUTCOME_FAILS ||
                    at->outcome == NPART_OUTCOME_ELSEWHERE;
    bool has_failed = is_unmet || at->outcome == NPART_OUTCOME_UNKNOWN;
    get_rule(page, at->rule, &rule);
    /* An op that is not supported at all has no requirement that could be met. */
    outcome(page, at->outcome, is_unmet && rule.about == NPART_ABOUT_OP && !*found);
    struct npart__buffer sentence = {.arena = page->arena};
    npart__append_text(&sentence, rule.text);
    if (rule.kind == NPART_RULE_ELSEWHERE && page->decided.by)
        npart__append_format(&sentence, " (otherwise: not on the %s)", page->decided.units[0]);
    npart__wrapped(page, npart__buffer_text(&sentence), 10, 10);
    npart__buffer_release(&sentence);
    npart__put(page, rule.is_fatal ? " (otherwise: fails to compile)\n" : "\n");
    npart__paint(page, NPART__DIM);
    if (*found)
        indented(page, has_failed ? "found " : "", found);
    if (*rule.because)
        indented(page, "because ", rule.because);
    put_rule_id(page, &rule);
    /* put_rule_id has taken 19 columns beside the id and the number of the line; 24 leaves five for that. */
    npart__wrapped(page, *rule.source ? rule.source : "no source", 24 + (uint32_t)strlen(rule.id), 12);
    npart__put(page, "\n");
    npart__paint(page, "0");
}

/* Also those after the stage that decided: who mends one thing wants to know the next. Asked again with more room
 * where what was found does not fit. */
static void checked_rules(struct npart__page *page, uint32_t node)
{
    struct npart_reason at = {.size = sizeof at};
    for (uint32_t i = 0; !page->arena->failed; i++) {
        bool is_there;
        do
            is_there = npart_plan_check(page->plan, node, i, &at, NPART__ROOM(page->scratch));
        while (is_there && npart__buffer_lacks(page->scratch, at.found_bytes));
        if (!is_there)
            return;
        checked_rule(page, &at, npart__buffer_text(page->scratch));
    }
}

/* Whether a rule is among those that were checked, and so told already. Asked without a buffer for what was found,
 * so no rule is tried twice for its text. All rules of the node are asked for each of its reasons; both are few. */
static bool is_told(const struct npart__page *page, uint32_t node, uint32_t rule)
{
    struct npart_reason at = {.size = sizeof at};
    for (uint32_t i = 0; npart_plan_check(page->plan, node, i, &at, NULL, 0); i++)
        if (at.rule == rule)
            return true;
    return false;
}

/* Reasons that no rule of the op gives: a partition that runs on the CPU, a cut, a unit. */
static void other_reason(struct npart__page *page, uint32_t id)
{
    struct npart_rule rule;
    get_rule(page, id, &rule);
    indented(page, "", rule.text);
    if (*rule.advice)
        indented(page, "", rule.advice);
    npart__paint(page, NPART__DIM);
    if (*rule.because)
        indented(page, "because ", rule.because);
    put_rule_id(page, &rule);
    npart__put_text(page, *rule.source ? rule.source : "no source");
    if (strcmp(rule.standing, "reported") == 0)
        npart__put(page, " (reported by users)");
    npart__put(page, "\n");
    npart__paint(page, "0");
}

/* The verdict, after the rules that led to it. Of a live node, so two of the verdicts do not come here. Reasons
 * that were told as rules are passed over, and nothing is looked for that was found. */
static void decision(struct npart__page *page, uint32_t node, const struct npart_node_plan *at)
{
    static const char *const words[] = {
        [NPART_VERDICT_CPU] = "CPU", [NPART_VERDICT_FAIL] = "fails to compile",
        [NPART_VERDICT_UNKNOWN] = "undecided"};
    struct npart_reason reason = {.size = sizeof reason};
    bool is_later = page->decided.by && at->verdict == NPART_VERDICT_NPU, is_elsewhere = false;
    for (uint32_t i = 0; is_later && npart_plan_reason(page->plan, node, i, &reason, NULL, 0); i++)
        is_elsewhere |= reason.outcome == NPART_OUTCOME_ELSEWHERE;
    npart__painted(page, NPART__BOLD, "  verdict ");
    npart__put(page, is_later ? "taken by " : at->verdict == NPART_VERDICT_NPU ? page->info.unit : words[at->verdict]);
    if (is_later)
        npart__put_text(page, page->decided.by);
    if (at->partition != NPART_NONE)
        npart__append_format(page->out, ", in partition %u", at->partition);
    npart__put(page, is_elsewhere ? ", not on the " : "");
    if (is_elsewhere)
        npart__put_text(page, page->decided.units[0]);
    npart__put(page, "\n");
    for (uint32_t i = 0; npart_plan_reason(page->plan, node, i, &reason, NULL, 0); i++)
        if (!is_told(page, node, reason.rule))
            other_reason(page, reason.rule);
}

/* Of a node that is fused, what is said of the one that it is part of. A node that was removed has no rules; one
 * that is fused has those of the node that it is part of. That may be fused into another in turn: then its rules
 * are told and no verdict. */
static void one_node(struct npart__page *page, uint32_t node)
{
    struct npart_node_plan at = {.size = sizeof at};
    (void)npart_plan_node(page->plan, node, &at);
    if (at.fate != NPART_FATE_LIVE) {
        npart__painted(page, NPART__BOLD, "  verdict ");
        npart__append_format(page->out, "removed before partitioning: %s\n", at.fate_text);
        if (at.into == NPART_NONE)
            return;
        npart__put(page, "          ");
        npart__put_place(page, at.into);
        npart__put(page, "\n");
        node = at.into;
        (void)npart_plan_node(page->plan, node, &at);
    }
    checked_rules(page, node);
    if (at.fate == NPART_FATE_LIVE)
        decision(page, node, &at);
}

/* A heading for each target, even where there is one: its name says which variant and switches. */
static void node_of_target(struct npart__page *page, const npart_plan *plan, uint32_t node)
{
    npart__page_turn(page, plan);
    npart__put(page, "\n");
    npart__put_target(page);
    npart__put(page, "\n");
    one_node(page, node);
}

/* ---- which nodes ------------------------------------------------------------------------------------------ */

/* What the node is stands once, with the types that the first target's runtime knows; what is said of it stands for
 * each target. */
static void explain_node(struct npart__page *page, const struct npart_plan_pair *plans, size_t count, uint32_t node)
{
    npart__page_turn(page, plans[0].plan);
    head(page, node);
    for (size_t i = 0; i < count; i++)
        node_of_target(page, plans[i].plan, node);
}

/* Of the model's own nodes, for all targets. False when there is none. Their ids are the same in the graphs that
 * runtimes see, so each is asked of every plan. */
static bool explain_own(struct npart__page *page, const struct npart_plan_pair *plans, size_t count, const char *text)
{
    const npart_model *own = npart_inference_model(npart_plan_inference(plans[0].plan));
    uint32_t node = npart_model_find_node(own, text, 0);
    bool is_found = node != NPART_NONE;
    for (; node != NPART_NONE && !page->arena->failed; node = npart_model_find_node(own, text, node + 1))
        explain_node(page, plans, count, node);
    return is_found;
}

/* No node is called so: the only one that holds the text, or a list of those that do. False when there is none. */
static bool explain_matches(struct npart__page *page, const struct npart_plan_pair *plans, size_t count,
                            const char *text)
{
    uint32_t *nodes, matches = npart__find_matches(page, npart_plan_inference(plans[0].plan), text, &nodes);
    if (matches == 1)
        explain_node(page, plans, count, nodes[0]);
    for (size_t i = 0; matches > 1 && i < count && !page->arena->failed; i++) {
        npart__page_turn(page, plans[i].plan);
        npart__put(page, i ? "\n" : "");
        npart__put_matches(page, text, nodes, matches);
    }
    return matches > 0;
}

/* Of those that a target's runtime puts in the place of one, for that alone. Their ids come
 * after the model's own, and differ between targets. */
static bool explain_added(struct npart__page *page, const npart_plan *plan, const char *text)
{
    struct npart_model_info own = {.size = sizeof own};
    const npart_model *seen = npart_inference_model(npart_plan_view(plan));
    (void)npart_model_info(npart_inference_model(npart_plan_inference(plan)), &own);
    uint32_t node = npart_model_find_node(seen, text, own.node_count);
    bool is_found = node != NPART_NONE;
    for (; node != NPART_NONE && !page->arena->failed; node = npart_model_find_node(seen, text, node + 1)) {
        npart__page_turn(page, plan);
        head(page, node);
        node_of_target(page, plan, node);
    }
    return is_found;
}

/* Fails with the nearest names where no node is called so; what is written is closed in any case.
 * Exact names come first: what merely holds the text is looked for only where nothing is called so. */
void npart__node_text(struct npart__report *report)
{
    const struct npart_plan_pair *plans = report->subject->plans;
    const char *node = report->subject->node;
    size_t count = report->subject->count;
    npart_status status = NPART_OK;
    struct npart__page turned, *page = npart__page_open(&turned, report);
    npart__page_turn(page, plans[0].plan);
    bool is_found = explain_own(page, plans, count, node);
    for (size_t i = 0; i < count; i++)
        is_found |= explain_added(page, plans[i].plan, node);
    if (!is_found && !explain_matches(page, plans, count, node))
        status = npart__fail_node(page, node, report->error);
    if (!report->arena.failed)
        report->status = status;
}
