/* SPDX-License-Identifier: Apache-2.0
 *
 * Subjects of reports where they are needed: npart_report(OF_PLANS(&pair, 1), NPART_FORMAT_JSON, ...).
 */
#ifndef TEST_SUPPORT_SUBJECTS_H
#define TEST_SUPPORT_SUBJECTS_H

#include "npu_partition.h"

#define SUBJECT(...) (&(const struct npart_subject){.size = sizeof(struct npart_subject), __VA_ARGS__})
#define OF_PLANS(pairs, number) SUBJECT(.kind = NPART_SUBJECT_PLANS, .plans = (pairs), .count = (number))
#define OF_NODE(pairs, number, name) \
    SUBJECT(.kind = NPART_SUBJECT_NODE, .plans = (pairs), .count = (number), .node = (name))
#define OF_MODULES(pairs, number) SUBJECT(.kind = NPART_SUBJECT_MODULES, .plans = (pairs), .count = (number))
#define OF_SHAPES(at) SUBJECT(.kind = NPART_SUBJECT_SHAPES, .inference = (at))
#define OF_WORK(at) SUBJECT(.kind = NPART_SUBJECT_WORK, .inference = (at))
#define OF_FIX(found, path) SUBJECT(.kind = NPART_SUBJECT_FIX, .fix = (found), .written = (path))
#define OF_DIFFS(list, number) SUBJECT(.kind = NPART_SUBJECT_DIFFS, .diffs = (list), .count = (number))
#define OF_PLACEMENT(at) SUBJECT(.kind = NPART_SUBJECT_PLACEMENT, .placement = (at))

#endif
