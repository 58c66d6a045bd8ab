/* SPDX-License-Identifier: Apache-2.0
 *
 * Reads a model to be edited, edits nothing, and writes it again.
 *
 * usage: rewrite_model IN OUT [external]
 */
#include <stdio.h>
#include <string.h>

#include "support/rewritten.h"

static npart_status save(const char *path, const struct npart__input *input, const struct bytes *skeleton,
                         bool is_moved, struct scanned *scanned)
{
    struct npart__save saved;
    struct npart__weights weights = {.moves_out = is_moved};
    npart_status status = npart__save_begin(&saved, path, skeleton->data, skeleton->size, input, &weights,
                                            &scanned->arena, &scanned->error);
    if (status != NPART_OK)
        return status;
    status = npart__save_commit(&saved, &scanned->error);
    npart__save_close(&saved);
    return status;
}

int main(int argc, char **argv)
{
    struct npart__wire_options options = {.keeps_all = true};
    struct scanned scanned = {.status = NPART_OK};
    struct npart__input input;
    if (argc < 3)
        return 2;
    scanned.status = npart__input_open_file(&input, argv[1], &scanned.error);
    if (scanned.status != NPART_OK) {
        fprintf(stderr, "%s: %s\n", argv[1], scanned.error.message);
        return 1;
    }
    struct bytes skeleton = edited_skeleton(&scanned, &input, &options);
    if (scanned.status == NPART_OK)
        scanned.status = save(argv[2], &input, &skeleton, argc > 3, &scanned);
    if (scanned.status != NPART_OK)
        fprintf(stderr, "%s: %s\n", argv[1], scanned.error.message);
    bytes_free(&skeleton);
    scanned_close(&scanned);
    npart__input_close(&input);
    return scanned.status == NPART_OK ? 0 : 1;
}
