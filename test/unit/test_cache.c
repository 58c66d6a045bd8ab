/* SPDX-License-Identifier: Apache-2.0
 *
 * A decoder whose cache grows, and what a fixed one asks of it: what is found, what is added, and what is refused with
 * which reason. One small decoder is the base of all; a case has other lines in the place of one of them.
 */
#include "support/changed_text.h"
#include "support/fixed_cache.h"
#include "support/model_text.h"
#include "support/test.h"

/* A head of 2 with 2 heads, one layer; absolute positions are given, and a mask over all slots. */
static const char base[] =
    "opset 17\n"
    "input ids int64[1,new]\n"
    "input mask int64[1,total]\n"
    "input positions int64[1,new]\n"
    "input past_k float32[1,2,past,2]\n"
    "input past_v float32[1,2,past,2]\n"
    "init words float32[100,4]\n"
    "init places float32[64,4]\n"
    "init w float32[4,4]\n"
    "init heads int64[4] = 0 0 2 2\n"
    "init joined int64[3] = 0 0 4\n"
    "init axes int64[2] = 1 2\n"
    "init zero int64[1] = 0\n"
    "init one int64[1] = 1\n"
    "init nothing int64[] = 0\n"
    "init step int64[] = 1\n"
    "init one_f float32[] = 1\n"
    "init closed float32[] = -10000\n"
    "init two float32[] = 2\n"
    "init open float32[] = 0\n"
    /* the number of slots, and of new tokens */
    "node mask_shape = Shape(past_k)\n"
    "init past_axis int64[] = 2\n"
    "node before = Gather(mask_shape, past_axis)\n"
    "node ids_shape = Shape(ids)\n"
    "init ids_axis int64[] = 1\n"
    "node tokens = Gather(ids_shape, ids_axis)\n"
    "node slots = Add(before, tokens)\n"
    /* tokens and positions */
    "node word = Gather(words, ids)\n"
    "node place = Gather(places, positions) @place\n"
    "node x = Add(word, place)\n"
    "node q = MatMul(x, w)\n"
    "node q4 = Reshape(q, heads)\n"
    "node query = Transpose(q4) perm=[0,2,1,3]\n"
    "node k = MatMul(x, w)\n"
    "node k4 = Reshape(k, heads)\n"
    "node new_k = Transpose(k4) perm=[0,2,1,3]\n"
    "node v = MatMul(x, w)\n"
    "node v4 = Reshape(v, heads)\n"
    "node new_v = Transpose(v4) perm=[0,2,1,3]\n"
    "node key = Concat(past_k, new_k) axis=2 @join\n"
    "node value = Concat(past_v, new_v) axis=-2\n"
    /* what hides empty slots, and later tokens */
    "node seen = Cast(mask) to=1\n"
    "node unseen = Sub(one_f, seen)\n"
    "node bias = Mul(unseen, closed)\n"
    "node hiding = Unsqueeze(bias, axes)\n"
    "node slot = Range(nothing, slots, step)\n"
    "node row = Range(before, slots, step)\n"
    "node row2 = Unsqueeze(row, one)\n"
    "node later = Greater(slot, row2)\n"
    "node causal = Where(later, closed, open)\n"
    "node turned = Transpose(key) perm=[0,1,3,2]\n"
    "node products = MatMul(query, turned) @products\n"
    "node scaled = Div(products, two)\n"
    "node ordered = Add(scaled, causal)\n"
    "node scores = Add(ordered, hiding)\n"
    "node weights = Softmax(scores) axis=-1 @softmax\n"
    "node mixed = MatMul(weights, value) @mix\n"
    "node mixed_t = Transpose(mixed) perm=[0,2,1,3]\n"
    "node flat = Reshape(mixed_t, joined)\n"
    "node y = Add(x, flat)\n"
    "output y\n"
    "node present_k = Identity(key)\n"
    "output present_k\n"
    "output value\n";

/* The base with other lines in the place of one; NULL: as it is. */
static char *change(const char *line, const char *by)
{
    const char *at = line ? strstr(base, line) : base;
    size_t length = line ? strlen(line) : 0;
    char *text = malloc(sizeof base + strlen(by ? by : "") + 1);
    REQUIRE(at && text);
    size_t before = (size_t)(at - base);
    memcpy(text, base, before);
    (void)strcpy(text + before, by ? by : "");
    (void)strcat(text, at + length);
    return text;
}

static void fix(struct fixed_cache *out, const char *line, const char *by, uint32_t slots, uint32_t tokens, bool shifts)
{
    char *text = change(line, by);
    fix_cache(out, text, slots, tokens, shifts);
    free(text);
}

/* ---- what is written --------------------------------------------------------------------------------------------- */

static void test_cache__contract(void)
{
    struct fixed_cache fixed;
    fix(&fixed, NULL, NULL, 16, 1, false);
    CHECK_TEXT(fixed.error.message, "");
    CHECK(fixed.cache.info.slots == 16 && fixed.cache.info.past == 15 && fixed.cache.pair_count == 2);
    CHECK(fixed.cache.info.order == NPART_SLOTS_ANY);
    CHECK(port_has_dims(cache_port(&fixed, NPART_PORT_TOKENS), 2, (const int64_t[]){1, 1}));
    CHECK_TEXT(cache_port(&fixed, NPART_PORT_TOKENS)->name, "ids");
    CHECK_TEXT(cache_port(&fixed, NPART_PORT_POSITIONS)->name, "positions");
    CHECK(port_has_dims(cache_port(&fixed, NPART_PORT_MASK), 2, (const int64_t[]){1, 16}));
    CHECK(port_has_dims(cache_port(&fixed, NPART_PORT_PAST), 4, (const int64_t[]){1, 2, 15, 2}));
    CHECK(port_has_dims(cache_port(&fixed, NPART_PORT_PRESENT), 4, (const int64_t[]){1, 2, 1, 2}));
    CHECK_TEXT(cache_port(&fixed, NPART_PORT_PRESENT)->name, "present_k");
    CHECK_TEXT(cache_port(&fixed, NPART_PORT_PRESENT)->past, "past_k");
    CHECK(!cache_port(&fixed, NPART_PORT_BIAS));
    /* The output is the new keys, without a node for it. */
    CHECK(count_ops(&fixed.made, "Identity") == 0);
    const char *text = npart__model_metadata(&fixed.made, NPART__CACHE_KEY);
    CHECK(text && strcmp(text, fixed.cache.info.text) == 0);
    CHECK(text && strstr(text, "{\"name\":\"past_v\",\"role\":\"past\",\"is_output\":false,\"is_added\":false,"
                               "\"type\":\"float32\",\"dims\":[1,2,15,2],\"axis\":2,\"past\":null,\"offset\":0}"));
    npart__arena_clear(&fixed.arena);
}

/* Keys that are repeated by head, or of which each slot gets other parts. */
static void test_cache__parts_of_slots(void)
{
    static const char line[] = "node turned = Transpose(key) perm=[0,1,3,2]\n";
    static const char *const cases[][2] = {
        {"init by int64[4] = 1 1 1 1\nnode same = Tile(key, by)\nnode turned = Transpose(same) perm=[0,1,3,2]\n", ""},
        {"init by int64[4] = 1 1 2 1\nnode twice = Tile(key, by)\nnode turned = Transpose(twice) perm=[0,1,3,2]\n",
         "sizes 18 and 9 do not broadcast"},
        {"init by int64[4] = 1 1 2 1\nnode twice = Tile(key, by)\nnode most = ReduceMax(twice)\n"
         "node less = Sub(key, most)\nnode turned = Transpose(less) perm=[0,1,3,2]\n", "does not grow by one axis"},
        {"init which int64[1,1] = 1\nnode whole = Transpose(key) perm=[3,1,2,0]\nnode part = Gather(whole, one)\n"
         "node other = Neg(part)\nnode both = ScatterND(whole, which, other)\n"
         "node turned = Transpose(both) perm=[3,1,0,2]\n", ""},
        {"init which int64[1,1] = 1\nnode whole = Transpose(key) perm=[3,1,2,0]\nnode part = Gather(whole, one)\n"
         "node both = ScatterND(whole, which, part) reduction=\"add\"\nnode turned = Transpose(both) perm=[3,1,0,2]\n",
         "which of its parts are written depends on slots"},
        {"init which int64[1,1] = 1\nnode whole = Transpose(key) perm=[2,1,3,0]\ninit part float32[1,2,2,1]\n"
         "node both = ScatterND(whole, which, part)\nnode turned = Transpose(both) perm=[3,1,2,0]\n",
         "it takes slots by their number"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixed_cache fixed;
        fix(&fixed, line, cases[i][0], 16, 4, false);
        if (*cases[i][1] && !strstr(fixed.error.message, cases[i][1]))
            CHECK_TEXT(fixed.error.message, cases[i][1]);
        if (!*cases[i][1])
            CHECK_TEXT(fixed.error.message, "");
        CHECK(!fixed.cache.info.counts_all);
        npart__arena_clear(&fixed.arena);
    }
}

/* A mask of something else is none of the new tokens, though it is computed with. */
static void test_cache__other_mask(void)
{
    struct fixed_cache fixed;
    fix(&fixed, "node y = Add(x, flat)\n",
        "input other int64[1,4]\nnode other_f = Cast(other) to=1\nnode sum = Add(x, flat)\n"
        "node y = Add(sum, other_f)\n", 16, 1, false);
    CHECK_TEXT(fixed.error.message, "");
    CHECK_TEXT(cache_port(&fixed, NPART_PORT_POSITIONS)->name, "positions");
    CHECK_TEXT(cache_port(&fixed, NPART_PORT_OTHER)->name, "other");
    npart__arena_clear(&fixed.arena);
}

/* The mask may be the first operand of the sum as well as the second. */
static void test_cache__mask_before_scores(void)
{
    struct fixed_cache fixed;
    fix(&fixed, "node scores = Add(ordered, hiding)\n", "node scores = Add(hiding, ordered)\n", 16, 1, false);
    CHECK_TEXT(fixed.error.message, "");
    CHECK(port_has_dims(cache_port(&fixed, NPART_PORT_MASK), 2, (const int64_t[]){1, 16}));
    npart__arena_clear(&fixed.arena);
    fix(&fixed, "node ordered = Add(scaled, causal)\n", "node ordered = Add(causal, scaled)\n", 16, 1, false);
    CHECK_TEXT(fixed.error.message, "");
    npart__arena_clear(&fixed.arena);
}

/* Exporters name the batch of each input for itself, or not at all. What it is of other inputs is not known. */
static void test_cache__batches(void)
{
    static const char line[] = "input mask int64[1,total]\n";
    static const char *const masks[] = {"input mask int64[rows,total]\n", "input mask int64[?,total]\n",
                                        "input mask bool[rows,total]\n"};
    for (size_t i = 0; i < 3; i++) {
        struct fixed_cache fixed;
        fix(&fixed, line, masks[i], 16, 4, false);
        CHECK_TEXT(fixed.error.message, "");
        CHECK(port_has_dims(cache_port(&fixed, NPART_PORT_MASK), 2, (const int64_t[]){1, 16}));
        npart__arena_clear(&fixed.arena);
    }
}

/* Cosines and sines of positions are two tables, which may have more rows than that of the tokens. */
static void test_cache__tables_of_positions(void)
{
    struct fixed_cache fixed;
    fix(&fixed, "node place = Gather(places, positions) @place\n",
        "init cosines float32[900,2]\ninit sines float32[900,2]\nnode cosine = Gather(cosines, positions)\n"
        "node sine = Gather(sines, positions)\nnode place = Concat(cosine, sine) axis=2\n", 16, 1, false);
    CHECK_TEXT(fixed.error.message, "");
    CHECK_TEXT(cache_port(&fixed, NPART_PORT_TOKENS)->name, "ids");
    CHECK_TEXT(cache_port(&fixed, NPART_PORT_POSITIONS)->name, "positions");
    npart__arena_clear(&fixed.arena);
    /* More rows, and fewer columns: neither can be told to be the tokens'. */
    fix(&fixed, "node place = Gather(places, positions) @place\n",
        "init thin float32[900,1]\nnode place = Gather(thin, positions) @place\n", 16, 1, false);
    CHECK_INT(fixed.status, NPART_ERROR_ARGUMENT);
    CHECK(strstr(fixed.error.message, "which input has the ids of tokens is not known"));
    npart__arena_clear(&fixed.arena);
}

static void test_cache__several_tokens(void)
{
    struct fixed_cache fixed;
    fix(&fixed, NULL, NULL, 16, 4, false);
    CHECK_TEXT(fixed.error.message, "");
    CHECK(port_has_dims(cache_port(&fixed, NPART_PORT_TOKENS), 2, (const int64_t[]){1, 4}));
    CHECK(port_has_dims(cache_port(&fixed, NPART_PORT_PAST), 4, (const int64_t[]){1, 2, 12, 2}));
    CHECK(port_has_dims(cache_port(&fixed, NPART_PORT_PRESENT), 4, (const int64_t[]){1, 2, 4, 2}));
    npart__arena_clear(&fixed.arena);
}

static void test_cache__shift(void)
{
    struct fixed_cache fixed;
    fix(&fixed, NULL, NULL, 16, 4, true);
    CHECK_TEXT(fixed.error.message, "");
    CHECK(port_has_dims(cache_port(&fixed, NPART_PORT_PRESENT), 4, (const int64_t[]){1, 2, 12, 2}));
    CHECK(count_ops(&fixed.made, "Slice") == 2);
    npart__arena_clear(&fixed.arena);
}

/* Positions that are slot numbers become an input; the causal mask goes on with slots. */
static void test_cache__positions(void)
{
    struct fixed_cache fixed;
    fix(&fixed, "node place = Gather(places, positions) @place\n",
        "node first = Unsqueeze(row, zero)\nnode place = Gather(places, first) @place\n", 16, 2, false);
    CHECK_TEXT(fixed.error.message, "");
    const struct npart_cache_port *added = added_port(&fixed);
    CHECK(port_has_dims(added, 2, (const int64_t[]){1, 2}));
    CHECK(added && added->role == NPART_PORT_POSITIONS && added->offset == 0);
    CHECK(count_ops(&fixed.made, "Range") == 2);
    npart__arena_clear(&fixed.arena);
    /* What stands between is made anew: positions begin at 2 in this table. */
    fix(&fixed, "node place = Gather(places, positions) @place\n",
        "init begin int64[1] = 2\nnode sum = CumSum(ids, nothing)\nnode none = Mul(sum, zero)\n"
        "node given = Add(row, begin)\n"
        "node first = Add(given, none)\nnode place = Gather(places, first) @place\n", 16, 2, false);
    CHECK_TEXT(fixed.error.message, "");
    added = added_port(&fixed);
    CHECK(port_has_dims(added, 1, (const int64_t[]){2}));
    CHECK(added && added->offset == 2);
    npart__arena_clear(&fixed.arena);
}

/* The length of all that is used, by which a model does otherwise past some length, is a number that the host gives. */
static void test_cache__length(void)
{
    static const char *const lengths[] = {
        "node slots_f = Cast(slots) to=1\nnode scaled = Div(products, slots_f)\n",
        "init long int64[] = 12\nnode is_long = Greater(slots, long)\nnode by = Where(is_long, one_f, two)\n"
        "node scaled = Div(products, by)\n",
    };
    for (size_t i = 0; i < NPART__COUNT(lengths); i++) {
        struct fixed_cache fixed;
        fix(&fixed, "node scaled = Div(products, two)\n", lengths[i], 16, 1, false);
        CHECK_TEXT(fixed.error.message, "");
        const struct npart_cache_port *added = added_port(&fixed);
        CHECK(port_has_dims(added, 0, NULL));
        CHECK(added && added->role == NPART_PORT_POSITIONS && added->offset == 1);
        npart__arena_clear(&fixed.arena);
    }
}

/* A Softmax that sees empty slots gets a bias. */
static void test_cache__bias(void)
{
    static const char *const unmasked[] = {
        "node scores = Add(ordered, open)\n",            /* nothing is added */
        ("node small = Mul(hiding, one_f)\ninit few float32[] = 0.01\nnode less = Mul(hiding, few)\n"
         "node scores = Add(ordered, less)\n"),          /* -100 */
    };
    for (size_t i = 0; i < NPART__COUNT(unmasked); i++) {
        struct fixed_cache fixed;
        fix(&fixed, "node scores = Add(ordered, hiding)\n", unmasked[i], 16, 1, false);
        CHECK_TEXT(fixed.error.message, "");
        CHECK(port_has_dims(cache_port(&fixed, NPART_PORT_BIAS), 4, (const int64_t[]){1, 1, 1, 16}));
        CHECK(cache_port(&fixed, NPART_PORT_BIAS) && cache_port(&fixed, NPART_PORT_BIAS)->is_added);
        npart__arena_clear(&fixed.arena);
    }
}

/* By what else slots are hidden, without a bias. */
static void test_cache__hidden(void)
{
    static const char *const masked[] = {
        "node empty = Equal(mask, zero)\nnode hidden = Unsqueeze(empty, axes)\n"
        "node scores = Where(hidden, closed, ordered)\n",
        "node full = Cast(mask) to=9\nnode open_b = Unsqueeze(full, axes)\n"
        "node scores = Where(open_b, ordered, closed)\n",
        "node more = Add(ordered, hiding)\nnode scores = Max(more, closed)\n",
        "node shut = Neg(hiding)\nnode scores = Sub(ordered, shut)\n",
        "node more = Add(ordered, hiding)\nnode scores = Div(more, two)\n",
        "node all = Add(hiding, causal)\nnode scores = Add(scaled, all)\n",
    };
    for (size_t i = 0; i < NPART__COUNT(masked); i++) {
        struct fixed_cache fixed;
        fix(&fixed, "node scores = Add(ordered, hiding)\n", masked[i], 16, 2, false);
        CHECK_TEXT(fixed.error.message, "");
        CHECK(fixed.status == NPART_OK && !cache_port(&fixed, NPART_PORT_BIAS));
        npart__arena_clear(&fixed.arena);
    }
}

/* What looks at how far back a slot is, or at the last ones alone. */
static void test_cache__order(void)
{
    static const char sloped[] = "node far = Sub(row2, slot)\nnode far_f = Cast(far) to=1\nnode slope = Neg(far_f)\n"
                                 "node sloped = Add(ordered, slope)\nnode scores = Add(sloped, hiding)\n";
    struct fixed_cache fixed;
    fix(&fixed, "node scores = Add(ordered, hiding)\n", sloped, 16, 1, false);
    CHECK_TEXT(fixed.error.message, "");
    CHECK(fixed.cache.info.order == NPART_SLOTS_RIGHT);
    npart__arena_clear(&fixed.arena);
    /* A window of the last eight tokens, of more slots than these; of fewer it hides nothing. */
    static const char window[] = "init wide int64[] = 8\nnode from = Sub(row2, wide)\n"
                                 "node old = LessOrEqual(slot, from)\n"
                                 "node near = Where(old, closed, ordered)\nnode scores = Add(near, hiding)\n";
    fix(&fixed, "node scores = Add(ordered, hiding)\n", window, 16, 1, false);
    CHECK_TEXT(fixed.error.message, "");
    CHECK(fixed.cache.info.order == NPART_SLOTS_RIGHT);
    npart__arena_clear(&fixed.arena);
    fix(&fixed, "node scores = Add(ordered, hiding)\n", window, 8, 1, false);
    CHECK_TEXT(fixed.error.message, "");
    CHECK(fixed.cache.info.order == NPART_SLOTS_ANY);
    npart__arena_clear(&fixed.arena);
}

/* Buckets of distances, as of T5: numbers made by Log are not known as integers, but are cut off below the end of the
 * table. One more bucket, and the table would have to be longer. */
static void test_cache__buckets(void)
{
    static const char buckets[] =
        "init eight int64[] = 8\ninit most int64[] = %d\ninit table float32[16,2]\nnode far = Sub(row2, slot)\n"
        "node is_small = Less(far, eight)\nnode far_f = Cast(far) to=1\nnode log = Log(far_f)\n"
        "node large_f = Mul(log, two)\nnode large = Cast(large_f) to=7\nnode few = Min(large, most)\n"
        "node bucket = Where(is_small, far, few)\nnode by_head = Gather(table, bucket) @buckets\n"
        "node biases = Transpose(by_head) perm=[2,0,1]\nnode sloped = Add(ordered, biases)\n"
        "node scores = Add(sloped, hiding)\n";
    for (int most = 15; most < 17; most++) {
        struct fixed_cache fixed;
        char text[sizeof buckets + 16];
        (void)snprintf(text, sizeof text, buckets, most);
        fix(&fixed, "node scores = Add(ordered, hiding)\n", text, 40, 1, false);
        CHECK_TEXT(fixed.error.place, most == 15 ? "" : "node 40 (Gather buckets)");
        CHECK(most == 16 || fixed.cache.info.order == NPART_SLOTS_RIGHT);
        npart__arena_clear(&fixed.arena);
    }
}

/* ---- what is refused --------------------------------------------------------------------------------------------- */

struct refused {
    const char *line, *by;
    uint32_t tokens;
    const char *place, *reason;
};

static const struct refused refusals[] = {
    {"output present_k\noutput value\n", "", 1, "", "no cache grows: no output is a Concat of an input and new slots"},
    {"input past_k float32[1,2,past,2]\n", "input past_k float32[1,2,7,2]\n", 1, "node 17 (Concat join)",
     "the cache has a fixed size already: input past_k"},
    {"input ids int64[1,new]\n", "input ids int64[1,1]\n", 2, "", "input ids has 1 tokens in the file, not 2"},
    {"init heads int64[4] = 0 0 2 2\n", "init heads int64[4] = 1 1 2 2\n", 2, "node 9 (Reshape)",
     "with 2 new tokens after 5 slots sizes do not fit: 8 elements cannot become 4"},
    {"input mask int64[1,total]\n", "input mask int64[1,total]\ninput other float32[other,3]\n", 1, "",
     "the size of other of input other is not known; give it by --dim"},
    /* A token sees later ones. */
    {"node ordered = Add(scaled, causal)\n", "node ordered = Add(scaled, open)\n", 2, "node 33 (Softmax softmax)",
     "a new token sees those after it"},
    /* Rotary positions over all keys of the cache, by their slots. */
    {"node turned = Transpose(key) perm=[0,1,3,2]\n",
     "node slot_f = Cast(slot) to=1\nnode angle = Cos(slot_f)\nnode angles = Unsqueeze(angle, one)\n"
     "node rotated = Mul(key, angles) @rotate\nnode turned = Transpose(rotated) perm=[0,1,3,2]\n", 1,
     "node 31 (Mul rotate)", "operand angles depends on the number of slots, and is no position of new tokens"},
    /* A part of a table by the number of slots. */
    {"node place = Gather(places, positions) @place\n",
     "node start = Unsqueeze(before, zero)\nnode stop = Unsqueeze(slots, zero)\n"
     "node place = Slice(places, start, stop, zero) @place\n", 1, "node 8 (Slice place)",
     "it takes a part by the number of slots"},
    /* The number of slots is that of all tokens, which is another for each new one. */
    {"node scaled = Div(products, two)\n",
     "node slots_f = Cast(slots) to=1\nnode scaled = Div(products, slots_f) @scale\n", 2, "node 31 (Div scale)",
     "operand slots_f depends on the number of slots"},
    /* All slots at once. */
    {"node weights = Softmax(scores) axis=-1 @softmax\n",
     "node weights = Sigmoid(scores) @softmax\n", 1, "node 34 (MatMul mix)",
     "it sums over all slots, and nothing makes empty ones 0"},
    {"node turned = Transpose(key) perm=[0,1,3,2]\n",
     "node mean = ReduceMean(key) axes=[2] keepdims=1 @mean\nnode centred = Sub(key, mean)\n"
     "node turned = Transpose(centred) perm=[0,1,3,2]\n", 1, "node 28 (ReduceMean mean)",
     "it reduces all slots to one number"},
    {"node turned = Transpose(key) perm=[0,1,3,2]\n",
     "node rising = CumSum(key, past_axis) @rise\nnode turned = Transpose(rising) perm=[0,1,3,2]\n", 1,
     "node 28 (CumSum rise)", "it sees the slots of the cache, and is not followed"},
    {"node turned = Transpose(key) perm=[0,1,3,2]\n",
     "init some int64[4] = 1 2 -1 2\nnode lost = Reshape(key, some) @lose\ninit back int64[4] = 1 2 2 -1\n"
     "node turned = Reshape(lost, back) @again\n", 1, "node 29 (Reshape again)",
     "the slots are joined with another axis"},
    {"node key = Concat(past_k, new_k) axis=2 @join\n",
     "node sink = Slice(past_k, zero, one, past_at)\ninit past_at int64[1] = 2\n"
     "node key_1 = Concat(past_k, new_k) axis=2 @join\nnode key = Concat(new_k, past_k) axis=2 @twist\n"
     "output key_1\n", 1, "node 19 (Concat twist)", "only new slots may follow those of the cache"},
    {"output y\n", "output y\noutput weights\n", 1, "", "output weights depends on the number of slots"},
    {"init places float32[64,4]\n", "init places float32[10,4]\n", 1, "node 6 (Gather place)",
     "a cache of 16 slots is longer than the table of positions, which has 10"},
    /* The last token stands at the last slot. */
    {"init places float32[64,4]\n", "init places float32[15,4]\n", 1, "node 6 (Gather place)",
     "a cache of 16 slots is longer than the table of positions, which has 15"},
    {"init places float32[64,4]\n", "init places float32[15,4]\n", 2, "node 6 (Gather place)",
     "a cache of 16 slots is longer than the table of positions, which has 15"},
    /* One token counts slots, all others are told where they stand; ids and what they are compared with. */
    {"node place = Gather(places, positions) @place\n",
     "init three int64[] = 3\nnode is_three = Equal(ids, three)\nnode sum = ReduceSum(slot) keepdims=0\n"
     "node at = Where(is_three, sum, positions) @choose\nnode place = Gather(places, at) @place\n", 1,
     "node 8 (Where choose)", "operand sum depends on the number of slots"},
    {"node place = Gather(places, positions) @place\n",
     "init some int64[] = 77\nnode is_some = Equal(ids, some)\nnode sum = ReduceSum(slot) keepdims=0\n"
     "node at = Where(is_some, sum, positions) @choose\nnode place = Gather(places, at) @place\n", 1,
     "node 8 (Where choose)", "operand sum depends on the number of slots"},
    /* Which the user gives for a purpose of its own, and so need not be 1. */
    {"node place = Gather(places, positions) @place\n",
     "input mode int64[1]\nnode is_one = Equal(mode, one)\nnode sum = ReduceSum(slot) keepdims=0\n"
     "node at = Where(is_one, positions, sum) @choose\nnode place = Gather(places, at) @place\n", 1,
     "node 8 (Where choose)", "operand sum depends on the number of slots"},
    /* One token is looked up further back than others. */
    {"node place = Gather(places, positions) @place\n",
     "init some int64[] = 77\nnode is_some = Equal(ids, some)\nnode far = Add(positions, past_50)\n"
     "init past_50 int64[] = 50\nnode at = Where(is_some, far, positions)\n"
     "node place = Gather(places, at) @place\n", 1, "node 9 (Gather place)",
     "a cache of 16 slots is longer than the table of positions, which has 64"},
    /* What is added at slots in use counts as well: the wrong sign, and more of the right one. */
    {"node scores = Add(ordered, hiding)\n", "node scores = Sub(ordered, hiding)\n", 1, "node 33 (Softmax softmax)",
     "as much may be added at empty slots as hides them"},
    {"node unseen = Sub(one_f, seen)\n", "node unseen = Add(one_f, seen)\n", 1, "node 33 (Softmax softmax)",
     "as much may be added at empty slots as hides them"},
    {"node bias = Mul(unseen, closed)\n", "node bias = Mul(seen, closed)\n", 1, "node 33 (Softmax softmax)",
     "as much may be added at empty slots as hides them"},
    /* Other ways to look up. */
    {"node place = Gather(places, positions) @place\n",
     "init few float32[15,4]\ninit wide int64[2] = 1 4\nnode at = Expand(positions, wide)\n"
     "node place = GatherElements(few, at) axis=0 @place\n", 1, "node 7 (GatherElements place)",
     "a cache of 16 slots is longer than the table of positions, which has 15"},
    {"node place = Gather(places, positions) @place\n",
     "init few float32[15,4]\ninit last int64[1] = -1\nnode column = Unsqueeze(positions, last)\n"
     "node place = GatherND(few, column) @place\n", 1, "node 7 (GatherND place)",
     "a cache of 16 slots is longer than the table of positions, which has 15"},
    {"node place = Gather(places, positions) @place\n",
     "init few float32[15,4]\nnode start = Reshape(positions, zero_1)\ninit zero_1 int64[1] = 1\n"
     "node stop = Add(start, one)\nnode part = Slice(few, start, stop, zero) @part\n"
     "node place = Unsqueeze(part, zero)\n", 1, "node 8 (Slice part)",
     "a cache of 16 slots is longer than the table of positions, which has 15"},
    {"node place = Gather(places, positions) @place\n",
     "init few float32[15,4]\ninit classes int64[1] = 15\ninit ends float32[2] = 0 1\n"
     "node class = OneHot(positions, classes, ends) @class\nnode place = MatMul(class, few)\n", 1,
     "node 6 (OneHot class)", "a cache of 16 slots is longer than the table of positions, which has 15"},
    {"node place = Gather(places, positions) @place\n",
     "init rows float32[20,4]\ninit last int64[1] = -1\nnode column = Unsqueeze(positions, last)\n"
     "node put = ScatterND(rows, column, word) @put\nnode most = ReduceMax(put)\n"
     "node found = Gather(places, positions) @place\nnode place = Add(found, most)\n", 1, "node 7 (ScatterND put)",
     "it is given positions, and how far it reads with them is not known"},
    /* All slots are quantized in each run. */
    {"node present_k = Identity(key)\n",
     "init scale float32[] = 1\nnode codes = QuantizeLinear(key, scale) @codes\nnode present_k = Identity(codes)\n", 1,
     "node 38 (QuantizeLinear codes)", "it quantizes the whole cache anew"},
    {"node key = Concat(past_k, new_k) axis=2 @join\n",
     "node key = com.microsoft:Unknown(past_k, new_k) @unknown\n", 1, "",
     "input past_k grows with the cache, and no output takes it on"},
};

static void test_cache__refusals(void)
{
    for (size_t i = 0; i < NPART__COUNT(refusals); i++) {
        const struct refused *at = &refusals[i];
        struct fixed_cache fixed;
        fix(&fixed, at->line, at->by, 16, at->tokens, false);
        bool is_right = fixed.status == NPART_ERROR_ARGUMENT && strcmp(fixed.error.place, at->place) == 0 &&
                        strstr(fixed.error.message, at->reason);
        if (!is_right)
            fprintf(stderr, "refusal %zu: %d, %s: %s\n", i, (int)fixed.status, fixed.error.place,
                    fixed.error.message);
        CHECK(is_right);
        npart__arena_clear(&fixed.arena);
    }
}

/* What stands in the place of the sum of words and places, and whether a token may depend on later ones by it. */
static void test_cache__padding(void)
{
    static const char sum[] = "node x = Add(word, place)\n", last[] = "output y\n";
    static const struct {
        const char *line, *by;
        bool counts_all;
    } cases[] = {
        {NULL, NULL, false},
        /* of positions, of the mask, as for a base that grows with the length */
        {sum, "node most = ReduceMax(positions) keepdims=0\nnode most_f = Cast(most) to=1\n"
              "node far = Mul(place, most_f)\nnode x = Add(word, far)\n", true},
        {sum, "node all = ReduceSum(mask) keepdims=0\nnode all_f = Cast(all) to=1\nnode long = Log(all_f)\n"
              "node far = Mul(place, long)\nnode x = Add(word, far)\n", true},
        /* no limit is passed at the sizes that are tried */
        {sum, "node most = ReduceMax(positions) keepdims=0\ninit limit int64[] = 4000\n"
              "node is_long = Greater(most, limit)\nnode by = Where(is_long, two, one_f)\n"
              "node far = Mul(place, by)\nnode x = Add(word, far)\n", true},
        /* the first one is always there; what is computed of it for shapes alone is nothing */
        {sum, "node by = Cast(positions) to=1\nnode by3 = Unsqueeze(by, past_axis)\nnode far = Mul(place, by3)\n"
              "node x = Add(word, far)\n", false},
        /* of ids, which are not known */
        {sum, "node is_word = Greater(ids, one)\nnode words_i = Cast(is_word) to=1\n"
              "node so_far = CumSum(words_i, ids_axis)\nnode by3 = Unsqueeze(so_far, past_axis)\n"
              "node far = Mul(place, by3)\nnode x = Add(word, far)\n", false},
        {sum, "node is_word = Greater(ids, one)\nnode words_i = Cast(is_word) to=1\n"
              "node so_far = CumSum(words_i, ids_axis) reverse=1\nnode by3 = Unsqueeze(so_far, past_axis)\n"
              "node far = Mul(place, by3)\nnode x = Add(word, far)\n", true},
        {sum, "node is_word = Greater(ids, one)\nnode words_i = Cast(is_word) to=1\n"
              "node so_far = ReduceSum(words_i) keepdims=0\nnode far = Mul(place, so_far)\n"
              "node x = Add(word, far)\n", true},
        /* of all tokens one scale, one mean, one softmax; of each its own */
        {sum, "node x_f = Add(word, place)\nnode x_q, x_s, x_z = DynamicQuantizeLinear(x_f)\n"
              "node x = DequantizeLinear(x_q, x_s, x_z)\n", true},
        {sum, "node x_f = Add(word, place)\nnode mean = ReduceMean(x_f) axes=[1]\nnode x = Sub(x_f, mean)\n", true},
        {sum, "node x_f = Add(word, place)\nnode mean = ReduceMean(x_f) axes=[2]\nnode x = Sub(x_f, mean)\n", false},
        {sum, "node x_f = Add(word, place)\nnode part = Softmax(x_f) axis=1\nnode x = Sub(x_f, part)\n", true},
        {sum, "node x_f = Add(word, place)\nnode part = Softmax(x_f) axis=2\nnode x = Sub(x_f, part)\n", false},
        /* rows become columns, without a Transpose */
        {sum, "node x_f = Add(word, place)\ninit mixed_up int64[3] = 1 4 -1\ninit back int64[3] = 1 -1 4\n"
              "node rows = Reshape(x_f, mixed_up)\nnode mean = ReduceMean(rows) axes=[1]\n"
              "node x_r = Sub(rows, mean)\nnode x = Reshape(x_r, back)\n", true},
        /* parts of each token, and one token for all */
        {sum, "node x_f = Add(word, place)\nnode x_t = Transpose(x_f) perm=[2,1,0]\ninit order int64[4,1] = 3 2 1 0\n"
              "node x_o = GatherND(x_t, order)\nnode x = Transpose(x_o) perm=[2,1,0]\n", false},
        {sum, "node x_f = Add(word, place)\nnode x_t = Transpose(x_f) perm=[1,0,2]\ninit first int64[1,1] = 0\n"
              "node x_o = GatherND(x_t, first)\nnode x = Sub(x_f, x_o)\n", true},
        /* the new tokens counted from the end, as T5 does */
        {sum, "node x_f = Add(word, place)\nnode minus = Neg(tokens)\nnode minus1 = Unsqueeze(minus, zero)\n"
              "init most int64[1] = 9223372036854775807\nnode x = Slice(x_f, minus1, most, one)\n", false},
        /* the last one alone, which is padding */
        {last, "init minus int64[1] = -1\ninit end int64[1] = 1000\nnode y_last = Slice(y, minus, end, one)\n"
               "output y_last\n", true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct fixed_cache fixed;
        fix(&fixed, cases[i].line, cases[i].by, 32, 4, false);
        CHECK_TEXT(fixed.error.message, "");
        CHECK_INT(fixed.cache.info.counts_all ? (int)i : -1, cases[i].counts_all ? (int)i : -1);
        npart__arena_clear(&fixed.arena);
        fix(&fixed, cases[i].line, cases[i].by, 32, 1, false);
        CHECK(!fixed.cache.info.counts_all);
        npart__arena_clear(&fixed.arena);
    }
}

static void test_cache__arguments(void)
{
    static const uint32_t wrong[][2] = {{16, 0}, {16, 16}, {1, 1}, {NPART__LIMIT_CACHE_SLOTS + 1, 1}};
    for (size_t i = 0; i < NPART__COUNT(wrong); i++) {
        struct fixed_cache fixed;
        fix(&fixed, NULL, NULL, wrong[i][0], wrong[i][1], false);
        CHECK(fixed.status == NPART_ERROR_ARGUMENT);
        npart__arena_clear(&fixed.arena);
    }
}

/* What stands next to the base is fixed or refused; what is written can be read (REQUIRE of fix_text). */
static void test_cache__neighbours(void)
{
    char *text;
    unsigned fixed_count = 0, refused_count = 0;
    for (unsigned i = 0; (text = changed_text(base, i)) != NULL; i++) {
        struct fixed_cache fixed;
        fix_cache(&fixed, text, 16, 1 + i % 2, i % 3 == 0);
        CHECK(fixed.status == NPART_OK || *fixed.error.message);
        fixed_count += fixed.status == NPART_OK;
        refused_count += fixed.status != NPART_OK;
        npart__arena_clear(&fixed.arena);
        free(text);
    }
    CHECK(fixed_count > 0 && refused_count > fixed_count / 10);
}

/* Caches that are as large before as after: written into, through a Transpose too, or joined and cut. */
static void test_cache__fixed_already(void)
{
    static const char *const ways[] = {
        "node kept = ScatterElements(past_k, place_ids, ids_f) axis=2\noutput kept\n",
        ("node past_t = Transpose(past_k) perm=[2,0,1,3]\nnode kept_t = ScatterND(past_t, at, fresh)\n"
         "node kept = Transpose(kept_t) perm=[1,2,0,3]\noutput kept\n"),
        "node joined = Concat(past_k, fresh_1) axis=2\nnode kept = Slice(joined, one_i, far, two_i)\noutput kept\n",
    };
    for (size_t i = 0; i < NPART__COUNT(ways); i++) {
        char text[1200];
        struct fixed_cache fixed;
        (void)snprintf(text, sizeof text,
                       "opset 17\ninput past_k float32[1,2,8,2]\ninput place_ids int64[1,2,1,2]\n"
                       "input ids_f float32[1,2,1,2]\ninput at int64[1,1]\ninput fresh float32[1,1,2,2]\n"
                       "input fresh_1 float32[1,2,1,2]\ninit one_i int64[1] = 1\ninit far int64[1] = 9\n"
                       "init two_i int64[1] = 2\n%s", ways[i]);
        fix_cache(&fixed, text, 16, 1, false);
        CHECK_INT(fixed.status, NPART_ERROR_ARGUMENT);
        CHECK(strstr(fixed.error.message, "the cache has a fixed size already"));
        npart__arena_clear(&fixed.arena);
    }
}

/* What a head attends to beside tokens: a column past all slots, the largest of a row is taken off, and the column goes
 * after the Softmax. */
static void test_cache__sinks(void)
{
    struct fixed_cache fixed;
    static const char weights[] = "node weights = Softmax(scores) axis=-1 @softmax\n";
    static const char sunk[] = "init sink float32[1,2,1,1]\ninit four int64[4] = 1 2 1 1\n"
                               "node wide = Concat(scores, sink) axis=-1\n"
                               "node top = ReduceMax(wide) axes=[-1] @top\nnode below = Sub(wide, top)\n"
                               "node all = Softmax(below) axis=-1\ninit last int64[1] = -1\n"
                               "init last_axis int64[1] = 3\n"
                               "node weights = Slice(all, zero, last, last_axis) @cut\n";
    fix(&fixed, weights, sunk, 16, 1, false);
    CHECK_TEXT(fixed.error.message, "");
    CHECK(fixed.cache.info.order == NPART_SLOTS_ANY);
    CHECK(!cache_port(&fixed, NPART_PORT_BIAS));
    npart__arena_clear(&fixed.arena);
    /* Where nothing hides empty slots the largest may be one of theirs. */
    char *text = change(weights, sunk), *hiding = strstr(text, "node scores = Add(ordered, hiding)\n");
    REQUIRE(hiding);
    memcpy(hiding, "node scores = Add(ordered, open  )\n", strlen("node scores = Add(ordered, hiding)\n"));
    fix_cache(&fixed, text, 16, 1, false);
    CHECK_INT(fixed.status, NPART_ERROR_ARGUMENT);
    CHECK(strstr(fixed.error.message, "it reduces all slots to one number"));
    npart__arena_clear(&fixed.arena);
    free(text);
}

/* The last rows of a table, one for each slot, as distances from the last token: right where slots are in order, and as
 * long as there are rows. */
static void test_cache__tail_of_a_table(void)
{
    struct fixed_cache fixed;
    static const char scores[] = "node scores = Add(ordered, hiding)\n";
    static const char tail[] = "init far float32[1,2,1,64]\nnode back = Neg(slots)\nnode from = Unsqueeze(back, zero)\n"
                               "init end int64[1] = 9223372036854775807\ninit last_axis int64[1] = 3\n"
                               "node near = Slice(far, from, end, last_axis) @tail\n"
                               "node placed = Add(ordered, near)\nnode scores = Add(placed, hiding)\n";
    fix(&fixed, scores, tail, 16, 1, false);
    CHECK_TEXT(fixed.error.message, "");
    CHECK(fixed.cache.info.order == NPART_SLOTS_RIGHT);
    npart__arena_clear(&fixed.arena);
    fix(&fixed, scores, tail, 80, 1, false);
    CHECK_INT(fixed.status, NPART_ERROR_ARGUMENT);
    npart__arena_clear(&fixed.arena);
}

/* A Cast to the type that it has hands the cache on; one to another does not. */
static void test_cache__idle_cast(void)
{
    struct fixed_cache fixed;
    fix(&fixed, "node present_k = Identity(key)\n", "node present_k = Cast(key) to=1\n", 16, 1, false);
    CHECK_TEXT(fixed.error.message, "");
    CHECK_INT(fixed.cache.pair_count, 2);
    npart__arena_clear(&fixed.arena);
    fix(&fixed, "node present_k = Identity(key)\n", "node present_k = Cast(key) to=10\n", 16, 1, false);
    CHECK(strstr(fixed.error.message, "input past_k grows with the cache, and no output takes it on"));
    npart__arena_clear(&fixed.arena);
}

/* Two states of one form, of which the second layer's depends on the first's; and what is handed on as it is. */
static void test_cache__states(void)
{
    struct fixed_cache fixed;
    unsigned found = 0;
    fix(&fixed, "node y = Add(x, flat)\n",
        "input early float32[1,4,3]\ninput late float32[1,4,3]\ninput kept float32[1,4,5]\n"
        "init third int64[1] = 2\ninit next int64[1] = 1\ninit past_end int64[1] = 4\n"
        "node turned_x = Transpose(x) perm=[0,2,1]\nnode joined_1 = Concat(early, turned_x) axis=2\n"
        "node early_next = Slice(joined_1, next, past_end, third)\n"
        "node sum_1 = ReduceSum(joined_1, third) keepdims=1\nnode joined_2 = Concat(late, sum_1) axis=2\n"
        "node late_next = Slice(joined_2, next, past_end, third)\n"
        "node sum_2 = ReduceSum(joined_2, third) keepdims=0\n"
        "node other_sum = ReduceSum(kept) keepdims=0\nnode stays = Identity(kept)\n"
        "node more = Add(sum_2, other_sum)\nnode with = Add(x, more)\nnode y = Add(with, flat)\n"
        "output late_next\noutput early_next\noutput stays\n", 16, 1, false);
    CHECK_TEXT(fixed.error.message, "");
    for (uint32_t i = 0; i < fixed.cache.ports.count; i++) {
        const struct npart_cache_port *at = &fixed.cache.ports.items[i];
        if (at->role == NPART_PORT_STATE && at->is_output) {
            CHECK_TEXT(at->past, at->name[0] == 'e' ? "early" : "late");
            found++;
        }
        CHECK(strcmp(at->name, "stays") != 0); /* an output that is an input says nothing, and goes */
        if (strcmp(at->name, "kept") == 0)
            CHECK_INT(at->role, NPART_PORT_OTHER);
        if (strcmp(at->name, "early") == 0 || strcmp(at->name, "late") == 0)
            CHECK_INT(at->role, NPART_PORT_STATE);
    }
    CHECK_INT(found, 2);
    CHECK_INT(npart__scope_at(&fixed.made, 0)->output_count, 5); /* y, two caches, two states */
    npart__arena_clear(&fixed.arena);
    /* Both depend on both: nothing is told of them. */
    fix(&fixed, "node y = Add(x, flat)\n",
        "input one_state float32[1,4]\ninput two_state float32[1,4]\nnode both = Add(one_state, two_state)\n"
        "node one_next = Neg(both)\nnode two_next = Abs(both)\nnode with = Add(x, both)\nnode y = Add(with, flat)\n"
        "output one_next\noutput two_next\n", 16, 1, false);
    CHECK_TEXT(fixed.error.message, "");
    CHECK(!cache_port(&fixed, NPART_PORT_STATE));
    npart__arena_clear(&fixed.arena);
}

/* The standard's operator with the cache before it, as torch exports it: what its mask hides. */
static void test_cache__attention_of_slots(void)
{
    static const struct {
        const char *lines, *message;
    } nodes[] = {
        {"node full = Cast(mask) to=9\nnode open_b = Unsqueeze(full, axes)\nnode early = Not(later)\n"
         "node seen_b = And(open_b, early)\nnode mixed = Attention(query, key, value, seen_b)\n", ""},
        {"node all = Add(hiding, causal)\nnode mixed = Attention(query, key, value, all)\n", ""},
        {"node mixed = Attention(query, key, value, hiding)\n", "sees those after it"},
        {"node early = Not(later)\nnode mixed = Attention(query, key, value, early)\n", "does not hide empty slots"},
        {"node mixed = Attention(query, key, value)\n", "does not hide empty slots"},
        {"node mixed = Attention(query, key, value, hiding) is_causal=1\n", "is causal, has a softcap"},
        {"node all = Add(hiding, causal)\nnode mixed = Attention(query, key, value, all) softcap=2.0\n",
         "is causal, has a softcap"},
        {"node first = Transpose(key) perm=[0,2,1,3]\nnode mixed = Attention(query, first, value, hiding)\n",
         "the slots are none of its keys and values"},
    };
    for (size_t i = 0; i < NPART__COUNT(nodes); i++) {
        struct fixed_cache fixed;
        char *text = change("node mixed = MatMul(weights, value) @mix\n", nodes[i].lines);
        char *newer = replaced_text(text, "opset 17\n", "opset 23\n");
        fix_cache(&fixed, newer, 16, 2, false);
        CHECK(nodes[i].message[0] ? strstr(fixed.error.message, nodes[i].message) != NULL
                                  : fixed.error.message[0] == 0);
        CHECK(nodes[i].message[0] || count_ops(&fixed.made, "Attention") == 1);
        free(text);
        free(newer);
        npart__arena_clear(&fixed.arena);
    }
}

/* Scores of slots beside a column of something else, as exporters write a sink, too. */
static void test_cache__columns(void)
{
    static const char *const lines[] = {
        "node all = Concat(scores, sink) axis=3\nnode shares = Softmax(all) axis=-1\n",
        "node all = Concat(sink, scores) axis=3\nnode shares = Softmax(all) axis=-1\n",
        "node all_0 = Concat(scores, sink) axis=3\nnode all = Mul(all_0, one_f)\nnode shares = Softmax(all) axis=-1\n",
    };
    static const char *const messages[] = {"", "only new slots may follow those of the cache",
                                           "what takes part in it beside the slots stands elsewhere"};
    for (size_t i = 0; i < NPART__COUNT(lines); i++) {
        char by[600];
        struct fixed_cache fixed;
        (void)snprintf(by, sizeof by,
                       "init sink float32[1,2,1,1]\n%sinit three int64[1] = 3\n"
                       "node weights = Slice(shares, zero, slots1, three) @softmax\n", lines[i]);
        char *text = change("node weights = Softmax(scores) axis=-1 @softmax\n", by);
        char *bare = replaced_text(text, "node scores = Add(ordered, hiding)\n",
                              "node scores = Identity(ordered)\nnode slots1 = Unsqueeze(slots, zero)\n");
        fix_cache(&fixed, bare, 16, 1, false);
        CHECK(messages[i][0] ? strstr(fixed.error.message, messages[i]) != NULL : fixed.error.message[0] == 0);
        CHECK(i > 0 || port_has_dims(cache_port(&fixed, NPART_PORT_BIAS), 4, (const int64_t[]){1, 1, 1, 16}));
        CHECK(i > 0 || fixed.cache.info.order == NPART_SLOTS_ANY);
        free(text);
        free(bare);
        npart__arena_clear(&fixed.arena);
    }
}

TESTS(test_cache__contract, test_cache__other_mask, test_cache__mask_before_scores, test_cache__batches,
      test_cache__parts_of_slots,
      test_cache__tables_of_positions,
      test_cache__several_tokens,
      test_cache__shift, test_cache__positions, test_cache__length, test_cache__bias, test_cache__hidden,
      test_cache__order, test_cache__buckets, test_cache__refusals, test_cache__arguments,
      test_cache__neighbours, test_cache__sinks, test_cache__tail_of_a_table, test_cache__fixed_already,
      test_cache__idle_cast, test_cache__states, test_cache__attention_of_slots, test_cache__columns,
      test_cache__padding)
