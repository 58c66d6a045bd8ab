/* SPDX-License-Identifier: Apache-2.0 */
/* The ways in: a drop anywhere, a button, the example. */

/** @param {(files: File[]) => void} take @param {() => void} takeExample */
function buildEntrance(take, takeExample) {
    const input = element("input", { type: "file", multiple: true, class: "offscreen", tabindex: "-1",
        "aria-hidden": "true", accept: ".onnx,.json,.ops,.cost,.data,.onnx_data", onchange: () => {
            take(Array.from(input.files));
            input.value = "";
        } });
    parts.entrance = element("div", { class: "app-drop" },
        element("p", { class: "app-drop-text" }, "Drop an ONNX model here"),
        element("p", { class: "app-buttons" }, input,
            element("button", { type: "button", class: "primary", onclick: () => input.click() }, "Choose files"),
            element("button", { type: "button", class: "app-example", onclick: takeExample }, "Try an example")),
        element("p", { class: "muted fine" },
            "Several models at once, saved reports (JSON), op lists (.ops) and cost files (.cost) work, too."));
    for (const name of ["dragenter", "dragover"])
        window.addEventListener(name, (event) => {
            if (!event.dataTransfer || !event.dataTransfer.types.includes("Files")) return;
            event.preventDefault();
            document.body.classList.add("app-dragging");
        });
    window.addEventListener("dragleave", (event) => {
        if (!event.relatedTarget) document.body.classList.remove("app-dragging");
    });
    window.addEventListener("drop", (event) => {
        document.body.classList.remove("app-dragging");
        if (!event.dataTransfer || !event.dataTransfer.files.length) return;
        event.preventDefault();
        take(Array.from(event.dataTransfer.files));
    });
    return parts.entrance;
}

/**
 * What each file is for, by its name; reports that were saved are returned.
 * @param {File[]} files
 * @returns {Promise<{kind: string, data: any}[]>}
 */
async function sortFiles(files) {
    const saved = [], models = [];
    for (const file of files) {
        const name = file.name.toLowerCase();
        if (name.endsWith(".json")) saved.push(...await readSaved(file));
        else if (name.endsWith(".ops")) given.oplist = { name: file.name, blob: file };
        else if (name.endsWith(".cost")) given.cost = { name: file.name, blob: file };
        else models.push(file);
    }
    if (models.length) given.models = nameFiles(models);
    return saved;
}

/** A report a line, as --format json prints them; or what `diff` or `fix` printed. @param {File} file */
async function readSaved(file) {
    const lines = (await file.text()).split("\n").filter((line) => line.trim());
    try {
        return lines.map((line) => {
            const data = JSON.parse(line);
            if (!data || !Array.isArray(data.targets) || !data.tool)
                throw new SyntaxError("no report of npu-partition");
            return { kind: data.steps ? "fix" : data.change ? "diff" : "report", data };
        });
    } catch (error) {
        throw new Error(`${file.name}: ${error.message}`);
    }
}
