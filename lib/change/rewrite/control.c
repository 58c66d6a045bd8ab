/* SPDX-License-Identifier: Apache-2.0
 *
 * Branches and calls: the nodes of the one that is taken, of both, or of the function, in the place of the node.
 */
#include "rewrite/bodies.h"

/* The label of a body's scope is the attribute that holds it. */
uint32_t npart__body_named(const struct npart__site *site, const char *attribute)
{
    for (uint32_t i = 0; i < site->node->body_count; i++)
        if (npart__same_text(npart__scope_at(site->graph, site->node->first_body + i)->label, attribute))
            return site->node->first_body + i;
    return NPART_NONE;
}

/* Room for names of operands or results of a body; NULL, and the site failed, when out of memory. */
const char **npart__body_names(struct npart__site *site, uint32_t count)
{
    const char **names = npart__arena_zeroed(site->arena, count + (size_t)1, sizeof *names);
    site->failed |= !names;
    return names;
}

uint32_t npart__body_result(const struct npart__site *site, uint32_t scope, uint32_t index)
{
    const struct npart__scope *body = npart__scope_at(site->graph, scope);
    return index < body->output_count ? site->graph->operands.items[body->first_output + index] : NPART_NONE;
}

/* ---- one branch -------------------------------------------------------------------------------------------------- */

/* Captured values keep their names, so the branch's nodes stand in the If's place as they are. The other branch goes
 * with the If, and with it weights that only it used. */
bool npart__rewrite_if_const(struct npart__site *site)
{
    uint32_t count;
    const int64_t *condition = npart__site_ints(site, npart__operand(site, 0), &count);
    if (!condition || count != 1)
        return false;
    uint32_t branch = npart__body_named(site, condition[0] ? "then_branch" : "else_branch");
    if (branch == NPART_NONE || npart__scope_at(site->graph, branch)->output_count != site->node->output_count ||
        npart__scope_at(site->graph, branch)->input_count)
        return false;
    const char **results = npart__body_names(site, site->node->output_count);
    if (!results || !npart__splice(site, branch, NULL, results))
        return false;
    for (uint32_t i = 0; i < site->node->output_count; i++)
        npart__finish(site, i, results[i]);
    return true;
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

/* Of a function that has the name of an operator the runtime takes its own kernel instead. Hence the domains
 * that are left alone. A schema means an operator of some standard. The domain is asked as it was written: a
 * call that is taken for an operator of the standard has that domain in `domain`. */
bool npart__rewrite_inline(struct npart__site *site)
{
    const struct npart__node *node = site->node;
    const char *domain = npart__text(&site->graph->strings, node->written_domain);
    if (node->callee == NPART_NONE || npart__scope_at(site->graph, node->callee)->kind != NPART_GRAPH_CALL ||
        node->schema || !*domain || strncmp(domain, "ai.onnx", 7) == 0 || strncmp(domain, "com.microsoft", 13) == 0)
        return false;
    const char **operands = npart__body_names(site, node->input_count);
    const char **results = npart__body_names(site, node->output_count);
    if (!operands || !results)
        return false;
    for (uint32_t i = 0; i < node->input_count; i++)
        operands[i] = npart__operand_name(site, i);
    if (!npart__splice(site, node->callee, operands, results))
        return false;
    for (uint32_t i = 0; i < node->output_count; i++)
        npart__finish(site, i, results[i]);
    return true;
}

/* ---- both branches ----------------------------------------------------------------------------------------------- */

/* What is reflected or wrapped around must be there. A constant Pad adds whatever there is. The pads of the first
 * half are before, those of the second after each axis. */
static bool has_room_for_pads(struct npart__site *site, const struct npart__node *node)
{
    const struct npart__attribute *mode = npart__node_attribute(site->graph, node, "mode");
    int64_t dims[NPART__LIMIT_RANK];
    uint32_t rank, count;
    if (!mode || (mode->type == NPART_ATTRIBUTE_STRING && npart__same_text(mode->u.s, "constant")))
        return true;
    const int64_t *pads = npart__site_ints(site, npart__node_input(site->graph, node, 1), &count);
    if (!pads || !npart__site_dims(site, npart__node_input(site->graph, node, 0), dims, &rank) || count != 2 * rank ||
        npart__node_input(site->graph, node, 3) != NPART_NONE)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (pads[i] < 0 || pads[i] >= dims[i % rank])
            return false;
    return true;
}

/* Whether all that a Gather takes is there: indices are counted from either end. An index past the end fails the
 * run. Of GatherND any axis may be meant, so the shortest dim counts. */
static bool has_places(struct npart__site *site, const struct npart__node *node)
{
    int64_t dims[NPART__LIMIT_RANK], least = INT64_MAX;
    uint32_t rank, count;
    if (!node->traits->reads.is_there)
        return !npart__comes_from(node, NPART__WAY(PAD)) || has_room_for_pads(site, node);
    const int64_t *indices = npart__site_ints(site, npart__node_input(site->graph, node, 1), &count);
    if (!indices || !npart__site_dims(site, npart__node_input(site->graph, node, 0), dims, &rank))
        return false;
    for (uint32_t i = 0; i < rank; i++)
        least = dims[i] < least ? dims[i] : least;
    uint32_t at;
    const char *axis = node->traits->reads.axis;
    if (axis && npart__normalize_axis(npart__node_int(site->graph, node, axis, 0), rank, &at))
        least = dims[at];
    for (uint32_t i = 0; i < count; i++)
        if (indices[i] < -least || indices[i] >= least)
            return false;
    return true;
}

/* Whether all numbers of an operand are known, at least 0 and below the limit; an absent one has none. */
static bool are_below(struct npart__site *site, uint32_t value, double limit)
{
    uint32_t count;
    const double *numbers = value == NPART_NONE ? NULL : npart__site_doubles(site, value, &count);
    for (uint32_t i = 0; numbers && i < count; i++)
        if (!(numbers[i] >= 0 && numbers[i] < limit))
            return false;
    return numbers || value == NPART_NONE;
}

/* Numbers that ONNX Runtime checks at each run: texts that are to be numbers, the ratio of a Dropout even where it
 * drops nothing, and how many steps of each sequence count. */
static bool has_numbers(struct npart__site *site, uint32_t id)
{
    const struct npart__node *node = npart__node_at(site->graph, id);
    uint32_t data = npart__node_input(site->graph, node, 0), rank;
    int64_t dims[NPART__LIMIT_RANK];
    int type = npart__site_type(site, data);
    if (npart__comes_from(node, NPART__WAY(CASTS)))
        return type && type != NPART__STRING;
    if (npart__comes_from(node, NPART__WAY(DROPS)))
        return are_below(site, npart__node_input(site->graph, node, 1), 1);
    if (npart__node_plays(site->graph, node, NPART__ROLE_RECURRENT))
        /* Of layout 1 the batch comes first; a sequence may be as long as all of x. */
        return npart__site_dims(site, data, dims, &rank) && rank == 3 &&
               are_below(site, npart__node_input(site->graph, node, 4),
                         (double)dims[npart__site_int(site, id, "layout", 0) != 0] + 1);
    return true;
}

/* Of operands and results alike: of [n,4] reshaped to [2,2] the result is known, and only n = 1 fits. Operands that
 * say where or how much must be constant: a number that is computed may point anywhere when the other branch is
 * meant. */
static bool has_sizes(struct npart__site *site, const struct npart__node *node)
{
    bool needs_elements = node->traits->branch == NPART__BRANCH_ROOM;
    int64_t dims[NPART__LIMIT_RANK];
    uint32_t rank;
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(site->graph, node, i);
        if (value == NPART_NONE)
            continue;
        if (!npart__site_dims(site, value, dims, &rank) ||
            (i >= node->traits->constants && !npart__site_is_constant(site, value)))
            return false;
        for (uint32_t k = 0; !i && needs_elements && k < rank; k++)
            if (!dims[k])
                return false;
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = npart__node_output(site->graph, node, i);
        if (value != NPART_NONE && !npart__site_dims(site, value, dims, &rank))
            return false;
    }
    return true;
}

/* Whether it fails for no numbers, once its sizes fit: both branches run, and the one that is not meant may get any. A
 * model that ran before must not fail. Sizes must be known: what fails for sizes fails when the session is created, or
 * never. */
static bool is_harmless(struct npart__site *site, uint32_t id)
{
    const struct npart__node *node = npart__node_at(site->graph, id);
    bool is_float = npart__type_is_float(npart__site_type(site, npart__node_input(site->graph, node, 0)));
    bool is_safe = node->traits->branch == NPART__BRANCH_FLOATS ? is_float : node->traits->branch != NPART__BRANCH_NO;
    return is_safe && node->schema && !node->body_count && node->callee == NPART_NONE && has_sizes(site, node) &&
           has_numbers(site, id) && has_places(site, node);
}

/* A branch has no operands of its own; what it uses from outside is captured. */
static bool is_harmless_branch(struct npart__site *site, uint32_t branch)
{
    const struct npart__scope *scope = npart__scope_at(site->graph, branch);
    for (uint32_t i = 0; i < scope->node_count; i++)
        if (!is_harmless(site, scope->first_node + i))
            return false;
    return scope->output_count == site->node->output_count && !scope->input_count;
}

/* Same type and same sizes on either side; *lowest: the lowest rank, above which a condition must not be. Those
 * types for which ONNX Runtime has Where, and bool. */
static bool match_results(const struct npart__site *site, const uint32_t branches[2], uint32_t *lowest)
{
    static const int types[] = {NPART__FLOAT, NPART__UINT8, NPART__INT8, NPART__INT32,
                                NPART__INT64, NPART__BOOL, NPART__FLOAT16, NPART__DOUBLE};
    *lowest = UINT32_MAX;
    for (uint32_t i = 0; i < site->node->output_count; i++) {
        int64_t dims[2][NPART__LIMIT_RANK];
        uint32_t rank[2];
        int type = npart__site_type(site, npart__body_result(site, branches[0], i));
        bool has_kernel = false;
        for (size_t k = 0; k < NPART__COUNT(types); k++)
            has_kernel |= type == types[k];
        if (!has_kernel || npart__site_type(site, npart__body_result(site, branches[1], i)) != type)
            return false;
        for (int k = 0; k < 2; k++)
            if (!npart__site_dims(site, npart__body_result(site, branches[k], i), dims[k], &rank[k]))
                return false;
        if (rank[0] != rank[1] || memcmp(dims[0], dims[1], rank[0] * sizeof dims[0][0]) != 0)
            return false;
        *lowest = rank[0] < *lowest ? rank[0] : *lowest;
    }
    return true;
}

/* ONNX Runtime has no Where of bools, and of a -0 that it takes of the first one makes 0. Of bools: (condition and
 * yes) or (not condition and no). That sign of a zero is why the class of floats is bits-if. */
static const char *choose(struct npart__site *site, int type, const char *condition, const char *yes, const char *no)
{
    if (type != NPART__BOOL)
        return npart__make_where(site, condition, yes, no);
    const char *not_yes = npart__make_and(site, npart__make_not(site, condition), no);
    return npart__make_or(site, npart__make_and(site, condition, yes), not_yes);
}

/* Both branches are copied and run, and each result is chosen element by element by the one condition. */
bool npart__rewrite_if_where(struct npart__site *site)
{
    const uint32_t branches[2] = {npart__body_named(site, "then_branch"), npart__body_named(site, "else_branch")};
    const uint32_t count = site->node->output_count, condition = npart__operand(site, 0);
    uint32_t lowest, rank;
    if (branches[0] == NPART_NONE || branches[1] == NPART_NONE || npart__site_opset(site) < 9 ||
        !is_harmless_branch(site, branches[0]) || !is_harmless_branch(site, branches[1]) ||
        !match_results(site, branches, &lowest))
        return false;
    const char **yes = npart__body_names(site, count), **no = npart__body_names(site, count);
    const char *name = npart__operand_name(site, 0);
    /* Each copy gets new names, so values of the two branches may have had the same. */
    if (!yes || !no || !npart__splice(site, branches[0], NULL, yes) || !npart__splice(site, branches[1], NULL, no))
        return false;
    /* A condition of higher rank would give its rank to the results. */
    if (!npart__site_rank(site, condition, &rank) || rank > lowest)
        name = npart__make_reshape(site, name, NULL, 0);
    /* Of whole numbers and bools nothing is lost: stronger than the row's class. */
    site->equality = NPART_EQUAL_BITS;
    site->caveat = "Both branches always run: an early exit saves nothing any more.";
    for (uint32_t i = 0; i < count; i++) {
        int type = npart__site_type(site, npart__result(site, i));
        if (npart__is_unused(site, npart__result(site, i)))
            continue;
        npart__finish(site, i, choose(site, type, name, yes[i], no[i]));
        /* A float among the results brings the class and the caveat of the row back. */
        if (npart__type_is_float(type)) {
            site->equality = NPART_EQUAL_BITS_IF;
            site->caveat = NULL;
        }
    }
    return true;
}
