/* SPDX-License-Identifier: Apache-2.0
 *
 * SARIF 2.1.0: one run over all models. A result is a cause of one plan, or a threshold that is not met; it lies at the
 * line of the exporter's source where that is noted, else at the model. Results are written as they come; rules and
 * notifications are gathered and stand after them, since the order of an object's members is free.
 *
 * What a reader of the format must know here: a location is physical (a line of a file) and logical (a node); the
 * artifact of the first has a URI that is relative to a base with a name, %SRCROOT%, which stands for the top of
 * the sources; a result refers to its rule by the rule's place in the list.
 */
#include <stdio.h>

#include "report/document.h"
#include "base/fields.h"

/* Code hosts take no file with more results, and show no more locations of one. */
#define MOST_RESULTS 25000u
#define MOST_RELATED 100u

struct sarif {
    npart_document *document;
    struct npart__buffer *out; /* the document's own */
    struct npart__sarif_rules rules; /* those that results were written of */
    struct npart__buffer notifications; /* objects with commas between them */
    uint32_t result_count, left_out; /* left_out: past MOST_RESULTS */
    bool has_failed; /* a model cannot be analyzed */
};

/* One plan of an entry, and what its causes affect. */
struct plan {
    const struct npart_entry *entry;
    const struct npart_plan_pair *pair; /* with its advice, which may be NULL */
    const npart_model *model; /* as its runtime sees it */
    struct npart_plan_info info;
    struct npart__arena arena;       /* for this plan alone */
    struct npart__table told;      /* how often each fingerprint came */
    uint32_t *starts, *affected;   /* nodes by cause: of cause c they are affected[starts[c]] up to starts[c + 1] */
};

/* ---- pieces ------------------------------------------------------------------------------------------------ */

/* A relative URI counts from %SRCROOT%; an absolute one, as
 * of a file outside of the root, stands alone. */
static void put_artifact(struct npart__buffer *out, const npart_document *document, const char *key,
                         struct npart__place place)
{
    bool is_relative = npart__relative(document, &place);
    npart__json_open(out, key, '{');
    npart__json_value(out, "uri", "\"");
    npart__add_uri(out, &place);
    npart__append(out, "\"", 1);
    if (is_relative)
        npart__json_text(out, "uriBaseId", "%SRCROOT%");
    npart__json_close(out, '}');
}

/* All four numbers are given, as GitHub asks for them. Of columns nothing is known: from column 1 to column 1,
 * which is exclusive, is the place before the line's first character. */
static void put_place(struct sarif *sarif, struct npart__place place)
{
    npart__json_open(sarif->out, "physicalLocation", '{');
    put_artifact(sarif->out, sarif->document, "artifactLocation", place);
    npart__json_open(sarif->out, "region", '{');
    npart__json_number(sarif->out, "startLine", place.line);
    npart__json_value(sarif->out, "startColumn", "1");
    npart__json_number(sarif->out, "endLine", place.line);
    npart__json_value(sarif->out, "endColumn", "1");
    npart__json_close(sarif->out, '}');
    npart__json_close(sarif->out, '}');
}

/* A node by its name, within the bodies and functions that hold it; one without a name by its operator.
 * "0:then_branch/conv1" of a node in a branch. A node without a name is told by its place in its graph, and
 * NPART_NONE (a cause at no node) has no logical location. */
static void put_node(struct sarif *sarif, const npart_model *model, uint32_t id)
{
    npart_document *document = sarif->document;
    struct npart_node node = {.size = sizeof node, .name = "", .op = ""};
    struct npart__buffer full = {.arena = &document->arena};
    if (!npart_model_node(model, id, &node))
        return;
    while (npart__buffer_lacks(&document->scratch,
                               npart_model_graph_path(model, node.graph, NPART__ROOM(&document->scratch))))
        continue;
    npart__append_text(&full, npart__buffer_text(&document->scratch));
    npart__append_text(&full, full.size ? "/" : "");
    if (*node.name)
        npart__append_text(&full, node.name);
    else
        npart__append_format(&full, "%u", node.index);
    npart__json_open(sarif->out, "logicalLocations", '[');
    npart__json_open(sarif->out, NULL, '{');
    npart__json_text(sarif->out, "fullyQualifiedName", npart__plain_text(document, npart__buffer_text(&full)));
    npart__json_text(sarif->out, "name", npart__plain_text(document, *node.name ? node.name : node.op));
    npart__json_text(sarif->out, "kind", "node");
    npart__json_close(sarif->out, '}');
    npart__json_close(sarif->out, ']');
    npart__buffer_release(&full);
}

/* A text that is put together, and closed. */
static void put_message(struct sarif *sarif, struct npart__buffer *text)
{
    npart__add_sarif_text(sarif->document, sarif->out, "message", npart__buffer_text(text));
    npart__buffer_release(text);
}

/* Whether there is room for another result. Called before anything of a result is written; the caller then goes on
 * to its closing brace. */
static bool begin_result(struct sarif *sarif)
{
    if (sarif->result_count == MOST_RESULTS) {
        sarif->left_out++;
        return false;
    }
    npart__append_text(sarif->out, sarif->result_count++ ? ",\n" : "\n");
    npart__json_open(sarif->out, NULL, '{');
    return true;
}

static void put_rule(struct sarif *sarif, const char *id, uint32_t place, const char *level)
{
    npart__json_text(sarif->out, "ruleId", id);
    npart__json_number(sarif->out, "ruleIndex", place);
    npart__json_text(sarif->out, "level", level);
}

/* Stays the same when nodes are renamed or move to other lines: 16 digits, and the how manieth of its kind. GitHub
 * knows it by the name of the first member. Without it GitHub's upload makes one of the text of the source's line,
 * and an alert that was dismissed comes back once that line is another. The number tells results apart whose hash
 * is the same, in the order of the plan's causes. */
static void put_fingerprint(struct sarif *sarif, uint64_t hash, struct npart__table *told)
{
    char digits[20];
    (void)snprintf(digits, sizeof digits, "%016llx", (unsigned long long)hash);
    uint32_t *count = npart__table_at(told, digits), number = count ? ++*count : 1;
    npart__json_open(sarif->out, "partialFingerprints", '{');
    npart__json_key(sarif->out, "primaryLocationLineHash");
    npart__append_format(sarif->out, "\"%s:%u\"", digits, number);
    npart__json_close(sarif->out, '}');
}

/* ---- causes ------------------------------------------------------------------------------------------------ */

/* Two passes over the nodes: how many each cause affects, and which. Counted two places further on, summed up, and
 * moved by one place while filling: so in the end starts[c] is where those of cause c begin, without a second
 * array. Nodes of no cause have NPART_NONE, which is no number below the count. Linear. */
static void gather_affected(struct plan *plan)
{
    struct npart_node_plan at = {.size = sizeof at};
    uint32_t count = plan->info.cause_count, node_count = 0;
    plan->starts = npart__arena_zeroed(&plan->arena, count + (size_t)2, sizeof *plan->starts);
    for (; npart_plan_node(plan->pair->plan, node_count, &at); node_count++)
        if (plan->starts && at.cause < count)
            plan->starts[at.cause + 2]++;
    plan->affected = npart__arena_zeroed(&plan->arena, node_count + (size_t)1, sizeof *plan->affected);
    if (!plan->starts || !plan->affected)
        return;
    for (uint32_t i = 2; i < count + 2; i++)
        plan->starts[i] += plan->starts[i - 1];
    for (uint32_t i = 0; i < node_count; i++)
        if (npart_plan_node(plan->pair->plan, i, &at) && at.cause < count)
            plan->affected[plan->starts[at.cause + 1]++] = i;
}

/* Numbers count from 1 within the result. They are all written with their lines, since affected nodes may stand in
 * many files. */
static void put_related(struct sarif *sarif, const struct plan *plan, uint32_t cause)
{
    uint32_t first = plan->starts[cause], end = plan->starts[cause + 1];
    end = end - first > MOST_RELATED ? first + MOST_RELATED : end;
    npart__json_open(sarif->out, "relatedLocations", '[');
    for (uint32_t i = first; i < end; i++) {
        struct npart__buffer text = {.arena = &sarif->document->arena};
        npart__json_open(sarif->out, NULL, '{');
        npart__json_number(sarif->out, "id", (int64_t)i - first + 1);
        npart__add_node_text(sarif->document, &text, plan->model, plan->affected[i]);
        put_message(sarif, &text);
        put_place(sarif, npart__place_of_node(plan->entry, plan->model, plan->affected[i]));
        put_node(sarif, plan->model, plan->affected[i]);
        npart__json_close(sarif->out, '}');
    }
    npart__json_close(sarif->out, ']');
}

/* The first sentence is a title of its own. "Pad: mode must be constant: 2 nodes fall back to the CPU
 * (hexagon:v73). Found mode = wrap. What to do: ...". Where room is short GitHub shows the first sentence alone.
 * `found` is in the document's scratch, so nothing here may let a getter write there. */
static void put_cause_message(struct sarif *sarif, const struct plan *plan, uint32_t id,
                              const struct npart_cause *cause, const char *found)
{
    struct npart_action action = {.size = sizeof action};
    struct npart__buffer text = {.arena = &sarif->document->arena};
    npart__append_text(&text, cause->text);
    npart__append_text(&text, ": ");
    npart__add_affected(&text, cause);
    npart__append_format(&text, " (%s).", plan->info.label);
    if (*found) {
        npart__append_text(&text, " Found ");
        npart__append_text(&text, found);
        npart__append_text(&text, ".");
    }
    if (npart__find_action(sarif->document, plan->pair->advice, id, &action)) {
        npart__append_text(&text, " What to do: ");
        npart__add_short_action(sarif->document, &text, &action);
        npart__append_text(&text, ".");
    }
    if (plan->starts[id + 1] - plan->starts[id] > MOST_RELATED)
        npart__append_format(&text, " The first %u nodes are told.", MOST_RELATED);
    put_message(sarif, &text);
}

/* What thresholds accept, and was there before, is known and nothing to look at. */
static void put_suppression(struct sarif *sarif, const char *justification)
{
    npart__json_open(sarif->out, "suppressions", '[');
    npart__json_open(sarif->out, NULL, '{');
    npart__json_text(sarif->out, "kind", "external");
    npart__append_sarif_text(sarif->document, sarif->out, "justification", justification);
    npart__append_text(sarif->out, "}]");
}

/* `baselineState` only where there is a baseline: else nothing is known of what was there before. */
static void put_news(struct sarif *sarif, const struct plan *plan, uint32_t id)
{
    static const char *const justifications[] = {
        [NPART__NEWS_ACCEPTED] = "all thresholds are met or accepted",
        [NPART__NEWS_OLD] = "as in the baseline",
        [NPART__NEWS_TOLD] = "told by threshold/baseline",
        [NPART__NEWS_NEW] = NULL,
    };
    struct npart_threshold_outcome comparison;
    size_t place = (size_t)(plan->pair - plan->entry->plans);
    enum npart__news news = npart__news_of(plan->entry, place, id);
    if (npart__comparison(plan->entry, place, &comparison))
        npart__json_text(sarif->out, "baselineState", news == NPART__NEWS_OLD ? "unchanged" : "new");
    if (justifications[news])
        put_suppression(sarif, justifications[news]);
}

/* Read in one go, as what was found must be used before another getter writes. Undecided nodes are a note and nodes
 * that fall back a warning; an error is only what misses a threshold, as that is what the user asked to be told of. */
static void put_cause(struct sarif *sarif, struct plan *plan, uint32_t id)
{
    struct npart_cause cause = {.size = sizeof cause};
    struct npart_action action = {.size = sizeof action};
    uint32_t node;
    if (!begin_result(sarif))
        return;
    const char *found = npart__read_cause(sarif->document, plan->pair->plan, id, &cause);
    uint32_t rule = npart__sarif_rule(&sarif->rules, plan->pair->plan, &cause);
    struct npart__place place = npart__place_of_cause(plan->entry, plan->model, &cause, &node);
    put_rule(sarif, cause.rule_id, rule, cause.is_unknown ? "note" : "warning");
    put_cause_message(sarif, plan, id, &cause, found);
    npart__json_open(sarif->out, "locations", '[');
    npart__json_open(sarif->out, NULL, '{');
    put_place(sarif, place);
    put_node(sarif, plan->model, node);
    npart__append_text(sarif->out, "}]");
    put_artifact(sarif->out, sarif->document, "analysisTarget", npart__place_of_model(plan->entry));
    put_related(sarif, plan, id);
    put_fingerprint(sarif, npart__cause_hash(sarif->document, plan->entry, plan->model, plan->info.label, &cause),
                    &plan->told);
    npart__json_open(sarif->out, "properties", '{');
    npart__json_text(sarif->out, "target", plan->info.label);
    npart__json_number(sarif->out, "affectedNodes", cause.affected_count);
    npart__json_number(sarif->out, "endedPartitions", cause.cut_count);
    npart__json_flag(sarif->out, "failsToCompile", cause.is_fatal);
    npart__json_decimal_or_null(sarif->out, "cpuMs", cause.cpu_ms);
    if (npart__find_action(sarif->document, plan->pair->advice, id, &action) && action.run &&
        !npart__is_long_action(&action))
        npart__json_texts(sarif->out, "run", action.run, action.run_count);
    npart__json_close(sarif->out, '}');
    put_news(sarif, plan, id);
    npart__json_close(sarif->out, '}');
}

/* A toolExecutionNotification. `entry`: the model that it is about, or NULL. The text is closed. */
static void notify(struct sarif *sarif, const char *level, struct npart__buffer *text, const struct npart_entry *entry)
{
    struct npart__buffer *out = &sarif->notifications;
    npart__json_open(out, NULL, '{');
    npart__json_text(out, "level", level);
    npart__add_sarif_text(sarif->document, out, "message", npart__buffer_text(text));
    if (entry) {
        npart__json_open(out, "locations", '[');
        npart__json_open(out, NULL, '{');
        npart__json_open(out, "physicalLocation", '{');
        put_artifact(out, sarif->document, "artifactLocation", npart__place_of_model(entry));
        npart__append_text(out, "}}]");
    }
    npart__json_close(out, '}');
    npart__buffer_release(text);
}

/* What the messages of causes have no room for, once. */
static void tell_long_actions(struct sarif *sarif, const struct npart_entry *entry, const struct npart_plan_pair *pair,
                              const char *target)
{
    struct npart_action action = {.size = sizeof action};
    for (uint32_t i = 0; npart_advice_action(pair->advice, i, &action); i++) {
        struct npart__buffer text = {.arena = &sarif->document->arena};
        if (!npart__is_long_action(&action))
            continue;
        npart__append_format(&text, "%s: ", target);
        npart__add_action(sarif->document, &text, &action);
        notify(sarif, "note", &text, entry);
    }
}

/* An arena of its own, so that a run over many models does not keep the lists of all of them. */
static void put_plan(struct sarif *sarif, const struct npart_entry *entry, const struct npart_plan_pair *pair)
{
    struct plan plan = {.entry = entry, .pair = pair};
    npart__part_open(&plan.arena, &sarif->document->arena);
    plan.info.size = sizeof plan.info;
    plan.told.arena = &plan.arena;
    plan.model = npart_inference_model(npart_plan_view(pair->plan));
    (void)npart_plan_info(pair->plan, &plan.info);
    gather_affected(&plan);
    for (uint32_t i = 0; i < plan.info.cause_count && !plan.arena.failed && !sarif->document->arena.failed; i++)
        put_cause(sarif, &plan, i);
    npart__part_end(&plan.arena, &sarif->document->arena);
    tell_long_actions(sarif, entry, pair, plan.info.label);
}

/* ---- thresholds -------------------------------------------------------------------------------------------- */

/* "threshold/fail-on-split" */
static const char *rule_of(struct npart__buffer *id, const char *threshold)
{
    npart__append_text(id, "threshold/");
    for (; *threshold; threshold++)
        npart__append(id, *threshold == ' ' ? "-" : threshold, 1);
    return npart__buffer_text(id);
}

/* What is waived is written as well, as a note that is suppressed: so it stays known, with the reason why it is
 * accepted. Of a threshold of the model there is no target; the getter of NULL leaves "". */
static void put_outcome(struct sarif *sarif, const struct npart_entry *entry, const struct npart_threshold_outcome *at,
                        struct npart__table *told)
{
    struct npart_plan_info info = {.size = sizeof info, .label = ""};
    struct npart_action action = {.size = sizeof action};
    struct npart__place model = npart__place_of_model(entry), place = model;
    struct npart__buffer text, id;
    uint64_t hash = NPART__HASH;
    uint32_t node = NPART_NONE;
    if (!begin_result(sarif))
        return;
    npart__buffer_init(&id, &sarif->document->arena);
    (void)rule_of(&id, npart__plain_text(sarif->document, at->threshold));
    const struct npart_plan_pair *pair = at->plan == NPART_NONE ? NULL : &entry->plans[at->plan];
    (void)npart_plan_info(pair ? pair->plan : NULL, &info);
    uint32_t rule = npart__sarif_threshold(&sarif->rules, npart__buffer_text(&id), at->threshold);
    put_rule(sarif, npart__buffer_text(&id), rule, at->waiver ? "note" : "error");
    npart__buffer_init(&text, &sarif->document->arena);
    npart__append_text(&text, at->text);
    npart__append_format(&text, "%s%s%s.", pair ? " (" : "", info.label, pair ? ")" : "");
    if (pair && npart_advice_action(pair->advice, 0, &action)) {
        npart__append_text(&text, " Do first: ");
        npart__add_action(sarif->document, &text, &action);
        npart__append_text(&text, ".");
    }
    put_message(sarif, &text);
    npart__json_open(sarif->out, "locations", '[');
    npart__json_open(sarif->out, NULL, '{');
    const npart_model *seen = pair ? npart_inference_model(npart_plan_view(pair->plan)) : NULL;
    if (pair)
        place = npart__place_of_nodes(entry, seen, at->nodes, at->node_count, &node);
    put_place(sarif, place);
    if (node != NPART_NONE)
        put_node(sarif, seen, node);
    npart__append_text(sarif->out, "}]");
    put_artifact(sarif->out, sarif->document, "analysisTarget", model);
    (void)npart__relative(sarif->document, &model);
    hash = npart__hash_text(hash, model.file);
    hash = npart__hash_text(hash, info.label);
    hash = npart__hash_text(hash, at->threshold);
    put_fingerprint(sarif, hash, told);
    if (at->is_comparison)
        npart__json_text(sarif->out, "baselineState", "new");
    if (at->waiver)
        put_suppression(sarif, at->waiver);
    npart__json_close(sarif->out, '}');
    npart__buffer_release(&id);
}

/* Outcomes that are met are no results: viewers take every result for something to look at. */
static void put_outcomes(struct sarif *sarif, const struct npart_entry *entry)
{
    struct npart__arena arena;
    struct npart__table told = {.arena = &arena};
    npart__part_open(&arena, &sarif->document->arena);
    for (size_t i = 0; i < entry->outcome_count && !sarif->document->arena.failed; i++) {
        const struct npart_threshold_outcome held = npart__outcome(entry, i);
        if (!held.is_met)
            put_outcome(sarif, entry, &held, &told);
    }
    npart__part_end(&arena, &sarif->document->arena);
}

/* ---- the document ------------------------------------------------------------------------------------------ */

static void begin(npart_document *document)
{
    struct sarif *sarif = npart__arena_zeroed(&document->arena, 1, sizeof *sarif);
    document->state = sarif;
    if (!sarif)
        return;
    sarif->document = sarif->rules.document = document;
    sarif->out = &document->out;
    sarif->rules.ids.arena = &document->arena;
    npart__buffer_init(&sarif->rules.json, &document->arena);
    npart__buffer_init(&sarif->notifications, &document->arena);
    npart__json_open(sarif->out, NULL, '{');
    npart__json_text(sarif->out, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    npart__json_text(sarif->out, "version", "2.1.0");
    npart__json_open(sarif->out, "runs", '[');
    npart__json_open(sarif->out, NULL, '{');
    npart__json_open(sarif->out, "results", '[');
}

/* Of a model what misses a threshold comes first, since where results are too many the last ones are left out. */
static void add(npart_document *document, const struct npart_entry *entry)
{
    struct sarif *sarif = document->state;
    put_outcomes(sarif, entry);
    for (size_t i = 0; i < entry->plan_count; i++)
        put_plan(sarif, entry, &entry->plans[i]);
    if (entry->error) {
        struct npart__buffer text = {.arena = &document->arena};
        npart__append_text(&text, entry->path);
        npart__append_format(&text, ": %s%s%s", entry->error->place, *entry->error->place ? ": " : "",
                             entry->error->message);
        notify(sarif, "error", &text, entry);
        sarif->has_failed = true;
    }
}

/* %SRCROOT% has no URI on purpose: whoever uploads the file knows where the sources are. */
static void end(npart_document *document)
{
    struct sarif *sarif = document->state;
    if (sarif->left_out) {
        struct npart__buffer text = {.arena = &document->arena};
        npart__append_format(&text, "%u results are left out: a run has at most %u", sarif->left_out, MOST_RESULTS);
        notify(sarif, "warning", &text, NULL);
    }
    npart__append_text(sarif->out, "],\n");
    npart__json_open(sarif->out, "tool", '{');
    npart__json_open(sarif->out, "driver", '{');
    npart__json_text(sarif->out, "name", "npu-partition");
    npart__json_text(sarif->out, "version", npart_version());
    npart__json_text(sarif->out, "semanticVersion", npart_version());
    npart__json_open(sarif->out, "rules", '[');
    npart__append_text(sarif->out, npart__buffer_text(&sarif->rules.json));
    npart__append_text(sarif->out, "]}},\n");
    npart__json_open(sarif->out, "invocations", '[');
    npart__json_open(sarif->out, NULL, '{');
    npart__json_flag(sarif->out, "executionSuccessful", !sarif->has_failed);
    npart__json_open(sarif->out, "toolExecutionNotifications", '[');
    npart__append_text(sarif->out, npart__buffer_text(&sarif->notifications));
    npart__append_text(sarif->out, "]}],\n\"originalUriBaseIds\":{\"%SRCROOT%\":{\"description\":{\"text\":\"the "
                                   "folder to which paths are relative\"}}},\"columnKind\":\"unicodeCodePoints\"}]}\n");
}

static void drop(npart_document *document)
{
    struct sarif *sarif = document->state;
    if (!sarif)
        return;
    npart__buffer_release(&sarif->rules.json);
    npart__buffer_release(&sarif->notifications);
}

const struct npart__writer npart__sarif_writer = {begin, add, end, drop};
