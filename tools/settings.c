/* SPDX-License-Identifier: Apache-2.0
 *
 * Only what those tools really read is written: options of ONNX Runtime's sessions and providers, arguments of
 * rknn-toolkit2, affinities of OpenVINO. What a list needs of a provider stands in its `option` lines; the sources of
 * the rest stand at each function.
 */
#include "settings.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "output_file.h"
#include "platform.h"

/* ---- nodes ------------------------------------------------------------------------------------------------- */

/* A live node of the main graph, and whether it runs on the NPU. */
struct placed {
    struct npart_node node;
    bool on_npu;
};

/* The index-th in the order of the run; false past the last. Those of bodies and functions are left out (*is_told). */
static bool placed_node(const npart_plan *plan, uint32_t index, struct placed *out, bool *is_told)
{
    const npart_model *model = npart_inference_model(npart_plan_inference(plan));
    struct npart_node_plan at = {.size = sizeof at};
    uint32_t count;
    const uint32_t *order = npart_plan_order(plan, &count);
    if (index >= count)
        return false;
    out->node.size = sizeof out->node;
    *is_told = npart_model_node(model, order[index], &out->node) && out->node.graph == 0 &&
               npart_plan_node(plan, order[index], &at);
    out->on_npu = *is_told && at.partition != NPART_NONE;
    return true;
}

/* The name of a node's result; "" where there is none. */
static const char *result_name(const npart_plan *plan, const struct npart_node *node, uint32_t index)
{
    struct npart_value value = {.size = sizeof value};
    if (index >= node->output_count || node->outputs[index] == NPART_NONE ||
        !npart_inference_value(npart_plan_inference(plan), node->outputs[index], &value))
        return "";
    return value.name;
}

/* Names are the model's, and written as they are: one that is no UTF-8, which JSON cannot have, would be another name
 * with a character changed. */
static bool put_text(json_t *object, const char *key, const char *text)
{
    return json_object_set_new(object, key, json_string(text)) == 0;
}

/* ---- ONNX Runtime ------------------------------------------------------------------------------------------ */

/* Sizes that the plan was made with, by SessionOptions.add_free_dimension_override_by_name; ONNX Runtime has no such
 * option for INPUT.AXIS. */
static bool add_dims(json_t *settings, const struct options *options)
{
    json_t *dims = json_object();
    bool is_added = dims != NULL;
    for (uint32_t i = 0; is_added && i < options->dim_count; i++)
        if (!options->dims[i].is_limit && !strchr(options->dims[i].name, '.'))
            is_added = json_object_set_new(dims, options->dims[i].name, json_integer(options->dims[i].size)) == 0;
    if (is_added && json_object_size(dims))
        is_added = json_object_set(settings, "free_dimension_overrides", dims) == 0;
    json_decref(dims);
    return is_added;
}

/* "Set the provider option NAME=VALUE: ..." of an advice. */
static void add_advised(json_t *provider, const npart_advice *advice)
{
    static const char begin[] = "Set the provider option ";
    struct npart_action action = {.size = sizeof action};
    for (uint32_t i = 0; npart_advice_action(advice, i, &action); i++) {
        const char *name = action.text + strlen(begin), *equals;
        if (strncmp(action.text, begin, strlen(begin)) != 0 || !(equals = strchr(name, '=')))
            continue;
        char key[64];
        (void)snprintf(key, sizeof key, "%.*s", (int)(equals - name), name);
        (void)json_object_set_new(provider, key, json_stringn(equals + 1, strcspn(equals + 1, ": ")));
    }
}

/* The options of the list, then those of the advice. session.disable_cpu_ep_fallback
 * (onnxruntime_session_options_config_keys.h) makes a session fail where a node would not be on the NPU. Of a compiled
 * provider the one that compiles is told, as what it left to the CPU stays there. */
static bool add_provider(json_t *settings, const struct options *options, const npart_plan *plan,
                         const npart_advice *advice, const struct npart_provider *provider)
{
    struct npart_provider_option option = {.size = sizeof option};
    struct npart_summary summary = {.size = sizeof summary};
    json_t *of_provider = json_object(), *of_session = json_object();
    bool is_added = of_provider && of_session;
    for (uint32_t i = 0; is_added && npart_plan_provider_option(plan, i, &option); i++)
        is_added = put_text(option.is_session ? of_session : of_provider, option.name, option.value);
    if (is_added)
        add_advised(of_provider, advice);
    if (is_added && npart_plan_summary(plan, &summary) && summary.verdict == NPART_PLAN_WHOLE)
        is_added = put_text(of_session, "session.disable_cpu_ep_fallback", "1");
    is_added = is_added && put_text(settings, "provider", provider->compiler ? provider->compiler : provider->name) &&
               json_object_set(settings, "provider_options", of_provider) == 0 &&
               (json_object_size(of_session) == 0 || json_object_set(settings, "session_config", of_session) == 0);
    json_decref(of_provider);
    json_decref(of_session);
    return is_added && add_dims(settings, options);
}

/* edgeai-tidl-tools, docs: deny_list:layer_name, names of nodes with commas between, which run on the CPU then. A name
 * with a comma, or none, cannot be denied. */
static bool add_tidl(json_t *settings, const npart_plan *plan)
{
    struct placed at;
    bool is_told;
    size_t used = 0, room = 1;
    char *names = NULL;
    for (int pass = 0; pass < 2 && (pass == 0 || (names = calloc(room, 1))); pass++)
        for (uint32_t i = 0; placed_node(plan, i, &at, &is_told); i++) {
            if (!is_told || at.on_npu || !*at.node.name || strchr(at.node.name, ','))
                continue;
            if (pass)
                used += (size_t)snprintf(names + used, room - used, "%s%s", used ? "," : "", at.node.name);
            else
                room += strlen(at.node.name) + 1;
        }
    bool is_added = names && put_text(json_object_get(settings, "provider_options"), "deny_list:layer_name", names);
    free(names);
    return is_added;
}

/* ---- decoders ---------------------------------------------------------------------------------------------- */

/* Of a cache of known size, or of that which the advice gives it: slots, tokens of a run (0: unknown), of a prompt. */
struct cache {
    uint64_t slots, run, prompt;
    struct npart_memory memory;
};

static bool find_cache(const npart_plan *plan, const npart_advice *advice, struct cache *out)
{
    struct npart_recommendation mended = {.size = sizeof mended};
    struct npart_cost cost = {.size = sizeof cost};
    *out = (struct cache){.memory = {.size = sizeof out->memory}};
    if (!npart_plan_memory(plan, &out->memory) || !npart_plan_cost(plan, &cost))
        return false;
    (void)npart_advice_recommendation(advice, &mended);
    out->slots = mended.slots ? mended.slots : out->memory.cache_slots;
    out->run = mended.slots ? 0 : out->memory.run_tokens;
    out->prompt = !mended.slots && cost.prompt_tokens ? cost.prompt_tokens : out->slots / 2;
    return out->slots > 1;
}

/* genai_config.json of onnxruntime-genai: what a plan knows of it, to be merged. Prompts in runs of a fixed size are
 * its `sliding_window` of inputs (src/config.h, src/models/input_ids.cpp); a provider is called by the first part of
 * its name (src/models/model.cpp). */
static bool add_genai(json_t *settings, const char *provider, json_t *options, const struct cache *cache)
{
    char name[32];
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(provider, "E"), provider);
    json_t *decoder = json_pack("{s:{s:[{s:O}]}}", "session_options", "provider_options", name, options);
    if (cache->memory.query_heads && cache->memory.key_heads)
        (void)json_object_update_new(decoder, json_pack("{s:I, s:I}", "num_attention_heads",
                                                        (json_int_t)cache->memory.query_heads, "num_key_value_heads",
                                                        (json_int_t)cache->memory.key_heads));
    if (cache->run > 1)
        (void)json_object_set_new(decoder, "sliding_window",
                                  json_pack("{s:I, s:s, s:b, s:b}", "window_size", (json_int_t)cache->run, "alignment",
                                            "left", "slide_inputs", 1, "slide_key_value_cache", 0));
    return json_object_set_new(settings, "genai_config",
                               json_pack("{s:{s:I, s:o}, s:{s:I}}", "model", "context_length",
                                         (json_int_t)cache->slots, "decoder", decoder, "search", "max_length",
                                         (json_int_t)cache->slots)) == 0;
}

/* LLMPipeline(FOLDER, "NPU", **these) of openvino_genai: it cuts prompts into chunks where PREFILL_HINT is DYNAMIC, and
 * keeps room for the prompt and the answer (docs.openvino.ai, "OpenVINO GenAI on NPU"; Intel's NPUW reads them). */
static bool add_openvino_genai(json_t *settings, const struct cache *cache)
{
    json_t *words = json_pack("{s:I, s:I, s:s}", "MAX_PROMPT_LEN", (json_int_t)cache->prompt, "MIN_RESPONSE_LEN",
                              (json_int_t)(cache->slots - cache->prompt), "GENERATE_HINT", "BEST_PERF");
    bool is_chunked = cache->run > 1 && cache->run < cache->prompt;
    if (cache->run > 1)
        (void)json_object_set_new(words, "PREFILL_HINT", json_string(is_chunked ? "DYNAMIC" : "STATIC"));
    if (is_chunked)
        (void)json_object_set_new(words, "NPUW_LLM_PREFILL_CHUNK_SIZE", json_integer((json_int_t)cache->run));
    return json_object_set_new(settings, "openvino_genai", words) == 0;
}

/* Of a provider that onnxruntime-genai knows; of Intel's chips beside it what their own pipeline reads. */
static bool add_decoder(json_t *settings, const npart_plan *plan, const npart_advice *advice, const char *provider)
{
    static const char *const known[] = {"QNNExecutionProvider", "OpenVINOExecutionProvider",
                                        "VitisAIExecutionProvider"};
    struct cache cache;
    bool is_added = true;
    if (!find_cache(plan, advice, &cache))
        return true;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(known[i], provider) == 0)
            is_added &= add_genai(settings, provider, json_object_get(settings, "provider_options"), &cache);
    if (strcmp(provider, known[1]) == 0)
        is_added &= add_openvino_genai(settings, &cache);
    return is_added;
}

/* ---- others ------------------------------------------------------------------------------------------------ */

/* rknn-toolkit2: rknn.config(op_target={NAME: 'cpu'}), by names of outputs. */
static bool add_rknn(json_t *settings, const npart_plan *plan)
{
    struct placed at;
    bool is_told;
    json_t *targets = json_object();
    bool is_added = true;
    for (uint32_t i = 0; is_added && placed_node(plan, i, &at, &is_told); i++)
        if (is_told && !at.on_npu && *result_name(plan, &at.node, 0))
            is_added = put_text(targets, result_name(plan, &at.node, 0), "cpu");
    (void)json_object_set_new(settings, "rknn.config", json_pack("{s:o}", "op_target", targets));
    return is_added;
}

/* OpenVINO, Heterogeneous execution: rt_info["affinity"] of every operation. An operation has the name of its node, or
 * where that has none of its last output (src/frontends/onnx, Graph::set_friendly_names). */
static bool add_intel(json_t *settings, const npart_plan *plan)
{
    struct placed at;
    bool is_told;
    json_t *affinity = json_object();
    bool is_added = true;
    for (uint32_t i = 0; is_added && placed_node(plan, i, &at, &is_told); i++) {
        if (!is_told)
            continue;
        const char *name = *at.node.name ? at.node.name : result_name(plan, &at.node, at.node.output_count - 1);
        if (*name)
            is_added = put_text(affinity, name, at.on_npu ? "NPU" : "CPU");
    }
    (void)json_object_set_new(settings, "device", json_string("HETERO:NPU,CPU"));
    (void)json_object_set_new(settings, "affinity", affinity);
    return is_added;
}

/* ---- targets ----------------------------------------------------------------------------------------------- */

/* What is written beside the provider's options, or where there is no provider; the rest is told to ONNX Runtime. */
static const struct row {
    const char *target, *tool;
    bool (*add)(json_t *settings, const npart_plan *plan);
} rows[] = {
    {"intel-npu", "openvino", add_intel},
    {"rknn", "rknn-toolkit2", add_rknn},
    {"tidl", "onnxruntime", add_tidl},
};

static const struct row *find_row(const npart_oplist *oplist)
{
    struct npart_oplist_info info = {.size = sizeof info};
    for (size_t i = 0; npart_oplist_info(oplist, &info) && i < sizeof rows / sizeof rows[0]; i++)
        if (strcmp(rows[i].target, info.name) == 0)
            return &rows[i];
    return NULL;
}

bool has_settings(const npart_oplist *oplist)
{
    struct npart_oplist_info info = {.size = sizeof info};
    if (find_row(oplist) || (npart_oplist_info(oplist, &info) && *info.provider))
        return true;
    say("--settings: there are no settings for %s: ONNX Runtime has no provider for it", info.name);
    return false;
}

bool write_settings(const struct options *options, const npart_plan *plan, const npart_advice *advice)
{
    const struct row *row = find_row(npart_plan_oplist(plan));
    struct npart_plan_info info = {.size = sizeof info};
    struct npart_provider provider = {.size = sizeof provider};
    (void)npart_plan_info(plan, &info);
    json_t *settings = json_pack("{s:i, s:s, s:s}", "schema", 1, "target", info.target, "for",
                                 row ? row->tool : "onnxruntime");
    if (!settings) {
        say("out of memory");
        return false;
    }
    bool has_provider = npart_plan_provider(plan, &provider);
    if ((has_provider && (!add_provider(settings, options, plan, advice, &provider) ||
                          !add_decoder(settings, plan, advice, provider.name))) ||
        (row && !row->add(settings, plan))) {
        say("%s: cannot write: a name that it needs is not UTF-8, which JSON cannot have", options->settings);
        json_decref(settings);
        return false;
    }
    struct output_file file;
    bool is_written = begin_output_file(&file, options->settings) &&
                      json_dumpf(settings, file.stream, JSON_INDENT(1)) == 0 && fputc('\n', file.stream) != EOF &&
                      fflush(file.stream) == 0;
    is_written = end_output_file(&file, is_written) && is_written;
    if (!is_written)
        say("%s: cannot write: %s", options->settings, strerror(errno));
    json_decref(settings);
    return is_written;
}
