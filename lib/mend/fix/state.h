/* SPDX-License-Identifier: Apache-2.0
 *
 * Versions with what was found out of them. Of lib/mend/fix alone.
 */
#ifndef NPART_FIX_STATE_H
#define NPART_FIX_STATE_H

#include "api/api.h"
#include "fix/fix.h"

/* All of it but what handles hold lies in its own arena, so that states that are left go at once. */
struct npart__state {
    struct npart__arena arena;
    uint32_t number; /* no other of the search has it */
    uint32_t holders; /* others who free it, too: it goes with the last */
    struct npart__version version;
    bool lacks_sizes; /* the version does not say yet what the inference was given: an editor does that first */
    npart_inference *known;               /* the state's own reference */
    npart_plan *plan;                     /* the same, of a plan that somebody else made; NULL: they lie in the arena */
    const struct npart__graph *graph;     /* of `known` */
    struct npart__inference *inference;   /* the same: what plans are made from */
    struct npart__inference *wide;     /* with larger constants, the same where there are none; NULL: not asked for */
    struct npart__arena editing;       /* of the editor */
    struct npart__editor *editor;      /* to which rewrites are offered until one changes something; NULL: not open */
    const bool *is_quantized;          /* by value: see npart__find_quantized */
    uint32_t *first_alike;             /* by node: the first of its operator; NULL: not asked for yet */
    bool *is_anchor;                   /* by node: what npart__state_find_anchors was asked last */
    const struct npart__plan *plans;   /* by target */
    struct npart__standing standing;   /* outcomes are zeros where nothing was planned */
};

/* One search. States come and go within it; what is told lies in `arena`. */
struct npart__search {
    const struct npart__fix_request *request;
    struct npart__arena *arena; /* of the result */
    struct npart__fix *fix;
    struct npart_error *error;
    uint32_t state_count; /* made so far, those that are gone included */
    bool plans_nothing; /* states are analysed without plans, as those that another follows at once */
};

/* NULL when out of memory. Takes the version, whose bytes lie in the state's arena or outlive it. */
struct npart__state *npart__state_new(struct npart__search *search);
struct npart__state *npart__state_hold(struct npart__state *state);
/* The same of a plan of the version that there is already, of the only target. */
struct npart__state *npart__state_of_plan(struct npart__search *search, const struct npart__version *version,
                                          const npart_plan *plan);
void npart__state_free(struct npart__state *state);
/* Graph, inference and plans of state->version. */
npart_status npart__state_analyse(struct npart__search *search, struct npart__state *state, const char *what);
/* Its plans alone, of a state that was analysed without. */
npart_status npart__state_plan(struct npart__search *search, struct npart__state *state, const char *what);
/* The inference with larger constants. */
npart_status npart__state_widen(struct npart__search *search, struct npart__state *state);

/* Opens an editor of the state's version, with the sizes that this lacks; what is constant is what the inference found,
 * with no runtime's limits: a rewrite may fold what a session would not. */
npart_status npart__state_open(struct npart__search *search, const struct npart__state *state,
                               struct npart__inference *inference, struct npart__arena *arena,
                               struct npart__editor **out);
/* An editor with nothing changed, opened where none is, with the wide inference. */
npart_status npart__state_edit(struct npart__search *search, struct npart__state *state);
/* Once something was made in it. */
void npart__state_close_editor(struct npart__state *state);

/* Fills `is_anchor`: whether a list of operators (npart__lists_op) has a node's. False when out of memory. */
bool npart__state_find_anchors(struct npart__state *state, const char *ops);

/* Whether a target does not take a node, or what stands in its place; and whether any does not. */
bool npart__is_left_by(const struct npart__state *state, uint32_t target, uint32_t node);
bool npart__is_left(const struct npart__state *state, uint32_t node);
/* quantizers.c: by value, whether what it holds reaches an operator that quantizes it: a rounding that differs before
 * it may be a whole quantization step after it. NULL when out of memory. */
const bool *npart__find_quantized(const struct npart__graph *graph, struct npart__arena *arena);
/* step.c */

/* A rewrite at some nodes. */
struct npart__attempt {
    const struct npart__rewrite *rewrite;
    const bool *picks;                 /* by node of the state's graph; NULL: all that are left */
    struct npart__state *made;         /* NULL: nothing was applied */
    struct npart__fix_step step;       /* what it did, but for `after` */
    const char *const *sites;          /* first results of the nodes, NULL-terminated */
    uint32_t *nodes;                   /* the nodes, as many as step.site_count */
    const char *const **results;       /* by site: names of what was made, NULL-terminated */
};

/* Fills in what the step at `from` removed and added, and the outcomes after it: of steps that are kept. */
npart_status npart__tell_changes(struct npart__search *search, const struct npart__state *from,
                                 struct npart__attempt *attempt);
/* Applies a rewrite to the state, and analyses what comes out; a model that cannot be is none (made NULL). */
npart_status npart__attempt_rewrite(struct npart__search *search, struct npart__state *state,
                                    struct npart__attempt *attempt);
/* Whether the types of all that is known may change a plan: they tell some runtime what it does not find by itself, or
 * the model does not load, or has what goes when it is packed. Of a state that is planned; sure once it is widened. */
bool npart__can_annotate(const struct npart__state *state);
/* These types, as a step of its own. */
npart_status npart__attempt_annotate(struct npart__search *search, struct npart__state *state,
                                     struct npart__attempt *attempt);
/* opset.c: opsets that rules which some node does not meet speak of, the nearest to the model's own first, no more than
 * `most`; what a node could not mean the same by is none, but for operators that a lower one lacks. False when out of
 * memory. */
bool npart__find_opsets(const struct npart__state *state, struct npart__arena *scratch, int64_t *out, uint32_t most,
                        uint32_t *count);
/* How many nodes have an operator that the opset lacks, and which. */
uint32_t npart__list_absent(const struct npart__graph *graph, int64_t opset, bool *is_absent);
/* convert.c: the site's node becomes one of another version of its operator; false where it cannot be said by that, as
 * an operand that was an attribute is no constant. What was made is then to be dropped. */
bool npart__convert_node(struct npart__site *site, const struct npart__operator *after);
/* Another opset, with nodes said by it; `made` stays NULL where one cannot be. */
npart_status npart__attempt_opset(struct npart__search *search, struct npart__state *state, int64_t opset,
                                  struct npart__attempt *attempt);
/* The steps to another opset: rewrites of operators that it lacks, then the opset itself, where it `arrives`. */
#define NPART__MOST_STEPS_DOWN 4u
struct npart__way_down {
    struct npart__attempt steps[NPART__MOST_STEPS_DOWN + 1];
    uint32_t count;
    struct npart__state *state; /* at its end: `base`, or the caller's to free, whatever became of it */
    bool arrives;
};
npart_status npart__go_to_opset(struct npart__search *search, struct npart__state *base, int64_t opset,
                                struct npart__arena *scratch, struct npart__way_down *way);
/* Whether the user wants the rewrite of an id. */
bool npart__is_wanted(const struct npart__fix_request *request, const char *id);
/* The IR version that the runtimes of all targets load, where that alone keeps one from loading the model. */
npart_status npart__attempt_ir_version(struct npart__search *search, struct npart__state *state,
                                       struct npart__attempt *attempt);
/* The cache of the request. */
npart_status npart__attempt_cache(struct npart__search *search, struct npart__state *state,
                                  struct npart__attempt *attempt);
/* The sizes of the request, as they were planned before: where a file that says them would tell the runtime no more,
 * the plan is the same, and nothing is written for it. `made` stays NULL elsewhere. */
npart_status npart__attempt_sized(struct npart__search *search, struct npart__state *state,
                                  struct npart__attempt *attempt);
/* The sizes and values of the request. */
npart_status npart__attempt_bind(struct npart__search *search, struct npart__state *state,
                                 struct npart__attempt *attempt);

#endif
