/* SPDX-License-Identifier: Apache-2.0 */
/* Two plans side by side: figures, causes, nodes that changed, swim-lanes and waterfalls at one scale. */

/** Of kinds of nodes that changed, and of nodes of a kind. */
const CHANGED_SHOWN = 50;

/** A table of two sides. @param {string[]} titles @param {any[]} rows lists of cells; the first is the name of a row */
function sidesTable(label, titles, rows) {
    return element("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": label },
        element("table", { class: "sides" },
            element("thead", {}, element("tr", {}, titles.map((title) => element("th", { scope: "col" }, title)))),
            element("tbody", {}, rows.map((cells) => element("tr", {}, cells.map((cell, at) =>
                at ? element("td", {}, cell) : element("th", { scope: "row" }, cell)))))));
}

function figuresTable(before, after, names, diff) {
    return sidesTable("Figures", ["", names[0], names[1], "Change"],
        compareFigures(before.target, after.target, diff).map(({ figure, a, b, change }) =>
            [ofTaker(figure.name), figure.text(a), figure.text(b), changeMark(change)]));
}

/** new, lost, more, fewer or same; between two targets there is no before and after. */
function causeState(state, names, isTwoTargets) {
    if (isTwoTargets && state === "new") return `only ${names[1]}`;
    if (isTwoTargets && state === "lost") return `only ${names[0]}`;
    return state;
}

function causesTable(before, after, names, diff) {
    const causes = diff ? diff.causes : compareCauses(before.target, after.target);
    if (!causes.length) return element("p", { class: "muted" }, "None on either side.");
    const isTwoTargets = before.target.target !== after.target.target;
    return sidesTable("Causes", ["State", "Cause", "Nodes", ""], causes.map((cause) => [
        causeState(cause.state, names, isTwoTargets),
        [element("div", {}, sentence(cause.text)),
            cause.action && element("div", { class: "muted" }, sentence(cause.action))],
        cause.victims_before === cause.victims_after ? cause.victims_after.toLocaleString("en")
            : `${cause.victims_before.toLocaleString("en")} \u2192 ${cause.victims_after.toLocaleString("en")}`,
        changeMark(isTwoTargets ? null : cause.change)]));
}

/** The old node where nothing of it is left, or where another took its place. */
function oldNode(before, id) {
    const node = before.nodes[id];
    return [element("strong", {}, plainText(node.op)), " ", nodeName(node, id)];
}

/** "NPU, then CPU" by marks; of a node of one side where it runs. */
function changedText(after, before, item) {
    const from = item.before !== null && verdictMark(before.verdict[item.before]);
    const to = item.after !== null && verdictMark(after.verdict[item.after]);
    return [item.state !== "moved" && element("div", {}, item.state, ":"), from, from && to && " \u2192 ", to];
}

/** @param {Context} context @param {Graph} before @param {any[]} items of one kind */
function changedRow(context, before, items) {
    const nameOf = (item) => (item.after !== null ? nodeButton(context, item.after) : oldNode(before, item.before));
    const [first] = items;
    const was = first.state === "replaced" && element("div", { class: "muted" }, "was ", oldNode(before, first.before));
    const more = items.slice(1);
    return [items.length.toLocaleString("en"), [nameOf(first), was,
        first.cause && element("div", { class: "muted" }, sentence(first.cause)),
        more.length > 0 && disclosure(`and ${more.length.toLocaleString("en")} more`, element("ul", { class: "nodes" },
            more.slice(0, CHANGED_SHOWN).map((item) => element("li", {}, nameOf(item))),
            more.length > CHANGED_SHOWN && element("li", { class: "muted" }, "...")))],
    changedText(context.graph, before, first), changeMark(first.change)];
}

function changedTable(context, before, items) {
    const groups = groupChanged(before, context.graph, items), rest = groups.length - CHANGED_SHOWN;
    return [sidesTable("Nodes that changed", ["Nodes", "First of them", "What", ""],
        groups.slice(0, CHANGED_SHOWN).map((group) => changedRow(context, before, group))),
    rest > 0 && element("p", { class: "muted" }, `and ${rest.toLocaleString("en")} more kinds`)];
}

/** Nodes that are worse or better, then those that only one side has. */
function changedPart(context, before, match, diff) {
    const all = changedNodes(before, context.graph, match, diff);
    const isMoved = (item) => item.change === "worse" || item.change === "better";
    const moved = all.filter(isMoved), others = all.filter((item) => !isMoved(item));
    const states = { moved: "changed sides", replaced: "replaced", added: "added", removed: "removed" };
    const said = Object.entries(states).map(([state, words]) => {
        const count = all.filter((item) => item.state === state).length;
        return count ? `${count.toLocaleString("en")} ${words}` : "";
    }).filter(Boolean);
    return [element("p", {}, said.length ? `${said.join(", ")}.` : "All nodes run where they ran."),
        moved.length > 0 && changedTable(context, before, moved),
        others.length > 0 && disclosure(`${countText(others.length, "node")} that are neither better nor worse`,
            changedTable(context, before, others))];
}

/** One lane above the other; the node under the pointer of one is marked in the other. */
function comparedLanes(root, context, before, names, match) {
    const place = element("div", { class: "compared-lanes" });
    root.append(place);
    const view = makeLaneView();
    const counterpart = (ids, id) => (id === null || ids[id] < 0 ? null : ids[id]);
    const titled = (side) => {
        const part = element("div", {}, element("p", { class: "lane-side" }, names[side]));
        place.append(part);
        return part;
    };
    const lanes = [
        makeLane(titled(0), before.graph, before.target, { id: "lane-before", label: names[0], view,
            hover: (id) => lanes[1].mark(counterpart(match.toAfter, id)),
            select: (id) => context.select(counterpart(match.toAfter, id)) }),
        makeLane(titled(1), context.graph, context.target, { id: "lane-after", label: names[1], view,
            hover: (id) => lanes[0].mark(counterpart(match.toBefore, id)),
            select: (id) => context.select(id), open: () => context.goTo("details") }),
    ];
    place.prepend(laneControls(view, lanes));
    place.append(laneLegend(...lanes.map((lane) => lane.at.scene)));
    lanes.forEach((lane) => {
        appendAll(lane.parts.frame.parentElement, [causeLegend(lane.target, null)]);
        context.onRemove(lane.remove);
    });
    context.onSelect((id) => {
        lanes[1].select(id);
        lanes[0].mark(counterpart(match.toBefore, id));
    });
}

/** Both at one scale, with the same rows. */
function comparedWaterfalls(before, after, names) {
    const targets = [before.target, after.target];
    const kept = new Set(targets.flatMap((target) => waterfallRows(target.cost).rows.map((row) => row.part.id)));
    const highest = Math.max(...targets.map((target) => waterfallRows(target.cost).highest));
    if (!highest) return null;
    return element("div", { class: "charts" }, targets.map((target, at) =>
        element("div", {}, waterfallTable(target, { kept, highest, caption: names[at] }))));
}

/** "7 -> 1 partitions, 29.1 -> 4.96 ms": the change in a line. */
function changeHeadline(before, after, diff) {
    const [a, b] = [before.target, after.target];
    const arrow = (one, two) => (one === two ? one : `${one} \u2192 ${two}`);
    const times = [a, b].map((target) => (target.cost ? target.cost.typical_ms : null));
    const time = times.every((ms) => typeof ms === "number")
        ? `, ${arrow(shortNumber(times[0]), shortNumber(times[1]))} ms a run` : "";
    const left = [a, b].map(({ summary }) => wholeText(summary.live - summary.accepted));
    const change = diff ? diff.change
        : changeOfCount(verdictRanks[a.summary.verdict], verdictRanks[b.summary.verdict]);
    return element("p", { class: "headline-verdict" }, answerMark(a.summary),
        a.summary.verdict === b.summary.verdict ? null : ["\u2192 ", answerMark(b.summary)], " ",
        `${arrow(wholeText(a.summary.partitions), wholeText(b.summary.partitions))} `
            + `partition${[a, b].every(({ summary }) => summary.partitions === 1) ? "" : "s"}${time}, `
            + `${arrow(left[0], left[1])} nodes not ${b.summary.placed_later ? "taken" : after.graph.taker.place} `,
        a.target === b.target && changeMark(change));
}

/** What the run wrote, beside what it brings. @param {Context} context */
function writtenFiles(context) {
    const files = (context.actions && context.actions.written) || [];
    if (!files.length) return null;
    return element("p", { class: "written" }, files.map((file) => element("button", { type: "button", class: "primary",
        onclick: () => saveBlob(baseName(file.name), file.blob) },
    `Save ${plainText(file.name)} (${bytesText(file.blob.size)})`)));
}

addSection({
    id: "comparison",
    title: "Comparison",
    isOpening: true,
    isShown: (context) => Boolean(context.other),
    build(root, context) {
        const { report, target, graph } = context.other;
        const before = { report, target, graph: graph || prepare(report, target) };
        showTaker(context.target);
        const names = sideNames(before, context);
        const diff = diffOfSides(context.diff, before, context);
        const match = matchNodes(before.graph, context.graph, diff);
        const heading = (text) => element("h3", {}, text);
        root.classList.add("comparison");
        const hasNodes = before.graph.nodes.length > 0 && context.graph.nodes.length > 0;
        appendAll(root, [changeHeadline(before, context, diff),
            names[0] === "before" ? null : element("p", { class: "muted" }, `${names[0]} \u2192 ${names[1]}`),
            writtenFiles(context)]);
        if (hasNodes) comparedLanes(root, context, before, names, match);
        appendAll(root, [heading("Figures"), figuresTable(before, context, names, diff),
            heading("Causes"), causesTable(before, context, names, diff),
            hasNodes && [heading("Nodes"), changedPart(context, before.graph, match, diff)]]);
        const waterfalls = comparedWaterfalls(before, context, names);
        if (waterfalls) root.append(heading("Where the time of a run goes"), waterfalls);
    },
});
