/* SPDX-License-Identifier: Apache-2.0 */
/* The answer in one glance: verdict, figures, what to do first. */

addSection({
    id: "verdict",
    title: "Verdict",
    build(root, context) {
        const { target } = context;
        appendAll(root, [
            element("p", { class: "headline-verdict" }, answerMark(target.summary), " ",
                element("span", {}, answerText(target.summary))),
            decidedLines(target.decided),
            recommendation(target.cost),
            firstSteps(context),
            outcomeList(context),
            figures(target),
            findingList(context.report.findings || []),
        ]);
    },
});

/** After the verdict's word, as in the tool's text. */
function answerText(summary) {
    const live = countText(summary.live, "node");
    const { verdict } = summary;
    const isLater = Boolean(summary.placed_later);
    if (verdict === "whole")
        return `${summary.live === 1 ? "" : "all "}${live} ${isLater ? "taken" : taker.place}, in one partition`;
    if (verdict === "none") return `none of ${live} runs ${taker.place}`;
    if (verdict === "fails" && summary.failed)
        return `${countOf(summary.failed, summary.live, "node")} ${summary.failed === 1 ? "fails" : "fail"} `
            + "to compile: the session does not start";
    if (verdict === "split")
        return [partitionsText(summary), switchesText(summary),
            `${wholeText(summary.live - summary.accepted)} of ${live} `
                + (isLater ? "left to the CPU" : `not ${taker.place}`)].join(", ");
    return ofTaker((answers[verdict] || [])[3] || "");
}

/** "8 partitions", "1 to 4 partitions" where that depends on undecided nodes. */
function partitionsText({ partitions, partitions_if_unknown: [low, high] = [] }) {
    return low === high ? countText(partitions, "partition") : `${wholeText(low)} to ${countText(high, "partition")}`;
}

/** Where it is decided later which unit runs what is taken: by whom, and what surely is not on the NPU. */
function decidedLines(decided) {
    if (!decided) return null;
    const [npu] = decided.units;
    return element("div", { class: "muted" },
        element("p", {}, plainText(`${decided.by} decides later which unit runs them: ${decided.units.join(", ")}.`)),
        decided.reasons.length === 0 ? null : element("ul", {}, decided.reasons.map((reason) => element("li", {},
            plainText(`${countText(reason.nodes, "node")} not on the ${npu}: ${reason.text}`),
            reason.advice ? plainText(`; ${reason.advice}`) : null))));
}

function switchesText(summary) {
    return `${wholeText(summary.switches)} device ${summary.switches === 1 ? "switch" : "switches"}`;
}

/** "Worth it: after the fix: ~5.0 ms (3.2-7.7); CPU ~270 ms", the answer in its colour. */
function recommendation(cost) {
    if (!cost || !cost.reason) return null;
    const end = cost.reason.indexOf(": ");
    const [answer, rest] = end < 0 ? [cost.reason, ""] : [cost.reason.slice(0, end), cost.reason.slice(end)];
    const kind = recommendationKinds[cost.recommendation] || "plain";
    return element("p", { class: "recommendation" }, "Worth it: ",
        element("strong", { class: `answer-${kind}` }, plainText(answer)), plainText(rest));
}

/** A figure with its name; `note` below it, `bar` between. */
function figure(name, value, note, bar) {
    return element("div", { class: "figure" }, element("dt", {}, name),
        element("dd", {}, element("span", { class: "value" }, value === "not known" ? unknownMark() : value), bar,
            element("span", { class: "note" }, note || (value === "not known" ? "not known" : null))));
}

/** The figures of a plan as tiles. What is not known while sizes are dynamic, is with sizes fixed. */
function figures(target) {
    const { summary, cost, if_fixed: fixed } = target;
    const total = runTimes(target);
    const ways = (cost && cost.alternatives) || {};
    const bounds = summary.partitions_if_unknown || [];
    const isKnown = typeof summary.mac_coverage === "number";
    /* What only a part is known of stands in the sentence above. */
    const hasTime = typeof total[1] === "number" || (ways.fixed && typeof ways.fixed[1] === "number");
    const whenFixed = (text) => (fixed && text !== "not known" ? `not known; ${text} with sizes fixed` : null);
    return element("dl", { class: "figures" },
        figure("Partitions", wholeText(summary.partitions),
            bounds[0] !== bounds[1] ? `${bounds[0]} to ${bounds[1]}, by undecided nodes` : switchesText(summary)),
        figure("Coverage (MACs)", shareText(summary.mac_coverage),
            isKnown ? `of ${amountText(summary.macs)}` : whenFixed(fixed && shareText(fixed.summary.mac_coverage)),
            isKnown ? shareBar(summary.mac_coverage) : null),
        figure("Coverage (nodes)", shareText(summary.coverage), countOf(summary.accepted, summary.live, "node"),
            shareBar(summary.coverage)),
        hasTime ? figure("Time a run", estimateOf(total), boundsOf(total) || whenFixed(estimateOf(ways.fixed))) : null,
        ways.cpu ? figure("CPU alone", estimateOf(ways.cpu), boundsOf(ways.cpu)) : null);
}

/** [low, typical, high] of a run as it is planned, as the line has it; what fails to compile has none. */
function runTimes({ summary, cost }) {
    return cost && summary.verdict !== "fails"
        ? [cost.low_ms ?? null, cost.typical_ms ?? null, cost.high_ms ?? null] : [null, null, null];
}

/** Thresholds, where the report was made by a check of them. */
function outcomeList(context) {
    const { outcomes } = context;
    if (!outcomes.length) return null;
    return element("div", { class: "outcomes" }, element("h3", {}, "Thresholds"), outcomeLines(outcomes));
}

/** @param {any[]} outcomes */
function outcomeLines(outcomes) {
    const line = (outcome) => element("li", {}, outcomeMark(outcome), " ",
        element("code", {}, plainText(outcome.threshold)), ": ",
        sentence(outcome.text), outcome.waiver ? [" \u2013 accepted: ", sentence(outcome.waiver)] : null);
    return outcomes.length ? element("ul", {}, outcomes.map(line)) : null;
}

/** "met", "accepted" or "not met", with a sign. @param {any} outcome */
function outcomeMark(outcome) {
    const [word, sign, kind] = outcome.is_met ? ["met", "\u2713", "good"] : outcome.waiver
        ? ["accepted", "\u25cb", "warning"] : ["not met", "\u2716", "bad"];
    return element("span", { class: `answer answer-${kind}` },
        element("span", { class: "sign", "aria-hidden": "true" }, sign), word);
}

/** What to do first with its command; what comes then, may be opened. */
function firstSteps(context) {
    const steps = adviceSteps(context.target);
    if (!steps.length)
        return isDone(context.target.summary) ? null : element("p", { class: "recommendation" }, "Fix: none known");
    const [first] = steps;
    const command = adviceCommand(context, first);
    const fix = context.actions && context.actions.fix;
    const doable = steps.filter((step) => step.fixable);
    /* It does what the line beside it says, or is not there. */
    const isDoable = fix && first.run && first.run[0] === "npu-partition" && first.run[1] === "fix";
    const buttons = [tryButton(context, first), isDoable
        ? element("button", { type: "button", class: "primary small", onclick: () => fix(first.run) }, "Fix the model")
            : null].filter(Boolean);
    return element("div", { class: "first-action" },
        element("h3", {}, first.action === "none" ? "What stays as it is" : "Fix"),
        command || buttons.length ? element("p", { class: "action-command" }, command && commandLine(command), buttons)
            : null,
        element("p", { class: "action-text" }, sentence(first.text)),
        first.action === "none" ? null : element("p", { class: "muted" },
            `It ${afterText(first.after, context.target.decided)}`,
            first.equality ? `; ${equalityTexts[first.equality] || plainText(first.equality)}.` : "."),
        laterSteps(context, steps, doable));
}

function laterSteps(context, steps, doable) {
    if (steps.length === 1 && steps[0].run) return null; /* all of it is told above */
    const table = stepTable(context, steps);
    const isTold = steps.length === 1 && !steps[0].command; /* the first command is this one */
    const fix = doable.length && !isTold ? fixLine(context, steps, doable) : null;
    if (!table && !fix) return null;
    const last = steps.filter((step) => step.action !== "none").pop();
    const title = table && last
        ? `All ${countText(steps.length, "step")}, which `
            + afterText(last.after, context.target.decided).replace("leaves", "leave")
        : "The command that does it";
    return printedDisclosure(title, table, fix);
}

/** As it is, then after each step. */
function stepTable(context, steps) {
    const { summary, cost, if_fixed: fixed } = context.target;
    const row = (name, at, costs, isHead) => element("tr", { class: isHead ? "muted" : null },
        element("th", { scope: "row" }, name),
        element("td", { class: "number" }, wholeText(at.partitions)),
        element("td", { class: "number" }, at.mac_coverage === null ? unknownMark() : shareText(at.mac_coverage)),
        element("td", { class: "number" }, shareText(at.coverage)),
        element("td", { class: "number" }, costs && costs.typical_ms !== null
            ? estimateText([costs.low_ms, costs.typical_ms, costs.high_ms]) : unknownMark()));
    const shown = steps.filter((step) => step.action !== "none" && step.after).slice(0, MOST_STEPS);
    if (shown.length < 2 && !(fixed && steps[0].action !== "dims")) return null;
    const sizes = fixed ? listText(Object.entries(fixed.dims).map(([name, size]) => `${plainText(name)}=${size}`)) : "";
    return element("div", { class: "scroll" }, element("table", { class: "steps" },
        element("thead", {}, element("tr", {}, element("th", { scope: "col" }, "Step by step"),
            ["Partitions", "Coverage (MACs)", "Coverage (nodes)", "Time a run"].map((name) =>
                element("th", { scope: "col", class: "number" }, name)))),
        element("tbody", {}, row("as it is", summary, cost, true),
            fixed && steps[0].action !== "dims" ? row(`with ${sizes}`, fixed.summary, null, true) : null,
            shown.map((step, at) => row([`${at + 1}. `, sentence(step.text)], step.after, step.after.cost, false)))));
}

const MOST_STEPS = 8;

/** One command for all that the tool can do by itself. */
function fixLine(context, steps, doable) {
    const what = doable.length < steps.length ? `${doable.length} of ${countText(steps.length, "step")}`
        : steps.length > 1 ? `all ${countText(steps.length, "step")}` : "this";
    return element("div", { class: "fix" }, element("p", {}, `The tool can do ${what} by itself:`),
        commandLine(fixCommand(context, doable)));
}

/** What is odd about the model; what keeps it from being loaded stands open. */
function findingList(findings) {
    if (!findings.length) return null;
    const line = (finding) => element("li", { class: finding.code === "invalid" ? "problem" : null },
        element("code", {}, plainText(finding.code)), " ", sentence(finding.text),
        finding.at ? element("span", { class: "muted" }, " \u2013 ", plainText(finding.at)) : null);
    const severe = findings.filter((finding) => finding.code === "invalid");
    const others = findings.filter((finding) => finding.code !== "invalid");
    const list = (items) => element("ul", { class: "findings" }, items.slice(0, MOST_FINDINGS).map(line),
        items.length > MOST_FINDINGS ? element("li", { class: "muted" }, `and ${items.length - MOST_FINDINGS} more`)
            : null);
    return [severe.length ? list(severe) : null,
        others.length ? printedDisclosure(`${countText(others.length, "finding")} about the model`, list(others))
            : null];
}

const MOST_FINDINGS = 200;
