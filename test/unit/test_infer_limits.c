/* SPDX-License-Identifier: Apache-2.0
 *
 * The limits of inference that a text case cannot reach: long constants, long sequences, loops in loops. Past a limit
 * a value is not known; nothing else happens.
 */
#include <stdarg.h>

#include "infer/infer.h"
#include "infer/product.h"
#include "support/built.h"
#include "support/test.h"

static struct built built;
static struct npart__inference inference;

static void infer_up_to(uint32_t most_elements)
{
    struct npart__infer_options options = {.most_elements = most_elements};
    REQUIRE(built.status == NPART_OK);
    REQUIRE(npart__infer(&built.graph, &options, &built.arena, &inference, &built.error) == NPART_OK);
}

static void infer(void)
{
    infer_up_to(0);
}

static struct npart__fact *fact_of(const char *name)
{
    uint32_t value = value_named(&built.graph, name);
    REQUIRE(value != NPART_NONE);
    return &inference.facts[value];
}

static const char *text_of(const char *name)
{
    struct npart__buffer text;
    npart__buffer_init(&text, &built.arena);
    npart__append_fact(&text, &inference.expressions, fact_of(name));
    return npart__buffer_text(&text);
}

static char lines[1 << 16];

static void add(const char *format, ...)
{
    va_list list;
    size_t used = strlen(lines);
    va_start(list, format);
    int length = vsnprintf(lines + used, sizeof lines - used, format, list);
    va_end(list);
    REQUIRE(length >= 0 && (size_t)length < sizeof lines - used);
}

/* ---- constants ----------------------------------------------------------------------------------------------- */

static void put_message(struct bytes *into, unsigned field, struct bytes *message)
{
    put_bytes(into, field, message->data, message->size);
    bytes_free(message);
}

/* A model of one initializer k of `count` numbers, 0 1 2 ..., and Identity(k). */
static void build_constant(uint32_t count)
{
    struct bytes model = {0}, graph = {0}, node = {0}, tensor = {0}, raw = {0}, opset = {0}, output = {0};
    for (uint32_t i = 0; i < count; i++) /* little-endian */
        bytes_put(&raw, (uint8_t[8]){(uint8_t)i, (uint8_t)(i >> 8)}, 8);
    put_number(&tensor, 1, count);
    put_number(&tensor, 2, 7);
    put_text(&tensor, 8, "k");
    put_message(&tensor, 9, &raw);
    put_text(&node, 1, "k");
    put_text(&node, 2, "y");
    put_text(&node, 4, "Identity");
    put_text(&output, 1, "y");
    put_message(&graph, 1, &node);
    put_message(&graph, 5, &tensor);
    put_message(&graph, 12, &output);
    put_number(&opset, 2, 17);
    put_number(&model, 1, 9);
    put_message(&model, 7, &graph);
    put_message(&model, 8, &opset);
    build_model(&built, &model);
}

static void test_infer_limits__long_constants_are_read_up_to_the_limit(void)
{
    build_constant(NPART__LIMIT_KNOWN_ELEMENTS);
    infer();
    const struct npart__known *known = npart__elements(&inference, fact_of("y"));
    REQUIRE(known);
    CHECK_INT(known->count, NPART__LIMIT_KNOWN_ELEMENTS);
    CHECK_INT(known->ints[NPART__LIMIT_KNOWN_ELEMENTS - 1], NPART__LIMIT_KNOWN_ELEMENTS - 1);
    built_close(&built);

    build_constant(NPART__LIMIT_KNOWN_ELEMENTS + 1);
    infer();
    CHECK(!npart__elements(&inference, fact_of("y")));
    CHECK_TEXT(text_of("y"), "int64[8193]");
    built_close(&built);
}

/* y: the product of two constants of ones, [8,inner] and [inner,8]. */
static void build_product(uint32_t inner)
{
    lines[0] = '\0';
    add("init one int64[2] = 8 %u\ninit other int64[2] = %u 8\n", inner, inner);
    add("node a = ConstantOfShape(one) value=tensor int64[1] = 1\n");
    add("node b = ConstantOfShape(other) value=tensor int64[1] = 1\nnode y = MatMul(a, b)\noutput y\n");
    build_text(&built, lines);
    infer();
}

static void test_infer_limits__products_are_computed_up_to_the_limit(void)
{
    const uint32_t inner = NPART__LIMIT_PRODUCTS / (8 * 8);
    build_product(inner);
    const struct npart__known *known = npart__elements(&inference, fact_of("y"));
    REQUIRE(known);
    CHECK_INT(known->ints[0], inner);
    built_close(&built);

    build_product(inner + 1);
    CHECK(!npart__elements(&inference, fact_of("y")));
    CHECK_TEXT(text_of("y"), "int64[8,8]");
    built_close(&built);
}

/* y: the square roots of a constant of `count` numbers, 4 and 0s. */
static void build_roots(uint32_t count)
{
    lines[0] = '\0';
    add("init a float32[%u] = 4", count);
    for (uint32_t i = 1; i < count; i++)
        add(" 0");
    add("\nnode y = Sqrt(a)\noutput y\n");
    build_text(&built, lines);
    infer();
}

static void test_infer_limits__fractions_are_read_up_to_the_limit(void)
{
    build_roots(NPART__LIMIT_KNOWN_FLOATS);
    const struct npart__known *known = npart__elements(&inference, fact_of("y"));
    REQUIRE(known);
    CHECK_INT(known->ints[0], 2);
    built_close(&built);

    build_roots(NPART__LIMIT_KNOWN_FLOATS + 1);
    CHECK(!npart__elements(&inference, fact_of("y")));
    built_close(&built);
}

/* ---- larger tensors, where they are asked for ---------------------------------------------------------------- */

/* y0, y1, ...: causal masks of `size` rows and columns, and z0, z1, ..., the same as numbers. */
static void build_masks(uint32_t size, uint32_t count)
{
    lines[0] = '\0';
    add("init zero int64[] = 0\ninit one int64[] = 1\ninit n int64[] = %u\ninit at int64[1] = 1\n", size);
    add("init low float32[] = -1.5\ninit none float32[] = 0\nnode r = Range(zero, n, one)\n");
    add("node c = Unsqueeze(r, at)\n");
    for (uint32_t i = 0; i < count; i++)
        add("node y%u = GreaterOrEqual(r, c)\nnode z%u = Where(y%u, low, none)\noutput z%u\n", i, i, i, i);
    build_text(&built, lines);
}

static void test_infer_limits__larger_tensors_are_computed_where_they_are_asked_for(void)
{
    build_masks(40, 1);
    infer();
    CHECK(!npart__elements(&inference, fact_of("y0")));
    infer_up_to(1600);
    const struct npart__known *mask = npart__elements(&inference, fact_of("y0"));
    const struct npart__known *numbers = npart__elements(&inference, fact_of("z0"));
    REQUIRE(mask && numbers);
    CHECK_INT(mask->count, 1600);
    CHECK_INT(mask->ints[39 * 40 + 38], 0);
    CHECK_INT(mask->ints[39 * 40 + 39], 1);
    REQUIRE(numbers->doubles);
    CHECK(numbers->doubles[0] == -1.5 && numbers->doubles[40] == 0);
    infer_up_to(1599);
    CHECK(!npart__elements(&inference, fact_of("y0")));
    built_close(&built);
}

static void test_infer_limits__so_many_larger_tensors_are_followed_and_no_more(void)
{
    build_masks(40, NPART__LIMIT_LARGE_TENSORS);
    infer_up_to(1600);
    CHECK(npart__elements(&inference, fact_of("z3")) != NULL);
    CHECK(!npart__elements(&inference, fact_of("y15")));
    CHECK_TEXT(text_of("y15"), "bool[40,40]");
    built_close(&built);
}

static void test_infer_limits__so_many_elements_are_not_symbols(void)
{
    lines[0] = '\0';
    add("input x float32[n]\ninit zero int64[] = 0\ninit one int64[] = 1\ninit most int64[] = 2000\n");
    add("node r = Range(zero, most, one)\nnode s = Shape(x)\nnode y = Mul(r, s)\noutput y\n");
    build_text(&built, lines);
    infer_up_to(4096);
    CHECK(npart__elements(&inference, fact_of("r")) != NULL);
    CHECK(!npart__elements(&inference, fact_of("y")));
    built_close(&built);
}

static void test_infer_limits__views_keep_to_the_limits(void)
{
    static const struct npart__infer_policy other = {0};
    struct npart__inference *view;
    build_masks(40, 1);
    infer_up_to(1600);
    REQUIRE(npart__infer_view(&inference, &other, &view, &built.error) == NPART_OK);
    CHECK(!npart__elements(view, &view->facts[value_named(&built.graph, "y0")]));
    built_close(&built);
}

/* ---- sequences ----------------------------------------------------------------------------------------------- */

/* s<count>: `count` elements, the last of which has another size; `last` reads it. */
static void build_sequence(uint32_t count)
{
    lines[0] = '\0';
    add("input x float32[2]\ninput y float32[3]\nnode s0 = SequenceEmpty()\n");
    for (uint32_t i = 0; i < count; i++)
        add("node s%u = SequenceInsert(s%u, %s)\n", i + 1, i, i + 1 == count ? "y" : "x");
    add("init at int64[] = -1\nnode last = SequenceAt(s%u, at)\nnode n = SequenceLength(s%u)\n", count, count);
    add("output last\noutput n\n");
    build_text(&built, lines);
    infer();
}

static void test_infer_limits__sequences_are_followed_up_to_the_limit(void)
{
    build_sequence(NPART__LIMIT_SEQUENCE);
    CHECK_TEXT(text_of("last"), "float32[3]");
    REQUIRE(npart__elements(&inference, fact_of("n")));
    CHECK_INT(npart__elements(&inference, fact_of("n"))->ints[0], NPART__LIMIT_SEQUENCE);
    built_close(&built);

    build_sequence(NPART__LIMIT_SEQUENCE + 1);
    CHECK_TEXT(text_of("last"), "float32[?]");
    CHECK(!npart__elements(&inference, fact_of("n")));
    built_close(&built);
}

static void test_infer_limits__a_long_list_of_operands_is_a_sequence_all_the_same(void)
{
    lines[0] = '\0';
    add("input x float32[2]\nnode s = SequenceConstruct(x");
    for (uint32_t i = 0; i < NPART__LIMIT_SEQUENCE; i++)
        add(", x");
    add(")\noutput s\n");
    build_text(&built, lines);
    infer();
    CHECK_TEXT(text_of("s"), "sequence of float32[2]");
    CHECK(!fact_of("s")->items);
    built_close(&built);
}

/* ---- loops --------------------------------------------------------------------------------------------------- */

/* Loops in loops, `depth` deep, whose innermost body joins the carried value to itself. */
static void build_loops(uint32_t depth)
{
    lines[0] = '\0';
    for (uint32_t i = 0; i < depth; i++) {
        add("graph body%u\ninput i%u int64[]\ninput c%u bool[]\ninput v%u float32\nnode g%u = Identity(c%u)\n", i, i, i,
            i, i, i);
        if (i == 0)
            add("node w0 = Concat(v0, v0) axis=0\n");
        else
            add("node w%u = Loop(trips, , v%u) body=graph body%u\n", i, i, i - 1);
        add("output g%u\noutput w%u\nend\n", i, i);
    }
    add("init trips int64[] = 3\ninput x float32[2,4]\nnode y = Loop(trips, , x) body=graph body%u\noutput y\n",
        depth - 1);
    build_text(&built, lines);
    infer();
}

static void test_infer_limits__loops_in_loops_end(void)
{
    build_loops(1);
    CHECK_TEXT(text_of("y"), "float32[?,4]");
    built_close(&built);
    build_loops(2);
    CHECK_TEXT(text_of("y"), "float32[?,4]");
    built_close(&built);
    build_loops(3); /* the innermost is looked at once, so that nothing is known of what changes */
    CHECK_TEXT(text_of("y"), "float32[...]");
    built_close(&built);
    build_loops(12);
    CHECK_TEXT(text_of("y"), "float32[...]");
    built_close(&built);
}

TESTS(test_infer_limits__long_constants_are_read_up_to_the_limit,
      test_infer_limits__products_are_computed_up_to_the_limit, test_infer_limits__fractions_are_read_up_to_the_limit,
      test_infer_limits__sequences_are_followed_up_to_the_limit,
      test_infer_limits__a_long_list_of_operands_is_a_sequence_all_the_same, test_infer_limits__loops_in_loops_end,
      test_infer_limits__larger_tensors_are_computed_where_they_are_asked_for,
      test_infer_limits__so_many_larger_tensors_are_followed_and_no_more,
      test_infer_limits__so_many_elements_are_not_symbols, test_infer_limits__views_keep_to_the_limits)
