// SPDX-License-Identifier: Apache-2.0
/** What npu-partition.js, which emcc makes, defines in the worker. */
declare function createTool(options: object): Promise<any>;
