/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that may see the slots of a cache because of where their elements come from (operators.table).
 */
#include "support/fixed_cache.h"
#include "support/test.h"

/* One head of 2; what is made of the keys is to be filled in. */
static const char decoder[] =
    "opset 18\n"
    "input ids int64[1,new]\ninput mask int64[1,total]\n"
    "input past_k float32[1,1,past,2]\ninput past_v float32[1,1,past,2]\n"
    "init words float32[100,2]\ninit head int64[1] = 1\nnode found = Gather(words, ids)\n"
    "node x = Unsqueeze(found, head)\n"
    "init one float32[] = 1\ninit closed float32[] = -10000\ninit slope float32[2] = 1 2\n"
    "node k = Concat(past_k, x) axis=2\nnode v = Concat(past_v, x) axis=2\n"
    "node each = %s\nnode turned = Transpose(each) perm=[0,1,3,2]\n"
    "node products = MatMul(x, turned)\nnode shown = Cast(mask) to=1\nnode hidden = Sub(one, shown)\n"
    "node hiding = Mul(hidden, closed)\nnode scores = Add(products, hiding)\nnode weights = Softmax(scores) axis=-1\n"
    "node y = MatMul(weights, v)\noutput y\n"
    "output k float32[1,1,total,2]\noutput v float32[1,1,total,2]\n";

/* Which operator it is does not matter. */
static void test_cache_elements__each(void)
{
    static const char *const made[] = {
        "Relu(k)",     "Mish(k)", "Selu(k)", "Shrink(k)",      "Sinh(k)",
        "Softsign(k)", "Sum(k)",  "Tan(k)",  "PRelu(k, slope)", "com.microsoft:BiasGelu(k, slope)",
    };
    for (size_t i = 0; i < NPART__COUNT(made); i++) {
        struct fixed_cache fixed;
        char text[sizeof decoder + 64];
        (void)snprintf(text, sizeof text, decoder, made[i]);
        fix_cache(&fixed, text, 8, 1, false);
        CHECK_TEXT(fixed.error.message, "");
        npart__arena_clear(&fixed.arena);
    }
}

/* Of all slots, or of nobody knows what. */
static void test_cache_elements__others(void)
{
    static const char *const made[] = {"CumSum(k, axis)\ninit axis int64[] = 2", "Trilu(k)",
                                       "com.microsoft:GatedAdd(k, k)"};
    for (size_t i = 0; i < NPART__COUNT(made); i++) {
        struct fixed_cache fixed;
        char text[sizeof decoder + 64];
        (void)snprintf(text, sizeof text, decoder, made[i]);
        fix_cache(&fixed, text, 8, 1, false);
        CHECK(strstr(fixed.error.message, "it sees the slots of the cache, and is not followed"));
        npart__arena_clear(&fixed.arena);
    }
}

TESTS(test_cache_elements__each, test_cache_elements__others)
