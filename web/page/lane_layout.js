/* SPDX-License-Identifier: Apache-2.0 */
/* The swim-lane without its drawing: how wide nodes are, what a column of pixels stands for, what is under a pointer.
 * A *unit* is what widths are measured in: milliseconds, multiply-accumulates or nodes. A node's *place* is its
 * position in execution order. */

/** The rows of the swim-lane: what is not on the NPU and may not run on the CPU either stands between the two. */
const LANE_NPU = 0, LANE_OPEN = 1, LANE_CPU = 2;
const laneOfVerdict = [LANE_NPU, LANE_CPU, LANE_OPEN, LANE_OPEN, LANE_CPU, LANE_CPU];

/** What a column of pixels stands for: one bit a kind of node. A product has multiply-accumulates. */
const COLUMN_NPU = 1, COLUMN_NPU_PRODUCT = 2, COLUMN_CPU = 4, COLUMN_CPU_PRODUCT = 8, COLUMN_FAIL = 16;
const COLUMN_UNKNOWN = 32, COLUMN_NO_WIDTH = 64, COLUMN_HAND_OVER = 128;
const columnsOfLane = [COLUMN_NPU | COLUMN_NPU_PRODUCT, COLUMN_FAIL | COLUMN_UNKNOWN, COLUMN_CPU | COLUMN_CPU_PRODUCT];

/** Narrower nodes get this share of the mean, so that all of them together add 2 % at most. */
const NARROWEST_SHARE = 1 / 50;
/** A node whose width is not known gets this share of the mean of those that are known. */
const UNKNOWN_SHARE = 1 / 4;
/** A node is drawn as a box where it is this wide, else as part of columns of pixels. */
const BOX_PIXELS = 6;

const productClasses = new Set(["matrix", "product", "depthwise"]);

/** The bits of COLUMN_... for each place. */
function columnKinds(graph) {
    const bits = [COLUMN_NPU, COLUMN_CPU, COLUMN_FAIL, COLUMN_UNKNOWN, COLUMN_CPU, COLUMN_CPU];
    return Uint8Array.from(graph.order, (id) => {
        const kind = bits[graph.verdict[id]];
        const work = graph.nodes[id].work;
        const isProduct = work && productClasses.has(work.class) && (kind === COLUMN_NPU || kind === COLUMN_CPU);
        return isProduct ? kind << 1 : kind;
    });
}

/**
 * Where each place starts, in units: `start[place]` as it is drawn, `value[place]` as it is. They differ where a node
 * is given a least width, or its own is not known (`isKnown[place]` is 0).
 * Where time is measured, hand-overs stand beside the nodes: `lead[place]` before one, `tail[place]` after it.
 * @param {any} graph of prepare() @param {string} mode "ms", "macs" or "equal"
 * @param {{lead: Float64Array, tail: Float64Array, ms: number}|null} [handOvers] of laneHandOvers()
 */
function laneWidths(graph, mode, handOvers = null) {
    const count = graph.order.length;
    const figures = mode === "ms" ? graph.ms : mode === "macs" ? graph.macs : null;
    const isKnown = new Uint8Array(count).fill(1);
    let sum = 0, known = 0;
    for (let place = 0; place < count && figures; place++) {
        const figure = figures[graph.order[place]];
        isKnown[place] = Number.isFinite(figure) ? 1 : 0;
        if (isKnown[place]) sum += figure, known++;
    }
    const start = new Float64Array(count + 1), value = new Float64Array(count + 1);
    const isEqual = !figures || sum <= 0; /* nothing is known, or all is 0 */
    const mean = isEqual ? 1 : sum / known;
    const hasHandOvers = Boolean(handOvers) && mode === "ms" && !isEqual;
    for (let place = 0; place < count; place++) {
        const figure = isEqual ? 1 : isKnown[place] ? figures[graph.order[place]] : 0;
        const width = isKnown[place] || isEqual ? Math.max(figure, mean * NARROWEST_SHARE) : mean * UNKNOWN_SHARE;
        const beside = hasHandOvers ? handOvers.lead[place] + handOvers.tail[place] : 0;
        start[place + 1] = start[place] + width + beside;
        value[place + 1] = value[place] + figure + beside;
    }
    if (isEqual) isKnown.fill(1);
    const none = hasHandOvers ? null : new Float64Array(count);
    return { mode, isEqual, count, start, value, isKnown, unknown: figures ? count - known : 0, total: start[count],
        lead: none || handOvers.lead, tail: none || handOvers.tail, handOverMs: hasHandOvers ? handOvers.ms : 0,
        narrowest: isEqual ? 1 : mean * NARROWEST_SHARE };
}

/** Of the modes the best that is known of nearly all nodes. */
function bestLaneMode(graph) {
    for (const mode of ["ms", "macs"]) {
        const widths = laneWidths(graph, mode);
        if (!widths.isEqual && widths.unknown * 10 <= widths.count) return mode;
    }
    return "equal";
}

/** The last item of the ascending `list` that is not above `value`; 0 where all are. */
function lastNotAbove(list, value) {
    let low = 0, high = list.length - 1;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (list[middle] <= value) low = middle;
        else high = middle - 1;
    }
    return low;
}

/** The place that lies at `unit`; of places out of reach the nearest. */
function placeAt(widths, unit) {
    return Math.max(0, Math.min(lastNotAbove(widths.start, unit), widths.count - 1));
}

/** The true value at a drawn unit, and the other way round: within a node both go on evenly. */
function mapUnit(from, to, unit) {
    const place = Math.min(lastNotAbove(from, unit), from.length - 2);
    if (place < 0) return 0;
    const width = from[place + 1] - from[place];
    const share = width > 0 ? Math.max(0, Math.min(1, (unit - from[place]) / width)) : 0;
    return to[place] + share * (to[place + 1] - to[place]);
}

/**
 * Shares out the places from `view.from` to `view.to` among `columns` of pixels: `masks` says what each column stands
 * for, `boxes` which places are wide enough to be drawn one by one. What is narrower than a column still has its bit in
 * one, so that no node is hidden. `products` is the share of products in what is on the NPU around each column: tones
 * that follow every node would be a bar code.
 */
function laneColumns(widths, kinds, view, columns, boxColumns) {
    const masks = new Uint8Array(columns), npu = new Float32Array(columns), products = new Float32Array(columns);
    const boxes = [];
    const scale = columns / (view.to - view.from);
    const lastPlace = widths.count ? placeAt(widths, view.to) : -1;
    for (let place = widths.count ? placeAt(widths, view.from) : 0; place <= lastPlace; place++) {
        const start = (widths.start[place] - view.from) * scale, end = (widths.start[place + 1] - view.from) * scale;
        if (end <= 0 || start >= columns) continue;
        const from = start + widths.lead[place] * scale, to = end - widths.tail[place] * scale;
        if (from > start) fillColumns(masks, start, from, COLUMN_HAND_OVER);
        if (end > to) fillColumns(masks, to, end, COLUMN_HAND_OVER);
        if (to - from >= boxColumns) {
            boxes.push(place);
            continue;
        }
        const bits = kinds[place] | (widths.isKnown[place] ? 0 : COLUMN_NO_WIDTH);
        const last = Math.min(columns - 1, Math.max(Math.floor(from), Math.ceil(to) - 1));
        for (let column = Math.max(0, Math.floor(from)); column <= last; column++) {
            masks[column] |= bits;
            if (!(bits & columnsOfLane[LANE_NPU])) continue;
            const width = Math.min(to, column + 1) - Math.max(from, column);
            npu[column] += width;
            if (bits & COLUMN_NPU_PRODUCT) products[column] += width;
        }
    }
    return { masks, boxes, products: smoothShares(products, npu, Math.ceil(boxColumns < columns ? boxColumns : 1)) };
}

/** What is narrower than a column still has its bit in one. */
function fillColumns(masks, from, to, bits) {
    const last = Math.min(masks.length - 1, Math.max(Math.floor(from), Math.ceil(to) - 1));
    for (let column = Math.max(0, Math.floor(from)); column <= last; column++) masks[column] |= bits;
}

/** `part` / `whole`, each summed over `radius` neighbours on both sides. */
function smoothShares(part, whole, radius) {
    const shares = new Float32Array(part.length);
    let parts = 0, wholes = 0;
    for (let column = -radius; column < part.length; column++) {
        const ahead = column + radius, gone = column - radius - 1;
        if (ahead < part.length) parts += part[ahead], wholes += whole[ahead];
        if (gone >= 0) parts -= part[gone], wholes -= whole[gone];
        if (column >= 0) shares[column] = wholes > 1e-6 ? Math.max(0, Math.min(1, parts / wholes)) : 0;
    }
    return shares;
}

/**
 * The place under a pointer: in the row `lane` the nearest that is no farther than `reach` units from `unit`. -1: none.
 */
function hitPlace(widths, kinds, lane, unit, reach) {
    if (!widths.count || unit < -reach || unit > widths.total + reach) return -1;
    const wanted = columnsOfLane[lane];
    let best = -1, bestDistance = Infinity;
    for (let place = placeAt(widths, unit - reach); place < widths.count; place++) {
        if (widths.start[place] > unit + reach) break;
        const distance = Math.max(widths.start[place] - unit, unit - widths.start[place + 1], 0);
        if (!(kinds[place] & wanted) || distance > reach || distance >= bestDistance) continue;
        best = place;
        bestDistance = distance;
    }
    return best;
}

/**
 * Runs of places in one row and one partition (-1: none).
 * @returns {{lane: number, partition: number, from: number, to: number}[]} `to` is the place after the last
 */
function laneSegments(graph) {
    const segments = [];
    let last = null, lastNode = null;
    for (let place = 0; place < graph.order.length; place++) {
        const id = graph.order[place], node = graph.nodes[id];
        const lane = laneOfVerdict[graph.verdict[id]];
        const partition = lane === LANE_NPU && typeof node.partition === "number" ? node.partition : -1;
        const isSame = last && last.lane === lane && last.partition === partition && lastNode.graph === node.graph;
        if (isSame) last.to = place + 1;
        else segments.push((last = { lane, partition, from: place, to: place + 1 }));
        lastNode = node;
    }
    return segments;
}

/** Per partition the segments that are its first and last: most have one, which is both. */
function partitionEnds(segments) {
    const ends = new Map();
    segments.forEach((segment, index) => {
        if (segment.partition < 0) return;
        const known = ends.get(segment.partition);
        if (known) known.last = index, known.pieces++;
        else ends.set(segment.partition, { first: index, last: index, pieces: 1 });
    });
    return ends;
}

/**
 * Runs of places of one label; null labels are left out.
 * @param {number} count @param {(place: number) => any} labelAt
 */
function laneBands(count, labelAt) {
    const bands = [];
    let last = null;
    for (let place = 0; place < count; place++) {
        const label = labelAt(place);
        if (last && last.label === label) last.to = place + 1;
        else if (label === null || label === undefined) last = null;
        else bands.push((last = { label, from: place, to: place + 1 }));
    }
    return bands;
}

/** Modules as bands, from the outermost level to the innermost: `levels[depth]`, whose labels are indices. */
function moduleLevels(graph, modules) {
    if (!modules || !modules.length) return [];
    const chains = modules.map((_, index) => {
        const chain = [];
        for (let at = index; typeof at === "number" && chain.length < 64; at = modules[at].parent) chain.unshift(at);
        return chain;
    });
    const deepest = chains.reduce((most, chain) => Math.max(most, chain.length), 0);
    const levels = [];
    for (let depth = 0; depth < deepest; depth++) {
        levels.push(laneBands(graph.order.length, (place) => {
            const index = graph.nodes[graph.order[place]].module;
            return typeof index === "number" ? chains[index][depth] : null;
        }));
    }
    return levels;
}

/** The first `most` of the bands that have places from `from` to before `to`. */
function bandsInSight(bands, from, to, most = Infinity) {
    let low = 0, high = bands.length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (bands[middle].to > from) high = middle;
        else low = middle + 1;
    }
    let end = low;
    while (end < bands.length && end - low < most && bands[end].from < to) end++;
    return bands.slice(low, end);
}

/**
 * The deepest level with no more than `most` bands in sight, which stand over a third of what is in sight or more; at
 * least the first that has more than one.
 */
function levelInSight(levels, fromPlace, toPlace, most) {
    const first = Math.max(0, levels.findIndex((bands) => bands.length > 1));
    let best = first;
    for (let depth = first; depth < levels.length; depth++) {
        const seen = bandsInSight(levels[depth], fromPlace, toPlace, most + 1);
        if (seen.length > most) break; /* deeper ones may have fewer, of the few nodes that lie as deep */
        const covered = seen.reduce((sum, band) =>
            sum + Math.min(band.to, toPlace) - Math.max(band.from, fromPlace), 0);
        if (covered * 3 >= toPlace - fromPlace) best = depth;
    }
    return best;
}

/** Round values between two, at most `most`. */
function roundTicks(from, to, most) {
    if (!(to > from)) return [];
    const step = roundStep(to - from, Math.max(1, most)), ticks = [];
    for (let at = Math.ceil(from / step); at * step <= to && ticks.length <= most + 1; at++) ticks.push(at * step);
    return ticks;
}
