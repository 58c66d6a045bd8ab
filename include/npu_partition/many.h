/* SPDX-License-Identifier: Apache-2.0
 *
 * A part of npu_partition.h, which is the one to include: what reports of many models say together.
 */
#ifndef NPU_PARTITION_MANY_H
#define NPU_PARTITION_MANY_H

#include "runs.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct npart_many npart_many;

/* Sums that nothing is counted in yet. `allocator` may be NULL. Fails with ARGUMENT or MEMORY. */
NPART_API npart_status npart_many_make(npart_many **out, const struct npart_allocator *allocator,
                                       struct npart_error *error);
/* Gives the handle back. */
NPART_API void npart_many_free(npart_many *many);

/* Counts a model: one report as JSON, of any detail, or an object with `error` and its `code` of a model that could not
 * be analyzed. Members that are missing or of another type count as nothing; the order of reports makes no difference.
 * Targets of one report that differ in their toolchain alone are told with it. Fails with ARGUMENT, MALFORMED (no
 * JSON) or MEMORY, after which what is written may lack something. */
NPART_API npart_status npart_many_add(npart_many *many, const char *json, size_t bytes, struct npart_error *error);

/* What the report that was counted last says of itself; NULL: nothing. Texts are good until the next is counted. */
struct npart_many_line {
    size_t size;
    const char *path, *version, *options; /* of the model; of the tool; by which options of a scan the line was made */
    const char *error; /* the code of why the model could not be analyzed */
};
NPART_API bool npart_many_line(const npart_many *many, struct npart_many_line *out);

struct npart_many_info {
    size_t size;
    uint64_t models, failures; /* failures: of them could not be analyzed */
    uint32_t target_count;
};
NPART_API bool npart_many_info(const npart_many *many, struct npart_many_info *out);

/* Writes a table for people: models by verdict, then for each target the causes that keep models from being whole, with
 * what to do about them. Equal reports in any order give equal bytes. `look` may be NULL. Fails with ARGUMENT, WRITE or
 * MEMORY. */
NPART_API npart_status npart_many_text(const npart_many *many, const struct npart_report_options *look,
                                       npart_write_callback write, void *payload, struct npart_error *error);

/* A table over models and targets: a line each, with what to do first. */
typedef struct npart_overview npart_overview;
/* One without lines. `allocator` may be NULL. Fails with ARGUMENT or MEMORY. */
NPART_API npart_status npart_overview_make(npart_overview **out, const struct npart_allocator *allocator,
                                           struct npart_error *error);
/* Gives the handle back. */
NPART_API void npart_overview_free(npart_overview *overview);
/* Adds a line, which keeps nothing of what is given. `plan` NULL: the model could not be analyzed; `advice` may be
 * NULL. Fails with ARGUMENT or MEMORY. */
NPART_API npart_status npart_overview_add(npart_overview *overview, const char *model, const char *target,
                                          const npart_plan *plan, const npart_advice *advice,
                                          struct npart_error *error);
/* Writes the table for people, in one piece. `look` may be NULL. Fails with ARGUMENT, WRITE or MEMORY. */
NPART_API npart_status npart_overview_text(const npart_overview *overview, const struct npart_report_options *look,
                                           npart_write_callback write, void *payload, struct npart_error *error);

#ifdef __cplusplus
}
#endif

#endif
