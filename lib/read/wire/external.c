/* SPDX-License-Identifier: Apache-2.0
 *
 * External data: which files a model refers to, and how they come into another folder. Locations are relative to the
 * model's folder (onnx.proto, TensorProto.external_data); so are the files of graphs that are compiled already.
 */
#include <errno.h>

#include "wire/fields.h"
#include "wire/files.h"

/* ---- which files ----------------------------------------------------------------------------------------- */

struct level { /* a message that is gone through */
    size_t end;
    uint8_t message;
};

struct find {
    const uint8_t *data; /* the skeleton */
    struct level levels[NPART__LIMIT_DEPTH];
    unsigned depth; /* how many are open */
    struct npart__externals *out;
    struct npart__strings seen; /* locations, each once */
    struct npart__arena *arena;
    struct npart_error *error;
};

/* Keys and values have a length, and no NUL. */
static bool is_key(const uint8_t *data, const struct npart__item *item, const char *key)
{
    size_t bytes = item->end - item->start;
    return bytes == strlen(key) && memcmp(data + item->start, key, bytes) == 0;
}

/* The value of an entry, where its key is "location". Key and value may stand in either order. */
static void read_location(const uint8_t *data, const struct npart__item *entry, struct npart__item *out)
{
    struct npart__item item, value = {0};
    bool is_location = false;
    for (size_t at = entry->start; at < entry->end; at = item.end) {
        if (!npart__read_item(data, at, entry->end, &item) || item.wire_type != WIRE_BYTES)
            return;
        if (item.number == 1)
            is_location = is_key(data, &item, "location");
        else if (item.number == 2)
            value = item;
    }
    if (is_location)
        *out = value;
}

/* Where a tensor's data is; false where it is no external file. `out` is the text in the skeleton. An entry without
 * data_location 1 counts for nothing, as in onnx.proto. */
static bool find_location(const uint8_t *data, const struct npart__item *tensor, struct npart__item *out)
{
    struct npart__item item;
    bool is_external = false;
    *out = (struct npart__item){0};
    for (size_t at = tensor->start; at < tensor->end; at = item.end) {
        if (!npart__read_item(data, at, tensor->end, &item))
            return false;
        if (item.number == DATA_LOCATION)
            is_external = item.value == LOCATION_EXTERNAL;
        else if (item.number == EXTERNAL_DATA && item.wire_type == WIRE_BYTES)
            read_location(data, &item, out);
    }
    return is_external && out->end > out->start;
}

/* Nothing outside the model's folder is ever touched. So "/w.bin", "../w.bin" and "a/../w.bin" are all left alone:
 * the last leads back, but need not be written so. */
static bool leads_out(const char *location)
{
    if (npart__root_length(location) || npart__is_parent(location))
        return true;
    for (const char *at = location; *at; at++)
        if (npart__is_separator(*at) && npart__is_parent(at + 1))
            return true;
    return false;
}

/* Each location once, however many tensors are in the file. The text is copied, as the skeleton has no NUL after it. */
static npart_status add_location(struct find *find, const struct npart__item *value)
{
    const char *text = (const char *)find->data + value->start;
    size_t length = value->end - value->start;
    uint32_t count = find->seen.texts.count;
    uint32_t id = npart__intern(&find->seen, text, length, true);
    if (id == NPART_NONE)
        return npart__fail_memory(find->error);
    if (id < count) /* seen before */
        return NPART_OK;
    return NPART__PUSH(find->arena, &find->out->locations, npart__text(&find->seen, id))
               ? NPART_OK
               : npart__fail_memory(find->error);
}

/* Of a node: EPContext with a context in another file (lib/analysis/compiled/compiled.c says of which providers). */
struct context {
    struct npart__item file;
    bool is_context, is_contributed, is_embedded, is_main;
};

static void read_context_attribute(const uint8_t *data, const struct npart__item *attribute, struct context *out)
{
    struct npart__item item, name = {0}, text = {0};
    uint64_t number = 0;
    for (size_t at = attribute->start; at < attribute->end; at = item.end) {
        if (!npart__read_item(data, at, attribute->end, &item))
            return;
        if (item.number == ATTRIBUTE_NAME && item.wire_type == WIRE_BYTES)
            name = item;
        else if (item.number == ATTRIBUTE_I)
            number = item.value;
        else if (item.number == ATTRIBUTE_S && item.wire_type == WIRE_BYTES)
            text = item;
    }
    if (is_key(data, &name, "embed_mode"))
        out->is_embedded = number != 0;
    else if (is_key(data, &name, "main_context"))
        out->is_main = number != 0;
    else if (is_key(data, &name, "ep_cache_context"))
        out->file = text;
}

/* False where the node has no such file, or none that a runtime would open. */
static bool find_context(const uint8_t *data, const struct npart__item *node, struct npart__item *out)
{
    struct context context = {.is_embedded = true, .is_main = true};
    struct npart__item item;
    for (size_t at = node->start; at < node->end; at = item.end) {
        if (!npart__read_item(data, at, node->end, &item))
            return false;
        if (item.wire_type != WIRE_BYTES)
            continue;
        if (item.number == NODE_OP_TYPE)
            context.is_context = is_key(data, &item, "EPContext");
        else if (item.number == NODE_DOMAIN)
            context.is_contributed = is_key(data, &item, "com.microsoft");
        else if (item.number == NODE_ATTRIBUTE)
            read_context_attribute(data, &item, &context);
    }
    *out = context.file;
    return context.is_context && context.is_contributed && !context.is_embedded && context.is_main &&
           out->end > out->start;
}

/* A message is gone into, but for tensors, which are looked at as a whole. */
static npart_status visit(struct find *find, const struct npart__item *item, const struct level *level)
{
    struct npart__item location;
    struct field field = {0};
    if (item->number < FIELD_NUMBERS)
        field = npart__fields[level->message][item->number];
    if (item->wire_type != WIRE_BYTES || !is_message(field))
        return NPART_OK;
    if (field.child == MESSAGE_TENSOR)
        return find_location(find->data, item, &location) ? add_location(find, &location) : NPART_OK;
    if (field.child == MESSAGE_NODE && find_context(find->data, item, &location)) {
        npart_status status = add_location(find, &location);
        if (status != NPART_OK)
            return status;
    }
    if (find->depth >= NPART__LIMIT_DEPTH)
        return npart__fail(find->error, NPART_ERROR_LIMIT, "", "messages are nested deeper than %u",
                           NPART__LIMIT_DEPTH);
    find->levels[find->depth++] = (struct level){item->end, field.child};
    return NPART_OK;
}

/* One walk with a stack of its own: recursion as deep as messages nest is not needed. */
static npart_status find_all(struct find *find)
{
    npart_status status = NPART_OK;
    size_t position = 0;
    while (status == NPART_OK && find->depth) {
        const struct level *level = &find->levels[find->depth - 1];
        struct npart__item item;
        if (position >= level->end) {
            find->depth--;
            continue;
        }
        if (!npart__read_item(find->data, position, level->end, &item))
            return npart__fail(find->error, NPART_ERROR_MALFORMED, "", "the edited model is no protobuf message");
        unsigned depth = find->depth;
        status = visit(find, &item, level);
        position = find->depth > depth ? item.start : item.end;
    }
    return status;
}

npart_status npart__externals_find(struct npart__externals *out, const void *skeleton, size_t bytes,
                                   struct npart__arena *arena, struct npart_error *error)
{
    *out = (struct npart__externals){0};
    struct find *find = npart__arena_zeroed(arena, 1, sizeof *find);
    if (!find || !npart__strings_init(&find->seen, arena))
        return npart__fail_memory(error);
    find->data = skeleton;
    find->out = out;
    find->arena = arena;
    find->error = error;
    find->levels[0] = (struct level){bytes, MESSAGE_MODEL};
    find->depth = 1;
    return find_all(find);
}

/* ---- another folder -------------------------------------------------------------------------------------- */

/* False where one of them is not there. */
bool npart__is_same_file(const char *a, const char *b)
{
    struct npart__file_status first, second;
    return npart__path_status(a, &first) && npart__path_status(b, &second) && first.device == second.device &&
           first.inode == second.inode;
}

npart_status npart__check_location(const char *location, struct npart_error *error)
{
    if (!leads_out(location))
        return NPART_OK;
    return npart__fail(error, NPART_ERROR_ARGUMENT, "",
                       "external data %s lies outside the model's folder: it is neither linked nor copied", location);
}

/* Whether two files hold the same bytes. The buffer has two halves, one for each. A read of the second may be short,
 * so it is repeated until it has as much. */
static bool is_equal(const char *a, const char *b, uint8_t *buffer, size_t half)
{
    int first = npart__file_open(a), second = npart__file_open(b);
    bool is_good = first >= 0 && second >= 0;
    while (is_good) {
        ptrdiff_t count = npart__file_read(first, buffer, half), other = 0;
        while (count > 0 && other < count) {
            ptrdiff_t more = npart__file_read(second, buffer + half + other, (size_t)(count - other));
            if (more <= 0)
                break;
            other += more;
        }
        if (count == 0) {
            is_good = npart__file_read(second, buffer, 1) == 0;
            break;
        }
        is_good = count > 0 && other == count && memcmp(buffer, buffer + half, (size_t)count) == 0;
    }
    if (first >= 0)
        npart__file_close(first);
    if (second >= 0)
        npart__file_close(second);
    return is_good;
}

#define COMPARE_BYTES ((size_t)64 << 10)

/* A file of another content is somebody else's. */
static npart_status check_there(const char *from, const char *to, struct npart__arena *arena, struct npart_error *error)
{
    struct npart__file_status first, second;
    if (!npart__path_status(from, &first) || !npart__path_status(to, &second))
        return npart__fail_system(NPART_ERROR_READ, "look at external data", "", errno, error);
    uint8_t *buffer = npart__arena_allocate(arena, 2 * COMPARE_BYTES);
    if (!buffer)
        return npart__fail_memory(error);
    bool is_good = first.bytes == second.bytes && is_equal(from, to, buffer, COMPARE_BYTES);
    npart__arena_release(arena, buffer);
    return is_good ? NPART_OK
                   : npart__fail(error, NPART_ERROR_WRITE, "", "%s is there already, with another content", to);
}

/* The folders on the way to a file, below its `base` bytes. */
static npart_status make_folders(char *path, size_t base, struct npart_error *error)
{
    for (char *at = path + base; *at; at++) {
        char separator = *at;
        if (!npart__is_separator(separator))
            continue;
        *at = '\0';
        int failed = !npart__path_make_folder(path) && errno != EEXIST ? errno : 0;
        *at = separator;
        if (failed)
            return npart__fail_system(NPART_ERROR_WRITE, "make a folder for external data", "", failed, error);
    }
    return NPART_OK;
}

/* Under a temporary name first, like any output: a file of half its length is never seen. */
static npart_status copy_file(const char *from, const char *to, struct npart__arena *arena, struct npart_error *error)
{
    struct npart__input input;
    struct npart__output output;
    struct npart__sink sink;
    npart_status status = npart__input_open_file(&input, from, error);
    if (status != NPART_OK)
        return status;
    status = npart__output_open(&output, to, &input, arena, error);
    if (status == NPART_OK) {
        status = npart__sink_open(&sink, output.descriptor, arena, error);
        if (status == NPART_OK)
            status = npart__sink_copy(&sink, &input, 0, input.bytes);
        if (status == NPART_OK)
            status = npart__sink_flush(&sink);
        if (status == NPART_OK)
            status = npart__output_commit(&output, error);
        npart__output_close(&output);
    }
    npart__input_close(&input);
    return status;
}

/* A hard link, to the file that a symbolic link means. Not a symbolic one where that fails, as on another file system:
 * ONNX Runtime 1.24 and later refuses weights that lie, symbolic links followed, outside the model's folder. */
static npart_status link_file(const char *from, const char *to, struct npart_error *error)
{
    return npart__path_link(from, to)
               ? NPART_OK
               : npart__fail_system(NPART_ERROR_WRITE, "link external data (--weights copy does without a link)", "",
                                    errno, error);
}

/* The location was checked before (npart__check_location), so both paths lie in their folders. */
npart_status npart__bring_external(const char *location, const char *from_folder, const char *to_folder, bool links,
                                   struct npart__arena *arena, struct npart_error *error)
{
    char *from = npart__arena_format(arena, "%s/%s", from_folder, location);
    char *to = npart__arena_format(arena, "%s/%s", to_folder, location);
    if (!from || !to)
        return npart__fail_memory(error);
    if (npart__is_same_file(from, to))
        return NPART_OK;
    if (npart__path_is_taken(to))
        return check_there(from, to, arena, error);
    npart_status result = make_folders(to, strlen(to_folder) + 1, error);
    if (result != NPART_OK)
        return result;
    return links ? link_file(from, to, error) : copy_file(from, to, arena, error);
}
