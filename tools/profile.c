/* SPDX-License-Identifier: Apache-2.0 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include "profile.h"

#include <stdlib.h>
#include <string.h>

#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(element) ((element)->is_lost = true)
#include <uthash.h>

#include "json_memory.h"
#include "npu_partition.h"

/* A node with the key that it is found by: name, operator, provider and place with line ends between. */
struct entry {
    struct placed_node node;
    UT_hash_handle hh;
    bool is_lost;
    char key[];
};

bool profile_fail(struct profile *profile, const char *problem)
{
    if (!*profile->problem)
        (void)snprintf(profile->problem, sizeof profile->problem, "%s", problem);
    return false;
}

uint32_t profile_provider(struct profile *profile, const char *name)
{
    uint32_t at = 0;
    while (at < profile->provider_count && strcmp(profile->providers[at], name) != 0)
        at++;
    if (at < profile->provider_count)
        return at;
    if (at == MOST_PROVIDERS || !(profile->providers[at] = strdup(name))) {
        profile_fail(profile, at == MOST_PROVIDERS ? "too many execution providers" : "out of memory");
        return UINT32_MAX;
    }
    profile->provider_count++;
    return at;
}

double profile_warm_ms(const struct profile *profile, double total_us, double first_us)
{
    if (profile->runs > 1)
        return (total_us - first_us) / 1000 / (double)(profile->runs - 1);
    return total_us / 1000;
}

bool profile_is_cpu(const struct profile *profile, uint32_t provider)
{
    return strcmp(profile->providers[provider], "CPUExecutionProvider") == 0;
}

static struct entry *add(struct profile *profile, const char *name, const char *op, const char *key, size_t length)
{
    struct entry *entries = profile->index;
    struct entry *entry = calloc(1, sizeof *entry + length + 1);
    if (!entry)
        return NULL;
    memcpy(entry->key, key, length + 1);
    entry->node.name = strdup(name);
    entry->node.op = strdup(op);
    if (entry->node.name && entry->node.op)
        HASH_ADD_KEYPTR(hh, entries, entry->key, length, entry);
    else
        entry->is_lost = true;
    profile->index = entries;
    if (!entry->is_lost)
        return entry;
    free(entry->node.name);
    free(entry->node.op);
    free(entry);
    return NULL;
}

static struct placed_node *append(struct profile *profile, struct placed_node *node, uint32_t provider,
                                  int64_t index)
{
    node->index = index;
    node->provider = provider;
    if (profile->last)
        profile->last->next = node;
    else
        profile->first = node;
    profile->last = node;
    profile->node_count++;
    return node;
}

struct placed_node *profile_node(struct profile *profile, const char *name, const char *op, const char *provider,
                                 int64_t index)
{
    struct entry *entries = profile->index, *entry = NULL;
    struct placed_node *node = NULL;
    uint32_t place = profile_provider(profile, provider);
    size_t length = strlen(name) + strlen(op) + strlen(provider) + 24;
    char *key = place == UINT32_MAX ? NULL : malloc(length + 1);
    if (key) {
        length = (size_t)snprintf(key, length + 1, "%s\n%s\n%s\n%lld", name, op, provider, (long long)index);
        HASH_FIND(hh, entries, key, length, entry);
        if (entry)
            node = &entry->node;
        else if (profile->node_count == MOST_PROFILE_NODES)
            profile_fail(profile, "too many different nodes");
        else if ((entry = add(profile, name, op, key, length)) != NULL)
            node = append(profile, &entry->node, place, index);
    }
    free(key);
    if (!node)
        profile_fail(profile, "out of memory");
    return node;
}

bool profile_read(struct profile *profile, FILE *file)
{
    *profile = (struct profile){.all_on_provider = UINT32_MAX};
    int byte = first_text_byte(file);
    if (byte == EOF)
        return profile_fail(profile, ferror(file) ? "cannot be read" : "is empty");
    /* The lines of a log may begin with a bracket, too. */
    int next = byte == '[' ? getc(file) : byte;
    bool is_list = byte == '[' && (next == EOF || strchr("{] \t\r\n", next));
    if (next != EOF && ungetc(next, file) == EOF)
        return profile_fail(profile, "cannot be read");
    bool is_read = is_list || byte == '{' ? read_json(profile, file, is_list) : read_log(profile, file);
    if (is_read && ferror(file))
        is_read = profile_fail(profile, "cannot be read");
    return is_read;
}

void profile_free(struct profile *profile)
{
    struct entry *entries = profile->index, *entry, *next;
    HASH_ITER(hh, entries, entry, next) {
        /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): uthash's own table is freed with its last entry alone */
        HASH_DEL(entries, entry);
        free(entry->node.name);
        free(entry->node.op);
        free(entry->node.reason);
        free(entry);
    }
    for (uint32_t i = 0; i < profile->provider_count; i++)
        free(profile->providers[i]);
    *profile = (struct profile){0};
}
