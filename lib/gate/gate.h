/* SPDX-License-Identifier: Apache-2.0
 *
 * gate: what a merge is held to: thresholds on plans.
 */
#ifndef NPART_GATE_H
#define NPART_GATE_H

#include "api/api.h"
#include "npu_partition/gate.h"

#endif
