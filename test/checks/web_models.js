// SPDX-License-Identifier: Apache-2.0
// Models with weights inline, as large as is asked for: files with holes, which take no room on a disk.
"use strict";
const fs = require("node:fs");

function varint(number) {
    const bytes = [];
    let rest = BigInt(number);
    for (; rest > 127n; rest >>= 7n)
        bytes.push(Number(rest & 127n) | 128);
    return Buffer.from([...bytes, Number(rest)]);
}

const number = (field, value) => Buffer.concat([varint(field << 3), varint(value)]);
/** The start of a message's field whose bytes follow. */
const start = (field, length) => Buffer.concat([varint(field << 3 | 2), varint(length)]);
const message = (field, ...parts) => {
    const bytes = Buffer.concat(parts.map((part) => (typeof part === "string" ? Buffer.from(part) : part)));
    return Buffer.concat([start(field, bytes.length), bytes]);
};

const FLOAT = 1;

function valueInfo(field, name, dims) {
    const shape = message(2, ...dims.map((size) => message(1, number(1, size))));
    return message(field, message(1, name), message(2, message(1, number(1, FLOAT), shape)));
}

/** A product of the result before and the layer's weights: as Einsum, which `fix` replaces, or as MatMul. */
function layer(i, count, isEinsum) {
    const equation = message(5, message(1, "equation"), message(4, "ab,bc->ac"), number(20, 3));
    return message(1, message(1, i ? `t${i - 1}` : "x"), message(1, `w${i}`), message(2, i < count - 1 ? `t${i}` : "y"),
        message(3, `layer ${i}`), message(4, isEinsum ? "Einsum" : "MatMul"), ...(isEinsum ? [equation] : []));
}

/** The start of a layer's weights, whose bytes follow. */
function weights(i, size) {
    const bytes = size * size * 4;
    const dims = Buffer.concat([number(1, size), number(1, size)]);
    const head = Buffer.concat([dims, number(2, FLOAT), message(8, `w${i}`), start(9, bytes)]);
    return Buffer.concat([start(5, head.length + bytes), head]);
}

/**
 * @param {string} path
 * @param {{count: number, size: number, isEinsum: boolean, fill?: (i: number) => Buffer}} layers  each of size x size
 *     float32; without `fill` they are zeros
 */
function writeModel(path, { count, size, isEinsum, fill }) {
    const places = Array.from({ length: count }, (_, i) => i), payload = size * size * 4;
    const before = Buffer.concat([...places.map((i) => layer(i, count, isEinsum)), message(2, "main")]);
    const after = Buffer.concat([valueInfo(11, "x", [1, size]), valueInfo(12, "y", [1, size])]);
    const heads = places.map((i) => weights(i, size));
    const length = heads.reduce((sum, head) => sum + head.length + payload, before.length + after.length);
    const file = fs.openSync(path, "w");
    let at = 0;
    const put = (bytes) => {
        at += fs.writeSync(file, bytes, 0, bytes.length, at);
    };
    put(Buffer.concat([number(1, 8), message(8, number(2, 17)), start(7, length), before]));
    for (const i of places) {
        put(heads[i]);
        if (fill)
            fs.writeSync(file, fill(i), 0, payload, at);
        at += payload;
    }
    put(after);
    fs.closeSync(file);
}

module.exports = { writeModel };
