/* SPDX-License-Identifier: Apache-2.0
 *
 * All nodes on the CPU although the plan has some on the NPU: is it the model, or the installation?
 */
#include "runs/runs.h"

/* By name, or by what was concluded. */
static bool is_all_on_cpu(const npart_verification *v)
{
    bool has_cpu = false;
    for (uint32_t i = 0; i < v->node_count; i++) {
        has_cpu |= v->nodes[i].run == NPART__RUN_ON_CPU;
        if (v->nodes[i].run == NPART__RUN_ON_NPU)
            return false;
    }
    return has_cpu && v->info.run_partitions == 0;
}

static bool has_provider(const npart_run *run)
{
    for (uint32_t i = 0; i < run->provider_count; i++)
        if (!npart__run_is_cpu(run, i))
            return true;
    return run->was_asked;
}

/* Nothing where some node ran on the NPU, where the plan has none there, and where ONNX Runtime has no provider for the
 * target. */
bool npart__find_blame(npart_verification *v)
{
    struct npart_provider provider = {.size = sizeof provider};
    struct npart_verification_info *info = &v->info;
    struct npart__arena *arena = &v->life->arena;
    if (!npart_plan_provider(v->plan, &provider) || v->accepted == 0 || !is_all_on_cpu(v))
        return true;
    info->blame_provider = provider.name;
    info->blame = NPART_BLAME_PROVIDER;
    if (v->run->is_cpu_backend) {
        info->blame_text = "the session had the provider for this target with its backend for the CPU: set "
                           "backend_type to htp, or backend_path to that library";
        return true;
    }
    if (has_provider(v->run)) {
        info->blame_text = npart__arena_format(
            arena,
            "the session had the provider for this target, and it took no node, where the plan has %u on the NPU: its "
            "own reasons stand below, or it found no device or driver",
            v->accepted);
        return info->blame_text != NULL;
    }
    info->blame = NPART_BLAME_INSTALLATION;
    info->blame_text = npart__arena_format(
        arena,
        "every node ran on the CPU, and the plan has %u on the NPU: the installation has no %s, or the session did not "
        "ask for it (%s)",
        v->accepted, provider.name, provider.package);
    info->blame_check = npart__arena_format(
        arena,
        "python3 -c \"import onnxruntime; print(onnxruntime.get_available_providers())\" must name %s%s%s",
        provider.name, *provider.hint ? "; " : "", provider.hint);
    return info->blame_text && info->blame_check;
}
