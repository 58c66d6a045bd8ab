/* SPDX-License-Identifier: Apache-2.0
 *
 * models: versions as public handles.
 */
#ifndef NPART_EDIT_MODELS_H
#define NPART_EDIT_MODELS_H

#include "api/api.h"
#include "edit/editor.h"

/* The model that a version of the file is. It takes over the arena in which objects of the version lie that were made
 * for it, and keeps alive the model that these share texts with. */
struct npart__made_objects {
    struct npart__arena *arena;
    struct npart__life *life;
};
npart_status npart__model_of_version(npart_model **out, const struct npart__version *version,
                                     const struct npart__made_objects *made, const char *path,
                                     const struct npart_allocator *allocator, struct npart_error *error);

#endif
