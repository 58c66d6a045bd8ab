/* SPDX-License-Identifier: Apache-2.0
 *
 * What a newer release of the toolchain takes, where the user has asked for an older one.
 *
 * The newest is planned first: where it takes no more than the plan at hand, no other is looked at. Else the releases
 * between are planned, oldest first, up to the one that takes as much: that is what a user has to install.
 */
#include "plan.h"

/* Whether a node of the file is on the NPU in `newer` and not in `plan`. */
static bool is_gained(const struct npart__plan *plan, const struct npart__plan *newer, uint32_t node)
{
    return npart__is_live(&newer->session, node) && newer->accepted[node] &&
           npart__is_live(&plan->session, node) && !plan->accepted[node];
}

static uint32_t count_gained(const struct npart__plan *plan, const struct npart__plan *newer)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->request.inference->graph->nodes.count; i++)
        count += is_gained(plan, newer, i);
    return count;
}

/* Names of operators, each once. Those of one graph are interned, so equal ones are one address. */
static bool name_ops(const struct npart__plan *plan, const struct npart__plan *newer, struct npart__arena *arena,
                     struct npart__newer *out)
{
    const struct npart__graph *graph = plan->request.inference->graph;
    struct NPART__ARRAY(const char *) ops = {NULL, 0, 0};
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const char *op = npart__node_op(graph, npart__node_at(graph, i));
        uint32_t k = 0;
        while (k < ops.count && ops.items[k] != op)
            k++;
        if (is_gained(plan, newer, i) && k == ops.count && !NPART__PUSH(arena, &ops, op))
            return false;
    }
    out->ops = ops.items;
    out->op_count = ops.count;
    return true;
}

/* A release for which the model cannot be planned takes nothing. */
static npart_status plan_release(const struct npart__plan *plan, uint32_t release, struct npart__arena *scratch,
                                 struct npart__plan *out, uint32_t *gained)
{
    struct npart__plan_request request = plan->request;
    request.release = release + 1;
    request.is_trial = true;
    npart_status status = npart__plan_make(&request, scratch, out, NULL);
    *gained = status == NPART_OK ? count_gained(plan, out) : 0;
    return status == NPART_ERROR_MEMORY ? status : NPART_OK;
}

npart_status npart__find_newer(const struct npart__plan *plan, struct npart__arena *arena,
                               struct npart__arena *scratch, struct npart__newer *out, struct npart_error *error)
{
    const struct npart__target *target = &plan->target;
    uint32_t last = target->oplist->toolchains.count, most = 0, gained = 0;
    *out = (struct npart__newer){.toolchain = ""};
    if (last == 0 || target->toolchain + 1 == last || target->standing == NPART_RELEASE_OLDER)
        return NPART_OK;
    struct npart__plan *made = npart__arena_zeroed(scratch, 1, sizeof *made);
    if (!made || plan_release(plan, last - 1, scratch, made, &most) != NPART_OK)
        return npart__fail_memory(error);
    if (most == 0)
        return NPART_OK;
    uint32_t first = target->toolchain + 1;
    for (; first + 1 < last; first++) {
        if (plan_release(plan, first, scratch, made, &gained) != NPART_OK)
            return npart__fail_memory(error);
        if (gained >= most)
            break;
    }
    if (first + 1 == last && plan_release(plan, first, scratch, made, &gained) != NPART_OK)
        return npart__fail_memory(error);
    out->toolchain = target->oplist->toolchains.items[first];
    out->node_count = gained;
    return name_ops(plan, made, arena, out) ? NPART_OK : npart__fail_memory(error);
}
