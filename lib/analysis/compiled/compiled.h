/* SPDX-License-Identifier: Apache-2.0
 *
 * What a node that holds a compiled graph (EPContext) says of it: the attributes that ONNX Runtime defines
 * (EP-Context-Design), and what the provider noted for itself in the model's metadata (`ep_compatibility_info.NAME`).
 */
#ifndef NPART_VALID_COMPILED_H
#define NPART_VALID_COMPILED_H

#include "infer/infer.h"

#define NPART__COMPILED "compiled" /* the code of such a finding */

/* Of a graph that is compiled for more chips the first count. */
#define NPART__LIMIT_COMPILED_CHIPS 16u

/* Where the compiled graph is. */
enum npart__context_place {
    NPART__CONTEXT_UNKNOWN,  /* a file, and nobody knows beside what: the model was no file */
    NPART__CONTEXT_EMBEDDED, /* in the attribute, or in that of another node (main_context is 0) */
    NPART__CONTEXT_BESIDE,   /* a file in the model's folder or below it */
    NPART__CONTEXT_MISSING,  /* there should be such a file */
    NPART__CONTEXT_OUTSIDE,  /* a path that leaves the folder, or that is absolute: runtimes refuse both */
};

/* A chip that it is compiled for. Of either number 0: not said. */
struct npart__compiled_chip {
    uint32_t generation; /* of Qualcomm's the architecture of the HTP, 73 */
    uint32_t number;     /* of Qualcomm's that of the SoC, 60 */
};

struct npart__compiled {
    const char *provider; /* as the file writes it; "": it does not say */
    const char *file;     /* "": embedded, or no name */
    enum npart__context_place place;
    const char *architecture; /* the attribute hardware_architecture; "": not said */
    bool has_sdk;
    uint32_t sdk_major, sdk_minor; /* of the compiler */
    uint32_t backend;              /* of Qualcomm's; 0: not said */
    struct npart__compiled_chip chips[NPART__LIMIT_COMPILED_CHIPS];
    uint32_t chip_count;
};

/* Whether the node holds a compiled graph. */
bool npart__is_compiled(const struct npart__graph *graph, const struct npart__node *node);
/* What it says; asks the file system whether an external file is there. `node` holds one. Texts live as long as the
 * graph. */
void npart__read_compiled(const struct npart__graph *graph, const struct npart__node *node,
                          struct npart__compiled *out);
/* "QNNExecutionProvider, SDK 2.51, SoC 60 (generation 73), in m_qnn.bin": what is said of all that. */
void npart__append_compiled(const struct npart__compiled *compiled, struct npart__buffer *out);

/* Adds a finding `compiled` for each node that holds a graph compiled already, with the provider that compiled it. */
npart_status npart__find_compiled(struct npart__inference *inference, struct npart_error *error);

#endif
