/* SPDX-License-Identifier: Apache-2.0 */
/* What the swim-lane and the table of partitions say in words. */

/** Shapes that are expressions have no end. */
const LONGEST_REASON = 200;

/** The requirement that keeps a node from the NPU, in about a line; null where there is nothing to say. */
function nodeReason(node, target) {
    const text = wholeReason(node, target);
    return text && text.length > LONGEST_REASON ? `${text.slice(0, LONGEST_REASON)}\u2026` : text;
}

function wholeReason(node, target) {
    const reasons = node.reasons || [];
    const outcomes = ["no", "fail", "unknown"];
    const reason = reasons.find((item) => outcomes.includes(item.outcome));
    if (reason) return reason.found ? `${reason.text}; found ${reason.found}` : reason.text;
    const cause = typeof node.cause === "number" ? (target.causes || [])[node.cause] : null;
    return cause ? cause.text : null;
}

/** "Softmax", "Softmax, Where", "Softmax and 4 other ops" */
function opNames(nodes, ids) {
    const names = [...new Set(ids.map((id) => nodes[id].op))].map(plainText);
    if (names.length <= 2) return names.join(", ");
    return `${names[0]} and ${names.length - 1} other ops`;
}

/** The shortest that says why these nodes end a partition: what the first of them does not meet. */
function endCause(target, ids) {
    for (const id of ids) {
        const node = target.nodes[id];
        const cause = typeof node.cause === "number" ? (target.causes || [])[node.cause] : null;
        const text = cause ? cause.text : nodeReason(node, target);
        if (text) return text;
    }
    return "";
}

/** What ends a partition: `{title, text, cause}`, `cause` by its place or -1; texts are empty where the graph ends. */
function partitionEnd(target, partition) {
    const ids = partition.cause_of_end || [];
    const cause = ids.map((id) => causePlace(target, target.nodes[id].cause)).find((place) => place >= 0);
    if (ids.length) return { title: opNames(target.nodes, ids), text: endCause(target, ids), cause: cause ?? -1 };
    const cuts = partition.cut_behind || [];
    if (cuts.length) return { title: "cut point", text: cuts.join(", "), cause: -1 };
    return { title: "", text: "", cause: -1 };
}

function emptyTransfer() {
    return { tensors: 0, bytes: 0, unknown: 0 };
}

/** What goes into and out of each partition, by its id: from and to the CPU, and other partitions. */
function partitionTransfers(target) {
    const transfers = (target.partitions || []).map(() => ({
        in: { cpu: emptyTransfer(), npu: emptyTransfer() }, out: { cpu: emptyTransfer(), npu: emptyTransfer() } }));
    const count = (id, side, other, bytes) => {
        if (typeof id !== "number" || !transfers[id]) return;
        const sum = transfers[id][side][typeof other === "number" ? "npu" : "cpu"];
        sum.tensors++;
        if (typeof bytes === "number") sum.bytes += bytes;
        else sum.unknown++;
    };
    for (const crossing of target.crossings || []) {
        count(crossing.to, "in", crossing.from, crossing.bytes);
        count(crossing.from, "out", crossing.to, crossing.bytes);
    }
    return transfers;
}

/** What a partition passes to others and takes from them, summed by each of these: `{from, to, tensors, bytes, ...}` */
function partitionExchanges(target, id) {
    const exchanges = new Map();
    for (const { from, to, bytes } of target.crossings || []) {
        if (typeof from !== "number" || typeof to !== "number" || (from !== id && to !== id)) continue;
        const key = `${from} ${to}`;
        if (!exchanges.has(key)) exchanges.set(key, { from, to, ...emptyTransfer() });
        const sum = exchanges.get(key);
        sum.tensors++;
        if (typeof bytes === "number") sum.bytes += bytes;
        else sum.unknown++;
    }
    return [...exchanges.values()];
}

function addTransfers(one, other) {
    return {
        tensors: one.tensors + other.tensors,
        bytes: one.bytes + other.bytes,
        unknown: one.unknown + other.unknown,
    };
}

/** "1.2 MB", "at least 4 kB", "size not known" */
function transferText(sum) {
    if (!sum.unknown) return bytesText(sum.bytes);
    return sum.bytes ? `at least ${bytesText(sum.bytes)}` : "size not known";
}

/** What the nodes of a list take together: `{ms, unknown}`. */
function timeOfNodes(graph, ids) {
    let ms = 0, unknown = 0;
    for (const id of ids) {
        if (Number.isFinite(graph.ms[id])) ms += graph.ms[id];
        else unknown++;
    }
    return { ms, unknown };
}

/** "3.1 ms", "at least 3.1 ms", "time not known" */
function timeText(time) {
    if (!time.unknown) return milliseconds(time.ms);
    return time.ms > 0 ? `at least ${milliseconds(time.ms)}` : "time not known";
}

/** "5:then_branch" -> "then_branch of If (node 5)", for the innermost body. */
function graphText(nodes, path) {
    const step = path.split("/").pop();
    const colon = step.indexOf(":");
    const id = Number(step.slice(0, colon));
    const op = nodes[id] ? `${plainText(nodes[id].op)} (node ${id})` : `node ${id}`;
    return `${plainText(step.slice(colon + 1))} of ${op}`;
}

/** The module of a node in one text, or null. */
function moduleText(node, target) {
    if (target.modules && typeof node.module === "number") return plainText(target.modules[node.module].path);
    return node.at && node.at.module ? plainText(node.at.module) : null;
}

/** What a node weighs in the lane's unit: "0.12 ms", "118 M MACs"; both where both are known. */
function nodeFigures(graph, id) {
    const parts = [];
    if (Number.isFinite(graph.ms[id])) parts.push(milliseconds(graph.ms[id]));
    else parts.push("time not known");
    if (graph.macs[id] > 0) parts.push(`${amountText(graph.macs[id])} MACs`);
    return parts.join(", ");
}

/** The node in one sentence, for the live line. */
function nodeSentence(graph, target, place) {
    const id = graph.order[place], node = graph.nodes[id];
    const words = [`Node ${place + 1} of ${graph.order.length}: ${plainText(node.op)} ${nodeName(node, id)}`,
        typeof node.partition === "number" ? `${graph.taker.name} partition ${node.partition}`
            : verdictTexts[graph.verdict[id]],
        nodeFigures(graph, id)];
    const reason = nodeReason(node, target);
    if (reason) words.push(plainText(reason));
    return words.join("; ");
}

/**
 * A run of nodes in one line: "NPU partition 0: 120 nodes, 3.1 ms, hand-overs 0.5 ms", "CPU: Softmax, 2 nodes, 0.3 ms".
 * @param {any} [handOvers] of laneHandOvers()
 */
function segmentText(graph, target, segment, handOvers = null) {
    const ids = Array.from(graph.order.subarray(segment.from, segment.to));
    const what = `${countText(ids.length, "node")}, ${timeText(timeOfNodes(graph, ids))}`;
    if (segment.partition >= 0) {
        const beside = handOvers && handOvers.times[segment.partition];
        const handed = beside ? `, hand-overs ${milliseconds(beside.in + beside.out)}` : "";
        return `${graph.taker.name} partition ${segment.partition}: ${what}${handed}`;
    }
    const names = [graph.taker.name, "Fails or undecided", "CPU"];
    const reason = nodeReason(graph.nodes[ids[0]], target);
    return `${names[segment.lane]}: ${opNames(graph.nodes, ids)}, ${what}${reason ? `: ${plainText(reason)}` : ""}`;
}

const laneModes = [
    { mode: "ms", label: "predicted time", unit: "ms" },
    { mode: "macs", label: "MACs", unit: "MACs" },
    { mode: "equal", label: "equal", unit: "nodes" },
];

/**
 * What widths mean, and of how many nodes they are not known.
 * @param {any} widths @param {number} [unknownTimes] @param {any[]} [folds] of foldGraph(): then it is no whole run
 */
function widthsText(widths, unknownTimes, folds) {
    if (folds) return `Of each equal block the first is shown: ${folds.map(({ label }) => `${label.count} \u00d7 `
        + countText(label.size, "node")).join(", ")}. The others are in the table of nodes.`;
    const live = countText(widths.count, "node");
    if (widths.mode === "equal" && unknownTimes) {
        return `All nodes are equally wide. The time of ${unknownTimes.toLocaleString("en")} of ${live} is not known.`;
    }
    if (widths.mode === "equal") return "All nodes are equally wide.";
    const noun = widths.mode === "ms" ? "time" : "number of MACs";
    if (widths.isEqual && widths.unknown) return `No ${noun} is known of ${live}: all are equally wide.`;
    if (widths.isEqual) return `The ${noun} is 0 for ${live}: all are equally wide.`;
    const run = widths.value[widths.count];
    const handed = widths.handOverMs ? `. Hand-overs take ${milliseconds(widths.handOverMs)} of ${milliseconds(run)} `
        + `(${shareText(widths.handOverMs / run)}).` : ", without hand-overs.";
    const what = widths.mode === "ms" ? `Width is the predicted time of a node${handed}`
        : "Width is the number of multiply-accumulates (MACs).";
    if (!widths.unknown) return `${what} A node has a least width.`;
    const unknown = widths.unknown.toLocaleString("en");
    return `${what} It is not known of ${unknown} of ${live}, which are drawn hollow, at a quarter of the mean.`;
}
