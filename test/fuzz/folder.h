/* SPDX-License-Identifier: Apache-2.0
 *
 * A folder for one input: a model in it, beside a file of external data ("weights.bin"), and where to write.
 */
#ifndef TEST_FUZZ_FOLDER_H
#define TEST_FUZZ_FOLDER_H

#include <stdbool.h>

#include "npu_partition.h"
#include "support/model_text.h"

struct folder {
    char path[160], model[192], out[192];
};

/* External data can stay where it is for what is written beside the model. */
void folder_make(struct folder *folder, const struct bytes *model, bool is_beside);
/* `look` (may be NULL) sees each file of what was written; where there is no folder, there is nothing to see. */
void folder_look(const char *path, void (*look)(const char *path));
/* Removes all of it, or moves it to where folder_keep said. */
void folder_end(const struct folder *folder);
/* The next folder is moved there when it ends, and must be on the same file system. NULL: it goes. */
void folder_keep(const char *path);
/* What was written can be read; NULL: there is not enough memory. */
npart_inference *folder_infer(const char *path, const struct npart_allocator *allocator);

#endif
