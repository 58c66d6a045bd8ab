/* SPDX-License-Identifier: Apache-2.0
 *
 * weights: what the numbers of a model's weights say of precisions: ranges, zeros, and how much of a weight is lost
 * when it is rounded. The one stage that reads weights, in pieces: its memory does not grow with the file.
 *
 * Integers are symmetric: the scale of a group is its largest magnitude over the largest integer, and each number
 * becomes scale * clamp(round half to even(number / scale)). A group is the tensor, a channel (what one result of the
 * operator is made of), or a block of numbers that follow one another along the contracted axis of a channel.
 */
#ifndef NPART_WEIGHTS_H
#define NPART_WEIGHTS_H

#include "graph/graph.h"
#include "npu_partition/mend.h"

/* What is lost by each of these, in the order of roundings.def. */
enum npart__rounding {
#define NPART__ROUNDING(id, name, levels, limit, group) NPART__ROUND_##id,
#include "weights/roundings.def"
#undef NPART__ROUNDING
    NPART__ROUNDINGS
};

/* Constant operands of FLOAT, FLOAT16, BFLOAT16 or DOUBLE, each at the first node that has it as its weight. */
struct npart__weight_list {
    struct NPART__ARRAY(struct npart_weight_loss) items; /* in the order of their nodes */
    uint64_t bytes; /* that were read */
};

/* The weights of a file's graph and bodies. `path` is the model's file, which is read again where weights are inside
 * it; NULL: it is in no file, and weights that were left out of the graph are absent. Fails with READ where a file is
 * not there (the place: its name) or shorter than it should be, and with MALFORMED and MEMORY. */
npart_status npart__weights_read(const struct npart__graph *graph, const char *path, struct npart__arena *arena,
                                 struct npart__weight_list *out, struct npart_error *error);
/* handle.c: the same of a model that was read, once for all that ask; the list is there as long as the model. */
npart_status npart__model_weights(const npart_model *model, const struct npart__weight_list **out,
                                  struct npart_error *error);

#endif
