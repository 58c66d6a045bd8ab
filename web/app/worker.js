// SPDX-License-Identifier: Apache-2.0
// Runs the tool once, in a worker that tool.js starts for it: a fresh instance of the compiled module, whose file
// system has the files that came with the message.
"use strict";
/* global createTool, importScripts */

importScripts("npu-partition.js");

/** Between two messages of the same phase. */
const PROGRESS_MS = 50;
const EXIT_OTHER = 4;

/**
 * Tells how far the input was read, and what the tool does now. A model has been read when its end was seen, though
 * most of its bytes never are.
 * @param {{name: string, blob: Blob}[]} files
 * @returns {(node: any, isWritten: boolean) => void}
 */
function progressOf(files) {
    const total = files.reduce((sum, file) => sum + file.blob.size, 0);
    const seen = new Map();
    let done = 0, phase = "", told = 0;
    return (node, isWritten) => {
        let next = "write";
        if (!isWritten) {
            if (!node.isInput)
                return;
            done += node.seen - (seen.get(node) || 0);
            seen.set(node, node.seen);
            next = node.seen < node.pieces.size ? "read" : "analyze";
        }
        const now = performance.now();
        if (next === phase && now - told < PROGRESS_MS)
            return;
        phase = next;
        told = now;
        self.postMessage({ progress: { phase, done, total } });
    };
}

/**
 * @param {WebAssembly.Module} module
 * @param {(tool: any) => void} prepare  called before the C library starts
 * @returns {Promise<{tool: any, memory: WebAssembly.Memory}>} the instance; main has not run
 */
function instantiate(module, prepare) {
    return new Promise((resolve, reject) => {
        let memory;
        createTool({
            thisProgram: "npu-partition",
            noFSInit: true,
            preRun: prepare,
            print: () => {},
            printErr: () => {},
            instantiateWasm: (imports, receive) => {
                try {
                    const instance = new WebAssembly.Instance(module, imports);
                    memory = Object.values(instance.exports).find((value) => value instanceof WebAssembly.Memory);
                    receive(instance);
                    return instance.exports;
                } catch (error) { // of which createTool would tell nobody
                    reject(error);
                    return {};
                }
            },
        }).then((tool) => resolve({ tool, memory }), reject);
    });
}

/** @param {unknown} error */
function lineOf(error) {
    const isDeep = error instanceof RangeError;
    const text = isDeep ? "the browser's stack is too small for this model" : String(error);
    return new TextEncoder().encode(`npu-partition: cannot go on: ${text}\n`);
}

/**
 * @param {{module: WebAssembly.Module, words: string[], files: {name: string, blob: Blob}[]}} job
 * @returns {Promise<{exit: number, output: any[], messages: any[], files: {name: string, parts: any[]}[],
 *     memoryBytes: number}>}
 */
async function run(job) {
    /** @type {any} */
    let system = null;
    try {
        const { tool, memory } = await instantiate(job.module, ({ PIECES }) => {
            PIECES.begin(job.files, progressOf(job.files));
            system = PIECES;
        });
        const exit = tool.callMain(job.words);
        const [output, messages] = [system.stream("output"), system.stream("messages")];
        return { exit, output, messages, files: system.written(), memoryBytes: memory.buffer.byteLength };
    } catch (error) {
        const [output, messages] = system ? [system.stream("output"), system.stream("messages")] : [[], []];
        return { exit: EXIT_OTHER, output, messages: [...messages, lineOf(error)], files: [], memoryBytes: 0 };
    }
}

/** Ranges of files go back as such: who has the files puts them together. */
function withoutBlobs(parts, files) {
    return parts.map((part) => (part.blob
        ? { file: files.findIndex((file) => file.blob === part.blob), start: part.start, end: part.end } : part));
}

self.onmessage = async (event) => {
    const job = event.data;
    const result = await run(job);
    for (const file of result.files)
        file.parts = withoutBlobs(file.parts, job.files);
    const all = [...result.output, ...result.messages, ...result.files.flatMap((file) => file.parts)];
    const buffers = new Set(all.filter((part) => part instanceof Uint8Array).map((part) => part.buffer));
    self.postMessage({ result }, [...buffers]);
};
