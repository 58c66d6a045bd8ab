/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes with weights, by format and by what happens to them: what the op list's `precision` line says of the format;
 * of a node that is refused for its types, or for the operator that its weights are coded in, what that rule says.
 */
#include "precision/precision.h"

enum cause { BY_LINE, BY_REFUSAL, BY_FAILURE, CAUSES };

/* One place for each format and what happens to it: small enough for an array on the stack. */
#define PLACES ((NPART__FORMATS + 1u) * NPART__SCALES * NPART__ZEROS * 2u * CAUSES)

/* Formats that differ in any part of their names have places of their own. */
static uint32_t place_of(struct npart__format format, enum cause cause)
{
    uint32_t scale = format.row * (uint32_t)NPART__SCALES + format.granularity;
    return ((scale * NPART__ZEROS + format.symmetry) * 2 + format.is_packed) * CAUSES + cause;
}

/* The rule that refuses a node for the format of its weights; NPART_NONE: none does. A doubt is no refusal, so
 * only what surely fails is looked at. */
static uint32_t refusing_rule(const struct npart__target *target, const struct npart__mask *mask, uint32_t node,
                              bool is_own_op)
{
    /* What is taken, or may be, is told by the list's line. */
    if (mask->verdicts[node] == NPART_VERDICT_NPU || mask->verdicts[node] == NPART_VERDICT_UNKNOWN)
        return NPART_NONE;
    for (uint32_t i = mask->first_reason[node]; i < mask->first_reason[node + 1]; i++) {
        const struct npart__reason *reason = &mask->reasons.items[i];
        const struct npart__rule *rule = &target->oplist->rules.items[reason->rule];
        /* Of a policy: a rule that asks for a variant or switch, and not a line about partitions. */
        bool is_choice = rule->about == NPART_ABOUT_POLICY && rule->condition != NPART_NONE;
        bool is_of_op = is_own_op && (rule->about == NPART_ABOUT_OP || is_choice);
        if (reason->truth == NPART__FALSE && rule->kind == NPART_RULE_NEED &&
            (rule->about == NPART_ABOUT_DTYPE || is_of_op))
            return reason->rule;
    }
    return NPART_NONE;
}

/* Without a line nothing is guessed, but for NF4, which no runtime gets to see. */
static struct npart_precision by_line(const struct npart__target *target, struct npart__format format)
{
    bool depends = false;
    /* `depends`: a line would count if something were known of the file that is not. */
    const struct npart__precision_line *line = npart__target_precision(target, format, &depends);
    if (line)
        return (struct npart_precision){.happens = (enum npart_happening)line->happens,
                                        .is_assumed = line->is_assumed,
                                        .share = line->share,
                                        .text = line->sentence,
                                        .because = line->because,
                                        .source = line->source};
    /* 1 is ONNX's FLOAT. */
    if (format.row == npart__format_row(1, NPART__TYPE_NF4))
        return (struct npart_precision){.happens = NPART_HAPPENS_DEQUANTIZED,
                                        .text = "ONNX has no NF4: the lookup makes floating point of the weights",
                                        .source = ""};
    return (struct npart_precision){.happens = NPART_HAPPENS_UNKNOWN,
                                    .text = depends ? "depends on zero points or scales that the file does not tell"
                                            : format.row == NPART__FORMATS ? "the types are not known, or in no format"
                                                                           : "the op list does not say",
                                    .source = ""};
}

/* NULL when out of memory. */
static const char *name_of(struct npart__format format, struct npart__arena *arena)
{
    /* "w8a8-channel", as reports have it. */
    struct npart__buffer text = {.arena = arena};
    npart__append_format_name(format, &text);
    const char *name = npart__buffer_text(&text);
    return text.failed ? NULL : name;
}

/* An entry for the first node of its kind; false when out of memory. */
static bool add(const struct npart__target *target, struct npart__format format, const struct npart__rule *rule,
                bool is_fatal, struct npart__arena *arena, struct npart__precisions *out)
{
    struct npart__precision made = {.told = by_line(target, format), .format = format, .variant = NPART_NONE};
    struct npart_precision *told = &made.told;
    /* Where it is native but for this rule, or the target lacks the operator, no other format or variant helps. */
    bool is_settled = told->happens == NPART_HAPPENS_NATIVE || (rule && rule->about == NPART_ABOUT_OP);
    if (rule)
        *told = (struct npart_precision){.happens = is_fatal ? NPART_HAPPENS_FAILS : NPART_HAPPENS_CPU,
                                         .text = rule->sentence,
                                         .because = rule->because,
                                         .source = rule->source};
    struct npart__format instead = npart__native_instead(target, format);
    /* From the last on, so that the first generation stays. */
    for (uint32_t i = target->oplist->variants.count; !is_settled && i-- > 0;)
        if (target->oplist->variants.items[i].like == i && npart__is_native_on(target, i, format))
            made.variant = i;
    /* One among the formats that are native on this very target. */
    bool has_instead = !is_settled && instead.row != NPART__FORMATS;
    told->size = sizeof *told;
    told->format = name_of(format, arena);
    told->instead = has_instead ? name_of(instead, arena) : "";
    told->variant = made.variant == NPART_NONE ? "" : target->oplist->variants.items[made.variant].name;
    told->because = told->because ? told->because : "";
    return told->format && told->instead && NPART__PUSH(arena, &out->items, made);
}

/* Nodes in the order of the file, so that formats come in the order in which a reader meets them. */
bool npart__find_precisions(const struct npart__target *target, const struct npart__session *session,
                            const struct npart__mask *mask, const struct npart__works *works,
                            struct npart__arena *arena, struct npart__precisions *out)
{
    uint16_t places[PLACES] = {0}; /* plus one */
    bool ok = true;
    memset(out, 0, sizeof *out);
    for (uint32_t i = 0; i < session->file->nodes.count; i++) {
        struct npart__format format;
        bool is_own_op, is_fatal = mask->verdicts[i] == NPART_VERDICT_FAIL;
        if (!npart__is_live(session, i) || !npart__format_of_node(session, i, &format, &is_own_op))
            continue;
        uint32_t rule = refusing_rule(target, mask, i, is_own_op);
        uint16_t *place =
            &places[place_of(format, rule == NPART_NONE ? BY_LINE : is_fatal ? BY_FAILURE : BY_REFUSAL)];
        /* Later nodes of the same kind only add to its counts. */
        if (*place == 0) {
            ok = add(target, format, rule == NPART_NONE ? NULL : &target->oplist->rules.items[rule], is_fatal, arena,
                     out);
            *place = (uint16_t)out->items.count;
        }
        if (!ok)
            break;
        struct npart_precision *at = &out->items.items[*place - 1].told;
        at->node_count++;
        at->accepted_count += mask->verdicts[i] == NPART_VERDICT_NPU;
        /* How often a body runs is not known. Unknown stays unknown: the sum is held at the largest number. */
        uint64_t macs = npart__node_region(session->graph, i) == 0 ? works->items[i].macs : NPART__WORK_UNKNOWN;
        at->macs = macs > NPART__WORK_UNKNOWN - at->macs ? NPART__WORK_UNKNOWN : at->macs + macs;
    }
    for (uint32_t i = 0; i < out->items.count; i++) {
        struct npart_precision *at = &out->items.items[i].told;
        at->has_macs = at->macs != NPART__WORK_UNKNOWN;
        at->macs = at->has_macs ? at->macs : 0;
    }
    return !npart__take_failure(session->inference) && ok;
}
