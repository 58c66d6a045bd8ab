/* SPDX-License-Identifier: Apache-2.0
 *
 * How much arithmetic a node is, and how much of a model's is in partitions.
 *
 * Additions, activations and moves of data count as none: a MAC is a multiplication whose product is added up. Which
 * formula an operator has is a row of lib/schema/macs.def, sorted by operator and domain. An example: a Conv with
 * float32[64,3,7,7] that makes float32[1,64,112,112] is 802,816 results times 147 elements of a filter, 118 million.
 */
#include "partition/partition.h"

enum macs_formula {
    MACS_FILTER,            /* result x elements of a filter, which are those of the weight after its first axis */
    MACS_TRANSPOSED_FILTER, /* input x the same: every element of the input meets the filters of its channel */
    MACS_PRODUCT,           /* result x last axis of the first factor */
    MACS_GEMM,              /* the same, by transA; by transBatchA unknown */
    MACS_PACKED,            /* result x attribute K */
    MACS_RECURRENT,         /* steps x batch x elements of both weights */
    MACS_ATTENTION,         /* keys x (elements of the queries and of the result) */
    MACS_PACKED_ATTENTION,  /* input x columns of the weight, and steps x twice the elements of the result */
    MACS_CACHED_ATTENTION,  /* keys in the cache x twice the elements of the result */
    MACS_EINSUM,            /* product of the sizes of all letters, for two factors */
    MACS_UNKNOWN,           /* multiplies, and nobody has written down how much */
};

static const struct row {
    const char *op, *domain;
    uint8_t formula;
    uint8_t input, weight; /* operands; of attention the keys, and those of earlier steps */
} rows[] = {
#define MACS(op, domain, formula, input, weight) {op, domain, MACS_##formula, input, weight},
#include "schema/macs.def"
};

/* ---- one node ---------------------------------------------------------------------------------------------- */

/* Multiplies what is known; once something is not, or the product is too large, it is unknown. */
struct product {
    uint64_t value;
    bool is_known;
};

static void times(struct product *product, uint64_t factor)
{
    product->is_known = product->is_known && npart__multiply_uint64(product->value, factor, &product->value);
}

static void times_elements(struct product *product, const struct npart__fact *fact)
{
    uint64_t elements = 0;
    product->is_known = product->is_known && fact && npart__static_elements(fact, &elements);
    times(product, elements);
}

/* The size of an axis counted from the end. */
static void times_axis(struct product *product, const struct npart__fact *fact, uint32_t from_end)
{
    product->is_known = product->is_known && fact && fact->has_rank && from_end > 0 && fact->rank >= from_end &&
                        npart__is_number(fact->dims[fact->rank - from_end]) && fact->dims[fact->rank - from_end] >= 0;
    times(product, product->is_known ? (uint64_t)fact->dims[fact->rank - from_end] : 0);
}

/* All elements but those along the first axis, or along the last. */
static void times_elements_per(struct product *product, const struct npart__fact *fact, bool first_axis)
{
    uint32_t rank = fact && fact->has_rank ? fact->rank : 0;
    product->is_known = product->is_known && rank > 0;
    for (uint32_t i = 1; i <= rank; i++)
        if (i != (first_axis ? rank : 1))
            times_axis(product, fact, i);
}

/* NULL for an operand that the node does not have, which makes the product unknown. */
static const struct npart__fact *fact_at(const struct npart__inference *inference, const struct npart__graph *graph,
                                         const struct npart__node *node, uint32_t index, bool is_output)
{
    uint32_t count = is_output ? node->output_count : node->input_count, value = NPART_NONE;
    if (index < count)
        value = is_output ? npart__node_output(graph, node, index) : npart__node_input(graph, node, index);
    return value == NPART_NONE ? NULL : npart__fact_of(inference, value);
}

/* Saturates to unknown: a sum that does not fit is no number to print. */
static void add(struct product *sum, const struct product *other)
{
    sum->is_known = sum->is_known && other->is_known && sum->value <= UINT64_MAX - other->value;
    sum->value += sum->is_known ? other->value : 0;
}

static int64_t integer_of(const struct npart__graph *graph, const struct npart__node *node, const char *name)
{
    const struct npart__attribute *attribute = npart__node_attribute(graph, node, name);
    return attribute && attribute->type == 2 ? attribute->u.i : 0;
}

/* The dims of one factor, by the letters of its term; those of letters seen before count once. Goes past the term. */
static void times_letters(struct product *product, const struct npart__fact *factor, const char **term,
                          bool seen[1 << 7])
{
    uint32_t rank = factor && factor->has_rank ? factor->rank : 0, axis = 0;
    for (; **term && **term != ',' && **term != '-'; (*term)++) {
        unsigned char letter = (unsigned char)**term;
        if (letter == ' ')
            continue;
        product->is_known = product->is_known && letter != '.' && letter < 1 << 7 && axis < rank;
        if (product->is_known && !seen[letter])
            times_axis(product, factor, rank - axis);
        seen[letter & 0x7f] = true;
        axis++;
    }
    product->is_known = product->is_known && axis == rank;
    *term += **term == ',';
}

/* "bij,bjk->bik": the letters are b, i, j and k, each of which is one loop. Letters that repeat count once; an
 * ellipsis, or more than two factors, make it unknown. */
static void times_equation(struct product *product, const struct npart__graph *graph, const struct npart__node *node,
                           const struct npart__fact *first, const struct npart__fact *second)
{
    const struct npart__attribute *attribute = npart__node_attribute(graph, node, "equation");
    const char *term = attribute && attribute->type == 3 ? attribute->u.s : "";
    bool seen[1 << 7] = {false};
    if (node->input_count == 1) { /* it adds up and transposes */
        times(product, 0);
        return;
    }
    times_letters(product, first, &term, seen);
    times_letters(product, second, &term, seen);
    product->is_known &= node->input_count == 2;
}

static struct product macs_by(const struct row *row, const struct npart__inference *inference,
                              const struct npart__graph *graph, const struct npart__node *node)
{
    struct product macs = {.value = 1, .is_known = true}, other = macs;
    const struct npart__fact *input = fact_at(inference, graph, node, row->input, false);
    const struct npart__fact *weight = fact_at(inference, graph, node, row->weight, false);
    const struct npart__fact *result = fact_at(inference, graph, node, 0, true);
    switch ((enum macs_formula)row->formula) {
    case MACS_FILTER:
    case MACS_TRANSPOSED_FILTER:
        times_elements(&macs, row->formula == MACS_FILTER ? result : input);
        times_elements_per(&macs, weight, true);
        break;
    case MACS_GEMM:
        times_elements(&macs, result);
        times_axis(&macs, input, integer_of(graph, node, "transA") ? 2 : 1);
        macs.is_known &= integer_of(graph, node, "transBatchA") == 0;
        break;
    case MACS_PRODUCT:
        times_elements(&macs, result);
        times_axis(&macs, input, 1);
        break;
    case MACS_PACKED:
        times_elements(&macs, result);
        times(&macs, (uint64_t)integer_of(graph, node, "K"));
        macs.is_known &= integer_of(graph, node, "K") > 0;
        break;
    case MACS_RECURRENT:
        times_elements(&macs, input);
        times_elements(&other, weight);
        add(&macs, &other);
        times_elements_per(&macs, fact_at(inference, graph, node, 0, false), false);
        break;
    case MACS_ATTENTION: /* with keys of earlier steps the second result has them all, [batch, heads, keys, size] */
        times_elements(&macs, fact_at(inference, graph, node, 0, false));
        times_elements(&other, result);
        add(&macs, &other);
        times_axis(&macs, weight ? fact_at(inference, graph, node, 1, true) : input, 2);
        macs.is_known &= input && (input->rank == 3 || input->rank == 4);
        break;
    case MACS_PACKED_ATTENTION:
        times_elements(&macs, result);
        times(&macs, 2);
        times_axis(&macs, input, 2);
        times_elements(&other, input);
        times_axis(&other, weight, 1);
        add(&macs, &other);
        macs.is_known &= fact_at(inference, graph, node, 4, false) == NULL; /* no keys of earlier steps */
        break;
    case MACS_CACHED_ATTENTION: /* its second result is the cache, [batch, heads, keys, size] */
        times_elements(&macs, result);
        times(&macs, 2);
        times_axis(&macs, fact_at(inference, graph, node, 1, true), 2);
        break;
    case MACS_EINSUM:
        times_equation(&macs, graph, node, input, weight);
        break;
    case MACS_UNKNOWN:
        macs.is_known = false;
        break;
    }
    return macs;
}

static bool is_known_domain(const char *domain)
{
    return !*domain || strcmp(domain, "com.microsoft") == 0 || strcmp(domain, "ai.onnx.ml") == 0;
}

static const struct row *find_row(const char *op, const char *domain)
{
    size_t low = 0, high = NPART__COUNT(rows);
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(op, rows[middle].op);
        if (order == 0)
            order = strcmp(domain, rows[middle].domain);
        if (order == 0)
            return &rows[middle];
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

static uint64_t macs_of(const struct row *row, const struct npart__inference *inference,
                        const struct npart__graph *graph, const struct npart__node *node)
{
    if (!row)
        return is_known_domain(npart__text(&graph->strings, node->domain)) ? 0 : NPART__MACS_UNKNOWN;
    struct product macs = macs_by(row, inference, graph, node);
    return macs.is_known ? macs.value : NPART__MACS_UNKNOWN;
}

uint64_t npart__node_macs(const struct npart__inference *inference, const struct npart__graph *graph, uint32_t id)
{
    const struct npart__node *node = &graph->nodes.items[id];
    const struct row *row = find_row(npart__node_op(graph, node), npart__text(&graph->strings, node->domain));
    return macs_of(row, inference, graph, node);
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

static void add_macs(uint64_t *sum, uint64_t macs)
{
    *sum = macs > NPART__MACS_UNKNOWN - *sum ? NPART__MACS_UNKNOWN : *sum + macs;
}

/* A count over all nodes. Rows are looked up once for an operator of the standard. */
struct count {
    const struct npart__inference *inference;
    const struct npart__graph *graph; /* with operands as the model has them */
    uint8_t *row_of;                  /* by interned op: the row's place plus 2; 1: none; 0: not looked up */
    bool *has_parts;                  /* by node: it is a call whose nodes are fused into it */
    uint64_t *fused;                  /* by node: what those that are fused into it multiply */
};

static uint64_t count_node(const struct count *count, uint32_t id)
{
    const struct npart__node *node = &count->graph->nodes.items[id];
    if (node->domain != 0)
        return npart__node_macs(count->inference, count->graph, id);
    uint8_t *place = &count->row_of[node->op_type];
    if (*place == 0) {
        const struct row *row = find_row(npart__node_op(count->graph, node), "");
        *place = (uint8_t)(row ? row - rows + 2 : 1);
    }
    return *place == 1 ? 0 : macs_of(&rows[*place - 2], count->inference, count->graph, node);
}

static void count_fused(const struct count *count, const struct npart__session *session)
{
    const struct npart__node *nodes = count->graph->nodes.items;
    for (uint32_t i = 0; i < count->graph->nodes.count; i++) {
        if (session->into[i] == NPART_NONE)
            continue;
        uint32_t into = npart__fused_into(session, i);
        add_macs(&count->fused[into], count_node(count, i));
        count->has_parts[into] |= nodes[i].scope != nodes[into].scope;
    }
}

/* Of a live node. An operator of the standard that is one node has its own, a call of a function that of its nodes. */
static uint64_t count_live(const struct count *count, uint32_t id)
{
    uint64_t macs = count->has_parts[id] ? 0 : count_node(count, id);
    if (macs == 0)
        macs = count->fused[id];
    /* How often a body runs is not known. */
    return macs && npart__node_region(count->graph, id) != 0 ? NPART__MACS_UNKNOWN : macs;
}

uint64_t *npart__find_macs(const struct npart__session *session, const struct npart__inference *inference,
                           struct npart__arena *arena)
{
    const struct npart__graph *graph = session->inference->graph;
    struct npart__arena scratch;
    size_t nodes = graph->nodes.count + (size_t)1;
    npart__arena_init(&scratch, &arena->allocator);
    struct count count = {.inference = inference, .graph = graph};
    uint64_t *macs = count.fused = npart__arena_zeroed(arena, nodes, sizeof *macs);
    count.row_of = npart__arena_zeroed(&scratch, graph->strings.texts.count + (size_t)1, sizeof *count.row_of);
    count.has_parts = npart__arena_zeroed(&scratch, nodes, sizeof *count.has_parts);
    bool is_ready = macs && count.row_of && count.has_parts;
    if (is_ready)
        count_fused(&count, session);
    for (uint32_t i = 0; is_ready && i < graph->nodes.count; i++)
        macs[i] = npart__is_live(session, i) ? count_live(&count, i) : 0;
    npart__arena_clear(&scratch);
    return is_ready ? macs : NULL;
}

void npart__sum_macs(const struct npart__session *session, const uint64_t *macs,
                     struct npart__partitioning *partitioning)
{
    partitioning->macs = partitioning->macs_in_partitions = 0;
    for (uint32_t i = 0; i < npart__file_nodes(session); i++) {
        uint32_t partition = partitioning->partition_of[i];
        if (macs[i] == 0)
            continue;
        add_macs(&partitioning->macs, macs[i]);
        if (partition == NPART_NONE)
            continue;
        add_macs(&partitioning->macs_in_partitions, macs[i]);
        add_macs(&partitioning->partitions.items[partition].macs, macs[i]);
    }
}
