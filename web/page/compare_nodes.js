/* SPDX-License-Identifier: Apache-2.0 */
/* Which node of one plan is which of the other, and what became of nodes and causes. */

/** How far a node is from the NPU; what is not there any more is nearest. By numbers of verdictWords. */
const verdictDistances = [0, 2, 3, 1, 0, 0];

/**
 * Pairs of nodes: those that a diff names, then those of one name and operator, then those of one structure where both
 * sides have as many of it. With a diff, what it calls added or removed has no other side.
 * @param {Graph} before @param {Graph} after @param {any} diff one of a diff's targets, or null
 * @returns {{toAfter: Int32Array, toBefore: Int32Array}} by node id; -1: none
 */
function matchNodes(before, after, diff) {
    const toAfter = new Int32Array(before.nodes.length).fill(-1);
    const toBefore = new Int32Array(after.nodes.length).fill(-1);
    const alone = [new Set(), new Set()];
    for (const node of (diff && diff.nodes) || []) {
        if (node.before !== null && node.after !== null) {
            toAfter[node.before] = node.after;
            toBefore[node.after] = node.before;
        } else if (node.before !== null) alone[0].add(node.before);
        else alone[1].add(node.after);
    }
    const isOpen = [(id) => toAfter[id] < 0 && !alone[0].has(id), (id) => toBefore[id] < 0 && !alone[1].has(id)];
    const byName = (node) => (node.name ? `${node.graph}\n${node.name}\n${node.op}` : null);
    const byStructure = (node) => (node.structure ? `${node.op}\n${node.structure}` : null);
    for (const keyOf of [byName, byStructure]) matchByKey([before, after], isOpen, keyOf, (a, b) => {
        toAfter[a] = b;
        toBefore[b] = a;
    });
    return { toAfter, toBefore };
}

/** Nodes of one key are pairs in their order, where both sides have as many. */
function matchByKey(graphs, isOpen, keyOf, pair) {
    const [before, after] = graphs.map((graph, side) => {
        const ids = new Map();
        graph.nodes.forEach((node, id) => {
            const key = isOpen[side](id) ? keyOf(node) : null;
            const alike = key === null ? null : ids.get(key);
            if (alike && alike.length <= MOST_ALIKE) alike.push(id);
            else if (key !== null && !alike) ids.set(key, [id]);
        });
        return ids;
    });
    for (const [key, ids] of before) {
        const others = after.get(key) || [];
        if (ids.length === others.length && ids.length <= MOST_ALIKE) ids.forEach((id, at) => pair(id, others[at]));
    }
}

/** More nodes of one key are not told apart. */
const MOST_ALIKE = 64;

/**
 * The nodes that are not as they were: of the diff, else of those that match. The worse ones first.
 * @returns {{state: string, change: string, before: number|null, after: number|null, cause: string|null}[]}
 */
function changedNodes(before, after, match, diff) {
    if (diff) return diff.nodes.map((node) => ({ ...node,
        cause: node.cause !== null && diff.causes[node.cause] ? diff.causes[node.cause].text : null }));
    const changed = [];
    const add = (state, change, old, id) => void changed.push({ state, change, before: old, after: id, cause: null });
    match.toAfter.forEach((id, old) => {
        if (id < 0) {
            if (before.position[old] >= 0) add("removed", "different", old, null);
            return;
        }
        const from = verdictDistances[before.verdict[old]], to = verdictDistances[after.verdict[id]];
        if (from !== to) add("moved", to > from ? "worse" : "better", old, id);
    });
    match.toBefore.forEach((old, id) => {
        if (old < 0 && after.position[id] >= 0) add("added", "different", null, id);
    });
    const ranks = ["worse", "better", "different"];
    return changed.sort((a, b) => ranks.indexOf(a.change) - ranks.indexOf(b.change));
}

/**
 * The causes of both sides by their sentences, as targets have rules of their own, where no diff tells them.
 * @returns {any[]} as targets[].causes of a diff
 */
function compareCauses(before, after) {
    const old = new Map((before.causes || []).map((cause) => [cause.text, cause]));
    const states = (after.causes || []).map((cause) => {
        const was = old.get(cause.text);
        old.delete(cause.text);
        const change = was ? changeOfCount(was.victims, cause.victims) : "worse";
        const state = !was ? "new" : change === "worse" ? "more" : change === "better" ? "fewer" : "same";
        return { state, change, text: cause.text, action: null, victims_before: was ? was.victims : 0,
            victims_after: cause.victims };
    });
    const lost = [...old.values()].map((cause) => ({ state: "lost", change: "better", text: cause.text, action: null,
        victims_before: cause.victims, victims_after: 0 }));
    return [...states, ...lost];
}

/**
 * Nodes of one operator to which the same happened for the same cause, in the order of their first ones.
 * @param {Graph} before @param {Graph} after @param {any[]} items of changedNodes() @returns {any[][]}
 */
function groupChanged(before, after, items) {
    const groups = new Map();
    for (const item of items) {
        const op = item.after !== null ? after.nodes[item.after].op : before.nodes[item.before].op;
        const sides = [item.before === null ? "" : before.verdict[item.before],
            item.after === null ? "" : after.verdict[item.after]];
        const key = JSON.stringify([item.state, item.change, item.cause, op, ...sides]);
        if (!groups.has(key)) groups.set(key, []);
        groups.get(key).push(item);
    }
    return [...groups.values()];
}
