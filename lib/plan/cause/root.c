/* SPDX-License-Identifier: Apache-2.0
 *
 * What of a cause is the same in every model: causes of many models are added up by it. No names of the model but ops.
 */
#include "cause/finder.h"

/* "Conv", "com.microsoft:FusedConv". A text that could not be copied ends the whole: `failed` is looked at by all
 * callers in the end. */
static const char *op_text(struct npart__finder *finder, uint32_t id)
{
    const struct npart__node *node = npart__node_at(finder->graph, id);
    const char *domain = npart__text(&finder->graph->strings, node->domain), *op = npart__node_op(finder->graph, node);
    const char *text = *domain ? npart__arena_format(finder->arena, "%s:%s", domain, op) : op;
    finder->failed |= !text;
    return text;
}

/* "Conv: rank of X must be 4", or the sentence alone where `subject` is NULL: of several ops none is the
 * subject. */
static const char *root_text(struct npart__finder *finder, const char *subject, const char *sentence)
{
    const char *between = subject ? ": " : "";
    const char *text = npart__arena_format(finder->arena, "%s%s%s", subject ? subject : "", between, sentence);
    finder->failed |= !text;
    return text;
}

/* Whether the rule is one of an op, and no other: then it says which op it is about. Linear in the list's entries;
 * asked once for a cause. */
static bool is_of_op(const struct npart__oplist *oplist, uint32_t rule)
{
    bool is_one = false;
    for (uint32_t i = 0; i < oplist->ops.count && !is_one; i++)
        is_one = rule - oplist->ops.items[i].first_rule < oplist->ops.items[i].rule_count; /* below it: a large one */
    return is_one;
}

/* Several ops that have one rank or type in common, by rules of their own. */
static void name_number(struct npart__finder *finder, struct npart__cause *cause,
                        const struct npart__about_cause *about)
{
    const char *name = about->family == NPART__FAMILY_RANK ? npart__arena_format(finder->arena, "rank-%u", about->key)
                                                           : npart__type_name((int)about->key);
    finder->failed |= !name;
    cause->root_rule = name;
    cause->root_text = about->family == NPART__FAMILY_RANK
                           ? npart__arena_format(finder->arena, "rank %u is not supported by several ops", about->key)
                           : npart__arena_format(finder->arena, "%s is not supported by several ops", name);
    finder->failed |= !cause->root_text;
}

/* `holder`: the op with the bodies, where the cause is control flow; else NULL, and the op is named only where the
 * rule is of an op's own entry and all affected nodes are of that op. */
static void name_rule(struct npart__finder *finder, struct npart__cause *cause,
                      const struct npart__about_cause *about, const char *holder)
{
    const struct npart__rule *rule = &finder->oplist->rules.items[cause->rule];
    bool has_op = cause->first_affected != NPART_NONE && is_of_op(finder->oplist, cause->rule);
    bool is_one = has_op && about->op_count == 1;
    cause->root_op = holder ? holder : is_one ? op_text(finder, cause->first_affected) : NULL;
    cause->root_text = root_text(finder, has_op && !is_one && !holder ? "several ops" : cause->root_op, rule->sentence);
}

/* Of several ops without shape inference the first: one opset brings it to all. */
static void name_lost(struct npart__finder *finder, struct npart__cause *cause, const struct npart__about_cause *about)
{
    /* An id by which sums over many models are kept, and what is said after the op. A line for people names
     * the node, "node 12 (NonZero n) has a data-dependent output shape"; what all models share is "NonZero
     * has ...". */
    static const char *const words[][2] = {
        [NPART__FAMILY_UNSHAPED] = {"unknown-shape", "has an output of unknown shape"},
        [NPART__FAMILY_CONTROL] = {"unknown-shape", "has an output of unknown shape"},
        [NPART__FAMILY_DATA] = {"data-dependent-shape", "has a data-dependent output shape"},
        [NPART__FAMILY_RANKLESS] = {"unknown-rank", "has an output of unknown rank"},
        [NPART__FAMILY_LOST] = {"not-inferred", "has an output shape that the runtime cannot infer"},
        [NPART__FAMILY_DECLARED] = {"declared-shape", "has an output of which the file declares another shape"},
    };
    int64_t since;
    /* There is a root: all families that get here were traced to a node. */
    bool lacks_shapes = npart__lacks_shapes(npart__node_at(finder->graph, cause->root), &since);
    const char *op = op_text(finder, cause->root);
    if (!op)
        return;
    cause->root_op = op;
    cause->root_rule = lacks_shapes ? "no-shape-inference" : words[about->family][0];
    if (!lacks_shapes)
        cause->root_text = npart__arena_format(finder->arena, "%s %s", op, words[about->family][1]);
    else if (since)
        cause->root_text = npart__arena_format(finder->arena, "%s has no shape inference before opset %d", op,
                                               (int)since);
    else
        cause->root_text = npart__arena_format(finder->arena, "%s has no shape inference", op);
    finder->failed |= !cause->root_text;
}

static void name_root(struct npart__finder *finder, uint32_t id)
{
    struct npart__cause *cause = &finder->out->items.items[id];
    const struct npart__about_cause *about = &finder->about.items[id];
    const struct npart__rule *rule = &finder->oplist->rules.items[cause->rule];
    /* Unless its family says otherwise below. */
    cause->root_rule = rule->id;
    switch ((enum npart__family)about->family) {
    case NPART__FAMILY_OP:
        cause->root_op = op_text(finder, cause->first_affected);
        /* The line for people has no name of the model's in it but the op's. */
        cause->root_text = cause->text;
        break;
    case NPART__FAMILY_SYMBOL:
        /* Without the names: `batch` of one model and `N` of another are the same cause. */
        cause->root_rule = "dynamic-dimension";
        cause->root_text = "dimensions of inputs are dynamic";
        break;
    case NPART__FAMILY_INPUT:
        cause->root_rule = "unknown-input-shape";
        cause->root_text = "the shape of an input is unknown";
        break;
    case NPART__FAMILY_CUT:
        cause->root_text = rule->sentence;
        break;
    case NPART__FAMILY_RANK:
    case NPART__FAMILY_TYPE:
        /* Where all of its rules have one sentence, that says more than the number does. */
        if (about->is_mixed)
            name_number(finder, cause, about);
        else
            name_rule(finder, cause, about, NULL);
        break;
    case NPART__FAMILY_RULE:
        name_rule(finder, cause, about, NULL);
        break;
    case NPART__FAMILY_CONTROL:
        if (cause->about == NPART_ABOUT_DYNAMIC)
            name_lost(finder, cause, about);
        else
            name_rule(finder, cause, about, npart__text(&finder->graph->strings, about->key));
        break;
    default:
        name_lost(finder, cause, about);
        break;
    }
}

void npart__name_roots(struct npart__finder *finder)
{
    for (uint32_t c = 0; c < finder->out->items.count && !finder->failed; c++)
        name_root(finder, c);
}

/* That there is no such operator comes first, as it does for compilers, which look at shapes later: a ReduceProd that
 * is told by its dynamic shape would fall back all the same once that is fixed. An `else fail` comes between: it speaks
 * for a node only if nothing keeps the node from being claimed. A rule that may hold speaks only where no other does:
 * what surely fails needs no size to be told. */
const struct npart__reason *npart__first_reason(const struct npart__oplist *oplist, const struct npart__mask *mask,
                                                uint32_t node)
{
    const struct npart__reason *best = NULL;
    int best_rank = 0;
    for (uint32_t i = mask->first_reason[node]; i < mask->first_reason[node + 1]; i++) {
        const struct npart__reason *reason = &mask->reasons.items[i];
        const struct npart__rule *rule = &oplist->rules.items[reason->rule];
        if (rule->kind == NPART_RULE_NOTE)
            continue; /* a note says something of a node that the NPU takes */
        /* 4: the op itself. 3: keeps the node from being claimed. 2: the node is claimed, and fails to compile then.
         * 1: undecided. Of two that rank the same the first one speaks. */
        int rank = reason->truth == NPART__MAYBE ? 1 : rule->is_fatal ? 2 : npart__refuses_op(rule) ? 4 : 3;
        if (rank > best_rank) {
            best = reason;
            best_rank = rank;
        }
    }
    return best;
}
