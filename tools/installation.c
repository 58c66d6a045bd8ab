/* SPDX-License-Identifier: Apache-2.0 */
#include "installation.h"

#include <stdio.h>
#include <string.h>

const char *blame_word(enum blame_of of)
{
    return of == BLAME_INSTALLATION ? "installation" : of == BLAME_PROVIDER ? "provider" : NULL;
}

/* By name, or by what was concluded. */
static bool is_all_on_cpu(const struct comparison *comparison)
{
    bool has_cpu = false;
    for (uint32_t i = 0; i < comparison->node_count; i++) {
        has_cpu |= comparison->nodes[i].run == ON_CPU;
        if (comparison->nodes[i].run == ON_NPU)
            return false;
    }
    return has_cpu && comparison->partitions == 0;
}

static bool has_provider(const struct profile *profile)
{
    for (uint32_t i = 0; i < profile->provider_count; i++)
        if (!profile_is_cpu(profile, i))
            return true;
    return profile->was_asked;
}

struct blame find_blame(const struct comparison *comparison, const struct profile *profile, const npart_plan *plan)
{
    struct blame blame = {0};
    struct npart_provider provider = {.size = sizeof provider};
    uint32_t planned = comparison->summary.accepted;
    if (!npart_plan_provider(plan, &provider) || planned == 0 || !is_all_on_cpu(comparison))
        return blame;
    blame.provider = provider.name;
    if (profile->is_cpu_backend) {
        blame.of = BLAME_PROVIDER;
        (void)snprintf(blame.text, sizeof blame.text,
                       "the session had the provider for this target with its backend for the CPU: set backend_type to "
                       "htp, or backend_path to that library");
        return blame;
    }
    if (has_provider(profile)) {
        blame.of = BLAME_PROVIDER;
        (void)snprintf(blame.text, sizeof blame.text,
                       "the session had the provider for this target, and it took no node, where the plan has %u on "
                       "the NPU: its own reasons stand below, or it found no device or driver",
                       planned);
        return blame;
    }
    blame.of = BLAME_INSTALLATION;
    (void)snprintf(blame.text, sizeof blame.text,
                   "every node ran on the CPU, and the plan has %u on the NPU: the installation has no %s, or the "
                   "session did not ask for it (%s)",
                   planned, provider.name, provider.package);
    (void)snprintf(blame.check, sizeof blame.check,
                   "python3 -c \"import onnxruntime; print(onnxruntime.get_available_providers())\" must name %s%s%s",
                   provider.name, *provider.hint ? "; " : "", provider.hint);
    return blame;
}
