/* SPDX-License-Identifier: Apache-2.0
 *
 * What weights lose, held against sums that are written out here in double precision.
 */
#include <math.h>

#include "graph/graph.h"
#include "support/analysis.h"
#include "support/model_text.h"
#include "support/test.h"
#include "weights/kernels.h"

#define COUNT 300u

static float numbers[COUNT];

static void draw(void)
{
    uint32_t state = 7;
    for (size_t i = 0; i < COUNT; i++) {
        state = state * 1664525u + 1013904223u;
        numbers[i] = i % 17 == 0 ? 0 : (float)((double)(state >> 8) / (1 << 24) - 0.5);
    }
}

/* The sum of squares of what is lost by integers up to `limit`, of `count` numbers `step` apart. */
static double lost(const float *w, size_t count, size_t step, double limit)
{
    double most = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        most = fmax(most, fabs((double)w[i * step]));
    for (size_t i = 0; i < count && most > 0; i++) {
        double scale = most / limit, q = scale * nearbyint((double)w[i * step] / scale);
        sum += ((double)w[i * step] - q) * ((double)w[i * step] - q);
    }
    return sum;
}

static void check_near(double found, double wanted)
{
    CHECK(fabs(found - wanted) <= 1e-4 * wanted + 1e-12);
}

/* Of the code that this processor runs. */
static void test_weights__kernels(void)
{
    double square = 0;
    float most = 0;
    uint64_t zeros = 0, beyond = 0, none = 0;
    draw();
    for (size_t i = 0; i < COUNT; i++) {
        square += (double)numbers[i] * (double)numbers[i];
        most = fmaxf(most, fabsf(numbers[i]));
    }
    const float one = 1;
    float tops[COUNT / 32 + 1], top = 0;
    npart__tops(numbers, COUNT, tops);
    for (size_t i = 0; i < COUNT / 32 + 1; i++)
        top = fmaxf(top, tops[i]);
    CHECK(top == most);
    const struct npart__lost *whole = &npart__lost[NPART__LEVELS_WHOLE], *halves = &npart__lost[NPART__LEVELS_HALF];
    check_near(whole->blocks(numbers, COUNT, COUNT, &most, 127), lost(numbers, COUNT, 1, 127));
    check_near(whole->blocks(numbers, COUNT, COUNT, &most, 7), lost(numbers, COUNT, 1, 7));
    check_near(npart__count(numbers, COUNT, &zeros, &beyond), square);
    CHECK_INT(zeros, COUNT / 17 + 1);
    CHECK_INT(beyond, 0);
    /* Exact numbers of FLOAT16 and FLOAT8E4M3FN, the smallest and the largest, lose nothing. */
    static const float half[] = {0, 1, -2.5f, 65504, 5.9604645e-8f, 6.1035156e-5f, 1.0009765625f};
    static const float fp8[] = {0, 448, -448, 0.001953125f, 0.015625f, 1.125f, 240};
    CHECK(halves->blocks(half, 7, 7, &one, 1) == 0);
    CHECK(npart__lost[NPART__LEVELS_FP8].blocks(fp8, 7, 7, &one, 1) == 0);
    static const float odd[] = {1.00048828125f, 1e6f};
    CHECK(halves->blocks(odd, 1, 1, &one, 1) > 0);
    check_near(npart__count(odd, 2, &none, &beyond), 1e12);
    CHECK_INT(beyond, 1);
    static const float not_all[] = {NAN, 1, -3, NAN};
    npart__tops(not_all, 4, tops);
    CHECK(tops[0] == 3);
}

static double nf4_lost(const float *w, size_t count, float most)
{
    static const double levels[] = {
#define LEVEL(level) (double)(level),
#include "weights/nf4.def"
#undef LEVEL
    };
    double sum = 0;
    for (size_t i = 0; i < count && most > 0; i++) {
        double least = 2;
        for (size_t k = 0; k < sizeof levels / sizeof *levels; k++)
            least = fmin(least, fabs((double)w[i] / (double)most - levels[k]));
        sum += least * least * (double)most * (double)most;
    }
    return sum;
}

/* All that 16 bits can say. */
static void test_weights__widen(void)
{
    static uint16_t halves[65536];
    static float found[65536];
    for (uint32_t i = 0; i < 65536; i++)
        halves[i] = (uint16_t)i;
    for (int is_brain = 0; is_brain < 2; is_brain++) {
        uint32_t wrong = 0;
        npart__widen(halves, 65536, is_brain, found);
        for (uint32_t i = 0; i < 65536; i++) {
            const uint8_t bytes[] = {(uint8_t)(i & 0xff), (uint8_t)(i >> 8)};
            const float wanted = (float)npart__raw_double(is_brain ? NPART__BFLOAT16 : NPART__FLOAT16, bytes);
            const bool is_it = wanted == found[i] && signbit(wanted) == signbit(found[i]);
            if (isnan(wanted) ? !isnan(found[i]) : !is_it)
                wrong++;
        }
        CHECK_INT(wrong, 0);
    }
}

/* Blocks of 64, of which the last is short, and a scale for each number; the levels themselves lose nothing. */
static void test_weights__nf4(void)
{
    static const float exact[] = {0.5f, -0.5f, 0, 0.5f * 0.160930201f};
    const struct npart__lost *nf4 = &npart__lost[NPART__LEVELS_NF4];
    float tops[COUNT / 64 + 1] = {0}, each[COUNT], scale[COUNT], inverse[COUNT];
    double by_blocks = 0, by_numbers = 0;
    draw();
    for (size_t i = 0; i < COUNT; i++) {
        tops[i / 64] = fmaxf(tops[i / 64], fabsf(numbers[i]));
        each[i] = 0.5f + (float)(i % 7);
    }
    for (size_t i = 0; i < COUNT; i += 64)
        by_blocks += nf4_lost(numbers + i, COUNT - i < 64 ? COUNT - i : 64, tops[i / 64]);
    for (size_t i = 0; i < COUNT; i++)
        by_numbers += nf4_lost(numbers + i, 1, each[i]);
    npart__scales(each, COUNT, NPART__NF4_UNITS, scale, inverse);
    /* Units are coarse: 0.002 dB. */
    CHECK(fabs(nf4->blocks(numbers, COUNT, 64, tops, NPART__NF4_UNITS) / by_blocks - 1) < 5e-4);
    CHECK(fabs(nf4->each(numbers, COUNT, scale, inverse) / by_numbers - 1) < 5e-4);
    CHECK(nf4->blocks(exact, 4, 64, exact, NPART__NF4_UNITS) == 0);
}

static uint32_t place_of(const char *name)
{
    uint32_t at = 0;
    while (npart_rounding_name(at) && strcmp(npart_rounding_name(at), name) != 0)
        at++;
    return at;
}

static double decibels_of(const struct npart_weight_loss *weight, const char *name)
{
    uint32_t at = place_of(name);
    return weight->is_known[at] ? weight->decibels[at] : NAN;
}

/* The model's text with the numbers as an initializer of these dims. */
static npart_losses *losses_of(const char *dims, const char *node, npart_model **model)
{
    static char text[COUNT * 24];
    struct npart_error error = {0};
    npart_losses *losses = NULL;
    size_t used = (size_t)snprintf(text, sizeof text, "opset 17\ninput x float32\ninit w float32[%s] =", dims);
    for (size_t i = 0; i < COUNT; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, " %.9g", (double)numbers[i]);
    (void)snprintf(text + used, sizeof text - used, "\nnode y = %s\noutput y\n", node);
    *model = read_text(text);
    CHECK_INT(npart_losses_make(&losses, *model, &error), NPART_OK);
    CHECK_TEXT(error.message, "");
    return losses;
}

/* [10, 30]: by rows of 30, and by columns of 10. Blocks of 32 are a row, or a column; so are longer ones. */
static void test_weights__channels(void)
{
    static const struct {
        const char *node;
        size_t channels, length, step, next;
    } cases[] = {{"Gemm(x, w) transB=1", 10, 30, 1, 30},
                 {"MatMul(x, w)", 30, 10, 30, 1},
                 {"Gather(w, x)", 10, 30, 1, 30}};
    draw();
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        struct npart_weight_loss weight = {.size = sizeof weight};
        npart_model *model;
        npart_losses *losses = losses_of("10,30", cases[c].node, &model);
        double by4 = 0, by8 = 0, square = 0;
        for (size_t i = 0; i < COUNT; i++)
            square += (double)numbers[i] * (double)numbers[i];
        for (size_t i = 0; i < cases[c].channels; i++) {
            by4 += lost(numbers + i * cases[c].next, cases[c].length, cases[c].step, 7);
            by8 += lost(numbers + i * cases[c].next, cases[c].length, cases[c].step, 127);
        }
        REQUIRE(npart_losses_weight(losses, 0, &weight));
        CHECK_INT(weight.elements, COUNT);
        CHECK(fabs(decibels_of(&weight, "int4-channel") - 10 * log10(square / by4)) < 0.001);
        CHECK(fabs(decibels_of(&weight, "int8-channel") - 10 * log10(square / by8)) < 0.001);
        CHECK(fabs(decibels_of(&weight, "int4-block32") - decibels_of(&weight, "int4-channel")) < 0.001);
        CHECK(fabs(decibels_of(&weight, "int8-tensor") - 10 * log10(square / lost(numbers, COUNT, 1, 127))) < 0.001);
        npart_losses_free(losses);
        npart_model_free(model);
    }
}

/* [2, 5, 30] of ConvTranspose: the second axis is the channel, of 60 numbers in two parts. */
static void test_weights__the_middle(void)
{
    struct npart_weight_loss weight = {.size = sizeof weight};
    npart_model *model;
    draw();
    npart_losses *losses = losses_of("2,5,30", "ConvTranspose(x, w)", &model);
    double by8 = 0, square = 0;
    float channel[60];
    for (size_t i = 0; i < COUNT; i++)
        square += (double)numbers[i] * (double)numbers[i];
    for (size_t i = 0; i < 5; i++) {
        memcpy(channel, numbers + i * 30, 30 * sizeof(float));
        memcpy(channel + 30, numbers + (5 + i) * 30, 30 * sizeof(float));
        by8 += lost(channel, 60, 1, 127);
    }
    REQUIRE(npart_losses_weight(losses, 0, &weight));
    CHECK(fabs(decibels_of(&weight, "int8-channel") - 10 * log10(square / by8)) < 0.001);
    npart_losses_free(losses);
    npart_model_free(model);
}

/* A file that is not there is named; vectors and integers are no weights. */
static void test_weights__what_is_absent(void)
{
    struct npart_error error = {0};
    struct npart_losses_info info = {.size = sizeof info};
    npart_losses *losses = NULL;
    npart_model *model =
        read_text("opset 17\ninput x float32[2,4]\ninit w float32[4,4096]\nnode y = MatMul(x, w)\noutput y\n");
    CHECK_INT(npart_losses_make(&losses, model, &error), NPART_ERROR_READ);
    CHECK(*error.place);
    npart_model_free(model);
    model = read_text("opset 17\ninput x float32[2,4]\ninit w float32[4] = 1 2 3 4\nnode y = MatMul(x, w)\noutput y\n");
    CHECK_INT(npart_losses_make(&losses, model, &error), NPART_OK);
    CHECK(npart_losses_info(losses, &info));
    CHECK_INT(info.weight_count, 0);
    CHECK(!npart_losses_weight(losses, 0, &(struct npart_weight_loss){.size = sizeof(struct npart_weight_loss)}));
    npart_losses_free(losses);
    npart_model_free(model);
    CHECK_INT(npart_losses_make(NULL, NULL, NULL), NPART_ERROR_ARGUMENT);
}

/* One that is none makes all losses unknown, and none of them infinite. */
static void test_weights__no_number(void)
{
    struct npart_weight_loss weight = {.size = sizeof weight};
    npart_model *model;
    draw();
    numbers[40] = NAN;
    npart_losses *losses = losses_of("10,30", "MatMul(x, w)", &model);
    REQUIRE(npart_losses_weight(losses, 0, &weight));
    for (uint32_t i = 0; npart_rounding_name(i); i++)
        CHECK(!weight.is_known[i] && weight.decibels[i] == 0);
    npart_losses_free(losses);
    npart_model_free(model);
}

TESTS(test_weights__kernels, test_weights__widen, test_weights__nf4, test_weights__no_number,
      test_weights__channels, test_weights__the_middle, test_weights__what_is_absent)
