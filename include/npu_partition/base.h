/* SPDX-License-Identifier: Apache-2.0
 *
 * A part of npu_partition.h, which is the one to include: what all have.
 */
#ifndef NPU_PARTITION_BASE_H
#define NPU_PARTITION_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* On Windows the library is taken to be the DLL; define NPART_STATIC to link the static one. */
#if defined(_WIN32)
#if defined(NPART_STATIC)
#define NPART_API
#else
#define NPART_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define NPART_API __attribute__((visibility("default")))
#else
#define NPART_API
#endif

/* Calls that fill a struct return false where its `size` was not set. The compiler tells of a program that does not
 * look. */
#if defined(__GNUC__) && !defined(NPART_OWN_CODE)
#define NPART_CHECKED __attribute__((warn_unused_result))
#else
#define NPART_CHECKED
#endif

/* The id of nothing; on the sides of a boundary tensor, the CPU. */
#define NPART_NONE UINT32_MAX

/* The library's version, "0.3.0". */
NPART_API const char *npart_version(void);

/* Copies a text that may hold anything, such as a name from a model, as a person may read it: control characters,
 * those that turn the direction of writing and invisible ones become \u202e or \U000e0001, bytes that are no UTF-8
 * \xff. `text` must end with a NUL; escapes are not cut either. Texts of errors and reports are so already. */
NPART_API size_t npart_plain_text(const char *text, char *out, size_t bytes);

/* The same for what stands between the quotes of a JSON string: `length` bytes of any text, which may hold NUL. Besides
 * quotes and backslashes all is escaped that npart_plain_text escapes (\u202e, \udb40\udc01); bytes that are no UTF-8
 * become U+FFFD. */
NPART_API size_t npart_json_text(const char *text, size_t length, char *out, size_t bytes);
/* A name as one word of a POSIX shell, in quotes where it needs them, for a command line to be copied. As half a word
 * is another one, nothing is written where it does not fit. */
NPART_API size_t npart_shell_word(const char *text, char *out, size_t bytes);

/* Writes which of `count` names may have been meant by one that is none of them: "sm8550 or sm8650"; "" where none is
 * near. NULL among the names is passed over. */
NPART_API size_t npart_nearest_name(const char *wanted, const char *const *names, size_t count, char *out,
                                    size_t bytes);

/* "float32" for ONNX's number of an element type; NULL for a number that is none. */
NPART_API const char *npart_element_type_text(int element_type);

/* ---- status and errors ----------------------------------------------------------------------------------- */

#define NPART_STATUS_LIST(X)                                                                                           \
    X(NPART_OK, 0, "ok")                                                                                               \
    X(NPART_ERROR_READ, -1, "cannot read")                                                                             \
    X(NPART_ERROR_MALFORMED, -2, "malformed")                                                                          \
    X(NPART_ERROR_LIMIT, -3, "limit passed")                                                                           \
    X(NPART_ERROR_MEMORY, -4, "out of memory")                                                                         \
    X(NPART_ERROR_ARGUMENT, -5, "bad argument")                                                                        \
    X(NPART_ERROR_OPLIST, -6, "bad op list")                                                                           \
    X(NPART_ERROR_WRITE, -7, "cannot write")                                                                           \
    X(NPART_ERROR_UNPROVEN, -8, "not what was predicted")                                                              \
    X(NPART_ERROR_TIMEOUT, -9, "out of time")

typedef enum npart_status {
#define NPART_STATUS_ENUM(name, number, text) name = number,
    NPART_STATUS_LIST(NPART_STATUS_ENUM)
#undef NPART_STATUS_ENUM
} npart_status;

/* What went wrong and where: "byte 4711", "hexagon.ops:12:7", "node 12 (Conv conv1)"; "" where there is no place.
 * `message` is one line without the place and without a final full stop. */
struct npart_error {
    npart_status status;
    char message[232];
    char place[152];
};

/* A few words for a status; never NULL. */
NPART_API const char *npart_status_text(npart_status status);

/* ---- callbacks ------------------------------------------------------------------------------------------- */

/* Where memory comes from. `resize` may be NULL; the others work like malloc and free, and like realloc for memory
 * that `allocate` or `resize` gave. Any of them may fail by returning NULL. */
struct npart_allocator {
    void *(*allocate)(void *payload, size_t bytes);
    void *(*resize)(void *payload, void *memory, size_t bytes);
    void (*release)(void *payload, void *memory);
    void *payload;
};

/* Reads up to `bytes` of a stream; returns how many, 0 at its end, negative when it fails. */
typedef ptrdiff_t (*npart_read_callback)(void *payload, void *into, size_t bytes);

/* Takes `bytes` of text, which is not terminated; false stops the report with NPART_ERROR_WRITE. */
typedef bool (*npart_write_callback)(void *payload, const char *text, size_t bytes);

/* Bytes of memory that one value of a JSON file takes: an event, a record, a table. */
#define NPART_MOST_JSON_BYTES 67108864

/* ---- limits ---------------------------------------------------------------------------------------------- */

/* What happens past a limit. */
enum npart_past {
    NPART_PAST_REFUSED, /* an error, whose message has the limit's name */
    NPART_PAST_UNKNOWN, /* what is past it counts as not known */
    NPART_PAST_SHORTER  /* less is told, or tried */
};

struct npart_limit_info {
    size_t size;
    const char *name; /* "nodes" */
    const char *text; /* what it is of */
    const char *unit; /* "bytes", "nodes", ...; may be "" */
    uint64_t value;   /* unless it is set */
    uint64_t low, high; /* what it may be set to; `value` where it is fixed */
    enum npart_past past;
    const char *reason; /* why it is fixed; NULL: read options may set it */
};

/* The limits on what an input may make this library do, by place; false past the last. */
NPART_API bool npart_limit_at(uint32_t index, struct npart_limit_info *out);

/* A limit that is set. */
struct npart_limit {
    const char *name;
    uint64_t value;
};

#ifdef __cplusplus
}
#endif

#endif
