/* SPDX-License-Identifier: Apache-2.0
 *
 * Writes mutants of models (fuzz/mutant.h), for test/fuzz/mutants.py.
 *
 * usage: make_mutants FOLDER FIRST COUNT MODEL...
 *
 * FOLDER gets <N>.onnx.
 */
#include <stdio.h>
#include <stdlib.h>

#include "fuzz/mutant.h"

int main(int argc, char **argv)
{
    static uint8_t data[MUTANT_ROOM];
    if (argc < 5)
        return 2;
    uint64_t first = strtoull(argv[2], NULL, 10), count = strtoull(argv[3], NULL, 10);
    for (uint64_t number = first; number < first + count; number++) {
        char path[4096];
        size_t size = mutant_make(number, argv + 4, (uint64_t)argc - 4, data);
        (void)snprintf(path, sizeof path, "%s/%llu.onnx", argv[1], (unsigned long long)number);
        FILE *file = fopen(path, "wb");
        if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0) {
            perror(path);
            return 4;
        }
    }
    return 0;
}
