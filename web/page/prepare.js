/* SPDX-License-Identifier: Apache-2.0 */
/* What every section needs of a report, made once: flat arrays by node id. */

/** The words of nodes[].verdict, by number. */
const verdictWords = ["npu", "cpu", "fail", "unknown", "folded", "fused"];
const verdictTexts = ["NPU", "CPU", "fails to compile", "undecided", "constant-folded", "fused"];
const VERDICT_NPU = 0, VERDICT_CPU = 1, VERDICT_FAIL = 2, VERDICT_UNKNOWN = 3, VERDICT_FOLDED = 4, VERDICT_FUSED = 5;

/** What computes the nodes that are taken, of the target that is shown, and where that is in a sentence. */
const taker = { name: "NPU", place: "on the NPU" };

/** A target of an older report has no unit. @param {any} target */
function showTaker(target) {
    taker.name = plainText(target.unit || "NPU");
    taker.place = taker.name === "NPU" ? "on the NPU" : `in ${taker.name}`;
    verdictTexts[VERDICT_NPU] = taker.name;
}

/** A text of the page's own that speaks of the NPU. @param {string} text */
function ofTaker(text) {
    return text.replaceAll("on the NPU", taker.place).replaceAll("NPU", taker.name);
}

/**
 * @param {any} report @param {any} target one of report.targets
 */
function prepare(report, target) {
    showTaker(target);
    /** @type {any[]} */
    const nodes = target.nodes || [];
    const order = Uint32Array.from(target.order || liveIds(nodes));
    const position = new Int32Array(nodes.length).fill(-1);
    order.forEach((id, at) => (position[id] = at));
    const known = (figure) => Float64Array.from(nodes.map((node) => {
        const value = figure(node);
        return typeof value === "number" ? value : NaN;
    }));
    return {
        nodes,
        taker: { ...taker },
        order,
        position,
        verdict: Uint8Array.from(nodes.map((node) => verdictOf(node.verdict))),
        ms: known((node) => node.ms),
        macs: known((node) => node.work && node.work.macs),
        bytes: known((node) => bytesMoved(node.work)),
    };
}

/** A word of a later version is undecided. */
function verdictOf(word) {
    const at = verdictWords.indexOf(word);
    return at < 0 ? VERDICT_UNKNOWN : at;
}

/** What a node reads and writes, constants included; null where a size is not known. */
function bytesMoved(work) {
    if (!work) return null;
    const parts = [work.bytes_in, work.bytes_out, work.weight_bytes];
    return parts.every((part) => typeof part === "number") ? parts[0] + parts[1] + parts[2] : null;
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
