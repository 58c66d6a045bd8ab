/* SPDX-License-Identifier: Apache-2.0 */
/* Run in a page by its tests: returns {contrast, texts, wide}, each a list of what is wrong. */

const LEAST_CONTRAST = 4.5, LEAST_OF_LARGE = 3;

/** "rgb(1, 2, 3)", "rgba(1, 2, 3, 0.5)" or "color(srgb 0.1 0.2 0.3 / 0.5)" -> [r, g, b, alpha], of 255 and of 1. */
function colourOf(text) {
    const numbers = (text.match(/[\d.e-]+/g) || []).map(Number);
    const scale = text.startsWith("color(srgb") ? 255 : 1;
    return [...numbers.slice(0, 3).map((value) => value * scale), numbers.length > 3 ? numbers[3] : 1];
}

function over(front, back) {
    return [0, 1, 2].map((at) => front[at] * front[3] + back[at] * (1 - front[3])).concat(1);
}

function luminance(colour) {
    const [red, green, blue] = colour.slice(0, 3).map((value) => {
        const share = value / 255;
        return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrastOf(one, other) {
    const [light, dark] = [luminance(one), luminance(other)].sort((a, b) => b - a);
    return (light + 0.05) / (dark + 0.05);
}

function ancestors(element) {
    const found = [];
    for (; element; element = element.parentElement) found.push(element);
    return found;
}

/** What is painted behind an element's text: backgrounds of elements alone, from the page's on. */
function backgroundOf(element) {
    const canvas = colourOf(getComputedStyle(document.body).backgroundColor);
    const behind = canvas[3] ? canvas : [255, 255, 255, 1];
    return ancestors(element).reverse().reduce(
        (colour, part) => over(colourOf(getComputedStyle(part).backgroundColor), colour), behind);
}

function textColourOf(element) {
    const style = getComputedStyle(element);
    const colour = colourOf(element instanceof SVGElement ? style.fill : style.color);
    const opacity = ancestors(element).reduce((share, part) => share * Number(getComputedStyle(part).opacity), 1);
    return [...colour.slice(0, 3), colour[3] * opacity];
}

function isLarge(style) {
    const pixels = parseFloat(style.fontSize);
    return pixels >= 24 || (pixels >= 18.66 && Number(style.fontWeight) >= 700);
}

function isSeen(element) {
    return element.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })
        && element.getClientRects().length > 0
        && !element.closest("script, style, noscript, :disabled, [aria-disabled=true]");
}

/** The text nodes that are seen, each with its element. */
function* seenTexts() {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        if (node.data.trim() && isSeen(node.parentElement)) yield node;
    }
}

function auditContrast() {
    const wrong = new Map();
    for (const node of seenTexts()) {
        const element = node.parentElement;
        const background = backgroundOf(element);
        const contrast = contrastOf(over(textColourOf(element), background), background);
        if (contrast >= (isLarge(getComputedStyle(element)) ? LEAST_OF_LARGE : LEAST_CONTRAST)) continue;
        const place = `${element.closest("[id]")?.id} ${element.tagName.toLowerCase()}.${element.getAttribute("class")}`;
        if (!wrong.has(place)) wrong.set(place, `${place}: ${contrast.toFixed(2)}: ${node.data.trim().slice(0, 40)}`);
    }
    return [...wrong.values()];
}

/** Characters that would turn or hide what stands beside them, in what is shown or told. */
function auditTexts() {
    const hidden = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/u;
    const told = ["title", "aria-label", "aria-description", "aria-valuetext", "placeholder", "alt", "label"];
    const wrong = [];
    for (const node of seenTexts()) {
        if (hidden.test(node.data)) wrong.push(`${node.parentElement.tagName}: ${JSON.stringify(node.data.slice(0, 60))}`);
    }
    for (const element of document.querySelectorAll(told.map((name) => `[${name}]`).join())) {
        for (const name of told) {
            const value = element.getAttribute(name);
            if (value && hidden.test(value)) wrong.push(`${element.tagName} ${name}: ${JSON.stringify(value.slice(0, 60))}`);
        }
    }
    if (hidden.test(document.title)) wrong.push("the title of the page");
    return wrong;
}

function containerOf(part) {
    return getComputedStyle(part).position === "absolute" ? part.offsetParent : part.parentElement;
}

/**
 * Why the page can be scrolled sideways: elements that end right of the window and are not within a scrolled part. What
 * is placed absolutely is not clipped by parts between it and what it is placed in.
 */
function auditWidth() {
    const page = document.documentElement;
    if (page.scrollWidth <= page.clientWidth) return [];
    const clips = (part) => part !== page && part !== document.body && getComputedStyle(part).overflowX !== "visible";
    return [`page: ${page.scrollWidth} px in a window of ${page.clientWidth}`].concat(
        Array.from(document.body.querySelectorAll("*"))
            .filter((part) => part.getBoundingClientRect().right > page.clientWidth + 1)
            .filter((part) => !ancestors(containerOf(part)).some(clips))
            .slice(0, 8)
            .map((part) => `${part.closest("[id]")?.id} ${part.tagName.toLowerCase()}.${part.getAttribute("class")}: `
                + `${Math.round(part.getBoundingClientRect().right)} px`));
}

return { contrast: auditContrast(), texts: auditTexts(), wide: auditWidth() };
