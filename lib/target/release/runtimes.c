/* SPDX-License-Identifier: Apache-2.0
 *
 * The runtimes that an op list may name (`runtime onnxruntime 1.24`), read from runtimes.def.
 */
#include "release/release.h"

static const struct npart__runtime runtimes[] = {
#define RUNTIME(name, version, release, knows) {name, version, NPART__RELEASE_##release, NPART__KNOWLEDGE_##knows},
#include "release/runtimes.def"
};

/* In the order of the table, for messages that list them all. */
const struct npart__runtime *npart__runtime_at(size_t index)
{
    return index < NPART__COUNT(runtimes) ? &runtimes[index] : NULL;
}

/* From the end, so that a name without a version is the newest release. */
const struct npart__runtime *npart__runtime_find(const char *name, const char *version)
{
    for (size_t i = NPART__COUNT(runtimes); i-- > 0;)
        if (strcmp(runtimes[i].name, name) == 0 && (!version || strcmp(runtimes[i].version, version) == 0))
            return &runtimes[i];
    return NULL;
}
