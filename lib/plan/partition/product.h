/* SPDX-License-Identifier: Apache-2.0
 *
 * What a product does by itself with a model: a runtime, a provider, a compiler. Products are rows of lib/runtime,
 * which stands above plans; a plan asks all rows, in their order, at each moment of its making. Whether a product has
 * anything to do with the target is asked by its functions, of the lines of the target's list.
 */
#ifndef NPART_PRODUCT_H
#define NPART_PRODUCT_H

#include "partition/policy.h"

struct npart__plan;
struct npart__step_request;

/* Fills in step_of for all nodes of the order, accepted or not; all nodes of a step are on one side, and no node
 * has a smaller step than what it takes. */
typedef void npart__stepper(struct npart__step_request *request);

/* A `partitioner` of lists. */
struct npart__partitioner {
    const char *name;
    npart__stepper *step;
    bool follows_edges; /* and nothing else: no node that takes nothing from a partition ends it */
    bool joins_bodies;  /* a body that is taken as a whole, of a node that is taken, has no partitions of its own */
    /* Nodes that fail by their bodies; whether there are any. NULL: no node does. */
    bool (*fail_bodies)(struct npart__hand_back *to);
};

/* Of a `partitions fail` line that counts, once partitions are made: hands back the nodes that it speaks of. `*changed`
 * becomes true where there are any. False when out of memory. */
typedef bool npart__failure(struct npart__hand_back *to, const struct npart__partitioning *partitioning,
                            const struct npart__policy *policy, bool *changed);

/* Of a plan that has come so far. */
typedef npart_status npart__pass(struct npart__plan *plan, struct npart_error *error);
enum npart__moment {
    NPART__SEES,             /* what is known of sizes: before anything else */
    NPART__SETTLES,          /* which nodes the graph has, before it is rewritten */
    NPART__HAS_JUDGED,       /* what the product changes once it knows what is taken */
    NPART__HAS_ACCEPTED,     /* before partitions are formed */
    NPART__HAS_PARTITIONED,  /* once they are */
    NPART__MOMENTS
};
#define NPART__PASSES 5 /* room for those of a moment; the first that is NULL ends them */

/* The session of what the target's runtime knows of a graph. `settles`: branches of Ifs whose conditions are known are
 * taken, and the session's inference is another then. */
typedef npart_status npart__rewriter(struct npart__inference *inference, enum npart_level level,
                                     enum npart__release release, bool settles, struct npart__arena *arena,
                                     struct npart__session *out, struct npart_error *error);

struct npart__product {
    const char *name; /* NULL: the end of the rows */
    npart__rewriter *rewrite; /* one row has it */
    /* Whether the product loads the model at all, whatever its nodes are; NULL: that is others' business. */
    bool (*loads)(const struct npart__plan *plan);
    npart__pass *passes[NPART__MOMENTS][NPART__PASSES];
    npart__holder *hold; /* one row has it */
    struct npart__partitioner partitioner; /* its name is NULL where there is none */
    npart__failure *failures[NPART__POLICY_KINDS];
};

/* A partitioner by name, of products or of any; NULL when there is none. */
const struct npart__partitioner *npart__find_partitioner(const struct npart__product *products, const char *name);
/* Their names in order, NULL past the last. */
const char *npart__partitioner_name(const struct npart__product *products, size_t index);

#endif
