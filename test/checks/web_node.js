// SPDX-License-Identifier: Apache-2.0
// The web application's engine in Node: its own scripts, with stand-ins for what a browser has. Files are on disk, and
// what is read of them is counted.
"use strict";
const fs = require("node:fs");
const path = require("node:path");
const vm = require("node:vm");

const counted = { reads: 0, bytes: 0 };

/** A Blob whose pieces are bytes or ranges of files on disk. */
class DiskBlob {
    constructor(parts) {
        this.parts = parts.flatMap((part) => (part instanceof DiskBlob ? part.parts : [part]));
        this.size = this.parts.reduce((sum, part) => sum + (part.path ? part.end - part.start : part.length), 0);
    }

    slice(start, end) {
        const inside = [];
        let at = 0;
        for (const part of this.parts) {
            const length = part.path ? part.end - part.start : part.length;
            const from = Math.max(0, start - at), to = Math.min(length, end - at);
            if (from < to)
                inside.push(part.path ? { path: part.path, start: part.start + from, end: part.start + to }
                    : part.subarray(from, to));
            at += length;
        }
        return new DiskBlob(inside);
    }

    bytes() {
        const all = Buffer.alloc(this.size);
        let at = 0;
        for (const part of this.parts) {
            if (!part.path) {
                all.set(part, at);
                at += part.length;
                continue;
            }
            const file = fs.openSync(part.path);
            const count = fs.readSync(file, all, at, part.end - part.start, part.start);
            fs.closeSync(file);
            if (count < part.end - part.start)
                throw new Error("NotReadableError");
            at += count;
        }
        return all;
    }
}

/** @param {string} place  @param {string} [name] */
function diskFile(place, name = path.basename(place)) {
    const blob = new DiskBlob([{ path: place, start: 0, end: fs.statSync(place).size }]);
    return { name, blob };
}

class FileReaderSync {
    readAsArrayBuffer(blob) {
        counted.reads++;
        counted.bytes += blob.size;
        const bytes = blob.bytes();
        return bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
    }
}

/**
 * @param {string} folder  build/web
 * @param {object} [instead]  of what the browser has: Instance of WebAssembly, as the worker sees it
 * @returns {{runTool: Function, nameFiles: Function, compileTool: Function}}
 */
function load(folder, instead = {}) {
    const text = (name) => fs.readFileSync(path.join(folder, name), "utf8");
    const inWorker = vm.runInThisContext(
        `(function (self, FileReaderSync, WebAssembly, importScripts) {
            ${text("npu-partition.js")}\n${text("worker.js")}\n})`);
    // Its properties are not enumerable.
    const wasm = Object.fromEntries(Object.getOwnPropertyNames(WebAssembly).map((name) => [name, WebAssembly[name]]));
    class Worker {
        constructor() {
            this.self = { location: { href: "worker.js" }, postMessage: (data) => this.answer(data) };
            inWorker(this.self, FileReaderSync, { ...wasm, ...instead }, () => {});
        }

        answer(data) {
            if (!this.isOver)
                this.onmessage({ data });
        }

        postMessage(data) {
            queueMicrotask(() => this.self.onmessage({ data }).catch((error) => this.onerror({
                message: error.stack, preventDefault: () => {} })));
        }

        terminate() {
            this.isOver = true;
        }
    }
    const fetch = async (address) => ({
        ok: fs.existsSync(path.join(folder, address)), status: 404, statusText: "Not Found",
        headers: { get: () => "" }, arrayBuffer: async () => fs.readFileSync(path.join(folder, address)) });
    // A part of app.js, which needs a page.
    const client = fs.readFileSync(path.join(__dirname, "../../web/app/tool.js"), "utf8");
    return vm.runInThisContext(`(function (Worker, fetch, Blob) {${client}
        return { runTool, nameFiles, compileTool }; })`)(Worker, fetch, DiskBlob);
}

module.exports = { load, diskFile, DiskBlob, counted };
