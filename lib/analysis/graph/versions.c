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
#define CHANGED(name, since, attribute) {name, since, attribute},
#include "operator_changes.def"
};

static const struct npart__attribute_move moved[] = {
#define MOVED(op, since, attribute, operand, how) {op, since, attribute, operand, NPART__MOVED_##how},
#include "operator_changes.def"
};

void npart__list_moved(const struct npart__operator *before, const struct npart__operator *after,
                       const struct npart__attribute_move **rows)
{
    int older = before->since < after->since ? before->since : after->since;
    int newer = before->since < after->since ? after->since : before->since;
    uint32_t count = 0;
    for (size_t i = 0; i < NPART__COUNT(moved) && count < NPART__LIMIT_MOVED; i++)
        if (strcmp(moved[i].op, before->name) == 0 && older < moved[i].since && moved[i].since <= newer)
            rows[count++] = &moved[i];
    rows[count] = NULL;
}

const struct npart__attribute_move *npart__move_of(const char *op, const char *attribute)
{
    for (size_t i = 0; i < NPART__COUNT(moved); i++)
        if (strcmp(moved[i].op, op) == 0 && strcmp(moved[i].attribute, attribute) == 0)
            return &moved[i];
    return NULL;
}

static bool is_moved_attribute(const struct npart__attribute_move *const *rows, const char *name, size_t length)
{
    for (; *rows; rows++)
        if (strlen((*rows)->attribute) == length && memcmp((*rows)->attribute, name, length) == 0)
            return true;
    return false;
}

static bool is_moved_operand(const struct npart__attribute_move *const *rows, uint32_t operand)
{
    for (; *rows; rows++)
        if ((*rows)->operand == operand)
            return true;
    return false;
}

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
                             const struct npart__operator *from, const struct npart__operator *to,
                             const struct npart__attribute_move *const *rows)
{
    const char *list = from->attributes, *end = list + strlen(list), *word;
    size_t length;
    while (npart__next_part(&list, end, ' ', &word, &length)) {
        struct npart__attribute_schema old, new;
        size_t name = strcspn(word, "="); /* "name=default" */
        name = name < length ? name : length;
        if (is_moved_attribute(rows, word, name))
            continue;
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
                           const struct npart__operator *after, const struct npart__attribute_move *const *rows)
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
    unsigned moved_to = count;
    while (is_moved_operand(rows, moved_to))
        moved_to++;
    /* The last may stand for any number. */
    bool needs_more = !new.is_variadic && npart__operator_input(after, moved_to, &more) && !more.is_optional;
    return (node->input_count <= moved_to || new.is_variadic) && !needs_more &&
           (!node->output_count || npart__operator_output(after, node->output_count - 1, &more));
}

/* What must be there in the other version: required attributes, and operands that were attributes. */
static bool has_required(const struct npart__graph *graph, const struct npart__node *node,
                         const struct npart__operator *after, const struct npart__attribute_move *const *rows)
{
    const char *at = NULL, *name;
    size_t length;
    struct npart__operand operand;
    while (npart__operator_next_required(after, &at, &name, &length)) {
        const struct npart__attribute_move *const *row = rows;
        while (*row && !is_moved_attribute((const struct npart__attribute_move *const[]){*row, NULL}, name, length))
            row++;
        if (*row ? (*row)->operand >= node->input_count : !gives(graph, node, name, length))
            return false;
    }
    for (; *rows; rows++)
        if ((*rows)->operand != NPART_NONE && npart__operator_input(after, (*rows)->operand, &operand) &&
            !operand.is_optional && !npart__node_attribute(graph, node, (*rows)->attribute))
            return false;
    return true;
}

/* Where the mask was of the data's type it is BOOL since opset 10; and statistics by element instead of channel have no
 * newer form. */
static bool is_movable(const struct npart__graph *graph, const struct npart__node *node,
                       const struct npart__attribute_move *const *rows)
{
    bool has_mask = npart__comes_from(node, NPART__WAY(DROPS)) && node->output_count > 1 &&
                    !npart__has_one_result(graph, node);
    for (; *rows; rows++)
        if (has_mask ||
            (strcmp((*rows)->attribute, "spatial") == 0 && npart__node_int(graph, node, "spatial", 1) != 1))
            return false;
    return true;
}

static bool means(const struct npart__graph *graph, const struct npart__node *node, const struct npart__operator *after,
                  bool moves)
{
    const struct npart__operator *before = node->schema;
    const struct npart__attribute_move *rows[NPART__LIMIT_MOVED + 1] = {NULL};
    if (before == after)
        return true;
    if (!before || !after || (npart__operator_flags(after) & NPART__OPERATOR_DEPRECATED) ||
        is_changed(graph, node, before, after))
        return false;
    if (moves)
        npart__list_moved(before, after, rows);
    return is_movable(graph, node, rows) && has_required(graph, node, after, rows) &&
           keeps_attributes(graph, node, before, after, rows) && keeps_attributes(graph, node, after, before, rows) &&
           keeps_operands(node, before, after, rows);
}

bool npart__means_the_same(const struct npart__graph *graph, const struct npart__node *node,
                           const struct npart__operator *after)
{
    return means(graph, node, after, false);
}

bool npart__can_mean_the_same(const struct npart__graph *graph, const struct npart__node *node,
                              const struct npart__operator *after)
{
    return means(graph, node, after, true);
}
