/* SPDX-License-Identifier: Apache-2.0 */
/* The first view of several models or targets: totals, then one row each; of one model the lanes of its targets. */

/** So many rows are drawn at first, and so many targets of one model have a lane each. */
const RESULTS_AT_FIRST = 100, MOST_LANES = 4;

/** @param {DocumentSet} set @param {(listener: () => void) => void} onRemove */
function overview(set, onRemove) {
    const section = element("section", { "aria-label": "All results" });
    appendAll(section, [errorList(set), set.pairs.length ? overviewParts(set) : null]);
    if (set.reports.length === 1) targetLanes(section, set, onRemove);
    return section;
}

/** Totals, the search and the table, which work together. @param {DocumentSet} set */
function overviewParts(set) {
    const columns = overviewColumns(set);
    const state = { words: [], verdict: "", target: "", by: null, direction: 1, most: RESULTS_AT_FIRST };
    const texts = new Map(set.pairs.map((pair) => [pair, overviewText(set, pair)]));
    const body = element("tbody", {}), left = element("span", { class: "muted", role: "status" });
    const more = element("button", { type: "button", class: "small no-print", onclick: () => {
        state.most = Infinity;
        draw();
    } });
    const isLeft = (pair) => (!state.verdict || pair.target.summary.verdict === state.verdict)
        && (!state.target || targetName(pair.target) === state.target)
        && state.words.every((word) => texts.get(pair).includes(word));
    const draw = () => {
        const pairs = set.pairs.filter(isLeft);
        if (state.by) pairs.sort((one, other) =>
            compareCells(state.by.value(one), state.by.value(other), state.direction));
        const shown = pairs.slice(0, state.most);
        body.replaceChildren(...shown.map((pair, at) => overviewRow(columns, pair, shown[at - 1])));
        more.hidden = shown.length === pairs.length;
        more.textContent = `Show all ${countText(pairs.length, "row")}`;
        left.textContent = pairs.length === set.pairs.length ? "" : countOf(pairs.length, set.pairs.length, "result");
    };
    const filter = (verdict, target) => {
        const isSame = state.verdict === verdict && state.target === target;
        Object.assign(state, isSame ? { verdict: "", target: "" } : { verdict, target });
        draw();
        return !isSame;
    };
    const search = element("input", { type: "search", "aria-label": "Search models, targets, verdicts and what to do",
        placeholder: "Model, target, verdict, what to do", oninput: () => {
            state.words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
            draw();
        } });
    const heads = columns.map((column) => overviewHead(column, () => {
        state.direction = state.by === column ? -state.direction : column.isNumber ? -1 : 1;
        state.by = column;
        heads.forEach((head, at) => head.setAttribute("aria-sort", columns[at] !== column ? "none"
            : state.direction > 0 ? "ascending" : "descending"));
        draw();
    }));
    draw();
    return [set.reports.length > 1 ? totals(set, filter) : null,
        set.pairs.length > 3 ? element("p", { class: "overview-search no-print" }, search, left) : null,
        element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Results" },
            element("table", { class: "overview" }, element("thead", {}, element("tr", {}, heads)), body)), more];
}

/** A target, with the precision that the model was looked at in. */
function targetName(target) {
    return plainText(target.name || target.target) + (target.as ? ` as ${plainText(target.as)}` : "");
}

/** What the search looks at. */
function overviewText(set, pair) {
    const first = (pair.target.advice || [])[0];
    return [modelName(set, pair.model), targetName(pair.target), pair.target.summary.verdict,
        first ? first.text : noStep(pair.target)].join(" ").toLowerCase();
}

function isDone({ verdict }) {
    return ["whole", "edge", "empty"].includes(verdict);
}

/** Of what is whole there is nothing to do; of all else, nothing that is known. */
function noStep({ summary }) {
    return isDone(summary) ? "nothing to do" : "none known";
}

/**
 * @typedef {{title: string, isNumber?: boolean, kind?: string, value?: (pair: Pair) => any, cell: (pair: Pair) => any}}
 *     OverviewColumn
 * @param {DocumentSet} set @returns {OverviewColumn[]}
 */
function overviewColumns(set) {
    const summary = (pair) => pair.target.summary, cost = (pair) => pair.target.cost || {};
    const known = (text) => (text === "not known" ? unknownMark() : text);
    const number = (title, value, cell) => ({ title, isNumber: true, value, cell: (pair) => known(cell(pair)) });
    const first = (pair) => (pair.target.advice || [])[0];
    const alone = (pair) => ((cost(pair).alternatives || {}).cpu || [])[1];
    const hasThresholds = set.outcomes.some((outcomes) => outcomes.length);
    const columns = [
        { title: "Model", kind: "name", value: (pair) => modelName(set, pair.model).toLowerCase(),
            cell: (pair) => modelName(set, pair.model) },
        { title: "Target", kind: "target", value: (pair) => targetName(pair.target),
            cell: (pair) => element("a", { href: writeAddress({ m: pair.model, t: pair.at }) },
                targetName(pair.target)) },
        { title: "Verdict", kind: "answer-cell", value: (pair) => verdictRanks[summary(pair).verdict] ?? 9,
            cell: (pair) => answerMark(summary(pair)) },
        { title: "Execution order", kind: "strip-cell", cell: (pair) => planStrip(pair.target) },
        number("Partitions", (pair) => summary(pair).partitions, (pair) => wholeText(summary(pair).partitions)),
        number("Coverage (MACs)", (pair) => summary(pair).mac_coverage,
            (pair) => shareText(summary(pair).mac_coverage)),
        number("Coverage (nodes)", (pair) => summary(pair).coverage, (pair) => shareText(summary(pair).coverage)),
        number("Time a run", (pair) => runTimes(pair.target)[1], (pair) => estimateText(runTimes(pair.target))),
        number("CPU alone", alone, (pair) => estimateOf((cost(pair).alternatives || {}).cpu)),
        hasThresholds && { title: "Thresholds", cell: (pair) => worstOutcome(outcomesOf(set, pair)) },
        { title: "Do first", kind: "first-step", value: (pair) => (first(pair) ? first(pair).text : ""),
            cell: (pair) => (first(pair) ? sentence(first(pair).text) : noStep(pair.target)) },
    ];
    return columns.filter(Boolean);
}

function overviewHead(column, onSort) {
    return element("th", { scope: "col", class: column.isNumber ? "number" : null, "aria-sort": "none" },
        column.value ? element("button", { type: "button", class: "link sort", onclick: onSort }, column.title)
            : column.title);
}

/** @param {OverviewColumn[]} columns @param {Pair} pair @param {Pair|undefined} above */
function overviewRow(columns, pair, above) {
    const isFirst = !above || above.model !== pair.model;
    return element("tr", { class: isFirst ? "first" : null, onclick: (event) => {
        if (!event.target.closest("a")) location.hash = writeAddress({ m: pair.model, t: pair.at });
    } }, columns.map((column) => (column.kind === "name"
        ? element("th", { scope: "row", class: "name" }, element("span", { class: isFirst ? null : "repeated" },
            column.cell(pair)))
        : element("td", { class: column.isNumber ? "number" : column.kind, "data-title": column.title },
            column.cell(pair)))));
}

/**
 * A line a target: how many models have which verdict. A click leaves these in the table; one more takes it back.
 * @param {DocumentSet} set @param {(verdict: string, target: string) => boolean} filter whether it is on now
 */
function totals(set, filter) {
    /** @type {Map<string, Pair[]>} */
    const byTarget = new Map();
    for (const pair of set.pairs) {
        const name = targetName(pair.target);
        byTarget.set(name, [...(byTarget.get(name) || []), pair]);
    }
    const buttons = [];
    const button = (verdict, target, count) => {
        const made = element("button", { type: "button", class: "total", "aria-pressed": "false", onclick: () => {
            const isOn = filter(verdict, target);
            for (const other of buttons) other.setAttribute("aria-pressed", String(isOn && other === made));
        } }, element("span", { class: "number" }, wholeText(count)), " ",
        answerMark({ verdict }));
        buttons.push(made);
        return made;
    };
    return element("table", { class: "totals" }, element("caption", { class: "offscreen" }, "Totals"),
        element("tbody", {}, [...byTarget].map(([target, pairs]) => element("tr", {},
            element("th", { scope: "row" }, target),
            element("td", { class: "total-verdicts" }, Object.keys(verdictRanks).map((verdict) => {
                const count = pairs.filter((pair) => pair.target.summary.verdict === verdict).length;
                return count > 0 && button(verdict, target, count);
            })), element("td", { class: "muted" }, totalText(pairs))))));
}

/** "118 partitions; faster than the CPU alone: 14 of 18 models" @param {Pair[]} pairs of one target */
function totalText(pairs) {
    const partitions = pairs.reduce((sum, { target }) => sum + target.summary.partitions, 0);
    const timed = pairs.filter(({ target }) => typeof runTimes(target)[1] === "number"
        && target.cost.alternatives && target.cost.alternatives.cpu);
    const faster = timed.filter(({ target }) => target.cost.typical_ms < target.cost.alternatives.cpu[1]);
    return countText(partitions, "partition") + (timed.length
        ? `; faster than the CPU alone: ${countOf(faster.length, timed.length, "model")} with a time` : "");
}

/** Targets of one model below each other, at one scale. @param {HTMLElement} root @param {DocumentSet} set */
function targetLanes(root, set, onRemove) {
    const pairs = set.pairs.filter(({ target }) => (target.order || []).length > 0);
    if (pairs.length < 2 || pairs.length > MOST_LANES) return;
    const place = element("div", { class: "compared-lanes" });
    root.append(element("h2", { class: "lanes-title" }, "Execution order"), place);
    const view = makeLaneView();
    const lanes = pairs.map((pair, at) => {
        const address = writeAddress({ m: pair.model, t: pair.at });
        const part = element("div", {}, element("p", { class: "lane-side" },
            element("a", { href: address }, targetName(pair.target)), " ", answerMark(pair.target.summary)));
        place.append(part);
        const lane = makeLane(part, prepare(pair.report, pair.target), pair.target, { id: `lane-${at}`,
            label: targetName(pair.target), view, select: (id) => {
                if (id !== null) location.hash = writeAddress({ m: pair.model, t: pair.at, n: id });
            }, hover: (id) => lanes.forEach((other) => other !== lane && other.mark(id)) });
        appendAll(part, [causeLegend(pair.target, null)]);
        onRemove(lane.remove);
        return lane;
    });
    place.prepend(laneControls(view, lanes));
    place.append(laneLegend(...lanes.map((lane) => lane.at.scene)),
        element("p", { id: "lane-help", class: "lane-help" }, laneHelp));
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
