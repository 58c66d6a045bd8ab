/* SPDX-License-Identifier: Apache-2.0 */
#include "report/page.h"

#define DEFAULT_WIDTH 100u
#define LEAST_WIDTH 40u

void npart__put(struct npart__page *page, const char *plain)
{
    npart__append_text(page->out, plain);
}

void npart__put_outside(struct npart__page *page, const char *text, size_t length)
{
    if (!page->options->use_ascii) {
        npart__append_plain(page->out, text, length);
        return;
    }
    for (size_t at = 0; at < length;) {
        char shown[NPART__PLAIN_BYTES];
        size_t shown_length;
        at += npart__next_plain(text + at, length - at, shown, &shown_length);
        bool is_ascii = (unsigned char)shown[0] < 0x80;
        npart__append(page->out, is_ascii ? shown : "?", is_ascii ? shown_length : 1);
    }
}

void npart__put_text(struct npart__page *page, const char *text)
{
    npart__put_outside(page, text, strlen(text));
}

size_t npart__shown_columns(const char *text, size_t length)
{
    size_t columns = 0;
    for (size_t at = 0; at < length;) {
        char shown[NPART__PLAIN_BYTES];
        size_t shown_length;
        at += npart__next_plain(text + at, length - at, shown, &shown_length);
        columns += (unsigned char)shown[0] >= 0x80 ? 1 : shown_length;
    }
    return columns;
}

/* SGR parameters; nothing without colour. */
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

/* Breaks at blanks, with `indent` blanks before every line but the first, which begins at `column`. */
void npart__wrapped(struct npart__page *page, const char *plain, uint32_t column, uint32_t indent)
{
    bool is_first = true;
    while (*plain) {
        size_t length = strcspn(plain, " ");
        size_t columns = npart__shown_columns(plain, length);
        if (!is_first && column + 1 + columns > page->width) {
            npart__append_format(page->out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!is_first) {
            npart__put(page, " ");
            column++;
        }
        npart__put_outside(page, plain, length);
        column += (uint32_t)columns;
        is_first = false;
        plain += length;
        while (*plain == ' ')
            plain++;
    }
}

void npart__put_place(struct npart__page *page, uint32_t node)
{
    struct npart__origin origin;
    char described[160];
    npart__describe_node(page->graph, node, described, sizeof described);
    npart__node_origin(&page->graph->nodes.items[node], &origin);
    npart__put_outside(page, described, strlen(described));
    if (origin.module) {
        npart__put(page, " in ");
        npart__put_outside(page, origin.module, origin.module_length);
    }
    if (origin.file) {
        npart__put(page, ", ");
        npart__put_outside(page, origin.file, origin.file_length);
        npart__append_format(page->out, ":%lld", (long long)origin.line);
    }
}

/* As it could be asked for again: "hexagon:v73+float". */
void npart__put_target(struct npart__page *page)
{
    const struct npart__target *at = &page->plan->target;
    const struct npart__oplist *oplist = at->oplist;
    uint32_t by_default = at->variant == NPART_NONE ? 0 : oplist->variants.items[at->variant].switches;
    npart__paint(page, NPART__BOLD);
    npart__put_text(page, oplist->name);
    if (*at->variant_text) {
        npart__put(page, ":");
        npart__put_text(page, at->variant_text);
    }
    for (uint32_t i = 0; i < oplist->switches.count; i++) {
        bool is_on = at->switches >> i & 1;
        if (is_on == (by_default >> i & 1))
            continue;
        npart__put(page, is_on ? "+" : "-");
        npart__put_text(page, oplist->switches.items[i]);
    }
    npart__paint(page, "0");
}

uint32_t npart__page_width(const struct npart_report_options *options)
{
    return options->width == 0 ? DEFAULT_WIDTH : options->width < LEAST_WIDTH ? LEAST_WIDTH : options->width;
}

void npart__put_milliseconds(struct npart__page *page, double value)
{
    npart__append_fixed(page->out, value, value < 10 ? 2 : value < 100 ? 1 : 0);
}
