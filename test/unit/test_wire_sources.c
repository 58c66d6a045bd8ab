/* SPDX-License-Identifier: Apache-2.0
 *
 * Where bytes come from: files, pipes, streams and memory give the same skeleton, however the pieces fall; what cannot
 * be opened or read is said; windows hold what they promise.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <errno.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/proto_writer.h"
#include "support/scanned.h"
#include "support/test.h"

/* ---- what cannot be read ------------------------------------------------------------------------------------- */

static void check_path(const char *path, const char *wanted)
{
    struct scanned scanned = scan_path(path, NULL);
    CHECK_TEXT(scanned_text(&scanned), wanted);
    CHECK_INT(scanned.error.status, scanned.status);
    scanned_close(&scanned);
}

static void test_wire_sources__what_cannot_be_opened(void)
{
    char path[64], below[100];
    write_temporary(path, "", 0);
    check_path("/no/such/file.onnx", "cannot read: cannot open the file: No such file or directory");
    check_path("", "cannot read: cannot open the file: No such file or directory");
    check_path("/", "cannot read: is a directory, not a model file");
    check_path("/tmp", "cannot read: is a directory, not a model file");
    check_path(path, "malformed, byte 0: the input is empty");
    (void)snprintf(below, sizeof below, "%s/model.onnx", path);
    check_path(below, "cannot read: cannot open the file: Not a directory");
    (void)unlink(path);
}

/* A file that opens and then refuses: a process's own memory has nothing at address 0. */
static void test_wire_sources__a_file_that_refuses(void)
{
    char wanted[128]; /* the C library's words */
    (void)snprintf(wanted, sizeof wanted, "cannot read: cannot read the file: %s", strerror(EIO));
    if (access("/proc/self/mem", R_OK) == 0)
        check_path("/proc/self/mem", wanted);
}

static void test_wire_sources__no_descriptor_stays_open(void)
{
    int before = dup(0);
    REQUIRE(before >= 0);
    (void)close(before);
    struct bytes graph = small_graph(), model = model_around(&graph);
    for (size_t cut = 0; cut <= model.size; cut += 5) {
        struct scanned scanned = scan_file(model.data, cut, NULL);
        scanned_close(&scanned);
    }
    check_path("/", "cannot read: is a directory, not a model file");
    int after = dup(0);
    CHECK_INT(after, before);
    (void)close(after);
    bytes_free(&model);
}

static void test_wire_sources__a_stream_that_fails(void)
{
    struct bytes graph = small_graph(), model = model_around(&graph);
    for (size_t i = 2; i < 2 * model.size; i++) { /* for good, and once */
        struct piecewise stream = {
            .data = model.data, .size = model.size, .piece = 1, .fail_at = i / 2, .fails_once = i % 2};
        struct npart__arena arena;
        struct npart__source source;
        struct npart__skeleton skeleton;
        struct npart_error error;
        static const struct npart__wire_options options = {0};
        npart__arena_init(&arena, NULL);
        REQUIRE(npart__source_open_stream(&source, &arena, read_piecewise, &stream, &error) == NPART_OK);
        CHECK_INT(npart__wire_scan(&source, &options, &arena, &skeleton, &error), NPART_ERROR_READ);
        CHECK_TEXT(error.message, "cannot read the stream");
        npart__source_close(&source);
        npart__arena_clear(&arena);
    }
    bytes_free(&model);
}

static ptrdiff_t claim_too_much(void *payload, void *into, size_t bytes)
{
    (void)payload;
    memset(into, 0, bytes);
    return (ptrdiff_t)bytes + 1;
}

static void test_wire_sources__a_stream_that_lies(void)
{
    struct npart__arena arena;
    struct npart__source source;
    struct npart__skeleton skeleton;
    struct npart_error error;
    static const struct npart__wire_options options = {0};
    npart__arena_init(&arena, NULL);
    REQUIRE(npart__source_open_stream(&source, &arena, claim_too_much, NULL, &error) == NPART_OK);
    CHECK_INT(npart__wire_scan(&source, &options, &arena, &skeleton, &error), NPART_ERROR_READ);
    npart__source_close(&source);
    npart__arena_clear(&arena);
}

/* ---- the same from everywhere -------------------------------------------------------------------------------- */

static void check_same(const struct scanned *scanned, const struct scanned *wanted, size_t input_bytes)
{
    CHECK_TEXT(scanned_text(scanned), scanned_text(wanted));
    if (scanned->status != NPART_OK || wanted->status != NPART_OK)
        return;
    CHECK(same_bytes(scanned->skeleton.data, scanned->skeleton.bytes, wanted->skeleton.data, wanted->skeleton.bytes));
    CHECK_INT(scanned->skeleton.input_bytes, input_bytes);
    CHECK_INT(scanned->skeleton.elided_bytes, wanted->skeleton.elided_bytes);
    CHECK_INT(scanned->skeleton.skipped_bytes, wanted->skeleton.skipped_bytes);
}

/* A child writes, the scan reads: a path may name a pipe. */
static struct scanned scan_pipe(const struct bytes *model, size_t piece)
{
    int ends[2];
    char path[64];
    REQUIRE(pipe(ends) == 0);
    pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        (void)close(ends[0]);
        for (size_t at = 0; at < model->size;) {
            ssize_t wrote = write(ends[1], model->data + at, model->size - at < piece ? model->size - at : piece);
            if (wrote <= 0)
                _exit(1);
            at += (size_t)wrote;
        }
        _exit(0);
    }
    (void)close(ends[1]);
    (void)snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    struct scanned scanned = scan_path(path, NULL);
    (void)close(ends[0]);
    (void)waitpid(child, NULL, 0);
    return scanned;
}

static void check_from_everywhere(const struct bytes *model)
{
    static const size_t pieces[] = {0, 1, 2, 3, 7, 31, 32, 33, 4095, 4096, 4097, 65536, 262144, 1 << 20};
    struct scanned memory = scan_memory(model->data, model->size, NULL);
    struct scanned file = scan_file(model->data, model->size, NULL);
    CHECK_TEXT(scanned_text(&memory), "ok");
    CHECK_INT(memory.skeleton.input_bytes, model->size);
    check_same(&file, &memory, model->size);
    for (size_t i = 0; i < NPART__COUNT(pieces); i++) {
        if (model->size > 100000 && pieces[i] && pieces[i] < 31)
            continue; /* byte by byte is for small models */
        struct scanned stream = scan_stream(model->data, model->size, pieces[i], NULL);
        check_same(&stream, &memory, model->size);
        scanned_close(&stream);
    }
    scanned_close(&memory);
    scanned_close(&file);
}

/* Something of every kind: names, numbers of all widths, packed ones, payloads kept and left out. */
static void put_mixture(struct bytes *graph, unsigned seed)
{
    struct bytes node = {0}, attribute = {0}, tensor = {0}, raw = {0}, packed = {0};
    put_text(&node, 1, "an/input/of/some/length");
    put_text(&node, 4, "Operator");
    put_number(&attribute, 20, 7);
    for (unsigned i = 0; i < 40; i++)
        put_varint(&packed, (uint64_t)i * i * i * seed * 12345678901);
    put_message(&attribute, 8, &packed);
    put_tag(&attribute, 2, WIRE_FIXED32);
    put_fixed32(&attribute, seed);
    put_message(&node, 5, &attribute);
    put_message(graph, 1, &node);
    put_number(&tensor, 1, UINT64_MAX - seed);
    put_number(&tensor, 2, 1);
    put_pattern(&raw, seed % 3 ? 100 + seed % 50 : 5000 + seed * 997 % 300000, seed);
    put_message(&tensor, 9, &raw);
    put_text(&tensor, 8, "weight");
    put_message(graph, 5, &tensor);
    put_text(graph, 99, "unknown");
}

static void test_wire_sources__models_of_many_sizes(void)
{
    for (unsigned parts = 1; parts < 40; parts += 6) {
        struct bytes graph = {0};
        for (unsigned i = 0; i < parts; i++)
            put_mixture(&graph, parts * 100 + i);
        struct bytes model = model_around(&graph);
        check_from_everywhere(&model);
        bytes_free(&model);
    }
}

static void test_wire_sources__pipes(void)
{
    static const size_t pieces[] = {1, 100, 4096, 1 << 20};
    struct bytes graph = {0};
    for (unsigned i = 0; i < 8; i++)
        put_mixture(&graph, i);
    struct bytes model = model_around(&graph);
    struct scanned memory = scan_memory(model.data, model.size, NULL);
    for (size_t i = 1; i < NPART__COUNT(pieces); i++) {
        struct scanned scanned = scan_pipe(&model, pieces[i]);
        check_same(&scanned, &memory, model.size);
        scanned_close(&scanned);
    }
    scanned_close(&memory);
    bytes_free(&model);
    struct bytes nothing = {0};
    struct scanned scanned = scan_pipe(&nothing, 1);
    CHECK_TEXT(scanned_text(&scanned), "malformed, byte 0: the input is empty");
    scanned_close(&scanned);
}

/* Everything at every place around the ends of windows: 4 KiB first, then twice as much each time. */
static void test_wire_sources__windows_end_everywhere(void)
{
    static const size_t ends[] = {4096, 12288, 28672, 4096 + 65536};
    for (size_t i = 0; i < NPART__COUNT(ends); i++) {
        for (size_t before = 0; before < 260; before++) {
            struct bytes model = {0}, graph = {0}, filler = {0};
            for (size_t rest = ends[i] - before - 30; rest > 0;) { /* texts no longer than what is kept */
                size_t length = rest < 60000 ? rest : 60000;
                put_pattern(&filler, length, 1);
                put_message(&model, 2, &filler);
                rest -= length;
            }
            put_mixture(&graph, 1);
            put_mixture(&graph, 3);
            put_message(&model, 7, &graph);
            struct scanned memory = scan_memory(model.data, model.size, NULL);
            struct scanned file = scan_file(model.data, model.size, NULL);
            struct scanned stream = scan_stream(model.data, model.size, 4096, NULL);
            CHECK_TEXT(scanned_text(&memory), "ok");
            check_same(&file, &memory, model.size);
            check_same(&stream, &memory, model.size);
            scanned_close(&memory);
            scanned_close(&file);
            scanned_close(&stream);
            bytes_free(&model);
        }
    }
}

/* Far into a file, where windows are 256 KiB: kept payloads and texts that cross their ends. */
static void test_wire_sources__large_windows(void)
{
    for (size_t shift = 0; shift < 70; shift++) {
        struct bytes graph = {0}, name = {0};
        for (size_t i = 0; i < shift; i++)
            bytes_put(&name, "n", 1);
        put_message(&graph, 2, &name);
        for (unsigned i = 0; i < 400; i++) { /* 1.6 MB of what must be read */
            struct bytes tensor = {0}, raw = {0};
            put_number(&tensor, 2, 1);
            put_pattern(&raw, 4000 + i % 90, i);
            put_message(&tensor, 9, &raw);
            put_message(&graph, 5, &tensor);
        }
        struct bytes model = model_around(&graph);
        struct scanned memory = scan_memory(model.data, model.size, NULL);
        struct scanned file = scan_file(model.data, model.size, NULL);
        struct scanned stream = scan_stream(model.data, model.size, 0, NULL);
        CHECK(same_bytes(memory.skeleton.data, memory.skeleton.bytes, model.data, model.size));
        check_same(&file, &memory, model.size);
        check_same(&stream, &memory, model.size);
        scanned_close(&memory);
        scanned_close(&file);
        scanned_close(&stream);
        bytes_free(&model);
    }
}

/* A file of several gigabytes, all holes: no weight is read, and offsets do not stop at 32 bits. */
static void test_wire_sources__a_file_of_ten_gigabytes(void)
{
    static const uint64_t raw_bytes = UINT64_C(5) << 30;
    struct bytes head = {0}, tensor = {0};
    char path[64];
    put_number(&tensor, 2, 2);
    put_tag(&tensor, 9, WIRE_BYTES);
    put_varint(&tensor, raw_bytes);
    uint64_t tensor_bytes = tensor.size + raw_bytes, graph_bytes = 2 * (tensor_bytes + 6);
    put_tag(&head, 7, WIRE_BYTES);
    put_varint(&head, graph_bytes);
    put_tag(&head, 5, WIRE_BYTES);
    put_padded_varint(&head, tensor_bytes, 5);
    bytes_put(&head, tensor.data, tensor.size);
    uint64_t second = head.size + raw_bytes, end = second + 6 + tensor_bytes;
    write_temporary(path, head.data, head.size);
    FILE *file = fopen(path, "r+b");
    REQUIRE(file);
    bool ok = fseeko(file, (off_t)second, SEEK_SET) == 0 && fwrite("\x2a", 1, 1, file) == 1;
    bytes_free(&head);
    put_padded_varint(&head, tensor_bytes, 5);
    bytes_put(&head, tensor.data, tensor.size);
    ok = ok && fwrite(head.data, 1, head.size, file) == head.size;
    ok = fclose(file) == 0 && ok;
    ok = ok && truncate(path, (off_t)end) == 0; /* not every file system can */
    if (ok) {
        struct scanned scanned = scan_path(path, NULL);
        struct npart__elided record = {0};
        const Onnx__ModelProto *left = scanned_model(&scanned);
        REQUIRE(left->graph->n_initializer == 2);
        CHECK(npart__onnx_elided(&left->graph->initializer[1]->base, 0, &record));
        CHECK_INT(record.offset, second + 6 + tensor.size);
        CHECK_INT(record.bytes, raw_bytes);
        CHECK_INT(scanned.skeleton.elided_bytes, 2 * raw_bytes);
        CHECK_INT(scanned.skeleton.input_bytes, end);
        CHECK(scanned.arena.total_bytes < 32 << 20);
        scanned_close(&scanned);
    }
    (void)unlink(path);
    bytes_free(&head);
    bytes_free(&tensor);
}

/* ---- windows ------------------------------------------------------------------------------------------------- */

struct opened {
    struct npart__arena arena;
    struct npart__source source;
    struct piecewise stream;
    char path[64];
};

static void open_source(struct opened *opened, int kind, const struct bytes *input)
{
    struct npart_error error;
    memset(opened, 0, sizeof *opened);
    npart__arena_init(&opened->arena, NULL);
    if (kind == 0) {
        npart__source_open_memory(&opened->source, input->data, input->size);
    } else if (kind == 1) {
        write_temporary(opened->path, input->data, input->size);
        REQUIRE(npart__source_open_file(&opened->source, &opened->arena, opened->path, &error) == NPART_OK);
    } else {
        opened->stream = (struct piecewise){.data = input->data, .size = input->size, .piece = kind == 2 ? 0 : 1000};
        REQUIRE(npart__source_open_stream(&opened->source, &opened->arena, read_piecewise, &opened->stream, &error) ==
                NPART_OK);
    }
}

static void close_source(struct opened *opened)
{
    npart__source_close(&opened->source);
    if (*opened->path)
        (void)unlink(opened->path);
    npart__arena_clear(&opened->arena);
}

#define MOST_SEEN_BYTES ((size_t)300000)

static void test_wire_sources__a_window_holds_what_it_promises(void)
{
    struct bytes input = {0};
    uint64_t state = 1;
    put_pattern(&input, 3 << 20, 0);
    for (int kind = 0; kind < 4; kind++) {
        for (unsigned pace = 1; pace <= 1 << 16; pace *= 16) {
            struct opened opened;
            struct npart_error error;
            uint64_t offset = 0;
            open_source(&opened, kind, &input);
            CHECK_INT(opened.source.size, kind < 2 ? input.size : UINT64_MAX);
            for (unsigned step = 0; step < 500 && offset < input.size; step++) {
                state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
                size_t bytes = (size_t)(state >> 33) % 4097, rest = (size_t)(input.size - offset);
                REQUIRE(npart__source_seek(&opened.source, offset, bytes, &error) == NPART_OK);
                REQUIRE(opened.source.window_offset == offset);
                REQUIRE(opened.source.window_bytes >= (bytes < rest ? bytes : rest));
                REQUIRE(opened.source.window_bytes <= rest);
                size_t seen = opened.source.window_bytes; /* all of a file's, not all that is in memory */
                seen = seen < MOST_SEEN_BYTES ? seen : MOST_SEEN_BYTES;
                REQUIRE(memcmp(opened.source.window, input.data + offset, seen) == 0);
                offset += (state >> 40) % (2 * pace);
            }
            close_source(&opened);
        }
    }
    bytes_free(&input);
}

/* Reading on, a file's windows grow; after a jump they begin small again. */
static void test_wire_sources__windows_grow_and_shrink(void)
{
    struct bytes input = {0};
    struct opened opened;
    struct npart_error error;
    put_pattern(&input, 4 << 20, 0);
    open_source(&opened, 1, &input);
    uint64_t offset = 0;
    for (int round = 0; round < 2; round++) {
        for (size_t wanted = 4096; wanted <= 262144; wanted *= 2) {
            REQUIRE(npart__source_seek(&opened.source, offset, 10, &error) == NPART_OK);
            CHECK_INT(opened.source.window_bytes, wanted);
            offset += opened.source.window_bytes;
        }
        REQUIRE(npart__source_seek(&opened.source, offset, 10, &error) == NPART_OK);
        CHECK_INT(opened.source.window_bytes, 262144);
        offset += opened.source.window_bytes + 1; /* over one byte: a jump */
    }
    close_source(&opened);
    bytes_free(&input);
}

static void test_wire_sources__the_end_of_a_stream_is_found(void)
{
    struct bytes input = {0};
    struct opened opened;
    struct npart_error error;
    put_pattern(&input, 10000, 0);
    for (int kind = 2; kind < 4; kind++) {
        open_source(&opened, kind, &input);
        REQUIRE(npart__source_seek(&opened.source, 9990, 100, &error) == NPART_OK);
        CHECK_INT(opened.source.window_bytes, 10);
        CHECK_INT(opened.source.size, 10000);
        close_source(&opened);
        open_source(&opened, kind, &input);
        REQUIRE(npart__source_seek(&opened.source, 20000, 1, &error) == NPART_OK); /* beyond: it just ends */
        CHECK_INT(opened.source.size, 10000);
        close_source(&opened);
    }
    bytes_free(&input);
}

TESTS(test_wire_sources__what_cannot_be_opened, test_wire_sources__a_file_that_refuses,
      test_wire_sources__no_descriptor_stays_open, test_wire_sources__a_stream_that_fails,
      test_wire_sources__a_stream_that_lies, test_wire_sources__models_of_many_sizes, test_wire_sources__pipes,
      test_wire_sources__windows_end_everywhere, test_wire_sources__large_windows,
      test_wire_sources__a_file_of_ten_gigabytes, test_wire_sources__a_window_holds_what_it_promises,
      test_wire_sources__windows_grow_and_shrink, test_wire_sources__the_end_of_a_stream_is_found)
