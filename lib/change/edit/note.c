/* SPDX-License-Identifier: Apache-2.0
 *
 * Metadata of nodes that stay as they are, and a version in which nothing else is another.
 */
#include "edit/edit_internal.h"

/* A key that is there gets the new value: a file that is annotated twice has each entry once. */
static bool note(struct npart__editor *editor, Onnx__StringStringEntryProto ***entries, size_t *count, const char *key,
                 const char *value)
{
    size_t i = 0;
    while (i < *count && !((*entries)[i]->key && strcmp((*entries)[i]->key, key) == 0))
        i++;
    Onnx__StringStringEntryProto *entry = npart__arena_allocate(editor->arena, sizeof *entry);
    if (!entry)
        return false;
    onnx__string_string_entry_proto__init(entry);
    entry->key = npart__edit_text(editor, key);
    entry->value = npart__edit_text(editor, value);
    if (i < *count) /* the list is the editor's, what it lists may be shared */
        (*entries)[i] = entry;
    return entry->key && entry->value && (i < *count || NPART__EDIT_APPEND(editor->arena, *entries, *count, entry));
}

bool npart__editor_note(struct npart__editor *editor, uint32_t node, const char *key, const char *value)
{
    Onnx__NodeProto *proto = editor->protos[node];
    return !proto || note(editor, &proto->metadata_props, &proto->n_metadata_props, key, value);
}

bool npart__editor_note_model(struct npart__editor *editor, const char *key, const char *value)
{
    Onnx__ModelProto *model = editor->model;
    return note(editor, &model->metadata_props, &model->n_metadata_props, key, value);
}

/* For `annotate`, whose file must be the model as it was: neither order nor unused nodes are touched. `limits` of
 * the version stay what the caller has in `out`. */
npart_status npart__editor_pack_noted(struct npart__editor *editor, struct npart__arena *arena,
                                      struct npart__version *out, struct npart_error *error)
{
    return npart__edit_pack(editor, arena, out, error);
}
