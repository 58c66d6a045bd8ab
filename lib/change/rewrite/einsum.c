/* SPDX-License-Identifier: Apache-2.0
 *
 * Einsum as a product of matrices. Each label of "ibnd,jbnd->bnij" is of one of four kinds, and the axes of a kind
 * become one:
 *
 *     batch   in both operands and the result   b n
 *     rows    in the left one and the result    i
 *     columns in the right one and the result   j
 *     summed  in both operands                  d
 *
 * With b 2, n 3, i 5, j 7 and d 4 the operands become [6,5,4] and [6,4,7], and their product [6,5,7] is taken apart to
 * [2,3,5,7], whose labels b n i j are the result's already.
 */
#include "rewrite/functions.h"

/* The arrays of dims and axes are as long. */
#define MOST_LABELS 16u

/* Letters in their order, each once. */
struct labels {
    char items[MOST_LABELS + 1]; /* a text */
    uint32_t count;
};

struct einsum {
    struct labels operands[2], result;
    uint32_t operand_count; /* 1 or 2 */
    int64_t sizes[256]; /* by label; 0: not there */
};

/* strchr finds the end of a text as well, hence the look at the label itself. */
static bool has(const struct labels *labels, char label)
{
    return label && strchr(labels->items, label) != NULL;
}

/* False for what is no letter, and for one that is there: a diagonal, which is no product. */
static bool add(struct labels *labels, char label)
{
    bool is_letter = (label >= 'a' && label <= 'z') || (label >= 'A' && label <= 'Z');
    if (!is_letter || labels->count == MOST_LABELS || has(labels, label))
        return false;
    labels->items[labels->count++] = label;
    return true;
}

/* Without an arrow the result has the labels that come once, as letters are sorted. Capitals before small letters,
 * as ASCII has them; characters between the two are no labels and never found. */
static bool imply_result(struct einsum *einsum)
{
    for (int label = 'A'; label <= 'z'; label++) {
        uint32_t times = 0;
        for (uint32_t k = 0; k < einsum->operand_count; k++)
            times += has(&einsum->operands[k], (char)label);
        /* "ij,jk" means "ij,jk->ik". */
        if (times == 1 && !add(&einsum->result, (char)label))
            return false;
    }
    return true;
}

/* False for what is not done here: an ellipsis, a label twice in one operand, more than two operands. The
 * equation comes from the file, so anything may stand in it. "..." stands for an equation that is absent: a
 * point is no letter. */
static bool parse(const char *equation, struct einsum *einsum)
{
    uint32_t operand = 0;
    bool has_arrow = false;
    for (const char *at = equation; *at; at++) {
        if (*at == ' ')
            continue;
        if (*at == ',' && !has_arrow && operand == 0) {
            operand = 1;
        } else if (*at == '-' && at[1] == '>' && !has_arrow) {
            has_arrow = true;
            at++;
        } else if (!add(has_arrow ? &einsum->result : &einsum->operands[operand], *at)) {
            return false;
        }
    }
    einsum->operand_count = operand + 1;
    return has_arrow || imply_result(einsum);
}

/* Sizes of all labels: numbers, none of them 0, and the same wherever a label is. A label of the result must be of
 * an operand. Sizes of 1 that are broadcast against others are not followed. */
static bool read_sizes(const struct npart__site *site, struct einsum *einsum)
{
    for (uint32_t k = 0; k < einsum->operand_count; k++) {
        int64_t dims[NPART__LIMIT_RANK];
        uint32_t rank;
        if (!npart__site_dims(site, npart__operand(site, k), dims, &rank) || rank != einsum->operands[k].count)
            return false;
        for (uint32_t i = 0; i < rank; i++) {
            int64_t *size = &einsum->sizes[(unsigned char)einsum->operands[k].items[i]];
            if (dims[i] <= 0 || (*size && *size != dims[i]))
                return false;
            *size = dims[i];
        }
    }
    for (uint32_t i = 0; i < einsum->result.count; i++)
        if (!einsum->sizes[(unsigned char)einsum->result.items[i]])
            return false;
    return true;
}

/* Dims of the labels in their order; `dims` has room for MOST_LABELS. Gives the rank. */
static uint32_t sizes_of(const struct einsum *einsum, const struct labels *labels, int64_t *dims)
{
    for (uint32_t i = 0; i < labels->count; i++)
        dims[i] = einsum->sizes[(unsigned char)labels->items[i]];
    return labels->count;
}

/* 1 for no labels; false where the number does not fit. */
static bool product_of(const struct einsum *einsum, const struct labels *labels, int64_t *out)
{
    *out = 1;
    for (uint32_t i = 0; i < labels->count; i++)
        if (!npart__multiply_int64(*out, einsum->sizes[(unsigned char)labels->items[i]], out))
            return false;
    return true;
}

/* From the labels' order to another of the same labels. Each is there once, so strchr finds every one. From
 * "ibnd" to "bnid" the order is 1 2 0 3. */
static const char *turn(struct npart__site *site, const char *name, const struct labels *from,
                        const struct labels *to)
{
    int64_t order[MOST_LABELS];
    if (strcmp(from->items, to->items) == 0)
        return name;
    for (uint32_t i = 0; i < to->count; i++)
        order[i] = strchr(from->items, to->items[i]) - from->items;
    return npart__make_transpose(site, name, order, to->count);
}

/* None where the dims are there already. */
static const char *reshape(struct npart__site *site, const char *name, const int64_t *from, uint32_t from_rank,
                           const int64_t *to, uint32_t to_rank)
{
    if (from_rank == to_rank && (to_rank == 0 || memcmp(from, to, to_rank * sizeof *to) == 0))
        return name;
    return npart__make_reshape(site, name, to, to_rank);
}

/* The kinds of one operand together are no more than its labels. */
static struct labels join(const struct labels *a, const struct labels *b, const struct labels *c)
{
    const struct labels *parts[3] = {a, b, c};
    struct labels all = {.count = 0};
    for (uint32_t k = 0; k < 3; k++)
        for (uint32_t i = 0; i < parts[k]->count && all.count < MOST_LABELS; i++)
            all.items[all.count++] = parts[k]->items[i];
    return all;
}

/* Of one operand, what is summed and what is left in another order. In an implied or written result order; a
 * permutation alone moves elements and is equal bit for bit. */
static bool sum_one(struct npart__site *site, const struct einsum *einsum)
{
    const struct labels *operand = &einsum->operands[0];
    struct labels left = {.count = 0};
    int64_t axes[MOST_LABELS];
    uint32_t summed = 0;
    for (uint32_t i = 0; i < operand->count; i++)
        if (has(&einsum->result, operand->items[i]))
            left.items[left.count++] = operand->items[i];
        else
            axes[summed++] = i;
    const char *name = npart__operand_name(site, 0);
    if (summed)
        name = npart__make_reduce_sum(site, name, axes, summed, false);
    if (summed > 1)
        site->equality = NPART_EQUAL_ULP; /* in another order */
    npart__finish(site, 0, turn(site, name, &left, &einsum->result));
    return true;
}

/* See above; `rows` are the left operand's own, `columns` the right one's. */
struct kinds {
    struct labels batch, rows, columns, summed;
};

/* Batch, rows and columns in the result's order, what is summed in the left operand's. False where a label of
 * one operand alone is summed. Such a label would have to be summed before the product, in another order. Of
 * "ij,jk->i" k is such a label. */
static bool sort_labels(const struct einsum *einsum, struct kinds *kinds)
{
    const struct labels *left = &einsum->operands[0], *right = &einsum->operands[1];
    *kinds = (struct kinds){.batch = {.count = 0}};
    for (uint32_t i = 0; i < einsum->result.count; i++) {
        char label = einsum->result.items[i];
        struct labels *kind = !has(right, label) ? &kinds->rows : has(left, label) ? &kinds->batch : &kinds->columns;
        kind->items[kind->count++] = label;
    }
    for (uint32_t i = 0; i < left->count; i++)
        if (!has(&einsum->result, left->items[i]))
            kinds->summed.items[kinds->summed.count++] = left->items[i];
    for (uint32_t i = 0; i < left->count; i++)
        if (!has(&einsum->result, left->items[i]) && !has(right, left->items[i]))
            return false;
    for (uint32_t i = 0; i < right->count; i++)
        if (!has(&einsum->result, right->items[i]) && !has(left, right->items[i]))
            return false;
    return true;
}

/* An operand as [batch,outer,inner], without the first where there is none. Of the left operand outer are rows and
 * inner what is summed, of the right one the other way round. NULL where a product of sizes does not fit. */
static const char *as_matrices(struct npart__site *site, const struct einsum *einsum, uint32_t operand,
                               const struct labels *batch, const struct labels *outer, const struct labels *inner)
{
    const struct labels order = join(batch, outer, inner);
    int64_t dims[MOST_LABELS], joined[3];
    if (!product_of(einsum, batch, &joined[0]) || !product_of(einsum, outer, &joined[1]) ||
        !product_of(einsum, inner, &joined[2]))
        return NULL;
    const char *name = turn(site, npart__operand_name(site, operand), &einsum->operands[operand], &order);
    uint32_t rank = sizes_of(einsum, &order, dims), first = batch->count ? 0 : 1;
    return reshape(site, name, dims, rank, joined + first, 3 - first);
}

/* [batch, rows, summed] by [batch, summed, columns]; the result is taken apart into its labels and put in their
 * order. */
static bool multiply(struct npart__site *site, const struct einsum *einsum)
{
    struct kinds kinds;
    int64_t joined[3], dims[MOST_LABELS];
    if (!sort_labels(einsum, &kinds) || !product_of(einsum, &kinds.batch, &joined[0]) ||
        !product_of(einsum, &kinds.rows, &joined[1]) || !product_of(einsum, &kinds.columns, &joined[2]))
        return false;
    const char *left = as_matrices(site, einsum, 0, &kinds.batch, &kinds.rows, &kinds.summed);
    const char *right = as_matrices(site, einsum, 1, &kinds.batch, &kinds.summed, &kinds.columns);
    if (!left || !right)
        return false;
    const struct labels order = join(&kinds.batch, &kinds.rows, &kinds.columns);
    uint32_t rank = sizes_of(einsum, &order, dims), first = kinds.batch.count ? 0 : 1;
    const char *product = npart__make_matmul(site, left, right);
    product = reshape(site, product, joined + first, 3 - first, dims, rank);
    npart__finish(site, 0, turn(site, product, &order, &einsum->result));
    return true;
}

/* Types for which both the standard and ONNX Runtime have MatMul. */
bool npart__rewrite_einsum(struct npart__site *site)
{
    static const int types[] = {NPART__FLOAT, NPART__INT32, NPART__INT64, NPART__FLOAT16, NPART__DOUBLE};
    struct einsum einsum = {.operand_count = 0};
    bool is_multiplied = false;
    for (size_t i = 0; i < NPART__COUNT(types); i++)
        is_multiplied |= npart__site_type(site, npart__operand(site, 0)) == types[i];
    if (!is_multiplied || !parse(npart__site_text(site, site->id, "equation", "..."), &einsum) ||
        einsum.operand_count != site->node->input_count || !read_sizes(site, &einsum))
        return false;
    return einsum.operand_count == 1 ? sum_one(site, &einsum) : multiply(site, &einsum);
}
