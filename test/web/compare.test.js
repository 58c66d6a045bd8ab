// SPDX-License-Identifier: Apache-2.0
"use strict";
const assert = require("node:assert");
const { test } = require("node:test");
const { pageFunctions } = require("./page_script.js");

const { prepare, matchNodes, changedNodes, groupChanged, compareCauses } = pageFunctions(
    "prepare", "matchNodes", "changedNodes", "groupChanged", "compareCauses");
const { compareFigures, sideNames, diffOfSides, afterOfTarget, outcomeText } = pageFunctions(
    "compareFigures", "sideNames", "diffOfSides", "afterOfTarget", "outcomeText");

const node = (name, verdict = "npu", op = "Add", structure = null) => ({ name, verdict, op, structure, graph: "" });
const graphOf = (...nodes) => prepare({}, { nodes });

test("nodes are one by name, else by structure where both sides have as many", () => {
    const before = graphOf(node("a"), node("b", "npu", "Mul", "s1"), node("c", "npu", "Mul", "s2"), node("d"));
    const after = graphOf(node("x", "npu", "Mul", "s1"), node("a"), node("y", "npu", "Mul", "s2"),
        node("z", "npu", "Mul", "s2"), node("d", "npu", "Sub"));
    const { toAfter, toBefore } = matchNodes(before, after, null);
    assert.deepStrictEqual([...toAfter], [1, 0, -1, -1]);
    assert.deepStrictEqual([...toBefore], [1, 0, -1, -1, -1]);
});

test("what a diff says about nodes counts", () => {
    const before = graphOf(node("a"), node("b"), node("c")), after = graphOf(node("a"), node("b"), node("c"));
    const diff = { causes: [{ text: "why" }], nodes: [
        { state: "moved", change: "worse", before: 0, after: 1, cause: 0 },
        { state: "removed", change: "different", before: 1, after: null, cause: null }] };
    const match = matchNodes(before, after, diff);
    assert.deepStrictEqual([...match.toAfter], [1, -1, 2]);
    assert.deepStrictEqual(changedNodes(before, after, match, diff).map((item) => item.cause), ["why", null]);
});

test("nodes that changed sides are told, the worse ones first, and equal ones together", () => {
    const before = graphOf(node("a", "cpu"), node("b"), node("c"), node("d", "folded"), node("e"), node("gone"));
    const after = graphOf(node("a"), node("b", "cpu"), node("c", "fail"), node("d", "npu"), node("e", "cpu"),
        node("new"));
    const changed = changedNodes(before, after, matchNodes(before, after, null), null);
    assert.deepStrictEqual(changed.map((item) => [item.state, item.change, item.before, item.after]), [
        ["moved", "worse", 1, 1], ["moved", "worse", 2, 2], ["moved", "worse", 4, 4], ["moved", "better", 0, 0],
        ["removed", "different", 5, null], ["added", "different", null, 5]]);
    assert.deepStrictEqual(groupChanged(before, after, changed).map((group) => group.length), [2, 1, 1, 1, 1]);
});

const summary = { verdict: "split", failed: 0, partitions: 3, switches: 6, live: 10, accepted: 7, macs: 1000,
    mac_coverage: 0.9, coverage: 0.7 };
const target = { target: "npu", name: "npu:1", summary,
    cost: { low_ms: 1, typical_ms: 10, high_ms: 20, alternatives: { cpu: [1, 2, 3] } },
    memory: { activation_peak_bytes: 100, activation_peak_bytes_npu: 50, weight_bytes_npu: 10, limits: [] } };
const changes = (a, b, diff = null) => Object.fromEntries(compareFigures(a, b, diff)
    .map((row) => [row.figure.what, row.change]));
const other = (changed, cost = {}) => ({ ...target, summary: { ...summary, ...changed },
    cost: { ...target.cost, ...cost } });

test("figures are better, worse or different by the rules of diff", () => {
    assert.ok(Object.values(changes(target, target)).every((change) => change === "same" || change === null));
    const better = changes(target, other({ verdict: "whole", partitions: 1, accepted: 10, mac_coverage: 1 }));
    assert.deepStrictEqual([better.verdict, better.partitions, better.left, better["mac-coverage"]],
        ["better", "better", "better", "better"]);
    assert.strictEqual(changes(target, other({ partitions: 0 })).partitions, "different");
    assert.strictEqual(changes(target, other({ mac_coverage: 0.8995 }))["mac-coverage"], "same");
    assert.strictEqual(changes(target, other({ mac_coverage: null }))["mac-coverage"], null);
    assert.strictEqual(changes(target, other({ failed: 1 })).failed, "worse");
    assert.ok(!("failed" in changes(target, target)));
});

test("a run is slower once it takes a tenth more for the same work", () => {
    const time = (typical, macs = 1000) => changes(target, other({ macs }, { typical_ms: typical })).cost;
    assert.deepStrictEqual([time(10.9), time(11.1), time(9.5), time(9), time(20, 2000), time(null)],
        ["different", "worse", "different", "better", "different", null]);
});

test("where the tool has compared, its word counts", () => {
    const slower = other({}, { typical_ms: 30 });
    const diff = (figures) => ({ figures });
    assert.strictEqual(changes(target, slower, diff([{ what: "cost", change: "different" }])).cost, "different");
    assert.strictEqual(changes(target, slower, diff([])).cost, null);
});

test("sides are called by what differs", () => {
    const side = (path, name) => ({ report: { model: { path } }, target: { name, target: name } });
    assert.deepStrictEqual(sideNames(side("m.onnx", "a"), side("m.onnx", "b")), ["a", "b"]);
    assert.deepStrictEqual(sideNames(side("x/m.onnx", "a"), side("x/n.onnx", "a")), ["m.onnx", "n.onnx"]);
    assert.deepStrictEqual(sideNames(side("x/m.onnx", "a"), side("y/m.onnx", "a")), ["x/m.onnx", "y/m.onnx"]);
    assert.deepStrictEqual(sideNames(side("m.onnx", "a"), side("n.onnx", "b")), ["m.onnx, a", "n.onnx, b"]);
    assert.deepStrictEqual(sideNames(side("m.onnx", "a"), side("m.onnx", "a")), ["before", "after"]);
});

test("a diff is used for the two that it is about, in its direction", () => {
    const side = (path, name) => ({ report: { model: { path } }, target: { name } });
    const diff = { targets: [{ before: { model: "m", target: "a" }, after: { model: "n", target: "a" } }] };
    assert.strictEqual(diffOfSides(diff, side("m", "a"), side("n", "a")), diff.targets[0]);
    assert.strictEqual(diffOfSides(diff, side("n", "a"), side("m", "a")), null);
    assert.strictEqual(diffOfSides(null, side("m", "a"), side("n", "a")), null);
});

test("causes are new, lost, more, fewer or the same", () => {
    const cause = (rule, victims) => ({ rule, text: rule, victims });
    const compared = compareCauses({ causes: [cause("a", 1), cause("b", 5), cause("c", 2), cause("d", 1)] },
        { causes: [cause("e", 1), cause("b", 6), cause("c", 1), cause("d", 1)] });
    assert.deepStrictEqual(compared.map((item) => `${item.text} ${item.state}`),
        ["e new", "b more", "c fewer", "d same", "a lost"]);
});

test("a step of a fix tells what it left on the target that is shown", () => {
    const step = { after: { partitions: 3 },
        after_by_target: [{ partitions: 3 }, { partitions: 1, left: 2, failed: 1, typical_ms: 4 }] };
    const fix = { targets: [{ target: "a" }, { target: "b" }] };
    assert.strictEqual(afterOfTarget(fix, step, { name: "other" }), step.after);
    assert.strictEqual(outcomeText(afterOfTarget(fix, step, { name: "b" })),
        "1 partition; 2 nodes left, 1 of them fails to compile; 4.00 ms");
});
