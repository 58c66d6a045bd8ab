/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this stage that are not about operators share.
 */
#ifndef NPART_INFER_DRIVER_H
#define NPART_INFER_DRIVER_H

#include "infer/call.h"

#define NPART__CACHED_OUTPUTS 4u
#define NPART__NO_SOURCE INT32_MAX

/* Where the tables of view.c and typed.c speak of an operator: a run of rows, and single ones plus one, of `asked` the
 * first; 0: nowhere. */
struct npart__view_rows {
    uint8_t first_need, end_need, special, propagation, asked;
};

/* What is looked up once per operator and version. */
struct npart__op_cache {
    bool is_filled;
    uint32_t op_type, domain;
    const struct npart__operator *schema;
    const struct npart__infer_row *row;
    struct npart__view_rows view_rows;
    int type_source[NPART__CACHED_OUTPUTS]; /* see npart__type_source */
};

/* Where an output's element type comes from: the index of the next input from `from` on, minus the number of a fixed
 * type, or NPART__NO_SOURCE. */
int npart__type_source(const struct npart__operator *schema, unsigned output, unsigned from);

void npart__fact_from_tensor(struct npart__fact *fact, const struct npart__tensor *tensor, bool is_constant);
struct npart__fact *npart__fact_of_declared(struct npart__inference *inference,
                                            const struct npart__declared_type *declared);
/* Adds what the file declares of a value to its fact: see declared.c. */
void npart__merge_declared(struct npart__inference *inference, uint32_t value);
/* Reports `text` and where it was found; `code` is for programs. Nothing in a quiet pass. False when out of memory. */
bool npart__add_finding(struct npart__inference *inference, const char *code, const char *text, const char *place);
/* Notes two sizes that must be equal for the model to work; or, where one broadcasts, one of them 1. */
void npart__assume_equal(struct npart__inference *inference, uint32_t node, int64_t a, int64_t b, bool broadcasts);
/* Reports that the sizes at a node cannot be, so that the model would fail in a run; nothing in a quiet pass. */
void npart__report_contradiction(struct npart__inference *inference, uint32_t node, const char *text);
/* view.c: takes away what the runtime would not know of a node's results. */
void npart__view_as_onnxruntime(const struct npart__call *call);
struct npart__view_rows npart__find_view_rows(const char *domain, const char *op);
/* typed.c: whether ONNX's own inference says anything of a node's results, which it does where the operands that it
 * begins with have a type. */
bool npart__is_typed(const struct npart__call *call);
uint8_t npart__find_asked(const char *op);
/* infer.c: whether a runtime knows nothing of the node's results because the standard's inference says nothing of
 * them. ONNX's own goes through the bodies of functions. */
bool npart__is_unshaped(const struct npart__inference *inference, const struct npart__node *node);
/* Whether the runtime could compute a node of constants before the model runs. */
bool npart__is_measured(const struct npart__call *call);
/* fuse.c: before a Reshape is inferred, its target as the runtime's fusion would write it. */
void npart__fuse_reshape(const struct npart__call *call);
/* twins.c: fills in `twins` and `twin_uses`; false when out of memory. */
bool npart__find_twins(struct npart__inference *inference);
/* Infers the nodes of a region, the main graph or a body, in topological order. */
npart_status npart__infer_region(struct npart__inference *inference, uint32_t region);

/* Moves to the next word of a dim's text and returns its length, 0 at the end: of letters, digits and underscores, or
 * of what symbols may be written with in an expression. */
size_t npart__next_word(const char **at, bool of_symbols);

/* binding.c: facts of the main graph's inputs, with the caller's bindings. */
npart_status npart__bind_inputs(struct npart__inference *inference, const struct npart__infer_options *options,
                                struct npart_error *error);

#endif
