/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this stage that are not about operators share.
 */
#ifndef NPART_INFER_DRIVER_H
#define NPART_INFER_DRIVER_H

#include "infer/call.h"

/* Of so many outputs of an operator it is remembered where the element type comes from; of later ones, which few
 * operators have, it is looked up at each node. */
#define NPART__CACHED_OUTPUTS 4u
/* No index of an input is as large, so who goes through the inputs ends at once. */
#define NPART__NO_SOURCE INT32_MAX

/* What is looked up once per operator and version. */
struct npart__op_cache {
    bool is_filled; /* else a slot of zeros, which are ids too: of the empty text */
    uint32_t op_type, domain;
    const struct npart__operator *schema; /* NULL: the operator is not known, or not at this version */
    const struct npart__infer_row *row;   /* NULL: operators.table has none, so that no shape is said */
    uint8_t policy_rows[NPART__POLICY_ROWS];
    int type_source[NPART__CACHED_OUTPUTS]; /* see npart__type_source */
};

/* Where an output's element type comes from: the index of the next input from `from` on, minus the number of a fixed
 * type, or NPART__NO_SOURCE. */
int npart__type_source(const struct npart__operator *schema, unsigned output, unsigned from);

void npart__fact_from_tensor(const struct npart__limits *limits, struct npart__fact *fact,
                             const struct npart__tensor *tensor, bool is_constant);
struct npart__fact *npart__fact_of_declared(struct npart__inference *inference,
                                            const struct npart__declared_type *declared);
/* Adds what the file declares of a value to its fact: see declared.c. */
void npart__merge_declared(struct npart__inference *inference, uint32_t value);
/* Reports `text` (NULL: memory ran out) and where it was found; `code` is for programs. Nothing in a quiet pass. False
 * when out of memory. */
bool npart__add_finding(struct npart__inference *inference, const char *code, const char *text, const char *place);
/* Notes two sizes that must be equal for the model to work; or, where one broadcasts, one of them 1. */
void npart__assume_equal(struct npart__inference *inference, uint32_t node, int64_t a, int64_t b, bool broadcasts);
/* Reports that the sizes at a node cannot be, so that the model would fail in a run; nothing in a quiet pass. */
void npart__report_contradiction(struct npart__inference *inference, uint32_t node, const char *text);
/* fact.c: whether so many elements may be followed: no more than the limit, or than the options ask for. What is past
 * the limits is counted by who makes room for it. */
bool npart__may_follow(struct npart__inference *inference, uint64_t count, uint32_t limit);
/* Elements of a result that are computed. */
static inline uint32_t npart__most_computed(const struct npart__inference *inference)
{
    return (uint32_t)NPART__MOST(inference->graph->limits, COMPUTED_ELEMENTS);
}
void npart__count_elements(struct npart__inference *inference, uint32_t count);
/* Infers the nodes of a region, the main graph or a body, in topological order. */
npart_status npart__infer_region(struct npart__inference *inference, uint32_t region);

/* Moves to the next word of a dim's text and returns its length, 0 at the end: of letters, digits and underscores, or
 * of what symbols may be written with in an expression. */
size_t npart__next_word(const char **at, bool of_symbols);

/* binding.c: facts of the main graph's inputs, with the caller's bindings. */
npart_status npart__bind_inputs(struct npart__inference *inference, const struct npart__infer_options *options,
                                struct npart_error *error);

#endif
