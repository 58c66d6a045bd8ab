/* SPDX-License-Identifier: Apache-2.0
 *
 * npu-partition: which nodes of an ONNX graph an NPU's compiler takes, what partitions that makes, what the switches
 * between NPU and CPU cost, and why each node that falls back does.
 *
 *     npart_model *model = NULL;
 *     npart_inference *inference = NULL;
 *     npart_oplist *hexagon = NULL;
 *     npart_plan *plan = NULL;
 *     struct npart_summary summary = {.size = sizeof summary};
 *     struct npart_error error;
 *
 *     if (npart_model_read_file(&model, "model.onnx", NULL, &error) == NPART_OK &&
 *         npart_inference_make(&inference, model, NULL, &error) == NPART_OK &&
 *         npart_oplist_find(&hexagon, "hexagon", NULL, &error) == NPART_OK &&
 *         npart_plan_make(&plan, inference, hexagon, "hexagon:v73", NULL, &error) == NPART_OK) {
 *         npart_plan_summary(plan, &summary);
 *         printf("%u partitions\n", summary.partitions);
 *     }
 *     npart_plan_free(plan);
 *     npart_oplist_free(hexagon);
 *     npart_inference_free(inference);
 *     npart_model_free(model);
 *
 * Handles. A model is a file read, an inference what is known of its tensors for one choice of sizes, an op list the
 * rules of a target, a plan the answer for all three. Each keeps alive what it was made from, so they may be freed in
 * any order. Every *_free takes NULL. An allocator of the caller's must outlive the handles that use it.
 *
 * Threads. There is no global state. Getters and reports take `const` handles and may be called from several threads at
 * the same time, also while other threads make or free inferences and plans of the same model, inference and op list.
 * Only the last *_free of a handle must come after all other calls with that handle. Callbacks are called by the thread
 * that made the call; an allocator that several threads share must be able to.
 *
 * Ownership. What comes back through a first parameter `**out` is the caller's to free. Returned and filled-in `const`
 * pointers belong to the handle they came from and live as long as it does.
 *
 * Budgets. Past max_memory_bytes or max_ms of the options that a model was read with, functions that name MEMORY fail
 * with LIMIT or TIMEOUT instead. Handles stay as they were, and are to be freed as ever.
 *
 * Errors. A function that can fail returns a status, fills in `error` (which may be NULL) when it fails, and then
 * leaves its results alone. That an NPU does not take a node is a verdict, never an error. The library never prints,
 * never exits, and never aborts on its input. Getters return false where there is nothing to tell: the handle is NULL,
 * the id is out of range, or `size` is not one that this library knows; they leave *out alone then.
 *
 * Structs grow. Those for options begin with `version`: initialize them with their _INIT, which names members (C++ has
 * that from C++20 on); NULL means the defaults.
 * Those for results begin with `size`, which the caller sets to what it was compiled with:
 *
 *     struct npart_node node = {.size = sizeof node};
 *     for (uint32_t id = 0; npart_model_node(model, id, &node); id++)
 *         puts(node.op);
 *
 * Later versions add members at the end, and fill in as much as the caller's size has room for. A version or size that
 * the library does not know is an error. Structs with neither never change.
 *
 * Ids. Nodes, values, graphs, partitions, causes and rules are numbers from 0; NPART_NONE is none. The nodes of the
 * main graph come first, in the file's order. What is asked by index ends where the getter returns false.
 *
 * Texts are UTF-8 as the file has it, which may be anything: npart_plain_text makes them fit to be shown. Functions
 * that write text cut it to `bytes`, never within a character, end it with a NUL, and return the length of the whole,
 * or SIZE_MAX when out of memory; `out` may be NULL where `bytes` is 0.
 */
#ifndef NPU_PARTITION_H
#define NPU_PARTITION_H

#define NPART_VERSION_MAJOR 0
#define NPART_VERSION_MINOR 3
#define NPART_VERSION_PATCH 0

#include "npu_partition/base.h"
#include "npu_partition/model.h"
#include "npu_partition/plan.h"
#include "npu_partition/mend.h"
#include "npu_partition/compare.h"
#include "npu_partition/report.h"
#include "npu_partition/runs.h"
#include "npu_partition/many.h"
#include "npu_partition/gate.h"
#include "npu_partition/experimental.h"

#endif
