/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

#define MOST_MISTAKES 10

/* ---- texts and words --------------------------------------------------------------------------------------- */

bool complain(const char *option, const char *value, const char *problem)
{
    say("%s%s%s: %s", option, value ? " " : "", value ? value : "", problem);
    return false;
}

static char *copy_part(const char *value, size_t length)
{
    return text_as("%.*s", (int)length, value);
}

char *copy_name(const char *option, const char *value, bool has_room, const char *too_many, const char *expected)
{
    const char *equals = strrchr(value, '=');
    bool is_pair = equals && equals != value;
    if (is_pair && has_room)
        return copy_part(value, (size_t)(equals - value));
    (void)complain(option, value, is_pair ? too_many : expected);
    return NULL;
}

bool add_names(const char *option, const char *value, const char **names, uint32_t *count, uint32_t most,
               const char *too_many)
{
    for (;;) {
        size_t length = strcspn(value, ",");
        if (length == 0 || *count == most)
            return complain(option, value, length ? too_many : "an empty name");
        names[(*count)++] = copy_part(value, length);
        if (!value[length])
            return true;
        value += length + 1;
    }
}

/* Not one of the words that there are: those, and the one that was meant, perhaps. */
static bool complain_of_word(const char *option, const char *word, const char *const *words, size_t count)
{
    char near[64], known[160] = "";
    for (size_t i = 0, used = 0; i < count && used < sizeof known; i++)
        used += (size_t)snprintf(known + used, sizeof known - used, "%s%s",
                                 i == 0 ? "" : i + 1 == count ? " or " : ", ", words[i]);
    (void)npart_nearest_name(word, words, count, near, sizeof near);
    say("%s %s: expected %s%s%s%s", option, word, known, *near ? "; did you mean " : "", near, *near ? "?" : "");
    return false;
}

size_t place_of_word(const char *word, size_t length, const char *const *words, size_t count)
{
    size_t at = 0;
    while (at < count && (strlen(words[at]) != length || memcmp(words[at], word, length) != 0))
        at++;
    return at;
}

bool read_word(const char *option, const char *value, const char *const *words, size_t count, unsigned *out)
{
    *out = (unsigned)place_of_word(value, strlen(value), words, count);
    return *out < count || complain_of_word(option, value, words, count);
}

bool read_words(const char *option, const char *value, const char *const *words, size_t count, unsigned *out)
{
    for (;;) {
        size_t length = strcspn(value, ","), at = place_of_word(value, length, words, count);
        char word[32];
        (void)snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), value);
        if (at == count)
            return complain_of_word(option, word, words, count);
        *out |= 1u << at;
        if (!value[length])
            return true;
        value += length + 1;
    }
}

/* ---- values ------------------------------------------------------------------------------------------------ */

static const char too_small[] = "a size must be at least 1: a tensor without elements is not compiled for an NPU";

static bool take_all_targets(struct options *options)
{
    for (size_t i = 0; npart_builtin_oplist(i); i++) {
        if (options->target_count == MOST_TARGETS)
            return complain("--target", "all", "too many targets");
        options->targets[options->target_count++] = npart_builtin_oplist(i);
    }
    return true;
}

/* Targets with commas between them; `all` is every built-in one. */
static bool take_target(struct options *options, const char *value)
{
    const char *whole = value;
    while (*value) {
        size_t length = strcspn(value, ",");
        if (length == 3 && strncmp(value, "all", 3) == 0) {
            if (!take_all_targets(options))
                return false;
            value += length + (value[length] == ',' ? 1 : 0);
            continue;
        }
        if (length == 0 || options->target_count == MOST_TARGETS)
            return complain("--target", whole, length ? "too many targets" : "an empty target");
        options->targets[options->target_count++] = copy_part(value, length);
        value += length;
        if (*value == ',' && !*++value)
            return complain("--target", whole, "nothing stands after the last comma");
    }
    return options->target_count > 0 || complain("--target", value, "an empty target");
}

/* Precisions with commas between them; `all` is the model as it is, and every one. */
static bool take_as(struct options *options, const char *value)
{
    struct npart_error error = {0};
    if (strcmp(value, "all") == 0) {
        take_all_precisions(options);
        return true;
    }
    uint32_t before = options->precision_count;
    if (!add_names("--as", value, options->precisions, &options->precision_count, MOST_PRECISIONS, "too many"))
        return false;
    for (uint32_t i = before; i < options->precision_count; i++)
        if (npart_precision_check(options->precisions[i], &error) != NPART_OK)
            return complain("--as", options->precisions[i], error.message);
    return true;
}

/* NAME=N or NAME=..N */
static bool take_dim(struct options *options, const char *value)
{
    static const char expected[] = "expected NAME=SIZE or NAME=..SIZE, with a whole number such as 128";
    const char *equals = strrchr(value, '='), *comma = strchr(value, ',');
    bool is_limit = equals && strncmp(equals + 1, "..", 2) == 0;
    long long size;
    if (!equals || equals == value || !read_whole(equals + (is_limit ? 3 : 1), INT64_MIN, INT64_MAX, &size))
        return complain("--dim", value, expected);
    if (size < 1)
        return complain("--dim", value, too_small);
    if (comma && comma < equals && strchr(value, '=') < comma)
        return complain("--dim", value, "one dim an option: -d a=1 -d b=2");
    char *name = copy_name("--dim", value, options->dim_count < MOST_DIMS, "too many dims", expected);
    if (name)
        options->dims[options->dim_count++] =
            (struct npart_dim_binding){.name = name, .size = size, .is_limit = is_limit};
    return name != NULL;
}

/* NAME=1x3x224x224; nothing after the '=' is a scalar. */
static bool take_input(struct options *options, const char *value)
{
    static const char expected[] = "expected NAME=1x3x224x224";
    const char *equals = strrchr(value, '=');
    uint32_t rank = 0, at = options->input_count;
    if (!equals || equals == value || at == MOST_INPUTS)
        return complain("--input", value, equals ? "too many inputs" : expected);
    char *name = copy_part(value, strlen(value)), *dims = name + (equals - value);
    *dims++ = '\0';
    options->inputs[at] = (struct npart_input_shape){.input = name, .dims = options->input_dims[at]};
    options->input_count++;
    while (*dims) {
        size_t length = strcspn(dims, "x");
        bool goes_on = dims[length] == 'x';
        long long size;
        dims[length] = '\0';
        if (rank == MOST_RANK || !read_whole(dims, INT64_MIN, INT64_MAX, &size) || (goes_on && !dims[length + 1]))
            return complain("--input", value, expected);
        if (size < 1)
            return complain("--input", value, too_small);
        options->input_dims[at][rank++] = size;
        dims += length + (goes_on ? 1 : 0);
    }
    options->inputs[at].rank = rank;
    return true;
}

/* NAME=npu or NAME=cpu */
static bool take_assumption(struct options *options, const char *option, const char *value, bool is_op)
{
    const char *equals = strrchr(value, '='), *expected = is_op ? "expected OP=npu or OP=cpu"
                                                                : "expected NAME=npu or NAME=cpu";
    bool on_npu = equals && strcmp(equals + 1, "npu") == 0;
    if (!equals || (!on_npu && strcmp(equals + 1, "cpu") != 0))
        return complain(option, value, expected);
    char *name = copy_name(option, value, options->assumption_count < MOST_ASSUMPTIONS, "too many placement overrides",
                           expected);
    if (!name)
        return false;
    struct npart_assumption *assumption = &options->assumptions[options->assumption_count++];
    *assumption = (struct npart_assumption){.on_npu = on_npu};
    *(is_op ? &assumption->op : &assumption->node) = name;
    return true;
}

static bool take_assume(struct options *options, const char *value)
{
    return take_assumption(options, "--assume", value, true);
}

static bool take_assume_node(struct options *options, const char *value)
{
    return take_assumption(options, "--assume-node", value, false);
}

static bool take_level(struct options *options, const char *value)
{
    static const char *const words[] = {"off", "basic"};
    unsigned at;
    options->has_level = true;
    bool is_word = read_word("--level", value, words, 2, &at);
    options->level = at == 0 ? NPART_LEVEL_OFF : NPART_LEVEL_BASIC;
    return is_word;
}

static const char *const format_words[] = {
#define FORMAT(member, word, form, models, goes, help) word,
#include "formats.def"
};

static bool take_format(struct options *options, const char *value)
{
    unsigned at;
    bool is_word = read_word("--format", value, format_words, FORMATS, &at);
    options->format = is_word ? (enum format)at : FORMAT_TEXT;
    return is_word;
}

static bool take_fail_on(struct options *options, const char *value)
{
    unsigned found = 0;
    bool are_words = read_words("--fail-on", value, condition_words(), NPART_CONDITIONS, &found);
    for (unsigned at = 0; at < NPART_CONDITIONS; at++)
        options->thresholds.fails_on[at] |= found >> at & 1;
    options->thresholds.fails_on[NPART_FAILS_ON_INVALID] |= options->thresholds.fails_on[NPART_FAILS_ON_FAIL];
    return are_words;
}

static bool take_completion(struct options *options, const char *value)
{
    static const char *const words[] = {"bash", "zsh", "fish"};
    unsigned at;
    options->completion = completion_script(value);
    return options->completion || read_word("--completion", value, words, 3, &at);
}

/* ---- of the command place ----------------------------------------------------------------------------------- */

/* PART=VALUE; NULL, and the mistake told, where it is none. */
static struct npart_part_figure *take_part(struct options *options, const char *option, const char *value,
                                           const char *expected, const char **number)
{
    bool has_room = options->figure_count < MOST_FIGURES;
    const char *name = copy_name(option, value, has_room, "too many of them", expected);
    if (!name)
        return NULL;
    *number = value + strlen(name) + 1;
    options->figures[options->figure_count] = (struct npart_part_figure){.part = name};
    return &options->figures[options->figure_count++];
}

static bool take_runs(struct options *options, const char *value)
{
    static const char expected[] = "expected PART=N, N at least 1";
    const char *number;
    long long runs;
    struct npart_part_figure *figure = take_part(options, "--runs", value, expected, &number);
    if (figure && !read_whole(number, 1, INT32_MAX, &runs))
        return complain("--runs", value, expected);
    if (figure)
        figure->runs = (uint64_t)runs;
    return figure != NULL;
}

static bool take_gpu(struct options *options, const char *value)
{
    static const char expected[] = "expected PART=MS or PART=MS:LOW:HIGH, with LOW <= MS <= HIGH";
    const char *at;
    struct npart_part_figure *figure = take_part(options, "--gpu", value, expected, &at);
    if (!figure)
        return false;
    struct npart_cost_range *gpu = &figure->gpu;
    bool ok = read_milliseconds(&at, &gpu->typical_ms);
    gpu->low_ms = gpu->high_ms = gpu->typical_ms;
    if (ok && *at++ == ':')
        ok = read_milliseconds(&at, &gpu->low_ms) && *at++ == ':' && read_milliseconds(&at, &gpu->high_ms) && !*at;
    figure->has_gpu = ok && gpu->low_ms <= gpu->typical_ms && gpu->typical_ms <= gpu->high_ms;
    return figure->has_gpu || complain("--gpu", value, expected);
}

static bool take_link(struct options *options, const char *value)
{
    if (options->link_count == MOST_LINKS)
        return complain("--link", value, "too many links");
    options->links[options->link_count++] = value;
    return true;
}

/* ---- the table --------------------------------------------------------------------------------------------- */

static const struct option_row rows[] = {
    {NULL, 0, NULL, NOTHING, "What to ask", NULL},
    {"target", 't', "TARGET", CALL(take_target),
     "NAME[:VARIANT][+SWITCH|-SWITCH]...[@TOOLCHAIN]; several with commas; all", "*"},
    {"as", 0, "PRECISION,...", CALL(take_as),
     "as if quantized: w8a8, w8a16, w4a16:block=64, ..., or all (docs/precision.md)",
     "- diff check scan place weights"},
    {"keep-float", 0, "NODE,...", MEMBER(keep_float),
     "nodes that --as leaves in float: names, operators, patterns, auto, or each kind", "- diff check scan place"},
    {"keep-16", 0, "NODE,...", MEMBER(keep_16), "the same, whose activations keep 16 bits where others have 8",
     "- diff check scan place"},
    {"min-db", 0, "N", MEMBER(min_db),
     "weights that --as leaves fewer dB get 8 bits, or stay in float: reads them", "- diff check scan place weights"},
    {"oplist", 0, "FILE", MEMBER(oplist), "an op list of your own (docs/oplist-format.md)", "*"},
    {"cost", 0, "FILE", MEMBER(cost), "cost parameters that override the op list's (the same page)", "*"},
    {"runtime", 0, "NAME", MEMBER(runtime),
     "what starts partitions: bare, onnxruntime, tflite, coreml (default the target's)", "*"},
    {"ram", 0, "BYTES|CLASS", CALL(take_ram),
     "memory for weights and activations, as 8G or phone, laptop, edge, microcontroller", "*"},
    {"prompt", 0, "N", NUMBER(prompt_tokens, 1, INT32_MAX, "expected a number of at least 1"),
     "of a decoder, tokens of the prompt whose time is told (default 1024, or half of its slots)", "*"},
    {"sustained", 0, NULL, MEMBER(is_sustained), "times on a device that has become warm and slow", "*"},
    {"dim", 'd', "NAME=SIZE", CALL(take_dim),
     "the size of a dynamic dimension, or INPUT.AXIS=SIZE; NAME=..SIZE is an upper bound", "*"},
    {"lengths", 0, "FILE|p50=N,p95=N", CALL(take_lengths),
     "how long inputs are along the dimension with an upper bound: which fixed sizes pad least", "-"},
    {"input", 'i', "NAME=1x3x224x224", CALL(take_input), "the shape of an input", "*"},
    {"bind", 0, "INPUT=VALUE[,...]", CALL(take_bind),
     "the value of an input in every run: a number, true or false", "*"},
    {"level", 0, "off|basic", CALL(take_level), "graph optimizations before partitioning (default basic)", "*"},
    {"partitioner", 0, "NAME", MEMBER(partitioner),
     "how partitions are formed: waves, runs, connected, ... (default the target's)", "*"},
    {"gates", 0, "NAME,...", MEMBER(gates), "apply only these stages of the target", "*"},
    {"assume", 0, "OP=npu|cpu", CALL(take_assume),
     "placement override: put every node of this op there, whatever the rules say", "*"},
    {"assume-node", 0, "NAME=npu|cpu", CALL(take_assume_node), "the same for one node", "*"},
    {"cut", 0, "NAME,...", NAMES(cuts, cut_count, MOST_CUTS, "too many cuts"),
     "cut points: cut the graph after these tensors or nodes", "*"},
    {NULL, 0, NULL, NOTHING, "What to print", NULL},
    {"format", 'f', "FORMAT", CALL(take_format), "one of", "*"},
#define FORMAT(member, word, form, models, goes, help) {NULL, 0, word, NOTHING, help, goes},
#include "formats.def"
    {"detail", 0, "DETAIL", CHOICE(detail, "nodes|causes|summary|tensors"),
     "how much json, html, csv and pictures tell: one of", "- scan"},
    {NULL, 0, "tensors", NOTHING, "all (default of html)", NULL},
    {NULL, 0, "nodes", NOTHING, "without the tensors (default of json)", NULL},
    {NULL, 0, "causes", NOTHING, "without nodes and partitions", NULL},
    {NULL, 0, "summary", NOTHING, "without causes (default of csv, pictures and scan)", NULL},
    {"summary", 0, NULL, MEMBER(wants_summary),
     "end with a table of all models and targets; with --quiet, print only that", NULL},
    {"output", 'o', "FILE", MEMBER(output), "write there instead of standard output", "*"},
    {"shapes", 0, NULL, MEMBER(wants_shapes),
     "every tensor's type and shape, as JSON; with a target, as its runtime infers them", NULL},
    {"settings", 0, "FILE", MEMBER(settings),
     "write a settings file for the target's own tools (docs/settings.md)", NULL},
    {"explain", 0, "NODE", MEMBER(explain),
     "every rule of one node (by name, output or number), with the values found", NULL},
    {"modules", 0, NULL, MEMBER(wants_modules),
     "a table by module of the source, nodes in execution order (all with --verbose)", NULL},
    {"no-advice", 0, NULL, MEMBER(skips_advice), "do not look for fixes: much faster, for many models", "- scan"},
    {"verbose", 'v', NULL, MEMBER(is_verbose), "all causes and notes; with --shapes, the work of each node",
     "- check scan fix split annotate diff place verify weights calibrate"},
    {"quiet", 'q', NULL, MEMBER(is_quiet), "print only which threshold is not met", "*"},
    {"color", 0, "auto|always|never", CHOICE(color, "auto|always|never"),
     "default auto: on a terminal, unless NO_COLOR is set", "- fix check diff scan"},
    {"ascii", 0, NULL, MEMBER(use_ascii), "no characters beyond ASCII", "- fix check diff scan"},
    {NULL, 0, NULL, NOTHING, "Thresholds: exit status 1 when one is not met", "- fix check"},
    {"max-partitions", 0, "N", NUMBER(thresholds.max_partitions, 0, INT32_MAX, "expected a number from 0 on"),
     "at least 1 and at most N partitions; 0 allows none", "- fix check"},
    {"allow-none", 0, NULL, MEMBER(thresholds.allows_none), "with --max-partitions: 0 partitions are accepted, too",
     "- fix check"},
    {"min-mac-coverage", 0, "SHARE", SHARE(thresholds.min_mac_coverage),
     "at least this share of the multiply-accumulates on the NPU: 0.95 or 95%", "- fix check"},
    {"min-coverage", 0, "SHARE", SHARE(thresholds.min_coverage), "at least this share of the nodes on the NPU",
     "- fix check"},
    {"fail-on", 0, "WHAT,...", CALL(take_fail_on), "any of", "- fix check"},
    {NULL, 0, "none", NOTHING, "nothing runs on the NPU", NULL},
    {NULL, 0, "split", NOTHING, "two partitions or more, or nodes on the CPU within the graph", NULL},
    {NULL, 0, "fail", NOTHING, "a node fails to compile; includes invalid", NULL},
    {NULL, 0, "unknown", NOTHING, "a node is undecided", NULL},
    {NULL, 0, "dynamic", NOTHING, "a node is not on the NPU because of a dynamic shape", NULL},
    {NULL, 0, "invalid", NOTHING, "ONNX Runtime does not load the model", NULL},
    {NULL, 0, "memory", NOTHING, "the model does not fit into the target's memory", NULL},
    {NULL, 0, "slower", NOTHING, "a run takes longer than on the CPU alone", NULL},
#define BOUND(member, id, word, is_least, unit, unknown, expected, value, goes, help)                                 \
    {word, 0, value, MILLISECONDS(thresholds.bounds[NPART_BOUND_##id], "expected " expected), help, goes},
#include "gate/bounds.def"
    {NULL, 0, NULL, NOTHING, "About targets", NULL},
    {"list-targets", 0, NULL, MEMBER(lists_targets), "all targets, and how far each is verified", NULL},
    {"describe", 0, "TARGET [OP]", MEMBER(describe), "the ops that a target supports, or all rules of one op", NULL},
    {"check-oplist", 0, "FILE", MEMBER(check_oplist), "check an op list", NULL},
    {"new-oplist", 0, "NAME", MEMBER(new_oplist), "print an op list to start from", NULL},
    {"import-oplist", 0, "FILE", MEMBER(import_oplist),
     "turn an ONNX Runtime list of ops (.md, .config) into an op list", NULL},
    {NULL, 0, NULL, NOTHING, "What may change", NULL},
    {"allow", 0, "CLASS,...", CALL(take_allow), "allow, besides rewrites that are equal bit for bit, any of", "fix"},
    {NULL, 0, "bits-if", NOTHING, "bit for bit, under a condition on values, which is printed", NULL},
    {NULL, 0, "ulp", NOTHING, "the last digits differ: sums run in another order", NULL},
    {NULL, 0, "step", NOTHING, "within one quantization step for each op", NULL},
    {NULL, 0, "approx", NOTHING, "an approximation", NULL},
    {"only", 0, "ID,...", NAMES(only, only_count, MOST_REWRITES, "too many rewrites"),
     "only these rewrites (--list prints all)", "fix"},
    {"not", 0, "ID,...", NAMES(without, without_count, MOST_REWRITES, "too many rewrites"), "not these rewrites",
     "fix"},
    {"max-growth", 0, "SHARE", SHARE(max_growth),
     "how much larger the file may get, weights included (default 25%)", "fix"},
    {"end-at", 0, "NAME,...", NAMES(ends, end_count, MOST_CUTS, "too many tensors"),
     "end the model at these tensors or nodes", "fix"},
    {"rest", 0, "FILE", MEMBER(rest), "write here what the host runs after them", "fix"},
    {"begin-at", 0, "NAME,...", NAMES(begins, begin_count, MOST_CUTS, "too many tensors"),
     "begin the model at these tensors or nodes", "fix"},
    {"head", 0, "FILE", MEMBER(head), "write here what the host runs up to them", "fix"},
    {"cache", 0, "N[,N...]", CALL(take_cache), "give a decoder's growing cache N slots, new tokens included;", "fix"},
    {NULL, 0, "N,N", NOTHING, "compare these sizes, and those of --tokens; write nothing", NULL},
    {"present", 0, "CHOICE", CHOICE(cache_shifts, "new|shift"), "what a model with --cache returns:", "fix"},
    {NULL, 0, "new", NOTHING, "only the new keys and values (default)", NULL},
    {NULL, 0, "shift", NOTHING, "the cache of the next run", NULL},
    {"window-cache", 0, NULL, MEMBER(cuts_windows),
     "give layers with sliding-window attention a cache of the window alone", "fix"},
    {"weights", 0, "CHOICE", CHOICE(weights, "stay|link|copy|external"),
     "what becomes of external data where the result is in another folder:", "fix split annotate"},
    {NULL, 0, "link", NOTHING, "a hard link beside the result (onnx.load then refuses both)", NULL},
    {NULL, 0, "copy", NOTHING, "a copy", NULL},
    {NULL, 0, "external", NOTHING, "move weights out of the model, as they must be above 2 GiB", NULL},
    {"list", 0, NULL, MEMBER(lists_rewrites), "all rewrites, and why the model is equal afterwards", "fix"},
    {"dry-run", 0, NULL, MEMBER(is_dry_run), "print what would be done; write nothing", "fix"},
    {NULL, 0, NULL, NOTHING, "What to compare", NULL},
    {"against", 0, "TARGET", MEMBER(against), "compare one MODEL on --target with the same on this target", "diff"},
    {"model", 0, "PATH", MEMBER(model_choice), "which model of a report with several", "diff"},
    {NULL, 0, NULL, NOTHING, "Of a set of models", NULL},
    {"runs", 0, "PART=N", CALL(take_runs), "how often a part runs in one run of the set (default 1)", "place"},
    {"tokens", 0, "N[,N...]", CALL(take_tokens),
     "place: new tokens of a decoder (128); fix --cache: new tokens in a run (1);", "fix place"},
    {NULL, 0, "N,N", NOTHING, "fix: a model for each, in the folder -o", NULL},
    {"gpu", 0, "PART=MS[:LOW:HIGH]", CALL(take_gpu), "the time of a run on your GPU, as measured", "place"},
    {"link", 0, "PART:OUT=PART:IN", CALL(take_link), "this output is that input of another part", "place"},
    {NULL, 0, NULL, NOTHING, "Of the project file", NULL},
    {"config", 0, "FILE", MEMBER(config), "use this file, not npu-partition.toml in the model's folder or above",
     "check"},
    {"baseline", 0, "FILE", MEMBER(baseline), "what models were: fail only where one is worse than there", "check"},
    {"update-baseline", 0, NULL, MEMBER(updates_baseline),
     "write the baseline from the models as they are now", "check"},
    {"before", 0, "FILE", MEMBER(before), "a baseline from before the change: what fails tells what changed", "check"},
    {"accept", 0, NULL, MEMBER(accepts), "add a waiver to the project file for each thing that fails, for 90 days",
     "check"},
    {"reason", 0, "TEXT", MEMBER(reason), "with --accept, why (default: to be filled in)", "check"},
    {"today", 0, "DATE", MEMBER(today), "the day on which waivers must hold (default the clock's, in UTC)", "check"},
    {"new-config", 0, NULL, MEMBER(wants_new_config), "print a project file to start from, for MODEL... and --target",
     "check"},
    {NULL, 0, NULL, NOTHING, "Of many models", NULL},
    {"list", 0, "FILE", MEMBER(list),
     "a file with more paths, a line each or with NULs between them; - is standard input", "scan"},
    {"jobs", 'j', "N", NUMBER(jobs, 1, NPART_MOST_WORKERS, "expected a number from 1 to 1024"),
     "models at a time (default: one for each processor)", "scan"},
    {"resume", 0, NULL, MEMBER(resumes), "continue an interrupted scan from its --output FILE", "scan"},
    {"unordered", 0, NULL, MEMBER(is_unordered), "print lines as they come, not in the order of the models", "scan"},
    {"max-bytes", 0, "BYTES", BYTES(max_bytes), "skip a model whose file is larger: 500000000, 500M or 2G", "scan"},
    {NULL, 0, NULL, NOTHING, "Of a real run", NULL},
    {"profile", 0, "FILE", MEMBER(profile), "the run's profile, log or record, or a compiler's", "verify"},
    {"write-cases", 0, "FILE", MEMBER(write_cases), "write the nodes that differ as text cases", "verify"},
    {NULL, 0, NULL, NOTHING, "Other", NULL},
    {"keep-bytes", 0, "N", NUMBER(keep_bytes, 1, INT64_MAX, "expected a number of bytes"),
     "read tensors up to this size (default 4096)", "*"},
    {"timeout", 0, "SECONDS", CALL(take_timeout), "give up on a model after this time (docs/security.md)", "*"},
    {"max-memory", 0, "BYTES", BYTES(max_memory_bytes), "give up on a model that needs more: 500000000, 500M or 2G",
     "*"},
    {"limit", 0, "NAME=N", CALL(take_limit), "change a limit on what a model may hold (--list-limits)", "*"},
    {"list-limits", 0, NULL, MEMBER(lists_limits), "print the limits, and what happens past each", NULL},
    {"completion", 0, "bash|zsh|fish", CALL(take_completion), "print a completion script for the shell", NULL},
    {"version", 0, NULL, MEMBER(wants_version), "the version", "*"},
    {"help", 'h', NULL, MEMBER(wants_help), "this text", "*"},
};

#define ROWS (sizeof rows / sizeof rows[0])

bool option_goes_with(const struct option_row *row, const struct word *word)
{
    const char *wanted = word ? word->name : "-", *at = row->word ? row->word : "-";
    if (strcmp(at, "*") == 0)
        return true;
    for (size_t length; *at; at += length + strspn(at + length, " ")) {
        length = strcspn(at, " ");
        if (strlen(wanted) == length && memcmp(wanted, at, length) == 0)
            return true;
    }
    return false;
}

const struct option_row *option_at(size_t index)
{
    return index < ROWS ? &rows[index] : NULL;
}

/* A heading is printed when the first option below it is. */
static void print_options(FILE *file, const struct word *word)
{
    const char *heading = NULL;
    bool is_shown = false;
    for (size_t i = 0; i < ROWS; i++) {
        const struct option_row *row = &rows[i];
        char left[64];
        if (!row->name && !row->value)
            heading = row->help;
        if (!row->name && row->value && is_shown && (!row->word || option_goes_with(row, word)))
            fprintf(file, "%35s   %-8s %s\n", "", row->value, row->help);
        if (!row->name)
            continue;
        is_shown = option_goes_with(row, word);
        if (!is_shown)
            continue;
        if (heading)
            fprintf(file, "\n%s\n", heading);
        heading = NULL;
        (void)snprintf(left, sizeof left, "--%s%s%s", row->name, row->value ? " " : "", row->value ? row->value : "");
        if (row->letter)
            fprintf(file, "  -%c, %-28s %s\n", row->letter, left, row->help);
        else
            fprintf(file, "      %-28s %s\n", left, row->help);
    }
}

static void print_commands(FILE *file)
{
    fputs("\nCommands, with options of their own: npu-partition COMMAND --help\n", file);
    for (size_t i = 0; word_at(i); i++)
        fprintf(file, "  %-33s %s\n", word_at(i)->name, word_at(i)->summary);
}

void print_help(FILE *file, const struct word *word)
{
    if (word)
        fprintf(file, "npu-partition %s: %s.\n\nusage: npu-partition %s %s\n\n%s", word->name, word->summary,
                word->name, word->usage, word->text);
    else
        fputs("Which nodes of an ONNX graph run on an NPU, in how many partitions, at what cost, and why not all.\n\n"
              "usage: npu-partition MODEL... --target TARGET[,TARGET...] [options]      (MODEL - is standard input)\n"
              "       npu-partition COMMAND ...\n",
              file);
    print_options(file, word);
    if (!word)
        print_commands(file);
    fprintf(file, "\nExit status: 0 fine; 1 %s; 2 wrong usage; 3 a %s cannot be read; 4 other failures.\n",
            word ? word->difference : "a threshold is not met", word ? "file" : "model");
}

/* Two commands may each have an option of that name; the last one counts where the command has not been read. */
const struct option_row *find_option(const char *argument, const struct word *word, const char **value)
{
    const struct option_row *found = NULL;
    bool is_long = argument[1] == '-';
    size_t length = is_long ? strcspn(argument + 2, "=") : 0;
    for (size_t i = 0; i < ROWS; i++) {
        const struct option_row *row = &rows[i];
        bool is_named = is_long && row->name && strlen(row->name) == length &&
                        memcmp(row->name, argument + 2, length) == 0 && (!found || !option_goes_with(found, word));
        bool is_lettered = row->letter && row->letter == argument[1] && (!argument[2] || row->value);
        if (is_named || (is_lettered && !found))
            found = row;
    }
    *value = is_long ? argument[2 + length] ? argument + 2 + length + 1 : NULL
             : found && argument[2] ? argument + 2 : NULL;
    return found;
}

static bool complain_of_option(const char *argument)
{
    char names[ROWS][32], near[96] = "", text[160] = "there is no such option; --help lists them";
    const char *offered[ROWS] = {NULL};
    for (size_t i = 0; i < ROWS; i++)
        if (rows[i].name) {
            (void)snprintf(names[i], sizeof names[i], "--%s", rows[i].name);
            offered[i] = names[i];
        }
    char word[64];
    (void)snprintf(word, sizeof word, "%.*s", (int)strcspn(argument, "="), argument);
    if (argument[1] == '-')
        (void)npart_nearest_name(word, offered, ROWS, near, sizeof near);
    if (*near)
        (void)snprintf(text, sizeof text, "there is no such option; did you mean %s?", near);
    return complain(argument, NULL, text);
}

/* One option at argv[*at], whose value may be the next argument. */
static bool read_option(int argc, char **argv, int *at, struct options *options, bool *is_used)
{
    const char *argument = argv[*at], *value;
    const struct option_row *row = find_option(argument, options->word, &value);
    if (!row)
        return complain_of_option(argument);
    if (!row->value && value)
        return complain(argument, NULL, "takes no value");
    if (row->value && !value) {
        if (*at + 1 >= argc)
            return complain(argument, NULL, "needs a value");
        value = argv[++*at];
    }
    is_used[row - rows] = true;
    options->has_detail |= strcmp(row->name, "detail") == 0;
    return take_value(&row->taking, row->name, options, value);
}

/* Documents are of models that are planned, one after the other. */
static bool check_format(const struct options *options)
{
    static const char *const instead[] = {
#define FORMAT(member, word, form, models, goes, help) models,
#include "formats.def"
    };
    const char *other = options->explain         ? "--explain"
                        : options->wants_modules ? "--modules"
                        : options->wants_shapes  ? "--shapes"
                                                 : NULL;
    const char *format = format_words[options->format];
    size_t at = 0;
    while (at < ROWS && (rows[at].name || !rows[at].value || strcmp(rows[at].value, format) != 0))
        at++;
    if (at < ROWS && !option_goes_with(&rows[at], options->word))
        other = options->word->name;
    if (options->format >= FORMAT_SARIF && other) {
        say("--format %s does not go with %s", format, other);
        return false;
    }
    if (*instead[options->format] && (options->model_count > 1 || options->target_count > 1)) {
        say("--format %s is of one model and one target; --format %s takes several", format, instead[options->format]);
        return false;
    }
    return true;
}

/* The word may stand after options, so only now is it known which go with it. */
static bool check_used(const struct options *options, const bool *is_used)
{
    const struct word *word = options->word;
    for (size_t i = 0; i < ROWS; i++) {
        if (!is_used[i] || option_goes_with(&rows[i], word))
            continue;
        if (word)
            say("--%s does not go with %s; npu-partition %s --help lists what does", rows[i].name, word->name,
                word->name);
        else
            say("--%s belongs to a command: npu-partition %.*s ... --%s", rows[i].name,
                (int)strcspn(rows[i].word, " "), rows[i].word, rows[i].name);
        return false;
    }
    return check_format(options);
}

/* Whether it is a command's word: the first argument that is no option. */
static bool take_word(struct options *options, const char *argument)
{
    if (options->model_count > 0 || options->word || options->describe)
        return false;
    options->word = find_word(argument);
    return options->word != NULL;
}

bool read_options(int argc, char **argv, struct options *options)
{
    bool only_models = false, is_used[ROWS] = {false};
    int mistakes = 0;
    memset(options, 0, sizeof *options);
    options->thresholds = (struct npart_thresholds)NPART_THRESHOLDS_INIT;
    options->max_growth = 0.25;
    options->models = need(((size_t)argc + 1) * sizeof *options->models);
    for (int i = 1; i < argc; i++) {
        if (!only_models && strcmp(argv[i], "--") == 0) {
            only_models = true;
        } else if (!only_models && argv[i][0] == '-' && argv[i][1]) {
            if (!read_option(argc, argv, &i, options, is_used) && ++mistakes == MOST_MISTAKES)
                return false;
        } else if (only_models || !take_word(options, argv[i])) {
            options->models[options->model_count++] = argv[i];
        }
    }
    if (options->describe && options->model_count > 1)
        return complain("--describe", options->describe, "takes one op, or none for all of them");
    if (options->describe && options->model_count == 1) {
        options->describe_op = options->models[0];
        options->model_count = 0;
    }
    return mistakes == 0 && check_used(options, is_used);
}
