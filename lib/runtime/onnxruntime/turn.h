/* SPDX-License-Identifier: Apache-2.0
 *
 * turn: the order of axes of a Transpose that is on its way: axis i of the value is axis to[i] of what its producer
 * makes.
 */
#ifndef NPART_PLAN_TURN_H
#define NPART_PLAN_TURN_H

#include "session/session.h"

#define NPART__MOST_AXES 8u

struct npart__turn {
    uint8_t rank, to[NPART__MOST_AXES];
    bool is_past_cpu; /* it has moved past a node on the CPU */
    uint32_t origin;  /* the Transpose of the file that is on its way, plus one; 0: the runtime's own */
};

/* From channels last to first, or back. */
struct npart__turn npart__turn_of_channels(uint32_t rank, bool to_first);
bool npart__turns_nothing(const struct npart__turn *turn);
bool npart__turn_alike(const struct npart__turn *a, const struct npart__turn *b);
/* Whether one after the other changes nothing. */
bool npart__turns_cancel(const struct npart__turn *first, const struct npart__turn *second);
/* Between channels first and last. */
bool npart__turns_channels(const struct npart__turn *turn);
/* After a node that drops axes of the value: those that are left in the order that they have. */
struct npart__turn npart__turn_without(const struct npart__turn *turn, const bool *is_dropped);
/* After a node that adds axes to the value: they stay where they are. */
struct npart__turn npart__turn_with(const struct npart__turn *turn, const bool *is_new, uint32_t rank);
/* One after the other, as one; of no origin. */
struct npart__turn npart__turn_joined(const struct npart__turn *first, const struct npart__turn *second);
/* Of a Reshape that moves axes of one element, and no element: the Transpose that it is. False of any other. */
bool npart__turn_of_reshape(const int64_t *in, uint32_t in_rank, const int64_t *out, uint32_t out_rank,
                            struct npart__turn *turn);

#endif
