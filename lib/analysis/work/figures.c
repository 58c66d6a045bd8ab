/* SPDX-License-Identifier: Apache-2.0
 *
 * Arithmetic on figures. Nearly all are plain numbers, and are done before any pool is looked at.
 * float32[`batch`,64,56,56] has 200704*batch elements; where numbers alone are asked for, it is not known how many.
 */
#include "work/figures.h"

/* `from` must not grow while the figures are used, as `read` is as long as its sums. */
bool npart__figures_init(struct npart__figures *figures, const struct npart__expressions *from, bool has_expressions,
                         struct npart__arena *arena)
{
    *figures = (struct npart__figures){.from = from};
    if (!has_expressions)
        return true;
    figures->pool = npart__arena_zeroed(arena, 1, sizeof *figures->pool);
    figures->read = npart__arena_zeroed(arena, from->sums.texts.count + (size_t)1, sizeof *figures->read);
    npart__buffer_init(&figures->text, arena);
    bool is_ready = figures->pool && figures->read && npart__expressions_init(figures->pool, arena);
    /* In the same order, which is that in which products are printed. Unnamed symbols are no use to a reader: what
     * has one is unknown. */
    for (uint32_t i = 0; is_ready && i < from->symbols.count; i++)
        if (from->symbols.items[i].name)
            (void)npart__symbol(figures->pool, from->symbols.items[i].name, strlen(from->symbols.items[i].name));
    return is_ready;
}

/* What the pool's arithmetic gives: sizes that are named, and not below 0. */
static uint64_t figure(const struct npart__figures *figures, int64_t value)
{
    if (npart__is_number(value))
        return value < 0 ? NPART__WORK_UNKNOWN : (uint64_t)value;
    return value == NPART__UNKNOWN || !npart__is_named(figures->pool, value) ? NPART__WORK_UNKNOWN : (uint64_t)value;
}

/* By its text, which says the same in every pool. A lone symbol, as most are, needs no text. The buffer is used
 * again for each. Want of memory is noted in the pool and the buffer, and told by find_all. */
static int64_t read_again(struct npart__figures *figures, int64_t dim)
{
    uint32_t symbol = npart__lone_symbol(figures->from, dim);
    if (symbol != NPART_NONE) {
        const char *name = figures->from->symbols.items[symbol].name;
        return npart__symbol(figures->pool, name, strlen(name));
    }
    figures->text.size = 0;
    npart__append_dim(&figures->text, figures->from, dim);
    return npart__parse_dim(figures->pool, npart__buffer_text(&figures->text));
}

static uint64_t figure_of(struct npart__figures *figures, int64_t dim)
{
    if (npart__is_number(dim))
        return dim < 0 ? NPART__WORK_UNKNOWN : (uint64_t)dim;
    if (!figures->pool || dim == NPART__UNKNOWN || !npart__is_named(figures->from, dim))
        return NPART__WORK_UNKNOWN;
    /* The handle is the sum's place in the inference's pool. */
    int64_t *read = &figures->read[dim - NPART__HANDLE_BASE];
    if (*read == 0)
        *read = read_again(figures, dim);
    return figure(figures, *read);
}

/* Numbers above INT64_MAX would be read as handles, so they count as unknown. A handle is a negative number, and
 * so above INT64_MAX as a figure. */
uint64_t npart__times(struct npart__figures *figures, uint64_t a, uint64_t b)
{
    uint64_t result;
    if (a == NPART__WORK_UNKNOWN || b == NPART__WORK_UNKNOWN)
        return NPART__WORK_UNKNOWN;
    if (npart__work_is_number(a) && npart__work_is_number(b))
        return npart__multiply_uint64(a, b, &result) && npart__work_is_number(result) ? result : NPART__WORK_UNKNOWN;
    return figure(figures, npart__product(figures->pool, (int64_t)a, (int64_t)b));
}

/* Two numbers of at most INT64_MAX do not wrap in 64 bits, but their sum may be past INT64_MAX. */
uint64_t npart__plus(struct npart__figures *figures, uint64_t a, uint64_t b)
{
    if (a == NPART__WORK_UNKNOWN || b == NPART__WORK_UNKNOWN)
        return NPART__WORK_UNKNOWN;
    if (npart__work_is_number(a) && npart__work_is_number(b))
        return npart__work_is_number(a + b) ? a + b : NPART__WORK_UNKNOWN;
    return figure(figures, npart__sum(figures->pool, (int64_t)a, (int64_t)b));
}

/* A rest would make a figure that is too small. An expression is divided only where each of its terms can be:
 * 6*n by 3, and not n by 2. */
uint64_t npart__divided(struct npart__figures *figures, uint64_t a, uint64_t b)
{
    int64_t result;
    if (a == NPART__WORK_UNKNOWN || b == NPART__WORK_UNKNOWN || b == 0)
        return NPART__WORK_UNKNOWN;
    if (npart__work_is_number(a) && npart__work_is_number(b))
        return a % b == 0 ? a / b : NPART__WORK_UNKNOWN;
    if (!npart__exact_quotient(figures->pool, (int64_t)a, (int64_t)b, &result))
        return NPART__WORK_UNKNOWN;
    return figure(figures, result);
}

uint64_t npart__bytes_of(struct npart__figures *figures, int element_type, uint64_t elements)
{
    unsigned bits = npart__type_bits(element_type);
    if (elements == NPART__WORK_UNKNOWN || bits == 0)
        return NPART__WORK_UNKNOWN;
    if (bits % 8 == 0)
        return npart__times(figures, elements, bits / 8);
    /* Less than a byte each: packed, rounded up once for the whole tensor. */
    if (npart__work_is_number(elements))
        return npart__type_bytes(element_type, elements);
    int64_t all = npart__product(figures->pool, (int64_t)elements, bits);
    return figure(figures, npart__ceil_quotient(figures->pool, all, 8));
}

/* Of a scalar it is 1, the empty product. */
uint64_t npart__elements_of(struct npart__figures *figures, const struct npart__fact *fact)
{
    bool is_tensor = fact && (fact->kind == NPART__TYPE_TENSOR || fact->kind == NPART__TYPE_SPARSE) && fact->has_rank;
    uint64_t elements = is_tensor ? 1 : NPART__WORK_UNKNOWN;
    for (uint32_t i = 0; is_tensor && i < fact->rank; i++)
        elements = npart__times(figures, elements, figure_of(figures, fact->dims[i]));
    return elements;
}

uint64_t npart__axis_of(struct npart__figures *figures, const struct npart__fact *fact, uint32_t from_end)
{
    if (!fact || !fact->has_rank || from_end == 0 || fact->rank < from_end)
        return NPART__WORK_UNKNOWN;
    return figure_of(figures, fact->dims[fact->rank - from_end]);
}
