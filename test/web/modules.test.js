// SPDX-License-Identifier: Apache-2.0
"use strict";
const assert = require("node:assert");
const { test } = require("node:test");
const { pageFunctions } = require("./page_script.js");

const { moduleIndex, moduleRows, childRows, firstOpen, sumOfModules } = pageFunctions(
    "moduleIndex", "moduleRows", "childRows", "firstOpen", "sumOfModules");
const { visibleRows, moduleKey, keyOfNode } = pageFunctions("visibleRows", "moduleKey", "keyOfNode");

/** Modules by their paths; a parent is the longest path that another begins with. */
function tree(...paths) {
    return paths.map(([path, live = 1, accepted = live, macs = 10]) => {
        const around = paths.map((other) => other[0]).filter((other) => path.startsWith(`${other}.`));
        const parent = around.sort((a, b) => b.length - a.length)[0];
        const place = paths.findIndex((other) => other[0] === parent);
        return { path, parent: place < 0 ? null : place, nodes: live, live, accepted, macs, macs_on_npu: macs,
            npu_ms: live, cpu_ms: 0, switches: 0 };
    });
}

const labels = (rows) => rows.map((row) => row.label);
const decoder = tree(["model", 20], ["model.norm", 2], ["model.layers", 16],
    ["model.layers.2", 4], ["model.layers.2.fc", 4], ["model.layers.0", 4, 3], ["model.layers.0.fc", 4, 3],
    ["model.layers.1", 4], ["model.layers.1.fc", 4], ["model.layers.3", 4], ["model.layers.3.fc", 4]);

test("equal neighbours are one row, in the order of their numbers", () => {
    const index = moduleIndex(decoder);
    const [model] = moduleRows(index, index.roots, "");
    assert.strictEqual(model.label, "model");
    const [norm, layers] = childRows(index, model);
    assert.deepStrictEqual([norm.label, norm.hasChildren, layers.label], ["norm", false, "layers"]);
    const [first, rest] = childRows(index, layers);
    assert.deepStrictEqual([first.label, rest.label, rest.modules.length], ["0.fc", "1.fc to 3.fc", 3]);
    assert.deepStrictEqual(labels(childRows(index, rest)), ["1.fc", "2.fc", "3.fc"]);
    assert.strictEqual(sumOfModules(rest.modules.map((at) => decoder[at])).live, 12);
});

test("what differs inside is not equal", () => {
    const index = moduleIndex(tree(["a.0", 4], ["a.0.x", 2, 1], ["a.0.y", 2],
        ["a.1", 4], ["a.1.x", 2], ["a.1.y", 2, 1]));
    assert.deepStrictEqual(labels(moduleRows(index, index.roots, "")), ["a.0", "a.1"]);
});

test("a module with nothing but another is told with it", () => {
    const index = moduleIndex(tree(["model", 3], ["model.backbone", 3],
        ["model.backbone.a", 1], ["model.backbone.b", 2]));
    const rows = moduleRows(index, index.roots, "");
    assert.deepStrictEqual(labels(rows), ["model.backbone"]);
    assert.deepStrictEqual(labels(childRows(index, rows[0])), ["a", "b"]);
});

test("a sum with a part that is not known is not known", () => {
    const [a, b] = tree(["a"], ["b"]);
    assert.strictEqual(sumOfModules([a, { ...b, macs: null }]).macs, null);
    assert.strictEqual(sumOfModules([a, { ...b, macs: null }]).live, 2);
});

test("as much is open at first as fits", () => {
    const index = moduleIndex(decoder), rows = moduleRows(index, index.roots, "");
    const seen = (most) => visibleRows(index, rows, firstOpen(index, rows, most)).length;
    assert.deepStrictEqual([1, 3, 5, 100].map(seen), [1, 3, 5, 5]);
});

test("16384 modules are in order at once", () => {
    const all = [{ ...decoder[0] }];
    for (let at = 1; at < 16384; at++) all.push({ ...decoder[1], path: `model.m${at}`, parent: 0, live: at % 2 });
    const begin = performance.now();
    const index = moduleIndex(all), rows = moduleRows(index, index.roots, "");
    assert.strictEqual(visibleRows(index, rows, new Set(["0"])).length, 202);
    assert.ok(performance.now() - begin < 1000);
});

test("keys move, open and close", () => {
    const index = moduleIndex(decoder), rows = moduleRows(index, index.roots, ""), open = new Set(["0"]);
    const seen = visibleRows(index, rows, open);
    const done = [];
    const act = { moveTo: (key) => done.push(key), toggle: (row) => done.push(`toggle ${row.label}`),
        show: (row) => done.push(`show ${row.label}`) };
    const press = (key, at) => moduleKey(key, seen, at, open, act);
    for (const [key, at] of [["ArrowDown", 0], ["ArrowUp", 1], ["ArrowRight", 0], ["ArrowRight", 2], ["ArrowLeft", 2],
        ["ArrowLeft", 0], ["Home", 2], ["End", 0], ["Enter", 1], [" ", 2]]) assert.ok(press(key, at));
    assert.deepStrictEqual(done,
        ["1", "0", "1", "toggle layers", "0", "toggle model", "0", "2", "show norm", "toggle layers"]);
    assert.strictEqual(press("x", 0), false);
});

test("the row of a node is the innermost that is seen", () => {
    const index = moduleIndex(decoder), rows = moduleRows(index, index.roots, "");
    const target = { modules: decoder, nodes: [{ module: 8 }, { module: null }] };
    const key = (open, id) => keyOfNode(visibleRows(index, rows, new Set(open)), target, id);
    assert.strictEqual(key([], 0), "0");
    assert.strictEqual(key(["0"], 0), "2");
    assert.strictEqual(key(["0"], 1), null);
    assert.strictEqual(key(["0"], null), null);
});
