/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/subject.h"

#include "fuzz/fuzz.h"
#include "fuzz/generate.h"
#include "fuzz/mutate.h"

/* ---- what an input holds --------------------------------------------------------------------------------------- */

void subject_take(struct subject *subject, unsigned most, const uint8_t *data, size_t bytes)
{
    size_t head = bytes < SUBJECT_CHOICES ? bytes : SUBJECT_CHOICES;
    memset(subject, 0, sizeof *subject);
    if (head)
        memcpy(subject->choices, data, head);
    data += head;
    bytes -= head;
    subject->count = subject->choices[0] % most + 1;
    for (unsigned i = 0; i < subject->count; i++) {
        size_t length = bytes;
        if (i + 1 < subject->count && bytes >= 2) {
            length = (size_t)data[0] | (size_t)data[1] << 8;
            data += 2;
            bytes -= 2;
        }
        subject->models[i].data = data;
        subject->models[i].bytes = length < bytes ? length : bytes;
        data += subject->models[i].bytes;
        bytes -= subject->models[i].bytes;
    }
}

unsigned subject_choose(const struct subject *subject, unsigned at, unsigned below)
{
    return at < SUBJECT_CHOICES ? subject->choices[at] % below : 0;
}

/* In a block of exactly its size, so that a read past the end is seen. */
struct bytes subject_file(const uint8_t *data, size_t bytes)
{
    struct choices choices = {data, 1, bytes};
    bool is_generated = bytes && data[0] == SUBJECT_GENERATED;
    struct bytes made = {NULL, 0, 0};
    if (is_generated)
        made = generate_model(&choices);
    size_t size = is_generated ? made.size : bytes;
    struct bytes file = {malloc(size ? size : 1), size, size};
    FUZZ_REQUIRE(file.data);
    if (size)
        memcpy(file.data, is_generated ? made.data : data, size);
    bytes_free(&made);
    return file;
}

npart_model *subject_read(const uint8_t *data, size_t bytes, const char *name, const struct npart_allocator *allocator)
{
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    struct bytes file = subject_file(data, bytes);
    struct npart_error error;
    npart_model *model = NULL;
    options.allocator = allocator;
    options.name = name;
    npart_status status = npart_model_read_memory(&model, file.data, file.size, &options, &error);
    FUZZ_REQUIRE((status == NPART_OK) == (model != NULL));
    if (status != NPART_OK)
        fuzz_check_error(status, &error);
    bytes_free(&file);
    return model;
}

npart_inference *subject_infer(const npart_model *model, bool is_fixed)
{
    npart_inference *open = NULL, *fixed = NULL;
    struct npart_error error;
    npart_status status = npart_inference_make(&open, model, NULL, &error);
    if (status == NPART_OK && is_fixed)
        status = npart_inference_make_fixed(&fixed, open, &error);
    if (status != NPART_OK)
        fuzz_check_error(status, &error);
    if (!fixed)
        return open;
    npart_inference_free(open);
    return fixed;
}

/* ---- mutations ------------------------------------------------------------------------------------------------- */

/* Once in a while choices become the model that they make, so that it can be changed as one. */
size_t subject_mutate_model(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    if (size == 0 || data[0] != SUBJECT_GENERATED)
        return mutate_model(data, size, max_size, seed);
    if (seed % 32 == 0) {
        struct bytes model = subject_file(data, size);
        bool fits = model.size <= max_size;
        if (fits)
            memcpy(data, model.data, model.size);
        size = fits ? model.size : size;
        bytes_free(&model);
        return size;
    }
    return max_size > 1 ? 1 + LLVMFuzzerMutate(data + 1, size - 1, max_size - 1) : size;
}

#define MODEL_ROOM ((size_t)65535) /* of which the length can be written */

/* One of the models changes, or becomes a changed copy of another, or they change places. */
static void change_models(struct bytes *models, unsigned most, unsigned *count, size_t room, unsigned seed)
{
    unsigned at = seed % *count, from = seed / 4 % *count, way = seed / 16 % 8;
    if (way == 0 && *count < most)
        models[at = (*count)++] = (struct bytes){NULL, 0, 0};
    if (way <= 1 && at != from) {
        models[at].size = 0;
        bytes_put(&models[at], models[from].data, models[from].size);
    } else if (way == 2) {
        struct bytes other = models[at];
        models[at] = models[from];
        models[from] = other;
    }
    size_t most_bytes = models[at].size + room < MODEL_ROOM ? models[at].size + room : MODEL_ROOM;
    uint8_t *grown = malloc(most_bytes + 1);
    FUZZ_REQUIRE(grown);
    if (models[at].size)
        memcpy(grown, models[at].data, models[at].size);
    size_t size = subject_mutate_model(grown, models[at].size, most_bytes, seed / 128);
    models[at].size = 0;
    bytes_put(&models[at], grown, size);
    free(grown);
}

static size_t pack(const struct subject *subject, const struct bytes *models, unsigned count, uint8_t *data,
                   size_t max_size)
{
    struct bytes packed = {NULL, 0, 0};
    bytes_put(&packed, subject->choices, SUBJECT_CHOICES);
    for (unsigned i = 0; i < count; i++) {
        const uint8_t length[2] = {(uint8_t)(models[i].size & 0xff), (uint8_t)(models[i].size >> 8)};
        if (i + 1 < count)
            bytes_put(&packed, length, 2);
        bytes_put(&packed, models[i].data, models[i].size);
    }
    size_t size = packed.size <= max_size ? packed.size : 0;
    if (size)
        memcpy(data, packed.data, size);
    bytes_free(&packed);
    return size;
}

size_t subject_mutate(unsigned most, uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    struct subject subject;
    struct bytes models[SUBJECT_MODELS] = {{NULL, 0, 0}};
    subject_take(&subject, most, data, size);
    unsigned count = subject.count;
    for (unsigned i = 0; i < count; i++)
        bytes_put(&models[i], subject.models[i].data, subject.models[i].bytes);
    if (seed % 4 == 0)
        subject.choices[seed / 4 % SUBJECT_CHOICES] = (uint8_t)(seed >> 16);
    else
        change_models(models, most, &count, max_size > size ? max_size - size : 0, seed / 4);
    if (seed % 4)
        subject.choices[0] = (uint8_t)(count - 1);
    else
        count = subject.choices[0] % most + 1;
    size_t made = pack(&subject, models, count, data, max_size);
    for (unsigned i = 0; i < SUBJECT_MODELS; i++)
        bytes_free(&models[i]);
    return made ? made : size;
}
