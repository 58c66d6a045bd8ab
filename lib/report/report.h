/* SPDX-License-Identifier: Apache-2.0
 *
 * report: plans as text and JSON. Both say the same; equal plans give equal bytes. All that reports know of a plan
 * they ask by the public header, so whatever they print others can get as well: who wants another format has these
 * files as an example. They are written with lib/base.
 * All reports work alike: they check their arguments, open an arena and a buffer, write from the first line to the
 * last, and close both. A failure in between is noted in the arena and told at the end.
 */
#ifndef NPART_REPORT_H
#define NPART_REPORT_H

#include "base/fields.h"
#include "npu_partition/report.h"

/* ---- a report as a whole ----------------------------------------------------------------------------------- */

/* Plans of one model; `advice` is not looked at, as every getter takes a NULL for it. Comparisons, none of them NULL.
 */
npart_status npart__plans_check(const struct npart_plan_pair *plans, size_t count, struct npart_error *error);
npart_status npart__diffs_check(const npart_diff *const *diffs, size_t count, struct npart_error *error);
const struct npart_allocator *npart__allocator_of(const npart_plan *plan);
/* The model that was asked about, whose plan it is. */
const npart_model *npart__asked_model(const npart_plan *plan);
/* The beginning of every report in JSON: an object, which the caller closes, with a line end. `made_with`: by which
 * options; NULL: that is not told. */
void npart__json_begin(struct npart__buffer *out, int64_t schema, const char *made_with);
/* Whether all that was written so far is, or will be. WRITE where the caller's `write` has refused, which says more
 * than that memory ran out afterwards. */
npart_status npart__report_status(const struct npart__buffer *out, struct npart_error *error);
/* Memory for a part of a report; what has failed in it has failed in the arena around it. It is for what many plans or
 * boxes need one after the other, so that the memory of a report does not grow with their number. */
void npart__part_open(struct npart__arena *part, const struct npart__arena *around);
void npart__part_end(struct npart__arena *part, struct npart__arena *around);
/* Fails for want of memory, or of the budget of the allocator. */
npart_status npart__report_shortage(const struct npart_allocator *allocator, struct npart_error *error);
/* Whether a getter that has a status failed for want of memory, or of a budget. */
static inline bool npart__is_shortage(npart_status status)
{
    return status == NPART_ERROR_MEMORY || status == NPART_ERROR_LIMIT || status == NPART_ERROR_TIMEOUT;
}

/* What a writer is given: its subject has been checked. */
struct npart__report {
    const struct npart_subject *subject;
    enum npart_format format;
    const struct npart_report_options *options; /* the caller's, or the defaults; never NULL */
    struct npart__arena arena; /* what is taken of it stays until the report ends */
    struct npart__buffer out;
    struct npart__buffer scratch; /* what a getter writes */
    struct npart__buffer plain;   /* text from outside as it is shown */
    struct npart_plan_pair pair; /* at which it is; of PLANS, NODE and MODULES the first one to begin with */
    const npart_model *model;    /* that plans must be of, where the caller makes them; NULL before the first */
    npart_status status;       /* of what the arena and `out` do not tell; `error` has it */
    struct npart_error *error; /* may be NULL */
};

/* Whether the caller makes the plans when they are asked for. */
bool npart__makes_plans(const struct npart__report *report);
/* The plan at `index`, of 0, 1, ... each once: of the array, or as options->next makes it, which lets the one before
 * go. False where that failed: the report has failed then. */
bool npart__turn_to_plan(struct npart__report *report, size_t index);

/* moves.c: what moves and converts in a plan, most first; how many kinds, 0 where it takes a tenth of a run at most.
 * The texts are the arena's. */
#define NPART__MOST_MOVES 7u
struct npart__moves {
    struct npart__move items[NPART__MOST_MOVES];
    uint32_t count;
    double typical_ms;  /* of all */
    const char *module; /* that most of all is in, or NULL */
    double module_ms;
};
uint32_t npart__find_moves(struct npart__arena *arena, const npart_plan *plan, struct npart__moves *out);

/* The writers, a file each: text.c, explain.c, modules.c, fix.c, diff.c, markdown_diff.c, placement.c, shapes.c and
 * json*.c. */
void npart__plans_text(struct npart__report *report);
void npart__plans_json(struct npart__report *report);
void npart__failure_json(struct npart__report *report);
void npart__parts_text(struct npart__report *report);
void npart__parts_json(struct npart__report *report);
void npart__node_text(struct npart__report *report);
void npart__modules_text(struct npart__report *report);
void npart__shapes_json(struct npart__report *report);
void npart__fix_text(struct npart__report *report);
void npart__fix_json(struct npart__report *report);
/* decode.c: of a cache of fixed size; the latter a list by target, empty where there is none. */
void npart__tries_text(struct npart__report *report);
void npart__losses_text(struct npart__report *report);
void npart__losses_json(struct npart__report *report);
void npart__losses_csv(struct npart__report *report);
void npart__losses_svg(struct npart__report *report);
void npart__tries_json(struct npart__report *report);
/* ends.c: null where the model was not asked to begin or end anywhere. */
void npart__add_json_ends(struct npart__buffer *out, const char *key, const npart_fix *fix);
void npart__add_json_decode(struct npart__buffer *out, const char *key, const struct npart_subject *subject);
void npart__diffs_text(struct npart__report *report);
void npart__diffs_markdown(struct npart__report *report);
void npart__diffs_json(struct npart__report *report);
void npart__placement_text(struct npart__report *report);
void npart__placement_json(struct npart__report *report);

/* ---- layouts ----------------------------------------------------------------------------------------------- */

/* layouts.c: why a tensor that is converted changes its layout: "the target computes node 3 (Conv) in NHWC; ...".
 * `scratch` is for what getters write. */
void npart__add_conversion(struct npart__buffer *buffer, struct npart__buffer *scratch, const npart_plan *plan,
                           uint32_t value, const struct npart_value_plan *at);

/* ---- JSON of parts -------------------------------------------------------------------------------------------- */

/* json_roots.c: the list of all causes; a member each. json_cost.c, json_memory.c: a member each; the last of all nodes
 * or as a summary. */
void npart__add_json_causes(struct npart__buffer *out, const char *key, const npart_plan *plan);
void npart__add_json_roots(struct npart__buffer *out, const npart_plan *plan);
void npart__add_json_compiled(struct npart__buffer *out, const npart_plan *plan);
/* decided.c: what the share of a plan on the NPU is told as: " on the NPU", " taken by Core ML"; whether none of what
 * is taken is on it. `by` is NULL where nobody decides later. */
void npart__add_where(struct npart__buffer *line, const struct npart_plan_info *info,
                      const struct npart_decided *decided);
bool npart__is_all_elsewhere(const struct npart_decided *decided);
void npart__add_json_decided(struct npart__buffer *out, const npart_plan *plan);
void npart__add_json_release(struct npart__buffer *out, const npart_plan *plan);
void npart__add_json_cost(struct npart__buffer *out, const struct npart_plan_pair *plans);
void npart__add_json_memory(struct npart__buffer *out, const npart_plan *plan, enum npart_detail detail);

/* shapes.c: the dims of a value: numbers, expressions as text, and null for what has no name; null without a rank. */
void npart__add_json_dims(struct npart__buffer *out, const char *key, struct npart__buffer *scratch,
                          const npart_inference *inference, uint32_t id, const struct npart_value *value);
/* json_tensors.c: the list of all tensors of a plan; a node's inputs and outputs, as places in it. */
void npart__add_json_tensors(struct npart__buffer *out, struct npart__buffer *scratch, const npart_plan *plan);
void npart__add_json_operands(struct npart__buffer *out, const struct npart_node *node);
/* Whether nodes are told one by one. The values of npart_detail do not stand in the order of how much they tell
 * (TENSORS is the last one and tells most), so they are not compared by size. */
static inline bool npart__tells_nodes(enum npart_detail detail)
{
    return detail == NPART_DETAIL_NODES || detail == NPART_DETAIL_TENSORS;
}

/* losses.c: weights, those that lose most in INT4 by channel first, as that tells them apart most; NULL when out of
 * memory. A rounding by its name. */
struct npart__loss {
    struct npart_weight_loss at;
    double worst; /* by which they are sorted */
    uint32_t index;
};
struct npart__loss *npart__sorted_losses(struct npart__report *report, uint32_t *count);
uint32_t npart__find_rounding(const char *name);

/* sentences.c: a word as a POSIX shell reads it. */
void npart__add_shell_word(struct npart__buffer *line, const char *text);
/* markdown.c: plain text (npart_plain_text) of which nothing is markup, a mention or a reference; none of it is NUL. */
void npart__add_markdown(struct npart__buffer *out, const char *text, size_t length);

#endif
