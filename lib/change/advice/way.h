/* SPDX-License-Identifier: Apache-2.0
 *
 * The way from a plan to one with nothing left that could be changed, step by step.
 */
#ifndef NPART_ADVICE_WAY_H
#define NPART_ADVICE_WAY_H

#include "advice/words.h"

/* A target that was planned on the way. */
struct npart__replan {
    const struct npart__plan *from;
    const char *target;
    struct npart__plan *made; /* NULL: it cannot be */
};

struct npart__way {
    struct npart__arena *arena;        /* of the result */
    struct npart__arena scratch;       /* plans made on the way, and what is known of them */
    const struct npart__plan *open;    /* that is asked about: causes in the result are its */
    const struct npart__plan *fixed;   /* or NULL */
    const struct npart__advice_request *request;
    const struct npart__plan *mended;  /* of what fix makes, where it is the first step; NULL: none */
    bool is_rewritten; /* `plan` is of a rewritten model: its ids are not those of `open` */
    const struct npart__plan *plan;    /* where the way has come to: `open`, or one that was planned again */
    uint32_t *row_of;                  /* by cause of `plan` */
    struct NPART__ARRAY(struct npart__group) groups; /* of `plan` */
    struct NPART__ARRAY(struct npart__replan) replans;
    bool *is_done;     /* by row: its causes are gone */
    bool *is_cut;      /* by row: what depends on its causes is left to the CPU */
    bool *is_excluded; /* by row: planned already, or impossible */
    struct npart__marks *tail; /* nodes of `plan` that a cut leaves to the CPU; NULL: none */
    bool *accepted;    /* by node of `plan`: taken, after what is done */
    bool *is_told;     /* by cause of `open`: an action has it */
    bool is_ended; /* the model that `plan` is of is a part of `open`, and the host runs the rest */
    bool is_loaded, has_cut; /* has_cut: cut points round all that falls back were looked for */
    uint32_t steps;                    /* so far; the place of the next one among the actions */
    struct npart__outcome paid;        /* what the last step that pays leaves */
    uint32_t unpaid;                   /* steps since then */
    struct npart__after now;           /* what is left after them */
    struct npart__advice *out;
    struct NPART__ARRAY(struct npart__action) others; /* what may take the place of a step */
    struct npart_error *error;
};

/* groups.c: what a plan leaves with nothing done. */
struct npart__after npart__as_it_is(const struct npart__plan *plan);
/* Goes on with another plan: its causes by the rows that suit them. */
npart_status npart__way_turn(struct npart__way *way, const struct npart__plan *plan);
/* Finds what the group's trial needs: a tail, or another plan. Sets is_impossible where there is none. */
npart_status npart__group_prepare(struct npart__way *way, struct npart__group *group);
/* What would be left if a group were gone, too; with `accepted`, costs as well. */
npart_status npart__group_try(struct npart__way *way, const struct npart__group *group, struct npart__after *after,
                              bool **accepted);
/* The row after `row` that suits the first cause of a group as well, and may take its place; NPART_NONE: none. */
uint32_t npart__next_row(const struct npart__way *way, const struct npart__group *group, uint32_t row, int64_t *opset);

/* settle.c: whether a step of that kind pays. */
enum npart_pays npart__kind_pays(const char *kind, const struct npart__outcome *before,
                                 const struct npart__outcome *after);
/* advice.c: makes a step of the group, and goes on from where it leads. */
npart_status npart__way_take(struct npart__way *way, struct npart__group *group);
/* Whether a step of that kind pays over the last one that did. */
void npart__note_paid(struct npart__way *way, const char *kind, const struct npart__after *after);
/* convert.c: where the plan at hand has nodes for which the op list advises to convert the model, as a step. */
npart_status npart__way_convert(struct npart__way *way);
/* hosted.c: what follows an option in the line to paste; NULL: it is not there. */
const char *npart__word_after(const struct npart__mended *mended, const char *option);
void npart__append_ends(const struct npart__mended *mended, bool is_first, struct npart__buffer *out);
/* What is left of the plan, with what the host runs beside it; nothing changes of a whole model. False when out of
 * memory. */
bool npart__host_after(struct npart__way *way, const struct npart__mended *mended, struct npart__after *after);
struct npart__outcome npart__outcome_mended(const struct npart__mended *mended);
/* mended.c: the slots that the line to paste gives a cache; NULL: it does not. */
const char *npart__slots_of(const struct npart__mended *mended);
/* What fix does, as the first step. */
npart_status npart__way_mended(struct npart__way *way);
/* A version of the model as the first step, or in its place. */
npart_status npart__add_mended(struct npart__way *way, const struct npart__mended *mended, bool is_other);
/* After the step that quantizes, whose plan is `then`: what fix does before it, as a step where that pays. */
npart_status npart__way_quantized(struct npart__way *way, const struct npart__plan *then);
/* upgrade.c: goes on with the plan whose sizes are fixed, if there is one. */
npart_status npart__way_turn_to_sizes(struct npart__way *way);
bool npart__is_of_release(const struct npart__group *group);
/* Of the plan at hand; NULL: no newer release takes more. */
struct npart__group *npart__release_group(struct npart__way *way);
/* Where a newer release alone brings as much as the version for the one that was asked for, it is the step, and the
 * version may take its place. Sizes that are fixed are needed with any release. */
npart_status npart__take_release(struct npart__way *way, const struct npart__mended *mended, bool *is_better);
/* What mends the causes of `group`, the release that is the last step so far, without it: in its place. */
npart_status npart__beside_release(struct npart__way *way, const struct npart__group *group,
                                   const struct npart__outcome *before);
/* By cause of `open` whether the plan has one like it, of so many rows (NPART_NONE: any). NULL when out of memory. */
bool *npart__mark_like(struct npart__way *way, const struct npart__plan *plan, uint32_t row);
/* settle.c: what no step brings is left out, and steps that pay only together are one. */
npart_status npart__way_settle(struct npart__way *way);
/* settle.c: adds that rewrites were not looked for, where something is left. False when out of memory. */
bool npart__way_tell_unsearched(struct npart__way *way);
struct npart__outcome npart__outcome_after(const struct npart__after *after);

/* "Fix `batch` and `sequence`", and "--dim batch=1 --dim sequence=128", of the sizes that a plan fixes. */
void npart__append_dims(struct npart__way *way, const struct npart__plan *fixed, struct npart__buffer *out);
bool npart__dims_command(struct npart__way *way, const struct npart__plan *fixed, const char **out);
/* The causes that are marked, of the plan that was asked about. False when out of memory. */
bool npart__tell_causes(struct npart__way *way, const bool *marks, struct npart__action *action);
/* What a group does, in the place of a step; it needs no other. */
npart_status npart__add_instead_of(struct npart__way *way, const struct npart__group *group,
                                   const struct npart__after *after, uint32_t step);
/* advice.c: says that the action needs the first `steps` steps. Its causes are listed before. False when out of
 * memory. */
bool npart__list_needs(struct npart__way *way, uint32_t steps, struct npart__action *action);
/* small.c: where there are no steps, adds that partitions that do not pay are left to the CPU. */
npart_status npart__way_small(struct npart__way *way);
/* fitting.c: cuts into parts that fit, where the whole does not. */
npart_status npart__way_fit(struct npart__way *way);

/* recommend.c: whether the NPU is worth it, once all actions are there. */
npart_status npart__recommend(struct npart__way *way);

/* cut.c: once, adds the cut points between which the plan as it is now is one partition, if there are some that give up
 * little: as a step, or in the place of the next one. */
npart_status npart__way_cut(struct npart__way *way, bool is_step);

#endif
