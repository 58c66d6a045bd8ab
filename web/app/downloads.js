/* SPDX-License-Identifier: Apache-2.0 */
/* Files out: what was written goes to the browser as it is; reports are written by the tool, in the format wanted. */

/** Format, suffix, type. */
const downloads = [
    ["html", ".html", "text/html", "HTML"], ["json", ".json", "application/json", "JSON"],
    ["sarif", ".sarif", "application/json", "SARIF"], ["markdown", ".md", "text/markdown", "Markdown"],
    ["csv", ".csv", "text/csv", "CSV"], ["svg", ".svg", "image/svg+xml", "SVG"],
    ["dot", ".dot", "text/vnd.graphviz", "DOT"],
];

/** The first model's name without its suffix. */
function baseOfModel() {
    return given.models.length ? given.models[0].name.replace(/^.*\//, "").replace(/\.onnx$/i, "") : "report";
}

/** @param {(format: string) => void} download */
function buildDownloads(download) {
    return element("p", { class: "app-downloads", hidden: true }, element("span", { class: "app-label" }, "Save as"),
        downloads.map(([format, , , label]) => element("button", { type: "button", class: "small",
            onclick: () => download(format) }, label)));
}
