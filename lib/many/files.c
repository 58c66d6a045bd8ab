/* SPDX-License-Identifier: Apache-2.0
 *
 * Which models folders, patterns and paths stand for. In a folder, names sort with a / after those of folders, and what
 * is in one comes where its name does: so paths come in the order of their bytes, with no more at hand than the names
 * of one folder on each level. Folders are read once each, and of a pattern only from where its first wildcard is.
 */
#include <errno.h>
#include <stdlib.h>

#include "base/platform.h"
#include "many/many.h"

#define MOST_PATH_BYTES 16384
#define PROBLEM_BYTES 256

struct found {
    const char *path;
    const char *code, *problem; /* NULL: none */
    const char *real; /* the folder that it is in, without links; NULL: not known */
    bool is_folder;
};

struct npart_files {
    struct npart__life *life;
    struct npart_files_options options; /* what it points to is the caller's, and there only while files are found */
    const char *base; /* before all paths: of what patterns are of; "" */
    struct npart__file_status own; /* options.own */
    bool has_own, wants_real; /* the same file may be met again */
    uint64_t entries; /* of one pattern */
    struct npart_error *error;
    struct NPART__ARRAY(struct found) items;
    struct npart_files_info info;
};

/* Of an argument. */
struct walk {
    npart_files *files;
    const char *pattern; /* NULL: all models */
    size_t offset;       /* in paths, of what it is matched with */
    unsigned deepest;    /* folders that it can go down */
    bool sees_hidden;
};

struct names {
    struct npart__arena arena;
    struct NPART__ARRAY(const char *) items;
};

/* ---- files -------------------------------------------------------------------------------------------------- */

static npart_status add(struct walk *walk, struct found found)
{
    npart_files *files = walk->files;
    if (files->items.count == (files->options.folder ? NPART_MOST_GLOB_FILES : NPART_MOST_FILES))
        return npart__fail(files->error, NPART_ERROR_LIMIT, "", files->options.folder
                           ? "the paths match more than 100000 files" : "more than 10000000 models");
    bool is_whole = found.path && (found.problem || !found.code);
    is_whole = is_whole && NPART__PUSH(&files->life->arena, &files->items, found);
    return is_whole ? NPART_OK : npart__fail_memory(files->error);
}

static const char *keep(npart_files *files, const char *text)
{
    return npart__arena_copy_text(&files->life->arena, text, strlen(text));
}

static npart_status add_problem(struct walk *walk, const char *path, const char *code, const char *problem,
                                bool is_folder)
{
    return add(walk, (struct found){.path = keep(walk->files, path), .code = code, .is_folder = is_folder,
                                    .problem = keep(walk->files, problem)});
}

static npart_status add_system_problem(struct walk *walk, const char *path, int problem, bool is_folder)
{
    char text[PROBLEM_BYTES];
    npart__system_text(problem, text, sizeof text);
    return add_problem(walk, path, "read", text, is_folder);
}

/* `full`: the path with what is before it. */
static npart_status add_file(struct walk *walk, const char *path, const char *full, const char *real)
{
    npart_files *files = walk->files;
    struct npart__file_status status;
    if (files->has_own && npart__path_status(full, &status) && status.device == files->own.device &&
        status.inode == files->own.inode)
        return NPART_OK;
    errno = ENOENT;
    switch (npart__path_kind(full, true)) {
    case NPART__PATH_FILE: /* "-" alone is standard input */
        return add(walk, (struct found){.path = strcmp(path, "-") == 0 ? "./-" : keep(files, path), .real = real});
    case NPART__PATH_FOLDER: /* a link to it */
        return NPART_OK;
    case NPART__PATH_OTHER:
        return add_problem(walk, path, "read", "not a regular file", false);
    default: /* also a link to nothing, as git-annex and DVC leave */
        return add_system_problem(walk, path, errno, false);
    }
}

/* The folder without links, kept with the models; false: out of memory. */
static bool name_folder(npart_files *files, const char *path, const char **out)
{
    char real[MOST_PATH_BYTES];
    const char *last = files->items.count ? files->items.items[files->items.count - 1].real : NULL;
    *out = NULL;
    if (!files->wants_real || !npart__path_real(*path ? path : ".", real, sizeof real))
        return true;
    *out = last && strcmp(last, real) == 0 ? last : keep(files, real);
    return *out != NULL;
}

/* ---- folders ------------------------------------------------------------------------------------------------ */

static bool is_model_name(const char *name)
{
    static const char end[] = ".onnx";
    size_t length = strlen(name), rest = sizeof end - 1;
    if (length <= rest)
        return false;
    for (size_t i = 0; i < rest; i++) {
        char letter = name[length - rest + i];
        if (letter != end[i] && (letter < 'A' || letter > 'Z' || letter - 'A' + 'a' != end[i]))
            return false;
    }
    return true;
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* A name of the folder `prefix`, where it counts, with a / where it is one. */
static bool take_name(const struct walk *walk, const char *prefix, const char *name, struct names *names)
{
    const char *path = npart__arena_format(&names->arena, "%s%s", prefix, name);
    const char *full = npart__arena_format(&names->arena, "%s%s", walk->files->base, path ? path : "");
    if (!path || !full)
        return false;
    bool is_folder = npart__path_kind(full, false) == NPART__PATH_FOLDER;
    if (!is_folder && !(walk->pattern ? npart_glob_match(walk->pattern, path + walk->offset) : is_model_name(name)))
        return true;
    const char *kept = npart__arena_format(&names->arena, "%s%s", name, is_folder ? "/" : "");
    return kept && NPART__PUSH(&names->arena, &names->items, kept);
}

/* The names that count in a folder, sorted. *code is why not all of them could be read, or 0. */
static npart_status list_names(struct walk *walk, struct npart__folder *folder, const char *prefix,
                               struct names *names, int *code)
{
    for (const char *name; (name = npart__folder_next(folder)) != NULL;) {
        bool is_hidden = *name == '.';
        if (is_hidden && (!walk->sees_hidden || !name[1] || (name[1] == '.' && !name[2])))
            continue;
        if (walk->files->options.folder && ++walk->files->entries > NPART_MOST_GLOB_ENTRIES)
            return npart__fail(walk->files->error, NPART_ERROR_LIMIT, "",
                               "%s%s: more than 1000000 files and folders to look at", walk->files->base, prefix);
        if (!take_name(walk, prefix, name, names))
            return npart__fail_memory(walk->files->error);
    }
    *code = errno;
    if (names->items.count)
        qsort(names->items.items, names->items.count, sizeof *names->items.items, compare_texts);
    return NPART_OK;
}

static npart_status walk_folder(struct walk *walk, const char *path, unsigned depth);

/* One that the pattern goes on in, or that it names. */
static npart_status go_down(struct walk *walk, char *path, unsigned depth)
{
    path[strlen(path) - 1] = '\0';
    if (!walk->pattern)
        return walk_folder(walk, path, depth + 1);
    if (!walk->files->options.folder && npart_glob_match(walk->pattern, path + walk->offset)) {
        struct walk below = {.files = walk->files};
        return walk_folder(&below, path, depth + 1);
    }
    return depth < walk->deepest ? walk_folder(walk, path, depth + 1) : NPART_OK;
}

static npart_status walk_names(struct walk *walk, const char *prefix, const char *real, unsigned depth,
                               struct names *names)
{
    npart_status status = NPART_OK;
    for (uint32_t i = 0; i < names->items.count && status == NPART_OK; i++) {
        const char *name = names->items.items[i];
        char *full = npart__arena_format(&names->arena, "%s%s%s", walk->files->base, prefix, name);
        char *path = full ? full + strlen(walk->files->base) : NULL;
        if (!path)
            return npart__fail_memory(walk->files->error);
        status = name[strlen(name) - 1] == '/' ? go_down(walk, path, depth) : add_file(walk, path, full, real);
    }
    return status;
}

/* `path` "" is the working directory, or the folder that patterns are of, where what is not there matches nothing. */
static npart_status walk_folder(struct walk *walk, const char *path, unsigned depth)
{
    npart_files *files = walk->files;
    struct names names = {.items = {NULL, 0, 0}};
    struct npart__folder folder;
    const char *real = NULL;
    int code = 0;
    if (depth > NPART_MOST_GLOB_FOLDERS)
        return add_problem(walk, path, "limit", "folders are nested more than 64 deep", true);
    npart__arena_init(&names.arena, &files->life->arena.allocator);
    const char *full = npart__arena_format(&names.arena, "%s%s", files->base, path);
    const char *prefix = npart__arena_format(&names.arena, "%s%s", path, path[npart__name_offset(path)] ? "/" : "");
    npart_status status = NPART_OK;
    bool has_memory = full && prefix && name_folder(files, full, &real);
    if (!has_memory) {
        status = npart__fail_memory(files->error);
    } else if (npart__folder_open(&folder, *full ? full : ".")) {
        status = list_names(walk, &folder, prefix, &names, &code);
        npart__folder_close(&folder);
    } else if (!files->options.folder || errno != ENOENT) {
        code = errno;
    }
    if (status == NPART_OK && code)
        status = add_system_problem(walk, path, code, true);
    if (status == NPART_OK)
        status = walk_names(walk, prefix, real, depth, &names);
    npart__arena_clear(&names.arena);
    return status;
}

/* ---- arguments ---------------------------------------------------------------------------------------------- */

static void tell(const npart_files *files, const char *about, const char *text)
{
    if (files->options.tell)
        files->options.tell(files->options.payload, about, text);
}

/* Folders before the first part with a wildcard are as they are. */
static npart_status fill_in(npart_files *files, const char *argument)
{
    size_t plain = strcspn(argument, "*?[");
    uint32_t before = files->items.count;
    while (plain > 0 && argument[plain - 1] != '/')
        plain--;
    const char *pattern = argument + plain, *problem = npart_glob_problem(pattern);
    if (!files->options.folder && problem)
        return npart__fail(files->error, NPART_ERROR_ARGUMENT, argument, "%s", problem);
    struct walk walk = {.files = files, .pattern = pattern, .offset = plain,
                        .sees_hidden = *pattern == '.' || strstr(pattern, "/.")};
    if (strstr(pattern, "**"))
        walk.deepest = NPART_MOST_GLOB_FOLDERS + 1;
    for (const char *at = pattern; !strstr(pattern, "**") && (at = strchr(at, '/')) != NULL; at++)
        walk.deepest++;
    files->entries = 0;
    const char *folder = npart__arena_copy_text(&files->life->arena, argument, plain);
    npart_status status = folder ? walk_folder(&walk, folder, 0) : npart__fail_memory(files->error);
    if (status != NPART_OK || files->items.count > before)
        return status;
    if (!files->options.folder)
        return add_problem(&walk, argument, "read", "no file matches", false);
    tell(files, argument, "no file matches");
    return NPART_OK;
}

static npart_status take_argument(npart_files *files, const char *argument, bool is_path)
{
    struct walk walk = {.files = files};
    if (files->options.folder)
        return fill_in(files, argument);
    enum npart__path_kind kind = npart__path_kind(argument, true);
    if (kind == NPART__PATH_NOTHING && !is_path && argument[strcspn(argument, "*?[")])
        return fill_in(files, argument);
    if (kind == NPART__PATH_FOLDER) {
        uint32_t before = files->items.count;
        npart_status status = walk_folder(&walk, argument, 0);
        if (status == NPART_OK && files->items.count == before)
            tell(files, argument, "note: no models in it");
        return status;
    }
    const char *real;
    const char *folder = npart__arena_copy_text(&files->life->arena, argument, npart__name_offset(argument));
    if (!folder || !name_folder(files, folder, &real))
        return npart__fail_memory(files->error);
    return add_file(&walk, argument, argument, real);
}

/* ---- the same file ------------------------------------------------------------------------------------------ */

/* A model by what it must not share with another. */
struct key {
    const char *folder, *name;
    uint32_t place;
};

static int compare_keys(const void *a, const void *b)
{
    const struct key *one = a, *other = b;
    int order = one->folder == other->folder ? 0 : strcmp(one->folder, other->folder);
    if (order == 0)
        order = strcmp(one->name, other->name);
    return order ? order : one->place < other->place ? -1 : 1;
}

/* All but the first of equal ones lose their paths. */
static void drop_equal(npart_files *files, struct key *keys, size_t count, bool tells)
{
    if (count)
        qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t i = 1, first = 0; i < count; i++) {
        struct found *found = &files->items.items[keys[i].place];
        const char *kept = files->items.items[keys[first].place].path;
        if (strcmp(keys[i].folder, keys[first].folder) != 0 || strcmp(keys[i].name, keys[first].name) != 0) {
            first = i;
            continue;
        }
        if (tells && strcmp(found->path, kept) != 0) {
            const char *text = npart__arena_format(&files->life->arena,
                                                   "left out: reports would name it as they name %s", kept);
            tell(files, found->path, text ? text : "left out");
            files->info.left_out++;
        }
        found->path = NULL;
    }
}

/* What lost its path, and what is to be skipped. */
static void close_gaps(npart_files *files, bool (*skip)(void *payload, const char *path))
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < files->items.count; i++) {
        const struct found *found = &files->items.items[i];
        bool is_skipped = found->path && skip && skip(files->options.payload, found->path);
        files->info.skipped += is_skipped;
        if (found->path && !is_skipped)
            files->items.items[kept++] = *found;
    }
    files->items.count = kept;
}

/* The same file by another argument. */
static void drop_met(npart_files *files, struct key *keys)
{
    size_t count = 0;
    for (uint32_t i = 0; i < files->items.count; i++) {
        const struct found *found = &files->items.items[i];
        if (found->real)
            keys[count++] = (struct key){found->real, found->path + npart__name_offset(found->path), i};
    }
    drop_equal(files, keys, count, false);
    close_gaps(files, NULL);
}

/* Paths that JSON has alike; those that it has as they are differ already, but for what an argument gave twice. */
static bool drop_alike(npart_files *files, struct npart__arena *arena, struct key *keys)
{
    size_t count = 0;
    for (uint32_t i = 0; i < files->items.count; i++) {
        const struct found *found = &files->items.items[i];
        size_t length = strlen(found->path), shown = npart__copy_json(NULL, 0, found->path, length);
        char *text = npart__arena_allocate(arena, shown + 1);
        if (!text)
            return false;
        (void)npart__copy_json(text, shown + 1, found->path, length);
        if (strstr(text, "\xef\xbf\xbd") || (files->wants_real && found->code)) /* U+FFFD */
            keys[count++] = (struct key){"", text, i};
        else
            npart__arena_give_back(arena, text, shown + 1);
    }
    drop_equal(files, keys, count, true);
    close_gaps(files, files->options.skip);
    return true;
}

static int compare_found(const void *a, const void *b)
{
    return strcmp(((const struct found *)a)->path, ((const struct found *)b)->path);
}

/* Of patterns of one folder: in the order of paths, each once. */
static void sort_found(npart_files *files)
{
    struct found *items = files->items.items;
    if (items)
        qsort(items, files->items.count, sizeof *items, compare_found);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < files->items.count; i++)
        if (!kept || strcmp(items[i].path, items[kept - 1].path) != 0)
            items[kept++] = items[i];
    files->items.count = kept;
}

static npart_status drop_repeated(npart_files *files)
{
    struct npart__arena arena;
    npart__arena_init(&arena, &files->life->arena.allocator);
    struct key *keys = npart__arena_zeroed(&arena, files->items.count + (size_t)1, sizeof *keys);
    if (keys)
        drop_met(files, keys);
    bool has_memory = keys && drop_alike(files, &arena, keys);
    npart__arena_clear(&arena);
    return has_memory ? NPART_OK : npart__fail_memory(files->error);
}

/* ---- the handle --------------------------------------------------------------------------------------------- */

npart_status npart_files_find(npart_files **out, const char *const *arguments, size_t count,
                              const struct npart_files_options *options, struct npart_error *error)
{
    const struct npart_files_options none = NPART_FILES_OPTIONS_INIT;
    if (!out || (count && !arguments))
        return npart__fail_null(!out ? "out" : "arguments", error);
    options = options ? options : &none;
    npart_status status = npart__check_version("options", options->version, 1, error);
    npart_files *files = status == NPART_OK ? npart__handle_new(sizeof *files, options->allocator) : NULL;
    if (!files)
        return status == NPART_OK ? npart__fail_memory(error) : status;
    files->options = *options;
    files->base = options->folder ? options->folder : "";
    files->error = error;
    files->wants_real = count > 1 && !options->folder;
    files->has_own = options->own && npart__path_status(options->own, &files->own) &&
                     files->own.kind == NPART__FILE_REGULAR;
    for (size_t i = 0; i < count && status == NPART_OK; i++)
        status = take_argument(files, arguments[i], i + options->path_count >= count);
    if (options->folder)
        sort_found(files);
    else if (status == NPART_OK)
        status = drop_repeated(files);
    return NPART__HAND_OVER(out, files, status, error);
}

NPART__FREES(files)

bool npart_files_info(const npart_files *files, struct npart_files_info *out)
{
    if (!files || !NPART__HAS_ROOM(out))
        return false;
    *out = files->info;
    out->size = sizeof *out;
    out->count = files->items.count;
    return true;
}

bool npart_files_file(const npart_files *files, size_t index, struct npart_file *out)
{
    if (!files || index >= files->items.count || !NPART__HAS_ROOM(out))
        return false;
    const struct found *found = &files->items.items[index];
    *out = (struct npart_file){.size = sizeof *out, .path = found->path, .code = found->code,
                               .problem = found->problem, .is_folder = found->is_folder};
    return true;
}
