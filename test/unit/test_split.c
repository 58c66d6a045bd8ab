/* SPDX-License-Identifier: Apache-2.0
 *
 * What a plan says, as models: parts of one, and the model with notes at its nodes. What the parts compute is held
 * against the whole by make fidelity-split.
 */
#if !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700
#endif
#include <sys/stat.h>
#include <unistd.h>

#include "support/analysis.h"
#include "support/counted.h"
#include "support/rewritten.h"
#include "support/test.h"

static const char text[] = "graph inner\n"
                           "node q = Mul(b, w) @in\n"
                           "output q float32[8,8]\n"
                           "end\n"
                           "graph other\n"
                           "init w float32[1] = 2\n"
                           "node r = Add(b, w)\n"
                           "output r float32[8,8]\n"
                           "end\n"
                           "input x float32[8,8]\n"
                           "input c bool[]\n"
                           "init w float32[1] = 1\n"
                           "init zero int64[1] = 0\n"
                           "node k = Neg(w) @constant\n"
                           "node a = Mul(x, k) @first\n"
                           "node s = Shape(a) @size\n"
                           "node b = Erf(a) @middle\n"
                           "node d = If(c) then_branch=graph inner else_branch=graph other @either\n"
                           "node e = Mul(d, k) @last\n"
                           "node f = Reshape(e, s) @shaped\n"
                           "node unused = Relu(a) @unused\n"
                           "output f\n"
                           "output a\n";

static const char list[] = "format 1\ntarget small\nop Mul Neg Relu Reshape Shape\n";

struct work {
    struct model_folder at;
    char out[128];
    struct analysis analysis;
    struct npart_error error;
};

static void begin_with(struct work *work, const char *lines)
{
    struct bytes model = model_from_text(lines);
    memset(work, 0, sizeof *work);
    model_folder_begin(&work->at, &model);
    (void)snprintf(work->out, sizeof work->out, "%s/parts", work->at.folder);
    analysis_open(&work->analysis, lines, list, NULL, NULL);
}

static void begin(struct work *work)
{
    begin_with(work, text);
}

static void end(struct work *work)
{
    analysis_close(&work->analysis);
    model_folder_end(&work->at);
}

static Onnx__ModelProto *read_part(const struct work *work, const char *name)
{
    char path[160];
    (void)snprintf(path, sizeof path, "%s/%s", work->out, name);
    struct bytes bytes = file_bytes(path);
    Onnx__ModelProto *model = onnx__model_proto__unpack(NULL, bytes.size, bytes.data);
    REQUIRE(model);
    bytes_free(&bytes);
    return model;
}

/* "first, size | x -> a | w" of nodes (of one without a name, the operator), inputs, outputs and initializers. */
static const char *part_text(const struct work *work, const char *name)
{
    static char line[400];
    Onnx__ModelProto *model = read_part(work, name);
    const Onnx__GraphProto *graph = model->graph;
    size_t used = 0;
    for (size_t i = 0; i < graph->n_node; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, "%s ",
                                 graph->node[i]->name ? graph->node[i]->name : graph->node[i]->op_type);
    used += (size_t)snprintf(line + used, sizeof line - used, "|");
    for (size_t i = 0; i < graph->n_input; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, " %s", graph->input[i]->name);
    used += (size_t)snprintf(line + used, sizeof line - used, " ->");
    for (size_t i = 0; i < graph->n_output; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, " %s", graph->output[i]->name);
    used += (size_t)snprintf(line + used, sizeof line - used, " |");
    for (size_t i = 0; i < graph->n_initializer; i++)
        used += (size_t)snprintf(line + used, sizeof line - used, " %s", graph->initializer[i]->name);
    onnx__model_proto__free_unpacked(model, NULL);
    return line;
}

/* Constants are computed in each part that needs them, sizes are numbers, what nobody needs is nowhere, and bodies
 * take what they use. */
static void test_split__parts(void)
{
    struct work work;
    begin(&work);
    CHECK_INT(npart_plan_split(work.analysis.plan, work.at.path, work.out, NPART_WEIGHTS_STAY, &work.error), NPART_OK);
    CHECK_TEXT(part_text(&work, "00-npu.onnx"), "constant first | x -> a | w");
    CHECK_TEXT(part_text(&work, "01-cpu.onnx"), "middle either | a c -> d | w");
    CHECK_TEXT(part_text(&work, "02-npu.onnx"), "constant last shaped | d -> f | w s");
    Onnx__ModelProto *last = read_part(&work, "02-npu.onnx");
    const Onnx__TensorProto *size = last->graph->initializer[1];
    CHECK(size->data_type == 7 && size->n_dims == 1 && size->dims[0] == 2 && size->raw_data.len == 16);
    CHECK(size->raw_data.len == 16 && size->raw_data.data[0] == 8 && size->raw_data.data[8] == 8);
    CHECK(last->graph->output[0]->type->tensor_type->shape->dim[1]->dim_value == 8);
    onnx__model_proto__free_unpacked(last, NULL);
    /* Again, over what is there: the same. */
    CHECK_INT(npart_plan_split(work.analysis.plan, work.at.path, work.out, NPART_WEIGHTS_STAY, &work.error), NPART_OK);
    end(&work);
}

/* What is told once it was written. */
static void test_split__told(void)
{
    struct work work;
    struct sink json = {0}, told = {0};
    begin(&work);
    struct npart_plan_pair pair = {.plan = work.analysis.plan};
    struct npart_subject subject = {.size = sizeof subject, .kind = NPART_SUBJECT_PARTS, .plans = &pair, .count = 1,
                                    .model = "m.onnx", .manifest = "{\"schema\": 1,\n \"parts\": []}\n"};
    CHECK_INT(npart_report(&subject, NPART_FORMAT_JSON, NULL, sink_write, &json, &work.error), NPART_ERROR_ARGUMENT);
    CHECK_TEXT(work.error.message, "written must not be NULL");
    subject.written = "parts";
    CHECK_INT(npart_report(&subject, NPART_FORMAT_JSON, NULL, sink_write, &json, &work.error), NPART_OK);
    CHECK(strstr(json.text, "{\"schema\":2,\"command\":\"split\",\"model\":\"m.onnx\","));
    CHECK(strstr(json.text, "}],\"manifest\":{\"schema\": 1, \"parts\": []}}\n"));
    CHECK_INT(npart_report(&subject, NPART_FORMAT_TEXT, NULL, sink_write, &told, &work.error), NPART_OK);
    CHECK(strstr(told.text, " on the NPU; the parts and their order: parts/manifest.json\n"));
    sink_clear(&json);
    subject.manifest = NULL;
    CHECK_INT(npart_report(&subject, NPART_FORMAT_JSON, NULL, sink_write, &json, &work.error), NPART_OK);
    CHECK(strstr(json.text, "\"command\":\"annotate\"") && !strstr(json.text, "manifest"));
    sink_clear(&json);
    sink_clear(&told);
    end(&work);
}

/* Before IR version 4 initializers had to be inputs: known numbers are Constants, before the nodes that use them. */
static void test_split__constants_of_old_files(void)
{
    struct work work;
    begin_with(&work, "ir 3\ninput x float32[8,8]\ninput w float32[1]\ninit w float32[1] = 1\n"
                      "node a = Mul(x, w) @first\nnode s = Shape(a) @size\nnode b = Erf(a) @middle\n"
                      "node f = Reshape(b, s) @shaped\noutput f\n");
    CHECK_INT(npart_plan_split(work.analysis.plan, work.at.path, work.out, NPART_WEIGHTS_STAY, &work.error), NPART_OK);
    CHECK_TEXT(part_text(&work, "02-npu.onnx"), "Constant shaped | b -> f |");
    Onnx__ModelProto *last = read_part(&work, "02-npu.onnx");
    CHECK_INT(last->ir_version, 3);
    CHECK_TEXT(last->graph->node[0]->output[0], "s");
    CHECK_INT(last->graph->node[0]->attribute[0]->t->raw_data.len, 16);
    onnx__model_proto__free_unpacked(last, NULL);
    end(&work);
}

/* What has a default need not be given, in whatever form the default is: such an input is in no manifest. */
static void test_split__sparse_defaults(void)
{
    static const char lines[] = "input x float32[8]\ninput d float32[8]\ninit d float32[8] = 0 0 0 5 0 0 0 0\n"
                                "node y = Mul(x, d) @first\noutput y\n";
    struct work work;
    char path[160];
    begin_with(&work, lines);
    struct bytes bytes = model_from_text(lines);
    Onnx__ModelProto *model = onnx__model_proto__unpack(NULL, bytes.size, bytes.data);
    REQUIRE(model);
    bytes_free(&bytes);
    /* The default becomes one number at place 3. */
    uint8_t three[8] = {3};
    int64_t one = 1, eight = 8;
    float five = 5;
    Onnx__TensorProto values = ONNX__TENSOR_PROTO__INIT, indices = ONNX__TENSOR_PROTO__INIT;
    Onnx__SparseTensorProto sparse = ONNX__SPARSE_TENSOR_PROTO__INIT, *sparses[] = {&sparse};
    values.name = model->graph->initializer[0]->name;
    values.has_data_type = indices.has_data_type = indices.has_raw_data = 1;
    values.data_type = 1;
    indices.data_type = 7;
    values.n_dims = indices.n_dims = values.n_float_data = sparse.n_dims = 1;
    values.dims = indices.dims = &one;
    sparse.dims = &eight;
    values.float_data = &five;
    indices.raw_data = (ProtobufCBinaryData){sizeof three, three};
    sparse.values = &values;
    sparse.indices = &indices;
    size_t dense = model->graph->n_initializer;
    model->graph->n_initializer = 0;
    model->graph->n_sparse_initializer = 1;
    model->graph->sparse_initializer = sparses;
    bytes.size = bytes.capacity = onnx__model_proto__get_packed_size(model);
    bytes.data = malloc(bytes.size);
    REQUIRE(bytes.data);
    onnx__model_proto__pack(model, bytes.data);
    model->graph->n_initializer = dense;
    model->graph->n_sparse_initializer = 0;
    model->graph->sparse_initializer = NULL;
    onnx__model_proto__free_unpacked(model, NULL);
    analysis_close(&work.analysis);
    FILE *file = fopen(work.at.path, "wb");
    REQUIRE(file && fwrite(bytes.data, 1, bytes.size, file) == bytes.size && fclose(file) == 0);
    bytes_free(&bytes);
    struct analysis *analysis = &work.analysis;
    REQUIRE(npart_model_read_file(&analysis->model, work.at.path, NULL, &work.error) == NPART_OK &&
            npart_inference_make(&analysis->inference, analysis->model, NULL, &work.error) == NPART_OK &&
            npart_oplist_read_memory(&analysis->oplist, list, strlen(list), "l", NULL, &work.error) == NPART_OK &&
            npart_plan_make(&analysis->plan, analysis->inference, analysis->oplist, NULL, NULL, &work.error) ==
                NPART_OK);
    CHECK_INT(npart_plan_split(analysis->plan, work.at.path, work.out, NPART_WEIGHTS_STAY, &work.error), NPART_OK);
    (void)snprintf(path, sizeof path, "%s/manifest.json", work.out);
    bytes = file_bytes(path);
    bytes_put(&bytes, "", 1);
    const char *text_of_it = (const char *)bytes.data;
    CHECK(strstr(text_of_it, "\"inputs\": [{\"name\": \"x\"") && !strstr(text_of_it, "\"name\": \"d\""));
    bytes_free(&bytes);
    end(&work);
}

/* A part there is always, also where nothing has to be computed. */
static void test_split__constants_alone(void)
{
    struct work work;
    begin_with(&work, "init w float32[1] = 1\nnode k = Neg(w) @constant\noutput k\n");
    CHECK_INT(npart_plan_split(work.analysis.plan, work.at.path, work.out, NPART_WEIGHTS_STAY, &work.error), NPART_OK);
    CHECK_TEXT(part_text(&work, "00-cpu.onnx"), "constant | -> k | w");
    end(&work);
}

/* Sizes that are named, told by nobody or not known at all, numbers of other types, and results that are inputs. */
static void test_split__values_of_all_kinds(void)
{
    struct work work;
    begin_with(&work, "opset 17\nopset my 1\ninput x float32[batch,8]\ninput unused float32[2]\n"
                      "init w float32[8] = 1 2 3 4 5 6 7 8\ninit seven int64[] = 7\ninit none int64[] = 0\n"
                      "value q float32\nvalue a float32[batch,8]\n"
                      "node a = Mul(x, w) @first\n"
                      "node s = Shape(a) @size\n"
                      "node e = Erf(a) @erf\n"
                      "node n = NonZero(e) @found\n"
                      "node q = my:Op(e) @own\n"
                      "node c = Shape(w) @eight\n"
                      "node i = Cast(c) to=6 @narrow\n"
                      "node is = Greater(c, seven) @truth\n"
                      "node r = Mul(q, q) @square\n"
                      "node t = Neg(n) @minus\n"
                      "node v = Reshape(e, s) @shaped\n"
                      "node o = Neg(i) @negative\n"
                      "node u = Not(is) @other\n"
                      "node z = Mul(o, i) @product\n"
                      "output r\noutput t\noutput v\noutput z\noutput u\noutput x\noutput w\noutput i\n");
    CHECK_INT(npart_plan_split(work.analysis.plan, work.at.path, work.out, NPART_WEIGHTS_STAY, &work.error), NPART_OK);
    CHECK_TEXT(part_text(&work, "00-npu.onnx"), "first size | x -> z u w i a s | w z u i");
    CHECK_TEXT(part_text(&work, "01-cpu.onnx"), "erf found own | a -> q n e |");
    CHECK_TEXT(part_text(&work, "02-npu.onnx"), "square minus shaped | q n e s -> r t v |");
    Onnx__ModelProto *first = read_part(&work, "00-npu.onnx"), *last = read_part(&work, "02-npu.onnx");
    const Onnx__TensorProto *product = first->graph->initializer[1], *other = first->graph->initializer[2];
    CHECK(product->data_type == 6 && product->raw_data.len == 4 && product->raw_data.data[0] == 0xc0);
    CHECK(other->data_type == 9 && other->raw_data.len == 1 && other->raw_data.data[0] == 0);
    CHECK(first->graph->n_value_info == 1);
    Onnx__ValueInfoProto **inputs = last->graph->input;
    CHECK(!inputs[0]->type->tensor_type->shape);
    CHECK_INT(inputs[1]->type->tensor_type->shape->dim[1]->value_case,
              ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE__NOT_SET);
    CHECK_TEXT(inputs[2]->type->tensor_type->shape->dim[0]->dim_param, "batch");
    onnx__model_proto__free_unpacked(first, NULL);
    onnx__model_proto__free_unpacked(last, NULL);
    end(&work);
}

/* A part that takes a value of which nobody knows the type would not load. */
static void test_split__values_without_a_type(void)
{
    static const char *const rows[][2] = {
        {"opset 17\nopset my 1\ninput x float32[2]\nnode q = my:Op(x)\nnode y = Neg(q)\noutput y\n", "q"},
        {"opset 17\ninput x float32[2]\ninit zero int64[] = 0\nnode e = Erf(x)\nnode all = SequenceConstruct(e, x)\n"
         "node y = Neg(e)\nnode z = Mul(y, y)\nnode k = SequenceInsert(all, z)\nnode f = Erf(z)\n"
         "node g = SequenceInsert(k, f)\nnode at = SequenceAt(g, zero)\nnode last = Neg(at)\noutput last\n"
         "output all\n",
         "all"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct work work;
        char message[120];
        begin_with(&work, rows[i][0]);
        (void)snprintf(message, sizeof message,
                       "the type of %s, which passes from one part to another, is not known", rows[i][1]);
        CHECK_INT(npart_plan_split(work.analysis.plan, work.at.path, work.out, NPART_WEIGHTS_STAY, &work.error),
                  NPART_ERROR_ARGUMENT);
        CHECK_TEXT(work.error.message, message);
        end(&work);
    }
}

static void test_split__wrong_arguments(void)
{
    struct work work;
    char other[128];
    begin(&work);
    const npart_plan *plan = work.analysis.plan;
    CHECK_INT(npart_plan_split(NULL, work.at.path, work.out, NPART_WEIGHTS_STAY, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_plan_split(plan, NULL, work.out, NPART_WEIGHTS_STAY, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_plan_split(plan, work.at.path, NULL, NPART_WEIGHTS_STAY, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_plan_split(plan, work.out, work.out, NPART_WEIGHTS_STAY, NULL), NPART_ERROR_READ);
    CHECK_INT(npart_plan_split(plan, work.at.path, "/tmp/npart-there-is-none/parts", NPART_WEIGHTS_STAY, NULL),
              NPART_ERROR_WRITE);
    /* Another model of as many bytes. */
    struct bytes model = model_from_text(text);
    for (size_t i = 0; i + 3 < model.size; i++)
        if (memcmp(model.data + i, "Erf", 3) == 0)
            memcpy(model.data + i, "Not", 3);
    (void)snprintf(other, sizeof other, "%s/other.onnx", work.at.folder);
    FILE *file = fopen(other, "wb");
    REQUIRE(file && fwrite(model.data, 1, model.size, file) == model.size && fclose(file) == 0);
    CHECK_INT(npart_plan_split(plan, other, work.out, NPART_WEIGHTS_STAY, &work.error), NPART_ERROR_ARGUMENT);
    CHECK_TEXT(work.error.message, "the file is not the model that the plan was made of");
    bytes_free(&model);
    end(&work);
}

/* A function takes one operand, and its call names a second, which it makes itself: no list of nodes has an order. */
static void test_split__nodes_that_wait_for_themselves(void)
{
    static const char cycle[] = "function own:F(a) -> (b)\n"
                                "node b = Relu(a)\n"
                                "opset 17\n"
                                "end\n"
                                "opset 17\n"
                                "opset own 1\n"
                                "input x float32[8]\n"
                                "node y = own:F(x, y)\n"
                                "output y\n";
    struct work work;
    struct bytes model = model_from_text(cycle);
    begin(&work);
    analysis_close(&work.analysis);
    analysis_open(&work.analysis, cycle, list, NULL, NULL);
    FILE *file = fopen(work.at.path, "wb");
    REQUIRE(file && fwrite(model.data, 1, model.size, file) == model.size && fclose(file) == 0);
    CHECK_INT(npart_plan_split(work.analysis.plan, work.at.path, work.out, NPART_WEIGHTS_STAY, &work.error),
              NPART_ERROR_ARGUMENT);
    CHECK_TEXT(work.error.message, "nodes of the file depend on themselves");
    bytes_free(&model);
    end(&work);
}

/* ---- notes at nodes ---------------------------------------------------------------------------------------------- */

static const char *note(const Onnx__NodeProto *node, const char *what)
{
    char key[64];
    (void)snprintf(key, sizeof key, "npu_partition.small.%s", what);
    for (size_t i = 0; i < node->n_metadata_props; i++)
        if (strcmp(node->metadata_props[i]->key, key) == 0)
            return node->metadata_props[i]->value;
    return "";
}

static void forget(Onnx__GraphProto *graph)
{
    for (size_t i = 0; i < graph->n_node; i++) {
        for (size_t k = 0; k < graph->node[i]->n_metadata_props; k++)
            onnx__string_string_entry_proto__free_unpacked(graph->node[i]->metadata_props[k], NULL);
        graph->node[i]->n_metadata_props = 0;
        for (size_t k = 0; k < graph->node[i]->n_attribute; k++)
            if (graph->node[i]->attribute[k]->g)
                forget(graph->node[i]->attribute[k]->g);
    }
}

static void test_annotate__notes_and_nothing_else(void)
{
    struct work work;
    begin(&work);
    const npart_plan *plans[] = {work.analysis.plan};
    REQUIRE(mkdir(work.out, 0700) == 0);
    char out[160];
    (void)snprintf(out, sizeof out, "%s/out.onnx", work.out);
    CHECK_INT(npart_plan_annotate(plans, 1, work.at.path, out, NPART_WEIGHTS_STAY, &work.error), NPART_OK);
    Onnx__ModelProto *model = read_part(&work, "out.onnx");
    Onnx__NodeProto **nodes = model->graph->node;
    CHECK_TEXT(note(nodes[0], "assignment"), "folded");
    CHECK_TEXT(note(nodes[1], "assignment"), "npu");
    CHECK_TEXT(note(nodes[1], "partition"), "0");
    CHECK_TEXT(note(nodes[1], "reason"), "");
    CHECK_TEXT(note(nodes[3], "assignment"), "cpu");
    CHECK_TEXT(note(nodes[3], "partition"), "");
    CHECK(*note(nodes[3], "reason"));
    CHECK_TEXT(note(nodes[4], "assignment"), "cpu");
    CHECK(*note(nodes[4]->attribute[0]->g->node[0], "assignment"));
    /* Written again with two plans of one list: each has keys of its own. */
    forget(model->graph);
    struct bytes before = file_bytes(work.at.path), plain = {0};
    plain.size = plain.capacity = onnx__model_proto__get_packed_size(model);
    plain.data = malloc(plain.size);
    REQUIRE(plain.data);
    onnx__model_proto__pack(model, plain.data);
    CHECK(means_the_same(&before, &plain));
    bytes_free(&before);
    bytes_free(&plain);
    onnx__model_proto__free_unpacked(model, NULL);
    const npart_plan *both[] = {work.analysis.plan, work.analysis.plan};
    CHECK_INT(npart_plan_annotate(both, 2, work.at.path, out, NPART_WEIGHTS_STAY, &work.error), NPART_OK);
    model = read_part(&work, "out.onnx");
    CHECK_TEXT(model->graph->node[1]->metadata_props[0]->key, "npu_partition.small.assignment");
    onnx__model_proto__free_unpacked(model, NULL);
    end(&work);
}

/* A list's name may be as long as its author likes, and each note keeps a key of its own. */
static void test_annotate__keys_of_a_long_name(void)
{
    struct work work;
    char name[400], lines[600], out[160], key[600];
    begin(&work);
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    (void)snprintf(lines, sizeof lines, "format 1\ntarget %s\nop Mul Neg Relu Reshape Shape\n", name);
    analysis_close(&work.analysis);
    analysis_open(&work.analysis, text, lines, NULL, NULL);
    const npart_plan *plans[] = {work.analysis.plan};
    REQUIRE(mkdir(work.out, 0700) == 0);
    (void)snprintf(out, sizeof out, "%s/out.onnx", work.out);
    CHECK_INT(npart_plan_annotate(plans, 1, work.at.path, out, NPART_WEIGHTS_STAY, &work.error), NPART_OK);
    Onnx__ModelProto *model = read_part(&work, "out.onnx");
    const Onnx__NodeProto *node = model->graph->node[1];
    REQUIRE(node->n_metadata_props >= 2);
    (void)snprintf(key, sizeof key, "npu_partition.%s.assignment", name);
    CHECK_TEXT(node->metadata_props[0]->key, key);
    (void)snprintf(key, sizeof key, "npu_partition.%s.partition", name);
    CHECK_TEXT(node->metadata_props[1]->key, key);
    onnx__model_proto__free_unpacked(model, NULL);
    end(&work);
}

static void test_annotate__wrong_arguments(void)
{
    struct work work, second;
    begin(&work);
    begin(&second);
    const npart_plan *plans[] = {work.analysis.plan, second.analysis.plan}, *none[] = {NULL};
    CHECK_INT(npart_plan_annotate(NULL, 1, work.at.path, work.out, NPART_WEIGHTS_STAY, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_plan_annotate(none, 1, work.at.path, work.out, NPART_WEIGHTS_STAY, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_plan_annotate(plans, 0, work.at.path, work.out, NPART_WEIGHTS_STAY, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_plan_annotate(plans, 2, work.at.path, work.out, NPART_WEIGHTS_STAY, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_plan_annotate(plans, 1, work.at.path, work.at.path, NPART_WEIGHTS_STAY, NULL),
              NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_plan_annotate(plans, 1, work.out, work.at.path, NPART_WEIGHTS_STAY, NULL), NPART_ERROR_READ);
    end(&second);
    end(&work);
}

/* ---- want of memory ---------------------------------------------------------------------------------------------- */

static npart_status write_both(const struct work *work, const npart_plan *plan, const char *out)
{
    npart_status status = npart_plan_split(plan, work->at.path, work->out, NPART_WEIGHTS_STAY, NULL);
    return status == NPART_OK ? npart_plan_annotate(&plan, 1, work->at.path, out, NPART_WEIGHTS_EXTERNAL, NULL)
                              : status;
}

/* Each allocation fails once: that is told, and nothing is left open or half written. */
static void test_split__out_of_memory(void)
{
    struct work work;
    struct counted counted;
    struct npart_plan_options options = NPART_PLAN_OPTIONS_INIT;
    npart_plan *plan = NULL;
    char out[160];
    begin(&work);
    REQUIRE(mkdir(work.out, 0700) == 0);
    (void)snprintf(out, sizeof out, "%s/out.onnx", work.out);
    counted_init(&counted, true);
    options.allocator = &counted.allocator;
    REQUIRE(npart_plan_make(&plan, work.analysis.inference, work.analysis.oplist, NULL, &options, NULL) == NPART_OK);
    size_t blocks = counted.live_blocks;
    npart_status status = NPART_ERROR_MEMORY;
    for (size_t i = 1; status != NPART_OK && i < 5000; i++) {
        counted.fail_at = counted.calls + i;
        status = write_both(&work, plan, out);
        CHECK(status == NPART_OK || status == NPART_ERROR_MEMORY);
        CHECK_INT(counted.live_blocks, blocks);
    }
    CHECK_INT(status, NPART_OK);
    npart_plan_free(plan);
    end(&work);
}

TESTS(test_split__told, test_split__constants_alone, test_split__constants_of_old_files,
      test_split__nodes_that_wait_for_themselves,
      test_split__out_of_memory, test_split__parts, test_split__sparse_defaults, test_split__values_of_all_kinds,
      test_split__values_without_a_type, test_split__wrong_arguments, test_annotate__notes_and_nothing_else,
      test_annotate__keys_of_a_long_name,
      test_annotate__wrong_arguments)
