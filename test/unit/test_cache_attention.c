/* SPDX-License-Identifier: Apache-2.0
 *
 * Decoders whose operators of attention keep the cache themselves.
 */
#include "support/fixed_cache.h"
#include "support/test.h"

/* ---- GroupQueryAttention ----------------------------------------------------------------------------------------- */

/* 4 heads of 2, of which 2 share a key; lengths come from the mask, as ONNX Runtime's exporter writes it. */
static const char grouped[] =
    "opset 17\nopset com.microsoft 1\n"
    "input ids int64[batch,new]\ninput mask int64[batch,total]\n"
    "input past_k float32[batch,2,past,head]\ninput past_v float32[batch,2,past,head]\n"
    "init words float32[100,8]\ninit to_all float32[8,16]\ninit cosines float32[64,1]\ninit sines float32[64,1]\n"
    "init one int64[1] = 1\ninit axis int64[] = 1\n"
    "node sum = ReduceSum(mask, one) keepdims=0\nnode less = Sub(sum, one)\nnode lengths = Cast(less) to=6\n"
    "node shape = Shape(mask)\nnode longest = Gather(shape, axis)\nnode total_length = Cast(longest) to=6\n"
    "node x = Gather(words, ids)\nnode all = MatMul(x, to_all)\n"
    "node y, k, v = com.microsoft:GroupQueryAttention(all, , , past_k, past_v, lengths, total_length, cosines, sines)"
    " num_heads=4 kv_num_heads=2 do_rotary=1 @attention\n"
    "node z = Add(x, y)\noutput z\noutput k float32[batch,2,total,head]\noutput v float32[batch,2,total,head]\n";

/* With more attributes, lines, and operands after those of the tables. */
static void fix_grouped_with(struct fixed_cache *out, const char *attributes, const char *lines, const char *operands,
                             uint32_t tokens)
{
    char text[sizeof grouped + 256];
    const char *first = strstr(grouped, "init words"), *end = strstr(grouped, ") num_heads=4");
    const char *at = strstr(grouped, " @attention");
    REQUIRE(first && end && at);
    (void)snprintf(text, sizeof text, "%.*s%sinit sinks float32[4]\ninit gain float32[2]\n%.*s%s%.*s %s%s",
                   (int)(first - grouped), grouped, lines, (int)(end - first), first, operands, (int)(at - end), end,
                   attributes, at);
    fix_cache(out, text, 16, tokens, false);
}

static void fix_grouped(struct fixed_cache *out, const char *attributes, uint32_t tokens)
{
    fix_grouped_with(out, attributes, "", "", tokens);
}

/* Opset 13 is the first with all that it becomes. */
static void test_cache__grouped_opset(void)
{
    for (unsigned opset = 12; opset <= 14; opset++) {
        char text[sizeof grouped + 256];
        struct fixed_cache fixed;
        (void)snprintf(text, sizeof text, "opset %u%s", opset, grouped + strlen("opset 17"));
        fix_cache(&fixed, text, 16, 1, false);
        CHECK_TEXT(fixed.error.message, opset < 13 ? "the cache cannot be fixed: the model has an opset below 13" : "");
        npart__arena_clear(&fixed.arena);
    }
}

static void test_cache__grouped(void)
{
    for (uint32_t tokens = 1; tokens < 5; tokens += 3) {
        struct fixed_cache fixed;
        fix_grouped(&fixed, "", tokens);
        CHECK_TEXT(fixed.error.message, "");
        CHECK(count_ops(&fixed.made, "com.microsoft:GroupQueryAttention") == 0);
        CHECK(count_ops(&fixed.made, "MatMul") == 3);
        CHECK(count_ops(&fixed.made, "Greater") == (tokens > 1));
        CHECK(port_has_dims(cache_port(&fixed, NPART_PORT_PAST), 4, (const int64_t[]){1, 2, 16 - tokens, 2}));
        CHECK(port_has_dims(cache_port(&fixed, NPART_PORT_POSITIONS), 2, (const int64_t[]){tokens, 1}));
        CHECK(port_has_dims(cache_port(&fixed, NPART_PORT_BIAS), 4, (const int64_t[]){1, 1, 1, 16}));
        CHECK(!cache_port(&fixed, NPART_PORT_MASK)); /* which nothing uses any more */
        CHECK_INT(npart__scope_at(&fixed.made, 0)->input_count, 5);
        npart__arena_clear(&fixed.arena);
    }
}

/* What else the operator does: in which order slots may be then, and whether they may be anywhere. */
static void test_cache__grouped_variants(void)
{
    static const char ids[] = "input positions int64[batch,new]\n", rows[] = "input given float32[1,1,new,total]\n";
    static const char both[] = "input positions int64[batch,new]\ninput given float32[1,1,new,total]\n";
    static const struct {
        const char *attributes, *lines, *operands;
        enum npart_slot_order order;
        uint32_t bias; /* columns of the one that is added; 0: none is */
    } variants[] = {
        {"local_window_size=8", "", "", NPART_SLOTS_RIGHT, 16},
        {"local_window_size=8 sliding_window_cache=1", "", "", NPART_SLOTS_RIGHT, 16},
        {"local_window_size=20", "", "", NPART_SLOTS_ANY, 16}, /* longer than the cache */
        {"softcap=2.0", "", "", NPART_SLOTS_ANY, 16},
        {"rotary_interleaved=1", "", "", NPART_SLOTS_ANY, 16},
        {"smooth_softmax=1", "", "", NPART_SLOTS_ANY, 16},
        {"", "", ", , , sinks", NPART_SLOTS_ANY, 16},
        {"local_window_size=8 softcap=2.0 rotary_interleaved=1", "", ", , , sinks", NPART_SLOTS_RIGHT, 16},
        {"", ids, ", positions", NPART_SLOTS_ANY, 16},
        {"", rows, ", , given", NPART_SLOTS_ANY, 0},
        {"", both, ", positions, given, sinks", NPART_SLOTS_ANY, 0},
        {"", "", ", , , , , , gain, gain", NPART_SLOTS_ANY, 16},
    };
    for (size_t i = 0; i < NPART__COUNT(variants); i++) {
        for (uint32_t tokens = 1; tokens < 5; tokens += 3) {
            struct fixed_cache fixed;
            fix_grouped_with(&fixed, variants[i].attributes, variants[i].lines, variants[i].operands, tokens);
            CHECK_TEXT(fixed.error.message, "");
            CHECK_INT(fixed.cache.info.order, variants[i].order);
            CHECK(count_ops(&fixed.made, "com.microsoft:GroupQueryAttention") == 0);
            const int64_t bias[] = {1, 1, 1, variants[i].bias};
            CHECK(variants[i].bias ? port_has_dims(cache_port(&fixed, NPART_PORT_BIAS), 4, bias)
                                   : !cache_port(&fixed, NPART_PORT_BIAS));
            npart__arena_clear(&fixed.arena);
        }
    }
}

static void test_cache__grouped_refused(void)
{
    static const struct {
        const char *attributes, *operands, *message;
    } refused[] = {
        {"sliding_window_cache=1", "", "positive where slots are evicted"},
        {"k_quant_type=\"PER_TENSOR\"", "", "its cache is quantized"},
        {"", ", , , , cosines, cosines", "its cache is quantized"},
        {"local_window_size=0", "", "local_window_size must be -1 or positive;"},
        {"causal=0 local_window_size=4", "", "local_window_size must be -1 or positive;"},
        {"", ", , , , , , gain", "it normalizes queries or keys alone"},
        {"", ", , , , , , , , lengths", "(query_seqlens)"},
        {"", ", , lengths", "its attention_bias are not known"},
    };
    for (size_t i = 0; i < NPART__COUNT(refused); i++) {
        struct fixed_cache fixed;
        fix_grouped_with(&fixed, refused[i].attributes, "", refused[i].operands, 1);
        CHECK_INT(fixed.status, NPART_ERROR_ARGUMENT);
        CHECK_TEXT(fixed.error.place, "node 8 (GroupQueryAttention attention)");
        CHECK(strstr(fixed.error.message, refused[i].message));
        npart__arena_clear(&fixed.arena);
    }
    /* Later tokens are seen, so there may be none. */
    for (uint32_t tokens = 1; tokens < 5; tokens += 3) {
        struct fixed_cache fixed;
        fix_grouped(&fixed, "causal=0", tokens);
        CHECK_INT(fixed.status, tokens == 1 ? NPART_OK : NPART_ERROR_ARGUMENT);
        CHECK(tokens == 1 || strstr(fixed.error.message, "a new token sees those after it"));
        npart__arena_clear(&fixed.arena);
    }
}

/* The standard's operator and ONNX Runtime's other one, which have the cache as operands, too. */
static void test_cache__attention(void)
{
    static const struct {
        const char *node;
        uint32_t tokens; /* that may be taken at a time, at most */
        bool has_bias;
        const char *message;
    } nodes[] = {
        {"Attention(q, k, v, , past_k, past_v) q_num_heads=4 kv_num_heads=4 is_causal=1", 4, true, ""},
        {"Attention(q, k, v, , past_k, past_v) q_num_heads=4 kv_num_heads=4", 1, true, "sees those after it"},
        {"Attention(q, k, v, seen, past_k, past_v) q_num_heads=4 kv_num_heads=4 is_causal=1", 4, false, ""},
        {"com.microsoft:MultiHeadAttention(q, k, v, , , , past_k, past_v) num_heads=4 unidirectional=1", 4, true, ""},
        {"Attention(q, k, v, seen, past_k, past_v) q_num_heads=4 kv_num_heads=4 softcap=2.0", 0, false,
         "before or after its softcap"},
        {"Attention(q, k, v, , past_k) q_num_heads=4 kv_num_heads=4", 0, false, "its cache is not whole"},
        {"com.microsoft:MultiHeadAttention(q, k, v, w1, , , past_k, past_v) num_heads=4 unidirectional=1", 4, true, ""},
        {"com.microsoft:MultiHeadAttention(q, k, v, w, , , past_k, past_v) num_heads=4", 0, false,
         "its bias is not one"},
        {"com.microsoft:MultiHeadAttention(q, k, v, , mask, , past_k, past_v) num_heads=4", 0, false,
         "key_padding_mask"},
    };
    static const char form[] =
        "opset 23\nopset com.microsoft 1\ninput ids int64[batch,new]\ninput mask int64[batch,total]\n"
        "input past_k float32[batch,4,past,2]\ninput past_v float32[batch,4,past,2]\ninit words float32[100,8]\n"
        "init w float32[8,8]\ninit w1 float32[24]\ninit axes int64[2] = 1 2\nnode seen2 = Cast(mask) to=9\n"
        "node seen = Unsqueeze(seen2, axes)\nnode x = Gather(words, ids)\nnode q = MatMul(x, w)\n"
        "node k = MatMul(x, w)\nnode v = MatMul(x, w)\nnode y, a, b = %s\nnode z = Add(x, y)\noutput z\n"
        "output a float32[batch,4,total,2]\noutput b float32[batch,4,total,2]\n";
    for (size_t i = 0; i < NPART__COUNT(nodes); i++) {
        for (uint32_t tokens = 1; tokens < 5; tokens += 3) {
            char text[sizeof form + 128];
            struct fixed_cache fixed;
            (void)snprintf(text, sizeof text, form, nodes[i].node);
            fix_cache(&fixed, text, 16, tokens, false);
            bool is_taken = tokens <= nodes[i].tokens;
            CHECK_INT(fixed.status, is_taken ? NPART_OK : NPART_ERROR_ARGUMENT);
            CHECK(is_taken || strstr(fixed.error.message, nodes[i].message));
            CHECK(!is_taken || count_ops(&fixed.made, "MatMul") == 5);
            CHECK(!is_taken || nodes[i].has_bias == (cache_port(&fixed, NPART_PORT_BIAS) != NULL));
            CHECK(!is_taken || fixed.cache.info.order == NPART_SLOTS_ANY);
            npart__arena_clear(&fixed.arena);
        }
    }
}

TESTS(test_cache__grouped_opset, test_cache__grouped, test_cache__grouped_variants, test_cache__grouped_refused,
      test_cache__attention)
