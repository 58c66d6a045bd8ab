// SPDX-License-Identifier: Apache-2.0
// The table of partitions, and the texts of the swim-lane that need a canvas only to measure.
"use strict";
const assert = require("node:assert");
const test = require("node:test");
const { pageFunctions } = require("./page_script.js");

const page = pageFunctions("partitionSizes", "sizesText", "compareCells", "endGroups", "endGroupText", "endRoom",
    "fitPath", "fitText", "partitionExchanges", "nodeReason", "prepare", "partitionRows", "placeInLane");

/** A canvas on which each character is ten pixels wide. */
const context = { font: "", measureText: (text) => ({ width: text.length * 10 }) };
const ofSizes = (...sizes) => sizes.map((size) => ({ nodes: Array(size).fill(0) }));

test("partitions are counted by powers of two", () => {
    assert.deepStrictEqual(page.partitionSizes(ofSizes(1, 2, 3, 4, 9)).map(({ label, count }) => [label, count]),
        [["1 node", 1], ["2 to 3 nodes", 2], ["4 to 7 nodes", 1], ["8 to 15 nodes", 1]]);
    assert.strictEqual(page.sizesText(ofSizes(5)), "1 partition of 5 nodes.");
    assert.strictEqual(page.sizesText(ofSizes(1, 9, 2)),
        "3 partitions of 1 to 9 nodes; half of all 12 nodes or more are in the largest.");
    assert.match(page.sizesText(ofSizes(3, 3, 3)), /in the 2 largest/);
});

test("what is not known is sorted last, either way", () => {
    const values = [2, null, 1, undefined, 3];
    const sorted = (direction) =>
        [...values].sort((one, other) => page.compareCells(one, other, direction)).slice(0, 3);
    assert.deepStrictEqual(sorted(1), [1, 2, 3]);
    assert.deepStrictEqual(sorted(-1), [3, 2, 1]);
});

test("ends that are near each other share a text", () => {
    const end = (title, text) => ({ title, text });
    const flags = [{ x: 10, end: end("A", "a") }, { x: 300, end: end("B", "b") }, { x: 310, end: end("C", "c") },
        { x: 380, end: end("B", "b") }];
    const groups = page.endGroups(flags, 1000);
    assert.deepStrictEqual(groups.map((group) => [group.x, group.flags.length]), [[10, 1], [300, 3]]);
    assert.deepStrictEqual(page.endGroupText(groups[0]), end("A", "a"));
    assert.deepStrictEqual(page.endGroupText(groups[1]), end("3 ends: B, C", "b"));
    assert.strictEqual(page.endGroups([...flags, { x: 450, end: end("D", "") }], 460).length, 2);
    assert.deepStrictEqual([0, 1].map((index) => page.endRoom([{ x: 10 }, { x: 300 }], index, 0, 320)),
        [{ isLeft: false, width: 139 }, { isLeft: true, width: 141 }]);
    assert.deepStrictEqual(page.endRoom([{ x: 10 }], 0, 0, 320), { isLeft: false, width: 304 });
    assert.deepStrictEqual(page.endRoom([{ x: 310 }], 0, 0, 320), { isLeft: true, width: 306 });
    assert.deepStrictEqual(page.endGroups([], 100), []);
});

test("of a path the last steps are kept, of a text the beginning", () => {
    assert.strictEqual(page.fitPath(context, "model.layers.12", 150), "model.layers.12");
    assert.strictEqual(page.fitPath(context, "model.layers.12", 120), "\u2026layers.12");
    assert.strictEqual(page.fitPath(context, "model/layers/attention", 60), "atten\u2026");
    assert.strictEqual(page.fitPath(context, "conv", 20), "");
    assert.strictEqual(page.fitText(context, "Convolution", 60), "Convo\u2026");
    assert.strictEqual(page.fitText(context, "Convolution", 30), "");
});

test("exchanges of a partition are summed by the other one", () => {
    const crossings = [{ from: 0, to: 1, bytes: 4 }, { from: 0, to: 1, bytes: null }, { from: null, to: 1, bytes: 9 },
        { from: 1, to: 2, bytes: 8 }, { from: 0, to: 2, bytes: 1 }];
    assert.deepStrictEqual(page.partitionExchanges({ crossings }, 1),
        [{ from: 0, to: 1, tensors: 2, bytes: 4, unknown: 1 }, { from: 1, to: 2, tensors: 1, bytes: 8, unknown: 0 }]);
    assert.deepStrictEqual(page.partitionExchanges({}, 1), []);
});

test("a reason is cut where it does not end", () => {
    const node = { reasons: [{ outcome: "no", text: "rank must be at most 5", found: "x".repeat(500) }], cause: null };
    assert.match(page.nodeReason(node, {}), /^rank must be at most 5; found x+\u2026$/);
    assert.strictEqual(page.nodeReason({ reasons: [], cause: 0 }, { causes: [{ text: "why" }] }), "why");
    assert.strictEqual(page.nodeReason({ reasons: [{ outcome: "note", text: "x" }], cause: null }, {}), null);
});

test("rows are partitions once, and runs of other nodes, in order", () => {
    const node = (verdict, partition, more = {}) => ({ name: "", op: "Add", graph: "", verdict, partition, reasons: [],
        cause: null, ...more });
    const target = { nodes: [node("npu", 0), node("cpu", null), node("npu", 0), node("fused", null, { into: 2 })],
        partitions: [{ id: 0, nodes: [0, 2], cause_of_end: [], macs: null }] };
    const graph = page.prepare({}, target);
    const rows = page.partitionRows({ target, graph });
    assert.deepStrictEqual(rows.map((row) => [row.partition, [...row.ids]]), [[0, [0, 2]], [-1, [1]]]);
    assert.strictEqual(page.placeInLane(graph, 3), 2);
    assert.strictEqual(page.placeInLane(graph, null), -1);
    assert.strictEqual(page.placeInLane(graph, 99), -1);
});
