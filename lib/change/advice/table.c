/* SPDX-License-Identifier: Apache-2.0 */
#include "advice/table.h"
#include "advice/what_if.h"

const struct npart__row npart__rows[] = {
#define ACTION(targets, abouts, rules, ops, types, when, kind, trial, argument, equality, text)                        \
    {targets,  abouts,   rules, ops, types, NPART__WHEN_##when, NPART__KIND_##kind, NPART__TRY_##trial,                \
     argument, equality, text},
#include "advice/actions.def"
#undef ACTION
};
const uint32_t npart__row_count = NPART__COUNT(npart__rows);

/* Words of the JSON contract (docs/json.md). */
const char *npart__kind_word(enum npart__row_kind kind)
{
    static const char *const words[] = {
        [NPART__KIND_DIMS] = "dims",         [NPART__KIND_OPSET] = "opset",       [NPART__KIND_EXPORTER] = "exporter",
        [NPART__KIND_REWRITE] = "rewrite",   [NPART__KIND_QUANTIZE] = "quantize", [NPART__KIND_VARIANT] = "variant",
        [NPART__KIND_SWITCH] = "switch",     [NPART__KIND_CUT] = "cut",           [NPART__KIND_OPTION] = "option",
        [NPART__KIND_NONE] = "none",         [NPART__KIND_RELEASE] = "release",   [NPART__KIND_END] = "end",
        [NPART__KIND_BEGIN] = "begin",
    };
    return words[kind];
}

/* ---- words ------------------------------------------------------------------------------------------------- */

/* Rules by their ids without the list's name, as one row serves the lists of several targets. */
static bool lists_pattern(const char *list, const char *text)
{
    const char *end = list + strlen(list), *at;
    size_t length;
    while (npart__next_part(&list, end, ' ', &at, &length))
        if (npart__fits_pattern(at, length, text))
            return true;
    return false;
}

/* ---- cases ------------------------------------------------------------------------------------------------- */

/* Three sorts of cause: of the user's cut or of an input's dim, which have no node; of sizes that are lost at a node,
 * the root; and all others, which start at the first node they affect. */
struct npart__case npart__case_of(const struct npart__plan *plan, uint32_t id)
{
    const struct npart__cause *cause = &plan->causes.items.items[id];
    struct npart__case made = {.plan = plan, .cause = id, .node = NPART_NONE};
    if (cause->cut_value != NPART_NONE || (cause->symbol != NPART_NONE && cause->root == NPART_NONE))
        return made;
    if (cause->root != NPART_NONE) {
        made.node = cause->root;
        return made;
    }
    made.node = cause->first_affected;
    /* The rule is about the body as such: what can be changed is the node with the body. */
    if (plan->target.oplist->bodies_stay && cause->rule == plan->target.oplist->bodies_rule)
        made.node = npart__holder_of(plan->graph, made.node);
    uint32_t value = npart__rule_culprit(&plan->target, &plan->session, &plan->mask, cause->rule,
                                         cause->first_affected);
    if (value != NPART_NONE)
        /* Of the operand that the rule names. */
        made.type = npart__fact_of(plan->session.inference, value)->element_type;
    return made;
}

/* ---- what rows ask ----------------------------------------------------------------------------------------- */

/* The opset nearest to the node's for which the rule's stage has an entry of its op: later, or earlier. Linear in
 * the list's entries; asked only of causes that are about a missing entry. 0: the stage has no other entry of that
 * op in this direction. */
static int64_t opset_with_entry(const struct npart__case *about, bool is_later)
{
    const struct npart__plan *plan = about->plan;
    const struct npart__oplist *oplist = plan->target.oplist;
    const struct npart__node *node = npart__node_at(plan->graph, about->node);
    const struct npart__rule *rule = &oplist->rules.items[plan->causes.items.items[about->cause].rule];
    int64_t best = 0;
    for (uint32_t i = 0; i < oplist->ops.count; i++) {
        const struct npart__op_entry *entry = &oplist->ops.items[i];
        bool is_same = entry->stage == rule->stage && strcmp(entry->name, npart__node_op(plan->graph, node)) == 0 &&
                       strcmp(entry->domain, npart__text(&plan->graph->strings, node->domain)) == 0;
        if (is_same && is_later && entry->first_version > node->opset_version && (!best || entry->first_version < best))
            best = entry->first_version;
        if (is_same && !is_later && entry->last_version < node->opset_version && entry->last_version > best)
            best = entry->last_version;
    }
    return best;
}

/* Whether the model has such a word: it is an operator's, mostly. All of a graph's strings are interned, so this
 * is one look-up, though a value of that name would deceive it. */
static bool has_word(const struct npart__graph *graph, const char *word)
{
    return npart__strings_find_text(&graph->strings, word) != NPART_NONE;
}

/* Operators that read and write pictures and texts. */
static const char extensions[] = "com.microsoft.extensions";

static bool is_extension(const struct npart__graph *graph, const struct npart__node *node)
{
    return strcmp(npart__text(&graph->strings, node->domain), extensions) == 0;
}

/* NATIVE and UNTOLD formats need no other variant; others say on which one they would be native. */
const struct npart__precision *npart__foreign_format(const struct npart__plan *plan, uint32_t variant)
{
    for (uint32_t i = 0; i < plan->precisions.items.count; i++) {
        const struct npart__precision *at = &plan->precisions.items.items[i];
        bool is_told = at->told.happens == NPART_HAPPENS_NATIVE || at->told.happens == NPART_HAPPENS_UNKNOWN;
        uint32_t native = is_told ? NPART_NONE : at->variant;
        if (native != NPART_NONE &&
            (variant == NPART_NONE || npart__is_native_on(&plan->target, variant, at->format)))
            return at;
    }
    return NULL;
}

/* Whether its first operand is dequantized, or its first result quantized. The first user stands for all, as
 * quantizers put one QuantizeLinear after a node. */
static bool is_quantized(const struct npart__graph *graph, const struct npart__node *node)
{
    uint32_t input = npart__node_input(graph, node, 0), output = npart__node_output(graph, node, 0);
    if (input != NPART_NONE && npart__plays(graph, npart__producer(graph, input), NPART__ROLE_DEQUANTIZES))
        return true;
    const struct npart__value *made = output == NPART_NONE ? NULL : npart__value_at(graph, output);
    return made && made->consumer_count &&
           npart__plays(graph, graph->consumers[made->first_consumer], NPART__ROLE_QUANTIZES);
}

/* With such a switch the list describes another program than the one that runs the model. */
static bool is_of_another_program(const struct npart__oplist *oplist, uint32_t of)
{
    for (uint32_t i = 0; i < oplist->runtimes.count; i++)
        if (oplist->runtimes.items[i].when.with == of)
            return true;
    return false;
}

uint32_t npart__lifting_switch(const struct npart__oplist *oplist, uint32_t rule)
{
    for (uint32_t i = 0; i < oplist->policies.count; i++) {
        uint32_t lifting = oplist->policies.items[i].when.without;
        if (oplist->policies.items[i].rule == rule)
            return lifting == NPART_NONE || is_of_another_program(oplist, lifting) ? NPART_NONE : lifting;
    }
    return NPART_NONE;
}

/* Whether it is the release that was asked for that has the rule, or by which it does not hold. The newest stands for
 * all that are newer: which of them is to be taken is found by planning. */
static bool holds_when_newer(const struct npart__plan *plan, const struct npart__cause *cause)
{
    struct npart__target newest = plan->target;
    const struct npart__oplist *oplist = newest.oplist;
    if (newest.toolchain + 1 >= oplist->toolchains.count || newest.standing == NPART_RELEASE_OLDER)
        return false;
    npart__target_take_toolchain(&newest, oplist->toolchains.count - 1);
    return cause->first_affected != NPART_NONE &&
           (!npart__target_has(&newest, oplist->rules.items[cause->rule].when) ||
            npart__rule_found(&newest, &plan->session, NULL, cause->rule, cause->first_affected, NULL) == NPART__TRUE);
}

/* Rows of one cause share the case: those that look for an opset leave it there for the action's text. */
static bool holds(enum npart__row_when when, struct npart__case *about)
{
    const struct npart__plan *plan = about->plan;
    const struct npart__oplist *oplist = plan->target.oplist;
    const struct npart__cause *cause = &plan->causes.items.items[about->cause];
    const struct npart__node *node = about->node == NPART_NONE ? NULL : npart__node_at(plan->graph, about->node);
    switch (when) {
    case NPART__WHEN_ALWAYS:
    case NPART__WHEN_LAST:
        return true;
    case NPART__WHEN_INPUT_DIM:
        return cause->symbol != NPART_NONE && cause->root == NPART_NONE;
    case NPART__WHEN_SHAPED_LATER:
        /* an earlier row may have left one */
        about->opset = 0;
        return node && cause->root != NPART_NONE && npart__lacks_shapes(node, &about->opset) && about->opset > 0;
    case NPART__WHEN_PROCESSED:
        return node && (is_extension(plan->graph, node) ||
                        (cause->root != NPART_NONE && has_word(plan->graph, extensions)));
    case NPART__WHEN_ADDED_LATER:
    case NPART__WHEN_DROPPED:
        about->opset = node && cause->rule == oplist->stages[oplist->rules.items[cause->rule].stage].missing_rule
                           ? opset_with_entry(about, when == NPART__WHEN_ADDED_LATER)
                           : 0;
        return about->opset > 0;
    case NPART__WHEN_INTEGERS:
        return cause->rule == oplist->integer_rule;
    case NPART__WHEN_LIFTED:
        return npart__lifting_switch(oplist, cause->rule) != NPART_NONE;
    case NPART__WHEN_USER_CUT:
        return cause->cut_value != NPART_NONE;
    case NPART__WHEN_OVERRIDDEN:
        return cause->rule == oplist->assumed_cpu_rule;
    case NPART__WHEN_RELEASED:
        return node && holds_when_newer(plan, cause);
    case NPART__WHEN_ADVISED:
        return oplist->rules.items[cause->rule].advice != NULL;
    case NPART__WHEN_NATIVE:
        return npart__foreign_format(plan, NPART_NONE) != NULL;
    case NPART__WHEN_QUANTIZED:
        return node && is_quantized(plan->graph, node);
    }
    return false;
}

/* What a look at strings tells comes first, `holds` last, as it may search. */
bool npart__row_suits(const struct npart__row *row, struct npart__case *about)
{
    const struct npart__plan *plan = about->plan;
    const struct npart__cause *cause = &plan->causes.items.items[about->cause];
    const struct npart__oplist *oplist = plan->target.oplist;
    const char *word = npart_cause_kind_text((enum npart_cause_kind)cause->about);
    /* What follows the name of the list is asked for. */
    const char *id = oplist->rules.items[cause->rule].id, *slash = strchr(id, '/');
    const char *type = npart__type_name(about->type);
    return (!*row->targets || npart__lists_word(row->targets, oplist->name)) &&
           (!*row->abouts || npart__lists_word(row->abouts, word)) &&
           (!*row->rules || lists_pattern(row->rules, slash ? slash + 1 : id)) &&
           (!*row->types || npart__lists_word(row->types, type)) &&
           (!*row->ops || (about->node != NPART_NONE && npart__lists_op(plan->graph, row->ops, about->node))) &&
           holds((enum npart__row_when)row->when, about);
}
