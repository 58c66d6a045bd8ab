/* SPDX-License-Identifier: Apache-2.0
 *
 * JUnit XML, as Jenkins and GitLab read it: a test suite for each model, a test case for each target and threshold.
 * Where no threshold was set, that a model could be analyzed for a target is the test case. No times: equal input gives
 * equal bytes.
 */
#include "report/document.h"

/* Texts from a model may hold what XML 1.0 cannot: plain text first, then XML's own escapes. */
static void put_text(npart_document *document, struct npart__buffer *out, const char *text)
{
    npart__add_xml(out, npart__plain_text(document, text));
}

static void put_attribute(npart_document *document, const char *name, const char *value)
{
    npart__append_format(&document->out, " %s=\"", name);
    put_text(document, &document->out, value);
    npart__append_text(&document->out, "\"");
}

/* The tag is left open: a case that is passed ends at once, another has an element in it. Readers take class and
 * name together for what a test is called, so both are the same from run to run. */
static void begin_case(npart_document *document, const struct npart_entry *entry, const char *target,
                       const char *threshold)
{
    struct npart__buffer name = {.arena = &document->arena};
    npart__append_format(&name, "%s%s%s", target, *target ? ": " : "", threshold);
    npart__append_text(&document->out, "    <testcase");
    put_attribute(document, "classname", entry->path);
    put_attribute(document, "name", npart__buffer_text(&name));
    npart__buffer_release(&name);
}

/* What a developer needs to see in the failure itself. Each line is escaped by itself, as plain text has no line
 * ends. */
static void put_reason(npart_document *document, const struct npart_plan_pair *pair)
{
    struct npart_cause cause = {.size = sizeof cause};
    struct npart_action action = {.size = sizeof action};
    struct npart__buffer text = {.arena = &document->arena};
    if (npart_plan_cause(pair->plan, 0, &cause, NULL, 0)) {
        npart__append_format(&text, "First cause: %s: ", cause.text);
        npart__add_affected(&text, &cause);
        put_text(document, &document->out, npart__buffer_text(&text));
        npart__append_text(&document->out, "\n");
        text.size = 0;
    }
    if (npart_advice_action(pair->advice, 0, &action)) {
        npart__append_text(&text, "Do first: ");
        npart__add_short_action(document, &text, &action);
        put_text(document, &document->out, npart__buffer_text(&text));
        npart__append_text(&document->out, "\n");
    }
    npart__buffer_release(&text);
}

/* In JUnit's words: met is a case without more, waived is `skipped`, not met is a `failure`, with the reason in its
 * text. Of the model as a whole there is no target before the threshold's name, and no reason. */
static void put_outcome(npart_document *document, const struct npart_entry *entry,
                        const struct npart_threshold_outcome *at)
{
    struct npart_plan_info info = {.size = sizeof info, .label = ""};
    struct npart__buffer *out = &document->out;
    const struct npart_plan_pair *pair = at->plan == NPART_NONE ? NULL : &entry->plans[at->plan];
    (void)npart_plan_info(pair ? pair->plan : NULL, &info);
    begin_case(document, entry, info.label, at->threshold);
    if (at->is_met) {
        npart__append_text(out, "/>\n");
        return;
    }
    npart__append_text(out, at->waiver ? ">\n      <skipped" : ">\n      <failure");
    if (at->waiver) {
        struct npart__buffer text = {.arena = &document->arena};
        npart__append_format(&text, "%s; accepted: ", at->text);
        npart__append_text(&text, at->waiver);
        put_attribute(document, "message", npart__buffer_text(&text));
        npart__buffer_release(&text);
        npart__append_text(out, "/>\n    </testcase>\n");
        return;
    }
    put_attribute(document, "message", at->text);
    npart__append_text(out, " type=\"threshold\">");
    if (pair)
        put_reason(document, pair);
    npart__append_text(out, "</failure>\n    </testcase>\n");
}

/* An `error` is what could not be tested, a `failure` what did not pass. */
static void put_error(npart_document *document, const struct npart_entry *entry)
{
    struct npart__buffer text = {.arena = &document->arena};
    npart__append_format(&text, "%s%s%s", entry->error->place, *entry->error->place ? ": " : "", entry->error->message);
    begin_case(document, entry, "", "analysis");
    npart__append_text(&document->out, ">\n      <error");
    put_attribute(document, "message", npart__buffer_text(&text));
    put_attribute(document, "type", npart_status_text(entry->error->status));
    npart__append_text(&document->out, "/>\n    </testcase>\n");
    npart__buffer_release(&text);
}

/* Whether a threshold was asked for of the plan; those of the model as a whole do not count. */
static bool has_outcome(const struct npart_entry *entry, size_t plan)
{
    for (size_t i = 0; i < entry->outcome_count; i++)
        if (npart__outcome(entry, i).plan == plan)
            return true;
    return false;
}

/* ---- the document ------------------------------------------------------------------------------------------ */

static void begin(npart_document *document)
{
    npart__append_text(&document->out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                       "<testsuites name=\"npu-partition\">\n");
}

/* The numbers stand before the cases, so they are counted first, by the same rules as `add` has: each outcome, each
 * plan without one, and the error. */
static void begin_suite(npart_document *document, const struct npart_entry *entry)
{
    size_t failures = 0, skipped = 0, tests = entry->outcome_count + (entry->error != NULL);
    for (size_t i = 0; i < entry->outcome_count; i++) {
        const struct npart_threshold_outcome held = npart__outcome(entry, i), *at = &held;
        skipped += !at->is_met && at->waiver;
        failures += !at->is_met && !at->waiver;
    }
    for (size_t i = 0; i < entry->plan_count; i++)
        tests += !has_outcome(entry, i);
    npart__append_text(&document->out, "  <testsuite");
    put_attribute(document, "name", entry->path);
    npart__append_format(&document->out, " tests=\"%zu\" failures=\"%zu\" errors=\"%d\" skipped=\"%zu\">\n", tests,
                         failures, entry->error != NULL, skipped);
}

static void add(npart_document *document, const struct npart_entry *entry)
{
    struct npart_plan_info info = {.size = sizeof info};
    begin_suite(document, entry);
    for (size_t i = 0; i < entry->outcome_count; i++) {
        const struct npart_threshold_outcome held = npart__outcome(entry, i);
        put_outcome(document, entry, &held);
    }
    for (size_t i = 0; i < entry->plan_count; i++) {
        if (has_outcome(entry, i))
            continue;
        (void)npart_plan_info(entry->plans[i].plan, &info);
        begin_case(document, entry, info.label, "analysis");
        npart__append_text(&document->out, "/>\n");
    }
    if (entry->error)
        put_error(document, entry);
    npart__append_text(&document->out, "  </testsuite>\n");
}

static void end(npart_document *document)
{
    npart__append_text(&document->out, "</testsuites>\n");
}

const struct npart__writer npart__junit_writer = {begin, add, end, NULL};
