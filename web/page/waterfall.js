/* SPDX-License-Identifier: Apache-2.0 */
/* What a run takes: the parts as a waterfall, and the other ways to run the model beside it. */

/** The parts of cost.parts in the order in which they are drawn; `kind` is the colour. */
const costParts = [
    { id: "switch", text: "Starting partitions", kind: "other" },
    { id: "copy", text: "Transfers", kind: "other" },
    { id: "layout", text: "Layout conversions", kind: "other" },
    { id: "quantize", text: "Quantizing, casts", kind: "other" },
    { id: "cpu", text: "Nodes on the CPU", kind: "cpu" },
    { id: "npu_compute", text: "NPU: computing", kind: "npu" },
    { id: "npu_bandwidth", text: "NPU: memory", kind: "npu-memory" },
];

/**
 * Where each part begins: after what is known of those before it. Parts that take no time are left out unless they
 * are among those that are kept.
 * @param {any} cost @param {Set<string>} [kept]
 * @returns {{rows: {part: any, range: any, from: number}[], sum: number, highest: number}}
 */
function waterfallRows(cost, kept = new Set()) {
    const rows = [];
    let sum = 0, highest = 0;
    for (const part of costParts) {
        const range = cost.parts[part.id];
        if (!kept.has(part.id) && isKnownRange(range) && range[2] === 0) continue;
        rows.push({ part, range, from: sum });
        if (!isKnownRange(range)) continue;
        highest = Math.max(highest, sum + range[2]);
        sum += range[1];
    }
    return { rows, sum, highest: Math.max(highest, cost.high_ms || 0) };
}

function wholeOfCost(cost) {
    const range = [cost.low_ms, cost.typical_ms, cost.high_ms];
    return isKnownRange(range) ? range : null;
}

/** What the part is about, in numbers. */
function partDetail(id, cost, summary) {
    if (id === "switch") return `${countText(summary.partitions, "partition")} started by ${cost.runtime}`;
    if (id === "copy") {
        const unknown = cost.unknown_sizes ? `, ${countText(cost.unknown_sizes, "tensor")} of unknown size` : "";
        return `${bytesText(cost.bytes_to_npu)} to the ${taker.name}, `
            + `${bytesText(cost.bytes_to_cpu)} to the CPU${unknown}`;
    }
    if (id === "layout") return countText(cost.layout_conversions, "tensor");
    return id === "cpu" ? countText(summary.live - summary.accepted, "node") : null;
}

/** A line leads from the end of a part to where the next one begins. */
function partMarks(row, next, scale) {
    const { part, range, from } = row;
    if (!isKnownRange(range)) return [unknownBar(scale, from)];
    const step = (value, y1, y2) => {
        const at = percent(scale.at(value));
        return svgElement("line", { class: "step", x1: at, x2: at, y1, y2 });
    };
    return [bar(scale, from, from + range[1], part.kind), ...whisker(scale, from + range[0], from + range[2]),
        from > 0 ? step(from, "0", "50%") : null, next ? step(from + range[1], "50%", "100%") : null];
}

/**
 * @param {any} target
 * @param {{kept?: Set<string>, highest?: number, caption?: string}} [options] of several side by side the same:
 *        `highest` of the axis; `kept`: parts that are shown without time, too
 */
function waterfallTable(target, options = {}) {
    const { cost, summary } = target;
    const { rows, highest } = waterfallRows(cost, options.kept);
    const scale = linearScale((options.highest || highest) * 1.02);
    const whole = wholeOfCost(cost);
    const drawn = rows.map((row, at) => /** @type {any} */ ({
        label: [ofTaker(row.part.text),
            element("span", { class: "detail" }, partDetail(row.part.id, cost, summary) || "")],
        marks: partMarks(row, rows[at + 1], scale),
        value: rangeCell(row.range),
        title: `${ofTaker(row.part.text)}: ${millisecondsRange(row.range)}`,
    }));
    drawn.push({
        label: "A run",
        marks: whole ? [bar(scale, 0, whole[1], "whole-bar"), ...whisker(scale, whole[0], whole[2])]
            : [unknownBar(scale, 0)],
        value: rangeCell(whole),
        title: `A run: ${millisecondsRange(whole)}`,
        isWhole: true,
    });
    return drawnTable({
        caption: options.caption || "Where the time of a run goes",
        label: "Part", drawing: "ms", value: "Time", scale, textOf: tickText, rows: drawn,
    });
}

/** What is left to run the model by after each step of the advice, as far as that is known. */
function waysAfterSteps(target) {
    const steps = (target.advice || []).filter((step) => step.instead_of === null && step.action !== "none");
    const ways = steps.map((step, at) => ({
        text: `After step ${at + 1}`,
        detail: plainText(step.text),
        range: [step.after.cost.low_ms, step.after.cost.typical_ms, step.after.cost.high_ms],
        kind: "hollow",
        isRecommended: false,
        runs: step.after.verdict !== "fails",
    }));
    const known = ways.filter((way) => way.runs && isKnownRange(way.range));
    const best = known.reduce((best, way) => (best && best.range[1] <= way.range[1] ? best : way), null);
    if (best && target.cost.recommendation === "mend") best.isRecommended = true;
    return known.filter((way, at) => way === best || at < 3);
}

/** The ways to run the model. */
function waysToRun(target) {
    const { alternatives, recommendation } = target.cost;
    const steps = waysAfterSteps(target);
    const isTold = steps.some((way) => String(way.range) === String(alternatives.fixed));
    return [
        { text: "As planned", range: alternatives.as_is, kind: "accent", isRecommended: recommendation === "npu",
            unknown: target.summary.verdict === "fails" ? "fails to compile" : null },
        ...steps,
        ...(alternatives.fixed && !isTold
            ? [{ text: "Sizes fixed", detail: dimsText(target), range: alternatives.fixed, kind: "hollow" }] : []),
        { text: "CPU alone", range: alternatives.cpu, kind: "cpu", isRecommended: recommendation === "cpu" },
        { text: `${taker.name} alone`, detail: "if one partition took all nodes", range: alternatives.npu_whole,
            kind: "npu" },
    ];
}

/** "batch=1, sequence=128" */
function dimsText(target) {
    const dims = Object.entries((target.if_fixed && target.if_fixed.dims) || {});
    return dims.map(([name, size]) => `${plainText(name)}=${size}`).join(", ");
}

function waysTable(target) {
    const ways = waysToRun(target);
    const known = ways.map((way) => way.range).filter(isKnownRange);
    if (!known.length) return null;
    const scale = scaleOfRanges(known);
    const rows = ways.map((way) => ({
        label: [way.text, way.isRecommended && element("span", { class: "tag" }, "recommended"),
            way.detail && element("span", { class: "detail", title: way.detail }, sentence(way.detail))],
        marks: isKnownRange(way.range)
            ? [...whisker(scale, way.range[0], way.range[2]), dot(scale, way.range[1], way.kind)]
            : way.unknown ? [] : [unknownBar(scale, 0)],
        value: way.unknown && !isKnownRange(way.range) ? way.unknown : rangeCell(way.range),
        title: `${way.text}: ${millisecondsRange(way.range)}`,
    }));
    return drawnTable({ caption: "Ways to run the model", label: "Way", drawing: `ms, ${scale.word}`,
        value: "Time", scale, textOf: tickText, rows });
}

/** "Dimensions are dynamic: batch and length.", or "" */
function dynamicText(target) {
    const dims = Object.keys((target.if_fixed && target.if_fixed.dims) || {}).map(plainText);
    if (!dims.length) return "";
    return `${dims.length === 1 ? "A dimension is" : "Dimensions are"} dynamic: ${listText(dims)}.`;
}

/**
 * Why the time of a run is not known, as sentences; none where it is.
 * @param {any} target @param {any[]} nodes
 */
function unknownCostReasons(target, nodes) {
    const { cost } = target;
    if (wholeOfCost(cost) || target.summary.verdict === "empty") return [];
    const dynamic = dynamicText(target);
    if (dynamic) return [`${dynamic} The time depends on it.`];
    if (!cost.unknown_nodes) return ["The op list of this target has no rates to compute with."];
    const reasons = [];
    const inBodies = nodes.filter((node) => node.graph && node.work && typeof node.ms !== "number").length;
    if (inBodies)
        reasons.push(`${countText(inBodies, "node")} in the body of an If, Loop or Scan: `
            + "how often a body runs is not known before the run.");
    const others = cost.unknown_nodes - inBodies;
    if (others > 0)
        reasons.push(`${countText(others, "node")} of which it is not known how much `
            + `${others === 1 ? "it computes" : "they compute"}.`);
    return reasons;
}

/** What moves and converts, as `cost.moves` calls it. */
const moveNames = { transpose: "Transpose", channels: "Transpose of channels", view: "Reshape", cast: "Cast",
    quantize: "QuantizeLinear", dequantize: "DequantizeLinear", layout: "layout conversion" };

/** Names and texts of what stands below the charts. @returns {any[]} */
function costFacts(target) {
    const { cost } = target;
    const cold = isKnownRange(cost.cold) && `${millisecondsRange(cost.cold)} more, without compiling`;
    const fill = typeof cost.tile_fill === "number"
        && `products fill ${shareText(cost.tile_fill)} of the matrix unit's tiles`;
    const slow = (cost.slow || []).map((item) => ["Slow on the CPU",
        [sentence(item.text), `: ${countText(item.nodes, "node")}, ${milliseconds(item.typical_ms)}`]]);
    const moves = (cost.moves || []).map((item) => ["Moves",
        [`${wholeText(item.nodes)} ${moveNames[item.what] || plainText(item.what)}: ${milliseconds(item.typical_ms)}`,
        item.module && [", most in ", element("code", {}, item.module)],
        item.removed_by && `; removed by ${item.removed_by}`]]);
    return [
        ["Parameters", cost.calibrated ? "calibrated"
            : "uncalibrated: more than half of the time rests on assumed parameters"],
        ["First run", cold || null],
        ["Serves", servingText(target)],
        ["Tile fill", fill || null],
        ["Break-even", typeof cost.break_even_macs === "number" ? breakEvenText(target) : null],
        ...slow,
        ...moves,
    ];
}

/** Of a decoder with a cache of known size, or that the fix gives one. @returns {string | null} */
function servingText({ cost, memory }) {
    if (typeof cost.first_token_ms === "number")
        return `first token ${milliseconds(cost.first_token_ms)} for ${wholeText(cost.prompt_tokens)} tokens in runs of `
            + `${wholeText(memory.run_tokens)}, ${wholeText(memory.cache_slots)} slots`;
    if (typeof cost.mended_tokens_per_s === "number")
        return `after the fix ${amountText(cost.mended_tokens_per_s)} tokens/s, ${wholeText(cost.mended_slots)} slots`;
    return typeof cost.tokens_per_s !== "number" || memory.run_tokens !== 1 ? null
        : `${amountText(cost.tokens_per_s)} tokens/s, ${wholeText(memory.cache_slots)} slots`;
}

function breakEvenText(target) {
    const text = `a partition pays from ${amountText(target.cost.break_even_macs)} MACs on`;
    const known = (target.partitions || []).filter((partition) => typeof partition.macs === "number");
    const small = known.filter((partition) => partition.macs < target.cost.break_even_macs).length;
    if (!small) return text;
    if (known.length === 1) return `${text}; the partition has fewer`;
    return `${text}; ${small} of ${countText(known.length, "partition")} ${small === 1 ? "has" : "have"} fewer`;
}

addSection({
    id: "cost",
    title: "Time of a run",
    build(root, context) {
        const { target } = context;
        const { cost } = target;
        appendAll(root, [recommendation(cost)]);
        const sizes = (target.advice || []).find((step) => step.action === "dims");
        for (const reason of unknownCostReasons(target, context.graph.nodes))
            root.append(element("p", {}, reason, " ", sizes && tryButton(context, sizes)));
        const charts = element("div", { class: "charts" });
        /* What fails to compile has no run, so no time of one. */
        const hasRun = target.summary.verdict !== "fails";
        if (hasRun && waterfallRows(cost).highest > 0) charts.append(element("div", {}, waterfallTable(target)));
        const ways = waysTable(target);
        if (ways) charts.append(element("div", {}, ways));
        if (charts.children.length) root.append(charts, element("p", { class: "muted" },
            "8 of 10 runs lie within the ranges. Typical times of the parts add up; their ranges do not."));
        root.append(factList(costFacts(target)));
    },
});
