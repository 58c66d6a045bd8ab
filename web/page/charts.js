/* SPDX-License-Identifier: Apache-2.0 */
/* What charts have in common: axes, and tables whose middle column is drawn, so that who sees and who listens get the
 * same numbers. Positions inside a drawing are percentages, so that it fits any width without being drawn again. */

/**
 * @typedef {Object} Scale
 * @property {number[]} ticks @property {(value: number) => number} at 0 to 1 @property {string} word for people
 */

/** The step of 1, 2 or 5 by a power of ten that leaves at most `most` of them below `highest`. */
function roundStep(highest, most) {
    const power = 10 ** Math.floor(Math.log10(highest / most));
    return [1, 2, 5, 10].map((digit) => digit * power).find((step) => highest / step <= most * (1 + 1e-9));
}

/**
 * From 0 to `highest`, with at most `most` ticks besides 0.
 * @returns {Scale}
 */
function linearScale(highest, most = 5) {
    if (!(highest > 0)) return { ticks: [0], at: () => 0, word: "linear" };
    const step = roundStep(highest, most);
    const ticks = Array.from({ length: Math.floor(highest / step + 1e-9) + 1 },
        (_, at) => Number((at * step).toPrecision(12)));
    return { ticks, at: (value) => Math.min(Math.max(value / highest, 0), 1), word: "linear" };
}

/**
 * Equal factors are equal distances. Ticks are powers of ten; with 2 and 5 of each, or 3, where that makes no more than
 * `most`.
 * @returns {Scale}
 */
function logarithmicScale(lowest, highest, most = 5) {
    const from = Math.log10(lowest), span = Math.max(Math.log10(highest) - from, 1e-9);
    const choices = [[1, 2, 5], [1, 3], [1]].map((digits) => ticksBetween(lowest, highest, digits));
    let ticks = choices.find((choice) => choice.length <= most) || choices[2];
    if (ticks.length > most) ticks = ticks.filter((_, at) => at % Math.ceil(ticks.length / most) === 0);
    const at = (value) => Math.min(Math.max((Math.log10(Math.max(value, 1e-12)) - from) / span, 0), 1);
    return { ticks, at, word: "logarithmic" };
}

function ticksBetween(lowest, highest, digits) {
    const ticks = [];
    for (let power = Math.floor(Math.log10(lowest)); power <= Math.ceil(Math.log10(highest)); power++)
        for (const digit of digits) {
            const value = Number((digit * 10 ** power).toPrecision(12));
            if (value >= lowest && value <= highest) ticks.push(value);
        }
    return ticks;
}

/** Logarithmic where small ranges would vanish beside large ones. @param {number[][]} ranges [low, typical, high] */
function scaleOfRanges(ranges) {
    const lowest = Math.min(...ranges.map((range) => range[0])), highest = Math.max(...ranges.map((range) => range[2]));
    const isWide = lowest > 0 && highest / Math.min(...ranges.map((range) => range[2])) > 8;
    return isWide ? logarithmicScale(lowest / 1.2, highest * 1.2) : linearScale(highest * 1.02);
}

function percent(share) {
    return `${Number((share * 100).toFixed(3))}%`;
}

/** Lines at the ticks, over the whole height, so that those of stacked drawings join. */
function gridLines(scale) {
    return scale.ticks.map((tick) => svgElement("line",
        { class: "grid", x1: percent(scale.at(tick)), x2: percent(scale.at(tick)), y1: "0", y2: "100%" }));
}

/** A line with ends from low to high, as statisticians draw ranges. */
function whisker(scale, low, high) {
    const from = percent(scale.at(low)), to = percent(scale.at(high));
    const line = (attributes) => svgElement("line", { class: "whisker", ...attributes });
    const end = (at) => svgElement("rect", { class: "whisker-end", x: at, width: 1.5, ...middle(5) });
    return [line({ x1: from, x2: to, y1: "50%", y2: "50%" }), end(from), end(to)];
}

function bar(scale, from, to, kind) {
    const left = scale.at(from), width = Math.max(scale.at(to) - left, 0);
    return svgElement("rect", { class: `mark ${kind}`, x: percent(left), width: percent(width), ...middle(9) });
}

/** So high above and below the middle of a row, in pixels, however high the row is. */
function middle(half) {
    return { y: "50%", height: 2 * half, transform: `translate(0 ${-half})` };
}

function dot(scale, value, kind) {
    return svgElement("circle", { class: `mark dot ${kind}`, cx: percent(scale.at(value)), cy: "50%", r: 5 });
}

/** What is not known reaches from here to who knows where. */
function unknownBar(scale, from) {
    const left = scale.at(from);
    return svgElement("rect",
        { class: "unknown-bar", x: percent(left), width: percent(1 - left), ...middle(9) });
}

/** A drawing of a row; what it shows stands in the next cell as text, so it is hidden from screen readers. */
function rowDrawing(scale, marks, title) {
    return svgElement("svg", { class: "row-drawing", "aria-hidden": "true", focusable: "false" },
        title ? svgElement("title", {}, title) : null, ...gridLines(scale), ...marks);
}

/** The numbers of an axis; the first and the last stay inside. */
function axisDrawing(scale, textOf) {
    const texts = scale.ticks.map((tick) => {
        const share = scale.at(tick);
        const anchor = share < 0.04 ? "start" : share > 0.94 ? "end" : "middle";
        return svgElement("text", { class: "axis-text", x: percent(share), y: "1em", "text-anchor": anchor },
            textOf(tick));
    });
    return svgElement("svg", { class: "axis-drawing", "aria-hidden": "true", focusable: "false" }, ...texts);
}

/**
 * @param {{caption: any, label: string, drawing: string, value: string, scale: Scale, textOf: (tick: number) => string,
 *          rows: {label: any, marks: any[], value: any, title?: string, isWhole?: boolean}[]}} table
 *        `drawing` names the axis with its unit
 */
function drawnTable(table) {
    const rows = table.rows.map((row) => element("tr", { class: row.isWhole ? "whole" : null },
        element("th", { scope: "row" }, row.label),
        element("td", { class: "drawn" }, rowDrawing(table.scale, row.marks, row.title)),
        element("td", { class: "value" }, row.value)));
    const axis = element("tr", { class: "axis-row", "aria-hidden": "true" }, element("td", {}),
        element("td", { class: "drawn" }, axisDrawing(table.scale, table.textOf)), element("td", {}));
    return element("table", { class: "drawn-table" },
        element("caption", {}, table.caption),
        element("thead", {}, element("tr", {}, element("th", { scope: "col" }, table.label),
            element("th", { scope: "col" }, table.drawing), element("th", { scope: "col" }, table.value))),
        element("tbody", {}, ...rows, axis));
}

/** Ticks are round already: "0.5", "2,000" */
function tickText(tick) {
    return tick.toLocaleString("en", { maximumSignificantDigits: 6 });
}

/** "1.7 ms" and below it "0.8 to 21"; a column is narrow. */
function rangeCell(range) {
    if (!isKnownRange(range)) return element("span", { class: "muted" }, "not known");
    if (range[2] < 0.01) return element("span", { class: "typical" }, `${columnNumber(range[2])} ms`);
    return [element("span", { class: "typical" }, `${columnNumber(range[1])} ms`), " ",
        element("span", { class: "interval" }, `${columnNumber(range[0])} to ${columnNumber(range[2])}`)];
}

/** In a column of times that add up, less than the others tell is nothing to compare. */
function columnNumber(value) {
    return value > 0 && value < 0.01 ? "< 0.01" : shortNumber(value);
}

/** @returns {range is number[]} */
function isKnownRange(range) {
    return Array.isArray(range) && range.every((value) => typeof value === "number");
}
