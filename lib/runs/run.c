/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a real run placed the nodes: which kind of file it is, and what all readers put together.
 */
#include <stdio.h>

#include "runs/runs.h"

/* ---- what readers add -------------------------------------------------------------------------------------------- */

bool npart__run_fail(npart_run *run, const char *problem)
{
    if (!*run->problem)
        (void)snprintf(run->problem, sizeof run->problem, "%s", problem);
    return false;
}

static bool lack(npart_run *run)
{
    run->life->arena.failed = true;
    return npart__run_fail(run, "out of memory");
}

uint32_t npart__run_provider(npart_run *run, const char *name)
{
    uint32_t at = 0;
    while (at < run->provider_count && strcmp(run->providers[at], name) != 0)
        at++;
    if (at < run->provider_count)
        return at;
    if (at == NPART_MOST_RUN_PROVIDERS) {
        (void)npart__run_fail(run, "too many execution providers");
        return UINT32_MAX;
    }
    run->providers[at] = npart__arena_copy_text(&run->life->arena, name, strlen(name));
    if (!run->providers[at]) {
        (void)lack(run);
        return UINT32_MAX;
    }
    run->provider_count++;
    return at;
}

double npart__run_warm_ms(const npart_run *run, double total_us, double first_us)
{
    if (run->runs > 1)
        return (total_us - first_us) / 1000 / (double)(run->runs - 1);
    return total_us / 1000;
}

bool npart__run_is_cpu(const npart_run *run, uint32_t provider)
{
    return strcmp(run->providers[provider], "CPUExecutionProvider") == 0;
}

void npart__run_give_reason(npart_run *run, struct npart__ran *node, const char *reason, size_t length)
{
    if (node && reason && length && !node->reason)
        node->reason = npart__arena_copy_text(&run->life->arena, reason, length);
}

static struct npart__ran *append(npart_run *run, const char *name, const char *op, uint32_t provider, int64_t index)
{
    struct npart__arena *arena = &run->life->arena;
    struct npart__ran node = {.name = npart__arena_copy_text(arena, name, strlen(name)),
                              .op = npart__arena_copy_text(arena, op, strlen(op)),
                              .index = index,
                              .provider = provider};
    if (!node.name || !node.op || !NPART__PUSH(arena, &run->nodes, node))
        return NULL;
    return &run->nodes.items[run->nodes.count - 1];
}

/* Keys have line ends, so none is "", and the first has the id 1. */
struct npart__ran *npart__run_node(npart_run *run, const char *name, const char *op, const char *provider,
                                   int64_t index)
{
    struct npart__arena *arena = &run->life->arena, scratch;
    struct npart__ran *node = NULL;
    uint32_t place = npart__run_provider(run, provider), count = run->nodes.count, id = NPART_NONE;
    npart__arena_init(&scratch, &arena->allocator);
    const char *key = npart__arena_format(&scratch, "%s\n%s\n%s\n%lld", name, op, provider, (long long)index);
    if (key && place != UINT32_MAX)
        id = npart__strings_find(&run->names, key, strlen(key));
    if (id != NPART_NONE)
        node = &run->nodes.items[id - 1];
    else if (place != UINT32_MAX && count == NPART_MOST_RUN_NODES)
        (void)npart__run_fail(run, "too many different nodes");
    else if (key && place != UINT32_MAX && npart__intern(&run->names, key, strlen(key), true) == count + 1)
        node = append(run, name, op, place, index);
    if (!node && !*run->problem)
        (void)lack(run);
    npart__arena_clear(&scratch);
    return node;
}

struct npart__ran *npart__run_placed(npart_run *run, const char *name, const char *op, const char *provider)
{
    struct npart__ran *node = npart__run_node(run, name, op, provider, -1);
    if (node)
        node->is_placed = true;
    return node;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* The lines of a log may begin with a bracket, too. */
static bool read_any(npart_run *run, struct npart__stream *input)
{
    int byte = npart__stream_first(input);
    if (byte < 0)
        return npart__run_fail(run, input->has_failed ? "cannot be read" : "is empty");
    int next = byte == '[' ? npart__stream_byte(input) : byte;
    bool is_list = byte == '[' && (next < 0 || (next && strchr("{] \t\r\n", next)));
    if (next >= 0)
        npart__stream_back(input);
    bool is_read = is_list || byte == '{' ? npart__read_run_json(run, input, is_list)
                                          : npart__read_run_log(run, input);
    return is_read && input->has_failed ? npart__run_fail(run, "cannot be read") : is_read;
}

static npart_status read_run(npart_run *run, struct npart__stream *input, struct npart_error *error)
{
    if (!npart__strings_init(&run->names, &run->life->arena) || !input)
        return npart__fail_memory(error);
    if (read_any(run, input))
        return NPART_OK;
    if (run->life->arena.failed)
        return npart__fail_memory(error);
    return npart__fail(error, input->has_failed ? NPART_ERROR_READ : NPART_ERROR_MALFORMED, "", "%s", run->problem);
}

npart_status npart_run_read(npart_run **out, npart_read_callback read, void *payload,
                            const struct npart_allocator *allocator, struct npart_error *error)
{
    struct npart__arena scratch;
    if (!out || !read)
        return npart__fail_null(!out ? "out" : "read", error);
    npart_run *run = npart__handle_new(sizeof *run, allocator);
    if (!run)
        return npart__fail_memory(error);
    run->kind = "profile";
    run->all_on_provider = UINT32_MAX;
    npart__arena_init(&scratch, allocator);
    struct npart__stream *input = npart__arena_allocate(&scratch, sizeof *input);
    if (input)
        npart__stream_init(input, read, payload);
    npart_status status = read_run(run, input, error);
    npart__arena_clear(&scratch);
    return NPART__HAND_OVER(out, run, status, error);
}

NPART__FREES(run)

bool npart_run_info(const npart_run *run, struct npart_run_info *out)
{
    if (!run || !NPART__HAS_ROOM(out))
        return false;
    *out = (struct npart_run_info){.size = sizeof *out,
                                   .kind = run->kind,
                                   .providers = run->providers,
                                   .provider_count = run->provider_count,
                                   .node_count = run->nodes.count,
                                   .has_partitions = run->has_partitions,
                                   .partitions = run->partitions,
                                   .runs = run->runs,
                                   .total_ms = run->total_us / 1000,
                                   .warm_ms = npart__run_warm_ms(run, run->total_us, run->first_us)};
    return true;
}

bool npart_run_node(const npart_run *run, uint32_t index, struct npart_run_node *out)
{
    if (!run || index >= run->nodes.count || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__ran *node = &run->nodes.items[index];
    *out = (struct npart_run_node){.size = sizeof *out,
                                   .name = node->name,
                                   .op = node->op,
                                   .provider = run->providers[node->provider],
                                   .reason = node->reason,
                                   .index = node->index,
                                   .is_cpu = npart__run_is_cpu(run, node->provider),
                                   .is_result = node->is_result,
                                   .is_placed = node->is_placed,
                                   .runs = node->runs,
                                   .total_ms = node->total_us / 1000,
                                   .warm_ms = npart__run_warm_ms(run, node->total_us, node->first_us)};
    return true;
}
