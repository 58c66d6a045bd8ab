/* SPDX-License-Identifier: Apache-2.0 */
/* What a swim-lane has besides its nodes: partitions, what passes between the rows, what ends a partition, and what is
 * selected. See lane_draw.js for `at`. */

/** The segments in sight. */
function segmentsInSight(at) {
    const { segments } = at.scene;
    if (!segments.length) return [];
    const first = segmentAt(segments, placeAt(at.widths, at.view.from));
    const last = segmentAt(segments, placeAt(at.widths, at.view.to));
    return segments.slice(first, last + 1);
}

/** Under a partition's nodes, from its bracket to the end of their row. */
function drawPartitionGround(at) {
    const { context, rows, palette } = at;
    at.inSight = segmentsInSight(at);
    for (const segment of at.inSight) {
        if (segment.partition < 0) continue;
        const from = placeX(at, segment.from), width = placeX(at, segment.to) - from;
        if (width < 3) continue;
        context.globalAlpha = segment.partition === at.partition ? 0.3 : 0.12;
        context.fillStyle = palette.npu;
        context.fillRect(from, rows.bracket.bottom - 3, width - 1, rows.npu.height + 3);
    }
    context.globalAlpha = 1;
}

/** "0 · 120 nodes · 3.1 ms", as much of it as fits. */
function bracketText(at, segment, width) {
    const { scene, context } = at;
    const partition = scene.target.partitions[segment.partition];
    const pieces = scene.ends.get(segment.partition).pieces;
    const texts = [`Partition ${segment.partition}`, countText(partition.nodes.length, "node"),
        timeText(scene.times[segment.partition])];
    if (pieces > 1) texts.splice(1, 0, `in ${pieces} runs`);
    for (let count = texts.length; count > 0; count--) {
        const text = texts.slice(0, count).join(" · ");
        if (textWidth(context, text) <= width) return text;
    }
    const brief = String(segment.partition);
    return textWidth(context, brief) <= width ? brief : "";
}

function drawBrackets(at) {
    const { context, rows, palette } = at;
    const top = rows.bracket.top + 18, bottom = rows.bracket.bottom;
    context.font = `600 11px ${palette.font}`;
    context.textAlign = "left";
    let covered = -Infinity;
    for (const segment of at.inSight) {
        if (segment.partition < 0) continue;
        const from = placeX(at, segment.from), to = placeX(at, segment.to) - 1;
        if (to < covered) continue;
        covered = Math.max(to, from + 1 / at.ratio);
        const isMarked = segment.partition === at.partition;
        context.fillStyle = isMarked ? palette.selected : palette.npu;
        context.fillRect(from, top, Math.max(1 / at.ratio, to - from), isMarked ? 3 : 2);
        if (to - from >= 4) {
            context.fillRect(from, top, 1.5, bottom - top);
            context.fillRect(to - 1.5, top, 1.5, bottom - top);
        }
        const left = Math.max(from, at.left) + 2, width = Math.min(to, at.left + at.plot) - left;
        const text = width >= 8 ? bracketText(at, segment, width) : "";
        context.fillStyle = isMarked ? palette.selected : palette.text;
        if (text) context.fillText(text, left, rows.bracket.top + 9);
    }
}

/** Where tensors change their layout: a diamond at the start of the node that needs it. */
function drawLayouts(at) {
    const { context, rows, palette } = at;
    const y = rows.npu.bottom - 5;
    let covered = -Infinity;
    context.fillStyle = palette.accent;
    context.strokeStyle = palette.background;
    for (const [place] of at.scene.layouts) {
        const start = nodeFromX(at, place);
        if (start < at.left || start > at.left + at.plot || Math.abs(start - covered) < 2) continue;
        covered = start;
        const x = Math.max(start, at.left + 5);
        context.beginPath();
        context.moveTo(x, y - 5), context.lineTo(x + 4, y), context.lineTo(x, y + 5), context.lineTo(x - 4, y);
        context.closePath();
        context.fill();
        context.stroke();
    }
}

function arrow(context, x, from, to, hasHead) {
    context.beginPath();
    context.moveTo(x, from);
    context.lineTo(x, to);
    context.stroke();
    if (!hasHead) return;
    const step = to > from ? -6 : 6;
    context.beginPath();
    context.moveTo(x, to), context.lineTo(x - 3.5, to + step), context.lineTo(x + 3.5, to + step);
    context.fill();
}

/** At either end of a partition what passes between it and the CPU; dashed where other partitions have part in it. */
function drawTransfers(at) {
    const { context, scene, rows, palette } = at;
    context.font = `11px ${palette.font}`;
    context.lineWidth = 1.5;
    let covered = -Infinity;
    const line = (x, isIn, sides, width) => {
        if (x < at.left - 1 || x > at.left + at.plot + 1 || x - covered < 1 / at.ratio) return;
        if (!sides.cpu.tensors && !sides.npu.tensors) return;
        covered = x;
        context.strokeStyle = context.fillStyle = palette.text;
        context.lineWidth = width >= 9 ? 1.5 : 1;
        context.globalAlpha = width >= 9 ? 1 : 0.6;
        context.setLineDash(sides.npu.tensors ? [4, 3] : []);
        const top = rows.npu.bottom + 1, bottom = rows.cpu.top - 1;
        arrow(context, x, isIn ? bottom : top, isIn ? top : bottom, width >= 9);
        context.setLineDash([]);
        context.globalAlpha = 1;
    };
    at.inSight.forEach((segment) => {
        if (segment.partition < 0) return;
        const ends = scene.ends.get(segment.partition), transfer = scene.transfers[segment.partition];
        const from = placeX(at, segment.from), to = placeX(at, segment.to);
        const isFirst = scene.segments[ends.first] === segment, isLast = scene.segments[ends.last] === segment;
        const inset = Math.min(5, (to - from) / 4);
        const into = (nodeFromX(at, segment.from) - from) / 2, out = (to - nodeToX(at, segment.to - 1)) / 2;
        if (isFirst) line(from + (into || inset), true, transfer.in, to - from);
        if (isLast) line(to - (out || inset + 1), false, transfer.out, to - from);
        drawTransferTexts(at, segment, transfer, isFirst, isLast);
    });
    context.lineWidth = 1;
    drawExchanges(at);
}

/** What the selected partition passes to other partitions and takes from them, as one arc for each of these. */
function drawExchanges(at) {
    const { context, scene, rows, palette } = at;
    if (at.partition < 0) return;
    context.strokeStyle = context.fillStyle = palette.selected;
    context.lineWidth = 1.5;
    context.font = `600 11px ${palette.font}`;
    const top = rows.npu.bottom + 2, depth = rows.cpu.top - 4;
    for (const exchange of partitionExchanges(scene.target, at.partition)) {
        const ends = scene.ends.get(exchange.from), starts = scene.ends.get(exchange.to);
        if (!ends || !starts) continue;
        const from = placeX(at, scene.segments[ends.last].to) - 2;
        const to = placeX(at, scene.segments[starts.first].from) + 2;
        context.beginPath();
        context.moveTo(from, top);
        context.bezierCurveTo(from, depth, to, depth, to, top + 5);
        context.stroke();
        context.beginPath();
        context.moveTo(to, top), context.lineTo(to - 3.5, top + 6), context.lineTo(to + 3.5, top + 6);
        context.fill();
        const text = transferText(exchange), middle = (from + to) / 2;
        if (Math.abs(to - from) < textWidth(context, text) + 24) continue;
        context.textAlign = "center";
        context.fillText(text, middle, top + (depth - top) * 0.75 - 8);
    }
    context.textAlign = "left";
    context.lineWidth = 1;
}

/** The bytes beside the two lines, inside the partition's stretch, where there is room for them. */
function drawTransferTexts(at, segment, transfer, isFirst, isLast) {
    const { context, rows, palette } = at;
    const from = Math.max(nodeFromX(at, segment.from), at.left);
    const to = Math.min(nodeToX(at, segment.to - 1), at.left + at.plot);
    if (to - from < 40) return;
    const y = rows.open.top + rows.open.height / 2;
    const isStartSeen = isFirst && nodeFromX(at, segment.from) >= at.left;
    const isEndSeen = isLast && nodeToX(at, segment.to - 1) <= at.left + at.plot + 1;
    const texts = /** @type {const} */ ([[isStartSeen, transfer.in, "left"], [isEndSeen, transfer.out, "right"]]);
    let free = to - from - 16;
    for (const [isShown, sides, align] of texts) {
        const sum = addTransfers(sides.cpu, sides.npu);
        if (!isShown || !sum.tensors) continue;
        const text = transferText(sum), whole = `${text} · ${countText(sum.tensors, "tensor")}`;
        const fitting = textWidth(context, whole) + 12 < free / 2 ? whole : text;
        const width = textWidth(context, fitting) + 12;
        if (width > free) continue;
        free -= width;
        context.fillStyle = palette.muted;
        context.textAlign = align;
        context.fillText(fitting, align === "left" ? from + 12 : to - 13, align === "left" ? y - 8 : y + 8);
    }
    context.textAlign = "left";
}

/** What a text of an end needs, and one of several: ends that are nearer to each other share one. */
const END_PIXELS = 56, ENDS_PIXELS = 130;

/** What ends each partition: a tick, and the number of its cause. What has none has a text, as far as there is room. */
function drawEnds(at) {
    const { context, scene, rows, palette } = at;
    if (!scene.hasEnds) return;
    const flags = [];
    for (const segment of at.inSight) {
        const x = placeX(at, segment.to);
        if (segment.partition < 0 || x < at.left || x > at.left + at.plot + 1) continue;
        if (scene.segments[scene.ends.get(segment.partition).last] !== segment) continue;
        const end = scene.partitionEnds[segment.partition];
        if (end.title) flags.push({ x, end });
    }
    let covered = -Infinity;
    for (const { x, end } of flags) {
        if (x - covered < 1) continue;
        covered = x;
        context.fillStyle = end.cause < 0 ? palette.cpu : causeColour(at, end.cause);
        context.fillRect(Math.round(x) - 0.5, rows.cpu.bottom, 1, 8);
    }
    drawCauseEnds(at, flags.filter(({ end }) => end.cause >= 0));
    const groups = endGroups(flags.filter(({ end }) => end.cause < 0), at.left + at.plot);
    groups.forEach((group, index) => drawEndText(at, group, endRoom(groups, index, at.left, at.left + at.plot)));
}

/** Neighbours that share a text, from the right edge: `{x, flags}` from left to right. */
function endGroups(flags, edge) {
    const groups = [];
    let last = null;
    for (const flag of flags) {
        const least = last && last.flags.length > 1 ? ENDS_PIXELS : END_PIXELS;
        const distance = last ? flag.x - last.x : Infinity;
        const isLate = edge - flag.x < END_PIXELS && distance < 3 * END_PIXELS;
        if (distance < least || isLate) last.flags.push(flag);
        else groups.push((last = { x: flag.x, flags: [flag] }));
    }
    return groups;
}

/** The room for a text: right of its end, or left of the last one where the picture ends sooner; then two share it. */
function endRoom(groups, index, left, edge) {
    const group = groups[index], last = groups[groups.length - 1];
    const isLastLeft = edge - last.x < END_PIXELS;
    if (group === last && isLastLeft) {
        const before = index ? (group.x + groups[index - 1].x) / 2 : left;
        return { isLeft: true, width: group.x - before - 4 };
    }
    const next = group === last ? edge : groups[index + 1].x;
    const isShared = isLastLeft && groups[index + 1] === last;
    return { isLeft: false, width: (next - group.x) / (isShared ? 2 : 1) - 6 };
}

/** "Softmax" and its cause; of several ends how many there are, and what most of them have. */
function endGroupText(group) {
    if (group.flags.length === 1) return group.flags[0].end;
    const counts = new Map();
    for (const { end } of group.flags) counts.set(end.text, (counts.get(end.text) || 0) + 1);
    const most = [...counts].reduce((best, item) => (item[1] > best[1] ? item : best))[0];
    const titles = [...new Set(group.flags.map(({ end }) => end.title))];
    return { title: `${group.flags.length} ends: ${titles.slice(0, 4).join(", ")}`, text: most };
}

/** @param {any} at @param {any} group @param {{isLeft: boolean, width: number}} room */
function drawEndText(at, group, { isLeft, width }) {
    const { context, rows, palette } = at;
    const { title, text } = endGroupText(group);
    context.textAlign = isLeft ? "right" : "left";
    const edge = isLeft ? group.x - 4 : group.x + 4;
    context.font = `600 11px ${palette.font}`;
    context.fillStyle = palette.text;
    context.fillText(fitText(context, title, width), edge, rows.ends.top + 12);
    context.font = `11px ${palette.font}`;
    context.fillStyle = palette.muted;
    context.fillText(fitText(context, plainText(text).replace(/`/g, ""), width), edge, rows.ends.top + 27);
    context.textAlign = "left";
}

/** What is under the pointer, under the keyboard and selected, and its match in the other lane of a pair. */
function drawMarks(at) {
    const marks = [[at.hovered, at.palette.text, 1, []], [at.marked, at.palette.accent, 2, [2, 2]],
        [at.isFocused ? at.cursor : -1, at.palette.text, 2, [4, 3]], [at.selected, at.palette.selected, 3, []]];
    for (const [place, colour, width, dashes] of marks) {
        if (place === undefined || place < 0 || place >= at.widths.count) continue;
        drawMark(at, place, colour, width, dashes);
    }
}

function drawMark(at, place, colour, lineWidth, dashes) {
    const { context } = at;
    const box = boxRectangle(at, place, boxLook(at, at.scene.kinds[place]).row);
    const width = Math.max(box.width, 4), x = box.x - (width - box.width) / 2;
    context.strokeStyle = context.fillStyle = colour;
    context.lineWidth = lineWidth;
    context.setLineDash(dashes);
    context.strokeRect(x - 0.5, box.y - 1, width, box.height + 2);
    context.setLineDash([]);
    context.lineWidth = 1;
    if (lineWidth < 2) return;
    const middle = x + width / 2, y = at.rows.axis.height - 3;
    context.beginPath();
    context.moveTo(middle, y + 4), context.lineTo(middle - 5, y - 4), context.lineTo(middle + 5, y - 4);
    context.fill();
}

/** The whole in small, with what is in sight as a window. */
function drawLaneMap(at, context, height) {
    const { palette, patterns, scene } = at;
    const whole = { from: 0, to: at.view.length };
    const columns = Math.max(1, Math.round(at.plot * at.ratio));
    context.setTransform(at.ratio, 0, 0, at.ratio, 0, 0);
    context.fillStyle = palette.background;
    context.fillRect(0, 0, at.width, height);
    context.fillStyle = palette.surface;
    context.fillRect(at.left, 0, at.plot, height);
    const { masks } = laneColumns(at.widths, scene.kinds, whole, columns, Infinity);
    const rows = [[COLUMN_HAND_OVER, 12, 6, palette.border], [columnsOfLane[LANE_NPU], 2, 10, palette.npu],
        [COLUMN_UNKNOWN, 13, 4, patterns.unknown],
        [COLUMN_FAIL, 13, 4, patterns.fail], [columnsOfLane[LANE_CPU], 18, 8, palette.cpu]];
    for (const [bits, top, size, fill] of rows) {
        context.fillStyle = fill;
        columnRuns(masks, (mask) => (mask & bits ? 1 : 0), (_, from, to) =>
            context.fillRect(at.left + from / at.ratio, top, Math.max(1, (to - from) / at.ratio), size));
    }
}

function drawLaneWindow(at, context, height) {
    const { view, palette } = at;
    const scale = at.plot / view.length;
    const from = at.left + view.from * scale, to = Math.max(at.left + view.to * scale, from + 3);
    context.setTransform(at.ratio, 0, 0, at.ratio, 0, 0);
    context.globalAlpha = 0.65;
    context.fillStyle = palette.background;
    context.fillRect(at.left, 0, from - at.left, height);
    context.fillRect(to, 0, at.left + at.plot - to, height);
    context.globalAlpha = 1;
    context.strokeStyle = palette.text;
    context.lineWidth = 1.5;
    context.strokeRect(from + 0.5, 0.75, to - from - 1, height - 1.5);
    context.lineWidth = 1;
}
