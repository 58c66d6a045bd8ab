/* SPDX-License-Identifier: Apache-2.0
 *
 * PyTorch's TorchScript exporter names a node by the modules that it stands in: "/encoder/layers.3/fc1/MatMul_1". Each
 * step is an attribute's name, with the one before where it is a number, so that a Sequential within one is written
 * "/features/features.0/features.0.2/Conv".
 */
#include "graph/build.h"

/* Whether `last` is what the exporter calls a node of that operator: "MatMul" or "MatMul_1". Else the last step
 * may be a module's name, or the name be one that a user chose: then nothing is told. */
static bool is_own_name(const char *last, const char *op)
{
    size_t length = strlen(op);
    if (strncmp(last, op, length) != 0)
        return false;
    if (last[length] == '\0')
        return true;
    const char *digit = last + length + 1;
    return last[length] == '_' && *digit && digit[strspn(digit, "0123456789")] == '\0';
}

/* Whether a step begins with all of the step before it, and says more: "features.0" after "features". The full
 * stop must follow, so that "layers10" is not taken for a step inside of "layers1". */
static bool repeats(const char *step, size_t length, const char *before, size_t before_length)
{
    return length > before_length && step[before_length] == '.' && memcmp(step, before, before_length) == 0;
}

/* "layers.3.fc1" of "layers.3/fc1". In place of the longer step only what it adds is kept; the text never gets
 * longer than the path. "features/features.0/features.0.2" becomes "features.0.2": each step repeats the one
 * before it and takes its place in the text. */
static const char *dotted(struct npart__arena *arena, const char *path, size_t bytes)
{
    char *out = npart__arena_allocate(arena, bytes + 1);
    if (!out)
        return NULL;
    size_t used = 0, before_length = 0;
    for (size_t at = 0; at < bytes;) {
        const char *step = path + at, *end = memchr(step, '/', bytes - at);
        size_t length = end ? (size_t)(end - step) : bytes - at;
        if (before_length && repeats(step, length, out + used - before_length, before_length))
            used -= before_length;
        else if (used)
            out[used++] = '.';
        memcpy(out + used, step, length);
        used += length;
        before_length = length;
        at += length + 1;
    }
    out[used] = '\0';
    return out;
}

/* Nodes of one module follow one another, so most have the text of the node before. The text is compared and not
 * the name's address: names of two nodes are different texts, of which the part before the last slash is the same.
 * What is left without a module gets none from its neighbours: a name that a user chose may stand between two of
 * the exporter's. */
npart_status npart__build_modules(struct npart__build *build)
{
    struct npart__graph *graph = build->graph;
    const char *path = "", *module = NULL;
    size_t bytes = 0;
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        struct npart__node *node = &graph->nodes.items[i];
        /* Names that begin with a slash are this exporter's. */
        const char *last = *node->name == '/' ? strrchr(node->name + 1, '/') : NULL;
        if (!last || !is_own_name(last + 1, npart__node_op(graph, node)))
            continue;
        size_t length = (size_t)(last - node->name) - 1;
        if (!module || length != bytes || memcmp(node->name + 1, path, length) != 0) {
            path = node->name + 1;
            bytes = length;
            module = dotted(build->arena, path, bytes);
            if (!module)
                return npart__fail_memory(build->error);
        }
        node->module = module;
    }
    return NPART_OK;
}
