/* SPDX-License-Identifier: Apache-2.0
 *
 * decided: what a framework that is handed the taken nodes, and decides anew which unit runs them, surely does not run
 * on the NPU (a `decided` line of the op list, and its `elsewhere` rules). Of all other nodes that it is handed nobody
 * knows beforehand.
 */
#ifndef NPART_PLAN_DECIDED_H
#define NPART_PLAN_DECIDED_H

#include "judge/judge.h"
#include "partition/partition.h"

struct npart__decided {
    bool is_later;       /* another than the runtime decides; else nothing below is filled in */
    /* By node of the session's graph, into reasons; the next node's ends it. FALSE is the truth of each. */
    uint32_t *first_reason;
    struct NPART__ARRAY(struct npart__reason) reasons;
    uint32_t taken, elsewhere; /* nodes of the file */
    /* Of multiply-accumulates where they are known, else of nodes: of the whole model the share that may be on the NPU;
     * of what is taken the share that surely is not. */
    double most_on_npu, share_elsewhere;
    const uint32_t *rules, *rule_nodes; /* by sentence: its first rule, and how many nodes do not meet it, most first */
    uint32_t rule_count;
};

/* After npart__sum_macs. `equivalent`: npart__find_equivalent of this session, or NULL. False when out of memory. */
bool npart__find_decided(const struct npart__target *target, const struct npart__session *session,
                         const uint32_t *equivalent, const struct npart__partitioning *partitioning,
                         const struct npart__works *works, struct npart__arena *arena, struct npart__decided *out);

/* Up to this share of the work such nodes take as long as on the CPU, for the sum of all to be told. What more of them
 * take, on a CPU or GPU that the list has no speeds of, is not known. */
#define NPART__MOST_ELSEWHERE 0.1
static inline bool npart__is_mostly_elsewhere(const struct npart__decided *decided)
{
    return decided->is_later && decided->share_elsewhere > NPART__MOST_ELSEWHERE;
}

static inline bool npart__is_elsewhere(const struct npart__decided *decided, uint32_t node)
{
    return decided->is_later && decided->first_reason[node] < decided->first_reason[node + 1];
}

#endif
