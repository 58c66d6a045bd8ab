/* SPDX-License-Identifier: Apache-2.0
 *
 * cause: why nodes fall back. Hundreds of nodes may do so because one input's dim is symbolic; the
 * dim is the cause, the nodes are those affected. Every such node belongs to one cause, and every cut to the causes
 * of the nodes that made it.
 */
#ifndef NPART_CAUSE_H
#define NPART_CAUSE_H

#include "partition/partition.h"

/* Ids of nodes and values are the file's. */
struct npart__cause {
    uint8_t about;                   /* enum npart_cause_kind: DYNAMIC where it was traced to a size */
    const char *text;                /* one line for people, in the plan's arena */
    uint32_t rule;                   /* the rule that the first affected node does not meet */
    uint32_t symbol;                 /* of the inference, where it is dims of inputs: the first; NPART_NONE */
    uint32_t root;                   /* the first node after which sizes are not known; NPART_NONE: it is none */
    uint32_t cut_value;              /* after which the user cuts; NPART_NONE: it is no cut, and affects nodes */
    uint32_t first_node, node_count; /* roots, into lists */
    uint32_t first_cut, cut_count;   /* partitions that it ends, into lists */
    uint32_t affected_count, first_affected; /* of a cut the node before it, or NPART_NONE */
    uint32_t failing_count; /* of the affected nodes those that fail to compile, rather than run on the CPU */
    bool is_unknown; /* all affected nodes are undecided */
    const char *root_rule, *root_op, *root_text; /* the same in every model; op: NULL where it is not one */
};

/* All in the plan's arena; `lists` has roots and partitions of all causes, one after the other. */
struct npart__causes {
    struct NPART__ARRAY(struct npart__cause) items; /* those that cut most first */
    struct NPART__ARRAY(uint32_t) lists;
    uint32_t *cause_of; /* by node; NPART_NONE: does not fall back */
};

/* By all that is known of sizes, and by what the runtime knows of them, which the mask stands on; often the same. */
npart_status npart__find_causes(const struct npart__target *target, const struct npart__session *session,
                                enum npart_level level, const struct npart__mask *mask,
                                const struct npart__partitioning *partitioning, struct npart__arena *arena,
                                struct npart__causes *out, struct npart_error *error);

/* invariants.c: of the debug build. */
void npart__check_causes(const struct npart__session *session, const struct npart__mask *mask,
                         const struct npart__partitioning *partitioning, const struct npart__causes *causes);

/* trace.c: whether the standard says nothing of the shapes of the node's results; `*since` is the first opset that
 * does, 0 where none does. */
bool npart__lacks_shapes(const struct npart__node *node, int64_t *since);

/* The reason that counts first for a node that falls back: one that fails before one that may. NULL for none. */
const struct npart__reason *npart__first_reason(const struct npart__oplist *oplist, const struct npart__mask *mask,
                                                uint32_t node);

#endif
