/* SPDX-License-Identifier: Apache-2.0 */
/* Which stretch of a swim-lane is in sight. Lanes that share one view are drawn at one scale, and zoom together. */

/**
 * @returns {any} `from` and `to` are units of `mode`; `length` is that of the longest lane
 */
function makeLaneView() {
    const listeners = [];
    const lanes = [];
    const changed = () => listeners.forEach((listener) => listener());
    const view = {
        mode: "equal", from: 0, to: 1, length: 1, narrowest: 1,
        onChange(listener) {
            listeners.push(listener);
        },
        /** Asked for its widths in a mode; a lane adds itself when it is made. */
        addLane(lane) {
            lanes.push(lane);
            if (lanes.length === 1) view.mode = bestLaneMode(lane.graph);
            view.setMode(view.mode);
        },
        /** What is in sight stays in sight, as far as its nodes go. */
        setMode(mode) {
            const isAll = view.from <= 0 && view.to >= view.length;
            const lead = lanes[0], before = lead.widths();
            view.mode = mode;
            lanes.forEach((lane) => lane.measure(mode));
            view.length = Math.max(...lanes.map((lane) => lane.widths().total), Number.MIN_VALUE);
            view.narrowest = Math.min(...lanes.map((lane) => lane.widths().narrowest));
            const after = lead.widths();
            if (isAll || !before) view.set(0, view.length);
            else view.set(mapUnit(before.start, after.start, view.from), mapUnit(before.start, after.start, view.to));
        },
        set(from, to) {
            const size = Math.min(view.length, Math.max(to - from, Math.min(view.length, view.narrowest * 3)));
            const middle = (from + to) / 2;
            view.from = Math.max(0, Math.min(middle - size / 2, view.length - size));
            view.to = view.from + size;
            changed();
        },
        /** Zooms by a factor below 1 in, above 1 out, round the unit `at`. */
        zoom(factor, at) {
            const size = Math.min(view.length, (view.to - view.from) * factor);
            const from = at - ((at - view.from) / (view.to - view.from)) * size;
            view.set(from, from + size);
        },
        pan(units) {
            view.set(view.from + units, view.to + units);
        },
        fit() {
            view.set(0, view.length);
        },
    };
    return view;
}
