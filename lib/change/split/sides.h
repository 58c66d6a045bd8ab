/* SPDX-License-Identifier: Apache-2.0
 *
 * sides: a model that ends at some tensors, or begins at some, with what is after and before as models of their own.
 *
 * The first side is all that the tensors at which it begins are computed from, and they themselves. The model is what
 * the tensors at which it ends are computed from beyond that; or, where none are told, all the rest. Whatever is left
 * is the last side. A tensor that a later side takes from an earlier one passes between them, whether or not it was
 * told. What is computed from constants alone is in each side that needs it.
 */
#ifndef NPART_SPLIT_SIDES_H
#define NPART_SPLIT_SIDES_H

#include "edit/editor.h"
#include "plan/plan.h"

enum npart__side {
    NPART__SIDE_HEAD,  /* before the model */
    NPART__SIDE_MODEL,
    NPART__SIDE_REST,  /* after it */
    NPART__SIDES
};

/* Tensors of the main graph, or nodes for all their results, by name. */
struct npart__bounds {
    const char *const *begin, *const *end;
    uint32_t begin_count, end_count;
};

static inline bool npart__has_bounds(const struct npart__bounds *bounds)
{
    return bounds->begin_count || bounds->end_count;
}

/* A tensor that passes to a side. Texts and dims are of the result's arena. */
struct npart__passing {
    const char *name, *type;  /* type: "float32"; NULL: not known, or no tensor */
    const char *shape;        /* as JSON: [1,"batch",null], or null */
    const int64_t *dims;      /* negative: no number; NULL: the rank is not known */
    uint32_t rank;
    uint64_t bytes;           /* UINT64_MAX: not known */
    uint8_t from, to;         /* enum npart__side; of a graph input `from` is NPART__SIDES */
};

struct npart__side_model {
    struct npart__version version; /* data NULL: there is no such side */
    uint32_t node_count;           /* of the main graph, copies included */
    const char *ops;               /* its operators, those of most nodes first: "TopK, Gather and 2 more"; "": none */
};

struct npart__sided {
    struct npart__side_model models[NPART__SIDES];
    struct NPART__ARRAY(struct npart__passing) passing; /* to the model, then to the rest */
    struct NPART__ARRAY(struct npart__passing) results; /* of the whole: `from` says which side has each */
};

/* Versions of all sides, in `arena`. `version` is what the plan was made of, and the plan's inference is locked by the
 * caller. Fails with ARGUMENT and the name as the place where there is no such tensor, it is constant or inside of a
 * body, or a side would be empty; and where a tensor that passes has no type. */
npart_status npart__split_sides(const struct npart__plan *plan, const struct npart__version *version,
                                const struct npart__bounds *bounds, struct npart__arena *arena,
                                struct npart__sided *out, struct npart_error *error);

#endif
