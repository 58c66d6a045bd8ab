/* SPDX-License-Identifier: Apache-2.0 */
/* The controls above the node table: search, filters, how many are left, CSV. */

/** @param {Context} context @param {ReturnType<typeof makeNodeTable>} table */
function makeFilterBar(context, table) {
    const { graph, target } = context;
    /** @type {string[]|null} */
    let texts = null;
    /** Nodes by their ids, as another part asked for them. @type {{nodes: number[], label: string}|null} */
    let given = null;
    const search = element("input", { type: "search", placeholder: "Name, op, module, rule, reason",
        "aria-label": "Search nodes",
        autocomplete: "off", spellcheck: "false", oninput: () => apply() });
    const lists = filterLists(graph, target, () => apply());
    const count = element("span", { class: "count", role: "status" });
    const chip = element("button", { type: "button", class: "chip", hidden: true, onclick: () => {
        given = null;
        apply();
    } });
    const clear = element("button", { type: "button", class: "clear", hidden: true, onclick: () => {
        set({});
        search.focus();
    } }, "Clear filters");
    const root = element("div", { class: "node-filters no-print", role: "search" }, search,
        lists.map((list) => list.root), chip, clear, count,
        element("button", { type: "button", onclick: () =>
            saveBlob(`${baseName(context.report.model.path)}.nodes.csv`,
                new Blob([nodesAsCsv(graph, table.ids)], { type: "text/csv" })) }, "Save as CSV"));

    /** @returns {TableFilter} */
    function current() {
        const filter = /** @type {any} */ ({ search: search.value, ...(given ? { nodes: given.nodes } : {}) });
        for (const list of lists) if (list.value() !== undefined) filter[list.field] = list.value();
        return filter;
    }
    function apply() {
        const filter = current();
        table.show(filteredNodes(graph, target, filter, () => (texts = texts || searchTexts(graph))));
        const isFiltered = Object.values(filter).some((value) => value !== undefined && value !== "");
        count.textContent = isFiltered ? countOf(table.ids.length, graph.nodes.length, "node")
            : countText(graph.nodes.length, "node");
        chip.hidden = !given;
        chip.textContent = given ? `${given.label} \u2715` : "";
        chip.setAttribute("aria-label", given ? `Remove the filter: ${given.label}` : "");
        clear.hidden = !isFiltered;
    }
    /** @param {TableFilter} filter what is not in it is cleared */
    function set(filter) {
        search.value = filter.search || "";
        given = filter.nodes ? { nodes: filter.nodes, label: plainText(filter.label
            || countText(filter.nodes.length, "node")) } : null;
        for (const list of lists) list.set(filter[list.field]);
        apply();
    }
    return { root, set, apply };
}

/** The lists to choose from; one that leaves no choice is not there. @param {Graph} graph */
function filterLists(graph, target, onChange) {
    const causes = target.causes || [], partitions = target.partitions || [], modules = target.modules || [];
    const counted = (values) => {
        const counts = new Map();
        for (const value of values) counts.set(value, (counts.get(value) || 0) + 1);
        return counts;
    };
    const verdicts = counted(graph.nodes.map((node) => node.verdict));
    const ops = [...counted(graph.nodes.map((node) => node.op))].sort((one, two) => two[1] - one[1]
        || nameOrder.compare(one[0], two[0]));
    const short = (text) => (text.length > 80 ? `${text.slice(0, 79)}\u2026` : text);
    return [
        filterList("verdict", "Verdict", verdictWords.filter((word) => verdicts.has(word))
            .map((word) => [word, `${verdictTexts[verdictWords.indexOf(word)]} (${verdicts.get(word)})`]), onChange),
        filterList("op", "Op", ops.map(([op, count]) => [op, `${plainText(op)} (${count})`]), onChange),
        filterList("partition", "Partition", partitions.map((partition) =>
            [partition.id, `${partition.id} (${countText(partition.nodes.length, "node")})`]), onChange),
        filterList("cause", "Cause", causes.map((cause, at) => [cause.id,
            short(`${at + 1}. ${plainText(cause.text).replace(/`/g, "")}`)]), onChange),
        filterList("module", "Module", modules.map((module, at) => [at, short(plainText(module.path))]), onChange),
    ].filter(Boolean);
}

/**
 * @param {string} field of a filter @param {string} label @param {[any, string][]} options values and their texts
 */
function filterList(field, label, options, onChange) {
    if (options.length < 2 && field !== "cause") return null;
    if (!options.length) return null;
    const select = element("select", { "aria-label": label, onchange: () => {
        select.classList.toggle("is-set", select.selectedIndex > 0);
        onChange();
    } }, element("option", { value: "" }, `${label}: all`),
        options.map(([, text], at) => element("option", { value: at }, text)));
    return {
        root: select,
        field,
        value: () => (select.selectedIndex > 0 ? options[select.selectedIndex - 1][0] : undefined),
        set(value) {
            select.selectedIndex = value === undefined ? 0 : options.findIndex(([key]) => key === value) + 1;
            select.classList.toggle("is-set", select.selectedIndex > 0);
        },
    };
}
