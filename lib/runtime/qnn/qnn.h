/* SPDX-License-Identifier: Apache-2.0
 *
 * qnn: what ONNX Runtime's QNN provider does by itself, and how its sessions fail.
 */
#ifndef NPART_QNN_H
#define NPART_QNN_H

#include "partition/steps.h"

/* Users of a constant that are looked at, each by a walk over the graph; none of the later ones is told. */
#define NPART__LIMIT_SHARED_TRIALS 64u

/* partitions.c: what the provider forms. */
npart__stepper npart__step_by_qnn;

/* shared.c: a node whose constant operand ends up in a partition of its own. */
npart__failure npart__apply_shared;
/* flat.c: a node that makes one axis of several where the layout pass then fails. */
npart__failure npart__apply_flat;
/* borders.c: a node with an INT64 of too many dims, or a DOUBLE, that passes from one side to the other. */
npart__failure npart__apply_borders;

/* The live nodes of the main graph, in the runtime's order. */
struct npart__in_order {
    const struct npart__session *session;
    const uint32_t *order;
    uint32_t order_count;
};
/* held.c: as what the provider's builders hold integers, for a list that says what ops note. */
npart__holder npart__hold;
/* Past which the runtime moves a Transpose between channels first and last, whatever it costs. `through`: ops of the
 * list's `through` line in the graph. */
bool npart__works_in_either_layout(const struct npart__target *target, const struct npart__op_id *through,
                                   const struct npart__graph *graph, const struct npart__node *node);
/* held_transposes.c: whether something that is quantized after a Transpose is dequantized for two nodes or more; and
 * as what that is held then, into `beyond->held`, which is as without Transposes that move. False when out of
 * memory. */
bool npart__has_shared_transposes(const struct npart__session *session);
bool npart__hold_transposes(const struct npart__target *target, const struct npart__in_order *live,
                            const struct npart__op_id *layout, const struct npart__op_id *through,
                            struct npart__arena *arena, struct npart__beyond *beyond);

/* The ops of the list's `through` and `layout` lines that the graph may have, as its numbers. */
struct npart__layout_lines {
    const struct npart__op_id *through, *layout;
    uint32_t through_count, layout_count;
};
/* shared.c: false when out of memory. */
bool npart__find_layout_lines(const struct npart__hand_back *to, struct npart__layout_lines *out);
/* An op that the runtime moves a layout op past. */
static inline bool npart__goes_through(const struct npart__layout_lines *lines, const struct npart__node *node)
{
    return npart__is_among(node, lines->through, lines->through_count);
}
/* The target's own layout ops: the runtime puts a layout op before and after each that is taken. */
static inline bool npart__is_wrapped(const struct npart__hand_back *to, const struct npart__layout_lines *lines,
                                     uint32_t node)
{
    return to->request->accepted[node] &&
           npart__is_among(npart__node_at(to->graph, node), lines->layout, lines->layout_count);
}

#endif
