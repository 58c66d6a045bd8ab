// SPDX-License-Identifier: Apache-2.0
"use strict";
const assert = require("node:assert");
const { test } = require("node:test");
const { pageFunctions } = require("./page_script.js");

const { linearScale, logarithmicScale, scaleOfRanges, percent, columnNumber, tickText } = pageFunctions(
    "linearScale", "logarithmicScale", "scaleOfRanges", "percent", "columnNumber", "tickText");

test("linear ticks are round, begin at 0 and stay inside", () => {
    assert.deepStrictEqual(linearScale(295).ticks, [0, 100, 200]);
    assert.deepStrictEqual(linearScale(4.25).ticks, [0, 1, 2, 3, 4]);
    assert.deepStrictEqual(linearScale(1).ticks, [0, 0.2, 0.4, 0.6, 0.8, 1]);
    assert.deepStrictEqual(linearScale(0.004).ticks, [0, 0.001, 0.002, 0.003, 0.004]);
    assert.deepStrictEqual(linearScale(0).ticks, [0]);
    for (let highest = 1e-6; highest < 1e12; highest *= 1.37) {
        const { ticks } = linearScale(highest);
        assert.ok(ticks.length >= 3 && ticks.length <= 6, `${highest}: ${ticks}`);
        assert.ok(ticks[ticks.length - 1] <= highest * (1 + 1e-9), `${highest}: ${ticks}`);
    }
});

test("a linear axis ends at its highest value", () => {
    const { at } = linearScale(200);
    assert.deepStrictEqual([at(-5), at(0), at(50), at(200), at(1e9)], [0, 0, 0.25, 1, 1]);
});

test("logarithmic ticks are powers of ten, with more between where there is room", () => {
    assert.deepStrictEqual(logarithmicScale(3, 400).ticks, [3, 10, 30, 100, 300]);
    assert.deepStrictEqual(logarithmicScale(2, 30).ticks, [2, 5, 10, 20]);
    assert.deepStrictEqual(logarithmicScale(0.5, 2e4).ticks, [1, 10, 100, 1000, 10000]);
    assert.ok(logarithmicScale(1e-6, 1e12).ticks.length <= 5);
    const { at } = logarithmicScale(1, 100);
    assert.deepStrictEqual([at(0), at(1), at(10), at(100), at(1e6)], [0, 0, 0.5, 1, 1]);
});

test("an axis is logarithmic only where short ranges would vanish", () => {
    assert.strictEqual(scaleOfRanges([[1, 2, 4], [2, 5, 12]]).word, "linear");
    assert.strictEqual(scaleOfRanges([[1, 2, 4], [60, 160, 400]]).word, "logarithmic");
    assert.strictEqual(scaleOfRanges([[0, 0, 0], [60, 160, 400]]).word, "linear");
});

test("numbers as texts", () => {
    assert.deepStrictEqual([0, 1 / 3, 1].map(percent), ["0%", "33.333%", "100%"]);
    assert.deepStrictEqual([0, 0.0001, 0.258, 294.5].map(columnNumber), ["0", "< 0.01", "0.26", "295"]);
    assert.deepStrictEqual([0, 0.5, 20, 2000, 0.001].map(tickText), ["0", "0.5", "20", "2,000", "0.001"]);
});

test("ticks of short times keep their digits", () => {
    assert.deepStrictEqual([0, 0.0002, 0.1 + 0.2, 1500].map(tickText), ["0", "0.0002", "0.3", "1,500"]);
});

test("a decoder with a cache of known size serves", () => {
    const { servingText } = pageFunctions("servingText");
    const memory = { run_tokens: 128, cache_slots: 4096 };
    const cost = { first_token_ms: 640, prompt_tokens: 1024, tokens_per_s: 1600 };
    assert.match(servingText({ cost, memory }), /^first token .*640 ms for 1,?024 tokens in runs of 128, 4,?096 slots$/);
    assert.match(servingText({ cost: { ...cost, first_token_ms: null }, memory: { ...memory, run_tokens: 1 } }), /tokens\/s/);
    assert.strictEqual(servingText({ cost: { ...cost, first_token_ms: null }, memory }), null);
});
