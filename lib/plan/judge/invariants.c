/* SPDX-License-Identifier: Apache-2.0
 *
 * What holds for every mask; the debug build looks when nodes have been judged or handed back.
 */
#include "judge/judge.h"

#ifdef NPART_DEBUG

/* Reasons by node, in order; verdicts with a reason each; failing matches of nodes that run. A note is a reason too,
 * and stands at nodes on the NPU; only those against a node are counted. */
void npart__check_mask(const struct npart__session *session, const struct npart__oplist *oplist,
                       const struct npart__mask *mask)
{
    const uint32_t nodes = session->graph->nodes.count;
    NPART__ASSERT(mask->first_reason[nodes] == mask->reasons.count, "%u reasons", mask->reasons.count);
    for (uint32_t n = 0; n < nodes; n++) {
        uint32_t first = mask->first_reason[n], end = mask->first_reason[n + 1], against = 0;
        NPART__ASSERT(first <= end && end <= mask->reasons.count, "node %u", n);
        for (uint32_t i = first; i < end; i++) {
            NPART__ASSERT(mask->reasons.items[i].node == n && mask->reasons.items[i].rule < oplist->rules.count,
                          "node %u, reason %u", n, i);
            against += mask->reasons.items[i].truth != NPART__TRUE;
        }
        NPART__ASSERT(mask->verdicts[n] <= NPART_VERDICT_UNKNOWN, "node %u", n);
        NPART__ASSERT(!mask->in_units[n] || npart__is_live(session, n), "node %u is in a unit, and is not run", n);
        NPART__ASSERT(npart__is_live(session, n) || (first == end && mask->verdicts[n] == NPART_VERDICT_CPU),
                      "node %u is not run, and judged", n);
        NPART__ASSERT(!npart__is_live(session, n) || mask->verdicts[n] == NPART_VERDICT_NPU || against,
                      "node %u falls back without a reason", n);
    }
    for (uint32_t i = 0; i < mask->failing.count; i++) {
        const struct npart__failing *failing = &mask->failing.items[i];
        NPART__ASSERT(failing->node_count && failing->rule < oplist->rules.count &&
                          failing->first_node + failing->node_count <= mask->failing_nodes.count,
                      "failing %u", i);
        for (uint32_t k = 0; k < failing->node_count; k++)
            NPART__ASSERT(npart__is_live(session, mask->failing_nodes.items[failing->first_node + k]), "failing %u", i);
    }
}

#endif
