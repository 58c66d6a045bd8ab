/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators whose shapes can be written down: "[b,s,k] [k,n] -> [b,s,n]". Many operators of com.microsoft need no
 * function of their own; operators.table holds their text.
 *
 *   operands   inputs, "->", outputs, in order; _ says nothing of one, [] is a scalar
 *   dims       a letter is a size, the same wherever it stands; ... is any number of dims; _ is any size
 *   outputs    sums of products of letters, numbers, @attribute (an integer, or the schema's default) and
 *              #2 (the number that input 2 holds); .1 after either takes the second of several; / rounds down
 *   types      before an output's bracket, where the schema does not tell: int32[b], or @dtype[b] by attribute
 *   " | "      separates alternatives: the first whose inputs all have the ranks it says is taken
 *
 * What cannot be worked out is an unknown dim, or leaves the output as it is where the rank hangs on it. An input of
 * another rank than its bracket ends the alternative. One without a rank fits where there is only one, and leaves its
 * letters unknown.
 *
 *   Rfft            "[...,n] -> [...,n/2+1,2]"   [2,3,16] -> [2,3,9,2]
 *   RestorePadding  "[_,h] [b,s] -> [b,s,h]"     [40,64] [4,10] -> [4,10,64]
 */
#include "infer/families.h"

/* A pattern that is being read against one node: what its letters and its ellipsis stand for so far. */
struct match {
    struct npart__call *call;
    int64_t sizes[26]; /* by letter */
    bool is_bound[26];
    const int64_t *rest; /* what ... stands for */
    uint32_t rest_count;
    bool has_rest;
    const char *at; /* in the row's text, what is read next */
};

static void skip_blanks(struct match *match)
{
    while (*match->at == ' ')
        match->at++;
}

/* Blanks are stepped over even where the token does not come next. */
static bool take(struct match *match, const char *token)
{
    size_t length = strlen(token);
    skip_blanks(match);
    if (strncmp(match->at, token, length) != 0)
        return false;
    match->at += length;
    return true;
}

static bool is_letter(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_word(char c)
{
    return is_letter(c) || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/* ---- inputs ---------------------------------------------------------------------------------------------- */

/* The dims that a bracket lists, without the ellipsis. */
static uint32_t count_dims(const char *at, bool *has_rest)
{
    uint32_t count = 0;
    *has_rest = false;
    for (; *at != ']'; at++) {
        if (strncmp(at, "...", 3) == 0) {
            *has_rest = true;
            at += 2;
        } else if (*at != ',') {
            count++;
        }
    }
    return count;
}

/* The first size of a letter counts, unless a later one is a number: in "[b,n] [b,m]" one operand may have a symbolic
 * batch where the other has its number. */
static void bind(struct match *match, char letter, int64_t size)
{
    unsigned index = (unsigned)(letter - 'a');
    if (!match->is_bound[index] || (!npart__is_number(match->sizes[index]) && npart__is_number(size)))
        match->sizes[index] = size;
    match->is_bound[index] = true;
}

/* Reads one input's bracket against its fact; false when the ranks do not agree. `must_know`: nor when it has no
 * rank. */
static bool match_input(struct match *match, const struct npart__fact *fact, bool is_present, bool must_know)
{
    bool has_rest;
    uint32_t count = count_dims(match->at, &has_rest), axis = 0;
    /* Without an ellipsis the rank is exact; with one, it is at least what the letters need. */
    bool fits = fact->has_rank && (fact->rank == count || (has_rest && fact->rank > count));
    for (; *match->at != ']'; match->at++) {
        if (strncmp(match->at, "...", 3) == 0) {
            /* The first ellipsis that is matched counts for all. */
            if (fits && !match->has_rest) {
                match->has_rest = true;
                match->rest = fact->dims + axis;
                match->rest_count = fact->rank - count;
            }
            axis += fits ? fact->rank - count : 0;
            match->at += 2;
        } else if (*match->at != ',') {
            if (fits && is_letter(*match->at))
                bind(match, *match->at, fact->dims[axis]);
            axis++;
        }
    }
    match->at++;
    return fits || !is_present || (!fact->has_rank && !must_know);
}

/* Reads all inputs up to "->", also where one does not match, so that the outputs come next. Inputs that the node has
 * past those of the text are not looked at. */
static bool match_inputs(struct match *match, bool must_know)
{
    bool ok = true;
    for (uint32_t input = 0; !take(match, "->"); input++) {
        if (take(match, "_"))
            continue;
        if (!take(match, "["))
            return false;
        ok &= match_input(match, npart__in(match->call, input), npart__has_input(match->call, input), must_know);
    }
    return ok;
}

/* ---- outputs --------------------------------------------------------------------------------------------- */

static int64_t read_sum(struct match *match);

/* Texts are our own, so numbers are small and need no check. */
static uint32_t read_digits(struct match *match)
{
    uint32_t number = 0;
    while (*match->at >= '0' && *match->at <= '9')
        number = number * 10 + (uint32_t)(*match->at++ - '0');
    return number;
}

/* The number after a dot; 0 without one. */
static uint32_t read_index(struct match *match)
{
    if (*match->at != '.')
        return 0;
    match->at++;
    return read_digits(match);
}

/* @name or @name.index */
static int64_t read_attribute(struct match *match)
{
    char name[48];
    size_t length = 0;
    uint32_t count;
    while (is_word(*match->at) && length + 1 < sizeof name)
        name[length++] = *match->at++;
    name[length] = '\0';
    /* A list, or one number with a default; other types of attribute are unknown. */
    const int64_t *ints = npart__ints_attribute(match->call, name, &count);
    uint32_t index = read_index(match);
    if (ints)
        return index < count ? ints[index] : NPART__UNKNOWN;
    return npart__int_or_default(match->call, name);
}

/* #input or #input.index */
static int64_t read_element(struct match *match)
{
    uint32_t input = read_digits(match), index = read_index(match), count;
    const int64_t *ints = npart__in_ints(match->call, input, &count);
    return ints && index < count ? ints[index] : NPART__UNKNOWN;
}

/* A letter that no input gave a size, and "_", are unknown. */
static int64_t read_factor(struct match *match)
{
    skip_blanks(match);
    char c = *match->at;
    if (c >= '0' && c <= '9')
        return read_digits(match);
    match->at++;
    if (c == '@')
        return read_attribute(match);
    if (c == '#')
        return read_element(match);
    if (is_letter(c))
        return match->is_bound[c - 'a'] ? match->sizes[c - 'a'] : NPART__UNKNOWN;
    if (c != '(')
        return NPART__UNKNOWN; /* _ */
    int64_t value = read_sum(match);
    (void)take(match, ")");
    return value;
}

/* From left to right; a division rounds down, as n/2 + 1 bins of Rfft need it. */
static int64_t read_product(struct match *match)
{
    struct npart__expressions *pool = match->call->pool;
    int64_t value = read_factor(match);
    for (;;) {
        if (take(match, "*"))
            value = npart__product(pool, value, read_factor(match));
        else if (take(match, "/"))
            value = npart__floor_quotient(pool, value, read_factor(match));
        else
            return value;
    }
}

static int64_t read_sum(struct match *match)
{
    struct npart__expressions *pool = match->call->pool;
    int64_t value = read_product(match);
    for (;;) {
        if (take(match, "+"))
            value = npart__sum(pool, value, read_product(match));
        else if (take(match, "-"))
            value = npart__difference(pool, value, read_product(match));
        else
            return value;
    }
}

/* An element type before the bracket. */
static void read_type(struct match *match, uint32_t output)
{
    const char *from = match->at;
    int64_t type = 0;
    if (take(match, "@")) {
        type = read_attribute(match);
    } else {
        /* Nothing before the bracket reads as the empty name, which is no type, so the schema's stays. */
        while (is_word(*match->at))
            match->at++;
        type = npart__type_number(from, (size_t)(match->at - from));
    }
    npart__set_known_type(match->call, output, type);
}

/* One output's bracket. Dims past the highest rank, or an ellipsis that nothing was matched with, leave it without a
 * shape. */
static void write_output(struct match *match, uint32_t output)
{
    int64_t sizes[NPART__LIMIT_RANK];
    uint32_t rank = 0;
    bool is_known = true;
    while (!take(match, "]")) {
        (void)take(match, ",");
        if (take(match, "...")) {
            is_known = is_known && match->has_rest && rank + match->rest_count <= NPART__LIMIT_RANK;
            for (uint32_t i = 0; is_known && i < match->rest_count; i++)
                sizes[rank++] = match->rest[i];
            continue;
        }
        /* Read in any case, as it is what moves on in the text. */
        int64_t size = read_sum(match);
        is_known = is_known && rank < NPART__LIMIT_RANK;
        if (is_known)
            sizes[rank++] = size;
    }
    if (is_known)
        npart__set_sizes(match->call, output, rank, sizes);
}

/* Outputs that the text does not have stay as they are. */
static void write_outputs(struct match *match)
{
    skip_blanks(match);
    for (uint32_t output = 0; output < match->call->node->output_count && *match->at && *match->at != '|'; output++) {
        if (!take(match, "_")) {
            read_type(match, output);
            if (!take(match, "["))
                return; /* a mistake in the table, which a test finds */
            write_output(match, output);
        }
        skip_blanks(match);
    }
}

/* With alternatives, the ranks of the inputs must be known to choose by them; a single pattern says what it can
 * without. */
void npart__infer_pattern(struct npart__call *call)
{
    const char *pattern = call->row->pattern;
    bool has_choice = strchr(pattern, '|') != NULL;
    while (pattern) {
        struct match match = {.call = call, .at = pattern};
        if (match_inputs(&match, has_choice)) {
            write_outputs(&match);
            return;
        }
        /* The next alternative begins anew: letters that were bound are forgotten. */
        pattern = strchr(pattern, '|');
        pattern = pattern ? pattern + 1 : NULL;
    }
}
