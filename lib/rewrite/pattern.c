/* SPDX-License-Identifier: Apache-2.0
 *
 * Rewrites that are data (oplists/standard.rewrites): read into rows like those that compute, and tried at a site. The
 * first form that matches, whose rules all hold, and all of whose nodes can be made, counts.
 *
 * Rules ask a session: here it is the version's own graph, in which nothing is folded or fused, with what is constant
 * once constants are folded.
 */
#include "rewrite/put.h"

/* ---- reading ----------------------------------------------------------------------------------------------- */

/* The node that a form is tried at: the last of its match, or that of a let. Of several matches of one form the
 * first tells; they end in one op (lib/oplist). A name among the matches stands for the part that it was given
 * to. */
static const struct npart__pattern_part *anchor_of(const struct npart__oplist *oplist,
                                                   const struct npart__rewrite_form *form)
{
    const struct npart__pattern_part *parts = oplist->pattern_parts.items;
    const struct npart__pattern *pattern = &form->pattern;
    if (form->anchor != NPART__ROOT_NAME)
        return &parts[pattern->names[form->anchor].part];
    const struct npart__pattern_part *part = &parts[pattern->matches[0]];
    return part->kind == NPART__PATTERN_NAME ? &parts[pattern->names[part->name].part] : part;
}

/* Of all forms. As one text, which npart__is_anchor takes apart. A form whose anchor is that of the form before
 * adds nothing. Anchors are tried in any order, so a list that has one twice is no mistake. */
static const char *anchors_of(const struct npart__oplist *oplist, const struct npart__rewriting *rewrite,
                              struct npart__arena *arena)
{
    struct npart__buffer out;
    npart__buffer_init(&out, arena);
    for (uint32_t f = 0; f < rewrite->form_count; f++) {
        const struct npart__rewrite_form *form = &oplist->forms.items[rewrite->first_form + f];
        const struct npart__pattern_part *part = anchor_of(oplist, form);
        const struct npart__pattern_part *before = f ? anchor_of(oplist, form - 1) : NULL;
        if (before && strcmp(before->op, part->op) == 0 && strcmp(before->domain, part->domain) == 0)
            continue;
        npart__append_text(&out, f ? " " : "");
        npart__append_text(&out, part->domain);
        npart__append_text(&out, *part->domain ? ":" : "");
        npart__append_text(&out, part->op);
    }
    return npart__made_text(&out);
}

/* So whoever tries rewrites need not know which of them are data. */
static bool add_row(const struct npart__target *target, const struct npart__rewriting *rewriting,
                    struct npart__arena *arena, struct npart__rewrite *out)
{
    struct npart__pattern_rewrite *pattern = npart__arena_zeroed(arena, 1, sizeof *pattern);
    const char *anchors = anchors_of(target->oplist, rewriting, arena);
    if (!pattern || !anchors)
        return false;
    *pattern = (struct npart__pattern_rewrite){target, rewriting};
    *out = (struct npart__rewrite){.id = rewriting->id,
                                   .anchors = anchors,
                                   .phase = rewriting->phase,
                                   .equality = rewriting->equality,
                                   .enables = rewriting->enables,
                                   .argument = rewriting->argument,
                                   .caveat = rewriting->caveat,
                                   .pattern = pattern};
    return true;
}

/* The same reader as of op lists; the target is the list itself, with its one stage and no choices. */
npart_status npart__rewrites_read(const char *text, size_t bytes, const char *path, struct npart__arena *arena,
                                  struct npart__rewrite_set *out, struct npart_error *error)
{
    struct npart__oplist *oplist = npart__arena_zeroed(arena, 1, sizeof *oplist);
    struct npart__target *target = npart__arena_zeroed(arena, 1, sizeof *target);
    if (!oplist || !target)
        return npart__fail_memory(error);
    npart_status status = npart__oplist_read(text, bytes, path, arena, oplist, NULL, error);
    if (status == NPART_OK && !oplist->is_rewrites)
        status = npart__fail(error, NPART_ERROR_OPLIST, path, "it holds a target, and no rewrites");
    struct npart__rewrite *rows =
        status == NPART_OK ? npart__arena_zeroed(arena, oplist->rewrites.count + (size_t)1, sizeof *rows) : NULL;
    *target = (struct npart__target){.oplist = oplist, .variant = NPART_NONE, .variant_text = "",
                                     .toolchain_text = "", .gates = 1};
    for (uint32_t i = 0; rows && i < oplist->rewrites.count; i++)
        if (!add_row(target, &oplist->rewrites.items[i], arena, &rows[i]))
            rows = NULL;
    if (status == NPART_OK && !rows)
        return npart__fail_memory(error);
    *out = (struct npart__rewrite_set){rows, rows ? oplist->rewrites.count : 0};
    return status;
}

/* Those that compute stand first in their phase. The order is that of the enum of phases, then of sets, then of
 * rows. */
npart_status npart__rewrites_gather(struct npart__arena *arena, struct npart__rewrite_set *out,
                                    struct npart_error *error)
{
    uint32_t sets = 1, lists = 0, count = npart__rewrite_count, filled = 0;
    while (npart__builtin_rewrites[lists].name)
        lists++;
    struct npart__rewrite_set *data = npart__arena_zeroed(arena, lists + (size_t)1, sizeof *data);
    if (!data)
        return npart__fail_memory(error);
    data[0] = (struct npart__rewrite_set){npart__rewrites, npart__rewrite_count};
    for (const struct npart__builtin_oplist *list = npart__builtin_rewrites; list->name; list++) {
        npart_status status = npart__rewrites_read((const char *)list->text, list->bytes, list->name, arena,
                                                   &data[sets], error);
        if (status != NPART_OK)
            return status;
        count += data[sets++].count;
    }
    struct npart__rewrite *rows = npart__arena_zeroed(arena, count + (size_t)1, sizeof *rows);
    if (!rows)
        return npart__fail_memory(error);
    for (unsigned phase = 0; phase < NPART__PHASES; phase++)
        for (uint32_t s = 0; s < sets; s++)
            for (uint32_t i = 0; i < data[s].count; i++)
                if (data[s].rows[i].phase == phase)
                    rows[filled++] = data[s].rows[i];
    *out = (struct npart__rewrite_set){rows, count};
    return NPART_OK;
}

/* To read a list takes longer than to analyze a small model, so its lines "rewrite ID ..." are looked for. An id
 * has to end with a space, so that "conv" is not found in "rewrite conv-bias ...". */
static bool has_line(const struct npart__builtin_oplist *list, const char *id, size_t length)
{
    static const char word[] = "rewrite ";
    const char *text = (const char *)list->text;
    size_t before = sizeof word - 1, start = 0;
    while (start + before + length < list->bytes) {
        const char *end = memchr(text + start, '\n', list->bytes - start);
        if (memcmp(text + start, word, before) == 0 && memcmp(text + start + before, id, length) == 0 &&
            text[start + before + length] == ' ')
            return true;
        start = end ? (size_t)(end - text) + 1 : list->bytes;
    }
    return false;
}

bool npart__rewrite_exists(const char *id, size_t length)
{
    for (uint32_t i = 0; i < npart__rewrite_count; i++)
        if (strlen(npart__rewrites[i].id) == length && memcmp(npart__rewrites[i].id, id, length) == 0)
            return true;
    for (const struct npart__builtin_oplist *list = npart__builtin_rewrites; list->name; list++)
        if (has_line(list, id, length))
            return true;
    return false;
}

/* ---- trying ------------------------------------------------------------------------------------------------ */

/* Nodes after an anchor that may be the last of its match. An anchor whose result has very many users is looked at
 * no further. */
#define MOST_ROOTS 64u

struct trying {
    const struct npart__target *target;
    const struct npart__session *session;
    const struct npart__rewrite_form *form;
    struct npart__site *site;
};

/* A match in which the anchor is what it is to be. A match from that root may have found another node of the
 * anchor's op. */
static bool match_from(const struct trying *trying, uint32_t root, struct npart__match *out)
{
    uint32_t anchor = trying->form->anchor;
    return npart__match_at(trying->target, trying->session, &trying->form->pattern, root, out) &&
           (anchor == NPART__ROOT_NAME || out->makers[anchor] == trying->site->id);
}

/* From the anchor on to the nodes that use what it makes, nearest first, in the list of nodes that it stands in.
 * Breadth first; a node that is met twice is tried twice, within the limit. So an anchor costs MOST_ROOTS
 * matches at most, however large the graph is. */
static bool find_match(const struct trying *trying, struct npart__match *out)
{
    const struct npart__graph *graph = trying->site->graph;
    uint32_t nodes[MOST_ROOTS], count = 1;
    nodes[0] = trying->site->id;
    if (trying->form->anchor == NPART__ROOT_NAME)
        return match_from(trying, trying->site->id, out);
    for (uint32_t i = 0; i < count; i++) {
        const struct npart__node *node = &graph->nodes.items[nodes[i]];
        /* The anchor itself is not the last node here, so it is no root. */
        if (i && match_from(trying, nodes[i], out))
            return true;
        for (uint32_t k = 0; k < node->output_count; k++) {
            uint32_t value = npart__node_output(graph, node, k);
            uint32_t users = npart__user_count(trying->session, value);
            for (uint32_t u = 0; u < users && count < MOST_ROOTS; u++) {
                uint32_t user = npart__user(trying->session, value, u);
                /* A use in a body is one of another list, where no result of this one can be replaced. */
                if (graph->nodes.items[user].scope == node->scope)
                    nodes[count++] = user;
            }
        }
    }
    return false;
}

/* The session has no fates, so all nodes count as live (npart__match_at), and is a view of the site's graph that is
 * made here and gone after the call. */
bool npart__try_pattern(const struct npart__rewrite *rewrite, struct npart__site *site)
{
    const struct npart__pattern_rewrite *pattern = rewrite->pattern;
    const struct npart__oplist *oplist = pattern->target->oplist;
    const struct npart__session session = {.graph = site->graph,
                                           .made_from = site->inference,
                                           .inference = site->inference,
                                           .is_constant = (bool *)(uintptr_t)site->is_constant,
                                           .live_count = site->graph->nodes.count};
    for (uint32_t i = 0; i < pattern->rewriting->form_count; i++) {
        const struct npart__rewrite_form *form = &oplist->forms.items[pattern->rewriting->first_form + i];
        const struct trying trying = {pattern->target, &session, form, site};
        struct npart__match match;
        struct npart__putting putting = {.site = site, .target = pattern->target, .session = &session, .form = form,
                                         .match = &match, .is_trial = true};
        /* A form that matches and cannot be made gives way to the next, which is why it is tried first. */
        if (!find_match(&trying, &match) || !npart__put_form(&putting))
            continue;
        putting.is_trial = false;
        site->equality = form->equality;
        site->caveat = form->caveat;
        return npart__put_form(&putting) && !site->failed;
    }
    return false;
}
