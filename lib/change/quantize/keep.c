/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes that are not quantized: those that a list names, by their names, operators, patterns of these, or kinds.
 */
#include "quantize/internal.h"

enum where { EVERY, SCORES, FIRST, LAST, SUM, PROJECTION, TAIL, GROUPS };

/* What is kept, by its name; or which way is tried first with a model, by its inputs. */
static const struct kind {
    const char *name, *ops;
    uint8_t where; /* enum where */
    bool is_auto;
    const char *about, *source;
} kinds[] = {
#define NPART__KEPT_KIND(name, ops, where, is_auto, about, source) {name, ops, where, is_auto, about, source},
#include "quantize/kinds.def"
#undef NPART__KEPT_KIND
}, models[] = {
#define NPART__MODEL_KIND(ops, where, inputs, about, source) {inputs, ops, where, false, about, source},
#include "quantize/kinds.def"
#undef NPART__MODEL_KIND
};

const char *npart_kept_kind(uint32_t index, const char **about, const char **source)
{
    const struct kind *kind = index < NPART__COUNT(kinds) ? &kinds[index] : NULL;
    if (about && kind)
        *about = kind->about;
    if (source && kind)
        *source = kind->source;
    return kind ? kind->name : NULL;
}

enum { ONE = 1, BEFORE = 2, AFTER = 4 };

/* What a kind is looked for in: the nodes of the main graph, in an order in which they can run. */
struct look {
    struct npart__quantizer *quantizer;
    const struct npart__graph *graph;
    const uint32_t *order;
    uint32_t count;
    uint8_t *seen; /* by node: it is one of the operators at hand, one of these stands before it, after it */
    bool *marks;   /* by node: what is kept */
};

/* Whether it says a constant, or scores, otherwise. */
static bool turns(const struct npart__graph *graph, const struct npart__node *node)
{
    uint64_t ways = NPART__WAYS_SAME | NPART__WAYS_VIEW | NPART__WAY(CASTS) | NPART__WAY(TRANSPOSE);
    return npart__comes_from(node, ways) || npart__node_plays(graph, node, NPART__ROLE_DEQUANTIZES);
}

/* Also through what only says a constant otherwise. */
static bool is_constant(const struct npart__graph *graph, uint32_t value)
{
    while (value != NPART_NONE) {
        const struct npart__value *at = npart__value_at(graph, value);
        const struct npart__node *maker = at->producer == NPART_NONE ? NULL : npart__node_at(graph, at->producer);
        if (!maker || npart__node_plays(graph, maker, NPART__ROLE_CONSTANT))
            return at->kind == NPART__VALUE_INITIALIZER || maker;
        if (!turns(graph, maker))
            return false;
        value = npart__node_input(graph, maker, 0);
    }
    return true;
}

static bool is_float(const struct look *look, uint32_t value)
{
    return npart__is_quantizable(&look->quantizer->tensors[npart__value_at(look->graph, value)->name]);
}

static void keep(const struct look *look, uint32_t node)
{
    if (npart__node_at(look->graph, node)->scope == 0)
        look->marks[node] = true;
}

/* Which of the nodes have one of those at hand before them; back: after them. */
static void look_along(const struct look *look, bool back)
{
    for (uint32_t i = 0; i < look->count; i++) {
        uint32_t at = look->order[back ? look->count - 1 - i : i];
        const struct npart__node *node = npart__node_at(look->graph, at);
        for (uint32_t k = 0; k < npart__use_count(look->graph, node); k++) {
            uint32_t maker = npart__producer(look->graph, npart__node_use(look->graph, node, k));
            uint8_t side = back ? AFTER : BEFORE;
            if (maker != NPART_NONE && look->seen[back ? at : maker] & (ONE | side))
                look->seen[back ? maker : at] |= side;
        }
    }
}

/* Projections: from products of two computed operands, and operators of attention, back to the next products. */
static void keep_projections(const struct look *look, const char *ops)
{
    const struct npart__graph *graph = look->graph;
    for (uint32_t i = look->count; i-- > 0;) {
        const struct npart__node *node = npart__node_at(graph, look->order[i]);
        bool is_read = look->seen[look->order[i]] & AFTER;
        bool has_constant = is_constant(graph, npart__node_input(graph, node, 0)) ||
                            is_constant(graph, npart__node_input(graph, node, 1));
        bool ends = npart__node_plays(graph, node, NPART__ROLE_ATTENDS) ||
                    (npart__comes_from(node, NPART__WAY(MATMUL)) && !has_constant);
        bool is_last = npart__lists_word(ops, npart__node_op(graph, node)) && has_constant;
        if (is_last && is_read)
            keep(look, look->order[i]);
        for (uint32_t k = 0; !is_last && (ends || is_read) && k < node->input_count; k++) {
            uint32_t value = npart__node_input(graph, node, k), maker = npart__producer(graph, value);
            if (maker != NPART_NONE && is_float(look, value))
                look->seen[maker] |= AFTER;
        }
    }
}

/* Back from an operator that normalizes, through what only changes scores, to the product that made them. */
static void keep_scores(const struct look *look, uint32_t node)
{
    for (bool goes_on = true; goes_on;) {
        const struct npart__node *at = npart__node_at(look->graph, node);
        keep(look, node);
        goes_on = false;
        for (uint32_t k = 0; k < at->input_count && !goes_on; k++) {
            uint32_t value = npart__node_input(look->graph, at, k), maker = npart__producer(look->graph, value);
            goes_on = npart__plays(look->graph, maker, NPART__ROLE_MASKS) && is_float(look, value);
            node = goes_on ? maker : node;
        }
    }
}

/* A sum with what goes round something. */
static bool is_skip_sum(const struct look *look, const struct npart__node *node)
{
    bool is_shared = false;
    for (uint32_t k = 0; k < 2; k++) {
        uint32_t value = npart__node_input(look->graph, node, k);
        if (is_constant(look->graph, value) || !is_float(look, value))
            return false;
        is_shared |= npart__value_at(look->graph, value)->consumer_count > 1;
    }
    return is_shared;
}

static const struct npart__tensor *weight_of(const struct npart__graph *graph, const struct npart__node *node)
{
    uint32_t weight = npart__node_input(graph, node, 1);
    return weight == NPART_NONE ? NULL : npart__value_at(graph, weight)->tensor;
}

static void keep_kind(const struct look *look, const struct kind *kind)
{
    uint8_t where = kind->where;
    memset(look->seen, 0, look->graph->nodes.count);
    if (where == PROJECTION) {
        keep_projections(look, kind->ops);
        return;
    }
    for (uint32_t i = 0; i < look->count; i++) {
        const struct npart__node *node = npart__node_at(look->graph, look->order[i]);
        const struct npart__tensor *weight = weight_of(look->graph, node);
        look->seen[look->order[i]] = npart__lists_word(kind->ops, npart__node_op(look->graph, node)) &&
                                     (where != TAIL || (weight && weight->rank == 3));
    }
    look_along(look, false);
    look_along(look, true);
    for (uint32_t i = 0; i < look->count; i++) {
        uint32_t at = look->order[i];
        uint8_t seen = look->seen[at];
        if (where == TAIL ? !(seen & (ONE | BEFORE)) || seen & AFTER
                          : !(seen & ONE) || (where == FIRST && seen & BEFORE) || (where == LAST && seen & AFTER) ||
                                (where == SUM && !is_skip_sum(look, npart__node_at(look->graph, at))))
            continue;
        if (where == SCORES)
            keep_scores(look, at);
        else
            keep(look, at);
    }
}

/* ---- what is asked for ------------------------------------------------------------------------------------------- */

static bool keep_named(struct npart__quantizer *quantizer, bool *marks, const char *pattern, size_t length)
{
    bool is_found = false;
    for (size_t i = 0; i < quantizer->main->n_node; i++) {
        const Onnx__NodeProto *node = quantizer->main->node[i];
        bool is_this = npart__fits_pattern(pattern, length, node->op_type) ||
                       (node->name && npart__fits_pattern(pattern, length, node->name)) ||
                       (node->n_output && npart__fits_pattern(pattern, length, node->output[0]));
        marks[i] |= is_this;
        is_found |= is_this;
    }
    return is_found;
}

/* An operator that the model lacks is no mistake where many models are asked. */
static npart_status fail_name(const struct npart__quantizer *quantizer, const char *name, size_t length,
                              struct npart_error *error)
{
    char hint[NPART__HINT_BYTES];
    const char *text = npart__arena_copy_text(quantizer->arena, name, length);
    struct npart__nearest nearest;
    if (!text)
        return npart__fail_memory(error);
    if (memchr(name, '*', length) || memchr(name, '?', length) || npart__operator_find("", text, 1000))
        return NPART_OK;
    npart__nearest_init(&nearest, name, length);
    for (size_t i = 0; i < NPART__COUNT(kinds); i++)
        npart__nearest_offer(&nearest, kinds[i].name);
    for (size_t i = 0; i < quantizer->main->n_node; i++)
        npart__nearest_offer(&nearest, quantizer->main->node[i]->name ? quantizer->main->node[i]->name : "");
    return npart__fail(error, NPART_ERROR_ARGUMENT, text, "no node has this name, and nothing that may be kept%s",
                       npart__nearest_hint(&nearest, hint, sizeof hint));
}

const char *npart__find_kept(const char *text)
{
    const char *at = strstr(text, NPART__KEEP), *other = strstr(text, NPART__KEEP_16);
    at = at && (!other || at < other) ? at : other;
    return at ? at : text + strlen(text);
}

const char *npart__next_kept(const char *at, size_t *length, bool *is_16)
{
    if (!at || !*at)
        return NULL;
    *is_16 = strncmp(at, NPART__KEEP_16, strlen(NPART__KEEP_16)) == 0;
    at += strlen(*is_16 ? NPART__KEEP_16 : NPART__KEEP);
    *length = (size_t)(npart__find_kept(at) - at);
    return at;
}

/* Weights that lose too much in 4 bits get 8; those that lose too much in these stay, with the nodes that have them.
 * A table that is looked up has the bits of activations where these are more. */
static void hold_weights(struct npart__quantizer *quantizer)
{
    const struct npart__quantized_format *format = quantizer->format;
    enum npart__rounding rounding = NPART__ROUND_FLOAT16;
    bool may_widen = npart__type_is_integer(format->weight_type) && npart__type_bits(format->weight_type) == 4;
    bool has_tables = npart__type_bits(format->activation_type) != 16;
    bool is_matrices = format->kind == NPART__FORMAT_WEIGHTS;
    (void)npart__rounding_of(format, &rounding);
    for (uint32_t i = 0; i < format->weights->items.count; i++) {
        const struct npart_weight_loss *weight = &format->weights->items.items[i];
        struct npart__quantized *tensor = npart__quantized_at(quantizer, weight->name);
        uint8_t from = npart__operator_traits("", weight->op)->elements;
        if (!tensor || !tensor->initializer || (!has_tables && from == NPART__ELEMENTS_GATHER) ||
            (is_matrices && from != NPART__ELEMENTS_MATMUL) || weight->decibels[rounding] >= format->least_decibels)
            continue;
        tensor->is_wide = may_widen && weight->decibels[NPART__ROUND_INT8_CHANNEL] >= format->least_decibels;
        tensor->stays = !tensor->is_wide;
    }
    for (size_t i = 0; i < quantizer->main->n_node; i++)
        for (size_t k = 0; k < quantizer->main->node[i]->n_input; k++) {
            const struct npart__quantized *tensor = npart__quantized_at(quantizer, quantizer->main->node[i]->input[k]);
            quantizer->is_kept[i] |= tensor && tensor->stays;
        }
}

npart_status npart__quantizer_keep(struct npart__quantizer *quantizer, struct npart_error *error)
{
    const char *at = quantizer->format->kept;
    const struct npart__graph *graph = quantizer->graph;
    const struct npart__scope *main = npart__scope_at(graph, 0);
    size_t nodes = graph->nodes.count + (size_t)1, length;
    bool *marks = npart__arena_zeroed(quantizer->arena, 3 * nodes, sizeof *marks);
    if (!marks)
        return npart__fail_memory(error);
    quantizer->is_kept = marks;
    quantizer->is_16 = marks + nodes;
    struct look look = {.quantizer = quantizer, .graph = graph, .order = graph->order + main->first_order,
                        .count = main->order_count, .seen = (uint8_t *)(marks + 2 * nodes)};
    for (bool is_16; (at = npart__next_kept(at, &length, &is_16)); at += length) {
        look.marks = is_16 ? quantizer->is_16 : quantizer->is_kept;
        bool is_auto = npart__is_text("auto", at, length), is_kind = is_auto;
        for (size_t i = 0; i < NPART__COUNT(kinds); i++) {
            bool is_this = npart__is_text(kinds[i].name, at, length);
            is_kind |= is_this;
            if (is_this || (is_auto && kinds[i].is_auto))
                keep_kind(&look, &kinds[i]);
        }
        if (length && !is_kind && !keep_named(quantizer, look.marks, at, length)) {
            npart_status status = fail_name(quantizer, at, length, error);
            if (status != NPART_OK)
                return status;
        }
    }
    if (quantizer->format->weights)
        hold_weights(quantizer);
    return NPART_OK;
}

/* ---- kinds of models --------------------------------------------------------------------------------------------- */

/* Of what is multiplied with something computed, as it is or turned. */
static bool makes_scores(const struct npart__graph *graph, const struct npart__node *node)
{
    for (const struct npart__node *next = node; next;) {
        uint32_t users;
        const uint32_t *user = npart__user_kinds(graph, npart__node_output(graph, next, 0), &users);
        next = NULL;
        for (uint32_t i = 0; i < users; i++) {
            const struct npart__node *at = user[i] == NPART_NONE ? NULL : npart__node_at(graph, user[i]);
            if (at && npart__comes_from(at, NPART__WAY(MATMUL)) && !is_constant(graph, npart__node_input(graph, at, 1)))
                return true;
            next = at && at->output_count && turns(graph, at) ? at : next;
        }
    }
    return false;
}

static bool is_of_kind(const struct npart__graph *graph, const struct npart__node *node, const struct kind *kind)
{
    const struct npart__tensor *weight = weight_of(graph, node);
    if (!npart__lists_word(kind->ops, npart__node_op(graph, node)))
        return false;
    return kind->where == TAIL     ? weight && weight->rank == 3
           : kind->where == SCORES ? makes_scores(graph, node)
           : kind->where == GROUPS ? weight && weight->rank > 1 && weight->dims[1] == 1 && weight->dims[0] > 1 &&
                                         npart__node_int(graph, node, "group", 1) > 1
                                   : true;
}

static bool has_input(const struct npart__graph *graph, const char *patterns)
{
    const struct npart__scope *main = npart__scope_at(graph, 0);
    for (const char *at = patterns; *at; at += strcspn(at, " "), at += *at == ' ')
        for (uint32_t i = 0; i < main->input_count; i++)
            if (npart__fits_pattern(at, strcspn(at, " "),
                                    npart__value_name(graph, graph->operands.items[main->first_input + i])))
                return true;
    return !*patterns;
}

const char *npart__quantize_first(const struct npart__graph *graph, const char **source)
{
    for (const struct kind *kind = models; kind < models + NPART__COUNT(models); kind++)
        for (uint32_t i = 0; has_input(graph, kind->name) && i < npart__model_nodes(graph); i++)
            if (is_of_kind(graph, npart__node_at(graph, i), kind)) {
                if (source)
                    *source = kind->source;
                return kind->about;
            }
    return NULL;
}
