/* SPDX-License-Identifier: Apache-2.0
 *
 * The rows. Those of providers of ONNX Runtime come after its own, since a session is ONNX Runtime's.
 */
#include "runtime/runtime.h"
#include "onnxruntime/onnxruntime.h"
#include "openvino/openvino.h"
#include "qnn/qnn.h"

const struct npart__product npart__products[] = {
    {.name = "onnxruntime",
     .rewrite = npart__session_settle,
     .loads = npart__session_is_loaded,
     .passes = {[NPART__SEES] = {npart__plan_see},
                [NPART__SETTLES] = {npart__settle_calls, npart__inline_ahead},
                /* Products before functions: what is round them is judged again as a whole, while verdicts of a round
                 * are kept from then on. Transposes, too: in the first round an operator is still whole that a later
                 * one inlines. */
                [NPART__HAS_JUDGED] = {npart__reshape_products, npart__lay_transposes, npart__inline_refused,
                                       npart__move_transposes},
                [NPART__HAS_PARTITIONED] = {npart__find_kernels}}},
    {.name = "openvino",
     .passes = {[NPART__HAS_ACCEPTED] = {npart__see_ranks}},
     .partitioner = {"openvino", npart__step_by_openvino, false, true, npart__fail_parted_bodies},
     .failures = {[NPART__POLICY_FAIL_UNRANKED] = npart__apply_unranked}},
    {.name = "qnn",
     .hold = npart__hold,
     .partitioner = {"qnn", npart__step_by_qnn, true, false, NULL},
     .failures = {[NPART__POLICY_FAIL_SHARED] = npart__apply_shared,
                  [NPART__POLICY_FAIL_FLAT] = npart__apply_flat,
                  [NPART__POLICY_FAIL_WIDE] = npart__apply_borders,
                  [NPART__POLICY_FAIL_DOUBLE] = npart__apply_borders,
                  [NPART__POLICY_FAIL_PASSED] = npart__apply_borders}},
    {.name = NULL},
};
