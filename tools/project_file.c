/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a project file lies, and what it says of a model.
 */
#include "project_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "files.h"
#include "glob.h"
#include "message.h"
#include "output_file.h"
#include "platform.h"
#include "scan_text.h"
#include "thresholds.h"

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
    bool is_found = path && kind_of_path(path, true) != PATH_NOTHING;
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
        at[name_offset(at)] = '\0';
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
        project->folder[name_offset(project->folder)] = '\0';
    project->shown = project->folder ? shown_folder(project->folder) : NULL;
    project->path = project->shown ? join_parts(project->shown, path + name_offset(path), "") : NULL;
    return project->path != NULL;
}

/* ---- reading ------------------------------------------------------------------------------------------------ */

/* All of a file that is not too large for TOML; NULL, and errno (0: too large). */
static char *read_bytes(const char *path, size_t *count)
{
    FILE *file = open_file(path, "rb");
    char *bytes = file ? malloc(TOML_MOST_BYTES + 1) : NULL;
    errno = bytes || !file ? errno : ENOMEM;
    *count = bytes ? fread(bytes, 1, TOML_MOST_BYTES + 1, file) : 0;
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

static bool read_document(struct project *project, const char *path)
{
    struct toml_problem problem;
    size_t count;
    char *bytes = read_bytes(path, &count);
    if (!bytes) {
        say("%s: cannot read the file: %s", path, strerror(errno));
        return false;
    }
    bool is_read = toml_read(&project->document, bytes, count, &problem);
    free(bytes);
    if (!is_read && problem.line)
        say("%s:%u:%u: %s", project->path, problem.line, problem.column, problem.text);
    else if (!is_read)
        say("%s: %s", project->path, problem.text);
    return is_read;
}

/* A path of the file, from the working directory. */
static bool resolve(const struct project *project, const struct toml_value *value, char **out)
{
    if (value)
        *out = join_parts(is_absolute_path(value->as.text.bytes) ? "" : project->shown, value->as.text.bytes, "");
    return !value || *out;
}

struct project *project_read(const char *path)
{
    struct project *project = calloc(1, sizeof *project);
    if (!project || !find_places(project, path)) {
        say("%s: cannot read the file: %s", path, project ? strerror(errno) : "out of memory");
        project_free(project);
        return NULL;
    }
    bool is_read = read_document(project, path) && read_schema(project);
    if (is_read) {
        project->found = calloc(TOML_MOST_VALUES, sizeof *project->found);
        is_read = project->found && resolve(project, project->oplist, &project->oplist_path) &&
                  resolve(project, project->cost, &project->cost_path) &&
                  resolve(project, project->baseline, &project->baseline_path);
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
    toml_free(project->document);
    free(project->tables);
    free(project->waivers);
    free(project->found);
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
    struct toml_problem problem;
    struct toml_document *document = NULL;
    struct text whole = {0};
    size_t there;
    char *bytes = read_bytes(project->path, &there);
    bool is_fine = bytes && text_write(&whole, bytes, there) && add_lines(&whole, text, count);
    if (!is_fine)
        say("%s: cannot read the file: %s", project->path, bytes ? "out of memory" : strerror(errno));
    free(bytes);
    if (is_fine && !toml_read(&document, whole.bytes, whole.count, &problem)) {
        say("%s: nothing was written, as [[waivers]] cannot be added at its end: %s", project->path, problem.text);
        is_fine = false;
    }
    toml_free(document);
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

bool project_matches(const struct toml_value *globs, const char *path)
{
    for (const struct toml_value *glob = first_string(globs); glob; glob = next_string(globs, glob))
        if (glob_match(glob->as.text.bytes, path))
            return true;
    return false;
}

static bool add_targets(const struct project *project, const struct toml_value *targets, struct options *out)
{
    for (const struct toml_value *item = first_string(targets); item; item = next_string(targets, item)) {
        bool is_all = strcmp(item->as.text.bytes, "all") == 0;
        for (size_t i = 0; is_all ? npart_builtin_oplist(i) != NULL : i < 1; i++) {
            if (out->target_count == MOST_TARGETS) {
                project_say(project, item->at, "more than %d targets", MOST_TARGETS);
                return false;
            }
            out->targets[out->target_count++] = is_all ? npart_builtin_oplist(i) : item->as.text.bytes;
        }
    }
    return true;
}

/* Instead of one of the same name. */
static bool put_dim(struct options *out, const struct npart_dim_binding *dim, const struct toml_value **sources,
                    const struct toml_value *source)
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

static bool put_dims(const struct project *project, const struct toml_value *dims, struct options *out,
                     const struct toml_value **sources)
{
    for (const struct toml_value *entry = dims ? dims->as.members.first : NULL; entry; entry = entry->next) {
        bool is_limit = entry->kind == TOML_STRING;
        struct npart_dim_binding dim = {.name = entry->key, .is_limit = is_limit};
        dim.size = is_limit ? limit_of_dim(entry->as.text.bytes) : entry->as.integer;
        if (!put_dim(out, &dim, sources, entry)) {
            project_say(project, entry->key_at, "more than %d dims", MOST_DIMS);
            return false;
        }
    }
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

static bool put_inputs(const struct project *project, const struct toml_value *inputs, struct options *out)
{
    for (const struct toml_value *entry = inputs ? inputs->as.members.first : NULL; entry; entry = entry->next) {
        int64_t dims[MOST_RANK];
        uint32_t rank = 0;
        for (const struct toml_value *dim = entry->as.members.first; dim; dim = dim->next)
            dims[rank++] = dim->as.integer;
        if (!put_input(out, entry->key, dims, rank)) {
            project_say(project, entry->key_at, "more than %d inputs", MOST_INPUTS);
            return false;
        }
    }
    return true;
}

/* Each says what the one before says otherwise. */
static void put_thresholds(const struct settings *settings, struct options *out)
{
    for (int i = 0; i < NPART_BOUNDS; i++)
        if (settings->bounds[i])
            out->thresholds.bounds[i] = number_of(settings->bounds[i]);
    if (settings->max_partitions)
        out->thresholds.max_partitions = settings->max_partitions->as.integer;
    if (settings->min_coverage)
        out->thresholds.min_coverage = share_of(settings->min_coverage);
    if (settings->min_mac_coverage)
        out->thresholds.min_mac_coverage = share_of(settings->min_mac_coverage);
    if (settings->allow_none)
        out->thresholds.allows_none = settings->allow_none->as.boolean;
    if (settings->fail_on) {
        const struct toml_value *words = settings->fail_on;
        memset(out->thresholds.fails_on, 0, sizeof out->thresholds.fails_on);
        for (const struct toml_value *item = first_string(words); item; item = next_string(words, item))
            out->thresholds.fails_on[fail_on_of(item)] = true;
        out->thresholds.fails_on[NPART_FAILS_ON_INVALID] |= out->thresholds.fails_on[NPART_FAILS_ON_FAIL];
    }
}

static bool put_settings(struct project *project, const struct settings *settings, const struct options *asked,
                         struct options *out, const struct toml_value **sources)
{
    if (settings->targets && !asked->target_count) {
        out->target_count = 0;
        project->targets_of_last = settings->targets;
        if (!add_targets(project, settings->targets, out))
            return false;
    }
    if (settings->level && !asked->has_level)
        out->level = strcmp(settings->level->as.text.bytes, "off") == 0 ? NPART_LEVEL_OFF : NPART_LEVEL_BASIC;
    if (settings->runtime && !asked->runtime)
        out->runtime = settings->runtime->as.text.bytes;
    put_thresholds(settings, out);
    return put_dims(project, settings->dims, out, sources) && put_inputs(project, settings->inputs, out);
}

static bool is_found(const struct project *project, const struct toml_value *entry)
{
    uint32_t at = 0;
    while (at < project->found_count && project->found[at] != entry)
        at++;
    return at < project->found_count;
}

void project_found(struct project *project, const struct toml_value *entry)
{
    if (!is_found(project, entry))
        project->found[project->found_count++] = entry;
}

/* What follows a variant is a switch; without a variant "-npu" may be a part of the name. */
static bool means_target(const char *text, const char *target)
{
    size_t length = strlen(text);
    return strncmp(target, text, length) == 0 &&
           (!target[length] || strchr(strchr(text, ':') ? ":+-@" : ":+@", target[length]));
}

/* Those for all targets, then those for one: of several names that mean it each one. */
static void put_thresholds_on(struct project *project, const struct settings *settings, const char *target,
                              struct options *out)
{
    put_thresholds(settings, out);
    for (const struct toml_value *on = settings->on ? settings->on->as.members.first : NULL; on; on = on->next) {
        struct settings own;
        if (!means_target(on->key, target) || !read_thresholds(project, on, &own))
            continue;
        project_found(project, on);
        put_thresholds(&own, out);
    }
}

static void put_asked_thresholds(const struct options *asked, struct options *out)
{
    static const bool nothing[NPART_CONDITIONS];
    for (int i = 0; i < NPART_BOUNDS; i++)
        if (asked->thresholds.bounds[i] >= 0)
            out->thresholds.bounds[i] = asked->thresholds.bounds[i];
    if (asked->thresholds.max_partitions >= 0)
        out->thresholds.max_partitions = asked->thresholds.max_partitions;
    if (asked->thresholds.min_coverage >= 0)
        out->thresholds.min_coverage = asked->thresholds.min_coverage;
    if (asked->thresholds.min_mac_coverage >= 0)
        out->thresholds.min_mac_coverage = asked->thresholds.min_mac_coverage;
    out->thresholds.allows_none |= asked->thresholds.allows_none;
    if (memcmp(asked->thresholds.fails_on, nothing, sizeof nothing) != 0)
        memcpy(out->thresholds.fails_on, asked->thresholds.fails_on, sizeof out->thresholds.fails_on);
}

/* What the command line says counts most. */
static bool put_asked(const struct options *asked, struct options *out, const struct toml_value **sources)
{
    bool is_fine = true;
    put_asked_thresholds(asked, out);
    for (uint32_t i = 0; i < asked->dim_count; i++)
        is_fine &= put_dim(out, &asked->dims[i], sources, NULL);
    for (uint32_t i = 0; i < asked->input_count; i++)
        is_fine &= put_input(out, asked->inputs[i].input, asked->inputs[i].dims, asked->inputs[i].rank);
    if (!is_fine)
        say("too many dims or inputs, with those of the project file");
    return is_fine;
}

bool project_settle(struct project *project, const char *path, const struct options *asked, struct options *out,
                    const struct toml_value **sources)
{
    *out = *asked;
    out->dim_count = out->input_count = 0;
    out->thresholds = (struct npart_thresholds)NPART_THRESHOLDS_INIT;
    if (project)
        project->targets_of_last = NULL;
    bool is_fine = !project || put_settings(project, &project->top, asked, out, sources);
    for (uint32_t i = 0; is_fine && project && path && i < project->table_count; i++) {
        struct model_table *table = &project->tables[i];
        if (!project_matches(table->path, path))
            continue;
        table->has_model = true;
        is_fine = put_settings(project, &table->settings, asked, out, sources);
    }
    if (project && !asked->oplist)
        out->oplist = project->oplist_path;
    if (project && !asked->cost)
        out->cost = project->cost_path;
    return is_fine && put_asked(asked, out, sources);
}

void project_settle_target(struct project *project, const char *path, const struct options *asked,
                           const char *target, struct options *out)
{
    put_thresholds_on(project, &project->top, target, out);
    for (uint32_t i = 0; path && i < project->table_count; i++)
        if (project_matches(project->tables[i].path, path))
            put_thresholds_on(project, &project->tables[i].settings, target, out);
    put_asked_thresholds(asked, out);
}

static void tell_dims(const struct project *project, const struct toml_value *dims)
{
    for (const struct toml_value *dim = dims ? dims->as.members.first : NULL; dim; dim = dim->next)
        if (!is_found(project, dim))
            project_say(project, dim->key_at, "note: no model has a dim %s", dim->key);
}

static void tell_settings(const struct project *project, const struct settings *settings, bool has_targets)
{
    const struct toml_value *on = has_targets && settings->on ? settings->on->as.members.first : NULL;
    tell_dims(project, settings->dims);
    for (; on; on = on->next)
        if (!is_found(project, on))
            project_say(project, on->key_at, "note: no model is checked for a target %s", on->key);
}

void project_tell_idle(const struct project *project, bool has_targets)
{
    tell_settings(project, &project->top, has_targets);
    for (uint32_t i = 0; i < project->table_count; i++)
        if (project->tables[i].has_model)
            tell_settings(project, &project->tables[i].settings, has_targets);
}

/* The smaller share, where there is one to be reached. */
static void accept_share(const struct toml_value *value, double *share)
{
    if (value && *share > share_of(value))
        *share = share_of(value);
}

/* Of several waivers for one threshold the most generous counts, in whatever order they stand. A waiver's own fail-on
 * are the conditions that it accepts. */
void project_accept(const struct waiver *waiver, struct options *options)
{
    const struct settings *settings = &waiver->settings;
    const struct toml_value *accepted = settings->fail_on, *most = settings->max_partitions;
    if (most && options->thresholds.max_partitions >= 0 && options->thresholds.max_partitions < most->as.integer)
        options->thresholds.max_partitions = most->as.integer;
    accept_share(settings->min_coverage, &options->thresholds.min_coverage);
    accept_share(settings->min_mac_coverage, &options->thresholds.min_mac_coverage);
    for (int i = 0; i < NPART_BOUNDS; i++) {
        double *bound = &options->thresholds.bounds[i];
        double is = settings->bounds[i] ? number_of(settings->bounds[i]) : *bound;
        if (*bound >= 0 && (is_least_bound(i) ? is < *bound : is > *bound))
            *bound = is;
    }
    options->thresholds.allows_none |= settings->allow_none && settings->allow_none->as.boolean;
    for (const struct toml_value *item = first_string(accepted); item; item = next_string(accepted, item)) {
        enum npart_condition word = fail_on_of(item);
        options->thresholds.fails_on[word] = false;
        if (word == NPART_FAILS_ON_FAIL)
            options->thresholds.fails_on[NPART_FAILS_ON_INVALID] = false;
    }
}

void project_limit(const struct waiver *waiver, struct options *options)
{
    struct settings limits = waiver->settings;
    limits.fail_on = NULL;
    options->thresholds = (struct npart_thresholds)NPART_THRESHOLDS_INIT;
    put_thresholds(&limits, options);
}

bool waiver_has_target(const struct waiver *waiver, const char *target)
{
    for (const struct toml_value *item = first_string(waiver->targets); item; item = next_string(waiver->targets, item))
        if (means_target(item->as.text.bytes, target))
            return true;
    return !waiver->targets;
}
