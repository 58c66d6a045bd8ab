/* SPDX-License-Identifier: Apache-2.0
 *
 * CPU time of inference alone: reads a model, infers it RUNS times, prints the least in seconds.
 *
 * usage: infer MODEL RUNS
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "npu_partition.h"

int main(int argc, char **argv)
{
    npart_model *model = NULL;
    struct npart_error error;
    double least = -1;
    int runs = argc == 3 ? atoi(argv[2]) : 0;
    if (runs < 1) {
        fprintf(stderr, "usage: infer MODEL RUNS\n");
        return 2;
    }
    if (npart_model_read_file(&model, argv[1], NULL, &error) != NPART_OK) {
        fprintf(stderr, "%s: %s\n", argv[1], error.message);
        return 3;
    }
    for (int i = 0; i < runs; i++) {
        npart_inference *inference = NULL;
        clock_t begin = clock();
        if (npart_inference_make(&inference, model, NULL, &error) != NPART_OK)
            return 3;
        double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
        if (least < 0 || seconds < least)
            least = seconds;
        npart_inference_free(inference);
    }
    npart_model_free(model);
    printf("%.6f\n", least);
    return 0;
}
