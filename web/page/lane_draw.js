/* SPDX-License-Identifier: Apache-2.0 */
/* Draws a swim-lane: rows of nodes, as boxes where they are wide enough and as columns of pixels where not. A painter
 * `at` has the 2D context, scene, rows, widths, view, palette, patterns, sizes in CSS pixels, and what is marked. */

/** Pixels from the canvas's left edge, of a unit or of a place's start. */
function laneX(at, unit) {
    return at.left + ((unit - at.view.from) / (at.view.to - at.view.from)) * at.plot;
}

function placeX(at, place) {
    return laneX(at, at.widths.start[place]);
}

/** Where the node of a place starts and ends, without the hand-overs beside it. */
function nodeFromX(at, place) {
    return laneX(at, at.widths.start[place] + at.widths.lead[place]);
}

function nodeToX(at, place) {
    return laneX(at, at.widths.start[place + 1] - at.widths.tail[place]);
}

function drawLane(at) {
    const { context, rows } = at;
    context.setTransform(at.ratio, 0, 0, at.ratio, 0, 0);
    context.fillStyle = at.palette.background;
    context.fillRect(0, 0, at.width, rows.height);
    context.textBaseline = "middle";
    drawGround(at);
    context.save();
    context.beginPath();
    context.rect(at.left, 0, at.plot, rows.height);
    context.clip();
    const columns = Math.max(1, Math.round(at.plot * at.ratio));
    at.shares = laneColumns(at.widths, at.scene.kinds, at.view, columns, BOX_PIXELS * at.ratio);
    drawAxis(at);
    drawNamedBands(at, at.rows.folds, at.scene.folds, foldText);
    drawNamedBands(at, at.rows.bodies, at.scene.bodies, (label) => graphText(at.scene.graph.nodes, label));
    drawModules(at);
    drawPartitionGround(at);
    drawHandOverTimes(at);
    drawEmptyRows(at);
    drawColumns(at);
    at.shares.boxes.forEach((place) => drawBox(at, place));
    drawLayouts(at);
    drawBrackets(at);
    drawTransfers(at);
    drawCauseBands(at);
    drawEnds(at);
    drawMarks(at);
    context.restore();
}

function drawGround(at) {
    const { context, rows, palette } = at;
    context.fillStyle = palette.surface;
    const end = Math.max(0, Math.min(at.plot, laneX(at, at.widths.total) - at.left)); /* of a pair the shorter ends */
    for (const row of [rows.npu, rows.cpu]) context.fillRect(at.left, row.top, end, row.height);
    context.fillStyle = palette.text;
    context.textAlign = "left";
    context.font = `600 12px ${palette.font}`;
    context.fillText(at.scene.graph.taker.name, 0, rows.npu.top + rows.npu.height / 2, at.left - 6);
    context.fillText("CPU", 0, rows.cpu.top + rows.cpu.height / 2);
    context.font = `11px ${palette.font}`;
    context.fillStyle = palette.muted;
    if (at.scene.hasOpen) context.fillText("neither", 0, rows.open.top + rows.open.height / 2);
    if (at.scene.hasEnds) context.fillText("ended by", 0, rows.ends.top + 12);
    context.fillText(at.widths.isEqual ? "node" : at.widths.mode === "ms" ? "ms" : "MACs", 0, 9);
    const middle = rows.npu.top + rows.npu.height / 2;
    if (!end) context.fillText("This model ends before this point.", at.left + 10, middle);
}

/** In a row without nodes, after what follows it. */
function drawEmptyRows(at) {
    const { context, rows, palette, scene } = at;
    const empty = /** @type {const} */ ([[LANE_NPU, rows.npu, scene.graph.taker.place],
        [LANE_CPU, rows.cpu, "on the CPU"]]);
    context.font = `11px ${palette.font}`;
    context.textAlign = "left";
    context.fillStyle = palette.muted;
    for (const [lane, row, name] of empty) {
        if (scene.allKinds & columnsOfLane[lane] || laneX(at, at.widths.total) <= at.left) continue;
        context.fillText(`No node runs ${name}.`, at.left + 10, row.top + row.height / 2);
    }
}

function drawAxis(at) {
    const { context, widths, view, palette } = at;
    const { start, value } = widths;
    const end = Math.min(view.to, widths.total);
    const from = mapUnit(start, value, view.from), to = mapUnit(start, value, end);
    const share = (end - view.from) / (view.to - view.from); /* the shorter of two lanes ends before the other */
    context.font = `11px ${palette.font}`;
    context.textAlign = "left";
    for (const tick of roundTicks(from, to, Math.max(1, at.plot * share / 90))) {
        const x = Math.round(laneX(at, mapUnit(value, start, tick))) + 0.5;
        context.fillStyle = palette.border;
        context.fillRect(x, 3, 1, at.rows.axis.height - 3);
        context.fillStyle = palette.muted;
        const text = widths.mode === "macs" && !widths.isEqual ? amountText(tick) : tickText(tick);
        if (x + 4 + textWidth(context, text) <= at.width) context.fillText(text, x + 4, 9);
    }
    drawAxisLine(at);
}

/** The line under the axis is broken where the width of what stands there is not known. */
function drawAxisLine(at) {
    const { context, shares } = at;
    context.fillStyle = at.palette.border;
    const y = at.rows.axis.height - 2;
    const end = Math.min(at.plot, laneX(at, at.widths.total) - at.left);
    context.fillRect(at.left, y, end, 1);
    context.fillStyle = at.palette.background;
    const hide = (x, width) => {
        for (let dash = Math.ceil(x / 4); dash * 4 < x + width; dash++) context.fillRect(at.left + dash * 4, y, 2, 1);
    };
    columnRuns(shares.masks, (mask) => mask & COLUMN_NO_WIDTH,
        (_, from, to) => hide(from / at.ratio, (to - from) / at.ratio));
    for (const place of shares.boxes) {
        if (!at.widths.isKnown[place]) hide(nodeFromX(at, place) - at.left, nodeToX(at, place) - nodeFromX(at, place));
    }
}

/** Bands with their names where these fit; what is narrower than 3 pixels is one with its neighbours. */
function drawNamedBands(at, row, bands, nameOf) {
    const { context, palette } = at;
    if (!row.height) return;
    context.font = `11px ${palette.font}`;
    context.textAlign = "left";
    let covered = -1;
    const first = placeAt(at.widths, at.view.from), last = placeAt(at.widths, at.view.to) + 1;
    for (const band of bandsInSight(bands, first, last)) {
        const from = Math.max(at.left, placeX(at, band.from)), to = Math.min(at.left + at.plot, placeX(at, band.to));
        if (to <= at.left || from >= at.left + at.plot || to < covered) continue;
        const x = Math.max(Math.round(from), covered), width = Math.max(1, Math.round(to) - x - 1);
        covered = x + width + 1;
        context.fillStyle = palette.surface;
        context.fillRect(x, row.top + 1, width, row.height - 3);
        context.fillStyle = palette.border;
        context.fillRect(x, row.top + 1, 1, row.height - 3);
        context.fillStyle = palette.text;
        const text = width > 12 ? fitPath(context, nameOf(band.label), width - 8) : "";
        if (text) context.fillText(text, x + 5, row.top + row.height / 2);
    }
}

/** Two levels: that of which the names fit, and the one around it. */
function drawModules(at) {
    const levels = at.scene.modules, row = at.rows.modules;
    if (!levels.length) return;
    const first = placeAt(at.widths, at.view.from), last = placeAt(at.widths, at.view.to) + 1;
    const inner = levelInSight(levels, first, last, Math.max(2, at.plot / 24));
    const outer = Math.max(0, inner - 1);
    const half = row.height / 2;
    const nameAt = (depth) => (index) => moduleShortName(at.scene.target.modules, index, depth === outer);
    drawNamedBands(at, { top: row.top, height: half }, levels[outer], nameAt(outer));
    if (inner !== outer) drawNamedBands(at, { top: row.top + half, height: half }, levels[inner], nameAt(inner));
}

/** The outer level by its whole path, the inner by what it adds to that of its parent. */
function moduleShortName(modules, index, isWhole) {
    const path = modules[index].path, parent = modules[index].parent;
    const before = typeof parent === "number" ? modules[parent].path : "";
    const isInside = !isWhole && before && path.startsWith(before);
    return plainText(isInside ? path.slice(before.length).replace(/^[./]/, "") : path);
}

/** How strong the NPU's colour is: nothing, beside others, then by the share of products. */
const OTHERS_TONE = 0.5, PRODUCTS_TONE = 0.85;
const npuTones = [0, 0.3, OTHERS_TONE, 0.59, 0.67, 0.76, PRODUCTS_TONE];

/** Calls `draw(kind, from, to)` for each run of columns of one kind that is not 0. */
function columnRuns(masks, kindOf, draw) {
    let from = 0, kind = masks.length ? kindOf(masks[0], 0) : 0;
    for (let column = 1; column <= masks.length; column++) {
        const next = column < masks.length ? kindOf(masks[column], column) : -1;
        if (next === kind) continue;
        if (kind) draw(kind, from, column);
        from = column;
        kind = next;
    }
}

/** Runs of columns, row by row. A column that others share is lighter on the NPU, so that no hand-over is hidden. */
function drawColumns(at) {
    const { rows, palette, patterns, shares } = at;
    const others = COLUMN_CPU | COLUMN_CPU_PRODUCT | COLUMN_FAIL | COLUMN_UNKNOWN;
    const draw = (row, fill, plain, alphas, least) => (kind, from, to) => {
        at.context.globalAlpha = alphas[kind];
        at.context.fillStyle = (to - from) / at.ratio < 6 ? plain : fill;
        const x = at.left + from / at.ratio;
        at.context.fillRect(x, row.top + 3, Math.max(least, (to - from) / at.ratio), row.height - 6);
    };
    columnRuns(shares.masks, (mask, column) => {
        if (!(mask & columnsOfLane[LANE_NPU])) return 0;
        return mask & others ? 1 : 2 + Math.round(shares.products[column] * (npuTones.length - 3));
    }, draw(rows.npu, palette.npu, palette.npu, npuTones, 0));
    columnRuns(shares.masks, (mask) => (mask & COLUMN_CPU_PRODUCT ? 2 : mask & COLUMN_CPU ? 1 : 0),
        draw(rows.cpu, patterns.cpu, palette.cpu, [0, 0.75, 1], 2));
    columnRuns(shares.masks, (mask) => (mask & COLUMN_UNKNOWN ? 1 : 0),
        draw(rows.open, patterns.unknown, palette.unknown, [0, 1], 2));
    columnRuns(shares.masks, (mask) => (mask & COLUMN_FAIL ? 1 : 0),
        draw(rows.open, patterns.fail, palette.fail, [0, 1], 2));
    at.context.globalAlpha = 1;
}

/** Stretches in which neither side computes: from the one row to the other. */
function drawHandOverTimes(at) {
    const { context, rows, palette, patterns, shares } = at;
    const parts = /** @type {const} */ ([[rows.npu.top + 3, rows.cpu.bottom - 3, palette.raised],
        [rows.npu.bottom, rows.cpu.top, patterns.handOver]]);
    for (const [top, bottom, fill] of parts) {
        context.fillStyle = fill;
        columnRuns(shares.masks, (mask) => (mask & COLUMN_HAND_OVER ? 1 : 0), (_, from, to) =>
            context.fillRect(at.left + from / at.ratio, top, (to - from) / at.ratio, bottom - top));
    }
}

/** How a node's box is drawn, by the bits of its column: row, fill, how strong, colour of its frame and text. */
function boxLook(at, kind) {
    const { rows, palette, patterns } = at;
    const { fail, unknown, npu, cpu, background } = palette;
    if (kind & COLUMN_FAIL) return { row: rows.open, fill: patterns.fail, alpha: 1, frame: fail, sign: "×" };
    if (kind & COLUMN_UNKNOWN) return { row: rows.open, fill: patterns.unknown, alpha: 1, frame: unknown, sign: "?" };
    const onNpu = { row: rows.npu, fill: npu, frame: npu };
    if (kind & COLUMN_NPU_PRODUCT) return { ...onNpu, alpha: PRODUCTS_TONE, ink: background };
    if (kind & COLUMN_NPU) return { ...onNpu, alpha: OTHERS_TONE };
    return { row: rows.cpu, fill: patterns.cpu, alpha: kind & COLUMN_CPU_PRODUCT ? 1 : 0.75, frame: cpu, sign: "" };
}

function boxRectangle(at, place, row) {
    const from = Math.max(nodeFromX(at, place), at.left - 4), to = Math.min(nodeToX(at, place), at.left + at.plot + 4);
    return { x: from, y: row.top + 3, width: to - from, height: row.height - 6 };
}

function drawBox(at, place) {
    const { context } = at;
    const look = boxLook(at, at.scene.kinds[place]);
    const box = boxRectangle(at, place, look.row);
    const isKnown = at.widths.isKnown[place];
    context.fillStyle = look.fill;
    context.globalAlpha = isKnown ? look.alpha : look.alpha * 0.25;
    const gap = box.width >= 24 ? 1 : box.width >= 8 ? 0.5 : 0;
    context.fillRect(box.x, box.y, box.width - gap, box.height);
    context.globalAlpha = 1;
    if (box.width >= 12 && (!isKnown || look.alpha === OTHERS_TONE)) {
        context.strokeStyle = look.frame;
        context.lineWidth = 1;
        context.setLineDash(isKnown ? [] : [3, 2]);
        context.strokeRect(box.x + 0.5, box.y + 0.5, box.width - 2, box.height - 1);
        context.setLineDash([]);
    }
    const left = Math.max(box.x, at.left);
    const inSight = { ...box, x: left, width: box.x + box.width - left };
    if (inSight.width >= 26) drawBoxText(at, place, inSight, look, isKnown);
}

/** The op; where it is wide enough its name and figures, too. On a pattern they have a ground of their own. */
function drawBoxText(at, place, box, look, isKnown) {
    const { context, palette, scene } = at;
    const id = scene.graph.order[place], node = scene.graph.nodes[id];
    context.font = `600 11px ${palette.font}`;
    context.textAlign = "left";
    const text = fitText(context, `${look.sign ? `${look.sign} ` : ""}${plainText(node.op)}`, box.width - 10);
    if (!text) return;
    const details = box.width < 90 ? [] : [nodeName(node, id), nodeFigures(scene.graph, id)];
    const shown = box.height < 48 ? details.slice(0, 1) : details;
    const middle = box.y + box.height / 2 - shown.length * 7;
    const isPlain = look.sign === undefined;
    if (!isPlain && isKnown) {
        context.fillStyle = palette.background;
        context.fillRect(box.x + 3, middle - 9, Math.min(box.width - 7, textWidth(context, text) + 6), 18);
    }
    context.fillStyle = look.ink && isKnown ? look.ink : palette.text;
    context.fillText(text, box.x + 6, middle);
    context.font = `10.5px ${palette.font}`;
    shown.forEach((line, index) => {
        const fitting = fitText(context, line, box.width - 10);
        if (!isPlain && isKnown && fitting) {
            context.fillStyle = palette.background;
            context.fillRect(box.x + 3, middle + 5 + index * 14, textWidth(context, fitting) + 6, 14);
        }
        context.fillStyle = look.ink && isKnown ? look.ink : palette.text;
        context.fillText(fitting, box.x + 6, middle + 14 * (index + 1) - 1);
    });
}
