/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers that a session's constants have, and what has been changed of nodes that stay.
 */
#include "session/passes.h"

bool npart__constant_number(const struct npart__session *session, uint32_t value, double *number)
{
    const struct npart__fact *fact = value == NPART_NONE ? NULL : npart__fact_of(session->inference, value);
    uint64_t elements;
    if (!fact || !session->is_constant[value] || !npart__static_elements(fact, &elements) || elements != 1)
        return false;
    if (fact->tensor) /* of a whole number that a double cannot hold nothing is asked that it could get wrong */
        return npart__tensor_doubles(fact->tensor, number, 1);
    const struct npart__known *known = fact->known;
    if (!known || known->count != 1 || (known->ints && !npart__is_number(known->ints[0])))
        return false;
    *number = known->ints ? (double)known->ints[0] : known->doubles[0];
    return true;
}

/* What is left or, while that is being made, the file's. */
static const struct npart__graph *graph_of(const struct npart__session *session)
{
    return session->graph ? session->graph : session->file;
}

static uint32_t operand_of(const struct npart__session *session, uint32_t node, uint32_t index)
{
    const struct npart__graph *graph = graph_of(session);
    const struct npart__node *at = npart__node_at(graph, node);
    uint32_t value = index < at->input_count ? npart__node_input(graph, at, index) : NPART_NONE;
    return value == NPART_NONE ? value : session->stands_for[value];
}

const struct npart__encoding *npart__new_encoding(const struct npart__session *session, uint32_t node)
{
    const struct npart__graph *graph = graph_of(session);
    if (!session->altered)
        return NULL;
    if (npart__node_plays(graph, npart__node_at(graph, node), NPART__ROLE_DEQUANTIZES))
        node = npart__producer(graph, operand_of(session, node, 0));
    bool has = node != NPART_NONE && node < session->altered_count && session->altered[node].encoding.scale > 0;
    return has ? &session->altered[node].encoding : NULL;
}

bool npart__encoding_of(const struct npart__session *session, uint32_t node, struct npart__encoding *out)
{
    const struct npart__encoding *other = npart__new_encoding(session, node);
    uint32_t zero_point = operand_of(session, node, 2);
    *out = other ? *other : (struct npart__encoding){0};
    return other || (npart__constant_number(session, operand_of(session, node, 1), &out->scale) &&
                     (zero_point == NPART_NONE || npart__constant_number(session, zero_point, &out->zero_point)));
}

bool npart__quantized_range(int element_type, double *low, double *high)
{
    static const struct { int type; double low, high; } ranges[] = {{NPART__UINT8, 0, UINT8_MAX},
                                                                    {NPART__INT8, INT8_MIN, INT8_MAX},
                                                                    {NPART__UINT16, 0, UINT16_MAX},
                                                                    {NPART__INT16, INT16_MIN, INT16_MAX}};
    for (size_t i = 0; i < NPART__COUNT(ranges); i++) {
        if (ranges[i].type != element_type)
            continue;
        *low = ranges[i].low;
        *high = ranges[i].high;
        return true;
    }
    return false;
}

struct npart__altered *npart__alter(struct npart__session *session, uint32_t node, struct npart__arena *arena)
{
    if (!session->altered) {
        session->altered = npart__arena_zeroed(arena, session->file->nodes.count, sizeof *session->altered);
        session->altered_count = session->altered ? session->file->nodes.count : 0;
    }
    NPART__ASSERT(!session->altered || node < session->altered_count, "node %u is not the file's", (unsigned)node);
    return session->altered ? &session->altered[node] : NULL;
}
