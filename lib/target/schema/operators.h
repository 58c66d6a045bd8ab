/* SPDX-License-Identifier: Apache-2.0
 *
 * What stages ask of an operator, whatever the target and the version: columns of operators.table, which says what each
 * word means.
 */
#ifndef NPART_SCHEMA_OPERATORS_H
#define NPART_SCHEMA_OPERATORS_H

#include "base/base.h"

/* Where the elements of the first result come from. */
enum npart__elements {
    NPART__ELEMENTS_UNKNOWN,
    NPART__ELEMENTS_OTHER,
    NPART__ELEMENTS_ON,
    NPART__ELEMENTS_DROPS,
    NPART__ELEMENTS_CASTS,
    NPART__ELEMENTS_CODES,
    NPART__ELEMENTS_EACH,
    NPART__ELEMENTS_VIEW,
    NPART__ELEMENTS_SQUEEZE,
    NPART__ELEMENTS_UNSQUEEZE,
    NPART__ELEMENTS_TRANSPOSE,
    NPART__ELEMENTS_BLOCKS,
    NPART__ELEMENTS_EXPAND,
    NPART__ELEMENTS_TILE,
    NPART__ELEMENTS_CONCAT,
    NPART__ELEMENTS_SLICE,
    NPART__ELEMENTS_SPLIT,
    NPART__ELEMENTS_PAD,
    NPART__ELEMENTS_GATHER,
    NPART__ELEMENTS_GATHER_TUPLES,
    NPART__ELEMENTS_GATHER_BLOCKS,
    NPART__ELEMENTS_SCATTER_TUPLES,
    NPART__ELEMENTS_ALONG_FIRST,
    NPART__ELEMENTS_ALONG_LAST,
    NPART__ELEMENTS_CUMULATE,
    NPART__ELEMENTS_REDUCE,
    NPART__ELEMENTS_SOFTMAX,
    NPART__ELEMENTS_LOG_SOFTMAX,
    NPART__ELEMENTS_HARDMAX,
    NPART__ELEMENTS_NORMALIZE,
    NPART__ELEMENTS_MATMUL,
    NPART__ELEMENTS_INTEGER_MATMUL,
    NPART__ELEMENTS_FUSED_MATMUL,
    NPART__ELEMENTS_GEMM,
    NPART__ELEMENTS_CONV,
    NPART__ELEMENTS_ATTENTION,
    NPART__ELEMENTS_ROWS,
    NPART__ELEMENTS_FILL,
    NPART__ELEMENTS_SHAPE,
    NPART__ELEMENTS_SIZE,
    NPART__ELEMENTS_ONE_HOT,
    NPART__ELEMENTS_ROTARY,
    NPART__ELEMENTS_EXPERTS,
    NPART__ELEMENTS_COUNT
};

/* One of them, as a set: several are joined by |. */
#define NPART__WAY(word) (UINT64_C(1) << NPART__ELEMENTS_##word)
/* The operand's own, outside of training. */
#define NPART__WAYS_SAME (NPART__WAY(ON) | NPART__WAY(DROPS))
/* Its first operand's in their order, with other axes. */
#define NPART__WAYS_VIEW (NPART__WAY(VIEW) | NPART__WAY(SQUEEZE) | NPART__WAY(UNSQUEEZE))
/* All of its first operand's, wherever, some of them repeated. */
#define NPART__WAYS_ALL                                                                                                \
    (NPART__WAYS_SAME | NPART__WAYS_VIEW | NPART__WAY(TRANSPOSE) | NPART__WAY(BLOCKS) | NPART__WAY(EXPAND) |           \
     NPART__WAY(TILE))
/* Its first operand's, whichever and wherever; none is computed. */
#define NPART__WAYS_ONE                                                                                                \
    (NPART__WAYS_ALL | NPART__WAY(CASTS) | NPART__WAY(SLICE) | NPART__WAY(SPLIT) | NPART__WAY(GATHER) |                \
     NPART__WAY(GATHER_TUPLES))
/* Of its sizes, and no elements. */
#define NPART__WAYS_SIZES (NPART__WAY(SHAPE) | NPART__WAY(SIZE))
/* Each of those at its place. */
#define NPART__WAYS_PLACE (NPART__WAYS_SAME | NPART__WAY(CASTS) | NPART__WAY(CODES) | NPART__WAY(EACH))

/* Where the CPU provider of ONNX Runtime puts the first result. */
enum npart__result_buffer { NPART__BUFFER_OWN, NPART__BUFFER_VIEW, NPART__BUFFER_PLACE, NPART__BUFFER_TWICE };

/* Whether it may be run although the other branch of an If is meant. */
enum npart__branch { NPART__BRANCH_NO, NPART__BRANCH_SAFE, NPART__BRANCH_ROOM, NPART__BRANCH_FLOATS };

/* What it computes, element by element or, of MAXIMUM and MINIMUM, of a line, too; by its SHAPE (operators.awk). */
enum npart__computes {
    NPART__COMPUTES_OTHER,
    NPART__COMPUTES_ADD,
    NPART__COMPUTES_SUBTRACT,
    NPART__COMPUTES_MULTIPLY,
    NPART__COMPUTES_DIVIDE,
    NPART__COMPUTES_MAXIMUM,
    NPART__COMPUTES_MINIMUM,
    NPART__COMPUTES_MEAN,
    NPART__COMPUTES_MATMUL, /* a product of matrices, and nothing besides */
    NPART__COMPUTES_EQUAL,
    NPART__COMPUTES_ORDER, /* which of two is the larger */
    NPART__COMPUTES_LIMITS, /* no more and no less than two others */
    NPART__COMPUTES_CHOICE, /* one of two, by a condition */
    NPART__COMPUTES_COUNT
};

/* Memory that ONNX Runtime's kernel has besides the result. */
enum npart__scratch { NPART__SCRATCH_NONE, NPART__SCRATCH_CONV, NPART__SCRATCH_RECURRENT, NPART__SCRATCH_TWICE };

struct npart__traits {
    const char *domain, *name;
    int since;          /* 0: every version */
    uint8_t elements;   /* enum npart__elements, and so on */
    uint8_t buffer;
    uint8_t branch;
    uint8_t computes;
    uint32_t constants; /* operands from this one on must be constant for `branch`; NPART_NONE: none */
    uint8_t sizes;      /* operands that only say how the result is shaped, as bits */
    uint8_t scratch;    /* enum npart__scratch */
    const char *fits;   /* sizes without which no kernel runs it, as operators.table says them; NULL: none are known */
    bool jumps;
    bool keeps_type;
    bool causal;
    bool comes_apart;
    bool writes;        /* an operand into the first, along the axis that `axis` says, or else: */
    int8_t writes_axis;
    struct {
        uint8_t first, count, batch;
    } cache; /* count 0: it takes none */
    struct {
        bool is_there;
        uint8_t index, table; /* operands */
        const char *axis;     /* the attribute, 0 where it is not given; NULL: axis 0 */
    } reads;
    struct {
        bool is_there;
        uint8_t operand;
        const char *attribute; /* only with this value of it; NULL: always */
        int64_t value;
    } rounds;
};

/* Never NULL: of an operator that has no row nothing is known. */
const struct npart__traits *npart__operator_traits(const char *domain, const char *name);

#endif
