/* SPDX-License-Identifier: Apache-2.0
 *
 * The command selftest: a model of a few nodes that a target surely takes, by its own plan, with what runs it. Where
 * that model does not run on the NPU, it is not the model.
 */
#include "words.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "scan_text.h"

#define MOST_OPTION_BYTES 1024u

static const struct row {
    const char *target, *run, *check;
} rows[] = {
#define RUN(target, run, check) {target, run, check},
#include "selftest.def"
};

struct selftest {
    struct run *run;
    const char *path;
    struct npart_selftest_model model;
    struct text bytes; /* of the model */
    npart_plan *plan; /* of the model that is whole; NULL: none is */
    uint32_t node_count;
};

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

static npart_status plan_one(struct selftest *at, npart_plan **plan, struct npart_error *error)
{
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    npart_model *model = NULL;
    npart_inference *inference = NULL;
    options.name = at->path;
    npart_status status = npart_model_read_memory(&model, at->bytes.bytes, at->bytes.count, &options, error);
    if (status == NPART_OK)
        status = infer(&inference, model, at->run->options, NULL, error);
    if (status == NPART_OK)
        status = make_plan(at->run, inference, 0, plan, error);
    npart_inference_free(inference); /* the plan keeps what it needs */
    npart_model_free(model);
    return status;
}

/* The first model that is whole is kept. False: out of memory, or the target is wrong, which is told. */
static bool choose(struct selftest *at)
{
    for (uint32_t kind = 0; kind < NPART_SELFTEST_MODELS && !at->plan; kind++) {
        struct npart_summary summary = {.size = sizeof summary};
        struct npart_error error = {0};
        npart_plan *plan = NULL;
        at->model.size = sizeof at->model;
        at->bytes.count = 0;
        if (npart_selftest_model(kind, &at->model, text_write, &at->bytes, NULL) != NPART_OK) {
            say("out of memory");
            return false;
        }
        npart_status status = plan_one(at, &plan, &error);
        if (!is_fine(at->run, "", status, &error))
            return false;
        if (npart_plan_summary(plan, &summary) && summary.verdict == NPART_PLAN_WHOLE) {
            at->plan = plan;
            at->node_count = summary.nodes;
        } else {
            npart_plan_free(plan);
        }
    }
    return true;
}

/* ---- telling ----------------------------------------------------------------------------------------------------- */

/* "{'device_type': 'NPU'}", as Python has the provider's options. */
static void list_options(const npart_plan *plan, char *out, size_t bytes)
{
    struct npart_provider_option option = {.size = sizeof option};
    size_t used = (size_t)snprintf(out, bytes, "{");
    for (uint32_t i = 0; npart_plan_provider_option(plan, i, &option) && used < bytes; i++)
        if (!option.is_session)
            used += (size_t)snprintf(out + used, bytes - used, "%s'%s': '%s'", used > 1 ? ", " : "", option.name,
                                     option.value);
    if (used < bytes)
        (void)snprintf(out + used, bytes - used, "}");
}

/* The list's own text with its words put in; the caller's to be freed. NULL: out of memory. */
static char *fill(const struct selftest *at, const char *text)
{
    struct npart_plan_info info = {.size = sizeof info};
    struct npart_provider provider = {.size = sizeof provider, .name = ""};
    char options[MOST_OPTION_BYTES];
    (void)npart_plan_info(at->plan, &info);
    (void)npart_plan_provider(at->plan, &provider);
    list_options(at->plan, options, sizeof options);
    const struct word_of {
        const char *word, *text;
    } words[] = {{"{model}", at->path},
                 {"{target}", info.target},
                 {"{variant}", info.variant},
                 {"{type}", at->model.input_type},
                 {"{provider}", provider.name},
                 {"{compiler}", provider.compiler ? provider.compiler : provider.name},
                 {"{options}", options}};
    size_t room = strlen(text) + 1;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        for (const char *found = text; (found = strstr(found, words[i].word)) != NULL; found++)
            room += strlen(words[i].text);
    char *filled = calloc(room, 1), *out = filled;
    while (filled && *text) {
        size_t i = 0, length = 0;
        for (; i < sizeof words / sizeof words[0] && length == 0; i++)
            if (strncmp(text, words[i].word, strlen(words[i].word)) == 0)
                length = strlen(words[i].word);
        if (length) {
            memcpy(out, words[i - 1].text, strlen(words[i - 1].text));
            out += strlen(words[i - 1].text);
            text += length;
        } else {
            *out++ = *text++;
        }
    }
    return filled;
}

static const struct row *find_row(const npart_plan *plan)
{
    struct npart_oplist_info info = {.size = sizeof info};
    for (size_t i = 0; npart_oplist_info(npart_plan_oplist(plan), &info) && i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].target, info.name) == 0)
            return &rows[i];
    return NULL;
}

static void add_member(struct text *out, const char *key, const char *text)
{
    if (text) {
        text_add(out, key);
        text_add_json(out, text);
    }
}

static bool tell_json(const struct selftest *at, const char *run, const char *check)
{
    struct npart_plan_info info = {.size = sizeof info};
    struct text out = {0};
    char nodes[32];
    (void)npart_plan_info(at->plan, &info);
    (void)snprintf(nodes, sizeof nodes, ",\"nodes\":%u", at->node_count);
    text_add(&out, "{\"schema\":2,\"command\":\"selftest\"");
    add_member(&out, ",\"target\":", info.target);
    add_member(&out, ",\"model\":", at->path);
    add_member(&out, ",\"ops\":", at->model.ops);
    text_add(&out, nodes);
    add_member(&out, ",\"run\":", run);
    add_member(&out, ",\"check\":", check);
    text_add(&out, run && check ? "}\n" : ",\"run\":null,\"check\":null}\n");
    bool is_told = !out.has_failed && write_output(at->run, out.bytes, out.count);
    free(out.bytes);
    return is_told;
}

static void tell_text(const struct selftest *at, const char *run, const char *check)
{
    struct npart_plan_info info = {.size = sizeof info};
    (void)npart_plan_info(at->plan, &info);
    print_line(at->run, "%s: %s (%u node%s), whole on %s by its op list", at->path, at->model.ops,
               at->node_count, at->node_count == 1 ? "" : "s", info.target);
    if (run) {
        (void)write_text(at->run, "Run it there:\n  ");
        (void)(write_text(at->run, run) && write_text(at->run, "\nSee where it ran:\n  ") &&
               write_text(at->run, check) && write_text(at->run, "\n"));
    }
}

static bool tell(const struct selftest *at)
{
    const struct row *row = find_row(at->plan);
    char *run = row ? fill(at, row->run) : NULL, *check = row ? fill(at, row->check) : NULL;
    bool is_told = !row || (run && check);
    if (is_told && at->run->options->format == FORMAT_JSON)
        is_told = tell_json(at, run, check);
    else if (is_told)
        tell_text(at, run, check);
    free(run);
    free(check);
    return is_told;
}

/* ---- the command ------------------------------------------------------------------------------------------------- */

static bool write_model(const struct selftest *at)
{
    struct output_file file = {0};
    bool is_written = begin_output_file(&file, at->path) &&
                      fwrite(at->bytes.bytes, 1, at->bytes.count, file.stream) == at->bytes.count &&
                      fflush(file.stream) == 0;
    is_written = end_output_file(&file, is_written) && is_written;
    if (!is_written)
        say("%s: cannot write: %s", at->path, strerror(errno));
    return is_written;
}

/* The path stands in quotes in the commands that are told. */
static bool can_be_quoted(const char *path)
{
    for (; *path; path++)
        if (strchr("'\"\\$`!{", *path) || (unsigned char)*path < ' ')
            return false;
    return true;
}

static const char *objection(struct options *options)
{
    if (options->model_count > 1 || (options->model_count == 1 && options->target_count))
        return "selftest takes one target";
    if (options->model_count == 1)
        options->targets[options->target_count++] = options->models[0];
    if (options->target_count + (options->oplist != NULL) != 1)
        return options->target_count ? "selftest takes one target" : "which target? (--list-targets)";
    if (!options->output)
        return "where to? --output FILE.onnx";
    return can_be_quoted(options->output) ? NULL : "choose a path without quotes and signs that a shell reads";
}

enum exit_status run_selftest(struct run *run, struct options *options)
{
    struct selftest at = {.run = run, .path = options->output};
    const char *problem = objection(options);
    if (problem)
        return usage(problem);
    if (!find_oplists(run, options))
        return run->status;
    options->output = NULL;
    run->output = stdout;
    bool is_chosen = choose(&at);
    if (!is_chosen && run->status == EXIT_FINE)
        worsen(run, EXIT_OTHER);
    if (is_chosen && !at.plan) {
        say("no model of selftest is whole on this target, and nothing was written; where a toolkit quantizes by "
            "itself, add the switch: %s+quantize", options->targets[0] ? options->targets[0] : "TARGET");
        worsen(run, EXIT_THRESHOLD);
    } else if (is_chosen && (!write_model(&at) || (!options->is_quiet && !tell(&at)))) {
        worsen(run, EXIT_OTHER);
    }
    npart_plan_free(at.plan);
    free(at.bytes.bytes);
    return run->status;
}
