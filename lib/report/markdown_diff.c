/* SPDX-License-Identifier: Apache-2.0
 *
 * What changed between two plans, as Markdown for a pull request: a list of the figures, the roots, and the nodes
 * folded away. Comparisons of several targets come one after the other, each with a heading of its own.
 */
#include "report/report.h"

#define FIGURES_SHOWN 6u /* more, where more are worse or better */
#define ROOTS_SHOWN 5u /* of those that changed; the others are counted */
#define NODES_SHOWN 200u /* in the folded part, which takes no room on the screen */

/* Text from a model or list, as it is read: nothing in it is markup, and no line ends. `scratch` holds the plain
 * text while it is escaped. Control characters are escapes by then, line ends among them, so a text cannot begin a
 * list or a heading of its own. */
static void put_plain(struct npart__buffer *out, struct npart__buffer *scratch, const char *text)
{
    while (npart__buffer_lacks(scratch, npart_plain_text(text, NPART__ROOM(scratch))))
        continue;
    const char *plain = npart__buffer_text(scratch);
    npart__add_markdown(out, plain, strlen(plain));
}

/* The same as code, in which a backquote ends. No fence is made longer, as markdown.c does: a backquote is shown as
 * an apostrophe, and a bar, which would end a cell of a table, as a slash. */
static void put_code(struct npart__buffer *out, struct npart__buffer *scratch, const char *text)
{
    while (npart__buffer_lacks(scratch, npart_plain_text(text, NPART__ROOM(scratch))))
        continue;
    npart__append_text(out, "`");
    for (const char *at = scratch->data; !scratch->arena->failed && *at; at++)
        npart__append(out, *at == '`' ? "'" : *at == '|' ? "/" : at, 1);
    npart__append_text(out, "`");
}

/* By enum npart_change. What is neither worse nor better has no mark, so that the marks are read. */
static const char *mark(enum npart_change change)
{
    static const char *const marks[] = {"", "", "better: ", "**worse**: "};
    return marks[change];
}

/* "### model.onnx on hexagon:v73: worse". There are two targets where one model is compared on both. */
static void head(struct npart__buffer *out, struct npart__buffer *scratch, const struct npart_diff_info *info)
{
    /* By enum npart_change. */
    static const char *const words[] = {"nothing changed", "changed, neither worse nor better", "better", "worse"};
    npart__append_text(out, "### ");
    put_plain(out, scratch, info->after->model);
    npart__append_text(out, " on ");
    if (strcmp(info->before->target, info->after->target) != 0) {
        put_plain(out, scratch, info->before->target);
        npart__append_text(out, " and ");
    }
    put_plain(out, scratch, info->after->target);
    npart__append_format(out, ": %s\n\n", words[info->change]);
}

/* The worse ones come first, then the better ones (npart_diff_figure); so from the first on that is neither, all
 * that follow are such, and past the sixth line they are left out. */
static void figures(struct npart__buffer *out, struct npart__buffer *scratch, const npart_diff *diff)
{
    struct npart_diff_figure at = {.size = sizeof at};
    uint32_t i = 0;
    for (; npart_diff_figure(diff, i, &at); i++) {
        if (i >= FIGURES_SHOWN && at.change == NPART_CHANGE_OTHER)
            break;
        npart__append_format(out, "- %s", mark(at.change));
        put_plain(out, scratch, at.text);
        npart__append_text(out, "\n");
    }
}

/* Roots that are as they were are not told, though npart_diff_cause has them. What to do is said only where
 * something became worse: better news need no action. */
static void roots(struct npart__buffer *out, struct npart__buffer *scratch, const npart_diff *diff)
{
    struct npart_diff_cause at = {.size = sizeof at};
    uint32_t shown = 0, left = 0;
    for (uint32_t i = 0; npart_diff_cause(diff, i, &at); i++) {
        if (at.change == NPART_CHANGE_NONE)
            continue;
        left += shown >= ROOTS_SHOWN;
        if (shown++ >= ROOTS_SHOWN)
            continue;
        npart__append_format(out, "- %s%s root: ", mark(at.change), npart_cause_change_text(at.state));
        put_plain(out, scratch, at.text);
        npart__append_format(out, " (%u -> %u nodes)", at.affected_before, at.affected_after);
        if (at.action && at.change == NPART_CHANGE_WORSE) {
            npart__append_text(out, ". ");
            put_plain(out, scratch, at.action);
        }
        npart__append_text(out, "\n");
    }
    if (left)
        npart__append_format(out, "- and %u more roots\n", left);
}

/* Folded away, since the figures and roots say the same in few lines. A node without a name is told by its place in
 * its graph. The caller leaves the fold out where no node changed. */
static void nodes(struct npart__buffer *out, struct npart__buffer *scratch, const npart_diff *diff,
                  const struct npart_diff_info *info)
{
    struct npart_diff_node at = {.size = sizeof at};
    npart__append_format(out,
                         "\n<details><summary>%u nodes recognized, %u added, %u removed; %u left the NPU, %u came to "
                         "it</summary>\n\n",
                         info->matched, info->added, info->removed, info->left, info->came);
    for (uint32_t i = 0; i < NODES_SHOWN && npart_diff_node(diff, i, &at); i++) {
        npart__append_format(out, "- %s%s ", mark(at.change), npart_node_change_text(at.state));
        put_plain(out, scratch, at.op);
        npart__append_text(out, " ");
        if (*at.name)
            put_code(out, scratch, at.name);
        else
            npart__append_format(out, "node %u", at.index);
        if (*at.place) {
            npart__append_text(out, ", ");
            put_code(out, scratch, at.place);
        }
        npart__append_text(out, "\n");
    }
    if (info->node_count > NODES_SHOWN)
        npart__append_format(out, "- and %u more\n", info->node_count - NODES_SHOWN);
    npart__append_text(out, "\n</details>\n");
}

void npart__diffs_markdown(struct npart__report *report)
{
    const npart_diff *const *diffs = report->subject->diffs;
    struct npart__buffer *out = &report->out, *scratch = &report->scratch;
    struct npart_diff_info info = {.size = sizeof info};
    for (size_t i = 0; i < report->subject->count && !report->arena.failed; i++) {
        (void)npart_diff_info(diffs[i], &info);
        npart__append_text(out, i ? "\n" : "");
        head(out, scratch, &info);
        figures(out, scratch, diffs[i]);
        roots(out, scratch, diffs[i]);
        if (info.node_count)
            nodes(out, scratch, diffs[i], &info);
    }
}
