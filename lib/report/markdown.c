/* SPDX-License-Identifier: Apache-2.0
 *
 * A comment for a pull or merge request: a title, a table of models and targets, what is not met with what to do
 * first, and the causes of each plan folded. Outside text is inert: names stand in code spans, and in sentences every
 * character that means something is escaped.
 *
 * Nothing is written before the last model: the title counts the models that do not pass, and which rows have room
 * depends on all rows. So each part is gathered on a buffer of its own, and what may grow with the number of models
 * is kept only as far as a comment could hold it.
 */
#include "report/document.h"

/* At most 20 lines are seen: the title, the table's head, rows and what follows them, and the folded parts. */
#define MOST_ROWS 8u
#define MOST_PROBLEMS 5u /* thresholds that are not met, and models that cannot be analyzed */
/* Code hosts take no longer comment; and less of it is kept for what is folded. GitHub's limit is 65536 characters;
 * bytes are counted here, of which there are at least as many. */
#define MOST_BYTES 65536u
#define MOST_NAME_BYTES 100u /* of a path, or of a target */
#define MOST_SENTENCE_BYTES 300u /* of a cause, an action or a command, before anything is escaped */
#define MOST_CAUSES 10u /* of a plan */
#define MOST_REASONS 4u /* that are not folded */

struct markdown {
    struct npart__buffer first;           /* the first rows, as they come */
    struct npart__buffer failed, fine;    /* the first rows of either kind */
    struct npart__buffer rows, problems;  /* all of them, while there is room; a line each */
    struct npart__buffer fix;     /* what to do first, of a report of one plan */
    struct npart__buffer reasons; /* causes of that plan, without what is done first */
    struct npart__buffer details; /* causes, plan by plan */
    uint32_t row_count, failed_count, fine_count, problem_count; /* of all, also of those that found no room */
    uint32_t model_count, failed_models; /* failed: any threshold of it is not met */
    bool has_library; /* what is taken of a row runs in a library of kernels, and not on an NPU */
    bool is_cut; /* something is missing from what is folded, which a note says */
};

/* ---- inert text -------------------------------------------------------------------------------------------- */

/* At most so many bytes, never a part of a character; of a path its end tells more than its beginning. What is
 * returned is the document's plain text, good until the next one is made, and only `*length` bytes of it are meant.
 * The caller writes the dots, on the side where something is missing. */
static const char *cut(npart_document *document, const char *text, size_t most, bool keeps_end, size_t *length,
                       bool *is_cut)
{
    const char *plain = npart__plain_text(document, text);
    *length = strlen(plain);
    *is_cut = *length > most;
    if (!*is_cut)
        return plain;
    if (keeps_end) {
        plain += *length - most;
        /* Bytes of the form 10xxxxxx go on with a character of UTF-8: one that is cut is left out whole. */
        while (((unsigned char)*plain & 0xc0) == 0x80)
            plain++;
        *length = strlen(plain);
    } else {
        *length = most;
        while (*length && ((unsigned char)plain[*length] & 0xc0) == 0x80)
            --*length;
    }
    return plain;
}

static size_t longest_run(const char *text, size_t length, char of)
{
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < length; i++) {
        run = text[i] == of ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

/* A code span in a table: a bar ends a cell even there. Blanks at both ends are taken off again by the reader. The
 * fence has one backtick more than the longest run inside, since a span ends at the next run of its own length: a`b
 * becomes ``a`b``. A text that begins or ends with a backtick needs a blank between it and its fence. Backslashes
 * are no escapes in code, but before a bar in a table, where GitHub takes them off again. */
static void put_code(struct npart__buffer *out, const char *text, size_t length, bool is_cell)
{
    size_t fence = longest_run(text, length, '`') + 1;
    bool is_padded = length && (text[0] == '`' || text[length - 1] == '`');
    for (size_t i = 0; i < fence; i++)
        npart__append(out, "`", 1);
    npart__append_text(out, is_padded ? " " : "");
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '|' && is_cell)
            npart__append(out, "\\", 1);
        npart__append(out, &text[i], 1);
    }
    npart__append_text(out, is_padded ? " " : "");
    for (size_t i = 0; i < fence; i++)
        npart__append(out, "`", 1);
}

/* A path or the name of a target; of a long one the end. Of an empty one nothing is written, since two backticks
 * are text and no empty span. */
static void put_name(npart_document *document, struct npart__buffer *out, const char *name, bool is_cell)
{
    size_t length;
    bool is_cut;
    const char *shown = cut(document, name, MOST_NAME_BYTES, true, &length, &is_cut);
    npart__append_text(out, is_cut ? "..." : "");
    if (length)
        put_code(out, shown, length, is_cell);
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether hosts may take what follows for a name, a number or an address: "@octocat", "#12"; in letters of either case
 * "GH-12" (GitHub, "Autolinked references") and "GL-12"; "!12", "$12", "%milestone", "&12", "~label" (GitLab,
 * "GitLab-specific references"); "https://..." and "www. ...", which GitLab looks for in what was rendered. A number
 * after a tilde is ours: about so much. */
static bool begins_reference(const char *text, size_t length, size_t at)
{
    char c = text[at], next = at + 1 < length ? text[at + 1] : ' ';
    bool is_digit = next >= '0' && next <= '9';
    if (c == '-' && at >= 2)
        return strchr("Gg", text[at - 2]) && strchr("HhLl", text[at - 1]) && is_digit;
    if ((c == 'w' || c == 'W') && at >= 2) /* before the dot, after which anything but a blank makes an address */
        return strchr("Ww", text[at - 2]) && strchr("Ww", text[at - 1]) && next == '.';
    if (c == ':')
        return length - at > 2 && next == '/' && text[at + 2] == '/';
    return c == '@' || c == '#' || (strchr("!$%&~", c) && (is_letter(next) || next == '"' || (is_digit && c != '~')));
}

/* Mentions, references and addresses are found after escapes are gone, so nothing may follow their sign: U+200B keeps
 * them apart. A backslash may stand before any ASCII punctuation (CommonMark, "Backslash escapes"), whether it means
 * something there or not: so the list is long, and where in a line a character stands does not matter. */
void npart__add_markdown(struct npart__buffer *out, const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++) {
        if (strchr("\\`*_{}[]<>()#+-.!|~&:$@%", text[i]))
            npart__append(out, "\\", 1);
        npart__append(out, &text[i], 1);
        if (begins_reference(text, length, i))
            npart__append_text(out, "\xe2\x80\x8b");
    }
}

/* What stands between backticks is a code span, everything else is escaped: whatever names hold, one of both is true of
 * them. A backtick without another after it, as where a long text was cut within a name, is a character as any other;
 * so are two with nothing between them. */
static void put_sentence(npart_document *document, struct npart__buffer *out, const char *text)
{
    size_t length;
    bool is_cut;
    const char *at = cut(document, text, MOST_SENTENCE_BYTES, false, &length, &is_cut);
    const char *end = at + length, *plain = at;
    while (at < end) {
        const char *close = *at == '`' ? memchr(at + 1, '`', (size_t)(end - at - 1)) : NULL;
        if (!close || close == at + 1) {
            at++;
            continue;
        }
        npart__add_markdown(out, plain, (size_t)(at - plain));
        put_code(out, at + 1, (size_t)(close - at - 1), false);
        at = plain = close + 1;
    }
    npart__add_markdown(out, plain, (size_t)(end - plain));
    npart__append_text(out, is_cut ? "..." : "");
}

/* A text that is put together, which is closed. */
static void put_buffer(npart_document *document, struct npart__buffer *out, struct npart__buffer *text)
{
    put_sentence(document, out, npart__buffer_text(text));
    npart__buffer_release(text);
}

/* ---- the table --------------------------------------------------------------------------------------------- */

/* Of the thresholds of a plan, or of the model. From the best to the worst, since the greatest of several counts. */
enum state { NONE_SET, ALL_MET, WAIVED, NOT_MET };

/* A threshold of the model (its plan is NPART_NONE) counts for each of its plans: all their rows show that it is
 * not met. */
static enum state state_of(const struct npart_entry *entry, size_t plan)
{
    enum state state = NONE_SET;
    for (size_t i = 0; i < entry->outcome_count; i++) {
        const struct npart_threshold_outcome held = npart__outcome(entry, i), *at = &held;
        enum state found = at->is_met ? ALL_MET : at->waiver ? WAIVED : NOT_MET;
        if ((at->plan == plan || at->plan == NPART_NONE) && found > state)
            state = found;
    }
    return state;
}

/* A check mark, a warning sign or a cross, as UTF-8; U+FE0F after the warning sign asks for its coloured form.
 * Where the user has set thresholds they alone decide: a model that is split may be what he expects. Of the
 * verdicts "none" and "fails" get the cross; what is taken as a whole and not run by the NPU does not get the check
 * mark. */
static const char *sign_of(enum npart_plan_verdict verdict, enum state state, bool is_elsewhere)
{
    static const char fine[] = "\xe2\x9c\x85", doubtful[] = "\xe2\x9a\xa0\xef\xb8\x8f", wrong[] = "\xe2\x9d\x8c";
    if (state != NONE_SET)
        return state == NOT_MET ? wrong : state == WAIVED ? doubtful : fine;
    bool is_whole = verdict == NPART_PLAN_WHOLE || verdict == NPART_PLAN_EDGE;
    if (is_whole && !is_elsewhere)
        return fine;
    return is_whole || verdict == NPART_PLAN_SPLIT || verdict == NPART_PLAN_EMPTY ? doubtful : wrong;
}

/* Whose shares on the NPU are no more than those of what is taken: "at most" in a character. */
static const char *at_most(const struct npart_decided *decided)
{
    return decided->by && decided->elsewhere < decided->taken ? "\xe2\x89\xa4 " : "";
}

/* "-" where there is nothing that it could be a share of. With the bar that ends the cell: "64.3 % | ". "?" is told
 * where the whole is not known. */
static void put_share(struct npart__buffer *out, bool is_known, bool is_any, double share)
{
    if (is_known && is_any)
        npart__append_fixed(out, share * 100, 1);
    npart__append_text(out, !is_known ? "? | " : is_any ? " % | " : "- | ");
}

/* "| `model.onnx` | `hexagon:v73` | (sign) split, **not met** | 4 | 64.3 % | 100.0 % | yes: ... |". The getters cannot
 * fail: the plans of an entry are checked before a writer sees it, and sizes are this header's own. */
static void put_row(npart_document *document, struct npart__buffer *out, const struct npart_entry *entry, size_t plan,
                    enum state state)
{
    static const char *const words[] = {"", ", met", ", accepted", ", **not met**"};
    struct npart_plan_info info = {.size = sizeof info};
    struct npart_summary summary = {.size = sizeof summary};
    struct npart_recommendation worth = {.size = sizeof worth};
    struct npart_decided decided = {.size = sizeof decided};
    (void)npart_plan_info(entry->plans[plan].plan, &info);
    (void)npart_plan_summary(entry->plans[plan].plan, &summary);
    (void)npart_plan_decided(entry->plans[plan].plan, &decided);
    double on_npu = decided.taken - decided.elsewhere;
    ((struct markdown *)document->state)->has_library |= strcmp(info.unit, "NPU") != 0;
    npart__append_text(out, "| ");
    put_name(document, out, entry->path, true);
    npart__append_text(out, " | ");
    put_name(document, out, info.label, true);
    npart__append_format(out, " | %s %s%s | %u | ", sign_of(summary.verdict, state, npart__is_all_elsewhere(&decided)),
                         npart_plan_verdict_text(summary.verdict), words[state], summary.partitions);
    npart__append_text(out, at_most(&decided));
    put_share(out, true, summary.live != 0, decided.by ? on_npu / summary.live : summary.coverage);
    npart__append_text(out, summary.has_macs && summary.macs ? at_most(&decided) : "");
    put_share(out, summary.has_macs, summary.macs != 0, decided.by ? decided.most_on_npu : summary.mac_coverage);
    if (summary.live && npart_advice_recommendation(entry->plans[plan].advice, &worth))
        put_sentence(document, out, worth.reason);
    npart__append_text(out, " |\n");
}

/* The row goes to the three buffers from which the table is made at the end, and to the list of all. Which of these
 * is shown is known at the end alone: the rows as they come, where they are few; else those that are not met, and
 * the others where room is left. The row is closed here. */
static void keep_row(struct markdown *markdown, struct npart__buffer *row, bool is_failed)
{
    const char *text = npart__buffer_text(row);
    if (markdown->row_count++ < MOST_ROWS)
        npart__append_text(&markdown->first, text);
    if (is_failed && markdown->failed_count++ < MOST_ROWS)
        npart__append_text(&markdown->failed, text);
    if (!is_failed && markdown->fine_count++ < MOST_ROWS)
        npart__append_text(&markdown->fine, text);
    if (markdown->rows.size < MOST_BYTES)
        npart__append_text(&markdown->rows, text);
    npart__buffer_release(row);
}

/* A row for each plan. A model that cannot be analyzed has no plans, which is checked of every entry, and gets one
 * row without figures, among those that are not met. */
static void add_rows(npart_document *document, const struct npart_entry *entry)
{
    for (size_t i = 0; i < entry->plan_count; i++) {
        struct npart__buffer row;
        enum state state = state_of(entry, i);
        npart__buffer_init(&row, &document->arena);
        put_row(document, &row, entry, i, state);
        keep_row(document->state, &row, state == NOT_MET);
    }
    if (entry->error) {
        struct npart__buffer row;
        npart__buffer_init(&row, &document->arena);
        npart__append_text(&row, "| ");
        put_name(document, &row, entry->path, true);
        npart__append_text(&row, " | | \xe2\x9d\x8c cannot be analyzed | | | | |\n");
        keep_row(document->state, &row, true);
    }
}

/* ---- what is not met --------------------------------------------------------------------------------------- */

/* "`model.onnx`, `hexagon:v73`"; of what is said of the model as a whole `pair` is NULL. */
static void put_subject(npart_document *document, struct npart__buffer *out, const struct npart_entry *entry,
                        const struct npart_plan_pair *pair)
{
    struct npart_plan_info info = {.size = sizeof info};
    put_name(document, out, entry->path, false);
    if (!pair)
        return;
    (void)npart_plan_info(pair->plan, &info);
    npart__append_text(out, ", ");
    put_name(document, out, info.label, false);
}

/* `lead` is written as it is, so it may hold markup. The command is code: that is how it can be copied from a
 * comment without the escapes of a sentence. */
static void put_action(npart_document *document, struct npart__buffer *out, const char *lead,
                       const struct npart_action *action)
{
    size_t length;
    bool is_cut;
    npart__append_text(out, lead);
    put_sentence(document, out, action->text);
    if (!action->command && !action->run)
        return;
    struct npart__buffer line = {.arena = &document->arena};
    if (action->run)
        npart__add_run(&line, action);
    else
        npart__append_text(&line, action->command);
    const char *command = cut(document, npart__buffer_text(&line), MOST_SENTENCE_BYTES, false, &length, &is_cut);
    npart__append_text(out, " ");
    put_code(out, command, length, false);
    npart__append_text(out, is_cut ? "..." : "");
    npart__buffer_release(&line);
}

/* The first step of a report of one plan, as a block that hosts offer to copy. What does not fit into a line of a
 * comment is not told: a line that is cut does something else. The fence is longer than any run in it. */
static void add_fix(npart_document *document, const struct npart_entry *entry)
{
    struct markdown *markdown = document->state;
    struct npart__buffer *out = &markdown->fix, line = {.arena = &document->arena};
    struct npart_action action = {.size = sizeof action};
    if (markdown->row_count > 1 || entry->plan_count != 1 || !npart_advice_action(entry->plans[0].advice, 0, &action) ||
        strcmp(action.kind, "none") == 0)
        return;
    npart__append_text(out, "\n**Fix:** ");
    put_sentence(document, out, action.text);
    npart__append_text(out, "\n");
    if (action.run)
        npart__add_run(&line, &action);
    const char *command = npart__plain_text(document, npart__buffer_text(&line));
    size_t length = strlen(command), fence = longest_run(command, length, '`') + 1;
    if (length && length < MOST_BYTES / 8) {
        npart__append_text(out, "\n");
        for (size_t i = 0; i < fence || i < 3; i++)
            npart__append_text(out, "`");
        npart__append_text(out, "sh\n");
        npart__append(out, command, length);
        npart__append_text(out, "\n");
        for (size_t i = 0; i < fence || i < 3; i++)
            npart__append_text(out, "`");
        npart__append_text(out, "\n");
    }
    npart__buffer_release(&line);
}

/* `at`: NULL for a model that cannot be analyzed. All are counted, and the first five written. */
static void add_problem(npart_document *document, const struct npart_entry *entry,
                        const struct npart_threshold_outcome *at)
{
    struct markdown *markdown = document->state;
    struct npart__buffer *out = &markdown->problems;
    struct npart_action action = {.size = sizeof action};
    const struct npart_plan_pair *pair = !at || at->plan == NPART_NONE ? NULL : &entry->plans[at->plan];
    if (markdown->problem_count++ >= MOST_PROBLEMS)
        return;
    npart__append_text(out, "- ");
    put_subject(document, out, entry, pair);
    npart__append_text(out, ": ");
    if (!at) {
        struct npart__buffer text;
        npart__buffer_init(&text, &document->arena);
        npart__append_format(&text, "%s%s%s", entry->error->place, *entry->error->place ? ": " : "",
                             entry->error->message);
        put_buffer(document, out, &text);
    } else {
        put_sentence(document, out, at->text);
    }
    /* Steps stand in the order in which they are taken, so action 0 is the first thing to do. */
    if (pair && npart_advice_action(pair->advice, 0, &action))
        put_action(document, out, ". **Do first:** ", &action);
    npart__append_text(out, "\n");
}

/* What is waived is no problem: the sign of its row says enough. A model counts once among those that fail, however
 * many of its thresholds are not met. */
static void add_problems(npart_document *document, const struct npart_entry *entry)
{
    struct markdown *markdown = document->state;
    uint32_t before = markdown->problem_count;
    for (size_t i = 0; i < entry->outcome_count; i++) {
        const struct npart_threshold_outcome held = npart__outcome(entry, i), *at = &held;
        if (!at->is_met && !at->waiver)
            add_problem(document, entry, at);
    }
    if (entry->error)
        add_problem(document, entry, NULL);
    markdown->model_count++;
    markdown->failed_models += markdown->problem_count > before;
}

/* ---- what is folded ---------------------------------------------------------------------------------------- */

/* The action against a cause, and whether it is the first of all; false where there is none. */
static bool find_action(npart_document *document, const npart_advice *advice, uint32_t cause,
                        struct npart_action *out, bool *is_first)
{
    struct npart_action first = {.size = sizeof first};
    (void)npart_advice_action(advice, 0, &first);
    bool is_found = npart__find_action(document, advice, cause, out);
    *is_first = is_found && out->text == first.text;
    return is_found;
}

/* An action against several causes is told at the first of them that has no better one. Causes are counted from 0 and
 * shown from 1. The one that is referred to has a smaller number, so it stands above and is shown wherever this one
 * is. */
static void put_action_of(npart_document *document, struct npart__buffer *out, const npart_advice *advice,
                          const struct npart_action *action, uint32_t cause)
{
    struct npart_action at = {.size = sizeof at};
    uint32_t first = cause;
    for (uint32_t i = 0; i < action->cause_count; i++)
        if (action->causes[i] < first && npart__find_action(document, advice, action->causes[i], &at) &&
            at.text == action->text)
            first = action->causes[i];
    if (first < cause)
        npart__append_format(out, ". **What to do:** as for %u", first + 1);
    else
        put_action(document, out, ". **What to do:** ", action);
}

/* "1. Pad: mode must be constant: 2 nodes fall back to the CPU, from `model.py:13`. **What to do:** Replace ...".
 * The number is that of the text report. A cause at the model itself has no place, as the heading names the model. */
static void put_cause(npart_document *document, struct npart__buffer *out, const struct npart_entry *entry,
                      const struct npart_plan_pair *pair, uint32_t id, bool is_first_told)
{
    const npart_model *model = npart_inference_model(npart_plan_view(pair->plan));
    struct npart_cause cause = {.size = sizeof cause};
    struct npart_action action = {.size = sizeof action};
    struct npart__buffer text;
    uint32_t node;
    bool is_first;
    (void)npart_plan_cause(pair->plan, id, &cause, NULL, 0);
    struct npart__place place = npart__place_of_cause(entry, model, &cause, &node);
    npart__buffer_init(&text, &document->arena);
    npart__append_format(&text, "%s: ", cause.text);
    npart__add_affected(&text, &cause);
    npart__append_format(out, "%u. ", id + 1);
    put_buffer(document, out, &text);
    if (place.is_source) {
        (void)npart__relative(document, &place);
        npart__buffer_init(&text, &document->arena);
        npart__append(&text, place.file, place.file_bytes);
        npart__append_format(&text, ":%lld", (long long)place.line);
        npart__append_text(out, ", from ");
        put_name(document, out, npart__buffer_text(&text), false);
        npart__buffer_release(&text);
    }
    if (find_action(document, pair->advice, id, &action, &is_first) && !(is_first && is_first_told))
        put_action_of(document, out, pair->advice, &action, id);
    npart__append_text(out, "\n");
}

/* The list of a plan ends after ten causes, the most harmful of which stand first; how many more there are is told. */
static void put_causes(npart_document *document, struct npart__buffer *out, const struct npart_entry *entry,
                       const struct npart_plan_pair *pair, bool is_first_told)
{
    struct npart_plan_info info = {.size = sizeof info};
    (void)npart_plan_info(pair->plan, &info);
    for (uint32_t k = 0; k < info.cause_count && k < MOST_CAUSES; k++)
        put_cause(document, out, entry, pair, k, is_first_told);
    if (info.cause_count > MOST_CAUSES)
        npart__append_format(out, "\n%u more causes\n", info.cause_count - MOST_CAUSES);
}

/* Plans without causes have no heading. */
static void add_details(npart_document *document, const struct npart_entry *entry)
{
    struct markdown *markdown = document->state;
    struct npart__buffer *out = &markdown->details;
    for (size_t i = 0; i < entry->plan_count; i++) {
        struct npart_plan_info info = {.size = sizeof info};
        (void)npart_plan_info(entry->plans[i].plan, &info);
        if (info.cause_count == 0)
            continue;
        /* No more than this can be shown, so a run over thousands of models keeps a text of bounded length. */
        if (out->size >= MOST_BYTES) {
            markdown->is_cut = true;
            return;
        }
        npart__append_text(out, out->size ? "\n**" : "**");
        put_subject(document, out, entry, &entry->plans[i]);
        npart__append_text(out, "**\n\n");
        put_causes(document, out, entry, &entry->plans[i], false);
    }
    if (markdown->fix.size && markdown->row_count == 1)
        put_causes(document, &markdown->reasons, entry, &entry->plans[0], true);
}

/* ---- the document ------------------------------------------------------------------------------------------ */

/* All buffers of the state, so that those that are opened are those that are closed. */
#define SHEETS(markdown)                                                                                               \
    {                                                                                                                  \
        &(markdown)->first, &(markdown)->failed, &(markdown)->fine, &(markdown)->rows, &(markdown)->problems,          \
            &(markdown)->fix, &(markdown)->reasons, &(markdown)->details                                               \
    }

static void begin(npart_document *document)
{
    struct markdown *markdown = npart__arena_zeroed(&document->arena, 1, sizeof *markdown);
    document->state = markdown;
    if (!markdown)
        return;
    struct npart__buffer *const buffers[] = SHEETS(markdown);
    for (size_t i = 0; i < NPART__COUNT(buffers); i++)
        npart__buffer_init(buffers[i], &document->arena);
}

static void add(npart_document *document, const struct npart_entry *entry)
{
    add_rows(document, entry);
    add_problems(document, entry);
    add_fix(document, entry);
    add_details(document, entry);
}

/* As many lines of a buffer as there is room for; whether those were all. The text is made of whole lines, the last
 * one ended as well; SIZE_MAX is no limit. False where a line was left out. */
static bool put_lines(struct npart__buffer *out, struct npart__buffer *from, size_t most_lines, size_t most_bytes)
{
    const char *at = npart__buffer_text(from);
    size_t used = 0;
    for (size_t i = 0; *at; i++) {
        size_t length = strcspn(at, "\n") + 1;
        if (i == most_lines || used + length > most_bytes)
            return false;
        npart__append(out, at, length);
        used += length;
        at += length;
    }
    return true;
}

static void put_head(const struct markdown *markdown, struct npart__buffer *out)
{
    const char *word = markdown->has_library ? "share" : "NPU";
    npart__append_format(out,
                         "| model | target | result | partitions | %s, nodes | %s, MACs | worth it |\n"
                         "|---|---|---|--:|--:|--:|---|\n", word, word);
}

/* Rows that are not met before others, where not all have room. So the first eight of each kind are enough,
 * whatever the order in which models come. */
static void put_table(struct markdown *markdown, struct npart__buffer *out)
{
    size_t failed = markdown->failed_count < MOST_ROWS ? markdown->failed_count : MOST_ROWS;
    put_head(markdown, out);
    if (markdown->row_count <= MOST_ROWS) {
        (void)put_lines(out, &markdown->first, MOST_ROWS, SIZE_MAX);
        return;
    }
    (void)put_lines(out, &markdown->failed, failed, SIZE_MAX);
    (void)put_lines(out, &markdown->fine, MOST_ROWS - failed, SIZE_MAX);
    npart__append_format(out, "\n%u of %u rows; all of them are below.\n", MOST_ROWS, markdown->row_count);
}

static void put_problems(struct markdown *markdown, struct npart__buffer *out)
{
    if (!markdown->problem_count)
        return;
    npart__append_text(out, "\n");
    npart__append_text(out, npart__buffer_text(&markdown->problems));
    if (markdown->problem_count > MOST_PROBLEMS)
        npart__append_format(out, "- %u more\n", markdown->problem_count - MOST_PROBLEMS);
}

/* Within what the comment has room for; whole lines. The blank line after the summary is needed: from a tag such as
 * <details> on, Markdown takes lines for HTML until there is one. `head` stands before the lines, and is not one of
 * those that may be left out: so it is counted before they have any room. */
static void put_folded(struct npart__buffer *out, const char *title, const char *head, struct npart__buffer *text,
                       bool *is_cut)
{
    static const size_t reserve = 400; /* for what stands around it, and the note at the end */
    size_t used = out->size + strlen(title) + strlen(head) + reserve;
    if (used >= MOST_BYTES) {
        *is_cut = true;
        return;
    }
    npart__append_format(out, "\n<details><summary>%s</summary>\n\n%s", title, head);
    if (!put_lines(out, text, SIZE_MAX, MOST_BYTES - used))
        *is_cut = true;
    npart__append_text(out, "\n</details>\n");
}

/* The fix of a report of one plan, and below it the reasons, where they are few: its heading would say again what
 * stands above. False where they are to be folded. */
static bool put_fix(struct markdown *markdown, struct npart__buffer *out)
{
    bool has_fix = markdown->fix.size && !markdown->problem_count;
    const char *list = strstr(npart__buffer_text(&markdown->details), "\n\n");
    const char *reasons = has_fix ? npart__buffer_text(&markdown->reasons) : list ? list + 2 : "";
    uint32_t lines = 0;
    if (markdown->row_count != 1)
        return false;
    if (has_fix)
        npart__append_text(out, npart__buffer_text(&markdown->fix));
    for (const char *at = reasons; *at; at++)
        lines += *at == '\n';
    if (!lines || lines > MOST_REASONS || markdown->is_cut)
        return false;
    npart__append_text(out, "\n**Why:**\n\n");
    npart__append_text(out, reasons);
    return true;
}

/* The title counts models, not rows: a model that misses a threshold on three targets is one that does not pass. */
static void end(npart_document *document)
{
    struct markdown *markdown = document->state;
    struct npart__buffer text;
    npart__buffer_init(&text, &document->arena);
    npart__append_text(&text, "### npu-partition: ");
    if (markdown->failed_models)
        npart__append_format(&text, "%u of %u model%s %s not pass\n\n", markdown->failed_models, markdown->model_count,
                             markdown->model_count == 1 ? "" : "s", markdown->failed_models == 1 ? "does" : "do");
    else
        npart__append_format(&text, "%u model%s\n\n", markdown->model_count, markdown->model_count == 1 ? "" : "s");
    if (markdown->row_count)
        put_table(markdown, &text);
    put_problems(markdown, &text);
    bool are_told = put_fix(markdown, &text);
    struct npart__buffer head = {.arena = &document->arena};
    put_head(markdown, &head);
    if (markdown->row_count > MOST_ROWS)
        put_folded(&text, "All models and targets", npart__buffer_text(&head), &markdown->rows, &markdown->is_cut);
    if (markdown->details.size && !are_told)
        put_folded(&text, "Causes, and what to do", "", &markdown->details, &markdown->is_cut);
    if (markdown->is_cut)
        npart__append_text(&text, "\nCut: a comment has no room for more. `--format json` has all of it.\n");
    npart__append_text(&document->out, npart__buffer_text(&text));
    npart__buffer_release(&text);
}

/* There is no state where memory ran out at the beginning. */
static void drop(npart_document *document)
{
    struct markdown *markdown = document->state;
    if (!markdown)
        return;
    struct npart__buffer *const buffers[] = SHEETS(markdown);
    for (size_t i = 0; i < NPART__COUNT(buffers); i++)
        npart__buffer_release(buffers[i]);
}

const struct npart__writer npart__markdown_writer = {begin, add, end, drop};
