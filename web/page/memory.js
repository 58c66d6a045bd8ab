/* SPDX-License-Identifier: Apache-2.0 */
/* Memory: over execution order, what it is taken by, and what does not fit. */

const limitTexts = {
    "file": "the model file",
    "one-file": "the model with all weights in one file",
    "weights": "weights on the NPU",
    "tensors": "tensors inside one partition",
    "activations": "activations of the largest partition",
    "session": "weights and activations of a session",
    "partition-weights": "weights of one partition",
    "partitions": "partitions of a process",
    "ram": "RAM for weights and activations",
    "flash": "flash for weights",
};

/** "4.1 MB", or what is known of it: "not known, at least 4.1 MB" */
function bytesOrAtLeast(bytes, atLeast) {
    if (bytes !== null && bytes !== undefined) return bytesText(bytes);
    return atLeast ? `not known, at least ${bytesText(atLeast)}` : "not known";
}

/** A peak with the node that runs then. */
function peakText(context, bytes, atLeast, node) {
    const text = bytesOrAtLeast(bytes, atLeast);
    const isNode = typeof node === "number" && context.graph.nodes[node];
    return isNode && (bytes || atLeast) ? [text, " at ", nodeButton(context, node)] : text;
}

/** @returns {any[]} */
function weightFacts(memory) {
    const least = memory.at_least;
    const types = Object.entries(memory.weight_bytes_by_type || {}).sort((a, b) => b[1] - a[1])
        .map(([type, bytes]) => `${plainText(type)} ${bytesText(bytes)}`);
    const { sizing } = memory;
    const onNpu = bytesOrAtLeast(memory.weight_bytes_npu, least.weight_bytes_npu);
    const onCpu = bytesOrAtLeast(memory.weight_bytes_cpu, least.weight_bytes_cpu);
    return [
        ["Weights", `${bytesText(memory.weight_bytes)}: ${onNpu} ${taker.place}, ${onCpu} on the CPU`],
        ["By type", types.length > 1 ? types.join(", ") : null],
        ["Rule of thumb", sizing && `${amountText(sizing.parameters)} parameters: `
            + `${bytesText(sizing.float16_bytes)} in float16, ${bytesText(sizing.int8_bytes)} in int8, `
            + `${bytesText(sizing.int4_bytes)} in int4`],
    ];
}

/** @returns {any[]} */
function peakFacts(context) {
    const { memory } = context.target;
    const least = memory.at_least;
    return [
        [`Peak ${taker.place}`, peakText(context, memory.activation_peak_bytes_npu, least.activation_peak_bytes_npu,
            memory.activation_peak_node_npu)],
        ["Peak on the CPU", bytesOrAtLeast(memory.activation_peak_bytes_cpu, least.activation_peak_bytes_cpu)],
        ["All on the CPU", peakText(context, memory.activation_peak_bytes, least.activation_peak_bytes,
            memory.activation_peak_node)],
    ];
}

/** Partitions and layers that the chip's memory does not hold. @returns {any[]} */
function chipFacts(context) {
    const { memory } = context.target;
    if (memory.onchip_bytes === null) return [];
    const partitions = memory.partitions || [], layers = memory.layers || [];
    const large = partitions.filter((partition) => partition.fits_on_chip === false)
        .sort((a, b) => b.weight_bytes + b.peak_bytes - a.weight_bytes - a.peak_bytes);
    const open = partitions.filter((partition) => partition.fits_on_chip === null).length;
    return [
        ["On the chip", `${bytesText(memory.onchip_bytes)}${memory.onchip_assumed ? " (assumed)" : ""}`],
        ["Partitions", partitions.length ? [
            large.length ? `${countOf(large.length, partitions.length, "partition")} `
                + `${large.length === 1 ? "does" : "do"} not fit on the chip with weights and activations`
                : open < partitions.length && "all that are known fit on the chip",
            open > 0 && `; not known: ${countText(open, "partition")}`,
            large.length > 0 && largePartitions(context, large)] : null],
        ["Layers", layers.length ? largeLayers(context, layers) : null],
    ];
}

/** How many are listed. */
const LARGE_SHOWN = 4;

function largePartitions(context, large) {
    return largestOf(large, (partition) => [
        element("button", { type: "button", class: "link",
            onclick: () => context.showNodes({ partition: partition.id }) }, `partition ${partition.id}`),
        `: ${bytesText(partition.weight_bytes)} of weights, ${bytesText(partition.peak_bytes)} of activations`]);
}

function largeLayers(context, layers) {
    const passes = (layer) => (layer.passes === null ? "not even a row fits"
        : layer.passes > 1 ? `weights are read ${layer.passes} times` : "weights are read once");
    return [`${countText(layers.length, "node")} ${layers.length === 1 ? "does" : "do"} not fit as a whole`,
        largestOf(layers, (layer) => [nodeButton(context, layer.node), `: ${bytesText(layer.weight_bytes)} of weights, `
            + `${bytesText(layer.activation_bytes)} of activations; ${passes(layer)}`])];
}

/** The first of a list that is in order. @param {any[]} items @param {(item: any) => any} textOf */
function largestOf(items, textOf) {
    const more = items.length - LARGE_SHOWN;
    return element("ul", {}, items.slice(0, LARGE_SHOWN).map((item) => element("li", {}, textOf(item))),
        more > 0 && element("li", { class: "muted" }, `and ${more.toLocaleString("en")} more`));
}

const limitAmount = (bytes, count) => (count === null ? bytesText(bytes) : count.toLocaleString("en"));

function limitFacts(memory) {
    return (memory.limits || []).map((limit) => {
        const [sign, kind, word] = limit.fits === null ? ["?", "unknown", "not known"]
            : limit.fits ? ["\u2713", "npu", "fits"] : ["\u2716", "fail", "does not fit"];
        return element("li", {},
            element("span", { class: `fate fate-${kind}` },
                element("span", { class: "sign", "aria-hidden": "true" }, sign), word),
            `: ${ofTaker(limitTexts[limit.what] || "") || plainText(limit.what)}, `
            + `${limitAmount(limit.needed_bytes, limit.needed_count)} of at most `
            + `${limitAmount(limit.limit_bytes, limit.limit_count)}`);
    });
}

/** What is held at each position of the order, or null where this report does not tell. */
function heldBytes(target, count) {
    const { held_bytes_npu: npu, held_bytes_cpu: cpu } = target.memory;
    return npu && cpu && count && npu.length === count && cpu.length === count ? { npu, cpu } : null;
}

/** The picture, or why there is none: what little is known of a model with dynamic sizes would be taken for all. */
function heldPart(context, held) {
    const { npu, cpu } = held;
    const unknown = npu.filter((bytes, at) => bytes === null || cpu[at] === null).length;
    const dynamic = dynamicText(context.target);
    if (unknown > npu.length / 2)
        return element("p", {}, `What is held is not known at ${countOf(unknown, npu.length, "node")}. `, dynamic);
    return [element("h3", {}, "Activations held while each node runs, in execution order"),
        memoryPlot(context, npu, cpu),
        unknown > 0 && element("p", { class: "muted" },
            `Shaded: not known at ${countText(unknown, "node")}. `, dynamic),
        memoryTable(context, npu, cpu)];
}

/** Which attention looks at a cache, and what it keeps besides. @returns {string} */
function attentionText(memory) {
    const heads = memory.attention
        && `; ${memory.attention} attention, ${wholeText(memory.query_heads)} heads on ${wholeText(memory.key_heads)}`;
    const window = memory.window_tensors
        && `; ${countOf(memory.window_tensors, memory.cache_tensors, "tensor")} with a window of `
        + wholeText(memory.window_slots);
    const cross = memory.cross_tensors && `; cross-attention: ${countText(memory.cross_tensors, "tensor")}`;
    return [heads, window, cross].filter(Boolean).join("");
}

addSection({
    id: "memory",
    title: "Memory",
    isShown: (context) => Boolean(context.target.memory),
    build(root, context) {
        const { memory } = context.target;
        const held = heldBytes(context.target, context.graph.order.length);
        appendAll(root, [held && heldPart(context, held)]);
        const limits = limitFacts(memory);
        /** @type {any[]} */
        const facts = [
            ...weightFacts(memory),
            ...peakFacts(context),
            ...chipFacts(context),
            ["Cache", memory.cache_tensors ? `${bytesText(memory.cache_bytes_per_token)} a token of one sequence, in `
                + countText(memory.cache_tensors, "tensor") + attentionText(memory) : null],
            ["Limits", limits.length ? element("ul", {}, limits) : null],
        ];
        root.append(factList(facts));
    },
});
