/* SPDX-License-Identifier: Apache-2.0
 *
 * Caches of fewer slots than others, as of layers with a window, and caches whose size the file has.
 */
#include "support/fixed_cache.h"
#include "support/test.h"

/* ---- windows ----------------------------------------------------------------------------------------------------- */

static void fix_windows(struct fixed_cache *out, const char *line, const char *by, uint32_t tokens, bool shifts)
{
    char *text = replaced_text(window_decoder, line, by);
    fix_cache_by(out, text, &(struct npart__cache_request){16, tokens, shifts, true});
    free(text);
}

/* Slots of the past that each input has, and of what comes out. */
static bool has_slots(const struct fixed_cache *fixed, bool is_output, int64_t first, int64_t second)
{
    const int64_t wanted[] = {first, second};
    uint32_t found = 0;
    for (uint32_t i = 0; i < fixed->cache.ports.count; i++) {
        const struct npart_cache_port *at = &fixed->cache.ports.items[i];
        if (at->role != NPART_PORT_PAST && at->role != NPART_PORT_PRESENT)
            continue;
        if (at->is_output == is_output && (found == 2 || at->dims[2] != wanted[found++]))
            return false;
    }
    return found == 2;
}

/* What the file itself declares. */
static int64_t declared_slots(const struct fixed_cache *fixed, const char *name)
{
    const struct npart__scope *scope = npart__scope_at(&fixed->made, 0);
    for (uint32_t i = 0; i < scope->input_count; i++) {
        uint32_t value = fixed->made.operands.items[scope->first_input + i];
        if (strcmp(npart__value_name(&fixed->made, value), name) == 0)
            return npart__value_at(&fixed->made, value)->declared->dims[2].value;
    }
    return -1;
}

/* Columns of a value of the file; -1: there is none of that name. */
static int64_t columns_of(const struct fixed_cache *fixed, const struct npart__inference *inference, const char *name)
{
    for (uint32_t i = 0; i < fixed->made.values.count; i++) {
        const struct npart__fact *fact = npart__fact_of(inference, i);
        if (strcmp(npart__value_name(&fixed->made, i), name) == 0 && fact->rank)
            return fact->dims[fact->rank - 1u];
    }
    return -1;
}

static void test_cache__windows(void)
{
    static const struct npart__infer_options nothing;
    for (uint32_t tokens = 1; tokens < 5; tokens += 3) {
        for (int shifts = 0; shifts < 2; shifts++) {
            struct fixed_cache fixed;
            struct npart__inference inference;
            fix_windows(&fixed, "output y\n", "output y\n", tokens, shifts != 0);
            CHECK_TEXT(fixed.error.message, "");
            CHECK(fixed.cache.info.past == 16 - tokens && fixed.cache.info.order == NPART_SLOTS_RIGHT);
            CHECK(has_slots(&fixed, false, 7, 16 - tokens));
            CHECK(has_slots(&fixed, true, shifts ? 7 : tokens, shifts ? 16 - tokens : tokens));
            CHECK_INT(declared_slots(&fixed, "past_0"), 7);
            CHECK_INT(declared_slots(&fixed, "past_1"), 16 - tokens);
            /* All sizes fit, and what counts slots still counts all. */
            CHECK_INT(npart__infer(&fixed.made, &nothing, &fixed.arena, &inference, &fixed.error), NPART_OK);
            CHECK_INT(inference.contradicted.count, 0);
            /* The other layer sees all of them, though it shares a mask with that of the window. */
            CHECK_INT(columns_of(&fixed, &inference, "scores_1"), 16);
            CHECK_INT(columns_of(&fixed, &inference, "weights_1"), 16);
            npart__arena_clear(&fixed.arena);
        }
    }
}

/* Slots that something else looks at stay: another layer's attention, an output, a window of all slots. */
static void test_cache__windows_refused(void)
{
    static const char message[] = "no layer was found to have a window of fewer than 16 slots";
    static const char *const changes[][2] = {
        {"node near_0 = Add(products_0, near)\n", "node near_0 = Add(products_0, causal)\n"},
        {"init wide int64[] = 8\n", "init wide int64[] = 16\n"},
        {"node turned_1 = Transpose(key_1) perm=[0,1,3,2]\n",
         "node sum_1 = Add(key_1, key_0)\nnode turned_1 = Transpose(sum_1) perm=[0,1,3,2]\n"},
        {"node near = Where(old, closed, causal)\n", /* some of what is old is seen */
         "init twelve int64[] = 12\nnode before_12 = Sub(row, twelve)\nnode is_seen = Equal(slot, before_12)\n"
         "node unseen_12 = Not(is_seen)\nnode hidden = And(old, unseen_12)\n"
         "node near = Where(hidden, closed, causal)\n"},
    };
    for (size_t i = 0; i < NPART__COUNT(changes); i++) {
        struct fixed_cache fixed;
        fix_windows(&fixed, changes[i][0], changes[i][1], 1, false);
        if (i == 3) /* fewer slots go than the window would let */
            CHECK(fixed.status == NPART_OK && has_slots(&fixed, false, 12, 15));
        else
            CHECK_TEXT(strstr(fixed.error.message, message) ? "" : fixed.error.message, "");
        npart__arena_clear(&fixed.arena);
    }
}

/* ---- a size that the file has ------------------------------------------------------------------------------------ */

/* A cache of 8 slots, of which the last lines make the next one. */
static const char whole[] =
    "opset 24\ninput ids int64[1,1]\ninput at int64[1]\ninput other int64[1]\ninput past float32[1,2,8,2]\n"
    "init words float32[100,4]\ninit heads int64[4] = 1 1 2 2\ninit dims int64[4] = 1 2 1 2\ninit one int64[1] = 1\n"
    "init two int64[1] = 2\ninit nine int64[1] = 9\n"
    "node x = Gather(words, ids)\nnode x4 = Reshape(x, heads)\nnode fresh = Transpose(x4) perm=[0,2,1,3]\n"
    "node column = Unsqueeze(at, one)\nnode places = Expand(at, dims)\n"
    "node past_t = Transpose(past) perm=[2,0,1,3]\nnode fresh_t = Transpose(fresh) perm=[2,0,1,3]\n";

static const struct {
    const char *lines;
    enum npart_slot_order order;
    uint32_t slots;
    const char *message; /* NULL: it is taken */
} ways[] = {
    {"node kept = ScatterElements(past, places, fresh) axis=2\n", NPART_SLOTS_LEFT, 8, NULL},
    {"node kept = TensorScatter(past, fresh, at)\n", NPART_SLOTS_LEFT, 8, NULL},
    {"node kept_t = ScatterND(past_t, column, fresh_t)\nnode kept = Transpose(kept_t) perm=[1,2,0,3]\n",
     NPART_SLOTS_LEFT, 8, NULL},
    {"node kept = Concat(past, fresh) axis=2\n", NPART_SLOTS_RIGHT, 9, NULL},
    {"node both = Concat(past, fresh) axis=2\nnode kept = Slice(both, one, nine, two)\n", NPART_SLOTS_RIGHT, 9, NULL},
    {"node kept = ScatterElements(past, places, fresh) axis=2\n", NPART_SLOTS_LEFT, 9,
     "only --cache 8 --tokens 1 --present new"},
    {"node kept = ScatterElements(past, places, fresh) axis=2 reduction=\"add\"\n", NPART_SLOTS_LEFT, 8,
     "no cache grows"},
    {"node next = Add(at, one)\nnode places_1 = Expand(next, dims)\n"
     "node kept = ScatterElements(past, places_1, fresh) axis=2\n", NPART_SLOTS_LEFT, 8,
     "which of its slots are written is not what an input says"},
};

static void test_cache__whole(void)
{
    for (size_t i = 0; i < NPART__COUNT(ways); i++) {
        char text[sizeof whole + 256];
        struct fixed_cache fixed;
        (void)snprintf(text, sizeof text, "%s%snode y = Add(x, x)\noutput y\noutput kept\n", whole, ways[i].lines);
        fix_cache(&fixed, text, ways[i].slots, 1, false);
        CHECK(ways[i].message ? strstr(fixed.error.message, ways[i].message) != NULL : !*fixed.error.message);
        if (fixed.status == NPART_OK) {
            bool is_left = ways[i].order == NPART_SLOTS_LEFT;
            CHECK(fixed.cache.was_fixed && fixed.cache.info.order == ways[i].order && fixed.cache.info.past == 8);
            CHECK(port_has_dims(cache_port(&fixed, NPART_PORT_PRESENT), 4, (const int64_t[]){1, 2, 1, 2}));
            CHECK(is_left ? strcmp(cache_port(&fixed, NPART_PORT_POSITIONS)->name, "at") == 0
                          : !cache_port(&fixed, NPART_PORT_POSITIONS));
            /* Nothing is made that was not there. */
            CHECK_INT(count_ops(&fixed.made, "Transpose"), 1);
        }
        npart__arena_clear(&fixed.arena);
    }
}

TESTS(test_cache__windows, test_cache__windows_refused, test_cache__whole)
