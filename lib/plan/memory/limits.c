/* SPDX-License-Identifier: Apache-2.0
 *
 * What a model has no room for: limits of the file's format, and those that an op list states of a device or its tools.
 * A new one is a row below, a parameter (lib/target/oplist/parameters.def) and a word (include/records.table).
 */
#include "memory/memory.h"

#define MEGABYTE (1024.0 * 1024.0)

/* What a limit is compared with, and by which parameter it is stated: in MB of 2^20 bytes, or as a number. */
struct row {
    enum npart_limited of;
    enum npart__parameter_name most;
    bool is_count;
};

static const struct row rows[] = {
    {NPART_LIMITED_WEIGHTS, NPART__PARAMETER_MOST_WEIGHTS, false},
    {NPART_LIMITED_TENSORS, NPART__PARAMETER_MOST_TENSORS, false},
    {NPART_LIMITED_ACTIVATIONS, NPART__PARAMETER_MOST_ACTIVATIONS, false},
    {NPART_LIMITED_SESSION, NPART__PARAMETER_MOST_SESSION, false},
    {NPART_LIMITED_PARTITION_WEIGHTS, NPART__PARAMETER_MOST_PARTITION_WEIGHTS, false},
    {NPART_LIMITED_PARTITIONS, NPART__PARAMETER_MOST_PARTITIONS, true},
};

enum npart_fit npart__fits(uint64_t low, uint64_t high, struct npart_bytes needed)
{
    if (needed.bytes > high)
        return NPART_FIT_NO;
    return !needed.is_partial && needed.bytes <= low ? NPART_FIT_YES : NPART_FIT_UNKNOWN;
}

/* By kind of limit what the plan takes; of a number it is told as bytes are. */
static void measure(const struct npart__memory_request *request, const struct npart__memory *memory,
                    struct npart_bytes needed[NPART__LIMITEDS])
{
    uint32_t partitions = request->partitioning->partitions.count;
    struct npart_bytes *largest = &needed[NPART_LIMITED_PARTITION_WEIGHTS];
    memset(needed, 0, NPART__LIMITEDS * sizeof *needed);
    needed[NPART_LIMITED_WEIGHTS] = needed[NPART_LIMITED_SESSION] = memory->told.weights_npu;
    needed[NPART_LIMITED_TENSORS] = memory->largest_inside;
    needed[NPART_LIMITED_ACTIVATIONS] = memory->told.peak_npu;
    npart__add_size(&needed[NPART_LIMITED_SESSION], memory->told.peak_npu);
    needed[NPART_LIMITED_PARTITIONS].bytes = partitions;
    needed[NPART_LIMITED_RAM] = needed[NPART_LIMITED_SESSION];
    npart__add_size(&needed[NPART_LIMITED_RAM], memory->told.weights_cpu);
    npart__add_size(&needed[NPART_LIMITED_RAM], memory->told.peak_cpu);
    for (uint32_t p = 0; p < partitions; p++) {
        const struct npart_bytes *weights = &memory->partitions[p].weights;
        largest->bytes = weights->bytes > largest->bytes ? weights->bytes : largest->bytes;
        largest->is_partial |= weights->is_partial;
    }
}

/* The end of the range that decides is the one that is told. */
static struct npart_memory_limit limit_of(enum npart_limited of, uint64_t low, uint64_t high, struct npart_bytes needed,
                                          const char *source)
{
    struct npart_memory_limit limit = {.of = of, .fits = npart__fits(low, high, needed), .source = source};
    limit.needed = needed;
    limit.limit_bytes = limit.fits == NPART_FIT_NO ? high : low;
    limit.safe_bytes = low;
    return limit;
}

/* Of weights and activations in one session: in how many a model of that size would have to be cut. A part has
 * activations of its own, and a node's weights cannot be cut, so it is at least that. NULL when out of memory. */
static const char *parts_source(const struct npart_memory_limit *limit, struct npart__arena *arena)
{
    uint64_t room = limit->safe_bytes, needed = limit->needed.bytes;
    uint64_t parts = room ? needed / room + (needed % room != 0) : 0;
    if (limit->of != NPART_LIMITED_SESSION || limit->fits != NPART_FIT_NO || parts < 2)
        return limit->source;
    return npart__arena_format(arena, "%s; cut in at least %llu parts (--cut, split), each would fit", limit->source,
                               (unsigned long long)parts);
}

static void count_up(struct npart_memory_limit *limit)
{
    limit->needed_count = limit->needed.bytes;
    limit->limit_count = limit->limit_bytes;
    limit->needed = (struct npart_bytes){0, true};
    limit->limit_bytes = limit->safe_bytes = 0;
}

/* Of an earlier one and one more: what does not fit decides, then what is not known. */
static enum npart_fit both(enum npart_fit a, enum npart_fit b)
{
    return a == NPART_FIT_NO || b == NPART_FIT_NO            ? NPART_FIT_NO
           : a == NPART_FIT_UNKNOWN || b == NPART_FIT_UNKNOWN ? NPART_FIT_UNKNOWN
                                                              : NPART_FIT_YES;
}

static const struct npart__device_class devices[] = {
#define DEVICE(word, low, high, flash_low, flash_high, source)                                                         \
    {word, source, {(uint64_t)((low) * MEGABYTE), (uint64_t)((high) * MEGABYTE)},                                      \
     {(uint64_t)((flash_low) * MEGABYTE), (uint64_t)((flash_high) * MEGABYTE)}},
#include "memory/devices.def"
};

const struct npart__device_class *npart__device_class_at(uint32_t index)
{
    return index < NPART__COUNT(devices) ? &devices[index] : NULL;
}

/* Where it is too much, what it would take with weights of fewer bits: of 8, or of 4 where these are too much, too. A
 * quantizer may leave some as they are, as tables that are looked up. NULL when out of memory. */
static const char *ram_source(const struct npart__memory *memory, uint64_t most, struct npart_bytes needed,
                              const char *room, struct npart__arena *arena)
{
    uint64_t weights = npart__sum_uint64(memory->told.weights_npu.bytes, memory->told.weights_cpu.bytes);
    uint64_t parameters = memory->told.parameters, others = needed.bytes - (weights < needed.bytes ? weights : 0);
    struct npart__buffer text;
    npart__buffer_init(&text, arena);
    npart__append_text(&text, room);
    if (needed.bytes > most && weights <= needed.bytes && parameters && parameters < memory->told.weight_bytes) {
        unsigned bits = npart__sum_uint64(others, parameters) <= most ? 8 : 4;
        uint64_t fewer = npart__sum_uint64(others, bits == 8 ? parameters : parameters / 2);
        npart__append_format(&text, "; with all weights in %u bits %s~", bits, fewer <= most ? "" : "still ");
        npart__append_rough_bytes(&text, fewer);
        if (fewer <= most)
            npart__append_format(&text, " (see --as w%u)", bits);
    }
    return npart__made_text(&text);
}

/* Of a number of bytes, or of a class of devices. False when out of memory. */
static bool add_ram(const struct npart__memory_request *request, struct npart_bytes all, struct npart__arena *arena,
                    struct npart__memory *out, struct npart_memory_limit *limits, uint32_t *count)
{
    const struct npart__device_class *device = request->device;
    const uint64_t given[] = {request->ram_bytes, request->ram_bytes}, *room = device ? device->ram : given;
    if (device && device->flash[1]) { /* weights are not in the RAM */
        struct npart_bytes weights = {0, false}, peaks = out->told.peak_npu;
        npart__add_size(&weights, out->told.weights_npu);
        npart__add_size(&weights, out->told.weights_cpu);
        npart__add_size(&peaks, out->told.peak_cpu);
        limits[*count] = limit_of(NPART_LIMITED_FLASH, device->flash[0], device->flash[1], weights, device->source);
        out->fits = both(out->fits, limits[(*count)++].fits);
        all = peaks;
    }
    const char *source = device && device->flash[1] ? device->source
                                                    : ram_source(out, room[1], all, device ? device->source
                                                                 : "the room that --ram gives", arena);
    if (!source)
        return false;
    limits[*count] = limit_of(NPART_LIMITED_RAM, room[0], room[1], all, source);
    out->fits = both(out->fits, limits[(*count)++].fits);
    return true;
}

/* A file has the limit of protobuf, whatever the target is, and also one that claims impossible sizes of external
 * data. What the NPU takes has no limit where it takes nothing. */
bool npart__find_limits(const struct npart__memory_request *request, struct npart__arena *arena,
                        struct npart__memory *out)
{
    const struct npart__graph *file = request->session->file;
    struct npart_memory_limit *limits = npart__arena_zeroed(arena, NPART__LIMITEDS, sizeof *limits);
    struct npart_bytes needed[NPART__LIMITEDS];
    const uint64_t most = NPART__MOST_PROTOBUF_BYTES, input = file->input_bytes, external = file->external_bytes;
    const struct npart_bytes model = {input, false}, whole = {input > UINT64_MAX - external ? UINT64_MAX
                                                                                             : input + external, false};
    uint32_t stated = 0, count = 0;
    out->told.limits = limits;
    if (!limits)
        return false;
    measure(request, out, needed);
    limits[count++] = limit_of(NPART_LIMITED_FILE, most, most, model, "protobuf: lengths are signed 32-bit numbers");
    limits[count++] = limit_of(NPART_LIMITED_ONE_FILE, most, most, whole, limits[0].source);
    out->fits = NPART_FIT_YES;
    for (size_t i = 0; i < NPART__COUNT(rows) && request->partitioning->partitions.count; i++) {
        const struct npart__parameter *at = request->parameters[rows[i].most];
        const double unit = rows[i].is_count ? 1 : MEGABYTE;
        if (!at)
            continue;
        struct npart_memory_limit *limit = &limits[count++];
        *limit = limit_of(rows[i].of, (uint64_t)(at->low * unit), (uint64_t)(at->high * unit), needed[rows[i].of],
                          at->source);
        limit->source = parts_source(limit, arena);
        if (!limit->source)
            return false;
        out->fits = both(out->fits, limit->fits);
        stated++;
        if (rows[i].is_count)
            count_up(limit);
    }
    bool has_ram = request->ram_bytes || request->device;
    if (has_ram && !add_ram(request, needed[NPART_LIMITED_RAM], arena, out, limits, &count))
        return false;
    stated += has_ram;
    out->told.limit_count = count;
    /* Of a list that states none only the file's is known. */
    out->fits = both(stated ? out->fits : NPART_FIT_UNKNOWN, limits[0].fits);
    return true;
}
