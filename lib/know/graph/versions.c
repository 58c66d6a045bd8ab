/* SPDX-License-Identifier: Apache-2.0
 *
 * What a node means by another version of its operator.
 */
#include "graph/graph.h"

/* Operators that mean something else from a version on, though all that a node says of one may be said of the other;
 * with an attribute only nodes that give it another value than 0. From the changelog of ONNX's operators. */
static const struct {
    const char *name;
    int since;
    const char *attribute; /* NULL: all nodes */
} changed[] = {
    {"Resize", 11, NULL},             /* where the middle of a pixel is */
    {"RoiAlign", 16, NULL},           /* the same */
    {"Split", 18, NULL},              /* parts have to be said */
    {"AveragePool", 19, NULL},        /* ONNX Runtime has another kernel, which rounds otherwise */
    {"GroupNormalization", 21, NULL}, /* a scale by channel, not by group */
    {"AveragePool", 22, "ceil_mode"}, {"LpPool", 22, "ceil_mode"}, {"MaxPool", 22, "ceil_mode"}, /* sizes of results */
};

static bool is_changed(const struct npart__graph *graph, const struct npart__node *node,
                       const struct npart__operator *before, const struct npart__operator *after)
{
    int older = before->since < after->since ? before->since : after->since;
    int newer = before->since < after->since ? after->since : before->since;
    for (size_t i = 0; i < NPART__COUNT(changed); i++)
        if (strcmp(changed[i].name, before->name) == 0 && older < changed[i].since && changed[i].since <= newer &&
            (!changed[i].attribute || npart__node_int(graph, node, changed[i].attribute, 0) != 0))
            return true;
    return false;
}

static bool gives(const struct npart__graph *graph, const struct npart__node *node, const char *name, size_t length)
{
    char text[64];
    if (length >= sizeof text)
        return true; /* no attribute of a schema is as long */
    memcpy(text, name, length);
    text[length] = '\0';
    return npart__node_attribute(graph, node, text) != NULL;
}

/* Of one version's attributes those that the other has otherwise. A default that changed changes results without a
 * word. One that the other lacks must not be given; where it then has a default, that has to be what the other does by
 * itself, which ONNX promises of attributes that are added, and not of those that are taken away. */
static bool keeps_attributes(const struct npart__graph *graph, const struct npart__node *node,
                             const struct npart__operator *from, const struct npart__operator *to)
{
    const char *list = from->attributes, *end = list + strlen(list), *word;
    size_t length;
    while (npart__next_part(&list, end, ' ', &word, &length)) {
        struct npart__attribute_schema old, new;
        size_t name = strcspn(word, "="); /* "name=default" */
        name = name < length ? name : length;
        if (!npart__operator_attribute(from, word, name, &old))
            return false;
        if (!npart__operator_attribute(to, word, name, &new)) {
            if (gives(graph, node, word, name) || (old.default_text && from->since < to->since))
                return false;
            continue;
        }
        bool is_same = old.kind == new.kind && !old.default_text == !new.default_text &&
                       old.default_length == new.default_length &&
                       (!old.default_text || memcmp(old.default_text, new.default_text, old.default_length) == 0);
        if (!is_same)
            return false;
    }
    return true;
}

static unsigned count_operands(const struct npart__operator *op)
{
    struct npart__operand operand = {.name = ""};
    unsigned count = 0;
    while (!operand.is_variadic && npart__operator_input(op, count, &operand))
        count++;
    return count;
}

/* Names are compared only where there are other operands: Resize got one between the two that it had, while
 * BatchNormalization has them under other names. */
static bool keeps_operands(const struct npart__node *node, const struct npart__operator *before,
                           const struct npart__operator *after)
{
    struct npart__operand old = {.name = ""}, new = {.name = ""}, more;
    unsigned count = 0;
    bool are_as_many = count_operands(before) == count_operands(after);
    while (!old.is_variadic && !new.is_variadic && npart__operator_input(before, count, &old) &&
           npart__operator_input(after, count, &new)) {
        bool has_name = old.name_length == new.name_length && memcmp(old.name, new.name, old.name_length) == 0;
        if (old.is_variadic != new.is_variadic || (!are_as_many && !has_name) ||
            (count >= node->input_count && !new.is_optional && !new.is_variadic))
            return false;
        count++;
    }
    /* The last may stand for any number. */
    bool needs_more = !new.is_variadic && npart__operator_input(after, count, &more) && !more.is_optional;
    return (node->input_count <= count || new.is_variadic) && !needs_more &&
           (!node->output_count || npart__operator_output(after, node->output_count - 1, &more));
}

bool npart__means_the_same(const struct npart__graph *graph, const struct npart__node *node,
                           const struct npart__operator *after)
{
    const struct npart__operator *before = node->schema;
    const char *at = NULL, *name;
    size_t length;
    if (before == after)
        return true;
    if (!before || !after || (npart__operator_flags(after) & NPART__OPERATOR_DEPRECATED) ||
        is_changed(graph, node, before, after))
        return false;
    while (npart__operator_next_required(after, &at, &name, &length))
        if (!gives(graph, node, name, length))
            return false;
    return keeps_attributes(graph, node, before, after) && keeps_attributes(graph, node, after, before) &&
           keeps_operands(node, before, after);
}
