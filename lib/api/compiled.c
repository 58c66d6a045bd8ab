/* SPDX-License-Identifier: Apache-2.0
 *
 * What becomes of a graph that is compiled already. The target's rules decide, as of any node; here their outcome is
 * told as an answer to the question that the owner of such a file has.
 */
#include "compiled/compiled.h"

#include "api/api.h"

/* The first reason of one of these two outcomes, with what was found; false: there is none. */
static bool append_reason(const npart_plan *plan, uint32_t node, enum npart_outcome a, enum npart_outcome b,
                          struct npart__buffer *out)
{
    struct npart_reason reason = {.size = sizeof reason};
    char found[512] = "";
    for (uint32_t i = 0; npart_plan_reason(plan, node, i, &reason, found, sizeof found); i++) {
        if (reason.outcome != a && reason.outcome != b)
            continue;
        bool is_shown = *found && reason.outcome != NPART_OUTCOME_NOTE;
        npart__append_format(out, is_shown ? "%s; found %s" : "%s", reason.text, found);
        return true;
    }
    return false;
}

/* A refusal has a reason; where rules say nothing against it, the file may still not say for which chip it is. */
static enum npart_compiled_verdict judge(const npart_plan *plan, uint32_t node, const struct npart__compiled *compiled,
                                         struct npart__buffer *out)
{
    struct npart_node_plan planned = {.size = sizeof planned};
    (void)npart_plan_node(plan, node, &planned);
    if (planned.verdict == NPART_VERDICT_FAIL || planned.verdict == NPART_VERDICT_CPU) {
        npart__append_text(out, "does not load: ");
        (void)append_reason(plan, node, NPART_OUTCOME_FAILS, NPART_OUTCOME_NOT_MET, out);
        return NPART_COMPILED_REFUSED;
    }
    if (planned.verdict == NPART_VERDICT_UNKNOWN) {
        npart__append_text(out, "not known whether it loads: ");
        (void)append_reason(plan, node, NPART_OUTCOME_UNKNOWN, NPART_OUTCOME_UNKNOWN, out);
        return NPART_COMPILED_UNKNOWN;
    }
    struct npart__buffer note = {.arena = out->arena};
    if (append_reason(plan, node, NPART_OUTCOME_NOTE, NPART_OUTCOME_NOTE, &note)) {
        npart__append_text(out, npart__buffer_text(&note));
        return NPART_COMPILED_RECOMPILE;
    }
    if (compiled->chip_count == 0) {
        npart__append_text(out, "not known whether it loads: the file does not say for which chip it was compiled");
        return NPART_COMPILED_UNKNOWN;
    }
    struct npart__compiled unplaced = *compiled; /* in which file it is holds for one of several nodes */
    unplaced.file = "";
    npart__append_text(out, "loads: compiled for ");
    npart__append_compiled(&unplaced, out);
    return NPART_COMPILED_LOADS;
}

static const char *remedy_of(enum npart_compiled_verdict verdict, enum npart__context_place place)
{
    if (verdict == NPART_COMPILED_LOADS || verdict == NPART_COMPILED_UNKNOWN)
        return "";
    return place >= NPART__CONTEXT_MISSING ? "Put the context file into the model's folder, and name it without a path"
                                           : "Compile the original model again, for this target";
}

/* Folded nodes hold none, as nothing folds an EPContext. */
bool npart_plan_compiled(const npart_plan *plan, uint32_t node, struct npart_compiled *out, char *text, size_t bytes)
{
    struct npart__compiled compiled;
    struct npart__note note;
    if (!plan || node >= plan->plan.graph->nodes.count || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__graph *graph = plan->plan.graph;
    if (!npart__is_compiled(graph, npart__node_at(graph, node)))
        return false;
    npart__read_compiled(graph, npart__node_at(graph, node), &compiled);
    npart__note_open(&note, &plan->life->arena.allocator);
    *out = (struct npart_compiled){.size = sizeof *out, .node = node, .provider = compiled.provider,
                                   .file = *compiled.file ? compiled.file : ""};
    out->verdict = judge(plan, node, &compiled, &note.text);
    out->remedy = remedy_of(out->verdict, compiled.place);
    (void)npart__note_close(&note, text, bytes);
    return true;
}
