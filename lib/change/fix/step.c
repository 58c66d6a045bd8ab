/* SPDX-License-Identifier: Apache-2.0
 *
 * One step: a rewrite offered to nodes, what it made packed and analysed, and what is to be told of it.
 */
#include <string.h>

#include "fix/state.h"

/* Sentences of one step, NULL at the end included. */
#define LIMIT_CAVEATS 8u

/* ---- what is told ------------------------------------------------------------------------------------------------ */

/* Its own name, or that of its first result. Exporters often leave names of nodes out. */
static const char *node_name(const struct npart__graph *graph, uint32_t id)
{
    const struct npart__node *node = npart__node_at(graph, id);
    uint32_t result = npart__node_output(graph, node, 0);
    if (node->name && *node->name)
        return node->name;
    return result == NPART_NONE ? "" : npart__value_name(graph, result);
}

/* "IsNaN checked": a node that keeps its name and becomes another operator is removed, and added. Keys of very
 * long names are cut, so two of them may count as one; that is told wrongly and changes nothing. The digit tells
 * the main graph's nodes from those of bodies, which may have the same names: "0 IsNaN checked". */
static uint32_t node_key(const struct npart__graph *graph, uint32_t id, struct npart__strings *keys, bool adds)
{
    const struct npart__node *node = npart__node_at(graph, id);
    char text[512] = {node->scope ? '1' : '0', ' '};
    const char *parts[] = {npart__node_op(graph, node), " ", node_name(graph, id)};
    size_t bytes = 2;
    for (size_t i = 0; i < NPART__COUNT(parts); i++) {
        size_t room = sizeof text - bytes, length = strlen(parts[i]);
        length = length < room ? length : room;
        memcpy(text + bytes, parts[i], length);
        bytes += length;
    }
    return adds ? npart__intern(keys, text, bytes, true) : npart__strings_find(keys, text, bytes);
}

/* One node's name, at the end of a list that has a place more than the graph has nodes; nodes of functions are no
 * one's. */
static bool list_changed(const struct npart__graph *graph, uint32_t id, struct npart__arena *arena, const char **names,
                         uint32_t *count)
{
    const char *name = node_name(graph, id);
    return graph->scopes.items[graph->nodes.items[id].scope].kind == NPART_GRAPH_CALL ||
           (names[(*count)++] = npart__arena_copy_text(arena, name, strlen(name))) != NULL;
}

/* Names of nodes that only one of the graphs has, with a NULL at the end: nothing where sizes are all that is new.
 * Linear by hashing. False when out of memory. */
static bool list_changes(const struct npart__graph *from, const struct npart__graph *to, struct npart__arena *arena,
                         struct npart__changes *out)
{
    struct npart__strings keys;
    struct npart__arena scratch;
    npart__arena_init(&scratch, &arena->allocator);
    uint32_t count = from == to ? 0 : to->nodes.count, before = from == to ? 0 : from->nodes.count;
    const char **removed = npart__arena_zeroed(arena, before + (size_t)1, sizeof *removed);
    const char **added = npart__arena_zeroed(arena, count + (size_t)1, sizeof *added);
    uint32_t *key_of = npart__arena_zeroed(&scratch, count + (size_t)1, sizeof *key_of);
    bool *is_old = npart__arena_zeroed(&scratch, count + (size_t)2, sizeof *is_old); /* by key, of which 0 is none */
    bool is_done = removed && added && key_of && is_old && npart__strings_init(&keys, &scratch);
    for (uint32_t i = 0; is_done && i < count; i++)
        is_done = (key_of[i] = node_key(to, i, &keys, true)) != NPART_NONE;
    for (uint32_t i = 0; is_done && i < before; i++) {
        uint32_t key = node_key(from, i, &keys, false);
        if (key == NPART_NONE)
            is_done = list_changed(from, i, arena, removed, &out->removed_count);
        else
            is_old[key] = true;
    }
    for (uint32_t i = 0; is_done && i < count; i++)
        is_done = is_old[key_of[i]] || list_changed(to, i, arena, added, &out->added_count);
    npart__arena_clear(&scratch);
    out->removed = removed;
    out->added = added;
    return is_done;
}

/* As it is known of the editions, or found out. */
static bool find_changes(const struct npart__state *from, const struct npart__state *to, struct npart__arena *arena,
                         struct npart__changes *out)
{
    const struct npart__changes *known = npart__edition_changes(from->edition, to->edition);
    if (!known) {
        *out = (struct npart__changes){.made = to->edition};
        return list_changes(from->graph, to->graph, arena, out) && npart__edition_note_changes(from->edition, out);
    }
    *out = *known;
    out->removed = npart__copy_texts(known->removed, arena);
    out->added = npart__copy_texts(known->added, arena);
    return out->removed && out->added;
}

/* Summaries are copied: the state may be left before the step is told. */
npart_status npart__tell_changes(struct npart__search *search, const struct npart__state *from,
                                 struct npart__attempt *attempt)
{
    struct npart__fix_step *step = &attempt->step;
    uint32_t count = from->standing.target_count;
    struct npart__changes changes;
    bool is_found = find_changes(from, attempt->made, search->arena, &changes);
    step->removed = changes.removed;
    step->added = changes.added;
    step->removed_count = changes.removed_count;
    step->added_count = changes.added_count;
    struct npart_summary *summaries = npart__arena_zeroed(search->arena, count, sizeof *summaries);
    double *ms = npart__arena_zeroed(search->arena, count, sizeof *ms);
    if (!is_found || !summaries || !ms)
        return npart__fail_memory(search->error);
    for (uint32_t i = 0; i < count; i++) {
        summaries[i] = attempt->made->standing.outcomes[i].summary;
        /* The public struct says its own size, so that it may grow. */
        summaries[i].size = sizeof *summaries;
        ms[i] = attempt->made->standing.outcomes[i].ms;
    }
    step->after_summaries = summaries;
    step->after_ms = ms;
    return NPART_OK;
}

/* Each once, in the order of sites. Sentences beyond LIMIT_CAVEATS are left out; the list ends with NULL. */
static bool add_caveat(const char **caveats, const char *caveat, struct npart__arena *arena)
{
    uint32_t i = 0;
    if (!caveat || !*caveat)
        return true;
    for (; i < LIMIT_CAVEATS - 1 && caveats[i]; i++)
        if (strcmp(caveats[i], caveat) == 0)
            return true;
    return i == LIMIT_CAVEATS - 1 || (caveats[i] = npart__arena_copy_text(arena, caveat, strlen(caveat))) != NULL;
}

/* ---- a new state ------------------------------------------------------------------------------------------------- */

/* An edited model that cannot be read again is a mistake of the rewrite; that it would not be kept is all that is made
 * of it. Only want of memory ends the search. */
npart_status npart__take_made(struct npart__search *search, struct npart__edition *edition,
                              struct npart__attempt *attempt, const char *what)
{
    struct npart__state *made = npart__state_new(search);
    if (!made) {
        npart__edition_leave(edition);
        return npart__fail_memory(search->error);
    }
    npart_status status = npart__state_take(search, made, edition, what);
    attempt->made = made;
    if (status == NPART_OK)
        return NPART_OK;
    npart__state_free(made);
    attempt->made = NULL;
    return status == NPART_ERROR_MEMORY ? status : NPART_OK;
}

/* `of`: the edition whose own editor it is, which is used up; NULL: it is somebody else's. */
static npart_status pack_and_analyse(struct npart__search *search, struct npart__edition *of,
                                     struct npart__editor *editor, struct npart__attempt *attempt, const char *what)
{
    const struct npart_allocator *allocator = &search->arena->allocator;
    struct npart__edition *edition = npart__edition_new(search->request->editions, allocator);
    if (!edition)
        return npart__fail_memory(search->error);
    npart_status status = npart__editor_pack(editor, &edition->arena, &edition->version, search->error);
    struct npart__made_objects made;
    if (status == NPART_OK && of) {
        made = (struct npart__made_objects){npart__editor_give_objects(editor), &of->editing, of->known->model->life,
                                            &of->graph->strings};
        edition->version.made = &made;
    }
    if (status == NPART_OK)
        status = npart__edition_settle(&edition, search->request->model_name, allocator, search->error);
    else
        edition->of = NULL;
    if (status == NPART_OK)
        return npart__take_made(search, edition, attempt, what);
    npart__edition_leave(edition);
    return status == NPART_ERROR_MEMORY ? status : NPART_OK;
}

/* ---- what came of it before -------------------------------------------------------------------------------------- */

bool npart__attempt_copy(const struct npart__attempt *from, struct npart__arena *arena, struct npart__attempt *out)
{
    uint32_t count = from->step.site_count;
    uint32_t *nodes = npart__arena_zeroed(arena, count + (size_t)1, sizeof *nodes);
    const char *const **results = npart__arena_zeroed(arena, count + (size_t)1, sizeof *results);
    *out = (struct npart__attempt){.rewrite = from->rewrite, .step = from->step, .nodes = nodes, .results = results};
    out->step.caveats = npart__copy_texts(from->step.caveats, arena);
    out->sites = npart__copy_texts(from->sites, arena);
    if (!nodes || !results || !out->step.caveats || !out->sites)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        nodes[i] = from->nodes[i];
        if (!(results[i] = npart__copy_texts(from->results[i], arena)))
            return false;
    }
    return true;
}

/* As it came out before: at this version, for another target or another search. */
static npart_status take_known(struct npart__search *search, const struct npart__offers *known,
                               struct npart__attempt *attempt)
{
    struct npart__attempt copy;
    if (!npart__attempt_copy(known->attempt, search->arena, &copy))
        return npart__fail_memory(search->error);
    copy.picks = attempt->picks;
    *attempt = copy;
    npart__edition_hold(known->made);
    return npart__take_made(search, known->made, attempt, attempt->rewrite->id);
}

/* ---- rewrites ---------------------------------------------------------------------------------------------------- */

/* One rewrite's way over the nodes of a state; the arrays are as long as the nodes, and end with NULL. */
struct offering {
    struct npart__search *search;
    struct npart__edition *edition;
    struct npart__answer *answers; /* by node that is offered */
    struct npart__attempt *attempt;
    struct npart__editor *editor; /* NULL: all is known so far */
    const char **caveats, **sites;
    const char *const **results;
};

static const char quantized_caveat[] =
    "The last digits differ before a QuantizeLinear: results may differ by a quantization step there.";

/* The class of a step is stated here for all rewrites: one that rounds elsewhere is within a quantization step where
 * its result is quantized further on. */
static bool is_before_quantizer(const struct offering *offering, const struct npart__site *site)
{
    bool is_found = false;
    for (uint32_t i = 0; i < site->node->output_count && !is_found; i++) {
        uint32_t result = npart__result(site, i);
        is_found = result != NPART_NONE && offering->edition->is_quantized[result];
    }
    return is_found;
}

/* Of a site that was kept: where, and what was made of it. The step is as equal as its weakest site. Texts are
 * copied into the result's arena: the editor's memory goes when all sites were tried. */
static npart_status note_site(struct offering *offering, const struct npart__site *site, const char *caveat,
                              bool is_raised)
{
    struct npart__attempt *attempt = offering->attempt;
    struct npart__arena *arena = offering->search->arena;
    uint32_t at = attempt->step.site_count++;
    const char *name = npart__site_name(site, npart__result(site, 0));
    /* Classes stand in the order from equal bit for bit to approximate. */
    if (site->equality > attempt->step.equality)
        attempt->step.equality = site->equality;
    offering->sites[at] = npart__arena_copy_text(arena, name, strlen(name));
    offering->results[at] = npart__kept_results(site, arena);
    attempt->nodes[at] = site->id;
    bool is_told = offering->sites[at] && offering->results[at] && add_caveat(offering->caveats, caveat, arena) &&
                   (!is_raised || add_caveat(offering->caveats, quantized_caveat, arena));
    return is_told ? NPART_OK : npart__fail_memory(offering->search->error);
}

/* `without` goes before `only`. Of `only` a and b and `without` b that leaves a. */
bool npart__is_wanted(const struct npart__fix_request *request, const char *id)
{
    bool is_named = !request->only;
    for (const char *const *at = request->only; at && *at; at++)
        is_named |= strcmp(*at, id) == 0;
    for (const char *const *at = request->without; at && *at; at++)
        is_named &= strcmp(*at, id) != 0;
    return is_named;
}

/* Whether the class is allowed is asked after the rewrite has run, as it may be another at this site. A site that is
 * impossible (a form that the opset lacks) is passed over; one that failed otherwise ran out of memory. */
static npart_status offer(struct offering *offering, struct npart__answer *answer)
{
    struct npart__search *search = offering->search;
    const struct npart__rewrite *rewrite = offering->attempt->rewrite;
    struct npart__site site;
    if (!npart__site_begin(offering->editor, answer->node, rewrite->id, rewrite->equality, &site))
        return NPART_OK;
    bool is_made = npart__rewrite_try(rewrite, &site);
    bool is_conditional = site.equality == NPART_EQUAL_BITS_IF && site.is_rounded;
    bool is_raised = is_made && (site.equality == NPART_EQUAL_ULP || is_conditional) &&
                     is_before_quantizer(offering, &site);
    if (is_raised)
        site.equality = NPART_EQUAL_STEP;
    /* One bit for each class that the user must allow: the condition, too, where it is rounded besides. */
    uint32_t needed = 1u << site.equality | (is_conditional ? 1u << NPART_EQUAL_BITS_IF : 0u);
    bool is_allowed = (search->request->allowed & needed) == needed;
    answer->needed = is_made ? (uint8_t)needed : 0;
    answer->is_kept = is_made && is_allowed && npart__site_keep(&site);
    if (answer->is_kept)
        return note_site(offering, &site, site.caveat ? site.caveat : rewrite->caveat, is_raised);
    /* What the rewrite has built for it is forgotten, and the node stays as it is. */
    npart__site_drop(&site);
    return site.failed && !site.is_impossible ? npart__fail_memory(search->error) : NPART_OK;
}

/* By operator first, which is cheap; then by the caller's picks, or whether any target leaves the node. */
static bool is_offered(const struct npart__state *state, const struct npart__attempt *attempt, uint32_t node)
{
    if (!state->edition->is_anchor[state->edition->kind_of[node]])
        return false;
    return attempt->picks ? attempt->picks[node] : npart__is_left(state, node);
}

/* Those that are, asked before anything is unpacked: most rewrites suit no node of a model. NULL when out of memory. */
static struct npart__answer *list_offered(const struct npart__state *state, const struct npart__attempt *attempt,
                                          struct npart__arena *scratch, uint32_t *count)
{
    uint32_t all = state->graph->nodes.count;
    struct npart__answer *offered = npart__arena_allocate(scratch, (all + (size_t)1) * sizeof *offered);
    *count = 0;
    for (uint32_t i = 0; offered && i < all; i++)
        if (is_offered(state, attempt, i))
            offered[(*count)++] = (struct npart__answer){.node = i};
    return offered;
}

/* Opens an editor, and makes again what was kept of the first nodes. */
static npart_status begin_editing(struct offering *offering, uint32_t first_count, uint32_t count)
{
    struct npart__search *search = offering->search;
    struct npart__attempt *attempt = offering->attempt;
    struct npart__edition *edition = offering->edition;
    offering->caveats = npart__arena_zeroed(search->arena, LIMIT_CAVEATS, sizeof *offering->caveats);
    offering->sites = npart__arena_zeroed(search->arena, count + (size_t)1, sizeof *offering->sites);
    offering->results = npart__arena_zeroed(search->arena, count + (size_t)1, sizeof *offering->results);
    attempt->nodes = npart__arena_zeroed(search->arena, count + (size_t)1, sizeof *attempt->nodes);
    if (!edition->is_quantized)
        edition->is_quantized = npart__find_quantized(edition->graph, &edition->arena);
    if (!offering->caveats || !offering->sites || !offering->results || !attempt->nodes || !edition->is_quantized)
        return npart__fail_memory(search->error);
    attempt->step.caveats = offering->caveats;
    attempt->sites = offering->sites;
    attempt->results = offering->results;
    npart_status status = npart__edition_edit(edition, search->error);
    offering->editor = edition->editor;
    for (uint32_t i = 0; i < first_count && status == NPART_OK; i++)
        if (offering->answers[i].is_kept)
            status = offer(offering, &offering->answers[i]);
    return status;
}

/* In the file's order, so that names are the same each time. What is known is made only where something else is to be
 * tried after it. */
static npart_status answer_all(struct offering *offering, uint32_t count, bool *is_new)
{
    struct npart__search *search = offering->search;
    struct npart__edition *edition = offering->edition;
    npart_status status = NPART_OK;
    npart__edition_begin_offers(edition, offering->attempt->rewrite);
    for (uint32_t i = 0; i < count && status == NPART_OK; i++) {
        struct npart__answer *at = &offering->answers[i];
        bool is_known = npart__edition_find_answer(edition, at->node, search->request->allowed, at);
        if (npart__is_late_at(search->arena, i))
            return npart__fail_memory(search->error);
        if (!is_known && !offering->editor)
            status = begin_editing(offering, i, count);
        if (status == NPART_OK && offering->editor && (!is_known || at->is_kept))
            status = offer(offering, at);
        npart__edition_take_answer(edition, at);
        *is_new |= !is_known;
    }
    return status;
}

/* All sites of one rewrite are one step, so a model of a hundred equal blocks takes no more plans than one of few.
 * What could not be read again is not noted: it is a mistake, and told by nobody. */
static npart_status offer_all(struct offering *offering, uint32_t count)
{
    struct npart__search *search = offering->search;
    struct npart__attempt *attempt = offering->attempt;
    struct npart__edition *edition = offering->edition;
    struct npart__offers offers = {.rewrite = attempt->rewrite, .allowed = search->request->allowed,
                                   .answers = offering->answers, .answer_count = count};
    bool is_new = false;
    npart_status status = answer_all(offering, count, &is_new);
    for (uint32_t i = 0; i < count; i++) {
        offers.kept_count += offering->answers[i].is_kept;
        search->fix->barred |= offering->answers[i].needed & ~search->request->allowed;
    }
    const struct npart__offers *known = status == NPART_OK ? npart__edition_same_offers(edition) : NULL;
    if (status == NPART_OK && !known && offers.kept_count && !offering->editor)
        status = begin_editing(offering, count, count);
    if (status == NPART_OK && known && known->made)
        status = take_known(search, known, attempt);
    else if (status == NPART_OK && offers.kept_count)
        status = pack_and_analyse(search, edition, offering->editor, attempt, attempt->rewrite->id);
    /* One in which nothing was kept serves the next rewrite. */
    if (status != NPART_OK || (offering->editor && offers.kept_count))
        npart__edition_close_editor(edition);
    offers.made = attempt->made ? attempt->made->edition : NULL;
    is_new |= offers.kept_count && !known;
    if (status != NPART_OK || !is_new || (offers.kept_count && !offers.made) ||
        npart__edition_note_offers(edition, &offers, attempt))
        return status;
    npart__state_free(attempt->made);
    attempt->made = NULL;
    return npart__fail_memory(search->error);
}

npart_status npart__attempt_rewrite(struct npart__search *search, struct npart__state *state,
                                    struct npart__attempt *attempt)
{
    struct npart__arena scratch;
    uint32_t count = 0;
    bool is_any;
    attempt->made = NULL;
    attempt->step = (struct npart__fix_step){.rewrite = attempt->rewrite->id, .argument = attempt->rewrite->argument};
    if (!npart__edition_find_anchors(state->edition, attempt->rewrite->anchors, &is_any))
        return npart__fail_memory(search->error);
    if (!is_any)
        return NPART_OK;
    npart__arena_init(&scratch, &search->arena->allocator);
    struct offering offering = {.search = search, .edition = state->edition, .attempt = attempt};
    offering.answers = list_offered(state, attempt, &scratch, &count);
    npart_status status = offering.answers ? NPART_OK : npart__fail_memory(search->error);
    if (count)
        status = offer_all(&offering, count);
    npart__arena_clear(&scratch);
    return status;
}

/* ---- declarations ------------------------------------------------------------------------------------------------ */

static const char *const no_names[] = {NULL};

/* A step of no rewrite: it has one site, the whole graph, and no nodes to be named. Equality stays at its 0: equal
 * bit for bit. */
void npart__describe_step(const struct npart__search *search, struct npart__attempt *attempt, const char *id,
                          const char *const *caveats)
{
    const struct npart__rewrite *row = npart__rewrite_of(search->request->rewrites, id);
    attempt->made = NULL;
    attempt->step =
        (struct npart__fix_step){.rewrite = id, .argument = row->argument, .caveats = caveats, .site_count = 1};
    attempt->sites = no_names;
}

/* Whether a declaration of all that is known of a value would tell a runtime more than it finds by itself. */
static bool says_more(const struct npart__fact *known, const struct npart__fact *seen)
{
    bool is_more = known->kind != seen->kind || known->element_type != seen->element_type ||
                   known->has_rank != seen->has_rank || (known->has_rank && known->rank != seen->rank);
    for (uint32_t i = 0; !is_more && known->has_rank && i < known->rank; i++)
        is_more = known->dims[i] != seen->dims[i] && known->dims[i] >= 0;
    return is_more;
}

/* Whether more is known of some value than a runtime sees. A wide inference may know more, but for what is all known as
 * it is. */
static bool knows_more(const struct npart__state *state, const struct npart__inference *seen)
{
    const struct npart__inference *wide = state->edition->wide, *known = wide ? wide : state->inference;
    bool is_sure = wide || !known->leaves_elements;
    for (uint32_t i = 0; i < state->graph->values.count && i < seen->fact_count; i++) {
        const struct npart__fact *fact = npart__fact_of(seen, i);
        if (says_more(npart__fact_of(known, i), fact) || (!is_sure && !npart__is_static(fact)))
            return true;
    }
    return false;
}

/* Whether nothing uses what a node makes: such nodes go whenever a version is packed. */
static bool is_unused(const struct npart__graph *graph, uint32_t id)
{
    const struct npart__node *node = npart__node_at(graph, id);
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t result = npart__node_output(graph, node, i);
        if (result != NPART_NONE &&
            (npart__value_at(graph, result)->consumer_count || npart__value_at(graph, result)->is_graph_output))
            return false;
    }
    return true;
}

static bool has_unused(const struct npart__graph *graph)
{
    for (uint32_t i = 0; i < graph->nodes.count; i++)
        if (is_unused(graph, i))
            return true;
    return false;
}

bool npart__can_annotate(const struct npart__state *state)
{
    if (state->standing.is_invalid || has_unused(state->graph))
        return true;
    for (uint32_t target = 0; target < state->standing.target_count; target++) {
        const struct npart__plan *plan = &state->plans[target];
        if (plan->inference->has_false_shapes || knows_more(state, plan->inference))
            return true;
        /* What a provider lacks counts where sessions fail. */
        if (plan->seen && state->standing.outcomes[target].failed && knows_more(state, plan->seen))
            return true;
    }
    return false;
}

/* Whether a version is packed as it is: nothing goes that no node uses, and nodes stand in their order. */
static bool stays_as_it_is(const struct npart__graph *graph)
{
    for (uint32_t i = 0; i < graph->findings.count; i++)
        if (strcmp(graph->findings.items[i].code, "unsorted") == 0)
            return false;
    for (uint32_t i = 0; i < graph->values.count; i++) {
        const struct npart__value *value = npart__value_at(graph, i);
        if (value->kind == NPART__VALUE_INITIALIZER && !value->consumer_count && !value->is_graph_output)
            return false;
    }
    return !graph->has_functions && !has_unused(graph);
}

/* Whether the file says something of a value that the runtime would know better, if sizes stood there. False when out
 * of memory. */
static bool tells_more(struct npart__inference *known, const struct npart__inference *seen, bool *out)
{
    bool is_refused = false;
    *out = known->contradicted.count || known->misfits || seen->has_false_shapes || npart__is_invalid(known);
    if (!*out && !npart__may_be_refused(known, &is_refused))
        return false;
    *out |= is_refused;
    for (uint32_t i = 0; i < known->graph->values.count && !*out; i++) {
        const struct npart__declared_type *type = npart__value_at(known->graph, i)->declared;
        /* The element of a sequence keeps the symbols that it is declared with. */
        *out = type &&
               (type->kind != NPART__TYPE_TENSOR || says_more(npart__fact_of(known, i), npart__fact_of(seen, i)));
    }
    return true;
}

/* By the inference with larger constants, which knows more shapes. */
npart_status npart__attempt_annotate(struct npart__search *search, struct npart__state *state,
                                     struct npart__attempt *attempt)
{
    bool changed = false;
    npart__describe_step(search, attempt, NPART__ID_ANNOTATE, no_names);
    struct npart__edition *edition = state->edition;
    npart_status status = npart__edition_edit(edition, search->error);
    if (status == NPART_OK && !npart__editor_declare(edition->editor, edition->wide, NPART__DECLARE_STATIC, &changed))
        status = npart__fail_memory(search->error);
    if (status == NPART_OK && changed)
        status = pack_and_analyse(search, edition, edition->editor, attempt, NPART__ID_ANNOTATE);
    if (status != NPART_OK || changed)
        npart__edition_close_editor(edition);
    return status;
}

/* The newest that all of them load, of targets whose runtime refuses the model for this number alone; 0: there is
 * none. */
static int64_t loaded_ir_version(const struct npart__state *state)
{
    int64_t least = 0;
    for (uint32_t i = 0; i < state->standing.target_count; i++) {
        struct npart__loads runtime;
        if (npart__target_loads(&state->plans[i].target, &runtime) &&
            npart__is_ir_version_alone(&runtime, state->inference) && (!least || runtime.ir_version < least))
            least = runtime.ir_version;
    }
    return least;
}

/* Another opset, with nodes said by it, or where that is 0 another IR version. */
static npart_status attempt_header(struct npart__search *search, struct npart__state *state, const char *id,
                                   int64_t opset, int64_t ir_version, struct npart__attempt *attempt)
{
    struct npart__arena scratch;
    struct npart__editor *editor;
    bool are_all = true, failed = false;
    npart__describe_step(search, attempt, id, no_names);
    npart__arena_init(&scratch, &search->arena->allocator);
    npart_status status = npart__edition_open(state->edition, state->inference, &scratch, &editor, search->error);
    if (status == NPART_OK && opset)
        are_all = npart__convert_nodes(state->graph, editor, opset,
                                       npart__rewrite_of(search->request->rewrites, NPART__ID_OPSET)->equality, false,
                                       &failed);
    if (failed)
        status = npart__fail_memory(search->error);
    if (status == NPART_OK && are_all) {
        if (opset)
            npart__editor_set_opset(editor, opset);
        else
            npart__editor_set_ir_version(editor, ir_version);
        status = pack_and_analyse(search, NULL, editor, attempt, id);
    }
    npart__arena_clear(&scratch);
    return status;
}

npart_status npart__attempt_ir_version(struct npart__search *search, struct npart__state *state,
                                       struct npart__attempt *attempt)
{
    int64_t ir_version = loaded_ir_version(state);
    attempt->made = NULL;
    return ir_version ? attempt_header(search, state, NPART__ID_IR_VERSION, 0, ir_version, attempt) : NPART_OK;
}

npart_status npart__attempt_opset(struct npart__search *search, struct npart__state *state, int64_t opset,
                                  struct npart__attempt *attempt)
{
    return attempt_header(search, state, NPART__ID_OPSET, opset, 0, attempt);
}

/* What cannot be done is the user's to know, as the file is of no use without. */
npart_status npart__attempt_cache(struct npart__search *search, struct npart__state *state,
                                  struct npart__attempt *attempt)
{
    static const char *const notes[] = {
        "The host keeps the cache, as the contract says (docs/decoder-cache.md).", NULL};
    struct npart__edition *edition;
    npart__describe_step(search, attempt, NPART__ID_CACHE, notes);
    attempt->step.equality = NPART_EQUAL_ULP;
    struct npart__version version = {0};
    npart_status status = npart__edition_cache(state->edition, &search->request->cache, search->arena,
                                               &search->fix->cache, &version, search->error);
    if (status != NPART_OK)
        return status;
    attempt->step.site_count = search->fix->cache.pair_count;
    if (search->fix->cache.was_fixed) {
        attempt->step.equality = NPART_EQUAL_BITS;
        attempt->step.argument = "Outputs are what was new in the cache; nothing else changes.";
    }
    status = npart__edition_find(search->request->editions, &version, search->request->model_name,
                                 &search->arena->allocator, &edition, search->error);
    if (status == NPART_OK)
        status = npart__take_made(search, edition, attempt, NPART__ID_CACHE);
    else if (status != NPART_ERROR_MEMORY)
        status = NPART_OK;
    if (status == NPART_OK && !attempt->made)
        return npart__fail(search->error, NPART_ERROR_ARGUMENT, "", "the model cannot be read with a fixed cache");
    return status;
}

static const char *const size_notes[] = {"The file serves these sizes alone.", NULL};

npart_status npart__attempt_sized(struct npart__search *search, struct npart__state *state,
                                  struct npart__attempt *attempt)
{
    const npart_plan *sized = search->request->sized;
    npart__describe_step(search, attempt, NPART__ID_BIND, size_notes);
    bool is_more = false;
    struct npart__state *made;
    if (!sized || !stays_as_it_is(state->graph))
        return NPART_OK;
    npart_status status = npart__state_of_plan(search, &state->version, sized, true, NPART__ID_BIND, &made);
    if (status != NPART_OK)
        return status;
    if (!tells_more(made->inference, made->plans->inference, &is_more))
        status = npart__fail_memory(search->error);
    if (status == NPART_OK && !is_more)
        attempt->made = made;
    else
        npart__state_free(made);
    return status;
}

/* What is wrong with a size or a value is the user's to know, and not taken back. Sizes are inferred with the
 * user's options and then written into the types, so that the file itself says them from here on. */
npart_status npart__attempt_bind(struct npart__search *search, struct npart__state *state,
                                 struct npart__attempt *attempt)
{
    static const char *const values[] = {"The file serves these values alone; others need a file of their own.", NULL};
    const struct npart__fix_request *request = search->request;
    struct npart__arena scratch;
    struct npart__editor *editor = NULL;
    /* A value always changes the file: an input becomes a constant. */
    bool changed = request->value_count > 0;
    npart__describe_step(search, attempt, NPART__ID_BIND, request->value_count ? values : size_notes);
    npart__arena_init(&scratch, &search->arena->allocator);
    struct npart__inference *bound = npart__arena_zeroed(&scratch, 1, sizeof *bound);
    npart_status status = bound ? npart__infer(state->graph, &request->sizes, &scratch, bound, search->error)
                                : npart__fail_memory(search->error);
    if (status == NPART_OK)
        status = npart__edition_open(state->edition, bound, &scratch, &editor, search->error);
    if (status == NPART_OK && (request->sizes.binding_count || request->sizes.shape_count)) {
        bool has_sizes = false;
        if (!npart__editor_declare(editor, bound, NPART__DECLARE_NO_MORE, &has_sizes))
            status = npart__fail_memory(search->error);
        changed |= has_sizes;
    }
    for (uint32_t i = 0; i < request->value_count && status == NPART_OK; i++)
        status = npart__editor_bind_value(editor, request->values[i].name, request->values[i].numbers,
                                          request->values[i].count, search->error);
    if (status == NPART_OK && changed)
        status = pack_and_analyse(search, NULL, editor, attempt, NPART__ID_BIND);
    npart__arena_clear(&scratch);
    /* pack_and_analyse tells a model that cannot be read by `made` alone, as for a rewrite; here it is the user's
     * error. */
    if (status == NPART_OK && changed && !attempt->made)
        return npart__fail(search->error, NPART_ERROR_ARGUMENT, "", "the model cannot be read with these sizes");
    return status;
}
