/* SPDX-License-Identifier: Apache-2.0
 *
 * Proposals for the dynamic dimensions of the inputs: usual sizes by role, adapted to what the model relates.
 *
 *   1. Each symbol of an input gets a role, by its name, else by where it stands (sizes.def).
 *   2. Each role has usual sizes, one for each attempt: 1 for a batch, 224 for an image's height.
 *   3. Relations that inference found (mask_len = past + sequence, floor(h/14)*14 = h) change sizes until they hold.
 *
 * Nothing is certain of a proposal: the caller infers the model with it, and takes the next attempt where it does not
 * work.
 */
#include "infer/driver.h"
#include "infer/expression_internal.h"

/* No size that is proposed is larger; what equals none up to it is left alone. */
#define LARGEST_SIZE ((int64_t)1 << 22)
/* Sizes so near below the usual one are tried first, and all below it up to the other number last. */
#define NEARBY 64
#define LARGEST_SCANNED 2048
/* A line of text is no higher, in pixels. */
#define HIGHEST_LINE 64
/* Heads by strides that make a detector, and different ones that are told apart. */
#define LEAST_HEADS 3u
#define MOST_HEADS 16u
/* Relations are gone through so often while one of them changes a size. */
#define MOST_PASSES 16
/* And so many are solved for a size, as each takes up to thousands of tries. */
#define MOST_SOLVED 64u

enum role {
#define NPART__SIZE_ROLE(name, ...) ROLE_##name,
#include "infer/sizes.def"
#undef NPART__SIZE_ROLE
    ROLE_COUNT,
    ROLE_NONE = ROLE_COUNT
};

/* By role and attempt. */
static const int64_t usual[ROLE_COUNT][NPART__SIZE_ATTEMPTS] = {
#define NPART__SIZE_ROLE(name, ...) [ROLE_##name] = {__VA_ARGS__},
#include "infer/sizes.def"
#undef NPART__SIZE_ROLE
};

static const char *const detector_words[] = {
#define NPART__SIZE_DETECTOR(word) word,
#include "infer/sizes.def"
#undef NPART__SIZE_DETECTOR
};
static const char *const rate_words[] = {
#define NPART__SIZE_RATE(word) word,
#include "infer/sizes.def"
#undef NPART__SIZE_RATE
};
static const char *const state_words[] = {
#define NPART__SIZE_STATE(word) word,
#include "infer/sizes.def"
#undef NPART__SIZE_STATE
};

/* What sizes.def asks of an input beside its rank: any type, floating point, another type; or an image with its one or
 * three channels before the sizes (there they may be dynamic too) or after them. */
enum place_kind { KIND_ANY, KIND_FLOAT, KIND_INTEGER, KIND_IMAGE_FIRST, KIND_IMAGE_LAST };

static const struct size_word {
    const char *word;
    uint8_t role;
} size_words[] = {
#define NPART__SIZE_WORD(word, role) {word, ROLE_##role},
#include "infer/sizes.def"
#undef NPART__SIZE_WORD
};

static const struct size_place {
    const char *word;
    uint8_t kind, rank, axis, role;
} size_places[] = {
#define NPART__SIZE_PLACE(word, kind, rank, axis, role) {word, KIND_##kind, rank, axis, ROLE_##role},
#include "infer/sizes.def"
#undef NPART__SIZE_PLACE
};

/* A symbol, and the input where it is first. */
struct open_size {
    uint32_t symbol, value, axis;
};

struct proposal {
    const struct npart__inference *inference;
    struct npart__arena *arena;
    uint32_t attempt;
    uint8_t *roles;   /* by symbol; ROLE_NONE: of no input */
    bool *follows;    /* by symbol: its size was got from a relation */
    int64_t *sizes;   /* by symbol; below 0: not known */
    struct NPART__ARRAY(struct open_size) open;
    uint32_t solved;
};

/* ---- roles ------------------------------------------------------------------------------------------------- */

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

static bool is_letter(char c)
{
    return lower(c) >= 'a' && lower(c) <= 'z';
}

/* Whether a word begins at name[at]: after what is no letter, or with a capital. "past_seq" and "pastSeq" have the
 * words "past" and "seq". */
static bool begins_word(const char *name, size_t at)
{
    return at == 0 || !is_letter(name[at - 1]) || (name[at] != lower(name[at]) && name[at - 1] == lower(name[at - 1]));
}

/* Whether a name has a word of sizes.def, with its marks "*", "^" and "$". An empty word is in every name. */
static bool holds_word(const char *name, const char *word)
{
    char mark = *word == '*' || *word == '^' ? *word++ : '\0';
    for (size_t at = 0; name[at] && (at == 0 || mark != '^'); at++) {
        size_t k = 0;
        while (word[k] && lower(name[at + k]) == word[k])
            k++;
        if ((mark == '*' || begins_word(name, at)) && (!word[k] || (word[k] == '$' && !name[at + k])))
            return true;
    }
    return *word == '\0';
}

/* The first row that fits decides; ROLE_NONE where none does. A symbol without a name has none. */
static uint8_t role_of_name(const char *name)
{
    for (size_t i = 0; name && i < NPART__COUNT(size_words); i++)
        if (holds_word(name, size_words[i].word))
            return size_words[i].role;
    return ROLE_NONE;
}

/* Gray or RGB. */
static bool is_image_dim(int64_t channels)
{
    return channels == 1 || channels == 3;
}

/* The rank is 4 where an image is asked for: the rows of sizes.def say so. */
static bool is_of_kind(const struct npart__fact *fact, enum place_kind kind)
{
    bool is_float = npart__type_is_float(fact->element_type);
    switch (kind) {
    case KIND_ANY: return true;
    case KIND_FLOAT: return is_float;
    case KIND_INTEGER: return !is_float;
    case KIND_IMAGE_FIRST: return is_image_dim(fact->dims[1]) || !npart__is_number(fact->dims[1]);
    case KIND_IMAGE_LAST: return is_image_dim(fact->dims[3]);
    }
    return false;
}

/* Where the dim's name says nothing: by the input's name, type and rank, and the axis. */
static uint8_t role_of_place(const char *input, const struct npart__fact *fact, uint32_t axis)
{
    for (size_t i = 0; i < NPART__COUNT(size_places); i++) {
        const struct size_place *place = &size_places[i];
        if ((place->rank == 0 || place->rank == fact->rank) && place->axis == axis &&
            is_of_kind(fact, (enum place_kind)place->kind) && holds_word(input, place->word))
            return place->role;
    }
    return ROLE_OTHER;
}

/* By name, else by place. The `height` of [1,256,height,width] is no image's, but a feature map's. */
static uint8_t role_of(const struct proposal *proposal, uint32_t symbol, uint32_t value, uint32_t axis)
{
    const struct npart__fact *fact = &proposal->inference->facts[value];
    uint8_t role = role_of_name(proposal->inference->expressions.symbols.items[symbol].name);
    bool is_named = role != ROLE_NONE;
    if (!is_named)
        role = role_of_place(npart__value_name(proposal->inference->graph, value), fact, axis);
    /* Of more channels than an image has. */
    if (is_named && (role == ROLE_HEIGHT || role == ROLE_WIDTH) && fact->rank == 4 &&
        !is_of_kind(fact, KIND_IMAGE_FIRST) && !is_of_kind(fact, KIND_IMAGE_LAST))
        return ROLE_FEATURE_MAP;
    /* Low and wide: [batch, 1, 48, width]. */
    bool is_low = fact->rank == 4 && axis == 3 && npart__is_number(fact->dims[2]) && fact->dims[2] <= HIGHEST_LINE;
    return role == ROLE_WIDTH && is_low ? ROLE_LINE : role;
}

/* ---- dynamic sizes ----------------------------------------------------------------------------------------- */

/* Calls `visit` for each symbol of an expression, as often as it is there; false as soon as one of the calls is.
 * Nesting is bounded by NPART__LIMIT_ATOM_SIZE. */
static bool for_symbols(const struct npart__expressions *pool, int64_t dim, bool (*visit)(void *, uint32_t), void *to)
{
    if (npart__is_number(dim) || dim == NPART__UNKNOWN)
        return true;
    const struct npart__sum *sum = npart__sum_at(pool, dim);
    for (uint32_t i = 0; i < sum->count; i++) {
        const struct npart__product *product = npart__product_at(pool, sum->terms[i].product);
        for (uint32_t k = 0; k < product->count; k++) {
            const struct npart__atom *atom = npart__atom_at(pool, product->factors[k].atom);
            if (atom->kind == NPART__ATOM_SYMBOL
                    ? !visit(to, (uint32_t)atom->left)
                    : !for_symbols(pool, atom->left, visit, to) || !for_symbols(pool, atom->right, visit, to))
                return false;
        }
    }
    return true;
}

struct place {
    struct proposal *proposal;
    uint32_t value, axis;
};

/* A symbol that is new gets its role from the input that it is first seen in. False when out of memory. */
static bool add_open(void *to, uint32_t symbol)
{
    const struct place *at = to;
    struct proposal *proposal = at->proposal;
    struct open_size open = {.symbol = symbol, .value = at->value, .axis = at->axis};
    if (proposal->roles[symbol] != ROLE_NONE)
        return true;
    /* A role also marks the symbol as one that was seen. */
    proposal->roles[symbol] = role_of(proposal, symbol, at->value, at->axis);
    return NPART__PUSH(proposal->arena, &proposal->open, open);
}

/* The symbols of the inputs, in their order; false when out of memory. */
static bool list_open(struct proposal *proposal)
{
    const struct npart__inference *inference = proposal->inference;
    const struct npart__scope *scope = npart__scope_at(inference->graph, 0);
    size_t count = inference->expressions.symbols.count;
    proposal->roles = npart__arena_allocate(proposal->arena, count + 1);
    proposal->follows = npart__arena_zeroed(proposal->arena, count + 1, sizeof *proposal->follows);
    proposal->sizes = npart__arena_allocate(proposal->arena, (count + 1) * sizeof *proposal->sizes);
    if (!proposal->roles || !proposal->follows || !proposal->sizes)
        return false;
    memset(proposal->roles, ROLE_NONE, count + 1);
    /* Symbols of no input have no size here. */
    for (size_t i = 0; i < count; i++)
        proposal->sizes[i] = -1;
    for (uint32_t i = 0; i < scope->input_count; i++) {
        struct place at = {.proposal = proposal, .value = inference->graph->operands.items[scope->first_input + i]};
        for (; at.axis < inference->facts[at.value].rank; at.axis++)
            if (!for_symbols(&inference->expressions, inference->facts[at.value].dims[at.axis], add_open, &at))
                return false;
    }
    return true;
}

/* Goes through all symbols of the inputs, as it is asked only a few times a proposal. */
static bool has_role(const struct proposal *proposal, uint8_t role)
{
    for (uint32_t i = 0; i < proposal->open.count; i++)
        if (proposal->roles[proposal->open.items[i].symbol] == role)
            return true;
    return false;
}

/* Of all symbols of the inputs. */
static void set_role(struct proposal *proposal, uint8_t from, uint8_t to)
{
    for (uint32_t i = 0; i < proposal->open.count; i++)
        if (proposal->roles[proposal->open.items[i].symbol] == from)
            proposal->roles[proposal->open.items[i].symbol] = (uint8_t)to;
}

/* ---- detectors --------------------------------------------------------------------------------------------------- */

struct image_search {
    const struct proposal *proposal;
    bool is_found;
};

static bool note_image(void *to, uint32_t symbol)
{
    struct image_search *search = to;
    uint8_t role = search->proposal->roles[symbol];
    search->is_found |= role == ROLE_HEIGHT || role == ROLE_WIDTH;
    return !search->is_found;
}

/* Whether a term of a size, as floor(h/8)*floor(w/8), has to do with the image's. */
static bool is_of_image(const struct proposal *proposal, uint32_t term)
{
    const struct npart__expressions *pool = &proposal->inference->expressions;
    const struct npart__product *product = npart__product_at(pool, term);
    struct image_search search = {.proposal = proposal};
    for (uint32_t k = 0; k < product->count; k++) {
        const struct npart__atom *atom = npart__atom_at(pool, product->factors[k].atom);
        if (atom->kind == NPART__ATOM_SYMBOL) {
            (void)note_image(&search, (uint32_t)atom->left);
        } else {
            (void)for_symbols(pool, atom->left, note_image, &search);
            (void)for_symbols(pool, atom->right, note_image, &search);
        }
    }
    return search.is_found;
}

/* Terms of different strides, each once: equal products are one. */
struct heads {
    uint32_t terms[MOST_HEADS], count;
};

static void add_terms(const struct proposal *proposal, int64_t dim, struct heads *heads)
{
    if (npart__is_number(dim) || dim == NPART__UNKNOWN)
        return;
    const struct npart__sum *sum = npart__sum_at(&proposal->inference->expressions, dim);
    for (uint32_t i = 0; i < sum->count; i++) {
        uint32_t term = sum->terms[i].product, k = 0;
        while (k < heads->count && heads->terms[k] != term)
            k++;
        if (k == heads->count && k < MOST_HEADS && is_of_image(proposal, term))
            heads->terms[heads->count++] = term;
    }
}

/* Heads by strides: positions of three joined, h/8*w/8 + h/16*w/16 + h/32*w/32; or three outputs of as many channels,
 * which those of a backbone are not: [1,255,h/8,w/8], [1,255,h/16,w/16], [1,255,h/32,w/32]. */
static bool has_heads(const struct proposal *proposal)
{
    const struct npart__graph *graph = proposal->inference->graph;
    const struct npart__scope *scope = npart__scope_at(graph, 0);
    struct heads heights = {.count = 0};
    int64_t channels = NPART__UNKNOWN;
    bool is_joined = false, are_alike = true;
    for (uint32_t i = 0; i < scope->output_count; i++) {
        const struct npart__fact *fact = &proposal->inference->facts[graph->operands.items[scope->first_output + i]];
        for (uint32_t axis = 0; axis < fact->rank; axis++) {
            struct heads joined = {.count = 0};
            add_terms(proposal, fact->dims[axis], &joined);
            is_joined |= joined.count >= LEAST_HEADS;
        }
        if (fact->rank != 4)
            continue;
        are_alike &= channels == NPART__UNKNOWN || channels == fact->dims[1];
        channels = fact->dims[1];
        add_terms(proposal, fact->dims[2], &heights);
    }
    return is_joined || (are_alike && heights.count >= LEAST_HEADS);
}

static bool has_one_of(const char *name, const char *const *words, size_t count)
{
    for (size_t i = 0; name && i < count; i++)
        if (holds_word(name, words[i]))
            return true;
    return false;
}

static bool has_detector_word(const char *name)
{
    return has_one_of(name, detector_words, NPART__COUNT(detector_words));
}

struct word_search {
    const struct npart__expressions *pool;
    bool is_found;
};

static bool note_word(void *to, uint32_t symbol)
{
    struct word_search *search = to;
    search->is_found |= has_detector_word(search->pool->symbols.items[symbol].name);
    return !search->is_found;
}

static bool is_detector(const struct proposal *proposal)
{
    const struct npart__inference *inference = proposal->inference;
    const struct npart__graph *graph = inference->graph;
    const struct npart__scope *scope = npart__scope_at(graph, 0);
    struct word_search search = {.pool = &inference->expressions};
    for (uint32_t i = 0; i < scope->output_count; i++) {
        uint32_t value = graph->operands.items[scope->first_output + i];
        search.is_found |= has_detector_word(npart__value_name(graph, value));
        for (uint32_t axis = 0; axis < inference->facts[value].rank; axis++)
            (void)for_symbols(search.pool, inference->facts[value].dims[axis], note_word, &search);
    }
    return search.is_found || has_heads(proposal);
}

/* ---- sound ------------------------------------------------------------------------------------------------------- */

static bool has_input(const struct proposal *proposal, const char *const *words, size_t count)
{
    const struct npart__graph *graph = proposal->inference->graph;
    const struct npart__scope *scope = npart__scope_at(graph, 0);
    for (uint32_t i = 0; i < scope->input_count; i++)
        if (has_one_of(npart__value_name(graph, graph->operands.items[scope->first_input + i]), words, count))
            return true;
    return false;
}

/* What other inputs tell of one whose name does not: beside a rate [batch, n] is sound, and with a state it comes in
 * chunks. */
static void find_sound(struct proposal *proposal)
{
    bool has_rate = has_input(proposal, rate_words, NPART__COUNT(rate_words));
    for (uint32_t i = 0; has_rate && i < proposal->open.count; i++) {
        const struct open_size *open = &proposal->open.items[i];
        const struct npart__fact *fact = &proposal->inference->facts[open->value];
        if (proposal->roles[open->symbol] == ROLE_OTHER && fact->rank == 2 && open->axis == 1 &&
            npart__type_is_float(fact->element_type))
            proposal->roles[open->symbol] = ROLE_SAMPLES;
    }
    if (has_rate && has_input(proposal, state_words, NPART__COUNT(state_words)))
        set_role(proposal, ROLE_SAMPLES, ROLE_CHUNK);
}

/* A decoder with a cache takes one position a step ("decode"), or a block of a prompt ("prefill"). The latter comes
 * with as many positions in the cache, for there is no cache of none where sizes are fixed. NULL: there is no such use;
 * "": the only one of a model. */
static const char *choose_use(struct proposal *proposal, uint32_t use)
{
    /* A cache beside a dynamic sequence: a model for both uses. */
    bool has_two = has_role(proposal, ROLE_PAST) && has_role(proposal, ROLE_SEQUENCE);
    /* A caller counts up until there is no such use. */
    if (use > (has_two ? 1u : 0u))
        return NULL;
    if (has_two && use == 0)
        set_role(proposal, ROLE_SEQUENCE, ROLE_STEP);
    if (has_two && use == 1)
        set_role(proposal, ROLE_PAST, ROLE_EARLIER);
    return !has_two ? "" : use == 0 ? "decode" : "prefill";
}

/* Sizes before any relation is looked at. A TOTAL is what the cache and the new positions are together: 127 + 1 = 128
 * in a step. No size passes the limit that the caller gave its symbol,
 * which it is where it was said how long inputs are. */
static void set_usual_sizes(struct proposal *proposal)
{
    uint32_t attempt = proposal->attempt;
    int64_t total = usual[ROLE_TOTAL][attempt];
    if (has_role(proposal, ROLE_PAST)) /* what is not dynamic is a step */
        total = usual[ROLE_PAST][attempt] + usual[ROLE_STEP][attempt];
    /* Set by choose_use for a prefill, in place of PAST. */
    if (has_role(proposal, ROLE_EARLIER))
        total = usual[ROLE_EARLIER][attempt] + usual[ROLE_SEQUENCE][attempt];
    for (uint32_t i = 0; i < proposal->open.count; i++) {
        uint32_t symbol = proposal->open.items[i].symbol;
        int64_t most = proposal->inference->expressions.symbols.items[symbol].most;
        int64_t size = proposal->roles[symbol] == ROLE_TOTAL ? total : usual[proposal->roles[symbol]][attempt];
        bool takes_all = proposal->inference->options.padding && most < INT64_MAX;
        proposal->sizes[symbol] = size < most && !takes_all ? size : most;
    }
}

/* ---- relations --------------------------------------------------------------------------------------------- */

static bool evaluate(const struct proposal *proposal, int64_t dim, int64_t *out);

/* False where a symbol has no size: it belongs to no input, as one whose size depends on data. */
static bool evaluate_atom(const struct proposal *proposal, const struct npart__atom *atom, int64_t *out)
{
    int64_t left, right;
    if (atom->kind == NPART__ATOM_SYMBOL) {
        *out = proposal->sizes[atom->left];
        return *out >= 0;
    }
    if (!evaluate(proposal, atom->left, &left) || !evaluate(proposal, atom->right, &right))
        return false;
    if (atom->kind == NPART__ATOM_FLOOR)
        return npart__floor_divide_int64(left, right, out);
    /* Of two equal ones either will do. */
    *out = (left < right) == (atom->kind == NPART__ATOM_MIN) ? left : right;
    return true;
}

/* The value of an expression at the sizes so far; false where one is not known, or it does not fit. */
static bool evaluate(const struct proposal *proposal, int64_t dim, int64_t *out)
{
    const struct npart__expressions *pool = &proposal->inference->expressions;
    *out = dim;
    if (npart__is_number(dim))
        return true;
    if (dim == NPART__UNKNOWN)
        return false;
    const struct npart__sum *sum = npart__sum_at(pool, dim);
    *out = sum->constant;
    for (uint32_t i = 0; i < sum->count; i++) {
        const struct npart__product *product = npart__product_at(pool, sum->terms[i].product);
        int64_t term = sum->terms[i].coefficient, atom;
        for (uint32_t k = 0; k < product->count; k++) {
            if (!evaluate_atom(proposal, npart__atom_at(pool, product->factors[k].atom), &atom))
                return false;
            for (uint32_t power = 0; power < product->factors[k].power; power++)
                if (!npart__multiply_int64(term, atom, &term))
                    return false;
        }
        if (!npart__add_int64(*out, term, out))
            return false;
    }
    return true;
}

/* Whether a relation may change the size of a symbol: it may once. So relations that contradict each other do not
 * change a size for ever, and the first one counts. */
static bool is_free(const struct proposal *proposal, uint32_t symbol)
{
    return symbol != NPART_NONE && proposal->roles[symbol] != ROLE_NONE && !proposal->follows[symbol];
}

/* Takes a size that a relation gives; false where a dim cannot have it. */
static bool set_size(struct proposal *proposal, uint32_t symbol, int64_t size)
{
    if (size < 1 || size > LARGEST_SIZE || size > proposal->inference->expressions.symbols.items[symbol].most)
        return false;
    proposal->sizes[symbol] = size;
    proposal->follows[symbol] = true;
    return true;
}

/* A side that is nothing but a symbol becomes what the other is: `mask_len` = past + sequence. Of two symbols the less
 * telling one follows, as roles are ordered by how much they tell. */
static bool follow_side(struct proposal *proposal, const struct npart__assumption *at, int64_t left, int64_t right)
{
    const struct npart__expressions *pool = &proposal->inference->expressions;
    uint32_t a = npart__lone_symbol(pool, at->left), b = npart__lone_symbol(pool, at->right);
    bool may_a = is_free(proposal, a), may_b = is_free(proposal, b);
    /* A smaller number is a more telling role: see sizes.def. */
    if (may_a && may_b && proposal->roles[a] < proposal->roles[b])
        may_a = false;
    return (may_a && set_size(proposal, a, right)) || (may_b && set_size(proposal, b, left));
}

/* Different symbols of a relation that may change; more than these are left alone. */
struct unknowns {
    const struct proposal *proposal;
    uint32_t symbols[8], count;
};

/* Collects the symbols that may change; a visitor of for_symbols. */
static bool add_unknown(void *to, uint32_t symbol)
{
    struct unknowns *unknowns = to;
    /* A symbol that stands in both sides, or twice in one, is taken once. */
    bool is_new = is_free(unknowns->proposal, symbol) && unknowns->count < NPART__COUNT(unknowns->symbols);
    for (uint32_t i = 0; i < unknowns->count; i++)
        is_new = is_new && unknowns->symbols[i] != symbol;
    if (is_new)
        unknowns->symbols[unknowns->count++] = symbol;
    return true;
}

static bool is_image_side(const struct proposal *proposal, uint32_t symbol)
{
    return proposal->roles[symbol] == ROLE_HEIGHT || proposal->roles[symbol] == ROLE_WIDTH ||
           proposal->roles[symbol] == ROLE_DETECTED;
}

/* Of which sign the difference of the sides is when all unknowns have `size`; 2: it does not fit. The sizes are left
 * so; solve puts them back. */
static int sign_at(struct proposal *proposal, const struct npart__assumption *at, const struct unknowns *unknowns,
                   int64_t size)
{
    int64_t left, right;
    for (uint32_t i = 0; i < unknowns->count; i++)
        proposal->sizes[unknowns->symbols[i]] = size;
    if (!evaluate(proposal, at->left, &left) || !evaluate(proposal, at->right, &right))
        return 2;
    return NPART__ORDER(left, right);
}

/* The largest size up to which the sign stays what it is at `from`, by bisection, of a difference that grows or falls
 * all along. */
static int64_t last_of_sign(struct proposal *proposal, const struct npart__assumption *at,
                            const struct unknowns *unknowns, int64_t from)
{
    /* LARGEST_SIZE is 2**22, so this takes 22 steps at most. */
    int64_t low = from, high = LARGEST_SIZE;
    int sign = sign_at(proposal, at, unknowns, from);
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (sign_at(proposal, at, unknowns, middle) == sign)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* The number from `low` to `high` that divides by most twos: of 200 to 230, 224 (7 * 32). */
static int64_t roundest(int64_t low, int64_t high)
{
    int64_t step = LARGEST_SIZE;
    /* LARGEST_SIZE is a power of two, and so is each step; at 1 it ends. */
    while (high / step * step < low)
        step /= 2;
    return high / step * step;
}

/* a & -a is the largest power of two that divides a. */
static bool is_rounder(int64_t a, int64_t b)
{
    return b == 0 || (a & -a) > (b & -b);
}

/* The roundest of the solutions from `most` down to `least`; 0: there is none. Tried one by one, as where a size is to
 * divide (floor(h/14)*14 = h) solutions come and go. */
static int64_t solve_down(struct proposal *proposal, const struct npart__assumption *at,
                          const struct unknowns *unknowns, int64_t most, int64_t least)
{
    int64_t found = 0;
    for (int64_t size = most; size > 0 && size >= least; size--)
        if (is_rounder(size, found) && sign_at(proposal, at, unknowns, size) == 0)
            found = size;
    return found;
}

/* The roundest of the solutions if the difference grows or falls all along; 0: none was found. A floor makes a range of
 * solutions: floor(h/32) = 7 holds from 224 to 255. No more than twice the least is taken. */
static int64_t solve_steady(struct proposal *proposal, const struct npart__assumption *at,
                            const struct unknowns *unknowns)
{
    int64_t low = sign_at(proposal, at, unknowns, 1) == 0 ? 1 : last_of_sign(proposal, at, unknowns, 1) + 1;
    if (sign_at(proposal, at, unknowns, low) != 0)
        return 0;
    /* Solutions are from low to high. */
    int64_t high = last_of_sign(proposal, at, unknowns, low);
    return roundest(low, high < 2 * low ? high : 2 * low);
}

/* Looks for a size of the unknowns at which the relation holds: near the usual one first, then anywhere if the sides
 * are steady, then everything below. Sizes are put back before the solution, if any, is set. */
static bool solve(struct proposal *proposal, const struct npart__assumption *at, const struct unknowns *unknowns)
{
    int64_t before[NPART__COUNT(unknowns->symbols)];
    for (uint32_t i = 0; i < unknowns->count; i++)
        before[i] = proposal->sizes[unknowns->symbols[i]];
    /* In this order, as a size near the usual one is what a user would take. */
    int64_t size = solve_down(proposal, at, unknowns, before[0], before[0] - NEARBY);
    if (size == 0)
        size = solve_steady(proposal, at, unknowns);
    if (size == 0 && before[0] <= LARGEST_SCANNED)
        size = solve_down(proposal, at, unknowns, before[0], 1);
    /* A size of 0 stands for no solution, which set_size does not take. */
    bool ok = true;
    for (uint32_t i = 0; i < unknowns->count; i++) {
        proposal->sizes[unknowns->symbols[i]] = before[i];
        ok = set_size(proposal, unknowns->symbols[i], size) && ok;
    }
    return ok;
}

/* An image's height and width together, as a square; then each symbol for itself, the least telling first. */
static bool solve_any(struct proposal *proposal, const struct npart__assumption *at)
{
    const struct npart__expressions *pool = &proposal->inference->expressions;
    struct unknowns all = {.proposal = proposal}, some = {.proposal = proposal};
    if (proposal->solved++ >= MOST_SOLVED)
        return false;
    (void)for_symbols(pool, at->left, add_unknown, &all);
    (void)for_symbols(pool, at->right, add_unknown, &all);
    /* Height and width, if the relation has them both. */
    for (uint32_t i = 0; i < all.count; i++)
        if (is_image_side(proposal, all.symbols[i]))
            some.symbols[some.count++] = all.symbols[i];
    if (some.count > 1 && solve(proposal, at, &some))
        return true;
    /* From here on one symbol at a time, the others keep their sizes. */
    some.count = 1;
    /* Roles are ordered by how much they tell. */
    for (uint32_t role = ROLE_COUNT; role-- > 0;)
        for (uint32_t i = 0; i < all.count; i++) {
            some.symbols[0] = all.symbols[i];
            if (proposal->roles[all.symbols[i]] == role && solve(proposal, at, &some))
                return true;
        }
    return false;
}

/* Goes through all relations until none changes a size or MOST_PASSES is reached, as one that holds may fail again when
 * another changes a symbol of it. In the first attempt a size of 1 that broadcasts is left alone. */
static void follow_relations(struct proposal *proposal)
{
    bool changes = true;
    for (int pass = 0; changes && pass < MOST_PASSES; pass++) {
        changes = false;
        for (uint32_t i = 0; i < proposal->inference->assumptions.count; i++) {
            const struct npart__assumption *at = &proposal->inference->assumptions.items[i];
            int64_t left, right;
            /* A relation with a size that depends on data cannot be solved. */
            if (!evaluate(proposal, at->left, &left) || !evaluate(proposal, at->right, &right))
                continue;
            /* A size of 1 fits any other where it broadcasts. */
            bool broadcasts = at->broadcasts && (left == 1 || right == 1) && proposal->attempt == 0;
            if (left != right && !broadcasts)
                changes |= follow_side(proposal, at, left, right) || solve_any(proposal, at);
        }
    }
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

/* Sizes by symbol name, or INPUT.AXIS for a dim without one, as --dim takes them. */
static bool list_requests(const struct proposal *proposal, struct npart__proposal *out)
{
    const struct npart__inference *inference = proposal->inference;
    out->requests = npart__arena_zeroed(proposal->arena, proposal->open.count + (size_t)1, sizeof *out->requests);
    for (uint32_t i = 0; out->requests && i < proposal->open.count; i++) {
        const struct open_size *open = &proposal->open.items[i];
        const char *name = inference->expressions.symbols.items[open->symbol].name;
        if (!name)
            name = npart__arena_format(proposal->arena, "%s.%u", npart__value_name(inference->graph, open->value),
                                       open->axis);
        if (!name)
            return false;
        out->requests[i] = (struct npart_dim_binding){.name = name, .size = proposal->sizes[open->symbol]};
    }
    out->count = proposal->open.count;
    return out->requests != NULL;
}

bool npart__propose_sizes(const struct npart__inference *inference, struct npart__arena *arena, uint32_t use,
                          uint32_t attempt, struct npart__proposal *out)
{
    struct proposal proposal = {.inference = inference, .arena = arena, .attempt = attempt};
    *out = (struct npart__proposal){0};
    if (!list_open(&proposal))
        return false;
    if ((has_role(&proposal, ROLE_HEIGHT) || has_role(&proposal, ROLE_WIDTH)) && is_detector(&proposal)) {
        set_role(&proposal, ROLE_HEIGHT, ROLE_DETECTED);
        set_role(&proposal, ROLE_WIDTH, ROLE_DETECTED);
    }
    find_sound(&proposal);
    /* No such use is no failure: `use` stays NULL. */
    out->use = choose_use(&proposal, use);
    if (!out->use)
        return true;
    set_usual_sizes(&proposal);
    follow_relations(&proposal);
    return list_requests(&proposal, out);
}
