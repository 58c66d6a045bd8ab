/* SPDX-License-Identifier: Apache-2.0 */
/* Equal blocks, as the layers of a decoder are: found by what their nodes are, and folded so that the first stands for
 * all. */

/** Blocks are folded from so many on, and of so many nodes on. */
const LEAST_BLOCKS = 3, LEAST_BLOCK_NODES = 4;
/** So many distances between equal items are tried as the length of a block. */
const PERIODS_TRIED = 12;

/**
 * Stretches of a list that repeat: `{from, size, count}`, ascending and disjoint; `size` items `count` times.
 * @param {number[]} keys equal items have equal numbers @param {number} least of a block's size
 * @returns {{from: number, size: number, count: number}[]}
 */
function equalBlocks(keys, least, from = 0, to = keys.length, depth = 0) {
    const best = depth < 6 ? longestRepeat(keys, least, from, to) : null;
    if (!best) return [];
    const end = best.from + best.size * best.count;
    return [...equalBlocks(keys, least, from, best.from, depth + 1), best,
        ...equalBlocks(keys, least, end, to, depth + 1)];
}

/** The repeat that covers most; of equal ones that of the shortest block. */
function longestRepeat(keys, least, from, to) {
    let best = null;
    for (const size of likelyPeriods(keys, least, from, to)) {
        let run = 0;
        for (let at = from; at + size <= to; at++) {
            if (at + size < to && keys[at] === keys[at + size]) {
                run++;
                continue;
            }
            const count = Math.floor(run / size) + 1, covered = count * size;
            const isBetter = !best || covered > best.count * best.size
                || (covered === best.count * best.size && size < best.size);
            if (count >= LEAST_BLOCKS && isBetter) best = { from: at - run, size, count };
            run = 0;
        }
    }
    return best;
}

/** Distances between neighbours of one key, those of the most items first. */
function likelyPeriods(keys, least, from, to) {
    const last = new Map(), votes = new Map();
    for (let at = from; at < to; at++) {
        const distance = last.has(keys[at]) ? at - last.get(keys[at]) : 0;
        last.set(keys[at], at);
        if (distance >= least && distance * LEAST_BLOCKS <= to - from)
            votes.set(distance, (votes.get(distance) || 0) + 1);
    }
    return [...votes].sort((one, other) => other[1] * other[0] - one[1] * one[0] || one[0] - other[0])
        .slice(0, PERIODS_TRIED).map(([distance]) => distance).sort((one, other) => one - other);
}

/** Numbers for texts; equal ones have the same. @param {string[]} texts */
function numbered(texts) {
    const seen = new Map();
    return texts.map((text) => {
        if (!seen.has(text)) seen.set(text, seen.size);
        return seen.get(text);
    });
}

/** Blocks of nodes that are equal in operator, verdict, cause and work, by places in execution order. */
function nodeBlocks(graph) {
    return equalBlocks(numbered(Array.from(graph.order, (id) => {
        const { op, domain, cause } = graph.nodes[id];
        return [op, domain, graph.verdict[id], cause, graph.macs[id], graph.bytes[id]].join("|");
    })), LEAST_BLOCK_NODES);
}

/**
 * The graph with the first of equal blocks alone in its order; a node of another has the place of its equal there.
 * @param {Graph} graph @param {{from: number, size: number, count: number}[]} blocks of nodeBlocks()
 */
function foldGraph(graph, blocks) {
    const order = [], position = new Int32Array(graph.nodes.length).fill(-1), folds = [];
    let place = 0;
    const take = (id) => {
        position[id] = order.length;
        order.push(id);
    };
    for (const { from, size, count } of blocks) {
        for (; place < from; place++) take(graph.order[place]);
        const first = order.length;
        for (; place < from + size; place++) take(graph.order[place]);
        for (; place < from + size * count; place++) position[graph.order[place]] = first + (place - from) % size;
        folds.push({ label: { size, count }, from: first, to: order.length });
    }
    for (; place < graph.order.length; place++) take(graph.order[place]);
    return { ...graph, order: Uint32Array.from(order), position, folds };
}

/** "12 equal blocks of 57 nodes, the first is shown" */
function foldText({ size, count }) {
    return `${count} equal blocks of ${countText(size, "node")}, the first is shown`;
}
