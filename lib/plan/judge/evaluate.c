/* SPDX-License-Identifier: Apache-2.0
 *
 * Three-valued evaluation. A comparison is asked of every operand that its selector names and of every element of a
 * list attribute or constant, and must hold for each; what is absent has nothing against it.
 *
 * Truth is ordered FALSE < MAYBE < TRUE: `and` is the smaller of two, `or` the greater, and a loop over operands the
 * smallest of all. Beside the answer, the part that decided is kept as `failure`, of which a report prints what was
 * found.
 */
#include <math.h>

#include "judge/answer.h"

/* ---- comparing ------------------------------------------------------------------------------------------- */

/* An op is named with its domain or without; equations are the same with other letters. A word of the list without
 * a domain means an op of any domain: rules name com.microsoft's ops by their name alone. `ai.onnx:Conv` means the
 * standard's own, whose domain is empty in the graph. */
static bool same_word(struct npart__answer found, struct npart__answer named)
{
    if (found.is_equation)
        return npart__same_equation(found.word, found.length, named.word, named.length);
    const char *own = found.domain && *found.domain ? found.domain : "ai.onnx";
    size_t domain = strlen(own);
    bool has_domain = found.domain && memchr(named.word, ':', named.length);
    if (!has_domain)
        /* Case counts: `NOTSET` is not `notset`. */
        return found.length == named.length && memcmp(found.word, named.word, found.length) == 0;
    return named.length == domain + 1 + found.length && memcmp(named.word, own, domain) == 0 &&
           named.word[domain] == ':' && memcmp(named.word + domain + 1, found.word, found.length) == 0;
}

/* Less than, equal to, or greater than 0; of words only equality means something. Reals are compared as float, the
 * precision that the file has them in. */
static int order_of(struct npart__answer a, struct npart__answer b)
{
    if (a.kind == NPART__ANSWER_NUMBER && b.kind == NPART__ANSWER_NUMBER) {
        if (a.is_real || b.is_real) /* a float attribute of 0.1 is meant to equal 0.1 */
            return (float)a.real < (float)b.real ? -1 : (float)a.real > (float)b.real;
        return a.number < b.number ? -1 : a.number > b.number;
    }
    if (a.kind == NPART__ANSWER_WORD && b.kind == NPART__ANSWER_WORD)
        return same_word(a, b) ? 0 : 1;
    if (a.kind == NPART__ANSWER_TYPE || b.kind == NPART__ANSWER_TYPE) { /* a word that names no type has 0 */
        bool may_equal = a.kind != NPART__ANSWER_NUMBER && b.kind != NPART__ANSWER_NUMBER;
        return may_equal && a.number == b.number ? 0 : 1;
    }
    return 1; /* a word and a number are not equal */
}

/* Absent before unknown: what is left out has nothing against a comparison even with what is not known. */
static enum npart__truth compare(struct npart__answer a, enum npart__comparison_op op, struct npart__answer b)
{
    if (a.kind == NPART__ANSWER_ABSENT || b.kind == NPART__ANSWER_ABSENT)
        return NPART__TRUE;
    if (a.kind == NPART__ANSWER_UNKNOWN || b.kind == NPART__ANSWER_UNKNOWN)
        return NPART__MAYBE;
    /* NaN equals nothing. Whether it is below a limit depends on how a compiler asks. */
    bool is_nan = a.kind == NPART__ANSWER_NUMBER && b.kind == NPART__ANSWER_NUMBER && (isnan(a.real) || isnan(b.real));
    if (is_nan && op != NPART__EQUAL && op != NPART__NOT_EQUAL)
        return NPART__MAYBE;
    int order = is_nan ? 1 : order_of(a, b);
    /* Of words and types an order of 1 says "not equal" only: `<` never holds of them. */
    const bool holds[] = {[NPART__EQUAL] = order == 0,        [NPART__NOT_EQUAL] = order != 0,
                          [NPART__LESS] = order < 0,          [NPART__LESS_EQUAL] = order <= 0,
                          [NPART__GREATER] = order > 0,       [NPART__GREATER_EQUAL] = order >= 0};
    return holds[op] ? NPART__TRUE : NPART__FALSE;
}

/* What Kleene's logic says: false and unknown is false, true and unknown is unknown. */
static enum npart__truth both(enum npart__truth a, enum npart__truth b)
{
    return a < b ? a : b;
}

/* True or unknown is true, false or unknown is unknown. */
static enum npart__truth either(enum npart__truth a, enum npart__truth b)
{
    return a > b ? a : b;
}

/* `in 1..4 7 float16`: an item is one value, or a range whose ends may be left open. The first that holds decides;
 * an unknown item beside others that fail leaves the answer unknown. */
static enum npart__truth is_in(const struct npart__trial *trial, struct npart__answer found, uint32_t item,
                               struct npart__place place)
{
    enum npart__truth truth = NPART__FALSE;
    if (found.kind == NPART__ANSWER_ABSENT)
        return NPART__TRUE;
    /* Items are a list by `next`; `op` of an item says that it is a range, whose ends are `left` and `right`. */
    for (; item != NPART_NONE && truth != NPART__TRUE; item = npart__term_at(trial, item)->next) {
        const struct npart__term *at = npart__term_at(trial, item);
        const struct npart__term *word = at->left == NPART_NONE ? NULL : npart__term_at(trial, at->left);
        enum npart__truth here = NPART__TRUE;
        bool is_type = !at->op && found.kind == NPART__ANSWER_TYPE && word && word->kind == NPART__TERM_WORD;
        if (is_type) { /* as of most sets */
            here = word->element_type == found.number ? NPART__TRUE : NPART__FALSE;
        } else if (!at->op) {
            here = compare(found, NPART__EQUAL, npart__answer_of(trial, at->left, place));
        } else {
            if (at->left != NPART_NONE)
                here = both(here, compare(found, NPART__GREATER_EQUAL, npart__answer_of(trial, at->left, place)));
            if (at->right != NPART_NONE)
                here = both(here, compare(found, NPART__LESS_EQUAL, npart__answer_of(trial, at->right, place)));
        }
        truth = either(truth, here);
    }
    return truth;
}

/* `in`, or `not in`; what is absent has nothing against either. So `not in` is not the negation of `in` for what
 * is absent. What cannot be told of the set cannot be told of its opposite. */
static enum npart__truth is_wanted_in(const struct npart__trial *trial, struct npart__answer found,
                                      const struct npart__term *term, struct npart__place place)
{
    enum npart__truth truth = is_in(trial, found, term->right, place);
    if (!term->op || found.kind == NPART__ANSWER_ABSENT || truth == NPART__MAYBE)
        return truth;
    return truth == NPART__TRUE ? NPART__FALSE : NPART__TRUE;
}

/* ---- loops ----------------------------------------------------------------------------------------------- */

static uint32_t greater_of(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* How many operands the first selector of an expression names: all of its selectors are asked in step.
 * `count(inputs)` is one number, however many operands it counts. */
uint32_t npart__operand_count(const struct npart__trial *trial, uint32_t id)
{
    const struct npart__term *term = id == NPART_NONE ? NULL : npart__term_at(trial, id);
    if (!term)
        return 1;
    if (term->kind >= NPART__TERM_ARITHMETIC)
        return greater_of(npart__operand_count(trial, term->left), npart__operand_count(trial, term->right));
    if (term->kind != NPART__TERM_FUNCTION || term->selector == NPART_NONE || term->op == NPART__FUNCTION_COUNT)
        return 1;
    /* None are asked as one that is absent. */
    uint32_t count = npart__select_operands(trial, term->selector).count;
    return count ? count : 1;
}

static uint32_t calculated_count(const struct npart__trial *trial, const struct npart__term *term, uint32_t operand)
{
    struct npart__answer times;
    switch ((enum npart__term_kind)term->kind) {
    case NPART__TERM_ARITHMETIC:
    case NPART__TERM_FIRST:
    case NPART__TERM_ROOT:
        return greater_of(npart__element_count(trial, term->left, operand),
                          npart__element_count(trial, term->right, operand));
    case NPART__TERM_REPEAT:
        times = npart__answer_of(trial, term->right, (struct npart__place){operand, 0});
        return times.kind != NPART__ANSWER_NUMBER || times.number < 1 || times.number > NPART__LIMIT_REPEATED
                   ? 1 : (uint32_t)times.number;
    default:
        return 1;
    }
}

/* Of a list attribute, of a constant's elements, of dims, of scales, and of users: at least 1, so that a comparison of
 * what is absent is asked once and holds. A constant whose elements are not known is asked once, too, and is
 * unknown. */
uint32_t npart__element_count(const struct npart__trial *trial, uint32_t id, uint32_t operand)
{
    const struct npart__term *term = id == NPART_NONE ? NULL : npart__term_at(trial, id);
    if (!term || term->kind < NPART__TERM_FUNCTION)
        return 1;
    if (term->kind != NPART__TERM_FUNCTION)
        return calculated_count(trial, term, operand);
    if (term->op == NPART__FUNCTION_ATTR && !term->has_index) {
        const struct npart__attribute *attribute = npart__node_attribute(trial->graph, trial->node, term->word);
        bool is_list = attribute && attribute->type >= NPART_ATTRIBUTE_FLOATS &&
                       attribute->type <= NPART_ATTRIBUTE_STRINGS;
        return is_list && attribute->count ? attribute->count : 1;
    }
    bool is_quantization = term->op == NPART__FUNCTION_QSCALE || term->op == NPART__FUNCTION_QZERO;
    bool is_list = is_quantization || (term->op == NPART__FUNCTION_VALUE && !term->has_index);
    bool is_dims = term->op == NPART__FUNCTION_DIMS;
    if (!is_list && !is_dims && term->op != NPART__FUNCTION_CONSUMERS)
        return 1;
    struct npart__operands operands = npart__select_operands(trial, term->selector);
    uint32_t value = npart__operand_at(trial, operands, operand);
    if (value != NPART_NONE && is_quantization)
        value = npart__quantizing_operand(trial, value, npart__is_output_operand(trial, operands, operand),
                                          term->op == NPART__FUNCTION_QSCALE ? 1 : 2);
    if (value == NPART_NONE)
        return 1;
    uint32_t kinds, first, dims;
    if (is_dims)
        return npart__asked_dims(trial, term, value, &first, &dims) == NPART__ANSWER_NUMBER && dims ? dims : 1;
    if (term->op == NPART__FUNCTION_CONSUMERS)
        return npart__user_kinds(trial->graph, value, &kinds) && kinds ? kinds : 1;
    /* Reads them if they have not been read so far. */
    const struct npart__known *known = npart__elements(trial->inference, &trial->inference->facts[value]);
    return known && known->count ? known->count : 1;
}

bool npart__is_empty_list(const struct npart__trial *trial, uint32_t id, uint32_t operand)
{
    const struct npart__term *term = npart__term_at(trial, id);
    uint32_t first, count, value;
    if (term->kind == NPART__TERM_REPEAT) {
        struct npart__answer times = npart__answer_of(trial, term->right, (struct npart__place){operand, 0});
        return times.kind == NPART__ANSWER_NUMBER && times.number == 0;
    }
    if (term->kind != NPART__TERM_FUNCTION || term->op != NPART__FUNCTION_DIMS)
        return false;
    value = npart__operand_at(trial, npart__select_operands(trial, term->selector), operand);
    return value != NPART_NONE && npart__asked_dims(trial, term, value, &first, &count) == NPART__ANSWER_NUMBER &&
           !count;
}

/* The first operand that a failed condition is about, for the report. Depth first and from the left, as a reader
 * meets them. */
static uint32_t operand_of(const struct npart__trial *trial, uint32_t id, uint32_t operand)
{
    const struct npart__term *term = id == NPART_NONE ? NULL : npart__term_at(trial, id);
    uint32_t left;
    if (!term)
        return NPART_NONE;
    switch ((enum npart__term_kind)term->kind) {
    case NPART__TERM_AND:
    case NPART__TERM_OR:
    case NPART__TERM_COMPARE:
    case NPART__TERM_ARITHMETIC:
    case NPART__TERM_FIRST:
    case NPART__TERM_REPEAT:
        left = operand_of(trial, term->left, operand);
        return left != NPART_NONE ? left : operand_of(trial, term->right, operand);
    case NPART__TERM_NOT:
    case NPART__TERM_IN:
    case NPART__TERM_EACH:
    case NPART__TERM_PRODUCT:
    case NPART__TERM_ROOT:
        return operand_of(trial, term->left, operand);
    case NPART__TERM_PREDICATE:
    case NPART__TERM_FUNCTION:
        if (term->selector == NPART_NONE ||
            (term->kind == NPART__TERM_FUNCTION && term->op == NPART__FUNCTION_COUNT))
            return NPART_NONE;
        return npart__operand_at(trial, npart__select_operands(trial, term->selector), operand);
    default:
        return NPART_NONE;
    }
}

/* Places are kept, not texts: most failures are never printed. The last one noted counts, so callers note only what
 * is worse than what they had. */
static void note_failure(struct npart__trial *trial, uint32_t term, struct npart__place place)
{
    trial->failure = (struct npart__failure){.term = term,
                                             .value = operand_of(trial, term, place.operand),
                                             .operand = place.operand,
                                             .element = place.element,
                                             .it = trial->it,
                                             .it_is_output = trial->it_is_output};
}

/* For `dim(*, 0) = 1` the outer loop goes over operands; for `attr(pads) = 0` the inner one over elements. The right
 * side is asked at the same place as the left. */
static enum npart__truth try_comparison(struct npart__trial *trial, uint32_t id)
{
    const struct npart__term *term = npart__term_at(trial, id);
    enum npart__truth truth = NPART__TRUE;
    /* Of `dim(A, 0) = dim(B, 0)` either side may name several operands or elements; the longer one sets the length. */
    uint32_t right = term->kind == NPART__TERM_COMPARE ? term->right : NPART_NONE;
    uint32_t operands = greater_of(npart__operand_count(trial, term->left), npart__operand_count(trial, right));
    for (struct npart__place place = {0, 0}; place.operand < operands; place.operand++) {
        uint32_t elements = greater_of(npart__element_count(trial, term->left, place.operand),
                                       npart__element_count(trial, right, place.operand));
        for (place.element = 0; place.element < elements; place.element++) {
            if (npart__is_late_at(trial->inference->arena, ++trial->steps))
                return NPART__MAYBE;
            struct npart__answer found = npart__answer_of(trial, term->left, place);
            enum npart__truth here =
                term->kind == NPART__TERM_IN
                    ? is_wanted_in(trial, found, term, place)
                    : compare(found, (enum npart__comparison_op)term->op, npart__answer_of(trial, term->right, place));
            if (here < truth) { /* rather what fails than what is unknown */
                truth = here;
                note_failure(trial, id, place);
            }
            if (truth == NPART__FALSE)
                return truth;
        }
    }
    return truth;
}

/* ---- predicates ------------------------------------------------------------------------------------------ */

/* Of every dim or of one. A dim that is a symbol is dynamic; bounded is also one that cannot be greater than some
 * number. That nothing is known of a rank is dynamic too where it was lost at an operator of the standard, since a
 * runtime would not know more; else it is unknown. An axis that the rank does not have is absent, and has nothing
 * against the question. Sequences and optionals have no shape that could be static. */
enum npart__truth npart__holds_static(const struct npart__asked *asked)
{
    const struct npart__trial *trial = asked->trial;
    const struct npart__term *term = asked->term;
    const struct npart__fact *fact = asked->fact;
    uint32_t axis;
    if (npart__is_static(fact))
        return NPART__TRUE;
    if (fact->has_rank && term->has_index) {
        bool holds = true;
        if (npart__normalize_axis(term->number, fact->rank, &axis))
            for (uint32_t last = term->to_last ? fact->rank - 1u : axis; axis <= last; axis++)
                holds = holds && npart__is_number(fact->dims[axis]);
        return npart__truth_of(holds);
    }
    if (fact->has_rank && term->op == NPART__PREDICATE_BOUNDED)
        return npart__truth_of(npart__is_bounded(&trial->inference->expressions, fact));
    if (fact->kind != NPART__TYPE_TENSOR && fact->kind != NPART__TYPE_SPARSE && fact->kind != NPART__TYPE_UNKNOWN)
        return NPART__MAYBE;
    if (fact->has_rank)
        return NPART__FALSE;
    /* An operator without a schema cannot be inferred here: what a runtime that has it knows is not known. */
    uint32_t node = npart__rank_lost_at(trial->inference, asked->value);
    return node == NPART_NONE || npart__node_at(trial->graph, node)->schema ? NPART__FALSE : NPART__MAYBE;
}

enum npart__truth npart__holds_bounded(const struct npart__asked *asked)
{
    return npart__holds_static(asked);
}

enum npart__truth npart__holds_present(const struct npart__asked *asked)
{
    return npart__truth_of(asked->value != NPART_NONE);
}

enum npart__truth npart__holds_const(const struct npart__asked *asked)
{
    return npart__truth_of(asked->trial->session->is_constant[asked->value]);
}

/* An overridable initializer is an input of the graph that has a default: no constant, since the caller may give
 * another. */
enum npart__truth npart__holds_initializer(const struct npart__asked *asked)
{
    npart__look_beyond(asked->trial);
    return npart__truth_of(asked->trial->session->is_constant[asked->value] ||
                           npart__value_at(asked->trial->graph, asked->value)->tensor);
}

/* What quantizes a constant again as it was gives the constant; ONNX Runtime takes both nodes away. Asked of QNN's
 * BatchNormalization, whose scales a quantizer writes so where several share them: 23 graphs. */
static uint32_t quantized_again(const struct npart__trial *trial, uint32_t value)
{
    const struct npart__graph *graph = trial->graph;
    uint32_t again = npart__producer(graph, value);
    if (!npart__plays(graph, again, NPART__ROLE_QUANTIZES))
        return value;
    npart__look_beyond(trial);
    const struct npart__node *quantizer = npart__node_at(graph, again);
    uint32_t from = npart__producer(graph, npart__node_input(graph, quantizer, 0));
    if (!npart__plays(graph, from, NPART__ROLE_DEQUANTIZES) ||
        !npart__undoes(trial->session, npart__node_at(graph, from), quantizer))
        return value;
    return npart__node_input(graph, npart__node_at(graph, from), 0);
}

/* A weight that is stored quantized: the DequantizeLinear that makes the operand takes a constant. */
enum npart__truth npart__holds_qconst(const struct npart__asked *asked)
{
    const bool *is_constant = asked->trial->session->is_constant;
    uint32_t stored = asked->is_output ? NPART_NONE
                                       : npart__quantizing_operand(asked->trial, asked->value, false, 0);
    if (stored != NPART_NONE)
        stored = quantized_again(asked->trial, stored);
    return npart__truth_of(is_constant[asked->value] || (stored != NPART_NONE && is_constant[stored]));
}

/* By value_info, an input's or an output's type; a rank is enough, as that is what builders look for. */
enum npart__truth npart__holds_declared(const struct npart__asked *asked)
{
    const struct npart__declared_type *declared = npart__value_at(asked->trial->graph, asked->value)->declared;
    return npart__truth_of(declared && declared->has_rank);
}

/* To the target's runtime, which may have inferred often enough for a wrong shape to be gone. */
enum npart__truth npart__holds_agreed(const struct npart__asked *asked)
{
    return npart__truth_of(!npart__disagrees(asked->trial->inference, asked->value));
}

/* Files before IR version 4 list their initializers among the inputs; these are constant all the same, and none. */
enum npart__truth npart__holds_graph_input(const struct npart__asked *asked)
{
    uint8_t kind = npart__value_at(asked->trial->graph, asked->value)->kind;
    return npart__truth_of(kind == NPART__VALUE_INPUT || kind == NPART__VALUE_OVERRIDABLE);
}

enum npart__truth npart__holds_graph_output(const struct npart__asked *asked)
{
    return npart__truth_of(npart__value_at(asked->trial->graph, asked->value)->is_graph_output);
}

/* By a node right beside it; a Reshape between the two hides it. */
enum npart__truth npart__holds_quantized(const struct npart__asked *asked)
{
    return npart__truth_of(npart__quantizing_node(asked->trial, asked->value, asked->is_output) != NPART_NONE);
}

/* All elements are equal. An empty tensor is uniform. Unknown of what is not constant or not read. NaN equals
 * nothing, itself included. */
enum npart__truth npart__holds_uniform(const struct npart__asked *asked)
{
    const struct npart__known *known = npart__elements(asked->trial->inference, asked->fact);
    if (!asked->trial->session->is_constant[asked->value] || !known)
        return NPART__MAYBE;
    for (uint32_t i = 1; i < known->count; i++)
        if (known->ints ? known->ints[i] != known->ints[0] : known->doubles[i] != known->doubles[0])
            return NPART__FALSE;
    return NPART__TRUE;
}

enum npart__truth npart__holds_known(const struct npart__asked *asked)
{
    return npart__truth_of(asked->trial->session->is_constant[asked->value] &&
                           npart__elements(asked->trial->inference, asked->fact) != NULL);
}

/* Elements 0, 1, 2, ... in the order of memory; those of a matrix also down its columns. Down the columns: the
 * element of row r and column c is c * rows + r, which is what a Gather of patches has where an image is put
 * together (hexagon's fusions through rank 6). */
enum npart__truth npart__holds_counts_up(const struct npart__asked *asked)
{
    struct npart__fact *fact = asked->fact;
    const struct npart__known *known = npart__elements(asked->trial->inference, fact);
    if (!asked->trial->session->is_constant[asked->value] || !known)
        return NPART__MAYBE;
    if (!known->ints)
        return NPART__FALSE;
    bool is_matrix = fact->has_rank && fact->rank == 2 && npart__is_number(fact->dims[1]) && fact->dims[1] > 0;
    /* Beside an axis of size 0 the other may be longer than any tensor. */
    uint64_t columns = is_matrix ? (uint64_t)fact->dims[1] : 1, rows = known->count / columns;
    bool by_rows = true, by_columns = is_matrix;
    for (uint32_t i = 0; i < known->count; i++) {
        by_rows = by_rows && known->ints[i] == (int64_t)i;
        by_columns = by_columns && known->ints[i] == (int64_t)(i % columns * rows + i / columns);
    }
    return npart__truth_of(by_rows || by_columns);
}

/* What the runtime quantizes by itself it does where it moves QuantizeLinear nodes. */
enum npart__truth npart__holds_requantizes(const struct npart__asked *asked)
{
    return npart__truth_of(asked->trial->session->moves_quantizers);
}

/* A body that captures constants alone needs nothing of the graph around it. */
enum npart__truth npart__holds_captures(const struct npart__asked *asked)
{
    const struct npart__trial *trial = asked->trial;
    for (uint32_t i = 0; i < trial->node->capture_count && !npart__is_late_at(trial->inference->arena, i); i++) {
        uint32_t value = trial->graph->operands.items[trial->node->first_capture + i];
        if (value != NPART_NONE && !trial->session->is_constant[value])
            return NPART__TRUE;
    }
    return NPART__FALSE;
}

enum npart__truth npart__holds_has(const struct npart__asked *asked)
{
    return npart__truth_of(npart__node_attribute(asked->trial->graph, asked->trial->node, asked->term->word) != NULL);
}

/* An equation of Einsum; one that the file leaves out for its length counts as having none. An attribute of
 * another type has none either; the runtime would not load it. */
enum npart__truth npart__holds_ellipsis(const struct npart__asked *asked)
{
    const struct npart__attribute *attribute =
        npart__node_attribute(asked->trial->graph, asked->trial->node, asked->term->word);
    bool is_text = attribute && attribute->type == NPART_ATTRIBUTE_STRING && !attribute->is_elided;
    /* An equation has no other dots. */
    return npart__truth_of(is_text && memchr(attribute->u.s, '.', attribute->count));
}

enum npart__truth npart__holds_switch(const struct npart__asked *asked)
{
    return npart__truth_of(asked->trial->target->switches >> asked->term->number & 1);
}

/* A variant that is `like` another has all that is said of that one. */
enum npart__truth npart__holds_variant(const struct npart__asked *asked)
{
    const struct npart__target *target = asked->trial->target;
    uint32_t wanted = (uint32_t)asked->term->number;
    return npart__truth_of(target->variant == wanted || npart__target_like(target) == wanted);
}

/* Of each operand that the selector names: the first that does not hold decides and is what is told, so a condition
 * names the operand at fault. A selector that finds no operand is asked once, of none, so that `const(W)` of a node
 * without W is an answer and not a crash; so is what is about no operand. What is absent has nothing against any
 * predicate but `present`. */
static enum npart__truth try_predicate(struct npart__trial *trial, uint32_t id)
{
    static enum npart__truth (*const predicates[])(const struct npart__asked *asked) = {
#define PREDICATE(id, word, argument, about, adjective) npart__holds_##word,
#include "oplist/questions.def"
    };
    const struct npart__term *term = npart__term_at(trial, id);
    bool is_of_operands = term->selector != NPART_NONE;
    struct npart__operands operands =
        is_of_operands ? npart__select_operands(trial, term->selector) : (struct npart__operands){.count = 1};
    const uint32_t count = operands.count ? operands.count : 1;
    enum npart__truth truth = NPART__TRUE;
    for (struct npart__place place = {0, 0}; place.operand < count && truth != NPART__FALSE;
         place.operand++) {
        if (npart__is_late_at(trial->inference->arena, ++trial->steps))
            return NPART__MAYBE;
        struct npart__asked asked = npart__ask(trial, term, operands, place);
        bool is_absent = is_of_operands && asked.value == NPART_NONE && term->op != NPART__PREDICATE_PRESENT;
        enum npart__truth here = is_absent ? NPART__TRUE : predicates[term->op](&asked);
        if (here < truth) {
            truth = here;
            note_failure(trial, id, place);
        }
    }
    return truth;
}

/* Both parts are tried; what decided is what failed, the first part's before the second's. The second part is not
 * asked where the first decides: `false and ...`, `true or ...`. `or` with an unknown first part goes on: the
 * second may hold. */
static enum npart__truth try_two(struct npart__trial *trial, const struct npart__term *term)
{
    bool is_and = term->kind == NPART__TERM_AND;
    enum npart__truth decided = is_and ? NPART__FALSE : NPART__TRUE, left = npart__try(trial, term->left);
    if (left == decided)
        return left;
    struct npart__failure first = trial->failure;
    enum npart__truth right = npart__try(trial, term->right), whole = is_and ? both(left, right) : either(left, right);
    if (whole == left && left != NPART__TRUE)
        trial->failure = first;
    return whole;
}

/* The condition for every operand that is there; what fails for one decides, before what cannot be told. The
 * operand of an outer each() is put back, as they may stand in one another. Of no operand at all it holds. */
static enum npart__truth try_each(struct npart__trial *trial, const struct npart__term *term)
{
    struct npart__operands operands = npart__select_operands(trial, term->selector);
    enum npart__truth truth = NPART__TRUE;
    struct npart__failure failure = NPART__NO_FAILURE;
    const uint32_t outer = trial->it;
    const bool outer_is_output = trial->it_is_output;
    for (uint32_t i = 0; i < operands.count && truth != NPART__FALSE; i++) {
        uint32_t it = npart__operand_at(trial, operands, i);
        if (it == NPART_NONE)
            continue;
        trial->it = it;
        trial->it_is_output = npart__is_output_operand(trial, operands, i);
        trial->failure = NPART__NO_FAILURE;
        enum npart__truth here = npart__try(trial, term->left);
        if (here >= truth)
            continue;
        truth = here;
        failure = trial->failure;
    }
    trial->it = outer;
    trial->it_is_output = outer_is_output;
    if (truth != NPART__TRUE)
        trial->failure = failure;
    return truth;
}

/* Recursive in the depth of a condition, which the reader of lists limits (lib/target/oplist). The failure that is left
 * in the trial is that of the part which decided; where the whole holds, what is left there means nothing. */
enum npart__truth npart__try(struct npart__trial *trial, uint32_t id)
{
    const struct npart__term *term = npart__term_at(trial, id);
    enum npart__truth inner;
    switch ((enum npart__term_kind)term->kind) {
    case NPART__TERM_AND:
    case NPART__TERM_OR:
        return try_two(trial, term);
    case NPART__TERM_NOT:
        inner = npart__try(trial, term->left);
        if (inner == NPART__TRUE) /* nothing inside failed, so its first operand stands for all */
            note_failure(trial, id, (struct npart__place){0, 0});
        return inner == NPART__MAYBE ? inner : inner == NPART__TRUE ? NPART__FALSE : NPART__TRUE;
    case NPART__TERM_PREDICATE:
        return try_predicate(trial, id);
    case NPART__TERM_EACH:
        return try_each(trial, term);
    default:
        return try_comparison(trial, id);
    }
}
