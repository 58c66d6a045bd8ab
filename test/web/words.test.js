// SPDX-License-Identifier: Apache-2.0
// How the application reads command lines (web/app/words.js) and keeps options in the address (options.js).
"use strict";
const assert = require("node:assert");
const fs = require("node:fs");
const path = require("node:path");
const test = require("node:test");
const { pageFunctions } = require("./page_script.js");

const { shellWord } = pageFunctions("shellWord");

const script = ["words.js", "options.js"]
    .map((name) => fs.readFileSync(path.join(__dirname, "../../web/app", name), "utf8")).join("");

/** Functions of the application with an address of their own. @param {string} hash */
function application(hash = "") {
    const place = { hash };
    const history = { replaceState: (_state, _title, address) => (place.hash = address) };
    const names = ["splitWords", "joinWords", "pairWords", "readOptions", "writeOptions", "optionWords", "chosen", "given"];
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
