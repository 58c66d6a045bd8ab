/* SPDX-License-Identifier: Apache-2.0
 *
 * What all handles have in common: how long they live, what is asked of arguments, text for the
 * caller's buffers. A handle is one arena with everything in it, and a count of those who refer
 * to it: the caller, and each handle made from it.
 */
#include <stdio.h>

#include "api/api.h"
#include "npu_partition.h" /* the version */

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

/* The numbers of the header that the library was built with, not of the caller's. */
const char *npart_version(void)
{
    return VERSION_TEXT(NPART_VERSION_MAJOR, NPART_VERSION_MINOR, NPART_VERSION_PATCH);
}

/* For the tool's own names (options, formats), so that it answers as the library does. "" where nothing is near
 * enough, or an argument is missing. */
size_t npart_nearest_name(const char *wanted, const char *const *names, size_t count, char *out, size_t bytes)
{
    struct npart__nearest nearest;
    char text[NPART__HINT_BYTES] = "";
    npart__nearest_init(&nearest, wanted ? wanted : "", wanted ? strlen(wanted) : 0);
    for (size_t i = 0; wanted && names && i < count; i++)
        npart__nearest_offer(&nearest, names[i] ? names[i] : "");
    size_t length = npart__nearest_names(&nearest, text, sizeof text);
    return npart__copy_out(text, length, out, bytes);
}

/* Names in a model may hold control characters, which a terminal would obey. */
size_t npart_plain_text(const char *text, char *out, size_t bytes)
{
    return npart__copy_plain(out, out ? bytes : 0, text ? text : "");
}

size_t npart_json_text(const char *text, size_t length, char *out, size_t bytes)
{
    return npart__copy_json(out, out ? bytes : 0, text, text ? length : 0);
}

size_t npart_shell_word(const char *text, char *out, size_t bytes)
{
    struct npart__arena arena;
    struct npart__buffer word = {.arena = &arena};
    npart__arena_init(&arena, NULL);
    npart__append_shell_word(&word, text ? text : "");
    size_t whole = word.failed ? SIZE_MAX : word.size;
    bool fits = whole < bytes;
    if (out && bytes) {
        memcpy(out, word.data, fits ? whole : 0);
        out[fits ? whole : 0] = '\0';
    }
    npart__arena_clear(&arena);
    return whole;
}

/* ---- handles ----------------------------------------------------------------------------------------------- */

/* The arena is kept inside what it holds: made on the stack, then moved in. Every handle begins with its life.
 * So a handle with the whole of its contents goes with one call, and none leaks where making it failed midway.
 * The first reference is the caller's. */
void *npart__handle_new(size_t bytes, const struct npart_allocator *allocator)
{
    struct npart__arena arena;
    npart__arena_init(&arena, allocator);
    struct npart__life **handle = npart__arena_zeroed(&arena, 1, bytes);
    struct npart__life *life = npart__arena_zeroed(&arena, 1, sizeof *life);
    if (!handle || !life || pthread_mutex_init(&life->lock, NULL) != 0) {
        npart__arena_clear(&arena);
        return NULL;
    }
    (void)NPART__ADD(&life->references, 1);
    life->arena = arena;
    *handle = life;
    return handle;
}

/* A handle is made from few others: a plan from an inference and an op list. A full list would be a
 * mistake of this library: then the other is not kept. */
void npart__life_keep(struct npart__life *life, struct npart__life *other)
{
    for (size_t i = 0; i < NPART__MOST_KEPT; i++)
        if (!life->kept[i]) {
            npart__life_share(other);
            life->kept[i] = other;
            return;
        }
}

void npart__life_guard(struct npart__life *life, struct npart__life *guard)
{
    npart__life_keep(life, guard);
    life->guard = guard;
}

/* As deep as a plan is above its model. It ends at what keeps nothing, as a model does. Recursion is no deeper
 * than handles are made from one another: an advice keeps plans, these an inference, that a model. */
void npart__life_end(struct npart__life *life)
{
    /* The one who takes the last reference away frees; acquire and release order what others
     * have written before. */
    if (NPART__SUBTRACT(&life->references, 1) > 0)
        return;
    /* Copied out first, as the life lies in the arena that goes. */
    struct npart__life *kept[NPART__MOST_KEPT];
    struct npart__arena arena = life->arena;
    memcpy(kept, life->kept, sizeof kept);
    if (life->end_along)
        life->end_along(life->along);
    (void)pthread_mutex_destroy(&life->lock);
    npart__arena_clear(&arena);
    for (size_t i = 0; i < NPART__MOST_KEPT; i++)
        if (kept[i])
            npart__life_end(kept[i]);
}

npart_status npart_budget_status(const struct npart_allocator *allocator, struct npart_error *error)
{
    return npart__budget_status(allocator, error);
}

void npart_budget_end_time(const struct npart_allocator *allocator)
{
    npart__budget_end_time(allocator);
}

/* The budget is left open: it goes with the last memory of the handle, or here. Without a budget this is
 * npart__handle_new with a status. `status` says LIMIT or TIMEOUT where the budget was too small for the handle
 * itself. */
void *npart__handle_within(size_t bytes, const struct npart_allocator *allocator, uint64_t most_bytes, uint64_t most_ms,
                           npart_status *status, struct npart_error *error)
{
    struct npart__arena plain; /* knows what stands for no allocator */
    struct npart_allocator budget = {0};
    npart__arena_init(&plain, allocator);
    bool has_budget = most_bytes || most_ms, is_open = has_budget;
    if (has_budget)
        is_open = npart__budget_open(&budget, &plain.allocator, most_bytes, most_ms);
    const struct npart_allocator *from = is_open ? &budget : allocator;
    void *handle = has_budget && !is_open ? NULL : npart__handle_new(bytes, from);
    *status = handle ? NPART_OK : npart__settle(npart__fail_memory(error), from, error);
    if (is_open)
        npart__budget_close(&budget);
    return handle;
}

/* ---- arguments --------------------------------------------------------------------------------------------- */

/* Structs of options carry a version, so that a program built against a newer header is told and
 * not misread. */
npart_status npart__check_version(const char *what, uint32_t version, uint32_t newest, struct npart_error *error)
{
    if (version >= 1 && version <= newest)
        return NPART_OK;
    return npart__fail(error, NPART_ERROR_ARGUMENT, "", "%s have version %u; this library knows 1 to %u", what, version,
                       newest);
}

/* ---- text -------------------------------------------------------------------------------------------------- */

/* The room on the stack is the buffer's first memory: short texts, which nearly all are, take
 * none of the allocator's. */
void npart__note_open(struct npart__note *note, const struct npart_allocator *allocator)
{
    npart__arena_init(&note->arena, allocator);
    npart__buffer_init(&note->text, &note->arena);
    note->text.data = note->room;
    note->text.capacity = sizeof note->room;
}

/* As snprintf does: the whole length is returned, so that a caller can come again with more room. The text
 * stands in the note's own room or its arena, so it is copied before that goes. */
size_t npart__note_close(struct npart__note *note, char *out, size_t bytes)
{
    bool is_whole = !note->text.failed;
    (void)npart__copy_out(note->text.data, is_whole ? note->text.size : 0, out, bytes);
    npart__arena_clear(&note->arena);
    return is_whole ? note->text.size : SIZE_MAX;
}

/* A UTF-8 character that does not fit whole is left out. So what the caller gets is UTF-8 where the text was. */
size_t npart__copy_out(const char *text, size_t length, char *out, size_t bytes)
{
    if (!out || bytes == 0)
        return length;
    size_t fits = length < bytes ? length : bytes - 1;
    memcpy(out, text, fits);
    out[fits] = '\0';
    if (fits < length)
        npart__trim_text(out);
    return length;
}
