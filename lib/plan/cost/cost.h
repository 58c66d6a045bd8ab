/* SPDX-License-Identifier: Apache-2.0
 *
 * cost: how long a run takes, as ranges, and what of it is switching, computing, or the CPU.
 *
 * Everything is a sum of quantities (partitions, bytes, operations), each at a rate. A *bill* has the quantities by
 * rate. A rate comes from a parameter of the op list with a low, typical and high value, which is log-normal: eight of
 * ten lie between low and high. So a bill's time has a range, too, and two bills on the same rates can be compared more
 * closely than their ranges tell: what both have cancels out.
 *
 *   switch    = partitions * (launch_ms + runtime_ms)
 *   copy      = each partition's boundary tensors at io_gb_per_s, past 4 MB at memory_gb_per_s, and runtime_copy; in a
 *               list without io_gb_per_s, boundary tensors * map_ms + bytes / copy_gb_per_s
 *   layout    = conversions: 2 * bytes / layout_gb_per_s      (read and written)
 *   stream    = weights past sram_mb at stream_gb_per_s
 *   a node    = node.c
 *
 * What is not known adds nothing, and makes the whole unknown: a sum that lacks something would be a guess.
 */
#ifndef NPART_COST_H
#define NPART_COST_H

#include "partition/partition.h"

/* Milliseconds. Eight of ten runs lie between low and high; typical is the middle of the distribution, not of the
 * two. */
/* One time as a multiple of another. All negative: not known. */
struct npart__ratio {
    double low, typical, high;
};
#define NPART__UNKNOWN_RANGE ((struct npart_cost_range){-1, -1, -1})

/* The order is that of reports; everything from QUANTIZE on depends on what nodes compute. */
enum npart__part {
    NPART__PART_SWITCH,
    NPART__PART_COPY,
    NPART__PART_LAYOUT,
    NPART__PART_QUANTIZE,
    NPART__PART_CPU,
    NPART__PART_NPU_COMPUTE,
    NPART__PART_NPU_BANDWIDTH,
    NPART__PARTS,
    NPART__PART_COLD = NPART__PARTS, /* of the first run alone: no part of others */
    NPART__PART_ALL,                 /* of those above the cold start */
};

/* ---- rates.c ----------------------------------------------------------------------------------------------- */

/* What one unit of a quantity takes. */
struct npart__rate {
    const struct npart__parameter *from;
    double ms, deviation_ms; /* typical, and its standard deviation */
    bool may_be_0;           /* the deviation is of the time, and not of its logarithm */
};

/* Where a parameter counts, as parameters.def has it. */
enum npart__where {
    NPART__AT_OTHER,
    NPART__AT_SWITCHING,
    NPART__AT_NPU,
    NPART__AT_CPU,
    NPART__AT_COLD,
    NPART__AT_ELSEWHERE,
};
/* All but OTHER are rates. */
enum {
    NPART__RATE_PARAMETERS = 0
#define PARAMETER(name, text, where, sentence) +(NPART__AT_##where != NPART__AT_OTHER)
#include "oplist/parameters.def"
};

/* A line of the list is one rate, whatever it serves: what it is off by is the same everywhere. */
#define NPART__MOST_RATES ((uint32_t)NPART__RATE_PARAMETERS * NPART__ARITHMETICS)
#define NPART__NO_RATE UINT8_MAX

/* Of one target, one way to start its partitions, and one state (sustained or not). `values` are the parameters as
 * the list has them, also those that are no rates (shares, factors, model_sigma). */
struct npart__rates {
    struct npart__rate items[NPART__MOST_RATES];
    uint32_t count;
    uint8_t of[NPART__ARITHMETICS][NPART__PARAMETERS]; /* NPART__NO_RATE: the list does not say */
    uint8_t arithmetic[NPART__MOST_RATES];             /* of each rate, the first that it serves */
    const struct npart__parameter *values[NPART__ARITHMETICS][NPART__PARAMETERS];
    enum npart__invoker invoker;
};

/* `own`: by which the target's partitions are started where no other is asked for. */
void npart__find_rates(const struct npart__target *target, enum npart__invoker invoker, enum npart__invoker own,
                       bool is_sustained, struct npart__rates *out);

/* Whether it is one of what the NPU computes and moves: not of the CPU, nor of what switching costs. */
bool npart__is_npu_rate(const struct npart__rate *rate);

/* Quantities by part and rate. A quantity is a double: of 64-bit counts only the first 15 digits matter, and sums
 * cannot wrap. */
struct npart__bill {
    double quantities[NPART__PARTS + 1][NPART__MOST_RATES];
    uint32_t unknown; /* quantities that are not known: with one the bill has no total */
};

/* What a bill comes to: one part, or NPART__PART_ALL. */
struct npart_cost_range npart__bill_range(const struct npart__rates *rates, const struct npart__bill *bill,
                                      enum npart__part part);
/* The time of `a` as a multiple of that of `b`; of rates that come from the same parameters what both have cancels. */
struct npart__ratio npart__bill_ratio(const struct npart__rates *rates_of_a, const struct npart__bill *a,
                                      const struct npart__rates *rates_of_b, const struct npart__bill *b);

/* Whether most of its time rests on figures that a user has measured (a cost file on top of the list). */
bool npart__bill_is_measured(const struct npart__rates *rates, const struct npart__bill *bill);

/* What the rates stand on that most of the time is by; `variant` of the target. */
enum npart_basis npart__bill_basis(const struct npart__rates *rates, const struct npart__bill *bill, uint32_t variant);

/* How far off networks were that took no part in the rates that most of the time is by; negative: none was left out, or
 * more of the time is assumed, or measured by a user. */
double npart__bill_error(const struct npart__rates *rates, const struct npart__bill *bill);

/* What a compiler gets: a partition, or the sum of several. */
struct npart__compile_work {
    double partitions, nodes, weight_bytes, macs;
    bool is_partial; /* a part of it is not known */
};
/* How long that takes; unknown where the list does not say it, or the work is partial or none. */
struct npart_cost_range npart__compile_range(const struct npart__rates *rates, const struct npart__compile_work *work);

/* Without a rate nothing is added; whoever must have it counts an unknown (node.c, charge_border). */
static inline void npart__charge(struct npart__bill *bill, enum npart__part part, uint8_t rate, double quantity)
{
    if (rate != NPART__NO_RATE)
        bill->quantities[part][rate] += quantity;
}

/* ---- fused.c ----------------------------------------------------------------------------------------------- */

/* Nodes that the CPU computes in one kernel, where all of them run there. */
struct npart__fused_kernel {
    const char *name;      /* as a profile of ONNX Runtime calls it: "Gelu" */
    uint32_t first, count; /* in npart__fused.nodes; the first is the one that says what it is */
    uint32_t last;         /* the node whose result leaves */
};

struct npart__fused {
    struct NPART__ARRAY(struct npart__fused_kernel) items;
    struct NPART__ARRAY(uint32_t) nodes;
    uint32_t *of; /* by node: 1 + the kernel that it is in; 0: it is in none */
};

/* What a session of this level fuses on the CPU; at level off nothing. Linear in nodes. False when out of memory. */
bool npart__find_fused(const struct npart__session *session, enum npart_level level, struct npart__arena *arena,
                       struct npart__fused *out);

/* ---- node.c ------------------------------------------------------------------------------------------------ */

/* What a node is charged on one side: a quantity at a rate. A deep product has five: its operations, its weights, what
 * the factor of its depth is off by, what it moves, the node itself. */
struct npart__charge {
    double quantity;
    uint8_t rate, part; /* the rate's place in npart__rates.items; enum npart__part */
};
#define NPART__MOST_CHARGES 5u

/* Found once for a session and target, and added to the bill of each plan and trial from there. */
struct npart__side_cost {
    struct npart__charge charges[NPART__MOST_CHARGES];
    uint8_t count;
    bool is_known;
};

struct npart__node_cost {
    struct npart__side_cost npu, cpu;
    uint8_t slow;       /* 1 + the row of slow.def: the CPU has no fast kernel for it; 0: it may have */
    uint8_t arithmetic; /* enum npart__arithmetic */
};

/* Of all live nodes of a session, for one target. */
struct npart__node_costs {
    struct npart__rates rates;
    struct npart__node_cost *items; /* by node of the file */
    const struct npart__work *works;
    uint32_t count;
    const struct npart__fused *fused;
    struct npart__side_cost *fused_items; /* by kernel of `fused` */
};

/* With `inout` its rates. False when out of memory. */
bool npart__cost_nodes(const struct npart__target *target, const struct npart__session *session,
                       const struct npart__works *works, const struct npart__fused *fused, struct npart__arena *arena,
                       struct npart__node_costs *inout);
/* Multiply-accumulates of a product with what fills up the matrix unit's tiles. */
double npart__padded_macs(const struct npart__rates *rates, const struct npart__work *work);
/* Of a node's weights, as the NPU holds them. */
double npart__streamed_bytes(const struct npart__work *work);
/* What is said of such a node; NULL of another. */
const char *npart__slow_sentence(uint8_t slow);
/* What a node costs where it runs; `partition_of` by node, NULL: all run on the CPU. Of a kernel that has several nodes
 * there the first has all of it, and the others cost nothing. */
const struct npart__side_cost *npart__side_of(const struct npart__node_costs *nodes, uint32_t node,
                                              const uint32_t *partition_of);
/* Typical milliseconds of it; negative: not known. */
double npart__side_ms(const struct npart__node_costs *nodes, const struct npart__side_cost *side);
/* The kernel that a node on the CPU is computed in, where it is one of several nodes; else NULL. */
const struct npart__fused_kernel *npart__kernel_of(const struct npart__node_costs *nodes, uint32_t node,
                                                   const uint32_t *partition_of);

/* fused.c: by what a live node is computed where all runs on the CPU, as ONNX Runtime's profile calls it: "Gelu" of the
 * first of a kernel's nodes, "" of its others, NULL of one that is computed as what it is. */
const char *npart__kernel_name(const struct npart__node_costs *nodes, const struct npart__session *session,
                               uint32_t node);

static inline void npart__charge_side(struct npart__bill *bill, const struct npart__side_cost *side)
{
    bill->unknown += !side->is_known;
    for (uint32_t i = 0; i < side->count; i++)
        npart__charge(bill, (enum npart__part)side->charges[i].part, side->charges[i].rate, side->charges[i].quantity);
}

/* ---- blocks.c ---------------------------------------------------------------------------------------------- */

#define NPART__MOST_BLOCK 1024.0

/* How images lie on the chip, and what the whole graph moves for it; without `channel_tile` in the list all is 0. */
struct npart__image_blocks {
    uint32_t channels; /* of a block; 0: the list says nothing of it */
    bool *is_free;     /* by node: a Transpose that moves nothing */
    double *converted; /* by node: elements of its operands that must change their order before it, each once */
};
/* False when out of memory. */
bool npart__find_blocks(const struct npart__target *target, const struct npart__session *session,
                        const struct npart__node_costs *nodes, struct npart__arena *arena,
                        struct npart__image_blocks *out);
bool npart__joins_blocks(const struct npart__image_blocks *blocks, const struct npart__session *session, uint32_t id);
double npart__fill_up_image(const struct npart__rates *rates, enum npart__arithmetic arithmetic,
                            const struct npart__fact *fact, const struct npart__work *work, uint64_t tile);

/* ---- scales.c ---------------------------------------------------------------------------------------------- */

/* Of a Concat: the elements of operands that are dequantized by another scale than its result is quantized with. */
double npart__requantized_elements(const struct npart__session *session, uint32_t id);

/* ---- branches.c -------------------------------------------------------------------------------------------- */

/* By node: whether another branch with products runs beside the one that it is in. NULL when out of memory. */
bool *npart__find_branches(const struct npart__session *session, const struct npart__work *works,
                           struct npart__arena *arena);

/* ---- layout.c ---------------------------------------------------------------------------------------------- */

#define NPART__FOR_GRAPH (NPART_NONE - 1)

struct npart__layouts {
    uint32_t conversions; /* tensors that change between the file's layout and the target's */
    uint32_t unknown_sizes;
    uint64_t bytes;
    bool *is_native;         /* by value: held in the target's layout */
    uint32_t *converted_for; /* by value: the first node that needs it in the other layout; NPART__FOR_GRAPH: the graph,
                                as its output; NPART_NONE: it is not converted */
};

/* `partition_of` by node: NPART_NONE is the CPU. False when out of memory. */
bool npart__lay_out(const struct npart__oplist *oplist, const struct npart__session *session,
                    const uint32_t *partition_of, struct npart__arena *arena, struct npart__layouts *out);

/* What a runtime that copies boundary tensors copies of one: its bytes, of wide types no more than of float32. */
double npart__copied_bytes(int element_type, double elements);
/* Whether the list says what the NPU takes to bring in boundary tensors. */
bool npart__has_io(const struct npart__rates *rates);

/* ---- elsewhere.c ------------------------------------------------------------------------------------------- */

enum npart__elsewhere { NPART__ON_GPU, NPART__IN_TOOLKIT };
/* Of a graph that is known to be a language model's; not known where the list has no such rates. `source`: who
 * published them, or NULL. */
struct npart_cost_range npart__cost_elsewhere(const struct npart__node_costs *nodes,
                                          const struct npart__session *session, enum npart__elsewhere where,
                                          const char **source);

/* ---- cost.c ------------------------------------------------------------------------------------------------ */

/* The same graph all on one side. */
struct npart__sides {
    struct npart__bill cpu, npu; /* the NPU: in one partition, whatever it takes */
    bool is_cpu_known, is_npu_known;
    struct npart__layouts layouts; /* of the NPU's */
    uint64_t break_even_macs; /* a partition with less costs more than on the CPU; 0: not known */
};
npart_status npart__cost_sides(const struct npart__target *target, const struct npart__session *session,
                               const struct npart__node_costs *nodes, struct npart__arena *arena,
                               struct npart__sides *out, struct npart_error *error);

struct npart__cost {
    struct npart__bill bill; /* of a run as it is planned */
    bool is_known;           /* nothing of it is unknown */
    struct npart_cost_range total_ms, cold_ms; /* NPART__UNKNOWN_RANGE */
    struct npart_cost_range parts_ms[NPART__PARTS];
    uint64_t bytes_to_npu, bytes_to_cpu;
    uint32_t unknown_sizes; /* boundary tensors whose bytes are not known */
    uint32_t unknown_nodes; /* nodes of which it is not known what they take */
    struct npart__layouts layouts;
    double fill;            /* of the matrix unit's tiles by nodes on the NPU; 0: there are no products */
    enum npart_basis basis; /* what its rates stand on */
};

npart_status npart__estimate_cost(const struct npart__target *target, const struct npart__session *session,
                                  const struct npart__partitioning *partitioning,
                                  const struct npart__node_costs *nodes, const struct npart__sides *sides,
                                  struct npart__arena *arena, struct npart__cost *out, struct npart_error *error);

#endif
