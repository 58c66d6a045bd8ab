/* SPDX-License-Identifier: Apache-2.0
 *
 * Puts mutants (fuzz/mutant.h) through a fuzzer's entry point, for test/fuzz/stages.py.
 *
 * usage: through FIRST COUNT MODELS FOLDER MODEL...
 *
 * A mutant comes with choices of its own, mostly plain ones; with MODELS 2 every other has a changed copy after it.
 * Says on standard error which is next. FOLDER/<N> keeps the model and what was written. One that takes more than
 * MOST_SECONDS of CPU time ends the run.
 */
#if !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700
#endif
#include <sys/time.h>

#include "fuzz/folder.h"
#include "fuzz/fuzz.h"
#include "fuzz/mutant.h"
#include "fuzz/mutate.h"
#include "fuzz/request.h"

#define MOST_SECONDS 30
#define LONGEST ((size_t)65535) /* of a model that is not the last */

static void put_choices(struct bytes *input, bool has_second)
{
    uint8_t choices[SUBJECT_CHOICES];
    for (unsigned i = 0; i < SUBJECT_CHOICES; i++) {
        bool is_plain = i >= REQUEST_FIRST && mutant_random(4) != 0;
        choices[i] = is_plain ? 0 : (uint8_t)mutant_random(256);
    }
    choices[0] = has_second;
    bytes_put(input, choices, sizeof choices);
}

/* The input of a mutant: choices, and one or two models. */
static struct bytes make_input(uint64_t number, unsigned most, char *const *models, uint64_t model_count)
{
    static uint8_t data[MUTANT_ROOM];
    struct bytes input = {NULL, 0, 0};
    size_t size = mutant_make(number, models, model_count, data);
    bool has_second = most > 1 && size <= LONGEST && mutant_random(2) == 0;
    put_choices(&input, has_second);
    if (has_second) {
        const uint8_t length[2] = {(uint8_t)(size & 0xff), (uint8_t)(size >> 8)};
        bytes_put(&input, length, sizeof length);
        bytes_put(&input, data, size);
        size = mutate_model(data, size, sizeof data, (unsigned)mutant_random(UINT32_MAX));
    }
    bytes_put(&input, data, size);
    return input;
}

int main(int argc, char **argv)
{
    const struct itimerval most_time = {{0, 0}, {MOST_SECONDS, 0}};
    char kept[4096];
    if (argc < 6)
        return 2;
    uint64_t first = strtoull(argv[1], NULL, 10), count = strtoull(argv[2], NULL, 10);
    unsigned most = (unsigned)strtoul(argv[3], NULL, 10);
    for (uint64_t number = first; number < first + count; number++) {
        struct bytes input = make_input(number, most, argv + 5, (uint64_t)argc - 5);
        fprintf(stderr, "mutant %llu\n", (unsigned long long)number);
        (void)snprintf(kept, sizeof kept, "%s/%llu", argv[4], (unsigned long long)number);
        folder_keep(kept);
        (void)setitimer(ITIMER_VIRTUAL, &most_time, NULL);
        (void)LLVMFuzzerTestOneInput((const uint8_t *)input.data, input.size);
        bytes_free(&input);
    }
    return 0;
}
