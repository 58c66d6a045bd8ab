/* SPDX-License-Identifier: Apache-2.0
 *
 * A model of a few nodes that a target surely takes, by its own plan, with what runs it. Where that model does not run
 * on the NPU, it is not the model.
 */
#include "base/json.h"
#include "runs/runs.h"

static const struct row {
    const char *target, *run, *check;
} rows[] = {
#define RUN(target, run, check) {target, run, check},
#include "runs/selftest.def"
};

struct npart_selftest {
    struct npart__life *life;
    struct npart_selftest_info info;
    npart_plan *plan; /* of the model that is whole; NULL: none is */
    const char *name;
};

void npart_selftest_free(npart_selftest *selftest)
{
    if (!selftest)
        return;
    npart_plan_free(selftest->plan);
    npart__life_end(selftest->life);
}

/* ---- choosing ---------------------------------------------------------------------------------------------------- */

struct asked {
    const npart_oplist *oplist;
    const char *target, *name;
    const struct npart_inference_options *sizes;
    const struct npart_plan_options *plan;
};

static bool keep(void *payload, const char *bytes, size_t count)
{
    npart__append(payload, bytes, count);
    return !((struct npart__buffer *)payload)->failed;
}

static npart_status plan_one(const struct asked *asked, const struct npart__buffer *bytes, npart_plan **plan,
                             struct npart_error *error)
{
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    npart_model *model = NULL;
    npart_inference *inference = NULL;
    options.name = asked->name;
    options.allocator = &bytes->arena->allocator;
    npart_status status = npart_model_read_memory(&model, bytes->data, bytes->size, &options, error);
    if (status == NPART_OK)
        status = npart_inference_make(&inference, model, asked->sizes, error);
    if (status == NPART_OK)
        status = npart_plan_make(plan, inference, asked->oplist, asked->target, asked->plan, error);
    npart_inference_free(inference); /* the plan keeps what it needs */
    npart_model_free(model);
    return status;
}

/* The first model that is whole is kept. */
static npart_status choose(npart_selftest *selftest, const struct asked *asked, struct npart_error *error)
{
    npart_status status = NPART_OK;
    for (uint32_t kind = 0; kind < NPART_SELFTEST_MODELS && !selftest->plan && status == NPART_OK; kind++) {
        struct npart_summary summary = {.size = sizeof summary};
        struct npart_selftest_model model = {.size = sizeof model};
        struct npart__buffer bytes = {.arena = &selftest->life->arena};
        npart_plan *plan = NULL;
        status = npart_selftest_model(kind, &model, keep, &bytes, error);
        if (status == NPART_OK)
            status = plan_one(asked, &bytes, &plan, error);
        if (status == NPART_OK && npart_plan_summary(plan, &summary) && summary.verdict == NPART_PLAN_WHOLE) {
            selftest->plan = plan;
            selftest->info.node_count = summary.nodes;
            selftest->info.ops = model.ops;
            selftest->info.input_type = model.input_type;
            selftest->info.bytes = bytes.data;
            selftest->info.byte_count = bytes.size;
        } else {
            npart_plan_free(plan);
            npart__buffer_release(&bytes);
        }
    }
    return status;
}

/* ---- what runs it ------------------------------------------------------------------------------------------------ */

/* "{'device_type': 'NPU'}", as Python has the provider's options. */
static const char *list_options(const npart_plan *plan, struct npart__arena *arena)
{
    struct npart_provider_option option = {.size = sizeof option};
    struct npart__buffer out = {.arena = arena};
    npart__append_text(&out, "{");
    for (uint32_t i = 0; npart_plan_provider_option(plan, i, &option); i++)
        if (!option.is_session)
            npart__append_format(&out, "%s'%s': '%s'", out.size > 1 ? ", " : "", option.name, option.value);
    npart__append_text(&out, "}");
    return npart__keep_text(&out);
}

/* The row's own text with its words put in. */
static const char *fill(const npart_selftest *selftest, const char *name, const char *text)
{
    struct npart_plan_info info = {.size = sizeof info};
    struct npart_provider provider = {.size = sizeof provider, .name = ""};
    struct npart__arena *arena = &selftest->life->arena;
    struct npart__buffer out = {.arena = arena};
    (void)npart_plan_info(selftest->plan, &info);
    (void)npart_plan_provider(selftest->plan, &provider);
    const char *const words[][2] = {{"{model}", name},
                                    {"{target}", info.target},
                                    {"{variant}", info.variant},
                                    {"{type}", selftest->info.input_type},
                                    {"{provider}", provider.name},
                                    {"{compiler}", provider.compiler ? provider.compiler : provider.name},
                                    {"{options}", list_options(selftest->plan, arena)}};
    while (*text) {
        size_t i = 0, length = strcspn(text + 1, "{") + 1;
        while (i < NPART__COUNT(words) && strncmp(text, words[i][0], strlen(words[i][0])) != 0)
            i++;
        if (i < NPART__COUNT(words))
            npart__append_text(&out, words[i][1]);
        else
            npart__append(&out, text, length);
        text += i < NPART__COUNT(words) ? strlen(words[i][0]) : length;
    }
    return npart__keep_text(&out);
}

static void find_commands(npart_selftest *selftest, const char *name)
{
    struct npart_oplist_info info = {.size = sizeof info};
    for (size_t i = 0; npart_oplist_info(npart_plan_oplist(selftest->plan), &info) && i < NPART__COUNT(rows); i++)
        if (strcmp(rows[i].target, info.name) == 0) {
            selftest->info.run = fill(selftest, name, rows[i].run);
            selftest->info.check = fill(selftest, name, rows[i].check);
        }
}

npart_status npart_selftest_make(npart_selftest **out, const npart_oplist *oplist, const char *target, const char *name,
                                 const struct npart_inference_options *sizes, const struct npart_plan_options *plan,
                                 struct npart_error *error)
{
    if (!out || !oplist || !name)
        return npart__fail_null(!out ? "out" : !oplist ? "oplist" : "name", error);
    npart_selftest *selftest = npart__handle_new(sizeof *selftest, NULL);
    if (!selftest)
        return npart__fail_memory(error);
    selftest->info.size = sizeof selftest->info;
    npart_status status = choose(selftest, &(struct asked){oplist, target, name, sizes, plan}, error);
    if (status == NPART_OK && selftest->plan)
        find_commands(selftest, name);
    selftest->name = npart__arena_copy_text(&selftest->life->arena, name, strlen(name));
    if (status == NPART_OK && selftest->life->arena.failed)
        status = npart__fail_memory(error);
    selftest->info.plan = selftest->plan;
    if (status == NPART_OK)
        *out = selftest;
    else
        npart_selftest_free(selftest);
    return status;
}

bool npart_selftest_info(const npart_selftest *selftest, struct npart_selftest_info *out)
{
    if (!selftest || !selftest->plan || !NPART__HAS_ROOM(out))
        return false;
    *out = selftest->info;
    return true;
}

/* ---- telling ----------------------------------------------------------------------------------------------------- */

/* Where there is none, nothing is told. */
static npart_status begin(const npart_selftest *selftest, struct npart__told *told, struct npart_plan_info *info,
                          npart_write_callback write, struct npart_error *error)
{
    if (!selftest || !selftest->plan || !write)
        return npart__fail_null(!write ? "write" : "selftest", error);
    (void)npart_plan_info(selftest->plan, info);
    npart__buffer_open(&told->out, &told->arena, &selftest->life->arena.allocator, NULL, NULL);
    return NPART_OK;
}

npart_status npart_selftest_text(const npart_selftest *selftest, npart_write_callback write, void *payload,
                                 struct npart_error *error)
{
    struct npart__told told;
    struct npart_plan_info info = {.size = sizeof info};
    npart_status status = begin(selftest, &told, &info, write, error);
    if (status != NPART_OK)
        return status;
    const struct npart_selftest_info *at = &selftest->info;
    npart__tell_line(&told, "%s: %s (%u node%s), whole on %s by its op list", selftest->name, at->ops, at->node_count,
                     npart__plural(at->node_count), info.target);
    if (at->run)
        npart__append_format(&told.out, "Run it there:\n  %s\nSee where it ran:\n  %s\n", at->run, at->check);
    return npart__buffer_end(&told.out, write, payload, NPART_OK, error);
}

npart_status npart_selftest_json(const npart_selftest *selftest, npart_write_callback write, void *payload,
                                 struct npart_error *error)
{
    struct npart__told told;
    struct npart_plan_info info = {.size = sizeof info};
    npart_status status = begin(selftest, &told, &info, write, error);
    if (status != NPART_OK)
        return status;
    npart__json_open(&told.out, NULL, '{');
    npart__json_number(&told.out, "schema", 2);
    npart__json_text(&told.out, "command", "selftest");
    npart__json_text(&told.out, "target", info.target);
    npart__json_text(&told.out, "model", selftest->name);
    npart__json_text(&told.out, "ops", selftest->info.ops);
    npart__json_number(&told.out, "nodes", selftest->info.node_count);
    npart__json_text_or_null(&told.out, "run", selftest->info.run);
    npart__json_text_or_null(&told.out, "check", selftest->info.check);
    npart__json_close(&told.out, '}');
    npart__append_text(&told.out, "\n");
    return npart__buffer_end(&told.out, write, payload, NPART_OK, error);
}
