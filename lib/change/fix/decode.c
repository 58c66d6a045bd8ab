/* SPDX-License-Identifier: Apache-2.0
 *
 * What a decoder with a fixed cache brings: of a plan's time and of the contract's tensors.
 *
 *     tokens a second = tokens / time of a run
 *     time to the first token = runs that read the prompt x time of a run
 */
#include "api/api.h"
#include "fix/handle.h"

/* With so many slots more than it has. */
static uint64_t bytes_of(const struct npart_cache_port *port, uint32_t more)
{
    uint64_t elements = 1;
    for (uint32_t i = 0; port->dims && i < port->rank; i++) {
        uint64_t size = (uint64_t)port->dims[i] + (i == port->axis ? more : 0);
        if (port->dims[i] < 0 || !npart__multiply_uint64(elements, size, &elements))
            return 0;
    }
    return port->dims ? npart__type_bytes(npart__type_number(port->type, strlen(port->type)), elements) : 0;
}

static void add_ports(const struct npart__cache *cache, struct npart_decode_info *out)
{
    uint32_t added = cache->info.slots - cache->info.past;
    for (uint32_t i = 0; i < cache->ports.count; i++) {
        const struct npart_cache_port *port = &cache->ports.items[i];
        uint64_t *sum = port->is_output ? &out->bytes_out : &out->bytes_in;
        *sum = npart__sum_uint64(*sum, bytes_of(port, 0));
        if (port->role == NPART_PORT_PAST)
            out->cache_bytes = npart__sum_uint64(out->cache_bytes, bytes_of(port, added));
    }
}

/* Where all tokens of a run count, those that are left of the prompt are another model's to read. */
static void add_times(const npart_plan *plan, bool counts_all, struct npart_decode_info *out)
{
    struct npart_cost cost = {.size = sizeof cost};
    out->run_ms = (struct npart_cost_range){-1, -1, -1};
    out->tokens_per_s = out->prompt_ms = -1;
    if (!npart_plan_cost(plan, &cost) || !(cost.total.typical_ms > 0))
        return;
    uint32_t left = out->prompt_tokens % out->tokens, runs = out->prompt_tokens / out->tokens + (left != 0);
    out->run_ms = cost.total;
    out->tokens_per_s = out->tokens * 1000.0 / cost.total.typical_ms;
    if ((!counts_all || !left) && out->prompt_tokens <= out->slots)
        out->prompt_ms = runs * cost.total.typical_ms;
}

bool npart_fix_decode(const npart_fix *fix, uint32_t target, uint32_t prompt_tokens, struct npart_decode_info *out)
{
    struct npart_memory memory = {.size = sizeof memory};
    if (!fix || target >= fix->target_count || !fix->found.cache.info.slots || !NPART__HAS_ROOM(out))
        return false;
    const struct npart_cache_info *cache = &fix->found.cache.info;
    const struct npart_summary *after = &fix->after[target];
    uint32_t asked = prompt_tokens || fix->plan_options.version < 2 ? prompt_tokens : fix->plan_options.prompt_tokens;
    *out = (struct npart_decode_info){.size = sizeof *out,
                                      .target = fix->targets[target],
                                      .slots = cache->slots,
                                      .tokens = cache->tokens,
                                      .partitions = after->partitions,
                                      .left = after->live - after->accepted,
                                      .prompt_tokens = (uint32_t)npart__prompt_tokens(asked, cache->slots),
                                      .prompt_run = cache->tokens};
    add_ports(&fix->found.cache, out);
    add_times(fix->plans[target], cache->counts_all, out);
    out->peak_bytes = (struct npart_bytes){0, true};
    if (npart_plan_memory(fix->plans[target], &memory)) {
        out->weight_bytes = memory.weight_bytes;
        out->peak_bytes = memory.peak_npu;
    }
    return true;
}
