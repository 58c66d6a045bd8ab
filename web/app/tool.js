// SPDX-License-Identifier: Apache-2.0
// The tool as a function: its command line and files in, what it printed and wrote out. It runs in a worker, and
// nothing leaves the browser.

/** @type {Promise<WebAssembly.Module> | null} of all runs */
let compiledTool = null;

/**
 * Loads and compiles the tool, once; worth calling before the first run.
 * @returns {Promise<WebAssembly.Module>}
 */
function compileTool() {
    if (!compiledTool) {
        compiledTool = loadTool("npu-partition.wasm");
        compiledTool.catch(() => { compiledTool = null; });
    }
    return compiledTool;
}

/** @param {string} address */
async function loadTool(address) {
    const response = await fetch(address);
    if (!response.ok)
        throw new Error(`${address}: ${response.status} ${response.statusText}`);
    // While it is being loaded, and kept by the browser, where the host says what it is.
    if ((response.headers.get("content-type") || "").startsWith("application/wasm"))
        return WebAssembly.compileStreaming(response);
    return WebAssembly.compile(await response.arrayBuffer());
}

/**
 * Names for files that were chosen: as they are, unless two are the same.
 * @param {Iterable<File>} files
 * @returns {{name: string, blob: Blob}[]}
 */
function nameFiles(files) {
    const taken = new Set();
    return Array.from(files, (file) => {
        const dot = file.name.lastIndexOf(".") > 0 ? file.name.lastIndexOf(".") : file.name.length;
        let name = file.name;
        for (let count = 2; taken.has(name); count++)
            name = `${file.name.slice(0, dot)}-${count}${file.name.slice(dot)}`;
        taken.add(name);
        return { name, blob: file };
    });
}

/**
 * @param {{name: string, blob: Blob}[]} files
 * @returns {string} what is wrong with a name; empty where nothing is
 */
function wrongName(files) {
    const taken = new Set();
    for (const { name } of files) {
        const isPath = name.split("/").every((part) => part !== "" && part !== "." && part !== "..");
        if (!isPath || name.includes("\0"))
            return `not the name of a file: ${JSON.stringify(name)}`;
        if (taken.has(name))
            return `two files have the name ${JSON.stringify(name)}`;
        taken.add(name);
    }
    return "";
}

/**
 * @typedef {object} ToolResult
 * @property {number} exit  the tool's exit status; 4 where it could not go on
 * @property {string} output  what it printed
 * @property {Uint8Array} bytes  the same as bytes
 * @property {string} messages  its standard error
 * @property {{name: string, blob: Blob}[]} files  what it wrote
 * @property {number} memoryBytes  the most that it took
 */

/**
 * @typedef {object} Progress
 * @property {"load" | "read" | "analyze" | "write"} phase
 * @property {number} done  bytes of the files: how far they were read
 * @property {number} total
 */

/** @returns {ToolResult} of a run that there was none of */
function failedRun(message) {
    const messages = `npu-partition: ${message}\n`;
    return { exit: 4, output: "", bytes: new Uint8Array(0), messages, files: [], memoryBytes: 0 };
}

/** @param {Uint8Array[]} parts */
function joinBytes(parts) {
    const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) {
        bytes.set(part, at);
        at += part.length;
    }
    return bytes;
}

/**
 * @param {any} result  of the worker
 * @param {{name: string, blob: Blob}[]} files
 * @returns {ToolResult}
 */
function resultOf(result, files) {
    const text = (bytes) => new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    const bytes = joinBytes(result.output);
    const whole = (part) => (part instanceof Uint8Array ? part : files[part.file].blob.slice(part.start, part.end));
    return {
        exit: result.exit,
        output: text(bytes),
        bytes,
        messages: text(joinBytes(result.messages)),
        files: result.files.map(({ name, parts }) => ({ name, blob: new Blob(parts.map(whole)) })),
        memoryBytes: result.memoryBytes,
    };
}

/**
 * Runs the tool once. Rejects only where `signal` ends it; whatever else goes wrong is a result that says so.
 * @param {string[]} words  the command line without the tool's name
 * @param {({name: string, blob: Blob} | File)[]} files  in the folder where the tool runs; names may have folders
 * @param {object} [options]
 * @param {(progress: Progress) => void} [options.onProgress]
 * @param {AbortSignal} [options.signal]
 * @returns {Promise<ToolResult>}
 */
async function runTool(words, files, options = {}) {
    const { onProgress = () => {}, signal } = options;
    const named = files.map((file) => (file instanceof Blob ? { name: file.name, blob: file } : file));
    const wrong = wrongName(named);
    if (wrong)
        return failedRun(wrong);
    onProgress({ phase: "load", done: 0, total: named.reduce((sum, file) => sum + file.blob.size, 0) });
    let module;
    try {
        module = await compileTool();
    } catch (error) {
        return failedRun(`cannot load: ${error.message}`);
    }
    signal?.throwIfAborted();
    return runWorker({ module, words, files: named }, onProgress, signal);
}

/** One worker a run: all that it took is free again afterwards. */
function runWorker(job, onProgress, signal) {
    return new Promise((resolve, reject) => {
        const worker = new Worker("worker.js");
        const end = (settle, value) => {
            worker.terminate();
            signal?.removeEventListener("abort", stop);
            settle(value);
        };
        const stop = () => end(reject, signal.reason);
        signal?.addEventListener("abort", stop);
        worker.onmessage = ({ data }) => {
            if (data.progress)
                onProgress(data.progress);
            else
                end(resolve, resultOf(data.result, job.files));
        };
        worker.onerror = (event) => {
            event.preventDefault();
            end(resolve, failedRun(`the worker failed: ${event.message || "it cannot be loaded"}`));
        };
        worker.onmessageerror = () => end(resolve, failedRun("the worker's answer cannot be read"));
        worker.postMessage(job);
    });
}

/** For tests, and pages of others around the same tool. */
globalThis.npuPartitionTool = { compileTool, nameFiles, runTool };
