/* SPDX-License-Identifier: Apache-2.0
 *
 * Does a model run on an NPU? One call.
 *
 *     cc analyze_file.c $(pkg-config --cflags --libs npu-partition) -o analyze_file
 *     ./analyze_file model.onnx hexagon:v73
 */
#include <stdio.h>

#include <npu_partition.h>

int main(int argc, char **argv)
{
    struct npart_summary summary = {.size = sizeof summary};
    struct npart_error error;
    char text[200];
    if (argc != 3)
        return 2;
    if (npart_analyze_file(argv[1], argv[2], &summary, &error) != NPART_OK) {
        fprintf(stderr, "%s: %s %s\n", argv[1], error.place, error.message);
        return 1;
    }
    npart_summary_text(&summary, text, sizeof text);
    printf("%s\n", text);
    return 0;
}
