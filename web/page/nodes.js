/* SPDX-License-Identifier: Apache-2.0 */
/* All nodes, in a table of which only the rows in sight are elements: twenty thousand rows are as quick as twenty. */

/** What nodes.css says of a row, in pixels. */
const ROW_HEIGHT = 30;
/** Rows above and below those in sight, so that scrolling shows no gap. */
const ROWS_BESIDE = 12;

/** `text`: what may not fit, as a hint. */
const nodeColumns = [
    { id: "order", title: "Order", label: "Execution order", isNumber: true, isUpFirst: true,
        cell: (graph, id) => (graph.position[id] < 0 ? "" : graph.position[id] + 1) },
    { id: "id", title: "#", label: "Number", isNumber: true, isUpFirst: true, cell: (graph, id) => id },
    { id: "op", title: "Op", text: (node) => plainText(node.op), cell: (graph, id) => plainText(graph.nodes[id].op) },
    { id: "name", title: "Name", text: nodeName, cell: (graph, id) =>
        element("bdi", { dir: "ltr" }, nodeName(graph.nodes[id], id)) },
    { id: "verdict", title: "Verdict", cell: (graph, id) => verdictMark(graph.verdict[id]) },
    { id: "reason", title: "Why", text: (node) => plainText(firstReason(node)), cell: (graph, id) =>
        sentence(firstReason(graph.nodes[id])) },
    { id: "partition", title: "Part.", label: "Partition", isNumber: true,
        cell: (graph, id) => (graph.nodes[id].partition === null ? "" : graph.nodes[id].partition) },
    { id: "ms", title: "ms", label: "Time in ms", isNumber: true,
        cell: (graph, id) => (Number.isNaN(graph.ms[id]) ? "" : shortNumber(graph.ms[id])) },
    { id: "macs", title: "MACs", isNumber: true,
        cell: (graph, id) => (graph.macs[id] > 0 ? amountText(graph.macs[id]) : "") },
    { id: "bytes", title: "Bytes", isNumber: true,
        cell: (graph, id) => (Number.isNaN(graph.bytes[id]) ? "" : bytesText(graph.bytes[id])) },
];

addSection({
    id: "nodes",
    title: "Nodes",
    isShown: (context) => context.graph.nodes.length > 0,
    build(root, context) {
        const table = makeNodeTable(context);
        const bar = makeFilterBar(context, table);
        root.append(bar.root, ...table.parts);
        context.onShowNodes((filter) => bar.set(filter));
        context.onSelect((id) => table.follow(id));
        printRestOnPaper(root, context);
        bar.apply();
        if (context.selected !== null) table.follow(context.selected);
    },
});

/** The table itself: shows ids, sorts them, and moves a cursor over them. @param {Context} context */
function makeNodeTable(context) {
    const { graph } = context;
    const state = { ids: [], cursor: 0, column: "order", isDescending: false, first: -1, last: -1, top: 0,
        height: 640 };
    const above = element("tbody", { role: "presentation" }), below = element("tbody", { role: "presentation" });
    const body = element("tbody", { role: "presentation" });
    const heads = nodeColumns.map((column) => columnHead(column, () => sortBy(column)));
    const table = element("table", { role: "presentation" },
        element("thead", { role: "presentation" }, element("tr", { role: "row", "aria-rowindex": 1 }, heads)), above,
            body, below);
    const nothing = element("p", { class: "nothing", hidden: true }, "No node is left by these filters.");
    const help = element("p", { id: "nodes-help", class: "offscreen" },
        "Arrows move, Enter selects a node, Escape none.");
    const root = element("div", { class: "node-table", tabindex: "0", role: "grid", "aria-label": "Nodes",
        "aria-describedby": help.id,
        "aria-colcount": nodeColumns.length,
        onscroll: () => {
            state.top = root.scrollTop;
            draw(false);
        }, onkeydown: (event) => onKey(event) }, table);

    function sortBy(column) {
        state.isDescending = state.column === column.id ? !state.isDescending
            : Boolean(column.isNumber && !column.isUpFirst);
        state.column = column.id;
        show(state.ids);
        announce(`sorted by ${column.label || column.title}, ${state.isDescending ? "descending" : "ascending"}`);
    }
    function show(ids) {
        const at = state.ids[state.cursor];
        state.ids = sortedNodes(graph, [...ids].sort((one, two) => one - two), state.column, state.isDescending);
        state.cursor = Math.max(0, state.ids.indexOf(context.selected === null ? at : context.selected));
        heads.forEach((head, index) => head.setAttribute("aria-sort",
            nodeColumns[index].id !== state.column ? "none" : state.isDescending ? "descending" : "ascending"));
        root.setAttribute("aria-rowcount", String(state.ids.length + 1));
        nothing.hidden = state.ids.length > 0;
        root.hidden = !nothing.hidden;
        draw(true);
        if (state.cursor > 0 || state.top > 0) bringInSight();
    }
    function draw(isAlways) {
        const visible = Math.ceil(state.height / ROW_HEIGHT);
        const first = Math.max(0, Math.min(Math.floor(state.top / ROW_HEIGHT) - ROWS_BESIDE,
            state.ids.length - visible));
        const last = Math.min(state.ids.length, first + visible + 2 * ROWS_BESIDE);
        if (!isAlways && first === state.first && last === state.last) return;
        Object.assign(state, { first, last });
        spacer(above, first);
        spacer(below, state.ids.length - last);
        body.replaceChildren(...state.ids.slice(first, last).map((id, index) =>
            nodeRow(context, id, first + index, first + index === state.cursor)));
        const hasCursor = state.cursor >= first && state.cursor < last;
        if (hasCursor) root.setAttribute("aria-activedescendant", `row-${state.ids[state.cursor]}`);
        else root.removeAttribute("aria-activedescendant");
    }
    function bringInSight() {
        const top = state.cursor * ROW_HEIGHT;
        if (top < state.top) root.scrollTop = state.top = top;
        else if (top + 2 * ROW_HEIGHT > state.top + state.height) root.scrollTop = state.top = top
            + 2 * ROW_HEIGHT - state.height;
        draw(false);
    }
    function moveTo(cursor) {
        state.cursor = Math.max(0, Math.min(cursor, state.ids.length - 1));
        draw(true);
        bringInSight();
    }
    function onKey(event) {
        const page = Math.max(1, Math.floor(state.height / ROW_HEIGHT) - 2);
        const steps = { ArrowUp: -1, ArrowDown: 1, PageUp: -page, PageDown: page, Home: -Infinity, End: Infinity };
        if (event.target !== root || event.ctrlKey || event.altKey || event.metaKey || !state.ids.length) return;
        if (event.key in steps) moveTo(state.cursor + steps[event.key]);
        else if (event.key === "Enter" || event.key === " ") context.select(state.ids[state.cursor]);
        else if (event.key === "Escape") context.select(null);
        else return;
        event.preventDefault();
    }
    /* Its height is told, so that nothing here makes the browser lay out the page at once. */
    const observer = new ResizeObserver(() => {
        state.height = root.clientHeight;
        draw(true);
    });
    observer.observe(root);
    context.onRemove(() => observer.disconnect());
    return {
        parts: [help, root, nothing],
        show,
        get ids() {
            return state.ids;
        },
        /** Another part has selected a node. */
        follow(id) {
            const at = id === null ? -1 : state.ids.indexOf(id);
            if (at >= 0 && at !== state.cursor) moveTo(at);
            else draw(true);
        },
    };
}

/** Takes the place of rows that are out of sight. */
function spacer(part, rows) {
    part.replaceChildren(...(rows > 0 ? [element("tr", { "aria-hidden": "true" }, element("td", {}))] : []));
    if (rows > 0) part.firstChild.style.height = `${rows * ROW_HEIGHT}px`;
}

function columnHead(column, onClick) {
    return element("th",
        { scope: "col", role: "columnheader", class: `column-${column.id}${column.isNumber ? " number" : ""}` },
        element("button", { type: "button", class: "sort", title: column.label || null, onclick: onClick },
            column.title));
}

/** @param {Context} context @param {number} id @param {number} at its place among the rows */
function nodeRow(context, id, at, isCursor) {
    const { graph } = context;
    return element("tr", { role: "row", id: `row-${id}`, "aria-rowindex": at + 2,
        "aria-selected": id === context.selected ? "true" : "false",
        class: isCursor ? "cursor" : null, onclick: () => context.select(id) },
    nodeColumns.map((column) =>
        element("td", { role: "gridcell", class: `column-${column.id}${column.isNumber ? " number" : ""}`,
        title: column.text ? column.text(graph.nodes[id], id) : null },
    column.cell(graph, id))));
}

/** On paper: the nodes that are not on the NPU, as rows that are all there. @param {Context} context */
function printRestOnPaper(root, context) {
    const { graph } = context;
    const paper = element("div", { class: "only-print" });
    root.append(paper);
    const fill = () => {
        const rest = sortedNodes(graph, [...graph.nodes.keys()], "order", false).filter((id) =>
            [VERDICT_CPU, VERDICT_FAIL, VERDICT_UNKNOWN].includes(graph.verdict[id]));
        const first = `; the first ${MOST_ON_PAPER}:`;
        const columns = nodeColumns.filter((column) => !["partition", "macs", "bytes"].includes(column.id));
        paper.replaceChildren(
            element("p", {}, rest.length
                ? `${countText(rest.length, "node")} not ${taker.place}${rest.length > MOST_ON_PAPER ? first : ":"}`
                : `All nodes are ${taker.place}.`),
            element("table", {}, element("thead", {}, element("tr", {},
                columns.map((column) => element("th", { scope: "col", class: column.isNumber ? "number" : null },
                column.title)))),
                element("tbody", {}, rest.slice(0, MOST_ON_PAPER).map((id) => element("tr", {},
                    columns.map((column) => element("td", { class: column.isNumber ? "number" : null },
                        column.cell(graph, id))))))));
    };
    onPaper(context, fill, () => paper.replaceChildren());
}

const MOST_ON_PAPER = 300;
