/* SPDX-License-Identifier: Apache-2.0
 *
 * Workflow commands of GitHub Actions: an error for each threshold that is not met and each model that cannot be
 * analyzed, a warning for each cause of nodes that fall back or fail to compile. With a baseline only new causes are
 * told, and the first of them by the error. What is accepted is a number in the log, and no command. Few of them are
 * shown, so warnings are gathered, and the first cause of each plan comes before the second of any.
 */
#include "report/document.h"

/* That GitHub shows of a step, of errors and of warnings. */
#define MOST_ANNOTATIONS 10u

struct github {
    struct npart__buffer ranks[MOST_ANNOTATIONS]; /* warnings by their place among those of their plan, each a line */
    uint32_t counts[MOST_ANNOTATIONS]; /* of lines in them */
    uint32_t errors, warnings; /* all of them, shown or not */
    uint32_t accepted; /* causes that are told as a number */
};

/* Outside text. `%` begins an escape, and `:` and `,` end a property; line ends are none any more. The runner takes
 * "##[" for a command wherever it stands. A blank after the first `#` ends that; text that was "##[error]" is then
 * "# #[error]". */
static void put_text(npart_document *document, struct npart__buffer *out, const char *text, bool is_property)
{
    for (const char *at = npart__plain_text(document, text); *at; at++) {
        if (*at == '%')
            npart__append_text(out, "%25");
        else if (is_property && *at == ':')
            npart__append_text(out, "%3A");
        else if (is_property && *at == ',')
            npart__append_text(out, "%2C");
        else
            npart__append(out, at, 1);
        if (at[0] == '#' && at[1] == '#')
            npart__append_text(out, " ");
    }
}

/* The file is no text with a NUL, hence the copy. */
static void put_place(npart_document *document, struct npart__buffer *out, const struct npart__place *place)
{
    struct npart__buffer path = {.arena = &document->arena};
    npart__append(&path, place->file, place->file_bytes);
    npart__append_text(out, " file=");
    put_text(document, out, npart__buffer_text(&path), true);
    npart__append_format(out, ",line=%lld", (long long)place->line);
    npart__buffer_release(&path);
}

/* `::error file=...,line=...,title=...::message`, which must be a line of its own. The message is closed here. */
static void put_command(npart_document *document, struct npart__buffer *out, const char *command,
                        const struct npart__place *place, const char *title, struct npart__buffer *message)
{
    npart__append_format(out, "::%s", command);
    put_place(document, out, place);
    npart__append_text(out, ",title=");
    put_text(document, out, title, true);
    npart__append_text(out, "::");
    put_text(document, out, npart__buffer_text(message), false);
    npart__append_text(out, "\n");
    npart__buffer_release(message);
}

/* Errors are written at once, the first ten of all models: none of them counts more than another. Closes the
 * message, shown or not. */
static void put_error(npart_document *document, const struct npart__place *at, const char *title,
                      struct npart__buffer *message)
{
    struct github *github = document->state;
    struct npart__place place = *at;
    (void)npart__relative(document, &place);
    if (github->errors++ < MOST_ANNOTATIONS)
        put_command(document, &document->out, "error", &place, title, message);
    else
        npart__buffer_release(message);
}

/* "model.onnx, hexagon:v73: 4 partitions, threshold: at most 1. Do first: ..."; of the model as a whole there is no
 * target, and no advice. */
static void put_outcome(npart_document *document, const struct npart_entry *entry,
                        const struct npart_threshold_outcome *at)
{
    struct npart_plan_info info = {.size = sizeof info, .label = ""};
    struct npart_action action = {.size = sizeof action};
    struct npart__buffer message = {.arena = &document->arena};
    const struct npart_plan_pair *pair = at->plan == NPART_NONE ? NULL : &entry->plans[at->plan];
    (void)npart_plan_info(pair ? pair->plan : NULL, &info);
    npart__append_text(&message, entry->path);
    npart__append_format(&message, "%s%s: ", pair ? ", " : "", info.label);
    npart__append_text(&message, at->text);
    if (pair && npart_advice_action(pair->advice, 0, &action)) {
        npart__append_text(&message, ". Do first: ");
        npart__add_short_action(document, &message, &action);
    }
    struct npart__place place = npart__place_of_model(entry), source = place;
    uint32_t node;
    if (pair)
        source = npart__place_of_nodes(entry, npart_inference_model(npart_plan_view(pair->plan)), at->nodes,
                                       at->node_count, &node);
    struct npart__place inside = source;
    put_error(document, npart__relative(document, &inside) ? &source : &place, at->threshold, &message);
}

/* Only a file of the repository can be annotated; another is named. Causes of undecided nodes are no warnings; returns
 * whether it is one. All are counted. Of each rank (its place among the plan's warnings) no more than ten are put
 * together, and of each plan none after the tenth, as more are not shown. */
static bool put_cause(npart_document *document, const struct npart_entry *entry, const struct npart_plan_pair *pair,
                      uint32_t id, uint32_t rank)
{
    struct github *github = document->state;
    const npart_model *model = npart_inference_model(npart_plan_view(pair->plan));
    struct npart_plan_info info = {.size = sizeof info};
    struct npart_cause cause = {.size = sizeof cause};
    struct npart_action action = {.size = sizeof action};
    struct npart__buffer message;
    uint32_t node;
    if (!npart_plan_cause(pair->plan, id, &cause, NULL, 0) || cause.is_unknown)
        return false;
    github->warnings++;
    if (rank >= MOST_ANNOTATIONS || github->counts[rank] == MOST_ANNOTATIONS)
        return true;
    github->counts[rank]++;
    (void)npart_plan_info(pair->plan, &info);
    /* `noted` is for the message: the file as the exporter wrote it. `place` becomes relative to the root, or the
     * model's. */
    struct npart__place place = npart__place_of_cause(entry, model, &cause, &node), noted = place;
    npart__buffer_init(&message, &document->arena);
    npart__append_text(&message, entry->path);
    npart__append_format(&message, ", %s: %s: ", info.label, cause.text);
    npart__add_affected(&message, &cause);
    /* A source that lies outside of the repository, such as one on the machine that exported the model. */
    if (!npart__relative(document, &place) && place.is_source) {
        npart__append_text(&message, ", from ");
        npart__append(&message, noted.file, noted.file_bytes);
        npart__append_format(&message, ":%lld", (long long)noted.line);
        place = npart__place_of_model(entry);
        (void)npart__relative(document, &place);
    }
    if (npart__find_action(document, pair->advice, id, &action)) {
        npart__append_text(&message, ". What to do: ");
        npart__add_short_action(document, &message, &action);
    }
    put_command(document, &github->ranks[rank], "warning", &place, cause.rule_id, &message);
    return true;
}

/* ---- the document ------------------------------------------------------------------------------------------ */

/* A buffer takes no memory before something is added, so ten of them cost nothing where there are no causes. */
static void begin(npart_document *document)
{
    struct github *github = npart__arena_zeroed(&document->arena, 1, sizeof *github);
    document->state = github;
    for (size_t i = 0; github && i < MOST_ANNOTATIONS; i++)
        npart__buffer_init(&github->ranks[i], &document->arena);
}

/* A threshold that is waived gives no annotation. */
static void add(npart_document *document, const struct npart_entry *entry)
{
    struct npart_plan_info info = {.size = sizeof info};
    struct github *github = document->state;
    for (size_t i = 0; i < entry->outcome_count; i++) {
        const struct npart_threshold_outcome held = npart__outcome(entry, i);
        if (!held.is_met && !held.waiver)
            put_outcome(document, entry, &held);
    }
    if (entry->error) {
        struct npart__buffer message = {.arena = &document->arena};
        npart__append_text(&message, entry->path);
        npart__append_format(&message, ": %s%s%s", entry->error->place, *entry->error->place ? ": " : "",
                             entry->error->message);
        struct npart__place place = npart__place_of_model(entry);
        put_error(document, &place, "cannot be analyzed", &message);
    }
    for (size_t i = 0; i < entry->plan_count; i++) {
        uint32_t rank = 0;
        (void)npart_plan_info(entry->plans[i].plan, &info);
        for (uint32_t k = 0; k < info.cause_count; k++) {
            enum npart__news news = npart__news_of(entry, i, k);
            if (npart__is_news(news))
                rank += put_cause(document, entry, &entry->plans[i], k, rank);
            else if (github)
                github->accepted += news != NPART__NEWS_TOLD;
        }
    }
}

/* As many lines of a buffer as there is room for. Each line ends in "\n", the last one, too, and a command holds no
 * other: plain text has none. */
static void put_lines(struct npart__buffer *out, struct npart__buffer *lines, uint32_t *room)
{
    const char *at = npart__buffer_text(lines);
    while (*at && *room) {
        size_t length = strcspn(at, "\n") + 1;
        npart__append(out, at, length);
        at += length;
        --*room;
    }
}

/* Rank by rank, so that each plan has its first cause shown before any has its second. The notice is a command as
 * well; it takes no place among the ten of errors or warnings. */
static void end(npart_document *document)
{
    struct github *github = document->state;
    uint32_t room = MOST_ANNOTATIONS;
    uint32_t errors = github->errors > MOST_ANNOTATIONS ? github->errors - MOST_ANNOTATIONS : 0;
    for (size_t i = 0; i < MOST_ANNOTATIONS; i++)
        put_lines(&document->out, &github->ranks[i], &room);
    uint32_t warnings = github->warnings - (MOST_ANNOTATIONS - room);
    if (errors || warnings)
        npart__append_format(&document->out,
                             "::notice title=npu-partition::%u more error%s and %u more warning%s are not shown\n",
                             errors, errors == 1 ? "" : "s", warnings, warnings == 1 ? "" : "s");
    if (github->accepted)
        npart__append_format(&document->out, "npu-partition: %u accepted cause%s not annotated\n", github->accepted,
                             github->accepted == 1 ? " is" : "s are");
}

static void drop(npart_document *document)
{
    struct github *github = document->state;
    for (size_t i = 0; github && i < MOST_ANNOTATIONS; i++)
        npart__buffer_release(&github->ranks[i]);
}

const struct npart__writer npart__github_writer = {begin, add, end, drop};
