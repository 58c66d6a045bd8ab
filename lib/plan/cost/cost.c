/* SPDX-License-Identifier: Apache-2.0
 *
 * A plan's bill: what its partitions, boundary tensors and nodes come to; and those of the same graph all on one side.
 */
#include "cost/cost.h"

/* Boundary tensors of a partition up to here stay on the chip. What is beyond counts at the rate of main memory;
 * one figure for all chips. */
#define IO_ON_CHIP_BYTES 4e6
#define MEBIBYTE 1048576.0

/* Switching does not depend on what is computed in. So the first arithmetic's rates are asked for: a list that
 * gives one value for all has it there. */
static void charge(struct npart__bill *bill, const struct npart__node_costs *nodes, enum npart__part part,
                   enum npart__parameter_name name, double quantity)
{
    npart__charge(bill, part, nodes->rates.of[0][name], quantity);
}

/* Both of a partition's shares: what starting it takes, and what the runtime adds to each call. Loading is paid
 * when the session is created, so it is a part of the cold start alone. */
static void charge_partitions(struct npart__bill *bill, const struct npart__node_costs *nodes, uint32_t count)
{
    charge(bill, nodes, NPART__PART_SWITCH, NPART__PARAMETER_LAUNCH, count);
    charge(bill, nodes, NPART__PART_SWITCH, NPART__PARAMETER_RUNTIME, count);
    charge(bill, nodes, NPART__PART_COLD, NPART__PARAMETER_LOAD, count);
}

/* ---- boundary tensors -------------------------------------------------------------------------------------- */

/* What crosses the border of one partition. Elements and not bytes, since their width is what most of the
 * partition computes in, known only when all its nodes were seen. */
struct border {
    /* Of the tensors that cross in either direction; those of unknown size are not in it. */
    double elements;     /* of types wider than a byte */
    double narrow_bytes; /* of the others, as a cache of 8 bits */
    double copied_bytes; /* by a runtime that copies them */
    double operations[NPART__ARITHMETICS]; /* of its products */
    uint32_t nodes[NPART__ARITHMETICS];    /* float32 counts as float16 */
};

/* Rates were found with float32. */
double npart__copied_bytes(int element_type, double elements)
{
    const unsigned most_bits = 32;
    unsigned bits = npart__type_bits(element_type);
    return elements * (bits && bits < most_bits ? bits : most_bits) / 8;
}

/* One precision with such a rate is enough; where another lacks it, its borders are unknown (charge_border). */
bool npart__has_io(const struct npart__rates *rates)
{
    for (uint32_t a = 0; a < NPART__ARITHMETICS; a++)
        if (rates->of[a][NPART__PARAMETER_IO] != NPART__NO_RATE)
            return true;
    return false;
}

/* False where the size is not known. */
static bool cross(struct border *border, const struct npart__session *session, uint32_t value)
{
    const struct npart__fact *fact = npart__fact_of(session->inference, value);
    uint64_t elements;
    if (!npart__static_elements(fact, &elements))
        return false;
    border->copied_bytes += npart__copied_bytes(fact->element_type, (double)elements);
    if (npart__type_bits(fact->element_type) > 8)
        border->elements += (double)elements;
    else
        border->narrow_bytes += (double)npart__type_bytes(fact->element_type, elements);
    return true;
}

/* Nodes without work (of sizes, or nothing to do) say nothing about what the partition computes in; neither do those
 * of which the work is not known. */
static void add_node(struct border *border, const struct npart__node_costs *nodes, uint32_t node)
{
    const struct npart__work *work = &nodes->works[node];
    /* FLOAT32 is 0: NPUs compute it as FLOAT16. Its place is empty, and charge_border begins after it. */
    uint32_t arithmetic = nodes->items[node].arithmetic ? nodes->items[node].arithmetic : NPART__ARITHMETIC_FLOAT16;
    if (work->class == NPART_WORK_NONE || !nodes->items[node].npu.is_known)
        return;
    border->nodes[arithmetic]++;
    if (work->class == NPART_WORK_MATRIX || work->class == NPART_WORK_PRODUCT)
        border->operations[arithmetic] += npart__padded_macs(&nodes->rates, work);
}

/* In the arithmetic of most of the partition's operations; without any, of most of its nodes. */
static void charge_border(struct npart__bill *bill, const struct npart__node_costs *nodes, const struct border *border)
{
    uint32_t most = NPART__ARITHMETIC_FLOAT16;
    bool has_products = false;
    for (uint32_t a = most; a < NPART__ARITHMETICS; a++)
        has_products |= border->operations[a] > 0;
    for (uint32_t a = most + 1; a < NPART__ARITHMETICS; a++)
        if (has_products ? border->operations[a] > border->operations[most] : border->nodes[a] > border->nodes[most])
            most = a;
    /* 16-bit activations and floats are two bytes each. */
    double bytes = border->elements * (most == NPART__ARITHMETIC_W8A8 ? 1 : 2) + border->narrow_bytes;
    /* A million elements are 2 MB, all at io_gb_per_s; three million are 6 MB, of which 2 MB count at
     * memory_gb_per_s. */
    double near = bytes < IO_ON_CHIP_BYTES ? bytes : IO_ON_CHIP_BYTES;
    /* An empty border needs no rate. */
    bill->unknown += bytes > 0 && nodes->rates.of[most][NPART__PARAMETER_IO] == NPART__NO_RATE;
    npart__charge(bill, NPART__PART_COPY, nodes->rates.of[most][NPART__PARAMETER_IO], near);
    npart__charge(bill, NPART__PART_COPY, nodes->rates.of[most][NPART__PARAMETER_MEMORY], bytes - near);
    charge(bill, nodes, NPART__PART_COPY, NPART__PARAMETER_RUNTIME_COPY, border->copied_bytes);
}

/* Each partition pays for its own. A tensor from one partition to another is paid twice, out of one and into the
 * other. */
static bool charge_borders(struct npart__cost *out, const struct npart__session *session,
                           const struct npart__node_costs *nodes, const struct npart__partitioning *partitioning,
                           struct npart__arena *arena)
{
    /* One a partition, filled in two walks: over the tensors that cross, then over the nodes, which say how wide
     * an element is. */
    struct border *borders = npart__arena_zeroed(arena, partitioning->partitions.count + (size_t)1, sizeof *borders);
    if (!borders)
        return false;
    for (uint32_t i = 0; i < partitioning->crossings.count; i++) {
        const struct npart__crossing *at = &partitioning->crossings.items[i];
        const uint32_t sides[] = {at->from, at->to};
        for (size_t k = 0; k < 2; k++)
            if (sides[k] != NPART_NONE)
                (void)cross(&borders[sides[k]], session, at->value); /* of unknown size: counted with crossings */
    }
    for (uint32_t i = 0; i < nodes->count; i++)
        if (partitioning->partition_of[i] != NPART_NONE)
            add_node(&borders[partitioning->partition_of[i]], nodes, i);
    for (uint32_t p = 0; p < partitioning->partitions.count; p++)
        charge_border(&out->bill, nodes, &borders[p]);
    npart__arena_release(arena, borders);
    return true;
}

/* What brings a tensor of so many bytes across, once or both ways. An NPU for integers alone is given floats as the 8
 * bits that they are computed in: the host quantizes them. */
static void charge_copy(struct npart__bill *bill, const struct npart__session *session,
                        const struct npart__node_costs *nodes, uint32_t value, uint64_t bytes, uint32_t ways)
{
    const struct npart__parameter *float32 = nodes->rates.values[0][NPART__PARAMETER_COPIED_FLOAT32];
    bool is_float32 = npart__fact_of(session->inference, value)->element_type == NPART__FLOAT;
    double share = is_float32 && float32 ? float32->typical / 4 : 1;
    charge(bill, nodes, NPART__PART_COPY, NPART__PARAMETER_COPY, share * ways * (double)bytes);
}

/* Bytes are told in reports whether or not the list has rates for them. */
static void count_crossings(struct npart__cost *out, const struct npart__partitioning *partitioning)
{
    for (uint32_t i = 0; i < partitioning->crossings.count; i++) {
        const struct npart__crossing *crossing = &partitioning->crossings.items[i];
        if (crossing->bytes == UINT64_MAX) {
            out->unknown_sizes++;
            continue;
        }
        /* From one partition to another a tensor goes through memory that both see: it counts both ways. */
        if (crossing->to != NPART_NONE)
            out->bytes_to_npu = npart__sum_uint64(out->bytes_to_npu, crossing->bytes);
        if (crossing->from != NPART_NONE)
            out->bytes_to_cpu = npart__sum_uint64(out->bytes_to_cpu, crossing->bytes);
    }
    /* So the total of a plan with a dynamic tensor at a border is unknown, and not a sum without it. */
    out->bill.unknown += out->unknown_sizes;
}

/* ---- layouts ----------------------------------------------------------------------------------------------- */

/* In a list without io_gb_per_s a conversion is a pass over the tensor, read and written. */
static void charge_layouts(struct npart__bill *bill, const struct npart__node_costs *nodes,
                           const struct npart__layouts *layouts)
{
    charge(bill, nodes, NPART__PART_LAYOUT, NPART__PARAMETER_LAYOUT, 2 * (double)layouts->bytes);
    bill->unknown += layouts->unknown_sizes;
}

/* Where boundary tensors are charged with their layout, only conversions elsewhere are left; and of those only such as
 * a compiler that has the whole graph does without, for the rates were found with the others. `whole` is of the
 * graph in one partition (npart__cost_sides): what is converted there, too, is in the rates already. */
static bool charge_more_layouts(struct npart__cost *out, const struct npart__session *session,
                                const struct npart__node_costs *nodes, const struct npart__partitioning *partitioning,
                                const struct npart__layouts *whole, struct npart__arena *arena)
{
    /* Values of the session's graph, since layouts are found in that. */
    uint32_t values = session->graph->values.count;
    bool *crosses = npart__arena_zeroed(arena, values + (size_t)1, sizeof *crosses);
    uint64_t elements;
    if (!crosses)
        return false;
    for (uint32_t i = 0; i < partitioning->crossings.count; i++)
        crosses[partitioning->crossings.items[i].value] = true;
    for (uint32_t v = 0; v < values; v++) {
        if (out->layouts.converted_for[v] == NPART_NONE || whole->converted_for[v] != NPART_NONE || crosses[v])
            continue; /* a boundary tensor's is in its border */
        const struct npart__fact *fact = npart__fact_of(session->inference, v);
        if (npart__static_elements(fact, &elements))
            charge(&out->bill, nodes, NPART__PART_LAYOUT, NPART__PARAMETER_LAYOUT,
                   2 * (double)npart__type_bytes(fact->element_type, elements));
        else
            out->bill.unknown++;
    }
    npart__arena_release(arena, crosses);
    return true;
}

/* A list with neither has no rates for nodes at all; then every node would count as unknown, which says nothing of
 * the model. */
static bool can_compute(const struct npart__node_costs *nodes)
{
    return nodes->rates.of[0][NPART__PARAMETER_MATRIX] != NPART__NO_RATE ||
           nodes->rates.of[NPART__ARITHMETIC_W8A8][NPART__PARAMETER_MATRIX] != NPART__NO_RATE ||
           nodes->rates.of[0][NPART__PARAMETER_CPU_MATRIX] != NPART__NO_RATE;
}

/* What does not stay on the chip from one run to the next. A list without such a rate keeps all weights in memory that
 * the NPU reads as fast as its own. */
static void charge_stream(struct npart__bill *bill, const struct npart__node_costs *nodes, double weight_bytes)
{
    const struct npart__parameter *sram_mb = nodes->rates.values[0][NPART__PARAMETER_SRAM];
    double held = sram_mb ? sram_mb->typical * MEBIBYTE : 0;
    if (weight_bytes > held)
        charge(bill, nodes, NPART__PART_NPU_BANDWIDTH, NPART__PARAMETER_STREAM, weight_bytes - held);
}

/* ---- a plan ------------------------------------------------------------------------------------------------ */

/* Nodes on the side where they are. What the matrix unit's tiles hold beside the product shows as `fill`. */
static void charge_nodes(struct npart__cost *out, const struct npart__session *session,
                         const struct npart__node_costs *nodes, const uint32_t *partition_of)
{
    double macs = 0, padded = 0, weight_bytes = 0;
    for (uint32_t i = 0; i < nodes->count; i++) {
        bool on_npu = partition_of[i] != NPART_NONE;
        const struct npart__node_cost *node = &nodes->items[i];
        const struct npart__work *work = &nodes->works[i];
        if (!npart__is_live(session, i))
            continue;
        const struct npart__side_cost *side = npart__side_of(nodes, i, partition_of);
        out->unknown_nodes += !side->is_known;
        npart__charge_side(&out->bill, side);
        if (!on_npu || !node->npu.is_known)
            continue;
        /* Weights are brought in once, when the model is loaded: a part of the first run alone. */
        charge(&out->bill, nodes, NPART__PART_COLD, NPART__PARAMETER_LOAD_WEIGHTS, (double)work->weight_bytes);
        weight_bytes += npart__streamed_bytes(work);
        if (work->class == NPART_WORK_MATRIX || work->class == NPART_WORK_PRODUCT) {
            macs += (double)work->macs;
            padded += npart__padded_macs(&nodes->rates, work);
        }
    }
    charge_stream(&out->bill, nodes, weight_bytes);
    /* A product of 7 rows fills 7 of the 32 rows of its tiles: by itself its fill is 22 %. */
    out->fill = padded > 0 ? macs / padded : 0;
}

/* Boundary tensors by partition where the list says what bringing them in takes; else by their bytes, and conversions
 * apart. */
static npart_status charge_all(const struct npart__session *session, const struct npart__partitioning *partitioning,
                               const struct npart__node_costs *nodes, const struct npart__sides *sides,
                               struct npart__arena *arena, struct npart__cost *out, struct npart_error *error)
{
    bool is_ready = true;
    /* A list without a rate for one of these adds nothing for it (npart__charge); only what a list must have
     * counts as unknown. */
    charge_partitions(&out->bill, nodes, partitioning->partitions.count);
    count_crossings(out, partitioning);
    charge_nodes(out, session, nodes, partitioning->partition_of);
    charge(&out->bill, nodes, NPART__PART_COPY, NPART__PARAMETER_MAP, partitioning->crossings.count);
    if (npart__has_io(&nodes->rates)) {
        is_ready = charge_borders(out, session, nodes, partitioning, arena) &&
                   charge_more_layouts(out, session, nodes, partitioning, &sides->layouts, arena);
    } else {
        for (uint32_t i = 0; i < partitioning->crossings.count; i++) {
            const struct npart__crossing *at = &partitioning->crossings.items[i];
            uint32_t ways = (at->from != NPART_NONE) + (uint32_t)(at->to != NPART_NONE);
            if (at->bytes != UINT64_MAX)
                charge_copy(&out->bill, session, nodes, at->value, at->bytes, ways);
        }
        charge_layouts(&out->bill, nodes, &out->layouts);
    }
    return is_ready ? NPART_OK : npart__fail_memory(error);
}

npart_status npart__estimate_cost(const struct npart__target *target, const struct npart__session *session,
                                  const struct npart__partitioning *partitioning,
                                  const struct npart__node_costs *nodes, const struct npart__sides *sides,
                                  struct npart__arena *arena, struct npart__cost *out, struct npart_error *error)
{
    memset(out, 0, sizeof *out);
    if (!npart__lay_out(target->oplist, session, partitioning->partition_of, arena, &out->layouts))
        return npart__fail_memory(error);
    npart_status status = charge_all(session, partitioning, nodes, sides, arena, out, error);
    if (status != NPART_OK)
        return status;
    /* Before unknown_nodes is set to 0 below: a list without rates leaves the total unknown all the same. */
    out->is_known = out->bill.unknown == 0;
    if (!can_compute(nodes))
        out->unknown_nodes = 0; /* it is the list that says nothing */
    for (uint32_t part = 0; part < NPART__PARTS; part++) {
        /* What is switched and copied is known without any node's work: those parts are told even where the whole is
         * not. */
        bool is_computing = part >= NPART__PART_QUANTIZE;
        out->parts_ms[part] = out->is_known || !is_computing
                                  ? npart__bill_range(&nodes->rates, &out->bill, (enum npart__part)part)
                                  : NPART__UNKNOWN_RANGE;
    }
    out->total_ms = out->cold_ms = NPART__UNKNOWN_RANGE;
    if (out->is_known) {
        out->total_ms = npart__bill_range(&nodes->rates, &out->bill, NPART__PART_ALL);
        out->cold_ms = npart__bill_range(&nodes->rates, &out->bill, NPART__PART_COLD);
    }
    out->basis = npart__bill_basis(&nodes->rates, &out->bill, target->variant);
    return NPART_OK;
}

/* ---- all on one side --------------------------------------------------------------------------------------- */

/* Inputs and outputs of the model pass the border once. What a runtime would copy for the whole model in one
 * partition; constants are no inputs, and a value that stands for another passes under that one's name. */
static void charge_ends(struct npart__bill *bill, const struct npart__session *session,
                        const struct npart__node_costs *nodes)
{
    const struct npart__graph *graph = session->graph;
    struct border border = {.elements = 0};
    bool is_io = npart__has_io(&nodes->rates);
    for (uint32_t v = 0; v < graph->values.count; v++) {
        const struct npart__value *value = npart__value_at(graph, v);
        /* An input that nothing reads is not copied. */
        bool is_fed = value->scope == 0 && value->producer == NPART_NONE && value->consumer_count > 0;
        if (session->is_constant[v] || session->stands_for[v] != v || !(is_fed || value->is_graph_output))
            continue;
        const struct npart__fact *fact = npart__fact_of(session->inference, v);
        uint64_t elements;
        charge(bill, nodes, NPART__PART_COPY, NPART__PARAMETER_MAP, 1);
        /* An input of dynamic size has no time: the side is unknown until sizes are fixed. */
        bill->unknown += !cross(&border, session, v);
        if (!is_io && npart__static_elements(fact, &elements))
            charge_copy(bill, session, nodes, v, npart__type_bytes(fact->element_type, elements), 1);
    }
    /* Nodes decide how wide an element of the border is, as for a partition of a plan. */
    for (uint32_t i = 0; is_io && i < nodes->count; i++)
        if (npart__is_live(session, i))
            add_node(&border, nodes, i);
    if (is_io)
        charge_border(bill, nodes, &border);
}

/* Nothing where the list lacks it: a break-even without that share is still a bound from below. */
static double rate_ms(const struct npart__node_costs *nodes, uint32_t arithmetic, enum npart__parameter_name name)
{
    uint8_t rate = nodes->rates.of[arithmetic][name];
    return rate == NPART__NO_RATE ? 0 : nodes->rates.items[rate].ms;
}

/* The arithmetic of most multiply-accumulates, with a launch and a tensor in and out, against the CPU. launch +
 * runtime + 2 maps = operations * (CPU - NPU), and two operations are one multiply-accumulate. What the tensors'
 * bytes take is left out, as it depends on their shapes. With 0.5 ms to start and a CPU that takes 1e-8 ms an
 * operation more, that are 25 million. */
static uint64_t find_break_even(const struct npart__session *session, const struct npart__node_costs *nodes)
{
    double macs[NPART__ARITHMETICS] = {0};
    uint32_t most = 0;
    for (uint32_t i = 0; i < nodes->count; i++)
        if (npart__is_live(session, i) && nodes->items[i].cpu.is_known)
            macs[nodes->items[i].arithmetic] += (double)nodes->works[i].macs;
    for (uint32_t a = 1; a < NPART__ARITHMETICS; a++)
        most = macs[a] > macs[most] ? a : most;
    double overhead_ms = rate_ms(nodes, most, NPART__PARAMETER_LAUNCH) +
                         rate_ms(nodes, most, NPART__PARAMETER_RUNTIME) +
                         2 * rate_ms(nodes, most, NPART__PARAMETER_MAP);
    double cpu_ms = rate_ms(nodes, most, NPART__PARAMETER_CPU_MATRIX);
    double npu_ms = rate_ms(nodes, most, NPART__PARAMETER_MATRIX);
    /* Where one of the two rates is lacking, or the NPU is no faster, no number of operations pays. */
    double least = npu_ms > 0 && cpu_ms > npu_ms ? overhead_ms / (2 * (cpu_ms - npu_ms)) : 0;
    return least < 1e18 ? (uint64_t)least : 0; /* no partition has as many: a CPU that is as fast but for a hair */
}

npart_status npart__cost_sides(const struct npart__target *target, const struct npart__session *session,
                               const struct npart__node_costs *nodes, struct npart__arena *arena,
                               struct npart__sides *out, struct npart_error *error)
{
    memset(out, 0, sizeof *out);
    /* All zeros: everything is in partition 0. */
    uint32_t *partition_of = npart__arena_zeroed(arena, session->graph->nodes.count + (size_t)1, sizeof *partition_of);
    if (!partition_of || !npart__lay_out(target->oplist, session, partition_of, arena, &out->layouts))
        return npart__fail_memory(error);
    npart__arena_release(arena, partition_of);
    charge_partitions(&out->npu, nodes, 1);
    charge_ends(&out->npu, session, nodes);
    if (!npart__has_io(&nodes->rates))
        charge_layouts(&out->npu, nodes, &out->layouts);
    double weight_bytes = 0;
    /* What the NPU refuses is charged as if it took it: this side is only what things are compared with. */
    for (uint32_t i = 0; i < session->file->nodes.count; i++) { /* what a copy takes is its user's */
        if (!npart__is_live(session, i))
            continue;
        npart__charge_side(&out->npu, &nodes->items[i].npu);
        npart__charge_side(&out->cpu, npart__side_of(nodes, i, NULL));
        weight_bytes += npart__streamed_bytes(&nodes->works[i]);
    }
    charge_stream(&out->npu, nodes, weight_bytes);
    out->is_npu_known = out->npu.unknown == 0;
    out->is_cpu_known = out->cpu.unknown == 0;
    out->break_even_macs = find_break_even(session, nodes);
    return NPART_OK;
}
