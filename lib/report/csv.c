/* SPDX-License-Identifier: Apache-2.0
 *
 * A table for spreadsheets and scripts (RFC 4180): a row for each plan, cause or node, as the detail says. Columns are
 * called as the fields of the JSON report are; docs/formats.md lists them. What is not known is an empty cell.
 */
#include "report/document.h"

#include <stddef.h>

/* What a row is made of. */
struct row {
    npart_document *document;
    struct npart__buffer *out;
    const struct npart_entry *entry;
    const struct npart_plan_pair *pair; /* NULL: the model cannot be analyzed */
    size_t plan;                        /* its place in the entry */
    struct npart_plan_info target;       /* this and the next three are of `pair`, by see_plan */
    struct npart_summary summary;
    struct npart_cost cost;
    struct npart_memory memory;
    bool has_cells; /* the next one has a comma before it */
};

/* ---- cells ------------------------------------------------------------------------------------------------- */

static void separate(struct row *row)
{
    if (row->has_cells)
        npart__append(row->out, ",", 1);
    row->has_cells = true;
}

/* Spreadsheets take a cell for a formula that begins like one; an apostrophe makes it text. Line ends are escaped
 * already, so a cell is one line. A tab or a line end cannot begin one either, for the same reason. RFC 4180 asks
 * for quotes where a cell holds a comma or a quote, and for a quote in it to be written twice:
 * `7" wide` -> `"7"" wide"`. */
static void put_text(struct row *row, const char *text)
{
    const char *plain = npart__plain_text(row->document, text ? text : "");
    bool is_formula = *plain && strchr("=+-@", *plain), is_quoted = strpbrk(plain, ",\"") != NULL;
    separate(row);
    npart__append_text(row->out, is_quoted ? "\"" : "");
    npart__append_text(row->out, is_formula ? "'" : "");
    for (; *plain; plain++) {
        npart__append(row->out, plain, 1);
        if (*plain == '"')
            npart__append(row->out, plain, 1);
    }
    npart__append_text(row->out, is_quoted ? "\"" : "");
}

/* A text without a NUL at its end; NULL with length 0 is an empty cell. */
static void put_piece(struct row *row, const char *text, size_t length)
{
    struct npart__buffer piece = {.arena = &row->document->arena};
    npart__append(&piece, text ? text : "", length);
    put_text(row, npart__buffer_text(&piece));
    npart__buffer_release(&piece);
}

/* A text that was put together, which is closed. */
static void put_buffer(struct row *row, struct npart__buffer *buffer)
{
    put_text(row, npart__buffer_text(buffer));
    npart__buffer_release(buffer);
}

static void put_empty(struct row *row)
{
    separate(row);
}

/* At most 2^63 - 1, as in JSON. */
static void put_count(struct row *row, uint64_t count)
{
    separate(row);
    npart__append_int64(row->out, count > INT64_MAX ? INT64_MAX : (int64_t)count);
}

/* NPART_NONE is nothing. */
static void put_id(struct row *row, uint32_t id)
{
    if (id == NPART_NONE)
        put_empty(row);
    else
        put_count(row, id);
}

/* Negative is not known. Then the cell is there and empty, as every row must have all cells. */
static void put_decimal(struct row *row, double value)
{
    separate(row);
    if (value >= 0)
        npart__append_fixed(row->out, value, 6);
}

static void put_yes_or_no(struct row *row, bool value)
{
    separate(row);
    npart__append_text(row->out, value ? "true" : "false");
}

/* A member of a result. A sum of which a part is not known is an empty cell: a lower bound would be taken for it. */
static void put_field(struct row *row, const struct npart__field *field, const void *record)
{
    struct npart__told told = npart__tell(field, record);
    if (told.is == NPART__TOLD_NULL)
        put_empty(row);
    else if (told.is == NPART__TOLD_COUNT)
        put_count(row, (uint64_t)told.u.count);
    else if (told.is == NPART__TOLD_REAL)
        put_decimal(row, told.u.real);
    else if (told.is == NPART__TOLD_FLAG)
        put_yes_or_no(row, told.u.flag);
    else
        put_text(row, told.u.text);
}

/* ---- a row for each plan ----------------------------------------------------------------------------------- */

static void put_cpu(struct row *row)
{
    put_decimal(row, row->cost.cpu_alone.typical_ms);
}

/* Empty where no advice was made (npart_plan_pair.advice is NULL). */
static void put_recommendation(struct row *row)
{
    struct npart_recommendation at = {.size = sizeof at};
    bool is_there = npart_advice_recommendation(row->pair->advice, &at);
    put_text(row, is_there ? npart_choice_text(at.choice) : "");
}

/* "batch=1 sequence=128" */
static void put_fixed_dims(struct row *row)
{
    struct npart_dim_binding binding;
    struct npart__buffer text = {.arena = &row->document->arena};
    for (uint32_t i = 0; npart_inference_binding(npart_plan_inference(row->pair->fixed), i, &binding); i++)
        npart__append_format(&text, "%s%s=%lld", i ? " " : "", binding.name, (long long)binding.size);
    put_buffer(row, &text);
}

/* Empty where nothing was dynamic: then there is no plan with sizes fixed. */
static void put_fixed_partitions(struct row *row)
{
    struct npart_summary fixed = {.size = sizeof fixed};
    if (npart_plan_summary(row->pair->fixed, &fixed))
        put_count(row, fixed.partitions);
    else
        put_empty(row);
}

static void put_fixed_typical(struct row *row)
{
    struct npart_cost fixed = {.size = sizeof fixed};
    put_decimal(row, npart_plan_cost(row->pair->fixed, &fixed) ? fixed.total.typical_ms : -1);
}

/* Of the model, or of this plan. What is said of the model stands in the rows of all its plans, so that a row can
 * be read by itself. */
static bool concerns(const struct row *row, const struct npart_threshold_outcome *at)
{
    return at->plan == NPART_NONE || (row->pair && at->plan == row->plan);
}

/* The worst of them in one word: "not met" over "waived" over "met"; empty where none was set. */
static void put_thresholds(struct row *row)
{
    const char *word = "";
    for (size_t i = 0; i < row->entry->outcome_count; i++) {
        const struct npart_threshold_outcome *at = npart__outcome(row->entry, i);
        if (!concerns(row, at))
            continue;
        /* Once a word is worse, a better one does not replace it. */
        if (!at->is_met && !at->waiver)
            word = "not met";
        else if (!at->is_met && strcmp(word, "not met") != 0)
            word = "waived";
        else if (!*word)
            word = "met";
    }
    put_text(row, word);
}

/* "max-partitions: 4 partitions, threshold: at most 1; waived: REASON", one after the other with "; " between. */
static void put_not_met(struct row *row)
{
    struct npart__buffer text = {.arena = &row->document->arena};
    for (size_t i = 0; i < row->entry->outcome_count; i++) {
        const struct npart_threshold_outcome *at = npart__outcome(row->entry, i);
        if (concerns(row, at) && !at->is_met)
            npart__append_format(&text, "%s%s: %s%s%s", text.size ? "; " : "", at->threshold, at->text,
                                 at->waiver ? "; waived: " : "", at->waiver ? at->waiver : "");
    }
    put_buffer(row, &text);
}

/* Causes stand with the most harmful first. */
static void put_first_cause(struct row *row)
{
    struct npart_cause at = {.size = sizeof at};
    put_text(row, npart_plan_cause(row->pair->plan, 0, &at, NULL, 0) ? at.text : "");
}

/* The first step of the advice. It need not be against the first cause. */
static void put_first_action(struct row *row)
{
    struct npart_action at = {.size = sizeof at};
    struct npart__buffer text = {.arena = &row->document->arena};
    if (npart_advice_action(row->pair->advice, 0, &at))
        npart__add_action(&text, &at);
    put_buffer(row, &text);
}

/* What a plan's row has between the model and the thresholds: a member of a result, called as in JSON, or what a
 * function puts. The line of names is made of the same table, so the names cannot stand over other cells. */
struct column {
    const struct npart__field *field;
    size_t at; /* of the result in struct row */
    const char *name;
    void (*put)(struct row *row);
};
#define NAMED(name, record, key)                                                                                       \
    {&npart__##record##_fields[npart__in_##record##_##key], offsetof(struct row, record), name, NULL}
#define FIELD(record, key) NAMED(#key, record, key)
#define CELL(name, put) {NULL, 0, name, put}

static const struct column plan_columns[] = {
    NAMED("target", target, name),
    FIELD(target, toolchain),
    FIELD(summary, verdict),
    FIELD(summary, partitions),
    FIELD(summary, coverage),
    FIELD(summary, mac_coverage),
    FIELD(summary, nodes),
    FIELD(summary, folded),
    FIELD(summary, fused),
    FIELD(summary, live),
    FIELD(summary, accepted),
    FIELD(summary, refused),
    FIELD(summary, failed),
    FIELD(summary, unknown),
    FIELD(summary, switches),
    FIELD(summary, macs),
    FIELD(cost, low_ms),
    FIELD(cost, typical_ms),
    FIELD(cost, high_ms),
    FIELD(cost, calibrated),
    CELL("cpu_ms", put_cpu),
    CELL("recommendation", put_recommendation),
    FIELD(memory, weight_bytes),
    FIELD(memory, weight_bytes_npu),
    FIELD(memory, activation_peak_bytes),
    CELL("fixed_dims", put_fixed_dims),
    CELL("fixed_partitions", put_fixed_partitions),
    CELL("fixed_typical_ms", put_fixed_typical),
    CELL("first_cause", put_first_cause),
    CELL("first_action", put_first_action),
};

/* Empty cells of a model that cannot be analyzed. */
static void put_column(struct row *row, const struct column *column)
{
    if (!row->pair)
        put_empty(row);
    else if (column->field)
        put_field(row, column->field, (const char *)row + column->at);
    else
        column->put(row);
}

static void end_row(struct row *row)
{
    npart__append(row->out, "\r\n", 2);
    row->has_cells = false;
}

/* "byte 4711: MESSAGE", or the message alone where it has no place; empty for a model that was analyzed. */
static void put_error(struct row *row)
{
    const struct npart_error *error = row->entry->error;
    struct npart__buffer text = {.arena = &row->document->arena};
    if (error)
        npart__append_format(&text, "%s%s%s", error->place, *error->place ? ": " : "", error->message);
    put_buffer(row, &text);
}

/* A model that cannot be analyzed has its path, empty cells, and why; thresholds of the model as a whole may have
 * been told of it, too. */
static void put_plan(struct row *row)
{
    put_text(row, row->entry->path);
    for (size_t i = 0; i < NPART__COUNT(plan_columns); i++)
        put_column(row, &plan_columns[i]);
    put_thresholds(row);
    put_not_met(row);
    put_error(row);
    end_row(row);
}

/* ---- a row for each cause ---------------------------------------------------------------------------------- */

/* One name for each cell that put_cause puts, in its order; node, file, line and module are of the first node of
 * the cause. */
static const char cause_names[] = "model,target,id,kind,rule,text,found,affected_nodes,ended_partitions,cpu_ms,fails,"
                                  "unknown,node,file,line,module";

/* Where the exporter noted it, of the first node of a cause, or of a node. A line below 0 is shown as 0. A node
 * that is none (NPART_NONE) has three empty cells. */
static void put_origin(struct row *row, const npart_model *model, uint32_t node)
{
    struct npart_origin at = {.size = sizeof at};
    (void)npart_model_node_origin(model, node, &at);
    put_piece(row, at.file, at.file_bytes);
    if (at.file)
        put_count(row, at.line < 0 ? 0 : (uint64_t)at.line);
    else
        put_empty(row);
    put_piece(row, at.module, at.module_bytes);
}

/* A cause that lies at no node of its own, such as a dynamic dimension of an input, is told with the first node
 * that it affects. What was found stands in the scratch buffer until a getter writes there again. */
static void put_cause(struct row *row, uint32_t id)
{
    const npart_plan *plan = row->pair->plan;
    const npart_model *model = npart_inference_model(npart_plan_view(plan));
    struct npart__buffer *scratch = &row->document->scratch;
    struct npart_cause at = {.size = sizeof at};
    struct npart_node node = {.size = sizeof node, .name = ""};
    uint32_t first = NPART_NONE;
    do
        (void)npart_plan_cause(plan, id, &at, NPART__ROOM(scratch));
    while (npart__buffer_lacks(scratch, at.found_bytes));
    first = at.node_count ? at.nodes[0] : at.first_affected;
    (void)npart_model_node(model, first, &node);
    put_text(row, row->entry->path);
    put_text(row, row->target.target);
    put_count(row, id);
    put_text(row, npart_cause_kind_text(at.kind));
    put_text(row, at.rule_id);
    put_text(row, at.text);
    put_text(row, npart__buffer_text(scratch));
    put_count(row, at.affected_count);
    put_count(row, at.cut_count);
    put_decimal(row, at.cpu_ms);
    put_yes_or_no(row, at.is_fatal);
    put_yes_or_no(row, at.is_unknown);
    put_text(row, node.name);
    put_origin(row, model, first);
    end_row(row);
}

static void put_causes(struct row *row)
{
    for (uint32_t i = 0; i < row->target.cause_count; i++)
        put_cause(row, i);
}

/* ---- a row for each node ----------------------------------------------------------------------------------- */

/* One name for each cell that put_node puts, in its order. */
static const char node_names[] = "model,target,id,graph,index,name,op,domain,verdict,partition,cause,rule,text,fate,"
                                 "typical_ms,file,line,module";

/* Rule and text are of the first reason alone. Without a buffer for it, nothing is looked for that was found. */
static void put_node(struct row *row, const npart_model *model, uint32_t id)
{
    struct npart__buffer *scratch = &row->document->scratch;
    struct npart_node node = {.size = sizeof node};
    struct npart_node_plan at = {.size = sizeof at};
    struct npart_reason reason = {.size = sizeof reason, .rule_id = "", .text = ""};
    if (!npart_model_node(model, id, &node) || !npart_plan_node(row->pair->plan, id, &at))
        return;
    (void)npart_plan_reason(row->pair->plan, id, 0, &reason, NULL, 0);
    while (npart__buffer_lacks(scratch, npart_model_graph_path(model, node.graph, NPART__ROOM(scratch))))
        continue;
    put_text(row, row->entry->path);
    put_text(row, row->target.target);
    put_count(row, id);
    put_text(row, npart__buffer_text(scratch));
    put_count(row, node.index);
    put_text(row, node.name);
    put_text(row, node.op);
    put_text(row, node.domain);
    put_text(row, npart_verdict_text(at.verdict));
    put_id(row, at.partition);
    put_id(row, at.cause);
    put_text(row, reason.rule_id);
    put_text(row, reason.text);
    put_text(row, at.fate == NPART_FATE_LIVE ? "" : npart_fate_text(at.fate));
    put_decimal(row, at.ms);
    put_origin(row, model, id);
    end_row(row);
}

/* Of the graph that the target's runtime sees: a node that it puts in place of another has a row of its own, after
 * those of the file. */
static void put_nodes_of_plan(struct row *row)
{
    const npart_model *model = npart_inference_model(npart_plan_view(row->pair->plan));
    struct npart_model_info info = {.size = sizeof info};
    (void)npart_model_info(model, &info);
    for (uint32_t i = 0; i < info.node_count && !row->document->arena.failed; i++)
        put_node(row, model, i);
}

/* ---- the document ------------------------------------------------------------------------------------------ */

/* Asked once for each plan and not for each cell. Getters fill a struct only where its size says that they know it. */
static void see_plan(struct row *row, const struct npart_plan_pair *pair)
{
    row->pair = pair;
    row->target.size = sizeof row->target;
    row->summary.size = sizeof row->summary;
    row->cost.size = sizeof row->cost;
    row->memory.size = sizeof row->memory;
    (void)npart_plan_info(pair->plan, &row->target);
    (void)npart_plan_summary(pair->plan, &row->summary);
    (void)npart_plan_cost(pair->plan, &row->cost);
    (void)npart_plan_memory(pair->plan, &row->memory);
}

/* RFC 4180: the line of names has as many fields as the others, and a line ends in CR LF. */
static void begin(npart_document *document)
{
    struct npart__buffer *out = &document->out;
    if (document->detail != NPART_DETAIL_SUMMARY) {
        npart__append_text(out, npart__tells_nodes(document->detail) ? node_names : cause_names);
    } else {
        npart__append_text(out, "model");
        for (size_t i = 0; i < NPART__COUNT(plan_columns); i++)
            npart__append_format(out, ",%s", plan_columns[i].name);
        npart__append_text(out, ",thresholds,not_met,error");
    }
    npart__append_text(out, "\r\n");
}

/* A model that cannot be analyzed has a row of its own where rows are plans, and no causes or nodes. */
static void add(npart_document *document, const struct npart_entry *entry)
{
    struct row row = {.document = document, .out = &document->out, .entry = entry};
    if (entry->plan_count == 0 && document->detail == NPART_DETAIL_SUMMARY)
        put_plan(&row);
    for (size_t i = 0; i < entry->plan_count; i++) {
        row.plan = i;
        see_plan(&row, &entry->plans[i]);
        if (npart__tells_nodes(document->detail))
            put_nodes_of_plan(&row);
        else if (document->detail == NPART_DETAIL_CAUSES)
            put_causes(&row);
        else
            put_plan(&row);
    }
}

const struct npart__writer npart__csv_writer = {begin, add, NULL, NULL};
