/* SPDX-License-Identifier: Apache-2.0
 *
 * QuantizeLinear -> DequantizeLinear -> QuantizeLinear -> DequantizeLinear: the two in the middle go, as what an
 * exporter writes that quantizes a result and then each use of it. Where the pairs have unlike scales or zero points,
 * the two that are left get new ones.
 *
 * Modelled on onnxruntime/core/optimizer/double_qdq_pairs_remover.cc.
 */
#include <math.h>

#include "onnxruntime/passes.h"

struct doubles {
    const struct npart__session *session;
    const struct npart__graph *graph;
    uint32_t *uses;  /* by value that is left: by live nodes; by bodies and as a result of the graph twice each */
    uint32_t *pairs; /* of a QuantizeLinear's result: how many of these dequantize it by its own scale */
};

static uint32_t operand_of(const struct doubles *at, uint32_t id, uint32_t index)
{
    uint32_t value = npart__node_input(at->graph, npart__node_at(at->graph, id), index);
    return value == NPART_NONE ? value : at->session->stands_for[value];
}

static uint32_t result_of(const struct doubles *at, uint32_t id)
{
    return npart__node_output(at->graph, npart__node_at(at->graph, id), 0);
}

static bool is_live(const struct doubles *at, uint32_t id, enum npart__role role)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    return npart__is_live(at->session, id) && node->domain == 0 && node->input_count >= 3 && node->output_count == 1 &&
           npart__node_output(at->graph, node, 0) != NPART_NONE && npart__node_plays(at->graph, node, role);
}

/* The live node of this role, of the same region, that makes the operand; else NPART_NONE. */
static uint32_t before(const struct doubles *at, uint32_t id, enum npart__role role)
{
    uint32_t value = operand_of(at, id, 0);
    uint32_t producer = value == NPART_NONE ? NPART_NONE : npart__producer(at->graph, value);
    bool fits = producer != NPART_NONE && is_live(at, producer, role) &&
                npart__node_region(at->graph, producer) == npart__node_region(at->graph, id);
    return fits ? producer : NPART_NONE;
}

/* The type of the integers, by the zero point. */
static int type_of(const struct doubles *at, uint32_t id)
{
    return npart__fact_of(at->session->inference, operand_of(at, id, 2))->element_type;
}

/* One scale and zero point, of one type, which are known. */
static bool are_alike(const struct doubles *at, uint32_t a, uint32_t b)
{
    struct npart__encoding one, other;
    return npart__encoding_of(at->session, a, &one) && npart__encoding_of(at->session, b, &other) &&
           npart__same_encoding(one, other) && type_of(at, a) == type_of(at, b);
}

/* What both pairs can tell apart is what the new one must: the smaller range in as many steps, in FLOAT
 * (FindNewZeroPointAndScale). False where it is empty, or for another type. */
static bool find_encoding(const struct doubles *at, uint32_t first, uint32_t second, struct npart__encoding *out)
{
    struct npart__encoding pairs[2];
    double bounds[2];
    if (type_of(at, first) != type_of(at, second) || !npart__encoding_of(at->session, first, &pairs[0]) ||
        !npart__encoding_of(at->session, second, &pairs[1]) ||
        !npart__quantized_range(type_of(at, first), &bounds[0], &bounds[1]))
        return false;
    float least[2], most[2], steps = (float)(bounds[1] - bounds[0]);
    for (int i = 0; i < 2; i++) {
        least[i] = (float)(bounds[0] - pairs[i].zero_point) * (float)pairs[i].scale;
        most[i] = (float)(bounds[1] - pairs[i].zero_point) * (float)pairs[i].scale;
    }
    float low = fmaxf(least[0], least[1]), scale = (fminf(most[0], most[1]) - low) / steps;
    *out = (struct npart__encoding){.scale = scale};
    if (scale > 0)
        out->zero_point = roundf((float)bounds[0] - low / scale);
    return scale > 0;
}

static void count_uses(const struct doubles *at)
{
    const struct npart__graph *graph = at->graph;
    for (uint32_t i = 0; i < graph->order_count; i++) {
        uint32_t id = graph->order[i];
        const struct npart__node *node = npart__node_at(graph, id);
        if (!npart__is_live(at->session, id))
            continue;
        for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
            uint32_t value = npart__node_use(graph, node, k);
            if (value != NPART_NONE)
                at->uses[at->session->stands_for[value]] += k >= node->input_count ? 2 : 1;
        }
        uint32_t first = is_live(at, id, NPART__ROLE_DEQUANTIZES) ? before(at, id, NPART__ROLE_QUANTIZES) : NPART_NONE;
        if (first != NPART_NONE && are_alike(at, first, id))
            at->pairs[result_of(at, first)]++;
    }
    for (uint32_t v = 0; v < graph->values.count; v++)
        if (npart__value_at(graph, v)->is_graph_output)
            at->uses[at->session->stands_for[v]] += 2;
}

/* Of the second QuantizeLinear. False when out of memory. */
static bool join(const struct doubles *at, struct npart__session *session, uint32_t second, struct npart__arena *arena)
{
    uint32_t between = before(at, second, NPART__ROLE_DEQUANTIZES);
    uint32_t first = between == NPART_NONE ? NPART_NONE : before(at, between, NPART__ROLE_QUANTIZES);
    if (first == NPART_NONE)
        return true;
    uint32_t from = result_of(at, first), dequantized = result_of(at, between), result = result_of(at, second);
    struct npart__encoding encoding;
    bool is_alike = are_alike(at, first, second);
    if (at->uses[from] != 1 || at->pairs[from] != 1 || at->uses[dequantized] != 1 ||
        at->pairs[result] != at->uses[result] || at->uses[result] == 0 ||
        (!is_alike && !find_encoding(at, first, second, &encoding)))
        return true;
    if (!is_alike) {
        struct npart__altered *altered = npart__alter(session, first, arena);
        if (!altered)
            return false;
        altered->encoding = encoding;
    }
    session->fates[between] = session->fates[second] = NPART_FATE_NO_OP;
    session->stands_for[dequantized] = session->stands_for[result] = from;
    at->uses[from] = at->uses[result];
    at->pairs[from] = at->pairs[result];
    return true;
}

/* Whether anything that is dequantized is quantized at once: most models have none, and nothing has to be counted. */
static bool has_any(const struct doubles *at)
{
    bool has = false;
    for (uint32_t i = 0; i < at->graph->order_count && !has; i++)
        has = is_live(at, at->graph->order[i], NPART__ROLE_QUANTIZES) &&
              before(at, at->graph->order[i], NPART__ROLE_DEQUANTIZES) != NPART_NONE;
    return has;
}

bool npart__fold_double_pairs(struct npart__session *session, struct npart__arena *arena)
{
    const struct npart__graph *graph = session->inference->graph;
    struct npart__arena scratch;
    struct doubles at = {.session = session, .graph = graph};
    if (!has_any(&at))
        return true;
    npart__arena_init(&scratch, &arena->allocator);
    at.uses = npart__arena_zeroed(&scratch, graph->values.count + (size_t)1, sizeof *at.uses);
    at.pairs = npart__arena_zeroed(&scratch, graph->values.count + (size_t)1, sizeof *at.pairs);
    bool is_ready = at.uses && at.pairs;
    if (is_ready)
        count_uses(&at);
    for (uint32_t i = 0; is_ready && i < graph->order_count; i++)
        if (is_live(&at, graph->order[i], NPART__ROLE_QUANTIZES))
            is_ready = join(&at, session, graph->order[i], arena);
    if (is_ready)
        npart__settle_stand_ins(session, graph->values.count);
    npart__arena_clear(&scratch);
    return is_ready;
}
