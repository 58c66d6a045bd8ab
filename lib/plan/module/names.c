/* SPDX-License-Identifier: Apache-2.0
 *
 * What exporters note of the module that a node stands in: as metadata, or in its name.
 */
#include "module/module.h"

/* What stands for the module of a node that the exporter has made. */
static bool is_no_module(const struct npart__module_path *path)
{
    static const char none[] = "_empty_nn_module_stack_from_metadata_hook";
    return path->bytes == sizeof none - 1 && memcmp(path->text, none, path->bytes) == 0;
}

/* The last but one of a printed Python list of strings: ['', 'encoder', 'encoder.layers.3', 'linear']. A module
 * whose name is empty is the model itself. The last is the node itself. Of a list of one there is none, so
 * nothing is told. Quotes within names are not looked for. */
static bool find_scope(const char *list, struct npart__module_path *out)
{
    struct npart__module_path last = {.separator = '.'}, before = last;
    for (const char *at = strchr(list, '\''); at; at = strchr(at, '\'')) {
        const char *end = strchr(at + 1, '\'');
        if (!end)
            break;
        before = last;
        last.text = at + 1;
        last.bytes = (size_t)(end - at - 1);
        at = end + 1;
    }
    *out = before;
    return before.text != NULL;
}

/* The name of the last but one "name: class" step: "encoder.layers.3" of ": Model/encoder.layers.3:
 * Layer/linear: aten.linear.default". */
static bool find_namespace(const char *path, struct npart__module_path *out)
{
    const char *last = path, *before = NULL;
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        before = last;
        last = slash + 1;
    }
    const char *colon = before ? strchr(before, ':') : NULL;
    if (!colon || colon >= last)
        return false;
    *out = (struct npart__module_path){.text = before, .bytes = (size_t)(colon - before), .separator = '.'};
    return true;
}

/* Of name_scopes first, then of namespace. The same list is read twice at most, and lists are short. */
bool npart__module_of_metadata(const struct npart__node *node, struct npart__module_path *out)
{
    const char *scopes = npart__node_metadata(node, "pkg.torch.onnx.name_scopes");
    const char *path = npart__node_metadata(node, "namespace");
    if (scopes && find_scope(scopes, out) && out->bytes > 0 && !is_no_module(out))
        return true;
    if (path && find_namespace(path, out) && !is_no_module(out))
        return true;
    /* The list says by an empty name that it is the model's own; a name that stands for none tells nothing. */
    return scopes && find_scope(scopes, out) && !is_no_module(out);
}

/* "InsertedPrecisionFreeCast_/model/decoder/Add_output_0": tools put words before the name of a tensor, where
 * names begin with a slash. So what is left of the first slash is not looked at then: "model/decoder" is what
 * this one tells. Where names begin without one ("model/block_1/mul"), all before the last slash is the module. */
bool npart__module_of_name(const char *name, bool is_rooted, struct npart__module_path *out)
{
    const char *first = strchr(name, '/'), *last = strrchr(name, '/');
    if (!first)
        return false;
    const char *start = is_rooted ? first + 1 : name;
    *out = (struct npart__module_path){
        .text = start, .bytes = last > start ? (size_t)(last - start) : 0, .separator = is_rooted ? 0 : '/'};
    /* A lone slash within a name that should begin with one says nothing. */
    return out->bytes > 0 || first == name;
}
