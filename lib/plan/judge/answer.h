/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the files of judge: what a question about a node is answered, and how its operands are named. A term of a
 * rule such as `dim(x, 1)` is a function, a selector and a number (oplist/term.h); evaluate.c compares answers.
 */
#ifndef NPART_JUDGE_ANSWER_H
#define NPART_JUDGE_ANSWER_H

#include "judge/evaluate.h"

/* The first two are compared with nothing: what is absent breaks no requirement, what is unknown may. */
enum npart__answer_kind {
    NPART__ANSWER_ABSENT,
    NPART__ANSWER_UNKNOWN,
    NPART__ANSWER_NUMBER,
    NPART__ANSWER_TYPE,
    NPART__ANSWER_WORD,
};

struct npart__answer {
    uint8_t kind;
    bool is_real; /* a number with a fraction, or from a float */
    int64_t number;   /* of a type, and of a word that names one, the element type */
    double real; /* also of a whole number, so that the two can be compared */
    const char *word;   /* `length` bytes */
    size_t length; /* words of a file are not terminated */
    const char *domain; /* of an op: "" is ai.onnx; NULL: a word that is no op */
    bool is_equation;   /* a word whose letters stand for places */
};

/* Whether two equations of Einsum say the same: blanks do not count, nor which letters are used. */
bool npart__same_equation(const char *a, size_t a_length, const char *b, size_t b_length);

/* Where the loops of a comparison stand. Both count from 0: the operand within its selector, the element within a
 * list or constant. */
struct npart__place {
    uint32_t operand, element;
};

/* The operands from *first on, on one side or, for `*`, on both. No values, only where they are: the selector is
 * resolved once, and each operand looked up when a loop is at it. */
struct npart__operands {
    uint32_t first, count;
    bool is_output, is_both, is_name, is_it; /* is_name: of a pattern, `first` of its names */
};

struct npart__operands npart__select_operands(const struct npart__trial *trial, uint32_t selector);
/* The operand's value id, what stands for it once folded nodes are gone; NPART_NONE when it is absent. */
uint32_t npart__operand_at(const struct npart__trial *trial, struct npart__operands operands, uint32_t index);
bool npart__is_output_operand(const struct npart__trial *trial, struct npart__operands operands, uint32_t index);
/* The result that is quantized in place of `value`, past ops that the runtime puts the QuantizeLinear before; the value
 * itself where there is none. */
uint32_t npart__quantized_result(const struct npart__trial *trial, uint32_t value);
/* quantized.c: where the only user of the value is a Relu or Clip that the QuantizeLinear after it makes redundant, the
 * result that this quantizes; else NPART_NONE. */
uint32_t npart__clamped_in_unit(const struct npart__trial *trial, uint32_t value);
/* The DequantizeLinear with whose scale the runtime quantizes the value, which an op makes that only moves elements;
 * NPART_NONE. */
uint32_t npart__moved_dequantizer(const struct npart__trial *trial, uint32_t value);
/* The DequantizeLinear that makes an input, or a QuantizeLinear that uses an output, right beside the value or where
 * the runtime moves one there; NPART_NONE. An output, too, may have a DequantizeLinear: npart__moved_dequantizer. */
uint32_t npart__quantizing_node(const struct npart__trial *trial, uint32_t value, bool is_output);
/* Whether a QuantizeLinear may get another encoding: what dequantizes its result is transposed and quantized by another
 * one, and the Transpose goes on to one that follows, after which the runtime joins both pairs (double_pairs.c). */
bool npart__may_join_pairs(const struct npart__trial *trial, uint32_t node);
/* Of that node an operand: 0 what is dequantized, 1 the scale, 2 the zero point; NPART_NONE when absent. */
uint32_t npart__quantizing_operand(const struct npart__trial *trial, uint32_t value, bool is_output, uint32_t index);
/* The op that makes a value, "none" when none does. */
const char *npart__producer_word(const struct npart__trial *trial, uint32_t value);
/* Whether a `unit` rule holds for the node; what is asked once is kept (around.c). */
bool npart__forms_unit(const struct npart__trial *trial, uint32_t node);
/* Whether the node passes the `need` rules of its own op. */
enum npart__truth npart__taken_alone(const struct npart__trial *trial, uint32_t node);
/* held_answers.c: 8 and 16 bits, which scales and zero points may belong to; those of 4 bits are weights. */
bool npart__holds_integers(const struct npart__session *session, uint32_t value);
/* The constant that the runtime makes of equal ones. */
uint32_t npart__shared_constant(const struct npart__session *session, uint32_t value);
/* NONE of what is no integer, or constant, or what no node has noted. */
enum npart__held npart__held_of(const struct npart__trial *trial, uint32_t value);
/* How often a question is asked: of how many operands, and for one of them of how many elements. Both are at least
 * 1, so that each comparison is made once even of nothing. */
uint32_t npart__operand_count(const struct npart__trial *trial, uint32_t term);
uint32_t npart__element_count(const struct npart__trial *trial, uint32_t term, uint32_t operand);
/* A list that is known to have no element: dims past the last axis, repeat(1, 0). */
bool npart__is_empty_list(const struct npart__trial *trial, uint32_t term, uint32_t operand);
struct npart__answer npart__answer_of(const struct npart__trial *trial, uint32_t term, struct npart__place place);

/* Where an axis is calculated, as what; else *out stays. False where that is not known. */
bool npart__find_axis(const struct npart__trial *trial, uint32_t sum, int64_t *out);
/* Which axes of a value `dims` asks about: from the first so many, which may be none. UNKNOWN where the rank or
 * an axis is, ABSENT where the rank has not all of them, else NUMBER. */
enum npart__answer_kind npart__asked_dims(const struct npart__trial *trial, const struct npart__term *term,
                                          uint32_t value, uint32_t *first, uint32_t *count);

/* A question at one place. */
struct npart__asked {
    const struct npart__trial *trial;
    const struct npart__term *term;
    uint32_t value, element; /* value: the operand; NPART_NONE where it is absent, or the question is about none */
    bool is_output;
    struct npart__fact *fact; /* of the value */
};

/* By its term: at one of the operands that its selector names, or at none. */
struct npart__asked npart__ask(const struct npart__trial *trial, const struct npart__term *term,
                               struct npart__operands operands, struct npart__place place);

/* Predicates of operands are asked only of such as are there, but for `present`. Those that lie beyond a node's own
 * operands are in around.c, the others in evaluate.c. */
#define PREDICATE(id, word, argument, about, adjective)                                                                \
    enum npart__truth npart__holds_##word(const struct npart__asked *asked);
#include "oplist/questions.def"

static inline enum npart__truth npart__truth_of(bool holds)
{
    return holds ? NPART__TRUE : NPART__FALSE;
}

/* To be called where an answer comes from what equivalent.c does not compare. */
static inline void npart__look_beyond(const struct npart__trial *trial)
{
    if (trial->looked_beyond)
        *trial->looked_beyond = true;
}

static inline const struct npart__term *npart__term_at(const struct npart__trial *trial, uint32_t term)
{
    return &trial->oplist->terms.items[term];
}

#endif
