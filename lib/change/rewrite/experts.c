/* SPDX-License-Identifier: Apache-2.0
 *
 * A mixture of experts, each of which is run on the tokens that are sent to it: how many these are, only the data tell.
 * Instead each is run on all tokens, and the rows of those that were not sent stay what they were:
 *
 *     k, token = NonZero(sent)               sent: bool [places, tokens] of one expert
 *     rows = Gather(x, token)           ->   x
 *     y = expert(rows) * w[token, k]    ->   expert(x) * (the sum over k of w where sent)
 *     ScatterElements(data, token, y)   ->   Where(sent at any k, y, data)
 *
 * TopK gives each token different experts, so at most one k counts. As exporters by tracing write it.
 */
#include "rewrite/functions.h"

#define MOST_DEPTH 64u /* nodes of one expert, one after the other */

/* One expert at a ScatterElements, found from that backwards. Values are ids of the graph; names are of what
 * stands for them in the new nodes. */
struct experts {
    struct npart__site *site;
    uint32_t sent;              /* the value that NonZero looks at */
    int64_t places, tokens;     /* its sizes */
    uint32_t weights;           /* by token and place; NPART_NONE: not met yet */
    const char *weight;         /* [tokens,1] */
    const char **dense;         /* by value: what its rows are for all tokens */
};

/* ---- what is there ----------------------------------------------------------------------------------------------- */

/* The id is one that was found: never NPART_NONE. */
static const struct npart__node *node_at(const struct npart__site *site, uint32_t id)
{
    return npart__node_at(site->graph, id);
}

static uint32_t input_of(const struct npart__site *site, uint32_t node, uint32_t index)
{
    return npart__node_input(site->graph, node_at(site, node), index);
}

/* The operand of what makes the value by this op, else NPART_NONE. */
static uint32_t before(const struct npart__site *site, uint32_t value, const char *op)
{
    uint32_t node = value == NPART_NONE ? NPART_NONE : npart__site_maker(site, value, op);
    return node == NPART_NONE ? NPART_NONE : input_of(site, node, 0);
}

/* Whether an operand, or an attribute in older opsets, is this one number. */
static bool is_list_of(struct npart__site *site, uint32_t node, uint32_t operand, const char *attribute, int64_t number)
{
    uint32_t count;
    const int64_t *numbers = npart__site_int_list(site, node, attribute, &count);
    if (!numbers && input_of(site, node, operand) != NPART_NONE)
        numbers = npart__site_ints(site, input_of(site, node, operand), &count);
    return numbers && count == 1 && numbers[0] == number;
}

/* A constant of one element, of whatever rank. */
static bool is_number(struct npart__site *site, uint32_t value, int64_t number)
{
    uint32_t count;
    const int64_t *numbers = value == NPART_NONE ? NULL : npart__site_ints(site, value, &count);
    return numbers && count == 1 && numbers[0] == number;
}

static bool has_order(const struct npart__site *site, uint32_t node, const int64_t *order, uint32_t rank)
{
    uint32_t count;
    const int64_t *given = npart__site_int_list(site, node, "perm", &count);
    return given && count == rank && memcmp(given, order, rank * sizeof *order) == 0;
}

/* Which row of NonZero a value is, 0 or 1: Squeeze of a part of its transpose. *sent: what NonZero looks at.
 * NonZero gives [2, found]; exporters transpose it, split it in two columns and squeeze each: `k, token =
 * torch.where(sent)`. */
static bool is_place(struct npart__site *site, uint32_t value, uint32_t *row, uint32_t *sent)
{
    static const int64_t turned[2] = {1, 0};
    /* From the value backwards: Squeeze of one result of Split of Transpose of NonZero. */
    uint32_t squeeze = npart__site_maker(site, value, "Squeeze");
    uint32_t part = squeeze == NPART_NONE ? NPART_NONE : input_of(site, squeeze, 0);
    uint32_t split = part == NPART_NONE ? NPART_NONE : npart__site_maker(site, part, "Split");
    if (split == NPART_NONE || !is_list_of(site, squeeze, 1, "axes", 1) ||
        npart__site_int(site, split, "axis", 0) != 1 || node_at(site, split)->output_count != 2)
        return false;
    uint32_t transpose = npart__site_maker(site, input_of(site, split, 0), "Transpose");
    if (transpose == NPART_NONE || !has_order(site, transpose, turned, 2))
        return false;
    *sent = before(site, input_of(site, transpose, 0), "NonZero");
    *row = npart__node_output(site->graph, node_at(site, split), 1) == part;
    return *sent != NPART_NONE;
}

/* Of the same NonZero as the indices that are scattered to: rows of another expert would be other tokens. */
static bool is_row(const struct experts *experts, uint32_t value, uint32_t wanted)
{
    uint32_t row, sent;
    return value != NPART_NONE && is_place(experts->site, value, &row, &sent) && row == wanted &&
           sent == experts->sent;
}

/* ---- each token at most once ------------------------------------------------------------------------------------- */

/* A Cast changes types and no zeros: what is sent stays what is sent. */
static uint32_t skip_casts(const struct npart__site *site, uint32_t value)
{
    for (uint32_t next; (next = before(site, value, "Cast")) != NPART_NONE;)
        value = next;
    return value;
}

/* `sent` is one expert's part of the transposed OneHot of what TopK found: *count: how many experts there are.
 * This is what makes the sum over places right: TopK gives a token different experts, so an expert stands at one
 * of a token's places at most. */
static bool is_routed(const struct experts *experts, int64_t *count)
{
    static const int64_t order[3] = {2, 1, 0};
    struct npart__site *site = experts->site;
    uint32_t rank, values_count, gather = npart__site_maker(site, skip_casts(site, experts->sent), "Gather");
    int64_t dims[NPART__LIMIT_RANK];
    uint32_t transpose =
        gather == NPART_NONE ? NPART_NONE : npart__site_maker(site, input_of(site, gather, 0), "Transpose");
    if (transpose == NPART_NONE || npart__site_int(site, gather, "axis", 0) != 0 ||
        !npart__site_is_constant(site, input_of(site, gather, 1)) || !has_order(site, transpose, order, 3) ||
        npart__site_type(site, experts->sent) != NPART__BOOL)
        return false;
    uint32_t hot = npart__site_maker(site, skip_casts(site, input_of(site, transpose, 0)), "OneHot");
    if (hot == NPART_NONE || !npart__site_dims(site, input_of(site, transpose, 0), dims, &rank) || rank != 3)
        return false;
    /* Off and on must be 0 and 1, and the experts the last axis. */
    const int64_t *values = npart__site_ints(site, input_of(site, hot, 2), &values_count);
    int64_t axis = npart__site_int(site, hot, "axis", -1);
    if (!values || values_count != 2 || values[0] != 0 || values[1] != 1 || (axis != -1 && axis != 2))
        return false;
    uint32_t found = input_of(site, hot, 0), top = npart__site_maker(site, found, "TopK");
    if (top == NPART_NONE || npart__node_output(site->graph, node_at(site, top), 1) != found)
        return false;
    /* Along the tokens' row, so the experts of one token are found together; TopK's indices differ from each other. */
    axis = npart__site_int(site, top, "axis", -1);
    *count = dims[2];
    return axis == -1 || axis == 1;
}

/* ---- rows for all tokens ----------------------------------------------------------------------------------------- */

static const char *densify(struct experts *experts, uint32_t value, uint32_t depth);

/* Rows of a matrix by token: Gather(x, token), or as [1,tokens,size] along axis 1 and back. NULL: it is not these
 * rows. */
static const char *gathered_rows(struct experts *experts, uint32_t value)
{
    struct npart__site *site = experts->site;
    uint32_t reshape = npart__site_maker(site, value, "Reshape"), axis = 0, rank, count = 0;
    uint32_t gather = npart__site_maker(site, reshape == NPART_NONE ? value : input_of(site, reshape, 0), "Gather");
    int64_t dims[NPART__LIMIT_RANK];
    if (gather == NPART_NONE || !is_row(experts, input_of(site, gather, 1), 1))
        return NULL;
    uint32_t x = input_of(site, gather, 0);
    if (reshape != NPART_NONE) {
        uint32_t unsqueeze = npart__site_maker(site, x, "Unsqueeze");
        const int64_t *shape = npart__site_ints(site, input_of(site, reshape, 1), &count);
        if (unsqueeze == NPART_NONE || !is_list_of(site, unsqueeze, 1, "axes", 0) || !shape || count != 2 ||
            shape[0] != -1)
            return NULL;
        x = input_of(site, unsqueeze, 0);
        axis = 1;
        if (!npart__site_dims(site, x, dims, &rank) || rank != 2 || shape[1] != dims[1])
            return NULL;
    }
    if (npart__site_int(site, gather, "axis", 0) != (int64_t)axis || !npart__site_dims(site, x, dims, &rank) ||
        rank != 2 || dims[0] != experts->tokens)
        return NULL;
    return npart__site_name(site, x);
}

/* The weight of a token for the expert: Gather(weights as one column, k + token * places), through Reshapes that
 * keep it one column. The weights lie in a matrix [tokens, places]; flattened, the weight of a token at place k
 * is number token * places + k. With 2 places the weight of token 3 at place 1 is number 7. */
static const char *gathered_weight(struct experts *experts, uint32_t value)
{
    struct npart__site *site = experts->site;
    int64_t dims[NPART__LIMIT_RANK];
    uint32_t rank;
    /* Each Reshape's operand is asked for in turn, as the graph has no circles. */
    for (uint32_t next; (next = before(site, value, "Reshape")) != NPART_NONE;)
        value = next;
    uint32_t gather = npart__site_maker(site, value, "Gather");
    uint32_t add = gather == NPART_NONE ? NPART_NONE : npart__site_maker(site, input_of(site, gather, 1), "Add");
    uint32_t multiply = add == NPART_NONE ? NPART_NONE : npart__site_maker(site, input_of(site, add, 1), "Mul");
    if (multiply == NPART_NONE || npart__site_int(site, gather, "axis", 0) != 0 ||
        !is_row(experts, input_of(site, add, 0), 0) || !is_row(experts, input_of(site, multiply, 0), 1) ||
        !is_number(site, input_of(site, multiply, 1), experts->places))
        return NULL;
    /* Weights [tokens,places], with an axis at the end, flattened to one column. */
    uint32_t flat = npart__site_maker(site, input_of(site, gather, 0), "Flatten");
    uint32_t unsqueeze =
        flat == NPART_NONE ? NPART_NONE : npart__site_maker(site, input_of(site, flat, 0), "Unsqueeze");
    if (unsqueeze == NPART_NONE || npart__site_int(site, flat, "axis", 1) != 2 ||
        !is_list_of(site, unsqueeze, 1, "axes", 2))
        return NULL;
    uint32_t weights = input_of(site, unsqueeze, 0);
    if (!npart__site_dims(site, weights, dims, &rank) || rank != 2 || dims[0] != experts->tokens ||
        /* All weights of one expert must be of one matrix, or a sum over places would mix two. */
        dims[1] != experts->places || (experts->weights != NPART_NONE && experts->weights != weights))
        return NULL;
    experts->weights = weights;
    return experts->weight;
}

/* What an operand of a row by row operator is for all tokens: a constant that has no rows of its own stays. A bias
 * of one row is added to all rows alike. A constant of several rows would fit one number of tokens alone. */
static const char *operand_for_all(struct experts *experts, uint32_t value, uint32_t depth)
{
    int64_t dims[NPART__LIMIT_RANK];
    uint32_t rank;
    if (!npart__site_is_constant(experts->site, value))
        return densify(experts, value, depth);
    bool has_rows = !npart__site_dims(experts->site, value, dims, &rank) || rank > 2 || (rank == 2 && dims[0] != 1);
    return has_rows ? NULL : npart__site_name(experts->site, value);
}

/* Operators that work on each element, and MatMul of rows with a constant matrix. These compute each row from that
 * row, so rows that were not sent change nothing of those that were. Each is copied once, for all tokens. */
static const char *for_all(struct experts *experts, uint32_t node, uint32_t depth)
{
    struct npart__site *site = experts->site;
    const struct npart__node *at = node_at(site, node);
    const char *operands[2] = {NULL, NULL};
    int64_t dims[NPART__LIMIT_RANK];
    uint32_t rank;
    bool is_product = npart__comes_from(at, NPART__WAY(MATMUL));
    bool is_each = npart__comes_from(at, NPART__WAY(EACH) | NPART__WAY(CASTS));
    if ((!is_each && !is_product) || at->input_count < 1 || at->input_count > 2)
        return NULL;
    /* One operand that cannot be said fails the whole expert. To ask for the other one as well would take 2**n steps
     * of a chain of n products of a value by itself. */
    operands[0] = operand_for_all(experts, input_of(site, node, 0), depth);
    if (!operands[0])
        return NULL;
    if (is_product) {
        uint32_t matrix = input_of(site, node, 1);
        bool is_constant = npart__site_is_constant(site, matrix) && npart__site_dims(site, matrix, dims, &rank);
        operands[1] = is_constant && rank == 2 ? npart__site_name(site, matrix) : NULL;
    } else if (at->input_count == 2) {
        operands[1] = operand_for_all(experts, input_of(site, node, 1), depth);
    }
    if (at->input_count == 2 && !operands[1])
        return NULL;
    return npart__make_like(site, node, operands, at->input_count);
}

/* The name of what a value with a row for each token that was sent is for all tokens; NULL where that cannot be
 * said. Noted by value, since a gated layer uses its rows twice. */
static const char *densify(struct experts *experts, uint32_t value, uint32_t depth)
{
    struct npart__site *site = experts->site;
    uint32_t node = npart__producer(site->graph, value), rank;
    /* Of rank 2 alone: rows by token, and columns. */
    if (depth == MOST_DEPTH || node == NPART_NONE || node_at(site, node)->scope != site->node->scope ||
        !npart__site_rank(site, value, &rank) || rank != 2)
        return NULL;
    if (experts->dense[value])
        return experts->dense[value];
    const char *name = gathered_rows(experts, value);
    if (!name)
        name = gathered_weight(experts, value);
    if (!name)
        name = for_all(experts, node, depth + 1);
    return experts->dense[value] = name;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* Weights and who was sent, both [tokens,1]. A token that was not sent has the weight 0. Where and not a product,
 * since an infinite or NaN weight of another expert times 0 would be NaN. */
static const char *make_weight(struct experts *experts, uint32_t weights, const char **is_sent)
{
    static const int64_t turned[2] = {1, 0}, axis = 1;
    struct npart__site *site = experts->site;
    const int type = npart__site_type(site, weights);
    const char *sent = npart__make_transpose(site, npart__site_name(site, experts->sent), turned, 2);
    const char *counts = npart__make_cast(site, sent, NPART__FLOAT);
    counts = npart__make_reduce_sum(site, counts, &axis, 1, true);
    /* At most one place of a token is 1, so the sum is 0 or 1; in float, as older opsets reduce no integers. */
    *is_sent = npart__make_greater(site, counts, npart__make_scalar(site, NPART__FLOAT, 0));
    const char *none = npart__make_scalar(site, type, 0);
    const char *own = npart__make_where(site, sent, npart__site_name(site, weights), none);
    return npart__make_reduce_sum(site, own, &axis, 1, true);
}

/* Through an Expand that changes nothing. Its shape is [1, 1] or [1, columns], and what it expands has as many
 * columns already. */
static uint32_t skip_expand(struct npart__site *site, uint32_t value, int64_t columns)
{
    uint32_t node = npart__site_maker(site, value, "Expand"), count, rank;
    const int64_t *shape = node == NPART_NONE ? NULL : npart__site_ints(site, input_of(site, node, 1), &count);
    bool changes_nothing = shape && count == 2 && shape[0] == 1 && (shape[1] == 1 || shape[1] == columns) &&
                           npart__site_rank(site, input_of(site, node, 0), &rank) && rank == 2 &&
                           npart__fact_of(site->inference, input_of(site, node, 0))->dims[1] == columns;
    return changes_nothing ? input_of(site, node, 0) : value;
}

/* The tokens that whole rows are scattered to: Expand(Unsqueeze(token, 1)) as wide as the data. ScatterElements
 * along axis 0 with equal indices in a row writes whole rows. */
static bool read_indices(struct experts *experts, int64_t columns)
{
    struct npart__site *site = experts->site;
    uint32_t indices = npart__operand(site, 1), rank, row;
    uint32_t unsqueeze = npart__site_maker(site, before(site, indices, "Expand"), "Unsqueeze");
    int64_t dims[NPART__LIMIT_RANK];
    if (unsqueeze == NPART_NONE || !is_list_of(site, unsqueeze, 1, "axes", 1) ||
        !npart__site_rank(site, indices, &rank) || rank != 2 ||
        npart__fact_of(site->inference, indices)->dims[1] != columns ||
        !is_place(site, input_of(site, unsqueeze, 0), &row, &experts->sent) || row != 1 ||
        !npart__site_dims(site, experts->sent, dims, &rank) || rank != 2)
        return false;
    experts->places = dims[0];
    experts->tokens = dims[1];
    return true;
}

/* The column of weights that the last Mul of an expert has, before it is made: what is made must be in order. A
 * few nodes deep: exporters multiply last. Through nodes of two operands at most, as for_all takes no others, so 16
 * values are looked at. `weight` is set to any text meanwhile, as gathered_weight returns it. */
static uint32_t find_weights(struct experts *experts, uint32_t value, uint32_t depth)
{
    struct npart__site *site = experts->site;
    uint32_t node = npart__producer(site->graph, value);
    if (depth == 4 || node == NPART_NONE || node_at(site, node)->scope != site->node->scope)
        return NPART_NONE;
    experts->weight = "";
    if (gathered_weight(experts, value))
        return experts->weights;
    for (uint32_t i = 0; node_at(site, node)->input_count <= 2 && i < node_at(site, node)->input_count; i++) {
        uint32_t operand = input_of(site, node, i);
        uint32_t found = operand == NPART_NONE ? NPART_NONE : find_weights(experts, operand, depth + 1);
        if (found != NPART_NONE)
            return found;
    }
    return NPART_NONE;
}

/* The whole precondition: plain scattering of rows, of a matrix of known sizes, to tokens of one expert that TopK has
 * chosen, of what a weighted row by row network makes of them. Anything else is left alone. */
bool npart__rewrite_moe_dense(struct npart__site *site)
{
    struct experts experts = {.site = site, .weights = NPART_NONE};
    int64_t dims[NPART__LIMIT_RANK], count;
    uint32_t rank;
    const struct npart__attribute *reduction = npart__node_attribute(site->graph, site->node, "reduction");
    bool is_plain =
        !reduction || (reduction->type == NPART_ATTRIBUTE_STRING && npart__same_text(reduction->u.s, "none"));
    if (npart__site_int(site, site->id, "axis", 0) != 0 || !is_plain ||
        !npart__site_dims(site, npart__operand(site, 0), dims, &rank) || rank != 2 ||
        !read_indices(&experts, dims[1]) || dims[0] != experts.tokens || !is_routed(&experts, &count))
        return false;
    /* By value of the whole graph: a pointer each, once for a site that has passed all tests before. */
    experts.dense = npart__arena_zeroed(site->arena, site->graph->values.count + (size_t)1, sizeof *experts.dense);
    site->failed |= !experts.dense;
    uint32_t updates = skip_expand(site, npart__operand(site, 2), dims[1]);
    uint32_t weights = find_weights(&experts, updates, 0);
    if (weights == NPART_NONE || !experts.dense)
        return false;
    const char *is_sent;
    experts.weight = make_weight(&experts, weights, &is_sent);
    const char *rows = experts.weight ? densify(&experts, updates, 0) : NULL;
    if (!rows)
        return false;
    npart__finish(site, 0, npart__make_where(site, is_sent, rows, npart__operand_name(site, 0)));
    /* Experts by places: how many of them each token was sent to before. */
    site->caveat = npart__arena_format(site->arena,
                                       "Every expert runs on all tokens: %.3g times the multiply-accumulates of "
                                       "experts.",
                                       (double)count / (double)experts.places);
    site->failed |= !site->caveat;
    return true;
}
