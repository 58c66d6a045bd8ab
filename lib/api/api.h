/* SPDX-License-Identifier: Apache-2.0
 *
 * api: the handles of the public header, and the one place that knows what is inside a plan.
 * Each handle owns one arena and keeps alive what it was made from, so that handles may be freed
 * in any order.
 * The functions are thin: arguments are checked, ids looked up, and results copied into the
 * caller's structs. What can be wrong with a call (NULL, an id out of range, a struct of another
 * size) gets an error, false or NULL, never undefined behaviour.
 * Nothing changes once a handle is made, but for what is found out when it is first asked for:
 * elements of tensors, into the inference, and what a plan keeps in npart__late. So whatever tries
 * a rule, reads elements or asks for such a thing holds the lock of the inference. Getters are safe
 * from several threads at once.
 */
#ifndef NPART_API_H
#define NPART_API_H

#include <pthread.h>

#include "base/counter.h"
#include "compiled/compiled.h"
#include "module/module.h"
#include "plan/fusions.h"
#include "onnxruntime/onnxruntime.h"
#include "runtime/runtime.h"

/* padding.c: of the lengths that options have. */
npart_status npart__find_padding(const struct npart_inference_options *options, struct npart__infer_options *out,
                                 struct npart__arena *arena, struct npart_error *error);
/* By its name; NULL: there is none, or the name is NULL. */
const struct npart__device_class *npart__device_class(const char *name);
/* Of the prompt whose time is told: as asked, or 1,024, or half of the slots where these are fewer. */
uint64_t npart__prompt_tokens(uint32_t asked, uint64_t slots);

/* ---- handles ----------------------------------------------------------------------------------------------- */

/* A plan is made from an inference and an op list, an advice from two plans, a fix from a model, another fix and the
 * op list that has its rewrites; nothing is made from more. */
#define NPART__MOST_KEPT 3u

/* What a handle has besides its contents; all of it lies in the arena. */
struct npart__life {
    struct npart__arena arena;
    npart__counter references; /* the caller's, and one for each handle made from this one */
    struct npart__life *kept[NPART__MOST_KEPT]; /* what it was made from */
    pthread_mutex_t lock; /* taken of inferences (npart__lock), and of op lists for `rewrites`; not recursive */
    struct npart__life *guard; /* of what it is kept from: whose lock is taken in its place; NULL: its own */
    void *along;               /* what later stages keep with an inference or model, under its lock; NULL: nothing */
    void (*end_along)(void *along); /* NULL: it lies in the arena */
    const struct npart__rewrite_set *rewrites; /* of op lists: read once for all searches; NULL: not asked for yet */
};

/* A file that was read. A view of a plan has a model, too, whose graph is the one that the
 * plan's runtime sees. */
struct npart_model {
    struct npart__life *life; /* of the model of a view: that of the model of the file */
    const struct npart__graph *graph; /* own, or the graph of a view */
    struct npart__graph own; /* that `graph` is, but in views */
    const char *name; /* as reports call it: the path, or what read options say; "-" for a stream or memory */
    const char *path; /* of the file; NULL: it was none */
    const char *file; /* as a command line calls it: the path, or the name of what has to be in a file first */
    const char *as; /* the precision that it was looked at in (npart_model_as); NULL: its own */
    const npart_model *made_from; /* then the model as it is; else NULL */
    const struct npart__kept_nodes *kept; /* of a quantized one (lib/change/quantize); else NULL */
    struct npart__skeleton skeleton; /* of a file that is not too large, nothing lost; else its data are NULL */
};

/* The work of every node, found when it is first asked for, with the lock of the inference. Costs a walk over the
 * graph, which most callers never need. */
struct npart__late_work {
    bool is_found;
    struct npart__works works;
    const char **texts; /* by sum of works.expressions; NULL: not printed yet */
};

/* Where every node stands in its graph, found when it is first asked for, with the lock of the inference. */
struct npart__late_structures {
    struct npart__structure *items; /* by node; NULL: not found yet */
};

/* What is known of a model's values. The same struct serves for views: what the runtime of one
 * plan knows, with the graph that it sees. */
struct npart_inference {
    struct npart__life *life;
    struct npart__inference *inference;
    struct npart__inference own; /* that `inference` is, but in views */
    const npart_model *model;
    npart_model model_view;              /* of a view whose graph is not the model's: what `model` is */
    const npart_inference *made_from;    /* of a view; else NULL */
    struct npart__views *views;   /* of a view that of what it was made from */
    struct npart__late_work *work; /* own, of a view too: its graph and sizes may be others */
    struct npart__late_structures *structures; /* of a view that of what it was made from */
    const struct npart__infer_options *options;  /* as given, copied */
    const struct npart_dim_binding *chosen; /* sizes that npart_inference_make_fixed chose */
    uint32_t chosen_count;
    const char *use; /* that they are for; NULL: none were chosen */
};

/* What plans of an inference share. */
struct npart__views {
    /* Session and views that several targets have alike are made once. */
    struct npart__shared shared;
    struct NPART__ARRAY(npart_inference *) items; /* what plans hand out as their views */
    struct npart__modules tree; /* of the graph as it was read; nothing in it: not asked for yet */
};

/* An op list as it was read; which target of it is meant is decided by a plan. */
struct npart_oplist {
    struct npart__life *life;
    struct npart__oplist oplist;
};

/* What is found out about a plan when it is first asked for, with the lock of its inference. */
struct npart__late {
    bool has_fusions;
    struct npart__fusions fusions;
    bool has_modules;
    struct npart__modules modules;
    struct npart__late_work work;
};

/* What one target does with a model: lib/plan's result, and beside it what reports ask for. All but `late` is
 * fixed once the plan is made. */
struct npart_plan {
    struct npart__life *life;
    struct npart__plan plan;
    /* What it was made from, and what its runtime knows of it: the same where the runtime knows all. */
    const npart_inference *inference, *view;
    const npart_oplist *oplist;
    struct npart__late *late;
    const char *target; /* as it could be asked for again, but for the toolchain */
    const char *label;  /* for people: with the precision of the model, where that is another than its own */
    const char **switches; /* those that are on */
    const char *verified;
    uint32_t switch_count;
    struct npart__newer newer; /* what a newer release of the toolchain takes besides */
    uint64_t most_partitions; /* that the runtime keeps; 0: as many as there are */
    uint32_t *order; /* live nodes of the plan's graph as they run, so without copies; handed out as it is */
    uint32_t order_count;
};

/* A handle of so many bytes, zeroed, with its life; NULL when out of memory. `life` is set to what it begins with. */
void *npart__handle_new(size_t bytes, const struct npart_allocator *allocator);
/* The same within a budget (npart__budget_open), which goes with the handle; fills in the status and the error. */
void *npart__handle_within(size_t bytes, const struct npart_allocator *allocator, uint64_t most_bytes, uint64_t most_ms,
                           npart_status *status, struct npart_error *error);
/* The whole skeleton of a model that was read: as it was scanned, or by scanning the file again into `arena`. Fails
 * with LIMIT where it was in no file and is too large to be kept. */
npart_status npart__model_skeleton(const npart_model *model, struct npart__arena *arena, struct npart__skeleton *out,
                                   struct npart_error *error);
/* Keeps another handle alive as long as this one lives. */
void npart__life_keep(struct npart__life *life, struct npart__life *other);
/* From here on the lock of the other is taken in its place, which is kept. Before anybody else has the handle. */
void npart__life_guard(struct npart__life *life, struct npart__life *guard);
/* One reference more, for whoever frees the handle as if it had made it. */
static inline void npart__life_share(struct npart__life *life)
{
    (void)NPART__ADD(&life->references, 1);
}
/* Takes one reference away; with the last one the handle goes, and what it has kept loses one. */
void npart__life_end(struct npart__life *life);
/* The status of a call: want of memory is LIMIT or TIMEOUT where the budget of this handle is spent. */
static inline npart_status npart__settle_for(const struct npart__life *life, npart_status status,
                                             struct npart_error *error)
{
    return npart__settle(status, &life->arena.allocator, error);
}
/* The same of the call that made a handle, as its last words: hands the handle over, or gives it back. */
#define NPART__HAND_OVER(out, made, status, error)                                                                     \
    ((status) = npart__settle_for((made)->life, status, error),                                                       \
     (status) == NPART_OK ? (void)(*(out) = (made)) : npart__life_end((made)->life), (status))
/* The end of a handle that has nothing but what its life keeps: npart_KIND_free. */
#define NPART__FREES(kind)                                                                                             \
    void npart_##kind##_free(npart_##kind *handle)                                                                     \
    {                                                                                                                  \
        if (handle)                                                                                                    \
            npart__life_end(handle->life);                                                                             \
    }
/* Around whatever tries a rule or reads elements. Several inferences may have one lock: who takes those of several
 * compares these. */
static inline pthread_mutex_t *npart__lock_of(const npart_inference *inference)
{
    return &(inference->life->guard ? inference->life->guard : inference->life)->lock;
}
static inline void npart__lock(const npart_inference *inference)
{
    (void)pthread_mutex_lock(npart__lock_of(inference));
}
static inline void npart__unlock(const npart_inference *inference)
{
    (void)pthread_mutex_unlock(npart__lock_of(inference));
}

/* ---- arguments --------------------------------------------------------------------------------------------- */

/* Whether a result's size is one that this library knows; so far each struct has had one. The
 * caller writes sizeof into `size`, so a program built against a header with a larger or smaller
 * struct gets nothing instead of something misread. */
#define NPART__HAS_ROOM(out) ((out) && (out)->size == sizeof *(out))
/* Of a handle that may be NULL the item of a list; false where there is none. */
#define NPART__GET(handle, list, index, out)                                                                           \
    ((handle) && (index) < (handle)->list.count && NPART__HAS_ROOM(out) &&                                             \
     (*(out) = (handle)->list.items[index], true))

/* Fails with ARGUMENT, as an argument that must be there is NULL. `name` is the header's, so that the caller finds
 * it. */
static inline npart_status npart__fail_null(const char *name, struct npart_error *error)
{
    (void)npart__fail(error, NPART_ERROR_ARGUMENT, "", "%s must not be NULL", name);
    return NPART_ERROR_ARGUMENT;
}
/* Adds what a compiler gets with a partition. */
void npart__add_compile_work(const npart_plan *plan, uint32_t partition, struct npart__compile_work *inout);

/* Options of a version that this library does not know are an error. */
npart_status npart__check_version(const char *what, uint32_t version, uint32_t newest, struct npart_error *error);

/* limits.c: what a caller set, copied into the arena; NULL where nothing is set. Fails with ARGUMENT or MEMORY. */
npart_status npart__limits_of(const struct npart_limit *set, uint32_t count, struct npart__arena *arena,
                              const struct npart__limits **out, struct npart_error *error);

/* ---- text -------------------------------------------------------------------------------------------------- */

/* Text for the caller's buffer, without the heap as long as it is short. */
struct npart__note {
    struct npart__arena arena;
    struct npart__buffer text;
    _Alignas(16) char room[512]; /* at an address that no arena takes for a large block of its own */
};
void npart__note_open(struct npart__note *note, const struct npart_allocator *allocator);
/* Copies what fits with a NUL, and returns the length of the whole; "" and SIZE_MAX when out of memory. */
size_t npart__note_close(struct npart__note *note, char *out, size_t bytes);
/* Copies what fits of so many bytes with a NUL, and returns `length`. `out` may be NULL, for who asks for the
 * length alone. */
size_t npart__copy_out(const char *text, size_t length, char *out, size_t bytes);

/* inference.c: options, checked and copied; NULL when out of memory, all zero for NULL. */
npart_status npart__check_inference_options(const struct npart_inference_options *options, struct npart_error *error);
struct npart__infer_options *npart__copy_inference_options(const struct npart_inference_options *options,
                                                           struct npart__arena *arena);
/* A model that is in no file cannot be read again: its skeleton stays with it up to this many bytes. */
#define NPART__KEPT_ALONE_BYTES ((size_t)64 << 20)
/* model.c: makes the graph of what a source holds, in another way than as it stands there. */
typedef npart_status npart__make_graph(npart_model *model, struct npart__source *source,
                                       const struct npart_read_options *options,
                                       const struct npart__wire_options *wire, struct npart_error *error);
/* From a file, or from a stream where `path` is NULL; `make` may be NULL. */
npart_status npart__model_read(npart_model **out, const char *path, npart_read_callback read, void *payload,
                               const struct npart_read_options *options, npart__make_graph *make,
                               struct npart_error *error);
/* A model with its name, or freed again. Every way to make one ends here, so that a model without a name, or half a
 * model, is never handed out. */
npart_status npart__model_finish(npart_model **out, npart_model *model, npart_status status, const char *name,
                                 struct npart_error *error);
/* inference.c: the inference with more sizes, which must outlive it. */
npart_status npart__inference_bind(npart_inference **out, const npart_inference *open,
                                   const struct npart_dim_binding *sizes, uint32_t count,
                                   struct npart_error *error);
/* plan.c: fails with ARGUMENT where an array is missing, or a name in it. */
npart_status npart__check_plan_options(const struct npart_plan_options *options, struct npart_error *error);
/* plan.c: what these ask for of any model and target. Names and lists stay the caller's. */
struct npart__plan_request npart__plan_request_of(const struct npart_plan_options *options);
/* plan.c: a plan that was made as a trial, of the inference, whole and as a handle. The trial must outlive it, and the
 * inference is locked. */
npart_status npart__plan_of_trial(npart_plan **out, const struct npart__plan *trial, const npart_inference *inference,
                                  const npart_oplist *oplist, const struct npart_plan_options *options,
                                  struct npart_error *error);
/* plan.c: what a plan tells as a whole, once it is made. False when out of memory. */
bool npart__prepare_plan(npart_plan *plan);

#endif
