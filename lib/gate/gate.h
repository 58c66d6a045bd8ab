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

/* The line of a side, in an arena; NULL when out of memory. */
const char *npart__baseline_line(const struct npart_side *side, int version, struct npart__arena *arena);
/* What a line says as a document that a side is made of, without nodes; NULL: it is no such line, or out of memory. */
const struct npart__tree *npart__read_baseline_line(const char *line, struct npart__arena *arena);
/* A text as JSON may have it: as it is, or, where it is no UTF-8, as npart_plain_text shows it, so that two texts never
 * become one. NULL when out of memory. */
const char *npart__as_utf8(const char *text, struct npart__arena *arena);

#endif
