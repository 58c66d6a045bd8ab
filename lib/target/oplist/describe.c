/* SPDX-License-Identifier: Apache-2.0
 *
 * The support table as people read it (--describe TARGET): the head of a list, then each op with
 * the sentences of its rules; of a single op also conditions, ids and sources. Where a target is chosen from the list,
 * a release for instance, lines that do not count for it are left out.
 */
#include "oplist/term.h"

struct description {
    const struct npart__oplist *oplist;
    const struct npart__target *target; /* NULL: the whole list */
    struct npart__buffer *out;
};

static bool counts(const struct description *told, struct npart__line_condition when)
{
    return !told->target || npart__target_has(told->target, when);
}

/* Whether a line for one variant is told; NPART_NONE: for all. */
static bool is_for(const struct description *told, uint32_t variant)
{
    return !told->target || variant == NPART_NONE || variant == told->target->variant ||
           variant == npart__target_like(told->target);
}

/* Switches that a variant has on by default. As a user would write them: " +float +w16". */
static void describe_switches(const struct npart__oplist *oplist, uint32_t bits, struct npart__buffer *out)
{
    for (uint32_t i = 0; i < oplist->switches.count; i++) {
        if (bits >> i & 1) {
            npart__append_text(out, " +");
            npart__append_text(out, oplist->switches.items[i]);
        }
    }
}

/* One line each: " * v73 (sm8550) +float title"; the star marks the default. */
static void describe_variants(const struct npart__oplist *oplist, struct npart__buffer *out)
{
    npart__append_text(out, oplist->variants.count ? "variants (* default)\n" : "");
    for (uint32_t i = 0; i < oplist->variants.count; i++) {
        const struct npart__variant *variant = &oplist->variants.items[i];
        npart__append_text(out, i == oplist->default_variant ? "  * " : "    ");
        npart__append_text(out, variant->name);
        for (uint32_t k = 0; k < variant->alias_count; k++) {
            npart__append_text(out, k ? ", " : " (");
            npart__append_text(out, variant->aliases[k]);
        }
        npart__append_text(out, variant->alias_count ? ")" : "");
        describe_switches(oplist, variant->switches, out);
        if (*variant->title) {
            npart__append_text(out, "  ");
            npart__append_text(out, variant->title);
        }
        npart__append_text(out, "\n");
    }
}

/* A rule's sentence after its keyword, as in the list; `because` below it. The order of the prefixes is that of
 * enum npart_rule_kind. */
static void describe_rule(const struct description *told, uint32_t at)
{
    static const char *const prefixes[] = {"  need   ", "  maybe  ", "  note   ", "  unit   ", "  elsewhere "};
    const struct npart__rule *rule = &told->oplist->rules.items[at];
    struct npart__buffer *out = told->out;
    if (!counts(told, rule->when))
        return;
    npart__append_text(out, prefixes[rule->kind]);
    npart__append_text(out, rule->sentence);
    npart__append_text(out, rule->is_fatal ? " (otherwise: fails to compile)" : "");
    npart__append_text(out, "\n");
    if (rule->because)
        npart__append_format(out, "           because %s\n", rule->because);
}

/* WHEN as it is written in the list, without the stage. It begins with a blank, since it follows other words. */
static void describe_when(const struct npart__oplist *oplist, struct npart__line_condition when,
                          struct npart__buffer *out)
{
    if (when.with != NPART_NONE)
        npart__append_format(out, " with %s", oplist->switches.items[when.with]);
    if (when.without != NPART_NONE)
        npart__append_format(out, " unless %s", oplist->switches.items[when.without]);
    if (when.since != NPART_NONE)
        npart__append_format(out, " since '%s'", oplist->toolchains.items[when.since]);
    if (when.before != NPART_NONE)
        npart__append_format(out, " before '%s'", oplist->toolchains.items[when.before]);
}

/* What the rule asks, then where it stands: for whoever wants to correct the list. Only of a single op (--describe
 * TARGET OP): a whole list would be too long with it. */
static void describe_condition(const struct description *told, uint32_t at)
{
    const struct npart__oplist *oplist = told->oplist;
    const struct npart__rule *rule = &oplist->rules.items[at];
    struct npart__buffer *out = told->out;
    if (!counts(told, rule->when))
        return;
    if (rule->condition != NPART_NONE || rule->is_limited) {
        npart__append_text(out, rule->condition != NPART_NONE ? "           " : "          ");
        if (rule->condition != NPART_NONE)
            npart__append_term(oplist, rule->condition, out);
        describe_when(oplist, rule->when, out);
        npart__append_text(out, "\n");
    }
    npart__append_format(out, "           %s, line %u", rule->id, rule->line);
    if (*rule->source) {
        npart__append_text(out, "; ");
        npart__append_text(out, rule->source);
    }
    npart__append_text(out, "\n");
}

/* Stages are named only where there are several. The range is of opsets, as in the list. `in_full`: conditions, ids
 * and sources too. */
static void describe_op(const struct description *told, const struct npart__op_entry *entry, bool in_full)
{
    const struct npart__oplist *oplist = told->oplist;
    struct npart__buffer *out = told->out;
    npart__append_text(out, entry->domain);
    npart__append_text(out, *entry->domain ? ":" : "");
    npart__append_text(out, entry->name);
    if (entry->last_version == INT32_MAX)
        npart__append_format(out, "  opset %d on", entry->first_version);
    else
        npart__append_format(out, "  opset %d to %d", entry->first_version, entry->last_version);
    if (oplist->stage_count > 1) {
        npart__append_text(out, "  gate ");
        npart__append_text(out, oplist->stages[entry->stage].name);
    }
    npart__append_text(out, "\n");
    for (uint32_t i = entry->first_rule; i < entry->first_rule + entry->rule_count; i++) {
        describe_rule(told, i);
        if (in_full)
            describe_condition(told, i);
    }
}

/* Patterns, failures and refusals with their rules; the first sentence is that of the pattern itself. Not the
 * expressions: what is fused is said by the sentence. */
static void describe_patterns(const struct description *told)
{
    const struct npart__oplist *oplist = told->oplist;
    struct npart__buffer *out = told->out;
    for (uint32_t i = 0; i < oplist->patterns.count; i++) {
        const struct npart__pattern *pattern = &oplist->patterns.items[i];
        if (!counts(told, oplist->rules.items[pattern->unit_rule].when))
            continue;
        npart__append_format(out, "%s %s\n", npart__pattern_word(pattern), pattern->name);
        describe_rule(told, pattern->unit_rule);
        if (oplist->rules.items[pattern->unit_rule].advice)
            npart__append_format(out, "  advice   %s\n", oplist->rules.items[pattern->unit_rule].advice);
        for (uint32_t k = pattern->first_rule; k < pattern->first_rule + pattern->rule_count; k++)
            describe_rule(told, k);
    }
}

/* All lines, where nothing is chosen: which of them counts depends on that. */
static void describe_partitioners(const struct description *told)
{
    const struct npart__oplist *oplist = told->oplist;
    struct npart__buffer *out = told->out;
    if (told->target) {
        npart__append_format(out, "partitioner %s\n", npart__target_partitioner(told->target));
        return;
    }
    /* The default, as npart__target_partitioner has it. */
    if (oplist->partitioners.count == 0)
        npart__append_text(out, "partitioner waves\n");
    for (uint32_t i = 0; i < oplist->partitioners.count; i++) {
        const struct npart__partitioner_choice *choice = &oplist->partitioners.items[i];
        npart__append_format(out, "partitioner %s", choice->name);
        describe_when(oplist, choice->when, out);
        npart__append_text(out, "\n");
    }
}

static void describe_unit(const struct npart__oplist *oplist, struct npart__buffer *out)
{
    if (strcmp(oplist->unit, "NPU") != 0)
        npart__append_format(out, "unit %s beside %s\n", oplist->unit, oplist->beside);
}

/* Which units the nodes that are taken may run on, where another than the runtime decides that. */
static void describe_decided(const struct npart__oplist *oplist, struct npart__buffer *out)
{
    if (!oplist->decided_by)
        return;
    npart__append_format(out, "decided by %s among", oplist->decided_by);
    for (size_t i = 0; i < NPART__LIMIT_UNITS && oplist->units[i]; i++)
        npart__append_format(out, "%s %s", i ? "," : "", oplist->units[i]);
    npart__append_text(out, "\n");
    if (*oplist->decided_source)
        npart__append_format(out, "           source %s\n", oplist->decided_source);
}

/* Which formats are for whom, and what becomes of them. In the order of the list, in which the last line that counts
 * decides. */
static void describe_precisions(const struct description *told)
{
    const struct npart__oplist *oplist = told->oplist;
    struct npart__buffer *out = told->out;
    for (uint32_t i = 0; i < oplist->precisions.count; i++) {
        const struct npart__precision_line *line = &oplist->precisions.items[i];
        bool is_told = counts(told, line->when) && line->variant_count == 0;
        for (uint32_t k = 0; k < line->variant_count; k++)
            is_told |= counts(told, line->when) && is_for(told, oplist->format_variants.items[line->first_variant + k]);
        if (!is_told)
            continue;
        npart__append_text(out, "precision");
        for (uint32_t k = 0; k < line->format_count; k++) {
            npart__append_text(out, " ");
            npart__append_format_name(oplist->formats.items[line->first_format + k], out);
        }
        for (uint32_t k = 0; k < line->variant_count; k++) {
            uint32_t variant = oplist->format_variants.items[line->first_variant + k];
            npart__append_format(out, k ? " %s" : " for %s", oplist->variants.items[variant].name);
        }
        describe_when(oplist, line->when, out);
        npart__append_format(out, ": %s", npart_happening_text((enum npart_happening)line->happens));
        if (line->happens == NPART_HAPPENS_VECTOR) {
            npart__append_text(out, " ");
            npart__append_fixed(out, line->share, 4);
        }
        npart__append_format(out, "%s\n           %s\n", line->is_assumed ? ", assumed" : "", line->sentence);
        if (line->because)
            npart__append_format(out, "           because %s\n", line->because);
        if (*line->source)
            npart__append_format(out, "           source %s\n", line->source);
    }
}

static void describe_sessions(const struct description *told)
{
    const struct npart__oplist *oplist = told->oplist;
    struct npart__buffer *out = told->out;
    for (uint32_t i = 0; i < oplist->providers.count; i++) {
        const struct npart__provider *at = &oplist->providers.items[i];
        if (!counts(told, at->when))
            continue;
        npart__append_format(out, "provider %s", at->name);
        if (at->compiler)
            npart__append_format(out, ", compiled by %s", at->compiler);
        describe_when(oplist, at->when, out);
        npart__append_format(out, ": %s\n", at->package);
        if (at->hint)
            npart__append_format(out, "           because %s\n", at->hint);
        if (*at->source)
            npart__append_format(out, "           source %s\n", at->source);
    }
    for (uint32_t i = 0; i < oplist->options.count; i++) {
        const struct npart__provider_option *at = &oplist->options.items[i];
        if (!counts(told, at->when) || !is_for(told, at->variant))
            continue;
        npart__append_format(out, "%s %s %s", at->is_session ? "session" : "option", at->name, at->value);
        npart__append_text(out, at->is_numbered ? " numbered" : "");
        if (at->variant != NPART_NONE)
            npart__append_format(out, " for %s", oplist->variants.items[at->variant].name);
        describe_when(oplist, at->when, out);
        npart__append_format(out, "%s%s\n", *at->sentence ? ": " : "", at->sentence);
        if (*at->source)
            npart__append_format(out, "           source %s\n", at->source);
    }
}

/* Which target it is of, and by the rules of which release. */
static void describe_choice(const struct npart__target *target, struct npart__buffer *out)
{
    const struct npart__oplist *oplist = target->oplist;
    const char *standing = npart__verified_text(out->arena, oplist, target->toolchain_text);
    out->failed |= !standing;
    npart__append_text(out, oplist->name);
    npart__append_format(out, *target->variant_text ? ":%s" : "%s", target->variant_text);
    describe_switches(oplist, target->switches, out);
    npart__append_format(out, "  %s\n", oplist->title);
    if (standing && *standing)
        npart__append_format(out, "%s\n", standing);
    if (oplist->toolchains.count)
        npart__append_format(out, "toolchain %s", target->toolchain_text);
    if (target->standing != NPART_RELEASE_LISTED)
        npart__append_format(out, ", by the rules of %s", oplist->toolchains.items[target->toolchain]);
    npart__append_text(out, oplist->toolchains.count ? "\n" : "");
}

/* Toolchains newest first, as that one is the default. Rules for every op stand here once and not at each op. */
static void describe_head(const struct description *told)
{
    const struct npart__oplist *oplist = told->oplist;
    struct npart__buffer *out = told->out;
    if (told->target) {
        describe_choice(told->target, out);
    } else {
        npart__append_format(out, "%s  %s\n", oplist->name, oplist->title);
        if (*oplist->standing)
            npart__append_format(out, "%s\n", oplist->standing);
        for (uint32_t i = oplist->toolchains.count; i-- > 0;)
            npart__append_format(out, "toolchain %s\n", oplist->toolchains.items[i]);
    }
    describe_partitioners(told);
    describe_unit(oplist, out);
    describe_decided(oplist, out);
    if (!told->target)
        describe_variants(oplist, out);
    describe_precisions(told);
    describe_sessions(told);
    for (uint32_t stage = 0; stage < oplist->stage_count; stage++) {
        const struct npart__stage *at = &oplist->stages[stage];
        if (told->target && !(told->target->stages >> stage & 1))
            continue;
        if (at->every_count)
            npart__append_text(out, "every op\n");
        for (uint32_t i = at->first_every; i < at->first_every + at->every_count; i++)
            describe_rule(told, i);
    }
    describe_patterns(told);
}

/* Lines that may hold anything, as a person may read them. Line by line, since a line's end is a control
 * character, too. */
static void append_plain_lines(struct npart__buffer *out, const char *text, size_t length)
{
    while (length) {
        const char *end = memchr(text, '\n', length);
        size_t line = end ? (size_t)(end - text) : length, taken = line + (end ? 1 : 0);
        npart__append_plain(out, text, line);
        npart__append(out, "\n", end ? 1 : 0);
        text += taken;
        length -= taken;
    }
}

/* A name without a domain is that op in every domain. Texts of a list may hold control
 * characters, so the whole is made plain at its end. False: no entry is of that op. */
bool npart__describe_oplist(const struct npart__oplist *oplist, const struct npart__target *target, const char *op,
                            struct npart__buffer *out)
{
    bool found = false;
    struct npart__buffer lines = {.arena = out->arena};
    const struct description told = {.oplist = oplist, .target = target, .out = &lines};
    if (!op)
        describe_head(&told);
    for (uint32_t i = 0; i < oplist->ops.count; i++) {
        const struct npart__op_entry *entry = &oplist->ops.items[i];
        const char *colon = op ? strrchr(op, ':') : NULL, *name = colon ? colon + 1 : op;
        bool is_it = op && strcmp(entry->name, name) == 0 &&
                     (!colon || (strlen(entry->domain) == (size_t)(colon - op) &&
                                 memcmp(entry->domain, op, (size_t)(colon - op)) == 0));
        if (op && !is_it)
            continue;
        found = true;
        if (!target || target->stages >> entry->stage & 1)
            describe_op(&told, entry, op != NULL);
    }
    append_plain_lines(out, lines.data, lines.size);
    out->failed |= lines.failed;
    return !op || found;
}
