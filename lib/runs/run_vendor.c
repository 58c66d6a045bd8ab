/* SPDX-License-Identifier: Apache-2.0
 *
 * What providers themselves write of a session: the QNN provider's trace of operators and its profile, and the Vitis AI
 * provider's report. Forms: onnxruntime-qnn, qnn_op_tracing_serialization.cc and qnn_profile_serializer.cc;
 * Ryzen AI documentation, "Model Operators Assignment Report".
 */
#include "runs/runs.h"

#include <stdio.h>

#define CPU "CPUExecutionProvider"
#define QNN "QNNExecutionProvider"
#define VITIS "VitisAIExecutionProvider"

/* ---- the QNN provider's trace (enable_framework_op_trace) -------------------------------------------------------- */

/* Sources are nodes ("OP") or tensors of the graph that the provider was given. */
static bool take_sources(npart_run *run, const struct npart__tree *mappings, const char *provider)
{
    const struct npart__tree *mapping, *source;
    uint32_t i, k;
    for (i = 0; (mapping = npart__tree_at(mappings, i)) != NULL; i++)
        for (k = 0; (source = npart__tree_at(npart__tree_get(mapping, "sources"), k)) != NULL; k++) {
            const char *type = npart__tree_text(source, "type"), *name = npart__tree_text(source, "name");
            if (type && strcmp(type, "OP") == 0 && name && *name && !npart__run_placed(run, name, "", provider))
                return false;
        }
    return true;
}

bool npart__take_run_trace(npart_run *run, const struct npart__tree *trace)
{
    const struct npart__tree *graphs = npart__tree_get(trace, "subgraph_traces"), *at;
    const char *backend = npart__tree_text(trace, "backend_type");
    /* QNN's own backend for the CPU is for tests. */
    bool is_cpu = backend && strcmp(backend, "cpu") == 0;
    uint32_t i;
    run->kind = "trace";
    run->was_asked = true;
    run->is_cpu_backend = is_cpu;
    if (!npart__is_list(graphs))
        return npart__run_fail(run, "subgraph_traces is no list");
    for (i = 0; (at = npart__tree_at(graphs, i)) != NULL; i++)
        if (!take_sources(run, npart__tree_get(at, "op_mappings"), is_cpu ? CPU : QNN))
            return false;
    for (i = 0; (at = npart__tree_at(npart__tree_get(trace, "unsupported_nodes"), i)) != NULL; i++) {
        const char *name = npart__tree_text(at, "node_name"), *op = npart__tree_text(at, "op_type");
        if (!name || !op)
            return npart__run_fail(run, "unsupported_nodes: a node without node_name or op_type");
        struct npart__ran *node = npart__run_placed(run, name, op, CPU);
        if (!node)
            return false;
        const char *reason = npart__tree_text(at, "reason");
        npart__run_give_reason(run, node, reason, reason ? strlen(reason) : 0);
    }
    run->has_partitions = true;
    run->partitions = is_cpu ? 0 : (uint32_t)npart__tree_count(graphs);
    return true;
}

/* ---- the Vitis AI provider's report (vitisai_ep_report.json) ----------------------------------------------------- */

/* "NPU" or "DPU" (1.2 and older); "CPU", and "VITIS_EP_CPU", which the provider computes itself on the CPU. */
static bool is_npu_device(const char *device)
{
    return strcmp(device, "NPU") == 0 || strcmp(device, "DPU") == 0 || strcmp(device, "IPU") == 0;
}

/* Nodes have no names there, and are known by their first result. An operator is "::Conv", or its domain before it. */
bool npart__take_run_report(npart_run *run, const struct npart__tree *report)
{
    const struct npart__tree *nodes = npart__tree_get(report, "nodeStat"), *at;
    char text[96];
    uint32_t i;
    run->kind = "report";
    run->was_asked = true;
    if (!npart__is_list(nodes))
        return npart__run_fail(run, "nodeStat is no list");
    for (i = 0; (at = npart__tree_at(nodes, i)) != NULL; i++) {
        const char *device = npart__tree_text(at, "device"), *op = npart__tree_text(at, "opType");
        const char *result = npart__tree_string(npart__tree_at(npart__tree_get(at, "output"), 0));
        const char *colon = op ? strrchr(op, ':') : NULL;
        (void)snprintf(text, sizeof text, "nodeStat, node %u: expected device, opType and output", i);
        if (!device || !op || !result)
            return npart__run_fail(run, text);
        struct npart__ran *node =
            npart__run_placed(run, result, colon ? colon + 1 : op, is_npu_device(device) ? VITIS : CPU);
        if (!node)
            return false;
        node->is_result = true;
        if (!is_npu_device(device) && strcmp(device, "CPU") != 0)
            npart__run_give_reason(run, node, device, strlen(device));
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
bool npart__take_run_epochs(npart_run *run, const struct npart__tree *info)
{
    const struct npart__tree *nodes = npart__tree_get(npart__tree_at(npart__tree_get(info, "graphs"), 0), "nodes"), *at;
    char text[64];
    bool is_hardware = false;
    uint32_t i;
    run->kind = "stedgeai-json";
    run->was_asked = run->is_partial = run->has_partitions = true;
    if (!npart__is_list(nodes) || npart__tree_count(nodes) == 0)
        return npart__run_fail(run, "graphs: the first has no nodes");
    for (i = 0; (at = npart__tree_at(nodes, i)) != NULL; i++) {
        int side = epoch_side(npart__tree_text(at, "mapping"));
        (void)snprintf(text, sizeof text, "graphs, node %u: its mapping is not known", i);
        if (side < 0)
            return npart__run_fail(run, text);
        run->partitions += side == 1 && !is_hardware;
        is_hardware = side == 2 ? is_hardware : side == 1;
    }
    return npart__run_provider(run, "Neural-ART") != UINT32_MAX;
}

/* ---- the QNN provider's profile (profiling_level, profiling_file_path) ------------------------------------------- */

#define CSV_BEGIN "Msg Timestamp,Message,Time,Unit of Measurement,"
#define SOURCES "ONNX Source Ops" /* the last column, with enable_framework_op_trace */
#define FIELDS_BEFORE_IDENTIFIER 6

bool npart__is_qnn_profile(const char *line)
{
    return strncmp(line, CSV_BEGIN, sizeof CSV_BEGIN - 1) == 0;
}

/* "conv1;relu1", each up to its end. */
static bool take_names(npart_run *run, char *names, const char *ends)
{
    char *rest = names;
    while (*rest) {
        size_t length = strcspn(rest, ends);
        bool is_last = rest[length] == '\0';
        rest[length] = '\0';
        if (*rest && !npart__run_placed(run, rest, "", QNN))
            return false;
        rest += length + !is_last;
    }
    return true;
}

/* A row of a node: ",NODE,". Without sources its identifier is "conv1:OpId_22 (cycles)", by the node that the operator
 * was made for; inputs and outputs have no such. Only the identifier may hold commas. */
static bool take_row(npart_run *run, char *line, bool has_sources)
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
        return take_names(run, last + 1, ";");
    char *end = strstr(identifier, ":OpId_");
    if (!end)
        return true;
    *end = '\0';
    return take_names(run, identifier, "\n");
}

/* What is not on the NPU has no row, so the file says nothing of the CPU. */
bool npart__read_qnn_profile(npart_run *run, struct npart__stream *input, char *line, size_t bytes)
{
    bool has_sources = strstr(line, SOURCES) != NULL, is_begin = strchr(line, '\n') != NULL, is_read = true;
    run->kind = "qnn-profile";
    run->is_npu_alone = run->was_asked = true;
    while (is_read && npart__stream_line(input, line, bytes)) {
        bool is_next_begin = strchr(line, '\n') != NULL;
        is_read = !is_begin || take_row(run, line, has_sources);
        is_begin = is_next_begin;
    }
    return is_read && (run->nodes.count || npart__run_fail(run, "it has no row of a node (profiling_level detailed)"));
}
