/* SPDX-License-Identifier: Apache-2.0
 *
 * What the inference functions of operators are written with: one node's operands and attributes in, its outputs' facts
 * out. A function that cannot tell leaves its outputs as they are: unknown, with the element type that the schema
 * implies.
 *
 * A typical one reads facts, gives up early where a rank is missing, and sets dims, then elements:
 *
 *   const struct npart__fact *in = npart__in(call, 0);
 *   int64_t *dims = npart__copy_dims(call, in, 1);             NULL without a rank
 *   if (!dims) return;
 *   dims[in->rank] = 2;
 *   npart__set_dims(call, 0, in->rank + 1u, dims);
 *
 * Memory is the inference's arena: nothing is freed by a function. Running out of it is remembered by the pool and told
 * once, at the end, so functions only have to stop.
 */
#ifndef NPART_INFER_CALL_H
#define NPART_INFER_CALL_H

#include "infer/infer.h"

struct npart__call;
typedef void (*npart__infer_function)(struct npart__call *call);

/* One operator, from one version on. Rows of one operator are sorted by version. */
struct npart__infer_row {
    const char *domain, *name;
    int since;
    npart__infer_function infer;
    int parameter;       /* tells members of a family apart */
    const char *pattern; /* of npart__infer_pattern */
};

extern const struct npart__infer_row npart__infer_rows[];
extern const size_t npart__infer_row_count;

struct npart__call {
    struct npart__inference *inference;
    struct npart__expressions *pool;
    struct npart__arena *arena;
    const struct npart__graph *graph;
    const struct npart__node *node;
    uint32_t node_id;
    const struct npart__infer_row *row;
    const uint8_t *policy_rows; /* see struct npart__infer_policy */
};

/* ---- operands -------------------------------------------------------------------------------------------- */

/* The fact of an input; of an absent one, a fact of kind unknown. Never NULL. */
struct npart__fact *npart__in(const struct npart__call *call, uint32_t index);
bool npart__has_input(const struct npart__call *call, uint32_t index);
/* The fact to fill in for an output; of an absent one, a scrap. Never NULL. */
struct npart__fact *npart__out(const struct npart__call *call, uint32_t index);

/* Known whole numbers of an input (possibly symbolic), or NULL. */
const int64_t *npart__in_ints(const struct npart__call *call, uint32_t index, uint32_t *count);
/* The one whole number of an input, possibly symbolic; `otherwise` where the input is absent, NPART__UNKNOWN where
 * it is not known. */
int64_t npart__in_number(const struct npart__call *call, uint32_t index, int64_t otherwise);
/* How many elements an input has that is a vector, if no more than a tensor may have dims; else NPART_NONE. */
uint32_t npart__in_length(const struct npart__call *call, uint32_t index);
/* Known numbers of an input as doubles, at most `limit`; false when one is unknown, symbolic, or may be off. */
bool npart__in_doubles(const struct npart__call *call, uint32_t index, double *out, uint32_t limit, uint32_t *count);

/* ---- attributes ------------------------------------------------------------------------------------------ */

int64_t npart__int_attribute(const struct npart__call *call, const char *name, int64_t otherwise);
/* The schema's default where it is absent; NPART__UNKNOWN where there is none. */
int64_t npart__int_or_default(const struct npart__call *call, const char *name);
float npart__float_attribute(const struct npart__call *call, const char *name, float otherwise);
/* `otherwise` when it is absent or no string. */
const char *npart__string_attribute(const struct npart__call *call, const char *name, const char *otherwise);
/* NULL when it is absent. */
const int64_t *npart__ints_attribute(const struct npart__call *call, const char *name, uint32_t *count);

/* ---- results --------------------------------------------------------------------------------------------- */

/* Zeroed objects; NULL when out of memory, which the pool remembers. */
void *npart__new_array(const struct npart__call *call, size_t count, size_t item_bytes);
/* Room for `rank` dims; NULL when out of memory, or past NPART__LIMIT_RANK. */
int64_t *npart__new_dims(const struct npart__call *call, uint32_t rank);
/* The dims of a fact, with room for `more` after them; NULL also when it has no rank. */
int64_t *npart__copy_dims(const struct npart__call *call, const struct npart__fact *fact, uint32_t more);
/* The dims of a fact that has a rank, with `count` others in the place of `left_out` of its own from an axis on. */
int64_t *npart__splice_dims(const struct npart__call *call, const struct npart__fact *fact, uint32_t axis,
                            uint32_t left_out, const int64_t *others, uint32_t count);
void npart__set_element_type(const struct npart__call *call, uint32_t output, int element_type);
/* Nothing where the type is 0 or no type's number. */
void npart__set_known_type(const struct npart__call *call, uint32_t output, int64_t element_type);
void npart__set_type_like(const struct npart__call *call, uint32_t output, uint32_t input);
/* Takes over `dims` (NULL only with rank 0 or after failure). NPART__UNKNOWN becomes a fresh symbol. */
void npart__set_dims(const struct npart__call *call, uint32_t output, uint32_t rank, int64_t *dims);
/* The same with sizes that stay the caller's; the second takes as many as are listed. */
void npart__set_sizes(const struct npart__call *call, uint32_t output, uint32_t rank, const int64_t *sizes);
#define NPART__SET_SIZES(call, output, ...)                                                                            \
    npart__set_sizes((call), (output), NPART__COUNT(((const int64_t[]){__VA_ARGS__})), (const int64_t[]){__VA_ARGS__})
/* The output has the shape of this fact, where it has one. */
void npart__set_shape_like(const struct npart__call *call, uint32_t output, const struct npart__fact *fact);
/* All dims fresh symbols. */
void npart__set_rank(const struct npart__call *call, uint32_t output, uint32_t rank);
/* The output's elements, of the type that it has by now: numbers that the type cannot hold are not followed. `ints` is
 * taken over. */
void npart__set_ints(const struct npart__call *call, uint32_t output, const int64_t *ints, uint32_t count);
void npart__set_doubles(const struct npart__call *call, uint32_t output, const double *doubles, uint32_t count,
                        double error);
int64_t *npart__new_ints(const struct npart__call *call, uint32_t count);

/* A sequence or optional of this element. */
void npart__set_container(const struct npart__call *call, uint32_t output, int kind,
                          const struct npart__fact *element);
/* Says once that the sizes cannot be, with the node as the place. */
void npart__contradiction(const struct npart__call *call, const char *format, ...) NPART__PRINTF(2, 3);
/* fits.c: whether the operands' sizes go together, by what operators.table says of the operator. */
void npart__check_fits(const struct npart__call *call);

/* ---- shared steps ---------------------------------------------------------------------------------------- */

/* Writes down that two sizes must be equal for the model to work, where they are not both numbers. */
void npart__must_equal(const struct npart__call *call, int64_t a, int64_t b);
/* One dim of a broadcast, with the assumption it needs written down. */
int64_t npart__broadcast_dim(const struct npart__call *call, int64_t a, int64_t b);
/* The shape that facts broadcast to; false when a rank is unknown. */
bool npart__broadcast(const struct npart__call *call, const struct npart__fact *const *facts, uint32_t count,
                      uint32_t *rank, int64_t **dims);
/* The product of dims[from..to). */
int64_t npart__dims_product(const struct npart__call *call, const int64_t *dims, uint32_t from, uint32_t to);
/* Known elements of a tensor that are looked at one by one, or the number that a static tensor would have. */
bool npart__small_count(const struct npart__call *call, const struct npart__fact *fact, uint32_t *out);

/* What holds of both facts, without elements. Dims that differ become varying symbols; one that is such a symbol
 * already, made from number `own` on (NPART_NONE: none is), stays. */
struct npart__fact npart__merge_facts(const struct npart__call *call, const struct npart__fact *a,
                                      const struct npart__fact *b, uint32_t own);
/* Whether two facts say the same of type and shape. */
bool npart__same_type(const struct npart__fact *a, const struct npart__fact *b);
/* A copy that lives as long as the inference; NULL when out of memory, which the pool remembers. */
struct npart__fact *npart__keep_fact(const struct npart__call *call, const struct npart__fact *fact);

const struct npart__fact *npart__body_output(const struct npart__call *call, uint32_t scope, uint32_t index);

#endif
