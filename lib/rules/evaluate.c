/* SPDX-License-Identifier: Apache-2.0
 *
 * Three-valued evaluation. A comparison is asked of every operand that its selector names and of every element of a
 * list attribute or constant, and must hold for each; what is absent has nothing against it.
 */
#include <stdlib.h>

#include "rules/evaluate.h"

enum answer_kind { ANSWER_ABSENT, ANSWER_UNKNOWN, ANSWER_NUMBER, ANSWER_TYPE, ANSWER_WORD };

struct answer {
    uint8_t kind;
    bool is_real; /* a number with a fraction, or from a float */
    int64_t number;   /* of a type, and of a word that names one, the element type */
    double real;
    const char *word; /* `length` bytes */
    size_t length;
};

/* Where the loops of a comparison stand. */
struct place {
    uint32_t operand, element;
};

void npart__trial_init(struct npart__trial *trial, const struct npart__target *target,
                       struct npart__inference *inference, const struct npart__fold *fold, uint32_t node)
{
    *trial = (struct npart__trial){
        .target = target,
        .oplist = target->oplist,
        .inference = inference,
        .graph = inference->graph,
        .fold = fold,
        .node = &inference->graph->nodes.items[node],
        .failure = NPART__NO_FAILURE,
    };
}

static const struct npart__term *term_at(const struct npart__trial *trial, uint32_t term)
{
    return &trial->oplist->terms.items[term];
}

/* ---- operands -------------------------------------------------------------------------------------------- */

/* The operands from *first on, on one side or, for `*`, on both. */
struct operands {
    uint32_t first, count;
    bool is_output, is_both, is_name; /* is_name: of a pattern, `first` of its names */
};

static struct operands select_operands(const struct npart__trial *trial, uint32_t selector)
{
    const struct npart__selector *at = &trial->oplist->selectors.items[selector];
    uint32_t inputs = trial->node->input_count, outputs = trial->node->output_count;
    switch ((enum npart__selector_kind)at->kind) {
    case NPART__SELECT_ALL:
        return (struct operands){.count = inputs + outputs, .is_both = true};
    case NPART__SELECT_INPUTS:
        return (struct operands){.count = inputs};
    case NPART__SELECT_OUTPUTS:
        return (struct operands){.count = outputs, .is_output = true};
    case NPART__SELECT_NAME:
        return (struct operands){.first = (uint32_t)at->versions[0].index, .count = 1, .is_name = true};
    case NPART__SELECT_ONE:
        break;
    }
    int32_t since = trial->node->schema ? trial->node->schema->since : INT32_MAX;
    uint32_t version = at->version_count;
    while (version > 1 && at->versions[version - 1].since > since)
        version--;
    if (version == 0 || at->versions[version - 1].index < 0)
        return (struct operands){.count = 0};
    uint32_t index = (uint32_t)at->versions[version - 1].index, available;
    bool is_output = at->versions[version - 1].is_output;
    available = is_output ? outputs : inputs;
    bool is_variadic = at->versions[version - 1].is_variadic;
    return (struct operands){.first = index,
                             .count = index >= available ? 0 : is_variadic ? available - index : 1,
                             .is_output = is_output};
}

/* The operand's value id, what stands for it once folded nodes are gone; NPART_NONE when it is absent. */
static uint32_t operand_at(const struct npart__trial *trial, struct operands operands, uint32_t index)
{
    if (index >= operands.count)
        return NPART_NONE;
    if (operands.is_name)
        return trial->names ? trial->names[operands.first] : NPART_NONE;
    index += operands.first;
    bool is_output = operands.is_output;
    if (operands.is_both && index >= trial->node->input_count) {
        is_output = true;
        index -= trial->node->input_count;
    }
    if (is_output)
        return npart__node_output(trial->graph, trial->node, index);
    uint32_t value = npart__node_input(trial->graph, trial->node, index);
    return value == NPART_NONE ? value : trial->fold->stands_for[value];
}

static bool is_output_operand(const struct npart__trial *trial, struct operands operands, uint32_t index)
{
    return operands.is_output || (operands.is_both && operands.first + index >= trial->node->input_count);
}

/* ---- answers --------------------------------------------------------------------------------------------- */

static struct answer unknown_answer(void)
{
    return (struct answer){.kind = ANSWER_UNKNOWN};
}

static struct answer absent_answer(void)
{
    return (struct answer){.kind = ANSWER_ABSENT};
}

static struct answer number_answer(int64_t number)
{
    return (struct answer){.kind = ANSWER_NUMBER, .number = number, .real = (double)number};
}

static struct answer real_answer(double real)
{
    return (struct answer){.kind = ANSWER_NUMBER, .is_real = true, .real = real};
}

static struct answer word_answer(const char *word, size_t length)
{
    return (struct answer){.kind = ANSWER_WORD, .word = word, .length = length};
}

static struct answer dim_answer(int64_t dim)
{
    return npart__is_number(dim) ? number_answer(dim) : unknown_answer();
}

static const char *producer_word(const struct npart__trial *trial, uint32_t value)
{
    uint32_t producer = trial->graph->values.items[value].producer;
    return producer == NPART_NONE ? "none" : npart__node_op(trial->graph, &trial->graph->nodes.items[producer]);
}

static struct answer qdtype_answer(const struct npart__trial *trial, uint32_t value, bool is_output)
{
    const struct npart__graph *graph = trial->graph;
    const struct npart__value *at = &graph->values.items[value];
    uint32_t quantized = value;
    if (!is_output && at->producer != NPART_NONE && strcmp(producer_word(trial, value), "DequantizeLinear") == 0)
        quantized = npart__node_input(graph, &graph->nodes.items[at->producer], 0);
    for (uint32_t i = 0; is_output && i < at->consumer_count; i++) {
        const struct npart__node *consumer = &graph->nodes.items[graph->consumers[at->first_consumer + i]];
        if (strcmp(npart__node_op(graph, consumer), "QuantizeLinear") == 0)
            quantized = npart__node_output(graph, consumer, 0);
    }
    int type = quantized == NPART_NONE ? 0 : npart__fact_of(trial->inference, quantized)->element_type;
    return type ? (struct answer){.kind = ANSWER_TYPE, .number = type} : unknown_answer();
}

static struct answer element_answer(const struct npart__trial *trial, uint32_t value, uint32_t element)
{
    const struct npart__known *known = npart__elements(trial->inference, &trial->inference->facts[value]);
    if (!trial->fold->is_constant[value] || !known)
        return unknown_answer();
    if (element >= known->count)
        return absent_answer();
    return known->ints ? dim_answer(known->ints[element]) : real_answer(known->doubles[element]);
}

static struct answer consumer_answer(const struct npart__trial *trial, uint32_t value, uint32_t element)
{
    const struct npart__value *at = &trial->graph->values.items[value];
    if (element >= at->consumer_count)
        return at->consumer_count ? absent_answer() : word_answer("none", 4);
    uint32_t node = trial->graph->consumers[at->first_consumer + element];
    const char *op = npart__node_op(trial->graph, &trial->graph->nodes.items[node]);
    return word_answer(op, strlen(op));
}

static struct answer default_answer(const struct npart__term *term)
{
    if (!term->fallback)
        return absent_answer();
    switch (term->attribute_kind) {
    case 'i':
        return number_answer(strtoll(term->fallback, NULL, 10));
    case 'f':
        return real_answer(npart__read_decimal(term->fallback));
    case 's':
        return word_answer(term->fallback, strlen(term->fallback));
    default:
        return absent_answer();
    }
}

static struct answer attribute_answer(const struct npart__trial *trial, const struct npart__term *term,
                                      uint32_t element)
{
    const struct npart__attribute *attribute = npart__node_attribute(trial->graph, trial->node, term->word);
    size_t length;
    if (!attribute)
        return element ? absent_answer() : default_answer(term);
    if (attribute->is_elided)
        return unknown_answer();
    switch (attribute->type) {
    case 1:
        return real_answer((double)attribute->u.f);
    case 2:
        return number_answer(attribute->u.i);
    case 3:
        return word_answer(attribute->u.s, attribute->count);
    case 6:
        return element < attribute->count ? real_answer((double)attribute->u.floats[element]) : absent_answer();
    case 7:
        return element < attribute->count ? number_answer(attribute->u.ints[element]) : absent_answer();
    case 8:
        if (element >= attribute->count)
            return absent_answer();
        const char *text = npart__attribute_string(attribute, element, &length);
        return word_answer(text, length);
    default:
        return unknown_answer();
    }
}

static struct answer operand_answer(const struct npart__trial *trial, const struct npart__term *term,
                                    struct place place)
{
    struct operands operands = select_operands(trial, term->selector);
    uint32_t value = operand_at(trial, operands, place.operand);
    uint64_t elements;
    uint32_t axis;
    if (value == NPART_NONE)
        return absent_answer();
    const struct npart__fact *fact = npart__fact_of(trial->inference, value);
    switch ((enum npart__function)term->op) {
    case NPART__FUNCTION_DTYPE:
        return fact->element_type ? (struct answer){.kind = ANSWER_TYPE, .number = fact->element_type}
                                  : unknown_answer();
    case NPART__FUNCTION_QDTYPE:
        return qdtype_answer(trial, value, is_output_operand(trial, operands, place.operand));
    case NPART__FUNCTION_RANK:
        return fact->has_rank ? number_answer(fact->rank) : unknown_answer();
    case NPART__FUNCTION_DIM:
        if (!fact->has_rank)
            return unknown_answer();
        return npart__normalize_axis(term->number, fact->rank, &axis) ? dim_answer(fact->dims[axis])
                                                                      : absent_answer();
    case NPART__FUNCTION_NUMEL:
        return npart__static_elements(fact, &elements) && elements <= INT64_MAX ? number_answer((int64_t)elements)
                                                                                : unknown_answer();
    case NPART__FUNCTION_VALUE:
        return element_answer(trial, value, place.element);
    case NPART__FUNCTION_PRODUCER:
        return word_answer(producer_word(trial, value), strlen(producer_word(trial, value)));
    case NPART__FUNCTION_CONSUMERS:
        return consumer_answer(trial, value, place.element);
    default:
        return unknown_answer();
    }
}

static struct answer count_answer(const struct npart__trial *trial, const struct npart__term *term)
{
    struct operands operands = select_operands(trial, term->selector);
    int64_t present = 0;
    for (uint32_t i = 0; i < operands.count; i++)
        present += operand_at(trial, operands, i) != NPART_NONE;
    return number_answer(present);
}

static struct answer length_answer(const struct npart__trial *trial, const struct npart__term *term)
{
    const struct npart__attribute *attribute = npart__node_attribute(trial->graph, trial->node, term->word);
    return attribute ? number_answer(attribute->count) : absent_answer();
}

static struct answer function_answer(const struct npart__trial *trial, const struct npart__term *term,
                                     struct place place)
{
    switch ((enum npart__function)term->op) {
    case NPART__FUNCTION_ATTR:
        return attribute_answer(trial, term, place.element);
    case NPART__FUNCTION_LENGTH:
        return length_answer(trial, term);
    case NPART__FUNCTION_COUNT:
        return count_answer(trial, term);
    case NPART__FUNCTION_OPSET:
        return trial->node->opset_version ? number_answer(trial->node->opset_version) : unknown_answer();
    case NPART__FUNCTION_OP: {
        const char *op = npart__node_op(trial->graph, trial->node);
        return word_answer(op, strlen(op));
    }
    default:
        return operand_answer(trial, term, place);
    }
}

/* ---- arithmetic ------------------------------------------------------------------------------------------ */

static struct answer answer_of(const struct npart__trial *trial, uint32_t term, struct place place);

static struct answer calculate(char op, struct answer a, struct answer b)
{
    int64_t result;
    bool fits = false;
    if (a.kind == ANSWER_ABSENT || b.kind == ANSWER_ABSENT)
        return absent_answer();
    if (a.kind != ANSWER_NUMBER || b.kind != ANSWER_NUMBER)
        return unknown_answer();
    if (a.is_real || b.is_real) {
        if (op == '%' || (op == '/' && b.real == 0))
            return unknown_answer();
        return real_answer(op == '+' ? a.real + b.real
                           : op == '-' ? a.real - b.real
                           : op == '*' ? a.real * b.real
                                       : a.real / b.real);
    }
    switch (op) {
    case '+':
        fits = npart__add_int64(a.number, b.number, &result);
        break;
    case '-':
        fits = npart__subtract_int64(a.number, b.number, &result);
        break;
    case '*':
        fits = npart__multiply_int64(a.number, b.number, &result);
        break;
    case '/':
        fits = npart__floor_divide_int64(a.number, b.number, &result);
        break;
    default:
        fits = npart__floor_divide_int64(a.number, b.number, &result);
        result = fits ? a.number - result * b.number : 0;
        break;
    }
    return fits ? number_answer(result) : unknown_answer();
}

static struct answer answer_of(const struct npart__trial *trial, uint32_t id, struct place place)
{
    const struct npart__term *term = term_at(trial, id);
    switch ((enum npart__term_kind)term->kind) {
    case NPART__TERM_NUMBER:
        return term->op ? real_answer(term->real) : number_answer(term->number);
    case NPART__TERM_WORD:
        return (struct answer){.kind = ANSWER_WORD, .word = term->word, .length = strlen(term->word),
                               .number = term->element_type};
    case NPART__TERM_ARITHMETIC:
        return calculate((char)term->op, answer_of(trial, term->left, place), answer_of(trial, term->right, place));
    default:
        return function_answer(trial, term, place);
    }
}

/* ---- comparing ------------------------------------------------------------------------------------------- */

/* Less than, equal to, or greater than 0; of words only equality means something. */
static int order_of(struct answer a, struct answer b)
{
    if (a.kind == ANSWER_NUMBER && b.kind == ANSWER_NUMBER) {
        if (a.is_real || b.is_real) /* a float attribute of 0.1 is meant to equal 0.1 */
            return (float)a.real < (float)b.real ? -1 : (float)a.real > (float)b.real;
        return a.number < b.number ? -1 : a.number > b.number;
    }
    if (a.kind == ANSWER_WORD && b.kind == ANSWER_WORD)
        return a.length == b.length && memcmp(a.word, b.word, a.length) == 0 ? 0 : 1;
    if (a.kind == ANSWER_TYPE || b.kind == ANSWER_TYPE) { /* a word that names no type has 0 */
        bool may_equal = a.kind != ANSWER_NUMBER && b.kind != ANSWER_NUMBER;
        return may_equal && a.number == b.number ? 0 : 1;
    }
    return 1; /* a word and a number are not equal */
}

static enum npart__truth compare(struct answer a, enum npart__comparison_op op, struct answer b)
{
    if (a.kind == ANSWER_ABSENT || b.kind == ANSWER_ABSENT)
        return NPART__TRUE;
    if (a.kind == ANSWER_UNKNOWN || b.kind == ANSWER_UNKNOWN)
        return NPART__MAYBE;
    int order = order_of(a, b);
    const bool holds[] = {[NPART__EQUAL] = order == 0,        [NPART__NOT_EQUAL] = order != 0,
                          [NPART__LESS] = order < 0,          [NPART__LESS_EQUAL] = order <= 0,
                          [NPART__GREATER] = order > 0,       [NPART__GREATER_EQUAL] = order >= 0};
    return holds[op] ? NPART__TRUE : NPART__FALSE;
}

static enum npart__truth both(enum npart__truth a, enum npart__truth b)
{
    return a < b ? a : b;
}

static enum npart__truth either(enum npart__truth a, enum npart__truth b)
{
    return a > b ? a : b;
}

static enum npart__truth is_in(const struct npart__trial *trial, struct answer found, uint32_t item,
                               struct place place)
{
    enum npart__truth truth = NPART__FALSE;
    if (found.kind == ANSWER_ABSENT)
        return NPART__TRUE;
    for (; item != NPART_NONE; item = term_at(trial, item)->next) {
        const struct npart__term *at = term_at(trial, item);
        enum npart__truth here = NPART__TRUE;
        if (!at->op) {
            here = compare(found, NPART__EQUAL, answer_of(trial, at->left, place));
        } else {
            if (at->left != NPART_NONE)
                here = both(here, compare(found, NPART__GREATER_EQUAL, answer_of(trial, at->left, place)));
            if (at->right != NPART_NONE)
                here = both(here, compare(found, NPART__LESS_EQUAL, answer_of(trial, at->right, place)));
        }
        truth = either(truth, here);
    }
    return truth;
}

/* ---- loops ----------------------------------------------------------------------------------------------- */

/* How many operands the first selector of an expression names: all of its selectors are asked in step. */
static uint32_t operand_count(const struct npart__trial *trial, uint32_t id)
{
    const struct npart__term *term = id == NPART_NONE ? NULL : term_at(trial, id);
    if (!term)
        return 1;
    if (term->kind == NPART__TERM_ARITHMETIC) {
        uint32_t left = operand_count(trial, term->left), right = operand_count(trial, term->right);
        return left > right ? left : right;
    }
    if (term->kind != NPART__TERM_FUNCTION || term->selector == NPART_NONE || term->op == NPART__FUNCTION_COUNT)
        return 1;
    uint32_t count = select_operands(trial, term->selector).count;
    return count ? count : 1;
}

static uint32_t element_count(const struct npart__trial *trial, uint32_t id, uint32_t operand)
{
    const struct npart__term *term = term_at(trial, id);
    if (term->kind == NPART__TERM_ARITHMETIC) {
        uint32_t left = element_count(trial, term->left, operand), right = element_count(trial, term->right, operand);
        return left > right ? left : right;
    }
    if (term->kind != NPART__TERM_FUNCTION)
        return 1;
    if (term->op == NPART__FUNCTION_ATTR) {
        const struct npart__attribute *attribute = npart__node_attribute(trial->graph, trial->node, term->word);
        bool is_list = attribute && attribute->type >= 6 && attribute->type <= 8;
        return is_list && attribute->count ? attribute->count : 1;
    }
    if (term->op != NPART__FUNCTION_VALUE && term->op != NPART__FUNCTION_CONSUMERS)
        return 1;
    uint32_t value = operand_at(trial, select_operands(trial, term->selector), operand);
    if (value == NPART_NONE)
        return 1;
    if (term->op == NPART__FUNCTION_CONSUMERS)
        return trial->graph->values.items[value].consumer_count ? trial->graph->values.items[value].consumer_count : 1;
    const struct npart__known *known = npart__elements(trial->inference, &trial->inference->facts[value]);
    return known && known->count ? known->count : 1;
}

/* The first operand that a failed condition is about, for the report. */
static uint32_t operand_of(const struct npart__trial *trial, uint32_t id, uint32_t operand)
{
    const struct npart__term *term = id == NPART_NONE ? NULL : term_at(trial, id);
    uint32_t left;
    if (!term)
        return NPART_NONE;
    switch ((enum npart__term_kind)term->kind) {
    case NPART__TERM_AND:
    case NPART__TERM_OR:
    case NPART__TERM_COMPARE:
    case NPART__TERM_ARITHMETIC:
        left = operand_of(trial, term->left, operand);
        return left != NPART_NONE ? left : operand_of(trial, term->right, operand);
    case NPART__TERM_NOT:
    case NPART__TERM_IN:
        return operand_of(trial, term->left, operand);
    case NPART__TERM_PREDICATE:
    case NPART__TERM_FUNCTION:
        if (term->selector == NPART_NONE ||
            (term->kind == NPART__TERM_FUNCTION && term->op == NPART__FUNCTION_COUNT))
            return NPART_NONE;
        return operand_at(trial, select_operands(trial, term->selector), operand);
    default:
        return NPART_NONE;
    }
}

static void note_failure(struct npart__trial *trial, uint32_t term, struct place place)
{
    trial->failure = (struct npart__failure){.term = term,
                                             .value = operand_of(trial, term, place.operand),
                                             .operand = place.operand,
                                             .element = place.element};
}

static enum npart__truth try_comparison(struct npart__trial *trial, uint32_t id)
{
    const struct npart__term *term = term_at(trial, id);
    enum npart__truth truth = NPART__TRUE;
    uint32_t operands = operand_count(trial, term->left);
    if (term->kind == NPART__TERM_COMPARE && operand_count(trial, term->right) > operands)
        operands = operand_count(trial, term->right);
    for (struct place place = {0, 0}; place.operand < operands; place.operand++) {
        uint32_t elements = element_count(trial, term->left, place.operand);
        for (place.element = 0; place.element < elements; place.element++) {
            struct answer found = answer_of(trial, term->left, place);
            enum npart__truth here =
                term->kind == NPART__TERM_IN
                    ? is_in(trial, found, term->right, place)
                    : compare(found, (enum npart__comparison_op)term->op, answer_of(trial, term->right, place));
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

/* A dim that is a symbol is dynamic. That nothing is known of a rank is dynamic too where it was lost at an operator
 * of the standard, since a runtime would not know more; else it is unknown. */
static enum npart__truth is_static(const struct npart__trial *trial, uint32_t value)
{
    const struct npart__fact *fact = npart__fact_of(trial->inference, value);
    if (npart__is_static(fact))
        return NPART__TRUE;
    if (fact->kind != NPART__TYPE_TENSOR && fact->kind != NPART__TYPE_SPARSE)
        return NPART__MAYBE;
    if (fact->has_rank)
        return NPART__FALSE;
    uint32_t node = npart__rank_lost_at(trial->inference, value);
    return node == NPART_NONE || trial->graph->nodes.items[node].schema ? NPART__FALSE : NPART__MAYBE;
}

static bool is_quantized(const struct npart__trial *trial, uint32_t value, bool is_output)
{
    const struct npart__value *at = &trial->graph->values.items[value];
    if (!is_output)
        return strcmp(producer_word(trial, value), "DequantizeLinear") == 0;
    for (uint32_t i = 0; i < at->consumer_count; i++) {
        const struct npart__node *consumer =
            &trial->graph->nodes.items[trial->graph->consumers[at->first_consumer + i]];
        if (strcmp(npart__node_op(trial->graph, consumer), "QuantizeLinear") == 0)
            return true;
    }
    return false;
}

static enum npart__truth from_bool(bool holds)
{
    return holds ? NPART__TRUE : NPART__FALSE;
}

static enum npart__truth try_operand(const struct npart__trial *trial, const struct npart__term *term, uint32_t value,
                                     bool is_output)
{
    if (term->op == NPART__PREDICATE_PRESENT)
        return from_bool(value != NPART_NONE);
    if (value == NPART_NONE)
        return NPART__TRUE;
    switch ((enum npart__predicate)term->op) {
    case NPART__PREDICATE_STATIC:
        return is_static(trial, value);
    case NPART__PREDICATE_CONST:
        return from_bool(trial->fold->is_constant[value]);
    case NPART__PREDICATE_QUANTIZED:
        return from_bool(is_quantized(trial, value, is_output));
    case NPART__PREDICATE_GRAPH_INPUT:
        return from_bool(trial->graph->values.items[value].kind == NPART__VALUE_INPUT ||
                         trial->graph->values.items[value].kind == NPART__VALUE_OVERRIDABLE);
    case NPART__PREDICATE_GRAPH_OUTPUT:
        return from_bool(trial->graph->values.items[value].is_graph_output);
    default:
        return NPART__MAYBE;
    }
}

static enum npart__truth try_predicate(struct npart__trial *trial, uint32_t id)
{
    const struct npart__term *term = term_at(trial, id);
    enum npart__truth truth = NPART__TRUE;
    struct place place = {0, 0};
    switch ((enum npart__predicate)term->op) {
    case NPART__PREDICATE_HAS:
        truth = from_bool(npart__node_attribute(trial->graph, trial->node, term->word) != NULL);
        break;
    case NPART__PREDICATE_SWITCH:
        truth = from_bool(trial->target->switches >> term->number & 1);
        break;
    case NPART__PREDICATE_VARIANT: {
        uint32_t variant = trial->target->variant, wanted = (uint32_t)term->number;
        truth = from_bool(variant != NPART_NONE && (variant == wanted ||
                                                    trial->oplist->variants.items[variant].like == wanted));
        break;
    }
    default: {
        struct operands operands = select_operands(trial, term->selector);
        uint32_t count = operands.count ? operands.count : 1;
        for (; place.operand < count && truth != NPART__FALSE; place.operand++) {
            uint32_t value = operand_at(trial, operands, place.operand);
            enum npart__truth here =
                try_operand(trial, term, value, is_output_operand(trial, operands, place.operand));
            if (here < truth) {
                truth = here;
                note_failure(trial, id, place);
            }
        }
        return truth;
    }
    }
    if (truth != NPART__TRUE)
        note_failure(trial, id, place);
    return truth;
}

/* Both parts are tried; what decided is what failed, the first part's before the second's. */
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

enum npart__truth npart__try(struct npart__trial *trial, uint32_t id)
{
    const struct npart__term *term = term_at(trial, id);
    enum npart__truth inner;
    switch ((enum npart__term_kind)term->kind) {
    case NPART__TERM_AND:
    case NPART__TERM_OR:
        return try_two(trial, term);
    case NPART__TERM_NOT:
        inner = npart__try(trial, term->left);
        if (inner == NPART__TRUE) /* nothing inside failed, so its first operand stands for all */
            note_failure(trial, id, (struct place){0, 0});
        return inner == NPART__MAYBE ? inner : inner == NPART__TRUE ? NPART__FALSE : NPART__TRUE;
    case NPART__TERM_PREDICATE:
        return try_predicate(trial, id);
    default:
        return try_comparison(trial, id);
    }
}

/* ---- what was found -------------------------------------------------------------------------------------- */

static void append_answer(struct npart__buffer *out, struct answer answer)
{
    switch ((enum answer_kind)answer.kind) {
    case ANSWER_NUMBER:
        if (answer.is_real)
            npart__append_fixed(out, answer.real, 4);
        else
            npart__append_int64(out, answer.number);
        break;
    case ANSWER_TYPE:
        npart__append_text(out, npart__type_name((int)answer.number));
        break;
    case ANSWER_WORD:
        npart__append(out, answer.word, answer.length);
        break;
    default:
        npart__append_text(out, "unknown");
        break;
    }
}

static void append_operand(const struct npart__trial *trial, uint32_t value, struct npart__buffer *out)
{
    const struct npart__value *at = &trial->graph->values.items[value];
    npart__append_text(out, npart__value_name(trial->graph, value));
    npart__append_text(out, " ");
    npart__append_fact(out, &trial->inference->expressions, npart__fact_of(trial->inference, value));
    if (at->producer != NPART_NONE) {
        npart__append_text(out, " from ");
        npart__append_text(out, producer_word(trial, value));
    }
}

/* `holds`: the comparison came out true where it should not. */
static void append_found_comparison(const struct npart__trial *trial, const struct npart__term *term, bool holds,
                                    struct npart__buffer *out)
{
    static const char *const relations[] = {[NPART__EQUAL] = " is ",       [NPART__NOT_EQUAL] = " is not ",
                                            [NPART__LESS] = " < ",         [NPART__LESS_EQUAL] = " <= ",
                                            [NPART__GREATER] = " > ",      [NPART__GREATER_EQUAL] = " >= "};
    static const uint8_t opposites[] = {[NPART__EQUAL] = NPART__NOT_EQUAL,  [NPART__NOT_EQUAL] = NPART__EQUAL,
                                        [NPART__LESS] = NPART__GREATER_EQUAL, [NPART__LESS_EQUAL] = NPART__GREATER,
                                        [NPART__GREATER] = NPART__LESS_EQUAL, [NPART__GREATER_EQUAL] = NPART__LESS};
    struct place place = {trial->failure.operand, trial->failure.element};
    const struct npart__term *asked = term_at(trial, term->left);
    npart__append_term(trial->oplist, term->left, out);
    npart__append_text(out, " ");
    append_answer(out, answer_of(trial, term->left, place));
    if (term->kind == NPART__TERM_IN) {
        npart__append_text(out, holds ? " is in " : " is not in ");
        for (uint32_t item = term->right; item != NPART_NONE; item = term_at(trial, item)->next) {
            npart__append_text(out, item == term->right ? "" : " ");
            npart__append_term(trial->oplist, item, out);
        }
        return;
    }
    npart__append_text(out, relations[holds ? term->op : opposites[term->op]]);
    struct answer limit = answer_of(trial, term->right, place);
    append_answer(out, limit);
    if (term_at(trial, term->right)->kind != NPART__TERM_NUMBER && limit.kind == ANSWER_NUMBER &&
        asked->kind != NPART__TERM_NUMBER) {
        npart__append_text(out, " = ");
        npart__append_term(trial->oplist, term->right, out);
    }
}

void npart__append_found(struct npart__trial *trial, struct npart__buffer *out)
{
    if (trial->failure.term == NPART_NONE)
        return;
    const struct npart__term *term = term_at(trial, trial->failure.term);
    bool is_negated = term->kind == NPART__TERM_NOT;
    if (is_negated)
        term = term_at(trial, term->left);
    if (term->kind == NPART__TERM_COMPARE || term->kind == NPART__TERM_IN) {
        append_found_comparison(trial, term, is_negated, out);
    } else {
        npart__append_text(out, is_negated ? "" : "not ");
        npart__append_term(trial->oplist, (uint32_t)(term - trial->oplist->terms.items), out);
    }
    if (trial->failure.value != NPART_NONE) {
        npart__append_text(out, ": ");
        append_operand(trial, trial->failure.value, out);
    }
}
