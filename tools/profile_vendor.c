/* SPDX-License-Identifier: Apache-2.0
 *
 * What providers themselves write of a session: the QNN provider's trace of operators and its profile, and the Vitis AI
 * provider's report. Forms: onnxruntime-qnn, qnn_op_tracing_serialization.cc and qnn_profile_serializer.cc;
 * Ryzen AI documentation, "Model Operators Assignment Report".
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include "profile.h"

#include <stdlib.h>
#include <string.h>

#include "json_memory.h"

#define CPU "CPUExecutionProvider"
#define QNN "QNNExecutionProvider"
#define VITIS "VitisAIExecutionProvider"

static struct placed_node *place(struct profile *profile, const char *name, const char *op, const char *provider)
{
    struct placed_node *node = profile_node(profile, name, op, provider, -1);
    if (node)
        node->is_placed = true;
    return node;
}

/* The first reason stays; without memory there is none. */
static void give_reason(struct placed_node *node, const char *reason)
{
    if (node && reason && *reason && !node->reason)
        node->reason = strdup(reason);
}

/* ---- the QNN provider's trace (enable_framework_op_trace) -------------------------------------------------------- */

/* Sources are nodes ("OP") or tensors of the graph that the provider was given. */
static bool take_sources(struct profile *profile, const json_t *mappings, const char *provider)
{
    const json_t *mapping, *source;
    size_t i, k;
    json_array_foreach(mappings, i, mapping)
        json_array_foreach(json_object_get(mapping, "sources"), k, source) {
            const char *type = json_text(source, "type"), *name = json_text(source, "name");
            if (type && strcmp(type, "OP") == 0 && name && *name && !place(profile, name, "", provider))
                return false;
        }
    return true;
}

bool take_trace(struct profile *profile, const json_t *trace)
{
    const json_t *graphs = json_object_get(trace, "subgraph_traces"), *at;
    const char *backend = json_text(trace, "backend_type");
    /* QNN's own backend for the CPU is for tests. */
    bool is_cpu = backend && strcmp(backend, "cpu") == 0;
    size_t i;
    profile->kind = PROFILE_TRACE;
    profile->was_asked = true;
    profile->is_cpu_backend = is_cpu;
    if (!json_is_array(graphs))
        return profile_fail(profile, "subgraph_traces is no list");
    json_array_foreach(graphs, i, at)
        if (!take_sources(profile, json_object_get(at, "op_mappings"), is_cpu ? CPU : QNN))
            return false;
    json_array_foreach(json_object_get(trace, "unsupported_nodes"), i, at) {
        const char *name = json_text(at, "node_name"), *op = json_text(at, "op_type");
        if (!name || !op)
            return profile_fail(profile, "unsupported_nodes: a node without node_name or op_type");
        struct placed_node *node = place(profile, name, op, CPU);
        if (!node)
            return false;
        give_reason(node, json_text(at, "reason"));
    }
    profile->has_partitions = true;
    profile->partitions = is_cpu ? 0 : (uint32_t)json_array_size(graphs);
    return true;
}

/* ---- the Vitis AI provider's report (vitisai_ep_report.json) ----------------------------------------------------- */

/* "NPU" or "DPU" (1.2 and older); "CPU", and "VITIS_EP_CPU", which the provider computes itself on the CPU. */
static bool is_npu_device(const char *device)
{
    return strcmp(device, "NPU") == 0 || strcmp(device, "DPU") == 0 || strcmp(device, "IPU") == 0;
}

/* Nodes have no names there, and are known by their first result. An operator is "::Conv", or its domain before it. */
bool take_report(struct profile *profile, const json_t *report)
{
    const json_t *nodes = json_object_get(report, "nodeStat"), *at;
    char text[96];
    size_t i;
    profile->kind = PROFILE_REPORT;
    profile->was_asked = true;
    if (!json_is_array(nodes))
        return profile_fail(profile, "nodeStat is no list");
    json_array_foreach(nodes, i, at) {
        const char *device = json_text(at, "device"), *op = json_text(at, "opType");
        const char *result = json_string_value(json_array_get(json_object_get(at, "output"), 0));
        const char *colon = op ? strrchr(op, ':') : NULL;
        (void)snprintf(text, sizeof text, "nodeStat, node %zu: expected device, opType and output", i);
        if (!device || !op || !result)
            return profile_fail(profile, text);
        struct placed_node *node =
            place(profile, result, colon ? colon + 1 : op, is_npu_device(device) ? VITIS : CPU);
        if (!node)
            return false;
        node->is_result = true;
        if (!is_npu_device(device) && strcmp(device, "CPU") != 0)
            give_reason(node, device);
    }
    return true;
}

/* ---- ST Edge AI's network_c_info.json ---------------------------------------------------------------------------- */

/* How an epoch is computed: -1 for none of these, 0 in software, 1 by the NPU or in part by it, 2 not at all. */
static int epoch_side(const char *mapping)
{
    static const struct {
        const char *mapping;
        int side;
    } sides[] = {{"NODE_SW", 0}, {"NODE_HW", 1}, {"NODE_SW_HW", 1}, {"NODE_EC", 1}, {"NODE_NO_X", 2}};
    for (size_t i = 0; mapping && i < sizeof sides / sizeof *sides; i++)
        if (strcmp(mapping, sides[i].mapping) == 0)
            return sides[i].side;
    return -1;
}

/* Epochs in their order, without the model's names: a partition ends where one is in software. */
bool take_epochs(struct profile *profile, const json_t *info)
{
    const json_t *nodes = json_object_get(json_array_get(json_object_get(info, "graphs"), 0), "nodes"), *at;
    char text[64];
    bool is_hardware = false;
    size_t i;
    profile->kind = PROFILE_VENDOR;
    profile->word = "stedgeai-json";
    profile->was_asked = profile->is_partial = profile->has_partitions = true;
    if (!json_is_array(nodes) || json_array_size(nodes) == 0)
        return profile_fail(profile, "graphs: the first has no nodes");
    json_array_foreach(nodes, i, at) {
        int side = epoch_side(json_text(at, "mapping"));
        (void)snprintf(text, sizeof text, "graphs, node %zu: its mapping is not known", i);
        if (side < 0)
            return profile_fail(profile, text);
        profile->partitions += side == 1 && !is_hardware;
        is_hardware = side == 2 ? is_hardware : side == 1;
    }
    return profile_provider(profile, "Neural-ART") != UINT32_MAX;
}

/* ---- the QNN provider's profile (profiling_level, profiling_file_path) ------------------------------------------- */

#define CSV_BEGIN "Msg Timestamp,Message,Time,Unit of Measurement,"
#define SOURCES "ONNX Source Ops" /* the last column, with enable_framework_op_trace */
#define FIELDS_BEFORE_IDENTIFIER 6

bool is_qnn_profile(const char *line)
{
    return strncmp(line, CSV_BEGIN, sizeof CSV_BEGIN - 1) == 0;
}

/* "conv1;relu1", each up to its end. */
static bool take_names(struct profile *profile, char *names, const char *ends)
{
    char *rest = names;
    while (*rest) {
        size_t length = strcspn(rest, ends);
        bool is_last = rest[length] == '\0';
        rest[length] = '\0';
        if (*rest && !place(profile, rest, "", QNN))
            return false;
        rest += length + !is_last;
    }
    return true;
}

/* A row of a node: ",NODE,". Without sources its identifier is "conv1:OpId_22 (cycles)", by the node that the operator
 * was made for; inputs and outputs have no such. Only the identifier may hold commas. */
static bool take_row(struct profile *profile, char *line, bool has_sources)
{
    char *identifier = line, *last;
    line[strcspn(line, "\r\n")] = '\0';
    last = strrchr(line, ',');
    for (unsigned i = 0; i < FIELDS_BEFORE_IDENTIFIER && identifier; i++) {
        char *comma = strchr(identifier, ',');
        if (i == 1 && strncmp(identifier, "NODE,", 5) != 0)
            return true;
        identifier = comma ? comma + 1 : NULL;
    }
    if (!identifier)
        return true;
    if (has_sources && last >= identifier && last[1])
        return take_names(profile, last + 1, ";");
    char *end = strstr(identifier, ":OpId_");
    if (!end)
        return true;
    *end = '\0';
    return take_names(profile, identifier, "\n");
}

/* What is not on the NPU has no row, so the file says nothing of the CPU. */
bool read_qnn_profile(struct profile *profile, FILE *file, char *line, size_t bytes)
{
    bool has_sources = strstr(line, SOURCES) != NULL, is_begin = strchr(line, '\n') != NULL, is_read = true;
    profile->kind = PROFILE_QNN;
    profile->is_npu_alone = profile->was_asked = true;
    while (is_read && fgets(line, (int)bytes, file)) {
        bool is_next_begin = strchr(line, '\n') != NULL;
        is_read = !is_begin || take_row(profile, line, has_sources);
        is_begin = is_next_begin;
    }
    return is_read && (profile->first || profile_fail(profile, "it has no row of a node (profiling_level detailed)"));
}
