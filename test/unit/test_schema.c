/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of operators: its order, what it is asked for by name and version, and that every word of it means
 * something to its readers.
 */
#include "schema/schema.h"
#include "support/test.h"

/* The table as it stands in the file, not through the functions under test. */
static const struct npart__operator rows[] = {
#define OPERATOR(domain, name, since, flags, inputs, outputs, attributes, least_inputs, least_outputs, types)          \
    {domain, name, since, flags, inputs, outputs, attributes, least_inputs, least_outputs, types},
#include "schema/operators.def"
};
#define ROWS (sizeof rows / sizeof rows[0])

/* ---- the table ------------------------------------------------------------------------------------------------ */

static void test_schema__is_sorted_and_versions_ascend(void)
{
    for (size_t i = 1; i < ROWS; i++) {
        int domains = strcmp(rows[i - 1].domain, rows[i].domain);
        int names = strcmp(rows[i - 1].name, rows[i].name);
        bool is_sorted = domains < 0 || (domains == 0 && names < 0) ||
                         (domains == 0 && names == 0 && rows[i - 1].since < rows[i].since);
        if (!is_sorted)
            fprintf(stderr, "  %s:%s since %d\n", rows[i].domain, rows[i].name, rows[i].since);
        CHECK(is_sorted);
        CHECK(rows[i].since >= 1 && rows[i].since < 100);
    }
    CHECK(ROWS > 500);
}

static void test_schema__every_row_is_found(void)
{
    for (size_t i = 0; i < ROWS; i++) {
        const struct npart__operator *found = npart__operator_find(rows[i].domain, rows[i].name, rows[i].since);
        REQUIRE(found != NULL);
        CHECK_INT(found->since, rows[i].since);
        CHECK_TEXT(found->name, rows[i].name);
        CHECK_TEXT(found->inputs, rows[i].inputs);
        bool is_next = i + 1 < ROWS && strcmp(rows[i + 1].name, rows[i].name) == 0 &&
                       strcmp(rows[i + 1].domain, rows[i].domain) == 0;
        int64_t last = is_next ? rows[i + 1].since - 1 : INT64_MAX;
        CHECK(npart__operator_find(rows[i].domain, rows[i].name, last) == found);
    }
}

/* ---- versions ------------------------------------------------------------------------------------------------- */

static void test_schema__every_version_of_some_operators(void)
{
    static const struct {
        const char *domain, *name;
        int since[8]; /* 0 ends */
    } known[] = {
        {"", "Relu", {1, 6, 13, 14}},       {"", "Clip", {1, 6, 11, 12, 13}},     {"", "Conv", {1, 11, 22}},
        {"", "Resize", {10, 11, 13, 18, 19}}, {"", "Softmax", {1, 11, 13}},       {"", "Upsample", {1, 7, 9, 10}},
        {"", "ReduceSum", {1, 11, 13}},     {"", "LayerNormalization", {17}},     {"ai.onnx.ml", "Scaler", {1}},
        {"com.microsoft", "Gelu", {1}},
    };
    for (size_t i = 0; i < NPART__COUNT(known); i++) {
        size_t count, at = 0;
        const struct npart__operator *versions = npart__operator_versions(known[i].domain, known[i].name, &count);
        for (int64_t version = 0; version < 40; version++) {
            const struct npart__operator *op = npart__operator_find(known[i].domain, known[i].name, version);
            if (at < 8 && known[i].since[at] == version)
                at++;
            CHECK_INT(op ? op->since : 0, at ? known[i].since[at - 1] : 0);
        }
        CHECK_INT(count, at);
        CHECK(versions && versions[0].since == known[i].since[0]);
    }
}

static void test_schema__what_is_not_there(void)
{
    static const struct {
        const char *domain, *name;
    } unknown[] = {{"", "Covn"},       {"", ""},           {"", "relu"},        {"", "Rel"},      {"", "Reluu"},
                   {"", "Gelu2"},      {"ai.onnx", "Relu"}, {"my", "Relu"},     {"", "\x7f"},     {"", "\x01"},
                   {"zzz", "Relu"},    {"", "Scaler"},     {"ai.onnx.ml", "Relu"}};
    for (size_t i = 0; i < NPART__COUNT(unknown); i++) {
        size_t count = 7;
        CHECK(!npart__operator_find(unknown[i].domain, unknown[i].name, 17));
        CHECK(!npart__operator_versions(unknown[i].domain, unknown[i].name, &count));
        CHECK_INT(count, 0);
    }
    CHECK(!npart__operator_find("", "Relu", 0));
    CHECK(!npart__operator_find("", "Relu", -1));
    CHECK(!npart__operator_find("", "Relu", INT64_MIN));
    CHECK(npart__operator_find("", "Relu", INT64_MAX) == npart__operator_find("", "Relu", 14));
    CHECK_INT(npart__operator_find("", "Relu", INT64_C(1) << 32)->since, 14);
}

/* ---- flags ---------------------------------------------------------------------------------------------------- */

static void test_schema__flags(void)
{
    CHECK_INT(npart__operator_flags(npart__operator_find("", "Relu", 6)), 0);
    CHECK(npart__operator_flags(npart__operator_find("", "Relu", 1)) & NPART__OPERATOR_UNSHAPED);
    CHECK(npart__operator_flags(npart__operator_find("", "GreaterOrEqual", 12)) & NPART__OPERATOR_UNSHAPED);
    CHECK(!(npart__operator_flags(npart__operator_find("", "GreaterOrEqual", 16)) & NPART__OPERATOR_UNSHAPED));
    CHECK(npart__operator_flags(npart__operator_find("", "Upsample", 10)) & NPART__OPERATOR_DEPRECATED);
    CHECK(!(npart__operator_flags(npart__operator_find("", "Upsample", 9)) & NPART__OPERATOR_DEPRECATED));
    CHECK(npart__operator_flags(npart__operator_find("", "RandomNormal", 1)) & NPART__OPERATOR_RANDOM);
    CHECK(npart__operator_flags(npart__operator_find("", "Bernoulli", 15)) & NPART__OPERATOR_RANDOM);
    CHECK(npart__operator_flags(npart__operator_find("", "LayerNormalization", 17)) & NPART__OPERATOR_FUNCTION);
    for (size_t i = 0; i < ROWS; i++)
        CHECK(strspn(rows[i].flag_letters, "dfru") == strlen(rows[i].flag_letters));
}

/* ---- operands ------------------------------------------------------------------------------------------------- */

static bool is_text(const char *text, size_t length, const char *wanted)
{
    return strlen(wanted) == length && memcmp(text, wanted, length) == 0;
}

static void test_schema__operands_of_some(void)
{
    struct npart__operand operand;
    const struct npart__operator *conv = npart__operator_find("", "Conv", 17);
    CHECK(npart__operator_input(conv, 0, &operand) && is_text(operand.name, operand.name_length, "X"));
    CHECK(is_text(operand.type, operand.type_length, "T") && !operand.is_optional && !operand.is_variadic);
    CHECK(npart__operator_input(conv, 2, &operand) && is_text(operand.name, operand.name_length, "B"));
    CHECK(operand.is_optional);
    CHECK(!npart__operator_input(conv, 3, &operand));
    CHECK(!npart__operator_input(conv, UINT32_MAX, &operand));
    CHECK(npart__operator_output(conv, 0, &operand) && !npart__operator_output(conv, 1, &operand));
    const struct npart__operator *concat = npart__operator_find("", "Concat", 13);
    CHECK(npart__operator_input(concat, 0, &operand) && operand.is_variadic);
    CHECK(npart__operator_input(concat, 1000, &operand) && is_text(operand.name, operand.name_length, "inputs"));
    const struct npart__operator *loop = npart__operator_find("", "Loop", 13);
    CHECK(npart__operator_input(loop, 0, &operand) && is_text(operand.name, operand.name_length, "M"));
    CHECK(npart__operator_input(loop, 9, &operand) && is_text(operand.name, operand.name_length, "v_initial"));
    const struct npart__operator *constant = npart__operator_find("", "Constant", 13);
    CHECK(!npart__operator_input(constant, 0, &operand));
    const struct npart__operator *shape = npart__operator_find("", "Shape", 15);
    CHECK(npart__operator_output(shape, 0, &operand) && is_text(operand.type, operand.type_length, "T1"));
}

static int find(const struct npart__operator *op, const char *name, bool *is_output)
{
    return npart__operator_find_operand(op, name, strlen(name), is_output);
}

static void test_schema__operands_by_name(void)
{
    const struct npart__operator *conv = npart__operator_find("", "Conv", 17);
    bool is_output = true;
    CHECK_INT(find(conv, "X", &is_output), 0);
    CHECK(!is_output);
    CHECK_INT(find(conv, "B", &is_output), 2);
    CHECK_INT(find(conv, "Y", &is_output), 0);
    CHECK(is_output);
    CHECK_INT(find(conv, "Z", NULL), -1);
    CHECK_INT(find(conv, "x", NULL), -1);
    CHECK_INT(find(conv, "", NULL), -1);
    CHECK_INT(npart__operator_find_operand(conv, "XYZ", 1, NULL), 0); /* by length, not up to a NUL */
    CHECK_INT(npart__operator_find_operand(conv, "X", 0, NULL), -1);
}

/* Every operand has a name of a few letters and a type, optional ones end the list or are marked, names differ. */
static void check_operands(const struct npart__operator *op, bool of_outputs)
{
    struct npart__operand operand;
    for (unsigned i = 0; of_outputs ? npart__operator_output(op, i, &operand) : npart__operator_input(op, i, &operand);
         i++) {
        bool is_output = !of_outputs;
        bool ok = operand.name_length > 0 && operand.type_length > 0 && operand.name_length < 64 &&
                  !memchr(operand.name, '?', operand.name_length) && !memchr(operand.name, '*', operand.name_length);
        int place = npart__operator_find_operand(op, operand.name, operand.name_length, &is_output);
        if (!ok || (place != (int)i && is_output == of_outputs))
            fprintf(stderr, "  %s since %d, %s %u\n", op->name, op->since, of_outputs ? "output" : "input", i);
        CHECK(ok);
        CHECK(place == (int)i || is_output != of_outputs);
        if (operand.is_variadic)
            break; /* the last */
    }
}

static void test_schema__every_operand_parses(void)
{
    for (size_t i = 0; i < ROWS; i++) {
        check_operands(&rows[i], false);
        check_operands(&rows[i], true);
    }
}

/* ---- attributes ----------------------------------------------------------------------------------------------- */

static bool attribute(const char *op, int64_t version, const char *name, struct npart__attribute_schema *out)
{
    return npart__operator_attribute(npart__operator_find("", op, version), name, strlen(name), out);
}

static void test_schema__attributes_of_some(void)
{
    struct npart__attribute_schema found;
    CHECK(attribute("Conv", 17, "group", &found) && found.kind == 'i' && !found.is_required);
    CHECK(is_text(found.default_text, found.default_length, "1"));
    CHECK(attribute("Conv", 17, "auto_pad", &found) && found.kind == 's');
    CHECK(is_text(found.default_text, found.default_length, "NOTSET"));
    CHECK(attribute("Conv", 17, "pads", &found) && found.kind == 'I' && !found.default_text);
    CHECK(attribute("Cast", 13, "to", &found) && found.kind == 'i' && found.is_required && !found.default_text);
    CHECK(attribute("LeakyRelu", 16, "alpha", &found) && found.kind == 'f');
    CHECK(is_text(found.default_text, found.default_length, "0.00999999978")); /* of float32 */
    CHECK(attribute("If", 13, "then_branch", &found) && found.kind == 'g' && found.is_required);
    CHECK(!attribute("Conv", 17, "grou", &found) && !attribute("Conv", 17, "groups", &found));
    CHECK(!attribute("Conv", 17, "", &found) && !attribute("Relu", 14, "group", &found));
    CHECK(attribute("Softmax", 11, "axis", &found) && is_text(found.default_text, found.default_length, "1"));
    CHECK(attribute("Softmax", 13, "axis", &found) && is_text(found.default_text, found.default_length, "-1"));
}

/* A default of a number is one to its last letter. */
static bool is_default(const struct npart__attribute_schema *schema)
{
    char text[256], *end = text;
    if (!schema->default_text)
        return true;
    if (schema->is_required || schema->default_length >= sizeof text)
        return false;
    memcpy(text, schema->default_text, schema->default_length);
    text[schema->default_length] = '\0';
    if (schema->kind == 'i')
        (void)strtoll(text, &end, 10);
    else if (schema->kind == 'f')
        (void)strtod(text, &end);
    else if (schema->kind == 'I' || schema->kind == 'F')
        end += strspn(text, "0123456789.,-+e"); /* a list */
    else
        return schema->kind == 's' || schema->kind == 'S';
    return *end == '\0' && (end > text || schema->kind == 'I' || schema->kind == 'F');
}

static void check_attributes(const struct npart__operator *op)
{
    for (const char *at = op->attributes; *at;) {
        size_t word = strcspn(at, " "), name = strcspn(at, "=");
        struct npart__attribute_schema found;
        bool ok = name > 0 && name < word && npart__operator_attribute(op, at, name, &found) &&
                  strchr("fistgFISTGpPyY", found.kind) && is_default(&found);
        if (!ok)
            fprintf(stderr, "  %s since %d: %.*s\n", op->name, op->since, (int)word, at);
        CHECK(ok);
        at += word;
        at += *at == ' ';
    }
}

static void test_schema__every_attribute_parses(void)
{
    for (size_t i = 0; i < ROWS; i++)
        check_attributes(&rows[i]);
}

/* ---- bodies ----------------------------------------------------------------------------------------------------- */

static const struct npart__body bodies[] = {
#define FUNCTION(name, since, opset, flags, body) {"", name, since, opset, flags, body},
#include "schema/functions.def"
#define CONTRIB(name, since, body) {"com.microsoft", name, since, 1, "", body},
#include "schema/contrib.def"
};

/* Whether a name is an operand of the operator, or made by a statement before. */
static bool is_made(const struct npart__operator *op, const char *name, size_t length, const char *before,
                    const char *end)
{
    struct npart__statement statement;
    const char *made;
    size_t made_length;
    bool is_output;
    while (before < end && npart__next_statement(&before, &statement)) {
        const char *list = statement.outputs;
        while (npart__next_part(&list, statement.outputs + statement.outputs_length, ',', &made, &made_length))
            if (made_length == length && memcmp(made, name, length) == 0)
                return true;
    }
    return npart__operator_find_operand(op, name, length, &is_output) >= 0 && !is_output;
}

static bool names_attribute(const struct npart__operator *op, const char *name, size_t length)
{
    struct npart__attribute_schema found;
    return npart__operator_attribute(op, name, length, &found);
}

/* An attribute of the node within, whose value may be one of the operator's. */
static bool is_attribute_word(const struct npart__operator *op, const struct npart__operator *inner, const char *word,
                              size_t length)
{
    const char *equals = memchr(word, '=', length), *end = word + length, *at;
    if (!names_attribute(inner, word, (size_t)(equals - word)))
        return false;
    for (at = memchr(equals, '@', (size_t)(end - equals)); at; at = memchr(at, '@', (size_t)(end - at))) {
        at++;
        if (!names_attribute(op, at, strcspn(at, ", ;")))
            return false;
    }
    at = memchr(equals, '$', (size_t)(end - equals));
    return !at || is_made(op, at + 1, strcspn(at + 1, ", ;"), "", "");
}

static bool is_condition(const struct npart__operator *op, const char *text, size_t length)
{
    bool is_negated = *text == '!', is_output;
    size_t name = strcspn(text + is_negated, ":&?");
    return name <= length && (names_attribute(op, text + is_negated, name) ||
                              npart__operator_find_operand(op, text + is_negated, name, &is_output) >= 0);
}

static bool is_sound(const struct npart__body *body, const struct npart__operator *op,
                     const struct npart__statement *statement)
{
    char name[64] = "";
    const char *list = statement->words, *end = list + statement->words_length, *word;
    size_t length;
    if (statement->op_length >= sizeof name || statement->outputs_length == 0)
        return false;
    memcpy(name, statement->op, statement->op_length);
    const struct npart__operator *inner = npart__operator_find("", name, *body->domain ? INT32_MAX : body->opset);
    while (inner && npart__next_part(&list, end, ' ', &word, &length)) {
        bool is_known = memchr(word, '=', length) ? is_attribute_word(op, inner, word, length)
                                                  : *word == '-' || is_made(op, word, length, body->body, word);
        if (!is_known)
            return false;
    }
    list = statement->conditions;
    while (npart__next_part(&list, statement->conditions + statement->conditions_length, '&', &word, &length))
        if (!is_condition(op, word, length))
            return false;
    return inner != NULL;
}

static void test_schema__bodies_are_sound(void)
{
    for (size_t i = 0; i < NPART__COUNT(bodies); i++) {
        const struct npart__operator *op = npart__operator_find(bodies[i].domain, bodies[i].name, bodies[i].since);
        REQUIRE(op && op->since == bodies[i].since && npart__operator_flags(op) & NPART__OPERATOR_FUNCTION);
        const char *at = bodies[i].body;
        struct npart__statement statement;
        unsigned values = 0;
        while (npart__next_statement(&at, &statement)) {
            bool ok = is_sound(&bodies[i], op, &statement);
            if (!ok)
                fprintf(stderr, "  %s: %.*s\n", bodies[i].name, (int)(at - statement.outputs), statement.outputs);
            CHECK(ok);
            values++;
        }
        CHECK(values <= NPART__LIMIT_BODY_VALUES);
        /* One without a body ends those before it. */
        bool is_end = i > 0 && strcmp(bodies[i - 1].name, bodies[i].name) == 0 && *bodies[i - 1].body && values == 0;
        CHECK(values > 0 || is_end);
    }
}

static void test_schema__bodies_of_some(void)
{
    const struct npart__operator *softmax = npart__operator_find("", "Softmax", 13);
    const struct npart__body *older = npart__body_find(softmax, 17), *newer = npart__body_find(softmax, 18);
    REQUIRE(older && newer && older != newer);
    CHECK(!npart__body_find(npart__operator_find("", "Softmax", 11), 11)); /* no function yet */
    CHECK(!npart__body_find(npart__operator_find("", "Conv", 11), 11) && !npart__body_find(NULL, 11));
    /* A fixed body asks that its operators are what they were: Constant is another one from opset 19 on. */
    CHECK(npart__body_find(npart__operator_find("", "Elu", 18), 18) != NULL);
    CHECK(!npart__body_find(npart__operator_find("", "Elu", 19), 19));
    CHECK(npart__body_find(npart__operator_find("", "HardSwish", 14), 17) != NULL);
    /* A body holds for later versions up to the next row. */
    CHECK(npart__body_find(npart__operator_find("", "CastLike", 25), 25) ==
          npart__body_find(npart__operator_find("", "CastLike", 19), 19));
    CHECK(npart__body_find(npart__operator_find("", "CastLike", 15), 18) !=
          npart__body_find(npart__operator_find("", "CastLike", 19), 19));
    CHECK(npart__body_find(npart__operator_find("", "ReduceLogSum", 18), 18) != NULL);
    CHECK(!npart__body_find(npart__operator_find("", "ReduceLogSum", 28), 28));
}

/* ---- types and counts ------------------------------------------------------------------------------------------ */

static void test_schema__types_of_some(void)
{
    struct npart__type_set set;
    const struct npart__operator *relu = npart__operator_find("", "Relu", 14);
    REQUIRE(relu && npart__operator_types(relu, "T", 1, &set));
    CHECK(set.tensor >> 1 & 1);      /* float32 */
    CHECK(!(set.tensor >> 8 & 1));   /* string */
    CHECK(!set.sequence && !set.optional && !set.has_map && !set.is_loose);
    CHECK(!npart__operator_types(relu, "T2", 2, &set));
    CHECK(!npart__operator_types(relu, "", 0, &set));
    REQUIRE(npart__operator_types(npart__operator_find("", "Loop", 16), "V", 1, &set));
    CHECK(set.is_loose && set.tensor && set.sequence && set.optional && set.optional_sequence);
    REQUIRE(npart__operator_types(npart__operator_find("ai.onnx.ml", "ZipMap", 1), "T", 1, &set));
    CHECK(set.has_map_sequence && !set.tensor);
}

static void test_schema__least_operands_are_within_the_operands(void)
{
    for (size_t i = 0; i < ROWS; i++) {
        struct npart__operand operand;
        CHECK(rows[i].least_inputs == 0 || npart__operator_input(&rows[i], rows[i].least_inputs - 1, &operand));
        CHECK(rows[i].least_outputs == 0 || npart__operator_output(&rows[i], rows[i].least_outputs - 1, &operand));
    }
    CHECK_INT(npart__operator_find("", "Clip", 13)->least_inputs, 1);
    CHECK_INT(npart__operator_find("", "Loop", 16)->least_inputs, 2);
}

static void test_schema__required_attributes(void)
{
    const char *at = NULL, *name = NULL;
    size_t length = 0;
    const struct npart__operator *branch = npart__operator_find("", "If", 16);
    REQUIRE(npart__operator_next_required(branch, &at, &name, &length));
    CHECK(length == 11 && memcmp(name, "else_branch", 11) == 0);
    REQUIRE(npart__operator_next_required(branch, &at, &name, &length));
    CHECK(length == 11 && memcmp(name, "then_branch", 11) == 0);
    CHECK(!npart__operator_next_required(branch, &at, &name, &length));
    at = NULL;
    CHECK(!npart__operator_next_required(npart__operator_find("", "Relu", 14), &at, &name, &length));
}

TESTS(test_schema__is_sorted_and_versions_ascend, test_schema__every_row_is_found,
      test_schema__every_version_of_some_operators, test_schema__what_is_not_there, test_schema__flags,
      test_schema__operands_of_some, test_schema__operands_by_name, test_schema__every_operand_parses,
      test_schema__attributes_of_some, test_schema__every_attribute_parses, test_schema__bodies_are_sound,
      test_schema__bodies_of_some, test_schema__types_of_some, test_schema__least_operands_are_within_the_operands,
      test_schema__required_attributes)
