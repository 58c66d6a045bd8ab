/* SPDX-License-Identifier: Apache-2.0 */
/* The first view of several models or targets: one row each. */

/** @param {DocumentSet} set */
function overview(set) {
    const hasThresholds = set.outcomes.some((outcomes) => outcomes.length);
    const columns = ["Model", "Target", "Verdict", "Partitions", "Coverage (MACs)", "Coverage (nodes)",
        "Time a run", "CPU alone", ...(hasThresholds ? ["Thresholds"] : []), "Do first"];
    return element("section", { "aria-label": "All results" },
        errorList(set),
        set.pairs.length ? element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Results" },
            element("table", { class: "overview" },
                element("thead", {}, element("tr", {}, columns.map((name, at) =>
                    element("th", { scope: "col", class: at >= 3 && at <= 7 ? "number" : null }, name)))),
                element("tbody", {}, set.pairs.map((pair) => overviewRow(set, pair, hasThresholds))))) : null);
}

/** @param {DocumentSet} set @param {Pair} pair @param {boolean} hasThresholds */
function overviewRow(set, pair, hasThresholds) {
    const { summary, cost, advice } = pair.target;
    const address = writeAddress({ m: pair.model, t: pair.at });
    const first = (advice || [])[0];
    const number = (value) => element("td", { class: "number" }, value === "not known" ? unknownMark() : value);
    const isFirst = pair.at === 0;
    return element("tr", { class: isFirst ? "first" : null, onclick: (event) => {
        if (!event.target.closest("a")) location.hash = address;
    } },
    element("th", { scope: "row", class: "name" }, element("span", { class: isFirst ? null : "repeated" },
        modelName(set, pair.model))),
    element("td", {}, element("a", { href: address }, plainText(pair.target.name || pair.target.target))),
    element("td", {}, answerMark(summary)),
    number(String(summary.partitions)),
    number(shareText(summary.mac_coverage)), number(shareText(summary.coverage)),
    number(cost ? millisecondsRange([cost.low_ms, cost.typical_ms, cost.high_ms]) : "not known"),
    number(cost && cost.alternatives ? milliseconds((cost.alternatives.cpu || [])[1]) : "not known"),
    hasThresholds ? element("td", {}, worstOutcome(outcomesOf(set, pair))) : null,
    element("td", { class: "first-step" }, first ? sentence(first.text) : "nothing to do"));
}

/** Of thresholds the worst, and how many. @param {any[]} outcomes */
function worstOutcome(outcomes) {
    const missed = outcomes.filter((outcome) => !outcome.is_met);
    const worst = missed.find((outcome) => !outcome.waiver) || missed[0];
    return worst ? [outcomeMark(worst), missed.length > 1 ? ` (${missed.length})` : null] : outcomes.length
        ? outcomeMark(outcomes[0]) : null;
}

/** Models that cannot be analyzed, with what thresholds say of them. @param {DocumentSet} set */
function errorList(set) {
    if (!set.errors.length) return null;
    return element("ul", { class: "errors" }, set.errors.map((error, at) => element("li", { class: "problem" },
        element("strong", {}, plainText(baseName(error.path))), ": ", plainText(error.text),
        outcomeLines(set.errorOutcomes[at]))));
}
