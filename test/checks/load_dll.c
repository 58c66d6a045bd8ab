/* SPDX-License-Identifier: Apache-2.0
 *
 * usage: load_dll DLL MODEL   The JSON report for hexagon, by functions that are looked up in a DLL by their names,
 * with callbacks and structs of this program, as Python's ctypes does.
 */
#include <fcntl.h>
#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <windows.h>

#include "npu_partition.h"

static HMODULE library;

#define FIND(name) (*(__typeof__(&name) *)find(#name))

static void *find(const char *name)
{
    static FARPROC function;
    function = GetProcAddress(library, name);
    if (!function) {
        fprintf(stderr, "the DLL has no %s\n", name);
        exit(2);
    }
    return &function;
}

static ptrdiff_t read_file(void *payload, void *into, size_t bytes)
{
    return (ptrdiff_t)fread(into, 1, bytes, payload);
}

static bool write_text(void *payload, const char *text, size_t bytes)
{
    return fwrite(text, 1, bytes, payload) == bytes;
}

int main(int argc, char **argv)
{
    npart_model *model = NULL;
    npart_inference *inference = NULL;
    npart_oplist *oplist = NULL;
    npart_plan *plan = NULL;
    struct npart_error error = {.message = ""};
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    FILE *file = argc == 3 ? fopen(argv[2], "rb") : NULL;
    library = argc == 3 ? LoadLibraryA(argv[1]) : NULL;
    if (!library || !file) {
        fprintf(stderr, "cannot load the DLL, or open the model\n");
        return 2;
    }
    (void)_setmode(1, _O_BINARY);
    options.name = argv[2];
    npart_status status = FIND(npart_model_read_stream)(&model, read_file, file, &options, &error);
    if (status == NPART_OK)
        status = FIND(npart_inference_make)(&inference, model, NULL, &error);
    if (status == NPART_OK)
        status = FIND(npart_oplist_find)(&oplist, "hexagon", NULL, &error);
    if (status == NPART_OK)
        status = FIND(npart_plan_make)(&plan, inference, oplist, "hexagon", NULL, &error);
    struct npart_plan_pair pair = {.plan = plan};
    struct npart_report_options report = NPART_REPORT_OPTIONS_INIT;
    struct npart_subject subject = {.size = sizeof subject, .kind = NPART_SUBJECT_PLANS, .plans = &pair, .count = 1};
    npart_advice *advice = NULL;
    if (status == NPART_OK)
        status = FIND(npart_advice_make)(&advice, plan, NULL, NULL, 0, &error);
    pair.advice = advice;
    if (status == NPART_OK)
        status = FIND(npart_report)(&subject, NPART_FORMAT_JSON, &report, write_text, stdout, &error);
    fprintf(stderr, "%s", status == NPART_OK ? "" : error.message);
    FIND(npart_advice_free)(advice);
    FIND(npart_plan_free)(plan);
    FIND(npart_oplist_free)(oplist);
    FIND(npart_inference_free)(inference);
    FIND(npart_model_free)(model);
    return status == NPART_OK ? 0 : 1;
}
