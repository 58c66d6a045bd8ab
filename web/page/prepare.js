/* SPDX-License-Identifier: Apache-2.0 */
/* What every section needs of a report, made once: flat arrays by node id. */

/** The words of nodes[].verdict, by number. */
const verdictWords = ["npu", "cpu", "fail", "unknown", "folded", "fused"];
const verdictTexts = ["NPU", "CPU", "fails to compile", "undecided", "constant-folded", "fused"];
const VERDICT_NPU = 0, VERDICT_CPU = 1, VERDICT_FAIL = 2, VERDICT_UNKNOWN = 3, VERDICT_FOLDED = 4, VERDICT_FUSED = 5;

/**
 * @param {any} report @param {any} target one of report.targets
 */
function prepare(report, target) {
    const nodes = target.nodes || [];
    const order = Uint32Array.from(target.order || liveIds(nodes));
    const position = new Int32Array(nodes.length).fill(-1);
    order.forEach((id, at) => (position[id] = at));
    return {
        nodes,
        order,
        position,
        verdict: Uint8Array.from(nodes, (node) => verdictWords.indexOf(node.verdict)),
        ms: Float64Array.from(nodes, (node) => (typeof node.ms === "number" ? node.ms : NaN)),
        macs: Float64Array.from(nodes, (node) => (node.work && typeof node.work.macs === "number" ? node.work.macs : NaN)),
    };
}

/** Where a report has no order (an older version's), that of the file. */
function liveIds(nodes) {
    const ids = [];
    nodes.forEach((node, id) => {
        if (node.verdict !== "folded" && node.verdict !== "fused") ids.push(id);
    });
    return ids;
}

/** "Conv_12", or "node 12" of one without a name. */
function nodeName(node, id) {
    return node.name ? plainText(node.name) : `node ${id}`;
}
