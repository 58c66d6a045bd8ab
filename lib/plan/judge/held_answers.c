/* SPDX-License-Identifier: Apache-2.0
 *
 * What rules ask of how a target's compiler holds integers: of what a product has found (`npart__holder`).
 */
#include <math.h>

#include "judge/answer.h"

/* 8 and 16 bits, which scales and zero points may belong to; those of 4 bits are weights. */
bool npart__holds_integers(const struct npart__session *session, uint32_t value)
{
    const struct npart__fact *fact = npart__fact_of(session->inference, value);
    return fact->kind == NPART__TYPE_TENSOR && fact->element_type >= NPART__UINT8 && fact->element_type <= NPART__INT16;
}

/* What a quantized operator adds has the scales of the first that is taken: whole constants of up to
 * CONSTANTS_MADE_ONE elements are one where they are equal (core/optimizer/constant_sharing.cc). */
uint32_t npart__shared_constant(const struct npart__session *session, uint32_t value)
{
    enum { CONSTANTS_MADE_ONE = 8 };
    const uint32_t *first = session->inference->first_equal;
    uint64_t elements;
    bool is_one = first && npart__static_elements(npart__fact_of(session->inference, value), &elements) &&
                  elements <= CONSTANTS_MADE_ONE;
    return is_one ? first[value] : value;
}

enum npart__held npart__held_of(const struct npart__trial *trial, uint32_t value)
{
    const struct npart__beyond *beyond = trial->beyond;
    if (!npart__holds_integers(trial->session, value) || trial->session->is_constant[value])
        return NPART__HELD_NONE;
    if (!beyond || !beyond->held || beyond->graph != trial->graph)
        return NPART__HELD_QUANTIZED;
    return (enum npart__held)beyond->held[value];
}

/* The scale of channel `index` of what the node adds: that of its first operand times that of its weights, which are
 * the operands after each of these. False where they are not known; `count`: how many the weights have. */
static bool scale_added(const struct npart__trial *trial, const struct npart__node *node, uint32_t index, float *scale,
                        uint32_t *count)
{
    enum { FIRST_SCALE = 1, WEIGHT_SCALE = 4 };
    const struct npart__known *known[2] = {NULL, NULL};
    for (int i = 0; i < 2 && node->input_count > WEIGHT_SCALE; i++) {
        uint32_t value = npart__node_input(trial->graph, node, i ? WEIGHT_SCALE : FIRST_SCALE);
        if (value != NPART_NONE)
            known[i] = npart__elements(trial->inference, &trial->inference->facts[value]);
    }
    if (!known[0] || !known[1] || known[0]->count != 1 || index >= known[1]->count)
        return false;
    *count = known[1]->count;
    *scale = (known[0]->ints ? (float)known[0]->ints[0] : (float)known[0]->doubles[0]) *
             (known[1]->ints ? (float)known[1]->ints[index] : (float)known[1]->doubles[index]);
    return true;
}

/* Of an operator with a scale for each channel the compiler compares whole parts with those of the first user: each
 * channel's (9.9 and 10.1 differ, 10.1 and 10.9 do not); one scale that the first user has must have none (asked). */
enum npart__truth npart__holds_scaled_alike(const struct npart__asked *asked)
{
    const struct npart__trial *trial = asked->trial;
    const struct npart__beyond *beyond = trial->beyond;
    bool is_noted = beyond && beyond->first_user && beyond->graph == trial->graph;
    uint32_t first = is_noted ? beyond->first_user[npart__shared_constant(trial->session, asked->value)] : NPART_NONE;
    float own, noted;
    uint32_t count = 1, noted_count;
    npart__look_beyond(trial);
    for (uint32_t i = 0; first != NPART_NONE && i < count; i++) {
        if (!scale_added(trial, trial->node, i, &own, &count) ||
            !scale_added(trial, npart__node_at(trial->graph, first), i, &noted, &noted_count) || count == 1)
            return NPART__TRUE;
        if (noted_count == 1)
            return npart__truth_of(truncf(noted) == 0);
        if (noted_count == count && truncf(own) != truncf(noted))
            return NPART__FALSE;
    }
    return NPART__TRUE;
}
