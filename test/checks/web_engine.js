// SPDX-License-Identifier: Apache-2.0
// The tool in WebAssembly against the tool of this machine: the same bytes on standard output and standard error, the
// same status, the same files; and what only the engine in the browser has: files by ranges, names, failures.
//
// usage: node web_engine.js build/web TOOL fixtures [CHECK]...
"use strict";
const assert = require("node:assert");
const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { writeModel } = require("./web_models.js");
const { counted, diskFile, load, DiskBlob } = require("./web_node.js");

const [web, toolPath, fixtures] = process.argv.slice(2, 5).map((word) => path.resolve(word));
const tool = load(web);
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), "web-engine-"));
const corpus = path.join(__dirname, "../fuzz/corpus/fuzz_model");
const models = fs.readdirSync(fixtures).filter((name) => name.endsWith(".onnx")).sort();
let compared = 0;

/** The tool of this machine, where the files are. */
function native(folder, words) {
    const run = spawnSync(toolPath, words, { cwd: folder, maxBuffer: 2 ** 30, input: "" });
    return { exit: run.status, bytes: run.stdout, messages: run.stderr.toString() };
}

function assertBytes(actual, expected, name) {
    let at = 0;
    while (at < expected.length && actual[at] === expected[at])
        at++;
    const shown = (bytes) => bytes.subarray(Math.max(0, at - 60), at + 60).toString();
    assert.ok(actual.equals(expected), `${name}: differs at ${at}: ${shown(actual)}\ninstead of ${shown(expected)}`);
    compared += expected.length;
}

function assertSame(actual, expected, words) {
    const name = words.join(" ");
    assert.equal(actual.messages, expected.messages, name);
    assert.equal(actual.exit, expected.exit, name);
    assertBytes(Buffer.from(actual.bytes), expected.bytes, name);
    assert.equal(actual.output, expected.bytes.toString(), name);
}

/** Those in a folder beside `names`, with the folders below it. */
function newFiles(folder, names) {
    return fs.readdirSync(folder, { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(folder, path.join(entry.parentPath || entry.path, entry.name)))
        .filter((name) => !names.includes(name)).sort();
}

/** Both tools on copies of the files; what they print and write must be the same. */
async function compare(names, words, from = fixtures) {
    const folder = fs.mkdtempSync(path.join(scratch, "run-"));
    names.forEach((name) => fs.copyFileSync(path.join(from, name), path.join(folder, name)));
    const result = await tool.runTool(words, names.map((name) => diskFile(path.join(folder, name))));
    assertSame(result, native(folder, words), words);
    const written = newFiles(folder, names);
    assert.deepEqual(result.files.map((file) => file.name), written, words.join(" "));
    for (const file of result.files) {
        const bytes = fs.readFileSync(path.join(folder, file.name));
        assertBytes(file.blob.bytes(), bytes, `${words.join(" ")}: ${file.name}`);
    }
    fs.rmSync(folder, { recursive: true });
    return result;
}

/** The formats that the tool knows, by what it says of one that it does not know. */
function formats() {
    const { messages } = native(fixtures, [models[0], "--target", "all", "--format", "?"]);
    const names = messages.trim().replace(/.* expected /, "").split(/, | or /);
    assert.ok(names.includes("json") && names.includes("sarif") && names.includes("markdown"), messages);
    return names.filter((name) => name !== "png"); // which another program draws
}

// ---- what is checked ---------------------------------------------------------------------------------------------

const checks = {
    "all fixtures and targets, in each format": async () => {
        for (const model of models)
            await compareReports([model], ["--target", "all", "--format", "json"]);
        for (const format of formats().filter((name) => name !== "json"))
            await compareReports(models, ["--target", "all", "--format", format]);
    },

    "other questions": async () => {
        const [model, other] = ["espcn-x3.dynamo.onnx", "mobilenetv2.dynamo.onnx"];
        const rest = ["--target", "hexagon"];
        for (const words of [
            [...rest, "--detail", "summary", "--format", "json"], [...rest, "--verbose", "--ascii"], ["--shapes"],
            [...rest, "--explain", "0"], [...rest, "--max-partitions", "0"], ["--list-targets"],
            ["--describe", "hexagon", "Conv"], ["--help"], ["--version"], [...rest, "--summary"],
        ])
            await compareReports([model], words);
        await compareReports([model, other], [...rest, "--format", "json"]);
        await compareReports([model, other], [...rest, "--format", "sarif", "--summary"]);
        const words = ["diff", model, other, "--target", "hexagon"];
        for (const format of ["text", "json", "markdown"])
            assertSame(await tool.runTool([...words, "--format", format], [model, other].map(fixture)),
                native(fixtures, [...words, "--format", format]), words);
    },

    "an image, which a program of the machine would draw": async () => {
        const words = [models[0], "--target", "hexagon", "--format", "png", "-o", "out.png"];
        const result = await tool.runTool(words, [models[0]].map(fixture));
        assert.equal(result.exit, 4);
        assert.match(result.messages, /png: not supported on this system; use --format svg/);
        assert.deepEqual(result.files, []);
    },

    "files that are written": async () => {
        for (const model of models)
            await compare([model], ["fix", model, "--target", "hexagon", "-o", "out.onnx"]);
        const model = "mobilenetv2.qdq-int8.onnx";
        await compare([model], ["fix", model, "--target", "hexagon", "-o", "a b/out.onnx"]);
        for (const words of [
            ["split", model, "--target", "tidl", "-o", "parts"],
            ["annotate", model, "--target", "hexagon", "-o", "out.onnx"],
            [model, "--target", "hexagon", "-o", "report.txt"], [model, "--target", "hexagon", "--settings", "s.json"],
        ])
            await compare([model], words);
    },

    "files of which ranges are copied": async () => {
        const fill = (i) => Buffer.alloc(512 * 512 * 4, `layer ${i} `);
        writeModel(path.join(scratch, "inline.onnx"), { count: 4, size: 512, isEinsum: true, fill });
        for (const words of [
            ["fix", "inline.onnx", "--target", "tidl", "-o", "out.onnx"],
            ["split", "inline.onnx", "--target", "tidl", "-o", "parts"],
            ["fix", "inline.onnx", "--target", "tidl", "-o", "out.onnx", "--weights", "external"],
            ["fix", "inline.onnx", "--target", "tidl", "-o", "inline.onnx"],
            ["annotate", "inline.onnx", "--target", "tidl", "-o", "out.onnx"],
        ]) {
            const result = await compare(["inline.onnx"], words, scratch);
            result.files.filter(({ blob }) => blob.size > 2 ** 20).forEach(assertRanges);
        }
        const words = ["fix", "inline.onnx", "--target", "tidl", "-o", "out.onnx", "--weights", "external"];
        const { files } = await tool.runTool(words, [diskFile(path.join(scratch, "inline.onnx"))]);
        for (const file of files)
            fs.writeFileSync(path.join(scratch, file.name), file.blob.bytes());
        const names = files.map((file) => file.name);
        assert.deepEqual(names, ["out.onnx", "out.onnx.data"]);
        for (const choice of ["copy", "external"])
            await compare(
                names, ["fix", "out.onnx", "--target", "tidl", "-o", "more.onnx", "--weights", choice], scratch);
    },

    "models of gigabytes": async () => {
        await readsLittle({ count: 28, size: 4096, isEinsum: true }, []);
        await readsLittle({ count: 75, size: 4096, isEinsum: true }, ["--weights", "external"]);
    },

    "damaged models": async () => {
        const names = fs.readdirSync(corpus).sort().map((name) => `./${name}`);
        await compareIn(corpus, names, [...names, "--target", "all", "--format", "json"]);
    },

    "a folder of files": async () => {
        const list = path.join(scratch, "mine.ops"), model = fixture("espcn-x3.dynamo.onnx");
        fs.writeFileSync(list, native(fixtures, ["--new-oplist", "mine"]).bytes);
        const report = path.join(scratch, "old.json");
        fs.writeFileSync(report, native(fixtures, [model.name, "--target", "hexagon", "--format", "json"]).bytes);
        const words = [path.join("lists", "mine.ops")];
        const result = await tool.runTool([model.name, "--oplist", words[0], "--target", "mine", "--format", "json"],
            [model, diskFile(list, words[0])]);
        const expected = native(scratch, [path.join(fixtures, model.name), "--oplist", list, "--target", "mine"]);
        assert.equal(result.exit, expected.exit, result.messages);
        assert.equal(JSON.parse(result.output).targets.length, 1);
        await compareIn(fixtures, models, ["*.onnx", "--target", "hexagon", "--format", "csv"]);
        await compareIn(fixtures, models, [...models, "--target", "hexagon", "--format", "csv"]);
        const diff = await tool.runTool(
            ["diff", "old.json", model.name, "--target", "hexagon"], [diskFile(report), model]);
        assert.equal(diff.exit, 0, diff.messages);
    },

    "names": async () => {
        const model = path.join(fixtures, "espcn-x3.dynamo.onnx");
        const expected = native(fixtures, ["espcn-x3.dynamo.onnx", "--target", "hexagon", "--quiet"]);
        for (const name of ["ü 模型 😀.onnx", "a'b\"c$(d)`.onnx", "<script>.onnx", "-x.onnx", "__proto__", "constructor",
            "a\\b.onnx", "\u202eexe.onnx", "%00.onnx", `${"n".repeat(250)}.onnx`, "folder/of/model.onnx"]) {
            const result = await tool.runTool([`./${name}`, "--target", "hexagon", "-o", `${name}.txt`],
                [diskFile(model, name)]);
            assert.equal(result.exit, expected.exit, name + result.messages);
            assert.deepEqual(result.files.map((file) => file.name), [`${name}.txt`]);
        }
        for (const name of ["", "/etc", "a//b", "../x", "a/..", ".", "a\0b"]) {
            const result = await tool.runTool(["--version"], [diskFile(model, name)]);
            assert.match(result.messages, /not the name of a file/, JSON.stringify(name));
            assert.equal(result.exit, 4);
        }
        const same = await tool.runTool(["--version"], [diskFile(model, "a"), diskFile(model, "a")]);
        assert.match(same.messages, /two files have the name "a"/);
        assert.deepEqual(tool.nameFiles([{ name: "a.b.c" }, { name: "a.b.c" }, { name: ".x" }, { name: ".x" },
            { name: "a.b-2.c" }, { name: "a.b.c" }]).map((file) => file.name),
        ["a.b.c", "a.b-2.c", ".x", ".x-2", "a.b-2-2.c", "a.b-3.c"]);
    },

    "failures": async () => {
        const whole = fs.readFileSync(path.join(fixtures, "espcn-x3.dynamo.onnx"));
        for (const share of [0, 0.001, 0.3, 0.5, 0.9, 0.9999]) {
            fs.writeFileSync(path.join(scratch, "cut.onnx"), whole.subarray(0, whole.length * share));
            await compareIn(scratch, ["cut.onnx"], ["cut.onnx", "--target", "all"]);
        }
        for (const words of [["missing.onnx", "--target", "hexagon"], ["cut.onnx"], ["--no-such-option"], [],
            ["cut.onnx", "--target", "nothing"], ["fix", "cut.onnx", "--target", "hexagon", "-o", "x/y.onnx"],
            ["--check-oplist", "cut.onnx"], [".", "--target", "hexagon"], ["--completion", "bash"],
            ["fix", "cut.onnx", "--target", "hexagon", "-o", "cut.onnx"]])
            await compareIn(scratch, ["cut.onnx"], words);
    },

    "what browsers may do": async () => {
        const words = ["espcn-x3.dynamo.onnx", "--target", "hexagon"], files = [fixture(words[0])];
        const fails = async (engine, pattern, chosen = files, exit = 4) => {
            const result = await engine.runTool([chosen[0].name, ...words.slice(1)], chosen);
            assert.match(result.messages, pattern);
            assert.deepEqual([result.exit, result.files], [exit, []]);
        };
        await fails(changed(() => { throw new RangeError("no memory"); }), /cannot go on/);
        await fails(changed((imports, make) => ({ exports: { ...make().exports, main: () => {
            throw new WebAssembly.RuntimeError("unreachable");
        } } })), /cannot go on: RuntimeError: unreachable/);
        writeModel(path.join(scratch, "many.onnx"), { count: 20000, size: 1, isEinsum: false });
        await fails(changed((imports, make) => {
            const grow = Object.values(imports).find((names) => names.emscripten_resize_heap);
            grow.emscripten_resize_heap = () => 0;
            return make();
        }), /out of memory/, [diskFile(path.join(scratch, "many.onnx"))]);
        class Gone extends DiskBlob {
            slice() {
                throw new Error("NotReadableError");
            }
        }
        await fails(tool, /cannot read the file/, [{ name: "gone.onnx", blob: new Gone([new Uint8Array(100)]) }], 3);
        const copy = path.join(scratch, "web");
        fs.cpSync(web, copy, { recursive: true });
        fs.rmSync(path.join(copy, "npu-partition.wasm"));
        const incomplete = load(copy);
        await fails(incomplete, /cannot load: npu-partition.wasm: 404/);
        fs.copyFileSync(path.join(web, "npu-partition.wasm"), path.join(copy, "npu-partition.wasm"));
        await fails(incomplete, /^$/, files, 0);
    },

    "stopping": async () => {
        const words = ["espcn-x3.dynamo.onnx", "--target", "hexagon"], files = [fixture(words[0])];
        for (const phase of ["load", "analyze", "write"]) {
            const controller = new AbortController();
            const onProgress = (progress) => progress.phase === phase && controller.abort();
            await assert.rejects(tool.runTool(words, files, { onProgress, signal: controller.signal }), /abort/i);
        }
    },
};

/** Of what is large next to nothing is bytes of its own. */
function assertRanges({ name, blob }) {
    const own = blob.parts.reduce((sum, part) => sum + (part.path ? 0 : part.length), 0);
    assert.ok(own < 64 * 1024, `${name}: ${own} of ${blob.size} bytes are copied`);
}

const MOST_BYTES_A_TENSOR = 256 * 1024;
const MOST_MEMORY_BYTES = 64 * 2 ** 20;

/** What is read and held of a large model is about its structure; what is written refers to it. */
async function readsLittle(layers, options) {
    const place = path.join(scratch, "large.onnx"), file = () => [diskFile(place)];
    writeModel(place, layers);
    const words = ["large.onnx", "--target", "tidl", "--format", "json"];
    const told = [];
    counted.bytes = 0;
    const report = await tool.runTool(words, file(), { onProgress: (progress) => told.push(progress) });
    assertSame(report, native(scratch, words), words);
    assertProgress(told, fs.statSync(place).size);
    const fixed = await tool.runTool(["fix", "large.onnx", "--target", "tidl", "-o", "out.onnx", ...options], file());
    assert.equal(fixed.exit, 0, fixed.messages);
    assert.match(fixed.output, /einsum/);
    fixed.files.forEach(assertRanges);
    const size = fixed.files.reduce((sum, { blob }) => sum + blob.size, 0);
    assert.ok(size > layers.count * layers.size ** 2 * 4, `${size} bytes are written`);
    const again = await tool.runTool(["out.onnx", "--target", "tidl", "--max-partitions", "1"], fixed.files);
    assert.equal(again.exit, 0, again.messages);
    assert.ok(counted.bytes < 4 * layers.count * MOST_BYTES_A_TENSOR, `${counted.bytes} bytes are read`);
    for (const { memoryBytes } of [report, fixed, again])
        assert.ok(memoryBytes > 0 && memoryBytes <= MOST_MEMORY_BYTES, `${memoryBytes} bytes are held`);
    fs.rmSync(place);
}

/** Phases come in their order, and bytes grow to all that there are. */
function assertProgress(told, total) {
    const phases = told.map((progress) => progress.phase);
    assert.deepEqual([...new Set(phases)], ["load", "read", "analyze", "write"], phases.join(" "));
    told.forEach((progress, i) => {
        assert.equal(progress.total, total);
        assert.ok(progress.done <= total && (i === 0 || progress.done >= told[i - 1].done), JSON.stringify(told));
    });
    assert.equal(told.at(-1).done, total);
}

/** A worker whose instances are given other imports or exports. */
function changed(change) {
    return load(web, { Instance: function(module, imports) {
        return change(imports, () => new WebAssembly.Instance(module, imports));
    } });
}

function fixture(name) {
    return diskFile(path.join(fixtures, name));
}

async function compareIn(folder, names, words) {
    const files = names.map((name) => diskFile(path.join(folder, name)));
    assertSame(await tool.runTool(words, files), native(folder, words), words);
}

async function compareReports(names, options) {
    await compareIn(fixtures, names, [...names, ...options]);
}

async function main() {
    const chosen = process.argv.slice(5);
    for (const name of chosen.length ? chosen : Object.keys(checks)) {
        const start = performance.now();
        compared = 0;
        await checks[name]();
        console.log(`  ${name}: ${compared} bytes are the same (${((performance.now() - start) / 1000).toFixed(1)} s)`);
    }
}

main().catch((error) => {
    console.error(error);
    process.exitCode = 1;
}).finally(() => fs.rmSync(scratch, { recursive: true }));
