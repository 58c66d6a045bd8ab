/* SPDX-License-Identifier: Apache-2.0
 *
 * models: versions as public handles.
 */
#ifndef NPART_EDIT_MODELS_H
#define NPART_EDIT_MODELS_H

#include "api/api.h"
#include "edit/editor.h"

/* The model that a version of the file is. */
npart_status npart__model_of_version(npart_model **out, const struct npart__version *version, const char *path,
                                     const struct npart_allocator *allocator, struct npart_error *error);

#endif
