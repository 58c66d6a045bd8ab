/* SPDX-License-Identifier: Apache-2.0
 *
 * choose: what advice and fix choose changes by. An *outcome* is what a plan comes to; a change *pays* where the
 * outcome after it is better in some respect. Both ask here which of two plans is better, and where a rewrite applies.
 */
#ifndef NPART_CHOOSE_H
#define NPART_CHOOSE_H

#include "plan/plan.h"
#include "npu_partition/mend.h"

/* What a target makes of a model. The smaller the better, in this order. */
struct npart__outcome {
    uint32_t failed;     /* nodes that fail to compile, and one where the session fails otherwise */
    uint32_t partitions; /* NPART_NONE where nothing is taken */
    uint32_t left;       /* live nodes that are not taken */
    uint32_t elsewhere;  /* that are taken, and surely not run by the NPU */
    double ms;           /* typical; negative: not known */
    struct npart_summary summary;
};

/* Nothing is left that a change could bring to the NPU. */
bool npart__is_done(const struct npart_summary *summary);
struct npart__outcome npart__outcome_of(const struct npart__plan *plan);
/* Of what is counted, with the time or without. */
struct npart__outcome npart__outcome_of_counts(const struct npart_summary *summary, uint32_t elsewhere, double ms);

/* What a change pays, as bits in the order in which they count. */
enum npart__pays {
    NPART__PAYS_MENDS = 1,            /* fewer nodes fail */
    NPART__PAYS_FEWER_PARTITIONS = 2, /* or one where there was none */
    NPART__PAYS_MORE_ON_NPU = 4,      /* fewer nodes are left to the CPU, or run elsewhere though they are taken */
    NPART__PAYS_FASTER = 8,
};

/* What helps one target may cost another an operator more: less than an estimate tells is no harm. */
#define NPART__SHARE_OF_HARM 0.05
#define NPART__SHARE_OF_GAIN 0.001

/* Below 0 where `a` is better, above where it is worse: by the first respect in which they differ. Times that differ by
 * a smaller share are the same. */
int npart__compare_outcomes(const struct npart__outcome *a, const struct npart__outcome *b, double share);

/* A step is told as faster where it saves so much of a run. */
#define NPART__SHARE_OF_STEP 0.02
/* What a step from `before` brings, as it is told. A failure pays once nothing fails any more; without one, a run must
 * not get slower for any of it, and more nodes on the NPU count only where times are not known. */
enum npart_pays npart__step_pays(const struct npart__outcome *before, const struct npart__outcome *after);

/* Times that differ by no more are about equal: estimates do not tell them apart. */
#define NPART__SHARE_EQUAL 0.1
/* The same of a model that is ended, or begun, at some tensors: the rest is a model more to run, so there must be more
 * to it. It pays where a failure goes, or where one partition is left of several, and a run is no longer, or about as
 * long where it was undecided how many there were. */
enum npart_pays npart__end_pays(const struct npart__outcome *before, const struct npart__outcome *after);

/* ---- another target ---------------------------------------------------------------------------------------------- */

/* ":v73+float@2.6.0", as it is asked for, with a variant (NPART_NONE: the plan's), switches, and a release (NULL: the
 * plan's) that is one of the list's toolchains; NULL when out of memory. */
const char *npart__target_text(const struct npart__plan *plan, uint32_t variant, uint32_t switches,
                               const char *release, struct npart__arena *arena);
/* "neutron+quantize", by which the whole model counts as quantized, where the plan's own target refuses it as it is
 * not; NULL in *out: no rule does. False when out of memory. */
bool npart__quantized_target(const struct npart__plan *plan, struct npart__arena *arena, const char **out);

/* ---- several targets --------------------------------------------------------------------------------------------- */

/* A version of the model, as each of the targets has it. */
struct npart__standing {
    const struct npart__outcome *outcomes; /* by target */
    uint32_t target_count;
    bool is_invalid; /* ONNX Runtime would not load it */
};

/* Worse for some target, or no longer loaded. */
bool npart__is_worse(const struct npart__standing *at, const struct npart__standing *than, double share);
/* Better for some target and worse for none. */
bool npart__is_better(const struct npart__standing *at, const struct npart__standing *than);
/* Brings on some target, and lets none fail more. */
bool npart__is_progress(const struct npart__standing *at, const struct npart__standing *than);

/* What is written against the file as it was. More partitions with fewer nodes on the CPU, and the reverse, are weighed
 * by time, since sizes make nodes of what was shapes; where it is not known neither is worse. */
struct npart__balance {
    bool helps;      /* some target */
    bool unloads;    /* it is no longer loaded */
    uint32_t harmed; /* the first target that is worse; NPART_NONE: none is */
};
struct npart__balance npart__balance(const struct npart__standing *at, const struct npart__standing *than);

#endif
