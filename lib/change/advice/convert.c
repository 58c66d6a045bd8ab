/* SPDX-License-Identifier: Apache-2.0
 *
 * What the model is to be converted to, where the framework that is handed its nodes runs them on another unit than the
 * NPU for what they compute in: `elsewhere` rules of the op list that have an advice. No rewrite converts weights, so
 * this is a step for the export. What is tried is FLOAT16 in the place of FLOAT32, planned again.
 */
#include "advice/way.h"
#include "infer/families.h"

/* What the rules advise that nodes do not meet, each advice once, those of most nodes first; "" where none does. */
static void append_advice(const struct npart__plan *plan, struct npart__buffer *out)
{
    size_t start = out->size;
    for (uint32_t i = 0; i < plan->decided.rule_count; i++) {
        const char *advice = plan->target.oplist->rules.items[plan->decided.rules[i]].advice;
        if (advice && !strstr(npart__buffer_text(out) + start, advice)) {
            npart__append_text(out, out->size ? ". " : "");
            npart__append_text(out, advice);
        }
    }
}

/* The plan made again, where that moves nodes to the NPU; NULL: it does not. */
static npart_status try_converted(struct npart__way *way, const struct npart__plan *plan, struct npart__plan **out)
{
    npart_status status =
        npart__replan_converted(plan, NPART__FLOAT, NPART__FLOAT16, &way->scratch, out, way->error);
    if (status == NPART_OK && *out && (*out)->decided.elsewhere >= way->plan->decided.elsewhere)
        *out = NULL;
    return status;
}

static npart_status add_step(struct npart__way *way, const struct npart__plan *made, const char *text,
                             const char *command)
{
    struct npart__action action = {.kind = npart__kind_word(NPART__KIND_EXPORTER),
                                   .text = text,
                                   .command = command,
                                   .rewrites = "",
                                   .equality = "other",
                                   .first_cause = way->out->lists.count,
                                   .instead_of = NPART_NONE,
                                   .after = npart__as_it_is(made)};
    if (!npart__list_needs(way, way->steps, &action) || !NPART__PUSH(way->arena, &way->out->items, action))
        return npart__fail_memory(way->error);
    way->steps++;
    npart__note_paid(way, action.kind, &action.after);
    return npart__way_turn(way, made);
}

/* Nothing where no rule has an advice, where following it moves nothing, and where the model does not fit, which is
 * mended first. Where sizes are not fixed either, and nothing is moved by one of the two alone, both are one step. */
npart_status npart__way_convert(struct npart__way *way)
{
    const struct npart__plan *with_sizes = way->plan == way->open ? way->fixed : NULL;
    const char *command = NULL;
    struct npart__plan *made = NULL;
    struct npart__buffer advice, text;
    npart__buffer_init(&advice, &way->scratch);
    npart__buffer_init(&text, way->arena);
    append_advice(way->plan, &advice);
    if (advice.failed)
        return npart__fail_memory(way->error);
    if (advice.size == 0 || way->open->summary.fits == NPART_FIT_NO)
        return NPART_OK;
    npart_status status = try_converted(way, way->plan, &made);
    if (status == NPART_OK && !made && with_sizes) {
        status = try_converted(way, with_sizes, &made);
        npart__append_dims(way, with_sizes, &text);
        npart__append_text(&text, ". ");
        if (status == NPART_OK && !npart__dims_command(way, with_sizes, &command))
            status = npart__fail_memory(way->error);
    }
    npart__append_text(&text, npart__buffer_text(&advice));
    const char *told = npart__made_text(&text);
    if (status != NPART_OK || !told)
        return status == NPART_OK ? npart__fail_memory(way->error) : status;
    return made ? add_step(way, made, told, command) : NPART_OK;
}
