/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions of rewrites that are data, at a site: names, constants, new nodes. Each is gone through twice, first as
 * a trial. Something that cannot be told (a type, a number, a condition) makes the form one that does not apply.
 */
#include <math.h>

#include "rewrite/axes.h"
#include "rewrite/put.h"

#define MOST_OPERANDS 32u /* of one new node; arrays on the stack are as long */
#define MOST_SCALARS 16u /* further ones may be there twice */

/* One going through of a form. It lives on the stack for one trial or one making, so that nothing of a trial is
 * left over. */
struct maker {
    const struct npart__putting *putting; /* what is put, and where */
    struct npart__site *site;
    const struct npart__oplist *oplist; /* of the target: parts, terms and attributes are indices into its arrays */
    struct npart__put_value made[NPART__LIMIT_MAKES][NPART__LIMIT_PUTS]; /* results by `make` line, once it was made */
    bool is_made[NPART__LIMIT_MAKES];
    struct npart__put_value scalars[MOST_SCALARS]; /* constants of one number, each made once */
    double scalar_numbers[MOST_SCALARS]; /* by scalar; compared bit by bit, so 0 and -0 are two */
    uint32_t scalar_count;
    bool rounds_to_float; /* of the numbers that are calculated */
};

static const struct npart__put_value nothing = {NULL, 0}; /* which makes the form one that does not apply */

static struct npart__put_value put(struct maker *maker, uint32_t part, uint32_t results, struct npart__put_value *all);

/* ---- the match --------------------------------------------------------------------------------------------- */

/* The node of a let, or the last one. NPART_NONE for a name that no node of the match stands for: such a name is
 * of a value. */
static uint32_t node_of(const struct maker *maker, uint32_t name)
{
    return name == NPART__ROOT_NAME ? maker->putting->match->root : maker->putting->match->makers[name];
}

/* A value of the match, which is there already. */
static struct npart__put_value named(const struct maker *maker, uint32_t value)
{
    return (struct npart__put_value){npart__site_name(maker->site, value), npart__site_type(maker->site, value)};
}

/* Expressions ask as rules do, so a name means the same in both. */
static struct npart__trial trial_of(const struct maker *maker, uint32_t node)
{
    struct npart__trial trial;
    npart__trial_init(&trial, maker->putting->target, maker->putting->session, node);
    trial.names = maker->putting->match->values;
    trial.rounds_to_float = maker->rounds_to_float;
    return trial;
}

/* A name, a result of a node, or an operand of one, which may be absent; of a selector that means several operands
 * the first. */
static uint32_t value_of(const struct maker *maker, const struct npart__put_part *part)
{
    uint32_t node = node_of(maker, part->name);
    if (part->kind == NPART__PUT_OPERAND) {
        struct npart__trial trial = trial_of(maker, node);
        return npart__operand_at(&trial, npart__select_operands(&trial, part->selector), 0);
    }
    return node == NPART_NONE ? maker->putting->match->values[part->name]
                              : npart__node_output(maker->site->graph, npart__node_at(maker->site->graph, node),
                                                   part->output);
}

/* ---- numbers ----------------------------------------------------------------------------------------------- */

/* What a term is at the site; false where it is not known, or no number where one is needed. A type is a number
 * here: the attribute `to` of a Cast is one. */
static bool answer_at(const struct maker *maker, uint32_t term, bool needs_number, uint32_t element,
                      struct npart__answer *out)
{
    struct npart__trial trial = trial_of(maker, maker->putting->match->root);
    *out = npart__answer_of(&trial, term, (struct npart__place){0, element});
    bool is_number = out->kind == NPART__ANSWER_NUMBER || out->kind == NPART__ANSWER_TYPE;
    /* A word such as float16 in the place of a number. */
    if (out->kind == NPART__ANSWER_WORD && out->number) /* names a type */
        is_number = true;
    if (out->kind == NPART__ANSWER_TYPE || (out->kind == NPART__ANSWER_WORD && is_number)) {
        out->is_real = false;
        out->real = (double)out->number;
    }
    return is_number || (out->kind == NPART__ANSWER_WORD && !needs_number);
}

static bool answer(const struct maker *maker, uint32_t term, bool needs_number, struct npart__answer *out)
{
    return answer_at(maker, term, needs_number, 0, out);
}

struct numbers {
    struct NPART__ARRAY(double) reals;
    struct NPART__ARRAY(int64_t) whole; /* the same, exactly */
    bool are_whole; /* none has a fraction */
};

/* A list in a row of numbers is all its elements, which may be none: dims past the last axis. */
static bool add_answers(const struct maker *maker, uint32_t term, struct numbers *out)
{
    struct npart__trial trial = trial_of(maker, maker->putting->match->root);
    uint32_t count = npart__is_empty_list(&trial, term, 0) ? 0 : npart__element_count(&trial, term, 0);
    for (uint32_t i = 0; i < count; i++) {
        struct npart__answer found;
        if (!answer_at(maker, term, true, i, &found))
            return false;
        maker->site->failed |= !NPART__PUSH(maker->site->arena, &out->reals, found.real) ||
                               !NPART__PUSH(maker->site->arena, &out->whole, found.is_real ? 0 : found.number);
        out->are_whole &= !found.is_real;
    }
    return !maker->site->failed;
}

/* All numbers of a constant or attribute. */
static bool answers(const struct maker *maker, uint32_t first, uint32_t count, struct numbers *out)
{
    *out = (struct numbers){.are_whole = true};
    for (uint32_t i = 0; i < count; i++)
        if (!add_answers(maker, maker->oplist->put_numbers.items[first + i], out))
            return false;
    return true;
}

/* A fraction is no number of an integer type. Scalars are made once a form: patterns write `0 of x` in several
 * places, and the file should have one. */
static struct npart__put_value put_numbers(struct maker *maker, const struct npart__put_part *part)
{
    struct npart__put_value made = {"", part->element_type};
    struct numbers numbers;
    /* `0 of x` has the type of x. */
    if (!made.element_type)
        made.element_type = put(maker, part->like, 0, NULL).element_type;
    maker->rounds_to_float = made.element_type == NPART__FLOAT;
    bool is_known = answers(maker, part->first_number, part->number_count, &numbers);
    maker->rounds_to_float = false;
    bool is_float = npart__type_is_float(made.element_type), is_scalar = !part->rank;
    if (!is_known || !npart__can_write(made.element_type) || (!is_float && !numbers.are_whole) ||
        (is_scalar && numbers.reals.count != 1))
        return nothing;
    const double *reals = numbers.reals.items;
    const int64_t count = numbers.reals.count, row[2] = {1, count}, *dims = part->rank == 2 ? row : &count;
    /* Beyond 2**53 two whole numbers may be one double, and are not told apart by it. */
    is_scalar = is_scalar && fabs(reals[0]) < 0x1p53;
    for (uint32_t i = 0; is_scalar && i < maker->scalar_count; i++)
        if (maker->scalars[i].element_type == made.element_type &&
            /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bits are what is compared */
            memcmp(&maker->scalar_numbers[i], &reals[0], sizeof *reals) == 0)
            return maker->scalars[i];
    if (maker->putting->is_trial)
        /* Any text that is not empty will do. */
        made.name = "constant";
    else if (numbers.are_whole)
        made.name = npart__make_int_constant(maker->site, made.element_type, dims, part->rank,
                                             numbers.whole.items);
    else
        made.name = npart__make_constant(maker->site, made.element_type, dims, part->rank, reals);
    if (is_scalar && made.name && maker->scalar_count < MOST_SCALARS) {
        maker->scalars[maker->scalar_count] = made;
        maker->scalar_numbers[maker->scalar_count++] = reals[0];
    }
    return made;
}

/* A value of the match may be there in these dims already; and one number is known, or has no axes. In a trial an
 * argument that is made has no name that could be asked. */
static struct npart__put_value put_view(struct maker *maker, const struct npart__put_part *part)
{
    const struct npart__put_part *argument = &maker->oplist->put_parts.items[part->argument];
    struct npart__put_value made = put(maker, part->argument, 0, NULL);
    bool is_there = argument->kind == NPART__PUT_VALUE || argument->kind == NPART__PUT_OPERAND;
    struct npart__dims dims = {.rank = 0};
    struct numbers numbers;
    if (!made.name || !*made.name)
        return made;
    if (!answers(maker, part->first_number, part->number_count, &numbers) || !numbers.are_whole ||
        numbers.whole.count > NPART__LIMIT_RANK)
        return nothing;
    for (uint32_t i = 0; i < numbers.whole.count; i++)
        npart__push_dim(&dims, numbers.whole.items[i]);
    if (maker->putting->is_trial)
        return made;
    uint32_t value = is_there ? value_of(maker, argument) : NPART_NONE;
    if (!is_there)
        made.name = npart__make_reshape(maker->site, made.name, dims.at, dims.rank);
    else
        made.name = part->number_count ? npart__view(maker->site, value, &dims) : npart__scalar(maker->site, value);
    return made;
}

/* ---- attributes -------------------------------------------------------------------------------------------- */

/* What another node has: what it gives, else the default of its version; true without either. Lists of strings and
 * tensors are not copied so. The default is written out, since the new node may be of an operator whose own default
 * is another. */
static bool copy_attribute(const struct maker *maker, const struct npart__put_attribute *at)
{
    const struct npart__graph *graph = maker->site->graph;
    uint32_t id = node_of(maker, at->from);
    const struct npart__node *node = npart__node_at(graph, id);
    const struct npart__attribute *given = npart__node_attribute(graph, node, at->copied);
    struct npart__attribute_schema schema = {.kind = 0};
    bool has_default = !given && !at->is_given && node->schema &&
                       npart__operator_attribute(node->schema, at->copied, strlen(at->copied), &schema) &&
                       schema.default_text;
    /* What the scan left out of the skeleton is not there to be copied. */
    /* An empty list says no more than none. */
    if (given && given->type == NPART_ATTRIBUTE_INTS && !given->count && !given->is_elided)
        return true;
    enum npart_attribute_type type = given                ? (enum npart_attribute_type)given->type
                                     : schema.kind == 'f' ? NPART_ATTRIBUTE_FLOAT
                                     : schema.kind == 'i' ? NPART_ATTRIBUTE_INT
                                     : schema.kind == 's' ? NPART_ATTRIBUTE_STRING
                                                          : NPART_ATTRIBUTE_UNDEFINED;
    bool is_copied = type == NPART_ATTRIBUTE_FLOAT || type == NPART_ATTRIBUTE_INT || type == NPART_ATTRIBUTE_STRING ||
                     type == NPART_ATTRIBUTE_INTS;
    if (given && (given->is_elided || !is_copied))
        return false;
    if (maker->putting->is_trial || (!given && !has_default))
        return true;
    if (type == NPART_ATTRIBUTE_FLOAT)
        npart__give_float(maker->site, at->name, npart__site_float(maker->site, id, at->copied, 0));
    else if (type == NPART_ATTRIBUTE_INT)
        npart__give_int(maker->site, at->name, npart__site_int(maker->site, id, at->copied, 0));
    else if (type == NPART_ATTRIBUTE_STRING)
        npart__give_text(maker->site, at->name, npart__site_text(maker->site, id, at->copied, ""));
    else if (type == NPART_ATTRIBUTE_INTS)
        npart__give_ints(maker->site, at->name, given->u.ints, given->count);
    return true;
}

/* As many of the last node's as are used, at least one. */
static uint32_t used_results(const struct maker *maker)
{
    const struct npart__node *root = npart__node_at(maker->site->graph, maker->putting->match->root);
    uint32_t count = root->output_count;
    while (count > 1 && npart__is_unused(maker->site, npart__node_output(maker->site->graph, root, count - 1)))
        count--;
    return count;
}

/* Of the node that was made last. Told by its kind: `*` drops it, I is a list of whole numbers, r says how many
 * results the node has, s is a text. */
static bool give_attribute(const struct maker *maker, const struct npart__put_attribute *at)
{
    struct npart__answer found;
    struct numbers numbers;
    if (at->copied)
        return copy_attribute(maker, at);
    if (at->kind == '*') {
        if (!maker->putting->is_trial)
            npart__drop_attribute(maker->site, at->name);
        return true;
    }
    if (at->kind == 'I') {
        if (!answers(maker, at->first_number, at->number_count, &numbers) || !numbers.are_whole)
            return false;
        if (!maker->putting->is_trial)
            npart__give_ints(maker->site, at->name, numbers.whole.items, numbers.whole.count);
        return true;
    }
    /* An attribute of an op that no standard has (kind 0) is a float or a whole number as the number is written. */
    if (!answer(maker, maker->oplist->put_numbers.items[at->first_number], at->kind != 's' && at->kind != 'r', &found))
        return false;
    bool is_float = at->kind == 'f' || (!at->kind && found.is_real);
    /* A real is no INT attribute: nothing says how it would be rounded. */
    if (at->kind != 's' && !is_float && found.is_real)
        return false;
    if (maker->putting->is_trial)
        return at->kind != 's' || found.kind == NPART__ANSWER_WORD;
    if (at->kind == 'r' && found.kind == NPART__ANSWER_WORD)
        found.number = used_results(maker);
    if (at->kind == 's') {
        const char *text = npart__arena_copy_text(maker->site->arena, found.word, found.length);
        maker->site->failed |= !text;
        npart__give_text(maker->site, at->name, text ? text : "");
    } else if (at->kind == 'r') {
        npart__give_results(maker->site, (uint32_t)found.number);
    } else if (is_float) {
        npart__give_float(maker->site, at->name, found.real);
    } else {
        npart__give_int(maker->site, at->name, found.number);
    }
    return true;
}

static bool give_attributes(const struct maker *maker, uint32_t first)
{
    for (uint32_t i = first; i != NPART_NONE; i = maker->oplist->put_attributes.items[i].next)
        if (!give_attribute(maker, &maker->oplist->put_attributes.items[i]))
            return false;
    return true;
}

/* ---- nodes ------------------------------------------------------------------------------------------------- */

/* The operator in the model's opset; false where that has none, or not with these attributes. *version is NULL where
 * no standard has it. Axes are left out of the question: make_with_axes writes them in the form that the opset
 * has. A deprecated operator is not made, though older opsets have it. */
static bool find_version(const struct maker *maker, const struct npart__put_part *part, const char *moved,
                         const struct npart__operator **version)
{
    const struct npart__graph *graph = maker->site->graph;
    struct npart__attribute_schema schema;
    /* A domain that the model does not import gets version 1 when it is written (lib/change/edit/pack.c). */
    int64_t opset = *part->domain ? 1 : npart__site_opset(maker->site);
    size_t count;
    for (uint32_t i = 0; *part->domain && i < graph->opset_count; i++)
        if (strcmp(graph->opsets[i].domain, part->domain) == 0)
            opset = graph->opsets[i].version;
    *version = npart__operator_find(part->domain, part->op, opset);
    if (!*version)
        /* An op that some version of a standard has cannot be made in this one. Of an op that none has, a custom
         * one, nothing is known that speaks against it. */
        return !npart__operator_versions(part->domain, part->op, &count);
    for (uint32_t i = part->attribute; i != NPART_NONE; i = maker->oplist->put_attributes.items[i].next) {
        const struct npart__put_attribute *at = &maker->oplist->put_attributes.items[i];
        bool is_form = moved && strcmp(at->name, moved) == 0;
        if (!is_form && !npart__operator_attribute(*version, at->name, strlen(at->name), &schema))
            return false;
    }
    return !(npart__operator_flags(*version) & NPART__OPERATOR_DEPRECATED);
}

/* An attribute of the part by name; NPART_NONE where it is not given. */
static uint32_t find_attribute(const struct maker *maker, const struct npart__put_part *part, const char *name)
{
    uint32_t i = part->attribute;
    while (i != NPART_NONE && strcmp(maker->oplist->put_attributes.items[i].name, name) != 0)
        i = maker->oplist->put_attributes.items[i].next;
    return i;
}

/* Axes of another node, which are an attribute or its second operand; all of its first operand where it has none.
 * False where they are not known. Reductions without axes reduce all, unless noop_with_empty_axes says that they
 * reduce none. */
static bool copy_axes(const struct maker *maker, uint32_t id, const int64_t **axes, uint32_t *count)
{
    struct npart__site *site = maker->site;
    const struct npart__graph *graph = site->graph;
    const struct npart__node *node = npart__node_at(graph, id);
    uint32_t operand = npart__node_input(graph, node, 1), rank;
    *axes = npart__site_int_list(site, id, "axes", count);
    /* An attribute that is there and cannot be read is not known. */
    if (*axes || npart__site_has(site, id, "axes"))
        return *axes != NULL;
    *axes = operand == NPART_NONE ? NULL : npart__site_ints(site, operand, count);
    /* An operand with numbers is taken as it is; an empty one means the same as none. */
    if (operand != NPART_NONE && (!*axes || *count))
        return *axes != NULL;
    if (npart__site_int(site, id, "noop_with_empty_axes", 0) ||
        !npart__site_rank(site, npart__node_input(graph, node, 0), &rank))
        return false;
    int64_t *all = npart__arena_zeroed(site->arena, rank + (size_t)1, sizeof *all);
    for (uint32_t i = 0; all && i < rank; i++)
        all[i] = i;
    site->failed |= !all;
    *axes = all;
    *count = rank;
    return all != NULL;
}

/* Axes as they are written, and not negative: those of another node are told apart by its first operand's rank. A
 * negative axis whose rank is not known is none that could be written. */
static const int64_t *find_axes(const struct maker *maker, const struct npart__put_attribute *at, uint32_t *count)
{
    uint32_t id = at->copied ? node_of(maker, at->from) : NPART_NONE, rank = 0;
    const int64_t *axes;
    struct numbers numbers;
    if (!at->copied) {
        if (!answers(maker, at->first_number, at->number_count, &numbers) || !numbers.are_whole)
            return NULL;
        axes = numbers.whole.items;
        *count = numbers.whole.count;
    } else {
        const struct npart__graph *graph = maker->site->graph;
        if (!copy_axes(maker, id, &axes, count))
            return NULL;
        /* An unknown rank stays 0 here, so that a negative axis stays negative. */
        (void)npart__site_rank(maker->site, npart__node_input(graph, npart__node_at(graph, id), 0), &rank);
    }
    int64_t *found = npart__arena_zeroed(maker->site->arena, *count + (size_t)1, sizeof *found);
    maker->site->failed |= !found;
    for (uint32_t i = 0; found && i < *count; i++) {
        found[i] = axes[i] < 0 ? axes[i] + rank : axes[i];
        if (found[i] < 0)
            return NULL;
    }
    return found;
}

/* Operators whose axes are an attribute or an operand, by the opset. Squeeze and Unsqueeze have no further
 * attribute, the others keepdims. Lists of rewrites write `axes` once, and work for models of any opset. The
 * part has `axes`: find_moved has looked. */
static struct npart__put_value make_with_axes(struct maker *maker, const struct npart__put_part *part,
                                              struct npart__put_value x)
{
    const struct npart__put_attribute *attributes = maker->oplist->put_attributes.items;
    uint32_t keep = find_attribute(maker, part, "keepdims"), count = 0;
    const int64_t *axes = find_axes(maker, &attributes[find_attribute(maker, part, "axes")], &count);
    /* The standard's default is 1. */
    struct npart__answer keeps = {.number = 1};
    if (!axes)
        return nothing;
    if (keep != NPART_NONE && attributes[keep].copied)
        keeps.number = npart__site_int(maker->site, node_of(maker, attributes[keep].from), attributes[keep].copied, 1);
    else if (keep != NPART_NONE &&
             !answer(maker, maker->oplist->put_numbers.items[attributes[keep].first_number], true, &keeps))
        return nothing;
    if (maker->putting->is_trial)
        x.name = "node";
    else if (NPART__WAYS_VIEW >> npart__operator_traits("", part->op)->elements & 1)
        x.name = npart__make_with_axes(maker->site, part->op, x.name, axes, count);
    else
        x.name = npart__make_reduce(maker->site, part->op, x.name, axes, count, keeps.number != 0);
    return x;
}

/* Sizes in either form, as axes above. */
static struct npart__put_value make_split(struct maker *maker, const struct npart__put_part *part,
                                          struct npart__put_value x, uint32_t results, struct npart__put_value *all)
{
    const struct npart__put_attribute *attributes = maker->oplist->put_attributes.items,
                                      *split = &attributes[find_attribute(maker, part, "split")];
    uint32_t along = find_attribute(maker, part, "axis");
    struct npart__answer axis = {.number = 0};
    struct numbers sizes;
    if (split->copied || !answers(maker, split->first_number, split->number_count, &sizes) || !sizes.are_whole ||
        sizes.whole.count < results ||
        (along != NPART_NONE &&
         (attributes[along].copied ||
          !answer(maker, maker->oplist->put_numbers.items[attributes[along].first_number], true, &axis))))
        return nothing;
    if (maker->putting->is_trial)
        x.name = "node";
    else
        x.name = npart__make_split(maker->site, x.name, axis.number, sizes.whole.items, sizes.whole.count);
    for (uint32_t i = 1; all && i < results; i++)
        all[i] = (struct npart__put_value){
            maker->putting->is_trial ? "node" : npart__made_result(maker->site, i), x.element_type};
    return x;
}

/* The list that became the second operand: axes of reductions, Squeeze and Unsqueeze, sizes of Split. NULL where it is
 * not written. A copy keeps the form that its node has. */
static const char *find_moved(const struct maker *maker, const struct npart__put_part *part)
{
    static const char *const lists[] = {"axes", "split"};
    for (size_t i = 0; i < NPART__COUNT(lists); i++) {
        const struct npart__attribute_move *move = npart__move_of(part->op, lists[i]);
        if (part->kind == NPART__PUT_NODE && move && move->operand == 1 && !*part->domain &&
            find_attribute(maker, part, lists[i]) != NPART_NONE)
            return lists[i];
    }
    return NULL;
}

/* Those of the expression, and of a copy that ends with `..` those that the node has beyond. Operands are made
 * before the node, so nodes come in order. */
static bool put_operands(struct maker *maker, const struct npart__put_part *part, struct npart__put_value *out,
                         uint32_t *count)
{
    const struct npart__graph *graph = maker->site->graph;
    *count = 0;
    for (uint32_t i = part->argument; i != NPART_NONE; i = maker->oplist->put_parts.items[i].next) {
        if (maker->oplist->put_parts.items[i].kind == NPART__PUT_REST) {
            const struct npart__node *node = npart__node_at(graph, node_of(maker, part->name));
            if (node->input_count > MOST_OPERANDS)
                return false;
            /* From the place on that `..` stands at: what is written before it replaces the operands of the
             * node. */
            for (; *count < node->input_count; ++*count)
                out[*count] = named(maker, npart__node_input(graph, node, *count));
            return true;
        }
        if (*count == MOST_OPERANDS)
            return false;
        out[*count] = put(maker, i, 0, NULL);
        if (!out[(*count)++].name)
            return false;
    }
    return true;
}

/* The first result; `all` gets those that are asked for. In a trial `made.name` is any text that is not empty:
 * only whether it can be made is asked. */
static struct npart__put_value put_node(struct maker *maker, const struct npart__put_part *part, uint32_t results,
                                        struct npart__put_value *all)
{
    struct npart__put_value operands[MOST_OPERANDS], made = {"node", 0};
    const char *names[MOST_OPERANDS];
    const struct npart__operator *version = NULL;
    bool is_copy = part->kind == NPART__PUT_COPY;
    const char *moved = find_moved(maker, part);
    uint32_t count;
    if (!put_operands(maker, part, operands, &count) || (!is_copy && !find_version(maker, part, moved, &version)) ||
        !npart__can_make(version, operands, count, &made.element_type))
        return nothing;
    /* What the standard demands must be there; the text of the list was checked against the most, not the least. */
    if (version && !moved && count < version->least_inputs)
        return nothing;
    if (moved) {
        /* It hands the type of its operand on as that of the result. */
        operands[0].element_type = made.element_type;
        return *moved == 'a' ? make_with_axes(maker, part, operands[0])
                             : make_split(maker, part, operands[0], results, all);
    }
    if (is_copy)
        made.element_type = npart__site_type(maker->site, npart__node_output(maker->site->graph,
                                             npart__node_at(maker->site->graph, node_of(maker, part->name)), 0));
    /* A Cast's result has the type that it names, which the schema does not tell. */
    bool casts = NPART__WAY(CASTS) >> npart__operator_traits(part->domain, part->op)->elements & 1;
    uint32_t to = casts ? find_attribute(maker, part, "to") : NPART_NONE;
    struct npart__answer type;
    if (to != NPART_NONE && !maker->oplist->put_attributes.items[to].copied &&
        answer(maker, maker->oplist->put_numbers.items[maker->oplist->put_attributes.items[to].first_number], true,
               &type))
        made.element_type = (int)type.number;
    for (uint32_t i = 0; i < count; i++)
        names[i] = operands[i].name;
    if (!maker->putting->is_trial) {
        const char *op = *part->domain ? npart__arena_format(maker->site->arena, "%s:%s", part->domain, part->op)
                                       : part->op;
        maker->site->failed |= !op;
        made.name = maker->site->failed ? NULL
                    : is_copy ? npart__make_like(maker->site, node_of(maker, part->name), names, count)
                              : npart__make(maker->site, op, names, count);
    }
    /* In the trial as well, since an attribute may depend on what is not known. */
    if (!give_attributes(maker, part->attribute))
        return nothing;
    if (results > 1 && !is_copy && !maker->putting->is_trial)
        npart__give_results(maker->site, results);
    for (uint32_t i = 1; all && i < results; i++)
        all[i] = (struct npart__put_value){
            maker->putting->is_trial ? "node" : npart__made_result(maker->site, i), 0};
    return made;
}

/* ---- expressions ------------------------------------------------------------------------------------------- */

/* What a `make` line makes, made where it is used first. Later uses get the same results. */
static struct npart__put_value *put_made(struct maker *maker, uint32_t index)
{
    if (!maker->is_made[index]) {
        maker->made[index][0] = put(maker, maker->putting->form->makes[index].part,
                                    maker->putting->form->makes[index].results, maker->made[index]);
        maker->is_made[index] = true;
    }
    return maker->made[index];
}

/* A condition that cannot be told chooses neither: the form does not apply. */
static struct npart__put_value put_choice(struct maker *maker, const struct npart__put_part *part, uint32_t results,
                                          struct npart__put_value *all)
{
    struct npart__trial trial = trial_of(maker, maker->putting->match->root);
    enum npart__truth truth = npart__try(&trial, part->condition);
    if (truth == NPART__MAYBE)
        return nothing;
    return put(maker, truth == NPART__TRUE ? part->argument : maker->oplist->put_parts.items[part->argument].next,
               results, all);
}

/* No deeper than expressions nest, and makes before it. Both are limited where the list is read, so the stack is
 * bounded. */
static struct npart__put_value put(struct maker *maker, uint32_t id, uint32_t results, struct npart__put_value *all)
{
    const struct npart__put_part *part = &maker->oplist->put_parts.items[id];
    switch ((enum npart__put_kind)part->kind) {
    case NPART__PUT_NODE:
    case NPART__PUT_COPY:
        return put_node(maker, part, results, all);
    case NPART__PUT_VALUE:
    case NPART__PUT_OPERAND:
        return named(maker, value_of(maker, part));
    case NPART__PUT_MADE:
        return put_made(maker, part->name)[part->output];
    case NPART__PUT_NUMBERS:
        return put_numbers(maker, part);
    case NPART__PUT_VIEW:
        return put_view(maker, part);
    case NPART__PUT_CHOICE:
        return put_choice(maker, part, results, all);
    /* `*`: an operand that is left out. `..` is taken by put_operands, and never comes here. */
    default:
        return (struct npart__put_value){"", 0};
    }
}

/* An unused result is not made; one that is used, and that is not put, is a result that the form cannot replace.
 * Results of the last node are replaced in order; a put that is `*` or absent cannot stand for one that is used. */
bool npart__put_form(const struct npart__putting *putting)
{
    struct npart__site *site = putting->site;
    const struct npart__rewrite_form *form = putting->form;
    const struct npart__node *root = npart__node_at(site->graph, putting->match->root);
    struct maker maker = {.putting = putting, .site = site, .oplist = putting->target->oplist};
    for (uint32_t i = 0; i < form->make_count; i++)
        if (form->makes[i].is_early && !put_made(&maker, i)->name)
            return false;
    for (uint32_t i = 0; i < root->output_count; i++) {
        uint32_t result = npart__node_output(site->graph, root, i);
        if (npart__is_unused(site, result))
            continue;
        /* A form has no put for it, so its users would be without a value. */
        if (i >= form->put_count)
            return false;
        struct npart__put_value value = put(&maker, form->puts[i], 0, NULL);
        if (!value.name || !*value.name || site->failed)
            return false;
        if (!putting->is_trial)
            npart__finish_value(site, result, value.name);
    }
    return true;
}
