/* SPDX-License-Identifier: Apache-2.0
 *
 * Handles for tests, see analysis.h.
 */
#include "support/analysis.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/model_text.h"
#include "support/subjects.h"

static void require(npart_status status, const struct npart_error *error, const char *what)
{
    if (status == NPART_OK)
        return;
    fprintf(stderr, "%s: %s: %s: %s\n", what, npart_status_text(status), error->place, error->message);
    exit(99);
}

npart_model *read_text(const char *model)
{
    struct bytes bytes = model_from_text(model);
    struct npart_error error;
    npart_model *read = NULL;
    require(npart_model_read_memory(&read, bytes.data, bytes.size, NULL, &error), &error, "model");
    bytes_free(&bytes);
    return read;
}

void analysis_infer(struct analysis *analysis, const char *model, const struct npart_inference_options *options)
{
    struct npart_error error;
    *analysis = (struct analysis){.model = read_text(model)};
    require(npart_inference_make(&analysis->inference, analysis->model, options, &error), &error, "inference");
}

void analysis_open(struct analysis *analysis, const char *model, const char *oplist, const char *target,
                   const struct npart_plan_options *options)
{
    struct npart_error error;
    analysis_infer(analysis, model, NULL);
    npart_status status = oplist ? npart_oplist_read_memory(&analysis->oplist, oplist, strlen(oplist), "list.ops",
                                                            NULL, &error)
                                 : npart_oplist_find(&analysis->oplist, "hexagon", NULL, &error);
    require(status, &error, "op list");
    status = npart_plan_make(&analysis->plan, analysis->inference, analysis->oplist, target, options, &error);
    require(status, &error, "plan");
}

void analysis_close(struct analysis *analysis)
{
    npart_plan_free(analysis->plan);
    npart_oplist_free(analysis->oplist);
    npart_inference_free(analysis->inference);
    npart_model_free(analysis->model);
    *analysis = (struct analysis){0};
}

uint32_t analysis_value(const struct analysis *analysis, const char *name)
{
    struct npart_value value = {.size = sizeof value};
    for (uint32_t i = 0; npart_inference_value(analysis->inference, i, &value); i++)
        if (strcmp(value.name, name) == 0)
            return i;
    return NPART_NONE;
}

uint32_t analysis_node(const struct analysis *analysis, const char *name)
{
    struct npart_node node = {.size = sizeof node};
    struct npart_value value = {.size = sizeof value};
    for (uint32_t i = 0; npart_model_node(analysis->model, i, &node); i++)
        if (node.output_count && npart_inference_value(analysis->inference, node.outputs[0], &value) &&
            strcmp(value.name, name) == 0)
            return i;
    return NPART_NONE;
}

bool sink_write(void *payload, const char *text, size_t bytes)
{
    struct sink *sink = payload;
    if (++sink->calls == sink->refuse_at)
        return false;
    char *grown = realloc(sink->text, sink->bytes + bytes + 1);
    if (!grown)
        abort();
    memcpy(grown + sink->bytes, text, bytes);
    sink->text = grown;
    sink->bytes += bytes;
    sink->text[sink->bytes] = '\0';
    if (bytes > sink->most_bytes)
        sink->most_bytes = bytes;
    return true;
}

void sink_clear(struct sink *sink)
{
    free(sink->text);
    *sink = (struct sink){0};
}

npart_advice *advise(const npart_plan *plan, const npart_plan *fixed, const char *target)
{
    struct npart_fix_options options = NPART_FIX_OPTIONS_INIT;
    struct npart_plan_info info = {.size = sizeof info};
    struct npart_error error;
    npart_advice *advice = NULL;
    (void)npart_plan_info(plan, &info);
    target = target ? target : info.target;
    require(npart_advice_find(&advice, plan, fixed, target, &options, &error), &error, "advice");
    return advice;
}

char *json_of(const npart_plan *plan, const npart_plan *fixed)
{
    struct npart_plan_pair pair = {plan, fixed, NULL};
    npart_advice *advice = advise(plan, fixed, NULL);
    struct npart_error error;
    struct sink sink = {0};
    pair.advice = advice;
    require(npart_report(OF_PLANS(&pair, 1), NPART_FORMAT_JSON, NULL, sink_write, &sink, &error), &error, "JSON");
    npart_advice_free(advice);
    return sink.text;
}

char *text_of(const npart_plan *plan, const npart_plan *fixed, const struct npart_report_options *options)
{
    struct npart_plan_pair pair = {plan, fixed, NULL};
    npart_advice *advice = advise(plan, fixed, NULL);
    struct npart_error error;
    struct sink sink = {0};
    pair.advice = advice;
    require(npart_report(OF_PLANS(&pair, 1), NPART_FORMAT_TEXT, options, sink_write, &sink, &error), &error, "text");
    npart_advice_free(advice);
    return sink.text;
}
