/* SPDX-License-Identifier: Apache-2.0
 *
 * What a zoo has counted: between zoo.c, which counts, and zoo_write.c, which tells it.
 *
 * Memory. A root and an advice take some hundred bytes, their texts cut to ZOO_TEXT_BYTES, and there are at most
 * ZOO_ROOTS and ZOO_ADVICE of a target. The table can call a model whole only where all its roots are among the rows
 * that are shown, so of models the sets of up to ZOO_ROWS roots are kept: 4 bytes a root and some 60 for the set, equal
 * sets once. Where no two models had the same roots, this would be 125 bytes a model and target.
 */
#ifndef TOOL_ZOO_COUNTS_H
#define TOOL_ZOO_COUNTS_H

#include "interner.h"

#define ZOO_ROWS 16u         /* of roots, that are told of a target at most */
#define ZOO_ROOTS 65536u     /* of a target */
#define ZOO_ADVICE 262144u   /* of all roots of a target together */
#define ZOO_TARGETS 256u
#define ZOO_TEXT_BYTES 512u

/* The words of summary.verdict, the best first, then what is none of them. */
enum zoo_verdict {
    ZOO_WHOLE, ZOO_EDGE, ZOO_SPLIT, ZOO_NONE, ZOO_FAILS, ZOO_EMPTY, ZOO_OTHER, ZOO_VERDICTS
};
extern const char *const zoo_verdicts[ZOO_VERDICTS];

/* By the number of its kind, rule and op. */
struct zoo_root {
    uint32_t text; /* in texts of the zoo */
    uint64_t models, nodes, affected, alone; /* alone: of so many it is the only root, and hides no other */
};

/* By the number of a root and a text: what is advised first for the root, in models that are not whole. */
struct zoo_advice {
    uint32_t root, text;
    uint64_t models, whole, partitions_before, partitions_after; /* after: by the plans' own `after` */
};

/* By its name. */
struct zoo_target {
    uint64_t models, verdicts[ZOO_VERDICTS], live, accepted;
    uint64_t invalid;  /* of those that are not whole: no root is to blame */
    uint64_t hiding;   /* of those that are not whole: planning again finds more than their roots */
    uint64_t left_out; /* roots past ZOO_ROOTS, of models */
    struct interner roots;  /* of struct zoo_root */
    struct interner advice; /* of struct zoo_advice */
    struct interner sets;   /* sorted numbers of roots; of uint64_t: the models that are whole without these */
};

struct zoo {
    uint64_t models, failures;
    struct interner texts, codes; /* codes: of uint64_t, models */
    struct interner targets;      /* of struct zoo_target */
};

#endif
