/* SPDX-License-Identifier: Apache-2.0
 *
 * Input that is no model: every answer is an error of one line that says what is wrong and where. Names that are long
 * or no text stay within the message, as whole characters.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <sys/stat.h>
#include <unistd.h>

#include "base/base.h"
#include "npu_partition.h"
#include "support/analysis.h"
#include "support/proto_writer.h"
#include "support/scanned.h"
#include "support/test.h"

/* ---- what every error looks like ------------------------------------------------------------------------------ */

static bool is_whole_utf8(const char *text)
{
    for (const unsigned char *at = (const unsigned char *)text; *at;) {
        unsigned length = *at >= 0xf0 ? 4 : *at >= 0xe0 ? 3 : *at >= 0xc0 ? 2 : 1;
        for (unsigned i = 1; i < length; i++)
            if ((at[i] & 0xc0) != 0x80)
                return false;
        at += length;
    }
    return true;
}

static void check_error(const struct npart_error *error, npart_status status)
{
    CHECK_INT(error->status, status);
    CHECK(*error->message && strlen(error->message) < sizeof error->message);
    CHECK(error->message[strlen(error->message) - 1] != '.');
    for (const char *c = error->message; *c; c++)
        CHECK((unsigned char)*c >= 0x20 && *c != 0x7f);
    for (const char *c = error->place; *c; c++)
        CHECK((unsigned char)*c >= 0x20 && *c != 0x7f);
    if (!is_whole_utf8(error->message) || !is_whole_utf8(error->place))
        fprintf(stderr, "  %s: %s\n", error->place, error->message);
    CHECK(is_whole_utf8(error->message) && is_whole_utf8(error->place));
}

static npart_status read_bytes(const void *data, size_t bytes, struct npart_error *error)
{
    npart_model *model = NULL;
    memset(error, 0, sizeof *error);
    npart_status status = npart_model_read_memory(&model, data, bytes, NULL, error);
    CHECK((status == NPART_OK) == (model != NULL));
    npart_model_free(model);
    return status;
}

/* ---- no models ------------------------------------------------------------------------------------------------ */

static void test_api_messages__no_models(void)
{
    static const struct {
        const char *data;
        size_t bytes;
        const char *place, *part;
    } rows[] = {
        {"", 0, "byte 0", "empty"},
        {"hello\n", 6, "byte 2", "a text file"},
        {"{\"a\": 1}", 8, "byte 0", "JSON text"},
        {"PK\003\004", 4, "byte 2", "a zip archive"},
        {"\x14\0\0\0\0\0\0\0{\"a\":{}}", 16, "byte 0", "a safetensors file"},
        {"PK\003", 3, "byte 2", "ONNX model?"},
        {"\x7f" "ELF", 4, "byte 0", "ONNX model?"},
        {"\0\0\0\0", 4, "byte 0", "ONNX model?"},
        {"\x3a", 1, "byte 1", "a length is cut off"},                         /* field 7, and nothing */
        {"\x3a\xff\xff\xff\xff\x0f", 6, "byte 0", "where 0 are left"},    /* 4 GiB of a graph */
        {"\x3a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10, "byte 1", "a length"}, /* 2^63 - 1 bytes */
        {"\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 11, "byte 1", "a length"},
        {"\x3a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 12, "byte 1", "a length"},
        {"\x38\x01", 2, "byte 0", "wire type"},
        {"\x08\x08", 2, "", "graph"},                                         /* a version and no graph */
    };
    struct npart_error error;
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        int before = test_failures;
        CHECK_INT(read_bytes(rows[i].data, rows[i].bytes, &error), NPART_ERROR_MALFORMED);
        check_error(&error, NPART_ERROR_MALFORMED);
        CHECK_TEXT(error.place, rows[i].place);
        CHECK(strstr(error.message, rows[i].part) != NULL);
        if (test_failures > before)
            fprintf(stderr, "  row %zu: %s: %s\n", i, error.place, error.message);
    }
}

/* Cut anywhere, from memory and through a stream, which does not know its length beforehand. After the graph a cut may
 * fall between two fields; nobody can tell that from a model without the rest. */
static void check_cuts(const struct bytes *bytes, size_t step, unsigned *taken)
{
    struct npart_error error, streamed;
    for (size_t size = 0; size < bytes->size; size += step) {
        struct piecewise stream = {.data = bytes->data, .size = size};
        npart_model *model = NULL;
        npart_status status = read_bytes(bytes->data, size, &error);
        CHECK_INT(npart_model_read_stream(&model, read_piecewise, &stream, NULL, &streamed), status);
        npart_model_free(model);
        *taken += status == NPART_OK;
        if (status == NPART_OK)
            continue;
        check_error(&error, NPART_ERROR_MALFORMED);
        check_error(&streamed, NPART_ERROR_MALFORMED);
        CHECK(strncmp(error.place, "byte ", 5) == 0 || strcmp(error.message, "holds no graph: not an ONNX model") == 0);
    }
}

static struct bytes whole_file(const char *path)
{
    struct bytes bytes = {0};
    char piece[4096];
    size_t got;
    FILE *file = fopen(path, "rb");
    REQUIRE(file);
    while ((got = fread(piece, 1, sizeof piece, file)) > 0)
        bytes_put(&bytes, piece, got);
    (void)fclose(file);
    return bytes;
}

static void test_api_messages__models_that_break_off(void)
{
    static const char *const paths[] = {"fixtures/scan-rnn.dynamo20.scan.onnx", "fixtures/iris-svc-pipeline.skl.onnx",
                                        "fixtures/local-functions-convnet-attrs.dyn.onnx"};
    for (size_t i = 0; i < NPART__COUNT(paths); i++) {
        struct bytes bytes = whole_file(paths[i]);
        unsigned taken = 0;
        check_cuts(&bytes, i == 0 ? 1 : bytes.size / 64, &taken);
        CHECK(taken <= 2);
        bytes_free(&bytes);
    }
}

/* Every byte changed in turn is a model or an error, and the error is one of reading. */
static void test_api_messages__models_with_a_wrong_byte(void)
{
    static const uint8_t values[] = {0x00, 0x7f, 0x80, 0xff};
    struct bytes bytes = whole_file("fixtures/scan-rnn.dynamo20.scan.onnx");
    struct npart_error error;
    for (size_t at = 0; at < bytes.size; at++) {
        uint8_t kept = bytes.data[at];
        for (size_t i = 0; i < sizeof values; i++) {
            bytes.data[at] = values[i];
            npart_status status = read_bytes(bytes.data, bytes.size, &error);
            CHECK(status == NPART_OK || status == NPART_ERROR_MALFORMED || status == NPART_ERROR_LIMIT);
            if (status != NPART_OK)
                check_error(&error, status);
        }
        bytes.data[at] = kept;
    }
    bytes_free(&bytes);
}

static void test_api_messages__files(void)
{
    char path[64], pipe_path[80];
    struct npart_error error;
    npart_model *model = NULL;
    CHECK_INT(npart_model_read_file(&model, "fixtures", NULL, &error), NPART_ERROR_READ);
    check_error(&error, NPART_ERROR_READ);
    CHECK_INT(npart_model_read_file(&model, "", NULL, &error), NPART_ERROR_READ);
    check_error(&error, NPART_ERROR_READ);
    CHECK_INT(npart_model_read_file(&model, "fixtures/none.onnx", NULL, &error), NPART_ERROR_READ);
    check_error(&error, NPART_ERROR_READ);
    CHECK_INT(npart_model_read_file(&model, "README.md/model.onnx", NULL, &error), NPART_ERROR_READ);
    check_error(&error, NPART_ERROR_READ);
    CHECK_INT(npart_model_read_file(&model, "/dev/null", NULL, &error), NPART_ERROR_MALFORMED);
    check_error(&error, NPART_ERROR_MALFORMED);
    write_temporary(path, "", 0);
    CHECK_INT(npart_model_read_file(&model, path, NULL, &error), NPART_ERROR_MALFORMED);
    CHECK_TEXT(error.message, "the input is empty");
    (void)snprintf(pipe_path, sizeof pipe_path, "%s.link", path);
    CHECK_INT(symlink(pipe_path, pipe_path), 0); /* a link to itself */
    CHECK_INT(npart_model_read_file(&model, pipe_path, NULL, &error), NPART_ERROR_READ);
    check_error(&error, NPART_ERROR_READ);
    CHECK_INT(unlink(pipe_path) + unlink(path), 0);
    CHECK(!model);
}

/* ---- graphs that are none ------------------------------------------------------------------------------------- */

static void test_api_messages__graphs(void)
{
    static const struct {
        const char *lines, *place, *message;
    } rows[] = {
        {"input x float32[2]\nnode a = Add(x, b)\nnode b = Relu(a) @second\noutput b\n", "node 0 (Add)",
         "the graph is cyclic: this node needs its own result"},
        {"input x float32[2]\nnode a = Relu(a)\noutput a\n", "node 0 (Relu)",
         "the graph is cyclic: this node needs its own result"},
        {"input x float32[2]\nnode a = Relu(x)\nnode a = Neg(x) @n\noutput a\n", "node 1 (Neg n)",
         "its output \"a\" is made twice"},
        {"input x float32[2]\nnode a = Relu(b)\noutput a\n", "node 0 (Relu)", "nothing makes its input \"b\""},
        {"input x float32[2]\nnode a = Relu(x)\noutput b\n", "", "nothing makes graph output \"b\""},
        {"graph yes\nnode t = Relu(nowhere)\noutput t\nend\ninput c bool[]\nnode a = If(c) then_branch=graph yes\n"
         "output a\n",
         "node 0 (Relu) in graph \"then_branch\" of node 0", "nothing makes its input \"nowhere\""},
        {"opset my 1\nfunction my:F(a) -> (b)\nopset 17\nnode b = Relu(z)\nend\ninput x float32[2]\n"
         "node y = my:F(x)\noutput y\n",
         "node 0 (Relu) in function \"F\" of node 0", "nothing makes its input \"z\""},
    };
    struct npart_error error;
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        struct bytes bytes = model_from_text(rows[i].lines);
        CHECK_INT(read_bytes(bytes.data, bytes.size, &error), NPART_ERROR_MALFORMED);
        check_error(&error, NPART_ERROR_MALFORMED);
        CHECK_TEXT(error.place, rows[i].place);
        CHECK_TEXT(error.message, rows[i].message);
        bytes_free(&bytes);
    }
}

/* ---- names ---------------------------------------------------------------------------------------------------- */

/* A node that lacks its input, with a name, an op and an input of these texts. */
static void read_lacking(const char *name, const char *op, const char *input, struct npart_error *error)
{
    struct bytes graph = small_graph(), node = {0};
    put_text(&node, 1, input);
    put_text(&node, 2, "z");
    put_text(&node, 3, name);
    put_text(&node, 4, op);
    put_message(&graph, 1, &node);
    struct bytes model = model_around(&graph);
    CHECK_INT(read_bytes(model.data, model.size, error), NPART_ERROR_MALFORMED);
    check_error(error, NPART_ERROR_MALFORMED);
    bytes_free(&model);
}

static void test_api_messages__long_names_keep_their_ends(void)
{
    struct npart_error error;
    read_lacking("/model/encoder/layers.11/attention/self/query/dense/projection/MatMul", "MatMul", "w", &error);
    CHECK_TEXT(error.place, "node 1 (MatMul ...yers.11/attention/self/query/dense/projection/MatMul)");
    read_lacking("/a/name/of/fifty-five/bytes/which/is/shown/as/a/whole/y", "Op", "w", &error);
    CHECK_TEXT(error.place, "node 1 (Op /a/name/of/fifty-five/bytes/which/is/shown/as/a/whole/y)");
}

static void test_api_messages__names_of_any_length_and_alphabet(void)
{
    struct npart_error error;
    char name[700];
    for (size_t length = 1; length < 220; length++) {
        for (unsigned shift = 0; shift < 4; shift++) { /* two, three and four bytes a character, begun at any byte */
            static const char *const letters[] = {"é", "中", "😀"};
            const char *letter = letters[length % 3];
            memset(name, 'a', shift);
            name[shift] = '\0';
            for (size_t i = 0; i < length && strlen(name) + 8 < sizeof name; i++)
                strcat(name, letter);
            read_lacking(name, name, name, &error);
        }
    }
    /* A control character of two bytes, a byte that begins none, a surrogate; half a character. */
    read_lacking("\xc2\x9b" "1m\xff\xed\xa0\x80", "é", "\xe4\xb8", &error);
    CHECK_TEXT(error.place, "node 1 (é \\u009b1m\\xff\\xed\\xa0\\x80)");
    CHECK_TEXT(error.message, "nothing makes its input \"\\xe4\\xb8\"");
    read_lacking("a\nb\x1b[2J\x7f", "Op\r", "in\tput", &error);
    CHECK_TEXT(error.place, "node 1 (Op\\u000d a\\u000ab\\u001b[2J\\u007f)");
    CHECK_TEXT(error.message, "nothing makes its input \"in\\u0009put\"");
    /* What turns the direction of writing, or is not seen. */
    read_lacking("a\u202eb\u2066c", "\ufeffOp\u200b", "x\u2028y\U000e0001", &error);
    CHECK_TEXT(error.place, "node 1 (\\ufeffOp\\u200b a\\u202eb\\u2066c)");
    CHECK_TEXT(error.message, "nothing makes its input \"x\\u2028y\\U000e0001\"");
}

static void test_api_messages__texts_are_cut_between_characters(void)
{
    static const struct {
        const char *text, *wanted;
    } rows[] = {{"", ""},           {"abc", "abc"},       {"é", "é"},        {"a\xc3", "a"},  {"中", "中"},
                {"a\xe4\xb8", "a"}, {"a\xe4", "a"},       {"😀", "😀"},      {"\xf0\x9f\x98", ""}, {"\xf0", ""},
                {"x\x80", "x\x80"}, {"x\x80\x80\x80\x80", "x\x80\x80\x80\x80"}};
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        char text[16];
        (void)snprintf(text, sizeof text, "%s", rows[i].text);
        npart__trim_text(text);
        CHECK_TEXT(text, rows[i].wanted);
    }
    char out[8];
    npart__shorten(out, sizeof out, "1234567");
    CHECK_TEXT(out, "1234567");
    npart__shorten(out, sizeof out, "12345678");
    CHECK_TEXT(out, "...5678");
    npart__shorten(out, sizeof out, "123中45中");
    CHECK_TEXT(out, "...5中");
    npart__shorten(out, sizeof out, "123中4中"); /* not in the middle of the first */
    CHECK_TEXT(out, "...4中");
}

/* With a path that is too long for the place, line and column are still there. */
static void test_api_messages__long_paths_of_op_lists(void)
{
    char path[400];
    struct npart_error error;
    npart_oplist *oplist = NULL;
    memset(path, 'p', sizeof path);
    memcpy(path + sizeof path - 10, "/list.ops", 10);
    static const char text[] = "format 1\ntarget t\nop Covn\n", other[] = "format 1\ntarget t\npartitioner best\n";
    CHECK_INT(npart_oplist_read_memory(&oplist, text, sizeof text - 1, path, NULL, &error), NPART_ERROR_OPLIST);
    CHECK(strncmp(error.place, "...ppp", 6) == 0 && strstr(error.place, "p/list.ops:3:4") != NULL);
    CHECK_INT(npart_oplist_read_memory(&oplist, other, sizeof other - 1, path, NULL, &error), NPART_ERROR_OPLIST);
    CHECK(strstr(error.place, "p/list.ops:3:13") != NULL);
    CHECK(!oplist);
}

TESTS(test_api_messages__no_models, test_api_messages__models_that_break_off,
      test_api_messages__models_with_a_wrong_byte, test_api_messages__files, test_api_messages__graphs,
      test_api_messages__long_names_keep_their_ends, test_api_messages__names_of_any_length_and_alphabet,
      test_api_messages__texts_are_cut_between_characters, test_api_messages__long_paths_of_op_lists)
