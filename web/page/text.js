/* SPDX-License-Identifier: Apache-2.0 */
/* Elements, and how numbers and texts are written. Nothing here or elsewhere takes markup: texts become text nodes. */

/**
 * @param {string} tag
 * @param {Object<string, any>} [attributes] `on...` is a listener; null, undefined and false are left out
 * @param {...any} children nodes, texts, numbers, lists of them; null, undefined and false are left out
 * @returns {any} an HTMLElement; which one, `tag` says
 */
function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    applyAttributes(made, attributes);
    appendAll(made, children);
    return made;
}

/**
 * The same for SVG.
 * @param {string} tag @param {Object<string, any>} [attributes] @param {...any} children
 * @returns {any} an SVGElement
 */
function svgElement(tag, attributes, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    applyAttributes(made, attributes);
    appendAll(made, children);
    return made;
}

function applyAttributes(made, attributes) {
    for (const [name, value] of Object.entries(attributes || {})) {
        if (value === null || value === undefined || value === false) continue;
        if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
        else made.setAttribute(name, value === true ? "" : String(value));
    }
}

function appendAll(made, children) {
    for (const child of children.flat(Infinity)) {
        if (child === null || child === undefined || child === false) continue;
        made.append(child instanceof Node ? child : String(child));
    }
}

/**
 * A text of the model's as it may be shown: what has no shape of its own, or turns the direction of text, as an escape.
 */
function plainText(text) {
    return String(text).replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu,
        (character) => `\\u{${character.codePointAt(0).toString(16)}}`);
}

/** The same of a text of several lines. */
function plainLines(text) {
    return text.split("\n").map(plainText).join("\n");
}

/** "1.7 ms" */
function milliseconds(value) {
    return value === null || value === undefined ? "not known" : `${shortNumber(value)} ms`;
}

/** [low, typical, high] -> "1.7 ms (0.8 to 21)" */
function millisecondsRange(range) {
    if (!range || range.some((value) => value === null || value === undefined)) return "not known";
    return `${milliseconds(range[1])} (${shortNumber(range[0])} to ${shortNumber(range[2])})`;
}

/** What one of a unit is in milliseconds; from `below` of it on the next is taken. As lib/base/figures.c has them. */
const timeUnits = [
    { one: 1, below: 995, word: "ms" }, { one: 1000, below: 99.5, word: "s" }, { one: 60e3, below: 99.5, word: "min" },
    { one: 3600e3, below: 48, word: "h" }, { one: 86400e3, below: Infinity, word: "days" },
];

function timeUnitOf(ms) {
    return timeUnits.find((unit) => ms / unit.one < unit.below) || timeUnits[timeUnits.length - 1];
}

/** "0.48", "5.0", "27", "270": two digits, or one. */
function roughNumber(value, digits = 2) {
    const scale = digits === 1 ? 10 : 1;
    if (value < 0.995 / scale) return value.toFixed(2);
    if (value < 9.95 / scale) return value.toFixed(1);
    let step = 1;
    while (value / step >= 99.5 / scale) step *= 10;
    return (Math.floor(value / step + 0.5) * step).toFixed(0);
}

/** [low, typical, high] as the tool's text estimates it: "~5.0 ms (3.2-7.7)", "~3.0 ms (0.4 to 20 ms)" */
function estimateText(range) {
    if (!range || range.some((value) => value === null || value === undefined)) return "not known";
    const [low, typical, high] = range;
    if (typical < 0.005) return "under 0.01 ms";
    const unit = timeUnitOf(typical), from = timeUnitOf(low), to = timeUnitOf(high);
    const text = `~${roughNumber(typical / unit.one)} ${unit.word}`;
    if (high <= low) return text;
    if (high <= 10 * low && low >= 0.005)
        return `${text} (${roughNumber(low / unit.one)}-${roughNumber(high / unit.one)})`;
    return `${text} (${roughNumber(low / from.one, 1)}${from === to ? "" : ` ${from.word}`} to `
        + `${roughNumber(high / to.one, 1)} ${to.word})`;
}

/** "~5.0 ms" of the same, without its range. */
function estimateOf(range) {
    return range ? estimateText([range[1], range[1], range[1]]) : "not known";
}

/** "8 of 10 runs: 3.2-7.7 ms", rounded as it is; null where it is not known. */
function boundsOf(range) {
    const text = estimateText(range), at = text.indexOf(" (");
    return at < 0 ? null : `8 of 10 runs: ${text.slice(at + 2, -1)}`
        + (/[a-z]$/.test(text.slice(0, -1)) ? "" : ` ${timeUnitOf(range[1]).word}`);
}

/** As the tool prints times: "806", "14.4", "9.11"; small ones to two digits: "0.0031" */
function shortNumber(value) {
    const size = Math.abs(value);
    if (size >= 99.95) return Math.round(value).toString();
    if (size >= 9.995) return value.toFixed(1);
    if (size >= 0.0995 || size === 0) return value.toFixed(size === 0 ? 0 : 2);
    return Number(value.toPrecision(2)).toString();
}

const byteUnits = ["B", "kB", "MB", "GB", "TB"];

function bytesText(value) {
    if (value === null || value === undefined) return "not known";
    let unit = 0;
    for (; value >= 1000 && unit + 1 < byteUnits.length; unit++) value /= 1000;
    return `${unit && value < 99.95 ? value.toFixed(1) : Math.round(value)} ${byteUnits[unit]}`;
}

/** 0.9876 -> "98.8 %"; what is not all is never 100 %, and what is something never 0 % */
function shareText(value) {
    if (value === null || value === undefined) return "not known";
    if (value === 0 || value === 1) return `${100 * value} %`;
    return `${Math.min(99.9, Math.max(0.1, Math.round(value * 1000) / 10)).toFixed(1)} %`;
}

/** 20000 -> "20,000"; toLocaleString takes tens of milliseconds when it is first called */
function wholeText(value) {
    return String(value).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** countText(2, "node") -> "2 nodes" */
function countText(count, noun) {
    return `${wholeText(count)} ${noun}${count === 1 ? "" : "s"}`;
}

/** 118013952 -> "118 M"; an expression of symbolic dims as it is */
function amountText(value) {
    if (value === null || value === undefined || Number.isNaN(value)) return "not known";
    if (typeof value !== "number") return plainText(value);
    const units = ["", " k", " M", " G", " T"];
    let unit = 0;
    for (; value >= 1000 && unit + 1 < units.length; unit++) value /= 1000;
    return `${Number(value.toPrecision(unit ? 3 : 6))}${units[unit]}`;
}

/** countOf(2, 531, "node") -> "2 of 531 nodes" */
function countOf(count, all, noun) {
    return `${wholeText(count)} of ${countText(all, noun)}`;
}

/** ["a", "b", "c"] -> "a, b and c" */
function listText(items) {
    return items.length < 2 ? items.join("") : `${items.slice(0, -1).join(", ")} and ${items[items.length - 1]}`;
}

/** The last part of a path. */
function baseName(path) {
    return path.replace(/[/\\]+$/, "").replace(/^.*[/\\]/, "") || path;
}

/** A field of a CSV file. A text that a spreadsheet would compute begins with an apostrophe. */
function csvField(value) {
    if (value === null || value === undefined || Number.isNaN(value)) return "";
    if (typeof value === "number") return String(value);
    const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}
