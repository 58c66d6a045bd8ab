// SPDX-License-Identifier: Apache-2.0
"use strict";
const assert = require("node:assert");
const { test } = require("node:test");
const { pageFunctions } = require("./page_script.js");

const { waterfallRows, waysToRun, unknownCostReasons, breakEvenText } = pageFunctions(
    "waterfallRows", "waysToRun", "unknownCostReasons", "breakEvenText");

const nothing = [0, 0, 0];
const known = {
    cost: {
        low_ms: 3, typical_ms: 6, high_ms: 13, unknown_nodes: 0, recommendation: "npu", break_even_macs: 100,
        parts: { switch: [0.5, 1, 2], copy: nothing, layout: nothing, quantize: nothing, cpu: [1, 3, 9],
            npu_compute: [1, 2, 4], npu_bandwidth: nothing },
        alternatives: { as_is: [3, 6, 13], cpu: [20, 40, 80], npu_whole: [1, 2, 4], fixed: null },
    },
    summary: { verdict: "split", live: 10, accepted: 7, partitions: 2 },
    advice: [],
};
const unknown = {
    cost: {
        low_ms: null, typical_ms: null, high_ms: null, unknown_nodes: 6, recommendation: "mend",
        parts: { switch: [0.5, 1, 2], copy: nothing, layout: nothing, quantize: null, cpu: null, npu_compute: null,
            npu_bandwidth: null },
        alternatives: { as_is: null, cpu: null, npu_whole: null, fixed: [1, 2, 3] },
    },
    summary: { verdict: "split", live: 10, accepted: 7, partitions: 2 },
    advice: [],
};
const step = (typical, verdict = "whole") => ({ text: "Do", instead_of: null, action: "rewrite",
    after: { verdict, cost: { low_ms: typical / 2, typical_ms: typical, high_ms: typical * 2 } } });

test("each part begins where those before it end, and those without time are left out", () => {
    const { rows, sum, highest } = waterfallRows(known.cost);
    assert.deepStrictEqual(rows.map((row) => [row.part.id, row.from]), [["switch", 0], ["cpu", 1], ["npu_compute", 4]]);
    assert.strictEqual(sum, known.cost.typical_ms);
    assert.strictEqual(highest, 13);
    assert.strictEqual(waterfallRows(known.cost, new Set(["copy"])).rows.length, 4);
});

test("parts that are not known keep their rows", () => {
    const { rows, highest } = waterfallRows(unknown.cost);
    assert.deepStrictEqual(rows.map((row) => row.part.id),
        ["switch", "quantize", "cpu", "npu_compute", "npu_bandwidth"]);
    assert.strictEqual(highest, 2);
});

test("the way that is recommended is marked", () => {
    const marked = (target) => waysToRun(target).filter((way) => way.isRecommended).map((way) => way.text);
    assert.deepStrictEqual(marked(known), ["As planned"]);
    assert.deepStrictEqual(marked({ ...known, cost: { ...known.cost, recommendation: "cpu" } }), ["CPU alone"]);
    const mended = { ...known, cost: { ...known.cost, recommendation: "mend" } };
    assert.deepStrictEqual(marked({ ...mended, advice: [step(5), step(2), step(2.5)] }), ["After step 2"]);
    assert.deepStrictEqual(marked({ ...mended, advice: [step(5), step(2, "fails")] }), ["After step 1"]);
});

test("fixed sizes are told once where a step is to fix them", () => {
    assert.ok(waysToRun(unknown).some((way) => way.text === "Sizes fixed"));
    const fixed = { ...step(2), after: { verdict: "whole", cost: { low_ms: 1, typical_ms: 2, high_ms: 3 } } };
    assert.ok(!waysToRun({ ...unknown, advice: [fixed] }).some((way) => way.text === "Sizes fixed"));
});

test("it is told why a time is not known", () => {
    assert.deepStrictEqual(unknownCostReasons(known, []), []);
    const body = { graph: "3:body", work: {} }, main = { graph: "", work: {}, ms: 1 };
    assert.match(unknownCostReasons(unknown, [body, main])[0], /^1 node in the body of an If, Loop or Scan/);
    assert.match(unknownCostReasons(unknown, [body, main])[1], /^5 nodes of which/);
    const dynamic = { ...unknown, if_fixed: { dims: { batch: 1, length: 128 } } };
    assert.deepStrictEqual(unknownCostReasons(dynamic, [body]),
        ["Dimensions are dynamic: batch and length. The time depends on it."]);
    const noRates = { ...unknown, cost: { ...unknown.cost, unknown_nodes: 0 } };
    assert.match(unknownCostReasons(noRates, [])[0], /no rates/);
});

test("partitions below break-even are counted", () => {
    const partitions = [{ macs: 99 }, { macs: 100 }, { macs: null }];
    assert.match(breakEvenText({ ...known, partitions }), /; 1 of 2 partitions has fewer$/);
    assert.match(breakEvenText({ ...known, partitions: [{ macs: 1 }] }), /; the partition has fewer$/);
    assert.doesNotMatch(breakEvenText({ ...known, partitions: [{ macs: 100 }] }), /fewer/);
});
