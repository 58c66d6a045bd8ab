/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators with operands and attributes that make no sense: whatever they say, inference ends, and what it knows is
 * well formed. SEED in the environment runs one model and prints it.
 */
#include <stdarg.h>

#include "infer/families.h"
#include "support/built.h"
#include "support/test.h"

#define MODELS_PER_ROW 12

static uint64_t random_state;

static uint32_t below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

#define PICK(list) ((list)[below((uint32_t)(sizeof(list) / sizeof((list)[0])))])

static char model[16384];
static size_t used;

static void put(const char *format, ...)
{
    va_list list;
    va_start(list, format);
    int length = vsnprintf(model + used, sizeof model - used, format, list);
    va_end(list);
    REQUIRE(length >= 0 && used + (size_t)length < sizeof model);
    used += (size_t)length;
}

/* ---- values -------------------------------------------------------------------------------------------------- */

static void put_type(void)
{
    static const char *const types[] = {"float32", "int64", "int32", "bool", "uint8", "float16", "string", "?"};
    static const char *const dims[] = {"0", "1", "2", "3", "4", "n", "m", "?", "2*n", "9223372036854775807"};
    put("%s", PICK(types));
    if (below(8) == 0)
        return;
    uint32_t rank = below(6);
    put("[");
    for (uint32_t i = 0; i < rank; i++)
        put("%s%s", i ? "," : "", PICK(dims));
    put("]");
}

static const char *number(void)
{
    static const char *const numbers[] = {
        "-1", "0", "1", "2", "3", "4", "-2", "7", "-3", "64", "65", "1000", "9223372036854775807",
        "-9223372036854775808"};
    return below(4) ? numbers[below(7)] : PICK(numbers);
}

static void put_tensor(void)
{
    static const char *const types[] = {"int64", "int64", "int32", "bool", "float32", "uint8"};
    uint32_t rank = below(3), elements = 1;
    put("%s[", PICK(types));
    for (uint32_t i = 0; i < rank; i++) {
        uint32_t dim = below(5);
        put("%s%u", i ? "," : "", dim);
        elements *= dim;
    }
    put("] =");
    for (uint32_t i = 0; i < elements; i++)
        put(" %s", number());
}

static const char *const values[] = {"i0", "i1", "i2", "i3", "k0", "k1", "k2", "k3", "k4", "s", "o", "e", ""};

static void put_values(void)
{
    for (int i = 0; i < 4; i++) {
        put("input i%d ", i);
        put_type();
        put("\n");
    }
    for (int i = 0; i < 5; i++) {
        put("init k%d ", i);
        put_tensor();
        put("\n");
    }
    put("node s = SequenceConstruct(i0, i1)\nnode o = Optional(i0)\nnode e = SequenceEmpty()\n");
}

static void put_body(void)
{
    uint32_t inputs = below(4), outputs = below(4);
    put("graph body\n");
    for (uint32_t i = 0; i < inputs; i++) {
        put("input b%u ", i);
        put_type();
        put("\n");
    }
    put("node c0 = Identity(%s)\n", inputs ? "b0" : "i0");
    put("node c1 = Concat(%s, i1) axis=0\n", inputs > 1 ? "b1" : "i2");
    put("node c2 = Shape(%s)\n", inputs > 2 ? "b2" : "i2");
    for (uint32_t i = 0; i < outputs; i++)
        put("output c%u\n", i < 3 ? i : 0);
    put("end\n");
}

/* ---- nodes --------------------------------------------------------------------------------------------------- */

static void put_list(char kind)
{
    static const char *const texts[] = {"a", "SAME_UPPER", ""};
    uint32_t count = below(5);
    put("[");
    for (uint32_t i = 0; i < count; i++) {
        if (kind == 'S')
            put("%s\"%s\"", i ? "," : "", PICK(texts));
        else if (kind == 'F')
            put("%s%d.5", i ? "," : "", (int)below(5) - 2);
        else
            put("%s%s", i ? "," : "", number());
    }
    put("]");
}

static void put_attribute(char kind)
{
    static const char *const texts[] = {"SAME_UPPER", "VALID", "bidirectional", "none", "ij,jk->ik", "...ij", "->",
                                        "i", "i...->...", "add", "not_larger", "FLOAT", ""};
    if (below(12) == 0)
        kind = "ifsIFSt"[below(7)]; /* of a kind that nobody expects */
    if (kind == 'i')
        put("%s", number());
    else if (kind == 'f')
        put("%d.5", (int)below(5) - 2);
    else if (kind == 's')
        put("\"%s\"", PICK(texts));
    else if (kind == 't') {
        put("tensor ");
        put_tensor();
    } else if (kind == 'g')
        put("graph body");
    else
        put_list(kind == 'F' || kind == 'S' ? kind : 'I');
}

static void put_attributes(const struct npart__operator *op)
{
    const char *at = op ? op->attributes : "";
    bool has_tensor = false; /* its numbers go to the end of the line */
    while (*at) {
        size_t length = strcspn(at, "= ");
        char kind = at[length] == '=' ? at[length + 1] : 'i';
        bool is_tensor = kind == 't';
        if (below(3) && !has_tensor && !is_tensor) {
            put(" %.*s=", (int)length, at);
            size_t before = used;
            put_attribute(kind);
            has_tensor = strncmp(model + before, "tensor", 6) == 0;
        }
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    if (op && !has_tensor && strstr(op->attributes, "value=t") && below(2)) {
        put(" value=tensor ");
        put_tensor();
    }
}

static void put_node(const struct npart__infer_row *row, const struct npart__operator *op)
{
    struct npart__operand operand;
    unsigned inputs = 0, outputs = 0;
    while (npart__operator_input(op, inputs, &operand) && inputs < 12 && !operand.is_variadic)
        inputs++;
    while (npart__operator_output(op, outputs, &operand) && outputs < 5 && !operand.is_variadic)
        outputs++;
    inputs = below(4) ? inputs + below(3) : below(8);
    outputs = 1 + below(outputs + 2);
    put("node");
    for (unsigned i = 0; i < outputs; i++)
        put("%s y%u", i ? "," : "", i);
    put(" = %s%s%s(", row->domain, *row->domain ? ":" : "", row->name);
    for (unsigned i = 0; i < inputs; i++)
        put("%s%s", i ? ", " : "", PICK(values));
    put(")");
    put_attributes(op);
    put("\n");
}

/* ---- what must hold ------------------------------------------------------------------------------------------ */

static bool is_well_formed(const struct npart__inference *inference, const struct npart__fact *fact)
{
    uint64_t elements;
    if (fact->kind > NPART__TYPE_OPAQUE || npart__type_name(fact->element_type) == NULL)
        return false;
    if (fact->has_rank && (fact->rank > NPART__LIMIT_RANK || (fact->rank && !fact->dims)))
        return false;
    for (uint32_t i = 0; fact->has_rank && i < fact->rank; i++)
        if (fact->dims[i] == NPART__UNKNOWN || (npart__is_number(fact->dims[i]) && fact->dims[i] < 0))
            return false;
    if (fact->known && npart__static_elements(fact, &elements) && elements != fact->known->count)
        return false;
    if (fact->known && !fact->known->ints == !fact->known->doubles && fact->known->count)
        return fact->known->ints != NULL;
    for (uint32_t i = 0; fact->items && i < fact->items->count; i++)
        if (!is_well_formed(inference, &fact->items->facts[i]))
            return false;
    return !fact->element || is_well_formed(inference, fact->element);
}

static const char *run_model(void)
{
    struct built built;
    struct npart__inference inference;
    struct npart__infer_options options = {0};
    const char *problem = NULL;
    build_text(&built, model);
    if (built.status == NPART_OK) {
        struct npart__buffer text;
        npart__buffer_init(&text, &built.arena);
        if (npart__infer(&built.graph, &options, &built.arena, &inference, &built.error) != NPART_OK)
            problem = "inference fails";
        for (uint32_t i = 0; !problem && i < built.graph.values.count; i++) {
            (void)npart__elements(&inference, &inference.facts[i]);
            if (!is_well_formed(&inference, &inference.facts[i]))
                problem = npart__value_name(&built.graph, i);
            npart__append_fact(&text, &inference.expressions, &inference.facts[i]);
        }
    }
    static char kept[128];
    (void)snprintf(kept, sizeof kept, "%s", problem ? problem : "");
    built_close(&built);
    return problem ? kept : NULL;
}

static void make_model(uint64_t seed)
{
    const struct npart__infer_row *row = &npart__infer_rows[seed % npart__infer_row_count];
    size_t versions;
    const struct npart__operator *op = npart__operator_versions(row->domain, row->name, &versions);
    random_state = seed * 0x9e3779b97f4a7c15u + 1;
    used = 0;
    op = op ? op + below((uint32_t)versions) : NULL;
    put("opset %d\n", !op || *row->domain ? 17 : op->since);
    if (*row->domain)
        put("opset %s %d\n", row->domain, op ? op->since : 1);
    put_body();
    put_values();
    if (op)
        put_node(row, op);
    put("node z = Shape(y0)\noutput z\n");
}

static void test_infer_garbage__is_survived(void)
{
    const char *given = getenv("SEED");
    uint64_t first = given ? strtoull(given, NULL, 10) : 0;
    uint64_t count = given ? 1 : MODELS_PER_ROW * (uint64_t)npart__infer_row_count;
    for (uint64_t seed = first; seed < first + count && !test_failures; seed++) {
        make_model(seed);
        if (given)
            fputs(model, stderr);
        const char *problem = run_model();
        if (problem) {
            fprintf(stderr, "%s\n%s\nagain: SEED=%llu\n", problem, model, (unsigned long long)seed);
            test_failures++;
        }
    }
}

TESTS(test_infer_garbage__is_survived)
