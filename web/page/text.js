/* SPDX-License-Identifier: Apache-2.0 */
/* Elements, and how numbers and texts are written. Nothing here or elsewhere takes markup: texts become text nodes. */

/**
 * @param {string} tag
 * @param {Object<string, any>} [attributes] `on...` is a listener; null, undefined and false are left out
 * @param {...(Node|string|number|null|undefined)} children
 * @returns {HTMLElement}
 */
function element(tag, attributes, ...children) {
    const made = document.createElement(tag);
    applyAttributes(made, attributes);
    appendAll(made, children);
    return made;
}

/** The same for SVG. @returns {SVGElement} */
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
    for (const child of children.flat()) {
        if (child === null || child === undefined) continue;
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

/** "1.7 ms" */
function milliseconds(value) {
    return value === null || value === undefined ? "not known" : `${shortNumber(value)} ms`;
}

/** [low, typical, high] -> "1.7 ms (0.8 to 21)" */
function millisecondsRange(range) {
    if (!range || range.includes(null)) return "not known";
    return `${milliseconds(range[1])} (${shortNumber(range[0])} to ${shortNumber(range[2])})`;
}

function shortNumber(value) {
    if (value === 0) return "0";
    if (Math.abs(value) >= 100) return Math.round(value).toString();
    return Number(value.toPrecision(2)).toString();
}

const byteUnits = ["B", "kB", "MB", "GB", "TB"];

function bytesText(value) {
    if (value === null || value === undefined) return "not known";
    let unit = 0;
    for (; value >= 1000 && unit + 1 < byteUnits.length; unit++) value /= 1000;
    return `${unit ? Number(value.toPrecision(3)) : value} ${byteUnits[unit]}`;
}

/** 0.9876 -> "98.8 %"; what is not all is never 100 % */
function shareText(value) {
    if (value === null || value === undefined) return "not known";
    const percent = Math.round(value * 1000) / 10;
    return `${percent === 100 && value < 1 ? 99.9 : percent} %`;
}

/** countText(2, "node") -> "2 nodes" */
function countText(count, noun) {
    return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}
