/* SPDX-License-Identifier: Apache-2.0
 *
 * A model and the data that goes with it, into their places: all is checked before anything is written, and the model
 * comes last.
 */
#include "wire/files.h"

/* A location is relative to the model, and the data lies beside it: the name without its folder. */
static const char *last_part(const char *path)
{
    return path + npart__name_offset(path);
}

/* Where the model's own data lies: `used` below; NULL where memory runs out. */
static const char *used_path(const struct npart__save *save, const char *location)
{
    return npart__arena_format(save->arena, "%s/%s", save->from_folder, location);
}

/* Missed as before, wherever the model stands. */
static bool is_left(const struct npart__save *save, const char *used)
{
    return save->weights.leaves_absent && !npart__path_is_taken(used);
}

/* Asked before anything is written; the copy itself comes with the commit, when the file may be gone again. */
static npart_status check_present(const struct npart__save *save, const char *used, struct npart_error *error)
{
    return npart__path_is_readable(used)
               ? NPART_OK
               : npart__fail(error, NPART_ERROR_READ, "", "external data %s is not there to be %s", used,
                             save->weights.links ? "linked" : "copied");
}

/* Neither output may take the place of data that the model reads. */
static npart_status check_apart(const char *used, const char *path, struct npart_error *error)
{
    return npart__is_same_file(used, path)
               ? npart__fail(error, NPART_ERROR_ARGUMENT, "", "%s holds external data of the model", path)
               : NPART_OK;
}

/* In the model's own folder its data is found as before, or missed as before. Elsewhere it would be missed, unless
 * it is brought along. */
static npart_status check_external(struct npart__save *save, const char *location, const char *path,
                                   const char *data_path, struct npart_error *error)
{
    /* By device and inode, so that two spellings of one folder are one. A folder that is not there is elsewhere. */
    bool is_elsewhere = !npart__is_same_file(save->from_folder, save->to_folder);
    bool is_brought = save->weights.links || save->weights.copies;
    const char *used = used_path(save, location);
    if (!used)
        return npart__fail_memory(error);
    if (is_left(save, used))
        return NPART_OK;
    npart_status status = is_elsewhere || is_brought ? npart__check_location(location, error) : NPART_OK;
    if (status == NPART_OK && is_elsewhere && !is_brought)
        status = npart__fail(error, NPART_ERROR_ARGUMENT, "",
                             "external data %s lies beside the model: --weights link or --weights copy brings it along",
                             location);
    if (status == NPART_OK && is_brought)
        status = check_present(save, used, error);
    if (status == NPART_OK)
        status = check_apart(used, path, error);
    return status == NPART_OK && data_path ? check_apart(used, data_path, error) : status;
}

/* `data_path` is NULL where no file of external data is written. */
static npart_status check_externals(struct npart__save *save, const struct npart__input *input, const char *path,
                                    const char *data_path, struct npart_error *error)
{
    npart_status status = NPART_OK;
    /* Locations are relative to the folder of a file, and there is none. */
    if (input->data && save->externals.locations.count)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "a model in memory has no folder with external data");
    for (uint32_t i = 0; i < save->externals.locations.count && status == NPART_OK; i++)
        status = check_external(save, save->externals.locations.items[i], path, data_path, error);
    return status;
}

/* One file that is open on success alone. */
static npart_status write_one(struct npart__output *output, const char *path, const struct npart__recipe *recipe,
                              bool is_external, struct npart__arena *arena, struct npart_error *error)
{
    npart_status status = npart__output_open(output, path, recipe->input, arena, error);
    if (status != NPART_OK)
        return status;
    status = is_external ? npart__recipe_write_external(recipe, output->descriptor, arena, error)
                         : npart__recipe_write(recipe, output->descriptor, arena, error);
    if (status != NPART_OK)
        npart__output_close(output);
    return status;
}

/* The one piece of a model that is written as it was. */
static npart_status take_whole(struct npart__recipe *out, const struct npart__input *input,
                               struct npart__arena *arena, struct npart_error *error)
{
    struct npart__piece piece = {.offset = 0, .bytes = input->bytes, .from = NPART__FROM_INPUT};
    *out = (struct npart__recipe){.input = input, .bytes = input->bytes};
    npart__buffer_init(&out->extra, arena);
    return NPART__PUSH(arena, &out->pieces, piece) ? NPART_OK : npart__fail_memory(error);
}

npart_status npart__save_begin(struct npart__save *save, const char *path, const void *skeleton, size_t bytes,
                               const struct npart__input *input, const struct npart__weights *weights,
                               struct npart__arena *arena, struct npart_error *error)
{
    *save = (struct npart__save){.arena = arena, .model.descriptor = -1, .data.descriptor = -1};
    if (weights)
        save->weights = *weights;
    struct npart__recipe *recipe = npart__arena_zeroed(arena, 1, sizeof *recipe);
    char *data_path = npart__arena_format(arena, "%s.data", path);
    save->from_folder = npart__folder_of(input->path ? input->path : "", arena);
    save->to_folder = npart__folder_of(path, arena);
    if (!recipe || !data_path || !save->from_folder || !save->to_folder)
        return npart__fail_memory(error);
    struct npart__expand_options options = {0};
    /* The name as the model will say it: "out.onnx.data", beside out.onnx. */
    if (save->weights.moves_out)
        options.external_location = last_part(data_path);
    if (save->weights.shared) {
        options.external_location = save->weights.shared_location;
        options.shared = save->weights.shared;
    }
    npart_status status = npart__externals_find(&save->externals, skeleton, bytes, arena, error);
    if (status == NPART_OK)
        status = save->weights.is_unchanged
                     ? take_whole(recipe, input, arena, error)
                     : npart__recipe_make(recipe, skeleton, bytes, input, &options, arena, error);
    if (status == NPART_OK)
        status = check_externals(save, input, path, recipe->external_bytes ? data_path : NULL, error);
    save->bytes = recipe->bytes;
    save->external_bytes = recipe->external_bytes;
    /* The data first, so that a model which is whole has its weights. */
    if (status == NPART_OK && recipe->external_bytes)
        status = write_one(&save->data, data_path, recipe, true, arena, error);
    if (status == NPART_OK)
        status = write_one(&save->model, path, recipe, false, arena, error);
    save->temporary = save->model.temporary;
    if (status != NPART_OK)
        npart__save_close(save);
    return status;
}

/* In the order in which a reader of the new model needs them: its old data, its new data, then itself. */
npart_status npart__save_commit(struct npart__save *save, struct npart_error *error)
{
    npart_status status = NPART_OK;
    bool is_brought = save->weights.links || save->weights.copies;
    for (uint32_t i = 0; is_brought && i < save->externals.locations.count && status == NPART_OK; i++) {
        const char *location = save->externals.locations.items[i], *used = used_path(save, location);
        if (!used)
            status = npart__fail_memory(error);
        else if (!is_left(save, used))
            status = npart__bring_external(location, save->from_folder, save->to_folder, save->weights.links,
                                           save->arena, error);
    }
    if (status == NPART_OK && save->external_bytes)
        status = npart__output_commit(&save->data, error);
    return status == NPART_OK ? npart__output_commit(&save->model, error) : status;
}

void npart__save_close(struct npart__save *save)
{
    npart__output_close(&save->data);
    npart__output_close(&save->model);
}
