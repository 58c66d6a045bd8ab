/* SPDX-License-Identifier: Apache-2.0 */
/* What hand-overs between CPU and NPU take, partition by partition. The report has the sums of a run (`cost.parts`):
 * starting is the same for each partition, a transfer and a layout conversion take time by their bytes
 * (docs/inside/architecture.md, "Cost"). So the shares here add up to the report's. */

/**
 * The milliseconds before and after the nodes of each partition, by its id; null where the time of a run is not known.
 * @returns {{in: number, out: number}[]|null}
 */
function handOverTimes(target) {
    const partitions = target.partitions || [], { parts = {}, typical_ms: whole = null } = target.cost || {};
    const typical = ["switch", "copy", "layout"].map((name) => (parts[name] || [])[1]);
    if (!partitions.length || whole === null || typical.some((ms) => typeof ms !== "number")) return null;
    const [starting, copying, converting] = typical;
    const crossing = crossingBytes(target), converted = convertedBytes(target);
    const share = (bytes, all) => (all > 0 ? bytes / all : 1 / partitions.length);
    return partitions.map((_, id) => ({
        in: starting / partitions.length + (crossing.all > 0 ? copying * share(crossing.in[id], crossing.all)
            : copying / partitions.length) + converting * share(converted.in[id], converted.all),
        out: crossing.all > 0 ? copying * share(crossing.out[id], crossing.all) : 0,
    }));
}

/** A tensor that goes from one partition to another counts for both. */
function crossingBytes(target) {
    const sums = { in: target.partitions.map(() => 0), out: target.partitions.map(() => 0), all: 0 };
    for (const { from, to, bytes } of target.crossings || []) {
        for (const [side, id] of /** @type {const} */ ([["in", to], ["out", from]])) {
            if (typeof id !== "number" || typeof bytes !== "number" || !(id in sums[side])) continue;
            sums[side][id] += bytes;
            sums.all += bytes;
        }
    }
    return sums;
}

/** What is converted for nodes of a partition. */
function convertedBytes(target) {
    const sums = { in: target.partitions.map(() => 0), all: 0 };
    for (const { node, bytes } of target.layouts || []) {
        const id = typeof node === "number" && target.nodes[node] ? target.nodes[node].partition : null;
        if (typeof id !== "number" || typeof bytes !== "number" || !(id in sums.in)) continue;
        sums.in[id] += bytes;
        sums.all += bytes;
    }
    return sums;
}

/**
 * The same by place in execution order: before the first node of a partition and after its last one.
 * @param {number} count of places @param {any[]} segments of laneSegments() @param {Map<number, any>} ends of
 *     partitionEnds()
 */
function laneHandOvers(target, count, segments, ends) {
    const times = handOverTimes(target);
    if (!times) return null;
    const lead = new Float64Array(count), tail = new Float64Array(count);
    let ms = 0;
    for (const [id, { first, last }] of ends) {
        lead[segments[first].from] += times[id].in;
        tail[segments[last].to - 1] += times[id].out;
        ms += times[id].in + times[id].out;
    }
    return { lead, tail, ms, times };
}
