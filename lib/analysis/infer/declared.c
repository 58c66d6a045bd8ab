/* SPDX-License-Identifier: Apache-2.0
 *
 * What the file declares of its values (value_info, inputs, outputs), as facts and merged with what inference finds. A
 * declaration adds what inference does not know, and never replaces what it does:
 *
 *   inferred [`batch`,?,64]    declared [`batch`,128,`h`]  ->  [`batch`,128,64]
 *
 * Where the two contradict each other, the declaration is reported as a finding. Exporters do write wrong ones, as of
 * one branch that was traced, and hand surgery leaves old ones.
 *
 * ONNX Runtime infers when it loads the file, and again after each optimizer that has changed the graph (graph.cc,
 * Graph::Resolve; graph_transformer.cc, Apply). Each time it merges with what it had for the value before, be that the
 * file's or its own, so one wrong shape is mended by the second time and a run of them one after the other:
 *
 *   x [1,4] -> a, the file says [1,1] -> b, the file says [1,1]     first time   a [1,?], b [1,1]
 *                                                                   second       a [1,4], b [1,?]
 *                                                                   third        a [1,4], b [1,4]
 */
#include "infer/driver.h"

/* A finding that shows both types: `shape of "x": the file says float32[2,3], inference float32[2,4]`. */
static void report_difference(struct npart__inference *inference, uint32_t value, const struct npart__fact *ours,
                              const struct npart__declared_type *declared, const char *what)
{
    struct npart__buffer text = {.arena = inference->arena};
    char place[160] = "";
    /* The place is the node that makes the value; an input of a body has none. */
    const struct npart__value *at = npart__value_at(inference->graph, value);
    if (at->producer != NPART_NONE)
        npart__describe_node(inference->graph, at->producer, place, sizeof place);
    npart__append_format(&text, "%s of \"%s\": the file says %s[", what, npart__value_name(inference->graph, value),
                         npart__type_name(declared->element_type));
    for (uint32_t i = 0; i < declared->rank; i++) {
        npart__append_text(&text, i ? "," : "");
        if (declared->dims[i].value >= 0)
            npart__append_int64(&text, declared->dims[i].value);
        else
            npart__append_text(&text, declared->dims[i].parameter ? declared->dims[i].parameter : "?");
    }
    npart__append_text(&text, declared->has_rank ? "], inference " : "...], inference ");
    npart__append_fact(&text, &inference->expressions, ours);
    if (!npart__add_finding(inference, "declared-type", npart__made_text(&text), place))
        inference->expressions.failed = true;
}

/* A dim as the file has it: a number, the expression that its text means, or a fresh symbol where there is neither, and
 * where the expression has become a number below 0, which is no size: "n - m" with a greater m.
 * Sizes that the caller gives are to a session those of the graph's inputs (onnxruntime/core/optimizer/
 * free_dim_override_transformer.cc): any other dim with a text stays a name to it, be the name bound, a sum of bound
 * ones or a "1". */
static int64_t declared_dim(struct npart__inference *inference, const struct npart__declared_dim *dim)
{
    struct npart__expressions *pool = &inference->expressions;
    if (dim->value >= 0 || !dim->parameter)
        return dim->value >= 0 ? dim->value : npart__fresh_symbol(pool);
    int64_t read = npart__parse_dim(pool, dim->parameter);
    bool is_mere_name = inference->policy->keeps_names && !pool->reads_inputs && npart__is_number(read);
    if (is_mere_name)
        return npart__mere_name(pool, dim->parameter);
    return npart__is_number(read) && read < 0 ? npart__fresh_symbol(pool) : read;
}

/* Whether a word is a symbol of a graph input. It is not made by being asked for. A word that was never read has
 * NPART_NONE as its id, which is past every count. */
static bool is_size_of_input(const struct npart__expressions *pool, const char *name, size_t length)
{
    uint32_t id = npart__strings_find(&pool->names, name, length);
    uint32_t symbol = id < pool->symbol_by_name.count ? pool->symbol_by_name.items[id] : 0;
    return symbol && pool->symbols.items[symbol - 1].is_input;
}

/* Whether a declared name may stand for a size of ours. A size that varies is not the one that a formula of input
 * sizes gives: exporters write what they saw in one branch. Another name, which no input has, may stand for it. The
 * text is looked at as a whole and by its words, as it may be a formula: see npart__next_word. */
static bool may_name(const struct npart__inference *inference, int64_t ours, const char *text)
{
    const struct npart__expressions *pool = &inference->expressions;
    uint32_t symbol = npart__lone_symbol(pool, ours);
    if (symbol == NPART_NONE || !pool->symbols.items[symbol].varies)
        return true;
    if (is_size_of_input(pool, text, strlen(text)))
        return false;
    for (int of_symbols = 0; of_symbols < 2; of_symbols++) {
        const char *at = text;
        for (size_t length; (length = npart__next_word(&at, of_symbols)) > 0; at += length)
            if (is_size_of_input(pool, at, length))
                return false;
    }
    return true;
}

/* One dim of both: a number before a symbol, a symbol with a name before one without, ours before the file's. */
static int64_t merge_dim(struct npart__inference *inference, uint32_t value, int64_t ours,
                         const struct npart__declared_dim *theirs)
{
    struct npart__expressions *pool = &inference->expressions;
    if (npart__is_number(ours))
        return ours;
    bool is_named = npart__is_named(pool, ours);
    if (theirs->value >= 0) { /* exporters fix a size that a formula leaves open where the model works with no other */
        if (is_named)
            npart__assume_equal(inference, npart__producer(inference->graph, value), ours, theirs->value, false);
        return theirs->value;
    }
    if (is_named || !theirs->parameter || !may_name(inference, ours, theirs->parameter))
        return ours;
    return declared_dim(inference, theirs);
}

/* The dim where both say the same; else nothing is known of it. */
static int64_t unite_dim(struct npart__inference *inference, int64_t ours, const struct npart__declared_dim *theirs)
{
    bool is_same = theirs->value >= 0 ? npart__same(ours, theirs->value)
                                      : theirs->parameter && npart__same(ours, declared_dim(inference, theirs));
    return is_same ? ours : npart__fresh_symbol(&inference->expressions);
}

/* ONNX Runtime keeps of two shapes that contradict each other what both say: ours up to the first dim that differs,
 * then the dims that are equal, and nothing where the ranks differ (graph.cc, MergeShapeInfo; onnx's UnionShapeInfo).
 *
 *   ours [2,3,4], the file's [2,5,4]  ->  [2,?,4] */
static void unite_dims(struct npart__inference *inference, struct npart__fact *fact,
                       const struct npart__declared_type *declared)
{
    bool same_rank = fact->rank == declared->rank, differs = false;
    int64_t *dims = same_rank ? npart__arena_allocate(inference->arena, (fact->rank + (size_t)1) * sizeof *dims) : NULL;
    inference->expressions.failed |= same_rank && !dims;
    for (uint32_t i = 0; dims && i < fact->rank; i++) {
        const struct npart__declared_dim *theirs = &declared->dims[i];
        differs |= npart__is_number(fact->dims[i]) && theirs->value >= 0 && theirs->value != fact->dims[i];
        dims[i] = differs ? unite_dim(inference, fact->dims[i], theirs) : fact->dims[i];
    }
    fact->has_rank = dims != NULL;
    fact->rank = dims ? fact->rank : 0;
    fact->dims = dims;
}

static void note_disagreement(struct npart__inference *inference, uint32_t value)
{
    uint32_t count = inference->graph->values.count;
    if (!inference->disagrees)
        inference->disagrees = npart__arena_zeroed(inference->arena, count + (size_t)1, sizeof *inference->disagrees);
    if (inference->disagrees)
        inference->disagrees[value] = true;
    else
        inference->expressions.failed = true;
}

/* The dims that the file declares, where ours are missing; ours where both are there. Only ranks and numbers
 * contradict: two different symbols may have one size. */
static void merge_dims(struct npart__inference *inference, struct npart__fact *fact, uint32_t value,
                       const struct npart__declared_type *declared)
{
    bool differs = fact->has_rank && fact->rank != declared->rank, is_open = !fact->has_rank;
    for (uint32_t i = 0; fact->has_rank && !differs && i < fact->rank; i++) {
        int64_t theirs = declared->dims[i].value;
        if (npart__is_number(fact->dims[i]))
            differs = theirs >= 0 && theirs != fact->dims[i];
        else
            is_open = true;
    }
    if (differs) {
        report_difference(inference, value, fact, declared, "shape");
        inference->has_false_shapes = true;
        if (inference->policy->keeps_false_shapes || inference->options.before) {
            unite_dims(inference, fact, declared);
            note_disagreement(inference, value);
        }
        return;
    }
    /* All dims are numbers already. */
    if (!is_open || declared->rank > NPART__MOST(inference->graph->limits, RANK))
        return;
    int64_t *dims = npart__arena_allocate(inference->arena, (declared->rank + (size_t)1) * sizeof *dims);
    if (!dims) {
        inference->expressions.failed = true;
        return;
    }
    for (uint32_t i = 0; i < declared->rank; i++)
        dims[i] = fact->has_rank ? merge_dim(inference, value, fact->dims[i], &declared->dims[i])
                                 : declared_dim(inference, &declared->dims[i]);
    fact->has_rank = true;
    fact->rank = declared->rank;
    fact->dims = dims;
}

/* What the runtime knew of a tensor the time before, as if it were declared; NULL where that adds nothing, as of what
 * is folded, or without memory. Of symbols the file's names are left. */
static const struct npart__declared_type *known_before(struct npart__inference *inference, uint32_t value,
                                                       struct npart__declared_type *type)
{
    const struct npart__declared_type *written = npart__value_at(inference->graph, value)->declared;
    const struct npart__fact *fact = npart__fact_of(inference->options.before, value);
    if (fact->kind != NPART__TYPE_TENSOR || !fact->has_rank || inference->facts[value].is_constant ||
        (inference->options.gone && inference->options.gone[value]))
        return NULL;
    struct npart__declared_dim *dims =
        npart__arena_allocate(inference->arena, (fact->rank + (size_t)1) * sizeof *dims);
    inference->expressions.failed |= !dims;
    bool is_named = written && written->has_rank && written->rank == fact->rank;
    for (uint32_t i = 0; dims && i < fact->rank; i++) {
        dims[i] = (struct npart__declared_dim){.value = -1};
        if (npart__is_number(fact->dims[i]))
            dims[i].value = fact->dims[i];
        else if (is_named)
            dims[i].parameter = written->dims[i].parameter;
    }
    *type = (struct npart__declared_type){.kind = fact->kind, .element_type = fact->element_type,
                                          .has_rank = true, .rank = fact->rank, .dims = dims};
    return dims ? type : NULL;
}

/* Merges kind, element type, shape and, of sequences and optionals, the element. Element types that differ are
 * reported; ours stays. */
void npart__merge_declared(struct npart__inference *inference, uint32_t value)
{
    const struct npart__declared_type *declared = npart__value_at(inference->graph, value)->declared;
    struct npart__fact *fact = &inference->facts[value];
    struct npart__declared_type before;
    if (inference->options.before && value < inference->options.before->fact_count &&
        (!declared || declared->kind == NPART__TYPE_TENSOR))
        declared = known_before(inference, value, &before);
    if (!declared || declared->kind == NPART__TYPE_UNKNOWN)
        return;
    /* Of unknown operators the file alone says what they make. */
    if (fact->kind == NPART__TYPE_UNKNOWN)
        fact->kind = declared->kind;
    if (fact->kind != declared->kind) {
        report_difference(inference, value, fact, declared, "kind of type");
        return;
    }
    if (fact->element_type == 0)
        fact->element_type = declared->element_type;
    else if (declared->element_type && declared->element_type != fact->element_type)
        report_difference(inference, value, fact, declared, "element type");
    if (declared->has_rank)
        merge_dims(inference, fact, value, declared);
    /* An element whose shape inference knows is taken as it is, and not compared with the file's. */
    bool is_shapeless = fact->element && fact->element->kind == NPART__TYPE_TENSOR && !fact->element->has_rank;
    if (declared->element && (!fact->element || (is_shapeless && declared->element->has_rank)))
        fact->element = npart__fact_of_declared(inference, declared->element);
}

/* A declaration alone as a fact, for graph inputs, of which nothing else is known. Out of memory, NULL or a fact of
 * nothing, and the pool remembers. */
struct npart__fact *npart__fact_of_declared(struct npart__inference *inference,
                                            const struct npart__declared_type *declared)
{
    /* Dims are new each time: without a name, each of them is a symbol of its own. */
    struct npart__fact *fact = npart__arena_zeroed(inference->arena, 1, sizeof *fact);
    int64_t *dims = npart__arena_allocate(inference->arena, (declared->rank + (size_t)1) * sizeof *dims);
    if (!fact || !dims) {
        inference->expressions.failed = true;
        return fact;
    }
    fact->kind = declared->kind;
    fact->element_type = declared->element_type;
    fact->has_rank = declared->has_rank && declared->rank <= NPART__MOST(inference->graph->limits, RANK);
    for (uint32_t i = 0; fact->has_rank && i < declared->rank; i++)
        dims[i] = declared_dim(inference, &declared->dims[i]);
    if (fact->has_rank) {
        fact->rank = declared->rank;
        fact->dims = dims;
    }
    if (declared->element)
        fact->element = npart__fact_of_declared(inference, declared->element);
    return fact;
}
