/* SPDX-License-Identifier: Apache-2.0 */
#include "rewrite/functions.h"
#include "rewrite/put.h"

/* The last row is empty, and not counted. */
const struct npart__rewrite npart__rewrites[] = {
#define REWRITE(phase, id, anchors, equality, enables, function, argument, caveat)                                     \
    {id, anchors, NPART__PHASE_##phase, NPART__EQUAL_##equality, enables, npart__rewrite_##function, argument, caveat, \
     NULL},
#include "rewrite/rewrites.def"
    {NULL, NULL, 0, 0, false, NULL, NULL, NULL, NULL},
};

const uint32_t npart__rewrite_count = NPART__COUNT(npart__rewrites) - 1;

/* Anchors are words of one text: the next one's length, or 0. */
static size_t next_anchor(const char **text)
{
    *text += strspn(*text, " ");
    return strcspn(*text, " ");
}

/* Asked of every node for every rewrite, so nothing is allocated. ai.onnx is written without its domain. */
bool npart__is_anchor(const struct npart__rewrite *rewrite, const struct npart__graph *graph,
                      const struct npart__node *node)
{
    const char *domain = npart__text(&graph->strings, node->domain), *op = npart__node_op(graph, node);
    size_t length, prefix = *domain ? strlen(domain) + 1 : 0;
    const char *at = rewrite->anchors;
    while ((length = next_anchor(&at)) > 0) {
        if (*at == '*')
            return true;
        /* "com.microsoft:Gelu" and a node of com.microsoft: the prefix is the domain and its colon, 14 bytes. */
        bool is_here = prefix == 0 || (length > prefix && memcmp(at, domain, prefix - 1) == 0 && at[prefix - 1] == ':');
        if (is_here && strlen(op) == length - prefix && memcmp(at + prefix, op, length - prefix) == 0)
            return true;
        at += length;
    }
    return false;
}

/* What the graph was asked may have been unknown for want of memory: then neither yes nor no is an answer. */
bool npart__rewrite_try(const struct npart__rewrite *rewrite, struct npart__site *site)
{
    site->rewrite = rewrite->id;
    site->equality = rewrite->equality;
    site->caveat = NULL;
    bool is_done = rewrite->pattern ? npart__try_pattern(rewrite, site) : rewrite->apply(site);
    /* Such a failure ends the search, so it may not pass for a form that the opset lacks, which is passed over. */
    if (npart__take_failure(site->inference)) {
        site->failed = true;
        site->is_impossible = false;
    }
    return is_done && !site->failed;
}
