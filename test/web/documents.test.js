// SPDX-License-Identifier: Apache-2.0
// Which models and targets a page has, and what the address says of them (web/page/documents.js).
"use strict";
const assert = require("node:assert");
const test = require("node:test");
const { pageFunctions } = require("./page_script");

const page = pageFunctions("gather", "gatherOutcomes", "readAddress", "writeAddress", "pairOf", "comparedWith",
    "addressOf",
    "modelName");

/** A page of models by their paths, each with these targets. */
function pageOf(paths, targets, kinds = []) {
    const reports = paths.map((path) => ({ kind: "report",
        data: { model: { path }, targets: targets.map((name) => ({ name })) } }));
    return page.gather([...reports, ...kinds.map((kind) => ({ kind, data: {} }))]);
}
const placeOf = (pair) => pair && [pair.model, pair.at];

test("the address remembers places, and nothing else", () => {
    assert.deepStrictEqual(page.readAddress("#m=1&t=0&n=42&c=0.1"), { m: 1, t: 0, n: 42, c: "0.1" });
    assert.deepStrictEqual(page.readAddress("#t=-1&n=x&c=<b>&__proto__=1&m=99999999999"), {});
    assert.deepStrictEqual(page.readAddress("#section-nodes"), {});
    assert.strictEqual(page.writeAddress({ t: 1, n: null, c: undefined }), "#t=1");
    assert.strictEqual(page.writeAddress(page.readAddress("#n=3&m=0&t=2&c=no")), "#m=0&t=2&n=3&c=no");
});

test("several results begin with their table, one result with itself", () => {
    assert.deepStrictEqual(placeOf(page.pairOf(pageOf(["a"], ["x"]), {})), [0, 0]);
    assert.strictEqual(page.pairOf(pageOf(["a"], ["x", "y"]), {}), null);
    assert.strictEqual(page.pairOf(pageOf(["a"], ["x"], ["error"]), {}), null);
    assert.strictEqual(page.pairOf(pageOf([], [], ["error"]), {}), null);
    assert.deepStrictEqual(placeOf(page.pairOf(pageOf(["a", "b"], ["x", "y"]), { m: 1, t: 1 })), [1, 1]);
    assert.strictEqual(page.pairOf(pageOf(["a", "b"], ["x"]), { m: 7, t: 0 }), null);
});

test("a comparison begins with the new side, beside the same target of the old one", () => {
    const set = pageOf(["a", "b"], ["x", "y"], ["diff"]);
    const pair = page.pairOf(set, {});
    assert.deepStrictEqual(placeOf(pair), [1, 0]);
    assert.deepStrictEqual(placeOf(page.comparedWith(set, pair, undefined)), [0, 0]);
    assert.deepStrictEqual(placeOf(page.comparedWith(set, set.pairs[3], undefined)), [0, 1]);
    assert.strictEqual(page.comparedWith(set, pair, "no"), null);
    assert.deepStrictEqual(placeOf(page.comparedWith(set, pair, "1.1")), [1, 1]);
    assert.strictEqual(page.comparedWith(set, pair, "1.0"), null);
    assert.strictEqual(page.comparedWith(pageOf(["a", "b"], ["x"]), pair, undefined), null);
});

test("models of one name are told by their paths, else by their sides or places", () => {
    assert.strictEqual(page.modelName(pageOf(["p/a", "p/b"], ["x"]), 1), "b");
    assert.strictEqual(page.modelName(pageOf(["p/a", "q/a"], ["x"]), 1), "q/a");
    assert.strictEqual(page.modelName(pageOf(["p/a", "p/a"], ["x"], ["fix"]), 0), "a (before)");
    assert.strictEqual(page.modelName(pageOf(["p/a", "p/a", "p/a"], ["x"]), 2), "a (3)");
});

test("thresholds belong to the model that they follow, also to one that cannot be read", () => {
    const of = (target) => ({ target, is_met: true });
    const documents = [{ kind: "outcomes", data: { outcomes: [of(0)] } },
        { kind: "report", data: {} },
        { kind: "report", data: {} }, { kind: "outcomes", data: { outcomes: [of(1), of(null)] } },
        { kind: "error", data: {} }, { kind: "outcomes", data: { outcomes: [of(null)] } }];
    assert.deepStrictEqual(page.gatherOutcomes(documents, "report"), [[], [of(1), of(null)]]);
    assert.deepStrictEqual(page.gatherOutcomes(documents, "error"), [[of(null)]]);
});
