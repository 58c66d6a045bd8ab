/* SPDX-License-Identifier: Apache-2.0
 *
 * module: the modules of the model's source as a tree, by the names that exporters give nodes, and what becomes of each
 * on the target. A picture of 2000 nodes cannot be read; one of "model.layers.0" to "model.layers.23" can.
 *
 * A node's module is told by the first of these that there is (names.c):
 *
 *   metadata   of dynamo: pkg.torch.onnx.name_scopes, namespace    "encoder.layers.3"
 *   its name   of TorchScript and what follows it, from the first slash on   "/encoder/layers.3/fc1/MatMul_1"
 *              of others, with slashes                             "model/block_1/batchnorm/mul_1"
 *   its graph  the body of a function of the model is a module, called as the node that calls it, of
 *              all its nodes
 *
 * The last step of a name is the node's own. A node whose name has no step before that is the model's: it is in none.
 * A node of which nothing of all this tells (a name without a slash, or none: what a quantizer or an optimizer has put
 * in, a weight's Identity) is where all its neighbours in its graph are that tell by themselves, producers and users:
 * in the innermost module that has them all. Where none of them tells, where the first of them was put in this way,
 * users first: so a QuantizeLinear at an input is with its DequantizeLinear's user. No further is a name carried, as a
 * few names would be taken for all of a graph. What is left in the body of an If, Loop or Scan is with the node that
 * has the body; what a runtime puts in the place of an operator is where that was.
 */
#ifndef NPART_MODULE_H
#define NPART_MODULE_H

#include "plan/plan.h"

/* Names may be anything: deeper steps, longer paths and more modules are left out, and nodes are in what they are
 * within. */
#define NPART__LIMIT_MODULE_DEPTH 32u
#define NPART__LIMIT_MODULE_PATH_BYTES 1024u
#define NPART__LIMIT_MODULES 16384u

struct npart__modules {
    struct NPART__ARRAY(struct npart_module) items; /* each before those inside it, siblings as their last nodes run */
    uint32_t *of_node; /* by node of the plan's graph; NPART_NONE: in none */
    uint32_t *members; /* all nodes that are in some: live ones as they run, then others */
};

/* tree.c: modules by the nodes' own names and by functions, and then by their neighbours; sums are 0. Linear in nodes,
 * operands and the length of names. False when out of memory. */
bool npart__module_tree(const struct npart__graph *graph, struct npart__arena *arena, struct npart__modules *out);
/* The modules of the tree of the plan's graph as the plan runs them. `order`: its live nodes as they run. Linear in
 * nodes. False when out of memory. */
bool npart__find_modules(const struct npart__plan *plan, const struct npart__modules *tree, const uint32_t *order,
                         uint32_t order_count, struct npart__arena *scratch, struct npart__arena *arena,
                         struct npart__modules *out);

/* ---- between the files of this stage, and for who tells where a node comes from ------------------------------ */

/* Where a name begins and ends, and what separates its steps. */
struct npart__module_path {
    const char *text; /* not terminated */
    size_t bytes;     /* 0: the node is the model's own */
    char separator;   /* '.': steps end at dots; '/': at slashes; 0: at both, and a step may repeat the one before */
};

/* What PyTorch's dynamo exporter notes. False where it notes nothing. */
bool npart__module_of_metadata(const struct npart__node *node, struct npart__module_path *out);
/* `is_rooted`: names of the model begin with a slash. False where the name does not tell. */
bool npart__module_of_name(const char *name, bool is_rooted, struct npart__module_path *out);

#endif
