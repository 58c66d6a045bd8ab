/* SPDX-License-Identifier: Apache-2.0
 *
 * What a node is charged, on the NPU and on the CPU: once for all plans of a session on one target.
 *
 * The form was searched for on published latencies, in folds by network (docs/evidence/fidelity-cost.md). On the NPU:
 *
 *   product     2 * rows, columns and depth filled up to tiles * taps * groups, at matrix_tops; of two activations its
 *               groups at product_us as well. Its weights stream in meanwhile: the longer of the two counts in full,
 *               the shorter one half. So a product of one row, as of a decoder's step, is limited by its weights.
 *   depthwise   results * sqrt(taps) at depthwise_gops: a filter's rows are shared between neighbours
 *   others      elements at a rate by class of work; what only moves by bytes read and written, and it reads no more
 *               than it writes; Concat writes in place, a Transpose that moves only axes of size 1 moves nothing
 *   normalize   a row counts `row_elements` more, where the list says so: long rows take less an element
 *   every node  weights at memory_gb_per_s, and node_us
 *
 * On a chip that keeps images in blocks (`channel_tile`; blocks.c) besides:
 *
 *   product     of a convolution: rows filled up to whole blocks; of a dilated one its operand and result twice more
 *               through move_gb_per_s, as it is cut into as many dense ones and put together again; node_us a group
 *   depthwise   channels filled up to whole blocks
 *   moves       a Transpose to or from channels last is none; conversions to the file's order are, and so is a Concat
 *               within blocks, and what it takes of another scale than its result's (scales.c)
 *   branches    side by side (branches.c): a product hides its weights or they hide it, and pooling takes no time
 *
 * Nothing is free because it is fused: the rates of elementwise operators were found with those that are. Bytes are by
 * what is computed in, whatever the file has: NPUs compute float32 as float16.
 *
 * On the CPU the longest of operations, elements and bytes counts, and cpu_node_us. Products with packed weights
 * have rates of their own, of operations and of the weights' bytes (docs/evidence/fidelity-llm.md). What it has
 * no fast kernel for is a table (slow.def).
 */
#include <math.h>

#include "cost/cost.h"
#include "precision/precision.h"

/* HMX: 32 x 32 (arXiv 2509.23324); where a list says nothing of its matrix unit the same is assumed. */
#define TILE 32.0
#define MOST_TILE 1024.0
/* Two products of an 8 Gen 3, 14336 deep and 4096 wide, took 3.3 times as long (arXiv 2501.14794v2, table 3); one of
 * 25088 by 512 does not (CavaFace, AI Hub v0.46.1). */
#define DEEP 8192u
#define DEEP_AND_WIDE 2048u

/* Element types by ONNX's numbers. Of quantized types the width decides; INT32 and BOOL are of no precision, and
 * count as the default. */
static enum npart__arithmetic arithmetic_of(int type)
{
    switch (type) {
    case NPART__UINT8: case NPART__INT8: case NPART__UINT4: case NPART__INT4:
        return NPART__ARITHMETIC_W8A8;
    case NPART__UINT16: case NPART__INT16:
        return NPART__ARITHMETIC_W8A16;
    case NPART__FLOAT16: case NPART__BFLOAT16:
        return NPART__ARITHMETIC_FLOAT16;
    default:
        return NPART__ARITHMETIC_FLOAT32;
    }
}

/* These two are halved: what computes FLOAT as FLOAT16 stores its weights so. */
static bool is_wide_float(int type)
{
    return type == NPART__FLOAT || type == NPART__DOUBLE;
}

/* In the file; 4 where the type is not known. Of INT4 it is one half. */
static double file_bytes(int type)
{
    uint64_t bytes = npart__type_bytes(type, 2); /* of two elements, as there are types of half a byte */
    return bytes ? (double)bytes / 2 : 4;
}

/* What a kernel of several nodes reads beside constants: a residual at most. */
#define MOST_FUSED_OPERANDS 8u

struct costing {
    const struct npart__session *session;
    struct npart__node_costs *out;
    const struct npart__op_id *slow_ops;
    struct npart__image_blocks blocks;
    const bool *is_beside; /* by node (branches.c); NULL where images lie in no blocks */
    /* of the node at hand */
    uint32_t id;
    const struct npart__work *work;
    enum npart__arithmetic arithmetic;
    double share; /* of the matrix unit's rate, which the format of its weights leaves; 1 where that costs nothing */
};

/* The list may lack a rate of this precision alone. */
static bool has_rate(const struct costing *at, enum npart__parameter_name name)
{
    return at->out->rates.of[at->arithmetic][name] != NPART__NO_RATE;
}

/* Typical milliseconds of a quantity; 0 where the list has no such rate, so what is compared by it loses. */
static double ms_of(const struct costing *at, enum npart__parameter_name name, double quantity)
{
    uint8_t rate = at->out->rates.of[at->arithmetic][name];
    return rate == NPART__NO_RATE ? 0 : at->out->rates.items[rate].ms * quantity;
}

/* A rate that the list lacks makes the side unknown, but for what need not be there. */
static void charge(const struct costing *at, struct npart__side_cost *side, enum npart__part part,
                   enum npart__parameter_name name, double quantity)
{
    uint8_t rate = at->out->rates.of[at->arithmetic][name];
    /* Before the rate is asked for: a node without weights needs no rate for them. */
    if (quantity <= 0)
        return;
    if (rate == NPART__NO_RATE)
        side->is_known &= name == NPART__PARAMETER_NODE || name == NPART__PARAMETER_PRODUCT ||
                          name == NPART__PARAMETER_CPU_NODE || name == NPART__PARAMETER_DEEP;
    else
        side->charges[side->count++] = (struct npart__charge){quantity, rate, (uint8_t)part};
}

/* ---- on the NPU -------------------------------------------------------------------------------------------- */

/* In floating point, as sizes are the file's and may be anything up to 2^63. */
static double filled_up(uint64_t size, uint64_t tile)
{
    uint64_t whole = size / tile;
    return ((double)whole + (size % tile != 0)) * (double)tile;
}

/* One size for all precisions of a target; a whole number of at least 1, whatever a list says. */
static uint64_t tile_of(const struct npart__rates *rates)
{
    const struct npart__parameter *tile = rates->values[0][NPART__PARAMETER_TILE];
    double size = tile ? tile->typical : TILE;
    return size >= 1 ? (uint64_t)(size < MOST_TILE ? size : MOST_TILE) : 1;
}

/* A product of 7 rows takes as long as one of 32: the unit computes whole tiles. Depth below a tile fills half of
 * one. 7 rows, 100 columns and a depth of 10 count as 32, 128 and 16. */
double npart__padded_macs(const struct npart__rates *rates, const struct npart__work *work)
{
    uint64_t depth = work->depth ? work->depth : 1, tile = tile_of(rates), half = tile > 1 ? tile / 2 : 1;
    if (work->rows == 0 && work->columns == 0)
        return (double)work->macs; /* products of which the sizes are not told */
    return filled_up(work->rows, tile) * filled_up(work->columns, tile) *
           filled_up(depth, depth >= tile ? tile : half) * (double)work->taps * (double)work->groups;
}

/* Wide floats count two bytes an element; anything else as it is in the file, which is how it is brought in. 4 MB
 * of float32 and 8 MB of float64 both count as 2 MB; 1 MB of INT8 stays 1 MB. */
double npart__streamed_bytes(const struct npart__work *work)
{
    double share = is_wide_float(work->weight_type) ? 2 / file_bytes(work->weight_type) : 1;
    return (double)work->weight_bytes * share;
}

/* Elements by bytes of the node's activations, whatever type each operand has. Types of operands may differ
 * (indices, scales); one width for all keeps a node of the same sizes at the same cost. */
static double in(const struct npart__work *work)
{
    return (double)work->input_bytes / file_bytes(work->activation_type);
}

static double out(const struct npart__work *work)
{
    return (double)work->output_bytes / file_bytes(work->activation_type);
}

/* A reduction reads what it does not write, a broadcast writes what it did not read. */
static double larger(const struct npart__work *work)
{
    return in(work) > out(work) ? in(work) : out(work);
}

static bool is_conv_in_blocks(const struct costing *at)
{
    return at->blocks.channels && at->work->class == NPART_WORK_MATRIX &&
           npart__comes_from(npart__node_at(at->session->graph, at->id), NPART__WAY(CONV));
}

/* How many times as many operations a convolution has when its result is filled up to whole blocks. */
static double image_fill(const struct costing *at)
{
    uint32_t value = npart__node_output(at->session->graph, npart__node_at(at->session->graph, at->id), 0);
    const struct npart__fact *result = value == NPART_NONE ? NULL : npart__fact_of(at->session->inference, value);
    const struct npart__rates *rates = &at->out->rates;
    return npart__fill_up_image(rates, at->arithmetic, result, at->work, tile_of(rates));
}

static bool is_dilated(const struct costing *at)
{
    const struct npart__graph *graph = at->session->graph;
    return !npart__node_ints_are(graph, npart__node_at(graph, at->id), "dilations", 1);
}

/* Axes of one element may be anywhere: the others stay in their order. */
static bool keeps_order(const struct costing *at)
{
    const struct npart__inference *inference = at->session->inference;
    const struct npart__node *node = npart__node_at(at->session->graph, at->id);
    uint32_t value = node->input_count ? npart__node_input(at->session->graph, node, 0) : NPART_NONE, rank;
    int64_t order[NPART__LIMIT_RANK];
    if (value == NPART_NONE || !npart__order_of_axes(inference, at->id, order, &rank))
        return false;
    const struct npart__fact *fact = npart__fact_of(inference, value);
    return fact->has_rank && fact->rank == rank && npart__keeps_order(order, rank, fact->dims);
}

/* Elements that a node passes over memory, beside what it computes. What selects (Slice, Gather) reads what it
 * gives. */
static double moved_elements(const struct costing *at)
{
    const struct npart__node *node = npart__node_at(at->session->graph, at->id);
    const struct npart__image_blocks *blocks = &at->blocks;
    bool moves = at->work->class == NPART_WORK_MOVE || at->work->class == NPART_WORK_CONVERT;
    double elements = blocks->channels ? 2 * blocks->converted[at->id] : 0, read = in(at->work);
    if (at->work->class == NPART_WORK_MOVE && read > out(at->work))
        read = out(at->work);
    if (npart__comes_from(node, NPART__WAY(CONCAT))) {
        /* Its operands are written where it reads them, but in blocks those of other scales than its own. */
        moves = blocks->channels && !npart__joins_blocks(blocks, at->session, at->id);
        elements += moves || !blocks->channels ? 0 : 2 * npart__requantized_elements(at->session, at->id);
    } else if ((blocks->channels && blocks->is_free[at->id]) ||
             (npart__comes_from(node, NPART__WAY(TRANSPOSE)) && keeps_order(at)))
        moves = false;
    else if (is_conv_in_blocks(at) && is_dilated(at))
        /* Into dense images and back: the operand and the result are read and written once more, each. */
        elements += 2 * (in(at->work) + out(at->work));
    return elements + (moves ? read + out(at->work) : 0);
}

/* How many rows a softmax, normalization or reduction has: of each, something is put together of all lanes of a vector,
 * and computed once. 0 where it is not known. */
static double normalized_rows(const struct costing *at)
{
    static const uint64_t along_axis = NPART__WAY(SOFTMAX) | NPART__WAY(LOG_SOFTMAX) | NPART__WAY(NORMALIZE);
    const struct npart__graph *graph = at->session->graph;
    const struct npart__node *node = npart__node_at(graph, at->id);
    uint32_t value = npart__node_output(graph, node, 0);
    const struct npart__fact *result = value == NPART_NONE ? NULL : npart__fact_of(at->session->inference, value);
    if (out(at->work) < in(at->work))
        return out(at->work);
    if (!npart__comes_from(node, along_axis) || !result || !result->has_rank || !result->rank)
        return 0;
    int64_t rank = result->rank, axis = npart__node_int(graph, node, "axis", -1);
    axis += axis < 0 ? rank : 0;
    int64_t length = axis >= 0 && axis < rank ? result->dims[axis] : 0;
    return npart__is_number(length) && length > 0 ? out(at->work) / (double)length : 0;
}

/* Each element, and each row as many more as the list says. */
static double normalized_elements(const struct costing *at)
{
    const struct npart__parameter *row = at->out->rates.values[at->arithmetic][NPART__PARAMETER_ROW];
    return larger(at->work) + (row ? row->typical * normalized_rows(at) : 0);
}

static bool is_beside(const struct costing *at)
{
    return at->is_beside && at->is_beside[at->id];
}

/* A product and its weights at the same time. Half of the shorter is charged, as overlap is whole only where another
 * branch has something to compute meanwhile; which is shorter is decided by typical rates, so a bill stays a sum of
 * quantities. A deep and wide product takes deep_factor times as long: both quantities are made longer by it, and what
 * the factor itself may be off by is a charge of its own (rate_of). Operations of 2 ms beside weights of 3 ms are
 * charged as 1 and 3 ms. Weights in a format that has a share of the rate alone make both longer, too: they are
 * streamed as they are dequantized. */
static void charge_product(const struct costing *at, struct npart__side_cost *side)
{
    const struct npart__work *work = at->work;
    double operations = 2 * npart__padded_macs(&at->out->rates, work), bytes = npart__streamed_bytes(work), factor = 1;
    /* Deep and wide by the two constants above, and more than twice as deep as wide. */
    bool is_deep = work->class == NPART_WORK_MATRIX && work->depth >= DEEP && work->columns >= DEEP_AND_WIDE &&
                   work->depth / 2 > work->columns;
    const struct npart__parameter *deep = at->out->rates.values[at->arithmetic][NPART__PARAMETER_DEEP];
    if (is_conv_in_blocks(at))
        operations *= image_fill(at);
    bool is_limited = ms_of(at, NPART__PARAMETER_MATRIX, operations) >= ms_of(at, NPART__PARAMETER_MEMORY, bytes);
    double shorter = is_beside(at) ? 0 : 0.5;
    operations *= is_limited ? 1 : shorter;
    bytes *= is_limited ? shorter : 1;
    if (is_deep && deep)
        /* Without such a line in the list a deep product takes what any other does. */
        factor = deep->typical;
    factor /= at->share;
    charge(at, side, NPART__PART_NPU_COMPUTE, NPART__PARAMETER_MATRIX, operations * factor);
    charge(at, side, NPART__PART_NPU_BANDWIDTH, NPART__PARAMETER_MEMORY, bytes * factor);
    if (is_deep)
        charge(at, side, NPART__PART_NPU_COMPUTE, NPART__PARAMETER_DEEP,
               factor * (ms_of(at, NPART__PARAMETER_MATRIX, operations) + ms_of(at, NPART__PARAMETER_MEMORY, bytes)));
    /* A product of two activations is made of `groups` small ones, as many as attention has heads, each with a
     * start of its own. */
    if (work->class == NPART_WORK_PRODUCT)
        charge(at, side, NPART__PART_NPU_COMPUTE, NPART__PARAMETER_PRODUCT, (double)work->groups);
}

/* Weights of 4 bits that the list has a rate for. Nothing hides that they are unpacked, and beside 16-bit activations
 * the product takes what one of 8 by 8 bits takes, also where it is deep (17 decoders on six chips:
 * docs/evidence/fidelity-llm.md). */
static bool is_packed(const struct costing *at)
{
    return npart__type_bits(at->work->weight_type) == 4 && has_rate(at, NPART__PARAMETER_PACKED);
}

static void charge_packed(const struct costing *at, struct npart__side_cost *side)
{
    struct costing as_bytes = *at;
    as_bytes.arithmetic = NPART__ARITHMETIC_W8A8;
    charge(&as_bytes, side, NPART__PART_NPU_COMPUTE, NPART__PARAMETER_MATRIX,
           2 * npart__padded_macs(&at->out->rates, at->work) / at->share);
    charge(at, side, NPART__PART_NPU_BANDWIDTH, NPART__PARAMETER_PACKED, npart__streamed_bytes(at->work) / at->share);
}

/* With a filter by taps; without one (pooling) by elements. A filter of 3 x 3 counts three times its results, one
 * of 5 x 5 five times. */
static void charge_depthwise(const struct costing *at, struct npart__side_cost *side)
{
    const struct npart__work *work = at->work;
    bool is_filter = work->weight_bytes && work->taps && work->rows;
    double channels = (double)work->groups * (double)work->columns, block = at->blocks.channels;
    if (block > 0)
        channels = ceil(channels / block) * block;
    if (is_filter)
        charge(at, side, NPART__PART_NPU_COMPUTE, NPART__PARAMETER_DEPTHWISE,
               (double)work->rows * channels * sqrt((double)work->taps));
    else
        charge(at, side, NPART__PART_NPU_COMPUTE, NPART__PARAMETER_POOL, is_beside(at) ? 0 : larger(work));
}

/* One class of work is one rate. Weights count wherever there are some; those of what only moves are data that
 * moves. */
static void cost_on_npu(const struct costing *at, struct npart__side_cost *side)
{
    const struct npart__work *work = at->work;
    bool is_move = work->class == NPART_WORK_MOVE, is_convert = work->class == NPART_WORK_CONVERT;
    /* A grouped convolution is as many as it has groups, each with a start of its own. */
    double starts = is_conv_in_blocks(at) && work->groups > 1 ? (double)work->groups + 1 : 1;
    enum npart__part part = is_convert ? NPART__PART_QUANTIZE : NPART__PART_NPU_BANDWIDTH;
    /* Everything else is two bytes wide on the NPU, float32 too. */
    double element_bytes = at->arithmetic == NPART__ARITHMETIC_W8A8 ? 1 : 2;
    if (work->class == NPART_WORK_MATRIX && is_packed(at))
        charge_packed(at, side);
    else if (work->class == NPART_WORK_MATRIX || work->class == NPART_WORK_PRODUCT)
        charge_product(at, side);
    else if (!is_move && !is_convert)
        charge(at, side, NPART__PART_NPU_BANDWIDTH, NPART__PARAMETER_MEMORY, npart__streamed_bytes(work));
    if (work->class == NPART_WORK_DEPTHWISE)
        charge_depthwise(at, side);
    else if (work->class == NPART_WORK_NORMALIZE)
        charge(at, side, NPART__PART_NPU_COMPUTE, NPART__PARAMETER_NORMALIZE, normalized_elements(at));
    else if (work->class == NPART_WORK_FUNCTION)
        charge(at, side, NPART__PART_NPU_COMPUTE, NPART__PARAMETER_FUNCTION, out(work));
    else if (work->class == NPART_WORK_ELEMENTWISE)
        charge(at, side, NPART__PART_NPU_COMPUTE, NPART__PARAMETER_ELEMENTWISE, out(work));
    charge(at, side, part, NPART__PARAMETER_MOVE, moved_elements(at) * element_bytes);
    charge(at, side, is_convert ? part : NPART__PART_NPU_COMPUTE, NPART__PARAMETER_NODE, starts);
}

/* ---- on the CPU -------------------------------------------------------------------------------------------- */

/* slow.def's words. Numbers that rows are compared with: an invoker, or the one past the last; a bit for each
 * arithmetic. */
enum { EVERYWHERE = NPART__INVOKERS, TFLITE = NPART__INVOKER_TFLITE };
enum { ANY = 0xff, SIXTEENS = 1 << NPART__ARITHMETIC_W8A16, INTEGERS = SIXTEENS | 1 << NPART__ARITHMETIC_W8A8 };

static const struct slow {
    const char *op;
    uint8_t class, arithmetics, rank;
    uint8_t invoker;
    const char *sentence;
} slow_rows[] = {
#define SLOW(op, class, arithmetics, rank, runtime, sentence)                                                          \
    {op, NPART_WORK_##class, arithmetics, rank, runtime, sentence},
#include "cost/slow.def"
};

const char *npart__slow_sentence(uint8_t slow)
{
    return slow ? slow_rows[slow - 1].sentence : NULL;
}

/* Of the first operand; an unknown rank is below any. */
static bool has_rank(const struct costing *at, uint8_t least)
{
    const struct npart__node *node = npart__node_at(at->session->graph, at->id);
    uint32_t value = node->input_count ? npart__node_input(at->session->graph, node, 0) : NPART_NONE;
    const struct npart__fact *fact = value == NPART_NONE ? NULL : npart__fact_of(at->session->inference, value);
    return least == 0 || (fact && fact->has_rank && fact->rank >= least);
}

/* The rows are few, and operators were looked up before: no text is compared here. The row's place plus one, as 0
 * says that no row fits. */
static uint8_t find_slow(const struct costing *at)
{
    const struct npart__node *node = npart__node_at(at->session->graph, at->id);
    for (unsigned i = 0; i < NPART__COUNT(slow_rows); i++) {
        const struct slow *row = &slow_rows[i];
        if ((!row->op || npart__is_op(node, at->slow_ops[i])) && (row->arithmetics >> at->arithmetic & 1) &&
            (row->class == NPART_WORK_CLASSES || row->class == at->work->class) && has_rank(at, row->rank) &&
            (row->invoker == EVERYWHERE || row->invoker == at->out->rates.invoker))
            return (uint8_t)(i + 1);
    }
    return 0;
}

/* A reduction is limited by what it reads, an expansion by what it writes. */
static double larger_elements(const struct npart__work *work)
{
    return (double)(work->input_elements > work->output_elements ? work->input_elements : work->output_elements);
}

/* Of a table of embeddings the rows that are looked up are read, and no more. */
static double cpu_bytes(const struct npart__work *work)
{
    double read = (double)work->input_bytes + (double)work->weight_bytes, written = (double)work->output_bytes;
    return (work->class == NPART_WORK_MOVE && read > written ? written : read) + written;
}

/* Weights that a kernel unpacks as it multiplies, as MatMulNBits does: the file's 4 bits, and 8 beside floats. Of 8
 * bits beside 16 there are no such kernels (slow.def). */
static bool has_packed_weights(const struct costing *at)
{
    const struct npart__work *work = at->work;
    unsigned bits = npart__type_bits(work->weight_type);
    bool has_float = at->arithmetic == NPART__ARITHMETIC_FLOAT32 || at->arithmetic == NPART__ARITHMETIC_FLOAT16;
    return work->macs && work->weight_bytes && npart__type_is_integer(work->weight_type) &&
           bits <= (has_float ? 8 : 4) && has_rate(at, NPART__PARAMETER_CPU_PACKED);
}

/* Attention of a step multiplies the cache by a row or a few for each head of queries: each key is fetched for a few
 * operations, and heads that share keys fetch them anew, where a prompt's rows fill the kernels (published decoders of
 * six chips go by heads of queries, not by bytes of the cache: docs/evidence/fidelity-elsewhere.md). */
#define FEW_ROWS 16u

static bool is_row_product(const struct costing *at)
{
    bool has_few = at->work->class == NPART_WORK_PRODUCT && at->work->rows < FEW_ROWS;
    return has_few && has_rate(at, NPART__PARAMETER_CPU_ROW);
}

/* Which rate what a node computes has. Where the list has no rate for slow kernels the usual one has to do, and the
 * sentence is told all the same. */
static enum npart__parameter_name cpu_rate(const struct costing *at, uint8_t slow)
{
    bool is_product = at->work->macs > 0;
    enum npart__parameter_name slower =
        is_product ? NPART__PARAMETER_CPU_SLOW_MATRIX : NPART__PARAMETER_CPU_SLOW_ELEMENT;
    if (has_packed_weights(at))
        return NPART__PARAMETER_CPU_PACKED;
    if (is_row_product(at))
        return NPART__PARAMETER_CPU_ROW;
    if (slow && has_rate(at, slower))
        return slower;
    return is_product ? NPART__PARAMETER_CPU_MATRIX : NPART__PARAMETER_CPU_ELEMENT;
}

/* What takes longest of products or elements, and of bytes. Of a product its bytes count in full, weights
 * included: a product of one row reads each weight for two operations. Packed weights come in one stream, faster than
 * what is read here and there. */
static void cost_on_cpu(const struct costing *at, uint8_t slow, struct npart__side_cost *side)
{
    const struct npart__work *work = at->work;
    bool is_product = work->macs > 0;
    bool has_stream = has_packed_weights(at) && has_rate(at, NPART__PARAMETER_CPU_WEIGHTS);
    double stream = has_stream ? (double)work->weight_bytes : 0, bytes = cpu_bytes(work) - stream;
    double quantity = is_product ? 2 * (double)work->macs : larger_elements(work);
    enum npart__parameter_name name = cpu_rate(at, slow);
    double bytes_ms =
        ms_of(at, NPART__PARAMETER_CPU_MEMORY, bytes) + ms_of(at, NPART__PARAMETER_CPU_WEIGHTS, stream);
    bool is_bytes = work->class == NPART_WORK_MOVE || bytes_ms > ms_of(at, name, quantity);
    if (work->class == NPART_WORK_CONVERT)
        charge(at, side, NPART__PART_QUANTIZE, NPART__PARAMETER_CPU_QUANTIZE, larger_elements(work));
    else if (is_bytes) {
        charge(at, side, NPART__PART_CPU, NPART__PARAMETER_CPU_MEMORY, bytes);
        charge(at, side, NPART__PART_CPU, NPART__PARAMETER_CPU_WEIGHTS, stream);
    } else {
        charge(at, side, NPART__PART_CPU, name, quantity);
    }
    charge(at, side, NPART__PART_CPU, NPART__PARAMETER_CPU_NODE, 1);
}

/* One figure that is not a number (a formula, or unknown) makes the node unknown. */
static bool is_known(const struct npart__work *work)
{
    const uint64_t figures[] = {work->macs,        work->input_elements, work->output_elements, work->weight_elements,
                                work->input_bytes, work->output_bytes,   work->weight_bytes,    work->rows,
                                work->columns,     work->depth,          work->taps,            work->groups};
    for (size_t i = 0; i < NPART__COUNT(figures); i++)
        if (!npart__work_is_number(figures[i]))
            return false;
    return true;
}

/* What a kernel of several nodes reads from outside, each value once; what it computes is its nodes'. */
static void cost_fused(struct costing *at, const struct npart__fused_kernel *kernel, struct npart__side_cost *side)
{
    const struct npart__session *session = at->session;
    const uint32_t *members = at->out->fused->nodes.items + kernel->first;
    const struct npart__work *last = &at->out->works[kernel->last];
    struct npart__work work = {.class = NPART_WORK_FUNCTION, /* any that computes: products are told by `macs` */
                               .output_elements = last->output_elements, .output_bytes = last->output_bytes};
    uint32_t seen[MOST_FUSED_OPERANDS], seen_count = 0;
    bool is_whole = true;
    for (uint32_t i = 0; i < kernel->count; i++) {
        const struct npart__node *node = npart__node_at(session->graph, members[i]);
        const struct npart__work *own = &at->out->works[members[i]];
        is_whole &= is_known(own) && npart__node_region(session->graph, members[i]) == 0;
        work.macs = npart__sum_uint64(work.macs, own->macs);
        if (own->class == NPART_WORK_PRODUCT) {
            work.class = own->class;
            work.rows = own->rows;
        }
        work.weight_bytes = npart__sum_uint64(work.weight_bytes, own->weight_bytes);
        for (uint32_t k = 0; k < node->input_count; k++) {
            uint32_t value = npart__node_input(session->graph, node, k), maker, p = 0;
            if (value == NPART_NONE || session->is_constant[value])
                continue;
            while (p < seen_count && seen[p] != value)
                p++;
            maker = npart__producer(session->graph, value);
            bool is_inside = maker != NPART_NONE && maker < at->out->count &&
                             at->out->fused->of[maker] == at->out->fused->of[members[i]];
            if (p < seen_count || is_inside || seen_count == MOST_FUSED_OPERANDS)
                continue;
            seen[seen_count++] = value;
            const struct npart__fact *fact =
                npart__fact_of(session->known ? session->known : session->inference, value);
            uint64_t elements = 0;
            is_whole &= npart__static_elements(fact, &elements);
            work.input_elements = npart__sum_uint64(work.input_elements, elements);
            work.input_bytes = npart__sum_uint64(work.input_bytes, npart__type_bytes(fact->element_type, elements));
        }
    }
    side->is_known = is_whole && is_known(&work);
    at->work = &work;
    at->arithmetic = NPART__ARITHMETIC_FLOAT32;
    if (side->is_known)
        cost_on_cpu(at, 0, side);
}

/* ---- all nodes --------------------------------------------------------------------------------------------- */

/* How often a body runs is not known. A node in a body is therefore unknown on both sides. Without work a node is
 * known, and takes nothing. */
static void cost_node(struct costing *at, struct npart__node_cost *out)
{
    at->work = &at->out->works[at->id];
    out->npu.is_known = out->cpu.is_known = true;
    if (at->work->class == NPART_WORK_NONE)
        return;
    at->arithmetic = arithmetic_of(at->work->activation_type);
    /* Region 0 is the main graph. */
    if (!is_known(at->work) || npart__node_region(at->session->graph, at->id) != 0) {
        out->npu.is_known = out->cpu.is_known = false;
        return;
    }
    out->slow = has_packed_weights(at) ? 0 : find_slow(at);
    cost_on_cpu(at, out->slow, &out->cpu);
    out->arithmetic = (uint8_t)at->arithmetic;
    cost_on_npu(at, &out->npu);
}

/* What the list's `precision` line leaves of the rate for the format of the node's weights. */
static double share_of(const struct npart__target *target, const struct npart__session *session, uint32_t node)
{
    struct npart__format format;
    bool is_own, depends;
    if (!npart__format_of_node(session, node, &format, &is_own))
        return 1;
    const struct npart__precision_line *line = npart__target_precision(target, format, &depends);
    return line && line->share > 0 ? line->share : 1;
}

/* Most lists say no share at all: then no node is asked for its format. */
static bool has_shares(const struct npart__oplist *oplist)
{
    bool has = false;
    for (uint32_t i = 0; i < oplist->precisions.count && !has; i++)
        has = oplist->precisions.items[i].share > 0;
    return has;
}

const struct npart__fused_kernel *npart__kernel_of(const struct npart__node_costs *nodes, uint32_t node,
                                                   const uint32_t *partition_of)
{
    uint32_t number = nodes->fused->of[node];
    /* Where its size is not known each of its nodes is unknown, and counted. */
    bool is_known = number && nodes->fused_items[number - 1].is_known;
    const struct npart__fused_kernel *kernel = is_known ? &nodes->fused->items.items[number - 1] : NULL;
    for (uint32_t i = 0; kernel && partition_of && i < kernel->count; i++)
        if (partition_of[nodes->fused->nodes.items[kernel->first + i]] != NPART_NONE)
            return NULL;
    return kernel;
}

const struct npart__side_cost *npart__side_of(const struct npart__node_costs *nodes, uint32_t node,
                                              const uint32_t *partition_of)
{
    static const struct npart__side_cost nothing = {.is_known = true};
    if (partition_of && partition_of[node] != NPART_NONE)
        return &nodes->items[node].npu;
    const struct npart__fused_kernel *kernel = npart__kernel_of(nodes, node, partition_of);
    if (!kernel)
        return &nodes->items[node].cpu;
    return nodes->fused->nodes.items[kernel->first] == node ? &nodes->fused_items[kernel - nodes->fused->items.items]
                                                            : &nothing;
}

/* The cost of one side alone, without what it takes to bring the node's operands there. */
double npart__side_ms(const struct npart__node_costs *nodes, const struct npart__side_cost *side)
{
    double ms = 0;
    for (uint32_t i = 0; i < side->count; i++)
        ms += nodes->rates.items[side->charges[i].rate].ms * side->charges[i].quantity;
    return side->is_known ? ms : -1;
}

/* Linear in nodes; a row of slow.def without an operator has "", which is no operator's name. */
bool npart__cost_nodes(const struct npart__target *target, const struct npart__session *session,
                       const struct npart__works *works, const struct npart__fused *fused, struct npart__arena *arena,
                       struct npart__node_costs *inout)
{
    const char *names[NPART__COUNT(slow_rows)];
    for (size_t i = 0; i < NPART__COUNT(slow_rows); i++)
        names[i] = slow_rows[i].op ? slow_rows[i].op : "";
    const struct npart__op_id *ids = npart__find_ops(session->graph, names, NPART__COUNT(names), arena);
    inout->works = works->items;
    inout->items = npart__arena_zeroed(arena, works->count + (size_t)1, sizeof *inout->items);
    inout->fused = fused;
    inout->fused_items = npart__arena_zeroed(arena, fused->items.count + (size_t)1, sizeof *inout->fused_items);
    if (!inout->items || !ids || !inout->fused_items)
        return false;
    struct costing at = {.session = session, .out = inout, .slow_ops = ids, .share = 1};
    if (!npart__find_blocks(target, session, inout, arena, &at.blocks))
        return false;
    if (at.blocks.channels && !(at.is_beside = npart__find_branches(session, inout->works, arena)))
        return false;
    bool is_shared = has_shares(target->oplist);
    /* What a session has copied is told of its user, which has its work. */
    NPART__ASSERT(works->count == session->graph->nodes.count, "the work of %u nodes", (unsigned)works->count);
    inout->count = session->file->nodes.count;
    for (at.id = 0; at.id < inout->count; at.id++)
        if (npart__is_live(session, at.id)) {
            at.share = is_shared ? share_of(target, session, at.id) : 1;
            cost_node(&at, &inout->items[at.id]);
        }
    for (uint32_t i = 0; i < fused->items.count; i++)
        cost_fused(&at, &fused->items.items[i], &inout->fused_items[i]);
    /* Elements of zero points were read for it. */
    return !is_shared || !npart__take_failure(session->inference);
}
