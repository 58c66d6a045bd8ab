/* SPDX-License-Identifier: Apache-2.0
 *
 * The models of `selftest`: a few nodes, written as the wire format.
 */
#ifndef TOOL_SELFTEST_MODEL_H
#define TOOL_SELFTEST_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* In the order in which they are tried. */
enum selftest_kind {
    SELFTEST_CONV,       /* Conv and Relu, of float32 */
    SELFTEST_CONVS,      /* two Conv, which need no activation to be fused */
    SELFTEST_CONV_INT8,  /* the same between QuantizeLinear and DequantizeLinear, int8 in and out */
    SELFTEST_CONV_UINT8, /* ... uint8 */
    SELFTEST_CONV_EDGES, /* ... float32 in and out */
    SELFTEST_CONVS_INT8, /* two Conv, int8 in and out */
    SELFTEST_GEMM,       /* Gemm and Relu, of float32 */
    SELFTEST_ONE,        /* a Conv alone, for what takes one node at a time */
    SELFTEST_KINDS
};

struct selftest_model {
    uint8_t *data;
    size_t size;
    const char *ops, *input_type; /* to be told: "Conv, Relu"; numpy's name */
};

/* False when out of memory. `data` is the caller's, to be freed. */
bool make_selftest_model(enum selftest_kind kind, struct selftest_model *out);

#endif
