/* SPDX-License-Identifier: Apache-2.0
 *
 * The types and shapes of the main graph's values as JSON, by name (--shapes):
 * {"x":[1,[1,3,224,224]],"y":[1,["batch",1000]]}. The number before a shape is ONNX's for the
 * element type; a size is a number, an expression as text, or null. With the work of nodes (-v)
 * an object follows the shape of what is the first output of a live node.
 */
#include "report/report.h"

/* What is needed of one value after the other. */
struct shapes {
    struct npart__buffer *out; /* of the report */
    struct npart__buffer *scratch; /* what a getter writes */
    const npart_inference *inference;
    bool has_work; /* as NPART_SUBJECT_WORK asks for */
};

/* A size of -1 is none that is known as a number; its text is then "2*sequence + 1", or "" of what has no name. */
static void dim(struct npart__buffer *out, struct npart__buffer *scratch, const npart_inference *inference,
                uint32_t value, uint32_t axis)
{
    int64_t size = npart_inference_dim(inference, value, axis);
    if (size != -1) {
        npart__json_number(out, NULL, size);
        return;
    }
    while (npart__buffer_lacks(scratch, npart_inference_dim_text(inference, value, axis, NPART__ROOM(scratch))))
        continue;
    npart__json_text_or_null(out, NULL, npart__buffer_text(scratch));
}

void npart__add_json_dims(struct npart__buffer *out, const char *key, struct npart__buffer *scratch,
                          const npart_inference *inference, uint32_t id, const struct npart_value *value)
{
    if (!value->has_rank) {
        npart__json_value(out, key, "null");
        return;
    }
    NPART__JSON_LIST(out, key, i, i < value->rank && !out->arena->failed)
        dim(out, scratch, inference, id, i);
}

/* Of the node that makes the value, where this is the first of its results. So a node's work stands once, however
 * many results it has. It fails for want of memory or of a budget alone, as the node is one of the model's. */
static void work(struct shapes *shapes, uint32_t id, uint32_t producer)
{
    struct npart_work at = {.size = sizeof at};
    struct npart_node node = {.size = sizeof node};
    bool is_first = shapes->has_work && producer != NPART_NONE &&
                    npart_model_node(npart_inference_model(shapes->inference), producer, &node) &&
                    node.output_count && node.outputs[0] == id;
    if (!is_first)
        return;
    shapes->out->arena->failed |= npart_inference_work(shapes->inference, producer, &at, NULL) != NPART_OK;
    if (!shapes->out->arena->failed)
        npart__put_work(shapes->out, NULL, &at);
}

/* What is no tensor has a word in the place of its shape. "[1,[1,3,224,224]]" of float32, "[7,null]" of an int64
 * tensor of unknown rank, "null" where not even the element type is known. */
static void shape(struct shapes *shapes, uint32_t id, const struct npart_value *value)
{
    static const char *const kinds[] = {
        [NPART_VALUE_UNKNOWN] = "null",
        [NPART_VALUE_TENSOR] = "null",
        [NPART_VALUE_SPARSE] = "null",
        [NPART_VALUE_SEQUENCE] = "[\"sequence\",null]",
        [NPART_VALUE_MAP] = "[\"map\",null]",
        [NPART_VALUE_OPTIONAL] = "[\"optional\",null]",
        [NPART_VALUE_OPAQUE] = "null",
    };
    bool is_tensor = value->kind == NPART_VALUE_TENSOR || value->kind == NPART_VALUE_SPARSE;
    if (!is_tensor || !value->element_type) {
        npart__json_value(shapes->out, NULL, kinds[value->kind]);
        return;
    }
    npart__json_open(shapes->out, NULL, '[');
    npart__json_number(shapes->out, NULL, value->element_type);
    npart__add_json_dims(shapes->out, NULL, shapes->scratch, shapes->inference, id, value);
    work(shapes, id, value->producer);
    npart__json_close(shapes->out, ']');
}

/* Of the main graph: its inputs, and what its nodes make, under the names that the file gives them. Values in the
 * order of their ids. Initializers are not told, unless they are inputs of the graph, too. */
static void all_shapes(struct shapes *shapes, const npart_model *model)
{
    struct npart_model_info info = {.size = sizeof info};
    struct npart_graph graph = {.size = sizeof graph};
    (void)npart_model_info(model, &info);
    (void)npart_model_graph(model, 0, &graph);
    bool *is_input = npart__arena_zeroed(shapes->out->arena, info.value_count + (size_t)1, sizeof *is_input);
    for (uint32_t i = 0; is_input && i < graph.input_count; i++)
        is_input[graph.inputs[i]] = true;
    npart__json_open(shapes->out, NULL, '{');
    for (uint32_t i = 0; is_input && i < info.value_count && !shapes->out->arena->failed; i++) {
        struct npart_value value = {.size = sizeof value};
        (void)npart_inference_value(shapes->inference, i, &value);
        if (!is_input[i] && (value.graph != 0 || value.source != NPART_SOURCE_NODE))
            continue;
        npart__json_name(shapes->out, value.name);
        shape(shapes, i, &value);
    }
    npart__append_text(shapes->out, "}\n");
}

void npart__shapes_json(struct npart__report *report)
{
    struct shapes shapes = {.out = &report->out,
                            .scratch = &report->scratch,
                            .inference = report->subject->inference,
                            .has_work = report->subject->kind == NPART_SUBJECT_WORK};
    all_shapes(&shapes, npart_inference_model(shapes.inference));
}
