/* SPDX-License-Identifier: Apache-2.0 */
/* What drawings on a canvas share: colours of the page's style, patterns, texts that fit. */

const paletteNames = ["background", "surface", "raised", "border", "text", "muted", "accent", "npu", "cpu", "fail",
    "unknown", "other", "selected", "cause-1", "cause-2", "cause-3", "cause-4", "cause-5", "cause-6"];

/** The colours and fonts that the style gives an element now. */
function readPalette(element) {
    const style = getComputedStyle(element);
    const palette = {};
    for (const name of paletteNames) palette[name] = style.getPropertyValue(`--${name}`).trim() || "#888888";
    palette.font = style.getPropertyValue("--font").trim() || "sans-serif";
    return palette;
}

/**
 * Calls `draw` whenever the colours may have changed, and with true before and false after the page is printed.
 * @param {(isPaper?: boolean) => void} draw @returns {() => void} ends it
 */
function whenColoursChange(draw) {
    const paper = matchMedia("print"), forced = matchMedia("(forced-colors: active)");
    const recolour = () => draw(), print = () => draw(paper.matches);
    const observer = new MutationObserver(recolour);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    forced.addEventListener("change", recolour);
    paper.addEventListener("change", print);
    return () => {
        observer.disconnect();
        forced.removeEventListener("change", recolour);
        paper.removeEventListener("change", print);
    };
}

/** Patterns for what needs a sign besides its colour. */
function makePatterns(context, palette, ratio) {
    const tile = (draw) => {
        const canvas = document.createElement("canvas");
        const size = Math.max(4, Math.round(8 * ratio));
        canvas.width = canvas.height = size;
        const part = canvas.getContext("2d");
        part.scale(size / 8, size / 8);
        draw(part);
        const pattern = context.createPattern(canvas, "repeat");
        pattern.setTransform(new DOMMatrix().scale(8 / size));
        return pattern;
    };
    const lines = (ground, ink, width, steps) => (part) => {
        part.fillStyle = ground;
        part.fillRect(0, 0, 8, 8);
        part.strokeStyle = ink;
        part.lineWidth = width;
        part.beginPath();
        for (const at of [-8, 0, 8]) {
            part.moveTo(at, 8), part.lineTo(at + 8, 0);
            if (steps > 1) part.moveTo(at, 0), part.lineTo(at + 8, 8);
        }
        part.stroke();
    };
    return {
        fail: tile(lines(palette.fail, palette.background, 1.2, 2)),
        unknown: tile((part) => {
            part.fillStyle = palette.unknown;
            part.fillRect(0, 0, 8, 8);
            part.fillStyle = palette.background;
            for (const [x, y] of [[2, 2], [6, 6]]) part.beginPath(), part.arc(x, y, 1.1, 0, 7), part.fill();
        }),
        handOver: tile((part) => {
            part.fillStyle = palette.raised;
            part.fillRect(0, 0, 8, 8);
            part.fillStyle = palette.other;
            part.fillRect(0, 3, 8, 1);
        }),
        cpu: tile((part) => {
            lines(palette.cpu, "transparent", 0, 1)(part);
            part.globalAlpha = 0.4;
            lines("transparent", palette.background, 1, 1)(part);
        }),
    };
}

const textWidths = new Map();

function textWidth(context, text) {
    const key = `${context.font}\n${text}`;
    let width = textWidths.get(key);
    if (width === undefined) {
        if (textWidths.size > 20000) textWidths.clear();
        width = context.measureText(text).width;
        textWidths.set(key, width);
    }
    return width;
}

/** A path, or as many of its last steps as fit: these tell modules apart. */
function fitPath(context, path, width) {
    for (let text = path; ; ) {
        if (textWidth(context, text) <= width) return text;
        const rest = text.replace(/^\u2026?[^./]+[./]+/, "\u2026");
        if (rest === text || rest === "\u2026") return fitText(context, text.replace(/^\u2026/, ""), width);
        text = rest;
    }
}

/** The text, or as much of it as fits with an ellipsis; empty where that says nothing. */
function fitText(context, text, width) {
    if (width < 8) return "";
    if (text.length > 200) text = text.slice(0, 200);
    const whole = textWidth(context, text);
    if (whole <= width) return text;
    const fits = (count) => textWidth(context, `${text.slice(0, count)}…`) <= width;
    let count = Math.floor((text.length * width) / whole); /* mostly off by one or two, and measuring is slow */
    while (count >= 3 && !fits(count)) count--;
    while (count >= 3 && count + 1 < text.length && fits(count + 1)) count++;
    return count >= 3 ? `${text.slice(0, count)}…` : "";
}
