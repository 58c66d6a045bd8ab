/* SPDX-License-Identifier: Apache-2.0
 *
 * partition: a boolean mask over the live graph to partitions and the tensors that cross their borders.
 *
 * Each region (the main graph, every control-flow body) is partitioned on its own. A partitioner gives every live node
 * a *step*: all nodes of a step run on the same side, steps run in order, and the accepted nodes of one step are
 * one partition. So the quotient graph is acyclic by construction, and the switches are the changes of side from step
 * to step.
 *
 * Accepted A, unsupported B and accepted C in a chain have the steps 1, 2 and 3: two partitions, and the tensors
 * A -> B and B -> C cross. With another accepted D beside B, which takes A's result alone, D has the step of A and
 * is in its partition.
 */
#ifndef NPART_PARTITION_H
#define NPART_PARTITION_H

#include "judge/judge.h"
#include "work/work.h"

/* Ranges are of npart__partitioning.lists. Members and ends are nodes, the others values. */
struct npart__partition {
    uint32_t region; /* a scope */
    uint32_t step; /* of this region */
    uint32_t first_member, member_count; /* nodes, in execution order */
    uint32_t joined_count; /* the last of these: of bodies, which run while the node that holds them does */
    uint32_t first_input, input_count;   /* values from outside, constants left out */
    uint32_t first_output, output_count; /* values that are used outside */
    uint32_t first_end, end_count;       /* unsupported nodes that end it: they take its results */
    uint32_t first_cut, cut_count;       /* values at which the user's cut ends it, though accepted nodes go on */
    uint64_t macs;                       /* see npart__sum_macs */
};

/* One tensor passing from one side to another. */
struct npart__crossing {
    uint32_t value;
    uint32_t from, to; /* partitions; NPART_NONE is the CPU */
    uint64_t bytes;    /* UINT64_MAX: not known */
};

/* NULL where nothing is cut, or where a cut leaves the node to the CPU. */
struct npart__cuts {
    const bool *is_cut;            /* by value */
    uint32_t *segment_of, *last_cut; /* by node: how many cuts stand before it, and at which value the last is made */
};

/* All arrays are of the plan's arena. Those by node are as long as the session's graph, copies included. */
struct npart__partitioning {
    uint32_t *handed_back;  /* by node: the rule by which an accepted node, or one that would fail, is left to the CPU;
                               NPART_NONE: it is not */
    uint32_t *partition_of; /* by node; NPART_NONE: not in one */
    uint32_t *step_of;     /* by node, within its region; NPART_NONE for a node that is not live */
    struct NPART__ARRAY(struct npart__partition) partitions;
    struct NPART__ARRAY(struct npart__crossing) crossings;
    struct NPART__ARRAY(uint32_t) lists; /* what the partitions' ranges refer to */
    struct npart__cuts cuts;
    uint32_t switch_count; /* changes of side from step to step, of all regions */
    uint64_t macs, macs_in_partitions; /* of the live nodes; see npart__sum_macs */
};

/* The steps of a region are below this number. Waves are at most one a node, and each has two steps. */
static inline size_t npart__most_steps(const struct npart__graph *graph)
{
    return 2 * (size_t)graph->nodes.count + 2;
}

/* product.h */
struct npart__partitioner;
struct npart__product;

/* Borrowed for the call. */
struct npart__partition_request {
    const struct npart__session *session;
    const struct npart__session *unmoved; /* before Transposes moved, nodes by the same numbers; NULL: `session` */
    const struct npart__target *target; /* whose policies apply */
    const struct npart__product *products; /* whose failures apply */
    const struct npart__partitioner *partitioner;
    bool *accepted; /* by node, yes or no; what a policy hands back becomes no */
    const bool *is_cut; /* by value: the user cuts the graph after it; NULL: nowhere */
    const struct npart__mask *mask; /* whose failing nodes are handed back; NULL: none are */
    const struct npart__works *works; /* of the session */
    const uint32_t *match_of; /* of a mask; NULL: no match is one node */
    const struct npart__inference *seen; /* what the runtime knows, where a product asks for it; NULL: the session's */
};

/* Partitions every region. */
npart_status npart__partition_graph(const struct npart__partition_request *request, struct npart__arena *arena,
                                    struct npart__partitioning *out, struct npart_error *error);

/* Only the number of partitions, for what-if questions. `accepted` changes as with the other, so a trial passes a
 * copy. */
npart_status npart__count_partitions(const struct npart__partition_request *request, struct npart__arena *arena,
                                     uint32_t *count, struct npart_error *error);

/* invariants.c: of the debug build. */
void npart__check_partitioning(const struct npart__session *session, const bool *accepted,
                               const struct npart__partitioning *out);

/* The rule that speaks for the user's cuts: the list's `partitions cut` line, or the one that every list has. */
uint32_t npart__cut_rule(const struct npart__target *target);

/* Multiply-accumulates, of all live nodes and of each partition, into `partitioning`: NPART__WORK_UNKNOWN where those
 * of a node are, or it stands in the body of an If, Loop or Scan, of which it is not known how often it runs. */
void npart__sum_macs(const struct npart__session *session, const struct npart__works *works,
                     struct npart__partitioning *partitioning);

/* The live nodes of a region in the order in which ONNX Runtime runs them where none is compiled, into `out`, which has
 * room for the region's; `place_of` has room for a number a node. Linear, but for sorting. False when out of memory. */
bool npart__order_of_runtime(const struct npart__session *session, uint32_t region, uint32_t *place_of,
                             struct npart__arena *scratch, uint32_t *out, uint32_t *count);
/* The same of the main graph; NULL when out of memory. */
uint32_t *npart__order_main(const struct npart__session *session, struct npart__arena *arena, uint32_t *count);
/* The live nodes of a region of `graph` as the plan runs them: step by step. `starts` is zeroed, has room for a
 * number a step and one more, and is zeroed again. */
uint32_t npart__order_of_steps(const struct npart__graph *graph, const struct npart__partitioning *partitioning,
                                uint32_t region, uint32_t *starts, uint32_t *out);

/* The live value that stands for operand `index` of a node (its inputs, then its captures), or NPART_NONE for one that
 * is absent or constant. */
uint32_t npart__live_operand(const struct npart__session *session, const struct npart__node *node, uint32_t index);
/* The same by values of the file alone: of what a copy makes, what the copy takes. */
uint32_t npart__operand_past_copies(const struct npart__session *session, const struct npart__node *node,
                                    uint32_t index);

#endif
