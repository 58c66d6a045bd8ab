/* SPDX-License-Identifier: Apache-2.0
 *
 * What all reports are written with: memory of the plan's allocator, text that grows, numbers in
 * every locale. Like lib/base's arena and buffer, but on the public header alone, since reports
 * must not need more than other programs have.
 */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "report/report.h"

/* ---- memory ------------------------------------------------------------------------------------------------ */

/* The head of every piece of memory that a report holds, in a chain that is released at its end. */
struct npart__taken {
    struct npart__taken *next; /* NULL: the last one */
    uint64_t aligned; /* so that what follows is */
};

/* Returns NULL, so that whoever held the address can be set to it. The allocator is a copy that the pool has, so
 * what it points to must outlive the report. */
static void *release(const struct npart__pool *pool, struct npart__taken *taken)
{
    pool->allocator.release(pool->allocator.payload, taken);
    return NULL;
}

/* From here on the memory goes with the pool. */
static void keep(struct npart__pool *pool, struct npart__taken *taken)
{
    taken->next = pool->taken;
    pool->taken = taken;
}

/* Failure is noted in the pool, so that callers may go on and the report fails once, at its end. The size is
 * checked against a quarter of the address space, so that the head can be added without another look. */
void *npart__take(struct npart__pool *pool, size_t count, size_t item_bytes)
{
    struct npart__taken *taken = NULL;
    if (!item_bytes || count <= SIZE_MAX / 4 / item_bytes)
        taken = pool->allocator.allocate(pool->allocator.payload, sizeof *taken + count * item_bytes);
    if (!taken) {
        pool->failed = true;
        return NULL;
    }
    keep(pool, taken);
    return memset(taken + 1, 0, count * item_bytes);
}

/* ---- sheets ------------------------------------------------------------------------------------------------ */

/* A sheet's text has the same head, so that it can join the chain (npart__keep_text). `data` points right after the
 * head. */
static struct npart__taken *block_of(const struct npart__sheet *sheet)
{
    return sheet->data ? (struct npart__taken *)(void *)sheet->data - 1 : NULL;
}

void npart__sheet_open(struct npart__sheet *sheet, struct npart__pool *pool)
{
    *sheet = (struct npart__sheet){.pool = pool};
}

void npart__sheet_close(struct npart__sheet *sheet)
{
    if (sheet->data)
        sheet->data = release(sheet->pool, block_of(sheet));
    sheet->size = sheet->capacity = 0;
}

/* What the caller refuses ends the report with an error of its own. The caller's `write` is never called with
 * nothing. */
static void hand_on(struct npart__sheet *sheet)
{
    if (sheet->size && !sheet->write(sheet->payload, sheet->data, sheet->size))
        sheet->pool->refused = sheet->pool->failed = true;
    sheet->size = 0;
}

/* An allocator need not be able to resize; then the text is copied. On a failure the old text stays, and is
 * released with the sheet. */
static bool grow(struct npart__sheet *sheet, size_t capacity)
{
    const struct npart_allocator *allocator = &sheet->pool->allocator;
    struct npart__taken *block = block_of(sheet), *grown;
    size_t bytes = sizeof *grown + capacity;
    if (block && allocator->resize) {
        grown = allocator->resize(allocator->payload, block, bytes);
    } else {
        grown = allocator->allocate(allocator->payload, bytes);
        if (grown && block) {
            memcpy(grown + 1, sheet->data, sheet->size);
            (void)release(sheet->pool, block);
        }
    }
    if (!grown) {
        sheet->pool->failed = true;
        return false;
    }
    sheet->data = (char *)(grown + 1);
    sheet->capacity = capacity;
    return true;
}

/* The sheet of the report is handed on when it is full, so its memory stays at
 * NPART__SHEET_BYTES however long the report is. Sheets double in size, so a text is copied as often as its length
 * has digits in base 2. After a failure the sheet counts as full: the test in npart__add then leads here for every
 * piece, and no writer of a report has to ask whether memory was there. */
bool npart__sheet_reserve(struct npart__sheet *sheet, size_t bytes)
{
    if (sheet->write && sheet->capacity >= NPART__SHEET_BYTES && !sheet->pool->failed)
        hand_on(sheet);
    /* Filling the sheet makes every later piece come here, where it is dropped. */
    if (sheet->pool->failed) {
        sheet->size = sheet->capacity; /* what comes now is swallowed here */
        return false;
    }
    if (bytes < sheet->capacity - sheet->size)
        return true;
    size_t wanted = sheet->capacity ? sheet->capacity * 2 : 256;
    while (wanted - sheet->size <= bytes) {
        if (wanted > SIZE_MAX / 4) {
            sheet->pool->failed = true;
            return false;
        }
        wanted *= 2;
    }
    return grow(sheet, wanted);
}

/* SIZE_MAX is a getter's word for out of memory. It must be called once at least, as it is what sets the size:
 * `length` is that of the text, without its NUL. Where the report has failed, getters are not asked again. */
bool npart__sheet_lacks(struct npart__sheet *sheet, size_t length)
{
    if (length == SIZE_MAX)
        sheet->pool->failed = true;
    sheet->size = 0;
    if (sheet->pool->failed || length < sheet->capacity) {
        sheet->size = sheet->pool->failed ? 0 : length;
        return false;
    }
    return npart__sheet_reserve(sheet, length);
}

/* The NUL is not counted, so appending goes on over it. A sheet always has room for a byte more than its text, so
 * there is a place for the NUL. The text is good until something is added. */
const char *npart__sheet_text(struct npart__sheet *sheet)
{
    if (!npart__sheet_reserve(sheet, 0)) {
        sheet->size = 0; /* of the text that is returned, by which callers go on */
        return "";
    }
    sheet->data[sheet->size] = '\0';
    return sheet->data;
}

/* The memory changes hands: from the sheet to the pool. The sheet begins anew, without memory. */
const char *npart__keep_text(struct npart__sheet *sheet)
{
    const char *text = npart__sheet_text(sheet);
    if (sheet->data)
        keep(sheet->pool, block_of(sheet));
    npart__sheet_open(sheet, sheet->pool);
    return text;
}

/* ---- numbers ----------------------------------------------------------------------------------------------- */

/* Most pieces are short, so they are made on the stack; a longer one is made again where it belongs, for which the
 * arguments are copied before the first use. Decimals have functions of their own: printf's point is the
 * locale's. */
void npart__add_format(struct npart__sheet *sheet, const char *format, ...)
{
    char fixed[256];
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(fixed, sizeof fixed, format, list);
    va_end(list);
    if (length < 0) {
        sheet->pool->failed = true;
    } else if ((size_t)length < sizeof fixed) {
        npart__add(sheet, fixed, (size_t)length);
    } else if (npart__sheet_reserve(sheet, (size_t)length)) {
        (void)vsnprintf(sheet->data + sheet->size, (size_t)length + 1, format, again);
        sheet->size += (size_t)length;
    }
    va_end(again);
}

/* Powers of 1000, and about three digits: 999.5 rounds up to the next unit: "999 B", "1.2 kB", "24.7 MB", "123
 * GB". */
void npart__add_bytes(struct npart__sheet *sheet, uint64_t bytes)
{
    static const char *const units[] = {" B", " kB", " MB", " GB", " TB", " PB", " EB"};
    double scaled = (double)bytes;
    size_t unit = 0;
    while (scaled >= 999.5 && unit + 1 < NPART__LENGTH(units)) {
        scaled /= 1000;
        unit++;
    }
    npart__add_decimal(sheet, scaled, unit && scaled < 99.95 ? 1 : 0);
    npart__add_text(sheet, units[unit]);
}

/* As in lib/base: by hand, as printf is slow for millions of numbers. The least number has no positive counterpart,
 * so the magnitude is made in unsigned arithmetic, where 0 minus it is right. */
void npart__add_number(struct npart__sheet *sheet, int64_t value)
{
    char digits[24];
    size_t at = sizeof digits;
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    if (sheet->capacity - sheet->size < sizeof digits && !npart__sheet_reserve(sheet, sizeof digits))
        return;
    do {
        digits[--at] = (char)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude);
    if (value < 0)
        digits[--at] = '-';
    while (at < sizeof digits)
        sheet->data[sheet->size++] = digits[at++];
}

/* As in lib/base: not printf, whose point is the locale's. Whole and fractional parts are written apart: 1.995 with
 * two decimals has 0.995 * 100 + 0.5, which is 100, and becomes 2.00. What rounds to zero has no sign. Below 1e18 a
 * double's whole part fits into 63 bits; beyond that it has no fraction anyway. */
void npart__add_decimal(struct npart__sheet *sheet, double value, unsigned decimals)
{
    static const int64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
    int64_t scale = powers[decimals < NPART__LENGTH(powers) ? decimals : NPART__LENGTH(powers) - 1];
    double whole = isfinite(value) ? floor(fabs(value)) : 0, rest = isfinite(value) ? fabs(value) - whole : 0;
    int64_t fraction = (int64_t)(rest * (double)scale + 0.5);
    if (fraction == scale) { /* rounded up to the next whole number */
        whole++;
        fraction = 0;
    }
    if (value < 0 && (whole > 0 || fraction > 0))
        npart__add(sheet, "-", 1);
    if (whole < 1e18)
        npart__add_number(sheet, (int64_t)whole);
    else
        npart__add_format(sheet, "%.0f", whole); /* no point, so no locale's */
    if (scale == 1)
        return;
    npart__add(sheet, ".", 1);
    for (int64_t digit = scale / 10; digit; digit /= 10) {
        char character = (char)('0' + fraction / digit);
        npart__add(sheet, &character, 1);
        fraction %= digit;
    }
}

/* ---- a report as a whole ----------------------------------------------------------------------------------- */

/* As npart__fail of lib/base does: made longer than shown, since escapes are added. `error` may be NULL, and the
 * status is returned in any case. */
npart_status npart__report_fail(struct npart_error *error, npart_status status, const char *format, ...)
{
    char message[2 * sizeof error->message];
    va_list list;
    if (!error)
        return status;
    va_start(list, format);
    (void)vsnprintf(message, sizeof message, format, list);
    va_end(list);
    error->status = status;
    *error->place = '\0';
    (void)npart_plain_text(message, error->message, sizeof error->message);
    return status;
}

/* The model that was asked about, not the graph that a runtime sees, which differs between
 * targets. */
static const npart_model *model_of(const npart_plan *plan)
{
    return npart_inference_model(npart_plan_inference(plan));
}

/* Plans of different models in one report would make its head a lie. A plan with sizes fixed must be of the same
 * model as well, while advice may be missing. */
static npart_status check_plan(const struct npart_plan_pair *plan, size_t index, const npart_model *model,
                               struct npart_error *error)
{
    if (!plan->plan)
        return npart__report_fail(error, NPART_ERROR_ARGUMENT, "plan %zu must not be NULL", index);
    model = model ? model : model_of(plan->plan);
    if (model_of(plan->plan) != model || (plan->fixed && model_of(plan->fixed) != model))
        return npart__report_fail(error, NPART_ERROR_ARGUMENT, "plan %zu is of another model", index);
    return NPART_OK;
}

static bool makes_plans(const struct npart_report_options *options)
{
    return options && options->version >= 2 && options->next;
}

npart_status npart__report_plan(const struct npart_plan_pair *plans, size_t index, const npart_model *model,
                                const struct npart_report_options *options, struct npart_plan_pair *out,
                                struct npart_error *error)
{
    *out = (struct npart_plan_pair){0};
    if (!makes_plans(options)) { /* which are checked */
        *out = plans[index];
        return NPART_OK;
    }
    npart_status status = options->next(options->next_payload, index, out, error);
    return status == NPART_OK ? check_plan(out, index, model, error) : status;
}

npart_status npart__report_check_options(const struct npart_report_options *options, struct npart_error *error)
{
    if (!options || options->version == 1 || options->version == 2)
        return NPART_OK;
    return npart__report_fail(error, NPART_ERROR_ARGUMENT, "report options have version %u; this library knows 1 to 2",
                              options->version);
}

npart_status npart__report_check(const struct npart_plan_pair *plans, size_t count,
                                 const struct npart_report_options *options, npart_write_callback write,
                                 struct npart_error *error)
{
    bool are_there = !makes_plans(options);
    if ((are_there && !plans) || count == 0)
        return npart__report_fail(error, NPART_ERROR_ARGUMENT, "no plan to report");
    if (!write)
        return npart__report_fail(error, NPART_ERROR_ARGUMENT, "write must not be NULL");
    npart_status status = npart__report_check_options(options, error);
    for (size_t i = 0; are_there && status == NPART_OK && i < count; i++)
        status = check_plan(&plans[i], i, i ? model_of(plans[0].plan) : NULL, error);
    return status;
}

/* Good for as long as the plan. */
const struct npart_allocator *npart__allocator_of(const npart_plan *plan)
{
    struct npart_plan_info info = {.size = sizeof info};
    (void)npart_plan_info(plan, &info);
    return info.allocator;
}

/* Nothing is allocated yet: a report that fails at once has nothing to give back. */
void npart__report_open(struct npart__pool *pool, struct npart__sheet *sheet, const struct npart_allocator *allocator,
                        npart_write_callback write, void *payload)
{
    *pool = (struct npart__pool){.allocator = *allocator};
    *sheet = (struct npart__sheet){.pool = pool, .write = write, .payload = payload};
}

/* A budget makes allocations fail as a lack of memory does; which of the two it was only the budget knows. */
npart_status npart__report_shortage(const struct npart_allocator *allocator, struct npart_error *error)
{
    npart_status spent = npart_budget_status(allocator, error);
    return spent == NPART_OK ? npart__report_fail(error, NPART_ERROR_MEMORY, "out of memory") : spent;
}

/* What the caller's `write` refuses is told as such, even where memory ran out after it. */
npart_status npart__report_status(const struct npart__pool *pool, struct npart_error *error)
{
    if (!pool->failed)
        return NPART_OK;
    return pool->refused ? npart__report_fail(error, NPART_ERROR_WRITE, "cannot write the report")
                         : npart__report_shortage(&pool->allocator, error);
}

static void give_back(struct npart__pool *pool)
{
    while (pool->taken) {
        struct npart__taken *next = pool->taken->next;
        (void)release(pool, pool->taken);
        pool->taken = next;
    }
}

void npart__pool_end(struct npart__pool *pool, struct npart__pool *around)
{
    give_back(pool);
    around->failed |= pool->failed;
}

/* All memory goes back, whether the report was written or has failed. */
npart_status npart__report_close(struct npart__pool *pool, struct npart__sheet *sheet, struct npart_error *error)
{
    if (!pool->failed)
        hand_on(sheet);
    npart__sheet_close(sheet);
    give_back(pool);
    return npart__report_status(pool, error);
}
