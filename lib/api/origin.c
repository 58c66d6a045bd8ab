/* SPDX-License-Identifier: Apache-2.0
 *
 * The PyTorch exporter notes on each node the Python stack and the module path it came from:
 *   pkg.torch.onnx.stack_trace   File "/home/me/model.py", line 41, in forward ...
 *   pkg.torch.onnx.name_scopes   ['', 'encoder', 'encoder.layers.3', 'linear']   (the last is the node's own)
 *   namespace                    : Model/encoder.layers.3: Layer/linear: aten.linear.default
 */
#include "api/api.h"

/* The file's name is a part of a longer text and not terminated, so strstr does not do. */
static bool contains(const char *text, size_t length, const char *part)
{
    size_t part_length = strlen(part);
    for (size_t i = 0; i + part_length <= length; i++)
        if (memcmp(text + i, part, part_length) == 0)
            return true;
    return false;
}

/* The innermost frame outside installed packages; of those alone, the innermost. Frames stand
 * from the outermost to the innermost. The exporter's own files and PyTorch's lie in installed
 * packages and tell a user nothing. */
static void find_frame(const char *trace, struct npart_origin *out)
{
    static const char opening[] = "File \"";
    bool is_own = false;
    for (const char *at = strstr(trace, opening); at; at = strstr(at, opening)) {
        const char *file = at + sizeof opening - 1, *end = strchr(file, '"');
        if (!end)
            return;
        at = end;
        if (strncmp(end, "\", line ", 8) != 0)
            continue;
        int64_t line = 0;
        for (const char *digit = end + 8; *digit >= '0' && *digit <= '9' && line < INT32_MAX; digit++)
            line = line * 10 + (*digit - '0');
        size_t length = (size_t)(end - file);
        bool is_installed = contains(file, length, "site-packages/") || contains(file, length, "dist-packages/");
        if (is_own && is_installed)
            continue;
        is_own |= !is_installed;
        out->file = file;
        out->file_bytes = length;
        out->line = line;
    }
}

/* The last but one of a printed Python list of strings. A module whose name is empty is the
 * model itself, and is not told. */
static void find_scope(const char *list, struct npart_origin *out)
{
    const char *last = NULL, *before = NULL;
    size_t last_length = 0, before_length = 0;
    for (const char *at = strchr(list, '\''); at; at = strchr(at, '\'')) {
        const char *end = strchr(at + 1, '\'');
        if (!end)
            break;
        before = last;
        before_length = last_length;
        last = at + 1;
        last_length = (size_t)(end - at - 1);
        at = end + 1;
    }
    if (before && before_length) {
        out->module = before;
        out->module_bytes = before_length;
    }
}

/* The name of the last but one "name: class" step. Asked only where there is no list of scopes. */
static void find_namespace(const char *path, struct npart_origin *out)
{
    const char *last = path, *before = NULL;
    for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
        before = last;
        last = slash + 1;
    }
    const char *colon = before ? strchr(before, ':') : NULL;
    if (colon && colon > before && colon < last) {
        out->module = before;
        out->module_bytes = (size_t)(colon - before);
    }
}

/* Everything points into the model's own texts, none of it terminated. A node without such notes
 * has an empty origin, which is no failure. */
bool npart_model_node_origin(const npart_model *model, uint32_t node, struct npart_origin *out)
{
    if (!model || node >= model->graph->nodes.count || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__node *at = &model->graph->nodes.items[node];
    const char *trace = npart__node_metadata(at, "pkg.torch.onnx.stack_trace");
    const char *scopes = npart__node_metadata(at, "pkg.torch.onnx.name_scopes");
    *out = (struct npart_origin){.size = sizeof *out};
    if (trace)
        find_frame(trace, out);
    if (scopes)
        find_scope(scopes, out);
    if (!out->module) {
        const char *path = npart__node_metadata(at, "namespace");
        if (path)
            find_namespace(path, out);
    }
    return true;
}
