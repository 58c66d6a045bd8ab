/* SPDX-License-Identifier: Apache-2.0
 *
 * Symbolic numbers: one form for equal expressions, arithmetic that is true of numbers, limits, texts.
 */
#include "infer/expression.h"
#include "infer/expression_internal.h"
#include "support/counted.h"
#include "support/test.h"

static struct npart__arena arena;
static struct npart__expressions pool;

static void open_pool(void)
{
    npart__arena_init(&arena, NULL);
    REQUIRE(npart__expressions_init(&pool, &arena));
}

static void close_pool(void)
{
    CHECK(!pool.failed);
    npart__arena_clear(&arena);
}

static int64_t read(const char *text)
{
    return npart__parse_dim(&pool, text);
}

static const char *print(int64_t a)
{
    struct npart__buffer buffer;
    npart__buffer_init(&buffer, &arena);
    npart__append_dim(&buffer, &pool, a);
    return npart__buffer_text(&buffer);
}

/* ---- one form ---------------------------------------------------------------------------------------------- */

static void test_expression__equal_texts_are_one_number(void)
{
    static const char *const pairs[][2] = {
        {"a + b", "b + a"},
        {"a - a + b", "b"},
        {"2*(s + 1) - 2", "s + s"},
        {"(a + b)*(a - b)", "a*a - b*b"},
        {"(a + 1)*(b + 1)", "a*b + a + b + 1"},
        {"a*0 + 7", "3 + 4"},
        {"a*0", "1 - 1"},
        {"(4*a + 6*b)/2", "2*a + 3*b"},
        {"(2*a + 1)/2", "a"},
        {"(4*a + b)/4", "a + b/4"},
        {"(6*a + 3)/9", "(2*a + 1)/3"},
        {"a/2/3", "a/6"},
        {"(a/2 + 5)/3", "(a + 10)/6"},
        {"(a - 1)/2 + 1", "(a + 1)/2"},
        {"ceil(a/2)", "(a + 1)/2"},
        {"-((0 - a)/2)", "ceil(a/2)"},
        {"ceil(ceil(h/2)/2)", "ceil(h/4)"},
        {"(5 - a)/2", "2 - a/2"},
        {"a % 4", "a - 4*(a/4)"},
        {"8*a % 4", "1 - 1"},
        {"a*b/b", "a"},
        {"(a*b + b)/b", "a + 1"},
        {"(a*a + 2*a + 1)/(a + 1)", "a + 1"},
        {"max(a, b)", "max(b, a)"},
        {"max(a, a)", "a"},
        {"max(a + 1, a)", "a + 1"},
        {"min(a + 1, a)", "a"},
        {"max(3, 5)", "2 + 3"},
        {"min(2*a, 3*a)", "2*a"},
        {"max(a, b) - max(b, a)", "1 - 1"},
        {"FloorDiv(a, 2)", "floor(a/2)"},
        {"CeilToInt(a/2)", "ceiling(a/2)"},
        {"Max(a, b, c)", "max(max(a, b), c)"},
        {"Mod(a, 3)", "a % 3"},
        {"PythonMod(a, 3)", "a % 3"},
        {"CeilDiv(a, 3)", "ceil(a/3)"},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        open_pool();
        int64_t left = read(pairs[i][0]), right = read(pairs[i][1]);
        if (left != right) {
            fprintf(stderr, "%s is %s, but %s is %s\n", pairs[i][0], print(left), pairs[i][1], print(right));
            test_failures++;
        }
        close_pool();
    }
}

static void test_expression__forms_are_printed_as_people_write_them(void)
{
    static const char *const texts[][2] = {
        {"1 + s*2", "2*s + 1"},
        {"b - a", "b - a"},
        {"-a + b", "b - a"},
        {"5 - a", "5 - a"},
        {"0 - a", "-a"},
        {"-3*a*b", "-3*a*b"},
        {"a*a*a", "a*a*a"},
        {"h//2", "floor(h/2)"},
        {"(h + 1)//2", "floor((h + 1)/2)"},
        {"3*h//2", "floor(3*h/2)"},
        {"a//b", "floor(a/b)"},
        {"a//(b + 1)", "floor(a/(b + 1))"},
        {"max(a, 1 + b)", "max(a, b + 1)"},
        {"2*max(a, b) - 1", "2*max(a, b) - 1"},
        {"batch size", "batch size"},
        {"a.b", "a.b"},
        {"7", "7"},
        {"2 * 3", "6"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        open_pool();
        CHECK_TEXT(print(read(texts[i][0])), texts[i][1]);
        close_pool();
    }
}

static void test_expression__what_is_no_expression_is_a_name(void)
{
    static const char *const texts[] = {"a b",  "a +",  "(a",     "a)",     "sin(a)", "2a",    "a/0", "a ** 2", "a % 0",
                                        "a@b",  "",     "max()",  "floor(", "-",      "a,b",   "7",  "a - - ",
                                        "ceil(a", "9999999999999999999999 + a"};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        open_pool();
        int64_t a = read(texts[i]);
        CHECK(npart__lone_symbol(&pool, a) != NPART_NONE);
        CHECK_INT(pool.symbols.count, 1);
        CHECK_TEXT(print(a), texts[i]);
        close_pool();
    }
}

/* ---- true of numbers --------------------------------------------------------------------------------------- */

#define SYMBOLS 4
static const char *const symbol_names[SYMBOLS] = {"a", "b", "past", "d"};

static uint64_t random_state;

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

/* The value of an expression with numbers for its symbols, worked out from its form; false where it holds a symbol
 * of no name. */
static bool evaluate(int64_t a, const int64_t *values, int64_t *out);

static bool evaluate_atom(const struct npart__atom *atom, const int64_t *values, int64_t *out)
{
    int64_t left, right;
    if (atom->kind == NPART__ATOM_SYMBOL) {
        const char *name = pool.symbols.items[atom->left].name;
        for (int i = 0; name && i < SYMBOLS; i++)
            if (strcmp(name, symbol_names[i]) == 0)
                *out = values[i];
        return name != NULL;
    }
    if (!evaluate(atom->left, values, &left) || !evaluate(atom->right, values, &right))
        return false;
    if (atom->kind == NPART__ATOM_FLOOR)
        return npart__floor_divide_int64(left, right, out);
    *out = (atom->kind == NPART__ATOM_MAX) == (left > right) ? left : right;
    return true;
}

static bool evaluate(int64_t a, const int64_t *values, int64_t *out)
{
    *out = a;
    if (npart__is_number(a))
        return true;
    if (a == NPART__UNKNOWN)
        return false;
    const struct npart__sum *sum = npart__sum_at(&pool, a);
    int64_t total = sum->constant;
    for (uint32_t i = 0; i < sum->count; i++) {
        const struct npart__product *product = npart__product_at(&pool, sum->terms[i].product);
        int64_t term = sum->terms[i].coefficient, factor;
        for (uint32_t k = 0; k < product->count; k++) {
            if (!evaluate_atom(npart__atom_at(&pool, product->factors[k].atom), values, &factor))
                return false;
            for (uint32_t power = 0; power < product->factors[k].power; power++)
                if (!npart__multiply_int64(term, factor, &term))
                    return false;
        }
        if (!npart__add_int64(total, term, &total))
            return false;
    }
    *out = total;
    return true;
}

#define ASSIGNMENTS 6

/* An expression and what it is for some numbers in place of the symbols. */
struct pair {
    int64_t form;
    int64_t values[ASSIGNMENTS];
};

static int64_t assignments[ASSIGNMENTS][SYMBOLS];

static int64_t floor_of(int64_t a, int64_t b)
{
    int64_t quotient;
    REQUIRE(npart__floor_divide_int64(a, b, &quotient));
    return quotient;
}

static struct pair leaf(void)
{
    struct pair pair;
    uint32_t which = random_below(SYMBOLS + 2);
    int64_t number = (int64_t)random_below(9) - 3;
    pair.form = which < SYMBOLS ? npart__symbol(&pool, symbol_names[which], strlen(symbol_names[which])) : number;
    for (int i = 0; i < ASSIGNMENTS; i++)
        pair.values[i] = which < SYMBOLS ? assignments[i][which] : number;
    return pair;
}

static struct pair random_pair(unsigned depth)
{
    if (depth == 0 || random_below(6) == 0)
        return leaf();
    struct pair a = random_pair(depth - 1), b = random_pair(depth - 1), out;
    uint32_t kind = random_below(7);
    int64_t divisor = 1 + (int64_t)random_below(5);
    for (int i = 0; i < ASSIGNMENTS; i++) {
        int64_t x = a.values[i], y = b.values[i];
        out.values[i] = kind == 0   ? x + y
                        : kind == 1 ? x - y
                        : kind == 2 ? x * y
                        : kind == 3 ? (x > y ? x : y)
                        : kind == 4 ? (x < y ? x : y)
                        : kind == 5 ? floor_of(x, divisor)
                                    : -floor_of(-x, divisor);
    }
    out.form = kind == 0   ? npart__sum(&pool, a.form, b.form)
               : kind == 1 ? npart__difference(&pool, a.form, b.form)
               : kind == 2 ? npart__product(&pool, a.form, b.form)
               : kind == 3 ? npart__maximum(&pool, a.form, b.form)
               : kind == 4 ? npart__minimum(&pool, a.form, b.form)
               : kind == 5 ? npart__floor_quotient(&pool, a.form, divisor)
                           : npart__ceil_quotient(&pool, a.form, divisor);
    return out;
}

/* Sizes of graph inputs are at least 1; those of a cache at least 0. In every other pool they have a limit too. */
static void open_random_pool(uint64_t seed)
{
    random_state = seed;
    open_pool();
    for (int i = 0; seed % 2 && i < SYMBOLS; i++)
        npart__limit_symbol(&pool, symbol_names[i], strlen(symbol_names[i]), 8);
    pool.reads_inputs = true;
    for (int i = 0; i < SYMBOLS; i++)
        (void)npart__symbol(&pool, symbol_names[i], strlen(symbol_names[i]));
    pool.reads_inputs = false;
    for (int i = 0; i < ASSIGNMENTS; i++)
        for (int k = 0; k < SYMBOLS; k++)
            assignments[i][k] = (int64_t)random_below(8) + (strcmp(symbol_names[k], "past") == 0 ? 0 : 1);
}

static void check_values(uint64_t seed, const char *what, int64_t form, const int64_t *values)
{
    int64_t value;
    for (int i = 0; i < ASSIGNMENTS; i++) {
        if (!evaluate(form, assignments[i], &value))
            return; /* past a limit */
        if (value != values[i]) {
            fprintf(stderr, "seed %llu: %s of %s is %lld, not %lld\n", (unsigned long long)seed, what, print(form),
                    (long long)value, (long long)values[i]);
            test_failures++;
            return;
        }
    }
}

static void check_random(uint64_t seed)
{
    open_random_pool(seed);
    struct pair pair = random_pair(4);
    check_values(seed, "the value", pair.form, pair.values);
    int64_t least = npart__lower_bound(&pool, pair.form), most = npart__upper_bound(&pool, pair.form), value;
    for (int i = 0; i < ASSIGNMENTS; i++)
        if (evaluate(pair.form, assignments[i], &value) && (value < least || value > most)) {
            fprintf(stderr, "seed %llu: %s is %lld, not from %lld to %lld\n", (unsigned long long)seed,
                    print(pair.form), (long long)value, (long long)least, (long long)most);
            test_failures++;
        }
    if (npart__is_named(&pool, pair.form)) {
        int64_t again = read(print(pair.form));
        if (again != pair.form && !npart__is_number(pair.form)) {
            fprintf(stderr, "seed %llu: %s is read as %s\n", (unsigned long long)seed, print(pair.form), print(again));
            test_failures++;
        }
    }
    close_pool();
}

/* For some shapes of trees, what comes out does not depend on the way. */
static void check_identities(uint64_t seed)
{
    open_random_pool(seed);
    struct pair a = random_pair(2), b = random_pair(2), c = random_pair(1);
    int64_t ab = npart__product(&pool, a.form, b.form), ac = npart__product(&pool, a.form, c.form);
    int64_t sum = npart__sum(&pool, b.form, c.form), all = npart__product(&pool, a.form, sum), quotient;
    if (npart__is_named(&pool, all) && npart__is_named(&pool, ab) && npart__is_named(&pool, ac)) {
        CHECK_INT(all, npart__sum(&pool, ab, ac));
        CHECK_INT(npart__difference(&pool, all, ac), ab);
        CHECK_INT(ab, npart__product(&pool, b.form, a.form));
        if (b.form != 0 && npart__exact_quotient(&pool, ab, b.form, &quotient))
            CHECK_INT(quotient, a.form);
    }
    CHECK_INT(npart__difference(&pool, sum, c.form), b.form);
    close_pool();
}

static void test_expression__arithmetic_is_true_of_numbers(void)
{
    const char *given = getenv("SEED");
    int before = test_failures;
    uint64_t first = given ? strtoull(given, NULL, 10) : 1;
    for (uint64_t seed = first; seed < first + (given ? 1 : 4000); seed++) {
        check_random(seed);
        check_identities(seed);
        if (test_failures > before) {
            fprintf(stderr, "again: SEED=%llu\n", (unsigned long long)seed);
            return;
        }
    }
}

/* ---- ends of the numbers ------------------------------------------------------------------------------------ */

static void test_expression__what_does_not_fit_is_a_new_symbol(void)
{
    open_pool();
    int64_t a = read("a"), most = INT64_MAX;
    CHECK(!npart__is_number(npart__sum(&pool, most, 1)));
    CHECK(!npart__is_number(npart__difference(&pool, INT64_MIN, 1)));
    CHECK(!npart__is_number(npart__product(&pool, most, 2)));
    CHECK(!npart__is_number(npart__product(&pool, INT64_MIN, -1)));
    CHECK(!npart__is_number(npart__floor_quotient(&pool, 7, 0)));
    CHECK(!npart__is_number(npart__floor_quotient(&pool, INT64_MIN, -1)));
    CHECK(!npart__is_named(&pool, npart__product(&pool, npart__product(&pool, a, most), 2)));
    CHECK(npart__is_named(&pool, npart__product(&pool, a, most)));
    CHECK_INT(npart__sum(&pool, npart__product(&pool, most, 0), 3), 3);
    close_pool();
}

/* The exact difference of two sums past a limit is not there to be looked at: it may be of either sign. */
static void test_expression__what_is_past_a_limit_decides_nothing(void)
{
    static const struct npart__limits limits = {.of = {[NPART__AT_TERMS] = 2,
                                                       [NPART__AT_FACTORS] = NPART__LIMIT_FACTORS,
                                                       [NPART__AT_POWER] = NPART__LIMIT_POWER,
                                                       [NPART__AT_ATOM_SIZE] = NPART__LIMIT_ATOM_SIZE,
                                                       [NPART__AT_EXPRESSION_DEPTH] = NPART__LIMIT_EXPRESSION_DEPTH}};
    open_pool();
    pool.limits = &limits;
    int64_t left = read("a + b"), right = read("c + d");
    CHECK_INT(npart__lower_bound(&pool, npart__difference(&pool, left, right)), INT64_MIN);
    int64_t most = npart__maximum(&pool, left, right), least = npart__minimum(&pool, left, right);
    CHECK(most != left && most != right);
    CHECK(least != left && least != right);
    CHECK_TEXT(print(most), "max(a + b, c + d)");
    CHECK_INT(npart__lower_bound(&pool, npart__sum(&pool, INT64_MAX, 1)), INT64_MIN);
    close_pool();
}

static void test_expression__numbers_that_look_like_expressions_are_none(void)
{
    open_pool();
    CHECK(!npart__is_number(NPART__UNKNOWN));
    CHECK(!npart__is_number(NPART__HANDLE_BASE + NPART__HANDLE_COUNT - 1));
    CHECK(npart__is_number(NPART__HANDLE_BASE - 1));
    CHECK(npart__is_number(NPART__HANDLE_BASE + NPART__HANDLE_COUNT));
    int64_t half = (NPART__HANDLE_BASE - 4) / 2; /* twice it is just below the handles */
    CHECK(npart__is_number(npart__sum(&pool, half, half)));
    CHECK(npart__sum(&pool, half, half + 8) != NPART__HANDLE_BASE + 4);
    CHECK_INT(npart__as_number(NPART__HANDLE_BASE + 4), NPART__UNKNOWN);
    CHECK_INT(npart__as_number(5), 5);
    close_pool();
}

static void test_expression__nothing_is_the_same_as_what_nobody_knows(void)
{
    open_pool();
    CHECK(!npart__same(NPART__UNKNOWN, NPART__UNKNOWN));
    CHECK(npart__same(4, 4));
    CHECK(npart__fresh_symbol(&pool) != npart__fresh_symbol(&pool));
    CHECK(!npart__is_named(&pool, npart__sum(&pool, NPART__UNKNOWN, 1)));
    CHECK_INT(npart__product(&pool, NPART__UNKNOWN, 0), 0);
    CHECK_TEXT(print(NPART__UNKNOWN), "?");
    CHECK_TEXT(print(npart__sum(&pool, npart__fresh_symbol(&pool), 1)), "? + 1");
    close_pool();
}

static void test_expression__division_by_minus_one_does_not_overflow(void)
{
    open_pool();
    int64_t a = read("a"), quotient;
    int64_t lowest = npart__sum(&pool, npart__product(&pool, a, INT64_MIN), 0);
    CHECK(!npart__exact_quotient(&pool, lowest, -1, &quotient));
    (void)npart__floor_quotient(&pool, lowest, 3);
    (void)npart__floor_quotient(&pool, lowest, -1);
    (void)npart__ceil_quotient(&pool, npart__sum(&pool, a, INT64_MAX), 3);
    (void)npart__maximum(&pool, lowest, a);
    CHECK_TEXT(print(npart__sum(&pool, a, INT64_MIN)), "a - 9223372036854775808");
    CHECK_TEXT(print(lowest), "-9223372036854775808*a");
    close_pool();
}

/* ---- limits ------------------------------------------------------------------------------------------------- */

static void test_expression__terms_up_to_the_limit(void)
{
    char name[16];
    open_pool();
    int64_t sum = 5;
    for (unsigned i = 0; i < NPART__LIMIT_TERMS; i++) {
        (void)snprintf(name, sizeof name, "s%u", i);
        sum = npart__sum(&pool, sum, npart__symbol(&pool, name, strlen(name)));
    }
    CHECK(npart__is_named(&pool, sum));
    CHECK(npart__is_named(&pool, npart__sum(&pool, sum, read("s0"))));
    CHECK(!npart__is_named(&pool, npart__sum(&pool, sum, read("one_more"))));
    close_pool();
}

static void test_expression__powers_up_to_the_limit(void)
{
    open_pool();
    int64_t a = read("a"), power = 1;
    for (unsigned i = 0; i < NPART__LIMIT_POWER; i++)
        power = npart__product(&pool, power, a);
    CHECK(npart__is_named(&pool, power));
    CHECK(!npart__is_named(&pool, npart__product(&pool, power, a)));
    close_pool();
}

static void test_expression__factors_up_to_the_limit(void)
{
    char name[16];
    open_pool();
    int64_t product = 1;
    for (unsigned i = 0; i < NPART__LIMIT_FACTORS; i++) {
        (void)snprintf(name, sizeof name, "s%u", i);
        product = npart__product(&pool, product, npart__symbol(&pool, name, strlen(name)));
    }
    CHECK(npart__is_named(&pool, product));
    CHECK(!npart__is_named(&pool, npart__product(&pool, product, read("one_more"))));
    close_pool();
}

static void test_expression__atoms_grow_up_to_the_limit(void)
{
    open_pool();
    int64_t b = read("b"), nested = read("a");
    unsigned depth = 0;
    while (npart__is_named(&pool, nested) && depth < 1000) {
        nested = npart__maximum(&pool, npart__product(&pool, nested, 2), npart__sum(&pool, b, (int64_t)depth));
        depth++;
    }
    CHECK(depth > 16 && depth <= NPART__LIMIT_ATOM_SIZE);
    close_pool();
}

static void test_expression__quotients_that_do_not_fit(void)
{
    open_pool();
    int64_t quotient = read("a");
    for (unsigned i = 0; i < 62; i++)
        quotient = npart__floor_quotient(&pool, quotient, 2);
    CHECK_TEXT(print(quotient), "floor(a/4611686018427387904)");
    quotient = npart__floor_quotient(&pool, quotient, 2);
    CHECK(!npart__is_named(&pool, quotient));
    CHECK_INT(npart__lower_bound(&pool, quotient), 0);
    close_pool();
}

static void test_expression__parentheses_up_to_the_limit(void)
{
    char text[256];
    for (unsigned depth = NPART__LIMIT_EXPRESSION_DEPTH - 2; depth <= NPART__LIMIT_EXPRESSION_DEPTH; depth++) {
        memset(text, '(', depth);
        (void)snprintf(text + depth, sizeof text - depth, "a + 1");
            size_t used = strlen(text);
        memset(text + used, ')', depth);
        text[used + depth] = '\0';
        open_pool();
        bool is_read = strcmp(print(read(text)), "a + 1") == 0;
        CHECK(is_read == (depth < NPART__LIMIT_EXPRESSION_DEPTH));
        close_pool();
    }
}

/* ---- bounds, roots, bindings ---------------------------------------------------------------------------------- */

static void test_expression__bounds_of_inputs_and_others(void)
{
    open_pool();
    pool.reads_inputs = true;
    int64_t a = read("a"), past = read("past_length");
    pool.reads_inputs = false;
    int64_t other = read("other");
    CHECK_INT(npart__lower_bound(&pool, a), 1);
    CHECK_INT(npart__lower_bound(&pool, past), 0);
    CHECK_INT(npart__lower_bound(&pool, other), 0);
    CHECK_INT(npart__lower_bound(&pool, read("2*a*a + 3")), 5);
    CHECK_INT(npart__lower_bound(&pool, read("0 - a")), INT64_MIN);
    CHECK_INT(npart__lower_bound(&pool, read("(a + 1)/2")), 1);
    CHECK_INT(npart__lower_bound(&pool, read("max(a, 4)")), 4);
    CHECK_INT(npart__lower_bound(&pool, read("min(a, 4)")), 1);
    CHECK_INT(npart__lower_bound(&pool, NPART__UNKNOWN), INT64_MIN);
    int64_t data = npart__fresh_number(&pool, INT64_MIN), size = npart__fresh_number(&pool, 0);
    CHECK_INT(npart__lower_bound(&pool, data), INT64_MIN);
    CHECK_INT(npart__lower_bound(&pool, npart__floor_quotient(&pool, data, 2)), INT64_MIN);
    CHECK_INT(npart__lower_bound(&pool, npart__product(&pool, data, data)), INT64_MIN);
    CHECK_INT(npart__upper_bound(&pool, npart__product(&pool, data, -1)), INT64_MAX);
    CHECK_INT(npart__upper_bound(&pool, npart__minimum(&pool, data, 4)), 4);
    CHECK_INT(npart__lower_bound(&pool, npart__sum(&pool, npart__maximum(&pool, data, -4), 1)), -3);
    CHECK_INT(npart__lower_bound(&pool, size), 0);
    CHECK_INT(npart__maximum(&pool, a, 0), a);
    CHECK_INT(npart__minimum(&pool, a, 1), 1);
    close_pool();
}

static void test_expression__upper_bounds_come_from_limits(void)
{
    open_pool();
    npart__limit_symbol(&pool, "a", 1, 12);
    npart__limit_symbol(&pool, "a", 1, 10); /* the smallest counts */
    npart__limit_symbol(&pool, "a", 1, 11);
    pool.reads_inputs = true;
    int64_t a = read("a");
    (void)read("b");
    pool.reads_inputs = false;
    CHECK_INT(npart__lower_bound(&pool, a), 1);
    static const struct {
        const char *text;
        int64_t most;
    } wanted[] = {{"a", 10},          {"b", INT64_MAX},          {"3*a*a + 2", 302},   {"a*b", INT64_MAX},
                  {"7 - a", 6},       {"7 - b", 6},              {"a - b", 9},         {"floor(a/3)", 3},
                  {"floor(a/b)", 10}, {"floor(b/a)", INT64_MAX}, {"min(a, b)", 10},    {"max(a, b)", INT64_MAX},
                  {"max(a, 20)", 20}, {"min(b, 20)", 20},        {"min(a, b) + a", 20}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        CHECK_INT(npart__upper_bound(&pool, read(wanted[i].text)), wanted[i].most);
    CHECK_INT(npart__lower_bound(&pool, read("7 - a")), -3);
    CHECK_INT(npart__upper_bound(&pool, NPART__UNKNOWN), INT64_MAX);
    CHECK_INT(npart__upper_bound(&pool, npart__bounded_symbol(&pool, 4)), 4);
    CHECK_INT(npart__upper_bound(&pool, npart__fresh_symbol(&pool)), INT64_MAX);
    CHECK(!npart__bind_symbol(&pool, "a", 1, 11));
    CHECK(npart__bind_symbol(&pool, "a", 1, 10));
    close_pool();
}

static void test_expression__the_root_is_the_nameless_symbol_made_first(void)
{
    open_pool();
    pool.node = 7;
    int64_t a = read("a"), first = npart__fresh_symbol(&pool);
    pool.node = 9;
    int64_t second = npart__fresh_symbol(&pool);
    int64_t all = npart__sum(&pool, npart__product(&pool, a, second), npart__maximum(&pool, first, a));
    uint32_t root = npart__root_symbol(&pool, all);
    REQUIRE(root != NPART_NONE);
    CHECK_INT(pool.symbols.items[root].node, 7);
    CHECK_INT(npart__root_symbol(&pool, 5), NPART_NONE);
    CHECK_INT(npart__root_symbol(&pool, npart__sum(&pool, a, 1)), npart__lone_symbol(&pool, a));
    CHECK_INT(npart__lone_symbol(&pool, npart__product(&pool, a, 2)), NPART_NONE);
    close_pool();
}

static void check_binding(const char *text, int64_t value, const char *wanted)
{
    const char *problem = "none";
    bool ok = npart__bind_text(&pool, text, value, &problem);
    CHECK_TEXT(ok ? "ok" : problem, wanted);
}

static void test_expression__bindings_solve_for_one_symbol(void)
{
    open_pool();
    check_binding("a", 4, "ok");
    check_binding("a", 4, "ok");
    check_binding("a", 5, "it conflicts with another one");
    check_binding("a + b", 10, "ok");
    CHECK_INT(read("b"), 6);
    CHECK_INT(read("2*a*b"), 48);
    check_binding("3*c", 7, "no size makes it true");
    check_binding("c + 9", 7, "no size makes it true");
    check_binding("512 - e", 384, "ok");
    CHECK_INT(read("e"), 128);
    check_binding("512 - f", 513, "no size makes it true");
    check_binding("0 - 9223372036854775807 - 1 - f", 0, "no size makes it true");
    check_binding("c*d", 7, "more than one symbol of it is still dynamic");
    check_binding("c*c", 9, "more than one symbol of it is still dynamic");
    check_binding("c/2", 9, "more than one symbol of it is still dynamic");
    check_binding("3*c", 6, "ok");
    check_binding("8", 8, "ok");
    check_binding("8", 9, "it conflicts with another one");
    close_pool();
}

/* ---- out of memory -------------------------------------------------------------------------------------------- */

static void work(void)
{
    int64_t a = read("a"), b = read("max(b, 2*a + 1)/3");
    for (int i = 0; i < 12; i++) {
        a = npart__sum(&pool, npart__product(&pool, a, 3), b);
        b = npart__minimum(&pool, npart__floor_quotient(&pool, a, 7), npart__fresh_symbol(&pool));
        (void)npart__bind_symbol(&pool, "c", 1, 5);
        (void)print(b);
    }
}

static void test_expression__running_out_of_memory_is_remembered(void)
{
    struct counted counted;
    for (size_t at = 1;; at++) {
        counted_init(&counted, true);
        counted.fail_at = at;
        counted.fails_on = true;
        npart__arena_init(&arena, &counted.allocator);
        bool made = npart__expressions_init(&pool, &arena);
        if (made)
            work();
        CHECK(!made || pool.failed || !counted.failures || counted.calls >= at);
        npart__arena_clear(&arena);
        CHECK_INT(counted.live_blocks, 0);
        if (!counted.failures)
            return;
        REQUIRE(at < 10000);
    }
}

TESTS(test_expression__equal_texts_are_one_number, test_expression__forms_are_printed_as_people_write_them,
      test_expression__what_is_no_expression_is_a_name, test_expression__arithmetic_is_true_of_numbers,
      test_expression__what_does_not_fit_is_a_new_symbol, test_expression__what_is_past_a_limit_decides_nothing,
      test_expression__numbers_that_look_like_expressions_are_none,
      test_expression__nothing_is_the_same_as_what_nobody_knows,
      test_expression__division_by_minus_one_does_not_overflow, test_expression__quotients_that_do_not_fit,
      test_expression__terms_up_to_the_limit,
      test_expression__powers_up_to_the_limit, test_expression__factors_up_to_the_limit,
      test_expression__atoms_grow_up_to_the_limit, test_expression__parentheses_up_to_the_limit,
      test_expression__bounds_of_inputs_and_others, test_expression__upper_bounds_come_from_limits,
      test_expression__the_root_is_the_nameless_symbol_made_first,
      test_expression__bindings_solve_for_one_symbol, test_expression__running_out_of_memory_is_remembered)
