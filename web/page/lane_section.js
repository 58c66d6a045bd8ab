/* SPDX-License-Identifier: Apache-2.0 */
/* The section of the swim-lane: the picture with its controls, its legend, and the same as a text. */

const laneHelp = "Drag to move, Ctrl or Command and the wheel to zoom, double-click a partition to zoom to it. Keys: "
    + "arrows to the previous or next node, Shift and arrows to move, + and - to zoom, 0 for all, [ and ] to the "
    + "previous or next device switch, Home and End, Enter for details.";

/** The table of partitions listens to which one is selected in the lane. @type {((id: number) => void)|null} */
let lanePartitionListener = null;

/** What is said of a node or a partition under the pointer; nothing hides it. */
function showLaneTip(lane, target, point) {
    const { tip, frame } = lane.parts;
    const lines = !point ? [] : target.place >= 0 ? nodeTip(lane, target.place)
        : target.partition >= 0 ? partitionTip(lane, target.partition) : [];
    tip.hidden = !lines.length;
    if (!lines.length) return;
    const said = lines.filter((line) => line[1]);
    tip.replaceChildren(...said.map(([kind, text]) => element("div", { class: kind }, text)));
    const left = Math.min(point.x + 14, frame.clientWidth - tip.offsetWidth - 4);
    tip.style.left = `${Math.max(0, left)}px`;
    tip.style.top = `${point.y + 18}px`;
}

function nodeTip(lane, place) {
    const { graph, target } = lane, id = graph.order[place], node = graph.nodes[id];
    const conversions = lane.at.scene.layouts.get(place);
    const isIn = typeof node.partition === "number";
    const verdict = isIn ? `${graph.taker.name}, partition ${node.partition}` : verdictTexts[graph.verdict[id]];
    const reason = nodeReason(node, target), module = moduleText(node, target);
    return [["lane-tip-title", plainText(node.op)], ["lane-tip-name", nodeName(node, id)],
        ["", `${verdict} · ${nodeFigures(graph, id)}`], ["", reason && plainText(reason)],
        ["", conversions && countText(conversions, "layout conversion")],
        ["lane-tip-muted", module && `module ${module}`]];
}

function partitionTip(lane, id) {
    const { target } = lane, partition = target.partitions[id], transfer = lane.at.scene.transfers[id];
    const end = lane.at.scene.partitionEnds[id], { handOvers } = lane.at.scene;
    const side = (sides) => {
        const sum = addTransfers(sides.cpu, sides.npu);
        return `${countText(sum.tensors, "tensor")}, ${transferText(sum)}`;
    };
    return [["lane-tip-title", `${lane.graph.taker.name} partition ${id}`],
        ["", `${countText(partition.nodes.length, "node")} · ${timeText(lane.at.scene.times[id])}`],
        ["", handOvers && `hand-overs: ${milliseconds(handOvers.times[id].in)} in, `
            + `${milliseconds(handOvers.times[id].out)} out`],
        ["", `in: ${side(transfer.in)}`], ["", `out: ${side(transfer.out)}`],
        ["", end.title && `ended by ${end.title}${end.text ? `: ${plainText(end.text)}` : ""}`]];
}

/** The choice of widths, and buttons for zooming, for all lanes of a view. @param {any} [more] beside them */
function laneControls(view, lanes, more = null) {
    const note = element("p", { class: "lane-note" });
    const name = `${lanes[0].parts.canvas.id}-width`;
    const inputs = laneModes.map(({ mode, label }) => {
        const input = element("input", { type: "radio", name, value: mode, onchange: () => view.setMode(mode) });
        return { mode, input, label: element("label", {}, input, ` ${label}`) };
    });
    const button = (text, label, act) => element("button", { type: "button", class: "small", "aria-label": label,
        title: label, onclick: act }, text);
    const middle = () => (view.from + view.to) / 2;
    const unknownTimes = laneWidths(lanes[0].graph, "ms").unknown;
    const show = () => {
        for (const { mode, input } of inputs) /** @type {HTMLInputElement} */ (input).checked = mode === view.mode;
        note.textContent = widthsText(lanes[0].widths(), unknownTimes, lanes[0].graph.folds);
    };
    view.onChange(show);
    show();
    return element("div", { class: "lane-controls" },
        element("fieldset", {}, element("legend", {}, "Width"), ...inputs.map((item) => item.label)),
        element("span", { class: "lane-buttons", role: "group", "aria-label": "Zoom" },
            button("−", "Zoom out", () => view.zoom(2, middle())),
            button("+", "Zoom in", () => view.zoom(0.5, middle())),
            button("Fit", "Show all nodes", () => view.fit())),
        more, note);
}

/** What colours, patterns and signs mean, of those that occur. @param {...any} scenes of lanes seen together */
function laneLegend(...scenes) {
    const all = scenes.reduce((bits, scene) => bits | scene.allKinds, 0);
    const [scene] = scenes;
    const items = [
        [all & COLUMN_NPU_PRODUCT, "npu-product", `${scene.graph.taker.name}, products (matrix unit)`],
        [all & COLUMN_NPU, "npu", `${scene.graph.taker.name}, other nodes`],
        [all & columnsOfLane[LANE_CPU], "cpu", "CPU"],
        [all & COLUMN_FAIL, "fail", "× fails to compile"],
        [all & COLUMN_UNKNOWN, "unknown", "? undecided"],
        [scenes.some((one) => one.handOvers), "hand-over",
            "hand-over: start of a partition, transfers, layout conversions"],
        [scenes.some((one) => one.layouts.size), "layout", "layout conversion"],
    ];
    const swatch = (kind) => element("span", { class: `lane-swatch lane-swatch-${kind}` });
    return element("ul", { class: "lane-legend", "aria-label": "Legend" }, ...items.filter((item) => item[0])
        .map(([, kind, text]) => element("li", {}, swatch(kind), text)));
}

/** All runs in order, as a list that is made when it is opened. */
function laneAlternative(lane) {
    const { segments } = lane.at.scene;
    const most = 1000;
    const list = element("ol", { class: "lane-list" });
    const rest = segments.length - most;
    const details = element("details", { class: "lane-text", ontoggle: () => {
        if (list.childElementCount) return;
        list.append(...segments.slice(0, most).map((segment) => element("li", {},
            segmentText(lane.graph, lane.target, segment, lane.at.scene.handOvers))));
        if (rest > 0) list.append(element("li", {}, `${rest.toLocaleString("en")} more are in the table of nodes`));
    } }, element("summary", {}, `The same as text: ${countText(segments.length, "run")} of nodes on one device`), list);
    return details;
}

/** The lane with its controls; where blocks are equal, a choice folds them. */
function drawSectionLane(place, context, blocks, isFolded, onFold) {
    place.replaceChildren();
    const lane = makeLane(place, isFolded ? foldGraph(context.graph, blocks) : context.graph, context.target, {
        select: (id) => context.select(id),
        open: () => context.goTo("details"),
        partition: (id) => lanePartitionListener && lanePartitionListener(id),
    });
    context.lane = lane;
    const most = blocks.reduce((sum, block) => Math.max(sum, block.count), 0);
    const box = element("input", { type: "checkbox", checked: isFolded, class: "lane-fold",
        onchange: (event) => {
            onFold(event.target.checked);
            const now = place.querySelector(".lane-fold");
            if (now) /** @type {HTMLElement} */ (now).focus();
        } });
    const choice = blocks.length ? element("label", {}, box, ` Fold ${most} equal blocks`) : null;
    lane.parts.frame.before(laneControls(lane.view, [lane], choice));
    return lane;
}

addSection({
    id: "lane",
    title: "Execution order",
    isShown: (context) => context.graph.order.length > 0,
    build(root, context) {
        const place = element("div", {}), blocks = nodeBlocks(context.graph);
        root.append(place);
        /** @type {any} */
        let lane = null;
        const fold = (isFolded) => {
            if (lane) lane.remove();
            lane = drawSectionLane(place, context, blocks, isFolded, fold);
            lane.select(context.selected);
        };
        fold(false);
        context.onRemove(() => lane.remove());
        context.onSelect((id) => lane.select(id));
        appendAll(root, [laneLegend(lane.at.scene), causeLegend(context.target, (id) => goToCause(context, id)),
            laneAlternative(lane),
            element("details", { class: "lane-text" }, element("summary", {}, "Mouse, touch and keys"),
                element("p", { id: "lane-help", class: "lane-help" }, laneHelp))]);
    },
});
