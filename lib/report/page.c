/* SPDX-License-Identifier: Apache-2.0
 *
 * Text for a terminal: what every text report is written with. Names from outside are made
 * harmless, colour is left out where none is wanted, and lines are broken at the terminal's
 * width.
 */
#include "report/page.h"

/* Columns where the caller gives none; with fewer than the least nothing can be laid out. */
#define DEFAULT_WIDTH 80u
#define LEAST_WIDTH 40u

/* ---- the page ---------------------------------------------------------------------------------------------- */

/* Lines are laid out with what is left of the width after indents and columns; below the least that would be
 * nothing. */
struct npart__page *npart__page_open(struct npart__page *page, struct npart__report *report)
{
    uint32_t width = report->options->width ? report->options->width : DEFAULT_WIDTH;
    *page = (struct npart__page){.arena = &report->arena,
                                 .out = &report->out,
                                 .scratch = &report->scratch,
                                 .plain = &report->plain,
                                 .options = report->options,
                                 .width = width < LEAST_WIDTH ? LEAST_WIDTH : width};
    return page;
}

/* Everything that is asked of a plan again and again, asked once. Each struct has its size first, by which getters
 * know what they may fill; none fails for a plan that is there. */
void npart__page_turn(struct npart__page *page, const npart_plan *plan)
{
    page->plan = plan;
    page->view = npart_plan_view(plan);
    page->model = npart_inference_model(page->view);
    page->info.size = sizeof page->info;
    page->summary.size = sizeof page->summary;
    page->oplist.size = sizeof page->oplist;
    page->cost.size = sizeof page->cost;
    (void)npart_plan_info(plan, &page->info);
    (void)npart_plan_summary(plan, &page->summary);
    (void)npart_oplist_info(npart_plan_oplist(plan), &page->oplist);
    (void)npart_plan_cost(plan, &page->cost);
    page->decided = (struct npart_decided){.size = sizeof page->decided};
    (void)npart_plan_decided(plan, &page->decided);
}

/* ---- text from outside ------------------------------------------------------------------------------------- */

/* Nearly all texts are ASCII, and need no look at each character. Below a blank are control characters; from 0x7f
 * on DEL and the bytes of UTF-8, which are negative where char is signed. */
static bool is_plain(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] < 0x20 || text[i] >= 0x7f)
            return false;
    return true;
}

/* The text as it is shown, *length bytes until the next call; mostly it is the text itself. The
 * getter of the public header is used, so that reports show names as any other program would. The text need not be
 * terminated, and a piece of a name is none; so what is not plain is copied to have a NUL after it. That is a rare
 * case. */
static const char *plain_of(struct npart__page *page, const char *text, size_t *length)
{
    if (is_plain(text, *length))
        return text;
    struct npart__buffer piece; /* with a NUL after it */
    npart__buffer_init(&piece, page->arena);
    npart__append(&piece, text, *length);
    const char *ended = npart__buffer_text(&piece);
    while (npart__buffer_lacks(page->plain, npart_plain_text(ended, NPART__ROOM(page->plain))))
        continue;
    npart__buffer_release(&piece);
    *length = page->plain->size;
    return page->plain->data;
}

/* One "?" for a whole character, so that columns stay what they were. */
static void put_plain(struct npart__page *page, const char *plain, size_t length)
{
    if (!page->options->use_ascii) {
        npart__append(page->out, plain, length);
        return;
    }
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)plain[i] < 0x80)
            npart__append(page->out, plain + i, 1);
        else if (npart__begins_character(plain[i]))
            npart__append(page->out, "?", 1);
}

void npart__put_outside(struct npart__page *page, const char *text, size_t length)
{
    const char *plain = plain_of(page, text, &length);
    put_plain(page, plain, length);
}

void npart__put_text(struct npart__page *page, const char *text)
{
    npart__put_outside(page, text, strlen(text));
}

size_t npart__shown_columns(struct npart__page *page, const char *text, size_t length)
{
    const char *plain = plain_of(page, text, &length);
    return npart__columns_of(plain, length);
}

/* The length of the character or escape that a plain text begins with. An escape is never cut in
 * two, as half of it would be read as text. Escapes are those of npart_plain_text: \xff of a byte, \u202e and
 * \U000e0001 of a character, in small letters. A name may hold such letters itself, which moves the cut by a few
 * columns and does no harm. */
static size_t unit_length(const char *plain, size_t length)
{
    size_t wanted = 1, at = 1;
    if (plain[0] == '\\' && length > 1)
        wanted = plain[1] == 'x' ? 4 : plain[1] == 'u' ? 6 : plain[1] == 'U' ? 10 : 1;
    if (wanted > 1 && wanted <= length && strspn(plain + 2, "0123456789abcdef") >= wanted - 2)
        return wanted;
    while (at < length && !npart__begins_character(plain[at]))
        at++;
    return at;
}

/* Room for the dots is kept from the beginning, as it is not known yet whether they are needed. `columns` is 3 or
 * more. What is cut may be shorter than that, as an escape goes as a whole. */
void npart__put_cut(struct npart__page *page, const char *text, size_t columns)
{
    size_t length = strlen(text), fits = 0, seen = 0;
    const char *plain = plain_of(page, text, &length);
    if (npart__columns_of(plain, length) <= columns) {
        put_plain(page, plain, length);
        return;
    }
    for (size_t unit; fits < length; fits += unit) {
        unit = unit_length(plain + fits, length - fits);
        seen += npart__columns_of(plain + fits, unit);
        if (seen + 3 > columns)
            break;
    }
    put_plain(page, plain, fits);
    npart__put(page, "...");
}

/* ---- pieces ------------------------------------------------------------------------------------------------ */

void npart__put(struct npart__page *page, const char *plain)
{
    npart__append_text(page->out, plain);
}

/* SGR parameters; nothing without colour. Painted text is never measured: an escape sequence takes no column, but
 * bytes. */
void npart__paint(struct npart__page *page, const char *code)
{
    if (!page->options->use_color)
        return;
    npart__put(page, "\033[");
    npart__put(page, code);
    npart__put(page, "m");
}

void npart__painted(struct npart__page *page, const char *code, const char *plain)
{
    npart__paint(page, code);
    npart__put(page, plain);
    npart__paint(page, "0");
}

/* Breaks at blanks, with `indent` blanks before every line but the first, which begins at
 * `column`. A word longer than the line stays whole: names and paths are there to be copied. Blanks that follow one
 * another become one, and where a line is broken none is left. A break at every blank of a command would lose its
 * meaning: command_lines of text.c breaks those. */
void npart__wrapped(struct npart__page *page, const char *text, uint32_t column, uint32_t indent)
{
    bool is_first = true;
    while (*text) {
        size_t length = strcspn(text, " "), shown = length;
        const char *plain = plain_of(page, text, &shown);
        size_t columns = npart__columns_of(plain, shown);
        if (!is_first && column + 1 + columns > page->width) {
            npart__append_format(page->out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!is_first) {
            npart__put(page, " ");
            column++;
        }
        put_plain(page, plain, shown);
        column += (uint32_t)columns;
        is_first = false;
        text += length;
        while (*text == ' ')
            text++;
    }
}

/* Both ends of a long name tell more than its middle: of `columns` a third is for the beginning. An escape that is cut
 * in two is text, and half of it does no harm. */
void npart__put_middle(struct npart__page *page, const char *text, size_t columns)
{
    size_t length = strlen(text), begin = 0, end, seen = 0;
    const char *plain = plain_of(page, text, &length);
    size_t all = npart__columns_of(plain, length);
    if (all <= columns || columns <= 3) { /* no columns: memory ended where the text was measured */
        put_plain(page, plain, length);
        return;
    }
    size_t first = (columns - 3) / 3, last = columns - 3 - first;
    for (; seen < first || !npart__begins_character(plain[begin]); begin++)
        seen += npart__begins_character(plain[begin]);
    for (end = length, seen = 0; seen < last; end--)
        seen += npart__begins_character(plain[end - 1]);
    put_plain(page, plain, begin);
    npart__put(page, "...");
    put_plain(page, plain + end, length - end);
}

/* Whether what is left of a text fits into a line, blanks that follow one another counted as they are. */
static bool is_fitting(struct npart__page *page, const char *text, uint32_t column)
{
    return column + npart__shown_columns(page, text, strlen(text)) <= page->width;
}

/* The mark of an estimate stays with the word after it. */
static size_t word_length(const char *text)
{
    bool is_mark = text[0] == '~' && text[1] == ' ';
    return (is_mark ? 2 : 0) + strcspn(text + (is_mark ? 2 : 0), " ");
}

/* A word that is longer than a line is cut in its middle. On the last line room is kept for the dots, unless all that
 * is left fits there. */
void npart__put_filled(struct npart__page *page, const char *text, uint32_t column, uint32_t indent, uint32_t most)
{
    uint32_t lines = 1, room = page->width - indent;
    for (bool is_first = true; *text; is_first = false) {
        size_t length = word_length(text), columns = npart__shown_columns(page, text, length);
        bool is_last = lines == most && !is_fitting(page, text, column + !is_first);
        columns = columns > room ? room : columns;
        if (column + !is_first + columns > page->width - (is_last ? 4 : 0)) {
            if (is_last) {
                npart__put(page, is_first ? "..." : " ...");
                return;
            }
            npart__append_format(page->out, "\n%*s", (int)indent, "");
            column = indent;
            lines++;
            is_last = lines == most && !is_fitting(page, text, column);
            columns = is_last && columns > room - 4 ? room - 4 : columns;
        } else if (!is_first) {
            npart__put(page, " ");
            column++;
        }
        struct npart__buffer word = {.arena = page->arena};
        npart__append(&word, text, length);
        npart__put_middle(page, npart__buffer_text(&word), columns);
        npart__buffer_release(&word);
        column += (uint32_t)columns;
        text += length;
        text += strspn(text, " ");
    }
}

/* `lead` is our own text of ASCII, whose bytes are columns; without a code it is not painted. */
void npart__put_line(struct npart__page *page, const char *code, const char *lead, const char *plain, uint32_t indent)
{
    if (code)
        npart__painted(page, code, lead);
    else
        npart__put(page, lead);
    npart__wrapped(page, plain, (uint32_t)strlen(lead), indent);
    npart__put(page, "\n");
}

void npart__add_source(struct npart__buffer *out, const struct npart_origin *origin)
{
    static const char mark[] = "-packages";
    size_t begin = 0, length = sizeof mark - 1;
    for (size_t i = 0; origin->file && i + length + 1 < origin->file_bytes; i++)
        if (memcmp(origin->file + i, mark, length) == 0 && strchr("/\\", origin->file[i + length]))
            begin = i + length + 1;
    if (!origin->file)
        return;
    npart__append_text(out, ", ");
    npart__append(out, origin->file + begin, origin->file_bytes - begin);
    npart__append_format(out, begin ? ":%lld of a package" : ":%lld", (long long)origin->line);
}

/* For instance "node 12 (Conv conv1) in encoder.layers.3, model.py:41". A name that is a path has the module in it.
 * That is a name of TorchScript's exporter, such as /encoder/layers.3/fc1/MatMul. */
void npart__put_place(struct npart__page *page, uint32_t node)
{
    struct npart_origin origin = {.size = sizeof origin};
    struct npart_node info = {.size = sizeof info};
    char described[160];
    bool is_path = npart_model_node(page->model, node, &info) && *info.name == '/';
    (void)npart_model_node_text(page->model, node, described, sizeof described);
    (void)npart_model_node_origin(page->model, node, &origin);
    npart__put_text(page, described);
    if (origin.module && !is_path) {
        npart__put(page, " in ");
        npart__put_outside(page, origin.module, origin.module_bytes);
    }
    struct npart__buffer source = {.arena = page->arena};
    npart__add_source(&source, &origin);
    npart__put_outside(page, npart__buffer_text(&source), source.size);
    npart__buffer_release(&source);
}

/* `column` is where the line has come to, which the caller knows: it has written the words before the place. */
void npart__put_wrapped_place(struct npart__page *page, uint32_t node, uint32_t column, uint32_t indent)
{
    struct npart__buffer line;
    struct npart__page gathered = *page;
    npart__buffer_init(&line, page->arena);
    gathered.out = &line;
    npart__put_place(&gathered, node);
    npart__wrapped(page, npart__buffer_text(&line), column, indent);
    npart__buffer_release(&line);
}

/* "2.4.0" of "onnxruntime-qnn 2.4.0"; "": the newest was asked for. */
static const char *release_of(const struct npart__page *page)
{
    struct npart_release at = {.size = sizeof at};
    if (!npart_plan_release(page->plan, &at))
        return "";
    return npart__after_last(page->info.toolchain, ' ');
}

void npart__put_target(struct npart__page *page)
{
    const char *release = release_of(page);
    npart__paint(page, NPART__BOLD);
    npart__put_text(page, page->info.label);
    npart__put(page, *release ? "@" : "");
    npart__put_text(page, release);
    npart__paint(page, "0");
}

size_t npart__target_columns(struct npart__page *page)
{
    const char *target = page->info.label, *release = release_of(page);
    return npart__shown_columns(page, target, strlen(target)) + npart__shown_columns(page, release, strlen(release)) +
           (*release != '\0');
}

/* About three digits that count: more would promise what an estimate cannot. 1.70, 12.3, 456. */
void npart__put_milliseconds(struct npart__page *page, double value)
{
    npart__append_fixed(page->out, value, value < 10 ? 2 : value < 100 ? 1 : 0);
}

void npart__put_span(struct npart__page *page, struct npart_cost_range range, bool is_calibrated)
{
    npart__put_milliseconds(page, range.typical_ms);
    npart__put(page, " ms (");
    npart__put_milliseconds(page, range.low_ms);
    npart__put(page, " to ");
    npart__put_milliseconds(page, range.high_ms);
    npart__put(page, is_calibrated ? ")" : "), uncalibrated");
}
