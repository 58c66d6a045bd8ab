/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a project file lies, and what it says of a model.
 */
#include "check.h"

/* ---- where it lies ------------------------------------------------------------------------------------------ */

/* Absolute, without links, with / at the end; NULL: there is no such folder. */
static char *real_folder(const char *folder)
{
    char *real = real_path(*folder ? folder : ".");
    char *out = real ? join_parts(real, real[strlen(real) - 1] == '/' ? "" : "/", "") : NULL;
    free(real);
    return out;
}

static bool is_there(const char *folder, const char *name)
{
    char *path = join_parts(folder, name, "");
    bool is_found = path && npart__path_kind(path, true) != NPART__PATH_NOTHING;
    free(path);
    return is_found;
}

char *project_find(const char *folder)
{
    char *at = real_folder(folder), *found = NULL;
    while (at && !found) {
        if (is_there(at, PROJECT_FILE)) {
            found = join_parts(at, PROJECT_FILE, "");
            break;
        }
        size_t length = strlen(at);
        if (length <= 1 || is_there(at, ".git"))
            break;
        at[length - 1] = '\0';
        at[npart__name_offset(at)] = '\0';
    }
    free(at);
    return found;
}

/* What stands before a path that is relative to `folder` so that it can be opened from the working directory, as short
 * as a person would write it. */
static char *shown_folder(const char *folder)
{
    char *here = real_folder("");
    size_t length = strlen(folder), depth = 0;
    char *out = NULL;
    if (here && strncmp(folder, here, strlen(here)) == 0) {
        out = join_parts(folder + strlen(here), "", "");
    } else if (here && strncmp(here, folder, length) == 0) {
        for (const char *at = here + length; *at; at++)
            depth += *at == '/';
        out = calloc(depth + 1, 3);
        for (size_t i = 0; out && i < depth; i++)
            memcpy(out + 3 * i, "../", 3);
    } else {
        out = join_parts(folder, "", "");
    }
    free(here);
    return out;
}

static bool find_places(struct project *project, const char *path)
{
    project->place = find_place(path);
    project->folder = project->place ? join_parts(project->place, "", "") : NULL;
    if (project->folder)
        project->folder[npart__name_offset(project->folder)] = '\0';
    project->shown = project->folder ? shown_folder(project->folder) : NULL;
    project->path = project->shown ? join_parts(project->shown, path + npart__name_offset(path), "") : NULL;
    return project->path != NULL;
}

/* ---- reading ------------------------------------------------------------------------------------------------ */

/* All of a file that is not too large for TOML; NULL, and errno (0: too large). */
static char *read_bytes(const char *path, size_t *count)
{
    FILE *file = npart__stream_open(path, "rb");
    char *bytes = file ? malloc(NPART_MOST_PROJECT_BYTES + 1) : NULL;
    errno = bytes || !file ? errno : ENOMEM;
    *count = bytes ? fread(bytes, 1, NPART_MOST_PROJECT_BYTES + 1, file) : 0;
    bool has_failed = bytes && ferror(file);
    int problem = errno;
    if (file)
        (void)fclose(file);
    if (has_failed) {
        free(bytes);
        bytes = NULL;
    }
    errno = problem;
    return bytes;
}

void project_tell(void *payload, uint32_t line, uint32_t column, const char *text)
{
    const struct project *project = payload;
    if (line)
        say("%s:%u:%u: %s", project->path, line, column, text);
    else
        say("%s: %s", project->path, text);
}

void project_say(const struct project *project, uint32_t line, uint32_t column, const char *format, ...)
{
    char text[1024];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    say("%s:%u:%u: %s", project->path, line, column, text);
}

/* Its mistakes are told. */
static bool read_document(struct project *project, const char *path)
{
    struct npart_error error;
    size_t count;
    char *bytes = read_bytes(path, &count);
    if (!bytes) {
        say("%s: cannot read the file: %s", path, strerror(errno));
        return false;
    }
    npart_status status = npart_project_read(&project->read, bytes, count, project_tell, project, NULL, &error);
    free(bytes);
    if (status != NPART_OK && status != NPART_ERROR_MALFORMED)
        say("%s: %s", project->path, error.message);
    return status == NPART_OK;
}

/* A path of the file, from the working directory. */
static bool resolve(const struct project *project, const char *path, char **out)
{
    if (path)
        *out = join_parts(npart__root_length(path) ? "" : project->shown, path, "");
    return !path || *out;
}

struct project *project_read(const char *path)
{
    struct project *project = calloc(1, sizeof *project);
    if (!project || !find_places(project, path)) {
        say("%s: cannot read the file: %s", path, project ? strerror(errno) : "out of memory");
        project_free(project);
        return NULL;
    }
    bool is_read = read_document(project, path);
    if (is_read) {
        struct npart_project_info *info = &project->info;
        info->size = sizeof *info;
        (void)npart_project_info(project->read, info);
        is_read = resolve(project, info->oplist, &project->oplist_path) &&
                  resolve(project, info->cost, &project->cost_path) &&
                  resolve(project, info->baseline, &project->baseline_path);
        if (!is_read)
            say("%s: out of memory", project->path);
    }
    if (!is_read) {
        project_free(project);
        return NULL;
    }
    return project;
}

void project_free(struct project *project)
{
    if (!project)
        return;
    npart_project_free(project->read);
    free(project->oplist_path);
    free(project->cost_path);
    free(project->baseline_path);
    free(project->shown);
    free(project->folder);
    free(project->path);
    free(project->place);
    free(project);
}

/* ---- adding to it ------------------------------------------------------------------------------------------- */

/* The lines of a text, ended as those of the file are. */
static bool add_lines(struct text *whole, const char *text, size_t count)
{
    bool has_returns = whole->count > 1 && memchr(whole->bytes, '\r', whole->count);
    if (whole->count && whole->bytes[whole->count - 1] != '\n')
        text_add(whole, has_returns ? "\r\n" : "\n");
    for (size_t i = 0; i < count; i++)
        if (text[i] == '\n' && has_returns)
            text_add(whole, "\r\n");
        else
            (void)text_write(whole, &text[i], 1);
    return !whole->has_failed;
}

/* A link stays one, and what was there stays until the new file is whole. */
static bool write_document_of(const char *path, const struct text *whole)
{
    struct output_file file = {0};
    bool is_written = begin_output_file(&file, path) &&
                      fwrite(whole->bytes, 1, whole->count, file.stream) == whole->count;
    return finish_output_file(&file, path, is_written);
}

/* Where `waivers` is an array of inline tables, a table more at the end is no TOML. */
bool project_append(const struct project *project, const char *text, size_t count)
{
    struct npart_error error;
    struct text whole = {0};
    size_t there;
    char *bytes = read_bytes(project->path, &there);
    bool is_fine = bytes && text_write(&whole, bytes, there) && add_lines(&whole, text, count);
    if (!is_fine)
        say("%s: cannot read the file: %s", project->path, bytes ? "out of memory" : strerror(errno));
    free(bytes);
    if (is_fine && npart_project_check_toml(whole.bytes, whole.count, &error) != NPART_OK) {
        say("%s: nothing was written, as [[waivers]] cannot be added at its end: %s", project->path, error.message);
        is_fine = false;
    }
    is_fine = is_fine && write_document_of(project->path, &whole);
    free(whole.bytes);
    return is_fine;
}

/* ---- of a model --------------------------------------------------------------------------------------------- */

char *project_path(const struct project *project, const char *model)
{
    char *place = find_place(model), *out = NULL; /* a link to a model is called as it is, and stands where it stands */
    size_t length = strlen(project->folder);
    if (place && strncmp(place, project->folder, length) == 0)
        out = join_parts(place + length, "", "");
    free(place);
    return out;
}

static bool add_targets(const struct project *project, const struct npart_project_texts *targets, struct options *out)
{
    for (uint32_t k = 0; k < targets->count; k++) {
        const struct npart_project_text *item = &targets->items[k];
        bool is_all = strcmp(item->text, "all") == 0;
        for (size_t i = 0; is_all ? npart_builtin_oplist(i) != NULL : i < 1; i++) {
            if (out->target_count == MOST_TARGETS) {
                project_say(project, item->line, item->column, "more than %d targets", MOST_TARGETS);
                return false;
            }
            out->targets[out->target_count++] = is_all ? npart_builtin_oplist(i) : item->text;
        }
    }
    return true;
}

/* Instead of one of the same name. */
static bool put_dim(struct options *out, const struct npart_dim_binding *dim, uint32_t *sources, uint32_t source)
{
    uint32_t at = 0;
    while (at < out->dim_count && strcmp(out->dims[at].name, dim->name) != 0)
        at++;
    if (at == MOST_DIMS)
        return false;
    out->dim_count += at == out->dim_count;
    out->dims[at] = *dim;
    sources[at] = source;
    return true;
}

/* Instead of one of the same name; the sizes are copied. */
static bool put_input(struct options *out, const char *name, const int64_t *dims, uint32_t rank)
{
    uint32_t at = 0;
    while (at < out->input_count && strcmp(out->inputs[at].input, name) != 0)
        at++;
    if (at == MOST_INPUTS)
        return false;
    out->input_count += at == out->input_count;
    memcpy(out->input_dims[at], dims, rank * sizeof *dims);
    out->inputs[at] = (struct npart_input_shape){.input = name, .dims = out->input_dims[at], .rank = rank};
    return true;
}

static bool put_settings(struct project *project, const struct npart_project_settings *settings,
                         const struct options *asked, struct options *out, uint32_t *sources)
{
    project->has_targets = settings->targets.count && !asked->target_count;
    project->targets_line = settings->targets_line;
    project->targets_column = settings->targets_column;
    if (project->has_targets) {
        out->target_count = 0;
        if (!add_targets(project, &settings->targets, out))
            return false;
    }
    if (settings->has_level && !asked->has_level)
        out->level = settings->level;
    if (settings->runtime && !asked->runtime)
        out->runtime = settings->runtime;
    for (uint32_t i = 0; i < settings->dim_count; i++) {
        const struct npart_project_dim *dim = &settings->dims[i];
        if (!put_dim(out, &dim->binding, sources, dim->entry)) {
            project_say(project, dim->line, dim->column, "more than %d dims", MOST_DIMS);
            return false;
        }
    }
    for (uint32_t i = 0; i < settings->input_count; i++) {
        const struct npart_project_input *input = &settings->inputs[i];
        if (!put_input(out, input->shape.input, input->shape.dims, input->shape.rank)) {
            project_say(project, input->line, input->column, "more than %d inputs", MOST_INPUTS);
            return false;
        }
    }
    return true;
}

/* What the command line says counts most. */
static bool put_asked(const struct options *asked, struct options *out, uint32_t *sources)
{
    bool is_fine = true;
    for (uint32_t i = 0; i < asked->dim_count; i++)
        is_fine &= put_dim(out, &asked->dims[i], sources, NPART_NONE);
    for (uint32_t i = 0; i < asked->input_count; i++)
        is_fine &= put_input(out, asked->inputs[i].input, asked->inputs[i].dims, asked->inputs[i].rank);
    if (!is_fine)
        say("too many dims or inputs, with those of the project file");
    return is_fine;
}

bool project_settle(struct project *project, const char *path, const struct options *asked, struct options *out,
                    uint32_t *sources)
{
    struct npart_project_settings settings = {.size = sizeof settings};
    *out = *asked;
    out->dim_count = out->input_count = 0;
    if (project && npart_project_settle(project->read, path, &settings, NULL) != NPART_OK) {
        say("%s: out of memory", project->path);
        return false;
    }
    bool is_fine = !project || put_settings(project, &settings, asked, out, sources);
    if (project && !asked->oplist)
        out->oplist = project->oplist_path;
    if (project && !asked->cost)
        out->cost = project->cost_path;
    return is_fine && put_asked(asked, out, sources);
}

void project_tell_idle(const struct project *project, bool has_targets, bool has_waivers)
{
    void *payload = (void *)(uintptr_t)project;
    if (project->is_whole)
        npart_project_idle(project->read, has_targets, project_tell, payload);
    if (has_waivers)
        npart_project_idle_waivers(project->read, project->is_whole, project_tell, payload);
}
