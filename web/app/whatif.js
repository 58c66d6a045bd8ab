/* SPDX-License-Identifier: Apache-2.0 */
/* What is assumed for a try: one chip each, which takes it back. */

/** @param {() => void} onChange runs again */
function showAssumed(onChange) {
    const chip = (pair, at) => element("li", { class: "app-chip" }, element("code", {}, plainText(joinWords(pair))),
        element("button", { type: "button", class: "small", "aria-label": `Take back ${plainText(joinWords(pair))}`,
            onclick: () => {
                assumed.splice(at, 1);
                onChange();
            } }, "\u2715"));
    parts.assumed.hidden = !assumed.length;
    parts.assumed.replaceChildren(element("span", { class: "app-label" }, "What if"),
        element("ul", {}, assumed.map(chip)),
        element("button", { type: "button", class: "small", onclick: () => {
            assumed = [];
            onChange();
        } }, "Take all back"));
}

/** Another value for a name takes the place of the one before. @param {string[][]} pairs */
function assume(pairs) {
    const nameOf = ([option, value]) => `${option} ${(value || "").replace(/=[^=]*$/, "")}`;
    for (const pair of pairs) {
        assumed = assumed.filter((item) => nameOf(item) !== nameOf(pair));
        assumed.push(pair);
    }
}
