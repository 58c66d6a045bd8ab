/* SPDX-License-Identifier: Apache-2.0 */
/* Two plans side by side: what is better, worse, or only different. The rules are those of docs/diff.md. */

/** The verdicts from the best on. */
const verdictRanks = { empty: 0, whole: 0, edge: 1, split: 2, none: 3, fails: 4 };

/** A change is better, worse, different or same: a sign and a class. */
const changeSigns = { better: ["\u25b2", "good"], worse: ["\u25bc", "bad"], different: ["\u25c6", "plain"] };

/** "▲ better" @param {string|null} change */
function changeMark(change) {
    if (!change || change === "same") return null;
    const [sign, kind] = changeSigns[change] || ["?", "plain"];
    return element("span", { class: `change answer-${kind}` },
        element("span", { class: "sign", "aria-hidden": "true" }, sign), change);
}

/**
 * Less is better, once it is `share` less.
 * @param {number|null} before @param {number|null} after @returns {string|null}
 */
function changeOfCount(before, after, share = 0) {
    if (typeof before !== "number" || typeof after !== "number") return null;
    if (before === after) return "same";
    if (after > before * (1 + share)) return "worse";
    return before > after * (1 + share) ? "better" : "different";
}

function changeOfPartitions(before, after) {
    if (before.partitions === after.partitions) return "same";
    return before.partitions && after.partitions ? changeOfCount(before.partitions, after.partitions) : "different";
}

/** Work that is another takes another time. */
function changeOfTime(before, after) {
    const change = changeOfCount(before.cost.typical_ms, after.cost.typical_ms, 0.1);
    const [a, b] = [before.summary.macs, after.summary.macs];
    const isSameWork = a !== null && b !== null && Math.abs(a - b) <= 0.01 * Math.max(a, b);
    return change && change !== "same" && !isSameWork ? "different" : change;
}

/** A share that falls by less than a thousandth is the same for people. */
function changeOfShare(before, after) {
    if (typeof before !== "number" || typeof after !== "number") return null;
    return Math.abs(before - after) < 0.001 ? "same" : after < before ? "worse" : "better";
}

/** What is neither better nor worse. */
function changeOfKind(before, after) {
    return before === null || after === null ? null : before === after ? "same" : "different";
}

function timeOfRun({ cost, summary }) {
    return summary.verdict === "fails" ? "none: it fails to compile"
        : estimateText([cost.low_ms, cost.typical_ms, cost.high_ms]);
}

function tooLarge(target) {
    return (target.memory.partitions || []).filter((partition) => partition.fits_on_chip === false).length;
}

function limitsPassed(target) {
    return (target.memory.limits || []).filter((limit) => limit.fits === false).length;
}

/**
 * The figures in which plans are compared. `what` is that of a diff's figures, but for those that are the page's own
 * (`isOwn`); `isShown` may leave a row out.
 * @type {{what: string, name: string, of: (target: any) => any, text: (value: any) => any,
 *         change: (before: any, after: any) => string|null, isOwn?: boolean,
 *         isShown?: (before: any, after: any) => boolean}[]}
 */
const comparedFigures = [
    { what: "verdict", name: "Verdict", of: (target) => target.summary, text: answerMark,
        change: (before, after) => changeOfCount(verdictRanks[before.verdict], verdictRanks[after.verdict]) },
    { what: "failed", name: "Nodes that fail to compile", of: (target) => target.summary.failed, text: String,
        change: changeOfCount, isShown: (before, after) => before + after > 0 },
    { what: "partitions", name: "Partitions", of: (target) => target.summary, change: changeOfPartitions,
        text: (summary) => String(summary.partitions) },
    { what: "switches", name: "Device switches", of: (target) => target.summary.switches, text: String,
        change: changeOfCount, isOwn: true },
    { what: "nodes", name: "Live nodes", of: (target) => target.summary.live, change: changeOfKind,
        text: (count) => count.toLocaleString("en") },
    { what: "left", name: "of them not on the NPU", of: (target) => target.summary.live - target.summary.accepted,
        text: (count) => count.toLocaleString("en"), change: changeOfCount },
    { what: "mac-coverage", name: "Coverage (MACs)", of: (target) => target.summary.mac_coverage, text: shareText,
        change: changeOfShare },
    { what: "coverage", name: "Coverage (nodes)", of: (target) => target.summary.coverage, text: shareText,
        change: changeOfShare },
    { what: "cost", name: "Time a run", of: (target) => target, change: changeOfTime,
        text: timeOfRun },
    { what: "cpu", name: "CPU alone", of: (target) => target.cost.alternatives.cpu, text: millisecondsRange,
        change: () => null },
    { what: "peak", name: "Peak of activations, all on the CPU", of: (target) => target.memory.activation_peak_bytes,
        text: bytesText, change: (before, after) => changeOfCount(before, after, 0.1) },
    { what: "npu-peak", name: "Peak of activations on the NPU", of: (target) => target.memory.activation_peak_bytes_npu,
        text: bytesText, change: changeOfKind },
    { what: "npu-weights", name: "Weights on the NPU", of: (target) => target.memory.weight_bytes_npu, text: bytesText,
        change: changeOfKind },
    { what: "off-chip", name: "Partitions that do not fit on the chip", of: tooLarge, text: String,
        change: changeOfKind, isShown: (before, after) => before + after > 0 },
    { what: "limits", name: "Limits of memory that are passed", of: limitsPassed, text: String, change: changeOfCount,
        isShown: (before, after) => before + after > 0 },
];

/**
 * What is compared, as rows. Where the tool has compared the two itself, what it says counts.
 * @param {any} before a target @param {any} after a target @param {any} diff one of a diff's targets, or null
 */
function compareFigures(before, after, diff) {
    const told = new Map(((diff && diff.figures) || []).map((figure) => [figure.what, figure.change]));
    return comparedFigures.map((figure) => {
        const [a, b] = [figure.of(before), figure.of(after)];
        const own = figure.change(a, b);
        const change = !diff || figure.isOwn ? own : told.has(figure.what) ? told.get(figure.what)
            : own === "better" || own === "worse" ? null : own;
        return { figure, a, b, change, isShown: !figure.isShown || figure.isShown(a, b) };
    }).filter((row) => row.isShown);
}

/** What tells two sides apart: the model, the target, or both. @returns {[string, string]} */
function sideNames(before, after) {
    const paths = [before, after].map((side) => plainText(side.report.model.path));
    const targets = [before, after].map((side) => plainText(side.target.name || side.target.target));
    const models = baseName(paths[0]) === baseName(paths[1]) ? paths : paths.map(baseName);
    if (paths[0] === paths[1] && targets[0] !== targets[1]) return [targets[0], targets[1]];
    if (targets[0] === targets[1] && paths[0] !== paths[1]) return [models[0], models[1]];
    if (paths[0] === paths[1]) return ["before", "after"];
    return [`${models[0]}, ${targets[0]}`, `${models[1]}, ${targets[1]}`];
}

/** The part of a diff that is about these two, or null. */
function diffOfSides(diff, before, after) {
    const isSide = (side, shown) => side.target === shown.target.name
        && (!side.model || side.model === shown.report.model.path);
    const targets = (diff && diff.targets) || [];
    return targets.find((item) => isSide(item.before, before) && isSide(item.after, after)) || null;
}
