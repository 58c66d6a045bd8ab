/* SPDX-License-Identifier: Apache-2.0
 *
 * How far a list was verified, in words: the one place for --list-targets, --describe, the report's last line and
 * docs/targets.md.
 */
#include "oplist/oplist.h"

/* "airockchip/rknn-toolkit2#123", a forum or what a user has published: what a user has seen. */
static bool is_thread(const char *source)
{
    for (const char *at = strchr(source, '#'); at; at = strchr(at + 1, '#'))
        if (at > source && at[1] >= '0' && at[1] <= '9')
            return true;
    return strstr(source, "forum") || strstr(source, "community.") || strstr(source, "published ");
}

const char *npart__rule_standing(const struct npart__oplist *oplist, const struct npart__rule *rule)
{
    static const char *const words[] = {[NPART__VERIFIED_AS_TOLD] = "documents",
                                        [NPART__VERIFIED_BY_COMPILER] = "compiler",
                                        [NPART__VERIFIED_BY_SOURCE] = "source",
                                        [NPART__VERIFIED_BY_DOCUMENTS] = "documents"};
    bool is_reported = oplist->verified.kind != NPART__VERIFIED_BY_COMPILER && rule->source && is_thread(rule->source);
    return is_reported ? "reported" : words[oplist->verified.kind];
}

static const char *newest_toolchain(const struct npart__oplist *oplist)
{
    return oplist->toolchains.count ? oplist->toolchains.items[oplist->toolchains.count - 1] : "";
}

/* Rounded down: 100 % means all. */
static void append_agreement(struct npart__buffer *out, const struct npart__verified *at)
{
    uint64_t share = (uint64_t)((double)at->agreed / (double)at->asked * 1000);
    if (at->agreed == at->asked)
        npart__append_text(out, "100 % agree");
    else
        npart__append_format(out, "%u.%u %% agree", (unsigned)(share / 10), (unsigned)(share % 10));
}

/* How many of a list's rules rest on what users have seen: of a list that no compiler was asked about. */
const char *npart__standing_text(struct npart__arena *arena, const struct npart__oplist *oplist)
{
    struct npart__buffer text = {.arena = arena};
    uint32_t reported = 0;
    for (uint32_t i = 0; i < oplist->rules.count; i++)
        reported += strcmp(npart__rule_standing(oplist, &oplist->rules.items[i]), "reported") == 0;
    const char *verified = npart__verified_text(arena, oplist, newest_toolchain(oplist));
    if (!verified || !*verified || !reported)
        return verified;
    npart__append_format(&text, "%s; %u of %u rules from users' reports", verified, reported, oplist->rules.count);
    const char *made = npart__buffer_text(&text);
    return text.failed ? NULL : made;
}

const char *npart__verified_text(struct npart__arena *arena, const struct npart__oplist *oplist, const char *toolchain)
{
    struct npart__buffer text = {.arena = arena}, *out = &text;
    const struct npart__verified *at = &oplist->verified;
    const char *separator = at->kind == NPART__VERIFIED_AS_TOLD ? "" : "; ";
    if (at->kind == NPART__VERIFIED_BY_COMPILER) {
        npart__append_format(out, "by the compiler: %s, %llu probes, ", at->by, (unsigned long long)at->probes);
        append_agreement(out, at);
        if (*toolchain && !npart__same_text(toolchain, at->by))
            npart__append_format(out, "; not asked at %s", toolchain);
    } else if (at->kind == NPART__VERIFIED_BY_SOURCE)
        npart__append_format(out, "by source: %s", at->by);
    else if (at->kind == NPART__VERIFIED_BY_DOCUMENTS)
        npart__append_text(out, "from documents");
    if (*at->note)
        npart__append_format(out, "%s%s", separator, at->note);
    const char *made = npart__buffer_text(out);
    return out->failed ? NULL : made;
}
