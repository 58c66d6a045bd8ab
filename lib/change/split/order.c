/* SPDX-License-Identifier: Apache-2.0
 *
 * Units into parts: in the plan's order, but never before what they depend on in the file. Where the plan's order is
 * one (it is, but for nodes of which others are inside), each partition is one part.
 */
#include "split/internal.h"

/* ---- what is needed -------------------------------------------------------------------------------------- */

/* The unit that makes what a use names; NPART_NONE for an input or initializer. */
static uint32_t maker(const struct npart__splitting *splitting, uint32_t use)
{
    return splitting->names.items[splitting->uses.items[use]].unit;
}

/* Once for each unit. */
static void need(struct npart__splitting *splitting, uint32_t unit, uint32_t *stack, uint32_t *count)
{
    if (unit == NPART_NONE || splitting->units[unit].is_needed)
        return;
    splitting->units[unit].is_needed = true;
    stack[(*count)++] = unit;
}

/* Backwards from the model's outputs. Of a known unit the numbers are written, so what it was computed from is not
 * needed for its sake. A unit is on the stack once at most: `ordering.free`, which is not in use yet, is large
 * enough. */
static void find_needed(struct npart__splitting *splitting, uint32_t *stack)
{
    const Onnx__GraphProto *graph = splitting->model->graph;
    uint32_t count = 0;
    for (size_t i = 0; i < graph->n_output; i++) {
        const char *name = graph->output[i]->name ? graph->output[i]->name : "";
        uint32_t id = npart__strings_find_text(&splitting->strings, name);
        if (id != NPART_NONE)
            need(splitting, splitting->names.items[id].unit, stack, &count);
    }
    while (count) {
        const struct npart__unit *unit = &splitting->units[stack[--count]];
        for (uint32_t i = 0; unit->kind != NPART__UNIT_KNOWN && i < unit->use_count; i++)
            need(splitting, maker(splitting, unit->first_use + i), stack, &count);
    }
}

/* ---- a queue by position --------------------------------------------------------------------------------- */

/* A heap, as a unit may become ready only after units that stand later in the plan's order. */
struct queue {
    const struct npart__unit *units; /* whose positions are compared */
    uint32_t *heap; /* units; the first is taken next */
    uint32_t count;
};

static bool is_before(const struct queue *queue, uint32_t a, uint32_t b)
{
    /* Several nodes of the file may stand in one place of the plan; then the file decides, and bytes stay the same. */
    uint32_t first = queue->units[a].position, second = queue->units[b].position;
    return first < second || (first == second && a < b);
}

/* put and take cost the logarithm of the length, so the whole order is n log n. */
static void put(struct queue *queue, uint32_t unit)
{
    uint32_t at = queue->count++;
    for (; at > 0 && is_before(queue, unit, queue->heap[(at - 1) / 2]); at = (at - 1) / 2)
        queue->heap[at] = queue->heap[(at - 1) / 2];
    queue->heap[at] = unit;
}

static uint32_t take(struct queue *queue)
{
    uint32_t first = queue->heap[0], last = queue->heap[--queue->count], at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child + 1 < queue->count && is_before(queue, queue->heap[child + 1], queue->heap[child]))
            child++;
        if (child >= queue->count || !is_before(queue, queue->heap[child], last))
            break;
        queue->heap[at] = queue->heap[child];
        at = child;
    }
    queue->heap[at] = last;
    return first;
}

/* ---- the order ------------------------------------------------------------------------------------------- */

struct ordering {
    struct npart__splitting *splitting;
    struct queue queue, own; /* of all; of the partition at hand */
    uint32_t device;        /* that one; NPART_NONE: the CPU is */
    uint32_t *waits;        /* by unit: uses whose makers are not placed */
    uint32_t *free, free_count; /* units without a place of their own that wait for nothing */
    uint32_t *ready_of;     /* by partition that is not at hand: the last unit of it that waits for nothing; unit + 1 */
    uint32_t *ready_before; /* by unit: the one before that */
    bool *is_placed;        /* by unit: it is in the queue no longer, or for nothing */
    uint32_t sequence, needed; /* how many have their place, and how many must have */
};

/* Users by unit, once for each use. By counting, so in linear time: first[i + 2] counts, then first[i + 1] runs
 * through the places of unit i and ends where the next begins. */
static bool list_users(struct npart__splitting *splitting)
{
    struct npart__arena *arena = splitting->arena;
    uint32_t count = splitting->unit_count;
    uint32_t *first = npart__arena_zeroed(arena, (size_t)count + 2, sizeof *first);
    uint32_t *users = npart__arena_zeroed(arena, (size_t)splitting->uses.count + 1, sizeof *users);
    if (!first || !users)
        return false;
    for (uint32_t i = 0; i < splitting->uses.count; i++)
        if (maker(splitting, i) != NPART_NONE)
            first[maker(splitting, i) + 2]++;
    for (uint32_t i = 2; i < count + 2; i++)
        first[i] += first[i - 1];
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < splitting->units[i].use_count; k++) {
            uint32_t made_by = maker(splitting, splitting->units[i].first_use + k);
            if (made_by != NPART_NONE)
                users[first[made_by + 1]++] = i;
        }
    splitting->users = users;
    splitting->first_user = first;
    return true;
}

/* A unit of an NPU partition is in two places: the queue of all, and its partition's queue or list for next_unit.
 * Whichever takes it first marks it, and the other passes over it. */
static void release(struct ordering *ordering, uint32_t id)
{
    const struct npart__unit *unit = &ordering->splitting->units[id];
    if (unit->kind != NPART__UNIT_RUN) {
        ordering->free[ordering->free_count++] = id;
        return;
    }
    put(&ordering->queue, id);
    if (unit->device != NPART_NONE && unit->device == ordering->device) {
        put(&ordering->own, id);
    } else if (unit->device != NPART_NONE) {
        ordering->ready_before[id] = ordering->ready_of[unit->device];
        ordering->ready_of[unit->device] = id + 1;
    }
}

/* Units of the partition that begins come by position, too: a part then holds at once what the plan says that its
 * partition does. */
static void begin_partition(struct ordering *ordering, uint32_t device)
{
    ordering->device = device;
    ordering->own.count = 0;
    while (device != NPART_NONE && ordering->ready_of[device]) {
        uint32_t id = ordering->ready_of[device] - 1;
        ordering->ready_of[device] = ordering->ready_before[id];
        put(&ordering->own, id);
    }
}

static uint32_t take_unplaced(struct ordering *ordering, struct queue *queue)
{
    while (queue->count) {
        uint32_t id = take(queue);
        if (!ordering->is_placed[id])
            return id;
    }
    return NPART_NONE;
}

/* A partition that has begun goes on as long as it can: in the file some node may wait for one of it that in the
 * plan's order, where it needs it no longer, stands before. NPART_NONE: nothing is ready. So a partition comes in
 * two parts only where no unit of it is ready. */
static uint32_t next_unit(struct ordering *ordering)
{
    const struct npart__splitting *splitting = ordering->splitting;
    uint32_t count = splitting->parts.count;
    uint32_t device = count ? splitting->parts.items[count - 1].device : NPART_NONE;
    if (device != ordering->device)
        begin_partition(ordering, device);
    uint32_t id = take_unplaced(ordering, &ordering->own);
    return id != NPART_NONE ? id : take_unplaced(ordering, &ordering->queue);
}

/* The last part that a unit depends on; NPART_NONE: none. Of known numbers no part has to have run. */
static uint32_t last_part(const struct npart__splitting *splitting, const struct npart__unit *unit)
{
    uint32_t last = NPART_NONE;
    for (uint32_t i = 0; unit->kind != NPART__UNIT_KNOWN && i < unit->use_count; i++) {
        uint32_t made_by = maker(splitting, unit->first_use + i);
        uint32_t part = made_by == NPART_NONE ? NPART_NONE : splitting->units[made_by].part;
        if (part != NPART_NONE && (last == NPART_NONE || part > last))
            last = part;
    }
    return last;
}

/* A unit without a place of its own goes where its operands come from, which is never before the node that it is fused
 * into: it takes that one's result. What is fused into a node that comes later is copied to where that is. What makes
 * its operands is settled before, as it waited for them. Its users come later still, and parts are only added at the
 * end: none of them is in an earlier part. */
static void settle(struct npart__splitting *splitting, struct npart__unit *unit)
{
    unit->part = last_part(splitting, unit);
    if (unit->kind != NPART__UNIT_FOLLOWS)
        return;
    uint32_t into = unit->into == NPART_NONE ? NPART_NONE : splitting->units[unit->into].part;
    /* From constants alone, or into what is yet to come. */
    if (unit->part == NPART_NONE || (unit->into != NPART_NONE && into == NPART_NONE))
        unit->kind = NPART__UNIT_COPIED;
    NPART__ASSERT(unit->kind == NPART__UNIT_COPIED || into == NPART_NONE || into <= unit->part,
                  "fused into a later part");
}

/* The part that the unit goes to: the last one, or a new one after it. False when out of memory. */
static bool place(struct npart__splitting *splitting, struct npart__unit *unit)
{
    uint32_t count = splitting->parts.count;
    struct npart__split_part part = {.device = unit->device};
    /* The same device again goes on with the last part: on the CPU, too, where it is one run of nodes without the
     * NPU. */
    if (count == 0 || splitting->parts.items[count - 1].device != unit->device) {
        if (!NPART__PUSH(splitting->arena, &splitting->parts, part))
            return false;
        count++;
    }
    unit->part = count - 1;
    return true;
}

/* What waits for the unit waits for one less. A unit of known numbers waits for none: it was released at the
 * beginning. */
static void finish(struct ordering *ordering, uint32_t id)
{
    const struct npart__splitting *splitting = ordering->splitting;
    splitting->units[id].sequence = ordering->sequence++;
    for (uint32_t i = splitting->first_user[id]; i < splitting->first_user[id + 1]; i++) {
        uint32_t user = splitting->users[i];
        const struct npart__unit *unit = &splitting->units[user];
        /* Once for each use, as `waits` counts uses: an operand taken twice releases twice. */
        if (unit->is_needed && unit->kind != NPART__UNIT_KNOWN && --ordering->waits[user] == 0)
            release(ordering, user);
    }
}

static npart_status run(struct ordering *ordering)
{
    struct npart__splitting *splitting = ordering->splitting;
    for (;;) {
        uint32_t id;
        /* First what has no place of its own: it may release a unit of the partition at hand, which then need not
         * end. */
        if (ordering->free_count) {
            id = ordering->free[--ordering->free_count];
            settle(splitting, &splitting->units[id]);
        } else {
            id = next_unit(ordering);
            if (id == NPART_NONE)
                break;
            ordering->is_placed[id] = true;
            if (!place(splitting, &splitting->units[id]))
                return npart__fail_memory(splitting->error);
        }
        finish(ordering, id);
    }
    /* A call may name what it makes where its function takes no such operand: a plan does not see that. */
    return ordering->sequence == ordering->needed
               ? NPART_OK
               : npart__fail(splitting->error, NPART_ERROR_ARGUMENT, "", "nodes of the file depend on themselves");
}

npart_status npart__split_order(struct npart__splitting *splitting)
{
    struct ordering ordering = {.splitting = splitting,
                                .queue = {.units = splitting->units},
                                .own = {.units = splitting->units},
                                .device = NPART_NONE};
    size_t room = (size_t)splitting->unit_count + 1;
    ordering.waits = npart__arena_zeroed(splitting->arena, room, sizeof *ordering.waits);
    ordering.free = npart__arena_zeroed(splitting->arena, room, sizeof *ordering.free);
    ordering.queue.heap = npart__arena_zeroed(splitting->arena, room, sizeof *ordering.queue.heap);
    ordering.own.heap = npart__arena_zeroed(splitting->arena, room, sizeof *ordering.own.heap);
    ordering.ready_of =
        npart__arena_zeroed(splitting->arena, (size_t)splitting->device_count + 1, sizeof *ordering.ready_of);
    ordering.ready_before = npart__arena_zeroed(splitting->arena, room, sizeof *ordering.ready_before);
    ordering.is_placed = npart__arena_zeroed(splitting->arena, room, sizeof *ordering.is_placed);
    if (!ordering.waits || !ordering.free || !ordering.queue.heap || !ordering.own.heap || !ordering.ready_of ||
        !ordering.ready_before || !ordering.is_placed || !list_users(splitting))
        return npart__fail_memory(splitting->error);
    find_needed(splitting, ordering.free);
    for (uint32_t i = 0; i < splitting->unit_count; i++) {
        const struct npart__unit *unit = &splitting->units[i];
        for (uint32_t k = 0; unit->kind != NPART__UNIT_KNOWN && k < unit->use_count; k++)
            ordering.waits[i] += maker(splitting, unit->first_use + k) != NPART_NONE;
    }
    /* From the last on: the list of those without a place is taken from its end, so the file's first comes first. */
    for (uint32_t i = splitting->unit_count; i-- > 0;) {
        ordering.needed += splitting->units[i].is_needed;
        if (splitting->units[i].is_needed && ordering.waits[i] == 0)
            release(&ordering, i);
    }
    return run(&ordering);
}
