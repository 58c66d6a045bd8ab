/* SPDX-License-Identifier: Apache-2.0 */
/* A better model: which changes are allowed, the run, and what it wrote. */

/** What may change, beside what is equal bit for bit. */
const equalities = [
    ["bits-if", "equal, for values that the file cannot promise"],
    ["ulp", "the last digits differ: sums run in another order"],
    ["step", "within one quantization step for each op"],
    ["approx", "an approximation"],
];
const allowed = new Set();

/** @param {() => void} fix @param {() => void} split */
function buildFix(fix, split) {
    parts.fixed = element("p", { class: "app-fixed" });
    parts.fix = element("details", { class: "app-fix" }, element("summary", {}, "Fix or split the model"),
        element("p", {}, "Nodes that fall back are rewritten where that brings more of the model to the NPU. ",
            "Weights are not read. ",
            "The results stay equal bit for bit, unless you allow more:"),
        element("div", { class: "app-row" }, equalities.map(([name, text]) => {
            const box = element("input", { type: "checkbox",
                onchange: () => (box.checked ? allowed.add(name) : allowed.delete(name)) });
            return element("label", {}, box, " ", element("code", {}, name), `: ${text}`);
        })),
        element("p", { class: "app-buttons" },
            element("button", { type: "button", class: "primary", onclick: fix }, "Fix the model"),
            element("button", { type: "button", onclick: split }, "Split it into its partitions")), parts.fixed);
    return parts.fix;
}

/** @param {{name: string, blob: Blob}[]} files that a run wrote */
function showWritten(files) {
    parts.fixed.replaceChildren(...files.map((file) => element("button", { type: "button", class: "primary",
        onclick: () => saveBlob(file.name.replace(/^.*\//, ""), file.blob) },
    `Save ${plainText(file.name)} (${bytesText(file.blob.size)})`)));
}
