/* SPDX-License-Identifier: Apache-2.0
 *
 * Budgets: an allocator over the caller's that counts bytes, and gives none past a sum or after a time. All that is
 * made from a model takes its memory from the model's allocator, so one budget holds for all of it; and as any
 * allocation may fail, whatever is under way ends as it does when memory is short. Where no budget is set there is no
 * such allocator, and nothing costs anything.
 */
#include "base/base.h"
#include "base/counter.h"
#include "base/platform.h"

/* Lives as long as anything that it gave, so that those who hold memory of it need not know of it. */
struct npart__budget {
    struct npart_allocator under;
    size_t most_bytes;                 /* SIZE_MAX: any */
    uint64_t most_ms, end_ms;          /* of the monotonic clock; UINT64_MAX: never */
    npart__size_counter used_bytes;    /* with the heads */
    npart__size_counter references;    /* pieces that are out, and one for whoever opened it */
    npart__counter reason;             /* enum reason: of the last failure */
    npart__counter has_ended;          /* the time */
};

enum reason { REASON_NONE, REASON_MEMORY, REASON_TIME };

/* Before each piece, as allocators are not told sizes when memory comes back. As large as what malloc aligns to. */
union head {
    size_t bytes; /* with the head */
    char room[16];
};

/* The last failure's reason stays, since it is what the public call then tells (npart__budget_status). REASON_NONE
 * takes back an earlier one: where the caller's allocator itself has nothing left, no budget is to blame. */
static void *fail_for(struct npart__budget *budget, enum reason reason)
{
    NPART__STORE(&budget->reason, (unsigned)reason);
    return NULL;
}

/* Once npart__budget_end_time was called nothing is late any more, so that what came out can still be told. The
 * clock is asked last, as it is a call of the system. */
static bool is_late(struct npart__budget *budget)
{
    if (budget->end_ms == UINT64_MAX || NPART__LOAD(&budget->has_ended) || npart__monotonic_ms() < budget->end_ms)
        return false;
    (void)fail_for(budget, REASON_TIME);
    return true;
}

/* Takes from the budget, or says why not. Added first and taken back where it is too much: so two threads cannot
 * both take the last bytes, though one that would have fitted may fail beside a large one. A sum that has wrapped
 * is below `bytes`. */
static bool takes(struct npart__budget *budget, size_t bytes)
{
    if (is_late(budget))
        return false;
    size_t used = NPART__ADD(&budget->used_bytes, bytes);
    if (used >= bytes && used <= budget->most_bytes)
        return true;
    (void)NPART__SUBTRACT(&budget->used_bytes, bytes);
    (void)fail_for(budget, REASON_MEMORY);
    return false;
}

/* Whoever holds the last reference frees the budget, be it a piece or the handle that was closed. */
static void let_go(struct npart__budget *budget)
{
    if (NPART__SUBTRACT(&budget->references, 1) == 0) {
        struct npart_allocator under = budget->under;
        under.release(under.payload, budget);
    }
}

/* The reference is counted once the piece is there: until then the caller's own reference keeps the budget alive. */
static void *allocate(void *payload, size_t bytes)
{
    struct npart__budget *budget = payload;
    if (bytes > SIZE_MAX / 2 || !takes(budget, bytes + sizeof(union head)))
        return NULL;
    bytes += sizeof(union head);
    union head *head = budget->under.allocate(budget->under.payload, bytes);
    if (!head) {
        (void)NPART__SUBTRACT(&budget->used_bytes, bytes);
        return fail_for(budget, REASON_NONE);
    }
    (void)NPART__ADD(&budget->references, 1);
    head->bytes = bytes;
    return head + 1;
}

/* The budget itself may go with the last piece, so nothing of it is asked after let_go. */
static void release(void *payload, void *memory)
{
    struct npart__budget *budget = payload;
    if (!memory)
        return;
    union head *head = (union head *)memory - 1;
    (void)NPART__SUBTRACT(&budget->used_bytes, head->bytes);
    budget->under.release(budget->under.payload, head);
    let_go(budget);
}

/* While the piece is moved there are two, of which one is counted: the old one goes at once. What more is needed
 * is taken before the piece moves, and what is less is given to the budget after it, so that the count is never
 * below what is out. */
static void *resize(void *payload, void *memory, size_t bytes)
{
    struct npart__budget *budget = payload;
    if (!memory)
        return allocate(payload, bytes);
    union head *head = (union head *)memory - 1;
    size_t before = head->bytes;
    if (bytes > SIZE_MAX / 2)
        return NULL;
    bytes += sizeof *head;
    if (bytes > before && !takes(budget, bytes - before))
        return NULL;
    union head *moved = budget->under.resize(budget->under.payload, head, bytes);
    if (!moved) {
        if (bytes > before)
            (void)NPART__SUBTRACT(&budget->used_bytes, bytes - before);
        return fail_for(budget, REASON_NONE);
    }
    if (bytes < before)
        (void)NPART__SUBTRACT(&budget->used_bytes, before - bytes);
    moved->bytes = bytes;
    return moved + 1;
}

/* The budget itself is no part of what is counted. Times that reach past the end of the clock never come. */
bool npart__budget_open(struct npart_allocator *out, const struct npart_allocator *under, uint64_t most_bytes,
                        uint64_t most_ms)
{
    struct npart__budget *budget = under->allocate(under->payload, sizeof *budget);
    uint64_t now = npart__monotonic_ms();
    if (!budget)
        return false;
    memset(budget, 0, sizeof *budget);
    budget->under = *under;
    budget->most_bytes = most_bytes && most_bytes < SIZE_MAX ? (size_t)most_bytes : SIZE_MAX;
    budget->most_ms = most_ms;
    budget->end_ms = most_ms && most_ms < UINT64_MAX - now ? now + most_ms : UINT64_MAX;
    (void)NPART__ADD(&budget->references, 1);
    *out = (struct npart_allocator){allocate, under->resize ? resize : NULL, release, budget};
    return true;
}

/* The function's address tells, since an allocator's payload may be anything. */
struct npart__budget *npart__budget_of(const struct npart_allocator *allocator)
{
    return allocator && allocator->allocate == allocate ? allocator->payload : NULL;
}

void npart__budget_close(const struct npart_allocator *allocator)
{
    if (npart__budget_of(allocator))
        let_go(npart__budget_of(allocator));
}

/* A budget may stand on another, as when a file that was written is read again. So each is asked, from the
 * innermost out, and the first that is late notes it as its reason. */
bool npart__is_past(struct npart__budget *budget, bool looks)
{
    for (struct npart__budget *at = budget; at; at = npart__budget_of(&at->under))
        if (NPART__LOAD(&at->reason) == REASON_TIME || (looks && is_late(at)))
            return true;
    return false;
}

/* Of all budgets in one another. The reason goes as well: what is made from here on is told by its own. */
void npart__budget_end_time(const struct npart_allocator *allocator)
{
    for (struct npart__budget *at = npart__budget_of(allocator); at; at = npart__budget_of(&at->under)) {
        NPART__STORE(&at->has_ended, 1u);
        NPART__STORE(&at->reason, (unsigned)REASON_NONE);
    }
}

/* The innermost budget that was spent is told, in the numbers that the user gave: 1500 ms is "1.500 s". */
npart_status npart__budget_status(const struct npart_allocator *allocator, struct npart_error *error)
{
    for (struct npart__budget *at = npart__budget_of(allocator); at; at = npart__budget_of(&at->under)) {
        unsigned reason = NPART__LOAD(&at->reason);
        if (reason == REASON_TIME)
            return npart__fail(error, NPART_ERROR_TIMEOUT, "", "not finished after %llu.%03u s (timeout)",
                               (unsigned long long)(at->most_ms / 1000), (unsigned)(at->most_ms % 1000));
        if (reason == REASON_MEMORY)
            return npart__fail(error, NPART_ERROR_LIMIT, "", "needs more than %zu bytes of memory (max-memory)",
                               at->most_bytes);
    }
    return NPART_OK;
}

/* Any failure but that of memory is what was found before, and stays. A call that is fine may have done without memory
 * that it did not need; without time nothing is sure. */
npart_status npart__settle(npart_status status, const struct npart_allocator *allocator, struct npart_error *error)
{
    bool is_late = status == NPART_OK && npart__is_past(npart__budget_of(allocator), false);
    if (status != NPART_ERROR_MEMORY && !is_late)
        return status;
    npart_status spent = npart__budget_status(allocator, error);
    return spent == NPART_OK ? status : spent;
}
