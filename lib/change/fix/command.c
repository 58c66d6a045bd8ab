/* SPDX-License-Identifier: Apache-2.0
 *
 * The command line by which the tool does what a search was asked for. It is told to people, who paste it.
 */
#include "fix/fix.h"
#include "wire/files.h"

struct line {
    struct npart__arena *arena;
    struct NPART__ARRAY(const char *) words;
    bool failed;     /* out of memory */
    bool is_unsaid;  /* something that no option can say */
};

static void add(struct line *line, const char *word)
{
    line->failed |= !word || !NPART__PUSH(line->arena, &line->words, word);
}

/* A name that begins with a dash is no option. */
static void add_path(struct line *line, const char *path)
{
    add(line, *path == '-' ? npart__arena_format(line->arena, "./%s", path) : path);
}

/* Nothing where there is no value. */
static void add_option(struct line *line, const char *option, const char *value)
{
    if (!value)
        return;
    add(line, option);
    add(line, value);
}

/* A number is always there, so without a text memory has ended. */
static void add_number(struct line *line, const char *option, uint32_t number)
{
    add(line, option);
    add(line, npart__arena_format(line->arena, "%u", number));
}

/* "a,b": the tool divides at commas, so a name that has one cannot be said. */
static void add_list(struct line *line, const char *option, const char *const *names, uint32_t count)
{
    struct npart__buffer text;
    if (!count)
        return;
    npart__buffer_init(&text, line->arena);
    for (uint32_t i = 0; i < count; i++) {
        line->is_unsaid |= strchr(names[i], ',') != NULL;
        npart__append_format(&text, "%s%s", i ? "," : "", names[i]);
    }
    add_option(line, option, npart__made_text(&text));
    line->failed |= text.failed;
}

/* Of dims that the model has: one command line may serve many models. */
static void add_sizes(struct line *line, const struct npart__infer_options *sizes)
{
    for (uint32_t i = 0; i < sizes->binding_count; i++) {
        const struct npart_dim_binding *at = &sizes->bindings[i];
        if (i < sizes->may_lack_count && sizes->is_missing[i])
            continue;
        add(line, "-d");
        add(line, npart__arena_format(line->arena, at->is_limit ? "%s=..%lld" : "%s=%lld", at->name,
                                      (long long)at->size));
    }
    for (uint32_t i = 0; i < sizes->shape_count; i++) {
        const struct npart_input_shape *at = &sizes->shapes[i];
        struct npart__buffer text;
        npart__buffer_init(&text, line->arena);
        npart__append_format(&text, "%s=", at->input);
        for (uint32_t k = 0; k < at->rank; k++)
            npart__append_format(&text, "%s%lld", k ? "x" : "", (long long)at->dims[k]);
        add_option(line, "-i", npart__made_text(&text));
        line->failed |= text.failed;
    }
}

static void add_values(struct line *line, const struct npart_fix_options *options)
{
    for (uint32_t i = 0; i < options->value_count; i++) {
        const struct npart_bound_value *at = &options->values[i];
        struct npart__buffer text;
        npart__buffer_init(&text, line->arena);
        npart__append_format(&text, "%s=", at->input);
        for (uint32_t k = 0; k < at->count; k++)
            npart__append_format(&text, "%s%.17g", k ? "," : "", at->numbers[k]);
        add_option(line, "--bind", npart__made_text(&text));
        line->failed |= text.failed;
    }
}

static void add_plan(struct line *line, const struct npart_plan_options *plan)
{
    add_option(line, "--level", plan->level == NPART_LEVEL_BASIC ? NULL : npart_level_text(plan->level));
    add_option(line, "--partitioner", plan->partitioner);
    add_option(line, "--gates", plan->gates);
    for (uint32_t i = 0; i < plan->assumption_count; i++) {
        const struct npart_assumption *at = &plan->assumptions[i];
        add(line, at->node ? "--assume-node" : "--assume");
        add(line, npart__arena_format(line->arena, "%s=%s", at->node ? at->node : at->op, at->on_npu ? "npu" : "cpu"));
    }
    add_list(line, "--cut", plan->cuts, plan->cut_count);
    add_option(line, "--runtime", plan->runtime);
    if (plan->is_sustained)
        add(line, "--sustained");
    if (plan->version >= 2)
        add_option(line, "--ram", plan->device_class);
    if (plan->version >= 2 && plan->ram_bytes) {
        add(line, "--ram");
        add(line, npart__arena_format(line->arena, "%llu", (unsigned long long)plan->ram_bytes));
    }
}

/* A file beside the result. */
static void add_result(struct line *line, const char *option, const char *path, const char *end)
{
    add(line, option);
    add(line, npart__result_name(path, end, line->arena));
}

static void add_classes(struct line *line, uint32_t allowed)
{
    const char *names[NPART_EQUAL_APPROX + 1];
    uint32_t count = 0;
    for (int i = NPART_EQUAL_BITS_IF; i <= NPART_EQUAL_APPROX; i++)
        if (allowed >> i & 1)
            names[count++] = npart_equality_text((enum npart_equality)i);
    add_list(line, "--allow", names, count);
}

/* Where the result goes is the end; NULL ends the list. */
static bool finish(struct line *line, const char *result, const char *const **words, uint32_t *count)
{
    add(line, "-o");
    add(line, result);
    *count = line->words.count;
    line->failed |= !NPART__PUSH(line->arena, &line->words, NULL);
    *words = line->failed || line->is_unsaid ? NULL : line->words.items;
    *count = *words ? *count : 0;
    return !line->failed;
}

/* Whether a model lies where its line is pasted, and what is written from it. */
static bool is_beside(const char *path)
{
    while (path[0] == '.' && path[1] == '/')
        path += 2 + strspn(path + 2, "/");
    return npart__name_offset(path) == 0;
}

bool npart__fix_command(const struct npart__fix_command *command, struct npart__arena *arena,
                        const char *const **words, uint32_t *count)
{
    const struct npart_fix_options *options = command->options;
    struct line line = {.arena = arena};
    add(&line, "npu-partition");
    add(&line, "fix");
    add_path(&line, command->path);
    add_list(&line, "-t", command->targets, command->target_count);
    add_sizes(&line, command->sizes);
    add_values(&line, options);
    add_plan(&line, command->plan);
    add_classes(&line, options->allowed);
    add_list(&line, "--only", options->only, options->only_count);
    add_list(&line, "--not", options->without, options->without_count);
    if (options->version >= 4 && options->cache_slots) {
        add_number(&line, "--cache", options->cache_slots);
        if (options->cache_tokens > 1)
            add_number(&line, "--tokens", options->cache_tokens);
        add_option(&line, "--present", options->cache_shifts ? "shift" : NULL);
        if (options->version >= 5 && options->cuts_windows)
            add(&line, "--window-cache");
    }
    bool has_head = options->version >= 6 && options->begin_count;
    bool has_rest = options->version >= 6 && options->end_count;
    if (has_head)
        add_list(&line, "--begin-at", options->begin_at, options->begin_count);
    if (has_rest)
        add_list(&line, "--end-at", options->end_at, options->end_count);
    for (uint32_t i = 0; options->version >= 3 && i < options->word_count; i++)
        add(&line, options->words[i]);
    if (command->leaves_weights && !is_beside(command->path))
        add_option(&line, "--weights", "copy"); /* not link: see docs/fix.md */
    if (has_head)
        add_result(&line, "--head", command->path, ".head.onnx");
    if (has_rest)
        add_result(&line, "--rest", command->path, ".host.onnx");
    const char *end = has_head || has_rest ? ".npu.onnx" : ".fixed.onnx";
    return finish(&line, npart__result_name(command->path, end, arena), words, count);
}

bool npart__split_command(const char *path, const char *target, const struct npart__infer_options *sizes,
                          const char *const *cuts, uint32_t cut_count, bool has_external_data,
                          struct npart__arena *arena, const char *const **words, uint32_t *count)
{
    struct line line = {.arena = arena};
    add(&line, "npu-partition");
    add(&line, "split");
    add_path(&line, path);
    add_option(&line, "-t", target);
    if (sizes)
        add_sizes(&line, sizes);
    add_list(&line, "--cut", cuts, cut_count);
    add_option(&line, "--weights", has_external_data ? "copy" : NULL); /* not link: see docs/fix.md */
    return finish(&line, npart__result_name(path, ".parts", arena), words, count);
}
