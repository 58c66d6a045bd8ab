/* SPDX-License-Identifier: Apache-2.0
 *
 * A decoder, given as text (model_text.h), whose cache was fixed, and what is asked of it.
 */
#ifndef NPART_TEST_FIXED_CACHE_H
#define NPART_TEST_FIXED_CACHE_H

#include "cache/cache.h"

struct fixed_cache {
    struct npart__arena arena;
    struct npart__graph graph, made; /* before and after */
    struct npart__cache cache;
    struct npart__version version;
    struct npart_error error;
    npart_status status;
};

/* Two layers: the first sees the last 8 tokens alone, the second all. The number of slots is read off the first. */
extern const char window_decoder[];
/* The caller clears `out->arena`. */
void fix_cache(struct fixed_cache *out, const char *text, uint32_t slots, uint32_t tokens, bool shifts);
void fix_cache_by(struct fixed_cache *out, const char *text, const struct npart__cache_request *request);
/* A text with other lines in the place of some; the caller frees it. */
char *replaced_text(const char *text, const char *line, const char *by);
/* The first of a role, NULL where there is none; and the last of the inputs that are added. */
const struct npart_cache_port *cache_port(const struct fixed_cache *fixed, enum npart_port_role role);
const struct npart_cache_port *added_port(const struct fixed_cache *fixed);
bool port_has_dims(const struct npart_cache_port *at, uint32_t rank, const int64_t *dims);
uint32_t count_ops(const struct npart__graph *graph, const char *op);

#endif
