/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes that hold what a provider has compiled before (EPContext): nothing of the graph within
 * can be seen, so reports say for whom it was compiled, and lists ask for which chip and by which release.
 */
#include <stdio.h>

#include "compiled/compiled.h"

#include "base/base.h"
#include "base/platform.h"
#include "infer/driver.h"

#define INFO_KEY "ep_compatibility_info." /* kOrtModelMetadata_EpCompatibilityInfoPrefix */

bool npart__is_compiled(const struct npart__graph *graph, const struct npart__node *node)
{
    return node->domain != 0 && npart__node_plays(graph, node, NPART__ROLE_COMPILED) &&
           strcmp(npart__text(&graph->strings, node->domain), "com.microsoft") == 0;
}

/* ---- attributes ------------------------------------------------------------------------------------------------ */

static const char *text_of(const struct npart__graph *graph, const struct npart__node *node, const char *name)
{
    const struct npart__attribute *given = npart__node_attribute(graph, node, name);
    return given && given->type == NPART_ATTRIBUTE_STRING && !given->is_elided ? given->u.s : "";
}

/* Both attributes that are numbers are 1 where they are left out. */
static bool is_set(const struct npart__graph *graph, const struct npart__node *node, const char *name)
{
    const struct npart__attribute *given = npart__node_attribute(graph, node, name);
    return !given || given->type != NPART_ATTRIBUTE_INT || given->u.i != 0;
}

/* Providers refuse a path with two dots in it, wherever they are. */
static bool leads_outside(const char *file)
{
    return npart__is_separator(*file) || npart__root_length(file) || strstr(file, "..");
}

static enum npart__context_place place_of(const struct npart__graph *graph, const char *file)
{
    struct npart__file_status status;
    struct npart__arena arena;
    if (leads_outside(file))
        return NPART__CONTEXT_OUTSIDE;
    if (!graph->folder)
        return NPART__CONTEXT_UNKNOWN;
    npart__arena_init(&arena, &graph->arena->allocator);
    const char *path = npart__arena_format(&arena, "%s/%s", graph->folder, file);
    bool is_asked = path != NULL;
    bool is_there = is_asked && npart__path_status(path, &status) && status.kind == NPART__FILE_REGULAR;
    npart__arena_clear(&arena);
    return !is_asked ? NPART__CONTEXT_UNKNOWN : is_there ? NPART__CONTEXT_BESIDE : NPART__CONTEXT_MISSING;
}

/* ---- what providers write -------------------------------------------------------------------------------------- */

/* A whole number of at most nine digits; *at is then after it. */
static bool take_number(const char **at, uint32_t *out)
{
    size_t digits = strspn(*at, "0123456789");
    *out = 0;
    for (size_t i = 0; i < digits && i < 9; i++)
        *out = *out * 10 + (uint32_t)((*at)[i] - '0');
    *at += digits;
    return digits > 0 && digits <= 9;
}

static bool take(const char **at, char letter)
{
    bool is_there = **at == letter;
    *at += is_there;
    return is_there;
}

/* "2.51.0", "v2.51.0.260929": the first two numbers. */
static bool take_version(const char **at, uint32_t *major, uint32_t *minor)
{
    (void)take(at, 'v');
    bool is_version = take_number(at, major) && take(at, '.') && take_number(at, minor);
    *at += strspn(*at, ".0123456789");
    return is_version;
}

/* "73,75" or "73", into the chips one by one. */
static bool take_numbers(const char **at, struct npart__compiled *out, bool is_generation)
{
    uint32_t count = 0, number;
    do {
        if (!take_number(at, &number))
            return false;
        if (count < NPART__LIMIT_COMPILED_CHIPS && is_generation)
            out->chips[count].generation = number;
        else if (count < NPART__LIMIT_COMPILED_CHIPS)
            out->chips[count].number = number;
        count += count < NPART__LIMIT_COMPILED_CHIPS;
    } while (take(at, ','));
    out->chip_count = count;
    return true;
}

/* onnxruntime-qnn, cache_compatibility/qnn_cache_compatibility_manager.cc. Since 2.4
 *     v2:BACKEND:SDK:BACKEND-API:ARCH,...:SOC,...:VTCM-MB,...:IS-DRIVER
 * and before that
 *     BACKEND:SDK:BACKEND-API:CONTEXT-BLOB:ARCH:IS-DRIVER */
static bool read_qnn(const char *text, struct npart__compiled *out)
{
    const char *at = text;
    uint32_t major, minor;
    bool is_second = strncmp(text, "v2:", 3) == 0;
    at += is_second ? 3 : 0;
    if (!take_number(&at, &out->backend) || !take(&at, ':') || !take_version(&at, &out->sdk_major, &out->sdk_minor))
        return false;
    out->has_sdk = true;
    if (!take(&at, ':') || !take_version(&at, &major, &minor) || !take(&at, ':'))
        return false;
    if (!is_second && (!take_version(&at, &major, &minor) || !take(&at, ':')))
        return false;
    return take_numbers(&at, out, true) && take(&at, ':') &&
           (!is_second || (take_numbers(&at, out, false) && take(&at, ':')));
}

/* Under which name a provider notes what it compiled for, and how that is read; without a function it is the
 * provider's own, which nobody documents. Sources are compared in lower case, as providers do. */
static const struct info_form {
    const char *source, *name;
    bool (*read)(const char *text, struct npart__compiled *out);
} info_forms[] = {
    {"qnn", "QNNExecutionProvider", read_qnn},
    {"qnnexecutionprovider", "QNNExecutionProvider", read_qnn},
};

static bool is_same_word(const char *text, const char *lower)
{
    for (; *text && *lower; text++, lower++)
        if ((*text >= 'A' && *text <= 'Z' ? *text - 'A' + 'a' : *text) != *lower)
            return false;
    return !*text && !*lower;
}

/* What cannot be read to its end says nothing of chips. */
static void read_info(const struct npart__graph *graph, struct npart__compiled *out)
{
    for (size_t i = 0; i < NPART__COUNT(info_forms); i++) {
        char key[96];
        if (!is_same_word(out->provider, info_forms[i].source))
            continue;
        (void)snprintf(key, sizeof key, INFO_KEY "%s", info_forms[i].name);
        const char *text = npart__model_metadata(graph, key);
        if (text && !info_forms[i].read(text, out))
            out->chip_count = 0;
    }
}

void npart__read_compiled(const struct npart__graph *graph, const struct npart__node *node,
                          struct npart__compiled *out)
{
    *out = (struct npart__compiled){.provider = text_of(graph, node, "source"), .file = ""};
    const char *version = text_of(graph, node, "ep_sdk_version");
    out->has_sdk = take_version(&version, &out->sdk_major, &out->sdk_minor);
    out->architecture = text_of(graph, node, "hardware_architecture");
    out->place = NPART__CONTEXT_EMBEDDED;
    if (!is_set(graph, node, "embed_mode") && is_set(graph, node, "main_context")) {
        out->file = text_of(graph, node, "ep_cache_context");
        out->place = *out->file ? place_of(graph, out->file) : NPART__CONTEXT_MISSING;
    }
    read_info(graph, out);
}

/* ---- in words -------------------------------------------------------------------------------------------------- */

static void append_chip(const struct npart__compiled_chip *chip, struct npart__buffer *out)
{
    if (chip->number && chip->generation)
        npart__append_format(out, "SoC %u (v%u)", chip->number, chip->generation);
    else if (chip->number)
        npart__append_format(out, "SoC %u", chip->number);
    else if (chip->generation)
        npart__append_format(out, "v%u", chip->generation);
    else
        npart__append_text(out, "a chip that is not named");
}

/* Of a long text 100 bytes are told, and a text of the file is escaped when it is shown. */
void npart__append_compiled(const struct npart__compiled *compiled, struct npart__buffer *out)
{
    if (*compiled->provider)
        npart__append_format(out, "%.100s", compiled->provider);
    else
        npart__append_text(out, "a provider that it does not name");
    if (compiled->has_sdk)
        npart__append_format(out, ", SDK %u.%u", compiled->sdk_major, compiled->sdk_minor);
    for (uint32_t i = 0; i < compiled->chip_count; i++) {
        npart__append_text(out, i ? " and " : ", ");
        append_chip(&compiled->chips[i], out);
    }
    if (*compiled->architecture)
        npart__append_format(out, ", %.100s", compiled->architecture);
    if (*compiled->file)
        npart__append_format(out, ", in %.100s", compiled->file);
}

static bool tell(struct npart__inference *inference, uint32_t id)
{
    const struct npart__graph *graph = inference->graph;
    struct npart__compiled compiled;
    struct npart__buffer text = {.arena = inference->arena};
    char at[160];
    npart__describe_node(graph, id, at, sizeof at);
    npart__read_compiled(graph, npart__node_at(graph, id), &compiled);
    npart__append_text(&text, *compiled.provider ? "already compiled for " : "already compiled, for ");
    npart__append_compiled(&compiled, &text);
    return npart__add_finding(inference, NPART__COMPILED, npart__made_text(&text), at);
}

/* Operators of the standard hold no such graphs, so their nodes are passed over at once. */
npart_status npart__find_compiled(struct npart__inference *inference, struct npart_error *error)
{
    const struct npart__graph *graph = inference->graph;
    for (uint32_t i = 0; i < graph->nodes.count; i++)
        if (npart__is_compiled(graph, npart__node_at(graph, i)) && !tell(inference, i))
            return npart__fail_memory(error);
    return NPART_OK;
}
