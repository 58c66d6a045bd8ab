/* SPDX-License-Identifier: Apache-2.0
 *
 * Dims and axes, as rewrites that give tensors other ranks need them.
 */
#ifndef NPART_REWRITE_AXES_H
#define NPART_REWRITE_AXES_H

#include "rewrite/functions.h"

/* Rank and dims of a tensor of which all dims are numbers. */
struct npart__dims {
    int64_t at[NPART__LIMIT_RANK];
    uint32_t rank;
};

/* Static and without a dim of 0, which in a Reshape copies a dim; the number of elements fits. */
bool npart__full_dims(const struct npart__site *site, uint32_t value, struct npart__dims *out);
/* The product of the dims from `first` to before `end`, of dims as npart__full_dims gives them. */
int64_t npart__volume(const struct npart__dims *dims, uint32_t first, uint32_t end);
bool npart__has_dims(const struct npart__site *site, uint32_t value, const struct npart__dims *dims);
/* The same of an operand of the node. */
bool npart__operand_has_dims(const struct npart__site *site, uint32_t operand, const int64_t *dims, uint32_t rank);
void npart__push_dim(struct npart__dims *dims, int64_t dim);

/* A value as a tensor of other dims and as many elements: through the Reshape, Unsqueeze, Squeeze or Flatten that made
 * it, and with no Reshape where the dims are there already. */
const char *npart__view(struct npart__site *site, uint32_t value, const struct npart__dims *dims);
/* A constant of one element as one of rank 0, which is new where its number is known; "" of NPART_NONE. */
const char *npart__scalar(struct npart__site *site, uint32_t value);
/* The value that a view is a Reshape of; one of these dims already where there is one. */
uint32_t npart__view_source(const struct npart__site *site, uint32_t value, const struct npart__dims *dims);
/* A result of the node, whose dims are full, is a view of a value. */
void npart__finish_view(struct npart__site *site, uint32_t result, uint32_t value);
/* A Reshape of a new value to the dims of a result of the node, which becomes that result; nothing where that is not
 * used. `name` NULL: out of memory. */
void npart__finish_shaped(struct npart__site *site, uint32_t result, const char *name);

/* An attribute that is an axis of a tensor of that rank, counted from the front. `fallback` counts where neither
 * the node nor the schema of its version has a number. */
bool npart__axis_attribute(const struct npart__site *site, const char *name, int64_t fallback, uint32_t rank,
                           uint32_t *out);
/* Whether only the first result is used. */
bool npart__gives_one(const struct npart__site *site);
/* FLOAT16 is computed in float32 by ONNX Runtime's CPU, and rounded only where an operator with a kernel for FLOAT16
 * follows, as a Reshape is: then the class is ulp at this site. For operators that compute. */
void npart__equal_but_half(struct npart__site *site, uint32_t value);
/* float32, float16, double or bfloat16. */
bool npart__is_plain_float(int element_type);
/* The item of a list attribute; `fallback` where the node does not give it. */
int64_t npart__list_item(const struct npart__site *site, const char *name, uint32_t index, int64_t fallback);
/* Whether a list attribute, if the node gives it, has that many numbers. */
bool npart__has_length(const struct npart__site *site, const char *name, uint32_t count);

#endif
