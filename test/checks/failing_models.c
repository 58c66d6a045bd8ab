/* SPDX-License-Identifier: Apache-2.0
 *
 * Every place of the library that asks for memory fails once over the models that are given: for each model the
 * places that no model before it has reached, with the lists in turn and every fourth with the first of them too, and
 * those of the lists.
 *
 * usage: failing_models MODEL...
 */
#include <stdio.h>
#include <stdlib.h>

#include "support/failing.h"

#define MOST_LISTS 64

static npart_oplist *lists[MOST_LISTS];
static const char *list_name; /* at hand */

static npart_status find_list(struct scene *scene, struct npart_error *error)
{
    return npart_oplist_find(&scene->oplist, list_name, &scene->counted.allocator, error);
}

static size_t open_lists(size_t *tried, bool *is_wrong)
{
    static const struct tried_call call = {"an op list", NOTHING, find_list};
    size_t count = 0;
    while ((list_name = npart_builtin_oplist(count)) != NULL && count < MOST_LISTS && !*is_wrong) {
        struct scene scene = {.printed = 0};
        scene_init(&scene, true);
        *tried += fail_each(&scene, &call, is_wrong);
        if (npart_oplist_find(&lists[count++], list_name, NULL, NULL) != NPART_OK)
            exit(1);
    }
    return count;
}

static bool read_bytes(const char *path, struct bytes *out)
{
    FILE *file = fopen(path, "rb");
    char some[4096];
    size_t got;
    *out = (struct bytes){0};
    while (file && (got = fread(some, 1, sizeof some, file)) > 0)
        bytes_put(out, some, got);
    return file && fclose(file) == 0;
}

/* The first dynamic dim by name, and a node in the middle: what the model has. False when it cannot be read. */
static bool look_at(struct scene *scene, char *dim, char *cut, size_t bytes)
{
    struct npart_dim_binding binding;
    struct npart_node node = {.size = sizeof node};
    struct npart_model_info info = {.size = sizeof info};
    npart_inference *fixed = NULL;
    bool is_read = npart_model_read_memory(&scene->model, scene->bytes.data, scene->bytes.size, NULL, NULL) == NPART_OK;
    *dim = *cut = '\0';
    if (is_read && npart_inference_make(&scene->inference, scene->model, NULL, NULL) == NPART_OK &&
        npart_inference_make_fixed(&fixed, scene->inference, NULL) == NPART_OK &&
        npart_inference_binding(fixed, 0, &binding))
        (void)snprintf(dim, bytes, "%s", binding.name);
    if (is_read && npart_model_info(scene->model, &info) &&
        npart_model_node(scene->model, info.node_count / 2, &node) && *node.name)
        (void)snprintf(cut, bytes, "%s", node.name);
    npart_inference_free(fixed);
    npart_inference_free(scene->inference);
    npart_model_free(scene->model);
    return is_read;
}

static bool try_model(const char *path, const npart_oplist *list, size_t *tried)
{
    struct scene scene = {.printed = 0};
    char dim[256], cut[256];
    bool is_wrong = false;
    if (!read_bytes(path, &scene.bytes))
        return false;
    if (look_at(&scene, dim, cut, sizeof dim)) {
        scene_init(&scene, true);
        scene.dim = *dim ? dim : NULL;
        scene.cut = NULL;
        scene.planned = list;
        for (const struct tried_call *call = model_calls; call->name && !is_wrong; call++)
            *tried += fail_each(&scene, call, &is_wrong);
    }
    bytes_free(&scene.bytes);
    if (is_wrong)
        fprintf(stderr, "  %s\n", path);
    return !is_wrong;
}

int main(int argc, char **argv)
{
    size_t tried = 0;
    bool is_wrong = false;
    size_t count = open_lists(&tried, &is_wrong);
    for (int i = 1; i < argc && !is_wrong; i++)
        is_wrong = !try_model(argv[i], lists[(size_t)i % count], &tried) ||
                   (i % 4 == 0 && !try_model(argv[i], lists[0], &tried));
    for (size_t i = 0; i < count; i++)
        npart_oplist_free(lists[i]);
    printf("%zu allocations failed, of %d models and %zu lists\n", tried, argc - 1, count);
    return is_wrong;
}
