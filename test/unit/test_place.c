/* SPDX-License-Identifier: Apache-2.0
 *
 * Sets of models: which output is which input, how often parts run, which sizes they have; and the assignment of
 * devices, by numbers that are worked out by hand or by trying all.
 */
#include "place/place.h"
#include "support/model_text.h"
#include "support/test.h"

#include <math.h>

/* ---- assignment ------------------------------------------------------------------------------------------------ */

static bool is_decided(const struct npart__assignment *found, uint32_t part)
{
    const bool *is_rival = found->is_rival[part];
    return found->device[part] != NPART_DEVICES && !is_rival[0] && !is_rival[1] && !is_rival[2];
}

static struct npart_cost_range ms(double low, double typical, double high)
{
    return (struct npart_cost_range){low, typical, high};
}

static struct npart__option npu_cpu(struct npart_cost_range npu, struct npart_cost_range cpu)
{
    struct npart__option option = {.can = {true, true, false}};
    option.cost[NPART_DEVICE_NPU] = npu;
    option.cost[NPART_DEVICE_CPU] = cpu;
    return option;
}

static void test_assign__a_part_alone(void)
{
    struct npart__assignment found;
    /* 15 ms apart, and sqrt(5^2 + 1^2) = 5.1 ms of doubt. */
    struct npart__option sure = npu_cpu(ms(4, 5, 6), ms(15, 20, 25));
    npart__assign(&sure, 1, NULL, 0, &found);
    CHECK(found.is_exact && found.device[0] == NPART_DEVICE_NPU && is_decided(&found, 0));
    /* 2 ms apart, and sqrt(2^2 + 4^2) = 4.5 ms of doubt. */
    struct npart__option doubtful = npu_cpu(ms(4, 5, 9), ms(5, 7, 9));
    npart__assign(&doubtful, 1, NULL, 0, &found);
    CHECK(found.device[0] == NPART_DEVICE_NPU && !is_decided(&found, 0));
    /* 5 ms apart, and sqrt(3^2 + 4^2) = 5 ms of doubt: just not decided; with a little less it is. */
    struct npart__option edge = npu_cpu(ms(1, 5, 9), ms(7, 10, 12));
    npart__assign(&edge, 1, NULL, 0, &found);
    CHECK(!is_decided(&found, 0));
    edge.cost[NPART_DEVICE_NPU].high_ms = 8.9;
    npart__assign(&edge, 1, NULL, 0, &found);
    CHECK(is_decided(&found, 0));
    /* Equal figures decide nothing; a part with one place is decided, one without any has none. */
    struct npart__option equal = npu_cpu(ms(5, 5, 5), ms(5, 5, 5));
    npart__assign(&equal, 1, NULL, 0, &found);
    CHECK(found.device[0] == NPART_DEVICE_NPU && !is_decided(&found, 0));
    equal.can[NPART_DEVICE_NPU] = false;
    npart__assign(&equal, 1, NULL, 0, &found);
    CHECK(found.device[0] == NPART_DEVICE_CPU && is_decided(&found, 0));
    equal.can[NPART_DEVICE_CPU] = false;
    npart__assign(&equal, 1, NULL, 0, &found);
    CHECK(found.device[0] == NPART_DEVICES && !is_decided(&found, 0));
    /* Costs without bounds are placed somewhere, and nothing is decided. */
    struct npart__option endless = npu_cpu(ms(1, INFINITY, INFINITY), ms(1, INFINITY, INFINITY));
    npart__assign(&endless, 1, NULL, 0, &found);
    CHECK(found.device[0] != NPART_DEVICES && !is_decided(&found, 0));
}

/* The second is 2 ms better on the CPU, and the tensor between them costs 3 ms to pass. */
static void test_assign__transfers_join_parts(void)
{
    struct npart__option options[] = {npu_cpu(ms(9, 10, 11), ms(29, 30, 31)), npu_cpu(ms(10, 11, 12), ms(8, 9, 10))};
    const struct npart__transfer transfers[] = {{0, 1u << 1, ms(1, 3, 4)}, {1, 1u << 0, ms(1, 3, 4)}};
    struct npart__assignment found;
    struct npart_cost_range cost, passing;
    npart__assign(options, 2, transfers, 2, &found);
    CHECK(found.device[0] == NPART_DEVICE_NPU && found.device[1] == NPART_DEVICE_NPU);
    CHECK(npart__assigned_cost(options, 2, transfers, 2, found.device, &cost, &passing));
    CHECK(cost.low_ms == 19 && cost.typical_ms == 21 && cost.high_ms == 23 && passing.typical_ms == 0);
    /* 10 + 9 + 3 = 22 against 21; sqrt((9 + 3 - 8 - 1)^2 + (12 - 11)^2) = 3.2 of doubt. */
    CHECK(is_decided(&found, 0) && !is_decided(&found, 1));
    options[1].cost[NPART_DEVICE_CPU] = ms(5, 6, 7);
    npart__assign(options, 2, transfers, 2, &found);
    CHECK(found.device[0] == NPART_DEVICE_NPU && found.device[1] == NPART_DEVICE_CPU);
    CHECK(npart__assigned_cost(options, 2, transfers, 2, found.device, &cost, &passing));
    CHECK(cost.typical_ms == 10 + 6 + 3 && passing.typical_ms == 3 && passing.low_ms == 1);
    /* What goes to several is paid once, if any is elsewhere. */
    struct npart__option three[] = {options[0], options[0], options[1]};
    const struct npart__transfer shared = {0, 1u << 1 | 1u << 2, ms(1, 3, 4)};
    npart__assign(three, 3, &shared, 1, &found);
    CHECK(npart__assigned_cost(three, 3, &shared, 1, found.device, &cost, &passing));
    CHECK(found.device[2] == NPART_DEVICE_CPU && cost.typical_ms == 10 + 10 + 6 + 3);
}

static uint32_t next_number(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

/* Random sets of five parts against all that there is. */
static void test_assign__the_lowest_of_all(void)
{
    uint64_t state = 14;
    for (int round = 0; round < 400; round++) {
        struct npart__option options[5] = {0};
        struct npart__transfer transfers[8];
        struct npart__assignment found;
        struct npart_cost_range cost;
        double best = INFINITY;
        for (int i = 0; i < 5; i++)
            for (int d = 0; d < NPART_DEVICES; d++) {
                double typical = next_number(&state) % 20;
                options[i].can[d] = next_number(&state) % 4 > 0 || d == NPART_DEVICE_CPU;
                options[i].cost[d] = ms(typical / 2, typical, typical * 2);
            }
        for (int i = 0; i < 8; i++) {
            uint32_t part = next_number(&state) % 5;
            transfers[i] = (struct npart__transfer){part, (next_number(&state) & 31u) & ~(1u << part),
                                                    ms(0, next_number(&state) % 10, 20)};
        }
        for (int k = 0; k < 3 * 3 * 3 * 3 * 3; k++) {
            enum npart_device device[NPART__LIMIT_PARTS];
            for (int i = 0; i < (int)NPART__LIMIT_PARTS; i++)
                device[i] = NPART_DEVICES;
            for (int i = 0, rest = k; i < 5; i++, rest /= 3)
                device[i] = (enum npart_device)(rest % 3);
            if (npart__assigned_cost(options, 5, transfers, 8, device, &cost, NULL) && cost.typical_ms < best)
                best = cost.typical_ms;
        }
        npart__assign(options, 5, transfers, 8, &found);
        CHECK(npart__assigned_cost(options, 5, transfers, 8, found.device, &cost, NULL));
        CHECK(fabs(cost.typical_ms - best) < 1e-9);
    }
}

/* 24 parts with two places are compared; 25 are not, and neither are 24 with a transfer. */
static void test_assign__limit(void)
{
    struct npart__option options[NPART__LIMIT_PARTS];
    const struct npart__transfer transfer = {0, 1u << 1, ms(100, 100, 100)};
    struct npart__assignment found;
    for (uint32_t i = 0; i < NPART__LIMIT_PARTS; i++)
        options[i] = npu_cpu(ms(1, 2, 3), ms(2, i % 2 ? 1 : 3, 4));
    npart__assign(options, 24, NULL, 0, &found);
    CHECK(found.is_exact);
    npart__assign(options, 25, NULL, 0, &found);
    CHECK(!found.is_exact && found.device[0] == NPART_DEVICE_NPU && found.device[1] == NPART_DEVICE_CPU);
    npart__assign(options, 24, &transfer, 1, &found);
    CHECK(!found.is_exact && found.device[1] == found.device[0]); /* one change that the transfer asks for */
    npart__assign(options, NPART__LIMIT_PARTS, &transfer, 1, &found);
    CHECK(!found.is_exact && found.device[NPART__LIMIT_PARTS - 1] == NPART_DEVICE_CPU);
}

/* ---- sets ------------------------------------------------------------------------------------------------------ */

static const char encoder[] = "input input_features float32[batch,80,1500]\ninit w float32[1,80,4]\n"
                              "node t = Transpose(input_features) perm=[0,2,1]\n"
                              "node last_hidden_state = MatMul(t, w)\noutput last_hidden_state float32[batch,1500,4]\n";
static const char decoder[] = "input input_ids int64[batch,sequence]\n"
                              "input encoder_hidden_states float32[batch,encoder_sequence,4]\n"
                              "node r = Relu(encoder_hidden_states)\nnode logits = Exp(r)\n"
                              "node present.0.key = Abs(r)\nnode present.0.encoder.key = Neg(r)\n"
                              "output logits\noutput present.0.key\noutput present.0.encoder.key\n";
static const char with_past[] = "input past_key_values.0.key float32[batch,past,4]\n"
                                "input past_key_values.0.encoder.key float32[batch,encoder_sequence,4]\n"
                                "input hidden float32[batch,1,4]\n"
                                "node present.0.key = Concat(past_key_values.0.key, hidden) axis=1\n"
                                "node e = Relu(past_key_values.0.encoder.key)\nnode logits = Exp(hidden)\n"
                                "output logits\noutput present.0.key\noutput e\n";

static const char list[] = "format 1\ntarget t \"a target\"\n"
                           "param launch_ms 0.05 0.1 0.2 \"s\"\nparam map_ms 0 0.01 0.02 \"s\"\n"
                           "param copy_gb_per_s 5 10 20 \"s\"\nparam matrix_tops 1 2 4 \"s\"\n"
                           "param move_gb_per_s 10 20 40 \"s\"\nparam memory_gb_per_s 10 20 40 \"s\"\n"
                           "param normalize_gops 1 2 4 \"s\"\nparam function_gops 1 2 4 \"s\"\n"
                           "param elementwise_gops 1 2 4 \"s\"\nparam node_us 1 2 4 \"s\"\n"
                           "param cpu_matrix_gops 10 20 40 \"s\"\nparam cpu_element_ns 1 2 4 \"s\"\n"
                           "param cpu_memory_gb_per_s 5 10 20 \"s\"\nparam cpu_node_us 1 2 4 \"s\"\n"
                           "op Relu\nop MatMul\nop Transpose\nop Concat\nop Exp\nop Abs\nop Neg\nop Add\n"
                           "op Sqrt\n  need rank(X) > 9 \"the rank must be above 9\" else fail\n";

struct scene {
    npart_model *models[NPART__LIMIT_PARTS + 1];
    npart_inference *inferences[NPART__LIMIT_PARTS + 1];
    uint32_t count;
    npart_oplist *oplist;
    npart_placement *placement;
    struct npart_placement_info info;
    struct npart_error error;
};

static void add_model(struct scene *scene, const char *text, const char *name)
{
    struct bytes bytes = model_from_text(text);
    struct npart_read_options read = NPART_READ_OPTIONS_INIT;
    read.name = name;
    REQUIRE(npart_model_read_memory(&scene->models[scene->count], bytes.data, bytes.size, &read, NULL) == NPART_OK);
    REQUIRE(npart_inference_make(&scene->inferences[scene->count], scene->models[scene->count], NULL, NULL) ==
            NPART_OK);
    scene->count++;
    bytes_free(&bytes);
}

static npart_status place_set(struct scene *scene, const struct npart_placement_options *options)
{
    if (!scene->oplist)
        REQUIRE(npart_oplist_read_memory(&scene->oplist, list, strlen(list), "l", NULL, NULL) == NPART_OK);
    npart_placement_free(scene->placement);
    scene->placement = NULL;
    npart_status status =
        npart_placement_make(&scene->placement, (const npart_inference *const *)scene->inferences, scene->count,
                             scene->oplist, NULL, options, &scene->error);
    scene->info = (struct npart_placement_info){.size = sizeof scene->info};
    if (status == NPART_OK)
        REQUIRE(npart_placement_info(scene->placement, &scene->info));
    return status;
}

static void close_scene(struct scene *scene)
{
    for (uint32_t i = 0; i < scene->count; i++) {
        npart_inference_free(scene->inferences[i]);
        npart_model_free(scene->models[i]);
    }
    npart_oplist_free(scene->oplist);
    npart_placement_free(scene->placement);
    memset(scene, 0, sizeof *scene);
}

static const struct npart_link *link_to(const struct scene *scene, const char *from, const char *to, const char *input)
{
    for (uint32_t i = 0; i < scene->info.link_count; i++) {
        const struct npart_link *link = scene->info.links[i];
        if (strcmp(scene->info.parts[link->from]->name, from) == 0 &&
            strcmp(scene->info.parts[link->to]->name, to) == 0 && strcmp(link->input, input) == 0)
            return link;
    }
    return NULL;
}

static int64_t size_of(const struct npart_part *part, const char *name)
{
    for (uint32_t i = 0; i < part->dim_count; i++)
        if (strcmp(part->dims[i].name, name) == 0)
            return part->dims[i].size;
    return -1;
}

static void test_place__encoder_and_decoders(void)
{
    struct scene scene = {0};
    add_model(&scene, encoder, "m/encoder.onnx");
    add_model(&scene, decoder, "m/decoder.onnx");
    add_model(&scene, with_past, "m/past.onnx");
    REQUIRE(place_set(&scene, NULL) == NPART_OK);
    const struct npart_part *const *parts = scene.info.parts;
    CHECK(scene.info.part_count == 3 && scene.info.link_count == 4 && scene.info.note_count == 0);
    CHECK(scene.info.is_exact && scene.info.tokens == 128 && strcmp(scene.info.target, "t") == 0);
    const struct npart_link *hidden = link_to(&scene, "encoder.onnx", "decoder.onnx", "encoder_hidden_states");
    const struct npart_link *cache = link_to(&scene, "past.onnx", "past.onnx", "past_key_values.0.key");
    const struct npart_link *first = link_to(&scene, "decoder.onnx", "past.onnx", "past_key_values.0.key");
    REQUIRE(hidden && cache && first);
    CHECK(link_to(&scene, "decoder.onnx", "past.onnx", "past_key_values.0.encoder.key") != NULL);
    CHECK(hidden->kind == NPART_LINK_TENSOR && hidden->origin == NPART_FROM_NAME);
    CHECK(strcmp(hidden->output, "last_hidden_state") == 0 && hidden->has_bytes && hidden->bytes == 1500 * 4 * 4);
    CHECK(cache->kind == NPART_LINK_CACHE && cache->times == 128 && first->times == 1);
    CHECK(parts[0]->runs == 1 && parts[0]->runs_from == NPART_RUNS_ONCE);
    CHECK(parts[2]->runs == 128 && parts[2]->runs_from == NPART_RUNS_TOKENS);
    /* Sizes come with the tensors; the cache of a step has its own. */
    CHECK(size_of(parts[1], "encoder_sequence") == 1500 && size_of(parts[2], "encoder_sequence") == 1500);
    CHECK(size_of(parts[2], "past") == 127 && size_of(parts[0], "batch") == 1);
    /* What the report of each stands on: the model as it was given. */
    struct npart_plan_pair plans;
    struct npart_summary summary = {.size = sizeof summary};
    REQUIRE(npart_placement_plans(scene.placement, 2, &plans));
    CHECK(npart_plan_inference(plans.plan) == scene.inferences[2] && plans.fixed && plans.advice);
    CHECK(npart_plan_summary(plans.plan, &summary) && !parts[2]->run && !parts[2]->cache_slots);
    CHECK(!npart_placement_plans(scene.placement, 3, &plans) && !npart_placement_plans(NULL, 0, &plans));
    CHECK(!npart_placement_plans(scene.placement, 0, NULL));
    close_scene(&scene);
}

static const char mixer[] = "input state float32[2,3,4]\nnode r = Relu(state)\noutput r\n";
#define READS_WORDS "input ids int64[b,s]\ninit words float32[50,8]\ninit back float32[8,50]\n" \
                    "node x = Gather(words, ids)\n"
#define TELLS_WORDS "node y = MatMul(x, back)\noutput y\n"

/* One that has no cache reads all tokens again for each new one; one that fills gaps, or only reads, does not. */
static void test_place__decoders_without_a_cache(void)
{
    static const struct {
        const char *text;
        bool is_decoder;
    } rows[] = {
        {READS_WORDS "init ones float32[4,4]\nnode t = Trilu(ones) upper=0\noutput t\n" TELLS_WORDS, true},
        {READS_WORDS "init seen bool[3,3] = 1 0 0 1 1 0 1 1 1\nnode t = Not(seen)\noutput t\n" TELLS_WORDS, true},
        {READS_WORDS "init hidden float32[2,2] = 0 -9 0 0\nnode t = Abs(hidden)\noutput t\n" TELLS_WORDS, true},
        {READS_WORDS "init seen bool[3,3] = 1 1 0 1 1 0 1 1 1\nnode t = Not(seen)\noutput t\n" TELLS_WORDS, false},
        {READS_WORDS "input row int64[n]\ninput line int64[n,1]\nnode t = Less(row, line)\noutput t\n" TELLS_WORDS,
         true},
        {READS_WORDS "input row int64[n]\ninput line int64[m,1]\nnode t = Less(row, line)\noutput t\n" TELLS_WORDS,
         false},
        {READS_WORDS "init none bool[0,2,2]\nnode t = Not(none)\noutput t\n" TELLS_WORDS, false},
        {READS_WORDS TELLS_WORDS, false},
        {READS_WORDS "init ones float32[4,4]\nnode t = Trilu(ones) upper=0\noutput t\nnode y = Relu(x)\noutput y\n",
         false},
        {"input ids int64[b,1]\ninit words float32[50,8]\ninit back float32[8,50]\nnode x = Gather(words, ids)\n"
         "init ones float32[4,4]\nnode t = Trilu(ones) upper=0\noutput t\n" TELLS_WORDS, false},
    };
    struct scene scene = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        add_model(&scene, rows[i].text, "m");
        REQUIRE(place_set(&scene, NULL) == NPART_OK && scene.info.part_count == 1);
        CHECK_INT(scene.info.parts[0]->runs, rows[i].is_decoder ? 128 : 1);
        CHECK_INT(scene.info.parts[0]->runs_from, rows[i].is_decoder ? NPART_RUNS_TOKENS : NPART_RUNS_ONCE);
        close_scene(&scene);
    }
    /* With the states of an encoder nothing else is needed. */
    add_model(&scene, encoder, "encoder");
    add_model(&scene, READS_WORDS "input encoder_hidden_states float32[b,e,4]\nnode e = Relu(encoder_hidden_states)\n"
                                  "output e\n" TELLS_WORDS, "decoder");
    REQUIRE(place_set(&scene, NULL) == NPART_OK && scene.info.part_count == 2);
    CHECK(scene.info.parts[0]->runs == 1 && scene.info.parts[1]->runs == 128);
    close_scene(&scene);
    /* One that gives a cache reads the prompt, where somebody may take it. */
    add_model(&scene, READS_WORDS "init ones float32[4,4]\nnode t = Trilu(ones) upper=0\noutput t\n"
                                  "init heads int64[4] = 0 0 2 4\nnode k = Reshape(x, heads)\noutput k\n" TELLS_WORDS,
              "prompt");
    REQUIRE(place_set(&scene, NULL) == NPART_OK && scene.info.note_count == 1);
    CHECK(scene.info.parts[0]->runs == 1 && strstr(scene.info.notes[0], "nothing takes its cache"));
    add_model(&scene, mixer, "other");
    REQUIRE(place_set(&scene, NULL) == NPART_OK && scene.info.note_count == 1);
    CHECK(scene.info.parts[0]->runs == 128 && strstr(scene.info.notes[0], "a cache that no model here takes"));
    close_scene(&scene);
}

/* What the caller says of parts, and what is wrong with it. */
static void test_place__figures(void)
{
    struct scene scene = {0};
    struct npart_part_figure figures[] = {{.part = "m/encoder.onnx", .runs = 3},
                                          {.part = "encoder.onnx", .has_gpu = true, .gpu = {0.001, 0.002, 0.003}}};
    struct npart_placement_options options = NPART_PLACEMENT_OPTIONS_INIT;
    add_model(&scene, encoder, "m/encoder.onnx");
    options.figures = figures;
    options.figure_count = 2;
    options.tokens = 7;
    REQUIRE(place_set(&scene, &options) == NPART_OK);
    const struct npart_part *part = scene.info.parts[0];
    CHECK(part->runs == 3 && part->runs_from == NPART_RUNS_USER && scene.info.tokens == 7);
    CHECK(part->has_cost[NPART_DEVICE_GPU] && part->cost[NPART_DEVICE_GPU].typical_ms == 0.002);
    figures[1].gpu.low_ms = 0.0021;
    CHECK(place_set(&scene, &options) == NPART_ERROR_ARGUMENT);
    figures[1].gpu.low_ms = (double)NAN;
    CHECK(place_set(&scene, &options) == NPART_ERROR_ARGUMENT);
    figures[1] = (struct npart_part_figure){.part = "encoder.onn", .runs = 1};
    CHECK(place_set(&scene, &options) == NPART_ERROR_ARGUMENT && strstr(scene.error.message, "did you mean"));
    figures[1].part = NULL;
    CHECK(place_set(&scene, &options) == NPART_ERROR_ARGUMENT);
    options.figure_count = 1;
    add_model(&scene, encoder, "n/encoder.onnx");
    REQUIRE(place_set(&scene, &options) == NPART_OK && scene.info.parts[0]->runs == 3);
    figures[0].part = "encoder.onnx";
    CHECK(place_set(&scene, &options) == NPART_ERROR_ARGUMENT && strstr(scene.error.message, "two parts"));
    options.version = 3;
    CHECK(place_set(&scene, &options) == NPART_ERROR_ARGUMENT);
    close_scene(&scene);
}

static const char mixer_too[] = "input state float32[2,3,4]\nnode q = Relu(state)\noutput q\n";
static const char taker[] = "input taken float32[2,3,4]\nnode y = Relu(taken)\noutput y\n";
static const char other_taker[] = "input taken float32[2,3,5]\nnode y = Relu(taken)\noutput y\n";
static const char text_encoder[] = "input x float32[1,7,9]\ninit w float32[9,4]\n"
                                   "node last_hidden_state = MatMul(x, w)\noutput last_hidden_state\n";
static const char unet[] = "input sample float32[1,4,8,8]\ninput encoder_hidden_states float32[1,7,4]\n"
                           "node e = Relu(encoder_hidden_states)\nnode out_sample = Relu(sample)\noutput out_sample\n"
                           "output e\n";
static const char vae[] = "input latent_sample float32[1,4,8,8]\nnode sample = Relu(latent_sample)\noutput sample\n";

static void test_place__shapes(void)
{
    struct scene scene = {0};
    struct npart_placement_options options = NPART_PLACEMENT_OPTIONS_INIT;
    const char *links[] = {"b:q=c:taken"};
    add_model(&scene, mixer, "a");
    add_model(&scene, taker, "c");
    REQUIRE(place_set(&scene, NULL) == NPART_OK);
    const struct npart_link *link = link_to(&scene, "a", "c", "taken");
    CHECK(link && link->origin == NPART_FROM_SHAPE && scene.info.link_count == 1);
    close_scene(&scene);
    /* Two outputs that it may be: none is taken, and that is told; the caller says which. */
    add_model(&scene, mixer, "a");
    add_model(&scene, mixer_too, "b");
    add_model(&scene, taker, "c");
    REQUIRE(place_set(&scene, NULL) == NPART_OK);
    CHECK(!link_to(&scene, "a", "c", "taken") && scene.info.note_count > 0);
    options.links = links;
    options.link_count = 1;
    REQUIRE(place_set(&scene, &options) == NPART_OK);
    link = link_to(&scene, "b", "c", "taken");
    CHECK(link && link->origin == NPART_FROM_USER && link->kind == NPART_LINK_TENSOR);
    static const char *const wrong[] = {"b:q=c:take", "b:r=c:taken", "b:q", "=", "", "d:q=c:taken", "b:q=c:"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        links[0] = wrong[i];
        CHECK(place_set(&scene, &options) == NPART_ERROR_ARGUMENT);
    }
    links[0] = NULL;
    CHECK(place_set(&scene, &options) == NPART_ERROR_ARGUMENT);
    close_scene(&scene);
    /* Another size is another tensor; the order of the set is that of its parts. */
    add_model(&scene, mixer, "a");
    add_model(&scene, other_taker, "c");
    REQUIRE(place_set(&scene, NULL) == NPART_OK && scene.info.link_count == 0);
    close_scene(&scene);
    add_model(&scene, taker, "c");
    add_model(&scene, mixer, "a");
    REQUIRE(place_set(&scene, NULL) == NPART_OK);
    CHECK(!link_to(&scene, "a", "c", "taken"));
    close_scene(&scene);
}

/* The names of Stable Diffusion: a scheduler stands between, and the image is no latent. */
static void test_place__diffusion(void)
{
    struct scene scene = {0};
    add_model(&scene, text_encoder, "text");
    add_model(&scene, unet, "unet");
    add_model(&scene, vae, "vae");
    REQUIRE(place_set(&scene, NULL) == NPART_OK);
    CHECK(scene.info.link_count == 3);
    const struct npart_link *latents = link_to(&scene, "unet", "vae", "latent_sample");
    const struct npart_link *step = link_to(&scene, "unet", "unet", "sample");
    CHECK(link_to(&scene, "text", "unet", "encoder_hidden_states") != NULL);
    REQUIRE(latents && step);
    CHECK(latents->kind == NPART_LINK_APPLICATION && step->kind == NPART_LINK_APPLICATION);
    CHECK(!latents->crosses && latents->cost.typical_ms == 0);
    CHECK(scene.info.parts[1]->runs == 1); /* how many steps there are nobody knows */
    /* Two text encoders: which is meant is not known. */
    add_model(&scene, text_encoder, "text 2");
    REQUIRE(place_set(&scene, NULL) == NPART_OK);
    CHECK(!link_to(&scene, "text", "unet", "encoder_hidden_states") && scene.info.note_count == 1);
    CHECK(strstr(scene.info.notes[0], "text 2") != NULL);
    close_scene(&scene);
}

/* One model for prompt and steps is two parts. */
static void test_place__two_uses(void)
{
    static const char both[] = "input input_ids int64[batch,sequence]\n"
                               "input past_key_values.0.key float32[batch,2,past,4]\n"
                               "input new float32[batch,2,sequence,4]\n"
                               "node present.0.key = Concat(past_key_values.0.key, new) axis=2\noutput present.0.key\n";
    struct scene scene = {0};
    struct npart_part_figure figure = {.part = "llm:decode", .runs = 9};
    struct npart_placement_options options = NPART_PLACEMENT_OPTIONS_INIT;
    add_model(&scene, both, "llm");
    REQUIRE(place_set(&scene, NULL) == NPART_OK);
    REQUIRE(scene.info.part_count == 2 && scene.info.link_count == 2);
    CHECK(strcmp(scene.info.parts[0]->name, "llm:prefill") == 0 && scene.info.parts[0]->runs == 1);
    CHECK(strcmp(scene.info.parts[1]->use, "decode") == 0 && scene.info.parts[1]->runs == 128);
    CHECK(size_of(scene.info.parts[0], "sequence") > 1 && size_of(scene.info.parts[1], "sequence") == 1);
    CHECK(link_to(&scene, "llm:prefill", "llm:decode", "past_key_values.0.key") != NULL);
    CHECK(link_to(&scene, "llm:decode", "llm:decode", "past_key_values.0.key") != NULL);
    options.figures = &figure;
    options.figure_count = 1;
    REQUIRE(place_set(&scene, &options) == NPART_OK && scene.info.parts[1]->runs == 9);
    /* Other heads are another model's cache. */
    add_model(&scene, "input past_key_values.0.key float32[1,3,127,4]\ninput x float32[1,3,1,4]\n"
                      "node present.0.key = Concat(past_key_values.0.key, x) axis=2\noutput present.0.key\n", "other");
    REQUIRE(place_set(&scene, NULL) == NPART_OK && scene.info.link_count == 3);
    CHECK(link_to(&scene, "other", "other", "past_key_values.0.key") != NULL);
    figure.part = "llm";
    CHECK(place_set(&scene, &options) == NPART_ERROR_ARGUMENT && strstr(scene.error.message, "llm:decode"));
    close_scene(&scene);
}

static void test_place__what_cannot_be_on_the_npu(void)
{
    static const char failing[] = "input x float32[1,2,3]\nnode y = Sqrt(x)\noutput y\n";
    static const char foreign[] = "input x float32[1,2,3]\nnode y = Sin(x)\noutput y\n";
    struct scene scene = {0};
    add_model(&scene, failing, "failing");
    add_model(&scene, foreign, "foreign");
    REQUIRE(place_set(&scene, NULL) == NPART_OK);
    for (uint32_t i = 0; i < 2; i++) {
        CHECK(scene.info.parts[i]->device == NPART_DEVICE_CPU && scene.info.parts[i]->is_decided);
        CHECK(!scene.info.parts[i]->has_cost[NPART_DEVICE_NPU]);
    }
    CHECK(strstr(scene.info.parts[0]->why, "fails to compile") == scene.info.parts[0]->why);
    CHECK(strstr(scene.info.parts[1]->why, "no node runs on the NPU") == scene.info.parts[1]->why);
    close_scene(&scene);
}

/* A tensor of 256,000 bytes, of which a transfer takes 0.01 ms and 256,000 bytes / 10 GB/s = 0.0256 ms. */
static void test_place__transfers(void)
{
    static const char big[] = "input x float32[1,1000,64]\ninit w float32[64,64]\nnode h = MatMul(x, w)\n"
                              "node made = Relu(h)\noutput made\n";
    static const char small[] = "input made float32[1,1000,64]\nnode y = Relu(made)\noutput y\n";
    struct scene scene = {0};
    struct npart_part_figure figures[] = {{.part = "small", .has_gpu = true, .gpu = {0.0001, 0.0002, 0.0003}},
                                          {.part = "big", .runs = 3}};
    struct npart_placement_options options = NPART_PLACEMENT_OPTIONS_INIT;
    struct npart_cost cost = {.size = sizeof cost};
    npart_plan *plan = NULL;
    add_model(&scene, big, "big");
    add_model(&scene, small, "small");
    options.figures = figures;
    options.figure_count = 1;
    REQUIRE(place_set(&scene, &options) == NPART_OK && scene.info.link_count == 1);
    const struct npart_part *const *parts = scene.info.parts;
    const struct npart_link *link = scene.info.links[0];
    CHECK(parts[0]->device == NPART_DEVICE_NPU && parts[1]->device == NPART_DEVICE_GPU);
    CHECK(link->crosses && link->times == 1 && fabs(link->cost.typical_ms - 0.0356) < 1e-9);
    REQUIRE(npart_plan_make(&plan, scene.inferences[0], scene.oplist, NULL, NULL, NULL) == NPART_OK);
    REQUIRE(npart_plan_cost(plan, &cost));
    npart_plan_free(plan);
    CHECK(fabs(parts[0]->cost[NPART_DEVICE_NPU].typical_ms - (cost.total.typical_ms - 0.0356)) < 1e-9);
    CHECK(scene.info.has_total && fabs(scene.info.total.typical_ms - (cost.total.typical_ms + 0.0002)) < 1e-9);
    CHECK(fabs(scene.info.transfers.typical_ms - 0.0356) < 1e-9);
    CHECK(scene.info.has_cpu && scene.info.cpu.typical_ms > 0);
    /* Three runs make it three times. */
    options.figure_count = 2;
    REQUIRE(place_set(&scene, &options) == NPART_OK);
    CHECK(scene.info.links[0]->times == 3 && fabs(scene.info.links[0]->cost.typical_ms - 3 * 0.0356) < 1e-9);
    /* On the NPU together nothing passes: both ends are saved. */
    options.figure_count = 0;
    REQUIRE(place_set(&scene, &options) == NPART_OK);
    double apart = scene.info.parts[0]->cost[NPART_DEVICE_NPU].typical_ms +
                   scene.info.parts[1]->cost[NPART_DEVICE_NPU].typical_ms;
    CHECK(scene.info.has_npu && fabs(scene.info.npu.typical_ms - apart) < 1e-9);
    close_scene(&scene);
}

static void test_place__limits(void)
{
    struct scene scene = {0};
    struct npart_placement_info info = {.size = sizeof info - 1};
    for (uint32_t i = 0; i < NPART__LIMIT_PARTS + 1; i++)
        add_model(&scene, taker, "one");
    CHECK(place_set(&scene, NULL) == NPART_ERROR_LIMIT);
    scene.count--;
    CHECK(place_set(&scene, NULL) == NPART_OK && scene.info.part_count == NPART__LIMIT_PARTS);
    CHECK(!npart_placement_info(scene.placement, &info) && !npart_placement_info(NULL, &info));
    CHECK(npart_placement_make(NULL, NULL, 0, NULL, NULL, NULL, NULL) == NPART_ERROR_ARGUMENT);
    CHECK(npart_placement_make(&scene.placement, NULL, 1, scene.oplist, NULL, NULL, NULL) == NPART_ERROR_ARGUMENT);
    scene.count++;
    close_scene(&scene);
}

TESTS(test_assign__a_part_alone, test_assign__transfers_join_parts, test_assign__the_lowest_of_all,
      test_assign__limit, test_place__encoder_and_decoders, test_place__decoders_without_a_cache,
      test_place__figures,
      test_place__shapes, test_place__diffusion, test_place__two_uses,
      test_place__what_cannot_be_on_the_npu, test_place__transfers, test_place__limits)
