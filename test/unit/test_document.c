/* SPDX-License-Identifier: Apache-2.0
 *
 * Documents over several models: what may be called when, what is refused, and what holds for every format whatever
 * stands in names. Whether other programs read them is checked by test/checks/formats.py.
 */
#include "npu_partition.h"
#include "support/analysis.h"
#include "support/counted.h"
#include "support/subjects.h"
#include "support/test.h"

static const char lines[] =
    "input x float32[1,batch]\nnode a = Relu(x)\nnode b = Erf(a) @erf\nnode c = Relu(b)\noutput c\n";

static const enum npart_format formats[] = {
#define DOCUMENT(format, writer) NPART_FORMAT_##format,
#include "../../lib/report/documents.def"
};
#define FORMATS (sizeof formats / sizeof formats[0])

static const struct npart_error unreadable = {NPART_ERROR_MALFORMED, "a tensor is cut off", "byte 12"};

/* A model that was planned, with a threshold that is met, one that is not and one that is waived; then one that cannot
 * be read. */
static npart_status write_two(const npart_plan *plan, enum npart_format format, enum npart_detail detail,
                              const struct npart_allocator *allocator, struct sink *sink, struct npart_error *error)
{
    const struct npart_plan_pair pair = {plan, NULL, NULL};
    const struct npart_threshold_outcome outcomes[] = {
        {sizeof *outcomes, 0, true, "max-partitions", "2 partitions, threshold: at most 2", .waiver = NULL},
        {sizeof *outcomes, 0, false, "min-coverage", "coverage 66.7 %", .waiver = NULL},
        {sizeof *outcomes, NPART_NONE, false, "fail-on invalid", "no graph", .waiver = "until the next release"}};
    struct npart_document_options options = NPART_DOCUMENT_OPTIONS_INIT;
    struct npart_entry entry = NPART_ENTRY_INIT, other = NPART_ENTRY_INIT;
    npart_document *document = NULL;
    options.allocator = allocator;
    options.detail = detail;
    options.root = "/home/somebody/";
    entry.path = "models/one.onnx";
    entry.plans = &pair;
    entry.plan_count = 1;
    entry.outcomes = outcomes;
    entry.outcome_count = 3;
    other.path = "models/two.onnx";
    other.error = &unreadable;
    npart_status status = npart_document_start(&document, format, &options, sink_write, sink, error);
    if (status == NPART_OK)
        status = npart_document_add(document, &entry, error);
    if (status == NPART_OK)
        status = npart_document_add(document, &other, error);
    if (status == NPART_OK)
        status = npart_document_end(document, error);
    npart_document_free(document);
    return status;
}

#define CHECK_ARGUMENT(call)                                                                                           \
    do {                                                                                                               \
        struct npart_error error = {NPART_OK, "", ""};                                                                 \
        CHECK_INT((call), NPART_ERROR_ARGUMENT);                                                                       \
        CHECK(error.status == NPART_ERROR_ARGUMENT && *error.message);                                                 \
    } while (0)

static void test_document__arguments(void)
{
    struct sink sink = {0};
    struct npart_document_options options = NPART_DOCUMENT_OPTIONS_INIT;
    npart_document *document = NULL;
    options.version = 3;
    CHECK_ARGUMENT(npart_document_start(NULL, NPART_FORMAT_CSV, NULL, sink_write, &sink, &error));
    CHECK_ARGUMENT(npart_document_start(&document, NPART_FORMAT_CSV, NULL, NULL, &sink, &error));
    CHECK_ARGUMENT(npart_document_start(&document, (enum npart_format)99, NULL, sink_write, &sink, &error));
    CHECK_ARGUMENT(npart_document_start(&document, NPART_FORMAT_CSV, &options, sink_write, &sink, &error));
    CHECK_ARGUMENT(npart_document_add(NULL, NULL, &error));
    CHECK_ARGUMENT(npart_document_end(NULL, &error));
    npart_document_free(NULL);
    CHECK(!document && sink.calls == 0);
}

/* An entry that is refused leaves the document as it was. */
static void test_document__entries(void)
{
    struct analysis at, other;
    struct sink sink = {0}, nothing = {0};
    npart_document *document = NULL, *empty = NULL;
    analysis_open(&at, lines, NULL, NULL, NULL);
    analysis_open(&other, lines, NULL, NULL, NULL);
    const struct npart_plan_pair pairs[] = {{at.plan, NULL, NULL}, {other.plan, NULL, NULL}};
    struct npart_threshold_outcome outcome = {sizeof outcome, 1, true, "max-partitions", "1 partition", .waiver = NULL};
    struct npart_entry entry = NPART_ENTRY_INIT;
    REQUIRE(npart_document_start(&document, NPART_FORMAT_CSV, NULL, sink_write, &sink, NULL) == NPART_OK);
    REQUIRE(npart_document_start(&empty, NPART_FORMAT_CSV, NULL, sink_write, &nothing, NULL) == NPART_OK);
    CHECK_ARGUMENT(npart_document_add(document, NULL, &error));
    CHECK_ARGUMENT(npart_document_add(document, &entry, &error)); /* no path */
    entry.path = "x.onnx";
    CHECK_ARGUMENT(npart_document_add(document, &entry, &error)); /* no plans, no error */
    entry.plans = pairs;
    entry.plan_count = 2;
    CHECK_ARGUMENT(npart_document_add(document, &entry, &error)); /* of different models */
    entry.plan_count = 1;
    entry.error = &unreadable;
    CHECK_ARGUMENT(npart_document_add(document, &entry, &error)); /* plans and an error */
    entry.error = NULL;
    entry.outcome_count = 1;
    CHECK_ARGUMENT(npart_document_add(document, &entry, &error));
    entry.outcomes = &outcome;
    CHECK_ARGUMENT(npart_document_add(document, &entry, &error)); /* of a plan that is not there */
    outcome.plan = 0;
    outcome.size++;
    CHECK_ARGUMENT(npart_document_add(document, &entry, &error));
    outcome.size--;
    outcome.text = NULL;
    CHECK_ARGUMENT(npart_document_add(document, &entry, &error));
    entry.outcome_count = 0;
    entry.version = 2;
    CHECK_ARGUMENT(npart_document_add(document, &entry, &error));
    CHECK_INT(npart_document_end(document, NULL), NPART_OK);
    CHECK_INT(npart_document_end(empty, NULL), NPART_OK);
    CHECK(sink.bytes > 0 && sink.bytes == nothing.bytes && memcmp(sink.text, nothing.text, sink.bytes) == 0);
    CHECK_ARGUMENT(npart_document_end(document, &error));
    entry.version = 1;
    CHECK_ARGUMENT(npart_document_add(document, &entry, &error));
    npart_document_free(document);
    npart_document_free(empty);
    sink_clear(&sink);
    sink_clear(&nothing);
    analysis_close(&at);
    analysis_close(&other);
}

/* The same bytes twice; memory of the caller's allocator alone, and all of it back. */
static void test_document__bytes(void)
{
    struct analysis at;
    analysis_open(&at, lines, NULL, NULL, NULL);
    for (size_t i = 0; i < FORMATS; i++)
        for (int detail = 0; detail <= NPART_DETAIL_TENSORS; detail++) {
            struct counted counted;
            struct sink first = {0}, second = {0};
            counted_init(&counted, detail > 0);
            CHECK_INT(write_two(at.plan, formats[i], (enum npart_detail)detail, &counted.allocator, &first, NULL), 0);
            CHECK_INT(write_two(at.plan, formats[i], (enum npart_detail)detail, NULL, &second, NULL), 0);
            CHECK(counted.calls > 0 && counted.live_blocks == 0);
            CHECK(first.bytes && first.bytes == second.bytes && memcmp(first.text, second.text, first.bytes) == 0);
            sink_clear(&first);
            sink_clear(&second);
        }
    analysis_close(&at);
}

/* A document that is given up before its end, or whose bytes the caller refuses. */
static void test_document__broken_off(void)
{
    struct analysis at;
    analysis_open(&at, lines, NULL, NULL, NULL);
    for (size_t i = 0; i < FORMATS; i++) {
        struct counted counted;
        struct npart_document_options options = NPART_DOCUMENT_OPTIONS_INIT;
        struct npart_error error = {NPART_OK, "", ""};
        struct sink sink = {.refuse_at = 1}, given_up = {0};
        npart_document *document = NULL;
        counted_init(&counted, true);
        CHECK_INT(write_two(at.plan, formats[i], NPART_DETAIL_NODES, NULL, &sink, &error), NPART_ERROR_WRITE);
        CHECK_INT(error.status, NPART_ERROR_WRITE);
        options.allocator = &counted.allocator;
        CHECK_INT(npart_document_start(&document, formats[i], &options, sink_write, &given_up, &error), NPART_OK);
        npart_document_free(document);
        CHECK(counted.live_blocks == 0 && given_up.calls == 0);
        sink_clear(&sink);
        sink_clear(&given_up);
    }
    analysis_close(&at);
}

/* ---- CSV ------------------------------------------------------------------------------------------------------- */

static void test_document__csv_cells(void)
{
    struct analysis at;
    struct sink sink = {0};
    analysis_open(&at,
                  "input x float32[1,4]\nnode a = Relu(x) @=1+1\nnode b = Sinh(a) @-e,\"\nnode c = Relu(b) @+\n"
                  "output c\n", NULL, NULL, NULL);
    CHECK_INT(write_two(at.plan, NPART_FORMAT_CSV, NPART_DETAIL_NODES, NULL, &sink, NULL), NPART_OK);
    CHECK(sink.text && strstr(sink.text, ",'=1+1,Relu,"));
    CHECK(sink.text && strstr(sink.text, ",\"'-e,\"\"\",Sinh,"));
    CHECK(sink.text && strstr(sink.text, ",'+,Relu,"));
    sink_clear(&sink);
    CHECK_INT(write_two(at.plan, NPART_FORMAT_CSV, NPART_DETAIL_SUMMARY, NULL, &sink, NULL), NPART_OK);
    CHECK(sink.text &&
          strstr(sink.text, "not met,min-coverage: coverage 66.7 %; fail-on invalid: no graph; accepted: "));
    CHECK(sink.text && strstr(sink.text, "\r\nmodels/two.onnx,,"));
    CHECK(sink.text && strstr(sink.text, ",byte 12: a tensor is cut off,\r\n"));
    sink_clear(&sink);
    analysis_close(&at);
}

/* ---- waivers --------------------------------------------------------------------------------------------------- */

/* What is accepted though it is not met is told as such, and is no failure. */
static void test_document__waived(void)
{
    static const struct {
        enum npart_format format;
        const char *told;
    } wanted[] = {
        {NPART_FORMAT_SARIF, "\"suppressions\":[{\"kind\":\"external\",\"justification\":"
                             "\"until the next release\"}]}"},
        {NPART_FORMAT_SARIF, "{\"ruleId\":\"threshold/fail-on-invalid\",\"ruleIndex\":1,\"level\":\"note\""},
        {NPART_FORMAT_JUNIT, "failures=\"1\" errors=\"0\" skipped=\"1\""},
        {NPART_FORMAT_JUNIT, "<skipped message=\"no graph; accepted: until the next release\"/>"},
        {NPART_FORMAT_CSV, "fail-on invalid: no graph; accepted: until the next release"},
        {NPART_FORMAT_MARKDOWN, "2 of 2 models do not pass"},
    };
    struct analysis at;
    analysis_open(&at, lines, NULL, NULL, NULL);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        struct sink sink = {0};
        CHECK_INT(write_two(at.plan, wanted[i].format, NPART_DETAIL_SUMMARY, NULL, &sink, NULL), NPART_OK);
        CHECK(sink.text && strstr(sink.text, wanted[i].told));
        sink_clear(&sink);
    }
    struct sink sink = {0};
    CHECK_INT(write_two(at.plan, NPART_FORMAT_GITHUB, NPART_DETAIL_SUMMARY, NULL, &sink, NULL), NPART_OK);
    CHECK(sink.text && !strstr(sink.text, "no graph"));
    sink_clear(&sink);
    analysis_close(&at);
}

/* ---- limits ---------------------------------------------------------------------------------------------------- */

static size_t count_of(const char *text, const char *part)
{
    size_t count = 0;
    for (; text && (text = strstr(text, part)); text += strlen(part))
        count++;
    return count;
}

/* One model with so many thresholds that are not met. */
static char *write_outcomes(const npart_plan *plan, enum npart_format format, size_t count)
{
    const struct npart_plan_pair pair = {plan, NULL, NULL};
    struct npart_threshold_outcome *outcomes = calloc(count, sizeof *outcomes);
    struct npart_entry entry = NPART_ENTRY_INIT;
    struct sink sink = {0};
    npart_document *document = NULL;
    REQUIRE(outcomes);
    for (size_t i = 0; i < count; i++)
        outcomes[i] = (struct npart_threshold_outcome){
            sizeof *outcomes, 0, false, "max-partitions", "too many", .waiver = NULL};
    entry.path = "one.onnx";
    entry.plans = &pair;
    entry.plan_count = 1;
    entry.outcomes = outcomes;
    entry.outcome_count = count;
    REQUIRE(npart_document_start(&document, format, NULL, sink_write, &sink, NULL) == NPART_OK);
    CHECK_INT(npart_document_add(document, &entry, NULL), NPART_OK);
    CHECK_INT(npart_document_end(document, NULL), NPART_OK);
    npart_document_free(document);
    free(outcomes);
    return sink.text;
}

/* With the model's one cause. */
static void test_document__most_results(void)
{
    struct analysis at;
    analysis_open(&at, "input x float32[1,4]\nnode y = Erf(x)\noutput y\n", NULL, NULL, NULL);
    char *all = write_outcomes(at.plan, NPART_FORMAT_SARIF, 24999);
    CHECK_INT(count_of(all, "\"ruleIndex\""), 25000);
    CHECK(!strstr(all, "left out"));
    char *more = write_outcomes(at.plan, NPART_FORMAT_SARIF, 25000);
    CHECK_INT(count_of(more, "\"ruleIndex\""), 25000);
    CHECK(strstr(more, "\"1 results are left out: a run has at most 25000\""));
    free(all);
    free(more);
    analysis_close(&at);
}

static void test_document__most_annotations(void)
{
    struct analysis at;
    analysis_open(&at, "input x float32[1,4]\nnode y = Erf(x)\noutput y\n", NULL, NULL, NULL);
    char *all = write_outcomes(at.plan, NPART_FORMAT_GITHUB, 10);
    char *more = write_outcomes(at.plan, NPART_FORMAT_GITHUB, 11);
    CHECK_INT(count_of(all, "::error "), 10);
    CHECK_INT(count_of(all, "::warning "), 1);
    CHECK(!strstr(all, "::notice "));
    CHECK_INT(count_of(more, "::error "), 10);
    CHECK(strstr(more, "::notice title=npu-partition::1 more error and 0 more warnings are not shown\n"));
    free(all);
    free(more);
    analysis_close(&at);
}

/* Causes of undecided nodes are no warnings, and take no place from those that are. */
static void test_document__undecided_causes(void)
{
    static const char oplist[] = "format 1\ntarget small \"A list\"\nop Tanh\nop Ceil\n  maybe \"not documented\"\n";
    struct analysis at;
    analysis_open(&at,
                  "input x float32[1,4]\nnode u = Ceil(x)\nnode v = Ceil(u)\nnode a = Sinh(v)\nnode b = Cosh(a)\n"
                  "node c = Tan(b)\nnode d = Asinh(c)\nnode e = Tanh(d)\nnode f = Atanh(e)\nnode g = Erf(f)\n"
                  "node h = Acosh(g)\nnode i = Sin(h)\nnode j = Cos(i)\nnode k = Atan(j)\noutput k\n",
                  oplist, "small", NULL);
    char *text = write_outcomes(at.plan, NPART_FORMAT_GITHUB, 1);
    CHECK_INT(count_of(text, "::warning "), 10);
    CHECK(!strstr(text, "::notice "));
    free(text);
    analysis_close(&at);
}

static void test_document__most_problems(void)
{
    struct analysis at;
    analysis_open(&at, "input x float32[1,4]\nnode y = Erf(x)\noutput y\n", NULL, NULL, NULL);
    char *all = write_outcomes(at.plan, NPART_FORMAT_MARKDOWN, 5);
    char *more = write_outcomes(at.plan, NPART_FORMAT_MARKDOWN, 6);
    CHECK_INT(count_of(all, "\n- `one.onnx`"), 5);
    CHECK(!strstr(all, " more\n"));
    CHECK_INT(count_of(more, "\n- `one.onnx`"), 5);
    CHECK(strstr(more, "\n- 1 more\n"));
    free(all);
    free(more);
    analysis_close(&at);
}

/* A chain of nodes that all fall back for one cause. */
static char *write_chain(unsigned nodes, enum npart_format format, enum npart_detail detail)
{
    static char text[1 << 14];
    struct analysis at;
    struct sink sink = {0};
    (void)snprintf(text, sizeof text, "input x float32[1,4]\nnode n0 = Erf(x)\n");
    for (unsigned i = 1; i < nodes; i++)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "node n%u = Erf(n%u)\n", i, i - 1);
    (void)snprintf(text + strlen(text), sizeof text - strlen(text), "output n%u\n", nodes - 1);
    analysis_open(&at, text, NULL, NULL, NULL);
    CHECK_INT(write_two(at.plan, format, detail, NULL, &sink, NULL), NPART_OK);
    analysis_close(&at);
    return sink.text;
}

static void test_document__most_related(void)
{
    char *all = write_chain(100, NPART_FORMAT_SARIF, NPART_DETAIL_SUMMARY);
    char *more = write_chain(101, NPART_FORMAT_SARIF, NPART_DETAIL_SUMMARY);
    CHECK_INT(count_of(all, "{\"id\":1"), count_of(more, "{\"id\":1"));
    CHECK(strstr(all, "{\"id\":100,") && !strstr(all, "The first 100 nodes are told."));
    CHECK(strstr(more, "{\"id\":100,") && !strstr(more, "{\"id\":101,"));
    CHECK(strstr(more, "The first 100 nodes are told."));
    CHECK(strstr(more, "\"affectedNodes\":101,"));
    free(all);
    free(more);
}

/* Many models of many causes, under long names: what is folded is cut, and that is said. */
static void test_document__longest_comment(void)
{
    static char path[400];
    struct analysis at;
    struct sink sink = {0};
    struct npart_entry entry = NPART_ENTRY_INIT;
    npart_document *document = NULL;
    analysis_open(&at,
                  "input x float32[1,batch]\nnode a = Erf(x) @`@`\nnode b = NonZero(a)\nnode c = Unheard(b)\n"
                  "node d = LeakyRelu(c)\noutput d\n", NULL, NULL, NULL);
    const struct npart_plan_pair pair = {at.plan, NULL, NULL};
    const struct npart_threshold_outcome outcome = {sizeof outcome, 0, false, "`|@#", path, .waiver = NULL};
    memset(path, '|', sizeof path - 1);
    entry.path = path;
    entry.plans = &pair;
    entry.outcomes = &outcome;
    entry.plan_count = entry.outcome_count = 1;
    REQUIRE(npart_document_start(&document, NPART_FORMAT_MARKDOWN, NULL, sink_write, &sink, NULL) == NPART_OK);
    for (unsigned i = 0; i < 400; i++)
        CHECK_INT(npart_document_add(document, &entry, NULL), NPART_OK);
    CHECK_INT(npart_document_end(document, NULL), NPART_OK);
    npart_document_free(document);
    CHECK(sink.bytes > 60000 && sink.bytes <= 65536);
    CHECK(sink.text && strstr(sink.text, "\nCut: ") && strstr(sink.text, "\n8 of 400 rows; all of them are below.\n"));
    CHECK_INT(count_of(sink.text, "\n<details>"), count_of(sink.text, "\n</details>"));
    sink_clear(&sink);
    analysis_close(&at);
}

/* So many models of one length of path, and one more of another. To be freed. */
static char *write_comment(const npart_plan *plan, unsigned models, size_t last_bytes)
{
    static char path[101];
    const struct npart_plan_pair pair = {plan, NULL, NULL};
    struct sink sink = {0};
    struct npart_entry entry = NPART_ENTRY_INIT;
    npart_document *document = NULL;
    entry.path = "models/one.onnx";
    entry.plans = &pair;
    entry.plan_count = 1;
    REQUIRE(npart_document_start(&document, NPART_FORMAT_MARKDOWN, NULL, sink_write, &sink, NULL) == NPART_OK);
    for (unsigned i = 0; i < models; i++)
        CHECK_INT(npart_document_add(document, &entry, NULL), NPART_OK);
    memset(path, 'a', last_bytes);
    path[last_bytes] = '\0';
    entry.path = path;
    CHECK_INT(npart_document_add(document, &entry, NULL), NPART_OK);
    CHECK_INT(npart_document_end(document, NULL), NPART_OK);
    npart_document_free(document);
    REQUIRE(sink.text);
    return sink.text;
}

/* All rows have room, and leave less and less of it to the causes. */
static void test_document__room_for_causes(void)
{
    struct analysis at;
    unsigned with = 0, without = 0;
    analysis_open(&at, lines, NULL, NULL, NULL);
    char *some = write_comment(at.plan, 100, 1);
    const char *row = strstr(some, "| `models/one.onnx`"), *causes = strstr(some, "\n<details><summary>Causes");
    REQUIRE(row && causes);
    size_t row_bytes = strcspn(row, "\n") + 1;
    unsigned models = 100 + (unsigned)((65080 - (size_t)(causes - some)) / row_bytes);
    for (size_t last_bytes = 1; last_bytes <= 100; last_bytes += 9) {
        char *text = write_comment(at.plan, models, last_bytes);
        bool has_causes = strstr(text, "<summary>Causes");
        CHECK(strlen(text) <= 65536 && strstr(text, "\nCut: "));
        with += has_causes;
        without += !has_causes;
        free(text);
    }
    CHECK(with && without);
    free(some);
    analysis_close(&at);
}

/* ---- pages ----------------------------------------------------------------------------------------------------- */

/* Hands out a text in pieces of a size; then fails, where it is to. */
struct pieces {
    const char *text;
    size_t size;
    bool fails;
};

static ptrdiff_t read_pieces(void *payload, void *into, size_t bytes)
{
    struct pieces *pieces = payload;
    size_t length = strlen(pieces->text);
    length = length < pieces->size ? length : pieces->size;
    CHECK(length <= bytes);
    memcpy(into, pieces->text, length);
    pieces->text += length;
    return length ? (ptrdiff_t)length : pieces->fails ? -1 : 0;
}

/* The same escapes wherever a piece ends; all but '<' stays as it is. */
static void test_document__page_escapes(void)
{
    static const char text[] = "{\"<\":\"</script><!--\xe2\x80\xa8\xe2\x80<\xe2<<\"}\xe2\x80";
    static const char wanted[] = " data-kind=\"report\">{\"\\u003c\":\"\\u003c/script>\\u003c!--\xe2\x80\xa8\xe2\x80"
                                 "\\u003c\xe2\\u003c\\u003c\"}\xe2\x80</script>\n";
    for (size_t size = 1; size < sizeof text; size++) {
        struct sink sink = {0};
        struct pieces pieces = {text, size, false};
        npart_document *document = NULL;
        REQUIRE(npart_document_start(&document, NPART_FORMAT_HTML, NULL, sink_write, &sink, NULL) == NPART_OK);
        CHECK_INT(npart_document_add_report(document, read_pieces, &pieces, NULL), NPART_OK);
        CHECK_INT(npart_document_end(document, NULL), NPART_OK);
        npart_document_free(document);
        CHECK(sink.text && strstr(sink.text, wanted));
        sink_clear(&sink);
    }
}

/* A block holds the JSON report; a long one is written in pieces. */
static void test_document__page_blocks(void)
{
    struct analysis at;
    struct sink sink = {0}, json = {0};
    analysis_open(&at, lines, NULL, NULL, NULL);
    const struct npart_plan_pair pair = {at.plan, NULL, NULL};
    CHECK_INT(write_two(at.plan, NPART_FORMAT_HTML, NPART_DETAIL_NODES, NULL, &sink, NULL), NPART_OK);
    CHECK_INT(npart_report(OF_PLANS(&pair, 1), NPART_FORMAT_JSON, NULL, sink_write, &json, NULL), NPART_OK);
    const char *block = sink.text ? strstr(sink.text, "data-kind=\"report\">") : NULL;
    REQUIRE(block && json.text && !strchr(json.text, '<'));
    CHECK(strncmp(block + strlen("data-kind=\"report\">"), json.text, json.bytes) == 0);
    CHECK(strstr(sink.text, "data-kind=\"outcomes\">{\"path\":\"models/one.onnx\",\"outcomes\":[{\"target\":0,"
                            "\"threshold\":\"max-partitions\",\"is_met\":true,"));
    CHECK(strstr(sink.text, ",\"waiver\":\"until the next release\"}]}\n</script>\n"));
    CHECK(strstr(sink.text, "data-kind=\"error\">{\"path\":\"models/two.onnx\","
                            "\"text\":\"byte 12: a tensor is cut off\"}\n</script>\n"));
    CHECK(sink.most_bytes <= (size_t)128 << 10);
    sink_clear(&json);
    sink_clear(&sink);
    analysis_close(&at);
}

/* Thresholds of a model that cannot be read follow it, as its report would be followed. */
static void test_document__page_errors(void)
{
    static const struct npart_threshold_outcome outcome = {sizeof outcome, NPART_NONE, false, "fail-on invalid",
                                                           "it cannot be read", .waiver = NULL};
    struct sink sink = {0};
    struct npart_entry entry = NPART_ENTRY_INIT;
    npart_document *document = NULL;
    entry.path = "two.onnx";
    entry.error = &unreadable;
    entry.outcomes = &outcome;
    entry.outcome_count = 1;
    REQUIRE(npart_document_start(&document, NPART_FORMAT_HTML, NULL, sink_write, &sink, NULL) == NPART_OK);
    CHECK_INT(npart_document_add(document, &entry, NULL), NPART_OK);
    CHECK_INT(npart_document_end(document, NULL), NPART_OK);
    npart_document_free(document);
    CHECK(sink.text && strstr(sink.text, "data-kind=\"error\">{\"path\":\"two.onnx\""));
    CHECK(sink.text && strstr(sink.text, "data-kind=\"outcomes\">{\"path\":\"two.onnx\",\"outcomes\":[{\"target\":null,"
                                         "\"threshold\":\"fail-on invalid\",\"is_met\":false,"));
    sink_clear(&sink);
}

/* What is for pages alone. */
static void test_document__page_arguments(void)
{
    struct analysis at;
    struct sink sink = {0};
    struct pieces pieces = {"{}", 1, true};
    npart_document *table = NULL, *page = NULL;
    npart_record *record = NULL;
    npart_diff *diff = NULL;
    analysis_open(&at, lines, NULL, NULL, NULL);
    REQUIRE(npart_record_make(&record, at.plan, NULL, NULL) == NPART_OK);
    REQUIRE(npart_diff_make(&diff, npart_record_side(record), npart_record_side(record), NULL, NULL) == NPART_OK);
    const npart_diff *diffs[] = {diff, NULL};
    REQUIRE(npart_document_start(&table, NPART_FORMAT_CSV, NULL, sink_write, &sink, NULL) == NPART_OK);
    REQUIRE(npart_document_start(&page, NPART_FORMAT_HTML, NULL, sink_write, &sink, NULL) == NPART_OK);
    CHECK_ARGUMENT(npart_document_add_diff(table, diffs, 1, &error));
    CHECK_ARGUMENT(npart_document_add_fix(table, NULL, NULL, &error));
    CHECK_ARGUMENT(npart_document_add_report(table, read_pieces, &pieces, &error));
    CHECK_ARGUMENT(npart_document_add_diff(NULL, diffs, 1, &error));
    CHECK_ARGUMENT(npart_document_add_diff(page, diffs, 0, &error));
    CHECK_ARGUMENT(npart_document_add_diff(page, diffs, 2, &error));
    CHECK_ARGUMENT(npart_document_add_fix(page, NULL, NULL, &error));
    CHECK_ARGUMENT(npart_document_add_report(page, NULL, NULL, &error));
    CHECK(sink.calls == 0);
    CHECK_INT(npart_document_add_diff(page, diffs, 1, NULL), NPART_OK);
    CHECK_INT(npart_document_add_report(page, read_pieces, &pieces, NULL), NPART_ERROR_READ);
    CHECK_INT(npart_document_add_diff(page, diffs, 1, NULL), NPART_ERROR_READ); /* as ever after that */
    CHECK_INT(npart_document_end(page, NULL), NPART_ERROR_READ);
    CHECK_ARGUMENT(npart_document_add_diff(page, diffs, 1, &error));
    npart_document_free(page);
    npart_document_free(table);
    npart_diff_free(diff);
    npart_record_free(record);
    sink_clear(&sink);
    analysis_close(&at);
}

/* ---- paths ----------------------------------------------------------------------------------------------------- */

/* Whether a path is told like that, of a document with that root. */
static bool is_told(const char *path, const char *root, const char *uri)
{
    struct sink sink = {0};
    struct npart_document_options options = NPART_DOCUMENT_OPTIONS_INIT;
    struct npart_entry entry = NPART_ENTRY_INIT;
    npart_document *document = NULL;
    char wanted[200];
    options.root = root;
    entry.path = path;
    entry.error = &unreadable;
    REQUIRE(npart_document_start(&document, NPART_FORMAT_SARIF, &options, sink_write, &sink, NULL) == NPART_OK);
    CHECK_INT(npart_document_add(document, &entry, NULL), NPART_OK);
    CHECK_INT(npart_document_end(document, NULL), NPART_OK);
    npart_document_free(document);
    (void)snprintf(wanted, sizeof wanted, "\"artifactLocation\":{\"uri\":\"%s\"%s}", uri,
                   strncmp(uri, "file:", 5) == 0 ? "" : ",\"uriBaseId\":\"%SRCROOT%\"");
    bool is_there = sink.text && strstr(sink.text, wanted);
    sink_clear(&sink);
    return is_there;
}

static void test_document__paths(void)
{
    CHECK(is_told("a/b.onnx", NULL, "a/b.onnx"));
    CHECK(is_told("././a.onnx", NULL, "a.onnx"));
    CHECK(is_told(".//a.onnx", NULL, "a.onnx"));
    CHECK(is_told(".///.//b/a.onnx", "/home/me", "b/a.onnx"));
    CHECK(is_told(".hidden/a.onnx", NULL, ".hidden/a.onnx"));
    CHECK(is_told("../a.onnx", NULL, "../a.onnx"));
    CHECK(is_told("-", NULL, "-"));
    CHECK(is_told("a b%\xc3\xa9\xff:?#.onnx", NULL, "a%20b%25%C3%A9%FF%3A%3F%23.onnx"));
    CHECK(is_told("/home/me/a.onnx", NULL, "file:///home/me/a.onnx"));
    CHECK(is_told("/home/me/a.onnx", "/home/me", "a.onnx"));
    CHECK(is_told("/home/me/a.onnx", "/home/me/", "a.onnx"));
    CHECK(is_told("/home/me//a.onnx", "/home/me", "a.onnx"));
    CHECK(is_told("/home/mean/a.onnx", "/home/me", "file:///home/mean/a.onnx"));
    CHECK(is_told("/a.onnx", "/", "a.onnx"));
    CHECK(is_told("C:\\me\\a.onnx", NULL, "file:///C:/me/a.onnx"));
    CHECK(is_told("C:\\me\\a.onnx", "C:\\me", "a.onnx"));
    CHECK(is_told("C:\\me\\\\a.onnx", "C:\\me", "a.onnx"));
    CHECK(is_told("C:/me/a b.onnx", "C:\\me", "a%20b.onnx"));
}

TESTS(test_document__arguments, test_document__entries, test_document__bytes, test_document__broken_off,
      test_document__csv_cells, test_document__waived, test_document__most_results, test_document__most_annotations,
      test_document__undecided_causes, test_document__most_problems, test_document__most_related,
      test_document__longest_comment, test_document__room_for_causes, test_document__page_escapes,
      test_document__page_blocks, test_document__page_errors, test_document__page_arguments, test_document__paths)
