/* SPDX-License-Identifier: Apache-2.0 */
#include "advice/words.h"

/* One more is shown where it would only be "and 1 more". "a", "a and b", "a, b, c and d"; of five "a, b, c and 2
 * more". */
void npart__append_names(const char *const *names, uint32_t count, struct npart__buffer *out)
{
    uint32_t shown = count <= NPART__NAMES_SHOWN + 1 ? count : NPART__NAMES_SHOWN;
    for (uint32_t i = 0; i < shown; i++) {
        bool is_last = i + 1 == count;
        npart__append_text(out, i == 0 ? "" : is_last ? " and " : ", ");
        npart__append_text(out, names[i]);
    }
    if (shown < count)
        npart__append_format(out, " and %u more", count - shown);
}

/* ---- what stands in braces --------------------------------------------------------------------------------- */

/* What a text in braces may ask. The row of the causes is not always that of the text: an alternative has the causes
 * of the row whose place it takes. */
struct words {
    const struct npart__plan *plan;
    const uint32_t *row_of;
    uint32_t row; /* of the causes */
    const struct npart__group *group;
    struct npart__buffer *out;
};

static const struct npart__cause *cause_at(const struct words *words, uint32_t id)
{
    return &words->plan->causes.items.items[id];
}

static const struct npart__rule *first_rule(const struct words *words)
{
    const struct npart__oplist *oplist = words->plan->target.oplist;
    return &oplist->rules.items[cause_at(words, words->group->first_cause)->rule];
}

/* Adds the op of a node to those that are named, once; false when there is room for no more. */
static void add_op(const struct words *words, uint32_t node, uint32_t *ops, uint32_t most, uint32_t *count)
{
    const struct npart__graph *graph = words->plan->graph;
    for (uint32_t i = 0; i < *count; i++)
        /* By the interned name, so one comparison. */
        if (npart__node_at(graph, ops[i])->op_type == npart__node_at(graph, node)->op_type)
            return;
    if (*count < most)
        ops[(*count)++] = node;
}

/* Whether each of its nodes has it by itself: there is no root, and no body that they stand in. A body's rule
 * stops all nodes of the body at once, though one thing would be changed: the node that holds it. */
static bool is_each(const struct words *words, uint32_t id)
{
    const struct npart__cause *cause = cause_at(words, id);
    const struct npart__oplist *oplist = words->plan->target.oplist;
    return cause->root == NPART_NONE && cause->symbol == NPART_NONE && cause->cut_value == NPART_NONE &&
           !(oplist->bodies_stay && cause->rule == oplist->bodies_rule);
}

/* By the operators at the roots; of causes that are each node's own, by those of the nodes. At most 16 are looked
 * for, as no more are shown than npart__append_names does. */
static void ops(const struct words *words)
{
    enum { MOST = 16 };
    const struct npart__plan *plan = words->plan;
    uint32_t nodes[MOST], count = 0;
    const char *names[MOST];
    for (uint32_t c = 0; c < plan->causes.items.count; c++) {
        uint32_t node = words->row_of[c] == words->row ? npart__case_of(plan, c).node : NPART_NONE;
        if (node != NPART_NONE)
            add_op(words, node, nodes, MOST, &count);
    }
    for (uint32_t i = 0; i < plan->graph->nodes.count; i++) {
        uint32_t c = plan->causes.cause_of[i];
        if (c != NPART_NONE && words->row_of[c] == words->row && is_each(words, c))
            add_op(words, i, nodes, MOST, &count);
    }
    for (uint32_t i = 0; i < count; i++)
        names[i] = npart__node_op(plan->graph, npart__node_at(plan->graph, nodes[i]));
    if (count == 0)
        npart__append_text(words->out, "the nodes");
    npart__append_names(names, count, words->out);
}

/* "`/layer.0/Mul` and 23 more": nodes at which it starts. The others are counted, not named: causes in a row that
 * start at one node count once. */
static void at(const struct words *words)
{
    const struct npart__plan *plan = words->plan;
    uint32_t first = npart__case_of(plan, words->group->first_cause).node, count = 0, before = first;
    for (uint32_t c = 0; c < plan->causes.items.count; c++) {
        if (words->row_of[c] != words->row)
            continue;
        uint32_t node = is_each(words, c) ? NPART_NONE : npart__case_of(plan, c).node;
        if (is_each(words, c))
            count += cause_at(words, c)->affected_count - (cause_at(words, c)->first_affected == first);
        else if (node != before && node != first)
            count++;
        before = node;
    }
    /* Only dims of inputs and the user's cuts begin at no node. */
    if (first == NPART_NONE) {
        npart__append_text(words->out, "the inputs");
        return;
    }
    const struct npart__node *node = npart__node_at(plan->graph, first);
    if (*node->name)
        npart__append_format(words->out, "`%s`", node->name);
    else
        npart__append_format(words->out, "node %u", node->index);
    if (count)
        npart__append_format(words->out, " and %u more", count);
}

/* The highest that a cause of the group needs. */
static void opset(const struct words *words)
{
    npart__append_format(words->out, "%lld", (long long)words->group->opset);
}

static void only(const struct words *words)
{
    /* Of use to whoever has no exporter at hand: a file can be given another import by hand. */
    if (words->group->is_import_only)
        npart__append_text(words->out, ", where only the opset import changes");
}

/* Name and title of the variant that was chosen; nothing where none was. */
static void variant(const struct words *words)
{
    const struct npart__oplist *oplist = words->plan->target.oplist;
    if (words->group->variant == NPART_NONE)
        return;
    const struct npart__variant *chosen = &oplist->variants.items[words->group->variant];
    npart__append_format(words->out, "%s (%s)", chosen->name, chosen->title);
}

static void release(const struct words *words)
{
    npart__append_text(words->out, words->group->release ? words->group->release : "");
}

static void target(const struct words *words)
{
    npart__append_text(words->out, words->plan->target.oplist->name);
    npart__append_text(words->out, words->group->target ? words->group->target : "");
}

/* In which the model's weights are. */
static void format(const struct words *words)
{
    const struct npart__precision *at = npart__foreign_format(words->plan, words->group->variant);
    npart__append_text(words->out, at ? at->told.format : "them");
}

static void tensors(const struct words *words)
{
    const struct npart__tail *tail = words->group->tail;
    const char *names[NPART__LIMIT_CUT_TENSORS];
    for (uint32_t i = 0; tail && i < tail->tensor_count; i++)
        names[i] = npart__value_name(words->plan->graph, tail->tensors[i]);
    npart__append_names(names, tail ? tail->tensor_count : 0, words->out);
}

/* Where the user cuts. Names are cut short, as values of exporters may be long. */
static void cuts(const struct words *words)
{
    enum { MOST = 16 };
    char names[MOST][64];
    const char *listed[MOST];
    uint32_t count = 0;
    for (uint32_t c = 0; c < words->plan->causes.items.count && count < MOST; c++) {
        uint32_t value = cause_at(words, c)->cut_value;
        if (words->row_of[c] != words->row || value == NPART_NONE)
            continue;
        npart__shorten(names[count], sizeof names[count], npart__value_name(words->plan->graph, value));
        listed[count] = names[count];
        count++;
    }
    npart__append_names(listed, count, words->out);
}

/* The requirement of the first cause's rule; a group's causes may be of several. */
static void rule(const struct words *words)
{
    npart__append_text(words->out, first_rule(words)->sentence);
}

/* Rows with {advice} are for rules that have one (WHEN_ADVISED, or by their ids). */
static void advice(const struct words *words)
{
    const char *text = first_rule(words)->advice;
    npart__append_text(words->out, text ? text : "");
}

/* Braces are closed in all texts of the table, and what stands in them is looked for among twelve words. */
void npart__append_action_text(const struct npart__plan *plan, const uint32_t *row_of, uint32_t causes_row,
                               const struct npart__group *group, struct npart__buffer *out)
{
    static const struct {
        const char *name;
        void (*append)(const struct words *words);
    } all[] = {
        {"ops", ops},         {"at", at},           {"rule", rule},     {"advice", advice}, {"opset", opset},
        {"only", only},       {"variant", variant}, {"tensors", tensors}, {"cuts", cuts},
        {"format", format},   {"target", target},   {"release", release},
    };
    const struct words words = {plan, row_of, causes_row, group, out};
    const char *text = npart__rows[group->row].text;
    while (*text) {
        /* The length without the braces; two more are passed over. */
        size_t plain = strcspn(text, "{"), length = text[plain] ? strcspn(text + plain, "}") - 1 : 0;
        npart__append(out, text, plain);
        text += plain;
        if (!*text)
            return;
        for (size_t i = 0; i < NPART__COUNT(all); i++)
            if (npart__is_text(all[i].name, text + 1, length))
                all[i].append(&words);
        text += length + 2;
    }
}
