/* SPDX-License-Identifier: Apache-2.0
 *
 * Expressions as text: dims as exporters write them ("past_sequence_length + 1", "floor(h/2)", "(s0 - 1)//2 + 1"), and
 * as reports print them. ONNX says of a dim_param only that it is a name; that PyTorch (by sympy) and ONNX Runtime put
 * formulas there is a custom, so a text that is no expression is a name as it stands, blanks and all: "batch size" is
 * one symbol.
 *
 *   sum      product { (+ | -) product }
 *   product  factor { (* | / | // | %) factor }
 *   factor   number | name | - factor | ( sum ) | function ( sum { , sum } )
 *
 * Powers (**) are not read: sizes are not written so, and a text with one becomes a name.
 */
#include "infer/expression_internal.h"

/* ---- reading --------------------------------------------------------------------------------------------- */

struct reader {
    struct npart__expressions *pool;
    const char *at;
    unsigned depth;     /* of read_factor in itself, by parentheses, functions and signs */
    unsigned operators; /* seen so far: none means that the text is just a name */
    bool failed;        /* the text is no expression; what is read from then on counts for nothing */
};

static int64_t read_sum(struct reader *reader);
static int64_t read_factor(struct reader *reader);

static void skip_blanks(struct reader *reader)
{
    while (*reader->at == ' ')
        reader->at++;
}

/* Steps over a token after blanks, if it comes next. */
static bool take(struct reader *reader, const char *token)
{
    skip_blanks(reader);
    size_t length = strlen(token);
    if (strncmp(reader->at, token, length) != 0)
        return false;
    reader->at += length;
    return true;
}

/* Beyond letters and digits: dots, as in "input.1_dim_0", and bytes of UTF-8. */
static bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           (unsigned char)c >= 0x80;
}

/* No expression after all; the 0 is not looked at. */
static int64_t fail(struct reader *reader)
{
    reader->failed = true;
    return 0;
}

/* A digit begins a number, never a name: with "2d" in it, the text is no expression. */
static int64_t read_number(struct reader *reader)
{
    int64_t value = 0;
    while (*reader->at >= '0' && *reader->at <= '9')
        if (!npart__multiply_int64(value, 10, &value) || !npart__add_int64(value, *reader->at++ - '0', &value))
            return fail(reader);
    return is_word(*reader->at) ? fail(reader) : value;
}

enum call_kind { CALL_MAX, CALL_MIN, CALL_FLOOR, CALL_CEIL, CALL_FLOOR_DIVIDE, CALL_CEIL_DIVIDE, CALL_MODULO };

/* What exporters, sympy and ONNX Runtime call the same few functions. */
static const struct {
    const char *name;
    enum call_kind kind;
} calls[] = {
    {"CeilDiv", CALL_CEIL_DIVIDE},
    {"CeilToInt", CALL_CEIL},
    {"FloorDiv", CALL_FLOOR_DIVIDE},
    {"FloorToInt", CALL_FLOOR},
    {"Max", CALL_MAX},
    {"Min", CALL_MIN},
    {"Mod", CALL_MODULO},
    {"PythonMod", CALL_MODULO},
    {"ceil", CALL_CEIL},
    {"ceiling", CALL_CEIL},
    {"floor", CALL_FLOOR},
    {"max", CALL_MAX},
    {"min", CALL_MIN},
};

/* Functions of two operands, and of more from left to right: Max(a, b, c). Mod is Python's, as in sympy: a -
 * b*floor(a/b). */
static int64_t apply_call(struct reader *reader, enum call_kind kind, int64_t a, int64_t b)
{
    struct npart__expressions *pool = reader->pool;
    /* The kinds that divide are the last ones of the enum. */
    if (kind >= CALL_FLOOR_DIVIDE && b == 0)
        return fail(reader);
    switch (kind) {
    case CALL_MAX:
        return npart__maximum(pool, a, b);
    case CALL_MIN:
        return npart__minimum(pool, a, b);
    case CALL_FLOOR_DIVIDE:
        return npart__floor_quotient(pool, a, b);
    case CALL_CEIL_DIVIDE:
        return npart__ceil_quotient(pool, a, b);
    case CALL_MODULO:
        return npart__difference(pool, a, npart__product(pool, npart__floor_quotient(pool, a, b), b));
    default: /* of one operand */
        return fail(reader);
    }
}

/* ceil(a / b), where the division must not have been rounded down already; ceil(a) is a, as sizes are whole. Anything
 * else inside makes the text a name. */
static int64_t read_ceil(struct reader *reader)
{
    int64_t value = read_factor(reader);
    if (take(reader, "/")) {
        int64_t divisor = read_factor(reader);
        if (reader->failed || divisor == 0)
            return fail(reader);
        value = npart__ceil_quotient(reader->pool, value, divisor);
    }
    return take(reader, ")") ? value : fail(reader);
}

/* A function of the table above, its name and "(" being read; another name makes the text no expression. */
static int64_t read_call(struct reader *reader, const char *word, size_t length)
{
    size_t i = 0;
    reader->operators++;
    while (i < NPART__COUNT(calls) && (strlen(calls[i].name) != length || memcmp(calls[i].name, word, length) != 0))
        i++;
    if (i == NPART__COUNT(calls))
        return fail(reader);
    if (calls[i].kind == CALL_CEIL)
        return read_ceil(reader);
    int64_t value = read_sum(reader);
    while (!reader->failed && take(reader, ","))
        value = apply_call(reader, calls[i].kind, value, read_sum(reader));
    return take(reader, ")") ? value : fail(reader);
}

/* Nesting is limited, as the text comes from the file and this function calls itself. */
static int64_t read_factor(struct reader *reader)
{
    skip_blanks(reader);
    if (reader->failed || ++reader->depth > NPART__MOST(reader->pool->limits, EXPRESSION_DEPTH))
        return fail(reader);
    int64_t value;
    const char *word = reader->at;
    if (take(reader, "(")) {
        reader->operators++;
        value = read_sum(reader);
        if (!take(reader, ")"))
            value = fail(reader);
    } else if (take(reader, "-")) {
        reader->operators++;
        value = npart__product(reader->pool, read_factor(reader), -1);
    } else if (*word >= '0' && *word <= '9') {
        value = read_number(reader);
    } else {
        /* A name, or the name of a function if "(" comes after it. */
        while (is_word(*reader->at))
            reader->at++;
        size_t length = (size_t)(reader->at - word);
        if (length == 0)
            value = fail(reader);
        else if (take(reader, "("))
            value = read_call(reader, word, length);
        else
            value = npart__symbol(reader->pool, word, length);
    }
    reader->depth--;
    return value;
}

/* From left to right, as in Python: a // b * c is (a // b) * c. "**" is asked for first, as "*" would take half of
 * it; so with "//". */
static int64_t read_product(struct reader *reader)
{
    int64_t value = read_factor(reader);
    for (;;) {
        if (take(reader, "**"))
            return fail(reader);
        if (take(reader, "*"))
            value = npart__product(reader->pool, value, read_factor(reader));
        else if (take(reader, "//") || take(reader, "/")) /* sizes are whole: a plain / rounds down too */
            value = apply_call(reader, CALL_FLOOR_DIVIDE, value, read_factor(reader));
        else if (take(reader, "%"))
            value = apply_call(reader, CALL_MODULO, value, read_factor(reader));
        else
            return value;
        reader->operators++;
        if (reader->failed)
            return 0;
    }
}

/* A minus before the first product is read by read_factor. */
static int64_t read_sum(struct reader *reader)
{
    int64_t value = read_product(reader);
    while (!reader->failed) {
        if (take(reader, "+"))
            value = npart__sum(reader->pool, value, read_product(reader));
        else if (take(reader, "-"))
            value = npart__difference(reader->pool, value, read_product(reader));
        else
            return value;
        reader->operators++;
    }
    return 0;
}

/* Whether the text is an expression at all is tried on a scratch pool, so that a failed attempt leaves no symbols.
 * *is_plain: it is one, but only a name or a number. */
static bool is_expression(struct npart__expressions *pool, const char *text, bool *is_plain)
{
    struct npart__arena arena;
    npart__arena_init(&arena, &pool->arena->allocator);
    struct npart__expressions scratch;
    struct reader reader = {.pool = &scratch, .at = text};
    bool ok = npart__expressions_init(&scratch, &arena);
    /* With the same limits, as nesting is limited by them. */
    scratch.limits = pool->limits;
    if (ok) {
        (void)read_sum(&reader);
        skip_blanks(&reader);
        ok = !scratch.failed;
    }
    /* Out of memory is no answer to the question; the pool remembers. */
    if (!ok)
        pool->failed = true;
    npart__arena_clear(&arena);
    *is_plain = reader.operators == 0;
    return ok && !reader.failed && *reader.at == '\0';
}

/* Most dims are plain names, which need no attempt. */
static bool looks_plain(const char *text)
{
    for (; *text; text++)
        if (!is_word(*text))
            return false;
    return true;
}

/* A text of digits alone is a name too: as a number it would stand in dim_value, which is another field. */
bool npart__is_dim_name(struct npart__expressions *pool, const char *text)
{
    bool is_plain = true;
    return looks_plain(text) || !is_expression(pool, text, &is_plain) || is_plain;
}

/* Since the attempt went well, reading it again in the pool itself does not fail, but for memory. */
int64_t npart__parse_dim(struct npart__expressions *pool, const char *text)
{
    if (npart__is_dim_name(pool, text))
        return npart__symbol(pool, text, strlen(text));
    struct reader reader = {.pool = pool, .at = text};
    return read_sum(&reader);
}

/* ---- binding --------------------------------------------------------------------------------------------- */

/* Solves coefficient * symbol + constant = value for the symbol: "2*h + 1" = 65 binds h to 32, and = 64 fails, as no
 * size makes it true. What the text means may have become a number by earlier bindings; then that must be the same. */
bool npart__bind_text(struct npart__expressions *pool, const char *text, int64_t value, const char **problem)
{
    int64_t meaning = npart__parse_dim(pool, text), coefficient, constant, rest;
    uint32_t symbol;
    /* The most likely problem, unless another is found. */
    *problem = "it conflicts with another one";
    /* All its symbols are bound: by earlier requests it has a number. */
    if (npart__is_number(meaning))
        return meaning == value;
    if (meaning == NPART__UNKNOWN)
        return true; /* out of memory, which the pool remembers */
    if (!npart__single_symbol(pool, meaning, &symbol, &coefficient, &constant)) {
        *problem = "more than one symbol of it is still dynamic";
        return false;
    }
    /* INT64_MIN has no opposite. */
    if (!npart__subtract_int64(value, constant, &rest) || rest == INT64_MIN || rest % coefficient != 0 ||
        rest / coefficient < 0) {
        *problem = "no size makes it true";
        return false;
    }
    const char *name = pool->symbols.items[symbol].name;
    if (!name) { /* it stands for an expression past the limits of exact arithmetic */
        *problem = "it is too large to be solved";
        return false;
    }
    return npart__bind_symbol(pool, name, strlen(name), rest / coefficient);
}

/* ---- printing -------------------------------------------------------------------------------------------- */

/* floor((s - 1)/2), max(s, 64): with no more parentheses than the sums inside need. */
static void append_atom(struct npart__buffer *buffer, const struct npart__expressions *pool,
                        const struct npart__atom *atom)
{
    static const char *const names[] = {[NPART__ATOM_FLOOR] = "floor(", [NPART__ATOM_MAX] = "max(",
                                        [NPART__ATOM_MIN] = "min("};
    if (atom->kind == NPART__ATOM_SYMBOL) {
        const char *name = pool->symbols.items[atom->left].name;
        npart__append_text(buffer, name ? name : "?");
        return;
    }
    bool is_floor = atom->kind == NPART__ATOM_FLOOR;
    /* A dividend of more than one term. */
    bool wants_parentheses = is_floor && !npart__is_number(atom->left) &&
                             (npart__sum_at(pool, atom->left)->count > 1 || npart__sum_at(pool, atom->left)->constant);
    npart__append_text(buffer, names[atom->kind]);
    npart__append_text(buffer, wants_parentheses ? "(" : "");
    npart__append_dim(buffer, pool, atom->left);
    npart__append_text(buffer, wants_parentheses ? ")" : "");
    npart__append_text(buffer, is_floor ? "/" : ", ");
    /* floor(a/(b + 1)): a divisor that is more than a symbol or a number gets parentheses. */
    bool is_complex =
        is_floor && !npart__is_number(atom->right) && npart__lone_symbol(pool, atom->right) == NPART_NONE;
    npart__append_text(buffer, is_complex ? "(" : "");
    npart__append_dim(buffer, pool, atom->right);
    npart__append_text(buffer, is_complex ? "))" : ")");
}

/* INT64_MIN has no opposite in int64_t. */
static uint64_t magnitude_of(int64_t value)
{
    return value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
}

/* The first term has its minus right before it, each other one a sign between blanks. A factor of 1 is not written,
 * and powers as products: s*s, as a power would not be read back. */
static void append_term(struct npart__buffer *buffer, const struct npart__expressions *pool,
                        const struct npart__term *term, bool is_first)
{
    const struct npart__product *product = npart__product_at(pool, term->product);
    uint64_t magnitude = magnitude_of(term->coefficient);
    if (!is_first)
        npart__append_text(buffer, term->coefficient < 0 ? " - " : " + ");
    else if (term->coefficient < 0)
        npart__append_text(buffer, "-");
    if (magnitude != 1) {
        npart__append_format(buffer, "%llu", (unsigned long long)magnitude);
        npart__append_text(buffer, "*");
    }
    for (uint32_t i = 0; i < product->count; i++) {
        for (uint32_t power = 0; power < product->factors[i].power; power++) {
            npart__append_text(buffer, i || power ? "*" : "");
            append_atom(buffer, pool, npart__atom_at(pool, product->factors[i].atom));
        }
    }
}

/* Terms that are added before terms that are subtracted, so that no expression need begin with a minus. */
void npart__append_dim(struct npart__buffer *buffer, const struct npart__expressions *pool, int64_t a)
{
    if (npart__is_number(a)) {
        npart__append_int64(buffer, a);
        return;
    }
    if (a == NPART__UNKNOWN) {
        npart__append_text(buffer, "?");
        return;
    }
    const struct npart__sum *sum = npart__sum_at(pool, a);
    bool is_first = true;
    /* First what is added, then what is subtracted. */
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t i = 0; i < sum->count; i++) {
            if ((sum->terms[i].coefficient < 0) != (pass == 1))
                continue;
            append_term(buffer, pool, &sum->terms[i], is_first);
            is_first = false;
        }
        if (sum->constant && (sum->constant < 0) == (pass == 1)) {
            npart__append_text(buffer, is_first ? (pass ? "-" : "") : pass ? " - " : " + ");
            npart__append_format(buffer, "%llu", (unsigned long long)magnitude_of(sum->constant));
            is_first = false;
        }
    }
}

/* ---- what an expression is made of ----------------------------------------------------------------------- */

/* Nameless before named, then the one made first. */
uint32_t npart__better_root(const struct npart__expressions *pool, uint32_t a, uint32_t b)
{
    if (a == NPART_NONE || b == NPART_NONE)
        return a == NPART_NONE ? b : a;
    bool a_named = pool->symbols.items[a].name != NULL, b_named = pool->symbols.items[b].name != NULL;
    if (a_named != b_named)
        return a_named ? b : a;
    return a < b ? a : b;
}

/* Each atom has its root noted, so one look at each suffices, however deep they nest. */
uint32_t npart__root_symbol(const struct npart__expressions *pool, int64_t a)
{
    uint32_t root = NPART_NONE;
    if (npart__is_number(a) || a == NPART__UNKNOWN)
        return root;
    const struct npart__sum *sum = npart__sum_at(pool, a);
    for (uint32_t i = 0; i < sum->count; i++) {
        const struct npart__product *product = npart__product_at(pool, sum->terms[i].product);
        for (uint32_t k = 0; k < product->count; k++)
            root = npart__better_root(pool, root, pool->notes.items[product->factors[k].atom].root);
    }
    return root;
}

/* The root is a nameless symbol as soon as there is one, so looking at it suffices. */
bool npart__is_named(const struct npart__expressions *pool, int64_t a)
{
    if (npart__is_number(a))
        return true;
    uint32_t root = npart__root_symbol(pool, a);
    return root != NPART_NONE && pool->symbols.items[root].name != NULL;
}
