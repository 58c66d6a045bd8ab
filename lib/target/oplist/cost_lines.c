/* SPDX-License-Identifier: Apache-2.0
 *
 * What things cost: `param` lines, of a list or of a file of their own, which is the same language with these lines
 * alone. Figures that are fitted, or measured by a user, stand in such a file: whoever makes it need not know the list.
 */
#include "oplist/parse.h"

const char *const npart__parameter_names[] = {
#define PARAMETER(name, text, where, sentence) text,
#include "oplist/parameters.def"
};
const char *const npart__arithmetic_names[] = {"float32", "float16", "w8a8", "w8a16", NULL};
const char *const npart__invoker_names[] = {"bare", "onnxruntime", "tflite", "coreml", NULL};

/* The place of a word in a table; `count` when it is not there. */
static uint8_t place_of(const char *const *names, uint8_t count, const char *word, size_t length)
{
    uint8_t i = 0;
    while (i < count && !npart__is_text(names[i], word, length))
        i++;
    return i;
}

/* The word of `--runtime`, and of `via` in a list. *out is one past the last where there is none. */
bool npart__find_invoker(const char *name, size_t length, enum npart__invoker *out)
{
    uint8_t found = place_of(npart__invoker_names, NPART__INVOKERS, name, length);
    *out = (enum npart__invoker)found;
    return found < NPART__INVOKERS;
}

/* Units of what is so much a second, by the end of a name. The others are times and factors: they grow where a
 * device is slower, rates where it is faster. */
bool npart__is_rate(const char *name)
{
    static const char *const ends[] = {"_per_s", "_tops", "_gops"};
    size_t length = strlen(name);
    for (size_t i = 0; i < NPART__COUNT(ends); i++)
        if (length > strlen(ends[i]) && strcmp(name + length - strlen(ends[i]), ends[i]) == 0)
            return true;
    return false;
}

/* No parameter is as large or, but for 0, as small in its unit: what is computed with it stays a finite number, and
 * its bytes fit 64 bits. */
#define MOST_PARAMETER 1e12
#define LEAST_PARAMETER 1e-12

/* Three numbers in order, none below 0: a minus is no part of a number here. Nothing divides by a parameter that
 * may be 0, so only rates must not be. */
static void check_range(struct npart__parser *parser, const struct npart__value *name, const struct npart__value *range)
{
    const struct npart__token *low = range[0].token, *high = range[2].token;
    for (size_t i = 0; i < 3; i++) {
        double real = range[i].token->word->real;
        /* Negated, so that a NaN would not pass. */
        if (!(real <= MOST_PARAMETER) || (real > 0 && real < LEAST_PARAMETER))
            npart__parse_fail(parser, range[i].token->column, "a parameter is 0 or from 1e-12 to 1e12");
    }
    if (!(low->word->real <= range[1].token->word->real && range[1].token->word->real <= high->word->real))
        npart__parse_fail(parser, high->column, "low, typical and high are not in order");
    if (low->word->real == 0 && npart__is_rate(name->text))
        npart__parse_fail(parser, high->column, "a rate must be above 0");
}

/* `param matrix_tops of w8a8 for v75 24 34 42 "AI Hub v0.46.1"`. What no report reads is a typing mistake, but
 * harmless, so a warning. It is kept all the same, so that an older tool can read the list of a newer one. The layer
 * is 0 for the list's own lines. */
void npart__line_param(struct npart__parser *parser, const struct npart__value *is)
{
    struct npart__parameter parameter = {
        .name = place_of(npart__parameter_names, NPART__PARAMETERS, is[0].text, strlen(is[0].text)),
        .arithmetic = is[1].token ? (uint8_t)is[1].index : NPART__ARITHMETICS,
        .variant = is[2].index,
        .invoker = is[3].token ? (uint8_t)is[3].index : NPART__INVOKERS,
        .low = is[4].token->word->real,
        .typical = is[5].token->word->real,
        .high = is[6].token->word->real,
        .is_assumed = is[7].token,
        .layer = parser->layer,
        .source = is[8].text ? is[8].text : parser->default_source};
    if (parameter.name == NPART__PARAMETERS) {
        struct npart__nearest nearest;
        char hint[NPART__HINT_BYTES];
        npart__nearest_init(&nearest, is[0].text, strlen(is[0].text));
        for (size_t i = 0; i < NPART__PARAMETERS; i++)
            npart__nearest_offer(&nearest, npart__parameter_names[i]);
        npart__parse_warn(parser, is[0].token->column, "no report reads the parameter %s%s", is[0].text,
                          nearest.count ? npart__nearest_hint(&nearest, hint, sizeof hint) : "");
    }
    check_range(parser, &is[0], &is[4]);
    NPART__KEEP(parser, &parser->oplist->parameters, parameter);
}

/* Figures of a file among the lines of a list, as if they stood there. Its sources are its own. The place of
 * reading is put back afterwards, for what comes next in the list. Its figures are of layer 0 like the list's own:
 * of equals the later line counts. */
static void read_builtin(struct npart__parser *parser, const struct npart__builtin_oplist *cost)
{
    const struct npart__reading before = parser->now;
    const char *path = parser->oplist->path, *source = parser->default_source;
    parser->oplist->path = npart__parse_text(parser, npart__arena_format(parser->arena, "%s.cost", cost->name));
    parser->is_cost = true;
    npart__read_cost_lines(parser, (const char *)cost->text, cost->bytes);
    parser->is_cost = false;
    parser->oplist->path = path;
    parser->default_source = source;
    parser->now = before;
}

/* In a list it takes in the built-in cost file of that name; in a cost file it says whose costs these are. */
void npart__line_cost(struct npart__parser *parser, const struct npart__value *is)
{
    const struct npart__builtin_oplist *cost = npart__builtin_costs;
    if (parser->is_cost) { /* of a file laid on top; one that the list names itself is its own */
        bool is_other = parser->layer && strcmp(is[0].text, parser->oplist->name) != 0;
        if (is_other)
            /* Not by npart__parse_fail: nothing is wrong in the file, the user took the wrong one. */
            parser->status = npart__fail(parser->error, NPART_ERROR_ARGUMENT, "", "%s has the costs of %s, not of %s",
                                         parser->oplist->path, is[0].text, parser->oplist->name);
        parser->must_stop |= is_other;
        return;
    }
    while (cost->name && strcmp(cost->name, is[0].text) != 0)
        cost++;
    if (cost->name)
        read_builtin(parser, cost);
    else
        npart__parse_fail(parser, is[0].token->column, "there are no costs of %s", is[0].text);
}

/* The tables of the list are shared, but for parameters, which are copied so that more can be added. So the list
 * itself stays as it is for plans that were made from it. A file's layer is one above those below it: a user's
 * figure goes before a built-in one, however closely that fits. There is no listener, so the first mistake ends
 * the reading. */
npart_status npart__cost_read(const struct npart__oplist *base, const char *text, size_t bytes, const char *path,
                              struct npart__arena *arena, struct npart__oplist *out, struct npart_error *error)
{
    *out = *base;
    memset(&out->parameters, 0, sizeof out->parameters);
    struct npart__parser *parser = npart__begin_reading(out, arena, path, error);
    if (!parser || !NPART__RESERVE(arena, &out->parameters, base->parameters.count + (size_t)1))
        return npart__fail_memory(error);
    parser->layer = 1;
    for (uint32_t i = 0; i < base->parameters.count; i++) {
        out->parameters.items[out->parameters.count++] = base->parameters.items[i];
        /* UINT8_MAX is kept free, so adding 1 never goes around. */
        if (base->parameters.items[i].layer >= parser->layer)
            parser->layer = (uint8_t)(base->parameters.items[i].layer + 1);
    }
    parser->default_source = path;
    parser->is_cost = true;
    if (bytes > NPART__LIMIT_OPLIST_BYTES || parser->layer == UINT8_MAX)
        npart__parse_fail(parser, 1, bytes > NPART__LIMIT_OPLIST_BYTES ? "larger than 4 MiB" : "too many cost files");
    else
        npart__read_cost_lines(parser, text, bytes);
    /* The file's path was for messages alone. */
    out->path = base->path;
    return npart__end_reading(parser);
}
