/* SPDX-License-Identifier: Apache-2.0
 *
 * Public functions about op lists, plans and reports.
 */
#include <errno.h>
#include <stdio.h>

#include "api/api.h"

/* ---- op lists ---------------------------------------------------------------------------------------------- */

static npart_status check_partitioner(const char *path, const struct npart__partitioner_choice *choice,
                                      struct npart_error *error)
{
    char place[sizeof error->place];
    if (npart__partitioner_exists(choice->name))
        return NPART_OK;
    (void)snprintf(place, sizeof place, "%s:%u:%u", path, choice->line, choice->column);
    return npart__fail(error, NPART_ERROR_OPLIST, place, "there is no partitioner \"%s\"", choice->name);
}

static npart_status read_oplist(npart_oplist **out, npart_oplist *oplist, const char *text, size_t bytes,
                                const char *name, const struct npart__listener *listener, struct npart_error *error)
{
    char shown[120]; /* of a long path its end, so that line and column have room behind it */
    npart__shorten(shown, sizeof shown, name);
    const char *path = npart__arena_copy_text(&oplist->arena, shown, strlen(shown));
    npart_status status = path ? npart__oplist_read(text, bytes, path, &oplist->arena, &oplist->oplist, listener, error)
                               : npart__fail_memory(error);
    for (uint32_t i = 0; status == NPART_OK && i < oplist->oplist.partitioners.count; i++) {
        status = check_partitioner(path, &oplist->oplist.partitioners.items[i], error);
        if (status != NPART_OK && listener)
            listener->tell(listener->payload, false, error->place, error->message);
    }
    if (status == NPART_OK)
        *out = oplist;
    else
        npart_oplist_free(oplist);
    return status;
}

const char *npart_builtin_oplist(size_t index)
{
    for (size_t i = 0; i <= index; i++)
        if (!npart__builtin_oplists[i].name)
            return NULL;
    return npart__builtin_oplists[index].name;
}

static size_t name_length(const char *target)
{
    return strcspn(target, ":+@");
}

/* A hyphen may belong to the name or begin a switch: the longest built-in name that fits is meant. */
static const struct npart__builtin_oplist *find_builtin(const char *target)
{
    const struct npart__builtin_oplist *best = NULL;
    for (const struct npart__builtin_oplist *list = npart__builtin_oplists; list->name; list++) {
        size_t length = strlen(list->name);
        bool fits = strncmp(target, list->name, length) == 0 &&
                    (target[length] == '\0' || strchr(":+-@", target[length]));
        if (fits && (!best || length > strlen(best->name)))
            best = list;
    }
    return best;
}

npart_status npart_oplist_find(npart_oplist **out, const char *target, const struct npart_allocator *allocator,
                               struct npart_error *error)
{
    const struct npart__builtin_oplist *list = find_builtin(target);
    if (!list)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "there is no target \"%.*s\"", (int)name_length(target),
                           target);
    char name[80];
    (void)snprintf(name, sizeof name, "%s.ops", list->name);
    return npart_oplist_read_memory(out, (const char *)list->text, list->bytes, name, allocator, error);
}

npart_status npart_oplist_read_memory(npart_oplist **out, const char *text, size_t bytes, const char *name,
                                      const struct npart_allocator *allocator, struct npart_error *error)
{
    npart_oplist *oplist = NPART__NEW_HANDLE(npart_oplist, allocator);
    return oplist ? read_oplist(out, oplist, text, bytes, name, NULL, error) : npart__fail_memory(error);
}

/* A whole small file, no more than an op list may have. */
static npart_status read_small_file(struct npart__buffer *text, const char *path, struct npart_error *error)
{
    char piece[4096];
    size_t got;
    FILE *file = fopen(path, "rb");
    if (!file) {
        int code = errno;
        return npart__fail(error, NPART_ERROR_READ, path, "cannot open the op list: %s",
                           code == ENOENT ? "there is no such file" : "the system refuses");
    }
    while ((got = fread(piece, 1, sizeof piece, file)) > 0 && text->size <= NPART__LIMIT_OPLIST_BYTES)
        npart__append(text, piece, got);
    bool is_broken = ferror(file) != 0;
    (void)fclose(file);
    if (is_broken)
        return npart__fail(error, NPART_ERROR_READ, path, "cannot read the op list");
    return text->failed ? npart__fail_memory(error) : NPART_OK;
}

static npart_status read_oplist_file(npart_oplist **out, const char *path, const struct npart__listener *listener,
                                     const struct npart_allocator *allocator, struct npart_error *error)
{
    npart_oplist *oplist = NPART__NEW_HANDLE(npart_oplist, allocator);
    if (!oplist)
        return npart__fail_memory(error);
    struct npart__buffer text;
    npart__buffer_init(&text, &oplist->arena);
    npart_status status = read_small_file(&text, path, error);
    if (status == NPART_OK)
        return read_oplist(out, oplist, text.data ? text.data : "", text.size, path, listener, error);
    npart_oplist_free(oplist);
    return status;
}

npart_status npart_oplist_read_file(npart_oplist **out, const char *path, const struct npart_allocator *allocator,
                                    struct npart_error *error)
{
    return read_oplist_file(out, path, NULL, allocator, error);
}

struct teller {
    npart_diagnostic_callback tell;
    void *payload;
};

static void tell_diagnostic(void *payload, bool is_warning, const char *place, const char *message)
{
    const struct teller *teller = payload;
    const struct npart_diagnostic diagnostic = {.is_warning = is_warning, .place = place, .message = message};
    teller->tell(teller->payload, &diagnostic);
}

npart_status npart_oplist_check_file(npart_oplist **out, const char *path, npart_diagnostic_callback tell,
                                     void *payload, const struct npart_allocator *allocator, struct npart_error *error)
{
    struct npart_error own;
    struct teller teller = {tell, payload};
    const struct npart__listener listener = {tell_diagnostic, &teller};
    return read_oplist_file(out, path, &listener, allocator, error ? error : &own);
}

void npart_oplist_free(npart_oplist *oplist)
{
    npart__free_handle(oplist, oplist ? &oplist->arena : NULL);
}

void npart_oplist_info(const npart_oplist *handle, struct npart_oplist_info *out)
{
    const struct npart__oplist *oplist = &handle->oplist;
    uint32_t toolchains = oplist->toolchains.count;
    struct npart__target plain = {.oplist = oplist};
    if (oplist->default_variant != NPART_NONE)
        plain.switches = oplist->variants.items[oplist->default_variant].switches;
    *out = (struct npart_oplist_info){
        .name = oplist->name,
        .title = oplist->title,
        .toolchain = toolchains ? oplist->toolchains.items[toolchains - 1] : "",
        .source = oplist->source,
        .standing = oplist->standing,
        .partitioner = npart__target_partitioner(&plain),
        .default_variant =
            oplist->default_variant == NPART_NONE ? "" : oplist->variants.items[oplist->default_variant].name,
        .op_count = oplist->ops.count,
        .rule_count = oplist->written_rule_count,
        .variant_count = oplist->variants.count,
    };
}

/* ---- writing ----------------------------------------------------------------------------------------------- */

#define FLUSH_BYTES ((size_t)64 << 10)

struct writer {
    struct npart__arena arena;
    struct npart__buffer buffer;
    bool refused; /* by the callback */
    npart_write_callback write;
    void *payload;
};

static bool pass_on(void *payload, const char *text, size_t bytes)
{
    struct writer *writer = payload;
    if (!writer->write(writer->payload, text, bytes))
        writer->refused = true;
    return !writer->refused;
}

static void open_writer(struct writer *writer, const struct npart_allocator *allocator, npart_write_callback write,
                        void *payload)
{
    memset(writer, 0, sizeof *writer);
    npart__arena_init(&writer->arena, allocator);
    npart__buffer_init(&writer->buffer, &writer->arena);
    writer->write = write;
    writer->payload = payload;
    writer->buffer.write = pass_on;
    writer->buffer.write_payload = writer;
    writer->buffer.flush_bytes = FLUSH_BYTES;
}

static npart_status close_writer(struct writer *writer, struct npart_error *error)
{
    bool ok = npart__buffer_finish(&writer->buffer);
    npart__arena_clear(&writer->arena);
    if (ok)
        return NPART_OK;
    return writer->refused ? npart__fail(error, NPART_ERROR_WRITE, "", "cannot write the report")
                           : npart__fail_memory(error);
}

npart_status npart_oplist_describe(const npart_oplist *oplist, const char *op, npart_write_callback write,
                                   void *payload, struct npart_error *error)
{
    struct writer writer;
    open_writer(&writer, &oplist->arena.allocator, write, payload);
    bool found = npart__describe_oplist(&oplist->oplist, op, &writer.buffer);
    npart_status status = close_writer(&writer, error);
    if (status == NPART_OK && !found)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "%s has no op \"%s\"", oplist->oplist.name, op);
    return status;
}

npart_status npart_oplist_import(const char *path, const char *target, npart_write_callback write, void *payload,
                                 struct npart_error *error)
{
    struct writer writer;
    struct npart__buffer text;
    open_writer(&writer, NULL, write, payload);
    npart__buffer_init(&text, &writer.arena);
    npart_status status = read_small_file(&text, path, error);
    if (status == NPART_OK && text.size > NPART__LIMIT_OPLIST_BYTES)
        status = npart__fail(error, NPART_ERROR_OPLIST, path, "larger than %zu bytes", NPART__LIMIT_OPLIST_BYTES);
    const char *slash = strrchr(path, '/');
    if (status == NPART_OK)
        status = npart__import_oplist(text.data ? text.data : "", text.size, target, slash ? slash + 1 : path,
                                      &writer.arena, &writer.buffer, error);
    if (status != NPART_OK)
        writer.buffer.failed = true; /* nothing is written */
    npart_status closed = close_writer(&writer, status == NPART_OK ? error : NULL);
    return status == NPART_OK ? closed : status;
}

npart_status npart_inference_write_shapes(npart_inference *inference, npart_write_callback write, void *payload,
                                          struct npart_error *error)
{
    struct writer writer;
    open_writer(&writer, &inference->arena.allocator, write, payload);
    npart__report_shapes(&inference->inference, &writer.buffer);
    return close_writer(&writer, error);
}

npart_status npart_plan_write_shapes(npart_plan *plan, npart_write_callback write, void *payload,
                                     struct npart_error *error)
{
    struct writer writer;
    open_writer(&writer, &plan->arena.allocator, write, payload);
    npart__report_shapes(plan->plan.inference, &writer.buffer);
    return close_writer(&writer, error);
}

typedef void (*report_function)(const struct npart__plan_pair *pairs, size_t count,
                                const struct npart_report_options *options, struct npart__buffer *out);

/* The plans behind the handles; NULL, with the writer failed, when out of memory. */
static struct npart__plan_pair *open_pairs(struct writer *writer, const struct npart_plan_pair *plans, size_t count)
{
    struct npart__plan_pair *pairs = npart__arena_zeroed(&writer->arena, count, sizeof *pairs);
    writer->buffer.failed |= !pairs;
    for (size_t i = 0; pairs && i < count; i++) {
        pairs[i].plan = &plans[i].plan->plan;
        pairs[i].fixed = plans[i].fixed ? &plans[i].fixed->plan : NULL;
    }
    return pairs;
}

static npart_status report(const struct npart_plan_pair *plans, size_t count,
                           const struct npart_report_options *options, npart_write_callback write, void *payload,
                           report_function function, struct npart_error *error)
{
    static const struct npart_report_options defaults = NPART_REPORT_OPTIONS_INIT;
    struct writer writer;
    if (count == 0)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "no plan to report");
    open_writer(&writer, &plans[0].plan->arena.allocator, write, payload);
    struct npart__plan_pair *pairs = open_pairs(&writer, plans, count);
    if (pairs)
        function(pairs, count, options ? options : &defaults, &writer.buffer);
    return close_writer(&writer, error);
}

static void report_json(const struct npart__plan_pair *pairs, size_t count,
                        const struct npart_report_options *options, struct npart__buffer *out)
{
    (void)options;
    npart__report_json(pairs, count, out);
}

npart_status npart_report_text(const struct npart_plan_pair *plans, size_t count,
                               const struct npart_report_options *options, npart_write_callback write, void *payload,
                               struct npart_error *error)
{
    return report(plans, count, options, write, payload, npart__report_text, error);
}

npart_status npart_report_json(const struct npart_plan_pair *plans, size_t count,
                               const struct npart_report_options *options, npart_write_callback write, void *payload,
                               struct npart_error *error)
{
    return report(plans, count, options, write, payload, report_json, error);
}

npart_status npart_report_explain(const struct npart_plan_pair *plans, size_t count, const char *node,
                                  const struct npart_report_options *options, npart_write_callback write,
                                  void *payload, struct npart_error *error)
{
    static const struct npart_report_options defaults = NPART_REPORT_OPTIONS_INIT;
    struct writer writer;
    if (count == 0)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "no plan to report");
    open_writer(&writer, &plans[0].plan->arena.allocator, write, payload);
    struct npart__plan_pair *pairs = open_pairs(&writer, plans, count);
    bool is_found = pairs && npart__report_explain(pairs, count, node, options ? options : &defaults, &writer.buffer);
    npart_status status = close_writer(&writer, error);
    if (status == NPART_OK && !is_found)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "there is no node \"%s\"", node);
    return status;
}

/* ---- plans ------------------------------------------------------------------------------------------------- */

/* What follows the list's name in a target's text. */
static const char *after_name(const struct npart__oplist *oplist, const char *target)
{
    size_t length = strlen(oplist->name);
    if (!target)
        return "";
    return strncmp(target, oplist->name, length) == 0 ? target + length : NULL;
}

/* The partitioner's name in the library's own memory: options need not outlive the plan. As it is when unknown. */
static const char *lasting_name(const char *partitioner)
{
    for (size_t i = 0; partitioner && npart__partitioner_name(i); i++)
        if (strcmp(npart__partitioner_name(i), partitioner) == 0)
            return npart__partitioner_name(i);
    return partitioner;
}

npart_status npart_plan_make(npart_plan **out, npart_inference *inference, const npart_oplist *oplist,
                             const char *target, const struct npart_plan_options *options, struct npart_error *error)
{
    const struct npart_allocator *allocator =
        options && options->allocator ? options->allocator : &inference->arena.allocator;
    const char *rest = after_name(&oplist->oplist, target);
    if (!rest)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "\"%s\" is not a target of the list %s", target,
                           oplist->oplist.name);
    npart_plan *plan = NPART__NEW_HANDLE(npart_plan, allocator);
    if (!plan)
        return npart__fail_memory(error);
    uint32_t assumption_count = options ? options->assumption_count : 0;
    struct npart__assumed *assumed = npart__arena_zeroed(&plan->arena, assumption_count + (size_t)1, sizeof *assumed);
    if (!assumed) {
        npart_plan_free(plan);
        return npart__fail_memory(error);
    }
    for (uint32_t i = 0; i < assumption_count; i++)
        assumed[i] = (struct npart__assumed){.op = options->assumptions[i].op,
                                             .node = options->assumptions[i].node,
                                             .on_npu = options->assumptions[i].on_npu};
    struct npart__plan_request request = {
        .model_name = inference->model->name,
        .inference = &inference->inference,
        .shared = &inference->shared,
        .oplist = &oplist->oplist,
        .target = rest,
        .partitioner = lasting_name(options ? options->partitioner : NULL),
        .gates = options ? options->gates : NULL,
        .assumed = assumed,
        .assumed_count = assumption_count,
        .cuts = options ? options->cuts : NULL,
        .cut_count = options ? options->cut_count : 0,
        .level = options && options->level == NPART_LEVEL_OFF ? NPART__LEVEL_OFF : NPART__LEVEL_BASIC,
    };
    npart_status status = npart__plan_make(&request, &plan->arena, &plan->plan, error);
    plan->plan.arena = &plan->arena;
    plan->plan.bindings = inference->chosen;
    plan->plan.binding_count = inference->chosen_count;
    if (status == NPART_OK)
        *out = plan;
    else
        npart_plan_free(plan);
    return status;
}

void npart_plan_free(npart_plan *plan)
{
    npart__free_handle(plan, plan ? &plan->arena : NULL);
}

void npart_plan_summary(const npart_plan *plan, struct npart_summary *out)
{
    *out = plan->plan.summary;
}

bool npart_plan_node(const npart_plan *handle, uint32_t node, struct npart_node_plan *out)
{
    const struct npart__plan *plan = &handle->plan;
    if (node >= plan->graph->nodes.count)
        return false;
    uint8_t folded = plan->session.fates[node];
    *out = (struct npart_node_plan){
        .verdict = folded == NPART__FATE_LIVE    ? (enum npart_verdict)plan->mask.verdicts[node]
                   : folded == NPART__FATE_FUSED ? NPART_VERDICT_FUSED
                                                 : NPART_VERDICT_FOLDED,
        .into = npart__fused_into(&plan->session, node),
        .partition = plan->partitioning.partition_of[node],
        .cause = plan->causes.cause_of[node],
        .reason_count = plan->mask.first_reason[node + 1] - plan->mask.first_reason[node],
    };
    return true;
}

bool npart_plan_reason(const npart_plan *handle, uint32_t node, uint32_t index, struct npart_reason *out, char *found,
                       size_t bytes)
{
    const struct npart__plan *plan = &handle->plan;
    if (node >= plan->graph->nodes.count ||
        index >= plan->mask.first_reason[node + 1] - plan->mask.first_reason[node])
        return false;
    const struct npart__reason *reason = &plan->mask.reasons.items[plan->mask.first_reason[node] + index];
    const struct npart__rule *rule = &plan->target.oplist->rules.items[reason->rule];
    *out = (struct npart_reason){
        .gate = npart__gate_word(plan->target.oplist, reason->rule),
        .rule = rule->id,
        .text = rule->sentence,
        .source = rule->source,
        .is_certain = reason->truth != NPART__MAYBE,
    };
    struct npart__arena arena;
    struct npart__buffer text;
    npart__arena_init(&arena, &handle->arena.allocator);
    npart__buffer_init(&text, &arena);
    (void)npart__rule_found(&plan->target, &plan->session, reason->rule, node, &text);
    if (bytes) {
        (void)snprintf(found, bytes, "%s", npart__buffer_text(&text));
        npart__trim_text(found);
    }
    npart__arena_clear(&arena);
    return true;
}

bool npart_plan_partition(const npart_plan *plan, uint32_t partition, struct npart_partition *out)
{
    const struct npart__partitioning *partitioning = &plan->plan.partitioning;
    if (partition >= partitioning->partitions.count)
        return false;
    const struct npart__partition *at = &partitioning->partitions.items[partition];
    const uint32_t *lists = partitioning->lists.items;
    *out = (struct npart_partition){
        .graph = at->region,
        .nodes = lists + at->first_member,
        .inputs = lists + at->first_input,
        .outputs = lists + at->first_output,
        .ends = lists + at->first_end,
        .cuts = lists + at->first_cut,
        .node_count = at->member_count,
        .input_count = at->input_count,
        .output_count = at->output_count,
        .end_count = at->end_count,
        .cut_count = at->cut_count,
    };
    return true;
}

uint32_t npart_plan_crossing_count(const npart_plan *plan)
{
    return plan->plan.partitioning.crossings.count;
}

bool npart_plan_crossing(const npart_plan *plan, uint32_t index, struct npart_crossing *out)
{
    if (index >= plan->plan.partitioning.crossings.count)
        return false;
    const struct npart__crossing *at = &plan->plan.partitioning.crossings.items[index];
    *out = (struct npart_crossing){
        .value = at->value,
        .from = at->from,
        .to = at->to,
        .has_bytes = at->bytes != UINT64_MAX,
        .bytes = at->bytes == UINT64_MAX ? 0 : at->bytes,
    };
    return true;
}

uint32_t npart_plan_cause_count(const npart_plan *plan)
{
    return plan->plan.causes.items.count;
}

bool npart_plan_cause(const npart_plan *plan, uint32_t cause, struct npart_cause *out)
{
    const struct npart__causes *causes = &plan->plan.causes;
    if (cause >= causes->items.count)
        return false;
    const struct npart__cause *at = &causes->items.items[cause];
    *out = (struct npart_cause){
        .kind = npart__about_word((enum npart__rule_about)at->about),
        .text = at->text,
        .victim_count = at->victim_count,
        .cut_count = at->cut_count,
        .nodes = at->node_count ? causes->lists.items + at->first_node : NULL,
        .node_count = at->node_count,
    };
    return true;
}

static struct npart_cost_range range_of(struct npart__range range)
{
    return (struct npart_cost_range){range.low, range.typical, range.high};
}

void npart_plan_cost(const npart_plan *plan, struct npart_cost *out)
{
    const struct npart__cost *cost = &plan->plan.cost;
    *out = (struct npart_cost){
        .total = range_of(cost->total_ms),
        .switching = range_of(cost->switch_ms),
        .copying = range_of(cost->copy_ms),
        .layout = range_of(cost->layout_ms),
        .bytes_to_npu = cost->bytes_to_npu,
        .bytes_to_cpu = cost->bytes_to_cpu,
        .conversions = cost->conversions,
        .unknown_sizes = cost->unknown_sizes,
        .is_calibrated = cost->is_calibrated,
    };
}
