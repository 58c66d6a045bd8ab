// SPDX-License-Identifier: Apache-2.0
// What a file holds, as a list of pieces: bytes that were written, ranges of a Blob that nobody has read, and zeros. So
// a model of gigabytes is written again without its payloads in memory.

/**
 * @typedef {object} Piece  Either bytes, or a range of a Blob, or, of neither, zeros.
 * @property {number} start  where it begins in the file
 * @property {number} length
 * @property {Uint8Array} [bytes]  the first `length` of them; the rest is room
 * @property {Blob} [blob]
 * @property {number} [offset]  in the Blob
 */

/** In a browser a read costs some milliseconds, whatever its size up to this; */
const FIRST_WINDOW_BYTES = 1 << 16;
/** where one follows on the other, each is twice as large, up to this. */
const LAST_WINDOW_BYTES = 1 << 20;
const FIRST_ROOM_BYTES = 1 << 12;
const LAST_ROOM_BYTES = 1 << 20;

/** Reads ranges of Blobs, and keeps the last one. */
class BlobReader {
    constructor() {
        this.reader = new FileReaderSync();
        this.blob = null;
        this.start = 0;
        this.window = new Uint8Array(0);
        this.ahead = FIRST_WINDOW_BYTES;
    }

    /**
     * @param {Uint8Array} into  as many bytes as are asked for
     * @param {Blob} blob
     * @param {number} offset
     * @returns {number} how many bytes there were; throws where the Blob can no longer be read
     */
    read(into, blob, offset) {
        const windowEnd = this.start + this.window.length;
        if (blob !== this.blob || offset < this.start || offset + into.length > windowEnd) {
            const isNext = blob === this.blob && offset >= this.start && offset <= windowEnd;
            this.ahead = isNext ? Math.min(2 * this.ahead, LAST_WINDOW_BYTES) : FIRST_WINDOW_BYTES;
            const end = Math.min(blob.size, offset + Math.max(into.length, this.ahead));
            this.window = new Uint8Array(this.reader.readAsArrayBuffer(blob.slice(offset, end)));
            this.blob = blob;
            this.start = offset;
        }
        const skipped = offset - this.start;
        const bytes = this.window.subarray(skipped, skipped + into.length);
        into.set(bytes);
        return bytes.length;
    }
}

/** The content of a file. Nothing of it is shared: what is written into one file is never seen in another. */
class Pieces {
    /**
     * @param {BlobReader} reader
     * @param {Blob} [blob]  what the file holds at first
     */
    constructor(reader, blob) {
        this.reader = reader;
        /** @type {Piece[]} without gaps, none empty */
        this.list = [];
        this.size = 0;
        if (blob)
            this.append({ start: 0, length: blob.size, blob, offset: 0 });
    }

    /** @param {Piece} piece */
    append(piece) {
        if (piece.length === 0)
            return;
        piece.start = this.size;
        this.list.push(piece);
        this.size += piece.length;
    }

    /**
     * @param {number} at  a place before the end
     * @returns {number} the piece that holds it, by its place in the list
     */
    find(at) {
        let first = 0, end = this.list.length;
        while (end - first > 1) {
            const middle = (first + end) >> 1;
            if (this.list[middle].start <= at)
                first = middle;
            else
                end = middle;
        }
        return first;
    }

    /**
     * A part of a piece as one of its own, which begins at the part's place.
     * @param {Piece} piece
     * @param {number} from  in the piece
     * @param {number} length
     * @returns {Piece}
     */
    static part(piece, from, length) {
        const part = { start: piece.start + from, length };
        if (piece.bytes)
            part.bytes = piece.bytes.subarray(from, from + length);
        if (piece.blob) {
            part.blob = piece.blob;
            part.offset = piece.offset + from;
        }
        return part;
    }

    /**
     * Makes pieces end at a place.
     * @param {number} at
     * @returns {number} the first piece that begins there or later, by its place in the list
     */
    cut(at) {
        if (at >= this.size)
            return this.list.length;
        const place = this.find(at), piece = this.list[place], from = at - piece.start;
        if (from === 0)
            return place;
        this.list.splice(place, 1, Pieces.part(piece, 0, from), Pieces.part(piece, from, piece.length - from));
        return place + 1;
    }

    /**
     * @param {number} size  smaller than now: the rest goes; larger: zeros follow
     */
    resize(size) {
        if (size >= this.size) {
            this.append({ start: 0, length: size - this.size });
            return;
        }
        this.list.length = this.cut(size);
        this.size = size;
    }

    /**
     * @param {Uint8Array} into
     * @param {number} at
     * @returns {number} how many bytes there were
     */
    read(into, at) {
        const length = Math.max(0, Math.min(into.length, this.size - at));
        let done = 0;
        for (let place = length ? this.find(at) : 0; done < length; place++) {
            const piece = this.list[place], from = at + done - piece.start;
            const target = into.subarray(done, done + Math.min(length - done, piece.length - from));
            let count = target.length;
            if (piece.bytes)
                target.set(piece.bytes.subarray(from, from + count));
            else if (piece.blob)
                count = this.reader.read(target, piece.blob, piece.offset + from);
            else
                target.fill(0);
            done += count;
            if (count < target.length) // the Blob has become shorter
                break;
        }
        return done;
    }

    /**
     * @param {Uint8Array} bytes  copied
     * @param {number} at
     */
    write(bytes, at) {
        if (at > this.size)
            this.resize(at);
        const over = Math.min(bytes.length, this.size - at);
        if (over)
            this.overwrite(bytes.subarray(0, over), at);
        this.writeAtEnd(bytes.subarray(over));
    }

    /**
     * @param {Uint8Array} bytes
     * @param {number} at  they end before the file does
     */
    overwrite(bytes, at) {
        const piece = this.list[this.find(at)], from = at - piece.start;
        if (piece.bytes && from + bytes.length <= piece.length)
            piece.bytes.set(bytes, from);
        else
            this.replace(at, [{ start: at, length: bytes.length, bytes: bytes.slice() }], bytes.length);
    }

    /**
     * @param {number} at
     * @param {Piece[]} pieces  in the place of as many bytes, with their starts
     * @param {number} length
     */
    replace(at, pieces, length) {
        const first = this.cut(at), end = this.cut(at + length);
        this.list.splice(first, end - first, ...pieces);
    }

    /** @param {Uint8Array} bytes */
    writeAtEnd(bytes) {
        const last = this.list[this.list.length - 1];
        const room = last && last.bytes ? last.bytes.length - last.length : 0;
        const fitting = Math.min(room, bytes.length);
        if (fitting) {
            last.bytes.set(bytes.subarray(0, fitting), last.length);
            last.length += fitting;
            this.size += fitting;
        }
        const rest = bytes.length - fitting;
        if (rest === 0)
            return;
        const wanted = last && last.bytes ? 2 * last.bytes.length : FIRST_ROOM_BYTES;
        const fresh = new Uint8Array(Math.max(rest, Math.min(wanted, LAST_ROOM_BYTES)));
        fresh.set(bytes.subarray(fitting));
        this.append({ start: 0, length: rest, bytes: fresh });
    }

    /**
     * A range of another file, of which no Blob is read.
     * @param {Pieces} from
     * @param {number} offset
     * @param {number} length
     * @param {number} at
     * @returns {number} how many bytes there were
     */
    copy(from, offset, length, at) {
        const end = Math.min(from.size, offset + length);
        if (offset >= end)
            return 0;
        /** @type {Piece[]} */
        const parts = [];
        for (let place = from.find(offset), next = offset; next < end; place++) {
            const piece = from.list[place], inside = next - piece.start;
            const part = Pieces.part(piece, inside, Math.min(end - next, piece.length - inside));
            part.start = at + (next - offset);
            if (part.bytes)
                part.bytes = part.bytes.slice();
            parts.push(part);
            next += part.length;
        }
        if (at > this.size)
            this.resize(at);
        const over = Math.min(end - offset, this.size - at);
        if (over < end - offset)
            this.resize(at + (end - offset));
        this.replace(at, parts, end - offset);
        return end - offset;
    }

    /**
     * What a Blob is made of.
     * @returns {(Uint8Array | {blob: Blob, start: number, end: number})[]}
     */
    parts() {
        const parts = [], zeros = new Uint8Array(LAST_ROOM_BYTES);
        for (const piece of this.list) {
            if (piece.blob)
                parts.push({ blob: piece.blob, start: piece.offset, end: piece.offset + piece.length });
            else if (piece.bytes)
                parts.push(piece.bytes.subarray(0, piece.length));
            for (let rest = piece.blob || piece.bytes ? 0 : piece.length; rest > 0; rest -= zeros.length)
                parts.push(zeros.subarray(0, rest));
        }
        return parts;
    }
}
