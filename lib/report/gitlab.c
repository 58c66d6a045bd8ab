/* SPDX-License-Identifier: Apache-2.0
 *
 * GitLab's Code Quality report (docs.gitlab.com, "Code Quality report format"): an array of findings, each with a
 * description, a rule, a fingerprint, a severity and a line. What fails comes first of each model, then what is new;
 * what is accepted is left out, as GitLab has no place for it.
 */
#include <stdio.h>

#include "report/document.h"

struct gitlab {
    uint32_t count;
    struct npart__table told; /* how often each fingerprint came */
};

/* A finding whole; the message is closed. GitLab takes the first of two with one fingerprint, hence the number. */
static void put_finding(npart_document *document, const struct npart__place *at, const char *rule,
                        const char *severity, uint64_t hash, struct npart__buffer *message)
{
    struct gitlab *gitlab = document->state;
    struct npart__buffer *out = &document->out, path = {.arena = &document->arena};
    struct npart__place place = *at;
    char digits[32];
    (void)snprintf(digits, sizeof digits, "%016llx", (unsigned long long)hash);
    uint32_t *count = npart__table_at(&gitlab->told, digits);
    (void)snprintf(digits, sizeof digits, "%016llx%04x", (unsigned long long)hash, count ? ++*count : 0);
    (void)npart__relative(document, &place);
    npart__append(&path, place.file, place.file_bytes);
    npart__append_text(out, gitlab->count++ ? ",\n" : "\n");
    npart__json_open(out, NULL, '{');
    npart__json_text(out, "description", npart__plain_text(document, npart__buffer_text(message)));
    npart__json_text(out, "check_name", npart__plain_text(document, rule));
    npart__json_text(out, "fingerprint", digits);
    npart__json_text(out, "severity", severity);
    npart__json_open(out, "location", '{');
    npart__json_text(out, "path", npart__plain_text(document, npart__buffer_text(&path)));
    npart__json_open(out, "lines", '{');
    npart__json_number(out, "begin", place.line);
    npart__append_text(out, "}}}");
    npart__buffer_release(&path);
    npart__buffer_release(message);
}

/* Only a file of the repository can be shown; else the model is. */
static struct npart__place inside(const npart_document *document, const struct npart_entry *entry,
                                  struct npart__place place)
{
    struct npart__place relative = place;
    return npart__relative(document, &relative) ? place : npart__place_of_model(entry);
}

static void put_outcome(npart_document *document, const struct npart_entry *entry,
                        const struct npart_threshold_outcome *at)
{
    const struct npart_plan_pair *pair = at->plan == NPART_NONE ? NULL : &entry->plans[at->plan];
    struct npart_plan_info info = {.size = sizeof info, .label = ""};
    struct npart_action action = {.size = sizeof action};
    struct npart__buffer message = {.arena = &document->arena};
    struct npart__place place = npart__place_of_model(entry), model = place;
    uint32_t node;
    (void)npart_plan_info(pair ? pair->plan : NULL, &info);
    npart__append_format(&message, "%s%s", info.label, pair ? ": " : "");
    npart__append_text(&message, at->text);
    if (pair && npart_advice_action(pair->advice, 0, &action)) {
        npart__append_text(&message, ". Do first: ");
        npart__add_short_action(document, &message, &action);
    }
    if (pair)
        place = npart__place_of_nodes(entry, npart_inference_model(npart_plan_view(pair->plan)), at->nodes,
                                      at->node_count, &node);
    place = inside(document, entry, place);
    (void)npart__relative(document, &model);
    uint64_t hash = npart__hash_text(NPART__HASH, model.file);
    hash = npart__hash_text(hash, info.label);
    put_finding(document, &place, at->threshold, "major", npart__hash_text(hash, at->threshold), &message);
}

static void put_cause(npart_document *document, const struct npart_entry *entry, const struct npart_plan_pair *pair,
                      const char *target, uint32_t id)
{
    const npart_model *model = npart_inference_model(npart_plan_view(pair->plan));
    struct npart_cause cause = {.size = sizeof cause};
    struct npart_action action = {.size = sizeof action};
    struct npart__buffer message;
    uint32_t node;
    if (!npart_plan_cause(pair->plan, id, &cause, NULL, 0) || cause.is_unknown)
        return;
    struct npart__place place = inside(document, entry, npart__place_of_cause(entry, model, &cause, &node));
    npart__buffer_init(&message, &document->arena);
    npart__append_format(&message, "%s: ", target);
    npart__append_text(&message, cause.text);
    npart__append_text(&message, ": ");
    npart__add_affected(&message, &cause);
    if (npart__find_action(document, pair->advice, id, &action)) {
        npart__append_text(&message, ". What to do: ");
        npart__add_short_action(document, &message, &action);
    }
    uint64_t hash = npart__cause_hash(document, entry, model, target, &cause);
    put_finding(document, &place, cause.rule_id, "minor", hash, &message);
}

/* ---- the document ------------------------------------------------------------------------------------------ */

static void begin(npart_document *document)
{
    struct gitlab *gitlab = npart__arena_zeroed(&document->arena, 1, sizeof *gitlab);
    document->state = gitlab;
    if (gitlab)
        gitlab->told.arena = &document->arena;
    npart__append_text(&document->out, "[");
}

static void add(npart_document *document, const struct npart_entry *entry)
{
    struct npart_plan_info info = {.size = sizeof info};
    for (size_t i = 0; i < entry->outcome_count; i++) {
        const struct npart_threshold_outcome held = npart__outcome(entry, i);
        if (!held.is_met && !held.waiver)
            put_outcome(document, entry, &held);
    }
    if (entry->error) {
        struct npart__place place = npart__place_of_model(entry);
        struct npart__buffer message = {.arena = &document->arena};
        npart__append_format(&message, "cannot be analyzed: %s%s%s", entry->error->place,
                             *entry->error->place ? ": " : "", entry->error->message);
        put_finding(document, &place, "analysis", "critical", npart__hash_text(NPART__HASH, entry->path), &message);
    }
    for (size_t i = 0; i < entry->plan_count; i++) {
        (void)npart_plan_info(entry->plans[i].plan, &info);
        for (uint32_t k = 0; k < info.cause_count; k++)
            if (npart__is_news(npart__news_of(entry, i, k)))
                put_cause(document, entry, &entry->plans[i], info.label, k);
    }
}

static void end(npart_document *document)
{
    npart__append_text(&document->out, "]\n");
}

const struct npart__writer npart__gitlab_writer = {begin, add, end, NULL};
