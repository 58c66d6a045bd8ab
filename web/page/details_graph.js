/* SPDX-License-Identifier: Apache-2.0 */
/* The selected node between those that make its inputs and those that take its outputs, and its place in the run. */

/** So many neighbours stand on a side; the rest is a number. */
const NEIGHBOURS_SHOWN = 5;

/**
 * Each once, in the order of the operands; "in" and "out" are inputs and outputs of the graph. Constants are left out.
 * @param {NonNullable<ReturnType<typeof tensorUses>>} uses @param {any} node
 * @returns {{before: (number|string)[], after: (number|string)[]}}
 */
function neighboursOf(uses, node) {
    const known = (place) => place !== null && uses.tensors[place];
    const before = (node.inputs || []).filter(known).filter((place) => !uses.tensors[place].constant)
        .map((place) => uses.producer.get(place) ?? "in");
    const after = (node.outputs || []).filter(known).flatMap((place) => uses.consumers.get(place) || ["out"]);
    return { before: [...new Set(before)], after: [...new Set(after)] };
}

/** @param {Context} context @param {number} id @param {NonNullable<ReturnType<typeof tensorUses>>} uses */
function neighbourGraph(context, id, uses) {
    const { nodes, verdict } = context.graph;
    const { before, after } = neighboursOf(uses, nodes[id]);
    const box = (other) => (typeof other === "string"
        ? element("span", { class: "neighbour neighbour-end" }, other === "in" ? "input" : "output")
        : element("button", { type: "button", class: "neighbour", title: nodeName(nodes[other], other),
            "aria-label": `${plainText(nodes[other].op)} ${nodeName(nodes[other], other)}, `
                + verdictTexts[verdict[other]],
            onclick: () => context.select(other) }, neighbourSign(verdict[other]), plainText(nodes[other].op)));
    const side = (list, label) => element("div", { class: "neighbours", role: "group", "aria-label": label },
        list.slice(0, NEIGHBOURS_SHOWN).map(box),
        list.length > NEIGHBOURS_SHOWN ? element("span", { class: "muted fine" },
            `and ${list.length - NEIGHBOURS_SHOWN} more`) : null);
    const isSwitch = (other) => typeof other === "number" && nodes[other].partition !== nodes[id].partition;
    return element("div", { class: "neighbour-graph" },
        side(before, "Takes from"), neighbourLines(before, isSwitch, true),
        element("span", { class: "neighbour neighbour-self" }, neighbourSign(verdict[id]), plainText(nodes[id].op)),
        neighbourLines(after, isSwitch, false), side(after, "Gives to"));
}

function neighbourSign(verdict) {
    return element("span", { class: `sign verdict-${verdictWords[verdict]}`, "aria-hidden": "true" },
        verdictSigns[verdict]);
}

/** Lines between a list and the node; where control or a tensor passes to another partition or device, dashed. */
function neighbourLines(list, isSwitch, isBefore) {
    const shown = list.slice(0, NEIGHBOURS_SHOWN), rows = Math.min(list.length, NEIGHBOURS_SHOWN + 1);
    const lines = shown.map((other, at) => {
        const y = (at + 0.5) / rows * 100;
        return svgElement("line", { class: isSwitch(other) ? "switches" : null, "vector-effect": "non-scaling-stroke",
            x1: 0, y1: isBefore ? y : 50, x2: 100, y2: isBefore ? 50 : y });
    });
    return svgElement("svg", { class: "neighbour-lines", viewBox: "0 0 100 100", preserveAspectRatio: "none",
        "aria-hidden": "true", focusable: "false" }, lines);
}

/** Its place in execution order, as a mark in the strip of the plan. @param {Context} context @param {number} place */
function placeStrip(context, place) {
    const strip = planStrip(context.target), count = context.graph.order.length;
    if (!(strip instanceof SVGElement)) return null;
    const x = (place + 0.5) / count * STRIP_COLUMNS;
    strip.append(svgElement("path", { class: "strip-mark", "vector-effect": "non-scaling-stroke",
        d: `M${x} 0V${STRIP_HEIGHT}` }));
    return element("div", { class: "place-strip" }, strip);
}
