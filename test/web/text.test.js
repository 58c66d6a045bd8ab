// SPDX-License-Identifier: Apache-2.0
// Texts and figures of the page (web/page/text.js), and what is prepared of a report (prepare.js).
"use strict";
const assert = require("node:assert");
const test = require("node:test");
const { pageFunctions } = require("./page_script");

const page = pageFunctions("plainText", "milliseconds", "millisecondsRange", "estimateText", "estimateOf", "boundsOf", "shortNumber",
    "bytesText", "shareText",
    "countText", "countOf", "listText", "amountText", "baseName", "csvField", "prepare", "nodeName", "shellWord",
    "toolCommand", "fixCommand", "adviceCommand", "adviceSteps", "afterText");

function equal(pairs) {
    for (const [found, expected] of pairs) assert.deepStrictEqual(found, expected);
}

test("what has no shape, or turns the direction, is an escape", () => {
    equal([
        [page.plainText("a\u202eb\u2028\u0000\ue000"), "a\\u{202e}b\\u{2028}\\u{0}\\u{e000}"],
        [page.plainText("<b> \u00fc \u4e2d"), "<b> \u00fc \u4e2d"],
        [page.nodeName({ name: "" }, 7), "node 7"],
    ]);
});

test("figures are as the tool prints them", () => {
    equal([
        [page.shortNumber(1841.4), "1841"], [page.shortNumber(99.96), "100"], [page.shortNumber(14.42), "14.4"],
        [page.shortNumber(9.996), "10.0"], [page.shortNumber(9.11), "9.11"], [page.shortNumber(0.26), "0.26"],
        [page.shortNumber(0.00312), "0.0031"], [page.shortNumber(0), "0"],
        [page.milliseconds(null), "not known"], [page.milliseconds(1.7), "1.70 ms"],
        [page.millisecondsRange([0.8, 1.7, 21]), "1.70 ms (0.80 to 21.0)"],
        [page.millisecondsRange([null, 1, 2]), "not known"], [page.millisecondsRange(undefined), "not known"],
        [page.estimateText([3.21, 4.96, 7.66]), "~5.0 ms (3.2-7.7)"],
        [page.estimateText([200, 268, 300]), "~270 ms (200-300)"],
        [page.estimateText([0.4, 3.04, 20.4]), "~3.0 ms (0.4 to 20 ms)"],
        [page.estimateText([900, 1200, 1400]), "~1.2 s (0.90-1.4)"],
        [page.estimateText([2, 2, 2]), "~2.0 ms"], [page.estimateText([0, 0.001, 1]), "under 0.01 ms"],
        [page.estimateText([null, 1, 2]), "not known"],
        [page.estimateOf([3.21, 4.96, 7.66]), "~5.0 ms"], [page.estimateOf(null), "not known"],
        [page.boundsOf([3.21, 4.96, 7.66]), "8 of 10 runs: 3.2-7.7 ms"], [page.boundsOf([2, 2, 2]), null],
        [page.boundsOf([0.4, 3.04, 20.4]), "8 of 10 runs: 0.4 to 20 ms"], [page.boundsOf([null, 1, 2]), null],
        [page.bytesText(8), "8 B"], [page.bytesText(3000000), "3.0 MB"], [page.bytesText(602112), "602 kB"],
        [page.bytesText(null), "not known"],
        [page.amountText(118013952), "118 M"], [page.amountText("786432*batch"), "786432*batch"],
        [page.countText(1, "node"), "1 node"], [page.countText(20000, "node"), "20,000 nodes"],
        [page.countOf(2, 531, "node"), "2 of 531 nodes"],
        [page.listText(["a"]), "a"], [page.listText(["a", "b", "c"]), "a, b and c"],
        [page.baseName("/models/a.onnx"), "a.onnx"], [page.baseName("C:\\models\\a.onnx"), "a.onnx"],
    ]);
});

test("a share that is not all is not 100 %, and one that is something not 0 %", () => {
    equal([
        [page.shareText(1), "100 %"], [page.shareText(0.99999), "99.9 %"], [page.shareText(0), "0 %"],
        [page.shareText(0.00001), "0.1 %"], [page.shareText(0.73), "73.0 %"], [page.shareText(null), "not known"],
    ]);
});

test("fields of CSV are quoted, and none is a formula", () => {
    equal([
        [page.csvField('a,"b"'), '"a,""b"""'], [page.csvField("=1+1"), "'=1+1"], [page.csvField(-1.5), "-1.5"],
        [page.csvField(null), ""], [page.csvField(NaN), ""], [page.csvField("a\nb"), '"a\nb"'],
    ]);
});

test("a report without newer fields, or without nodes, is prepared", () => {
    const nodes = [{ verdict: "npu", ms: 2, work: { macs: 5, bytes_in: 1, bytes_out: 2, weight_bytes: 3 } },
        { verdict: "folded", work: null }, { verdict: "cpu", work: { macs: "4*n", bytes_in: null } },
        { verdict: "of a later version" }];
    const graph = page.prepare({}, { nodes });
    equal([
        [[...graph.order], [0, 2, 3]], [[...graph.position], [0, -1, 1, 2]], [[...graph.verdict], [0, 4, 1, 3]],
        [[...graph.ms], [2, NaN, NaN, NaN]], [[...graph.macs], [5, NaN, NaN, NaN]],
            [[...graph.bytes], [6, NaN, NaN, NaN]],
        [[...page.prepare({}, { nodes, order: [2, 0] }).position], [1, -1, 0, -1]],
        [page.prepare({}, {}).nodes.length, 0],
    ]);
});

test("commands are ready for a shell", () => {
    const shown = { report: { model: { path: "my model's.onnx" } }, target: { name: "hexagon:v73+float" } };
    const dims = { action: "dims", command: "--dim batch=1", fixable: true, equality: "bits", instead_of: null };
    const rewrite = { action: "rewrite", command: null, fixable: true, equality: "ulp", instead_of: null };
    equal([
        [page.shellWord("a b"), "'a b'"], [page.shellWord("it's"), "'it'\\''s'"],
            [page.shellWord("x/y-1.onnx"), "x/y-1.onnx"],
        [page.toolCommand(shown, "--dim batch=1"),
            "npu-partition 'my model'\\''s.onnx' --target hexagon:v73+float --dim batch=1"],
        [page.toolCommand(shown, "-t rknn"), "npu-partition 'my model'\\''s.onnx' -t rknn"],
        [page.adviceCommand(shown, { command: null, fixable: false }), null],
        [page.fixCommand(shown, [dims, rewrite]), "npu-partition fix 'my model'\\''s.onnx' --target hexagon:v73+float "
            + "--dim batch=1 --allow ulp --output 'my model'\\''s.fixed.onnx'"],
        [page.adviceSteps({ advice: [dims, { instead_of: "a1" }] }).length, 1], [page.adviceSteps({}).length, 0],
    ]);
});

test("what an action leaves is told with its shares", () => {
    const after = { partitions: 7, coverage: 0.858, mac_coverage: 0.905, verdict: "split",
        cost: { low_ms: 6.36, typical_ms: 10.3, high_ms: 16.6 } };
    equal([
        [page.afterText(after),
            "leaves 7 partitions, coverage 90.5 % of MACs, 85.8 % of nodes; ~10 ms (6.4-17)"],
        [page.afterText({ ...after, verdict: "whole", partitions: 1, cost: { low_ms: null } }),
            "leaves 1 partition, all nodes on the NPU"],
        [page.afterText({ ...after, verdict: "whole", partitions: 1, cost: null }, { by: "Core ML" }),
            "leaves 1 partition, all nodes taken by Core ML"],
        [page.afterText({ ...after, mac_coverage: null, verdict: "fails", cost: null }),
            "leaves 7 partitions, coverage 85.8 % of nodes; still fails to compile"],
    ]);
});

test("what takes nodes is called as the target says", () => {
    const { prepare, ofTaker, taker, verdictTexts } = pageFunctions("prepare", "ofTaker", "taker", "verdictTexts");
    const texts = (target) => (prepare({}, { nodes: [], ...target }), [taker.place, verdictTexts[0],
        ofTaker("nothing runs on the NPU"), ofTaker("NPU: computing")]);
    assert.deepStrictEqual(texts({ unit: "XNNPACK" }),
        ["in XNNPACK", "XNNPACK", "nothing runs in XNNPACK", "XNNPACK: computing"]);
    for (const target of [{}, { unit: "NPU" }])
        assert.deepStrictEqual(texts(target), ["on the NPU", "NPU", "nothing runs on the NPU", "NPU: computing"]);
});
