/* SPDX-License-Identifier: Apache-2.0
 *
 * What each part has: its nodes, copies of what is folded, initializers, and the tensors that come from other parts.
 */
#include <stdlib.h>

#include "split/internal.h"

/* Parts are filled one after the other, in their order: "the last part that has it" is all that has to be kept to
 * list each thing once a part, without a table of parts by names. */
struct fill {
    struct npart__splitting *splitting;
    uint32_t part; /* the one that is being filled */
    uint32_t *taken; /* by unit that is copied: the last part that has it, part + 1 */
    struct npart__ids stack; /* units whose uses are still to be looked at */
    uint32_t *outputs, *first_output; /* names of the model's outputs, by the part that has them, and one more */
};

/* False when out of memory. */
static bool add(struct fill *fill, struct npart__ids *items, uint32_t item)
{
    return NPART__PUSH(fill->splitting->arena, items, item);
}

/* Whoever takes it first makes it an output of its part; the parts after that share it. */
static bool mark_output(struct fill *fill, uint32_t name)
{
    struct npart__splitting *splitting = fill->splitting;
    struct npart__named *named = &splitting->names.items[name];
    if (named->is_marked)
        return true;
    named->is_marked = true;
    return add(fill, &splitting->parts.items[splitting->units[named->unit].part].outputs, name);
}

/* Of what is copied: what it uses is needed in this part then, too, down to the initializers. */
static bool add_unit(struct fill *fill, uint32_t unit)
{
    if (fill->taken[unit] == fill->part + 1)
        return true;
    fill->taken[unit] = fill->part + 1;
    return add(fill, &fill->splitting->parts.items[fill->part].units, unit) && add(fill, &fill->stack, unit);
}

/* Of a name that a node of the part uses, once. */
static bool use(struct fill *fill, uint32_t name)
{
    struct npart__splitting *splitting = fill->splitting;
    struct npart__named *named = &splitting->names.items[name];
    struct npart__split_part *part = &splitting->parts.items[fill->part];
    /* Several nodes of a part may use one name; a part lists it once. */
    if (named->taken_by == fill->part + 1)
        return true;
    named->taken_by = fill->part + 1;
    if (named->unit == NPART_NONE) { /* an initializer that is an input, too, is a default */
        bool is_good = named->initializer == NPART_NONE || add(fill, &part->initializers, named->initializer);
        is_good = is_good && (named->sparse == NPART_NONE || add(fill, &part->sparse, named->sparse));
        return is_good && (named->input == NPART_NONE || add(fill, &part->inputs, name));
    }
    const struct npart__unit *unit = &splitting->units[named->unit];
    if (unit->kind == NPART__UNIT_KNOWN)
        return add(fill, &part->known, name);
    if (unit->kind == NPART__UNIT_COPIED)
        return add_unit(fill, named->unit);
    return unit->part == fill->part || (mark_output(fill, name) && add(fill, &part->inputs, name));
}

/* Until nothing new is met: a copied unit may need others that are copied. Each is on the stack once a part. */
static bool fill_part(struct fill *fill)
{
    struct npart__splitting *splitting = fill->splitting;
    while (fill->stack.count) {
        const struct npart__unit *unit = &splitting->units[fill->stack.items[--fill->stack.count]];
        for (uint32_t i = 0; i < unit->use_count; i++)
            if (!use(fill, splitting->uses.items[unit->first_use + i]))
                return false;
    }
    return true;
}

static const struct npart__unit *unit_of(const struct npart__splitting *splitting, uint32_t name)
{
    uint32_t unit = splitting->names.items[name].unit;
    return unit == NPART_NONE ? NULL : &splitting->units[unit];
}

/* The part that has an output of the model. An output comes from the part that makes it; a constant from the first that
 * can, as it depends on no part, and of sides from the last, which the CPU runs. NPART_NONE of an input, which no part
 * has. */
static uint32_t part_of_output(const struct npart__splitting *splitting, uint32_t name)
{
    const struct npart__named *named = &splitting->names.items[name];
    const struct npart__unit *unit = unit_of(splitting, name);
    if (name == 0 || (!unit && named->initializer == NPART_NONE && named->sparse == NPART_NONE))
        return NPART_NONE;
    uint32_t constants = splitting->is_of_sides ? splitting->parts.count - 1 : 0;
    return unit && unit->part != NPART_NONE ? unit->part : constants;
}

/* Counted, then filled in. False when out of memory. */
static bool list_outputs(struct fill *fill)
{
    struct npart__splitting *splitting = fill->splitting;
    const Onnx__GraphProto *graph = splitting->model->graph;
    uint32_t *first = npart__arena_zeroed(splitting->arena, splitting->parts.count + (size_t)2, sizeof *first);
    fill->outputs = npart__arena_zeroed(splitting->arena, graph->n_output + 1, sizeof *fill->outputs);
    if (!first || !fill->outputs)
        return false;
    for (int pass = 0; pass < 2; pass++) {
        for (size_t i = 0; i < graph->n_output; i++) {
            const char *text = graph->output[i]->name ? graph->output[i]->name : "";
            uint32_t name = npart__strings_find_text(&splitting->strings, text);
            uint32_t part = name == NPART_NONE ? NPART_NONE : part_of_output(splitting, name);
            if (part != NPART_NONE && pass == 0)
                first[part + 2]++;
            else if (part != NPART_NONE)
                fill->outputs[first[part + 1]++] = name;
        }
        for (uint32_t i = 2; pass == 0 && i < splitting->parts.count + 2; i++)
            first[i] += first[i - 1];
    }
    fill->first_output = first;
    return true;
}

static bool add_outputs(struct fill *fill, uint32_t part)
{
    struct npart__splitting *splitting = fill->splitting;
    for (uint32_t i = fill->first_output[part]; i < fill->first_output[part + 1]; i++) {
        uint32_t name = fill->outputs[i];
        const struct npart__unit *unit = unit_of(splitting, name);
        bool is_made = unit && (unit->kind == NPART__UNIT_RUN || unit->kind == NPART__UNIT_FOLLOWS);
        /* A name may be listed twice, or be marked as some other part takes it. */
        if (splitting->names.items[name].is_marked)
            continue;
        splitting->names.items[name].is_marked = true;
        /* A constant comes into this part by being used. */
        if (!add(fill, &splitting->parts.items[part].outputs, name) || (!is_made && !use(fill, name)))
            return false;
    }
    return fill_part(fill);
}

/* By sequence. Units of a part were found in two ways. Units that run were listed in the file's order, copies as
 * the stack gave them; together neither is an order that the standard allows, in which operands come first. */
struct sorted {
    uint32_t sequence, unit;
};

static int compare(const void *a, const void *b)
{
    const struct sorted *first = a, *second = b;
    return (first->sequence > second->sequence) - (first->sequence < second->sequence);
}

static bool sort_units(struct npart__splitting *splitting, struct npart__split_part *part)
{
    struct sorted *sorted = npart__arena_zeroed(splitting->arena, (size_t)part->units.count + 1, sizeof *sorted);
    if (!sorted)
        return false;
    for (uint32_t i = 0; i < part->units.count; i++)
        sorted[i] = (struct sorted){splitting->units[part->units.items[i]].sequence, part->units.items[i]};
    qsort(sorted, part->units.count, sizeof *sorted, compare);
    for (uint32_t i = 0; i < part->units.count; i++)
        part->units.items[i] = sorted[i].unit;
    npart__arena_release(splitting->arena, sorted);
    return true;
}

npart_status npart__split_fill(struct npart__splitting *splitting)
{
    struct fill fill = {.splitting = splitting};
    struct npart__split_part empty = {.device = NPART_NONE};
    fill.taken = npart__arena_zeroed(splitting->arena, (size_t)splitting->unit_count + 1, sizeof *fill.taken);
    bool is_good = fill.taken != NULL;
    /* A model whose outputs are all constants: whoever runs the parts gets them from somewhere. */
    if (is_good && splitting->parts.count == 0) /* constants alone */
        is_good = NPART__PUSH(splitting->arena, &splitting->parts, empty);
    for (uint32_t i = 0; is_good && i < splitting->unit_count; i++) {
        const struct npart__unit *unit = &splitting->units[i];
        if (unit->is_needed && (unit->kind == NPART__UNIT_RUN || unit->kind == NPART__UNIT_FOLLOWS))
            is_good = add(&fill, &splitting->parts.items[unit->part].units, i);
    }
    is_good = is_good && list_outputs(&fill);
    for (uint32_t i = 0; is_good && i < splitting->ports.count; i++)
        is_good = mark_output(&fill, splitting->ports.items[i]);
    for (uint32_t i = 0; is_good && i < splitting->parts.count; i++) {
        struct npart__split_part *part = &splitting->parts.items[i];
        fill.part = i;
        for (uint32_t k = part->units.count; is_good && k > 0; k--) /* so that the first is looked at first */
            is_good = add(&fill, &fill.stack, part->units.items[k - 1]);
        is_good = is_good && fill_part(&fill) && add_outputs(&fill, i) && sort_units(splitting, part);
    }
    return is_good ? NPART_OK : npart__fail_memory(splitting->error);
}
