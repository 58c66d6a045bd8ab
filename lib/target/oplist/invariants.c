/* SPDX-License-Identifier: Apache-2.0
 *
 * What holds for every list that was read without a mistake; the debug build looks when one is.
 */
#include "oplist/oplist.h"

#ifdef NPART_DEBUG

static void check_when(const struct npart__oplist *list, const struct npart__line_condition *when)
{
    NPART__ASSERT(when->stage == NPART_NONE || when->stage < list->line_stages.count, "gate %u", when->stage);
    NPART__ASSERT(when->with == NPART_NONE || when->with < list->switches.count, "switch %u", when->with);
    NPART__ASSERT(when->without == NPART_NONE || when->without < list->switches.count, "switch %u", when->without);
    NPART__ASSERT(when->since == NPART_NONE || when->since < list->toolchains.count, "toolchain %u", when->since);
    NPART__ASSERT(when->before == NPART_NONE || when->before < list->toolchains.count, "toolchain %u", when->before);
}

static void check_rules(const struct npart__oplist *list)
{
    NPART__ASSERT(list->written_rule_count <= list->rules.count, "%u rules are written", list->written_rule_count);
    for (uint32_t i = 0; i < list->rules.count; i++) {
        const struct npart__rule *rule = &list->rules.items[i];
        NPART__ASSERT(rule->id && *rule->id && rule->sentence && rule->source, "rule %u has no text", i);
        NPART__ASSERT(rule->condition == NPART_NONE || rule->condition < list->terms.count, "rule %s", rule->id);
        NPART__ASSERT(rule->stage < list->stage_count, "rule %s is of no stage", rule->id);
        NPART__ASSERT(rule->pattern <= list->patterns.count, "rule %s", rule->id);
        if (rule->is_limited)
            check_when(list, &rule->when);
    }
    for (size_t i = 0; i < NPART__COUNT(list->partitioner_rules); i++)
        NPART__ASSERT(list->partitioner_rules[i] < list->rules.count, "reason %zu", i);
    NPART__ASSERT(list->assumed_cpu_rule < list->rules.count && list->assumed_npu_rule < list->rules.count,
                  "assumptions have no rule");
    NPART__ASSERT(list->integer_rule == NPART_NONE || list->integer_rule < list->rules.count, "integer-only");
    NPART__ASSERT(!list->bodies_stay || list->bodies_rule < list->rules.count, "bodies have no rule");
}

/* Entries are found by a binary search: by stage, domain, name, version. */
static void check_entries(const struct npart__oplist *list)
{
    for (uint32_t i = 0; i < list->ops.count; i++) {
        const struct npart__op_entry *op = &list->ops.items[i];
        NPART__ASSERT(op->stage < list->stage_count && op->first_version <= op->last_version, "op %s", op->name);
        NPART__ASSERT(op->first_rule + op->rule_count <= list->rules.count, "op %s", op->name);
        int order = i == 0 ? -1 : (int)op[-1].stage - (int)op->stage;
        order = order ? order : strcmp(op[-1].domain, op->domain);
        order = order ? order : strcmp(op[-1].name, op->name);
        NPART__ASSERT(order < 0 || (order == 0 && op[-1].last_version < op->first_version), "op %s is not in order",
                      op->name);
    }
    for (uint32_t i = 0; i < list->stage_count; i++) {
        const struct npart__stage *stage = &list->stages[i];
        NPART__ASSERT(stage->first_every + stage->every_count <= list->rules.count, "stage %s", stage->name);
        NPART__ASSERT(stage->missing_rule == NPART_NONE || stage->missing_rule < list->rules.count, "stage %s",
                      stage->name);
    }
    NPART__ASSERT(list->stage_count >= 1 && list->stage_count <= NPART__LIMIT_STAGES, "%u stages", list->stage_count);
}

static void check_patterns(const struct npart__oplist *list)
{
    for (uint32_t i = 0; i < list->patterns.count; i++) {
        const struct npart__pattern *pattern = &list->patterns.items[i];
        NPART__ASSERT(pattern->stage < list->stage_count && pattern->unit_rule < list->rules.count, "pattern %s",
                      pattern->name);
        NPART__ASSERT(pattern->first_rule + pattern->rule_count <= list->rules.count, "pattern %s", pattern->name);
        NPART__ASSERT(pattern->match_count && pattern->match_count <= NPART__LIMIT_PATTERN_MATCHES, "pattern %s",
                      pattern->name);
        for (uint32_t k = 0; k < pattern->match_count; k++)
            NPART__ASSERT(pattern->matches[k] < list->pattern_parts.count, "pattern %s", pattern->name);
        for (uint32_t k = 0; k < pattern->name_count; k++)
            NPART__ASSERT(pattern->names[k].part == NPART_NONE || pattern->names[k].part < list->pattern_parts.count,
                          "pattern %s", pattern->name);
    }
    for (uint32_t i = 0; i < list->pattern_parts.count; i++) {
        const struct npart__pattern_part *part = &list->pattern_parts.items[i];
        NPART__ASSERT(part->argument == NPART_NONE || part->argument < list->pattern_parts.count, "part %u", i);
        NPART__ASSERT(part->next == NPART_NONE || part->next < list->pattern_parts.count, "part %u", i);
    }
    for (uint32_t i = 0; i < list->rewrites.count; i++) {
        const struct npart__rewriting *rewrite = &list->rewrites.items[i];
        NPART__ASSERT(rewrite->form_count && rewrite->first_form + rewrite->form_count <= list->forms.count,
                      "rewrite %s has no form", rewrite->id);
    }
    NPART__ASSERT(list->is_rewrites || list->rewrites.count == 0, "a target that rewrites");
}

static void check_targets(const struct npart__oplist *list)
{
    NPART__ASSERT((list->default_variant == NPART_NONE) == (list->variants.count == 0), "no variant is the default");
    NPART__ASSERT(list->switches.count <= 32, "%u switches have no bits", list->switches.count);
    for (uint32_t i = 0; i < NPART__LIMIT_SWITCHES; i++)
        NPART__ASSERT((uint64_t)list->brought[i] >> list->switches.count == 0, "switch %u", i);
    for (uint32_t i = 0; i < list->variants.count; i++) {
        const struct npart__variant *variant = &list->variants.items[i];
        NPART__ASSERT(variant->like < list->variants.count, "variant %s", variant->name);
        NPART__ASSERT((uint64_t)variant->switches >> list->switches.count == 0, "variant %s", variant->name);
    }
    for (uint32_t i = 0; i < list->parameters.count; i++) {
        const struct npart__parameter *at = &list->parameters.items[i];
        NPART__ASSERT(at->low <= at->typical && at->typical <= at->high, "parameter %u", i);
        NPART__ASSERT(at->variant == NPART_NONE || at->variant < list->variants.count, "parameter %u", i);
        NPART__ASSERT(at->name <= NPART__PARAMETERS && at->invoker <= NPART__INVOKERS, "parameter %u", i);
    }
    for (uint32_t i = 0; i < list->limits.count; i++)
        NPART__ASSERT(list->limits.items[i].variant == NPART_NONE ||
                          list->limits.items[i].variant < list->variants.count,
                      "limit %s", list->limits.items[i].name);
    for (uint32_t i = 0; i < list->options.count; i++) {
        const struct npart__provider_option *at = &list->options.items[i];
        NPART__ASSERT(at->variant == NPART_NONE || at->variant < list->variants.count, "option %s", at->name);
        check_when(list, &at->when);
    }
    for (uint32_t i = 0; i < list->precisions.count; i++) {
        const struct npart__precision_line *at = &list->precisions.items[i];
        NPART__ASSERT(at->first_format + at->format_count <= list->formats.count, "precision %u", i);
        NPART__ASSERT(at->first_variant + at->variant_count <= list->format_variants.count, "precision %u", i);
        NPART__ASSERT(at->happens < NPART__HAPPENINGS, "precision %u", i);
    }
    for (uint32_t i = 0; i < list->policies.count; i++) {
        const struct npart__policy *policy = &list->policies.items[i];
        NPART__ASSERT(policy->first_op + policy->op_count <= list->policy_ops.count, "policy %u", i);
        check_when(list, &policy->when);
    }
}

void npart__check_oplist(const struct npart__oplist *list)
{
    check_rules(list);
    check_entries(list);
    check_patterns(list);
    check_targets(list);
}

#endif
