/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums of products of known elements: MatMul, Gemm, Einsum.
 */
#ifndef NPART_INFER_PRODUCT_H
#define NPART_INFER_PRODUCT_H

#include "infer/call.h"

/* Most products of elements that one node's result is computed from. */
#define NPART__LIMIT_PRODUCTS 4096u

/* Output 0's elements; its shape is set. */
void npart__multiply_elements(struct npart__call *call);
void npart__gemm_elements(struct npart__call *call);
void npart__einsum_elements(struct npart__call *call);

#endif
