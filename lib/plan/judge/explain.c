/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules that speak of a node, the values that each looks at, and what was found where one is not met: in words,
 * since the reader of a report does not know the language of op lists.
 */
#include <math.h>

#include "judge/answer.h"

#define MOST_ELEMENTS_SHOWN 8u /* of a list attribute or a constant; " ..." says that there are more */

/* The `*index`-th of these rules that speaks for the target; NPART_NONE, and *index is that much less, when
 * they are fewer. So one index can be carried from list to list. A rule that does not speak for the target is not
 * counted, so numbers are without gaps. */
static uint32_t rule_in(const struct npart__target *target, uint32_t first, uint32_t count, uint32_t *index)
{
    for (uint32_t i = first; i < first + count; i++) {
        const struct npart__rule *rule = &target->oplist->rules.items[i];
        if (rule->is_limited && !npart__target_has(target, rule->when))
            continue;
        if ((*index)-- == 0)
            return i;
    }
    return NPART_NONE;
}

/* In the order in which they are tried: those for every op, then the op's own; where a stage has no entry, the rule
 * that says so. Quadratic for a caller that asks for all one by one, of a few dozen rules. */
uint32_t npart__rule_of_node(const struct npart__target *target, const struct npart__graph *graph, uint32_t node,
                             uint32_t index)
{
    const struct npart__oplist *oplist = target->oplist;
    uint32_t rule = NPART_NONE;
    for (uint32_t stage = 0; rule == NPART_NONE && stage < oplist->stage_count; stage++) {
        const struct npart__stage *at = &oplist->stages[stage];
        if (!(target->stages >> stage & 1))
            continue;
        uint32_t entry = npart__entry_of(oplist, stage, graph, npart__node_at(graph, node));
        uint32_t first = entry == NPART_NONE ? at->missing_rule : oplist->ops.items[entry].first_rule;
        uint32_t count = entry == NPART_NONE ? 1 : oplist->ops.items[entry].rule_count;
        rule = rule_in(target, at->first_every, at->every_count, &index);
        if (rule == NPART_NONE)
            rule = rule_in(target, first, count, &index);
    }
    return rule;
}

/* ---- questions in words ------------------------------------------------------------------------------------ */

/* `*` and `it` are signs of the language, which no report prints. */
static void append_selector(const struct npart__trial *trial, const struct npart__term *term,
                            struct npart__buffer *out)
{
    const struct npart__selector *selector = &trial->oplist->selectors.items[term->selector];
    npart__append_text(out, selector->kind == NPART__SELECT_ALL  ? "inputs and outputs"
                            : selector->kind == NPART__SELECT_IT ? "the operand"
                                                                 : selector->name);
}

/* "axis", "dim 1 of X", "strides[0]", "switch float": the noun of a question. Without the operand where what
 * follows names it with its type and producer. */
static void append_asked(const struct npart__trial *trial, const struct npart__term *term, bool with_operand,
                         struct npart__buffer *out)
{
    const struct npart__question *question = npart__question_of(term);
    bool is_function = term->kind == NPART__TERM_FUNCTION;
    bool is_dim = question->argument == NPART__ARGUMENT_OPERAND_INDEX;
    bool is_count = question->argument == NPART__ARGUMENT_SIDE;
    const char *noun = is_function ? question->noun : "";
    npart__append_text(out, noun);
    bool is_sum = is_function && term->right != NPART_NONE;
    long long index = is_sum ? npart__answer_of(trial, term->right, (struct npart__place){0, 0}).number
                             : term->number;
    if (is_dim)
        npart__append_format(out, " %lld", index);
    if (term->selector != NPART_NONE && (with_operand || is_count)) {
        npart__append_text(out, is_count ? " " : *noun ? " of " : "");
        append_selector(trial, term, out);
    } else if (term->word) {
        npart__append_format(out, "%s%s", *noun ? " " : "", term->word);
    } else if (question->argument == NPART__ARGUMENT_SWITCH) {
        npart__append_format(out, "switch %s", trial->oplist->switches.items[term->number]);
    } else if (question->argument == NPART__ARGUMENT_VARIANT) {
        npart__append_format(out, "variant %s", trial->oplist->variants.items[term->number].name);
    } else if (!is_function) {
        /* The two predicates that are about the whole node. */
        npart__append_text(out, term->op == NPART__PREDICATE_CAPTURES      ? "values from outside"
                                : term->op == NPART__PREDICATE_REQUANTIZES ? "constants"
                                                                           : "input shapes");
    }
    if (!is_dim && term->has_index)
        npart__append_format(out, "[%lld%s]", index, term->to_last ? ".." : "");
}

/* ---- what a condition looks at ---------------------------------------------------------------------------- */

/* As a report shows it; npart__answer_of asks one question at one place. */
static void append_answer(struct npart__buffer *out, struct npart__answer answer)
{
    switch ((enum npart__answer_kind)answer.kind) {
    case NPART__ANSWER_NUMBER:
        if (answer.is_real && isnan(answer.real))
            npart__append_text(out, "NaN");
        else if (answer.is_real)
            npart__append_fixed(out, answer.real, 4);
        else
            npart__append_int64(out, answer.number);
        break;
    case NPART__ANSWER_TYPE:
        npart__append_text(out, npart__type_name((int)answer.number));
        break;
    case NPART__ANSWER_WORD:
        npart__append(out, answer.word, answer.length);
        break;
    case NPART__ANSWER_ABSENT:
        npart__append_text(out, "not given");
        break;
    default:
        npart__append_text(out, "unknown");
        break;
    }
}

/* A release of an SDK is compared as a number and printed as people write it. */
static void append_answer_to(const struct npart__term *term, struct npart__answer answer, struct npart__buffer *out)
{
    bool is_sdk = term->kind == NPART__TERM_FUNCTION && term->op == NPART__FUNCTION_COMPILED_SDK;
    if (is_sdk && answer.kind == NPART__ANSWER_NUMBER)
        npart__append_format(out, "%lld.%lld", (long long)answer.number / 1000, (long long)answer.number % 1000);
    else
        append_answer(out, answer);
}

/* "rank of X: 4", "B: not constant". For --explain, which prints what each rule looks at, whether or not it is
 * met. */
static void append_seen_of(const struct npart__trial *trial, uint32_t id, struct npart__buffer *out)
{
    const struct npart__term *term = npart__term_at(trial, id);
    if (term->kind == NPART__TERM_EACH) {
        /* In the order of enum npart__truth, as below. */
        static const char *const words[] = {"not met", "unknown", "ok"};
        /* A copy, since trying notes a failure, and this trial's is that of the whole rule. */
        struct npart__trial copy = *trial;
        npart__append_text(out, "each of ");
        append_selector(trial, term, out);
        npart__append_format(out, ": %s", words[npart__try(&copy, id)]);
        return;
    }
    append_asked(trial, term, true, out);
    if (term->kind == NPART__TERM_PREDICATE) {
        static const char *const words[] = {"not ", "unknown whether ", ""};
        struct npart__trial copy = *trial;
        npart__append_format(out, ": %s%s", words[npart__try(&copy, id)], npart__question_of(term)->noun);
        return;
    }
    npart__append_text(out, ":");
    /* As a comparison would ask it: of each operand, and of each element of it. */
    uint32_t operands = npart__operand_count(trial, id);
    for (struct npart__place place = {0, 0}; place.operand < operands; place.operand++) {
        uint32_t elements = npart__element_count(trial, id, place.operand);
        for (place.element = 0; place.element < elements && place.element < MOST_ELEMENTS_SHOWN; place.element++) {
            npart__append_text(out, " ");
            append_answer_to(term, npart__answer_of(trial, id, place), out);
        }
        npart__append_text(out, elements > MOST_ELEMENTS_SHOWN ? " ..." : "");
    }
}

/* Whether one of the pieces of the text, which "; " separates, is this. A piece that holds "; " itself, as a word of
 * the file may, is told each time. */
static bool is_told(const char *text, const char *piece)
{
    size_t length = strlen(piece);
    for (;;) {
        const char *end = strstr(text, "; ");
        if ((end ? (size_t)(end - text) : strlen(text)) == length && memcmp(text, piece, length) == 0)
            return true;
        if (!end)
            return false;
        text = end + 2;
    }
}

/* Every question in a condition, in the order that it is written. Of `in` the items are not told: they stand in
 * the rule's sentence. Recursive as conditions nest. A table asks the same in each row, and is told once. */
static void append_questions(const struct npart__trial *trial, uint32_t id, struct npart__buffer *out)
{
    if (id == NPART_NONE)
        return;
    const struct npart__term *term = npart__term_at(trial, id);
    if (term->kind == NPART__TERM_PREDICATE || term->kind == NPART__TERM_FUNCTION || term->kind == NPART__TERM_EACH) {
        struct npart__buffer piece = {.arena = out->arena};
        append_seen_of(trial, id, &piece);
        const char *seen = npart__buffer_text(&piece);
        if (!is_told(npart__buffer_text(out), seen)) /* told once, however often it is asked */
            npart__append_format(out, "%s%s", out->size ? "; " : "", seen);
        out->failed |= piece.failed;
        return;
    }
    append_questions(trial, term->left, out);
    if (term->kind != NPART__TERM_IN)
        append_questions(trial, term->right, out);
}

/* In a buffer of its own, since `out` may hold a text already in which a piece could be found by chance. */
static void append_all_seen(const struct npart__trial *trial, uint32_t id, struct npart__buffer *out)
{
    struct npart__buffer seen = {.arena = out->arena};
    append_questions(trial, id, &seen);
    npart__append_text(out, npart__buffer_text(&seen));
    out->failed |= seen.failed;
}

void npart__append_seen(const struct npart__target *target, const struct npart__session *session, uint32_t rule,
                        uint32_t node, struct npart__buffer *out)
{
    struct npart__trial trial;
    npart__trial_init(&trial, target, session, node);
    append_all_seen(&trial, target->oplist->rules.items[rule].condition, out);
}

/* ---- what was found where a rule is not met ---------------------------------------------------------------- */

/* "x float32[1,3,224,224] from Relu": name, what is known of it, and the op that makes it. An input of the graph or
 * an initializer is made by none. */
static void append_operand(const struct npart__trial *trial, uint32_t value, struct npart__buffer *out)
{
    const struct npart__value *at = npart__value_at(trial->graph, value);
    npart__append_text(out, npart__value_name(trial->graph, value));
    npart__append_text(out, " ");
    npart__append_fact(out, &trial->inference->expressions, npart__fact_of(trial->inference, value));
    if (at->producer != NPART_NONE) {
        npart__append_text(out, " from ");
        npart__append_text(out, npart__producer_word(trial, value));
    }
}

/* "rank 6", "axis = 0", "dim 1 = 3, not 4"; `holds`: the comparison came out true where it should not. Both tables
 * read after a comma: what the left side is, compared with the right one. */
static void append_comparison(const struct npart__trial *trial, const struct npart__term *term, bool holds,
                              struct npart__buffer *out)
{
    static const char *const failed[] = {[NPART__EQUAL] = "not ",         [NPART__NOT_EQUAL] = "equal to ",
                                         [NPART__LESS] = "not below ",    [NPART__LESS_EQUAL] = "above ",
                                         [NPART__GREATER] = "not above ", [NPART__GREATER_EQUAL] = "below "};
    static const char *const held[] = {[NPART__EQUAL] = "equal to ",  [NPART__NOT_EQUAL] = "not ",
                                       [NPART__LESS] = "below ",      [NPART__LESS_EQUAL] = "not above ",
                                       [NPART__GREATER] = "above ",   [NPART__GREATER_EQUAL] = "not below "};
    /* The first place at which the comparison failed; of `attr(pads) = 0` and pads [0,0,1,1] it is element 2. */
    struct npart__place place = {trial->failure.operand, trial->failure.element};
    const struct npart__term *asked = npart__term_at(trial, term->left);
    bool is_toolchain = asked->kind == NPART__TERM_FUNCTION && asked->op == NPART__FUNCTION_TOOLCHAIN;
    if (asked->kind == NPART__TERM_FUNCTION) {
        append_asked(trial, asked, false, out);
        npart__append_text(out, npart__question_of(asked)->is);
    }
    /* A version is compared as a number and printed as the list writes it. */
    if (is_toolchain)
        npart__append_text(out, trial->target->toolchain_text);
    else
        append_answer_to(asked, npart__answer_of(trial, term->left, place), out);
    /* A limit that the list writes as a number or word is in the sentence. */
    if (term->kind == NPART__TERM_IN || npart__term_at(trial, term->right)->kind == NPART__TERM_NUMBER ||
        npart__term_at(trial, term->right)->kind == NPART__TERM_WORD)
        return;
    npart__append_text(out, ", ");
    npart__append_text(out, (holds ? held : failed)[term->op]);
    append_answer(out, npart__answer_of(trial, term->right, place));
}

/* "x float32[batch,3], not constant"; that a shape is not static is seen from the shape. A switch is the list's
 * own name for something a user may turn on, and no finding about the node. */
static void append_predicate(const struct npart__trial *trial, const struct npart__term *term, bool holds,
                             struct npart__buffer *out)
{
    bool is_of_operand = trial->failure.value != NPART_NONE;
    if (term->op == NPART__PREDICATE_SWITCH || term->op == NPART__PREDICATE_VARIANT) {
        if (trial->target->variant != NPART_NONE) /* names of switches are the list's own */
            npart__append_format(out, "variant %s", trial->oplist->variants.items[trial->target->variant].name);
        return;
    }
    bool is_seen = is_of_operand && (term->op == NPART__PREDICATE_STATIC || term->op == NPART__PREDICATE_BOUNDED);
    if (is_of_operand)
        append_operand(trial, trial->failure.value, out);
    else
        append_asked(trial, term, true, out);
    if (is_seen && !holds)
        return;
    npart__append_text(out, is_of_operand ? ", " : out->size ? " " : "");
    npart__append_text(out, holds ? "" : "not ");
    npart__append_text(out, npart__question_of(term)->noun);
}

/* The trial is put where it stood when the rule failed, in the loops and inside each(), and asked again there. A
 * trial keeps no other state, so the answer is the same as then. */
void npart__append_found(struct npart__trial *trial, struct npart__buffer *out)
{
    if (trial->failure.term == NPART_NONE)
        return;
    trial->it = trial->failure.it;
    trial->it_is_output = trial->failure.it_is_output;
    uint32_t id = trial->failure.term;
    const struct npart__term *term = npart__term_at(trial, id);
    /* What a `not` failed by is what holds inside it. */
    bool is_negated = term->kind == NPART__TERM_NOT;
    if (is_negated)
        term = npart__term_at(trial, id = term->left);
    if (term->kind == NPART__TERM_PREDICATE) {
        append_predicate(trial, term, is_negated, out);
        return;
    }
    if (term->kind == NPART__TERM_COMPARE || term->kind == NPART__TERM_IN)
        append_comparison(trial, term, is_negated, out);
    else
        append_all_seen(trial, id, out);
    if (trial->failure.value != NPART_NONE) {
        npart__append_text(out, ": ");
        append_operand(trial, trial->failure.value, out);
    }
}
