/* SPDX-License-Identifier: Apache-2.0
 *
 * Which function of the model a node calls.
 */
#include <stdio.h>
#include <string.h>

#include "onnx/onnx.h"

/* Longer keys take memory. */
#define MOST_BRIEF_BYTES 128u
/* A separator that is in no name. */
#define KEY "%s\x1f%s\x1f%s"

static const char *text_of(const char *text)
{
    return text ? text : "";
}

/* Into `brief` where it fits, else into the arena; NULL when out of memory. */
static const char *key_of(char brief[MOST_BRIEF_BYTES], struct npart__arena *arena, const char *domain,
                          const char *name, const char *overload)
{
    domain = npart__plain_domain(domain);
    int length = snprintf(brief, MOST_BRIEF_BYTES, KEY, domain, text_of(name), text_of(overload));
    return length >= 0 && (unsigned)length < MOST_BRIEF_BYTES
               ? brief
               : npart__arena_format(arena, KEY, domain, text_of(name), text_of(overload));
}

bool npart__functions_list(struct npart__functions *functions, const Onnx__ModelProto *model,
                           struct npart__arena *arena, uint32_t *repeated)
{
    char brief[MOST_BRIEF_BYTES];
    size_t count = model->n_functions + 1; /* ids are counted from 1 */
    functions->by_key = npart__arena_allocate(arena, count * sizeof *functions->by_key);
    if (!functions->by_key || !npart__strings_init(&functions->keys, arena))
        return false;
    memset(functions->by_key, 0xff, count * sizeof *functions->by_key); /* NPART_NONE */
    if (repeated)
        *repeated = NPART_NONE;
    for (uint32_t i = 0; i < model->n_functions; i++) {
        const Onnx__FunctionProto *at = model->functions[i];
        const char *key = key_of(brief, arena, at->domain, at->name, at->overload);
        uint32_t id = key ? npart__intern(&functions->keys, key, strlen(key), true) : NPART_NONE;
        if (id == NPART_NONE)
            return false;
        if (functions->by_key[id] == NPART_NONE)
            functions->by_key[id] = i;
        else if (repeated && *repeated == NPART_NONE)
            *repeated = i;
    }
    return true;
}

bool npart__functions_find(const struct npart__functions *functions, const Onnx__NodeProto *call, uint32_t *out)
{
    char brief[MOST_BRIEF_BYTES];
    *out = NPART_NONE;
    if (functions->keys.texts.count <= 1)
        return true;
    const char *key = key_of(brief, functions->keys.arena, call->domain, call->op_type, call->overload);
    uint32_t id = key ? npart__strings_find_text(&functions->keys, key) : NPART_NONE;
    if (id != NPART_NONE)
        *out = functions->by_key[id];
    return key != NULL;
}
