/* SPDX-License-Identifier: Apache-2.0
 *
 * Which models are checked, each with the project file that it stands under. Whatever is wrong is told, with the path
 * that it is about; without memory texts are "", and nothing comes of it in the end.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/platform.h"
#include "gate/gate.h"

#define MOST_PATH_BYTES 16384

struct project {
    struct npart_checklist_project told;
    struct npart_project_info info;
    const char *place; /* by which two paths of one file are known: absolute, without links to folders */
    const char *folder; /* the same of its folder, with / at the end */
};

struct npart_checklist {
    struct npart__life *life;
    struct npart_checklist_options options;
    struct NPART__ARRAY(struct project) projects;
    struct NPART__ARRAY(struct npart_checklist_model) models;
    struct npart_error *error;
    const char *path; /* of the project file that is being read */
};

/* ---- texts -------------------------------------------------------------------------------------------------- */

static char nothing[1]; /* in the place of a text that there is no memory for */

static char *or_nothing(char *text)
{
    return text ? text : nothing;
}
#define TEXT(list, ...) or_nothing(npart__arena_format(&(list)->life->arena, __VA_ARGS__))

static void tell(const npart_checklist *list, const char *path, uint32_t line, uint32_t column, const char *text)
{
    if (list->options.tell)
        list->options.tell(list->options.payload, path, line, column, text);
}

static npart_status refuse(npart_checklist *list, npart_status status, const char *path, const char *text)
{
    tell(list, path, 0, 0, text);
    return npart__fail(list->error, status, path ? path : "", "%s", text);
}

/* ---- places ------------------------------------------------------------------------------------------------- */

/* Absolute, without links, with / at the end; NULL with errno: there is no such folder. */
static char *real_folder(npart_checklist *list, const char *folder)
{
    char real[MOST_PATH_BYTES];
    if (!npart__path_real(*folder ? folder : ".", real, sizeof real))
        return NULL;
    return TEXT(list, "%s%s", real, real[strlen(real) - 1] == '/' ? "" : "/");
}

static const char *find_place(npart_checklist *list, const char *path)
{
    size_t length = npart__name_offset(path);
    const char *folder = real_folder(list, TEXT(list, "%.*s.", (int)length, path));
    return folder ? TEXT(list, "%s%s", folder, path + length) : NULL;
}

static bool is_there(npart_checklist *list, const char *folder, const char *name)
{
    return npart__path_kind(TEXT(list, "%s%s", folder, name), true) != NPART__PATH_NOTHING;
}

/* In a folder or the nearest above it, up to that with .git; NULL: there is none. */
static const char *find_file(npart_checklist *list, const char *folder)
{
    char *at = real_folder(list, folder);
    while (at && !is_there(list, at, NPART_PROJECT_FILE)) {
        size_t length = strlen(at);
        if (length <= 1 || is_there(list, at, ".git"))
            return NULL;
        at[length - 1] = '\0';
        at[npart__name_offset(at)] = '\0';
    }
    return at ? TEXT(list, "%s" NPART_PROJECT_FILE, at) : NULL;
}

/* What stands before a path that is relative to `folder` so that it can be opened from the working directory, as short
 * as a person would write it. */
static const char *shown_folder(npart_checklist *list, const char *folder)
{
    const char *here = real_folder(list, ""), *shown = "";
    size_t length = strlen(folder);
    if (here && strncmp(folder, here, strlen(here)) == 0)
        return folder + strlen(here);
    if (!here || strncmp(here, folder, length) != 0)
        return folder;
    for (const char *at = here + length; *at; at++)
        if (*at == '/')
            shown = TEXT(list, "%s../", shown);
    return shown;
}

/* ---- project files ------------------------------------------------------------------------------------------ */

static void tell_mistake(void *payload, uint32_t line, uint32_t column, const char *text)
{
    const npart_checklist *list = payload;
    tell(list, list->path, line, column, text);
}

/* All of a file that is not too large for TOML; its mistakes are told. */
static npart_status read_document(npart_checklist *list, const char *path, npart_project **out)
{
    struct npart__arena *arena = &list->life->arena;
    char problem[256];
    FILE *file = npart__stream_open(path, "rb");
    char *bytes = file ? npart__arena_allocate(arena, NPART_MOST_PROJECT_BYTES + 1) : NULL;
    size_t count = bytes ? fread(bytes, 1, NPART_MOST_PROJECT_BYTES + 1, file) : 0;
    bool is_read = file && !ferror(file);
    int code = errno;
    if (file)
        (void)fclose(file);
    if (!is_read) {
        npart__system_text(code, problem, sizeof problem);
        return refuse(list, NPART_ERROR_ARGUMENT, path, TEXT(list, "cannot read the file: %s", problem));
    }
    if (!bytes)
        return npart__fail_memory(list->error);
    npart_status status = npart_project_read(out, bytes, count, tell_mistake, list, &arena->allocator, list->error);
    npart__arena_give_back(arena, bytes, NPART_MOST_PROJECT_BYTES + 1);
    return status;
}

/* A path of the file, from the working directory. */
static const char *resolve(npart_checklist *list, const struct project *project, const char *path)
{
    return path && !npart__root_length(path) ? TEXT(list, "%s%s", project->told.folder, path) : path;
}

/* Read once, however many models it is for. */
static npart_status open_project(npart_checklist *list, const char *path, uint32_t *out)
{
    struct project project = {.place = find_place(list, path), .info = {.size = sizeof project.info}};
    char problem[256];
    npart__system_text(errno, problem, sizeof problem);
    if (!project.place)
        return refuse(list, NPART_ERROR_ARGUMENT, path, TEXT(list, "cannot read the file: %s", problem));
    for (*out = 0; *out < list->projects.count; ++*out)
        if (strcmp(list->projects.items[*out].place, project.place) == 0)
            return NPART_OK;
    project.folder = TEXT(list, "%.*s", (int)npart__name_offset(project.place), project.place);
    project.told.size = sizeof project.told;
    project.told.folder = shown_folder(list, project.folder);
    project.told.path = TEXT(list, "%s%s", project.told.folder, path + npart__name_offset(path));
    list->path = project.told.path;
    npart_status status = read_document(list, path, &project.told.project);
    if (status != NPART_OK)
        return status;
    (void)npart_project_info(project.told.project, &project.info);
    project.told.oplist = resolve(list, &project, project.info.oplist);
    project.told.cost = resolve(list, &project, project.info.cost);
    project.told.baseline = resolve(list, &project, project.info.baseline);
    if (NPART__PUSH(&list->life->arena, &list->projects, project))
        return NPART_OK;
    npart_project_free(project.told.project);
    return npart__fail_memory(list->error);
}

/* That for what lies in a folder; *out: NPART_NONE where there is none. */
static npart_status find_project(npart_checklist *list, const char *folder, uint32_t *out)
{
    const char *path = list->options.config ? list->options.config : find_file(list, folder);
    *out = NPART_NONE;
    return path ? open_project(list, path, out) : NPART_OK;
}

/* ---- models ------------------------------------------------------------------------------------------------- */

static bool add(npart_checklist *list, const char *path, const char *relative, uint32_t project)
{
    struct npart_checklist_model model = {sizeof model, path, relative, project};
    return NPART__PUSH(&list->life->arena, &list->models, model);
}

/* The globs of all [[models]] with their places. */
struct globs {
    const npart_checklist *list;
    const char *path;
    struct NPART__ARRAY(const char *) texts;
    struct NPART__ARRAY(const struct npart_project_text *) places;
};

static bool take_globs(struct globs *globs, npart_checklist *list, const npart_project *project)
{
    struct npart_project_texts texts;
    for (uint32_t i = 0; npart_project_models(project, i, &texts); i++)
        for (uint32_t k = 0; k < texts.count; k++)
            if (!NPART__PUSH(&list->life->arena, &globs->texts, texts.items[k].text) ||
                !NPART__PUSH(&list->life->arena, &globs->places, &texts.items[k]))
                return false;
    return true;
}

static void tell_of_glob(void *payload, const char *about, const char *text)
{
    const struct globs *globs = payload;
    char note[1024];
    (void)snprintf(note, sizeof note, "note: %s %s", text, about);
    for (uint32_t i = 0; i < globs->texts.count; i++)
        if (globs->texts.items[i] == about)
            tell(globs->list, globs->path, globs->places.items[i]->line, globs->places.items[i]->column, note);
}

static npart_status add_file(npart_checklist *list, uint32_t at, const struct npart_file *file)
{
    const struct project *project = &list->projects.items[at];
    const char *folder = project->told.folder;
    if (!file->is_folder && npart_project_matches(&project->info.exclude, file->path))
        return NPART_OK;
    const char *path = TEXT(list, "%s%s", folder, file->path);
    if (file->is_folder)
        return refuse(list, NPART_ERROR_READ, path, file->problem);
    return *path && add(list, path, path + strlen(folder), at) ? NPART_OK : npart__fail_memory(list->error);
}

/* All models of a project file. */
static npart_status list_models(npart_checklist *list, uint32_t at)
{
    struct project *project = &list->projects.items[at];
    struct npart_files_options options = NPART_FILES_OPTIONS_INIT;
    struct npart_file file = {.size = sizeof file};
    struct globs globs = {.list = list, .path = project->told.path};
    npart_files *files = NULL;
    uint32_t before = list->models.count;
    if (!project->info.model_count)
        return refuse(list, NPART_ERROR_ARGUMENT, globs.path,
                      "which models? It has no [[models]] with a path, and the command line names none");
    if (!take_globs(&globs, list, project->told.project))
        return npart__fail_memory(list->error);
    options.allocator = &list->life->arena.allocator;
    options.folder = project->told.folder;
    options.tell = tell_of_glob;
    options.payload = &globs;
    npart_status status = npart_files_find(&files, globs.texts.items, globs.texts.count, &options, list->error);
    if (status == NPART_ERROR_LIMIT && list->error)
        tell(list, *list->error->place ? list->error->place : NULL, 0, 0, list->error->message);
    for (size_t i = 0; status == NPART_OK && npart_files_file(files, i, &file); i++)
        status = add_file(list, at, &file);
    npart_files_free(files);
    if (status == NPART_OK && list->models.count == before)
        return refuse(list, NPART_ERROR_ARGUMENT, globs.path, "no file matches the paths of [[models]]");
    project->told.is_whole = true;
    return status;
}

static npart_status name_model(npart_checklist *list, const char *path)
{
    uint32_t at;
    size_t offset = npart__name_offset(path);
    if (strcmp(path + offset, NPART_PROJECT_FILE) == 0) {
        npart_status status = open_project(list, path, &at);
        return status == NPART_OK ? list_models(list, at) : status;
    }
    npart_status status = find_project(list, TEXT(list, "%.*s", (int)offset, path), &at);
    if (status != NPART_OK)
        return status;
    const struct project *project = at == NPART_NONE ? NULL : &list->projects.items[at];
    const char *place = project ? find_place(list, path) : NULL; /* a link is called as it is, and stands there */
    size_t length = project ? strlen(project->folder) : 0;
    const char *relative = place && strncmp(place, project->folder, length) == 0 ? place + length : NULL;
    if (project && !relative)
        tell(list, path, 0, 0, TEXT(list, "note: it is not in the folder of %s: [[models]], exclude and waivers do "
                                       "not apply to it", project->told.path));
    if (relative && npart_project_matches(&project->info.exclude, relative))
        tell(list, path, 0, 0, TEXT(list, "note: left out, by `exclude` of %s", project->told.path));
    else if (!add(list, TEXT(list, "%s", path), relative, at))
        return npart__fail_memory(list->error);
    return NPART_OK;
}

static npart_status list_here(npart_checklist *list)
{
    uint32_t at;
    npart_status status = find_project(list, "", &at);
    if (status != NPART_OK)
        return status;
    if (at != NPART_NONE)
        return list_models(list, at);
    return refuse(list, NPART_ERROR_ARGUMENT, NULL,
                  "no " NPART_PROJECT_FILE " here or in a folder above. One to start from: npu-partition check "
                  "--new-config > " NPART_PROJECT_FILE);
}

/* By project file and path in its folder, then in the order that they were named. */
static int compare_models(const void *a, const void *b)
{
    const struct npart_checklist_model *one = *(struct npart_checklist_model *const *)a;
    const struct npart_checklist_model *other = *(struct npart_checklist_model *const *)b;
    int order = NPART__ORDER(one->project, other->project);
    if (order == 0 && one->relative && other->relative)
        order = strcmp(one->relative, other->relative);
    else if (order == 0)
        order = (one->relative != NULL) - (other->relative != NULL);
    return order ? order : one < other ? -1 : 1;
}

/* A model may be named beside the project file that lists it. */
static bool drop_repeated(npart_checklist *list)
{
    uint32_t count = list->models.count, kept = 0;
    struct npart_checklist_model **sorted = npart__arena_zeroed(&list->life->arena, count + (size_t)1, sizeof *sorted);
    struct npart_checklist_model *items = list->models.items;
    for (uint32_t i = 0; sorted && i < count; i++)
        sorted[i] = &items[i];
    if (sorted && count)
        qsort(sorted, count, sizeof *sorted, compare_models);
    for (uint32_t i = 1, first = 0; sorted && i < count; i++) {
        const struct npart_checklist_model *before = sorted[first];
        if (sorted[i]->relative && before->relative && before->project == sorted[i]->project &&
            strcmp(before->relative, sorted[i]->relative) == 0)
            sorted[i]->path = NULL;
        else
            first = i;
    }
    for (uint32_t i = 0; i < count; i++)
        if (items[i].path)
            items[kept++] = items[i];
    list->models.count = kept;
    return sorted != NULL;
}

/* ---- the handle --------------------------------------------------------------------------------------------- */

static void free_projects(void *payload)
{
    npart_checklist *list = payload;
    for (uint32_t i = 0; i < list->projects.count; i++)
        npart_project_free(list->projects.items[i].told.project);
}

npart_status npart_checklist_make(npart_checklist **out, const char *const *paths, size_t count,
                                  const struct npart_checklist_options *options, struct npart_error *error)
{
    const struct npart_checklist_options none = NPART_CHECKLIST_OPTIONS_INIT;
    struct npart_error own;
    if (!out || (count && !paths))
        return npart__fail_null(!out ? "out" : "paths", error);
    options = options ? options : &none;
    npart_status status = npart__check_version("options", options->version, 1, error);
    npart_checklist *list = status == NPART_OK ? npart__handle_new(sizeof *list, options->allocator) : NULL;
    if (!list)
        return status == NPART_OK ? npart__fail_memory(error) : status;
    list->options = *options;
    list->error = error ? error : &own;
    list->life->along = list;
    list->life->end_along = free_projects;
    if (!count)
        status = list_here(list);
    for (size_t i = 0; i < count && status == NPART_OK; i++)
        status = name_model(list, paths[i]);
    if (status == NPART_OK && (!drop_repeated(list) || list->life->arena.failed))
        status = npart__fail_memory(error);
    return NPART__HAND_OVER(out, list, status, error);
}

NPART__FREES(checklist)

bool npart_checklist_project(const npart_checklist *list, uint32_t index, struct npart_checklist_project *out)
{
    if (!list || index >= list->projects.count || !NPART__HAS_ROOM(out))
        return false;
    *out = list->projects.items[index].told;
    return true;
}

bool npart_checklist_model(const npart_checklist *list, uint32_t index, struct npart_checklist_model *out)
{
    if (!list || index >= list->models.count || !NPART__HAS_ROOM(out))
        return false;
    *out = list->models.items[index];
    return true;
}
