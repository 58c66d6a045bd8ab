/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of the node table without their drawing: which there are, in which order, and as CSV. */

/**
 * What is searched, a text a node, made when the first search needs it.
 * @param {Graph} graph
 */
function searchTexts(graph) {
    return graph.nodes.map((node, id) => {
        const parts = [id, node.name, node.op, node.domain];
        const at = node.at || {};
        parts.push(at.module, at.file && `${at.file}:${at.line}`);
        for (const reason of node.reasons || []) parts.push(reason.rule, reason.text, reason.found, reason.because);
        return parts.filter((part) => part !== undefined && part !== null && part !== "").join("\n").toLowerCase();
    });
}

/** A module and all that is in it. @param {any[]} modules target.modules @param {number} module */
function modulesBelow(modules, module) {
    const isIn = modules.map(() => false);
    isIn[module] = true;
    /* Parents stand before what is in them; where they do not, once more. */
    for (let hasChanged = true; hasChanged;) {
        hasChanged = false;
        modules.forEach((at, index) => {
            if (isIn[index] || at.parent === null || at.parent === undefined || !isIn[at.parent]) return;
            isIn[index] = hasChanged = true;
        });
    }
    return isIn;
}

/**
 * The ids that a filter leaves, in the order of the file.
 * @param {Graph} graph @param {any} target @param {TableFilter} filter @param {() => string[]} texts searchTexts
 */
function filteredNodes(graph, target, filter, texts) {
    const tests = [];
    const words = (filter.search || "").toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length) {
        const all = texts();
        tests.push((id) => words.every((word) => all[id].includes(word)));
    }
    if (filter.verdict !== undefined) tests.push((id) => graph.nodes[id].verdict === filter.verdict);
    if (filter.op !== undefined) tests.push((id) => graph.nodes[id].op === filter.op);
    if (filter.partition !== undefined) tests.push((id) => graph.nodes[id].partition === filter.partition);
    if (filter.cause !== undefined) {
        const at = (target.causes || []).find((cause) => cause.id === filter.cause);
        const own = new Set(at ? at.nodes : []);
        tests.push((id) => graph.nodes[id].cause === filter.cause || own.has(id));
    }
    if (filter.module !== undefined) {
        const isIn = modulesBelow(target.modules || [], filter.module);
        tests.push((id) => isIn[graph.nodes[id].module] === true);
    }
    const ids = [];
    for (const id of filter.nodes || graph.nodes.keys())
        if (id >= 0 && id < graph.nodes.length && tests.every((test) => test(id))) ids.push(id);
    return ids;
}

/** Columns that rows are sorted by: a number or a text of a node. What is not known comes last. */
const sortKeys = {
    order: (graph, id) => (graph.position[id] < 0 ? null : graph.position[id]),
    id: (graph, id) => id,
    op: (graph, id) => graph.nodes[id].op,
    name: (graph, id) => graph.nodes[id].name,
    verdict: (graph, id) => graph.verdict[id],
    reason: (graph, id) => firstReason(graph.nodes[id]),
    partition: (graph, id) => graph.nodes[id].partition,
    ms: (graph, id) => graph.ms[id],
    macs: (graph, id) => graph.macs[id],
    bytes: (graph, id) => graph.bytes[id],
};

const nameOrder = new Intl.Collator("en", { numeric: true });

/** @param {Graph} graph @param {number[]} ids @param {string} column @param {boolean} isDescending */
function sortedNodes(graph, ids, column, isDescending) {
    if (column === "id" && !isDescending) return ids;
    const key = sortKeys[column];
    const keyed = ids.map((id) => ({ id, key: key(graph, id) }));
    const isMissing = (value) => value === null || value === undefined || value === "" || Number.isNaN(value);
    const sign = isDescending ? -1 : 1;
    keyed.sort((one, two) => {
        const lacksOne = isMissing(one.key), lacksTwo = isMissing(two.key);
        if (lacksOne || lacksTwo) return Number(lacksOne) - Number(lacksTwo) || one.id - two.id;
        const order = typeof one.key === "string" ? nameOrder.compare(one.key, two.key) : one.key - two.key;
        return sign * order || one.id - two.id;
    });
    return keyed.map(({ id }) => id);
}

/** Why a node is where it is, in a few words: what was not met, else what was said. */
function firstReason(node) {
    const reasons = node.reasons || [];
    const reason = reasons.find((item) => item.outcome === "fail") || reasons.find((item) => item.outcome === "no")
        || reasons.find((item) => item.outcome === "unknown") || reasons[0];
    return reason ? reason.text : "";
}

/** @param {Graph} graph @param {number[]} ids */
function nodesAsCsv(graph, ids) {
    const columns = {
        id: (node, id) => id,
        graph: (node) => node.graph,
        index: (node) => node.index,
        name: (node) => node.name,
        op: (node) => node.op,
        domain: (node) => node.domain,
        verdict: (node) => node.verdict,
        partition: (node) => node.partition,
        cause: (node) => node.cause,
        rule: (node) => (node.reasons || []).map((reason) => reason.rule).join("; "),
        reason: (node) => (node.reasons || []).map((reason) => reason.text).join("; "),
        ms: (node) => node.ms,
        macs: (node) => node.work && node.work.macs,
        bytes_in: (node) => node.work && node.work.bytes_in,
        bytes_out: (node) => node.work && node.work.bytes_out,
        weight_bytes: (node) => node.work && node.work.weight_bytes,
        module: (node) => node.at && node.at.module,
        file: (node) => node.at && node.at.file,
        line: (node) => node.at && node.at.line,
    };
    const fields = Object.values(columns);
    const lines = [Object.keys(columns).join(",")];
    for (const id of ids) lines.push(fields.map((field) => csvField(field(graph.nodes[id], id))).join(","));
    return `${lines.join("\r\n")}\r\n`;
}
