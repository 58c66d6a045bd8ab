/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes that ONNX Runtime merges into a neighbour before it partitions, at its basic level: the neighbour's weights,
 * bias, bounds or pads take over what they did.
 *
 * Modelled on onnxruntime/core/optimizer: conv_bn_fusion, conv_mul_fusion, conv_add_fusion, matmul_add_fusion and
 * matmul_bn_fusion (where the MatMul stands for the Gemm that is made), relu_clip_fusion and pad_fusion.
 *
 * Conv -> BatchNormalization with constant weights becomes a Conv of other weights. The Conv stays, the
 * BatchNormalization's fate is FUSED into it, and what it made stands for what the Conv makes. Which pairs there are,
 * which of the two stays, and since which release, are rows of rewrites.def; the functions below are what a row asks.
 * A fact that is not known never merges: the runtime, too, leaves alone what it cannot see.
 */
#include "onnxruntime/passes.h"

#define MOST_PADS ((size_t)2 * NPART__LIMIT_RANK)
#define ATTENTION_USERS 4u /* of a LayerNormalization: three MatMuls and an Add */

/* What is used is counted once for the graph as folding has left it, and kept up to date by each merge: counting
 * again would be quadratic in a chain. */
struct merger {
    const struct npart__inference *inference;
    const struct npart__graph *graph;
    struct npart__session *session;
    enum npart__release release;
    uint32_t *uses; /* by value: how often live nodes use it; a use that no node may be merged with counts twice */
    uint32_t *user; /* by value: the node that does */
    uint32_t *some; /* by value: up to ATTENTION_USERS of the nodes that do */
};

/* By what is left: an operand through an Identity that is gone is the value before the Identity. NPART_NONE for an
 * operand that is left out. */
static uint32_t input_of(const struct merger *at, uint32_t id, uint32_t index)
{
    uint32_t value = npart__node_input(at->graph, npart__node_at(at->graph, id), index);
    return value == NPART_NONE ? value : at->session->stands_for[value];
}

static uint32_t result_of(const struct merger *at, uint32_t id)
{
    return npart__node_output(at->graph, npart__node_at(at->graph, id), 0);
}

static const struct npart__fact *fact_in(const struct merger *at, uint32_t id, uint32_t index)
{
    uint32_t value = input_of(at, id, index);
    return value == NPART_NONE ? NULL : npart__fact_of(at->inference, value);
}

/* The operator as the file's opset has it, so a schema must be known; a node of an unknown version merges with
 * nothing. */
static bool is_op(const struct merger *at, uint32_t id, const char *op)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    return node->schema && npart__is_onnx_op(at->graph, node, op);
}

static bool computes(const struct merger *at, uint32_t id, enum npart__computes what)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    return node->schema && node->domain == 0 && node->traits->computes == what;
}

/* At this level of rewriting, so what was folded counts as well as an initializer. */
static bool is_constant(const struct merger *at, uint32_t id, uint32_t index)
{
    uint32_t value = input_of(at, id, index);
    return value != NPART_NONE && at->session->is_constant[value];
}

static bool is_absent_or_constant(const struct merger *at, uint32_t id, uint32_t index)
{
    return input_of(at, id, index) == NPART_NONE || is_constant(at, id, index);
}

/* The live node that makes an input; NPART_NONE: none does. */
static uint32_t maker(const struct merger *at, uint32_t id, uint32_t index)
{
    return npart__producer(at->graph, input_of(at, id, index));
}

/* ---- what fits --------------------------------------------------------------------------------------------- */

/* A filter of rank 3 or more, so one that has spatial axes; a bias that is left out is as good as a constant one,
 * for the merge makes one. The merge multiplies the weights, so they must be there when the session is created. */
static bool has_constant_weights(const struct merger *at, uint32_t conv)
{
    const struct npart__fact *filter = fact_in(at, conv, 1);
    return filter && filter->has_rank && filter->rank > 2 && is_constant(at, conv, 1) &&
           is_absent_or_constant(at, conv, 2);
}

/* Scale, bias, mean and variance must be constant, and none of the results of training used: the node that is made has
 * one result. */
static bool is_constant_normalization(const struct merger *at, uint32_t normalization)
{
    const struct npart__node *node = npart__node_at(at->graph, normalization);
    for (uint32_t i = 1; i < 5; i++) /* scale, B, mean, var */
        if (!is_constant(at, normalization, i))
            return false;
    for (uint32_t i = 1; i < node->output_count; i++)
        if (npart__node_output(at->graph, node, i) != NPART_NONE)
            return false;
    return true;
}

static bool normalization_fits(const struct merger *at, uint32_t conv, uint32_t normalization)
{
    return is_constant_normalization(at, normalization) && has_constant_weights(at, conv);
}

/* A number for each column of a constant matrix. What it would make of a product of rank 3 is no Gemm. */
static bool columns_fit(const struct merger *at, uint32_t matmul, uint32_t normalization)
{
    const struct npart__fact *a = fact_in(at, matmul, 0), *b = fact_in(at, matmul, 1);
    if (!a || !a->has_rank || a->rank != 2 || !b || !b->has_rank || b->rank != 2 || !is_constant(at, matmul, 1) ||
        !is_constant_normalization(at, normalization))
        return false;
    for (uint32_t i = 1; i < 5; i++) {
        const struct npart__fact *numbers = fact_in(at, normalization, i);
        if (!numbers->has_rank || numbers->rank != 1 || !npart__same(numbers->dims[0], b->dims[1]))
            return false;
    }
    return true;
}

/* A number for each channel: [C,1,1] or [1,C,1,1] for an image. The numbers must be the second operand, as the
 * runtime looks for them only there, and of the filter's type, as it computes the new weights in that type. */
static bool channels_fit(const struct merger *at, uint32_t conv, uint32_t arithmetic)
{
    const struct npart__fact *numbers = fact_in(at, arithmetic, 1), *filter = fact_in(at, conv, 1);
    if (!has_constant_weights(at, conv) || !is_constant(at, arithmetic, 1) || !numbers->has_rank ||
        numbers->element_type != filter->element_type)
        return false;
    if (numbers->rank == 0)
        /* A factor scales all channels; a summand is not looked at. */
        return computes(at, arithmetic, NPART__COMPUTES_MULTIPLY);
    /* Of the filter's rank the first axis is the batch; of one less there is none. Its channels are the filter's
     * first dim. */
    uint32_t axis = numbers->rank == filter->rank ? 1 : 0;
    if (numbers->rank + 1 - axis != filter->rank || !npart__same(numbers->dims[axis], filter->dims[0]))
        return false;
    for (uint32_t i = 0; i < numbers->rank; i++)
        if (i != axis && numbers->dims[i] != 1)
            return false;
    return true;
}

/* A LayerNormalization whose result goes to three MatMuls and an Add, which takes another Add's result beside it.
 * The pattern is that of BERT: query, key and value are products of one normalized input, which is also the
 * residual. `last` is the Add that closes the block: the bias of the output projection. A count that differs, such
 * as that of a captured result, is no attention to the runtime either. */
static bool begins_attention(const struct merger *at, uint32_t normalization, uint32_t *last)
{
    if (normalization == NPART_NONE || !npart__node_at(at->graph, normalization)->schema ||
        !npart__node_plays(at->graph, npart__node_at(at->graph, normalization), NPART__ROLE_BEGINS_ATTENTION))
        return false;
    uint32_t result = result_of(at, normalization), matmuls = 0, adds = 0, add = NPART_NONE;
    if (result == NPART_NONE || at->uses[result] != ATTENTION_USERS)
        return false;
    for (uint32_t i = 0; i < ATTENTION_USERS; i++) {
        uint32_t user = at->some[(size_t)result * ATTENTION_USERS + i];
        if (user == NPART_NONE)
            return false;
        matmuls += computes(at, user, NPART__COMPUTES_MATMUL);
        adds += computes(at, user, NPART__COMPUTES_ADD);
        add = computes(at, user, NPART__COMPUTES_ADD) ? user : add;
    }
    if (matmuls != 3 || adds != 1)
        return false;
    *last = maker(at, add, input_of(at, add, 0) == result ? 1 : 0);
    return *last != NPART_NONE && computes(at, *last, NPART__COMPUTES_ADD);
}

/* Of attention, a later level makes one node: its projections are left as they are. Looked for from both ends: a
 * MatMul of the three right after the LayerNormalization, or the last projection, whose Add goes into the
 * residual's Add. If they became Gemm, the attention fusion of the extended level would not know them again. */
static bool is_attention(const struct merger *at, uint32_t matmul, uint32_t add)
{
    uint32_t last, result = result_of(at, add);
    if (begins_attention(at, maker(at, matmul, 0), &last))
        return true;
    /* Else the product may be the output's projection: what follows its bias is the residual's Add. */
    uint32_t after = result != NPART_NONE && at->uses[result] == 1 ? at->user[result] : NPART_NONE;
    for (uint32_t i = 0; after != NPART_NONE && computes(at, after, NPART__COMPUTES_ADD) && i < 2; i++)
        if (begins_attention(at, maker(at, after, i), &last) && last == add)
            return true;
    return false;
}

/* What Gemm takes for C: a row, and of matrices a column or everything too. Only a constant: a computed one would be an
 * operand of the Gemm, which the MatMul that stands for it does not have. For [8,768] by [768,256] it takes a bias of
 * [256], [1,256], [8,1] or [8,256]; for [1,8,768] by the same weights [256] alone, as the Gemm is of matrices and the
 * Reshapes need sizes that are numbers. */
static bool bias_fits(const struct merger *at, uint32_t matmul, uint32_t add)
{
    const struct npart__fact *a = fact_in(at, matmul, 0), *b = fact_in(at, matmul, 1);
    uint32_t index = input_of(at, add, 0) == result_of(at, matmul) ? 1 : 0;
    const struct npart__fact *bias = fact_in(at, add, index);
    /* matmul_add_fusion leaves whole numbers and DOUBLE alone. */
    bool is_float = a && (a->element_type == NPART__FLOAT || a->element_type == NPART__FLOAT16 ||
                          a->element_type == NPART__BFLOAT16);
    if (!b || !is_constant(at, add, index) || !is_float || !a->has_rank || !b->has_rank || !bias->has_rank ||
        b->rank != 2)
        return false;
    bool is_row = bias->rank == 1 && npart__same(bias->dims[0], b->dims[1]);
    if (a->rank != 2) /* reshaped before and after */
        return is_row && npart__is_static(a) && npart__is_static(b) && !is_attention(at, matmul, add);
    if (bias->rank != 2)
        return is_row;
    bool is_wide = npart__same(bias->dims[1], b->dims[1]);
    return (bias->dims[0] == 1 && is_wide) ||
           (npart__same(bias->dims[0], a->dims[0]) && (bias->dims[1] == 1 || is_wide));
}

/* Clip(Relu(x)) is a Clip of x whose lower bound is 0 where it was less; that can be written where the bound is
 * constant. Such a Clip has a bound after the merge even where the file gave none. */
static bool bounds_fit(const struct merger *at, uint32_t relu, uint32_t clip)
{
    (void)relu;
    return is_absent_or_constant(at, clip, 1);
}

/* An attribute that is left out has its default, which is what callers ask for: constant, NOTSET. */
static bool is_text(const struct merger *at, uint32_t id, const char *name, const char *text)
{
    const struct npart__attribute *attribute =
        npart__node_attribute(at->graph, npart__node_at(at->graph, id), name);
    return !attribute || (attribute->type == NPART_ATTRIBUTE_STRING && strcmp(attribute->u.s, text) == 0);
}

/* Numbers of an attribute of old, or of a constant input. At most as many as two ranks. Returns how many; 0 where
 * they are not known, which is less than padding_fits asks for. Attributes that the scan left in the file
 * (is_elided) are longer than two ranks. Up to opset 10 `pads` is an attribute, and an operand from 11 on. */
static uint32_t pads_of(const struct merger *at, uint32_t id, int64_t *out)
{
    const struct npart__attribute *attribute =
        npart__node_attribute(at->graph, npart__node_at(at->graph, id), "pads");
    const struct npart__fact *fact = !attribute && is_constant(at, id, 1) ? fact_in(at, id, 1) : NULL;
    bool is_written = attribute && attribute->type == NPART_ATTRIBUTE_INTS && !attribute->is_elided;
    const int64_t *from = is_written ? attribute->u.ints : fact && fact->known ? fact->known->ints : NULL;
    uint64_t count = attribute ? attribute->count : 0;
    bool is_small = attribute || (fact && npart__static_elements(fact, &count));
    if (!is_small || count > MOST_PADS)
        return 0;
    /* What inference has read, else the tensor itself; both are of at most MOST_PADS numbers here. */
    if (from)
        memcpy(out, from, (size_t)count * sizeof *out);
    else if (!fact || !fact->tensor || !npart__tensor_int64s(fact->tensor, out, MOST_PADS))
        return 0;
    return (uint32_t)count;
}

/* A Pad of another number than 0 cannot be told to a Conv. The number is an attribute up to opset 10, an operand
 * since. One that is left out by an empty name is not known to be 0 (pad_fusion.cc). */
static bool pads_with_zero(const struct merger *at, uint32_t pad)
{
    const struct npart__attribute *value =
        npart__node_attribute(at->graph, npart__node_at(at->graph, pad), "value");
    const struct npart__fact *fact = fact_in(at, pad, 2);
    double number = 0;
    if (npart__node_at(at->graph, pad)->input_count > 2 && input_of(at, pad, 2) == NPART_NONE)
        return false;
    if (fact && (!is_constant(at, pad, 2) || !fact->tensor || !npart__tensor_doubles(fact->tensor, &number, 1)))
        return false;
    return number == 0 && (!value || value->u.f == 0.0f);
}

/* Zeros around the image, which the next node can add itself. Pads of batch and channels must be 0: `pads` lists
 * the begins of all axes and then the ends, so the first two of each half are these. Fewer than 6 are of a rank
 * below 3. Pads [0,0,1,1,0,0,1,1] put one row or column of zeros on each side of an image. */
static bool padding_fits(const struct merger *at, uint32_t pad, uint32_t window)
{
    int64_t pads[MOST_PADS];
    uint32_t count = pads_of(at, pad, pads);
    const struct npart__node *node = npart__node_at(at->graph, window);
    /* `axes`, the fourth operand since opset 18, would say another meaning of the pads; with auto_pad the window's
     * own pads are not numbers that one could add to. */
    bool is_plain = is_text(at, pad, "mode", "constant") && is_text(at, window, "auto_pad", "NOTSET") &&
                    node->output_count == 1 && input_of(at, pad, 3) == NPART_NONE &&
                    input_of(at, window, 0) == result_of(at, pad);
    if (!is_plain || count < 6 || count % 2 || !pads_with_zero(at, pad))
        return false;
    for (uint32_t i = 0; i < count; i++)
        /* A negative pad cuts off elements, which no Conv does. */
        if (pads[i] < 0 || !npart__is_number(pads[i]) || (i % (count / 2) < 2 && pads[i] != 0))
            return false;
    return true;
}

/* A mean of what does not count its pads would divide by another number. What a pool adds on each side must be less
 * than its kernel, with what it adds already: that is asked of SoC 60, of 23 small graphs. */
static bool counted_padding_fits(const struct merger *at, uint32_t pad, uint32_t window)
{
    const struct npart__node *node = npart__node_at(at->graph, window);
    const struct npart__attribute *kernel = npart__node_attribute(at->graph, node, "kernel_shape");
    int64_t pads[MOST_PADS], own[MOST_PADS];
    uint32_t spatial = kernel && kernel->type == NPART_ATTRIBUTE_INTS && !kernel->is_elided ? kernel->count : 0;
    uint32_t own_count = pads_of(at, window, own);
    if (npart__node_int(at->graph, node, "count_include_pad", 0) == 0 || !padding_fits(at, pad, window) ||
        pads_of(at, pad, pads) != 2 * (spatial + 2) || (own_count && own_count != 2 * spatial))
        return false;
    for (uint32_t i = 0; i < 2 * spatial; i++) {
        int64_t added = pads[i < spatial ? i + 2 : i + 4], before = own_count ? own[i] : 0;
        int64_t size = kernel->u.ints[i % spatial];
        if (before < 0 || size <= before || added >= size - before)
            return false;
    }
    return true;
}

/* ---- the table --------------------------------------------------------------------------------------------- */

static const struct merge {
    const char *first, *second;
    bool into_second; /* else the second goes into the first */
    bool (*fits)(const struct merger *at, uint32_t first, uint32_t second);
    struct npart__applies applies;
} merges[] = {
#define FIRST false
#define SECOND true
#define MERGE(first, second, stays, fits, ...) {first, second, stays, fits, NPART__APPLIES(__VA_ARGS__)},
#include "onnxruntime/rewrites.def"
};

/* Rows are asked in their order; a pair of operators has one row a release. */
static const struct merge *find_merge(const struct merger *at, uint32_t first, uint32_t second)
{
    for (size_t i = 0; i < NPART__COUNT(merges); i++)
        if (npart__is_on(merges[i].applies, NPART_LEVEL_BASIC, at->release) && is_op(at, first, merges[i].first) &&
            is_op(at, second, merges[i].second) && merges[i].fits(at, first, second))
            return &merges[i];
    return NULL;
}

/* ---- the pass ---------------------------------------------------------------------------------------------- */

/* An equal value is used too: the runtime keeps one of them for both. Two nodes that compute the same are one to the
 * runtime (common_subexpression.c): a result that each uses once is used twice by then. Without
 * this, of two equal Convs with a normalization each, both would take it in; the runtime keeps one Conv with two
 * users, which takes in neither. */
static bool is_shared(const struct merger *at, uint32_t value)
{
    const uint32_t *uses = at->inference->equal_uses;
    return uses && uses[value] > npart__value_at(at->graph, value)->consumer_count;
}

/* What no node may be merged across counts twice, so that it never looks like a single use: a capture, a result of
 * the graph, a value that an equal one shares. */
static void count_uses(struct merger *at)
{
    const struct npart__graph *graph = at->graph;
    for (uint32_t i = 0; i < graph->order_count; i++) {
        const struct npart__node *node = npart__node_at(graph, graph->order[i]);
        for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
            bool is_captured = k >= node->input_count;
            uint32_t value = npart__node_use(graph, node, k);
            if (!npart__is_live(at->session, graph->order[i]) || value == NPART_NONE)
                continue;
            value = at->session->stands_for[value];
            if (at->uses[value] < ATTENTION_USERS && !is_captured)
                at->some[(size_t)value * ATTENTION_USERS + at->uses[value]] = graph->order[i];
            at->uses[value] += is_captured ? 2 : 1; /* a body reads it, too */
            at->user[value] = graph->order[i];
        }
    }
    /* Two at once: 0 + 2 is as much a use that cannot be merged as 1 + 2. */
    for (uint32_t v = 0; v < graph->values.count; v++)
        if (npart__value_at(graph, v)->is_graph_output || is_shared(at, v))
            at->uses[at->session->stands_for[v]] += 2;
}

/* Merges the node with the next one, as often as one is there. Conv -> Mul -> Add: the Mul goes into the Conv,
 * whose result is then what the Mul made, and the Add is asked next. Ends since each step takes one node away.
 * Where the first goes into the second (Relu into Clip, Pad into Conv), the walk meets the second later by itself. */
static void merge_node(struct merger *at, uint32_t id)
{
    for (;;) {
        uint32_t result = result_of(at, id), second;
        if (!npart__is_live(at->session, id) || result == NPART_NONE || at->uses[result] != 1)
            return;
        second = at->user[result];
        const struct merge *merge = find_merge(at, id, second);
        if (!merge)
            return;
        uint32_t gone = merge->into_second ? id : second, stays = merge->into_second ? second : id;
        if (!npart__has_one_result(at->graph, npart__node_at(at->graph, gone)))
            return;
        /* `after` is the value that is not made any more, `from` what its users take instead. */
        uint32_t after = result_of(at, gone), from = merge->into_second ? input_of(at, id, 0) : result;
        if (from == NPART_NONE) /* left out, which no runtime loads */
            return;
        at->session->fates[gone] = NPART_FATE_FUSED;
        at->session->into[gone] = stays;
        /* The Gemm is a new node to the runtime, put where the Add was; by its number it is the last of all, and some
         * providers' partitions follow that order (lib/plan/partition/walk.c). In another rank than 2 it also has two
         * Reshapes. */
        if (computes(at, stays, NPART__COMPUTES_MATMUL)) {
            bool is_matrix = fact_in(at, stays, 0)->rank == 2;
            at->session->remade[stays] = is_matrix ? NPART__REMADE_PRODUCT : NPART__REMADE_RESHAPED_PRODUCT;
            at->session->place[stays] = gone;
        }
        at->session->stands_for[after] = from;
        /* What the second takes now had `id` for its user; that is the second from here on, or a later merge would
         * look at a node that is gone. */
        if (merge->into_second) {
            if (at->user[from] == id)
                at->user[from] = second;
            return;
        }
        /* The first has the users of the second now; `some` is not updated, since only a LayerNormalization's is
         * read, and that is the first of no row. */
        at->uses[result] = at->uses[after];
        at->user[result] = at->user[after];
        if (computes(at, stays, NPART__COMPUTES_MATMUL))
            return; /* a Gemm by now, which is the first of no row: a second Add stays */
    }
}

/* In the order in which nodes run, so that of a chain the first is met first and takes in all that follows. What
 * stands for another may stand for a third afterwards. */
bool npart__fold_merges(struct npart__session *session, enum npart__release release, struct npart__arena *arena)
{
    const struct npart__inference *inference = session->inference;
    const struct npart__graph *graph = inference->graph;
    struct npart__arena scratch;
    npart__arena_init(&scratch, &arena->allocator);
    struct merger at = {.inference = inference, .graph = graph, .session = session, .release = release};
    at.uses = npart__arena_zeroed(&scratch, graph->values.count + (size_t)1, sizeof *at.uses);
    at.user = npart__arena_zeroed(&scratch, graph->values.count + (size_t)1, sizeof *at.user);
    size_t listed = (graph->values.count + (size_t)1) * ATTENTION_USERS;
    at.some = npart__arena_allocate(&scratch, listed * sizeof *at.some);
    bool is_ready = at.uses && at.user && at.some;
    if (is_ready) {
        memset(at.some, 0xff, listed * sizeof *at.some); /* NPART_NONE: fewer users than that */
        count_uses(&at);
    }
    for (uint32_t i = 0; is_ready && i < graph->order_count; i++)
        merge_node(&at, graph->order[i]);
    if (is_ready)
        npart__settle_stand_ins(session, graph->values.count);
    npart__arena_clear(&scratch);
    return is_ready;
}
