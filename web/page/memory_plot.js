/* SPDX-License-Identifier: Apache-2.0 */
/* What is held in memory while each node runs: the NPU above, the CPU below, as in the swim-lane. */

/** More columns than most screens have pixels for it. */
const MEMORY_COLUMNS = 1000;

/**
 * The largest value of each column, so that no peak is lost; NaN where none is known.
 * @param {(number|null)[]} values @param {number} columns no more than there are values
 */
function columnMaxima(values, columns) {
    const maxima = new Float64Array(columns).fill(NaN);
    values.forEach((value, at) => {
        const column = Math.floor(at * columns / values.length);
        if (value !== null && !(maxima[column] >= value)) maxima[column] = value;
    });
    return maxima;
}

/**
 * The outline of an area from 0 in a box that is as many units wide as there are columns: steps, with a gap where
 * nothing is known.
 * @param {Float64Array} maxima @param {(value: number) => number} heightOf
 */
function areaPath(maxima, heightOf) {
    const parts = [];
    let isOpen = false, last = NaN;
    maxima.forEach((value, at) => {
        const isKnown = !Number.isNaN(value);
        if (isOpen && value !== last) parts.push(`H${at}`);
        if (isOpen && !isKnown) parts.push(`V${heightOf(0)}Z`);
        if (isKnown && !isOpen) parts.push(`M${at} ${heightOf(0)}`);
        if (isKnown && (!isOpen || value !== last)) parts.push(`V${heightOf(value)}`);
        isOpen = isKnown;
        last = value;
    });
    if (isOpen) parts.push(`H${maxima.length}V${heightOf(0)}Z`);
    return parts.join("");
}

function largest(values) {
    return values.reduce((most, value) => (value !== null && value > most ? value : most), 0);
}

/** The position of the largest value from `first` to before `end`; `first` where none is known. */
function positionOfLargest(values, first = 0, end = values.length) {
    let found = first;
    for (let at = first; at < end; at++) if ((values[at] || 0) > (values[found] || 0)) found = at;
    return found;
}

/**
 * How high both halves are, in bytes. The chip's memory is part of the picture where it is not far above what is
 * held; a half that holds next to nothing keeps room for its name.
 * @typedef {{ticks: {value: number, share: number}[], shareOf: (bytes: number, isCpu?: boolean) => number,
 *            isChipShown: boolean}} MemoryAxis `share`: from the top, 0 to 1
 * @param {number} mostNpu @param {number} mostCpu @param {number} chipBytes
 * @returns {MemoryAxis}
 */
function memoryAxis(mostNpu, mostCpu, chipBytes) {
    const isChipShown = chipBytes > 0 && mostNpu > 0 && chipBytes <= 2.5 * mostNpu;
    const highest = Math.max(mostNpu, mostCpu, isChipShown ? chipBytes : 0, 1);
    const npu = Math.max(mostNpu, isChipShown ? chipBytes : 0, highest * 0.2) * 1.05;
    const cpu = Math.max(mostCpu, highest * 0.2) * 1.05;
    const shareOf = (bytes, isCpu = false) => (isCpu ? npu + bytes : npu - bytes) / (npu + cpu);
    const step = roundStep(highest, 5);
    const ticks = [];
    for (let value = 0; value <= npu; value += step) ticks.push({ value, share: shareOf(value) });
    for (let value = step; value <= cpu; value += step) ticks.push({ value, share: shareOf(value, true) });
    return { ticks, shareOf, isChipShown };
}

/** Twenty stretches of the order with what is held at most in each, for who cannot see the picture. */
function memoryTable(context, npu, cpu) {
    const rows = Math.min(20, npu.length);
    const cells = Array.from({ length: rows }, (_, at) => {
        const first = Math.floor(at * npu.length / rows), end = Math.floor((at + 1) * npu.length / rows);
        const most = [npu, cpu].map((values) => positionOfLargest(values, first, end));
        return element("tr", {},
            element("th", { scope: "row" }, end - first > 1 ? `${first + 1} to ${end}` : String(end)),
            element("td", { class: "number" }, bytesText(npu[most[0]])),
            element("td", { class: "number" }, bytesText(cpu[most[1]])),
            element("td", {}, nodeButton(context, context.graph.order[npu[most[0]] ? most[0] : most[1]])));
    });
    const titles = ["Nodes in execution order", `${taker.name}, at most`, "CPU, at most", "While this node runs"];
    return disclosure("As a table", element("div", { class: "scroll", tabindex: "0", role: "region",
        "aria-label": "Memory over execution order" }, element("table", {},
        element("thead", {}, element("tr", {}, titles.map((title, at) =>
            element("th", { scope: "col", class: at === 1 || at === 2 ? "number" : null }, title)))),
        element("tbody", {}, cells))));
}

/** The picture without what moves. */
function memoryDrawing(npu, cpu, axis, chipBytes) {
    const columns = Math.min(npu.length, MEMORY_COLUMNS);
    const area = (values, kind, isCpu) => {
        const heightOf = (bytes) => Number((axis.shareOf(bytes, isCpu) * 1000).toFixed(1));
        const maxima = columnMaxima(values, columns);
        const gaps = maxima.map((value) => (Number.isNaN(value) ? 1 : NaN));
        return [svgElement("path", { class: `area ${kind}`, d: areaPath(maxima, heightOf) }),
            svgElement("path", { class: "area unknown",
                d: areaPath(gaps, (isGap) => (!isGap ? heightOf(0) : isCpu ? 1000 : 0)) })];
    };
    const line = (share, kind) => svgElement("line",
        { class: kind, x1: "0", x2: "100%", y1: percent(share), y2: percent(share) });
    const text = (share, words, attributes) => svgElement("text",
        { class: "plot-text", y: percent(share), ...attributes }, words);
    const peak = (values, kind, isCpu) => {
        const at = positionOfLargest(values);
        if (!values[at] || values.includes(null)) return null;
        return svgElement("circle", { class: `mark dot ${kind}`, r: 4.5, cx: percent((at + 0.5) / values.length),
            cy: percent(axis.shareOf(values[at], isCpu)) });
    };
    return [
        axis.ticks.map((tick) => line(tick.share, tick.value ? "grid" : "zero")),
        svgElement("svg", { width: "100%", height: "100%", preserveAspectRatio: "none",
            viewBox: `0 0 ${columns} 1000` },
        area(npu, "npu", false), area(cpu, "cpu", true)),
        axis.isChipShown && [line(axis.shareOf(chipBytes), "chip"), text(axis.shareOf(chipBytes),
            `on the chip: ${bytesText(chipBytes)}`, { x: "100%", dx: -6, dy: -5, "text-anchor": "end" })],
        peak(npu, "npu", false), peak(cpu, "cpu", true),
    ];
}

/** The names of both halves, each at its middle, and the bytes at the ticks. @param {MemoryAxis} axis */
function memoryAxisDrawing(axis) {
    const zero = axis.shareOf(0);
    const name = (text, share) => svgElement("text",
        { class: "plot-name", x: "0", y: percent(share), dy: "0.35em" }, text);
    return svgElement("svg", { class: "plot-axis", "aria-hidden": "true", focusable: "false" },
        name(taker.name, zero / 2), name("CPU", (1 + zero) / 2),
        axis.ticks.map((tick) => svgElement("text", { class: "axis-text", x: "100%", y: percent(tick.share),
            dy: "0.35em", "text-anchor": "end" }, bytesText(tick.value))));
}

/** The position of most bytes in the pixel column of the pointer. @param {number[]} sums @param {number} x */
function positionAtPixel(sums, x, width) {
    const perPixel = sums.length / Math.max(width, 1);
    const first = Math.min(Math.max(Math.floor(x * perPixel), 0), sums.length - 1);
    return positionOfLargest(sums, first, Math.min(Math.max(Math.floor(first + perPixel), first + 1), sums.length));
}

/** What a cursor on a position says. */
function heldText(context, npu, cpu, at) {
    const { order, nodes } = context.graph;
    return `${at + 1} of ${order.length}: ${bytesText(npu[at])} ${taker.place}, ${bytesText(cpu[at])} on the CPU; `
        + `${plainText(nodes[order[at]].op)} ${nodeName(nodes[order[at]], order[at])}`;
}

/**
 * The chart with a cursor: the pointer moves it, or the slider below does; a click, or the end of a slide, selects.
 * @param {Context} context
 * @param {(number|null)[]} npu held bytes by position of the order @param {(number|null)[]} cpu
 */
function memoryPlot(context, npu, cpu) {
    const { order, position } = context.graph;
    const sums = npu.map((bytes, at) => (bytes || 0) + (cpu[at] || 0));
    const chipBytes = context.target.memory.onchip_bytes || 0;
    const axis = memoryAxis(largest(npu), largest(cpu), chipBytes);
    const cursor = svgElement("line", { class: "cursor", y1: "0", y2: "100%" });
    const label = `Memory over execution order: at most ${bytesText(largest(npu))} ${taker.place} and `
        + `${bytesText(largest(cpu))} on the CPU`;
    const told = element("output", { class: "readout" });
    const slider = element("input", { type: "range", min: 0, max: order.length - 1, class: "position",
        "aria-label": "Position in execution order" });
    const show = (at) => {
        const text = heldText(context, npu, cpu, at), x = percent((at + 0.5) / order.length);
        applyAttributes(cursor, { x1: x, x2: x });
        slider.value = String(at);
        slider.setAttribute("aria-valuetext", text);
        told.textContent = text;
    };
    const positionAt = (event) => {
        const box = plot.getBoundingClientRect();
        return positionAtPixel(sums, event.clientX - box.left, box.width);
    };
    const plot = svgElement("svg", { class: "plot", role: "img", "aria-label": label,
        onpointermove: (event) => show(positionAt(event)),
        onclick: (event) => context.select(order[positionAt(event)]) },
    cursor, memoryDrawing(npu, cpu, axis, chipBytes));
    slider.addEventListener("input", () => show(Number(slider.value)));
    slider.addEventListener("change", () => context.select(order[Number(slider.value)]));
    context.onSelect((id) => {
        if (id !== null && position[id] >= 0) show(position[id]);
    });
    show(positionOfLargest(sums));
    return element("div", { class: "memory-plot" }, memoryAxisDrawing(axis), plot, slider, told);
}
