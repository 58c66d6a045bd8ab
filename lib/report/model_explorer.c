/* SPDX-License-Identifier: Apache-2.0
 *
 * Node data for Google's Model Explorer, which colours the graph that it shows: for each node of the main graph where
 * it runs. Nodes are known by the names of their results, which its adapters for ONNX keep as the tensors' tags. The
 * form: ai-edge-model-explorer, node_data_builder.py, GraphNodeData. It is of one graph, so of one plan.
 */
#include "base/json.h"
#include "report/document.h"

/* One partition beside another has another shade; there may be more than shades. */
static const char *const npu_shades[] = {"#d9efe2", "#b9e0f2", "#e3e9b0", "#c9d6f7", "#c4ece4", "#dcd0f5"};

struct look {
    const char *back, *text;
};

static struct look look_of(const struct npart_node_plan *node)
{
    struct look cpu = {"#fcebd2", "#954c00"}, fail = {"#f9d7da", "#b91c2b"}, unknown = {"#eadcf7", "#7a3cad"};
    struct look gone = {"#f5f6f8", "#5a636e"};
    switch (node->verdict) {
    case NPART_VERDICT_CPU:
        return cpu;
    case NPART_VERDICT_FAIL:
        return fail;
    case NPART_VERDICT_UNKNOWN:
        return unknown;
    case NPART_VERDICT_NPU:
        return (struct look){npu_shades[node->partition % NPART__COUNT(npu_shades)], "#146c3c"};
    default:
        return gone;
    }
}

/* "partition 3", "CPU": groups of nodes are summed up by these words. */
static void add_value(struct npart__buffer *out, const struct npart_node_plan *node)
{
    if (node->verdict == NPART_VERDICT_NPU)
        npart__append_format(out, "partition %u", node->partition);
    else if (node->verdict == NPART_VERDICT_CPU)
        npart__append_text(out, "CPU");
    else
        npart__append_text(out, npart_verdict_text(node->verdict));
}

/* A fused node runs where the one runs that it is part of. */
static void put_node(npart_document *document, const npart_plan *plan, const struct npart_node *node, uint32_t id)
{
    struct npart_value value = {.size = sizeof value};
    struct npart_node_plan planned = {.size = sizeof planned};
    struct npart__buffer word = {.arena = &document->arena};
    bool has_result = node->output_count && node->outputs[0] != NPART_NONE &&
                      npart_inference_value(npart_plan_inference(plan), node->outputs[0], &value) && *value.name;
    if (!has_result || !npart_plan_node(plan, id, &planned))
        return;
    if (planned.verdict == NPART_VERDICT_FUSED && planned.into != NPART_NONE)
        (void)npart_plan_node(plan, planned.into, &planned);
    struct look look = look_of(&planned);
    add_value(&word, &planned);
    npart__json_name(&document->out, value.name);
    npart__json_open(&document->out, NULL, '{');
    npart__json_text(&document->out, "value", npart__buffer_text(&word));
    npart__json_text(&document->out, "bgColor", look.back);
    npart__json_text(&document->out, "textColor", look.text);
    npart__json_close(&document->out, '}');
    npart__buffer_release(&word);
}

static void put_plan(npart_document *document, const npart_plan *plan)
{
    const npart_model *model = npart_inference_model(npart_plan_inference(plan));
    struct npart_plan_info info = {.size = sizeof info};
    struct npart_node node = {.size = sizeof node};
    struct npart__buffer *out = &document->out;
    (void)npart_plan_info(plan, &info);
    npart__append_text(out, "{");
    npart__json_text(out, "name", info.target);
    npart__json_open(out, "results", '{');
    for (uint32_t id = 0; npart_model_node(model, id, &node); id++)
        if (node.graph == 0)
            put_node(document, plan, &node, id);
    npart__json_close(out, '}');
    npart__append_text(out, ",\"showExpandedSummaryOnGroupNode\":true}\n");
}

/* What cannot be read has no nodes. */
static void add(npart_document *document, const struct npart_entry *entry)
{
    struct npart_error error;
    for (size_t i = 0; i < entry->plan_count; i++) {
        if (document->has_head) {
            (void)npart__fail(&error, NPART_ERROR_ARGUMENT, "", "node data is of one model and one target");
            npart__document_fail(document, &error);
            return;
        }
        document->has_head = true;
        put_plan(document, entry->plans[i].plan);
    }
}

static void end(npart_document *document)
{
    if (!document->has_head)
        npart__append_text(&document->out, "{\"results\":{}}\n");
}

const struct npart__writer npart__explorer_writer = {NULL, add, end, NULL};
