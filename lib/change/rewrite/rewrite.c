/* SPDX-License-Identifier: Apache-2.0
 *
 * Rewrites (oplists/standard.rewrites): read into rows, and tried at a site. Of their forms the first counts that
 * matches, whose rules all hold, and all of whose nodes can be made; of one that names a function, what that makes.
 *
 * Rules ask a session: here it is the version's own graph, in which nothing is folded or fused, with what is constant
 * once constants are folded.
 */
#include "rewrite/functions.h"
#include "rewrite/put.h"

/* ---- reading ----------------------------------------------------------------------------------------------- */

/* The node that a form is tried at: the last of its match, or that of a let. Of several matches of one form the
 * first tells; they end in one op (lib/target/oplist). A name among the matches stands for the part that it was given
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

/* Whether one of the forms before it has the same anchor. */
static bool is_repeated(const struct npart__oplist *oplist, const struct npart__rewriting *rewrite, uint32_t f)
{
    const struct npart__rewrite_form *forms = &oplist->forms.items[rewrite->first_form];
    const struct npart__pattern_part *own = anchor_of(oplist, &forms[f]);
    for (uint32_t i = 0; i < f; i++) {
        const struct npart__pattern_part *other = forms[i].function ? NULL : anchor_of(oplist, &forms[i]);
        if (other && strcmp(other->op, own->op) == 0 && strcmp(other->domain, own->domain) == 0)
            return true;
    }
    return false;
}

/* Of all forms, each once, as one text, which npart__lists_op takes apart. */
static const char *anchors_of(const struct npart__oplist *oplist, const struct npart__rewriting *rewrite,
                              struct npart__arena *arena)
{
    struct npart__buffer out;
    npart__buffer_init(&out, arena);
    for (uint32_t f = 0; f < rewrite->form_count; f++) {
        const struct npart__rewrite_form *form = &oplist->forms.items[rewrite->first_form + f];
        const char *divider = out.size ? " " : "";
        if (form->function) {
            npart__append_format(&out, "%s%s", divider, form->ops);
        } else if (!is_repeated(oplist, rewrite, f)) {
            const struct npart__pattern_part *part = anchor_of(oplist, form);
            npart__append_format(&out, "%s%s%s%s", divider, part->domain, *part->domain ? ":" : "", part->op);
        }
    }
    return npart__made_text(&out);
}

/* The functions that lists may name. */
static const struct {
    const char *name;
    npart__rewrite_function *function;
} functions[] = {
#define FUNCTION(name) {#name, npart__rewrite_##name},
    NPART__REWRITE_FUNCTIONS(FUNCTION)
#undef FUNCTION
};

/* By form: its function, NULL for a pattern. `*named` is the last one that is named. NULL when out of memory. */
static npart__rewrite_function **functions_of(const struct npart__oplist *oplist,
                                              const struct npart__rewriting *rewrite, struct npart__arena *arena,
                                              const char **named)
{
    npart__rewrite_function **found = npart__arena_zeroed(arena, rewrite->form_count + (size_t)1, sizeof *found);
    for (uint32_t f = 0; found && f < rewrite->form_count; f++) {
        const char *name = oplist->forms.items[rewrite->first_form + f].function;
        for (size_t i = 0; name && i < NPART__COUNT(functions); i++)
            if (strcmp(functions[i].name, name) == 0)
                found[f] = functions[i].function;
        *named = name && *name ? name : *named;
    }
    return found;
}

static npart_status add_row(const struct npart__target *target, const struct npart__rewriting *rewriting, bool is_own,
                            struct npart__arena *arena, struct npart__rewrite *out, struct npart_error *error)
{
    const struct npart__oplist *oplist = target->oplist;
    const char *named = NULL;
    struct npart__pattern_rewrite *pattern = npart__arena_zeroed(arena, 1, sizeof *pattern);
    npart__rewrite_function **by_form = functions_of(oplist, rewriting, arena, &named);
    const char *anchors = anchors_of(oplist, rewriting, arena);
    if (!pattern || !by_form || !anchors)
        return npart__fail_memory(error);
    /* A function is written for the ops that the library's own list offers it. */
    if (named && !is_own)
        return npart__fail(error, NPART_ERROR_OPLIST, rewriting->id, "only the built-in list may name functions");
    const char *first = oplist->forms.items[rewriting->first_form].function;
    *pattern = (struct npart__pattern_rewrite){target, rewriting, by_form};
    *out = (struct npart__rewrite){.id = rewriting->id,
                                   .anchors = anchors,
                                   .phase = rewriting->phase,
                                   .equality = rewriting->equality,
                                   .enables = rewriting->enables,
                                   .is_whole = first && !*first,
                                   .argument = rewriting->argument,
                                   .caveat = rewriting->caveat,
                                   .pattern = pattern};
    return NPART_OK;
}

/* The same reader as of op lists; the target is the list itself, with its one stage and no choices. */
static npart_status read_list(const char *text, size_t bytes, const char *path, bool is_own,
                              struct npart__arena *arena, struct npart__rewrite_set *out, struct npart_error *error)
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
    *target = (struct npart__target){.oplist = oplist, .variant = NPART_NONE, .like = NPART_NONE, .variant_text = "",
                                     .toolchain_text = "", .stages = 1};
    if (status == NPART_OK && !rows)
        return npart__fail_memory(error);
    for (uint32_t i = 0; status == NPART_OK && i < oplist->rewrites.count; i++)
        status = add_row(target, &oplist->rewrites.items[i], is_own, arena, &rows[i], error);
    *out = (struct npart__rewrite_set){rows, rows ? oplist->rewrites.count : 0};
    return status;
}

npart_status npart__rewrites_read(const char *text, size_t bytes, const char *path, struct npart__arena *arena,
                                  struct npart__rewrite_set *out, struct npart_error *error)
{
    return read_list(text, bytes, path, false, arena, out, error);
}

/* By phase, then in the order of the lists and their lines. */
npart_status npart__rewrites_gather(struct npart__arena *arena, struct npart__rewrite_set *out,
                                    struct npart_error *error)
{
    uint32_t lists = 0, count = 0, filled = 0;
    while (npart__builtin_rewrites[lists].name)
        lists++;
    struct npart__rewrite_set *sets = npart__arena_zeroed(arena, lists + (size_t)1, sizeof *sets);
    if (!sets)
        return npart__fail_memory(error);
    for (uint32_t s = 0; s < lists; s++) {
        const struct npart__builtin_oplist *list = &npart__builtin_rewrites[s];
        npart_status status =
            read_list((const char *)list->text, list->bytes, list->name, true, arena, &sets[s], error);
        if (status != NPART_OK)
            return status;
        count += sets[s].count;
    }
    struct npart__rewrite *rows = npart__arena_zeroed(arena, count + (size_t)1, sizeof *rows);
    if (!rows)
        return npart__fail_memory(error);
    for (unsigned phase = 0; phase < NPART__PHASES; phase++)
        for (uint32_t s = 0; s < lists; s++)
            for (uint32_t i = 0; i < sets[s].count; i++)
                if (sets[s].rows[i].phase == phase)
                    rows[filled++] = sets[s].rows[i];
    *out = (struct npart__rewrite_set){rows, count};
    return NPART_OK;
}

const struct npart__rewrite *npart__rewrite_of(const struct npart__rewrite_set *set, const char *id)
{
    uint32_t i = 0;
    while (i + 1 < set->count && strcmp(set->rows[i].id, id) != 0)
        i++;
    NPART__ASSERT(strcmp(set->rows[i].id, id) == 0, "rewrite %s", id);
    return &set->rows[i];
}

unsigned npart__rewrite_classes(const struct npart__rewrite *rewrite)
{
    const struct npart__rewriting *rewriting = rewrite->pattern->rewriting;
    unsigned classes = 0;
    for (uint32_t f = 0; f < rewriting->form_count; f++)
        classes |= 1u << rewrite->pattern->target->oplist->forms.items[rewriting->first_form + f].equality;
    return classes;
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
        const struct npart__node *node = npart__node_at(graph, nodes[i]);
        /* The anchor itself is not the last node here, so it is no root. */
        if (i && match_from(trying, nodes[i], out))
            return true;
        for (uint32_t k = 0; k < node->output_count; k++) {
            uint32_t value = npart__node_output(graph, node, k);
            uint32_t users = npart__user_count(trying->session, value);
            for (uint32_t u = 0; u < users && count < MOST_ROOTS; u++) {
                uint32_t user = npart__user(trying->session, value, u);
                /* A use in a body is one of another list, where no result of this one can be replaced. */
                if (npart__node_at(graph, user)->scope == node->scope)
                    nodes[count++] = user;
            }
        }
    }
    return false;
}

/* By the form's `class` lines; the first whose condition holds. */
static void choose_class(const struct trying *trying, const struct npart__match *match)
{
    struct npart__trial trial;
    npart__trial_init(&trial, trying->target, trying->session, match->root);
    trial.names = match->values;
    for (uint32_t i = 0; i < trying->form->class_count; i++)
        if (npart__try(&trial, trying->form->classes[i].condition) == NPART__TRUE) {
            trying->site->equality = trying->form->classes[i].equality;
            trying->site->caveat = trying->form->classes[i].caveat;
            return;
        }
}

/* The session has no fates, so all nodes count as live (npart__match_at), and is a view of the site's graph that is
 * made here and gone after the call. */
static bool try_forms(const struct npart__rewrite *rewrite, struct npart__site *site)
{
    const struct npart__pattern_rewrite *pattern = rewrite->pattern;
    const struct npart__oplist *oplist = pattern->target->oplist;
    const struct npart__session session = {.graph = site->graph,
                                           .file = site->graph,
                                           .made_from = site->inference,
                                           .inference = site->inference,
                                           .is_constant = (bool *)(uintptr_t)site->is_constant,
                                           .live_count = site->graph->nodes.count};
    for (uint32_t i = 0; i < pattern->rewriting->form_count; i++) {
        const struct npart__rewrite_form *form = &oplist->forms.items[pattern->rewriting->first_form + i];
        site->equality = form->equality;
        site->caveat = form->caveat;
        if (form->function) {
            /* What a function that says no has made is the caller's to forget, so no other form is tried after it. */
            if (npart__lists_op(site->graph, form->ops, site->id))
                return pattern->functions[i] && pattern->functions[i](site);
            continue;
        }
        const struct trying trying = {pattern->target, &session, form, site};
        struct npart__match match;
        struct npart__putting putting = {.site = site, .target = pattern->target, .session = &session, .form = form,
                                         .match = &match, .is_trial = true};
        /* A form that matches and cannot be made gives way to the next, which is why it is tried first. */
        if (!find_match(&trying, &match) || !npart__put_form(&putting))
            continue;
        putting.is_trial = false;
        choose_class(&trying, &match);
        return npart__put_form(&putting) && !site->failed;
    }
    return false;
}

/* What the graph was asked may have been unknown for want of memory: then neither yes nor no is an answer. */
bool npart__rewrite_try(const struct npart__rewrite *rewrite, struct npart__site *site)
{
    site->rewrite = rewrite->id;
    site->equality = rewrite->equality;
    site->caveat = NULL;
    bool is_done = try_forms(rewrite, site);
    /* Such a failure ends the search, so it may not pass for a form that the opset lacks, which is passed over. */
    if (npart__take_failure(site->inference)) {
        site->failed = true;
        site->is_impossible = false;
    }
    return is_done && !site->failed;
}
