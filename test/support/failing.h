/* SPDX-License-Identifier: Apache-2.0
 *
 * Public calls of which each allocation fails once: the call that needed it says so, leaves its results alone, gives
 * back what it took, and when tried again has the result that it would have had. Allocations that the same functions
 * ask for count as one. In the debug build (and under address sanitizer) every request of an arena reaches the
 * allocator; otherwise those do that begin a block.
 */
#ifndef TEST_FAILING_H
#define TEST_FAILING_H

#include "npu_partition.h"
#include "support/counted.h"
#include "support/model_text.h"

/* What there is before the call. */
enum stage { NOTHING, MODEL, INFERENCE, FIXED, PLAN };

/* One model and what is made of it, by a counting allocator. */
struct scene {
    struct counted counted;
    struct bytes bytes;
    const char *dim;             /* the name of a dynamic dim; NULL: there is none, or none is to be limited */
    const char *cut;             /* a node's name to cut after; NULL: none */
    const npart_oplist *planned; /* the list that is planned for; its memory is not counted */
    npart_model *model;
    npart_inference *inference, *fixed;
    npart_oplist *oplist;
    npart_plan *plan;
    uint64_t printed; /* a sum over what was written */
};

typedef npart_status (*tried_function)(struct scene *scene, struct npart_error *error);

struct tried_call {
    const char *name;
    enum stage stage;
    tried_function function;
};

/* Of models: reading, inferring, planning, advising, reporting. A NULL name ends them. */
extern const struct tried_call model_calls[];

void set_up(struct scene *scene, enum stage stage);
void tear_down(struct scene *scene);
/* The allocator of a scene; `resizes` false: without `resize`, and with blocks that lie badly. */
void scene_init(struct scene *scene, bool resizes);

/* A write callback that sums up into the scene. */
bool sum_up(void *payload, const char *text, size_t bytes);

/* Makes each allocation of the call fail that has not failed yet for one of this name. Returns how many were tried; 0
 * also when something is wrong, which is printed. */
size_t fail_each(struct scene *scene, const struct tried_call *tried, bool *is_wrong);
/* Whether an allocation's place (counted.h) is new for a call of this name; it is not from then on. */
bool is_new_place(const char *name, uint64_t place);
/* Whether places that have failed are tried again for another scene; at first they are not. */
void forget_places(void);

#endif
