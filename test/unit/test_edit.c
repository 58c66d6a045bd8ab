/* SPDX-License-Identifier: Apache-2.0
 *
 * The editor, on its own: results keep their names, what is unused goes, nodes are sorted, bodies are followed.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "edit/editor.h"
#include "support/model_text.h"
#include "support/test.h"

struct edited {
    struct npart__arena arena;
    struct npart__version version;
    struct npart__graph graph;
    struct npart__inference inference;
    struct npart__editor *editor;
    struct npart_error error;
};

static void analyse(struct edited *edited)
{
    static const struct npart__infer_options options;
    npart_status status = npart__version_graph(&edited->version, &edited->arena, &edited->graph, &edited->error);
    CHECK_INT(status, NPART_OK);
    CHECK_INT(npart__infer(&edited->graph, &options, &edited->arena, &edited->inference, &edited->error), NPART_OK);
}

static void begin(struct edited *edited, const char *text)
{
    static const struct npart__wire_options plain;
    struct bytes bytes = model_from_text(text);
    struct npart__source source;
    memset(edited, 0, sizeof *edited);
    npart__arena_init(&edited->arena, NULL);
    npart__source_open_memory(&source, bytes.data, bytes.size);
    CHECK_INT(npart__version_read(&source, &plain, &edited->arena, &edited->version, &edited->error), NPART_OK);
    npart__source_close(&source);
    bytes_free(&bytes);
    analyse(edited);
    bool *is_constant = npart__arena_zeroed(&edited->arena, edited->graph.values.count + 1u, sizeof *is_constant);
    for (uint32_t i = 0; i < edited->graph.values.count; i++)
        is_constant[i] = edited->inference.facts[i].is_constant;
    CHECK_INT(npart__editor_open(&edited->version, &edited->graph, &edited->inference, is_constant, &edited->arena,
                                 &edited->editor, &edited->error),
              NPART_OK);
}

static void end(struct edited *edited)
{
    CHECK_INT(npart__editor_pack(edited->editor, &edited->arena, &edited->version, &edited->error), NPART_OK);
    analyse(edited);
}

/* "Relu>h Not>y": nodes of a scope in the file's order, with their first results. */
static const char *nodes_of(const struct edited *edited, uint32_t scope)
{
    static char text[1024];
    const struct npart__graph *graph = &edited->graph;
    *text = 0;
    for (uint32_t i = 0; i < graph->scopes.items[scope].node_count; i++) {
        const struct npart__node *node = &graph->nodes.items[graph->scopes.items[scope].first_node + i];
        size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, "%s%s>%s", i ? " " : "", npart__node_op(graph, node),
                       npart__value_name(graph, npart__node_output(graph, node, 0)));
    }
    return text;
}

static uint32_t node_of(const struct edited *edited, const char *result)
{
    const struct npart__graph *graph = &edited->graph;
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        uint32_t value = npart__node_output(graph, &graph->nodes.items[i], 0);
        if (strcmp(npart__value_name(graph, value), result) == 0)
            return i;
    }
    return NPART_NONE;
}

static struct npart__site site_at(struct edited *edited, const char *result)
{
    struct npart__site site;
    CHECK(npart__site_begin(edited->editor, node_of(edited, result), "test", NPART_EQUAL_BITS, &site));
    return site;
}

static void test_edit__replaces(void)
{
    struct edited edited;
    begin(&edited, "input x float32[2]\nnode u = Sqrt(x)\nnode y = IsNaN(u) @checked\nnode z = Not(y)\n"
                   "output z bool[2]\n");
    struct npart__site site = site_at(&edited, "y");
    npart__finish(&site, 0, NPART__MAKE(&site, "Not", NPART__MAKE(&site, "Equal", "x", "x")));
    CHECK(npart__site_keep(&site));
    struct npart__site again = site_at(&edited, "y");
    npart__finish(&again, 0, "x");
    CHECK(!npart__site_keep(&again)); /* y has been replaced */
    end(&edited);
    CHECK_TEXT(nodes_of(&edited, 0), "Equal>y/test/Equal Not>y Not>z"); /* Sqrt is used by nobody any more */
    const struct npart__node *made = &edited.graph.nodes.items[node_of(&edited, "y")];
    CHECK_TEXT(made->name, "checked");
    CHECK_TEXT(npart__node_metadata(made, "npu_partition.rewrite"), "test");
    npart__arena_clear(&edited.arena);
}

static bool mentions(const struct edited *edited, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i + length <= edited->version.bytes; i++)
        if (memcmp(edited->version.data + i, name, length) == 0)
            return true;
    return false;
}

/* Nothing declares a value that is made no more; what is still made keeps its type. */
static void test_edit__forgets_types(void)
{
    struct edited edited;
    begin(&edited, "input x float32[2]\nvalue kept_value float32[2]\nvalue lost_value float32[2]\n"
                   "node kept_value = Relu(x)\nnode lost_value = Sqrt(x)\nnode y = Not(lost_value)\n"
                   "node z = Neg(kept_value)\noutput y\noutput z\n");
    CHECK(mentions(&edited, "lost_value"));
    struct npart__site site = site_at(&edited, "y");
    npart__finish(&site, 0, NPART__MAKE(&site, "Abs", "x"));
    CHECK(npart__site_keep(&site));
    end(&edited);
    CHECK(!mentions(&edited, "lost_value"));
    uint32_t kept = npart__node_output(&edited.graph, &edited.graph.nodes.items[node_of(&edited, "kept_value")], 0);
    CHECK(edited.graph.values.items[kept].declared != NULL);
    npart__arena_clear(&edited.arena);
}

static void test_edit__forgets(void)
{
    struct edited edited;
    begin(&edited, "input x float32[2]\nnode y = Relu(x)\noutput y float32[2]\n");
    struct npart__site site = site_at(&edited, "y");
    NPART__MAKE(&site, "Sqrt", "x");
    npart__site_drop(&site);
    end(&edited);
    CHECK_TEXT(nodes_of(&edited, 0), "Relu>y");
    npart__arena_clear(&edited.arena);
}

/* An operand, a constant, and one new result for two. */
static void test_edit__results(void)
{
    struct edited edited;
    begin(&edited, "input x float32[4]\ninit s int64[2] = 2 2\nnode a, b = Split(x, s)\nnode c = Add(a, b)\n"
                   "node d = Relu(x)\noutput c float32[2]\noutput d float32[4]\n");
    struct npart__site split = site_at(&edited, "a"), relu = site_at(&edited, "d");
    const char *half = npart__make_slice(&split, "x", 0, 0, 2, 1);
    npart__finish(&split, 0, half);
    npart__finish(&split, 1, half);
    CHECK(npart__site_keep(&split));
    npart__finish(&relu, 0, "x");
    CHECK(npart__site_keep(&relu));
    end(&edited);
    CHECK_TEXT(nodes_of(&edited, 0), "Slice>a Identity>b Add>c Identity>d");
    const struct npart__node *identity = &edited.graph.nodes.items[node_of(&edited, "b")];
    CHECK_TEXT(npart__value_name(&edited.graph, npart__node_input(&edited.graph, identity, 0)), "a");
    npart__arena_clear(&edited.arena);
}

/* The node makes another result, too, which stays. */
static void test_edit__keeps_other_results(void)
{
    struct edited edited;
    begin(&edited, "input x float32[4]\ninit k int64[1] = 2\nnode v, i = TopK(x, k)\nnode y = Relu(v)\n"
                   "output y float32[2]\noutput i int64[2]\n");
    struct npart__site site = site_at(&edited, "v");
    npart__finish(&site, 0, npart__make_slice(&site, "x", 0, 0, 2, 1));
    CHECK(npart__site_keep(&site));
    end(&edited);
    CHECK_TEXT(nodes_of(&edited, 0), "Slice>v TopK>v/unused Relu>y");
    npart__arena_clear(&edited.arena);
}

static void test_edit__bodies(void)
{
    struct edited edited;
    begin(&edited, "input x float32[2]\ninput c bool[]\nnode u = Sqrt(x)\nnode w = Abs(x)\n"
                   "graph yes\nnode p = IsNaN(u)\nnode q = Not(p)\noutput q bool[2]\nend\n"
                   "graph no\nnode r = IsNaN(w)\noutput r bool[2]\nend\n"
                   "node y = If(c) then_branch=graph yes else_branch=graph no\noutput y bool[2]\n");
    struct npart__site inner = site_at(&edited, "p");
    npart__finish(&inner, 0, NPART__MAKE(&inner, "Equal", "x", "x"));
    CHECK(npart__site_keep(&inner));
    end(&edited);
    CHECK_TEXT(nodes_of(&edited, 0), "Abs>w If>y"); /* what the branch used is gone, what the other uses is not */
    CHECK_TEXT(nodes_of(&edited, 1), "Equal>p Not>q");
    npart__arena_clear(&edited.arena);
}

/* New nodes stand where the site's node stood; what they use may be made later in the file. */
static void test_edit__sorts(void)
{
    struct edited edited;
    begin(&edited, "input x float32[2]\nnode y = Relu(x)\nnode z = Sqrt(x)\nnode a = Add(y, z)\noutput a float32[2]\n");
    struct npart__site site = site_at(&edited, "y");
    npart__finish(&site, 0, NPART__MAKE(&site, "Abs", "z"));
    CHECK(npart__site_keep(&site));
    end(&edited);
    CHECK_TEXT(nodes_of(&edited, 0), "Sqrt>z Abs>y Add>a");
    npart__arena_clear(&edited.arena);
}

static void test_edit__constants(void)
{
    static const int types[] = {1, 10, 16, 11, 6, 7, 2, 9};
    static const double numbers[] = {0, 1, 0.1, 65520, 5.960464477539063e-8, 3};
    struct edited edited;
    for (size_t t = 0; t < NPART__COUNT(types); t++) {
        begin(&edited, "input x float32[2]\nnode y = Relu(x)\noutput y float32[2]\n");
        struct npart__site site = site_at(&edited, "y");
        const int64_t dims[] = {2, 3};
        npart__finish(&site, 0, npart__make_constant(&site, types[t], dims, 2, numbers));
        CHECK(npart__site_keep(&site));
        end(&edited);
        double found[6];
        const struct npart__tensor *tensor = edited.graph.values.items[0].tensor;
        for (uint32_t i = 0; i < edited.graph.values.count; i++)
            if (edited.graph.values.items[i].tensor)
                tensor = edited.graph.values.items[i].tensor;
        CHECK_INT(tensor->element_type, types[t]);
        CHECK(npart__tensor_doubles(tensor, found, 6));
        CHECK_INT(found[1] * 1000, 1000);
        CHECK_INT(found[2] * 100000, types[t] == 1 || types[t] == 11 ? 10000 : types[t] == 10 ? 9997
                                     : types[t] == 16                ? 10009
                                     : types[t] == 9                 ? 100000
                                                                     : 0);
        if (types[t] == 10) {
            CHECK(found[3] > 65520); /* infinite: halfway past the largest number */
            CHECK(found[4] == numbers[4]); /* the smallest one */
        }
        npart__arena_clear(&edited.arena);
    }
}

/* One type after the other: the largest number that fits, the first that does not, and the same below 0. */
static void test_edit__binds_what_fits(void)
{
    static const struct {
        const char *model;
        double least, most; /* what fits; a fraction beyond is dropped */
    } types[] = {
        {"input x uint8[2]\n", 0, 255.5},      {"input x int8[2]\n", -128.5, 127},
        {"input x int32[2]\n", -2147483648.0, 2147483647.0},
        {"input x int64[2]\n", -0x1p63, 0x1.fffffffffffffp62},
        {"input x uint64[2]\n", 0, 0x1.fffffffffffffp63},
    };
    static const double never[] = {NAN, INFINITY, -INFINITY, 1e30, -1e30};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        char model[100];
        struct edited edited;
        const double past[] = {trunc(nextafter(types[t].most, INFINITY)) + 1, trunc(types[t].least) * 2 - 1};
        const double fit[] = {types[t].least, types[t].most};
        (void)snprintf(model, sizeof model, "%snode y = Identity(x)\noutput y\n", types[t].model);
        begin(&edited, model);
        for (size_t i = 0; i < sizeof never / sizeof *never; i++)
            CHECK_INT(npart__editor_bind_value(edited.editor, "x", &never[i], 1, &edited.error), NPART_ERROR_ARGUMENT);
        for (size_t i = 0; i < sizeof past / sizeof *past; i++) {
            const double numbers[] = {1, past[i]};
            CHECK_INT(npart__editor_bind_value(edited.editor, "x", numbers, 2, &edited.error), NPART_ERROR_ARGUMENT);
            CHECK(strstr(edited.error.message, "number 2 cannot be of type"));
        }
        CHECK_INT(npart__editor_bind_value(edited.editor, "x", fit, 2, &edited.error), NPART_OK);
        end(&edited);
        npart__arena_clear(&edited.arena);
    }
}

/* Floats of 8 bits and complex numbers: bits that nobody here knows how to write. */
static void test_edit__binds_no_other_types(void)
{
    static const char *const types[] = {"float8e4m3fn", "float8e5m2", "float8e8m0", "complex64", "complex128",
                                        "string", "int4"};
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        char model[100];
        const double number = 1;
        struct edited edited;
        (void)snprintf(model, sizeof model, "input x %s[2]\nnode y = Identity(x)\noutput y\n", types[t]);
        begin(&edited, model);
        CHECK_INT(npart__editor_bind_value(edited.editor, "x", &number, 1, &edited.error), NPART_ERROR_ARGUMENT);
        CHECK(strstr(edited.error.message, "cannot be given a value"));
        end(&edited);
        npart__arena_clear(&edited.arena);
    }
}

static void test_edit__declares(void)
{
    static const struct npart_dim_binding binding = {.name = "n", .size = 3};
    struct edited edited;
    begin(&edited, "input x float32[n,2]\ninput f bool[1]\nvalue h float32[n,2]\nnode h = Relu(x)\nnode s = Sqrt(h)\n"
                   "graph yes\nnode p = Abs(s)\noutput p float32[n,2]\nend\n"
                   "graph no\nnode r = Neg(s)\noutput r float32[n,2]\nend\n"
                   "node y = If(f) then_branch=graph yes else_branch=graph no\noutput y float32[n,2]\n");
    const double yes[] = {1};
    bool changed;
    CHECK_INT(npart__editor_bind_value(edited.editor, "z", yes, 1, &edited.error), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart__editor_bind_value(edited.editor, "x", yes, 1, &edited.error), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart__editor_bind_value(edited.editor, "f", yes, 1, &edited.error), NPART_OK);
    CHECK(npart__editor_declare(edited.editor, &edited.inference, false, &changed));
    CHECK(!changed);
    const struct npart__infer_options options = {.bindings = &binding, .binding_count = 1};
    CHECK_INT(npart__infer(&edited.graph, &options, &edited.arena, &edited.inference, &edited.error), NPART_OK);
    CHECK(npart__editor_declare(edited.editor, &edited.inference, true, &changed));
    CHECK(changed);
    end(&edited);
    CHECK_INT(edited.graph.scopes.items[0].input_count, 1);
    for (uint32_t i = 0; i < edited.graph.values.count; i++) {
        const struct npart__value *value = &edited.graph.values.items[i];
        if (value->scope == 0 && value->kind != NPART__VALUE_INITIALIZER)
            CHECK_INT(value->declared->dims[0].value, 3); /* s too, which the file did not declare */
    }
    npart__arena_clear(&edited.arena);
}

/* Metadata goes on to what takes a node's place, but for what is very long. */
static void test_edit__long_metadata(void)
{
    static char entry[9000];
    struct edited edited;
    begin(&edited, "input x float32[2]\nnode y = IsNaN(x)\noutput y bool[2]\n");
    memset(entry, 'm', sizeof entry - 1);
    CHECK(npart__editor_note(edited.editor, 0, "long", entry));
    entry[8192] = '\0';
    CHECK(npart__editor_note(edited.editor, 0, "shorter", entry));
    struct npart__site site = site_at(&edited, "y");
    npart__finish(&site, 0, NPART__MAKE(&site, "Equal", "x", "x"));
    CHECK(npart__site_keep(&site));
    end(&edited);
    const struct npart__node *made = &edited.graph.nodes.items[0];
    CHECK(!npart__node_metadata(made, "long"));
    CHECK_TEXT(npart__node_metadata(made, "shorter"), entry);
    npart__arena_clear(&edited.arena);
}

/* Operands of a scope's nodes, "a,b c". */
static const char *operands_of(const struct edited *edited, uint32_t scope)
{
    static char text[1024];
    const struct npart__graph *graph = &edited->graph;
    *text = 0;
    for (uint32_t i = 0; i < graph->scopes.items[scope].node_count; i++) {
        const struct npart__node *node = &graph->nodes.items[graph->scopes.items[scope].first_node + i];
        for (uint32_t k = 0; k < node->input_count; k++) {
            size_t used = strlen(text);
            (void)snprintf(text + used, sizeof text - used, "%s%s", k ? "," : i ? " " : "",
                           npart__value_name(graph, npart__node_input(graph, node, k)));
        }
    }
    return text;
}

/* "out" becomes what was "s"; both are used by others, in bodies too, one of which has an "s" of its own. "same"
 * becomes it as well, and "given" an input. */
static void test_edit__other_outputs(void)
{
    static const struct npart__new_output outputs[] = {
        {"out", "s", 0, 2}, {"same", "s", 0, 2}, {"given", "x", 0, 2}, {"last", "out", 0, 3}};
    struct edited edited;
    begin(&edited, "input x float32[n]\ninput c bool[]\n"
                   "graph yes\nnode a = Add(s, out)\noutput a float32[n]\nend\n"
                   "graph no\nnode s = Neg(out)\nnode b = Add(s, out)\noutput b float32[n]\nend\n"
                   "node s = Abs(x)\nnode out = Sqrt(s)\nnode same = Exp(out)\nnode given = Log(out)\n"
                   "node last = Add(s, same)\n"
                   "node y = If(c) then_branch=graph yes else_branch=graph no\n"
                   "output out float32[n]\noutput same float32[n]\noutput given float32[n]\n"
                   "output last float32[n]\noutput y float32[n]\n");
    CHECK(npart__editor_set_outputs(edited.editor, outputs, NPART__COUNT(outputs)));
    end(&edited);
    CHECK_TEXT(nodes_of(&edited, 0), "Abs>out Sqrt>out/all If>y Identity>same Identity>given Identity>last");
    CHECK_TEXT(operands_of(&edited, 0), "x out c out x out/all");
    CHECK_TEXT(operands_of(&edited, 1), "out,out/all");
    CHECK_TEXT(operands_of(&edited, 2), "out/all s,out/all");
    uint32_t last = node_of(&edited, "last");
    CHECK(npart__value_at(&edited.graph, npart__node_output(&edited.graph, npart__node_at(&edited.graph, last), 0))
              ->declared->dims[0].value == 3);
    npart__arena_clear(&edited.arena);
}

/* Ports that go, the same name listed twice, and a size that an input has from here on. */
static void test_edit__other_ports(void)
{
    struct edited edited;
    begin(&edited, "input x float32[n,m]\ninput idle float32[n]\nnode y = Relu(x)\nnode z = Neg(x)\n"
                   "output y float32[n,m]\noutput z float32[n,m]\noutput z float32[n,m]\n");
    const struct npart__scope *scope = npart__scope_at(&edited.graph, 0);
    const uint32_t *operands = edited.graph.operands.items;
    const struct npart__new_size size = {operands[scope->first_input], 1, 7};
    CHECK(npart__editor_set_input_sizes(edited.editor, &size, 1));
    CHECK(npart__editor_drop_ports(edited.editor, operands + scope->first_input + 1, 1,
                                   operands + scope->first_output + 1, 1));
    end(&edited);
    scope = npart__scope_at(&edited.graph, 0);
    CHECK_TEXT(nodes_of(&edited, 0), "Relu>y");
    CHECK(scope->input_count == 1 && scope->output_count == 1 && !mentions(&edited, "idle"));
    CHECK_INT(npart__value_at(&edited.graph, edited.graph.operands.items[scope->first_input])->declared->dims[1].value,
              7);
    npart__arena_clear(&edited.arena);
}

TESTS(test_edit__replaces, test_edit__forgets_types, test_edit__forgets, test_edit__results,
      test_edit__keeps_other_results, test_edit__bodies, test_edit__sorts, test_edit__constants,
      test_edit__binds_what_fits, test_edit__binds_no_other_types, test_edit__declares, test_edit__long_metadata,
      test_edit__other_outputs, test_edit__other_ports)
