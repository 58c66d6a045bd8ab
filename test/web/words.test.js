// SPDX-License-Identifier: Apache-2.0
// How the application reads command lines (web/app/words.js) and keeps options in the address (options.js).
"use strict";
const assert = require("node:assert");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { spawnSync } = require("node:child_process");
const test = require("node:test");
const { pageFunctions } = require("./page_script.js");

const { shellWord } = pageFunctions("shellWord");

const script = ["words.js", "options.js"]
    .map((name) => fs.readFileSync(path.join(__dirname, "../../web/app", name), "utf8")).join("");

/** Functions of the application with an address of their own. @param {string} hash */
function application(hash = "") {
    const place = { hash };
    const history = { replaceState: (_state, _title, address) => (place.hash = address) };
    const names = ["splitWords", "joinWords", "pairWords", "readOptions", "writeOptions", "optionWords", "chosen", "given", "fixWords"];
    const body = `"use strict";\n${script}\nreturn { ${names.join(", ")}, assumed: (pairs) => (assumed = pairs) };`;
    return { ...new Function("location", "history", "shellWord", body)(place, history, shellWord), place };
}

test("words are those of a shell, and back", () => {
    const { splitWords, joinWords } = application();
    assert.deepStrictEqual(splitWords("--dim batch=1  --cut 'a b' \"c\\\"d\" e\\ f ''"), ["--dim", "batch=1", "--cut", "a b", "c\"d", "e f", ""]);
    for (const words of [["a"], ["it's", "", "\\", "\"", "$x", "--cut", "/a/b:0"], []])
        assert.deepStrictEqual(splitWords(joinWords(words)), words);
});

test("options go with their values", () => {
    const { pairWords } = application();
    assert.deepStrictEqual(pairWords(["npu-partition", "fix", "m.onnx", "--dim", "n=1", "--sustained", "--cut=a=b", "-t", "x"]),
        [["--dim", "n=1"], ["--sustained"], ["--cut", "a=b"], ["-t", "x"]]);
});

test("the button's words are the line's, whatever they are", () => {
    const { fixWords } = application();
    const line = ["npu-partition", "fix", "m.onnx", "-t", "rknn", "--cache", "64", "--tokens", "1", "--end-at", "a,b",
        "--rest", "host.onnx", "-o", "m.fixed.onnx"];
    assert.deepStrictEqual(fixWords(line), ["fix", "--format", "html", ...line.slice(2)]);
    for (const other of [null, undefined, [], ["python", "-m", "npu_partition.quantize"], ["npu-partition", "m.onnx"]])
        assert.strictEqual(fixWords(other), null);
});

/* The tool as it is built for this machine does what the application's does: the lines of six models, and what the
 * button runs, write the same files. */
const tool = process.env.NPU_PARTITION_TOOL || path.join(__dirname, "../../build/npu-partition");
const lines = [["distilbert-base.ts14.dyn.onnx", "hexagon"], ["detector.dynamo.onnx", "hexagon"],
    ["mobilenetv2.qdq-int8.onnx", "hexagon"], ["decoder.dynamo.onnx", "hexagon"], ["detector.dynamo.onnx", "rknn"],
    ["distilbert-base.ts14.dyn.onnx", "tidl"]];

test("the button writes what the line writes", { skip: !fs.existsSync(tool) }, () => {
    const { fixWords } = application();
    const run = (folder, words) => spawnSync(tool, words, { cwd: folder, maxBuffer: 1 << 28 });
    let told = 0;
    for (const [model, target] of lines) {
        const file = path.join(__dirname, "../../fixtures", model);
        if (!fs.existsSync(file)) continue;
        const [one, other] = [0, 1].map(() => fs.mkdtempSync(path.join(os.tmpdir(), "line-")));
        for (const folder of [one, other]) fs.copyFileSync(file, path.join(folder, model));
        const report = JSON.parse(run(one, [model, "-t", target, "--format", "json", "--detail", "summary"]).stdout);
        const first = report.targets[0].advice.find((action) => fixWords(action.run));
        if (first) {
            const status = run(one, first.run.slice(1)).status;
            assert.strictEqual(run(other, fixWords(first.run)).status, status);
            assert.deepStrictEqual(fs.readdirSync(other), fs.readdirSync(one));
            for (const name of fs.readdirSync(one))
                assert.ok(fs.readFileSync(path.join(one, name)).equals(fs.readFileSync(path.join(other, name))), name);
            told++;
        }
        for (const folder of [one, other]) fs.rmSync(folder, { recursive: true });
    }
    assert.ok(told >= 3);
});

test("the address keeps options, and neither files nor what the page keeps of another report", () => {
    const first = application("#t=3&n=7");
    Object.assign(first.chosen, { targets: "hexagon:v75,tidl", level: "off", runtime: "bare", more: "--input 'x y=1x3'" });
    first.chosen.dims.set("batch", "4").set("open", "");
    first.given.oplist = { name: "secret.ops", blob: null };
    first.assumed([["--cut", "a&b=#c"], ["--dim", "batch=2"]]);
    first.writeOptions(["t=1"]);
    assert.ok(first.place.hash.startsWith("#t=1&o=") && !first.place.hash.includes("secret"));
    const second = application(first.place.hash);
    second.readOptions();
    assert.deepStrictEqual(second.optionWords([]), ["--target", "hexagon:v75,tidl", "--dim", "batch=2", "--level", "off",
        "--runtime", "bare", "--input", "x y=1x3", "--cut", "a&b=#c"]);
});

test("an address of nobody's changes nothing", () => {
    for (const hash of ["", "#", "#o=%", "#o=", "#x=1&o=%ff", "#section-lane"]) {
        const app = application(hash);
        app.readOptions();
        assert.deepStrictEqual(app.optionWords([]), ["--target", "hexagon"]);
    }
});
