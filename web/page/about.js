/* SPDX-License-Identifier: Apache-2.0 */
/* What was analyzed, for which target, by which rules; and how many nodes have which verdict. */

addSection({
    id: "about",
    title: "Target and model",
    build: buildAbout,
});

/** @param {HTMLElement} root @param {Context} context */
function buildAbout(root, context) {
    const { report, target, graph } = context;
    const counts = verdictWords.map((word, verdict) =>
        graph.verdict.reduce((sum, at) => sum + Number(at === verdict), 0));
    const legend = element("ul", { class: "legend" }, verdictWords.map((word, verdict) => (counts[verdict] === 0 ? null
        : element("li", {}, element("button", { type: "button", class: "link",
            title: "Show these nodes in the table", onclick: () => context.showNodes({ verdict: word }) },
                verdictMark(verdict)),
        element("span", { class: "number" }, wholeText(counts[verdict]))))));
    const part = (title, content) => element("div", {}, element("h3", {}, title), content);
    root.append(element("div", { class: "about" },
        part("Target", factList([["Name", targetName(target)],
            ["Rules of", plainText(target.toolchain || "")],
            ["Switches", (target.switches_on || []).map(plainText).join(", ")],
                ["Partitioner", plainText(target.partitioner || "")],
            ["Graph", target.level === "off" ? "not optimized (level off)" : target.level === "basic"
                ? "optimized (level basic)" : null],
            ["Started by", target.cost ? plainText(target.cost.runtime || "") : null],
            ["Cost", target.cost ? (target.cost.calibrated ? "calibrated"
                : "not calibrated: rests on assumed parameters") : null]])),
        part("Model", factList([["File", element("code", {}, plainText(report.model.path))],
            ["Producer", plainText(report.model.producer || "")],
            ["Opsets", Object.entries(report.model.opsets || {}).map(([domain, version]) =>
                `${plainText(domain)} ${version}`).join(", ")],
            ["IR version", report.model.ir_version], ["Nodes", wholeText(report.model.nodes)],
            ["File size", bytesText(report.model.bytes)], ["Weights", bytesText(report.model.weight_bytes)]])),
        graph.nodes.length ? part("Nodes", legend) : ""));
}
