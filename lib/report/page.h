/* SPDX-License-Identifier: Apache-2.0
 *
 * Text for a terminal: colour, wrapping, where a node comes from. What explain.c, text.c and the
 * parts of the text report share: each of these is a file with one function that writes its part
 * onto the page.
 */
#ifndef NPART_REPORT_PAGE_H
#define NPART_REPORT_PAGE_H

#include "report/report.h"

/* Where a report writes, and which plan it speaks of. A copy of it with another `out` gathers a
 * line that is to be measured or wrapped as a whole. */
struct npart__page {
    struct npart__arena *arena; /* what is taken of it stays until the report ends */
    struct npart__buffer *out; /* of the report, or of a line that is gathered */
    struct npart__buffer *scratch; /* what a getter writes */
    struct npart__buffer *plain;   /* text from outside as it is shown */
    const struct npart_report_options *options;
    uint32_t width; /* columns of a line; 40 at least */
    /* of the plan at hand */
    const npart_plan *plan;
    const npart_inference *view; /* what the plan's runtime knows of types and shapes */
    const npart_model *model; /* as the plan's runtime sees it */
    struct npart_plan_info info;
    struct npart_summary summary; /* counts of nodes and partitions, the verdict */
    struct npart_oplist_info oplist; /* the list that the plan was made with */
    struct npart_cost cost; /* of a run; its times are negative where they are not known */
};

/* The page of a report, of no plan yet; returns `page`. */
struct npart__page *npart__page_open(struct npart__page *page, struct npart__report *report);
/* Goes on with another plan. */
void npart__page_turn(struct npart__page *page, const npart_plan *plan);

/* SGR parameters. Escape sequences of ANSI terminals (ECMA-48): only those that every terminal
 * has. Colours are of the first eight, whose shade the user's terminal decides. */
#define NPART__BOLD "1"
#define NPART__DIM "2"
#define NPART__RED "31"
#define NPART__GREEN "32"
#define NPART__YELLOW "33"
#define NPART__MAGENTA "35"

/* Text of our own. */
void npart__put(struct npart__page *page, const char *plain);
/* Text from outside, such as names of a model or an op list, as npart_plain_text shows it; '?' stands for all that is
 * not ASCII where only that is wanted. */
void npart__put_outside(struct npart__page *page, const char *text, size_t length);
void npart__put_text(struct npart__page *page, const char *text);
/* The columns that such a text takes. */
size_t npart__shown_columns(struct npart__page *page, const char *text, size_t length);
/* The same, cut to so many columns, with "..." where more were; never a part of a character or of an escape. */
void npart__put_cut(struct npart__page *page, const char *text, size_t columns);
/* Nothing without colour; "0" ends it. */
void npart__paint(struct npart__page *page, const char *code);
void npart__painted(struct npart__page *page, const char *code, const char *plain);
/* Breaks at blanks, with `indent` blanks before every line but the first, which begins at `column`. */
void npart__wrapped(struct npart__page *page, const char *plain, uint32_t column, uint32_t indent);
/* A line: `lead` as it is, painted where there is a code, then the text wrapped. */
void npart__put_line(struct npart__page *page, const char *code, const char *lead, const char *plain, uint32_t indent);
/* A node with the module and the line of Python that it comes from. */
void npart__put_place(struct npart__page *page, uint32_t node);
void npart__put_wrapped_place(struct npart__page *page, uint32_t node, uint32_t column, uint32_t indent);

/* What stands in a cell of the strip. A node counts as one of the kinds by its verdict. */
enum npart__cell { NPART__CELL_NPU, NPART__CELL_CPU, NPART__CELL_FAIL, NPART__CELL_UNKNOWN, NPART__CELL_KINDS };

/* The plan's nodes in the order that they run, in at most so many cells. */
void npart__put_strip(struct npart__page *page, uint32_t cells);
/* Any nodes, in the order given. */
void npart__put_cells(struct npart__page *page, const uint32_t *nodes, uint32_t count, uint32_t cells);
/* The plan's counts by what stands for them in the strip. */
void npart__put_cell_counts(struct npart__page *page);
/* A count with the character that stands for it in the strip: the strip's legend. */
void npart__put_cell_count(struct npart__page *page, uint32_t count, enum npart__cell cell, const char *noun);
/* The plan's verdict; with `columns` in one short word, padded to them. The word is one of npart_summary's: whole,
 * edge, split, none, fails, empty. */
void npart__put_verdict(struct npart__page *page, int columns);
/* Three figures or two decimals. */
void npart__put_milliseconds(struct npart__page *page, double value);
/* remarks.c: the op list's notes that apply, those of most nodes first. */
void npart__put_remarks(struct npart__page *page);
/* matches.c: nodes whose name, op or output holds the text, into `*out` until the report ends; how many. */
uint32_t npart__find_matches(struct npart__page *page, const npart_inference *inference, const char *text,
                             uint32_t **out);
void npart__put_matches(struct npart__page *page, const char *text, const uint32_t *nodes, uint32_t count);
/* There is no node like that: fails with the nearest names. */
npart_status npart__fail_node(struct npart__page *page, const char *text, struct npart_error *error);
/* pieces.c: the plan's partitions, those of most arithmetic first. */
void npart__put_pieces(struct npart__page *page);
/* layouts.c: tensors that change their layout, the largest first. */
void npart__put_layouts(struct npart__page *page);
/* precision.c: formats that are not native, or with all details every one. */
void npart__put_precisions(struct npart__page *page);
/* fusions.c: how many patterns are fused, and what stops those that nearly are. */
void npart__put_fusions(struct npart__page *page);
/* memory.c: what the plan takes of memory. */
void npart__put_memory(struct npart__page *page);
/* costs.c: whether the NPU is worth it; what a run takes. */
void npart__put_recommendation(struct npart__page *page, const struct npart_plan_pair *pair);
void npart__put_cost(struct npart__page *page, const struct npart_plan_pair *pair);
/* table.c: one line for each plan, made while the page is at it. */
struct npart__row {
    const char *name, *rest; /* of the arena */
    size_t name_columns;
};
void npart__make_row(struct npart__page *page, const struct npart_plan_pair *pair, struct npart__row *out);
void npart__put_table(struct npart__page *page, const struct npart__row *rows, size_t count);

/* The plan's target as it could be asked for again: "hexagon:v73+float". */
void npart__put_target(struct npart__page *page);

#endif
