/* SPDX-License-Identifier: Apache-2.0
 *
 * The handles behind the public header. Each owns one arena, so that freeing it is one call.
 */
#ifndef NPART_API_H
#define NPART_API_H

#include "report/report.h"

struct npart_model {
    struct npart__arena arena;
    struct npart__graph graph;
    const char *name;
};

struct npart_inference {
    struct npart__arena arena;
    struct npart__inference inference;
    struct npart__shared shared; /* by the plans made of it */
    const npart_model *model;
    const struct npart__infer_options *options; /* as given, copied */
    const struct npart__binding_request *chosen; /* sizes that npart_inference_make_fixed chose */
    uint32_t chosen_count;
};

struct npart_oplist {
    struct npart__arena arena;
    struct npart__oplist oplist;
};

struct npart_plan {
    struct npart__arena arena;
    struct npart__plan plan;
};

/* A handle in its own arena; NULL when out of memory. */
#define NPART__NEW_HANDLE(type, allocator) ((type *)npart__new_handle(sizeof(type), offsetof(type, arena), (allocator)))
void *npart__new_handle(size_t bytes, size_t arena_offset, const struct npart_allocator *allocator);
/* Releases a handle that NPART__NEW_HANDLE made; NULL does nothing. */
void npart__free_handle(void *handle, struct npart__arena *arena);

#endif
