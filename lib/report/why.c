/* SPDX-License-Identifier: Apache-2.0
 *
 * Why nodes fall back, in a few lines: the reasons that cost most, each once, with one place to look at.
 */
#include <stdlib.h>

#include "report/page.h"

#define REASONS_SHOWN 6u
#define OPS_SHOWN 4u
#define LOST_COLUMNS 6u  /* at the end of a line */
#define LEAST_FOUND 24u  /* of what was found less says nothing */
#define WIDE 4u          /* with more reasons than this each has two lines, else three */

/* Causes that have one reason: "not supported by the provider", of several ops. */
struct reason {
    const char *text; /* without the op */
    const char *ops[OPS_SHOWN]; /* before the colon; none where the text needs none */
    uint32_t op_count, cause_count;
    uint32_t cause; /* the first */
    uint32_t affected, failing, first;
    bool is_fatal, is_unknown, is_cut, is_reported;
    double weight; /* what mending brings, about */
};

/* ---- sentences of causes ----------------------------------------------------------------------------------- */

/* Where in a cause's text the rule's sentence begins, after "Conv: " or "Conv, Relu and other ops: "; NULL: the text
 * is another one. */
static const char *sentence_in(const struct npart_cause *cause, const struct npart_rule *rule)
{
    size_t all = strlen(cause->text), own = strlen(rule->text);
    if (!own || all < own)
        return NULL;
    const char *at = strstr(cause->text, rule->text);
    return at && (at == cause->text || (at - cause->text > 2 && at[-1] == ' ' && at[-2] == ':')) ? at : NULL;
}

static const char *kept(struct npart__page *page, const char *text, size_t length)
{
    struct npart__buffer copy = {.arena = page->arena};
    npart__append(&copy, text, length);
    return npart__keep_text(&copy);
}

/* A cause whose ops are too many to be named has none: its sentence is what they share. */
static void read_reason(struct npart__page *page, uint32_t id, double launch_ms, struct reason *out)
{
    struct npart_cause cause = {.size = sizeof cause};
    struct npart_rule rule = {.size = sizeof rule, .text = ""};
    (void)npart_plan_cause(page->plan, id, &cause, NULL, 0);
    (void)npart_oplist_rule(npart_plan_oplist(page->plan), cause.rule, &rule);
    const char *sentence = sentence_in(&cause, &rule);
    *out = (struct reason){.text = sentence ? sentence : cause.text,
                           .cause_count = 1,
                           .cause = id,
                           .affected = cause.affected_count,
                           .failing = cause.failing_count,
                           .first = cause.first_affected,
                           .is_fatal = cause.is_fatal,
                           .is_unknown = cause.is_unknown,
                           .is_cut = cause.cut_value != NPART_NONE,
                           .is_reported = rule.standing && strcmp(rule.standing, "reported") == 0,
                           .weight = (cause.cpu_ms > 0 ? cause.cpu_ms : 0) + launch_ms * cause.cut_count};
    size_t length = sentence && sentence > cause.text ? (size_t)(sentence - cause.text) - 2 : 0;
    if (length) {
        const char *ops = kept(page, cause.text, length), *domain = strrchr(ops, ':');
        if (!strstr(ops, " and other ops"))
            out->ops[out->op_count++] = domain ? domain + 1 : ops;
    }
}

/* Of too many ops to be named none is. */
static void join(struct reason *to, const struct reason *from)
{
    if (!to->op_count || !from->op_count)
        to->op_count = 0;
    for (uint32_t i = 0; to->op_count && i < from->op_count; i++, to->op_count++) {
        bool is_there = false;
        for (uint32_t k = 0; k < to->op_count && k < OPS_SHOWN; k++)
            is_there |= strcmp(to->ops[k], from->ops[i]) == 0;
        if (is_there) {
            to->op_count--;
            continue;
        }
        if (to->op_count < OPS_SHOWN)
            to->ops[to->op_count] = from->ops[i];
    }
    to->cause_count++;
    to->affected += from->affected;
    to->failing += from->failing;
    to->is_fatal |= from->is_fatal;
    to->weight += from->weight;
}

static int compare_reasons(const void *left, const void *right)
{
    const struct reason *a = left, *b = right;
    int order = NPART__ORDER((int)b->is_fatal, (int)a->is_fatal);
    order = order ? order : NPART__ORDER(b->weight, a->weight);
    return order ? order : NPART__ORDER(a->cause, b->cause);
}

/* Reasons by what makes two of them one. */
struct known_reasons {
    struct npart__strings texts[2]; /* of those that are not unknown, and of those that are */
    uint32_t *place[2];             /* by text, plus one; 0: none has it yet */
};

static bool open_known(struct npart__page *page, struct known_reasons *known, uint32_t causes)
{
    bool is_done = true;
    for (int i = 0; i < 2 && is_done; i++) {
        known->place[i] = npart__arena_zeroed(page->arena, causes + (size_t)2, sizeof *known->place[i]);
        is_done = known->place[i] && npart__strings_init(&known->texts[i], page->arena);
    }
    return is_done;
}

/* Where the reason's place is kept; NULL for one that is none of others', or when out of memory. */
static uint32_t *place_of(struct known_reasons *known, const struct reason *found)
{
    uint32_t id = found->is_cut ? NPART_NONE
                                : npart__intern(&known->texts[found->is_unknown], found->text, strlen(found->text),
                                                false);
    return id == NPART_NONE ? NULL : &known->place[found->is_unknown][id];
}

/* By what mending them brings: failures, then time on the CPU and launches. */
static struct reason *read_reasons(struct npart__page *page, uint32_t *count)
{
    uint32_t causes = page->info.cause_count, partitions = page->summary.partitions;
    double launch_ms = partitions ? page->cost.switching.typical_ms / partitions : 0;
    struct reason *all = npart__arena_zeroed(page->arena, causes + (size_t)1, sizeof *all);
    struct known_reasons known;
    *count = 0;
    if (!open_known(page, &known, causes))
        return NULL;
    for (uint32_t i = 0; all && i < causes && !page->arena->failed; i++) {
        struct reason found;
        read_reason(page, i, launch_ms, &found);
        uint32_t *place = place_of(&known, &found);
        if (place && *place) {
            join(&all[*place - 1], &found);
            continue;
        }
        all[(*count)++] = found;
        if (place)
            *place = *count;
    }
    if (all && *count > 1)
        qsort(all, *count, sizeof *all, compare_reasons);
    return all;
}

/* ---- what was found ---------------------------------------------------------------------------------------- */

/* The value, the type or the shape alone: not which op makes it, nor which tensor it is of. */
static size_t short_length(const char *found)
{
    static const char *const ends[] = {" from ", ": ", "; "};
    size_t length = strlen(found);
    for (size_t i = 0; i < NPART__COUNT(ends); i++) {
        const char *end = strstr(found, ends[i]);
        if (end && (size_t)(end - found) < length)
            length = (size_t)(end - found);
    }
    return length;
}

/* A rule that holds for some targets alone begins with asking which it is. */
static bool is_of_target(const char *found)
{
    return strncmp(found, "toolchain ", 10) == 0 || strncmp(found, "variant ", 8) == 0;
}

/* What was found at the first affected node, where the text is a requirement, and does not say it itself. Of a dynamic
 * dimension it is the input's type, which stands above. */
static void add_found(struct npart__page *page, const struct reason *reason, struct npart__buffer *line)
{
    struct npart_cause cause = {.size = sizeof cause};
    struct npart_rule rule = {.size = sizeof rule, .text = ""};
    while (npart_plan_cause(page->plan, reason->cause, &cause, NPART__ROOM(page->scratch)) &&
           npart__buffer_lacks(page->scratch, cause.found_bytes))
        continue;
    (void)npart_oplist_rule(npart_plan_oplist(page->plan), cause.rule, &rule);
    const char *found = cause.found_bytes ? npart__buffer_text(page->scratch) : "";
    bool is_static = strstr(rule.text, "static") != NULL;
    if (cause.root_rule && strcmp(cause.root_rule, "dynamic-dimension") == 0)
        npart__append_format(line, "%s%s", is_static ? "; " : "", is_static ? rule.text : "");
    else if (*found && sentence_in(&cause, &rule) && reason->cause_count == 1 && !is_of_target(found))
        npart__append_format(line, "; found %.*s", (int)short_length(found), found);
}

/* ---- places ------------------------------------------------------------------------------------------------ */

/* The name that a person would search for: of a node its own, cut in the middle; the source where it is known. */
static void add_place(struct npart__page *page, struct npart__buffer *line, uint32_t id, bool has_op)
{
    struct npart_node node = {.size = sizeof node, .name = "", .op = ""};
    struct npart_origin origin = {.size = sizeof origin};
    struct npart__page gathered = *page;
    (void)npart_model_node(page->model, id, &node);
    gathered.out = line;
    if (has_op && strcmp(node.op, node.name) != 0) {
        npart__put_middle(&gathered, node.op, 24);
        npart__put(&gathered, " ");
    }
    if (*node.name) {
        npart__put_middle(&gathered, node.name, 30);
        npart__append_format(line, " (node %u)", id);
    } else {
        npart__append_format(line, "node %u", id);
    }
    (void)npart_model_node_origin(page->model, id, &origin);
    npart__add_source(line, &origin);
}

/* A text that names the node itself needs no place. */
static void find_first(struct npart__page *page, const struct reason *reason, struct npart__buffer *line)
{
    struct npart_origin origin = {.size = sizeof origin};
    char described[160];
    if (reason->first == NPART_NONE || reason->is_cut)
        return;
    (void)npart_model_node_text(page->model, reason->first, described, sizeof described);
    bool is_named = strstr(reason->text, described) != NULL;
    if (is_named && !(npart_model_node_origin(page->model, reason->first, &origin) && origin.file))
        return;
    npart__append_text(line, reason->affected > 1 ? ". First: " : ". At ");
    add_place(page, line, reason->first, reason->op_count != 1);
}

/* ---- lines ------------------------------------------------------------------------------------------------- */

/* "3 nodes, Reciprocal, Gather: not supported by the provider" */
static void add_reason(const struct reason *reason, struct npart__buffer *line)
{
    if (!reason->is_cut) {
        npart__append_count(line, reason->affected);
        npart__append_text(line, reason->affected == 1 ? " node" : " nodes");
        npart__append_text(line, reason->is_unknown ? " undecided" : "");
        if (reason->failing && reason->failing < reason->affected)
            npart__append_format(line, reason->failing == 1 ? " (%u fails to compile)" : " (%u fail to compile)",
                                 reason->failing);
        npart__append_text(line, reason->op_count ? ", " : ": ");
    }
    for (uint32_t i = 0; i < reason->op_count && i < OPS_SHOWN; i++)
        npart__append_format(line, "%s%s", i ? ", " : "", reason->ops[i]);
    if (reason->op_count > OPS_SHOWN)
        npart__append_format(line, " and %u more", reason->op_count - OPS_SHOWN);
    npart__append_format(line, "%s%s%s", reason->op_count ? ": " : "", reason->text,
                         reason->is_reported ? " (reported by users)" : "");
}

/* Of a reason that is too long what was found is cut or left out, then the place. A line loses some columns at its end,
 * since it is broken between words. */
static void put_reason(struct npart__page *page, const struct reason *reason, uint32_t number, uint32_t lines)
{
    struct npart__buffer label = {.arena = page->arena}, line = {.arena = page->arena};
    struct npart__buffer place = {.arena = page->arena}, found = {.arena = page->arena};
    size_t room = lines * (page->width - NPART__TEXT_COLUMN - LOST_COLUMNS);
    npart__append_format(&label, "%s%6u", number == 1 ? "Why" : "   ", number);
    add_reason(reason, &line);
    add_found(page, reason, &found);
    find_first(page, reason, &place);
    size_t used = line.size + place.size;
    if (used + found.size <= room) {
        npart__append_text(&line, npart__buffer_text(&found));
    } else if (used + LEAST_FOUND <= room) {
        struct npart__page gathered = *page;
        gathered.out = &line;
        npart__put_cut(&gathered, npart__buffer_text(&found), room - used);
    }
    if (used <= room)
        npart__append_text(&line, npart__buffer_text(&place));
    npart__put_made_field(page, npart__buffer_text(&label), &line, lines);
    npart__buffer_release(&found);
    npart__buffer_release(&place);
    npart__buffer_release(&label);
}

/* A sentence that the headline has is not told again. */
void npart__put_why(struct npart__page *page)
{
    uint32_t count;
    enum npart_plan_verdict verdict = page->summary.verdict;
    if (page->info.cause_count == 0 || verdict == NPART_PLAN_EDGE || npart__is_not_loaded(page))
        return;
    struct reason *all = read_reasons(page, &count);
    if (!all || (count == 1 && npart__whole_failure(page)))
        return;
    uint32_t most = REASONS_SHOWN - (page->decided.by != NULL); /* `Placed` has lines, too */
    uint32_t shown = count <= most ? count : most - 1;
    for (uint32_t i = 0; i < shown && !page->arena->failed; i++)
        put_reason(page, &all[i], i + 1, shown > WIDE ? 2 : 3);
    if (shown < count)
        npart__append_format(page->out, "%*sand %u more: -v\n", (int)NPART__TEXT_COLUMN, "", count - shown);
}

/* ---- the first of them alone ------------------------------------------------------------------------------------ */

/* What keeps the model from being loaded; false: nothing is known to. */
static bool add_loading(struct npart__page *page, struct npart__buffer *line)
{
    struct npart_finding finding = {.size = sizeof finding};
    for (uint32_t i = 0; npart_inference_finding(npart_plan_inference(page->plan), i, &finding); i++) {
        if (!npart__stops_loading(page, &finding))
            continue;
        npart__append_format(line, *finding.at ? "%s (%s)" : "%s", finding.text, finding.at);
        return true;
    }
    return false;
}

/* Returns the cause, or NPART_NONE. */
static uint32_t add_first(struct npart__page *page, bool has_place, struct npart__buffer *line)
{
    struct npart_finding finding = {.size = sizeof finding};
    uint32_t count = 0;
    if (npart__is_not_loaded(page) && add_loading(page, line))
        return NPART_NONE;
    const char *whole = npart__whole_failure(page);
    struct reason *all = page->info.cause_count ? read_reasons(page, &count) : NULL;
    if (!all || !count) {
        if (npart_plan_finding(page->plan, 0, &finding))
            npart__append_format(line, "%s (%s)", finding.text, finding.at);
        return NPART_NONE;
    }
    if (whole) {
        npart__append_text(line, whole);
    } else {
        add_reason(&all[0], line);
        add_found(page, &all[0], line);
    }
    if (has_place && !whole)
        find_first(page, &all[0], line);
    return all[0].cause;
}

/* A report of its own, of one line that is kept. */
size_t npart_plan_first_cause(const npart_plan *plan, bool has_place, uint32_t *cause, char *out, size_t bytes)
{
    static const struct npart_report_options defaults = NPART_REPORT_OPTIONS_INIT;
    struct npart__report report = {.options = &defaults};
    struct npart__page page;
    uint32_t first = NPART_NONE;
    size_t length = 0;
    if (bytes)
        out[0] = '\0';
    if (plan) {
        npart__buffer_open(&report.out, &report.arena, npart__allocator_of(plan), NULL, NULL);
        npart__buffer_init(&report.scratch, &report.arena);
        npart__buffer_init(&report.plain, &report.arena);
        (void)npart__buffer_reserve(&report.scratch, 255);
        (void)npart__buffer_reserve(&report.plain, 255);
        npart__page_turn(npart__page_open(&page, &report), plan);
        first = add_first(&page, has_place, &report.out);
        length = npart_plain_text(npart__buffer_text(&report.out), out, bytes);
        npart__arena_clear(&report.arena);
    }
    if (cause)
        *cause = first;
    return length;
}

/* ---- failures ---------------------------------------------------------------------------------------------- */

/* The requirement that all nodes fail, with what was found; NULL where it is another. A model that is not loaded has
 * none, nor one whose session fails. */
const char *npart__whole_failure(struct npart__page *page)
{
    struct npart_cause cause = {.size = sizeof cause};
    struct npart_rule rule = {.size = sizeof rule, .text = ""};
    struct npart__buffer line = {.arena = page->arena};
    if (page->summary.verdict != NPART_PLAN_FAILS || !page->summary.failed ||
        !npart_plan_cause(page->plan, 0, &cause, NULL, 0) || !cause.is_fatal || page->info.cause_count > 1 ||
        cause.affected_count < page->summary.live)
        return NULL;
    (void)npart_oplist_rule(npart_plan_oplist(page->plan), cause.rule, &rule);
    const char *sentence = sentence_in(&cause, &rule);
    const struct reason reason = {.cause = 0, .cause_count = 1};
    npart__append_text(&line, sentence ? sentence : cause.text);
    add_found(page, &reason, &line);
    return npart__keep_text(&line);
}

/* The first node that fails, where others may only fall back. */
static uint32_t first_failing(const npart_plan *plan)
{
    struct npart_node_plan node = {.size = sizeof node};
    for (uint32_t i = 0; npart_plan_node(plan, i, &node); i++)
        if (node.verdict == NPART_VERDICT_FAIL)
            return i;
    return NPART_NONE;
}

static void put_arrow(struct npart__page *page, struct npart__buffer *line)
{
    npart__painted(page, NPART__RED, "  --> ");
    npart__put_filled(page, npart__buffer_text(line), 6, 6, 3);
    npart__put(page, "\n");
    npart__buffer_release(line);
}

/* Where it fails: what the runtime says of the file, what keeps the session from being made, or the first node. */
void npart__put_failure(struct npart__page *page)
{
    struct npart_finding finding = {.size = sizeof finding};
    struct npart__buffer line = {.arena = page->arena};
    bool is_told = false;
    if (page->summary.verdict != NPART_PLAN_FAILS)
        return;
    for (uint32_t i = 0; !is_told && npart_inference_finding(npart_plan_inference(page->plan), i, &finding); i++) {
        is_told = npart__stops_loading(page, &finding);
        if (is_told)
            npart__append_format(&line, *finding.at ? "%s (%s)" : "%s", finding.text, finding.at);
    }
    if (!is_told && npart_plan_finding(page->plan, 0, &finding)) {
        npart__append_format(&line, "%s (%s)", finding.text, finding.at);
        is_told = true;
    }
    uint32_t first = is_told || npart__whole_failure(page) ? NPART_NONE : first_failing(page->plan);
    if (first != NPART_NONE) {
        add_place(page, &line, first, true);
        if (page->summary.failed > 1)
            npart__append_format(&line, ", and %u more", page->summary.failed - 1);
    }
    if (line.size)
        put_arrow(page, &line);
    npart__buffer_release(&line);
}
