/* SPDX-License-Identifier: Apache-2.0 */
/* In which formats weights and activations meet, and what the target does with each. */

/** precision[].happens: a sign, its colour and words. */
const precisionFates = {
    native: ["\u25a0", "npu", "native"],
    vector: ["\u25a4", "unknown", "on the vector unit"],
    dequantized: ["\u25e7", "cpu", "weights dequantized"],
    cpu: ["\u25a1", "cpu", "on the CPU"],
    fails: ["\u2716", "fail", "fails to compile"],
    unknown: ["?", "unknown", "not known"],
};

function precisionFate(entry) {
    const [sign, kind, text] = precisionFates[entry.happens] || ["?", "unknown", plainText(entry.happens)];
    const rate = typeof entry.rate_share === "number"
        && `, at ${shareText(entry.rate_share)} of the matrix unit's rate`;
    return element("div", { class: `fate fate-${kind}` },
        element("span", { class: "sign", "aria-hidden": "true" }, sign), text, rate);
}

/** What would be native: another format here, or the same on a variant; null where it is native already. */
function precisionInstead(entry) {
    if (entry.native) return null;
    const choices = [
        entry.instead && ["use ", element("code", {}, plainText(entry.instead))],
        entry.variant && ["on the variant ", element("code", {}, plainText(entry.variant))],
    ].filter(Boolean);
    if (!choices.length) return null;
    return element("div", {}, "native instead: ", choices[0], choices[1] && [", or ", choices[1]]);
}

function precisionRow(entry) {
    return element("tr", {},
        element("th", { scope: "row" }, element("code", {}, plainText(entry.format))),
        element("td", { class: "muted" },
            element("div", {}, countOf(entry.nodes_on_npu, entry.nodes, "node"), ` ${taker.place}`),
            element("div", {}, entry.macs === null ? "MACs not known" : `${amountText(entry.macs)} MACs`)),
        element("td", {}, precisionFate(entry),
            element("div", {}, sentence(entry.text), entry.assumed && element("span", { class: "tag" }, "assumed")),
            entry.because && element("div", { class: "muted" }, "because ", sentence(entry.because)),
            precisionInstead(entry),
            entry.source && element("div", { class: "source" }, sourceText(entry.source))));
}

addSection({
    id: "precision",
    title: "Precision",
    isShown: (context) => (context.target.precision || []).length > 0,
    build(root, context) {
        root.append(element("table", { class: "precision" },
            element("caption", { class: "offscreen" }, "Formats of nodes with weights"),
            element("thead", {}, element("tr", {}, ["Format", "How much", "What happens"].map((name) =>
                element("th", { scope: "col" }, name)))),
            element("tbody", {}, context.target.precision.map(precisionRow))));
    },
});
