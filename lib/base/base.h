/* SPDX-License-Identifier: Apache-2.0
 *
 * base: what every stage stands on. Arenas over the caller's allocator, interned strings, a growable text
 * buffer, checked arithmetic, and one way to fill in an error.
 *
 * Out of memory is an ordinary failure everywhere: allocating functions return NULL (or NPART_NONE), and the
 * stage turns that into NPART_ERROR_MEMORY. Nothing here prints, exits, or keeps state outside its arguments.
 */
#ifndef NPART_BASE_H
#define NPART_BASE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "npu_partition/experimental.h"

/* Brings in what a loop over scattered objects will look at some steps later. */
#if defined(__GNUC__)
#define NPART__PREFETCH(address) __builtin_prefetch(address)
#else
#define NPART__PREFETCH(address) ((void)(address))
#endif

/* Items of an array whose size the compiler knows; not of a pointer. */
#define NPART__COUNT(array) (sizeof(array) / sizeof((array)[0]))

#if defined(__GNUC__)
#define NPART__PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define NPART__PRINTF(text, first)
#endif

/* ---- errors ---------------------------------------------------------------------------------------------- */

/* Fills in `error` (may be NULL) and returns `status`, so that a failing function ends in one statement.
 * `place` says where ("byte 42", "hexagon.ops:12:7"); "" where there is no place. Both come out as npart__copy_plain
 * writes them. */
npart_status npart__fail(struct npart_error *error, npart_status status, const char *place, const char *format, ...)
    NPART__PRINTF(4, 5);

/* Every allocation failure ends here. The status is in sight of whoever reads a caller, analyzers too. */
static inline npart_status npart__fail_memory(struct npart_error *error)
{
    (void)npart__fail(error, NPART_ERROR_MEMORY, "", "out of memory");
    return NPART_ERROR_MEMORY;
}

/* ---- checked arithmetic ---------------------------------------------------------------------------------- */

/* Each returns false, leaving *out alone, where the exact result does not fit. */
bool npart__add_int64(int64_t a, int64_t b, int64_t *out);
bool npart__subtract_int64(int64_t a, int64_t b, int64_t *out);
bool npart__multiply_int64(int64_t a, int64_t b, int64_t *out);
bool npart__multiply_uint64(uint64_t a, uint64_t b, uint64_t *out);
/* A sum that does not fit stays at the largest number: sizes that a hostile file claims do not wrap. */
static inline uint64_t npart__sum_uint64(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static inline int64_t npart__clamp_int64(int64_t value, int64_t low, int64_t high)
{
    return value < low ? low : value > high ? high : value;
}

/* For qsort(): of numbers of 32 bits. */
static inline int npart__compare_uint32(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* Union-find: the member that speaks for a part. Paths are halved, which alone keeps it nearly linear. */
static inline uint32_t npart__root_of(uint32_t *parent, uint32_t member)
{
    while (parent[member] != member) {
        parent[member] = parent[parent[member]];
        member = parent[member];
    }
    return member;
}
/* Floor division, as ONNX shape arithmetic and Python have it; false for b = 0 and for INT64_MIN / -1. */
bool npart__floor_divide_int64(int64_t a, int64_t b, int64_t *out);
/* What floor division leaves, of the sign of `b`; false for b = 0. */
bool npart__floor_modulo_int64(int64_t a, int64_t b, int64_t *out);

/* "-1.5e-05" as a number, whatever the locale says of points. */
double npart__read_decimal(const char *text);

/* ---- what must hold -------------------------------------------------------------------------------------- */

/* What holds whatever the input. Only the debug build (make VARIANT=debug) looks: it says what is broken, and where by
 * a printf format, and aborts. */
#ifdef NPART_DEBUG
#define NPART__ASSERT(condition, ...)                                                                                  \
    ((condition) ? (void)0 : npart__assertion_failed(__FILE__, __LINE__, #condition, __VA_ARGS__))
_Noreturn void npart__assertion_failed(const char *file, int line, const char *condition, const char *format, ...)
    NPART__PRINTF(4, 5);
#define NPART__CHECK(call) (call)
#else
#define NPART__ASSERT(condition, ...) ((void)0)
#define NPART__CHECK(call) ((void)0) /* of a whole result, when a stage hands it over (invariants.c) */
#endif

/* What a function like printf is given after `format`, its last parameter with a name, into an array. What is longer is
 * cut off. */
#define NPART__FORMAT(text, format)                                                                                    \
    do {                                                                                                               \
        va_list npart__arguments;                                                                                      \
        va_start(npart__arguments, format);                                                                            \
        (void)vsnprintf(text, sizeof(text), format, npart__arguments);                                                 \
        va_end(npart__arguments);                                                                                      \
    } while (0)

/* What a comparison for qsort says of two numbers, the smaller one first. */
#define NPART__ORDER(a, b) (((a) > (b)) - ((a) < (b)))

/* ---- arena ----------------------------------------------------------------------------------------------- */

/* Bump allocation out of blocks that are all released together. Requests above a block's share get a block of
 * their own, which can be given back or resized; that keeps growing arrays from leaving old copies in the arena. */
struct npart__arena {
    struct npart_allocator allocator;
    struct npart__block *blocks; /* newest first */
    struct npart__block *large;  /* those with one owner */
    char *cursor, *limit;        /* free space of the newest block */
    size_t next_block_bytes; /* doubles with each block up to 1 MiB */
    size_t total_bytes; /* all blocks together */
    bool failed; /* since it was opened: to get memory, or what was to be made in it, as whoever uses it says */
    struct npart__budget *budget; /* whose time npart__is_late tells of: that of the allocator; NULL: there is none */
};

/* `allocator` NULL: malloc and free. */
void npart__arena_init(struct npart__arena *arena, const struct npart_allocator *allocator);
void npart__arena_clear(struct npart__arena *arena);
/* All that lies in another of the same allocator lies in this one from here on, and the other is empty. */
void npart__arena_take(struct npart__arena *arena, struct npart__arena *from);

/* Memory aligned to 8 bytes, contents undefined; NULL when out of memory or `bytes` is absurd. */
void *npart__arena_allocate(struct npart__arena *arena, size_t bytes);
/* `count` zeroed objects of `item_bytes`. */
void *npart__arena_zeroed(struct npart__arena *arena, size_t count, size_t item_bytes);
/* A terminated copy of `length` bytes. */
char *npart__arena_copy_text(struct npart__arena *arena, const char *text, size_t length);
/* Printf into the arena; NULL when out of memory. */
char *npart__arena_format(struct npart__arena *arena, const char *format, ...) NPART__PRINTF(2, 3);
/* Gives back a large allocation; a small one stays until the arena goes. */
void npart__arena_release(struct npart__arena *arena, void *memory);
/* The same of an allocation of `bytes`, which the arena has back also where it is small and the latest one. */
void npart__arena_give_back(struct npart__arena *arena, void *memory, size_t bytes);
/* Like realloc for an allocation of `old_bytes` from this arena. */
void *npart__arena_resize(struct npart__arena *arena, void *memory, size_t old_bytes, size_t new_bytes);

/* A growing array in an arena: `struct NPART__ARRAY(type)`. */
#define NPART__ARRAY(type)                                                                                             \
    {                                                                                                                  \
        type *items;                                                                                                   \
        uint32_t count, capacity;                                                                                      \
    }

/* Makes room for `extra` items more than `count`; false when out of memory or beyond 2^31 items. Use through
 * NPART__RESERVE. */
bool npart__array_reserve(struct npart__arena *arena, void **items, uint32_t *capacity, size_t item_bytes,
                          uint32_t count, size_t extra);
#define NPART__RESERVE(arena, array, extra)                                                                            \
    npart__array_reserve((arena), (void **)&(array)->items, &(array)->capacity, sizeof *(array)->items,                \
                         (array)->count, (extra))
/* Appends one value; false when out of memory. */
#define NPART__PUSH(arena, array, value)                                                                               \
    (NPART__RESERVE((arena), (array), 1) && ((array)->items[(array)->count++] = (value), true))
/* Its items from one on; NULL of an array without any, from which C11 counts no further, not even by 0. */
#define NPART__FROM(array, first) ((array)->items ? (array)->items + (first) : NULL)

/* ---- budgets --------------------------------------------------------------------------------------------- */

/* An allocator over another that gives no more than so many bytes at a time, and none after so long; 0: no such bound.
 * False when out of memory. It works until all memory of it has come back, and no longer than to npart__budget_close
 * where none was taken. Several threads may use it where they may use `under`. */
bool npart__budget_open(struct npart_allocator *out, const struct npart_allocator *under, uint64_t most_bytes,
                        uint64_t most_ms);
/* After this the budget goes with the last memory that it gave. */
void npart__budget_close(const struct npart_allocator *allocator);
/* Whether somebody was late, or is as the clock says, which is looked at only then; of all budgets in one another. */
bool npart__is_past(struct npart__budget *budget, bool looks);
/* For loops that go on long without an allocation: whether they are to end as if memory were short. What such a loop
 * has made is never told, so it may be in pieces: the public call says TIMEOUT, whatever comes out (npart__settle). It
 * must not be kept for a later call, which may have time (npart_budget_end_time). */
static inline bool npart__is_late(const struct npart__arena *arena)
{
    return arena->budget && npart__is_past(arena->budget, true);
}
/* The same where a step takes less than looking at the clock, which is done in one of 256; once somebody was late, all
 * are at once. */
static inline bool npart__is_late_at(const struct npart__arena *arena, uint32_t step)
{
    return arena->budget && npart__is_past(arena->budget, step % 256 == 255);
}
/* NULL for an allocator that is no budget. */
struct npart__budget *npart__budget_of(const struct npart_allocator *allocator);
/* As npart_budget_end_time. */
void npart__budget_end_time(const struct npart_allocator *allocator);
/* What npart_budget_status tells. */
npart_status npart__budget_status(const struct npart_allocator *allocator, struct npart_error *error);
/* The status of a public call: where memory was short since a budget was spent, LIMIT or TIMEOUT, and that error;
 * TIMEOUT also of a call that is fine otherwise, where something ended since it was late. */
npart_status npart__settle(npart_status status, const struct npart_allocator *allocator, struct npart_error *error);

/* ---- hashing --------------------------------------------------------------------------------------------- */

/* Of what comes from the input: SipHash-1-3. Without the key, texts or numbers that fall into one place of a table
 * cannot be made. A key is different in every run, so nothing that is told may depend on a hash. */
struct npart__hash_key {
    uint64_t low, high;
};

/* The four words of SipHash's state. npart__hash_end takes a copy, so more words may follow what it has told. */
struct npart__hash {
    uint64_t v[4];
};

/* A key that cannot be guessed. */
void npart__hash_key_init(struct npart__hash_key *key);
uint64_t npart__hash_bytes(const struct npart__hash_key *key, const void *data, size_t count);
/* The same of numbers, one by one. How many come must be told by them, or be always the same. */
struct npart__hash npart__hash_begin(const struct npart__hash_key *key);
void npart__hash_word(struct npart__hash *hash, uint64_t word);
uint64_t npart__hash_end(struct npart__hash hash);

/* Most names that are compared differ in their first letter. */
static inline bool npart__same_text(const char *a, const char *b)
{
    return *a == *b && strcmp(a, b) == 0;
}
/* Whether a text is this, of which `length` letters count. */
static inline bool npart__is_text(const char *own, const char *text, size_t length)
{
    return (length == 0 || *own == *text) && strncmp(own, text, length) == 0 && own[length] == '\0';
}
/* What is after the last `mark`, or the whole text. */
static inline const char *npart__after_last(const char *text, char mark)
{
    const char *last = strrchr(text, mark);
    return last ? last + 1 : text;
}

/* What a model is called as it is looked at in a precision: of "a/model.onnx" and "w8a8:qnn" "model.w8a8-qnn.onnx".
 * NULL when out of memory. */
char *npart__name_as(struct npart__arena *arena, const char *path, const char *precision);

/* ---- interned strings ------------------------------------------------------------------------------------ */

/* Equal texts get equal ids, counted from 0; id 0 is always "". Texts are copied only on request. */
struct npart__strings {
    struct npart__arena *arena;
    uint32_t *slots, *places, slot_count; /* ids, 0: free; as many of both as a power of two */
    struct NPART__ARRAY(const char *) texts;
    struct NPART__ARRAY(struct npart__string_key) keys; /* by id */
    struct npart__hash_key key;
    const struct npart__strings *like; /* with the same key; or NULL */
};

/* False when out of memory. `arena` must outlive the table. */
bool npart__strings_init(struct npart__strings *strings, struct npart__arena *arena);
/* The same of a table that gets many texts of another, by their addresses: what is known of these is not found out
 * again. The other may be NULL, and must be there until `like` is. */
bool npart__strings_init_like(struct npart__strings *strings, const struct npart__strings *like,
                              struct npart__arena *arena);
/* Takes the latest texts away again, so that `count` are left, at least the first. */
void npart__strings_cut(struct npart__strings *strings, uint32_t count);
/* The same texts with the same ids, to add to; `from` must outlive it. */
bool npart__strings_copy(const struct npart__strings *from, struct npart__arena *arena, struct npart__strings *out);
/* The id of `text`, which must stay alive unless `copy`; NPART_NONE when out of memory. */
uint32_t npart__intern(struct npart__strings *strings, const char *text, size_t length, bool copy);
/* The id of a text seen before, or NPART_NONE. */
uint32_t npart__strings_find(const struct npart__strings *strings, const char *text, size_t length);
/* The same of a text up to its end, which is not copied. Where it is the table's own it is known by its address. */
uint32_t npart__intern_text(struct npart__strings *strings, const char *text);
uint32_t npart__strings_find_text(const struct npart__strings *strings, const char *text);
static inline const char *npart__text(const struct npart__strings *strings, uint32_t id)
{
    return id < strings->texts.count ? strings->texts.items[id] : "";
}

/* Ids of strings spread over the slots of a small cache. */
#define NPART__CACHE_SLOTS 1024u
/* The upper bits of a product with 2^32 divided by the golden ratio: ids that follow one another
 * fall into different slots. 22 leaves ten bits, for the 1024 slots. */
static inline uint32_t npart__cache_slot(uint32_t id)
{
    return id * UINT32_C(2654435761) >> 22;
}

/* One more number in a hash: Fibonacci hashing, with the upper bits brought down. */
static inline uint64_t npart__mix(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

/* ---- text buffer ----------------------------------------------------------------------------------------- */

/* Text that is made of pieces: kept in memory, or handed to a caller's `write` from time to time. After any failure
 * the rest is swallowed, and `failed` says so at the end, as does the arena. */
struct npart__buffer {
    struct npart__arena *arena;
    char *data;            /* NULL: no memory yet; moves when it grows; no NUL at its end until the text is asked for */
    size_t size, capacity; /* size is less, so that a NUL has room; both are 0 after a failure */
    bool failed;
    bool refused;               /* by `write` */
    npart_write_callback write; /* NULL: everything is kept */
    void *payload;
};

#define NPART__WRITTEN_BYTES ((size_t)64 << 10) /* that are gathered before they are written */

void npart__buffer_init(struct npart__buffer *buffer, struct npart__arena *arena);
/* Begins a text with an arena of its own. `write` NULL: it is kept, and written in one piece when it ends. */
void npart__buffer_open(struct npart__buffer *buffer, struct npart__arena *arena,
                        const struct npart_allocator *allocator, npart_write_callback write, void *payload);
/* Ends a text of an arena of its own: it is written, or what is left of it, and the arena is cleared. What the caller's
 * `write` refuses is told as such, even where memory ran out after it. `status` is how it went up to here: after a
 * failure nothing is written. */
npart_status npart__buffer_end(struct npart__buffer *buffer, npart_write_callback write, void *payload,
                               npart_status status, struct npart_error *error);
/* Writes what is left of a text that goes to `write`. Nothing once the arena, or the buffer, has failed. */
void npart__buffer_flush(struct npart__buffer *buffer);
/* Gives back the memory, as far as the arena can: the latest small text, and each large one. The buffer is empty
 * then. Buffers of an arena that is soon cleared need not be released. */
void npart__buffer_release(struct npart__buffer *buffer);
/* Makes room for so many bytes and a NUL after what is there. False when out of memory. */
bool npart__buffer_reserve(struct npart__buffer *buffer, size_t bytes);
/* In line, because texts are made of many short pieces. Room is asked for already where the text would just fit, as a
 * NUL must have room, too. */
static inline void npart__append(struct npart__buffer *buffer, const char *text, size_t length)
{
    if (length >= buffer->capacity - buffer->size && !npart__buffer_reserve(buffer, length))
        return;
    NPART__ASSERT(buffer->size + length < buffer->capacity, "%zu bytes of %zu", buffer->size, buffer->capacity);
    memcpy(buffer->data + buffer->size, text, length);
    buffer->size += length;
}
static inline void npart__append_text(struct npart__buffer *buffer, const char *text)
{
    npart__append(buffer, text, strlen(text));
}
/* printf's formats, but none for floating point: %f writes the point of the caller's locale. */
void npart__append_format(struct npart__buffer *buffer, const char *format, ...) NPART__PRINTF(2, 3);
void npart__append_int64(struct npart__buffer *buffer, int64_t value);
/* `value` with exactly `decimals` (at most 6) digits after the point, the same in every locale; 0 for what is no
 * finite number. */
void npart__append_fixed(struct npart__buffer *buffer, double value, unsigned decimals);
/* Numbers as printf has them, with a point in every locale: of so many digits, by %.*g or by %#.*g, which keeps zeros
 * at its end; with so many decimals. */
#define NPART__NUMBER_BYTES 48
const char *npart__digits_text(char out[NPART__NUMBER_BYTES], double value, int digits, bool keeps_zeros);
const char *npart__fixed_text(char out[NPART__NUMBER_BYTES], double value, int decimals);
/* "1.2 MB" */
void npart__append_bytes(struct npart__buffer *buffer, uint64_t bytes);
/* figures.c: "~5.0 ms", "~270 ms", "~2.1 s", "~3.0 h"; of next to nothing "under 0.01 ms". */
void npart__append_estimate(struct npart__buffer *out, double ms);
/* "~5.0 ms (3.2-7.7)"; of a range wider than ten times only the order: "~3.1 s (0.9 to 20 s)". */
void npart__append_estimate_range(struct npart__buffer *out, double low_ms, double typical_ms, double high_ms);
/* "1.2 MB", "22 MB" */
void npart__append_rough_bytes(struct npart__buffer *out, uint64_t bytes);
/* "2,031" */
void npart__append_count(struct npart__buffer *out, uint64_t count);
/* The text so far, terminated; "" when nothing could be kept. It holds until something is appended. */
const char *npart__buffer_text(struct npart__buffer *buffer);
/* The same of a text that is whole; NULL when memory ran out at any time. */
const char *npart__made_text(struct npart__buffer *buffer);
/* The text, which stays as long as the arena, in no more memory than it needs; and an empty buffer. "" as above. */
const char *npart__keep_text(struct npart__buffer *buffer);
/* The same of a text that is whole; NULL when memory of the arena ran out at any time. */
const char *npart__kept_text(struct npart__buffer *buffer);

/* For text that a getter writes: calls it again with more room until the whole fits.
 *
 *     while (npart__buffer_lacks(buffer, npart_inference_type_text(inference, value, NPART__ROOM(buffer))))
 *         continue;
 *
 * True while `length` bytes and a NUL have not fitted; then there is room for them. SIZE_MAX is a getter's word for
 * out of memory. What the buffer held before is lost. A buffer without memory hands the getter NULL and 0, at which
 * those that look for what was found (npart_plan_reason, npart_plan_cause) look for nothing and say 0 bytes. So a
 * buffer for these is given some room first. */
bool npart__buffer_lacks(struct npart__buffer *buffer, size_t length);
/* The two last arguments of every getter of text. Getters write a NUL after the text within that many bytes. */
#define NPART__ROOM(buffer) (buffer)->data, (buffer)->capacity

/* ---- text from outside ------------------------------------------------------------------------------------ */

/* The one place that says what a person gets to see of a character from outside: itself, or an escape. Control
 * characters, those that turn the direction of writing and invisible ones become \u202e or \U000e0001, bytes that
 * are no UTF-8 \xff. All reports, messages and tables go through it. */
#define NPART__PLAIN_BYTES 13u /* with a NUL */
void npart__append_plain(struct npart__buffer *buffer, const char *text, size_t length);
/* The same into `bytes` bytes with a NUL, as far as whole characters and escapes fit; the length of the whole. */
size_t npart__copy_plain(char *out, size_t bytes, const char *text);
/* The same two for what stands between the quotes of a JSON string, which has escapes of its own: what is not plain
 * becomes \u202e or \udb40\udc01, bytes that are no UTF-8 U+FFFD. */
size_t npart__next_json(const char *text, size_t rest, char shown[NPART__PLAIN_BYTES], size_t *shown_length);
size_t npart__copy_json(char *out, size_t bytes, const char *text, size_t length);

/* In UTF-8 the bytes after the first of a character have the form 10xxxxxx. */
static inline bool npart__begins_character(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}
/* How many characters a text has, which a terminal is taken to show in a column each: wide ones of East Asian scripts
 * take two on most, which is not known. */
size_t npart__columns_of(const char *text, size_t length);
/* Of a text that is wider its beginning, and "..."; no fewer than 3 columns. */
void npart__cut_columns(char *text, size_t columns);

/* Appends one word of a shell, whatever stands in it: names come from a file, and the line is there to be copied. */
void npart__append_shell_word(struct npart__buffer *out, const char *text);

/* Takes away a last UTF-8 character that lacks bytes, as a text has that was cut to a size. */
void npart__trim_text(char *text);
/* Copies a text, or "..." and as much of its end as there is room for: what tells long names and paths apart. */
void npart__shorten(char *out, size_t bytes, const char *text);

/* ---- names that were not found ---------------------------------------------------------------------------- */

struct npart__near {
    const char *name;
    uint32_t rank; /* the smaller the nearer */
};

/* Which of some names was meant by one that is none of them. Names must stay alive; one that comes again counts once,
 * as far as is looked. Costs time in proportion to a name, whatever its length. */
struct npart__nearest {
    const char *wanted;
    size_t length;
    struct npart__near best[3], first[32];
    uint32_t count, first_count; /* of `best`, sorted by rank; of `first`, in the order offered */
    bool has_more; /* names than `first` has room for */
};

/* `wanted` need not be terminated, and must stay alive. */
void npart__nearest_init(struct npart__nearest *nearest, const char *wanted, size_t length);
void npart__nearest_offer(struct npart__nearest *nearest, const char *name); /* "" is none */
/* The same with another text to be shown, which is not listed where nothing is near. */
void npart__nearest_offer_as(struct npart__nearest *nearest, const char *name, const char *shown);
/* Writes the nearest: "batch or batches"; "" where none is near, or there is no room. Returns the length. */
size_t npart__nearest_names(const struct npart__nearest *nearest, char *out, size_t bytes);
/* Writes an end for a message into at least 64 bytes, and returns it: "; did you mean batch?", or where none is near
 * "; there is batch, sequence"; "" where there are no names. */
#define NPART__HINT_BYTES 200u
const char *npart__nearest_hint(const struct npart__nearest *nearest, char *out, size_t bytes);

/* ---- ONNX element types ---------------------------------------------------------------------------------- */
#define NPART__TYPE_NUMBERS 32 /* above all that this library knows */

/* Numbers of TensorProto.DataType that code names. */
enum { NPART__UNDEFINED, NPART__FLOAT, NPART__UINT8, NPART__INT8, NPART__UINT16, NPART__INT16, NPART__INT32,
       NPART__INT64, NPART__STRING, NPART__BOOL, NPART__FLOAT16, NPART__DOUBLE, NPART__UINT32, NPART__UINT64,
       NPART__COMPLEX64, NPART__COMPLEX128, NPART__BFLOAT16, NPART__FLOAT8E4M3FN, NPART__FLOAT8E5M2FNUZ = 20,
       NPART__UINT4, NPART__INT4, NPART__FLOAT4E2M1, NPART__UINT2 = 25, NPART__INT2, NPART__FLOAT6E2M3,
       NPART__FLOAT6E3M2 };

/* Whether `length` bytes are the same but for the case of ASCII letters. */
bool npart__same_letters(const char *a, const char *b, size_t length);
/* "float32", "int64", "bool", ... for ONNX's TensorProto.DataType numbers; "undefined" otherwise. */
const char *npart__type_name(int element_type);
/* The number for such a name, or for ONNX's own ("FLOAT", "double"), in any case of letters; 0 when unknown. */
int npart__type_number(const char *name, size_t length);
/* Bits of one element; 0 where it has no fixed width (string, undefined). */
unsigned npart__type_bits(int element_type);
bool npart__type_is_float(int element_type);
bool npart__type_is_integer(int element_type); /* bool is not one */
bool npart__type_is_signed(int element_type); /* of integers */

/* How many elements dims make; false where one is negative, or they do not fit in 64 bits. */
bool npart__dims_elements(const int64_t *dims, size_t rank, uint64_t *out);
/* Bytes of `elements` elements, sub-byte types packed, rounded up; UINT64_MAX if they do not fit in 64 bits. */
uint64_t npart__type_bytes(int element_type, uint64_t elements);

#endif
