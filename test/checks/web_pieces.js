// SPDX-License-Identifier: Apache-2.0
// Files as lists of pieces (web/wasm/pieces.js), against plain arrays: random writes, reads, copies and sizes.
//
// usage: node web_pieces.js web/wasm/pieces.js
"use strict";
const assert = require("node:assert");
const fs = require("node:fs");
const { DiskBlob } = require("./web_node.js");

const FILES = 3, ROUNDS = 200, STEPS = 30, MOST_BYTES = 2000;

class FileReaderSync {
    readAsArrayBuffer(blob) {
        return new Uint8Array(blob.bytes()).buffer;
    }
}
const { Pieces, BlobReader } = new Function(
    "FileReaderSync", `${fs.readFileSync(process.argv[2], "utf8")}; return { Pieces, BlobReader };`)(FileReaderSync);

let state = 1;
/** A number from 0 to below `end`, small ones more often. */
function random(end) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    const share = state / 2 ** 32;
    return Math.floor(share * share * end);
}

function randomBytes(length) {
    return Uint8Array.from({ length }, () => random(256));
}

/** What a file holds; the same operations on an array. */
class Plain {
    constructor(bytes) {
        this.bytes = Array.from(bytes);
    }

    resize(size) {
        while (this.bytes.length < size)
            this.bytes.push(0);
        this.bytes.length = size;
    }

    write(bytes, at) {
        if (bytes.length && at > this.bytes.length)
            this.resize(at);
        bytes.forEach((byte, i) => { this.bytes[at + i] = byte; });
    }
}

const steps = {
    write: ({ pieces, plain }) => {
        const bytes = randomBytes(random(MOST_BYTES)), at = random(2 * plain.bytes.length + 1);
        if (bytes.length === 0)
            return;
        pieces.write(bytes, at);
        plain.write(bytes, at);
        bytes.fill(255); // of the caller again
    },
    append: ({ pieces, plain }) => {
        const bytes = randomBytes(1 + random(100)), at = plain.bytes.length;
        pieces.write(bytes, at);
        plain.write(bytes, at);
    },
    resize: ({ pieces, plain }) => {
        const size = random(2 * plain.bytes.length + 2);
        pieces.resize(size);
        plain.resize(size);
    },
    copy: ({ pieces, plain }, other) => {
        const offset = random(other.plain.bytes.length + 10), length = random(MOST_BYTES);
        const at = random(plain.bytes.length + 100), bytes = other.plain.bytes.slice(offset, offset + length);
        assert.equal(pieces.copy(other.pieces, offset, length, at), bytes.length);
        plain.write(bytes, at);
    },
    read: ({ pieces, plain }) => {
        const at = random(plain.bytes.length + 10), into = new Uint8Array(random(MOST_BYTES));
        const count = pieces.read(into, at), expected = plain.bytes.slice(at, at + into.length);
        assert.equal(count, expected.length);
        assert.deepEqual(Array.from(into.subarray(0, count)), expected);
    },
};

function check({ pieces, plain }) {
    assert.equal(pieces.size, plain.bytes.length);
    let at = 0;
    for (const piece of pieces.list) {
        assert.ok(piece.length > 0 && piece.start === at, "pieces follow each other, none empty");
        at += piece.length;
    }
    assert.equal(at, pieces.size);
    const parts = pieces.parts().map((part) => (part.blob ? part.blob.slice(part.start, part.end) : part));
    assert.deepEqual(Array.from(new DiskBlob(parts).bytes()), plain.bytes);
}

const counts = {};
for (let round = 0; round < ROUNDS; round++) {
    const reader = new BlobReader();
    const files = Array.from({ length: FILES }, () => {
        const bytes = randomBytes(random(MOST_BYTES));
        return { pieces: new Pieces(reader, new DiskBlob([bytes])), plain: new Plain(bytes) };
    });
    for (let step = 0; step < STEPS; step++) {
        const name = Object.keys(steps)[(random(2 ** 16) + step) % Object.keys(steps).length];
        counts[name] = (counts[name] || 0) + 1;
        steps[name](files[random(2 ** 16) % FILES], files[random(2 ** 16) % FILES]);
        files.forEach(check);
    }
}
assert.deepEqual(Object.keys(counts).sort(), Object.keys(steps).sort());
console.log(`  pieces: ${ROUNDS * STEPS} operations`, JSON.stringify(counts));
