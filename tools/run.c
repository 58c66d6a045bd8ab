/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

void worsen(struct run *run, enum exit_status status)
{
    if (status > run->status)
        run->status = status;
}

bool tell_missing_dims(struct run *run, const struct npart_dim_binding *dims, uint32_t count, const bool *is_found)
{
    bool are_found = true;
    for (uint32_t i = 0; i < count; i++)
        if (!is_found[i])
            are_found = refuse(run, EXIT_USAGE, "--dim %s: no model has such a dim", dims[i].name);
    return are_found;
}

bool can_be_read_again(struct run *run, const char *path)
{
    return npart__path_kind(path, true) != NPART__PATH_OTHER ||
           refuse(run, EXIT_UNREADABLE, "%s: is no regular file: what is written is read from it once more", path);
}

enum exit_status status_of(npart_status status)
{
    switch (status) {
    case NPART_OK:
        return EXIT_FINE;
    case NPART_ERROR_ARGUMENT:
    case NPART_ERROR_OPLIST:
        return EXIT_USAGE;
    case NPART_ERROR_READ:
    case NPART_ERROR_MALFORMED:
    case NPART_ERROR_LIMIT:
    case NPART_ERROR_TIMEOUT:
        return EXIT_UNREADABLE;
    default:
        return EXIT_OTHER;
    }
}

void tell_error(const char *about, const struct npart_error *error)
{
    say("%s%s%s%s%s", about, *about ? ": " : "", error->place, *error->place ? ": " : "", error->message);
}

bool is_fine(struct run *run, const char *about, npart_status status, const struct npart_error *error)
{
    if (status == NPART_OK)
        return true;
    tell_error(about, error);
    worsen(run, status_of(status));
    return false;
}

/* ---- input and output -------------------------------------------------------------------------------------- */

static ptrdiff_t read_standard_input(void *payload, void *into, size_t bytes)
{
    (void)payload;
    return npart__file_read(0, into, bytes);
}

FILE *open_output(struct run *run)
{
    if (!run->output && !run->write_error && begin_output_file(&run->output_file, run->options->output))
        run->output = run->output_file.stream;
    return run->output;
}

bool write_output(void *payload, const char *text, size_t bytes)
{
    struct run *run = payload;
    FILE *output = open_output(run);
    bool is_written = output && print_bytes(output, text, bytes);
    if (!is_written && !run->write_error)
        run->write_error = errno;
    return is_written;
}

npart_status write_report(struct run *run, const struct npart_subject *subject, const struct npart_report_options *look,
                          struct npart_error *error)
{
    enum format format = run->options->format;
    bool is_told = format == FORMAT_JSON || (format == FORMAT_MARKDOWN && subject->kind == NPART_SUBJECT_DIFFS) ||
                   ((format == FORMAT_CSV || format == FORMAT_SVG) && subject->kind == NPART_SUBJECT_LOSSES);
    return npart_report(subject, is_told ? (enum npart_format)format : NPART_FORMAT_TEXT, look, write_output, run,
                        error);
}

bool write_text(struct run *run, const char *text)
{
    return write_output(run, text, strlen(text));
}

/* What a checkout without Git LFS has in the place of a file. */
static bool is_pointer(const char *path)
{
    static const char start[] = "version https://git-lfs.github.com/spec/";
    char found[sizeof start - 1];
    FILE *file = npart__stream_open(path, "rb");
    bool is_one = file && fread(found, 1, sizeof found, file) == sizeof found;
    is_one = is_one && memcmp(found, start, sizeof found) == 0;
    if (file)
        (void)fclose(file);
    return is_one;
}

void print_line(struct run *run, const char *format, ...)
{
    char shown[MESSAGE_BYTES];
    va_list list;
    va_start(list, format);
    format_plain(shown, sizeof shown, format, list);
    va_end(list);
    (void)(write_text(run, shown) && write_text(run, "\n"));
}

/* Of the time that the user gave; 0: any. */
static uint64_t time_left(const struct options *options)
{
    uint64_t spent = options->begun_ms ? npart__monotonic_ms() - options->begun_ms : 0;
    if (!options->timeout_ms)
        return 0;
    return spent < options->timeout_ms ? options->timeout_ms - spent : 1;
}

void tell_all_time(const struct options *options, struct npart_error *error)
{
    if (error->status == NPART_ERROR_TIMEOUT && options->begun_ms)
        (void)snprintf(error->message, sizeof error->message, "not finished after %llu.%03u s (timeout)",
                       (unsigned long long)(options->timeout_ms / 1000), (unsigned)(options->timeout_ms % 1000));
}

#define MOST_FOLDER_BYTES 120u /* of a name in a line to paste, which is told whole or not at all */

static npart_status tell_folder(const struct options *options, const char *path, struct npart_error *error)
{
    char word[MOST_FOLDER_BYTES];
    const char *target = options->target_count ? options->targets[0] : NULL;
    bool has_word = npart_shell_word(path, word, sizeof word) < sizeof word;
    *error = (struct npart_error){.status = NPART_ERROR_READ};
    (void)snprintf(error->message, sizeof error->message, "is a folder, not a model: npu-partition scan %s -t %.60s",
                   has_word ? word : "FOLDER", target ? target : "TARGET");
    return NPART_ERROR_READ;
}

struct npart_read_options read_options_of(const struct options *options)
{
    struct npart_read_options read = NPART_READ_OPTIONS_INIT;
    read.keep_bytes = options->keep_bytes;
    read.values = options->values;
    read.value_count = options->value_count;
    read.max_memory_bytes = options->max_memory_bytes;
    read.max_ms = time_left(options);
    read.limits = options->limits;
    read.limit_count = options->limit_count;
    return read;
}

npart_status read_model(npart_model **out, const struct options *options, const char *path, struct npart_error *error)
{
    struct npart_read_options read = read_options_of(options);
    const char *file = strcmp(path, "-") == 0 ? NULL : path;
    if (file && npart__path_kind(file, true) == NPART__PATH_FOLDER)
        return tell_folder(options, file, error);
    npart_status status = npart_model_read_bound(out, file, read_standard_input, NULL, &read, error);
    if (status == NPART_ERROR_MALFORMED && error && file && is_pointer(file)) {
        *error->place = '\0';
        (void)snprintf(error->message, sizeof error->message, "a pointer of Git LFS, not the model: run git lfs pull");
    }
    return status;
}

struct npart_inference_options inference_options(const struct options *options)
{
    struct npart_inference_options sizes = NPART_INFERENCE_OPTIONS_INIT;
    sizes.dims = options->dims;
    sizes.dim_count = options->dim_count;
    sizes.inputs = options->inputs;
    sizes.input_count = options->input_count;
    bool has_lengths = options->lengths.sample_count || options->lengths.quantile_count;
    sizes.lengths = has_lengths ? &options->lengths : NULL;
    return sizes;
}

npart_status infer(npart_inference **out, const npart_model *model, const struct options *options, bool *is_missing,
                   struct npart_error *error)
{
    struct npart_inference_options sizes = inference_options(options);
    sizes.may_lack_dims = is_missing != NULL;
    npart_status status = npart_inference_make(out, model, &sizes, error);
    for (uint32_t i = 0; status == NPART_OK && is_missing && i < sizes.dim_count; i++)
        is_missing[i] = npart_inference_lacks(*out, i);
    return status;
}

struct npart_plan_options plan_options(const struct options *options)
{
    struct npart_plan_options plan = NPART_PLAN_OPTIONS_INIT;
    plan.level = options->level;
    plan.partitioner = options->partitioner;
    plan.gates = options->gates;
    plan.assumptions = options->assumptions;
    plan.assumption_count = options->assumption_count;
    plan.cuts = options->cuts;
    plan.cut_count = options->cut_count;
    plan.runtime = options->runtime;
    plan.is_sustained = options->is_sustained;
    plan.ram_bytes = options->ram_bytes;
    plan.prompt_tokens = options->prompt_tokens;
    plan.device_class = options->device_class;
    return plan;
}

struct npart_fix_options fix_options(const struct run *run, const struct npart_inference_options *sizes,
                                     const struct npart_plan_options *plan, uint32_t allowed)
{
    const struct options *options = run->options;
    struct npart_fix_options fix = NPART_FIX_OPTIONS_INIT;
    fix.sizes = sizes;
    fix.plan = plan;
    fix.values = options->values;
    fix.value_count = options->value_count;
    fix.allowed = allowed;
    fix.keep_bytes = options->keep_bytes;
    fix.max_memory_bytes = options->max_memory_bytes;
    fix.max_ms = time_left(options);
    fix.limits = options->limits;
    fix.limit_count = options->limit_count;
    fix.words = run->words;
    fix.word_count = run->word_count;
    return fix;
}

npart_status make_plan(const struct run *run, const npart_inference *inference, int target, npart_plan **out,
                       struct npart_error *error)
{
    struct npart_plan_options plan = plan_options(run->options);
    return npart_plan_make(out, inference, run->oplists[target], run->options->targets[target], &plan, error);
}

/* ---- the terminal ------------------------------------------------------------------------------------------ */

bool is_terminal(const struct run *run)
{
    return !run->options->output && is_stream_terminal(stdout);
}

struct npart_report_options look_of(const struct options *options, bool is_on_terminal)
{
    struct npart_report_options look = NPART_REPORT_OPTIONS_INIT;
    const char *no_color = getenv("NO_COLOR");
    unsigned columns = is_on_terminal ? terminal_columns() : 0;
    look.use_color = options->color == COLOR_ALWAYS ||
                     (options->color == COLOR_AUTO && is_on_terminal && !(no_color && *no_color));
    look.use_ascii = options->use_ascii;
    look.is_verbose = options->is_verbose;
    look.detail = options->detail;
    if (columns)
        look.width = columns < 120 ? columns : 120;
    return look;
}

void tell_assumptions(const struct options *options, const struct job *job, const char *path)
{
    char text[MESSAGE_BYTES];
    for (uint32_t i = 0; i < options->assumption_count; i++)
        if (npart_assumption_note(options->assumptions[i].op, job->model, (const npart_plan *const *)job->plans,
                                  (size_t)options->target_count, text, sizeof text))
            say("%s: note: %s", path, text);
}

void choose_look(struct run *run)
{
    run->report = look_of(run->options, is_terminal(run));
}

/* ---- targets ----------------------------------------------------------------------------------------------- */

/* Whether a target beside a list of the user's is a built-in one: not the list's name, with what may come after it. */
static bool is_of_another(const npart_oplist *list, const char *target)
{
    struct npart_oplist_info info = {.size = sizeof info};
    npart_oplist_info(list, &info);
    size_t length = strlen(info.name);
    return target && !(strncmp(target, info.name, length) == 0 && strchr(":+-@", target[length]));
}

npart_status find_oplist(struct run *run, npart_oplist **out, const char *target, struct npart_error *error)
{
    const char *file = run->options->oplist;
    npart_status status = file ? npart_oplist_read_file(out, file, NULL, error) : NPART_OK;
    if (file && status == NPART_OK && is_of_another(*out, target)) {
        npart_oplist_free(*out);
        *out = NULL;
        file = NULL;
    }
    if (!file)
        status = npart_oplist_find(out, target, NULL, error);
    if (status != NPART_OK) {
        tell_error("", error);
        worsen(run, status == NPART_ERROR_READ ? EXIT_OTHER : status_of(status)); /* no model: that would be 3 */
    }
    return status;
}

/* Figures on top of the lists of the targets that they are for, of which there must be one. */
static bool add_costs(struct run *run, const struct options *options)
{
    struct npart_error error = {0};
    int used = 0;
    for (int i = 0; options->cost && i < options->target_count; i++) {
        npart_oplist *list = NULL;
        npart_status status = npart_oplist_add_cost(&list, run->oplists[i], options->cost, &error);
        if (status == NPART_OK) {
            npart_oplist_free(run->oplists[i]);
            run->oplists[i] = list;
            used++;
        } else if (status != NPART_ERROR_ARGUMENT) {
            used = 0;
            break;
        }
    }
    if (!options->cost || used)
        return true;
    tell_error("", &error);
    worsen(run, error.status == NPART_ERROR_READ ? EXIT_OTHER : status_of(error.status)); /* as of lists */
    return false;
}

/* What the line of `fix` must say, too, to find the same. */
static void add_words(struct run *run, const char *option, const char *file)
{
    if (!file)
        return;
    run->words[run->word_count++] = option;
    run->words[run->word_count++] = file;
}

/* The precision in which weights keep so many dB and nodes are kept, each of which may be NULL; itself where all are,
 * NULL where there is no such precision, which is told where `is_told`. */
static const char *narrowed(const char *precision, const char *decibels, const char *nodes, const char *nodes_16,
                            bool is_told)
{
    const char *const lists[] = {nodes, nodes_16};
    struct npart_error error = {0};
    const char *made = decibels ? text_as("%s:min-db=%s", precision, decibels) : precision;
    for (size_t i = 0; i < 2; i++)
        for (const char *at = lists[i]; at; at = at[strcspn(at, ",")] ? at + strcspn(at, ",") + 1 : NULL)
            made = text_as("%s%s%.*s", made, i ? ":keep16=" : ":keep=", (int)strcspn(at, ","), at);
    if (npart_precision_check(made, &error) == NPART_OK)
        return made;
    if (is_told)
        say("%s: %s", made, error.message);
    return NULL;
}

void take_all_precisions(struct options *options)
{
    const char *name;
    options->precision_count = 1; /* the first is NULL */
    for (uint32_t i = 0; (name = npart_precision_name(i, NULL)) && options->precision_count < MOST_PRECISIONS; i++)
        options->precisions[options->precision_count++] = name;
}

static bool add_precision(struct options *options, const char *precision)
{
    if (options->precision_count == MOST_PRECISIONS) {
        say("--as: too many precisions");
        return false;
    }
    options->precisions[options->precision_count++] = precision;
    return true;
}

static bool is_each(const char *nodes)
{
    return nodes && strcmp(nodes, "each") == 0;
}

/* --keep-float, --keep-16 and --min-db: each precision so; an analysis has it without, too, so that what they cost is
 * seen, and with `each` every kind of nodes alone. Of --as all those count that can be had so. */
static bool spread_kept(struct options *options)
{
    const char *precisions[MOST_PRECISIONS], *decibels = options->min_db;
    const char *nodes = options->keep_float, *nodes_16 = options->keep_16;
    const char *first = nodes ? nodes : nodes_16 ? nodes_16 : decibels;
    uint32_t count = options->precision_count;
    bool goes_by_kind = is_each(nodes) || is_each(nodes_16), is_all = count > 0 && !options->precisions[0];
    bool goes_on = true;
    if (!first)
        return true;
    if (!count || (goes_by_kind && options->word)) {
        say("--%s %s: %s", nodes ? "keep-float" : nodes_16 ? "keep-16" : "min-db", first,
            count ? "of analyses alone" : "needs --as");
        return false;
    }
    memcpy(precisions, options->precisions, count * sizeof *precisions);
    options->precision_count = 0;
    for (uint32_t i = 0; i < count && goes_on; i++) {
        const char *kind = NULL;
        if (!precisions[i] || !options->word)
            goes_on = add_precision(options, precisions[i]);
        for (uint32_t k = 0; goes_on && precisions[i] && (k == 0 || goes_by_kind); k++) {
            if (goes_by_kind && !(kind = npart_kept_kind(k, NULL, NULL)))
                break;
            const char *made = narrowed(precisions[i], decibels, is_each(nodes) ? kind : nodes,
                                        is_each(nodes_16) ? kind : nodes_16, !is_all);
            goes_on = made ? add_precision(options, made) : is_all;
        }
    }
    options->keep_float = options->keep_16 = options->min_db = NULL;
    return goes_on;
}

bool spread_targets(struct options *options)
{
    if (!spread_kept(options))
        return false;
    int targets = options->target_count, precisions = (int)options->precision_count;
    int each = precisions ? precisions : 1;
    if (targets * each > MOST_TARGETS) {
        say("--as: more than %d targets in all precisions together", MOST_TARGETS);
        return false;
    }
    for (int i = targets * each; i-- > 0;) {
        options->targets[i] = options->targets[i / each];
        options->as[i] = precisions ? options->precisions[i % each] : NULL;
        const char *target = options->targets[i], *as = options->as[i];
        options->labels[i] = as ? text_as("%s as %s", target, as) : target;
    }
    options->target_count = targets * each;
    return true;
}

/* The list of a target is the same one in each precision. */
static bool spread_oplists(struct run *run, struct options *options)
{
    int targets = options->target_count;
    if (!spread_targets(options)) {
        worsen(run, EXIT_USAGE);
        return false;
    }
    for (int i = options->target_count; targets && i-- > 0;)
        run->oplists[i] = run->oplists[i / (options->target_count / targets)];
    return true;
}

void free_oplists(struct run *run)
{
    for (int i = 0; i < MOST_TARGETS; i++)
        if (i == 0 || run->oplists[i] != run->oplists[i - 1])
            npart_oplist_free(run->oplists[i]);
    memset(run->oplists, 0, sizeof run->oplists);
}

bool find_oplists(struct run *run, struct options *options)
{
    struct npart_error error = {0};
    bool is_unnamed = options->oplist && options->target_count == 0;
    run->word_count = 0;
    add_words(run, "--oplist", options->oplist);
    add_words(run, "--cost", options->cost);
    if (is_unnamed)
        options->targets[options->target_count++] = NULL;
    for (int i = 0; i < options->target_count; i++)
        if (find_oplist(run, &run->oplists[i], options->targets[i], &error) != NPART_OK)
            return false;
    if (is_unnamed) {
        struct npart_oplist_info info = {.size = sizeof info};
        npart_oplist_info(run->oplists[0], &info);
        options->targets[0] = info.name;
    }
    return add_costs(run, options) && spread_oplists(run, options);
}

bool refuse(struct run *run, enum exit_status status, const char *format, ...)
{
    char text[MESSAGE_BYTES];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    say("%s", text);
    worsen(run, status);
    return false;
}

bool read_run(struct run *run, const char *path, const char *otherwise, npart_run **out)
{
    struct npart_error error;
    enum exit_status status;
    bool is_input = *otherwise && strcmp(path, "-") == 0;
    FILE *file = is_input ? stdin : open_regular_file(path, otherwise, &status);
    if (!file) {
        worsen(run, status);
        return false;
    }
    bool is_read = is_fine(run, path, npart_run_read(out, read_stream, file, NULL, &error), &error);
    if (!is_input)
        (void)fclose(file);
    return is_read;
}

enum exit_status usage(const char *problem)
{
    say("%s; --help explains", problem);
    return EXIT_USAGE;
}

bool close_output(struct run *run)
{
    bool has_failed = run->output && (fflush(run->output) != 0 || ferror(run->output));
    if (has_failed && !run->write_error)
        run->write_error = errno;
    if (!end_output_file(&run->output_file, !run->write_error) && !run->write_error)
        run->write_error = errno;
    return !has_failed && !run->write_error;
}
