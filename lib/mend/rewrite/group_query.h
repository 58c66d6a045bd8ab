/* SPDX-License-Identifier: Apache-2.0
 *
 * Which nodes of com.microsoft:GroupQueryAttention are followed, and what they are made of.
 */
#ifndef NPART_REWRITE_GROUP_QUERY_H
#define NPART_REWRITE_GROUP_QUERY_H

#include "edit/edit.h"

/* Causal, with a cache, and without windows, soft caps, sinks, a quantized cache, and positions or a bias that are
 * given. */
bool npart__is_plain_group_query(const struct npart__site *site);
/* Names of its query, key and value, of which the latter two may stand in the query beside it: `heads` of queries and
 * `kept` of keys, of a `size` each. */
void npart__list_group_query_parts(struct npart__site *site, int64_t heads, int64_t kept, int64_t size,
                                   const char **parts);

enum { QUERY, KEY, VALUE, PAST_KEY, PAST_VALUE, LENGTHS, TOTAL, COSINE, SINE, FIRST_UNKNOWN }; /* its operands */

/* By which sizes it is made of others. Where they are numbers of the model, all are; else those of the new tokens are 0
 * and -1, as Reshape has them: what it was, and the rest. */
struct npart__group_query {
    int64_t batch, length, shared; /* of the new tokens; queries of a key, heads / kept * length */
    int64_t heads, kept, size;     /* of queries, of keys; of a head */
    int type;
    const char *(*rows)(void *payload, uint32_t operand); /* of COSINE or SINE, by position: [.., tokens, 1, half] */
    const char *(*weigh)(void *payload, const char *scores);  /* Softmax, with what hides slots */
    void *payload;
};
/* The node by others, and its results. `parts`: as above. */
void npart__make_group_query(struct npart__site *site, const struct npart__group_query *at, const char *const *parts);
/* Each pair of elements, half a head apart, turned by the angle of its position: (a, b) becomes (a cos - b sin,
 * b cos + a sin). */
const char *npart__make_turned(struct npart__site *site, const char *x, int64_t size, const char *cosine,
                               const char *sine);
/* Of dims 0 is what it was, and -1 the rest. */
const char *npart__make_reshape_to(struct npart__site *site, const char *x, const int64_t *dims, uint32_t rank);
const char *npart__make_softmax(struct npart__site *site, const char *scores);

#endif
