/* SPDX-License-Identifier: Apache-2.0 */
/* What there is to draw in a swim-lane, and in which row: made once for a target, and rows once for a size. */

/** @param {any} graph of prepare() @param {any} target */
function makeLaneScene(graph, target) {
    const segments = laneSegments(graph), kinds = columnKinds(graph), segmentEnds = partitionEnds(segments);
    const layouts = new Map();
    for (const layout of target.layouts || []) {
        const place = typeof layout.node === "number" ? graph.position[layout.node] : -1;
        if (place >= 0) layouts.set(place, (layouts.get(place) || 0) + 1);
    }
    const hasBodies = graph.nodes.some((node) => node.graph !== "");
    const graphAt = (place) => graph.nodes[graph.order[place]].graph || null;
    const ends = (target.partitions || []).map((partition) => partitionEnd(target, partition));
    return {
        graph, target, segments, layouts,
        kinds,
        allKinds: kinds.reduce((bits, kind) => bits | kind, 0),
        ends: segmentEnds,
        handOvers: laneHandOvers(target, graph.order.length, segments, segmentEnds),
        transfers: partitionTransfers(target),
        times: (target.partitions || []).map((partition) => timeOfNodes(graph, partition.nodes)),
        modules: moduleLevels(graph, target.modules),
        bodies: hasBodies ? laneBands(graph.order.length, graphAt) : [],
        partitionEnds: ends,
        causes: causeBands(graph, target),
        folds: graph.folds || [],
        hasEnds: ends.some((end) => end.title),
        hasOpen: segments.some((segment) => segment.lane === LANE_OPEN),
    };
}

/** The rows from top to bottom, in CSS pixels: `{top, height}` each, and the height of all. */
function laneRows(scene) {
    const heights = {
        axis: 22,
        folds: scene.folds.length ? 18 : 0,
        bodies: scene.bodies.length ? 18 : 0,
        modules: scene.modules.length ? 38 : 0,
        bracket: 24,
        npu: 62,
        open: scene.hasOpen ? 64 : 44,
        cpu: 46,
        ends: scene.hasEnds ? 38 : 6,
    };
    const rows = {};
    let top = 0;
    for (const [name, height] of Object.entries(heights)) {
        rows[name] = { top, height, bottom: top + height };
        top += height;
    }
    rows.height = top;
    return rows;
}

/** The row of nodes at a height, or that of the lane which is meant by what stands above and below it. */
function laneAt(rows, y, hasOpen) {
    if (y < rows.npu.bottom) return LANE_NPU;
    if (y >= rows.cpu.top) return LANE_CPU;
    return hasOpen ? LANE_OPEN : y < (rows.npu.bottom + rows.cpu.top) / 2 ? LANE_NPU : LANE_CPU;
}

/** The index of the segment that a place is in. */
function segmentAt(segments, place) {
    let low = 0, high = segments.length - 1;
    while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (segments[middle].from <= place) low = middle;
        else high = middle - 1;
    }
    return low;
}

/** The first place of the next or previous run on another side; the ends of the order where there is none. */
function nextSwitch(segments, place, direction) {
    const at = segmentAt(segments, place);
    if (direction > 0) return segments[Math.min(at + 1, segments.length - 1)].from;
    const isStart = segments[at].from === place;
    return segments[Math.max(0, isStart ? at - 1 : at)].from;
}
