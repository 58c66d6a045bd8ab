/* SPDX-License-Identifier: Apache-2.0
 *
 * Public functions about op lists: those that are built in, by a target's text; those of a
 * caller, from memory or a file; checking, describing and importing them.
 */
#include <errno.h>
#include <stdio.h>

#include "api/api.h"
#include "base/base.h"
#include "base/platform.h"

/* ---- reading ----------------------------------------------------------------------------------------------- */

/* Partitioners are known to lib/plan/partition only, a later stage than the one that reads lists. So the reader notes
 * the name with its place, and it is looked up here. */
static npart_status check_partitioner(const char *path, const struct npart__partitioner_choice *choice,
                                      struct npart_error *error)
{
    char place[sizeof error->place];
    /* The list is right in every other way: only the name of the partitioner is not one that this library has. */
    if (npart__find_partitioner(npart__products, choice->name))
        return NPART_OK;
    (void)snprintf(place, sizeof place, "%s:%u:%u", path, choice->line, choice->column);
    return npart__fail(error, NPART_ERROR_OPLIST, place, "there is no partitioner \"%s\"", choice->name);
}

/* Of a list that has been read, or not. Whatever comes out, `oplist` is either the caller's or gone. */
static npart_status finish(npart_oplist **out, npart_oplist *oplist, const char *path, npart_status status,
                           const struct npart__listener *listener, struct npart_error *error)
{
    for (uint32_t i = 0; status == NPART_OK && i < oplist->oplist.partitioners.count; i++) {
        status = check_partitioner(path, &oplist->oplist.partitioners.items[i], error);
        if (status != NPART_OK && listener)
            listener->tell(listener->payload, false, error->place, error->message);
    }
    if (status == NPART_OK)
        *out = oplist;
    else
        npart_oplist_free(oplist);
    return status;
}

/* With a listener all mistakes are told; `error` has the first in any case. */
static npart_status read_oplist(npart_oplist **out, npart_oplist *oplist, const char *text, size_t bytes,
                                const char *name, const struct npart__listener *listener, struct npart_error *error)
{
    struct npart__arena *arena = &oplist->life->arena;
    char shown[120]; /* of a long path its end, so that line and column have room after it */
    npart__shorten(shown, sizeof shown, name);
    const char *path = npart__arena_copy_text(arena, shown, strlen(shown));
    npart_status status = path ? npart__oplist_read(text, bytes, path, arena, &oplist->oplist, listener, error)
                               : npart__fail_memory(error);
    return finish(out, oplist, path, status, listener, error);
}

/* The last entry has no name, so counting up to the index ends there. The index is the caller's and may be
 * anything. */
const char *npart_builtin_oplist(size_t index)
{
    for (size_t i = 0; i <= index; i++)
        if (!npart__builtin_oplists[i].name)
            return NULL;
    return npart__builtin_oplists[index].name;
}

/* "hexagon:v73+float@sdk": the name ends at the first mark, for messages. */
static size_t name_length(const char *target)
{
    return strcspn(target, ":+@");
}

/* A hyphen may belong to the name or begin a switch: the longest built-in name that fits is meant. "intel-npu-x"
 * is the list intel-npu with its switch x off, and never a list called intel. What follows the name is read when
 * a plan is made. */
static const struct npart__builtin_oplist *find_builtin(const char *target)
{
    const struct npart__builtin_oplist *best = NULL;
    for (const struct npart__builtin_oplist *list = npart__builtin_oplists; list->name; list++) {
        size_t length = strlen(list->name);
        bool fits = strncmp(target, list->name, length) == 0 &&
                    (target[length] == '\0' || strchr(":+-@", target[length]));
        if (fits && (!best || length > strlen(best->name)))
            best = list; /* "hexagon-x" may be a list beside "hexagon" */
    }
    return best;
}

/* What a vendor, a runtime or a chip family is called elsewhere. */
static const struct {
    const char *name, *target;
} aliases[] = {
#define ALIAS(name, target) {name, target},
#include "api/aliases.def"
};

static char small_letter(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool is_in_word(char c)
{
    return (c >= '0' && c <= '9') || (small_letter(c) >= 'a' && small_letter(c) <= 'z') || c == '+';
}

/* Whether a text has a word, whatever the case of its letters. */
static bool has_word(const char *text, const char *word, size_t length)
{
    size_t all = strlen(text);
    for (size_t at = 0; at + length <= all; at++) {
        bool begins = at == 0 || !is_in_word(text[at - 1]), ends = !is_in_word(text[at + length]);
        if (begins && ends && npart__same_letters(text + at, word, length))
            return true;
    }
    return false;
}

/* Whether it has every word of another text: "Snapdragon 8 Gen 3" those of "8 gen 3". */
static bool has_words(const char *text, const char *words)
{
    size_t count = 0;
    while (*words) {
        size_t length = 0;
        while (is_in_word(words[length]))
            length++;
        if (length && !has_word(text, words, length))
            return false;
        count += length > 0;
        words += length + (words[length] && !length);
    }
    return count > 0;
}

/* Each list's variants as targets of their own: "rknn:rk3588". False when out of memory. Users
 * ask for a chip where the target is its runtime; each list is read for that, which is slow and
 * happens only when a name was wrong. `words`: what was asked for, where it is several words; or NULL. */
static bool offer_variants(struct npart__nearest *nearest, const char *words, struct npart__arena *arena)
{
    for (const struct npart__builtin_oplist *list = npart__builtin_oplists; list->name; list++) {
        struct npart__oplist oplist;
        const char *text = (const char *)list->text;
        if (npart__oplist_read(text, list->bytes, list->name, arena, &oplist, NULL, NULL) != NPART_OK)
            return false;
        for (uint32_t i = 0; i < oplist.variants.count; i++) {
            const struct npart__variant *variant = &oplist.variants.items[i];
            const char *shown = npart__arena_format(arena, "%s:%s", list->name, variant->name);
            /* An arena without memory is the only way in which a list of ours can fail. */
            if (!shown)
                return false;
            npart__nearest_offer_as(nearest, variant->name, shown);
            if (words && variant->title && has_words(variant->title, words))
                npart__nearest_offer_as(nearest, words, shown); /* the same, and so the nearest of all */
            for (uint32_t k = 0; k < variant->alias_count; k++)
                npart__nearest_offer_as(nearest, variant->aliases[k], shown);
        }
    }
    return true;
}

/* "there is no target \"qnn\"; did you mean hexagon?" Names are offered in three sorts: lists, what else they
 * are called, and their variants. The arena holds the texts of the last until the hint is written. */
static npart_status lack_target(const char *target, const struct npart_allocator *allocator, struct npart_error *error)
{
    struct npart__nearest nearest;
    struct npart__arena arena;
    char hint[NPART__HINT_BYTES];
    size_t length = name_length(target);
    npart__arena_init(&arena, allocator);
    npart__nearest_init(&nearest, target, length);
    for (const struct npart__builtin_oplist *list = npart__builtin_oplists; list->name; list++)
        npart__nearest_offer(&nearest, list->name);
    for (size_t i = 0; i < NPART__COUNT(aliases); i++)
        npart__nearest_offer_as(&nearest, aliases[i].name, aliases[i].target);
    const char *words = memchr(target, ' ', length) ? npart__arena_copy_text(&arena, target, length) : NULL;
    bool is_offered = offer_variants(&nearest, words, &arena) && !arena.failed;
    for (size_t i = 0; words && i < NPART__COUNT(aliases) && (!nearest.count || nearest.best[0].rank); i++)
        if (has_words(words, aliases[i].name))
            npart__nearest_offer_as(&nearest, words, aliases[i].target);
    npart_status status =
        is_offered
            ? npart__fail(error, NPART_ERROR_ARGUMENT, "", "there is no target \"%.*s\"%s", (int)length, target,
                          npart__nearest_hint(&nearest, hint, sizeof hint))
            : npart__fail_memory(error);
    npart__arena_clear(&arena);
    return status;
}

/* "there is no list for \"imx95\"; neutron comes nearest, and is not right: ..." */
static npart_status lack_list(const char *target, struct npart_error *error)
{
    static const struct {
        const char *name, *targets, *why;
    } unlike[] = {
#define UNLIKE(name, targets, why) {name, targets, why},
#include "api/aliases.def"
    };
    size_t length = name_length(target);
    for (size_t i = 0; i < NPART__COUNT(unlike); i++)
        if (strlen(unlike[i].name) == length && npart__same_letters(target, unlike[i].name, length))
            return npart__fail(error, NPART_ERROR_ARGUMENT, "", "there is no list for \"%s\"; near it: %s, but %s",
                               unlike[i].name, unlike[i].targets, unlike[i].why);
    return NPART_OK;
}

/* The list only; which variant and switches are meant is read when a plan is made. */
npart_status npart_oplist_find(npart_oplist **out, const char *target, const struct npart_allocator *allocator,
                               struct npart_error *error)
{
    if (!out || !target)
        return npart__fail_null(out ? "target" : "out", error);
    /* Built-in lists are read at each call: handles own what they have, and nothing is kept between calls. */
    const struct npart__builtin_oplist *list = find_builtin(target);
    if (!list)
        return lack_list(target, error) == NPART_OK ? lack_target(target, allocator, error) : NPART_ERROR_ARGUMENT;
    npart_oplist *oplist = npart__handle_new(sizeof *oplist, allocator);
    if (!oplist)
        return npart__fail_memory(error);
    const char *name = npart__arena_format(&oplist->life->arena, "%s.ops", list->name);
    npart_status status =
        name ? npart__oplist_open(list, name, &oplist->life->arena, &oplist->oplist, error) : npart__fail_memory(error);
    if (status == NPART_OK && oplist->oplist.late) {
        oplist->life->along = oplist->oplist.late;
        oplist->life->end_along = npart__late_free;
    }
    return finish(out, oplist, name, status, NULL, error);
}

/* The text is not needed afterwards; the name is for messages only. */
npart_status npart_oplist_read_memory(npart_oplist **out, const char *text, size_t bytes, const char *name,
                                      const struct npart_allocator *allocator, struct npart_error *error)
{
    if (!out || (!text && bytes) || !name)
        return npart__fail_null(!out ? "out" : name ? "text" : "name", error);
    npart_oplist *oplist = npart__handle_new(sizeof *oplist, allocator);
    return oplist ? read_oplist(out, oplist, text ? text : "", bytes, name, NULL, error) : npart__fail_memory(error);
}

/* A whole small file, no more than an op list may have. Reading stops one piece after the limit, so that the
 * parser can say that the list is too large. The system's own words are left out of messages, so that they are
 * the same everywhere; that a file is not there is told apart, as it is what happens most. `what` is for
 * messages. */
static npart_status read_small_file(struct npart__buffer *text, const char *path, const char *what,
                                    struct npart_error *error)
{
    char piece[4096];
    ptrdiff_t got;
    int file = npart__file_open(path);
    if (file < 0) {
        /* Before anything else may change errno. */
        int code = errno;
        return npart__fail(error, NPART_ERROR_READ, path, "cannot open the %s: %s", what,
                           code == ENOENT ? "there is no such file" : "the system refuses");
    }
    while ((got = npart__file_read(file, piece, sizeof piece)) > 0 && text->size <= NPART__LIMIT_OPLIST_BYTES)
        npart__append(text, piece, (size_t)got);
    npart__file_close(file);
    if (got < 0)
        return npart__fail(error, NPART_ERROR_READ, path, "cannot read the %s", what);
    return text->failed ? npart__fail_memory(error) : NPART_OK;
}

/* The text is read into the arena of the handle and stays there with the list. `listener` may be NULL. */
static npart_status read_oplist_file(npart_oplist **out, const char *path, const struct npart__listener *listener,
                                     const struct npart_allocator *allocator, struct npart_error *error)
{
    if (!out || !path)
        return npart__fail_null(out ? "path" : "out", error);
    npart_oplist *oplist = npart__handle_new(sizeof *oplist, allocator);
    if (!oplist)
        return npart__fail_memory(error);
    struct npart__buffer text = {.arena = &oplist->life->arena};
    npart_status status = read_small_file(&text, path, "op list", error);
    if (status == NPART_OK)
        return read_oplist(out, oplist, text.data ? text.data : "", text.size, path, listener, error);
    npart_oplist_free(oplist);
    return status;
}

/* Without a listener reading ends at the first mistake, which `error` has with its line and column. */
npart_status npart_oplist_read_file(npart_oplist **out, const char *path, const struct npart_allocator *allocator,
                                    struct npart_error *error)
{
    return read_oplist_file(out, path, NULL, allocator, error);
}

/* Rules and names stay the given list's, which is kept alive; only figures are added. A cost file may be laid on
 * a list that has one already: the newer lies on top (npart__target_parameters). The path is cut to its end for
 * messages. */
npart_status npart_oplist_add_cost(npart_oplist **out, const npart_oplist *oplist, const char *path,
                                   struct npart_error *error)
{
    struct npart__buffer text;
    char shown[120];
    if (!out || !oplist || !path)
        return npart__fail_null(!out ? "out" : oplist ? "path" : "oplist", error);
    npart_oplist *made = npart__handle_new(sizeof *made, &oplist->life->arena.allocator);
    if (!made)
        return npart__fail_memory(error);
    struct npart__arena *arena = &made->life->arena;
    npart__life_keep(made->life, oplist->life);
    npart__buffer_init(&text, arena);
    npart__shorten(shown, sizeof shown, path);
    const char *name = npart__arena_copy_text(arena, shown, strlen(shown));
    npart_status status = name ? read_small_file(&text, path, "cost file", error) : npart__fail_memory(error);
    if (status == NPART_OK)
        status = npart__cost_read(&oplist->oplist, text.data ? text.data : "", text.size, name, arena, &made->oplist,
                                  error);
    if (status == NPART_OK)
        *out = made;
    else
        npart_oplist_free(made);
    return status;
}

/* The caller's callback with its payload, as payload of the one that the parser calls. It lies on the stack of
 * the call: nothing is told once the list has been read. */
struct teller {
    npart_diagnostic_callback tell;
    void *payload;
};

static void tell_diagnostic(void *payload, bool is_warning, const char *place, const char *message)
{
    const struct teller *teller = payload;
    const struct npart_diagnostic diagnostic = {.is_warning = is_warning, .place = place, .message = message};
    teller->tell(teller->payload, &diagnostic);
}

/* A place for the error is needed even if the caller has none, as mistakes are told from it. */
npart_status npart_oplist_check_file(npart_oplist **out, const char *path, npart_diagnostic_callback tell,
                                     void *payload, const struct npart_allocator *allocator, struct npart_error *error)
{
    struct npart_error own;
    struct teller teller = {tell, payload};
    const struct npart__listener listener = {tell_diagnostic, &teller};
    if (!tell)
        return npart__fail_null("tell", error);
    return read_oplist_file(out, path, &listener, allocator, error ? error : &own);
}

NPART__FREES(oplist)

/* ---- asking ------------------------------------------------------------------------------------------------ */

/* The partitioner is that of the default variant, without switches or toolchain of a user. Without toolchains
 * there is no newest one to name. Rules are counted twice: those that lines spell out, as people count them, and
 * all that have ids, which is the range of npart_oplist_rule. */
bool npart_oplist_info(const npart_oplist *handle, struct npart_oplist_info *out)
{
    if (!handle || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__oplist *oplist = &handle->oplist;
    uint32_t toolchains = oplist->toolchains.count;
    struct npart__target plain = {.oplist = oplist};
    if (oplist->default_variant != NPART_NONE)
        plain.switches = oplist->variants.items[oplist->default_variant].switches;
    *out = (struct npart_oplist_info){
        .size = sizeof *out,
        .name = oplist->name,
        .title = oplist->title,
        .toolchain = toolchains ? oplist->toolchains.items[toolchains - 1] : "",
        .source = oplist->source,
        .standing = oplist->standing,
        .partitioner = npart__target_partitioner(&plain),
        .default_variant =
            oplist->default_variant == NPART_NONE ? "" : oplist->variants.items[oplist->default_variant].name,
        .op_count = oplist->ops.count,
        .rule_count = oplist->written_rule_count,
        .variant_count = oplist->variants.count,
        .all_rule_count = oplist->rules.count,
        .provider = oplist->providers.count ? oplist->providers.items[oplist->providers.count - 1].name : "",
    };
    return true;
}

/* Rules that no line spells out have ids, too: of them `line` is where reading was. They count as rules, as they
 * stand among the reasons of nodes. */
bool npart_oplist_rule(const npart_oplist *handle, uint32_t rule, struct npart_rule *out)
{
    if (!handle || rule >= handle->oplist.rules.count || !NPART__HAS_ROOM(out) ||
        !npart__need_rules(&handle->oplist, rule))
        return false;
    const struct npart__rule *at = &handle->oplist.rules.items[rule];
    *out = (struct npart_rule){
        .size = sizeof *out,
        .kind = (enum npart_rule_kind)at->kind,
        .id = at->id,
        .text = at->sentence,
        .source = at->source,
        .advice = at->advice ? at->advice : "",
        .gate = npart__stage_word(&handle->oplist, rule),
        .about = (enum npart_cause_kind)at->about,
        .is_fatal = at->is_fatal,
        .line = at->line,
        .because = at->because ? at->because : "",
        .standing = npart__rule_standing(&handle->oplist, at),
    };
    return true;
}

/* ---- writing ----------------------------------------------------------------------------------------------- */

/* An op's domain is left out of the comparison: names are what people mistype. A guess of another domain's op is
 * still the one that was meant, mostly. */
static npart_status lack_op(const struct npart__oplist *oplist, const char *op, struct npart_error *error)
{
    struct npart__nearest nearest;
    char hint[NPART__HINT_BYTES];
    const char *name = npart__after_last(op, ':');
    npart__nearest_init(&nearest, name, strlen(name));
    for (uint32_t i = 0; i < oplist->ops.count; i++)
        npart__nearest_offer(&nearest, oplist->ops.items[i].name);
    return npart__fail(error, NPART_ERROR_ARGUMENT, "", "%s has no op \"%s\"%s", oplist->name, op,
                       nearest.count ? npart__nearest_hint(&nearest, hint, sizeof hint) : "");
}

static npart_status describe(const struct npart__oplist *oplist, const struct npart__target *target, const char *op,
                             struct npart__arena *arena, npart_write_callback write, void *payload,
                             struct npart_error *error)
{
    struct npart__buffer text = {.arena = arena, .failed = !npart__need_rules(oplist, NPART_NONE)};
    bool found = text.failed || npart__describe_oplist(oplist, target, op, &text);
    npart_status status = npart__buffer_end(&text, write, payload, NPART_OK, error);
    /* What is written for an op that is not there is empty, so nothing is taken back. */
    return status == NPART_OK && !found ? lack_op(oplist, op, error) : status;
}

/* `op` may be NULL: then the whole list is described. */
npart_status npart_oplist_describe(const npart_oplist *oplist, const char *op, npart_write_callback write,
                                   void *payload, struct npart_error *error)
{
    struct npart__arena arena;
    if (!oplist || !write)
        return npart__fail_null(oplist ? "write" : "oplist", error);
    npart__arena_init(&arena, &oplist->life->arena.allocator);
    return describe(&oplist->oplist, NULL, op, &arena, write, payload, error);
}

/* A plan of a release that no line describes has undecided nodes, or newer ones that may be decided otherwise: a table
 * of it would be that of another release. One between two lines has the rules of the older. */
npart_status npart_target_describe(const npart_oplist *oplist, const char *target, const char *op,
                                   npart_write_callback write, void *payload, struct npart_error *error)
{
    struct npart__arena arena;
    struct npart__target chosen;
    if (!oplist || !write)
        return npart__fail_null(oplist ? "write" : "oplist", error);
    const char *rest = npart__target_rest(&oplist->oplist, target, error);
    if (!rest)
        return NPART_ERROR_ARGUMENT;
    npart__arena_init(&arena, &oplist->life->arena.allocator);
    npart_status status = npart__target_choose(&oplist->oplist, rest, &arena, &chosen, error);
    if (status == NPART_OK && chosen.standing != NPART_RELEASE_LISTED && chosen.standing != NPART_RELEASE_BETWEEN)
        status = npart__lack_toolchain(&oplist->oplist, strchr(rest, '@') + 1, error);
    if (status == NPART_OK)
        return describe(&oplist->oplist, *rest ? &chosen : NULL, op, &arena, write, payload, error);
    npart__arena_clear(&arena);
    return status;
}

/* Written as text for the caller to keep; nothing is registered. The limit is asked here again, as reading stops
 * a piece after it without an error, and an import has no parser of lists that would say so. */
npart_status npart_oplist_import(const char *path, const char *target, npart_write_callback write, void *payload,
                                 struct npart_error *error)
{
    struct npart__arena arena;
    struct npart__buffer read, list;
    if (!path || !target || !write)
        return npart__fail_null(!path ? "path" : target ? "write" : "target", error);
    /* There is no handle whose allocator could be used. */
    npart__arena_init(&arena, NULL);
    npart__buffer_init(&read, &arena);
    npart__buffer_init(&list, &arena);
    npart_status status = read_small_file(&read, path, "op list", error);
    if (status == NPART_OK && read.size > NPART__LIMIT_OPLIST_BYTES)
        status = npart__fail(error, NPART_ERROR_OPLIST, path, "larger than %zu bytes", NPART__LIMIT_OPLIST_BYTES);
    if (status == NPART_OK)
        status = npart__import_oplist(read.data ? read.data : "", read.size, target, path + npart__name_offset(path),
                                      &arena, &list, error);
    if (status == NPART_OK)
        return npart__buffer_end(&list, write, payload, NPART_OK, error);
    npart__arena_clear(&arena);
    return status;
}
