/* SPDX-License-Identifier: Apache-2.0
 *
 * gate: what a merge is held to: thresholds on plans (thresholds.c) and what a project file says of them
 * (project.c, settle.c, lift.c), and what models were. Saved reports and baselines
 * are read as sides of comparisons (sides.c). A baseline is a line in words a model, target and toolchain, for who
 * reviews it (baseline_words.c); what a comparison needs to name nodes stands in a cache beside it (baseline_cache.c),
 * which counts for lines that say the same, and may be missing: then the words are compared.
 */
#ifndef NPART_GATE_H
#define NPART_GATE_H

#include "api/api.h"
#include "base/stream.h"
#include "npu_partition/gate.h"

/* In which numbers of nodes are written, and the largest of three digits. */
#define NPART__BASELINE_DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
#define NPART__BASELINE_NONE 262143u

/* In which order a baseline has two sides: as strcmp() tells it, for qsort of their addresses. */
int npart__compare_sides(const void *a, const void *b);
/* The line of a side, in words of a version, without its end; in an arena: NULL when out of memory. */
void npart__put_baseline_line(struct npart__buffer *out, const struct npart_side *side, int version);
const char *npart__baseline_line(const struct npart_side *side, int version, struct npart__arena *arena);
/* In which version the figures of a line are, whichever stands at the top of its file. */
int npart__baseline_line_version(const char *line);
/* Whether the nodes of the sides of two lines are the same but for their names: "structure" of the line. */
bool npart__same_structure(const char *line, const char *other);
/* The cache of those of these sides that have nodes. */
void npart__put_baseline_cache(struct npart__buffer *out, const struct npart_side *const *sides, uint32_t count);
/* What a line says as a document that a side is made of, without nodes; NULL: it is no such line, or out of memory. */
const struct npart__tree *npart__read_baseline_line(const char *line, struct npart__arena *arena);
/* A text as JSON may have it: as it is, or, where it is no UTF-8, as npart_plain_text shows it, so that two texts never
 * become one. NULL when out of memory. */
const char *npart__as_utf8(const char *text, struct npart__arena *arena);

/* The nodes that fall back for waived rules and no other. A node is told by its name, else by its op; where others have
 * the name or op and fall back for a rule that is not waived, it stays on the CPU. */
struct npart__lift;
/* `is_waived` is by rule of the plan's op list. Keeps nothing of what it is given. Fails with MEMORY. */
npart_status npart__lift_make(struct npart__lift **out, const npart_plan *plan, const bool *is_waived,
                              struct npart_error *error);
void npart__lift_free(struct npart__lift *lift);
/* Those nodes as placement overrides, with which the model is planned again; they live as long as the lift. */
const struct npart_assumption *npart__lift_overrides(const struct npart__lift *lift, uint32_t *count);
/* Whether a node that is put on the NPU falls back for a rule. */
bool npart__lift_has_rule(const struct npart__lift *lift, uint32_t rule);

#endif
