/* SPDX-License-Identifier: Apache-2.0
 *
 * Several models of one decoder, which take different numbers of new tokens in a run and share a cache: a file each,
 * one file of weights, and manifest.json, which says how the cache is kept (docs/decoder-cache.md).
 */
#include <errno.h>

#include "api/api.h"
#include "base/json.h"
#include "fix/handle.h"
#include "fix/state.h"
#include "wire/files.h"

#define WEIGHTS "weights.data"

struct set {
    const npart_fix *const *fixes;
    uint32_t count;
    const char *folder;
    struct npart__arena *arena;
    struct npart_error *error;
    struct npart__shared_data shared;
    struct npart__save *saves; /* of the first `begun` models */
    uint32_t begun;
    struct npart__output data, manifest;
    struct npart__recipe data_recipe;
};

static const struct npart__cache *cache_of(const struct set *set, uint32_t index)
{
    return &set->fixes[index]->found.cache;
}

/* All that they must share. Two with the same number of tokens would be one file. */
static npart_status check_set(const npart_fix *const *fixes, uint32_t count, struct npart_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        if (!fixes[i])
            return npart__fail_null("fixes", error);
        const struct npart__cache *first = &fixes[0]->found.cache, *at = &fixes[i]->found.cache;
        if (!at->info.slots || at->info.slots != first->info.slots || at->info.present != first->info.present ||
            strcmp(fixes[i]->path, fixes[0]->path) != 0)
            return npart__fail(error, NPART_ERROR_ARGUMENT, "", "the models do not share a cache of fixed size");
        for (uint32_t k = 0; k < i; k++)
            if (fixes[k]->found.cache.info.tokens == at->info.tokens)
                return npart__fail(error, NPART_ERROR_ARGUMENT, "", "two models take %u new tokens in a run",
                                   at->info.tokens);
    }
    return count ? NPART_OK : npart__fail(error, NPART_ERROR_ARGUMENT, "", "at least one model is needed");
}

static char *path_in(const struct set *set, const char *name)
{
    return npart__arena_format(set->arena, "%s/%s", set->folder, name);
}

static char *name_of(const struct set *set, uint32_t index)
{
    return npart__arena_format(set->arena, "tokens-%u.onnx", cache_of(set, index)->info.tokens);
}

/* Under its temporary name, and read again, before any of them gets its own. */
static npart_status begin_model(struct set *set, uint32_t index, enum npart_weights weights)
{
    const npart_fix *fix = set->fixes[index];
    const struct npart__weights how = {
        .links = weights == NPART_WEIGHTS_LINK,
        .copies = weights == NPART_WEIGHTS_COPY,
        .leaves_absent = true,
        .shared_location = WEIGHTS,
        .shared = &set->shared,
    };
    const char *name = name_of(set, index), *path = name ? path_in(set, name) : NULL;
    if (!path)
        return npart__fail_memory(set->error);
    npart_status status = npart__save_begin(&set->saves[index], path, fix->found.last->version.data,
                                            fix->found.last->version.bytes, &fix->input, &how, set->arena, set->error);
    if (status != NPART_OK)
        return status;
    set->begun++;
    return npart__fix_prove(fix, set->saves[index].temporary, set->error);
}

static npart_status begin_weights(struct set *set)
{
    const struct npart__input *input = &set->fixes[0]->input;
    const char *path = path_in(set, WEIGHTS);
    if (!path)
        return npart__fail_memory(set->error);
    if (!set->shared.moved.count)
        return NPART_OK;
    npart__recipe_of_shared(&set->data_recipe, &set->shared, input);
    npart_status status = npart__output_open(&set->data, path, input, set->arena, set->error);
    return status == NPART_OK ? npart__recipe_write_external(&set->data_recipe, set->data.descriptor, set->arena,
                                                             set->error)
                              : status;
}

/* That which all of them ask for: of two that differ one is free. */
static enum npart_slot_order order_of(const struct set *set)
{
    enum npart_slot_order order = NPART_SLOTS_ANY;
    for (uint32_t i = 0; i < set->count; i++)
        order = cache_of(set, i)->info.order == NPART_SLOTS_ANY ? order : cache_of(set, i)->info.order;
    return order;
}

/* NULL when out of memory. */
static const char *make_manifest(const struct set *set, struct npart__buffer *out)
{
    const struct npart__cache *first = cache_of(set, 0);
    npart__buffer_init(out, set->arena);
    npart__json_open(out, NULL, '{');
    npart__json_number(out, "schema", 1);
    npart__json_text(out, "model", set->fixes[0]->path);
    if (set->shared.moved.count)
        npart__json_text(out, "weights", WEIGHTS);
    else
        npart__json_value(out, "weights", "null");
    npart__json_number(out, "slots", first->info.slots);
    npart__json_text(out, "order", npart_slot_order_text(order_of(set)));
    npart__json_text(out, "present", npart_present_text(first->info.present));
    npart__json_open(out, "files", '[');
    for (uint32_t i = 0; i < set->count; i++) {
        const char *name = name_of(set, i);
        npart__json_open(out, NULL, '{');
        npart__json_text(out, "file", name ? name : "");
        npart__json_number(out, "tokens", cache_of(set, i)->info.tokens);
        npart__json_value(out, "cache", cache_of(set, i)->info.text);
        npart__json_close(out, '}');
        out->failed |= !name;
    }
    npart__json_close(out, ']');
    npart__json_close(out, '}');
    npart__append_text(out, "\n");
    return npart__made_text(out);
}

static npart_status begin_manifest(struct set *set)
{
    struct npart__buffer text;
    const char *path = path_in(set, "manifest.json"), *manifest = make_manifest(set, &text);
    return path && manifest ? npart__output_hold(&set->manifest, path, &set->fixes[0]->input, manifest,
                                                 strlen(manifest), set->arena, set->error)
                            : npart__fail_memory(set->error);
}

/* Only renames, as all is written by then: weights before the models that need them, the manifest last. */
static npart_status commit(struct set *set)
{
    npart_status status = set->shared.moved.count ? npart__output_commit(&set->data, set->error) : NPART_OK;
    for (uint32_t i = 0; i < set->count && status == NPART_OK; i++)
        status = npart__save_commit(&set->saves[i], set->error);
    return status == NPART_OK ? npart__output_commit(&set->manifest, set->error) : status;
}

static npart_status write_set(struct set *set, enum npart_weights weights)
{
    npart_status status = NPART_OK;
    set->saves = npart__arena_zeroed(set->arena, set->count, sizeof *set->saves);
    if (!set->saves)
        return npart__fail_memory(set->error);
    if (!npart__path_make_folder(set->folder) && errno != EEXIST)
        return npart__fail(set->error, NPART_ERROR_WRITE, "", "cannot make the folder %s", set->folder);
    for (uint32_t i = 0; i < set->count && status == NPART_OK; i++)
        status = begin_model(set, i, weights);
    if (status == NPART_OK)
        status = begin_weights(set);
    if (status == NPART_OK)
        status = begin_manifest(set);
    if (status == NPART_OK)
        status = commit(set);
    for (uint32_t i = 0; i < set->begun; i++)
        npart__save_close(&set->saves[i]);
    npart__output_close(&set->data);
    npart__output_close(&set->manifest);
    return status;
}

npart_status npart_fix_write_set(const npart_fix *const *fixes, uint32_t count, const char *folder,
                                 enum npart_weights weights, struct npart_error *error)
{
    if (!fixes || !folder)
        return npart__fail_null(fixes ? "folder" : "fixes", error);
    if ((unsigned)weights > NPART_WEIGHTS_EXTERNAL)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "there is no choice %d of weights", (int)weights);
    npart_status status = check_set(fixes, count, error);
    if (status != NPART_OK)
        return status;
    struct npart__arena arena;
    struct set set = {.fixes = fixes, .count = count, .folder = folder, .arena = &arena, .error = error,
                      .shared = {.arena = &arena}, .data.descriptor = -1, .manifest.descriptor = -1};
    npart__arena_init(&arena, &fixes[0]->life->arena.allocator);
    status = write_set(&set, weights);
    npart__arena_clear(&arena);
    return npart__settle_for(fixes[0]->life, status, error);
}
