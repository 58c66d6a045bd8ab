/* SPDX-License-Identifier: Apache-2.0
 *
 * The pool: interning atoms, products and sums, and arithmetic on sums. Text in and out is in dim_text.c, bounds are in
 * bounds.c.
 *
 * An expression is a sum of products of atoms, in one normal form, so that equal expressions get equal handles and are
 * compared as numbers are. 2*h*(w + 1) + floor(s/2) is kept as
 *
 *   sum      constant 0, terms 2 * [h w], 2 * [h], 1 * [floor(s/2)]
 *   product  [h w]: factors sorted by atom, each with its power
 *   atom     the symbols h, w, s, and floor(s/2), whose operands are sums again
 *
 * What passes a limit or int64 becomes a fresh symbol of which nothing is known any more, not even its sign. That is
 * always safe, as unknown decides nothing. Out of memory, results are NPART__UNKNOWN, and the pool remembers.
 */
#include "infer/expression.h"
#include "infer/expression_internal.h"

/* ---- interning ------------------------------------------------------------------------------------------- */

bool npart__expressions_init(struct npart__expressions *pool, struct npart__arena *arena)
{
    memset(pool, 0, sizeof *pool);
    pool->arena = arena;
    pool->node = NPART_NONE;
    /* Id 0 of every table is the empty key, so NPART__UNKNOWN is the empty sum. */
    struct npart__atom_note none = {.root = NPART_NONE};
    return npart__strings_init(&pool->atoms, arena) && npart__strings_init(&pool->products, arena) &&
           npart__strings_init(&pool->sums, arena) && npart__strings_init(&pool->names, arena) &&
           NPART__PUSH(arena, &pool->notes, none);
}

/* The id of a key, the same for equal keys; NPART_NONE when out of memory, which the pool remembers. */
static uint32_t intern(struct npart__expressions *pool, struct npart__strings *table, const void *key, size_t bytes)
{
    uint32_t id = npart__intern(table, key, bytes, true);
    if (id == NPART_NONE)
        pool->failed = true;
    return id;
}

/* The three tables are tables of strings, whose texts here are the bytes of structs. Ids are taken as valid. */
const struct npart__atom *npart__atom_at(const struct npart__expressions *pool, uint32_t id)
{
    return (const void *)pool->atoms.texts.items[id];
}

const struct npart__product *npart__product_at(const struct npart__expressions *pool, uint32_t id)
{
    return (const void *)pool->products.texts.items[id];
}

/* Neither of a number nor of NPART__UNKNOWN, whose key is empty. */
const struct npart__sum *npart__sum_at(const struct npart__expressions *pool, int64_t handle)
{
    NPART__ASSERT(!npart__is_number(handle), "a number is no expression");
    NPART__ASSERT((uint64_t)(handle - NPART__HANDLE_BASE) < pool->sums.texts.count, "an expression of another pool");
    return (const void *)pool->sums.texts.items[handle - NPART__HANDLE_BASE];
}

/* Only the factors that are there are part of the key, so the rest of the struct need not be cleared. */
static uint32_t product_id(struct npart__expressions *pool, const struct npart__product *product)
{
    return intern(pool, &pool->products, product,
                  offsetof(struct npart__product, factors) + product->count * sizeof product->factors[0]);
}

static int64_t unknown_number(struct npart__expressions *pool)
{
    return npart__fresh_number(pool, INT64_MIN);
}

/* The sum as a number or a handle. Terms must be sorted, coefficients not 0. A number in the range of the handles
 * would be taken for one, so it is kept as a sum without terms. */
static int64_t sum_handle(struct npart__expressions *pool, const struct npart__sum *sum)
{
    if (sum->count == 0 && npart__is_number(sum->constant))
        return sum->constant;
    if (sum->count > NPART__MOST(pool->limits, TERMS))
        return unknown_number(pool);
    uint32_t id =
        intern(pool, &pool->sums, sum, offsetof(struct npart__sum, terms) + sum->count * sizeof sum->terms[0]);
    return id == NPART_NONE || id >= NPART__HANDLE_COUNT ? NPART__UNKNOWN : NPART__HANDLE_BASE + id;
}

/* How many atoms an expression is printed with. The limit on it bounds how deep atoms nest, and with it every function
 * that walks through them by calling itself. */
static uint32_t count_atoms(const struct npart__expressions *pool, int64_t a)
{
    uint32_t count = 0;
    if (npart__is_number(a) || a == NPART__UNKNOWN)
        return 0;
    const struct npart__sum *sum = npart__sum_at(pool, a);
    for (uint32_t i = 0; i < sum->count; i++) {
        const struct npart__product *product = npart__product_at(pool, sum->terms[i].product);
        for (uint32_t k = 0; k < product->count; k++)
            /* As often as it is printed: s*s has its symbol twice. */
            count += product->factors[k].power * pool->notes.items[product->factors[k].atom].size;
    }
    return count;
}

/* What is worked out once of an atom, from the notes of its operands, so that bounds and roots need no walk through the
 * nesting. A symbol's bounds must be known by now: see npart__limit_symbol. */
static struct npart__atom_note note_of(const struct npart__expressions *pool, const struct npart__atom *atom)
{
    if (atom->kind == NPART__ATOM_SYMBOL) {
        const struct npart__symbol *symbol = &pool->symbols.items[atom->left];
        return (struct npart__atom_note){.least = symbol->may_be_negative ? INT64_MIN : symbol->may_be_0 ? 0 : 1,
                                         .most = symbol->most, .size = 1, .root = (uint32_t)atom->left};
    }
    return (struct npart__atom_note){
        .least = npart__least_of_atom(pool, atom),
        .most = npart__most_of_atom(pool, atom),
        .size = 1 + count_atoms(pool, atom->left) + count_atoms(pool, atom->right),
        .root = npart__better_root(pool, npart__root_symbol(pool, atom->left), npart__root_symbol(pool, atom->right)),
    };
}

/* The expression that is nothing but this atom: 1 * [atom] + 0. */
static int64_t atom_handle(struct npart__expressions *pool, const struct npart__atom *atom)
{
    struct npart__atom_note note = note_of(pool, atom);
    /* Before it is interned, so that what is too deep is never in the table. */
    if (note.size > NPART__MOST(pool->limits, ATOM_SIZE))
        return npart__fresh_number(pool, note.least);
    uint32_t id = intern(pool, &pool->atoms, atom, sizeof *atom);
    if (id == NPART_NONE)
        return NPART__UNKNOWN;
    /* Ids count up, so a new atom is the one after the last note. */
    if (id == pool->notes.count && !NPART__PUSH(pool->arena, &pool->notes, note)) {
        pool->failed = true;
        return NPART__UNKNOWN;
    }
    struct npart__product product;
    product.count = 1;
    product.factors[0] = (struct npart__factor){.atom = id, .power = 1};
    uint32_t product_number = product_id(pool, &product);
    if (product_number == NPART_NONE)
        return NPART__UNKNOWN;
    struct npart__sum sum;
    sum.constant = 0;
    sum.count = 1;
    sum.reserved = 0;
    sum.terms[0] = (struct npart__term){.coefficient = 1, .product = product_number};
    return sum_handle(pool, &sum);
}

/* ---- symbols --------------------------------------------------------------------------------------------- */

/* Whether a size of this name counts what earlier steps left, of which there may be nothing: in the first step of a
 * decoder `past_sequence_length` is 0, while a batch or a sequence of 0 computes nothing. A letter is made lower case
 * by its bit 0x20, which suffices as all words are of letters. */
static bool names_a_cache(const char *name)
{
    static const char *const words[] = {"past", "cache", "prev", "history", "state"};
    for (size_t i = 0; i < NPART__COUNT(words); i++)
        for (const char *at = name; *at; at++) {
            size_t k = 0;
            while (words[i][k] && (at[k] | 0x20) == words[i][k])
                k++;
            if (!words[i][k])
                return true;
        }
    return false;
}

/* A symbol that is asked for again is found by its index, so its handle is always the same. */
static int64_t symbol_handle(struct npart__expressions *pool, uint32_t index)
{
    struct npart__atom atom = {.kind = NPART__ATOM_SYMBOL, .left = index};
    return atom_handle(pool, &atom);
}

/* The index of a named symbol, made when new; NPART_NONE when out of memory. A symbol may be made by a request before
 * the inputs are read, and becomes one of an input then. */
static uint32_t make_named(struct npart__expressions *pool, const char *name, size_t length)
{
    uint32_t id = npart__intern(&pool->names, name, length, true);
    if (id == NPART_NONE)
        return id;
    /* Names are numbered as they come up; the table by name follows. */
    while (pool->symbol_by_name.count <= id)
        if (!NPART__PUSH(pool->arena, &pool->symbol_by_name, 0))
            return NPART_NONE;
    if (pool->symbol_by_name.items[id] == 0) {
        struct npart__symbol symbol = {.name = npart__text(&pool->names, id), .node = pool->node, .most = INT64_MAX};
        symbol.may_be_0 = !pool->reads_inputs || names_a_cache(symbol.name);
        if (!NPART__PUSH(pool->arena, &pool->symbols, symbol))
            return NPART_NONE;
        pool->symbol_by_name.items[id] = pool->symbols.count;
    }
    uint32_t index = pool->symbol_by_name.items[id] - 1;
    /* A request or an earlier declaration has named it; now it is known to be a size of an input. */
    if (pool->reads_inputs && !pool->symbols.items[index].is_input) {
        if (!NPART__PUSH(pool->arena, &pool->input_symbols, index))
            return NPART_NONE;
        pool->symbols.items[index].is_input = true;
        pool->symbols.items[index].may_be_0 = names_a_cache(pool->symbols.items[index].name);
    }
    return index;
}

/* The index of a named symbol, made when new; NPART_NONE when out of memory, which the pool remembers. */
static uint32_t named_symbol(struct npart__expressions *pool, const char *name, size_t length)
{
    uint32_t index = make_named(pool, name, length);
    pool->failed |= index == NPART_NONE;
    return index;
}

/* A symbol that is bound is its number from the start, so no expression has it. */
int64_t npart__symbol(struct npart__expressions *pool, const char *name, size_t length)
{
    uint32_t index = named_symbol(pool, name, length);
    if (index == NPART_NONE)
        return NPART__UNKNOWN;
    const struct npart__symbol *symbol = &pool->symbols.items[index];
    return symbol->is_bound ? symbol->value : symbol_handle(pool, index);
}

/* Kept among the names with a byte in front that no dim's text begins with by custom, and which its name lacks. */
int64_t npart__mere_name(struct npart__expressions *pool, const char *text)
{
    const char *marked = npart__arena_format(pool->arena, "\001%s", text);
    uint32_t index = marked ? named_symbol(pool, marked, strlen(marked)) : NPART_NONE;
    pool->failed |= index == NPART_NONE;
    if (index == NPART_NONE)
        return NPART__UNKNOWN;
    pool->symbols.items[index].name = text;
    return symbol_handle(pool, index);
}

/* It comes from pool->node, so that a report can say where the size was lost. */
static int64_t nameless_symbol(struct npart__expressions *pool, struct npart__symbol symbol)
{
    symbol.node = pool->node;
    symbol.may_be_0 = true;
    if (!NPART__PUSH(pool->arena, &pool->symbols, symbol)) {
        pool->failed = true;
        return NPART__UNKNOWN;
    }
    return symbol_handle(pool, pool->symbols.count - 1);
}

int64_t npart__fresh_symbol(struct npart__expressions *pool)
{
    return nameless_symbol(pool, (struct npart__symbol){.most = INT64_MAX});
}

int64_t npart__fresh_number(struct npart__expressions *pool, int64_t least)
{
    return nameless_symbol(pool, (struct npart__symbol){.most = INT64_MAX, .may_be_negative = least < 0});
}

int64_t npart__varying_symbol(struct npart__expressions *pool)
{
    return nameless_symbol(pool, (struct npart__symbol){.most = INT64_MAX, .varies = true});
}

int64_t npart__bounded_symbol(struct npart__expressions *pool, int64_t most)
{
    return nameless_symbol(pool, (struct npart__symbol){.most = most});
}

/* Of 2*h + 1 it gives h, 2 and 1. A floor, h*w and h*h are not linear in one symbol. */
bool npart__single_symbol(const struct npart__expressions *pool, int64_t a, uint32_t *symbol, int64_t *coefficient,
                          int64_t *constant)
{
    if (npart__is_number(a) || a == NPART__UNKNOWN)
        return false;
    const struct npart__sum *sum = npart__sum_at(pool, a);
    if (sum->count != 1)
        return false;
    const struct npart__product *product = npart__product_at(pool, sum->terms[0].product);
    if (product->count != 1 || product->factors[0].power != 1)
        return false;
    const struct npart__atom *atom = npart__atom_at(pool, product->factors[0].atom);
    /* What was written is of no use where the atom is no symbol: the result below says so. */
    *symbol = (uint32_t)atom->left;
    *coefficient = sum->terms[0].coefficient;
    *constant = sum->constant;
    return atom->kind == NPART__ATOM_SYMBOL;
}

uint32_t npart__lone_symbol(const struct npart__expressions *pool, int64_t a)
{
    uint32_t symbol;
    int64_t coefficient, constant;
    bool is_lone =
        npart__single_symbol(pool, a, &symbol, &coefficient, &constant) && coefficient == 1 && constant == 0;
    return is_lone ? symbol : NPART_NONE;
}

/* Out of memory gives true, as it is no conflict of the request; the pool remembers, and the inference fails. A
 * symbol that is bound already is asked again by each name or shape that it stands in; then the numbers must agree. */
bool npart__bind_symbol(struct npart__expressions *pool, const char *name, size_t length, int64_t value)
{
    uint32_t index = named_symbol(pool, name, length);
    if (index == NPART_NONE)
        return true;
    struct npart__symbol *symbol = &pool->symbols.items[index];
    if (symbol->is_bound)
        return symbol->value == value;
    if (value > symbol->most)
        return false;
    symbol->is_bound = true;
    symbol->value = value;
    return true;
}

/* Of several limits the least counts. It must come before any expression of the symbol: the bounds of an atom are
 * noted when it is made. */
void npart__limit_symbol(struct npart__expressions *pool, const char *name, size_t length, int64_t most)
{
    uint32_t index = named_symbol(pool, name, length);
    if (index != NPART_NONE && most < pool->symbols.items[index].most)
        pool->symbols.items[index].most = most;
}

/* ---- sums ------------------------------------------------------------------------------------------------ */

/* A copy of an expression to compute with; a number is a sum without terms. */
static void load(const struct npart__expressions *pool, int64_t a, struct npart__sum *out)
{
    out->constant = 0;
    out->count = 0;
    out->reserved = 0;
    if (npart__is_number(a)) {
        out->constant = a;
        return;
    }
    const struct npart__sum *sum = npart__sum_at(pool, a);
    memcpy(out, sum, offsetof(struct npart__sum, terms) + sum->count * sizeof sum->terms[0]);
}

/* Adds coefficient * product, keeping terms sorted and none of them 0; false when it does not fit int64 or the limit of
 * terms. */
static bool add_term(struct npart__sum *sum, uint32_t product, int64_t coefficient)
{
    struct npart__term *terms = sum->terms;
    uint32_t at = 0;
    if (coefficient == 0)
        return true;
    /* There are 32 terms at most, so going through them is as good as bisection. */
    while (at < sum->count && terms[at].product < product)
        at++;
    if (at < sum->count && terms[at].product == product) {
        if (!npart__add_int64(terms[at].coefficient, coefficient, &terms[at].coefficient))
            return false;
        if (terms[at].coefficient == 0) {
            memmove(&terms[at], &terms[at + 1], (sum->count - at - 1) * sizeof *terms);
            sum->count--;
        }
        return true;
    }
    if (sum->count >= NPART__LIMIT_TERMS)
        return false;
    memmove(&terms[at + 1], &terms[at], (sum->count - at) * sizeof *terms);
    terms[at] = (struct npart__term){.coefficient = coefficient, .product = product};
    sum->count++;
    return true;
}

/* a + factor * b. False, with `a` half done, where a number does not fit or there are too many terms. */
static bool add_scaled(struct npart__sum *a, const struct npart__sum *b, int64_t factor)
{
    int64_t scaled;
    if (!npart__multiply_int64(b->constant, factor, &scaled) ||
        !npart__add_int64(a->constant, scaled, &a->constant))
        return false;
    for (uint32_t i = 0; i < b->count; i++)
        if (!npart__multiply_int64(b->terms[i].coefficient, factor, &scaled) ||
            !add_term(a, b->terms[i].product, scaled))
            return false;
    return true;
}

/* Two that are not known may be different, so nothing follows from them, not even that a - a is 0. */
static bool either_unknown(int64_t a, int64_t b)
{
    return a == NPART__UNKNOWN || b == NPART__UNKNOWN;
}

/* a + factor * b. What does not fit is a fresh symbol. Subtraction is factor -1. */
static int64_t linear(struct npart__expressions *pool, int64_t a, int64_t b, int64_t factor)
{
    struct npart__sum left, right;
    if (either_unknown(a, b))
        return unknown_number(pool);
    load(pool, a, &left);
    load(pool, b, &right);
    return add_scaled(&left, &right, factor) ? sum_handle(pool, &left) : unknown_number(pool);
}

/* Sums of plain numbers, which nearly all are, need no table; so with differences and products. */
int64_t npart__sum(struct npart__expressions *pool, int64_t a, int64_t b)
{
    int64_t result;
    if (npart__is_number(a) && npart__is_number(b) && npart__add_int64(a, b, &result) && npart__is_number(result))
        return result;
    return linear(pool, a, b, 1);
}

/* Equal expressions leave 0: all their terms cancel. */
int64_t npart__difference(struct npart__expressions *pool, int64_t a, int64_t b)
{
    int64_t result;
    if (npart__is_number(a) && npart__is_number(b) && npart__subtract_int64(a, b, &result) &&
        npart__is_number(result))
        return result;
    return linear(pool, a, b, -1);
}

/* ---- products -------------------------------------------------------------------------------------------- */

/* The id of a * b, or NPART_NONE when it does not fit: both lists of factors are sorted, so they are merged, and the
 * powers of what both have are added. [h w] * [w^2] is [h w^3]. */
static uint32_t multiply_products(struct npart__expressions *pool, uint32_t a, uint32_t b)
{
    const struct npart__product *left = npart__product_at(pool, a), *right = npart__product_at(pool, b);
    struct npart__product out;
    struct npart__factor *factors = out.factors;
    uint32_t i = 0, j = 0, count = 0;
    while (i < left->count || j < right->count) {
        if (count >= NPART__MOST(pool->limits, FACTORS))
            return NPART_NONE;
        /* The smaller atom comes first; of equal ones the powers are added. */
        if (j >= right->count || (i < left->count && left->factors[i].atom < right->factors[j].atom)) {
            factors[count++] = left->factors[i++];
        } else if (i >= left->count || right->factors[j].atom < left->factors[i].atom) {
            factors[count++] = right->factors[j++];
        } else {
            factors[count] = left->factors[i++];
            factors[count].power += right->factors[j++].power;
            if (factors[count++].power > NPART__MOST(pool->limits, POWER))
                return NPART_NONE;
        }
    }
    out.count = count;
    return product_id(pool, &out);
}

/* a / b for products: [h w^3] / [w^2] is [h w]. *out is NPART_NONE when nothing but 1 is left; false when b does not
 * divide a. */
static bool divide_products(struct npart__expressions *pool, uint32_t a, uint32_t b, uint32_t *out)
{
    const struct npart__product *left = npart__product_at(pool, a), *right = npart__product_at(pool, b);
    struct npart__product result;
    uint32_t j = 0, count = 0;
    /* Both are sorted, so one walk finds each factor of b in a. */
    for (uint32_t i = 0; i < left->count && count < NPART__LIMIT_FACTORS; i++) {
        struct npart__factor factor = left->factors[i];
        if (j < right->count && right->factors[j].atom == factor.atom) {
            if (right->factors[j].power > factor.power)
                return false;
            factor.power -= right->factors[j++].power;
        }
        if (factor.power)
            result.factors[count++] = factor;
    }
    if (j < right->count)
        return false;
    result.count = count;
    *out = count ? product_id(pool, &result) : NPART_NONE;
    return true;
}

/* out += sum * coefficient * product, where product NPART_NONE is 1. */
static bool add_multiple(struct npart__expressions *pool, struct npart__sum *out, const struct npart__sum *sum,
                         int64_t coefficient, uint32_t product)
{
    if (product == NPART_NONE)
        return add_scaled(out, sum, coefficient);
    int64_t scaled;
    if (!npart__multiply_int64(sum->constant, coefficient, &scaled) || !add_term(out, product, scaled))
        return false;
    for (uint32_t i = 0; i < sum->count; i++) {
        uint32_t id = multiply_products(pool, sum->terms[i].product, product);
        if (id == NPART_NONE || !npart__multiply_int64(sum->terms[i].coefficient, coefficient, &scaled) ||
            !add_term(out, id, scaled))
            return false;
    }
    return true;
}

/* Each term of the one sum with each of the other, as in (h + 1)*(w + 1) = h*w + h + w + 1. */
int64_t npart__product(struct npart__expressions *pool, int64_t a, int64_t b)
{
    int64_t result;
    if (npart__is_number(a) && npart__is_number(b) && npart__multiply_int64(a, b, &result) &&
        npart__is_number(result))
        return result;
    /* Also of a size that is not known: it is a number, whichever. */
    if (a == 0 || b == 0)
        return 0;
    if (either_unknown(a, b))
        return unknown_number(pool);
    struct npart__sum left, right, out;
    load(pool, a, &left);
    load(pool, b, &right);
    /* The left sum times the constant of the right one, then times each of its terms. */
    load(pool, 0, &out);
    bool ok = add_scaled(&out, &left, right.constant);
    for (uint32_t i = 0; ok && i < right.count; i++)
        ok = add_multiple(pool, &out, &left, right.terms[i].coefficient, right.terms[i].product);
    return ok ? sum_handle(pool, &out) : unknown_number(pool);
}

/* ---- quotients ------------------------------------------------------------------------------------------- */

/* A term of `rest` that `lead` divides; products carry no order that multiplication respects, so all are tried. */
static bool find_multiple(struct npart__expressions *pool, const struct npart__sum *rest,
                          const struct npart__term *lead, int64_t *coefficient, uint32_t *product)
{
    for (uint32_t i = rest->count; i-- > 0;) {
        const struct npart__term *term = &rest->terms[i];
        if (term->coefficient % lead->coefficient == 0 &&
            divide_products(pool, term->product, lead->product, product)) {
            *coefficient = term->coefficient / lead->coefficient;
            return true;
        }
    }
    return false;
}

/* Long division: what the last term of the divisor divides is taken out, until nothing is left. (h*w + h) / (w + 1)
 * takes h * (w + 1) out, and the rest is 0. It may fail to find a quotient that exists; one that it finds is exact. */
static bool divide_sums(struct npart__expressions *pool, const struct npart__sum *dividend,
                        const struct npart__sum *divisor, struct npart__sum *quotient)
{
    struct npart__sum rest;
    load(pool, 0, quotient);
    load(pool, 0, &rest);
    if (!add_scaled(&rest, dividend, 1))
        return false;
    if (divisor->count == 0) { /* a number */
        /* INT64_MIN / -1 overflows, and 0 divides nothing. */
        if (divisor->constant == -1 || divisor->constant == 0 || rest.constant % divisor->constant != 0)
            return false;
        quotient->constant = rest.constant / divisor->constant;
        for (uint32_t i = 0; i < rest.count; i++) {
            if (rest.terms[i].coefficient % divisor->constant != 0)
                return false;
            (void)add_term(quotient, rest.terms[i].product, rest.terms[i].coefficient / divisor->constant);
        }
        return true;
    }
    const struct npart__term *lead = &divisor->terms[divisor->count - 1];
    /* The same of INT64_MIN % -1. */
    if (lead->coefficient == -1)
        return false;
    /* Each step removes a term of the rest and may add others, so steps are limited. */
    for (unsigned step = 0; step <= NPART__LIMIT_TERMS; step++) {
        if (rest.count == 0)
            return rest.constant == 0;
        int64_t coefficient;
        uint32_t product;
        if (!find_multiple(pool, &rest, lead, &coefficient, &product) || coefficient == INT64_MIN)
            return false;
        /* What was taken out goes to the quotient, and its product with the divisor from the rest. */
        bool ok = product == NPART_NONE ? npart__add_int64(quotient->constant, coefficient, &quotient->constant)
                                        : add_term(quotient, product, coefficient);
        if (!ok || !add_multiple(pool, &rest, divisor, -coefficient, product))
            return false;
    }
    return false;
}

/* What a Reshape needs: the -1 in [`batch`,-1,64] of a tensor [`batch`,`seq`,512] is batch*seq*512 / (batch*64) =
 * 8*seq. */
bool npart__exact_quotient(struct npart__expressions *pool, int64_t a, int64_t b, int64_t *out)
{
    if (either_unknown(a, b) || b == 0)
        return false;
    if (a == b) {
        *out = 1;
        return true;
    }
    struct npart__sum left, right, quotient;
    load(pool, a, &left);
    load(pool, b, &right);
    if (!divide_sums(pool, &left, &right, &quotient))
        return false;
    *out = sum_handle(pool, &quotient);
    return true;
}

/* Euclid; never below 0. The callers pass no INT64_MIN, which has no opposite. */
static int64_t greatest_common_divisor(int64_t a, int64_t b)
{
    while (b) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a < 0 ? -a : a;
}

/* floor((floor(x / m) + c) / n) is floor((x + c*m) / (m*n)) for positive m and n: strided layers in a row give one
 * quotient. Three convolutions of stride 2 make floor((h + 7)/8) in place of three floors in each other. False where
 * there is no such floor inside. What does not fit is a fresh number, as elsewhere: if it were kept, thousands of
 * layers would have dims of thousands of characters, each a little longer than the one before. */
static bool flatten_floor(struct npart__expressions *pool, const struct npart__sum *inside, int64_t divisor,
                          int64_t *out)
{
    if (inside->count != 1 || inside->terms[0].coefficient != 1)
        return false;
    const struct npart__product *product = npart__product_at(pool, inside->terms[0].product);
    const struct npart__atom *nested = npart__atom_at(pool, product->factors[0].atom);
    if (product->count != 1 || product->factors[0].power != 1 || nested->kind != NPART__ATOM_FLOOR ||
        !npart__is_number(nested->right) || nested->right <= 0)
        return false;
    int64_t both, shift; /* m*n and c*m */
    bool fits = npart__multiply_int64(nested->right, divisor, &both) &&
                npart__multiply_int64(nested->right, inside->constant, &shift);
    if (fits)
        *out = npart__floor_quotient(pool, npart__sum(pool, nested->left, shift), both);
    else
        *out = npart__fresh_number(pool, npart__lower_bound(pool, sum_handle(pool, inside)) < 0 ? INT64_MIN : 0);
    return true;
}

/* Of a sum and its opposite, one: the one that subtracts more of its terms, or where as many are added, the one whose
 * first term is subtracted. From either side the choice is the same, so floor(a/n) and ceil(-a/n) meet in one atom. */
static bool is_negative_form(const struct npart__sum *sum)
{
    uint32_t subtracted = 0;
    for (uint32_t i = 0; i < sum->count; i++)
        subtracted += sum->terms[i].coefficient < 0;
    return 2 * subtracted > sum->count || (2 * subtracted == sum->count && sum->terms[0].coefficient < 0);
}

/* floor(a / divisor) where nothing comes out any more. floor(-a/m) is -floor((a + m - 1)/m): ceilings have one form,
 * which is that of a floor. */
static int64_t lone_quotient(struct npart__expressions *pool, struct npart__sum *inside, int64_t divisor)
{
    bool is_negative = is_negative_form(inside);
    if (is_negative) {
        inside->constant = divisor - 1 - inside->constant;
        for (uint32_t i = 0; i < inside->count; i++)
            inside->terms[i].coefficient = -inside->terms[i].coefficient;
    }
    struct npart__atom atom = {.kind = NPART__ATOM_FLOOR, .left = sum_handle(pool, inside), .right = divisor};
    int64_t quotient;
    if (!flatten_floor(pool, inside, divisor, &quotient))
        quotient = atom_handle(pool, &atom);
    return is_negative ? npart__product(pool, quotient, -1) : quotient;
}

/* floor(a / divisor) for a positive number: what divides evenly comes out, the rest stays in one atom, without factors
 * that it shares with the divisor.
 *
 *   floor((6*h + 4*w + 9) / 4)  =  w + 2 + floor(3*h / 2)
 *   floor((2*h + 2) / 4)        =  floor((h + 1) / 2) */
static int64_t quotient_by_number(struct npart__expressions *pool, const struct npart__sum *a, int64_t divisor)
{
    struct npart__sum outside, inside;
    load(pool, 0, &outside);
    load(pool, 0, &inside);
    int64_t common = divisor, whole;
    (void)npart__floor_divide_int64(a->constant, divisor, &whole);
    outside.constant = whole;
    inside.constant = a->constant % divisor;
    /* C's remainder has the sign of the dividend; what stays inside must be at least 0. */
    inside.constant += inside.constant < 0 ? divisor : 0;
    for (uint32_t i = 0; i < a->count; i++) {
        int64_t coefficient = a->terms[i].coefficient;
        bool divides = coefficient % divisor == 0;
        /* It has no opposite, which the normal form may need. */
        if (coefficient == INT64_MIN)
            return unknown_number(pool);
        if (!divides)
            /* Of what stays inside; it divides the divisor too, as it began with that. */
            common = greatest_common_divisor(common, coefficient);
        if (!add_term(divides ? &outside : &inside, a->terms[i].product, divides ? coefficient / divisor : coefficient))
            return unknown_number(pool);
    }
    if (inside.count == 0)
        return sum_handle(pool, &outside);
    inside.constant /= common; /* both are positive, so this is the floor */
    for (uint32_t i = 0; i < inside.count; i++)
        inside.terms[i].coefficient /= common;
    return npart__sum(pool, sum_handle(pool, &outside), lone_quotient(pool, &inside, divisor / common));
}

/* floor(a / b), towards minus infinity as in Python; ONNX's Div rounds towards zero (see arithmetic.c). By 0 nothing is
 * known. A quotient by an expression that does not divide stays as an atom. */
int64_t npart__floor_quotient(struct npart__expressions *pool, int64_t a, int64_t b)
{
    int64_t result;
    if (npart__is_number(a) && npart__is_number(b))
        return npart__floor_divide_int64(a, b, &result) && npart__is_number(result) ? result
                                                                                    : unknown_number(pool);
    if (either_unknown(a, b) || b == 0)
        return unknown_number(pool);
    if (b == 1)
        return a;
    /* Also by an expression: (2*h*w) / w. */
    if (npart__exact_quotient(pool, a, b, &result))
        return result;
    if (npart__is_number(b) && b > 0) {
        struct npart__sum left;
        load(pool, a, &left);
        return quotient_by_number(pool, &left, b);
    }
    struct npart__atom atom = {.kind = NPART__ATOM_FLOOR, .left = a, .right = b};
    return atom_handle(pool, &atom);
}

/* ceil(a / b): for a positive number, floor((a + b - 1) / b); else -floor(-a / b). */
int64_t npart__ceil_quotient(struct npart__expressions *pool, int64_t a, int64_t b)
{
    if (npart__is_number(b) && b > 0 && !npart__is_number(a))
        return npart__floor_quotient(pool, npart__sum(pool, a, b - 1), b);
    int64_t negated = npart__floor_quotient(pool, npart__product(pool, a, -1), b);
    return npart__product(pool, negated, -1);
}

/* ---- extremes -------------------------------------------------------------------------------------------- */

/* max or min. Where one side is no less than the other whatever the symbols are, it is that side: max(seq + 1, 1) is
 * seq + 1. Operands of an atom are sorted, since max(a, b) and max(b, a) are one. Both ways are tried, as the bound
 * of a difference says nothing of its opposite. */
static int64_t extreme(struct npart__expressions *pool, int64_t a, int64_t b, enum npart__atom_kind kind)
{
    bool wants_greater = kind == NPART__ATOM_MAX;
    if (npart__is_number(a) && npart__is_number(b))
        return (a > b) == wants_greater ? a : b;
    if (either_unknown(a, b))
        return unknown_number(pool);
    if (a == b)
        return a;
    /* a is no less than b, whatever the symbols are. */
    if (npart__lower_bound(pool, npart__difference(pool, a, b)) >= 0)
        return wants_greater ? a : b;
    if (npart__lower_bound(pool, npart__difference(pool, b, a)) >= 0)
        return wants_greater ? b : a;
    struct npart__atom atom = {.kind = kind, .left = a < b ? a : b, .right = a < b ? b : a};
    return atom_handle(pool, &atom);
}

/* Of broadcast dims, bounds of a Slice, and the operators Max, Min, Clip and Relu. */
int64_t npart__maximum(struct npart__expressions *pool, int64_t a, int64_t b)
{
    return extreme(pool, a, b, NPART__ATOM_MAX);
}

int64_t npart__minimum(struct npart__expressions *pool, int64_t a, int64_t b)
{
    return extreme(pool, a, b, NPART__ATOM_MIN);
}
