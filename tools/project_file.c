/* SPDX-License-Identifier: Apache-2.0
 *
 * What is added to a project file, and what it says of a model.
 */
#include "check.h"

void tell_place(void *payload, const char *path, uint32_t line, uint32_t column, const char *text)
{
    (void)payload;
    if (line)
        say("%s:%u:%u: %s", path, line, column, text);
    else
        say("%s%s%s", path ? path : "", path ? ": " : "", text);
}

void project_tell(void *payload, uint32_t line, uint32_t column, const char *text)
{
    const struct project *project = payload;
    tell_place(NULL, project->is.path, line, column, text);
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
    FILE *file = npart__stream_open(project->is.path, "rb");
    bool is_read = file && text_read(&whole, file);
    if (!is_read)
        say("%s: cannot read the file: %s", project->is.path, strerror(errno));
    if (file)
        (void)fclose(file);
    if (!is_read)
        return false;
    add_lines(&whole, text);
    size_t count = whole.count;
    const char *lines = text_kept(&whole);
    if (npart_project_check_toml(lines, count, &error) == NPART_OK) /* a link stays one */
        return save_file(project->is.path, lines, count);
    say("%s: nothing was written, as [[waivers]] cannot be added at its end: %s", project->is.path, error.message);
    return false;
}

/* ---- of a model --------------------------------------------------------------------------------------------- */

static bool tell_too_many(const struct project *project, uint32_t line, uint32_t column, const char *what, int most)
{
    tell_place(NULL, project->is.path, line, column, text_as("more than %d %s", most, what));
    return false;
}

static bool add_targets(const struct project *project, const struct npart_project_texts *targets, struct options *out)
{
    for (uint32_t k = 0; k < targets->count; k++) {
        const struct npart_project_text *item = &targets->items[k];
        bool is_all = strcmp(item->text, "all") == 0;
        for (size_t i = 0; is_all ? npart_builtin_oplist(i) != NULL : i < 1; i++) {
            if (out->target_count == MOST_TARGETS) {
                return tell_too_many(project, item->line, item->column, "targets", MOST_TARGETS);
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
        if (!put_dim(out, &dim->binding, sources, dim->entry))
            return tell_too_many(project, dim->line, dim->column, "dims", MOST_DIMS);
    }
    for (uint32_t i = 0; i < settings->input_count; i++) {
        const struct npart_project_input *input = &settings->inputs[i];
        if (!put_input(out, input->shape.input, input->shape.dims, input->shape.rank))
            return tell_too_many(project, input->line, input->column, "inputs", MOST_INPUTS);
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
    if (project && npart_project_settle(project->is.project, path, &settings, NULL) != NPART_OK)
        give_up();
    bool is_fine = !project || put_settings(project, &settings, asked, out, sources);
    if (project && !asked->oplist)
        out->oplist = project->is.oplist;
    if (project && !asked->cost)
        out->cost = project->is.cost;
    return is_fine && put_asked(asked, out, sources);
}

void project_tell_idle(const struct project *project, bool has_targets, bool has_waivers)
{
    void *payload = (void *)(uintptr_t)project;
    if (project->is.is_whole)
        npart_project_idle(project->is.project, has_targets, project_tell, payload);
    if (has_waivers)
        npart_project_idle_waivers(project->is.project, project->is.is_whole, project_tell, payload);
}
