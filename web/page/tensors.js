/* SPDX-License-Identifier: Apache-2.0 */
/* Which node makes a tensor and which take it, where the report tells tensors (`--detail tensors`). */

/**
 * @param {Graph} graph @param {any} target
 * @returns {{tensors: any[], producer: Map<number, number>, consumers: Map<number, number[]>}|null}
 */
function tensorUses(graph, target) {
    const { tensors } = target;
    if (!Array.isArray(tensors)) return null;
    const producer = new Map(), consumers = new Map();
    graph.nodes.forEach((node, id) => {
        for (const tensor of node.outputs || []) if (tensor !== null) producer.set(tensor, id);
        for (const tensor of new Set(node.inputs || [])) {
            if (tensor === null) continue;
            if (consumers.has(tensor)) consumers.get(tensor).push(id);
            else consumers.set(tensor, [id]);
        }
    });
    return { tensors, producer, consumers };
}

/** "float32[1,3,224,224]"; of an unknown rank "float32[...]" */
function tensorType(tensor) {
    const dims = tensor.dims ? tensor.dims.map((dim) => (dim === null ? "?" : plainText(dim))).join(",") : "\u2026";
    return `${plainText(tensor.type || "unknown type")}[${dims}]`;
}

/** nodes[].work.activation_type and weight_type, ONNX's numbers, in words. */
const elementTypes = { 1: "float32", 2: "uint8", 3: "int8", 4: "uint16", 5: "int16", 6: "int32", 7: "int64",
    8: "string",
    9: "bool", 10: "float16", 11: "float64", 12: "uint32", 13: "uint64", 14: "complex64", 15: "complex128",
        16: "bfloat16",
    17: "float8e4m3fn", 18: "float8e4m3fnuz", 19: "float8e5m2", 20: "float8e5m2fnuz", 21: "uint4", 22: "int4",
    23: "float4e2m1", 24: "float8e8m0", 25: "uint2", 26: "int2" };

/**
 * The operands or results of a node as a list: name, type, and where it comes from or goes.
 * @param {Context} context @param {NonNullable<ReturnType<typeof tensorUses>>} uses @param {(number|null)[]} places
 * @param {boolean} areInputs
 */
function tensorList(context, uses, places, areInputs) {
    const shown = places.filter((place) => place !== null && uses.tensors[place]);
    if (!shown.length) return element("p", { class: "muted" }, "none");
    return element("ul", { class: "tensors" }, shown.map((place) => {
        const tensor = uses.tensors[place], made = uses.producer.get(place), taken = uses.consumers.get(place) || [];
        const ends = areInputs ? (made === undefined ? [] : [made]) : taken;
        const words = tensor.constant ? "constant" : areInputs ? (made === undefined ? "input of the graph" : "from")
            : taken.length ? "to" : "output of the graph";
        return element("li", {},
            element("div", {}, element("code", { class: "tensor" }, plainText(tensor.name) || "(no name)")),
            element("div", { class: "tensor-type" }, element("code", {}, tensorType(tensor)), " ",
                element("span", { class: "muted" }, words), " ",
                tensor.constant && areInputs ? null
                    : ends.slice(0, MOST_ENDS).map((id) => [nodeButton(context, id), " "]),
                ends.length > MOST_ENDS ? element("button", { type: "button", class: "small",
                    onclick: () => context.showNodes({ nodes: ends, label: `takers of ${tensor.name}` }) },
                        `all ${ends.length}`) : null));
    }));
}

const MOST_ENDS = 6;
