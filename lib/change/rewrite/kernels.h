/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a new node is valid and can be run.
 */
#ifndef NPART_REWRITE_KERNELS_H
#define NPART_REWRITE_KERNELS_H

#include "rewrite/rewrite.h"

/* A name, and its element type; 0 where that is not known. */
struct npart__put_value {
    const char *name; /* NULL: cannot be made; "": is absent */
    int element_type;
};

/* Whether the model's version of the operator, and ONNX Runtime's CPU, take operands of these types; and the
 * type of its first result. `version` is NULL where nothing is known of the op. */
bool npart__can_make(const struct npart__operator *version, const struct npart__put_value *operands, uint32_t count,
                     int *result_type);

#endif
