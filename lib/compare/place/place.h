/* SPDX-License-Identifier: Apache-2.0
 *
 * place: which model of a set runs on which device. It stands on the public handles: models are
 * planned one by one, and what their plans cost is put together here.
 *
 *   links.c    which output of one model is which input of another (names.def)
 *   parts.c    a model with the sizes of one use, planned
 *   runs.c     how often each runs
 *   cached.c   what the report of each model says, and a cache of fixed size
 *   weigh.c    what it costs on each device, and what is transferred for its links
 *   assign.c   the devices of all parts with the lowest cost together
 *   weights.c  what weights take on each device
 *   memory.c   what all sessions hold together
 *   words.c    why, in sentences
 *   place.c    the public functions
 */
#ifndef NPART_PLACE_H
#define NPART_PLACE_H

#include "api/api.h"
#include "npu_partition/report.h"

/* ---- links ------------------------------------------------------------------------------------------------- */

/* Beside the kinds of links: names that are the same by chance. */
#define NPART_LINK_NONE ((enum npart_link_kind)(NPART_LINK_APPLICATION + 1))


/* Between models, by value. */
struct npart__model_link {
    uint32_t from, to, output, input; /* models by their place in the set; values of their graphs */
    enum npart_link_kind kind;
    enum npart_link_origin origin;
    uint32_t rank; /* the smaller the surer; row of names.def; 0 where no name told it */
};
struct npart__model_links NPART__ARRAY(struct npart__model_link);
struct npart__notes NPART__ARRAY(const char *);

/* A set as the caller gave it. */
struct npart__set {
    /* With dynamic sizes as they are; they are the caller's, and are not changed. */
    const npart_inference *const *models;
    uint32_t count;
    struct npart__arena *arena;
    struct npart__notes notes;
};

/* A sentence for the reader; false when out of memory, as where `text` is NULL. */
bool npart__note(struct npart__set *set, const char *text);
/* The last component of a model's path; as it is told, the whole path where others end so. */
const char *npart__last_component(const struct npart__set *set, uint32_t model);
const char *npart__short_name(const struct npart__set *set, uint32_t model);
/* Outputs to inputs, in the order of the inputs. `links` are the caller's. */
npart_status npart__find_links(struct npart__set *set, const char *const *links, uint32_t count,
                               struct npart__model_links *out, struct npart_error *error);
/* What stands before the ':' of `text` (`length` bytes) is called as this model is, by its path or the path's end. */
bool npart__is_called(const struct npart__set *set, uint32_t model, const char *text, size_t length);

/* ---- assignment -------------------------------------------------------------------------------------------- */

/* A part as it is weighed. Costs are of all its runs, without what is transferred for links. */
struct npart__option {
    bool can[NPART_DEVICES]; /* the part can run there, and the cost is known */
    struct npart_cost_range cost[NPART_DEVICES];
};

/* What `part` pays on the NPU unless all of `others` (a bit each) are there, too. */
struct npart__transfer {
    uint32_t part;
    uint64_t others;
    struct npart_cost_range cost;
};

struct npart__assignment {
    enum npart_device device[NPART__LIMIT_PARTS]; /* NPART_DEVICES: nowhere */
    bool is_rival[NPART__LIMIT_PARTS][NPART_DEVICES]; /* may be as good; where none is, the part is decided */
    bool is_exact; /* every assignment was looked at */
};

/* Assignments times transfers that are compared: enough for 12 parts and three devices. Beyond it single changes are
 * made until none lowers the cost. */
#define NPART__LIMIT_COMPARED (UINT64_C(1) << 24)

/* The lowest sum of typical costs; of equal ones the first in the order of devices. A part is decided where no other
 * device for it alone, the others as they are, is as good within the 80 % interval of the difference: costs of two
 * devices are independent, so the distances of their bounds add up as squares. */
void npart__assign(const struct npart__option *options, uint32_t count, const struct npart__transfer *transfers,
                   uint32_t transfer_count, struct npart__assignment *out);
/* What an assignment costs; each bound is the sum of bounds, as one target's errors go together. False where a part has
 * no device. `transferred` (may be NULL): its part that is transfers. */
bool npart__assigned_cost(const struct npart__option *options, uint32_t count, const struct npart__transfer *transfers,
                          uint32_t transfer_count, const enum npart_device *device, struct npart_cost_range *out,
                          struct npart_cost_range *transferred);

static inline struct npart_cost_range npart__plus(struct npart_cost_range a, struct npart_cost_range b)
{
    return (struct npart_cost_range){a.low_ms + b.low_ms, a.typical_ms + b.typical_ms, a.high_ms + b.high_ms};
}
static inline struct npart_cost_range npart__times(struct npart_cost_range a, double factor)
{
    return (struct npart_cost_range){a.low_ms * factor, a.typical_ms * factor, a.high_ms * factor};
}

/* ---- parts ------------------------------------------------------------------------------------------------- */

struct npart__sizes NPART__ARRAY(struct npart_dim_binding);

/* What the report of a model alone stands on. */
struct npart__reported {
    npart_plan *plan, *sized; /* as the caller gave it; with all sizes, or NULL */
    npart_advice *advice;
    npart_fix *fixes[NPART_MOST_PROPOSALS];
    uint32_t fix_count;
};

struct npart__placed {
    struct npart_part told; /* what the caller sees */
    /* The handles here are the placement's, and are let go of before it is handed out. */
    uint32_t use;           /* for npart_inference_make_use */
    npart_inference *bound, *fixed; /* with the sizes of links; with all */
    const npart_inference *known;   /* what is planned; NULL: sizes are not looked for yet */
    npart_plan *plan;
    /* Of a cache that grows: what gives it a fixed size, for the NPU; NULL: it is planned as it is. */
    const npart_fix *fix;
    struct npart__reported reported; /* with sizes of links, where that was asked; owned */
    uint32_t *value_of;              /* by value of the file's graph that of the fix's, of inputs and outputs */
    uint32_t prompt, new_tokens;     /* of a prompt that is read in pieces */
    bool reads_anew;                 /* all tokens for each new one */
    bool gives_cache;                /* which no part takes */
    const char *stuck;               /* why it cannot run on the NPU although it is planned; NULL: it can */
    bool is_too_large;               /* the NPU has no room for it */
    double shares;                   /* runs that one of the model as it is stands for */
};

/* What is planned for the NPU. */
static inline const npart_plan *npart__npu_plan(const struct npart__placed *part)
{
    return part->fix ? npart_fix_plan(part->fix, 0) : part->plan;
}

/* A value of the file's graph in it; NPART_NONE: it is not there. */
static inline uint32_t npart__npu_value(const struct npart__placed *part, uint32_t value)
{
    return part->fix ? part->value_of[value] : value;
}

/* A link between parts. */
struct npart__joint {
    struct npart_link told;
    enum npart_link_kind kind;
    bool is_by_host;        /* it passes the CPU in any case, which is in the cost of both ends */
    uint32_t output, input; /* values */
    uint32_t earlier;       /* the one before it of the same output; NPART_NONE: it is the first */
    uint64_t takers;        /* of the first: parts that take the output, but its own */
    /* What passes between CPU and NPU for it in a run, if the part that makes or takes it is on the NPU. */
    struct npart_cost_range out, in;
};

struct npart_placement {
    struct npart__life *life;
    struct npart__set set;
    struct npart__reported *reported; /* by model, without its fixes once the placement is made; NULL: not asked */
    uint32_t model_count;             /* of the set, which is not there any more by then */
    struct npart__placed *parts; /* NPART__LIMIT_PARTS of them; info.part_count are used */
    uint32_t first_of[NPART__LIMIT_PARTS + 1]; /* by model its first part; the last is the number of all */
    /* By model link, then by the parts of both ends: all joints of one input follow one another (gives_sizes). */
    struct NPART__ARRAY(struct npart__joint) joints;
    struct NPART__ARRAY(struct npart__transfer) transfers;
    struct npart__option *options;
    struct npart_placement_info info;
};

/* One part for each model and use, and the links between them. */
npart_status npart__make_parts(npart_placement *placement, const struct npart__model_links *links,
                               const struct npart_placement_options *options, struct npart_error *error);
/* runs.c: once for each token that is generated, or for as many as a run takes. */
void npart__run_for_tokens(const npart_placement *placement, struct npart__placed *part);
/* runs.c: false when out of memory. */
bool npart__count_runs(npart_placement *placement);
/* Sizes, plans, costs. */
npart_status npart__plan_parts(npart_placement *placement, const npart_oplist *oplist, const char *target,
                               const struct npart_placement_options *options, struct npart_error *error);
/* cached.c: of plans that are made. */
npart_status npart__ask_reports(npart_placement *placement, const npart_oplist *oplist, const char *target,
                                const struct npart_placement_options *options, struct npart_error *error);
void npart__reported_let_go(struct npart__reported *reported); /* of the fixes */
void npart__reported_end(struct npart__reported *reported);    /* of all */
/* weigh.c: what is weighed, into `options` and `transfers`; false when out of memory. */
bool npart__weigh_parts(npart_placement *placement);
/* weights.c: by device, for parts that have one; false when out of memory. */
bool npart__sum_weights(npart_placement *placement);
/* memory.c: after the weights. */
void npart__sum_memory(npart_placement *placement, const struct npart_plan_options *options);
/* words.c: why each part is where it is, and what to do. */
npart_status npart__tell_placement(npart_placement *placement, const struct npart__assignment *assignment,
                                   const struct npart_plan_options *options, struct npart_error *error);

#endif
