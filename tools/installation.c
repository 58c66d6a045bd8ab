/* SPDX-License-Identifier: Apache-2.0 */
#include "installation.h"

#include <stdio.h>
#include <string.h>

/* ONNX Runtime's provider for a target, and what brings it. */
static const struct row {
    const char *target, *provider, *package;
} rows[] = {
    {"hexagon", "QNNExecutionProvider", "pip install onnxruntime-qnn"},
    {"intel-npu", "OpenVINOExecutionProvider", "pip install onnxruntime-openvino"},
    {"xdna", "VitisAIExecutionProvider", "AMD's Ryzen AI Software"},
    {"coreml-mlprogram", "CoreMLExecutionProvider", "pip install onnxruntime, on macOS"},
    {"coreml-neuralnetwork", "CoreMLExecutionProvider", "pip install onnxruntime, on macOS"},
    {"nnapi", "NnapiExecutionProvider", "the Android package onnxruntime-android"},
    {"xnnpack", "XnnpackExecutionProvider", "a build with --use_xnnpack, such as onnxruntime-android"},
    {"dla", "TensorrtExecutionProvider", "a build with --use_tensorrt for Jetson"},
    {"tidl", "TIDLExecutionProvider", "TI's build of ONNX Runtime, in edgeai-tidl-tools"},
    {"webnn", "WebNNExecutionProvider", "onnxruntime-web, in a browser with WebNN"},
};

static const struct row *find_row(const char *target)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *name = rows[i].target;
        if (strncmp(target, name, strlen(name)) == 0 && strchr(":+-@", target[strlen(name)]))
            return &rows[i];
    }
    return NULL;
}

const char *provider_of_target(const char *target)
{
    const struct row *row = find_row(target);
    return row ? row->provider : NULL;
}

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

struct blame find_blame(const struct comparison *comparison, const struct profile *profile, const char *target)
{
    struct blame blame = {0};
    const struct row *row = find_row(target);
    uint32_t planned = comparison->summary.accepted;
    if (!row || planned == 0 || !is_all_on_cpu(comparison))
        return blame;
    blame.provider = row->provider;
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
                   planned, row->provider, row->package);
    (void)snprintf(blame.check, sizeof blame.check,
                   "python3 -c \"import onnxruntime; print(onnxruntime.get_available_providers())\" must name %s%s",
                   row->provider,
                   strcmp(row->target, "hexagon") == 0
                       ? "; onnxruntime-qnn 2 is a plugin: register_execution_provider_library and "
                         "add_provider_for_devices bring it into a session, `providers=` passes it over"
                       : "");
    return blame;
}
