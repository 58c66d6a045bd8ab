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
    struct npart_decided decided; /* `by` is NULL where what is taken is on the NPU */
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
/* The same, cut in the middle: "/model/...s.11/MatMul". `columns` is 6 or more. */
void npart__put_middle(struct npart__page *page, const char *text, size_t columns);
/* As npart__wrapped, but in no more than `most` lines (0: as many as it takes), none of them wider than the page. */
void npart__put_filled(struct npart__page *page, const char *text, uint32_t column, uint32_t indent, uint32_t most);
/* A line: `lead` as it is, painted where there is a code, then the text wrapped. */
void npart__put_line(struct npart__page *page, const char *code, const char *lead, const char *plain, uint32_t indent);
/* The line of Python that a node comes from: of an installed package without its folder, and told as such. Nothing
 * where it is not known. */
void npart__add_source(struct npart__buffer *out, const struct npart_origin *origin);
/* A node with the module and the line of Python that it comes from. */
void npart__put_place(struct npart__page *page, uint32_t node);
void npart__put_wrapped_place(struct npart__page *page, uint32_t node, uint32_t column, uint32_t indent);

/* What stands in a cell of the strip. A node counts as one of the kinds by its verdict. */
enum npart__cell { NPART__CELL_NPU, NPART__CELL_CPU, NPART__CELL_FAIL, NPART__CELL_UNKNOWN, NPART__CELL_KINDS };

/* The plan's nodes in the order that they run, in at most so many cells. */
/* cache.c: how the cache of a model is to be kept that was given a fixed one. */
void npart__put_fixed_cache(struct npart__page *page, const struct npart_subject *subject);
/* ends.c: what is before and after a model that ends, or begins, at some tensors; nothing of any other. */
void npart__put_ends(struct npart__page *page, const npart_fix *fix);
/* decode.c: what a run of it takes on each target; two columns in. */
void npart__put_decode_line(struct npart__page *page, const struct npart_subject *subject);
void npart__put_strip(struct npart__page *page, uint32_t cells);
/* Any nodes, in the order given. */
void npart__put_cells(struct npart__page *page, const uint32_t *nodes, uint32_t count, uint32_t cells);
/* The plan's counts by what stands for them in the strip: the strip's legend. Returns the columns. */
uint32_t npart__put_cell_counts(struct npart__page *page);
/* The plan's verdict in capitals; returns its columns. */
uint32_t npart__put_verdict(struct npart__page *page);
/* Three figures or two decimals. */
void npart__put_milliseconds(struct npart__page *page, double value);
/* "0.56 ms (0.28 to 1.09), uncalibrated", of a range that is known. */
void npart__put_span(struct npart__page *page, struct npart_cost_range range, bool is_calibrated);
/* remarks.c: the op list's notes that apply, those of most nodes first. */
void npart__put_remarks(struct npart__page *page);
void npart__put_wrong(struct npart__page *page);
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
/* precision.c: formats that are not native, or with all details every one; weights that a target takes and is slow at,
 * or does not take for their blocks, with what to export instead. */
void npart__put_precisions(struct npart__page *page);
void npart__put_block_weights(struct npart__page *page);
/* fusions.c: how many patterns are fused, and what stops those that nearly are. */
void npart__put_fusions(struct npart__page *page);
/* memory.c: what the plan takes of memory. */
void npart__put_memory(struct npart__page *page);
/* "4.1 GB of weights and activations on the NPU, a session holds 4.0 GB", after a semicolon where something stands. */
void npart__append_limit(struct npart__buffer *out, const struct npart_memory_limit *at);
/* Whether it is not known for what there is, and not for what is missing in a sum. */
bool npart__is_near_limit(const struct npart_memory_limit *at);
/* costs.c: what a run takes. */
void npart__put_cost(struct npart__page *page, const struct npart_plan_pair *pair);
/* details.c: all causes with their rules; what takes a screen of its own. */
void npart__put_details(struct npart__page *page, const struct npart_plan_pair *pair);

/* ---- the answer -------------------------------------------------------------------------------------------- */

/* The column in which texts stand, after their labels. */
#define NPART__TEXT_COLUMN 13u

/* answer.c: a label of at most 10 columns and its text, in at most so many lines (0: all). The second closes it. */
void npart__put_field(struct npart__page *page, const char *label, const char *code, const char *text, uint32_t most);
void npart__put_made_field(struct npart__page *page, const char *label, struct npart__buffer *text, uint32_t most);
/* The model in one line; inputs with dynamic sizes; sizes that were given; the target with its verdict; whether the NPU
 * is worth it; what has to fit; what compiling takes; what a decoder's cache takes; the strip with its legend;
 * what was found in the file; what this rests on. */
/* A path's last part, which is what tells models apart on one screen. */
const char *npart__base_name(const char *path);
void npart__put_head(struct npart__page *page);
void npart__put_inputs(struct npart__page *page);
void npart__put_sizes(struct npart__page *page);
void npart__put_headline(struct npart__page *page);
void npart__put_worth(struct npart__page *page, const struct npart_plan_pair *pair);
void npart__put_fit(struct npart__page *page);
void npart__put_compile(struct npart__page *page);
/* compiled.c: whether graphs that are compiled already can be loaded. */
void npart__put_compiled(struct npart__page *page);
/* decided.c: where a framework decides later which unit runs what is taken. */
void npart__put_decided(struct npart__page *page);
/* releases.c: where another release of the toolchain was asked for than the newest. */
void npart__tell_release(struct npart__page *page, const npart_advice *advice);
void npart__put_serving(struct npart__page *page, const npart_advice *advice);
/* Two digits, as of any estimate; "-" of a negative one. */
void npart__append_rate(struct npart__buffer *out, double per_second);
/* "first token ~0.9 s for 1,024 tokens in 8 runs of 128" */
void npart__append_first_token(struct npart__buffer *out, double ms, uint64_t prompt, uint32_t run);
void npart__put_nodes(struct npart__page *page);
/* moves.c */
void npart__put_moves(struct npart__page *page);
void npart__put_notes(struct npart__page *page, bool is_alone);
void npart__put_checked(struct npart__page *page, const struct npart_plan_pair *pair);
/* Whether the target's runtime does not load the model; whether a finding says why. */
bool npart__is_not_loaded(const struct npart__page *page);
bool npart__stops_loading(const struct npart__page *page, const struct npart_finding *finding);
/* "94 %"; "under 1 %" of what is not nothing. */
void npart__add_share(struct npart__buffer *out, double share);
/* steps.c: the command of an action, from a column on; `target` stands for the action's own where it is not NULL. */
void npart__put_run(struct npart__page *page, const struct npart_action *action, uint32_t begin, const char *target);
/* What to do, step by step. */
void npart__put_steps(struct npart__page *page, const struct npart_plan_pair *pair);
/* Whole, or nothing is left to run: where there is no step, that is no lack. */
bool npart__needs_nothing(const struct npart_summary *summary);
/* why.c: the reasons; where it fails to compile; the one requirement that all nodes fail, or NULL. */
void npart__put_why(struct npart__page *page);
void npart__put_failure(struct npart__page *page);
const char *npart__whole_failure(struct npart__page *page);

/* A node with weights, in one precision. */
struct npart__layer {
    const char *name, *key; /* the key is what it makes */
    uint64_t bytes; /* of its weights */
    double ms; /* negative: not known */
};

/* table.c: one line for each plan, made while the page is at it. */
struct npart__row {
    const char *name, *rest; /* of the arena */
    size_t name_columns;
    double cpu_ms;   /* on the CPU alone; negative: not known */
    double gpu_ms, toolkit_ms;  /* of a decoder, likewise; which toolkit, NULL where it is not known */
    const char *toolkit;
    const char *fix; /* the command that does the first step, for any target; NULL: there is none */
    const char *unit; /* what runs what is taken */
    bool is_later;   /* it is decided later what the NPU runs */
    /* of a table of precisions */
    const char *as;    /* NULL: as it is */
    const char *target; /* without its release */
    const char *share; /* verdict, partitions and how much of the work */
    const char *path; /* of the model */
    const char *first, *source; /* how it is quantized first, and who says so; NULL */
    uint32_t kept, widened; /* nodes that are kept in float or 16 bits; weights of 8 bits where others have 4 */
    uint32_t nodes; /* all, QuantizeLinear and DequantizeLinear too */
    bool is_unchanged; /* nothing is quantized */
    const char *precision; /* what becomes of it, where it is not computed as it is; NULL */
    struct npart__layer *layers; /* by key */
    uint32_t layer_count;
    uint64_t weight_bytes;
    struct npart_bytes peak; /* of activations, on the side that takes more */
    const char *fits;  /* whether there is room in the RAM that was said; NULL: none was */
    double typical_ms; /* negative: not known */
    bool runs;
};
/* as_layers.c: nodes with weights of the plan that is open; of two plans, what each such node costs. */
void npart__list_layers(struct npart__page *page, struct npart__row *row);
void npart__put_layers(struct npart__page *page, const struct npart__row *row, const struct npart__row *than);
/* precision.c */
const char *npart__precision_told(struct npart__page *page);
bool npart__changes_nothing(const struct npart__page *page);
void npart__put_asked_precision(struct npart__page *page);
void npart__make_row(struct npart__page *page, const struct npart_plan_pair *pair, struct npart__row *out);
void npart__put_table(struct npart__page *page, const struct npart__row *rows, size_t count);
/* as_table.c: the same of one model in several precisions. */
void npart__put_as_table(struct npart__page *page, const struct npart__row *rows, size_t count);

/* The plan's target as it could be asked for again: "hexagon:v73+float", "hexagon:v73@2.4.0"; and its columns. */
void npart__put_target(struct npart__page *page);
size_t npart__target_columns(struct npart__page *page);

#endif
