/* SPDX-License-Identifier: Apache-2.0
 *
 * The kernels of ONNX Runtime's CPU provider, by release: what it can compute decides which
 * nodes of constants are folded, and which operators give way to their definitions
 * (lib/runtime/onnxruntime).
 */
#include "release/release.h"

static const struct kernel {
    const char *domain, *op;
    int since;
    const char *types[NPART__RELEASE_NEWEST]; /* "" as the release before, "-" none */
} kernels[] = {
#define KERNEL(op, since, ...) {"", op, since, {__VA_ARGS__}},
#define CONTRIB(op, since, ...) {"com.microsoft", op, since, {__VA_ARGS__}},
#include "release/kernels.def"
};

/* The last row at or before the operator's version counts. A column says only what has changed
 * since the release before, so the last one that says something is taken. Without a runtime the
 * newest release counts. */
bool npart__kernel_find(enum npart__release release, const struct npart__operator *op, struct npart__operator *out)
{
    const struct kernel *kernel = NPART__LAST_ROW(kernels, op->domain, op->name, op->since);
    if (!kernel || *kernel->types[0] == '?')
        return false;
    /* Columns begin with the oldest release, while releases begin with OWN, which has none. */
    int column = (int)(release == NPART__RELEASE_OWN ? NPART__RELEASE_NEWEST : release) - 1;
    while (column > 0 && !*kernel->types[column])
        column--;
    *out = *op;
    out->types = kernel->types[column];
    return *out->types != '-';
}

/* A variable that the kernel does not limit may be of any type. What is not known (0) is taken:
 * the answer must not refuse what it cannot tell. */
bool npart__kernel_takes(const struct npart__operator *kernel, const struct npart__operand *operand, int element_type)
{
    struct npart__type_set types;
    /* A type of ONNX is a bit of the set; NF4 and its like have none. */
    bool is_limited = npart__operator_types(kernel, operand->type, operand->type_length, &types);
    return !is_limited || element_type <= 0 || element_type >= 32 || types.tensor >> element_type & 1;
}

/* An operator without an input (Constant, RandomNormal) has a kernel for whatever type it makes. */
bool npart__kernel_exists(enum npart__release release, const struct npart__operator *op, int element_type)
{
    struct npart__operator kernel;
    struct npart__operand first;
    return npart__kernel_find(release, op, &kernel) &&
           (!npart__operator_input(op, 0, &first) || npart__kernel_takes(&kernel, &first, element_type));
}
