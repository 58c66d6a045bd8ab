/* SPDX-License-Identifier: Apache-2.0
 *
 * The plan of a measured run: with the sizes and the runtime of its row, and all on the CPU where the run was.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "runs/runs.h"

struct sizes NPART__ARRAY(struct npart_dim_binding);

/* "batch=1 sequence=128", after those that are there. */
static npart_status add_dims(struct sizes *sizes, const char *text, struct npart__arena *arena,
                             struct npart_error *error)
{
    char *rest = text ? npart__arena_copy_text(arena, text, strlen(text)) : NULL;
    for (char *word = rest; word && *word; word = rest) {
        size_t length = strcspn(word, " ;");
        rest = word + length + (word[length] != '\0');
        word[length] = '\0';
        char *equals = strrchr(word, '='), *end = NULL;
        errno = 0;
        long long size = equals ? strtoll(equals + 1, &end, 10) : 0;
        if (!*word)
            continue;
        if (!equals || equals == word || *end || errno || size < 1)
            return npart__fail(error, NPART_ERROR_ARGUMENT, "", "dims: expected NAME=SIZE, with blanks between");
        *equals = '\0';
        if (!NPART__PUSH(arena, sizes, ((struct npart_dim_binding){.name = word, .size = size})))
            break;
    }
    return arena->failed ? npart__fail_memory(error) : NPART_OK;
}

/* Each operator once. NULL when out of memory. */
static const struct npart_assumption *all_on_cpu(const npart_model *model, uint32_t *count, struct npart__arena *arena)
{
    struct npart_node node = {.size = sizeof node};
    struct npart__strings names;
    struct NPART__ARRAY(struct npart_assumption) out = {0};
    bool is_fine = npart__strings_init(&names, arena);
    for (uint32_t i = 0; is_fine && npart_model_node(model, i, &node); i++) {
        uint32_t known = names.texts.count;
        const char *name = npart__arena_format(arena, "%s:%s", *node.domain ? node.domain : "ai.onnx", node.op);
        is_fine = name && npart__intern(&names, name, strlen(name), false) != NPART_NONE;
        if (is_fine && names.texts.count > known)
            is_fine = NPART__PUSH(arena, &out, (struct npart_assumption){.op = name});
    }
    *count = out.count;
    return is_fine ? out.items : NULL;
}

/* Of several models some may lack a dim of the caller's, but none what the row says of it. */
static npart_status check_dims(const npart_inference *inference, const struct sizes *sizes, uint32_t common,
                               bool *is_missing, struct npart_error *error)
{
    for (uint32_t i = 0; is_missing && i < sizes->count; i++) {
        bool lacks = npart_inference_lacks(inference, i);
        if (i < common)
            is_missing[i] = lacks;
        else if (lacks)
            return npart__fail(error, NPART_ERROR_ARGUMENT, "", "dim %s=%lld: the model has no such dim",
                               sizes->items[i].name, (long long)sizes->items[i].size);
    }
    return NPART_OK;
}

static npart_status make(npart_plan **out, const npart_model *model, const struct npart_measured_run *run,
                         const struct npart_run_asked *asked, bool *is_missing, struct npart__arena *arena,
                         struct npart_error *error)
{
    struct npart_inference_options how = *asked->sizes;
    struct npart_plan_options options = *asked->plan;
    struct sizes sizes = {0};
    npart_inference *inference = NULL;
    for (uint32_t i = 0; i < how.dim_count; i++)
        if (!NPART__PUSH(arena, &sizes, how.dims[i]))
            return npart__fail_memory(error);
    uint32_t common = sizes.count;
    npart_status status = add_dims(&sizes, run->dims, arena, error);
    how.dims = sizes.items;
    how.dim_count = sizes.count;
    how.may_lack_dims = is_missing != NULL;
    options.runtime = run->runtime ? run->runtime : options.runtime;
    if (run->is_on_cpu && status == NPART_OK) {
        options.assumptions = all_on_cpu(model, &options.assumption_count, arena);
        if (!options.assumptions && arena->failed)
            status = npart__fail_memory(error);
    }
    if (status == NPART_OK)
        status = npart_inference_make(&inference, model, &how, error);
    if (status == NPART_OK)
        status = check_dims(inference, &sizes, common, is_missing, error);
    if (status == NPART_OK)
        status = npart_plan_make(out, inference, asked->oplist, asked->target, &options, error);
    npart_inference_free(inference); /* the plan keeps what it needs */
    return status;
}

npart_status npart_run_plan(npart_plan **out, const npart_model *model, const struct npart_measured_run *run,
                            const struct npart_run_asked *asked, bool *is_missing, struct npart_error *error)
{
    static const struct npart_inference_options no_sizes = NPART_INFERENCE_OPTIONS_INIT;
    static const struct npart_plan_options no_options = NPART_PLAN_OPTIONS_INIT;
    struct npart__arena arena;
    if (!out || !model || !run || !asked || !asked->oplist)
        return npart__fail_null(!out ? "out" : !model ? "model" : !run ? "run" : !asked ? "asked" : "oplist", error);
    struct npart_run_asked how = *asked;
    how.sizes = how.sizes ? how.sizes : &no_sizes;
    how.plan = how.plan ? how.plan : &no_options;
    npart__arena_init(&arena, &model->life->arena.allocator);
    npart_status status = make(out, model, run, &how, is_missing, &arena, error);
    npart__arena_clear(&arena);
    return status;
}
