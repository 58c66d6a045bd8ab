/* SPDX-License-Identifier: Apache-2.0
 *
 * What is asked of a model, by choices of an input (fuzz/subject.h): sizes, a level, a partitioner, placement
 * overrides, a cut; and targets with their variants and switches.
 */
#ifndef TEST_FUZZ_REQUEST_H
#define TEST_FUZZ_REQUEST_H

#include "fuzz/subject.h"

/* Choices from this one on are the request's. */
#define REQUEST_FIRST 7u

struct request {
    struct npart_plan_options plan;
    struct npart_inference_options sizes;
    struct npart_dim_binding dims[2];
    struct npart_assumption assumption;
    const char *cut;
};

/* Names in it are of the model, which must outlive it, as must the allocator. */
void request_make(struct request *request, const struct subject *subject, const npart_model *model,
                  const struct npart_allocator *allocator);
/* A target's text; its list, read once, goes to *oplist. Every choice is a target. */
const char *request_target(unsigned choice, const npart_oplist **oplist);
/* What is known of the tensors of a model under these sizes; NULL: they do not fit it. */
npart_inference *request_infer(const struct request *request, const npart_model *model);

#endif
