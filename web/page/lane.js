/* SPDX-License-Identifier: Apache-2.0 */
/* The swim-lane: one picture of execution order, NPU above, CPU below. */

const LANE_MAP_HEIGHT = 28, LANE_PAPER_WIDTH = 1000;

/**
 * A swim-lane of one target, put at the end of `root`.
 *
 * Two lanes with one view are drawn at one scale and are zoomed and moved together, to compare two models:
 *
 *     const view = makeLaneView();
 *     const before = makeLane(root, graph, target, { id: "lane-before", label: "before", view, hover: markAfter });
 *     const after = makeLane(root, otherGraph, otherTarget, { id: "lane-after", label: "after", view });
 *     root.prepend(laneControls(view, [before, after]));
 *     function markAfter(id) { after.mark(id === null ? null : match[id]); }
 *
 * @param {HTMLElement} root
 * @param {any} graph of prepare()
 * @param {any} target of the report
 * @param {{id?: string, label?: string, view?: any, select?: (id: number|null) => void, open?: (id: number) => void,
 *          hover?: (id: number|null) => void, partition?: (id: number) => void}} [options]
 *   `id` of the canvas; `label` names it; `view` of makeLaneView(), by default its own; `select`, `open` and
 *   `partition` are called when the user selects a node, asks for its details or selects a partition; `hover` with the
 *   node under the pointer or the keyboard.
 * @returns {any} `{view, select(id|null), mark(id|null), showNode(id), showPartition(id), redraw(), remove()}`:
 *   `select` shows and marks a node without calling `options.select`; `mark` only marks it, as the one that matches
 *   another; `remove` ends its observers, for context.onRemove
 */
function makeLane(root, graph, target, options = {}) {
    const parts = laneParts(options, graph);
    root.append(parts.frame);
    const scene = makeLaneScene(graph, target);
    const view = options.view || makeLaneView();
    const at = { context: parts.canvas.getContext("2d"), scene, rows: laneRows(scene), view, widths: null, left: 56,
        plot: 1, width: 1, ratio: 1, selected: -1, cursor: 0, hovered: -1, marked: -1, partition: -1,
        isFocused: false };
    const lane = { at, view, graph, target, options, parts, widths: () => at.widths };
    lane.measure = (mode) => (at.widths = laneWidths(graph, mode, scene.handOvers));
    addLaneDrawing(lane);
    addLaneMoves(lane);
    addLaneAnswers(lane);
    attachLanePointer(lane, parts.canvas);
    attachLaneWheel(lane, parts.canvas);
    attachLaneKeys(lane, parts.canvas);
    attachLaneMap(lane, parts.map);
    view.onChange(lane.redraw);
    view.addLane(lane);
    const observer = new ResizeObserver(() => lane.resize());
    observer.observe(parts.frame);
    const stop = whenColoursChange(lane.resize);
    lane.remove = () => {
        observer.disconnect();
        stop();
    };
    return lane;
}

function laneParts(options, graph) {
    const id = options.id || "lane";
    const name = `Swim-lane${options.label ? ` of ${options.label}` : ""}: ${countText(graph.order.length, "node")} `
        + `in execution order, ${graph.taker.name} above, CPU below`;
    const canvas = element("canvas", { id, class: "lane-canvas", tabindex: 0, role: "application", "aria-label": name,
        "aria-describedby": "lane-help" });
    const map = element("canvas", { class: "lane-map", "aria-hidden": "true" });
    const tip = element("div", { class: "lane-tip", hidden: true });
    return { canvas, map, tip, frame: element("div", { class: "lane-frame" }, canvas, map, tip) };
}

function addLaneDrawing(lane) {
    const { at, parts } = lane;
    const mapContext = parts.map.getContext("2d");
    const whole = document.createElement("canvas"); /* the map without its window */
    let pending = 0, wholeKey = "";
    const draw = () => {
        pending = 0;
        if (!at.palette) return;
        drawLane(at);
        const key = `${at.view.mode} ${at.view.length}`;
        if (key !== wholeKey) drawLaneMap(at, whole.getContext("2d"), LANE_MAP_HEIGHT);
        wholeKey = key;
        mapContext.setTransform(1, 0, 0, 1, 0, 0);
        mapContext.drawImage(whole, 0, 0);
        drawLaneWindow(at, mapContext, LANE_MAP_HEIGHT);
    };
    lane.redraw = () => {
        if (!pending) pending = requestAnimationFrame(draw);
    };
    /* On paper there is no next frame to wait for. */
    lane.resize = (isPaper = matchMedia("print").matches) => {
        at.ratio = isPaper ? 2 : globalThis.devicePixelRatio || 1;
        at.width = isPaper ? LANE_PAPER_WIDTH : Math.max(100, parts.frame.clientWidth);
        at.plot = at.width - at.left - 1;
        for (const canvas of [parts.canvas, parts.map, whole]) {
            canvas.width = Math.round(at.width * at.ratio);
            canvas.height = Math.round((canvas === parts.canvas ? at.rows.height : LANE_MAP_HEIGHT) * at.ratio);
        }
        at.palette = readPalette(parts.frame);
        at.patterns = makePatterns(at.context, at.palette, at.ratio);
        wholeKey = "";
        if (pending) cancelAnimationFrame(pending);
        draw();
    };
}

function addLaneMoves(lane) {
    const { at, view } = lane;
    lane.panShare = (share) => view.pan((view.to - view.from) * share);
    lane.zoomAtCursor = (factor) => {
        const middle = (at.widths.start[at.cursor] + at.widths.start[at.cursor + 1]) / 2;
        const isSeen = middle >= view.from && middle <= view.to;
        view.zoom(factor, isSeen ? middle : (view.from + view.to) / 2);
    };
    /* Not more than is needed to see it: what is in sight already does not move. */
    lane.showPlace = (place) => {
        const from = at.widths.start[place], to = at.widths.start[place + 1], size = view.to - view.from;
        if (from >= view.from && to <= view.to) return lane.redraw();
        const start = from < view.from ? from - size * 0.2 : to - size * 0.8;
        return view.set(start, start + size);
    };
    lane.showPlaces = (from, to) => {
        const start = at.widths.start[from], end = at.widths.start[to], edge = (end - start) * 0.04;
        view.set(start - edge, end + edge);
    };
    lane.showNode = (id) => {
        const place = placeInLane(lane.graph, id);
        if (place >= 0) lane.showPlace(place);
    };
    lane.showPartition = (id) => {
        const ends = at.scene.ends.get(id);
        at.partition = id;
        if (ends) lane.showPlaces(at.scene.segments[ends.first].from, at.scene.segments[ends.last].to);
        if (lane.options.partition) lane.options.partition(id);
    };
    lane.setCursor = (place) => {
        at.cursor = Math.max(0, Math.min(place, at.widths.count - 1));
        announce(nodeSentence(lane.graph, lane.target, at.cursor));
        if (lane.options.hover) lane.options.hover(lane.graph.order[at.cursor]);
        lane.showPlace(at.cursor);
    };
    lane.moveCursor = (step) => lane.setCursor(at.cursor + step);
    lane.moveToSwitch = (direction) => lane.setCursor(nextSwitch(at.scene.segments, at.cursor, direction));
    lane.openCursor = () => lane.choose(lane.graph.order[at.cursor], true);
}

/** Its place in execution order; of a fused node that of the one it is part of; -1: it is not run. */
function placeInLane(graph, id) {
    if (id === null || id === undefined || !graph.nodes[id]) return -1;
    const into = graph.nodes[id].into;
    return graph.position[graph.position[id] < 0 && typeof into === "number" ? into : id];
}

function addLaneAnswers(lane) {
    const { at, parts, options, graph } = lane;
    lane.choose = (id, isOpened = false) => {
        lane.select(id);
        if (options.select) options.select(id);
        if (isOpened && options.open && id !== null) options.open(id);
    };
    lane.select = (id) => {
        at.selected = placeInLane(graph, id);
        if (at.selected < 0) return lane.redraw();
        at.cursor = at.selected;
        return lane.showPlace(at.selected);
    };
    lane.mark = (id) => {
        at.marked = placeInLane(graph, id);
        lane.redraw();
    };
    lane.click = (target) => {
        if (target.place >= 0) return lane.choose(graph.order[target.place]);
        at.partition = target.partition >= 0 ? target.partition : -1;
        if (at.partition >= 0 && options.partition) options.partition(at.partition);
        return lane.redraw();
    };
    lane.focus = (isFocused) => {
        at.isFocused = isFocused;
        if (isFocused && at.widths.count) announce(nodeSentence(graph, lane.target, at.cursor));
        lane.redraw();
    };
    lane.hideTip = () => (parts.tip.hidden = true);
    lane.hover = (target, point) => {
        const place = target.place >= 0 ? target.place : -1;
        if (place !== at.hovered) {
            at.hovered = place;
            if (options.hover) options.hover(place < 0 ? null : graph.order[place]);
            lane.redraw();
        }
        parts.canvas.classList.toggle("lane-pointed", place >= 0 || target.partition >= 0);
        showLaneTip(lane, target, point);
    };
}
