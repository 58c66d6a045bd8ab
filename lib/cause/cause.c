/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes that fall back, grouped by why. A dynamic dim is traced to the symbol it is made of, and through that
 * to the graph's input or to the node whose result's size depends on the data; everything else is grouped by rule.
 */
#include <stdlib.h>

#include "cause/cause.h"

const struct npart__reason *npart__first_reason(const struct npart__oplist *oplist, const struct npart__mask *mask,
                                                uint32_t node)
{
    const struct npart__reason *best = NULL;
    int best_rank = 0;
    for (uint32_t i = mask->first_reason[node]; i < mask->first_reason[node + 1]; i++) {
        const struct npart__reason *reason = &mask->reasons.items[i];
        const struct npart__rule *rule = &oplist->rules.items[reason->rule];
        if (rule->kind == NPART__RULE_NOTE)
            continue;
        int rank = reason->truth == NPART__MAYBE ? 1 : rule->is_fatal ? 2 : 3;
        if (rank > best_rank) {
            best = reason;
            best_rank = rank;
        }
    }
    return best;
}

struct finder {
    const struct npart__target *target;
    const struct npart__oplist *oplist;
    const struct npart__inference *known; /* all that is known; symbols are its */
    const struct npart__graph *graph;
    const struct npart__session *session;
    const struct npart__mask *mask;
    const struct npart__partitioning *partitioning;
    struct npart__arena *arena;
    struct npart__causes *out;
    uint32_t *by_rule;   /* cause + 1 */
    uint32_t *by_op;     /* by interned op type: cause + 1, of ops that have no entry */
    uint32_t *by_symbol; /* cause + 1 */
    uint32_t *by_node;   /* cause + 1, of nodes whose results have no rank */
    uint32_t *input_of;  /* by symbol: value + 1 of the first graph input whose shape has it */
    bool failed;
};

/* ---- roots of dynamic shapes ------------------------------------------------------------------------------ */

/* The symbol behind the first dim of a value that is no number; NPART_NONE when there is none. */
static uint32_t symbol_behind(const struct npart__inference *inference, uint32_t value)
{
    const struct npart__fact *fact = npart__fact_of(inference, value);
    uint32_t root = NPART_NONE;
    for (uint32_t i = 0; fact->has_rank && i < fact->rank && root == NPART_NONE; i++)
        if (!npart__is_number(fact->dims[i]))
            root = npart__root_symbol(&inference->expressions, fact->dims[i]);
    return root;
}

/* The node at which the runtime lost what shape the value has. */
static uint32_t node_that_lost_shape(const struct finder *finder, uint32_t value)
{
    uint32_t symbol = symbol_behind(finder->session->inference, value);
    return symbol == NPART_NONE ? npart__rank_lost_at(finder->session->inference, value)
                                : finder->session->inference->expressions.symbols.items[symbol].node;
}

/* ---- making causes ---------------------------------------------------------------------------------------- */

static uint32_t new_cause(struct finder *finder, uint32_t rule)
{
    struct npart__cause cause = {
        .about = finder->oplist->rules.items[rule].about, .rule = rule, .symbol = NPART_NONE, .root = NPART_NONE,
        .cut_value = NPART_NONE};
    if (!NPART__PUSH(finder->arena, &finder->out->items, cause)) {
        finder->failed = true;
        return NPART_NONE;
    }
    return finder->out->items.count - 1;
}

/* The cause in a slot, made when the slot is empty. */
static uint32_t cause_in(struct finder *finder, uint32_t *slot, uint32_t rule, bool *is_new)
{
    *is_new = *slot == 0;
    if (*is_new) {
        uint32_t made = new_cause(finder, rule);
        if (made == NPART_NONE)
            return made;
        *slot = made + 1;
    }
    return *slot - 1;
}

static const char *node_text(struct finder *finder, uint32_t node)
{
    char text[160];
    npart__describe_node(finder->graph, node, text, sizeof text);
    const char *copy = npart__arena_copy_text(finder->arena, text, strlen(text));
    finder->failed |= !copy;
    return copy ? copy : "";
}

static void note_inputs(struct finder *finder)
{
    const struct npart__scope *scope = &finder->graph->scopes.items[0];
    for (uint32_t i = 0; i < scope->input_count; i++) {
        uint32_t value = finder->graph->operands.items[scope->first_input + i];
        const struct npart__fact *fact = npart__fact_of(finder->known, value);
        for (uint32_t k = 0; k < fact->rank; k++) {
            uint32_t symbol = npart__root_symbol(&finder->known->expressions, fact->dims[k]);
            if (symbol != NPART_NONE && finder->input_of[symbol] == 0)
                finder->input_of[symbol] = value + 1;
        }
    }
}

/* The name of the first input whose shape has the symbol, or NULL. */
static const char *input_with_symbol(const struct finder *finder, uint32_t symbol)
{
    uint32_t value = finder->input_of[symbol];
    return value ? npart__value_name(finder->graph, value - 1) : NULL;
}

/* A node whose result has no shape: nobody knows it, or the runtime does not. */
static uint32_t shapeless_cause(struct finder *finder, uint32_t rule, uint32_t value)
{
    bool is_new, is_known = npart__fact_of(finder->known, value)->has_rank;
    uint32_t node = node_that_lost_shape(finder, value);
    if (node == NPART_NONE)
        return cause_in(finder, &finder->by_rule[rule], rule, &is_new);
    uint32_t cause = cause_in(finder, &finder->by_node[node], rule, &is_new);
    if (!is_new || cause == NPART_NONE)
        return cause;
    const struct npart__operator *schema = finder->graph->nodes.items[node].schema;
    finder->out->items.items[cause].root = node;
    bool is_unshaped = schema && npart__operator_flags(schema) & NPART__OPERATOR_UNSHAPED;
    const char *text = node_text(finder, node);
    finder->out->items.items[cause].text =
        is_known && is_unshaped
            ? npart__arena_format(finder->arena,
                                  "%s has no shape inference at opset %d, so the shapes after it are unknown", text,
                                  finder->graph->nodes.items[node].opset_version)
        : is_known ? npart__arena_format(finder->arena, "%s: the runtime cannot infer its output shape", text)
                   : npart__arena_format(finder->arena, "%s has an output of unknown rank", text);
    finder->failed |= !finder->out->items.items[cause].text;
    return cause;
}

static uint32_t dynamic_cause(struct finder *finder, uint32_t rule, uint32_t value)
{
    bool is_new;
    uint32_t root = symbol_behind(finder->known, value), cause;
    if (root == NPART_NONE)
        return shapeless_cause(finder, rule, value);
    const struct npart__symbol *symbol = &finder->known->expressions.symbols.items[root];
    cause = cause_in(finder, &finder->by_symbol[root], rule, &is_new);
    if (!is_new || cause == NPART_NONE)
        return cause;
    struct npart__cause *made = &finder->out->items.items[cause];
    const char *input = input_with_symbol(finder, root);
    made->symbol = root;
    made->root = input ? NPART_NONE : symbol->node;
    if (symbol->node != NPART_NONE && !input)
        made->text = npart__arena_format(finder->arena, "%s has a data-dependent output shape",
                                         node_text(finder, symbol->node));
    else if (symbol->name)
        made->text = npart__arena_format(finder->arena, "`%s` is dynamic%s%s%s", symbol->name,
                                         input ? " (input `" : "", input ? input : "", input ? "`)" : "");
    else
        made->text = npart__arena_format(finder->arena, "an unnamed dimension%s%s%s is dynamic",
                                         input ? " of input `" : "", input ? input : "", input ? "`" : "");
    finder->failed |= !made->text;
    return cause;
}

static uint32_t find_cause(struct finder *finder, uint32_t node, const struct npart__reason *reason)
{
    bool is_new;
    const struct npart__rule *rule = &finder->oplist->rules.items[reason->rule];
    const struct npart__node *at = &finder->graph->nodes.items[node];
    if (rule->about == NPART__ABOUT_DYNAMIC) {
        uint32_t value = npart__rule_culprit(finder->target, finder->session, reason->rule, node);
        if (value != NPART_NONE) /* all is known of the file's values, and not of those that copies make */
            return dynamic_cause(finder, reason->rule, finder->graph->values.items[value].alias);
    }
    if (rule->about != NPART__ABOUT_OP || rule->condition != NPART_NONE) {
        uint32_t cause = cause_in(finder, &finder->by_rule[reason->rule], reason->rule, &is_new);
        if (is_new && cause != NPART_NONE) {
            finder->out->items.items[cause].text =
                rule->condition == NPART_NONE
                    ? rule->sentence
                    : npart__arena_format(finder->arena, "%s: %s", npart__node_op(finder->graph, at), rule->sentence);
            finder->failed |= !finder->out->items.items[cause].text;
        }
        return cause;
    }
    uint32_t cause = cause_in(finder, &finder->by_op[at->op_type], reason->rule, &is_new);
    if (is_new && cause != NPART_NONE) {
        const char *domain = npart__text(&finder->graph->strings, at->domain);
        finder->out->items.items[cause].text =
            npart__arena_format(finder->arena, "%s%s%s: %s", domain, *domain ? ":" : "",
                                npart__node_op(finder->graph, at), rule->sentence);
        finder->failed |= !finder->out->items.items[cause].text;
    }
    return cause;
}

/* Each cut of the user's is a cause that affects no node. */
static void add_cuts(struct finder *finder)
{
    const bool *is_cut = finder->partitioning->cuts.is_cut;
    uint32_t rule = npart__cut_rule(finder->target);
    for (uint32_t v = 0; is_cut && !finder->failed && v < finder->session->made_from->graph->values.count; v++) {
        uint32_t made = is_cut[v] ? new_cause(finder, rule) : NPART_NONE;
        if (made == NPART_NONE)
            continue;
        struct npart__cause *cause = &finder->out->items.items[made];
        cause->cut_value = v;
        cause->first_affected = finder->graph->values.items[v].producer;
        cause->text = npart__arena_format(finder->arena, "%s after `%s`",
                                          finder->oplist->rules.items[rule].sentence,
                                          npart__value_name(finder->graph, v));
        finder->failed |= !cause->text;
    }
}

static uint32_t cause_of_cut(const struct npart__causes *causes, uint32_t value)
{
    uint32_t c = 0;
    while (causes->items.items[c].cut_value != value)
        c++;
    return c;
}

/* ---- lists ------------------------------------------------------------------------------------------------ */

/* Roots: the node that the dynamic sizes start from, or every affected node where each is its own root. */
static void list_nodes(struct finder *finder)
{
    struct npart__causes *out = finder->out;
    for (uint32_t c = 0; c < out->items.count; c++) {
        struct npart__cause *cause = &out->items.items[c];
        cause->first_node = out->lists.count;
        if (cause->cut_value != NPART_NONE) {
            cause->node_count = cause->first_affected != NPART_NONE;
            finder->failed |= cause->node_count && !NPART__PUSH(finder->arena, &out->lists, cause->first_affected);
        } else if (cause->symbol != NPART_NONE) {
            cause->node_count = cause->root != NPART_NONE;
            finder->failed |= cause->node_count && !NPART__PUSH(finder->arena, &out->lists, cause->root);
        } else {
            cause->node_count = cause->affected_count;
            if (!NPART__RESERVE(finder->arena, &out->lists, cause->affected_count)) {
                finder->failed = true;
                return;
            }
            out->lists.count += cause->affected_count;
            cause->node_count = 0; /* counted up again while they are filled in */
        }
    }
    for (uint32_t node = 0; node < finder->graph->nodes.count; node++) {
        uint32_t c = out->cause_of[node];
        if (c == NPART_NONE || out->items.items[c].symbol != NPART_NONE)
            continue;
        struct npart__cause *cause = &out->items.items[c];
        out->lists.items[cause->first_node + cause->node_count++] = node;
    }
}

/* Which partitions each cause ends: gathered as pairs, counted, handed out. */
static void list_cuts(struct finder *finder)
{
    const struct npart__partitioning *partitioning = finder->partitioning;
    struct npart__causes *out = finder->out;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t p = 0; p < partitioning->partitions.count; p++) {
            const struct npart__partition *partition = &partitioning->partitions.items[p];
            for (uint32_t i = 0; i < partition->end_count; i++) {
                uint32_t c = out->cause_of[partitioning->lists.items[partition->first_end + i]];
                if (c == NPART_NONE)
                    continue;
                struct npart__cause *cause = &out->items.items[c];
                /* Pass 0 may count a partition twice; the range is then a little long, and pass 1 knows better. */
                bool is_repeated = pass == 1 && cause->cut_count &&
                                   out->lists.items[cause->first_cut + cause->cut_count - 1] == p;
                if (is_repeated)
                    continue;
                if (pass == 1)
                    out->lists.items[cause->first_cut + cause->cut_count] = p;
                cause->cut_count++;
            }
        }
        for (uint32_t p = 0; p < partitioning->partitions.count; p++) {
            const struct npart__partition *partition = &partitioning->partitions.items[p];
            for (uint32_t i = 0; i < partition->cut_count; i++) {
                uint32_t value = partitioning->lists.items[partition->first_cut + i];
                struct npart__cause *cause = &out->items.items[cause_of_cut(out, value)];
                if (pass == 1)
                    out->lists.items[cause->first_cut + cause->cut_count] = p;
                cause->cut_count++;
            }
        }
        for (uint32_t c = 0; pass == 0 && c < out->items.count; c++) {
            struct npart__cause *cause = &out->items.items[c];
            cause->first_cut = out->lists.count;
            if (!NPART__RESERVE(finder->arena, &out->lists, cause->cut_count)) {
                finder->failed = true;
                return;
            }
            out->lists.count += cause->cut_count;
            cause->cut_count = 0;
        }
    }
}

/* ---- order ------------------------------------------------------------------------------------------------ */

struct ranked {
    struct npart__cause cause;
    uint32_t before;
};

static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    if (a->cause.cut_count != b->cause.cut_count)
        return a->cause.cut_count > b->cause.cut_count ? -1 : 1;
    if (a->cause.affected_count != b->cause.affected_count)
        return a->cause.affected_count > b->cause.affected_count ? -1 : 1;
    return a->before < b->before ? -1 : 1;
}

static void sort_causes(struct finder *finder)
{
    struct npart__causes *out = finder->out;
    struct ranked *ranked = npart__arena_zeroed(finder->arena, out->items.count + (size_t)1, sizeof *ranked);
    uint32_t *place = npart__arena_zeroed(finder->arena, out->items.count + (size_t)1, sizeof *place);
    if (!ranked || !place) {
        finder->failed = true;
        return;
    }
    for (uint32_t i = 0; i < out->items.count; i++)
        ranked[i] = (struct ranked){.cause = out->items.items[i], .before = i};
    if (out->items.count)
        qsort(ranked, out->items.count, sizeof *ranked, compare_ranked);
    for (uint32_t i = 0; i < out->items.count; i++) {
        out->items.items[i] = ranked[i].cause;
        place[ranked[i].before] = i;
    }
    for (uint32_t node = 0; node < finder->graph->nodes.count; node++)
        if (out->cause_of[node] != NPART_NONE)
            out->cause_of[node] = place[out->cause_of[node]];
}

/* ---- the whole -------------------------------------------------------------------------------------------- */

static void visit(struct finder *finder, uint32_t node)
{
    enum npart__verdict verdict = (enum npart__verdict)finder->mask->verdicts[node];
    if (!npart__is_live(finder->session, node) || verdict == NPART__NPU)
        return;
    const struct npart__reason *reason = npart__first_reason(finder->oplist, finder->mask, node);
    uint32_t cause = reason ? find_cause(finder, node, reason) : NPART_NONE;
    if (cause == NPART_NONE)
        return;
    struct npart__cause *at = &finder->out->items.items[cause];
    if (at->affected_count++ == 0)
        at->first_affected = node;
    at->is_fatal |= verdict == NPART__FAIL;
    at->is_unknown |= verdict == NPART__UNDECIDED;
    if (!at->text)
        at->text = finder->oplist->rules.items[reason->rule].sentence;
    finder->out->cause_of[node] = cause;
}

npart_status npart__find_causes(const struct npart__target *target, const struct npart__inference *known,
                                const struct npart__session *session, const struct npart__mask *mask,
                                const struct npart__partitioning *partitioning, struct npart__arena *arena,
                                struct npart__causes *out, struct npart_error *error)
{
    const struct npart__graph *graph = session->graph;
    struct finder finder = {.target = target,
                            .oplist = target->oplist,
                            .known = known,
                            .graph = graph,
                            .session = session,
                            .mask = mask,
                            .partitioning = partitioning,
                            .arena = arena,
                            .out = out};
    memset(out, 0, sizeof *out);
    size_t nodes = graph->nodes.count + (size_t)1;
    out->cause_of = npart__arena_allocate(arena, nodes * sizeof *out->cause_of);
    finder.by_rule = npart__arena_zeroed(arena, target->oplist->rules.count + (size_t)1, sizeof(uint32_t));
    finder.by_op = npart__arena_zeroed(arena, graph->strings.texts.count + (size_t)1, sizeof(uint32_t));
    finder.by_symbol = npart__arena_zeroed(arena, known->expressions.symbols.count + (size_t)1, sizeof(uint32_t));
    finder.by_node = npart__arena_zeroed(arena, nodes, sizeof(uint32_t));
    finder.input_of = npart__arena_zeroed(arena, known->expressions.symbols.count + (size_t)1, sizeof(uint32_t));
    if (!out->cause_of || !finder.by_rule || !finder.by_op || !finder.by_symbol || !finder.by_node ||
        !finder.input_of)
        return npart__fail_memory(error);
    note_inputs(&finder);
    memset(out->cause_of, 0xff, nodes * sizeof *out->cause_of);
    for (uint32_t node = 0; !finder.failed && node < npart__file_nodes(session); node++)
        visit(&finder, node);
    add_cuts(&finder);
    if (!finder.failed)
        list_nodes(&finder);
    if (!finder.failed)
        list_cuts(&finder);
    if (!finder.failed)
        sort_causes(&finder);
    npart__arena_release(arena, finder.by_rule);
    npart__arena_release(arena, finder.by_op);
    npart__arena_release(arena, finder.by_symbol);
    npart__arena_release(arena, finder.by_node);
    npart__arena_release(arena, finder.input_of);
    if (!finder.failed)
        NPART__CHECK(npart__check_causes(session, mask, partitioning, out));
    return finder.failed ? npart__fail_memory(error) : NPART_OK;
}
