/* SPDX-License-Identifier: Apache-2.0
 *
 * What a question about a node is answered: a number, a type, a word, nothing to say, or not known.
 *
 * ABSENT and UNKNOWN are two things. An optional operand that is left out, or an axis that a rank does not have, is
 * absent: no requirement about it can be broken. A dim that is a symbol, or an element that the file does not tell, is
 * unknown: the requirement may be broken.
 */
#include <stdio.h>
#include <stdlib.h>

#include <math.h>

#include "judge/answer.h"
#include "compiled/compiled.h"

/* Of a pattern's match the caller sets `names`, of a question within a question `is_nested`; both are unset here. */
void npart__trial_init(struct npart__trial *trial, const struct npart__target *target,
                       const struct npart__session *session, uint32_t node)
{
    *trial = (struct npart__trial){
        .target = target,
        .oplist = target->oplist,
        .inference = session->inference,
        .graph = session->graph,
        .session = session,
        .node = npart__node_at(session->graph, node),
        .it = NPART_NONE,
        .failure = NPART__NO_FAILURE,
    };
}

/* ---- answers --------------------------------------------------------------------------------------------- */

static struct npart__answer unknown_answer(void)
{
    return (struct npart__answer){.kind = NPART__ANSWER_UNKNOWN};
}

static struct npart__answer absent_answer(void)
{
    return (struct npart__answer){.kind = NPART__ANSWER_ABSENT};
}

/* Both members are filled in, so that a whole number and one with a fraction can be compared. */
static struct npart__answer number_answer(int64_t number)
{
    return (struct npart__answer){.kind = NPART__ANSWER_NUMBER, .number = number, .real = (double)number};
}

/* `number` stays 0: is_real says that it is not to be looked at. */
static struct npart__answer real_answer(double real)
{
    return (struct npart__answer){.kind = NPART__ANSWER_NUMBER, .is_real = true, .real = real};
}

static struct npart__answer type_answer(int type)
{
    return type ? (struct npart__answer){.kind = NPART__ANSWER_TYPE, .number = type} : unknown_answer();
}

static struct npart__answer word_answer(const char *word, size_t length)
{
    return (struct npart__answer){.kind = NPART__ANSWER_WORD, .word = word, .length = length};
}

/* Its domain is an answer, too: same_word compares it where the list names one. */
static struct npart__answer op_answer(const struct npart__trial *trial, uint32_t node)
{
    const struct npart__node *at = npart__node_at(trial->graph, node);
    const char *op = npart__node_op(trial->graph, at);
    struct npart__answer answer = word_answer(op, strlen(op));
    answer.domain = npart__text(&trial->graph->strings, at->domain);
    return answer;
}

/* An expression of symbols is no number a rule could compare, even where it is bounded. */
static struct npart__answer dim_answer(int64_t dim)
{
    return npart__is_number(dim) ? number_answer(dim) : unknown_answer();
}

/* The number of elements. */
static struct npart__answer size_answer(const struct npart__fact *fact)
{
    uint64_t elements;
    return npart__static_elements(fact, &elements) && elements <= INT64_MAX ? number_answer((int64_t)elements)
                                                                            : unknown_answer();
}

/* "none" is a word of the language: a rule may ask for a value that no node makes. */
const char *npart__producer_word(const struct npart__trial *trial, uint32_t value)
{
    uint32_t producer = npart__producer(trial->graph, value);
    return producer == NPART_NONE ? "none" : npart__node_op(trial->graph, npart__node_at(trial->graph, producer));
}

/* The type that the tensor has where it is quantized: that of the operand of the DequantizeLinear, or of the result
 * of the QuantizeLinear; its own where there is neither. So a rule about INT8 weights reads the same for QDQ
 * models and for operators that take integers. Unknown where inference could not tell the type. */
static struct npart__answer answer_qdtype(const struct npart__asked *asked)
{
    const struct npart__graph *graph = asked->trial->graph;
    uint32_t node = npart__quantizing_node(asked->trial, asked->value, asked->is_output), quantized = asked->value;
    const struct npart__node *at = node == NPART_NONE ? NULL : npart__node_at(graph, node);
    if (at)
        quantized = npart__node_plays(graph, at, NPART__ROLE_QUANTIZES) ? npart__node_output(graph, at, 0)
                                                                        : npart__node_input(graph, at, 0);
    return type_answer(quantized == NPART_NONE ? 0 : npart__fact_of(asked->trial->inference, quantized)->element_type);
}

/* 0: not quantized. 1: one scale for the tensor; more: one for each channel or block. Unknown where the scale's
 * size is; as most scales are initializers, that is rare. Of a DequantizeLinear that stores blocks of 32 for 4096
 * weights it is 128. */
static struct npart__answer answer_qscales(const struct npart__asked *asked)
{
    uint32_t scale = npart__quantizing_operand(asked->trial, asked->value, asked->is_output, 1);
    return scale == NPART_NONE ? number_answer(0) : size_answer(npart__fact_of(asked->trial->inference, scale));
}

/* Only of what is constant once the session has folded: elements that inference knows of a node that is run are no
 * constant to a provider. Past the last element the answer is absent, which ends a loop over two lists of
 * different length without a failure. Elements of a tensor that is large or stands in another file are not read, and
 * unknown. */
static struct npart__answer element_answer(const struct npart__trial *trial, uint32_t value, uint32_t element)
{
    const struct npart__known *known = npart__elements(trial->inference, &trial->inference->facts[value]);
    if (!trial->session->is_constant[value] || !known)
        return unknown_answer();
    if (element >= known->count)
        return absent_answer();
    return known->ints ? dim_answer(known->ints[element]) : real_answer(known->doubles[element]);
}

/* One element, counted from the end when negative, or the one that the loop over all is at. An index of which it
 * is not known whether the constant has it is unknown, by element_answer. */
static struct npart__answer answer_value(const struct npart__asked *asked)
{
    const struct npart__known *known = npart__elements(asked->trial->inference, asked->fact);
    uint32_t element = asked->element;
    if (asked->term->has_index && known && !npart__normalize_axis(asked->term->number, known->count, &element))
        return absent_answer();
    return element_answer(asked->trial, asked->value, element);
}

/* A zero point that is left out is 0; what is not quantized has neither. Scales of equivalent nodes differ from
 * layer to layer, so none of them shares a verdict that hangs on one. */
static struct npart__answer quantization_answer(const struct npart__asked *asked, uint32_t operand)
{
    uint32_t node = npart__quantizing_node(asked->trial, asked->value, asked->is_output);
    if (node == NPART_NONE)
        return absent_answer();
    npart__look_beyond(asked->trial);
    const struct npart__encoding *other = npart__new_encoding(asked->trial->session, node);
    if (!other && npart__may_join_pairs(asked->trial, node))
        return unknown_answer();
    if (other)
        return operand == 1 ? real_answer(other->scale) : number_answer((int64_t)other->zero_point);
    uint32_t value = npart__quantizing_operand(asked->trial, asked->value, asked->is_output, operand);
    return value == NPART_NONE ? number_answer(0) : element_answer(asked->trial, value, asked->element);
}

static struct npart__answer answer_qscale(const struct npart__asked *asked)
{
    return quantization_answer(asked, 1);
}

static struct npart__answer answer_qzero(const struct npart__asked *asked)
{
    return quantization_answer(asked, 2);
}

/* What the runtime puts after an op that moves what is dequantized. */
static struct npart__answer quantizer_answer(void)
{
    const char *op = npart__role_op(NPART__ROLE_QUANTIZES);
    struct npart__answer answer = word_answer(op, strlen(op));
    answer.domain = "";
    return answer;
}

/* The op of the user at this place; of the loop over all users one after the other, where they are many each op once. A
 * value without users answers "none", so that a rule may ask for that. */
static struct npart__answer answer_consumers(const struct npart__asked *asked)
{
    const struct npart__trial *trial = asked->trial;
    uint32_t count;
    const uint32_t *users = npart__user_kinds(trial->graph, npart__quantized_result(trial, asked->value), &count);
    if (npart__moved_dequantizer(trial, asked->value) != NPART_NONE)
        return asked->element ? absent_answer() : quantizer_answer();
    if (asked->element >= count)
        return count ? absent_answer() : word_answer("none", 4);
    return users[asked->element] == NPART_NONE ? unknown_answer() : op_answer(trial, users[asked->element]);
}

/* Of the Casts among the users, the types of their results. They are counted among Casts alone: element 1 is the
 * second Cast, whatever stands between the two. */
static struct npart__answer answer_casts(const struct npart__asked *asked)
{
    const struct npart__trial *trial = asked->trial;
    uint32_t users = npart__user_count(trial->session, asked->value), found = 0;
    npart__look_beyond(trial);
    for (uint32_t i = 0; i < users && !npart__is_late_at(trial->inference->arena, i); i++) {
        const struct npart__node *user = npart__node_at(trial->graph, npart__user(trial->session, asked->value, i));
        uint32_t result = user->output_count ? npart__node_output(trial->graph, user, 0) : NPART_NONE;
        bool casts = user->domain == 0 && npart__node_plays(trial->graph, user, NPART__ROLE_CASTS);
        if (result == NPART_NONE || !casts || found++ < asked->element)
            continue;
        return type_answer(npart__fact_of(trial->inference, result)->element_type);
    }
    return found ? absent_answer() : word_answer("none", 4);
}

/* As `op` answers: with its domain beside it. An input of the graph or an initializer answers "none". */
static struct npart__answer producer_answer(const struct npart__trial *trial, uint32_t value)
{
    uint32_t producer = npart__producer(trial->graph, value);
    return producer == NPART_NONE ? word_answer("none", 4) : op_answer(trial, producer);
}

static struct npart__answer answer_producer(const struct npart__asked *asked)
{
    return producer_answer(asked->trial, asked->value);
}

/* What the value's DequantizeLinear reads; itself where there is none. */
static uint32_t dequantized(const struct npart__asked *asked)
{
    uint32_t quantized = npart__quantizing_operand(asked->trial, asked->value, false, 0);
    return quantized == NPART_NONE ? asked->value : quantized;
}

static struct npart__answer answer_qproducer(const struct npart__asked *asked)
{
    npart__look_beyond(asked->trial);
    if (npart__moved_dequantizer(asked->trial, asked->value) != NPART_NONE)
        return quantizer_answer();
    return producer_answer(asked->trial, dequantized(asked));
}

/* The op that makes what was quantized for the value: past its DequantizeLinear, and the QuantizeLinear before that. */
static struct npart__answer answer_qsource(const struct npart__asked *asked)
{
    const struct npart__trial *trial = asked->trial;
    uint32_t value = dequantized(asked);
    npart__look_beyond(trial);
    if (npart__op_plays(npart__producer_word(trial, value), NPART__ROLE_QUANTIZES))
        value = npart__node_input(trial->graph, npart__node_at(trial->graph, npart__producer(trial->graph, value)), 0);
    return producer_answer(trial, value);
}

/* The op that makes the value, past Transposes: a list may ask what stands before them. At most
 * NPART__LIMIT_LAYOUT_STEPS, so that no chain makes judging slow. */
static struct npart__answer origin_answer(const struct npart__trial *trial, uint32_t value)
{
    const struct npart__graph *graph = trial->graph;
    npart__look_beyond(trial);
    for (unsigned steps = 0; steps < NPART__LIMIT_LAYOUT_STEPS; steps++) {
        uint32_t producer = npart__producer(graph, value);
        bool reorders = npart__op_plays(npart__producer_word(trial, value), NPART__ROLE_REORDERS_AXES);
        /* Only by its first operand, the data. */
        uint32_t from = producer != NPART_NONE && reorders
                            ? npart__node_input(graph, npart__node_at(graph, producer), 0)
                            : NPART_NONE;
        if (from == NPART_NONE)
            break;
        value = from;
    }
    return producer_answer(trial, value);
}

static struct npart__answer answer_origin(const struct npart__asked *asked)
{
    return origin_answer(asked->trial, asked->value);
}

/* Of a constant nothing is left but its elements, whichever node made it. */
static struct npart__answer answer_qorigin(const struct npart__asked *asked)
{
    uint32_t value = dequantized(asked);
    if (npart__moved_dequantizer(asked->trial, asked->value) != NPART_NONE)
        return quantizer_answer();
    return asked->trial->session->is_constant[value] ? word_answer("none", 4) : origin_answer(asked->trial, value);
}

/* Equivalent nodes may stand at places where different nodes came first; where nothing is noted, all are alike. */
static struct npart__answer held_answer(const struct npart__trial *trial, enum npart__held held)
{
    static const char *const words[] = {[NPART__HELD_NONE] = "none", [NPART__HELD_QUANTIZED] = "quantized",
                                        [NPART__HELD_PLAIN] = "integers"};
    if (trial->beyond && trial->beyond->held)
        npart__look_beyond(trial);
    return held == NPART__HELD_UNKNOWN ? unknown_answer() : word_answer(words[held], strlen(words[held]));
}

static struct npart__answer answer_held(const struct npart__asked *asked)
{
    return held_answer(asked->trial, npart__held_of(asked->trial, asked->value));
}

/* What the runtime quantizes and dequantizes itself is quantized. */
static struct npart__answer answer_qheld(const struct npart__asked *asked)
{
    bool is_moved = npart__moved_dequantizer(asked->trial, asked->value) != NPART_NONE;
    return held_answer(asked->trial, is_moved ? NPART__HELD_QUANTIZED
                                              : npart__held_of(asked->trial, dequantized(asked)));
}

/* The standard's default, that of the node's own version where versions differ. The text is that of the schema,
 * from which numbers are read when they are asked for. Defaults that are lists are not compared, and count as
 * absent. Such a text is at most a number or a word: `-1`, `0.01`, `NOTSET`. */
static struct npart__answer default_answer(const struct npart__trial *trial, const struct npart__term *term)
{
    struct npart__attribute_schema own;
    char text[40] = "";
    const char *fallback = term->fallback;
    if (term->defaults_differ && trial->node->schema) {
        bool has = npart__operator_attribute(trial->node->schema, term->word, strlen(term->word), &own);
        /* A default longer than the buffer is no number. */
        if (!has || !own.default_text || own.default_length >= sizeof text)
            return absent_answer();
        memcpy(text, own.default_text, own.default_length);
        if (term->attribute_kind == 's')
            return word_answer(own.default_text, own.default_length);
        fallback = text;
    }
    if (!fallback)
        return absent_answer();
    switch (term->attribute_kind) {
    case 'i':
        return number_answer(strtoll(fallback, NULL, 10));
    case 'f':
        return real_answer(npart__read_decimal(fallback));
    case 's':
        return word_answer(fallback, strlen(fallback));
    default:
        return absent_answer();
    }
}

/* An attribute that is left out has the standard's default where this version has one; a list that was too long to be
 * read (`is_elided`) is unknown. Of another version than the rule's attribute belongs to, an attribute that is left out
 * is absent. */
static struct npart__answer answer_attr(const struct npart__asked *asked)
{
    const struct npart__trial *trial = asked->trial;
    const struct npart__term *term = asked->term;
    uint32_t element = asked->element;
    const struct npart__attribute *attribute = npart__node_attribute(trial->graph, trial->node, term->word);
    size_t length;
    if (attribute && attribute->is_elided)
        return unknown_answer(); /* before its index is looked at: what was kept of it says nothing of its length */
    /* Negative indices count from the end, as in the language. */
    if (attribute && term->has_index && !npart__normalize_axis(term->number, attribute->count, &element))
        return absent_answer();
    const struct npart__operator *schema = trial->node->schema;
    bool has_default = !schema || (schema->since >= term->first_since && schema->since <= term->last_since);
    if (!attribute)
        return element || !has_default ? absent_answer() : default_answer(trial, term);
    switch (attribute->type) {
    case NPART_ATTRIBUTE_FLOAT:
        return real_answer((double)attribute->u.f);
    case NPART_ATTRIBUTE_INT:
        return number_answer(attribute->u.i);
    case NPART_ATTRIBUTE_STRING:
        return word_answer(attribute->u.s, attribute->count);
    case NPART_ATTRIBUTE_FLOATS:
        return element < attribute->count ? real_answer((double)attribute->u.floats[element]) : absent_answer();
    case NPART_ATTRIBUTE_INTS:
        return element < attribute->count ? number_answer(attribute->u.ints[element]) : absent_answer();
    case NPART_ATTRIBUTE_STRINGS:
        if (element >= attribute->count)
            return absent_answer();
        const char *text = npart__attribute_string(attribute, element, &length);
        return word_answer(text, length);
    default:
        return unknown_answer();
    }
}

/* A symbolic dim may turn out to be 1, so that the number is not known. Some compilers drop dims of 1 before they
 * count: TIDL's limits of rank are meant so. Of [1,1,224,224] it is 2. */
static struct npart__answer answer_dims_over_one(const struct npart__asked *asked)
{
    int64_t count = 0;
    if (!asked->fact->has_rank)
        return unknown_answer();
    for (uint32_t i = 0; i < asked->fact->rank; i++) {
        if (!npart__is_number(asked->fact->dims[i]))
            return unknown_answer();
        count += asked->fact->dims[i] != 1;
    }
    return number_answer(count);
}

/* Lists name kinds without a type of their own among the types. `sequence` compared with `float32` is not equal, so a
 * rule about tensors fails for it. */
static struct npart__answer answer_dtype(const struct npart__asked *asked)
{
    const char *word = asked->fact->kind == NPART__TYPE_SEQUENCE   ? "sequence"
                       : asked->fact->kind == NPART__TYPE_MAP      ? "map"
                       : asked->fact->kind == NPART__TYPE_OPTIONAL ? "optional"
                                                                   : NULL;
    return word ? word_answer(word, strlen(word)) : type_answer(asked->fact->element_type);
}

/* Names differ from node to node; the plain ones that lists ask for (npart__is_plain_name) are compared by
 * equivalent.c. */
static struct npart__answer answer_name(const struct npart__asked *asked)
{
    if (asked->trial->oplist->asks_any_name)
        npart__look_beyond(asked->trial);
    const char *name = npart__value_name(asked->trial->graph, asked->value);
    return word_answer(name, strlen(name));
}

static struct npart__answer answer_rank(const struct npart__asked *asked)
{
    return asked->fact->has_rank ? number_answer(asked->fact->rank) : unknown_answer();
}

static struct npart__answer answer_dims(const struct npart__asked *asked)
{
    uint32_t first, count;
    enum npart__answer_kind kind = npart__asked_dims(asked->trial, asked->term, asked->value, &first, &count);
    if (kind == NPART__ANSWER_NUMBER && asked->element < count)
        return dim_answer(asked->fact->dims[first + asked->element]);
    return kind == NPART__ANSWER_UNKNOWN ? unknown_answer() : absent_answer();
}

/* The same at each element of a list that it is compared or calculated with. */
static struct npart__answer answer_dim(const struct npart__asked *asked)
{
    uint32_t axis;
    int64_t found = asked->term->number;
    if (!asked->fact->has_rank || !npart__find_axis(asked->trial, asked->term->right, &found))
        return unknown_answer();
    bool has_axis = npart__normalize_axis(found, asked->fact->rank, &axis);
    return has_axis ? dim_answer(asked->fact->dims[axis]) : absent_answer();
}

static struct npart__answer answer_numel(const struct npart__asked *asked)
{
    return size_answer(asked->fact);
}

/* The world outside is a user of a result of the graph. */
static struct npart__answer users_answer(const struct npart__trial *trial, uint32_t value)
{
    return number_answer((int64_t)npart__user_count(trial->session, value) +
                         npart__value_at(trial->graph, value)->is_graph_output);
}

/* Of what the runtime quantizes anew that QuantizeLinear is the only one. */
static struct npart__answer answer_users(const struct npart__asked *asked)
{
    const struct npart__trial *trial = asked->trial;
    if (!npart__value_at(trial->graph, asked->value)->is_graph_output &&
        npart__moved_dequantizer(trial, asked->value) != NPART_NONE)
        return number_answer(1);
    return users_answer(trial, asked->value);
}

/* The runtime gives each user a DequantizeLinear of its own. */
static struct npart__answer answer_qusers(const struct npart__asked *asked)
{
    npart__look_beyond(asked->trial);
    return users_answer(asked->trial, dequantized(asked));
}

static struct npart__answer answer_equation(const struct npart__asked *asked)
{
    struct npart__asked first = *asked;
    first.element = 0;
    struct npart__answer answer = answer_attr(&first);
    answer.is_equation = true;
    return answer;
}

/* Operands that are there: an optional one in the middle may be left out. */
static struct npart__answer answer_count(const struct npart__asked *asked)
{
    struct npart__operands operands = npart__select_operands(asked->trial, asked->term->selector);
    int64_t present = 0;
    for (uint32_t i = 0; i < operands.count; i++)
        present += npart__operand_at(asked->trial, operands, i) != NPART_NONE;
    return number_answer(present);
}

/* A list that was too long to be read has more elements than were kept of it, and it is not known how many. */
static struct npart__answer answer_length(const struct npart__asked *asked)
{
    const struct npart__attribute *attribute =
        npart__node_attribute(asked->trial->graph, asked->trial->node, asked->term->word);
    if (attribute && attribute->is_elided)
        return unknown_answer();
    return attribute ? number_answer(attribute->count) : absent_answer();
}

/* The number for the chosen variant, which the target finds: the closest that the list has. */
static struct npart__answer answer_limit(const struct npart__asked *asked)
{
    const struct npart__limit *limit = npart__target_limit(asked->trial->target, asked->term->word);
    if (!limit)
        return unknown_answer(); /* declared for other variants only */
    return limit->is_whole ? number_answer(limit->number) : real_answer(limit->real);
}

/* Of the file's nodes those that are run; copies are not counted. */
static struct npart__answer answer_nodes(const struct npart__asked *asked)
{
    return number_answer(asked->trial->session->live_count);
}

static struct npart__answer answer_ir(const struct npart__asked *asked)
{
    int64_t version = asked->trial->graph->ir_version;
    return version ? number_answer(version) : unknown_answer();
}

static struct npart__answer answer_model_outputs(const struct npart__asked *asked)
{
    return number_answer(asked->trial->graph->scopes.items[0].output_count);
}

static struct npart__answer answer_toolchain(const struct npart__asked *asked)
{
    return number_answer(asked->trial->target->toolchain);
}

static struct npart__answer answer_opset(const struct npart__asked *asked)
{
    int32_t version = asked->trial->node->opset_version;
    return version ? number_answer(version) : unknown_answer();
}

/* By where it stands in the array: a trial knows the node by its address. */
static struct npart__answer answer_op(const struct npart__asked *asked)
{
    return op_answer(asked->trial, (uint32_t)(asked->trial->node - asked->trial->graph->nodes.items));
}

/* The model's metadata is no part of what equivalent nodes share, nor is the file system. */
static bool read_compiled(const struct npart__asked *asked, struct npart__compiled *out)
{
    npart__look_beyond(asked->trial);
    if (!npart__is_compiled(asked->trial->graph, asked->trial->node))
        return false;
    npart__read_compiled(asked->trial->graph, asked->trial->node, out);
    return true;
}

/* A chip by its own number is a variant of the list. INT64_MAX: the list has no such, or says no limit for it. */
static int64_t limit_of_chip(const struct npart__asked *asked, const struct npart__compiled_chip *chip)
{
    char number[16];
    if (chip->generation)
        return chip->generation;
    (void)snprintf(number, sizeof number, "%u", chip->number);
    const struct npart__limit *limit = npart__variant_limit(asked->trial->target, number, asked->term->word);
    return limit && limit->is_whole ? limit->number : INT64_MAX;
}

/* A graph that is compiled for more chips is loaded as the one that fits best: the newest that is not newer than the
 * target's; where all are newer, the oldest. */
static struct npart__answer answer_compiled_for(const struct npart__asked *asked)
{
    struct npart__compiled compiled;
    const struct npart__limit *own = npart__target_limit(asked->trial->target, asked->term->word);
    if (!read_compiled(asked, &compiled) || compiled.chip_count == 0)
        return absent_answer();
    if (!own || !own->is_whole)
        return unknown_answer();
    int64_t best = INT64_MAX;
    for (uint32_t i = 0; i < compiled.chip_count; i++) {
        int64_t at = limit_of_chip(asked, &compiled.chips[i]);
        bool fits = at <= own->number, best_fits = best <= own->number;
        if (fits ? !best_fits || at > best : !best_fits && at < best)
            best = at;
    }
    return best == INT64_MAX ? unknown_answer() : number_answer(best);
}

static struct npart__answer answer_compiled_sdk(const struct npart__asked *asked)
{
    struct npart__compiled compiled;
    if (!read_compiled(asked, &compiled) || !compiled.has_sdk)
        return absent_answer();
    return number_answer((int64_t)compiled.sdk_major * 1000 + compiled.sdk_minor);
}

static struct npart__answer answer_compiled_backend(const struct npart__asked *asked)
{
    struct npart__compiled compiled;
    return read_compiled(asked, &compiled) && compiled.backend ? number_answer(compiled.backend) : absent_answer();
}

static struct npart__answer answer_compiled_file(const struct npart__asked *asked)
{
    static const char *const words[] = {[NPART__CONTEXT_BESIDE] = "beside", [NPART__CONTEXT_MISSING] = "missing",
                                        [NPART__CONTEXT_OUTSIDE] = "outside"};
    struct npart__compiled compiled;
    if (!read_compiled(asked, &compiled) || compiled.place < NPART__CONTEXT_BESIDE)
        return absent_answer();
    return word_answer(words[compiled.place], strlen(words[compiled.place]));
}

/* Types and sizes are those that the runtime knows, which is what inference was told by its policy. What is absent
 * has no answer to a question about an operand. */
static struct npart__answer function_answer(const struct npart__trial *trial, const struct npart__term *term,
                                            struct npart__place place)
{
    static struct npart__answer (*const functions[])(const struct npart__asked *asked) = {
#define FUNCTION(id, word, argument, about, answers, noun, is) answer_##word,
#include "oplist/questions.def"
    };
    struct npart__operands operands = term->selector == NPART_NONE ? (struct npart__operands){.count = 0}
                                                                  : npart__select_operands(trial, term->selector);
    struct npart__asked asked = npart__ask(trial, term, operands, place);
    bool is_absent = asked.value == NPART_NONE && term->selector != NPART_NONE && term->op != NPART__FUNCTION_COUNT;
    return is_absent ? absent_answer() : functions[term->op](&asked);
}

/* ---- arithmetic ------------------------------------------------------------------------------------------ */

/* Absent with anything is absent, and unknown with anything else unknown. Overflow and division by 0 are unknown.
 * Division rounds down: -1 / 2 is -1. A dim may be near 2^63 in a hostile file, so whole numbers are checked; the
 * file's floats may be infinite, which a comparison bears. `%` of fractions is unknown as well. A word
 * or a type is no number, and unknown. */
static struct npart__answer calculate(char op, struct npart__answer a, struct npart__answer b)
{
    int64_t result;
    bool fits = false;
    if (a.kind == NPART__ANSWER_ABSENT || b.kind == NPART__ANSWER_ABSENT)
        return absent_answer();
    if (a.kind != NPART__ANSWER_NUMBER || b.kind != NPART__ANSWER_NUMBER)
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
        fits = npart__floor_modulo_int64(a.number, b.number, &result);
        break;
    }
    return fits ? number_answer(result) : unknown_answer();
}

/* Lists are as long as attributes and known elements, and no longer. */
static struct npart__answer product_of(const struct npart__trial *trial, uint32_t id, struct npart__place place)
{
    uint32_t count = npart__is_empty_list(trial, id, place.operand) ? 0
                                                                    : npart__element_count(trial, id, place.operand);
    struct npart__answer all = number_answer(1);
    for (place.element = 0; place.element < count; place.element++) {
        if (npart__is_late_at(trial->inference->arena, place.element))
            return unknown_answer();
        all = calculate('*', all, npart__answer_of(trial, id, place));
    }
    return all;
}

/* In the arithmetic of float32, where that is asked for, each step is rounded. */
static struct npart__answer calculated(const struct npart__trial *trial, const struct npart__term *term,
                                       struct npart__place place)
{
    struct npart__answer answer = calculate((char)term->op, npart__answer_of(trial, term->left, place),
                                            npart__answer_of(trial, term->right, place));
    if (trial->rounds_to_float && answer.is_real)
        answer.real = (double)(float)answer.real;
    return answer;
}

/* How often is the same at each place. */
static struct npart__answer repeated(const struct npart__trial *trial, const struct npart__term *term,
                                     struct npart__place place)
{
    const struct npart__place first = {place.operand, 0};
    struct npart__answer times = npart__answer_of(trial, term->right, first);
    if (times.kind != NPART__ANSWER_NUMBER || times.is_real || times.number > NPART__LIMIT_REPEATED)
        return unknown_answer();
    if (place.element >= times.number)
        return absent_answer();
    return term->left == NPART_NONE ? number_answer(place.element) : npart__answer_of(trial, term->left, first);
}

static struct npart__answer root_of(const struct npart__trial *trial, const struct npart__term *term,
                                    struct npart__place place)
{
    struct npart__answer answer = npart__answer_of(trial, term->left, place);
    if (answer.kind == NPART__ANSWER_NUMBER && answer.real >= 0)
        return real_answer(trial->rounds_to_float ? (double)sqrtf((float)answer.real) : sqrt(answer.real));
    return answer.kind == NPART__ANSWER_ABSENT ? answer : unknown_answer();
}

static struct npart__answer first_of(const struct npart__trial *trial, const struct npart__term *term,
                                     struct npart__place place)
{
    struct npart__answer answer = npart__answer_of(trial, term->left, place);
    return answer.kind == NPART__ANSWER_ABSENT ? npart__answer_of(trial, term->right, place) : answer;
}

/* A number and a word are the same at every place; what is calculated is asked on both sides at the same one. */
struct npart__answer npart__answer_of(const struct npart__trial *trial, uint32_t id, struct npart__place place)
{
    const struct npart__term *term = npart__term_at(trial, id);
    switch ((enum npart__term_kind)term->kind) {
    case NPART__TERM_NUMBER:
        return term->op ? real_answer(term->real) : number_answer(term->number);
    case NPART__TERM_WORD:
        return (struct npart__answer){.kind = NPART__ANSWER_WORD, .word = term->word, .length = strlen(term->word),
                               .number = term->element_type};
    case NPART__TERM_ARITHMETIC:
        return calculated(trial, term, place);
    case NPART__TERM_PRODUCT:
        return product_of(trial, term->left, place);
    case NPART__TERM_REPEAT:
        return repeated(trial, term, place);
    case NPART__TERM_ROOT:
        return root_of(trial, term, place);
    case NPART__TERM_FIRST:
        return first_of(trial, term, place);
    default:
        return function_answer(trial, term, place);
    }
}

/* ---- names and equations --------------------------------------------------------------------------------- */

/* The next place that is no blank, or the end. An equation of Einsum may hold blanks. */
static size_t skip_blanks(const char *text, size_t length, size_t at)
{
    while (at < length && text[at] == ' ')
        at++;
    return at;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* "ij, jk -> ik" and "ab,bc->ac" are the same. Letters are paired as they come, in both directions, so that "ii" and
 * "ij" differ. Linear in the text. Providers know equations by their form, not by the letters that an exporter
 * happens to use. Commas, arrows and dots must stand at the same places. */
bool npart__same_equation(const char *a, size_t a_length, const char *b, size_t b_length)
{
    unsigned char to[256] = {0}, from[256] = {0}; /* letters of one by letters of the other */
    size_t i = skip_blanks(a, a_length, 0), k = skip_blanks(b, b_length, 0);
    while (i < a_length && k < b_length) {
        unsigned char one = (unsigned char)a[i], other = (unsigned char)b[k];
        if (!is_letter(a[i]) || !is_letter(b[k])) {
            if (one != other)
                return false;
        } else if (!to[one] && !from[other]) {
            to[one] = other;
            from[other] = one;
        } else if (to[one] != other || from[other] != one) {
            return false;
        }
        i = skip_blanks(a, a_length, i + 1);
        k = skip_blanks(b, b_length, k + 1);
    }
    return i >= a_length && k >= b_length;
}
