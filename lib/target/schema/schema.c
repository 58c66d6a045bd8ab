/* SPDX-License-Identifier: Apache-2.0
 *
 * The generated table of operators, and the small language that its texts are written in: "X:T
 * W:T B?:T" are operands, "group=i:1 kernel_shape=I" attributes, "T=t10c02," the types of a
 * variable. Texts are taken apart when they are asked for, as most rows of a table of all
 * versions are never looked at.
 */
#include "schema/schema.h"

static const struct npart__operator operators[] = {
#define OPERATOR(domain, name, since, flags, inputs, outputs, attributes, least_inputs, least_outputs, types)          \
    {domain, name, since, flags, inputs, outputs, attributes, least_inputs, least_outputs, types},
#include "schema/operators.def"
};

/* Looked up for each operator of op lists and models: most names differ in their first letter. */
static inline int compare(const void *row, const char *domain, const char *name)
{
    const struct npart__row_key *key = row;
    int order = *key->domain || *domain ? strcmp(key->domain, domain) : 0; /* mostly both are the standard's own */
    if (order)
        return order;
    order = (unsigned char)*key->name - (unsigned char)*name;
    return order ? order : strcmp(key->name, name);
}

const void *npart__last_row(const void *rows, size_t count, size_t row_bytes, const char *domain, const char *name,
                            int64_t version)
{
    size_t low = 0, high = count;
    while (low < high) { /* the first that comes after what is asked for */
        size_t middle = low + (high - low) / 2;
        const void *row = (const char *)rows + middle * row_bytes;
        int order = compare(row, domain, name);
        if (order < 0 || (order == 0 && ((const struct npart__row_key *)row)->since <= version))
            low = middle + 1;
        else
            high = middle;
    }
    /* The one before it is the answer, if it is of this operator at all. */
    const char *row = low ? (const char *)rows + (low - 1) * row_bytes : NULL;
    return row && compare(row, domain, name) == 0 ? row : NULL;
}

/* Versions of an operator stand together, oldest first, and are ten at most. */
const struct npart__operator *npart__operator_versions(const char *domain, const char *name, size_t *count)
{
    const struct npart__operator *first = NPART__LAST_ROW(operators, domain, name, INT64_MAX), *last = first;
    while (first && first > operators && compare(first - 1, domain, name) == 0)
        first--;
    *count = first ? (size_t)(last - first) + 1 : 0;
    return first;
}

/* An operator counts from its version on until the next one; an opset beyond the table finds the
 * newest version known. Deprecated versions are found, too. Of Relu, which has the versions 1, 6, 13 and 14,
 * opset 12 finds 6. A version of 0, of a domain that is not imported, finds none. */
const struct npart__operator *npart__operator_find(const char *domain, const char *name, int64_t opset_version)
{
    return NPART__LAST_ROW(operators, domain, name, opset_version);
}

size_t npart__operator_count(void)
{
    return NPART__COUNT(operators);
}

const struct npart__operator *npart__operator_at(size_t number)
{
    return &operators[number];
}

/* `op` is a row of the table, as all that npart__operator_find returns. */
size_t npart__operator_number(const struct npart__operator *op)
{
    return (size_t)(op - operators);
}

/* Letters as operators.def explains them. */
unsigned npart__operator_flags(const struct npart__operator *op)
{
    unsigned flags = 0;
    for (const char *letter = op->flag_letters; *letter; letter++) {
        if (*letter == 'd')
            flags |= NPART__OPERATOR_DEPRECATED;
        else if (*letter == 'f')
            flags |= NPART__OPERATOR_FUNCTION;
        else if (*letter == 'r')
            flags |= NPART__OPERATOR_RANDOM;
        else if (*letter == 'u')
            flags |= NPART__OPERATOR_UNSHAPED;
    }
    return flags;
}

/* The next word of a list; false at its end. */
static bool next_word(const char **text, const char **word, size_t *length)
{
    const char *at = *text;
    while (*at == ' ')
        at++;
    *word = at;
    while (*at && *at != ' ')
        at++;
    *length = (size_t)(at - *word);
    *text = at;
    return *length > 0;
}

/* "B?:T" is an optional operand B of type variable T, "inputs*:T" a variadic one. */
static void parse_operand(const char *word, size_t length, struct npart__operand *out)
{
    const char *colon = memchr(word, ':', length);
    size_t name_length = colon ? (size_t)(colon - word) : length;
    *out = (struct npart__operand){.name = word};
    out->type = colon ? colon + 1 : "";
    out->type_length = colon ? length - name_length - 1 : 0;
    if (name_length && word[name_length - 1] == '?') {
        out->is_optional = true;
        name_length--;
    } else if (name_length && word[name_length - 1] == '*') {
        out->is_variadic = true;
        name_length--;
    }
    out->name_length = name_length;
}

/* The operand at a place, where a variadic one takes all places from its own on. Linear in the list, which has
 * some twenty words at most. */
static bool operand_at(const char *list, unsigned index, struct npart__operand *out)
{
    const char *word;
    size_t length;
    for (; next_word(&list, &word, &length); index--) {
        parse_operand(word, length, out);
        if (index == 0 || out->is_variadic)
            return true; /* a variadic operand is the last and answers for all that follow */
    }
    return false;
}

bool npart__operator_input(const struct npart__operator *op, unsigned index, struct npart__operand *out)
{
    return operand_at(op->inputs, index, out);
}

bool npart__operator_output(const struct npart__operator *op, unsigned index, struct npart__operand *out)
{
    return operand_at(op->outputs, index, out);
}

/* The place of a name in a list of operands; -1 where it has none. Names are compared as the
 * standard writes them, with upper and lower case. */
static int find_in(const char *list, const char *name, size_t name_length)
{
    const char *word;
    size_t length;
    for (int index = 0; next_word(&list, &word, &length); index++) {
        struct npart__operand operand;
        parse_operand(word, length, &operand);
        if (operand.name_length == name_length && memcmp(operand.name, name, name_length) == 0)
            return index;
    }
    return -1;
}

/* A name that is on neither side gives -1 and `*is_output` true, which means nothing then. */
int npart__operator_find_operand(const struct npart__operator *op, const char *name, size_t length, bool *is_output)
{
    int index = find_in(op->inputs, name, length);
    if (is_output)
        *is_output = index < 0;
    return index >= 0 ? index : find_in(op->outputs, name, length);
}

/* "axis=i:-1": kind i, default -1; "perm=I": no default; "to=i!": required. */
bool npart__operator_attribute(const struct npart__operator *op, const char *name, size_t name_length,
                               struct npart__attribute_schema *out)
{
    const char *list = op->attributes, *word;
    size_t length;
    while (next_word(&list, &word, &length)) {
        if (length <= name_length + 1 || word[name_length] != '=' || memcmp(word, name, name_length) != 0)
            continue;
        const char *at = word + name_length + 1, *end = word + length;
        *out = (struct npart__attribute_schema){.kind = *at++};
        if (at < end && *at == '!') {
            out->is_required = true;
            at++;
        }
        if (at < end && *at == ':') {
            out->default_text = at + 1;
            out->default_length = (size_t)(end - at - 1);
        }
        return true;
    }
    return false;
}

bool npart__operator_next_attribute(const struct npart__operator *op, const char **at, const char **name,
                                    size_t *name_length, bool *is_required)
{
    const char *word;
    size_t length;
    *at = *at ? *at : op->attributes;
    while (next_word(at, &word, &length)) {
        const char *equals = memchr(word, '=', length);
        if (!equals)
            continue;
        *name = word;
        *name_length = (size_t)(equals - word);
        *is_required = word + length - equals > 2 && equals[2] == '!';
        return true;
    }
    return false;
}

bool npart__operator_next_required(const struct npart__operator *op, const char **at, const char **name,
                                   size_t *name_length)
{
    bool is_required = false;
    while (!is_required && npart__operator_next_attribute(op, at, name, name_length, &is_required))
        continue;
    return is_required;
}

/* ---- types ----------------------------------------------------------------------------------------------- */

/* Element types as bits, in hex up to a comma. The table is generated, so a comma always comes, and digits are 0
 * to 9 and a to f. */
static uint32_t read_mask(const char **at)
{
    uint32_t mask = 0;
    while (**at != ',') {
        char digit = *(*at)++;
        mask = mask << 4 | (uint32_t)(digit <= '9' ? digit - '0' : digit - 'a' + 10);
    }
    return mask;
}

/* Kinds follow one another, each with its mask: "t10c02,s2," allows tensors and sequences. */
static void parse_types(const char *at, const char *end, struct npart__type_set *out)
{
    while (at < end) {
        char kind = *at++;
        uint32_t mask = read_mask(&at);
        at++;
        switch (kind) {
        case 't':
            out->tensor = mask;
            break;
        case 's':
            out->sequence = mask;
            break;
        case 'o':
            out->optional = mask;
            break;
        case 'q':
            out->optional_sequence = mask;
            break;
        case 'p':
            out->sparse = mask;
            break;
        case 'm':
            out->has_map = true;
            break;
        default:
            out->has_map_sequence = true;
        }
    }
}

/* A variable with "!" belongs to a variadic operand whose parts may have different types. */
bool npart__operator_types(const struct npart__operator *op, const char *variable, size_t variable_length,
                           struct npart__type_set *out)
{
    const char *list = op->types, *word;
    size_t length;
    while (next_word(&list, &word, &length)) {
        const char *equals = memchr(word, '=', length);
        bool is_loose = equals[-1] == '!';
        if ((size_t)(equals - word) - is_loose != variable_length || memcmp(word, variable, variable_length) != 0)
            continue;
        *out = (struct npart__type_set){.is_loose = is_loose};
        parse_types(equals + 1, word + length, out);
        return true;
    }
    return false;
}
