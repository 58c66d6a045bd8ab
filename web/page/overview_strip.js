/* SPDX-License-Identifier: Apache-2.0 */
/* A plan as a strip: execution order from left to right, the NPU above, the CPU below, what is neither between them. */

const STRIP_COLUMNS = 160, STRIP_HEIGHT = 14;

/**
 * What the columns of a strip stand for: bits of LANE_..., all nodes equally wide; null where the report has no nodes.
 * @param {any} target @returns {Uint8Array|null}
 */
function stripColumns(target) {
    const { nodes, order } = target;
    if (!nodes || !nodes.length || !order || !order.length) return null;
    const columns = new Uint8Array(STRIP_COLUMNS);
    order.forEach((id, place) => {
        const bit = 1 << laneOfVerdict[verdictOf(nodes[id].verdict)];
        const from = Math.floor(place * STRIP_COLUMNS / order.length);
        const to = Math.max(from, Math.ceil((place + 1) * STRIP_COLUMNS / order.length) - 1);
        for (let column = from; column <= to; column++) columns[column] |= bit;
    });
    return columns;
}

/** The figures of the same row say it in numbers. @param {any} target */
function planStrip(target) {
    const columns = stripColumns(target);
    if (!columns) return unknownMark();
    const rows = [["npu", LANE_NPU, 0, 7], ["unknown", LANE_OPEN, 5, 4], ["cpu", LANE_CPU, 7, 7]];
    return svgElement("svg", { class: "strip", viewBox: `0 0 ${STRIP_COLUMNS} ${STRIP_HEIGHT}`,
        preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" },
    rows.map(([kind, lane, top, height]) => {
        const runs = [];
        columnRuns(columns, (bits) => (bits >> Number(lane)) & 1, (_, from, to) =>
            runs.push(`M${from} ${top}h${to - from}v${height}h${from - to}z`));
        return runs.length > 0 && svgElement("path", { class: `strip-${kind}`, d: runs.join("") });
    }));
}
