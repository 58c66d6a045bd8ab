/* SPDX-License-Identifier: Apache-2.0
 *
 * A node said by another version of its operator: attributes that became operands, or operands that were attributes.
 * Where a lower opset has no such operator others take its place first.
 */
#include "edit/editor.h"
#include "fix/state.h"

/* Where an attribute has gone: the list or number is the operand at the row's place. */
static const char *make_operand(struct npart__site *site, const struct npart__attribute_move *row)
{
    uint32_t count;
    int64_t number = npart__site_int(site, site->id, row->attribute, 0);
    const int64_t *list;
    switch (row->form) {
    case NPART__MOVED_INTS:
        list = npart__site_int_list(site, site->id, row->attribute, &count);
        return list ? npart__make_ints(site, list, count) : NULL;
    case NPART__MOVED_INT:
        return npart__make_ints(site, &number, 1);
    case NPART__MOVED_NUMBER:
        return npart__make_scalar(site, npart__site_type(site, npart__operand(site, 0)),
                                  npart__site_float(site, site->id, row->attribute, 0));
    default:
        return NULL;
    }
}

/* Where an operand has gone. It must be a constant; the node was made just now. */
static bool give_attribute(struct npart__site *site, const struct npart__attribute_move *row)
{
    uint32_t count = 0, value = npart__operand(site, row->operand);
    const int64_t *list = row->form == NPART__MOVED_NUMBER ? NULL : npart__site_ints(site, value, &count);
    const double *numbers = row->form == NPART__MOVED_NUMBER ? npart__site_doubles(site, value, &count) : NULL;
    if (row->form == NPART__MOVED_DROPPED)
        return true;
    if (row->form == NPART__MOVED_INTS && list)
        npart__give_ints(site, row->attribute, list, count);
    else if (row->form == NPART__MOVED_INT && list && count == 1)
        npart__give_int(site, row->attribute, list[0]);
    else if (numbers && count == 1)
        npart__give_float(site, row->attribute, numbers[0]);
    else
        return false;
    return true;
}

/* From the axis on all were one axis, before; of the last that is the axis itself. */
static bool is_last_axis(struct npart__site *site, const struct npart__attribute_move *row, uint32_t *rank)
{
    int64_t axis = npart__site_int(site, site->id, row->attribute, 0);
    return npart__site_rank(site, npart__operand(site, 0), rank) && (axis == -1 || axis == (int64_t)*rank - 1);
}

static bool write_axis(struct npart__site *site, const struct npart__attribute_move *row)
{
    uint32_t rank;
    bool is_last = is_last_axis(site, row, &rank);
    if (is_last)
        npart__give_int(site, row->attribute, rank ? rank - 1 : 0);
    return is_last;
}

/* Else ONNX's own converter makes one axis of them (version_converter/adapters/softmax_12_13.h), of an operand of
 * unknown rank, too: Flatten, the node along the last axis, Reshape. The result's name; NULL: it is not so. */
static const char *convert_flattened(struct npart__site *site, const struct npart__attribute_move *row)
{
    uint32_t rank = 0;
    int64_t axis = npart__site_int(site, site->id, row->attribute, 0);
    if (row->form != NPART__MOVED_LAST_AXIS || is_last_axis(site, row, &rank) || axis + (int64_t)rank < 0)
        return NULL;
    const char *name = npart__operand_name(site, 0), *shape = npart__make_shape(site, name);
    name = npart__make_flatten(site, name, axis < 0 ? axis + rank : axis);
    name = npart__make_like(site, site->id, &name, 1);
    npart__give_int(site, row->attribute, -1);
    return npart__make_reshape_by(site, name, shape);
}

/* Names of operands as the version has them that is wanted; the attributes follow once the node is made. */
static bool list_operands(struct npart__site *site, bool is_newer, const struct npart__attribute_move *const *rows,
                          const char **names, uint32_t *count)
{
    *count = site->node->input_count;
    for (uint32_t i = 0; i < *count; i++)
        names[i] = npart__operand_name(site, i);
    for (uint32_t i = 0; rows[i]; i++) {
        uint32_t at = rows[i]->operand;
        if (at == NPART_NONE)
            continue;
        if (!is_newer && at < *count)
            names[at] = "";
        if (!is_newer || rows[i]->form == NPART__MOVED_DROPPED || !npart__site_has(site, site->id, rows[i]->attribute))
            continue;
        while (*count <= at)
            names[(*count)++] = "";
        names[at] = make_operand(site, rows[i]);
        if (!names[at] || site->failed)
            return false;
    }
    return true;
}

/* As attributes ONNX Runtime does not load bounds in the wrong order, of which as operands the upper one counts. */
static bool are_bounds_in_order(struct npart__site *site)
{
    uint32_t low_count = 0, high_count = 0, low = npart__operand(site, 1), high = npart__operand(site, 2);
    if (site->node->traits->computes != NPART__COMPUTES_LIMITS || low == NPART_NONE || high == NPART_NONE)
        return true;
    const double *least = npart__site_doubles(site, low, &low_count);
    const double *most = npart__site_doubles(site, high, &high_count);
    return least && most && low_count == 1 && high_count == 1 && least[0] <= most[0];
}

bool npart__convert_node(struct npart__site *site, const struct npart__operator *after, bool may_flatten)
{
    const struct npart__operator *before = site->node->schema;
    const struct npart__attribute_move *rows[NPART__LIMIT_MOVED + 1];
    bool is_newer = after->since > before->since;
    uint32_t count, results = site->node->output_count;
    npart__list_moved(before, after, rows);
    const char *flattened = may_flatten && is_newer && rows[0] ? convert_flattened(site, rows[0]) : NULL;
    if (flattened) {
        npart__finish(site, 0, flattened);
        return true;
    }
    const char **names =
        npart__arena_zeroed(site->arena, site->node->input_count + (size_t)NPART__LIMIT_MOVED + 1, sizeof *names);
    const char **made = npart__arena_zeroed(site->arena, results + (size_t)1, sizeof *made);
    if (!names || !made) {
        site->failed = true;
        return false;
    }
    if (!list_operands(site, is_newer, rows, names, &count) || (!is_newer && !are_bounds_in_order(site)))
        return false;
    while (count && !*names[count - 1])
        count--;
    npart__make_like(site, site->id, names, count);
    for (uint32_t i = 0; rows[i]; i++) {
        uint32_t at = rows[i]->operand;
        if (rows[i]->form == NPART__MOVED_LAST_AXIS) {
            if (!write_axis(site, rows[i]))
                return false;
        } else if (is_newer) {
            npart__drop_attribute(site, rows[i]->attribute);
        } else if (at != NPART_NONE && npart__has_operand(site, at) && !give_attribute(site, rows[i])) {
            return false;
        }
    }
    for (uint32_t i = 0; i < results; i++)
        made[i] = npart__made_result(site, i);
    for (uint32_t i = 0; i < results; i++)
        if (npart__result(site, i) != NPART_NONE)
            npart__finish(site, i, made[i]);
    return true;
}

/* ---- operators that are not there yet ---------------------------------------------------------------------------- */

static npart_status go_on(struct npart__search *search, const struct npart__state *base, struct npart__way_down *way,
                          struct npart__attempt *attempt)
{
    npart_status status = npart__tell_changes(search, way->state, attempt);
    if (way->state != base)
        npart__state_free(way->state);
    way->state = attempt->made;
    way->steps[way->count] = *attempt;
    way->steps[way->count++].picks = NULL;
    return status;
}

static bool *list_absent(const struct npart__state *state, int64_t opset, struct npart__arena *scratch, uint32_t *left)
{
    bool *picks = npart__arena_zeroed(scratch, state->graph->nodes.count + (size_t)1, sizeof *picks);
    *left = picks ? npart__list_absent(state->graph, opset, picks) : 0;
    return picks;
}

/* Each rewrite once, in their order. */
static npart_status replace_absent(struct npart__search *search, const struct npart__state *base, int64_t opset,
                                   struct npart__arena *scratch, struct npart__way_down *way, uint32_t *left)
{
    const struct npart__fix_request *request = search->request;
    bool *picks = list_absent(way->state, opset, scratch, left);
    npart_status status = picks ? NPART_OK : npart__fail_memory(search->error);
    for (uint32_t i = 0; i < request->rewrites->count && status == NPART_OK && *left; i++) {
        struct npart__attempt attempt = {.rewrite = &request->rewrites->rows[i], .picks = picks};
        if (attempt.rewrite->is_whole || !npart__is_wanted(request, attempt.rewrite->id) ||
            way->count == NPART__MOST_STEPS_DOWN)
            continue;
        status = npart__attempt_rewrite(search, way->state, &attempt);
        if (status != NPART_OK || !attempt.made)
            continue;
        status = go_on(search, base, way, &attempt);
        picks = list_absent(way->state, opset, scratch, left);
        if (status == NPART_OK && !picks)
            status = npart__fail_memory(search->error);
    }
    return status;
}

npart_status npart__go_to_opset(struct npart__search *search, struct npart__state *base, int64_t opset,
                                struct npart__arena *scratch, struct npart__way_down *way)
{
    struct npart__attempt attempt = {.rewrite = NULL};
    uint32_t left = 0;
    *way = (struct npart__way_down){.state = base};
    npart_status status = replace_absent(search, base, opset, scratch, way, &left);
    if (status == NPART_OK && !left)
        status = npart__attempt_opset(search, way->state, opset, &attempt);
    way->arrives = status == NPART_OK && attempt.made;
    return way->arrives ? go_on(search, base, way, &attempt) : status;
}

bool npart__convert_nodes(const struct npart__graph *graph, struct npart__editor *editor, int64_t opset,
                          uint8_t equality, bool may_flatten, bool *failed)
{
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const struct npart__node *node = npart__node_at(graph, i);
        struct npart__site site = {.failed = false};
        if (*npart__text(&graph->strings, node->domain) || node->opset_version == 0)
            continue;
        const struct npart__operator *after = npart__operator_find("", npart__node_op(graph, node), opset);
        if (after && npart__means_the_same(graph, node, after))
            continue;
        bool is_said = after && node->schema && npart__site_begin(editor, i, NPART__ID_OPSET, equality, &site) &&
                       npart__convert_node(&site, after, may_flatten) && npart__site_keep(&site);
        *failed |= site.failed && !site.is_impossible;
        if (!is_said)
            return false;
        if (may_flatten && node->output_count)
            npart__editor_keep_name(editor, npart__node_output(graph, node, 0), npart__node_op(graph, node),
                                    node->name);
    }
    return true;
}
