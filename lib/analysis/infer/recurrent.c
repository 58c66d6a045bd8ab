/* SPDX-License-Identifier: Apache-2.0
 *
 * RNN, GRU, LSTM: Y [sequence, directions, batch, hidden] and the last states [directions, batch, hidden], or with
 * layout 1 (opset 14) the batch first: Y [batch, sequence, directions, hidden], states [batch, directions, hidden]. An
 * LSTM over 20 steps of 64 features, both ways, with 128 hidden ones:
 *
 *   X [20,1,64]  W [2,512,64]  R [2,512,128]  ->  Y [20,2,1,128]  Y_h, Y_c [2,1,128]
 */
#include "infer/families.h"

/* The hidden size is an attribute; where it is missing, the last dim of R has it. Features of X and W, and batches of
 * X and of the states before the first step, are related, so that a dynamic one is proposed as the others have it.
 * Only outputs that the node has are set: Y, Y_h and, of an LSTM, Y_c. */
void npart__infer_recurrent(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0), *weights = npart__in(call, 1), *recurrence = npart__in(call, 2);
    bool batch_first = npart__int_attribute(call, "layout", 0) != 0;
    bool is_both = strcmp(npart__string_attribute(call, "direction", "forward"), "bidirectional") == 0;
    /* "reverse" is one direction as well. */
    int64_t directions = is_both ? 2 : 1, hidden = npart__int_attribute(call, "hidden_size", NPART__UNKNOWN);
    int64_t sequence = NPART__UNKNOWN, batch = NPART__UNKNOWN;
    if (hidden == NPART__UNKNOWN && recurrence->has_rank && recurrence->rank == 3)
        hidden = recurrence->dims[2];
    if (in->has_rank && in->rank == 3) {
        sequence = in->dims[batch_first ? 1 : 0];
        batch = in->dims[batch_first ? 0 : 1];
        if (weights->has_rank && weights->rank == 3)
            npart__must_equal(call, in->dims[2], weights->dims[2]);
    }
    for (uint32_t i = 5; i < 7 && batch != NPART__UNKNOWN; i++) { /* states before the first step */
        const struct npart__fact *state = npart__in(call, i);
        if (state->has_rank && state->rank == 3)
            npart__must_equal(call, state->dims[batch_first ? 0 : 1], batch);
    }
    if (batch_first)
        NPART__SET_SIZES(call, 0, batch, sequence, directions, hidden);
    else
        NPART__SET_SIZES(call, 0, sequence, directions, batch, hidden);
    for (uint32_t output = 1; output < call->node->output_count && output < 3; output++)
        NPART__SET_SIZES(call, output, batch_first ? batch : directions, batch_first ? directions : batch, hidden);
}
