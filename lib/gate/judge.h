/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the files that hold a model to its project: judge.c has thresholds and waivers, regression.c the baseline,
 * stanza.c what would accept it, judged_text.c and judged_json.c tell it.
 */
#ifndef NPART_GATE_JUDGE_H
#define NPART_GATE_JUDGE_H

#include "gate/project.h"

#define NPART__REGRESSION "baseline" /* the outcome that a comparison is */
#define NPART__DAY_BYTES 36          /* of three numbers, whatever they are */
#define NPART__WAIVER_BYTES 512

/* The model on a target. */
struct npart__judged {
    const npart_plan *plan;
    const npart_advice *advice;
    const char *target, *as, *label;
    enum npart_standing standing;
    struct npart_gate_outcome outcomes[NPART_MOST_OUTCOMES];
    uint32_t count;
    char waivers[NPART_MOST_OUTCOMES][NPART__WAIVER_BYTES]; /* why one that is not met is accepted; "": it is not */
    bool is_known[NPART_MOST_OUTCOMES]; /* the baseline accepts it, no waiver */
    bool is_told[NPART_MOST_OUTCOMES];  /* with the outcome of the baseline: one regression is told once */
    size_t own_bytes; /* of the text of `comparison`: what stands before "; changed: "; 0: all of it */
    struct npart_compared compared; /* with the baseline, else with what was before */
    uint32_t comparison;            /* the outcome that it belongs to; NPART_NONE: none */
};

struct npart_gate {
    struct npart__life *life;
    struct npart_gate_options options; /* what it points to is the caller's */
    const npart_inference *inference;
    struct npart_thresholds asked, thresholds; /* thresholds: of all targets */
    enum npart_standing standing;
    char invalid[NPART__WAIVER_BYTES]; /* why ONNX Runtime does not load it, where that is a threshold; "" */
    char invalid_waiver[NPART__WAIVER_BYTES];
    bool is_invalid_known; /* which the baseline accepts */
    struct NPART__ARRAY(struct npart__judged *) targets;
    struct NPART__ARRAY(struct npart_threshold_outcome) outcomes; /* npart_gate_outcomes */
};

/* All that is waived for a model on a target at once: two rules may have to go for one threshold. */
struct npart__accepted {
    npart_gate *gate;
    struct npart__judged *judged;
    bool with_expired;
    struct npart_thresholds thresholds; /* with those of the waivers */
    bool *is_waived;  /* by rule of the op list, all of them: some waiver has it */
    struct npart__lift *lift; /* the nodes that fall back for these alone; NULL: not looked for yet */
    struct npart_gate_outcome outcomes[NPART_MOST_OUTCOMES];
    uint32_t count;
};

/* stanza.c: of a month of a year. */
int npart__days_of(int year, int month);
/* judge.c. Waivers of the project by place; NULL past the last, and without a project. */
struct npart__waiver *npart__waiver_of(const npart_gate *gate, uint32_t index);
bool npart__is_in_force(const struct npart__accepted *accepted, const struct npart__waiver *waiver);
/* Whether one is for the target. */
bool npart__has_waivers(const npart_gate *gate, const char *target, bool are_expired);
/* "until 2027-03-31: reason", after `used` bytes of others. Returns how many bytes there are then. */
size_t npart__use_waiver(struct npart__waiver *waiver, char *out, size_t bytes, size_t used);
/* Whether it waives a rule for which nodes were put on the NPU. */
bool npart__has_lifted(const struct npart__accepted *accepted, const struct npart__waiver *waiver);
void npart__mark_waived(const struct npart__accepted *accepted, const struct npart__waiver *waiver);
/* With the nodes that fall back for waived rules on the NPU; NULL: there are none. */
npart_status npart__plan_lifted(struct npart__accepted *accepted, npart_plan **out, struct npart_error *error);
/* Room for what is waived; false: out of memory. */
bool npart__accepted_open(struct npart__accepted *accepted, npart_gate *gate, struct npart__judged *judged);
void npart__accepted_close(struct npart__accepted *accepted);
/* How it stands by its outcomes. */
void npart__settle_judged(struct npart__judged *judged);
/* Of a threshold that is not met, and nothing accepts, which is told by itself; any of them. */
bool npart__is_open(const struct npart__judged *judged, uint32_t outcome);
bool npart__has_open(const struct npart__judged *judged);
void npart__tell_gate(const npart_gate *gate, uint32_t line, uint32_t column, const char *format, ...)
    NPART__PRINTF(4, 5);

/* settle.c, of a waiver: whether it is for a target as it was asked for; whether it says something of a threshold, by
 * the name of its outcome; its thresholds instead of those that are there, where they ask less; its thresholds and no
 * other, without the conditions that it accepts. */
bool npart__waiver_has_target(const struct npart__waiver *waiver, const char *target);
bool npart__waiver_speaks_of(const struct npart__waiver *waiver, const char *threshold);
void npart__waiver_accept(const struct npart__waiver *waiver, struct npart_thresholds *inout);
void npart__waiver_limit(const struct npart__waiver *waiver, struct npart_thresholds *out);
/* thresholds.c: by the name of an outcome; NPART_BOUNDS: it is none. */
enum npart_bound npart__bound_of(const char *threshold);

/* baseline.c: a plan of the model beside what it was. A baseline that is to be written keeps the plan instead, and
 * finds nothing worse. */
npart_status npart__baseline_compare(npart_baseline *baseline, const npart_gate *gate, const npart_plan *plan,
                                     const npart_advice *advice, struct npart_compared *out, struct npart_error *error);
bool npart__baseline_is_written(const npart_baseline *baseline);
/* regression.c: the outcome "baseline" after the others, which it accepts where nothing is worse than it; and what
 * changed since before, told with what fails. */
npart_status npart__judge_regression(npart_gate *gate, struct npart__judged *judged, struct npart_error *error);
npart_status npart__tell_changed(npart_gate *gate, struct npart__judged *judged, struct npart_error *error);
/* stanza.c: a stanza of [[waivers]] for all that is open of the model on a target; NULL: of the model as such. Returns
 * NULL, or why no waiver accepts it. */
const char *npart__put_stanza(struct npart__buffer *out, const npart_gate *gate, const struct npart__judged *judged);
/* The command that adds it, as a shell takes it, in lines of `width` columns from `column` on. False: there is no
 * project file that it could be written to. */
bool npart__put_accept_command(struct npart__buffer *out, const npart_gate *gate, const struct npart__judged *judged,
                               uint32_t column, uint32_t width);
/* paragraph.c: the columns of a line. */
uint32_t npart__width_of(const struct npart_report_options *look);
/* Text as it is; nothing but the text without colour, or where `code` is NULL. */
void npart__put_painted(struct npart__buffer *out, const struct npart_report_options *look, const char *code,
                        const char *text);
/* A line: `lead`, a text of our own of ASCII, painted where there is a code; then the text as npart_plain_text shows
 * it. It is broken at blanks, and a word that is longer than a line anywhere; further lines begin below the first
 * character after the lead. Of more than `most` lines (0: any) the last ends in "...". */
void npart__put_paragraph(struct npart__buffer *out, const struct npart_report_options *look, const char *code,
                          const char *lead, const char *text, uint32_t most);

#endif
