/* SPDX-License-Identifier: Apache-2.0
 *
 * manifest.json: the parts in their order, and which tensor goes where (docs/split.md).
 */
#include "split/internal.h"

static void append_string(struct npart__buffer *buffer, const char *text)
{
    size_t rest = strlen(text);
    npart__append_text(buffer, "\"");
    for (size_t taken; rest; text += taken, rest -= taken) {
        char shown[NPART__PLAIN_BYTES];
        size_t length;
        taken = npart__next_json(text, rest, shown, &length);
        npart__append(buffer, shown, length);
    }
    npart__append_text(buffer, "\"");
}

/* Null and not -1 or "?" for a dim without a name: -1 might be computed with, and "?" might be some model's own
 * name. */
void npart__split_append_shape(struct npart__splitting *splitting, const struct npart__fact *fact,
                               struct npart__buffer *buffer)
{
    const struct npart__expressions *pool = &splitting->inference->expressions;
    npart__append_text(buffer, "[");
    for (uint32_t i = 0; i < fact->rank; i++) {
        npart__append_text(buffer, i ? ", " : "");
        if (npart__is_number(fact->dims[i])) {
            npart__append_int64(buffer, fact->dims[i]);
        } else if (npart__is_named(pool, fact->dims[i])) {
            struct npart__buffer text;
            npart__buffer_init(&text, splitting->arena);
            npart__append_dim(&text, pool, fact->dims[i]);
            append_string(buffer, npart__buffer_text(&text));
            buffer->failed |= text.failed;
        } else {
            npart__append_text(buffer, "null");
        }
    }
    npart__append_text(buffer, "]");
}

/* "name", "type", "shape" and "bytes" of a tensor. */
static void append_tensor(struct npart__splitting *splitting, uint32_t name, struct npart__buffer *buffer)
{
    /* Null where a number is not known: whoever allocates buffers by it must not take a guess for a size. */
    const struct npart__fact *fact = npart__split_fact(splitting, name);
    uint64_t elements, bytes = UINT64_MAX;
    npart__append_text(buffer, "{\"name\": ");
    append_string(buffer, npart__text(&splitting->strings, name));
    if (!fact || fact->kind != NPART__TYPE_TENSOR) {
        npart__append_text(buffer, ", \"type\": null, \"shape\": null, \"bytes\": null");
        return;
    }
    npart__append_format(buffer, ", \"type\": \"%s\", \"shape\": ", npart__type_name(fact->element_type));
    if (fact->has_rank)
        npart__split_append_shape(splitting, fact, buffer);
    else
        npart__append_text(buffer, "null");
    if (npart__static_elements(fact, &elements))
        bytes = npart__type_bytes(fact->element_type, elements);
    if (bytes != UINT64_MAX)
        npart__append_format(buffer, ", \"bytes\": %llu", (unsigned long long)bytes);
    else
        npart__append_text(buffer, ", \"bytes\": null");
}

/* The part that makes a name; NPART_NONE: an input of the model, or the part at hand has it as a constant. Of a
 * copied or known unit `part` is only what it depends on; its name is then never among a part's inputs. */
static uint32_t made_by(const struct npart__splitting *splitting, uint32_t name)
{
    uint32_t unit = splitting->names.items[name].unit;
    return unit == NPART_NONE ? NPART_NONE : splitting->units[unit].part;
}

/* Tensors that have to be handed in: of earlier parts, or of the model. */
static void append_inputs(struct npart__splitting *splitting, const struct npart__split_part *part,
                          struct npart__buffer *buffer)
{
    const char *separator = "";
    npart__append_text(buffer, ", \"inputs\": [");
    for (uint32_t i = 0; i < part->inputs.count; i++) {
        uint32_t from = made_by(splitting, part->inputs.items[i]);
        const struct npart__named *named = &splitting->names.items[part->inputs.items[i]];
        if (named->initializer != NPART_NONE || named->sparse != NPART_NONE) /* it need not be given */
            continue;
        npart__append_text(buffer, separator);
        separator = ", ";
        append_tensor(splitting, part->inputs.items[i], buffer);
        if (from == NPART_NONE)
            npart__append_text(buffer, ", \"from\": null}");
        else
            npart__append_format(buffer, ", \"from\": %u}", (unsigned)from);
    }
    npart__append_text(buffer, "]");
}

/* Tensors that later parts or the caller take. What only this part uses is not among them. */
static void append_outputs(struct npart__splitting *splitting, const struct npart__split_part *part,
                           struct npart__buffer *buffer)
{
    npart__append_text(buffer, ", \"outputs\": [");
    for (uint32_t i = 0; i < part->outputs.count; i++) {
        npart__append_text(buffer, i ? ", " : "");
        append_tensor(splitting, part->outputs.items[i], buffer);
        npart__append_text(buffer, "}");
    }
    npart__append_text(buffer, "]");
}

/* "partition" is the number that reports of the plan have for it. */
static void append_part(struct npart__splitting *splitting, uint32_t index, struct npart__buffer *buffer)
{
    const struct npart__split_part *part = &splitting->parts.items[index];
    bool is_cpu = part->device == NPART_NONE;
    npart__append_format(buffer, "%s\n  {\"order\": %u, \"device\": \"%s\", \"partition\": ", index ? "," : "",
                         (unsigned)index, is_cpu ? "cpu" : "npu");
    if (is_cpu)
        npart__append_text(buffer, "null");
    else
        npart__append_format(buffer, "%u", (unsigned)part->device);
    npart__append_text(buffer, ", \"file\": ");
    append_string(buffer, part->file);
    npart__append_format(buffer, ", \"nodes\": %u", (unsigned)part->units.count);
    append_inputs(splitting, part, buffer);
    append_outputs(splitting, part, buffer);
    npart__append_text(buffer, "}");
}

/* The model's own outputs: the part that has each, or null for one that is an input of the model. is_marked says
 * that some part has it among its outputs: add_outputs leaves out those that are inputs of the model. */
static void append_results(struct npart__splitting *splitting, struct npart__buffer *buffer)
{
    const Onnx__GraphProto *graph = splitting->model->graph;
    npart__append_text(buffer, "\n ], \"outputs\": [");
    for (size_t i = 0; i < graph->n_output; i++) {
        const char *text = graph->output[i]->name ? graph->output[i]->name : "";
        uint32_t name = npart__strings_find_text(&splitting->strings, text);
        npart__append_text(buffer, i ? ", {\"name\": " : "{\"name\": ");
        append_string(buffer, text);
        if (name == NPART_NONE || !splitting->names.items[name].is_marked) {
            npart__append_text(buffer, ", \"from\": null}");
            continue;
        }
        uint32_t from = made_by(splitting, name);
        /* Constants alone: the first part (add_outputs). */
        npart__append_format(buffer, ", \"from\": %u}", from == NPART_NONE ? 0 : (unsigned)from);
    }
    npart__append_text(buffer, "]}\n");
}

bool npart__split_manifest(struct npart__splitting *splitting, struct npart__buffer *buffer)
{
    /* No time and no version in it: the same file, plan and path give the same bytes. */
    const struct npart__plan *plan = splitting->request->plan;
    npart__append_text(buffer, "{\"schema\": 1, \"model\": ");
    append_string(buffer, splitting->request->path);
    npart__append_text(buffer, ", \"target\": ");
    append_string(buffer, plan->target.oplist->name);
    npart__append_text(buffer, ", \"variant\": ");
    append_string(buffer, plan->target.variant_text ? plan->target.variant_text : "");
    npart__append_text(buffer, ", \"parts\": [");
    for (uint32_t i = 0; i < splitting->parts.count; i++)
        append_part(splitting, i, buffer);
    append_results(splitting, buffer);
    return npart__made_text(buffer) != NULL;
}
