/* SPDX-License-Identifier: Apache-2.0 */
/* Causes by their number and colour: in the swim-lane, where a name would be cut off at each end of a partition, and
 * wherever else a cause is told. The number is the cause's place in the list of causes. */

/** Colours of their own have so many causes; the others share one. */
const CAUSE_COLOURS = 6, CAUSE_PIXELS = 18, CAUSES_IN_LEGEND = 6;

/** The place of a cause in the report's list, by its id; -1: none. @param {any} target @param {any} id */
function causePlace(target, id) {
    return typeof id === "number" ? (target.causes || []).findIndex((cause) => cause.id === id) : -1;
}

/** A circle with the number, which stands beside the cause's text. @param {number} place in target.causes */
function causeBadge(place) {
    return element("span", { class: `cause-badge cause-colour-${Math.min(place + 1, CAUSE_COLOURS)}` }, `${place + 1}`);
}

/** Runs of nodes that fall back for one cause, in execution order. */
function causeBands(graph, target) {
    const places = new Map((target.causes || []).map((cause, place) => [cause.id, place]));
    return laneBands(graph.order.length, (place) => {
        const { cause, partition } = graph.nodes[graph.order[place]];
        const isLeft = typeof partition !== "number" && typeof cause === "number";
        return isLeft && places.has(cause) ? places.get(cause) : null;
    });
}

function causeColour(at, place) {
    return at.palette[`cause-${Math.min(place + 1, CAUSE_COLOURS)}`];
}

/** Under the nodes that a cause keeps from the NPU. */
function drawCauseBands(at) {
    const { context, rows, scene, widths, view } = at;
    const first = placeAt(widths, view.from), last = placeAt(widths, view.to) + 1;
    let covered = -Infinity;
    for (const band of bandsInSight(scene.causes, first, last)) {
        const from = nodeFromX(at, band.from), to = nodeToX(at, band.to - 1);
        if (to - covered < 1) continue;
        covered = Math.max(to, from + 1);
        context.fillStyle = causeColour(at, band.label);
        context.fillRect(from, rows.cpu.bottom, Math.max(1, to - from), 3);
    }
}

/**
 * A badge for each end of a partition. Where one would lie on another of the same cause, that one stands for both; of
 * another cause, it goes into the second row.
 * @param {any} at @param {{x: number, end: {cause: number}}[]} flags from left to right
 */
function drawCauseEnds(at, flags) {
    const { context, rows, palette } = at;
    const taken = [{ x: -Infinity, cause: -1 }, { x: -Infinity, cause: -1 }];
    context.font = `600 11px ${palette.font}`;
    context.textAlign = "center";
    for (const { x, end } of flags) {
        const middle = Math.max(at.left + 9, Math.min(x, at.left + at.plot - 9));
        const isNear = (row) => middle - taken[row].x < CAUSE_PIXELS;
        if ([0, 1].some((row) => isNear(row) && taken[row].cause === end.cause)) continue;
        const row = [0, 1].find((one) => !isNear(one));
        if (row === undefined) continue;
        taken[row] = { x: middle, cause: end.cause };
        drawCauseBadge(at, middle, rows.ends.top + 14 + row * CAUSE_PIXELS, end.cause);
    }
    context.textAlign = "left";
}

function drawCauseBadge(at, x, y, place) {
    const { context, palette } = at;
    context.beginPath();
    context.arc(x, y, 8, 0, 7);
    context.fillStyle = causeColour(at, place);
    context.fill();
    context.fillStyle = palette.background;
    context.fillText(String(place + 1), x, y + 0.5);
}

/**
 * What the numbers in the picture stand for, the most harmful first.
 * @param {any} target @param {((id: number) => void)|null} open goes to a cause; null: plain text
 */
function causeLegend(target, open) {
    const ends = (cause) => ((cause.cuts || []).length ? `, ends ${countText(cause.cuts.length, "partition")}` : "");
    const shown = (target.causes || []).slice(0, CAUSES_IN_LEGEND), rest = (target.causes || []).length - shown.length;
    if (!shown.length) return null;
    return element("ol", { class: "cause-legend", "aria-label": "Causes by number" }, shown.map((cause, place) =>
        element("li", {}, causeBadge(place), element("span", {}, open
            ? element("button", { type: "button", class: "link", onclick: () => open(cause.id) }, sentence(cause.text))
            : sentence(cause.text),
        element("span", { class: "muted" }, `: ${countText(cause.victims, "affected node")}${ends(cause)}`)))),
    rest > 0 ? element("li", { class: "muted" }, `and ${countText(rest, "other cause")}`) : null);
}

/** To a cause in the list of causes, past those that are not shown yet. @param {Context} context @param {number} id */
function goToCause(context, id) {
    const item = document.getElementById(`cause-${id}`);
    if (!item) return context.goTo("causes");
    item.scrollIntoView({ block: "center" });
    const first = /** @type {HTMLElement|null} */ (item.querySelector("button"));
    if (first) first.focus({ preventScroll: true });
    return undefined;
}
