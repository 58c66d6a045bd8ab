/* SPDX-License-Identifier: Apache-2.0
 *
 * What to do: the line to paste that does it, or what to change where no command does. Each step with what it leaves.
 */
#include "report/page.h"

#define STEPS_SHOWN 3u /* with what may take the place of the first */
#define LINE_INDENT 4u /* of the lines that a command goes on in, from its first */
#define MOST_BEGIN 20u   /* the column in which a command may begin */
#define WORTH_WEAKER 0.9 /* of a step's time, for what is less equal in its place */
#define STEP_LINES 3u  /* of a step that is told in words */

/* ---- lines to paste ---------------------------------------------------------------------------------------- */

/* Of a word as many bytes as fit into so many columns once they are quoted; one at least. */
static size_t fitting(const char *word, size_t columns)
{
    size_t fits = 0, used = strpbrk(word, "'") ? 4 : 2; /* its own quotes, and those of a quote */
    for (; word[fits]; fits++) {
        used += word[fits] == '\'' ? 4 : 1;
        if (used > columns && fits)
            break;
    }
    return fits;
}

/* A word that is longer than any line goes on at the beginning of the next one, where a shell joins both; each part is
 * quoted by itself. What is not ASCII is left whole. */
static void put_long_word(struct npart__page *page, const char *word, uint32_t *column)
{
    while (*word) {
        struct npart__buffer part = {.arena = page->arena}, quoted = {.arena = page->arena};
        size_t fits = fitting(word, page->width - *column - 2); /* " \" may come after it */
        npart__append(&part, word, fits);
        npart__add_shell_word(&quoted, npart__buffer_text(&part));
        npart__put(page, npart__buffer_text(&quoted));
        *column += (uint32_t)quoted.size;
        word += fits;
        npart__put(page, *word ? "\\\n" : "");
        *column = *word ? 0 : *column;
        npart__buffer_release(&part);
        npart__buffer_release(&quoted);
    }
}

static bool is_ascii(const char *text)
{
    while (*text >= 0x20 && *text < 0x7f)
        text++;
    return !*text;
}

/* An option and its value stay in one line. Two columns are kept for " \" after each piece. */
void npart__put_run(struct npart__page *page, const struct npart_action *action, uint32_t begin, const char *target)
{
    uint32_t column = begin, indent = begin + LINE_INDENT;
    for (uint32_t i = 0; i < action->run_count; i++) {
        struct npart__buffer word = {.arena = page->arena};
        bool is_first = i == 0, is_option = *action->run[i] == '-' && i + 1 < action->run_count;
        const char *option = is_option ? action->run[i++] : "";
        const char *value = target && strcmp(option, "-t") == 0 ? target : action->run[i];
        npart__add_shell_word(&word, value);
        const char *text = npart__buffer_text(&word);
        uint32_t columns = (uint32_t)(npart__shown_columns(page, text, word.size) + strlen(option) + is_option);
        if (!is_first && column + 1 + columns + 2 > page->width) {
            npart__append_format(page->out, " \\\n%*s", (int)indent, "");
            column = indent;
        } else if (!is_first) {
            npart__put(page, " ");
            column++;
        }
        npart__append_format(page->out, "%s%s", option, is_option ? " " : "");
        if (column + columns + 2 > page->width && is_ascii(value)) {
            column += (uint32_t)strlen(option) + is_option;
            put_long_word(page, value, &column);
        } else {
            npart__put_outside(page, text, word.size);
            column += columns;
        }
        npart__buffer_release(&word);
    }
    npart__put(page, "\n");
}

/* What a buffer has, cut where it does not fit; its length. */
static size_t hand_out(struct npart__buffer *from, char *out, size_t bytes)
{
    const char *text = npart__buffer_text(from);
    size_t length = strlen(text), kept = length < bytes ? length : bytes ? bytes - 1 : 0;
    if (!bytes)
        return length;
    memcpy(out, text, kept);
    out[kept] = '\0';
    return length;
}

size_t npart_estimate_text(double ms, char *out, size_t bytes)
{
    struct npart__arena arena;
    struct npart__buffer text;
    npart__arena_init(&arena, NULL);
    npart__buffer_init(&text, &arena);
    npart__append_estimate(&text, ms);
    size_t length = hand_out(&text, out, bytes);
    npart__arena_clear(&arena);
    return length;
}

size_t npart_action_lines(const struct npart_action *action, uint32_t column, uint32_t width, char *out, size_t bytes)
{
    const struct npart_report_options options = {.version = 1, .width = width};
    struct npart__report report = {.options = &options};
    struct npart__page page;
    size_t length = 0;
    if (bytes)
        out[0] = '\0';
    if (!action || action->size != sizeof *action || !action->run_count)
        return 0;
    npart__buffer_open(&report.out, &report.arena, NULL, NULL, NULL);
    npart__buffer_init(&report.plain, &report.arena);
    (void)npart__buffer_reserve(&report.plain, 255);
    npart__put_run(npart__page_open(&page, &report), action, column < MOST_BEGIN ? column : MOST_BEGIN, NULL);
    length = hand_out(&report.out, out, bytes);
    npart__arena_clear(&report.arena);
    return length;
}

/* ---- what a step leaves ------------------------------------------------------------------------------------ */

/* "94 %", "under 1 %": none and all are said of none and all alone. */
void npart__add_share(struct npart__buffer *out, double share)
{
    int percent = (int)(share * 100 + 0.5);
    bool is_little = share > 0 && percent == 0, is_nearly = share < 1 && percent == 100;
    npart__append_format(out, "%s%d %%", is_little ? "under " : is_nearly ? "over " : "",
                         is_little ? 1 : is_nearly ? 99 : percent);
}

/* What the host runs of a model that ends, or begins, somewhere: the end of the sentence. NULL of any other. */
static const char *hosted(const struct npart_action *action)
{
    bool is_ended = strcmp(action->kind, "end") == 0 || strcmp(action->kind, "begin") == 0;
    return is_ended ? strstr(action->text, "the host runs ") : NULL;
}

static void add_after(struct npart__page *page, struct npart__buffer *line, const struct npart_after *after,
                      bool is_part)
{
    if (after->verdict == NPART_PLAN_WHOLE && !is_part) {
        npart__append_text(line, "all nodes in 1 partition");
        return;
    }
    npart__append_text(line, after->verdict == NPART_PLAN_FAILS ? "still fails to compile; " : "");
    npart__append_format(line, "%u partition%s, ", after->partitions, after->partitions == 1 ? "" : "s");
    npart__add_share(line, after->mac_coverage >= 0 ? after->mac_coverage : after->coverage);
    npart__append_text(line, after->mac_coverage >= 0 ? " of the work" : " of the nodes");
    npart__add_where(line, &page->info, &page->decided);
}

/* What a step leaves as large as it was. */
static void add_room(struct npart__buffer *line, const struct npart_after *after)
{
    npart__append_text(line, after->fits == NPART_FIT_NO ? "; it does not fit" : "");
}

static void add_equality(struct npart__buffer *line, const char *equality)
{
    static const struct {
        const char *word, *text;
    } all[] = {{"bits", ", equal bit for bit (optimizations off)"},
               {"bits-if", ", equal for values that the file cannot promise"},
               {"ulp", ", the last digits differ"},
               {"step", ", results within one quantization step for each op"},
               {"approx", ", an approximation"}};
    for (size_t i = 0; i < NPART__COUNT(all); i++)
        if (strcmp(all[i].word, equality) == 0)
            npart__append_text(line, all[i].text);
}

/* Names of the rewrites with commas; sizes that are fixed can be read in the command. */
static void add_rewrites(struct npart__buffer *line, const char *rewrites)
{
    bool is_first = true;
    while (*rewrites) {
        size_t length = strcspn(rewrites, " ");
        if (!(length == 4 && strncmp(rewrites, "bind", 4) == 0)) {
            npart__append_text(line, is_first ? " (" : ", ");
            npart__append(line, rewrites, length);
            is_first = false;
        }
        rewrites += length + (rewrites[length] == ' ');
    }
    npart__append_text(line, is_first ? "" : ")");
}

/* The time of the plan that is recommended stands there already. */
static void put_left(struct npart__page *page, const struct npart_action *action, bool has_time)
{
    struct npart__buffer line = {.arena = page->arena};
    bool is_cut = action->run && strcmp(action->kind, "cut") == 0; /* what its parts are the command does not say */
    if (is_cut)
        npart__append_format(&line, "%s: ", action->text);
    add_after(page, &line, &action->after, hosted(action) != NULL);
    if (action->run) {
        add_equality(&line, action->equality);
        add_rewrites(&line, action->rewrites);
    }
    if (!has_time && action->after.verdict != NPART_PLAN_FAILS && action->after.cost.typical_ms >= 0) {
        npart__append_text(&line, "; ");
        npart__append_estimate(&line, action->after.cost.typical_ms);
    }
    add_room(&line, &action->after);
    npart__put_made_field(page, "", &line, 0);
    if (hosted(action)) {
        npart__append_text(&line, hosted(action));
        npart__put_made_field(page, "", &line, 0);
    }
}

/* ---- sizes ------------------------------------------------------------------------------------------------- */

/* Sizes beside a command, which has them all: more would need a second line. */
#define MOST_SIZES_AGAIN 2u

/* "batch=1, sequence=128": the sizes that were chosen; how many. The names are the model's. */
static uint32_t add_sizes(struct npart__buffer *line, const npart_plan *fixed, bool is_run)
{
    const npart_inference *chosen = npart_plan_inference(fixed);
    struct npart_dim_binding binding = {0};
    uint32_t count = 0, told = 0;
    while (npart_inference_binding(chosen, count, &binding))
        count++;
    if (is_run && count > MOST_SIZES_AGAIN) {
        npart__append_format(line, "%u sizes", count);
        return count;
    }
    for (; told < count && told < 4 && npart_inference_binding(chosen, told, &binding); told++)
        npart__append_format(line, "%s%s=%lld", told ? ", " : "", binding.name, (long long)binding.size);
    if (told < count)
        npart__append_format(line, " and %u more", count - told);
    return count;
}

/* The slots of a cache that the line to paste gives a fixed size; those sizes follow from it. */
static bool put_assumed_slots(struct npart__page *page, const struct npart_action *action)
{
    struct npart__buffer line = {.arena = page->arena};
    const char *slots = NULL;
    bool has_sizes = false;
    for (uint32_t i = 0; i + 1 < action->run_count; i++) {
        slots = strcmp(action->run[i], "--cache") == 0 ? action->run[i + 1] : slots;
        has_sizes |= strcmp(action->run[i], "-d") == 0;
    }
    if (slots) {
        npart__append_format(&line, "(a cache of %s slots%s: assumed; give what you run;", slots,
                             has_sizes ? ", and the sizes" : "");
        npart__append_text(&line, " the host then keeps the cache: docs/decoder-cache.md)");
        npart__put_made_field(page, "", &line, 3);
    }
    npart__buffer_release(&line);
    return slots != NULL;
}

/* `told`: they stand beside the times already. */
static void put_assumed(struct npart__page *page, const npart_plan *fixed, bool is_run, bool told)
{
    struct npart__buffer line = {.arena = page->arena};
    struct npart_inference_info info = {.size = sizeof info};
    if (fixed && npart_inference_info(npart_plan_inference(fixed), &info)) {
        npart__append_text(&line, is_run ? "(" : "");
        uint32_t count = told ? is_run : add_sizes(&line, fixed, is_run);
        npart__append_text(&line, told ? "sizes" : "");
        if (*info.use)
            npart__append_format(&line, ", for %s", info.use);
        npart__append_text(&line, !is_run ? " (assumed)"
                                  : told  ? " assumed: give those that you run)"
                                          : ": assumed; give the sizes that you run)");
        if (count)
            npart__put_made_field(page, is_run ? "" : "Sizes", &line, 3);
    }
    npart__buffer_release(&line);
}

/* ---- steps ------------------------------------------------------------------------------------------------- */

static bool is_none(const struct npart_action *action)
{
    return strcmp(action->kind, "none") == 0;
}

/* With an option of the tool that shows what it brings, unless the text names it: in a line of its own where the text
 * is cut, since a command that is cut would do something else. */
static void put_words(struct npart__page *page, const char *label, const struct npart_action *action)
{
    struct npart__buffer line = {.arena = page->arena};
    bool is_target = action->command && strncmp(action->command, "-t ", 3) == 0;
    const char *word = is_target ? action->command + 3 : action->command;
    npart__append_text(&line, action->text);
    bool is_cut = !page->options->is_verbose && line.size >= STEP_LINES * (page->width - 24);
    bool is_told = !word || (strstr(action->text, word) && !is_cut);
    bool is_short = word && line.size + strlen(action->command) < STEP_LINES * (page->width - 24);
    if (!is_told && is_short)
        npart__append_format(&line, " (%s)", action->command);
    npart__put_made_field(page, label, &line, page->options->is_verbose ? 0 : STEP_LINES);
    if (!is_told && !is_short) {
        npart__append_format(&line, "(%s)", action->command);
        npart__put_made_field(page, "", &line, 0);
    }
}

/* The classes that a command allows; NULL: none beside bits. */
static const char *allowed_by(const struct npart_action *action)
{
    for (uint32_t i = 0; i + 1 < action->run_count; i++)
        if (strcmp(action->run[i], "--allow") == 0)
            return action->run[i + 1];
    return NULL;
}

/* `of` is the step in whose place it may be done, or NULL: a command that allows more is told by that alone. */
static void put_step(struct npart__page *page, const char *label, const struct npart_action *action,
                     const struct npart_action *of, bool has_time)
{
    const char *allowed = of && of->run && !allowed_by(of) && action->run ? allowed_by(action) : NULL;
    if (action->run) {
        npart__put(page, "  ");
        npart__painted(page, NPART__BOLD, label);
        npart__append_format(page->out, "%*s", (int)(NPART__TEXT_COLUMN - 6 - strlen(label)), "");
        npart__painted(page, NPART__GREEN, "[*] ");
        if (allowed)
            npart__append_format(page->out, "the same with --allow %s\n", allowed);
        else
            npart__put_run(page, action, NPART__TEXT_COLUMN, NULL);
    } else {
        put_words(page, label, action);
    }
    put_left(page, action, has_time);
}

/* What needs a newer release may be out of reach, and what does without it is told. */
static bool is_release(const struct npart_action *action)
{
    return strcmp(action->kind, "release") == 0;
}

/* Of a command that does more than the step's, whether it brings more, too: a weaker equality has to pay. */
static bool is_better(const struct npart_after *other, const struct npart_after *step)
{
    if (other->verdict != step->verdict)
        return step->verdict == NPART_PLAN_FAILS || other->verdict == NPART_PLAN_WHOLE;
    return other->cost.typical_ms >= 0 && step->cost.typical_ms >= 0
               ? other->cost.typical_ms < step->cost.typical_ms * WORTH_WEAKER
               : other->partitions < step->partitions;
}

/* Whether the step after this one is the same but for what is done already. */
static bool is_next(const npart_advice *advice, uint32_t step, const struct npart_action *other)
{
    struct npart_action next = {.size = sizeof next};
    return npart_advice_action(advice, step + 1, &next) && next.instead_of == NPART_NONE &&
           strncmp(other->text, next.text, strlen(next.text)) == 0;
}

/* What may take the place of a step, with its own figures where they are others, but for the time that was told.
 * Returns how many are told that way. */
static uint32_t put_others(struct npart__page *page, const npart_advice *advice, uint32_t step,
                       const struct npart_action *of, uint32_t most, double told_ms)
{
    struct npart_action action = {.size = sizeof action};
    uint32_t told = 0;
    for (uint32_t i = 0; npart_advice_action(advice, i, &action); i++) {
        bool is_hidden = action.run && !is_release(of) && !is_better(&action.after, &of->after);
        if (action.instead_of != step || most == 0 || is_hidden || is_next(advice, step, &action))
            continue;
        most--;
        bool is_same = !action.run && action.after.partitions == of->after.partitions &&
                       action.after.verdict == of->after.verdict &&
                       action.after.cost.typical_ms <= of->after.cost.typical_ms * 1.02 &&
                       action.after.cost.typical_ms >= of->after.cost.typical_ms * 0.98;
        if (is_same)
            put_words(page, "or", &action);
        else
            put_step(page, "or", &action, of, action.after.cost.typical_ms == told_ms);
        told += !is_same;
    }
    return told;
}

bool npart__needs_nothing(const struct npart_summary *summary)
{
    return summary->verdict == NPART_PLAN_WHOLE || summary->verdict == NPART_PLAN_EDGE ||
           summary->verdict == NPART_PLAN_EMPTY;
}

/* That there is no step, or that those that are told leave the model failing. `none`: what the advice says of it, or
 * NULL. */
static void put_none(struct npart__page *page, const char *none, bool is_told, bool still_fails)
{
    if (none || still_fails)
        npart__put_field(page, is_told ? "" : "Fix", NULL, none ? none : "No known step makes it compile", 0);
    else if (!is_told && !npart__needs_nothing(&page->summary))
        npart__put_field(page, "Fix", NULL, "none known", 0);
}

void npart__put_steps(struct npart__page *page, const struct npart_plan_pair *pair)
{
    const npart_advice *advice = pair->advice;
    struct npart_recommendation worth = {.size = sizeof worth};
    struct npart_action action = {.size = sizeof action};
    uint32_t most = page->options->is_verbose ? NPART_NONE : STEPS_SHOWN, told = 0, passed = 0;
    const char *none = NULL;
    bool has_assumed = false, still_fails = page->summary.verdict == NPART_PLAN_FAILS;
    if (!npart_advice_recommendation(advice, &worth))
        return; /* nobody asked for advice */
    /* Beside the times, where there are some (lib/change/advice/recommend.c). */
    bool told_sizes = worth.reason && strstr(worth.reason, " (assumed)") && !strstr(worth.reason, " slots (assumed)");
    for (uint32_t i = 0; npart_advice_action(advice, i, &action) && action.instead_of == NPART_NONE; i++) {
        none = is_none(&action) ? action.text : none;
        if (is_none(&action) || passed++ >= most)
            continue;
        still_fails = action.after.verdict == NPART_PLAN_FAILS;
        put_step(page, told++ ? "then" : "Fix", &action, NULL, action.after.cost.typical_ms == worth.time.typical_ms);
        if (action.run && !has_assumed) {
            if (!put_assumed_slots(page, &action))
                put_assumed(page, pair->fixed, true, told_sizes);
            has_assumed = true;
        }
        uint32_t others = put_others(page, advice, i, &action, page->options->is_verbose ? NPART_NONE : told == 1,
                                     worth.time.typical_ms);
        most -= page->options->is_verbose ? 0 : others;
    }
    if (passed > told)
        npart__append_format(page->out, "%*sand %u more: -v\n", (int)NPART__TEXT_COLUMN, "", passed - told);
    put_none(page, none, told > 0, still_fails);
    if (!has_assumed && worth.cpu.typical_ms >= 0)
        put_assumed(page, pair->fixed, false, told_sizes);
}
