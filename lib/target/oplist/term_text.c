/* SPDX-License-Identifier: Apache-2.0
 *
 * Conditions written back as text: as the sentence of a rule that has none, in --describe, and
 * to compare rules. What comes out reads as the condition could have been written, with defines
 * replaced by what they stand for and no needless parentheses.
 */
#include "oplist/term.h"

const struct npart__question npart__predicates[] = {
#define PREDICATE(id, word, argument, about, adjective)                                                                \
    {#word, NPART__ARGUMENT_##argument, NPART_ABOUT_##about, NPART__ANSWERS_ANY, adjective, ""},
#include "oplist/questions.def"
};

const struct npart__question npart__functions[] = {
#define FUNCTION(id, word, argument, about, answers, noun, is)                                                         \
    {#word, NPART__ARGUMENT_##argument, NPART_ABOUT_##about, NPART__ANSWERS_##answers, noun, is},
#include "oplist/questions.def"
};

static void append_axis(const struct npart__oplist *oplist, uint32_t sum, int64_t axis, struct npart__buffer *out)
{
    if (sum == NPART_NONE)
        npart__append_int64(out, axis);
    else
        npart__append_term(oplist, sum, out);
}

/* A question with its argument, of which there may be none: dim(X, -1), static(X, 1..), opset. */
static void append_asked(const struct npart__oplist *oplist, const struct npart__term *term, struct npart__buffer *out)
{
    const struct npart__question *question = npart__question_of(term);
    npart__append_text(out, question->word);
    if (question->argument == NPART__ARGUMENT_NOTHING)
        return;
    npart__append_text(out, "(");
    if (term->selector != NPART_NONE)
        npart__append_text(out, oplist->selectors.items[term->selector].name);
    else if (term->word)
        npart__append_text(out, term->word);
    else if (question->argument == NPART__ARGUMENT_SWITCH)
        npart__append_text(out, oplist->switches.items[term->number]);
    else if (question->argument == NPART__ARGUMENT_VARIANT)
        npart__append_text(out, oplist->variants.items[term->number].name);
    if (term->has_index || question->argument == NPART__ARGUMENT_OPERAND_INDEX) {
        npart__append_text(out, ", ");
        append_axis(oplist, term->right, term->number, out);
        npart__append_text(out, term->to_last ? ".." : "");
        if (term->to_last && (term->last != -1 || term->next != NPART_NONE))
            append_axis(oplist, term->next, term->last, out);
    }
    npart__append_text(out, ")");
}

/* How tightly a term binds: what is looser inside another needs parentheses. The order of the
 * grammar in condition.c, from the loosest. What stands in parentheses of its own, or is one word, is 6 and never
 * needs any. */
static int tightness(const struct npart__term *term)
{
    switch ((enum npart__term_kind)term->kind) {
    case NPART__TERM_OR:
        return 0;
    case NPART__TERM_AND:
        return 1;
    case NPART__TERM_NOT:
        return 2;
    case NPART__TERM_COMPARE:
    case NPART__TERM_IN:
        return 3;
    case NPART__TERM_ARITHMETIC:
        return term->op == '+' || term->op == '-' ? 4 : 5;
    default:
        return 6;
    }
}

/* A part of a larger term, in parentheses where it binds less tightly than `least`. So `(a or b) and c` keeps its
 * parentheses, and `(a and b) or c` loses them. */
static void append_inner(const struct npart__oplist *oplist, uint32_t id, int least, struct npart__buffer *out)
{
    bool is_loose = tightness(&oplist->terms.items[id]) < least;
    npart__append_text(out, is_loose ? "(" : "");
    npart__append_term(oplist, id, out);
    npart__append_text(out, is_loose ? ")" : "");
}

/* Operators group from the left, so of a - (b - c) the right side needs its parentheses. `and` and `or` may group
 * either way, as both mean the same. */
static void append_pair(const struct npart__oplist *oplist, const struct npart__term *term, const char *between,
                        struct npart__buffer *out)
{
    int own = tightness(term);
    append_inner(oplist, term->left, own, out);
    npart__append_text(out, between);
    append_inner(oplist, term->right, term->kind == NPART__TERM_ARITHMETIC ? own + 1 : own, out);
}

/* A toolchain is kept as its place among the releases; its text is beside it, since a number would
 * say nothing. Recursive as deep as conditions nest. A table of rows is no tree
 * (lib/target/oplist/condition.c), so what is asked is written in each row. */
void npart__append_term(const struct npart__oplist *oplist, uint32_t id, struct npart__buffer *out)
{
    /* In the order of enum npart__comparison_op. */
    static const char *const comparisons[] = {" = ", " != ", " < ", " <= ", " > ", " >= "};
    const struct npart__term *term = &oplist->terms.items[id];
    const char arithmetic[] = {' ', (char)term->op, ' ', '\0'};
    switch ((enum npart__term_kind)term->kind) {
    case NPART__TERM_AND:
        append_pair(oplist, term, " and ", out);
        break;
    case NPART__TERM_OR:
        append_pair(oplist, term, " or ", out);
        break;
    case NPART__TERM_NOT:
        npart__append_text(out, "not ");
        append_inner(oplist, term->left, tightness(term), out);
        break;
    case NPART__TERM_EACH:
        npart__append_text(out, "each(");
        npart__append_text(out, oplist->selectors.items[term->selector].name);
        npart__append_text(out, ", ");
        npart__append_term(oplist, term->left, out);
        npart__append_text(out, ")");
        break;
    case NPART__TERM_COMPARE:
        append_pair(oplist, term, comparisons[term->op], out);
        break;
    case NPART__TERM_IN:
        npart__append_term(oplist, term->left, out);
        npart__append_text(out, term->op ? " not in" : " in");
        for (uint32_t item = term->right; item != NPART_NONE; item = oplist->terms.items[item].next) {
            npart__append_text(out, " ");
            npart__append_term(oplist, item, out);
        }
        break;
    /* 3, 3..4, ..4 and 3..: an end that is open is NPART_NONE. */
    case NPART__TERM_ITEM:
        if (term->left != NPART_NONE)
            npart__append_term(oplist, term->left, out);
        npart__append_text(out, term->op ? ".." : "");
        if (term->right != NPART_NONE)
            npart__append_term(oplist, term->right, out);
        break;
    case NPART__TERM_NUMBER:
        if (term->op) /* with a fraction: as it is written, without its sign */
            npart__append_format(out, "%s%s", term->real < 0 ? "-" : "", term->word);
        else if (term->word) /* a toolchain */
            npart__append_format(out, "'%s'", term->word);
        else
            npart__append_int64(out, term->number);
        break;
    case NPART__TERM_WORD:
        npart__append_text(out, term->word);
        break;
    case NPART__TERM_ARITHMETIC:
        append_pair(oplist, term, arithmetic, out);
        break;
    case NPART__TERM_PRODUCT:
    case NPART__TERM_FIRST:
    case NPART__TERM_REPEAT:
    case NPART__TERM_ROOT:
        npart__append_text(out, term->kind == NPART__TERM_PRODUCT ? "product("
                                : term->kind == NPART__TERM_FIRST ? "first("
                                : term->kind == NPART__TERM_ROOT  ? "sqrt("
                                : term->left == NPART_NONE        ? "counting("
                                                                  : "repeat(");
        if (term->left != NPART_NONE)
            npart__append_term(oplist, term->left, out);
        npart__append_text(out, term->left == NPART_NONE || term->right == NPART_NONE ? "" : ", ");
        if (term->right != NPART_NONE)
            npart__append_term(oplist, term->right, out);
        npart__append_text(out, ")");
        break;
    case NPART__TERM_PREDICATE:
    case NPART__TERM_FUNCTION:
        append_asked(oplist, term, out);
        break;
    }
}

/* Rules about the user's own placements belong to no stage of the target. A missing entry is told under the
 * stage's other name, by which people know it: "builder". */
const char *npart__stage_word(const struct npart__oplist *oplist, uint32_t rule)
{
    const struct npart__stage *stage = &oplist->stages[oplist->rules.items[rule].stage];
    if (rule == oplist->assumed_cpu_rule || rule == oplist->assumed_npu_rule)
        return "assumed";
    return stage->missing_rule == rule ? stage->missing : stage->name;
}

