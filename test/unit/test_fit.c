/* SPDX-License-Identifier: Apache-2.0
 *
 * Factors from measured times: what the times tell is found, what they do not tell stays.
 */
#include <math.h>

#include "runs/fit.h"
#include "support/test.h"

static bool is_near(double a, double b, double share)
{
    return fabs(a - b) <= share * fabs(b);
}

/* Two factors, told apart by three times: 2 and 1/2. */
static void test_fit__finds_what_times_tell(void)
{
    static const double parts[] = {10, 1, 1, 10, 5, 5}, fixed[] = {1, 2, 0}, deviations[] = {1, 1};
    static const double measured[] = {1 + 20 + 0.5, 2 + 2 + 5, 10 + 2.5};
    struct npart__fitting fit = {.factor_count = 2, .time_count = 3, .parts = parts, .fixed = fixed,
                             .measured = measured, .deviations = deviations, .spread = 0.05};
    double x[2] = {0, 0}, left[2];
    CHECK(npart__fit_solve(&fit, NULL, x, left));
    CHECK(is_near(exp(x[0]), 2, 0.02) && is_near(exp(x[1]), 0.5, 0.05));
    CHECK(left[0] < 0.1 && left[1] < 0.2);
    CHECK(is_near(npart__fit_predict(&fit, 2, x), measured[2], 0.02));
}

/* One time and two factors of equal parts: both move as much, little is known of either; one without a part stays. */
static void test_fit__keeps_what_times_do_not_tell(void)
{
    static const double parts[] = {1, 1, 0}, fixed[] = {0}, deviations[] = {0.5, 0.5, 0.5}, measured[] = {3};
    struct npart__fitting fit = {.factor_count = 3, .time_count = 1, .parts = parts, .fixed = fixed,
                             .measured = measured, .deviations = deviations, .spread = 0.05};
    double x[3] = {0, 0, 0}, left[3];
    CHECK(npart__fit_solve(&fit, NULL, x, left));
    CHECK(is_near(x[0], x[1], 1e-6) && is_near(npart__fit_predict(&fit, 0, x), 3, 0.02));
    CHECK(left[0] > 0.3 && left[0] < 0.4); /* 0.5 / sqrt(2): the sum is known, the difference is not */
    CHECK(x[2] == 0 && is_near(left[2], 0.5, 1e-9));
}

/* What is skipped does not count. */
static void test_fit__skips(void)
{
    static const double parts[] = {1, 1}, fixed[] = {0, 0}, deviations[] = {2}, measured[] = {2, 1000};
    static const bool skips[] = {false, true};
    struct npart__fitting fit = {.factor_count = 1, .time_count = 2, .parts = parts, .fixed = fixed,
                             .measured = measured, .deviations = deviations, .spread = 0.05};
    double x[1] = {0}, left[1];
    CHECK(npart__fit_solve(&fit, skips, x, left));
    CHECK(is_near(exp(x[0]), 2, 0.01));
}

/* Parts taken at another place count from there. */
static void test_fit__parts_at_another_place(void)
{
    static const double parts[] = {2}, fixed[] = {0}, deviations[] = {1}, measured[] = {4};
    struct npart__fitting fit = {.factor_count = 1, .time_count = 1, .parts = parts, .fixed = fixed,
                             .measured = measured, .deviations = deviations, .spread = 0.05,
                             .at = {0.6931471805599453}};
    double x[1] = {0}, left[1];
    CHECK(is_near(npart__fit_predict(&fit, 0, x), 1, 1e-9));
    CHECK(npart__fit_solve(&fit, NULL, x, left));
    CHECK(is_near(npart__fit_predict(&fit, 0, x), 4, 0.01));
}

/* Numbers that are out of range are refused, and leave what there was. */
static void test_fit__refuses_what_is_no_number(void)
{
    static const double parts[] = {1e308}, fixed[] = {1e308}, deviations[] = {1}, measured[] = {1e-300};
    struct npart__fitting fit = {.factor_count = 1, .time_count = 1, .parts = parts, .fixed = fixed,
                             .measured = measured, .deviations = deviations, .spread = 0.05};
    double x[1] = {0.25}, left[1];
    CHECK(!npart__fit_solve(&fit, NULL, x, left));
    CHECK(x[0] == 0.25);
}

/* As many factors as there may be, each in a time of its own. */
static void test_fit__as_many_as_there_may_be(void)
{
    double parts[NPART__MOST_FACTORS * NPART__MOST_FACTORS] = {0}, fixed[NPART__MOST_FACTORS] = {0};
    double measured[NPART__MOST_FACTORS], deviations[NPART__MOST_FACTORS], x[NPART__MOST_FACTORS] = {0};
    double left[NPART__MOST_FACTORS];
    for (uint32_t k = 0; k < NPART__MOST_FACTORS; k++) {
        parts[k * NPART__MOST_FACTORS + k] = 1;
        measured[k] = 0.25 * (k + 1);
        deviations[k] = 1;
    }
    struct npart__fitting fit = {.factor_count = NPART__MOST_FACTORS, .time_count = NPART__MOST_FACTORS, .parts = parts,
                             .fixed = fixed, .measured = measured, .deviations = deviations, .spread = 0.05};
    CHECK(npart__fit_solve(&fit, NULL, x, left));
    for (uint32_t k = 0; k < NPART__MOST_FACTORS; k++)
        CHECK(is_near(exp(x[k]), measured[k], 0.01));
}

TESTS(test_fit__finds_what_times_tell, test_fit__keeps_what_times_do_not_tell, test_fit__skips,
      test_fit__parts_at_another_place, test_fit__refuses_what_is_no_number, test_fit__as_many_as_there_may_be)
