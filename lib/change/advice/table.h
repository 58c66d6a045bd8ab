/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of actions, and which of its rows suit a cause.
 *
 * A row names its causes by conditions that are all met, and rows are tried in their order, so a special row stands
 * before a general one. To add an action, write a row in actions.def.
 */
#ifndef NPART_ADVICE_TABLE_H
#define NPART_ADVICE_TABLE_H

#include "advice/advice.h"

enum npart__row_when {
    NPART__WHEN_ALWAYS,
    NPART__WHEN_LAST,            /* always, but never in the place of another action */
    NPART__WHEN_INPUT_DIM,       /* the size of an input is not fixed */
    NPART__WHEN_SHAPED_LATER,    /* the node has no shape inference at its version, and has one at a later */
    NPART__WHEN_PROCESSED,       /* it is, or comes after, what reads or writes pictures and texts in the graph */
    NPART__WHEN_ADDED_LATER,     /* the list has the op from a later opset on */
    NPART__WHEN_DROPPED,         /* the list has the op up to an earlier opset */
    NPART__WHEN_INTEGERS,        /* the target computes integers only */
    NPART__WHEN_LIFTED,          /* a `partitions` line that does not count with some switch */
    NPART__WHEN_USER_CUT,        /* the user cuts there */
    NPART__WHEN_OVERRIDDEN,      /* the user leaves it to the CPU */
    NPART__WHEN_RELEASED,        /* the newest release of the toolchain does not have the rule, or it holds there */
    NPART__WHEN_ADVISED,         /* the op list says what to change */
    NPART__WHEN_NATIVE,          /* a format of the model is native on another variant alone */
    NPART__WHEN_QUANTIZED,       /* the node stands between DequantizeLinear and QuantizeLinear */
};

/* Words of it are in npart__kind_word, and in the JSON contract. */
enum npart__row_kind {
    NPART__KIND_DIMS,
    NPART__KIND_OPSET,
    NPART__KIND_EXPORTER,
    NPART__KIND_REWRITE,
    NPART__KIND_QUANTIZE,
    NPART__KIND_VARIANT,
    NPART__KIND_SWITCH,
    NPART__KIND_RELEASE,
    NPART__KIND_CUT,
    NPART__KIND_END,   /* by fix: a model that ends at some tensors, and perhaps begins at some */
    NPART__KIND_BEGIN,
    NPART__KIND_OPTION,
    NPART__KIND_NONE,
};

/* How what is left is found. */
enum npart__row_trial {
    NPART__TRY_ACCEPT,  /* the affected nodes are taken */
    NPART__TRY_OPSET,   /* the model with another opset, as far as no operator means something else by it */
    NPART__TRY_OWN_OPSET, /* only the nodes that it is about have that opset */
    NPART__TRY_VARIANT, /* other variants of the target, until one takes the node */
    NPART__TRY_RELEASE, /* the first release of the toolchain that takes as much as any newer one */
    NPART__TRY_SWITCH,  /* the target with the switch that is named, or the one that the rule does not count with */
    NPART__TRY_TAIL,    /* the node and all that depends on it is left to the CPU */
    NPART__TRY_UNCUT,   /* without the user's cut */
    NPART__TRY_POLICY,  /* without the `partitions` line */
    NPART__TRY_NOTHING,
};

/* Texts are lists with blanks between; "" is anything. All are the table's own, so they live as long as the
 * library. */
struct npart__row {
    const char *targets;
    const char *abouts;  /* npart_cause_kind_text() of the cause */
    const char *rules;   /* ids without the target's name; '*' is any text */
    const char *ops;     /* "Erf", "com.microsoft:Gelu", "ai.onnx.ml:*" */
    const char *types;   /* of the operand that made the rule fail */
    uint8_t when, kind, trial; /* enum npart__row_when, npart__row_kind, npart__row_trial */
    const char *argument;      /* of TRY_SWITCH */
    const char *equality;
    const char *text; /* see words.c for what stands in braces */
};

extern const struct npart__row npart__rows[];
extern const uint32_t npart__row_count;

const char *npart__kind_word(enum npart__row_kind kind);

/* A cause, and what a row asks of it. */
struct npart__case {
    const struct npart__plan *plan;
    uint32_t cause;
    uint32_t node; /* where it starts: the root, the holder of a body, else the first node; NPART_NONE: nowhere */
    int type;      /* of the operand that made the rule fail; 0: none did, or unknown */
    int64_t opset; /* that would do; 0: none is known */
};

/* The switch with which the `partitions` line of a rule does not count; NPART_NONE: there is none, or the list then
 * describes another program (a `runtime` line has it). */
uint32_t npart__lifting_switch(const struct npart__oplist *oplist, uint32_t rule);
/* The plan's inference is asked again: it must be locked. */
struct npart__case npart__case_of(const struct npart__plan *plan, uint32_t cause);
/* Whether the row is for such a cause; fills in case->opset. */
bool npart__row_suits(const struct npart__row *row, struct npart__case *about);

#endif
