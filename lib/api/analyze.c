/* SPDX-License-Identifier: Apache-2.0
 *
 * The answer in one call, and a summary as a line of text.
 */
#include "api/api.h"

static npart_status plan_file(npart_plan **out, const char *path, const char *target, struct npart_error *error)
{
    npart_model *model = NULL;
    npart_inference *inference = NULL;
    npart_oplist *oplist = NULL;
    npart_status status = npart_oplist_find(&oplist, target, NULL, error);
    if (status == NPART_OK)
        status = npart_model_read_file(&model, path, NULL, error);
    if (status == NPART_OK)
        status = npart_inference_make(&inference, model, NULL, error);
    if (status == NPART_OK)
        status = npart_plan_make(out, inference, oplist, target, NULL, error);
    npart_inference_free(inference);
    npart_model_free(model);
    npart_oplist_free(oplist);
    return status;
}

npart_status npart_analyze_file(const char *path, const char *target, struct npart_summary *out,
                                struct npart_error *error)
{
    npart_plan *plan = NULL;
    if (!path || !target || !out)
        return npart__fail_null(!path ? "path" : target ? "out" : "target", error);
    if (!NPART__HAS_ROOM(out))
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "the summary has size %zu, not %zu: set it with "
                           "{.size = sizeof summary}", out->size, sizeof *out);
    npart_status status = plan_file(&plan, path, target, error);
    if (status == NPART_OK)
        (void)npart_plan_summary(plan, out);
    npart_plan_free(plan);
    return status;
}

/* Undecided nodes are on the CPU in the plan; where their being on the NPU changes the number of partitions both ends
 * of the range are told. What is placed later is taken, and nobody says yet that the NPU runs it. */
static void add_partitions(struct npart__buffer *text, const struct npart_summary *at)
{
    if (at->partitions_low != at->partitions_high)
        npart__append_format(text, "%u to %u partitions, ", at->partitions_low, at->partitions_high);
    else
        npart__append_format(text, "%u partition%s, ", at->partitions, at->partitions == 1 ? "" : "s");
    npart__append_format(text, "%u of %u nodes %s", at->accepted, at->live, at->placed_later ? "taken" : "on the NPU");
}

static void add_words(struct npart__buffer *text, const struct npart_summary *at)
{
    switch (at->verdict) {
    case NPART_PLAN_NONE:
        npart__append_text(text, "no node runs on the NPU");
        break;
    case NPART_PLAN_EMPTY:
        npart__append_text(text, "no node is left after constant folding");
        break;
    case NPART_PLAN_FAILS:
        if (at->failed)
            npart__append_format(text, "%u of %u nodes %s to compile", at->failed, at->live,
                                 at->failed == 1 ? "fails" : "fail");
        else
            npart__append_text(text, "the model is not loaded");
        break;
    default:
        add_partitions(text, at);
    }
    npart__append_text(text, at->fits == NPART_FIT_NO ? "; memory does not suffice" : "");
}

size_t npart_summary_text(const struct npart_summary *summary, char *out, size_t bytes)
{
    struct npart__note note;
    npart__note_open(&note, NULL);
    const char *verdict = NPART__HAS_ROOM(summary) ? npart_plan_verdict_text(summary->verdict) : NULL;
    if (verdict) {
        npart__append_format(&note.text, "%s: ", verdict);
        add_words(&note.text, summary);
    } else {
        npart__append_text(&note.text, "not a summary: its size or verdict is not set");
    }
    return npart__note_close(&note, out, bytes);
}
