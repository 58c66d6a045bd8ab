/* SPDX-License-Identifier: Apache-2.0
 *
 * runtime: what releases of ONNX Runtime can do by themselves, as tables: which operators the CPU has a kernel for, and
 * what is loaded at all. A new release is a new column.
 */
#ifndef NPART_RUNTIME_H
#define NPART_RUNTIME_H

#include "schema/schema.h"

/* The columns, oldest first. */
enum npart__release {
    NPART__RELEASE_1_24,
    NPART__RELEASE_1_30,
    NPART__RELEASE_1_31,
    NPART__RELEASES, /* how many there are */
    NPART__RELEASE_NEWEST = NPART__RELEASES - 1
};

/* The operator as the CPU provider of a release has it, whose type variables are those that it has a kernel for; false
 * when it has none. Only for operators of ai.onnx. */
bool npart__kernel_find(enum npart__release release, const struct npart__operator *op, struct npart__operator *out);

/* Whether a release has a kernel for an operator whose first input is of this element type. */
bool npart__kernel_exists(enum npart__release release, const struct npart__operator *op, int element_type);

/* Whether an operand of such a kernel may be of an element type: one of the operator's, as npart__operator_input or
 * npart__operator_output tells it. */
bool npart__kernel_takes(const struct npart__operator *kernel, const struct npart__operand *operand, int element_type);

#endif
