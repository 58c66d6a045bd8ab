/* SPDX-License-Identifier: Apache-2.0
 *
 * DOUBLE computed in FLOAT. Each node gets Casts before it and after it, so inputs and outputs of the graph keep their
 * type; where two nodes follow each other there is none between them.
 */
#include "rewrite/axes.h"
#include "rewrite/kernels.h"

/* Whether this rewrite, at an earlier node of the same list, has made the value of a FLOAT. */
static bool is_made_double(const struct npart__site *site, uint32_t value)
{
    uint32_t maker = npart__producer(site->graph, value);
    return maker != NPART_NONE && npart__node_at(site->graph, maker)->scope == site->node->scope;
}

/* Numbers that are known are written as FLOAT; weights are not read, and a Cast of them is folded by whoever runs the
 * model. What a Cast has made of FLOAT is what it was. */
static const char *as_float(struct npart__site *site, uint32_t value)
{
    struct npart__dims dims;
    uint32_t count, maker = npart__site_made_by(site, value, NPART__WAY(CASTS));
    const char *made = is_made_double(site, value) ? npart__made_from(site, value, NPART__WAY(CASTS)) : NULL;
    if (made)
        return made;
    uint32_t from = maker == NPART_NONE
                        ? NPART_NONE : npart__node_input(site->graph, npart__node_at(site->graph, maker), 0);
    if (from != NPART_NONE && npart__site_type(site, from) == NPART__FLOAT)
        return npart__site_name(site, from);
    const double *numbers = npart__site_doubles(site, value, &count);
    if (numbers && npart__site_dims(site, value, dims.at, &dims.rank))
        return npart__make_constant(site, NPART__FLOAT, dims.at, dims.rank, numbers);
    return npart__make_cast(site, npart__site_name(site, value), NPART__FLOAT);
}

/* Whether something is left to do: a Cast between the two types is the edge itself. */
static bool computes_double(const struct npart__site *site)
{
    int from = npart__site_type(site, npart__operand(site, 0)), to = npart__site_type(site, npart__result(site, 0));
    bool is_edge = !from || !to || from == NPART__FLOAT || to == NPART__FLOAT, has_double = false;
    if (npart__comes_from(site->node, NPART__WAY(CASTS)))
        return !is_edge && (from == NPART__DOUBLE) != (to == NPART__DOUBLE);
    for (uint32_t i = 0; i < site->node->input_count; i++)
        has_double |= npart__site_type(site, npart__operand(site, i)) == NPART__DOUBLE;
    for (uint32_t i = 0; i < site->node->output_count; i++)
        has_double |= npart__site_type(site, npart__result(site, i)) == NPART__DOUBLE;
    return has_double;
}

/* ArgMax and its like jump, and so does what is made a whole number. */
static void tell_error(struct npart__site *site)
{
    int to = npart__site_type(site, npart__result(site, 0));
    bool jumps = site->node->traits->jumps ||
                 (npart__comes_from(site->node, NPART__WAY(CASTS)) && !npart__is_plain_float(to));
    if (!jumps)
        return;
    site->equality = NPART_EQUAL_APPROX;
    site->caveat = "Numbers nearer to each other than FLOAT can tell become equal, or change places.";
}

/* The node's operands, as FLOAT where they were DOUBLE. One that is given twice is made FLOAT once. */
static void list_operands(struct npart__site *site, struct npart__put_value *operands, const char **names)
{
    for (uint32_t i = 0; i < site->node->input_count; i++) {
        uint32_t value = npart__operand(site, i), same = 0;
        int type = npart__site_type(site, value);
        while (npart__operand(site, same) != value)
            same++;
        bool is_double = type == NPART__DOUBLE;
        names[i] = same < i ? names[same] : is_double ? as_float(site, value) : npart__site_name(site, value);
        operands[i] = (struct npart__put_value){names[i], is_double ? NPART__FLOAT : type};
    }
}

/* Names of results are asked of the node while it is the last that was made. */
static void finish_results(struct npart__site *site, const char **names)
{
    uint32_t count = site->node->output_count;
    for (uint32_t i = 0; i < count; i++)
        names[i] = npart__made_result(site, i);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = npart__result(site, i);
        bool is_double = npart__site_type(site, value) == NPART__DOUBLE;
        if (!npart__is_unused(site, value))
            npart__finish(site, i, is_double ? npart__make_cast(site, names[i], NPART__DOUBLE) : names[i]);
    }
}

bool npart__rewrite_float32(struct npart__site *site)
{
    static const char *const types[] = {"to", "dtype"};
    uint32_t count = site->node->input_count;
    struct npart__put_value *operands = npart__arena_zeroed(site->arena, count + (size_t)1, sizeof *operands);
    const char **names = npart__arena_zeroed(site->arena, count + (size_t)1, sizeof *names);
    const char **results = npart__arena_zeroed(site->arena, site->node->output_count + (size_t)1, sizeof *results);
    int type;
    site->failed |= !operands || !names || !results;
    if (site->failed || *npart__text(&site->graph->strings, site->node->domain) || site->node->traits->keeps_type ||
        !computes_double(site))
        return false;
    list_operands(site, operands, names);
    if (site->failed || !npart__can_make(site->node->schema, operands, count, &type))
        return false;
    npart__make_like(site, site->id, names, count);
    for (size_t i = 0; i < NPART__COUNT(types); i++)
        if (npart__site_int(site, site->id, types[i], 0) == NPART__DOUBLE)
            npart__give_int(site, types[i], NPART__FLOAT);
    finish_results(site, results);
    tell_error(site);
    return true;
}
