/* SPDX-License-Identifier: Apache-2.0 */
/* Why nodes fall back, the most harmful cause first, and what to do about each. */

/** causes[].kind in words. */
const causeKinds = { op: "operator", dtype: "element type", rank: "rank", shape: "shape", dynamic: "dynamic shape",
    constant: "must be constant", attribute: "attribute", policy: "partitioning" };

addSection({
    id: "causes",
    title: "Causes and actions",
    isShown: (context) => (context.target.causes || []).length > 0,
    build(root, context) {
        const { causes } = context.target;
        /* The first step is the verdict's fix. */
        const told = new Set(adviceSteps(context.target).slice(0, 1).map((step) => step.id));
        const list = element("ol", { class: "causes" },
            causes.slice(0, CAUSES_AT_FIRST).map((cause, at) => causeItem(context, cause, at, told)));
        root.append(list);
        const rest = causes.slice(CAUSES_AT_FIRST);
        if (rest.length) root.append(moreButton(rest.length, () =>
            list.append(...rest.map((cause, at) => causeItem(context, cause, CAUSES_AT_FIRST + at, told)))));
        const others = (context.target.advice || []).filter((action) => !(action.causes || []).length);
        if (others.length) root.append(element("h3", {}, "Besides"),
            ...others.map((action) => actionItem(context, action, told)));
    },
});

const CAUSES_AT_FIRST = 12;

function moreButton(count, show) {
    const button = element("button", { type: "button", class: "more no-print", onclick: () => {
        button.remove();
        show();
    } }, `Show ${count} more`);
    return button;
}

/**
 * One cause: what it is, what it costs, where it lies, what to do.
 * @param {Context} context @param {Set<string>} told actions that stand above
 */
function causeItem(context, cause, at, told) {
    const actions = (context.target.advice || []).filter((action) => (action.causes || []).includes(cause.id));
    return element("li", { id: `cause-${cause.id}`, class: "cause" },
        element("div", { class: "cause-head" },
            element("span", { class: "cause-number", "aria-hidden": "true" }, causeBadge(at)),
            element("p", { class: "cause-text" }, sentence(cause.text), " ",
                element("span", { class: "kind" }, causeKinds[cause.kind] || plainText(cause.kind))),
            causeHarm(context, cause)),
        causeProof(context, cause),
        actions.map((action) => actionItem(context, action, told)));
}

/** How many nodes it affects, which partitions it ends, what that takes on the CPU. */
function causeHarm(context, cause) {
    const share = context.target.summary.live ? cause.victims / context.target.summary.live : null;
    return element("p", { class: "cause-harm" },
        context.graph.nodes.length ? element("button", { type: "button", class: "link",
            onclick: () => context.showNodes({ cause: cause.id }) },
            countText(cause.victims, "affected node")) : countText(cause.victims, "affected node"),
        share ? element("span", { class: "muted" }, ` (${shareText(share)})`) : null,
        (cause.cuts || []).length ? element("span", {}, `, ends ${countText(cause.cuts.length, "partition")}`) : null,
        typeof cause.cpu_ms === "number" ? element("span", {}, `, ${milliseconds(cause.cpu_ms)} on the CPU`) : null);
}

/** The requirement and what was found, by the first node; and the nodes. */
function causeProof(context, cause) {
    const { nodes } = context.graph;
    const affected = [];
    nodes.forEach((node, id) => {
        if (node.cause === cause.id) affected.push(id);
    });
    const own = cause.nodes || [];
    const first = [...own, ...affected].map((id) => nodes[id]).find((node) => node && reasonBy(node, cause.rule));
    const reason = first ? reasonBy(first, cause.rule) : null;
    const partitions = (cause.cuts || []).filter((id) => id !== null);
    const facts = factList([
        ["Requires", reason ? sentence(reason.text) : null],
        ["Found", reason && reason.found ? sentence(reason.found) : null],
        ["Because", reason && reason.because ? sentence(reason.because) : null],
        ["Rule", [element("code", {}, plainText(cause.rule)), reason && reason.source
            ? [element("br"), element("span", { class: "muted fine" }, sourceText(reason.source))] : null]],
        ["Lies in", own.length && nodes.length ? nodeList(context, own) : null],
        ["Affects", affected.length && !sameIds(affected, own)
            ? nodeList(context, affected, () => context.showNodes({ cause: cause.id })) : null],
        ["Ends", partitions.length ? [partitions.length === 1 ? "partition " : "partitions ",
            partitions.slice(0, MOST_ENDED).map((id, at) => [at ? ", " : null, partitionButton(context, id)]),
            partitions.length > MOST_ENDED ? ` and ${partitions.length - MOST_ENDED} more` : null] : null],
    ]);
    return printedDisclosure("Rule and nodes", facts);
}

const MOST_ENDED = 20;

function reasonBy(node, rule) {
    return (node.reasons || []).find((reason) => reason.rule === rule);
}

function sameIds(one, two) {
    return one.length === two.length && one.every((id, at) => id === two[at]);
}

function partitionButton(context, id) {
    return element("button", { type: "button", class: "link", title: `Show the nodes of partition ${id}`,
        onclick: () => context.showNodes({ partition: id }) }, String(id));
}

/** An action with what it leaves; where it stands above already, only its name. */
function actionItem(context, action, told) {
    const label = action.instead_of ? "Or" : action.action === "none" ? "Stays" : "Do";
    if (told.has(action.id)) return element("p", { class: "action repeated" }, element("strong", {}, `${label}: `),
        sentence(action.text), element("span", { class: "muted" }, " (see above)"));
    told.add(action.id);
    const command = adviceCommand(context, action);
    const needs = (context.target.advice || []).filter((other) => (action.needs || []).includes(other.id));
    const fine = [
        needs.length
            ? ["after ", needs.map((other, at) => [at ? ", " : null, "\u201c", sentence(other.text), "\u201d"])] : null,
        action.equality ? equalityTexts[action.equality] || plainText(action.equality) : null,
        (action.rewrites || []).length ? ["rewrites ", element("code", {}, action.rewrites.map(plainText).join(", "))]
            : null,
        action.fixable ? "the tool can do it" : null,
    ].filter(Boolean);
    return element("div", { class: `action${action.instead_of ? " action-instead" : ""}` },
        element("p", {}, element("strong", {}, `${label}: `), sentence(action.text)),
        action.action === "none" ? null
            : element("p", { class: "muted" }, afterText(action.after, context.target.decided)),
        fine.length ? element("p", { class: "muted fine" }, fine.map((part, at) => [at ? "; " : null, part])) : null,
        command || tryButton(context, action) ? element("p", { class: "action-command" },
            command && commandLine(command), tryButton(context, action)) : null);
}
