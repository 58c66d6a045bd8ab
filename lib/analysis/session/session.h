/* SPDX-License-Identifier: Apache-2.0
 *
 * session: the graph as a runtime runs it. From a graph and what the runtime knows of it, what becomes of each node of
 * the file, and the graph that is left: a provider is asked about that one, and all later stages look at nothing else.
 *
 * A session is made in steps, each of which leaves one that holds by itself: a product's row (lib/runtime) folds and
 * merges; npart__session_expand changes which nodes there are; npart__session_move only where they stand.
 */
#ifndef NPART_SESSION_H
#define NPART_SESSION_H

#include "infer/infer.h"

#define NPART__FATES (NPART_FATE_NO_OP + 1) /* how many there are */

/* In whose place a runtime puts a new node, which is after all others in its order (lib/plan/partition/walk.c): by the
 * pass that does, in the order of passes. */
enum npart__remade {
    NPART__REMADE_NOT,
    NPART__REMADE_PRODUCT,          /* a MatMul that an Add is fused into */
    NPART__REMADE_RESHAPED_PRODUCT, /* the same in another rank: a Reshape stands before it and one after it */
    NPART__REMADE_RESHAPE           /* the last of neighbouring Reshapes, by another pass */
};

/* By what a QuantizeLinear or DequantizeLinear turns numbers to integers and back. */
struct npart__encoding {
    double scale, zero_point; /* `scale` 0: none */
};

/* What a node that stays has in place of its own. */
struct npart__altered {
    struct npart__encoding encoding; /* a QuantizeLinear, and so what dequantizes its result */
    int64_t *order;                  /* a Transpose that does the work of others before it; NULL: it does its own */
};

struct npart__session {
    /* What is run. It has the nodes and values of the file's graph, by the same ids, and after them copies of nodes
     * (copies.c); of those that are not run it says nothing. Operands are what is left of them once the nodes between
     * are gone, uses are those of live nodes, and a result of a graph is marked at what makes it now. */
    const struct npart__graph *graph;
    const struct npart__graph *file; /* the same with operands as the file has them, without copies */
    /* What is known of each value of `graph`: by the runtime, and at all (NULL: not asked for). Operands of both are
     * those of `file`. */
    struct npart__inference *inference;
    const struct npart__inference *known;
    struct npart__inference *made_from; /* what the runtime knows, without copies: what another session is made of */
    uint8_t *fates;        /* by node: enum npart_fate */
    bool *is_constant;     /* by value: known before the model runs, at this level */
    uint32_t *stands_for;  /* by value: the value that remains when the nodes between are gone; itself, mostly */
    uint32_t *into;        /* by node that is fused: the node that it is a part of; NPART_NONE for all others */
    uint8_t *remade;       /* by node: enum npart__remade */
    uint8_t *round;        /* by node: in which round of partitioning it is offered; 0: the first */
    uint32_t *place;       /* by node: the node in whose place it stands until it is remade; itself, mostly */
    uint32_t live_count, folded_count, fused_count; /* of the file's; what is fused is folded, too */
    uint32_t round_count;  /* of rounds after the first */
    /* Whether the runtime has a kernel for a node, so that it is computed where its operands are constant. */
    bool (*computes)(const struct npart__inference *inference, const struct npart__graph *graph,
                     const struct npart__node *node, enum npart__release release);
    struct npart__altered *altered; /* by node of the file; none where nothing is changed of any that stays */
    uint32_t altered_count;
    bool moves_quantizers; /* a QuantizeLinear is put before ops that move elements, too (qdq_propagation) */
};

/* extend.c: what is known of a graph with bodies in the place of some nodes (npart__graph_expand). */
npart_status npart__infer_expanded(const struct npart__inference *before, const struct npart__expansion *items,
                                   uint32_t count, bool is_late, struct npart__arena *arena,
                                   struct npart__inference **out, struct npart_error *error);

/* Puts bodies in the place of nodes of a session that has been folded: what was decided stays, and of the new nodes,
 * which are offered in `round`, only Constant ones go. Without bodies it is a session that may be changed. */
npart_status npart__session_expand(struct npart__session *session, const struct npart__expansion *items, uint32_t count,
                                   uint32_t round, struct npart__arena *arena, struct npart_error *error);

/* A live node of one operand and one result that moves past others, which lie between it and what the last of them
 * makes. */
struct npart__move {
    uint32_t node, last;
    const struct npart__use *uses; /* all operands that are its result */
    uint32_t use_count;
};

/* move.c: puts these nodes after those that they move past: the first result of the last is what the node makes now,
 * which has given its own to the last. No node is in two moves. False when out of memory. */
bool npart__session_move(struct npart__session *session, const struct npart__move *moves, uint32_t count,
                         struct npart__arena *arena);
/* Nodes of one operand and one result that the runtime takes away: they hand on what they are given. For a session that
 * may be changed; what was moved before is where it was. False when out of memory. */
bool npart__session_undo(struct npart__session *session, const uint32_t *nodes, uint32_t count,
                         struct npart__arena *arena);

/* copies.c: all that is known of each value becomes what `known` says, an inference of the session's file. False when
 * out of memory. */
bool npart__session_know(struct npart__session *session, struct npart__inference *known, struct npart__arena *arena);

/* connect.c: the graph that is left by fates and `stands_for`, into session->graph; and how many nodes are live, folded
 * and fused. What was moved before is where it was. False when out of memory. */
bool npart__session_connect(struct npart__session *session, struct npart__arena *arena);

/* constants.c: the only element of a constant, whether inference had a use for it or not: it reads whole numbers and
 * what shapes need; a scale is left in the file until somebody asks. False where it is no constant of one known
 * element. */
bool npart__constant_number(const struct npart__session *session, uint32_t value, double *number);
/* What the session has given a QuantizeLinear or DequantizeLinear in place of its own; NULL where it has its own. */
const struct npart__encoding *npart__new_encoding(const struct npart__session *session, uint32_t node);
/* Its scale and zero point, 0 where that is left out. False unless both are one number that is known. */
bool npart__encoding_of(const struct npart__session *session, uint32_t node, struct npart__encoding *out);
static inline bool npart__same_encoding(struct npart__encoding a, struct npart__encoding b)
{
    return a.scale == b.scale && a.zero_point == b.zero_point;
}
/* The least and the greatest integer of a type of 8 or 16 bits; false for another. */
bool npart__quantized_range(int element_type, double *low, double *high);

/* axes.c: the order in which a Transpose of the file puts the axes of its operand: `order` has room for
 * NPART__LIMIT_RANK. False where it cannot be told. */
bool npart__order_of_axes(const struct npart__inference *inference, uint32_t id, int64_t *order, uint32_t *rank);
/* The same of the session: with that of others whose work it does. */
bool npart__order_left(const struct npart__session *session, uint32_t id, int64_t *order, uint32_t *rank);
/* From channels first to last or back: such an order ONNX Runtime's layout transformation moves whatever it costs
 * (core/optimizer/layout_transformation, PostLayoutTransformCostCheck). */
bool npart__moves_channels(const int64_t *order, uint32_t rank);
/* One of the two: to the end, or to the front. */
bool npart__brings_channels(const int64_t *order, uint32_t rank, bool to_end);
/* Whether of two orders one after the other changes nothing. */
bool npart__orders_cancel(const int64_t *first, const int64_t *second, uint32_t rank);
/* Whether no element moves: axes of size 1 may change places with others. False for an axis that is none. */
bool npart__keeps_order(const int64_t *order, uint32_t rank, const int64_t *dims);

/* The live node that a fused node's work is part of, or NPART_NONE for a node that is not fused. */
static inline uint32_t npart__fused_into(const struct npart__session *session, uint32_t node)
{
    uint32_t into = NPART_NONE;
    while (session->into[node] != NPART_NONE)
        into = node = session->into[node];
    NPART__ASSERT(into == NPART_NONE || session->fates[into] != NPART_FATE_FUSED, "node %u", (unsigned)into);
    return into;
}

/* Whether a fused node computes what the one that it is part of does, and adds nothing to it (equal.c). */
static inline bool npart__repeats(const struct npart__session *session, uint32_t node)
{
    uint32_t into = session->into[node];
    return into != NPART_NONE && npart__node_at(session->file, into)->op_type ==
                                     npart__node_at(session->file, node)->op_type &&
           npart__node_at(session->file, into)->scope == npart__node_at(session->file, node)->scope;
}

static inline bool npart__is_live(const struct npart__session *session, uint32_t node)
{
    NPART__ASSERT(session->fates[node] < NPART__FATES, "node %u has no fate", (unsigned)node);
    return session->fates[node] == NPART_FATE_LIVE;
}

/* The live nodes that use a value, once for each operand, captures too; none of NPART_NONE. */
static inline uint32_t npart__user_count(const struct npart__session *session, uint32_t value)
{
    return value == NPART_NONE ? 0 : npart__value_at(session->graph, value)->consumer_count;
}

static inline uint32_t npart__user(const struct npart__session *session, uint32_t value, uint32_t index)
{
    NPART__ASSERT(index < npart__user_count(session, value), "user %u of value %u", (unsigned)index, (unsigned)value);
    return session->graph->consumers[npart__value_at(session->graph, value)->first_consumer + index];
}

/* Whether the runtime takes a quantized operator and what dequantizes for it for one QDQ node unit. */
static inline bool npart__has_units(const struct npart__session *session)
{
    const struct npart__infer_policy *policy = session->made_from->policy;
    return policy->is_partial && !policy->is_onnx;
}

/* units.c: whether all that a live node computes with comes from DequantizeLinear, and goes to QuantizeLinear. A
 * compiler computes it in integers, and converts where these differ. */
bool npart__is_between_integers(const struct npart__session *session, uint32_t node);
/* Whether it is the operator of a QDQ node unit, too: integers are of the types that the runtime asks for. */
bool npart__is_unit(const struct npart__session *session, uint32_t node);

/* Whether a QuantizeLinear does again what a DequantizeLinear undid, with the same numbers for the whole. */
bool npart__undoes(const struct npart__session *session, const struct npart__node *from,
                   const struct npart__node *node);

/* A user of a value; of a copy the node that has it. */
static inline uint32_t npart__user_past_copies(const struct npart__session *session, uint32_t value, uint32_t index)
{
    const struct npart__graph *graph = session->graph;
    uint32_t user = npart__user(session, value, index);
    return npart__is_copy(graph, user)
               ? npart__user(session, npart__node_output(graph, npart__node_at(graph, user), 0), 0)
               : user;
}

/* invariants.c: of the debug build. */
void npart__check_session(const struct npart__session *session);

/* connect.c: a sentence for people. */
const char *npart__fate_sentence(enum npart_fate fate);

#endif
