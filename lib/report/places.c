/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that a document sends its reader to: the exporter's source, or the model. Paths come from the caller and from
 * the model's metadata, which may have been written on another system.
 */
#include "report/document.h"

#if defined(_WIN32)
#define IS_WINDOWS true
#else
#define IS_WINDOWS false
#endif

static bool is_separator(char character)
{
    return character == '/' || character == '\\';
}

/* "C:\models" or "C:/models". "C:models" is relative to an unknown folder, and is taken for a name. Setting
 * the bit 0x20 makes a small letter of a capital one. */
static bool has_drive(const char *path, size_t bytes)
{
    bool is_letter = bytes > 2 && ((path[0] | 0x20) >= 'a' && (path[0] | 0x20) <= 'z');
    return is_letter && path[1] == ':' && is_separator(path[2]);
}

/* Elsewhere a backslash is a character of a name. A path with a drive was written on Windows, wherever it is read
 * now. The place must be within the path. */
static bool separates(const struct npart__place *place, size_t at)
{
    bool is_windows = IS_WINDOWS || has_drive(place->file, place->file_bytes);
    return place->file[at] == '/' || (is_windows && place->file[at] == '\\');
}

/* A model has no lines; formats want one, and editors open a file at its first. */
struct npart__place npart__place_of_model(const struct npart_entry *entry)
{
    return (struct npart__place){.file = entry->path, .file_bytes = strlen(entry->path), .line = 1};
}

/* Texts of an origin are pieces of the model's metadata, so they end by their length. A line below 1 is none of a
 * file. */
struct npart__place npart__place_of_node(const struct npart_entry *entry, const npart_model *model, uint32_t node)
{
    struct npart_origin at = {.size = sizeof at};
    if (!npart_model_node_origin(model, node, &at) || !at.file_bytes)
        return npart__place_of_model(entry);
    return (struct npart__place){
        .file = at.file, .file_bytes = at.file_bytes, .line = at.line < 1 ? 1 : at.line, .is_source = true};
}

struct npart__place npart__place_of_nodes(const struct npart_entry *entry, const npart_model *model,
                                          const uint32_t *nodes, uint32_t count, uint32_t *node)
{
    *node = count ? nodes[0] : NPART_NONE;
    for (uint32_t i = 0; i < count; i++) {
        struct npart__place place = npart__place_of_node(entry, model, nodes[i]);
        if (!place.is_source)
            continue;
        *node = nodes[i];
        return place;
    }
    return npart__place_of_model(entry);
}

/* A cut of the caller's, or a dim, lies at no node of its own. So it lies at the model. Of a cause at nodes that
 * have no source the node is the first, while the place is the model: `*node` can be told all the same. */
struct npart__place npart__place_of_cause(const struct npart_entry *entry, const npart_model *model,
                                          const struct npart_cause *cause, uint32_t *node)
{
    return npart__place_of_nodes(entry, model, cause->nodes, cause->node_count, node);
}

/* Leaves out a beginning that a separator follows, and all separators after it: what is left of ".//a.onnx" is no
 * absolute path. A drive at the beginning says which they are, so they are found before it is gone. */
static void skip(struct npart__place *place, size_t bytes)
{
    while (bytes + 1 < place->file_bytes && separates(place, bytes))
        bytes++;
    place->file += bytes;
    place->file_bytes -= bytes;
}

/* "./" says nothing. */
static void skip_dots(struct npart__place *place)
{
    while (place->file_bytes > 2 && place->file[0] == '.' && separates(place, 1))
        skip(place, 1);
}

/* "/work/repo/models/a.py" with the root "/work/repo" is "models/a.py". Separators of either kind are equal, as the
 * root is the caller's and the path may be another system's. False for an absolute path outside of the root; such a
 * path stays as it is. */
bool npart__relative(const npart_document *document, struct npart__place *place)
{
    size_t root = document->root ? strlen(document->root) : 0;
    bool is_inside = document->root && place->file_bytes > root + 1 && separates(place, root);
    for (size_t i = 0; i < root && is_inside; i++)
        is_inside = place->file[i] == document->root[i] ||
                    (separates(place, i) && is_separator(document->root[i]));
    if (is_inside) {
        skip(place, root);
        return true;
    }
    skip_dots(place);
    return !(place->file_bytes && separates(place, 0)) && !has_drive(place->file, place->file_bytes);
}

/* Unreserved characters stay; every other byte is %XX, whether it is UTF-8 or not. "file:///C:/my%20models/a.py",
 * or relative: "models/a.py". RFC 3986 lets a path have a few more characters as they are; to escape these, too, is
 * right everywhere, and a colon in the first step of a relative path would be taken for the end of a scheme. A path
 * from "/" on follows "file://", whose host is empty; before a drive one more slash is needed. */
void npart__add_uri(struct npart__buffer *out, const struct npart__place *place)
{
    static const char digits[] = "0123456789ABCDEF";
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~";
    bool is_drive = has_drive(place->file, place->file_bytes);
    if (is_drive || (place->file_bytes && separates(place, 0)))
        npart__append_text(out, is_drive ? "file:///" : "file://");
    for (size_t i = 0; i < place->file_bytes; i++) {
        char at = place->file[i];
        const char escaped[] = {'%', digits[(unsigned char)at >> 4], digits[at & 15]};
        if (separates(place, i) || (is_drive && i == 1))
            npart__append(out, separates(place, i) ? "/" : ":", 1);
        else if (at && strchr(plain, at))
            npart__append(out, &at, 1);
        else
            npart__append(out, escaped, sizeof escaped);
    }
}
