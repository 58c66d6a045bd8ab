/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that have the cache of a decoder as operands and results, beside GroupQueryAttention: Attention of the
 * standard and com.microsoft:MultiHeadAttention.
 */
#ifndef NPART_REWRITE_CACHED_H
#define NPART_REWRITE_CACHED_H

#include "rewrite/attention.h"

/* Which operator, and where its operands stand. */
struct npart__cached {
    struct npart__attention attention; /* without sizes of tokens and slots, and what hides slots */
    uint32_t past_key;                 /* operand; the next is the past value */
    uint32_t projection_bias;          /* the same; 0: none */
    bool is_causal;                    /* a token does not see later ones */
    const char *visible;               /* [.., slots], by slot whether it is seen: bool; NULL: not told so */
};

/* Which operand is the past key of an operator that has the cache, GroupQueryAttention too; the past value is the next.
 * 0: it is none. */
uint32_t npart__past_key_of(const struct npart__graph *graph, uint32_t node);
/* Whether such a node is given a past. */
bool npart__has_past(const struct npart__graph *graph, uint32_t node);
/* The reason why it is not followed, in the words of a message; NULL: it is. Its query, key and value are named, with
 * what is added to them. */
const char *npart__read_cached(struct npart__site *site, struct npart__cached *out);
/* Where it is told which slots are seen, the others get `hidden` added to their scores. */
void npart__make_visible(struct npart__site *site, struct npart__cached *cached, double hidden);

#endif
