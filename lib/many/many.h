/* SPDX-License-Identifier: Apache-2.0
 *
 * many: what reports of many models say together. many.c counts, many_text.c tells it.
 *
 * Memory. A root and an advice take some hundred bytes, their texts cut to NPART__MANY_TEXT_BYTES, and there are at
 * most NPART__MANY_ROOTS and NPART__MANY_ADVICE of a target. The table can call a model whole only where all its roots
 * are among the rows that are shown, so of models the sets of up to NPART__MANY_ROWS roots are kept: 4 bytes a root and
 * some 60 for the set, equal sets once. Where no two models had the same roots, this would be 125 bytes a model and
 * target.
 */
#ifndef NPART_MANY_H
#define NPART_MANY_H

#include "api/api.h"
#include "base/stream.h"
#include "many/numbers.h"
#include "npu_partition/many.h"

#define NPART__MANY_ROWS 16u         /* of roots, that are told of a target at most */
#define NPART__MANY_ROOTS 65536u     /* of a target */
#define NPART__MANY_ADVICE 262144u   /* of all roots of a target together */
#define NPART__MANY_TARGETS 256u
#define NPART__MANY_TEXT_BYTES 512u

/* The words of summary.verdict, the best first, then what is none of them. */
enum npart__many_verdict {
    NPART__MANY_WHOLE, NPART__MANY_EDGE, NPART__MANY_SPLIT, NPART__MANY_NONE, NPART__MANY_FAILS, NPART__MANY_EMPTY,
    NPART__MANY_OTHER, NPART__MANY_VERDICTS
};
extern const char *const npart__many_verdicts[NPART__MANY_VERDICTS];

/* By the number of its kind, rule and op. */
struct npart__many_root {
    uint32_t text; /* in `texts` */
    uint64_t models, nodes, affected, alone; /* alone: of so many it is the only root, and hides no other */
};

/* By the number of a root and a text: what is advised first for the root, in models that are not whole. */
struct npart__many_advice {
    uint32_t root, text;
    uint64_t models, whole, partitions_before, partitions_after; /* after: by the plans' own `after` */
};

/* By its name. */
struct npart__many_target {
    uint64_t models, verdicts[NPART__MANY_VERDICTS], live, accepted;
    uint64_t invalid;  /* of those that are not whole: no root is to blame */
    uint64_t hiding;   /* of those that are not whole: planning again finds more than their roots */
    uint64_t left_out; /* roots past NPART__MANY_ROOTS, of models */
    struct npart__numbers roots;  /* of struct npart__many_root */
    struct npart__numbers advice; /* of struct npart__many_advice */
    struct npart__numbers sets;   /* sorted numbers of roots; of uint64_t: the models that are whole without these */
};

struct npart_many {
    struct npart__life *life;
    uint64_t models, failures;
    struct npart__numbers texts, codes; /* codes: of uint64_t, models */
    struct npart__numbers targets;      /* of struct npart__many_target */
    struct npart__arena last;           /* of the report that was counted last */
    const struct npart__tree *report;   /* that report; NULL: none was */
};

#endif
