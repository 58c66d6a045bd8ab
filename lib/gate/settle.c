/* SPDX-License-Identifier: Apache-2.0
 *
 * What a project file says of a model and a target, and what its waivers accept.
 */
#include <stdio.h>

#include "gate/judge.h"

bool npart_project_matches(const struct npart_project_texts *globs, const char *path)
{
    for (uint32_t i = 0; globs && path && i < globs->count; i++)
        if (npart_glob_match(globs->items[i].text, path))
            return true;
    return false;
}

/* ---- of a model --------------------------------------------------------------------------------------------- */

/* Instead of one of the same name. */
static bool put_dims(npart_project *project, const struct npart__toml *dims)
{
    for (const struct npart__toml *entry = dims ? dims->as.members.first : NULL; entry; entry = entry->next) {
        bool is_limit = entry->kind == NPART__TOML_STRING;
        struct npart_project_dim dim = {.entry = entry->key_at};
        dim.binding = (struct npart_dim_binding){.name = entry->key, .is_limit = is_limit};
        dim.binding.size = is_limit ? npart__limit_of_dim(entry->as.text.bytes) : entry->as.integer;
        npart__toml_place(project->document, entry->key_at, &dim.line, &dim.column);
        uint32_t at = 0;
        while (at < project->dims.count && strcmp(project->dims.items[at].binding.name, entry->key) != 0)
            at++;
        if (at < project->dims.count)
            project->dims.items[at] = dim;
        else if (!NPART__PUSH(&project->life->arena, &project->dims, dim))
            return false;
    }
    return true;
}

/* The same; sizes are copied. */
static bool put_inputs(npart_project *project, const struct npart__toml *inputs)
{
    for (const struct npart__toml *entry = inputs ? inputs->as.members.first : NULL; entry;
         entry = entry->next) {
        struct npart_project_input input = {.line = 0};
        int64_t *dims =
            npart__arena_zeroed(&project->life->arena, entry->as.members.count + (size_t)1, sizeof *dims);
        uint32_t rank = 0, at = 0;
        if (!dims)
            return false;
        for (const struct npart__toml *dim = entry->as.members.first; dim; dim = dim->next)
            dims[rank++] = dim->as.integer;
        input.shape = (struct npart_input_shape){.input = entry->key, .dims = dims, .rank = rank};
        npart__toml_place(project->document, entry->key_at, &input.line, &input.column);
        while (at < project->inputs.count && strcmp(project->inputs.items[at].shape.input, entry->key) != 0)
            at++;
        if (at < project->inputs.count)
            project->inputs.items[at] = input;
        else if (!NPART__PUSH(&project->life->arena, &project->inputs, input))
            return false;
    }
    return true;
}

/* Each says what the one before says otherwise. */
static void put_thresholds(const struct npart__project_settings *settings, struct npart_thresholds *out)
{
    for (int i = 0; i < NPART_BOUNDS; i++)
        if (settings->bounds[i])
            out->bounds[i] = npart__number_of_value(settings->bounds[i]);
    if (settings->max_partitions)
        out->max_partitions = settings->max_partitions->as.integer;
    if (settings->min_coverage)
        out->min_coverage = npart__share_of(settings->min_coverage);
    if (settings->min_mac_coverage)
        out->min_mac_coverage = npart__share_of(settings->min_mac_coverage);
    if (settings->allow_none)
        out->allows_none = settings->allow_none->as.boolean;
    if (!settings->fail_on)
        return;
    const struct npart__toml *words = settings->fail_on;
    memset(out->fails_on, 0, sizeof out->fails_on);
    for (const struct npart__toml *item = npart__first_string(words); item;
         item = npart__next_string(words, item))
        out->fails_on[npart__condition_of(item)] = true;
    out->fails_on[NPART_FAILS_ON_INVALID] |= out->fails_on[NPART_FAILS_ON_FAIL];
}

static bool put_settings(npart_project *project, const struct npart__project_settings *settings,
                         struct npart_project_settings *out)
{
    if (settings->targets) {
        out->targets = npart__texts_of(project, settings->targets);
        npart__toml_place(project->document, settings->targets->at, &out->targets_line, &out->targets_column);
    }
    if (settings->level) {
        out->has_level = true;
        out->level = strcmp(settings->level->as.text.bytes, "off") == 0 ? NPART_LEVEL_OFF : NPART_LEVEL_BASIC;
    }
    if (settings->runtime)
        out->runtime = settings->runtime->as.text.bytes;
    put_thresholds(settings, &out->thresholds);
    return put_dims(project, settings->dims) && put_inputs(project, settings->inputs) &&
           !project->life->arena.failed;
}

npart_status npart_project_settle(npart_project *project, const char *path, struct npart_project_settings *out,
                                  struct npart_error *error)
{
    struct npart_project_settings found = {.size = sizeof found, .thresholds = NPART_THRESHOLDS_INIT};
    if (!project || !out)
        return npart__fail_null(!project ? "project" : "out", error);
    if (out->size != sizeof *out)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "out has a size that is not known");
    project->dims.count = project->inputs.count = 0;
    bool is_fine = put_settings(project, &project->file.top, &found);
    for (uint32_t i = 0; is_fine && path && i < project->file.table_count; i++) {
        struct npart__model_table *table = &project->file.tables[i];
        if (!npart_project_matches(&table->paths, path))
            continue;
        table->has_model = true;
        is_fine = put_settings(project, &table->settings, &found);
    }
    if (!is_fine)
        return npart__settle_for(project->life, npart__fail_memory(error), error);
    found.dims = project->dims.items;
    found.dim_count = project->dims.count;
    found.inputs = project->inputs.items;
    found.input_count = project->inputs.count;
    *out = found;
    return NPART_OK;
}

/* ---- of a target -------------------------------------------------------------------------------------------- */

static bool is_found(const npart_project *project, uint32_t entry)
{
    uint32_t at = 0;
    while (at < project->found.count && project->found.items[at] != entry)
        at++;
    return at < project->found.count;
}

/* Where there is no memory for it, a note is told that is not needed. */
void npart_project_found(npart_project *project, uint32_t entry)
{
    if (project && !is_found(project, entry))
        (void)NPART__PUSH(&project->life->arena, &project->found, entry);
}

/* What follows a variant is a switch; without a variant "-npu" may be a part of the name. */
static bool means_target(const char *text, const char *target)
{
    size_t length = strlen(text);
    return strncmp(target, text, length) == 0 &&
           (!target[length] || strchr(strchr(text, ':') ? ":+-@" : ":+@", target[length]));
}

/* Those for all targets, then those for one: of several names that mean it each one. */
static void put_thresholds_on(npart_project *project, const struct npart__project_settings *settings,
                              const char *target, struct npart_thresholds *out)
{
    put_thresholds(settings, out);
    for (const struct npart__toml *on = settings->on ? settings->on->as.members.first : NULL; on;
         on = on->next) {
        struct npart__project_settings own;
        if (!means_target(on->key, target))
            continue;
        npart__read_thresholds(project, on, &own);
        npart_project_found(project, on->key_at);
        put_thresholds(&own, out);
    }
}

void npart_project_settle_target(npart_project *project, const char *path, const char *target,
                                 struct npart_thresholds *inout)
{
    if (!project || !target || !inout)
        return;
    put_thresholds_on(project, &project->file.top, target, inout);
    for (uint32_t i = 0; path && i < project->file.table_count; i++)
        if (npart_project_matches(&project->file.tables[i].paths, path))
            put_thresholds_on(project, &project->file.tables[i].settings, target, inout);
}

/* ---- what nothing was found for ----------------------------------------------------------------------------- */

static void tell_entries(const npart_project *project, const struct npart__toml *table, const char *format,
                         npart_project_callback tell, void *payload)
{
    for (const struct npart__toml *at = table ? table->as.members.first : NULL; at; at = at->next) {
        char text[512];
        uint32_t line, column;
        if (is_found(project, at->key_at))
            continue;
        (void)snprintf(text, sizeof text, "%s%.400s", format, at->key);
        npart__toml_place(project->document, at->key_at, &line, &column);
        tell(payload, line, column, text);
    }
}

static void tell_settings(const npart_project *project, const struct npart__project_settings *settings,
                          bool has_targets, npart_project_callback tell, void *payload)
{
    tell_entries(project, settings->dims, "note: no model has a dim ", tell, payload);
    tell_entries(project, has_targets ? settings->on : NULL, "note: no model is checked for a target ", tell, payload);
}

void npart_project_idle(const npart_project *project, bool has_targets, npart_project_callback tell, void *payload)
{
    if (!project || !tell)
        return;
    tell_settings(project, &project->file.top, has_targets, tell, payload);
    for (uint32_t i = 0; i < project->file.table_count; i++)
        if (project->file.tables[i].has_model)
            tell_settings(project, &project->file.tables[i].settings, has_targets, tell, payload);
}

/* ---- waivers ------------------------------------------------------------------------------------------------ */

bool npart__waiver_has_target(const struct npart__waiver *waiver, const char *target)
{
    for (uint32_t i = 0; i < waiver->for_targets.count; i++)
        if (means_target(waiver->for_targets.items[i].text, target))
            return true;
    return !waiver->targets;
}

bool npart__waiver_speaks_of(const struct npart__waiver *waiver, const char *threshold)
{
    static const char fail_on[] = "fail-on ";
    const struct npart__project_settings *settings = &waiver->settings;
    const struct npart__toml *words = settings->fail_on;
    enum npart_bound bound = npart__bound_of(threshold);
    if (strncmp(threshold, fail_on, sizeof fail_on - 1) == 0) {
        for (const struct npart__toml *item = npart__first_string(words); item;
             item = npart__next_string(words, item))
            if (strcmp(item->as.text.bytes, threshold + sizeof fail_on - 1) == 0)
                return true;
        return false;
    }
    if (bound != NPART_BOUNDS)
        return settings->bounds[bound] != NULL;
    return (strcmp(threshold, "max-partitions") == 0 && (settings->max_partitions || settings->allow_none)) ||
           (strcmp(threshold, NPART__REGRESSION) == 0 && waiver->worse && waiver->worse->as.boolean) ||
           (strcmp(threshold, "min-coverage") == 0 && settings->min_coverage) ||
           (strcmp(threshold, "min-mac-coverage") == 0 && (settings->min_mac_coverage || settings->min_coverage));
}

/* The smaller share, where there is one to be reached. */
static void accept_share(const struct npart__toml *value, double *share)
{
    if (value && *share > npart__share_of(value))
        *share = npart__share_of(value);
}

/* Of several waivers for one threshold the most generous counts, in whatever order they stand. A waiver's own fail-on
 * are the conditions that it accepts. */
void npart__waiver_accept(const struct npart__waiver *waiver, struct npart_thresholds *inout)
{
    const struct npart__project_settings *settings = &waiver->settings;
    const struct npart__toml *accepted = settings->fail_on, *most = settings->max_partitions;
    if (most && inout->max_partitions >= 0 && inout->max_partitions < most->as.integer)
        inout->max_partitions = most->as.integer;
    accept_share(settings->min_coverage, &inout->min_coverage);
    accept_share(settings->min_mac_coverage, &inout->min_mac_coverage);
    for (int i = 0; i < NPART_BOUNDS; i++) {
        struct npart_bound_info info = {.size = sizeof info};
        double *bound = &inout->bounds[i];
        double is = settings->bounds[i] ? npart__number_of_value(settings->bounds[i]) : *bound;
        (void)npart_bound_info((enum npart_bound)i, &info);
        if (*bound >= 0 && (info.is_least ? is < *bound : is > *bound))
            *bound = is;
    }
    inout->allows_none |= settings->allow_none && settings->allow_none->as.boolean;
    for (const struct npart__toml *item = npart__first_string(accepted); item;
         item = npart__next_string(accepted, item)) {
        enum npart_condition word = npart__condition_of(item);
        inout->fails_on[word] = false;
        if (word == NPART_FAILS_ON_FAIL)
            inout->fails_on[NPART_FAILS_ON_INVALID] = false;
    }
}

void npart__waiver_limit(const struct npart__waiver *waiver, struct npart_thresholds *out)
{
    struct npart__project_settings limits = waiver->settings;
    limits.fail_on = NULL;
    *out = (struct npart_thresholds)NPART_THRESHOLDS_INIT;
    put_thresholds(&limits, out);
}
