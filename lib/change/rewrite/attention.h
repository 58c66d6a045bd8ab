/* SPDX-License-Identifier: Apache-2.0
 *
 * Attention over a cache by MatMul and Softmax, for the operators that have it as a whole. Which of them is followed,
 * and how its operands are meant, is said elsewhere.
 */
#ifndef NPART_REWRITE_ATTENTION_H
#define NPART_REWRITE_ATTENTION_H

#include "edit/edit.h"

/* An attribute of the node at hand. */
static inline int64_t npart__number(const struct npart__site *site, const char *name, int64_t fallback)
{
    return npart__site_int(site, site->id, name, fallback);
}

/* By which sizes it is made. Where they are numbers of the model, all are; else batch and length are 0, which Reshape
 * takes for what it was, `shared` is -1, the rest, and `slots` and `tokens` are values. Names of what there is not are
 * NULL. */
struct npart__attention {
    int64_t batch, length, total, shared; /* `shared`: queries of a key, heads / kept * length; `total`: slots */
    int64_t heads, kept;                  /* of queries, of keys */
    int64_t size, value_size;             /* of a head */
    int type;                             /* float32 or float16 */
    const char *slots, *tokens;           /* INT64 numbers of rank 0 */
    bool is_single;                       /* one new token */

    const char *query, *key, *value;    /* [batch, length, heads * size]; by head where `has_heads` */
    bool has_heads;                     /* [batch, heads, length, size] */
    const char *past_key, *past_value;  /* [batch, kept, slots before, size] */

    const char *gains[2];               /* of query and key: an RMS normalization of each head, before it is turned */
    double epsilons[2];
    int64_t turned;                     /* elements of a head that positions turn, from the first on; 0: none */
    bool is_interleaved;                /* as they are turned in pairs: neighbours, not half of them apart */
    const char *cosine, *sine;          /* [.., tokens, 1, turned / 2] */

    double scale;                       /* of scores */
    double softcap;                     /* c tanh(score / c); 0: none */
    const char *bias;                   /* added: [batch or 1, heads or 1, length, slots] */
    bool is_by_head;                    /* the bias is */
    const char *mask;                   /* added: [length, slots]; [shared, slots] where `is_mask_shared` */
    bool is_mask_shared;
    const char *sink;                   /* [heads]: a score beside those of the slots, of which nothing is taken */
    bool is_smooth;                     /* a sink of 0 for all heads */

};

/* The node's results: [batch, length, heads * value_size], by head where `has_heads`, and the cache with the new tokens
 * in it. */
void npart__finish_attention(struct npart__site *site, const struct npart__attention *at);
/* Where sizes are numbers: a mask that is written down of what a token does not see, later ones where it is causal, and
 * of a window (0: none) those before it. At most so many elements. */
#define NPART__LIMIT_MASK (1 << 20)
void npart__hide_slots(struct npart__site *site, struct npart__attention *at, bool is_causal, int64_t window);

/* Pairs of the first `turned` of `size` elements of the last of four axes, turned by the angle of their position:
 * (a, b) becomes (a cos - b sin, b cos + a sin). */
struct npart__turn {
    int64_t size, turned;
    bool is_interleaved;
    const char *cosine, *sine;
};
const char *npart__make_turned(struct npart__site *site, const char *x, const struct npart__turn *turn);
/* Of dims 0 is what it was, and -1 the rest. */
const char *npart__make_reshape_to(struct npart__site *site, const char *x, const int64_t *dims, uint32_t rank);

#endif
