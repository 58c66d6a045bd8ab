// SPDX-License-Identifier: Apache-2.0
// The swim-lane without its drawing (web/page/lane_layout.js, lane_scene.js, lane_text.js).
"use strict";
const assert = require("node:assert");
const test = require("node:test");
const { pageFunctions } = require("./page_script.js");

const page = pageFunctions("COLUMN_NPU", "COLUMN_CPU", "COLUMN_FAIL", "COLUMN_NO_WIDTH", "LANE_NPU", "LANE_OPEN",
    "LANE_CPU", "prepare", "laneWidths", "bestLaneMode", "placeAt", "mapUnit", "laneColumns", "columnKinds",
    "hitPlace", "laneSegments", "partitionEnds", "laneBands", "moduleLevels", "levelInSight", "bandsInSight",
    "roundTicks", "nextSwitch", "segmentAt", "makeLaneView", "partitionTransfers", "transferText", "timeOfNodes",
    "timeText", "partitionEnd", "graphText", "widthsText");

/** A graph of nodes by one letter each: N, M (NPU, partitions 0 and 1), C, F (fails), U (undecided). */
function graphOf(letters, figures = {}) {
    const verdicts = { N: "npu", M: "npu", C: "cpu", F: "fail", U: "unknown" };
    const nodes = [...letters].map((letter, id) => ({ name: `n${id}`, op: "Op", graph: "", verdict: verdicts[letter],
        partition: { N: 0, M: 1 }[letter] ?? null, ms: figures.ms ? figures.ms[id] : undefined,
        work: { class: "move", macs: figures.macs ? figures.macs[id] : null } }));
    return page.prepare({}, { nodes });
}

test("widths are the figures, with a least one, and a share of the mean where none is known", () => {
    const widths = page.laneWidths(graphOf("NCN", { ms: [3, undefined, 0] }), "ms");
    assert.deepStrictEqual([...widths.isKnown], [1, 0, 1]);
    assert.strictEqual(widths.unknown, 1);
    assert.ok(Math.abs(widths.start[2] - widths.start[1] - 1.5 / 4) < 1e-9);
    assert.ok(Math.abs(widths.start[3] - widths.start[2] - 1.5 / 50) < 1e-9);
    assert.deepStrictEqual([...widths.value], [0, 3, 3, 3]);
});

test("where nothing is known all are equally wide", () => {
    const widths = page.laneWidths(graphOf("NCN"), "ms");
    assert.ok(widths.isEqual);
    assert.deepStrictEqual([...widths.start], [0, 1, 2, 3]);
    assert.match(page.widthsText(widths), /^No time is known of 3 nodes/);
    const textOf = (figures, mode, unknown) => page.widthsText(page.laneWidths(graphOf("NC", figures), mode), unknown);
    assert.match(textOf({ macs: [0, 0] }, "macs"), /^The number of MACs is 0 for 2 nodes/);
    assert.match(textOf({ ms: [1, undefined] }, "ms"), /not known of 1 of 2 nodes/);
    assert.match(textOf({}, "equal", 2), /time of 2 of 2 nodes is not known/);
    assert.strictEqual(page.bestLaneMode(graphOf("NC")), "equal");
    assert.strictEqual(page.bestLaneMode(graphOf("NC", { macs: [4, 0] })), "macs");
    assert.strictEqual(page.bestLaneMode(graphOf("NC", { macs: [4, 0], ms: [1, 1] })), "ms");
});

test("an empty graph has no width and hits nothing", () => {
    const graph = graphOf("");
    const widths = page.laneWidths(graph, "ms");
    assert.strictEqual(widths.total, 0);
    assert.deepStrictEqual(page.laneColumns(widths, page.columnKinds(graph), { from: 0, to: 1 }, 10, 3).boxes, []);
    assert.strictEqual(page.hitPlace(widths, page.columnKinds(graph), page.LANE_NPU, 0, 1), -1);
    assert.deepStrictEqual(page.laneSegments(graph), []);
});

test("one CPU node among 100,000 still has a column", () => {
    const letters = `${"N".repeat(61234)}C${"N".repeat(38765)}`;
    const graph = graphOf(letters), kinds = page.columnKinds(graph), widths = page.laneWidths(graph, "equal");
    const { masks, boxes } = page.laneColumns(widths, kinds, { from: 0, to: 100000 }, 500, 3);
    assert.strictEqual(boxes.length, 0);
    const column = masks.findIndex((mask) => mask & page.COLUMN_CPU);
    assert.strictEqual(column, Math.floor(61234 / 200));
    assert.strictEqual(masks.filter((mask) => mask & page.COLUMN_CPU).length, 1);
    assert.ok(masks.every((mask) => mask & page.COLUMN_NPU));
});

test("the tone of the NPU's columns follows the share of products around them", () => {
    const graph = graphOf("NNNNNNNN");
    [0, 1, 2, 3].forEach((id) => (graph.nodes[id].work.class = "matrix"));
    const widths = page.laneWidths(graph, "equal"), kinds = page.columnKinds(graph);
    const { products } = page.laneColumns(widths, kinds, { from: 0, to: 8 }, 8, 2);
    assert.strictEqual(products[0], 1);
    assert.strictEqual(products[7], 0);
    assert.ok(Math.abs(products[3] - 3 / 5) < 1e-6);
});

test("columns say of which nodes the width is not known, and wide nodes are boxes", () => {
    const graph = graphOf("NCF", { ms: [100, undefined, 5] }), kinds = page.columnKinds(graph);
    const widths = page.laneWidths(graph, "ms");
    const { masks, boxes } = page.laneColumns(widths, kinds, { from: 0, to: widths.total }, 100, 60);
    assert.deepStrictEqual(boxes, [0]);
    assert.ok(masks.some((mask) => mask & page.COLUMN_NO_WIDTH && mask & page.COLUMN_CPU));
    assert.ok(masks.some((mask) => mask & page.COLUMN_FAIL && !(mask & page.COLUMN_NO_WIDTH)));
});

test("what is outside of the view has no column", () => {
    const graph = graphOf("NNCNN"), widths = page.laneWidths(graph, "equal");
    const { masks, boxes } = page.laneColumns(widths, page.columnKinds(graph), { from: 3, to: 5 }, 4, 3);
    assert.ok(masks.every((mask) => mask === page.COLUMN_NPU));
    assert.deepStrictEqual(boxes, []);
});

test("the pointer finds the nearest node of its row within reach", () => {
    const graph = graphOf("NNCNN"), widths = page.laneWidths(graph, "equal"), kinds = page.columnKinds(graph);
    assert.strictEqual(page.hitPlace(widths, kinds, page.LANE_NPU, 1.5, 0.1), 1);
    assert.strictEqual(page.hitPlace(widths, kinds, page.LANE_CPU, 1.5, 0.6), 2);
    assert.strictEqual(page.hitPlace(widths, kinds, page.LANE_CPU, 1.5, 0.4), -1);
    assert.strictEqual(page.hitPlace(widths, kinds, page.LANE_OPEN, 2.5, 5), -1);
    assert.strictEqual(page.hitPlace(widths, kinds, page.LANE_NPU, 9, 1), -1);
});

test("segments end where the row, the partition or the graph changes", () => {
    const graph = graphOf("NNMMCUFNN");
    const segments = page.laneSegments(graph);
    assert.deepStrictEqual(segments.map((item) => [item.lane, item.partition, item.from, item.to]),
        [[0, 0, 0, 2], [0, 1, 2, 4], [2, -1, 4, 5], [1, -1, 5, 7], [0, 0, 7, 9]]);
    assert.deepStrictEqual(page.partitionEnds(segments).get(0), { first: 0, last: 4, pieces: 2 });
    assert.strictEqual(page.segmentAt(segments, 6), 3);
    assert.strictEqual(page.nextSwitch(segments, 3, 1), 4);
    assert.strictEqual(page.nextSwitch(segments, 3, -1), 2);
    assert.strictEqual(page.nextSwitch(segments, 2, -1), 0);
    assert.strictEqual(page.nextSwitch(segments, 8, 1), 7);
    graph.nodes[1].graph = "0:body";
    assert.strictEqual(page.laneSegments(graph).length, 6);
});

test("modules are bands, level by level; the deepest that fits is shown", () => {
    const graph = graphOf("NNNN");
    const modules = [{ path: "m", parent: null }, { path: "m.a", parent: 0 }, { path: "m.b", parent: 0 }];
    [1, 1, 2, null].forEach((index, id) => (graph.nodes[id].module = index));
    const levels = page.moduleLevels(graph, modules);
    assert.deepStrictEqual(levels[0], [{ label: 0, from: 0, to: 3 }]);
    assert.deepStrictEqual(levels[1], [{ label: 1, from: 0, to: 2 }, { label: 2, from: 2, to: 3 }]);
    assert.strictEqual(page.levelInSight(levels, 0, 4, 5), 1);
    assert.deepStrictEqual(page.bandsInSight(levels[1], 1, 3), levels[1]);
    assert.deepStrictEqual(page.bandsInSight(levels[1], 2, 9), levels[1].slice(1));
    assert.deepStrictEqual(page.bandsInSight(levels[1], 0, 9, 1), levels[1].slice(0, 1));
    assert.deepStrictEqual(page.bandsInSight(levels[1], 3, 9), []);
    const deep = [[0], [0, 1, 2], [0, 1, 2, 3, 4], [0]].map((level) => level.map((from) => ({ from, to: from + 1 })));
    assert.strictEqual(page.levelInSight(deep, 0, 9, 4), 1);
    assert.strictEqual(page.levelInSight([deep[1], [{ from: 0, to: 1 }]], 0, 3, 4), 1);
    assert.strictEqual(page.levelInSight([deep[1], [{ from: 0, to: 1 }]], 0, 4, 4), 0);
    assert.deepStrictEqual(page.moduleLevels(graph, []), []);
    assert.deepStrictEqual(page.moduleLevels(graph, undefined), []);
});

test("true values and drawn places map into each other", () => {
    const widths = page.laneWidths(graphOf("NNN", { ms: [2, undefined, 2] }), "ms");
    assert.strictEqual(page.mapUnit(widths.start, widths.value, 1), 1);
    assert.ok(Math.abs(page.mapUnit(widths.value, widths.start, 3) - 3.5) < 1e-9);
    assert.strictEqual(page.mapUnit(widths.start, widths.value, 99), 4);
    assert.deepStrictEqual(page.roundTicks(0, 10, 5), [0, 2, 4, 6, 8, 10]);
    assert.deepStrictEqual(page.roundTicks(3, 3, 5), []);
});

test("a view never leaves the lane, and two lanes share one scale", () => {
    const view = page.makeLaneView();
    const laneOf = (letters) => {
        const graph = graphOf(letters);
        let widths = null;
        return { graph, widths: () => widths, measure: (mode) => (widths = page.laneWidths(graph, mode)) };
    };
    view.addLane(laneOf("N".repeat(10)));
    assert.deepStrictEqual([view.from, view.to], [0, 10]);
    view.addLane(laneOf("N".repeat(20)));
    assert.deepStrictEqual([view.from, view.to, view.length], [0, 20, 20]);
    view.zoom(0.25, 10);
    assert.deepStrictEqual([view.from, view.to], [7.5, 12.5]);
    view.pan(100);
    assert.deepStrictEqual([view.from, view.to], [15, 20]);
    view.zoom(1e-9, 18);
    assert.strictEqual(view.to - view.from, 3);
    view.fit();
    assert.deepStrictEqual([view.from, view.to], [0, 20]);
});

test("transfers tell what is not known", () => {
    const transfers = page.partitionTransfers({ partitions: [{}, {}], crossings: [
        { tensor: "a", from: null, to: 0, bytes: 1000 }, { tensor: "b", from: null, to: 0, bytes: null },
        { tensor: "c", from: 0, to: 1, bytes: 5 }, { tensor: "d", from: 1, to: null, bytes: null }] });
    assert.deepStrictEqual(transfers[0].in.cpu, { tensors: 2, bytes: 1000, unknown: 1 });
    assert.deepStrictEqual(transfers[1].in.npu, { tensors: 1, bytes: 5, unknown: 0 });
    assert.strictEqual(page.transferText(transfers[0].in.cpu), "at least 1.0 kB");
    assert.strictEqual(page.transferText(transfers[1].out.cpu), "size not known");
    const graph = graphOf("NN", { ms: [1, undefined] });
    assert.strictEqual(page.timeText(page.timeOfNodes(graph, [0, 1])), "at least 1.00 ms");
});

test("the end of a partition has its ops and the cause", () => {
    const target = { nodes: [{ op: "Softmax", cause: 0, reasons: [] }, { op: "Where", cause: null, reasons: [] }],
        causes: [{ id: 7, text: "another" }, { id: 0, text: "rank must be at most 5" }] };
    assert.deepStrictEqual(page.partitionEnd(target, { cause_of_end: [1, 0] }),
        { title: "Where, Softmax", text: "another", cause: 1 });
    assert.deepStrictEqual(page.partitionEnd(target, { cause_of_end: [], cut_behind: ["x"] }),
        { title: "cut point", text: "x", cause: -1 });
    assert.strictEqual(page.graphText([{ op: "If" }], "0:then_branch"), "then_branch of If (node 0)");
});
