/* SPDX-License-Identifier: Apache-2.0
 *
 * Versions with what was found out of them. Of lib/change/fix alone.
 */
#ifndef NPART_FIX_STATE_H
#define NPART_FIX_STATE_H

#include "api/api.h"
#include "fix/editions.h"
#include "fix/fix.h"

/* All of it but what handles hold lies in its own arena, so that states that are left go at once. */
struct npart__state {
    struct npart__arena arena;
    uint32_t number; /* no other of the search has it */
    uint32_t holders; /* others who free it, too: it goes with the last */
    struct npart__version version;
    bool lacks_sizes;                     /* see npart__edition */
    struct npart__edition *edition;       /* held; NULL: of what a search has handed on */
    npart_inference *known;               /* the edition's, or of what was handed on the state's own reference */
    npart_plan *plan;                     /* its own, of a plan that somebody else made; NULL: they lie in the arena */
    const struct npart__graph *graph;     /* of `known` */
    struct npart__inference *inference;   /* the same: what plans are made from */
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

/* NULL when out of memory. */
struct npart__state *npart__state_new(struct npart__search *search);
struct npart__state *npart__state_hold(struct npart__state *state);
/* The same of a plan of the version that there is already, of the only target or, by the request, of another: then the
 * version is planned again, and only what is known of it is that. */
npart_status npart__state_of_plan(struct npart__search *search, const struct npart__version *version,
                                  const npart_plan *plan, bool lacks_sizes, const char *what,
                                  struct npart__state **out);
void npart__state_free(struct npart__state *state);
/* For who has it when its edition is another's again: its version's bytes lie in its own arena, false when out of
 * memory; and after that it holds no edition. */
bool npart__state_own_bytes(struct npart__state *state);
void npart__state_detach(struct npart__state *state);
/* It is of this edition, whose holder it becomes, and is planned. */
npart_status npart__state_take(struct npart__search *search, struct npart__state *state,
                               struct npart__edition *edition, const char *what);
/* Graph, inference and plans of a version. */
npart_status npart__state_analyse(struct npart__search *search, struct npart__state *state,
                                  const struct npart__version *version, const char *what);
/* Its plans alone, of a state that was analysed without. */
npart_status npart__state_plan(struct npart__search *search, struct npart__state *state, const char *what);

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

/* The same with all that is told of it in the arena. False when out of memory. */
bool npart__attempt_copy(const struct npart__attempt *from, struct npart__arena *arena, struct npart__attempt *out);
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
 * an operand that was an attribute is no constant. What was made is then to be dropped. It may become several nodes
 * where ONNX's own converter makes several, if the caller wants that. */
bool npart__convert_node(struct npart__site *site, const struct npart__operator *after, bool may_flatten);
/* The same of all nodes of ONNX's own operators that do not mean the same as they stand; where they may be flattened,
 * what comes in their place has their names. False, and nothing is to be kept, where one cannot be said by that opset,
 * or when out of memory (*failed). */
bool npart__convert_nodes(const struct npart__graph *graph, struct npart__editor *editor, int64_t opset,
                          uint8_t equality, bool may_flatten, bool *failed);
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
/* ends.c: the model between the bounds of the request, whose other sides are noted in the result. */
npart_status npart__attempt_end(struct npart__search *search, struct npart__state *state,
                                struct npart__attempt *attempt);
/* step.c: a step of the file as a whole: what it is called, and why the model is equal. */
void npart__describe_step(const struct npart__search *search, struct npart__attempt *attempt, const char *id,
                          const char *const *caveats);
/* Of what was made a state, which is the attempt's; none where it cannot be read. */
npart_status npart__take_made(struct npart__search *search, struct npart__edition *edition,
                              struct npart__attempt *attempt, const char *what);
/* The sizes of the request, as they were planned before: where a file that says them would tell the runtime no more,
 * the plan is the same, and nothing is written for it. `made` stays NULL elsewhere. */
npart_status npart__attempt_sized(struct npart__search *search, struct npart__state *state,
                                  struct npart__attempt *attempt);
/* The sizes and values of the request. */
npart_status npart__attempt_bind(struct npart__search *search, struct npart__state *state,
                                 struct npart__attempt *attempt);

#endif
