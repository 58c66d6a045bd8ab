/* SPDX-License-Identifier: Apache-2.0
 *
 * What holds for every list of causes; the debug build looks when one is made.
 */
#include "cause/cause.h"

#ifdef NPART_DEBUG

/* For tests and fuzzing: each line is something that users of causes count on without asking. Every node that falls
 * back belongs to one cause, and to one only, so counts of nodes add up. */
void npart__check_causes(const struct npart__session *session, const struct npart__mask *mask,
                         const struct npart__partitioning *partitioning, const struct npart__causes *causes)
{
    const uint32_t nodes = session->file->nodes.count;
    uint32_t affected = 0;
    for (uint32_t n = 0; n < nodes; n++) {
        bool falls_back = npart__is_live(session, n) && mask->verdicts[n] != NPART_VERDICT_NPU;
        NPART__ASSERT(falls_back == (causes->cause_of[n] < causes->items.count), "node %u", n);
        NPART__ASSERT(falls_back || causes->cause_of[n] == NPART_NONE, "node %u", n);
        affected += falls_back;
    }
    for (uint32_t c = 0; c < causes->items.count; c++) {
        const struct npart__cause *cause = &causes->items.items[c];
        NPART__ASSERT(cause->text && (cause->cut_value == NPART_NONE) == (cause->affected_count > 0), "cause %u", c);
        NPART__ASSERT(cause->cut_value != NPART_NONE || causes->cause_of[cause->first_affected] == c, "cause %u", c);
        NPART__ASSERT(cause->failing_count <= cause->affected_count, "cause %u", c);
        NPART__ASSERT(c == 0 || cause[-1].cut_count >= cause->cut_count || cause->cut_value != NPART_NONE,
                      "cause %u ends more partitions than the one before it", c);
        for (uint32_t i = 1; i < cause->cut_count; i++)
            NPART__ASSERT(causes->lists.items[cause->first_cut + i - 1] < causes->lists.items[cause->first_cut + i],
                          "partitions of cause %u are not in order", c);
        for (uint32_t i = 0; i < cause->node_count; i++)
            NPART__ASSERT(causes->lists.items[cause->first_node + i] < nodes, "cause %u", c);
        for (uint32_t i = 0; i < cause->cut_count; i++)
            NPART__ASSERT(causes->lists.items[cause->first_cut + i] < partitioning->partitions.count, "cause %u", c);
        affected -= cause->affected_count;
    }
    NPART__ASSERT(affected == 0, "%u nodes have no cause", affected);
}

#endif
