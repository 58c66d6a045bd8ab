/* SPDX-License-Identifier: Apache-2.0
 *
 * The tensors of a target in JSON, as its runtime knows them, and which of them a node reads and makes. A tensor's
 * place in the list is the id of its value, so that nothing has to be looked up.
 */
#include "report/report.h"

/* What is no tensor has a word in the place of its element type. NULL, which becomes null, where the type is not
 * known. */
static const char *type_word(const struct npart_value *value)
{
    static const char *const kinds[] = {
        [NPART_VALUE_UNKNOWN] = NULL,          [NPART_VALUE_TENSOR] = NULL, [NPART_VALUE_SPARSE] = NULL,
        [NPART_VALUE_SEQUENCE] = "sequence",   [NPART_VALUE_MAP] = "map",
        [NPART_VALUE_OPTIONAL] = "optional",   [NPART_VALUE_OPAQUE] = "opaque",
    };
    bool is_tensor = value->kind == NPART_VALUE_TENSOR || value->kind == NPART_VALUE_SPARSE;
    return is_tensor ? npart_element_type_text(value->element_type) : kinds[value->kind];
}

/* All values of all graphs, constants included. `constant` is what is known before the model runs at the plan's
 * level, so it may hold for the result of a node. */
void npart__add_json_tensors(struct npart__buffer *out, struct npart__buffer *scratch, const npart_plan *plan)
{
    const npart_inference *view = npart_plan_view(plan);
    struct npart_value value = {.size = sizeof value};
    struct npart_value_plan fate = {.size = sizeof fate};
    NPART__JSON_LIST(out, "tensors", i, npart_inference_value(view, i, &value) && !out->arena->failed) {
        (void)npart_plan_value(plan, i, &fate);
        struct npart__json_tensor at = {.name = value.name, .type = type_word(&value), .constant = fate.is_constant};
        struct npart__object object = npart__open_tensor(out, NULL, &at);
        npart__add_json_dims(out, npart__own(&object, "dims"), scratch, view, i, &value);
        npart__object_close(&object);
    }
}

/* An operand that is left out is null, so that the others keep their places. */
void npart__add_json_operands(struct npart__buffer *out, const struct npart_node *node)
{
    npart__json_ids(out, "inputs", node->inputs, node->input_count);
    npart__json_ids(out, "outputs", node->outputs, node->output_count);
}
