/* SPDX-License-Identifier: Apache-2.0
 *
 * work: how much each node of a session computes and moves: multiply-accumulates, other operations, elements and bytes
 * of activations and weights, and the matrix product that it is. Which formula an operator has stands in its row of
 * operators.table.
 *
 * What computing it costs is not said here: that depends on the target (lib/plan/cost).
 */
#ifndef NPART_WORK_H
#define NPART_WORK_H

#include "session/session.h"

#define NPART_WORK_CLASSES (NPART_WORK_CONVERT + 1) /* how many there are */

/* Of any figure: not known, or too large for a number. */
#define NPART__WORK_UNKNOWN UINT64_MAX

/* Of one live node, with what is fused into it. Any figure may be NPART__WORK_UNKNOWN. Of class NONE all are 0. */
struct npart__work {
    uint64_t macs;       /* multiply-accumulates */
    uint64_t operations; /* arithmetic operations besides, by the conventions of operators.table */
    uint64_t input_elements, output_elements, weight_elements; /* activations in and out; constants */
    /* By the types in the file; of what is quantized by its own, scales and zero points of constants included. */
    uint64_t input_bytes, output_bytes, weight_bytes;
    /* The product: for each of `groups` and `taps` (elements of a filter), [rows x depth] by [depth x columns]. Rows
     * are pixels or tokens, batch included. Their product is `macs`; all are 0 where it is no product, or a call of
     * a function, which may be several. Attention is one of queries by keys, as deep as both of its products. */
    uint64_t rows, columns, depth, taps, groups;
    /* ONNX's numbers; 0: there is none, or not known. Of a QDQ node unit the activation's is what was dequantized, of
     * a weight always. */
    int activation_type, weight_type;
    enum npart_work_class class;
};

/* What is fused into a node and is one with it needs no work of its own, nor does what dequantizes, casts or
 * transposes a constant: that is its user's weight. */
struct npart__works {
    struct npart__work *items; /* by node of session->graph, copies too; of one that is not live all is 0 */
    uint32_t count;
    /* NULL: figures are numbers. Else they may be expressions: those past INT64_MAX that are not unknown are handles of
     * the pool, and are for reports. */
    struct npart__expressions *expressions;
};

static inline bool npart__work_is_number(uint64_t figure)
{
    return figure <= INT64_MAX;
}

/* By all that is known (npart__session_know). In the bodies of If, Loop and Scan it is for one pass. Linear in
 * operands. False when out of memory. */
bool npart__find_work(const struct npart__session *session, struct npart__arena *arena, struct npart__works *out);
/* The same with expressions where dims are symbolic. */
bool npart__find_symbolic_work(const struct npart__session *session, struct npart__arena *arena,
                               struct npart__works *out);


#endif
