/* SPDX-License-Identifier: Apache-2.0
 *
 * Editions: made, shared between searches, and gone again when there are too many.
 */
#include "fix/editions.h"

#include "edit/models.h"
#include "fix/state.h"

/* ---- the lot ----------------------------------------------------------------------------------------------------- */

static size_t bytes_of(const struct npart__edition *edition)
{
    const npart_inference *known = edition->known;
    size_t bytes = edition->arena.total_bytes + edition->widening.total_bytes;
    return edition->is_root || !known
               ? bytes
               : bytes + known->life->arena.total_bytes + known->model->life->arena.total_bytes;
}

static void free_edition(struct npart__edition *edition)
{
    struct npart__arena arena = edition->arena; /* which the struct lies in */
    if (!edition->is_root)
        npart_inference_free(edition->known);
    npart__arena_clear(&edition->editing);
    npart__arena_clear(&edition->widening);
    npart__arena_clear(&arena);
}

static void forget_what_made(struct npart__edition *edition, const struct npart__edition *gone)
{
    for (struct npart__offers *offers = edition->offers; offers; offers = offers->next)
        offers->made = offers->made == gone ? NULL : offers->made;
    for (struct npart__changes **changes = &edition->changes; *changes;)
        if ((*changes)->made == gone)
            *changes = (*changes)->next;
        else
            changes = &(*changes)->next;
}

static void take_out(struct npart__edition *edition)
{
    struct npart__edition **link = &edition->of->first;
    while (*link != edition)
        link = &(*link)->next;
    *link = edition->next;
}

static void put_first(struct npart__edition *edition)
{
    edition->next = edition->of->first;
    edition->of->first = edition;
}

/* Steps that made it are not known any more. */
static void remove_edition(struct npart__editions *editions, struct npart__edition *gone)
{
    for (struct npart__edition *at = editions->first; at; at = at->next)
        forget_what_made(at, gone);
    take_out(gone);
    free_edition(gone);
}

/* Searches for one target take the same ways, and those for the next one mostly do: what was left longest ago is worth
 * least. Roots are nothing to be made again. */
static struct npart__edition *least_of(const struct npart__editions *editions)
{
    struct npart__edition *least = NULL;
    for (struct npart__edition *at = editions->first; at; at = at->next) /* what was left last comes first */
        least = at->holders || at->is_root ? least : at;
    return least;
}

/* Where memory or time is bounded nothing idle is kept: a model that fits by itself must not fail for it. */
static void make_room(struct npart__editions *editions)
{
    size_t bytes = 0, most = editions->arena.budget ? 0 : NPART__FIX_KEPT_BYTES;
    for (const struct npart__edition *at = editions->first; at; at = at->next)
        bytes += at->holders ? 0 : bytes_of(at);
    while (bytes > most) {
        struct npart__edition *least = least_of(editions);
        if (!least)
            return;
        bytes -= bytes_of(least);
        remove_edition(editions, least);
    }
}

void npart__editions_forget(struct npart__editions *editions)
{
    for (struct npart__edition *at = editions ? editions->first : NULL, *next; at; at = next) {
        next = at->next;
        at->offers = NULL; /* what they made may go */
        at->changes = NULL;
        at->caches = NULL;
    }
    for (struct npart__edition *at = editions ? editions->first : NULL, *next; at; at = next) {
        next = at->next;
        if (!at->holders)
            remove_edition(editions, at);
    }
}

static void end_editions(void *payload)
{
    struct npart__editions *editions = payload;
    struct npart__arena arena = editions->arena;
    npart__editions_forget(editions);
    npart__life_end(editions->guard);
    npart__arena_clear(&arena);
}

static struct npart__editions *open_editions(const npart_inference *inference, const char *model_name)
{
    struct npart__arena arena;
    npart__arena_init(&arena, &inference->life->arena.allocator);
    struct npart__editions *made = npart__arena_zeroed(&arena, 1, sizeof *made);
    const char *name = npart__arena_copy_text(&arena, model_name, strlen(model_name));
    struct npart__life **guard = name && made ? npart__handle_new(sizeof *guard, &arena.allocator) : NULL;
    if (!guard) {
        npart__arena_clear(&arena);
        return NULL;
    }
    *made = (struct npart__editions){.arena = arena, .guard = *guard, .model_name = name};
    inference->life->along = made;
    inference->life->end_along = end_editions;
    return made;
}

bool npart__editions_of(const npart_inference *inference, const char *model_name, struct npart__editions **out)
{
    struct npart__editions *editions = inference->life->along;
    if (!editions)
        editions = open_editions(inference, model_name);
    *out = editions && strcmp(editions->model_name, model_name) == 0 ? editions : NULL;
    return editions != NULL;
}

/* ---- one --------------------------------------------------------------------------------------------------------- */

struct npart__edition *npart__edition_new(struct npart__editions *editions, const struct npart_allocator *allocator)
{
    struct npart__arena arena;
    npart__arena_init(&arena, editions ? &editions->arena.allocator : allocator);
    struct npart__edition *made = npart__arena_zeroed(&arena, 1, sizeof *made);
    if (!made) {
        npart__arena_clear(&arena);
        return NULL;
    }
    made->arena = arena;
    npart__arena_init(&made->editing, &arena.allocator);
    npart__arena_init(&made->widening, &arena.allocator);
    made->of = editions;
    made->holders = 1;
    return made;
}

static void take_inference(struct npart__edition *edition, npart_inference *known)
{
    edition->known = known;
    edition->inference = known->inference;
    edition->graph = known->model->graph;
    edition->version.objects = edition->graph->metadata;
}

/* Readers of handles are const, and references are counted beside them. */
struct npart__edition *npart__edition_of(struct npart__editions *editions, const struct npart_allocator *allocator,
                                         const struct npart__version *version, const npart_inference *known,
                                         bool lacks_sizes)
{
    for (struct npart__edition *at = editions ? editions->first : NULL; at; at = at->next)
        if (at->is_root && at->known == known && at->lacks_sizes == lacks_sizes) {
            npart__edition_hold(at);
            return at;
        }
    struct npart__edition *made = npart__edition_new(editions, allocator);
    if (!made)
        return NULL;
    made->version = *version;
    made->is_root = true;
    made->lacks_sizes = lacks_sizes;
    take_inference(made, (npart_inference *)(uintptr_t)known);
    if (editions)
        put_first(made);
    return made;
}

void npart__edition_hold(struct npart__edition *edition)
{
    edition->holders++;
}

/* What is open for rewrites is large, and what these made of it is known. */
void npart__edition_leave(struct npart__edition *edition)
{
    if (--edition->holders)
        return;
    if (!edition->of) {
        free_edition(edition);
        return;
    }
    npart__edition_close_editor(edition);
    take_out(edition);
    put_first(edition);
    make_room(edition->of);
}

/* As any file is analysed, from its bytes, by the functions of the header: what is compared is what would be written.
 * Limits are as they are by default, and there are no sizes: those of the user are in the file's types after the first
 * step. */
static npart_status analyse(struct npart__edition *edition, const char *model_name,
                            const struct npart_allocator *allocator, struct npart_error *error)
{
    npart_model *model = NULL;
    npart_inference *known = NULL;
    npart_status status = npart__model_of_version(&model, &edition->version, model_name, allocator, error);
    edition->version.made = NULL;
    if (status == NPART_OK)
        status = npart_inference_make(&known, model, NULL, error);
    npart_model_free(model); /* the inference keeps it */
    /* A handle says LIMIT or TIMEOUT where the budget is spent, which is no fault of the version. */
    if (status != NPART_OK && npart__budget_status(allocator, NULL) != NPART_OK)
        status = npart__fail_memory(error);
    if (status == NPART_OK)
        take_inference(edition, known);
    return status;
}

/* NULL where there is none of these bytes. Few versions are as long, and of these few begin alike: a hash of all bytes
 * takes longer. */
static struct npart__edition *find_same(const struct npart__editions *editions, const struct npart__version *version)
{
    for (struct npart__edition *at = editions ? editions->first : NULL; at; at = at->next)
        if (!at->is_root && at->version.bytes == version->bytes &&
            at->version.input_bytes == version->input_bytes && at->version.limits == version->limits &&
            (!version->bytes || memcmp(at->version.data, version->data, version->bytes) == 0))
            return at;
    return NULL;
}

npart_status npart__edition_settle(struct npart__edition **inout, const char *model_name,
                                   const struct npart_allocator *allocator, struct npart_error *error)
{
    struct npart__edition *edition = *inout;
    struct npart__editions *editions = edition->of;
    struct npart__edition *same = find_same(editions, &edition->version);
    if (same) {
        npart__edition_hold(same);
        edition->of = NULL;
        npart__edition_leave(edition);
        *inout = same;
        return NPART_OK;
    }
    npart_status status = analyse(edition, model_name, editions ? &editions->arena.allocator : allocator, error);
    if (status != NPART_OK)
        edition->of = NULL; /* it is nowhere yet */
    else if (editions) {
        npart__life_guard(edition->known->life, editions->guard);
        put_first(edition);
    }
    return status;
}

npart_status npart__edition_find(struct npart__editions *editions, const struct npart__version *version,
                                 const char *model_name, const struct npart_allocator *allocator,
                                 struct npart__edition **out, struct npart_error *error)
{
    struct npart__edition *same = find_same(editions, version);
    *out = same ? same : npart__edition_new(editions, allocator);
    if (same)
        npart__edition_hold(same);
    if (same || !*out)
        return same ? NPART_OK : npart__fail_memory(error);
    (*out)->version = (struct npart__version){.data = version->data, .bytes = version->bytes,
                                              .input_bytes = version->input_bytes, .limits = version->limits};
    bool is_there = !editions || npart__version_copy(version, &(*out)->arena, &(*out)->version);
    npart_status status = is_there ? npart__edition_settle(out, model_name, allocator, error)
                                   : npart__fail_memory(error);
    if (status == NPART_OK)
        return status;
    (*out)->of = NULL;
    npart__edition_leave(*out);
    *out = NULL;
    return status;
}

/* ---- what rewrites need ------------------------------------------------------------------------------------------ */

/* Made when the first rewrite is offered something: plans do with fewer elements. */
npart_status npart__edition_widen(struct npart__edition *edition, struct npart_error *error)
{
    if (edition->wide)
        return NPART_OK;
    if (!npart__leaves_elements(edition->inference)) {
        edition->wide = edition->inference;
        return NPART_OK;
    }
    /* The same but for the limit: sizes must not differ from those of the plans. */
    struct npart__infer_options options = edition->inference->options;
    struct npart__inference *wide = npart__arena_zeroed(&edition->widening, 1, sizeof *wide);
    if (!wide)
        return npart__fail_memory(error);
    options.most_elements = NPART__LIMIT_FIX_ELEMENTS;
    npart_status status = npart__infer(edition->graph, &options, &edition->widening, wide, error);
    if (status == NPART_OK)
        edition->wide = wide;
    return status;
}

npart_status npart__edition_open(const struct npart__edition *edition, struct npart__inference *inference,
                                 struct npart__arena *arena, struct npart__editor **out, struct npart_error *error)
{
    uint32_t count = edition->graph->values.count;
    bool *is_constant = npart__arena_zeroed(arena, count + (size_t)1, sizeof *is_constant), changed;
    if (!is_constant)
        return npart__fail_memory(error);
    for (uint32_t i = 0; i < count; i++)
        is_constant[i] = inference->facts[i].is_constant;
    npart_status status =
        npart__editor_open(&edition->version, edition->graph, inference, is_constant, arena, out, error);
    if (status == NPART_OK && edition->lacks_sizes &&
        !npart__editor_declare(*out, edition->inference, NPART__DECLARE_NO_MORE, &changed))
        status = npart__fail_memory(error);
    return status;
}

/* Most rewrites suit no node of a model, and the file's objects are unpacked once for all of them. */
npart_status npart__edition_edit(struct npart__edition *edition, struct npart_error *error)
{
    npart_status status = edition->editor ? NPART_OK : npart__edition_widen(edition, error);
    if (status == NPART_OK && !edition->editor)
        status = npart__edition_open(edition, edition->wide, &edition->editing, &edition->editor, error);
    return status;
}

void npart__edition_close_editor(struct npart__edition *edition)
{
    npart__arena_clear(&edition->editing);
    edition->editor = NULL;
}

/* A node that has the name of another domain's operator is of a kind of its own. */
static bool find_kinds(struct npart__edition *edition)
{
    const struct npart__graph *graph = edition->graph;
    uint32_t count = graph->nodes.count;
    struct npart__arena scratch;
    npart__arena_init(&scratch, &edition->arena.allocator);
    uint32_t *kind_of_op = npart__arena_zeroed(&scratch, graph->strings.texts.count + (size_t)1, sizeof *kind_of_op);
    edition->kind_of = npart__arena_zeroed(&edition->arena, count + (size_t)1, sizeof *edition->kind_of);
    bool is_done = kind_of_op && edition->kind_of;
    for (uint32_t i = 0; is_done && i < count; i++) {
        const struct npart__node *node = npart__node_at(graph, i);
        uint32_t kind = kind_of_op[node->op_type];
        if (!kind || npart__node_at(graph, edition->kinds.items[kind - 1])->domain != node->domain) {
            is_done = NPART__PUSH(&edition->arena, &edition->kinds, i);
            kind = edition->kinds.count;
        }
        if (!kind_of_op[node->op_type])
            kind_of_op[node->op_type] = kind;
        edition->kind_of[i] = kind - 1;
    }
    npart__arena_clear(&scratch);
    edition->is_anchor = npart__arena_zeroed(&edition->arena, edition->kinds.count + (size_t)1, sizeof(bool));
    return is_done && edition->is_anchor;
}

/* Names are compared once for each operator, of which a model has few, and not once for each node. */
bool npart__edition_find_anchors(struct npart__edition *edition, const char *ops, bool *is_any)
{
    *is_any = false;
    if (!edition->is_anchor && !find_kinds(edition))
        return false;
    for (uint32_t i = 0; i < edition->kinds.count; i++)
        *is_any |= edition->is_anchor[i] = npart__lists_op(edition->graph, ops, edition->kinds.items[i]);
    return true;
}

static bool is_same_cache(const struct npart__cache_request *a, const struct npart__cache_request *b)
{
    return a->slots == b->slots && a->tokens == b->tokens && a->shifts == b->shifts &&
           a->cuts_windows == b->cuts_windows;
}

npart_status npart__edition_cache(struct npart__edition *edition, const struct npart__cache_request *request,
                                  struct npart__arena *arena, struct npart__cache *out,
                                  struct npart__version *out_version, struct npart_error *error)
{
    struct npart__made_cache *made = edition->caches;
    while (made && !is_same_cache(&made->request, request))
        made = made->next;
    if (!made) {
        bool is_kept = edition->of && !edition->of->arena.budget; /* see make_room */
        struct npart__arena *lasting = is_kept ? &edition->of->guard->arena : arena;
        made = npart__arena_zeroed(lasting, 1, sizeof *made);
        if (!made)
            return npart__fail_memory(error);
        made->request = *request;
        made->status = npart__cache_fix(request, &edition->version, edition->graph, lasting, &made->cache,
                                        &made->version, &made->error);
        if (is_kept && made->status != NPART_ERROR_MEMORY) {
            made->next = edition->caches;
            edition->caches = made;
        }
    }
    *out = made->cache;
    *out_version = made->version;
    if (made->status != NPART_OK && error)
        *error = made->error;
    return made->status;
}

/* ---- what rewrites made ------------------------------------------------------------------------------------------ */

void npart__edition_begin_offers(struct npart__edition *edition, const struct npart__rewrite *rewrite)
{
    for (struct npart__offers *at = edition->offers; at; at = at->next) {
        at->is_along = at->rewrite == rewrite;
        at->at = 0;
    }
}

/* Goes on to the answer of a node: NULL where it was not offered. What was kept of nodes between is not so here. */
static const struct npart__answer *go_to(struct npart__offers *offers, uint32_t node)
{
    for (; offers->at < offers->answer_count && offers->answers[offers->at].node < node; offers->at++)
        offers->is_along &= !offers->answers[offers->at].is_kept;
    bool is_there = offers->is_along && offers->at < offers->answer_count && offers->answers[offers->at].node == node;
    return is_there ? &offers->answers[offers->at] : NULL;
}

/* Where a class is not allowed, or it was not, the answer says nothing of whether the site would be kept. */
bool npart__edition_find_answer(struct npart__edition *edition, uint32_t node, uint32_t allowed,
                                struct npart__answer *out)
{
    for (struct npart__offers *at = edition->offers; at; at = at->next) {
        const struct npart__answer *answer = at->is_along ? go_to(at, node) : NULL;
        bool is_allowed = answer && !(answer->needed & ~allowed);
        if (!answer || (is_allowed && (answer->needed & ~at->allowed)))
            continue;
        *out = (struct npart__answer){node, answer->needed, is_allowed && answer->is_kept};
        return true;
    }
    return false;
}

void npart__edition_take_answer(struct npart__edition *edition, const struct npart__answer *answer)
{
    for (struct npart__offers *at = edition->offers; at; at = at->next) {
        const struct npart__answer *before = at->is_along ? go_to(at, answer->node) : NULL;
        at->is_along &= answer->is_kept == (before && before->is_kept);
        at->at += before != NULL;
    }
}

const struct npart__offers *npart__edition_same_offers(const struct npart__edition *edition)
{
    for (struct npart__offers *at = edition->offers; at; at = at->next)
        if (at->is_along && (go_to(at, NPART_NONE), at->is_along) && (at->made || !at->kept_count))
            return at;
    return NULL;
}

const char *const *npart__copy_texts(const char *const *texts, struct npart__arena *arena)
{
    uint32_t count = 0;
    while (texts[count])
        count++;
    const char **copies = npart__arena_zeroed(arena, count + (size_t)1, sizeof *copies);
    for (uint32_t i = 0; copies && i < count; i++)
        if (!(copies[i] = npart__arena_copy_text(arena, texts[i], strlen(texts[i]))))
            return NULL;
    return copies;
}

const struct npart__changes *npart__edition_changes(const struct npart__edition *edition,
                                                    const struct npart__edition *made)
{
    for (const struct npart__changes *at = edition->changes; at; at = at->next)
        if (at->made == made)
            return at;
    return NULL;
}

bool npart__edition_note_changes(struct npart__edition *edition, const struct npart__changes *changes)
{
    if (!edition->of || !changes->made->of)
        return true;
    struct npart__changes *noted = npart__arena_zeroed(&edition->arena, 1, sizeof *noted);
    if (!noted)
        return false;
    *noted = *changes;
    noted->removed = npart__copy_texts(changes->removed, &edition->arena);
    noted->added = npart__copy_texts(changes->added, &edition->arena);
    if (!noted->removed || !noted->added)
        return false;
    noted->next = edition->changes;
    edition->changes = noted;
    return true;
}

/* What somebody was late for may be less than was asked for. */
bool npart__edition_note_offers(struct npart__edition *edition, const struct npart__offers *offers,
                                const struct npart__attempt *attempt)
{
    struct npart__arena *arena = &edition->arena;
    if (!edition->of || npart__is_late(arena))
        return true;
    struct npart__offers *noted = npart__arena_zeroed(arena, 1, sizeof *noted);
    size_t bytes = offers->answer_count * sizeof *offers->answers;
    struct npart__answer *answers = npart__arena_allocate(arena, bytes + 1);
    struct npart__attempt *copy = offers->made ? npart__arena_zeroed(arena, 1, sizeof *copy) : NULL;
    if (!noted || !answers || (offers->made && !(copy && npart__attempt_copy(attempt, arena, copy))))
        return false;
    memcpy(answers, offers->answers, bytes);
    *noted = *offers;
    noted->answers = answers;
    noted->attempt = copy;
    noted->next = edition->offers;
    edition->offers = noted;
    return true;
}
