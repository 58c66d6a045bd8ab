/* SPDX-License-Identifier: Apache-2.0
 *
 * The parameters that operators.table gives to families, and what families share. A family is one function for
 * operators that differ in a detail: npart__infer_reduce serves all Reduce* operators, and the parameter tells which
 * one it is.
 */
#ifndef NPART_INFER_FAMILIES_H
#define NPART_INFER_FAMILIES_H

#include "infer/call.h"

/* Operators that work element by element; each is a line of elementwise.def. */
enum npart__elementwise {
#define ELEMENT(name, ints, doubles, traits, first, first_default, second, second_default) NPART__EACH_##name,
#include "infer/elementwise.def"
};

/* How a Reduce* operator combines elements; OTHER computes none (quantized ones), only the shape. See reduce.c. */
enum npart__reduction {
    NPART__REDUCE_OTHER, NPART__REDUCE_SUM, NPART__REDUCE_PRODUCT, NPART__REDUCE_MAXIMUM, NPART__REDUCE_MINIMUM,
    NPART__REDUCE_MEAN, NPART__REDUCE_L1, NPART__REDUCE_L2, NPART__REDUCE_LOG_SUM, NPART__REDUCE_LOG_SUM_EXP,
    NPART__REDUCE_SUM_SQUARE
};

/* Softmax, LogSoftmax, Hardmax. */
enum npart__softening { NPART__SOFTENING_PLAIN, NPART__SOFTENING_LOG, NPART__SOFTENING_HARD };

/* DepthToSpace, SpaceToDepth. */
enum npart__blocks { NPART__BLOCKS_TO_SPACE, NPART__BLOCKS_TO_DEPTH };

/* ArgMax, ArgMin. */
enum npart__extreme { NPART__EXTREME_MAXIMUM, NPART__EXTREME_MINIMUM };

/* How the operands of a convolution or matrix product stand. */
enum npart__operands {
    NPART__OPERANDS_PLAIN,         /* X W, A B */
    NPART__OPERANDS_QUANTIZED,     /* x x_scale x_zero_point w ..., the result typed like y_zero_point */
    NPART__OPERANDS_INTEGER,       /* int32 result */
    NPART__OPERANDS_FLOAT,         /* float result */
    NPART__OPERANDS_ORDERED,       /* A scale_A B scale_B ... */
    NPART__OPERANDS_TYPED,         /* the result's type is attribute dtype */
    NPART__OPERANDS_CHANNELS_LAST, /* X [batch, spatial, channels] */
    NPART__OPERANDS_DYNAMIC_PADS,  /* X W pads */
};

/* SVM: a classifier of pairs of classes, which may have other scores. See classify.c. */
enum npart__classifier { NPART__CLASSIFIER_PLAIN, NPART__CLASSIFIER_SVM };

/* Where the past that an attention extends stands among its inputs, key before value; 0: it has none. */
enum npart__past { NPART__PAST_NONE = 0, NPART__PAST_AT_3 = 3, NPART__PAST_AT_4 = 4, NPART__PAST_AT_5 = 5,
                   NPART__PAST_AT_6 = 6, NPART__PAST_AT_8 = 8 };

/* The inference functions: each serves the rows of operators.table that name it, and has the form that call.h says. It
 * reads the operands' facts, and fills in those of the outputs as far as they follow. */
void npart__infer_pattern(struct npart__call *call); /* as the row's text says */
#define ROW(domain, name, since, function, ...) void npart__infer_##function(struct npart__call *call);
#define LATER ROW
#include "operator_rows.def"

/* quantize.c */
void npart__widen_type(const struct npart__call *call);

#endif
