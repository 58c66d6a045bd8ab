// SPDX-License-Identifier: Apache-2.0
"use strict";
const assert = require("node:assert");
const { test } = require("node:test");
const { pageFunctions } = require("./page_script.js");

const { columnMaxima, areaPath, positionOfLargest, positionAtPixel } = pageFunctions(
    "columnMaxima", "areaPath", "positionOfLargest", "positionAtPixel");
const { memoryAxis, heldBytes, bytesOrAtLeast } = pageFunctions("memoryAxis", "heldBytes", "bytesOrAtLeast");

test("a column shows the largest of its values", () => {
    assert.deepStrictEqual([...columnMaxima([1, 5, 2, 0, 9, 3], 3)], [5, 2, 9]);
    assert.deepStrictEqual([...columnMaxima([1, null, null, null], 2)], [1, NaN]);
    const many = Array.from({ length: 20000 }, (_, at) => (at === 12345 ? 7 : 1));
    const columns = columnMaxima(many, 1000);
    assert.strictEqual(columns.length, 1000);
    assert.strictEqual(columns.indexOf(7), 617);
    assert.strictEqual(columns.filter((value) => value === 1).length, 999);
});

test("an area has steps, and gaps where nothing is known", () => {
    const height = (value) => 10 - value;
    assert.strictEqual(areaPath(Float64Array.of(1, 1, 3), height), "M0 10V9H2V7H3V10Z");
    assert.strictEqual(areaPath(Float64Array.of(NaN, 2, NaN, NaN, 4), height), "M1 10V8H2V10ZM4 10V6H5V10Z");
    assert.strictEqual(areaPath(Float64Array.of(NaN), height), "");
});

test("the pointer finds the peak under its pixel", () => {
    assert.strictEqual(positionOfLargest([null, 2, 7, 7, null]), 2);
    assert.strictEqual(positionOfLargest([null, null]), 0);
    const sums = Array.from({ length: 20000 }, (_, at) => (at === 10013 ? 9 : at % 3));
    assert.strictEqual(positionAtPixel(sums, 400.5, 800), 10013);
    assert.strictEqual(positionAtPixel([1, 2], 799, 800), 1);
    assert.strictEqual(positionAtPixel([1, 2], -5, 800), 0);
    assert.strictEqual(positionAtPixel([1, 2], 1e6, 800), 1);
});

test("the chip's memory is drawn where it is near to what is held", () => {
    assert.strictEqual(memoryAxis(4e6, 1e3, 8e6).isChipShown, true);
    assert.strictEqual(memoryAxis(4e3, 1e3, 8e6).isChipShown, false);
    assert.strictEqual(memoryAxis(0, 1e3, 8e6).isChipShown, false);
    const axis = memoryAxis(4e6, 0, 0);
    assert.ok(axis.shareOf(0) > 0.75 && axis.shareOf(0) < 0.9);
    assert.ok(axis.ticks.every((tick) => tick.share >= 0 && tick.share <= 1));
    assert.ok(memoryAxis(0, 0, 0).ticks.length > 0);
});

test("what is held is drawn only where it is told for each node of the order", () => {
    const memory = { held_bytes_npu: [1, 2], held_bytes_cpu: [3, null] };
    assert.deepStrictEqual(heldBytes({ memory }, 2), { npu: [1, 2], cpu: [3, null] });
    assert.strictEqual(heldBytes({ memory }, 3), null);
    assert.strictEqual(heldBytes({ memory: {} }, 0), null);
});

test("a sum that is not known tells what is known of it", () => {
    assert.strictEqual(bytesOrAtLeast(0, 0), "0 B");
    assert.strictEqual(bytesOrAtLeast(null, 4100000), "not known, at least 4.1 MB");
    assert.strictEqual(bytesOrAtLeast(null, 0), "not known");
});

test("which attention looks at a cache", () => {
    const { attentionText } = pageFunctions("attentionText");
    const memory = { cache_tensors: 48, attention: "grouped-query", query_heads: 32, key_heads: 8, window_tensors: 24,
        window_slots: 512, cross_tensors: 2 };
    assert.strictEqual(attentionText(memory), "; grouped-query attention, 32 heads on 8; 24 of 48 tensors with a window of "
        + "512; cross-attention: 2 tensors");
    assert.strictEqual(attentionText({ attention: null, window_tensors: 0, cross_tensors: 0 }), "");
});
