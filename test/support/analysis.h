/* SPDX-License-Identifier: Apache-2.0
 *
 * The handles of one analysis by way of the public header, and a place for what reports write.
 */
#ifndef TEST_ANALYSIS_H
#define TEST_ANALYSIS_H

#include "npu_partition.h"

struct analysis {
    npart_model *model;
    npart_inference *inference;
    npart_oplist *oplist;
    npart_plan *plan;
};

/* A model as text (support/model_text.h) and an op list as text, NULL: hexagon; `target` and `options` may be NULL.
 * On a failure prints it and ends the test program. */
void analysis_open(struct analysis *analysis, const char *model, const char *oplist, const char *target,
                   const struct npart_plan_options *options);
/* The same up to the inference; the other handles are NULL. */
void analysis_infer(struct analysis *analysis, const char *model, const struct npart_inference_options *options);
void analysis_close(struct analysis *analysis);

npart_model *read_text(const char *model);

/* By name; NPART_NONE when there is none. A node goes by the name of its first output. */
uint32_t analysis_value(const struct analysis *analysis, const char *name);
uint32_t analysis_node(const struct analysis *analysis, const char *name);

/* A write callback's payload. */
struct sink {
    char *text; /* terminated; NULL: nothing was written */
    size_t bytes, most_bytes; /* the longest piece */
    unsigned calls, refuse_at; /* the call to answer false to, counted from 1; 0: none */
};

bool sink_write(void *payload, const char *text, size_t bytes);
void sink_clear(struct sink *sink);

/* What to do about a plan that was made without options of its own, as the tool finds it; `target` as the plan was
 * asked for, NULL: as it calls itself. On a failure prints it and ends the test program. */
npart_advice *advise(const npart_plan *plan, const npart_plan *fixed, const char *target);

/* A report of one plan; the text is the caller's to free. */
char *json_of(const npart_plan *plan, const npart_plan *fixed);
char *text_of(const npart_plan *plan, const npart_plan *fixed, const struct npart_report_options *options);

#endif
