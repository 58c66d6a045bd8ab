/* SPDX-License-Identifier: Apache-2.0
 *
 * Which operands a question is about, and which of their axes.
 */
#include "judge/answer.h"

/* A selector such as `scales` is another index in another version of the operator: the latest version that begins at
 * or below the node's own is taken. An index of -1 says that the operand is no part of that version. A variadic
 * operand, as of Concat, is all from its index on. Versions of a selector are sorted; a name that means one
 * operand in all versions has a single one. A node of an unknown version is taken to be of the newest. */
struct npart__operands npart__select_operands(const struct npart__trial *trial, uint32_t selector)
{
    const struct npart__selector *at = &trial->oplist->selectors.items[selector];
    uint32_t inputs = trial->node->input_count, outputs = trial->node->output_count;
    switch ((enum npart__selector_kind)at->kind) {
    case NPART__SELECT_ALL:
        return (struct npart__operands){.count = inputs + outputs, .is_both = true};
    case NPART__SELECT_INPUTS:
        return (struct npart__operands){.count = inputs};
    case NPART__SELECT_OUTPUTS:
        return (struct npart__operands){.count = outputs, .is_output = true};
    case NPART__SELECT_IT:
        return (struct npart__operands){.count = 1, .is_output = trial->it_is_output, .is_it = true};
    case NPART__SELECT_NAME:
        return (struct npart__operands){.first = (uint32_t)at->versions[0].index, .count = 1, .is_name = true};
    case NPART__SELECT_ONE:
        break;
    }
    /* Without a schema the newest meaning counts. */
    uint32_t version = at->version_count;
    int32_t since = version > 1 && trial->node->schema ? trial->node->schema->since : INT32_MAX;
    while (version > 1 && at->versions[version - 1].since > since)
        version--;
    if (version == 0 || at->versions[version - 1].index < 0)
        return (struct npart__operands){.count = 0};
    /* A node may have fewer operands than its operator: one past its last is absent. */
    uint32_t index = (uint32_t)at->versions[version - 1].index, available;
    bool is_output = at->versions[version - 1].is_output;
    available = is_output ? outputs : inputs;
    bool is_variadic = at->versions[version - 1].is_variadic;
    return (struct npart__operands){.first = index,
                             .count = index >= available ? 0 : is_variadic ? available - index : 1,
                             .is_output = is_output};
}

/* The operand's value id, what stands for it once folded nodes are gone; NPART_NONE when it is absent. Operands
 * are those of the session's graph, so a value is already what remains once folded nodes are gone. */
uint32_t npart__operand_at(const struct npart__trial *trial, struct npart__operands operands, uint32_t index)
{
    if (index >= operands.count)
        return NPART_NONE;
    if (operands.is_it)
        return trial->it;
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
    return npart__node_input(trial->graph, trial->node, index);
}

bool npart__is_output_operand(const struct npart__trial *trial, struct npart__operands operands, uint32_t index)
{
    return operands.is_output || (operands.is_both && operands.first + index >= trial->node->input_count);
}

struct npart__asked npart__ask(const struct npart__trial *trial, const struct npart__term *term,
                               struct npart__operands operands, struct npart__place place)
{
    struct npart__asked asked = {.trial = trial, .term = term, .value = NPART_NONE, .element = place.element};
    if (term->selector == NPART_NONE || npart__question_of(term)->argument == NPART__ARGUMENT_SIDE)
        return asked;
    asked.value = npart__operand_at(trial, operands, place.operand);
    asked.is_output = npart__is_output_operand(trial, operands, place.operand);
    if (asked.value != NPART_NONE)
        asked.fact = &trial->inference->facts[asked.value];
    return asked;
}

bool npart__find_axis(const struct npart__trial *trial, uint32_t sum, int64_t *out)
{
    if (sum == NPART_NONE)
        return true;
    struct npart__answer answer = npart__answer_of(trial, sum, (struct npart__place){0, 0});
    *out = answer.number;
    return answer.kind == NPART__ANSWER_NUMBER && !answer.is_real;
}

/* Of rank 4, `dims(x)` are axes 0 to 3, `dims(x, 2..)` 2 and 3, `dims(x, 1..-2)` 1 and 2. */
enum npart__answer_kind npart__asked_dims(const struct npart__trial *trial, const struct npart__term *term,
                                          uint32_t value, uint32_t *first, uint32_t *count)
{
    const struct npart__fact *fact = &trial->inference->facts[value];
    bool has_index = term->has_index;
    int64_t from = has_index ? term->number : 0, last = has_index && term->to_last ? term->last : -1;
    *first = *count = 0;
    if (!fact->has_rank || !npart__find_axis(trial, term->right, &from) || !npart__find_axis(trial, term->next, &last))
        return NPART__ANSWER_UNKNOWN;
    from += from < 0 ? fact->rank : 0;
    last = has_index && !term->to_last ? from : last < 0 ? last + fact->rank : last;
    if (from < 0 || from > fact->rank || last < -1 || last >= fact->rank)
        return NPART__ANSWER_ABSENT;
    *first = (uint32_t)from;
    *count = last < from ? 0 : (uint32_t)(last - from + 1);
    return NPART__ANSWER_NUMBER;
}
