/* SPDX-License-Identifier: Apache-2.0
 *
 * Which nodes of com.microsoft:GroupQueryAttention are followed, and how.
 */
#ifndef NPART_REWRITE_GROUP_QUERY_H
#define NPART_REWRITE_GROUP_QUERY_H

#include "rewrite/attention.h"

/* Operands of GroupQueryAttention. */
enum npart__group_query_operand {
    NPART__GQA_QUERY,
    NPART__GQA_KEY,
    NPART__GQA_VALUE,
    NPART__GQA_PAST_KEY,
    NPART__GQA_PAST_VALUE,
    NPART__GQA_LENGTHS,
    NPART__GQA_TOTAL,
    NPART__GQA_COSINE,
    NPART__GQA_SINE,
    NPART__GQA_POSITIONS,
    NPART__GQA_BIAS,
    NPART__GQA_SINK,
    NPART__GQA_KEY_SCALE,
    NPART__GQA_VALUE_SCALE,
    NPART__GQA_QUERY_GAIN,
    NPART__GQA_KEY_GAIN,
    NPART__GQA_ROWS_IN_USE
};

/* What it does with its cache. */
struct npart__group_query {
    struct npart__attention attention; /* without sizes of tokens and slots, rows of positions, and what hides slots */
    int64_t window;   /* slots that a token sees, its own included; 0: all */
    bool is_causal;   /* a token does not see later ones */
    bool evicts;      /* its cache has a fixed size, and drops what left the window (sliding_window_cache) */
};

/* The reason why it is not followed, in the words of a message; NULL: it is. The cache may be absent. */
const char *npart__read_group_query(const struct npart__site *site, struct npart__group_query *out);
/* Names of its query, key and value, of which the latter two may stand in the query beside it. */
void npart__list_group_query_parts(struct npart__site *site, struct npart__attention *at);

/* com.microsoft:RotaryEmbedding and that of the standard. */
struct npart__rotary {
    uint8_t positions, cosine, sine; /* operands */
    int64_t heads, size;             /* of the operand 0 */
    struct npart__turn turn;         /* without rows */
    uint32_t rank;                   /* [batch, tokens, heads * size], or [batch, heads, tokens, size] */
};
/* As above. */
const char *npart__read_rotary(const struct npart__site *site, struct npart__rotary *out);
/* The node's result. Rows: [batch or 1, tokens, turned / 2], with an axis of 1 for the heads. */
void npart__make_rotary(struct npart__site *site, const struct npart__rotary *at, const char *cosine,
                        const char *sine);

/* The last dim of a value; 0 where it is not known as a number. */
int64_t npart__last_dim(const struct npart__site *site, uint32_t value);

#endif
