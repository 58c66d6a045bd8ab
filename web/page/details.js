/* SPDX-License-Identifier: Apache-2.0 */
/* The selected node, beside the other sections where there is room; while none is, they have all the room. */

addSection({
    id: "details",
    title: "Details",
    isShown: (context) => context.graph.nodes.length > 0,
    build(root, context) {
        const body = element("div", { class: "details" });
        root.append(body, selectionBar(root, context));
        let uses;
        const show = (id) => {
            if (uses === undefined) uses = tensorUses(context.graph, context.target);
            document.documentElement.classList.toggle("has-selection", id !== null);
            if (id === null) return;
            body.replaceChildren(...nodeDetails(context, id, uses).flat().filter(Boolean));
            root.scrollTop = 0;
            const { nodes, verdict } = context.graph;
            context.announce(`${plainText(nodes[id].op)} ${nodeName(nodes[id], id)}: ${verdictTexts[verdict[id]]}`);
        };
        context.onSelect(show);
        context.onRemove(() => document.documentElement.classList.remove("has-selection"));
        show(context.selected);
    },
});

/** @param {Context} context @param {number} id @param {ReturnType<typeof tensorUses>} uses */
function nodeDetails(context, id, uses) {
    const node = context.graph.nodes[id];
    return [
        nodeHead(context, id),
        uses && node.inputs ? neighbourGraph(context, id, uses) : null,
        context.graph.position[id] >= 0 ? placeStrip(context, context.graph.position[id]) : null,
        reasonList(node),
        causeOfNode(context, node),
        placeOfNode(context, node, id),
        workOfNode(context.graph, node, id),
        uses && node.inputs ? [element("h3", {}, "Inputs"), tensorList(context, uses, node.inputs, true),
            element("h3", {}, "Outputs"), tensorList(context, uses, node.outputs || [], false)] : [],
        nodeActions(context, node, id, uses),
    ].flat();
}

/** Name, verdict, and the way to the neighbours in execution order. */
function nodeHead(context, id) {
    const { nodes, order, position, verdict } = context.graph;
    const node = nodes[id], at = position[id];
    const step = (to, sign, label) => element("button", { type: "button", class: "small", "aria-label": label,
        title: label,
        disabled: to < 0 || to >= order.length, onclick: () => context.select(order[to]) }, sign);
    return [
        element("div", { class: "details-bar" },
            element("span", { class: "muted" }, at < 0 ? `node ${id}`
                : `node ${id}, ${wholeText(at + 1)} of ${wholeText(order.length)} in order`),
            at < 0 ? null : [step(at - 1, "\u2190", "Previous in execution order"),
                step(at + 1, "\u2192", "Next in execution order")],
            element("button", { type: "button", class: "small", "aria-label": "Close: no node is selected",
                onclick: () => context.select(null) }, "\u2715")),
        element("p", { class: "details-op" }, element("strong", {}, plainText(node.op)),
            node.domain ? element("span", { class: "muted" }, ` ${plainText(node.domain)}`) : null, " ",
                verdictMark(verdict[id])),
        element("p", { class: "details-name" }, element("code", {}, nodeName(node, id))),
        node.into === null || node.into === undefined ? null
            : element("p", {}, "Fused into ", nodeButton(context, node.into), ", whose verdict holds."),
    ];
}

const outcomeTexts = { no: ["not met", "bad"], fail: ["fails to compile", "bad"], unknown: ["undecided", "unknown"],
    note: ["note", "plain"], elsewhere: ["not on the NPU", "unknown"] };

/** Every reason: what is required, what was found, why, and by which rule. */
function reasonList(node) {
    const reasons = node.reasons || [];
    if (!reasons.length) return element("p", { class: "muted" }, "Every rule of the target is met.");
    return element("ul", { class: "reasons" }, reasons.map((reason) => {
        const [word, kind] = outcomeTexts[reason.outcome] || [null, null];
        const isPlain = reason.outcome === undefined;
        return element("li", { class: kind ? `reason-${kind}` : null },
            element("p", {}, word ? [element("strong", { class: `answer-${kind}` }, word), " "] : null,
                sentence(reason.text)),
            reason.found ? element("p", {}, element("span", { class: "muted" }, isPlain ? "" : "found "),
                sentence(reason.found)) : null,
            reason.because ? element("p", {}, element("span", { class: "muted" }, "because "), sentence(reason.because))
                : null,
            element("p", { class: "muted fine" }, element("code", {}, plainText(reason.rule)),
                reason.gate && !isPlain ? ` (stage ${plainText(reason.gate)})` : null,
                reason.source ? [element("br"), sourceText(reason.source)] : null));
    }));
}

/** What it falls back for, and what to do about that. */
function causeOfNode(context, node) {
    const cause = (context.target.causes || []).find((item) => item.id === node.cause);
    if (!cause) return null;
    const action = (context.target.advice || []).find((item) => (item.causes || []).includes(cause.id));
    return [
        element("h3", {}, "Cause"),
        element("p", {}, causeBadge(causePlace(context.target, cause.id)), " ", sentence(cause.text), " \u2013 ",
            element("button", { type: "button", class: "link", onclick: () => context.showNodes({ cause: cause.id }) },
            countText(cause.victims, "affected node"))),
        action ? element("p", {}, element("strong", {}, "Do: "), sentence(action.text)) : null,
    ];
}

function placeOfNode(context, node, id) {
    const at = node.at || {};
    const partition = node.partition === null || node.partition === undefined ? null
        : (context.target.partitions || []).find((item) => item.id === node.partition);
    const facts = factList([
        ["Module", at.module ? element("code", {}, plainText(at.module)) : null],
        ["Made at", at.file ? element("code", {}, plainText(at.line ? `${at.file}:${at.line}` : at.file)) : null],
        ["Graph", node.graph ? element("code", {}, plainText(node.graph)) : null],
        ["Partition", partition ? element("button", { type: "button", class: "link",
            onclick: () => context.showNodes({ partition: partition.id }) },
            `${partition.id}, ${countText(partition.nodes.length, "node")}`) : null],
        ["Ends", endsOfNode(context, id)],
    ]);
    return facts.childElementCount ? [element("h3", {}, "Place"), facts] : null;
}

/** The partitions that this node keeps from going on. */
function endsOfNode(context, id) {
    const ended = (context.target.partitions || []).filter((partition) => (partition.cause_of_end || []).includes(id));
    if (!ended.length) return null;
    if (ended.length > MOST_ENDS) return countText(ended.length, "partition");
    return `partition${ended.length === 1 ? "" : "s"} ${listText(ended.map((partition) => String(partition.id)))}`;
}

function workOfNode(graph, node, id) {
    const { work } = node;
    if (!work) return null;
    const size = (value) => (value === null || typeof value === "number" ? bytesText(value) : `${plainText(value)} B`);
    const isProduct = typeof work.rows === "number" ? work.rows > 0 : Boolean(work.rows);
    const dims = [work.rows, work.columns, work.depth].map((dim) => (dim === null ? "?" : plainText(dim)));
    const product = isProduct ? dims.join(" \u00d7 ")
        + (work.taps > 1 ? `, ${work.taps} taps` : "") + (work.groups > 1 ? `, ${work.groups} groups` : "") : null;
    const weightType = elementTypes[work.weight_type];
    const types = [elementTypes[work.activation_type], weightType ? `weights ${weightType}` : null].filter(Boolean);
    return [element("h3", {}, "Work"), factList([
        ["Time", Number.isNaN(graph.ms[id]) ? null : milliseconds(graph.ms[id])],
        ["Class", plainText(work.class)],
        ["MACs", work.macs === 0 ? null : amountText(work.macs)],
        ["Product", product],
        ["Operations", work.operations === 0 ? null : amountText(work.operations)],
        ["Reads", size(work.bytes_in)], ["Writes", size(work.bytes_out)],
        ["Constants", work.weight_bytes === 0 ? null : size(work.weight_bytes)],
        ["Types", types.join(", ")],
    ])];
}

/** What can be tried with it: buttons of the application, else the commands. */
function nodeActions(context, node, id, uses) {
    const actions = context.actions || {};
    const button = (text, onclick) => element("button", { type: "button", class: "small", onclick }, text);
    const buttons = [];
    if (actions.assumeNode)
        for (const [device, place] of [["npu", taker.place], ["cpu", "on the CPU"]])
            buttons.push(button(`Assume it ${place}`, () => actions.assumeNode(id, device)));
    const output = uses && node.outputs ? node.outputs.find((place) => place !== null) : undefined;
    const cut = output === undefined ? node.name : uses.tensors[output].name;
    if (actions.cutAt && cut) buttons.push(button("Cut after it", () => actions.cutAt(cut)));
    const commands = buttons.length ? null : [
        element("p", { class: "muted fine" }, "Every rule of it, with the values found:"),
        commandLine(toolCommand(context, `--explain ${shellWord(node.name || String(id))}`))];
    return [element("h3", {}, buttons.length ? "Try" : "Explain"),
        buttons.length ? element("div", { class: "details-buttons" }, buttons) : null,
        commands,
        node.structure ? element("p", { class: "muted fine" }, "structure ",
            element("code", {}, plainText(node.structure))) : null].flat();
}

/** In narrow windows, where the details are out of sight: which node is selected, and the way there. */
function selectionBar(root, context) {
    const text = element("span", {});
    const bar = element("div", { class: "selection-bar no-print", hidden: true }, text,
        element("button", { type: "button", class: "primary small", onclick: () => context.goTo("details") },
            "Details"),
        element("button", { type: "button", class: "small", "aria-label": "Close: no node is selected",
            onclick: () => context.select(null) }, "\u2715"));
    let isInSight = true;
    const update = (id) => {
        bar.hidden = isInSight || id === null;
        if (id === null) return;
        text.replaceChildren(verdictMark(context.graph.verdict[id]), ` ${nodeName(context.graph.nodes[id], id)}`);
    };
    const observer = new IntersectionObserver((entries) => {
        isInSight = entries[entries.length - 1].isIntersecting;
        update(context.selected);
    });
    observer.observe(root);
    context.onRemove(() => observer.disconnect());
    context.onSelect(update);
    return bar;
}
