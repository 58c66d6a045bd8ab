/* SPDX-License-Identifier: Apache-2.0
 *
 * A table for spreadsheets and scripts (RFC 4180): a row for each plan, cause or node, as the detail says. The columns
 * stand in include/records.table; docs/formats.md tells of them. What is not known is an empty cell.
 */
#include "report/document.h"

#include <stddef.h>

/* What a row is made of: all that include/records.table has columns of. Texts hold until the next row. */
struct row {
    npart_document *document;
    struct npart__buffer *out;
    const struct npart_entry *entry;
    const struct npart_plan_pair *pair; /* NULL: the model cannot be analyzed */
    size_t plan;                        /* its place in the entry */
    struct npart_plan_info target;      /* this and the next four are of `pair`, by see_plan */
    struct npart_summary summary;
    struct npart_cost cost;
    struct npart_memory memory;
    struct npart_decided decided;
    struct npart_cause cause;
    struct npart_node node;
    struct npart_node_plan at;
    struct npart_reason reason;
    const char *path, *recommendation, *fixed_dims, *first_action, *thresholds, *not_met, *error;
    const char *found, *graph, *fate, *file, *module;
    uint32_t id, fixed_partitions;
    uint64_t line;
    double fixed_typical_ms;
    bool has_line;
    struct npart__buffer texts[4]; /* that are put together */
};

#include "record_csv.h"

/* ---- cells ------------------------------------------------------------------------------------------------- */

/* Spreadsheets take a cell for a formula that begins like one; an apostrophe makes it text. Line ends are escaped
 * already, so a cell is one line. A tab or a line end cannot begin one either, for the same reason. RFC 4180 asks
 * for quotes where a cell holds a comma or a quote, and for a quote in it to be written twice:
 * `7" wide` -> `"7"" wide"`. */
static void put_text(struct row *row, const char *text)
{
    const char *plain = npart__plain_text(row->document, text ? text : "");
    bool is_formula = *plain && strchr("=+-@", *plain), is_quoted = strpbrk(plain, ",\"") != NULL;
    npart__append_text(row->out, is_quoted ? "\"" : "");
    npart__append_text(row->out, is_formula ? "'" : "");
    for (; *plain; plain++) {
        npart__append(row->out, plain, 1);
        if (*plain == '"')
            npart__append(row->out, plain, 1);
    }
    npart__append_text(row->out, is_quoted ? "\"" : "");
}

/* A member of the row. A sum of which a part is not known is an empty cell: a lower bound would be taken for it. Of a
 * model that cannot be analyzed there are texts alone. */
static void put_field(struct row *row, const struct npart__field *field)
{
    struct npart__told told = npart__tell(field, row);
    if (!row->pair && field->kind != NPART__FIELD_TEXT)
        return;
    if (told.is == NPART__TOLD_COUNT)
        npart__append_int64(row->out, told.u.count);
    else if (told.is == NPART__TOLD_REAL)
        npart__append_fixed(row->out, told.u.real, 6);
    else if (told.is == NPART__TOLD_FLAG)
        npart__append_text(row->out, told.u.flag ? "true" : "false");
    else if (told.is == NPART__TOLD_TEXT)
        put_text(row, told.u.text);
}

/* RFC 4180: a line ends in CR LF. */
static void put_row(struct row *row, const struct npart__field *columns)
{
    for (const struct npart__field *at = columns; at->kind != NPART__FIELD_END; at++) {
        npart__append(row->out, ",", at != columns);
        put_field(row, at);
    }
    npart__append(row->out, "\r\n", 2);
}

/* A text of the row in one of its buffers. NULL with length 0 is "". */
static const char *keep(struct row *row, size_t place, const char *text, size_t length)
{
    row->texts[place].size = 0;
    npart__append(&row->texts[place], text ? text : "", length);
    return npart__buffer_text(&row->texts[place]);
}

/* ---- a row for each plan ----------------------------------------------------------------------------------- */

/* "batch=1 sequence=128" */
static const char *fixed_dims(struct row *row)
{
    struct npart_dim_binding binding;
    struct npart__buffer *text = &row->texts[0];
    text->size = 0;
    for (uint32_t i = 0; npart_inference_binding(npart_plan_inference(row->pair->fixed), i, &binding); i++)
        npart__append_format(text, "%s%s=%lld", i ? " " : "", binding.name, (long long)binding.size);
    return npart__buffer_text(text);
}

/* The first step of the advice. It need not be against the first cause. */
static const char *first_action(struct row *row)
{
    struct npart_action at = {.size = sizeof at};
    row->texts[1].size = 0;
    if (npart_advice_action(row->pair->advice, 0, &at))
        npart__add_action(row->document, &row->texts[1], &at);
    return npart__buffer_text(&row->texts[1]);
}

/* The recommendation is empty where no advice was made (npart_plan_pair.advice is NULL), what is fixed where nothing
 * was dynamic: then there is no plan with sizes fixed. Causes stand with the most harmful first. */
static void see_advice(struct row *row)
{
    struct npart_recommendation at = {.size = sizeof at};
    struct npart_summary fixed = {.size = sizeof fixed};
    struct npart_cost cost = {.size = sizeof cost};
    bool is_there = npart_advice_recommendation(row->pair->advice, &at);
    row->recommendation = is_there ? npart_choice_text(at.choice) : "";
    row->fixed_dims = fixed_dims(row);
    row->fixed_partitions = npart_plan_summary(row->pair->fixed, &fixed) ? fixed.partitions : NPART_NONE;
    row->fixed_typical_ms = npart_plan_cost(row->pair->fixed, &cost) ? cost.total.typical_ms : -1;
    row->cause = (struct npart_cause){.size = sizeof row->cause};
    (void)npart_plan_cause(row->pair->plan, 0, &row->cause, NULL, 0);
    row->first_action = first_action(row);
}

/* Of the model, or of this plan. What is said of the model stands in the rows of all its plans, so that a row can
 * be read by itself. */
static bool concerns(const struct row *row, const struct npart_threshold_outcome *at)
{
    return at->plan == NPART_NONE || (row->pair && at->plan == row->plan);
}

/* The worst of them in one word: "not met" over "accepted" over "met"; empty where none was set. */
static const char *worst_threshold(const struct row *row)
{
    const char *word = "";
    for (size_t i = 0; i < row->entry->outcome_count; i++) {
        const struct npart_threshold_outcome held = npart__outcome(row->entry, i), *at = &held;
        if (!concerns(row, at))
            continue;
        /* Once a word is worse, a better one does not replace it. */
        if (!at->is_met && !at->waiver)
            word = "not met";
        else if (!at->is_met && strcmp(word, "not met") != 0)
            word = "accepted";
        else if (!*word)
            word = "met";
    }
    return word;
}

/* "max-partitions: 4 partitions, threshold: at most 1; accepted: REASON", one after the other with "; " between. */
static const char *not_met(struct row *row)
{
    struct npart__buffer *text = &row->texts[2];
    text->size = 0;
    for (size_t i = 0; i < row->entry->outcome_count; i++) {
        const struct npart_threshold_outcome held = npart__outcome(row->entry, i), *at = &held;
        if (concerns(row, at) && !at->is_met)
            npart__append_format(text, "%s%s: %s%s%s", text->size ? "; " : "", at->threshold, at->text,
                                 at->waiver ? "; accepted: " : "", at->waiver ? at->waiver : "");
    }
    return npart__buffer_text(text);
}

/* "byte 4711: MESSAGE", or the message alone where it has no place; empty for a model that was analyzed. */
static const char *error_text(struct row *row)
{
    const struct npart_error *error = row->entry->error;
    row->texts[3].size = 0;
    if (error)
        npart__append_format(&row->texts[3], "%s%s%s", error->place, *error->place ? ": " : "", error->message);
    return npart__buffer_text(&row->texts[3]);
}

/* A model that cannot be analyzed has its path, empty cells, and why; thresholds of the model as a whole may have
 * been told of it, too. */
static void put_plan(struct row *row)
{
    if (row->pair)
        see_advice(row);
    row->thresholds = worst_threshold(row);
    row->not_met = not_met(row);
    row->error = error_text(row);
    put_row(row, plan_columns);
}

/* ---- a row for each cause ---------------------------------------------------------------------------------- */

/* Where the exporter noted it, of the first node of a cause, or of a node. A line below 0 is shown as 0. A node
 * that is none (NPART_NONE) has three empty cells. */
static void see_origin(struct row *row, const npart_model *model, uint32_t node)
{
    struct npart_origin at = {.size = sizeof at};
    (void)npart_model_node_origin(model, node, &at);
    row->file = keep(row, 0, at.file, at.file_bytes);
    row->module = keep(row, 1, at.module, at.module_bytes);
    row->has_line = at.file != NULL;
    row->line = at.line < 0 ? 0 : (uint64_t)at.line;
}

/* A cause that lies at no node of its own, such as a dynamic dimension of an input, is told with the first node
 * that it affects. What was found stands in the scratch buffer until a getter writes there again. */
static void put_cause(struct row *row, uint32_t id)
{
    const npart_model *model = npart_inference_model(npart_plan_view(row->pair->plan));
    row->id = id;
    row->cause.size = sizeof row->cause;
    row->found = npart__read_cause(row->document, row->pair->plan, id, &row->cause);
    uint32_t first = row->cause.node_count ? row->cause.nodes[0] : row->cause.first_affected;
    row->node = (struct npart_node){.size = sizeof row->node};
    (void)npart_model_node(model, first, &row->node);
    see_origin(row, model, first);
    put_row(row, cause_columns);
}

static void put_causes(struct row *row)
{
    for (uint32_t i = 0; i < row->target.cause_count; i++)
        put_cause(row, i);
}

/* ---- a row for each node ----------------------------------------------------------------------------------- */

/* Rule and text are of the first reason alone. Without a buffer for it, nothing is looked for that was found. */
static void put_node(struct row *row, const npart_model *model, uint32_t id)
{
    struct npart__buffer *scratch = &row->document->scratch;
    row->id = id;
    row->node.size = sizeof row->node;
    row->at.size = sizeof row->at;
    row->reason = (struct npart_reason){.size = sizeof row->reason};
    if (!npart_model_node(model, id, &row->node) || !npart_plan_node(row->pair->plan, id, &row->at))
        return;
    (void)npart_plan_reason(row->pair->plan, id, 0, &row->reason, NULL, 0);
    while (npart__buffer_lacks(scratch, npart_model_graph_path(model, row->node.graph, NPART__ROOM(scratch))))
        continue;
    row->graph = npart__buffer_text(scratch);
    row->fate = row->at.fate == NPART_FATE_LIVE ? "" : npart_fate_text(row->at.fate);
    see_origin(row, model, id);
    put_row(row, node_columns);
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
    row->decided = (struct npart_decided){.size = sizeof row->decided};
    (void)npart_plan_decided(pair->plan, &row->decided);
}

static const struct npart__field *columns_of(const npart_document *document)
{
    if (npart__tells_nodes(document->detail))
        return node_columns;
    return document->detail == NPART_DETAIL_CAUSES ? cause_columns : plan_columns;
}

/* The key is `,"NAME":`. */
static void begin(npart_document *document)
{
    const struct npart__field *columns = columns_of(document);
    for (const struct npart__field *at = columns; at->kind != NPART__FIELD_END; at++) {
        npart__append(&document->out, ",", at != columns);
        npart__append(&document->out, at->key + 2, at->length - 4u);
    }
    npart__append_text(&document->out, "\r\n");
}

/* A model that cannot be analyzed has a row of its own where rows are plans, and no causes or nodes. */
static void add(npart_document *document, const struct npart_entry *entry)
{
    struct row row = {.document = document, .out = &document->out, .entry = entry, .path = entry->path};
    for (size_t i = 0; i < NPART__COUNT(row.texts); i++)
        npart__buffer_init(&row.texts[i], &document->arena);
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
    for (size_t i = NPART__COUNT(row.texts); i-- > 0;)
        npart__buffer_release(&row.texts[i]);
}

const struct npart__writer npart__csv_writer = {begin, add, NULL, NULL};
