/* SPDX-License-Identifier: Apache-2.0
 *
 * What the tools that run a model have to be told for a plan to hold. Only what those tools really read is written:
 * options of ONNX Runtime's sessions and providers, arguments of rknn-toolkit2, affinities of OpenVINO. What a list
 * needs of a provider stands in its `option` lines; the sources of the rest stand at each function.
 */
#include <stdio.h>

#include "base/json.h"
#include "base/stream.h"
#include "report/report.h"

/* Objects of texts, a member a line. */
struct settings {
    struct npart__buffer out;
    unsigned depth;
    bool is_strange; /* a name is no UTF-8, which JSON cannot have: it would be another name with a character changed */
};

static void put_key(struct settings *to, const char *key)
{
    bool is_first = to->out.size && to->out.data[to->out.size - 1] == '{';
    npart__append_format(&to->out, "%s\n%*s", is_first ? "" : ",", (int)to->depth, "");
    npart__append_json_string(&to->out, key, strlen(key));
    npart__append_text(&to->out, ": ");
}

static void open_object(struct settings *to, const char *key)
{
    if (key)
        put_key(to, key);
    npart__append_text(&to->out, "{");
    to->depth++;
}

static void close_object(struct settings *to)
{
    bool is_empty = to->out.size && to->out.data[to->out.size - 1] == '{';
    to->depth--;
    if (!is_empty)
        npart__append_format(&to->out, "\n%*s", (int)to->depth, "");
    npart__append_text(&to->out, "}");
}

static void put_text(struct settings *to, const char *key, const char *text, size_t length)
{
    const char *const texts[] = {key, text};
    for (size_t i = 0; i < NPART__COUNT(texts); i++)
        for (const char *at = texts[i]; *at && !to->is_strange; at += npart__character_bytes(at))
            to->is_strange = npart__character_bytes(at) == 0;
    put_key(to, key);
    npart__append_json_string(&to->out, text, length);
}

static void put_number(struct settings *to, const char *key, uint64_t number)
{
    put_key(to, key);
    npart__append_int64(&to->out, (int64_t)number);
}

/* ---- nodes ------------------------------------------------------------------------------------------------- */

/* A live node of the main graph, and whether it runs on the NPU. */
struct placed {
    struct npart_node node;
    bool on_npu;
};

/* The next from place `*at` of the run on; false past the last. Those of bodies and functions are left out. */
static bool next_placed(const npart_plan *plan, uint32_t *at, struct placed *out)
{
    const npart_model *model = npart_inference_model(npart_plan_inference(plan));
    struct npart_node_plan placed = {.size = sizeof placed};
    uint32_t count;
    const uint32_t *order = npart_plan_order(plan, &count);
    out->node.size = sizeof out->node;
    while (*at < count) {
        uint32_t id = order[(*at)++];
        if (!npart_model_node(model, id, &out->node) || out->node.graph != 0 || !npart_plan_node(plan, id, &placed))
            continue;
        out->on_npu = placed.partition != NPART_NONE;
        return true;
    }
    return false;
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

/* ---- ONNX Runtime ------------------------------------------------------------------------------------------ */

/* Sizes that the plan was made with, by SessionOptions.add_free_dimension_override_by_name; ONNX Runtime has no such
 * option for INPUT.AXIS. */
static void put_dims(struct settings *to, const npart_plan *plan)
{
    struct npart_dim_binding dim;
    bool is_open = false;
    for (uint32_t i = 0; npart_inference_given(npart_plan_inference(plan), i, &dim); i++) {
        if (dim.is_limit || strchr(dim.name, '.'))
            continue;
        if (!is_open)
            open_object(to, "free_dimension_overrides");
        is_open = true;
        put_key(to, dim.name);
        npart__append_int64(&to->out, dim.size);
    }
    if (is_open)
        close_object(to);
}

/* "Set the provider option NAME=VALUE: ..." of an advice: the last one of a name counts; NULL: none. */
static const char *advised(const npart_advice *advice, uint32_t index, char *name, size_t bytes, size_t *length)
{
    static const char begin[] = "Set the provider option ";
    struct npart_action action = {.size = sizeof action};
    const char *equals = NULL;
    if (!npart_advice_action(advice, index, &action))
        return NULL;
    if (strncmp(action.text, begin, strlen(begin)) == 0)
        equals = strchr(action.text + strlen(begin), '=');
    *length = equals ? strcspn(equals + 1, ": ") : 0;
    if (equals)
        (void)snprintf(name, bytes, "%.*s", (int)(equals - action.text - (ptrdiff_t)strlen(begin)),
                       action.text + strlen(begin));
    return equals ? equals + 1 : "";
}

/* What the advice sets instead of the list; NULL: nothing. */
static const char *advised_value(const npart_advice *advice, const char *name, size_t *length)
{
    const char *found = NULL, *value;
    char other[64];
    size_t bytes;
    for (uint32_t i = 0; (value = advised(advice, i, other, sizeof other, &bytes)) != NULL; i++)
        if (*value && strcmp(other, name) == 0) {
            found = value;
            *length = bytes;
        }
    return found;
}

/* edgeai-tidl-tools, docs: deny_list:layer_name, names of nodes with commas between, which run on the CPU then. A name
 * with a comma, or none, cannot be denied. */
static void put_denied(struct settings *to, const npart_plan *plan)
{
    struct placed at;
    struct npart__buffer names;
    npart__buffer_init(&names, to->out.arena);
    for (uint32_t i = 0; next_placed(plan, &i, &at);)
        if (!at.on_npu && *at.node.name && !strchr(at.node.name, ','))
            npart__append_format(&names, "%s%s", names.size ? "," : "", at.node.name);
    put_text(to, "deny_list:layer_name", npart__buffer_text(&names), names.size);
    npart__buffer_release(&names);
}

static bool has_option(const npart_plan *plan, const char *name)
{
    struct npart_provider_option option = {.size = sizeof option};
    for (uint32_t i = 0; npart_plan_provider_option(plan, i, &option); i++)
        if (!option.is_session && strcmp(option.name, name) == 0)
            return true;
    return false;
}

/* The options of the list, then those of the advice. */
static void put_options(struct settings *to, const char *key, const npart_plan *plan, const npart_advice *advice,
                        bool has_denied)
{
    struct npart_provider_option option = {.size = sizeof option};
    char name[64];
    const char *value;
    size_t length;
    open_object(to, key);
    for (uint32_t i = 0; npart_plan_provider_option(plan, i, &option); i++) {
        value = option.is_session ? NULL : advised_value(advice, option.name, &length);
        if (!option.is_session)
            put_text(to, option.name, value ? value : option.value, value ? length : strlen(option.value));
    }
    for (uint32_t i = 0; (value = advised(advice, i, name, sizeof name, &length)) != NULL; i++)
        if (*value && !has_option(plan, name) && advised_value(advice, name, &length) == value)
            put_text(to, name, value, length);
    if (has_denied)
        put_denied(to, plan);
    close_object(to);
}

/* session.disable_cpu_ep_fallback (onnxruntime_session_options_config_keys.h) makes a session fail where a node would
 * not be on the NPU. */
static void put_session(struct settings *to, const npart_plan *plan)
{
    struct npart_provider_option option = {.size = sizeof option};
    struct npart_summary summary = {.size = sizeof summary};
    bool is_whole = npart_plan_summary(plan, &summary) && summary.verdict == NPART_PLAN_WHOLE, has_any = is_whole;
    for (uint32_t i = 0; npart_plan_provider_option(plan, i, &option); i++)
        has_any |= option.is_session;
    if (!has_any)
        return;
    open_object(to, "session_config");
    for (uint32_t i = 0; npart_plan_provider_option(plan, i, &option); i++)
        if (option.is_session)
            put_text(to, option.name, option.value, strlen(option.value));
    if (is_whole)
        put_text(to, "session.disable_cpu_ep_fallback", "1", 1);
    close_object(to);
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
static void put_genai(struct settings *to, const npart_plan *plan, const npart_advice *advice, const char *provider,
                      const struct cache *cache)
{
    char name[32];
    (void)snprintf(name, sizeof name, "%.*s", (int)strcspn(provider, "E"), provider);
    open_object(to, "genai_config");
    open_object(to, "model");
    put_number(to, "context_length", cache->slots);
    open_object(to, "decoder");
    open_object(to, "session_options");
    put_key(to, "provider_options");
    npart__append_text(&to->out, "[");
    open_object(to, NULL);
    put_options(to, name, plan, advice, false);
    close_object(to);
    npart__append_text(&to->out, "]");
    close_object(to);
    if (cache->memory.query_heads && cache->memory.key_heads) {
        put_number(to, "num_attention_heads", cache->memory.query_heads);
        put_number(to, "num_key_value_heads", cache->memory.key_heads);
    }
    if (cache->run > 1) {
        open_object(to, "sliding_window");
        put_number(to, "window_size", cache->run);
        put_text(to, "alignment", "left", 4);
        put_key(to, "slide_inputs");
        npart__append_text(&to->out, "true");
        put_key(to, "slide_key_value_cache");
        npart__append_text(&to->out, "false");
        close_object(to);
    }
    close_object(to);
    close_object(to);
    open_object(to, "search");
    put_number(to, "max_length", cache->slots);
    close_object(to);
    close_object(to);
}

/* LLMPipeline(FOLDER, "NPU", **these) of openvino_genai: it cuts prompts into chunks where PREFILL_HINT is DYNAMIC, and
 * keeps room for the prompt and the answer (docs.openvino.ai, "OpenVINO GenAI on NPU"; Intel's NPUW reads them). */
static void put_openvino_genai(struct settings *to, const struct cache *cache)
{
    bool is_chunked = cache->run > 1 && cache->run < cache->prompt;
    const char *hint = is_chunked ? "DYNAMIC" : "STATIC";
    open_object(to, "openvino_genai");
    put_number(to, "MAX_PROMPT_LEN", cache->prompt);
    put_number(to, "MIN_RESPONSE_LEN", cache->slots - cache->prompt);
    put_text(to, "GENERATE_HINT", "BEST_PERF", strlen("BEST_PERF"));
    if (cache->run > 1)
        put_text(to, "PREFILL_HINT", hint, strlen(hint));
    if (is_chunked)
        put_number(to, "NPUW_LLM_PREFILL_CHUNK_SIZE", cache->run);
    close_object(to);
}

/* Of a provider that onnxruntime-genai knows; of Intel's chips beside it what their own pipeline reads. */
static void put_decoder(struct settings *to, const npart_plan *plan, const npart_advice *advice, const char *provider)
{
    static const char *const known[] = {"QNNExecutionProvider", "OpenVINOExecutionProvider",
                                        "VitisAIExecutionProvider"};
    struct cache cache;
    if (!find_cache(plan, advice, &cache))
        return;
    for (size_t i = 0; i < NPART__COUNT(known); i++)
        if (strcmp(known[i], provider) == 0)
            put_genai(to, plan, advice, provider, &cache);
    if (strcmp(provider, known[1]) == 0)
        put_openvino_genai(to, &cache);
}

/* Of a compiled provider the one that compiles is told, as what it left to the CPU stays there. */
static void put_provider(struct settings *to, const npart_plan *plan, const npart_advice *advice, bool has_denied)
{
    struct npart_provider provider = {.size = sizeof provider};
    if (!npart_plan_provider(plan, &provider))
        return;
    const char *name = provider.compiler ? provider.compiler : provider.name;
    put_text(to, "provider", name, strlen(name));
    put_options(to, "provider_options", plan, advice, has_denied);
    put_session(to, plan);
    put_dims(to, plan);
    put_decoder(to, plan, advice, provider.name);
}

/* ---- others ------------------------------------------------------------------------------------------------ */

/* rknn-toolkit2: rknn.config(op_target={NAME: 'cpu'}), by names of outputs. */
static void put_rknn(struct settings *to, const npart_plan *plan)
{
    struct placed at;
    open_object(to, "rknn.config");
    open_object(to, "op_target");
    for (uint32_t i = 0; next_placed(plan, &i, &at);)
        if (!at.on_npu && *result_name(plan, &at.node, 0))
            put_text(to, result_name(plan, &at.node, 0), "cpu", 3);
    close_object(to);
    close_object(to);
}

/* OpenVINO, Heterogeneous execution: rt_info["affinity"] of every operation. An operation has the name of its node, or
 * where that has none of its last output (src/frontends/onnx, Graph::set_friendly_names). */
static void put_intel(struct settings *to, const npart_plan *plan)
{
    struct placed at;
    put_text(to, "device", "HETERO:NPU,CPU", strlen("HETERO:NPU,CPU"));
    open_object(to, "affinity");
    for (uint32_t i = 0; next_placed(plan, &i, &at);) {
        const char *name = *at.node.name ? at.node.name : result_name(plan, &at.node, at.node.output_count - 1);
        if (*name)
            put_text(to, name, at.on_npu ? "NPU" : "CPU", 3);
    }
    close_object(to);
}

/* ---- targets ----------------------------------------------------------------------------------------------- */

/* What is written beside the provider's options, or where there is no provider; the rest is told to ONNX Runtime. */
static const struct row {
    const char *target, *tool;
    void (*put)(struct settings *to, const npart_plan *plan); /* NULL: its nodes are denied */
} rows[] = {
    {"intel-npu", "openvino", put_intel},
    {"rknn", "rknn-toolkit2", put_rknn},
    {"tidl", "onnxruntime", NULL},
};

static const struct row *find_row(const npart_oplist *oplist)
{
    struct npart_oplist_info info = {.size = sizeof info};
    for (size_t i = 0; npart_oplist_info(oplist, &info) && i < NPART__COUNT(rows); i++)
        if (strcmp(rows[i].target, info.name) == 0)
            return &rows[i];
    return NULL;
}

bool npart_oplist_has_settings(const npart_oplist *oplist)
{
    struct npart_oplist_info info = {.size = sizeof info};
    return find_row(oplist) || (npart_oplist_info(oplist, &info) && *info.provider);
}

static void put_settings(struct settings *to, const npart_plan *plan, const npart_advice *advice)
{
    const struct row *row = find_row(npart_plan_oplist(plan));
    const char *tool = row ? row->tool : "onnxruntime";
    struct npart_plan_info info = {.size = sizeof info};
    (void)npart_plan_info(plan, &info);
    open_object(to, NULL);
    put_key(to, "schema");
    npart__append_text(&to->out, "1");
    put_text(to, "target", info.target, strlen(info.target));
    put_text(to, "for", tool, strlen(tool));
    put_provider(to, plan, advice, row && !row->put);
    if (row && row->put)
        row->put(to, plan);
    close_object(to);
    npart__append_text(&to->out, "\n");
}

npart_status npart_plan_settings(const npart_plan *plan, const npart_advice *advice, npart_write_callback write,
                                 void *payload, struct npart_error *error)
{
    struct npart__arena arena;
    struct settings to = {.depth = 0};
    npart_status status = NPART_OK;
    if (!plan || !write)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "%s must not be NULL", plan ? "write" : "plan");
    npart__buffer_open(&to.out, &arena, NULL, NULL, NULL);
    put_settings(&to, plan, advice);
    if (to.is_strange && !arena.failed)
        status = npart__fail(error, NPART_ERROR_ARGUMENT, "",
                             "a name that it needs is not UTF-8, which JSON cannot have");
    return npart__buffer_end(&to.out, write, payload, status, error);
}
