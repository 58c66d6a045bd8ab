/* SPDX-License-Identifier: Apache-2.0
 *
 * What names become. Many at once: what uses them is walked once for all.
 */
#include "edit/edit_internal.h"

uint32_t npart__edit_name_id(const struct npart__editor *editor, const char *name)
{
    return name ? npart__strings_find_text(&editor->names, name) : NPART_NONE;
}

bool npart__edit_rename(struct npart__editor *editor, uint32_t id, char *to)
{
    while (editor->renamed.count <= id) {
        struct npart__renamed same = {0};
        if (!NPART__PUSH(editor->arena, &editor->renamed, same))
            return false;
    }
    editor->renamed.items[id].to = to;
    return true;
}

/* NULL for a name that stays. */
static struct npart__renamed *find(const struct npart__editor *editor, const char *name)
{
    uint32_t id = npart__edit_name_id(editor, name);
    return id < editor->renamed.count && editor->renamed.items[id].to ? &editor->renamed.items[id] : NULL;
}

char *npart__edit_name_now(const struct npart__editor *editor, char *name)
{
    const struct npart__renamed *renamed = find(editor, name);
    return renamed && !renamed->hidden ? renamed->to : name;
}

/* Names that a body gives to what is its own mean that there, and in all bodies within it: an input, an initializer or
 * a result hides the outer value of its name, which ONNX forbids and files have all the same. */
static void hide(const struct npart__editor *editor, const char *name, bool is_hidden)
{
    struct npart__renamed *renamed = find(editor, name);
    if (renamed)
        renamed->hidden += is_hidden ? 1u : UINT32_MAX;
}

static void hide_own(const struct npart__editor *editor, const Onnx__GraphProto *body, bool is_hidden)
{
    for (size_t i = 0; i < body->n_input; i++)
        hide(editor, body->input[i]->name, is_hidden);
    for (size_t i = 0; i < body->n_initializer; i++)
        hide(editor, body->initializer[i]->name, is_hidden);
    for (size_t i = 0; i < body->n_node; i++)
        for (size_t k = 0; k < body->node[i]->n_output; k++)
            hide(editor, body->node[i]->output[k], is_hidden);
}

/* Recursive as deep as bodies nest. Outputs of a body may be captured values. */
void npart__edit_rename_uses(const struct npart__editor *editor, Onnx__NodeProto *node)
{
    for (size_t i = 0; i < node->n_input; i++)
        node->input[i] = npart__edit_name_now(editor, node->input[i]);
    for (size_t i = 0; i < node->n_attribute; i++) {
        size_t count;
        Onnx__GraphProto **bodies = npart__edit_bodies(node->attribute[i], &count);
        for (size_t k = 0; k < count; k++) {
            hide_own(editor, bodies[k], true);
            for (size_t n = 0; n < bodies[k]->n_node; n++)
                npart__edit_rename_uses(editor, bodies[k]->node[n]);
            for (size_t n = 0; n < bodies[k]->n_output; n++)
                bodies[k]->output[n]->name = npart__edit_name_now(editor, bodies[k]->output[n]->name);
            hide_own(editor, bodies[k], false);
        }
    }
}
