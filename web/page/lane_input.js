/* SPDX-License-Identifier: Apache-2.0 */
/* How a swim-lane is moved and asked by pointer, wheel, touch and keyboard. `lane` is what makeLane() holds. */

const DRAG_PIXELS = 4;

function unitAt(at, x) {
    return at.view.from + ((x - at.left) / at.plot) * (at.view.to - at.view.from);
}

/** What is at a point of the canvas: `{place}`, `{partition}`, or neither. */
function laneTarget(at, x, y) {
    const { rows, scene, widths, view } = at;
    if (x < at.left || x > at.left + at.plot || !widths.count) return {};
    const unit = unitAt(at, x), reach = ((view.to - view.from) / at.plot) * 3;
    const isBracket = y >= rows.bracket.top && y < rows.bracket.bottom, isEnd = scene.hasEnds && y >= rows.ends.top;
    if (isEnd) return { partition: endedBefore(at, x), isEnd };
    if (isBracket) {
        const place = hitPlace(widths, scene.kinds, LANE_NPU, unit, reach);
        return place < 0 ? {} : { partition: scene.segments[segmentAt(scene.segments, place)].partition };
    }
    if (y < rows.npu.top) return {};
    const beside = handOverAt(at, unit);
    if (beside >= 0) return { partition: beside };
    return { place: hitPlace(widths, scene.kinds, laneAt(rows, y, scene.hasOpen), unit, reach) };
}

/** The partition whose hand-over is at a unit; -1: none. */
function handOverAt(at, unit) {
    const { widths, scene } = at, place = placeAt(widths, unit);
    const isBeside = unit < widths.start[place] + widths.lead[place]
        || unit > widths.start[place + 1] - widths.tail[place];
    return isBeside && unit <= widths.total ? scene.segments[segmentAt(scene.segments, place)].partition : -1;
}

/** The partition whose end is the last before a point, as its text stands right of it. */
function endedBefore(at, x) {
    let found = -1;
    for (const segment of at.inSight || []) {
        if (segment.partition < 0) continue;
        const end = placeX(at, segment.to);
        if (end > x + 4) break;
        if (end >= at.left) found = segment.partition;
    }
    return found;
}

function pointOf(canvas, event) {
    const box = canvas.getBoundingClientRect();
    return { x: event.clientX - box.left, y: event.clientY - box.top };
}

function attachLanePointer(lane, canvas) {
    const { at, view } = lane;
    const pointers = new Map();
    let moved = 0;
    canvas.addEventListener("pointerdown", (event) => {
        if (event.button !== 0) return;
        pointers.set(event.pointerId, pointOf(canvas, event));
        moved = pointers.size > 1 ? DRAG_PIXELS : 0;
        lane.hideTip();
    });
    canvas.addEventListener("pointermove", (event) => {
        const before = pointers.get(event.pointerId), point = pointOf(canvas, event);
        if (!before) return lane.hover(laneTarget(at, point.x, point.y), point);
        moved += Math.abs(point.x - before.x);
        if (moved < DRAG_PIXELS) return undefined;
        if (!canvas.hasPointerCapture(event.pointerId)) canvas.setPointerCapture(event.pointerId);
        if (pointers.size === 2) pinch(lane, pointers, event.pointerId, point);
        else view.pan(((before.x - point.x) / at.plot) * (view.to - view.from));
        pointers.set(event.pointerId, point);
        return undefined;
    });
    const end = (event) => {
        const point = pointers.get(event.pointerId);
        pointers.delete(event.pointerId);
        if (!point || moved >= DRAG_PIXELS || event.type === "pointercancel") return;
        lane.click(laneTarget(at, point.x, point.y));
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("pointerleave", () => lane.hover({}, null));
    canvas.addEventListener("dblclick", (event) => {
        const point = pointOf(canvas, event), target = laneTarget(at, point.x, point.y);
        const place = target.place;
        const segment = place >= 0 ? at.scene.segments[segmentAt(at.scene.segments, place)] : null;
        const partition = target.partition >= 0 ? target.partition : segment ? segment.partition : -1;
        if (partition >= 0) lane.showPartition(partition);
        else if (segment) lane.showPlaces(segment.from, segment.to);
    });
}

/** Two fingers: what was under each stays under it. */
function pinch(lane, pointers, id, point) {
    const { at, view } = lane;
    const [one, other] = pointers.keys();
    const still = pointers.get(id === one ? other : one), before = pointers.get(id);
    const distance = Math.max(10, Math.abs(before.x - still.x));
    view.zoom(distance / Math.max(10, Math.abs(point.x - still.x)), unitAt(at, still.x));
}

/** The page scrolls as ever: only a wheel with Ctrl or Command (which is what a pinch on a touchpad sends) zooms. */
function attachLaneWheel(lane, canvas) {
    const { at, view } = lane;
    canvas.addEventListener("wheel", (event) => {
        const lines = event.deltaMode === 1 ? 16 : 1;
        const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
        if (!event.ctrlKey && !event.metaKey && !isSideways) return;
        event.preventDefault();
        if (event.ctrlKey || event.metaKey) {
            const delta = Math.max(-200, Math.min(200, event.deltaY * lines));
            view.zoom(Math.exp(delta / 200), unitAt(at, pointOf(canvas, event).x));
        } else {
            const pixels = (event.deltaX || event.deltaY) * lines;
            view.pan((pixels / at.plot) * (view.to - view.from));
        }
    }, { passive: false });
}

/** The window of the small picture of the whole: drag it, or click where it should go. */
function attachLaneMap(lane, map) {
    const { at, view } = lane;
    let grip = null;
    const unit = (event) => ((pointOf(map, event).x - at.left) / at.plot) * view.length;
    map.addEventListener("pointerdown", (event) => {
        if (event.button !== 0) return;
        const here = unit(event), size = view.to - view.from;
        map.setPointerCapture(event.pointerId);
        grip = here >= view.from && here <= view.to ? here - view.from : size / 2;
        view.set(here - grip, here - grip + size);
    });
    map.addEventListener("pointermove", (event) => {
        if (grip === null) return;
        const from = unit(event) - grip;
        view.set(from, from + (view.to - view.from));
    });
    for (const type of ["pointerup", "pointercancel"]) map.addEventListener(type, () => (grip = null));
    map.addEventListener("dblclick", () => view.fit());
}

/** What each key does; keys of the browser's own (with Ctrl, Alt or Command) are left alone. */
const laneKeys = {
    ArrowRight: (lane, event) => (event.shiftKey ? lane.panShare(0.25) : lane.moveCursor(1)),
    ArrowLeft: (lane, event) => (event.shiftKey ? lane.panShare(-0.25) : lane.moveCursor(-1)),
    Home: (lane) => lane.setCursor(0),
    End: (lane) => lane.setCursor(lane.at.widths.count - 1),
    "+": (lane) => lane.zoomAtCursor(0.5),
    "=": (lane) => lane.zoomAtCursor(0.5),
    "-": (lane) => lane.zoomAtCursor(2),
    "0": (lane) => lane.view.fit(),
    "]": (lane) => lane.moveToSwitch(1),
    "[": (lane) => lane.moveToSwitch(-1),
    Enter: (lane) => lane.openCursor(),
    Escape: (lane) => lane.choose(null),
};

function attachLaneKeys(lane, canvas) {
    canvas.addEventListener("keydown", (event) => {
        const act = laneKeys[event.key];
        if (!act || event.ctrlKey || event.altKey || event.metaKey || !lane.at.widths.count) return;
        event.preventDefault();
        act(lane, event);
    });
    canvas.addEventListener("focus", () => lane.focus(canvas.matches(":focus-visible")));
    canvas.addEventListener("blur", () => lane.focus(false));
}
