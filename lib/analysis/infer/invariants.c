/* SPDX-License-Identifier: Apache-2.0
 *
 * What holds for every inference; the debug build looks when one is made.
 */
#include "infer/infer.h"

#ifdef NPART_DEBUG

/* A dim is a number that is none below 0, or an expression; what is not known is an expression of its own. */
static void check_fact(const struct npart__inference *inference, uint32_t value)
{
    const struct npart__fact *fact = npart__fact_of(inference, value);
    NPART__ASSERT(fact->kind <= NPART__TYPE_OPAQUE, "value %u is of kind %u", value, fact->kind);
    NPART__ASSERT(!fact->has_rank || fact->rank <= NPART__LIMIT_RANK, "value %u has %u dims", value, fact->rank);
    NPART__ASSERT(!fact->has_rank || fact->rank == 0 || fact->dims, "value %u has a rank and no dims", value);
    for (uint32_t i = 0; fact->has_rank && i < fact->rank; i++)
        NPART__ASSERT(fact->dims[i] != NPART__UNKNOWN, "dim %u of value %u", i, value);
    NPART__ASSERT(!fact->known || fact->known->count == 0 || fact->known->ints || fact->known->doubles,
                  "value %u has no elements", value);
    NPART__ASSERT(!fact->known || fact->known->error >= 0, "value %u", value);
    NPART__ASSERT(!fact->items || fact->kind == NPART__TYPE_SEQUENCE, "value %u has items and is no sequence", value);
    NPART__ASSERT(!fact->items || fact->items->count <= NPART__LIMIT_SEQUENCE, "value %u", value);
}

/* The rank of a value that has one was lost nowhere. */
static void check_ranks(const struct npart__inference *inference)
{
    for (uint32_t v = 0; v < inference->fact_count; v++) {
        uint32_t node = npart__rank_lost_at(inference, v), alias = npart__value_at(inference->graph, v)->alias;
        NPART__ASSERT(node == NPART_NONE || node < inference->graph->nodes.count, "value %u", v);
        NPART__ASSERT(npart__fact_of(inference, v)->kind == npart__fact_of(inference, alias)->kind,
                      "value %u is another name of value %u", v, alias);
    }
}

/* Symbols, and the classes of equal values: the first of a class speaks for itself, and is never after the others. */
static void check_classes(const struct npart__inference *inference)
{
    for (uint32_t i = 0; i < inference->expressions.symbols.count; i++) {
        const struct npart__symbol *symbol = &inference->expressions.symbols.items[i];
        NPART__ASSERT(symbol->node == NPART_NONE || symbol->node < inference->graph->nodes.count, "symbol %u", i);
        NPART__ASSERT(!symbol->is_bound || symbol->value <= symbol->most, "symbol %u is past its limit", i);
    }
    for (uint32_t v = 0; inference->first_equal && v < inference->fact_count; v++) {
        uint32_t first = inference->first_equal[v];
        NPART__ASSERT(first < inference->fact_count && inference->first_equal[first] == first, "value %u", v);
    }
    for (uint32_t i = 0; i < inference->assumptions.count; i++)
        NPART__ASSERT(inference->assumptions.items[i].node == NPART_NONE ||
                          inference->assumptions.items[i].node < inference->graph->nodes.count,
                      "assumption %u", i);
    for (uint32_t i = 0; i < inference->contradicted.count; i++) {
        NPART__ASSERT(inference->contradicted.items[i].node < inference->graph->nodes.count, "contradiction %u", i);
        NPART__ASSERT(inference->contradicted.items[i].finding < inference->findings.count, "contradiction %u", i);
    }
}

void npart__check_inference(const struct npart__inference *inference)
{
    NPART__ASSERT(inference->policy && inference->arena, "an inference without a policy");
    NPART__ASSERT(inference->fact_count == inference->graph->values.count, "facts of %u values",
                  inference->fact_count);
    for (uint32_t v = 0; v < inference->fact_count; v++)
        check_fact(inference, v);
    check_ranks(inference);
    check_classes(inference);
}

#endif
