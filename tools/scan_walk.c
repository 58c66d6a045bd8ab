/* SPDX-License-Identifier: Apache-2.0
 *
 * In a folder, names sort with a / after those of folders, and what is in one comes where its name does: so paths come
 * in the order of their bytes, with no more at hand than the names of one folder on each level.
 */
#include "scan_walk.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "grow.h"
#include "message.h"
#include "platform.h"
#include "scan_text.h"

struct walk {
    struct scan_models *models;
    bool wants_folders; /* whether the same file may be met again */
    const struct npart__file_status *output; /* of this scan, which is no model of it; NULL: it is no file */
    /* Of an argument. */
    const char *pattern; /* NULL: all models */
    size_t offset;       /* in paths, of what it is matched with */
    unsigned deepest;    /* folders that it can go down */
    bool sees_hidden;
};

static enum exit_status fail(const char *problem)
{
    say("%s", problem);
    return EXIT_OTHER;
}

/* ---- models ------------------------------------------------------------------------------------------------- */

/* `path` and `problem` are the models' from here on. */
static enum exit_status add(struct scan_models *models, struct scan_model model)
{
    models->items = grow(models->items, sizeof *models->items, models->count, &models->room);
    bool has_memory = model.path && models->count < models->room && (model.problem || !model.code);
    if (has_memory && models->count < SCAN_MOST_MODELS) {
        models->items[models->count++] = model;
        return EXIT_FINE;
    }
    free(model.path);
    free(model.problem);
    return fail(has_memory ? "more than 10000000 models" : "out of memory");
}

static enum exit_status add_problem(struct walk *walk, const char *path, const char *code, const char *problem)
{
    struct scan_model model = {.path = join_parts(path, "", ""), .code = code, .problem = join_parts(problem, "", "")};
    return add(walk->models, model);
}

static enum exit_status add_file(struct walk *walk, const char *path, const char *folder)
{
    if (walk->output && is_same_file(path, NULL, walk->output))
        return EXIT_FINE;
    errno = ENOENT;
    switch (npart__path_kind(path, true)) {
    case NPART__PATH_FILE:
        return add(walk->models, (struct scan_model){.path = join_parts(strcmp(path, "-") == 0 ? "./" : "", path, ""),
                                                     .folder = folder}); /* "-" alone is standard input */
    case NPART__PATH_FOLDER: /* a link to it */
        return EXIT_FINE;
    case NPART__PATH_OTHER:
        return add_problem(walk, path, "read", "not a regular file");
    default:
        return add_problem(walk, path, "read", strerror(errno));
    }
}

/* The folder without links, kept with the models; false: out of memory. */
static bool name_folder(struct walk *walk, const char *path, const char **out)
{
    struct paths *folders = &walk->models->folders;
    *out = NULL;
    if (!walk->wants_folders)
        return true;
    char *real = real_path(*path ? path : ".");
    const char *last = folders->count ? folders->items[folders->count - 1] : NULL;
    bool is_kept = !real || (last && strcmp(last, real) == 0) || paths_add(folders, real);
    if (real && is_kept)
        *out = folders->items[folders->count - 1];
    free(real);
    return is_kept;
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

/* The names that count in a folder, each with a / where it is one. `prefix` is the folder's path, with its /. *code is
 * why not all of them could be read, or 0. */
static bool list_names(const struct walk *walk, struct npart__folder *folder, const char *prefix, struct paths *names,
                       int *code)
{
    bool is_done = true;
    for (const char *name; is_done && (name = npart__folder_next(folder));) {
        bool is_hidden = *name == '.';
        if (is_hidden && (!walk->sees_hidden || !name[1] || (name[1] == '.' && !name[2])))
            continue;
        char *path = join_parts(prefix, name, "");
        is_done = path != NULL;
        if (is_done && npart__path_kind(path, false) == NPART__PATH_FOLDER) {
            char *marked = join_parts(name, "/", "");
            is_done = marked && paths_add(names, marked);
            free(marked);
        } else if (is_done && (walk->pattern ? npart_glob_match(walk->pattern,
                                                                path + walk->offset) : is_model_name(name))) {
            is_done = paths_add(names, name);
        }
        free(path);
    }
    *code = is_done ? errno : 0;
    return is_done;
}

static enum exit_status walk_folder(struct walk *walk, const char *path, unsigned depth);

/* One that the pattern goes on in, or that it names. */
static enum exit_status go_down(struct walk *walk, char *path, unsigned depth)
{
    path[strlen(path) - 1] = '\0';
    if (!walk->pattern)
        return walk_folder(walk, path, depth + 1);
    if (npart_glob_match(walk->pattern, path + walk->offset)) {
        struct walk below = {.models = walk->models, .wants_folders = walk->wants_folders, .output = walk->output};
        return walk_folder(&below, path, depth + 1);
    }
    return depth < walk->deepest ? walk_folder(walk, path, depth + 1) : EXIT_FINE;
}

static enum exit_status walk_names(struct walk *walk, const char *prefix, const char *folder, unsigned depth,
                                   const struct paths *names)
{
    enum exit_status status = EXIT_FINE;
    for (size_t i = 0; i < names->count && status == EXIT_FINE; i++) {
        const char *name = names->items[i];
        char *path = join_parts(prefix, name, "");
        if (!path)
            status = fail("out of memory");
        else if (name[strlen(name) - 1] == '/')
            status = go_down(walk, path, depth);
        else
            status = add_file(walk, path, folder);
        free(path);
    }
    return status;
}

/* `path` "" is the working directory. */
static enum exit_status walk_folder(struct walk *walk, const char *path, unsigned depth)
{
    size_t offset = npart__name_offset(path);
    struct paths names = {0};
    const char *real;
    if (depth > SCAN_MOST_FOLDERS)
        return add_problem(walk, path, "limit", "folders are nested more than 64 deep");
    struct npart__folder folder;
    if (!npart__folder_open(&folder, *path ? path : "."))
        return add_problem(walk, path, "read", strerror(errno));
    char *prefix = join_parts(path, path[offset] ? "/" : "", "");
    int code = 0;
    bool is_listed = prefix && name_folder(walk, path, &real) && list_names(walk, &folder, prefix, &names, &code);
    npart__folder_close(&folder);
    paths_sort(&names);
    enum exit_status status = !is_listed ? fail("out of memory")
                              : code     ? add_problem(walk, path, "read", strerror(code))
                                         : EXIT_FINE;
    if (status == EXIT_FINE)
        status = walk_names(walk, prefix, real, depth, &names);
    paths_free(&names);
    free(prefix);
    return status;
}

/* ---- arguments ---------------------------------------------------------------------------------------------- */

/* Folders before the first part with a wildcard are as they are. */
static enum exit_status fill_in(struct walk *walk, const char *argument)
{
    size_t plain = strcspn(argument, "*?["), before = walk->models->count;
    while (plain > 0 && argument[plain - 1] != '/')
        plain--;
    const char *pattern = argument + plain, *problem = npart_glob_problem(pattern);
    if (problem) {
        say("%s: %s", argument, problem);
        return EXIT_USAGE;
    }
    char *folder = join_parts(argument, "", "");
    if (!folder)
        return fail("out of memory");
    folder[plain] = '\0';
    walk->pattern = pattern;
    walk->offset = plain;
    walk->sees_hidden = *pattern == '.' || strstr(pattern, "/.");
    walk->deepest = strstr(pattern, "**") ? SCAN_MOST_FOLDERS + 1 : 0;
    for (const char *at = pattern; !strstr(pattern, "**") && (at = strchr(at, '/')); at++)
        walk->deepest++;
    enum exit_status status = walk_folder(walk, folder, 0);
    free(folder);
    if (status == EXIT_FINE && walk->models->count == before)
        return add_problem(walk, argument, "read", "no file matches");
    return status;
}

static enum exit_status take_argument(struct walk *walk, const char *argument, bool is_path)
{
    enum npart__path_kind kind = npart__path_kind(argument, true);
    size_t before = walk->models->count, offset = npart__name_offset(argument);
    if (kind == NPART__PATH_NOTHING && !is_path && argument[strcspn(argument, "*?[")])
        return fill_in(walk, argument);
    if (kind == NPART__PATH_FOLDER) {
        enum exit_status status = walk_folder(walk, argument, 0);
        if (status == EXIT_FINE && walk->models->count == before)
            say("%s: note: no models in it", argument);
        return status;
    }
    char *folder = join_parts(argument, "", "");
    const char *real;
    if (folder)
        folder[offset] = '\0';
    bool is_named = folder && name_folder(walk, folder, &real);
    free(folder);
    return is_named ? add_file(walk, argument, real) : fail("out of memory");
}

/* ---- lists -------------------------------------------------------------------------------------------------- */

static bool read_all(struct text *text, FILE *file)
{
    char bytes[65536];
    for (;;) {
        ptrdiff_t count = file ? read_stream(file, bytes, sizeof bytes) : npart__file_read(0, bytes, sizeof bytes);
        if (count <= 0)
            return count == 0;
        (void)text_write(text, bytes, (size_t)count);
    }
}

enum exit_status scan_read_list(struct paths *paths, const char *list)
{
    struct text text = {0};
    bool is_input = strcmp(list, "-") == 0;
    enum exit_status status = EXIT_FINE;
    FILE *file = is_input ? NULL : open_regular_file(list, "; a list may come from standard input (-)", &status);
    if (status != EXIT_FINE)
        return status == EXIT_USAGE ? status : EXIT_OTHER; /* 3 says that models have lines */
    bool is_read = read_all(&text, file);
    if (!is_read)
        say("%s: %s", list, strerror(errno));
    if (file)
        (void)fclose(file);
    char end = text.count && memchr(text.bytes, '\0', text.count) ? '\0' : '\n';
    (void)text_write(&text, &end, 1);
    bool has_memory = !text.has_failed;
    for (size_t at = 0, length; is_read && has_memory && at < text.count; at += length + 1) {
        char *stop = memchr(text.bytes + at, end, text.count - at);
        length = stop ? (size_t)(stop - text.bytes) - at : 0; /* there always is one */
        if (stop)
            *stop = '\0';
        has_memory = length == 0 || paths_add(paths, text.bytes + at);
    }
    free(text.bytes);
    return !is_read ? EXIT_OTHER : has_memory ? EXIT_FINE : fail("out of memory");
}

/* ---- the same file ------------------------------------------------------------------------------------------ */

/* A model by what it must not share with another. */
struct key {
    const char *folder, *name;
    size_t place;
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
static void drop_equal(struct scan_models *models, struct key *keys, size_t count, bool tells)
{
    if (count)
        qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t i = 1, first = 0; i < count; i++) {
        struct scan_model *model = &models->items[keys[i].place];
        const char *kept = models->items[keys[first].place].path;
        if (strcmp(keys[i].folder, keys[first].folder) != 0 || strcmp(keys[i].name, keys[first].name) != 0) {
            first = i;
            continue;
        }
        if (tells && strcmp(model->path, kept) != 0) {
            say("%s: left out: reports would name it as they name %s", model->path, kept);
            models->left_out++;
        }
        free(model->path);
        free(model->problem);
        model->path = NULL;
    }
}

static void close_gaps(struct scan_models *models)
{
    size_t kept = 0;
    for (size_t i = 0; i < models->count; i++)
        if (models->items[i].path)
            models->items[kept++] = models->items[i];
    models->count = kept;
}

/* The same file by another argument. */
static void drop_met(struct scan_models *models, struct key *keys)
{
    size_t count = 0;
    for (size_t i = 0; i < models->count; i++) {
        const struct scan_model *model = &models->items[i];
        if (model->folder)
            keys[count++] = (struct key){model->folder, model->path + npart__name_offset(model->path), i};
    }
    drop_equal(models, keys, count, false);
    close_gaps(models);
}

/* Paths that JSON has alike; those that it has as they are differ already, but for what an argument gave twice. */
static bool drop_alike(struct scan_models *models, struct key *keys, bool has_arguments)
{
    struct paths texts = {0};
    size_t count = 0;
    bool has_memory = true;
    for (size_t i = 0; i < models->count && has_memory; i++) {
        const struct scan_model *model = &models->items[i];
        char *text = json_form(model->path);
        bool is_kept = text && (!is_own_form(text) || (has_arguments && model->code));
        has_memory = text && (!is_kept || paths_add(&texts, text));
        free(text);
        if (is_kept && has_memory)
            keys[count++] = (struct key){"", texts.items[texts.count - 1], i};
    }
    if (has_memory)
        drop_equal(models, keys, count, true);
    close_gaps(models);
    paths_free(&texts);
    return has_memory;
}

enum exit_status scan_find(struct scan_models *models, const struct paths *arguments, size_t patterns,
                           const char *output)
{
    enum exit_status status = EXIT_FINE;
    struct npart__file_status own;
    bool has_output = output && find_file(output, NULL, &own);
    size_t count = arguments->count;
    for (size_t i = 0; i < count && status == EXIT_FINE; i++) {
        struct walk walk = {.models = models, .wants_folders = count > 1, .output = has_output ? &own : NULL};
        status = take_argument(&walk, arguments->items[i], i >= patterns);
    }
    struct key *keys = status == EXIT_FINE ? malloc((models->count + 1) * sizeof *keys) : NULL;
    bool has_memory = keys != NULL;
    if (has_memory) {
        drop_met(models, keys);
        has_memory = drop_alike(models, keys, count > 1);
    }
    free(keys);
    return status != EXIT_FINE ? status : has_memory ? EXIT_FINE : fail("out of memory");
}

void scan_models_free(struct scan_models *models)
{
    for (size_t i = 0; i < models->count; i++) {
        free(models->items[i].path);
        free(models->items[i].problem);
    }
    free(models->items);
    paths_free(&models->folders);
    *models = (struct scan_models){0};
}
