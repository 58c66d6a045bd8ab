/* SPDX-License-Identifier: Apache-2.0 */
/* Coverage by the modules of the model's source: a table that opens like a tree. */

/** Of one module, before the rest of its children is one line. */
const MODULES_SHOWN = 200;

const moduleColumns = [
    { title: "Module" },
    { title: "Nodes on the NPU", isNumber: true },
    { title: "MACs on the NPU", isNumber: true },
    { title: "NPU, ms", isNumber: true },
    { title: "CPU, ms", isNumber: true },
    { title: "Switches", isNumber: true },
];

/** Those of the rows that are seen, with how deep they stand. */
function visibleRows(index, roots, open) {
    const seen = [];
    const add = (rows, level) => {
        rows.slice(0, MODULES_SHOWN).forEach((row, at) => {
            seen.push({ row, level, place: at + 1, count: rows.length });
            if (open.has(row.key)) add(childRows(index, row), level + 1);
        });
        if (rows.length > MODULES_SHOWN) seen.push({ row: null, level, more: rows.length - MODULES_SHOWN });
    };
    add(roots, 1);
    return seen;
}

/** "12 of 14" over a bar. */
function partCell(part, all, text) {
    const share = part === null || all === null ? null : all === 0 ? null : part / all;
    return element("td", { role: "gridcell", class: "number part" }, text, share === null ? null : shareBar(share));
}

function moduleCells(sum) {
    const time = (ms) => element("td", { role: "gridcell", class: "number" },
        ms === null ? unknownMark() : ms === 0 ? "0" : columnNumber(ms));
    const isKnown = sum.macs !== null && sum.macs_on_npu !== null;
    return [
        partCell(sum.accepted, sum.live, `${sum.accepted.toLocaleString("en")} of ${sum.live.toLocaleString("en")}`),
        partCell(sum.macs_on_npu, sum.macs, !isKnown ? unknownMark()
            : sum.macs ? `${shareText(sum.macs_on_npu / sum.macs)} of ${amountText(sum.macs)}` : "0"),
        time(sum.npu_ms), time(sum.cpu_ms),
        element("td", { role: "gridcell", class: "number" }, sum.switches.toLocaleString("en")),
    ];
}

/** The nodes of a row's modules, with those of all that is in them. */
function showModules(context, row) {
    if (row.modules.length === 1) {
        context.showNodes({ module: row.modules[0] });
        return;
    }
    const wanted = new Set(row.modules);
    /** @type {boolean[]} */
    const isInside = [];
    for (const [at, module] of context.target.modules.entries())
        isInside.push(wanted.has(at) || (module.parent !== null && isInside[module.parent]));
    const nodes = [];
    context.graph.nodes.forEach((node, id) => {
        if (typeof node.module === "number" && isInside[node.module]) nodes.push(id);
    });
    context.showNodes({ nodes, label: plainText(row.label) });
}

/** The innermost row that is seen and holds the node. @param {any[]} seen @param {any} target */
function keyOfNode(seen, target, id) {
    const around = new Set();
    const node = id === null ? null : target.nodes[id];
    for (let at = node ? node.module : null; typeof at === "number"; at = target.modules[at].parent) around.add(at);
    const holding = seen.filter((item) => item.row && item.row.modules.some((module) => around.has(module)));
    return holding.length ? holding[holding.length - 1].row.key : null;
}

/** A tree of modules as a table. @param {Context} context */
function moduleTable(context) {
    const index = moduleIndex(context.target.modules);
    const roots = moduleRows(index, index.roots, "");
    const open = firstOpen(index, roots);
    const body = element("tbody", {});
    let active = roots[0].key;

    const toggle = (row) => {
        if (!row.hasChildren) return;
        if (!open.delete(row.key)) open.add(row.key);
        active = row.key;
        draw();
        focusActive();
    };
    const rowElement = ({ row, level, place, count, more }) => {
        if (!row) return element("tr", { role: "row", "aria-level": level, class: `level-${Math.min(level, 9)}` },
            element("td", { role: "gridcell", colspan: moduleColumns.length, class: "muted" }, `and ${more} more`));
        const isOpen = open.has(row.key), all = row.modules.map((at) => index.modules[at]);
        return element("tr", { role: "row", "aria-level": level, "aria-posinset": place, "aria-setsize": count,
            "aria-expanded": row.hasChildren ? String(isOpen) : null, tabindex: row.key === active ? "0" : "-1",
            "data-key": row.key, class: `level-${Math.min(level, 9)}` },
        element("th", { role: "rowheader", scope: "row", class: "name" }, element("div", {},
            element("span", { class: "twisty", "aria-hidden": "true", onclick: () => toggle(row) },
                row.hasChildren ? (isOpen ? "\u25be" : "\u25b8") : ""),
            element("span", {}, element("button", { type: "button", class: "link", tabindex: "-1",
                onclick: () => showModules(context, row) }, plainText(row.label)),
            all.length > 1 && element("span", { class: "tag" }, `${all.length} equal`)))),
        moduleCells(sumOfModules(all)));
    };
    const markSelected = () => {
        const key = keyOfNode(visibleRows(index, roots, open), context.target, context.selected);
        for (const row of body.children) row.setAttribute("aria-selected", String(row.dataset.key === key));
    };
    const draw = () => {
        body.replaceChildren(...visibleRows(index, roots, open).map(rowElement));
        markSelected();
    };
    context.onSelect(markSelected);
    const focusActive = () => {
        for (const row of body.children) row.tabIndex = row.dataset.key === active ? 0 : -1;
        const found = Array.from(body.children).find((row) => row.dataset.key === active);
        if (found) found.focus();
    };
    const moveTo = (key) => {
        if (key === undefined) return;
        active = key;
        focusActive();
    };
    body.addEventListener("keydown", (event) => {
        const seen = visibleRows(index, roots, open).filter((item) => item.row);
        const at = seen.findIndex((item) => item.row.key === active);
        const isHandled = at >= 0 && !event.altKey && !event.ctrlKey && !event.metaKey
            && moduleKey(event.key, seen, at, open, { moveTo, toggle, show: (row) => showModules(context, row) });
        if (isHandled) event.preventDefault();
    });
    body.addEventListener("focusin", (event) => {
        const row = event.target.closest("tr");
        if (row && row.dataset.key) active = row.dataset.key;
    });
    draw();
    return element("table", { role: "treegrid", class: "modules", "aria-label": "Coverage by module" },
        element("thead", {}, element("tr", { role: "row" }, moduleColumns.map((column) =>
            element("th", { role: "columnheader", scope: "col", class: column.isNumber ? "number" : null },
                ofTaker(column.title))))), body);
}

/**
 * The keys of a treegrid, by rows. @param {string} key @param {any[]} seen @param {number} at the active one
 * @param {Set<string>} open
 * @param {{moveTo: (key?: string) => void, toggle: (row: ModuleRow) => void, show: (row: ModuleRow) => void}} act
 * @returns {boolean} whether the key means something here
 */
function moduleKey(key, seen, at, open, act) {
    const { row, level } = seen[at];
    const keyOf = (item) => (item ? item.row.key : undefined);
    const isOpen = open.has(row.key);
    if (key === "ArrowDown") act.moveTo(keyOf(seen[at + 1]));
    else if (key === "ArrowUp") act.moveTo(keyOf(seen[at - 1]));
    else if (key === "Home") act.moveTo(keyOf(seen[0]));
    else if (key === "End") act.moveTo(keyOf(seen[seen.length - 1]));
    else if (key === "ArrowRight" && row.hasChildren && !isOpen) act.toggle(row);
    else if (key === "ArrowRight") act.moveTo(isOpen ? keyOf(seen[at + 1]) : undefined);
    else if (key === "ArrowLeft" && isOpen) act.toggle(row);
    else if (key === "ArrowLeft")
        act.moveTo(keyOf(seen.slice(0, at).reverse().find((item) => item.level < level)));
    else if (key === " ") act.toggle(row);
    else if (key === "Enter") act.show(row);
    else return false;
    return true;
}

addSection({
    id: "modules",
    title: "Modules",
    isShown: (context) => (context.target.modules || []).length > 0,
    build(root, context) {
        root.append(
            element("p", { class: "muted" }, "By the names that the exporter left. A name shows its nodes."),
            element("div", { class: "scroll" }, moduleTable(context)));
    },
});
