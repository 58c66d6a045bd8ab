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
    return real && real[strlen(real) - 1] != '/' ? text_of("%s/", real) : real;
}

static bool is_there(const char *folder, const char *name)
{
    return npart__path_kind(text_of("%s%s", folder, name), true) != NPART__PATH_NOTHING;
}

char *project_find(const char *folder)
{
    char *at = real_folder(folder);
    while (at && !is_there(at, PROJECT_FILE)) {
        size_t length = strlen(at);
        if (length <= 1 || is_there(at, ".git"))
            return NULL;
        at[length - 1] = '\0';
        at[npart__name_offset(at)] = '\0';
    }
    return at ? text_of("%s" PROJECT_FILE, at) : NULL;
}

/* What stands before a path that is relative to `folder` so that it can be opened from the working directory, as short
 * as a person would write it. */
static const char *shown_folder(const char *folder)
{
    const char *here = real_folder("");
    size_t length = strlen(folder);
    if (here && strncmp(folder, here, strlen(here)) == 0)
        return folder + strlen(here);
    if (!here || strncmp(here, folder, length) != 0)
        return folder;
    char *out = need(3 * strlen(here + length) + 1);
    for (const char *at = here + length; *at; at++)
        if (*at == '/')
            strcat(out, "../");
    return out;
}

static bool find_places(struct project *project, const char *path)
{
    project->place = find_place(path);
    if (!project->place)
        return false;
    project->folder = text_of("%.*s", (int)npart__name_offset(project->place), project->place);
    project->shown = shown_folder(project->folder);
    project->path = text_of("%s%s", project->shown, path + npart__name_offset(path));
    return true;
}

/* ---- reading ------------------------------------------------------------------------------------------------ */

/* All of a file that is not too large for TOML; NULL, and errno (0: too large). */
static char *read_bytes(const char *path, size_t *count)
{
    FILE *file = npart__stream_open(path, "rb");
    char *bytes = file ? need(NPART_MOST_PROJECT_BYTES + 1) : NULL;
    *count = file ? fread(bytes, 1, NPART_MOST_PROJECT_BYTES + 1, file) : 0;
    bool is_read = file && !ferror(file);
    int problem = errno;
    if (file)
        (void)fclose(file);
    errno = problem;
    return is_read ? bytes : NULL;
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
    if (status != NPART_OK && status != NPART_ERROR_MALFORMED)
        say("%s: %s", project->path, error.message);
    return status == NPART_OK;
}

/* A path of the file, from the working directory. */
static const char *resolve(const struct project *project, const char *path)
{
    return path && !npart__root_length(path) ? text_of("%s%s", project->shown, path) : path;
}

struct project *project_read(const char *path)
{
    struct project *project = need(sizeof *project);
    struct npart_project_info *info = &project->info;
    if (!find_places(project, path)) {
        say("%s: cannot read the file: %s", path, strerror(errno));
        return NULL;
    }
    if (!read_document(project, path))
        return NULL;
    info->size = sizeof *info;
    (void)npart_project_info(project->read, info);
    project->oplist_path = resolve(project, info->oplist);
    project->cost_path = resolve(project, info->cost);
    project->baseline_path = resolve(project, info->baseline);
    return project;
}

/* ---- adding to it ------------------------------------------------------------------------------------------- */

/* The lines of a text, ended as those of the file are. */
static void add_lines(struct text *whole, const char *text)
{
    bool has_returns = whole->count > 1 && memchr(whole->bytes, '\r', whole->count);
    if (whole->count && whole->bytes[whole->count - 1] != '\n')
        text_add(whole, has_returns ? "\r\n" : "\n");
    for (; *text; text++)
        if (*text == '\n' && has_returns)
            text_add(whole, "\r\n");
        else
            (void)text_write(whole, text, 1);
}

/* Where `waivers` is an array of inline tables, a table more at the end is no TOML. */
bool project_append(const struct project *project, const char *text)
{
    struct npart_error error;
    struct text whole = {0};
    size_t there;
    char *bytes = read_bytes(project->path, &there);
    if (!bytes) {
        say("%s: cannot read the file: %s", project->path, strerror(errno));
        return false;
    }
    (void)text_write(&whole, bytes, there);
    add_lines(&whole, text);
    size_t count = whole.count;
    const char *lines = text_kept(&whole);
    if (npart_project_check_toml(lines, count, &error) == NPART_OK) /* a link stays one */
        return save_file(project->path, lines, count);
    say("%s: nothing was written, as [[waivers]] cannot be added at its end: %s", project->path, error.message);
    return false;
}

/* ---- of a model --------------------------------------------------------------------------------------------- */

const char *project_path(const struct project *project, const char *model)
{
    const char *place = find_place(model); /* a link to a model is called as it is, and stands where it stands */
    size_t length = strlen(project->folder);
    return place && strncmp(place, project->folder, length) == 0 ? place + length : NULL;
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
