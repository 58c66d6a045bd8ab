/* SPDX-License-Identifier: Apache-2.0 */
/* The modules of a model as rows of a tree: equal neighbours, as the layers of a decoder are, are one row. */

/**
 * A module, or several equal ones that stand side by side.
 * @typedef {Object} ModuleRow
 * @property {string} key @property {string} label
 * @property {number[]} modules places in target.modules: one, or the equal ones
 * @property {boolean} hasChildren
 * @property {ModuleRow[]|null} children found when they are first asked for
 */

/** What a tree of modules is asked for again and again. @param {any[]} modules */
function moduleIndex(modules) {
    /** @type {number[][]} */
    const children = modules.map(() => []);
    /** @type {number[]} */
    const roots = [];
    modules.forEach((module, at) => (module.parent === null ? roots : children[module.parent]).push(at));
    [roots, ...children].forEach((list) => sortNumbered(list, modules));
    return { modules, roots, children, kinds: moduleKinds(modules, children) };
}

/** @typedef {ReturnType<typeof moduleIndex>} ModuleIndex */

/** The last step of a path. */
function lastStep(path) {
    return path.slice(Math.max(path.lastIndexOf("."), path.lastIndexOf("/")) + 1);
}

/** Layers may run in another order than that of their numbers, where nothing depends on it. */
function sortNumbered(list, modules) {
    const numbers = new Map(list.map((at) => [at, lastStep(modules[at].path)]));
    if (list.every((at) => /^\d{1,9}$/.test(numbers.get(at))))
        list.sort((a, b) => Number(numbers.get(a)) - Number(numbers.get(b)));
}

/**
 * A number for each module; equal ones, with all that is in them, have the same. Times are left out: they may differ
 * in the last digit. A child stands after its parent in the list.
 */
function moduleKinds(modules, children) {
    const kinds = new Uint32Array(modules.length), seen = new Map();
    for (let at = modules.length - 1; at >= 0; at--) {
        const { path, live, accepted, macs, macs_on_npu: onNpu, switches } = modules[at];
        const label = lastStep(path).replace(/\d+/g, "#");
        const inside = children[at].map((child) => kinds[child]);
        const key = [label, live, accepted, macs, onNpu, switches, ...inside].join("|");
        if (!seen.has(key)) seen.set(key, seen.size);
        kinds[at] = seen.get(key);
    }
    return kinds;
}

/** A module that has nothing but one other is told together with it. */
function innermostOfChain(index, at) {
    const { modules, children } = index;
    while (children[at].length === 1 && modules[children[at][0]].nodes === modules[at].nodes) at = children[at][0];
    return at;
}

/** @param {ModuleIndex} index @param {number} at @param {string} within the path of what is told above */
function moduleRow(index, at, within) {
    const inner = innermostOfChain(index, at), path = index.modules[inner].path;
    return {
        key: String(at),
        label: within && path.startsWith(within) ? path.slice(within.length + 1) : path,
        modules: [inner],
        hasChildren: index.children[inner].length > 0,
        children: null,
    };
}

/**
 * Neighbours of one kind become one row. @param {ModuleIndex} index @param {number[]} list @param {string} within
 * @returns {ModuleRow[]}
 */
function moduleRows(index, list, within) {
    const rows = [];
    for (let at = 0; at < list.length;) {
        let end = at + 1;
        while (end < list.length && index.kinds[list[end]] === index.kinds[list[at]]) end++;
        const alone = list.slice(at, end).map((module) => moduleRow(index, module, within));
        rows.push(...(alone.length > 1 && alone[0].label !== alone[1].label ? [groupRow(alone)] : alone));
        at = end;
    }
    return rows;
}

/** @param {ModuleRow[]} alone @returns {ModuleRow} */
function groupRow(alone) {
    return {
        key: `${alone[0].key}-${alone[alone.length - 1].key}`,
        label: `${alone[0].label} to ${alone[alone.length - 1].label}`,
        modules: alone.flatMap((row) => row.modules),
        hasChildren: true,
        children: alone,
    };
}

/** @param {ModuleIndex} index @param {ModuleRow} row @returns {ModuleRow[]} */
function childRows(index, row) {
    const at = row.modules[0];
    if (!row.children) row.children = moduleRows(index, index.children[at], index.modules[at].path);
    return row.children;
}

/**
 * What is opened at first: from the top, as long as no more rows than `most` are seen.
 * @param {ModuleIndex} index @param {ModuleRow[]} roots @returns {Set<string>} their keys
 */
function firstOpen(index, roots, most = 14) {
    const open = new Set();
    let rows = roots, seen = roots.length;
    while (rows.length) {
        const next = [];
        for (const row of rows) {
            if (!row.hasChildren || row.modules.length > 1) continue;
            const children = childRows(index, row);
            if (seen + children.length > most) continue;
            open.add(row.key);
            seen += children.length;
            next.push(...children);
        }
        rows = next;
    }
    return open;
}

/** The figures of a row: sums of those of its modules; null where one is not known. @param {any[]} modules */
function sumOfModules(modules) {
    const sum = {};
    for (const field of ["live", "accepted", "macs", "macs_on_npu", "npu_ms", "cpu_ms", "switches"])
        sum[field] = modules.some((module) => module[field] === null) ? null
            : modules.reduce((all, module) => all + module[field], 0);
    return sum;
}
