/* SPDX-License-Identifier: Apache-2.0
 *
 * What a rewrite asks of the graph round its site.
 */
#include <stdlib.h>

#include "edit/edit.h"

/* ---- values ------------------------------------------------------------------------------------------------------ */

const char *npart__site_name(const struct npart__site *site, uint32_t value)
{
    return value == NPART_NONE ? "" : npart__value_name(site->graph, value);
}

/* Of an operand that is left out nothing is known. */
static const struct npart__fact *fact_of(const struct npart__site *site, uint32_t value)
{
    return value == NPART_NONE ? NULL : npart__fact_of(site->inference, value);
}

/* A sequence's element type is not that of a tensor, and counts as unknown. */
int npart__site_type(const struct npart__site *site, uint32_t value)
{
    const struct npart__fact *fact = fact_of(site, value);
    return fact && fact->kind == NPART__TYPE_TENSOR ? fact->element_type : 0;
}

bool npart__site_rank(const struct npart__site *site, uint32_t value, uint32_t *rank)
{
    const struct npart__fact *fact = fact_of(site, value);
    if (!fact || fact->kind != NPART__TYPE_TENSOR || !fact->has_rank)
        return false;
    *rank = fact->rank;
    return true;
}

/* Of a rank beyond NPART__LIMIT_RANK inference knows nothing, so `dims` has room. */
bool npart__site_dims(const struct npart__site *site, uint32_t value, int64_t *dims, uint32_t *rank)
{
    const struct npart__fact *fact = fact_of(site, value);
    if (!fact || !npart__is_static(fact))
        return false;
    for (uint32_t i = 0; i < fact->rank; i++)
        dims[i] = fact->dims[i];
    *rank = fact->rank;
    return true;
}

bool npart__site_is_constant(const struct npart__site *site, uint32_t value)
{
    return value != NPART_NONE && site->is_constant && site->is_constant[value];
}

/* An element that may be off (`error`) is none: a rewrite writes numbers down, and they must be those of every
 * runtime. Only small tensors have elements at all, as the inference has read or computed them. */
static const struct npart__known *known_constant(struct npart__site *site, uint32_t value)
{
    if (!npart__site_is_constant(site, value))
        return NULL;
    const struct npart__known *known = npart__elements(site->inference, &site->inference->facts[value]);
    return known && known->error == 0 ? known : NULL;
}

const int64_t *npart__site_ints(struct npart__site *site, uint32_t value, uint32_t *count)
{
    /* An empty list has no array, and is something else than NULL. */
    static const int64_t nothing;
    const struct npart__known *known = known_constant(site, value);
    if (!known || (!known->ints && known->count))
        return NULL;
    for (uint32_t i = 0; i < known->count; i++)
        if (!npart__is_number(known->ints[i]))
            return NULL;
    *count = known->count;
    return known->count ? known->ints : &nothing;
}

const double *npart__site_doubles(struct npart__site *site, uint32_t value, uint32_t *count)
{
    const struct npart__known *known = known_constant(site, value);
    if (!known)
        return NULL;
    *count = known->count;
    if (known->doubles)
        return known->doubles;
    /* Whole numbers become doubles only where none of them is rounded: past 2**53 some are. */
    double *doubles = npart__arena_allocate(site->arena, (known->count + (size_t)1) * sizeof *doubles);
    site->failed |= !doubles;
    for (uint32_t i = 0; doubles && i < known->count; i++) {
        if (!npart__is_number(known->ints[i]) || !npart__is_whole((double)known->ints[i]))
            return NULL;
        doubles[i] = (double)known->ints[i];
    }
    return doubles;
}

/* ---- who makes and uses them ------------------------------------------------------------------------------------- */

/* In another list (a graph round a body) it would be captured, and its operands may be out of reach. A body inside
 * of this list is another list as well. */
static uint32_t maker_of(const struct npart__site *site, uint32_t value)
{
    uint32_t node = npart__producer(site->graph, value);
    bool is_here = node != NPART_NONE && npart__node_at(site->graph, node)->scope == site->node->scope;
    return is_here ? node : NPART_NONE;
}

uint32_t npart__site_maker(const struct npart__site *site, uint32_t value, const char *op)
{
    uint32_t node = maker_of(site, value);
    bool is_it = node != NPART_NONE && npart__node_is(site->graph, npart__node_at(site->graph, node), op);
    return is_it ? node : NPART_NONE;
}

uint32_t npart__site_made_by(const struct npart__site *site, uint32_t value, uint64_t ways)
{
    uint32_t node = maker_of(site, value);
    return node != NPART_NONE && npart__comes_from(npart__node_at(site->graph, node), ways) ? node : NPART_NONE;
}

/* By the graph as it was analysed, so also where an earlier site of the same version has taken a use away. Whether
 * that use was the last shows in the next version. */
bool npart__is_unused(const struct npart__site *site, uint32_t value)
{
    return value == NPART_NONE || (!npart__value_at(site->graph, value)->consumer_count &&
                                   !npart__value_at(site->graph, value)->is_graph_output);
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

/* Of another type than the schema's an attribute is none: ONNX Runtime would not load the model (seen in a mutant,
 * whose number for a text was read as an address). */
static const struct npart__attribute *given(const struct npart__site *site, uint32_t node, const char *name,
                                            enum npart_attribute_type type)
{
    const struct npart__attribute *attribute =
        npart__node_attribute(site->graph, npart__node_at(site->graph, node), name);
    return attribute && attribute->type == type && !attribute->is_elided ? attribute : NULL;
}

/* The schema's default as text in the site's arena; NULL where there is none. Copied, since texts of the table are
 * not terminated. */
static const char *default_of(const struct npart__site *site, uint32_t node, const char *name)
{
    struct npart__attribute_schema schema;
    const struct npart__operator *op = npart__node_at(site->graph, node)->schema;
    if (!op || !npart__operator_attribute(op, name, strlen(name), &schema) || !schema.default_text)
        return NULL;
    const char *text = npart__arena_copy_text(site->arena, schema.default_text, schema.default_length);
    site->inference->expressions.failed |= !text; /* not a site's own, which is only looked at here */
    return text;
}

bool npart__site_has(const struct npart__site *site, uint32_t node, const char *name)
{
    return npart__node_attribute(site->graph, npart__node_at(site->graph, node), name) != NULL;
}

/* Defaults of the table are decimal texts, "1" or "-1". */
int64_t npart__site_int(const struct npart__site *site, uint32_t node, const char *name, int64_t fallback)
{
    const struct npart__attribute *attribute = given(site, node, name, NPART_ATTRIBUTE_INT);
    const char *text = attribute ? NULL : default_of(site, node, name);
    return attribute ? attribute->u.i : text ? strtoll(text, NULL, 10) : fallback;
}

/* Defaults are floats like the attributes that they stand for: 1e-5 is read as the nearest float. */
double npart__site_float(const struct npart__site *site, uint32_t node, const char *name, double fallback)
{
    const struct npart__attribute *attribute = given(site, node, name, NPART_ATTRIBUTE_FLOAT);
    const char *text = attribute ? NULL : default_of(site, node, name);
    return attribute ? (double)attribute->u.f : text ? (double)(float)npart__read_decimal(text) : fallback;
}

const char *npart__site_text(const struct npart__site *site, uint32_t node, const char *name, const char *fallback)
{
    const struct npart__attribute *attribute = given(site, node, name, NPART_ATTRIBUTE_STRING);
    const char *text = attribute ? NULL : default_of(site, node, name);
    return attribute ? attribute->u.s : text ? text : fallback;
}

/* What an absent list means is the caller's to know. */
const int64_t *npart__site_int_list(const struct npart__site *site, uint32_t node, const char *name, uint32_t *count)
{
    const struct npart__attribute *attribute = given(site, node, name, NPART_ATTRIBUTE_INTS);
    if (!attribute)
        return NULL;
    *count = attribute->count;
    return attribute->u.ints;
}

/* 0 where the model does not import the standard's domain, which is older than all forms. */
int32_t npart__site_opset(const struct npart__site *site)
{
    const struct npart_opset *standard = npart__standard_import(site->graph);
    return standard ? (int32_t)standard->version : 0;
}
