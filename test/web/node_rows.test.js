// SPDX-License-Identifier: Apache-2.0
// Rows of the node table (web/page/node_rows.js) and tensors (tensors.js).
"use strict";
const assert = require("node:assert");
const test = require("node:test");
const { pageFunctions } = require("./page_script");

const page = pageFunctions("prepare", "searchTexts", "filteredNodes", "sortedNodes", "modulesBelow", "nodesAsCsv",
    "firstReason", "tensorUses", "tensorType");

const target = {
    nodes: [
        { name: "conv10", op: "Conv", verdict: "npu", partition: 0, cause: null, module: 1, ms: 2, at: {},
            reasons: [] },
        { name: "conv9", op: "Conv", verdict: "cpu", partition: null, cause: 3, module: 2, ms: 5,
            at: { module: "model.head", file: "a.py", line: 3 },
            reasons: [{ rule: "x/Conv/rank", text: "rank must be at most 4", found: "rank 5", outcome: "no" }] },
        { name: "", op: "Relu", verdict: "cpu", partition: null, cause: null, at: {},
            reasons: [{ rule: "n", text: "a note", outcome: "note" }] },
        { name: "=odd,", op: "Add", verdict: "folded", partition: null, cause: null, module: null, work: null,
            reasons: [{ rule: "constant", text: "is constant-folded" }] },
    ],
    order: [1, 0, 2],
    causes: [{ id: 3, nodes: [2] }],
    modules: [{ path: "model", parent: null }, { path: "model/body", parent: 0 }, { path: "model/head", parent: 0 },
        { path: "other", parent: null }],
};
const graph = page.prepare({}, target);
const left = (filter) => page.filteredNodes(graph, target, filter, () => page.searchTexts(graph));

test("filters leave what all of them ask for", () => {
    assert.deepStrictEqual(left({}), [0, 1, 2, 3]);
    assert.deepStrictEqual(left({ verdict: "cpu" }), [1, 2]);
    assert.deepStrictEqual(left({ verdict: "cpu", op: "Conv" }), [1]);
    assert.deepStrictEqual(left({ partition: 0 }), [0]);
    assert.deepStrictEqual(left({ cause: 3 }), [1, 2]);
    assert.deepStrictEqual(left({ cause: 7 }), []);
    assert.deepStrictEqual(left({ nodes: [3, 1, 99] }), [3, 1]);
});

test("a module has what is in its parts, whichever stands first", () => {
    assert.deepStrictEqual(left({ module: 0 }), [0, 1]);
    assert.deepStrictEqual(left({ module: 2 }), [1]);
    assert.deepStrictEqual(left({ module: 3 }), []);
    assert.deepStrictEqual(page.modulesBelow([{ parent: 1 }, { parent: 2 }, { parent: null }], 2), [true, true, true]);
});

test("a search finds name, op, place, rule and what was found, and needs all words", () => {
    assert.deepStrictEqual(left({ search: "CONV9" }), [1]);
    assert.deepStrictEqual(left({ search: "a.py:3 rank" }), [1]);
    assert.deepStrictEqual(left({ search: "rank folded" }), []);
    assert.deepStrictEqual(left({ search: "  " }), [0, 1, 2, 3]);
});

test("order: numbers within names count, and what is not known comes last", () => {
    const ids = [0, 1, 2, 3];
    assert.deepStrictEqual(page.sortedNodes(graph, ids, "name", false), [3, 1, 0, 2]);
    assert.deepStrictEqual(page.sortedNodes(graph, ids, "ms", true), [1, 0, 2, 3]);
    assert.deepStrictEqual(page.sortedNodes(graph, ids, "ms", false), [0, 1, 2, 3]);
    assert.deepStrictEqual(page.sortedNodes(graph, ids, "order", false), [1, 0, 2, 3]);
    assert.deepStrictEqual(page.sortedNodes(graph, ids, "id", true), [3, 2, 1, 0]);
});

test("CSV has a line a node, and no formula", () => {
    const lines = page.nodesAsCsv(graph, [1, 3]).split("\r\n");
    assert.strictEqual(lines.length, 4);
    assert.ok(lines[1].includes(",conv9,Conv,,cpu,,3,x/Conv/rank,rank must be at most 4,5,"), lines[1]);
    assert.ok(lines[2].includes(",\"'=odd,\",Add,"), lines[2]);
});

test("tensors know who makes and who takes them", () => {
    const nodes = [{ inputs: [0, null], outputs: [1], verdict: "npu" },
        { inputs: [1, 1], outputs: [2, null], verdict: "npu" }];
    const uses = page.tensorUses({ nodes }, { tensors: [{}, {}, {}] });
    assert.strictEqual(uses.producer.get(1), 0);
    assert.deepStrictEqual(uses.consumers.get(1), [1]);
    assert.strictEqual(uses.consumers.get(2), undefined);
    assert.strictEqual(page.tensorUses({ nodes }, {}), null);
    assert.strictEqual(page.tensorType({ type: "float32", dims: [1, "batch", null] }), "float32[1,batch,?]");
    assert.strictEqual(page.tensorType({ type: "int64", dims: null }), "int64[\u2026]");
    assert.strictEqual(page.tensorType({ type: "bool", dims: [] }), "bool[]");
});
