// SPDX-License-Identifier: Apache-2.0
// Equal blocks, hand-overs and causes in the swim-lane (web/page/lane_fold.js, lane_hand_overs.js, lane_causes.js).
"use strict";
const assert = require("node:assert");
const test = require("node:test");
const { pageFunctions } = require("./page_script.js");

const page = pageFunctions("equalBlocks", "nodeBlocks", "foldGraph", "prepare", "handOverTimes", "laneHandOvers",
    "laneSegments", "partitionEnds", "laneWidths", "laneColumns", "columnKinds", "COLUMN_HAND_OVER", "causeBands",
    "stripColumns", "neighboursOf");

const blocksOf = (text, least = 1) => page.equalBlocks([...text].map((letter) => letter.charCodeAt(0)), least);

test("what repeats is found, wherever it begins", () => {
    assert.deepStrictEqual(blocksOf("xabcabcabcy"), [{ from: 1, size: 3, count: 3 }]);
    assert.deepStrictEqual(blocksOf("aabaabaabaab"), [{ from: 0, size: 3, count: 4 }]);
    assert.deepStrictEqual(blocksOf("abcdabcdxyz"), []);
    assert.deepStrictEqual(blocksOf(""), []);
    assert.deepStrictEqual(blocksOf("ababab", 3), []);
    assert.deepStrictEqual(blocksOf("abcdabcdabcdabcd-efghiefghiefghi"),
        [{ from: 0, size: 4, count: 4 }, { from: 17, size: 5, count: 3 }]);
});

/** Nodes by letters: N and M on the NPU (partition 0 and 1), C on the CPU. */
function graphOf(letters, ops = letters) {
    const nodes = [...letters].map((letter, id) => ({ name: `n${id}`, op: ops[id], domain: "", graph: "", ms: 1,
        verdict: letter === "C" ? "cpu" : "npu", partition: { N: 0, M: 1 }[letter] ?? null,
        cause: letter === "C" ? 3 : null, work: { class: "move", macs: 0, bytes_in: 1, bytes_out: 1, weight_bytes: 0 } }));
    return page.prepare({}, { nodes });
}

test("a folded graph has the first of equal blocks, and a place for each of their nodes", () => {
    const graph = graphOf("N".repeat(14), "xabcdabcdabcdy"), blocks = page.nodeBlocks(graph);
    assert.deepStrictEqual(blocks, [{ from: 1, size: 4, count: 3 }]);
    const folded = page.foldGraph(graph, blocks);
    assert.deepStrictEqual([...folded.order], [0, 1, 2, 3, 4, 13]);
    assert.deepStrictEqual([...folded.position], [0, 1, 2, 3, 4, 1, 2, 3, 4, 1, 2, 3, 4, 5]);
    assert.deepStrictEqual(folded.folds, [{ label: { size: 4, count: 3 }, from: 1, to: 5 }]);
});

const target = {
    partitions: [{ id: 0, nodes: [0] }, { id: 1, nodes: [2] }],
    nodes: [{ partition: 0 }, { partition: null }, { partition: 1 }],
    crossings: [{ from: null, to: 0, bytes: 100 }, { from: 0, to: 1, bytes: 300 }],
    layouts: [{ node: 2, bytes: 8 }],
    cost: { typical_ms: 17, parts: { switch: [0, 2, 9], copy: [0, 7, 9], layout: [0, 5, 9] } },
};

test("hand-overs add up to what the report says of a run", () => {
    const times = page.handOverTimes(target);
    assert.deepStrictEqual(times, [{ in: 1 + 1, out: 3 }, { in: 1 + 3 + 5, out: 0 }]);
    assert.strictEqual(page.handOverTimes({ ...target, cost: { ...target.cost, typical_ms: null } }), null);
    const parts = { ...target.cost.parts, copy: [null, null, null] };
    assert.strictEqual(page.handOverTimes({ ...target, cost: { typical_ms: 17, parts } }), null);
    assert.strictEqual(page.handOverTimes({ partitions: [] }), null);
});

test("hand-overs stand beside the nodes of their partition, in time alone", () => {
    const graph = graphOf("NCM"), segments = page.laneSegments(graph), ends = page.partitionEnds(segments);
    const handOvers = page.laneHandOvers(target, 3, segments, ends);
    const widths = page.laneWidths(graph, "ms", handOvers);
    assert.deepStrictEqual([...widths.start], [0, 6, 7, 17]);
    assert.strictEqual(widths.handOverMs, 14);
    assert.strictEqual(page.laneWidths(graph, "equal", handOvers).total, 3);
    const { masks } = page.laneColumns(widths, page.columnKinds(graph), { from: 0, to: 17 }, 17, Infinity);
    const isHandOver = [...masks].map((mask) => Number(Boolean(mask & page.COLUMN_HAND_OVER)));
    assert.deepStrictEqual(isHandOver, [1, 1, 0, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0]);
});

test("causes are told by their place in the list", () => {
    const graph = graphOf("NCCM");
    assert.deepStrictEqual(page.causeBands(graph, { causes: [{ id: 9 }, { id: 3 }] }), [{ label: 1, from: 1, to: 3 }]);
    assert.deepStrictEqual(page.causeBands(graph, { causes: [] }), []);
});

test("a strip has a bit for each side in its columns", () => {
    const nodes = [..."NCM"].map((letter) => ({ verdict: letter === "C" ? "cpu" : "npu" }));
    const columns = page.stripColumns({ nodes, order: [0, 1, 2] });
    assert.deepStrictEqual([columns[0], columns[80], columns[159]], [1, 4, 1]);
    assert.strictEqual(page.stripColumns({ nodes: [], order: [] }), null);
    assert.strictEqual(page.stripColumns({}), null);
});

test("neighbours are told once, without constants", () => {
    const uses = { tensors: [{}, { constant: true }, {}, {}], producer: new Map([[0, 5]]),
        consumers: new Map([[3, [7, 8]]]) };
    assert.deepStrictEqual(page.neighboursOf(uses, { inputs: [0, 0, 1, null, 2], outputs: [3] }),
        { before: [5, "in"], after: [7, 8] });
    assert.deepStrictEqual(page.neighboursOf(uses, { inputs: [], outputs: [2] }), { before: [], after: ["out"] });
});
