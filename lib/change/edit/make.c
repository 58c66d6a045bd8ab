/* SPDX-License-Identifier: Apache-2.0
 *
 * New nodes and constants of a site, as protobuf objects in the editor's arena.
 */
#include <math.h>

#include "edit/edit_internal.h"
#include "infer/numbers.h"

/* ---- objects ----------------------------------------------------------------------------------------------------- */

char *npart__edit_text(struct npart__editor *editor, const char *text)
{
    return npart__arena_copy_text(editor->arena, text, strlen(text));
}

/* Elements of all such lists are pointers. */
void *npart__edit_longer(struct npart__arena *arena, void *items, size_t count)
{
    void **longer = npart__arena_zeroed(arena, count + 1, sizeof *longer);
    if (longer && count)
        memcpy(longer, items, count * sizeof *longer);
    return longer;
}

/* Where the numbers of a name that is taken are counted; NULL when out of memory. */
static uint32_t *number_of(struct npart__editor *editor, uint32_t name)
{
    while (editor->numbers.count <= name)
        if (!NPART__PUSH(editor->arena, &editor->numbers, 2))
            return NULL;
    return &editor->numbers.items[name];
}

/* Nodes have names of their own, which ONNX Runtime wants to be different in the end; values' are there already. So a
 * new value may not be called like a node, either, whose name new nodes take from their results. Before the first that
 * is new: most rewrites make nothing. They stay when the site that asks for it is dropped. */
static bool intern_node_names(struct npart__editor *editor)
{
    if (editor->has_node_names)
        return true;
    for (uint32_t i = 0; i < editor->graph->nodes.count; i++)
        if (npart__intern_text(&editor->names, npart__node_at(editor->graph, i)->name) == NPART_NONE)
            return false;
    editor->kept_names = editor->names.texts.count;
    return editor->has_node_names = true;
}

/* ONNX wants names of values to be unique over a graph and its bodies, so all names of the model are asked, whatever
 * graph they are of; a name that is given is reserved at once. A second "y/unroll" is "y/unroll_2". Numbers are tried
 * from the last one on: bodies have the same names again and again, and so does what is made in them. */
char *npart__edit_new_name(struct npart__editor *editor, const char *wanted)
{
    char *name = intern_node_names(editor) ? npart__edit_text(editor, wanted) : NULL;
    uint32_t id = name ? npart__strings_find_text(&editor->names, name) : NPART_NONE;
    uint32_t *number = id == NPART_NONE ? NULL : number_of(editor, id);
    if (id != NPART_NONE && !number)
        return NULL;
    while (name && npart__strings_find_text(&editor->names, name) != NPART_NONE)
        name = npart__arena_format(editor->arena, "%s_%u", wanted, (*number)++);
    if (!name || npart__intern_text(&editor->names, name) == NPART_NONE)
        return NULL;
    return name;
}

/* `op` may have a domain before a colon ("com.microsoft:Gelu"). The lists have one place more, so that they are not
 * empty. Names of operands and results are the caller's to fill in. */
Onnx__NodeProto *npart__edit_new_node(struct npart__arena *arena, const char *op, size_t input_count,
                                      size_t output_count)
{
    Onnx__NodeProto *node = npart__arena_allocate(arena, sizeof *node);
    const char *colon = strrchr(op, ':');
    if (!node)
        return NULL;
    onnx__node_proto__init(node);
    node->input = npart__arena_zeroed(arena, input_count + 1, sizeof *node->input);
    node->output = npart__arena_zeroed(arena, output_count + 1, sizeof *node->output);
    node->n_input = input_count;
    node->n_output = output_count;
    node->op_type = npart__arena_copy_text(arena, colon ? colon + 1 : op, strlen(colon ? colon + 1 : op));
    node->domain = colon ? npart__arena_copy_text(arena, op, (size_t)(colon - op)) : NULL;
    return node->input && node->output && node->op_type && (node->domain || !colon) ? node : NULL;
}

/* protobuf-c's names are not const; they are not changed. */
Onnx__NodeProto *npart__edit_new_identity(struct npart__editor *editor, const char *from, const char *to)
{
    Onnx__NodeProto *node = npart__edit_new_node(editor->arena, npart__role_op(NPART__ROLE_HANDS_ON), 1, 1);
    if (node) {
        node->input[0] = (char *)(uintptr_t)from;
        node->output[0] = (char *)(uintptr_t)to;
    }
    return node;
}

/* Of this site: what earlier ones made is not changed any more. */
static Onnx__NodeProto *last_node(struct npart__site *site)
{
    struct npart__editor *editor = site->editor;
    return editor->nodes.count > editor->kept_nodes ? editor->nodes.items[editor->nodes.count - 1].node : NULL;
}

/* An attribute has one graph or a list of them (no operator of the standard has a list). */
Onnx__GraphProto **npart__edit_bodies(Onnx__AttributeProto *attribute, size_t *count)
{
    *count = attribute->g ? 1 : attribute->n_graphs;
    return attribute->g ? &attribute->g : attribute->graphs;
}

/* ---- metadata ---------------------------------------------------------------------------------------------------- */

/* Of one entry. A function that is inlined at each of its calls, and a node that many take the place of, would write
 * what is longer over and over. */
#define MOST_ENTRY_BYTES 8192u

/* Part of what is written (docs/fix.md), so that a reader sees what a rewrite made. */
#define REWRITE_KEY "npu_partition.rewrite"

static Onnx__StringStringEntryProto *new_entry(struct npart__editor *editor, const char *key, const char *value)
{
    Onnx__StringStringEntryProto *entry = npart__arena_allocate(editor->arena, sizeof *entry);
    if (!entry)
        return NULL;
    onnx__string_string_entry_proto__init(entry);
    entry->key = npart__edit_text(editor, key);
    entry->value = npart__edit_text(editor, value);
    return entry->key && entry->value ? entry : NULL;
}

/* What the replaced node's metadata says (where it comes from in the source, mostly) is true of the new one, too. A
 * node that a rewrite made, and another replaces, is of both: "unfuse isnan-eq". Entries are shared between nodes,
 * as none is changed in place. */
static bool add_metadata(struct npart__site *site, Onnx__NodeProto *node, const Onnx__NodeProto *from)
{
    struct npart__editor *editor = site->editor;
    const char *rewrites = site->rewrite;
    size_t count = 0;
    Onnx__StringStringEntryProto **entries =
        npart__arena_zeroed(editor->arena, from->n_metadata_props + 1, sizeof *entries);
    for (size_t i = 0; i < from->n_metadata_props && entries; i++) {
        Onnx__StringStringEntryProto *entry = from->metadata_props[i];
        if (entry->key && strcmp(entry->key, REWRITE_KEY) == 0 && entry->value)
            rewrites = npart__arena_format(editor->arena, "%s %s", entry->value, site->rewrite);
        else if (!entry->value || strlen(entry->value) <= MOST_ENTRY_BYTES)
            entries[count++] = entry;
    }
    if (!entries || !rewrites || !(entries[count++] = new_entry(editor, REWRITE_KEY, rewrites)))
        return false;
    node->metadata_props = entries;
    node->n_metadata_props = count;
    return true;
}

bool npart__edit_add_node(struct npart__site *site, Onnx__NodeProto *node)
{
    return npart__edit_add_copy(site, node, site->editor->protos[site->id]);
}

bool npart__edit_add_copy(struct npart__site *site, Onnx__NodeProto *node, const Onnx__NodeProto *from)
{
    /* Before the site's node, so that producers stay before users without sorting. */
    struct npart__new_node made = {.scope = site->node->scope, .anchor = site->node->index, .node = node};
    if (!from->n_metadata_props)
        from = site->editor->protos[site->id];
    if (add_metadata(site, node, from) && NPART__PUSH(site->arena, &site->editor->nodes, made))
        return true;
    site->failed = true;
    return false;
}

bool npart__edit_add_constant(struct npart__site *site, Onnx__TensorProto *tensor)
{
    struct npart__new_constant made = {.scope = site->node->scope, .tensor = tensor};
    if (NPART__PUSH(site->arena, &site->editor->constants, made))
        return true;
    site->failed = true;
    return false;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* "mask/gathernd/Reshape": the result that is replaced, by which rewrite, and what makes this one. A reader finds
 * by such a name where the node comes from. */
static char *name_result(struct npart__site *site, const char *what)
{
    char *wanted = npart__arena_format(site->arena, "%s/%s/%s", npart__site_name(site, npart__result(site, 0)),
                                       site->rewrite, what);
    return wanted ? npart__edit_new_name(site->editor, wanted) : NULL;
}

/* Fills in operands, without absent ones at the end, and new names of results; the node's own is that of the
 * first. A NULL operand is one that could not be made; then neither is this node. */
static const char *add_made(struct npart__site *site, Onnx__NodeProto *node, const char *const *operands,
                            uint32_t count, const bool *is_absent)
{
    bool is_whole = node != NULL;
    for (uint32_t i = 0; i < count && node; i++) {
        is_whole &= operands[i] != NULL;
        node->input[i] = (char *)(uintptr_t)operands[i];
    }
    /* A trailing "" says no more than an operand that is not there. */
    while (is_whole && node->n_input && !*node->input[node->n_input - 1])
        node->n_input--;
    for (size_t i = 0; is_whole && i < node->n_output; i++) {
        node->output[i] = is_absent && is_absent[i] ? npart__edit_text(site->editor, "")
                                                    : name_result(site, node->op_type);
        is_whole = node->output[i] != NULL;
    }
    if (is_whole)
        node->name = node->n_output ? node->output[0] : NULL; /* unique, as results are */
    if (!is_whole || !npart__edit_add_node(site, node)) {
        site->failed = true;
        return NULL;
    }
    return node->n_output ? node->output[0] : "";
}

const char *npart__make(struct npart__site *site, const char *op, const char *const *operands, uint32_t count)
{
    return add_made(site, npart__edit_new_node(site->editor->arena, op, count, 1), operands, count, NULL);
}

/* Bodies are copied whole, since their names may be changed; attributes otherwise are not changed in place.
 * Operands are the caller's, all of them; results that the node does not have stay absent in the copy. */
const char *npart__make_like(struct npart__site *site, uint32_t node, const char *const *operands, uint32_t count)
{
    struct npart__editor *editor = site->editor;
    const Onnx__NodeProto *from = editor->protos[node];
    Onnx__NodeProto *copy = from ? (Onnx__NodeProto *)npart__onnx_copy(&from->base, editor->arena) : NULL;
    bool *is_absent = from ? npart__arena_zeroed(site->arena, from->n_output + 1, sizeof *is_absent) : NULL;
    if (!copy || !is_absent) {
        site->failed = true;
        return NULL;
    }
    for (size_t i = 0; i < from->n_output; i++)
        is_absent[i] = !from->output[i] || !*from->output[i];
    copy->input = npart__arena_zeroed(editor->arena, count + (size_t)1, sizeof *copy->input);
    copy->n_input = count;
    if (!copy->input)
        copy = NULL;
    return add_made(site, copy, operands, count, is_absent);
}

/* Names that are there stay, since a caller may hold them; fewer results cut the list. */
void npart__give_results(struct npart__site *site, uint32_t count)
{
    Onnx__NodeProto *node = last_node(site);
    if (!node || site->failed)
        return;
    char **longer = npart__arena_zeroed(site->arena, count + (size_t)1, sizeof *longer);
    for (uint32_t i = 0; longer && i < count; i++) {
        longer[i] = i < node->n_output ? node->output[i] : name_result(site, node->op_type);
        site->failed |= !longer[i];
    }
    site->failed |= !longer;
    if (!site->failed) {
        node->output = longer;
        node->n_output = count;
    }
}

const char *npart__made_result(struct npart__site *site, uint32_t index)
{
    const Onnx__NodeProto *node = last_node(site);
    return node && !site->failed && index < node->n_output ? node->output[index] : NULL;
}

/* ---- attributes -------------------------------------------------------------------------------------------------- */

/* A fresh object also where the node has the attribute: objects of the file are shared with copies. Its type is set, as
 * ONNX's checker asks for it. */
Onnx__AttributeProto *npart__edit_attribute(struct npart__arena *arena, Onnx__NodeProto *node, const char *name,
                                            Onnx__AttributeProto__AttributeType type)
{
    Onnx__AttributeProto *attribute = npart__arena_allocate(arena, sizeof *attribute);
    char *own = npart__arena_copy_text(arena, name, strlen(name));
    if (!attribute || !own)
        return NULL;
    onnx__attribute_proto__init(attribute);
    attribute->name = own;
    attribute->has_type = 1;
    attribute->type = type;
    for (size_t i = 0; i < node->n_attribute; i++)
        if (node->attribute[i]->name && strcmp(node->attribute[i]->name, name) == 0)
            return node->attribute[i] = attribute;
    return NPART__EDIT_APPEND(arena, node->attribute, node->n_attribute, attribute) ? attribute : NULL;
}

/* A fresh attribute of the node made last; NULL after a failure. */
static Onnx__AttributeProto *set(struct npart__site *site, const char *name, Onnx__AttributeProto__AttributeType type)
{
    Onnx__NodeProto *node = last_node(site);
    Onnx__AttributeProto *attribute =
        node && !site->failed ? npart__edit_attribute(site->editor->arena, node, name, type) : NULL;
    site->failed |= !attribute;
    return attribute;
}

void npart__give_int(struct npart__site *site, const char *name, int64_t value)
{
    Onnx__AttributeProto *attribute = set(site, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT);
    if (attribute) {
        attribute->has_i = 1;
        attribute->i = value;
    }
}

void npart__give_float(struct npart__site *site, const char *name, double value)
{
    Onnx__AttributeProto *attribute = set(site, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT);
    if (attribute) {
        attribute->has_f = 1;
        attribute->f = (float)value;
    }
}

/* Bytes with a length, as AttributeProto has texts; not terminated for readers. */
void npart__give_text(struct npart__site *site, const char *name, const char *value)
{
    Onnx__AttributeProto *attribute = set(site, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING);
    if (attribute) {
        attribute->has_s = 1;
        attribute->s.data = (uint8_t *)npart__edit_text(site->editor, value);
        attribute->s.len = strlen(value);
        site->failed |= !attribute->s.data;
    }
}

void npart__give_ints(struct npart__site *site, const char *name, const int64_t *values, uint32_t count)
{
    Onnx__AttributeProto *attribute = set(site, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS);
    int64_t *copy = attribute ? npart__arena_allocate(site->arena, (count + (size_t)1) * sizeof *copy) : NULL;
    if (!copy) {
        site->failed = true;
        return;
    }
    if (count)
        memcpy(copy, values, count * sizeof *copy);
    attribute->ints = copy;
    attribute->n_ints = count;
}

/* The list is the copy's own (npart__make_like), so it is shortened in place. */
void npart__drop_attribute(struct npart__site *site, const char *name)
{
    Onnx__NodeProto *node = last_node(site);
    size_t kept = 0;
    for (size_t i = 0; node && i < node->n_attribute; i++)
        if (!node->attribute[i]->name || strcmp(node->attribute[i]->name, name) != 0)
            node->attribute[kept++] = node->attribute[i];
    if (node)
        node->n_attribute = kept;
}

/* ---- constants --------------------------------------------------------------------------------------------------- */

/* By memcpy: a pointer to another type would be undefined. */
static uint64_t bits_of_float(float number)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* Of a number that is one of float16, as npart__round_number leaves it. So nothing is rounded here: the fraction's
 * lower 13 bits are 0. 1.5 is 0x3e00: exponent 15 and the fraction 0x200. */
static uint64_t half_bits(double number)
{
    uint64_t bits = bits_of_float((float)number), sign = bits >> 16 & 0x8000u, fraction = bits & 0x7fffffu;
    int exponent = (int)(bits >> 23 & 255) - 127;
    if (exponent == 128) /* infinite, or no number: a quiet one */
        return sign | 0x7c00u | (fraction ? 0x200u | fraction >> 13 : 0);
    if (exponent >= -14)
        return sign | (uint64_t)(exponent + 15) << 10 | fraction >> 13;
    return sign | (uint64_t)(fabs(number) * 16777216.0); /* subnormal: units of 2**-24 */
}

/* Negative ones through int64_t, so that they keep their two's complement in a shorter type. What is past all integers
 * is the nearest of them: C does not define that conversion. */
static uint64_t bits_of_whole(double number)
{
    if (number >= 0)
        return number < 0x1p64 ? (uint64_t)number : UINT64_MAX;
    return number > -0x1p63 ? (uint64_t)(int64_t)number : (uint64_t)INT64_MIN;
}

static uint64_t bits_of_number(int element_type, double number)
{
    uint64_t bits;
    switch (element_type) {
    case NPART__FLOAT:
        return bits_of_float((float)number);
    case NPART__BFLOAT16:
        /* The upper half of a float; a NaN whose fraction lies in the lower half would become infinity, so one bit is
         * set. */
        return bits_of_float((float)number) >> 16 | (number != number ? 0x40u : 0);
    case NPART__FLOAT16:
        return half_bits(number);
    case NPART__DOUBLE:
        memcpy(&bits, &number, sizeof bits);
        return bits;
    case NPART__BOOL:
        return number != 0;
    default:
        return bits_of_whole(number);
    }
}

/* What has no whole bytes (4-bit and shorter types) would need packing, and floats of 8 bits and complex numbers bits
 * that nothing here knows; no rewrite asks for them. */
bool npart__can_write(int element_type)
{
    unsigned bits = npart__type_bits(element_type);
    return npart__has_fractions(element_type) || element_type == NPART__BOOL ||
           (npart__type_is_integer(element_type) && bits >= 8 && bits <= 64);
}

Onnx__TensorProto *npart__edit_new_tensor(struct npart__arena *arena, int element_type, const int64_t *dims,
                                          size_t rank)
{
    Onnx__TensorProto *tensor = npart__arena_allocate(arena, sizeof *tensor);
    int64_t *own = npart__arena_allocate(arena, (rank + 1) * sizeof *own);
    if (!tensor || !own)
        return NULL;
    onnx__tensor_proto__init(tensor);
    tensor->has_data_type = 1;
    tensor->data_type = element_type;
    tensor->dims = rank ? memcpy(own, dims, rank * sizeof *own) : own;
    tensor->n_dims = rank;
    return tensor;
}

/* Dims may come from a hostile file, so the product is checked; more than 2 GiB do not fit into a protobuf message. */
Onnx__TensorProto *npart__edit_tensor(struct npart__editor *editor, int element_type, const int64_t *dims,
                                      uint32_t rank, uint64_t *elements, bool *is_impossible)
{
    uint64_t bits = npart__type_bits(element_type), bytes = 0;
    *is_impossible = !npart__can_write(element_type) || !npart__dims_elements(dims, rank, elements) ||
                     !npart__multiply_uint64(*elements, bits / 8, &bytes) || bytes > INT32_MAX;
    Onnx__TensorProto *tensor =
        *is_impossible ? NULL : npart__edit_new_tensor(editor->arena, element_type, dims, rank);
    if (!tensor)
        return NULL;
    tensor->has_raw_data = 1;
    tensor->raw_data.data = npart__arena_allocate(editor->arena, (size_t)bytes + 1);
    tensor->raw_data.len = (size_t)bytes;
    return tensor->raw_data.data ? tensor : NULL;
}

/* A named one of the site; NULL (and failed) where it cannot be. */
static Onnx__TensorProto *new_tensor(struct npart__site *site, int element_type, const int64_t *dims, uint32_t rank,
                                     uint64_t *elements)
{
    bool is_impossible = false;
    Onnx__TensorProto *tensor =
        site->failed ? NULL : npart__edit_tensor(site->editor, element_type, dims, rank, elements, &is_impossible);
    site->is_impossible |= is_impossible;
    if (!tensor || !(tensor->name = name_result(site, "constant")) || !npart__edit_add_constant(site, tensor)) {
        site->failed = true;
        return NULL;
    }
    return tensor;
}

/* raw_data is little-endian whatever the machine. 0x0102 of 16 bits is 02 01. */
static void put_element(Onnx__TensorProto *tensor, uint64_t index, uint64_t bits)
{
    size_t width = npart__type_bits(tensor->data_type), bytes = width / 8;
    if (!bytes)
        tensor->raw_data.data[index * width / 8] |= (uint8_t)((bits & ((1u << width) - 1)) << index * width % 8);
    for (size_t i = 0; i < bytes; i++)
        tensor->raw_data.data[index * bytes + i] = (uint8_t)(bits >> 8 * i);
}

/* As ONNX Runtime's Cast rounds: to nearest, ties to even, to the type before its bits are taken. */
void npart__edit_put_number(Onnx__TensorProto *tensor, uint64_t index, double number)
{
    int type = tensor->data_type;
    if (npart__type_is_float(type))
        number = npart__round_number(type, number);
    put_element(tensor, index, bits_of_number(type, number));
}

const char *npart__make_constant(struct npart__site *site, int element_type, const int64_t *dims, uint32_t rank,
                                 const double *values)
{
    uint64_t elements;
    Onnx__TensorProto *tensor = new_tensor(site, element_type, dims, rank, &elements);
    for (uint64_t i = 0; tensor && i < elements; i++)
        npart__edit_put_number(tensor, i, values[i]);
    return tensor ? tensor->name : NULL;
}

/* Whole numbers go into integer types exactly: as doubles those beyond 2**53 would be rounded. */
const char *npart__make_int_constant(struct npart__site *site, int element_type, const int64_t *dims, uint32_t rank,
                                     const int64_t *values)
{
    uint64_t elements;
    Onnx__TensorProto *tensor = new_tensor(site, element_type, dims, rank, &elements);
    for (uint64_t i = 0; tensor && i < elements; i++)
        if (npart__type_is_float(element_type))
            npart__edit_put_number(tensor, i, (double)values[i]);
        else
            put_element(tensor, i, element_type == NPART__BOOL ? values[i] != 0 : (uint64_t)values[i]);
    return tensor ? tensor->name : NULL;
}

const char *npart__make_counting(struct npart__site *site, int element_type, const int64_t *dims, uint32_t rank)
{
    uint64_t elements;
    Onnx__TensorProto *tensor = new_tensor(site, element_type, dims, rank, &elements);
    for (uint64_t i = 0; tensor && i < elements; i++)
        put_element(tensor, i, i);
    return tensor ? tensor->name : NULL;
}

/* Rank 0 has no dims, and one element. */
const char *npart__make_scalar(struct npart__site *site, int element_type, double value)
{
    return npart__make_constant(site, element_type, NULL, 0, &value);
}

/* INT64 of rank 1: axes, shapes and pads of operators. */
const char *npart__make_ints(struct npart__site *site, const int64_t *values, uint32_t count)
{
    int64_t dims[1] = {count};
    return npart__make_int_constant(site, 7, dims, 1, values);
}
