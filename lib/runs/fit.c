/* SPDX-License-Identifier: Apache-2.0 */
#include "runs/fit.h"

#include <math.h>
#include <string.h>

/* The function to minimize, its gradient and its Gauss-Newton matrix, both halved. As both are halved, the step of
 * Gauss and Newton is the same. */
struct normal {
    double value, gradient[NPART__MOST_FACTORS], matrix[NPART__MOST_FACTORS][NPART__MOST_FACTORS];
};

/* A factor is exp(x): it stays above 0, and doubling is as far from 1 as halving. */
double npart__fit_predict(const struct npart__fitting *fit, uint32_t time, const double *x)
{
    double sum = fit->fixed[time];
    for (uint32_t k = 0; k < fit->factor_count; k++)
        sum += fit->parts[(size_t)time * fit->factor_count + k] * exp(x[k] - fit->at[k]);
    return sum;
}

/* The slope of the predicted time by x[k] is that part itself, as the derivative of exp is exp. Residuals are
 * relative: a network of 1 ms says as much as one of 100. Predicted 12 ms, measured 10, spread 0.15: the residual
 * is 2 / 1.5. */
static void add_time(const struct npart__fitting *fit, uint32_t time, const double *x, struct normal *out)
{
    double scale = fit->measured[time] * fit->spread, slope[NPART__MOST_FACTORS] = {0};
    double residual = (npart__fit_predict(fit, time, x) - fit->measured[time]) / scale;
    for (uint32_t k = 0; k < fit->factor_count; k++)
        slope[k] = fit->parts[(size_t)time * fit->factor_count + k] * exp(x[k] - fit->at[k]) / scale;
    out->value += residual * residual;
    for (uint32_t i = 0; i < fit->factor_count; i++) {
        out->gradient[i] += slope[i] * residual;
        for (uint32_t k = 0; k < fit->factor_count; k++)
            out->matrix[i][k] += slope[i] * slope[k];
    }
}

/* First what is known beforehand: each x is normally distributed about 0. So the matrix is positive however few the
 * times are, and with none x stays where it is. */
static void add_up(const struct npart__fitting *fit, const bool *skips, const double *x, struct normal *out)
{
    memset(out, 0, sizeof *out);
    for (uint32_t k = 0; k < fit->factor_count; k++) {
        /* A deviation is above 0 (fit.h), and a small one holds its factor where it was. */
        double weight = 1 / (fit->deviations[k] * fit->deviations[k]);
        out->value += x[k] * x[k] * weight;
        out->gradient[k] = x[k] * weight;
        out->matrix[k][k] = weight;
    }
    for (uint32_t time = 0; time < fit->time_count; time++)
        if (!skips || !skips[time])
            add_time(fit, time, x, out);
}

/* Of a symmetric positive matrix A the triangle L with A = L L^T (Cholesky's). False when it is none, in numbers.
 * The upper half is left as it was, and not read afterwards. */
static bool decompose(uint32_t count, double matrix[NPART__MOST_FACTORS][NPART__MOST_FACTORS])
{
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k <= i; k++) {
            double sum = matrix[i][k];
            for (uint32_t j = 0; j < k; j++)
                sum -= matrix[i][j] * matrix[k][j];
            if (i == k && !(sum > 0 && isfinite(sum))) /* negated, so that NaN stops it */
                return false;
            matrix[i][k] = i == k ? sqrt(sum) : sum / matrix[k][k];
        }
    return true;
}

/* L L^T x = b, in place. Forward through L, then back through its transpose. */
static void substitute(uint32_t count, double matrix[NPART__MOST_FACTORS][NPART__MOST_FACTORS], double *b)
{
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < i; k++)
            b[i] -= matrix[i][k] * b[k];
        b[i] /= matrix[i][i];
    }
    /* The transpose of L has at row i, column k what L has at row k, column i. */
    for (uint32_t i = count; i-- > 0;) {
        for (uint32_t k = i + 1; k < count; k++)
            b[i] -= matrix[k][i] * b[k];
        b[i] /= matrix[i][i];
    }
}

/* A step with the diagonal made larger, which shortens it and turns it downhill. With a damping near 0 it is Gauss
 * and Newton's step, which is right close to the minimum; with a large one a short step along the gradient, which
 * always helps. */
static bool step(const struct npart__fitting *fit, const struct normal *normal, double damping, const double *x,
                 double *out)
{
    double matrix[NPART__MOST_FACTORS][NPART__MOST_FACTORS], by[NPART__MOST_FACTORS];
    memcpy(matrix, normal->matrix, sizeof matrix);
    for (uint32_t k = 0; k < fit->factor_count; k++) {
        /* Relative to the diagonal, as factors may be known very differently well. */
        matrix[k][k] *= 1 + damping;
        by[k] = -normal->gradient[k];
    }
    if (!decompose(fit->factor_count, matrix))
        return false;
    substitute(fit->factor_count, matrix, by);
    for (uint32_t k = 0; k < fit->factor_count; k++)
        out[k] = x[k] + by[k];
    return true;
}

/* The inverse of the matrix is what is left of the variances, to first order. The diagonal alone is asked for, one
 * column at a time; there are 8 at most. */
static bool find_deviations(const struct npart__fitting *fit, const struct normal *normal, double *out)
{
    double matrix[NPART__MOST_FACTORS][NPART__MOST_FACTORS];
    memcpy(matrix, normal->matrix, sizeof matrix);
    if (!decompose(fit->factor_count, matrix))
        return false;
    for (uint32_t k = 0; k < fit->factor_count; k++) {
        double column[NPART__MOST_FACTORS] = {0};
        column[k] = 1;
        substitute(fit->factor_count, matrix, column);
        out[k] = sqrt(column[k]);
    }
    return true;
}

/* `x` is changed only when all has gone well, so that a caller may go on with what it had. */
bool npart__fit_solve(const struct npart__fitting *fit, const bool *skips, double *x, double *deviations_left)
{
    struct normal here, there;
    double at[NPART__MOST_FACTORS] = {0}, next[NPART__MOST_FACTORS], damping = 1e-3;
    /* Steps are made on a copy: `x` stays what it was until the end. */
    memcpy(at, x, fit->factor_count * sizeof *at);
    add_up(fit, skips, at, &here);
    for (uint32_t i = 0; i < NPART__MOST_FIT_STEPS && isfinite(here.value); i++) {
        if (!step(fit, &here, damping, at, next))
            return false;
        add_up(fit, skips, next, &there);
        bool is_better = there.value < here.value; /* false, too, of what is no number */
        /* A billionth less is no step worth another. */
        bool is_done = is_better && here.value - there.value < 1e-9 * here.value;
        if (is_better) {
            memcpy(at, next, sizeof at);
            here = there;
        }
        /* From 1e-3, seventeen steps in a row that do not help go past 1e12. */
        damping = is_better ? damping / 4 : damping * 8;
        if (is_done || damping > 1e12) /* no shorter step would be one */
            break;
    }
    if (!isfinite(here.value) || !find_deviations(fit, &here, deviations_left))
        return false;
    memcpy(x, at, fit->factor_count * sizeof *at);
    return true;
}
