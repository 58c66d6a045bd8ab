/* SPDX-License-Identifier: Apache-2.0
 *
 * Causes by the rows of the table that suit them, and what their trials need.
 */
#include "advice/way.h"

/* ---- which row is for which cause -------------------------------------------------------------------------- */

/* The first row that suits each cause and is not excluded. The last row of the table suits all. Linear in causes
 * times rows; a row that was tried and found impossible is passed over, so its causes go to the next. */
static uint32_t *assign_rows(const struct npart__plan *plan, const bool *is_excluded, struct npart__arena *arena,
                             int64_t **opsets)
{
    uint32_t count = plan->causes.items.count;
    uint32_t *row_of = npart__arena_allocate(arena, (count + (size_t)1) * sizeof *row_of);
    *opsets = npart__arena_zeroed(arena, count + (size_t)1, sizeof **opsets);
    if (!row_of || !*opsets)
        return NULL;
    for (uint32_t c = 0; c < count; c++) {
        struct npart__case about = npart__case_of(plan, c);
        uint32_t row = 0;
        /* Stops at the last row in any case. */
        while (row + 1 < npart__row_count && (is_excluded[row] || !npart__row_suits(&npart__rows[row], &about)))
            row++;
        row_of[c] = row;
        (*opsets)[c] = about.opset;
    }
    /* Rules that are tried again read elements. A failure to allocate while reading would look like "not known",
     * and the wrong row would suit. */
    return npart__take_failure(plan->session.inference) ? NULL : row_of;
}

/* Groups stand in the order of their first causes, which is that of what ends most partitions. The opset of a
 * group is the highest that one of its causes needs. */
static bool gather_groups(struct npart__way *way, const int64_t *opsets)
{
    way->groups.count = 0;
    /* By row: the group's place plus one. */
    uint32_t *group_of = npart__arena_zeroed(&way->scratch, npart__row_count, sizeof *group_of);
    if (!group_of)
        return false;
    for (uint32_t c = 0; c < way->plan->causes.items.count; c++) {
        uint32_t row = way->row_of[c];
        const struct npart__group fresh = {
            .row = row, .first_cause = c, .variant = NPART_NONE, .is_done = way->is_done[row]};
        if (group_of[row] == 0) {
            if (!NPART__PUSH(&way->scratch, &way->groups, fresh))
                return false;
            group_of[row] = way->groups.count; /* + 1, as 0 is "none yet" */
        }
        struct npart__group *group = &way->groups.items[group_of[row] - 1];
        group->cause_count++;
        group->is_fatal |= way->plan->causes.items.items[c].failing_count > 0;
        if (opsets[c] > group->opset)
            group->opset = opsets[c];
    }
    return true;
}

/* What earlier cuts leave to the CPU in this plan. A plan that was made again has other ids beyond the file's
 * nodes, so tails are found anew from the rows that were cut. The union of all of them is what counts as left to
 * the CPU. */
static npart_status find_tails(struct npart__way *way)
{
    way->tail = NULL;
    for (uint32_t i = 0; i < way->groups.count; i++) {
        struct npart__group *group = &way->groups.items[i];
        if (!way->is_cut[group->row])
            continue;
        npart_status status = npart__group_prepare(way, group);
        if (status != NPART_OK)
            return status;
        group->is_done = true;
        if (!way->tail)
            way->tail = npart__marks_new(way->plan, &way->scratch);
        if (!way->tail)
            return npart__fail_memory(way->error);
        for (uint32_t n = 0; group->tail && n < way->tail->count; n++)
            if (npart__is_marked(group->tail->is_in, n))
                npart__mark(way->tail, n);
    }
    return NPART_OK;
}

/* Where sizes are to be fixed first, only that and what fails before it are looked at. Preparing the others would
 * plan with other opsets and targets for nothing: fixed sizes change which causes there are. */
static bool is_put_off(const struct npart__way *way, const struct npart__group *group)
{
    bool has_dims = false;
    for (uint32_t i = 0; way->plan == way->open && way->fixed && i < way->groups.count; i++)
        /* Only on the plan that was asked about, and where it is known what sizes to fix. */
        has_dims |= npart__rows[way->groups.items[i].row].kind == NPART__KIND_DIMS;
    return has_dims && !group->is_fatal && npart__rows[group->row].kind != NPART__KIND_DIMS;
}

/* Also what all steps are measured against. */
struct npart__after npart__as_it_is(const struct npart__plan *plan)
{
    const struct npart_summary *at = &plan->summary;
    return (struct npart__after){.partitions = at->partitions,
                                 .live = at->live,
                                 .accepted = at->accepted,
                                 .failed = at->failed,
                                 .elsewhere = plan->decided.elsewhere,
                                 .coverage = at->coverage,
                                 .mac_coverage = at->has_macs && at->macs ? at->mac_coverage : -1,
                                 .verdict = at->verdict,
                                 .cost_ms = plan->cost.total_ms,
                                 .bill = &plan->cost.bill,
                                 .rates = &plan->node_costs->rates};
}

/* Repeated while a row turns out to be impossible, since its causes then go to other rows; ends since each turn
 * excludes a row at least. */
npart_status npart__way_turn(struct npart__way *way, const struct npart__plan *plan)
{
    way->plan = plan;
    for (bool is_settled = false; !is_settled;) {
        int64_t *opsets;
        way->row_of = assign_rows(plan, way->is_excluded, &way->scratch, &opsets);
        if (!way->row_of || !gather_groups(way, opsets))
            return npart__fail_memory(way->error);
        is_settled = true;
        for (uint32_t i = 0; i < way->groups.count; i++) {
            struct npart__group *group = &way->groups.items[i];
            npart_status status =
                group->is_done || is_put_off(way, group) ? NPART_OK : npart__group_prepare(way, group);
            if (status != NPART_OK)
                return status;
            if (group->is_impossible) /* the next row that suits takes its place */
                way->is_excluded[group->row] = true;
            is_settled &= !group->is_impossible;
        }
    }
    /* Only where something is done already does the plan leave something else than its own summary says. */
    npart_status status = find_tails(way);
    bool is_changed = way->tail != NULL;
    for (uint32_t i = 0; i < way->groups.count; i++)
        is_changed |= way->groups.items[i].is_done;
    way->now = npart__as_it_is(plan);
    /* Replaced below where something was done before: then a trial says what is taken. */
    way->accepted = plan->accepted;
    const struct npart__what_if request = {plan, way->row_of, way->is_done, NPART_NONE, way->tail, way->is_loaded};
    return status == NPART_OK && is_changed
               ? npart__what_if(&request, true, &way->scratch, &way->now, &way->accepted, way->error)
               : status;
}

/* General rows say that nothing can be done, or repeat the list's advice: neither takes the place of something
 * else. Asked again with the row that it gave, so it walks down the table. */
uint32_t npart__next_row(const struct npart__way *way, const struct npart__group *group, uint32_t row, int64_t *opset)
{
    struct npart__case about = npart__case_of(way->plan, group->first_cause);
    while (++row < npart__row_count) {
        const struct npart__row *at = &npart__rows[row];
        bool is_general = at->when == NPART__WHEN_LAST || at->when == NPART__WHEN_ADVISED;
        if (is_general || at->kind == NPART__KIND_NONE || way->is_excluded[row] || !npart__row_suits(at, &about))
            continue;
        *opset = about.opset;
        return row;
    }
    return NPART_NONE;
}

/* ---- trials ------------------------------------------------------------------------------------------------ */

/* By node whether a cause of the group starts there; room for `nodes`. NULL when out of memory. The root where the
 * cause has one (sizes are lost there), else each affected node. `nodes` may be fewer than the plan's, as an opset
 * is changed in the model's own graph. */
static bool *mark_roots(struct npart__way *way, uint32_t row, size_t nodes)
{
    bool *is_root = npart__arena_zeroed(&way->scratch, nodes + (size_t)1, sizeof *is_root);
    for (uint32_t c = 0; is_root && c < way->plan->causes.items.count; c++) {
        const struct npart__cause *cause = &way->plan->causes.items.items[c];
        if (way->row_of[c] == row && cause->root != NPART_NONE && cause->root < nodes)
            is_root[cause->root] = true;
    }
    for (uint32_t i = 0; is_root && i < nodes && i < way->plan->graph->nodes.count; i++) {
        uint32_t c = way->plan->causes.cause_of[i];
        if (c != NPART_NONE && way->row_of[c] == row && way->plan->causes.items.items[c].root == NPART_NONE)
            is_root[i] = true;
    }
    return is_root;
}

/* The opset is the highest that a cause of the group wants: one export serves all. */
static npart_status prepare_opset(struct npart__way *way, struct npart__group *group, uint32_t row, bool only_own)
{
    bool *is_own = mark_roots(way, row, way->plan->request.inference->graph->nodes.count);
    if (!is_own)
        return npart__fail_memory(way->error);
    struct npart__plan *made = NULL;
    npart_status status = npart__replan_opset(way->plan, group->opset, is_own, only_own, &way->scratch, &made,
                                              &group->is_import_only, way->error);
    group->replanned = made;
    return status;
}

/* More nodes taken, and none more that fails to compile. More taken but one that fails more is no way out: the
 * session would not start. */
static bool is_better(const struct npart__plan *made, const struct npart__plan *than)
{
    return made->summary.failed <= than->summary.failed && made->summary.accepted > than->summary.accepted;
}

/* Several rows try the same target, which is planned once. */
static npart_status replan(struct npart__way *way, const struct npart__plan *from, const char *target,
                           struct npart__plan **out)
{
    for (uint32_t i = 0; i < way->replans.count; i++) {
        const struct npart__replan *at = &way->replans.items[i];
        if (at->from != from || strcmp(at->target, target) != 0)
            continue;
        *out = at->made;
        return NPART_OK;
    }
    npart_status status = npart__replan_target(from, target, &way->scratch, out, way->error);
    if (status == NPART_OK && !NPART__PUSH(&way->scratch, &way->replans, ((struct npart__replan){from, target, *out})))
        status = npart__fail_memory(way->error);
    return status;
}

/* Generations that the list knows by themselves, later ones first. From the one after the user's own around to it
 * again. The first that is better is taken; those after it are not planned. */
static npart_status prepare_variant(struct npart__way *way, struct npart__group *group)
{
    const struct npart__target *target = &way->plan->target;
    /* Without a variant in the target's text there is none to be exchanged. */
    uint32_t count = target->oplist->variants.count, tried = 0;
    bool is_chosen = target->variant != NPART_NONE;
    for (uint32_t i = 1; is_chosen && i < count && !group->replanned && tried < NPART__LIMIT_VARIANTS_TRIED; i++) {
        uint32_t id = (target->variant + i) % count;
        struct npart__plan *made = NULL;
        bool is_native = npart__rows[group->row].when == NPART__WHEN_NATIVE;
        /* Only variants with parameters of their own. */
        if (target->oplist->variants.items[id].like != id || (is_native && !npart__foreign_format(way->plan, id)))
            continue;
        tried++;
        const char *text =
            npart__target_text(way->plan, id, target->oplist->variants.items[id].switches, NULL, &way->scratch);
        if (!text)
            return npart__fail_memory(way->error);
        npart_status status = replan(way, way->plan, text, &made);
        if (status != NPART_OK)
            return status;
        if (!made || !is_better(made, way->plan))
            continue;
        group->replanned = made;
        group->target = text;
        group->variant = id;
    }
    return NPART_OK;
}

/* A row that names no switch means the one that lifts the line, or else the one without which the rule about integers
 * counts. NPART_NONE where the list has no such switch. */
static uint32_t switch_of(const struct npart__oplist *oplist, const char *name, uint32_t rule)
{
    for (uint32_t i = 0; *name && i < oplist->switches.count; i++)
        if (strcmp(oplist->switches.items[i], name) == 0)
            return i;
    uint32_t lifting = npart__lifting_switch(oplist, rule);
    return *name ? NPART_NONE : lifting != NPART_NONE ? lifting : oplist->integer_when.without;
}

/* Whether a switch helps. A model that is quantized first is gone on with even where nodes of it then fail: what mends
 * them may be the next step. */
static bool is_helped(const struct npart__group *group, const struct npart__plan *made, const struct npart__plan *plan)
{
    bool is_first = npart__rows[group->row].kind == NPART__KIND_QUANTIZE && plan->summary.accepted == 0;
    return made && (is_better(made, plan) || (is_first && made->summary.accepted > 0));
}

/* Planned as it is, and with sizes fixed, which is taken where it is better still: another runtime may need them all
 * the same. A switch that is on already, or that helps in neither case, makes the row impossible. */
static npart_status prepare_switch(struct npart__way *way, struct npart__group *group, const char *name)
{
    const struct npart__target *target = &way->plan->target;
    uint32_t bit = switch_of(target->oplist, name, way->plan->causes.items.items[group->first_cause].rule);
    struct npart__plan *made = NULL;
    if (bit == NPART_NONE || (target->switches >> bit & 1))
        return NPART_OK; /* impossible then: nothing was replanned */
    group->target =
        npart__target_text(way->plan, NPART_NONE, target->switches | UINT32_C(1) << bit, NULL, &way->scratch);
    if (!group->target)
        return npart__fail_memory(way->error);
    npart_status status = replan(way, way->plan, group->target, &made);
    if (status == NPART_OK && is_helped(group, made, way->plan))
        group->replanned = made;
    if (status != NPART_OK || way->plan != way->open || !way->fixed)
        return status;
    status = replan(way, way->fixed, group->target, &made);
    if (status == NPART_OK && is_helped(group, made, group->replanned ? group->replanned : way->plan)) {
        group->replanned = made;
        group->has_sizes = true;
    }
    return status;
}

/* The release that the report names. */
static npart_status prepare_release(struct npart__way *way, struct npart__group *group)
{
    struct npart__newer newer;
    struct npart__plan *made = NULL;
    npart_status status = npart__find_newer(way->plan, &way->scratch, &way->scratch, &newer, way->error);
    if (status != NPART_OK || newer.node_count == 0)
        return status;
    group->release = newer.toolchain;
    group->target = npart__target_text(way->plan, NPART_NONE, way->plan->target.switches, newer.toolchain,
                                       &way->scratch);
    if (!group->target)
        return npart__fail_memory(way->error);
    status = replan(way, way->plan, group->target, &made);
    group->replanned = status == NPART_OK && made && is_better(made, way->plan) ? made : NULL;
    return status;
}

/* Whether a tail has more than a small share of the work that the NPU does, where that is known: to run it on the
 * CPU is no way to bring more onto the NPU. Sums stay in 64 bits: a figure is below 2^40, or counts as unknown. */
static bool gives_up_work(const struct npart__plan *plan, const struct npart__tail *tail)
{
    uint64_t all = 0, given_up = 0;
    for (uint32_t i = 0; i < plan->session.file->nodes.count; i++) {
        uint64_t macs = plan->works.items[i].macs;
        if (!plan->accepted[i] || macs > NPART__MOST_WEIGHED)
            continue;
        all += macs;
        given_up += npart__is_marked(tail->is_in, i) ? macs : 0;
    }
    return (double)given_up > NPART__MOST_GIVEN_UP * (double)all;
}

/* Nodes at which the group's causes begin, and all that depends on them. Only where the values on which that
 * stands can be named, as the user has to cut there, and little work is lost. */
static npart_status prepare_tail(struct npart__way *way, struct npart__group *group, uint32_t row)
{
    struct npart__tail *tail = NULL;
    bool *is_root = mark_roots(way, row, way->plan->graph->nodes.count);
    if (!is_root)
        return npart__fail_memory(way->error);
    npart_status status = npart__find_tail(way->plan, is_root, &way->scratch, &tail, way->error);
    group->tail = tail && !gives_up_work(way->plan, tail) ? tail : NULL;
    return status;
}

/* `row` is the group's own, or another that may take its place; the causes are those of the group. */
npart_status npart__group_prepare(struct npart__way *way, struct npart__group *group)
{
    const struct npart__row *row = &npart__rows[group->row];
    uint32_t causes_row = way->row_of[group->first_cause];
    npart_status status = NPART_OK;
    switch ((enum npart__row_trial)row->trial) {
    case NPART__TRY_OPSET:
    case NPART__TRY_OWN_OPSET:
        status = prepare_opset(way, group, causes_row, row->trial == NPART__TRY_OWN_OPSET);
        break;
    case NPART__TRY_VARIANT:
        status = prepare_variant(way, group);
        break;
    case NPART__TRY_RELEASE:
        status = prepare_release(way, group);
        break;
    case NPART__TRY_SWITCH:
        status = prepare_switch(way, group, row->argument);
        break;
    case NPART__TRY_TAIL:
        status = prepare_tail(way, group, causes_row);
        group->is_impossible = !group->tail; /* it begins at the inputs, has too much work or too many tensors */
        return status;
    case NPART__TRY_ACCEPT:
        /* Sizes are fixed already where the plan is another: then the row's nodes are only taken. */
        if (row->kind == NPART__KIND_DIMS && way->plan == way->open && way->fixed)
            group->replanned = way->fixed;
        return NPART_OK;
    default:
        return NPART_OK;
    }
    group->is_impossible = !group->replanned;
    return status;
}

/* Three kinds of trial: another plan stands for the group, its nodes are left to the CPU with all that depends on
 * them, or they are taken as if their rules were met. */
npart_status npart__group_try(struct npart__way *way, const struct npart__group *group, struct npart__after *after,
                              bool **accepted)
{
    struct npart__what_if request = {way->plan, way->row_of, way->is_done, NPART_NONE, way->tail, way->is_loaded};
    struct npart__marks *tail = NULL;
    if (group->replanned) {
        int64_t *opsets;
        /* Its rows are assigned by its own causes; what was cut from the old plan does not carry over, as take()
         * turns to the new one, which finds its tails itself. */
        request.plan = group->replanned;
        request.row_of = assign_rows(group->replanned, way->is_excluded, &way->scratch, &opsets);
        request.tail = NULL;
        if (!request.row_of)
            return npart__fail_memory(way->error);
    } else if (group->tail) {
        tail = npart__marks_new(way->plan, &way->scratch);
        if (!tail)
            return npart__fail_memory(way->error);
        for (uint32_t i = 0; i < tail->count; i++)
            if (npart__is_marked(group->tail->is_in, i) || npart__is_marked(way->tail, i))
                npart__mark(tail, i);
        request.tail = tail;
    } else if (npart__rows[group->row].trial != NPART__TRY_NOTHING) {
        request.and_row = way->row_of[group->first_cause];
    }
    return npart__what_if(&request, accepted != NULL, &way->scratch, after, accepted, way->error);
}
