/* SPDX-License-Identifier: Apache-2.0 */
/* What to do, in words and commands: shared by the verdict, the causes and the details of a node. */

/** advice[].equality: how equal the results are once it is done. */
const equalityTexts = {
    bits: "the results stay equal bit for bit (optimizations off)",
    "bits-if": "the results stay equal, for values that the file cannot promise",
    ulp: "the last digits of the results differ, as sums run in another order",
    step: "the results stay within one quantization step for each op",
    approx: "the results are an approximation",
    other: "the results are others",
};

/** Of `cost.recommendation`, the colour of the answer. */
const recommendationKinds = { npu: "good", mend: "warning", cpu: "bad", undecided: "unknown" };

/** Steps that follow each other; what may be done in place of one is not among them. */
function adviceSteps(target) {
    return (target.advice || []).filter((action) => action.instead_of === null || action.instead_of === undefined);
}

/**
 * What the tool is called with, for this model and target.
 * @param {any} shown report and target @param {string} options
 */
function toolCommand(shown, options) {
    const target = /(^|\s)(-t|--target)\s/.test(options) ? ""
        : ` --target ${shellWord(shown.target.name || shown.target.target)}`;
    return `npu-partition ${shellWord(shown.report.model.path)}${target}${options ? ` ${options}` : ""}`;
}

/** The command that shows what an action brings, or that does it; null where there is none. */
function adviceCommand(shown, action) {
    if (action.run) return action.run.map(shellWord).join(" ");
    if (action.command) return toolCommand(shown, action.command);
    return action.fixable ? fixCommand(shown, [action]) : null;
}

/** The command that writes a model with these actions done. @param {any[]} actions those that the tool can do */
function fixCommand(shown, actions) {
    const { target, report } = shown;
    const sizes = actions.filter((action) => action.action === "dims" && action.command)
        .map((action) => action.command);
    const weaker = [...new Set(actions.map((action) => action.equality))]
        .filter((equality) => equality && equality !== "bits" && equality !== "other");
    const out = report.model.path === "-" ? "fixed.onnx" : report.model.path.replace(/(\.onnx)?$/i, ".fixed.onnx");
    return ["npu-partition fix", shellWord(report.model.path), "--target", shellWord(target.name || target.target),
        ...sizes,
        ...(weaker.length ? ["--allow", weaker.join(",")] : []), "--output", shellWord(out)].join(" ");
}

/**
 * "leaves 7 partitions, coverage 90.5 % of MACs, 85.8 % of nodes; ~10 ms (6.4-17)"
 * @param {any} after @param {any} [decided] of the target, where it is decided later which unit runs what is taken
 */
function afterText(after, decided = null) {
    if (!after) return "what it leaves is not known";
    const cost = after.cost || {};
    const time = estimateText([cost.low_ms, cost.typical_ms, cost.high_ms]);
    const macs = after.mac_coverage === null ? "" : `${shareText(after.mac_coverage)} of MACs, `;
    const side = decided ? `taken by ${plainText(decided.by)}` : taker.place;
    const shares = after.verdict === "whole" ? `all nodes ${side}`
        : `coverage ${macs}${shareText(after.coverage)} of nodes`;
    const failing = after.verdict === "fails" ? "; still fails to compile" : "";
    const taking = time === "not known" ? "" : `; ${time}`;
    return `leaves ${countText(after.partitions, "partition")}, ${shares}${failing}${taking}`;
}

/** A button for what only the application can do, else nothing. */
function tryButton(context, action) {
    const tryOptions = context.actions && context.actions.tryOptions;
    if (!tryOptions || !action.command) return null;
    return element("button", { type: "button", class: "primary small", onclick: () => tryOptions(action.command) },
        "Try it");
}
