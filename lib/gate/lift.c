/* SPDX-License-Identifier: Apache-2.0
 *
 * A placement override is for all nodes of a name, or of an op. So it is first found of each node whether it falls back
 * for waived rules alone, and then of each name and op whether that holds for all who have it. Linear in the graph.
 */
#include <stdio.h>

#include "gate/gate.h"
#include "many/numbers.h"

/* Bits: of a node of the file, a name or an op. */
enum { FALLS = 1, STAYS = 2 }; /* on the CPU for waived rules alone; for another reason */

struct npart__lift {
    struct npart__life *life;
    bool *is_lifted; /* by rule of the op list: a node that is put on the NPU falls back for it */
    struct npart_assumption *items; /* those nodes, as placement overrides */
    uint32_t count;
    struct npart__numbers names, ops; /* what the overrides point into */
};

struct search {
    struct npart__lift *lift;
    const bool *is_waived; /* by rule */
    const npart_plan *plan;
    const npart_model *model; /* with the nodes that the plan adds, which come after those of the file */
    uint32_t file_count;
    uint8_t *states; /* by node of the file */
};

/* ---- nodes -------------------------------------------------------------------------------------------------- */

/* Whether a rule keeps a node off the NPU. What cannot be told does so where no rule certainly does. */
static bool is_against(const struct npart_reason *reason, const struct npart_node_plan *placed)
{
    return reason->outcome == NPART_OUTCOME_NOT_MET || reason->outcome == NPART_OUTCOME_FAILS ||
           (reason->outcome == NPART_OUTCOME_UNKNOWN && placed->verdict == NPART_VERDICT_UNKNOWN);
}

static uint8_t state_of(const struct search *search, uint32_t id, const struct npart_node_plan *placed)
{
    struct npart_reason reason = {.size = sizeof reason};
    uint8_t state = STAYS; /* without a reason no waiver has it */
    for (uint32_t i = 0; npart_plan_reason(search->plan, id, i, &reason, NULL, 0); i++) {
        if (!is_against(&reason, placed))
            continue;
        if (!search->is_waived[reason.rule])
            return STAYS;
        state = FALLS;
    }
    return state;
}

/* The node of the file in whose place one stands that the plan has added: only that can be told of. */
static uint32_t file_node(const struct search *search, uint32_t id)
{
    struct npart_node node = {.size = sizeof node};
    struct npart_graph graph = {.size = sizeof graph};
    while (id != NPART_NONE && id >= search->file_count)
        id = npart_model_node(search->model, id, &node) && npart_model_graph(search->model, node.graph, &graph)
                 ? graph.node
                 : NPART_NONE;
    return id;
}

/* The next live node from place `*at` of the run on that is not on the NPU; NPART_NONE past the last. */
static uint32_t next_fallen(const struct search *search, uint32_t *at, struct npart_node_plan *placed)
{
    uint32_t live;
    const uint32_t *order = npart_plan_order(search->plan, &live);
    while (*at < live) {
        uint32_t id = order[(*at)++];
        if (npart_plan_node(search->plan, id, placed) && placed->partition == NPART_NONE)
            return id;
    }
    return NPART_NONE;
}

static void find_states(struct search *search)
{
    struct npart_node_plan placed = {.size = sizeof placed};
    uint32_t id, at = 0;
    while ((id = next_fallen(search, &at, &placed)) != NPART_NONE) {
        uint32_t file = file_node(search, id);
        if (file != NPART_NONE)
            search->states[file] |= state_of(search, id, &placed);
    }
}

/* ---- names and ops ------------------------------------------------------------------------------------------ */

/* "com.microsoft:Gelu", as overrides have it; false where that would be another's. */
static bool write_op(const struct npart_node *node, char *out, size_t bytes)
{
    int length = snprintf(out, bytes, "%s%s%s", node->domain, *node->domain ? ":" : "", node->op);
    return length >= 0 && (size_t)length < bytes && !strchr(node->op, ':');
}

static uint8_t *find_item(struct npart__numbers *interner, const char *text)
{
    uint32_t number = npart__number_of(interner, text, strlen(text));
    return number == NPART__NO_NUMBER ? NULL : npart__numbered_item(interner, number);
}

/* Of the name of a node, or without one of its op. *item is NULL where it cannot be told of. False: out of memory. */
static bool find_own(struct npart__lift *lift, const struct npart_node *node, uint8_t **item)
{
    char op[1024];
    bool has_name = *node->name != '\0';
    *item = NULL;
    if (!has_name && !write_op(node, op, sizeof op))
        return true;
    *item = has_name ? find_item(&lift->names, node->name) : find_item(&lift->ops, op);
    return *item != NULL;
}

/* An override by op is for nodes with a name, too. */
static bool gather_states(struct search *search)
{
    struct npart_node node = {.size = sizeof node};
    for (uint32_t i = 0; i < search->file_count; i++) {
        char op[1024];
        uint8_t *item;
        if (!search->states[i] || !npart_model_node(search->model, i, &node))
            continue;
        if (!find_own(search->lift, &node, &item))
            return false;
        if (item)
            *item |= search->states[i];
        if (!*node.name || !write_op(&node, op, sizeof op))
            continue;
        item = find_item(&search->lift->ops, op);
        if (!item)
            return false;
        *item |= search->states[i] & STAYS;
    }
    return true;
}

static bool make_overrides(struct npart__lift *lift)
{
    lift->items = npart__arena_zeroed(&lift->life->arena, lift->names.count + lift->ops.count + (size_t)1,
                                      sizeof *lift->items);
    for (uint32_t i = 0; lift->items && i < lift->names.count + lift->ops.count; i++) {
        bool is_name = i < lift->names.count;
        uint32_t number = is_name ? i : i - lift->names.count;
        const struct npart__numbers *interner = is_name ? &lift->names : &lift->ops;
        const char *text = npart__numbered_key(interner, number, NULL);
        if (*(uint8_t *)npart__numbered_item(interner, number) == FALLS)
            lift->items[lift->count++] =
                (struct npart_assumption){is_name ? NULL : text, is_name ? text : NULL, true};
    }
    return lift->items != NULL;
}

/* For which rules nodes were lifted: a waiver of these is one that did something. */
static bool mark_rules(struct search *search)
{
    struct npart_node node = {.size = sizeof node};
    struct npart_node_plan placed = {.size = sizeof placed};
    struct npart_reason reason = {.size = sizeof reason};
    uint32_t id, at = 0;
    while ((id = next_fallen(search, &at, &placed)) != NPART_NONE) {
        uint32_t file = file_node(search, id);
        uint8_t *item;
        if (file == NPART_NONE || search->states[file] != FALLS || !npart_model_node(search->model, file, &node))
            continue;
        if (!find_own(search->lift, &node, &item))
            return false;
        for (uint32_t i = 0; item && *item == FALLS && npart_plan_reason(search->plan, id, i, &reason, NULL, 0); i++)
            search->lift->is_lifted[reason.rule] |= is_against(&reason, &placed);
    }
    return true;
}

static bool find_lift(struct npart__lift *lift, const npart_plan *plan, const bool *is_waived)
{
    struct npart_model_info model = {.size = sizeof model};
    struct npart_oplist_info list = {.size = sizeof list};
    struct npart__arena *arena = &lift->life->arena, scratch;
    (void)npart_model_info(npart_inference_model(npart_plan_inference(plan)), &model);
    (void)npart_oplist_info(npart_plan_oplist(plan), &list);
    struct search search = {.lift = lift, .plan = plan, .is_waived = is_waived, .file_count = model.node_count,
                            .model = npart_inference_model(npart_plan_view(plan))};
    lift->names.arena = lift->ops.arena = arena;
    lift->names.item_bytes = lift->ops.item_bytes = sizeof(uint8_t);
    lift->is_lifted = npart__arena_zeroed(arena, list.all_rule_count + (size_t)1, sizeof *lift->is_lifted);
    npart__arena_init(&scratch, &arena->allocator);
    search.states = npart__arena_zeroed(&scratch, search.file_count + (size_t)1, sizeof *search.states);
    bool is_found = lift->is_lifted && search.states;
    if (is_found)
        find_states(&search);
    is_found = is_found && gather_states(&search) && make_overrides(lift) && mark_rules(&search);
    npart__arena_clear(&scratch);
    return is_found;
}

npart_status npart__lift_make(struct npart__lift **out, const npart_plan *plan, const bool *is_waived,
                              struct npart_error *error)
{
    struct npart__lift *lift = npart__handle_new(sizeof *lift, &plan->life->arena.allocator);
    if (!lift)
        return npart__fail_memory(error);
    npart_status status = find_lift(lift, plan, is_waived) ? NPART_OK : npart__fail_memory(error);
    return NPART__HAND_OVER(out, lift, status, error);
}

void npart__lift_free(struct npart__lift *lift)
{
    if (lift)
        npart__life_end(lift->life);
}

const struct npart_assumption *npart__lift_overrides(const struct npart__lift *lift, uint32_t *count)
{
    *count = lift ? lift->count : 0;
    return lift ? lift->items : NULL;
}

bool npart__lift_has_rule(const struct npart__lift *lift, uint32_t rule)
{
    return lift && lift->is_lifted[rule];
}
