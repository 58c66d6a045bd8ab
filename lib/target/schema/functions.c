/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that the standard defines by others, of which ONNX Runtime lacks a kernel: their
 * bodies, read from the generated table. A body is text, for instance of Clip without bounds
 * "!min&!max?output=Identity input"; this file takes it apart, and lib/analysis/graph/expand.c builds the
 * nodes.
 */
#include "schema/schema.h"

static const struct npart__body functions[] = {
#define FUNCTION(name, since, opset, flags, body) {"", name, since, opset, flags, body},
#include "schema/functions.def"
#define CONTRIB(name, since, body) {"com.microsoft", name, since, 1, "", body},
#include "schema/contrib.def"
};

/* Dividers that follow one another count as one, so an empty part cannot be told from the end. Of "a,b" with
 * ',' the first call gives "a" and leaves *list at ",b", and the third gives false. */
bool npart__next_part(const char **list, const char *end, char divider, const char **word, size_t *length)
{
    const char *at = *list;
    while (at < end && *at == divider)
        at++;
    *word = at;
    while (at < end && *at != divider)
        at++;
    *length = (size_t)(at - *word);
    *list = at;
    return *length > 0;
}

/* Whole words: "conv" is not in "conv2d". Asked so often that no word is measured first: most differ in a letter. */
bool npart__lists_word(const char *list, const char *word)
{
    while (*list && *word) {
        const char *at = word;
        for (; *at && *list == *at; at++)
            list++;
        if (!*at && (!*list || *list == ' '))
            return true;
        while (*list && *list != ' ')
            list++;
        list += *list == ' ';
    }
    return false;
}

/* '*' in a pattern is any text, also none, and '?' any byte. Going back to the last star is enough: what an earlier one
 * might take, the last may take as well. "float-*" fits "float-bias". */
bool npart__fits_pattern(const char *pattern, size_t length, const char *text)
{
    const char *end = pattern + length, *star = NULL, *again = NULL;
    while (*text) {
        if (pattern < end && *pattern == '*') {
            star = pattern++;
            again = text;
        } else if (pattern < end && (*pattern == *text || *pattern == '?')) {
            pattern++;
            text++;
        } else if (star) {
            pattern = star + 1;
            text = ++again;
        } else {
            return false;
        }
    }
    while (pattern < end && *pattern == '*')
        pattern++;
    return pattern == end;
}

/* Generated, so its form is not checked: a statement always has an "=". "!min&!max?output=Identity input" has the
 * conditions "!min&!max", the outputs "output", the op "Identity" and the words " input"; without a '?' there are
 * no conditions. */
bool npart__next_statement(const char **body, struct npart__statement *out)
{
    const char *text, *at;
    size_t length;
    if (!npart__next_part(body, *body + strlen(*body), ';', &text, &length))
        return false;
    const char *end = text + length, *question = memchr(text, '?', length);
    *out = (struct npart__statement){.conditions = text};
    out->conditions_length = question ? (size_t)(question - text) : 0;
    out->outputs = question ? question + 1 : text;
    at = memchr(out->outputs, '=', (size_t)(end - out->outputs));
    out->outputs_length = (size_t)(at - out->outputs);
    out->op = ++at;
    const char *blank = memchr(at, ' ', (size_t)(end - at));
    out->op_length = (size_t)((blank ? blank : end) - at);
    out->words = out->op + out->op_length;
    out->words_length = (size_t)(end - out->words);
    return true;
}

/* Whether the operators of a fixed body are the same at the body's opset and at the model's. A
 * fixed body holds for the operators as they were at its opset; where one of them has changed
 * since, ONNX does not use the body either. */
static bool is_valid_at(const struct npart__body *function, int64_t opset_version)
{
    const char *body = function->body;
    struct npart__statement statement;
    while (npart__next_statement(&body, &statement)) {
        char op[64];
        if (statement.op_length >= sizeof op)
            return false;
        memcpy(op, statement.op, statement.op_length);
        op[statement.op_length] = '\0';
        if (npart__operator_find("", op, function->opset) != npart__operator_find("", op, opset_version))
            return false;
    }
    return true;
}

/* Of several bodies the one of the newest opset that the model has reached: rows are sorted by
 * version and opset, and hold up to the next. The table is walked through, but only for operators
 * that have the flag; numbers are compared before names. */
const struct npart__body *npart__body_find(const struct npart__operator *op, int64_t opset_version)
{
    const struct npart__body *found = NULL;
    if (!op || !(npart__operator_flags(op) & NPART__OPERATOR_FUNCTION))
        return NULL;
    for (size_t i = 0; i < NPART__COUNT(functions); i++)
        if (functions[i].since <= op->since && functions[i].opset <= opset_version &&
            strcmp(functions[i].name, op->name) == 0 && strcmp(functions[i].domain, op->domain) == 0)
            found = &functions[i];
    if (!found || !*found->body)
        return NULL;
    return *found->flag_letters == 'f' && !is_valid_at(found, opset_version) ? NULL : found;
}
