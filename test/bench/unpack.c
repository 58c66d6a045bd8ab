/* SPDX-License-Identifier: Apache-2.0
 *
 * The yardstick of the benchmark: read a whole file into memory and unpack it with protobuf-c, nothing else.
 */
#include <stdio.h>
#include <stdlib.h>

#include "onnx.pb-c.h"

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "rb") : NULL;
    if (!file || fseek(file, 0, SEEK_END) != 0)
        return 1;
    size_t bytes = (size_t)ftell(file);
    rewind(file);
    uint8_t *data = malloc(bytes);
    if (!data || fread(data, 1, bytes, file) != bytes)
        return 1;
    fclose(file);
    Onnx__ModelProto *model = onnx__model_proto__unpack(NULL, bytes, data);
    if (!model)
        return 1;
    printf("%zu nodes\n", model->graph->n_node);
    return 0; /* freeing is not part of it */
}
