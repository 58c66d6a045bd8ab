/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

/* One line that is written again and again, where somebody looks on. */
static void show_progress(void *payload, const char *rewrite, uint32_t plans)
{
    (void)payload;
    print_format(stderr, "\r\033[Kplan %u: %.60s", plans, rewrite);
}

static bool shows_progress(const struct options *options)
{
    return !options->is_quiet && is_stream_terminal(stderr);
}

/* `plan` and `sizes` are to be there as long as what is found. */
static struct npart_fix_options search_options(const struct run *run, const struct npart_inference_options *sizes,
                                               const struct npart_plan_options *plan, uint32_t slots, uint32_t tokens)
{
    const struct options *options = run->options;
    struct npart_fix_options fix = fix_options(run, sizes, plan, options->allowed);
    fix.only = options->only;
    fix.only_count = options->only_count;
    fix.without = options->without;
    fix.without_count = options->without_count;
    fix.most_growth = options->max_growth;
    fix.cache_slots = slots;
    fix.cache_tokens = tokens;
    fix.cache_shifts = options->cache_shifts;
    fix.cuts_windows = options->cuts_windows;
    fix.begin_at = options->begins;
    fix.begin_count = options->begin_count;
    fix.end_at = options->ends;
    fix.end_count = options->end_count;
    fix.progress = shows_progress(options) ? show_progress : NULL;
    return fix;
}

static npart_status search_for(const struct run *run, uint32_t slots, uint32_t tokens, npart_fix **out,
                               struct npart_error *error)
{
    const struct options *options = run->options;
    struct npart_plan_options plan = plan_options(options);
    struct npart_inference_options sizes = inference_options(options);
    struct npart_fix_options fix = search_options(run, &sizes, &plan, slots, tokens);
    npart_status status =
        npart_fix_make(out, options->models[0], (const npart_oplist *const *)run->oplists, options->targets,
                       (uint32_t)options->target_count, &fix, error);
    if (fix.progress)
        print_format(stderr, "\r\033[K");
    tell_all_time(options, error);
    return status;
}

/* ---- the page ---------------------------------------------------------------------------------------------- */

static npart_status compare_target(npart_diff **out, const struct npart_plan_pair *before,
                                   const struct npart_plan_pair *after, struct npart_error *error)
{
    npart_record *records[2] = {NULL};
    npart_status status = npart_record_make(&records[0], before->plan, before->advice, error);
    if (status == NPART_OK)
        status = npart_record_make(&records[1], after->plan, after->advice, error);
    if (status == NPART_OK)
        status = npart_diff_make(out, npart_record_side(records[0]), npart_record_side(records[1]), NULL, error);
    npart_record_free(records[0]);
    npart_record_free(records[1]);
    return status;
}

static npart_status add_diffs(struct run *run, const struct job *before, const struct job *after,
                              struct npart_error *error)
{
    npart_diff *diffs[MOST_TARGETS] = {NULL};
    int count = run->options->target_count;
    npart_status status = NPART_OK;
    for (int i = 0; i < count && status == NPART_OK; i++)
        status = compare_target(&diffs[i], &before->pairs[i], &after->pairs[i], error);
    if (status == NPART_OK)
        status = npart_document_add_diff(run->document, (const npart_diff *const *)diffs, (size_t)count, error);
    for (int i = 0; i < count; i++)
        npart_diff_free(diffs[i]);
    return status;
}

/* The reports before and after, what changed between them, and by which steps. */
static npart_status write_page(struct run *run, const npart_fix *fix, const char *written, struct npart_error *error)
{
    const char *path = run->options->models[0];
    size_t count = (size_t)run->options->target_count;
    struct job before = {0}, after = {0};
    npart_status status = document_open(run, error);
    if (status == NPART_OK)
        status = job_make(run, &before, path, NULL, true, error); /* as it was, with all that is said of it */
    for (int i = 0; i < run->options->target_count && status == NPART_OK; i++)
        status = job_advise(run, &after, npart_fix_plan(fix, (uint32_t)i), i, error);
    if (status == NPART_OK)
        status = npart_document_add(run->document, ENTRY(.path = path, .plans = before.pairs, .plan_count = count),
                                    error);
    if (status == NPART_OK)
        status = npart_document_add(run->document, ENTRY(.path = written ? written : path, .plans = after.pairs,
                                                         .plan_count = count), error);
    if (status == NPART_OK)
        status = add_diffs(run, &before, &after, error);
    if (status == NPART_OK)
        status = npart_document_add_fix(run->document, fix, written, error);
    tell_all_time(run->options, error);
    document_close(run);
    job_free(&after);
    job_free(&before);
    return status;
}

/* The other parts, which the report does not know by their paths. */
static npart_status tell_sides(struct run *run)
{
    const struct { const char *path, *what; } sides[] = {{run->options->head, "before"}, {run->options->rest, "after"}};
    bool is_good = true;
    for (size_t i = 0; i < 2 && is_good; i++) {
        if (!sides[i].path)
            continue;
        is_good = write_text(run, "Written: ") && write_text(run, sides[i].path) && write_text(run, ", run ") &&
                  write_text(run, sides[i].what) && write_text(run, " it\n");
    }
    return is_good ? NPART_OK : NPART_ERROR_WRITE;
}

/* ---- the command ------------------------------------------------------------------------------------------- */

/* `set`: the files that are made with it, `count` of them. */
static npart_status report(struct run *run, const npart_fix *fix, const char *written,
                              const struct npart_cache_try *set, size_t count, struct npart_error *error)
{
    if (run->options->is_quiet)
        return NPART_OK;
    if (wants_page(run->options))
        return write_page(run, fix, written, error);
    struct npart_subject subject = {
        .size = sizeof subject, .kind = NPART_SUBJECT_FIX, .fix = fix, .written = written, .tries = set,
        .count = count, .prompt_tokens = run->options->prompt_tokens};
    npart_status status = write_report(run, &subject, &run->report, error);
    return status == NPART_OK && written && run->options->format != FORMAT_JSON ? tell_sides(run) : status;
}

/* ---- a model that ends somewhere --------------------------------------------------------------------------- */

/* What stops the user from asking for it; NULL: nothing. */
static const char *objects_to_ends(const struct options *options)
{
    if (options->rest && !options->end_count)
        return "--rest goes with --end-at";
    if (options->head && !options->begin_count)
        return "--head goes with --begin-at";
    if ((options->end_count || options->begin_count) && options->cache_size_count)
        return "--cache changes the outputs that --end-at cuts off: one at a time";
    return NULL;
}

/* "yolo.npu.onnx" and "yolo.npu.manifest.json". */
static npart_status write_sides(const struct options *options, const npart_fix *fix, const char *written,
                                struct npart_error *error)
{
    static const char end[] = ".onnx";
    size_t length = strlen(written), rest = has_end(written, end) ? sizeof end - 1 : 0;
    struct npart_side_paths paths = {.size = sizeof paths, .model = written, .head = options->head,
                                     .rest = options->rest};
    paths.manifest = text_as("%.*s.manifest.json", (int)(length - rest), written);
    return npart_fix_write_sides(fix, &paths, options->weights, error);
}

static npart_status write_model(const struct options *options, const npart_fix *fix, const char *written,
                                struct npart_error *error)
{
    struct npart_ends_info ends = {.size = sizeof ends};
    return npart_fix_ends(fix, &ends) ? write_sides(options, fix, written, error)
                                      : npart_fix_write(fix, written, options->weights, error);
}

/* ---- what would mend --------------------------------------------------------------------------------------- */

#define ONE_LINE (1u << 20) /* columns */

/* The line that does it, with the file that was asked for; without its end. False: there is none. */
static bool write_hint_line(const struct npart_fix_info *info, const char *written, unsigned width, char *out,
                            size_t bytes)
{
    const char **words = need(info->run_count * sizeof *words);
    for (uint32_t i = 0; i < info->run_count; i++)
        words[i] = written && i && strcmp(info->run[i - 1], "-o") == 0 ? written : info->run[i];
    const struct npart_action action = {.size = sizeof action, .run = words, .run_count = info->run_count};
    size_t length = npart_action_lines(&action, 2, width, out, bytes);
    if (length && length < bytes)
        out[length - 1] = '\0';
    return length && length < bytes;
}

static bool tells_text(const struct options *options)
{
    return !options->is_quiet && options->format != FORMAT_JSON && !wants_page(options);
}

/* On standard error where standard output has something else. */
static void tell_mending(struct run *run, const char *line, const char *text)
{
    if (!tells_text(run->options)) {
        say("this would mend it: %s (%s)", line, text);
        return;
    }
    (void)(write_text(run, "This would mend it:\n  ") && write_text(run, line) && write_text(run, "\n  ") &&
           write_text(run, text) && write_text(run, "\n"));
}

/* Whether there is one, which is told. */
static bool hint(struct run *run, const npart_fix *found, bool with_sizes, const char *written)
{
    const struct options *options = run->options;
    struct npart_plan_options plan = plan_options(options);
    struct npart_inference_options sizes = inference_options(options);
    struct npart_fix_options search =
        search_options(run, &sizes, &plan, options->cache_sizes[0], (uint32_t)options->tokens);
    struct npart_fix_hint hint = {.size = sizeof hint};
    struct npart_fix_info info = {.size = sizeof info};
    char line[MESSAGE_BYTES];
    npart_fix *fix = NULL;
    (void)npart_fix_find_hint(&fix, &hint, found, options->models[0], (const npart_oplist *const *)run->oplists,
                              options->targets, (uint32_t)options->target_count, &search, with_sizes, NULL);
    if (search.progress)
        print_format(stderr, "\r\033[K");
    bool is_found = fix && npart_fix_info(fix, &info);
    if (is_found && !write_hint_line(&info, written, tells_text(options) ? 0 : ONE_LINE, line, sizeof line))
        (void)snprintf(line, sizeof line, "%s", hint.words);
    if (is_found)
        tell_mending(run, line, hint.text);
    if (is_found && with_sizes && tells_text(options))
        (void)write_text(run, "\n");
    npart_fix_free(fix);
    return is_found;
}

/* Of what was written, or would be. */
static void check_thresholds(struct run *run, const npart_fix *fix)
{
    const npart_inference *inference = npart_plan_inference(npart_fix_plan(fix, 0)); /* all plans have it */
    if (!meets_validity(run->options, run->options->models[0], inference))
        worsen(run, EXIT_THRESHOLD);
    for (int i = 0; i < run->options->target_count; i++)
        if (!meets_thresholds(run->options, run->options->models[0], run->options->targets[i],
                              npart_fix_plan(fix, (uint32_t)i)))
            worsen(run, EXIT_THRESHOLD);
}

/* What is worse than the input is told first, and not written. */
static bool is_harmful(const char *path, const npart_fix *fix)
{
    struct npart_fix_info info = {.size = sizeof info};
    if (!npart_fix_info(fix, &info) || !info.harm)
        return false;
    say("%s: nothing is written, as it would be worse: %s", path, info.harm);
    return true;
}

static enum exit_status list_rewrites(struct run *run)
{
    struct npart_error error = {0};
    run->output = stdout;
    npart_status status = npart_rewrites_describe(write_output, run, &error);
    if (status != NPART_OK && status != NPART_ERROR_WRITE) /* that is told once, at the end */
        tell_error("", &error);
    worsen(run, status_of(status));
    return run->status;
}

/* ---- several numbers of new tokens ------------------------------------------------------------------------- */

/* What stops the user from asking for them; NULL: nothing. */
static const char *objects_to_set(const struct options *options)
{
    if (!options->cache_size_count)
        return "--tokens with several numbers needs --cache";
    return wants_page(options) ? "a page is of one model: give --tokens one number" : NULL;
}

/* A list in JSON, as of several models. */
static npart_status report_set(struct run *run, npart_fix *const *fixes, const char *folder, struct npart_error *error)
{
    const struct options *options = run->options;
    bool is_list = options->format == FORMAT_JSON && !options->is_quiet;
    npart_status status = NPART_OK;
    struct npart_cache_try set[MOST_TOKEN_COUNTS] = {{0}};
    for (uint32_t i = 0; i < options->token_count_count; i++)
        set[i].fix = fixes[i];
    if (is_list && !write_text(run, "["))
        return NPART_ERROR_WRITE;
    for (uint32_t i = 0; i < options->token_count_count && status == NPART_OK; i++) {
        const char *path = folder ? text_as("%s/tokens-%u.onnx", folder, options->token_counts[i]) : NULL;
        if (i && !options->is_quiet && !write_text(run, is_list ? "," : "\n"))
            return NPART_ERROR_WRITE;
        status = report(run, fixes[i], path, set, options->token_count_count, error);
        check_thresholds(run, fixes[i]);
    }
    if (is_list && status == NPART_OK && !write_text(run, "]\n"))
        return NPART_ERROR_WRITE;
    return status;
}

/* A file for each number, which share their weights; all of them or none. */
static void run_set(struct run *run, const char *folder)
{
    const struct options *options = run->options;
    struct npart_error error = {0};
    npart_fix *fixes[MOST_TOKEN_COUNTS] = {NULL};
    npart_status status = NPART_OK;
    uint32_t count = options->token_count_count;
    for (uint32_t i = 0; i < count && status == NPART_OK; i++) {
        status = search_for(run, options->cache_sizes[0], options->token_counts[i], &fixes[i], &error);
        if (status == NPART_OK && is_harmful(options->models[0], fixes[i])) {
            worsen(run, EXIT_THRESHOLD);
            folder = NULL;
        }
    }
    if (status == NPART_OK && folder)
        status = npart_fix_write_set((const npart_fix *const *)fixes, count, folder, options->weights, &error);
    if (status == NPART_OK)
        status = report_set(run, fixes, folder, &error);
    if (status != NPART_OK && status != NPART_ERROR_WRITE)
        tell_error(options->models[0], &error);
    else if (status == NPART_ERROR_WRITE && *error.message)
        tell_error("", &error);
    worsen(run, status_of(status));
    for (uint32_t i = 0; i < count; i++)
        npart_fix_free(fixes[i]);
}

/* ---- several sizes of a cache ------------------------------------------------------------------------------ */

/* What stops the user from asking for them; NULL: nothing. */
static const char *objects_to_tries(const struct options *options, const char *written)
{
    if (written)
        return "--cache with several numbers compares them: leave out --output, then ask for one";
    return wants_page(options) ? "a page is of one model: give --cache one number" : NULL;
}

/* A number that cannot be had is a line, too; where none can, the last reason is the answer. */
static void run_tries(struct run *run)
{
    const struct options *options = run->options;
    struct npart_cache_try tries[MOST_TOKEN_COUNTS * MOST_TOKEN_COUNTS];
    struct npart_error errors[MOST_TOKEN_COUNTS * MOST_TOKEN_COUNTS] = {{0}}, error = {0};
    npart_fix *fixes[MOST_TOKEN_COUNTS * MOST_TOKEN_COUNTS] = {NULL};
    npart_status status = NPART_OK;
    size_t count = 0;
    for (uint32_t i = 0; i < options->cache_size_count; i++)
        for (uint32_t k = 0; k < (options->token_count_count ? options->token_count_count : 1); k++, count++) {
            uint32_t tokens = options->token_count_count ? options->token_counts[k] : 1;
            npart_status found = search_for(run, options->cache_sizes[i], tokens, &fixes[count], &errors[count]);
            tries[count] = (struct npart_cache_try){options->cache_sizes[i], tokens,
                                                    found == NPART_OK ? NULL : errors[count].message, fixes[count]};
            /* Only of the cache itself is it told in the table; anything else is true of all of them. */
            if (found != NPART_OK && found != NPART_ERROR_ARGUMENT)
                status = found, error = errors[count];
        }
    struct npart_subject subject = {.size = sizeof subject, .kind = NPART_SUBJECT_TRIES, .tries = tries,
                                    .count = count, .prompt_tokens = options->prompt_tokens};
    bool has_one = false;
    for (size_t i = 0; i < count; i++)
        has_one |= fixes[i] != NULL;
    if (status == NPART_OK && !has_one)
        status = NPART_ERROR_ARGUMENT, error = errors[count - 1];
    if (status == NPART_OK && !options->is_quiet)
        status = write_report(run, &subject, &run->report, &error);
    if (status != NPART_OK && (status != NPART_ERROR_WRITE || *error.message))
        tell_error(status == NPART_ERROR_WRITE ? "" : options->models[0], &error);
    worsen(run, status_of(status));
    for (size_t i = 0; i < count; i++)
        npart_fix_free(fixes[i]);
}

/* The report goes to standard output; --output is the model. */
enum exit_status run_fix(struct run *run, struct options *options)
{
    struct npart_error error = {0};
    npart_fix *fix = NULL;
    const char *written = options->is_dry_run ? NULL : options->output;
    if (options->lists_rewrites)
        return list_rewrites(run);
    if (options->model_count != 1)
        return usage(options->model_count ? "one model at a time" : "which model?");
    if (strcmp(options->models[0], "-") == 0)
        return usage("standard input cannot be read twice, as is needed to write the model");
    if (options->target_count == 0 && !options->oplist)
        return usage("which target? (--list-targets)");
    if (objects_to_ends(options))
        return usage(objects_to_ends(options));
    if (options->cache_size_count > 1 && objects_to_tries(options, written))
        return usage(objects_to_tries(options, written));
    if (!options->output && !options->is_dry_run && options->cache_size_count < 2)
        return usage("where to? --output FILE, or --dry-run");
    if (options->token_count_count > 1 && objects_to_set(options))
        return usage(objects_to_set(options));
    if (!find_oplists(run, options))
        return run->status;
    options->begun_ms = npart__monotonic_ms();
    options->output = NULL;
    run->output = stdout;
    choose_look(run);
    if (options->cache_size_count > 1 || options->token_count_count > 1) {
        if (options->cache_size_count > 1)
            run_tries(run);
        else
            run_set(run, written);
        return run->status;
    }
    npart_status status = search_for(run, options->cache_sizes[0], (uint32_t)options->tokens, &fix, &error);
    if (status == NPART_OK && is_harmful(options->models[0], fix)) {
        worsen(run, EXIT_THRESHOLD);
        written = NULL;
    }
    bool is_hinted = status == NPART_OK && !npart_fix_is_done(fix) && hint(run, fix, true, written);
    if (is_hinted && written) {
        (void)refuse(run, EXIT_THRESHOLD, "%s: nothing is written, as it needs sizes", options->models[0]);
        written = NULL;
    }
    if (status == NPART_OK && written)
        status = write_model(options, fix, written, &error);
    (void)is_fine(run, options->models[0], status, &error);
    if (fix && (status == NPART_OK || status == NPART_ERROR_UNPROVEN)) {
        npart_status told = report(run, fix, status == NPART_OK ? written : NULL, NULL, 0, &error);
        if (told != NPART_OK && told != NPART_ERROR_WRITE)
            tell_error(options->models[0], &error);
        worsen(run, status_of(told));
        check_thresholds(run, fix);
        if (status == NPART_OK && written && options->weights == NPART_WEIGHTS_LINK)
            say("%s: note: external data is a hard link now, which onnx.load refuses, of both models; ONNX Runtime "
                "takes it. --weights copy does without", written);
        if (told == NPART_OK && !is_hinted && tells_text(options) && !npart_fix_is_done(fix))
            (void)hint(run, fix, false, written);
    }
    npart_fix_free(fix);
    return run->status;
}
