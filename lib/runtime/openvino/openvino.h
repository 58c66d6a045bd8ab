/* SPDX-License-Identifier: Apache-2.0
 *
 * openvino: what ONNX Runtime's OpenVINO provider does by itself, and how its sessions fail.
 */
#ifndef NPART_OPENVINO_H
#define NPART_OPENVINO_H

#include "partition/steps.h"

/* partitions.c: what the provider forms. */
npart__stepper npart__step_by_openvino;
/* A body of which some nodes are taken, of a node that is taken: the node fails. Whether there is one. */
bool npart__fail_parted_bodies(struct npart__hand_back *to);

/* unranked.c: a node with a tensor of which it is not known how many dims it has. */
npart__failure npart__apply_unranked;
/* What the runtime knows, into plan->seen, where a `partitions fail unranked` line of the target asks for it. It is
 * kept by the session's inference. */
npart__pass npart__see_ranks;

#endif
