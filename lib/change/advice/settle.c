/* SPDX-License-Identifier: Apache-2.0
 *
 * What is told of the way: steps that pay. Some that pay only together are one step, and what comes to nothing goes.
 */
#include "advice/way.h"

struct npart__outcome npart__outcome_after(const struct npart__after *after)
{
    const struct npart_summary summary = {.live = after->live,
                                          .accepted = after->accepted,
                                          .failed = after->failed,
                                          .partitions = after->partitions,
                                          .verdict = after->verdict};
    return npart__outcome_of_counts(&summary, after->elsewhere, after->bill ? after->cost_ms.typical_ms : -1);
}

/* A model that is not quantized has nothing on a chip of integers, so quantizing it is what the chip asks for, however
 * long a run then takes: that the recommendation tells. */
enum npart_pays npart__kind_pays(const char *kind, const struct npart__outcome *before,
                                 const struct npart__outcome *after)
{
    if (strcmp(kind, npart__kind_word(NPART__KIND_END)) == 0 || strcmp(kind, npart__kind_word(NPART__KIND_BEGIN)) == 0)
        return npart__end_pays(before, after);
    enum npart_pays pays = npart__step_pays(before, after);
    bool is_first = before->partitions == NPART_NONE && !before->failed && after->partitions != NPART_NONE &&
                    !after->failed && strcmp(kind, npart__kind_word(NPART__KIND_QUANTIZE)) == 0;
    return pays == NPART_PAYS_NOTHING && is_first ? NPART_PAYS_MORE_ON_NPU : pays;
}

/* "a b" and "b c" are "a b c". */
static const char *join_words(struct npart__arena *arena, const char *a, const char *b)
{
    return !*a ? b : !*b || npart__lists_word(a, b) ? a : npart__arena_format(arena, "%s %s", a, b);
}

/* The weaker one, from `bits`; "other" is the weakest, and "" says nothing. */
static const char *weaker(const char *a, const char *b)
{
    const char *found = *a ? a : b;
    for (int i = NPART_EQUAL_BITS; i <= NPART_EQUAL_APPROX; i++) {
        const char *word = npart_equality_text((enum npart_equality)i);
        if (strcmp(a, word) == 0)
            found = *b ? b : a;
        if (strcmp(a, word) == 0 || strcmp(b, word) == 0)
            break;
    }
    return found;
}

/* What both are together: the later one's outcome, and all that they say. */
static bool merge(struct npart__way *way, const struct npart__action *first, struct npart__action *second)
{
    struct npart__arena *arena = way->arena;
    uint32_t *lists, from = way->out->lists.count;
    second->text = npart__arena_format(arena, "%s. %s", first->text, second->text);
    second->command = second->command ? second->command : first->command;
    second->rewrites = join_words(arena, first->rewrites, second->rewrites);
    second->equality = weaker(first->equality, second->equality);
    if (!second->text || !second->rewrites)
        return false;
    for (uint32_t i = 0; i < first->cause_count + second->cause_count; i++) {
        lists = way->out->lists.items; /* pushing moves them */
        uint32_t cause = i < first->cause_count ? lists[first->first_cause + i]
                                                : lists[second->first_cause + i - first->cause_count];
        if (!NPART__PUSH(arena, &way->out->lists, cause))
            return false;
    }
    second->cause_count += first->cause_count;
    second->first_cause = from;
    return true;
}

/* Whether a later step says the same: it is told once. */
static bool is_step(const struct npart__way *way, const struct npart__action *other)
{
    for (uint32_t i = 0; i < way->steps; i++)
        if (strcmp(way->out->items.items[i].text, other->text) == 0)
            return true;
    return false;
}

/* Of what may take a step's place that which pays in its place, where the step stands alone. */
static void settle_others(struct npart__way *way, uint32_t steps, const uint32_t *place_of,
                          const struct npart__outcome *befores)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < way->others.count; i++) {
        struct npart__action other = way->others.items[i];
        uint32_t place = other.instead_of < steps ? place_of[other.instead_of] : NPART_NONE;
        if (place == NPART_NONE)
            continue;
        struct npart__outcome after = npart__outcome_after(&other.after);
        other.pays = npart__kind_pays(other.kind, &befores[place], &after);
        other.instead_of = place;
        other.need_count = other.need_count < place ? other.need_count : place;
        if (other.pays && !is_step(way, &other))
            way->others.items[kept++] = other;
    }
    way->others.count = kept;
}

static bool tell_none(struct npart__way *way, const char *text)
{
    const struct npart__action none = {.kind = npart__kind_word(NPART__KIND_NONE),
                                       .text = text,
                                       .rewrites = "",
                                       .equality = "",
                                       .instead_of = NPART_NONE,
                                       .after = npart__as_it_is(way->open)};
    return NPART__PUSH(way->arena, &way->out->items, none);
}

bool npart__way_tell_unsearched(struct npart__way *way)
{
    const char *how = way->request->unsearched;
    return !how || npart__is_done(&way->open->summary) || tell_none(way, how);
}

npart_status npart__way_settle(struct npart__way *way)
{
    struct npart__action *items = way->out->items.items;
    const struct npart__outcome open = npart__outcome_of(way->open);
    uint32_t kept = 0, first = 0;
    uint32_t *place_of = npart__arena_zeroed(&way->scratch, way->steps + (size_t)1, sizeof *place_of);
    struct npart__outcome *befores = npart__arena_zeroed(&way->scratch, way->steps + (size_t)1, sizeof *befores);
    struct npart__outcome at = open;
    if (!place_of || !befores)
        return npart__fail_memory(way->error);
    for (uint32_t i = 0; i < way->steps; i++) {
        struct npart__action action = items[i];
        struct npart__outcome after = npart__outcome_after(&action.after);
        action.pays = npart__kind_pays(action.kind, &at, &after);
        place_of[i] = action.pays && first == i ? kept : NPART_NONE;
        if (!action.pays)
            continue;
        for (uint32_t k = i; k-- > first;)
            if (!merge(way, &items[k], &action))
                return npart__fail_memory(way->error);
        action.need_count = action.need_count < kept ? action.need_count : kept;
        befores[kept] = at;
        items[kept++] = action;
        at = after;
        first = i + 1;
    }
    uint32_t steps = way->steps;
    way->out->items.count = way->steps = kept;
    settle_others(way, steps, place_of, befores);
    /* A model that fails, and that no step makes run: said, so that nobody looks for it. */
    bool has_none = open.failed && !kept && !way->request->unsearched;
    return !has_none || tell_none(way, "No known step makes it compile") ? NPART_OK : npart__fail_memory(way->error);
}
